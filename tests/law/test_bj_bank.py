"""Black Jack: the bank's hand (57/2009 arts. 5(2)(3), 6(1), 6(6), 7(1)), every version and every reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_42_2007 import DSEF_42_2007
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.house_rules import HOUSE_RULES
from replayer.outcomes import Judgement
from replayer.rules import Rules
from tests.law.notation import bank_draws, judge_bank
from tests.law.outcomes import bank as bank_of
from tests.law.rules import VERSIONS, rules

HOLE = {"deal_procedure": "3"}


def judge(history: str, law: Rules | None = None) -> Judgement:
    return judge_bank(GAME, history, law or rules())


def codes(history: str, law: Rules | None = None) -> list[str]:
    return [breach.code for breach in judge(history, law).breaches]


def played_out(law: Rules, cards: str = "") -> Iterator[str]:
    """Every hand that a bank comes to, ranks in the order drawn."""
    history = " ".join(["hand", *(f"+{rank}" for rank in cards)])
    if not bank_draws(GAME, history, law):
        yield cards
        return
    for rank in "A23456789T":
        yield from played_out(law, cards + rank)


@pytest.mark.parametrize("regulation", VERSIONS.values())
def test_art6_n1_every_hand_of_the_bank_ends_and_is_judged_as_it_was_played(regulation: object) -> None:
    law = rules(regulation)
    longest = 0
    for cards in played_out(law, "A"):
        judged = judge(" ".join(["hand", *(f"+{rank}" for rank in cards)]), law)
        assert not judged.breaches
        assert str(judged.outcome) in ("17", "18", "19", "20", "21", "bust", "bj")
        longest = max(longest, len(cards))
    assert longest > 8


def test_art6_n1_the_bank_draws_to_16_and_stands_on_17() -> None:
    law = rules()
    assert bank_draws(GAME, "hand +9 +7", law)
    assert not bank_draws(GAME, "hand +T +7", law)
    assert bank_draws(GAME, "hand +T", law)


def test_art6_n1_surplus_card_is_void() -> None:
    judged = judge("hand +T +7 +4")
    assert judged.outcome == bank_of("17")
    assert [breach.code for breach in judged.breaches] == ["BANK_SURPLUS_CARD"]
    assert judged.breaches[0].position == 3
    assert judge("hand +T +7 +4 ~4").outcome == bank_of("17")


def test_art6_n1_a_card_not_taken_is_not_made_up_for() -> None:
    judged = judge("hand +T +6")
    assert judged.outcome == bank_of("16")
    assert [breach.code for breach in judged.breaches] == ["BANK_DID_NOT_DRAW"]
    assert "as they are" in judged.breaches[0].message


def test_art6_n6_before_2007_the_bank_stands_on_a_soft_17() -> None:
    for regulation in (DCE_141_2000, DSEF_56_2004):
        assert not bank_draws(GAME, "hand +A +6", rules(regulation))
    for regulation in (DSEF_42_2007, DSEF_57_2009):
        assert bank_draws(GAME, "hand +A +6", rules(regulation))


def test_bj1_soft_17_a_duty_or_a_choice() -> None:
    law = rules()
    with law.readings.consulted() as asked:
        assert bank_draws(GAME, "hand +6 +A", law)
    assert asked == {"BJ-1", "BJ-2"}
    assert not bank_draws(GAME, "hand +6 +A", rules(readings={"BJ-1": "stand"}))


def test_bj1_what_the_house_elected_holds() -> None:
    for elected, draws in (("hit", True), ("stand", False)):
        for reading in ("hit", "stand"):
            law = rules(readings={"BJ-1": reading}, bank_soft17=elected)
            assert bank_draws(GAME, "hand +A +6", law) is draws


@pytest.mark.parametrize(
    ("reading", "drawn_on"),
    [
        ("a6_two_cards", {"A6"}),
        ("any_soft", {"A6", "A33", "A24", "AA5"}),
        ("literal_contains", {"A6", "T6A"}),
    ],
)
def test_bj3_which_hands_are_a_soft_17(reading: str, drawn_on: set[str]) -> None:
    law = rules(readings={"BJ-3": reading})
    hands = ("A6", "A33", "A24", "AA5", "T6A", "T7", "98")
    assert {hand for hand in hands if bank_draws(GAME, "hand +" + " +".join(hand), law)} == drawn_on


def test_bj3_is_asked_only_where_the_readings_part() -> None:
    law = rules()
    for hand, expected in (("+A +3 +3", {"BJ-3"}), ("+T +6 +A", {"BJ-3"}), ("+T +7", set()), ("+A +7", set())):
        with law.readings.consulted() as asked:
            bank_draws(GAME, f"hand {hand}", law)
        assert asked == expected


@pytest.mark.parametrize(("third", "unlocked", "locked"), [("4", "21", "11"), ("2", "19", "9"), ("A", "18", "8")])
def test_bj4_the_ace_after_a_soft_17(third: str, unlocked: str, locked: str) -> None:
    history = f"hand +A +6 +{third}"
    assert judge(history).outcome == bank_of(unlocked)
    assert not bank_draws(GAME, history, rules())
    lock = rules(readings={"BJ-4": "yes"})
    assert judge(history, lock).outcome == bank_of(locked)
    assert bank_draws(GAME, history, lock)


def test_bj5_the_banks_ace_as_called() -> None:
    history = "hand +A +8 =9"
    law = rules()
    with law.readings.consulted() as asked:
        assert judge(history, law).outcome == bank_of("19")
    assert asked == {"BJ-5"}
    chosen = judge(history, rules(readings={"BJ-5": "choice_logged"}))
    assert (chosen.outcome, [b.code for b in chosen.breaches]) == (bank_of("9"), ["BANK_DID_NOT_DRAW"])


@pytest.mark.parametrize("law", [rules(), rules(DCE_141_2000)])
def test_bj5_black_jack_is_black_jack_whatever_was_called(law: Rules) -> None:
    """57/2009 10(1), 12(2); 141/2000 arts. 6, 8: an ace and a ten in the first two cards. The bank takes no card on it."""
    chosen = replace(law, readings=rules(readings={"BJ-5": "choice_logged"}).readings)
    for history, found in (("hand +T +A =11", []), ("hand +T +A =11 +5 +7", ["BANK_SURPLUS_CARD"] * 2)):
        judged = judge(history, chosen)
        assert judged.outcome == judge("hand +T +A", law).outcome
        assert [breach.code for breach in judged.breaches] == found


@pytest.mark.parametrize(("reading", "outcome"), [("next_card", "17"), ("void", "17"), ("in_hand", "21")])
def test_bj7_surplus_card_not_shown(reading: str, outcome: str) -> None:
    law = rules(readings={"BJ-7": reading}, bank_unseen_extra_valid="yes")
    with law.readings.consulted() as asked:
        assert judge("hand +T +7 -4", law).outcome == bank_of(outcome)
    assert asked == {"BJ-7"}


def test_bj7_only_where_the_house_elected_it_and_the_card_was_not_shown() -> None:
    hand = {"BJ-7": "in_hand"}
    assert judge("hand +T +7 -4", rules(readings=hand)).outcome == bank_of("17")
    assert judge("hand +T +7 +4", rules(readings=hand, bank_unseen_extra_valid="yes")).outcome == bank_of("17")
    assert judge("hand +T +7 -4 ^4", rules(readings=hand, bank_unseen_extra_valid="yes")).outcome == bank_of("17")
    assert judge("hand +T +7 -4", rules(DCE_141_2000, readings=hand)).outcome == bank_of("17")


def test_art6_n1_a_surplus_card_that_counts_for_nothing_need_not_be_shown() -> None:
    assert codes("hand +T +7 -??") == ["BANK_SURPLUS_CARD"]
    assert codes("hand +T +7 -??", rules(bank_unseen_extra_valid="yes")) == ["BANK_SURPLUS_CARD"]
    valid = rules(readings={"BJ-7": "in_hand"}, bank_unseen_extra_valid="yes")
    assert codes("hand +T +7 -??", valid) == ["BANK_SURPLUS_CARD", "HOLE_CARD_NOT_OPENED"]


@pytest.mark.parametrize(
    ("history", "found"),
    [
        ("hand +T -7", [("HOLE_CARD_NOT_OPENED", 2)]),
        ("hand +T -7 ^7", []),
        ("natural +T -7", [("HOLE_CARD_NOT_OPENED", 2)]),  # insurance waits for it
        ("nothing +T -7", []),  # no money hangs on it (BJ-8)
        ("hand +T -A ?natural", []),  # its Black Jack was found by looking at it
        ("hand +T -7 ~7 +8", []),
    ],
)
def test_art7_n1_a_hidden_card_is_opened_though_the_log_names_it(history: str, found: list[tuple[str, int]]) -> None:
    """Where the log tells of other cards that were turned; elsewhere it may not tell of any."""
    told = judge(history, rules(recorded=["turns"], **HOLE)).breaches
    assert [(each.code, each.position) for each in told if each.code == "HOLE_CARD_NOT_OPENED"] == found
    silent = judge(history, rules(**HOLE)).breaches
    assert not [each for each in silent if each.code == "HOLE_CARD_NOT_OPENED"]


def test_bj8_a_bank_that_nobody_waits_for() -> None:
    assert codes("nothing +T +6") == []
    assert codes("nothing +T +6", rules(readings={"BJ-8": "always"})) == ["BANK_DID_NOT_DRAW"]
    assert not bank_draws(GAME, "nothing +T +6", rules())
    assert bank_draws(GAME, "nothing +T +6", rules(readings={"BJ-8": "always"}))
    assert bank_draws(GAME, "nothing +T", rules())


def test_art7_n1_wrong_total_called() -> None:
    assert codes("hand +T +6 =16 +4 =20") == []
    assert codes("hand +A +6 =7 +4 =21") == []
    found = judge("hand +T +6 =16 +4 =21")
    assert [(b.code, b.position) for b in found.breaches] == [("BANK_TOTAL_WRONG", 5)]


def test_art5_n2_3_3_the_hidden_card_is_checked_under_an_ace_or_a_ten() -> None:
    law = rules(**HOLE)
    assert codes("hand +T -7 ? | ^7", law) == []
    assert codes("hand +9 -8 | ^8", law) == []
    assert codes("hand +T -7 | ^7", law) == ["HOLE_NOT_CHECKED"]
    assert codes("hand +T -7 | ^7", rules()) == []


def test_bj19_the_check_a_duty_or_not() -> None:
    assert codes("hand +T -7 | ^7", rules(readings={"BJ-19": "optional"}, **HOLE)) == []


def test_art5_n2_3_4_black_jack_found_ends_play() -> None:
    law = rules(**HOLE)
    assert judge("nothing +A -K ?natural ^K", law).outcome == bank_of("bj")
    assert judge("nothing +A -?? ?natural", law).outcome == bank_of("bj")
    assert codes("hand +A -K ?natural | ^K", law) == ["HOLE_CHECK_WRONG"]
    assert codes("hand +A -K ? | ^K", law) == ["HOLE_CHECK_WRONG"]
    assert codes("hand +A -8 ?natural ^8", law) == ["HOLE_CHECK_WRONG"]


def test_what_is_known_of_a_hand_with_a_hidden_card() -> None:
    law = rules(**HOLE)
    checked = judge("nothing +T -?? ? |", law)
    assert (checked.outcome, checked.unjudged) == (bank_of("no bj"), "a card of the bank is not named")
    assert judge("nothing +9 -?? |", law).outcome == bank_of("no bj")
    assert judge("nothing +T -?? |", rules(readings={"BJ-19": "optional"}, **HOLE)).outcome == bank_of("")
    assert judge("nothing +T", rules()).unjudged == "the bank has no second card on the log"


def test_a_card_taken_back_does_not_count() -> None:
    assert judge("hand +T +9 ~9 +7").outcome == bank_of("17")
    assert codes("hand +T +9 ~9 +7") == []
    assert codes("hand +T +7 ~5") == ["BANK_CARD_ABSENT"]


@pytest.mark.parametrize(
    ("history", "positions"),
    [
        ("hand +T +9 ~9 +7", []),
        ("hand +T | +9 ~9 +7", []),
        ("hand +T +8 =18 ~8 +9", [4]),
        ("hand +T +2 +3 ~2 +9", [4]),
        ("hand +T | ~T +9 +8", [3]),  # the open card on which players have decided
        ("hand +T +7 +4 =17 ~4", []),  # void anyway: it was to be removed (art. 6(1))
    ],
)
def test_art5_n1_2_a_card_of_the_bank_is_not_taken_away_when_something_followed_on_it(
    history: str, positions: list[int]
) -> None:
    found = [each for each in judge(history).breaches if each.code == "CARD_TAKEN_AWAY"]
    assert [each.position for each in found] == positions
    assert {each.article for each in found} <= {"57/2009 art. 5(1)(2)"}


def test_art7_n1_the_total_of_the_bank_is_called() -> None:
    def recorded(history: str, **elected: str) -> list[str]:
        return codes(history, replace(rules(**elected), recorded=frozenset({"totals"})))

    assert recorded("hand +T +7 =17") == recorded("hand +T +2 =12 +8 =20") == recorded("hand +T +2 +8 =20") == []
    assert recorded("hand +T +7") == recorded("hand +T +2 =12 +8") == ["BANK_TOTAL_NOT_CALLED"]
    assert recorded("nothing +T") == []  # it took no second card
    assert recorded("hand +T -7 ? | ^7", **HOLE) == []  # BJ-33: a hidden card
    assert recorded("hand +T -7 | ^7", device="box", deal_procedure="1") == []
    assert recorded("hand +T +7", deal_procedure="1") == ["BANK_TOTAL_NOT_CALLED"]
    assert codes("hand +T +7") == []  # the log tells of no call at all


def test_art7_n1_the_total_called_behind_a_void_card_is_called() -> None:
    """Art. 6(1): the card does not count, so 17 stays the bank's total, whether or not the card was taken away by then."""

    def recorded(history: str) -> list[str]:
        return codes(history, rules(recorded=["totals"]))

    assert recorded("hand +T +7 +4 =17") == recorded("hand +T +7 +4 =17 ~4") == ["BANK_SURPLUS_CARD"]
    assert recorded("hand +T +7 +4 ~4 =17") == ["BANK_SURPLUS_CARD"]
    assert recorded("hand +T +9 ~9 =10 +7 =17") == recorded("hand +T +2 +3 ~3 =12 +8 =20") == []
    assert recorded("hand +T +7 +4 =21") == ["BANK_SURPLUS_CARD", "BANK_TOTAL_NOT_CALLED"]  # the void card was counted


