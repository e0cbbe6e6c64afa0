"""Who draws (art. 6), and what follows: cards given, the bank's hand shown, totals called, a hand over 21 (art. 7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from replayer.contract.cards import Card
from replayer.contract.machine import Violation, Violations
from replayer.contract.outcomes import Awaited, Breach
from replayer.contract.rules import STANDS, TOTALS
from replayer.contract.wagers import LOST, Due
from replayer.law.black_jack import marks
from replayer.law.black_jack.bank import HIDDEN, BankHand, BankState
from replayer.law.black_jack.hand import BUST, SHOWN, Hand, Showing
from replayer.law.black_jack.points import MOST, CalledTotal
from replayer.law.black_jack.rules import Rules
from replayer.law.regulation import Paragraph, Provision
from schemas.finding import of_procedure

HIT_AT_21: Final = of_procedure("HIT_AT_21", "A card asked for at 21 or with Black Jack")
HIT_AFTER_DOUBLE: Final = of_procedure("HIT_AFTER_DOUBLE", "A card asked for on a doubled hand")
HIT_ON_SPLIT_ACE: Final = of_procedure("HIT_ON_SPLIT_ACE", "More than one card asked for on a split ace")
DECISION_ORDER: Final = of_procedure("DECISION_ORDER", "Seats not played from the left")
DECISION_MISSING: Final = of_procedure("DECISION_MISSING", "A hand left without its final decision")
CARD_NOT_ASKED: Final = of_procedure("CARD_NOT_ASKED", "A card that nobody asked for")
BUST_NOT_SHOWN: Final = of_procedure("BUST_NOT_SHOWN", "A hand over 21 that was not shown at once")
CARD_NOT_GIVEN: Final = of_procedure("CARD_NOT_GIVEN", "A card asked for and not dealt")
TOTAL_WRONG: Final = of_procedure("TOTAL_WRONG", "A wrong total called for a player")
TOTAL_ORDER: Final = of_procedure("TOTAL_ORDER", "Players' totals not called from the left")
TOTAL_NOT_CALLED: Final = of_procedure("TOTAL_NOT_CALLED", "A player's total that was not called")
BANK_SURPLUS_CARD: Final = of_procedure("BANK_SURPLUS_CARD", "The bank took a card that it must not take")
BANK_DID_NOT_DRAW: Final = of_procedure("BANK_DID_NOT_DRAW", "The bank did not take a card that it must take")
HOLE_CARD_NOT_OPENED: Final = of_procedure(
    "HOLE_CARD_NOT_OPENED", "The bank's hidden card was never shown though money hung on it"
)
BANK_TOTAL_WRONG: Final = of_procedure("BANK_TOTAL_WRONG", "A wrong total called for the bank")
BANK_TOTAL_NOT_CALLED: Final = of_procedure("BANK_TOTAL_NOT_CALLED", "The bank's total that was not called")

BANK_STANDS: Final = 17


@dataclass(frozen=True)
class StandsOn17:
    """The bank draws at sixteen or less and on no seventeen."""

    def draws(self, hand: BankHand, rules: Rules) -> bool:
        """Whether the bank must draw on a hand of 17."""
        return False

    def points_after(self, hand: BankHand, points: int, rules: Rules) -> int:
        """The points of a hand that drew on 17 and has ``points`` as hands are counted otherwise."""
        return points


@dataclass(frozen=True)
class Soft17(StandsOn17):
    """Art. 6(1) with 6(6): the bank draws on a hand of a six and an ace, the ace counted one (ZH 軟牌十七點)."""

    def draws(self, hand: BankHand, rules: Rules) -> bool:
        """Whether the bank must draw on a hand of 17; BJ-3: which hands are meant, BJ-1: whether it is a duty. BJ-2: the bar on
        cards at 17 or more does not apply, because this hand counts seven."""
        if not self._is_soft_17(hand, rules):
            return False
        elected = rules.options.bank_soft17
        hits = (elected or rules.readings("BJ-1")) == "hit"
        return hits and rules.readings("BJ-2") == "settled"

    def points_after(self, hand: BankHand, points: int, rules: Rules) -> int:
        """BJ-4: whether an ace that was counted one on a soft 17 stays at one."""
        return rules.readings.answer("BJ-4", no=points, yes=hand.hard)

    def _is_soft_17(self, hand: BankHand, rules: Rules) -> bool:
        if hand.cards == 2:
            return hand.ace_and_six
        literal = hand.ace and hand.six
        return rules.readings.answer("BJ-3", a6_two_cards=False, any_soft=hand.soft, literal_contains=literal)


@dataclass(frozen=True)
class Drawing(Provision):
    """Art. 6: additional cards (PT cartas adicionais, ZH 博牌).

    Attributes:
        on17: what the bank does on seventeen.
        plays_out_in_doubt: whether the text leaves open if the bank must draw when no hand waits for it.
        totals_called: whether totals must be called.
        at_21: no cards at 21; empty where the text leaves them to the player's judgement.
        doubled: one card on a doubled hand; empty where the article on doubling says it.
        split_ace: one card on a split ace; empty where the article on splitting says it.
    """

    on17: StandsOn17 = field(default_factory=StandsOn17)
    bank: Paragraph = (1,)
    player: Paragraph = (2,)
    turns: Paragraph = (3,)
    at_21: Paragraph = (4, 1)
    doubled: Paragraph = (4, 2)
    split_ace: Paragraph = (4, 3)
    announced: Paragraph = (5,)
    plays_out_in_doubt: bool = True
    totals_called: bool = True

    # The bank

    def bank_points(self, hand: BankHand, rules: Rules) -> int:
        """The bank's points."""
        points = rules.regulation.values.of_bank(hand, rules)
        return self.on17.points_after(hand, points, rules) if hand.over_soft17 else points

    def bank_may_draw(self, hand: BankHand, rules: Rules) -> bool:
        """6(1): whether the points of a known hand call for another card; otherwise the bank must not take one."""
        points = self.bank_points(hand, rules)
        return points < BANK_STANDS or (points == BANK_STANDS and self.on17.draws(hand, rules))

    def bank_takes(self, hand: BankHand, rank: str, rules: Rules) -> BankHand:
        """The bank's hand with one more card."""
        over = hand.known and self.bank_points(hand, rules) >= BANK_STANDS and self.bank_may_draw(hand, rules)
        return hand.dealt(rank, over_soft17=over)

    def bank_plays_out(self, rules: Rules) -> bool:
        """Whether the bank must draw though no hand waits for it (BJ-8)."""
        return self.plays_out_in_doubt and rules.readings("BJ-8") == "always"

    def bank_must_draw(self, hand: BankHand, awaited: Awaited, rules: Rules) -> bool:
        """Whether the bank must take another card: its second one always, others where a hand waits, or always (BJ-8)."""
        if hand.cards < 2:
            return True
        if not hand.known or not self.bank_may_draw(hand, rules):
            return False
        return awaited is Awaited.HAND or self.bank_plays_out(rules)

    def bank_surplus(self, hand: BankHand, rules: Rules, *, seen: bool, removed: bool) -> tuple[bool, Violation]:
        """6(1): whether a card that the bank must not take is held valid, and the violation. BJ-7: where it was not shown; a card
        that was is void."""
        in_doubt = not seen and rules.options.bank_unseen_extra_valid
        consequence = rules.readings("BJ-7") if in_doubt else "void"
        fate = {
            "void": "it is void" + ("" if removed else " and was to be removed"),
            "next_card": "not shown, it is the next card of the shoe",
            "in_hand": "not shown, it is held valid",
        }[consequence]
        message = f"the bank took a card on {self.bank_points(hand, rules)}: {fate}"
        return consequence == "in_hand", Violation(BANK_SURPLUS_CARD, self.cite(*self.bank), message)

    def bank_not_drawn(self, hand: BankHand, awaited: Awaited, rules: Rules) -> Iterator[Violation]:
        """6(1): the violation of leaving a hand that must draw; it is settled as it is."""
        if self.bank_must_draw(hand, awaited, rules):
            points = self.bank_points(hand, rules)
            drawn_on = f"{'a soft ' if points >= BANK_STANDS else ''}{points}"
            message = f"the bank must draw on {drawn_on} and did not: the wagers are settled on the cards as they are"
            yield Violation(BANK_DID_NOT_DRAW, self.cite(*self.bank), message, marks.LAST_CARD)

    # The players

    def not_asked(self, card: Card) -> Violation:
        """6(2): the violation of a card that the player did not ask for."""
        return Violation(CARD_NOT_ASKED, self.cite(*self.player), f"nobody asked for the {card}")

    def bust_not_shown(self, showing: Showing) -> tuple[Violation | None, Violation | None]:
        """6(2): the violation of not showing a hand over 21 before play goes on at its seat, and the one that holds only if play
        had gone on to another place when the last card was shown."""
        article = self.cite(*self.player)
        if any(showing.down) or showing.late:
            message = "over 21, and the hidden cards were not shown at once"
            return Violation(BUST_NOT_SHOWN, article, message, BUST), None
        message = "over 21, and the hidden cards were shown when play had gone on"
        return None, Violation(BUST_NOT_SHOWN, article, message, SHOWN)

    def turn(self, last: int, seat: int, rules: Rules) -> Iterator[Violation]:
        """6(3): each seat makes its final decision before the next one is asked; BJ-34: and gets its cards then."""
        if seat < last and rules.records("decisions", "deal_order"):
            rules.readings("BJ-34")
            yield Violation(DECISION_ORDER, self.cite(*self.turns), f"seat {seat} is played after seat {last}")

    def undecided(self, hand: Hand, rules: Rules) -> Violation | None:
        """6(3): the violation of leaving a hand open that may have cards, if the bank played on and the log records stands. A
        surrender without right, a missing card and a stake to double are violations of their own."""
        decided = hand.ended or hand.half_agreed or hand.prize or hand.asked or hand.owed or hand.double_staked
        if decided or not hand.known or hand.cards.size < 2:
            return None
        if STANDS not in rules.recorded or not rules.records("decisions"):
            return None
        if hand.cards.best >= MOST or self.refusal(hand, rules) is not None:
            return None
        message = f"nobody drew to {hand.cards.best} or stood on it before the bank went on"
        return Violation(DECISION_MISSING, self.cite(*self.turns), message, marks.LAST_CARD)

    def is_barred_at_21(self, hand: Hand, rules: Rules) -> bool:
        """Whether a player's hand may ask for no card because it has 21 or more; it may while a card of it is not named."""
        return bool(self.at_21) and hand.known and rules.regulation.values.of_player(hand, rules) >= MOST

    def refusal(self, hand: Hand, rules: Rules) -> Violation | None:
        """Why a player's hand may not ask for a card; None where it may."""
        splitting, doubling = rules.regulation.splitting, rules.regulation.doubling
        if hand.aces and hand.cards.size >= 2 and not rules.options.split_aces_draw:
            article = self.cite(*self.split_ace) if self.split_ace else splitting.cite(*splitting.aces)
            return Violation(HIT_ON_SPLIT_ACE, article, "a split ace gets one card only")
        if hand.doubled:
            article = self.cite(*self.doubled) if self.doubled else doubling.cite(*doubling.one_card)
            return Violation(HIT_AFTER_DOUBLE, article, "a doubled hand gets one card only")
        if self.is_barred_at_21(hand, rules):
            return Violation(HIT_AT_21, self.cite(*self.at_21), "cards may be asked for below 21 only")
        return None

    # What is called

    def calls_seats(self, rules: Rules) -> bool:
        """Whether the totals of seats must be called: where their cards lie open (BJ-33)."""
        return self.totals_called and rules.regulation.deal.opens_seats(rules)

    def calls_bank(self, rules: Rules) -> bool:
        """Whether the bank's total must be called: where no card of it was hidden (BJ-33)."""
        return self.totals_called and not rules.options.hides_second

    def total_wrong(self, hand: Hand, total: int, rules: Rules) -> Violations:
        """6(5): the violation of calling another total than a player's hand has; with an ace either is right. BJ-33: even where
        it had not to be called."""
        if not hand.known or hand.cards.counts(total) or not self.totals_called:
            return ()
        if not self.calls_seats(rules):
            rules.readings("BJ-33")
        message = f"{total} was called, the hand has {hand.cards.best}"
        return (Violation(TOTAL_WRONG, self.cite(*self.announced), message),)

    def called_behind(self, rules: Rules) -> Breach | None:
        """6(5): the breach of calling a seat's total behind that of a seat farther to the right; None where totals need not be
        called (BJ-33), or the log does not tell in which order they were."""
        if not self.calls_seats(rules) or not rules.records("deal_order", "totals"):
            return None
        message = "the totals are called from the left, and that of a seat farther to the right was called before"
        return Breach(TOTAL_ORDER, self.cite(*self.announced), message)

    def total_not_called(self, hand: Hand, rules: Rules, *, all_open: bool) -> Violations:
        """6(5): the violation of not calling the total of a player's hand, if none of its cards lies face down."""
        if hand.called is not CalledTotal.NOTHING or not all_open or not hand.known:
            return ()
        if TOTALS not in rules.recorded or not self.calls_seats(rules):
            return ()
        message = "the total of {cards} was not called"
        return (Violation(TOTAL_NOT_CALLED, self.cite(*self.announced), message),)


