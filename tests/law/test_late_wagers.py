"""Wagers placed after their moment, each kind of both games, through the whole engine: what X-7 makes of them, and what no
reading touches, a hand of Fortune 3 Card Poker that had no bet when it was dealt (78/2008 art. 11(3)).

Also a new stake on any pair after a split (57/2009 art. 13(1)(2), BJ-38), whose moment is the time until its hand's next card.
"""

from __future__ import annotations

from itertools import product

import polars as pl
import pytest

from replayer.engine.rules_in_force import ReplaySettings
from replayer.verdicts.compare import ledger, what_if
from replayer.verdicts.replay import Replayed
from tests.law.one_round import DAYS, FORTUNE_DAYS, codes, dues, replay, table


def hangs(replayed: Replayed, kind: str) -> bool:
    """Whether the wagers of a kind name X-7."""
    rulings = replayed.wagers.filter(pl.col("wager") == kind)["rulings"].to_list()
    return all("X-7" in text.split() for text in rulings)


# 13(1)(2): any pair anew


@pytest.mark.parametrize("version", ["57/2009", "56/2004", "42/2007"])
@pytest.mark.parametrize(("card", "due"), [("8s", 55000), ("9s", -5000)])
def test_art13_n1_2_a_new_stake_on_the_hand_that_was_split_is_judged_by_its_own_two_cards(
    version: str, card: str, due: int
) -> None:
    text = f"1.main=100 nomore 1+8c B+6h 1+8d 1.split 1b.split=100 1.any_pair=50 1+{card} 1b+2d 1.stand 1b.stand B+Th B+5d end"
    replayed = replay(text, "black_jack", DAYS[version], side_any_pair="on")
    prize = "14(1)" if due > 0 else "13(1)(2)"
    act = "57/2009" if version == "57/2009" else "56/2004"
    amended = " (42/2007)" if version == "42/2007" and due < 0 else ""
    assert dues(replayed, "any_pair") == [(due, f"{act} art. {prize}{amended}")]
    assert codes(replayed) == set()
    assert not hangs(replayed, "any_pair")


def test_bj38_the_first_stake_and_the_new_one_each_have_their_pair() -> None:
    text = (
        "1.main=100 1.any_pair=20 nomore 1+8c B+6h 1+8d 1.split 1b.split=100 1.any_pair=50 1b.any_pair=30 1+9s 1b+8s"
        " 1.stand 1b.stand B+Th B+5d end"
    )
    replayed = replay(text, "black_jack", DAYS["57/2009"], side_any_pair="on")
    assert [due for due, _ in dues(replayed, "any_pair")] == [22000, -5000, 33000]
    assert codes(replayed) == set()


@pytest.mark.parametrize(("hand", "cards", "due"), [("1", "1+8h 1b+2s", 55000), ("1", "1+3h 1b+8s", -5000)])
def test_bj38_a_hand_separated_again_has_a_pair_of_its_own_again(hand: str, cards: str, due: int) -> None:
    """Eights parted, an eight again and parted again: the stake laid then turns on the next card, not on an earlier pair."""
    text = (
        f"1.main=100 nomore 1+8c B+6h 1+8d 1.split 1b.split=100 1+8s 1.split 1c.split=100 {hand}.any_pair=50 {cards} 1c+2d"
        " 1.stand 1b.stand 1c.stand B+Th B+5d end"
    )
    replayed = replay(text, "black_jack", DAYS["57/2009"], side_any_pair="on")
    assert dues(replayed, "any_pair")[0][0] == due
    assert codes(replayed) == set()


def test_bj38_the_second_hand_separated_again() -> None:
    text = (
        "1.main=100 nomore 1+8c B+6h 1+8d 1.split 1b.split=100 1+2s 1b+8s 1.stand 1b.split 1c.split=100 1b.any_pair=50 1b+9h"
        " 1c+2d 1b.stand 1c.stand B+Th B+5d end"
    )
    replayed = replay(text, "black_jack", DAYS["57/2009"], side_any_pair="on")
    assert dues(replayed, "any_pair") == [(-5000, "57/2009 art. 13(1)(2)")]
    assert codes(replayed) == set()


