"""What happens to the cards before a round: the shuffle, the cut, the white cards (art. 2) and the burns (art. 4).

141/2000 has all of it in one article; a path such as ``(1, 1)`` says where in its article a duty stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from replayer.game import Breach
from replayer.law.black_jack.round_story import CARD, PLAY, RoundStory
from replayer.law.black_jack.rules import Rules
from replayer.law.provision import Provision
from schemas.finding import Severity, declare

SHUFFLE_NOT_SEEN: Final = declare("SHUFFLE_NOT_SEEN", Severity.ADVISORY, "No shuffle of these cards is on the log")
SHUFFLE_MISSING: Final = declare("SHUFFLE_MISSING", Severity.PROCEDURE, "A second round without a shuffle from the box")
SHUFFLE_DURING_ROUND: Final = declare("SHUFFLE_DURING_ROUND", Severity.PROCEDURE, "Cards shuffled while a round ran")
CUT_MISSING: Final = declare("CUT_MISSING", Severity.PROCEDURE, "Shuffled cards were not cut")
WHITE_CARD_MISSING: Final = declare("WHITE_CARD_MISSING", Severity.PROCEDURE, "No second white card was put in")
WHITE_CARD_SURPLUS: Final = declare(
    "WHITE_CARD_SURPLUS", Severity.PROCEDURE, "More white cards put in than the decks in use call for"
)
DECKS_NOT_ELECTED: Final = declare(
    "DECKS_NOT_ELECTED", Severity.PROCEDURE, "Another number of decks shuffled than the house elected"
)
WHITE_CARD_TOO_DEEP: Final = declare(
    "WHITE_CARD_TOO_DEEP", Severity.PROCEDURE, "Fewer than 30 cards behind the white one"
)
WHITE_CARD_TOO_SHALLOW: Final = declare(
    "WHITE_CARD_TOO_SHALLOW", Severity.PROCEDURE, "The white card is not among the last 30 cards"
)
ROUND_AFTER_WHITE_CARD: Final = declare(
    "ROUND_AFTER_WHITE_CARD", Severity.PROCEDURE, "A round begun after the last round of the shoe"
)
BURN_MISSING: Final = declare("BURN_MISSING", Severity.PROCEDURE, "Fewer cards burned than required")
BURN_SURPLUS: Final = declare("BURN_SURPLUS", Severity.PROCEDURE, "More cards burned than allowed")

Path = tuple[int | str, ...]
"""Where in its article something stands: paragraph, item, sub-item."""
LAST_CARDS: Final = 30


@dataclass(frozen=True)
class Shuffling(Provision):
    """Art. 2: how the cards are shuffled and cut, and when a shoe (PT partida) ends; ``decks`` is where art. 1 has them."""

    by_hand: Path = (1, 1)
    last_round: Path = (2, 1)
    any_round: Path = (2, 2)
    one_round: Path = (2, 3)
    decks: Path = (2,)

    def breaches(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        """What the round shows against this article."""
        recorded = rules.options.not_recorded
        if "shuffle" not in recorded:
            yield from self._shuffled(story, rules)
        if "cut" not in recorded:
            yield from self._cut(story, rules)
            yield from self._last_round(story, rules)

    def _shuffled(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        if rules.options.device == "box" and story.shoe != "fresh":
            message = "the box serves one round, then its cards are shuffled"
            yield Breach(SHUFFLE_MISSING.code, self.cite(*self.one_round), message)
        elif story.shoe == "unshuffled":
            yield Breach(SHUFFLE_NOT_SEEN.code, self.cite(1), "no shuffle of these cards is on the log of this day")
        elected = rules.options.decks
        for index in story.where("shuffle:"):
            decks = _shuffle(story.words[index], rules)[1]
            if decks != elected:
                message = f"{decks} deck(s) shuffled, {elected} elected"
                yield Breach(DECKS_NOT_ELECTED.code, rules.regulation.material.cite(*self.decks), message, index)
        if story.first_card is None or story.interrupted:
            return
        for index in story.where("shuffle:"):
            if story.first_card < index and any(at.word > index and at.sign in CARD | {PLAY} for at in story.placed):
                message = "the bank may shuffle at the end of any round, not in it"
                yield Breach(SHUFFLE_DURING_ROUND.code, self.cite(*self.any_round), message, index)

    def _cut(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        """Of the last shuffle before the round; a shuffle by a machine needs no cut."""
        shuffled = _last_shuffle(story)
        if shuffled is None:
            return
        method, decks = _shuffle(story.words[shuffled], rules)
        if method != "hand":
            return
        article = self.cite(*self.by_hand)
        if not any(index > shuffled for index in story.where("cut:")):
            message = "cards shuffled by the bank are cut with a white card, by a player or by the bank"
            yield Breach(CUT_MISSING.code, article, message, shuffled)
        again = next((index for index in story.where("shuffle:") if index > shuffled), len(story.words))
        placed = [index for index in story.where("white:") if shuffled < index < again]
        wanted = 0 if decks == 1 else 1
        if len(placed) > wanted:
            message = f"{len(placed)} white card(s) beside the one that cuts, {decks} deck(s) call for {wanted}"
            yield Breach(WHITE_CARD_SURPLUS.code, article, message, placed[wanted])
        elif len(placed) < wanted:
            yield Breach(WHITE_CARD_MISSING.code, article, f"{decks} decks need a second white card", shuffled)
        elif placed:
            yield from self._depth(int(story.words[placed[0]].removeprefix("white:")), placed[0], article, rules)

    def _depth(self, behind: int, index: int, article: str, rules: Rules) -> Iterator[Breach]:
        """BJ-25: the second white card stands "entre as últimas 30 cartas, ou mais"."""
        if behind == LAST_CARDS:
            return
        reading = rules.readings("BJ-25")
        if reading == "at_least_30_behind" and behind < LAST_CARDS:
            message = f"{behind} cards behind the second white card, at least {LAST_CARDS} are required"
            yield Breach(WHITE_CARD_TOO_DEEP.code, article, message, index)
        if reading == "within_last_30" and behind > LAST_CARDS:
            message = f"{behind} cards behind the second white card, which belongs among the last {LAST_CARDS}"
            yield Breach(WHITE_CARD_TOO_SHALLOW.code, article, message, index)

    def _last_round(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        """The second white card ends the shoe. BJ-27: a single deck has one white card only; a machine has none."""
        if rules.options.device != "shoe" or story.first_card is None:
            return
        if rules.options.decks == 1:
            if story.shoe == "white":
                rules.readings("BJ-27")
            return
        article = self.cite(*self.last_round)
        if story.shoe == "white":
            yield Breach(
                ROUND_AFTER_WHITE_CARD.code, article, "the white card came out in an earlier round of this shoe"
            )
            return
        shuffled = _last_shuffle(story) or 0
        drawn = next((index for index in story.where("white!") if shuffled < index < story.first_card), None)
        if drawn is not None and rules.readings("BJ-26") == "shuffle_now":
            message = "the white card came out between rounds, and another round was begun"
            yield Breach(ROUND_AFTER_WHITE_CARD.code, article, message, drawn)


@dataclass(frozen=True)
class Burns(Provision):
    """Art. 4: cards taken away unseen (PT cartas retiradas, ZH 銷牌) before the deal and later."""

    initial: Path = (1,)
    later: Path = (2,)

    def breaches(self, story: RoundStory, rules: Rules) -> Iterator[Breach]:
        """What the round shows against this article."""
        if story.first_card is None or "burn" in rules.options.not_recorded:
            return
        yield from self._before_the_deal(story, story.first_card, rules)
        if not story.interrupted:
            yield from self._before_the_second_card(story, story.first_card, rules)

    def _before_the_deal(self, story: RoundStory, first_card: int, rules: Rules) -> Iterator[Breach]:
        shuffled = _last_shuffle(story)
        burned = [index for index in story.where("!") if (shuffled or 0) < index < first_card]
        if shuffled is not None or self._each_round_is_the_first(rules):
            decks = rules.options.decks if shuffled is None else _shuffle(story.words[shuffled], rules)[1]
            required = decks if rules.options.burn_initial == "per_deck" else 1
            article, why = self.cite(*self.initial), "before the first round of a shoe"
        elif story.shoe == "unshuffled":
            return
        else:
            required = 0 if rules.options.device == "box" or rules.options.burn_later == "none" else 1
            article, why = self.cite(*self.later), "at the start of a following round"
        message = f"{len(burned)} burned {why}, {required} required"
        if len(burned) < required:
            yield Breach(BURN_MISSING.code, article, message, first_card)
        if len(burned) > required:
            yield Breach(BURN_SURPLUS.code, article, message, burned[required])

    def _each_round_is_the_first(self, rules: Rules) -> bool:
        """BJ-24: whether the game starts anew with each round where a machine takes all cards back after it."""
        return rules.options.device == "auto" and rules.readings("BJ-24") == "per_round"

    def _before_the_second_card(self, story: RoundStory, first_card: int, rules: Rules) -> Iterator[Breach]:
        """One card before the bank's second *open* card; BJ-23: so not where that card is dealt down.

        A card burned face up is one that came out so and is void (art. 5), not one of these.
        """
        second = story.bank_second
        burned = [index for index in story.where("!") if first_card < index]
        unseen = [index for index in burned if story.words[index] != "!+"]
        opened = rules.options.device != "box" and rules.options.deal_procedure != 3
        allowed = required = 1 if self._also_before_the_second(rules) else 0
        if allowed and not opened:
            rules.readings("BJ-23")
            allowed = required = 0
        if allowed and (_last_shuffle(story) is not None or self._each_round_is_the_first(rules)):
            reading = rules.readings("BJ-22")
            required = 1 if reading == "required" else 0
            allowed = 0 if reading == "forbidden" else 1
        article = self.cite(*self.later)
        if len(unseen) > allowed:
            message = f"{len(unseen)} burned during the round, {allowed} allowed"
            yield Breach(BURN_SURPLUS.code, article, message, unseen[allowed])
        if not required or second is None or story.shoe == "unshuffled":
            return
        if not any(index < second.word for index in burned):
            message = "no card burned before the bank's second open card"
            yield Breach(BURN_MISSING.code, article, message, second.word)

    def _also_before_the_second(self, rules: Rules) -> bool:
        """BJ-21: the Chinese text knows no burn at the start of a round without the other one."""
        elected = rules.options.burn_later
        if elected == "round_start":
            return rules.readings("BJ-21") == "zh2"
        return bool(elected == "round_start_and_bank_second")


def _last_shuffle(story: RoundStory) -> int | None:
    """The last shuffle before the round's first card."""
    before = len(story.words) if story.first_card is None else story.first_card
    return next((index for index in reversed(list(story.where("shuffle:"))) if index < before), None)


def _shuffle(word: str, rules: Rules) -> tuple[str, int]:
    """Method and decks of a shuffle; the decks elected where the log does not count them."""
    _, method, decks = word.split(":")
    return method, int(decks) or rules.options.decks
