"""Permission for the house's options: 57/2009 art. 21, the same assumed of 56/2004, none asked elsewhere."""

from __future__ import annotations

import datetime as dt

import pytest

from replayer.engine.rules_in_force import ReplaySettings
from replayer.law.authorisation import LONG_AHEAD, working_days_before
from replayer.verdicts.replay import Replayed
from schemas.bounds import FIRST_DAY, LAST_DAY
from tests.texts import replay_text

DAY = dt.date(2009, 6, 1)
"""A Monday; the Thursday before it was the Dragon Boat Festival, so three working days ahead is Tuesday, 26 May."""

GRANTED = "DICJ-7:2009-05-04:2009-05-20:2009-06-01"
"""An authorisation in good time: its reference, when it was asked for, granted and adopted."""

BURNS = " ".join(["!-??"] * 6)
ROUND = """#1 {more} 1.main=100@p1 nomore {burns} 1+Kc B+6h 1+Qd 1.stand B+Tc B+5d 1.main>-100@p1 {paid} end"""


def replay(
    options: str, *, day: dt.date = DAY, more: str = "", paid: str = "", settings: ReplaySettings | None = None
) -> Replayed:
    text = f"""open:black_jack:MOP:7=0 {options} dealer+D1 shuffle:1:hand:6 cut:1:player white:1:60
    {ROUND.format(burns=BURNS, more=more, paid=paid)} #- dealer-D1 drop=0 close=0"""
    return replay_text(text, day, settings)


def found(options: str, **more: object) -> list[tuple[str, str, int]]:
    """Code, article and position of each finding; the first option is event 2."""
    rows = replay(options, **more).findings.select("code", "article", "seq").rows()  # type: ignore[arg-type]
    return [row for row in rows if row[0].startswith(("OPTION_", "WAGER_U", "AUTHORISATION_"))]


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


def test_art21_n1_a_choice_with_its_permission_in_time_is_right() -> None:
    assert found("option:burn_initial=per_deck option:decks=6") == []
    assert found("option:resplit_aces=yes:DICJ-7:2009-05-26:2009-05-29:2009-06-01") == []


def test_art21_n1_a_choice_without_permission() -> None:
    assert found("option:resplit_aces=yes") == [("OPTION_UNAUTHORISED", "57/2009 art. 21(1)", 2)]


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


def test_art21_n2_sets_no_time_for_asking_so_only_the_grant_is_dated() -> None:
    assert found("option:surrender=off:DICJ-7::2009-05-20") == []
    assert found("option:surrender=off:DICJ-7:2009-05-04") == [("AUTHORISATION_UNDATED", "57/2009 art. 21(2)", 2)]


def test_art21_n1_what_dates_there_are_is_held_against_the_law_all_the_same() -> None:
    assert found("option:resplit_aces=yes:DICJ-7:2009-05-28") == [
        ("AUTHORISATION_UNDATED", "57/2009 art. 21(1)", 2),
        ("OPTION_REQUESTED_LATE", "57/2009 art. 21(1)", 2),
    ]


def test_art21_n1_dates_without_a_reference_are_no_authorisation() -> None:
    replayed = replay("option:resplit_aces=yes::2009-05-04:2009-05-20:2009-06-01")
    (row,) = replayed.findings.rows(named=True)
    assert (row["code"], row["article"]) == ("OPTION_UNAUTHORISED", "57/2009 art. 21(1)")
    assert "no reference" in row["message"]


def test_what_the_regulation_says_anyway_is_no_choice() -> None:
    usual = "option:resplit_aces=no option:bank_soft17=hit option:burn_later=none option:insurance_accepts=1/2..1"
    assert found(usual) == []
    assert found("option:bank_soft17=stand") == [("OPTION_UNAUTHORISED", "57/2009 art. 21(1)", 2)]


def test_limits_and_what_the_log_lacks_are_no_options_of_an_article() -> None:
    assert found("option:limit_min=50 option:not_recorded=totals") == []


def test_art21_n1_asked_for_too_late() -> None:
    late = "option:resplit_aces=yes:DICJ-7:2009-05-27:2009-05-29:2009-06-01"
    assert found(late) == [("OPTION_REQUESTED_LATE", "57/2009 art. 21(1)", 2)]


def test_art21_n1_in_use_before_the_day_for_which_it_was_allowed() -> None:
    early = "option:resplit_aces=yes:DICJ-7:2009-05-04:2009-05-29:2009-06-02"
    assert found(early) == [("OPTION_USED_EARLY", "57/2009 art. 21(1)", 2)]


def test_art21_n1_in_use_before_it_was_allowed() -> None:
    early = "option:resplit_aces=yes:DICJ-7:2009-05-04:2009-06-02:2009-06-01"
    assert found(early) == [("OPTION_USED_EARLY", "57/2009 art. 21(1)", 2)]


