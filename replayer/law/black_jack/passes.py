"""The machine of the deal: who got cards, in which order, and face up or down (art. 5).

The machine takes each card as finally known. A card that was taken back shows only that the deal had begun.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from replayer.law.black_jack.rules import Rules
from replayer.machine import Violation, Violations


class OutOfTurn(NamedTuple):
    """The first card that a seat got out of turn: the ``number``-th of ``seat``, where ``due`` was next.

    ``due`` is 0 where every seat had two cards; ``seat`` and ``number`` are 0 where ``due`` got no second one at all.
    """

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
        dealt: the seats that were dealt a card, or played.
        twice: the seats with two cards, during the deal.
        order: the seats with wagers in the order of their cards, up to the first one out of turn, as long as the deal lasts;
            within a pass from the left where the text does not say from which side.
        bank_after, second_after: how many of these the bank's first card came after, and its second one where the text says in
            which pass it comes, as long as the deal lasts; None where it has none.
        paid: when the first wager was settled.
        over: whether the first decision was taken.
        out_of_turn, bank_pass, second_too_soon: the faults in the order of the deal, once it is over.
    """

    bets: frozenset[int]
    begun: bool = False
    dealt: frozenset[int] = frozenset()
    twice: frozenset[int] = frozenset()
    order: tuple[int, ...] = ()
    bank_after: int | None = None
    second_after: int | None = None
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
        if seat not in self.twice:
            violations += deal.face_of_seat(seat, face, rules, first_of_shoe=self._first and fresh)
        again = seat in self.dealt
        after = self._replace(
            begun=True,
            dealt=self.dealt if again else self.dealt | {seat},
            twice=self.twice | {seat} if again else self.twice,
            order=deal.next_in_order(self.order, seat) if seat in self.bets else self.order,
        )
        return after, tuple(violations)

    def deals_bank(self, number: int, face: str, rules: Rules, *, fresh: bool) -> tuple[Passes, Violations]:
        """After a card for the bank, its ``number``-th."""
        deal = rules.regulation.deal
        violations: Violations = ()
        if number == 1 and not self.over:
            violations = tuple(deal.face_of_bank(face, rules, first_of_shoe=self._first and fresh))
            return self._replace(begun=True, bank_after=len(self.order)), violations
        if number == 2:
            violations = tuple(deal.face_of_second(face, rules))
            if not self.over and deal.fixes_the_passes(rules):
                return self._replace(second_after=len(self.order)), violations
        return self.begins(), violations

    @property
    def _first(self) -> bool:
        """Whether no card stands yet."""
        return not self.dealt and self.bank_after is None

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
        seats = self.dealt & self.bets
        out_of_turn = rules.regulation.deal.out_of_turn(self.order, seats, rules)
        bank_pass = BankPass.NOT_DEALT if out_of_turn else self._bank_pass(len(seats))
        second_too_soon = not out_of_turn and self.second_after is not None and self.second_after < 2 * len(seats)
        return Passes(
            self.bets,
            self.begun,
            self.dealt,
            paid=self.paid,
            over=True,
            out_of_turn=out_of_turn,
            bank_pass=bank_pass,
            second_too_soon=second_too_soon,
        )

    def _bank_pass(self, seats: int) -> BankPass:
        if self.bank_after is None:
            return BankPass.NOT_DEALT
        if not seats:
            return BankPass.ALONE
        return {seats: BankPass.FIRST, 2 * seats: BankPass.SECOND}.get(self.bank_after, BankPass.BETWEEN)

    def pays(self) -> Passes:
        """After a wager was settled."""
        if self.paid is not FirstSettlement.LATER or (self.begun and (self.over or self.twice)):
            return self
        return self._replace(paid=FirstSettlement.DURING_THE_DEAL if self.begun else FirstSettlement.BEFORE_THE_DEAL)

    def finish(self, rules: Rules, *, interrupted: bool) -> Iterator[Violation]:
        """The violations of the deal; it need not be complete where the round was ``interrupted``: declared void, or stopped by
        failed equipment."""
        if not interrupted:
            yield from rules.regulation.deal.after_the_round(self.is_decided(rules), rules)