@pytest.mark.parametrize(
    ("before", "after", "code", "due"),
    [
        ("", "1.any_pair=50 ", "WAGER_TOO_LATE", -5000),  # its own second card, a nine, lay there
        ("1.any_pair=50 ", "", "WAGER_AFTER_CLOSE", 55000),  # on the first pair, which lay there
    ],
)
def test_bj38_a_stake_laid_when_its_pair_lay_there_is_late(before: str, after: str, code: str, due: int) -> None:
    text = f"1.main=100 nomore 1+8c B+6h 1+8d {before}1.split 1b.split=100 1+9s {after}1b+2d 1.stand 1b.stand B+Th B+5d end"
    for reading, expected in (("counts", due), ("void", 0)):
        replayed = replay(text, "black_jack", DAYS["57/2009"], {"X-7": reading}, side_any_pair="on")
        assert dues(replayed, "any_pair")[0][0] == expected
        assert codes(replayed) == {code}
        assert hangs(replayed, "any_pair")


@pytest.mark.parametrize("reading", ["repeat", "once"])
def test_bj38_by_the_other_readings_there_is_no_new_stake(reading: str) -> None:
    text = (
        "1.main=100 nomore 1+8c B+6h 1+8d 1.split 1b.split=100 1.any_pair=50 1+9s 1b+2d 1.stand 1b.stand B+Th B+5d end"
    )
    replayed = replay(text, "black_jack", DAYS["57/2009"], {"BJ-38": reading}, side_any_pair="on")
    assert codes(replayed) == {"WAGER_NOT_OFFERED"}


# X-7, Black Jack

PLAYED = "B+Th 1.main>0 end"
LATE = {
    "main": ("1.main=100 nomore 1+Kc 2.main=100 2+9h B+6h 1+Qd 2+Ks 1.stand 2.stand B+Th B+Kd end", "5(1)", [10000, 10000]),
    "any_pair": ("1.main=100 nomore 1+8c B+6h 1.any_pair=50 1+8d 1.stand B+Th B+5d end", "13(1)", [55000]),
    "sevens": ("1.main=100 nomore 1+7c B+6h 1.sevens=10 1+7d 1.stand B+Th B+5d end", "13(2)", [50000]),
    "over_13": ("1.main=100 nomore 1+8c B+6h 1.over_13=50 1+8d 1.stand B+Th B+5d end", "13(3)", [5000]),
    "perfect_pair": ("1.main=100 nomore 1+8c B+6h 1.perfect_pair=10 1+8c 1.stand B+Th B+5d end", "13(4)", [25000]),
    "streak_2": ("1.main=100 nomore 1+2c B+6h 1.streak_2=10 1+Kd 1.stand B+Th B+5d end", "13(5)(1)", [-1000]),
    "insurance": ("1.main=100 nomore 1+8c B+Ah 1+Kd 1.stand B+Th 1.insurance=50 end", "12(1)", [10000]),
    "double": ("1.main=100 nomore 1+6c B+6h 1+5d 1.double 1+Th 1.double=100 B+Th B+3d end", "17(1)", [10000]),
    "split": ("1.main=100 nomore 1+8c B+6h 1+8d 1.split 1+Ks 1b+Kd 1b.split=100 1.stand 1b.stand B+Th B+Kd end","16(1)", [10000]),
}  # fmt: skip
"""By kind: a round in which it is late, the article that sets its moment, what it is due on the cards."""


@pytest.mark.parametrize("kind", LATE)
def test_x7_a_late_wager_counts_or_is_void_and_names_the_ruling(kind: str) -> None:
    text, article, counts = LATE[kind]
    sides = {f"side_{name}": "on" for name in ("any_pair", "sevens", "over_under", "perfect_pair", "streak")}
    taken = replay(text, "black_jack", DAYS["57/2009"], **sides)
    assert [due for due, _ in dues(taken, kind)] == counts
    void = replay(text, "black_jack", DAYS["57/2009"], {"X-7": "void"}, **sides)
    assert dues(void, kind)[-1] == (0, f"57/2009 art. {article}")
    assert (
        codes(taken)
        == codes(void)
        == {"WAGER_TOO_LATE" if kind in ("insurance", "double", "split") else "WAGER_AFTER_CLOSE"}
    )
    last = [
        replayed.wagers.filter(pl.col("wager") == kind).sort("placed_seq")["rulings"][-1] for replayed in (taken, void)
    ]
    assert all("X-7" in rulings.split() for rulings in last)
    if kind != "main":
        assert not hangs(taken, "main")


