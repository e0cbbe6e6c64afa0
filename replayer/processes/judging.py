"""What judging does in its process: it holds back the cycle collector, has freed memory returned, and has Polars do short
operations in place."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Final, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_TRIM: Final = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Only glibc has it; other systems' allocators return memory by themselves."""


@contextmanager
def without_cycle_collection() -> Iterator[None]:
    """Hold back the collector of reference cycles: judging makes many small objects without cycles, and walking over all kept
    judgements repeatedly would take a tenth of the time. Afterwards they are in the oldest generation, which is seldom walked."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            if not gc.get_freeze_count():  # what others froze stays so
                gc.freeze()
                gc.unfreeze()  # into the oldest generation
            gc.enable()


def release() -> None:
    """Have the allocator return freed memory: else it keeps the memory of a batch's small objects, and the columns of the next
    batch need more."""
    if _TRIM is not None:
        _TRIM(0)


def within_a_query(work: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Have ``work`` run, on the caller's thread, as a function over a frame that Polars' streaming engine collects.

    Outside of a query Polars hands each operation to a thread of its own, wakes it and waits for it; within a query it runs the
    operation in place. Judging takes some six hundred short operations a batch, most of them faster than the wake-up.
    """
    import polars as pl  # noqa: PLC0415 - which `pitaudit --help` does not load

    schema = pl.Schema({"row": pl.Int64()})
    one_row = pl.LazyFrame([[0]], schema)

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

        one_row.map_batches(here, schema=schema).collect(engine="streaming")
        if failed:
            raise failed.pop()
        return made.pop()

    return run
