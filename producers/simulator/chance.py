"""Seeded dice: every table-day has its own, so that it comes out the same whatever else is simulated, and where."""

from __future__ import annotations

import hashlib
from collections.abc import MutableSequence, Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


def dice(*names: object) -> Random:
    """Dice that depend on the names alone, in their order."""
    text = "/".join(str(name) for name in names)
    return Random(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))


def pick(random: Random, items: Sequence[Item]) -> Item:
    """One of the items; cheaper than ``Random.choice``, and called often."""
    return items[int(random.random() * len(items))]


def shuffle(random: Random, items: MutableSequence[Item]) -> None:
    """Shuffle in place, as ``Random.shuffle`` does at twice the price; most rounds begin with it."""
    bits_of = random.getrandbits
    for last in range(len(items) - 1, 0, -1):
        size = (last + 1).bit_length()
        while (other := bits_of(size)) > last:
            pass
        items[last], items[other] = items[other], items[last]
