"""Where each outcome stands in the law: the paragraph and item that decides it, version by version, as the texts number them.

141/2000 numbers few paragraphs (arts. 2, 3) and letters its items (art. 7 a, b); 56/2004 has none in arts. 9, 11, 15 and 17;
an article that 42/2007 or 97/2008 rewrote says so behind its number.
"""

from __future__ import annotations

import polars as pl
import pytest

from replayer.contract.wagers import PlayedRound, WagerSituation
from replayer.explanation import explain_round
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.black_jack.despacho_42_2007 import DSEF_42_2007
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.outcome import BANK_NATURAL
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from replayer.law.fortune_3_card_poker.despacho_97_2008 import DSEF_97_2008
from replayer.verdicts.replay import replay_table_days
from tests.law.notation import carried, streak_due
from tests.law.one_round import table
from tests.law.outcomes import bank as bank_of
from tests.law.outcomes import croupier as croupier_of
from tests.law.outcomes import hand as hand_of
from tests.law.rules import rules
from tests.law.seats import DEALT, due, judge
from tests.law.states import first_cards_of

TEXTS = (DCE_141_2000, DSEF_56_2004, DSEF_42_2007, DSEF_57_2009)
OUTCOMES = {  # a seat, the bank, the wager: where it stands in 141/2000, 56/2004, 42/2007 and 57/2009
    "both have Black Jack": ("T +A +K", "bj", "main", "7(a)", "11(1)", "11(1)", "11(1)(1)"),
    "equal points": ("x +T +9 .stand", "19", "main", "7(b)", "11(2)", "11(2)", "11(1)(2)"),
    "more points": ("x +T +9 .stand", "18", "main", "5", "9", "9", "9"),
    "fewer points": ("x +T +7 .stand", "18", "main", "5", "9", "9", "9"),
    "the bank over 21": ("x +T +7 .stand", "bust", "main", "5", "9", "9", "9"),
    "21 in more cards": ("x +T +5 .hit +6 .stand", "20", "main", "6", "10(4)", "10(4)", "10(4)"),
    "21 in more cards and Black Jack": ("T +T +5 .hit +6", "bj", "main", "6", "10(6)", "10(6)", "10(6)"),
    "Black Jack": ("x +A +K", "20", "main", "6", "10(2)", "10(2)", "10(2)"),
    "Black Jack against 21": ("x +A +K", "21", "main", "6", "10(5)", "10(5)", "10(5)"),
    "even money": (f"T +A +K .even_money/{DEALT}", "20", "main", "6", "10(3)", "10(3)", "10(3)"),
    "over 21": ("x +T +5 .hit +K", "bust", "main", "3(2)(b)", "7(2)", "7(2)", "7(2)"),
    "Black Jack of the bank": ("T +T +9 .stand", "bj", "main", "8", "12(2)", "12(2)", "12(2)"),
    "insurance won": ("A $insurance +T +9 .stand", "bj", "insurance", "8", "12(2)", "12(2)", "12(2)"),
    "insurance lost": ("A $insurance +T +9 .stand", "20", "insurance", "8", "12(3)", "12(3)", "12(3)"),
    "special prize": ("A +7 +7 .hit +7", "20", "main", "9", "15", "15", "15"),
    "surrender": (f"T +T +6 .surrender/{DEALT}", "20", "main", "12", "18(1)", "18(1)", "18(1)"),
    "five cards": (f"T +2 +3 .hit +2 .hit +3 .hit +4 .five_card_half/{DEALT}", "20", "main", "13", "19(1)", "19(1)", "19(1)"),
}  # fmt: skip
FINDINGS = {
    "a draw on a doubled hand": ("x +5 +6 .double $double +2 .hit +3", "11", "6(4)(2)", "6(4)(2) (42/2007)", "6(4)(2)"),
    "a draw on a split ace": ("x +A +A .split b$split +2 .hit +3 b+4", "10", "6(4)(3)", "6(4)(3) (42/2007)", "6(4)(3)"),
    "a card not asked for": ("x +T +5 .stand +3", "3(2)(b)", "6(2)", "6(2) (42/2007)", "6(2)"),
    "a card not given": ("x +T +5 .hit", "3(2)(b)", "7(1)", "7(1)", "7(1)"),
    "a decision on a hand that is over": ("x +T +7 .stand .hit +2", "3(2)(c)", "6(3)", "6(3) (42/2007)", "6(3)"),
    "a surrender against an ace": (f"A +T +6 .surrender/{DEALT}", "12", "18(1)", "18(1)", "18(1)"),
    "half for four cards": (f"x +2 +3 .hit +2 .hit +3 .five_card_half/{DEALT}", "13", "19(1)", "19(1)", "19(1)"),
    "insurance against a ten": ("T $insurance +T +9 .stand", "8", "12(1)", "12(1)", "12(1)"),
    "no pair separated": ("x +8 +9 .split b$split +2 b+4", "10", "16(1)", "16(1) (42/2007)", "16(1)"),
}  # fmt: skip
ACTS = ("141/2000", "56/2004", "56/2004", "57/2009")


