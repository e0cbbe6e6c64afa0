"""Wagers, and settlements, of which the log does not say whose they are, beside others of the seat that it names; and a streak in
a round of which it does not say how the player did, or whether he bet.

Whoever doubles, separates, insures or begins a streak does so on his own bet (57/2009 arts. 12(1), 13(5), 16(2), 17(1); 78/2008
arts. 6(2), 9(4)): where one player only bet on the seat, what lies there is his. Nobody is accused of what the log does not tell.
"""

from __future__ import annotations

import pytest

from replayer.verdicts.replay import Replayed
from tests.law.one_round import codes, replay

DOUBLED = "nomore 1+6h B+9d 1+5d 1.double 1.double=100{} 1+Tc B+8h"
SPLIT = "nomore 1+8h B+9d 1+8d 1.split 1b.split=100{} 1+Tc 1.stand 1b+Td 1b.stand B+8h"
INSURED = "nomore 1+Th B+Ad 1+9d 1.insurance 1.insurance=50{} 1.stand B+7h"
PAIR = "1.perfect_pair=10{} nomore 1+Th B+9d 1+Td 1.stand B+8h"
RAISED = "nomore 1-Kc 1-Kd 1-4h B-Qc B-8d B-3s 1.raise 1.raise=100{} B^Qc B^8d B^3s"
PLAYED = "nomore 1+Th B+9d 1+Td 1.stand B+8h"
OPTIONS = {"side_streak": "on", "side_perfect_pair": "on"}


def black_jack(text: str) -> Replayed:
    return replay(text, "black_jack", "2009-06-01", **OPTIONS)


def paid(replayed: Replayed) -> list[tuple[str, int | None, int | None]]:
    return replayed.wagers.sort("placed_seq").select("wager", "due_minor", "paid_minor").rows()


@pytest.mark.parametrize(
    ("text", "laid", "net"),
    [
        (DOUBLED, "1.double", 100),
        (SPLIT, "1b.split", 100),
        (INSURED, "1.insurance", -50),
        (PAIR, "1.perfect_pair", 120),
        (f"1.streak_2=10{{}} {PLAYED} 1.main>+100 end #2 1.main=100@p1 {PLAYED}", "1.streak_2", 30),
    ],
)
@pytest.mark.parametrize("named", ["placed", "settled", "neither"])
def test_art17_n1_what_the_only_bettor_laid_beside_his_bet_is_his_though_it_names_nobody(
    text: str, laid: str, net: int, named: str
) -> None:
    stake = {"1.double": 100, "1b.split": 100, "1.insurance": 50}.get(laid, 10)
    settled = f"{laid}={stake}>{net:+}{'@p1' if named == 'settled' else ''}"
    told = black_jack(f"1.main=100@p1 {text.format('@p1' if named == 'placed' else '')} 1.main>+100 {settled} end")
    assert codes(told) == set()
    assert [(due, chips) for kind, due, chips in paid(told) if kind == laid.partition(".")[2]] == [
        (net * 100, net * 100)
    ]


@pytest.mark.parametrize(("text", "laid"), [(DOUBLED, "1.double"), (SPLIT, "1b.split")])
def test_a_bet_that_names_nobody_is_that_of_the_only_player_who_doubled_or_separated(text: str, laid: str) -> None:
    told = black_jack(f"1.main=100 {text.format('@p1')} 1.main>+100 {laid}>+100@p1 end")
    assert (codes(told), set(told.wagers["player"])) == (set(), {"p1"})


def test_78_2008_art9_n4_a_raise_that_names_nobody_is_on_the_ante_of_its_place() -> None:
    told = replay(
        f"1.ante=100@p1 {RAISED.format('')} 1.ante>+100 1.raise>+100 end", "fortune_3_card_poker", "2008-09-01"
    )
    assert codes(told) == set()
    assert paid(told) == [("ante", 100_00, 100_00), ("raise", 100_00, 100_00)]


def test_a_double_that_names_nobody_is_nobodys_where_two_players_bet() -> None:
    told = black_jack(f"1.main=100@p1/0 1.main=100@p2/1 {DOUBLED.format('')} 1.main>+100@p1 1.main>+100@p2 end")
    assert told.wagers.filter(told.wagers["wager"] == "double")["player"].to_list() == [None]


def test_a_second_bet_that_names_nobody_may_be_another_players() -> None:
    told = black_jack(f"1.main=100@p1 1.main=50 {PLAYED} 1.main=100>+100@p1 1.main=50>+50 end")
    assert codes(told) == set()
    assert paid(told) == [("main", 100_00, 100_00), ("main", 50_00, 50_00)]


def test_a_settlement_that_names_a_player_is_of_the_bet_that_names_nobody() -> None:
    told = black_jack(f"1.main=100 {PLAYED} 1.main=100>+100@p1 end")
    assert (codes(told), paid(told)) == (set(), [("main", 100_00, 100_00)])


