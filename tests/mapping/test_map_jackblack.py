"""12,000 hands of the PyPI package jackblack 0.8.0: which payments are wrong by the ordinary odds, what its shoe betrays.

What is due is computed here from the file alone, by a second body of the ordinary rules that shares nothing with the
replayer: it is the oracle.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from producers.mapping import ImportSummary, import_log
from replayer.log.columns import events_of
from replayer.sources.archive import read_table_day
from replayer.sources.table_days import table_days
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.notation import print_events

LOG = Path(__file__).parent / "jackblack_rounds.csv"
MAP = Path(__file__).parents[2] / "producers" / "mapping" / "maps" / "jackblack.toml"
DECKS = 8
SHOE = 52 * DECKS


def points(cards: list[str]) -> int:
    """The oracle's own sum: every ace eleven, then one after the other counted one while over 21."""
    worth = {"A": 11, "T": 10, "J": 10, "Q": 10, "K": 10}
    total = sum(worth.get(card[0]) or int(card[0]) for card in cards)
    for card in cards:
        if card[0] == "A" and total > 21:
            total -= 10
    return total


def due(row: dict[str, str]) -> Fraction:
    """What a hand and its insurance are due in chips by the ordinary odds."""
    player, dealer, stake = row["player_cards"].split(), row["dealer_cards"].split(), Fraction(row["stake"])
    own, bank = points(player), points(dealer)
    own_natural, bank_natural = (len(player) == 2 and own == 21), (len(dealer) == 2 and bank == 21)
    if own > 21:
        main = -stake
    elif own_natural or bank_natural:
        main = Fraction(0) if own_natural and bank_natural else stake * Fraction(3, 2) if own_natural else -stake
    else:
        main = stake if bank > 21 or own > bank else -stake if own < bank else Fraction(0)
    return main + Fraction(row["insurance"]) * (2 if bank_natural else -1)


def rows() -> list[dict[str, str]]:
    with LOG.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def summary_and_replayed(tmp_path_factory: pytest.TempPathFactory) -> tuple[ImportSummary, Replayed, str]:
    archive = tmp_path_factory.mktemp("jackblack") / "archive"
    summary = import_log(LOG, MAP, archive)
    (ref,) = table_days(archive)
    day = read_table_day(ref)
    first_round = print_events(events_of(day.events.filter(round=0)), times=False)
    return summary, replay_table_days([day])[0], first_round


def test_every_hand_is_imported(summary_and_replayed: Any) -> None:
    summary, replayed, first_round = summary_and_replayed
    assert (summary.rows, summary.rounds, summary.hands, summary.quarantined) == (12_000, 4_000, 12_000, 0)
    assert replayed.wagers["status"].to_list() == ["judged"] * 12_000
    assert first_round == (
        "#0 1.main=15 2.main=15 3.main=15 1+9c 2+7h 3+5s B+Ah 1+Ac 2+Ks 3+9d B-3s 1.insurance=7.50 2.insurance=7.50 "
        "3.insurance=7.50 3+6d B^3s B+7s 1.all=22.50>-22.50 2.all=22.50>-22.50 3.all=22.50>-22.50 end"
    )


def test_every_wrong_payment_is_found_and_no_other(summary_and_replayed: Any) -> None:
    """All 843 are short, by 9,480 chips in all."""
    wrong = {
        (int(row["round"]), int(row["seat"])): int((Fraction(row["chips_moved"]) - due(row)) * 100)
        for row in rows()
        if Fraction(row["chips_moved"]) != due(row)
    }
    assert (len(wrong), sum(wrong.values()), max(wrong.values())) == (843, -9_480_00, -7_50)
    found = summary_and_replayed[1].findings.drop_nulls("delta_minor")
    assert {(r, s): d for r, s, d in found.select("round", "seat", "delta_minor").rows()} == wrong
    assert set(found["code"]) == {"UNDERPAID"}


def test_why_they_are_wrong() -> None:
    """A natural gets half its stake, or its stake where the bank busts; it loses against another; insurance gets 1 to 1."""
    kinds: Counter[tuple[bool, bool, bool]] = Counter()
    short: Counter[tuple[bool, bool, bool]] = Counter()
    for row in rows():
        player, dealer = row["player_cards"].split(), row["dealer_cards"].split()
        kind = (
            len(player) == 2 and points(player) == 21,
            len(dealer) == 2 and points(dealer) == 21,
            points(dealer) > 21,
        )
        if missing := due(row) - Fraction(row["chips_moved"]):
            kinds[kind] += 1
            short[kind] += int(missing * 100)
    natural, natural_bank_busts, both, bank_only = (
        (True, False, False), (True, False, True), (True, True, False), (False, True, False),
    )  # fmt: skip
    assert kinds == {natural: 378, natural_bank_busts: 156, both: 29, bank_only: 280}
    assert short == {natural: 5_670_00, natural_bank_busts: 1_170_00, both: 540_00, bank_only: 2_100_00}


def test_the_bank_draws_and_the_players_bet_as_the_map_says(summary_and_replayed: Any) -> None:
    """Nothing but payments is found: it draws to 16 and stands on soft 17, doubles are on 10 and 11 alone."""
    assert set(summary_and_replayed[1].findings["code"]) == {"UNDERPAID", "SHOE_EMPTIED"}


# What the log betrays about the shoe


def rounds_of_cards() -> Iterator[list[str]]:
    """The cards of each round in the order dealt: twice around with the dealer last, then each player, then the dealer."""
    for _, group in groupby(rows(), key=lambda row: row["round"]):
        hands = list(group)
        around = [*(hand["player_cards"].split() for hand in hands), hands[0]["dealer_cards"].split()]
        yield [cards[turn] for turn in (0, 1) for cards in around] + [card for cards in around for card in cards[2:]]


def test_the_replay_finds_every_emptied_shoe_and_where_it_was_shuffled(summary_and_replayed: Any) -> None:
    """The counts are those of the independent walk below: 110 whole shoes, 102 of them ending within a round."""
    findings = summary_and_replayed[1].findings
    messages = findings.filter(findings["code"] == "SHOE_EMPTIED")["message"].to_list()
    assert len(messages) == 110
    assert sum("within the round" in message for message in messages) == 102


def test_the_shoe_is_dealt_to_its_last_card_and_shuffled_in_mid_round() -> None:
    """Every 416 cards hold each of the 52 exactly eight times, 110 times in a row; 102 of the shuffles fall in a round,
    with 563 cards lying on the table that are in the new shoe as well."""
    rounds = list(rounds_of_cards())
    stream = [card for cards in rounds for card in cards]
    assert len(stream) == 46_014
    whole = [Counter(stream[first : first + SHOE]) for first in range(0, len(stream) - SHOE + 1, SHOE)]
    assert len(whole) == 110
    assert all(len(shoe) == 52 and set(shoe.values()) == {DECKS} for shoe in whole)
    begins, at = [], 0
    for cards in rounds:
        begins.append(at)
        at += len(cards)
    lying = [end - max(begin for begin in begins if begin <= end) for end in range(SHOE, len(stream), SHOE)]
    assert (len(lying), sum(cards > 0 for cards in lying), sum(lying)) == (110, 102, 563)


def test_no_single_round_holds_more_copies_than_the_shoe() -> None:
    """So CARD_IMPOSSIBLE has nothing to find: without shuffles on the log, rounds alone can be held against the decks."""
    assert max(max(Counter(cards).values()) for cards in rounds_of_cards()) == 4
