"""Which regulation governs a game on a day: dated data, and the one place where a game is registered.

Dates come from the Boletim Oficial of Macau; a text that says so takes effect the day after it is published, one that
says nothing on the sixth day (Macau Civil Code art. 4(2)). Where a date is inferred, ``certainty`` says so, and an
operator who knows better overrides it.
"""

from __future__ import annotations

import copyreg
import datetime as dt
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final, TypeVar, cast

from replayer.contract.game import Game, GameOf
from replayer.law import black_jack, fortune_3_card_poker
from replayer.law.black_jack.despacho_42_2007 import DSEF_42_2007
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000, DCE_141_2000_AS_MADE
from replayer.law.black_jack.house_rules import HOUSE_RULES
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from replayer.law.fortune_3_card_poker.despacho_97_2008 import DSEF_97_2008
from replayer.law.regulation import Regulation, Version

Text = TypeVar("Text", bound=Regulation)

_BLACK_JACK: Final = black_jack.GAME.name
_FORTUNE: Final = fortune_3_card_poker.GAME.name

_MACAU: Final = 8 * 3600
"""Macau is eight hours ahead of UTC all year."""
_DAY: Final = 86_400
_MICRO: Final = 1_000_000
_EPOCH: Final = dt.date(1970, 1, 1)
_FIRST: Final = (dt.date.min - _EPOCH).days
_LAST: Final = (dt.date.max - _EPOCH).days

VERSIONS: Final = (
    Version(
        "bj.141-2000", _BLACK_JACK, ("141/2000",),
        signed="2000-07-24", published="2000-07-31", in_force="2000-08-06",
        certainty="probable, high: issue by a sister order, sixth day; 69/2000 replaced art. 2(3) in January 2001",
        regulation=DCE_141_2000,
    ),
    Version(
        "bj.56-2004", _BLACK_JACK, ("56/2004",),
        signed="2004-05-12", published="2004-05-17", in_force="2004-05-18",
        certainty="probable, high: issue by a sister order signed the same day",
        regulation=DSEF_56_2004,
    ),
    Version(
        "bj.56-2004+42-2007", _BLACK_JACK, ("56/2004", "42/2007"),
        published="2007-03-05", in_force="2007-03-06",
        certainty="publication confirmed; in force probable, high: its clause was not seen",
        regulation=DSEF_42_2007,
    ),
    Version(
        "bj.57-2009", _BLACK_JACK, ("57/2009",),
        signed="2009-03-30", published="2009-04-06", in_force="2009-04-07",
        certainty="probable, low: the first ordinary issue after signature; 14 April or later is possible",
        rulings=("BJ-72",), regulation=DSEF_57_2009,
    ),
    Version(
        "bj.house", _BLACK_JACK, ("house rules",),
        certainty="no law of Macau: chosen by name, for rounds of other houses",
        regulation=HOUSE_RULES,
    ),
    Version(
        "f3.78-2008", _FORTUNE, ("78/2008",),
        signed="2008-06-20", published="2008-08-11", in_force="2008-08-12",
        certainty="confirmed",
        regulation=DSEF_78_2008,
    ),
    Version(
        "f3.78-2008+97-2008", _FORTUNE, ("78/2008", "97/2008"),
        published="2008-12-15", in_force="2008-12-16",
        certainty="publication confirmed; in force probable, high; art. 9 from item 7 on was not seen",
        regulation=DSEF_97_2008,
    ),
    Version(
        "f3.89-2025", _FORTUNE, ("89/2025",),
        signed="2025-10-30", published="2025-11-03", in_force="2025-11-04",
        certainty="signature and clause confirmed; publication probable: 3 November, or 10 November and a week later",
        rulings=("F3-17",),
        not_settled="only the first two articles of 89/2025 are at hand, and its order of the hands is in doubt (F3-17)",
    ),
    Version(
        "f3.89-2025+94-2025", _FORTUNE, ("89/2025", "94/2025"),
        published="2025-11-17", in_force="2025-11-18",
        certainty="publication confirmed; in force probable",
        not_settled="only the first two articles of 89/2025 are at hand",
    ),
)  # fmt: skip
"""Every known version, by game and then by date. ``in_force`` is empty for one that is never in force by date."""

