"""Hands, seats and rounds of foreign logs: never merged, never mixed up, whatever order the rows stand in."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from producers.mapping import MapFaulty, import_log
from replayer.sources.table_days import table_days
from tests.archives import read_events
from tests.mapping.logs import MAP, OBJECTS, TABLE, Import, refusal

SPLIT = MAP.replace('seat = "spot"', 'seat = "box"')
HEADER = "game,box,cards,dealer,bet,net\n"
NUMBERED = SPLIT.replace('seat = "box"', 'seat = "box"\nhand = "hand"')
TIMED = NUMBERED.replace("gaming_day = 2026-01-05", "").replace('seat = "box"', 'seat = "box"\ntime = "began"')
ROWS = "game,box,hand,cards,dealer,bet,net\n"


# Several hands in one cell


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("8♠ 3♦ / 8♥ K♦", '" / "'),
        ("8♠ 3♦|8♥ K♦", '"|"'),
        ("8♠ 3♦ | 8♥ K♦", '" | "'),
        ("8♠ 3♦; 8♥ K♦", '"; "'),
        ("8♠ 3♦, 8♥ K♦", '", "'),
        ("8♠ 3♦ + 8♥ K♦", '" + "'),
        ("8♠ 3♦ - 8♥ K♦", '" - "'),
        ("8♠ 3♦\n8♥ K♦", r'"\n"'),
        ("8♠ 3♦\r\n8♥ K♦", r'"\r\n"'),
        ("8♠ 3♦\t8♥ K♦", r'"\t"'),
        ("8♠ 3♦  8♥ K♦", r'"\u0020\u0020"'),
        ("8♠ 3♦\u00a08♥ K♦", r'"\u00a0"'),
        ("[8♠ 3♦] [8♥ K♦]", '"] ["'),
        ("[8♠ 3♦][8♥ K♦]", '"]["'),
        ("(8♠ 3♦) (8♥ K♦)", '") ("'),
        ("{8♠ 3♦}{8♥ K♦}", '"}{"'),
        ("'8♠ 3♦' '8♥ K♦'", "\"' '\""),
    ],
)
def test_hands_of_one_cell_are_never_merged_and_the_refusal_says_what_to_write(
    imported: Import, cell: str, written: str
) -> None:
    """11 loses to 17 and 18 wins, which makes nothing; one hand of all four cards is bust, and 20 were overpaid."""
    row = f'1,1,"{cell}",Ts 7d,20,0\n'
    message = refusal(imported, HEADER + row, SPLIT)
    assert "line 2, column cards: " in message
    assert f"has {written} between cards, and the separator is ' '" in message
    assert f"write hands_separator = {written} under [cards] of the map" in message
    plan = f"{SPLIT}[stakes]\ncovers = 'seat'\n[result]\ncovers = 'seat'\n[cards]\nhands_separator = {written}\n"
    read = imported(HEADER + row, plan)  # what it says to write is enough
    assert "1.split 1b.split=10 1+3d 1b+Kd" in " ".join(read.in_notation().split())
    assert read.payments_found() == []


@pytest.mark.parametrize(
    ("separator", "cell"),
    [
        (",", "8s,3d;8h,Kd"),
        (",", "8s,3d,,8h,Kd"),
        (",", "8s,3d, 8h,Kd"),
        (",", "8s, 3d / 8h, Kd"),
        (",", "[[8s, 3d], [8h, Kd]]"),
        ("-", "8s-3d 8h-Kd"),
        ("", "8s3d 8hKd"),
        ("", "8s3d/8hKd"),
        ("", "8s3d,8hKd"),
    ],
)
def test_no_text_but_the_separator_stands_between_cards(imported: Import, separator: str, cell: str) -> None:
    plan = f'{SPLIT}[cards]\nseparator = "{separator}"\n'
    log = (
        HEADER
        + f'1,1,"{cell}",{separator.join(("Ts", "7d")) if separator != "," else chr(34) + "Ts,7d" + chr(34)},20,0\n'
    )
    assert "hands_separator = " in refusal(imported, log, plan)


def test_a_separator_that_is_one_beside_another_is_no_matter_of_the_map(imported: Import) -> None:
    """Of blanks now one, now two, each was said to be what the map must name, and then the other was refused."""
    message = refusal(imported, HEADER + "1,1,8s 3d  Th,Ts 7d,20,0\n", SPLIT)
    assert "under [cards] of the map, if it parts cards, ' ' into the log" in message


@pytest.mark.parametrize("cell", ["Th 9c 8d / ", "Th 9c 8d x", "Th 9c 8d and", "Th 9c ?? 8d", "Th 9c Xx"])
def test_what_is_no_card_is_refused_wherever_it_stands(imported: Import, cell: str) -> None:
    assert "line 2, column cards" in refusal(imported, HEADER + f"1,1,{cell},Ts 7d,20,0\n", SPLIT)


@pytest.mark.parametrize(
    "cards", [[["8s", "3d"], ["8h", "Kd"]], ["8s 3d", "8h Kd"], ["8s", "3d", "|", "8h", "Kd"], ["8s", None]]
)
def test_hands_in_a_json_list_of_cards_are_never_merged(imported: Import, cards: list[Any]) -> None:
    log = json.dumps({"p": cards, "d": ["Ts", "7d"], "b": 20, "n": 0})
    assert "line 1, column p" in refusal(imported, log, OBJECTS, "log.jsonl")


def test_a_json_list_of_lists_is_read_as_hands_where_the_map_says_so(imported: Import) -> None:
    plan = OBJECTS.replace('cards = "p"', 'hands = "p"\ncards = "."')
    plan += '[stakes]\ncovers = "seat"\n[result]\ncovers = "seat"\n'
    log = json.dumps({"p": [["8s", "3d"], ["8h", "Kd"]], "d": ["Ts", "7d"], "b": 20, "n": 0})
    assert "1.split 1b.split=10 1+3d 1b+Kd" in imported(log, plan, "log.jsonl").in_notation()


def test_a_hand_that_went_on_when_it_was_over_may_be_several(imported: Import) -> None:
    """8 3 T is 21, 8 more is 29, and a sixth card cannot have been asked for."""
    row = "1,1,8s 3d Th 8h Kd 2c,Ts 7d,20,0\n"
    message = refusal(imported, HEADER + row, SPLIT)
    said = "line 2, column cards: the hand had 29 points with card 4 and went on: are these several hands? "
    assert said + "Give hands_separator under [cards] of the map, or map a column hand" in message
    assert imported(HEADER + row, SPLIT + "[rules]\nmax_splits = 0\n").summary.hands == 1


@pytest.mark.parametrize(
    ("log", "plan", "name"),
    [
        (ROWS + "1,1,1,8s 3d Th 8h Kd,Ts 7d,20,20\n", NUMBERED, "log.csv"),
        (HEADER + "1,1,8s 3d Th 8h Kd,Ts 7d,20,20\n", SPLIT + '[cards]\nhands_separator = "|"\n', "log.csv"),
        (
            HEADER + "1,1,8s 8d|8s 3d Th 8h Kd,Ts 7d,20|20,20|20\n",
            SPLIT + '[cards]\nhands_separator = "|"\n',
            "log.csv",
        ),
    ],
)
def test_hands_are_not_merged_where_the_map_has_a_place_for_them_and_the_log_did_not_use_it(
    imported: Import, log: str, plan: str, name: str
) -> None:
    """Read as one hand of 39 points, the payment would be told as an overpayment."""
    said = "the hand had 29 points with card 4 and went on: are these several hands? "
    assert said + "Tell each hand apart as the map says" in refusal(imported, log, plan, name)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1,1,8s 3d|8h Kd,Ts 7d,20,0|0", "column bet: one amount for 2 hands"),
        ("1,1,8s 3d|8h Kd,Ts 7d,10|10,0", "column net: one amount for 2 hands"),
        ("1,1,8s 3d|8h Kd,Ts 7d,10|10|10,0|0", "column bet: 3 parts for 2 hands"),
        ("1,1,8s 3d|8h Kd,Ts 7d,10/10,0|0", "column bet: '10/10' is no number"),
        ("1,1,8s 3d||8h Kd,Ts 7d,10|10|10,0|0|0", "column cards: no cards"),
        ("1,1,8s 3d|8h Kd|,Ts 7d,10|10|10,0|0|0", "column cards: no cards"),
    ],
)
def test_an_amount_is_never_taken_for_several_hands(imported: Import, row: str, said: str) -> None:
    plan = SPLIT + '[cards]\nhands_separator = "|"\n'
    assert f"line 2, {said}" in refusal(imported, f"{HEADER}{row}\n", plan)


def test_amounts_of_each_hand_are_no_amount_of_the_seat(imported: Import) -> None:
    plan = SPLIT + '[cards]\nhands_separator = "|"\n[stakes]\ncovers = "seat"\n'
    message = refusal(imported, HEADER + "1,1,8s 3d|8h Kd,Ts 7d,10|10,0|0\n", plan)
    assert (
        "line 2, column bet: one amount for each hand, where the map says that one of [stakes] covers them all"
        in message
    )


DECIDED = SPLIT.replace('seat = "box"', 'seat = "box"\ndecisions = "moves"') + (
    '[decisions]\nwords = { H = "hit", S = "stand", D = "double", P = "split", I = "insurance" }\n'
)


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ("PHS", "a split is decided and the seat has one hand"),
        ("IS", "insurance is decided and no stake of it is given"),
    ],
)
def test_a_decision_that_the_rest_of_the_row_denies_is_refused(imported: Import, moves: str, said: str) -> None:
    log = "game,box,cards,dealer,bet,net,moves\n" + f"1,1,8s 3d,As 7d,10,0,{moves}\n"
    assert f"line 2, column moves: {said}" in refusal(imported, log, DECIDED)


# Hands, seats and rounds in the order of their numbers


def test_the_hand_column_orders_hands_and_not_the_rows(imported: Import) -> None:
    """The first hand is the one that was played first; its card was on the table when the second was drawn to."""
    log = ROWS + "1,1,2,8h Kd,Ts 7d,10,10\n1,1,1,8s 3d Tc,Ts 7d,10,10\n"
    notation = imported(log, NUMBERED).in_notation()
    assert "1+8s B+Ts 1+8h B-7d 1.split 1b.split=10 1+3d 1+Tc 1b+Kd" in notation


@pytest.mark.parametrize(("one", "other"), [("1", "2"), ("a", "b"), ("A", "B"), ("0", "1"), ("01", "02")])
def test_hands_may_be_numbered_in_several_ways(imported: Import, one: str, other: str) -> None:
    log = ROWS + f"1,1,{other},8h Kd,Ts 7d,10,10\n1,1,{one},8s 3d Tc,Ts 7d,10,10\n1,2,,Th 9c,Ts 7d,10,10\n"
    assert "1.split 1b.split=10 1+3d 1+Tc 1b+Kd" in " ".join(imported(log, NUMBERED).in_notation().split())


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        (("1", "3"), "line 3, column hand: hand '3' of the seat, and one before it is missing"),
        (("2", "3"), "line 2, column hand: hand '2' of the seat, and one before it is missing"),
        (("1", "1"), "line 3, column hand: hand '1' of round 1, seat 1 stands in line 2 already"),
        (("1", "01"), "hand '01' of the seat stands there twice"),
        (("1", "b"), "line 3, column hand: 'b' does not number the hands of a seat"),
        (("main", "split"), "line 2, column hand: 'main' does not number the hands of a seat"),
        (("1", ""), "line 3, column hand: '' does not number the hands of a seat"),
        (("-1", "0"), "line 2, column hand: '-1' does not number the hands of a seat"),
        (("1.0", "2.0"), "line 2, column hand: '1.0' does not number the hands of a seat"),
    ],
)
def test_numbers_of_hands_with_gaps_or_twice_or_none_are_refused(
    imported: Import, marks: tuple[str, str], said: str
) -> None:
    log = ROWS + f"1,1,{marks[0]},8h Kd,Ts 7d,10,10\n1,1,{marks[1]},8s 3d Tc,Ts 7d,10,10\n"
    assert said in refusal(imported, log, NUMBERED)


def test_the_only_hand_of_a_seat_is_its_first(imported: Import) -> None:
    message = refusal(imported, ROWS + "1,1,2,8h Kd,Ts 7d,10,10\n", NUMBERED)
    assert "line 2, column hand: hand '2' of the seat, and one before it is missing" in message


def test_a_first_hand_is_missing_where_a_later_round_numbers_from_0(imported: Import) -> None:
    log = ROWS + "".join(f"{hand},8h Kd,Ts 7d,10,10\n" for hand in ("1,1,1", "1,1,2", "2,1,0", "2,1,1"))
    assert "line 2, column hand: hand '1' of the seat, and one before it is missing" in refusal(imported, log, NUMBERED)


LONG = [
    f"{game},{box},{hand},{cards},Ts 7d,10,{net}"
    for game in (3, 1, 2, 10, 11)
    for box, hand, cards, net in (
        (2, 1, "8s 3d Tc", 10),
        (2, 2, "8h Kd", 10),
        (1, 1, "Th 6c 9d", -10),
        (7, 1, "Th 7c", 0),
    )
]


def test_the_order_of_rows_does_not_matter(imported: Import, tmp_path: Path) -> None:
    imported(ROWS + "\n".join(sorted(LONG)) + "\n", NUMBERED)
    (ref,) = table_days(tmp_path / "archive")
    calm = list(read_events(ref))
    dice = random.Random(20)
    for number in range(5):
        rows = dice.sample(LONG, len(LONG))
        (tmp_path / "log.csv").write_text(ROWS + "\n".join(rows) + "\n")
        import_log(tmp_path / "log.csv", tmp_path / "map.toml", tmp_path / f"a{number}")
        (ref,) = table_days(tmp_path / f"a{number}")
        assert list(read_events(ref)) == calm


NAMED = NUMBERED.replace("[table]", "[table]\nnamed_rounds = true")


def test_rounds_with_names_keep_the_order_of_their_rows_or_are_refused(imported: Import) -> None:
    """Where names are all there is, only the rows tell which round came first."""
    log = ROWS + "r1,1,,Th 9c,Ts 7d,10,10\nr2,1,,Th 9c,Ts 7d,10,10\nr1,2,,Th 9c,Ts 7d,10,10\n"
    message = refusal(imported, log, NAMED)
    assert "line 4, column game: round r1 goes on here, after round r2 has begun in line 3" in message
    assert "line 2, column game" in refusal(imported, ROWS + ",1,,Th 9c,Ts 7d,10,10\n", NAMED)


def test_rounds_with_names_and_times_come_by_their_times(imported: Import) -> None:
    plan = NAMED.replace("gaming_day = 2026-01-05", "").replace('seat = "box"', 'seat = "box"\ntime = "began"')
    rows = [
        "2026-01-05T21:10,late,1,,Th 9c,Ts 7d,10,10",
        "2026-01-05T21:00,early,1,,Th 8c,Ts 7d,10,10",
        "2026-01-05T21:10,late,2,,Th 9c,Ts 7d,10,10",
    ]
    for order in (rows, rows[::-1]):
        notation = imported("began," + ROWS + "\n".join(order) + "\n", plan).in_notation()
        assert notation.index("1+8c") < notation.index("1+9c")


def test_rows_of_one_round_that_differ_are_refused(imported: Import) -> None:
    plan = TIMED
    log = "began," + ROWS + "2026-01-05T21:10,1,1,,Th 9c,Ts 7d,10,10\n2026-01-05T21:11,1,2,,Th 9c,Ts 7d,10,10\n"
    assert "line 3, column began: not the time that line 2 has for round 1" in refusal(imported, log, plan)
    plan = NUMBERED.replace('seat = "box"', 'seat = "box"\nplayer = "who"')
    log = "who," + ROWS + "ann,1,1,1,8h Kd,Ts 7d,10,10\nbob,1,1,2,8s 3d Tc,Ts 7d,10,10\n"
    assert "line 3, column hand: hand '2' of the seat, and one before it is missing" in refusal(imported, log, plan)


LAW = SPLIT.replace("[table]", '[table]\nregulation = "bj.57-2009"').replace(
    'seat = "box"', 'seat = "box"\nsurrender = "gave_up"'
)
LAW_ROWS = "game,box,gave_up,cards,dealer,bet,net\n"


def test_art18_n2_a_surrender_of_which_no_time_is_told_came_in_time(imported: Import) -> None:
    """It was dated behind the cards of the seats before it, and before a look at the hole card that the log does not
    record: SURRENDER_LATE and SURRENDER_EARLY were found of lawful rounds."""
    log = LAW_ROWS + "1,1,no,Th 4c 3d,Ts 7d,10,0\n1,2,yes,Th 6c,Ts 7d,10,-5\n"
    result = imported(log, LAW)
    assert "B-7d 2.surrender 1+3d B^7d" in " ".join(result.in_notation().split())
    assert result.codes_found() == set()
    decided = log.replace("gave_up", "gave_up,moves").replace("no,", "no,H,").replace("yes,", "yes,,")
    plan = LAW.replace('id = "', 'id = "Other').replace('"gave_up"', '"gave_up"\ndecisions = "moves"')
    plan += '[decisions]\nwords = { H = "hit" }\n'
    assert "2.surrender 1.hit 1+3d" in " ".join(imported(decided, plan).in_notation().split())


@pytest.mark.parametrize("third", ["3d", "9d"], ids=["too late", "over 21"])
def test_art18_n2_a_surrender_with_three_cards_came_after_the_third(imported: Import, third: str) -> None:
    """It was laid before that card, and half a stake that was lost whole was paid back with nothing found."""
    result = imported(LAW_ROWS + f"1,1,yes,Th 4c {third},Ts 9d,10,-5\n", LAW)
    assert result.payments_found() == [(1, 1, "OVERPAID", 5_00)]


@pytest.mark.parametrize("rule", ["deal_procedure = 1", 'p3_player_faces = "down"'])
def test_art5_n2_where_hands_lie_face_down_no_face_is_told(imported: Import, rule: str) -> None:
    """EXPOSED_CARD_KEPT was found of each card."""
    log = LAW_ROWS + "1,1,no,Th 4c 3d,Ts 7d,10,0\n1,2,no,Th 9c,Ts 7d,10,10\n"
    result = imported(log, f"{LAW}[rules]\n{rule}\n")
    assert "faces" in result.summary.not_recorded
    assert result.codes_found() == set()


SHARED = NUMBERED.replace('seat = "box"', 'seat = "box"\nplayer = "who"\ndoubled = "dbl"') + (
    '[stakes]\ndouble = "inside"\n'
)
SHARED_ROWS = "who,dbl," + ROWS


def test_several_bettors_share_the_hands_of_a_seat_and_are_paid_each_for_himself(imported: Import) -> None:
    """57/2009 art. 20; a bet that does not follow a split or a double stays as it is (BJ-71)."""
    log = (
        SHARED_ROWS
        + """ann,no,1,1,1,8h Tc,9s 8d,10,10
