"""Logs of different shapes, mapped and imported: the events are the round as it was played, in the notation."""

from __future__ import annotations

import datetime as dt
import json
import re
from pathlib import Path
from typing import Any

import pytest

from flows.cli import main
from producers.mapping.map_file import ALWAYS_MISSING, SECTIONS, read_map
from producers.mapping.map_section import MapFaulty
from replayer.law.choice import MAY_BE_MISSING
from replayer.sources.archive import read_table_day
from replayer.sources.table_days import table_days
from tests.mapping.logs import HEADER, MAP, OBJECTS, TABLE, Import, refusal

NESTED = (
    TABLE.replace("gaming_day = 2026-01-05", 'zone = "Asia/Macau"')
    + """
[source]
format = "jsonl"
row = "round"
[columns]
round = "no"
time = "began"
seats = "boxes"
seat = "box"
player = "who"
hands = "hands"
cards = "cards"
bank = "bank.cards"
stake = "bet"
doubled = "doubled"
insurance = "insured"
insurance_result = "insurance_net"
decisions = "moves"
result = "net"
[stakes]
double = "beside"
[decisions]
words = { H = "hit", S = "stand", D = "double", P = "split", R = "surrender" }
[rules]
surrender = "yes"
max_splits = 3
"""
)


def nested_round(boxes: list[dict[str, Any]], bank: list[str], number: int = 7) -> str:
    return json.dumps({"no": number, "began": "2026-01-05T21:14:00", "bank": {"cards": bank}, "boxes": boxes})


def one_hand(*cards: str, **more: Any) -> str:
    """A round of one hand of two to three cards, on box 1 unless told otherwise, against a bank of 17."""
    box = {"box": more.pop("box", 1), "hands": [{"cards": cards, "bet": 100, "moves": ["S"], "net": 100} | more]}
    return nested_round([box], ["7c", "Jd"])


def told(imported: Any) -> str:
    return one_line(imported.in_notation())


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_json_line_a_round_with_nested_seats_and_decisions(imported: Import) -> None:
    log = nested_round(
        [
            {"box": 1, "who": "ann", "hands": [{"cards": ["9♣", "10♥"], "bet": 100, "moves": ["S"], "net": 100}]},
            {"box": 4, "who": "bob", "hands": [{"cards": ["5h", "6D", "Ks"], "bet": 50, "doubled": True,
                                               "moves": ["D"], "net": 100}]},
        ],
        ["7c", "Jd"],
    )  # fmt: skip
    result = imported(log, NESTED, "log.jsonl")
    assert told(result) == one_line("""#7 1.main=100@ann 4.main=50@bob 1+9c 4+5h B+7c 1+Th 4+6d B-Jd
        1.stand@ann 4.double@bob 4.double=50@bob 4+Ks B^Jd 1.hand=100>+100@ann 4.hand=100>+100@bob end""")
    assert result.codes_found() == set()


def test_decisions_are_held_against_the_rules(imported: Import) -> None:
    assert "CARD_NOT_ASKED" in imported(one_hand("9c", "Th", "Ac"), NESTED, "log.jsonl").codes_found()


def test_split_hands_begin_with_the_pair_and_stake_as_much_again(imported: Import) -> None:
    log = nested_round(
        [{"box": 2, "hands": [
            {"cards": ["8c", "3d", "9h"], "bet": 100, "doubled": True, "moves": ["P", "D"], "net": 200},
            {"cards": ["8h", "Td"], "bet": 100, "moves": ["S"], "net": 0},
        ]}],
        ["7c", "Jd", "Ah"],
    )  # fmt: skip
    result = imported(log, NESTED, "log.jsonl")
    assert told(result) == one_line("""#7 2.main=100 2+8c B+7c 2+8h B-Jd 2.split 2b.split=100 2+3d 2.double 2.double=100
        2+9h 2b+Td 2b.stand
        B^Jd B+Ah 2.hand=200>+200 2b.hand=100>0 end""")
    assert result.codes_found() == {"BANK_SURPLUS_CARD", "UNDERPAID"}  # the ace on 17 is void
    assert result.payments_found() == [(7, 2, "UNDERPAID", -100_00)]  # 18 beats the bank's 17


def test_three_hands_are_recorded_as_the_last_one_separated_again(imported: Import) -> None:
    hand = {"bet": 10, "net": -10}
    cards = (["8c", "9d"], ["8h", "9s"], ["8d", "9c"])
    log = nested_round([{"box": 1, "hands": [hand | {"cards": one, "moves": ["S"]} for one in cards]}], ["Tc", "Jd"])
    result = imported(log, NESTED, "log.jsonl")
    assert told(result) == one_line("""#7 1.main=10 1+8c B+Tc 1+8h B-Jd 1.split 1b.split=10 1+9d 1.stand 1b+8d 1b.split
        1c.split=10 1b+9s 1b.stand
        1c+9c 1c.stand B^Jd 1.hand=10>-10 1b.hand=10>-10 1c.hand=10>-10 end""")
    assert result.codes_found() == set()


