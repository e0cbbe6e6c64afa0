"""The compiled runner beside the plain one, and beside a table judged as its events arrive: the same of the same rounds.

The rounds are made at random, lawful or not, or with words that nobody would write, under every version, options and readings.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import polars as pl
import pytest

from replayer.contract.game import Game
from replayer.contract.wagers import WagerSituation
from replayer.engine.automaton import Automaton
from replayer.engine.due_lookup import HandDues, explained
from replayer.engine.evaluator import Evaluator
from replayer.engine.first_cards import FirstCards
from replayer.engine.histories import Histories
from replayer.engine.reconstruct import Reconstruction, reconstruct
from replayer.engine.rules_in_force import ReplaySettings
from replayer.integrity import inspection
from replayer.integrity.inspection import inspect_all
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.log.columns import TableDay
from tests.law.test_two_runners import NOT_RECORDED, some_readings, without_places
from tests.oracle import fortune_3_card_poker
from tests.oracle.black_jack import V2000, points
from tests.oracle.compare import DAY, IDS, UNLAWFUL, some_round
from tests.oracle.rounds import RANKS, deal_notation, elected, notation, some_deal, some_house
from tests.replay.test_in_play import assert_same
from tests.shares import few
from tests.texts import frame_of

DAYS: Final = 10
ROUNDS: Final = 100
"""A batch: so many table-days of so many rounds are judged at once."""

SHOE: Final = ("shuffle:1:hand:6", "cut:1:p1", "white:1:60", *["!-??"] * 6)
CARD: Final = re.compile(r"(?P<place>(?:\d|B)[b-h]?)(?P<face>[+-])(?P<card>\w\w)")
SPLIT: Final = re.compile(r"(?P<place>\d[b-h]?)\.split")
NEW_HAND: Final = re.compile(r"(?P<place>\d[b-h])\.split=.*")


class Habits(NamedTuple):
    """How a house deals, and what its log tells of a round besides cards, stakes and decisions."""

    totals: bool
    turns: bool
    down: bool = True
    burns: int = 0

    def of_round(self, words: Sequence[str]) -> Iterator[str]:
        """The words of a round with players' first cards down or all up, cards burned, totals called, and with the cards of a
        player turned once he is over 21, or in the end."""
        cards: defaultdict[str, list[str]] = defaultdict(list)
        down: defaultdict[str, list[str]] = defaultdict(list)
        separated, deals = "", True
        for word in words:
            if word == "end" and self.turns:
                yield from (f"{place}^{card}" for place, lying in down.items() for card in lying)
            if not (found := CARD.fullmatch(word)):
                yield word
                deals = not cards or (deals and "." not in word.partition("=")[0])
                if decided := SPLIT.fullmatch(word):
                    separated = decided["place"]
                elif (made := NEW_HAND.fullmatch(word)) and len(cards[separated]) == 2:
                    cards[made["place"]] = [cards[separated].pop()]
                    down[made["place"]] = down[separated][1:]
                    del down[separated][1:]
                continue
            place, face, card = found.groups()
            if place != "B":
                face = "-" if self.down and deals else "+"
                down[place] += [card] * (face == "-")
            if self.burns and (
                (not cards and SHOE[0] not in words)
                or (self.burns > 1 and place + face == "B+" and len(cards["B"]) == 1)
            ):
                yield "!-??"
            yield place + face + card
            cards[place].append(card)
            counted = points(cards[place])
            if counted > 21 and self.turns:
                yield from (f"{place}^{each}" for each in down.pop(place, ()))
            if len(cards[place]) > 1 and self.totals:
                yield f"{place}={counted}"


# Words put wrong


def some_card(dice: random.Random) -> str:
    return dice.choice(("??", *(rank + dice.choice("cdhs") for rank in RANKS)))


def odd_word(dice: random.Random, words: Sequence[str], habits: Habits, game: Game) -> str:
    """A word that may stand in a round, at a place and with a card of it for the most part."""
    dealt = [found for word in words if (found := CARD.fullmatch(word))]
    known = dice.choice(dealt) if dealt and dice.random() < 0.8 else None
    place, card = (known["place"], known["card"]) if known else (dice.choice("1234567B"), some_card(dice))
    seat = place[0].replace("B", "1")
    what = dice.random()
    if what < 0.3:
        cards = (f"{place}~{card}", f"{place}+{some_card(dice)}", f"{place}-{some_card(dice)}", f"{seat}b+{card}")
        return dice.choice((*cards, f"{place}^{card}") if habits.turns else cards)
    if what < 0.6:
        hand = seat + dice.choice(("", "", "b", "c"))
        return f"{hand}.{dice.choice(ACTIONS[game.name])}{dice.choice(('', f'@p{seat}', '@q'))}"
    if what < 0.75:
        hand, stake = seat + dice.choice(("", "", "b")), dice.choice((100, 100, 50, 0))
        return f"{hand}.{dice.choice(STAKES[game.name])}={stake}{dice.choice((f'@p{seat}', '@q', ''))}"
    if what < 0.85 and habits.totals:
        return f"{place}={dice.randrange(2, 30)}"
    if what < 0.9:
        return f"{seat}.{dice.choice(STAKES[game.name])}=100>-100@p{seat}"
    return dice.choice(OF_THE_TABLE)


ACTIONS = {
    "black_jack": ("hit", "stand", "double", "split", "surrender", "insurance", "even_money", "five_card_half", "special_prize",
                   "decline_special_prize", "dance"),
    "fortune_3_card_poker": ("raise", "fold", "dance"),
}  # fmt: skip
STAKES = {
    "black_jack": ("main", "split", "double", "insurance", "any_pair", "sevens", "streak_3"),
    "fortune_3_card_poker": ("ante", "raise", "pair_plus"),
}
OF_THE_TABLE = (
    "B?", "B?natural", "!-??", "!+9c", "white!1", "white:1:30", "nomore", "void:misdeal", "failed:shuffler", "end",
    "shuffle:1:hand:6", "shuffle:1:machine:1", "cut:1:p1",
)  # fmt: skip


def put_wrong(dice: random.Random, words: list[str], habits: Habits, game: Game) -> list[str]:
    """The words of a round, some of them left out, doubled, moved or put in."""
    words = list(words)
    while dice.random() < 0.5:
        at, what = dice.randrange(1, len(words)), dice.random()
        if what < 0.6:
            words.insert(at, odd_word(dice, words, habits, game))
        elif what < 0.75 and len(words) > 2:
            del words[at]
        elif what < 0.9:
            words.insert(at, words.pop(dice.randrange(1, len(words))))
        else:
            words.insert(at, dice.choice(words[1:]))
    return words


# Table-days


class Day(NamedTuple):
    """The text of a table-day, and the version by which it is to be judged."""

    text: str
    version: str


def black_jack_day(dice: random.Random, rounds: int) -> Day:
    """A table-day of one house, which deals as its version lets it."""
    house = some_house(dice)
    options, burns, procedure = elected(house), 2, 1
    if house.version != V2000:
        burns, procedure = dice.randrange(3), 3 if house.hidden_card_checked else dice.choice((1, 2))
        options |= {
            "burn_later": ("none", "round_start", "round_start_and_bank_second")[burns],
            "deal_procedure": str(procedure),
        }
    habits = Habits(totals=dice.random() < 0.3, turns=dice.random() < 0.4, down=procedure == 1, burns=burns)
    made = (some_round(dice, house, unlawful=number % 2 * UNLAWFUL) for number in range(1, rounds + 1))
    played = (list(habits.of_round(with_shoe(notation(each, number), number))) for number, each in enumerate(made, 1))
    return some_day(dice, BLACK_JACK, house.version, options, played, habits)


def with_shoe(text: str, number: int) -> list[str]:
    """The words of a round; before every fifteenth one a shoe is made ready."""
    number_word, *words = text.split()
    return [number_word, *([*SHOE] if number % 15 == 1 else ()), *words]


def fortune_day(dice: random.Random, rounds: int) -> Day:
    """A table-day of either version, with hands of a wrong number of cards as well."""
    version = dice.choice((fortune_3_card_poker.V78, fortune_3_card_poker.V97))
    options = dice.choice(({}, {"shuffle": "hand"}, {"shuffle": "machine"}))
    made = (some_deal(dice, undecided=0.05, miscounted=0.05) for _ in range(rounds))
    played = (deal_notation(each, number).split() for number, each in enumerate(made, 1))
    return some_day(dice, FORTUNE, version, options, played, Habits(totals=False, turns=True))


def some_day(
    dice: random.Random, game: Game, version: str, options: dict[str, str], rounds: Iterable[list[str]], habits: Habits
) -> Day:
    """A table-day of these rounds, in some of which words are put wrong."""
    texts = [" ".join(put_wrong(dice, words, habits, game) if dice.random() < 0.5 else words) for words in rounds]
    options = {**options, "not_recorded": dice.choice(NOT_RECORDED).replace(" ", ",")}
    head = [f"open:{game.name}:MOP:7=0", *(f"option:{name}={value}" for name, value in options.items() if value)]
    return Day("\n".join([*head, *texts, "#- close=0"]), IDS[version])


def misread(dice: random.Random, day: Day) -> Day:
    """The table-day with rounds of which the table's reader did not name some cards, or took them for others: pairs, sevens and
    Black Jacks come together so."""

    def read(word: str) -> str:
        found = CARD.fullmatch(word)
        if not found or dice.random() < 0.5:
            return word
        return f"{found['place']}{found['face']}{dice.choice(('??', '??', '7c', '7d', 'Ah', 'Ts'))}"

    lines = day.text.split("\n")
    return day._replace(text="\n".join(" ".join(map(read, x.split())) if dice.random() < 0.3 else x for x in lines))


DAY_OF: Final = {"black_jack": black_jack_day, "fortune_3_card_poker": fortune_day}


# Judged in three ways


def asked_singly(dues: HandDues, wagers: pl.DataFrame, evaluators: Sequence[Evaluator]) -> pl.Series:
    """The numbers of the wagers' dues, for each of which the evaluator is asked."""
    numbers = []
    for own, bank, evaluator, hand, kind in wagers.select("own", "bank", "evaluator", "hand", "kind").iter_rows():
        seat, of_bank = dues.seats.all[own], dues.banks.all[bank]
        due = evaluators[evaluator].wager(WagerSituation(kind, hand, seat.outcome, of_bank.outcome))
        rests_on = seat.rulings + of_bank.rulings
        numbers.append(dues.dues.number(explained(due, seat.unjudged or of_bank.unjudged).resting_on(rests_on)))
    return pl.Series(numbers, dtype=pl.Int64)


