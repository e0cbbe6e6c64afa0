"""Files as other programs leave them: byte order marks, line ends, totals, torn lines, rounds left out."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analytics.api import judge
from flows.cli import main
from producers.mapping import ImportRefused, MapFaulty, import_log
from replayer.sources.table_days import table_days
from tests.archives import read_events
from tests.mapping.logs import HEADER, MAP, OBJECTS, Import, refusal

PLAYERS = MAP.replace("cards =", 'player = "who"\ncards =')
NAMED = "game,spot,who,cards,dealer,bet,net\n"
ROWS = "1,1,ann,Th 9c,9h Td,10,0\n1,2,bob,Th 8c,9h Td,10,-10\n2,1,ann,Ah Kc,9h Td,10,15\n"


def test_a_map_that_an_editor_marked_as_utf_8_is_read(imported: Import) -> None:
    assert len(table_days(imported(NAMED + ROWS, "\ufeff" + PLAYERS).archive)) == 1


@pytest.mark.parametrize(
    "log",
    [
        (NAMED + ROWS).encode("utf-8-sig"),
        (NAMED + ROWS).replace("\n", "\r\n").encode(),
        (NAMED + ROWS).replace("\n", "\r").encode(),
        (NAMED + ROWS + "\n\n\r\n").encode(),
        ("\n\r\n" + NAMED + "\n" + ROWS).encode(),
        (NAMED + ROWS).rstrip("\n").encode(),
        (NAMED + ROWS).replace("\n", "\r\n").encode("utf-8-sig"),
        (NAMED + ROWS).replace("ann", '"ann"').replace("10,", '"10",').encode(),
        (NAMED + ROWS).replace("Th", "10H").replace("9c", "9C").replace("Kc", "kc").encode(),
    ],
)
def test_how_a_file_is_written_changes_nothing(imported: Import, log: bytes) -> None:
    calm = [event for ref in table_days(imported(NAMED + ROWS, PLAYERS).archive) for event in read_events(ref)]
    again = imported(log, PLAYERS.replace('"X1"', '"X2"')).archive
    read = [event for ref in table_days(again, table="X2") for event in read_events(ref)]
    assert [(one.kind, one.round, one.card, one.wager) for one in read] == [
        (one.kind, one.round, one.card, one.wager) for one in calm
    ]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (NAMED, "line 5, column game: 'game' is no whole number"),
        ("round,seat,player,cards,bank,stake,result\n", "line 5, column game: 'round' is no whole number"),
        ("Total,,,,,30,5\n", "line 5, column game: 'Total' is no whole number"),
        (",,,,,,\n", "line 5, column game: '' is no whole number"),
        ("   \n", "line 5, column spot: 1 cells where the header has 7"),
        ("3,1,ann,Th 9c,9h", "line 5, column bet: 5 cells where the header has 7"),
        ("2,1,ann,Ah Kc,9h Td,10,15\n", "line 5, column spot: round 2, seat 1 stands in line 4 already"),
        ("1,2,bob,Th 8c,9h Td,10,-10\n", "line 5, column spot: round 1, seat 2 stands in line 3 already"),
        ('3,1,ann,"Th\n9c",9h Td,10,0\n', "line 5, column cards: "),
        ("2,2,bob,Th 9c,9h Jd,10,0\n", "line 5, column dealer: not the bank's cards that line 4 has for round 2"),
        ("3,300,ann,Th 9c,9h Td,10,0\n", "line 5, column spot: seat '300'"),
    ],
)
def test_rows_that_are_no_hand_are_refused(imported: Import, more: str, said: str) -> None:
    assert said in refusal(imported, NAMED + ROWS + more, PLAYERS)


def test_totals_and_repeated_headers_are_no_rounds_with_names_either(imported: Import) -> None:
    plan = PLAYERS.replace("[table]", "[table]\nnamed_rounds = true")
    assert "line 5, column dealer: 'dealer' is no card" in refusal(imported, NAMED + ROWS + NAMED, plan)
    assert "line 5, column cards: no cards" in refusal(imported, NAMED + ROWS + "Total,1,,,9h Td,30,5\n", plan)


@pytest.mark.parametrize("pack", [gzip.compress, lambda log: b"PK\x03\x04" + log, lambda log: b"PAR1" + log])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_packed_log_is_not_taken_for_one_of_another_encoding(
    imported: Import, pack: Callable[[bytes], bytes], encoding: str
) -> None:
    plan = PLAYERS.replace('row = "hand"', f'row = "hand"\nencoding = "{encoding}"')
    said = refusal(imported, pack((NAMED + ROWS).encode()), plan, "log.csv.gz")
    assert said.endswith("log.csv.gz: it is packed, a spreadsheet or Parquet; unpack it, or save it as CSV")


def test_a_faulty_header_is_named_with_its_line(imported: Import) -> None:
    assert "line 3: no column 'dealer', which " in refusal(
        imported, "\n\n" + NAMED.replace("dealer", "bank") + ROWS, PLAYERS
    )


@pytest.mark.parametrize("cell", ['"Th 9c', '"Th" 9c', "T" * 200_000])
def test_where_quotes_may_be_wrong_the_refusal_says_so(imported: Import, cell: str) -> None:
    said = refusal(imported, NAMED + ROWS + f"3,1,ann,{cell},9h Td,10,0\n", PLAYERS)
    assert "line 5: no CSV: " in said
    assert "; look for a missing or surplus quote" in said


def test_a_text_that_cannot_be_written_down_is_reported_with_its_line(imported: Import) -> None:
    plan = PLAYERS.replace('row = "hand"', 'row = "hand"\nformat = "jsonl"')
    row = {"game": 1, "spot": 1, "who": "\ud800", "cards": "Th 9c", "dealer": "9h Td", "bet": 10, "net": 0}
    with pytest.raises(ImportRefused, match="line 1"):
        imported(json.dumps(row) + "\n", plan)


def test_a_text_that_a_spreadsheet_would_run_stays_a_text(imported: Import) -> None:
    text = "=cmd|' /C calc'!A0"
    archive = imported(NAMED + ROWS.replace("ann", text), PLAYERS).archive
    players = {event.wager.player for ref in table_days(archive) for event in read_events(ref) if event.wager}
    assert players == {text, "bob"}


def test_a_last_line_that_may_be_cut_off_is_not_silent(imported: Import) -> None:
    """15 that was cut to 1 is a whole row; only the line's end tells that it is."""
    assert not imported(NAMED + ROWS, PLAYERS).summary.open_end
    assert imported((NAMED + ROWS)[:-2], PLAYERS.replace('"X1"', '"X2"')).summary.open_end


