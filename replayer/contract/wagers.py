"""A wager as it is placed and as it ends, and what it is due."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final, Generic, NamedTuple, TypeAlias

from replayer.contract.outcomes import Awaited, Bank, Breach, First, Seat, Step
from schemas.money import format_amount

LOST: Final = Fraction(-1)
RETURNED: Final = Fraction(0)
ONE_TO_ONE: Final = Fraction(1)
"""Odds: what a stake is due in parts of itself."""
WHOLE_SEAT: Final = "all"
WHOLE_HAND: Final = "hand"
"""Kinds under which other systems' logs settle a seat, or a hand without ``WagerKinds.settled_alone``, in one amount."""


class StakeSituation(NamedTuple):
    """A wager as it was placed.

    Attributes:
        base_minor: the stake that it rests on, None where there is none; ``late_minor``: the part of it that was added too late.
        unnamed: whether it names nobody where several players have a base wager, so that the log does not tell on which it rests.
        seats: the number of its seat, from 1, among those on which the player placed ``WagerKinds.seat`` in the round.
        bettors: the number of its player among those who placed such wagers on the seat, nearest to the bank first.
        before_minor: what the player had staked on the same wager before; ``after_minor``: what he added later.
        begun: whether its split hand had been dealt a card; for wagers on first cards placed after the deal began, whether the
            hand had its first cards, and ``splits`` how often it had been split.
        beside: for ``WagerKinds.first_cards`` and ``WagerKinds.carried`` only, the kinds of these that the player had placed on
            the seat in the round, its own among them; ``running``: the carried kinds that he placed there in earlier rounds and
            that still run, in order.
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
    splits: int = 0
    after_minor: int = 0
    late_minor: int = 0
    unnamed: bool = False

    @property
    def total_minor(self) -> int:
        """The player's total stake on it so far."""
        return self.before_minor + self.stake_minor

    def beyond(self, least: Fraction | int | None, most: Fraction | int | None) -> bool:
        """Whether this part takes the player's stake above ``most`` or, as its last part, leaves it below ``least``: chips
        added to a stake form one stake with it."""
        total = self.total_minor
        exceeds = most is not None and total > most and self.before_minor <= most
        return exceeds or (least is not None and total < least and not self.after_minor)

    def outside(self, least: int | None, most: int | None) -> str:
        """How it is beyond the limits posted at the table, if it is."""
        if not self.beyond(least, most):
            return ""
        exceeds = most is not None and self.total_minor > most
        how, bound = ("more", most) if exceeds else ("less", least)
        return f"{format_amount(self.total_minor)} is {how} than the {format_amount(bound or 0)} posted"


class WagerSituation(NamedTuple, Generic[Seat, Bank, First]):
    """A wager as it ends. ``seat`` and ``bank`` are their outcomes, None where unknown or irrelevant.

    For a wager on first cards, ``first_cards`` is their outcome, and ``splits`` how often its hand had been split when it was
    placed.
    """

    kind: str
    hand: int
    seat: Seat | None = None
    bank: Bank | None = None
    first_cards: First | None = None
    splits: int = 0


class PlayedRound(NamedTuple):
    """A round in which the player of a carried wager had a bet.

    Attributes:
        result: the bet's result (``CarriedLaw.result``); None where the log does not tell it, the bettor, or the seat.
        other_seat: whether he bet at another seat instead of the wager's own.
    """

    result: str | None
    other_seat: bool = False


class UnplayedRound(StrEnum):
    """A round without a result of the player's bet; ``CLOSING`` is no round, but the end of all."""

    NO_BET = "no bet"
    VOID = "void"
    CLOSING = "the table closed"


CarriedRound: TypeAlias = PlayedRound | UnplayedRound
"""A round since a carried wager was placed."""


@dataclass(frozen=True, slots=True)
class Bet:
    """A player's base wager among several on one seat, its parts summed; ``player`` is None where unnamed, ``position`` 0 for the
    seated player, None where not recorded."""

    player: str | None
    position: int | None
    stake_minor: int


@dataclass(frozen=True, slots=True)
class Timing:
    """When a wager must be settled: before play moves on to another place or, where ``ahead_of`` names kinds, before its
    bettor's wagers of these kinds on the seat; or, where it ``awaits`` the bank's hand or its Black Jack
    (``replayer.contract.outcomes``), not before these are known. ``breach`` is the breach of this."""

    breach: Breach
    ahead_of: frozenset[str] = frozenset()
    awaits: Awaited = Awaited.NOTHING


@dataclass(frozen=True, slots=True)
class Due:
    """What a wager must change in the player's chips: ``odds`` times its own stake, None where unknown.

    ``timing`` is when, where the law says so.
    """

    odds: Fraction | None
    article: str
    steps: tuple[Step, ...] = ()
    unjudged: str = ""
    breaches: tuple[Breach, ...] = ()
    timing: Timing | None = None

    @classmethod
    def of(cls, odds: Fraction, article: str, why: str) -> Due:
        """What a wager is due by one rule, and ``why`` in words."""
        return cls(odds, article, (Step(article, why),))
