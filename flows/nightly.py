"""The Prefect flows of a gaming day and of a range of them: ``flows.runs`` with a history, a schedule and artifacts.

Nothing here is cached by Prefect, which sees neither the log's digest nor rules and settings: the lake's own manifests do.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

from prefect import flow, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
from prefect.client.schemas.objects import State
from prefect.concurrency.asyncio import AcquireConcurrencySlotTimeoutError
from prefect.concurrency.sync import concurrency
from prefect.exceptions import ObjectAlreadyExists, ObjectNotFound
from prefect.logging import get_run_logger
from prefect.runtime import flow_run
from pydantic import Field

from analytics.lake import LakeBusy
from flows import MOST_SECONDS, MOST_WORKERS
from flows.artifact import escaped, keep_report, key, markdown, report_link
from flows.known_errors import CouldNotRun
from flows.pending_days import require_over
from flows.plan import NothingToRun
from flows.run_states import ended, failed, nights_of, without_traceback
from flows.runs import at_work, judge_day, run_backfill, run_with_catching_up
from flows.settings import Settings, SettingsRefused, load
from flows.summary import Night, one_sentence, short
from schemas.identity import Pseudonyms

Workers = Annotated[int, Field(ge=1, le=MOST_WORKERS)]
Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS)]

LIMIT: Final = "pitaudit-lake"
"""The server's concurrency limit that every run of a gaming day takes, of whichever flow; made where it is missing."""
LEASE_SECONDS: Final = 60.0
ASKING_SECONDS: Final = 10.0
"""The time limit for a request to the server where no limit is set."""


@task(name="judge", task_run_name="judge {day}", cache_policy=NO_CACHE, persist_result=False)
@without_traceback
def judge(archive: Path, lake: Path, day: dt.date, chosen: Settings) -> State[Any]:
    """Judge a gaming day, and keep its report, and what it says in short as an artifact of the run. Ends as a run of that day
    alone."""
    night = judge_day(archive, lake, day, chosen, get_run_logger().info)
    try:
        keep_report(chosen, lake, night.reconciliation)
        link = report_link(chosen, lake, day)
    except CouldNotRun as error:
        night = replace(night, report_not_kept=str(error))
        link = escaped(str(error))
    create_markdown_artifact(markdown(night, lake, link), key=key(lake, day), description=one_sentence(night))
    return ended([night])


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
    timeout = None if wait is None else max(wait, ASKING_SECONDS)
    try:
        with concurrency(
            LIMIT,
            timeout_seconds=timeout,
            lease_duration=LEASE_SECONDS,
            strict=True,
            raise_on_lease_renewal_failure=False,
        ):
            yield
    except AcquireConcurrencySlotTimeoutError:
        raise LakeBusy(
            f"another run has the concurrency limit {LIMIT} of the Prefect server; waited {wait:g} s"
        ) from None


def run_day(archive: Path, lake: Path, day: dt.date, chosen: Settings, wait: float | None) -> Night:
    """One gaming day as a task; the night that is returned names what could not be judged, or why its report is not kept.

    Without ``wait`` other flow runs are waited for as long as it takes, other commands as long as the settings say. Raises as
    :func:`flows.runs.run_nightly`.
    """
    with one_at_a_time(wait), at_work(archive, lake, day, chosen, get_run_logger().warning):
        [night] = nights_of(judge(archive, lake, day, chosen, return_state=True))
    return night


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
    wanted, warn = day or scheduled_day(chosen), get_run_logger().warning
    require_over(source, target, wanted, chosen, dt.datetime.now(dt.UTC), warn, named=day is not None)
    try:
        nights = run_with_catching_up(
            partial(run_day, source, target, chosen=chosen, wait=wait),
            source, target, wanted, chosen, alone=day is not None, on_wait=warn,
        )  # fmt: skip
    except NothingToRun as nothing:
        return failed(nothing, "; ".join([*([short(nothing.nights)] if nothing.nights else []), str(nothing)]))
    return ended(nights)


@flow(name="backfill", flow_run_name="backfill {first} to {last}", persist_result=False)
@without_traceback
def backfill(
    first: dt.date,
    last: dt.date,
    archive: Path | None = None,
    lake: Path | None = None,
    workers: Workers | None = None,
    settings: Path | None = None,
    wait: Seconds | None = None,
) -> State[Any]:
    """Replay what changed of the gaming days from ``first`` to ``last``, both included, and reconcile each.

    Ends as :mod:`flows.run_states` says; the result is a list of the nights.
    """
    chosen = load(settings).given(archive=archive, lake=lake, workers=workers, wait_seconds=wait)
    warn_of_pseudonyms()
    source, target = folders(chosen)
    run = partial(run_day, source, target, chosen=chosen, wait=wait)
    return ended(run_backfill(run, source, target, first, last, chosen, on_wait=get_run_logger().warning))
