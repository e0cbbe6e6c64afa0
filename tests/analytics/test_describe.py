"""Every table and column of the lake is described where it is defined, and nowhere otherwise."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from analytics.lake import connect, describe
from analytics.lake.describe import description, page
from replayer.law.calendar import games
from replayer.verdicts.tables import DEFINITIONS, TABLES, TIME


def test_the_page_in_the_repository_is_what_the_definitions_say() -> None:
    kept = Path(describe.__file__).with_name("tables.md").read_text(encoding="utf-8")
    assert kept == page(), "write it anew: pitaudit lake --describe > analytics/lake/tables.md"


@pytest.mark.parametrize("table", TABLES)
def test_every_column_has_a_meaning_and_what_is_measured_has_a_unit(table: str) -> None:
    assert DEFINITIONS[table].grain
    for column in DEFINITIONS[table].columns:
        assert column.meaning.endswith("."), column.name
        if column.name.endswith("_minor"):
            assert column.unit == "minor units", column.name
        if column.name == "at" or column.name.endswith("_at"):
            assert (column.type, column.unit) == (TIME, "UTC, microseconds")


def test_the_views_have_the_columns_and_types_that_are_described(tmp_path: Path) -> None:
    with connect(tmp_path / "lake") as connection:
        for table in description():
            seen = connection.sql(f"DESCRIBE {table['table']}").fetchall()
            assert [(row[0], row[1]) for row in seen] == [(c["name"], c["type"]) for c in table["columns"]]


def test_no_column_of_a_time_or_an_amount_is_a_number_with_a_fraction() -> None:
    assert not [name for schema in TABLES.values() for name, kind in schema.items() if kind in (pl.Float64, pl.Float32)]


def test_decisions_of_a_hand_say_which_decisions_they_leave_out() -> None:
    (decisions,) = [column for column in DEFINITIONS["hands"].columns if column.name == "decisions"]
    for game in games().values():
        for action in game.seat.side_actions:
            assert action.replace("_", " ") in decisions.meaning.split(";")[-1], action
