"""Judgements: the outcomes of a seat, of the bank and of a round, and the breaches."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from schemas.finding import Code

LAST: Final = -1
"""The position of a history's last event, counted from its end."""
Outcome_co = TypeVar("Outcome_co", covariant=True)
Outcome = TypeVar("Outcome")
"""The outcome of a seat, of the bank or of a round."""


class Awaited(IntEnum):
    """What a wager, a seat or a round waits for of the bank: its hand, only whether it has Black Jack, or nothing."""

    NOTHING = 0
    NATURAL = 1
    HAND = 2


@dataclass(frozen=True, slots=True)
class Step:
    """One rule applied, for the explanation: the article and how it applies to this situation, or to a further ``hand``."""

    article: str
    text: str
    hand: int = 0


@dataclass(frozen=True, slots=True)
class Breach:
    """Something in a situation that the rules forbid. ``position`` is the number, from one, of the symbol in the history that it
    points at; 0 is the beginning. A negative one counts from the end, :data:`LAST` is the last symbol. ``at_end`` marks what a
    history lacks when it ends, which is no breach as long as it may go on."""

    code: Code
    article: str
    message: str
    position: int = 0
    at_end: bool = False


class IfDealtRight(NamedTuple):
    """A breach of a round that stands only if before it no hand got a card wrongly, or wrongly got none before the position
    ``went_on`` at which the round last went on: a card asked for after that may have been on its way.

    ``misdealt`` and ``not_given`` are the codes of findings at a hand that got a card wrongly, or wrongly got none."""

    breach: Breach
    went_on: int
    misdealt: frozenset[Code]
    not_given: frozenset[Code]

    def stands(self, found: Iterable[tuple[str, int]], seq_of: Callable[[int], int]) -> bool:
        """Whether it stands, by code and ``seq`` of each breach ``found`` at hands; ``seq_of`` gives the one of a position."""
        went_on, breached = seq_of(self.went_on), seq_of(self.breach.position)
        return not any(
            (code in self.misdealt and seq < breached) or (code in self.not_given and seq < went_on)
            for code, seq in found
        )


class IfUnexplained(NamedTuple):
    """A breach of a round that stands only if at one of some positions nothing is found of the codes ``by``: plays of a hand that
    was not over, say."""

    breach: Breach
    positions: tuple[int, ...]
    by: frozenset[Code]

    def stands(self, found: Iterable[tuple[str, int]], seq_of: Callable[[int], int]) -> bool:
        """Whether it stands; as :meth:`IfDealtRight.stands`."""
        explained = {seq for code, seq in found if code in self.by}
        return any(seq_of(position) not in explained for position in self.positions)


@dataclass(frozen=True, slots=True)
class Judgement(Generic[Outcome_co]):
    """The judgement of a history. ``outcome`` is all that settlement needs; None where it is unknown.

    Attributes:
        awaited: what of the bank a seat still waits for.
        unjudged: why there is no outcome, or none for some of a seat's hands (an unknown card, say).
        not_checked: the checks that the log does not allow.
        if_play_went_on: breaches only if their event, counted from the end, came when play had moved on to another place.
        if_bank_played: breaches of a seat only if the bank is known to have ``played``.
        played: whether a bank is known to have played: what it had at first did not end the round before the players were heard.
        unplaced: whether there are such breaches of which states alone do not tell the event: where the bank played, the history
            is to be judged from its events.
        conditional: breaches of a round only if nothing found at its hands explains them.
    """

    outcome: Outcome_co | None = None
    breaches: tuple[Breach, ...] = ()
    steps: tuple[Step, ...] = ()
    awaited: Awaited = Awaited.NOTHING
    unjudged: str = ""
    not_checked: tuple[str, ...] = ()
    if_play_went_on: tuple[Breach, ...] = ()
    if_bank_played: tuple[Breach, ...] = ()
    played: bool = False
    conditional: tuple[IfDealtRight | IfUnexplained, ...] = ()
    unplaced: bool = False

    @property
    def may_be_breached(self) -> bool:
        """Whether there are breaches, or any that the bank or the round may make one."""
        return bool(self.breaches or self.if_bank_played or self.conditional)

    def breaches_beside(self, bank: Judgement[BankOutcome]) -> tuple[Breach, ...]:
        """The breaches, given the judgement of the bank."""
        return (*self.breaches, *self.if_bank_played) if bank.played else self.breaches


def waited_for(seats: Iterable[Judgement[object]]) -> Awaited:
    """The beginning of a bank history, from the judgements of the round's seats."""
    return max((seat.awaited for seat in seats), default=Awaited.NOTHING)


class SeatOutcome(Hashable, Protocol):
    """The outcome of a seat: a game's own frozen value; equal outcomes are settled the same way."""

    @property
    def fates(self) -> Sequence[str | None]:
        """The fate of each of its hands, in one word; None where unknown."""


class BankOutcome(Hashable, Protocol):
    """The outcome of the bank's hand: a game's own frozen value. The lake and the odds show its text."""

    @property
    def fate(self) -> str | None:
        """The fate of the hand, in one word; None where unknown."""


@dataclass(frozen=True, slots=True)
class RoundOutcome:
    """The outcome of a deal. ``invalid_by`` is the article that makes the whole round invalid, empty where it is valid."""

    invalid_by: str = ""


class FirstCardsOutcome(Hashable, Protocol):
    """The outcome of a seat's first cards and of those of the hands split from it: a game's own frozen value."""

    def splits(self, hand: int) -> int:
        """How often a hand was split."""

    def begun(self, hand: int) -> bool:
        """Whether a hand, since it was last split, had its first cards."""


Seat = TypeVar("Seat", bound=SeatOutcome)
"""A game's outcome of a seat."""
Bank = TypeVar("Bank", bound=BankOutcome)
"""A game's outcome of the bank's hand."""
First = TypeVar("First", bound=FirstCardsOutcome)
"""A game's outcome of a seat's first cards."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The total of a hand's cards: points and whether an ace counts eleven in them, or the name of a combination. None where a
    card is unknown, or where the game does not count so."""

    total: int | None = None
    soft: bool | None = None
    combination: str | None = None
