"""Settlements on a shared seat that name no player: whose they are is shown by the stake, where one bettor alone laid that much
(57/2009 art. 20)."""

from __future__ import annotations

from tests.law.one_round import codes, replay

HAND = "nomore 1+Th B+9d 1+9d 1.stand@p1 B+8s {} end"


def paid(laid: str, settled: str) -> tuple[list[tuple[str, int | None]], set[str]]:
    replayed = replay(f"{laid} {HAND.format(settled)}", "black_jack", "2009-06-01")
    return replayed.wagers.sort("placed_seq").select("player", "paid_minor").rows(), codes(replayed)


def test_the_stake_tells_whose_a_settlement_is() -> None:
    laid = "1.main=100@p1/0 1.main=50@p2/1"
    assert paid(laid, "1.main=50>+50 1.main=100>+100") == ([("p1", 100_00), ("p2", 50_00)], set())
    assert paid(laid, "1.main=50>+50 1.main=100>+100@p1") == ([("p1", 100_00), ("p2", 50_00)], set())


def test_of_equal_stakes_nothing_tells_and_of_another_stake_neither() -> None:
    equal = paid("1.main=50@p1/0 1.main=50@p2/1", "1.main=50>+50 1.main=50>+50")
    assert equal == ([("p1", None), ("p2", None)], {"SETTLED_NOTHING"})
    other = paid("1.main=100@p1/0 1.main=50@p2/1", "1.main=70>+70 1.main=100>+100@p1")
    assert other == ([("p1", 100_00), ("p2", None)], {"SETTLED_NOTHING"})
