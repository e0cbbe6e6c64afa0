"""The machine of a seat: what the rights of its hands depend on besides their own state."""

from __future__ import annotations

from typing import NamedTuple

from replayer.cards import NOT_KNOWN
from replayer.law.black_jack.actions import BY_UPCARD, PLAYS, Action
from replayer.law.black_jack.rules import Rules
from replayer.machine import SEVERAL, Violation


class Seat(NamedTuple):
    """A seat.

    Attributes:
        upcard: the class of the bank's open card, ``?`` unknown.
        hands: how many hands it has; ``staked``: on how many of them a stake lies that no decision made yet.
        bettors: how many players bet on it, counted to two; ``insured``: whether one of them took insurance.
        played: whether a decision was taken that is a play of a hand.
        upcard_missed: whether anything turned on a bank's open card that the log does not name.
        declined: whether a hand of a separated pair that was another one was played on (art. 16(5)).
    """

    upcard: str
    hands: int = 1
    staked: int = 0
    bettors: int = 0
    insured: bool = False
    played: bool = False
    upcard_missed: bool = False
    declined: bool = False

    def joined(self) -> Seat:
        """With one more bettor."""
        return self._replace(bettors=min(self.bettors + 1, SEVERAL))

    def insures(self, rules: Rules) -> tuple[Seat, tuple[Violation, ...]]:
        """With insurance."""
        refusal = rules.regulation.insurance.refusal(self)
        after = self._replace(insured=True, upcard_missed=self.upcard == NOT_KNOWN)
        return after, () if refusal is None else (refusal,)

    def decided(self, action: Action, *, passed_over: bool, declined: bool) -> Seat:
        """With a decision on a hand, ``passed_over`` if that was over, ``declined`` if that is not to separate it again."""
        if action in PLAYS:
            if self.played and (self.declined or not declined):
                return self
            return self._replace(played=True, declined=self.declined or declined)
        turns = self.upcard == NOT_KNOWN and action in BY_UPCARD and not passed_over
        return self._replace(upcard_missed=True) if turns else self

    def parted(self, *, staked: bool = False) -> Seat:
        """With one more hand; ``staked`` where a stake on it came first."""
        return self._replace(hands=self.hands + 1, staked=self.staked + staked)

    def unstaked(self) -> Seat:
        """Without the hands on which a stake lies that no decision made."""
        return self._replace(hands=self.hands - self.staked, staked=0)

    def decided_on_stake(self) -> Seat:
        """With the decision for which a stake was placed before."""
        return self._replace(staked=self.staked - 1)