ann,yes,1,1,2,8s 3d Kc,9s 8d,20,20
bob,no,1,1,1,8h Tc,9s 8d,30,0
cat,no,1,1,1,8h Tc,9s 8d,20,20
cat,no,1,1,2,8s 3d Kc,9s 8d,20,20
"""
    )
    result = imported(log, SHARED)
    assert " ".join(result.in_notation().split()) == (
        "#1 1.main=10@ann 1.main=30@bob 1.main=20@cat 1+8h B+9s 1+8s B-8d 1.split 1b.split=10@ann 1b.split=20@cat 1+Tc "
        "1b+3d 1b.double 1b.double=10@ann 1b+Kc B^8d 1.hand=10>+10@ann 1b.hand=20>+20@ann 1.hand=30>0@bob "
        "1.hand=20>+20@cat 1b.hand=20>+20@cat end"
    )
    assert result.payments_found() == [(1, 1, "UNDERPAID", -30_00)]  # bob's 18 against 17
    assert result.codes_found() == {"UNDERPAID"}
    assert result.summary.hands == 2


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("bob,no,1,1,,8h Kc,9s 8d,20,20", "column cards: the bettors on seat 1 share its hands, and their rows"),
        (",no,1,1,,8h Tc,9s 8d,20,20", "column hand: hand '' of round 1, seat 1 stands in line 2 already"),
        ("ann,no,1,1,,8h Tc,9s 8d,20,20", "column hand: hand '' of round 1, seat 1 stands in line 2 already"),
        (",no,1,1,2,8h Tc,9s 8d,20,20", "column who: no name, and several bettors are on seat 1: say whose it is"),
    ],
)
def test_rows_of_bettors_who_do_not_share_a_hand_are_refused(imported: Import, row: str, said: str) -> None:
    more = "bob,no,1,1,,8h Tc,9s 8d,10,10\n" if "whose" in said else ""
    log = f"{SHARED_ROWS}ann,no,1,1,,8h Tc,9s 8d,10,10\n{more}{row}\n"
    assert f"line {4 if more else 3}, {said}" in refusal(imported, log, SHARED)


def test_a_decision_on_a_shared_seat_is_told_once_and_a_claim_by_each_bettor(imported: Import) -> None:
    plan = DECIDED.replace('seat = "box"', 'seat = "box"\nplayer = "who"').replace("{ H", '{ E = "even_money", H')
    log = "who,game,box,cards,dealer,bet,net,moves\nann,1,1,Ah Kc,Ts 8d,10,10,E\nbob,1,1,Ah Kc,Ts 8d,10,15,\n"
    result = imported(log, plan + '[rules]\neven_money = "yes"\n')
    assert "1+Kc B-8d 1.even_money@ann B^8d 1.hand=10>+10@ann 1.hand=10>+15@bob" in " ".join(
        result.in_notation().split()
    )
    assert result.payments_found() == []
    log = log.replace("10,10,E", "10,10,H").replace("10,15,", "10,15,S").replace("Ah Kc", "9h 2c 5d")
    assert (
        "line 3, column cards: the bettors on seat 1 share its hands, and their rows have different cards or decisions"
        in refusal(imported, log, plan)
    )


def test_the_seats_of_a_json_round_may_be_one_seat_of_several_bettors(imported: Import) -> None:
    log = (
        '{"s": [{"n": 1, "who": "ann", "p": "9c 8c", "b": 5, "r": 5}, {"n": 1, "who": "bob", "p": "9c 8c", "b": 9, "r": 9}], '
        '"d": "Th 6c Kd"}\n'
    )
    plan = (
        TABLE + '[source]\nformat = "jsonl"\nrow = "round"\n[columns]\nseats = "s"\nseat = "n"\nplayer = "who"\n'
        'cards = "p"\nbank = "d"\nstake = "b"\nresult = "r"\n'
    )
    assert len(imported(log, plan, "log.jsonl").replayed().wagers) == 2


def test_a_round_is_not_torn_by_the_beginning_of_the_day(imported: Import) -> None:
    plan = TIMED
    log = "began," + ROWS + "2026-01-05T05:59:59,1,1,,Th 9c,Ts 7d,10,10\n2026-01-05T06:00:01,1,2,,Th 9c,Ts 7d,10,10\n"
    message = refusal(imported, log, plan)
    assert "line 3, column began: round 1 has the same bank in line 2, minutes away, on 2026-01-04" in message
    quarantine = plan.replace("[source]", '[source]\non_bad_row = "quarantine"')
    left = imported(log + "2026-01-05T06:10,2,2,,Th 9c,Ts 7d,10,10\n", quarantine).summary
    assert (left.rounds, left.quarantined) == (1, 2)
    anew = "began," + ROWS + "2026-01-07T05:00:00,1,1,,Th 9c,Ts 7d,10,10\n2026-01-07T21:00:00,1,2,,Th 9c,Ts 7d,10,10\n"
    assert len(imported(anew, plan).summary.imported) == 2


# JSON and numbered columns

NESTED = (
    TABLE
    + """
