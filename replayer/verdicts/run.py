"""Replays many table-days, on one process or several; the sum does not depend on how many, nor on the order."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import logging
import multiprocessing
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Final, TypeVar

import polars as pl

from replayer.columns import SUM
from replayer.engine.rules_in_force import ReplaySettings
from replayer.failure import in_one_line, is_failure
from replayer.integrity.log import SEQUENCE_CONFLICT, SEQUENCE_GAP, TableDay
from replayer.sources.archive import (
    Sealed,
    TableDayDamaged,
    TableDayRef,
    read_all,
    read_manifests,
    table_days,
)
from replayer.sources.left_out import numbers_on_other_days, reached_before
from replayer.verdicts.freed import give_back
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.finding import CODES, Code, Finding, Severity, declare

CONTAINER_DAMAGED = declare("CONTAINER_DAMAGED", Severity.INTEGRITY, "A table-day's file is damaged or not whole")
TABLE_DAY_UNJUDGED = declare("TABLE_DAY_UNJUDGED", Severity.INTEGRITY, "A table-day on which judging itself failed")

EVENTS_TOGETHER: Final = 200_000
"""Table-days are replayed together up to so many events: enough to share the fixed costs, few enough to keep memory flat."""
EVENTS_AT_LEAST: Final = 500
"""A table-day counts for so many events at least: it takes room and time of its own, however few it has."""

_LOG: Final = logging.getLogger(__name__)

Result = TypeVar("Result")
Day = TypeVar("Day", bound=TableDay | TableDayRef)
Keep = Callable[[Replayed], None]
"""What to do with a table-day's verdicts, in the process that made them (write them to a lake, say)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one table-day came to; small enough to travel between processes. ``digest`` is empty where it is damaged.

    ``findings`` counts by code, the advisories of a code as one; ``advisories`` has how many those are, and on which stakes.
    ``damage`` says why it has no verdicts: it cannot be read, or judging it failed (``TABLE_DAY_UNJUDGED``). ``unjudged``
    counts wagers of which the rules could not say what was due, by reason; ``since`` is as in ``TableDay``.
    """

    table_id: str
    gaming_day: dt.date
    events: int = 0
    rounds: int = 0
    wagers: int = 0
    unsettled: int = 0
    currency: str | None = None
    first_seq: int | None = None
    last_seq: int | None = None
    overpaid: tuple[int, int] = (0, 0)
    underpaid: tuple[int, int] = (0, 0)  # how many, how much: both counted up from zero
    findings: Counter[str] = field(default_factory=Counter)
    advisories: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    not_checked: Counter[str] = field(default_factory=Counter)
    unjudged: Counter[str] = field(default_factory=Counter)
    digest: str = ""
    damage: str = ""
    since: int | None = None


@dataclass(slots=True)
class Summary:
    """The sum over table-days; ``to_dict`` is what ``replay --json`` prints. Amounts are minor units."""

    outcomes: list[Outcome] = field(default_factory=list)
    between: list[Finding] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def damaged(self) -> list[Outcome]:
        """Table-days that could not be read or not be judged."""
        return [outcome for outcome in self.outcomes if outcome.damage]

    @property
    def findings(self) -> Counter[str]:
        """How often each code was found."""
        total = Counter(finding.code for finding in self.between)
        for outcome in self.outcomes:
            total.update(outcome.findings)
        return total

    def advisories(self) -> dict[str, dict[str, int]]:
        """How many advisories each code has, and on which stakes; ``findings`` counts those of a table-day as one."""
        total: dict[str, dict[str, int]] = {}
        for outcome in self.outcomes:
            for code, (times, stakes) in outcome.advisories.items():
                sums = total.setdefault(code, {"count": 0, "stake_minor": 0})
                sums["count"] += times
                sums["stake_minor"] += stakes
        return dict(sorted(total.items()))

    @property
    def unjudged(self) -> Counter[str]:
        """How many wagers nobody could judge, by reason."""
        total: Counter[str] = Counter()
        for outcome in self.outcomes:
            total.update(outcome.unjudged)
        return total

    @property
    def clean(self) -> bool:
        """Whether every wager was judged and nothing was found but what is only worth knowing."""
        return not self.unjudged and all(CODES[code].severity is Severity.ADVISORY for code in self.findings)

    def digest(self) -> str:
        """SHA-256 over the digests of all table-days in the order of day and table."""
        lines = [
            f"{o.gaming_day} {o.table_id} {o.digest or 'damaged'}\n"
            for o in sorted(self.outcomes, key=lambda o: (o.gaming_day, o.table_id))
        ]
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """A JSON object with sums, findings by code and the digest of all verdicts."""
        not_checked: Counter[str] = Counter()
        for outcome in self.outcomes:
            not_checked.update(outcome.not_checked)
        return {
            "table_days": len(self.outcomes),
            "damaged": [
                {"table_id": o.table_id, "gaming_day": str(o.gaming_day), "what": o.damage} for o in self.damaged
            ],
            "events": sum(o.events for o in self.outcomes),
            "rounds": sum(o.rounds for o in self.outcomes),
            "wagers": sum(o.wagers for o in self.outcomes),
            "unsettled": sum(o.unsettled for o in self.outcomes),
            "discrepancies": {
                "overpaid": _money((o.currency, *o.overpaid) for o in self.outcomes),
                "underpaid": _money((o.currency, *o.underpaid) for o in self.outcomes),
            },
            "findings": dict(sorted(self.findings.items())),
            "advisories": self.advisories(),
            "not_checked": dict(sorted(not_checked.items())),
            "unjudged": dict(sorted(self.unjudged.items())),
            "digest": self.digest(),
            "seconds": round(self.seconds, 3),
        }


def _money(parts: Iterable[tuple[str | None, int, int]]) -> dict[str, Any]:
    """A count and an amount; no one amount where there are several currencies, which do not add up."""
    amounts: Counter[str] = Counter()
    number = 0
    for currency, count, amount in parts:
        number += count
        if count:
            amounts[currency or "unknown"] += amount
    if len(amounts) < 2:
        return {"count": number, "amount_minor": amounts.total()}
    return {"count": number, "amount_minor": None, "by_currency": dict(sorted(amounts.items()))}


def replay_archive(
    archive: Path,
    *,
    day: dt.date | None = None,
    table: str | None = None,
    workers: int = 1,
    settings: ReplaySettings | None = None,
    keep: Keep | None = None,
    on_table_day: Callable[[Outcome], None] | None = None,
) -> Summary:
    """Replay an archive's table-days, all or those of a day or table.

    ``keep`` receives the verdicts of each table-day inside its process (with several workers it must be picklable).
    """
    return replay_all(
        table_days(archive, day=day, table=table),
        workers=workers,
        settings=settings,
        keep=keep,
        on_table_day=on_table_day,
    )


def replay_all(
    refs: Sequence[TableDayRef],
    *,
    workers: int = 1,
    settings: ReplaySettings | None = None,
    keep: Keep | None = None,
    on_table_day: Callable[[Outcome], None] | None = None,
) -> Summary:
    """Replay the given table-days; see :func:`replay_archive`."""
    began = time.perf_counter()
    settings = settings or ReplaySettings()
    summary = Summary()
    jobs = [(batch, settings, keep) for batch in batches(refs, workers)]
    parallel = workers > 1 and len(jobs) > 1
    done = _in_processes(jobs, min(workers, len(jobs))) if parallel else map(replay_some, jobs)
    for outcome in chain.from_iterable(done):
        summary.outcomes.append(outcome)
        if on_table_day is not None:
            on_table_day(outcome)
    summary.between = continuity(summary.outcomes)
    summary.seconds = time.perf_counter() - began
    return summary


def batches(refs: Sequence[TableDayRef], workers: int = 1) -> list[list[TableDayRef]]:
    """The table-days in the order given, cut where a batch is full and so that every worker has one."""
    counts = [max(EVENTS_AT_LEAST, _events_of(ref)) for ref in refs]
    most = min(EVENTS_TOGETHER, max(1, sum(counts) // workers))
    made: list[list[TableDayRef]] = []
    room = 0
    for ref, count in zip(refs, counts, strict=True):
        if not made or count > room:
            made.append([])
            room = most
        made[-1].append(ref)
        room -= count
    return made


def _events_of(ref: TableDayRef) -> int:
    """How many events a table-day's manifests name; zero where it is damaged, which reading it will tell."""
    try:
        return sum(manifest.count for manifest in read_manifests(ref))
    except TableDayDamaged:
        return 0


