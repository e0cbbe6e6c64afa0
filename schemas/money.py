"""Amounts are integers of minor units (avos, cents); odds are exact fractions; no float ever touches either."""

from __future__ import annotations

import re
from decimal import Decimal, DecimalException
from fractions import Fraction
from typing import Final, NewType

Minor = NewType("Minor", int)
"""An amount in minor units of a currency; signed where it is a net."""

MOST_MINOR: Final = 10**15
"""No amount of an event is larger: a slip of the keyboard, and sums of such amounts would not fit a column."""
DECIMALS: Final = 2
"""MOP, HKD and USD have two; the currency itself is named by the table."""


_WRITTEN: Final = re.compile(r"[-+.0-9Ee]+|[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?")
"""What numbers of other scripts and ``1_000``, which Decimal takes, are not, nor ``12,50``: commas part thousands."""
_DIGITS: Final = 30
"""More than any amount has: a number such as 1e999999999 is short to write and fills the memory when it is read."""


class NotAnAmount(ValueError):
    """The text is no amount, is finer than a minor unit, or longer than any amount."""


def parse_amount(text: str) -> Minor:
    """``text`` in major units as minor units.

    >>> parse_amount("37.50")
    3750

    Raises:
        NotAnAmount: no number, finer than a minor unit, or of more than thirty digits.
    """
    plain = text.strip()
    try:
        major = Decimal(plain.replace(",", "") if _WRITTEN.fullmatch(plain) else "")
    except DecimalException:  # an exponent beyond what Decimal holds, too
        raise NotAnAmount(f"{text[:40]!r} is no amount; write it like 37.50") from None
    if abs(major.adjusted()) > _DIGITS:
        raise NotAnAmount(f"{text[:40]!r} is no amount: it has more than {_DIGITS} digits")
    minor = major.scaleb(DECIMALS)
    if minor != minor.to_integral_value():
        raise NotAnAmount(f"{text!r} is finer than {DECIMALS} decimals")
    return Minor(int(minor))


def format_amount(minor: int, *, sign: bool = False) -> str:
    """``minor`` in major units; decimals are left out when they are zero.

    >>> format_amount(3750), format_amount(-10000), format_amount(500, sign=True)
    ('37.50', '-100', '+5')
    """
    mark = "-" if minor < 0 else "+" if sign and minor > 0 else ""
    major, rest = divmod(abs(minor), 10**DECIMALS)
    return f"{mark}{major}.{rest:0{DECIMALS}d}" if rest else f"{mark}{major}"


def format_due(minor: int, exact: str | None) -> str:
    """What is due, signed; where it is no whole minor unit, the ``exact`` fraction to its last digit.

    >>> format_due(500, None), format_due(4999, "9999/2"), format_due(0, "-1/2")
    ('+5', '+49.995', '-0.005')
    """
    if exact is None:
        return format_amount(minor, sign=True)
    due = Fraction(exact) / 10**DECIMALS
    return f"{Decimal(due.numerator) / due.denominator:+f}"
