"""The states of a round in its middle, as the engine asks them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol, Self

from replayer.outcomes import BankOutcome, FirstCardsOutcome, Judgement, RoundOutcome, SeatOutcome
from replayer.rules import AnyRules
from replayer.symbols import SeatSymbol


class Machine(Hashable, Protocol):
    """A state of a machine: a game's own frozen value."""

    def after(self, symbol: Any, rules: Any) -> Self | None:
        """After what happened (``replayer.symbols``); None as in ``replayer.game.SeatLaw.judged``."""


class SeatState(Hashable, Protocol):
    """A seat in the middle of its round: a game's own frozen value, which holds what may still be asked. A card that the
    log has always named changes nothing when it is turned.

    ``hand`` is the number of the seat's hand, 0 the first one.
    """

    def faces(self, upcard: str) -> Self:
        """With the class of the bank's open card (``SeatLaw.upcards``)."""

    def follows(self, symbol: SeatSymbol, rules: AnyRules) -> Self:
        """After what happened at the seat, whether or not a rule was kept."""

    def lawful(self) -> Self:
        """Without what only a play against the rules could still ask."""

    def open(self, hand: int, rules: AnyRules) -> frozenset[str]:
        """The decisions open to a hand, by the rules that ``SeatLaw.judge`` holds them against; none where it is over."""

    def became(self, rules: AnyRules) -> Judgement[SeatOutcome]:
        """What became of the seat if nothing more happens at it, as ``SeatLaw.judge`` says, without breaches and steps."""


class BankState(Machine, Protocol):
    """The bank in the middle of a round."""

    def judged(self, awaited: str, rules: AnyRules) -> Judgement[BankOutcome] | None:
        """What became of it in the end, as ``BankLaw.judge`` says of a history that begins with ``awaited``, without steps."""


class RoundState(Machine, Protocol):
    """A round in its middle, but for what the cards are."""

    def judged(self, rules: AnyRules) -> Judgement[RoundOutcome] | None:
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
