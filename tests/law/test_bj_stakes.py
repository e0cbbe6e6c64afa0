"""Black Jack wagers as they are placed: which, when, how high, by whom (57/2009 arts. 3, 12, 13, 16, 17, 20)."""

from __future__ import annotations

import datetime as dt
import re

import pytest

from replayer.engine.rules_in_force import ReplaySettings
from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000, DCE_141_2000_AS_MADE
from replayer.outcomes import Judgement
from replayer.symbols import ADDITIONAL_CARD, BANK_OPEN, BETS_CLOSED, CARD_DEALT, HOLE_CHECKED
from replayer.wagers import StakeSituation
from tests.law.rules import rules
from tests.texts import replay_text

DAY = dt.date(2009, 6, 1)
SIDES = {f"side_{name}": "on" for name in ("any_pair", "sevens", "over_under", "perfect_pair", "streak")}
BEFORE = 0
DEALT = BETS_CLOSED | CARD_DEALT
LATER = DEALT | ADDITIONAL_CARD


def judge(
    kind: str,
    stake: int = 10000,
    base: int | None = 10000,
    moment: int = BEFORE,
    *,
    hand: int = 0,
    position: int | None = None,
    seats: int = 1,
    beside: str = "",
    running: str = "",
    bettors: int = 1,
    before: int = 0,
    begun: bool = False,
    regulation: object = DSEF_57_2009,
    readings: dict[str, str] | None = None,
    **elected: str,
) -> Judgement:
    situation = StakeSituation(
        kind, hand, moment, stake, base, position, seats, beside, running, bettors, before, begun
    )
    return GAME.placing.judge(situation, rules(regulation, readings, **elected))


def codes(*args: object, **settings: object) -> list[str]:
    return [breach.code for breach in judge(*args, **settings).breaches]


# Art. 13, 21: which wagers there are


@pytest.mark.parametrize("kind", ["any_pair", "sevens", "over_13", "under_13", "perfect_pair", "streak_2", "streak_5"])
def test_art21_n3_additional_wagers_only_as_elected(kind):
    assert codes(kind, **SIDES) == []
    assert codes(kind) == ["WAGER_NOT_OFFERED"]


def test_wagers_that_the_text_does_not_have():
    assert codes("lucky_ladies", **SIDES) == ["WAGER_UNKNOWN"]
    assert codes("streak_6", **SIDES) == ["WAGER_UNKNOWN"]
    assert codes("any_pair", regulation=DCE_141_2000) == ["WAGER_UNKNOWN"]
    assert codes("perfect_pair", regulation=DSEF_56_2004) == ["WAGER_UNKNOWN"]
    assert codes("any_pair", regulation=DSEF_56_2004, side_any_pair="on") == []


def test_bj38_a_stake_on_a_split_hand():
    assert codes("any_pair", 500, None, LATER, hand=1, **SIDES) == []
    for reading in ("repeat", "once"):
        settings = {"readings": {"BJ-38": reading}, **SIDES}
        assert codes("any_pair", 500, None, LATER, hand=1, **settings) == ["WAGER_NOT_OFFERED"]
    assert codes("perfect_pair", hand=1, **SIDES) == ["WAGER_NOT_OFFERED"]


# When


@pytest.mark.parametrize("kind", ["main", "any_pair", "sevens", "over_13", "under_13", "perfect_pair", "streak_3"])
@pytest.mark.parametrize("moment", [BETS_CLOSED, CARD_DEALT, DEALT, LATER])
def test_no_wager_after_the_close_or_the_first_card(kind, moment):
    assert codes(kind, **SIDES) == []
    assert codes(kind, moment=moment, **SIDES) == ["WAGER_AFTER_CLOSE"]


def test_art13_n2_cites_the_item_of_the_wager():
    assert judge("sevens", moment=DEALT, **SIDES).breaches[0].article == "57/2009 art. 13(2)"
    assert judge("main", moment=DEALT).breaches[0].article == "57/2009 art. 5(1)"


