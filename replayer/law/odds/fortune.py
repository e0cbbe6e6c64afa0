"""Exact odds of Fortune 3 Card Poker: all 22,100 hands of the player against all 18,424 that are left for the croupier.

The game's own rules say what every hand is and what every wager is due. No particular suit makes a difference (a test checks
that), so one of the player's hands stands for all of its kind: 1,755 kinds. The croupier's hands are counted by inclusion and
exclusion of the player's three cards.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, combinations, permutations
from typing import Final

from replayer.contract.cards import Card, card_of
from replayer.contract.readings import Readings
from replayer.contract.rules import Rules
from replayer.contract.wagers import WagerSituation
from replayer.law.calendar import text_of
from replayer.law.fortune_3_card_poker import GAME
from replayer.law.fortune_3_card_poker.bets import ANTE, PAIR_PLUS, RAISE
from replayer.law.fortune_3_card_poker.cards import Hand, hand_of
from replayer.law.fortune_3_card_poker.despacho_78_2008 import FortuneRegulation
from replayer.law.fortune_3_card_poker.outcome import ALONE, FOLDED, RAISED, BankOutcome, Met, SeatOutcome
from replayer.law.rulings import not_default, readings_by
from replayer.processes.spread import Progress, spread
from schemas.cards import DECK, SUITS

Cards = tuple[Card, ...]

SHARES: Final = 20
"""Parts in which the work is done, so that progress shows."""
LEAST_RAISE: Final = Hand(("Q", "6", "4"))
"""The lowest hand on which the published simple strategy raises."""
_COUNTED: Final = {"croupier_below": Met.BELOW, "wins": Met.LOWER, "ties": Met.EQUAL, "loses": Met.HIGHER}

_DECK: Final = [card_of(name) for name in DECK]
_PLACE: Final = {card: number for number, card in enumerate(_DECK)}
_SWAPS: Final = [dict(zip(SUITS, swapped, strict=True)) for swapped in permutations(SUITS)]


class Table:
    """The rules, and what they say of hands."""

    def __init__(self, regulation: FortuneRegulation, readings: Readings) -> None:
        options, _ = GAME.options({}, regulation)
        self.rules = Rules(regulation, options, readings)

    def due(self, kind: str, fate: str, hand: Hand, croupier: BankOutcome | None = None) -> Fraction:
        """What a wager is due to a player who raised, folded or bet Pair Plus alone."""
        odds = GAME.settlement.due(WagerSituation(kind, 0, SeatOutcome(fate, hand), croupier), self.rules).odds
        if odds is None:
            raise ValueError(f"the rules give no due for {kind} on {fate} {hand} against {croupier}")
        return odds

    def raised(self, hand: Hand, met: Met) -> Fraction:
        """What ante and raise are due together, by how the croupier's hand compares with the player's."""
        return sum((self.due(kind, RAISED, hand, BankOutcome(met=met)) for kind in (ANTE, RAISE)), Fraction())

    @cached_property
    def croupiers(self) -> Counts:
        """The croupier's hands, counted."""
        return Counts({cards: hand_of(cards) for cards in combinations(_DECK, 3)})


class Counts:
    """How often each hand comes up among the cards that are left."""

    def __init__(self, hands: dict[Cards, Hand]) -> None:
        self._with = defaultdict[Cards, Counter[Hand]](Counter)
        for cards, hand in hands.items():
            for some in chain.from_iterable(combinations(cards, size) for size in range(len(cards) + 1)):
                self._with[some][hand] += 1

    def without(self, cards: Cards) -> dict[Hand, int]:
        """Hands and their number when ``cards`` are gone."""
        left = dict(self._with[()])
        cards = tuple(sorted(cards, key=_PLACE.__getitem__))
        for size, sign in ((1, -1), (2, 1), (3, -1)):
            for some in combinations(cards, size):
                for hand, number in self._with[some].items():
                    left[hand] += sign * number
        return {hand: number for hand, number in left.items() if number}


def kinds() -> Iterator[tuple[Cards, int]]:
    """One of each kind of three cards that differ in more than the names of their suits, and how many are of it."""
    found: Counter[Cards] = Counter()
    for cards in combinations(_DECK, 3):
        permuted = (sorted((Card(rank, swap[suit]) for rank, suit in cards), key=_PLACE.__getitem__) for swap in _SWAPS)
        found[tuple(min(permuted))] += 1
    yield from found.items()


