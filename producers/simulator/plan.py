"""The plan of a pit: its tables, with the options elected, the dealers and the kinds of players."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from producers.recorder import GamingDays
from replayer.law.calendar import version_at
from schemas.money import DECIMALS

BLACK_JACK: Final = "black_jack"
FORTUNE: Final = "fortune_3_card_poker"

MAJOR: Final = 10**DECIMALS
"""Minor units in a major one."""


@dataclass(frozen=True, slots=True)
class TablePlan:
    """One table of the pit.

    Attributes:
        options: the options that the house elected, by their names in the regulation.
        dealers: the string of dealers of the table; ``place``: the first of them. Tables of one string with different places
            never have the same dealer at the same time.
        minimum_minor: the smallest stake; every stake is a multiple of it.
        float_minor: the table's chips at its opening and closing.
        crowd: the frequency of each skill among the players.
        announce: whether totals are announced on the log.
    """

    table_id: str
    game: str
    seats: int = 7
    currency: str = "MOP"
    options: Mapping[str, str] = field(default_factory=dict)
    dealers: tuple[str, ...] = ("D1", "D2")
    place: int = 0
    minimum_minor: int = 100 * MAJOR
    float_minor: int = 600_000 * MAJOR
    crowd: Mapping[str, int] = field(default_factory=lambda: {"basic": 4, "timid": 3, "reckless": 2, "random": 1})
    announce: bool = False


_BLACK_JACK_HOUSES: Final[tuple[Mapping[str, str], ...]] = (
    {"decks": "6", "deal_procedure": "2", "side_any_pair": "on", "insurance_accepts": "1/2"},
    {"decks": "8", "deal_procedure": "3", "burn_initial": "one", "resplit_aces": "yes", "side_perfect_pair": "on"},
    {"decks": "6", "device": "auto", "deal_procedure": "2", "burn_initial": "one", "surrender": "off"},
    {"decks": "8", "deal_procedure": "1", "burn_later": "round_start_and_bank_second", "side_streak": "on"},
    {
        "decks": "6",
        "deal_procedure": "3",
        "p3_player_faces": "down",
        "double_modes": "first_two,split_first_two,eleven",
    },
    {"decks": "8", "deal_procedure": "2", "burn_later": "round_start", "split_max_hands": "5", "side_sevens": "on"},
    {"decks": "1", "device": "box", "deal_procedure": "1", "resplit": "no", "special_prizes": "off"},
    {"decks": "8", "device": "auto", "deal_procedure": "3", "max_seats_per_player": "2", "bj_double_relief": "yes"},
)
_FORTUNE_HOUSES: Final[tuple[Mapping[str, str], ...]] = (
    {"shuffle": "machine", "deal": "machine"},
    {"shuffle": "machine", "deal": "shoe", "ante_min": "100", "pair_plus_min": "100"},
    {"shuffle": "hand", "deal": "shoe", "ante_min": "100", "ante_max": "20000"},
)
_STRING: Final = 4
"""Dealers of a string, which works one table fewer, so that one of them is on break."""


def pit(tables: int, days: Iterable[dt.date] = ()) -> tuple[TablePlan, ...]:
    """A pit of ``tables`` tables: every third plays Fortune 3 Card Poker, the others Black Jack, with varying options.

    Where there is no text of Fortune 3 Card Poker at hand on one of the ``days``, all tables play Black Jack.

    >>> [plan.table_id for plan in pit(4)]
    ['BJ-01', 'BJ-02', 'F3-01', 'BJ-03']
    """
    plans = []
    fortune = all(playable(FORTUNE, day) for day in days)
    counts = {BLACK_JACK: 0, FORTUNE: 0}
    for number in range(tables):
        game = FORTUNE if fortune and number % 3 == 2 else BLACK_JACK
        houses = _FORTUNE_HOUSES if game == FORTUNE else _BLACK_JACK_HOUSES
        options = houses[counts[game] % len(houses)]
        counts[game] += 1
        string, place = divmod(number, _STRING - 1)
        minimum = (1, 3, 5)[number // 3 % 3]
        plans.append(
            TablePlan(
                table_id=f"{'F3' if game == FORTUNE else 'BJ'}-{counts[game]:02d}",
                game=game,
                options=options,
                dealers=tuple(f"D{101 + string * _STRING + dealer}" for dealer in range(_STRING)),
                place=place,
                minimum_minor=minimum * 100 * MAJOR,
                float_minor=minimum * 600_000 * MAJOR,
            )
        )
    return tuple(plans)


def playable(game: str, day: dt.date) -> bool:
    """Whether the text of a game's regulation is at hand for the whole gaming day."""
    begin, end = (GamingDays().begin(day + dt.timedelta(days=offset)) for offset in (0, 1))
    versions = (version_at(game, begin), version_at(game, end - 1))
    return all(version is not None and version.regulation is not None for version in versions)


def authorised(day: dt.date) -> tuple[dt.date, dt.date, dt.date]:
    """The dates of request, grant and effect of options in effect on ``day``: weeks ahead, as the law requires."""
    effective = (day.replace(day=1) - dt.timedelta(days=1)).replace(day=1)
    return effective - dt.timedelta(days=28), effective - dt.timedelta(days=14), effective
