"""From the shuffle to the last card: arts. 2, 3 and 7, and what art. 11 makes of a deal that went wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from replayer.game import Breach, Due, Step
from replayer.law.fortune_3_card_poker.cards import CARDS
from replayer.law.fortune_3_card_poker.options import HAND, SHOE, Options
from replayer.law.provision import Provision
from replayer.law.rulings import Readings
from schemas.finding import Severity, declare

F3_PLACE: Final = declare("F3_PLACE", Severity.PROCEDURE, "A wager on a place that the layout does not have")
F3_NOT_SHUFFLED: Final = declare("F3_NOT_SHUFFLED", Severity.PROCEDURE, "Cards dealt again without a shuffle")
F3_DECKS: Final = declare("F3_DECKS", Severity.PROCEDURE, "Another number of decks than one")
F3_CUT_MISSING: Final = declare("F3_CUT_MISSING", Severity.PROCEDURE, "Cards shuffled by hand and not cut")
F3_CUT_CARD: Final = declare("F3_CUT_CARD", Severity.PROCEDURE, "The cut card is not at the bottom")
F3_BURNED: Final = declare("F3_BURNED", Severity.PROCEDURE, "A card burned, which no article provides for")
F3_CARD_NUMBER: Final = declare("F3_CARD_NUMBER", Severity.MONEY, "A hand of more or fewer than three cards")
F3_DEAL_ORDER: Final = declare("F3_DEAL_ORDER", Severity.MONEY, "Cards dealt in a wrong order")
F3_CARD_EXPOSED: Final = declare("F3_CARD_EXPOSED", Severity.PROCEDURE, "A card dealt face up")
F3_HAND_NULL: Final = declare("F3_HAND_NULL", Severity.PROCEDURE, "Cards dealt to a place without a wager")
F3_SHUFFLER_FAILED: Final = declare("F3_SHUFFLER_FAILED", Severity.MONEY, "A round played on after the shuffler failed")
F3_OPENED_EARLY: Final = declare(
    "F3_OPENED_EARLY", Severity.PROCEDURE, "The croupier's hand opened before any decision"
)
F3_VOID_UNFOUNDED: Final = declare(
    "F3_VOID_UNFOUNDED", Severity.ADVISORY, "A round declared void though the log shows a regular deal"
)

BANK: Final = 0

KEEP: Final = "keep"
REPLACE: Final = "replace"
VOID: Final = "void"
"""What becomes of a card of the croupier that lay open (F3-11)."""


class Dealt(NamedTuple):
    """A card of the deal: the word, the place (0 the croupier), whether it lay open."""

    word: int
    place: int
    open: bool


@dataclass(frozen=True)
class RoundStory:
    """A round story (see ``replayer.game``), read for the deal."""

    words: tuple[str, ...]
    places: tuple[int, ...]
    cards: tuple[Dealt, ...]
    decided: int | None
    """The word of the first decision."""
    over: bool
    """Whether the round came to its end, so that what is not on the log was not done."""
    void: bool

    @classmethod
    def read(cls, story: str) -> RoundStory:
        """Take a story apart."""
        words = tuple(story.split())
        places = tuple(int(place) for place in words[0].removeprefix("w:").split(",") if place)
        cards = []
        for number, word in enumerate(words):
            place, face = word[:-1], word[-1]
            if face in "+-" and (place == "B" or place.isdecimal()):
                cards.append(Dealt(number, BANK if place == "B" else int(place), face == "+"))
        decided = next((n for n, word in enumerate(words) if word[-1] == "." and word[:-1].isdecimal()), None)
        void = any(word.startswith("void:") for word in words)
        return cls(words, places, tuple(cards), decided, "end" in words or "pay" in words, void)


@dataclass(frozen=True)
class Material(Provision):
    """Art. 1: one deck of 52 cards, a shoe with a cut card, an automatic shuffler."""

    decks: int = 1

    def breaches(self, story: RoundStory) -> list[Breach]:
        """1(1): shuffles of another number of decks; 0 stands for one that the log does not tell."""
        shuffles = ((number, word) for number, word in enumerate(story.words) if word.startswith("shuffle:"))
        return [
            Breach(F3_DECKS.code, self.cite(1), f"decks shuffled: {decks}", number)
            for number, word in shuffles
            if (decks := int(word.rpartition(":")[2])) not in (0, self.decks)
        ]


@dataclass(frozen=True)
class Places(Provision):
    """Art. 2: eight places, the croupier's among them."""

    players: int = 7

    def on_layout(self, place: int) -> bool:
        """2(1): whether the layout has that place for a player."""
        return 1 <= place <= self.players

    def breaches(self, story: RoundStory) -> list[Breach]:
        """Wagers on places that are not there."""
        return [
            Breach(F3_PLACE.code, self.cite(1), f"place {place}: there are {self.players}")
            for place in story.places
            if not self.on_layout(place)
        ]


