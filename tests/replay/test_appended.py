"""Nothing that is appended to a closed table-day takes a finding away; all that is appended is found."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from producers.simulator import simulate
from replayer.log.columns import TableDay, columns_of, events_of
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.finding import Severity
from tests.appended import attack, attacked, grave
from tests.archives import logs_in

ORDINARY = {"DealerEntered", "DealerLeft"}
Judged = tuple[TableDay, Replayed]


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Judged]:
    """Table-days of both games with planted faults, and what was found of them; one lacks the count of its drop and has holes."""
    folder = tmp_path_factory.mktemp("archive")
    simulate(archive=folder, tables=6, rounds=12, seed=3, faults=0.4)
    whole = logs_in(folder)
    first = whole[0].events
    cut = first.filter((pl.col("kind") != "DropCounted") & ~pl.col("seq").is_in([40, first.height // 2]))
    logs = [TableDay(whole[0].table_id, whole[0].gaming_day, cut), *whole[1:]]
    return list(zip(logs, replay_table_days(logs), strict=True))


@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 2**32), number=st.integers(0, 5))
def test_no_finding_vanishes_and_no_figure_changes_by_appending(days: list[Judged], seed: int, number: int) -> None:
    day, before = days[number]
    log, appended = attacked(day, seed)
    (after,) = replay_table_days([log])
    added = [(event.kind, event.seq, event.round) for event in appended]
    assert not grave(before) - grave(after), added
    own = pl.col("round").is_in(before.rounds["round"].implode())
    assert after.wagers.filter(own).equals(before.wagers), added
    assert after.rounds.filter(own).equals(before.rounds), added
    uncounted = "DropCounted" not in before.custody["kind"]
    books = after.custody.filter(pl.col("stretch").is_null())
    assert books.filter(~((pl.col("kind") == "DropCounted") & uncounted)).equals(before.custody), added
    if {kind for kind, _, _ in added} - ORDINARY - ({"DropCounted"} if uncounted else set()):
        assert grave(after) - grave(before), added


def places(replayed: Replayed) -> Counter[tuple[object, ...]]:
    """The grave findings by all but their numbers, which move where events come before others."""
    found = replayed.findings.filter(pl.col("severity") != Severity.ADVISORY)
    return Counter(found.select("code", "round", "seat", "article", "delta_minor").rows())


@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 2**32), number=st.integers(0, 5))
def test_nothing_that_is_entered_before_the_closing_takes_a_finding_away_in_silence(
    days: list[Judged], seed: int, number: int
) -> None:
    """The books are open by then, so that a correction counts: but then it is found, with what stood there before."""
    day, before = days[number]
    events = list(events_of(day.events))
    closing = next(index for index, event in enumerate(events) if event.kind == "TableClosed")
    entered = attack(events[:closing], seed)
    fresh = [event for event in entered if event.seq > events[closing - 1].seq]
    moved = [replace(event, seq=event.seq + 1_000) for event in events[closing:]]
    again = [event for event in entered if event not in fresh]
    (after,) = replay_table_days([replace(day, events=columns_of([*events[:closing], *fresh, *moved, *again]))])
    gone = places(before) - places(after)
    if gone:
        found = {code for code, *_ in places(after) - places(before)}
        assert found - {"SEQUENCE_GAP"}, (gone, [(event.kind, event.seq, event.round) for event in entered])


@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 2**32), number=st.integers(0, 5), left=st.integers(0, 60))
def test_no_finding_of_a_day_that_was_sealed_open_vanishes(
    days: list[Judged], seed: int, number: int, left: int
) -> None:
    """Sealed without its closing, and up to 60 events short of its end: what is missing comes later, and an attack with it."""
    whole, _ = days[number]
    events = list(events_of(whole.events))
    closing = next(index for index, event in enumerate(events) if event.kind == "TableClosed")
    cut = max(1, closing - left)
    first = columns_of(events[:cut])
    (before,) = replay_table_days([replace(whole, events=first, parts=(cut,))])
    rest = events[cut:] if seed % 2 else []
    entered = attack(events[: cut + len(rest)], seed, holes=() if rest else [event.seq for event in events[cut:]])
    parts = [part for part in (rest, entered) if part]
    counts = (cut, *(len(part) for part in parts))
    log = replace(whole, events=pl.concat([first, *(columns_of(part) for part in parts)]), parts=counts)
    (after,) = replay_table_days([log])
    assert not grave(before) - grave(after), [(event.kind, event.seq, event.round) for event in entered]
