"""The machine of a place's bets: ante, Pair Plus, the cards that came, the decision and the raise (arts. 5, 9 and 11)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from replayer.law.fortune_3_card_poker.cards import CARDS
from replayer.law.fortune_3_card_poker.outcome import ALONE, FOLDED, NULL, RAISED, VOID
from replayer.law.fortune_3_card_poker.play import ANTE, PAIR_PLUS, RAISE
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.machine import Violation, Violations
from replayer.symbols import Dealt, Decided, Removed, SeatSymbol, Staked, Turned
from schemas.finding import Severity, declare

F3_DECISION_MISSING: Final = declare("F3_DECISION_MISSING", Severity.PROCEDURE, "An ante without raise or fold")
F3_DECISION_FORBIDDEN: Final = declare("F3_DECISION_FORBIDDEN", Severity.PROCEDURE, "A decision that was not open")
F3_FOLD_FORBIDDEN: Final = declare("F3_FOLD_FORBIDDEN", Severity.MONEY, "A fold with Pair Plus, where one must raise")
F3_RAISE_MISSING: Final = declare("F3_RAISE_MISSING", Severity.MONEY, "A player who plays and placed no raise")
F3_RAISE_UNDECIDED: Final = declare("F3_RAISE_UNDECIDED", Severity.PROCEDURE, "A raise without the decision to play")

ANTED: Final = "ante"
STAKED: Final = "raise"
DECIDED: Final = "decision"
"""Marks: the last ante placed, the last raise placed, the first decision."""
TO_RAISE: Final = "raise"
TO_FOLD: Final = "fold"


class Bet(StrEnum):
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
        staked: whether a raise was placed.
    """

    ante: Bet = Bet.NONE
    pair_plus: Bet = Bet.NONE
    cards: int = 0
    decided: str = ""
    early: bool = False
    turned: bool = False
    staked: bool = False

    @property
    def bet(self) -> bool:
        """Whether an ante or Pair Plus lies there."""
        return self.ante is not Bet.NONE or self.pair_plus is not Bet.NONE

    @property
    def plays(self) -> bool:
        """Whether its player ever decided to raise or placed one."""
        return self.staked or self.turned or self.decided == TO_RAISE

    @property
    def is_collected(self) -> bool:
        """Whether its cards may be collected before the round ends: those of who folds (art. 9(3)), and a complete hand for Pair
        Plus alone, on which nothing is decided (F3-16)."""
        alone = self.ante is Bet.NONE and self.pair_plus is not Bet.NONE
        return self.decided == TO_FOLD or (alone and self.cards == CARDS)

    @cache  # noqa: B019 - of values, a few hundred
    def placed(self, kind: str) -> Bets:
        """With a bet placed."""
        since = Bet.LATE if self.cards else Bet.IN_TIME
        if kind == ANTE and self.ante is Bet.NONE:
            return self._replace(ante=since)
        if kind == PAIR_PLUS and self.pair_plus is Bet.NONE:
            return self._replace(pair_plus=since)
        if kind == RAISE and not self.staked and self.cards <= CARDS:
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
        play = rules.regulation.art9
        if self.cards > CARDS:
            return self, ()
        known = action in (TO_RAISE, TO_FOLD)
        if known and not self.decided:
            return self._replace(decided=action, early=self.cards < CARDS), ()
        article = play.cite(*play.decided_by)
        if self.ante is Bet.NONE:
            text = f"{action} without an ante"
        elif known:
            article = play.cite(*(play.fold_item if action == TO_FOLD else play.raise_item))
            text = f"{action} after {self.decided}"
        else:
            text = f"{action!r} is no decision here"
        turned = self.turned or (action == TO_RAISE and self.decided == TO_FOLD)
        after = self if turned == self.turned else self._replace(turned=turned)
        return after, (Violation(F3_DECISION_FORBIDDEN.code, article, text),)

    def step(self, symbol: SeatSymbol, rules: Rules) -> tuple[Bets, Violations]:
        """The state after a symbol, and the violations; a symbol of another hand changes nothing."""
        match symbol:
            case _ if symbol.hand:
                return self, ()
            case Dealt(_, face) if face:
                return self.dealt(), ()
            case Staked(kind):
                return self.placed(kind), ()
            case Decided(action):
                return self.decides(action, rules)
            case Removed(card) if not self.is_collected:
                return self, (rules.regulation.art11.taken_away(card),)
        return self, ()

    def after(self, symbol: SeatSymbol, rules: Rules) -> Bets | None:
        """The state after a symbol. None where a rule was broken, where a card belongs to another hand, and where one is
        turned that the log did not name before, as a state does not hold which one it was."""
        if symbol.hand or isinstance(symbol, Turned):
            return None
        bets, violations = self.step(symbol, rules)
        return None if violations else bets

    def open(self, rules: Rules) -> frozenset[str]:
        """What may be decided now: art. 9, once, on an ante and three cards."""
        if self.ante is Bet.NONE or self.cards != CARDS or self.decided or self.staked:
            return frozenset()
        return rules.regulation.art9.decisions(rules.readings, pair_plus=self.pair_plus is not Bet.NONE)

    def is_judged(self, rules: Rules) -> bool:
        """Whether the play of the place matters: not for a null hand (11(3)) or a wrong number of cards (11(1))."""
        return self.bet and not (self._null and _in_order(rules)) and self.cards in (0, CARDS)

    @property
    def _null(self) -> bool:
        """Whether its cards came when no bet lay there."""
        return self.cards > 0 and Bet.IN_TIME not in (self.ante, self.pair_plus)

    def finish(self, rules: Rules) -> tuple[str, Violations]:
        """The fate of the place (see ``outcome``), and the violations."""
        if not self.bet:
            return NULL, (self._without_ante(rules),) if self.decided and not self.cards else ()
        if not self.is_judged(rules):
            return (NULL if self._null and _in_order(rules) else VOID), ()
        fate, violations = self._fate(rules)
        # A bet on a hand that was never dealt counts as one on a null hand.
        if not self.cards and _in_order(rules):
            return NULL, violations if self.decided else ()
        return fate, violations

    def _fate(self, rules: Rules) -> tuple[str, Violations]:
        """Whether the player plays: the first decision counts; without one, whether a raise was placed. Who did neither is taken
        as who folds."""
        if self.ante is Bet.NONE or self._ante_is_void(rules):
            rules.readings("F3-16")
            return ALONE, (self._without_ante(rules),) if self.decided else ()
        raises = self.decided == TO_RAISE or (self.staked and not self.decided)
        beside = not raises and self._beside_pair_plus(rules)
        plays = raises or not rules.regulation.art9.fold_stands(rules.readings, pair_plus=beside)
        fate = RAISED if plays else FOLDED
        if self.decided:
            return fate, tuple(self._decision(rules, plays=plays, beside=beside))
        return fate, tuple(self._undecided(rules, plays=plays)) if rules.records("decisions") else ()

    def _without_ante(self, rules: Rules) -> Violation:
        """Art. 9: a player without an ante has nothing to decide."""
        article = rules.regulation.art9.cite(*rules.regulation.art9.decided_by)
        return Violation(F3_DECISION_FORBIDDEN.code, article, f"{self.decided} without an ante", DECIDED)

    def _undecided(self, rules: Rules, *, plays: bool) -> Iterator[Violation]:
        """Art. 9: a player with an ante decides."""
        play = rules.regulation.art9
        if self.staked:
            text = "a raise was placed, the decision is not on the log"
            yield Violation(F3_RAISE_UNDECIDED.code, play.cite(*play.raise_item), text, STAKED)
        else:
            text = f"neither raise nor fold: taken as {'playing, with both bets' if plays else 'not playing'}"
            yield Violation(F3_DECISION_MISSING.code, play.cite(*play.decided_by), text, ANTED)

    def _decision(self, rules: Rules, *, plays: bool, beside: bool) -> Iterator[Violation]:
        """Art. 9: a decision follows three cards, a raise needs its chips, a fold must be allowed."""
        play, fold = rules.regulation.art9, self.decided == TO_FOLD
        raising = play.cite(*play.raise_item)
        if fold and not play.may_fold(rules.readings, pair_plus=beside):
            yield Violation(F3_FOLD_FORBIDDEN.code, play.must_raise(), "both bets: one must raise", DECIDED)
        if self.early:
            article, text = play.cite(*play.fold_item) if fold else raising, f"{self.decided} before the cards"
            yield Violation(F3_DECISION_FORBIDDEN.code, article, text, DECIDED)
        if not fold and not self.staked:
            yield Violation(F3_RAISE_MISSING.code, raising, "the player plays, and placed no raise", DECIDED)
        if fold and not plays and self.staked and not self.turned:
            text = "a raise was placed on a hand that does not play"
            yield Violation(F3_RAISE_UNDECIDED.code, raising, text, STAKED)

    def _ante_is_void(self, rules: Rules) -> bool:
        """X-7: whether the ante of a hand that does not play is void, because it came after the cards (6(3)): there is then
        nothing to fold, and Pair Plus stands alone. For a hand that plays nothing changes here: ante and raise are void together,
        and Pair Plus is paid.
        """
        if self.ante is not Bet.LATE or self.plays or not _records_late(rules):
            return False
        return rules.readings("X-7") == "void"

    def _beside_pair_plus(self, rules: Rules) -> bool:
        """Whether the ante has Pair Plus beside it. X-7: one that came after the cards (6(3)) may be void."""
        late = self.pair_plus is Bet.LATE and _records_late(rules)
        return self.pair_plus is not Bet.NONE and not (late and rules.readings("X-7") == "void")


def _in_order(rules: Rules) -> bool:
    """Whether the log records bets, cards and decisions in order."""
    return rules.records("deal_order", "decisions", "times")


def _records_late(rules: Rules) -> bool:
    """Whether the log records which bets came after the cards."""
    return rules.records("close", "deal_order", "times")


NO_BETS: Final = Bets()
