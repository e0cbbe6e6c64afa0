"""Gives memory back to the system between batches of table-days."""

from __future__ import annotations

import ctypes
from typing import Final

_TRIM: Final = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Of glibc alone; other systems' allocators give back by themselves."""


def give_back() -> None:
    """Have the allocator give back what was freed: it keeps the room of a batch's small objects, beside which the columns of the
    next one would have to lie."""
    if _TRIM is not None:
        _TRIM(0)
