"""Where clocks are set forward and back, a gaming day still follows upon the one before it, and none comes twice."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from flows.settings import Settings
from producers.recorder import GamingDays
from schemas.event import micros

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
