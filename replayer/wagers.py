"""A wager as it is placed and as it ends, and what it is due."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Generic, NamedTuple, TypeAlias

from replayer.outcomes import Bank, BankOutcome, Breach, First, FirstCardsOutcome, Seat, SeatOutcome, Step


class StakeSituation(NamedTuple):
    """A wager as it was placed. ``base_minor`` is the stake of the wager it rests on, None where there is none.

    ``seats`` is the number of its seat among those on which the player placed ``WagerKinds.seat`` in the round: 1 on the first of
    them; ``bettors`` likewise that of its player among those who placed such wagers on the seat. ``before_minor`` is what the
    player had staked on the very same before, ``after_minor`` what he added to it. ``begun`` is whether its hand, if it was split
    off, had been dealt a card by then; of wagers on first cards placed when cards lay, whether it had its first ones, and
    ``parted`` how often it had been split. For ``WagerKinds.first_cards`` and ``WagerKinds.carried`` only, ``beside`` has all
    kinds of these that the player placed on the seat in the round, and ``running`` the carried ones that he placed there in
    earlier rounds and that live on, in order.
    """

    kind: str
    hand: int
    moment: int
    stake_minor: int
    base_minor: int | None
    position: int | None
    seats: int = 1
    beside: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    bettors: int = 1
    before_minor: int = 0
    begun: bool = False
    parted: int = 0
    after_minor: int = 0

    @property
    def total_minor(self) -> int:
        """What the player has staked on it in all by then."""
        return self.before_minor + self.stake_minor

    def beyond(self, least: Fraction | int | None, most: Fraction | int | None) -> bool:
        """Whether it is by this one of the wagers laid on the very same that they come to more than ``most``, or, if it is the
        last one, to less than ``least``: chips that are added to a stake make one stake of it."""
        total = self.total_minor
        exceeds = most is not None and total > most and self.before_minor <= most
        return exceeds or (least is not None and total < least and not self.after_minor)


class WagerSituation(NamedTuple, Generic[Seat, Bank, First]):
    """A wager as it ends. ``seat`` and ``bank`` are what became of them, None where that is not known or does not matter.

    Of a wager on first cards ``first_cards`` is what became of these, and ``parted`` how often its hand had been split when it
    was placed.
    """

    kind: str
    hand: int
    seat: Seat | None = None
    bank: Bank | None = None
    first_cards: First | None = None
    parted: int = 0


AnyWager: TypeAlias = WagerSituation[SeatOutcome, BankOutcome, FirstCardsOutcome]
"""A wager of any game."""


class PlayedRound(NamedTuple):
    """A round in which the player of a wager that lives on had a bet.

    Attributes:
        result: what became of it (``CarriedLaw.result``); None where the log does not tell that, whose the bet was, or at which
            seat he bet.
        other_seat: whether he bet at another seat instead of the wager's own.
    """

    result: str | None
    other_seat: bool = False


class UnplayedRound(StrEnum):
    """A round that says nothing of a bet of the player's; the last one is none, but the end of all."""

    NO_BET = "no bet"
    VOID = "void"
    CLOSING = "the table closed"


CarriedRound: TypeAlias = PlayedRound | UnplayedRound
"""A round since a wager was placed that lives on into later rounds."""


class Void(NamedTuple):
    """Why nothing is won or lost in a round: the article that makes it invalid by what the log shows, empty where none does, and
    whether it was declared void because the equipment failed."""

    by: str = ""
    equipment: bool = False


@dataclass(frozen=True, slots=True)
class Bet:
    """A player's base wager among several on one seat, in however many parts; ``player`` None is one that is not named,
    ``position`` 0 the seated player's, None where it is not recorded."""

    player: str | None
    position: int | None
    stake_minor: int


@dataclass(frozen=True, slots=True)
class Timing:
    """When a wager must be settled: before play goes on to another place or, where ``ahead_of`` names kinds, before its
    bettor's wagers of these kinds on the seat; or, where it ``awaits`` the bank's hand or its Black Jack
    (``replayer.outcomes``), not before these are known. ``breach`` is what it is if it was not."""

    breach: Breach
    ahead_of: frozenset[str] = frozenset()
    awaits: str = ""


@dataclass(frozen=True, slots=True)
class Due:
    """What a wager must change in the player's chips, as a multiple of its own stake; None where it cannot be said.

    ``timing`` is when, where the law says so.
    """

    odds: Fraction | None
    article: str
    steps: tuple[Step, ...] = ()
    unjudged: str = ""
    breaches: tuple[Breach, ...] = ()
    timing: Timing | None = None
