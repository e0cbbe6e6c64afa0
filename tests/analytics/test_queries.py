"""Each query finds what was planted for it and is quiet on an honest day."""

from __future__ import annotations

import datetime as dt
import re
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from analytics.queries import QueryRefused, queries, query_named, run
from flows.cli import main
from schemas.identity import Pseudonyms
from tests.analytics import made

DAY2 = dt.date(2026, 1, 6)


def honest(put: Any, table: str = "H", day: dt.date | None = None) -> None:
    """Thirty rounds of two dealers, all paid as due, every slip in order, the chips right."""
    wagers = [
        made.wager(
            number,
            10_000 + 1_000 * (number % 3),
            net := 10_000 if number % 2 else -10_000,
            net,
            dealer=f"D{1 + number % 2}",
            player=("alice", "bob")[number % 2],
        )
        for number in range(1, 31)
    ]
    steps = (
        ("TableOpened", 100_000),
        ("ChipsFilled", 5_000, "F1"),
        ("ChipsCredited", 2_000, "C1"),
        ("ChipsFilled", 5_000, "F2"),
        ("CashBoughtIn", 40_000, None, "alice"),
        ("TableClosed", 68_000),
        ("DropCounted", 40_000),
    )
    decisions = [
        {"round": n, "seq": 10 * n + 3, "seat": 1, "hand": 0, "action": "stand", "player": ("alice", "bob")[n % 2]}
        for n in range(1, 31)
    ]
    put(table, day or made.DAY, wagers=wagers, custody=made.custody(*steps), decisions=decisions)


QUIET = sorted(set(queries()) - {"dealer_error_rates", "pace_by_dealer"})  # these have a row for each dealer


@pytest.mark.parametrize("name", QUIET)
def test_quiet_on_an_honest_day(lake: Path, put: Any, name: str) -> None:
    honest(put)
    assert made.run(name, lake).rows() == []


@pytest.mark.parametrize("name", sorted(queries()))
def test_runs_on_an_empty_lake_and_says_the_currency_of_every_amount(lake: Path, name: str) -> None:
    answer = made.run(name, lake)
    assert answer.height == 0
    assert "currency" in answer.columns or not any(column.endswith("_minor") for column in answer.columns)


def test_overpayment_by_dealer_and_player_beside_everyone_else(lake: Path, put: Any) -> None:
    wagers = [made.wager(n, 100, 150, 100, player="carol") for n in (1, 2)]
    wagers += [made.wager(3, 100, 50, 100, player="carol"), made.wager(4, 100, 100, 100, player="carol")]
    wagers += [made.wager(n, 100, 100, 100, player="dave") for n in range(5, 9)]
    wagers += [made.wager(9, 100, 101, 100, player="dave")]
    put(wagers=wagers)
    (row,) = made.run("overpayment_by_dealer_and_player", lake).rows(named=True)
    assert row["dealer"] == "D1"
    assert (row["wagers"], row["overpaid_count"], row["overpaid_minor"]) == (4, 2, 100)
    assert (row["underpaid_count"], row["net_minor"]) == (1, 50)
    assert (row["rate"], row["others_rate"]) == (0.5, 0.2)
    assert made.run("overpayment_by_dealer_and_player", lake, {"min_count": "1"}).height == 2


def test_dealer_with_one_player_has_nobody_else_to_compare_him_with(lake: Path, put: Any) -> None:
    put(wagers=[made.wager(n, 100, 150, 100) for n in (1, 2)])
    assert made.run("overpayment_by_dealer_and_player", lake).select("rate", "others_rate").rows() == [(1.0, None)]


