"""Runs a function within a query of the column engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

import polars as pl

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_SCHEMA: Final = pl.Schema({"row": pl.Int64()})
_ONE_ROW: Final = pl.LazyFrame([[0]], _SCHEMA)


def within_a_query(work: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Have ``work`` run, on the caller's thread, as a function over a frame that Polars' streaming engine collects.

    Outside of a query Polars hands each operation to a thread of its own, wakes it and waits for it; within a query it runs the
    operation in place. Judging takes some six hundred short operations a batch, most of them faster than the wake-up.
    """

    @wraps(work)
    def run(*args: Arguments.args, **named: Arguments.kwargs) -> Result:
        made: list[Result] = []
        failed: list[BaseException] = []

        def here(frame: pl.DataFrame) -> pl.DataFrame:
            try:
                made.append(work(*args, **named))
            except BaseException as error:  # which Polars would wrap into one of its own
                failed.append(error)
            return frame

        _ONE_ROW.map_batches(here, schema=_SCHEMA).collect(engine="streaming")
        if failed:
            raise failed.pop()
        return made.pop()

    return run
