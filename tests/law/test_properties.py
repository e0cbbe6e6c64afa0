"""What holds of every round, whatever its cards: permutations, scale, void rounds, files, batches and readings."""

from __future__ import annotations

import datetime as dt
import random
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replayer.contract.game import AnyWager
from replayer.contract.readings import Readings
from replayer.contract.wagers import WagerSituation
from replayer.engine.replay_settings import ReplaySettings
from replayer.law.rulings import Ruling, readings_by, register
from replayer.log.columns import TableDay, columns_of
from replayer.sources.archive import read_table_day
from replayer.sources.manifests import read_manifests
from replayer.sources.table_days import table_days
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.event import Event
from schemas.notation import parse_events
from tests.archives import record
from tests.law.notation import bank_history, seat_history
from tests.oracle import black_jack
from tests.oracle.compare import DAY, IDS, evaluator_of, judge_under, judged, on_first_cards, some_round
from tests.oracle.compare import FORTUNE as FORTUNE_GAME
from tests.oracle.fortune_3_card_poker import V78, V97
from tests.oracle.rounds import (
    BlackJackTable,
    Deal,
    Round,
    deal_histories,
    deal_of,
    elected,
    histories,
    notation,
    some_deal,
)
from tests.texts import frame_of, replay_frame

UNLAWFUL = 0.1
MANY = settings(deadline=None)
FEW = settings(deadline=None, max_examples=8)
"""Where whole table-days are replayed."""
SEEDS = st.integers(0, 2**32)
SUITS = "cdhs"
PERMUTATIONS = ["".join(order) for order in permutations(SUITS)]
HOUSE = black_jack.House(black_jack.V2009)

DueTable = dict[tuple[int, int, str], Fraction | None]
"""What the wagers of a round are due, by seat, hand and kind."""


def the_round(seed: int, house: black_jack.House | None = None) -> Round:
    return some_round(random.Random(seed), house, unlawful=seed % 2 * UNLAWFUL)


def the_deal(seed: int) -> Deal:
    return some_deal(random.Random(seed), undecided=0.05)


def round_dues(made: Round, readings: Readings | None = None) -> DueTable:
    """By the functions that settle situations."""
    judge = evaluator_of(made.house, readings) if readings else evaluator_of(made.house)
    seats, bank = judged(made, judge)
    stood = histories(made)
    dues: DueTable = {}
    for seat, what in made.seats.items():
        for hand, kind in black_jack.settle(what, made.bank, made.house):
            wager: AnyWager = WagerSituation(kind, hand, seats[seat].outcome, bank.outcome)
            if kind in judge.game.wagers.first_cards:
                wager = on_first_cards(stood, seat, kind, hand)
            dues[seat, hand, kind] = judge.wager(wager).value.odds
        judge.carried.result(seats[seat].outcome, bank.outcome)
    return dues


def deal_dues(made: Deal, version: str, readings: Readings) -> DueTable:
    """By the functions that settle situations."""
    judge = judge_under(FORTUNE_GAME, version, (), readings)
    seats, croupier = deal_histories(made)
    outcomes = {seat: judge.seat(seat_history(history)).value for seat, history in seats.items()}
    bank = judge.bank(bank_history(f"hand {croupier}")).value.outcome
    kinds = {seat: [word[1:] for place, word in made.words if place == seat and word[0] == "$"] for seat in seats}
    return {
        (seat, 0, kind): judge.wager(WagerSituation(kind, 0, outcomes[seat].outcome, bank)).value.odds
        for seat in seats
        for kind in kinds[seat]
    }


# Suits


def recoloured(words: list[tuple[int, str]], order: str) -> list[tuple[int, str]]:
    """The words with every suit replaced by the one that ``order`` has in its place."""
    other = dict(zip(SUITS, order, strict=True))
    return [(seat, re.sub(r"([+\-^~].)([cdhs])$", lambda card: card[1] + other[card[2]], word)) for seat, word in words]


@MANY
@given(SEEDS, st.sampled_from(PERMUTATIONS))
def test_permuting_suits_changes_no_due_and_colours_only_perfect_pairs(seed: int, order: str) -> None:
    made = the_round(seed)
    before, after = round_dues(made), round_dues(replace(made, words=recoloured(made.words, order)))
    reds = {order[SUITS.index(suit)] for suit in "dh"}
    keeps_colours = reds in ({"d", "h"}, {"c", "s"})
    assert before.keys() == after.keys()
    for place, due in before.items():
        if place[2] == "perfect_pair" and not keeps_colours and due in (5, 12):
            assert after[place] in (5, 12)  # a pair of two suits stays one, of one colour or of both
        else:
            assert after[place] == due