def test_surrender_loses_half(imported: Import) -> None:
    log = nested_round(
        [{"box": 1, "hands": [{"cards": ["9c", "7h"], "bet": 15, "moves": ["R"], "net": -7.5}]}], ["Tc", "Jd"]
    )
    result = imported(log, NESTED, "log.jsonl")
    assert told(result) == "#7 1.main=15 1+9c B+Tc 1+7h B-Jd 1.surrender B^Jd 1.hand=15>-7.50 end"
    assert result.codes_found() == set()


def test_insurance_in_a_column_of_its_own_is_settled_by_itself(imported: Import) -> None:
    box = {
        "box": 1,
        "insured": 50,
        "insurance_net": 100,
        "hands": [{"cards": ["9c", "7h"], "bet": 100, "moves": ["S"], "net": -100}],
    }
    result = imported(nested_round([box], ["Ac", "Jd"]), NESTED, "log.jsonl")
    assert told(result) == one_line(
        """#7 1.main=100 1+9c B+Ac 1+7h B-Jd 1.insurance=50 1.stand B^Jd 1.insurance=50>+100 1.hand=100>-100 end"""
    )
    assert result.codes_found() == set()


def test_times_give_the_gaming_day(imported: Import) -> None:
    early = one_hand("9c", "Th").replace("2026-01-05T21:14:00", "2026-01-06T05:59:59")
    assert [day[1].isoformat() for day in imported(early, NESTED, "log.jsonl").summary.imported] == ["2026-01-05"]


ROWS = TABLE + MAP.removeprefix(TABLE).replace('seat = "spot"', 'seat = "spot"\nhand = "hand"').replace(
    '"net"', '"result"'
)
COLUMNS = "game,spot,hand,cards,dealer,bet,result\n"


def test_ranks_only_units_and_words(imported: Import) -> None:
    log = """game,spot,hand,cards,dealer,bet,result
1,1,1,A-K,9-8,2,blackjack
1,2,1,10-Q,9-8,1,win
2,1,1,10-6-10,T-7,1,lose
2,2,1,10-7,T-7,3,push
"""
    spelled = '[cards]\nseparator = "-"\n[stakes]\nunit = "15"\n'
    paid = '[result]\nas = "words"\nwords = { blackjack = "3/2", win = 1, push = 0, lose = -1 }\n'
    result = imported(log, ROWS + spelled + paid)
    assert told(result) == one_line("""#1 1.main=30 2.main=15 1+Ax 2+Tx B+9x 1+Kx 2+Qx B-8x B^8x 1.hand=30>+45 2.hand=15>+15 end
        #2 1.main=15 2.main=45 1+Tx 2+Tx B+Tx 1+6x 2+7x B-7x 1+Tx B^7x 1.hand=15>-15 2.hand=45>0 end""")
    assert result.codes_found() == set()
    assert "suits" in result.summary.not_recorded
    assert (
        "not_recorded=authorisations,burn,close,custody,cut,deal_order,decisions,hole_check,shuffle,suits,times,totals"
        in result.opening()
    )


def test_split_hands_in_rows_of_their_own(imported: Import) -> None:
    log = """game,spot,hand,cards,dealer,bet,result
1,1,1,8s 8d 2c,Ts 7d,5,+5
1,1,2,8c Td,Ts 7d,5,+5
"""
    result = imported(log, ROWS)
    assert (
        told(result)
        == "#1 1.main=5 1+8s B+Ts 1+8c B-7d 1.split 1b.split=5 1+8d 1+2c 1b+Td B^7d 1.hand=5>+5 1b.hand=5>+5 end"
    )
    assert result.codes_found() == set()


def test_amounts_of_a_whole_seat_stand_in_one_of_its_rows(imported: Import) -> None:
    log = """game,spot,hand,cards,dealer,bet,result,dbl
1,1,1,8s 3d Tc,Ts 7d,15,+10,1
1,1,2,8c 8d,Ts 7d,,,0
"""
    plan = ROWS.replace('result = "result"', 'result = "result"\ndoubled = "dbl"')
    result = imported(log, plan + '[stakes]\ncovers = "seat"\ndouble = "inside"\n[result]\ncovers = "seat"\n')
    assert told(result) == one_line(
        """#1 1.main=5 1+8s B+Ts 1+8c B-7d 1.split 1b.split=5 1+3d 1.double 1.double=5 1+Tc 1b+8d B^7d 1.all=15>+10 end"""
    )
    assert result.payments_found() == [(1, 1, "OVERPAID", 5_00)]  # 21 wins 10, 16 loses 5


