"""A card that was corrected by its name alone, which no word of the notation can tell, beside ``law/rounds/corrected.txt``."""

from __future__ import annotations

import datetime as dt

from replayer.log.columns import columns_of
from schemas.event import CardAt, Event, Remark
from schemas.notation import parse_events
from tests.texts import replay_frame

DAY = dt.date(2009, 6, 1)


def test_a_card_corrected_by_name_alone_stays_where_it_lies() -> None:
    words = "open:black_jack:MOP:7=0 shuffle:1:hand:6 #1 1.main=100 nomore 1+Th B+9d 1+2d 1.stand B+8h end #- close=0"
    events = list(parse_events(words, gaming_day=DAY))
    last = events[-1]
    named = Event(
        "T1", last.seq, last.at, DAY, "CorrectionMade", 1, card=CardAt(card="Td"), remark=Remark("misread", 7)
    )
    replayed = replay_frame(
        columns_of([*events[:-1], named, Event("T1", last.seq + 1, last.at, DAY, "TableClosed", chips=last.chips)]), DAY
    )
    assert replayed.wagers["due_minor"].to_list() == [100_00]
