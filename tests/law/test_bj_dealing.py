"""Black Jack: shuffle, burns, deal and turns (57/2009 arts. 2, 4, 5, 6(3) and their counterparts)."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.outcomes import Judgement
from tests.law.notation import judge_round
from tests.law.rules import rules

OPEN = "nomore 1+ 3+ B+ 1+ 3+ 1. 3. B+ pay end"
"""Procedure 2 with seats 1 and 3, the bank's card in the first pass."""
HOLE = "nomore 1+ 3+ B+ 1+ 3+ B- 1. 3. B^ B+ pay end"
"""Procedure 3."""
SHUT = "nomore 1- 3- B+ 1- 3- 1. 3. B+ 1^ 3^ pay end"
"""Procedure 1 with the shoe: cards are opened at the end."""
BOX = "shuffle:hand:1 cut:player !- nomore 1- 3- B+ 1- 3- B- 1. 3. B^ B+ 1^ 3^ pay end"
"""Procedure 1 with the metal box: one deck, shuffled for each round."""

NEW_SHOE = "shuffle:hand:6 cut:player white:60"


def judge(
    words: str, state: str = "", seats: str = "1,3", regulation: object = DSEF_57_2009, **settings: object
) -> Judgement:
    """What becomes of a round of a house with six decks that burns a card of each."""
    house = {"decks": "6"} if regulation is DCE_141_2000 else {"decks": "6", "burn_initial": "per_deck"}
    return judge_round(GAME, f"w:{seats} {state + ' ' if state else ''}{words}", rules(regulation, **house | settings))


def found(words: str, state: str = "", seats: str = "1,3", **settings: object) -> list[tuple[str, str]]:
    """Code and word of each breach."""
    history = [f"w:{seats}", *words.split()]
    return [(b.code, history[b.position]) for b in judge(words, state, seats, **settings).breaches]


# Art. 2: shuffle, cut, white cards


def test_art2_n1_shuffled_cut_and_white_card_is_right():
    assert found(f"{NEW_SHOE} !- !- !- !- !- !- {OPEN}", "fresh") == []


def test_art2_n1_1_cut_missing():
    words = f"shuffle:hand:6 white:60 !- !- !- !- !- !- {OPEN}"
    assert found(words, "fresh") == [("CUT_MISSING", "shuffle:hand:6")]
    assert judge(words, "fresh").breaches[0].article == "57/2009 art. 2(1)(1)"


def test_art2_n1_1_bank_cuts_where_no_player_wants_to():
    assert found(f"shuffle:hand:6 cut:bank white:60 !- !- !- !- !- !- {OPEN}", "fresh") == []


def test_art2_n1_1_white_card_missing_with_more_than_one_deck():
    words = "shuffle:hand:{} cut:player {} " + OPEN
    assert found(words.format(2, "!- !-"), "fresh", decks="2") == [("WHITE_CARD_MISSING", "shuffle:hand:2")]
    assert found(words.format(1, "!-"), "fresh", decks="1") == []


@pytest.mark.parametrize(
    ("reading", "behind", "code"),
    [
        ("at_least_30_behind", 29, "WHITE_CARD_TOO_DEEP"),
        ("at_least_30_behind", 30, None),
        ("at_least_30_behind", 60, None),
        ("within_last_30", 29, None),
        ("within_last_30", 30, None),
        ("within_last_30", 60, "WHITE_CARD_TOO_SHALLOW"),
        ("ignore", 5, None),
        ("ignore", 60, None),
    ],
)
def test_bj25_depth_of_the_second_white_card(reading, behind, code):
    words = f"shuffle:hand:6 cut:player white:{behind} !- !- !- !- !- !- {OPEN}"
    expected = [(code, f"white:{behind}")] if code else []
    assert found(words, "fresh", readings={"BJ-25": reading}) == expected


