"""A card that the bank got and that was taken away again: it was void (57/2009 art. 5(1)(1)) or another's (5(1)(2)), so that no
right turns on it; and a card of the croupier that lay open by accident, which opens nothing (78/2008 art. 11(2))."""

from __future__ import annotations

import pytest

from replayer.engine.removed_in_rounds import cards_taken_back, of_all_places
from replayer.engine.table_in_play import TableInPlay
from replayer.law.black_jack import GAME
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.verdicts.replay import Replayed
from schemas.notation import parse_events
from tests.law.one_round import codes, dues, replay
from tests.law.rules import rules
from tests.law.test_bj_rounds import SHOE
from tests.texts import frame_of

EXPOSED = "B+7s B~7s:exposed B-??"
"""The hidden card came out face up, was void, and another one was dealt face down."""
FALSE = {
    "EVEN_MONEY_LATE",
    "EVEN_MONEY_REFUSED",
    "WAGER_TOO_LATE",
    "INSURANCE_REFUSED",
    "SURRENDER_LATE",
    "SURRENDER_REFUSED",
}


def due(replayed: Replayed, kind: str = "main") -> tuple[int | None, str]:
    (told,) = dues(replayed, kind)
    return told


def black_jack(text: str, procedure: str, readings: dict[str, str] | None = None) -> Replayed:
    return replay(text, "black_jack", "2009-06-01", readings, deal_procedure=procedure)


@pytest.mark.parametrize(
    ("procedure", "text", "amount", "article"),
    [
        ("3", f"1+Ah B+Kd 1+Kc {EXPOSED} 1.even_money 1.main>+100 B? B^9c", 100_00, "57/2009 art. 10(3)"),
        ("2", "1+Ah B+Kd 1+Kc B+7s B~7s:early 1.even_money 1.main>+100 B+9c", 100_00, "57/2009 art. 10(3)"),
        ("3", f"1+Th B+9d 1+6c {EXPOSED} 1.surrender 1.main>-50 B^Kc", -50_00, "57/2009 art. 18(1)"),
        ("2", "1+Ah B+9d B~9d:misdeal B+Ad 1+Kc 1.even_money 1.main>+100 B+Ks", 100_00, "57/2009 art. 10(3)"),
        ("2", "1+Th B+Ad B~Ad:misdeal B+9d 1+6c 1.surrender 1.main>-50 B+8s", -50_00, "57/2009 art. 18(1)"),
        ("2", "1+9h B+9d B~9d:misdeal B+Ad 1+6c 1.surrender 1.main>-100 B+8s", -100_00, "57/2009 art. 9"),
    ],
)
def test_art5_n1_a_card_that_the_bank_did_not_keep_touches_no_right(
    procedure: str, text: str, amount: int, article: str
) -> None:
    told = black_jack(f"1.main=100 nomore {text} end", procedure)
    assert due(told) == (amount, article)
    refused = {"SURRENDER_REFUSED"} if amount == -100_00 else set()  # its open card is an ace
    assert FALSE & codes(told) == refused


@pytest.mark.parametrize("reading", ["counts", "void"])
@pytest.mark.parametrize(
    "text",
    [
        f"1+Th B+Ad 1+9c {EXPOSED} 1.insurance=50 B?natural B^Kc",
        "1+Th B+9d B~9d:misdeal B+Ad 1+9c 1.insurance=50 1.stand B+Kc",
    ],
)
def test_art12_n1_insurance_after_a_void_card_of_the_bank_came_in_time(text: str, reading: str) -> None:
    procedure = "3" if "B-" in text else "2"
    told = black_jack(f"1.main=100 nomore {text} 1.main>-100 1.insurance>+100 end", procedure, {"X-7": reading})
    assert due(told, "insurance") == (100_00, "57/2009 art. 12(2)")
    assert not FALSE & codes(told)


def test_art10_n3_the_banks_second_card_that_stays_is_known() -> None:
    told = black_jack("1.main=100 nomore 1+Ah B+Kd 1+Kc B+7s 1.even_money 1.main>+150 end", "2")
    assert due(told) == (150_00, "57/2009 art. 10(2)")
    assert "EVEN_MONEY_LATE" in codes(told)


UNSEEN_SURPLUS = "1.main=100 nomore 1+Kc 1+5d B+7c 1.stand B+Td B-?? B~{card}:surplus 1.main>-100 end"
"""The bank has 17 with 7 and the ten of diamonds, takes a card that it does not show, and that card is taken away by its name."""


@pytest.mark.parametrize("card", ["Th", "7s", "9h"])
def test_art6_n1_an_unseen_surplus_card_is_removed_whatever_other_card_has_its_rank(card: str) -> None:
    told = black_jack(UNSEEN_SURPLUS.format(card=card), "2")
    assert due(told) == (-100_00, "57/2009 art. 9")
    assert {"BANK_SURPLUS_CARD", "CARD_TAKEN_AWAY"} & codes(told) == {"BANK_SURPLUS_CARD"}


