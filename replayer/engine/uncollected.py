"""Runs work that makes very many small objects without the collector of reference cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
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
