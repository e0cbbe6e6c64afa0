"""The Prefect flow of one gaming day: ``flows.runs`` with a history, a schedule and artifacts.

Nothing here is cached by Prefect, which sees neither the log's digest nor rules and settings: the lake's own manifests do.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, cast

from prefect import flow, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
from prefect.client.schemas.objects import State
from prefect.concurrency.sync import concurrency
from prefect.exceptions import ObjectAlreadyExists, ObjectNotFound
from prefect.logging import get_run_logger
from prefect.runtime import flow_run
from pydantic import Field

from analytics.lake import LakeBusy, require_usable, writing
from flows import MOST_SECONDS, MOST_WORKERS
from flows.artifact import escaped, keep_report, key, markdown, report_link
from flows.known_errors import CouldNotRun, message_of
from flows.pending_days import require_over
from flows.plan import NothingToRun, Plan, plan
from flows.run_states import WorkLeft, ended, failed, without_traceback
from flows.runs import conclude, replay_batch, run_with_catching_up, work_on
from flows.settings import Settings, SettingsRefused, load
from flows.summary import Night, one_sentence, short
from replayer.engine.replay_settings import ReplaySettings
from replayer.processes.spread import keeping_workers
from replayer.sources.table_days import TableDayRef
from replayer.verdicts.replay_totals import TABLE_DAY_UNJUDGED, Outcome, without_verdicts
from schemas.identity import Pseudonyms

Workers = Annotated[int, Field(ge=1, le=MOST_WORKERS)]
Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS)]

LIMIT: Final = "pitaudit-lake"
"""The server's concurrency limit that every run of a gaming day takes, of whichever flow; made where it is missing."""
LEASE_SECONDS: Final = 60.0
ASKING_SECONDS: Final = 10.0
"""The time limit for a request to the server where no limit is set."""
BATCH: Final = 20
"""Table-days a task. A task run costs the server some milliseconds: one a table-day would show no more."""


@task(name="replay table-days", cache_policy=NO_CACHE, persist_result=False)
@without_traceback
def replay_tables(
    lake: Path, refs: list[TableDayRef], settings: ReplaySettings, workers: int
) -> list[Outcome] | State[Any]:
    """Replay some table-days into the lake; fails with ``WorkLeft`` when at least one of them could not be."""
    done = replay_batch(lake, refs, settings, workers=workers, on_table_day=get_run_logger().info)
    left = sorted((each for each in done if each.damage), key=lambda each: TABLE_DAY_UNJUDGED in each.findings)
    why = "; ".join(f"{each.table_id}: {each.damage}" for each in left)
    return failed(WorkLeft(why, done)) if left else done


@task(name="reconcile", task_run_name="reconcile {planned.day}", cache_policy=NO_CACHE, persist_result=False)
@without_traceback
def reconcile_tables(planned: Plan, done: list[Outcome], seconds: float, chosen: Settings) -> Night:
    """Reconcile all tables of a gaming day, and keep its report, and what it says in short as an artifact of the run. Raises
    WorkLeft, as the artifact says, where the report could not be written."""
    night = conclude(planned, done, seconds, chosen.workers)
    try:
        keep_report(chosen, planned.lake, night.reconciliation)
        link = report_link(chosen, planned.lake, planned.day)
    except CouldNotRun as error:
        night = replace(night, report_not_kept=str(error))
        link = escaped(str(error))
    page = markdown(night, planned.lake, link)
    create_markdown_artifact(page, key=key(planned.lake, planned.day), description=one_sentence(night))
    if night.report_not_kept:
        raise WorkLeft(night.report_not_kept, night)
    return night


@contextmanager
def one_at_a_time(wait: float | None) -> Iterator[None]:
    """While the block runs, no other run of any flow here is in one, by the server's count, which frees what a run that died had
    taken (``LEASE_SECONDS``). Raises LakeBusy after ``wait`` seconds; None waits for as long as it takes."""
    with get_client(sync_client=True) as client:
        try:
            client.read_global_concurrency_limit_by_name(LIMIT)
        except ObjectNotFound:  # asked first, since a server that is asked to make it again logs a traceback each night
            with suppress(ObjectAlreadyExists):
                client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name=LIMIT, limit=1))
    with ExitStack() as stack:
        try:
            stack.enter_context(
                concurrency(
                    LIMIT,
                    timeout_seconds=None if wait is None else max(wait, ASKING_SECONDS),
                    lease_duration=LEASE_SECONDS,
                    strict=True,
                    raise_on_lease_renewal_failure=False,
                )
            )
        except TimeoutError:
            raise LakeBusy(
                f"another run has the concurrency limit {LIMIT} of the Prefect server; waited {wait:g} s"
            ) from None
        yield