@pytest.mark.parametrize("kind", ["double", "split", "insurance"])
def test_wagers_on_a_hand_follow_the_deal(kind):
    assert codes(kind, moment=BEFORE) == ["WAGER_TOO_EARLY"]
    assert codes(kind, moment=DEALT) == []
    assert codes(kind, moment=DEALT | BANK_OPEN) == ["WAGER_TOO_LATE"]


def test_double_and_split_come_after_other_players_cards_and_after_the_check():
    for kind in ("double", "split"):
        assert codes(kind, moment=LATER | HOLE_CHECKED) == []


def test_bj16_insurance_before_the_first_additional_card():
    assert codes("insurance", moment=LATER) == ["WAGER_TOO_LATE"]
    assert codes("insurance", moment=LATER, readings={"BJ-16": "before_bank_second"}) == []
    for reading in ("before_additional_card", "before_bank_second"):
        assert codes("insurance", moment=DEALT | HOLE_CHECKED, readings={"BJ-16": reading}) == ["WAGER_TOO_LATE"]


def test_moments_that_the_source_does_not_record_are_named():
    answer = judge("main", moment=LATER, not_recorded="times")
    assert answer.breaches == ()
    assert answer.not_checked == ("times",)


# How high


def test_a_stake_is_more_than_nothing():
    assert codes("main", 0) == ["STAKE_NOT_POSITIVE"]
    assert codes("main", 1) == []


def test_limits_posted_at_the_table():
    limits = {"limit_min": "100", "limit_max": "500"}
    assert codes("main", 9999, **limits) == ["STAKE_OUTSIDE_LIMITS"]
    assert codes("main", 10000, **limits) == codes("main", 50000, **limits) == []
    assert codes("main", 50001, **limits) == ["STAKE_OUTSIDE_LIMITS"]
    assert codes("main", 1) == []


def test_art16_n2_each_split_hand_carries_the_same():
    assert codes("split", 10000, 10000, DEALT, hand=1) == []
    assert codes("split", 5000, 10000, DEALT, hand=1) == ["STAKE_UNEQUAL"]
    assert codes("split", 15000, 10000, DEALT, hand=1) == ["STAKE_UNEQUAL"]
    assert judge("split", 5000, 10000, DEALT, hand=1).breaches[0].article == "57/2009 art. 16(2)"


def test_bj65_double_for_the_same_or_for_less():
    assert codes("double", 10000, 10000, DEALT) == []
    assert codes("double", 5000, 10000, DEALT) == ["STAKE_UNEQUAL"]
    less = {"readings": {"BJ-65": "yes"}}
    assert codes("double", 5000, 10000, DEALT, **less) == []
    assert codes("double", 15000, 10000, DEALT, **less) == ["STAKE_UNEQUAL"]


@pytest.mark.parametrize(
    ("stake", "half_to_full", "ceiling"),
    [(4999, True, False), (5000, False, False), (10000, False, False), (10001, True, True), (1, True, False)],
)
def test_bj15_insurance_from_half_to_the_whole(stake, half_to_full, ceiling):
    for reading, breaks in (("half_to_full", half_to_full), ("ceiling", ceiling)):
        got = codes("insurance", stake, 10000, DEALT, readings={"BJ-15": reading})
        assert got == (["INSURANCE_BOUNDS"] if breaks else [])


def test_art12_n1_half_of_an_odd_stake_is_exact():
    assert codes("insurance", 13, 25, DEALT) == []
    assert codes("insurance", 12, 25, DEALT) == ["INSURANCE_BOUNDS"]


def test_art12_n1_what_the_bank_elected_to_accept():
    assert codes("insurance", 10000, 10000, DEALT, insurance_accepts="1/2") == ["INSURANCE_BOUNDS"]
    assert codes("insurance", 5000, 10000, DEALT, insurance_accepts="1/2") == []


