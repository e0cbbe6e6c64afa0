"""Compares what was due on the same days under other rules.

One comparison answers two questions: *what if* other options, another version or another reading had applied; and the *ledger* of
rulings, which gives for each doubtful text that a round touches the difference in money of each of its readings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import polars as pl

from replayer.engine.reconstruct import by_game_and_rounding, reconstruct
from replayer.engine.replay_settings import ReplaySettings
from replayer.engine.stacked_days import SPAN
from replayer.integrity.inspection import Log, inspect_all
from replayer.law.rulings import register
from replayer.log.columns import SUM, TableDay, is_kind, is_wager
from replayer.processes.judging import release, within_a_query, without_cycle_collection
from replayer.processes.spread import some_of_size
from replayer.verdicts.payment import exact_dues
from schemas.kinds import SHOE_KINDS

CHANGES: Final = pl.Schema(
    {
        "table_id": pl.String,
        "gaming_day": pl.Date,
        "currency": pl.String,  # of the amounts; null where no opening names it
        "round": pl.Int64,
        "seat": pl.Int32,
        "hand": pl.Int32,
        "wager": pl.String,
        "stake_minor": pl.Int64,
        "due_before": pl.Int64,  # toward zero where a fraction is due; null where it cannot be said
        "due_after": pl.Int64,
        "change_in_win": SUM,  # of the house, exact: what the players are due less; null where either due is
        "parts": pl.Int64,  # of a minor unit, in which it is counted
    }
)
_DUE: Final = ("due_minor", "due_exact", "num", "den")
_DUES: Final = (
    "log", "seq", "round", "seat", "hand", "kind", "stake_minor", *_DUE, "rulings", "carried", "ended", "undrawn"
)  # fmt: skip
_SUMS: Final = ("rounds_touched", "wagers_changed", "change_in_win", "unsettled")
_EVENTS_AT_A_TIME: Final = 100_000
"""Events kept in memory before waiting rounds are settled, some 40 MB, and settled together, each under another reading."""
_FURTHER_ROUNDS: Final = 8
"""Rounds that a carried wager may run longer under another reading before the whole table-day is settled again."""


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """The effect of another reading of a ruling at the tables of a currency, None where no opening names it."""

    ruling: str
    option: str
    reading: str
    in_force: str
    currency: str | None
    rounds_touched: int
    wagers_changed: int = 0
    change_in_win: Fraction = Fraction()  # of the house, in minor units
    unsettled: int = 0

    @property
    def known_change(self) -> int | None:
        """``change_in_win`` in whole units, toward zero; None where it is unknown for all wagers that changed."""
        return None if self.wagers_changed == self.unsettled > 0 else int(self.change_in_win)


@within_a_query
def what_if(days: Sequence[TableDay], before: ReplaySettings, after: ReplaySettings) -> pl.DataFrame:
    """The wagers with another due under ``after`` (schema ``CHANGES``), in the order of the log."""
    if not days:
        return CHANGES.to_frame()
    logs = inspect_all(days)
    dues = _dues_frame(logs, [before] * len(logs))
    changed = _changed(dues, _dues_frame(logs, [after] * len(logs), _undrawn(dues, len(logs))))
    currencies = [log.opened.currency for log in logs]  # rounds in another one than the first are not settled
    named = changed.with_columns(
        table_id=pl.Series([log.table_id for log in logs], dtype=pl.String).gather(changed["log"]),
        gaming_day=pl.Series([log.gaming_day for log in logs], dtype=pl.Date).gather(changed["log"]),
        currency=pl.Series(currencies, dtype=pl.String).gather(changed["log"]),
    )
    return named.rename({"kind": "wager"}).select(CHANGES.names()).cast(CHANGES)


@within_a_query
def ledger(batches: Iterable[Sequence[TableDay]], settings: ReplaySettings) -> list[LedgerLine]:
    """The effect of each other reading of each ruling that moves money; only touched rounds are settled again, those of several
    batches together: settling a few costs nearly as much as settling many."""
    made = _Ledger(settings)
    for days in batches:
        made.add(days)
        del days
        if made.events > _EVENTS_AT_A_TIME:
            made.settle()
        release()
    made.settle()
    return made.lines


@dataclass(frozen=True, slots=True)
class _Touched:
    """The wagers of a table-day that rest on a ruling."""

    ruling: str
    held: str  # its reading in force there
    part: Log  # of their rounds, and of those in which carried ones should end
    whole: Log
    dues: pl.DataFrame  # the wagers with their present dues
    undrawn: Collection[int]  # the rounds of the table-day in which the bank did not draw as it must
    rounds: int  # how many they are of


class _Ledger:
    """The wagers that rest on each ruling and wait to be settled again, and the ``lines`` so far: one for each reading that was
    tried and each currency."""

    def __init__(self, settings: ReplaySettings) -> None:
        self._settings = settings
        self._waiting: list[_Touched] = []
        self.lines: list[LedgerLine] = []

    @property
    def events(self) -> int:
        """The number of events kept for waiting wagers."""
        logs = {id(log): log.events.height for one in self._waiting for log in (one.part, one.whole)}
        return sum(logs.values())

    def add(self, days: Sequence[TableDay]) -> None:
        """Settle some table-days under their own readings, and queue the wagers that rest on each ruling."""
        if not days:
            return
        logs = inspect_all(days)
        dues = _dues_frame(logs, [self._settings] * len(logs))
        undrawn = _undrawn(dues, len(logs))
        without_choice = [name for name, entry in register().items() if not entry.money or len(entry.readings) < 2]
        resting = dues.rename({"rulings": "ruling"}).explode("ruling").drop_nulls("ruling")
        resting = resting.filter(~pl.col("ruling").is_in(without_choice))
        # A carried wager that has not ended may end by any ruling.
        open_ = dues.filter(pl.col("carried") & pl.col("due_minor").is_null())
        own = resting.with_columns(rests=True)
        more = own.select("log", "ruling").unique().join(open_, on="log").with_columns(rests=False)
        both = pl.concat([own, more.select(own.columns)]).unique(["log", "ruling", "seq"], keep="first")
        for (number,), resting_dues in both.partition_by("log", include_key=False, as_dict=True).items():
            log = logs[number]
            readings = self._settings.readings_for(log.table_id)
            for ruling, part, rest in _parts_by_ruling(log, resting_dues):
                whole = log if rest["carried"].any() else part
                rounds = rest["round"].filter(rest["rests"]).n_unique()
                self._waiting.append(_Touched(ruling, readings(ruling), part, whole, rest, undrawn[number], rounds))

    def settle(self) -> None:
        """Settle the queue under the other readings."""
        tried = [
            (one, reading)
            for one in self._waiting
            for reading in register()[one.ruling].readings
            if reading != one.held
        ]
        for some in some_of_size(tried, (one.part.events.height for one, _ in tried), _EVENTS_AT_A_TIME):
            self._try(some)
        self._waiting.clear()
        self.lines = added([self.lines])

    def _try(self, tried: Sequence[tuple[_Touched, str]]) -> None:
        """Settle some table-days again, each under another reading of its ruling."""
        names = [(one.ruling, reading) for one, reading in tried]
        settings = {name: self._settings.with_readings({name[0]: name[1]}) for name in set(names)}
        changed = _changed_by([one for one, _ in tried], [settings[name] for name in names])
        win = pl.col("change_in_win")
        sums = changed.group_by("log", "parts").agg(pl.len(), win.sum(), win.null_count().alias("unsettled"))
        held = self._settings.readings_for("")
        lines = [
            LedgerLine(name, register()[name].option, reading, held(name), one.part.opened.currency, one.rounds)
            for one, (name, reading) in zip((one for one, _ in tried), names, strict=True)
        ]
        for number, parts, wagers, change, unsettled in sums.iter_rows():
            counted = {"wagers_changed": wagers, "change_in_win": Fraction(change, parts), "unsettled": unsettled}
            lines.append(replace(lines[number], rounds_touched=0, **counted))
        self.lines += lines


def added(parts: Sequence[Sequence[LedgerLine]]) -> list[LedgerLine]:
    """Ledgers of several parts of an archive as one, by ruling in the order of the register."""
    lines: dict[tuple[str, str, str | None], LedgerLine] = {}
    for line in (line for part in parts for line in part):
        key = (line.ruling, line.reading, line.currency)
        known = lines.get(key)
        sums = {name: getattr(known, name) + getattr(line, name) for name in _SUMS} if known else {}
        lines[key] = replace(line, **sums)
    order = {ruling: number for number, ruling in enumerate(register())}
    return sorted(lines.values(), key=lambda line: (order[line.ruling], line.reading, line.currency or ""))


def _dues_frame(
    logs: Sequence[Log], settings: Sequence[ReplaySettings], undrawn: Sequence[Collection[int]] | None = None
) -> pl.DataFrame:
    """The due of each wager of all logs, in order, each log under its settings; ``log`` is the log's number. Under other rules
    than the logs' own, ``undrawn`` has the rounds of each in which the bank did not draw as these require."""
    parts = []
    for (name, rounding), numbers in by_game_and_rounding(logs, settings).items():
        own = [settings[number] for number in numbers]
        stack, undrawn_in = [logs[number] for number in numbers], undrawn and [undrawn[number] for number in numbers]
        with without_cycle_collection():
            made = reconstruct(stack, name, own, dues_only=True, own_undrawn=undrawn_in)
        dues = exact_dues(made.wagers, rounding, made.rulings)
        rulings = pl.Series("rulings", made.rulings.all, dtype=pl.List(pl.String))
        round_, ended = made.rounds.gather(dues["ri"]), made.rounds.gather(dues["ended_ri"])
        of_group = dues.with_columns(
            pl.col("seq") % SPAN,
            pl.col("kind").cast(pl.String),
            rulings.gather(dues["rulings"]),
            log=pl.Series(numbers, dtype=pl.Int64).gather(round_ // SPAN),
            round=round_ % SPAN,
            ended=ended % SPAN,
            carried=is_wager(made.kinds.carried),
            undrawn=dues["ri"].is_in(list(made.judged.judgements.undrawn(made.judged.game)) if made.judged else []),
        )
        parts.append(of_group.select(_DUES))
    return pl.concat(parts).sort("log", maintain_order=True)


def _undrawn(dues: pl.DataFrame, logs: int) -> Sequence[Collection[int]]:
    """The rounds of each of some logs in which the bank did not draw as it must."""
    rounds: list[set[int]] = [set() for _ in range(logs)]
    for number, round_ in dues.filter("undrawn").select("log", "round").iter_rows():
        rounds[number].add(round_)
    return rounds


def _changed(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """The wagers in both frames whose dues differ, with both dues and the difference."""
    place = ["log", "seq"]
    dues = after.select(*place, pl.col(_DUE).name.suffix("_after"))
    both = before.join(dues, on=place, how="inner", maintain_order="left")
    differs = (pl.col(name).ne_missing(pl.col(f"{name}_after")) for name in ("due_minor", "due_exact"))
    other = both.filter(pl.any_horizontal(differs)).rename({"due_minor": "due_before", "due_minor_after": "due_after"})
    (due, parts), (due_after, parts_after) = _exact("due_before"), _exact("due_after", "_after")
    return other.with_columns(change_in_win=due * parts_after - due_after * parts, parts=parts * parts_after)


def _exact(whole: str, suffix: str = "") -> tuple[pl.Expr, pl.Expr]:
    """A due in parts of a minor unit, and how many of these one has: one where a ``whole`` number is due."""
    uneven = pl.when(pl.col(f"due_exact{suffix}").is_not_null())
    due = uneven.then(pl.col("stake_minor").cast(SUM) * pl.col(f"num{suffix}")).otherwise(whole)
    return due, uneven.then(f"den{suffix}").otherwise(1)


def _rounds(log: Log) -> pl.Series:
    """The round that each event of a log belongs to, null for none: for events of the shoe between rounds the next one, and for
    those that decide by which rules rounds are settled, or where carried wagers end, the first one, wherever they stand."""
    own = pl.when(~is_kind("CorrectionMade")).then("round")
    deciding = is_kind("TableOpened", "OptionElected", "TableClosed")
    of_a_round = own.is_not_null() | is_kind(*SHOE_KINDS)
    return log.events.select(pl.when(deciding).then(own.min()).when(of_a_round).then(own.backward_fill())).to_series()


def _parts_by_ruling(log: Log, dues: pl.DataFrame) -> Iterator[tuple[str, Log, pl.DataFrame]]:
    """For each ``ruling`` the wagers that rest on it, and the log of their rounds: for carried wagers also the rounds up to their
    end and a few more (``until``, where the log has more), and always the first, as a shoe never shuffled is judged otherwise."""
    of_event = _rounds(log)
    rounds = of_event.drop_nulls().unique().sort()
    first, last = rounds.search_sorted(dues["round"]), rounds.search_sorted(dues["ended"])
    last = (last + dues["carried"].cast(pl.UInt32) * _FURTHER_ROUNDS).clip(upper_bound=rounds.len() - 1)
    until = pl.when(pl.col("carried") & (last < rounds.len() - 1)).then(rounds.gather(last))
    placed = dues.with_columns(until=until, kept=pl.int_ranges(first, last + 1, eager=True))
    for (ruling,), own in placed.partition_by("ruling", include_key=False, as_dict=True).items():
        kept = rounds.gather(own["kept"].explode()).append(rounds.head(1))
        rows = of_event.is_in(kept.implode()).arg_true()
        yield ruling, replace(log, events=log.events[rows], findings=()), own.drop("kept")


def _changed_by(touched: Sequence[_Touched], settings: Sequence[ReplaySettings]) -> pl.DataFrame:
    """The wagers with another due, each table-day under its settings; ``log`` is the table-day's number."""
    before = pl.concat(one.dues.with_columns(log=pl.lit(number, dtype=pl.Int64)) for number, one in enumerate(touched))
    undrawn = [one.undrawn for one in touched]
    after = _dues_frame([one.part for one in touched], settings, undrawn)
    ends = before.join(after.select("log", "seq", now="ended"), on=["log", "seq"])
    longer = ends.filter(pl.col("now") >= pl.col("until"))["log"].unique()
    if longer.len():  # a carried wager runs beyond the rounds that were settled
        whole = [touched[number].whole for number in longer]
        again = _dues_frame(whole, [settings[number] for number in longer], [undrawn[number] for number in longer])
        others = after.filter(~pl.col("log").is_in(longer.implode()))
        after = pl.concat([others, again.with_columns(log=longer.gather(again["log"]))])
    return _changed(before, after)
