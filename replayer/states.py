"""The interface of the states of seats, bank and round in the middle of a round."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol, Self, TypeAlias, TypeVar

from replayer.outcomes import BankOutcome, FirstCardsOutcome, Judgement, RoundOutcome, SeatOutcome
from replayer.rules import ElectedOptions, Rules
from replayer.symbols import BankSymbol, RoundSymbol, SeatSymbol

Happened_contra = TypeVar("Happened_contra", contravariant=True)
"""What can happen to a machine (``replayer.symbols``)."""
Law_contra = TypeVar("Law_contra", contravariant=True)
Options_contra = TypeVar("Options_contra", bound=ElectedOptions, contravariant=True)
"""Of a game's rules (``replayer.rules``)."""


class Machine(Hashable, Protocol[Happened_contra, Law_contra, Options_contra]):
    """A state of a machine: a game's own frozen value."""

    def after(self, symbol: Happened_contra, rules: Rules[Law_contra, Options_contra]) -> Self | None:
        """The state after a symbol; None where a rule was broken or the states do not determine the outcome."""


SeatMachine: TypeAlias = Machine[SeatSymbol, object, ElectedOptions]
AnySeatState: TypeAlias = "SeatState[object, ElectedOptions]"
AnyBankState: TypeAlias = "BankState[object, ElectedOptions]"
AnyRoundState: TypeAlias = "RoundState[object, ElectedOptions]"
"""Those of any game."""


class SeatState(Hashable, Protocol[Law_contra, Options_contra]):
    """A seat in the middle of its round: a game's own frozen value, which holds what rules may still need. Turning a card that
    the log named when it was dealt changes nothing.

    ``hand`` is the number of the seat's hand, 0 the first one.
    """

    def faces(self, upcard: str) -> Self:
        """With the class of the bank's open card (``SeatLaw.upcards``)."""

    def follows(self, symbol: SeatSymbol, rules: Rules[Law_contra, Options_contra]) -> Self:
        """The state after a symbol, whether or not a rule was broken."""

    def lawful(self) -> Self:
        """The state without what matters only to further breaches."""

    def open(self, hand: int, rules: Rules[Law_contra, Options_contra]) -> frozenset[str]:
        """The decisions open to a hand, by the rules of ``SeatLaw.judge``; none where it is over."""

    def so_far(self, rules: Rules[Law_contra, Options_contra]) -> Judgement[SeatOutcome]:
        """The judgement if nothing more happens at the seat, equal to ``SeatLaw.judge`` without breaches and steps."""


class BankState(Machine[BankSymbol, Law_contra, Options_contra], Protocol[Law_contra, Options_contra]):
    """The bank in the middle of a round."""

    def judgement(self, awaited: str, rules: Rules[Law_contra, Options_contra]) -> Judgement[BankOutcome] | None:
        """The final judgement, equal to ``BankLaw.judge`` of a history that begins with ``awaited``, without steps."""


class RoundState(Machine[RoundSymbol, Law_contra, Options_contra], Protocol[Law_contra, Options_contra]):
    """The deal and the turns in the middle of a round, without the cards themselves."""

    def judgement(self, rules: Rules[Law_contra, Options_contra]) -> Judgement[RoundOutcome] | None:
        """The final judgement, equal to ``RoundLaw.judge`` without steps."""


class FirstCardsState(Hashable, Protocol):
    """A seat's first cards in the middle of its round, where none is removed, or named only when it is turned: a game's own
    frozen value."""

    def after(self, symbol: SeatSymbol) -> Self:
        """The state after a symbol whose card has its suit."""

    def outcome(self) -> FirstCardsOutcome:
        """The outcome if nothing more happens at the seat."""


class FirstCardsFold(Protocol):
    """A mutable fold over a seat's first cards, which also follows removed cards and cards named late."""

    def follow(self, symbol: SeatSymbol) -> None:
        """Take the next symbol, whose card has its suit."""

    def outcome(self) -> FirstCardsOutcome:
        """The outcome if nothing more happens at the seat."""