def test_a_log_that_grows_while_it_is_imported_is_imported_as_it_was(tmp_path: Path) -> None:
    """It was read three times: the receipt was of rows that were not imported, and a whole last line was said to be cut off."""
    log, plan, archive = tmp_path / "log.csv", tmp_path / "map.toml", tmp_path / "archive"
    log.write_text(NAMED + ROWS)
    plan.write_text(PLAYERS)
    grown = import_log(log, plan, archive, lambda *_: log.write_text(NAMED + ROWS + "3,1,ann,Th 9c"))
    assert not grown.open_end
    log.write_text(NAMED + ROWS)
    plan.write_text(PLAYERS.replace('"X1"', '"X2"'))
    assert import_log(log, plan, archive).twice == grown.imported


# Rounds that are left out

LEFT_OUT = (
    "1,1,ann,Th 9c,9h Td,10,0\n4,1,ann,Th 8c,9h Td,10,-10\n5,1,ann,Ah Kc,9h Td,10,15\n7,1,ann,Ah Kc,9h Td,10,15\n"
)


def test_rounds_left_out_of_a_log_are_reported_and_found_by_the_replay(imported: Import) -> None:
    result = imported(NAMED + LEFT_OUT, PLAYERS)
    ((table, day), *_), *_ = result.summary.missing
    assert (table, day.isoformat()) == ("X1", "2026-01-05")
    assert [(first, last) for _, first, last in result.summary.missing] == [(2, 3), (6, 6)]
    assert result.codes_found() == {"ROUND_MISSING"}
    message, _ = result.replayed().findings.filter(code="ROUND_MISSING")["message"]
    assert message == "rounds 2 to 3 left out: round 4 follows round 1, and no event is missing"


