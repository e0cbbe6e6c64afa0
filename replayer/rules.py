"""By what a round is judged: the version in force, the house's options, the readings of doubtful texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Generic, TypeAlias, TypeVar

from replayer.cards import NOT_KNOWN
from replayer.law.rulings import Readings

Law_co = TypeVar("Law_co", covariant=True)
"""A game's own record of a regulation, its articles."""
Options_co = TypeVar("Options_co", covariant=True)
"""A game's own record of what its house elected."""
MARKERS: Final = "markers"
TOTALS: Final = "totals"
TURNS: Final = "turns"
STANDS: Final = "stands"
"""Facts of which a log may tell or not: that markers were moved, totals called, cards turned, hands stood on."""


@dataclass(frozen=True, slots=True)
class Rules(Generic[Law_co, Options_co]):
    """What a round is judged by: the version in force, the house's options, the readings of doubtful texts.

    ``regulation`` and ``options`` are the game's own frozen records; ``unauthorised`` names the elected options that may not
    be in use for want of an authorisation; ``recorded`` the facts of which the log tells at all (:data:`TOTALS`, say): that one
    of these was left out shows on no other log.
    """

    regulation: Law_co
    options: Options_co
    readings: Readings
    unauthorised: frozenset[str] = frozenset()
    recorded: frozenset[str] = frozenset()


AnyRules: TypeAlias = Rules[Any, Any]
"""The rules of a round of any game, as the engine hands them on."""


def stays_hidden(rank: str, rules: AnyRules, *, seen: bool) -> bool:
    """Whether nobody ever saw a card of the bank: it lay face down and was not turned, on a log that tells of cards turned or has
    no name for it."""
    return not seen and (rank == NOT_KNOWN or TURNS in rules.recorded)


@dataclass(frozen=True, slots=True)
class OptionFault:
    """What is wrong with an elected option: the game does not know it, its value does not parse, or the text speaks against
    it and it ``holds`` all the same. ``code`` is that of the finding."""

    code: str
    name: str
    value: str
    reason: str
    article: str = ""
    holds: bool = False
