"""The chips of a table: how much is in the tray, and how it is counted by denomination."""

from __future__ import annotations

from typing import Final

from schemas.event import Denomination

_DENOMINATIONS: Final = tuple(value * 100 for value in (10_000, 5_000, 1_000, 500, 100, 50))
_SMALL: Final = ((5_000, 100), (10_000, 200), (50_000, 200), (100_000, 200))
"""Chips of each smaller value that a dealer keeps at hand, as far as the tray holds so much."""


def denominations(amount_minor: int) -> tuple[Denomination, ...]:
    """How an amount is made up, small chips kept at hand first.

    Players change chips of equal value at any time, so only the sum of a tray is followed; a count says how it lies then.

    Raises:
        ValueError: the amount is below zero or no multiple of the smallest chip.
    """
    if amount_minor < 0 or amount_minor % _DENOMINATIONS[-1]:
        raise ValueError(f"{amount_minor} cannot be laid out in chips")
    counts: dict[int, int] = {}
    left = amount_minor
    for value, kept in _SMALL:
        counts[value] = min(kept, left // (2 * value))
        left -= counts[value] * value
    for value in _DENOMINATIONS:
        number, left = divmod(left, value)
        counts[value] = counts.get(value, 0) + number
    return tuple(Denomination(value, counts[value]) for value in _DENOMINATIONS if counts[value])
