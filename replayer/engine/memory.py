"""Memory while table-days are judged: no collector of reference cycles in between, and what a batch took is given back."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_TRIM: Final = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Of glibc alone; other systems' allocators give back by themselves."""


@contextmanager
def without_cycle_collection() -> Iterator[None]:
    """Holds back the collector of reference cycles: judging makes many small objects, none of them in a cycle, and walking
    over all remembered judgements again and again takes a tenth of the time. In the end these are old, so that nobody walks over
    them just because they are many."""
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
    """Have the allocator give back what was freed: it keeps the room of a batch's small objects, beside which the columns of the
    next one would have to lie."""
    if _TRIM is not None:
        _TRIM(0)
