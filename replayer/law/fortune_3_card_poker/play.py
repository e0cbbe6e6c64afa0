"""The course of play and what ante and raise are due: art. 9, as it was made and as 97/2008 rewrote it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import ClassVar, Final

from replayer.contract.machine import Violation, Violations
from replayer.contract.outcomes import Breach, Step
from replayer.contract.readings import Readings
from replayer.contract.symbols import BANK_OPEN, CARD_DEALT
from replayer.contract.wagers import LOST, RETURNED, Due, StakeSituation, Timing
from replayer.law.codes import DECISION_OF_ANOTHER, LAW_TEXT_UNVERIFIED
from replayer.law.fortune_3_card_poker import marks
from replayer.law.fortune_3_card_poker.bets import ANTE, RAISE, TO_FOLD, TO_RAISE, Bets, Placed
from replayer.law.fortune_3_card_poker.cards import CARDS, HANDS, Hand
from replayer.law.fortune_3_card_poker.hand import ODD, STRAIGHT, STRAIGHT_FLUSH, TRIO, Combinations
from replayer.law.fortune_3_card_poker.outcome import ALONE, FOLDED, RAISED, Met
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.law.regulation import Paragraph, Provision
from replayer.law.rulings import Doubt, Under, readings_by
from replayer.law.untimely import base_of, of_excess
from schemas.finding import of_money, of_procedure
from schemas.money import format_amount
from schemas.plural import spoken

F3_OPENED_EARLY: Final = of_procedure("F3_OPENED_EARLY", "The croupier's hand opened before all had decided")
F3_HAND_NOT_OPENED: Final = of_procedure(
    "F3_HAND_NOT_OPENED", "The croupier's hand was never shown though a player plays against it"
)
F3_PAIR_PLUS_LATE: Final = of_procedure("F3_PAIR_PLUS_LATE", "Pair Plus settled after the ante or the raise beside it")
F3_DECISION_MISSING: Final = of_procedure("F3_DECISION_MISSING", "An ante without raise or fold")
F3_DECISION_FORBIDDEN: Final = of_procedure("F3_DECISION_FORBIDDEN", "A decision that was not open")
F3_FOLD_FORBIDDEN: Final = of_money("F3_FOLD_FORBIDDEN", "A fold with Pair Plus, where one must raise")
F3_RAISE_MISSING: Final = of_money("F3_RAISE_MISSING", "A player who plays and placed no raise")
F3_RAISE_UNDECIDED: Final = of_procedure("F3_RAISE_UNDECIDED", "A raise without the decision to play")
F3_RAISE_AMOUNT: Final = of_money("F3_RAISE_AMOUNT", "A raise that is not as high as the ante")
F3_RAISE_EARLY: Final = of_procedure("F3_RAISE_EARLY", "A raise placed before the cards were dealt")
F3_RAISE_LATE: Final = of_money("F3_RAISE_LATE", "A raise placed when the croupier's hand lay open")

TABLE: Final = {STRAIGHT_FLUSH: 5, TRIO: 4, STRAIGHT: 1}
"""78/2008 art. 9(8)(1)-(3); by F3-7 also the bonus that the missing end of 97/2008 is taken to hold."""
EVEN: Final = 1

_QUEEN_OR_ABOVE: Final = frozenset(hand for hand in HANDS if set(hand.ranks) & set("AKQ"))


@dataclass(frozen=True)
class CourseOfPlay(Provision):
    """Art. 9 as 78/2008 made it: Pair Plus first, then the decision, then the croupier's hand.

    (1) The hands are opened and Pair Plus is settled. (2) Then each player decides. (3) Who does not play loses the
    hand; cards and bets are collected. (4) Who plays raises exactly as much as the ante. (5) The croupier plays only
    with a queen or better. (6) Below that antes are paid 1 to 1 and raises returned. (7) A higher croupier collects.
    (8) A lower one pays the winning bets by a table.

    The class constants are the numbers of the items; that by which each player decides is empty where it is not at hand.
    """

    combinations: Combinations

    deciding_item: ClassVar[Paragraph] = (2,)
    fold_item: ClassVar[Paragraph] = (3,)
    raise_item: ClassVar[Paragraph] = (4,)
    qualifying_item: ClassVar[Paragraph] = (5,)

    # Pair Plus

    def pair_plus_due(self, due: Due, rules: Rules) -> Due:
        """9(1), (2): three odd cards lose it; it is settled before the ante and the raise beside it.

        F3-9 accepts that players have decided before.
        """
        if due.odds == LOST:
            due = Due.of(LOST, self.cite(1), due.steps[0].text)
        if not rules.records("deal_order"):
            return due
        late = Breach(
            F3_PAIR_PLUS_LATE, self.cite(1), "Pair Plus comes first, and was settled after the ante or the raise"
        )
        return replace(due, timing=Timing(late, frozenset({ANTE, RAISE})))

    def paid_after_decisions(self, readings: Readings) -> None:
        """By 9(1), (2) Pair Plus is paid before anybody decides; either order is accepted (F3-9)."""
        readings("F3-9")

    # The decision

    def may_fold(self, readings: Readings, *, pair_plus: bool) -> bool:
        """9(2): every player decides freely."""
        return True

    def open_to(self, bets: Bets, readings: Readings) -> frozenset[str]:
        """What a player may decide: once, on an ante and three cards."""
        if bets.ante is Placed.NONE or bets.cards != CARDS or bets.decided or bets.staked:
            return frozenset()
        may_fold = self.may_fold(readings, pair_plus=bets.pair_plus is not Placed.NONE)
        return frozenset((TO_RAISE, TO_FOLD) if may_fold else (TO_RAISE,))

    def decided_by_another(self, action: str) -> Breach:
        """The breach of a decision by a player who does not bet on the hand."""
        message = f"{spoken(action)} by a player who does not bet at this place"
        return Breach(DECISION_OF_ANOTHER, self.cite(*self.deciding_item), message)

    def not_open(self, bets: Bets, action: str) -> Violation:
        """The violation of a decision without an ante, after another one, or that the game does not have."""
        article, text = self.cite(*self.deciding_item), f"{action!r} is no decision here"
        if bets.ante is Placed.NONE:
            text = f"{spoken(action)} without an ante"
        elif action in (TO_RAISE, TO_FOLD):
            article = self.cite(*(self.fold_item if action == TO_FOLD else self.raise_item))
            text = f"{action} after {bets.decided}"
        return Violation(F3_DECISION_FORBIDDEN, article, text)

    def without_ante(self, bets: Bets) -> Violation:
        """The violation of a decision by a player who has no ante to the end, and so nothing to decide."""
        text = f"{bets.decided} without an ante"
        return Violation(F3_DECISION_FORBIDDEN, self.cite(*self.deciding_item), text, marks.DECIDED)

    def opened_early(self) -> Violation:
        """The violation of opening the croupier's hand, who plays against those who are left when all have decided."""
        message = "the croupier's hand was opened before all had decided"
        return Violation(F3_OPENED_EARLY, self.cite(*self.deciding_item), message, marks.OPENED)

    def fate(self, bets: Bets, rules: Rules) -> tuple[str, Violations]:
        """Whether a player plays, and the violations: the first decision counts; without one, whether a raise was placed. Who did
        neither is taken as who folds. Pair Plus alone asks for no decision (F3-16).

        A void ante (X-7) of a hand that does not play leaves Pair Plus alone. For a hand that plays it changes nothing here: ante
        and raise are void together, and Pair Plus is paid.
        """
        late = rules.regulation.placing
        if bets.ante is Placed.NONE or (not bets.plays and late.makes_void(bets.ante, rules)):
            rules.readings("F3-16")
            return ALONE, (self.without_ante(bets),) if bets.decided else ()
        raises = bets.decided == TO_RAISE or (bets.staked and not bets.decided)
        beside = not raises and bets.pair_plus is not Placed.NONE and not late.makes_void(bets.pair_plus, rules)
        plays = raises or not self.fold_stands(rules.readings, pair_plus=beside)
        if bets.decided:
            found = self._decided(bets, rules, plays=plays, beside=beside)
        else:
            found = self._undecided(bets, rules, plays=plays)
        return (RAISED if plays else FOLDED), tuple(found)

    def _undecided(self, bets: Bets, rules: Rules, *, plays: bool) -> Iterator[Violation]:
        """A player with an ante decides."""
        if not rules.records("decisions"):
            return
        if bets.staked:
            text = "a raise was placed, the decision is not on the log"
            yield Violation(F3_RAISE_UNDECIDED, self.cite(*self.raise_item), text, marks.STAKED)
        else:
            text = f"neither raise nor fold: taken as {'playing, with both bets' if plays else 'not playing'}"
            yield Violation(F3_DECISION_MISSING, self.cite(*self.deciding_item), text, marks.ANTED)

    def _decided(self, bets: Bets, rules: Rules, *, plays: bool, beside: bool) -> Iterator[Violation]:
        """A decision follows three cards, a raise needs its chips, a fold must be allowed."""
        fold, raising = bets.decided == TO_FOLD, self.cite(*self.raise_item)
        if fold and not self.may_fold(rules.readings, pair_plus=beside):
            yield Violation(F3_FOLD_FORBIDDEN, self.must_raise(), "both bets: one must raise", marks.DECIDED)
        if bets.early:
            article, text = self.cite(*self.fold_item) if fold else raising, f"{bets.decided} before the cards"
            yield Violation(F3_DECISION_FORBIDDEN, article, text, marks.DECIDED)
        if not fold and not bets.staked:
            yield Violation(F3_RAISE_MISSING, raising, "the player plays, and placed no raise", marks.DECIDED)
        if fold and not plays and bets.staked and not bets.turned:
            text = "a raise was placed on a hand that does not play"
            yield Violation(F3_RAISE_UNDECIDED, raising, text, marks.STAKED)

    # Who does not play

    def fold_stands(self, readings: Readings, *, pair_plus: bool) -> bool:
        """9(3): every fold ends the hand."""
        return True

    def fold_collects_pair_plus(self, readings: Readings) -> bool:
        """9(3): whether a fold loses Pair Plus too, after 9(1) settled it, is F3-8a."""
        return readings("F3-8a") == "all_bets"

    def folded(self, kind: str) -> Due:
        """What a wager is due that a fold loses. A raise after a fold is no bet."""
        article = self.cite(*self.fold_item)
        if kind == RAISE:
            return Due.of(RETURNED, article, "not playing: there is nothing to raise")
        return Due.of(LOST, article, f"not playing: the {spoken(kind)} is collected")

    def collects(self, bets: Bets, rules: Rules) -> bool:
        """Whether cards may be collected before the round ends: those of who folds, and a complete hand for Pair Plus alone, on
        which nothing is decided (F3-16), or of who may have folded as the log does not record it."""
        alone = bets.ante is Placed.NONE and bets.pair_plus is not Placed.NONE
        unsaid = not (bets.plays or rules.records("decisions"))
        return bets.decided == TO_FOLD or ((alone or unsaid) and bets.cards == CARDS)

    # Who plays

    def of_raise(self, stake: StakeSituation, readings: Readings) -> Iterator[Breach]:
        """The breach of a raise that is not exactly as high as its ante."""
        if stake.unnamed:
            return
        ante, article = base_of(stake, readings), self.cite(*self.raise_item)
        if ante is None:
            yield Breach(F3_RAISE_AMOUNT, article, "a raise by a player without an ante at this place")
        elif stake.beyond(ante, ante):
            text = f"raise {format_amount(stake.total_minor)}, ante {format_amount(ante)}"
            yield Breach(F3_RAISE_AMOUNT, article, text + of_excess(stake, ante))

    def moment_of_raise(self, moment: int, readings: Readings) -> Breach | None:
        """The breach of a raise that came before any card, or when the croupier's lay open. F3-13: it is no new bet (6(3))."""
        article = self.cite(*self.raise_item)
        if not moment & CARD_DEALT:
            return Breach(F3_RAISE_EARLY, article, "the player decides on the cards, and none was dealt")
        readings("F3-13")
        return Breach(F3_RAISE_LATE, article, "cards of the croupier lay open") if moment & BANK_OPEN else None

    def raised_in_the_deal(self) -> Violation:
        """The violation of a raise on a hand that had not all its cards."""
        message = "the player decides on the cards, and not all were dealt"
        return Violation(F3_RAISE_EARLY, self.cite(*self.raise_item), message)

    def must_raise(self) -> str:
        """The citation of the rule that a player who plays must raise."""
        return self.cite(*self.raise_item)

    def raise_alone(self) -> Due:
        """What a raise without an ante is due: it is no bet."""
        return Due.of(RETURNED, self.cite(*self.raise_item), "no ante: there is nothing to raise")

    # The croupier's hand

    def not_shown(self) -> Violation:
        """The violation of not showing a card of the croupier, who plays with a queen or better: an unseen card proves none."""
        message = "a card of the croupier was never shown, and a player plays against his hand"
        return Violation(F3_HAND_NOT_OPENED, self.cite(*self.qualifying_item), message, marks.HIDDEN)

    def qualifies(self, croupier: Hand, under: Under) -> bool:
        """The croupier plays only with a queen or better: by the hand's rank, or by a card (F3-5)."""
        if croupier in _QUEEN_OR_ABOVE:
            return True
        return self.combinations.combination(croupier, under) != ODD and under("F3-5") == "hand_rank"

    @cached_property
    def _qualifies(self) -> dict[Hand, Doubt[bool]]:
        return {hand: Doubt(partial(self.qualifies, hand)) for hand in HANDS}

    def meet(self, player: Hand, croupier: Hand, readings: Readings) -> Met:
        """How the croupier's hand compares with that of a player who raised: higher, lower, equal, or below a queen."""
        if not self._qualifies[croupier].answer(readings):
            return Met.BELOW
        sign = self.combinations.compare(player, croupier, readings)
        return Met.LOWER if sign > 0 else Met.HIGHER if sign < 0 else Met.EQUAL

    # What is due

    def due(self, kind: str, hand: Hand, met: Met, readings: Readings) -> Due:
        """What ante or raise is due to a player who raised."""
        return Doubt(partial(self._due, kind, hand, met)).answer(readings)

    def _due(self, kind: str, hand: Hand, met: Met, under: Under) -> Due:
        decided = (
            {"push": Met.EQUAL, "player": Met.LOWER, "dealer": Met.HIGHER}[under("F3-4")] if met is Met.EQUAL else met
        )
        odds, article = (0, self._tie(hand)) if decided is Met.EQUAL else self.odds(kind, hand, decided, under)
        plays = "is below a queen: he does not play" if decided is Met.BELOW else "is worth a queen or more: he plays"
        due = "returned" if odds == 0 else "lost" if odds < 0 else f"paid {odds} to 1"
        steps = [
            Step(self.cite(*self.qualifying_item), f"the croupier's hand {plays}"),
            Step(article, f"the croupier's hand is {met}: the {kind} is {due}"),
        ]
        bonus = self.bonus(kind, hand, under, won=decided in (Met.LOWER, Met.BELOW))
        if not bonus:
            return Due(Fraction(odds), article, tuple(steps))
        text = f"bonus of {bonus} to 1 on the {kind}, by a text that is not at hand"
        steps.append(Step(self.cite(), text))
        return Due(
            Fraction(odds + bonus),
            article if article == self.cite() else f"{article}; {self.cite()}",
            tuple(steps),
            breaches=(Breach(LAW_TEXT_UNVERIFIED, self.cite(), text),),
        )

    def _tie(self, hand: Hand) -> str:
        """The citation for a tie, by the default reading of what the hand is; a tie pays nothing under any."""
        return self.combinations.item(self.combinations.combination(hand, readings_by()))

    def odds(self, kind: str, hand: Hand, met: Met, under: Under) -> tuple[int, str]:
        """Odds by 9(6) to (8); which bets the table pays is F3-6, that it pays none where the croupier does not play F3-10."""
        if met is Met.BELOW:
            rank = self.combinations.certain.get(hand)
            if kind == ANTE and (rank is None or rank.combination in TABLE):
                under("F3-10")  # the table would pay more
            return (1 if kind == ANTE else 0), self.cite(6)
        if met is Met.HIGHER:
            return -1, self.cite(7)
        reading, combination = under("F3-6"), self.combinations.combination(hand, under)
        item = [*TABLE, combination].index(combination) + 1
        table = TABLE.get(combination, EVEN)
        if kind == ANTE:
            odds = EVEN + TABLE.get(combination, 0) if reading == "even_plus_bonus" else table
        else:
            odds = {"both": table, "ante_table_raise_push": 0}.get(reading, EVEN)
        return odds, self.cite(8, item)

    def bonus(self, kind: str, hand: Hand, under: Under, *, won: bool) -> int:
        """No bonus beside the table of 9(8), which applies only where the croupier plays (F3-10)."""
        return 0


