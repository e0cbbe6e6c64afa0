"""The deal: art. 5.

The machines of a round (``round_state``) consult it. What the log does not record is not held
against the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from replayer.contract.machine import Violation
from replayer.contract.outcomes import Breach
from replayer.contract.symbols import BANK, DOWN, UP
from replayer.contract.wagers import RETURNED, Due, StakeSituation
from replayer.law.black_jack import marks
from replayer.law.black_jack.bank import LOOK, PLAY, HoleCard, Look
from replayer.law.black_jack.deadlines import after_close
from replayer.law.black_jack.deal_and_play import (
    BankPass,
    FirstSettlement,
    LookTime,
    Opened,
    OrderOfPlay,
    OutOfTurn,
    Passes,
    SecondCard,
)
from replayer.law.black_jack.rules import Rules
from replayer.law.codes import CARD_TAKEN_AWAY
from replayer.law.regulation import Paragraph, Provision
from schemas.finding import advisory, of_money, of_procedure
from schemas.money import format_amount

CARD_WITHOUT_BET: Final = of_procedure("CARD_WITHOUT_BET", "Cards at a seat without a wager")
SEAT_NOT_DEALT: Final = of_procedure("SEAT_NOT_DEALT", "A seat with a wager got no cards")
DEAL_ORDER: Final = of_procedure("DEAL_ORDER", "Cards not dealt one at a time from the left")
DEAL_PROCEDURE_CLOSED: Final = of_procedure(
    "DEAL_PROCEDURE_CLOSED", "A deal that the text does not describe for the equipment in use"
)
CARD_FACE: Final = of_procedure("CARD_FACE", "A card dealt face down that belongs face up")
EXPOSED_CARD_KEPT: Final = of_procedure("EXPOSED_CARD_KEPT", "A card that came out face up was kept")
BANK_SECOND_CARD_EARLY: Final = of_procedure(
    "BANK_SECOND_CARD_EARLY", "The bank's second card before the players had acted"
)
BANK_SECOND_CARD_LATE: Final = of_procedure(
    "BANK_SECOND_CARD_LATE", "The bank's hidden second card not dealt before the players act"
)
HOLE_CARD_OPENED_EARLY: Final = of_procedure(
    "HOLE_CARD_OPENED_EARLY", "Play went on after the bank opened its hidden card or drew another one"
)
HOLE_NOT_CHECKED: Final = of_procedure("HOLE_NOT_CHECKED", "The bank's hidden card was not checked")
HOLE_CHECK_WRONG: Final = of_procedure(
    "HOLE_CHECK_WRONG", "The check of the hidden card found what was not there, or missed it"
)
CARD_AFTER_END: Final = of_procedure("CARD_AFTER_END", "Cards or decisions after the round was over")
VOID_UNFOUNDED: Final = of_money(
    "VOID_UNFOUNDED", "A round declared void though the log shows that it was dealt and played right"
)
PAID_DURING_DEAL: Final = of_procedure("PAID_DURING_DEAL", "A settlement before any seat had two cards")
TABLE_LIMIT_EXCEEDED: Final = of_procedure(
    "TABLE_LIMIT_EXCEEDED", "More staked in a round than the table's limit for all bets together"
)
CARD_TAKEN_BACK: Final = advisory("CARD_TAKEN_BACK", "A card drawn and taken away at once, as an error is put right")
CLOSE_MISSING: Final = advisory("CLOSE_MISSING", "Cards dealt though the bets were never closed")
CLOSE_LATE: Final = advisory("CLOSE_LATE", "Bets closed after the first card")


@dataclass(frozen=True)
class Deal(Provision):
    """Art. 5: cards go to seats with bets and to the bank, one at a time from the left, by one of up to three procedures.

    Attributes:
        procedure_article: the article with ``order``, ``exposed`` and ``error`` where it is another one, as in 141/2000.
        late_in_doubt: whether the text leaves open what a wager placed after the deal is due (X-7).
        from_the_left: whether the cards are dealt from the left; 141/2000 says so of decisions only.
        shoe: procedure 1 with a shoe or a machine.
        box: procedure 1 with the metal box.
    """

    procedure_article: Provision | None = None
    late_in_doubt: bool = True
    from_the_left: bool = True

    order: Paragraph = (1,)
    exposed: Paragraph = (1, 1)
    error: Paragraph = (1, 2)
    shoe: Paragraph = (2, 1, 1)
    box: Paragraph = (2, 1, 2)
    open_cards: Paragraph = (2, 2, 1)
    open_second: Paragraph = (2, 2, 2)
    hole_first: Paragraph = (2, 3, 1)
    hole_second: Paragraph = (2, 3, 2)
    hole_check: Paragraph = (2, 3, 3)
    hole_collects: Paragraph = (2, 3, 4)
    hole_down: Paragraph = (2, 3, 5)
    hole_splits: Paragraph = (2, 3, 7)
    hole_limit: Paragraph = (2, 3, 8)

    # (1): to whom, and in which order

    def order_article(self) -> str:
        """The citation of the rule that cards go to the seats with bets, one at a time."""
        return (self.procedure_article or self).cite(*self.order)

    def in_time(self, stake: StakeSituation) -> Breach | None:
        """5(1): the breach of a main wager after the first card: cards go to the seats with bets."""
        return after_close(stake, self.order_article())

    def without_bet(self, seat: int, rules: Rules) -> Violation:
        """The violation of dealing cards to a seat without a wager."""
        return Violation(
            CARD_WITHOUT_BET, self._bets_article(rules), f"seat {seat} had no wager when the first card was dealt"
        )

    def _bets_article(self, rules: Rules) -> str:
        return self.order_article() if self.procedure_article is None else self.cite(*self.second_paragraph(rules))

    def next_in_order(self, order: tuple[int, ...], seat: int, seats: frozenset[int]) -> tuple[int, ...]:
        """The seats in the order of their cards, with one more card, in a deal to ``seats`` so far; up to the first one that came
        out of turn or was a third one."""
        return _in_order((*order, seat), seats, left=self.from_the_left)

    def out_of_turn(self, order: tuple[int, ...], seats: frozenset[int], rules: Rules) -> OutOfTurn | None:
        """The first card out of turn in a deal to ``seats`` so far. Where the log does not record decisions, a third card may
        have been asked for."""
        left, third = self.from_the_left, 2 * len(seats)
        wrong = _first_wrong(order, seats, left=left)
        if wrong is not None:
            due = _seats_due(order, seats, left=left)[wrong]
            return OutOfTurn(order[wrong], order[: wrong + 1].count(order[wrong]), due)
        return OutOfTurn(order[third], 3, 0) if len(order) > third and rules.records("decisions") else None

    def missing(self, order: tuple[int, ...], seats: frozenset[int]) -> OutOfTurn | None:
        """The first card that is missing in a finished deal to ``seats`` in which none came out of turn."""
        due = _seats_due(order, seats, left=self.from_the_left)
        return OutOfTurn(0, 0, due[len(order)]) if len(order) < len(due) else None

    def after_the_round(self, passes: Passes, rules: Rules) -> Iterator[Violation]:
        """The violations of a deal that was not interrupted."""
        for seat in sorted(passes.bets - passes.dealt) if passes.begun else ():
            message = f"seat {seat} has a wager and got no cards"
            yield Violation(SEAT_NOT_DEALT, self._bets_article(rules), message, marks.FIRST_CARD)
        dealt = passes.begun or passes.bets  # without a bet there is nobody to deal to
        if dealt and rules.records("deal_order"):
            wrong = passes.out_of_turn
            yield from self._bank_in_its_passes(passes, rules) if wrong is None else self._out_of_turn(wrong)
        if passes.paid is FirstSettlement.DURING_THE_DEAL:
            message = "nothing is decided before a seat has two cards"
            yield Violation(PAID_DURING_DEAL, self.order_article(), message, marks.PAID)

    def _out_of_turn(self, wrong: OutOfTurn) -> Iterator[Violation]:
        article, mark = self.order_article(), marks.card(wrong.seat, wrong.number)
        if not wrong.seat:
            message, mark = f"seat {wrong.due} had one card when the deal ended", marks.DEAL_ENDS
        elif wrong.due:
            message = f"seat {wrong.seat} where seat {wrong.due} was next"
        else:
            message = f"a third card for seat {wrong.seat} before anything was decided"
        yield Violation(DEAL_ORDER, article, message, mark)

    def after_the_end(self) -> Violation:
        """The violation of a card or a decision after the round was over."""
        return Violation(CARD_AFTER_END, self.order_article(), "the round was over")

    def closed_late(self, rules: Rules) -> Iterator[Violation]:
        """Bets are closed before the first card. No text says how; side wagers end with the first card (art. 13)."""
        if rules.records("close"):
            yield Violation(CLOSE_LATE, "", "cards were dealt while bets were open")

    def never_closed(self, rules: Rules) -> Iterator[Violation]:
        """Bets that were never closed."""
        if rules.records("close"):
            yield Violation(CLOSE_MISSING, "", "no more bets was never said", marks.FIRST_CARD)

    # (1)(1): a card that came out face up

    def _kept(self, who: str, rules: Rules, *, first_of_shoe: bool) -> Iterator[Violation]:
        """The violation of keeping a card that came out face up. BJ-28: the house may keep the first one of a shoe, or any."""
        if rules.options.exposed_first_card_valid and (first_of_shoe or rules.readings("BJ-28") == "as_option"):
            return
        message = f"a card of {who} came out face up: it is void, to be taken away and replaced"
        yield Violation(EXPOSED_CARD_KEPT, (self.procedure_article or self).cite(*self.exposed), message)

    # (1)(2): an error

    def error_article(self) -> str:
        """The citation of the rule that cancels the cards of a round after an error."""
        return (self.procedure_article or self).cite(*self.error)

    def cancelled_due(self, rules: Rules) -> Due:
        """What any wager of a round declared void is due, with or without an error in it: the text cancels the cards and is
        silent on the bets (BJ-29)."""
        if rules.readings("BJ-29") == "stand_for_redeal":
            return Due(None, self.error_article(), unjudged="the round was void and its bets stand for a new deal")
        text = "the round was declared void, rightly or not: its cards do not count, the stake goes back"
        return Due.of(RETURNED, self.error_article(), text)

    def void_unfounded(self, rules: Rules) -> Violation | None:
        """The violation of declaring a round void without an error; None where the log does not record what could show one."""
        if not rules.records("deal_order", "faces"):
            return None
        message = "the log shows no error: only one that cannot be put right cancels the cards"
        return Violation(VOID_UNFOUNDED, self.error_article(), message, marks.DECLARED_VOID)

    def no_correction(self, card: str, ended: str = "") -> Violation:
        """The violation of removing a card that was rightly dealt after play went on with it, or after it ended the hand
        (``ended`` says how): an error is corrected as soon as it is noticed, or all cards of the round are cancelled."""
        when = ended or "play had gone on with it"
        return Violation(CARD_TAKEN_AWAY, self.error_article(), f"{card} was taken away when {when}")

    def taken_back(self, card: str) -> Violation:
        """The notice of a card that a hand drew and lost at once: an error is put right so, and so would luck be."""
        message = f"{card} was dealt and taken away again: right only where it was void or another's"
        return Violation(CARD_TAKEN_BACK, self.error_article(), message)

    # (2): how the cards lie, and the bank's second one

    def _assumed(self, rules: Rules) -> str:
        told = rules.options.assumed("deal_procedure")
        return f" (procedure {rules.options.deal_procedure} is {told})" if told else ""

    def second_paragraph(self, rules: Rules) -> Paragraph:
        """The place of what the text says of the bank's second card."""
        procedure = rules.options.deal_procedure
        if procedure == 1:
            return self.box if rules.options.device == "box" else self.shoe
        return self.hole_second if procedure == 3 else self.open_second

    def face_of_second(self, face: str, rules: Rules) -> Iterator[Violation]:
        """Whether the bank's second card lies as it must."""
        wanted = DOWN if rules.options.hides_second else UP
        yield from self._face("the bank", face, wanted, self.second_paragraph(rules), rules, first_of_shoe=False)

    def _bank_too_soon_or_late(self, play: OrderOfPlay, rules: Rules) -> Iterator[Violation]:
        article = self.cite(*self.second_paragraph(rules))
        if play.second is SecondCard.PLAYED_ON:
            message = f"the bank's second card is dealt after the players have drawn or stood{self._assumed(rules)}"
            yield Violation(BANK_SECOND_CARD_EARLY, article, message, marks.SECOND_CARD)
        if play.second is SecondCard.LATE:
            message = "the bank's second card is dealt face down before the players act"
            yield Violation(BANK_SECOND_CARD_LATE, article, message, marks.DEAL_ENDS)
        if play.opened is Opened.PLAYED_ON:
            message = "the bank opens its hidden card, and draws, when the players have acted"
            yield Violation(HOLE_CARD_OPENED_EARLY, article, message, marks.BANK_OPENED)

    def closed_procedure(self, rules: Rules) -> Iterator[Violation]:
        """BJ-31: procedure 2 is described for shoe and machine only."""
        options = rules.options
        if options.deal_procedure == 2 and options.device == "box" and rules.readings("BJ-31") == "no":
            message = "the second procedure is for shoe and machine"
            yield Violation(DEAL_PROCEDURE_CLOSED, self.cite(*self.open_cards), message)

    def _seat_face(self, rules: Rules, *, second: bool) -> tuple[str, Paragraph]:
        """How the first or the ``second`` of a seat's first two cards must lie; empty where either way is right."""
        procedure = rules.options.deal_procedure
        if procedure == 1:
            return DOWN, self.second_paragraph(rules)
        if self.opens_seats(rules):
            hole = self.hole_second if second else self.hole_first
            return UP, self.open_cards if procedure == 2 else hole
        mixed = rules.readings("BJ-32") == "zh"
        return "" if mixed else DOWN, self.hole_down

    def opens_seats(self, rules: Rules) -> bool:
        """Whether a seat's first two cards lie open."""
        procedure = rules.options.deal_procedure
        return procedure == 2 or (procedure == 3 and rules.options.p3_player_faces == "up")

    def face_of_seat(
        self, seat: int, face: str, rules: Rules, *, second: bool, first_of_shoe: bool
    ) -> Iterator[Violation]:
        """Whether one of a seat's first two cards lies as it must."""
        if rules.records("faces"):
            wanted, paragraph = self._seat_face(rules, second=second)
            yield from self._face(f"seat {seat}", face, wanted, paragraph, rules, first_of_shoe=first_of_shoe)

    def _face(
        self, who: str, face: str, wanted: str, paragraph: Paragraph, rules: Rules, *, first_of_shoe: bool
    ) -> Iterator[Violation]:
        if not wanted or face in ("", wanted) or not rules.records("faces"):
            return
        if wanted == UP:
            yield Violation(CARD_FACE, self.cite(*paragraph), f"a card of {who} lies face down{self._assumed(rules)}")
        else:
            yield from self._kept(who, rules, first_of_shoe=first_of_shoe)

    def face_of_bank(self, face: str, rules: Rules, *, first_of_shoe: bool) -> Iterator[Violation]:
        """Whether the bank's first card lies open."""
        own = {2: self.open_cards, 3: self.hole_first}
        paragraph = own.get(rules.options.deal_procedure, self.second_paragraph(rules))
        yield from self._face("the bank", face, UP, paragraph, rules, first_of_shoe=first_of_shoe)

    # (2)(3): the bank's first two cards in their passes, its look at the hidden one, the limit of the table

    def fixes_the_passes(self, rules: Rules) -> bool:
        """Whether the text says in which pass each of the bank's first two cards comes: procedure 3, with its hole card."""
        return bool(rules.options.deal_procedure == 3)

    def _bank_in_its_passes(self, passes: Passes, rules: Rules) -> Iterator[Violation]:
        """The bank gets its card last in a pass; in which pass, only procedure 3 fixes (BJ-30)."""
        came = passes.bank_pass
        if came is BankPass.NOT_DEALT:
            message = "the bank had no card when the deal ended"
            yield Violation(DEAL_ORDER, self.order_article(), message, marks.DEAL_ENDS)
            return
        if self.fixes_the_passes(rules):
            if came not in (BankPass.FIRST, BankPass.ALONE):
                message = "the bank's first card belongs at the end of the first pass"
                yield Violation(DEAL_ORDER, self.cite(*self.hole_first), message, marks.card(BANK, 1))
            elif passes.second_too_soon:
                message = "the bank's second card belongs at the end of the second pass"
                yield Violation(DEAL_ORDER, self.cite(*self.hole_second), message, marks.card(BANK, 2))
            return
        if came is BankPass.BETWEEN:
            message = "the bank's card belongs at the end of a pass"
            yield Violation(DEAL_ORDER, self.order_article(), message, marks.card(BANK, 1))
            return
        reading = rules.readings("BJ-30")
        if came is {"first": BankPass.SECOND, "second": BankPass.FIRST}.get(reading):
            message = f"the bank's card belongs at the end of the {reading} pass"
            yield Violation(DEAL_ORDER, self.order_article(), message, marks.card(BANK, 1))

    def after_the_play(self, play: OrderOfPlay, rules: Rules) -> Iterator[Violation]:
        """What the bank did at the wrong time in a round that was not interrupted."""
        if not rules.records("deal_order"):
            return
        if play.last and rules.records("decisions"):
            yield from self._bank_too_soon_or_late(play, rules)
        # Whether a surrender may come before the look is BJ-67.
        if play.looked is LookTime.LATE and self._must_look(rules):
            message = "the bank looked at its hidden card when play had begun"
            yield Violation(HOLE_NOT_CHECKED, self.cite(*self.hole_check), message, marks.FIRST_PLAY)

    def _must_look(self, rules: Rules) -> bool:
        """Whether the bank has to look at a hidden card that could make its Black Jack; BJ-19 where the law speaks of it."""
        return rules.options.deal_procedure != 3 or rules.readings("BJ-19") == "mandatory"

    def of_the_look(self, hole: HoleCard, rules: Rules) -> Iterator[Violation]:
        """5(2)(3)(3), (4): the violations of a look at the hidden card that is missing, found what was not there, or found Black
        Jack and did not end the play. BJ-74: there is none at the metal box, and what was seen there ends nothing."""
        options = rules.options
        if not hole.looked:
            if hole.is_due and options.device == "box" and not options.checks_hole:
                rules.readings("BJ-74")
            wanted = hole.is_due and options.checks_hole and rules.records("hole_check")
            if wanted and hole.look is Look.PLAYED_ON and self._must_look(rules):
                message = "play began, and the bank did not look at its hidden card under an ace or a ten"
                yield Violation(HOLE_NOT_CHECKED, self.cite(*self.hole_check), message, PLAY)
            return
        if hole.shown is not None and hole.shown != hole.found_natural:
            found, shown = ("no Black Jack", "one") if hole.shown else ("Black Jack", "none")
            message = f"the bank looked and found {found}, and {{cards}} is {shown}"
            yield Violation(HOLE_CHECK_WRONG, self.cite(*self.hole_check), message, LOOK)
        elif hole.look is Look.NATURAL_PLAYED_ON and options.checks_hole:
            message = "play went on after Black Jack was found, which ends it at once"
            yield Violation(HOLE_CHECK_WRONG, self.cite(*self.hole_collects), message, PLAY)

    def table_limit(self, rules: Rules) -> tuple[int, Breach] | None:
        """The limit of all bets of a round, which procedure 3 lets the house set, and the breach of exceeding it."""
        most = rules.options.p3_table_limit
        if most is None or rules.options.deal_procedure != 3:
            return None
        message = f"with this wager the table's bets are more than {format_amount(most)}"
        return most, Breach(TABLE_LIMIT_EXCEEDED, self.cite(*self.hole_limit), message)


