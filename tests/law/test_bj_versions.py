"""Black Jack: the records of the law are whole, cite themselves, and offer the house no more than their articles do."""

from __future__ import annotations

import datetime as dt
from dataclasses import fields
from fractions import Fraction

import pytest

from replayer.engine.replay_settings import ReplaySettings
from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_42_2007 import DSEF_42_2007
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000, DCE_141_2000_AS_MADE
from replayer.law.black_jack.house_rules import HOUSE_RULES
from replayer.law.black_jack.regulation import BlackJackOptions
from replayer.law.calendar import VERSIONS
from replayer.law.regulation import Provision
from replayer.law.rulings import PRESETS, UnknownRuling, find, not_default, readings_by, register
from schemas.finding import CODES
from tests.texts import replay_text

RECORDS = {"141/2000": (DCE_141_2000, 14), "56/2004": (DSEF_56_2004, 21), "57/2009": (DSEF_57_2009, 21)}
RULINGS = {key: ruling for key, ruling in register().items() if ruling.game == "black_jack"}


@pytest.mark.parametrize("instrument", RECORDS)
def test_every_article_is_there_in_the_order_of_the_law(instrument: str) -> None:
    record, articles = RECORDS[instrument]
    held = [provision for field in fields(record) if (provision := getattr(record, field.name)) is not None]
    of_the_law = [provision for provision in held if provision.number and provision is not record.authorisation]
    of_the_law += [record.authorisation] if record.authorisation else []
    assert of_the_law == [provision for provision in record.provisions.values() if provision.number]
    numbers = [provision.number for provision in of_the_law]
    assert numbers == sorted(numbers)
    assert {*numbers} == {*range(1, articles + 1)}
    for provision in of_the_law:
        assert isinstance(provision, Provision)
        assert provision.cite() == f"{instrument} art. {provision.number}"
        assert provision.gloss


def test_42_2007_amends_the_articles_that_it_names_and_no_other() -> None:
    amended = {
        provision.number
        for subject, provision in DSEF_42_2007.provisions.items()
        if provision is not getattr(DSEF_56_2004, subject)
    }
    assert amended == {6, 13, 16, 17, 21}
    assert DSEF_42_2007.drawing.cite(1) == "56/2004 art. 6(1) (42/2007)"
    assert DSEF_42_2007.scoring.cite(2) == "56/2004 art. 7(2)"


def test_citations_without_paragraph_numbers() -> None:
    assert DCE_141_2000.natural.cite(*DCE_141_2000.natural.even_money) == "141/2000 art. 6"
    assert DCE_141_2000.drawing.cite(*DCE_141_2000.drawing.bank) == "141/2000 art. 3(2)(a)"
    assert HOUSE_RULES.natural.cite(2) == "house rules"


def offered(record: object) -> set[str]:
    return {choice.name for choice in record.choices}  # type: ignore[attr-defined]


def test_every_choice_is_a_field_of_the_options_and_is_offered_once() -> None:
    names = {field.name for field in fields(BlackJackOptions)}
    for record in (DCE_141_2000, DSEF_56_2004, DSEF_42_2007, DSEF_57_2009, HOUSE_RULES):
        assert offered(record) <= names
        assert len(offered(record)) == len(record.choices)


def test_defaults_under_57_2009() -> None:
    options, faults = GAME.options({}, DSEF_57_2009)
    assert not faults
    assert (options.decks, options.device, options.seats, options.deal_procedure) == (6, "shoe", 7, 2)
    assert options.double_modes == {"first_two", "split_first_two"}
    assert options.insurance_accepts == (Fraction(1, 2), 1)
    assert (options.split_max_hands, options.resplit, options.resplit_aces) == (4, True, False)
    assert options.surrender and options.special_prizes
    assert not any((options.side_any_pair, options.side_sevens, options.side_perfect_pair, options.side_streak))


def test_141_2000_leaves_the_house_next_to_nothing() -> None:
    options, faults = GAME.options({}, DCE_141_2000)
    assert not faults
    assert options.burn_later == "round_start_and_bank_second"
    assert options.double_modes == {"eleven"}
    assert (options.split_max_hands, options.insurance_accepts) == (2, (0, Fraction(1, 2)))
    assert options.shared_seat == "highest_bet_decides"
    refused = {
        "side_any_pair": "on",
        "double_modes": "first_two",
        "burn_later": "none",
        "split_max_hands": "4",
        "deal_procedure": "2",
        "seats": "8",
        "insurance_accepts": "1",
        "special_prizes": "off",
        "surrender": "off",
    }
    again, faults = GAME.options(refused, DCE_141_2000_AS_MADE)
    assert {fault.name for fault in faults} == set(refused)
    assert again == options
    _, faults = GAME.options(refused, DCE_141_2000)
    assert {fault.name for fault in faults} == {*refused} - {"seats"}  # BJ-35: 69/2000 replaced what says how many


