"""A stake that is laid in parts is one stake: it is held against a bound once, at the chips by which it is beyond it
(57/2009 arts. 12(1), 16(2), 17(1); 78/2008 arts. 6(1), 9(4))."""

from __future__ import annotations

import pytest

from tests.law.one_round import codes, dues, replay

STAKES = {"STAKE_OUTSIDE_LIMITS", "STAKE_UNEQUAL", "INSURANCE_BOUNDS", "F3_LIMIT", "F3_RAISE_AMOUNT"}
DOUBLE = "1.main=100 nomore 1+6h B+9d 1+5d 1.double {} 1+Ts B+9s end"
SPLIT = "1.main=100 nomore 1+8h B+9d 1+8d 1.split {} 1+Ts 1.stand 1b+Tc 1b.stand B+9s end"
INSURED = "1.main=100 nomore 1+Th B+Ad 1+9d {} 1.stand B+9s end"
PLAIN = "{} nomore 1+Th B+9d 1+9d 1.stand B+9s end"
RAISED = "1.ante=100 nomore 1-?? 1-?? 1-?? B-?? B-?? B-?? 1^Ah 1^Kh 1^Qs 1.raise {} B^Qd B^9c B^2d end"
ANTED = "{} nomore 1-?? 1-?? 1-?? B-?? B-?? B-?? 1^Ah 1^Kh 1^Qs 1.fold end"


@pytest.mark.parametrize(
    ("text", "kind", "parts", "at"),
    [
        (DOUBLE, "double", [50, 50], None),
        (DOUBLE, "double", [50, 40], 1),  # less than the stake, by the last chips
        (DOUBLE, "double", [50, 60, 10], 1),  # more than it, by the second ones, and found once
        (SPLIT, "split", [20, 30, 50], None),
        (SPLIT, "split", [20, 30], 1),
        (INSURED, "insurance", [30, 20], None),
        (INSURED, "insurance", [30, 10], 1),
        (INSURED, "insurance", [60, 60, 60], 1),
        (PLAIN, "main", [50, 50], None),
        (PLAIN, "main", [50, 40], 1),
        (PLAIN, "main", [300, 300, 300], 1),
    ],
)
def test_57_2009_chips_added_to_a_stake_make_one_stake_of_it(
    text: str, kind: str, parts: list[int], at: int | None
) -> None:
    hand = "1b" if kind == "split" else "1"
    laid = text.format(" ".join(f"{hand}.{kind}={amount}" for amount in parts))
    told = replay(laid, "black_jack", "2009-06-01", limit_min="100", limit_max="500")
    placed = told.wagers.filter(told.wagers["wager"] == kind)["placed_seq"].sort().to_list()
    found = told.findings.filter(told.findings["code"].is_in(sorted(STAKES)))
    assert found["seq"].to_list() == ([] if at is None else [placed[at]])


@pytest.mark.parametrize(
    ("text", "kind", "parts", "found"),
    [
        (RAISED, "raise", [50, 50], set()),
        (RAISED, "raise", [50, 60], {"F3_RAISE_AMOUNT"}),
        (RAISED, "raise", [50], {"F3_RAISE_AMOUNT"}),
        (ANTED, "ante", [40, 60], set()),
        (ANTED, "ante", [40, 50], {"F3_LIMIT"}),
    ],
)
def test_78_2008_the_same_of_ante_and_raise(text: str, kind: str, parts: list[int], found: set[str]) -> None:
    laid = text.format(" ".join(f"1.{kind}={amount}" for amount in parts))
    told = replay(laid, "fortune_3_card_poker", "2008-09-01", ante_min="100")
    assert codes(told) == found


NATURAL = "1+Ac B+Ah 1+Kd 1.even_money@p1 1.stand@p1 B+Kc"
FIVE_CARDS = "1+2c B+Th 1+3c 1.hit@p1 1+2d 1.hit@p1 1+3d 1.hit@p1 1+4s 1.five_card_half@p1 B+7c"


@pytest.mark.parametrize(
    ("cards", "due", "found"), [(NATURAL, 5000, {"DECISION_AFTER_FINAL"}), (FIVE_CARDS, 2500, set())]
)
def test_57_2009_art20_a_player_who_adds_to_his_bet_shares_the_seat_with_nobody(
    cards: str, due: int, found: set[str]
) -> None:
    """What he asked for was for the whole of it (BJ-70b, BJ-71), and closes his hand."""
    for bets in ("1.main=50@p1/0 1.main=50@p1/0", "1.main=50@p1/0 nomore 1.main=50@p1/0"):
        told = replay(f"{bets} nomore {cards} end", "black_jack", "2009-06-01", {"BJ-70b": "each"})
        assert [each for each, _ in dues(told, "main")] == [due, due]
        assert not any("BJ-70b" in rulings.split() for rulings in told.wagers["rulings"])
        assert codes(told) - {"WAGER_AFTER_CLOSE"} == found