[source]
format = "jsonl"
row = "round"
[columns]
round = "no"
seats = "boxes"
seat = "box"
hands = "hands"
cards = "cards"
bank = "bank"
stake = "bet"
result = "net"
"""
)


def nested(*boxes: dict[str, Any], **round_: Any) -> str:
    return json.dumps({"no": 1, "bank": ["Ts", "7d"], "boxes": boxes, **round_})


ONE = {"cards": ["8s", "3d"], "bet": 10, "net": 10}
OTHER = {"cards": ["8h", "Kd"], "bet": 10, "net": 10}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            nested({"box": 1, "hands": [ONE]}, {"box": 1, "hands": [OTHER]}),
            "column box: seat 1 stands twice in one row",
        ),
        (
            nested({"box": 1, "net": 20, "hands": [{"cards": ["8s"], "bet": 1}, {"cards": ["8h"], "bet": 1}]}),
            "column net: one amount for 2 hands",
        ),
        (
            nested({"box": 1, "cards": ["8s", "3d"], "hands": [{"bet": 1, "net": 1}, {"bet": 1, "net": 1}]}),
            "column cards: one cell for 2 hands",
        ),
        (
            nested(
                {"box": 1, "hands": [{"cards": ["8s"], "bet": 1}]},
                {"box": 2, "hands": [{"cards": ["8h"], "bet": 1}]},
                net=4,
            ),
            "column net: one cell for 2 seats",
        ),
        ('{"no": 1, "no": 2, "bank": ["Ts", "7d"], "boxes": []}', "no JSON: 'no' stands twice in one object"),
        (nested({"box": 256, "hands": [ONE]}), "column box: seat '256': seats are numbered from 1 to 255"),
    ],
)
def test_a_json_line_that_can_be_read_in_two_ways_is_refused(imported: Import, line: str, said: str) -> None:
    assert f"line 1, {said}".replace("line 1, no", "line 1: no") in refusal(imported, line, NESTED, "log.jsonl")


def test_hands_of_a_json_line_come_by_their_numbers(imported: Import) -> None:
    plan = NESTED.replace('seat = "box"', 'seat = "box"\nhand = "n"')
    log = nested({"box": 1, "hands": [{"n": 2, **OTHER}, {"n": 1, **ONE}]})
    assert "1+8s B+Ts 1+8h B-7d 1.split" in imported(log, plan, "log.jsonl").in_notation()


def test_each_seat_may_have_a_list_of_hands_of_its_own(imported: Import) -> None:
    """No column of the name h{seat} was found, and the refusal asked for a list that stood there."""
    plan = TABLE + (
        '[source]\nformat = "jsonl"\nrow = "round"\nseats = [1, 2]\n[columns]\nhands = "h{seat}"\ncards = "c"\nbank = "d"\n'
        'stake = "b"\nresult = "net"\n'
    )
    one = {"c": ["Th", "9c"], "b": 10, "net": 0}
    log = json.dumps({"d": ["9h", "Td"], "h1": [], "h2": [one | {"c": ["8h", "Tc"]}, one | {"c": ["8d", "Jc"]}]})
    assert "2.split 2b.split=10 2+Tc 2b+Jc" in imported(log, plan, "log.jsonl").in_notation()
    said = "[columns] seats: leave it out: columns with {seat} in their names tell their seats"
    with pytest.raises(MapFaulty, match=re.escape(said)):
        imported(log, plan.replace("hands =", 'seats = "s"\nhands ='), "log.jsonl")


TWO_SEATS = TABLE + (
    '[source]\nrow = "round"\nseats = [1, 2]\n[columns]\nround = "no"\ncards = "c{seat}"\nbank = "d"\n'
    'stake = "b{seat}"\nresult = "n{seat}"\n'
)


def test_a_column_that_all_seats_share_is_not_each_ones(imported: Import) -> None:
    plan = TWO_SEATS.replace("n{seat}", "net")
    message = refusal(imported, "no,d,c1,b1,c2,b2,net\n1,Ts 7d,Th 9c,10,Th 9d,10,20\n", plan)
    assert "line 2, column net: one cell for 2 seats" in message
    assert imported("no,d,c1,b1,c2,b2,net\n1,Ts 7d,Th 9c,10,,,10\n", plan).summary.hands == 1


def test_money_is_not_paid_on_a_seat_where_nobody_played(imported: Import) -> None:
    """Without cards and stake the seat was left out, and what was paid on it with it."""
    plan = TWO_SEATS.replace('round = "no"\n', "")
    log = "d,c1,b1,n1,c2,b2,n2\nTs 7d,Th 9c,10,10,,,{}\n"
    assert "line 2, column b2: no amount: stake" in refusal(imported, log.format("25"), plan)
    assert imported(log.format("-"), plan).summary.hands == 1


@pytest.mark.parametrize("money", [{"net": 25}, {"bet": 25}, {"ins": {"bet": 25}}])
def test_money_is_not_laid_on_a_seat_without_hands(imported: Import, money: dict[str, Any]) -> None:
    """The seat was left out, and its money with it; a sum of all seats is not its own."""
    plan = NESTED + 'insurance = "ins.bet"\n'
    boxes = {"box": 1, "hands": [ONE]}, {"box": 2, "hands": []}
    assert "line 1, column hands: a list of hands is wanted" in refusal(
        imported, nested(boxes[0], boxes[1] | money), plan, "log.jsonl"
    )
    assert imported(nested(*boxes, **money), plan, "log.jsonl").summary.hands == 1


def test_a_value_where_the_map_names_an_object_is_not_passed_over(imported: Import) -> None:
    """Rows of an older form had insurance as a number: it was none."""
    plan = NESTED + 'insurance = "ins.bet.net"\n'
    for form in (5, {"bet": 5}):
        log = nested({"box": 1, "hands": [ONE], "ins": form})
        said = "line 1, column ins.bet.net: '5' stands there, and no object that has it"
        assert said in refusal(imported, log, plan, "log.jsonl")
    for none in (None, False, "no", {"bet": None}):
        log = nested({"box": 1, "hands": [ONE], "ins": none})
        assert "insurance" not in imported(log, plan, "log.jsonl").in_notation()


def test_a_seat_that_the_map_does_not_list_is_not_left_out_in_silence(imported: Import) -> None:
    """Its columns were named among those that the map names nowhere, and its money was gone."""
    said = "column 'b3' is of a seat that "
    assert said in refusal(imported, "no,d,c1,b1,n1,c2,b2,n2,b3\n1,Ts 7d,Th 9c,10,10,,,,5\n", TWO_SEATS)
    nested = TWO_SEATS.replace("row =", 'format = "jsonl"\nrow =').replace('"b{seat}"', '"b{seat}.bet"')
    line = {"no": 1, "d": ["Ts", "7d"], "c1": ["Th", "9c"], "b1": {"bet": 10}, "n1": 10, "c2": [], "b3": {"bet": 10}}
    assert said in refusal(imported, json.dumps(line), nested, "log.jsonl")


def test_a_side_wager_s_column_that_all_seats_share_is_told_whatever_parts_its_cell_has(imported: Import) -> None:
    plan = TWO_SEATS.replace("[columns]", '[cards]\nhands_separator = "|"\n[columns]') + 'insurance = "i"\n'
    log = "no,d,c1,b1,n1,c2,b2,n2,i\n1,Ts 7d,8s 3d|8h Kd,10|10,-10|10,9s 3d|9h Kd,10|10,-10|10,{}\n"
    assert "line 2, column i: one cell for 2 seats" in refusal(imported, log.format("5|5"), plan)
    assert "line 2, column i: 3 parts for 2 hands" in refusal(imported, log.format("5|5|5"), plan)
    assert imported(log.format(""), plan).summary.hands == 4


def test_half_for_five_cards_is_asked_for_when_they_lie_there(imported: Import) -> None:
    """57/2009 art. 19(1): five cards not over 21, and no ace of the bank, earn half of the bet on request, before the bank
    shows its second: 19 against 20 lost. Where several bet on the seat, who decides asks for all (BJ-70b)."""
    plan = DECIDED.replace('seat = "box"', 'seat = "box"\nplayer = "who"').replace("{ H", '{ F = "five_card_half", H')
    plan = plan.replace("[table]", '[table]\nregulation = "bj.57-2009"')
    hand = "1,2h 3d 4c 5s 5h,Ts Kd,100"
    rows = f"ann,1,{hand},50,HHHF\nann,2,{hand},50,HHHF\nbob,2,{hand},50,\nann,3,{hand},50,F\nann,4,{hand},50,HHH\n"
    result = imported("who,game,box,cards,dealer,bet,net,moves\n" + rows, plan)
    assert re.findall(r"1\+5h (1.five_card_half\S*)? ?B", " ".join(result.in_notation().split())) == [
        "1.five_card_half@ann", "1.five_card_half", "1.five_card_half@ann", ""
    ]  # fmt: skip
    assert result.payments_found() == [(4, 1, "OVERPAID", 150_00)]


def test_even_money_that_the_house_does_not_offer_is_not_said_to_lack_a_black_jack(imported: Import) -> None:
    """The bank's open card was an ace and the player had Black Jack: the message said that both are wanted."""
    plan = MAP.replace("[columns]", '[decisions]\nwords = { E = "even_money" }\n[columns]\ndecisions = "moves"')
    log = "game,spot,cards,dealer,bet,net,moves\n1,1,Ah Kd,Ac 9s,10,10,E\n"
    refused = imported(log, plan).replayed().findings.filter(code="EVEN_MONEY_REFUSED")
    assert refused["message"].to_list() == ["the house offers no even money"]
