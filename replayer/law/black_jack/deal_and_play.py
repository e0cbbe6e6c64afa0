"""The machines of the deal: who got cards, in which order, and face up or down (art. 5); and of the play: the order in which
seats play, and the bank's cards meanwhile (arts. 5(2), 6(3)).

They take each card as finally known. Of the deal, a card that was taken back shows only that it had begun.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from replayer.contract.machine import Violation, Violations
from replayer.law.black_jack.rules import Rules

# The deal


class OutOfTurn(NamedTuple):
    """The first card that a seat got out of turn: the ``number``-th of ``seat``, where ``due`` was next. ``due`` is 0 where every
    seat had two cards; ``seat`` and ``number`` are 0 where ``due`` got no second one at all."""

    seat: int
    number: int
    due: int


class BankPass(Enum):
    """When the bank's first card came."""

    NOT_DEALT = "not before the first decision"
    ALONE = "no seat was dealt any"
    FIRST = "after the first card of all seats"
    SECOND = "after the second one"
    BETWEEN = "in between"


class FirstSettlement(Enum):
    """When the first wager was settled."""

    LATER = "not yet, or when a seat had two cards or decided"
    BEFORE_THE_DEAL = "before the first card: it was taken back"
    DURING_THE_DEAL = "before any seat had two cards"


class Passes(NamedTuple):
    """The deal of a round, two passes from seat to seat.

    Attributes:
        bets: the seats with wagers when their cards were dealt.
        begun: whether any card was dealt.
        dealt: the seats that were dealt a card, or played; after the deal also those excused from it: all with wagers, where one
            was settled before the deal, as the log does not say whose.
        twice: the seats with two cards, during the deal.
        order: the seats with wagers in the order of their cards, up to the first one out of turn, as long as the deal lasts;
            within a pass from the left where the text does not say from which side.
        paid: when the first wager was settled; before the deal as long as that can excuse a seat.
        over: whether the first decision was taken.
        out_of_turn: the first card out of turn, once the deal is over.
        bank_pass, second_too_soon: when the bank's first card came, as far as the deal has come, and whether its second one did
            before the end of the second pass where the text says in which it comes; as long as no card came out of turn.
    """

    bets: frozenset[int]
    begun: bool = False
    dealt: frozenset[int] = frozenset()
    twice: frozenset[int] = frozenset()
    order: tuple[int, ...] = ()
    paid: FirstSettlement = FirstSettlement.LATER
    over: bool = False
    out_of_turn: OutOfTurn | None = None
    bank_pass: BankPass = BankPass.NOT_DEALT
    second_too_soon: bool = False

    def begins(self) -> Passes:
        """After a card that was taken back, or dealt when the round was over."""
        return self if self.begun else self._replace(begun=True)

    def deals(self, seat: int, face: str, rules: Rules, *, fresh: bool) -> tuple[Passes, Violations]:
        """After a card for a seat before the first decision; ``fresh`` is whether no round was played since the shuffle."""
        deal = rules.regulation.deal
        violations: list[Violation] = []
        if seat not in self.dealt and seat not in self.bets:
            violations.append(deal.without_bet(seat, rules))
        again = seat in self.dealt
        if seat not in self.twice:
            violations += deal.face_of_seat(seat, face, rules, second=again, first_of_shoe=self._first and fresh)
        after = self._replace(
            begun=True,
            dealt=self.dealt if again else self.dealt | {seat},
            twice=self.twice | {seat} if again else self.twice,
        )
        if self.paid is FirstSettlement.BEFORE_THE_DEAL and after.twice and self.bets <= after.dealt:
            after = after._replace(paid=FirstSettlement.LATER)
        if seat in self.bets:
            after = after._next(seat, rules, new=not again)
        return after, tuple(violations)

    def deals_bank(self, number: int, face: str, rules: Rules, *, fresh: bool) -> tuple[Passes, Violations]:
        """After a card for the bank, its ``number``-th."""
        deal = rules.regulation.deal
        violations: Violations = ()
        after = self.begins()
        if number == 1 and not self.over:
            violations = tuple(deal.face_of_bank(face, rules, first_of_shoe=self._first and fresh))
            if deal.out_of_turn(self.order, self._seats, rules) is None:
                after = after._replace(bank_pass=self._pass())
        if number == 2:
            violations = tuple(deal.face_of_second(face, rules))
            if self.bank_pass is BankPass.FIRST and not self.over and deal.fixes_the_passes(rules):
                after = after._replace(second_too_soon=len(self.order) < 2 * len(self._seats))
        return after, violations

    @property
    def _seats(self) -> frozenset[int]:
        """The seats with wagers that were dealt a card."""
        return self.dealt & self.bets

    def _next(self, seat: int, rules: Rules, *, new: bool) -> Passes:
        """With the place of a card in the order; the bank's first one came in the middle of a pass if it is a ``new`` seat's."""
        deal, bank_pass, too_soon = rules.regulation.deal, self.bank_pass, self.second_too_soon
        order = deal.next_in_order(self.order, seat, self._seats)
        if deal.out_of_turn(order, self._seats, rules):
            bank_pass, too_soon = BankPass.NOT_DEALT, False
        elif new and bank_pass is not BankPass.NOT_DEALT:
            bank_pass, too_soon = BankPass.BETWEEN, False
        return self._replace(order=order, bank_pass=bank_pass, second_too_soon=too_soon)

    def _pass(self) -> BankPass:
        """The pass, as far as the deal has come, that a card of the bank ends now."""
        seats = len(self._seats)
        if not seats:
            return BankPass.ALONE
        return {seats: BankPass.FIRST, 2 * seats: BankPass.SECOND}.get(len(self.order), BankPass.BETWEEN)

    @property
    def _first(self) -> bool:
        """Whether no card stands yet."""
        return not self.dealt and self.bank_pass is BankPass.NOT_DEALT

    def plays(self, seat: int, rules: Rules) -> tuple[Passes, Violations]:
        """After a decision or a card of a seat in play."""
        if seat in self.dealt:
            return self, ()
        violations = () if seat in self.bets else (rules.regulation.deal.without_bet(seat, rules),)
        return self._replace(dealt=self.dealt | {seat}), violations

    def is_decided(self, rules: Rules) -> Passes:
        """After the first decision, which ends the deal."""
        if self.over:
            return self
        deal, seats = rules.regulation.deal, self._seats
        out_of_turn = deal.out_of_turn(self.order, seats, rules) or deal.missing(self.order, seats)
        excused = self.paid is FirstSettlement.BEFORE_THE_DEAL
        return Passes(
            self.bets,
            self.begun,
            self.dealt | self.bets if excused else self.dealt,
            paid=FirstSettlement.LATER if excused else self.paid,
            over=True,
            out_of_turn=out_of_turn,
            bank_pass=BankPass.NOT_DEALT if out_of_turn else self.bank_pass,
            second_too_soon=self.second_too_soon and not out_of_turn,
        )

    def pays(self) -> Passes:
        """After a wager was settled."""
        if self.over:
            return self if self.begun else self._replace(dealt=self.dealt | self.bets)
        if self.paid is not FirstSettlement.LATER or self.twice:
            return self
        return self._replace(paid=FirstSettlement.DURING_THE_DEAL if self.begun else FirstSettlement.BEFORE_THE_DEAL)


