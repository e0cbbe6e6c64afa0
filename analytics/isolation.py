"""Runs a computation over the table-days of a lake without those on which it fails: these are ``TABLE_DAY_UNJUDGED``."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

import duckdb

from analytics.lake import LakeContents, LakeUnusable, LeftOut, Run, views
from replayer.processes.failure import in_one_line, is_failure
from replayer.verdicts.replay_totals import TABLE_DAY_UNJUDGED

_LOG: Final = logging.getLogger(__name__)
_MACHINE_ERRORS: Final = (
    OSError,
    MemoryError,
    duckdb.IOException,
    duckdb.OutOfMemoryException,
    duckdb.InterruptException,
)
"""Errors of the machine (a full disk, too little memory), not of a table-day."""

Result = TypeVar("Result")
Work = Callable[[duckdb.DuckDBPyConnection, LakeContents], Result]
TableDay = tuple[str, dt.date]


class WorkFailed(RuntimeError):
    """The computation fails even without any table-day, by an error of the program; the message has the error."""


class _Failed(Exception):
    """The computation fails on a set of table-days; the message is one line."""


def without_failing(lake: Path, contents: LakeContents, work: Work[Result]) -> tuple[Result, LakeContents]:
    """The result of ``work`` over a lake's contents, and the contents that it covers.

    Where it fails, the table-days are added by bisection, and each that makes it fail, alone or together with those added before,
    is left out.

    Raises:
        WorkFailed: it fails even without any table-day.
        LakeUnusable: the lake cannot be read.
    """
    try:
        return _try(lake, contents, contents.runs, work), contents
    except _Failed:
        _LOG.debug("failed on all table-days together", exc_info=True)
    try:
        best = _try(lake, contents, (), work)
    except _Failed as error:
        raise WorkFailed(str(error)) from error
    kept: list[Run] = []
    failed: dict[TableDay, str] = {}
    waiting: list[Sequence[Run]] = [half for half in _halves(contents.runs) if half]
    while waiting:
        part = waiting.pop(0)
        try:
            best = _try(lake, contents, [*kept, *part], work)
            kept += part
        except _Failed as error:
            if len(part) > 1:
                waiting[:0] = _halves(part)
            else:
                failed[part[0].table_id, part[0].gaming_day] = str(error)
    return best, leave_out(contents, failed)


def leave_out(contents: LakeContents, failed: Mapping[TableDay, str]) -> LakeContents:
    """A lake's contents without the table-days in ``failed``, which maps them to the reason."""
    left_out = [
        LeftOut(table, day, f"the measures of table {table} of {day} could not be made: {why}", code=TABLE_DAY_UNJUDGED)
        for (table, day), why in failed.items()
    ]
    kept = [run for run in contents.runs if (run.table_id, run.gaming_day) not in failed]
    return replace(contents.only(kept), left_out=[*contents.left_out, *left_out])


def _halves(runs: Sequence[Run]) -> tuple[Sequence[Run], Sequence[Run]]:
    middle = len(runs) // 2
    return runs[:middle], runs[middle:]


def _try(lake: Path, contents: LakeContents, runs: Sequence[Run], work: Work[Result]) -> Result:
    subset = contents.only(runs)
    with views(lake, subset) as connection:
        try:
            return work(connection, subset)
        except BaseException as error:
            if not is_failure(error) or isinstance(error, (LakeUnusable, *_MACHINE_ERRORS)):
                raise
            raise _Failed(in_one_line(error)) from error
