"""What was found of a table-day that was sealed open stands, whatever comes later; and it is not judged for each of its parts."""

from __future__ import annotations

import datetime as dt
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import polars as pl
import pytest

from producers.simulator import simulate
from replayer.log.columns import TableDay, columns_of, events_of
from replayer.verdicts.replay import replay_table_days
from replayer.verdicts.superseded import earlier_states, superseded_findings
from schemas.event import Event
from schemas.notation import parse_events
from tests.appended import attack, grave
from tests.archives import logs_in
from tests.shares import few
from tests.texts import frame_of, opened

ROUNDS = 12


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[TableDay]:
    """Table-days of both games with planted faults."""
    folder = tmp_path_factory.mktemp("archive")
    simulate(archive=folder, tables=4, rounds=ROUNDS, seed=3, faults=0.4)
    return logs_in(folder)


def in_parts(day: TableDay, parts: Sequence[Sequence[Event]]) -> TableDay:
    kept = [part for part in parts if part]
    return replace(day, events=pl.concat([columns_of(part) for part in kept]), parts=tuple(map(len, kept)))


def cut_at(day: TableDay, ends: Sequence[int]) -> list[list[Event]]:
    events = list(events_of(day.events))
    return [events[begin:end] for begin, end in pairwise([0, *ends, len(events)])]


def ends_of_rounds(day: TableDay) -> list[int]:
    return [row + 1 for row, kind in enumerate(day.events["kind"]) if kind == "RoundClosed"]


def of(game: str, days: Sequence[TableDay]) -> TableDay:
    return next(day for day in days if day.table_id.startswith(game))


@pytest.mark.parametrize("seed", few(range(100), 3))
def test_nothing_that_was_found_at_any_sealing_is_gone_in_the_end(days: list[TableDay], seed: int) -> None:
    """Sealed at ends of rounds and within them, with events that came late, and with an attack somewhere in between."""
    dice = random.Random(seed)
    day = days[seed % len(days)]
    closing = day.events["kind"].to_list().index("TableClosed")
    ends = {*dice.sample(ends_of_rounds(day), dice.randint(1, 3)), *dice.sample(range(1, closing), dice.randint(0, 2))}
    parts = cut_at(day, sorted(ends))
    for _ in range(dice.randint(0, 2)):  # a straggler
        begin, end = sorted(dice.sample(range(len(parts)), 2))
        if len(parts[begin]) > 1:
            parts[end].append(parts[begin].pop(dice.randrange(len(parts[begin]))))
    at = dice.randint(1, len(parts))
    parts.insert(at, attack([event for part in parts[:at] for event in part], seed))
    whole = in_parts(day, parts)
    count = dice.randint(1, len(whole.parts) - 1)
    end = sum(whole.parts[:count])
    (sealed,) = replay_table_days([replace(whole, events=whole.events[:end], parts=whole.parts[:count])])
    (after,) = replay_table_days([whole])
    assert not grave(sealed) - grave(after), (count, whole.parts)


@pytest.mark.parametrize("game", ["BJ", "F3"])
def test_a_round_without_its_end_is_answered_by_the_part_that_has_it(days: list[TableDay], game: str) -> None:
    day = of(game, days)
    middle = ends_of_rounds(day)[5] - 1  # all but the end of the sixth round
    number = day.events["round"][middle]
    later = ends_of_rounds(day)[7]
    (judged,) = replay_table_days([in_parts(day, cut_at(day, [middle, later]))])
    answered = judged.findings.filter(pl.col("message").str.contains("answered by part"))
    messages = {row["code"]: row["message"] for row in answered.iter_rows(named=True) if row["round"] == number}
    assert "answered by part 1, which came later" in messages["ROUND_NOT_CLOSED"]
    (closed,) = answered.filter(pl.col("code") == "TABLE_NOT_CLOSED")["message"].to_list()
    assert re.search("answered by part 2, which came later$", closed)


