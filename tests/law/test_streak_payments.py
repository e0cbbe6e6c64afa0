"""A winning streak that was paid or collected in another round than the one that decides it (57/2009 arts. 13(5)(2), 14(5)(2)):
the settlement is held against the wager, whatever the dealer counted."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from replayer.columns import is_kind
from replayer.verdicts.replay import Replayed, replay_table_days
from tests.law.one_round import codes, replay, table

LAID = "1.streak_3=10@p1"
WON, LOST, TIED = "8h", "2d", "Ah"
"""The bank's second card, to a nine."""
EARLY, LATE = "1.streak_3=10>+80@p1", "1.streak_3=10>-10@p1"
UNTOLD = "#2 1.main=100@p1 nomore 1+?? B+9d 1+Td 1.stand B+8h 1.main>0@p1 end "
"""A second round of which a card is not named."""


def round_of(number: int, banks: str, more: str = "", laid: str = "") -> str:
    """A round in which the player stands on 20 and the bank has a nine and another card."""
    net = {WON: "+100", TIED: "0", LOST: "-100"}[banks]
    third = "B+Ts" if banks == LOST else ""
    cards = f"1+Th B+9d 1+Td 1.stand B+{banks} {third}"
    return f"#{number} 1.main=100@p1 {laid} nomore {cards} 1.main>{net}@p1 {more} end "


def streaks(recorded: Replayed) -> list[tuple[int | None, int | None, str]]:
    rows = recorded.wagers.filter(recorded.wagers["wager"] == "streak_3").sort("placed_seq")
    return rows.select("due_minor", "paid_minor", "status").rows()


def played(*rounds: str) -> Replayed:
    return replay("".join(rounds).removeprefix("#1 "), "black_jack", "2009-06-01", side_streak="on")


@pytest.mark.parametrize(
    ("rounds", "status", "found"),
    [
        # collected a round late: the right amount, and nothing else is said
        ([round_of(1, WON, laid=LAID), round_of(2, LOST), round_of(3, WON, LATE)], (-10_00, -10_00, "judged"), set()),
        # paid after two wins, and the third round lost
        (
            [round_of(1, WON, laid=LAID), round_of(2, WON, EARLY), round_of(3, LOST)],
            (-10_00, 80_00, "judged"),
            {"OVERPAID"},
        ),
        # paid after three rounds, of which the second was lost
        (
            [round_of(1, WON, laid=LAID), round_of(2, LOST), round_of(3, WON, EARLY)],
            (-10_00, 80_00, "judged"),
            {"OVERPAID"},
        ),
        # collected after a tie, which ends no run
        (
            [round_of(1, WON, laid=LAID), round_of(2, TIED, LATE), round_of(3, WON), round_of(4, WON)],
            (80_00, -10_00, "judged"),
            {"UNDERPAID"},
        ),
    ],
)
def test_art13_n5_a_streak_settled_in_another_round_is_held_against_what_it_comes_to(
    rounds: list[str], status: tuple[int, int, str], found: set[str]
) -> None:
    recorded = played(*rounds)
    assert streaks(recorded) == [status]
    assert codes(recorded) - {"CLOSE_MISSING"} == found


def test_art13_n5_what_was_paid_before_it_was_won_is_found_though_it_came_true() -> None:
    recorded = played(round_of(1, WON, laid=LAID), round_of(2, WON, EARLY), round_of(3, WON))
    assert streaks(recorded) == [(80_00, None, "unsettled")]
    assert codes(recorded) == {"SETTLED_NOTHING"}


@pytest.mark.parametrize(
    ("rounds", "status", "found"),
    [
        ([round_of(1, WON, laid=LAID), UNTOLD, round_of(3, WON), round_of(4, WON, EARLY)], (None, 80_00), set()),
        ([round_of(1, WON, laid=LAID), UNTOLD, round_of(3, LOST, LATE)], (None, -10_00), set()),
        # what was paid before that round was none of its due, whatever that is
        ([round_of(1, WON, EARLY, LAID), UNTOLD], (None, None), {"SETTLEMENT_UNMATCHED", "WAGER_UNSETTLED"}),
    ],
)
def test_a_streak_that_ran_over_a_round_not_told_takes_the_settlement_of_a_later_one(
    rounds: list[str], status: tuple[None, int | None], found: set[str]
) -> None:
    """It was settled, and the settlement is its own: only what it was due is not known."""
    recorded = played(*rounds)
    assert streaks(recorded) == [(*status, "unjudged")]
    assert codes_with_unsettled(recorded) - {"CLOSE_MISSING"} == found


def test_a_second_payment_and_one_to_another_player_are_none_of_the_wagers() -> None:
    again = played(round_of(1, WON, laid=LAID), round_of(2, LOST, LATE), round_of(3, WON, EARLY))
    assert streaks(again) == [(-10_00, -10_00, "judged")]
    assert codes(again) == {"SETTLED_NOTHING"}
    other = played(round_of(1, WON, laid=LAID), round_of(2, LOST), round_of(3, WON, EARLY.replace("p1", "p2")))
    assert streaks(other) == [(-10_00, None, "unsettled")]
    assert "SETTLED_NOTHING" in codes(other)


