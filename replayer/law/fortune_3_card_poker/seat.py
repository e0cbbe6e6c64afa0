"""A seat's story, as the engine tells it (``replayer.game``), through the machines of a place's bets and cards."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from replayer.game import Breach, Judgement, Step
from replayer.law.fortune_3_card_poker.bets import ANTED, DECIDED, NO_BETS, STAKED, Bets, Violations
from replayer.law.fortune_3_card_poker.cards import NO_CARDS, Cards, turn
from replayer.law.fortune_3_card_poker.outcome import ALONE, NULL, RAISED, SeatOutcome
from replayer.law.fortune_3_card_poker.play import ANTE, RAISE
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.law.fortune_3_card_poker.seat_state import SeatState
from replayer.machine import HERE

STRAY: Final = "a card of another hand is on the log at this place"


@dataclass(slots=True)
class _Fold:
    """The machines of a place so far, the cards that lie there, which word set which mark, and what was found."""

    rules: Rules
    bets: Bets = NO_BETS
    cards: Cards = NO_CARDS
    laid: list[str] = field(default_factory=list)
    stray: bool = False
    marks: dict[str, int] = field(default_factory=dict)
    breaches: list[Breach] = field(default_factory=list)

    def follow(self, number: int, word: str) -> None:
        """The next word of the story."""
        sign, rest = word[0], word[1:]
        if sign in "+-":
            self.bets, self.cards = self.bets.dealt(), self.cards.dealt(rest)
            self.laid.append(rest)
        elif sign == "^":
            was = turn(self.laid, rest)
            if was is None:
                self.stray = True
            elif was != rest:
                self.cards = self.cards.turned(was, rest)
        elif sign == "$":
            self.bets = self.bets.placed(rest)
            if rest in (ANTE, RAISE):
                self.marks[ANTED if rest == ANTE else STAKED] = number
        elif sign == ".":
            undecided = not self.bets.decided
            self.bets, violations = self.bets.decides(rest, self.rules)
            if undecided and self.bets.decided:
                self.marks[DECIDED] = number
            self.note(violations, number)
        elif "b" <= sign <= "z":
            self.stray = True

    def note(self, violations: Violations, here: int) -> None:
        """Keep what was violated, at the word of its mark."""
        for found in violations:
            at = here if found.mark == HERE else self.marks[found.mark]
            self.breaches.append(Breach(found.code, found.article, found.message, at))


def _fold(story: str, rules: Rules) -> _Fold:
    fold = _Fold(rules)
    for number, word in enumerate(story.split(" ")):
        fold.follow(number, word)
    return fold


def judge_seat(story: str, rules: Rules) -> Judgement[SeatOutcome]:
    """What became of a seat, and what was against the rules."""
    fold = _fold(story, rules)
    if fold.stray:
        return Judgement(awaits_bank=False, unjudged=STRAY)
    told = SeatState(fold.bets, fold.cards).became(rules)
    if not fold.bets.asked(rules):
        return told
    fate, violations = fold.bets.finish(rules)
    fold.note(violations, 0)
    told = replace(told, breaches=tuple(fold.breaches))
    if fate == NULL:
        return told
    unseen = ("decisions",) if "decisions" in rules.options.not_recorded else ()
    return replace(told, steps=(_step(fate, fold.cards.hand(), rules),), not_checked=unseen)


def cards_of(story: str, rules: Rules) -> list[str]:
    """The cards that lie at the place after a seat story so far."""
    return _fold(story, rules).laid


def _step(fate: str, hand: str, rules: Rules) -> Step:
    law = rules.regulation
    rank = law.art8.certain.get(hand)
    held = f"{hand} ({rank.combination})" if rank else hand
    if fate == ALONE:
        return Step(law.art5.cite(2), f"{held}: Pair Plus alone, no decision is asked")
    if fate == RAISED:
        return Step(law.art9.cite(law.art9.raise_item), f"{held}: plays against the croupier")
    return Step(law.art9.cite(law.art9.fold_item), f"{held}: does not play")