def _in_processes(
    jobs: Sequence[tuple[Sequence[TableDayRef], ReplaySettings, Keep | None]], workers: int
) -> Iterator[list[Outcome]]:
    # Each process has a core of its own, so the column engine inside it must not start threads for all of them.
    threads = os.environ.get("POLARS_MAX_THREADS")
    os.environ["POLARS_MAX_THREADS"] = str(max(1, (os.cpu_count() or 1) // workers))
    try:
        spawned = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, mp_context=spawned, initializer=_end_with_parent) as pool:
            yield from pool.map(replay_some, jobs)
    finally:
        if threads is None:
            del os.environ["POLARS_MAX_THREADS"]
        else:
            os.environ["POLARS_MAX_THREADS"] = threads


def _end_with_parent() -> None:
    """End this process when the one that started it was killed: it would go on writing where the next run writes."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch(sentinel: int) -> None:
        wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()


def replay_some(job: tuple[Sequence[TableDayRef], ReplaySettings, Keep | None]) -> list[Outcome]:
    """Read and replay a few table-days together; damage is an outcome, not an exception."""
    refs, settings, keep = job
    whole: list[TableDay] = []
    outcomes: list[Outcome] = []
    for ref, read in zip(refs, read_table_days(refs), strict=True):
        if isinstance(read, TableDay):
            whole.append(read)
        else:
            outcomes.append(_without_verdicts(ref.table_id, ref.gaming_day, CONTAINER_DAMAGED, str(read)))
    outcomes += replay_read(whole, settings, keep)
    whole.clear()
    give_back()
    return outcomes


def replay_read(days: Sequence[TableDay], settings: ReplaySettings, keep: Keep | None = None) -> list[Outcome]:
    """Replay table-days that were read, together; one on which judging fails is an outcome as well."""
    judged, failed = judged_one_by_one(days, lambda some: replay_table_days(some, settings, play=keep is not None))
    outcomes = [_without_verdicts(day.table_id, day.gaming_day, TABLE_DAY_UNJUDGED, why) for day, why in failed]
    for replayed in chain.from_iterable(judged):
        if keep is not None:
            keep(replayed)
        outcomes.append(outcome_of(replayed))
    return outcomes


def _without_verdicts(table_id: str, gaming_day: dt.date, code: Code, why: str) -> Outcome:
    return Outcome(table_id, gaming_day, findings=Counter({code.code: 1}), damage=why)


def judged_one_by_one(
    days: Sequence[Day], judge: Callable[[Sequence[Day]], Result]
) -> tuple[list[Result], list[tuple[Day, str]]]:
    """What ``judge`` says of some table-days: of all together or, where that fails, of each half, down to those that fail.

    The second part has those of which it can say nothing, with the reason in one line: their failure is theirs alone.
    """
    if not days:
        return [], []
    try:
        return [judge(days)], []
    except BaseException as error:
        if not is_failure(error):
            raise
        if len(days) == 1:
            why = f"table {days[0].table_id} of {days[0].gaming_day} could not be judged: {in_one_line(error)}"
            _LOG.debug(why, exc_info=True)
            return [], [(days[0], why)]
    half = len(days) // 2
    results, failed = judged_one_by_one(days[:half], judge)
    others, failed_too = judged_one_by_one(days[half:], judge)
    return results + others, failed + failed_too


def read_table_day(ref: TableDayRef) -> TableDay:
    """A table-day of an archive, as replay takes it.

    Raises:
        TableDayDamaged: it cannot be read.
    """
    [read] = read_table_days([ref])
    if isinstance(read, TableDayDamaged):
        raise read
    return read


def read_table_days(refs: Iterable[TableDayRef]) -> Iterator[TableDay | TableDayDamaged]:
    """Table-days with what their parts leave out, in order; of one that cannot be read, why."""
    yield from (read if isinstance(read, TableDayDamaged) else _table_day(read) for read in read_all(refs))


def _table_day(read: Sealed) -> TableDay:
    ref, manifests, columns = read
    sealed = tuple(manifest.sha256 for manifest in manifests)
    return TableDay(
        ref.table_id,
        ref.gaming_day,
        columns,
        sealed[-1],  # that of the last part, which follows all before it
        numbers_on_other_days(ref, manifests, columns),
        sealed=sealed,
        parts=tuple(part.count for part in manifests),
        since=reached_before(ref),
    )


def outcome_of(replayed: Replayed) -> Outcome:
    """The sums of a replayed table-day."""
    day = replayed.table_days.row(0, named=True)
    deltas = replayed.wagers["delta_minor"].drop_nulls().cast(SUM)
    over, under = deltas.filter(deltas > 0), deltas.filter(deltas < 0)
    counts = replayed.findings.group_by("code").agg(pl.len()).rows()
    stakes = pl.col("stake_minor").cast(SUM).sum()
    advised = replayed.advisories.group_by("code").agg(pl.len(), stakes).rows()
    left = replayed.wagers.filter(pl.col("status") == "unjudged").group_by("reason").agg(pl.len()).rows()
    return Outcome(
        replayed.table_id,
        replayed.gaming_day,
        day["events"],
        day["rounds"],
        day["wagers"],
        day["unsettled"],
        day["currency"],
        day["first_seq"],
        day["last_seq"],
        (over.len(), int(over.sum())),
        (under.len(), -int(under.sum())),
        Counter(dict(counts)),
        {code: (times, int(stakes)) for code, times, stakes in advised},
        Counter(json.loads(day["not_checked"])),
        Counter(dict(left)),
        replayed.digest,
        since=replayed.since,
    )


def continuity(outcomes: Sequence[Outcome]) -> list[Finding]:
    """What is wrong with a table's numbers from one table-day to the next: some are missing, or stand on two days.

    Sequence orders, not the date: a day may have been recorded after a later one. Table-days whose numbers reach into each
    other, since some events came late, are one stretch; what is missing inside it the replay of its days finds. What was
    missing before a day when it was sealed stays missing, whatever days before it were given later.
    """
    found: list[Finding] = []
    stretches: dict[str, _Stretch] = {}
    for here in sorted(outcomes, key=lambda o: (o.table_id, o.first_seq or 0, o.gaming_day)):
        if here.first_seq is None:
            continue
        stretch = stretches.get(here.table_id)
        missing, since = 0, ""
        if stretch is not None and here.first_seq > _last(stretch.reached):
            reached = stretch.reached
            missing = here.first_seq - _last(reached) - 1
            since = f"since {reached.gaming_day}, which ended with seq {_last(reached)}"
            stretch = None
        if here.since is not None and here.first_seq - here.since - 1 > missing:
            missing = here.first_seq - here.since - 1
            since = f"since seq {here.since}, which was the table's last when this day was sealed"
        if missing:
            found.append(_between(SEQUENCE_GAP, here, f"{missing} event(s) missing {since}"))
        if stretch is None:
            stretches[here.table_id] = _Stretch(here.first_seq, here, here.events)
            continue
        stretch.events += here.events
        stretch.reached = max(stretch.reached, here, key=_last)
        twice = stretch.events - (_last(stretch.reached) - stretch.first_seq + 1)
        if twice > 0:
            found.append(_between(SEQUENCE_CONFLICT, here, f"{twice} of its numbers stand on another gaming day too"))
    return found


@dataclass(slots=True)
class _Stretch:
    """Table-days whose numbers reach into each other: the first number, the one that reaches furthest, all events."""

    first_seq: int
    reached: Outcome
    events: int


def _last(outcome: Outcome) -> int:
    return outcome.last_seq or 0


def _between(code: Code, here: Outcome, message: str) -> Finding:
    return Finding(code.code, here.table_id, here.gaming_day, here.first_seq, message=message)