@pytest.mark.parametrize("version", range(4), ids=["141", "56", "42", "57"])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_verdict_names_the_paragraph_and_item_that_decides_it(outcome: str, version: int) -> None:
    history, bank, kind, *places = OUTCOMES[outcome]
    assert due(history, bank, rules(TEXTS[version]), kind).article == f"{ACTS[version]} art. {places[version]}"


@pytest.mark.parametrize("version", range(4), ids=["141", "56", "42", "57"])
@pytest.mark.parametrize("fault", FINDINGS)
def test_a_finding_names_the_paragraph_and_item_of_the_duty(fault: str, version: int) -> None:
    history, *places = FINDINGS[fault]
    breaches = judge(history, rules(TEXTS[version])).breaches
    assert breaches[0].article == f"{ACTS[version]} art. {places[version]}"


def test_57_2009_art5_a_surrender_before_the_look_is_lost_by_article_12_and_ties_by_article_11() -> None:
    law = rules(DSEF_57_2009, deal_procedure="3")
    for cards, odds, place in (("+T +6", -1, "12(2)"), ("+A +K", 0, "11(1)(1)")):
        outcome = judge(f"T {cards} .surrender/{DEALT}", law).outcome
        due = BLACK_JACK.settlement.due(WagerSituation("main", 0, outcome, BANK_NATURAL), law)
        assert (due.odds, due.article) == (odds, f"57/2009 art. {place}")


SIDES = {  # a wager, the seat's first cards: the step that names the combination, and what the due stands on
    "no pair": ("any_pair", "+Jc +Qd", "13(1)(1)", "13(1)(1)"),
    "a pair": ("any_pair", "+Jc +Jd", "13(1)(1)", "14(1)"),
    "no pair on the second hand": ("any_pair", "+Jc +Jd .split b$split +9s b+8h", "13(1)(2)", "13(1)(2)"),
    "a pair on the second hand": ("any_pair", "+Jc +Jd .split b$split +9s b+Jh", "13(1)(2)", "14(1)"),
    "no sevens": ("sevens", "+7c +8d", "13(2)(1)", "13(2)(1)"),
    "two sevens": ("sevens", "+7c +7d", "13(2)(1)", "14(2)(1)"),
    "two sevens of one suit": ("sevens", "+7c +7c", "13(2)(1)", "14(2)(2)"),
    "three sevens": ("sevens", "+7c +7d .split b$split +7s", "13(2)(2)", "14(2)(3)"),
    "three sevens of one suit": ("sevens", "+7c +7c .split b$split +7c", "13(2)(2)", "14(2)(4)"),
    "over 13": ("over_13", "+7c +8d", "13(3)", "14(3)"),
    "not over 13": ("over_13", "+7c +6d", "13(3)", "13(3)"),
    "no perfect pair": ("perfect_pair", "+7c +6d", "13(4)", "13(4)"),
    "a mixed pair": ("perfect_pair", "+7c +7d", "13(4)(1)", "14(4)(1)"),
    "a colour pair": ("perfect_pair", "+7h +7d", "13(4)(2)", "14(4)(2)"),
    "a perfect pair": ("perfect_pair", "+7h +7h", "13(4)(3)", "14(4)(3)"),
}