@pytest.mark.parametrize("version", DAYS)
def test_bj16_and_x7_insurance_after_anothers_card_hangs_on_its_deadline_where_late_wagers_are_void(
    version: str,
) -> None:
    text = "1.main=100 2.main=100 nomore 1+5h 2+Th B+Ah 1+8d 2+9d 1.hit 1+3c 2.insurance 2.insurance=50 1.stand 2.stand B+Kc end"
    found = {}
    for late, deadline in product(("counts", "void"), ("before_additional_card", "before_bank_second")):
        replayed = replay(text, "black_jack", DAYS[version], {"X-7": late, "BJ-16": deadline})
        [found[late, deadline]] = replayed.wagers.filter(wager="insurance").select("due_minor", "rulings").rows()
    assert found == {
        ("counts", "before_additional_card"): (100_00, "BJ-17 X-7"),
        ("counts", "before_bank_second"): (100_00, "BJ-17"),
        ("void", "before_additional_card"): (0, "BJ-16 BJ-17 X-7"),
        ("void", "before_bank_second"): (100_00, "BJ-16 BJ-17"),
    }
    lines = ledger([[table(text, "black_jack", DAYS[version])]], ReplaySettings(readings={"X-7": "void"}))
    assert {line.reading: line.change_in_win for line in lines if line.ruling == "BJ-16"} == {
        "before_bank_second": -100_00
    }


@pytest.mark.parametrize("version", DAYS)
def test_x7_holds_in_every_version(version: str) -> None:
    text = "1.main=100 nomore 1+Kc 1.main=100@p2 B+6h 1+Qd 1.stand B+Th B+5d end"
    for reading, due in (("counts", -10000), ("void", 0)):
        replayed = replay(text, "black_jack", DAYS[version], {"X-7": reading})
        assert [each for each, _ in dues(replayed, "main")] == [-10000, due]


def test_x7_what_rests_on_a_late_main_wager_goes_back_with_it() -> None:
    text = "1.main=100 nomore 1+6c 2.main=100 2+Kc B+6h 1+5d 2+5h 1.stand 2.stand B+Th B+5d end".replace(
        "2.stand", "2.double 2.double=100 2+4c"
    )
    assert [due for due, _ in dues(replay(text, "black_jack", DAYS["57/2009"]), "double")] == [-10000]
    void = replay(text, "black_jack", DAYS["57/2009"], {"X-7": "void"})
    assert dues(void, "double") == [(0, "57/2009 art. 5(1)")]
    assert dues(void, "main")[0][0] == -10000


@pytest.mark.parametrize(("reading", "equal"), [("counts", 150), ("void", 100)])
@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("1+8d 1.split 1b.split={} 1+Td 1b+9c 1.stand 1b.stand B+Th B+5d", "STAKE_UNEQUAL"),  # 16(2)
        ("1+2d 1.double 1.double={} 1+9c B+Th B+5d", "STAKE_UNEQUAL"),  # 17(1)
        ("1+Td 1.insurance={} 1.stand B+Th", "INSURANCE_BOUNDS"),  # 12(1): to the whole of it, and no more
    ],
)
def test_x7_what_is_laid_on_a_main_wager_is_measured_by_what_of_it_is_not_void(
    rest: str, found: str, reading: str, equal: int
) -> None:
    upcard = "A" if "insurance" in rest else "6"
    for stake in (equal, equal + 1):
        text = f"1.main=100 nomore 1+8c 1.main=50 B+{upcard}h {rest.format(stake)} end"
        replayed = replay(text, "black_jack", DAYS["57/2009"], {"X-7": reading})
        assert codes(replayed) == {"WAGER_AFTER_CLOSE", *([found] if stake > equal else [])}