def judged(
    logs: Sequence[inspection.Log], name: str, settings: Sequence[ReplaySettings], *, follow: bool
) -> tuple[Reconstruction, Counter[str]]:
    """Table-days judged, their histories followed by tables or none, and how many histories were judged singly, by subject."""
    singly: Counter[str] = Counter()
    build = Histories.build

    def counted(histories: Histories, of: Any, keys: Any, game: Game) -> Any:
        singly[of.subject.name.lower()] += keys.len()
        return build(histories, of, keys, game)

    numbers = HandDues.numbers if follow else asked_singly
    with (
        patch.object(Automaton, "pays", follow),
        patch.object(Histories, "build", counted),
        patch.object(HandDues, "numbers", numbers),
        patch.object(FirstCards, "_ends", FirstCards.__dict__["_ends"] if follow else {}),
    ):
        return reconstruct(logs, name, settings), singly


def verdicts(made: Reconstruction) -> dict[str, list[Any]]:
    """What became of every seat, bank, round and wager, with the rulings on which that rests, and all that was found."""
    assert made.judged is not None
    found = made.judged.judgements
    columns = {"seats": found.seats, "banks": found.banks, "rounds": found.rounds, "dues": made.dues}
    of_rows = {name: [column.at(row) for row in range(len(column.numbers))] for name, column in columns.items()}
    of_rows["seats"] = [replace(each, value=without_places(each.value)) for each in of_rows["seats"]]
    rulings = [made.rulings.all[number] for number in made.wagers["rulings"]]
    return {
        **of_rows,
        "bettors": sorted(found.of_bettors.items(), key=repr),
        "findings": sorted(map(repr, (*found.noted, *made.findings))),
        "not checked": found.not_checked,
        "wagers": made.wagers.drop("due", "rulings").rows(),
        "rulings of wagers": rulings,
    }


