"""The round's story, as the engine tells it, through its machines: the shoe, the burned cards, the deal, the play, the bounds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from replayer.game import Breach, Judgement, RoundOutcome
from replayer.law.black_jack.burned import Burned
from replayer.law.black_jack.drawing import TOTALS
from replayer.law.black_jack.marks import (
    BANK_OPENED,
    DEAL_ENDS,
    FIRST_CARD,
    FIRST_PLAY,
    PAID,
    SECOND_CARD,
    SHUFFLED,
    SHUFFLED_AGAIN,
    START,
    WHITE_CARD_OUT,
    bank_card,
    burn,
    card,
    later_burn,
    white_card,
)
from replayer.law.black_jack.order_of_play import OrderOfPlay
from replayer.law.black_jack.passes import DOWN, UP, Passes
from replayer.law.black_jack.round_bounds import RoundBounds
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.shoe import Found, Shoe
from replayer.machine import HERE, Violation

SHOWN_BY_A_ROUND: Final = ("shuffle", "cut", "burn", "deal_order", "faces", "decisions", "close", "authorisations")
"""What a round's checks rest on; the options name those that the log's source does not record."""

_BANK: Final = 0
_CARD: Final = frozenset({UP, DOWN, ""})
_PLAY: Final = "."
_APART: Final = "/"
_REMOVED: Final = "~"
_PLACED: Final = re.compile(r"(?P<place>B|\d+)(?P<sign>[-+^.~/?]?)")
_FOUND: Final = {found.value: found for found in Found if found.value}
_OVER: Final = ("end", "void:")
_INTERRUPTED: Final = ("void:", "failed")


@lru_cache(maxsize=4096)
def _place(word: str) -> tuple[int, str] | None:
    """The place and the sign of a word that belongs to a seat or to the bank; None for any other."""
    match = _PLACED.fullmatch(word)
    return None if match is None else (_BANK if match["place"] == "B" else int(match["place"]), match["sign"])


@dataclass(slots=True)
class _Fold:
    """The machines of a round so far, which words set which mark, how many there were of what, and what was found."""

    rules: Rules
    shoe: Shoe
    burned: Burned
    passes: Passes
    play: OrderOfPlay = field(default_factory=OrderOfPlay)
    bounds: RoundBounds = field(default_factory=RoundBounds)
    here: int = 0
    marks: dict[str, list[int]] = field(default_factory=lambda: {START: [0]})
    counts: Counter[str] = field(default_factory=Counter)
    cards: Counter[int] = field(default_factory=Counter)
    shuffled_since: list[int] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)

    def first(self, mark: str) -> None:
        """The first event of its kind sets the mark."""
        self.marks.setdefault(mark, [self.here])

    def note(self, violations: Iterable[Violation]) -> None:
        """Keep what was violated, at the words of its mark."""
        for found in violations:  # mostly none
            words = [self.here] if found.mark == HERE else self.marks[found.mark]
            message = found.message.format_map(self.counts)
            self.breaches += [Breach(found.code, found.article, message, word) for word in words]

    # The shoe

    def is_shuffled(self, method: str, decks: int) -> None:
        if self.shoe.dealt:
            self.shuffled_since.append(self.here)
        else:
            self.marks[SHUFFLED] = [self.here]
            self.counts.clear()
        self.shoe, violations = self.shoe.is_shuffled(method, decks, self.rules)
        self.burned = self.burned.is_shuffled(decks, self.rules)
        self.note(violations)

    def takes_white_card(self, behind: int) -> None:
        if not self.shoe.again and not self.shoe.during:
            self.counts["whites"] += 1
            self.counts["behind"] = behind
            self.marks[white_card(self.counts["whites"])] = [self.here]
        self.shoe = self.shoe.takes_white_card(behind)

    def gives_white_card(self) -> None:
        if not self.shoe.out:
            self.marks[WHITE_CARD_OUT] = [self.here]
        self.shoe = self.shoe.gives_white_card()

    def burns(self, *, seen: bool) -> None:
        if not self.burned.dealt:
            self.counts["burned"] += 1
            self.marks[burn(self.counts["burned"])] = [self.here]
        elif not seen:
            self.counts["unseen"] += 1
            self.marks[later_burn(self.counts["unseen"])] = [self.here]
        self.burned = self.burned.burns(self.rules, seen=seen)

    # The cards

    def deals(self, place: int, face: str, *, stands: bool) -> None:
        """A card was dealt before the first decision, or to the bank; it ``stands`` unless it was taken back or came too late."""
        self.first(FIRST_CARD)
        self.goes_on()
        self.shoe, of_shoe = self.shoe.deals(self.rules)
        self.burned, of_burned = self.burned.deals(self.rules)
        self.bounds, of_bounds = self.bounds.deals(self.rules)
        self.note((*of_shoe, *of_burned, *of_bounds))
        if not stands:
            self.passes = self.passes.begins()
            return
        self.cards[place] += 1
        number, fresh = self.cards[place], self.shoe.found is Found.FRESH
        if place == _BANK:
            self.marks[bank_card(number)] = [self.here]
            self.passes, violations = self.passes.deals_bank(number, face, self.rules, fresh=fresh)
            if number == 2:
                self.marks[SECOND_CARD] = [self.here]
                self.burned, self.play = self.burned.deals_second(), self.play.deals_second()
        else:
            self.marks[card(place, number)] = [self.here]
            self.passes, violations = self.passes.deals(place, face, self.rules, fresh=fresh)
        self.note(violations)

    def is_decided(self) -> None:
        """A decision was taken, or a card dealt to a seat in play."""
        self.first(DEAL_ENDS)
        self.passes, self.play = self.passes.is_decided(self.rules), self.play.is_decided(self.rules)

    def plays(self, seat: int) -> None:
        """A decision that is a play of a hand, or a card of a hand in play."""
        self.first(FIRST_PLAY)
        self.passes, without_bet = self.passes.plays(seat, self.rules)
        self.play, violations = self.play.plays(seat, self.rules)
        self.note((*without_bet, *violations))

    def goes_on(self) -> None:
        """The round goes on: what was shuffled before was shuffled in it."""
        if self.shuffled_since:
            self.marks[SHUFFLED_AGAIN] = [*self.marks.get(SHUFFLED_AGAIN, ()), *self.shuffled_since]
            self.shuffled_since.clear()
        self.shoe = self.shoe.goes_on()

    def placed(self, place: int, sign: str, *, stands: bool) -> None:
        """Something happened at a seat or at the bank."""
        if sign in _CARD:
            self.deals(place, sign, stands=stands and not self.bounds.over)
        elif sign in (_PLAY, _APART):
            if not self.bounds.over:
                self.is_decided()
            if sign == _PLAY:
                self.goes_on()
                self.bounds, violations = self.bounds.goes_on(self.rules)
                self.note(violations)
                if not self.bounds.over:
                    self.plays(place)
        elif place == _BANK and sign == "^":
            self.first(BANK_OPENED)
            self.play = self.play.opens(self.rules)
        elif place == _BANK and sign == "?":
            self.play = self.play.looks(self.rules)

    def of_the_table(self, word: str) -> None:
        """Something happened to the shoe, or to the round as a whole."""
        kind, _, rest = word.partition(":")
        match kind:
            case "shuffle":
                method, decks = rest.split(":")
                self.is_shuffled(method, int(decks))
            case "cut":
                self.shoe = self.shoe.is_cut()
            case "white":
                self.takes_white_card(int(rest))
            case "white!":
                self.gives_white_card()
            case "!" | "!+" | "!-":
                self.burns(seen=word == "!" + UP)
            case "nomore":
                self.bounds, violations = self.bounds.closes(self.rules)
                self.note(violations)
            case "pay":
                self.first(PAID)
                self.passes = self.passes.pays()
            case "end" | "void":
                self.bounds = self.bounds.ends()


def _taken_back(words: Sequence[str]) -> set[int]:
    """The words of cards that were taken back while they were dealt: each time the last one of its place."""
    standing: list[tuple[int, int]] = []
    gone: set[int] = set()
    for index, word in enumerate(words):
        if word.startswith(_OVER):
            break
        if (placed := _place(word)) is None:
            continue
        place, sign = placed
        if sign in (_PLAY, _APART):
            break
        if sign in _CARD:
            standing.append((index, place))
        elif sign == _REMOVED:
            last = next((each for each in reversed(standing) if each[1] == place), None)
            if last is not None:
                standing.remove(last)
                gone.add(last[0])
    return gone


def _fold(story: str, rules: Rules) -> _Fold:
    """A story folded.

    A card is told as it was in the end: one that was taken back while the cards were dealt never stood.
    """
    words = story.split()
    seats = words[0].removeprefix("w:")
    found = _FOUND.get(words[1]) if len(words) > 1 else None
    begin = 1 if found is None else 2
    gone = _taken_back(words) if _REMOVED in story else set()
    bets = frozenset(int(seat) for seat in seats.split(",") if seat)
    fold = _Fold(rules, Shoe(found or Found.USED), Burned(found is Found.UNSHUFFLED), Passes(bets))
    for index, word in enumerate(words[begin:], begin):
        fold.here = index
        if placed := _place(word):
            fold.placed(*placed, stands=index not in gone)
        else:
            fold.of_the_table(word)
    fold.here = len(words) - 1
    fold.first(DEAL_ENDS)
    interrupted = any(word.startswith(_INTERRUPTED) for word in words)
    fold.note(fold.shoe.finish(rules, interrupted=interrupted))
    fold.note(fold.burned.finish(rules, interrupted=interrupted))
    fold.note(fold.passes.finish(rules, interrupted=interrupted))
    fold.note(fold.play.finish(rules, interrupted=interrupted))
    fold.note(fold.bounds.finish(rules))
    return fold


def judge_round(text: str, rules: Rules) -> Judgement[RoundOutcome]:
    """Whether the round's procedure was kept. X-5: where it was not, the round stands as it was played, but for art. 5(1)(2)."""
    found = _fold(text, rules).breaches
    if found:
        rules.readings("X-5")
    law, unknown = rules.regulation, rules.options.not_recorded
    left_out: tuple[str, ...] = tuple(name for name in SHOWN_BY_A_ROUND if name in unknown)
    if TOTALS not in rules.told and (law.drawing.calls_seats(rules) or law.drawing.calls_bank(rules)):
        left_out += (TOTALS,)
    breaches = tuple(sorted(found, key=lambda breach: breach.word))
    return Judgement(RoundOutcome(), breaches, awaits_bank=False, not_checked=left_out)
