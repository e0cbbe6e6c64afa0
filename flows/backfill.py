"""The Prefect flow of a range of gaming days."""

from __future__ import annotations

import datetime as dt
from functools import partial
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.logging import get_run_logger

from flows.nightly import Seconds, Workers, folders, run_day, warn_of_pseudonyms
from flows.run_states import ended, without_traceback
from flows.runs import run_backfill
from flows.settings import load


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
