"""A stake that was laid in parts and is settled once, at what they come to: chips that are added to a stake make one stake of it
(57/2009 arts. 9, 12(1); 78/2008 art. 9(4))."""

from __future__ import annotations

import datetime as dt

import pytest

from tests.law.one_round import codes, replay
from tests.texts import replay_text

DAY = "2009-06-01"
BLACK_JACK = "nomore 1+Th B+9d 1+9d 1.stand@p1 B+8s {} end"  # 19 against 17: one to one


def paid(laid: str, settled: str) -> tuple[list[tuple[int, int | None, int | None]], set[str]]:
    replayed = replay(f"{laid} {BLACK_JACK.format(settled)}", "black_jack", DAY)
    rows = replayed.wagers.sort("placed_seq").select("stake_minor", "due_minor", "paid_minor").rows()
    return rows, codes(replayed)


def test_two_parts_of_a_stake_are_settled_in_one_amount() -> None:
    assert paid("1.main=50@p1 1.main=50@p1", "1.main=100>+100@p1") == ([(100_00, 100_00, 100_00)], set())
    assert paid("1.main=50@p1 1.main=20@p1 1.main=5@p1", "1.main=75>+75") == ([(75_00, 75_00, 75_00)], set())
    assert paid("1.main=50 1.main=50", "1.main=100>+100") == ([(100_00, 100_00, 100_00)], set())


@pytest.mark.parametrize(("net", "code"), [("+90", "UNDERPAID"), ("+110", "OVERPAID"), ("-100", "UNDERPAID")])
def test_a_wrong_amount_for_the_whole_stake_is_found_once(net: str, code: str) -> None:
    rows, found = paid("1.main=50@p1 1.main=50@p1", f"1.main=100>{net}@p1")
    assert rows == [(100_00, 100_00, int(net) * 100)]
    assert found == {code}


def test_parts_that_are_settled_one_by_one_stay_apart() -> None:
    rows, found = paid("1.main=50@p1 1.main=50@p1", "1.main=50>+50@p1 1.main=50>+50@p1")
    assert (rows, found) == ([(50_00, 50_00, 50_00)] * 2, set())


def test_parts_that_are_settled_in_another_order_are_known_by_their_stakes() -> None:
    rows, found = paid(
        "1.main=100@p1 1.main=50@p1 1.main=20@p1", "1.main=20>+20@p1 1.main=100>+100@p1 1.main=50>+50@p1"
    )
    assert (rows, found) == ([(100_00, 100_00, 100_00), (50_00, 50_00, 50_00), (20_00, 20_00, 20_00)], set())
    rows, found = paid("1.main=100@p1 1.main=50@p1", "1.main=50>+50@p1 1.main=120>+120@p1")
    assert (rows, found) == ([(100_00, 100_00, 120_00), (50_00, 50_00, 50_00)], {"STAKE_CHANGED", "OVERPAID"})
    rows, found = paid("1.main=100@p1 1.main=50@p1", "1.main=50>+50@p1")
    assert (rows, found) == ([(100_00, 100_00, None), (50_00, 50_00, 50_00)], set())


def test_a_settlement_at_another_stake_than_the_whole_is_that_of_the_first_part() -> None:
    rows, found = paid("1.main=50@p1 1.main=50@p1", "1.main=90>+90@p1")
    assert rows == [(50_00, 50_00, 90_00), (50_00, 50_00, None)]
    assert found == {"STAKE_CHANGED", "OVERPAID"}


@pytest.mark.parametrize(
    ("settled", "message"),
    [
        ("1.main>+100@p1 1.main>+100@p1", "main settled at +100, such a wager was settled already"),
        ("1.main>+100@p1 1.split=100>+100@p1", "split settled at +100, no such wager was placed"),
    ],
)
def test_what_is_settled_again_is_distinguished_from_what_was_never_placed(settled: str, message: str) -> None:
    replayed = replay(f"1.main=100@p1 {BLACK_JACK.format(settled)}", "black_jack", DAY)
    found = replayed.findings.filter(code="SETTLED_NOTHING").select("message", "delta_minor").rows()
    assert found == [(message, 100_00)]


def test_parts_of_a_stake_are_one_where_nobody_knows_the_game() -> None:
    text = "#1 1.main=50@p1 1.main=50@p1 nomore 1+Th B+9d 1+9d 1.stand@p1 B+8s 1.main=100>+100@p1 end"
    made = replay_text(text, dt.date.fromisoformat(DAY))
    assert made.wagers.select("stake_minor", "due_minor", "paid_minor", "status").rows() == [
        (100_00, None, 100_00, "unjudged")
    ]


def test_two_bettors_are_no_one_stake() -> None:
    rows, found = paid("1.main=50@p1/0 1.main=50@p2/1", "1.main=100>+100@p1")
    assert rows == [(50_00, 50_00, 100_00), (50_00, 50_00, None)]
    assert found == {"STAKE_CHANGED", "OVERPAID"}


def test_half_units_are_those_of_the_whole_stake() -> None:
    """Black Jack pays three to two (57/2009 art. 10(5)): on two times 0.01 that is 0.03, and each part alone would be rounded."""
    text = "1.main=0.01@p1 1.main=0.01@p1 nomore 1+As B+9d 1+Kd B+8s 1.main=0.02>+0.03@p1 end"
    replayed = replay(text, "black_jack", DAY)
    assert replayed.wagers.select("stake_minor", "due_minor", "paid_minor", "rulings").rows() == [(2, 3, 3, "")]
    assert codes(replayed) == set()