@pytest.mark.parametrize(("stake", "right"), [(1, True), (5000, True), (5001, False), (10000, False)])
def test_2000_art8_insurance_has_a_ceiling_only(stake, right):
    answer = judge("insurance", stake, 10000, DEALT, regulation=DCE_141_2000)
    assert [b.code for b in answer.breaches] == ([] if right else ["INSURANCE_BOUNDS"])
    assert right or answer.breaches[0].article == "141/2000 art. 8"


@pytest.mark.parametrize(
    ("kind", "moment", "article"),
    [
        ("double", DEALT, "17(1)"),  # "the player may double his bet"
        ("split", DEALT, "16(1)"),
        ("insurance", DEALT, "12(1)"),  # a part of the original bet
        ("perfect_pair", BEFORE, "13(4)"),  # "of the player's hand" (BJ-45)
        ("streak_2", BEFORE, "13(5)"),  # rounds "won by the player"
    ],
)
def test_wagers_that_rest_on_a_main_wager_cite_where_it_says_so(kind, moment, article):
    (breach,) = judge(kind, 5000, None, moment, **SIDES).breaches
    assert (breach.code, breach.article) == ("WAGER_WITHOUT_BASE", f"57/2009 art. {article}")


def test_art13_n1_any_pair_may_be_on_any_players_hand():
    assert codes("any_pair", 5000, None, **SIDES) == []


# By whom


def test_art3_n2_seats_per_player():
    assert codes("main", seats=3) == []
    assert codes("main", seats=3, max_seats_per_player="3") == []
    assert codes("main", seats=3, max_seats_per_player="2") == ["SEATS_PER_PLAYER"]
    assert judge("main", seats=3, max_seats_per_player="2").breaches[0].article == "57/2009 art. 3(2)"


@pytest.mark.parametrize(("opened", "elected", "seats"), [(7, "", 7), (9, "", 9), (7, "option:seats=6", 6), (6, "", 6)])
def test_art3_n1_seats_as_the_layout_shows(opened, elected, seats):
    bets = " ".join(f"{seat}.main=100@p{seat}" for seat in range(1, 12))
    table = f"open:black_jack:MOP:{opened}=0 {elected} #1 {bets} nomore end #- close=0"
    found = replay_text(table, DAY).findings
    beyond = found.filter(found["code"] == "SEAT_NOT_ON_LAYOUT")
    assert sorted(beyond["seat"]) == list(range(seats + 1, 12))
    assert set(beyond["article"]) == {"57/2009 art. 3(1)"}


def test_141_2000_art2_n3_one_seat_a_player_where_one_deck_is_used():
    of_2000 = {"regulation": DCE_141_2000, "readings": {"BJ-35": "text_of_2000"}}
    assert codes("main", seats=1, decks="1", **of_2000) == []
    assert codes("main", seats=2, decks="6", **of_2000) == []
    (breach,) = judge("main", seats=2, decks="1", **of_2000).breaches
    assert (breach.code, breach.article) == ("SEATS_PER_PLAYER", "141/2000 art. 2(3)")


def test_bj35_after_69_2000_nothing_is_held_against_anyone():
    assert codes("main", seats=3, regulation=DCE_141_2000, decks="1") == []
    assert codes("main", seats=3, regulation=DCE_141_2000_AS_MADE, decks="1") == ["SEATS_PER_PLAYER"]


@pytest.mark.parametrize("reading", ["unchecked", "text_of_2000"])
@pytest.mark.parametrize(("day", "text_at_hand"), [("2000-12-31", True), ("2001-01-04", True), ("2001-01-05", False)])
def test_bj35_art2_n3_of_2000_holds_until_69_2000_is_in_force(day, text_at_hand, reading):
    table = "open:black_jack:MOP:7=0 option:decks=1 option:device=box shuffle:1:hand:1 cut:1:bank !-??"
    bets = "@04:00:00 1.main=100@p1 2.main=100@p1 8.main=100@p2 nomore"
    settings = ReplaySettings(readings={"BJ-35": reading})
    found = replay_text(f"{table} #1 {bets} end #- close=0", dt.date.fromisoformat(day), settings).findings
    seats = found.filter(found["code"].is_in(["SEATS_PER_PLAYER", "SEAT_NOT_ON_LAYOUT"]))
    held = text_at_hand or reading == "text_of_2000"
    assert seats["code"].to_list() == (["SEATS_PER_PLAYER", "SEAT_NOT_ON_LAYOUT"] if held else [])
    assert set(seats["article"]) <= {"141/2000 art. 2(3)"}


