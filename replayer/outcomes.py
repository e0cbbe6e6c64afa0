"""What became of a seat, of the bank and of a round, and what was breached."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

HAND_AWAITED: Final = "hand"
"""A seat waits for the bank's hand."""
NATURAL_AWAITED: Final = "natural"
"""None does, but money hangs on whether the bank has Black Jack."""
NOT_AWAITED: Final = "nothing"
"""Nothing hangs on the bank's cards."""
LAST: Final = -1
"""The position of a history's last event, counted from its end."""
Outcome_co = TypeVar("Outcome_co", covariant=True)
"""What became of a seat, of the bank or of a round; None of what has no outcome."""


@dataclass(frozen=True, slots=True)
class Step:
    """One rule applied, for the explanation: the article and what it says of this situation."""

    article: str
    text: str


@dataclass(frozen=True, slots=True)
class Breach:
    """Something in a situation that the rules forbid. ``position`` is the number of the symbol of the history at which it points,
    from one; 0 is its beginning. One below zero is counted from the history's end, :data:`LAST` is its last symbol."""

    code: str
    article: str
    message: str
    position: int = 0


class IfDealtRight(NamedTuple):
    """A breach of a round that is none where a hand got a card that it was not to get, or none that it was to get before the
    round last went on at the position ``went_on``: one asked for then may have been on its way."""

    breach: Breach
    went_on: int


@dataclass(frozen=True, slots=True)
class Judgement(Generic[Outcome_co]):
    """The answer to a history. ``outcome`` is what became of it, all that settling needs to know; None where that is not known.

    ``if_play_went_on`` holds what is a breach only if its event, counted from the end of the history, came when play had gone on
    to another place; ``if_bank_played`` what is one only if the bank had no Black Jack; ``if_dealt_right`` what is one of a round
    only if its hands were dealt to right. ``awaits_bank`` is whether the seat still waits for the bank's hand,
    ``awaits_natural`` whether it waits for no more than the bank's first two cards. ``unjudged`` says why no outcome can be
    given, or none of some of a seat's hands (an unknown card, say). ``not_checked`` names checks that the log could not show.
    """

    outcome: Outcome_co | None = None
    breaches: tuple[Breach, ...] = ()
    steps: tuple[Step, ...] = ()
    awaits_bank: bool = True
    unjudged: str = ""
    not_checked: tuple[str, ...] = ()
    if_play_went_on: tuple[Breach, ...] = ()
    awaits_natural: bool = False
    if_bank_played: tuple[Breach, ...] = ()
    if_dealt_right: IfDealtRight | None = None

    def breaches_beside(self, bank: BankOutcome | None) -> tuple[Breach, ...]:
        """Its breaches, where that became of the bank's hand."""
        played = bank is not None and bank.fate not in (None, "natural")
        return (*self.breaches, *self.if_bank_played) if played else self.breaches


def waited_for(seats: Iterable[Judgement[object]]) -> str:
    """The first word of a bank history, from what became of the round's seats."""
    judged = list(seats)
    if any(seat.awaits_bank for seat in judged):
        return HAND_AWAITED
    return NATURAL_AWAITED if any(seat.awaits_natural for seat in judged) else NOT_AWAITED


class SeatOutcome(Hashable, Protocol):
    """What became of a seat: a game's own frozen value, equal ones are settled the same."""

    @property
    def fates(self) -> Sequence[str]:
        """What became of each of its hands, in a word."""


class BankOutcome(Hashable, Protocol):
    """What became of the bank's hand: a game's own frozen value. Its text is what the lake and the odds show of it."""

    @property
    def fate(self) -> str | None:
        """What became of the hand, in a word; None where that is not known."""


@dataclass(frozen=True, slots=True)
class RoundOutcome:
    """What became of a deal. ``invalid_by`` is the article that makes the whole round invalid, empty where it stands."""

    invalid_by: str = ""


class FirstCardsOutcome(Hashable, Protocol):
    """What became of a seat's first cards and of those of the hands split from it: a game's own frozen value."""

    def parted(self, hand: int) -> int:
        """How often a hand was split."""

    def begun(self, hand: int) -> bool:
        """Whether a hand, since it was last split, had its first cards."""


Seat = TypeVar("Seat", bound=SeatOutcome)
"""What a game makes of a seat."""
Bank = TypeVar("Bank", bound=BankOutcome)
"""What a game makes of the bank's hand."""
First = TypeVar("First", bound=FirstCardsOutcome)
"""What a game makes of a seat's first cards."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What a hand's cards come to: points and whether an ace counts eleven in them, or the name of a combination. None where a
    card is not known, or where the game has no such thing."""

    total: int | None = None
    soft: bool | None = None
    combination: str | None = None