def test_rows_without_a_name_that_a_query_leaves_out_are_counted(
    lake: Path, put: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    named = made.wager(1, 100, 150, 100, player="carol")
    put(
        wagers=[
            named,
            made.wager(2, 100, 150, 100, player=None),
            made.wager(3, 100, 150, 100, dealer=None, player=None),
        ],
        custody=made.custody(
            ("TableOpened", 1_000), ("CashBoughtIn", 70_000_000), ("CashBoughtIn", 5, None, "carol"), ("DropCounted", 5)
        ),
        hands=[{"round": 1, "seat": seat, "player": who} for seat, who in ((1, None), (2, "carol"), (None, None))],
        rounds=[{"round": n, "status": "played", "dealer": who} for n, who in ((1, "D1"), (2, None), (3, None))],
    )

    assert run("overpayment_by_dealer_and_player", lake, {})[-1] == {
        "wagers of which the log names no player": (2, 3),
    }
    assert run("overpayments_after_dealer_change", lake, {})[-1] == {"wagers of which the log names no dealer": (1, 3)}
    assert run("dealer_error_rates", lake, {})[-1] == {}
    assert run("stood_on_low_totals", lake, {})[-1] == {"hands of which the log names no player": (1, 2)}
    assert run("pace_by_dealer", lake, {})[-1] == {"rounds of which the log names no dealer": (2, 3)}
    assert run("wagers_after_close", lake, {})[-1] == {}
    main(["query", "pace_by_dealer", "--lake", str(lake)])
    assert "rounds of which the log names no dealer are left out: 2 of 3" in capsys.readouterr().err


def test_wagers_that_a_rate_or_a_comparison_cannot_count_are_told(lake: Path, put: Any) -> None:
    """Of five wagers one has no due, one no settlement, and one is settled in one amount with its double."""
    sums = made.wager(5, 200, 200, 200, wager="hand")
    put(
        wagers=[
            *(made.wager(n, 100, 150, 100) for n in (1, 2)),
            made.wager(3, 100, 50, None),
            made.wager(4, 100, None, 100),
            sums,
        ]
    )
    assert run("dealer_error_rates", lake, {})[-1] == {"wagers without a settlement or a known due": (2, 5)}
    settled_together = {"wagers that the log settles in one amount with others": (1, 5)}
    assert run("stakes_raised_before_wins", lake, {})[-1] == settled_together


def test_what_was_settled_while_no_dealer_was_entered_is_of_no_dealer(lake: Path, put: Any) -> None:
    """D1 pays carol as due; when he is gone, she is twice paid 150 for 100, and dave once as due."""
    unseen = [made.wager(n, 100, 150, 100, dealer=None, player="carol") for n in (2, 3)]
    due = [made.wager(1, 100, 100, 100, player="carol"), made.wager(4, 100, 100, 100, dealer=None, player="dave")]
    put(wagers=[*due, *unseen])
    pairs = made.run("overpayment_by_dealer_and_player", lake).select("dealer", "overpaid_minor", "rate", "others_rate")
    assert pairs.rows() == [(None, 100, 1.0, 0.0)]
    rates = made.run("dealer_error_rates", lake).select("dealer", "wagers", "overpaid_count").rows()
    assert rates == [(None, 3, 2), ("D1", 1, 0)]
    hours = made.run("errors_by_hour", lake).select("dealer", "hour", "wagers", "overpaid_count", "net_minor").rows()
    assert hours == [(None, 0, 3, 2, 100)]


def test_wagers_after_close_with_the_seconds(lake: Path, put: Any) -> None:
    late = made.wager(1, 100, 100, 100, placed_at=60_000_000 + 20_000_000 + 1_500_000)
    found = {
        "round": 1, "seq": 10, "at": late["placed_at"], "seat": 1, "dealer": "D1", "amount_minor": 100,
        "code": "WAGER_AFTER_CLOSE", "severity": "money", "message": "late",
    }  # fmt: skip
    put(wagers=[late, made.wager(2, 100, 100, 100)], findings=[found])
    (row,) = made.run("wagers_after_close", lake, {"min_seconds": "1.5"}).rows(named=True)
    assert (row["seconds_late"], row["stake_minor"], row["paid_minor"], row["dealer"]) == (1.5, 100, 100, "D1")
    assert made.run("wagers_after_close", lake, {"min_seconds": "2"}).height == 0


def wilson(k: int, n: int, z: float) -> tuple[float, float]:
    """Wilson's interval as Brown, Cai and DasGupta print it (2001, section 3.1.1)."""
    p = k / n
    middle = (k + z * z / 2) / (n + z * z)
    half = z * sqrt(n) / (n + z * z) * sqrt(p * (1 - p) + z * z / (4 * n))
    return middle - half, middle + half


def test_dealer_error_rates_in_both_directions_with_wilson_interval(lake: Path, put: Any) -> None:
    wagers = [made.wager(n, 100, 100, 100) for n in range(1, 8)]
    wagers += [made.wager(8, 100, 130, 100), made.wager(9, 100, 120, 100), made.wager(10, 100, 60, 100)]
    put(wagers=wagers)
    (row,) = made.run("dealer_error_rates", lake).rows(named=True)
    assert (row["wagers"], row["overpaid_minor"], row["underpaid_minor"]) == (10, 50, 40)
    assert (row["over_rate"], row["under_rate"]) == (0.2, 0.1)
    assert (row["over_low"], row["over_high"]) == pytest.approx(wilson(2, 10, 1.96))
    assert (row["under_low"], row["under_high"]) == pytest.approx(wilson(1, 10, 1.96))
    assert [made.run("dealer_error_rates", lake, {"min_wagers": least}).height for least in ("10", "11")] == [1, 0]


def test_dealer_error_rates_of_an_honest_day_are_zero(lake: Path, put: Any) -> None:
    honest(put)
    assert made.run("dealer_error_rates", lake).select("overpaid_count", "underpaid_count").sum().rows() == [(0, 0)]


def test_repeated_identical_deltas(lake: Path, put: Any) -> None:
    wagers = [made.wager(n, stake, stake + 25, stake) for n, stake in ((1, 100), (5, 500), (9, 500))]
    put(wagers=[*wagers, made.wager(10, 100, 150, 100), made.wager(11, 100, 125, 100, seat=2)])
    (row,) = made.run("repeated_identical_deltas", lake).rows(named=True)
    assert (row["repetitions"], row["delta_minor"], row["total_minor"], row["stakes"]) == (3, 25, 75, 2)
    assert (row["first_round"], row["last_round"], row["minutes"]) == (1, 9, 8.0)
    assert made.run("repeated_identical_deltas", lake, {"within_minutes": "7"}).height == 0


def test_players_who_are_not_known_are_not_one_player_to_whom_amounts_repeat(lake: Path, put: Any) -> None:
    put(wagers=[made.wager(n, 100, 125, 100, player=None) for n in (1, 2, 3)])
    assert made.run("repeated_identical_deltas", lake).rows() == []


def test_outsize_late_wager_on_an_empty_table(lake: Path, put: Any) -> None:
    wagers = [made.wager(n, 1_000, -1_000, -1_000) for n in range(1, 8)]
    wagers.append(made.wager(8, 22_000, 22_000, 22_000, placed_at=8 * 60_000_000 + 19_000_000))
    put(wagers=wagers)
    (row,) = made.run("outsize_late_wagers_on_empty_tables", lake).rows(named=True)
    assert (row["round"], row["times_median"], row["seconds_before_close"], row["seats"]) == (8, 22.0, 1.0, 1)
    for quiet in ({"times": "23"}, {"seconds": "0.5"}, {"max_seats": "0"}, {"min_wagers": "9"}):
        assert made.run("outsize_late_wagers_on_empty_tables", lake, quiet).height == 0


def test_outsize_late_wager_is_one_whose_larger_part_is_laid_late(lake: Path, put: Any) -> None:
    """Usual is 1,000. At A 9,000 come on 1,000 a second before the close; at B 21,000 and at C 1,000, a second after it, are part
    of a stake of 22,000 that is settled in one amount."""
    usual = [made.wager(n, 1_000, -1_000, -1_000) for n in range(1, 8)]
    closed = 8 * 60_000_000 + 20_000_000
    more = {"placed_seq": 82, "settled_seq": 88, "placed_at": closed - 1_000_000}
    put("A", wagers=[*usual, made.wager(8, 1_000, 1_000, 1_000), made.wager(8, 9_000, 9_000, 9_000, **more)])
    late = {
        "round": 8, "seq": 85, "at": closed + 1_000_000, "seat": 1, "player": "alice", "code": "WAGER_AFTER_CLOSE",
        "severity": "money", "message": "late",
    }  # fmt: skip
    for table, amount in (("B", 21_000), ("C", 1_000)):
        put(table, wagers=[*usual, made.wager(8, 22_000, 22_000, 22_000)], findings=[{**late, "amount_minor": amount}])
    columns = ("table_id", "seq", "stake_minor", "late_minor", "times_median", "seconds_before_close", "paid_minor")
    assert made.run("outsize_late_wagers_on_empty_tables", lake).select(columns).rows() == [
        ("B", 85, 22_000, 21_000, 22.0, -1.0, 22_000),
        ("A", 82, 10_000, 9_000, 10.0, 1.0, 10_000),
    ]


def test_chips_laid_late_on_one_of_several_wagers_that_may_be_meant_are_of_none(lake: Path, put: Any) -> None:
    """500 late may be part of either wager of 600 at A; at B the other is of 500, and has no room for them."""
    found = {
        "round": 1, "seq": 15, "at": 85_000_000, "seat": 1, "player": "alice", "amount_minor": 500, "code": "WAGER_AFTER_CLOSE",
        "severity": "money", "message": "late",
    }  # fmt: skip
    for table, side in (("A", 600), ("B", 500)):
        other = made.wager(1, side, -side, -side, wager="streak_2", placed_seq=11, settled_seq=18)
        put(table, wagers=[made.wager(1, 600, 900, 900), other], findings=[found])
    columns = ("table_id", "wager", "stake_minor", "whole_minor", "paid_minor")
    assert made.run("wagers_after_close", lake).select(columns).rows() == [
        ("A", None, 500, None, None),
        ("B", "main", 500, 600, 900),
    ]


def test_decisions_against_the_rules_with_the_seats_result(lake: Path, put: Any) -> None:
    found = {
        "round": 1,
        "seq": 13,
        "seat": 1,
        "code": "DECISION_FORBIDDEN",
        "severity": "procedure",
        "article": "16(1)",
    }
    broken_log = found | {"seq": 14, "code": "EVENT_MALFORMED", "severity": "integrity"}
    put(
        wagers=[made.wager(1, 100, 100, 100), made.wager(1, 100, -40, -40, wager="double")],
        findings=[found, broken_log],
        decisions=[
            {"round": 1, "seq": seq, "seat": 1, "hand": 0, "action": "split", "dealer": "D1"} for seq in (13, 14)
        ],
    )
    (row,) = made.run("decisions_against_the_rules", lake).rows(named=True)
    assert (row["seq"], row["action"], row["article"], row["seat_net_minor"]) == (13, "split", "16(1)", 60)
    assert made.run("decisions_against_the_rules", lake, {"dealer": "D2"}).height == 0


def test_payments_to_back_bettors(lake: Path, put: Any) -> None:
    put(
        wagers=[
            made.wager(1, 100, 100, 100, player="carol"),
            made.wager(1, 100, 150, 100, player="dave"),
            made.wager(2, 100, 170, 100, player="carol"),
        ],
        decisions=[
            {"round": n, "seq": 10 * n + 3, "seat": 1, "hand": 0, "action": "hit", "player": "carol"} for n in (1, 2)
        ],
    )
    frame = made.run("payments_to_back_bettors", lake)
    assert frame.select("wagers_behind", "wrong_count", "overpaid_minor", "paid_minor").rows() == [(1, 1, 50, 150)]


def test_who_stands_behind_a_seat_bets_there_though_the_log_does_not_tell_who_decided(lake: Path, put: Any) -> None:
    """In round 1 somebody stands, in round 2 nobody need decide; behind carol are dave, overpaid 50 twice, and one not named."""
    bettors = ((0, "carol", 100), (1, "dave", 150), (2, None, 90))
    put(
        wagers=[
            made.wager(n, 100, paid, 100, player=who, position=place) for n in (1, 2) for place, who, paid in bettors
        ],
        decisions=[{"round": 1, "seq": 13, "seat": 1, "hand": 0, "action": "stand"}],
    )
    found = made.run("payments_to_back_bettors", lake)
    assert found.select("player", "wagers_behind", "overpaid_minor", "underpaid_minor").rows() == [
        (Pseudonyms.from_environment().of("dave"), 2, 100, 0),
        (None, 2, 0, 20),
    ]


def test_back_bettor_who_insures_or_claims_for_himself_still_bets_where_somebody_else_decides(
    lake: Path, put: Any
) -> None:
    """Carol plays the hand; dave, behind her, insures, then claims even money in round 2, and is overpaid 50 each time."""
    claims = {1: "insurance", 2: "even_money"}
    put(
        wagers=[
            made.wager(n, 100, paid, 100, player=who) for n in claims for who, paid in (("carol", 100), ("dave", 150))
        ],
        decisions=[
            {"round": n, "seq": 10 * n + place, "seat": 1, "hand": 0, "action": action, "player": who}
            for n, claim in claims.items()
            for place, (who, action) in enumerate((("dave", claim), ("carol", "stand")), 3)
        ],
    )
    frame = made.run("payments_to_back_bettors", lake)
    assert frame.select("wagers_behind", "wrong_count", "overpaid_minor", "paid_minor").rows() == [(2, 2, 100, 300)]


def test_unsettled_wagers(lake: Path, put: Any) -> None:
    put(
        wagers=[made.wager(1, 500, None, -500), made.wager(2, 100, None, 100)],
        custody=made.custody(("TableOpened", 1_000), ("TableClosed", 1_500), ("DropCounted", 0)),
    )
    rows = made.run("unsettled_wagers", lake, {"min_stake_minor": "200"}).rows(named=True)
    assert [(row["round"], row["due_minor"], row["inventory_variance_minor"]) for row in rows] == [(1, -500, 500)]


def test_advisory_on_a_settlement_without_its_wager_names_whom_and_by_whom(lake: Path, put: Any) -> None:
    """One advisory on a wager, which D2 settled; one on a payment of D1 to bob, whose wager is not on the log."""
    reported = {"severity": "advisory", "seat": 1, "round": 1, "dealer": "D1"}
    put(
        wagers=[made.wager(1, 100, 100, 100, player="alice", dealer="D2")],
        findings=[
            reported | {"code": "LAW_TEXT_UNVERIFIED", "seq": 10, "player": "alice", "stake_minor": 100},
            reported | {"code": "SETTLEMENT_UNMATCHED", "seq": 18, "player": "bob", "delta_minor": 50},
        ],
    )
    alice, bob = map(Pseudonyms.from_environment().of, ("alice", "bob"))
    found = made.run("advisories", lake).select("code", "wager", "player", "dealer").rows()
    assert found == [("LAW_TEXT_UNVERIFIED", "main", alice, "D2"), ("SETTLEMENT_UNMATCHED", None, bob, "D1")]


def test_advisory_on_a_round_that_begins_with_a_wager_is_on_no_wager(lake: Path, put: Any) -> None:
    put(
        wagers=[made.wager(1, 100, 100, 100, dealer="D2")],
        findings=[{"code": "SHUFFLE_NOT_SEEN", "severity": "advisory", "round": 1, "seq": 10, "dealer": "D1"}],
    )
    found = made.run("advisories", lake).select("wager", "player", "dealer", "due_minor").rows()
    assert found == [(None, None, "D1", None)]


def test_payments_for_nothing(lake: Path, put: Any) -> None:
    found = {
        "round": 1, "seq": 15, "seat": 3, "dealer": "D1", "code": "SETTLED_NOTHING", "severity": "money", "delta_minor": 700
    }  # fmt: skip
    put(wagers=[made.wager(1, 100, 100, 100)], findings=[found])
    frame = made.run("payments_for_nothing", lake)
    assert frame.select("seat", "dealer", "paid_minor").rows() == [(3, "D1", 700)]


def test_stakes_changed_says_who_won(lake: Path, put: Any) -> None:
    found = {"round": 1, "seq": 19, "seat": 1, "code": "STAKE_CHANGED", "severity": "money", "message": "100, then 300"}
    put(wagers=[made.wager(1, 100, 300, 100)], findings=[found])
    assert made.run("stakes_changed", lake).select("result", "stake_minor", "seq").rows() == [("won", 100, 19)]


def test_errors_by_hour_of_the_settlement_on_the_clock_of_the_wall(lake: Path, put: Any) -> None:
    """Both are placed at 12:59:50 UTC; one is settled at 12:59:59 and one, wrongly, at 13:00:10."""
    at = int(dt.datetime(2026, 1, 5, 13, tzinfo=dt.UTC).timestamp()) * 1_000_000
    placed = at - 10_000_000
    put(
        wagers=[
            made.wager(1, 100, 130, 100, placed_at=placed, settled_at=at + 10_000_000),
            made.wager(2, 100, 100, 100, placed_at=placed, settled_at=at - 1_000_000),
            *(made.wager(n, 100, paid, 100, settled_at=at + n) for n, paid in ((3, 101), (4, 99))),
        ]
    )
    frame = made.run("errors_by_hour", lake, {"utc_offset_hours": "8"})
    counted = frame.select("hour", "wagers", "overpaid_count", "underpaid_count", "net_minor")
    assert counted.rows() == [(21, 3, 2, 1, 30)]


def test_dealer_of_a_wager_never_settled_dealt_in_the_books_and_a_box_never_counted_is_no_variance(
    lake: Path, put: Any
) -> None:
    """At A the tray agrees and nobody counted the box; at B 100 are missing, where D1 dealt and D3 took a bet."""
    counted = ("TableOpened", 1_000), ("TableClosed", 1_100)
    put("A", wagers=[made.wager(1, 100, -100, -100)], custody=made.custody(*counted))
    taken = made.wager(1, 100, None, -100, dealer="D3", placed_seq=12)
    put("B", wagers=[taken], custody=made.custody(counted[0], ("TableClosed", 900)))
    columns = ("dealer", "books_count", "varied_count", "inventory_variance_minor")
    assert sorted(made.run("variances_by_dealer", lake).select(columns).rows()) == [
        ("D1", 2, 1, -100),
        ("D3", 1, 1, -100),
    ]


def test_dealer_came_with_the_first_wager_that_he_took_though_it_was_never_settled(lake: Path, put: Any) -> None:
    taken = made.wager(1, 100, None, -100, dealer="D2", seat=2, placed_seq=15, placed_at=100_000_000)
    paid = made.wager(1, 100, 200, 100, dealer="D2", settled_seq=17, settled_at=109_000_000)
    put(wagers=[taken, paid])
    columns = ("dealer", "relieved", "seconds_since", "delta_minor")
    assert made.run("overpayments_after_dealer_change", lake).select(columns).rows() == [("D2", "D1", 9.0, 100)]


def test_wager_on_several_rounds_is_won_by_the_house_in_the_round_in_which_it_is_settled(lake: Path, put: Any) -> None:
    """Before the voided round 3 the house won 300 and a streak of 10 in round 2, and 100 in round 1."""
    streak = made.wager(1, 10, -10, -10, wager="streak_2", settled_seq=28)
    put(
        wagers=[made.wager(1, 100, -100, -100), streak, made.wager(2, 300, -300, -300)],
        rounds=[
            {"round": n, "status": "void" if n == 3 else "played", "first_seq": 10 * n, "last_seq": 10 * n + 9}
            for n in (1, 2, 3)
        ],
    )
    for before, won in (("1", 310), ("2", 410)):
        assert made.run("voided_rounds", lake, {"before": before})["house_win_before_minor"].to_list() == [won]


def test_who_insured_rightly_nine_times_in_ten_comes_before_who_did_once(lake: Path, put: Any) -> None:
    """Beyond 4 of 13: nine of ten by 1.9 (in units of the deviation but for a factor), one of one by 0.7, one of two by 0.3;
    all on three seats, which are one guess."""
    right = {"ann": [True], "bob": [True, False], "carol": [True] * 9 + [False]}
    aces = [(n, who, natural) for who, of in right.items() for n, natural in enumerate(of, 100 * len(of))]
    put(
        wagers=[
            made.wager(n, 100, -100, -100, player=who, wager="insurance", seat=seat)
            for n, who, _ in aces
            for seat in (1, 2, 3)
        ],
        hands=[
            {"round": n, "seat": None, "upcard_value": 11, "outcome": "natural" if natural else "played"}
            for n, _, natural in aces
        ],
    )
    found = made.run("insurance_with_foresight", lake).select("player", "chances", "insured", "insured_right").rows()
    of = Pseudonyms.from_environment().of
    assert found == [(of("carol"), 10, 10, 9), (of("ann"), 1, 1, 1), (of("bob"), 2, 2, 1)]


def test_who_won_eight_of_ten_raised_stakes_comes_before_who_won_two_of_two(lake: Path, put: Any) -> None:
    """Both win two of five of their other rounds: 0.4 more over 10 and 10 rounds, 0.6 more over 2 and 5."""
    ann = [(100, -1), *[(200, 1), (100, 1)] * 4, *[(200, 1), (100, -1)] * 4, *[(200, -1), (100, -1)] * 2]
    bob = [(100, -1), (200, 1), (100, 1), (200, 1), (100, 1), (100, -1), (100, -1), (100, -1)]
    put(
        wagers=[
            made.wager(n, stake, stake * won, stake * won, player=who)
            for who, of in (("ann", ann), ("bob", bob))
            for n, (stake, won) in enumerate(of, 1)
        ]
    )
    columns = ("player", "raised_count", "raised_won_share", "others_won_share")
    of = Pseudonyms.from_environment().of
    assert made.run("stakes_raised_before_wins", lake).select(columns).rows() == [
        (of("ann"), 10, 0.8, 0.4),
        (of("bob"), 2, 1.0, 0.4),
    ]


def test_a_dealer_in_three_of_four_books_that_vary_comes_before_one_in_the_only_books(lake: Path, put: Any) -> None:
    """By share and number: 3 / 2 of the first, 1 / 1 of the second."""
    for table, dealer, closing in (
        ("A", "D1", 90),
        ("B", "D1", 90),
        ("C", "D1", 90),
        ("D", "D1", 100),
        ("E", "D2", 10),
    ):
        steps = (("TableOpened", 100), ("TableClosed", closing), ("DropCounted", 0))
        put(table, custody=made.custody(*((*step, {"dealer": dealer}) for step in steps)))
    columns = ("dealer", "books_count", "varied_count")
    assert made.run("variances_by_dealer", lake).select(columns).rows() == [("D1", 4, 3), ("D2", 1, 1)]


def test_a_dealer_somewhat_slow_in_many_rounds_comes_before_one_slow_in_one(lake: Path, put: Any) -> None:
    """Everyone's median is 50 seconds: D1 is a tenth above it, over the root of 16 rounds, D2 16 of 50 in one, D3 at it."""
    paces = ["D3"] * 20 + ["D1"] * 16 + ["D2"]
    seconds = {"D1": 55, "D2": 66, "D3": 50}
    put(
        rounds=[
            {
                "round": n, "game": "black_jack", "dealer": dealer, "seats": 1, "status": "played", "first_seq": 10 * n,
                "started_at": 100_000_000 * n, "ended_at": (100 * n + seconds[dealer]) * 1_000_000,
            }
            for n, dealer in enumerate(paces)
        ]
    )  # fmt: skip
    assert made.run("pace_by_dealer", lake).select("dealer", "median_seconds").rows() == [
        ("D1", 55),
        ("D2", 66),
        ("D3", 50),
    ]


def test_who_raises_every_stake_has_no_other_rounds_to_compare(lake: Path, put: Any) -> None:
    stakes = {"ann": (1, 2, 4), "bob": (1, 2, 4, 4)}
    put(
        wagers=[
            made.wager(n, stake, stake, stake, player=who)
            for who, of in stakes.items()
            for n, stake in enumerate(of, 1)
        ]
    )
    columns = ("player", "rounds", "raised_count", "others_won_share", "others_net_minor")
    assert sorted(made.run("stakes_raised_before_wins", lake).select(columns).rows()) == sorted(
        (Pseudonyms.from_environment().of(who), *row)
        for who, row in {"ann": (2, 2, None, 0), "bob": (3, 2, 1.0, 4)}.items()
    )


def test_voided_round_without_a_stake_is_listed_beside_rounds_without_one(lake: Path, put: Any) -> None:
    put(rounds=[{"round": n, "status": status, "first_seq": 10 * n} for n, status in ((1, "played"), (2, "void"))])
    assert made.run("voided_rounds", lake).select("round", "stake_minor", "times_usual").rows() == [(2, 0, None)]


def test_a_round_that_is_void_by_law_tells_what_was_paid_in_it_all_the_same(lake: Path, put: Any) -> None:
    """78/2008 art. 11(1): a round dealt out of order is invalid; here the dealer played it on and collected 500."""
    put(
        rounds=[{"round": n, "status": "void", "first_seq": 10 * n} for n in (1, 2)],
        wagers=[made.wager(1, 500, -500, 0), made.wager(2, 300, 0, 0)],
    )
    paid = made.run("voided_rounds", lake).select("round", "stake_minor", "house_win_minor").sort("round")
    assert paid.rows() == [(1, 500, 500), (2, 300, 0)]


def test_rounds_of_dealers_whom_no_log_names_are_not_one_dealers(lake: Path, put: Any) -> None:
    taken = made.wager(1, 100, None, 0, dealer=None)
    for table in ("A", "B"):
        put(table, rounds=[{"round": 1, "status": "void", "first_seq": 10, "dealer": None}], wagers=[taken])
    unnamed = made.run("voided_rounds", lake).select("table_id", "dealer", "voided_by_dealer", "rounds_of_dealer")
    assert unnamed.sort("table_id").rows() == [("A", None, None, None), ("B", None, None, None)]
    assert run("voided_rounds", lake, {})[-1] == {}, "it leaves out nothing"


def test_missing_slip_numbers(lake: Path, put: Any) -> None:
    put("A", custody=made.custody(("ChipsFilled", 1, "F-009"), ("SlipVoided", 1, "F-010")))
    put("B", custody=made.custody(("ChipsFilled", 1, "F-012")))
    frame = made.run("missing_slip_numbers", lake)
    assert frame.select("series", "slip_before", "slip_after", "missing").rows() == [("F-", "F-010", "F-012", 1)]


def test_openings_unlike_closings_in_all_or_by_denomination(lake: Path, put: Any) -> None:
    """A closer is the next opener, per denomination and in total (N.J.A.C. 13:69D-1.21)."""
    chips, others = {"denominations": '{"10000": 5}'}, {"denominations": '{"5000": 10}'}
    late = {"stretch": 0}
    put("A", custody=made.custody(("TableOpened", 900), ("TableClosed", 1_000), ("TableClosed", 700, late)))
    put(
        "A",
        DAY2,
        custody=made.custody(("TableOpened", 700), ("TableClosed", 700), ("TableOpened", 700, {"stretch": 2})),
    )
    put("B", custody=made.custody(("TableOpened", 50_000), ("TableClosed", 50_000, chips)))
    put("B", DAY2, custody=made.custody(("TableOpened", 50_000, others), ("ChipsFilled", 5)))
    put("C", custody=made.custody(("TableClosed", 50_000, chips)))
    put("C", DAY2, custody=made.custody(("TableOpened", 50_000, chips)))
    put("D", custody=made.custody(("TableOpened", 1)))
    put("D", DAY2, custody=made.custody(("TableOpened", 2)))
    put("E", custody=made.custody(("TableOpened", 1), ("TableClosed", 2)), currency=None)
    put("E", DAY2, custody=made.custody(("TableOpened", 5)), currency=None)
    frame = made.run("openings_unlike_closings", lake)
    reported = frame.select(
        "table_id", "gaming_day", "closed_on", "closing_minor", "opening_minor", "difference_minor"
    ).rows()
    assert reported == [
        ("A", DAY2, made.DAY, 1_000, 700, -300),
        ("E", DAY2, made.DAY, 2, 5, 3),
        ("B", DAY2, made.DAY, 50_000, 50_000, 0),
    ]
    assert made.run("openings_unlike_closings", lake, {"first": str(DAY2)}).is_empty()


def test_an_opening_is_compared_with_the_last_closing_in_its_own_currency(lake: Path, put: Any) -> None:
    """Closed at 500 in MOP, the table played a while in HKD; next day it is opened in MOP at 300, and 200 are missing."""
    mop, hkd = {"currency": "MOP"}, {"currency": "HKD", "stretch": 2}
    steps = ("TableOpened", 400, mop), ("TableClosed", 500, mop), ("TableOpened", 70, hkd), ("TableClosed", 80, hkd)
    put("A", custody=made.custody(*steps))
    put("A", DAY2, custody=made.custody(("TableOpened", 300, mop)))
    frame = made.run("openings_unlike_closings", lake)
    assert frame.select("gaming_day", "currency", "closing_minor", "opening_minor", "difference_minor").rows() == [
        (DAY2, "MOP", 500, 300, -200)
    ]


def test_openings_are_like_closings_where_values_without_chips_are_written_down_or_left_out(
    lake: Path, put: Any
) -> None:
    closed, opened = {"denominations": '{"10000": 5}'}, {"denominations": '{"10000": 5, "5000": 0}'}
    put("A", custody=made.custody(("TableOpened", 50_000), ("TableClosed", 50_000, closed)))
    put("A", DAY2, custody=made.custody(("TableOpened", 50_000, opened)))
    assert made.run("openings_unlike_closings", lake).is_empty()


def test_slips_used_again_stand_beside_the_chips_of_their_books(lake: Path, put: Any) -> None:
    """On slip C1 chips left twice, and the count agrees; F7 was entered twice, and its chips came once. F1 was voided."""
    credits_ = (("ChipsCredited", 2_000, "C1"), ("ChipsCredited", 2_000, "C1"), ("ChipsFilled", 500, "C1"))
    voided = (("ChipsFilled", 900, "F1"), ("SlipVoided", 900, "F1"), ("ChipsFilled", 900, "F1"))
    put("A", custody=made.custody(("TableOpened", 10_000), *credits_, *voided, ("TableClosed", 7_400)))
    fills = (("ChipsFilled", 300, "F7"), ("ChipsFilled", 300, "F7"), ("ChipsFilled", 1, None), ("ChipsFilled", 1, None))
    put("B", custody=made.custody(("TableOpened", 10_000), *fills, ("TableClosed", 10_302)))
    put("B", DAY2, custody=made.custody(("ChipsFilled", 300, "F7")))
    reported = made.run("slips_used_again", lake).select(
        "table_id", "seq", "kind", "slip", "amount_minor", "seq_before", "inventory_variance_minor"
    )
    assert reported.rows() == [
        ("A", 1003, "ChipsCredited", "C1", 2_000, 1002, 0),
        ("B", 1003, "ChipsFilled", "F7", 300, 1002, -300),
    ]
    assert made.run("slips_used_again", lake, {"first": str(DAY2)}).is_empty()


def filled(*numbers: str) -> list[dict[str, Any]]:
    """Fills of 100 on slips."""
    return made.custody(("TableOpened", 1_000), *(("ChipsFilled", 100, number) for number in numbers))


def test_a_number_of_the_propertys_series_used_at_two_tables_hides_neither_itself_nor_a_missing_one(
    lake: Path, put: Any
) -> None:
    """A has 1 and 2, B has 4 and 5, C has 5 once more: 3 is missing, and 5 was used twice."""
    for table, numbers in (("A", ("F-001", "F-002")), ("B", ("F-004", "F-005")), ("C", ("W-1", "W-2", "F-005"))):
        put(table, custody=filled(*numbers))
    missing = made.run("missing_slip_numbers", lake).select("series_table", "slip_before", "slip_after", "missing")
    assert missing.rows() == [(None, "F-002", "F-004", 1)]
    again = made.run("slips_used_again", lake).select("table_id", "seq", "slip", "table_before", "seq_before")
    assert again.rows() == [("C", 1004, "F-005", "B", 1003)]


def test_numbers_of_the_tables_own_series_are_used_at_several_tables(lake: Path, put: Any) -> None:
    """All pads of F begin the day at 1, and A alone needs a second slip of it; those of G go on from the day before, and 417 is
    missing at B."""
    put("A", custody=filled("F1", "F2", "F3", "G412", "G413", "G414", "G415"))
    put("B", custody=filled("F1", "G414", "G415", "G416", "G418"))
    put("C", custody=filled("F1"))
    missing = made.run("missing_slip_numbers", lake).select("series_table", "slip_before", "slip_after", "missing")
    assert missing.rows() == [("B", "G416", "G418", 1)]
    assert made.run("slips_used_again", lake).is_empty()


def test_register_of_voided_slips(lake: Path, put: Any) -> None:
    """F1 is voided, and its 300 came all the same; F3 was spoiled before use, and C1 is voided after the closing."""
    moved = (("ChipsFilled", 300, "F1"), ("ChipsFilled", 500, "F2"), ("ChipsCredited", 100, "C1"))
    voids = (("SlipVoided", 300, "F1", None, {"dealer": "D2"}), ("SlipVoided", 0, "F3"))
    late = ("SlipVoided", 100, "C1", None, {"stretch": 0})
    put("A", custody=made.custody(("TableOpened", 1_000), *moved, *voids, ("TableClosed", 1_700), late))
    columns = (
        "seq",
        "slip",
        "kind",
        "amount_minor",
        "moved_by",
        "voided_minor",
        "voided_by",
        "inventory_variance_minor",
    )
    assert made.run("voided_slips", lake).select(columns).rows() == [
        (1005, "F1", "ChipsFilled", 300, "D1", 300, "D2", 300),
        (1006, "F3", None, None, None, 0, "D1", 300),
        (1008, "C1", None, None, None, 100, "D1", None),
    ]
    twice = (("ChipsFilled", 500, "F1"), ("ChipsCredited", 300, "F1"), *(("SlipVoided", 1, "F1") for _ in range(3)))
    put("B", custody=made.custody(*twice))
    of_b = made.run("voided_slips", lake, {"table": "B"}).select("seq", "moved_seq", "amount_minor")
    assert of_b.rows() == [(1003, 1002, 300), (1004, 1001, 500), (1005, None, None)], (
        "each void is of the last that stands"
    )
    times = made.run("voided_slips", lake, {"table": "A"}).select("moved_at", "voided_at").rows()[0]
    assert [time.second for time in times] == [1, 4]
    assert made.run("voided_slips", lake, {"table": "C"}).is_empty()


def dealt(number: int, bank: str, *seats: str, shoe: int = 1) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A round of Black Jack and its hands, by their cards."""
    round_ = {"round": number, "shoe": shoe, "dealer": f"D{shoe}", "status": "played"}
    hands = [{"round": number, "seat": seat, "hand": 0, "cards": cards} for seat, cards in enumerate(seats, 1)]
    return round_, [*hands, {"round": number, "seat": None, "hand": 0, "cards": bank}]


def test_repeated_card_sequences_though_dealt_to_other_seats(lake: Path, put: Any) -> None:
    """Twelve cards of shoe 1, one seat playing, come in shoe 2 behind another card, to two seats and then to one."""
    first = (dealt(1, "2c 5c 6c", "Ac 3c 4c"), dealt(2, "8c Jc", "7c 9c Tc"), dealt(3, "2h 3h", "Qc Ah"))
    second = (
        dealt(4, "2c 8c 9c", "Kd 3c 5c", "Ac 4c 6c 7c", shoe=2),
        dealt(5, "Jc Kh", "Tc Qc", shoe=2),
        dealt(6, "9s 8s", "7s Ts", shoe=2),
    )
    rounds, hands = zip(*first, *second, strict=True)
    put(rounds=rounds, hands=[hand for of_round in hands for hand in of_round])
    (row,) = made.run("repeated_card_sequences", lake).rows(named=True)
    assert (row["round"], row["last_round"], row["shoe"], row["dealer"]) == (4, 5, 2, "D2")
    assert (row["round_before"], row["shoe_before"], row["dealer_before"]) == (1, 1, "D1")
    assert (row["cards_count"], row["first_cards"]) == (12, "Ac 2c 3c 4c 5c 6c 7c 8c")
    assert made.run("repeated_card_sequences", lake, {"cards": "12"}).height == 1
    assert made.run("repeated_card_sequences", lake, {"cards": "13"}).is_empty()


@pytest.mark.parametrize(
    ("step", "rounds_of_cards"),
    [
        # 78/2008 art. 7(2): a shuffler gives each hand its three at once
        (3, (("2c 3c 4c", "5c 6c 7c", "8c 9c Tc"), ("2c 3c 4c", "5c 6c 7c", "8c 9c Tc", "Jd Qd Kd"))),
        # art. 7(1): one by one
        (1, (("2c 5c 8c", "3c 6c 9c", "4c 7c Tc"), ("2c 6c Tc", "3c 7c Jd", "4c 8c Qd", "5c 9c Kd"))),
    ],
)
def test_repeated_card_sequences_are_those_of_the_deal_whether_three_at_once_or_one_by_one(
    lake: Path, put: Any, step: int, rounds_of_cards: tuple[tuple[str, ...], ...]
) -> None:
    """Nine cards come again to four hands, which three had."""
    rounds, hands = [], []
    for number, cards in enumerate(rounds_of_cards, 1):
        of_round, own = dealt(number, cards[-1], *cards[:-1], shoe=number)
        rounds.append(of_round)
        game = {"game": "fortune_3_card_poker"}
        hands += [{**hand, **game, "first_seq": 100 * number + step * place} for place, hand in enumerate(own)]
    put(rounds=rounds, hands=hands)
    (row,) = made.run("repeated_card_sequences", lake).rows(named=True)
    assert (row["round"], row["round_before"], row["cards_count"]) == (2, 1, 9)


def test_cards_without_suits_are_no_repeated_card_sequences(lake: Path, put: Any) -> None:
    rounds, hands = zip(*(dealt(n, "2x 5x 6x 7x", "Ax 3x 4x 8x", shoe=n) for n in (1, 2)), strict=True)
    put(rounds=rounds, hands=[hand for of_round in hands for hand in of_round])
    assert made.run("repeated_card_sequences", lake).is_empty()


def test_repeated_card_sequences_of_one_round_stand_in_the_order_of_the_deal(lake: Path, put: Any) -> None:
    """Twelve pairs of cards come again, the last first; no card between them is known, the bank's between those of the first."""
    pairs = [f"{rank}c {rank}d" for rank in "A23456789TJQ"]
    again = pairs[::-1]
    rounds, hands = zip(*(dealt(n, "??", " ?? ".join(of)) for n, of in ((1, pairs), (2, again))), strict=True)
    put(rounds=rounds, hands=[hand for of_round in hands for hand in of_round])
    found = made.run("repeated_card_sequences", lake, {"cards": "2"})["first_cards"].to_list()
    assert found == again[1:-1]


def test_large_buy_ins_add_up_over_tables_of_one_day(lake: Path, put: Any) -> None:
    for table in ("A", "B"):
        put(table, custody=made.custody(("CashBoughtIn", 30_000_000, None, "carol")))
    put("A", DAY2, custody=made.custody(("CashBoughtIn", 49_999_999, None, "carol")))
    (row,) = made.run("large_buy_ins", lake).rows(named=True)
    assert (row["buy_ins"], row["tables"], row["total_minor"], row["late_minor"]) == (2, 2, 60_000_000, 0)
    assert row["at_tables"] == "A, B"


def test_large_buy_ins_without_a_name_are_listed_each_by_itself(lake: Path, put: Any) -> None:
    """The third is the second's equal, the first below the line; who bought in is not known, so that nothing is added up."""
    put(
        "A",
        custody=made.custody(("CashBoughtIn", 49_999_999), ("CashBoughtIn", 60_000_000), ("CashBoughtIn", 60_000_000)),
    )
    columns = ("player", "buy_ins", "total_minor", "at_tables", "first_at")
    at = [dt.datetime(1970, 1, 1, 0, 0, second, tzinfo=dt.UTC) for second in (1, 2)]
    assert sorted(made.run("large_buy_ins", lake).select(columns).rows(), key=lambda row: row[-1]) == [
        (None, 1, 60_000_000, "A", when) for when in at
    ]


def test_large_buy_ins_have_what_was_entered_late_and_say_how_much_that_is(lake: Path, put: Any) -> None:
    put(
        "A",
        custody=made.custody(
            ("CashBoughtIn", 49_999_999, None, "carol"), ("CashBoughtIn", 1, None, "carol", {"stretch": 0})
        ),
    )
    (row,) = made.run("large_buy_ins", lake).rows(named=True)
    assert (row["buy_ins"], row["total_minor"], row["late_minor"]) == (2, 50_000_000, 1)


def test_days_are_bounded_on_both_sides(lake: Path, put: Any) -> None:
    for number in (4, 5, 6):
        put("T", dt.date(2026, 1, number), wagers=[made.wager(1, 500, None, -500)])
    days = made.run("unsettled_wagers", lake, {"first": "2026-01-05", "last": "2026-01-05"})["gaming_day"].to_list()
    assert days == [made.DAY]
    assert made.run("unsettled_wagers", lake, {"first": "none", "last": "2026-01-05"}).height == 2


@pytest.mark.parametrize(
    ("name", "params", "reported"),
    [
        ("no_such", {}, "there are: advisories, dealer_error_rates"),
        ("large_buy_ins", {"limit": "5"}, r"no parameter limit; it has: first \(date, default none\)"),
        ("large_buy_ins", {"first": "2026-01-06", "last": "2026-01-05"}, r"is later than last=2026-01-05: swap them"),
        (
            "large_buy_ins",
            {"threshold_minor": "much"},
            "threshold_minor=much: a whole number that is not negative is needed",
        ),
        ("large_buy_ins", {"threshold_minor": "9" * 20}, "a whole number that is not negative is needed"),
        ("large_buy_ins", {"threshold_minor": "none"}, "a whole number that is not negative is needed"),
        ("advisories", {"code": "\udcff"}, "a text in UTF-8 is needed"),
        ("large_buy_ins", {"first": "5 January"}, "a date like 2026-01-05 is needed"),
        ("wagers_after_close", {"min_seconds": "nan"}, "a number from 0 to 1,000,000,000 is needed"),
    ],
)
def test_refusals_say_what_there_is(lake: Path, name: str, params: dict[str, str], reported: str) -> None:
    with pytest.raises(QueryRefused, match=reported):
        made.run(name, lake, params)


def test_wager_after_the_first_card_but_before_the_call_is_listed_without_seconds(lake: Path, put: Any) -> None:
    """The first card closes the bets as well: by the clock of the call such a wager is early, and late all the same."""
    before = made.wager(1, 100, 100, 100, placed_at=60_000_000 + 19_000_000)  # a second before the call
    after = made.wager(2, 100, 100, 100, placed_at=2 * 60_000_000 + 21_000_000)
    found = [
        {"round": wager["round"], "seq": wager["placed_seq"], "at": wager["placed_at"], "seat": 1, "code": "WAGER_AFTER_CLOSE",
         "severity": "money", "message": "dealt"}
        for wager in (before, after)
    ]  # fmt: skip
    put(wagers=[before, after], findings=found)
    assert made.run("wagers_after_close", lake).select("round", "seconds_late").rows() == [(1, None), (2, 1.0)]
    assert made.run("wagers_after_close", lake, {"min_seconds": "5"})["round"].to_list() == [1]


def test_amounts_of_two_currencies_are_never_added_up(lake: Path, put: Any) -> None:
    """The same dealer and player at two tables: 2 of 3 wagers overpaid by 10 in MOP, 2 of 2 by 1,000 in HKD."""
    mop = [made.wager(n, 100, 100 + delta, 100) for n, delta in ((1, 10), (2, 10), (3, 0))]
    hkd = [made.wager(n, 100, 1_100, 100) for n in (1, 2)]
    cash = made.custody(("CashBoughtIn", 30_000_000, None, "carol"))
    put("A", wagers=mop, custody=cash)
    put("B", wagers=hkd, custody=cash, currency="HKD")
    pairs = made.run("overpayment_by_dealer_and_player", lake)
    assert pairs.select("currency", "wagers", "overpaid_minor").rows() == [("HKD", 2, 2_000), ("MOP", 3, 20)]
    dealers = made.run("dealer_error_rates", lake)
    assert sorted(dealers.select("currency", "wagers", "overpaid_minor").rows()) == [("HKD", 2, 2_000), ("MOP", 3, 20)]
    hours = made.run("errors_by_hour", lake)
    assert sorted(hours.select("currency", "wagers", "net_minor").rows()) == [("HKD", 2, 2_000), ("MOP", 3, 20)]
    assert made.run("large_buy_ins", lake).rows() == []
    reached = made.run("large_buy_ins", lake, {"threshold_minor": "30000000"})
    assert reached.select("currency", "total_minor").rows() == [("HKD", 30_000_000), ("MOP", 30_000_000)]


def test_a_table_that_was_opened_again_in_another_currency_is_two_tables_of_amounts(lake: Path, put: Any) -> None:
    """Rounds 1 to 14 in MOP at 100, rounds 101 to 116 in HKD at 1,000, the last of each void."""
    mop = [made.wager(n, 100, -100, -100) for n in range(1, 11)] + [made.wager(n, 100, 125, 100) for n in (11, 12)]
    mop += [made.wager(13, 100, None, -100), made.wager(14, 100, 0, 0)]
    hkd = [made.wager(n, 1_000, 1_025, 1_000) for n in range(101, 116)] + [made.wager(116, 1_000, 0, 0)]
    hkd += [made.wager(117, 1_000, None, -1_000)]
    of_mop, of_hkd = ({"currency": currency} for currency in ("MOP", "HKD"))
    wagers = [*(row | of_mop for row in mop), *(row | of_hkd for row in hkd)]
    rounds = [
        {
            "round": row["round"], "game": "black_jack", "dealer": "D1", "currency": row["currency"], "seats": 1,
            "started_at": 60_000_000 * row["round"], "status": "void" if row["round"] in (14, 116) else "played",
        }
        for row in wagers
    ]  # fmt: skip
    decisions = [
        {"round": n, "seq": 10 * n + 3, "seat": 1, "hand": 0, "action": "stand", "player": "bob"} for n in (11, 101)
    ]
    stood = {
        "seat": 1,
        "hand": 0,
        "total": 12,
        "upcard_value": 10,
        "decisions": "stand",
        "soft": False,
        "player": "bob",
    }
    hands = [stood | {"round": n, "dealer": "D1", "stake_minor": stake} for n, stake in ((11, 100), (101, 1_000))]
    steps = (("TableOpened", 100_000), ("TableClosed", 90_000))
    put(wagers=wagers, rounds=rounds, decisions=decisions, hands=hands, custody=made.custody(*steps))

    void = made.run("voided_rounds", lake, {"before": "30"})
    assert sorted(void.select("currency", "stake_minor", "times_usual", "house_win_before_minor").rows()) == [
        ("HKD", 1_000, 1.0, -15 * 1_025),
        ("MOP", 100, 1.0, 10 * 100 - 2 * 125),
    ]
    repeated = made.run("repeated_identical_deltas", lake, {"min_count": "2"})
    assert sorted(repeated.select("currency", "repetitions", "total_minor").rows()) == [
        ("HKD", 15, 375),
        ("MOP", 2, 50),
    ]
    behind = made.run("payments_to_back_bettors", lake)
    assert sorted(behind.select("currency", "overpaid_minor").rows()) == [("HKD", 25), ("MOP", 25)]
    low = made.run("stood_on_low_totals", lake)
    assert sorted(low.select("currency", "stake_minor").rows()) == [("HKD", 1_000), ("MOP", 100)]
    left = {
        row["currency"]: row["inventory_variance_minor"] for row in made.run("unsettled_wagers", lake).rows(named=True)
    }
    assert left["HKD"] is None, "the variance is of the books in MOP"
    assert left["MOP"] is not None


def test_a_stake_is_measured_by_those_in_its_own_currency(lake: Path, put: Any) -> None:
    mop = [made.wager(n, 100, -100, -100, currency="MOP") for n in range(1, 11)]
    hkd = [made.wager(n, 1_000, -1_000, -1_000, currency="HKD") for n in range(101, 107)]
    put(wagers=[*mop, *hkd])
    assert made.run("outsize_late_wagers_on_empty_tables", lake, {"seconds": "60"}).rows() == []


def test_everyone_else_includes_players_who_are_not_known(lake: Path, put: Any) -> None:
    wagers = [made.wager(n, 100, 110, 100, player="carol") for n in (1, 2)]
    wagers += [made.wager(n, 100, 110 if n == 3 else 100, 100, player=None) for n in (3, 4, 5, 6)]
    put(wagers=wagers, currency=None)
    (row,) = made.run("overpayment_by_dealer_and_player", lake).rows(named=True)
    assert (row["wagers"], row["rate"], row["others_rate"]) == (2, 1.0, 0.25)


def test_a_later_repetition_does_not_hide_a_quick_series(lake: Path, put: Any) -> None:
    """Four within three minutes, one more five hours later."""
    put(wagers=[made.wager(n, 100, 125, 100) for n in (1, 2, 3, 4, 304)])
    shown = ("repetitions", "most_within_time", "last_round", "minutes")
    quick = made.run("repeated_identical_deltas", lake, {"min_count": "4", "within_minutes": "3"})
    assert quick.select(shown).rows() == [(5, 4, 304, 303.0)]
    assert made.run("repeated_identical_deltas", lake, {"min_count": "4", "within_minutes": "2.9"}).rows() == []
    assert made.run("repeated_identical_deltas", lake, {"min_count": "5", "within_minutes": "60"}).rows() == []


def test_stakes_of_unknown_players_are_measured_by_seat(lake: Path, put: Any) -> None:
    """A large player on seat 2 beside a small one on seat 1, neither known: 50,000 is usual for the one alone."""
    late = {"player": None, "placed_seq": 1}
    wagers = [made.wager(n, 1_000, -1_000, -1_000, player=None) for n in range(1, 12)]
    wagers += [
        made.wager(n, 50_000, -50_000, -50_000, seat=2, placed_at=n * 60_000_000 + 19_000_000, **late)
        for n in range(20, 26)
    ]
    put(wagers=wagers)
    assert made.run("outsize_late_wagers_on_empty_tables", lake).rows() == []


def test_wager_found_unsettled_is_listed_also_where_its_due_is_not_known(lake: Path, put: Any) -> None:
    """One found never settled, without a due; one whose settlement may be among missing events is no finding."""
    found = {"round": 1, "seq": 10, "seat": 1, "code": "WAGER_UNSETTLED", "severity": "money"}
    put(wagers=[made.wager(1, 500, None, None), made.wager(2, 500, None, None)], findings=[found])
    assert made.run("unsettled_wagers", lake).select("round", "due_minor").rows() == [(1, None)]


def test_dealers_breach_at_a_decision_is_no_decision_against_the_rules(lake: Path, put: Any) -> None:
    of_round = {"round": 1, "seq": 13, "severity": "procedure"}
    decision = {"round": 1, "seq": 13, "seat": 1, "hand": 0, "action": "stand", "dealer": "D1"}
    put(
        wagers=[made.wager(1, 100, 100, 100)],
        findings=[of_round | {"code": "DECISION_ORDER"}, of_round | {"code": "HOLE_NOT_CHECKED"}],
        decisions=[decision],
    )
    assert made.run("decisions_against_the_rules", lake)["code"].to_list() == ["DECISION_ORDER"]


def test_value_is_a_value_and_never_part_of_the_text(lake: Path, put: Any) -> None:
    honest(put)
    assert made.run("decisions_against_the_rules", lake, {"dealer": "x' OR true --"}).height == 0


BOUNDS = {
    "int": (("0", str(2**63 - 1)), ("-1", str(2**63))),
    "number": (("0", "1e-300", "1e9"), ("-0.5", "1.1e9", "nan", "inf")),
    "hours": (("-24", "24"), ("-25", "25", "99999999999")),
}


def test_every_query_answers_at_the_bounds_of_its_parameters_and_refuses_what_is_beyond(lake: Path, put: Any) -> None:
    honest(put)
    asked = 0
    for query in queries().values():
        for parameter in query.parameters:
            within, beyond = BOUNDS.get(parameter.kind, ((), ()))
            for text in within:
                made.run(query.name, lake, {parameter.name: text})
                asked += 1
            for text in beyond:
                with pytest.raises(QueryRefused, match=f"{parameter.name}={text}: .* is needed"):
                    query.values({parameter.name: text})
    assert asked > 40


def test_every_query_says_what_it_is_for_and_what_else_would_explain_it() -> None:
    assert len(queries()) >= 8
    for query in queries().values():
        assert query.purpose and query.innocent
        assert "cheat" not in query.sql.lower()
        placeholders = set(re.findall(r"\$(\w+)", query.sql))
        assert placeholders == {parameter.name for parameter in query.parameters}, query.name
    assert query_named("large_buy_ins").parameters[-1].default == "50000000"