def test_art2_n1_2_machine_needs_no_cut():
    assert found(f"shuffle:auto:6 !- !- !- !- !- !- {OPEN}", "fresh", device="auto") == []


def test_art2_n2_1_no_round_after_the_white_card():
    assert found(OPEN, "white") == [("ROUND_AFTER_WHITE_CARD", "w:1,3")]
    assert found("nomore 1+ 3+ B+ white! 1+ 3+ 1. 3. B+ pay end") == []
    assert judge(OPEN, "white").breaches[0].article == "57/2009 art. 2(2)(1)"


def test_art2_n2_1_is_for_shoes_of_more_than_one_deck():
    assert found(OPEN, "white", device="auto") == []
    assert found(OPEN, "white", decks="1") == []


def test_bj26_white_card_between_rounds():
    words = f"white! {OPEN}"
    assert found(words) == []
    assert found(words, readings={"BJ-26": "shuffle_now"}) == [("ROUND_AFTER_WHITE_CARD", "white!")]
    shuffled = f"white! {NEW_SHOE} !- !- !- !- !- !- {OPEN}"
    assert found(shuffled, "fresh", readings={"BJ-26": "shuffle_now"}) == []


def test_art2_n2_2_no_shuffle_in_a_round():
    words = f"nomore 1+ 3+ B+ {NEW_SHOE} !- !- !- !- !- !- 1+ 3+ 1. 3. B+ pay end"
    assert found(words) == [("SHUFFLE_DURING_ROUND", "shuffle:hand:6")]
    assert found(f"{OPEN} shuffle:hand:6") == []


def test_141_2000_art2_n1_is_of_a_shoe_that_is_shuffled_in_a_round_as_well():
    """2(1)(a), (c): the cards are cut and the first ones taken away before any is dealt, though the equipment had failed."""
    words = "!- nomore 1- 3- B+ 1- 3- 1. 3. failed {} B+ 1^ 3^ pay end"
    breaches = judge(words.format("shuffle:hand:6"), regulation=DCE_141_2000).breaches
    assert [(b.code, b.article) for b in breaches] == [
        ("CUT_MISSING", "141/2000 art. 2(1)(a)"),
        ("WHITE_CARD_MISSING", "141/2000 art. 2(1)(a)"),
        ("BURN_MISSING", "141/2000 art. 2(1)(c)"),
    ]
    assert found(words.format(f"{NEW_SHOE} !- !- !- !- !- !-"), regulation=DCE_141_2000) == []


def test_art2_n2_3_box_serves_one_round():
    settings = {"device": "box", "decks": "1", "deal_procedure": "1"}
    assert found(BOX, "fresh", **settings) == []
    unshuffled = BOX.removeprefix("shuffle:hand:1 cut:player !- ")
    assert found(unshuffled, **settings) == [("SHUFFLE_MISSING", "w:1,3")]
    assert judge(unshuffled, **settings).breaches[0].article == "57/2009 art. 2(2)(3)"


def test_no_shuffle_on_the_log_is_worth_knowing_and_no_more():
    assert found(OPEN, "unshuffled") == [("SHUFFLE_NOT_SEEN", "w:1,3")]


# Art. 4: burns


@pytest.mark.parametrize(
    ("elected", "burned", "code", "word"),
    [
        ("per_deck", 6, None, None),
        ("per_deck", 5, "BURN_MISSING", "1+"),
        ("per_deck", 7, "BURN_SURPLUS", "!-"),
        ("one", 1, None, None),
        ("one", 0, "BURN_MISSING", "1+"),
        ("one", 2, "BURN_SURPLUS", "!-"),
    ],
)
def test_art4_n1_initial_burn(elected, burned, code, word):
    words = f"{NEW_SHOE} {'!- ' * burned}{OPEN}"
    assert found(words, "fresh", burn_initial=elected) == ([(code, word)] if code else [])


