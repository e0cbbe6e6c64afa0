"""What happens to the cards before a round: the decks (art. 1), the shuffle, the cut, white cards (art. 2), the burns (art. 4).

141/2000 has the last three in one article.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from replayer.contract.machine import Violation
from replayer.contract.rules import OptionFault
from replayer.contract.symbols import FoundShoe
from replayer.law.black_jack import marks
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.shoe import LAST_CARDS, Behind, BurnedCards, Second, Shoe
from replayer.law.codes import OPTION_UNKNOWN, SHUFFLE_DURING_ROUND, SHUFFLE_OTHERWISE
from replayer.law.regulation import Paragraph, Provision
from schemas.finding import advisory, of_procedure
from schemas.plural import plural

SHUFFLE_NOT_SEEN: Final = advisory("SHUFFLE_NOT_SEEN", "No shuffle of these cards is on the log")
SHUFFLE_MISSING: Final = of_procedure("SHUFFLE_MISSING", "A second round without a shuffle from the box")
CUT_MISSING: Final = of_procedure("CUT_MISSING", "Shuffled cards were not cut")
WHITE_CARD_MISSING: Final = of_procedure("WHITE_CARD_MISSING", "No second white card was put in")
WHITE_CARD_SURPLUS: Final = of_procedure("WHITE_CARD_SURPLUS", "More white cards put in than the decks in use call for")
DECKS_NOT_ELECTED: Final = of_procedure("DECKS_NOT_ELECTED", "Another number of decks shuffled than the house elected")
WHITE_CARD_TOO_DEEP: Final = of_procedure("WHITE_CARD_TOO_DEEP", "Fewer than 30 cards behind the white one")
WHITE_CARD_TOO_SHALLOW: Final = of_procedure("WHITE_CARD_TOO_SHALLOW", "The white card is not among the last 30 cards")
ROUND_AFTER_WHITE_CARD: Final = of_procedure("ROUND_AFTER_WHITE_CARD", "A round begun after the last round of the shoe")
BURN_MISSING: Final = of_procedure("BURN_MISSING", "Fewer cards burned than required")
BURN_SURPLUS: Final = of_procedure("BURN_SURPLUS", "More cards burned than allowed")


@dataclass(frozen=True)
class Material(Provision):
    """Art. 1: the equipment (PT material, ZH 用具).

    Attributes:
        decks: the number of decks.
        box: the metal box for one deck; empty where it may hold more.
        shoe_of_one: whether one deck may be dealt from a shoe as well.
    """

    decks: Paragraph = (2,)
    box: Paragraph = (3,)
    shoe_of_one: bool = True

    def of_decks(self, decks: int, rules: Rules) -> Iterator[Violation]:
        """Whether as many decks were shuffled as the house elected."""
        elected = rules.options.decks
        if decks != elected and rules.records("shuffle"):
            source = rules.options.assumed("decks") or "by the options in force"
            message = f"{plural(decks, 'deck')} shuffled, {elected} {source}"
            yield Violation(DECKS_NOT_ELECTED, self.cite(*self.decks), message)

    def decks_held(self, elected: Mapping[str, str], device: str, decks: int) -> tuple[int, Sequence[OptionFault]]:
        """1(3): how many decks a device holds, and what is wrong with what was ``elected``: the metal box is for one."""
        article = self.cite(*self.box)
        if self.box and device == "box" and decks != 1:
            told, reason = elected.get("decks"), "the metal box is for one deck"
            return 1, [OptionFault(OPTION_UNKNOWN, "decks", told, reason, article)] if told is not None else []
        if not self.shoe_of_one and elected.get("device") == "shoe" and decks == 1:
            reason = "one deck is dealt from the metal box"
            return 1, [OptionFault(OPTION_UNKNOWN, "device", "shoe", reason, article, holds=True)]
        return decks, []


@dataclass(frozen=True)
class Shuffling(Provision):
    """Art. 2: how the cards are shuffled and cut, and when a shoe (PT partida) ends."""

    by_hand: Paragraph = (1, 1)
    last_round: Paragraph = (2, 1)
    any_round: Paragraph = (2, 2)
    one_round: Paragraph = (2, 3)

    def by_method(self, method: str, rules: Rules) -> Iterator[Violation]:
        """(1): whether the bank shuffled, or the machine from which the cards are dealt; the text has no other way."""
        device = rules.options.device
        by_machine = device == "auto" or "device" in rules.options.unelected
        if method != "hand" and not (by_machine and method in ("machine", "auto")) and rules.records("shuffle"):
            lawful = "or the machine does" if by_machine else f"where cards are dealt from the {device}"
            yield Violation(SHUFFLE_OTHERWISE, self.cite(1), f"shuffled by {method!r}: the bank shuffles {lawful}")

    def after_the_round(self, shoe: Shoe, rules: Rules, *, interrupted: bool) -> Iterator[Violation]:
        """The violations in the shuffle and the cut of the round's cards; a round that was dealt none needs no shuffle."""
        if shoe.dealt and rules.records("shuffle"):
            if rules.options.device == "box" and shoe.found is not FoundShoe.FRESH:
                message = "the box serves one round, then its cards are shuffled"
                yield Violation(SHUFFLE_MISSING, self.cite(*self.one_round), message, marks.START)
            elif shoe.found is FoundShoe.UNSHUFFLED:
                message = "no shuffle of these cards is on the log of this day"
                yield Violation(SHUFFLE_NOT_SEEN, self.cite(1), message, marks.START)
            if shoe.during and not interrupted:
                message = "the bank may shuffle at the end of any round, not in it"
                yield Violation(SHUFFLE_DURING_ROUND, self.cite(*self.any_round), message, marks.SHUFFLED_AGAIN)
        yield from self.of_the_cards(shoe, rules)

    def of_the_cards(self, shoe: Shoe, rules: Rules) -> Iterator[Violation]:
        """The violations in the cut of the cards in play: a machine's shuffle needs none, and nothing is said of cards that were
        shuffled again since. BJ-25: the second white card stands "entre as últimas 30 cartas, ou mais"."""
        if not shoe.decks or shoe.again or not rules.records("cut"):
            return
        article = self.cite(*self.by_hand)
        if not shoe.cut:
            message = "cards shuffled by the bank are cut with a white card, by a player or by the bank"
            yield Violation(CUT_MISSING, article, message, marks.SHUFFLED)
        wanted = 0 if shoe.decks == 1 else 1
        if shoe.whites > wanted:
            wanting = plural(shoe.decks, "deck calls for", "decks call for")
            message = f"white cards beside the one that cuts: {{whites}}, and {wanting} {wanted}"
            yield Violation(WHITE_CARD_SURPLUS, article, message, marks.white_card(wanted + 1))
        elif shoe.whites < wanted:
            message = f"{shoe.decks} decks need a second white card"
            yield Violation(WHITE_CARD_MISSING, article, message, marks.SHUFFLED)
        elif shoe.behind in (Behind.LESS, Behind.MORE):
            reading = rules.readings("BJ-25")
            if reading == "at_least_30_behind" and shoe.behind is Behind.LESS:
                message = f"{{behind}} cards behind the second white card, at least {LAST_CARDS} are required"
                yield Violation(WHITE_CARD_TOO_DEEP, article, message, marks.white_card(1))
            if reading == "within_last_30" and shoe.behind is Behind.MORE:
                message = f"{{behind}} cards behind the second white card, which belongs among the last {LAST_CARDS}"
                yield Violation(WHITE_CARD_TOO_SHALLOW, article, message, marks.white_card(1))

    def before_the_deal(self, shoe: Shoe, rules: Rules) -> Iterator[Violation]:
        """The second white card ends the shoe. BJ-27: a single deck has only the first one; a machine has none."""
        if not rules.records("cut") or rules.options.device != "shoe":
            return
        if rules.options.decks == 1:
            if shoe.found is FoundShoe.WHITE_CARD_OUT:
                rules.readings("BJ-27")
            return
        article = self.cite(*self.last_round)
        if shoe.found is FoundShoe.WHITE_CARD_OUT:
            message = "an earlier round of this shoe came to the white card"
            yield Violation(ROUND_AFTER_WHITE_CARD, article, message, marks.START)
        elif shoe.out and rules.readings("BJ-26") == "shuffle_now":
            message = "the white card came out between rounds, and another round was begun"
            yield Violation(ROUND_AFTER_WHITE_CARD, article, message, marks.WHITE_CARD_OUT)


