"""Black Jack: what split and doubled bets lose against the bank's Black Jack (57/2009 arts. 10(7), 12(2), 16(6), 17(3))."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from replayer.law.black_jack.despacho_42_2007 import DSEF_42_2007
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.house_rules import HOUSE_RULES
from replayer.rules import Rules
from replayer.wagers import Due
from tests.law.rules import rules
from tests.law.seats import due

SPLIT = "T +8 +8 .split b$split +T .stand b+K b.stand"
TWO_OF_THREE_BUST = "T +8 +8 .split b$split +T .hit +9 b+8 b.split c$split b+2 b.hit b+K b.hit b+5 c+T c.stand"
DOUBLED = "T +6 +5 .double $double +9"
DOUBLED_BUST = "T +6 +6 .double $double +T"
SPLIT_AND_DOUBLED = "T +8 +8 .split b$split +3 .double $double +9 b+K b.stand"


def wagers(history: str) -> list[tuple[str, int]]:
    """The wagers that a seat history places, beside the main one."""
    placed = [("main", 0)]
    for word in history.split():
        letter, dollar, kind = word.partition("$")
        if dollar:
            placed.append((kind, ord(letter) - ord("a") if letter else 0))
    return placed


def dues(history: str, law: Rules | None = None, bank: str = "bj") -> list[Due]:
    return [due(history, bank, law, kind, hand) for kind, hand in wagers(history)]


def nets(history: str, law: Rules | None = None, bank: str = "bj") -> list[Fraction | None]:
    return [each.odds for each in dues(history, law, bank)]


def test_art16_n6_split_loses_the_initial_bet_only() -> None:
    assert nets(SPLIT) == [-1, 0]
    assert [due.article for due in dues(SPLIT)] == ["57/2009 art. 12(2)", "57/2009 art. 16(6)"]


def test_art17_n1_an_ace_that_came_from_other_cards_is_not_one_of_two_separated_aces() -> None:
    """Art. 17(1)(2) and 6(4)(3) except who separated two aces («separar dois ases», 一對A牌), not every ace split off."""
    jack_and_ace = "T +J +A .split b$split +5 .stand b+A b.double b$double b+6"
    assert nets(jack_and_ace) == [-1, 0, 0]
    assert dues(jack_and_ace)[2].article == "57/2009 art. 17(3)"
    two_aces = "T +A +A .split b$split +5 .stand b+A b.double b$double b+6"
    assert nets(two_aces) == [-1, 0, -1]


def test_art17_n1_a_separated_ace_stays_one_when_it_is_separated_from_another_card() -> None:
    assert nets("T +A +A .split b$split +5 .split c$split +6 .double $double +4 b+9 c+3 c.stand") == [-1, 0, 0, -1]


def test_art16_n6_a_hand_that_the_special_prize_closed_leaves_the_initial_bet_to_the_other() -> None:
    history = "T +7 +7 .split b$split +7 .hit +7 b+K b.stand"
    assert nets(history) == [3, -1]
    assert nets(history, rules(readings={"BJ-55": "additional"})) == [2, 0]


def test_art17_n3_names_its_modes_a_double_on_other_cards_is_not_spared() -> None:
    assert nets("T +2 +3 .hit +4 .double $double +9") == [-1, -1]
    assert nets("T +A +A .split b$split +3 .double $double +5 b+T") == [-1, 0, -1]
    assert nets(DOUBLED, rules(double_modes="split_first_two")) == [
        -1,
        0,
    ]  # without authorisation, as it was played


def test_art17_n3_a_second_stake_without_a_decision_doubles_the_cards_that_it_was_laid_on() -> None:
    assert nets("T +5 +6 .hit $double +9") == [-1, 0]
    assert nets("T +5 +6 .hit $double +9", rules(double_modes="eleven")) == [-1, -1]
    assert nets("T +2 +3 .hit +4 .hit $double +9") == [-1, -1]


def test_56_2004_art10_n7_spares_doubles_hand_by_hand_and_no_split() -> None:
    law = rules(DSEF_56_2004, bj_double_relief="yes")
    live_and_bust = "T +8 +8 .split b$split +T .stand b+4 b.double b$double b+K"
    assert nets(live_and_bust, law) == [-1, -1, -1]
    bust_and_live = "T +8 +8 .split b$split +4 .hit +K b+4 b.double b$double b+9"
    assert nets(bust_and_live, law) == [-1, -1, 0]


def test_art17_n3_double_loses_the_initial_bet_only() -> None:
    assert nets(DOUBLED) == [-1, 0]
    assert dues(DOUBLED)[1].article == "57/2009 art. 17(3)"


def test_art12_n2_before_2007_all_is_lost() -> None:
    for regulation in (DCE_141_2000, DSEF_56_2004):
        assert nets(SPLIT, rules(regulation)) == [-1, -1]
        assert nets(DOUBLED, rules(regulation)) == [-1, -1]


def test_art10_n7_the_bank_may_offer_it_in_2004() -> None:
    offered = rules(DSEF_56_2004, bj_double_relief="yes")
    assert nets(DOUBLED, offered) == [-1, 0]
    assert dues(DOUBLED, offered)[1].article == "56/2004 art. 10(7)"
    assert nets(SPLIT, offered) == [-1, -1]


def test_no_relief_without_black_jack() -> None:
    assert nets(SPLIT, bank="21") == [-1, -1]
    assert nets(DOUBLED, bank="21") == [-1, -1]


def test_bj9_split_21_in_two_cards_against_black_jack() -> None:
    history = "T +A +A .split b$split +K b+5"
    law = rules()
    with law.readings.consulted() as asked:
        assert nets(history, law) == [-1, 0]
    assert "BJ-9" in asked
    assert [due.steps[-1].text for due in dues(history, rules(readings={"BJ-9": "tie"}))] == [
        "21 against 21: a tie, the stake goes back",
        "the bank has Black Jack: lost",
    ]
    assert nets(history, rules(readings={"BJ-9": "tie"})) == [0, -1]
    both = "T +A +A .split b$split +K b+K"
    assert nets(both, rules(readings={"BJ-9": "lose"})) == [-1, 0]
    assert nets(both, rules(readings={"BJ-9": "tie"})) == [0, 0]
    stays = dues(both, rules(readings={"BJ-9": "lose"}))[1]
    assert (stays.article, stays.steps[-1].text) == (
        "57/2009 art. 16(6)",
        "the bank has Black Jack: this stake goes back",
    )
    bust = dues("T +8 +8 .split b$split +T .stand b+K b.hit b+K")[1]
    assert (bust.odds, bust.article, bust.steps[-1].text) == (-1, "57/2009 art. 7(2)", "over 21: lost")
    old = rules(DSEF_56_2004, readings={"BJ-9": "tie"})
    assert nets(history, old) == [0, -1]


@pytest.mark.parametrize(
    ("reading", "modes", "offered", "double"),
    [
        ("special_first", "first_two", "no", 0),
        ("special_first", "eleven", "no", -1),
        ("special_first", "eleven", "yes", 0),
        ("all_optional", "first_two", "no", -1),
        ("all_optional", "first_two", "yes", 0),
        ("always", "eleven", "no", 0),
    ],
)
def test_bj10_which_doubles_come_back(reading: str, modes: str, offered: str, double: int) -> None:
    law = rules(readings={"BJ-10": reading}, double_modes=modes, bj_double_relief=offered)
    assert nets(DOUBLED, law) == [-1, double]


def test_bj11_the_bank_collects_all_the_same() -> None:
    law = rules(readings={"BJ-11": "no"})
    assert nets(SPLIT, law) == [-1, -1]
    assert nets(DOUBLED, law) == [-1, -1]


@pytest.mark.parametrize(("reading", "units"), [("max", 2), ("total_initial", 1), ("keep_busted_plus_initial", 3)])
def test_bj12_two_bust_hands_of_three(reading: str, units: int) -> None:
    law = rules(readings={"BJ-12": reading})
    assert -sum(odds or 0 for odds in nets(TWO_OF_THREE_BUST, law)) == units


@pytest.mark.parametrize(("reading", "units"), [("max", 2), ("total_initial", 1), ("keep_busted_plus_initial", 2)])
def test_bj12_doubled_hand_that_bust(reading: str, units: int) -> None:
    law = rules(readings={"BJ-12": reading})
    assert -sum(odds or 0 for odds in nets(DOUBLED_BUST, law)) == units


@pytest.mark.parametrize(("reading", "units"), [("max", 1), ("total_initial", 1), ("keep_busted_plus_initial", 2)])
def test_bj12_one_bust_hand_of_two(reading: str, units: int) -> None:
    history = "T +8 +8 .split b$split +T .stand b+6 b.hit b+K"
    law = rules(readings={"BJ-12": reading})
    assert -sum(odds or 0 for odds in nets(history, law)) == units


def test_bj12_is_not_asked_where_nothing_bust() -> None:
    law = rules()
    with law.readings.consulted() as asked:
        nets(SPLIT_AND_DOUBLED, law)
    assert asked == {"BJ-10", "BJ-11"}


def test_bj12_bust_stakes_of_a_bank_not_played_out() -> None:
    assert nets(DOUBLED_BUST, bank="") == [-1, -1]
    assert nets(DOUBLED_BUST, rules(readings={"BJ-12": "total_initial"}), bank="") == [-1, None]
    assert nets(DOUBLED_BUST, rules(readings={"BJ-12": "total_initial"}), bank="no bj") == [-1, -1]


def test_bj13_hands_separated_again() -> None:
    history = "T +8 +8 .split b$split +8 .split c$split +T .stand b+9 b.stand c+K c.stand"
    law = rules()
    with law.readings.consulted() as asked:
        assert nets(history, law) == [-1, 0, 0]
    assert "BJ-13" in asked
    assert nets(history, rules(readings={"BJ-13": "para1_only"})) == [-1, 0, -1]
    with law.readings.consulted() as asked:
        nets(SPLIT, law)
    assert "BJ-13" not in asked


def test_split_and_doubled_loses_the_initial_bet_only() -> None:
    assert sorted(odds for odds in nets(SPLIT_AND_DOUBLED) if odds is not None) == [-1, 0, 0]


@pytest.mark.parametrize(("reading", "lost"), [("as_2009", [-1, 0]), ("none", [-1, -1])])
def test_bj75_the_missing_text_of_2007(reading: str, lost: list[int]) -> None:
    law = rules(DSEF_42_2007, readings={"BJ-75": reading})
    for history in (SPLIT, DOUBLED):
        found = dues(history, law)
        assert [due.odds for due in found] == lost
        assert [breach.code for due in found for breach in due.breaches] == ["LAW_TEXT_UNVERIFIED"]


def test_house_rules_relieve_only_by_choice() -> None:
    law = rules(HOUSE_RULES)
    with law.readings.consulted() as asked:
        assert nets(SPLIT, law) == [-1, -1]
        assert nets(DOUBLED, law) == [-1, -1]
    assert asked == set()
    spared = rules(HOUSE_RULES, original_bet_only="yes")
    assert nets(SPLIT, spared) == [-1, 0]
    assert nets(DOUBLED, spared) == [-1, 0]


def test_under_every_reading_the_loss_lies_between_the_initial_bet_and_all_of_it() -> None:
    choices = {
        "BJ-10": ("special_first", "all_optional", "always"),
        "BJ-11": ("yes", "no"),
        "BJ-12": ("max", "total_initial", "keep_busted_plus_initial"),
        "BJ-13": ("yes", "para1_only"),
    }
    for chosen in product(*choices.values()):
        law = rules(readings=dict(zip(choices, chosen, strict=True)))
        for history in (SPLIT, DOUBLED, DOUBLED_BUST, SPLIT_AND_DOUBLED, TWO_OF_THREE_BUST):
            settled = nets(history, law)
            assert set(settled) <= {-1, 0}
            assert 1 <= -sum(odds or 0 for odds in settled) <= len(settled)