@pytest.mark.parametrize("version", DAYS)
@pytest.mark.parametrize(("reading", "late"), [("counts", 6000), ("void", 0)])
def test_x7_a_double_of_one_bettor_laid_late_leaves_the_other_bettors_double_alone(
    version: str, reading: str, late: int
) -> None:
    """Two bet on the seat; one doubles in time, the other when the card lay there: each stake has its own moment (17(1))."""
    face = "-" if version == "141/2000" else "+"
    text = (
        f"1.main=100@p1/0 1.main=60@p2/1 nomore 1{face}6c B+6h 1{face}5d 1.double@p1 1.double=100@p1 1+Th 1.double=60@p2"
        " B+Th B+3d end"
    )
    replayed = replay(text, "black_jack", DAYS[version], {"X-7": reading})
    assert [due for due, _ in dues(replayed, "main")] == [10000, 6000]
    assert [due for due, _ in dues(replayed, "double")] == [10000, late]
    rulings = replayed.wagers.filter(pl.col("wager") == "double").sort("placed_seq")["rulings"]
    assert ["X-7" in told.split() for told in rulings] == [False, True]
    assert codes(replayed) == {"WAGER_TOO_LATE"}


def test_a_seat_on_which_a_bet_was_laid_later_had_none_when_it_was_dealt() -> None:
    text = "1.main=100 nomore 1+Kc 2+9h B+6h 1+Qd 2+Ks 2.main=100 1.stand 2.stand B+Th B+5d end"
    assert codes(replay(text, "black_jack", DAYS["57/2009"])) == {"WAGER_AFTER_CLOSE", "CARD_WITHOUT_BET"}
    without_cards = "1.main=100 nomore 1+Kc B+6h 1+Qd 2.main=100 1.stand B+Th B+5d end"
    assert codes(replay(without_cards, "black_jack", DAYS["57/2009"])) == {"WAGER_AFTER_CLOSE"}


@pytest.mark.parametrize("reading", ["counts", "void"])
@pytest.mark.parametrize("kind", [kind for kind in LATE if kind not in ("insurance", "double", "split")])
def test_art13_after_no_more_bets_but_before_the_first_card_no_wager_is_past_the_moment_of_the_text(
    kind: str, reading: str
) -> None:
    """Art. 13(2) and (3) speak of the first card; "no more bets" is the dealer's call: found, and it changes no due."""
    sides = {f"side_{name}": "on" for name in ("any_pair", "sevens", "over_under", "perfect_pair", "streak")}
    seat = "2" if kind == "main" else "1"
    cards = "1+7c 2+9h B+6h 1+7d 2+Ks" if kind == "main" else "1+7c B+6h 1+7d"
    text = f"1.main=100 nomore {seat}.{kind}=10 {cards} 1.stand {'2.stand ' * (kind == 'main')}B+Th B+Kd end"
    called = replay(text, "black_jack", DAYS["57/2009"], {"X-7": reading}, **sides)
    lawful = replay(text.replace("nomore ", ""), "black_jack", DAYS["57/2009"], **sides)
    assert codes(called) == {"WAGER_AFTER_CLOSE"}
    assert codes(lawful) == set()
    assert dues(called, kind) == dues(lawful, kind)
    assert not hangs(called, kind)


@pytest.mark.parametrize("version", FORTUNE_DAYS)
def test_78_2008_art6_n3_refuses_what_comes_after_the_first_card_not_after_the_call(version: str) -> None:
    text = f"2.ante=100 nomore 2.pair_plus=50 {TRIPS} {CROUPIER} 2.raise 2.raise=100 {OPENED} end"
    replayed = replay(text, "fortune_3_card_poker", FORTUNE_DAYS[version], {"X-7": "void"})
    assert dues(replayed, "pair_plus") == [(125000, "78/2008 art. 10(2)")]
    assert not hangs(replayed, "pair_plus")
    assert codes(replayed) == {"WAGER_AFTER_CLOSE"}


def test_where_the_log_does_not_tell_the_order_no_wager_is_late() -> None:
    text, _, counts = LATE["main"]
    replayed = replay(text, "black_jack", DAYS["57/2009"], {"X-7": "void"}, not_recorded="times")
    assert [due for due, _ in dues(replayed, "main")] == counts


# 78/2008 art. 11(3), and X-7 beside it

TRIPS = "2-Jc 2-Jd 2-Jh"
KING = "1-Kc 1-9d 1-4h"
CROUPIER = "B-Qc B-8d B-3s"
OPENED = "B^Qc B^8d B^3s"


