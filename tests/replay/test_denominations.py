"""Chips are told by denominations and in total: the two come to the same, as on the slip of an inventory, a fill or a credit."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from replayer.log.columns import columns_of
from replayer.verdicts.replay import Replayed
from schemas.bounds import MOST_MINOR
from schemas.event import Chips, Denomination
from schemas.notation import parse_events
from tests.texts import replay_frame

DAY = dt.date(2009, 6, 1)
TEXT = "open:black_jack:MOP:7=0 fill:F1=500 buyin=100@p7 {more} close=0 drop=0"


def judged(chips: Chips, more: str = "") -> Replayed:
    """A table-day with a fill, number 2, of these chips."""
    events = [
        replace(event, chips=chips) if event.kind == "ChipsFilled" else event
        for event in parse_events(TEXT.format(more=more), gaming_day=DAY)
    ]
    return replay_frame(columns_of(events), DAY)


def found(chips: Chips, more: str = "") -> list[tuple[str, int, str]]:
    """Its findings."""
    return judged(chips, more).findings.select("code", "seq", "message").rows()


def fill(amount_minor: int, *denominations: tuple[int, int]) -> Chips:
    return Chips(amount_minor, "F1", denominations=tuple(Denomination(*each) for each in denominations))


@pytest.mark.parametrize(
    ("chips", "come_to"),
    [
        (fill(500_00, (100_00, 4), (20_00, 4)), "480"),
        (fill(500_00, (100_00, 0)), "0"),
        (fill(500_00, (MOST_MINOR, MOST_MINOR)), "10000000000000000000000000000"),
    ],
)
def test_an_amount_that_its_denominations_do_not_come_to(chips: Chips, come_to: str) -> None:
    assert found(chips) == [("DENOMINATIONS_DIFFER", 2, f"500 by denominations that come to {come_to}")]


@pytest.mark.parametrize("chips", [fill(500_00, (100_00, 4), (20_00, 5)), fill(500_00), fill(0, (100_00, 0))])
def test_an_amount_by_its_denominations_or_by_none(chips: Chips) -> None:
    assert found(chips) == []


def test_a_correction_of_the_amount_settles_it_or_brings_it_about() -> None:
    of_480, of_500 = fill(500_00, (100_00, 4), (20_00, 4)), fill(500_00, (100_00, 5))
    assert [code for code, _, _ in found(of_480, "correct:2:miscounted:chips=480")] == ["EVENT_CORRECTED"]
    codes = [code for code, _, _ in found(of_500, "correct:2:miscounted:chips=480")]
    assert codes == ["DENOMINATIONS_DIFFER", "EVENT_CORRECTED"]


@pytest.mark.parametrize(
    ("chips", "counted"),
    [
        (fill(500_00, (100_00, 2), (50_00, 2), (100_00, 2)), '{"10000": 4, "5000": 2}'),
        (fill(500_00, (100_00, 5), (50_00, 0)), '{"10000": 5, "5000": 0}'),
        (fill(500_00), None),
    ],
)
def test_custody_has_all_chips_of_a_value_however_many_entries_tell_of_it(chips: Chips, counted: str | None) -> None:
    assert judged(chips).custody["denominations"].to_list() == [None, counted, None, None, None]
