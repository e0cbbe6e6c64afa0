"""Files as other programs leave them: byte order marks, line ends, totals, torn lines, rounds left out."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from analytics.api import judge
from flows.cli import main
from producers.mapping import ImportRefused
from replayer.sources.archive import read_events, table_days
from tests.mapping.logs import MAP as WITHOUT_PLAYERS
from tests.mapping.logs import Import, refusal

MAP = WITHOUT_PLAYERS.replace("cards =", 'player = "who"\ncards =')
HEADER = "game,spot,who,cards,dealer,bet,net\n"
ROWS = "1,1,ann,Th 9c,9h Td,10,0\n1,2,bob,Th 8c,9h Td,10,-10\n2,1,ann,Ah Kc,9h Td,10,15\n"


def test_a_map_that_an_editor_marked_as_utf_8_is_read(imported: Import) -> None:
    assert len(table_days(imported(HEADER + ROWS, "\ufeff" + MAP).archive)) == 1


@pytest.mark.parametrize(
    "log",
    [
        (HEADER + ROWS).encode("utf-8-sig"),
        (HEADER + ROWS).replace("\n", "\r\n").encode(),
        (HEADER + ROWS).replace("\n", "\r").encode(),
        (HEADER + ROWS + "\n\n\r\n").encode(),
        ("\n\r\n" + HEADER + "\n" + ROWS).encode(),
        (HEADER + ROWS).rstrip("\n").encode(),
        (HEADER + ROWS).replace("ann", '"ann"').encode(),
        (HEADER + ROWS).replace("Th", "10H").replace("9c", "9C").replace("Kc", "kc").encode(),
    ],
)
def test_how_a_file_is_written_changes_nothing(imported: Import, log: bytes) -> None:
    calm = [event for ref in table_days(imported(HEADER + ROWS, MAP).archive) for event in read_events(ref)]
    again = imported(log, MAP.replace('"X1"', '"X2"')).archive
    read = [event for ref in table_days(again, table="X2") for event in read_events(ref)]
    assert [(one.kind, one.round, one.card, one.wager) for one in read] == [
        (one.kind, one.round, one.card, one.wager) for one in calm
    ]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (HEADER, "line 5, column game: 'game' is no whole number"),
        ("Total,,,,,30,5\n", "line 5, column game: 'Total' is no whole number"),
        (",,,,,,\n", "line 5, column game: '' is no whole number"),
        ("   \n", "line 5, column spot: 1 cells where the header has 7"),
        ("3,1,ann,Th 9c,9h", "line 5, column bet: 5 cells where the header has 7"),
        ("2,1,ann,Ah Kc,9h Td,10,15\n", "line 5, column spot: round 2, seat 1 stands in line 4 already"),
        ('3,1,ann,"Th\n9c",9h Td,10,0\n', "line 5, column cards: "),
        ("2,2,bob,Th 9c,9h Jd,10,0\n", "line 5, column dealer: not the bank's cards that line 4 has for round 2"),
        ("3,300,ann,Th 9c,9h Td,10,0\n", "line 5, column spot: seat 300"),
    ],
)
def test_rows_that_are_no_hand_are_refused(imported: Import, more: str, said: str) -> None:
    assert said in refusal(imported, HEADER + ROWS + more, MAP)


def test_totals_and_repeated_headers_are_no_rounds_with_names_either(imported: Import) -> None:
    plan = MAP.replace("[table]", "[table]\nnamed_rounds = true")
    assert "line 5, column dealer: 'dealer' is no card" in refusal(imported, HEADER + ROWS + HEADER, plan)
    assert "line 5, column cards: no cards" in refusal(imported, HEADER + ROWS + "Total,1,,,9h Td,30,5\n", plan)


@pytest.mark.parametrize("pack", [gzip.compress, lambda log: b"PK\x03\x04" + log])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_packed_log_is_not_taken_for_one_of_another_encoding(
    imported: Import, pack: Callable[[bytes], bytes], encoding: str
) -> None:
    plan = MAP.replace('row = "hand"', f'row = "hand"\nencoding = "{encoding}"')
    said = refusal(imported, pack((HEADER + ROWS).encode()), plan, "log.csv.gz")
    assert said.endswith("log.csv.gz: it is packed, or a spreadsheet; unpack it, or save it as CSV")


def test_a_faulty_header_is_named_with_its_line(imported: Import) -> None:
    assert "line 3: no column 'dealer', which " in refusal(
        imported, "\n\n" + HEADER.replace("dealer", "bank") + ROWS, MAP
    )


@pytest.mark.parametrize("cell", ['"Th 9c', '"Th" 9c', "T" * 200_000])
def test_where_quotes_may_be_wrong_the_refusal_says_so(imported: Import, cell: str) -> None:
    said = refusal(imported, HEADER + ROWS + f"3,1,ann,{cell},9h Td,10,0\n", MAP)
    assert "line 5: no CSV: " in said
    assert "; look for a missing or surplus quote" in said


def test_a_text_that_cannot_be_written_down_is_reported_with_its_line(imported: Import) -> None:
    plan = MAP.replace('row = "hand"', 'row = "hand"\nformat = "jsonl"')
    row = {"game": 1, "spot": 1, "who": "\ud800", "cards": "Th 9c", "dealer": "9h Td", "bet": 10, "net": 0}
    with pytest.raises(ImportRefused, match="line 1"):
        imported(json.dumps(row) + "\n", plan)


def test_a_text_that_a_spreadsheet_would_run_stays_a_text(imported: Import) -> None:
    text = "=cmd|' /C calc'!A0"
    archive = imported(HEADER + ROWS.replace("ann", text), MAP).archive
    players = {event.wager.player for ref in table_days(archive) for event in read_events(ref) if event.wager}
    assert players == {text, "bob"}


def test_a_last_line_that_may_be_cut_off_is_not_silent(imported: Import) -> None:
    """15 that was cut to 1 is a whole row; only the line's end tells that it is."""
    assert not imported(HEADER + ROWS, MAP).summary.open_end
    assert imported((HEADER + ROWS)[:-2], MAP.replace('"X1"', '"X2"')).summary.open_end


