"""A winning streak that was paid or collected in another round than the one that decides it (57/2009 arts. 13(5)(2), 14(5)(2)):
the settlement is held against the wager, whatever the dealer counted."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from replayer.log.columns import is_kind
from replayer.verdicts.replay import Replayed, replay_table_days
from tests.law.one_round import replay, table

LAID = "1.streak_3=10@p1"
WON, LOST, TIED = "8h", "2d", "Ah"
"""The bank's second card, to a nine."""
EARLY, LATE = "1.streak_3=10>+80@p1", "1.streak_3=10>-10@p1"


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


def test_art13_n5_2_vi_a_round_whose_cards_are_lost_may_have_been_played_without_him() -> None:
    text = f"{round_of(1, WON, laid=LAID)}#2 2.main=100@p2 nomore 2+Th B+9d 2+Td 2.stand B+2d B+Ts 2.main>-100@p2 end "
    whole = table(text.removeprefix("#1 "), "black_jack", "2009-06-01", side_streak="on")
    lost = replace(whole, events=whole.events.filter(~(is_kind("CardDealt") & (pl.col("round") == 2))))
    assert [[due for due, *_ in streaks(judged)] for judged in replay_table_days([whole, lost])] == [[-10_00], [None]]


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