def test_art4_n1_counts_the_decks_that_were_shuffled():
    words = f"shuffle:hand:2 cut:player white:40 !- !- {OPEN}"
    assert found(words, "fresh", decks="6") == [
        ("DECKS_NOT_ELECTED", "shuffle:hand:2")
    ]  # art. 1(2), but burned rightly


def test_art5_n2_3_3_the_hidden_card_is_looked_at_before_anyone_plays():
    assert found(HOLE.replace("1. 3.", "B? 1. 3."), deal_procedure="3") == []
    late = HOLE.replace("1. 3.", "1. B? 3.")
    assert found(late, deal_procedure="3") == [("HOLE_NOT_CHECKED", "1.")]
    assert judge(late, deal_procedure="3").breaches[0].article == "57/2009 art. 5(2)(3)(3)"
    assert found(late, deal_procedure="3", readings={"BJ-19": "optional"}) == []
    surrendered = HOLE.replace("1. 3.", "1/ B? 3.")
    assert found(surrendered, deal_procedure="3") == []  # BJ-67, at the seat


@pytest.mark.parametrize(
    ("elected", "start", "second", "codes"),
    [
        ("none", 0, 0, []),
        ("none", 1, 0, ["BURN_SURPLUS"]),
        ("none", 0, 1, ["BURN_SURPLUS"]),
        ("round_start", 1, 0, []),
        ("round_start", 0, 0, ["BURN_MISSING"]),
        ("round_start", 1, 1, ["BURN_SURPLUS"]),
        ("round_start_and_bank_second", 1, 1, []),
        ("round_start_and_bank_second", 1, 0, ["BURN_MISSING"]),
        ("round_start_and_bank_second", 0, 1, ["BURN_MISSING"]),
        ("round_start_and_bank_second", 1, 2, ["BURN_SURPLUS"]),
    ],
)
def test_art4_n2_later_burns(elected, start, second, codes):
    words = f"{'!- ' * start}nomore 1+ 3+ B+ 1+ 3+ 1. 3. {'!- ' * second}B+ pay end"
    breaches = judge(words, burn_later=elected).breaches
    assert [breach.code for breach in breaches] == codes
    assert {breach.article for breach in breaches} <= {"57/2009 art. 4(2)"}


def test_art4_n2_no_burn_for_a_second_card_that_never_came():
    assert found("!- nomore 1+ 3+ B+ 1+ 3+ 1. 3. pay end", burn_later="round_start_and_bank_second") == []


def test_bj21_the_chinese_text_has_no_burn_at_the_start_alone():
    words = "!- nomore 1+ 3+ B+ 1+ 3+ 1. 3. B+ pay end"
    assert found(words, burn_later="round_start") == []
    assert found(words, burn_later="round_start", readings={"BJ-21": "zh2"}) == [("BURN_MISSING", "B+")]


@pytest.mark.parametrize(
    ("reading", "without", "with_one"),
    [("either", [], []), ("required", ["BURN_MISSING"], []), ("forbidden", [], ["BURN_SURPLUS"])],
)
def test_bj22_second_burn_in_the_first_round_of_a_shoe(reading, without, with_one):
    words = NEW_SHOE + " !- !- !- !- !- !- nomore 1+ 3+ B+ 1+ 3+ 1. 3. {}B+ pay end"
    settings = {"burn_later": "round_start_and_bank_second", "readings": {"BJ-22": reading}}
    assert [code for code, _ in found(words.format(""), "fresh", **settings)] == without
    assert [code for code, _ in found(words.format("!- "), "fresh", **settings)] == with_one


def test_bj23_no_burn_before_a_second_card_that_lies_down():
    settings = {"deal_procedure": "3", "burn_later": "round_start_and_bank_second"}
    assert found(f"!- {HOLE}", **settings) == []
    assert found("!- nomore 1+ 3+ B+ 1+ 3+ !- B- 1. 3. B^ pay end", **settings) == [("BURN_SURPLUS", "!-")]


