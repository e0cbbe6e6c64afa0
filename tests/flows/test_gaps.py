"""Numbers from one gaming day of a table to the next: the night, which looks at one day, finds what a replay of all finds."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import polars as pl
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flows.gaps import gaps_before
from producers.sinks.entries import Entry
from producers.sinks.part import sealed_part, write_part
from replayer.integrity.numbers import joined, runs_of, shared, size, without
from replayer.sources.archive import table_days
from replayer.sources.layout import FILE_MODE, PartName
from replayer.verdicts.run import replay_all
from schemas.codec import encode
from schemas.notation import parse_events

Told = list[tuple[str, dt.date, str]]


def write(archive: Path, day: dt.date, numbers: Sequence[int]) -> None:
    """A sealed day of table T1 with these numbers, as another program could have written it."""
    entries = []
    for number in numbers:
        (event,) = parse_events("dealer+D1", gaming_day=day, first_seq=number)
        entries.append(Entry(number, encode(event)))
    data, manifest = sealed_part(PartName(day, "T1"), entries, None)
    write_part(archive, data, manifest, FILE_MODE)


def told(archive: Path) -> tuple[Told, Told]:
    """What a replay of the whole archive says from day to day, and what the nights of its days say."""
    refs = table_days(archive)
    nights = (found for ref in refs for found in gaps_before(archive, ref.gaming_day, [ref]))
    between = ([(f.code, f.gaming_day, f.message) for f in many] for many in (replay_all(refs).between, nights))
    whole, by_night = (sorted(found) for found in between)
    return whole, by_night


def twice(message: str) -> int:
    return int(message.split(maxsplit=1)[0])


numbers = st.sets(st.integers(1, 30), min_size=1, max_size=20)


@settings(max_examples=60, deadline=None)
@example(days=[{14, 16}, {15}], repeat=True)  # three events from 14 to 16, and no 15
@given(st.lists(numbers, min_size=2, max_size=2), st.booleans())
def test_numbers_of_two_days_are_held_against_each_other_one_by_one(days: list[set[int]], repeat: bool) -> None:
    """Numbers that one day lacks do not make up for those that stand on both."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder)
        for each, held in enumerate(days):
            first = min(held)
            write(archive, dt.date(2009, 6, 1 + each), sorted([*held, first] if repeat else held))
        whole, by_night = told(archive)
    conflicts = [twice(message) for code, _, message in whole if code == "SEQUENCE_CONFLICT"]
    assert conflicts == ([both] if (both := len(days[0] & days[1])) else [])
    assert by_night == whole


@given(numbers, numbers)
def test_runs_are_the_numbers_that_they_were_made_of(these: set[int], those: set[int]) -> None:
    here, there = (runs_of(pl.Series([*held, *held])) for held in (these, those))
    assert {number for first, last in here for number in range(first, last + 1)} == these
    assert all(before[1] + 1 < after[0] for before, after in pairwise(here))
    assert size(here) == len(these)
    assert shared(here, there) == len(these & those)
    assert joined((*here, *there)) == runs_of(pl.Series([*(these | those)]))
    assert without(5, 25, here) == runs_of(pl.Series([*(set(range(5, 26)) - these)], dtype=pl.Int64))
