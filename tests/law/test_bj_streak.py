"""Winning streak (57/2009 arts. 11(2), 13(5), 14(5), 16(7), 18(3))."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.wagers import Due
from tests.law.notation import carried, judge_bank, judge_seat, letter_of
from tests.law.outcomes import bank as bank_of
from tests.law.outcomes import seat as seat_of
from tests.law.rules import rules

PAYS = {2: 3, 3: 8, 4: 18, 5: 38}
ON = {"side_streak": "on"}


def due_of(kind: str, letters: str, readings: dict[str, str] | None = None) -> Due | None:
    return GAME.carried.due(kind, carried(letters), rules(DSEF_57_2009, readings, **ON))


# Art. 13(5)(2), 14(5): the run


@pytest.mark.parametrize("rounds", PAYS)
def test_art14_n5_so_many_wins_in_a_row(rounds):
    for won in range(rounds):
        assert due_of(f"streak_{rounds}", "W" * won) is None
    due = due_of(f"streak_{rounds}", "W" * rounds)
    assert due.odds == PAYS[rounds]
    assert due.article == f"57/2009 art. 14(5)({rounds - 1})"


@pytest.mark.parametrize("rounds", PAYS)
def test_art13_n5_2_ii_a_loss_before_that_loses(rounds):
    for won in range(rounds):
        assert due_of(f"streak_{rounds}", "W" * won + "L").odds == -1


def test_every_sequence_of_wins_losses_and_ties_against_a_plain_count():
    """Ties fall out; then what matters is whether the first ``n`` are all wins. 3^6 sequences for each wager."""
    under = rules(**ON)
    for rounds, letters in product(PAYS, product("WLT", repeat=6)):
        recorded = [letter for letter in letters if letter != "T"]
        first = recorded[:rounds]
        expected = -1 if "L" in first else PAYS[rounds] if len(first) == rounds else None
        due = GAME.carried.due(f"streak_{rounds}", carried("".join(letters)), under)
        assert (None if due is None else due.odds) == expected


def test_art11_n2_ties_leave_it_as_it_was():
    assert due_of("streak_2", "WTTW").odds == 3
    assert due_of("streak_2", "TT") is None


@pytest.mark.parametrize(
    ("letters", "told"),
    [
        ("WW", "2 rounds won in a row"),
        ("WTVW", "2 rounds won in a row and 2 neither won nor lost"),
        ("WL", "round 2 of the streak lost after 1 won, 2 needed"),
        ("WTH", "round 3 of the streak lost on most of its hands after 1 won and 1 neither won nor lost, 2 needed"),
    ],
)
def test_the_rounds_of_a_run_are_told_by_their_place_in_it(letters, told):
    assert due_of("streak_2", letters).steps[0].text == told


def test_art18_n3_surrender_loses():
    assert due_of("streak_3", "WS").odds == -1


def test_bj54_a_void_round_is_neutral():
    assert due_of("streak_2", "WVW").odds == 3
    assert due_of("streak_2", "V") is None


@pytest.mark.parametrize(("reading", "expected"), [("lost", -1), ("returned", 0)])
def test_bj51_a_player_who_stops_betting(reading, expected):
    due = due_of("streak_3", "WA", {"BJ-51": reading})
    assert due.odds == expected
    assert [breach.code for breach in due.breaches] == ["STREAK_ABANDONED"]
    assert due.article == "57/2009 art. 13(5)(2)(vi)"


def test_bj51_returned_when_the_house_stops():
    due = due_of("streak_3", "WWC")
    assert due.odds == 0
    assert due.breaches == ()


@pytest.mark.parametrize(
    ("results", "player_box", "player"),
    [
        ("WWW", 8, 8),
        ("Www", -1, 8),  # a small letter: won on another seat
        ("Wl", -1, -1),
        ("WtwVw", -1, 8),
        ("WwA", -1, -1),  # no bet anywhere
        ("WE", -1, None),  # not told on which seat
    ],
)
def test_bj46_whose_wins_are_counted(results, player_box, player):
    assert due_of("streak_3", results).odds == player_box
    assert due_of("streak_3", results, {"BJ-46": "player"}).odds == player
    assert bool(due_of("streak_3", results, {"BJ-46": "player"}).unjudged) is (player is None)


def test_bj46_a_player_who_changed_seats_has_not_stopped_betting():
    assert [breach.code for breach in due_of("streak_3", "Www").breaches] == ["STREAK_ABANDONED"]
    assert due_of("streak_3", "Www", {"BJ-46": "player"}).breaches == ()


@pytest.mark.parametrize(("reading", "odds"), [("finding", 3), ("void", 0)])
def test_x3_a_streak_that_was_not_elected(reading, odds):
    under = rules(readings={"X-3": reading}, side_streak="off")
    assert GAME.carried.due("streak_2", carried("WW"), under).odds == odds


def button(results: str, *moved: int, **elected: str) -> list[str]:
    law = rules(recorded=["markers"], **ON | elected)
    judged = GAME.carried.judge_marker(list(map(carried, results.split())), moved, law)
    return [breach.code for breach in judged.breaches]


def test_art13_n5_2_iii_the_button_shows_the_next_round_to_be_won() -> None:
    assert button("W", 2) == button("WW", 3) == button("WTW", 3) == button("WWWW", 5) == []
    assert button("W", 3) == button("WW", 2) == button("W", 2, 3) == ["BUTTON_MISPLACED"]
    assert button("W", 3, 2) == []  # put right
    assert button("W") == button("WTW") == ["BUTTON_NOT_MOVED"]


def test_art11_n2_a_tie_leaves_the_button_where_it_was() -> None:
    assert button("T") == button("WT") == button("T", 1) == button("WT", 2) == []
    assert button("T", 2) == button("WT", 3) == ["BUTTON_MISPLACED"]


def test_streaks_of_one_seat_that_began_apart_may_show_either() -> None:
    assert button("W WW", 2) == button("W WW", 3) == []
    assert button("W WW") == ["BUTTON_NOT_MOVED"]
    assert button("W WW", 4) == ["BUTTON_MISPLACED"]


def test_a_button_of_which_the_log_never_tells_is_not_checked() -> None:
    judged = GAME.carried.judge_marker([carried("W")], (), rules(**ON))
    assert (judged.breaches, judged.not_checked) == ((), ("markers",))
    assert GAME.carried.judge_marker((), (), replace(rules(**ON), regulation=DSEF_56_2004)).breaches == ()


def test_2004_knew_no_streak():
    due = GAME.carried.due("streak_2", carried("WW"), rules(DSEF_56_2004))
    assert due.odds is None
    assert due.unjudged


# What a round counts as


def result(seat: str, bank: str, readings: dict[str, str] | None = None, **elected: str) -> str:
    """The letter of a round told by its two histories."""
    under = rules(DSEF_57_2009, readings, **ON | elected)
    own = judge_seat(GAME, seat, under)
    live = "hand" if own.awaits_bank else "nothing"
    return letter_of(GAME.carried.result(own.outcome, judge_bank(GAME, f"{live} {bank}", under).outcome, under))


@pytest.mark.parametrize(
    ("seat", "bank", "letter"),
    [
        ("6 +T +9 .stand", "+6 +T +2", "W"),  # 19 against 18
        ("6 +T +8 .stand", "+6 +T +3", "L"),  # 18 against 19
        ("6 +T +8 .stand", "+6 +T +2", "T"),  # 18 each
        ("6 +T +6 .hit +K", "+6 +T +K", "L"),  # bust, though the bank busts too
        ("6 +T +8 .stand", "+6 +T +K", "W"),  # the bank busts
        ("6 +A +K", "+6 +T +2", "W"),  # Black Jack
        ("T +A +K", "+T +A", "T"),  # Black Jack against Black Jack
        ("T +T +A", "+T +T", "W"),
        ("T +T +9 .stand", "+T +A", "L"),
        ("6 +T +6 .surrender/3", "+6 +T +K", "S"),
    ],
)
def test_a_round_is_won_lost_tied_or_surrendered(seat, bank, letter):
    assert result(seat, bank) == letter


@pytest.mark.parametrize(("cards", "letter"), [("+T +6", "L"), ("+A +K", "T")])
def test_bj67_a_surrender_before_the_check_is_none_against_black_jack(cards, letter):
    checking = rules(**ON, deal_procedure="3")
    own = judge_seat(GAME, f"T {cards} .surrender/3", checking).outcome
    assert letter_of(GAME.carried.result(own, bank_of("bj"), checking)) == letter
    assert letter_of(GAME.carried.result(own, bank_of("20"), checking)) == "S"


@pytest.mark.parametrize(("bank", "asked"), [("bj", True), ("20", False)])
def test_bj50_a_result_against_black_jack_rests_on_insurance_not_counting(bank, asked):
    under = rules(**ON)
    with under.readings.consulted() as rulings:
        assert letter_of(GAME.carried.result(seat_of("A 19"), bank_of(bank), under)) == "L"
    assert ("BJ-50" in rulings) is asked


def test_a_doubled_hand_counts_once():
    assert result("6 +6 +5 .double $double +T", "+6 +T +2") == "W"
    assert result("6 +6 +5 .double $double +2", "+6 +T +2") == "L"


SPLIT_2 = "6 +8 +8 .split b$split +{} .stand b+{} b.stand"
SPLIT_3 = "6 +8 +8 .split b$split +8 .split c$split +{} .stand b+{} b.stand c+{} c.stand"
WIN, TIE, LOSS = "A", "T", "9"
"""Added to an eight: 19, 18, 17, against a bank of 18."""


@pytest.mark.parametrize(
    ("cards", "wins_vs_losses", "strict_majority"),
    [
        ((WIN, WIN), "W", "W"),
        ((WIN, LOSS), "T", "T"),
        ((LOSS, LOSS), "H", "H"),
        ((WIN, TIE), "W", "T"),  # one win of two is no majority
        ((LOSS, TIE), "H", "H"),
        ((TIE, TIE), "T", "T"),
        ((WIN, WIN, LOSS), "W", "W"),
        ((WIN, LOSS, LOSS), "H", "H"),
        ((WIN, LOSS, TIE), "T", "T"),
        ((WIN, TIE, TIE), "W", "T"),
        ((WIN, WIN, TIE), "W", "W"),
    ],
)
def test_bj47_split_hands(cards, wins_vs_losses, strict_majority):
    seat = (SPLIT_2 if len(cards) == 2 else SPLIT_3).format(*cards)
    bank = "+6 +T +2"
    assert result(seat, bank) == wins_vs_losses
    assert result(seat, bank, {"BJ-47": "strict_majority"}) == strict_majority


def test_art16_n6_split_against_black_jack_is_a_round_lost():
    assert result("T +8 +8 .split b$split +T .stand b+T b.stand", "+T +A") == "H"


def test_bj53_hands_on_which_a_bettor_did_not_follow_the_split_count_for_his_streak_as_well():
    """One hand of the seat wins its prize, two are lost against Black Jack (art. 16(7)(3)), whoever has stakes on them."""
    seat = "T +7 +7 .split {} +7 .hit +7 b+7 b.split {} b+T b.stand c+T c.stand"
    assert result(seat.format("b$split", "c$split"), "+T +A") == "H"
    assert result(seat.format("", ""), "+T +A") == "H"


def test_art16_n6_spares_stakes_and_not_hands_so_a_prize_does_not_make_up_for_two_of_them():
    """Three sevens on one hand win their prize; two hands without Black Jack are lost, though one stake comes back."""
    seat = "T +7 +7 .split b$split +6 .stand b+7 b.split c$split b+7 b.hit b+7 c+K c.stand"
    assert result(seat, "+T +A") == "H"
    assert result(seat, "+T +A", {"BJ-49b": "neutral"}) == "H"
    assert result(seat.replace("c+K", "c+4"), "+T +5 +7") == "W"  # the bank is over 21


def test_bj9_a_split_21_that_ties_with_black_jack_is_no_hand_lost():
    aces = "T +A +A .split b$split +K b+5"
    assert result(aces, "+T +A") == "H"
    assert result("T +A +A .split b$split +K b+Q", "+T +A", {"BJ-9": "tie"}) == "T"


@pytest.mark.parametrize(("reading", "letter"), [("win", "W"), ("neutral", "T"), ("loss", "L")])
def test_bj48_half_for_five_cards(reading, letter):
    seat = "6 +2 +3 .hit +2 .hit +3 .hit +4 .five_card_half/7"
    assert result(seat, "+6 +T +5", {"BJ-48": reading}) == letter


@pytest.mark.parametrize(("reading", "letter"), [("win", "W"), ("neutral", "T")])
def test_bj49a_even_money(reading, letter):
    assert result("A +A +K .even_money/3", "+A +K", {"BJ-49a": reading}) == letter


@pytest.mark.parametrize(("reading", "letter"), [("win", "W"), ("neutral", "T")])
def test_bj49b_special_prize(reading, letter):
    assert result("6 +7 +7 .hit +7", "+6 +T +2", {"BJ-49b": reading}) == letter


def test_bj49b_a_prize_in_addition_leaves_it_to_the_main_result():
    seat, additional = "T +7 +7 .hit +7", {"BJ-55": "additional"}
    assert result(seat, "+T +A", additional) == "L"
    assert result(seat, "+T +9", additional) == "W"
    assert result(seat, "+T +5 +6", additional) == "T"
