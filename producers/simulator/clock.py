"""The time at a table: it advances with every action, in smaller steps where many rounds must fit into the gaming day."""

from __future__ import annotations

import datetime as dt
from random import Random
from typing import Final

from producers.recorder import GamingDays

SECOND: Final = 1_000_000
HOUR: Final = 3600 * SECOND
_WORKING: Final = 22 * HOUR
"""The longest time that a table is open; the rest of the gaming day is for opening, closing and counting."""


class Clock:
    """A table's clock; ``at`` is the time in UTC microseconds since 1970."""

    def __init__(self, day: dt.date, rounds: int, round_seconds: int, random: Random) -> None:
        self._roll = random.random
        begin = GamingDays().begin(day)
        self.shut = begin + HOUR // 2 + _WORKING
        self._round = round_seconds * SECOND
        spare = max(0, _WORKING - rounds * self._round * 5 // 4)
        self.at = begin + HOUR // 2 + int(random.random() * spare)
        self._pace = 1.0

    def keep_up(self, rounds_left: int) -> None:
        """Set the pace so that the remaining rounds fit into the day."""
        self._pace = min(1.0, max(1, self.shut - self.at) / (rounds_left * self._round))

    def tick(self, least: int, most: int) -> int:
        """Advance by ``least`` to ``most`` milliseconds, scaled by the pace; returns the time."""
        milliseconds = least + (most - least) * self._roll()
        self.at += 1 + int(milliseconds * 1000 * self._pace)
        return self.at
