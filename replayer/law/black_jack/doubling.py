"""Doubling (PT apostas dobradas, ZH 加注): art. 17, a second stake as high as the first, and one card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from replayer.contract.machine import Violation
from replayer.contract.outcomes import Breach
from replayer.contract.rules import OptionFault
from replayer.contract.wagers import StakeSituation
from replayer.law.black_jack.deadlines import WAGER_TOO_EARLY, WAGER_TOO_LATE, bank_known, before_cards
from replayer.law.black_jack.hand import Hand
from replayer.law.black_jack.points import MOST
from replayer.law.black_jack.rules import Rules
from replayer.law.regulation import Paragraph, Provision
from replayer.law.untimely import of_excess
from schemas.finding import of_money, of_procedure
from schemas.money import format_amount

DOUBLE_REFUSED: Final = of_procedure("DOUBLE_REFUSED", "A bet doubled that the rules do not let double")
STAKE_UNEQUAL: Final = of_money("STAKE_UNEQUAL", "A double or split not equal to the main wager")
DOUBLE_NOT_STAKED: Final = of_money("DOUBLE_NOT_STAKED", "A hand doubled without a second stake")
STAKE_NOT_DECIDED: Final = of_money("STAKE_NOT_DECIDED", "A stake added to a hand without a decision")
DOUBLE_CARD_DOWN: Final = of_procedure("DOUBLE_CARD_DOWN", "The card of a doubled hand dealt face down")
DOUBLE_MODES_MIXED: Final = of_procedure(
    "DOUBLE_MODES_MIXED", "Doubling on eleven elected beside the modes that it replaces"
)

FIRST_TWO: Final = "first_two"
SPLIT_FIRST_TWO: Final = "split_first_two"
ELEVEN: Final = "eleven"
_IN_WORDS: Final = {
    FIRST_TWO: "any before a split",
    SPLIT_FIRST_TWO: "any after a split",
    ELEVEN: "eleven before a split",
}
MODES: Final = (*_IN_WORDS,)

DOUBLING: Final = "doubling"
CARD_DOWN: Final = "card face down"
"""Marks: the decision to double a hand or else the first stake for that, the first card dealt to it face down after that."""


@dataclass(frozen=True)
class Doubling(Provision):
    """Art. 17: the modes of doubling, and what a double loses against the bank's Black Jack.

    Attributes:
        paragraphs: the modes.
        aces: whether a split ace may be doubled (BJ-65b).
        exclusive: whether the text makes doubling on eleven exclude the other modes.
        spared: the modes in which a bank with Black Jack takes the initial bet only.
        face_up: the modes whose one card is dealt face up.
        unverified: the instrument that is assumed to say so without its text (BJ-75); empty where the text is at hand.
    """

    paragraphs: tuple[Paragraph, Paragraph, Paragraph] = ((1, 1), (1, 2), (1, 3))
    aces: bool = False
    exclusive: bool = False
    spared: frozenset[str] = frozenset()
    face_up: frozenset[str] = frozenset()
    unverified: str = ""
    right: Paragraph = (1,)
    one_card: Paragraph = (2,)
    relief: Paragraph = (3,)

    # Who may double

    def mode(self, hand: Hand, rules: Rules) -> str:
        """The authorised mode under which a hand can be doubled; empty where there is none.

        BJ-64: the house authorises a set of modes and the player uses any of them. BJ-65: an eleven of a split hand is not the
        eleven of the first two cards. BJ-65b: a split ace draws one card, which may be the doubled one. A card that is not named
        yet is assumed to be what the mode needs.
        """
        modes = rules.options.double_modes
        cards = hand.cards
        if hand.split:
            if SPLIT_FIRST_TWO not in modes:
                return ""
            if hand.aces:
                return SPLIT_FIRST_TWO if self.aces and cards.size == 1 and rules.readings("BJ-65b") == "yes" else ""
            return SPLIT_FIRST_TWO if self._below_21(hand, rules) else ""
        if not self._below_21(hand, rules):
            return ""
        # Eleven without an ace; a card that is not named may make it.
        eleven = ELEVEN in modes and ("A" not in cards.ranks if cards.unnamed else cards.hard == 11 and not cards.ace)
        if FIRST_TWO in modes:
            if eleven:
                rules.readings("BJ-64")
            return FIRST_TWO
        return ELEVEN if eleven else ""

    def mode_taken(self, hand: Hand, rules: Rules) -> str:
        """The mode in which a hand is doubled: without authorisation that of its cards (X-3), on any others none (17(3))."""
        barred = hand.cards.size > 2 or (hand.aces and not self.aces)
        usual = "none" if barred else SPLIT_FIRST_TWO if hand.split else FIRST_TWO
        return self.mode(hand, rules) or usual

    def _below_21(self, hand: Hand, rules: Rules) -> bool:
        if hand.cards.size != 2:
            return False
        return not hand.known or rules.regulation.values.of_player(hand, rules) < MOST

    def article(self, rules: Rules) -> str:
        """17(1): the citation of the authorised modes, by which a second stake is placed: all of them, or in 56/2004 doubling on
        eleven alone."""
        alone = self.exclusive and rules.options.double_modes == {ELEVEN}
        return self.cite(*(self.paragraphs[MODES.index(ELEVEN)] if alone else self.right))

    def refusal(self, hand: Hand, rules: Rules) -> Violation | None:
        """Why a hand may not be doubled; None where it may."""
        if not hand.acted and self.mode(hand, rules):
            return None
        drawing, modes = rules.regulation.drawing, rules.options.double_modes
        if drawing.is_barred_at_21(hand, rules):
            message = "a double asks for a card, and cards may be asked for below 21 only"
            return Violation(DOUBLE_REFUSED, drawing.cite(*drawing.at_21), message)
        if hand.split and hand.aces and SPLIT_FIRST_TWO in modes:
            article = drawing.cite(*drawing.split_ace) if self.aces else self.cite(*self.paragraphs[1])
            return Violation(DOUBLE_REFUSED, article, "the bet on a separated ace is not doubled")
        elected = ", ".join(words for mode, words in _IN_WORDS.items() if mode in modes)
        message = f"a hand may be doubled on its first two cards: {elected or 'never'}"
        return Violation(DOUBLE_REFUSED, self.article(rules), message)

    def in_time(self, stake: StakeSituation, rules: Rules) -> Breach | None:
        """17(1): the breach of a second stake before any card, or when the bank's second one was known."""
        article = self.article(rules)
        return before_cards(stake, article) or bank_known(stake, article)

    def doubts(self, modes: frozenset[str]) -> Iterator[OptionFault]:
        """BJ-64: in 56/2004 doubling on eleven "only" is an alternative to the other modes, not one beside them."""
        if self.exclusive and ELEVEN in modes and len(modes) > 1:
            elected = ",".join(mode for mode in MODES if mode in modes)
            reason = "the text has eleven as an alternative to the other modes"
            yield OptionFault(DOUBLE_MODES_MIXED, "double_modes", elected, reason, self.cite(), holds=True)

    def of_stake(self, stake: StakeSituation, base: int, rules: Rules) -> Iterator[Breach]:
        """The breach of a second stake that is not as high as the ``base``, the first one; BJ-65: or that is higher."""
        amount = stake.total_minor
        if stake.beyond(base, base) and (amount > base or rules.readings("BJ-65") == "no"):
            message = f"doubled for {format_amount(amount)} on a stake of {format_amount(base)}"
            yield Breach(STAKE_UNEQUAL, self.article(rules), message + of_excess(stake, base))

    def unmatched(self, hand: Hand, rules: Rules) -> Violation:
        """The violation of a hand doubled without a second stake, or staked on without a decision."""
        if hand.doubled:
            code, message = DOUBLE_NOT_STAKED, "doubled, and no second stake was placed"
        else:
            code, message = STAKE_NOT_DECIDED, "a second stake was placed, and nobody doubled"
        return Violation(code, self.article(rules), message, DOUBLING)

    def staked_early(self, hand: Hand, rules: Rules) -> Violation | None:
        """Why a second stake came too early; None where the hand had the cards on which it may be doubled. Before its first card
        the stake itself tells (:meth:`in_time`)."""
        if hand.cards.size != 1 or hand.doubled or self.mode(hand, rules):
            return None
        return Violation(WAGER_TOO_EARLY, self.article(rules), "placed before the hand had its first two cards")

    # The card

    def staked_late(self, hand: Hand, rules: Rules) -> Violation | None:
        """Why a second stake came too late; None where it came before the hand's one card."""
        if not hand.doubled or hand.asked:
            return None
        return Violation(WAGER_TOO_LATE, self.article(rules), "placed when the hand had its card")

    def card_down(self, hand: Hand) -> Violation | None:
        """The violation of dealing a doubled hand's card face down; None where the text allows it."""
        if hand.doubled not in self.face_up:
            return None
        message = "the card of a doubled hand is dealt face up"
        return Violation(DOUBLE_CARD_DOWN, self.cite(*self.one_card), message, CARD_DOWN)

    # What is lost against Black Jack

    def relieves(self, mode: str, rules: Rules) -> bool:
        """Whether a double comes back against the bank's Black Jack.

        BJ-10: by art. 17(3) for the modes that it names, by art. 10(7) where the house offers it. BJ-11: despite art. 12(2).
        """
        return rules.options.bj_double_relief or self._spares(mode, rules)

    def relief_article(self, mode: str, rules: Rules) -> str:
        """The citation of the rule by which a double comes back: art. 10(7) where 17(3) does not, or its text is not at hand."""
        with rules.readings.uncounted():  # that it comes back rests on the same rulings
            if self._spares(mode, rules) and not (self.unverified and rules.options.bj_double_relief):
                return self.cite(*self.relief)
        natural = rules.regulation.natural
        return natural.cite(*natural.relief)

    def _spares(self, mode: str, rules: Rules) -> bool:
        if not self.spared or (self.unverified and rules.readings("BJ-75") == "none"):
            return False
        reading = rules.readings("BJ-10")
        mandatory = reading == "always" or (reading == "special_first" and mode in self.spared)
        return mandatory and rules.readings("BJ-11") == "yes"
