"""A round's story, as the engine tells it (``replayer.game``), through the machines of the shoe and of the deal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from replayer.game import Breach, Judgement, RoundOutcome
from replayer.law.fortune_3_card_poker.deal import BURNED, DECLARED_VOID, FAILED, OPENED, Deal
from replayer.law.fortune_3_card_poker.dealing import BANK
from replayer.law.fortune_3_card_poker.options import HAND
from replayer.law.fortune_3_card_poker.order import LAST_CARD, LAST_CARD_LEFT, OUT_OF_ORDER, hand_of
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.law.fortune_3_card_poker.shoe import ROUND, Found, Shoe
from replayer.machine import HERE, Violation
from schemas.finding import Severity, declare

F3_PLACE: Final = declare("F3_PLACE", Severity.PROCEDURE, "A wager on a place that the layout does not have")

_FOUND: Final = {"fresh": Found.FRESH, "unshuffled": Found.UNSHUFFLED}


@dataclass(slots=True)
class _Fold:
    """The machines of a round so far, which word set which mark and how often, and what was found; ``cards`` has the word of
    every card dealt, its place, and whether it lay open."""

    rules: Rules
    shoe: Shoe
    deal: Deal
    marks: dict[str, int] = field(default_factory=lambda: {ROUND: 0})
    times: Counter[str] = field(default_factory=Counter)
    cards: list[tuple[int, int, bool]] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)

    def follow(self, number: int, word: str) -> None:
        """The next word of the story."""
        self.marks[HERE] = number
        who, sign = word[:-1], word[-1]
        if who == "!" and sign in "+-":
            self.first(BURNED)
            self.deal = self.deal.burnt()
        elif who == "B" or who.isdecimal():
            self.at(BANK if who == "B" else int(who), sign)
        elif word in ("pay", "end"):
            self.deal = self.deal.paid(self.rules) if word == "pay" else self.deal.ended()
        elif word == "failed":
            if self.deal.given.begun:
                self.first(FAILED)
            self.deal = self.deal.failed()
        else:
            self.about(*word.split(":"))

    def at(self, place: int, sign: str) -> None:
        """Something at a place: a card dealt or turned, a decision."""
        if sign in "+-":
            self.cards.append((self.marks[HERE], place, sign == "+"))
            self.deal, violations = self.deal.dealt(place, self.rules, seen=sign == "+")
            if violations:
                self.note(violations)
            if self.deal.given.wrong is not None:
                self.first(OUT_OF_ORDER)
        elif sign == "^" and place == BANK:
            self.first(OPENED)
            self.deal = self.deal.opened()
        elif sign == "." and place != BANK:
            self.deal, violations = self.deal.decided(self.rules)
            self.note(violations)

    def about(self, kind: str, *told: str) -> None:
        """Something about the cards, or about the whole round."""
        match kind, told:
            case "shuffle", (way, decks):
                self.shoe, violations = self.shoe.shuffled(int(decks), self.rules, by_hand=way == HAND)
                self.deal = self.deal.shuffled(self.rules, by_hand=way == HAND)
                self.note(violations)
            case "cut", _:
                self.shoe = self.shoe.was_cut()
            case "white", (behind,):
                self.note(self.shoe.cut_card(int(behind), self.rules))
            case "void", _:
                self.first(DECLARED_VOID)
                self.deal = self.deal.declared_void()

    def first(self, mark: str) -> None:
        """The word under way may be the first one of a mark."""
        self.marks.setdefault(mark, self.marks[HERE])
        self.times[mark] += 1

    def note(self, violations: Iterable[Violation]) -> None:
        """Keep what was violated, at the word of its mark; the round's beginning where no word set it."""
        for found in violations:
            at, times = self.marks.get(found.mark, 0), self.times[found.mark]
            mark, _, place = found.mark.rpartition(" ")
            if mark in (LAST_CARD, LAST_CARD_LEFT):
                own = [
                    at
                    for at, to, seen in self.cards
                    if to == int(place) and not (seen and to == BANK and mark != LAST_CARD)
                ]
                at, times = own[-1] if own else 0, len(own)
            self.breaches.append(Breach(found.code, found.article, found.message.format(cards=times), at))


def judge_round(story: str, rules: Rules) -> Judgement[RoundOutcome]:
    """Arts. 1, 2, 3, 7, 9, 11: the shuffle and the deal."""
    wagers, *words = story.split()
    places = tuple(int(place) for place in wagers.removeprefix("w:").split(",") if place)
    found = _FOUND.get(words[0] if words else "", Found.PLAYED)
    fold = _Fold(rules, Shoe(found), Deal.of(places, rules))
    layout = rules.regulation.art2
    away = [place for place in places if not layout.on_layout(place)]
    fold.note(
        Violation(F3_PLACE.code, layout.cite(1), f"{hand_of(place)}: there are {layout.players}", ROUND)
        for place in away
    )
    for number, word in enumerate(words, 1):
        fold.follow(number, word)
    fold.note(fold.shoe.finish(rules))
    ground, violations = fold.deal.finish(rules)
    fold.note(violations)
    checks = {"shuffle", "cut"} if fold.deal.void else {"shuffle", "cut", "faces", "deal_order"}
    unseen = tuple(sorted(checks & rules.options.not_recorded))
    return Judgement(RoundOutcome(ground), tuple(fold.breaches), awaits_bank=False, not_checked=unseen)