@dataclass(frozen=True)
class Burns(Provision):
    """Art. 4: cards taken away unseen (PT cartas retiradas, ZH 銷牌) before the deal and later."""

    initial: Paragraph = (1,)
    later: Paragraph = (2,)

    def before_the_deal(self, cards: BurnedCards, rules: Rules) -> Iterator[Violation]:
        """As many cards as decks, or one, before the first round of a shoe; one or none before each of the others. A shoe that is
        shuffled in the round needs its burns too."""
        if not rules.records("burn"):
            return
        if cards.decks or self._each_round_is_the_first(rules):
            allowed = self.of_a_shoe(cards.decks or rules.options.decks, rules)
            article, why = self.cite(*self.initial), "before the first round of a shoe"
            if cards.dealt:
                why = "before the first card of a shoe shuffled in the round"
        elif cards.unshuffled or rules.options.device == "box":  # para. 2 has no box
            return
        else:
            allowed = [0 if rules.options.burn_later == "none" else 1]
            article, why = self.cite(*self.later), "at the start of a following round"
        message = f"{{burned}} burned {why}, {' or '.join(map(str, allowed))} required"
        if cards.before > allowed[-1]:
            yield Violation(BURN_SURPLUS, article, message, marks.burn(allowed[-1] + 1))
        elif cards.before not in allowed:
            yield Violation(BURN_MISSING, article, message)

    def of_a_shoe(self, decks: int, rules: Rules) -> list[int]:
        """How many cards are burned of a shoe of so many decks before any is dealt: as many as decks, or one; either where the
        house elected neither."""
        numbers = {"one": [1], "per_deck": [decks]}
        return numbers.get(rules.options.burn_initial or "", sorted({1, decks}))

    def before_the_second_card(self, cards: BurnedCards, rules: Rules) -> Iterator[Violation]:
        """One card is burned before the bank's second *open* card; BJ-23: none where that card is dealt face down. A card burned
        face up does not count: it came out exposed and is void (art. 5)."""
        if not rules.records("burn"):
            return
        opened = rules.options.device != "box" and rules.options.deal_procedure != 3
        # BJ-21: the Chinese text has the two burns only together.
        both = rules.options.burn_later == "round_start_and_bank_second"
        both = both or (rules.options.burn_later == "round_start" and rules.readings("BJ-21") == "zh2")
        allowed = required = int(both)
        if allowed and not opened:
            rules.readings("BJ-23")
            allowed = required = 0
        if allowed and (cards.first or self._each_round_is_the_first(rules)):
            reading = rules.readings("BJ-22")
            required = 1 if reading == "required" else 0
            allowed = 0 if reading == "forbidden" else 1
        article, late = self.cite(*self.later), cards.second is Second.WITHOUT_A_BURN
        missing = required and late and not cards.unshuffled
        if late and not missing:  # any card burned was so behind the second one
            allowed = 0
        if cards.unseen > allowed:
            message = f"{{unseen}} burned during the round, {allowed} allowed"
            yield Violation(BURN_SURPLUS, article, message, marks.later_burn(allowed + 1))
        if missing:
            message = "no card burned before the bank's second open card"
            yield Violation(BURN_MISSING, article, message, marks.SECOND_CARD)

    def _each_round_is_the_first(self, rules: Rules) -> bool:
        """BJ-24: whether the game starts anew with each round where a machine takes all cards back after it."""
        return rules.options.refilled and rules.readings("BJ-24") == "per_round"
