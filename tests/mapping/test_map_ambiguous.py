"""What a foreign log may mean in two ways is refused with its place and what to declare, or read in the one way declared."""

from __future__ import annotations

from typing import Any

import pytest

from producers.mapping import ImportRefused, MapFaulty
from tests.mapping.logs import HEADER, MAP, Import, refusal

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
    ["\u22125", "$5", "5 MOP", "(5)", "5-", "1 000", "1\u00a0000", "1'000", "5%", "=5", "1.000,5.0", "--5", "5e"],
)
def test_what_is_no_plain_number_is_refused_with_its_place(imported: Import, cell: str) -> None:
    for column, row in (("bet", f'2,1,Th 9c,9h Td,"{cell}",0\n'), ("net", f'2,1,Th 9c,9h Td,10,"{cell}"\n')):
        assert f"line 3, column {column}: " in refusal(imported, HEADER + ROW + row)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (HEADER + ROW + "2,1,Th 9c,9h Td,,0\n", "line 3, column bet: no amount"),
        (HEADER + ROW + "2,1,Th 9c,9h Td,10,\n", "line 3, column net: nothing there"),
        (HEADER + ROW + HEADER + "2,1,Th 9c,9h Td,10,0\n", "line 3"),
        (HEADER + "round,seat,cards,bank,stake,result\n" + ROW, "line 2"),
        (HEADER + ROW + "total,,,,10,0\n", "line 3"),
        (HEADER + ROW + ",,,,10,0\n", "line 3"),
        (HEADER + ROW + ROW, "line 3"),
        (HEADER + ROW + "2,1,Th 9c,9h Td,10,0\n" + ROW, "line 4"),
    ],
)
def test_a_row_that_is_no_hand_of_its_own_is_refused(imported: Import, log: str, said: str) -> None:
    """An empty amount, a second header, a line of totals, the same row again: none of them is a hand."""
    assert said in refusal(imported, log)


@pytest.mark.parametrize(
    "log",
    [
        "\ufeff" + HEADER + ROW,
        (HEADER + ROW).replace("\n", "\r\n"),
        "\ufeff" + (HEADER + ROW).replace("\n", "\r\n"),
        HEADER + '1,1,"Th 9c","9h Td","10","0"\n\n',
    ],
)
def test_marks_line_ends_and_quotes_change_nothing(imported: Import, log: str) -> None:
    assert amounts(imported(log.encode(), MAP, "log.csv")) == [(10_00, 0)]


def test_a_quoted_line_end_in_a_cell_is_no_new_row(imported: Import) -> None:
    assert "line 3, column cards: " in refusal(imported, HEADER + ROW + '2,1,"Th\n9c",9h Td,10,0\n')


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
    ["%H:%M", "%d/%m %H:%M", "%Y %H:%M", "%d/%m/%Y", "%d/%m/%Y %I:%M", "2026-01-05 %H:%M", "isoo", "%Y-%m-%d %H:%M %Z"],
)
def test_a_form_of_time_that_leaves_the_moment_open_is_refused(imported: Import, form: str) -> None:
    """The year 1900 and midnight were taken for what it does not tell; the name of a zone was read and forgotten."""
    plan = TIMED.replace('id = "X1"', f'id = "X1"\ntime_format = "{form}"')
    with pytest.raises(MapFaulty, match=r"map.toml, line 4: \[table\] time_format: "):
        imported(f"at,{HEADER}21:00,{ROW}", plan, "log.csv")


@pytest.mark.parametrize(
    ("form", "at"),
    [("%d.%m.%y %I.%M %p", "04.03.26 09.00 PM"), ("%Y%j%H%M%S", "2026063210000"), ("%c", "Wed Mar  4 21:00:00 2026")],
)
def test_a_form_of_time_that_tells_all_of_it_may_be_any(imported: Import, form: str, at: str) -> None:
    plan = TIMED.replace('id = "X1"', f'id = "X1"\ntime_format = "{form}"')
    made = imported(f"at,{HEADER}{at},{ROW}", plan, "log.csv")
    assert [str(moment) for moment in made.replayed().rounds["started_at"]] == ["2026-03-04 13:00:00+00:00"]


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


@pytest.mark.parametrize("cards", ["8s 3d Th 8h Kd", "Ts 9d 5h Tc 9c", "8s 8d Kc Th 2c"])
def test_cards_behind_a_hand_that_is_over_21_are_no_part_of_it(imported: Import, cards: str) -> None:
    """Hands of a pair that are parted by what parts their cards would be read as one, and everything paid on them as wrong."""
    said = refusal(imported, HEADER + ROW + f"2,1,{cards},9h Td,20,40\n")
    assert "line 3, column cards: the hand had " in said
    assert "and went on: are these several hands?" in said


def test_numbers_of_rounds_that_are_left_out_are_found(imported: Import) -> None:
    made = imported(HEADER + ROW + "4,1,Th 9c,9h Td,10,0\n", MAP, "log.csv")
    missing = made.replayed().findings.filter(code="ROUND_MISSING")
    assert missing["message"].to_list() == ["rounds 2 to 3 left out: round 4 follows round 1, and no event is missing"]
