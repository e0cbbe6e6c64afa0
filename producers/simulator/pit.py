"""A whole pit for one gaming day or several, over as many processes as wanted."""

from __future__ import annotations

import datetime as dt
import gc
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from producers.simulator.plan import TablePlan, pit
from producers.simulator.table import NotPlayed, TableDay, simulate_table_day
from producers.sinks import SequenceConflict, Sink
from producers.sinks.archive import ArchiveSink
from producers.sinks.durable import make_folder, require_output, write_output
from replayer.engine.memory import without_cycle_collection
from replayer.sources.layout import FILE_MODE
from replayer.spread import begin_worker, spread
from replayer.wording import plural

DEFAULT_DAY: Final = dt.date(2009, 6, 1)
_ELSEWHERE: Final = "simulate into another folder, or other days"

SinkFactory = Callable[[], Sink]
"""Makes a sink in the process that writes to it; it must survive pickling where there are several workers."""


class AlreadyThere(ValueError):
    """The archive holds another table-day under the name of one that was to be simulated."""


@dataclass(slots=True)
class Summary:
    """What a simulation wrote. ``faults`` counts what was planted, by kind; ``labels`` are what should be found of it."""

    table_days: int = 0
    events: int = 0
    rounds: int = 0
    labels: int = 0
    faults: Counter[str] = field(default_factory=Counter)


@without_cycle_collection()
def simulate(
    archive: Path | None = None,
    *,
    sink_factory: SinkFactory | None = None,
    day: dt.date = DEFAULT_DAY,
    days: int = 1,
    tables: int | Iterable[TablePlan] = 12,
    rounds: int = 60,
    seed: object = 0,
    faults: float = 0.0,
    labels_path: Path | None = None,
    workers: int = 1,
    file_mode: int = FILE_MODE,
    on_progress: Callable[[str, dt.date, TableDay], None] | None = None,
) -> Summary:
    """Simulate a pit into an archive, or into the sinks that a factory makes. The same arguments give the same bytes.

    So a simulation that was interrupted is completed by the same again, and one that is complete is left as it is.

    Arguments:
        archive: the archive; with a factory, the one that its sinks write to, which may hold none of the table-days.
        tables: how many tables of the usual pit, or the plans of a pit of one's own.
        rounds: rounds of each table a day.
        faults: rate of planted faults a round.
        file_mode: who may read the files of the archive.
        labels_path: where to write, as JSON lines, what an auditor should find.
        on_progress: called for each finished table-day: table, day, what it came to.

    Raises:
        ValueError: neither archive nor factory.
        AlreadyThere: the archive holds other events of one of the table-days.
        NotPlayed: no text of a game's regulation is at hand for a day, or the calendar does not hold it.
        NotDurable: a sink cannot take it.
    """
    if labels_path is not None:
        require_output(labels_path, archive)  # sooner than when all is simulated
    factory = _factory(archive, sink_factory, file_mode)
    calendar = _calendar(day, days)
    plans = list(pit(tables, calendar)) if isinstance(tables, int) else list(tables)
    if archive is not None and sink_factory is not None:
        _refuse_twice(archive, plans, calendar)
    run = partial(_table, factory, calendar, rounds, seed, faults)
    summary = Summary()
    lines: list[tuple[dt.date, str, list[str]]] = []
    # Tables with the same rules come to one process, which remembers what it asked of them.
    days_of = spread(run, plans, workers, taking_part=True, order=_by_rules(plans), begin=_begin_work)
    for plan, made in zip(plans, days_of, strict=True):
        for gaming_day, table_day in zip(calendar, made, strict=True):
            summary.table_days += 1
            summary.events += table_day.events
            summary.rounds += table_day.rounds
            summary.labels += len(table_day.labels)
            summary.faults.update({(label.fault_id, label.round): label.fault for label in table_day.labels}.values())
            lines.append((gaming_day, plan.table_id, [label.to_json() for label in table_day.labels]))
            if on_progress is not None:
                on_progress(plan.table_id, gaming_day, table_day)
    if labels_path is not None:
        make_folder(labels_path.parent, file_mode)
        write_output(
            labels_path, "".join(f"{line}\n" for _, _, part in sorted(lines) for line in part).encode(), file_mode
        )
    return summary


def _calendar(day: dt.date, days: int) -> list[dt.date]:
    """The gaming days, each of which begins after the first moment of all dates and ends on the date after it."""
    if day == dt.date.min or days > (dt.date.max - day).days:
        one = dt.timedelta(days=1)
        first, last = dt.date.min + one, dt.date.max - one
        raise NotPlayed(
            f"{plural(days, 'gaming day')} from {day} would not fit: they go from {first} to {last}; "
            "choose others with --day and --days"
        )
    return [day + dt.timedelta(days=offset) for offset in range(days)]


def _refuse_twice(archive: Path, plans: list[TablePlan], calendar: list[dt.date]) -> None:
    """Not every sink knows an event that it has: there, the same again would open the table twice."""
    from replayer.sources.archive import table_days, unsealed  # noqa: PLC0415 - workers need no reader of columns

    wanted = {(plan.table_id, day) for plan in plans for day in calendar}
    for ref in (*table_days(archive), *unsealed(archive)):
        if (ref.table_id, ref.gaming_day) in wanted:
            raise AlreadyThere(f"{archive} already holds {ref.table_id} of {ref.gaming_day}; {_ELSEWHERE}")


def _factory(archive: Path | None, sink_factory: SinkFactory | None, file_mode: int) -> SinkFactory:
    if sink_factory is not None:
        return sink_factory
    if archive is not None:
        return partial(ArchiveSink, archive, file_mode)
    raise ValueError("simulate into an archive or into sinks: name one of them")


def _table(
    factory: SinkFactory, calendar: list[dt.date], rounds: int, seed: object, faults: float, plan: TablePlan
) -> list[TableDay]:
    """One table through all its days, in order: its numbering goes on from day to day."""
    made = []
    with closing(factory()) as sink:
        for day in calendar:
            try:
                made.append(simulate_table_day(sink, plan, day, rounds=rounds, seed=seed, faults=faults))
            except SequenceConflict as conflict:
                raise AlreadyThere(f"{conflict}; {_ELSEWHERE}") from None
    return made


def _by_rules(plans: list[TablePlan]) -> list[int]:
    """The numbers of the plans, those for the same game and options together."""
    rules = [(plan.game, tuple(sorted(plan.options.items()))) for plan in plans]
    first = {of: number for number, of in reversed([*enumerate(rules)])}
    return sorted(range(len(plans)), key=lambda number: first[rules[number]])


def _begin_work() -> None:
    """What a worker does first: no collector walks over what it remembers."""
    gc.disable()
    begin_worker()
