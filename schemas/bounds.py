"""What the fields of an event may hold: the smallest and the largest number, the longest text. This is the one place for it.

The encoder holds what is written to it, the archiver what other programs sent, and the replayer what it reads. The
replayer packs several of these numbers into one, and it relies on nothing else for their sizes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Final

from schemas.money import MOST_MINOR

MOST_NUMBERED: Final = 10**12
"""The last number that an event or a round of a table may have."""
LAST_SEAT: Final = 255
LAST_HAND: Final = 25
"""The hands of a seat have the letters ``a`` to ``z``."""
MOST_DECKS: Final = 15

FIRST_DAY: Final = dt.date.min + dt.timedelta(days=1)
LAST_DAY: Final = dt.date.max - dt.timedelta(days=1)
"""A day is left at either end of the calendar, so that no local time of a gaming day falls off it."""
_MICROS_A_DAY: Final = 86_400_000_000
_HALF_A_DAY: Final = _MICROS_A_DAY // 2
"""East of Greenwich a gaming day begins before its date does in UTC."""


def _begin(day: dt.date) -> int:
    return (day - dt.date(1970, 1, 1)).days * _MICROS_A_DAY


_SEAT: Final = (1, LAST_SEAT)
_HAND: Final = (0, LAST_HAND)
_AMOUNT: Final = (0, MOST_MINOR)

NUMBERS: Final[Mapping[str, tuple[int, int]]] = {
    "seq": (1, MOST_NUMBERED),
    "at": (_begin(FIRST_DAY) - _HALF_A_DAY, _begin(LAST_DAY) + _MICROS_A_DAY),
    "round": (0, MOST_NUMBERED),
    "table.seats": _SEAT,
    "shoe.shoe": (0, 1_000_000),
    "shoe.decks": (1, MOST_DECKS),
    "shoe.behind": (0, 9_999),
    "card.seat": _SEAT,
    "card.hand": _HAND,
    "wager.seat": _SEAT,
    "wager.hand": _HAND,
    "wager.position": (0, 255),
    "wager.stake_minor": _AMOUNT,
    "wager.net_minor": (-MOST_MINOR, MOST_MINOR),
    "decision.seat": _SEAT,
    "decision.hand": _HAND,
    "decision.points": (0, 999),
    "chips.amount_minor": _AMOUNT,
    "chips.denominations.value_minor": _AMOUNT,
    "chips.denominations.count": (0, MOST_MINOR),
    "remark.refers_to": (1, MOST_NUMBERED),
}
"""By field the smallest and the largest number that it may hold, both included."""

_NAME: Final = 256
_TEXT: Final = 4_096

TEXTS: Final[Mapping[str, int]] = {
    "table_id": 64,
    "table.game": _NAME,
    "table.currency": _NAME,
    "table.staff": _NAME,
    "option.name": _NAME,
    "option.value": _TEXT,
    "option.authorisation": _NAME,
    "shoe.method": _NAME,
    "shoe.cut_by": _NAME,
    "wager.kind": _NAME,
    "wager.player": _NAME,
    "decision.action": _NAME,
    "decision.player": _NAME,
    "chips.slip": _NAME,
    "chips.player": _NAME,
    "remark.cause": _TEXT,
}
"""By field the most characters that its text may have."""

DAYS: Final = ("gaming_day", "option.requested_on", "option.authorised_on", "option.effective_on")
"""Fields that hold a day from ``FIRST_DAY`` to ``LAST_DAY``."""
LISTS: Final[Mapping[str, int]] = {"chips.denominations": 1_000}
"""By field the most entries that its list may have: a count of chips the values into which it is broken down."""
