"""Black Jack: a seat's history, every decision held against what was open to the hand (57/2009 arts. 6, 7, 16, 17)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.house_rules import HOUSE_RULES
from replayer.law.black_jack.regulation import BlackJack
from replayer.outcomes import LAST
from replayer.rules import Rules
from tests.law.notation import judge_bank
from tests.law.outcomes import bank as bank_of
from tests.law.outcomes import seat as seat_of
from tests.law.rules import VERSIONS, rules
from tests.law.seats import codes, judge
from tests.law.states import open_to


def telling(*facts: str, law: Rules | None = None) -> Rules:
    """The rules for a log that tells of such facts."""
    return replace(law or rules(), recorded=frozenset(facts))


def found(history: str) -> list[tuple[str, int]]:
    """Codes with the words they point at."""
    return [(breach.code, breach.position) for breach in judge(history).breaches]


# Outcomes


@pytest.mark.parametrize(
    ("history", "outcome", "waits"),
    [
        ("T $main +9 +8 .stand", "T 17", True),
        ("T $main +9 +8 .hit +9", "T bust", False),
        ("T $main +A +K", "T bj", False),
        ("A $main -9 -8 .stand", "A 17", True),
        ("T $main -?? -?? ^9 ^8 .stand", "T 17", True),
        ("6 $main +5 +6 .double $double +T", "6 21:doubled=first_two", True),
        ("6 $main +8 +8 .split b$split +T .stand b+3 b.stand", "6 18:split:two 11:split:two", True),
        ("6 $main +A +6 .hit +T .hit +5", "6 bust", False),
        ("6 $main +T +9 ~9 +5 .stand", "6 15", True),
    ],
)
def test_what_became_of_a_seat(history: str, outcome: str, waits: bool) -> None:
    judged = judge(history)
    assert (judged.outcome, judged.awaits_bank, judged.breaches) == (seat_of(outcome), waits, ())


def test_what_cannot_be_judged() -> None:
    assert judge("T -?? +8 .stand").unjudged == "a card of the hand is not named"
    assert (
        judge("6 -?? -?? .hit +2 .hit +2 .hit +2 .hit +2 .hit +2 ~2 +3 .stand").unjudged
        == "a card of the hand is not named"
    )
    assert judge("T +8").unjudged == "the hand has fewer than two cards on the log"
    assert judge("T $main").outcome is None


# Art. 6


def test_art6_n4_1_no_card_at_21() -> None:
    assert found("T +5 +6 .hit +T .hit +2") == [("HIT_AT_21", 5)]
    assert found("T +A +K .hit +2") == [("HIT_AT_21", 3)]
    assert codes("T +A +4 .hit +6 .hit +2") == ["HIT_AT_21"]


def test_art6_n4_2_one_card_on_a_doubled_hand() -> None:
    assert found("6 +5 +6 .double $double +2 .hit +3") == [("HIT_AFTER_DOUBLE", 6)]
    assert codes("6 +5 +6 .double $double +2 +3") == ["CARD_NOT_ASKED"]
    assert codes("6 +5 +6 .double $double +2 .stand") == []


def test_art6_n4_3_one_card_on_a_split_ace() -> None:
    assert codes("6 +A +A .split b$split +5 b+6") == []
    assert found("6 +A +A .split b$split +5 b+6 .hit +3") == [("HIT_ON_SPLIT_ACE", 7)]
    assert codes("6 +A +A .split b$split +5 b+6 .hit +3", rules(HOUSE_RULES, split_aces_draw="yes")) == []


def test_a_split_ace_that_may_be_drawn_to_may_be_doubled() -> None:
    history = "6 +A +A .split b$split +5 .double $double +3 b+6"
    assert codes(history, rules(HOUSE_RULES, split_aces_draw="yes")) == []
    assert codes(history, rules(HOUSE_RULES)) == ["DOUBLE_REFUSED"]
    without = rules(HOUSE_RULES, split_aces_draw="yes", double_after_split="no")
    assert codes(history, without) == ["DOUBLE_REFUSED"]


def test_art6_n3_a_final_decision_is_final() -> None:
    assert found("T +9 +3 .stand .hit +5") == [("DECISION_AFTER_FINAL", 4)]
    assert codes("T +9 +3 .hit +T .hit +5") == ["DECISION_AFTER_FINAL"]
    assert codes("T +9 +3 .stand .stand") == ["DECISION_AFTER_FINAL"]


def test_art7_n1_only_requested_cards_are_dealt() -> None:
    assert found("T +9 +3 +5 .stand") == [("CARD_NOT_ASKED", 3)]
    assert codes("T +9 +3 .hit") == ["CARD_NOT_GIVEN"]
    assert codes("T +9 +3 .hit .stand") == ["CARD_NOT_GIVEN"]
    assert codes("T +9 +3 .hit +5 ~5 +6 .stand") == []


@pytest.mark.parametrize(
    ("history", "refused"),
    [
        ("T +5 +6 .hit +T .hit", "HIT_AT_21"),
        ("T +A +K .hit .stand", "HIT_AT_21"),
        ("6 +A +A .split b$split +5 b+6 .hit", "HIT_ON_SPLIT_ACE"),
        ("6 +5 +6 .double $double +4 .hit", "HIT_AFTER_DOUBLE"),
        ("6 +2 +3 .hit +4 .double $double", "DOUBLE_REFUSED"),
        ("6 +A +A .split b$split +5 .double $double b+6", "DOUBLE_REFUSED"),
        ("T +9 +3 .stand .hit", "DECISION_AFTER_FINAL"),
    ],
)
def test_art6_n4_a_card_that_may_not_be_asked_for_is_owed_to_nobody(history: str, refused: str) -> None:
    """Who withholds it keeps the rule (arts. 6(3), 6(4), 17(1))."""
    assert codes(history) == [refused]


@pytest.mark.parametrize(
    ("history", "refused"),
    [
        ("T +5 +6 .hit +T .hit +2 ~2", "HIT_AT_21"),
        ("6 +5 +6 .double $double +9 .hit +T ~T", "HIT_AFTER_DOUBLE"),
        ("T +T +8 .stand .hit +T ~T", "DECISION_AFTER_FINAL"),
    ],
)
def test_art5_n1_2_a_card_that_could_not_be_asked_for_is_rightly_taken_away(history: str, refused: str) -> None:
    """It bust the hand and was wrongly dealt (arts. 6(3), 6(4)), so that no other comes in its place."""
    assert codes(history) == [refused]
    assert codes(f"{history} +3") == [refused, "CARD_NOT_ASKED"]


def test_art7_n1_the_card_of_a_double_is_owed() -> None:
    assert codes("6 +5 +6 .double $double") == ["CARD_NOT_GIVEN"]
    assert codes("6 +A +A .split b$split .double $double b+6", rules(DSEF_56_2004)) == ["CARD_NOT_GIVEN"]
    assert codes("T +5 +6 .hit +T .hit", rules(DCE_141_2000)) == ["CARD_NOT_GIVEN"]  # which does not bar it at 21


def test_a_card_that_nobody_asked_for_counts_all_the_same() -> None:
    assert judge("T +9 +3 +5 .stand").outcome == seat_of("T 17")


def test_art6_n5_totals_called() -> None:
    assert codes("T +9 +8 =17 .stand") == []
    assert codes("T +A +6 =7 .hit +2 =19 .stand") == []
    assert codes("T +T +9 .hit +5 =24") == []
    assert found("T +9 +8 =18 .stand") == [("TOTAL_WRONG", 3)]


def test_art6_n5_the_total_is_called_before_the_player_plays_on_it() -> None:
    law = telling("totals")
    for play in (".stand", ".hit +3 =20", ".double $double +3 =20"):
        assert codes(f"T +9 +8 =17 {play}", law) == []
        assert codes(f"T +9 +8 {play}", law) == ["TOTAL_NOT_CALLED"]
        assert codes(f"T +9 +8 {play}") == codes(f"T +9 +8 {play}", rules(not_recorded="totals"))
    (breach,) = judge("T +9 +8 .stand", law).breaches
    assert (breach.article, breach.position) == ("57/2009 art. 6(5)", 3)
    assert codes("T +9 +8 .surrender/3", law) == codes("T +A +K", law) == []  # nothing was awaited


def test_art7_n1_the_total_is_called_when_cards_were_drawn() -> None:
    law = telling("totals")
    (breach,) = judge("T +9 +3 =12 .hit +5 .stand", law).breaches
    assert (breach.code, breach.article, breach.position) == ("TOTAL_NOT_CALLED", "57/2009 art. 7(1)", 5)
    assert codes("T +9 +3 =12 .hit +2 .hit +5 =19 .stand", law) == []
    assert codes("T +8 +8 =16 .split b$split +3 b+T =11 .stand b.stand", law) == ["TOTAL_NOT_CALLED"]


def test_art7_n1_no_total_is_called_for_a_separated_card_that_got_no_second_one() -> None:
    """Art. 7(1) has the total of cards called that were asked for; the one card of a new hand was dealt to another."""
    history = "T +8 +8 =16 .split b$split +8 =16 .split c$split +3 =11 .stand b+T b=18 b.stand"
    assert codes(history, telling("totals")) == []
    assert codes(f"{history} c+9 c.stand", telling("totals")) == ["TOTAL_NOT_CALLED"]


def test_bj33_totals_are_called_where_cards_lie_open() -> None:
    assert codes("T -9 -8 .stand", telling("totals", law=rules(deal_procedure="1"))) == []
    assert codes("T +9 +8 .stand", telling("totals", law=rules(deal_procedure="3"))) == ["TOTAL_NOT_CALLED"]
    down = telling("totals", law=rules(deal_procedure="3", p3_player_faces="down"))
    assert codes("T -9 -8 .stand", down) == []
    assert codes("T -9 +8 .stand", telling("totals")) == []  # dealt wrongly
    assert codes("T +9 +8 .stand", telling("totals", law=rules(DCE_141_2000))) == []


def test_cards_that_the_hand_did_not_have() -> None:
    assert codes("T +9 +8 ~5 .stand") == ["CARD_ABSENT"]
    assert codes("T +9 +8 ^5 .stand") == ["CARD_ABSENT"]
    assert codes("T +9 +8 b+5") == ["HAND_WITHOUT_SPLIT", "SPLIT_NOT_STAKED"]


def test_decisions_that_the_game_does_not_have() -> None:
    assert codes("T +9 +8 .fold") == ["DECISION_UNKNOWN"]


def test_cards_of_which_a_log_does_not_say_how_they_lay() -> None:
    assert judge("T 9 8 .stand").outcome == seat_of("T 17")
    assert judge("T ?? 8 .stand").unjudged
    assert judge_bank(GAME, "hand T ?? 7", rules()).unjudged
    assert judge_bank(GAME, "hand T 7", rules()).outcome == bank_of("17")


# Art. 16


def test_art16_n1_pairs_only() -> None:
    assert codes("6 +8 +8 .split b$split +T .stand b+T b.stand") == []
    assert codes("6 +8 +9 .split b$split +T .stand b+T b.stand") == ["SPLIT_NO_PAIR"]
    assert codes("6 +8 +3 .hit +8 .split b$split b+T b.stand")[0] == "SPLIT_NO_PAIR"


def test_art16_n1_no_more_hands_than_authorised() -> None:
    again = "6 +8 +8 .split b$split +8 .split c$split +T .stand b+T b.stand c+8 c.split d$split c+T c.stand d+8"
    assert codes(f"{again} d+T") == ["CARD_NOT_ASKED"]
    assert codes(f"{again} d.split e$split d+T e+T") == ["SPLIT_TOO_OFTEN"]
    assert codes(f"{again} d.split e$split d+T e+T", rules(split_max_hands="5")) == []


def test_art5_n2_3_7_five_hands_with_a_hidden_card() -> None:
    history = "6 +8 +8 .split b$split +8 .split c$split +8 .split d$split +8 .split e$split +8"
    six = f"{history} .split f$split"
    law = rules(split_max_hands="6", deal_procedure="3")
    assert codes(history, law) == []
    assert codes(six, law) == ["SPLIT_TOO_OFTEN"]
    assert codes(six, rules(split_max_hands="6")) == []


def test_art16_n3_aces_again_only_where_authorised() -> None:
    history = "6 +A +A .split b$split +A .split c$split +T b+T c+T"
    assert codes(history) == ["SPLIT_TOO_OFTEN"]
    assert codes(history, rules(resplit_aces="yes")) == []


@pytest.mark.parametrize(
    ("history", "positions"),
    [
        ("6 +5 +6 .hit +2 +3 ~3 .stand", []),
        ("6 +5 +6 .hit +2 +K ~K .stand", []),
        ("6 +5 +6 .hit +2 -3 ^3 ~3 .stand", []),
        ("6 +5 +6 .hit +2 +3 .stand ~3", [5]),  # it was decided on first
        ("6 +5 +6 .hit +2 +3 +4 ~3 .stand", [5, 6]),
        ("6 +5 +6 .hit +2 +3 ~3 +4 .stand", [7]),  # nobody asked for that one either
        ("6 +5 +6 .hit +2 ~2 +4 +3 ~3 .hit +2 .stand", []),
    ],
)
def test_art5_n1_2_a_card_that_nobody_asked_for_is_put_right_by_taking_it_away_at_once(
    history: str, positions: list[int]
) -> None:
    found = judge(history).breaches
    assert [(each.code, each.position) for each in found] == [("CARD_NOT_ASKED", at) for at in positions]


@pytest.mark.parametrize(
    ("history", "positions"),
    [
        ("6 +5 +6 .hit +T ~T +2 .stand", []),  # at once
        ("6 +T +7 ^7 ~7 +2 .stand", []),
        ("6 +5 +6 .hit +T .stand ~T +2", [6]),
        ("6 +A +K =21 ~A +2 =12 .stand", [4]),
        ("6 +5 +6 .hit +T +2 ~T .stand", [6]),  # a further card, which nobody asked for
        ("6 +8 +8 .split b$split +T ~T +9 b+7 .stand b.stand", []),
        ("6 +8 +8 .split b$split +T b+7 ~T +9 .stand b.stand", []),  # what follows at another hand is none on this one
    ],
)
def test_art5_n1_2_a_card_that_was_asked_for_is_not_taken_away_when_something_followed_on_it(
    history: str, positions: list[int]
) -> None:
    found = [each for each in judge(history).breaches if each.code == "CARD_TAKEN_AWAY"]
    assert [each.position for each in found] == positions
    assert {each.article for each in found} <= {"57/2009 art. 5(1)(2)"}


def test_art16_n5_again_only_where_authorised() -> None:
    history = "6 +8 +8 .split b$split +8 .split c$split +T b+T c+T"
    assert codes(history) == []
    assert codes(history, rules(resplit="no")) == ["SPLIT_TOO_OFTEN"]


def test_bj59_ten_value_cards() -> None:
    history = "6 +K +Q .split b$split +5 .stand b+5 b.stand"
    law = rules()
    with law.readings.consulted() as asked:
        assert codes(history, law) == ["SPLIT_NO_PAIR"]
    assert asked == {"BJ-59a"}
    assert codes(history, rules(readings={"BJ-59a": "yes"})) == []
    assert codes(history, rules(DCE_141_2000)) == []
    assert codes(history, rules(DCE_141_2000, readings={"BJ-59b": "no"})) == ["SPLIT_NO_PAIR"]
    assert codes(history, rules(HOUSE_RULES, split_ten_values="yes")) == []
    with law.readings.consulted() as asked:
        codes("6 +K +K .split b$split +5 .stand b+5 b.stand", law)
    assert asked == set()


def test_bj61_once_more_on_each_occasion_or_once_in_all() -> None:
    history = "6 +8 +8 .split b$split +8 .split c$split +8 .split d$split +T b+T c+T d+T"
    law = rules()
    with law.readings.consulted() as asked:
        assert codes(history, law) == []
    assert asked == {"BJ-61"}
    assert codes(history, rules(readings={"BJ-61": "once"})) == ["SPLIT_TOO_OFTEN"]


@pytest.mark.parametrize("played_on", ["+8 .stand", "+8 .hit +2 .stand", "+8 .double $double +T"])
def test_bj76_who_decided_not_to_separate_again_separates_none_of_his_hands_or_not_that_one(played_on: str) -> None:
    """16(5): "a não ser que, anteriormente, tenha já decidido não separar", 「但之前已決定不分門者除外」."""
    history = f"6 +8 +8 .split b$split {played_on} b+8 b.split c$split b+T b.stand c+T c.stand"
    for version in ("57/2009", "56/2004", "42/2007"):
        law = rules(VERSIONS[version])
        with law.readings.consulted() as asked:
            assert codes(history, law) == ["SPLIT_TOO_OFTEN"]
        assert asked == {"BJ-76"}
        assert codes(history, rules(VERSIONS[version], readings={"BJ-76": "hand"})) == []
    assert codes(history, rules(HOUSE_RULES)) == []


@pytest.mark.parametrize(
    "history",
    [
        "6 +8 +8 .split b$split +7 .stand b+8 b.split c$split b+T b.stand c+T c.stand",
        "6 +8 +8 .split b$split +8 .split c$split +T .stand c+T c.stand b+8 b.split d$split b+T b.stand d+T d.stand",
    ],
)
def test_art16_n5_who_had_no_pair_again_or_separated_it_declined_nothing(history: str) -> None:
    law = rules()
    with law.readings.consulted() as asked:
        assert codes(history, law) == []
    assert "BJ-76" not in asked


def test_141_2000_art10_two_hands_at_most() -> None:
    history = "6 +8 +8 .split b$split +8 .split c$split +T b+T c+T"
    assert codes(history, rules(DCE_141_2000)) == ["SPLIT_TOO_OFTEN"]


def test_art16_n2_a_stake_on_each_hand() -> None:
    assert codes("6 +8 +8 .split +T .stand b+T b.stand") == ["SPLIT_NOT_STAKED"]
    assert codes("6 +8 +8 b$split .split +T .stand b+T b.stand") == []
    assert codes("6 +8 +8 b$split +T .stand b+T b.stand") == ["STAKE_NOT_DECIDED"]


# Art. 17


def test_art17_n1_modes() -> None:
    nine, eleven, split = (
        "6 +5 +4 .double $double +T",
        "6 +5 +6 .double $double +T",
        "6 +8 +8 .split b$split +3 .double $double +9 b+T",
    )
    for modes, refused in (
        ("first_two,split_first_two", ()),
        ("first_two", (split,)),
        ("split_first_two", (nine, eleven)),
        ("eleven", (nine, split)),
        ("none", (nine, eleven, split)),
    ):
        law = rules(double_modes=modes)
        for history in (nine, eleven, split):
            assert codes(history, law) == (["DOUBLE_REFUSED"] if history in refused else [])


def test_art17_n1_first_two_cards_only() -> None:
    assert codes("6 +2 +3 .hit +4 .double $double +T") == ["DOUBLE_REFUSED"]
    assert codes("6 +A +K .double $double +2") == ["DOUBLE_REFUSED"]


def test_art17_n1_2_not_on_split_aces() -> None:
    assert codes("6 +A +A .split b$split +3 .double $double +9 b+T") == ["DOUBLE_REFUSED"]


def test_bj65b_a_split_ace_doubled_in_2004() -> None:
    history = "6 +A +A .split b$split .double $double +9 b+T"
    law = rules(DSEF_56_2004)
    with law.readings.consulted() as asked:
        assert codes(history, law) == []
    assert asked == {"BJ-65b"}
    assert codes(history, rules(DSEF_56_2004, readings={"BJ-65b": "no"})) == ["DOUBLE_REFUSED"]
    assert "double" in open_to(GAME, "6 +A +A .split b$split", 0, law)


def test_141_2000_art11_on_eleven_only() -> None:
    law = rules(DCE_141_2000)
    assert codes("6 +5 +6 .double $double +T", law) == []
    assert codes("6 +5 +5 .double $double +T", law) == ["DOUBLE_REFUSED"]


@pytest.mark.parametrize(
    "regulation",
    [DSEF_57_2009, DSEF_56_2004, DCE_141_2000, HOUSE_RULES],
    ids=["57/2009", "56/2004", "141/2000", "house rules"],
)
@pytest.mark.parametrize("play", [".hit +8", ".double $double +8", ".split b$split +8 b+9", ".surrender/3"])
def test_cards_that_are_named_only_when_they_are_turned_are_held_against_no_decision(
    regulation: object, play: str
) -> None:
    own = {"double_totals": "11", "surrender": "on"} if regulation is HOUSE_RULES else {"split_max_hands": "2"}
    law = rules(regulation, **own)
    assert {*codes(f"6 -?? -?? {play} .stand", law)} <= {"DECISION_AFTER_FINAL"}
    assert judge("6 -?? -?? .hit +8 .stand ^6 ^5", law).outcome == seat_of("6 19")


def test_art6_n2_a_bust_is_shown_before_play_goes_on() -> None:
    judged = judge("6 -K -6 .hit +8 ^K ^6", telling("turns"))
    assert judged.breaches == ()
    assert [(late.code, late.article, late.position) for late in judged.if_play_went_on] == [
        ("BUST_NOT_SHOWN", "57/2009 art. 6(2)", LAST)
    ]
    assert judge("6 -K -3 .hit +8 ^K ^3", telling("turns")).if_play_went_on == ()
    assert judge("6 +K +6 .hit +8", telling("turns")).if_play_went_on == ()
    assert judge("6 -K -6 ^K ^6 .hit +8", telling("turns")).if_play_went_on == ()


@pytest.mark.parametrize(
    ("history", "bust"),
    [
        ("6 -K -6 .hit +8", 4),  # never
        ("6 -K -6 .hit +8 ^K", 4),  # one of the two
        ("6 -?? -?? .hit +8 .hit +5 ^K ^6", 4),  # after another card
        ("6 -8 -8 .split b$split +K .hit +9 b+3 ^8 b.stand", 7),  # after the other hand got a card
    ],
)
def test_art6_n2_a_bust_that_is_not_shown_at_once(history: str, bust: int) -> None:
    judged = judge(history, telling("turns"))
    assert [breach.position for breach in judged.breaches if breach.code == "BUST_NOT_SHOWN"] == [bust]
    assert judged.if_play_went_on == ()


def test_art6_n2_a_hidden_card_goes_with_its_hand_when_a_pair_is_separated() -> None:
    judged = judge("6 -8 -8 .split b$split +K .hit +9 ^8 b+3 b.hit +T b^8 b.stand", telling("turns"))
    assert [late.position for late in judged.if_play_went_on] == [LAST - 5]


def test_art6_n2_is_not_checked_where_the_log_tells_of_no_card_turned() -> None:
    history = "6 -K -6 .hit +8"
    judged = judge(history)
    assert (judged.breaches, judged.not_checked) == ((), ("turns",))
    assert judge("6 -K -6 .stand").not_checked == ()
    assert codes(history, telling("turns", law=rules(not_recorded="faces"))) == []


def test_art17_n2_the_card_of_a_doubled_hand_is_dealt_face_up() -> None:
    assert found("6 +5 +6 .double $double -T") == [("DOUBLE_CARD_DOWN", 5)]
    assert found("6 +5 +6 .double $double -T ^T") == [("DOUBLE_CARD_DOWN", 5)]
    assert codes("6 -5 -6 .double $double +T ^5 ^6") == []
    assert codes("6 +5 +6 .double $double -T ~T +9") == []
    assert codes("6 +8 +8 .split b$split +3 .double $double -9 b+T b.stand") == ["DOUBLE_CARD_DOWN"]


def test_56_2004_art17_n1_a_card_dealt_face_down_stays_so_when_the_hand_is_separated() -> None:
    history = "6 +A +A .split b$split .double $double -A .split c$split +2 b+3 c+4"
    breaches = judge(history, rules(DSEF_56_2004, resplit_aces="yes")).breaches
    assert ("DOUBLE_CARD_DOWN", 7) in [(breach.code, breach.position) for breach in breaches]


def test_art17_n2_faces_that_a_log_does_not_record_are_not_checked() -> None:
    assert codes("6 +5 +6 .double $double -T", rules(not_recorded="faces")) == []


def test_56_2004_art17_n1_asks_for_an_open_card_and_n2_on_eleven_does_not() -> None:
    usual, eleven = rules(DSEF_56_2004), rules(DSEF_56_2004, double_modes="eleven")
    (breach,) = judge("6 +5 +6 .double $double -T", usual).breaches
    assert (breach.code, breach.article) == ("DOUBLE_CARD_DOWN", "56/2004 art. 17(1)")
    assert codes("6 +5 +6 .double $double -T", eleven) == []
    assert codes("6 -5 -6 .double $double -T", rules(DCE_141_2000)) == []


def test_art17_a_second_stake() -> None:
    assert codes("6 +5 +6 .double +T") == ["DOUBLE_NOT_STAKED"]
    assert codes("6 +5 +6 $double .double +T") == []
    assert codes("6 +5 +6 $double .stand") == ["STAKE_NOT_DECIDED"]


@pytest.mark.parametrize(("cards", "refused"), [("+6 +4", False), ("+6 +5", False), ("+5 +4", True), ("+A +9", True)])
def test_house_rules_double_on_chosen_totals(cards: str, refused: bool) -> None:
    law = rules(HOUSE_RULES, double_totals="10,11")
    assert codes(f"6 {cards} .double $double +2", law) == (["DOUBLE_REFUSED"] if refused else [])


def test_house_rules_number_of_splits() -> None:
    once = "6 +8 +8 .split b$split +8 b+T"
    assert codes(once, rules(HOUSE_RULES, max_splits="0")) == ["SPLIT_TOO_OFTEN"]
    assert codes(once, rules(HOUSE_RULES, max_splits="1")) == []
    doubled = "6 +8 +8 .split b$split +3 .double $double +T b+T"
    assert codes(doubled, rules(HOUSE_RULES, double_after_split="no")) == ["DOUBLE_REFUSED"]


# What is refused and not accepted: arts. 16(1) and 17(1)


@pytest.mark.parametrize(
    ("history", "outcome", "positions"),
    [
        ("6 $main +5 +6 .split", "6 11", [4]),
        ("6 $main +5 +6 .split .hit +9", "6 20", [4]),
        ("6 $main +5 +6 .split .stand", "6 11", [4]),
        ("6 $main +5 +6 .split .double $double +9", "6 20:doubled=first_two", [4]),
        ("6 $main +5 +6 .split .split .hit +9", "6 20", [4, 5]),
        ("6 $main +5 +6 .hit +2 .split .hit +7", "6 20", [6]),
        ("T $main +9 +7 .split .surrender/3", "T 16:ending=surrender", [4]),
        ("T $main +A +K .split", "T bj", [4]),
        ("A $main +A +K .split .even_money/3", "A bj:ending=even_money", [4]),
        ("A $main +5 +6 .split $insurance .hit +9", "A 20", [4]),
        ("6 $main $main +5 +6 .split .hit +9", "6 20", [4 + 1]),
        ("6 $main +6h +7h .split .hit +8h .special_prize", "6 21:prize=held", [4]),
    ],
)
def test_art16_n1_a_refused_split_that_nobody_accepts_leaves_the_hand_what_it_was(
    history: str, outcome: str, positions: list[int]
) -> None:
    judged = judge(history)
    assert judged.outcome == seat_of(outcome)
    assert [(each.code, each.position) for each in judged.breaches] == [("SPLIT_NO_PAIR", at) for at in positions]
    assert all(each.message.endswith("; not carried out") for each in judged.breaches)


@pytest.mark.parametrize(
    "accepted",
    ["b$split +9 b+7", "b$split b+7 +9", "+9 b$split b+7", "$insurance b$split +9 b+7"],
)
def test_art16_n1_a_stake_or_a_card_shows_that_a_refused_split_was_accepted(accepted: str) -> None:
    judged = judge(f"A $main +5 +6 .split {accepted} .stand b.stand")
    assert judged.outcome == seat_of("A 14:split:two 13:split:two")
    assert [(each.code, each.position) for each in judged.breaches] == [("SPLIT_NO_PAIR", 4)]
    assert "carried out" not in judged.breaches[0].message


@pytest.mark.parametrize("accepted", ["+9 b+7", "b+7 +9"])
def test_art16_n2_a_refused_split_is_accepted_without_a_stake(accepted: str) -> None:
    judged = judge(f"6 $main +5 +6 .split {accepted} .stand b.stand")
    assert judged.outcome == seat_of("6 14:split:two 13:split:two:bare")
    assert [(each.code, each.position) for each in judged.breaches] == [("SPLIT_NO_PAIR", 4), ("SPLIT_NOT_STAKED", 4)]


def test_art16_n5_a_refused_split_of_a_split_hand_takes_no_number_from_the_next() -> None:
    judged = judge("6 $main +8 +8 .split b$split +3 b+8 .split .hit +7 .stand b.split c$split b+T b.stand c+9 c.stand")
    assert judged.outcome == seat_of("6 18:split 18:split:two 17:split:resplit:two")
    assert [(each.code, each.position) for each in judged.breaches] == [("SPLIT_NO_PAIR", 8)]
    aces = judge("6 $main +A +A .split b$split +A .split b+T")
    assert aces.outcome == seat_of("6 12:split:two 21:split:two")
    assert [each.code for each in aces.breaches] == ["SPLIT_TOO_OFTEN"]


@pytest.mark.parametrize(
    ("history", "outcome", "positions"),
    [
        ("6 $main +5 +2 .hit +3 .double", "6 10", [6]),
        ("6 $main +5 +2 .hit +3 .double .hit +2 .hit +7", "6 19", [6]),
        ("6 $main +5 +2 .hit +3 .double .stand", "6 10", [6]),
        ("6 $main +5 +2 .hit +3 .double .double .hit +9", "6 19", [6, 7]),
        ("T $main +A +K .double", "T bj", [4]),
        ("A $main +5 +2 .hit +3 .double $insurance .stand", "A 10", [6]),
        ("6 $main $main +5 +2 .hit +3 .double .hit +9", "6 19", [7]),
        ("6 $main +A +A .split b$split +5 .double b+9 b.stand", "6 16:split:two 20:split:two", [7]),
    ],
)
def test_art17_n1_a_refused_double_that_nobody_accepts_leaves_the_hand_what_it_was(
    history: str, outcome: str, positions: list[int]
) -> None:
    judged = judge(history)
    assert judged.outcome == seat_of(outcome)
    assert [(each.code, each.position) for each in judged.breaches] == [("DOUBLE_REFUSED", at) for at in positions]


@pytest.mark.parametrize("accepted", [".double $double +9", "$double .double +9", ".double +9 $double"])
def test_art17_n1_a_stake_or_a_card_shows_that_a_refused_double_was_accepted(accepted: str) -> None:
    judged = judge(f"6 $main +5 +2 .hit +3 {accepted}")
    late = accepted.endswith("$double")
    assert judged.outcome == seat_of("6 19:doubled=none" + ":staked_late" * late)
    assert [each.code for each in judged.breaches] == ["DOUBLE_REFUSED", *["WAGER_TOO_LATE"] * late]
    assert codes("6 +5 +2 .hit +3 .double +9") == ["DOUBLE_REFUSED", "DOUBLE_NOT_STAKED"]
    assert codes("6 +5 +2 .hit +3 .double +9 .hit +2") == ["DOUBLE_REFUSED", "HIT_AFTER_DOUBLE", "DOUBLE_NOT_STAKED"]


@pytest.mark.parametrize("play", [".double", ".split"])
def test_art6_n3_what_nobody_accepts_of_a_hand_that_was_over_changes_nothing(play: str) -> None:
    for held, outcome in (("+9 +9 .stand", "6 18"), ("+5 +6 .double $double +7", "6 18:doubled=first_two")):
        judged = judge(f"6 $main {held} {play}")
        assert judged.outcome == seat_of(outcome)
        assert [each.code for each in judged.breaches] == ["DECISION_AFTER_FINAL"]


# What is open to a hand


@pytest.mark.parametrize(
    ("history", "open_"),
    [
        ("T +9 +8", {"hit", "stand", "double", "surrender"}),
        ("A +9 +8", {"hit", "stand", "double", "insurance"}),
        ("A +9 +8 $insurance", {"hit", "stand", "double"}),
        ("T +8 +8", {"hit", "stand", "double", "split", "surrender"}),
        ("x +A +K", {"stand", "surrender"}),
        ("T +9 +2 .hit +3", {"hit", "stand"}),
        ("T +9 +2 .hit", set()),
        ("T +9 +2 .hit +T", set()),
        ("T +9 +2 .hit +A .hit +K", set()),
        ("T +9 +8 .stand", set()),
        ("T +8 +8 .split b$split", set()),
        ("T +8 +8 .split b$split +3", {"hit", "stand", "double"}),
        ("T +A +A .split b$split +3 b+4", set()),
        ("T", set()),
        ("T +9", set()),
    ],
)
def test_allowed(history: str, open_: set[str]) -> None:
    assert open_to(GAME, history, 0, rules()) == open_


def test_what_is_allowed_is_no_breach_and_what_is_not_is_one() -> None:
    plays = {
        "hit": ".hit +2",
        "double": ".double $double +2",
        "split": ".split b$split +2 b+2",
        "surrender": ".surrender/3",
    }
    law = rules()
    for upcard in "ATx":
        for first in "A23456789T":
            for second in "A23456789T":
                history = f"{upcard} +{first} +{second}"
                open_ = open_to(GAME, history, 0, law)
                for action, words in plays.items():
                    assert bool(codes(f"{history} {words}", law)) is (action not in open_), (history, action)


# Where a source records no decisions


def test_what_turns_on_a_card_of_the_bank_that_the_log_does_not_name_is_not_checked() -> None:
    for claim in (".surrender", "$insurance .stand"):
        assert judge(f"x +T +6 {claim}").not_checked == ()
        assert judge(f"? +T +6 {claim}").not_checked == ("upcard",)
    assert judge("? +T +6 .stand").not_checked == ()


def test_decisions_not_recorded_are_not_checked() -> None:
    law = rules(HOUSE_RULES, not_recorded="decisions")
    judged = judge("T $main +9 +2 $double +T", law)
    assert (judged.outcome, judged.breaches, judged.not_checked) == (
        seat_of("T 21:doubled=first_two"),
        (),
        ("decisions",),
    )
    split = judge("T $main +8 +8 b$split +2 b+3 b+T", law)
    assert (split.outcome, split.breaches) == (seat_of("T 10:split:two 21:split"), ())
    hands_apart = judge("T $main b$split +8 +2 b+8 b+3", law)
    assert (hands_apart.outcome, hands_apart.breaches) == (seat_of("T 10:split:two 11:split:two"), ())
    assert judge("T $main +9 +2 +T", law).outcome == seat_of("T 21")


@pytest.mark.parametrize("regulation", [DCE_141_2000, DSEF_57_2009], ids=["2000", "2009"])
@pytest.mark.parametrize("reading", ["yes", "no"])
def test_art16_chips_that_come_before_the_decision_separate_the_pair_that_it_separates(
    regulation: BlackJack, reading: str
) -> None:
    """BJ-59: a king and a queen, where they are one; of two pairs the one that was not stood on."""
    law = rules(regulation, {regulation.splitting.pair_ruling: reading})
    for cards in ("+8 +8", "+K +Q"):
        turns = "+5 .stand b+5 b.stand"
        chips, decision = (judge(f"6 $main {cards} {told} {turns}", law) for told in CHIPS_OR_WORD_FIRST)
        expected = cards == "+8 +8" or reading == "yes"
        assert (not chips.breaches) is (not decision.breaches) is expected
        if expected:
            assert chips.outcome == decision.outcome
    again = "6 $main +8 +8 .split b$split +8 .stand b+8 {} b+5 b.stand c+6 c.stand"
    chips, decision = (judge(again.format(told), law) for told in ("c$split b.split", "b.split c$split"))
    assert chips.outcome == decision.outcome


CHIPS_OR_WORD_FIRST = ("b$split .split", ".split b$split")


@pytest.mark.parametrize("held", ["+9 +8", "-9 -8", "+5 +6 .hit +2"])
def test_art16_n1_of_what_is_no_pair_chips_before_the_decision_separate_what_it_does(held: str) -> None:
    chips, decision = (judge(f"6 $main {held} {told} +5 .stand b+T b+9 b.stand") for told in CHIPS_OR_WORD_FIRST)
    assert [breach.code for breach in chips.breaches] == [breach.code for breach in decision.breaches]
    assert "SPLIT_NO_PAIR" in {breach.code for breach in chips.breaches}
    assert (chips.outcome, chips.unjudged) == (decision.outcome, decision.unjudged)


@pytest.mark.parametrize(("played", "hand"), [("+A +K b$split", "bj"), ("+9 +8 b$split .stand", "17")])
def test_art16_chips_for_a_hand_that_nobody_separates_leave_the_other_one_what_it_is(played: str, hand: str) -> None:
    """Art. 10(6): 21 on separated bets is no Black Jack; these were not separated."""
    judged = judge(f"6 $main {played}")
    assert judged.outcome.hands[0] == seat_of(f"6 {hand}").hands[0]
    assert [breach.code for breach in judged.breaches] == ["STAKE_NOT_DECIDED"]


def test_art6_n5_of_a_pair_that_chips_separate_before_the_decision_its_total_is_called() -> None:
    law = rules(recorded=["totals"], deal_procedure="2")
    called = "6 $main +8 +8 {} b$split .split +5 =13 .stand b+5 b=13 b.stand"
    assert codes(called.format("=16"), law) == []
    assert codes(called.format(""), law) == ["TOTAL_NOT_CALLED"]


@pytest.mark.parametrize("cards", ["+9 +8 .stand", "+A +K"])
def test_a_seat_without_a_main_wager_waits_for_nothing(cards: str) -> None:
    """What is wagered on its first cards is decided by these."""
    judged, with_main = judge(f"T {cards}"), judge(f"T $main {cards}")
    assert not judged.awaits_bank
    assert not judged.awaits_natural
    assert with_main.awaits_bank or with_main.awaits_natural
