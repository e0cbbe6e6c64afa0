"""The states of a round in its middle, as the engine asks them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol, Self, TypeAlias, TypeVar

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
        """After what happened; None as in ``replayer.game.SeatLaw.judged``."""


AnyMachine: TypeAlias = Machine[Any, Any, Any]
AnySeatState: TypeAlias = "SeatState[object, ElectedOptions]"
AnyBankState: TypeAlias = "BankState[object, ElectedOptions]"
"""Those of any game."""


class SeatState(Hashable, Protocol[Law_contra, Options_contra]):
    """A seat in the middle of its round: a game's own frozen value, which holds what may still be asked. A card that the
    log has always named changes nothing when it is turned.

    ``hand`` is the number of the seat's hand, 0 the first one.
    """

    def faces(self, upcard: str) -> Self:
        """With the class of the bank's open card (``SeatLaw.upcards``)."""

    def follows(self, symbol: SeatSymbol, rules: Rules[Law_contra, Options_contra]) -> Self:
        """After what happened at the seat, whether or not a rule was kept."""

    def lawful(self) -> Self:
        """Without what only a play against the rules could still ask."""

    def open(self, hand: int, rules: Rules[Law_contra, Options_contra]) -> frozenset[str]:
        """The decisions open to a hand, by the rules that ``SeatLaw.judge`` holds them against; none where it is over."""

    def became(self, rules: Rules[Law_contra, Options_contra]) -> Judgement[SeatOutcome]:
        """What became of the seat if nothing more happens at it, as ``SeatLaw.judge`` says, without breaches and steps."""


class BankState(Machine[BankSymbol, Law_contra, Options_contra], Protocol[Law_contra, Options_contra]):
    """The bank in the middle of a round."""

    def judged(self, awaited: str, rules: Rules[Law_contra, Options_contra]) -> Judgement[BankOutcome] | None:
        """What became of it in the end, as ``BankLaw.judge`` says of a history that begins with ``awaited``, without steps."""


class RoundState(Machine[RoundSymbol, Law_contra, Options_contra], Protocol[Law_contra, Options_contra]):
    """A round in its middle, but for what the cards are."""

    def judged(self, rules: Rules[Law_contra, Options_contra]) -> Judgement[RoundOutcome] | None:
        """What became of it in the end, as ``RoundLaw.judge`` says, without steps."""


class FirstCardsState(Hashable, Protocol):
    """A seat's first cards in the middle of its round, where none is taken back, or named only when it is turned: a game's own
    frozen value. Each event at the seat gives the next one."""

    def after(self, symbol: SeatSymbol) -> Self:
        """After what happened at the seat, its cards named suit and all."""

    def became(self) -> FirstCardsOutcome:
        """What became of them if nothing more happens at the seat."""


class FirstCardsFold(Protocol):
    """A seat's first cards, whatever becomes of them: they are followed from event to event."""

    def follow(self, symbol: SeatSymbol) -> None:
        """What happened next at the seat, its cards named suit and all."""

    def became(self) -> FirstCardsOutcome:
        """What became of them if nothing more happens at the seat."""