@MANY
@given(SEEDS, st.sampled_from(PERMUTATIONS), st.sampled_from((V78, V97)))
def test_permuting_suits_changes_no_due_of_fortune(seed: int, order: str, version: str) -> None:
    made = the_deal(seed)
    other = replace(made, words=recoloured(made.words, order))
    assert deal_dues(other, version, readings_by()) == deal_dues(made, version, readings_by())


# Seats and rounds


def replayed(*days: list[str], house: black_jack.House = HOUSE, **choices: object) -> list[Replayed]:
    """Table-days of Black Jack, each of some rounds."""
    chosen = ReplaySettings(regulation=IDS[house.version], **choices)  # type: ignore[arg-type]
    logs = [frame_of(day_text(texts, house=house), DAY) for texts in days]
    return replay_table_days([TableDay("T1", DAY, log) for log in logs], chosen)


def day_text(texts: list[str], *more: str, house: black_jack.House = HOUSE) -> str:
    options = [f"option:{name}={value}" for name, value in elected(house).items()]
    return "\n".join(
        ["open:black_jack:MOP:7=0 dealer+D1", *options, "#- shuffle:1:hand:6", *texts, *more, "#- dealer-D1 close=0"]
    )


def dues_of(day: Replayed) -> list[tuple[object, ...]]:
    """Round, seat, hand, wager, what it is due and why not, in no order."""
    return sorted(day.wagers.select("round", "seat", "hand", "wager", "due_minor", "reason").rows(), key=repr)


@FEW
@given(SEEDS, st.permutations(range(1, 8)))
def test_permuting_seats_permutes_the_dues(seed: int, seats: list[int]) -> None:
    made = the_round(seed, HOUSE)
    moved = [(seats[seat - 1] if seat else 0, word) for seat, word in made.words]
    before, after = map(dues_of, replayed([notation(made, 1)], [notation(replace(made, words=moved), 1)]))
    assert sorted(((number, seats[seat - 1], *rest) for number, seat, *rest in before), key=repr) == after  # type: ignore[operator]


@MANY
@given(SEEDS, st.permutations(range(1, 8)), st.sampled_from((V78, V97)))
def test_permuting_places_of_fortune_permutes_the_dues(seed: int, seats: list[int], version: str) -> None:
    made = the_deal(seed)
    moved = deal_of({seats[seat - 1]: place for seat, place in made.places.items()}, made.croupier)
    before = deal_dues(made, version, readings_by())
    assert deal_dues(moved, version, readings_by()) == {(seats[s - 1], h, k): due for (s, h, k), due in before.items()}


@FEW
@given(SEEDS, st.permutations(range(8)))
def test_permuting_independent_rounds_changes_no_due(seed: int, order: list[int]) -> None:
    rounds = [the_round(seed + number, HOUSE) for number in range(8)]
    as_played = [notation(made, number) for number, made in enumerate(rounds, 1)]
    moved = [notation(rounds[old], new) for new, old in enumerate(order, 1)]
    before, after = map(dues_of, replayed(as_played, moved))
    assert sorted(((order[number - 1] + 1, *rest) for number, *rest in after), key=repr) == before  # type: ignore[operator]


# Scale


@FEW
@given(SEEDS, st.integers(1, 10**9))
def test_scaling_stakes_scales_dues(seed: int, times: int) -> None:
    made = the_round(seed, HOUSE)
    one, many = map(dues_of, replayed([notation(made, 1, stake=100)], [notation(made, 1, stake=100 * times)]))
    assert [(*place, due and due * times, why) for *place, due, why in one] == many  # type: ignore[operator]


# Void rounds


@FEW
@given(SEEDS, st.data())
def test_a_void_round_moves_no_money(seed: int, data: st.DataObject) -> None:
    made = the_round(seed, HOUSE)
    words = notation(made, 1).split()
    at = data.draw(st.integers(words.index("nomore") + 1, len(words) - 1))
    (voided,) = replayed([" ".join([*words[:at], "void:{misdeal}", "end"])])
    assert voided.wagers.height > 0
    assert voided.wagers["status"].unique().to_list() == ["void"]
    assert voided.wagers["due_minor"].unique().to_list() == [0]


@FEW
@given(SEEDS, st.integers(2, 5))
def test_a_void_round_leaves_winning_streaks_as_they_were(seed: int, length: int) -> None:
    texts = [notation(full_table(seed + number), number) for number in range(1, 7)]
    texts[0] = texts[0].replace("nomore", f"3.streak_{length}=10@p3 nomore", 1)
    void = "#2 3.main=100@p3 nomore void:{misdeal} end"
    later = [text.replace(f"#{number}", f"#{number + 1}", 1) for number, text in enumerate(texts[1:], 2)]
    before, after = (
        day.wagers.filter(pl.col("wager").str.starts_with("streak"))["due_minor"].to_list()
        for day in replayed(texts, [texts[0], void, *later])
    )
    assert len(before) == 1
    assert after == before


