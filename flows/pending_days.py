"""Selects the gaming days of a run: those of a range, and those that wait for their verdicts; finds their tables, those that
played and those that should have; and what no nightly run reaches."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Final

from analytics.lake import DatedAhead, OnWait, contents_of, days_of, log_of, note_or_empty, tables_of
from analytics.lake.contents import LAKE_DAMAGED
from analytics.lake.losses import with_removed
from analytics.lake.memory import recall
from analytics.lake.statuses import FOUND_BEFORE, Status
from flows.expected import Expectation, Expecting
from flows.known_errors import CouldNotRun
from flows.settings import Settings
from flows.unsealed import parts_of
from replayer.sources.archive import read_table_days
from replayer.sources.layout import TABLE_ID, gaming_days, journals
from replayer.sources.lost import Lost, lost_messages
from replayer.sources.manifests import TableDayDamaged
from replayer.sources.misplaced import NOT_READ, Misplaced, misplaced
from replayer.sources.safe_files import listed
from replayer.sources.table_days import TableDayRef, sealed_and_unsealed, table_days_in_place, under_import, unsealed

STILL_EXPECTED_DAYS: Final = 31
"""So long after the last gaming day on which a table played are the tables of a register missed by runs of other days."""
HELD_DAYS: Final = 7
"""So many of the last gaming days in the lake are held to their digests by a run of a later day."""
_POLL_SECONDS: Final = 0.5
CLOCKS_DIFFER_SECONDS: Final = 300
"""Clocks of a machine and of its file server may differ so much."""


def known_of(archive: Path, lake: Path, day: dt.date) -> set[str]:
    """The tables that played on a gaming day, by archive and lake together: one may have what the other lost."""
    names = {*names_in_place(archive, day), *tables_of(lake, day), *_found_on(lake, day)}
    return {name for name in names if not is_odd(name)}


def is_odd(name: str) -> bool:
    """Whether a name is no table's: that of a foreign file, or of something in the place of a gaming day's folder."""
    return TABLE_ID.fullmatch(name) is None


def names_in_place(archive: Path, day: dt.date) -> set[str]:
    """The names under which an archive has anything of a gaming day in its place, sealed or not: of tables, and odd ones."""
    return {ref.table_id for ref in (*unsealed(archive, day=day), *table_days_in_place(archive, day))}


def _found_on(lake: Path, day: dt.date) -> Iterator[str]:
    """The tables that a run found on a gaming day."""
    note = note_or_empty(lake, day)
    yield from (*note.damaged, *note.waiting)
    yield from (each.table_id for each in note.tables or () if each.status is not Status.ABSENT)


def still_expected(archive: Path, lake: Path, day: dt.date, expecting: Expecting) -> Expectation:
    """The tables that a day should have, and those that an earlier run found on it. Without a register those that an earlier run
    expected are not forgotten."""
    expected = expecting.on(day, partial(known_of, archive, lake))
    earlier = note_or_empty(lake, day).tables or ()
    gone = (each.table_id for each in earlier if not each.expected or each.why == FOUND_BEFORE)
    found = {*_found_on(lake, day), *gone}
    expected = replace(expected, found=frozenset(name for name in found if not is_odd(name)))
    if expecting.register:
        return expected
    return replace(expected, tables=expected.tables.union(each.table_id for each in earlier if each.expected))


def days_due(
    archive: Path, lake: Path, first: dt.date, last: dt.date, expecting: Expecting, over: dt.date = dt.date.max
) -> list[dt.date]:
    """The gaming days from ``first`` to ``last``, inclusive, that the archive or the lake knows, or that should have had a
    table. Days after ``over`` are not over: none of their tables is missed yet."""

    @cache
    def known(day: dt.date) -> frozenset[str]:
        return frozenset(known_of(archive, lake, day))

    noted = set(days_of(lake, None, last))
    recorded = {*gaming_days(archive), *gaming_days(journals(archive))}
    recorded |= {ref.gaming_day for ref in under_import(archive)}
    recorded |= {day for day in noted - recorded if known(day)}  # no table played on the others, which were only missed
    reach = STILL_EXPECTED_DAYS if expecting.register else expecting.look_back_days
    out_of_place = {each.gaming_day for each in misplaced(archive) if each.gaming_day}
    days = out_of_place | noted
    for each in recorded:
        days.update(each + dt.timedelta(days=after) for after in range(min(reach, (dt.date.max - each).days) + 1))
    return sorted(
        day
        for day in days
        if first <= day <= last
        and (
            day in noted
            or day in out_of_place
            or names_in_place(archive, day)
            or (day <= over and expecting.on(day, known).tables)
        )
    )


def first_within(most_days: int | None, day: dt.date) -> dt.date:
    """The gaming day so many days before another; None: the first that there can be."""
    back = (day - dt.date.min).days
    return day - dt.timedelta(days=back if most_days is None else min(most_days, back))


def to_catch_up(archive: Path, lake: Path, first: dt.date, day: dt.date, expecting: Expecting) -> list[dt.date]:
    """The gaming days from ``first`` on and before ``day`` that wait for verdicts, the oldest first: no run accounted for them,
    or was killed, or failed at a table, or something was sealed since, or its journal is gone, or a log that was damaged can be
    read again, or a log came or went that has an odd name or lies where an archive keeps none, or a loss was found since that may
    concern them, or is no longer in the archive.

    Of logs that were judged only names are looked at: what changed in them is found by :func:`damaged_days`, or by a run of
    their own day.
    """
    if first >= day:
        return []
    before = days_due(archive, lake, first, day - dt.timedelta(days=1), expecting)
    lost, out_of_place = lost_messages(archive), misplaced(archive)
    return [each for each in before if _is_pending(archive, lake, each, lost, out_of_place)]


def damaged_days(archive: Path, lake: Path, first: dt.date, day: dt.date) -> list[dt.date]:
    """The gaming days from ``first`` on and before ``day`` with verdicts that are missing in the lake or not as they were
    written, or with sealed logs that are not the ones that they were made from; the oldest first.

    Of the days that the lake knows the last :data:`HELD_DAYS` are read whole, verdicts and logs: a year of them would take
    minutes every night.
    """
    known = [each for each in days_of(lake, None, day) if each < day][-HELD_DAYS:]
    return [each for each in known if each >= first and _is_damaged(archive, lake, each)]


def unsealed_days(archive: Path, first: dt.date, day: dt.date) -> list[dt.date]:
    """The gaming days from ``first`` on and before ``day`` of which something is not sealed, though they may have been judged;
    the oldest first."""
    return sorted({ref.gaming_day for ref in unsealed(archive) if first <= ref.gaming_day < day})


def _is_damaged(archive: Path, lake: Path, day: dt.date) -> bool:
    contents = contents_of(lake, day, day)
    return any(left.code == LAKE_DAMAGED for left in contents.left_out) or any(
        recall(lake, day, run.table_id, run).damage or not log_of(archive, run) for run in contents.runs
    )


def _is_pending(
    archive: Path, lake: Path, day: dt.date, lost: Iterable[Lost], out_of_place: Iterable[Misplaced]
) -> bool:
    note = note_or_empty(lake, day)
    noted = note.tables or ()
    if not note.accounted or any(each.status is Status.FAILED for each in noted):
        return True
    if set(with_removed(archive, [loss for loss in lost if loss.concerns(day)], note.lost)) != set(note.lost):
        return True
    open_ = {ref.table_id for ref in unsealed(archive, day=day)}
    if any(each.status is Status.NOT_SEALED and each.table_id not in open_ for each in noted):
        return True
    # Sealed parts, as they were when a run accounted for them.
    sealed = {table: parts for table, parts in parts_of(archive, day).items() if parts}
    judged = {each.table_id: each.parts for each in noted if each.parts}
    names = names_in_place(archive, day) | {each.table_id for each in out_of_place if each.gaming_day == day}
    noted_names = {each.table_id for each in noted if each.status is not Status.ABSENT}
    if sealed != judged or set(filter(is_odd, names)) != set(filter(is_odd, noted_names)):
        return True
    # Logs out of their place are where they were, so they are not read now either.
    unread = (TableDayRef(day, table, archive) for table in note.unread if not table.endswith(NOT_READ))
    return not all(isinstance(read, TableDayDamaged) for read in read_table_days(unread))


def left_behind(archive: Path, lake: Path, first: dt.date) -> tuple[dt.date, ...]:
    """The gaming days before the ``first`` that a night looks at with a sealed log that has no verdicts in the lake, and that no
    run found damaged; by names, and by the notes of such days."""
    return tuple(day for day in gaming_days(archive) if day < first and _without_verdicts(archive, lake, day))


def _without_verdicts(archive: Path, lake: Path, day: dt.date) -> bool:
    left = parts_of(archive, day).keys() - set(tables_of(lake, day))
    return bool(left) and bool(left - note_or_empty(lake, day).unread.keys())


def require_over(
    archive: Path, lake: Path, day: dt.date, chosen: Settings, now: dt.datetime, warn: OnWait, *, named: bool
) -> None:
    """Hold that a gaming day is over; ``warn`` that it is not where there is anything of it already, and raise CouldNotRun where
    there is nothing, or where nobody ``named`` the day and the clock that tells it went back."""
    if not named and (fault := clock_fault(lake, now)):
        raise CouldNotRun(fault)
    end = chosen.end_of(day)
    if now >= end:
        return
    said = (
        f"gaming day {day} is not over: it ends at {end:%Y-%m-%d %H:%M} ({end.tzinfo}), and by this machine's clock it is "
        f"{now.astimezone(end.tzinfo):%Y-%m-%d %H:%M}"
    )
    if not known_of(archive, lake, day):
        raise CouldNotRun(f"{said}; ask again then, or set the clock right")
    warn(f"{said}; tables that are absent may yet come")


def clock_fault(lake: Path, now: dt.datetime) -> str:
    """That the clock went back behind the last run, so that the day before would be judged for the last one; empty where it did
    not."""
    written = max((file.stat().st_mtime for file in listed(lake / "days", "*.json")), default=0.0)
    if written <= now.timestamp() + CLOCKS_DIFFER_SECONDS:
        return ""
    last = dt.datetime.fromtimestamp(written, now.tzinfo)
    return (
        f"by this machine's clock it is {now:%Y-%m-%d %H:%M} UTC, yet {lake} was written at {last:%Y-%m-%d %H:%M} UTC: "
        f"set the clock right (or, if it is right and was ahead then, touch {lake}/days/*.json), "
        "or name the gaming day with --day"
    )


def wait_until_sealed(archive: Path, day: dt.date, seconds: float, on_wait: OnWait) -> None:
    """Wait until all tables of a gaming day are sealed, for so many seconds at most; ``on_wait`` is called at the first wait."""
    deadline = time.monotonic() + seconds
    reported = False
    while (left := unsealed(archive, day=day)) and (rest := deadline - time.monotonic()) > 0:
        if not reported:
            tables = ", ".join(sorted({ref.table_id for ref in left}))
            on_wait(f"{day}: waiting up to {seconds:g} s until these tables are sealed: {tables}")
            reported = True
        time.sleep(min(_POLL_SECONDS, rest))


def unreached(archive: Path, over: dt.date) -> tuple[tuple[Path, ...], tuple[DatedAhead, ...]]:
    """What no nightly run reaches by itself: the misplaced logs whose path names no gaming day, and the table-days dated beyond
    today, sealed or not, for a table's clock was wrong, or an import's year. ``over`` is the gaming day that ended last, so the
    one after it is today's. Raises OSError where a folder cannot be read."""
    out_of_place = misplaced(archive)
    of_misplaced = {each.gaming_day for each in out_of_place if each.gaming_day}
    days = {*gaming_days(archive), *gaming_days(journals(archive)), *of_misplaced}
    beyond = sorted(day for day in days if (day - over).days > 1)
    return (
        tuple(each.file for each in out_of_place if each.gaming_day is None),
        tuple(
            DatedAhead(ref.table_id, day)
            for day in beyond
            for ref in sorted({*chain.from_iterable(sealed_and_unsealed(archive, day))})
        ),
    )