class PlayOf97(CourseOfPlay):
    """Art. 9 as 97/2008 rewrote it, as far as its text is at hand: items 1 to 6.

    (1) Who plays raises exactly as much as the ante. (2) Who does not loses the hand; cards and bets are collected.
    (3) A player with an ante and Pair Plus must raise. (4) The croupier plays only with a queen or better. (5) Below
    that antes are paid 1 to 1 and raises returned. (6) Against a lower croupier ante and raise are paid 1 to 1.
    """

    raise_item = (1,)
    fold_item = (2,)
    qualifying_item = (4,)
    deciding_item = ()

    def fold_stands(self, readings: Readings, *, pair_plus: bool) -> bool:
        """9(2), (3): a fold ends the hand; F3-8b: with both bets it may be no fold, and the ante stays in play."""
        return not pair_plus or readings("F3-8b") != "no_fold"

    def fold_collects_pair_plus(self, readings: Readings) -> bool:
        """9(2), (3): whether a fold with both bets loses Pair Plus too is F3-8b."""
        return readings("F3-8b") == "forfeit_both"

    def may_fold(self, readings: Readings, *, pair_plus: bool) -> bool:
        """9(3): not with both bets, except by one reading of "must raise" (F3-8b)."""
        return not pair_plus or readings("F3-8b") == "forfeit_ante"

    def pair_plus_due(self, due: Due, rules: Rules) -> Due:
        """What Pair Plus is due on a hand that plays, from its due by art. 10: the part at hand adds nothing."""
        return due

    def paid_after_decisions(self, readings: Readings) -> None:
        """Wagers were settled after players had decided: a text that does not say when they are settled asks no ruling."""

    def must_raise(self) -> str:
        """The citation of the rule that a player with both bets must raise: 9(3)."""
        return self.cite(3)

    def odds(self, kind: str, hand: Hand, met: Met, under: Under) -> tuple[int, str]:
        """Odds by 9(5) and (6); that a higher croupier collects is assumed, as the part at hand does not say it."""
        if met is Met.BELOW:
            return (1 if kind == ANTE else 0), self.cite(5)
        return (EVEN, self.cite(6)) if met is Met.LOWER else (-1, self.cite())

    def bonus(self, kind: str, hand: Hand, under: Under, *, won: bool) -> int:
        """F3-7: a bonus on the ante for a straight or better, to a player who raised."""
        if kind != ANTE or under("F3-7") == "none" or (under("F3-7") == "5_4_1_if_win" and not won):
            return 0
        return TABLE.get(self.combinations.combination(hand, under), 0)
