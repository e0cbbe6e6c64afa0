"""Formats amounts, counts and ratios for tables."""

from __future__ import annotations

from typing import Final

from schemas.money import DECIMALS

NOTHING: Final = "–"
"""Shown where there is no figure, as opposed to zero."""


def amount(minor: int | None, *, sign: bool = False) -> str:
    """Minor units as major ones with thousands separators and always the same decimals.

    >>> amount(123456789), amount(-5), amount(250000, sign=True), amount(None)
    ('1,234,567.89', '-0.05', '+2,500.00', '–')
    """
    if minor is None:
        return NOTHING
    mark = "-" if minor < 0 else "+" if sign and minor > 0 else ""
    major, rest = divmod(abs(minor), 10**DECIMALS)
    return f"{mark}{major:,}.{rest:0{DECIMALS}d}"


def count(number: int | None) -> str:
    """A count with thousands separators.

    >>> count(1234567)
    '1,234,567'
    """
    return NOTHING if number is None else f"{number:,}"


def percent(ratio: float | None) -> str:
    """A ratio in per cent with thousands separators; 0.0 has no sign.

    >>> percent(0.1834), percent(6123.835), percent(-0.0001), percent(None)
    ('18.3 %', '612,383.5 %', '0.0 %', '–')
    """
    return NOTHING if ratio is None else f"{100 * ratio:z,.1f} %"