def test_rounds_in_quarantine_are_not_left_out_of_the_log_yet_missing_in_the_archive(imported: Import) -> None:
    plan = PLAYERS.replace('row = "hand"', 'row = "hand"\non_bad_row = "quarantine"')
    result = imported(NAMED + ROWS + "3,1,ann,Th Xx,9h Td,10,0\n4,1,ann,Th 9c,9h Td,10,0\n", plan)
    assert (result.summary.missing, result.summary.quarantined) == ((), 1)
    assert result.codes_found() == {"ROUND_MISSING"}


@pytest.mark.parametrize(
    ("days", "missing"),
    [
        (((1, 2), (3, 4)), []),
        (((1, 2), (1, 2)), []),
        (((0, 1), (0, 1)), []),
        (((300, 301), (302, 303)), []),
        (((1, 2), (5, 6)), [(3, 4)]),
        (((1, 2, 3), (2, 3)), [(1, 1)]),
    ],
)
def test_numbers_go_on_or_begin_anew_from_day_to_day(
    imported: Import, days: tuple[tuple[int, ...], ...], missing: list[tuple[int, int]]
) -> None:
    plan = PLAYERS.replace("gaming_day = 2026-01-05", "").replace("[columns]", '[columns]\nday = "day"')
    rows = [
        f"2026-01-0{day},{number},1,ann,Th 9c,9h Td,10,0\n" for day, numbers in enumerate(days, 1) for number in numbers
    ]
    result = imported("day," + NAMED + "".join(rows), plan)
    assert [(first, last) for _, first, last in result.summary.missing] == missing


def test_numbers_left_out_between_two_days_are_named_by_the_import_alone(imported: Import) -> None:
    """A replay judges a table-day for itself; the help of import said that it finds these as well."""
    plan = PLAYERS.replace("gaming_day = 2026-01-05", "").replace("[columns]", '[columns]\nday = "day"')
    rows = [f"2026-01-0{day},{number},1,ann,Th 9c,9h Td,10,0\n" for day, number in ((1, 1), (1, 2), (2, 5), (2, 7))]
    result = imported("day," + NAMED + "".join(rows), plan)
    assert [(first, last) for _, first, last in result.summary.missing] == [(3, 4), (6, 6)]
    assert judge(result.archive, identities=True).findings.filter(code="ROUND_MISSING")["message"].to_list() == [
        "round 6 left out: round 7 follows round 5, and no event is missing"
    ]


def test_a_log_that_does_not_number_the_rounds_of_a_table_is_not_held_to_it(imported: Import) -> None:
    said = PLAYERS + '[rules]\nnot_recorded = ["round_numbers"]\n'
    result = imported(NAMED + LEFT_OUT, said)
    assert (result.summary.missing, result.codes_found()) == ((), set())
    assert "round_numbers" in result.summary.not_recorded
    assert "round_numbers" in json.loads(result.replayed().table_days["not_checked"][0])


def test_rounds_with_names_or_none_have_no_numbers_to_be_left_out(imported: Import) -> None:
    named = imported(NAMED + LEFT_OUT, PLAYERS.replace("[table]", "[table]\nnamed_rounds = true"))
    assert (named.summary.missing, named.codes_found()) == ((), set())


