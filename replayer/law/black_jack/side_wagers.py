"""The additional wagers on first cards: what they are (art. 13(1)-(4)) and what they pay (art. 14(1)-(4)).

They depend only on the cards and their suits, not on which hand won or lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple

from replayer.contract.cards import NOT_KNOWN, Card
from replayer.contract.outcomes import Breach, Step
from replayer.contract.readings import Readings
from replayer.contract.wagers import LOST, RETURNED, Due, StakeSituation
from replayer.law.black_jack.deadlines import after_close, before_cards, hand_begun
from replayer.law.black_jack.outcome import FirstCardsOutcome
from replayer.law.black_jack.points import PIPS
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import Wager
from replayer.law.codes import LAW_TEXT_UNVERIFIED
from replayer.law.regulation import Paragraph, Provision
from schemas.cards import RED, UNKNOWN_SUIT
from schemas.finding import advisory, of_money, of_procedure
from schemas.plural import plural, spoken

WAGER_UNKNOWN: Final = of_money("WAGER_UNKNOWN", "A wager that the regulation in force does not have")
WAGER_NOT_OFFERED: Final = of_procedure("WAGER_NOT_OFFERED", "A wager that the house has not elected")
SIDE_WAGERS_TOGETHER: Final = advisory("SIDE_WAGERS_TOGETHER", "Several kinds of additional wagers by one player")
SIDE_WAGER_SURPLUS: Final = of_procedure("SIDE_WAGER_SURPLUS", "A second kind of additional wager where one is allowed")

ANY_PAIR: Final = "any_pair"
SEVENS: Final = "sevens"
OVER_13: Final = "over_13"
UNDER_13: Final = "under_13"
PERFECT_PAIR: Final = "perfect_pair"
FIRST_CARD_WAGERS: Final = frozenset({ANY_PAIR, SEVENS, OVER_13, UNDER_13, PERFECT_PAIR})


def is_on_new_pair(wager: StakeSituation | Wager) -> bool:
    """Whether a stake on any pair is a new one, on a hand of a separated pair (art. 13(1)(2), BJ-38)."""
    return wager.kind == ANY_PAIR and (wager.hand > 0 or wager.splits > 0)


class SuitUnknown(ValueError):
    """The wager depends on a card or a suit that the log does not name."""


@dataclass(frozen=True)
class Prizes(Provision):
    """Art. 14: what winning additional wagers pay, to one, in the order of the paragraphs. A wager that the version does not have
    pays 0 here, or has no place in ``streaks``."""

    any_pair: int = 11
    sevens_two: int = 50
    sevens_two_suited: int = 150
    sevens_three: int = 500
    sevens_three_suited: int = 5000
    over_under: int = 1
    mixed_pair: int = 0
    colour_pair: int = 0
    perfect_pair: int = 0
    streaks: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))


class Offer(NamedTuple):
    """An additional wager: the house option that opens it, the paragraph that describes it and, if it is another, the one that
    sets the deadline for placing it."""

    option: str
    paragraph: Paragraph
    moment: Paragraph = ()

    def elected(self, rules: Rules) -> bool:
        """Whether the house offers it."""
        return bool(getattr(rules.options, self.option))


@dataclass(frozen=True)
class AdditionalWagers(Provision):
    """Art. 13: the wagers beside the main wager and the insurance, and when they win.

    Attributes:
        offered: wager; every one that the article has.
        any_pair_of_sevens: whether the text prints "qualquer par 7" (BJ-36).
    """

    offered: Mapping[str, Offer] = field(default_factory=lambda: MappingProxyType({}))
    any_pair_of_sevens: bool = False

    def unknown(self, kind: str) -> Breach:
        """The breach of a wager that the article does not have."""
        return Breach(WAGER_UNKNOWN, self.cite(), f"there is no wager {kind!r}{self._as_assumed}")

    @property
    def _as_assumed(self) -> str:
        """What the text is taken to be where it is not at hand, in brackets."""
        return f" ({self.assumed})" if self.assumed else ""

    def not_offered(self, stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
        """The breaches of a wager that the house has not elected, or that lies where it may not (BJ-38, BJ-45)."""
        offer = self.offered[stake.kind]
        article, permission = self.cite(*offer.paragraph), rules.regulation.authorisation
        if offer.option in rules.unauthorised:
            yield from permission.wager_unauthorised(offer.option) if permission is not None else ()
        elif not offer.elected(rules):
            yield Breach(WAGER_NOT_OFFERED, article, f"the house had not elected {offer.option} when the round began")
            return
        if stake.hand and stake.kind != ANY_PAIR:
            if stake.kind == PERFECT_PAIR:
                rules.readings("BJ-45")
            message = f"{spoken(stake.kind)} is for a seat's first cards, not for a split hand"
            yield Breach(WAGER_NOT_OFFERED, article, message)
        elif is_on_new_pair(stake) and rules.readings("BJ-38") != "new_stake":
            message = "one stake covers the hands split off, or none of them"
            yield Breach(WAGER_NOT_OFFERED, self.cite(*offer.paragraph, 2), message)

    def placing(self, kind: str, rules: Rules) -> str:
        """13(4), (5): the citation of the rule that ties a wager to the player's own hand (BJ-45)."""
        if kind == PERFECT_PAIR:
            rules.readings("BJ-45")
        return self.cite(*self.offered[kind].paragraph)

    def in_time(self, stake: StakeSituation, rules: Rules) -> Breach | None:
        """13(2), (3), (5)(1): the breach of a wager after the first card; 13(1)(2): or, on a hand of a separated pair, after its
        second one."""
        offer = self.offered[stake.kind]
        if not is_on_new_pair(stake):
            return after_close(stake, self.cite(*(offer.moment or offer.paragraph)))
        article = self.cite(*offer.paragraph, 2)
        return before_cards(stake, article) or hand_begun(stake, article)

    def beside_others(self, stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
        """The breach of a wager beside another kind of additional ones (BJ-37)."""
        own = self.offered[stake.kind].paragraph
        others = [kind for kind in stake.beside if kind in self.offered and self.offered[kind].paragraph != own]
        if not others or rules.readings("BJ-37") == "free":
            return
        code = SIDE_WAGERS_TOGETHER if rules.readings("BJ-37") == "advisory" else SIDE_WAGER_SURPLUS
        message = f"beside {' and '.join(map(spoken, others))}: the text speaks of one of these wagers"
        yield Breach(code, self.cite(), message)

    def refused(self, kind: str, rules: Rules) -> Due | None:
        """What a wager is due that the text does not have, or (X-3) that the house may not offer; None for any other."""
        offer = self.offered.get(kind)
        if offer is None:
            why = f"the regulation in force has no wager {kind!r}{self._as_assumed}"
            return Due(None, self.cite(), unjudged=why)
        permitted = offer.option not in rules.unauthorised
        if (offer.elected(rules) and permitted) or rules.readings("X-3") != "void":
            return None
        article = self.cite(*offer.paragraph)
        why = "not elected by the house" if permitted else "the house had no authorisation to offer it"
        return Due.of(RETURNED, article, f"{why}: the stake goes back")

    def due(self, wager: Wager, rules: Rules) -> Due:
        """What a wager on first cards is due. BJ-68: a surrender does not touch it; BJ-73: its odds are the law's."""
        refused = self.refused(wager.kind, rules)
        if refused is not None:
            return refused
        article = self.cite(*self.offered[wager.kind].paragraph)
        if wager.hand and wager.kind != ANY_PAIR:
            return Due(None, article, unjudged="only any pair is staked on a hand that was split off")
        first_cards = wager.first_cards or FirstCardsOutcome()
        anew = is_on_new_pair(wager)
        cards = first_cards.of_hand(wager.hand, wager.splits) if anew else first_cards.first
        if cards is None:
            return Due(None, article, unjudged="the hand had no two cards")
        try:
            odds, paragraph, why = self._decided(wager.kind, cards, first_cards, rules, anew=anew)
        except SuitUnknown as unknown:
            return Due(None, article, unjudged=str(unknown))
        if first_cards.surrendered:
            rules.readings("BJ-68")
        if odds > 0:
            rules.readings("BJ-73")
        article = self.cite(*self._item(wager.kind, paragraph, won=odds > 0, anew=anew))
        paid = rules.regulation.prizes.cite(*paragraph) if odds > 0 else article
        steps = Step(article, why), Step(paid, f"{odds} to 1" if odds > 0 else "the stake is lost")
        return Due(odds, paid, steps, breaches=tuple(self._unverified(wager.kind)))

    def _unverified(self, kind: str) -> Iterator[Breach]:
        """The advisory on a wager that wins or loses by a text that is not at hand."""
        if self.assumed:
            message = f"{spoken(kind)} wins or loses by a text of {self.amended_by} that is not at hand"
            yield Breach(LAW_TEXT_UNVERIFIED, self.cite(*self.offered[kind].paragraph), message)

    def _item(self, kind: str, paragraph: Paragraph, *, won: bool, anew: bool) -> Paragraph:
        """The paragraph on the combination by which a wager won, or on the one that it failed to make."""
        described = self.offered[kind].paragraph
        if kind == ANY_PAIR:
            return (*described, 2 if anew else 1)
        if kind == SEVENS:
            return (*described, 2 if paragraph[-1] in (3, 4) else 1)
        return (*described, paragraph[-1]) if kind == PERFECT_PAIR and won else described

    def _decided(
        self, kind: str, cards: tuple[Card, Card], first_cards: FirstCardsOutcome, rules: Rules, *, anew: bool
    ) -> tuple[Fraction, Paragraph, str]:
        if not all(card.named for card in cards):
            raise SuitUnknown("one of the first two cards is not on the log")
        prizes, shown = rules.regulation.prizes, f"{cards[0]} {cards[1]}"
        if kind == ANY_PAIR:
            pairs = self._pairs_paid(cards, first_cards, rules.readings, anew=anew)
            counted = plural(pairs, "pair counts", "pairs count") if pairs else "no pair that counts"
            return Fraction(prizes.any_pair * pairs) if pairs else LOST, (1,), f"{shown}: {counted}"
        if kind == SEVENS:
            odds, item, sevens = self._sevens(cards, first_cards, rules)
            return odds, (2, item), f"{' '.join(map(str, sevens))}: {_SEVENS[item] if odds > 0 else 'not two sevens'}"
        if kind in (OVER_13, UNDER_13):
            won, total = self._beyond_13(cards, rules.readings, over=kind == OVER_13)
            return Fraction(prizes.over_under if won else -1), (3,), f"{shown} counts {total}"
        odds, item = self._perfect_pair(cards, rules)
        return odds, (4, item), f"{shown}: {_PAIRS[item] if odds > 0 else 'no pair'}"

    # 13(1), 14(1)

    def _pairs_paid(
        self, cards: tuple[Card, Card], first_cards: FirstCardsOutcome, readings: Readings, *, anew: bool
    ) -> int:
        """How many pairs are paid. BJ-38: those that splits make too; a stake placed ``anew`` after a split has its own pair."""
        first = self._is_paid_pair(cards, readings)
        if anew or not first_cards.split:
            return int(first)
        later = [pairing.cards for pairing in first_cards.pairings[1:]]
        if not all(card.named for pair in later for card in pair):
            if readings("BJ-38") == "repeat":
                raise SuitUnknown("a card after the split is not on the log")
            return int(first)
        more = sum(self._is_paid_pair(pair, readings) for pair in later)
        if not more or readings("BJ-38") != "repeat":
            return int(first)
        return int(first) + more

    def _is_paid_pair(self, cards: tuple[Card, Card], readings: Readings) -> bool:
        if cards[0].rank != cards[1].rank:
            return False
        return not self.any_pair_of_sevens or cards[0].rank == "7" or readings("BJ-36") == "any"

    # 13(2), 14(2)

    def _sevens(
        self, cards: tuple[Card, Card], first_cards: FirstCardsOutcome, rules: Rules
    ) -> tuple[Fraction, int, tuple[Card, ...]]:
        """What is paid, by which item, and for which cards.

        BJ-42: dealt "successively" means as the hand's first and second card. BJ-58: art. 15 is paid beside it.
        """
        if not cards[0].rank == cards[1].rank == "7":
            return LOST, 1, cards
        readings, prizes = rules.readings, rules.regulation.prizes
        readings("BJ-42")
        two = self._two_sevens(cards, prizes)
        if first_cards.third is not None and first_cards.third.rank == "7":
            readings("BJ-58")
        third = self._third_seven(cards, first_cards, readings)
        if third is None or not self._are_three(cards, third, readings):
            return *two, cards
        three = (*cards, third)
        if _suits(three) == 1:
            return Fraction(prizes.sevens_three_suited), 4, three
        return Fraction(prizes.sevens_three), 3, three

    def _two_sevens(self, cards: tuple[Card, ...], prizes: Prizes) -> tuple[Fraction, int]:
        suited = _suits(cards) == 1
        return Fraction(prizes.sevens_two_suited if suited else prizes.sevens_two), 2 if suited else 1

    def _are_three(self, cards: tuple[Card, Card], third: Card, readings: Readings) -> bool:
        """Whether three sevens have a prize of their own: BJ-41, "different suits" is not all the same, or all different."""
        return _suits((*cards, third)) != 2 or readings("BJ-41") != "two_card_line"

    def _third_seven(self, cards: tuple[Card, Card], first_cards: FirstCardsOutcome, readings: Readings) -> Card | None:
        """The third seven, where there is one that counts: BJ-39 without a split, BJ-40 after one."""
        if not first_cards.split:
            third = first_cards.third
            if third is None or third.rank not in ("7", NOT_KNOWN) or readings("BJ-39") != "any_third":
                return None
            return _named(third)
        following = [_named(card) for hand, card in first_cards.after_split if hand in (0, 1)]
        nearest = following[0] if following and following[0].rank == "7" else None
        sevens = (card for card in following if card.rank == "7")
        best = min(sevens, key=lambda card: _BY_PRIZE.index(_suits((*cards, card))), default=None)
        if best is None or (nearest is not None and self._pay_the_same(cards, nearest, best, readings)):
            return nearest
        return nearest if readings("BJ-40") == "next_card" else best

    def _pay_the_same(self, cards: tuple[Card, Card], nearest: Card, best: Card, readings: Readings) -> bool:
        """Whether a third seven pays as much as the best one does."""
        one, other = _suits((*cards, nearest)), _suits((*cards, best))
        return one == other or (other == 3 and readings("BJ-41") != "two_card_line")

    # 13(3), 14(3)

    def _beyond_13(self, cards: tuple[Card, Card], readings: Readings, *, over: bool) -> tuple[bool, str]:
        """Whether two cards are on the chosen side, and what they count. BJ-43: an ace one, eleven, or as the player chooses."""
        aces = sum(card.rank == "A" for card in cards)
        low = sum(PIPS[card.rank] for card in cards)
        high = low + 10 * aces
        counts = {"one": low, "eleven": high, "player_choice": high if over else low}
        won = {reading: total > 13 if over else total < 13 for reading, total in counts.items()}
        if len(set(won.values())) == 1:
            return won["one"], str(low) if low == high else f"{low} or {high}"
        reading = readings("BJ-43")
        return won[reading], str(counts[reading])

    # 13(4), 14(4)

    def _perfect_pair(self, cards: tuple[Card, Card], rules: Rules) -> tuple[Fraction, int]:
        """BJ-44: a perfect pair is a mixed pair too, and in Chinese a colour pair."""
        prizes = rules.regulation.prizes
        if cards[0].rank != cards[1].rank:
            return LOST, 1
        perfect = _suits(cards) == 1
        if not perfect and (cards[0].suit in RED) != (cards[1].suit in RED):
            return Fraction(prizes.mixed_pair), 1
        reading = rules.readings("BJ-44")
        odds = prizes.perfect_pair if perfect else prizes.colour_pair
        if reading != "highest":
            odds += prizes.mixed_pair
        if perfect and reading == "cumulative_zh":
            odds += prizes.colour_pair
        return Fraction(odds), 3 if perfect else 2


_SEVENS: Final = {
    1: "two sevens of two suits", 2: "two sevens of one suit",
    3: "three sevens, not all of one suit", 4: "three sevens of one suit",
}  # fmt: skip
_PAIRS: Final = {1: "a pair of two colours", 2: "a pair of one colour", 3: "a pair of one suit"}
"""What won, by the items of arts. 14(2) and 14(4)."""
_BY_PRIZE: Final = (1, 3, 2)
"""Of how many suits three sevens are, from the highest prize to the lowest."""


def _named(card: Card) -> Card:
    if not card.named:
        raise SuitUnknown("the third card is not on the log")
    return card


def _suits(cards: tuple[Card, ...]) -> int:
    suits = {card.suit for card in cards}
    if UNKNOWN_SUIT in suits:
        raise SuitUnknown("a suit that the prize turns on is not on the log")
    return len(suits)