def test_chips_returned_of_a_seat_with_double_and_insurance_inside(imported: Import) -> None:
    log = """game,spot,hand,cards,dealer,bet,result,ins
1,3,,5s 6d Tc,Ah 9d,"1,000",2000,250
2,3,,As Kd,Ah 9d,500,1250,0
"""
    columns = ROWS.replace('result = "result"', 'result = "result"\ninsurance = "ins"')
    result = imported(log, columns + '[stakes]\nbase = "500"\n[result]\nas = "returned"\ncovers = "seat"\n')
    assert told(result) == one_line("""#1 3.main=500 3+5s B+Ah 3+6d B-9d 3.insurance=250 3.double 3.double=500 3+Tc B^9d
        3.all=1250>+750 end
        #2 3.main=500 3+As B+Ah 3+Kd B-9d B^9d 3.all=500>+750 end""")
    assert result.codes_found() == set()


def test_the_first_bet_of_a_seat_is_that_of_each_hand_of_its_pair(imported: Import) -> None:
    """What hand histories tell of a seat; taken for the seat's sum, each hand would have staked a half of it."""
    columns = ROWS.replace('hand = "hand"', 'doubled = "twice"')
    plan = columns + '[cards]\nhands_separator = "/"\n[stakes]\ncovers = "first"\n[result]\ncovers = "seat"\n'
    log = "game,spot,twice,cards,dealer,bet,result\n1,1,yes/no,8s 3d Th/8h Kd,Ts 7d,10,30\n2,1,no,Th 7c,Ts 7d,20,0\n"
    result = imported(log, plan)
    assert told(result) == one_line("""#1 1.main=10 1+8s B+Ts 1+8h B-7d 1.split 1b.split=10 1+3d 1.double 1.double=10 1+Th 1b+Kd
        B^7d 1.all=30>+30 end
        #2 1.main=20 1+Th B+Ts 1+7c B-7d B^7d 1.all=20>0 end""")
    assert result.codes_found() == set()


def test_row_a_round_with_seats_in_numbered_columns(imported: Import) -> None:
    log = """no;d;c1;b1;r1;c2;b2;r2
11;c9 s8;d10 h7;10,50;0;;;
12;c9 s8;d10 h7;1.000,00;0;h9 s9;20,00;+20,00
"""
    plan = (
        TABLE
        + """
[source]
row = "round"
delimiter = ";"
seats = [1, 2]
[columns]
round = "no"
cards = "c{seat}"
bank = "d"
stake = "b{seat}"
result = "r{seat}"
[cards]
order = "suit_rank"
[stakes]
decimal_comma = true
"""
    )
    result = imported(log, plan)
    assert told(result) == one_line("""#11 1.main=10.50 1+Td B+9c 1+7h B-8s B^8s 1.hand=10.50>0 end
        #12 1.main=1000 2.main=20 1+Td 2+9h B+9c 1+7h 2+9s B-8s B^8s 1.hand=1000>0 2.hand=20>+20 end""")
    assert result.codes_found() == set()


def test_lists_written_as_text_with_several_hands_in_a_cell(imported: Import) -> None:
    log = """dealer,player,bet,won
"[10, 7]","[[8, 10], [8, 9]]",2,1.0
"[10, 7]","[[10, 11]]",1,1.5
"""
    plan = (
        TABLE
        + """
[source]
row = "round"
[columns]
cards = "player"
bank = "dealer"
stake = "bet"
result = "won"
[cards]
separator = ","
hands_separator = "], ["
ranks = { 11 = "A" }
[stakes]
unit = "10"
covers = "seat"
[result]
covers = "seat"
[rules]
bank_second_card = "after_play"
"""
    )
    result = imported(log, plan)
    assert told(result) == one_line("""#2 1.main=10 1+8x B+Tx 1+8x 1.split 1b.split=10 1+Tx 1b+9x B+7x 1.all=20>+10 end
        #3 1.main=10 1+Tx B+Tx 1+Ax B+7x 1.all=10>+15 end""")
    assert result.codes_found() == set()  # 18 wins and 17 is a push; a natural gets 3 to 2


