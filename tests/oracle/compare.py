"""Settles random rounds twice, by the program and by the oracle, and lists every wager on which they part."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Final

from replayer.contract.game import AnyWager, Game
from replayer.contract.outcomes import Judgement, waited_for
from replayer.contract.readings import Readings
from replayer.contract.wagers import WagerSituation
from replayer.engine.evaluator import Evaluator
from replayer.engine.replay_settings import ReplaySettings
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.calendar import version_named
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.law.rulings import not_default, readings_by
from tests.law.notation import bank_history, carried, letter_of, seat_history, streak_due
from tests.law.rules import rules
from tests.law.states import first_cards_of
from tests.oracle import black_jack, fortune_3_card_poker
from tests.oracle.rounds import (
    LETTERS,
    BlackJackTable,
    Deal,
    Histories,
    Round,
    deal_histories,
    deal_notation,
    elected,
    histories,
    notation,
    some_deal,
    some_house,
)
from tests.texts import replay_text

IDS: Final = {
    black_jack.V2000: "bj.141-2000",
    black_jack.V2004: "bj.56-2004",
    black_jack.V2007: "bj.56-2004+42-2007",
    black_jack.V2009: "bj.57-2009",
    fortune_3_card_poker.V78: "f3.78-2008",
    fortune_3_card_poker.V97: "f3.78-2008+97-2008",
}
DEFAULTS: Final = readings_by()
DAY: Final = dt.date(2009, 6, 1)
UNLAWFUL: Final = 0.12
"""How likely each step of every second round is to break the rules."""


@dataclass
class Compared:
    """How many rounds and wagers were compared, and what was found to differ, in words."""

    rounds: int = 0
    wagers: int = 0
    differences: tuple[str, ...] = ()

    def __add__(self, other: Compared) -> Compared:
        return Compared(
            self.rounds + other.rounds, self.wagers + other.wagers, (*self.differences, *other.differences)[:20]
        )


def _compare(compared: Compared, what: str, ours: Fraction | str | None, oracle: Fraction | str | None) -> None:
    compared.wagers += 1
    if ours != oracle and len(compared.differences) < 20:
        compared.differences += (f"{what}: the program says {ours}, the oracle {oracle}",)


def some_round(dice: random.Random, house: black_jack.House | None = None, *, unlawful: float) -> Round:
    """A round of Black Jack with one to three seats."""
    house = house or some_house(dice)
    return BlackJackTable(dice, house, seats=dice.randint(1, 3), unlawful=unlawful).round


@cache
def judge_under(game: Game, version: str, options: tuple[tuple[str, str], ...], readings: Readings) -> Evaluator:
    """The program's judge of a game under a version, with the options elected."""
    regulation = version_named(IDS[version]).regulation
    return Evaluator(game, rules(regulation, not_default(readings), **dict(options)))


def evaluator_of(house: black_jack.House, readings: Readings = DEFAULTS) -> Evaluator:
    """The program's judge of a house's rounds."""
    return judge_under(BLACK_JACK, house.version, tuple(sorted(elected(house).items())), readings)


# By the functions that settle situations


def black_jack_rounds(seed: int, count: int, readings: Readings = DEFAULTS) -> Compared:
    """Rounds of Black Jack under every version; every second one lawful. ``readings`` are the program's, not the oracle's."""
    dice, compared = random.Random(seed), Compared()
    for number in range(count):
        made = some_round(dice, unlawful=number % 2 * UNLAWFUL)
        judge = evaluator_of(made.house, readings)
        _compare_round(made, judge, compared)
        results = "".join(dice.choices("WWWWWLTTSVACwE", k=dice.randint(1, 8)))
        if "C" in results:  # the last that can happen
            results = results[: results.index("C") + 1]
        length = dice.randint(2, 5)
        if made.house.version == black_jack.V2009:
            due = streak_due(f"streak_{length}", carried(results), judge.rules)
            _compare(compared, f"streak_{length} {results}", due and due.odds, black_jack.streak_due(length, results))
    return compared


def judged(made: Round, judge: Evaluator) -> tuple[dict[int, Judgement], Judgement]:
    """What the program says of each seat of a round and of the bank."""
    played = histories(made)
    seats = {number: judge.seat(seat_history(history)).value for number, history in played.seats.items()}
    return seats, judge.bank(bank_history(f"{waited_for(seats.values()).name.lower()} {played.bank}")).value


def splits_before(made: Round, seat: int, hand: int, kind: str) -> int:
    """How often a hand had been split when a wager on opening cards was placed on it."""
    staked = f"{LETTERS[hand]}${kind}"
    own = [word for place, word in made.words if place == seat]
    split: int = first_cards_of(BLACK_JACK, " ".join(own[: own.index(staked)])).splits(hand)
    return split


def on_first_cards(played: Histories, seat: int, kind: str, hand: int, splits: int = 0) -> AnyWager:
    """A wager on first cards at a seat of a round."""
    _, _, words = played.seats[seat].partition(" ")
    return WagerSituation(kind, hand, first_cards=first_cards_of(BLACK_JACK, words), splits=splits)


