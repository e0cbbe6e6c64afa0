"""The public interface for Python: judge a log and explain a round of it, in a notebook or in the tests of another program.

A log is an archive's folder, or events: those of a recorder (``MemorySink().events()``), of a text in the notation of rounds
(``schemas.notation.parse_events``), or any others. Nothing is written, no settings file is read, no state is kept between calls.
The interface described here is stable; later versions may add to it.

A process that is forked after a first call hangs in the next one, as Polars' threads do not live on in it: have
``multiprocessing`` start processes by ``spawn``.
"""

from __future__ import annotations

import datetime as dt
import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias, TypeVar

import polars as pl

from analytics.pseudonyms import pseudonymised
from replayer.engine.replay_settings import ReplaySettings
from replayer.explanation import (
    AppliedRule,
    ExplainedFinding,
    ExplainedRuling,
    ExplainedWager,
    Explanation,
    NoSuchRound,
    RecordedEvent,
    explain_round,
)
from replayer.log.columns import TableDay, columns_of
from replayer.sources.archive import read_table_day
from replayer.sources.layout import why_no_archive
from replayer.sources.left_out import NumbersLeftOut, OtherDay
from replayer.sources.lost import lost_messages
from replayer.sources.manifests import TableDayDamaged
from replayer.sources.misplaced import REMEDY, misplaced
from replayer.sources.quarantine import counts, in_quarantine
from replayer.sources.table_days import TableDayRef, sealed_and_unsealed, table_days
from replayer.verdicts.replay import Replayed
from replayer.verdicts.replay_totals import Summary, continuity
from replayer.verdicts.run import replay_all, replay_read
from replayer.verdicts.tables import TABLES
from schemas.codec import encode
from schemas.event import Event
from schemas.identity import Pseudonyms
from schemas.plural import first_few

__all__ = [
    "AppliedRule", "ExplainedFinding", "ExplainedRuling", "ExplainedWager", "Explanation", "Incomplete", "Log", "Missing",
    "NoSuchRound", "NothingToJudge", "RecordedEvent", "ReplaySettings", "TableDayDamaged", "Verdicts", "explain", "judge",
]  # fmt: skip

Log: TypeAlias = str | os.PathLike[str] | Iterable[Event]
"""An archive's folder, or events in any order, of any number of tables and gaming days."""


class NothingToJudge(LookupError):
    """The log has no such table-day; the message says what it has, or what to do."""


class Incomplete(UserWarning):
    """The verdicts do not cover the whole log; ``Verdicts.missing`` says what they lack."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Something missing from the log, or not judged, so that no row of the frames shows it.

    ``table_id`` and ``gaming_day`` are None where it does not belong to one table-day.
    """

    why: str
    table_id: str | None = None
    gaming_day: dt.date | None = None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Verdicts:
    """The verdicts: the tables of the lake (``pitaudit lake --describe``) as Polars frames, sorted by gaming day and table.

    Names, types and order of the columns are those of the lake. Amounts are integers in minor units; ``paid_minor`` and
    ``due_minor`` are changes of the player's chips; ``delta_minor`` is paid less due, positive where the house overpaid.

    Attributes:
        missing: what the frames lack: table-days that could not be read or judged or are not sealed, numbers missing between
            gaming days, misplaced logs, messages in quarantine or lost. Empty where the frames cover the whole log; an unjudged
            wager is a row of them, without ``due_minor`` and with the ``reason``.
        digest: SHA-256 of all verdicts, as ``pitaudit replay`` prints it.
    """

    wagers: pl.DataFrame
    rounds: pl.DataFrame
    hands: pl.DataFrame
    findings: pl.DataFrame
    advisories: pl.DataFrame
    custody: pl.DataFrame
    decisions: pl.DataFrame
    table_days: pl.DataFrame
    missing: tuple[Missing, ...]
    digest: str

    def __repr__(self) -> str:
        counts = [f"{name} {getattr(self, name).height:,}" for name in ("table_days", "rounds", "wagers", "findings")]
        return f"<Verdicts: {', '.join(counts)}{f', missing {len(self.missing)}' if self.missing else ''}>"