@pytest.mark.parametrize("reading", ["counts", "void"])
@pytest.mark.parametrize("version", FORTUNE_DAYS)
def test_art11_n3_nothing_is_due_on_a_hand_that_had_no_bet_when_it_was_dealt(version: str, reading: str) -> None:
    late = "2.ante=100 2.pair_plus=50 2.raise 2.raise=100"
    text = f"1.ante=100 nomore {KING} {TRIPS} {CROUPIER} 1.raise 1.raise=100 {late} {OPENED} end"
    replayed = replay(text, "fortune_3_card_poker", FORTUNE_DAYS[version], {"X-7": reading})
    null = (0, "78/2008 art. 11(3)")
    assert [dues(replayed, kind)[-1] for kind in ("ante", "pair_plus", "raise")] == [null] * 3
    assert not hangs(replayed, "pair_plus"), "it is no matter of reading"
    assert codes(replayed) == {"F3_HAND_NULL", "WAGER_AFTER_CLOSE"}
    assert dues(replayed, "ante")[0][0] == 10000, "the other hand's round goes on"


@pytest.mark.parametrize("version", FORTUNE_DAYS)
def test_art11_n3_a_fold_loses_nothing_on_a_null_hand(version: str) -> None:
    text = (
        f"1.ante=100 nomore {KING} {TRIPS} {CROUPIER} 1.raise 1.raise=100 2.ante=100 2.pair_plus=50 2.fold {OPENED} end"
    )
    replayed = replay(text, "fortune_3_card_poker", FORTUNE_DAYS[version])
    assert [dues(replayed, kind)[-1][0] for kind in ("ante", "pair_plus")] == [0, 0]


@pytest.mark.parametrize("version", FORTUNE_DAYS)
@pytest.mark.parametrize(("reading", "due"), [("counts", 125000), ("void", 0)])
def test_x7_pair_plus_laid_late_on_a_good_hand(version: str, reading: str, due: int) -> None:
    played = "1.raise 1.raise=100 2.raise 2.raise=100"
    text = f"1.ante=100 2.ante=100 nomore {KING} {TRIPS} {CROUPIER} 2.pair_plus=50 {played} {OPENED} end"
    replayed = replay(text, "fortune_3_card_poker", FORTUNE_DAYS[version], {"X-7": reading})
    assert dues(replayed, "pair_plus") == [(due, f"78/2008 art. {'10(2)' if due else '6(3)'}")]
    assert hangs(replayed, "pair_plus")
    assert not hangs(replayed, "ante")
    assert codes(replayed) == {"WAGER_AFTER_CLOSE"}


@pytest.mark.parametrize(("reading", "ante", "raised"), [("counts", 40000, 40000), ("void", 0, 0)])
def test_x7_an_ante_laid_late_beside_pair_plus_takes_its_raise_with_it(reading: str, ante: int, raised: int) -> None:
    text = f"2.pair_plus=50 nomore {TRIPS} {CROUPIER} 2.ante=100 2.raise 2.raise=100 {OPENED} end"
    replayed = replay(text, "fortune_3_card_poker", FORTUNE_DAYS["78/2008"], {"X-7": reading})
    assert [dues(replayed, kind)[0][0] for kind in ("pair_plus", "ante", "raise")] == [125000, ante, raised]
    assert not hangs(replayed, "pair_plus")
    assert hangs(replayed, "ante")


@pytest.mark.parametrize("fold", ["2.fold ", ""])
@pytest.mark.parametrize(
    ("version", "reading", "pair_plus", "ante"),
    [
        ("78/2008", "counts", 125000, -10000),
        ("78/2008", "void", 125000, 0),
        ("97/2008", "counts", -5000, -10000),  # F3-8b: who does not raise with both bets forfeits both
        ("97/2008", "void", 125000, 0),  # no ante, nothing to fold: 5(2), 10(2)
    ],
)
def test_x7_pair_plus_is_not_forfeited_by_folding_an_ante_that_is_void(
    version: str, reading: str, pair_plus: int, ante: int, fold: str
) -> None:
    text = f"2.pair_plus=50 nomore {TRIPS} {CROUPIER} 2.ante=100 {fold}{OPENED} end"
    replayed = replay(text, "fortune_3_card_poker", FORTUNE_DAYS[version], {"X-7": reading})
    assert [dues(replayed, kind)[0][0] for kind in ("pair_plus", "ante")] == [pair_plus, ante]
    if reading == "void":
        assert dues(replayed, "ante")[0][1] == "78/2008 art. 6(3)"
    assert hangs(replayed, "pair_plus")
    assert hangs(replayed, "ante")