@dataclass(frozen=True)
class Shuffle(Provision):
    """Art. 3: by hand, cut with the cut card, which ends at the bottom, and into the shoe; or by machine, uncut."""

    def breaches(self, story: RoundStory, options: Options, readings: Readings) -> tuple[list[Breach], list[str]]:
        """What was wrong with the shuffle, and which checks the log does not allow."""
        found: list[Breach] = []
        missing = sorted({"shuffle", "cut"} & options.not_recorded)
        if "shuffle" not in options.not_recorded and "fresh" not in story.words[1:2]:
            unshuffled = "unshuffled" in story.words[1:2]
            text = "no shuffle is on the log" if unshuffled else "no shuffle since the round before"
            found.append(Breach(F3_NOT_SHUFFLED.code, self.cite(), text))
        by_hand = False
        for number, word in enumerate(story.words):
            kind, _, rest = word.partition(":")
            if kind == "shuffle":
                by_hand = rest.startswith(f"{HAND}:")
            elif kind == "white" and rest not in ("", "0"):
                found.append(Breach(F3_CUT_CARD.code, self.cite(1), f"{rest} cards lie behind the cut card", number))
        if by_hand and "cut" not in options.not_recorded:
            readings("F3-15")
            if not any(word.startswith("cut:") for word in story.words):
                found.append(Breach(F3_CUT_MISSING.code, self.cite(1), "shuffled by hand, and no cut on the log"))
        return found, missing


@dataclass(frozen=True)
class Distribution(Provision):
    """Art. 7: three cards, face down, from the left to every hand with a wager, the croupier last."""

    def device(self, story: RoundStory, options: Options) -> str:
        """What was dealt from: cards shuffled by hand go into the shoe (3(1)), whatever the table uses otherwise.

        What is shuffled once the deal has begun, is for another one.
        """
        before = story.words[: story.cards[0].word] if story.cards else story.words
        last = next((word for word in reversed(before) if word.startswith("shuffle:")), "")
        return SHOE if last.startswith(f"shuffle:{HAND}:") else options.device

    def order(self, places: tuple[int, ...], device: str) -> list[int]:
        """The places in the order in which they get their cards: 7(1) one at a time, 7(2) three at a time."""
        hands = [*sorted(places), BANK]
        return hands * CARDS if device == SHOE else [place for place in hands for _ in range(CARDS)]

    def breaches(self, story: RoundStory, options: Options) -> list[Breach]:
        """Cards burned: every card of the deal goes to a hand, 7(1) from the shoe, 7(2) from the shuffler."""
        burned = [number for number, word in enumerate(story.words) if word in ("!+", "!-")]
        article = self.cite(1 if self.device(story, options) == SHOE else 2)
        return [Breach(F3_BURNED.code, article, f"cards burned: {len(burned)}", burned[0])] if burned else []


