"""Seeded dice: every table-day has its own, so that it comes out the same whatever else is simulated, and where."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
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
