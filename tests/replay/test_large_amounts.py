"""Amounts as large as the contract accepts, put together in one round: sums and products stay exact or are not stated."""

from __future__ import annotations

import datetime as dt

import pytest

from replayer.law.choice import Choice, NoSuchChoice, amount, count, odds
from replayer.verdicts.payment import BEYOND_AMOUNTS
from schemas.money import MOST_MINOR, NotAnAmount, format_amount, parse_amount
from tests.texts import replay_text

MANY = 9_400
"""So many of the largest amounts are more than 64 bits hold."""
MOST = format_amount(MOST_MINOR)


def test_the_stakes_that_a_raise_rests_on_do_not_go_round_zero() -> None:
    """78/2008 art. 9(4): exactly as high as the ante, however many parts the ante was laid in."""
    antes = f"1.ante={MOST}@p7 " * MANY
    cards = "1-2c 1-5d 1-9h B-3c B-6d B-Th"
    play = f"nomore {cards} 1.raise@p7 1.raise={MOST}@p7 B^3c B^6d B^Th end"
    text = f"open:fortune_3_card_poker:MOP:7=0 shuffle:1:machine:1 #1 {antes} {play} #- close=0"
    found = replay_text(text, dt.date(2008, 9, 1)).findings.filter(code="F3_RAISE_AMOUNT")
    assert found["message"].to_list() == [f"raise {MOST}, ante {format_amount(MANY * MOST_MINOR)}"]


def test_wagers_settled_in_one_amount_beyond_any_column_are_not_judged_and_stop_nothing() -> None:
    wagers = f"1.main={MOST}@p7 " * MANY
    house = "open:black_jack:MOP:7=0 option:regulation=bj.house"
    rounds = f"#1 {wagers} 1+Ts 1+9d B+Ts B+8d 1.all={MOST}>+{MOST}@p7 end #2 1.main=5@p7 1+Ts 1+9d B+Ts B+8d 1.all=5>+7@p7 end"
    made = replay_text(f"{house} {rounds} #- close=0", dt.date(2026, 1, 5))
    large, small = made.wagers.filter(round=1), made.wagers.filter(round=2)
    assert (large.height, set(large["reason"]), large["due_minor"].count()) == (MANY, {BEYOND_AMOUNTS}, 0)
    assert large["paid_minor"].drop_nulls().to_list() == [MOST_MINOR], "what was paid stays in the books"
    assert large["stake_minor"].cast(int).max() == MOST_MINOR
    assert small["delta_minor"].to_list() == [200], "another round's verdict is its own"
    money = made.findings.filter(severity="money")
    assert money["code"].to_list() == ["OVERPAID"] and money["round"].to_list() == [2]


@pytest.mark.parametrize(
    "text", ["12,50", "1,00", ",5", "0,500", "-0,250", "012,500", "1,2345", "1234,567", "1.000,5", "1,000,00"]
)
def test_a_comma_parts_thousands_and_nothing_else(text: str) -> None:
    """12,50 was read as 1,250: a limit a hundred times as high as the one posted."""
    with pytest.raises(NotAnAmount):
        parse_amount(text)
    assert parse_amount("1,234,567.80") == 123_456_780


@pytest.mark.parametrize("text", ["1e999999999", "1/1001", "1001", "99999999999999999999/1", "1e3", "1/0", "", "-1"])
def test_no_odds_are_elected_with_which_a_due_would_not_fit(text: str) -> None:
    with pytest.raises(NoSuchChoice):
        odds("natural_odds", 3).read(text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        (amount("limit"), "1e999999999"),
        (amount("limit"), "10000000000000.01"),
        (count("cards", None, 1), "9" * 5000),
        (count("cards", None, 1), "0" * 5000),
    ],
)
def test_no_number_is_elected_that_no_column_holds(choice: Choice, text: str) -> None:
    with pytest.raises(NoSuchChoice):
        choice.read(text)
    with pytest.raises(NotAnAmount):
        parse_amount("1e999999999")