def test_cards_that_have_names_of_their_own(imported: Import) -> None:
    """Numbers from 1 to 52, of which 10 is a ten of clubs and 23 a ten of diamonds, and the cards of Unicode."""
    names = ", ".join(
        f'"{number}" = "{card}"' for number, card in enumerate((r + s for s in "cdhs" for r in "A23456789TJQK"), 1)
    )
    log = HEADER + '1,1,"10,23,1","9,35",10,10\n'
    result = imported(log, MAP + f'[cards]\nseparator = ","\nnames = {{ {names} }}\n')
    assert told(result) == "#1 1.main=10 1+Tc B+9c 1+Td B-9h 1+Ac B^9h 1.hand=10>+10 end"
    log = '{"p": "🂡🂾", "d": "🃙🃘", "b": 2, "n": 3}\n'
    names = '"🂡" = "As", "🂾" = "Kh", "🃙" = "9c", "🃘" = "8c"'
    plan = OBJECTS.replace("X1", "X2") + f'[cards]\nseparator = ""\nnames = {{ {names} }}\n'
    assert imported(log, plan, "log.jsonl").summary.rounds == 1
    with pytest.raises(MapFaulty, match=r"\[cards\] names: X = 'Zz': a card like Th is wanted"):
        imported(log, OBJECTS + '[cards]\nnames = { x = "Zz" }\n', "log.jsonl")


CARDS = MAP.replace("gaming_day = 2026-01-05\n", "").replace('row = "hand"', 'row = "card"\nbank = "B"').replace(
    'bank = "dealer"\n', ""
).replace("[columns]", '[columns]\nhand = "hand"\ntime = "at"\ndecisions = "move"') + (
    '[decisions]\nwords = { H = "hit", S = "stand", D = "double", P = "split" }\n'
)
CARD_HEADER = "at,game,spot,hand,cards,move,bet,net\n"


def card_rows(*rows: str) -> str:
    """Rows of which each happened a second after the one before."""
    return CARD_HEADER + "".join(f"2026-01-05T21:00:{second:02},{row}\n" for second, row in enumerate(rows))


def test_a_row_a_card_with_bets_decisions_and_payments_in_rows_of_their_own(imported: Import) -> None:
    """Rows of several rounds may stand between each other, as those of two seats do."""
    log = card_rows(
        "1,2,1,,,10,", "1,1,1,,,20,", "1,1,1,Ts,,,", "1,2,1,8h,,,", "2,1,1,9c,,10,", "1,B,,9s,,,", "1,1,1,7c,S,,",
        "1,2,2,8d,P,10,", "1,B,,8c,,,", "1,2,1,3c,H,,", "1,2,1,Tc,S,,+10", "2,B,,Th,,,", "1,2,2,Kd,S,,+10",
        "2,1,1,8s,S,,-10", "2,B,,8h,,,", "1,1,1,,,20,0",
    )  # fmt: skip
    result = imported(log, CARDS)
    assert told(result) == one_line("""#1 1.main=20 2.main=10 1+Ts 2+8h B+9s 1+7c 2+8d B-8c 1.stand 2.split 2b.split=10 2+3c
        2.hit 2+Tc 2.stand 2b+Kd 2b.stand B^8c 1.hand=20>0 2.hand=10>+10 2b.hand=10>+10 end
        #2 1.main=10 1+9c B+Th 1+8s B-8h 1.stand B^8h 1.hand=10>-10 end""")
    assert result.codes_found() == set()
    assert (result.summary.rounds, result.summary.hands, result.summary.rows) == (2, 4, 16)
    (started, _) = result.replayed().rounds["started_at"]
    assert str(started) == "2026-01-05 13:00:00+00:00"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("2,1,1,Xx,,,", "line 6, column cards: 'Xx' is no card"),
        ("2,1,1,9c8c,,,", "line 6, column cards: more than one card"),
        ("2,1,1,9c,,20,", "line 6, column bet: not what line 5 has for this hand"),
        ("2,1,1,9c,Q,,", "line 6, column move: 'Q' is none of the [decisions] words"),
        ("2,2,1,9c,,,", "line 6, column bet: no amount: stake"),
        ("2,2,1,,,10,0", "line 6, column cards: no cards"),
        ("2,1,2,9c,,10,0", "no row of its round is of the bank, 'B'"),
    ],
)
def test_a_bad_row_of_a_card_leaves_out_its_round_with_all_rows(imported: Import, row: str, said: str) -> None:
    good = ("1,1,1,Ts,,10,10", "1,B,,9s,,,", "1,1,1,9h,,,")
    log = card_rows(*good, "2,1,1,9h,,10,0", row, *([] if "bank" in said else ["2,B,,Th,,,"]))
    assert said in refusal(imported, log, CARDS)
    left = imported(log, CARDS.replace("[source]", '[source]\non_bad_row = "quarantine"'))
    assert (left.summary.rounds, left.summary.rows) == (1, log.count("\n") - 1)
    assert left.summary.quarantined == log.count("\n") - 4