@lru_cache(maxsize=4096)
def _in_order(order: tuple[int, ...], seats: frozenset[int], *, left: bool) -> tuple[int, ...]:
    """See :meth:`Deal.next_in_order`. Where the text does not say from the ``left``, the seats of a pass are sorted, except the
    first one of the second pass, whose card may turn out to be too early."""
    second, third = len(seats), 2 * len(seats)
    wrong = _first_wrong(order, seats, left=left)
    if wrong is not None or left or len(order) > third:
        return order[: (third if wrong is None else wrong) + 1]
    return (*sorted(order[:second]), *order[second : second + 1], *sorted(order[second + 1 :]))


@lru_cache(maxsize=4096)
def _first_wrong(order: tuple[int, ...], seats: frozenset[int], *, left: bool) -> int | None:
    """The place of the first of each seat's two cards that it got out of turn."""
    due = _seats_due(order, seats, left=left)
    return next((place for place, pair in enumerate(zip(order, due, strict=False)) if pair[0] != pair[1]), None)


def _seats_due(order: tuple[int, ...], seats: frozenset[int], *, left: bool) -> list[int]:
    """The seats that were due, pass by pass: from the ``left``; or, where the text does not say so, any seat that still waited
    for its card, and the leftmost of them where the card went to none."""
    if left:
        return sorted(seats) * 2
    due: list[int] = []
    for waiting in (sorted(seats), sorted(seats)):
        while waiting:
            seat = order[len(due)] if len(due) < len(order) else None
            due.append(seat if seat in waiting else waiting[0])
            waiting.remove(due[-1])
    return due
