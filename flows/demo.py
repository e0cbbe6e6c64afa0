"""A small casino day from nothing: simulated with planted faults, replayed, reconciled, and held against what was planted."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from analytics.lake import contents_of, views
from analytics.report import write_report
from flows.known_errors import CouldNotRun
from flows.runs import run_nightly
from flows.settings import Settings
from flows.summary import Night
from producers.simulator import simulate
from replayer.sources.layout import FILE_MODE

DAY: Final = dt.date(2009, 6, 1)
TABLES: Final = 6
ROUNDS: Final = 300
FAULTS: Final = 0.06
SEED: Final = 2009
_MARK: Final = ".pitaudit-demo"
"""A file that only a demo makes: the folder with it may be overwritten."""


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """A finding, by all that a label says of it: ``round`` is 0 for the table-day as a whole."""

    table_id: str
    round: int
    finding: str
    delta_minor: int


@dataclass(frozen=True, slots=True)
class Demo:
    """The result of the demo, and where it is; ``planted`` counts faults by kind, ``events`` what was replayed."""

    night: Night
    paths: Mapping[str, Path]
    planted: Counter[str]
    events: int
    missed: Counter[Found]
    unplanted: Counter[Found]
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether what was found is exactly what was planted, and something was."""
        return bool(self.planted) and not self.missed and not self.unplanted and not self.night.undone


def run_demo(folder: Path, on_table_day: Callable[[str], None], *, settings: Settings, workers: int) -> Demo:
    """Run the demo in ``folder``, in place of an earlier one; ``on_table_day`` is called 2 * ``TABLES`` times. Raises CouldNotRun
    where there is something in its place that is not an earlier demo's."""
    began = time.perf_counter()
    archive, lake, labels, report = folder / "archive", folder / "lake", folder / "labels.jsonl", folder / "report.html"
    paths = {"report": report, "archive": archive, "lake": lake, "labels": labels}
    mark = folder / _MARK
    if not mark.exists() and (
        there := [path.name for path in (archive, lake, labels, report) if os.path.lexists(path)]
    ):
        raise CouldNotRun(
            f"{folder} holds {' and '.join(there)} that no demo made, and that stays: name another folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    mark.touch(FILE_MODE)
    for earlier in (archive, lake):
        shutil.rmtree(earlier, ignore_errors=True)
    done = simulate(
        archive,
        day=DAY,
        tables=TABLES,
        rounds=ROUNDS,
        seed=SEED,
        faults=FAULTS,
        labels_path=labels,
        workers=workers,
        on_progress=lambda table, _: on_table_day(f"simulated {table}"),
    )
    chosen = Settings(replay=settings.replay, workers=workers)  # no register: it would name other tables
    night = run_nightly(
        archive, lake, DAY, chosen, on_table_day=lambda table: on_table_day(f"replayed {table}"), show=True
    )
    write_report(lake, night.reconciliation, report, settings.time_zone)
    planted, faults = planted_in(labels)
    found = found_by(night, lake)
    return Demo(
        night=night,
        paths=paths,
        planted=faults,
        events=done.events,
        missed=planted - found,
        unplanted=found - planted,
        seconds=time.perf_counter() - began,
    )


def planted_in(labels: Path) -> tuple[Counter[Found], Counter[str]]:
    """What the label file says should be found, and how many faults of each kind were planted."""
    said = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()]
    wanted = Counter(Found(s["table_id"], s["round"] or 0, s["finding"], s["delta_minor"] or 0) for s in said)
    kinds = {s["fault_id"]: s["fault"] for s in said}
    return wanted, Counter(kinds.values())


def found_by(night: Night, lake: Path) -> Counter[Found]:
    """Everything that a night found, in the lake and by its reconciliation, but for what is only worth knowing."""
    day = night.reconciliation.gaming_day
    with views(lake, contents_of(lake, day, day)) as connection:
        rows = connection.sql(
            "SELECT table_id, round, code, delta_minor FROM findings WHERE severity <> 'advisory'"
        ).fetchall()
    found = Counter(Found(table, round_ or 0, code, delta or 0) for table, round_, code, delta in rows)
    found.update(Found(f.table_id, 0, f.code, f.delta_minor or 0) for f in night.reconciliation.custody_findings)
    return found