@pytest.mark.parametrize("outcome", SIDES)
@pytest.mark.parametrize("regulation", [DSEF_56_2004, DSEF_57_2009])
def test_art13_an_additional_wager_names_the_sub_item_of_its_combination(regulation: object, outcome: str) -> None:
    kind, cards, described, decided = SIDES[outcome]
    if kind == "perfect_pair" and regulation is DSEF_56_2004:
        return  # 57/2009 brought it
    law = rules(regulation, side_any_pair="on", side_sevens="on", side_over_under="on")
    first_cards, hand = first_cards_of(BLACK_JACK, cards), int("second hand" in outcome)
    due = BLACK_JACK.settlement.due(WagerSituation(kind, hand, first_cards=first_cards), law)
    act = "57/2009" if regulation is DSEF_57_2009 else "56/2004"
    assert (due.steps[0].article, due.article) == (f"{act} art. {described}", f"{act} art. {decided}")


@pytest.mark.parametrize(
    ("seat", "place"),
    [
        ("T +8 +8 .split b$split +T .stand b+9 b.stand", "16(7)(3)"),
        ("T +T +8 .stand", "13(5)(2)(ii)"),
        (f"T +T +6 .surrender/{DEALT}", "18(3)"),
    ],
)
def test_57_2009_a_streak_lost_names_how_it_was_lost(seat: str, place: str) -> None:
    law = rules(DSEF_57_2009, side_streak="on")
    result = BLACK_JACK.carried.result(judge(seat, law).outcome, bank_of("20"), law)
    due = streak_due("streak_2", (*carried("W"), PlayedRound(result)), law)
    assert due is not None
    assert (due.odds, due.article) == (-1, f"57/2009 art. {place}")


def test_57_2009_art21_n2_is_what_takes_a_surrender_and_a_special_prize_away() -> None:
    law = rules(DSEF_57_2009, surrender="off", special_prizes="off")
    for history in (f"T +T +6 .surrender/{DEALT}", "T +7 +7 .hit +7 .special_prize"):
        assert judge(history, law).breaches[0].article == "57/2009 art. 21(2)"
    refused = judge("T +7 +7 .hit +6 .special_prize", rules(DSEF_57_2009)).breaches[0]
    assert refused.article == "57/2009 art. 15"


@pytest.mark.parametrize(
    ("regulation", "modes", "place"),
    [(DSEF_56_2004, "first_two", "17(1)"), (DSEF_56_2004, "eleven", "17(2)"), (DSEF_57_2009, "eleven", "17(1)")],
)
def test_art17_a_double_is_refused_by_the_item_of_the_mode_that_the_house_chose(
    regulation: object, modes: str, place: str
) -> None:
    law = rules(regulation, double_modes=modes)
    history = "x +2 +3 .hit +4 .double $double +9"
    breach = judge(history, law).breaches[0]
    assert (breach.code, breach.article.partition("art. ")[2]) == ("DOUBLE_REFUSED", place)


@pytest.mark.parametrize(
    ("regulation", "history", "place"),
    [
        (DSEF_57_2009, "x +A +K .double $double +2", "6(4)(1)"),
        (DSEF_57_2009, "x +A +A .split b$split +3 .double $double +9 b+T", "17(1)(2)"),
        (DSEF_56_2004, "x +A +A .split b$split +3 .double $double +9 b+T", "6(4)(3)"),
    ],
)
def test_a_double_is_refused_by_the_sentence_that_it_breaks(regulation: object, history: str, place: str) -> None:
    """Art. 6(4)(1) bars cards at 21, 17(1)(2) doubling of separated aces, in 2004 their one card (6(4)(3)) does."""
    law = rules(regulation, double_modes="first_two,split_first_two")
    breach = next(b for b in judge(history, law).breaches if b.code == "DOUBLE_REFUSED")
    assert breach.article.partition("art. ")[2] == place