def test_bj24_a_machine_that_is_filled_again_each_round():
    assert found(OPEN, device="auto") == []
    every = {"device": "auto", "readings": {"BJ-24": "per_round"}}
    assert found(OPEN, **every) == [("BURN_MISSING", "1+")]
    assert found(f"!- !- !- !- !- !- {OPEN}", **every) == []
    assert found(OPEN, **every | {"device": "shoe"}) == []  # to which no round gives its cards back


def test_a_card_that_came_out_face_up_is_no_burn_of_art4():
    assert found("nomore 1+ 3+ B+ !+ 1+ 3+ 1. 3. B+ pay end") == []


# Art. 5(1): to whom and in which order


def test_art5_n1_cards_only_to_seats_with_bets():
    words = "nomore 1+ 2+ 3+ B+ 1+ 2+ 3+ 1. 3. B+ pay end"
    assert found(words) == [("CARD_WITHOUT_BET", "2+")]
    assert found(words.replace("1. 3.", "1. 2. 3."), seats="1,2,3") == []


def test_art5_n1_every_seat_with_a_bet_gets_cards():
    assert found(OPEN, seats="1,2,3") == [("SEAT_NOT_DEALT", "1+")]
    taken_back = "pay nomore 1+ 3+ B+ 1+ 3+ 1. 3. B+ end"
    assert found(taken_back, seats="1,2,3") == []


@pytest.mark.parametrize(
    ("deal", "word"),
    [
        ("3+ 1+ B+ 1+ 3+", 0),  # from the right
        ("1+ 3+ B+ 3+ 1+", 3),  # second pass from the right
        ("1+ 1+ 3+ 3+ B+", 1),  # two at a time
        ("1+ 3+ B+ 1+", None),  # seat 3 one card short
        ("1+ 3+ 1+ 3+", None),  # none for the bank
        ("1+ 3+ B+ 1+ 3+ 3+", 5),  # one too many
        ("B+ 1+ 3+ 1+ 3+", 0),  # the bank first
        ("1+ B+ 3+ 1+ 3+", 1),  # the bank in the middle
    ],
)
def test_art5_n1_one_at_a_time_from_the_left(deal, word):
    breaches = found(f"nomore {deal} 1. 3. B+ pay end")
    assert breaches == [("DEAL_ORDER", "1." if word is None else deal.split()[word])]


@pytest.mark.parametrize(
    ("reading", "first_pass", "second_pass"),
    [("either", [], []), ("first", [], ["DEAL_ORDER"]), ("second", ["DEAL_ORDER"], [])],
)
def test_bj30_pass_of_the_banks_card(reading, first_pass, second_pass):
    words = "nomore {} 1. 3. B+ pay end"
    settings = {"readings": {"BJ-30": reading}}
    assert [code for code, _ in found(words.format("1+ 3+ B+ 1+ 3+"), **settings)] == first_pass
    assert [code for code, _ in found(words.format("1+ 3+ 1+ 3+ B+"), **settings)] == second_pass


def test_art5_n2_3_the_hole_procedure_fixes_the_pass():
    words = "nomore 1+ 3+ 1+ 3+ B+ B- 1. 3. B^ pay end"
    assert found(words, deal_procedure="3") == [("DEAL_ORDER", "B+")]
    assert judge(words, deal_procedure="3").breaches[0].article == "57/2009 art. 5(2)(3)(1)"


@pytest.mark.parametrize("dealt", ["1+ 3+ B+ B- 1+ 3+", "1+ 3+ B+ 1+ B- 3+"])
def test_art5_n2_3_2_the_hole_card_comes_after_the_second_card_of_all_seats(dealt: str) -> None:
    words = f"nomore {dealt} 1. 3. B^ pay end"
    assert found(words, deal_procedure="3") == [("DEAL_ORDER", "B-")]
    assert judge(words, deal_procedure="3").breaches[0].article == "57/2009 art. 5(2)(3)(2)"
    assert found(words, deal_procedure="3", not_recorded="deal_order") == []