def full_table(seed: int) -> Round:
    """A lawful round in which every seat bets."""
    return BlackJackTable(random.Random(seed), HOUSE, seats=7, unlawful=0).round


# Files and batches


def some_day(seed: int) -> list[Event]:
    """A table-day of four rounds."""
    texts = [notation(the_round(seed + number, HOUSE), number) for number in range(1, 5)]
    return list(parse_events(day_text(texts), gaming_day=DAY))


@FEW
@given(SEEDS, st.lists(st.floats(0, 1), max_size=3))
def test_splitting_a_table_day_between_files_changes_no_verdict_and_takes_no_finding_away(
    tmp_path_factory: pytest.TempPathFactory, seed: int, cuts: list[float]
) -> None:
    events = some_day(seed)
    archive = tmp_path_factory.mktemp("archive")
    places = sorted({round(cut * len(events)) for cut in cuts} - {0, len(events)})
    _write(archive, events, places)
    (ref,) = table_days(archive)
    assert len(read_manifests(ref)) == len(places) + 1
    logs = [
        TableDay("T1", DAY, columns_of(events)),
        TableDay("T1", DAY, read_table_day(ref).events),
        read_table_day(ref),
    ]
    whole, together, split = replay_table_days(logs)
    assert together.digest == whole.digest
    for name in ("wagers", "rounds", "custody"):
        assert split.tables()[name].equals(whole.tables()[name])
    grave = pl.col("severity") != "advisory"
    found, before = (
        Counter(each.findings.filter(grave).select("code", "seq", "round", "delta_minor").rows())
        for each in (split, whole)
    )
    assert found >= before  # parts that came when the day was sealed open are found beside


def _write(archive: Path, events: list[Event], places: list[int]) -> None:
    """The events as a container and as many late parts as there are ``places`` to cut at."""
    for first, last in zip([0, *places], [*places, len(events)], strict=True):
        record(archive, events[first:last])


@FEW
@given(SEEDS, st.randoms(use_true_random=False))
def test_replaying_in_any_batch_and_any_order_of_rows_changes_nothing(seed: int, dice: random.Random) -> None:
    days = [DAY + dt.timedelta(days=number) for number in range(4)]
    logs = []
    for number, day in enumerate(days):
        events = [replace(event, gaming_day=day) for event in some_day(seed + 100 * number)]
        dice.shuffle(events)
        logs.append(TableDay("T1", day, columns_of(events)))
    alone = [replay_frame(log.events.sort("seq"), log.gaming_day).digest for log in logs]
    order = dice.sample(range(4), 4)
    cut = dice.randint(0, 4)
    of_hands = [
        *replay_table_days([logs[number] for number in order[:cut]]),
        *replay_table_days([logs[number] for number in order[cut:]]),
    ]
    assert [day.digest for day in of_hands] == [alone[number] for number in order]


# Readings


@pytest.mark.prove
@FEW
@given(SEEDS)
def test_every_reading_at_its_default_is_the_default_preset(seed: int) -> None:
    texts = [notation(the_round(seed + number, HOUSE), number) for number in range(1, 5)]
    defaults = {ruling.id: ruling.readings[0] for ruling in register().values()}
    (plain,) = replayed(texts)
    assert replayed(texts, readings=defaults)[0].digest == plain.digest
    assert replayed(texts, preset="default")[0].digest == plain.digest


MONEY = [(ruling, reading) for ruling in register().values() if ruling.money for reading in ruling.readings]


@pytest.mark.parametrize(("ruling", "reading"), MONEY, ids=[f"{ruling.id}-{reading}" for ruling, reading in MONEY])
def test_every_reading_of_a_money_ruling_settles_every_round(ruling: Ruling, reading: str) -> None:
    """There is a due unless there is none under the default either: where the bank's cards are not there, or such a wager.

    By other readings of BJ-12 the bank's Black Jack would spare a bust hand, so that it waits for the bank's cards as well.
    """
    readings = readings_by({ruling.id: reading})
    for seed, (made, deal, default) in enumerate(some_of_both_games()):
        for place, due in round_dues(made, readings).items():
            assert due is not None or default[place] is None or ruling.id == "BJ-12"
        assert None not in deal_dues(deal, (V78, V97)[seed % 2], readings).values()


@cache
def some_of_both_games() -> list[tuple[Round, Deal, DueTable]]:
    """Rounds of Black Jack and deals of Fortune, and what the former are due by default."""
    return [(the_round(seed), the_deal(seed), round_dues(the_round(seed))) for seed in range(20)]
