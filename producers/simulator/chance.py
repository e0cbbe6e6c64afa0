"""Seeded random numbers: each table-day has its own, so that it does not depend on what else is simulated, or where."""

from __future__ import annotations

import hashlib
from collections.abc import MutableSequence, Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


def seeded_random(*names: object) -> Random:
    """A random generator that depends only on the names and their order."""
    text = "/".join(str(name) for name in names)
    return Random(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))


def pick(random: Random, items: Sequence[Item]) -> Item:
    """A random item; faster than ``Random.choice``, as it is called often."""
    return items[int(random.random() * len(items))]


def shuffle(random: Random, items: MutableSequence[Item]) -> None:
    """Shuffle in place with the result of ``Random.shuffle``, in half its time, as most rounds begin with it."""
    bits_of = random.getrandbits
    for last in range(len(items) - 1, 0, -1):
        size = (last + 1).bit_length()
        while (other := bits_of(size)) > last:
            pass
        items[last], items[other] = items[other], items[last]