def test_a_gaming_day_crosses_into_the_day_on_which_an_option_may_be_used() -> None:
    rounds = "\n".join(
        f"#{number} @{clock} 1.perfect_pair=1@p1 1.main=100@p1 nomore {BURNS} 1+Kc B+6h 1+Qd 1.stand B+Tc B+5d end"
        for number, clock in ((1, "15:00:00"), (2, "16:00:00"))
    )
    option = "option:side_perfect_pair=on:DICJ-7:2009-05-04:2009-05-29:2009-06-02"
    text = f"open:black_jack:MOP:7=0 {option} {rounds}"
    replayed = replay_text(text, DAY)
    early = replayed.findings.filter(replayed.findings["code"] == "WAGER_UNAUTHORISED")
    assert early["round"].to_list() == [1]  # 15:00 UTC is 23:00 of 1 June in Macau, 16:00 is midnight


def test_art21_n2_prizes_left_out_need_permission_and_no_three_days() -> None:
    assert found("option:special_prizes=off") == [("OPTION_UNAUTHORISED", "57/2009 art. 21(2)", 2)]
    assert found("option:surrender=off:DICJ-7:2009-05-31:2009-06-01:2009-06-01") == []


# Wagers with a permission of their own


@pytest.mark.parametrize(("option", "wager"), [("side_perfect_pair", "perfect_pair"), ("side_streak", "streak_2")])
def test_art21_n3_wagers_that_need_their_own_permission(option: str, wager: str) -> None:
    lost = {"more": f"1.{wager}=10@p1", "paid": f"1.{wager}>-10@p1"}
    assert found(f"option:{option}=on:{GRANTED}", **lost) == []
    assert found(f"option:{option}=on", **lost) == [
        ("OPTION_UNAUTHORISED", "57/2009 art. 21(3)", 2),
        ("WAGER_UNAUTHORISED", "57/2009 art. 21(3)", 7),
    ]


def test_art21_n1_any_pair_shares_the_permission_of_art13() -> None:
    lost = {"more": "1.any_pair=10@p1", "paid": "1.any_pair>-10@p1"}
    assert found("option:side_any_pair=on", **lost) == [("OPTION_UNAUTHORISED", "57/2009 art. 21(1)", 2)]


@pytest.mark.parametrize("wager", ["any_pair", "perfect_pair", "streak_2"])
def test_x3_under_void_an_unauthorised_wager_gets_its_stake_back(wager: str) -> None:
    option = "option:side_{}=on".format(wager.removesuffix("_2"))
    lost = {"more": f"1.{wager}=10@p1", "paid": f"1.{wager}>-10@p1"}
    due = {}
    for reading in ("finding", "void"):
        for reference in ("", f":{GRANTED}"):
            replayed = replay(option + reference, settings=ReplaySettings(readings={"X-3": reading}), **lost)  # type: ignore[arg-type]
            row = replayed.wagers.filter(replayed.wagers["wager"] == wager).row(0, named=True)
            due[reading, reference] = row["due_minor"]
            assert ("X-3" in row["rulings"].split()) is (reference == "")
    permitted = f":{GRANTED}"
    assert due == {("finding", ""): -1000, ("finding", permitted): -1000, ("void", ""): 0, ("void", permitted): -1000}


def due_of(options: str, play: str, reading: str) -> tuple[int, bool]:
    """What the main wager of a round is due under a reading of X-3, and whether that hangs on it."""
    text = f"""open:black_jack:MOP:7=0 {options} shuffle:1:hand:6 cut:1:player white:1:60
    #1 1.main=100@p1 nomore {BURNS} {play} end"""
    settings = ReplaySettings(readings={"unauthorised": reading})
    wagers = replay_text(text, DAY, settings).wagers
    (row,) = wagers.filter(wagers["wager"] == "main").rows(named=True)
    return row["due_minor"], "X-3" in row["rulings"].split()


THREE_SEVENS = "1+7c B+Tc 1+7d 1.hit 1+7h B+9d"
SEVENTEEN = "1+Tc B+Th 1+7d 1.stand B+9d"


def test_x3_under_void_the_house_did_not_leave_out_the_special_prize() -> None:
    """Art. 21(2): without permission art. 15 applies, and pays three times the bet instead of the 21 against 19."""
    left_out = "option:special_prizes=off"
    assert due_of(left_out, THREE_SEVENS, "finding") == (100_00, True)
    assert due_of(left_out, THREE_SEVENS, "void") == (300_00, True)
    assert due_of(f"{left_out}:{GRANTED}", THREE_SEVENS, "void") == (100_00, False)
    assert due_of(left_out, SEVENTEEN, "void") == (-100_00, False)


def test_x3_under_void_the_house_did_not_choose_to_stand_on_a_soft_17() -> None:
    def found_under(reading: str) -> list[str]:
        text = f"""open:black_jack:MOP:7=0 option:bank_soft17=stand shuffle:1:hand:6 cut:1:player white:1:60
        #1 1.main=100@p1 nomore {BURNS} 1+Tc B+6h 1+8d 1.stand B+Ah 1.main>+100@p1 end #- close=0"""
        settings = ReplaySettings(readings={"X-3": reading})
        return replay_text(text, DAY, settings).findings["code"].to_list()

    assert found_under("finding") == ["OPTION_UNAUTHORISED"]
    assert "BANK_DID_NOT_DRAW" in found_under("void")