def run_day(archive: Path, lake: Path, day: dt.date, chosen: Settings, wait: float | None) -> Night:
    """One gaming day in tasks; the night that is returned names a task that failed, or why its report is not kept.

    Without ``wait`` other flow runs are waited for as long as it takes, other commands as long as the settings say. Raises as
    :func:`flows.runs.run_nightly`.
    """
    require_usable(lake, archive)
    warn = get_run_logger().warning
    with one_at_a_time(wait), writing(lake, work_on(day), chosen.wait_seconds, warn), keeping_workers():
        return _tasks_of_day(archive, lake, day, chosen)


def _tasks_of_day(archive: Path, lake: Path, day: dt.date, chosen: Settings) -> Night:
    began = time.perf_counter()
    planned = plan(archive, lake, day, chosen)
    done: list[Outcome] = []
    for first in range(0, len(planned.stale), BATCH):
        refs = list(planned.stale[first : first + BATCH])
        state = replay_tables.with_options(task_run_name=f"replay {refs[0].table_id} to {refs[-1].table_id}")(
            lake, refs, chosen.replay, chosen.workers, return_state=True
        )
        result: Any = state.result(raise_on_failure=False)
        if isinstance(result, WorkLeft):
            result = result.done
        if isinstance(result, list):
            done += result
        elif isinstance(result, BaseException) and message_of(result):  # no other table-day could be written either
            raise result
        else:
            why = f"its task ended as {state.name}: {state.message}"
            done += [without_verdicts(ref.table_id, day, TABLE_DAY_UNJUDGED, why) for ref in refs]
    seconds = time.perf_counter() - began
    reconciled = reconcile_tables(planned, done, seconds, chosen, return_state=True)
    night: Any = reconciled.result(raise_on_failure=False)
    if isinstance(night, WorkLeft):  # the other days have theirs yet to be judged
        night = night.done
    if isinstance(night, BaseException):
        raise night
    return cast("Night", night)


def warn_of_pseudonyms() -> None:
    """Say in the run's log that pseudonyms are made without a key, or with one that can be guessed, where they are."""
    if weakness := Pseudonyms.from_environment().weakness:
        get_run_logger().warning(weakness)


def folders(chosen: Settings) -> tuple[Path, Path]:
    """The folders of a flow run: its parameters, or the settings; raises SettingsRefused where neither names them."""
    if chosen.archive is None or chosen.lake is None:
        raise SettingsRefused("archive and lake must be parameters of the run or stand in pitaudit.toml")
    return chosen.archive, chosen.lake


def scheduled_day(chosen: Settings) -> dt.date:
    """The gaming day that had ended last when the run was to start: a late run is about the day it was for."""
    start = flow_run.scheduled_start_time  # pendulum's, which reckons with its own durations only
    return chosen.last_gaming_day(dt.datetime.fromtimestamp(start.timestamp(), dt.UTC))


def run_name() -> str:
    """A run is named after its gaming day; one that has no settings to be named after says so when it runs."""
    given = flow_run.parameters
    try:
        return f"nightly {given.get('day') or scheduled_day(load(given.get('settings')))}"
    except SettingsRefused:
        return "nightly"


@flow(name="nightly", flow_run_name=run_name, persist_result=False)
@without_traceback
def nightly(
    archive: Path | None = None,
    lake: Path | None = None,
    day: dt.date | None = None,
    workers: Workers | None = None,
    settings: Path | None = None,
    wait: Seconds | None = None,
    wait_for_sealing: Seconds | None = None,
) -> State[Any]:
    """Replay what changed of a gaming day, reconcile it, and account for every table that it should have had.

    Without ``day`` it is the one that had ended last when the run was scheduled, after every earlier one that waits for
    verdicts. Ends as :mod:`flows.run_states` says; the result is a list of the nights.
    """
    chosen = load(settings).given(
        archive=archive, lake=lake, workers=workers, wait_seconds=wait, wait_for_sealing_seconds=wait_for_sealing,
    )  # fmt: skip
    warn_of_pseudonyms()
    source, target = folders(chosen)
    wanted = day or scheduled_day(chosen)
    warn = get_run_logger().warning
    require_over(source, target, wanted, chosen.end_of(wanted), dt.datetime.now(dt.UTC), warn)
    try:
        nights = run_with_catching_up(
            partial(run_day, source, target, chosen=chosen, wait=wait),
            source, target, wanted, chosen, alone=day is not None, on_wait=warn,
        )  # fmt: skip
    except NothingToRun as nothing:
        return failed(nothing, "; ".join([*([short(nothing.nights)] if nothing.nights else []), str(nothing)]))
    return ended(nights)