@dataclass(frozen=True, slots=True)
class Kind:
    """The totals of the ``number`` hands of one kind when they play, each against 18,424 hands of the croupier. ``met`` counts
    these by the comparison with the player's hand: below, lower, equal, higher; ``due`` sums ante and raise."""

    hand: Hand
    number: int
    met: Counter[Met]
    due: Fraction


def play(table: Table, share: Sequence[tuple[Cards, int]]) -> list[Kind]:
    """Play a share of the kinds against every hand that is left for the croupier."""
    played, rules = [], table.rules
    for cards, number in share:
        hand, ways = hand_of(cards), Counter[Met]()
        for croupier, times in table.croupiers.without(cards).items():
            ways[rules.regulation.play.meet(hand, croupier, rules.readings)] += times
        due = sum((times * table.raised(hand, met) for met, times in ways.items()), Fraction())
        played.append(Kind(hand, number, ways, due))
    return played


def _share(work: tuple[str, dict[str, str], Sequence[tuple[Cards, int]]]) -> list[Kind]:
    """:func:`play` by names, so that it can be sent to another process."""
    version_id, chosen, share = work
    return play(_table(version_id, tuple(chosen.items())), share)


@lru_cache(maxsize=1)
def _table(version_id: str, chosen: tuple[tuple[str, str], ...]) -> Table:
    return Table(text_of(version_id, FortuneRegulation), readings_by(dict(chosen)))


def compute(
    version_id: str, decks: int | None, readings: Readings, workers: int | None, progress: Progress | None
) -> dict[str, object]:
    """The figures of a version, of its one deck; see :func:`replayer.law.odds.odds`."""
    every = list(kinds())
    size = -(-len(every) // SHARES)
    shares = [(version_id, not_default(readings), every[first : first + size]) for first in range(0, len(every), size)]
    played = [kind for part in spread(_share, shares, workers, progress) for kind in part]
    return summary(text_of(version_id, FortuneRegulation), readings, played)


def summary(regulation: FortuneRegulation, readings: Readings, played: Sequence[Kind]) -> dict[str, object]:
    """The totals of all kinds."""
    table = Table(regulation, readings)
    ranks = regulation.combinations
    fold = table.due(ANTE, FOLDED, LEAST_RAISE)
    by_hand: dict[str, Counter[str]] = {name: Counter() for name in ranks.order}
    due = dict.fromkeys(ranks.order, Fraction())
    simple = best = Fraction(0)
    raises: Counter[str] = Counter()
    lowest: Hand | None = None
    for kind in played:
        name = ranks.named(kind.hand, readings)
        row = by_hand[name]
        row["hands"] += kind.number
        row["deals"] += kind.number * sum(kind.met.values())
        row.update({key: kind.number * kind.met[met] for key, met in _COUNTED.items()})
        due[name] += kind.number * kind.due
        played_out = kind.due / sum(kind.met.values())
        raise_simply = ranks.compare(kind.hand, LEAST_RAISE, readings) >= 0
        simple += kind.number * (played_out if raise_simply else fold)
        best += kind.number * max(played_out, fold)
        raises["simple"] += kind.number * raise_simply
        if played_out > fold:
            raises["best"] += kind.number
            if lowest is None or ranks.compare(kind.hand, lowest, readings) < 0:
                lowest = kind.hand
    hands = sum(row["hands"] for row in by_hand.values())
    deals = sum(row["deals"] for row in by_hand.values())
    total = sum(by_hand.values(), Counter[str]())
    return {
        "hands": hands,
        "deals": deals,
        "croupier": {"below": total["croupier_below"], "plays": deals - total["croupier_below"]},
        "player": {
            name: {
                **{key: row[key] for key in ("hands", "deals", *_COUNTED)},
                "raised_ev": str(due[name] / row["deals"]),
            }
            for name, row in by_hand.items()
        },
        "ante_and_raise": {
            "simple": {"raises_on": str(LEAST_RAISE), "raises": raises["simple"], "ev": str(simple / hands)},
            "best": {"raises_on": lowest and str(lowest), "raises": raises["best"], "ev": str(best / hands)},
        },
        "pair_plus": _pair_plus(table),
    }


def _pair_plus(table: Table) -> dict[str, object]:
    due = Counter(table.due(PAIR_PLUS, ALONE, hand_of(cards)) for cards in combinations(_DECK, 3))
    total = sum(due.values())
    return {
        "probability": {str(odds): str(Fraction(number, total)) for odds, number in sorted(due.items())},
        "ev": str(sum((odds * number for odds, number in due.items()), Fraction()) / total),
    }
