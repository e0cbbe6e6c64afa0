"""A seat, or a hand, settled in one amount: for whose wagers, and for which of them."""

from __future__ import annotations

import pytest

from replayer.verdicts.replay import Replayed
from tests.law.one_round import codes, replay

SHARED = "1.main=100@p1/0 1.main=50@p2/1 nomore 1+Th B+9d 1+Td 1.stand B+8h"
DOUBLED = "1.main=100@p1 1.over_13=10@p1 nomore 1+6h B+9d 1+5d 1.double 1.double=100@p1 1+Tc B+8h"
WON = "nomore 1+Th B+9d 1+Td 1.stand B+8h"


def judged(text: str) -> Replayed:
    return replay(text, "black_jack", "2009-06-01", side_streak="on", side_over_under="on")


def rows(replayed: Replayed) -> list[tuple[str, str | None, int, int | None, int | None]]:
    columns = ("wager", "player", "stake_minor", "due_minor", "paid_minor")
    return replayed.wagers.sort("placed_seq").select(columns).rows()


@pytest.mark.parametrize("kind", ["all", "hand"])
def test_what_each_bettor_of_a_shared_seat_is_paid_is_held_against_his_own_wagers(kind: str) -> None:
    replayed = judged(f"{SHARED} 1.{kind}=100>+100@p1 1.{kind}=50>+50@p2 end")
    assert codes(replayed) == set()
    assert rows(replayed) == [(kind, "p1", 100_00, 100_00, 100_00), (kind, "p2", 50_00, 50_00, 50_00)]


@pytest.mark.parametrize("kind", ["all", "hand"])
def test_what_one_of_them_is_paid_too_much_is_found_with_him(kind: str) -> None:
    replayed = judged(f"{SHARED} 1.{kind}=50>+80@p2 1.main>+100@p1 end")
    assert codes(replayed) == {"OVERPAID"}
    assert rows(replayed) == [("main", "p1", 100_00, 100_00, 100_00), (kind, "p2", 50_00, 50_00, 80_00)]


def test_a_payment_that_names_nobody_is_for_the_whole_seat() -> None:
    assert rows(judged(f"{SHARED} 1.all=150>+150 end")) == [("all", None, 150_00, 150_00, 150_00)]


@pytest.mark.parametrize("kind", ["all", "hand"])
def test_a_wager_with_a_settlement_of_its_own_is_none_of_those_settled_together(kind: str) -> None:
    replayed = judged(f"{DOUBLED} 1.{kind}=200>+200 1.over_13>-10@p1 end")
    assert codes(replayed) == set()
    assert sorted(rows(replayed))[0][2:] == (200_00, 200_00, 200_00)


def test_a_streak_is_settled_together_with_the_round_in_which_it_ended() -> None:
    first = f"1.main=100@p1 1.streak_2=10@p1 {WON} 1.all=100>+100@p1 end"
    replayed = judged(f"{first} #2 1.main=100@p1 {WON} 1.all=110>+130@p1 end")
    assert codes(replayed) == set()
    assert [row[2:] for row in rows(replayed)] == [(100_00, 100_00, 100_00), (110_00, 130_00, 130_00)]
