"""Black Jack: what is asked for without the right to it, under every version (X-6, and BJ-66 beside it).

The whole bet is what a bank with Black Jack takes (57/2009 art. 12(2)); half, one to one and the half for five cards are paid
only where the article that gives them does.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_42_2007 import DSEF_42_2007
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.house_rules import HOUSE_RULES
from replayer.rules import Rules
from replayer.wagers import WagerSituation as Wager
from tests.law.notation import carried, letter_of
from tests.law.outcomes import bank as bank_of
from tests.law.outcomes import seat as seat_of
from tests.law.rules import rules
from tests.law.seats import CHECKED, DEALT, LATER, OPENED, due, judge

HALF, WHOLE = -Fraction(1, 2), Fraction(-1)

VERSIONS = (
    (DCE_141_2000, "141/2000 art. 12", "141/2000 art. 8"),
    (DSEF_56_2004, "56/2004 art. 18(1)", "56/2004 art. 12(2)"),
    (DSEF_42_2007, "56/2004 art. 18(1)", "56/2004 art. 12(2)"),
    (DSEF_57_2009, "57/2009 art. 18(1)", "57/2009 art. 12(2)"),
)

"""Each with where it gives half, and where it has the bank with Black Jack take all."""


def codes(history: str, law: Rules | None = None) -> list[tuple[str, str]]:
    return [(breach.code, breach.article) for breach in judge(history, law).breaches]


@pytest.mark.parametrize("reading", ["as_it_stands", "half"])
@pytest.mark.parametrize(("regulation", "gives", "takes"), VERSIONS)
def test_art12_n2_black_jack_takes_the_whole_bet_of_a_surrender_against_an_ace(
    regulation: object, gives: str, takes: str, reading: str
) -> None:
    law = rules(regulation, {"X-6": reading})
    history = f"A +T +6 .surrender/{DEALT}"
    assert codes(history, law) == [("SURRENDER_REFUSED", gives)]
    with law.readings.consulted() as asked:
        taken = GAME.settlement.due(Wager("main", 0, seat_of("A 16:half_agreed"), bank_of("bj")), law)
    assert (taken.odds, taken.article) == (WHOLE, takes)
    assert due(history, "bj", law).odds == WHOLE
    assert "X-6" not in asked, "it is the whole bet by either reading"


@pytest.mark.parametrize(("regulation", "gives", "takes"), VERSIONS)
def test_art18_n1_a_surrender_against_a_ten_is_half_even_against_black_jack(
    regulation: object, gives: str, takes: str
) -> None:
    law = rules(regulation)
    for bank in ("bj", "20", "bust", ""):
        half = due(f"T +T +6 .surrender/{DEALT}", bank, law)
        assert (half.odds, half.article) == (HALF, gives), takes


@pytest.mark.parametrize(
    ("cards", "bank", "stands"),
    [
        ("+T +6", "17", -1),
        ("+T +6", "bust", 1),
        ("+T +9", "19", 0),
        ("+T +T", "19", 1),
        ("+A +K", "20", Fraction(3, 2)),
    ],
)
@pytest.mark.parametrize("regulation", [version[0] for version in VERSIONS])
def test_x6_without_black_jack_the_hand_as_it_stands_or_half(
    regulation: object, cards: str, bank: str, stands: Fraction
) -> None:
    for reading, expected in (("as_it_stands", stands), ("half", HALF)):
        law = rules(regulation, {"X-6": reading})
        with law.readings.consulted() as asked:
            assert due(f"A {cards} .surrender/{DEALT}", bank, law).odds == expected
        assert "X-6" in asked
    assert due(f"A +A +K .surrender/{DEALT}", "bj").odds == 0  # both have it: art. 11(1)(1)


@pytest.mark.parametrize(
    ("history", "code", "elected"),
    [
        (f"A +T +6 .surrender/{DEALT}", "SURRENDER_REFUSED", {}),
        (f"T +2 +4 .hit +T .surrender/{LATER}", "SURRENDER_LATE", {}),
        (f"T +T +6 .surrender/{OPENED}", "SURRENDER_LATE", {}),
        (f"T +T +6 .surrender/{DEALT}", "SURRENDER_REFUSED", {"surrender": "off"}),
        (f"T +8 +8 .split b$split +8 .surrender/{LATER} b+T b.stand", "SURRENDER_REFUSED", {}),
    ],
)
def test_art18_whatever_takes_the_right_away_black_jack_takes_the_bet(history: str, code: str, elected: dict) -> None:
    law = rules(**elected)
    assert [found for found, _ in codes(history, law)] == [code]
    assert due(history, "bj", law).odds == WHOLE
    assert due(history, "17", law).odds == -1
    assert due(history, "bust", law).odds == 1
    half = rules(readings={"X-6": "half"}, **elected)
    assert (due(history, "bj", half).odds, due(history, "17", half).odds) == (WHOLE, HALF)


@pytest.mark.parametrize(
    ("regulation", "article"),
    [
        (DCE_141_2000, "141/2000 art. 12"),
        (DSEF_56_2004, "56/2004 art. 18(2)"),
        (DSEF_42_2007, "56/2004 art. 18(2)"),
        (DSEF_57_2009, "57/2009 art. 18(2)"),
    ],
)
def test_art18_n2_what_is_played_after_a_surrender_cites_that_it_cannot_be_altered(
    regulation: object, article: str
) -> None:
    """Not 6(3), by which a decision of the play is final."""
    assert codes(f"T +T +6 .surrender/{DEALT} .stand", rules(regulation)) == [("DECISION_AFTER_FINAL", article)]


def test_art18_n3_streaks_lost_by_a_surrender_cite_the_item_that_ends_them() -> None:
    """Not 13(5)(2)(ii), which speaks of a round lost."""
    lost = GAME.carried.due("streak_3", carried("WS"), rules(side_streak="on"))
    assert lost is not None
    assert (lost.odds, lost.article) == (WHOLE, "57/2009 art. 18(3)")
    beaten = GAME.carried.due("streak_3", carried("WL"), rules(side_streak="on"))
    assert beaten is not None
    assert (beaten.odds, beaten.article) == (WHOLE, "57/2009 art. 13(5)(2)(ii)")


def test_art16_n6_a_split_hand_given_up_without_right_is_spared_as_any_split_hand() -> None:
    """Against Black Jack only the initial bet is lost: giving the second hand up makes it no dearer."""
    history = f"T +8 +8 .split b$split +T .stand b+8 b.surrender/{LATER}"
    assert due(history, "bj").odds == WHOLE
    assert due(history, "bj", hand=1, kind="split").odds == 0
    assert due(history, "17", rules(readings={"X-6": "half"}), hand=1, kind="split").odds == HALF


def test_bj66_another_seats_card_is_procedure_the_surrender_stands() -> None:
    """BJ-66 is about whose card it is; the hand itself had none, so that no reading of 18(2) has settled that it is too late."""
    history = f"T +T +6 .surrender/{LATER}"
    assert codes(history) == [("SURRENDER_LATE", "57/2009 art. 18(2)")]
    for bank in ("bj", "20"):
        assert due(history, bank).odds == HALF


def test_bj67_a_surrender_before_the_look_waits_for_it() -> None:
    law = rules(deal_procedure="3")
    assert (due(f"T +T +6 .surrender/{DEALT}", "bj", law).odds, due(f"T +T +6 .surrender/{DEALT}", "20", law).odds) == (
        WHOLE,
        HALF,
    )
    against_an_ace = f"A +T +6 .surrender/{DEALT}"
    assert (due(against_an_ace, "bj", law).odds, due(against_an_ace, "17", law).odds) == (WHOLE, -1)


def test_a_hand_that_plays_on_was_not_given_up() -> None:
    history = f"A +T +6 .surrender/{DEALT} .hit +5"
    for reading in ("as_it_stands", "half"):
        law = rules(readings={"X-6": reading})
        assert [code for code, _ in codes(history, law)] == ["SURRENDER_REFUSED"]
        assert due(history, "20", law).odds == 1


def test_art6_n3_a_final_decision_leaves_nothing_to_give_up() -> None:
    for history in (f"T +T +6 .stand .surrender/{LATER}", f"T +5 +6 .double $double +2 .surrender/{LATER}"):
        assert [code for code, _ in codes(history)] == ["DECISION_AFTER_FINAL"]
        assert due(history, "17", rules(readings={"X-6": "half"})).odds == -1


@pytest.mark.parametrize(
    ("bank", "reading", "letter"),
    [("bj", "as_it_stands", "L"), ("bj", "half", "L"), ("19", "as_it_stands", "W"), ("19", "half", "S")],
)
def test_art18_n3_the_streak_of_a_surrender_without_right(bank: str, reading: str, letter: str) -> None:
    law = rules(readings={"X-6": reading})
    outcome = judge(f"A +T +T .surrender/{DEALT}", law).outcome
    assert letter_of(GAME.carried.result(outcome, bank_of(bank), law)) == letter


def test_a_surrender_without_right_waits_for_the_bank() -> None:
    history = f"A $main +T +6 .surrender/{DEALT}"
    judged = judge(history, rules())
    assert judged.awaits_bank, "settled on its cards it needs the bank's points"
    halved = judge(history, rules(readings={"X-6": "half"}))
    assert (halved.awaits_bank, halved.awaits_natural) == (False, True)
    assert due(history, "").odds is None
    lawful = judge(f"T $main +T +6 .surrender/{DEALT}", rules())
    assert (lawful.awaits_bank, lawful.awaits_natural) == (False, False)


def test_house_rules_know_no_such_doubt() -> None:
    law = rules(HOUSE_RULES)
    with law.readings.consulted() as asked:
        assert due(f"T +T +6 .surrender/{DEALT}", "17", law).odds == -1
    assert asked == set()


# Even money and half for five cards: art. 10(3), 19


@pytest.mark.parametrize("regulation", [version[0] for version in VERSIONS])
@pytest.mark.parametrize(
    ("history", "bank", "odds"),
    [
        (f"x +A +K .even_money/{DEALT}", "20", Fraction(3, 2)),  # against a nine
        (f"A +T +9 .even_money/{DEALT}", "bj", -1),  # without Black Jack
        (f"A +T +A .even_money/{OPENED}", "bj", 0),  # the bank's second card is known (BJ-14)
        (f"T +T +A .even_money/{CHECKED}", "20", Fraction(3, 2)),
        (f"A +5 +6 .hit +T .even_money/{LATER}", "bj", -1),  # 21 in three cards
    ],
)
def test_art10_n3_even_money_without_the_right_to_it_changes_nothing(
    regulation: object, history: str, bank: str, odds: Fraction
) -> None:
    for reading in ("as_it_stands", "half"):
        assert due(history, bank, rules(regulation, {"X-6": reading})).odds == odds


@pytest.mark.parametrize("regulation", [version[0] for version in VERSIONS])
@pytest.mark.parametrize(
    ("history", "bank", "odds"),
    [
        (f"A +2 +3 .hit +2 .hit +3 .hit +4 .five_card_half/{LATER}", "bj", -1),  # against an ace
        (f"A +2 +3 .hit +2 .hit +3 .hit +4 .five_card_half/{LATER}", "bust", 1),
        (f"T +2 +3 .hit +2 .hit +3 .five_card_half/{LATER}", "20", -1),  # four cards
        (f"T +2 +3 .hit +2 .hit +3 .hit +4 .hit +2 .five_card_half/{LATER}", "20", -1),  # six
        (f"T +2 +3 .hit +2 .hit +3 .hit +4 .five_card_half/{OPENED}", "20", -1),  # after the bank's second card
        (f"T +8 +7 .hit +2 .hit +3 .hit +4 .five_card_half/{LATER}", "20", -1),  # over 21
    ],
)
def test_art19_n2_half_for_five_cards_without_the_right_to_it_changes_nothing(
    regulation: object, history: str, bank: str, odds: int
) -> None:
    assert due(history, bank, rules(regulation)).odds == odds
