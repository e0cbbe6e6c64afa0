"""Logs of Fortune 3 Card Poker: the amounts are those of 78/2008 arts. 9 and 10, worked out by hand."""

from __future__ import annotations

import datetime as dt
import re

import pytest

from producers.mapping.map_section import MapFaulty
from tests.mapping.logs import Import, refusal

FORTUNE = """
[table]
id = "F1"
gaming_day = 2008-09-01
regulation = "f3.78-2008"
[columns]
round = "game"
seat = "place"
cards = "cards"
bank = "croupier"
stake = "ante"
pair_plus = "pp"
raise = "raise"
result = "net"
"""
HEADER = "game,place,cards,croupier,ante,pp,raise,net\n"


def told(log: str) -> str:
    return " ".join(log.split())


def test_art9_and_art10_each_place_is_paid_all_its_bets_in_one_amount(imported: Import) -> None:
    log = (
        HEADER
        + """1,1,9s 9h 2c,Qd 5c 3h,100,50,100,250
1,2,4s 3d 2h,Qd 5c 3h,100,50,,150
1,3,Ts 8h 2d,Qd 5c 3h,,50,,0
2,1,9s 9h 2c,Jd 5c 3h,100,,100,200
3,1,5s 5h 5c,Kd Kc 3h,100,10,100,1050
4,1,9s 5s 2s,Jd Tc 9h,100,10,100,-160
"""
    )
    result = imported(log, FORTUNE)
    assert told(result.in_notation()).startswith(
        "#1 1.ante=100 1.pair_plus=50 2.ante=100 2.pair_plus=50 3.pair_plus=50 1-9s 1-9h 1-2c 2-4s 2-3d 2-2h 3-Ts 3-8h "
        "3-2d B-Qd B-5c B-3h 1.raise 1.raise=100 2.fold 1.all=250>+250 2.all=150>+150 3.all=50>0 end "
    )
    due = result.replayed().wagers.select("round", "seat", "due_minor").rows()
    assert due == [
        (1, 1, 250_00),  # a pair beats Q-5-3: one to one on ante, raise (9(8)(4)) and Pair Plus (10(5))
        (1, 2, 150_00),  # a fold loses the ante (9(3)); the straight was paid 5 to 1 before (9(1), 10(3))
        (1, 3, -50_00),  # Pair Plus alone, three odd cards (9(1))
        (2, 1, 100_00),  # J-5-3 does not play: the ante is paid, the raise goes back (9(6))
        (3, 1, 1050_00),  # three fives: 4 to 1 on ante and raise (9(8)(2)), 25 to 1 on Pair Plus (10(2))
        (4, 1, -160_00),  # a straight beats the flush (9(7)), which is paid 4 to 1 (10(4))
    ]
    assert result.payments_found() == [(1, 3, "OVERPAID", 50_00), (2, 1, "OVERPAID", 100_00)]
    assert result.codes_found() == {"OVERPAID"}


def test_a_day_on_which_another_law_was_in_force_is_named(imported: Import) -> None:
    """97/2008 holds from 16 December 2008: rounds after midnight of the gaming day before were judged by 78/2008 in silence."""
    plan = FORTUNE.replace("gaming_day = 2008-09-01", "").replace("[columns]", '[columns]\ntime = "at"')
    hand = "1,Ts 8h 2d,Qd 5c 3h,,50,,0\n"
    log = f"at,{HEADER}2008-12-15T23:59,1,{hand}2008-12-16T00:01,2,{hand}"
    assert imported(log, plan).summary.other_law == ((dt.date(2008, 12, 15), "f3.78-2008+97-2008"),)
    assert imported(log, FORTUNE.replace('"F1"', '"F2"')).summary.other_law == ()


def test_what_is_not_told_apart_of_side_wagers_is_inside_the_result(imported: Import) -> None:
    log = HEADER.replace("net", "net,pp_net") + "1,1,9s 9h 2c,Qd 5c 3h,100,50,100,200,50\n"
    result = imported(log, FORTUNE + 'pair_plus_result = "pp_net"\n')
    assert told(result.in_notation()).endswith("1.raise=100 1.all=200>+200 1.pair_plus=50>+50 end")
    assert result.codes_found() == set()