def test_57_2009_art5_n2_3_7_five_hands_at_most_with_a_hidden_card() -> None:
    law = rules(DSEF_57_2009, deal_procedure="3", split_max_hands="8")
    grown = " ".join(
        f"{a}.split {b}$split {a}+8 {b}+8" for a, b in (("", "b"), ("", "c"), ("", "d"), ("", "e"), ("", "f"))
    )
    found = [(b.code, b.article) for b in judge(f"x +8 +8 {grown}", law).breaches]
    assert found[0] == ("SPLIT_TOO_OFTEN", "57/2009 art. 5(2)(3)(7)")


# Fortune 3 Card Poker: art. 8 has an item a combination, art. 9 one a step of the game

TIES = {"KQJs": 1, "T98": 3, "KT4s": 4, "99K": 5, "KT4": 6}


@pytest.mark.parametrize("hand", TIES)
@pytest.mark.parametrize("regulation", [DSEF_78_2008, DSEF_97_2008])
@pytest.mark.parametrize("kind", ["ante", "raise"])
def test_78_2008_art8_a_tie_names_the_item_of_its_combination(regulation: object, hand: str, kind: str) -> None:
    due = FORTUNE.settlement.due(
        WagerSituation(kind, 0, hand_of(f"raised {hand}"), croupier_of(hand)), rules(regulation)
    )
    assert due.article.split("; ")[0] == f"78/2008 art. 8({TIES[hand]})"
    assert due.odds == 0 or regulation is DSEF_97_2008  # there with the bonus of F3-7


@pytest.mark.parametrize(
    ("regulation", "croupier", "ante", "qualifies"),
    [
        (DSEF_78_2008, "JT4", "9(6)", "9(5)"),
        (DSEF_78_2008, "AK4", "9(7)", "9(5)"),
        (DSEF_78_2008, "Q84", "9(8)(4)", "9(5)"),
        (DSEF_97_2008, "JT4", "9(5) (97/2008)", "9(4) (97/2008)"),
        (DSEF_97_2008, "Q84", "9(6) (97/2008)", "9(4) (97/2008)"),
    ],
)
def test_art9_whether_the_croupier_plays_and_what_follows_from_it(
    regulation: object, croupier: str, ante: str, qualifies: str
) -> None:
    due = FORTUNE.settlement.due(
        WagerSituation("ante", 0, hand_of("raised KT4"), croupier_of(croupier)), rules(regulation)
    )
    assert due.article == f"78/2008 art. {ante}"
    assert [step.article for step in due.steps[:2]] == [f"78/2008 art. {qualifies}", f"78/2008 art. {ante}"]


def test_78_2008_art9_n1_has_three_odd_cards_lose_pair_plus_97_2008_at_hand_does_not() -> None:
    for regulation, place in ((DSEF_78_2008, "9(1)"), (DSEF_97_2008, "10")):
        due = FORTUNE.settlement.due(WagerSituation("pair_plus", 0, hand_of("alone KT4")), rules(regulation))
        assert (due.odds, due.article) == (-1, f"78/2008 art. {place}")


@pytest.mark.parametrize(("hand", "item"), [("KQJs", 1), ("JJJ", 2), ("T98", 3), ("KT4s", 4), ("99K", 5)])
def test_78_2008_art10_names_the_item_of_the_prize(hand: str, item: int) -> None:
    due = FORTUNE.settlement.due(WagerSituation("pair_plus", 0, hand_of(f"alone {hand}")), rules(DSEF_78_2008))
    assert due.article == f"78/2008 art. 10({item})"


def test_an_explanation_cites_what_the_verdict_cites() -> None:
    text = "1-Kc 1-9d 1-4h B-Kd B-9s B-4c 1.raise 1.raise=100 B^Kd B^9s B^4c end"
    day = table(f"1.ante=100 nomore {text}", "fortune_3_card_poker", "2008-09-01")
    verdict = replay_table_days([day])[0].wagers.filter(pl.col("wager") == "ante")["article"][0]
    explained = explain_round(day, 1)
    rules_applied = [(line.about, line.article) for line in explained.rules]
    assert verdict == "78/2008 art. 8(6)"
    assert ("1.ante", "78/2008 art. 9(5)") in rules_applied
    assert ("1.ante", verdict) in rules_applied
    assert ("bank", "78/2008 art. 8(6)") in rules_applied