def test_art5_n1_2_a_hole_card_that_came_too_soon_and_was_taken_back_is_no_breach() -> None:
    assert found("nomore 1+ 3+ B+ 1+ B- B~ 3+ B- 1. 3. B^ pay end", deal_procedure="3") == []


def test_art5_n1_2_a_misdeal_put_right_or_cancelled_is_no_breach():
    assert found("nomore 1+ 3+ 3~ B+ 3+ 3~ 3+ B~ B+ 1+ 3+ 1. 3. B+ pay end") == []
    assert found("nomore 1+ 1+ void:misdeal end") == []


@pytest.mark.parametrize("regulation", [DSEF_56_2004, DSEF_57_2009])
@pytest.mark.parametrize("dealt", ["1+ 3+ B+", "nomore 1+ 3+ B+", "1+ nomore 3+ B+"])
def test_art5_n1_2_that_bets_were_closed_late_or_never_cancels_no_cards(dealt: str, regulation: object) -> None:
    """No article speaks of that; a card out of turn is an error that does."""
    words = f"{dealt} 1+ 3+ 1. 3. B+ void:misdeal end"
    unfounded = judge(words, regulation=regulation).if_dealt_right
    assert unfounded is not None
    assert unfounded.breach.code == "VOID_UNFOUNDED"
    assert judge(words.replace("3+ B+", "B+ 3+"), regulation=regulation).if_dealt_right is None


# Art. 5(2): the procedures


def test_art5_n2_1_second_card_when_players_have_acted():
    early = "nomore 1+ 3+ B+ 1+ 3+ 1. B+ 3. pay end"
    assert found(early) == [("BANK_SECOND_CARD_EARLY", "B+")]
    assert judge(early).breaches[0].article == "57/2009 art. 5(2)(2)(2)"
    dealt_at_once = "nomore 1+ 3+ B+ 1+ 3+ B+ 1. 3. pay end"
    assert found(dealt_at_once) == [("BANK_SECOND_CARD_EARLY", "B+")]
    naturals_only = "nomore 1+ 3+ B+ 1+ 3+ B+ pay end"
    assert found(naturals_only) == []
    even_money_asked_late = "nomore 1+ 3+ B+ 1+ 3+ 1. B+ 3/ pay end"
    assert found(even_money_asked_late) == []


def test_art5_n2_3_hidden_card_before_players_act():
    assert found(HOLE, deal_procedure="3") == []
    late = "nomore 1+ 3+ B+ 1+ 3+ 1. 3. B- B^ pay end"
    assert found(late, deal_procedure="3") == [("BANK_SECOND_CARD_LATE", "1.")]
    assert judge(late, deal_procedure="3").breaches[0].article == "57/2009 art. 5(2)(3)(2)"
    natural = "nomore 1+ 3+ B+ 1+ 3+ B- B? B^ pay end"
    assert found(natural, deal_procedure="3") == []


def test_play_goes_on_after_the_hole_card_was_opened():
    words = "nomore 1+ 3+ B+ 1+ 3+ B- B? 1. B^ 3. pay end"
    assert found(words, deal_procedure="3") == [("HOLE_CARD_OPENED_EARLY", "B^")]


def test_bj31_procedure_2_with_the_box():
    settings = {"device": "box", "decks": "1"}
    words = f"shuffle:hand:1 cut:player !- {OPEN}"
    assert found(words, "fresh", **settings) == [("DEAL_PROCEDURE_CLOSED", "1+")]
    assert found(words, "fresh", readings={"BJ-31": "yes"}, **settings) == []