def test_results_of_side_wagers_may_stand_in_columns_of_their_own(imported: Import) -> None:
    """A place without an ante needs no result of it."""
    log = (
        HEADER.replace("net", "net,pp_net,raise_net")
        + """1,1,9s 9h 2c,Qd 5c 3h,100,50,100,100,50,100
1,2,4s 3d 2h,Qd 5c 3h,100,50,0,-100,250,
1,3,Ts 8h 2d,Qd 5c 3h,,50,,,-50,
"""
    )
    plan = FORTUNE + 'pair_plus_result = "pp_net"\n'
    both = imported(log, plan + 'raise_result = "raise_net"\n')
    assert told(both.in_notation()).endswith(
        "1.pair_plus=50>+50 1.raise=100>+100 1.hand=100>+100 2.pair_plus=50>+250 2.hand=100>-100 3.pair_plus=50>-50 end"
    )
    assert both.codes_found() == set()


def test_art9_of_97_2008_a_fold_forfeits_both_bets(imported: Import) -> None:
    plan = FORTUNE.replace("f3.78-2008", "f3.78-2008+97-2008").replace("2008-09-01", "2009-09-01")
    result = imported(HEADER + "1,2,4s 3d 2h,Qd 5c 3h,100,50,,150\n", plan)
    assert result.payments_found() == [(1, 2, "OVERPAID", 300_00)]


def test_a_place_without_any_bet_is_a_bad_row(imported: Import) -> None:
    message = refusal(imported, HEADER + "1,2,4s 3d 2h,Qd 5c 3h,,,,\n", FORTUNE)
    assert "line 2, column ante: no amount" in message


@pytest.mark.parametrize("ante", ["", '"ante": null, "raise": null, ', '"ante": 0, "raise": "", '])
def test_art5_n2_pair_plus_alone_has_no_ante_in_a_json_line_either(imported: Import, ante: str) -> None:
    log = f'{{"game": 1, "place": 3, "cards": "Ts 8h 2d", "croupier": "Qd 5c 3h", {ante}"pp": 50, "net": -50}}\n'
    result = imported(log, '[source]\nformat = "jsonl"\n' + FORTUNE, "log.jsonl")
    assert told(result.in_notation()).endswith("3.all=50>-50 end")
    assert result.codes_found() == set()


def test_a_row_a_card_of_an_ante_and_of_pair_plus_alone(imported: Import) -> None:
    log = """game,place,cards,ante,pp,raise,net
1,3,Ts,,50,,-50
1,C,Qd,,,,
1,1,9s,100,,,
1,1,9h,,50,,
1,C,5c,,,,
1,3,8h,,,,
1,1,2c,,,100,250
1,3,2d,,,,
1,C,3h,,,,
"""
    plan = '[source]\nrow = "card"\nbank = "C"\n' + FORTUNE.replace('bank = "croupier"\n', "")
    result = imported(log, plan)
    assert told(result.in_notation()).endswith("1.raise 1.raise=100 1.all=250>+250 3.all=50>-50 end")
    assert result.codes_found() == set()


def test_the_order_of_rows_is_no_order_of_the_deal(imported: Import) -> None:
    """By art. 7(1) the croupier's cards come last; whether they did, rows that are sorted by hand do not tell."""
    log = "game,place,cards,ante,pp,raise,net\n" + "1,C,Qd,,,,\n1,C,5c,,,,\n1,C,3h,,,,\n"
    log += "1,1,9s,100,,100,200\n1,1,9h,,,,\n1,1,2c,,,,\n"
    plan = '[source]\nrow = "card"\nbank = "C"\n' + FORTUNE.replace('bank = "croupier"\n', "")
    assert "deal_order" in imported(log, plan).summary.not_recorded