def test_a_settlement_to_another_player_than_the_one_named_stays_one_of_nothing() -> None:
    told = black_jack(f"1.main=100@p2 {PLAYED} 1.main=100>+100@p1 end")
    assert codes(told) == {"SETTLED_NOTHING"}


# A round of a streak of which the log does not tell

FIRST = f"1.main=100@p1 1.streak_2=10@p1 {PLAYED} 1.main>+100@p1 end"
NOT_TOLD = "how the player did in round 2 of the streak is not told"


@pytest.mark.parametrize(
    "second",
    [
        "1.main=100@p1 nomore 1+Ah B+Kd 1+Kc",  # Black Jack against a ten whose second card was never dealt
        "1.main=100@p1 nomore 1+Th B+9d 1+Td 1.stand",
        "1.main=100@p1 nomore 1+Th B+9d 1-?? 1.stand B+8h",
        f"1.main=100 {PLAYED}",  # somebody bet on his seat, and the log does not say who
    ],
)
def test_art13_n5_2_vi_nobody_left_his_streak_where_the_log_does_not_tell(second: str) -> None:
    told = black_jack(f"{FIRST} #2 {second} end #3 1.main=100@p1 {PLAYED} 1.main>+100@p1 end")
    streak = told.wagers.filter(told.wagers["wager"] == "streak_2")
    assert streak.select("due_minor", "status", "reason").rows() == [(None, "unjudged", NOT_TOLD)]
    assert "STREAK_ABANDONED" not in codes(told)


@pytest.mark.parametrize(
    "second", [f"1.main=100@p2 {PLAYED}", f"2.main=100 {PLAYED.replace('1+', '2+').replace('1.', '2.')}"]
)
def test_art13_n5_2_vi_who_did_not_bet_on_his_seat_left_his_streak(second: str) -> None:
    told = black_jack(f"{FIRST} #2 {second} end")
    assert "STREAK_ABANDONED" in codes(told)


@pytest.mark.parametrize(("placed", "settled"), [("@p1", ""), ("", "@p1"), ("", "")])
def test_art13_n5_a_streak_paid_a_round_late_is_the_one_that_lies_there_whichever_of_them_names_its_player(
    placed: str, settled: str
) -> None:
    first = FIRST.replace("streak_2=10@p1", f"streak_2=10{placed}")
    more = "".join(
        f" #{n} 1.main=100@p1 {PLAYED} 1.main>+100@p1 {pay} end"
        for n, pay in ((2, ""), (3, f"1.streak_2=10>+30{settled}"))
    )
    told = black_jack(first + more)
    assert (codes(told), paid(told)[1]) == (set(), ("streak_2", 30_00, 30_00))


# What a verdict rests on is named once


def test_78_2008_art11_n2_a_ruling_on_the_round_and_on_the_wager_is_named_once() -> None:
    text = RAISED.format("@p1").replace("B-Qc", "B+Qc").replace("B^Qc ", "")
    told = replay(f"1.ante=100@p1 {text} end", "fortune_3_card_poker", "2008-09-01")
    for rulings in told.wagers["rulings"].to_list():
        assert len(rulings.split()) == len({*rulings.split()})
        assert "F3-11" in rulings.split()


# Who decides on a shared seat (art. 20(1), 141/2000 art. 14)


@pytest.mark.parametrize(
    ("elected", "bets", "by", "wrong"),
    [
        ("highest_bet_decides", "1.main=60@p1/0 1.main=60@p1/0 1.main=100@p2/1", "p1", False),
        ("highest_bet_decides", "1.main=60@p1/0 1.main=60@p1/0 1.main=100@p2/1", "p2", True),
        ("highest_bet_decides", "1.main=60@p2/1 1.main=100@p1/0 1.main=40@p2/1", "p1", False),  # equal: the occupant
        ("highest_bet_decides", "1.main=100@p1/0 1.main=500@/1 1.main=50@p2/2", "p9", False),  # he may be that one
        ("max3_seated_or_nearest", "1.main=10@/0 1.main=50@p1/1 1.main=50@p2/2", "p9", False),
        ("max3_seated_or_nearest", "1.main=10@p1/0 1.main=50@/1 1.main=50@p2/2", "p2", True),
        ("seated_decides", "1.main=10@p1/0 1.main=500@p2/1", "p2", True),
    ],
)
def test_art20_n1_who_decides_goes_by_all_that_a_player_bet_and_by_those_who_are_not_named(
    elected: str, bets: str, by: str, wrong: bool
) -> None:
    text = f"{bets} nomore 1+Th B+9d 1+Td 1.stand@{by} B+8h end"
    told = replay(text, "black_jack", "2009-06-01", shared_seat=elected)
    assert ("DECISION_OF_ANOTHER" in codes(told)) == wrong
