"""What became of the bank's hand: the cards that the law allots to it, and what was done otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from replayer.game import LIVE, OPEN, Breach, Judgement, Step
from replayer.law.black_jack.drawing import TOTALS, BankHand
from replayer.law.black_jack.hand import MOST, NOT_KNOWN, PIPS, hard_points
from replayer.law.black_jack.natural import is_natural
from replayer.law.black_jack.outcome import BUST, NATURAL, NO_NATURAL
from replayer.law.black_jack.rules import Rules
from schemas.cards import UNKNOWN
from schemas.finding import Severity, declare

BANK_SURPLUS_CARD: Final = declare(
    "BANK_SURPLUS_CARD", Severity.PROCEDURE, "The bank took a card that it must not take"
)
BANK_DID_NOT_DRAW: Final = declare(
    "BANK_DID_NOT_DRAW", Severity.PROCEDURE, "The bank did not take a card that it must take"
)
HOLE_CARD_NOT_OPENED: Final = declare(
    "HOLE_CARD_NOT_OPENED", Severity.PROCEDURE, "The bank's hidden card was never shown though money hung on it"
)
BANK_TOTAL_WRONG: Final = declare("BANK_TOTAL_WRONG", Severity.PROCEDURE, "A wrong total called for the bank")
BANK_TOTAL_NOT_CALLED: Final = declare(
    "BANK_TOTAL_NOT_CALLED", Severity.PROCEDURE, "The bank's total that was not called"
)
BANK_CARD_ABSENT: Final = declare(
    "BANK_CARD_ABSENT", Severity.INTEGRITY, "A card turned or removed that the bank did not have"
)
HOLE_NOT_CHECKED: Final = declare("HOLE_NOT_CHECKED", Severity.PROCEDURE, "The bank's hidden card was not checked")
HOLE_CHECK_WRONG: Final = declare(
    "HOLE_CHECK_WRONG", Severity.PROCEDURE, "The check of the hidden card found what was not there, or missed it"
)

TEN_OR_ACE: Final = frozenset("ATJQK")
HOLE_CHECK: Final = (2, 3, 3)
COLLECTION: Final = (2, 3, 4)
"""Where 57/2009 art. 5 speaks of the check, and of the collection at once where it found Black Jack."""


@dataclass(slots=True)
class _Card:
    rank: str
    seen: bool
    word: int
    removed: bool = False
    called: int = 0
    called_word: int = 0


@dataclass(slots=True)
class _Told:
    """A bank story read once: whether a hand waits for the bank, or money for no more than its Black Jack (``pends``)."""

    live: bool
    pends: bool
    cards: list[_Card] = field(default_factory=list)
    checked: int | None = None
    found: bool = False
    played: int | None = None
    breaches: list[Breach] = field(default_factory=list)


def _read(story: str, article: str) -> _Told:
    state, *words = story.split()
    told = _Told(live=state == LIVE, pends=state == OPEN)
    for index, word in enumerate(words, 1):
        sign, rest = word[0], word[1:]
        if sign in PIPS or word == UNKNOWN:  # a card of which the log does not say how it lay
            told.cards.append(_Card(sign, seen=True, word=index))
        elif sign in "+-":
            told.cards.append(_Card(rest[0], sign == "+", index))
        elif sign == "?":
            told.checked = index
            told.found = rest == "natural"
        elif sign == "|":
            told.played = index
        elif sign == "=" and told.cards:
            told.cards[-1].called, told.cards[-1].called_word = int(rest), index
        elif sign in "^~":
            card = _meant(told.cards, sign, rest[0])
            if card is None:
                what = "turned" if sign == "^" else "removed"
                told.breaches.append(
                    Breach(BANK_CARD_ABSENT.code, article, f"{rest} was {what}, the bank has none", index)
                )
            elif sign == "^":
                card.rank, card.seen = rest[0], True
            else:
                card.removed = True
    return told


def _meant(cards: list[_Card], sign: str, rank: str) -> _Card | None:
    """The card that is turned or removed: the last of its rank, else the last one not known."""
    there = [card for card in reversed(cards) if not card.removed and not (sign == "^" and card.seen)]
    return next((card for card in there if card.rank == rank), next((c for c in there if c.rank == NOT_KNOWN), None))


def judge_bank(story: str, rules: Rules) -> Judgement:
    """What became of the bank's hand.

    A card that it must not take counts for nothing (art. 6(1)); a card that it failed to take is not made up for: the
    hand stands as it is.
    """
    drawing = rules.regulation.drawing
    article = drawing.cite(*drawing.bank)
    told = _read(story, article)
    breaches, steps, hand = told.breaches, [], BankHand()
    for card in told.cards:
        surplus = hand.known and not drawing.bank_must_draw(hand, rules)
        if surplus:
            breach, kept = _surplus(card, hand, rules)
            breaches.append(breach)
            steps.append(Step(breach.article, breach.message))
            if not kept:
                continue
        elif card.removed:
            continue
        drawing.bank_takes(hand, card.rank, card.called, rules)
        if card.called and hand.known:
            breaches += _called_wrong(card, hand, rules)
    breaches += _hole(told, hand, rules)
    not_checked = _not_checked(told, rules)
    if len(hand.ranks) == 1 and not rules.options.not_recorded and _must_take_its_second(told, rules):
        second = rules.regulation.deal.second_card_article(rules)
        waits = "hands wait for the bank" if told.live else "money hangs on whether the bank has Black Jack"
        message = f"{waits if told.live or told.pends else 'the bank plays out'}, and it took no second card"
        breaches.append(Breach(BANK_DID_NOT_DRAW.code, second, message, told.cards[-1].word))
    hidden = next((card for card in told.cards if card.rank == NOT_KNOWN and not card.seen and not card.removed), None)
    if hidden and not told.found and not rules.options.not_recorded and _must_take_its_second(told, rules):
        shown = rules.regulation.deal.second_card_article(rules)
        message = "the bank's hidden card was never shown, and hands or insurance wait for it"
        breaches.append(Breach(HOLE_CARD_NOT_OPENED.code, shown, message, hidden.word))
    if not hand.known:
        outcome = _all_that_is_known(told, hand.ranks)
        missing = "the bank has no second card on the log" if len(hand.ranks) < 2 else "a card of the bank is not named"
        unjudged = "" if outcome == NATURAL else missing
        return Judgement(outcome, tuple(breaches), tuple(steps), False, unjudged, not_checked=not_checked)
    points = drawing.bank_points(hand, rules)
    if drawing.bank_must_draw(hand, rules) and (told.live or drawing.bank_plays_out(rules)):
        message = f"the bank must draw on {points} and did not: the wagers are settled on the cards as they are"
        breaches.append(Breach(BANK_DID_NOT_DRAW.code, article, message, told.cards[-1].word))
        steps.append(Step(article, message))
    outcome = NATURAL if is_natural(hand.ranks) else BUST if points > MOST else str(points)
    if not hand.called and TOTALS in rules.told and drawing.calls_bank(rules):
        rules.readings("BJ-33")
        called = rules.regulation.busting.cite(*rules.regulation.busting.called)
        message = f"the bank's total of {points} was not called"
        breaches.append(Breach(BANK_TOTAL_NOT_CALLED.code, called, message, told.cards[-1].word))
    steps.append(Step(article, f"the bank has {outcome} with {' '.join(hand.ranks)}"))
    return Judgement(outcome, tuple(breaches), tuple(steps), waits=False, not_checked=not_checked)


def _must_take_its_second(told: _Told, rules: Rules) -> bool:
    """Art. 7(1). BJ-8: as long as a bet is undecided, if only the insurance, or in any case."""
    return told.live or told.pends or rules.regulation.drawing.bank_plays_out(rules)


def _surplus(card: _Card, hand: BankHand, rules: Rules) -> tuple[Breach, bool]:
    """The breach of a card taken on a hand that must stand, and whether it joins the hand all the same (BJ-7)."""
    drawing = rules.regulation.drawing
    points = drawing.bank_points(hand, rules)
    became = "void" if card.seen else drawing.unseen_surplus(rules)
    fate = {
        "void": "it is void" + ("" if card.removed else " and was to be removed"),
        "next_card": "not shown, it is the next card of the shoe",
        "in_hand": "not shown, it is held valid",
    }[became]
    message = f"the bank took a card on {points}: {fate}"
    breach = Breach(BANK_SURPLUS_CARD.code, drawing.cite(*drawing.bank), message, card.word)
    return breach, became == "in_hand" and not card.removed


def _called_wrong(card: _Card, hand: BankHand, rules: Rules) -> Iterator[Breach]:
    points = rules.regulation.drawing.bank_points(hand, rules)
    if rules.regulation.drawing.totals_called and card.called not in (points, hard_points(hand.ranks)):
        rules.readings("BJ-33")  # whether or not it had to be called
        article = rules.regulation.busting.cite(*rules.regulation.busting.called)
        yield Breach(
            BANK_TOTAL_WRONG.code, article, f"{card.called} was called, the bank has {points}", card.called_word
        )


def _hole(told: _Told, hand: BankHand, rules: Rules) -> Iterator[Breach]:
    """Art. 5(2)(3)(3) and (4): the check of the hidden card under an ace or a ten. BJ-19: a duty, or left to the bank.

    BJ-74: the hidden card of the metal box is not checked.
    """
    options, first_two = rules.options, hand.ranks[:2]
    article = rules.regulation.deal.cite(*HOLE_CHECK)
    if told.checked is None:
        if options.device == "box" and not options.checks_hole and first_two[:1] in TEN_OR_ACE:
            rules.readings("BJ-74")
        wanted = options.checks_hole and "hole_check" not in options.not_recorded and first_two[:1] in TEN_OR_ACE
        if wanted and told.played is not None and must_check(rules):
            message = "the bank looks at its hidden card under an ace or a ten before anyone plays"
            yield Breach(HOLE_NOT_CHECKED.code, article, message, told.played)
    elif len(first_two) == 2 and NOT_KNOWN not in first_two and told.found != is_natural(first_two):
        there = "is" if is_natural(first_two) else "is no"
        yield Breach(HOLE_CHECK_WRONG.code, article, f"there {there} Black Jack in {' '.join(first_two)}", told.checked)
    elif told.found and told.played is not None and told.played > told.checked:
        message = "play went on after Black Jack was found, which ends it at once"
        yield Breach(HOLE_CHECK_WRONG.code, rules.regulation.deal.cite(*COLLECTION), message, told.played)


def must_check(rules: Rules) -> bool:
    """Whether the bank has to look at a hidden card that could make its Black Jack; BJ-19 where the law speaks of it."""
    return rules.options.deal_procedure != 3 or rules.readings("BJ-19") == "mandatory"


def _not_checked(told: _Told, rules: Rules) -> tuple[str, ...]:
    unseen = rules.options.checks_hole and told.checked is None and "hole_check" in rules.options.not_recorded
    return ("hole_check",) if unseen else ()


def _all_that_is_known(told: _Told, ranks: str) -> str:
    """Of a hand with a card missing or not named: that it is Black Jack, that it is none, or nothing."""
    if told.found:
        return NATURAL
    first_two = ranks[:2]
    if len(first_two) == 2 and NOT_KNOWN not in first_two:
        return NATURAL if is_natural(first_two) else NO_NATURAL
    possible = TEN_OR_ACE.union(NOT_KNOWN).issuperset(first_two)
    return "" if possible and told.checked is None else NO_NATURAL


def bank_draws(story: str, rules: Rules) -> bool:
    """Whether the bank must take another card after a bank story so far.

    It always takes its second card; it plays on where a hand waits for it, or always by the other reading of BJ-8.
    """
    drawing = rules.regulation.drawing
    told = _read(story, "")
    hand = BankHand()
    for card in told.cards:
        if not card.removed:
            drawing.bank_takes(hand, card.rank, card.called, rules)
    if len(hand.ranks) < 2:
        return True
    if not hand.known or not drawing.bank_must_draw(hand, rules):
        return False
    return told.live or bool(drawing.bank_plays_out(rules))