@pytest.mark.parametrize("every", [1, 4])
def test_a_table_day_is_not_judged_for_each_part_that_ends_with_a_round(days: list[TableDay], every: int) -> None:
    """The rows that were judged grew with parts times events: now as many whether twelve parts came or three."""
    day = of("BJ", days)
    ends = ends_of_rounds(day)[every - 1 : ROUNDS : every]
    sealed = earlier_states(in_parts(day, cut_at(day, ends)))
    assert [len(one.parts) for one in sealed] == [ROUNDS // every], "it lacked its closing, which the last part has"


def test_a_table_day_is_not_judged_for_each_event_that_comes_late(days: list[TableDay]) -> None:
    """Sealed in the middle of a round; what comes with lower numbers is found and changes nothing."""
    day = of("BJ", days)
    events = list(events_of(day.events))
    middle = ends_of_rounds(day)[5] - 3
    late = events[20:60]
    first = [event for event in events[:middle] if event not in late]
    whole = in_parts(day, [first, *([event] for event in late), events[middle:]])
    assert [len(one.parts) for one in earlier_states(whole)] == [1 + len(late)]


def test_table_days_with_late_parts_are_judged_together_as_they_were_sealed(days: list[TableDay]) -> None:
    parted = [in_parts(day, cut_at(day, [ends_of_rounds(day)[5]])) for day in days]
    asked: list[int] = []

    def judge(some: Sequence[TableDay]) -> list[pl.DataFrame]:
        asked.append(len(some))
        return [one.findings for one in replay_table_days([replace(day, parts=()) for day in some])]

    stood = superseded_findings(parted, [one.findings for one in replay_table_days(days)], judge)
    assert asked == [len(days)]
    assert all("TABLE_NOT_CLOSED" in found["code"] for found in stood)


def test_sealings_of_one_table_day_that_are_judged_together_know_nothing_of_each_other(days: list[TableDay]) -> None:
    """They have one name; what was found of each is its own."""
    day = of("BJ", days)
    sealed = earlier_states(in_parts(day, cut_at(day, [end - 1 for end in ends_of_rounds(day)])))
    assert len(sealed) == ROUNDS
    together = replay_table_days([replace(one, parts=()) for one in sealed])
    for one, among_others in zip(sealed, together, strict=True):
        (alone,) = replay_table_days([replace(one, parts=())])
        assert among_others.findings.equals(alone.findings)


def test_a_table_day_that_was_cut_in_the_middle_of_many_rounds_is_not_judged_sealing_by_sealing(
    days: list[TableDay],
) -> None:
    day = of("BJ", days)
    whole = in_parts(day, cut_at(day, [end - 1 for end in ends_of_rounds(day)]))
    asked: list[int] = []

    def judge(some: Sequence[TableDay]) -> list[pl.DataFrame]:
        asked.append(len(some))
        return [one.findings for one in replay_table_days([replace(one, parts=()) for one in some])]

    superseded_findings([whole], [one.findings for one in replay_table_days([day])], judge)
    assert asked == [ROUNDS], "each sealing costs as much to judge by itself as all of them together"


def test_a_table_day_in_one_part_is_not_judged_again(days: list[TableDay]) -> None:
    def judge(_: Sequence[TableDay]) -> list[pl.DataFrame]:
        raise AssertionError

    findings = [one.findings for one in replay_table_days(days)]
    assert all(found.is_empty() for found in superseded_findings(days, findings, judge))


def test_a_round_begun_behind_the_closing_is_answered_no_more_quietly_than_another() -> None:
    """It is judged as any other, with what shows that the table was closed: what was found of it stands beside its end."""
    day = dt.date(2009, 6, 1)
    begun = "#2 1.main=100@p1 nomore !-?? 1+Kc B+6h 1+9d 1.stand B+Tc B+7d"
    texts = [f"{opened()} #- drop=0 close=50000", begun, "#2 1.main=100>+100@p1 end"]
    stacked = [frame_of("\n".join(texts[:count]), day) for count in (1, 2, 3)]
    first, second, whole = (events.height for events in stacked)
    (replayed,) = replay_table_days([TableDay("T1", day, stacked[-1], parts=(first, second - first, whole - second))])
    answered = replayed.findings.filter(pl.col("message").str.ends_with("answered by part 2, which came later"))
    assert {"ROUND_NOT_CLOSED", "WAGER_UNSETTLED"} <= set(answered["code"])


@pytest.mark.parametrize("ahead", ["#-", "#1", "#2"])
def test_a_closing_answers_no_more_quietly_where_it_bears_the_number_of_a_round(ahead: str) -> None:
    """The books were open when the table-day was sealed, and that was found."""
    first = "open:black_jack:MOP:7=500 shuffle:1:hand:6 #1 1.main=100 nomore 1+Kc B+6h 1+Qd 1.stand B+Tc B+8d 1.main>+100 end"
    day = dt.date(2009, 6, 1)
    events = list(parse_events(f"{first} {ahead} close=400", gaming_day=day))
    sealed, later = (TableDay("T1", day, columns_of(some), parts=(len(some),)) for some in (events[:-1], events))
    (then, now) = replay_table_days([sealed, replace(later, parts=(len(events) - 1, 1))])
    assert not grave(then) - grave(now)
    assert "TABLE_NOT_CLOSED" in then.findings["code"].to_list()
