"""From the shuffle to the last card: arts. 1, 2, 3 and 7, and the consequences of a wrong deal: art. 11."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from replayer.contract.cards import Card
from replayer.contract.machine import Violation, Violations
from replayer.contract.outcomes import Step
from replayer.contract.readings import Readings
from replayer.contract.symbols import BANK, FoundShoe
from replayer.contract.wagers import RETURNED, Due
from replayer.law.codes import CARD_TAKEN_AWAY, SHUFFLE_DURING_ROUND, SHUFFLE_OTHERWISE
from replayer.law.fortune_3_card_poker import marks
from replayer.law.fortune_3_card_poker.bets import Bets, Placed
from replayer.law.fortune_3_card_poker.cards import CARDS
from replayer.law.fortune_3_card_poker.deal import Deal, Failure, Order, Shoe, hand_of
from replayer.law.fortune_3_card_poker.options import HAND, MACHINE, SHOE, Options
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.law.regulation import Provision
from schemas.finding import of_money, of_procedure
from schemas.plural import plural

F3_DECKS: Final = of_procedure("F3_DECKS", "Another number of decks than one")
F3_PLACE: Final = of_procedure("F3_PLACE", "A wager on a place that the layout does not have")
F3_CUT_MISSING: Final = of_procedure("F3_CUT_MISSING", "Cards shuffled by hand and not cut")
F3_CUT_CARD: Final = of_procedure("F3_CUT_CARD", "The cut card is not at the bottom")
F3_NOT_SHUFFLED: Final = of_procedure("F3_NOT_SHUFFLED", "Cards dealt again without a shuffle")
F3_BURNED: Final = of_procedure("F3_BURNED", "A card burned, which no article provides for")
F3_CARD_NUMBER: Final = of_money("F3_CARD_NUMBER", "A hand of more or fewer than three cards")
F3_DEAL_ORDER: Final = of_money("F3_DEAL_ORDER", "Cards dealt in a wrong order")
F3_VOID_UNFOUNDED: Final = of_money("F3_VOID_UNFOUNDED", "A round declared void though the log shows a regular deal")
F3_CARD_EXPOSED: Final = of_procedure("F3_CARD_EXPOSED", "A card dealt face up, or turned during the deal")
F3_HAND_NULL: Final = of_procedure("F3_HAND_NULL", "Cards dealt to a place without a wager")
F3_SHUFFLER_FAILED: Final = of_money("F3_SHUFFLER_FAILED", "A round played on after the shuffler failed")

_DEALT_FROM: Final[dict[str | None, str]] = {HAND: SHOE, MACHINE: MACHINE}
"""What cards are dealt from by how they were shuffled (arts. 3 and 7)."""
REPLACE: Final = "replace"
INVALID: Final = "void"
"""What becomes of an exposed card of the croupier that he does not keep (F3-11)."""


@dataclass(frozen=True)
class Material(Provision):
    """Art. 1: one deck of 52 cards, a shoe with a cut card, an automatic shuffler."""

    decks: int = 1

    def of_decks(self, decks: int) -> Violations:
        """1(1): the violation of shuffling another number of ``decks``."""
        if decks == self.decks:
            return ()
        return (Violation(F3_DECKS, self.cite(1), f"decks shuffled: {decks}"),)


@dataclass(frozen=True)
class Places(Provision):
    """Art. 2: eight places, the croupier's among them."""

    players: int = 7

    def on_layout(self, place: int) -> bool:
        """2(1): whether the layout has that place for a player."""
        return 1 <= place <= self.players

    def off_layout(self, places: Iterable[int]) -> Violations:
        """2(1): the violations of wagers on places that the layout does not have."""
        return tuple(
            Violation(F3_PLACE, self.cite(1), f"{hand_of(place)}: there are {self.players}", marks.ROUND)
            for place in places
            if not self.on_layout(place)
        )