@pytest.mark.parametrize(("reading", "equal"), [("counts", 150), ("void", 100)])
@pytest.mark.parametrize("version", FORTUNE_DAYS)
def test_x7_a_raise_is_as_high_as_what_of_the_ante_is_not_void(version: str, reading: str, equal: int) -> None:
    """78/2008 9(4), 97/2008 9(1): exactly the ante, of which a part was laid after the cards (6(3))."""
    for stake in (100, 150):
        text = f"1.ante=100 nomore {KING} {CROUPIER} 1.ante=50 1.raise 1.raise={stake} {OPENED} end"
        replayed = replay(text, "fortune_3_card_poker", FORTUNE_DAYS[version], {"X-7": reading})
        assert codes(replayed) == {"WAGER_AFTER_CLOSE", *(["F3_RAISE_AMOUNT"] if stake != equal else [])}


@pytest.mark.parametrize(("reading", "found"), [("counts", {"F3_FOLD_FORBIDDEN"}), ("void", set())])
def test_x7_who_laid_pair_plus_too_late_may_fold_where_that_bet_is_void(reading: str, found: set[str]) -> None:
    """97/2008 9(3) makes him raise who bets on Pair Plus beside the ante: a void bet is none, and 9(2) lets him fold."""
    text = f"2.ante=100 nomore {TRIPS} {CROUPIER} 2.pair_plus=50 2.fold {OPENED} end"
    replayed = replay(text, "fortune_3_card_poker", FORTUNE_DAYS["97/2008"], {"X-7": reading})
    assert codes(replayed) == {"WAGER_AFTER_CLOSE", *found}
    assert dues(replayed, "ante")[0][0] == -10000
    assert dues(replayed, "pair_plus")[0][0] == (0 if reading == "void" else -5000)


def test_art5_n1_2_of_the_late_wagers_in_a_round_called_off_the_one_that_runs_on_is_found() -> None:
    called_off = "1.main=100 nomore 1+Kc 1.sevens=10 1.streak_2=10 1+9h void:misdeal end"
    text = f"{called_off} #2 1.main=100 nomore 1+Tc B+9h 1+Td 1.stand B+8h end"
    replayed = replay(text, "black_jack", DAYS["57/2009"], {}, side_streak="on", side_sevens="on")
    found = replayed.findings.filter(pl.col("code") == "WAGER_AFTER_CLOSE")["seq"].to_list()
    assert found == replayed.wagers.filter(pl.col("wager") == "streak_2")["placed_seq"].to_list()


@pytest.mark.parametrize(("reading", "due"), [("counts", -1000), ("void", 3000)])
def test_x7_a_round_whose_main_wager_came_too_late_counts_for_no_streak_where_it_is_void(
    reading: str, due: int
) -> None:
    """13(5): won, lost with a bet laid after the cards, won. A void bet is neither won nor lost, as a void round is (BJ-54)."""
    won = "1.main=100 {streak}nomore 1+Kc B+6h 1+Qd 1.stand B+Th B+Kd 1.main>+100 end"
    lost = "2.main=10 nomore 2+Ks B+6h 1.main=100 1+8c 2+Qs 1+9d 2.stand 1.stand B+Th B+5d end"
    text = f"{won.format(streak='1.streak_2=10 ')} #2 {lost} #3 {won.format(streak='')}"
    replayed = replay(text, "black_jack", DAYS["57/2009"], {"X-7": reading}, side_streak="on")
    assert dues(replayed, "streak_2")[0][0] == due
    assert hangs(replayed, "streak_2")


@pytest.mark.parametrize(("version", "item"), [("78/2008", "9(4)"), ("97/2008", "9(1) (97/2008)")])
def test_x7_a_raise_placed_when_the_croupiers_hand_lay_open(version: str, item: str) -> None:
    text = f"1.ante=100 nomore {KING} {CROUPIER} 1.raise {OPENED} 1.raise=100 end"
    assert [due for due, _ in dues(replay(text, "fortune_3_card_poker", FORTUNE_DAYS[version]), "raise")] == [10000]
    void = replay(text, "fortune_3_card_poker", FORTUNE_DAYS[version], {"X-7": "void"})
    assert dues(void, "raise") == [(0, f"78/2008 art. {item}")]
    assert codes(void) == {"F3_RAISE_LATE"}