# The play


class SecondCard(Enum):
    """The bank's second card."""

    NOT_DEALT = "not dealt"
    DEALT = "dealt"
    PLAYED_ON = "dealt open, and play went on"
    LATE = "due face down before the first decision, and not dealt by then"


class Opened(Enum):
    """The bank's card that lies face down."""

    NOT_YET = "not opened"
    AFTER_LOOK = "to be opened at once, as the look found Black Jack"
    OPENED = "opened"
    PLAYED_ON = "opened, and play went on"


class LookTime(Enum):
    """Whether the bank looked at its hidden card before anyone played."""

    NOT_YET = "not yet"
    IN_TIME = "before anyone played"
    LATE = "when play had begun"


class OrderOfPlay(NamedTuple):
    """The play of a round.

    Attributes:
        last: the seat that played last; 0 before anyone did.
        second: the bank's second card.
        opened: the bank's card that lies face down, where its second one must.
        looked: the bank's look at that card, where it must look.
    """

    last: int = 0
    second: SecondCard = SecondCard.NOT_DEALT
    opened: Opened = Opened.NOT_YET
    looked: LookTime = LookTime.NOT_YET

    def deals_second(self) -> OrderOfPlay:
        """After the bank took its second card."""
        return self._replace(second=SecondCard.DEALT) if self.second is SecondCard.NOT_DEALT else self

    def is_decided(self, rules: Rules) -> OrderOfPlay:
        """After a decision, even one on insurance, even money or a surrender: a card due face down before it is late now."""
        late = self.second is SecondCard.NOT_DEALT and rules.options.hides_second
        return self._replace(second=SecondCard.LATE) if late else self

    def plays(self, seat: int, rules: Rules) -> tuple[OrderOfPlay, tuple[Violation, ...]]:
        """After a decision or a card of a seat in play."""
        second, opened = self.second, self.opened
        if second is SecondCard.DEALT and not rules.options.hides_second:
            second = SecondCard.PLAYED_ON
        if opened is Opened.OPENED:
            opened = Opened.PLAYED_ON
        violations = tuple(rules.regulation.drawing.turn(self.last, seat, rules))
        return OrderOfPlay(seat, second, opened, self.looked), violations

    def opens(self, rules: Rules) -> OrderOfPlay:
        """After a card of the bank was turned, or it drew to its two."""
        if self.opened is not Opened.NOT_YET or not rules.options.hides_second:
            return self
        return self._replace(opened=Opened.OPENED)

    def looks(self, rules: Rules, *, natural: bool) -> OrderOfPlay:
        """After the bank looked at its hidden card; where it found Black Jack it opens the card at once."""
        if not rules.options.checks_hole:
            return self
        looked, opened = self.looked, self.opened
        if looked is LookTime.NOT_YET:
            looked = LookTime.LATE if self.last else LookTime.IN_TIME
        if natural and opened is Opened.NOT_YET:
            opened = Opened.AFTER_LOOK
        return self._replace(looked=looked, opened=opened)