def judge(
    log: Log,
    *,
    table: str | None = None,
    day: dt.date | None = None,
    settings: ReplaySettings | None = None,
    identities: bool = False,
) -> Verdicts:
    """Judge a log: every table-day of it, or those of a table, of a gaming day, or the one of both.

    Events of a table that still plays are judged as if they ended here: what its next events would answer is found as missing.

    Args:
        log: an archive's folder, of which the sealed table-days are judged; or events.
        settings: the readings of doubtful texts and other options of a replay; the defaults unless given. Those of a property
            are ``flows.settings.load().replay``. A ``regulation`` holds for the tables of its own game only.
        identities: name players as the log does; by default by pseudonyms, as in the lake (``PITAUDIT_PSEUDONYM_KEY`` in the
            environment).

    Raises:
        NothingToJudge: there is no such table-day, or none that could be judged.
        EventRejected: an event breaks the contract.
        OSError: the archive's folder cannot be read.
        TypeError: an argument is of another type.

    Warns:
        Incomplete: some of it could not be judged; ``Verdicts.missing`` says what.
        UserWarning: the pseudonyms have no key, or one that can be guessed.
    """
    _require_types(table, day, settings, identities)
    kept: list[Replayed] = []
    if isinstance(log, str | os.PathLike):
        summary, missing = _replay_archive(Path(log), table, day, settings, kept)
    else:
        outcomes = replay_read(_chosen(_days_of(log), table, day), settings or ReplaySettings(), kept.extend)
        summary, missing = Summary(outcomes, continuity(outcomes)), []
    missing = [
        *(Missing(outcome.damage, outcome.table_id, outcome.gaming_day) for outcome in summary.damaged),
        *(Missing(f"{found.code}: {found.message}", found.table_id, found.gaming_day) for found in summary.between),
        *missing,
    ]
    if not kept:
        raise NothingToJudge("; ".join(each.why for each in missing))
    kept.sort(key=lambda one: (one.gaming_day, one.table_id))
    frames = {name: pl.concat([one.tables()[name] for one in kept]) for name in TABLES}
    if not identities:
        if any("player" in frame.columns and frame["player"].count() for frame in frames.values()):
            _warn_of_pseudonyms()
        frames = {name: pseudonymised(frame, Pseudonyms.from_environment()) for name, frame in frames.items()}
    if missing:
        warnings.warn("; ".join(each.why for each in missing), Incomplete, stacklevel=2)
    return Verdicts(**frames, missing=tuple(missing), digest=summary.digest())


def explain(
    log: Log,
    *,
    round: int | str,
    table: str | None = None,
    day: dt.date | None = None,
    settings: ReplaySettings | None = None,
    identities: bool = False,
    zone: dt.tzinfo = dt.UTC,
) -> Explanation:
    """Explain one round, card by card: ``text()`` is a page, ``to_dict()`` the object that ``pitaudit explain --json`` prints.

    ``events``, ``rules``, ``wagers``, ``rulings`` and ``findings`` are tuples of frozen records whose fields have the names of
    that object's keys: ``explanation.wagers[0].due_minor``, ``explanation.rules[-1].about``.

    Args:
        log: an archive's folder, or events, as for :func:`judge`.
        round: the round's number within the table-day, or as a text its name in an imported log.
        table: may be omitted, as may ``day``, where the log has only one.
        settings: as for :func:`judge`.
        identities: as for :func:`judge`.
        zone: the time zone of the explanation; UTC unless given, whatever the machine's is.

    Raises:
        NothingToJudge: the log has no such table-day, or several, of which ``table`` and ``day`` choose one.
        NoSuchRound: the table-day has no such round, or several of that name.
        TableDayDamaged: the table-day cannot be read.
        EventRejected, OSError, TypeError: as for :func:`judge`.
    """
    _require_types(table, day, settings, identities)
    if not isinstance(round, Integral | str) or isinstance(round, bool):
        raise TypeError(f"round is {round!r}; give the round's number, or its name in an imported log")
    if not isinstance(zone, dt.tzinfo):  # None would be the machine's
        raise TypeError(f"zone is {zone!r}; give a datetime.tzinfo, such as zoneinfo.ZoneInfo('Asia/Macau')")
    if isinstance(log, str | os.PathLike):
        refs, _ = _sealed(Path(log), table, day)
        # What may be of the table, and is not read, stands beside its own log.
        named = [ref for ref in refs if (ref.table_id, ref.gaming_day) == (table, day)]
        one = read_table_day(_only_one(named or refs))
    else:
        one = _only_one(_chosen(_days_of(log), table, day))
    named_as = str if identities else Pseudonyms.from_environment().of
    explanation = explain_round(
        one, round if isinstance(round, str) else int(round), settings, named=named_as, zone=zone
    )
    if not identities and any(wager.player is not None for wager in explanation.wagers):
        _warn_of_pseudonyms()
    return explanation


def _warn_of_pseudonyms() -> None:
    if weakness := Pseudonyms.from_environment().weakness:
        warnings.warn(weakness, stacklevel=3)


def _require_types(table: object, day: object, settings: object, identities: object) -> None:
    if not isinstance(identities, bool):  # "no" is true
        raise TypeError(f"identities is {identities!r}; give True or False")
    if not isinstance(table, str | None):
        raise TypeError(f"table is {table!r}; give the table's id as a text, such as 'T1'")
    if day is not None and type(day) is not dt.date:
        raise TypeError(f"day is {day!r}; give a datetime.date, such as datetime.date(2009, 6, 1)")
    if settings is not None and not isinstance(settings, ReplaySettings):
        raise TypeError(
            f"settings is a {type(settings).__name__}; give ReplaySettings, or flows.settings.load().replay"
        )