def test_a_row_a_card_needs_no_separator_of_cards(imported: Import) -> None:
    """Ten of Hearts was taken for three cards, and "of" was none."""
    log = card_rows("1,1,1,T,,10,10", "1,B,,9s,,,", "1,1,1,9h,,,", "1,B,,8c,,,")
    for one, other in (("Ten of Hearts", "9 ♥"), ("10 h", "NINE OF HEARTS")):
        spelled = log.replace(",T,", f",{one},").replace(",9h,", f",{other},")
        assert "1+Th B+9s 1+9h" in told(imported(spelled, CARDS))


def test_the_rows_of_a_card_of_bettors_on_a_seat_are_each_bettors_own(imported: Import) -> None:
    """A bettor who is alone on a seat is named in any of its rows."""
    log = """who,game,spot,cards,bet,net
ann,1,1,Ts,10,10
bob,1,1,Ts,20,20
,1,B,9s,,
cat,1,2,9c,30,
ann,1,1,9h,,
bob,1,1,9h,,
,1,2,9d,,30
,1,B,8c,,
"""
    plan = MAP.replace('row = "hand"', 'row = "card"\nbank = "B"').replace('bank = "dealer"', 'player = "who"')
    result = imported(log, plan)
    assert told(result) == one_line("""#1 1.main=10@ann 1.main=20@bob 2.main=30@cat 1+Ts 2+9c B+9s 1+9h 2+9d B-8c B^8c
        1.hand=10>+10@ann 1.hand=20>+20@bob 2.hand=30>+30@cat end""")
    assert result.codes_found() == set()


def test_an_amount_of_a_seat_stands_in_any_row_of_a_card(imported: Import) -> None:
    log = card_rows("1,1,1,8s,,10,30", "1,B,,Ts,,,", "1,1,2,8h,P,,", "1,1,1,Tc,S,,", "1,1,2,Kd,S,,", "1,B,,7c,,,")
    result = imported(log, CARDS + '[stakes]\ncovers = "seat"\n[result]\ncovers = "seat"\n')
    assert told(result).endswith("1.all=10>+30 end")


def test_the_hands_of_a_row_a_card_may_be_numbered_from_0(imported: Import) -> None:
    from_1 = card_rows(
        "1,1,1,8s,,10,10", "1,B,,Ts,,,", "1,1,2,8h,P,10,20", "1,1,1,Tc,S,,", "1,1,2,Kd,S,,", "1,B,,7c,,,"
    )
    from_0 = from_1.replace(",1,1,1,", ",1,1,0,").replace(",1,1,2,", ",1,1,1,")
    assert imported(from_0, CARDS).in_notation() == imported(from_1, CARDS).in_notation()


def test_cards_that_stand_in_another_order_than_their_times_are_refused(imported: Import) -> None:
    """Of a log with its newest row first, the bank's last card was taken for the open one."""
    rows = card_rows("1,1,1,Ts,,10,10", "1,B,,9s,,,", "1,1,1,9h,,,", "1,B,,8c,,,").splitlines(keepends=True)
    said = "line 4, column at: before that of line 2, and cards come as their rows stand: sort the log"
    assert said in refusal(imported, "".join([rows[0], *reversed(rows[1:])]), CARDS)


def test_the_cards_of_a_round_may_come_on_two_days(imported: Import) -> None:
    """The round is of the gaming day on which it began."""
    log = card_rows("1,1,1,Ts,,10,10", "1,B,,9s,,,", "1,1,1,9h,,,", "1,B,,8c,,,").replace("T21:00", "T05:59")
    log = log.replace("05:59:02", "06:00:02").replace("05:59:03", "06:00:03")
    assert imported(log, CARDS).summary.imported == (("X1", dt.date(2026, 1, 4)),)


