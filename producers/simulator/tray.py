"""Counts the chips of a tray by denomination."""

from __future__ import annotations

from typing import Final

from schemas.event import Chips, Denomination

_DENOMINATIONS: Final = tuple(value * 100 for value in (10_000, 5_000, 1_000, 500, 100, 50))
_SMALL: Final = ((5_000, 100), (10_000, 200), (50_000, 200), (100_000, 200))
"""The number of chips of each smaller value that a dealer keeps at hand, as far as the tray allows."""


def counted(amount_minor: int, slip: str | None = None, player: str | None = None) -> Chips:
    """An amount in chips by denomination, small ones kept at hand first.

    Players change chips at any time, so the simulator tracks only the tray's sum, and derives the denominations at a count.

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
    chips = tuple(Denomination(value, counts[value]) for value in _DENOMINATIONS if counts[value])
    return Chips(amount_minor, slip, player, chips)