def _compare_round(made: Round, judge: Evaluator, compared: Compared) -> None:
    played, house = histories(made), made.house
    seats, bank = judged(made, judge)
    compared.rounds += 1
    for number, seat in made.seats.items():
        what = f"{house} | {played.seats[number]} | {played.bank}"
        oracle = black_jack.settle(seat, made.bank, house)
        for (hand, kind), due in oracle.items():
            wager: AnyWager = WagerSituation(kind, hand, seats[number].outcome, bank.outcome)
            if kind in BLACK_JACK.wagers.first_cards:
                wager = on_first_cards(played, number, kind, hand, splits_before(made, number, hand, kind))
            _compare(compared, f"{kind} {hand} | {what}", judge.wager(wager).value.odds, due)
        if house.version == black_jack.V2009 and all(due is not None for due in oracle.values()):
            counted = letter_of(judge.carried.result(seats[number].outcome, bank.outcome).value)
            counted = "L" if counted == "H" else counted  # the same to every streak, by another item
            _compare(compared, f"result | {what}", counted, black_jack.round_result(seat, made.bank, house))


def fortune_deals(seed: int, count: int, readings: Readings = DEFAULTS) -> Compared:
    """Deals of Fortune 3 Card Poker under both versions, with hands of three cards and sometimes no decision."""
    dice, compared = random.Random(seed), Compared()
    for number in range(count):
        version = (fortune_3_card_poker.V78, fortune_3_card_poker.V97)[number % 2]
        judge = judge_under(FORTUNE, version, (), readings)
        made = some_deal(dice, undecided=0.05)
        seats, croupier = deal_histories(made)
        outcomes = {place: judge.seat(seat_history(history)).value for place, history in seats.items()}
        bank = judge.bank(bank_history(f"{waited_for(outcomes.values()).name.lower()} {croupier}")).value.outcome
        compared.rounds += 1
        for place, dues in fortune_dues(made, version).items():
            for kind, due in dues.items():
                ours = judge.wager(WagerSituation(kind, 0, outcomes[place].outcome, bank)).value.odds
                _compare(compared, f"{kind} | {version} | {seats[place]} | {croupier}", ours, due)
    return compared


def fortune_dues(made: Deal, version: str) -> dict[int, dict[str, Fraction]]:
    """The oracle's dues by place; a wrong number of cards anywhere voids all bets of the deal (art. 11(1))."""
    dues = {place: fortune_3_card_poker.settle(what, made.croupier, version) for place, what in made.places.items()}
    if all(len(place.cards) == 3 for place in made.places.values()):
        return dues
    return {place: dict.fromkeys(kinds, Fraction(0)) for place, kinds in dues.items()}


# By whole table-days


def replayed(
    game: str, version: str, rounds: Sequence[str], options: dict[str, str]
) -> dict[tuple[int, int, int, str], Fraction | None]:
    """What each wager (round, seat, hand, kind) of a table-day is due, as a multiple of its stake."""
    head = [f"open:{game}:MOP:7=0", "dealer+D1", *(f"option:{name}={value}" for name, value in options.items())]
    text = "\n".join([*head, *rounds, "#- close=0"])
    settings = ReplaySettings(regulation=IDS[version])
    wagers = replay_text(text, DAY, settings).wagers
    return {
        (number, seat, hand, kind): None if due is None else Fraction(due, stake)
        for number, seat, hand, kind, due, stake in wagers.select(
            "round", "seat", "hand", "wager", "due_minor", "stake_minor"
        ).iter_rows()
    }


def black_jack_days(seed: int, days: int, rounds: int) -> Compared:
    """Table-days of Black Jack, each of one house, from their text to their verdicts."""
    dice, compared = random.Random(seed), Compared()
    for _ in range(days):
        house = some_house(dice)
        played = [some_round(dice, house, unlawful=number % 2 * UNLAWFUL) for number in range(rounds)]
        texts = [notation(made, number) for number, made in enumerate(played, 1)]
        ours = replayed("black_jack", house.version, ["#- shuffle:1:hand:6", *texts], elected(house))
        compared.rounds += rounds
        for number, made in enumerate(played, 1):
            for seat, what in made.seats.items():
                for (hand, kind), due in black_jack.settle(what, made.bank, house).items():
                    place = (number, seat, hand, kind)
                    _compare(compared, f"{place} | {house} | {texts[number - 1]}", ours[place], due)
    return compared


def fortune_days(seed: int, days: int, rounds: int) -> Compared:
    """Table-days of Fortune 3 Card Poker, from their text to their verdicts, with wrong numbers of cards as well."""
    dice, compared = random.Random(seed), Compared()
    for day in range(days):
        version = (fortune_3_card_poker.V78, fortune_3_card_poker.V97)[day % 2]
        played = [some_deal(dice, undecided=0.02, miscounted=0.02) for _ in range(rounds)]
        texts = [deal_notation(made, number) for number, made in enumerate(played, 1)]
        ours = replayed("fortune_3_card_poker", version, texts, {"shuffle": "machine"})
        compared.rounds += rounds
        for number, made in enumerate(played, 1):
            for seat, dues in fortune_dues(made, version).items():
                for kind, due in dues.items():
                    place = (number, seat, 0, kind)
                    _compare(compared, f"{place} | {version} | {texts[number - 1]}", ours[place], due)
    return compared