def test_cards_that_lie_an_hour_apart_are_of_two_rounds(imported: Import) -> None:
    """Where numbers begin anew with each shoe, the cards of two rounds became one; a payment may come late."""
    log = card_rows("1,1,1,Ts,,10,10", "1,B,,9s,,,", "1,1,1,9h,,,", "1,B,,8c,,,")
    later = log.replace("T21:", "T22:").removeprefix(CARD_HEADER)
    said = (
        "line 6, column at: an hour or more from line 2 of round 1; where numbers begin anew, as with each shoe, number"
    )
    assert said in refusal(imported, log + later, CARDS)
    assert imported(log + "2026-01-05T23:00:00,1,1,1,,,,10\n", CARDS).payments_found() == []


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (CARDS.replace('bank = "B"\n', ""), "[source] bank: "),
        (CARDS.replace('row = "card"', 'row = "hand"'), "[columns] bank: missing"),
        (CARDS.replace("[columns]", '[columns]\nbank = "cards"'), "[columns] bank: leave it out"),
        (CARDS.replace('seat = "spot"\n', ""), "[columns] seat: missing"),
    ],
)
def test_a_map_of_single_cards_tells_the_bank_by_its_word(imported: Import, plan: str, said: str) -> None:
    with pytest.raises(MapFaulty, match=re.escape(said)):
        imported(card_rows(), plan)


@pytest.mark.parametrize(
    "cell",
    ['["Th", "8c"]', '["10H", "8C"]', '[{"rank": "10", "suit": "hearts"}, {"rank": "8", "suit": "Clubs"}]', '"Th 8c"',
     '["Ten of Hearts", "Eight of Clubs"]', '["10♥️", "8♣"]', '["t-h", "8-c"]'],
)  # fmt: skip
def test_spellings_of_cards(imported: Import, cell: str) -> None:
    result = imported(f'{{"p": {cell}, "d": ["9c", "Td"], "b": 1, "n": -1}}', OBJECTS, "log.jsonl")
    assert told(result) == "#1 1.main=1 1+Th B+9c 1+8c B-Td B^Td 1.hand=1>-1 end"


def test_the_usual_letter_of_a_suit_that_the_map_spells_is_not_taken_for_it(imported: Import) -> None:
    """Copas, which the map forgot, are hearts; they were read as clubs beside paus."""
    plan = ROWS + '[cards]\nsuits = { E = "s", O = "d", P = "c" }\n'
    log = COLUMNS + "1,1,,TP AC,9♣ 9♥,1,1.5\n"
    assert "line 2, column cards: 'AC' is no card" in refusal(imported, log, plan)
    read = told(imported(log, plan.replace("{ ", '{ C = "h", ')))
    assert read == "#1 1.main=1 1+Tc B+9c 1+Ah B-9h B^9h 1.hand=1>+1.50 end"


def test_cards_that_stand_directly_behind_each_other(imported: Import) -> None:
    log = COLUMNS + "1,1,,10h8c2d,ThJs,1,0\n"
    result = imported(log, ROWS + '[cards]\nseparator = ""\n')
    assert told(result) == "#1 1.main=1 1+Th B+Th 1+8c B-Js 1+2d B^Js 1.hand=1>0 end"


def test_the_letter_of_an_unknown_suit_is_no_second_card(imported: Import) -> None:
    """The jack of k was read as a jack and a king, so that a hand of 21 was bust and its payment told as too much."""
    plan = ROWS + '[cards]\nseparator = ""\n'
    log = COLUMNS + "1,1,,8s3hJk,9cQs,1,1\n"
    said = "line 2, column cards: '8s3hJk' has cards with a suit and cards without one; other spellings go into [cards]"
    assert said in refusal(imported, log, plan)
    read = told(imported(log, plan + 'suits = { k = "d" }\n'))
    assert read == "#1 1.main=1 1+8s B+9c 1+3h B-Qs 1+Jd B^Qs 1.hand=1>+1 end"


def test_a_card_with_a_name_of_its_own_may_lack_the_suit_that_others_have(imported: Import) -> None:
    plan = ROWS + '[cards]\nseparator = ""\nnames = { X = "5x" }\n'
    assert "1+8s B+Tx 1+5x" in told(imported(COLUMNS + "1,1,,8sX,T7,1,-1\n", plan))


def test_a_card_that_the_log_hides_is_not_judged(imported: Import) -> None:
    log = COLUMNS + "1,1,,Th 8c,9h XX,1,1\n"
    result = imported(log, ROWS + '[cards]\nhidden = ["XX"]\n')
    assert told(result) == "#1 1.main=1 1+Th B+9h 1+8c B-?? 1.hand=1>+1 end"
    assert result.payments_found() == []
    assert result.replayed().wagers["status"].to_list() == ["unjudged"]
    assert "faces" not in result.summary.not_recorded  # the bank's second card lies face down by right


