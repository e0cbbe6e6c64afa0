"""The machine of the croupier's hand: three cards, and what becomes of an exposed one (arts. 9 and 11)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from replayer.contract.cards import Card
from replayer.contract.machine import Violations
from replayer.contract.outcomes import Awaited, Judgement
from replayer.contract.rules import stays_hidden
from replayer.contract.symbols import DOWN, UP, BankSymbol, Dealt, Removed, Turned
from replayer.law.fortune_3_card_poker.cards import CARDS, NO_CARDS, NOT_KNOWN, Cards
from replayer.law.fortune_3_card_poker.dealing import INVALID, REPLACE
from replayer.law.fortune_3_card_poker.outcome import BankOutcome
from replayer.law.fortune_3_card_poker.rules import Rules

UNSEEN: Final = "a card of the croupier, or a suit that counts, is not on the log"
HIDDEN: Final = "hidden card"
"""The mark of his last card that was never seen."""


class Croupier(NamedTuple):
    """The croupier's hand.

    Attributes:
        cards: his cards.
        exposed: whether an exposed card makes the round invalid (F3-11).
        hidden: whether one of them was never seen.
    """

    cards: Cards = NO_CARDS
    exposed: bool = False
    hidden: bool = False

    def dealt(self, card: Card, rules: Rules, *, seen: bool, hidden: bool = False) -> Croupier:
        """With one more card, ``seen`` when it was dealt, or ``hidden`` to the end. Art. 11(2): an exposed card is kept, is
        replaced, or makes the round invalid (F3-11)."""
        if self.exposed:
            return self
        if seen and rules.records("faces"):
            consequence = rules.regulation.irregularities.exposed_card(rules.readings)
            if consequence == INVALID:
                return Croupier(exposed=True)
            if consequence == REPLACE:
                return self
        cards = self.cards.dealt(card)
        if cards.ranks.size > CARDS:
            return Croupier(cards)
        return self._replace(cards=cards, hidden=self.hidden or hidden)

    def turned(self, was: Card, card: Card) -> Croupier:
        """With a card turned that the log called ``was`` and that shows ``card``."""
        return self._replace(cards=self.cards.turned(was, card))

    def left_with(self, cards: Iterable[Card]) -> Croupier:
        """With only these of his cards; the others were turned during the deal, and are replaced."""
        left = NO_CARDS
        for card in cards:
            left = left.dealt(card)
        return self._replace(cards=left)

    def step(self, symbol: BankSymbol, rules: Rules) -> tuple[Croupier, Violations]:
        """The state after a symbol, and no violations: those of the deal are the round's. A turned or removed card changes
        nothing here, as a state does not hold which one it was."""
        match symbol:
            case Dealt(card, face) if face:
                hidden = stays_hidden(card.rank, rules, seen=face != DOWN)
                return self.dealt(card, rules, seen=face == UP, hidden=hidden), ()
        return self, ()

    def after(self, symbol: BankSymbol, rules: Rules) -> Croupier | None:
        """The state after a symbol (:class:`replayer.contract.machine.BankState`). None where a card is turned that the log
        did not name before, or removed."""
        return None if isinstance(symbol, Turned | Removed) else self.step(symbol, rules)[0]

    def so_far(self, awaited: Awaited, rules: Rules) -> Judgement[BankOutcome]:
        """The judgement if nothing more happens to the croupier's hand, without breaches."""
        contested = awaited is Awaited.HAND
        outcome, _ = self.finish(rules, plays=contested)
        return Judgement(
            outcome, unjudged=UNSEEN if contested and outcome.hand == NOT_KNOWN and not outcome.void else ""
        )

    def judgement(self, awaited: Awaited, rules: Rules) -> Judgement[BankOutcome] | None:
        """The final judgement; None where the hand had to be shown and was not, and where it is void."""
        contested = awaited is Awaited.HAND
        outcome, violations = self.finish(rules, plays=contested)
        if outcome.void or violations:
            return None
        if outcome.hand == NOT_KNOWN:
            return Judgement(outcome, unjudged=UNSEEN if contested else "")
        rules.regulation.combinations.named(outcome.hand, rules.readings)
        return Judgement(outcome)

    def finish(self, rules: Rules, *, plays: bool) -> tuple[BankOutcome, Violations]:
        """The outcome of his hand, and the violation of not showing it where a player ``plays`` against it."""
        count = self.cards.ranks.size
        if self.exposed or (count and not rules.regulation.irregularities.number_is_right(count)):
            return BankOutcome(void=True), ()
        unseen = self.hidden and plays and not rules.options.not_recorded
        return BankOutcome(self.cards.hand()), (rules.regulation.play.not_shown(),) if unseen else ()