@pytest.mark.parametrize(("day", "text_at_hand"), [("2001-01-04", True), ("2001-01-05", False)])
def test_bj35_how_many_seats_a_layout_has_is_unknown_when_69_2000_is_in_force(day, text_at_hand):
    for seats, within in ((5, False), (6, True), (7, True), (8, False)):
        for elected in (f"open:black_jack:MOP:{seats}=0", f"open:black_jack:MOP:7=0 option:seats={seats}"):
            text = f"{elected} #1 @04:00:00 1.main=100@p1 nomore end #- close=0"
            found = replay_text(text, dt.date.fromisoformat(day)).findings["code"].to_list()
            assert ("OPTION_UNKNOWN" in found) is (text_at_hand and not within)


def test_bj35_by_the_text_of_2000_no_layout_has_an_eighth_seat():
    settings = ReplaySettings(readings={"BJ-35": "text_of_2000"})
    text = "open:black_jack:MOP:9=0 #1 7.main=100@p1 8.main=100@p2 nomore end #- close=0"
    found = replay_text(text, dt.date(2002, 6, 3), settings).findings
    assert found.filter(found["code"] == "SEAT_NOT_ON_LAYOUT").select("seat", "article").rows() == [
        (8, "141/2000 art. 2(3)")
    ]


def test_art20_n1_2_three_players_on_a_seat():
    mode = {"shared_seat": "max3_seated_or_nearest"}
    assert codes("main", position=2, **mode) == []
    assert codes("main", position=3, **mode) == ["SEAT_SHARED_BY_TOO_MANY"]
    assert codes("main", position=3, shared_seat="seated_decides") == []
    assert codes("main", position=None, **mode) == []


def test_art20_n1_2_a_fourth_player_whose_position_is_not_told():
    mode = {"shared_seat": "max3_seated_or_nearest"}
    assert codes("main", bettors=3, **mode) == []
    assert codes("main", bettors=4, **mode) == ["SEAT_SHARED_BY_TOO_MANY"]
    assert codes("main", bettors=4, shared_seat="seated_decides") == []


def of_a_round(text: str, game: str = "black_jack", **elected: str) -> list[tuple[str, str]]:
    """Codes and articles of the wagers in the text of a round, through the whole engine."""
    options = " ".join(f"option:{name}={value}:A:2009-01-05:2009-02-02:2009-03-02" for name, value in elected.items())
    table = f"open:{game}:MOP:7=0 {options} shuffle:1:machine:1 #1 {text} #- close=0"
    found = replay_text(table, DAY).findings
    kinds = ("STAKE_", "INSURANCE_BOUNDS", "WAGER_TOO", "SEAT_SHARED", "F3_RAISE_AMOUNT", "F3_JOINT")
    return [(code, article) for code, article in found.select("code", "article").rows() if code.startswith(kinds)]


@pytest.mark.parametrize(
    ("text", "breach"),
    [
        ("B+Ah 1+8d 1.insurance=60@p1 1.insurance=60@p1 1.stand", ("INSURANCE_BOUNDS", "57/2009 art. 12(1)")),
        ("B+6h 1+2d 1.double 1.double=100@p1 1.double=100@p1 1+Td", ("STAKE_UNEQUAL", "57/2009 art. 17(1)")),
        ("B+6h 1+9d 1.split 1b.split=100@p1 1b.split=100@p1 1+2d 1b+2d", ("STAKE_UNEQUAL", "57/2009 art. 16(2)")),
    ],
)
def test_what_is_staked_in_two_parts_counts_together(text, breach):
    """Arts. 12(1), 16(2), 17(1): the bound is of what lies there in all."""
    assert of_a_round(f"1.main=100@p1 nomore 1+9c {text} B+Th end") == [breach]
    once = re.sub(r"( 1b?\.\w+=\d+@p1)\1", r"\1", text)
    assert of_a_round(f"1.main=100@p1 nomore 1+9c {once} B+Th end") == []


