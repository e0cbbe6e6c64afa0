"""Black Jack: even money, insurance, special prize, surrender, five cards (57/2009 arts. 10(3), 12, 15, 18, 19)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from replayer.law.black_jack import GAME
from replayer.law.black_jack.house_rules import HOUSE_RULES
from replayer.law.black_jack.outcome import HandOutcome
from tests.law.rules import VERSIONS, rules
from tests.law.seats import CHECKED, DEALT, LATER, OPENED, codes, due, judge
from tests.law.states import open_to

HALF = Fraction(1, 2)
FIVE = "+2 +3 .hit +2 .hit +3 .hit +4"


def hands(history: str) -> tuple[HandOutcome, ...]:
    outcome = judge(history).outcome
    assert outcome is not None
    return outcome.hands


# Art. 10(3)


@pytest.mark.parametrize("regulation", VERSIONS.values())
@pytest.mark.parametrize("upcard", ["A", "T"])
def test_art10_n3_even_money_against_an_ace_a_ten_or_a_figure(regulation: object, upcard: str) -> None:
    law = rules(regulation)
    history = f"{upcard} +A +K .even_money/{DEALT}"
    assert codes(history, law) == []
    for bank in ("bj", "20", ""):
        assert due(history, bank, law).odds == 1


def test_art10_n3_no_even_money_otherwise() -> None:
    for history, natural in (("x +A +K", True), ("A +T +9", False), ("T +A +A .split b$split +K b+5", False)):
        claimed = f"{history} .even_money/{DEALT}"
        assert codes(claimed) == ["EVEN_MONEY_REFUSED"]
        assert due(claimed, "20").odds == (Fraction(3, 2) if natural else due(history, "20").odds)


def test_art10_n3_even_money_closes_the_hand_whatever_cards_follow() -> None:
    history = f"T +A +K .even_money/{DEALT} .hit +9 .hit +5"
    assert codes(history) == ["DECISION_AFTER_FINAL", "DECISION_AFTER_FINAL"]
    assert due(history, "20").odds == 1


@pytest.mark.parametrize("moment", [CHECKED, OPENED])
def test_bj14_until_when(moment: str) -> None:
    history = f"T +A +K .even_money/{moment}"
    law = rules()
    with law.readings.consulted() as asked:
        assert codes(history, law) == ["EVEN_MONEY_LATE"]
    assert asked == {"BJ-14"}
    assert due(history, "20", law).odds == Fraction(3, 2)
    late = rules(readings={"BJ-14": "any"})
    assert codes(history, late) == []
    assert due(history, "20", late).odds == 1


def test_house_rules_even_money_by_choice() -> None:
    history = f"A +A +K .even_money/{DEALT}"
    assert codes(history, rules(HOUSE_RULES)) == ["EVEN_MONEY_REFUSED"]
    assert due(history, "20", rules(HOUSE_RULES)).odds == Fraction(3, 2)
    assert due(history, "20", rules(HOUSE_RULES, even_money="yes")).odds == 1


# Art. 12


def test_art12_n2_insurance_pays_two_to_one() -> None:
    paid = due("A +T +9 $insurance .stand", "bj", kind="insurance")
    assert (paid.odds, paid.article) == (2, "57/2009 art. 12(2)")


def test_art12_n3_insurance_is_lost_otherwise() -> None:
    for bank in ("21", "17", "bust", "no bj"):
        lost = due("A +T +9 $insurance .stand", bank, kind="insurance")
        assert (lost.odds, lost.article) == (-1, "57/2009 art. 12(3)")
    assert due("A +T +9 $insurance .stand", "", kind="insurance").odds is None


def test_art12_n1_only_against_an_ace() -> None:
    assert codes("A +T +9 $insurance .stand") == []
    assert codes("T +T +9 $insurance .stand") == ["INSURANCE_REFUSED"]


def test_bj17_and_bj18_are_named_where_insurance_wins() -> None:
    for procedure, expected in (("2", {"BJ-17"}), ("3", {"BJ-17", "BJ-18"})):
        law = rules(deal_procedure=procedure)
        with law.readings.consulted() as asked:
            due("A +T +9 $insurance .stand", "bj", law, kind="insurance")
        assert asked == expected


def test_house_rules_insurance_odds() -> None:
    law = rules(HOUSE_RULES, insurance_odds="3/2")
    assert due("A +T +9 $insurance .stand", "bj", law, kind="insurance").odds == Fraction(3, 2)


# Art. 15


@pytest.mark.parametrize("regulation", VERSIONS.values())
@pytest.mark.parametrize("cards", ["+7c +7d .hit +7h", "+6c +7c .hit +8c", "+8d +6d .hit +7d"])
def test_art15_special_prize(regulation: object, cards: str) -> None:
    for bank in ("20", "21", "bj", ""):
        assert due(f"A {cards}", bank, rules(regulation)).odds == 3


@pytest.mark.parametrize("regulation", VERSIONS.values())
@pytest.mark.parametrize("cards", ["+7c +7d .hit +7h", "+6c +7c .hit +8c"])
def test_art15_a_card_that_is_not_allowed_any_more_takes_nothing_from_a_prize_that_was_due_at_once(
    regulation: object, cards: str
) -> None:
    """21 is drawn to against art. 6(4)(1): in lieu of the win the hand was over; in addition to it, the 21 is lost (7(2))."""
    overdrawn = f"T {cards} .hit +5"
    assert due(overdrawn, "20", rules(regulation)).odds == 3
    assert due(overdrawn, "20", rules(regulation, {"BJ-55": "additional"})).odds == 3 - 1
    assert due(overdrawn, "20", rules(regulation, {"BJ-56": "on_request"})).odds == -1
    assert due(f"T {cards} .decline_special_prize .hit +5", "20", rules(regulation)).odds == -1


def test_art15_no_special_prize() -> None:
    for cards in ("+6c +7c .hit +8d", "+7c +7d .hit +6h .hit +Ac", "+6c +6d .hit +6h"):
        history = f"6 {cards} .stand"
        assert [hand.prize for hand in hands(history)] == [""]
        assert due(history, "17").odds in (1, -1)


def test_art15_a_suit_that_is_not_told_stands_in_the_way_only_where_it_decides() -> None:
    law = rules()
    assert judge("6 +6 +7 .hit +8", law).unjudged
    assert not judge("6 +7 +7 .hit +7", law).unjudged
    assert not judge("6 +6 +7 .hit +7", law).unjudged
    assert not judge("6 +6 +7 .hit +8", rules(special_prizes="off")).unjudged
    assert judge("6 +6c +7x .hit +8c", law).unjudged
    assert not judge("6 +6c +7x .hit +8d", law).unjudged


def test_art21_n2_special_prizes_switched_off() -> None:
    assert due("6 +7 +7 .hit +7", "20", rules(special_prizes="off")).odds == 1


@pytest.mark.parametrize(("reading", "against_20", "against_natural"), [("in_lieu", 3, 3), ("additional", 4, 2)])
def test_bj55_in_lieu_or_in_addition(reading: str, against_20: int, against_natural: int) -> None:
    law = rules(readings={"BJ-55": reading})
    assert due("T +7 +7 .hit +7", "20", law).odds == against_20
    assert due("T +7 +7 .hit +7", "bj", law).odds == against_natural
    assert judge("T $main +7 +7 .hit +7", law).awaits_bank is (reading == "additional")


def test_bj56_by_itself_or_on_request() -> None:
    silent, taken = "6 +7 +7 .hit +7", "6 +7 +7 .hit +7 .special_prize"
    declined = "6 +7 +7 .hit +7 .decline_special_prize"
    law, on_request = rules(), rules(readings={"BJ-56": "on_request"})
    assert [due(history, "20", law).odds for history in (silent, taken, declined)] == [3, 3, 1]
    assert [due(history, "20", on_request).odds for history in (silent, taken, declined)] == [1, 3, 1]
    with law.readings.consulted() as asked:
        judge(taken, law)
    assert "BJ-56" not in asked
    assert "special_prize" in open_to(GAME, silent, 0, on_request)
    assert codes("6 +7 +9 .special_prize .stand") == ["PRIZE_REFUSED"]
    assert codes("6 +7 +5 .hit +2 .special_prize .stand") == ["PRIZE_REFUSED"]


def test_bj57a_on_split_hands() -> None:
    history = "6 +7 +7 .split b$split +7 .hit +7 b+T b.stand"
    assert due(history, "20").odds == 3
    assert due(history, "20", rules(readings={"BJ-57a": "no"})).odds == 1


def test_bj57b_on_doubled_hands() -> None:
    history = "5 +6c +7c .double $double +8c"
    assert [due(history, "20", kind=kind).odds for kind in ("main", "double")] == [3, 3]
    assert codes(f"{history} .special_prize") == []
    on_request = rules(readings={"BJ-56": "on_request"})
    assert [due(f"{history}{asked}", "bj", on_request).odds for asked in ("", " .special_prize")] == [-1, 3]
    initial = rules(readings={"BJ-57b": "initial"})
    assert [due(history, "20", initial, kind).odds for kind in ("main", "double")] == [3, 0]


# Art. 18


@pytest.mark.parametrize("regulation", VERSIONS.values())
def test_art18_n1_half_is_lost_whatever_the_bank_gets(regulation: object) -> None:
    law = rules(regulation)
    history = f"T +T +6 .surrender/{DEALT}"
    assert codes(history, law) == []
    for bank in ("bust", "20", "bj", ""):
        assert due(history, bank, law).odds == -HALF


def test_art18_n1_not_against_an_ace() -> None:
    history = f"A +T +6 .surrender/{DEALT}"
    assert codes(history) == ["SURRENDER_REFUSED"]
    assert "surrender" not in open_to(GAME, "A +T +6", 0, rules())


def test_art18_n2_first_two_cards_only_and_irrevocable() -> None:
    assert codes(f"T +2 +3 .hit +9 .surrender/{LATER}") == ["SURRENDER_LATE"]
    assert codes(f"T +8 +8 .split b$split +T b+T .surrender/{DEALT} b.stand") == ["SURRENDER_REFUSED"]
    assert codes(f"T +T +6 .surrender/{DEALT} .hit +5") == ["DECISION_AFTER_FINAL"]


@pytest.mark.parametrize("more", [".hit +5", ".hit +K", ".double $double +9", ".stand"])
def test_art18_n2_a_surrender_cannot_be_altered_whatever_follows(more: str) -> None:
    history = f"T +T +6 .surrender/{DEALT} {more}"
    for bank in ("20", "bust", "bj"):
        assert due(history, bank).odds == -HALF


def test_art21_n2_surrender_switched_off() -> None:
    assert codes(f"T +T +6 .surrender/{DEALT}", rules(surrender="off")) == ["SURRENDER_REFUSED"]


def test_bj66_before_any_card_of_the_table_or_of_the_own_hand() -> None:
    history = f"T +T +6 .surrender/{LATER}"
    law = rules()
    with law.readings.consulted() as asked:
        assert codes(history, law) == ["SURRENDER_LATE"]
    assert asked == {"BJ-66"}
    assert due(history, "20", law).odds == -HALF
    assert codes(history, rules(readings={"BJ-66": "own_hand"})) == []


def test_bj67_with_a_hidden_card() -> None:
    early, late = f"T +T +6 .surrender/{DEALT}", f"T +T +6 .surrender/{CHECKED}"
    after = rules(deal_procedure="3")
    before = rules(deal_procedure="3", readings={"BJ-67": "before_peek"})
    assert codes(early, after) == ["SURRENDER_EARLY"]
    assert codes(early, before) == codes(late, after) == []
    assert due(early, "bj", after).odds == -1
    assert due(early, "bj", before).odds == -HALF
    assert due(early, "20", after).odds == due(late, "bj", after).odds == -HALF
    given_up = f"T +A +K .surrender/{DEALT}"
    assert due(given_up, "bj", after).odds == 0  # no surrender yet, and both have Black Jack: art. 11(1)(1)


# Art. 19


@pytest.mark.parametrize("regulation", VERSIONS.values())
def test_art19_n1_half_of_the_bet_is_won(regulation: object) -> None:
    law = rules(regulation)
    history = f"T {FIVE} .five_card_half/{LATER}"
    assert codes(history, law) == []
    for bank in ("bj", "20", "bust", ""):
        assert due(history, bank, law).odds == HALF


def test_art19_n1_no_claim() -> None:
    for history in (
        f"A {FIVE} .five_card_half/{LATER}",
        f"T +2 +3 .hit +2 .hit +9 .five_card_half/{LATER}",
        f"T {FIVE} .hit +A .five_card_half/{LATER}",
    ):
        judged = judge(history, rules())
        assert [breach.code for breach in judged.breaches] == ["FIVE_CARDS_REFUSED"]
        assert [hand.ending for hand in hands(history)] == [""]


def test_art19_n2_otherwise_play_goes_on() -> None:
    assert open_to(GAME, f"T {FIVE}", 0, rules()) == {"hit", "stand", "five_card_half"}
    assert due(f"T {FIVE} .hit +3 .stand", "18").odds == -1


def test_bj69_half_of_what() -> None:
    history = f"T {FIVE} .five_card_half/{LATER}"
    assert due(history, "20", rules(readings={"BJ-69": "return_half"})).odds == -HALF


def test_art19_n1_half_closes_the_hand_whatever_card_follows() -> None:
    assert due(f"T {FIVE} .five_card_half/{LATER} .hit +K", "20").odds == HALF


def test_bj70_asked_for_too_late_the_hand_takes_its_course() -> None:
    history = f"T {FIVE} .five_card_half/{OPENED}"
    assert codes(history) == ["FIVE_CARDS_LATE"]
    assert due(history, "20").odds == -1


def test_bj70b_who_asks_on_a_shared_seat() -> None:
    history = f"T $main $main {FIVE} .five_card_half/{LATER}"
    law = rules()
    with law.readings.consulted() as asked:
        assert due(history, "20", law).odds == HALF
    assert asked == {"BJ-69", "BJ-70b"}
    assert due(history, "20", rules(readings={"BJ-70b": "each"})).odds is None
    assert due(f"T $main {FIVE} .five_card_half/{LATER}", "20", rules(readings={"BJ-70b": "each"})).odds == HALF


def test_house_rules_have_no_such_prizes() -> None:
    law = rules(HOUSE_RULES)
    assert due("6 +7 +7 .hit +7", "20", law).odds == 1
    assert codes(f"T {FIVE} .five_card_half/{LATER}", law) == ["FIVE_CARDS_REFUSED"]
    assert codes(f"T +T +6 .surrender/{DEALT}", law) == ["SURRENDER_REFUSED"]
    assert codes(f"T +T +6 .surrender/{LATER}", rules(HOUSE_RULES, surrender="yes")) == []


def test_house_rules_say_whether_a_hand_is_surrendered_against_an_ace() -> None:
    assert codes("A +T +6 .surrender", rules(HOUSE_RULES, surrender="yes")) == []
    closed = rules(HOUSE_RULES, surrender="yes", surrender_against_ace="no")
    assert codes("A +T +6 .surrender", closed) == ["SURRENDER_REFUSED"]