@pytest.mark.parametrize(
    ("record", "absent"),
    [
        (DSEF_56_2004, {"side_perfect_pair", "side_streak", "bank_soft17", "p3_table_limit", "special_prizes", "surrender"}),
        (DSEF_42_2007, {"side_perfect_pair", "side_streak", "p3_table_limit"}),
        (DCE_141_2000, {"side_any_pair", "side_sevens", "side_over_under", "bj_double_relief", "resplit_aces"}),
    ],
)  # fmt: skip
def test_what_a_version_does_not_have_is_not_offered(record: object, absent: set[str]) -> None:
    assert not absent & offered(record)
    assert absent <= offered(DSEF_57_2009)


def test_141_2000_art11_leaves_doubling_on_eleven_to_the_player_and_not_to_the_house() -> None:
    options, faults = GAME.options({"double_modes": "none"}, DCE_141_2000)
    assert [(fault.name, fault.reason) for fault in faults] == [("double_modes", "not among its values: one of eleven")]
    assert options.double_modes == {"eleven"}


@pytest.mark.parametrize("accepted", ["1/4", "0..1/4", "1/4..1/2", "0"])
def test_141_2000_art8_leaves_what_is_insured_to_the_player_up_to_half(accepted: str) -> None:
    """Since 56/2004 art. 12(1) the bank decides what it accepts; under 2000 a house that had said 1/4 was held to that."""
    options, (fault,) = GAME.options({"insurance_accepts": accepted}, DCE_141_2000)
    assert (fault.name, fault.reason) == ("insurance_accepts", "not among its values: one of 0..1/2, 1/2")
    assert options == GAME.options({}, DCE_141_2000)[0]


@pytest.mark.parametrize("accepted", ["0..1/2", "half"])
def test_141_2000_art8_may_be_said_again(accepted: str) -> None:
    assert not GAME.options({"insurance_accepts": accepted}, DCE_141_2000)[1]


def test_141_2000_art1_b_has_the_box_for_one_deck_and_the_shoe_for_more() -> None:
    """56/2004 art. 1(3) lets a shoe hold one deck, with one white card."""
    options, (fault,) = GAME.options({"device": "shoe", "decks": "1"}, DCE_141_2000)
    assert (fault.name, fault.code, fault.article) == ("device", "OPTION_UNKNOWN", "141/2000 art. 1(b)")
    assert fault.holds
    assert (options.device, options.decks) == ("shoe", 1)  # judged as it was dealt
    for device, decks in (("shoe", "2"), ("box", "1"), ("auto", "1")):
        assert not GAME.options({"device": device, "decks": decks}, DCE_141_2000)[1]
    assert not GAME.options({"device": "shoe", "decks": "1"}, DSEF_56_2004)[1]


def test_no_hidden_card_before_2009() -> None:
    for record in (DCE_141_2000, DSEF_56_2004, DSEF_42_2007):
        _, faults = GAME.options({"deal_procedure": "3"}, record)
        assert [fault.name for fault in faults] == ["deal_procedure"]


@pytest.mark.parametrize(
    ("name", "value", "meant"),
    [
        ("decks", "8", 8),
        ("max_seats_per_player", "none", None),
        ("p3_table_limit", "50000", 5_000_000),
        ("insurance_accepts", "half", (Fraction(1, 2), Fraction(1, 2))),
        ("insurance_accepts", "1/2..3/4", (Fraction(1, 2), Fraction(3, 4))),
        ("double_modes", "eleven", frozenset({"eleven"})),
        ("resplit_aces", "yes", True),
        ("surrender", "off", False),
        ("not_recorded", "burn, cut", frozenset({"burn", "cut"})),
        ("limit_max", "12.50", 1250),
    ],
)
def test_elected_values(name: str, value: str, meant: object) -> None:
    options, faults = GAME.options({name: value}, DSEF_57_2009)
    assert not faults
    assert getattr(options, name) == meant


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("decks", "0"),
        ("decks", "six"),
        ("decks", "²"),
        ("device", "sabot"),
        ("seats", "5"),
        ("insurance_accepts", "1/3"),
        ("insurance_accepts", "1..1/2"),
        ("insurance_accepts", "a lot"),
        ("double_modes", "any"),
        ("resplit", "perhaps"),
        ("p3_table_limit", "-5"),
        ("p3_table_limit", "1.234"),
        ("natural_odds", "6/5"),
        ("lunch", "noon"),
    ],
)
def test_elections_that_cannot_be(name: str, value: str) -> None:
    options, faults = GAME.options({name: value}, DSEF_57_2009)
    assert [(fault.name, fault.value) for fault in faults] == [(name, value)]
    assert faults[0].reason
    assert options == GAME.options({}, DSEF_57_2009)[0]