NONE_AT_HAND: Final = "no version that is at hand was in force"
"""Why rounds before the first version are not settled: Black Jack had 57/83/M before 141/2000."""


class UnknownVersion(ValueError):
    """No version of that id; the message lists what there is."""


def games() -> Mapping[str, Game]:
    """Every game by name. A game is added by its package, one entry here, and its :data:`VERSIONS`."""
    # No type says "of some law and options of its own": the engine takes each game for one of any (replayer.contract.game.Game).
    return {game.name: cast("Game", game) for game in (black_jack.GAME, fortune_3_card_poker.GAME)}


def game_named(name: str) -> Game:
    """The game of a name."""
    return games()[name]


copyreg.pickle(GameOf, lambda game: (game_named, (game.name,)))  # a game is stored by its name


def version_named(version_id: str) -> Version:
    """The version of an id.

    Raises:
        UnknownVersion: there is none.
    """
    for version in VERSIONS:
        if version.id == version_id:
            return version
    raise UnknownVersion(f"{version_id!r} is no version; there are {', '.join(version.id for version in VERSIONS)}")


def text_of(version_id: str, kind: type[Text]) -> Text:
    """The text of a version, which must be of ``kind``.

    Raises:
        UnknownVersion: there is no such version, or its text is of another kind.
    """
    text = version_named(version_id).regulation
    if not isinstance(text, kind):
        raise UnknownVersion(f"{version_id} has no {kind.__name__}")
    return text


def local_day(moment: int) -> dt.date:
    """The day in Macau of a moment in UTC microseconds since 1970; beyond the calendar its first or last day.

    >>> local_day(0), local_day(16 * 3600 * 1_000_000), local_day(2**62)
    (datetime.date(1970, 1, 1), datetime.date(1970, 1, 2), datetime.date(9999, 12, 31))
    """
    days = (moment // _MICRO + _MACAU) // _DAY
    return _EPOCH + dt.timedelta(days=min(max(days, _FIRST), _LAST))


def midnight(day: dt.date) -> int:
    """The moment in UTC microseconds since 1970 at which a day begins in Macau.

    >>> local_day(midnight(dt.date(2009, 6, 1))), local_day(midnight(dt.date(2009, 6, 1)) - 1)
    (datetime.date(2009, 6, 1), datetime.date(2009, 5, 31))
    """
    return ((day - _EPOCH).days * _DAY - _MACAU) * _MICRO


def version_at(game: str, moment: int, overrides: Mapping[str, dt.date] | None = None) -> Version | None:
    """The version of ``game`` in force at ``moment`` (UTC microseconds), by the day in Macau; None before the first.

    ``overrides`` replaces first days, by version id.

    Raises:
        UnknownVersion: an override names an unknown version.
    """
    begins, versions = _succession(game, tuple(sorted(overrides.items())) if overrides else ())
    place = bisect_right(begins, moment)
    if not place:
        return None
    version = versions[place - 1]
    earlier, since = EARLIER_TEXTS.get(version.id, (version, moment))
    return earlier if moment < since else version


@cache
def _succession(game: str, overrides: tuple[tuple[str, dt.date], ...]) -> tuple[tuple[int, ...], tuple[Version, ...]]:
    """First moments and versions of a game, by date; of two that begin on one day the later text holds."""
    chosen = {version_named(version_id).id: day for version_id, day in overrides}
    dated = {
        chosen.get(version.id) or dt.date.fromisoformat(version.in_force): version
        for version in VERSIONS
        if version.game == game and version.in_force
    }
    days = sorted(dated)
    return tuple(map(midnight, days)), tuple(dated[day] for day in days)


EARLIER_TEXTS: Final[Mapping[str, tuple[Version, int]]] = {
    "bj.141-2000": (
        replace(version_named("bj.141-2000"), regulation=DCE_141_2000_AS_MADE), midnight(dt.date(2001, 1, 5))
    ),
}  # fmt: skip
"""A version with the earlier text of one of which a single article was replaced, and the moment since which its present text
holds. That day is probable, medium: sixth day after BO 52/2000."""