def test_x3_table_shoe_and_deal_are_as_they_are_under_either_reading() -> None:
    """Eight decks lie in the shoe and eight cards are burned, with permission or without."""
    for reading in ("finding", "void"):
        text = f"""open:black_jack:MOP:7=0 option:decks=8 shuffle:1:hand:8 cut:1:player white:1:60
        #1 1.main=100@p1 nomore {BURNS} !-?? !-?? {SEVENTEEN} 1.main>-100@p1 end #- close=0"""
        settings = ReplaySettings(readings={"X-3": reading})
        replayed = replay_text(text, DAY, settings)
        assert replayed.findings["code"].to_list() == ["OPTION_UNAUTHORISED"]
        assert replayed.wagers["rulings"].to_list() == [""]


# Elected again


PERMITTED = f"option:double_modes=eleven:{GRANTED}"
DOUBLED_TEN = "1+5c B+7h 1+5d 1.double 1.double=100@p1 1+9c B+Tc"


def test_art21_n1_a_permitted_choice_that_is_told_again_needs_no_second_permission() -> None:
    lost = {"more": "1.perfect_pair=10@p1", "paid": "1.perfect_pair>-10@p1"}
    for again in ("option:side_perfect_pair=on", "option:side_perfect_pair=on:DICJ-8:2009-05-04:2009-06-08:2009-06-08"):
        rows = found(f"option:side_perfect_pair=on:{GRANTED} {again}", **lost)
        assert rows == ([] if "DICJ-8" not in again else [("OPTION_USED_EARLY", "57/2009 art. 21(3)", 3)])


def test_art21_n1_a_choice_without_permission_is_not_permitted_by_telling_it_again() -> None:
    assert found("option:resplit_aces=yes option:resplit_aces=yes") == [
        ("OPTION_UNAUTHORISED", "57/2009 art. 21(1)", 2)
    ]


def test_art21_n1_a_permitted_choice_changed_without_permission() -> None:
    assert found(f"{PERMITTED} option:double_modes=first_two") == [("OPTION_UNAUTHORISED", "57/2009 art. 21(1)", 3)]


def test_x3_under_void_a_change_without_permission_leaves_what_was_permitted() -> None:
    """Permitted is to double on eleven alone: a change to any first two cards is void, and a ten doubled against the rules."""

    def refused(more: str, reading: str) -> bool:
        text = f"""open:black_jack:MOP:7=0 {PERMITTED} {more} shuffle:1:hand:6 cut:1:player white:1:60
        #1 1.main=100@p1 nomore {BURNS} {DOUBLED_TEN} end #- close=0"""
        settings = ReplaySettings(readings={"X-3": reading})
        return "DOUBLE_REFUSED" in replay_text(text, DAY, settings).findings["code"].to_list()

    unpermitted, early = "option:double_modes=first_two", "option:double_modes=first_two:DICJ-8:2009-05-04::2009-06-08"
    for more in (unpermitted, early):
        assert (refused(more, "finding"), refused(more, "void")) == (False, True)
    assert refused(f"{unpermitted}:{GRANTED} {unpermitted}", "void") is False
    assert refused(f"{unpermitted}:{GRANTED} {PERMITTED} {early}", "void") is True


# Where nothing is asked, or nothing can be known


def test_56_2004_art21_is_assumed_and_says_so() -> None:
    day = dt.date(2005, 6, 1)
    replayed = replay("option:resplit_aces=yes", day=day)
    (row,) = replayed.findings.rows(named=True)
    assert (row["code"], row["article"]) == ("OPTION_UNAUTHORISED", "56/2004 art. 21")
    assert "not at hand" in row["message"]
    assert found("option:resplit_aces=yes", day=dt.date(2008, 6, 2)) == [
        ("OPTION_UNAUTHORISED", "56/2004 art. 21 (42/2007)", 2)
    ]


def test_141_2000_and_other_houses_ask_no_permission() -> None:
    assert found("option:decks=8", day=dt.date(2003, 6, 2)) == []
    assert found("option:regulation=bj.house option:resplit_aces=yes") == []


def test_a_log_that_does_not_record_authorisations_is_not_held_against_the_table() -> None:
    replayed = replay("option:resplit_aces=yes option:not_recorded=authorisations")
    assert replayed.findings.is_empty()
    assert replayed.table_days["not_checked"].to_list() == ['{"authorisations": 1, "totals": 1}']


def test_options_of_a_what_if_are_not_elections() -> None:
    settings = ReplaySettings(options={"resplit_aces": "no"})
    assert found("option:resplit_aces=yes", settings=settings) == []
    assert found("option:resplit_aces=yes", settings=ReplaySettings(regulation="bj.56-2004")) == []


def test_every_week_has_a_working_day_so_that_who_asks_weeks_ahead_is_in_time() -> None:
    """There the calendar of holidays is not loaded, which takes a tenth of a second."""
    days = [dt.date(1999, 12, 20) + dt.timedelta(days=number) for number in range(60 * 365)]
    assert max((day - working_days_before(day, 1)).days for day in days) <= LONG_AHEAD
