"""The runs themselves, as plain functions: a gaming day, a range of days. Prefect is one way to start them, not a need.

A run does only what changed (:mod:`flows.plan`). A table-day that cannot be replayed is reported and never stops the others.
"""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from analytics.database import write_database
from analytics.lake import LakeNotWritable, OnWait, require_usable, runs, write, writing
from analytics.lake.acknowledged_messages import refused_messages
from analytics.lake.run import mixed_names
from flows import pending_days
from flows.accounting import account
from flows.gaps import days_with_other_gaps
from flows.known_errors import CouldNotRun, message_of
from flows.plan import NothingToRun, pins_of, plan, why_nothing
from flows.settings import Settings
from flows.summary import Night
from replayer.engine.replay_settings import ReplaySettings
from replayer.processes.failure import in_one_line, is_failure
from replayer.processes.spread import keeping_workers
from replayer.sources.table_days import TableDayRef
from replayer.verdicts.replay_totals import TABLE_DAY_UNJUDGED, Outcome, without_verdicts
from replayer.verdicts.run import replay_all

_LOG = logging.getLogger(__name__)


def replay_batch(
    lake: Path,
    refs: Sequence[TableDayRef],
    settings: ReplaySettings,
    *,
    workers: int = 1,
    on_table_day: Callable[[str], None] = lambda _: None,
) -> list[Outcome]:
    """Replay some table-days of one gaming day into the lake; ``on_table_day`` is told the table of each that is done."""
    keep = partial(write, lake, pins=pins_of(settings))
    done: list[Outcome] = []

    def note(outcome: Outcome) -> None:
        done.append(outcome)
        on_table_day(outcome.table_id)

    try:
        replay_all(refs, workers=workers, settings=settings, keep=keep, on_table_day=note)
    except LakeNotWritable:  # no other table-day can be written either
        raise
    except BaseException as error:  # whatever it is, it must not keep the other table-days from being done
        if not is_failure(error):
            raise
        if len(refs) > 1:
            _LOG.warning(
                "table-days could not be judged together, so one by one, which takes longer: %s", in_one_line(error)
            )
            dealt_with = {outcome.table_id for outcome in done}
            for ref in refs:
                if ref.table_id not in dealt_with:
                    done += replay_batch(lake, [ref], settings, on_table_day=on_table_day)
            return done
        table, day = refs[0].table_id, refs[0].gaming_day
        _LOG.debug("table %s of %s could not be replayed", table, day, exc_info=True)
        note(without_verdicts(table, day, TABLE_DAY_UNJUDGED, in_one_line(error)))
    return done


def run_nightly(
    archive: Path,
    lake: Path,
    day: dt.date,
    chosen: Settings | None = None,
    *,
    on_table_day: Callable[[str], None] = lambda _: None,
    on_wait: OnWait = lambda _: None,
    show: bool = False,
) -> Night:
    """Replay what changed of a gaming day, reconcile all its tables, and account for those that it should have had.

    With ``show`` ``lake.duckdb`` is made anew, which a caller that may run several days does once, by :func:`show_lake`.

    Raises:
        NothingToRun: the archive has nothing of that day, and no table was expected to have.
        LakeBusy, LakeUnusable, LakeNotWritable: as :func:`analytics.lake.writing`; what was written before stays.
    """
    chosen = chosen or Settings()
    with at_work(archive, lake, day, chosen, on_wait):
        night = judge_day(archive, lake, day, chosen, on_table_day)
        if show:
            write_database(lake)
        return night


@contextmanager
def at_work(archive: Path, lake: Path, day: dt.date, chosen: Settings, on_wait: OnWait) -> Iterator[None]:
    """A context in which a run of a gaming day has the lake to itself, and keeps its processes. Raises as
    :func:`analytics.lake.require_usable` and :func:`analytics.lake.writing`."""
    require_usable(lake, archive)
    with writing(lake, f"the run of gaming day {day}", chosen.wait_seconds, on_wait), keeping_workers():
        yield


