"""Memory while table-days are judged: holds back the cycle collector, and returns freed memory after a batch."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

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