@dataclass(frozen=True)
class Shuffle(Provision):
    """Art. 3: by hand, cut with the cut card, which ends at the bottom, and into the shoe; or by machine, uncut."""

    def by_method(self, method: str, rules: Rules) -> Violations:
        """The violation of a shuffle neither by hand nor by machine."""
        if method in (HAND, MACHINE) or not rules.records("shuffle"):
            return ()
        text = f"shuffled by {method!r}: the croupier shuffles by hand, or the machine does"
        return (Violation(SHUFFLE_OTHERWISE, self.cite(), text),)

    def before_a_card(self, shoe: Shoe, rules: Rules) -> Violations:
        """3(1): the violation of dealing a card from a shoe that was shuffled by hand, and not cut. F3-15: before or after."""
        if not shoe.by_hand or not rules.records("cut"):
            return ()
        rules.readings("F3-15")
        text, mark = "shuffled by hand, and no cut on the log", marks.SHUFFLED_AGAIN if shoe.dealt else marks.ROUND
        return () if shoe.cut else (Violation(F3_CUT_MISSING, self.cite(1), text, mark),)

    def cut_card(self, behind: int) -> Violations:
        """3(1): the violation of placing the cut card with cards ``behind`` it: it lies at the bottom."""
        text = f"{plural(behind, 'card lies', 'cards lie')} behind the cut card"
        return (Violation(F3_CUT_CARD, self.cite(1), text),) if behind else ()

    def after_the_round(self, shoe: Shoe, *, interrupted: bool) -> Iterator[Violation]:
        """The cards are shuffled before every round, and not during a deal unless it was ``interrupted``."""
        if shoe.found is not FoundShoe.FRESH:
            used = shoe.found is FoundShoe.USED
            text = "no shuffle since the round before" if used else "no shuffle is on the log"
            yield Violation(F3_NOT_SHUFFLED, self.cite(), text, marks.ROUND)
        if shoe.during and not interrupted:
            text = "the cards are shuffled, then dealt"
            yield Violation(SHUFFLE_DURING_ROUND, self.cite(), text, marks.SHUFFLED_AGAIN)


@dataclass(frozen=True)
class Distribution(Provision):
    """Art. 7: three cards, face down, from the left to every hand with a wager, the croupier last."""

    def in_turn(self, options: Options, shuffled: str = "") -> bool | None:
        """Whether the hands get one card at a time (7(1), from the shoe) rather than three (7(2), from the shuffler), by how the
        cards were ``shuffled``, empty where the log does not show it; None where the house's choice does not tell it either.
        Cards shuffled by hand go into the shoe (3(1)), whatever the table uses otherwise."""
        if shuffled == HAND:
            return True
        device = options.deal or _DEALT_FROM.get(shuffled) or _DEALT_FROM.get(options.shuffle)
        return None if device is None else device == SHOE

    def order(self, places: tuple[int, ...], *, in_turn: bool) -> tuple[int, ...]:
        """The places in the order in which they get their cards."""
        hands = (*sorted(places), BANK)
        return hands * CARDS if in_turn else tuple(place for place in hands for _ in range(CARDS))

    def burned(self, *, in_turn: bool | None) -> Violation:
        """7(1), (2): the violation of burning a card: every one goes to a hand."""
        article = self.cite() if in_turn is None else self.cite(1 if in_turn else 2)
        return Violation(F3_BURNED, article, "cards burned: {cards}", marks.BURNED)