# The tests

TOLD: Final = {
    "black_jack": {"seat": 0.2, "bank": 0.6, "round": 0.4},
    "fortune_3_card_poker": {"seat": 0.75, "bank": 0.85, "round": 0.65},
}
"""Of seats, banks and rounds the least share of a batch that tables tell; others are judged history by history."""
IN_MAKE_TEST: Final = 20
"""Rounds of a table-day of the batches that ``make test`` tries."""
ALL_READ: Final = 501
"""Batches of which every card was read as it is; of those with higher seeds some were not."""


@pytest.mark.parametrize("seed", [*few(range(ALL_READ), 1), *few(range(ALL_READ, ALL_READ + 100), 1)])
@pytest.mark.parametrize("name", DAY_OF)
def test_a_batch_is_judged_the_same_in_every_way(name: str, seed: int) -> None:
    """By tables and dues looked up; history by history and wager by wager; one of its table-days event by event."""
    rounds, all_read = IN_MAKE_TEST if seed in (0, ALL_READ) else ROUNDS, seed < ALL_READ
    dice = random.Random(f"{name} {seed}")
    days = [DAY_OF[name](dice, rounds) for _ in range(DAYS)]
    if not all_read:
        days = [misread(dice, day) for day in days]
    logs = inspect_all([TableDay(f"T{number}", DAY, frame_of(day.text)) for number, day in enumerate(days)])
    readings = some_readings(dice)  # one for all: tables under the same regulation and readings share an automaton
    settings = [ReplaySettings(regulation=day.version, readings=readings) for day in days]
    made, singly = judged(logs, name, settings, follow=True)
    plain, all_singly = judged(logs, name, settings, follow=False)
    told = verdicts(made)
    for what, plainly in verdicts(plain).items():
        assert told[what] == plainly, what
    assert len(told["rounds"]) == DAYS * rounds
    floor = TOLD[name] if all_read and len(readings) < 2 else {}  # under many other readings most rounds break a rule
    assert [of for of, least in floor.items() if singly[of] > (1 - least) * all_singly[of]] == []
    assert_same(logs[0], settings[0])


@pytest.mark.parametrize(("hole", "procedure", "judged_singly"), [("A", 1, 1), ("A", 3, 0), ("8", 3, 1)])
def test_art6_n3_a_hand_left_open_is_judged_from_its_events_only_where_the_bank_has_played(
    hole: str, procedure: int, judged_singly: int
) -> None:
    """Under every Black Jack of a bank that looks at its hidden card hands are left open."""
    stood = "#1 1.main=100@p1 nomore 1+Tc B+6h 1+8d 1.stand B+Ts B+9s 1.main>100@p1 end"
    left = f"#2 1.main=100@p1 nomore 1+5c B+Th 1+7d B+{hole}s 1.main>-100@p1 end"
    opened = f"open:black_jack:MOP:7=0 option:deal_procedure={procedure}"
    logs = inspect_all([TableDay("T1", DAY, frame_of(f"{opened} {stood} {left}"))])
    made, singly = judged(logs, "black_jack", [ReplaySettings()], follow=True)
    assert made.judged is not None
    missing = [each for each in made.judged.judgements.noted if each.breach.code == "DECISION_MISSING"]
    assert (singly["seat"], len(missing)) == (judged_singly, judged_singly)