def _replay_archive(
    archive: Path, table: str | None, day: dt.date | None, settings: ReplaySettings | None, kept: list[Replayed]
) -> tuple[Summary, list[Missing]]:
    """Replay an archive's table-days into ``kept``; also gives what is missing: unsealed events, misplaced logs, messages in
    quarantine, losses of a topic."""
    refs, not_sealed = _sealed(archive, table, day)
    summary = replay_all(refs, settings=settings, keep=kept.extend)
    missing = [
        Missing(f"table {ref.table_id} of {ref.gaming_day} is not all sealed", ref.table_id, ref.gaming_day)
        for ref in not_sealed
    ]
    missing += [
        Missing(f"{each.file}: not read, an archive keeps no log there; put it {REMEDY}")
        for each in misplaced(archive)
        if each.gaming_day is None
    ]
    if refused := sum(counts(archive).values()):
        missing.append(Missing(in_quarantine(refused, archive)))
    missing += [Missing(f"lost: {lost}") for lost in lost_messages(archive, day)]
    return summary, missing


def _sealed(archive: Path, table: str | None, day: dt.date | None) -> tuple[list[TableDayRef], list[TableDayRef]]:
    """The chosen sealed table-days, and those of which something is not sealed. Raises NothingToJudge where none is sealed."""
    refs, under_way = sealed_and_unsealed(archive, day, table)
    if refs:
        return refs, under_way
    if what := why_no_archive(archive):
        raise NothingToJudge(f"archive {archive} {what}: check the path")
    if under_way:
        raise NothingToJudge(
            f"archive {archive} has {_named(under_way)}, under way and not sealed: seal it, or judge the events in memory"
        )
    raise NothingToJudge(f"archive {archive} {_has(table_days(archive), table, day)}")


def _days_of(events: Iterable[Event]) -> list[TableDay]:
    """The table-days of some events, which may be in any order."""
    if not isinstance(events, Iterable):
        raise TypeError(
            f"the log is a {type(events).__name__}; give an archive's folder, or events: sink.events(), say"
        )
    own: dict[tuple[dt.date, str], list[tuple[bytes, Event]]] = {}
    for place, event in enumerate(events, 1):
        if not isinstance(event, Event):
            raise TypeError(f"item {place} of the log is a {type(event).__name__}; give events (schemas.event.Event)")
        message = encode(event)  # which rejects an event against the contract
        own.setdefault((event.gaming_day, event.table_id), []).append((message, event))
    if not own:
        raise NothingToJudge("there are no events: what a recorder recorded is there once it was flushed")
    ordered = {key: [event for _, event in sorted(own[key], key=itemgetter(0))] for key in sorted(own)}
    tables: dict[str, dict[dt.date, OtherDay]] = {}
    for (day, table_id), its in ordered.items():
        tables.setdefault(table_id, {})[day] = OtherDay(sorted({event.seq for event in its}))
    days = []
    for (day, table_id), its in ordered.items():
        numbers = tables[table_id]
        seqs, others = numbers[day].unsealed, [theirs for other, theirs in numbers.items() if other != day]
        left_out = NumbersLeftOut.of(seqs, others) or NumbersLeftOut()
        closed = min((event.seq for event in its if event.kind == "TableClosed"), default=None)
        held = frozenset(left_out.numbers(seqs[0], seqs[-1], closed))
        days.append(TableDay(table_id, day, columns_of(its), on_other_days=held, since=left_out.since))
    return days


def _chosen(days: Sequence[TableDay], table: str | None, day: dt.date | None) -> list[TableDay]:
    chosen = [one for one in days if table in (None, one.table_id) and day in (None, one.gaming_day)]
    if not chosen:
        raise NothingToJudge(f"the log {_has(days, table, day)}")
    return chosen


_Day = TypeVar("_Day", TableDay, TableDayRef)


def _only_one(days: Sequence[_Day]) -> _Day:
    if len(days) > 1:
        raise NothingToJudge(f"a round of which table-day? There are {_named(days)}: choose with table and day")
    return days[0]


def _has(days: Sequence[_Day], table: str | None, day: dt.date | None) -> str:
    """The text that tells what a log has instead of the chosen table-days."""
    wanted = " ".join(str(each) for each in (table, day) if each is not None)
    return f"has nothing of {wanted}: it has {_named(days)}" if days else "holds no sealed table-day"


def _named(days: Sequence[_Day]) -> str:
    """The first of some table-days, by name."""
    return first_few([f"{one.table_id} of {one.gaming_day}" for one in days], 5)