def test_left_out_rounds_make_the_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "map.toml").write_text(PLAYERS)
    for log, code in ((NAMED + ROWS, 0), (NAMED + LEFT_OUT, 1)):
        (tmp_path / "log.csv").write_text(log)
        command = ["import", f"{tmp_path}/log.csv", "--map", f"{tmp_path}/map.toml", "--archive", f"{tmp_path}/{code}"]
        assert main([*command, "--json"]) == code
    said = capsys.readouterr()
    assert "X1 2026-01-05: rounds 2 to 3 stand in no row of that day: left out, on another day by the time" in said.err
    missing = json.loads(said.out.splitlines()[-1])["missing"]
    assert missing[1] == {"table_id": "X1", "gaming_day": "2026-01-05", "first_round": 6, "last_round": 6}


def test_a_log_that_comes_in_under_two_names_is_reported(imported: Import) -> None:
    """Its money would count twice in every sum of the house."""
    first = imported(NAMED + ROWS, PLAYERS)
    assert imported(NAMED + ROWS, PLAYERS).summary.twice == ()
    assert imported(NAMED + ROWS, PLAYERS.replace('"X1"', '"X2"')).summary.twice == first.summary.imported
    assert imported(NAMED + ROWS + "3,1,ann,Th 9c,9h Td,10,0\n", PLAYERS.replace('"X1"', '"X3"')).summary.twice == ()


# What a foreign log may mean in two ways: refused with what to declare, or read in the one way declared


TIMED = MAP.replace("gaming_day = 2026-01-05\n", "").replace("round =", 'time = "at"\nround =')
ROW = "1,1,Th 9c,9h Td,10,0\n"


def amounts(made: Any) -> list[tuple[int, int]]:
    """Stake and payment of each wager, in minor units."""
    rows: list[tuple[int, int]] = made.replayed().wagers.select("stake_minor", "paid_minor").rows()
    return rows


@pytest.mark.parametrize("cell", ["1.000", "+1.250", "20.000", "100.500", "1.234"])
def test_a_point_before_three_digits_is_refused_where_the_map_does_not_say_what_it_is(
    imported: Import, cell: str
) -> None:
    said = refusal(imported, HEADER + ROW + f"2,1,Th 9c,9h Td,{cell},0\n")
    assert f"line 3, column bet: {cell!r} may be {cell.replace('.', '')} or {cell}: " in said
    assert (
        "write decimal_comma = true under [stakes] of the map where a point sets thousands apart, false where" in said
    )


@pytest.mark.parametrize(("declared", "stake"), [("true", 1250_00), ("false", 1_25)])
def test_what_the_map_declares_is_how_a_point_is_read(imported: Import, declared: str, stake: int) -> None:
    plan = f"{MAP}[stakes]\ndecimal_comma = {declared}\n"
    assert amounts(imported(HEADER + "1,1,Th 9c,9h Td,1.250,0\n", plan, "log.csv")) == [(stake, 0)]


@pytest.mark.parametrize("cell", ["0.100", "1.00", "12.5", "1234.000", "1000"])
def test_what_sets_no_thousands_apart_needs_no_word_of_the_map(imported: Import, cell: str) -> None:
    made = imported(HEADER + f"1,1,Th 9c,9h Td,{cell},0\n", MAP, "log.csv")
    assert amounts(made) == [(round(float(cell) * 100), 0)]


def test_a_number_of_json_has_its_point_before_decimals(imported: Import) -> None:
    """JSON has one way to write a number: only its texts may mean two things."""
    row = '{"game":1,"spot":1,"cards":["Th","9c"],"dealer":["9h","Td"],"bet":%s,"net":0}\n'
    plan = MAP.replace('row = "hand"', 'row = "hand"\nformat = "jsonl"')
    assert amounts(imported(row % "1.250", plan, "log.jsonl")) == [(1_25, 0)]
    comma = plan + "[stakes]\ndecimal_comma = true\n"
    assert amounts(imported(row % "1.25", comma, "log2.jsonl")) == [(1_25, 0)]
    with pytest.raises(ImportRefused, match=r"'1\.250' may be 1250 or 1\.250"):
        imported(row % '"1.250"', plan, "log3.jsonl")