@dataclass(frozen=True)
class Irregularities(Provision):
    """Art. 11: wrong order or number, exposed cards, cards to a place without a wager, a failing shuffler."""

    def after_the_round(self, deal: Deal, rules: Rules) -> tuple[str, Violations]:
        """The article that makes a round invalid, whether or not the log declares it void, and the violations.

        For a round declared void the article is empty where the cards show no ground; wrong order or number is then no finding,
        but a declaration without any ground is.
        """
        if deal.void:
            grounds = self.made_void_by(deal, rules)
            return next((ground.article for ground in grounds), ""), tuple(self._unfounded(deal, rules))
        grave = (*self._misdealt(deal, rules), *self._failed(deal, rules))
        return (grave[0].article if grave else self._ground(deal, rules)), grave

    def _ground(self, deal: Deal, rules: Rules) -> str:
        """The citation of what makes a round invalid though order and number were right; empty where nothing does."""
        if deal.bank_exposed and self.exposed_card(rules.readings) == INVALID:
            return self.cite(2)
        return self.cite(1) if deal.irregular and rules.readings("F3-12") == "any" else ""

    # (1)

    def miscounted(self, order: Order, rules: Rules, mark: str = marks.LAST_CARD) -> Iterator[Violation]:
        """11(1): hands of another number of cards than three, each at its ``mark``."""
        unrecorded = not rules.records("deal_order")  # such a source may leave out hands that nobody opened
        for place, count in order.counts:
            if count != CARDS and not (unrecorded and count == 0):
                message = f"{hand_of(place)} got {{cards}}, not three cards: the bets are void, the round is invalid"
                yield Violation(F3_CARD_NUMBER, self.cite(1), message, f"{mark} {place}")

    def misordered(self, order: Order, rules: Rules) -> Iterator[Violation]:
        """11(1): another order than art. 7 prescribes."""
        if order.wrong is None or not rules.records("deal_order"):
            return
        place, due = order.wrong
        text = "a card dealt after a decision"
        if place != due:
            text = f"{hand_of(place)} got a card that was due to {hand_of(due)}"
        yield Violation(F3_DEAL_ORDER, self.cite(1), f"{text}: the round is invalid", marks.OUT_OF_ORDER)

    def _misdealt(self, deal: Deal, rules: Rules) -> Violations:
        """11(1): a wrong number or order. An exposed card may be replaced at once, or at the end (F3-11)."""
        if not deal.over or deal.idle:
            return ()
        replaced = deal.bank_exposed and self.replaces_exposed(rules.readings)
        left, mark = (deal.left, marks.LAST_CARD_LEFT) if replaced else (deal.given, marks.LAST_CARD)
        return tuple(self.miscounted(left, rules, mark)) or tuple(self._out_of_order(deal, rules))

    def _out_of_order(self, deal: Deal, rules: Rules) -> Iterator[Violation]:
        """11(1): a wrong order both of all cards dealt and of those that count."""
        if any(self.misordered(deal.left, rules)):
            yield from self.misordered(deal.given, rules)

    def _unfounded(self, deal: Deal, rules: Rules) -> Iterator[Violation]:
        """11(1): a round declared void though every hand had its cards, in their order, and nothing else makes it invalid."""
        ground = self._ground(deal, rules) or deal.failed_in_the_deal or any(self._out_of_order(deal, rules))
        if deal.left.complete and not ground and rules.records("deal_order", "faces"):
            text = "order and number of the cards were right"
            yield Violation(F3_VOID_UNFOUNDED, self.cite(1), text, marks.DECLARED_VOID)

    def taken_away(self, card: Card) -> Violation:
        """11(1): a misdeal is not corrected but voids the round. Only an exposed card of the croupier is put aside (11(2)), and
        cards are collected that are played no further (``CourseOfPlay.collects``)."""
        message = f"{card} was taken away: no article takes a card out of a hand that is played"
        return Violation(CARD_TAKEN_AWAY, self.cite(1), message)

    def nothing_due(self, invalid_by: str) -> Due:
        """11(1): the bets of an invalid round go back; by 11(2) and 11(4) too, which do not say so."""
        text = "is invalid:" if invalid_by else "was declared void, rightly or not: its cards do not count,"
        return Due.of(RETURNED, invalid_by or self.cite(1), f"the round {text} the bet is returned")

    # (2)

    def lay_open(self, place: int) -> Violation:
        """11(2): the violation of dealing a card face up, or turning it during the deal."""
        return Violation(F3_CARD_EXPOSED, self.cite(2), f"a card of {hand_of(place)} lay open")

    def exposed_card(self, readings: Readings) -> str:
        """11(2): what becomes of an exposed card of the croupier, ``keep``, ``replace`` or ``void`` (F3-11)."""
        return readings("F3-11")

    def replaces_exposed(self, readings: Readings) -> bool:
        """11(2): whether an exposed card of the croupier is out of play (F3-11)."""
        return self.exposed_card(readings) == REPLACE

    def replaces_turned(self, rules: Rules) -> bool:
        """11(2): whether a card of the croupier that was turned in the deal is out of play (F3-11)."""
        return rules.options.records_turns_in_the_deal and self.replaces_exposed(rules.readings)

    # (3)

    def without_wager(self, place: int) -> Violation:
        """11(3): the violation of dealing cards to a place without a bet."""
        return Violation(F3_HAND_NULL, self.cite(3), f"place {place} has no wager: its hand is null")

    def is_null(self, bets: Bets, rules: Rules) -> bool:
        """11(3): whether a hand was dealt when no bet lay at its place; a bet on a hand that was never dealt counts as one on
        such a hand. Not where the log does not record bets, cards and decisions in order."""
        unbet = Placed.IN_TIME not in (bets.ante, bets.pair_plus)
        return (not bets.cards or unbet) and rules.records("deal_order", "decisions", "times")

    def null_hand(self) -> Due:
        """11(3): cards were dealt to a place without a bet; a bet placed on them afterwards goes back."""
        return Due.of(RETURNED, self.cite(3), "no hand was dealt to this bet: null, the stake goes back")

    # (4)

    def made_void_by(self, deal: Deal, rules: Rules) -> Iterator[Step]:
        """The grounds of a declaration that a round is void, the first one first, as far as the log shows them."""
        if deal.failed_in_the_deal and self._has_shuffler(deal, rules):
            yield Step(self.cite(4), "the shuffler failed during the deal")
        if ground := self._ground(deal, rules):
            yield Step(ground, "a card lay open, or went to a place without a bet")
        for found in self._out_of_order(deal, rules):
            yield Step(found.article, found.message)

    def _has_shuffler(self, deal: Deal, rules: Rules) -> bool:
        """11(4) speaks of a failing shuffler: cards that are shuffled by hand come from the shoe (3(1))."""
        return not deal.in_turn or rules.options.shuffle == MACHINE

    def _failed(self, deal: Deal, rules: Rules) -> Iterator[Violation]:
        """11(4): the shuffler failed between the first card and the last."""
        if deal.failure is Failure.PLAYED_ON and self._has_shuffler(deal, rules):
            text = "the shuffler failed during the deal: the round is invalid"
            yield Violation(F3_SHUFFLER_FAILED, self.cite(4), text, marks.FAILED)