@pytest.mark.parametrize(
    ("procedure", "words", "wrong"),
    [
        (2, "nomore 1- 3+ B+ 1+ 3+ 1. 3. B+ pay end", ("CARD_FACE", "1-")),
        (2, "nomore 1+ 3+ B- 1+ 3+ 1. 3. B+ pay end", ("CARD_FACE", "B-")),
        (2, "nomore 1+ 3+ B+ 1+ 3+ 1. 3. B- pay end", ("CARD_FACE", "B-")),
        (1, "nomore 1- 3- B+ 1- 3+ 1. 3. B+ pay end", ("EXPOSED_CARD_KEPT", "3+")),
        (1, "nomore 1- 3- B- 1- 3- 1. 3. B+ pay end", ("CARD_FACE", "B-")),
        (3, "nomore 1+ 3- B+ 1+ 3+ B- 1. 3. B^ pay end", ("CARD_FACE", "3-")),
        (3, "nomore 1+ 3+ B+ 1+ 3+ B+ 1. 3. pay end", ("EXPOSED_CARD_KEPT", "B+")),
    ],
)
def test_art5_n2_faces(procedure, words, wrong):
    assert found(words, deal_procedure=str(procedure)) == [wrong]


def test_art5_n1_1_exposed_card_taken_away_is_right():
    assert found("nomore 1- 3+ 3~ 3- B+ 1- 3- 1. 3. B+ 1^ 3^ pay end", deal_procedure="1") == []


def test_art5_n1_1_first_card_of_the_game_may_stay_if_elected():
    words = NEW_SHOE + " !- !- !- !- !- !- nomore 1+ 3- B+ 1- 3- 1. 3. B+ pay end"
    assert found(words, "fresh", deal_procedure="1") == [("EXPOSED_CARD_KEPT", "1+")]
    assert found(words, "fresh", deal_procedure="1", exposed_first_card_valid="yes") == []


def test_bj28_election_for_the_first_card_or_for_any():
    words = "nomore 1- 3- B+ 1- 3+ 1. 3. B+ pay end"
    elected = {"deal_procedure": "1", "exposed_first_card_valid": "yes"}
    assert found(words, **elected) == [("EXPOSED_CARD_KEPT", "3+")]
    assert found(words, readings={"BJ-28": "as_option"}, **elected) == []
    assert found(words, readings={"BJ-28": "as_option"}, deal_procedure="1") == [("EXPOSED_CARD_KEPT", "3+")]


def test_bj32_one_card_up_one_down_only_in_chinese():
    mixed = "nomore 1- 3- B+ 1+ 3- B- 1. 3. B^ pay end"
    settings = {"deal_procedure": "3", "p3_player_faces": "down"}
    assert found(mixed.replace("1+", "1-"), **settings) == []
    assert found(mixed, **settings) == [("EXPOSED_CARD_KEPT", "1+")]
    assert found(mixed, readings={"BJ-32": "zh"}, **settings) == []


# Art. 6(3): turns


def test_art6_n3_from_the_left():
    words = "nomore 1+ 3+ B+ 1+ 3+ 3. 1. B+ pay end"
    assert found(words) == [("DECISION_ORDER", "1.")]
    assert judge(words).breaches[0].article == "57/2009 art. 6(3)"
    assert found("nomore 1+ 3+ B+ 1+ 3+ 1. 3. 1. B+ pay end") == [("DECISION_ORDER", "1.")]


def test_art6_n3_insurance_and_surrender_are_heard_before_the_turns():
    assert found("nomore 1+ 3+ B+ 1+ 3+ 3/ 1/ 1. 3. B+ pay end") == []
    assert found("nomore 1+ 3+ B+ 1+ 3+ 1/ 3. B+ pay end") == []


# Before and after


def test_bets_closed_before_the_first_card():
    assert found(OPEN.removeprefix("nomore ")) == [("CLOSE_MISSING", "1+")]
    assert found("1+ nomore 3+ B+ 1+ 3+ 1. 3. B+ pay end") == [("CLOSE_LATE", "nomore")]


def test_nothing_is_dealt_after_the_end():
    assert found(f"{OPEN} 1.") == [("CARD_AFTER_END", "1.")]
    assert found("nomore 1+ 3+ void:misdeal B+ end") == [("CARD_AFTER_END", "B+")]


