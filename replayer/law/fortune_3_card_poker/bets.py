"""The machine of a place's bets: ante, Pair Plus, the number of cards that came, the decision and the raise."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from replayer.contract.machine import Violations
from replayer.contract.symbols import Dealt, Decided, Removed, SeatSymbol, Staked, Turned
from replayer.law.fortune_3_card_poker.cards import CARDS
from replayer.law.fortune_3_card_poker.outcome import NULL, VOID
from replayer.law.fortune_3_card_poker.rules import Rules

ANTE: Final = "ante"
RAISE: Final = "raise"
PAIR_PLUS: Final = "pair_plus"

TO_RAISE: Final = "raise"
TO_FOLD: Final = "fold"


class Placed(StrEnum):
    """Whether a bet lies at the place, and since when."""

    NONE = "none"
    IN_TIME = "placed before the cards"
    LATE = "placed when cards lay"


class Bets(NamedTuple):
    """A place in a round.

    Attributes:
        ante, pair_plus: its bets.
        cards: how many it got, counted to four.
        decided: its first decision, empty where there was none.
        early: whether that came before the three cards.
        turned: whether the player decided to raise after a fold.
        staked: whether a raise was placed; not asked of who turned.
    """

    ante: Placed = Placed.NONE
    pair_plus: Placed = Placed.NONE
    cards: int = 0
    decided: str = ""
    early: bool = False
    turned: bool = False
    staked: bool = False

    @property
    def bet(self) -> bool:
        """Whether an ante or Pair Plus lies there."""
        return self.ante is not Placed.NONE or self.pair_plus is not Placed.NONE

    @property
    def plays(self) -> bool:
        """Whether its player ever decided to raise or placed one."""
        return self.staked or self.turned or self.decided == TO_RAISE

    @cache  # noqa: B019 - of values, a few hundred
    def placed(self, kind: str) -> Bets:
        """With a bet placed."""
        since = Placed.LATE if self.cards else Placed.IN_TIME
        if kind == ANTE and self.ante is Placed.NONE:
            return self._replace(ante=since)
        if kind == PAIR_PLUS and self.pair_plus is Placed.NONE:
            return self._replace(pair_plus=since)
        if kind == RAISE and not (self.staked or self.turned) and self.cards <= CARDS:
            return self._replace(staked=True)
        return self

    @cache  # noqa: B019
    def dealt(self) -> Bets:
        """With one more card. Of a hand of more than three only the bets matter (11(1))."""
        if self.cards >= CARDS:
            return Bets(self.ante, self.pair_plus, CARDS + 1)
        return self._replace(cards=self.cards + 1)

    def decides(self, action: str, rules: Rules) -> tuple[Bets, Violations]:
        """After a decision. The first one counts; whether it was open is checked at the end, because a bet may still come."""
        if self.cards > CARDS:
            return self, ()
        if action in (TO_RAISE, TO_FOLD) and not self.decided:
            return self._replace(decided=action, early=self.cards < CARDS), ()
        turns = action == TO_RAISE and self.decided == TO_FOLD
        after = self._replace(turned=True, staked=False) if turns else self
        return after, (rules.regulation.play.not_open(self, action),)

    def step(self, symbol: SeatSymbol, rules: Rules) -> tuple[Bets, Violations]:
        """The state after a symbol, and the violations; a symbol of another hand changes nothing."""
        match symbol:
            case _ if symbol.hand:
                return self, ()
            case Dealt(_, face) if face:
                return self.dealt(), ()
            case Staked(kind):
                among_cards = kind == RAISE and 0 < self.cards < CARDS
                return self.placed(kind), (rules.regulation.play.raised_in_the_deal(),) if among_cards else ()
            case Decided(action):
                return self.decides(action, rules)
            case Removed(card) if not rules.regulation.play.collects(self, rules):
                return self, (rules.regulation.irregularities.taken_away(card),)
        return self, ()

    def after(self, symbol: SeatSymbol, rules: Rules) -> Bets | None:
        """The state after a symbol. None where a rule was broken, where a card belongs to another hand, where one is turned that
        the log did not name before, as a state does not hold which one it was, and where one is taken away that a fold may
        explain."""
        if symbol.hand or isinstance(symbol, Turned):
            return None
        if isinstance(symbol, Removed) and not rules.records("decisions"):
            return None
        bets, violations = self.step(symbol, rules)
        return None if violations else bets

    def is_judged(self, rules: Rules) -> bool:
        """Whether the play of the place matters: not for a null hand (11(3)) or a wrong number of cards (11(1))."""
        law = rules.regulation.irregularities
        return self.bet and (not self.cards or (self.cards == CARDS and not law.is_null(self, rules)))

    def finish(self, rules: Rules) -> tuple[str, Violations]:
        """The fate of the place (see ``outcome``), and the violations."""
        law = rules.regulation
        if not self.bet:
            return NULL, (law.play.without_ante(self),) if self.decided and not self.cards else ()
        null = law.irregularities.is_null(self, rules)
        if not self.is_judged(rules):
            return (NULL if null else VOID), ()
        fate, violations = law.play.fate(self, rules)
        return (NULL, violations if self.decided else ()) if null else (fate, violations)


NO_BETS: Final = Bets()