@pytest.mark.parametrize(
    ("rows", "decisions", "found"),
    [
        ("1,3,9s 9h 2c,Qd 5c 3h,100,,100,a,200\n1,3,9s 9h 2c,Qd 5c 3h,50,,50,b,100\n", 1, {"F3_JOINT_BET"}),
        ("1,3,9s 9h 2c,Qd 5c 3h,50,,,b,-50\n1,3,9s 9h 2c,Qd 5c 3h,100,,100,a,200\n", 1, {"F3_JOINT_BET", "UNDERPAID"}),
        ("1,3,9s 9h 2c,Qd 5c 3h,100,,100,a,200\n1,3,9s 9h 2c,Qd 5c 3h,50,,,b,-50\n", 1, {"F3_JOINT_BET", "UNDERPAID"}),
        ("1,3,9s 9h 2c,Qd 5c 3h,,20,100,a,20\n", 0, {"F3_RAISE_AMOUNT"}),
    ],
)
def test_a_place_decides_once_and_only_on_an_ante(imported: Import, rows: str, decisions: int, found: set[str]) -> None:
    """6(2), 9(4): what is wrong is a joint bet, and a raise without an ante; nobody raised after a raise. The hand plays if one
    of them raised, in whichever order their rows stand, and an ante on it is due 1 to 1 (9(8)(4))."""
    result = imported(HEADER.replace("net", "who,net") + rows, FORTUNE + 'player = "who"\n')
    assert told(result.in_notation()).count("3.raise@") == decisions
    assert result.codes_found() == found


def test_a_place_with_pair_plus_and_no_cards_is_a_bad_row(imported: Import) -> None:
    plan = FORTUNE.replace('seat = "place"\n', "")
    for name in ("cards", "ante", "pp", "raise", "net"):
        plan = plan.replace(f'"{name}"', f'"{name}{{seat}}"')
    log = "game,croupier,cards1,ante1,pp1,raise1,net1,cards2,ante2,pp2,raise2,net2\n"
    log += "1,Qd 5c 3h,9s 9h 2c,100,50,100,250,,,50,,-50\n"
    message = refusal(imported, log, '[source]\nrow = "round"\nseats = [1, 2]\n' + plan)
    assert "line 2, column cards2: no cards" in message


@pytest.mark.parametrize(
    ("row", "column"), [(",50,,200,-50,", "net"), ("100,50,,-100,-50,100", "raise_net"), ("100,,,-100,250,0", "pp_net")]
)
def test_an_amount_of_a_bet_that_was_not_placed_is_a_bad_row(imported: Import, row: str, column: str) -> None:
    log = HEADER.replace("net", "net,pp_net,raise_net") + f"1,3,Ts 8h 2d,Qd 5c 3h,{row}\n"
    plan = FORTUNE + 'pair_plus_result = "pp_net"\nraise_result = "raise_net"\n'
    assert f"line 2, column {column}: " in (message := refusal(imported, log, plan))
    assert "and no stake that this came of" in message


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (FORTUNE.replace('raise = "raise"\n', ""), "[columns] raise: missing"),
        (
            FORTUNE + 'doubled = "dbl"\n',
            "[columns] doubled: fortune_3_card_poker, which [table] regulation names, has none",
        ),
        (FORTUNE + 'raise_result = "r"\n[stakes]\ndouble = "beside"\n', "[stakes] double: it says nothing of fortune"),
        (FORTUNE + '[stakes]\ncovers = "seat"\n', "[stakes] covers: it says nothing of fortune"),
        (FORTUNE + '[result]\ncovers = "seat"\n', "[result] covers: it says nothing of fortune"),
        (FORTUNE.replace("f3.78-2008", "bj.57-2009"), "[columns] pair_plus: black_jack, which"),
        (FORTUNE.replace("f3.78-2008", "f3.89-2025"), "[table] regulation: the text of f3.89-2025 is not at hand"),
        (FORTUNE + "[rules]\ndecks = 6\n", "[rules] decks: "),
        (
            FORTUNE + '[result]\nas = "words"\nwords = { win = 1 }\n',
            "[columns] pair_plus: words tell nothing of pair_plus",
        ),
    ],
)
def test_a_map_has_what_its_game_has(imported: Import, plan: str, said: str) -> None:
    with pytest.raises(MapFaulty, match=re.escape(said)):
        imported(HEADER, plan)
