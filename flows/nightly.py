"""The Prefect flow of one gaming day: ``flows.runs`` with a history, a schedule and artifacts.

Nothing here is cached by Prefect: what must be done anew is decided by the lake's own manifests, which know the log's
digest, the rules and the settings, none of which Prefect can see.
"""

from __future__ import annotations

import datetime as dt
import time
from pathlib import Path
from typing import Any, Final

from prefect import flow, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.logging import get_run_logger
from prefect.states import Failed

from analytics.lake import LakeNotWritable, require_usable, writing
from flows.artifact import artifact_key, markdown
from flows.runs import Batch, Night, Plan, conclude, plan, replay_batch, work_on
from flows.settings import Settings, SettingsRefused, load
from replayer.elections import ReplaySettings
from replayer.sources.archive import TableDayRef
from schemas.identity import WITHOUT_KEY, Pseudonyms

BATCH: Final = 20
"""Table-days a task. A task run costs the server some milliseconds: one a table-day would tell no more."""


class TableDaysMissing(Exception):
    """Some table-days have no verdicts; all others have. ``nights`` are the gaming days as they came out."""

    def __init__(self, undone: dict[str, str], nights: list[Night]) -> None:
        super().__init__("; ".join(f"{table}: {why}" for table, why in undone.items()))
        self.nights = nights


class BatchIncomplete(Exception):
    """Some table-days of a task have no verdicts; ``done`` says which, and why."""

    def __init__(self, done: Batch) -> None:
        super().__init__("; ".join(f"{table}: {why}" for table, why in done.undone.items()))
        self.done = done


def failed(why: Exception) -> State[Any]:
    """The state of a run that did all it could: no traceback, for nothing in the program went wrong."""
    return Failed(message=str(why), data=why)


@task(name="replay table-days", cache_policy=NO_CACHE, persist_result=False)
def replay_tables(lake: Path, refs: list[TableDayRef], settings: ReplaySettings, workers: int) -> Batch | State[Any]:
    """Replay some table-days into the lake; fails with ``BatchIncomplete`` when at least one of them could not be."""
    done = replay_batch(lake, refs, settings, workers=workers, on_table_day=get_run_logger().info)
    return failed(BatchIncomplete(done)) if done.undone else done


@task(name="reconcile", task_run_name="reconcile {planned.day}", cache_policy=NO_CACHE, persist_result=False)
def reconcile_tables(planned: Plan, done: Batch, seconds: float) -> Night:
    """Reconcile all tables of a gaming day, and keep the result as an artifact of the run."""
    night = conclude(planned, done, seconds)
    about = f"Table reconciliation of {planned.day}"
    create_markdown_artifact(markdown(night), key=artifact_key(planned.day), description=about)
    return night


def run_day(archive: Path, lake: Path, day: dt.date, settings: ReplaySettings, workers: int, wait: float) -> Night:
    """One gaming day in tasks; a task that fails is told in the night that comes back.

    Raises:
        LakeNotWritable: the lake's disk is full, say.
        LakeBusy: another run held the lake for ``wait`` seconds.
    """
    require_usable(lake, archive)
    with writing(lake, work_on(day), wait, get_run_logger().warning):
        return _tasks_of_day(archive, lake, day, settings, workers)


def _tasks_of_day(archive: Path, lake: Path, day: dt.date, settings: ReplaySettings, workers: int) -> Night:
    began = time.perf_counter()
    planned = plan(archive, lake, day, settings)
    done = Batch()
    for first in range(0, len(planned.stale), BATCH):
        refs = list(planned.stale[first : first + BATCH])
        state = replay_tables.with_options(task_run_name=f"replay {refs[0].table_id} to {refs[-1].table_id}")(
            lake, refs, settings, workers, return_state=True
        )
        result = state.result(raise_on_failure=False)
        if isinstance(result, BatchIncomplete):
            done.add(result.done)
        elif isinstance(result, Batch):
            done.add(result)
        elif isinstance(result, LakeNotWritable):
            raise result
        else:
            done.failed |= {ref.table_id: f"its task ended as {state.name}: {state.message}" for ref in refs}
    return reconcile_tables(planned, done, time.perf_counter() - began)


def warn_of_pseudonyms() -> None:
    """Say in the run's log that pseudonyms are made without a key, where they are."""
    if not Pseudonyms.from_environment().has_key:
        get_run_logger().warning(WITHOUT_KEY)


def folders(archive: Path | None, lake: Path | None, settings: Settings) -> tuple[Path, Path]:
    """The folders of a flow run: its parameters, or the settings.

    Raises:
        SettingsRefused: neither names them.
    """
    source, target = archive or settings.archive, lake or settings.lake
    if source is None or target is None:
        raise SettingsRefused("archive and lake must be parameters of the run or stand in pitaudit.toml")
    return source, target


@flow(name="nightly", flow_run_name="nightly {day}", persist_result=False)
def nightly(
    archive: Path | None = None,
    lake: Path | None = None,
    day: dt.date | None = None,
    workers: int | None = None,
    settings: Path | None = None,
    wait: float | None = None,
) -> Night | State[Any]:
    """Replay what changed of a gaming day, the last one that ended unless ``day`` says otherwise, and reconcile it.

    Fails with ``TableDaysMissing`` where some table-days could not be replayed; the others were, and are reconciled.
    """
    chosen = load(settings)
    warn_of_pseudonyms()
    source, target = folders(archive, lake, chosen)
    wanted = day or chosen.last_gaming_day(dt.datetime.now(dt.UTC))
    night = run_day(
        source, target, wanted, chosen.replay, workers or chosen.workers, chosen.wait_seconds if wait is None else wait
    )
    return failed(TableDaysMissing(night.undone, [night])) if night.undone else night