def test_nothing_is_paid_before_a_seat_has_two_cards():
    assert found("nomore 1+ pay 3+ B+ 1+ 3+ 1. 3. B+ end") == [("PAID_DURING_DEAL", "pay")]
    assert found("nomore 1+ 3+ B+ 1+ pay 3+ 1. 3. B+ end") == []


def test_art5_n1_2_a_card_that_came_to_the_bank_between_two_plays_and_was_taken_back_is_none_of_its_cards():
    """It goes to the player to whom it belongs; the bank's second one comes when the players have acted."""
    assert found("nomore 1+ 3+ B+ 1+ 3+ 1. B+ B~ 3. B+ pay end") == []
    assert found("nomore 1+ 3+ B+ 1+ 3+ 1. B+ 3. B~ B+ pay end") == [("BANK_SECOND_CARD_EARLY", "B+")]
    assert found("nomore 1+ 3+ B+ 1+ 3+ 1. B+ B+ 3. B~ pay end") == [("BANK_SECOND_CARD_EARLY", "B+")]


def test_a_card_taken_back_is_no_second_card_of_its_seat():
    assert found("nomore 1+ 1~ 1+ pay 3+ B+ 1+ 3+ 1. 3. B+ end") == [("PAID_DURING_DEAL", "pay")]
    assert found("nomore 1+ 3+ B+ 1+ 1~ 1+ pay 3+ 1. 3. B+ end") == []


# What is not recorded is not held against the table


WORST = "shuffle:hand:6 B- 3- 3- 1+ 1+ 3. 1. B- pay end"


@pytest.mark.parametrize("name", ["shuffle", "cut", "burn", "deal_order", "faces", "decisions", "close"])
def test_what_the_source_does_not_record_is_named_and_not_checked(name):
    codes = {
        "shuffle": {"SHUFFLE_NOT_SEEN"},
        "cut": {"CUT_MISSING", "WHITE_CARD_MISSING"},
        "burn": {"BURN_MISSING"},
        "deal_order": {"DEAL_ORDER", "DECISION_ORDER"},
        "faces": {"CARD_FACE"},
        "decisions": {"DECISION_ORDER"},
        "close": {"CLOSE_MISSING"},
    }[name]
    state = "unshuffled" if name == "shuffle" else "fresh"
    words = WORST.removeprefix("shuffle:hand:6 ") if name == "shuffle" else WORST
    assert codes <= {code for code, _ in found(words, state)}
    answer = judge(words, state, not_recorded=name)
    assert answer.not_checked == (name, "totals")  # of which the log tells nothing
    assert not codes & {breach.code for breach in answer.breaches}


# The older texts


def test_2000_art2_n4_both_later_burns_are_a_duty():
    right = "!- nomore 1- 3- B+ 1- 3- 1. 3. !- B+ 1^ 3^ pay end"
    assert found(right, regulation=DCE_141_2000) == []
    breaches = judge(right.replace("!- ", ""), regulation=DCE_141_2000).breaches
    assert [(b.code, b.article) for b in breaches] == [("BURN_MISSING", "141/2000 art. 2(4)")] * 2


def test_2000_art3_cards_lie_down():
    words = "!- nomore 1+ 3- B+ 1- 3- 1. 3. !- B+ pay end"
    assert found(words, regulation=DCE_141_2000) == [("EXPOSED_CARD_KEPT", "1+")]
    assert judge(words, regulation=DCE_141_2000).breaches[0].article == "141/2000 art. 2(1)(c)"
    early = "!- nomore 1- 3- B+ 1- 3- 1. !- B+ 3. pay end"
    assert judge(early, regulation=DCE_141_2000).breaches[0].article == "141/2000 art. 3(1)(a)"
    order = "!- nomore 1- 3- B+ 1- 3- 3. 1. !- B+ pay end"
    assert judge(order, regulation=DCE_141_2000).breaches[0].article == "141/2000 art. 3(2)(c)"