# Rounds that are left out

LEFT_OUT = (
    "1,1,ann,Th 9c,9h Td,10,0\n4,1,ann,Th 8c,9h Td,10,-10\n5,1,ann,Ah Kc,9h Td,10,15\n7,1,ann,Ah Kc,9h Td,10,15\n"
)


def test_rounds_left_out_of_a_log_are_reported_and_found_by_the_replay(imported: Import) -> None:
    result = imported(HEADER + LEFT_OUT, MAP)
    ((table, day), *_), *_ = result.summary.missing
    assert (table, day.isoformat()) == ("X1", "2026-01-05")
    assert [(first, last) for _, first, last in result.summary.missing] == [(2, 3), (6, 6)]
    assert result.codes_found() == {"ROUND_MISSING"}


def test_rounds_in_quarantine_are_not_left_out_of_the_log_yet_missing_in_the_archive(imported: Import) -> None:
    plan = MAP.replace('row = "hand"', 'row = "hand"\non_bad_row = "quarantine"')
    result = imported(HEADER + ROWS + "3,1,ann,Th Xx,9h Td,10,0\n4,1,ann,Th 9c,9h Td,10,0\n", plan)
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
    plan = MAP.replace("gaming_day = 2026-01-05", "").replace("[columns]", '[columns]\nday = "day"')
    rows = [
        f"2026-01-0{day},{number},1,ann,Th 9c,9h Td,10,0\n" for day, numbers in enumerate(days, 1) for number in numbers
    ]
    result = imported("day," + HEADER + "".join(rows), plan)
    assert [(first, last) for _, first, last in result.summary.missing] == missing


def test_numbers_left_out_between_two_days_are_named_by_the_import_alone(imported: Import) -> None:
    """A replay judges a table-day for itself; the help of import said that it finds these as well."""
    plan = MAP.replace("gaming_day = 2026-01-05", "").replace("[columns]", '[columns]\nday = "day"')
    rows = [f"2026-01-0{day},{number},1,ann,Th 9c,9h Td,10,0\n" for day, number in ((1, 1), (1, 2), (2, 5), (2, 7))]
    result = imported("day," + HEADER + "".join(rows), plan)
    assert [(first, last) for _, first, last in result.summary.missing] == [(3, 4), (6, 6)]
    assert judge(result.archive, identities=True).findings.filter(code="ROUND_MISSING")["message"].to_list() == [
        "round 6 left out: round 7 follows round 5, and no event is missing"
    ]


def test_a_log_that_does_not_number_the_rounds_of_a_table_is_not_held_to_it(imported: Import) -> None:
    said = MAP + '[rules]\nnot_recorded = ["round_numbers"]\n'
    result = imported(HEADER + LEFT_OUT, said)
    assert (result.summary.missing, result.codes_found()) == ((), set())
    assert "round_numbers" in result.summary.not_recorded
    assert "round_numbers" in json.loads(result.replayed().table_days["not_checked"][0])


def test_rounds_with_names_or_none_have_no_numbers_to_be_left_out(imported: Import) -> None:
    named = imported(HEADER + LEFT_OUT, MAP.replace("[table]", "[table]\nnamed_rounds = true"))
    assert (named.summary.missing, named.codes_found()) == ((), set())


def test_left_out_rounds_make_the_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "map.toml").write_text(MAP)
    for log, code in ((HEADER + ROWS, 0), (HEADER + LEFT_OUT, 1)):
        (tmp_path / "log.csv").write_text(log)
        command = ["import", f"{tmp_path}/log.csv", "--map", f"{tmp_path}/map.toml", "--archive", f"{tmp_path}/{code}"]
        assert main([*command, "--json"]) == code
    said = capsys.readouterr()
    assert "X1 2026-01-05: rounds 2 to 3 stand nowhere in the log" in said.err
    missing = json.loads(said.out.splitlines()[-1])["missing"]
    assert missing[1] == {"table_id": "X1", "gaming_day": "2026-01-05", "first_round": 6, "last_round": 6}


def test_a_log_that_comes_in_under_two_names_is_reported(imported: Import) -> None:
    """Its money would count twice in every sum of the house."""
    first = imported(HEADER + ROWS, MAP)
    assert imported(HEADER + ROWS, MAP).summary.twice == ()
    assert imported(HEADER + ROWS, MAP.replace('"X1"', '"X2"')).summary.twice == first.summary.imported
    assert imported(HEADER + ROWS + "3,1,ann,Th 9c,9h Td,10,0\n", MAP.replace('"X1"', '"X3"')).summary.twice == ()
