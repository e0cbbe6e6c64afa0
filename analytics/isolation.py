"""Runs a computation over the table-days of a lake without those on which it fails: these are ``TABLE_DAY_UNJUDGED``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
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
    kept: list[Run] = []
    failed: list[LeftOut] = []
    waiting: list[Sequence[Run]] = [contents.runs]
    while waiting:
        part = waiting.pop(0)
        try:
            result = _try(lake, contents, [*kept, *part], work)
            kept += part
        except _Failed as error:
            if not part:
                raise WorkFailed(str(error)) from error
            if middle := len(part) // 2:
                waiting[:0] = part[:middle], part[middle:]
            else:
                table, day = part[0].table_id, part[0].gaming_day
                why = f"the measures of table {table} of {day} could not be made: {error}"
                failed.append(LeftOut(table, day, why, code=TABLE_DAY_UNJUDGED))
            if part is contents.runs:
                _LOG.debug("failed on all table-days together", exc_info=True)
                waiting.insert(0, ())  # whether it is the program's fault
    if not failed:
        return result, contents
    return result, replace(contents.only(kept), left_out=[*contents.left_out, *failed])


def _try(lake: Path, contents: LakeContents, runs: Sequence[Run], work: Work[Result]) -> Result:
    subset = contents.only(runs)
    with views(lake, subset) as connection:
        try:
            return work(connection, subset)
        except BaseException as error:
            if not is_failure(error) or isinstance(error, (LakeUnusable, *_MACHINE_ERRORS)):
                raise
            raise _Failed(in_one_line(error)) from error