@pytest.mark.parametrize(
    ("cards", "dealer", "rules"),
    [("Th XX", "9h Td", ""), ("Th 8c", "XX Td", ""), ("Th 8c", "9h XX", '[rules]\nbank_second_card = "after_play"\n')],
)
def test_a_card_that_the_log_hides_is_not_said_to_lie_face_down(
    imported: Import, cards: str, dealer: str, rules: str
) -> None:
    """CARD_FACE was found of it, though the log does not tell how any card lay."""
    log = COLUMNS + f"1,1,,{cards},{dealer},1,1\n"
    result = imported(log, ROWS + '[cards]\nhidden = ["XX"]\n' + rules)
    assert result.codes_found() == set()
    assert "faces" in result.summary.not_recorded


def test_several_tables_days_and_named_rounds_in_one_file(imported: Import) -> None:
    """The names were left out, and nothing told to which rounds of the log a finding leads."""
    log = """t,d,game,spot,hand,cards,dealer,bet,result
B2,2026-02-02,r-z,1,,Th 8c,9h Td,1,-1
B1,2026-02-01,r-b,1,,Th 8c,9h Td,1,-1
B1,2026-02-01,r-a,1,,Th 9c,9h Td,1,0
"""
    plan = ROWS.replace('id = "X1"\ngaming_day = 2026-01-05', "named_rounds = true").replace(
        "[columns]", '[columns]\ntable = "t"\nday = "d"'
    )
    result = imported(log, plan)
    named = [(table, day.isoformat()) for table, day in result.summary.imported]
    assert named == [("B1", "2026-02-01"), ("B2", "2026-02-02")]
    assert told(result) == one_line("""#1 1.main=1 1+Th B+9h 1+8c B-Td B^Td 1.hand=1>-1 end:r-b
        #2 1.main=1 1+Th B+9h 1+9c B-Td B^Td 1.hand=1>0 end:r-a
        #1 1.main=1 1+Th B+9h 1+8c B-Td B^Td 1.hand=1>-1 end:r-z""")


@pytest.mark.parametrize(
    ("rules", "payments", "codes"),
    [
        ('[rules]\nnatural_odds = "6/5"\nbank_soft17 = "hit"\n', [], set()),
        ("", [(1, 1, "UNDERPAID", -3_00), (2, 1, "UNDERPAID", -20_00)], {"UNDERPAID", "BANK_SURPLUS_CARD"}),
    ],
)
def test_other_house_rules_are_options(imported: Import, rules: str, payments: list[Any], codes: set[str]) -> None:
    """Six to five on a natural, the bank drawing on a soft 17: the same log is right or wrong by its rules."""
    result = imported(COLUMNS + "1,1,,Ah Kc,9h Td,10,12\n2,1,,Th 9c,6h Ad 4c,10,-10\n", ROWS + rules)
    assert (result.payments_found(), result.codes_found()) == (payments, codes)


def test_what_the_log_lacks_is_not_checked(imported: Import) -> None:
    log = COLUMNS + "1,1,,Th 9c,9h Td,10,0\n"
    replayed = imported(log, ROWS).replayed()
    not_checked = set(json.loads(replayed.table_days["not_checked"][0]))
    assert {"shuffle", "cut", "burn", "decisions", "close"} <= not_checked


def test_seats_of_a_json_line_where_nobody_bet_are_left_out(imported: Import) -> None:
    log = nested_round(
        [
            {"box": 1, "hands": []},
            {"box": 2, "hands": [{"cards": ["9c", "Th"], "bet": 100, "moves": ["S"], "net": 100}]},
        ],
        ["7c", "Jd"],
    )
    assert "1." not in told(imported(log, NESTED, "log.jsonl"))
    assert imported(log, NESTED, "log.jsonl").summary.hands == 1


def test_a_log_of_rounds_where_nobody_bet_is_imported(imported: Import) -> None:
    assert told(imported(card_rows("1,B,,9s,,,", "1,B,,8c,,,"), CARDS)) == "#1 B+9s B-8c B^8c end"


def test_a_column_that_no_json_line_has_is_reported(imported: Import) -> None:
    absent = imported(one_hand("9c", "Th"), NESTED, "log.jsonl").summary.absent
    assert absent == {
        "who": "player",
        "doubled": "doubled",
        "insured": "insurance",
        "insurance_net": "insurance_result",
    }


def test_milliseconds_since_1970(imported: Import) -> None:
    plan = NESTED.replace("[table]", '[table]\ntime_format = "unix_ms"')
    log = json.loads(one_hand("9c", "Th"))
    result = imported(json.dumps(log | {"began": 1767647640000}), plan, "log.jsonl")  # 2026-01-05 21:14 UTC
    (table_day,) = result.summary.imported
    assert table_day == ("X1", dt.date(2026, 1, 5))
    assert result.replayed().rounds["started_at"].to_list() == [dt.datetime(2026, 1, 5, 21, 14, tzinfo=dt.UTC)]


