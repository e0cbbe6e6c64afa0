"""The contract of a machine: what can happen to one thing (a seat, the bank) in a round, step by step; and of its fold.

A machine is a frozen, hashable state: a game's own value. It is canonical: it holds what a rule can still need, and as little
else as keeps the rules simple (a hand that is over keeps its cards). It holds no positions: a violation names a mark, and the
fold over the events knows which event set it. Every machine has some of these, and all of one name do the same:

=============  ======================================================================================================
``step``       the state after a symbol, whether or not a rule was broken, and the violations; what a card taken away, or
               named late, makes of it is told by the fold, which knows where each card lies
``after``      the state after a symbol of a regular history; None where the history must be judged from its events
``finish``     what is missing at the end, after what the end makes of the state where it makes something of it
``so_far``     the judgement if nothing more happens, without breaches
``judgement``  the same of a regular history at its end; None where a rule was broken
``open``       what may happen next
=============  ======================================================================================================

Its parts have a verb for each thing that can happen to them (``dealt``, ``turned``, ``announced``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, Protocol, Self, TypeAlias, TypeVar

from replayer.contract.outcomes import (
    Awaited,
    BankOutcome,
    Breach,
    FirstCardsOutcome,
    Judgement,
    Outcome_co,
    RoundOutcome,
    SeatOutcome,
)
from replayer.contract.rules import ElectedOptions, Rules
from replayer.contract.symbols import BankSymbol, RoundSymbol, SeatSymbol
from replayer.contract.wagers import CarriedRound, Due
from schemas.finding import Code

Happened_contra = TypeVar("Happened_contra", contravariant=True)
"""What can happen to a machine (``replayer.contract.symbols``)."""
HERE: Final = ""
"""The mark of the event under way."""
SEVERAL: Final = 2
"""Where a state stops counting what no rule counts beyond two."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A breach of a rule.

    Attributes:
        code, article: of the finding.
        message: what happened; ``{cards}`` stands for the cards in question or their number, ``{action}`` for the name of a
            decision unknown to the game: no state holds these.
        mark: the event that it points at, :data:`HERE` or one that the machine names.
    """

    code: Code
    article: str
    message: str
    mark: str = HERE

    def at(self, position: int, named: Mapping[str, object] | None = None, *, at_end: bool = False) -> Breach:
        """The breach at a position in a history; ``named`` has what the names in the message stand for."""
        message = self.message if named is None else self.message.format_map(named)
        return Breach(self.code, self.article, message, position, at_end)


Violations: TypeAlias = tuple[Violation, ...]


@dataclass(slots=True)
class Fold(ABC, Generic[Happened_contra]):
    """A fold of a history: what it knows and its machines do not, such as the position of the event under way (``here``) and that
    of each mark that was set."""

    here: int = field(default=0, init=False)
    marks: dict[str, int] = field(default_factory=dict, init=False)
    breaches: list[Breach] = field(default_factory=list, init=False)

    @abstractmethod
    def follow(self, symbol: Happened_contra) -> None:
        """Take the symbol under way."""

    def follow_all(self, symbols: Iterable[Happened_contra]) -> None:
        """Take the next symbols of the history."""
        for symbol in symbols:
            self.here += 1
            self.follow(symbol)

    def first(self, mark: str) -> None:
        """Set a mark at the event under way, unless it is set already."""
        self.marks.setdefault(mark, self.here)

    def where(self, mark: str) -> Sequence[int]:
        """The positions that a violation with a mark points at; one, as a rule."""
        return (self.here if mark == HERE else self.marks[mark],)

    def named(self, mark: str) -> Mapping[str, object] | None:
        """What the names in the message of a violation with a mark stand for; None where messages have none."""
        return None

    def note(self, violations: Iterable[Violation], *, at_end: bool = False) -> None:
        """Note violations as breaches at the positions of their marks; ``at_end`` is for what the history lacks when it ends."""
        for found in violations:  # mostly none
            named = self.named(found.mark) if "{" in found.message else None
            for position in self.where(found.mark):
                self.breaches.append(found.at(position, named, at_end=at_end))


# The states in the middle of a round, as the engine asks them

Law_contra = TypeVar("Law_contra", contravariant=True)
Options_contra = TypeVar("Options_contra", bound=ElectedOptions, contravariant=True)
"""Of a game's rules (``replayer.contract.rules``)."""