@pytest.mark.parametrize(
    "cell",
    [
        "\u22125",
        "$5",
        "5 MOP",
        "(5)",
        "5-",
        "1 000",
        "1\u00a0000",
        "1'000",
        "5%",
        "=5",
        "1.000,5.0",
        "--5",
        "5e",
        "1_0",
    ],
)
def test_what_is_no_plain_number_is_refused_with_its_place(imported: Import, cell: str) -> None:
    for column, row in (("bet", f'2,1,Th 9c,9h Td,"{cell}",0\n'), ("net", f'2,1,Th 9c,9h Td,10,"{cell}"\n')):
        assert f"line 3, column {column}: " in refusal(imported, HEADER + ROW + row)


@pytest.mark.parametrize(("declared", "like"), [("", "-7.50"), ("[stakes]\ndecimal_comma = true\n", "-7,50")])
def test_what_is_no_number_is_refused_with_what_to_write(imported: Import, declared: str, like: str) -> None:
    said = refusal(imported, HEADER + "1,1,Th 9c,9h Td,10,(100)\n", MAP + declared)
    assert f"'(100)' is no number; write it like {like}, without brackets, blanks and currency" in said


@pytest.mark.parametrize("column", [2, 3, 4, 5])
def test_a_huge_cell_leaves_the_advice_in_its_message(imported: Import, column: int) -> None:
    """The cell was quoted whole, and the command line, which shortens what it prints, left out what to do."""
    cells = ["1", "1", "Th 9c", "9h Td", "10", "0"]
    cells[column] = "Th/" * 5_000
    said = refusal(imported, HEADER + ",".join(cells) + "\n")
    assert len(said) < 1_000
    assert ("write hands_separator" if column < 4 else "write it like") in said


def test_columns_that_the_map_names_nowhere_are_told(imported: Import) -> None:
    """Of a log with split hands in columns of their own, the map of the first ones alone read half, and nothing said so."""
    row = ROW.replace("\n", ",8h Td,10,10\n")
    assert imported(HEADER.replace("\n", ",cards2,bet2,net2\n") + row, MAP).summary.unread == ("cards2", "bet2", "net2")
    assert imported(HEADER + "2" + ROW[1:], MAP.replace("X1", "X2")).summary.unread == ()
    log = '{"p": "Th 9c", "d": {"cards": "9h Td", "at": 1}, "b": 10, "n": 0, "more": [1]}\n'
    plan = OBJECTS.replace("X1", "X3").replace('"d"', '"d.cards"')
    assert imported(log, plan, "log.jsonl").summary.unread == ("more",)


@pytest.mark.parametrize(
    ("bet", "more"),
    [
        ("MOP 1,500.00", 'currency = "MOP"\n'),
        ("MOP 1,500.00", None),
        ("HKD 1,500", None),
        ("€1.500,00", 'currency = "€"\ndecimal_comma = true\n'),
        ("1.500,00\u00a0€", 'currency = "€"\ndecimal_comma = true\n'),
        ("+$1,500", 'currency = "$"\n'),
        ("15$00", None),
    ],
)
def test_the_currency_that_the_map_names_may_stand_beside_an_amount_and_no_other(
    imported: Import, bet: str, more: str | None
) -> None:
    log = f'{HEADER}1,1,Th 9c,9h Td,"{bet}","{bet.replace("+", "-")}"\n'
    if more is None:
        said = refusal(imported, log)
        assert (
            f"line 2, column bet: {bet!r} is no number; write it like -7.50, without brackets, blanks and currency"
            in said
        )
    else:
        (stake, paid), *_ = amounts(imported(log, f"{MAP}[stakes]\n{more}"))
        assert (stake, abs(paid)) == (1500_00, 1500_00)


