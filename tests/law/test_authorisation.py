"""Permission for the house's options (57/2009 art. 21), beside ``rounds/authorisation.txt``."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from replayer.engine.replay_settings import ReplaySettings
from replayer.law.authorisation import LONG_AHEAD, Contested, working_days_before
from replayer.law.black_jack.regulation import BlackJackOptions
from replayer.law.rulings import readings_by
from replayer.verdicts.replay import Replayed
from schemas.bounds import FIRST_DAY, LAST_DAY
from tests.texts import opened, replay_text

DAY = dt.date(2009, 6, 1)
"""A Monday; the Thursday before it was the Dragon Boat Festival, so three working days ahead is Tuesday, 26 May."""


def replay(options: str, day: dt.date = DAY, settings: ReplaySettings | None = None) -> Replayed:
    """A round at a table that elected options, of which the first is event 2."""
    text = f"""{opened(options, chips=0, burned=6)}
    #1 1.main=100@p1 nomore 1+Kc B+6h 1+Qd 1.stand B+Tc B+5d 1.main>-100@p1 end #- dealer-D1 drop=0 close=0"""
    return replay_text(text, day, settings)


# How working days are counted


@pytest.mark.parametrize(
    ("adopted", "latest"),
    [
        ("2009-06-12", "2009-06-09"),  # Friday: Thursday, Wednesday, Tuesday
        ("2009-06-08", "2009-06-03"),  # Monday: the weekend does not count
        ("2009-06-07", "2009-06-03"),  # a Sunday itself: Friday, Thursday, Wednesday
        ("2009-06-01", "2009-05-26"),  # Dragon Boat Festival on Thursday, 28 May
        ("2009-01-30", "2009-01-22"),  # Chinese New Year: Monday 26 to Wednesday 28 January
        ("2010-02-18", "2010-02-11"),  # Chinese New Year on a Sunday, 14 February, and the two days after it
        ("2009-10-06", "2009-09-29"),  # National Day and the day after it, Thursday and Friday
        ("2009-12-28", "2009-12-18"),  # Tuesday 22, Thursday 24 and Friday 25 December
        ("0001-01-02", "0001-01-01"),  # no day of the calendar lies three working days ahead
    ],
)
def test_art21_n1_three_working_days_ahead_in_macau(adopted: str, latest: str) -> None:
    assert working_days_before(dt.date.fromisoformat(adopted), 3) == dt.date.fromisoformat(latest)


# Elections


def test_no_date_of_an_authorisation_leaves_a_table_day_unjudged() -> None:
    """Every day that the contract allows (``schemas.bounds``) may stand there, in each place."""
    told = replay("option:bank_soft17=stand").wagers.height
    for day in (FIRST_DAY, LAST_DAY):
        for dates in (f":{day}:{day}:{day}", f"::{day}:", f":{day}::", f":::{day}"):
            assert replay(f"option:bank_soft17=stand:DICJ-7{dates}").wagers.height == told


@pytest.mark.parametrize(
    ("dates", "wanting"),
    [
        ("", "asked for and granted and to be adopted"),
        (":2009-05-04", "granted and to be adopted"),
        (":2009-05-04:2009-05-20", "to be adopted"),
        (":2009-05-04::2009-06-01", "granted"),
        ("::2009-05-20:2009-06-01", "asked for"),
    ],
)
def test_art21_n1_an_authorisation_must_say_when(dates: str, wanting: str) -> None:
    replayed = replay(f"option:resplit_aces=yes:DICJ-7{dates}")
    (row,) = replayed.findings.rows(named=True)
    assert (row["code"], row["article"], row["seq"]) == ("AUTHORISATION_UNDATED", "57/2009 art. 21(1)", 2)
    assert row["message"] == f"resplit_aces=yes by DICJ-7: not told when it was {wanting}"


def test_art21_n1_dates_without_a_reference_are_no_authorisation() -> None:
    replayed = replay("option:resplit_aces=yes::2009-05-04:2009-05-20:2009-06-01")
    (row,) = replayed.findings.rows(named=True)
    assert (row["code"], row["article"]) == ("OPTION_UNAUTHORISED", "57/2009 art. 21(1)")
    assert "no reference" in row["message"]


def test_56_2004_art21_is_assumed_and_says_so() -> None:
    (row,) = replay("option:resplit_aces=yes", dt.date(2005, 6, 1)).findings.rows(named=True)
    assert "not at hand" in row["message"]


def test_a_log_that_does_not_record_authorisations_is_not_held_against_the_table() -> None:
    replayed = replay("option:resplit_aces=yes option:not_recorded=authorisations")
    assert replayed.findings.is_empty()
    assert replayed.table_days["not_checked"].to_list() == ['{"authorisations": 1, "totals": 1}']


def test_only_limits_that_lack_permission_themselves_rest_on_x3() -> None:
    read = readings_by({"X-3": "void"})
    permitted = BlackJackOptions(limit_min=50_00)
    contested = Contested(replace(permitted, surrender=False), permitted, read)
    with read.consulted() as consulted:
        assert contested.limits("main") == (50_00, None)
    assert consulted == set()
    with read.consulted() as consulted:
        assert Contested(replace(permitted, limit_min=10_00), permitted, read).limits("main") == (50_00, None)
    assert consulted == {"X-3"}


def test_options_of_a_what_if_are_not_elections() -> None:
    elected = "option:resplit_aces=yes"
    for settings in (ReplaySettings(options={"resplit_aces": "no"}), ReplaySettings(regulation="bj.56-2004")):
        assert not [code for code in replay(elected, settings=settings).findings["code"] if code.startswith("OPTION_")]


def test_every_week_has_a_working_day_so_that_who_asks_weeks_ahead_is_in_time() -> None:
    """There the calendar of holidays is not loaded, which takes a tenth of a second."""
    days = [dt.date(1999, 12, 20) + dt.timedelta(days=number) for number in range(60 * 365)]
    assert max((day - working_days_before(day, 1)).days for day in days) <= LONG_AHEAD