@pytest.mark.parametrize(
    ("played", "late", "article"),
    [
        ("1+3d 1.double {}1+Td {}", "1.double=100@p1 ", "17(1)"),
        ("1+8d 1.split {}1b+3d {}1+9d 1.stand 1b.stand", "1b.split=100@p1 ", "16(1)"),
        ("1+8d 1.split 1b.split=100@p1 {}1b+8d {}1+9d 1.stand 1b.stand", "1b.any_pair=50@p1 ", "13(1)(2)"),
    ],
)
def test_a_stake_on_a_hand_comes_before_the_card_that_it_is_staked_on(played, late, article):
    """Arts. 13(1)(2), 16(1), 17(1): who has seen the card bets no more."""
    round_ = "1.main=100@p1 nomore 1+8c B+6h {} B+Th B+5d end"
    in_time, too_late = played.format(late, ""), played.format("", late)
    assert of_a_round(round_.format(in_time), side_any_pair="on") == []
    assert of_a_round(round_.format(too_late), side_any_pair="on") == [("WAGER_TOO_LATE", f"57/2009 art. {article}")]


@pytest.mark.parametrize(
    ("bets", "codes"),
    [
        ("1.ante=100@p1 1.pair_plus=50@p1", []),
        ("1.ante=100@p1 1.ante=100@p2", ["F3_JOINT_BET"]),
        ("1.ante=100@p1 1.pair_plus=50@p2", ["F3_JOINT_BET"]),
        ("1.ante=100@p1 2.ante=100@p2", []),
    ],
)
def test_78_2008_art6_n2_a_second_bettor_on_a_hand_wherever_he_stands(bets, codes):
    assert [code for code, _ in of_a_round(f"{bets} nomore", "fortune_3_card_poker")] == codes


def test_78_2008_art9_n4_two_raises_are_no_raise_as_high_as_the_ante():
    cards = "1-9c 1-9d 1-Jc B-Kh B-9s B-5d 1.raise 1.raise=100@p1 {}B^Kh B^9s B^5d end"
    round_ = f"1.ante=100@p1 nomore {cards}"
    assert of_a_round(round_.format(""), "fortune_3_card_poker") == []
    again = of_a_round(round_.format("1.raise=100@p1 "), "fortune_3_card_poker")
    assert [code for code, _ in again] == ["F3_RAISE_AMOUNT"]


# Beside others


@pytest.mark.parametrize(
    ("reading", "expected"),
    [("advisory", ["SIDE_WAGERS_TOGETHER"]), ("exclusive", ["SIDE_WAGER_SURPLUS"]), ("free", [])],
)
def test_bj37_one_additional_wager_or_several(reading, expected):
    settings = {"beside": ("any_pair", "sevens"), "readings": {"BJ-37": reading}, **SIDES}
    assert codes("sevens", **settings) == expected
    assert codes("any_pair", **settings) == []
    assert codes("sevens", beside=("sevens",), **SIDES) == []


def test_art13_n5_2_iv_several_streak_numbers_are_one_kind():
    assert codes("streak_5", beside=("streak_2", "streak_5"), **SIDES) == []


@pytest.mark.parametrize(("reading", "expected"), [("no", ["STREAK_ADDED"]), ("yes", [])])
def test_bj52_a_streak_number_added_while_another_runs(reading, expected):
    settings = {"readings": {"BJ-52": reading}, **SIDES}
    assert codes("streak_2", beside=("streak_2",), running=("streak_4",), **settings) == expected
    assert codes("streak_2", beside=("streak_2",), **settings) == []
    assert codes("any_pair", beside=("any_pair",), running=("streak_4",), **settings) == []