_WHY: Final = {
    Awaited.HAND: "hands wait for the bank",
    Awaited.NATURAL: "money hangs on whether the bank has Black Jack",
    Awaited.NOTHING: "the bank plays out",
}


@dataclass(frozen=True)
class Scoring(Provision):
    """Art. 7: cards are given as asked for, the bank takes its second one, totals are called; a player over 21 has lost, whatever
    the bank gets (PT rebentar).

    Attributes:
        called: cards dealt as asked for, and totals called.
        second: the bank's second card; empty where the article on the deal has it.
        bust: a hand over 21.
    """

    called: Paragraph = (1,)
    second: Paragraph = (1,)
    bust: Paragraph = (2,)

    def not_given(self) -> Violation:
        """7(1): the violation of not dealing a card that was asked for."""
        return Violation(CARD_NOT_GIVEN, self.cite(*self.called), "a card was asked for and not dealt")

    def total_wrong(self, hand: Hand, total: int, rules: Rules) -> Violations:
        """7(1): the violation of calling another total than a hand has that drew cards."""
        found = rules.regulation.drawing.total_wrong(hand, total, rules)
        return tuple(replace(each, article=self.cite(*self.called)) for each in found)

    def total_not_called(self, hand: Hand, rules: Rules, *, all_open: bool) -> Iterator[Violation]:
        """7(1): the violation of not calling the total of a hand that drew cards."""
        for found in rules.regulation.drawing.total_not_called(hand, rules, all_open=all_open):
            yield replace(found, article=self.cite(*self.called), mark=marks.LAST_CARD)

    def bank_not_shown(self, bank: BankState, awaited: Awaited, rules: Rules) -> Iterator[Violation]:
        """7(1): the violations of taking no second card, and of not showing a hidden one, unless a look at it found Black Jack.
        BJ-8: only where a bet, even the insurance, is undecided, also by that look, or always."""
        alone, hidden = bank.hand.cards == 1, bank.hidden and not bank.hole.found_natural
        if not (alone or hidden) or not rules.records("deal_order", "faces"):
            return
        told = awaited is Awaited.NATURAL and not alone and bank.hole.looked
        if (told or awaited is Awaited.NOTHING) and not rules.regulation.drawing.bank_plays_out(rules):
            return
        deal = rules.regulation.deal
        article = self.cite(*self.second) if self.second else deal.cite(*deal.second_paragraph(rules))
        if alone:
            message = f"{_WHY[awaited]}, and it took no second card"
            yield Violation(BANK_DID_NOT_DRAW, article, message, marks.LAST_CARD)
        if hidden:
            message = "the bank's hidden card was never shown, and hands or insurance wait for it"
            yield Violation(HOLE_CARD_NOT_OPENED, article, message, HIDDEN)

    def is_bank_total(self, hand: BankHand, called: int, rules: Rules) -> bool:
        """7(1): whether a total is the bank's; with an ace either is right."""
        return called == rules.regulation.drawing.bank_points(hand, rules) or hand.counts(called)

    def bank_total_wrong(self, hand: BankHand, called: int, rules: Rules) -> Violations:
        """7(1): the violation of calling another total than the bank's. BJ-33: even where it had not to be called."""
        drawing = rules.regulation.drawing
        if not drawing.totals_called or self.is_bank_total(hand, called, rules):
            return ()
        if not drawing.calls_bank(rules):
            rules.readings("BJ-33")
        message = f"{called} was called, the bank has {drawing.bank_points(hand, rules)}"
        return (Violation(BANK_TOTAL_WRONG, self.cite(*self.called), message),)

    def bank_not_called(self, hand: BankHand, rules: Rules) -> Iterator[Violation]:
        """7(1): the violation of not calling the bank's total."""
        drawing = rules.regulation.drawing
        if hand.called is CalledTotal.NOTHING and TOTALS in rules.recorded and drawing.calls_bank(rules):
            message = f"the bank's total of {drawing.bank_points(hand, rules)} was not called"
            yield Violation(BANK_TOTAL_NOT_CALLED, self.cite(*self.called), message, marks.LAST_CARD)

    def due(self) -> Due:
        """7(2): what a hand over 21 is due."""
        return Due.of(LOST, self.cite(*self.bust), "over 21: lost, whatever becomes of the bank")