@pytest.mark.parametrize(
    ("deal", "message", "word"),
    [
        ("3- 1- B+ 3- 1-", None, ""),
        ("3- 1- B+ 1- 3-", None, ""),
        ("3- 1- B+ 3-", "seat 1 had one card when the deal ended", "1."),
        ("3- 3- 1- 1- B+", "seat 3 where seat 1 was next", "3-"),
        ("3- 1- B+ 3- 3-", "seat 3 where seat 1 was next", "3-"),
    ],
)
def test_2000_art3_does_not_say_from_which_side_but_one_at_a_time(deal, message, word):
    """Whoever still waits for a card may get it next; one card short is told of the seat that is short of it."""
    breaches = judge(f"!- nomore {deal} 1. 3. !- B+ end", regulation=DCE_141_2000).breaches
    assert [(b.code, b.message) for b in breaches] == ([("DEAL_ORDER", message)] if message else [])
    history = f"w:1,3 !- nomore {deal} 1. 3. !- B+ end".split()
    assert [history[b.position] for b in breaches] == ([word] if message else [])
    if word == "3-":
        assert breaches[0].position == max(
            at for at, told in enumerate(history) if told == "3-" and at < history.index("1.")
        )


def test_2004_same_articles():
    assert judge(OPEN, "white", regulation=DSEF_56_2004).breaches[0].article == "56/2004 art. 2(2)(1)"


# Every regular round, whole


def _regular(procedure, device, seats, later, new, faces, first_pass):
    """A round as the law wants it, written from arts. 2, 4 and 5; independent of the checks."""
    decks = 1 if device == "box" else 6
    face = {1: "-", 2: "+", 3: "-" if faces == "down" else "+"}[procedure]
    hidden = procedure == 3 or device == "box"
    words = []
    if new:
        words.append(f"shuffle:{'auto' if device == 'auto' else 'hand'}:{decks}")
        if device != "auto":
            words.append("cut:player")
        if device == "shoe":
            words.append("white:52")
        words += ["!-"] * decks
    elif later != "none":
        words.append("!-")
    words.append("nomore")
    one_pass = [f"{seat}{face}" for seat in seats]
    if hidden:
        words += [*one_pass, "B+", *one_pass, "B-"]
    elif first_pass:
        words += [*one_pass, "B+", *one_pass]
    else:
        words += [*one_pass, *one_pass, "B+"]
    words += [f"{seat}." for seat in seats]
    if hidden:
        words += ["B^", "B+"]
    else:
        words += ["!-"] if later == "round_start_and_bank_second" and not new else []
        words.append("B+")
    words += [f"{seat}^" for seat in seats] if face == "-" else []
    return " ".join([*words, "pay", "end"])


def test_no_regular_round_is_found_fault_with():
    laters = ("none", "round_start", "round_start_and_bank_second")
    rounds = 0
    for procedure, device, later, new, faces, first_pass in product(
        (1, 2, 3), ("shoe", "auto", "box"), laters, (True, False), ("up", "down"), (True, False)
    ):
        if device == "box" and (procedure == 2 or later != "none" or not new):
            continue
        for count in range(1, 4):
            for seats in combinations((1, 2, 5, 7), count):
                words = _regular(procedure, device, seats, later, new, faces, first_pass)
                settings = {"deal_procedure": str(procedure), "device": device, "burn_later": later}
                if device == "box":
                    settings |= {"decks": "1"}
                    del settings["burn_later"]
                if procedure == 3:
                    settings["p3_player_faces"] = faces
                listed = ",".join(map(str, seats))
                assert found(words, "fresh" if new else "", listed, **settings) == [], (settings, words)
                rounds += 1
    assert rounds == (3 * 2 * 3 * 2 * 2 * 2 + 2 * 1 * 1 * 1 * 2 * 2) * 14