def test_141_2000_has_no_total_called() -> None:
    law = replace(rules(DCE_141_2000), recorded=frozenset({"totals"}))
    assert codes("hand +T +7", law) == []


def test_not_recorded_is_not_checked() -> None:
    law = rules(not_recorded="hole_check", **HOLE)
    assert judge("hand +T -7 | ^7", law).not_checked == ("hole_check",)
    assert codes("hand +T -7 | ^7", law) == []


def test_house_rules_soft_17_as_chosen() -> None:
    stand, hit = rules(HOUSE_RULES), rules(HOUSE_RULES, bank_soft17="hit")
    for hand in ("+A +6", "+A +3 +3"):
        assert not bank_draws(GAME, f"hand {hand}", stand)
        with hit.readings.consulted() as asked:
            assert bank_draws(GAME, f"hand {hand}", hit)
        assert asked == set()
    two_only = rules(HOUSE_RULES, bank_soft17="hit", soft17_scope="a6_two_cards")
    assert not bank_draws(GAME, "hand +A +3 +3", two_only)


def test_art7_n1_the_bank_takes_its_second_card_for_hands_that_wait() -> None:
    (breach,) = judge("hand +9 |").breaches
    assert (breach.code, breach.article) == ("BANK_DID_NOT_DRAW", "57/2009 art. 7(1)")
    assert judge("nothing +9 |").breaches == ()
    assert judge("hand +9 |", rules(not_recorded="shuffle")).breaches == ()  # a source that may leave cards out


def test_art5_n2_3_4_black_jack_ends_play_once_it_was_found() -> None:
    law = rules(**HOLE)
    assert codes("hand +K -? ?natural | ^A", law) == ["HOLE_CHECK_WRONG"]
    assert codes("hand +K -? | ?natural ^A", law) == []  # what was played before is no play after it