@pytest.mark.parametrize("at", ["03/04/2026 21:00", "2026-13-04T21:00", "04.03.2026 21:00"])
def test_a_date_is_read_by_the_form_that_the_map_declares_and_no_other(imported: Import, at: str) -> None:
    log = "at," + HEADER + f"2026-03-04T21:00:00,{ROW}{at},2,1,Th 9c,9h Td,10,0\n"
    assert "line 3, column at: " in refusal(imported, log, TIMED)


@pytest.mark.parametrize(("form", "day"), [("%d/%m/%Y %H:%M", "2026-04-03"), ("%m/%d/%Y %H:%M", "2026-03-04")])
def test_days_and_months_stand_where_the_map_says(imported: Import, form: str, day: str) -> None:
    plan = TIMED.replace('id = "X1"', f'id = "X1"\ntime_format = "{form}"')
    made = imported("at," + HEADER + f"03/04/2026 21:00,{ROW}", plan, "log.csv")
    assert [str(gaming_day) for _, gaming_day in made.summary.imported] == [day]
    assert "line 3, column at: " in refusal(
        imported, "at," + HEADER + f"03/04/2026 21:00,{ROW}13/13/2026 21:00,2,1,Th 9c,9h Td,10,0\n", plan
    )


@pytest.mark.parametrize("at", ["2026-03-04", "20260304", "2026-W10-3", "21:00", "2026-03-04T21", "20260304T21+08:00"])
def test_a_day_or_an_hour_alone_is_no_time(imported: Import, at: str) -> None:
    """It was taken for the first moment of the day, which is of the gaming day before."""
    assert f"line 2, column at: '{at}' is no time like" in refusal(imported, f"at,{HEADER}{at},{ROW}", TIMED)


@pytest.mark.parametrize(
    "form",
    [
        "%H:%M", "%d/%m %H:%M", "%Y %H:%M", "%d/%m/%Y", "%d/%m/%Y %I:%M", "%d/%m/%Y %H:%M %p", "2026-01-05 %H:%M", "isoo",
        "%Y-%m-%d %H:%M %Z",
    ],
)  # fmt: skip
def test_a_form_of_time_that_leaves_the_moment_open_is_refused(imported: Import, form: str) -> None:
    """The year 1900 and midnight were taken for what it does not tell; the name of a zone, and PM beside %H, were read and
    forgotten."""
    plan = TIMED.replace('id = "X1"', f'id = "X1"\ntime_format = "{form}"')
    with pytest.raises(MapFaulty, match=r"map.toml, line 4: \[table\] time_format: .* may stand in a column date, "):
        imported(f"at,{HEADER}21:00,{ROW}", plan, "log.csv")


@pytest.mark.parametrize(
    ("form", "at"),
    [
        ("%d.%m.%y %I.%M %p", "04.03.26 09.00 PM"),
        ("%Y%j%H%M%S", "2026063210000"),
        ("%c", "Wed Mar  4 21:00:00 2026"),
        ("%Y-%m-%d %H:%M:%S,%f", '"2026-03-04 21:00:00,000"'),  # a fraction of any length
        ("%Y%m%d%H%M%S%f", "20260304210000000"),
    ],
)
def test_a_form_of_time_that_tells_all_of_it_may_be_any(imported: Import, form: str, at: str) -> None:
    plan = TIMED.replace('id = "X1"', f'id = "X1"\ntime_format = "{form}"')
    made = imported(f"at,{HEADER}{at},{ROW}", plan, "log.csv")
    assert [str(moment) for moment in made.replayed().rounds["started_at"]] == ["2026-03-04 13:00:00+00:00"]