@pytest.mark.parametrize(("form", "at"), [("unix_ms", 1767647640), ("unix", 1767647640000)])
def test_seconds_and_milliseconds_since_1970_are_not_taken_for_each_other(imported: Import, form: str, at: int) -> None:
    """Seconds taken for milliseconds came in as rounds of January 1970."""
    plan = NESTED.replace("[table]", f'[table]\ntime_format = "{form}"')
    log = json.dumps(json.loads(one_hand("9c", "Th")) | {"began": at})
    other = "unix_ms has milliseconds" if form == "unix" else "unix has seconds"
    assert f"seconds since 1970 ({other})" in refusal(imported, log, plan, "log.jsonl")


def test_a_point_sets_thousands_apart_where_a_comma_stands_before_decimals(imported: Import) -> None:
    plan = NESTED.replace("[stakes]", "[stakes]\ndecimal_comma = true")
    log = one_hand("9c", "Th", bet="1.234,50", net="1.234,50")
    assert "1.main=1234.50" in told(imported(log, plan, "log.jsonl"))


@pytest.mark.parametrize(("box", "said", "seats"), [(2, "", 7), (9, "", 9), (9, "seats = 8", 8)])
def test_a_table_has_as_many_seats_as_are_taken_unless_the_map_says_how_many(
    imported: Import, box: int, said: str, seats: int
) -> None:
    plan = NESTED.replace("[table]", f"[table]\n{said}")
    made = imported(one_hand("9c", "Th", box=box), plan, "log.jsonl")
    (table_day,) = table_days(made.archive)
    assert read_table_day(table_day).events["table_seats"].drop_nulls().to_list() == [seats]


@pytest.mark.parametrize(
    ("rules", "bank"),
    [
        ("", "B+9h 1+9c B-Td 1+4s B^Td"),
        ("deal_procedure = 3", "B+9h 1+9c B-Td 1+4s B^Td"),
        ("deal_procedure = 2", "B+9h 1+9c 1+4s B+Td"),
        ('deal_procedure = 1\nnot_recorded = ["faces"]', "B+9h 1+9c 1+4s B+Td"),
        ('deal_procedure = 1\ndevice = "box"\ndecks = 1\nnot_recorded = ["faces"]', "B+9h 1+9c B-Td 1+4s B^Td"),
    ],
)
def test_art5_n2_the_bank_s_second_card_comes_when_the_named_procedure_deals_it(
    imported: Import, rules: str, bank: str
) -> None:
    """57/2009 art. 5(2): procedure 2, and 1 from a shoe, deal it after the players have acted."""
    log = HEADER + "1,1,3h 9c 4s,9h Td,10,-10\n"
    result = imported(log, MAP.replace("id =", 'regulation = "bj.57-2009"\nid =') + f"[rules]\n{rules}\n")
    assert told(result) == f"#1 1.main=10 1+3h {bank} 1.hand=10>-10 end"
    assert result.codes_found() == set()


# The log and the map of the page on imports


PAGE = (Path(__file__).resolve().parents[2] / "producers" / "mapping" / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return text


def test_the_example_of_the_page_gives_the_underpayment_it_names(imported: Import) -> None:
    replayed = imported(block("csv"), block("map")).replayed()
    wrong = replayed.findings.filter(replayed.findings["delta_minor"].is_not_null())
    assert wrong.select("seat", "code", "delta_minor").rows() == [(2, "UNDERPAID", -5_00)]
    assert "paid +5, due +10" in wrong["message"][0]


def test_help_names_every_key_that_a_map_may_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The reader itself says which keys a part has, when it is asked for one that there is not."""
    assert main(["import", "--help"]) == 0
    said = re.sub(r"\s+", " ", capsys.readouterr().out.partition("Its parts:")[2])
    parts = dict(re.findall(r"• \[(\w+)\]: (.*?)(?= •|Numbers decide)", said))
    assert tuple(parts) == SECTIONS
    path = tmp_path / "map.toml"
    for section in SECTIONS[:-1]:
        path.write_text(
            re.sub(rf"^\[{section}\].*\n|\Z", f"[{section}]\nno_such = 1\n", block("map"), count=1, flags=re.M)
        )
        with pytest.raises(MapFaulty) as faulty:
            read_map(path)
        _, _, known = str(faulty.value).partition(f"[{section}] has ")
        assert known, str(faulty.value)
        assert [key for key in known.split(", ") if not re.search(rf"\b{key}\b", parts[section])] == []
    named = {*(set(MAY_BE_MISSING) - ALWAYS_MISSING), "bank_second_card", "not_recorded"}
    assert [key for key in named if key not in parts["rules"]] == []
