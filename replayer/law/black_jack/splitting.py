"""Splitting (PT separação de pares, ZH 分門): art. 16, a pair becomes two hands, each with a stake like the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from replayer.contract.cards import NOT_KNOWN
from replayer.contract.machine import Violation
from replayer.contract.outcomes import Breach
from replayer.contract.rules import OptionFault
from replayer.contract.wagers import StakeSituation
from replayer.law.black_jack.deadlines import WAGER_TOO_EARLY, bank_known, before_cards, hand_begun
from replayer.law.black_jack.doubling import STAKE_NOT_DECIDED, STAKE_UNEQUAL
from replayer.law.black_jack.hand import Hand, Seat
from replayer.law.black_jack.outcome import HandOutcome
from replayer.law.black_jack.points import PIPS
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.streak import Result
from replayer.law.regulation import Paragraph, Provision
from replayer.law.untimely import of_excess
from schemas.finding import advisory, of_money, of_procedure
from schemas.money import format_amount

HAND_WITHOUT_SPLIT: Final = of_procedure("HAND_WITHOUT_SPLIT", "A further hand that no split made")
SPLIT_NO_PAIR: Final = of_procedure("SPLIT_NO_PAIR", "Cards separated that are no pair")
SPLIT_TOO_OFTEN: Final = of_procedure("SPLIT_TOO_OFTEN", "A pair separated more often than allowed")
SPLIT_NOT_STAKED: Final = of_money("SPLIT_NOT_STAKED", "A hand split off without a stake")
SPLIT_CAP_LOW: Final = advisory("SPLIT_CAP_LOW", "A house that lets a pair become fewer than four hands")

MADE: Final = "made"
"""Mark: the event that made the hand."""
MOST_HANDS_NAMED: Final = 4
HOLE_CARD_HANDS: Final = 5
"""57/2009 art. 5(2)(3)(7): with a hidden card the player may separate four times, and no more."""


@dataclass(frozen=True)
class Splitting(Provision):
    """Art. 16: which hands may be separated, how often, and what they lose against the bank's Black Jack.

    Attributes:
        pair_ruling: the ruling on whether a king and a queen are a pair: BJ-59a, or BJ-59b for 141/2000.
        names_four: whether the text speaks of "four or more" hands.
        spares: whether a bank with Black Jack takes the initial bet only.
        unverified: the instrument that is assumed to say so without its text (BJ-75); empty where the text is at hand.
    """

    pair_ruling: str = "BJ-59a"
    names_four: bool = True
    spares: bool = False
    unverified: str = ""
    right: Paragraph = (1,)
    stake: Paragraph = (2,)
    aces: Paragraph = (3,)
    again: Paragraph = (5,)
    relief: Paragraph = (6,)
    streaks_lost: Paragraph = (7, 3)

    # Who may separate

    def not_made(self) -> Violation:
        """16(1): the violation of a hand that no split made."""
        return Violation(HAND_WITHOUT_SPLIT, self.cite(*self.right), "no split made this hand")

    def refusal(self, seat: Seat, hand: Hand, rules: Rules) -> Violation | None:
        """Why a hand may not be separated; None where it may."""
        if hand.cards.size != 2 or hand.acted or not self.is_pair(hand.cards.ranks, rules):
            return Violation(
                SPLIT_NO_PAIR, self.cite(*self.right), "only a hand's first two cards, a pair, can be separated"
            )
        if seat.size >= self.most_hands(rules):
            if self.names_four:
                rules.readings("BJ-60")
            message = f"a pair may become {self.most_hands(rules)} hands at most"
            return Violation(SPLIT_TOO_OFTEN, self._most_hands_article(rules), message)
        if hand.split and not self.may_split_again(seat, hand, rules):
            message = "the house does not let this pair be separated again"
            if rules.options.resplit and not hand.aces and self._has_declined(seat, rules):
                message = "the player decided before not to separate again"
            return Violation(SPLIT_TOO_OFTEN, self.cite(*(self.aces if hand.aces else self.again)), message)
        return None

    def article(self, rules: Rules) -> str:
        """16(1): the citation of the rule by which a stake is placed on a new hand."""
        return self.cite(*self.right)

    def in_time(self, stake: StakeSituation, rules: Rules) -> Breach | None:
        """16(1): the breach of a stake on a new hand before any card, or when that hand had its second one: the first two cards
        are separated."""
        article = self.cite(*self.right)
        return before_cards(stake, article) or hand_begun(stake, article) or bank_known(stake, article)

    def staked_early(self, seat: Seat) -> Violation | None:
        """16(1): why a stake on a new hand came too early; None where some hand had its first two cards. Before their first card
        the stake itself tells (:meth:`in_time`)."""
        if max(hand.cards.size for hand in seat.hands) != 1:
            return None
        return Violation(WAGER_TOO_EARLY, self.cite(*self.right), "placed before any hand had its first two cards")

    def is_pair(self, ranks: Sequence[str], rules: Rules) -> bool:
        """Whether two cards are of one rank; BJ-59: or two different ten-value cards. A card that is not named is assumed to make
        a pair."""
        if not ranks:
            return False
        if ranks[0] == ranks[1] or NOT_KNOWN in ranks:
            return True
        return PIPS[ranks[0]] == PIPS[ranks[1]] and self.ten_values_pair(rules)

    def is_pair_again(self, hand: Hand, rules: Rules) -> bool:
        """16(5): whether an open hand that a split made is a pair itself, which the player may decide not to separate; aces are
        excepted. No money depends on that decision: a split that was accepted is settled."""
        if not hand.split or hand.aces or hand.ended or not hand.known or hand.cards.size != 2:
            return False
        with rules.readings.uncounted():
            return self.is_pair(hand.cards.ranks, rules)

    def ten_values_pair(self, rules: Rules) -> bool:
        """Whether a king and a queen may be separated."""
        return rules.readings(self.pair_ruling) == "yes"

    def most_hands(self, rules: Rules) -> int:
        """The authorised number of hands, at most five with a hidden card. BJ-60: the text itself sets no limit."""
        most = rules.options.split_max_hands
        return min(most, HOLE_CARD_HANDS) if rules.options.deal_procedure == 3 else most

    def _most_hands_article(self, rules: Rules) -> str:
        """The citation of that number: with a hidden card art. 5 has one of its own."""
        deal = rules.regulation.deal
        own = rules.options.deal_procedure == 3 and rules.options.split_max_hands >= HOLE_CARD_HANDS
        return str(deal.cite(*deal.hole_splits) if own else self.cite(*self.right))

    def may_split_again(self, seat: Seat, hand: Hand, rules: Rules) -> bool:
        """Whether a split hand may be separated again.

        BJ-62: aces where the house elected it. BJ-61: other pairs on each occasion, or once in all. A hit or a stand declines it.
        """
        if hand.aces:
            return rules.options.resplit_aces and rules.readings("BJ-62") == "settled"
        if not rules.options.resplit:
            return False
        if self._has_declined(seat, rules):
            return False
        return seat.size == 2 or rules.readings("BJ-61") == "per_occasion"

    def _has_declined(self, seat: Seat, rules: Rules) -> bool:
        """BJ-76: a player who declined to separate one of his hands again may separate none of them."""
        return seat.declined and rules.readings("BJ-76") == "player"

    def doubts(self, most_hands: int) -> Iterator[OptionFault]:
        """BJ-60: "four or more" leaves open whether the house may allow fewer."""
        if self.names_four and most_hands < MOST_HANDS_NAMED:
            article = self.cite(*self.right)
            reason = f"the text speaks of {MOST_HANDS_NAMED} hands or more"
            yield OptionFault(SPLIT_CAP_LOW, "split_max_hands", str(most_hands), reason, article, holds=True)

    # The stake

    def of_stake(self, stake: StakeSituation, base: int, rules: Rules) -> Iterator[Breach]:
        """16(2): the breach of a stake on a new hand that is not as high as the ``base``, the initial one. BJ-63."""
        if stake.beyond(base, base):
            rules.readings("BJ-63")
            message = f"split for {format_amount(stake.total_minor)} on a main wager of {format_amount(base)}"
            yield Breach(STAKE_UNEQUAL, self.cite(*self.stake), message + of_excess(stake, base))

    def unmatched(self, hand: Hand) -> Iterator[Violation]:
        """16(2): the violation of a new hand that was staked on without a decision, or separated without a stake."""
        article = self.cite(*self.stake)
        if hand.undecided:
            message = "a stake on a new hand was placed, and nobody separated"
            yield Violation(STAKE_NOT_DECIDED, article, message, MADE)
        elif hand.cards.size and not hand.split_staked:  # without a card it was never separated
            message = "a pair was separated, and no stake placed on the new hand"
            yield Violation(SPLIT_NOT_STAKED, article, message, MADE)

    # What is lost against Black Jack

    def relieves(self, hand: HandOutcome, rules: Rules) -> bool:
        """Whether the stake of a split hand comes back against the bank's Black Jack.

        BJ-11: despite art. 12(2); BJ-13: also that of a hand separated again; BJ-75: where the text is not at hand.
        """
        if not self.spares:
            return False
        if self.unverified and rules.readings("BJ-75") == "none":
            return False
        if hand.resplit and rules.readings("BJ-13") == "para1_only":
            return False
        return rules.readings("BJ-11") == "yes"

    # What streaks count

    def result(self, results: Sequence[Result], rules: Rules) -> Result:
        """16(7): the result of several hands. BJ-47: those won are compared with those lost, or must be most of all hands."""
        won, lost = results.count(Result.WON), results.count(Result.LOST)
        if lost > won:
            return Result.LOST_ON_HANDS
        more = Result.WON if won > lost else Result.NEITHER
        most = Result.WON if 2 * won > len(results) else Result.NEITHER
        return rules.readings.answer("BJ-47", wins_vs_losses=more, strict_majority=most)