@pytest.mark.parametrize(("form", "at"), [("%d/%m/%Y %H%M", "4/3/2026 130"), ("%Y%m%d%H%M", "2026030410")])
def test_digits_that_nothing_sets_apart_are_all_there(imported: Import, form: str, at: str) -> None:
    """0130, of which a spreadsheet leaves 130, became 13:00, and 10 hours without minutes became 01:00."""
    plan = TIMED.replace('id = "X1"', f'id = "X1"\ntime_format = "{form}"')
    assert f"line 2, column at: '{at}' is no time like {form}" in refusal(imported, f"at,{HEADER}{at},{ROW}", plan)


@pytest.mark.parametrize(
    ("form", "date", "time"), [("iso", "2026-03-05", "00:30:00"), ("%d/%m/%Y %I:%M %p", "05/03/2026", "12:30 AM")]
)
def test_date_and_time_in_columns_of_their_own_are_one_moment(
    imported: Import, form: str, date: str, time: str
) -> None:
    """Half an hour past midnight belongs to the gaming day that began the morning before."""
    plan = TIMED.replace('id = "X1"', f'id = "X1"\ntime_format = "{form}"').replace(
        "[columns]", '[columns]\ndate = "on"'
    )
    made = imported(f"on,at,{HEADER}{date},{time},{ROW}", plan, "log.csv")
    assert [str(gaming_day) for _, gaming_day in made.summary.imported] == ["2026-03-04"]
    assert [str(moment) for moment in made.replayed().rounds["started_at"]] == ["2026-03-04 16:30:00+00:00"]
    assert "line 3, column at: ' " in refusal(imported, f"on,at,{HEADER}{date},{time},{ROW},{time},2{ROW[1:]}", plan)


@pytest.mark.parametrize("form", ["unix", "unix_ms"])
def test_a_date_beside_a_count_of_seconds_is_refused(imported: Import, form: str) -> None:
    plan = TIMED.replace('id = "X1"', f'id = "X1"\ntime_format = "{form}"').replace(
        "[columns]", '[columns]\ndate = "on"'
    )
    with pytest.raises(MapFaulty, match=r"line 4: \[table\] time_format: a column date goes with"):
        imported(f"on,at,{HEADER}2026-03-05,1,{ROW}", plan, "log.csv")


@pytest.mark.parametrize(
    ("at", "what"),
    [("2026-03-29T01:30", "never came"), ("2026-10-25T01:30", "came twice")],  # Lisbon's clocks, Decreto-Lei 17/96
)
def test_an_hour_that_summer_time_leaves_out_or_repeats_needs_its_offset(imported: Import, at: str, what: str) -> None:
    plan = TIMED.replace('id = "X1"', 'id = "X1"\nzone = "Europe/Lisbon"')
    said = refusal(imported, f"at,{HEADER}{at},{ROW}", plan)
    assert f"line 2, column at: '{at}' {what} in Europe/Lisbon" in said
    made = imported(f"at,{HEADER}{at}+00:00,{ROW}", plan, "log.csv")
    assert [str(moment) for moment in made.replayed().rounds["started_at"]] == [f"{at.replace('T', ' ')}:00+00:00"]


@pytest.mark.parametrize(
    ("day", "at", "of"),
    [
        ("2026-01-04", "2026-01-05T12:00", "2026-01-05"),
        ("2026-01-05", "2026-01-05T05:59", "2026-01-04"),
        ("2026-01-04", "2026-01-05T06:59", ""),  # the last round of a day may end late
        ("2026-01-04", "2026-01-05T05:59", ""),
    ],
)
def test_a_gaming_day_whose_time_is_of_another_one_is_refused(imported: Import, day: str, at: str, of: str) -> None:
    """A round of noon came in under the day before, and nothing said so."""
    plan = TIMED.replace("[columns]", '[columns]\nday = "day"')
    log = f"day,at,{HEADER}{day},{at},{ROW}"
    if of:
        said = f"line 2, column day: {day}, and the time is of gaming day {of} by [table] zone and day_begins (06:00)"
        assert said in refusal(imported, log, plan)
    else:
        assert [str(gaming_day) for _, gaming_day in imported(log, plan).summary.imported] == [day]
