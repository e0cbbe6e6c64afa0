"""Exact odds at Black Jack: wagers on the first cards, the insurance, and the outcomes of the bank's hand.

Cards come from a shoe that never runs out or from a number of decks, of which only the cards of the case are gone. For wagers on
the first cards every card of the deck is a case of its own; for the bank the ten and the figures are one, whatever the suit (a
test checks that).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Final

from replayer.contract import rules
from replayer.contract.cards import Card, card_of
from replayer.contract.outcomes import Awaited
from replayer.contract.readings import Readings
from replayer.contract.symbols import BankSymbol, Dealt, Decided, PlayBegan
from replayer.contract.wagers import WagerSituation
from replayer.law.black_jack import GAME
from replayer.law.black_jack.bank import NEW_BANK, BankState
from replayer.law.black_jack.first_cards import FIRST_CARDS, FirstCards
from replayer.law.black_jack.hand import Action
from replayer.law.black_jack.outcome import BankOutcome
from replayer.law.black_jack.regulation import BlackJackRegulation
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import INSURANCE
from replayer.law.calendar import text_of
from replayer.law.rulings import not_default, readings_by
from replayer.processes.spread import Progress, spread
from schemas.cards import DECK

_DECK: Final = [card_of(name) for name in DECK]
RANKS: Final = "A23456789T"
SIDE_WAGERS: Final = ("any_pair", "sevens", "over_13", "under_13", "perfect_pair")


def rules_of(version_id: str, readings: Readings) -> Rules:
    """The rules of a version with every additional wager that it has, and with default options otherwise."""
    regulation = text_of(version_id, BlackJackRegulation)
    options, _ = GAME.options({choice.name: "on" for choice in regulation.additional_wagers.choices}, regulation)
    return rules.Rules(regulation, options, readings)


def chance(cards: Sequence[Card], decks: int | None, gone: Sequence[Card] = ()) -> Fraction:
    """The probability of drawing ``cards`` in this order, after ``gone``."""
    likely = Fraction(1)
    seen = list(gone)
    for card in cards:
        if decks is None:
            likely /= len(DECK)
        else:
            likely *= Fraction(decks - seen.count(card), decks * len(DECK) - len(seen))
            seen.append(card)
    return likely


def compute(
    version_id: str, decks: int | None, readings: Readings, workers: int | None, progress: Progress | None
) -> dict[str, object]:
    """The figures of a version; see :func:`replayer.law.odds.odds`."""
    cases = [*SIDE_WAGERS, INSURANCE, *RANKS]
    work = [(version_id, not_default(readings), decks, case) for case in cases]
    found = dict(zip(cases, spread(_case, work, workers, progress), strict=True))
    return {
        "decks": decks,
        "wagers": {case: figures for case, figures in found.items() if case not in RANKS and figures is not None},
        "bank": {case: found[case] for case in RANKS},
    }


def _case(work: tuple[str, dict[str, str], int | None, str]) -> dict[str, object] | None:
    """One wager or one open card, by names, so that it can be sent to another process; None for no such wager."""
    version_id, chosen, decks, case = work
    rules = rules_of(version_id, readings_by(chosen))
    if case in RANKS:
        by_text = {str(outcome): str(likely) for outcome, likely in bank(rules, case, decks).items()}
        return {"probability": dict(sorted(by_text.items()))}
    return insurance(rules, decks) if case == INSURANCE else side_wager(rules, case, decks)


def side_wager(rules: Rules, kind: str, decks: int | None) -> dict[str, object] | None:
    """A wager on the first cards of a hand; only a pair of sevens is split, for the wager on sevens."""
    outcomes: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
    for cards in product(_DECK, repeat=2):
        likely = chance(cards, decks)
        dealt = FIRST_CARDS.dealt(cards[0], 0).dealt(cards[1], 0)
        for more in product(_DECK, repeat=2) if kind == "sevens" and cards[0].rank == cards[1].rank == "7" else ((),):
            first_cards = _split(dealt, more).outcome() if more else dealt.outcome()
            due = GAME.settlement.due(WagerSituation(kind, 0, first_cards=first_cards), rules)
            if due.odds is None:
                return None
            outcomes[due.odds] += likely * chance(more, decks, cards)
    split = "a pair of sevens is split once" if kind == "sevens" else "no hand is split"
    return _described(outcomes, f"two cards of a full shoe; {split}")


def _split(pair: FirstCards, following: Sequence[Card]) -> FirstCards:
    """A pair that is split once, and the next card of either hand."""
    state = pair.after(Decided(Action.SPLIT.value))
    for hand, card in enumerate(following):
        state = state.dealt(card, hand)
    return state


def insurance(rules: Rules, decks: int | None) -> dict[str, object] | None:
    """Insurance against an ace, with no other card known."""
    outcomes: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
    for outcome, likely in bank(rules, "A", decks).items():
        due = GAME.settlement.due(WagerSituation(INSURANCE, 0, bank=outcome), rules)
        if due.odds is None:
            return None
        outcomes[due.odds] += likely
    return _described(outcomes, "the bank shows an ace, no other card is known")


def bank(rules: Rules, upcard: str, decks: int | None) -> Mapping[BankOutcome | None, Fraction]:
    """The outcomes of the bank's hand after an open card, with their probabilities. Hands of the same state that took the same
    cards from the shoe continue the same way, and are counted as one."""
    outcomes: defaultdict[BankOutcome | None, Fraction] = defaultdict(Fraction)
    hands = {(_after(PlayBegan(), _after(Dealt(Card(upcard)), NEW_BANK, rules), rules), upcard): Fraction(1)}
    while hands:
        longer: defaultdict[tuple[BankState, str], Fraction] = defaultdict(Fraction)
        for (state, gone), likely in hands.items():
            if not state.draws(Awaited.HAND, rules):
                outcomes[state.so_far(Awaited.HAND, rules).outcome] += likely
                continue
            for rank in RANKS:
                if part := _next(rank, gone, decks):
                    taken = "" if decks is None else "".join(sorted(gone + rank))
                    longer[_after(Dealt(Card(rank)), state, rules), taken] += likely * part
        hands = longer
    return outcomes


def _after(symbol: BankSymbol, state: BankState, rules: Rules) -> BankState:
    after = state.after(symbol, rules)
    if after is None:
        raise AssertionError(f"a bank that keeps the rules did not keep them: {state}, {symbol}")
    return after


def _next(rank: str, gone: str, decks: int | None) -> Fraction:
    """The probability that the next card is of a rank."""
    in_a_deck = 16 if rank == "T" else 4
    if decks is None:
        return Fraction(in_a_deck, len(DECK))
    return Fraction(decks * in_a_deck - gone.count(rank), decks * len(DECK) - len(gone))


def _described(outcomes: Mapping[Fraction, Fraction], assumes: str) -> dict[str, object]:
    return {
        "probability": {str(odds): str(likely) for odds, likely in sorted(outcomes.items()) if likely},
        "ev": str(sum((odds * likely for odds, likely in outcomes.items()), Fraction())),
        "assumes": assumes,
    }
