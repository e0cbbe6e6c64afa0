"""A card or a total written down at the wrong place, and corrected: it is where the correction says, also where that is the bank,
whose place is no seat (``schemas.event.CardAt``, ``schemas.event.Decision``)."""

from __future__ import annotations

import datetime as dt

import pytest

from replayer.columns import columns_of
from replayer.verdicts.replay import Replayed
from schemas.event import CardAt, Event, Remark
from schemas.notation import parse_events
from tests.law.one_round import codes
from tests.texts import replay_frame

DAY = dt.date(2009, 6, 1)
OPEN = "open:black_jack:MOP:7=0 shuffle:1:hand:6 #1 1.main=100 nomore"


def replayed(events: list[Event]) -> Replayed:
    return replay_frame(columns_of(events), DAY)


def judged(words: str) -> tuple[list[int | None], set[str], list[str]]:
    told = replayed(list(parse_events(f"{OPEN} {words} end #- close=0", gaming_day=DAY)))
    said = told.findings.filter(told.findings["code"] == "EVENT_CORRECTED")["message"].to_list()
    return told.wagers["due_minor"].to_list(), codes(told), said


@pytest.mark.parametrize(
    ("words", "due", "moved"),
    [
        ("1+Th B+9d 1+7d 1.stand 1+8h correct:9:seat:B+8h", 0, "seat 1 -> the bank"),
        ("1+Th B+9d 1+7d 1.stand B+8h correct:9:seat:B+8s", 0, "8h -> 8s"),
        ("1+Th B+9d 1+7d 1.hit B+4h 1.stand B+8h correct:9:seat:1+4h", 100_00, "the bank -> seat 1"),
        ("1+Th B+9d 1+7d 1.stand B+8h correct:9:a:1+8h correct:9:b:B+8h", 0, "seat 1 -> the bank"),
    ],
)
def test_a_card_that_was_the_banks_is_the_banks_when_it_is_corrected(words: str, due: int, moved: str) -> None:
    dues, found, said = judged(words)
    assert (dues, found) == ([due], {"EVENT_CORRECTED"})
    assert moved in said[-1]


@pytest.mark.parametrize(
    ("words", "moved"),
    [
        ("1+Th B+9d 1+7d 1=17 1.stand B+8h 1=17 correct:11:seat:B=17", "seat 1 -> the bank"),
        ("1+Th B+9d 1+7d 1=17 1.stand B+8h 1=19 correct:11:seat:B=17", "points 19, seat 1 -> points 17, the bank"),
        ("1+Th B+9d 1+7d 1=17 1.stand B+8h B=19 correct:11:points:B=17", "points 19 -> points 17"),
        ("1+Th B+9d 1+7d B=17 1.stand B+8h B=17 correct:8:seat:1=17", "the bank -> seat 1"),
        ("1+Th B+9d 1+7d 1=17 1.stand B+8h B=17 correct:11:a:1=17 correct:11:b:B=17", "seat 1 -> the bank"),
    ],
)
def test_art7_n1_a_total_that_was_the_banks_is_the_banks_when_it_is_corrected(words: str, moved: str) -> None:
    dues, found, said = judged(words)
    assert (dues, found) == ([0], {"EVENT_CORRECTED"})
    assert moved in said[-1]


def test_art5_n1_2_a_card_taken_from_the_bank_is_taken_from_it_when_it_is_corrected() -> None:
    """Art. 6(1): the bank's card on 17 is void and was removed, though a seat was written down."""
    right, wrong = "1+Th B+9d 1+7d 1.stand B+8h B+5c B~5c", "1+Th B+9d 1+7d 1.stand B+8h B+5c 1~5c correct:11:seat:B~5c"
    (dues, found, _), (corrected_dues, corrected_found, said) = judged(right), judged(wrong)
    assert (corrected_dues, corrected_found) == (dues, found | {"EVENT_CORRECTED"})
    assert "seat 1 -> the bank" in said[-1]


def test_a_card_corrected_by_name_alone_stays_where_it_lies() -> None:
    words = f"{OPEN} 1+Th B+9d 1+2d 1.stand B+8h end #- close=0"
    events = list(parse_events(words, gaming_day=DAY))
    last = events[-1]
    named = Event(
        "T1", last.seq, last.at, DAY, "CorrectionMade", 1, card=CardAt(card="Td"), remark=Remark("misread", 7)
    )
    told = replayed([*events[:-1], named, Event("T1", last.seq + 1, last.at, DAY, "TableClosed", chips=last.chips)])
    assert told.wagers["due_minor"].to_list() == [100_00]
