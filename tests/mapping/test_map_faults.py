"""What cannot be imported: each fault is told with file, line and column, and nothing is written."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from producers.mapping import MapFaulty, SourceUnreadable, import_log
from replayer.sources.quarantine import quarantined
from replayer.sources.table_days import table_days
from tests.archives import files_in, read_events, record
from tests.mapping.logs import HEADER, MAP, OBJECTS, Import, refusal
from tests.replay.test_scale import held

GOOD = "1,1,Th 9c,9h Td,10,0\n1,2,Th 8c,9h Td,10,-10\n2,1,Ah Kc,9h Td,10,15\n"


def nothing_written(folder: Path) -> bool:
    return not table_days(folder / "archive") and not (folder / "archive" / "quarantine").exists()


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("3,1,Th 9c,9h Td,10", "line 5, column net: 5 cells where the header has 6"),
        ("3,1,Th 9c,9h Td,10,0,0", "line 5: 7 cells where the header has 6"),
        ("3,1,Th 1c,9h Td,10,0", "line 5, column cards: '1c' is no card"),
        ("3,1,Th 9z,9h Td,10,0", "line 5, column cards: '9z' is no card"),
        (
            "3,1,H4 SA,9h Td,10,0",
            """line 5, column cards: 'H4 SA' has the suit first: write order = "suit_rank" under [cards]""",
        ),
        ("3,1,,9h Td,10,0", "line 5, column cards: no cards"),
        (
            "3,1,Th 9c,,10,0",
            "line 5, column dealer: no cards: the bank's cards in the order dealt, the open one first must be there; "
            "for a card that nobody saw write one of the texts of [cards] hidden",
        ),
        ("3,1,Th 9c,9h Td,-10,0", "line 5, column bet: '-10' is negative; a stake never is"),
        ("3,1,Th 9c,9h Td,ten,0", "line 5, column bet: 'ten' is no number"),
        ("3,1,Th 9c,9h Td,１0,0", "line 5, column bet: '１0' is no number"),
        (
            "3,1,Th 9c,9h Td,20/10,0",
            "line 5, column bet: '20/10' is no number",
        ),  # two stakes; as a fraction they would be 2
        ("3,1,Th 9c,9h Td,nan,0", "line 5, column bet: 'nan' is no number"),
        ('3,1,Th 9c,9h Td,"12,50",0', "line 5, column bet: '12,50' has a comma that sets no thousands apart"),
        ('3,1,Th 9c,9h Td,"1,0000",0', "line 5, column bet: '1,0000' has a comma that sets no thousands apart"),
        ('3,1,Th 9c,9h Td,"0,500",0', "line 5, column bet: '0,500' has a comma that sets no thousands apart"),
        ("3,1,Th 9c,9h Td,1e99999999,0", "line 5, column bet: '1e99999999' is no number"),
        ("3,1,Th 9c,9h Td,1e18,0", "line 5, column bet: '1e18' is more than 1000000000000000 minor units"),
        ("10000000000000001,1,Th 9c,9h Td,10,0", "line 5, column game: '10000000000000001' is a larger number"),
        ("3,1,Th 9c,9h Td,,0", "line 5, column bet: no amount"),
        (
            "3,1,Th 9c,9h Td,10,0.005",
            "line 5, column net: '0.005' comes to 1/2 minor units, which is no whole number; write it with two decimals, or",
        ),
        ("3,1,Th 9c,9h Td,10,", "line 5, column net: nothing there"),
        (
            "three,1,Th 9c,9h Td,10,0",
            "line 5, column game: 'three' is no whole number from 0 up; where rounds have names, set [table] named_rounds = "
            "true; take out a line that is no hand, such as a second header",
        ),
        (
            "3,0,Th 9c,9h Td,10,0",
            "line 5, column spot: seat '0': seats are numbered from 1 to 255; number them in the log",
        ),
        (
            "3,A,Th 9c,9h Td,10,0",
            "line 5, column spot: seat 'A': seats are numbered from 1 to 255; number them in the log",
        ),
        (
            "1,3,Th 9c,9h Tc,10,0",
            "line 5, column dealer: not the bank's cards that line 2 has for round 1; where numbers begin anew, as with each "
            "shoe, number the rounds of a day through",
        ),
        (
            "1,2,Th 9c,9h Td,10,0",
            "line 5, column spot: round 1, seat 2 stands in line 3 already; where pairs are split, map a column hand, where "
            "several bet on a seat, a column player; wagers on one hand stand in one row",
        ),
        ('3,1,"Th 9c,9h Td,10,0', "line 5: no CSV"),
        ('3,"1\n4,1",Th 9c,9h Td,10,0', "line 5, column spot: a cell runs on to line 6, over the rows between"),
    ],
)
def test_a_bad_row_refuses_the_whole_file(imported: Import, tmp_path: Path, row: str, said: str) -> None:
    message = refusal(imported, f"{HEADER}{GOOD}{row}\n")
    assert f"{tmp_path / 'log.csv'}: nothing was imported, 1 bad row: {said}" in message
    assert 'on_bad_row = "quarantine"' in message
    assert nothing_written(tmp_path)


@pytest.mark.parametrize(("column", "named"), [("note", ", column note"), ("", "")])
def test_a_cell_of_no_mapped_column_that_swallows_rows_refuses_the_file(
    imported: Import, tmp_path: Path, column: str, named: str
) -> None:
    """One quote too many before and behind some rows made a note of them: they were lost, and nothing was said."""
    rows = '1,1,Th 9c,9h Td,10,0,"late\n2,1,Th 9c,9h Td,10,0,\n3,1,Th 9c,9h Td,10,0,late"\n4,1,Th 9c,9h Td,10,0,\n'
    said = refusal(imported, f"game,spot,cards,dealer,bet,net,{column}\n{rows}")
    assert f"line 2{named}: a cell runs on to line 4, over the rows between; look for a missing" in said
    assert nothing_written(tmp_path)


def test_a_round_that_the_contract_does_not_take_is_a_bad_row_and_the_others_are_imported(
    imported: Import, tmp_path: Path
) -> None:
    """It would have ended the import in the middle, with some table-days written."""
    plan = MAP.replace('seat = "spot"', 'seat = "spot"\nplayer = "who"')
    log = "game,spot,cards,dealer,bet,net,who\n1,1,Th 9c,9h Td,10,0,p1\n2,1,Th 9c,9h Td,10,0," + "p" * 257 + "\n"
    said = "line 3: round 2: WagerPlaced seq 1: wager.player has 257 characters; 256 are the most"
    assert said in refusal(imported, log, plan)
    assert nothing_written(tmp_path)
    done = imported(log, plan.replace('row = "hand"', 'row = "hand"\non_bad_row = "quarantine"'))
    assert (done.summary.rounds, done.summary.quarantined) == (1, 1)


def test_a_map_that_the_contract_does_not_take_writes_nothing(imported: Import, tmp_path: Path) -> None:
    message = refusal(imported, HEADER + GOOD, MAP + f"[rules]\ndouble_totals = {[10] * 2_000}\n")
    assert "map.toml: nothing was imported, OptionElected seq 1: option.value has 5999 characters" in message
    assert nothing_written(tmp_path)


def test_a_round_that_was_not_played_is_no_matter_of_the_map(imported: Import) -> None:
    said = refusal(imported, HEADER + GOOD + "3,1,VOID,VOID,10,0\n")
    assert "'VOID' is no card" in said and "and a line that is no hand out of the log" in said


def test_every_bad_row_is_reported_not_the_first_one_only(imported: Import) -> None:
    message = refusal(
        imported, HEADER + "1,1,Th 9c,9h Td,-1,0\n" + GOOD.replace("1,1,", "9,1,") + "3,1,Xx 9c,9h Td,1,0\n"
    )
    assert "2 bad rows: line 2, column bet" in message
    assert "line 6, column cards" in message


def test_unknown_word_for_a_result(imported: Import) -> None:
    plan = MAP + '[result]\nas = "words"\nwords = { win = 1 }\n'
    message = refusal(imported, HEADER + "1,1,Th 9c,9h Td,10,jackpot\n", plan)
    assert "line 2, column net: 'jackpot' is none of the words win; add it to [result]" in message


def test_unknown_decision(imported: Import) -> None:
    plan = (
        MAP.replace('bank = "dealer"', 'bank = "dealer"\ndecisions = "moves"') + '[decisions]\nwords = { H = "hit" }\n'
    )
    message = refusal(imported, "game,spot,cards,dealer,bet,net,moves\n1,1,Th 9c,9h Td,10,0,Q\n", plan)
    assert "line 2, column moves: 'Q' is none of the [decisions] words H" in message


def test_a_stake_that_is_neither_the_base_nor_its_double(imported: Import) -> None:
    message = refusal(imported, HEADER + "1,1,Th 9c,9h Td,15,0\n", MAP + '[stakes]\nbase = "10"\n')
    assert "line 2, column bet: 15 is neither the stake 10 before doubling nor its double" in message


@pytest.mark.parametrize(("column", "more"), [("bet", '[stakes]\nbase = "10"\n'), ("how", 'doubled = "how"\n')])
def test_a_hand_of_two_cards_was_not_doubled(imported: Import, column: str, more: str) -> None:
    """It came in as 10 doubled, and was judged by its two cards: a double brings a third card (57/2009 art. 17(2))."""
    said = refusal(imported, HEADER.replace("net", "net,how") + "1,1,Th 9d,Ac Kd,20,-20,yes\n", MAP + more)
    assert f"line 2, column {column}: a double of 10 brings a third card, and the hand has 2" in said


DOUBLED = HEADER.replace("net", "net,how") + "1,1,8s 3d Th,9c 8d,100,200,{}\n"


@pytest.mark.parametrize(("double", "delta"), [("inside", [(1, 1, "OVERPAID", 100_00)]), ("beside", [])])
def test_the_map_says_whether_the_double_is_inside_the_stake(imported: Import, double: str, delta: object) -> None:
    plan = f'{MAP}doubled = "how"\n[stakes]\ndouble = "{double}"\n'
    assert imported(DOUBLED.format("yes"), plan).payments_found() == delta


@pytest.mark.parametrize("player", ['{"a": 1}', "true", '["a", "b"]'])
def test_a_player_has_a_name(imported: Import, tmp_path: Path, player: str) -> None:
    plan = OBJECTS + 'player = "w"\n'
    line = f'{{"p": ["Th", "9c"], "d": ["9h", "Td"], "b": 1, "n": 0, "w": {player}}}'
    assert "line 1, column w: " in (said := refusal(imported, line + "\n", plan, "log.jsonl"))
    assert "is no name of a player" in said
    assert nothing_written(tmp_path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1: no JSON"),
        ("[1]", "line 1: a line must be one JSON object, not a list of them or a part of one"),
        ('{"d": ["9c"], "b": 1, "n": 0}', "line 1, column p: missing"),
        ('{"p": ["Th"], "b": 1, "n": 0}', "line 1, column d: missing"),
        ("[" * 100_000, "line 1: no JSON"),
        ('"' + "x" * (1 << 20), "line 1: it has 1048577 characters; a round's object has 1048576 at most"),
        ('{"p": ["Th"], "d": ["9c"], "b": NaN, "n": 0}', "line 1: no JSON: NaN is no number"),
        ('{"p": ["Th"], "d": ["9c"], "b": [1], "n": 0}', "line 1, column b"),
    ],
)
def test_bad_json_lines(imported: Import, tmp_path: Path, line: str, said: str) -> None:
    assert said in refusal(imported, line + "\n", OBJECTS, "log.jsonl")
    assert nothing_written(tmp_path)


def test_a_point_before_decimals_is_not_taken_for_thousands(imported: Import) -> None:
    message = refusal(imported, HEADER + "1,1,Th 9c,9h Td,12.50,0\n", MAP + "[stakes]\ndecimal_comma = true\n")
    assert (
        "column bet: '12.50' has a point that sets no thousands apart; where a point stands before decimals" in message
    )


@pytest.mark.parametrize(
    ("form", "time"),
    [
        *(("unix", "1767600000000"), ("unix", "1e99"), ("unix", "inf"), ("iso", "0001-01-01"), ("iso", "9999-12-31")),
        *(("unix_ms", "1.76764E+12"), ("unix", "1_767_647_640")),
    ],
)
def test_a_time_out_of_reach(form: str, time: str, imported: Import) -> None:
    """Milliseconds as a spreadsheet rounds them were read, up to an hour and a half away."""
    plan = MAP.replace("gaming_day = 2026-01-05", f'time_format = "{form}"')
    plan = plan.replace("[columns]", '[columns]\ntime = "began"')
    message = refusal(imported, f"began,{HEADER}{time},1,1,Th 9c,9h Td,10,0\n", plan)
    assert f"line 2, column began: '{time}' is no time like" in message


@pytest.mark.parametrize(
    "name", ["p\x1b[2J7", "p\x07", "p\x9b7", "p\x00", "p\xa07", "p\u200b7", "p\u20287", "p\u3000q"]
)
def test_a_character_that_nobody_sees_in_a_player_s_name_is_a_bad_row(name: str, imported: Import) -> None:
    plan = MAP.replace("[columns]", '[columns]\nplayer = "who"')
    message = refusal(imported, f"who,{HEADER}{name},1,1,Th 9c,9h Td,10,0\n", plan)
    assert f"line 2, column who: {name!r} has a character that cannot be seen, or a blank that is no space" in message
    log = f"who,{HEADER}陳 大文,1,1,Th 9c,9h Td,10,0\nJosé,2,1,Th 9c,9h Td,10,0\nJose\u0301,3,1,Th 9c,9h Td,10,0\n"
    placed = re.findall("main=10@([^ ]+)", imported(log, plan, "log.csv").in_notation())
    assert placed[1:] == ["José", "José"], "one name, written in two ways"


def test_a_number_that_a_spreadsheet_rounded_is_no_player(imported: Import) -> None:
    """All whose numbers begin with the same digits were one player."""
    plan = MAP.replace("[columns]", '[columns]\nplayer = "who"')
    said = "line 2, column who: '1.23457E+12' is a number without its last digits, which several players may have"
    assert said in refusal(imported, f"who,{HEADER}1.23457E+12,1,1,Th 9c,9h Td,10,0\n", plan)


def test_a_word_for_nobody_is_no_player(imported: Import) -> None:
    """All bettors whose name the log does not know became one player, with the sum of what they were overpaid."""
    words = ["NULL", "N/A", "#N/A", "(null)", "-", "—", "None", "nan", "?"]
    rows = (f"{word},{number},1,Th 9c,9h Td,10,0\n" for number, word in enumerate(words, 1))
    said = refusal(imported, f"who,{HEADER}{''.join(rows)}", MAP.replace("[columns]", '[columns]\nplayer = "who"'))
    for line, word in enumerate(words, 2):
        assert f"line {line}, column who: {word!r} names nobody; leave the cell empty" in said
    table = MAP.replace('id = "X1"\n', "").replace("[columns]", '[columns]\ntable = "who"')
    assert "line 2, column who: 'NULL' is no name of a table" in refusal(imported, f"who,{HEADER}NULL,{GOOD}", table)


@pytest.mark.parametrize("day", ["2026-W02", "2026-01", "26-01-05", ""])
def test_a_row_that_does_not_tell_its_day_is_a_bad_row(day: str, imported: Import) -> None:
    """A week without a day was taken for its Monday."""
    plan = MAP.replace("gaming_day = 2026-01-05", "").replace("[columns]", '[columns]\nday = "day"')
    message = refusal(imported, f"day,{HEADER}{day},{GOOD}", plan)
    assert "line 2, column day" in message
    assert "is no gaming day; write 2026-01-05" in message


def test_empty_file(imported: Import, tmp_path: Path) -> None:
    assert refusal(imported, "") == f"{tmp_path / 'log.csv'}, line 1: the file is empty; nothing was imported"


def test_a_header_alone(imported: Import) -> None:
    assert refusal(imported, HEADER).endswith("there is no row in it, and so no round; nothing was imported")


def test_missing_column(imported: Import, tmp_path: Path) -> None:
    message = refusal(imported, HEADER.replace("bet", "wager") + GOOD)
    assert message.startswith(
        f"{tmp_path / 'log.csv'}, line 1: no column 'bet', which {tmp_path / 'map.toml'} maps to stake"
    )
    assert "there are game, spot, cards, dealer, wager, net; take out lines above the header" in message


@pytest.mark.parametrize("apart", [";", "\t"])
def test_a_header_whose_cells_stand_apart_by_another_sign(imported: Import, apart: str) -> None:
    message = refusal(imported, (HEADER + GOOD).replace(",", apart))
    assert message.endswith(
        f"line 1: its cells stand apart by {apart!r}; write delimiter = {json.dumps(apart)} under [source]"
    )


def test_a_header_in_one_pair_of_quotes_is_named_as_it_is(imported: Import) -> None:
    header, good = HEADER.rstrip("\n"), GOOD.rstrip("\n")
    message = refusal(imported, f'"{header}"\n"{good}"\n')
    assert f"there are {header}" in message and "delimiter" not in message


def test_two_columns_of_one_name(imported: Import) -> None:
    assert "two columns are named 'net'" in refusal(imported, "net," + HEADER + GOOD)


@pytest.mark.timeout(30)  # comparing each name with every other one takes minutes
def test_a_hundred_thousand_columns_are_read_in_the_time_of_their_names(imported: Import) -> None:
    names = "".join(f",c{number}" for number in range(100_000))
    assert imported(f"{HEADER.strip()}{names}\n1,1,Th 9c,9h Td,10,0{',' * 100_000}\n", MAP).summary.rounds == 1


def test_wrong_encoding(imported: Import, tmp_path: Path) -> None:
    log = (HEADER + GOOD).encode() + "3,1,T♥ 9♣,9♥ T♦,10,0,né\n".encode("cp1252", "replace")
    message = refusal(imported, log)
    assert message.startswith(f"{tmp_path / 'log.csv'}, line 5, byte 23: the bytes e9")
    assert message.endswith("are not utf-8; name the right [source] encoding")


def test_other_encodings_and_the_byte_order_mark(imported: Import) -> None:
    log = HEADER + "1,1,T♥ 9♣,9♥ T♦,10,0\n"
    plan = MAP.replace('row = "hand"', 'row = "hand"\nencoding = "utf-16"')
    assert imported(log.encode("utf-16"), plan).summary.hands == 1


def test_utf_8_is_not_read_as_another_encoding(imported: Import) -> None:
    """José became JosÃ©, another player than the one whom other logs name."""
    plan = MAP.replace('row = "hand"', 'row = "hand"\nencoding = "cp1252"').replace(
        "[columns]", '[columns]\nplayer = "who"'
    )
    log = f"who,{HEADER}José,{GOOD}".replace("\n1,2", "\nbob,1,2").replace("\n2,1", "\nann,2,1")
    assert "log.csv: it is UTF-8, not cp1252; name that as [source] encoding" in refusal(imported, log, plan)
    assert imported(log.encode("cp1252"), plan).summary.rounds == 2


def test_no_such_file(tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    with pytest.raises(SourceUnreadable, match="No such file"):
        import_log(tmp_path / "none.csv", tmp_path / "map.toml", tmp_path / "archive")
    with pytest.raises(MapFaulty, match="No such file"):
        import_log(tmp_path / "none.csv", tmp_path / "none.toml", tmp_path / "archive")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('row = "hand"', 'rows = "hand"'), "line 6: [source] rows: no such key; [source] has format"),
        (('bank = "dealer"', 'dealer = "dealer"'), "line 11: [columns] dealer: no such key"),
        (('bank = "dealer"', ""), "line 7: [columns] bank: missing: which column holds the bank's cards"),
        (("[source]", "[sources]"), "line 5: no such table or key [sources]"),
        (('row = "hand"', 'format = "xls"'), "line 6: [source] format: 'xls' is none of csv, jsonl"),
        (('row = "hand"', "row = 1"), "line 6: [source] row: 1 is not a text in quotes"),
        (('row = "hand"', 'encoding = "utf-9"'), "line 6: [source] encoding: 'utf-9' is no encoding"),
        (('id = "X1"', 'id = "X/1"'), "line 3: [table] id: table id 'X/1'"),
        (('id = "X1"', ""), "line 2: [table] id: give either a fixed table id here or a column table"),
        (("gaming_day = 2026-01-05", 'gaming_day = "5/1"'), "line 4: [table] gaming_day: '5/1' is no date"),
        (("2026-01-05", '"2026-W02"'), "line 4: [table] gaming_day: '2026-W02' is no date"),
        (("2026-01-05", "2026-01-05T00:00:00Z"), "line 4: [table] gaming_day: '2026-01-05 00:00:00+00:00' is no date"),
        (('id = "X1"', 'id = "X1"\nday_begins = "06:00+08:00"'), "line 4: [table] day_begins: '06:00+08:00' has a zone"),
        (('id = "X1"', 'id = "X1"\nseats = 0'), "line 4: [table] seats: 0: a table has 1 to 255 seats"),
        (('id = "X1"', 'id = "X1"\nseats = 256'), "line 4: [table] seats: 256: a table has 1 to 255 seats"),
        (('id = "X1"', 'id = "X1"\nregulation = "bj.1"'), "line 4: [table] regulation: 'bj.1' is no version"),
        (('id = "X1"', 'id = "X1"\nregulation = "f3.89-2025"'), "line 4: [table] regulation: the text of f3.89-2025 is"),
        (
            ('result = "net"', 'result = "net"\n[rules]\nnatural_odd = 2'),
            "line 15: [rules] natural_odd: '2': the regulation in force offers no such option; there are not_recorded,",
        ),
        (('result = "net"', 'result = "net"\n[rules]\nnatural_odds = "many"'), "line 15: [rules] natural_odds: 'many': "),
        (
            ('result = "net"', 'result = "net"\n[rules]\ndecks = 99'),
            "line 15: [rules] decks: '99': not among its values: 1 to 15",
        ),
        (
            ('result = "net"', 'result = "net"\n[rules]\ndeal_procedure = 3\nbank_second_card = "after_play"'),
            "line 16: [rules] bank_second_card: deal_procedure = 3 deals that card before_play",
        ),
        (
            ('id = "X1"', 'id = "X1"\nregulation = "bj.56-2004"'),
            "[rules] deal_procedure: missing; bank_second_card = before_play would be '3': not among its values: one of 2, 1",
        ),
        (
            ('result = "net"', 'result = "net"\n[rules]\nsurrender = "yes"'),
            "line 15: [rules] surrender: no column says who gave up, who would be taken to have stood",
        ),
        (('result = "net"', 'result = "net"\n[rules]\nnot_recorded = ["weather"]'), "line 15: [rules] not_recorded: 'weather'"),
        (('result = "net"', 'result = "net"\n[result]\nas = "words"'), "line 14: [result] words: as = "),
        (('result = "net"', 'result = "net"\n[cards]\nranks = { 11 = "E" }'), "line 15: [cards] ranks: 11 = 'E'"),
        (('result = "net"', 'result = "net"\n[stakes]\nunit = "0"'), "line 15: [stakes] unit: what 1 in the source means"),
        (('result = "net"', 'result = "net"\n[stakes]\nunit = 1.5'), "line 15: [stakes] unit: 1.5 is not a number in quotes"),
        (('result = "net"', 'result = "bet"'), "[columns] result: column 'bet' is mapped to stake as well"),
        (('row = "hand"', 'row = "round"\nseats = [1, 1]'), "[source] seats: each seat once"),
        (('row = "hand"', 'row = "round"\nseats = [0, 1]'), "[source] seats: each seat once"),
        (('result = "net"', 'result = "net"\n[cards]\nhands_separator = " "'), "[cards] hands_separator: it stands between"),
        (
            ('result = "net"', 'result = "net"\n[cards]\nseparator = ", "\nhands_separator = ","'),
            "[cards] hands_separator: it stands between",
        ),
        (("2026-01-05", "0001-01-01"), "line 4: [table] gaming_day: '0001-01-01' is no date of a log"),
        (("2026-01-05", "9999-12-31"), "line 4: [table] gaming_day: '9999-12-31' is no date of a log"),
        (
            ('id = "X1"', 'id = "X1"\ncurrency = "M\\u001bOP"'),
            "line 4: [table] currency: 'M\\x1bOP' is empty or has a character that cannot be seen",
        ),
        (('id = "X1"', 'id = "X1"\ncurrency = " "'), "line 4: [table] currency: ' ' is empty"),
        *(
            (('result = "net"', f'result = "net"\n{said}\nbase = "5"'), "[stakes] base: it shows the double inside")
            for said in ('[stakes]\ncovers = "seat"', 'doubled = "d"\n[stakes]\ndouble = "beside"')
        ),
        *(
            (('result = "net"', f'result = "net"\n[stakes]\n{said}'), "[stakes] double: no column says which hands")
            for said in ('double = "beside"', 'covers = "first"')
        ),
        (
            ('result = "net"', 'result = "net"\n[stakes]\ncurrency = "HKD"'),
            "line 2: [table] currency: it is MOP, and [stakes] currency is HKD; let them agree",
        ),
        (("[columns]", "[columns"), "map.toml: "),
    ],
)  # fmt: skip
def test_faulty_maps(imported: Import, tmp_path: Path, change: tuple[str, str], said: str) -> None:
    with pytest.raises(MapFaulty) as caught:
        imported(HEADER + GOOD, MAP.replace(*change))
    assert str(tmp_path / "map.toml") in str(caught.value)
    assert said in str(caught.value)
    assert nothing_written(tmp_path)


QUARANTINE = MAP.replace('row = "hand"', 'row = "hand"\non_bad_row = "quarantine"')
BAD = "2,2,Th 9c,9h Td,-10,0\n3,1,Th 9c,9h Td,10,0\n4,1,Th Xx,9h Td,10,0\n"


def test_quarantine_takes_the_bad_rows_rounds_and_counts_them(imported: Import) -> None:
    result = imported(HEADER + GOOD + BAD, QUARANTINE)
    assert (result.summary.rows, result.summary.rounds, result.summary.quarantined) == (6, 2, 3)
    assert [
        event.round
        for (ref,) in [table_days(result.archive)]
        for event in read_events(ref)
        if event.kind == "RoundClosed"
    ] == [1, 3]
    kept = [*quarantined(result.archive)]
    assert [(one.topic, one.offset, one.message.decode()) for one in kept] == [
        ("log.csv", 4, "2,1,Ah Kc,9h Td,10,15"),
        ("log.csv", 5, "2,2,Th 9c,9h Td,-10,0"),
        ("log.csv", 7, "4,1,Th Xx,9h Td,10,0"),
    ]
    assert kept[0].reason == "line 4: its round 2 has a bad row in line 5"
    assert kept[1].reason.startswith("line 5, column bet: '-10' is negative")
    assert result.summary.quarantine == result.archive / "quarantine" / "log.csv.jsonl"


@pytest.mark.parametrize(
    ("row", "where"),
    [
        ("2,1,2,Ah,9c,9h Td,10,0", "line 4: 8 cells where the header has 7"),
        ("2,1,2,Ah 9c,9h", "line 4, column bet: 5 cells where the header has 7"),
        ("?,1,2,Ah 9c,9h Td,10,0", "line 4, column game: '?' is no whole number"),
        ('2,1,2,"Ah" 9c,9h Td,10,0', "line 4: no CSV: "),
    ],
)
def test_a_hand_that_does_not_tell_its_round_takes_those_of_the_rows_beside_it(
    imported: Import, row: str, where: str
) -> None:
    """Without its other hand, the ace and king of a split pair would be a natural, and 10 for it underpaid."""
    rows = [
        "1,1,1,Th 9c,9h Td,10,0",
        "2,1,1,As Kd,9h Td,10,10",
        row,
        "3,1,1,Th 9c,9h Td,10,0",
        "4,1,1,Th 9c,9h Td,10,0",
    ]
    result = imported("game,spot,hand,cards,dealer,bet,net\n" + "\n".join(rows), QUARANTINE + 'hand = "hand"\n')
    assert (result.summary.rounds, result.summary.quarantined) == (2, 3)
    before, bad, after = (one.reason for one in quarantined(result.archive))
    assert bad.startswith(where)
    assert before == "line 3: its round 2 may have a bad row in line 4"
    assert after == "line 5: its round 3 may have a bad row in line 4"


def test_a_hand_may_be_of_any_round_where_the_rows_of_a_round_stand_apart(imported: Import, tmp_path: Path) -> None:
    rows = ["1,1,Th 9c,9h Td,10,0", "2,1,Th 9c,9h Td,10,0", "2,2,Th 9c", "1,2,Th 9c,9h Td,10,0"]
    said = refusal(imported, HEADER + "\n".join(rows), QUARANTINE)
    assert "line 4, column dealer: 3 cells where the header has 6" in said
    assert "sort the log by rounds" in said
    assert nothing_written(tmp_path)


def test_a_row_that_is_a_whole_round_is_left_out_alone(imported: Import) -> None:
    plan = QUARANTINE.replace('row = "hand"', 'row = "round"')
    result = imported(HEADER + "1,1,Th 9c,9h Td,10,0\n2,1,Th,9c,9h Td,10,0\n", plan)
    assert (result.summary.rounds, result.summary.quarantined) == (1, 1)


def test_a_hand_with_a_bad_time_tells_its_round_where_its_day_is_told(imported: Import) -> None:
    plan = QUARANTINE.replace("gaming_day = 2026-01-05", "").replace("[columns]", '[columns]\nday = "day"\ntime = "at"')
    hands = ("noon,1,1", "2026-01-05T12:00,1,2", "2026-01-05T12:01,2,1")
    result = imported("day,at," + HEADER + "".join(f"2026-01-05,{hand},Th 9c,9h Td,10,0\n" for hand in hands), plan)
    assert (result.summary.rounds, result.summary.quarantined) == (1, 2)
    assert [*quarantined(result.archive)][1].reason == "line 3: its round 1 has a bad row in line 2"


def test_quarantine_of_every_row_is_refused(imported: Import, tmp_path: Path) -> None:
    assert "no round in 1 row" in refusal(imported, HEADER + "4,1,Th 9c,9h\n", QUARANTINE)
    assert nothing_written(tmp_path)


def test_the_same_file_twice_changes_nothing(imported: Import) -> None:
    first = imported(HEADER + GOOD + BAD, QUARANTINE)
    before = files_in(first.archive)
    again = imported(HEADER + GOOD + BAD, QUARANTINE)
    assert files_in(again.archive) == before
    assert (again.summary.imported, again.summary.already) == ((), first.summary.imported)
    assert json.dumps(again.summary.to_dict())


def test_another_log_of_the_same_table_day_is_refused(imported: Import) -> None:
    first = imported(HEADER + GOOD, MAP)
    before = files_in(first.archive)
    message = refusal(imported, HEADER + GOOD.replace(",15", ",10"), MAP)
    assert "holds other events of table X1 on gaming day 2026-01-05: two logs cannot have one name" in message
    message = refusal(imported, HEADER + GOOD, MAP.replace("[table]", '[table]\ncurrency = "HKD"'))
    assert "of this very log, by another map or an earlier version of this program" in message
    assert files_in(first.archive) == before


def test_another_file_of_the_same_name_does_not_overwrite_its_quarantine(imported: Import) -> None:
    imported(HEADER + GOOD + BAD, QUARANTINE)
    other = QUARANTINE.replace('id = "X1"', 'id = "X2"')
    assert "holds bad rows of another log.csv" in refusal(imported, HEADER + GOOD + "7,1,??,9h Td,10,0\n", other)


def test_a_table_day_that_was_recorded_and_not_sealed_is_completed(imported: Import, tmp_path: Path) -> None:
    first = imported(HEADER + GOOD, MAP)
    (ref,) = table_days(first.archive)
    events = list(read_events(ref))
    shutil.rmtree(first.archive)
    record(tmp_path / "archive", events, sealed=False)
    assert not table_days(first.archive)
    again = imported(HEADER + GOOD, MAP)
    assert again.summary.already == (("X1", first.summary.imported[0][1]),)
    assert list(read_events(ref)) == events


def test_a_second_day_of_a_table_continues_its_numbers(imported: Import) -> None:
    first = imported(HEADER + GOOD, MAP)
    imported(HEADER + GOOD, MAP.replace("2026-01-05", "2026-01-06"))
    numbers = [event.seq for ref in table_days(first.archive) for event in read_events(ref)]
    assert numbers == list(range(1, 2 * first.summary.events + 1))


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(HEADER + GOOD)
    (tmp_path / "map.toml").write_text(MAP)
    heard: list[tuple[int, int]] = []
    import_log(tmp_path / "log.csv", tmp_path / "map.toml", tmp_path / "archive", lambda *at: heard.append(at))
    assert heard == [(2, 2)]


@pytest.mark.parametrize("row", ["1,1,{},Th 9c,9h Td,10,0", "1,1,{},Th 9c,9h {}d,10,0"], ids=["hands", "banks"])
def test_a_column_that_numbers_no_rounds_mapped_as_the_round_costs_no_square(imported: Import, row: str) -> None:
    """Every row of the log is then of one round: a hand of one seat, or one with another bank."""

    def refused(rows: int) -> Callable[[], str]:
        log = "game,spot,hand,cards,dealer,bet,net\n" + "".join(
            row.format(number, 2 + number % 8) + "\n" for number in range(rows)
        )
        return lambda: refusal(imported, log, MAP + 'hand = "hand"\n')

    held(refused(4_000), refused(8_000))