@dataclass(frozen=True)
class Irregularities(Provision):
    """Art. 11: wrong order or number, exposed cards, cards to a place without a wager, a failing shuffler."""

    distribution: Distribution

    def number_is_right(self, cards: int) -> bool:
        """11(1): a hand has three cards."""
        return cards == CARDS

    def exposed_card(self, readings: Readings) -> str:
        """11(2): what becomes of a card of the croupier that lay open, ``keep``, ``replace`` or ``void`` (F3-11)."""
        return readings("F3-11")

    def nothing_due(self, cause: str = "") -> Due:
        """11(1) and, where the shuffler failed, 11(4), which leaves it unsaid: the bets of an invalid round go back.

        ``cause`` is what the log says of it, or the item of this article that makes the round invalid.
        """
        failed = any(word in cause.lower() for word in ("shuffler", "machine", "equipment"))
        named = next((self.cite(item) for item in (2, 4) if self.cite(item) in cause), self.cite(1))
        article = self.cite(4) if failed else named
        return Due(Fraction(0), article, (Step(article, "the round is invalid: the bet is returned"),))

    def null_hand(self) -> Due:
        """11(3): cards were dealt to a place without a bet; nothing is due on one that was laid on them afterwards."""
        article = self.cite(3)
        return Due(Fraction(0), article, (Step(article, "no hand was dealt to this bet: null, the stake goes back"),))

    def judge(self, story: RoundStory, options: Options, readings: Readings) -> tuple[list[Breach], list[str], str]:
        """What was wrong with the deal, which checks the log does not allow, and what makes the round invalid."""
        hands = {*story.places, BANK}
        given = [card for card in story.cards if card.place in hands]
        null = {card.place: card.word for card in reversed(story.cards) if card.place not in hands}
        exposed = [] if "faces" in options.not_recorded else [card for card in story.cards if card.open]
        mild = [
            Breach(F3_HAND_NULL.code, self.cite(3), f"place {place} has no wager: its hand is null", word)
            for place, word in sorted(null.items())
        ] + [Breach(F3_CARD_EXPOSED.code, self.cite(2), _whose(card), card.word) for card in exposed]
        grave: list[Breach] = []
        if story.over and not story.void:
            spare = [card for card in exposed if card.place == BANK]
            if spare and self.exposed_card(readings) != "replace":
                spare = []
            left = [card for card in given if card not in spare]  # a card may be replaced at once, or at the end
            grave = self._number(left, story, options) or (
                self._order(left, story, options) and self._order(given, story, options)
            )
        grave += self._failure(given, story)
        ground = grave[0].article if grave else self._ground(mild, exposed, readings)
        if not story.void:
            return mild + grave, sorted({"faces", "deal_order"} & options.not_recorded), ground
        return mild + self._unfounded(given, ground, story, options), [], ""

    def _number(self, given: list[Dealt], story: RoundStory, options: Options) -> list[Breach]:
        """11(1): hands of another number of cards than three."""
        counts = Counter(card.place for card in given)
        unrecorded = "deal_order" in options.not_recorded  # such a source may leave out hands that nobody opened
        last = {card.place: card.word for card in given}
        return [
            Breach(
                F3_CARD_NUMBER.code,
                self.cite(1),
                f"{_hand(place)} got {counts[place]} cards: the bets are void, the round is invalid",
                last.get(place, 0),
            )
            for place in (*story.places, BANK)
            if not self.number_is_right(counts[place]) and not (unrecorded and counts[place] == 0)
        ]

    def _order(self, given: list[Dealt], story: RoundStory, options: Options) -> list[Breach]:
        """11(1): another order than art. 7 prescribes."""
        if "deal_order" in options.not_recorded:
            return []
        due = self.distribution.order(story.places, self.distribution.device(story, options))
        for card, place in zip(given, due, strict=False):
            late = story.decided is not None and card.word > story.decided
            if card.place != place or late:
                text = f"{_hand(card.place)} got a card that was due to {_hand(place)}"
                text = "a card dealt after a decision" if late else text
                return [Breach(F3_DEAL_ORDER.code, self.cite(1), f"{text}: the round is invalid", card.word)]
        return []

    def _failure(self, given: list[Dealt], story: RoundStory) -> list[Breach]:
        """11(4): the shuffler failed between the first card and the last."""
        if "failed" not in story.words or story.void or not given:
            return []
        failures = (number for number, word in enumerate(story.words) if word == "failed")
        failed = next((number for number in failures if given[0].word < number < given[-1].word), None)
        if failed is None:
            return []
        text = "the shuffler failed during the deal: the round is invalid"
        return [Breach(F3_SHUFFLER_FAILED.code, self.cite(4), text, failed)]

    def _ground(self, mild: list[Breach], exposed: list[Dealt], readings: Readings) -> str:
        """What makes the round invalid, though order and number were right."""
        if any(card.place == BANK for card in exposed) and self.exposed_card(readings) == "void":
            return self.cite(2)
        return self.cite(1) if mild and readings("F3-12") == "any" else ""

    def _unfounded(self, given: list[Dealt], ground: str, story: RoundStory, options: Options) -> list[Breach]:
        """A round declared void though nothing in it was irregular."""
        device = self.distribution.device(story, options)
        late = story.decided is not None and any(card.word > story.decided for card in given)
        regular = not late and [card.place for card in given] == self.distribution.order(story.places, device)
        if ground or not regular or "failed" in story.words or options.not_recorded & {"deal_order", "faces"}:
            return []
        at = next(number for number, word in enumerate(story.words) if word.startswith("void:"))
        return [Breach(F3_VOID_UNFOUNDED.code, self.cite(1), "order, number and faces of the cards were right", at)]


def _hand(place: int) -> str:
    return "the croupier" if place == BANK else f"place {place}"


def _whose(card: Dealt) -> str:
    return f"a card of {_hand(card.place)} lay open"
