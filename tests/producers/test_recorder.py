"""What the recorder refuses, how it numbers, and to which gaming day it books."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from flows.settings import Settings
from producers.recorder import GamingDays, Recorder, now
from producers.sinks.memory import MemorySink
from schemas.codec import decode
from schemas.event import CardAt, EventRejected, Wager, micros


def at(text: str) -> int:
    return micros(dt.datetime.fromisoformat(text))


def test_an_event_that_is_refused_uses_up_no_number() -> None:
    sink = MemorySink()
    recorder = Recorder(sink, "T1")
    recorder.record("WagersClosed", round=1, at=1)
    with pytest.raises(EventRejected, match=r"wager\.stake_minor"):
        recorder.record("WagerPlaced", round=1, at=2, wager=Wager("main", 1, -5))
    with pytest.raises(EventRejected, match=r"wager\.stake_minor is 1\.5"):
        recorder.record("WagerPlaced", round=1, at=2, wager=Wager("main", 1, 1.5))  # type: ignore[arg-type]
    with pytest.raises(EventRejected, match="needs round"):
        recorder.record("WagersClosed", at=3)
    assert recorder.record("WagersClosed", round=2, at=4).seq == 2
    recorder.flush()
    assert [decode(message).seq for message in sink.messages("T1")] == [1, 2]


def test_the_clock_is_asked_only_when_no_time_is_given() -> None:
    ticks = iter([at("2026-01-05T12:00:00+00:00")])
    recorder = Recorder(MemorySink(), "T1", clock=lambda: next(ticks))
    assert recorder.record("WagersClosed", round=1, at=7).at == 7
    assert recorder.record("WagersClosed", round=1, at=dt.datetime(1970, 1, 1, tzinfo=dt.UTC)).at == 0
    assert recorder.record("WagersClosed", round=1).at == at("2026-01-05T12:00:00+00:00")
    with pytest.raises(StopIteration):
        recorder.record("WagersClosed", round=1)


def test_a_clock_may_tell_what_a_time_may_be() -> None:
    """A moment with a zone was refused as no 'datetime with a zone'."""
    clock = iter([dt.datetime(2026, 1, 5, 20, tzinfo=ZoneInfo("Asia/Macau")), dt.datetime(2026, 1, 5)])  # noqa: DTZ001
    recorder = Recorder(MemorySink(), "T1", clock=lambda: next(clock))
    assert recorder.record("WagersClosed", round=1).at == at("2026-01-05T12:00:00+00:00")
    with pytest.raises(EventRejected, match="no time zone"):
        recorder.record("WagersClosed", round=1)


def test_the_machines_clock_is_utc_microseconds() -> None:
    before = dt.datetime.now(dt.UTC)
    assert micros(before) <= now() <= micros(before) + 60_000_000


def test_a_time_without_zone_is_refused() -> None:
    with pytest.raises(EventRejected, match="no time zone"):
        Recorder(MemorySink(), "T1").record("WagersClosed", round=1, at=dt.datetime(2026, 1, 5))  # noqa: DTZ001


@pytest.mark.parametrize("moment", [2**62, -(2**62), 1 << 9999], ids=["late", "early", "long"])
def test_a_time_beyond_the_calendar_is_refused(moment: int) -> None:
    with pytest.raises(EventRejected, match=r"at is .*; it is"):
        Recorder(MemorySink(), "T1").record("WagersClosed", round=1, at=moment)


@pytest.mark.parametrize("wrong", [1.5, True, "now"])
def test_a_time_that_is_no_whole_number_is_refused(wrong: object) -> None:
    with pytest.raises(EventRejected, match="at is"):
        Recorder(MemorySink(), "T1").record("WagersClosed", round=1, at=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        ("2026-01-05T06:00:00+08:00", "2026-01-05"),
        ("2026-01-06T05:59:59.999999+08:00", "2026-01-05"),
        ("2026-01-06T06:00:00+08:00", "2026-01-06"),
        ("2026-01-01T00:00:00+08:00", "2025-12-31"),
    ],
)
def test_a_gaming_day_runs_from_six_to_six_in_macau(moment: str, day: str) -> None:
    recorder = Recorder(MemorySink(), "T1")
    assert recorder.record("WagersClosed", round=1, at=at(moment)).gaming_day == dt.date.fromisoformat(day)


def test_a_gaming_day_follows_the_zone_and_its_clock_changes() -> None:
    malta = GamingDays(ZoneInfo("Europe/Malta"), dt.time(5))
    recorder = Recorder(MemorySink(), "T1", gaming_days=malta)
    for moment, day in [
        ("2026-03-29T02:59:00+00:00", "2026-03-28"),  # summer time since 01:00 UTC: 04:59
        ("2026-03-29T03:00:00+00:00", "2026-03-29"),
        ("2026-10-25T03:59:00+00:00", "2026-10-24"),  # winter time again: 04:59
        ("2026-10-25T04:00:00+00:00", "2026-10-25"),
        ("2026-03-29T02:59:00+00:00", "2026-03-28"),  # a clock that goes back does not keep the later day
    ]:
        assert recorder.record("WagersClosed", round=1, at=at(moment)).gaming_day == dt.date.fromisoformat(day)


@pytest.mark.parametrize(
    ("zone", "cut_off", "day"),
    [
        ("Europe/Malta", dt.time(2, 30), dt.date(2026, 3, 29)),  # skipped: 02:00 to 03:00
        ("Europe/Malta", dt.time(2, 30), dt.date(2026, 10, 25)),  # comes twice
        ("America/Sao_Paulo", dt.time(0, 30), dt.date(2018, 11, 4)),  # skipped: 00:00 to 01:00
    ],
)
def test_a_gaming_day_has_the_moments_from_its_beginning_where_the_clock_is_set_in_that_hour(
    zone: str, cut_off: dt.time, day: dt.date
) -> None:
    """Where the hour is skipped, a recorder that began in it dated half an hour otherwise than one that had begun before."""
    days = GamingDays(ZoneInfo(zone), cut_off)
    begin = days.begin(day)
    assert begin - days.begin(day - dt.timedelta(days=1)) == 24 * 3_600_000_000
    for before in range(-5_400, 0, 60):
        assert days.of(begin + before * 1_000_000) == day - dt.timedelta(days=1)
    for after in range(0, 5_400, 60):
        assert days.of(begin + after * 1_000_000) == day


def test_a_gaming_day_that_is_given_is_kept() -> None:
    given = dt.date(2026, 1, 1)
    event = Recorder(MemorySink(), "T1").record(
        "WagersClosed", round=1, at=at("2026-01-09T12:00:00Z"), gaming_day=given
    )
    assert event.gaming_day == given


def test_the_event_recorded_is_the_event_written() -> None:
    sink = MemorySink()
    recorder = Recorder(sink, "T1")
    event = recorder.record("CardDealt", round=3, at=5, card=CardAt(None, 0, None, "down"))
    recorder.flush()
    assert [decode(message) for message in sink.messages("T1")] == [event]


@pytest.mark.parametrize(
    ("arguments", "more", "says"),
    [
        (("archive", "T1"), {}, "sink is a str; give a sink, such as ArchiveSink"),
        ((MemorySink(), 5), {}, "table_id is 5; give the table's id as a text"),
        ((MemorySink(), "T1"), {"clock": 5}, "clock is 5; give a function"),
        ((MemorySink(), "T1"), {"gaming_days": "06:00"}, "gaming_days is '06:00'; give GamingDays"),
    ],
)
def test_an_argument_of_another_type_is_told_with_what_is_wanted(
    arguments: tuple[Any, ...], more: dict[str, Any], says: str
) -> None:
    with pytest.raises(TypeError, match=says):
        Recorder(*arguments, **more)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("Asia/Macau",), "zone is 'Asia/Macau'; give a zone, such as"),
        ((ZoneInfo("Asia/Macau"), "06:00"), "cut_off is '06:00'; give the time in that zone"),
        ((ZoneInfo("Asia/Macau"), dt.time(6, tzinfo=dt.UTC)), "give the time in that zone"),
    ],
)
def test_gaming_days_of_another_type_are_refused_before_a_table_plays(arguments: tuple[Any, ...], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        GamingDays(*arguments)


# Clocks that are set forward and back


LISBON = ZoneInfo("Europe/Lisbon")
FORWARD, BACK = dt.date(2026, 3, 29), dt.date(2026, 10, 25)
"""At 01:00 UTC it is 02:00 summer time in Lisbon from the first of these days on, and 01:00 again on the second."""


@pytest.mark.parametrize("set_on", [FORWARD, BACK])
@pytest.mark.parametrize("begins", [dt.time(0), dt.time(1), dt.time(1, 30), dt.time(2), dt.time(6)])
def test_no_gaming_day_comes_twice_where_the_clock_is_set(set_on: dt.date, begins: dt.time) -> None:
    days = GamingDays(LISBON, begins)
    noon = dt.datetime.combine(set_on - dt.timedelta(days=1), dt.time(12), dt.UTC)
    minutes = [noon + dt.timedelta(minutes=each) for each in range(48 * 60)]
    named = [days.of(micros(each)) for each in minutes]
    assert all(later - before in (dt.timedelta(0), dt.timedelta(days=1)) for before, later in pairwise(named))
    assert named[-1] == set_on + dt.timedelta(days=1)
    settings = Settings(time_zone=LISBON, gaming_day_begins=begins)
    assert [settings.last_gaming_day(each) for each in minutes] == [day - dt.timedelta(days=1) for day in named]
    first = minutes[named.index(set_on)]
    if not (set_on == FORWARD and begins in (dt.time(1), dt.time(1, 30))):  # that time did not come on that morning
        assert micros(first) == days.begin(set_on)
        assert first.astimezone(LISBON).time() == begins


@pytest.mark.parametrize("set_on", [FORWARD, BACK])
def test_a_night_is_about_the_day_that_ended_whatever_hour_the_clock_took_or_gave(set_on: dt.date) -> None:
    settings = Settings(time_zone=LISBON, gaming_day_begins=dt.time(6))
    end = settings.end_of(set_on - dt.timedelta(days=1))
    assert end.astimezone(dt.UTC).hour == (5 if set_on == FORWARD else 6)
    for after in range(24 * 60 - 61):
        now = (end + dt.timedelta(0)).astimezone(dt.UTC) + dt.timedelta(minutes=after)
        assert settings.last_gaming_day(now) == set_on - dt.timedelta(days=1)
    assert settings.last_gaming_day(end.astimezone(dt.UTC) - dt.timedelta(seconds=1)) == set_on - dt.timedelta(days=2)
