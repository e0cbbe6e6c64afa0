"""A table-day that is encoded together is the same as its events one by one, and is held to the same contract."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.bounds import MOST_NUMBERED, NUMBERS
from schemas.codec import decode, encode
from schemas.event import CardAt, Chips, Event, EventRejected, Wager
from schemas.table_day import Row, encoded_day, tailed

DAY = dt.date(2009, 6, 1)
FACTS = [
    ("CardDealt", {"card": CardAt(3, 1, "Th", "up")}),
    ("WagerPlaced", {"wager": Wager("main", 7, 10**9, 0, "P1", 0)}),
    ("WagersClosed", {}),
    ("CashBoughtIn", {"chips": Chips(5_000, player="Ü")}),
]
ROWS = st.tuples(
    st.integers(1, MOST_NUMBERED), st.integers(*NUMBERS["at"]), st.integers(0, MOST_NUMBERED), st.sampled_from(FACTS)
)


@given(
    st.text(min_size=1, max_size=64, alphabet="Tü-1"),
    st.dates(dt.date(1, 1, 2), dt.date(9999, 12, 30)),
    st.lists(ROWS, min_size=1),
)
@example("T1", DAY, [(1, 0, 0, FACTS[0])])
@example("T1", DAY, [(63, 0, 0, FACTS[0]), (64, -64, 1, FACTS[1]), (MOST_NUMBERED, -65, 2, FACTS[2])])
def test_events_encoded_together_have_the_bytes_of_each_by_itself(
    table_id: str, day: dt.date, rows: list[tuple[int, int, int, tuple[str, dict[str, object]]]]
) -> None:
    made = encoded_day(
        table_id, day, [(seq, at, round_, tailed(kind, **bodies)[1]) for seq, at, round_, (kind, bodies) in rows]
    )
    alone = [
        encode(Event(table_id, seq, at, day, kind, round_, **bodies))  # type: ignore[arg-type]
        for seq, at, round_, (kind, bodies) in rows
    ]
    assert list(made.messages) == alone
    assert list(made.seqs) == [seq for seq, *_ in rows]


def test_an_event_between_rounds_has_none() -> None:
    (message,) = encoded_day("T1", DAY, [(1, 5, None, tailed("CardBurned", card=CardAt(face="down"))[1])]).messages
    assert decode(message) == Event("T1", 1, 5, DAY, "CardBurned", card=CardAt(face="down"))


def test_what_breaks_the_contract_in_any_round_has_no_tail() -> None:
    with pytest.raises(EventRejected, match=r"needs card\.face"):
        tailed("CardDealt", card=CardAt(1, 0, "Th"))
    with pytest.raises(EventRejected, match="seat"):
        tailed("CardDealt", card=CardAt(0, 0, "Th", "up"))


GOOD: Row = (7, 1_000, 3, tailed("WagersClosed")[1])
LATER: Row = (9, 3_000, 6, tailed("WagersClosed")[1])


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        (0, 0),
        (0, MOST_NUMBERED + 1),
        (0, True),
        (0, 8.0),
        (1, NUMBERS["at"][0] - 1),
        (1, 10**30),
        (1, 0.5),
        (1, 2_000.5),
        (2, -1),
        (2, 1.0),
        (2, 4.0),
        (2, None),
    ],
)
def test_one_number_out_of_its_bounds_among_many_is_refused(column: int, wrong: object) -> None:
    row = list(GOOD)
    row[column] = wrong
    with pytest.raises(EventRejected):
        encoded_day("T1", DAY, [GOOD, tuple(row), LATER])  # type: ignore[list-item]


@pytest.mark.parametrize(("table_id", "day"), [("T" * 65, DAY), ("\ud800", DAY), ("T1", dt.date.min)])
def test_a_table_or_a_day_that_no_event_may_have_is_refused(table_id: str, day: dt.date) -> None:
    with pytest.raises(EventRejected):
        encoded_day(table_id, day, [GOOD])