def test_bj60_a_cap_below_four_hands_holds_and_is_remarked_on() -> None:
    options, (fault,) = GAME.options({"split_max_hands": "3"}, DSEF_57_2009)
    assert options.split_max_hands == 3
    assert (fault.name, fault.code, fault.holds) == ("split_max_hands", "SPLIT_CAP_LOW", True)
    assert CODES[fault.code].severity == "advisory"
    assert not GAME.options({"split_max_hands": "4"}, DSEF_57_2009)[1]
    assert not GAME.options({"split_max_hands": "9"}, DSEF_57_2009)[1]


def test_141_2000_art10_two_bets_are_no_cap_of_the_house() -> None:
    assert not GAME.options({}, DCE_141_2000)[1]


def test_bj64_56_2004_art17_eleven_beside_other_modes_holds_and_is_found() -> None:
    both = {"double_modes": "first_two,eleven"}
    options, (fault,) = GAME.options(both, DSEF_56_2004)
    assert options.double_modes == {"first_two", "eleven"}
    assert (fault.name, fault.code, fault.holds) == ("double_modes", "DOUBLE_MODES_MIXED", True)
    assert not GAME.options(both, DSEF_57_2009)[1]
    assert not GAME.options({"double_modes": "eleven"}, DSEF_56_2004)[1]


def test_a_ruling_in_several_questions_is_asked_for_by_one_of_them() -> None:
    with pytest.raises(UnknownRuling, match="BJ-57a, BJ-57b"):
        find("BJ-57")
    assert find("special_base").id == find("BJ-57b").id == "BJ-57b"


def test_house_rules_are_options() -> None:
    elected = {"natural_odds": "6:5", "max_splits": "1", "double_totals": "10,11", "hole_card": "checked", "seats": "3"}
    options, faults = GAME.options(elected, HOUSE_RULES)
    assert not faults
    assert options.natural_odds == Fraction(6, 5)
    assert options.checks_hole
    assert not GAME.options({}, HOUSE_RULES)[0].surrender
    assert not GAME.options({}, HOUSE_RULES)[0].special_prizes


def test_art21_permission_is_needed_for_what_the_articles_leave_to_the_house() -> None:
    law = DSEF_57_2009
    choosing = {provision.number for provision in law.provisions.values() if provision.choices}
    assert law.authorisation.waivable == (15, 18)
    assert choosing - set(law.authorisation.waivable) <= set(law.authorisation.articles)


# The register


def test_every_ambiguity_of_the_register_is_there() -> None:
    numbers = {int("".join(filter(str.isdigit, key.split("-")[1]))) for key in RULINGS}
    assert numbers == set(range(1, 77))
    assert {ruling.option for ruling in RULINGS.values()}.__len__() == len(RULINGS)


def test_rulings_name_versions_that_there_are() -> None:
    known = {version.id for version in VERSIONS if version.game == "black_jack"}
    for ruling in RULINGS.values():
        assert ruling.versions
        assert set(ruling.versions) <= known


def test_a_single_reading_is_a_settled_question() -> None:
    for ruling in RULINGS.values():
        assert (len(ruling.readings) == 1) is (ruling.readings in {("settled",), ("no",)})
        assert ruling.question.strip()


def test_presets_differ_where_the_columns_do() -> None:
    chosen = {preset: not_default(readings_by(preset=preset)) for preset in PRESETS}
    black_jack = {preset: {k for k in chosen[preset] if k in RULINGS} for preset in PRESETS}
    assert black_jack["default"] == set()
    assert black_jack["pt"] == {"BJ-44", "BJ-46", "BJ-47", "BJ-59b"}
    assert black_jack["zh"] == {"BJ-1", "BJ-19", "BJ-21", "BJ-32", "BJ-44", "BJ-56"}


# Seats, from 69/2000 on


@pytest.mark.parametrize(("day", "text_at_hand"), [("2001-01-04", True), ("2001-01-05", False)])
def test_bj35_how_many_seats_a_layout_has_is_unknown_when_69_2000_is_in_force(day: str, text_at_hand: bool) -> None:
    for seats, within in ((5, False), (6, True), (7, True), (8, False)):
        for elected in (f"open:black_jack:MOP:{seats}=0", f"open:black_jack:MOP:7=0 option:seats={seats}"):
            text = f"{elected} #1 @04:00:00 1.main=100@p1 nomore end #- close=0"
            found = replay_text(text, dt.date.fromisoformat(day)).findings["code"].to_list()
            assert ("OPTION_UNKNOWN" in found) is (text_at_hand and not within)


def test_bj35_by_the_text_of_2000_no_layout_has_an_eighth_seat() -> None:
    settings = ReplaySettings(readings={"BJ-35": "text_of_2000"})
    text = "open:black_jack:MOP:9=0 #1 7.main=100@p1 8.main=100@p2 nomore end #- close=0"
    found = replay_text(text, dt.date(2002, 6, 3), settings).findings
    assert found.filter(found["code"] == "SEAT_NOT_ON_LAYOUT").select("seat", "article").rows() == [
        (8, "141/2000 art. 2(3)")
    ]
