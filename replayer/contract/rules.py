"""The rules that judge a round: the version in force, the house's options, the readings of doubtful texts."""

from __future__ import annotations

from dataclasses import Field, dataclass
from typing import ClassVar, Final, Generic, Protocol, TypeAlias, TypeVar

from replayer.contract.cards import NOT_KNOWN
from replayer.contract.readings import Readings
from schemas.finding import Code


class ElectedOptions(Protocol):
    """What a house elected: a game's own frozen record."""

    __dataclass_fields__: ClassVar[dict[str, Field[object]]]

    @property
    def not_recorded(self) -> frozenset[str]:
        """The facts that the source of the log does not record (``replayer.law.choice``)."""

    @property
    def decks(self) -> int:
        """The decks that cards are dealt from."""

    @property
    def refilled(self) -> bool:
        """Whether used cards go back among these after each round."""

    def limits(self, kind: str) -> tuple[int | None, int | None]:
        """The smallest and the largest stake posted for a kind of wager, in minor units; None where none is."""


Law_co = TypeVar("Law_co", covariant=True)
"""A game's own record of a regulation, its articles."""
Options_co = TypeVar("Options_co", bound=ElectedOptions, covariant=True)
MARKERS: Final = "markers"
TOTALS: Final = "totals"
TURNS: Final = "turns"
STANDS: Final = "stands"
"""Facts that a log may or may not record: markers moved, totals called, cards turned, hands stood on."""


@dataclass(frozen=True, slots=True)
class Rules(Generic[Law_co, Options_co]):
    """The rules that judge a round: the version in force, the house's options, the readings of doubtful texts.

    ``regulation`` and ``options`` are the game's own frozen records; ``unauthorised`` names the elected options that lack a
    required authorisation; ``recorded`` the facts that the log records at all (:data:`TOTALS`, say): only on such a log can one
    of them be missed. Machines ask both by ``in`` alone, by which the engine knows what tables of states depend on.
    """

    regulation: Law_co
    options: Options_co
    readings: Readings
    unauthorised: frozenset[str] = frozenset()
    recorded: frozenset[str] = frozenset()

    def records(self, *facts: str) -> bool:
        """Whether the source of the log records all of ``facts``."""
        missing = self.options.not_recorded
        return not missing or missing.isdisjoint(facts)  # most logs record everything


AnyRules: TypeAlias = Rules[object, ElectedOptions]
"""The rules of a round of any game."""


def stays_hidden(rank: str, rules: AnyRules, *, seen: bool) -> bool:
    """Whether nobody ever saw a card of the bank: it lay face down and was not turned, and the log records turned cards or does
    not name it."""
    return not seen and (rank == NOT_KNOWN or TURNS in rules.recorded)


@dataclass(frozen=True, slots=True)
class OptionFault:
    """What is wrong with an elected option: the game does not know it, its value does not parse, or the text forbids it and it
    ``holds`` all the same. ``code`` is that of the finding."""

    code: Code
    name: str
    value: str
    reason: str
    article: str = ""
    holds: bool = False