def test_a_table_in_play_tells_a_surplus_card_from_one_of_its_rank() -> None:
    table = TableInPlay(GAME)
    for event in parse_events(f"{SHOE} #1 {UNSEEN_SURPLUS.format(card='Th')}"):
        table.take(event)
    judged = GAME.bank.judge(table.rounds[1].bank_history("PLAYED"), rules())
    assert [breach.code for breach in judged.breaches] == ["BANK_SURPLUS_CARD"]


def test_a_table_in_play_counts_no_card_that_the_bank_did_not_keep() -> None:
    table, under = TableInPlay(GAME), rules(deal_procedure="3")
    for event in parse_events(f"{SHOE} #1 1.main=100 nomore 1+Ah B+9d B~9d B+Ad 1+Kc {EXPOSED} 1.even_money B? B^9c"):
        table.take(event)
    history = table.rounds[1].seat_history(1)
    assert history.begin == "A"
    assert GAME.seat.judge(history, under).breaches == ()


CARDS = "1.ante=100 nomore 1-?? 1-?? 1-?? B-?? B+Qd B-?? 1^Ah 1^Kh 1^Qs 1.raise 1.raise=100 B^9c B^2d"


@pytest.mark.parametrize("reading", ["counts", "void"])
def test_78_2008_art11_n2_a_raise_is_not_late_for_a_card_of_the_croupier_that_lay_open_by_accident(
    reading: str,
) -> None:
    told = replay(f"{CARDS} 1.ante>+100 1.raise>+100 end", FORTUNE.name, "2008-09-01", {"X-7": reading})
    assert due(told, "raise") == (100_00, "78/2008 art. 9(8)(3)")
    assert codes(told) == {"F3_CARD_EXPOSED"}


def test_78_2008_art9_n4_a_raise_is_late_when_the_croupiers_hand_was_opened() -> None:
    late = CARDS.replace(" 1.raise=100", "").replace("B^2d", "B^2d 1.raise=100")
    told = replay(f"{late} 1.ante>+100 1.raise>+100 end", FORTUNE.name, "2008-09-01")
    assert "F3_RAISE_LATE" in codes(told)


@pytest.mark.parametrize("stray", ["1+3d 1~3d", "2+3d 2~3d", "B+3d B~3d"])
def test_art18_n2_a_card_taken_away_is_no_additional_card(stray: str) -> None:
    cards = f"1+Kc 2+9c B+6h 1+8d 2+7s 1.stand {stray} 2.surrender 2.main>-50 B+Tc B+5d 1.main>-100 end"
    told = black_jack(f"1.main=100 2.main=100 nomore {cards}", "2")
    assert not codes(told)
    kept = black_jack(f"1.main=100 2.main=100 nomore {cards.replace('1.stand', '1.hit 1+2d 1.stand')}", "2")
    assert codes(kept) == {"SURRENDER_LATE"}


@pytest.mark.parametrize("reading", ["counts", "void"])
def test_art12_n1_insurance_after_a_card_taken_away_from_a_seat_came_in_time(reading: str) -> None:
    cards = "1+Th B+Ad 1+8c 2+9h 2+9s 1.stand 1+3d 1~3d 2.insurance=50 2.stand B+Kc"
    told = black_jack(
        f"1.main=100 2.main=100 nomore {cards} 1.main>-100 2.main>-100 2.insurance>+100 end", "2", {"X-7": reading}
    )
    assert due(told, "insurance") == (100_00, "57/2009 art. 12(2)")
    assert not FALSE & codes(told)


@pytest.mark.parametrize("stray", ["1+3d 1~3d", "B+3d B~3d"])
def test_a_table_in_play_counts_no_card_taken_away_as_an_additional_one(stray: str) -> None:
    table = TableInPlay(GAME)
    for event in parse_events(
        f"{SHOE} #1 1.main=100 2.main=100 nomore 1+Kc 2+9c B+6h 1+8d 2+7s 1.stand {stray} 2.surrender"
    ):
        table.take(event)
    assert GAME.seat.judge(table.rounds[1].seat_history(2), rules()).breaches == ()
    for event in parse_events("#1 1+3d", first_seq=100):
        table.take(event)
    for event in parse_events("#1 2.surrender", first_seq=101):
        table.take(event)
    (_, again) = (
        each for each in table.rounds[1].seat_history(2).symbols if getattr(each, "action", "") == "surrender"
    )
    assert again.moment


@pytest.mark.parametrize(
    ("text", "seqs"),
    [
        ("#1 1+3d 1~3d 1.stand", [1]),
        ("#1 1+3d 1.stand 1~3d", []),
        ("#1 1+3d #2 1.stand #1 1~3d", [1]),
        ("#1 1-3d 1^3d 1~3d #2 1+3d 1.main=100 1~3d", [1, 2]),
    ],
    ids=["at once", "after a decision", "a decision in another round", "turned before"],
)
def test_a_card_is_taken_away_at_once_before_anything_is_done_in_its_round(text: str, seqs: list[int]) -> None:
    rows = frame_of(text).with_columns(ri="round")
    assert sorted(cards_taken_back(rows, of_all_places(rows))) == seqs