def judge_day(archive: Path, lake: Path, day: dt.date, chosen: Settings, on_table_day: Callable[[str], None]) -> Night:
    """Judge what changed of a gaming day, and account for its tables, in a lake that is usable and locked. Raises as
    :func:`flows.plan.plan`, and LakeNotWritable."""
    began = time.perf_counter()
    planned = plan(archive, lake, day, chosen)
    done = replay_batch(lake, planned.stale, chosen.replay, workers=chosen.workers, on_table_day=on_table_day)
    seconds = time.perf_counter() - began
    refused = refused_messages(lake, archive)
    for why in refused.unreadable:
        _LOG.warning(why)
    reconciliation = account(
        archive,
        lake,
        day,
        planned.expected,
        done,
        sealed={ref.table_id for ref in (*planned.stale, *planned.unchanged)},
        open_=planned.open,
        refused=refused,
        begun=planned.note,
        workers=chosen.workers,
    )
    replayed = sorted(each.table_id for each in done if not each.damage)
    return Night(
        reconciliation=reconciliation,
        replayed=tuple(replayed),
        unchanged=tuple(ref.table_id for ref in planned.unchanged),
        unsealed=tuple(planned.open),
        seconds=seconds,
        made_anew={
            table: what for table, what in planned.made_anew.items() if table not in reconciliation.note.damaged
        },
        restored={table: why for table, why in planned.unread.items() if table in replayed},
    )


def show_lake(lake: Path, wait: float, on_wait: OnWait) -> None:
    """Make ``lake.duckdb`` anew, in which any tool sees what runs have left; raises as :func:`analytics.lake.writing`."""
    with writing(lake, "lake.duckdb", wait, on_wait):
        write_database(lake)


def run_backfill(
    run: Callable[[dt.date], Night],
    archive: Path,
    lake: Path,
    first: dt.date,
    last: dt.date,
    chosen: Settings,
    *,
    on_wait: OnWait = lambda _: None,
) -> list[Night]:
    """Run the gaming days from ``first`` to ``last``, both included, that have a table or should have had one; of days that are
    not over none is missed. Raises NothingToRun where there are none, CouldNotRun where the last is before the first."""
    if last < first:
        raise CouldNotRun(f"the first gaming day, {first}, is later than the last, {last}: swap them")
    over = chosen.last_gaming_day(dt.datetime.now(dt.UTC))
    days = pending_days.days_due(archive, lake, first, last, chosen.expecting, over)
    if not days:
        raise NothingToRun(why_nothing(archive, first) + f" (nor of any day to {last})")
    with keeping_workers():
        nights = [run(day) for day in days]
    show_lake(lake, chosen.wait_seconds, on_wait)
    return nights


def run_with_catching_up(
    run: Callable[[dt.date], Night],
    archive: Path,
    lake: Path,
    day: dt.date,
    chosen: Settings,
    *,
    alone: bool = False,
    on_wait: OnWait = lambda _: None,
) -> list[Night]:
    """Run a gaming day and, unless it is run ``alone``, before it every earlier one that waits for verdicts
    (:func:`flows.pending_days.to_catch_up`), of which verdicts or logs are others since
    (:func:`flows.pending_days.damaged_days`), or of which something is not sealed (:func:`flows.pending_days.unsealed_days`): a
    table is named each night until it is. Behind it, every one that is to be accounted for anew, since another day of its tables
    came, went or was changed (:func:`flows.gaps.days_with_other_gaps`).

    Tables of ``day`` that are not sealed are waited for, for as long from now on as the settings say at most. A day that fails by
    a fault of the program keeps no later one from being run; its error is raised at the end, when ``lake.duckdb`` is made anew.
    Where ``day`` has nothing to run, NothingToRun has the nights before. ``on_wait`` is told of mixed pseudonyms, too.
    """
    deadline = time.monotonic() + chosen.wait_for_sealing(day, dt.datetime.now(dt.UTC))
    first = day if alone else pending_days.first_within(chosen.catch_up_days, day)
    waiting = {
        *pending_days.to_catch_up(archive, lake, first, day, chosen.expecting),
        *pending_days.damaged_days(archive, lake, first, day),
        *pending_days.unsealed_days(archive, first, day),
    }
    nights, faults = dict[dt.date, Night](), list[BaseException]()

    def run_each(days: Iterable[dt.date]) -> None:
        for each in days:
            try:
                nights[each] = run(each)
            except BaseException as error:
                if message_of(error) or not is_failure(error):
                    raise
                _LOG.warning("gaming day %s could not be run: %s", each, in_one_line(error))
                faults.append(error)

    run_each(sorted(waiting))
    pending_days.wait_until_sealed(archive, day, max(0.0, deadline - time.monotonic()), on_wait)
    nothing: NothingToRun | None = None
    try:
        nights[day] = run(day)
    except NothingToRun as error:
        nothing = error
    run_each(days_with_other_gaps(archive, lake, first, day))
    if nights:
        show_lake(lake, chosen.wait_seconds, on_wait)
        if mixed := mixed_names(runs(lake, pending_days.first_within(pending_days.HELD_DAYS, day), day)):
            on_wait(f"{lake}: {mixed}")
    in_order = [nights[each] for each in sorted(nights)]
    if nothing:
        faults.append(NothingToRun(str(nothing), in_order))
    if faults:
        raise faults[0]
    return in_order