def test_art7_a_bet_laid_after_the_deal_on_a_place_without_cards_makes_no_round_invalid() -> None:
    """The cards went to every hand with a bet when they were dealt: art. 7, 11(1)."""
    text = f"1.ante=100 nomore {KING} {CROUPIER} 3.ante=100 1.raise 1.raise=100 {OPENED} end"
    replayed = replay(text, "fortune_3_card_poker", FORTUNE_DAYS["78/2008"])
    assert dues(replayed, "ante") == [(10000, "78/2008 art. 9(8)(4)"), (0, "78/2008 art. 11(3)")]
    assert codes(replayed) == {"WAGER_AFTER_CLOSE"}
    raised = replay(text.replace("1.raise ", "3.raise 3.raise=100 1.raise ", 1), "fortune_3_card_poker", "2008-09-01")
    assert [due for due, _ in dues(raised, "raise")] == [0, 10000]


# What the readings are worth


def test_x6_and_x7_are_weighed_by_the_ledger_and_by_whatif() -> None:
    text = "1.main=100 nomore 1+Kc B+Ad 1.any_pair=50 1+6d 1.surrender B+9c end"
    days = [table(text, "black_jack", DAYS["57/2009"], side_any_pair="on")]
    lines = {(line.ruling, line.reading): line.change_in_win for line in ledger([days], ReplaySettings())}
    assert (lines["X-6", "half"], lines["X-7", "void"]) == (-5000, -5000)
    changes = what_if(days, ReplaySettings(), ReplaySettings(readings={"unlawful_surrender": "half"}))
    assert changes.select("wager", "due_before", "due_after").rows() == [("main", -10000, -5000)]
    changes = what_if(days, ReplaySettings(), ReplaySettings(readings={"late_wager": "void"}))
    assert changes.select("wager", "due_before", "due_after").rows() == [("any_pair", -5000, 0)]


# The look that found Black Jack (57/2009 art. 5(2)(3)(4))


@pytest.mark.parametrize("readings", [{}, {"X-6": "half"}, {"BJ-67": "before_peek"}])
@pytest.mark.parametrize("turned", ["B^Ac ", ""])
def test_art5_n2_3_4_who_surrenders_when_black_jack_was_found_loses_the_whole_bet(
    turned: str, readings: dict[str, str]
) -> None:
    """The bank collects at once; no half is left to be given, whether or not the card was turned by then (12(2))."""
    text = f"1.main=100 nomore 1+Kc B+Td 1+6d B-Ac B?natural 1.surrender {turned}end"
    replayed = replay(text, "black_jack", DAYS["57/2009"], readings, deal_procedure="3")
    assert dues(replayed, "main") == [(-10000, "57/2009 art. 12(2)")]
    assert codes(replayed) == {"HOLE_CHECK_WRONG", "SURRENDER_LATE"}


def test_art18_n1_after_a_look_that_found_nothing_a_surrender_is_half() -> None:
    text = "1.main=100 nomore 1+Kc B+Td 1+6d B-9c B? 1.surrender B^9c end"
    replayed = replay(text, "black_jack", DAYS["57/2009"], deal_procedure="3")
    assert dues(replayed, "main") == [(-5000, "57/2009 art. 18(1)")]
    assert codes(replayed) == set()


def test_art5_n2_3_4_five_cards_taken_when_black_jack_was_found_are_not_paid() -> None:
    drawn = "1+2c B+Td 1+2d B-Ac B?natural 1.hit 1+3c 1.hit 1+3d 1.hit 1+4d 1.five_card_half"
    replayed = replay(f"1.main=100 nomore {drawn} B^Ac end", "black_jack", DAYS["57/2009"], deal_procedure="3")
    assert dues(replayed, "main") == [(-10000, "57/2009 art. 12(2)")]
    assert codes(replayed) == {"HOLE_CHECK_WRONG", "FIVE_CARDS_LATE"}
