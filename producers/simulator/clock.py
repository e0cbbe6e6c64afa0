"""The time at a table: it moves with every action, faster where many rounds must fit into the gaming day."""

from __future__ import annotations

import datetime as dt
from random import Random
from typing import Final

from producers.recorder import GamingDays

SECOND: Final = 1_000_000
HOUR: Final = 3600 * SECOND
_WORKING: Final = 22 * HOUR
"""The longest that a table is open; the rest of the gaming day is for opening, closing and counting."""


class Clock:
    """``at`` is now, in UTC microseconds since 1970."""

    def __init__(self, day: dt.date, rounds: int, round_seconds: int, random: Random) -> None:
        self._roll = random.random
        begin = GamingDays().begin(day)
        self.shut = begin + HOUR // 2 + _WORKING
        self._round = round_seconds * SECOND
        spare = max(0, _WORKING - rounds * self._round * 5 // 4)
        self.at = begin + HOUR // 2 + int(random.random() * spare)
        self._pace = 1.0

    def keep_up(self, rounds_left: int) -> None:
        """Deal no slower than the rounds that are left allow."""
        self._pace = min(1.0, max(1, self.shut - self.at) / (rounds_left * self._round))

    def tick(self, least: int, most: int) -> int:
        """Let between ``least`` and ``most`` milliseconds pass, at the table's pace, and give the time then."""
        milliseconds = least + (most - least) * self._roll()
        self.at += 1 + int(milliseconds * 1000 * self._pace)
        return self.at