@pytest.mark.parametrize(
    ("round_2", "due"),
    [
        ("#2 2.main=100@p2 ", 0),
        ("#2 2.main=100@p2 nomore ", 0),
        ("#2 2.main=100@p2 2.main>0@p2 end ", 0),
        ("#2 2.main=100@p2 nomore 2+Th ", -10_00),  # it is played without him
    ],
)
def test_art13_n5_2_vi_who_has_not_bet_yet_abandons_nothing_until_a_card_is_dealt(round_2: str, due: int) -> None:
    """He may still place his bet; where the table closes before, the house stopped (BJ-51)."""
    recorded = played(round_of(1, WON, laid=LAID), round_2)
    [(found, _, _)] = streaks(recorded)
    assert found == due
    assert ("STREAK_ABANDONED" in codes(recorded)) == (due == -10_00)


@pytest.mark.parametrize("card", ["1+Th", ""])
def test_art13_n5_2_vi_a_bet_of_nothing_is_none_and_abandons_the_streak(card: str) -> None:
    """Also where his seat is dealt to."""
    laid = f"#2 1.main=0@p1 2.main=100@p2 nomore {card} 2+Th B+9d {card} 2+Td "
    stood = f"{'1.stand' if card else ''} 2.stand B+8h 1.main=0>0@p1 2.main>+100@p2 {LATE} end "
    recorded = played(round_of(1, WON, laid=LAID), laid, stood)
    assert streaks(recorded) == [(-10_00, -10_00, "judged")]
    assert codes(recorded) == {"STAKE_NOT_POSITIVE", "STREAK_ABANDONED"} | ({"CARD_WITHOUT_BET"} if card else set())


def test_art13_n5_2_vi_a_round_whose_cards_are_lost_may_have_been_played_without_him() -> None:
    text = f"{round_of(1, WON, laid=LAID)}#2 2.main=100@p2 nomore 2+Th B+9d 2+Td 2.stand B+2d B+Ts 2.main>-100@p2 end "
    whole = table(text.removeprefix("#1 "), "black_jack", "2009-06-01", side_streak="on")
    lost = replace(whole, events=whole.events.filter(~(is_kind("CardDealt") & (pl.col("round") == 2))))
    assert [[due for due, *_ in streaks(judged)] for judged in replay_table_days([whole, lost])] == [[-10_00], [None]]


def test_bj54_a_streak_that_ran_over_a_void_round_goes_back_at_the_closing_and_not_with_that_rounds_bets() -> None:
    void = "#2 1.main=100@p1 nomore 1+Th B+9d 1+Td void:misdeal 1.main>0@p1 {} end "
    kept = played(round_of(1, WON, laid=LAID), void.format(""))
    assert (streaks(kept), codes_with_unsettled(kept)) == ([(0, None, "unsettled")], {"WAGER_UNSETTLED"})
    returned = played(round_of(1, WON, laid=LAID), void.format("1.streak_3=10>0@p1"))
    assert (streaks(returned), codes_with_unsettled(returned)) == ([(0, 0, "judged")], set())
    collected = played(round_of(1, WON, laid=LAID), void.format(EARLY.replace("+80", "-10")))
    assert (streaks(collected), codes_with_unsettled(collected)) == ([(0, -10_00, "judged")], {"UNDERPAID"})


def codes_with_unsettled(recorded: Replayed) -> set[str]:
    """The codes found, those of payments included (:func:`codes`)."""
    return codes(recorded) | {"WAGER_UNSETTLED"} & set(recorded.findings["code"])


@pytest.mark.parametrize("opened_again", ["", "open:black_jack:MOP:7=0 "])
@pytest.mark.parametrize(("settled", "net"), [("1.streak_3=10>0@p1", 0), (EARLY, 80_00)])
def test_what_is_settled_behind_the_closing_settles_no_streak_that_the_closing_ended(
    opened_again: str, settled: str, net: int
) -> None:
    """Neither books make up for what the other ones lack (``replayer.integrity.books``)."""
    recorded = played(round_of(1, WON, laid=LAID), f"#- close=0 {opened_again}", round_of(2, WON, settled))
    assert streaks(recorded) == [(0, None, "unsettled")]
    found = recorded.findings.filter(pl.col("code").is_in(["WAGER_UNSETTLED", "SETTLED_NOTHING"]))
    assert found.select("code", "round", "delta_minor").rows() == [
        ("WAGER_UNSETTLED", 1, None),
        ("SETTLED_NOTHING", 2, net),
    ]


@pytest.mark.parametrize("reading", ["player_box", "player"])
def test_bj54_who_bet_on_another_seat_in_a_void_round_has_not_left_the_seat_of_his_streak(reading: str) -> None:
    """The player wins rounds 1, 3 and 4 on the seat of his streak, and bets on both seats from round 3 on."""
    lost = "2.main=100@p1 nomore 1+Th 2+Th B+9d 1+Td 2+6d 1.stand 2.stand B+8h 1.main>+100@p1 2.main>-100@p1 end "
    away = "#2 2.main=100@p1 nomore 2+Th B+9d 2+Td void:misdeal 2.main>0@p1 end "
    both = [f"#{number} 1.main=100@p1 {lost}" for number in (3, 4)]
    text = "".join((round_of(1, WON, laid=LAID), away, *both)).removeprefix("#1 ")
    recorded = replay(text, "black_jack", "2009-06-01", {"BJ-46": reading}, side_streak="on")
    assert [due for due, *_ in streaks(recorded)] == [80_00]
    assert "STREAK_ABANDONED" not in codes(recorded)