class Machine(Hashable, Protocol[Happened_contra, Law_contra, Options_contra]):
    """A state of a machine."""

    def after(self, symbol: Happened_contra, rules: Rules[Law_contra, Options_contra]) -> Self | None:
        """The state after a symbol; None where a rule was broken or the states do not determine the outcome."""


AnyMachine: TypeAlias = Machine[Happened_contra, object, ElectedOptions]
AnySeatState: TypeAlias = "SeatState[object, ElectedOptions]"
AnyBankState: TypeAlias = "BankState[object, ElectedOptions, BankOutcome]"
AnyRoundState: TypeAlias = "RoundState[object, ElectedOptions]"
AnyCarriedState: TypeAlias = "CarriedState[object, ElectedOptions]"
"""Those of any game."""


class SeatState(Hashable, Protocol[Law_contra, Options_contra]):
    """A seat in the middle of its round. Turning a card that the log named when it was dealt changes nothing."""

    def faces(self, upcard: str) -> Self:
        """With the class of the bank's open card (``SeatLaw.upcards``)."""

    def step(self, symbol: SeatSymbol, rules: Rules[Law_contra, Options_contra]) -> tuple[Self, Violations]:
        """The state after a symbol, and the violations."""

    def lawful(self) -> Self:
        """The state without what matters only to further breaches."""

    def open(self, hand: int, rules: Rules[Law_contra, Options_contra]) -> frozenset[str]:
        """The decisions open to a hand (0 is the first one) by the rules of ``SeatLaw.judge``; none where it is over."""

    def so_far(self, rules: Rules[Law_contra, Options_contra]) -> Judgement[SeatOutcome]:
        """The judgement if nothing more happens at the seat, equal to ``SeatLaw.judge`` without breaches and steps."""


class BankState(Machine[BankSymbol, Law_contra, Options_contra], Protocol[Law_contra, Options_contra, Outcome_co]):
    """The bank in the middle of a round."""

    def step(self, symbol: BankSymbol, rules: Rules[Law_contra, Options_contra]) -> tuple[Self, Violations]:
        """The state after a symbol, and the violations."""

    def so_far(self, awaited: Awaited, rules: Rules[Law_contra, Options_contra]) -> Judgement[Outcome_co]:
        """The judgement if nothing more happens to the bank, equal to ``BankLaw.judge`` without breaches and steps."""

    def judgement(self, awaited: Awaited, rules: Rules[Law_contra, Options_contra]) -> Judgement[Outcome_co] | None:
        """The final judgement; None where a rule was broken."""


class RoundState(Machine[RoundSymbol, Law_contra, Options_contra], Protocol[Law_contra, Options_contra]):
    """A round in its middle."""

    def judgement(self, rules: Rules[Law_contra, Options_contra]) -> Judgement[RoundOutcome] | None:
        """The final judgement; None where a rule was broken."""


class CarriedState(Hashable, Protocol[Law_contra, Options_contra]):
    """A wager carried from round to round."""

    @property
    def over(self) -> bool:
        """Whether it ended."""

    @property
    def marker(self) -> int:
        """The position that its marker must show while it runs."""

    def step(self, round_: CarriedRound, rules: Rules[Law_contra, Options_contra]) -> tuple[Self, Violations]:
        """The state after one more round, and the violations."""

    def due(self, number: int, violations: Violations, rules: Rules[Law_contra, Options_contra]) -> Due:
        """What it is due if it ended in its round ``number`` with ``violations``."""


class FirstCardsState(Hashable, Protocol):
    """A seat's first cards in the middle of its round, where none is removed, or named only when it is turned."""

    def after(self, symbol: SeatSymbol) -> Self:
        """The state after a symbol whose card has its suit."""

    def outcome(self) -> FirstCardsOutcome:
        """The outcome if nothing more happens at the seat."""


class FirstCardsFold(Protocol):
    """A mutable fold over a seat's first cards, which also follows removed cards and cards named late."""

    def follow_all(self, symbols: Iterable[SeatSymbol]) -> None:
        """Take the next symbols, whose cards have their suits."""

    def outcome(self) -> FirstCardsOutcome:
        """The outcome if nothing more happens at the seat."""
