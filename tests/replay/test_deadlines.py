"""What must be done at once, and in which order: prizes, Pair Plus, hands over 21, as the log's order tells it."""

from __future__ import annotations

import datetime as dt

from replayer.engine.rules_in_force import ReplaySettings
from replayer.verdicts.replay import Replayed
from tests.texts import replay_text

DAY = dt.date(2009, 6, 1)
DAY_2008 = dt.date(2008, 9, 1)
OPEN = "open:black_jack:MOP:7=0 dealer+D1 shuffle:1:hand:6 cut:1:player white:1:60 !-?? !-?? !-?? !-?? !-?? !-??"
OPEN_P1 = OPEN.replace(" dealer", " option:deal_procedure=1:DICJ-1:2009-05-04:2009-05-20:2009-06-01 dealer")
FORTUNE = "open:fortune_3_card_poker:MOP:7=0 dealer+D1 shuffle:1:machine:1"
CLOSE = "#- close=0"


def replayed(text: str, day: dt.date, **readings: str) -> Replayed:
    settings = ReplaySettings(readings={name.replace("_", "-"): value for name, value in readings.items()})
    return replay_text(text, day, settings)


def codes(text: str, day: dt.date = DAY, **readings: str) -> list[str]:
    return [code for code in replayed(text, day, **readings).findings["code"] if code != "LAW_TEXT_UNVERIFIED"]


def prize(rest: str, opening: str = OPEN) -> str:
    return f"{opening} #1 1.main=100@p1 2.main=100@p2 nomore 1+6c 2+Kd B+6h 1+7c 2+9s 1.hit 1+8c {rest} end {CLOSE}"


def test_art15_a_prize_is_paid_before_the_next_seat_acts() -> None:
    assert codes(prize("1.main>+300@p1 2.stand B+Td B+5s 2.main>-100@p2")) == []
    assert codes(prize("2.stand 1.main>+300@p1 B+Td B+5s 2.main>-100@p2")) == ["PRIZE_LATE"]
    assert codes(prize("2.stand B+Td B+5s 2.main>-100@p2 1.main>+300@p1")) == ["PRIZE_LATE"]
    unasked = codes(prize("2+2h 1.main>+300@p1 B+Td B+5s 2.main>0@p2"))
    assert unasked == ["CARD_NOT_ASKED", "PRIZE_LATE"], "play goes on with a card too"


def test_art15_a_prize_beside_the_win_waits_for_the_bank() -> None:
    assert codes(prize("2.stand B+Td B+4s 1.main>+400@p1 2.main>-100@p2"), BJ_55="additional") == []


def test_art15_a_prize_of_a_log_without_order_is_not_held_to_it() -> None:
    unordered = OPEN.replace(" dealer", " option:not_recorded=deal_order dealer")
    assert codes(prize("2.stand B+Td B+5s 2.main>-100@p2 1.main>+300@p1", unordered)) == []


def test_a_result_of_a_log_without_order_is_not_held_to_the_bank() -> None:
    early = "#1 1.main=100@p1 nomore 1+6c B+6h 1+Kd 1.stand 1.main>-100@p1 B+Td B+5s end"
    assert codes(f"{OPEN} {early} {CLOSE}") == ["PAID_BEFORE_RESULT"]
    unordered = OPEN.replace(" dealer", " option:not_recorded=deal_order dealer")
    assert codes(f"{unordered} {early} {CLOSE}") == []


def test_a_bust_is_collected_when_the_card_lies_there_that_made_it_one() -> None:
    early = "#1 1.main=100@p1 nomore 1+Kc B+6h 1+Qd 1.hit 1.main>-100@p1 1+5d B+Td B+5d end"
    assert codes(f"{OPEN} {early} {CLOSE}") == ["PAID_BEFORE_RESULT"]
    unordered = OPEN.replace(" dealer", " option:not_recorded=deal_order dealer")
    assert codes(f"{unordered} {early} {CLOSE}") == []
    surplus = "#1 1.main=100@p1 nomore 1+Kc B+6h 1+Qd 1.hit 1+5d 1.main>-100@p1 1+2d B+Td B+5d end"
    assert codes(f"{OPEN} {surplus} {CLOSE}") == ["CARD_NOT_ASKED"], "a card that nobody may ask for ends nothing"


def test_a_breach_before_a_settlement_does_not_hide_that_it_came_before_its_card() -> None:
    """Art. 7(2): collected on 20, which the card to come made 25. Only what follows the settlement may be a breach itself."""
    for before, found in (("1.wave", "DECISION_UNKNOWN"), ("1.hit@p2", "DECISION_OF_ANOTHER"), ("1^2s", "CARD_ABSENT")):
        asked = before if "hit" in before else f"{before} 1.hit@p1"
        early = f"2.main=100@p2 nomore 1+Kc 2+9h B+6h 1+Qd 2+9s {asked} 1.main>-100@p1 1+5d 2.stand B+Td B+5d"
        given = codes(f"{OPEN} #1 1.main=100@p1 {early} 2.main>-100@p2 end {CLOSE}")
        assert given == [found, "PAID_BEFORE_RESULT"]


def test_a_breach_at_the_other_hand_of_a_pair_does_not_hide_that_a_settlement_came_before_a_card() -> None:
    split = "1+8c B+6h 1+8d 1.split@p1 1b.split=100@p1 1+Ts 1b+9s 1.hit@p1 1.main>-100@p1 1+Kd 1b.wave 1b.stand@p1 B+Td B+5s"
    given = codes(f"{OPEN} #1 1.main=100@p1 nomore {split} 1b.split>-100@p1 end {CLOSE}")
    assert given == ["PAID_BEFORE_RESULT", "DECISION_UNKNOWN"]


def test_a_stand_on_a_hand_that_is_paid_changes_nothing() -> None:
    for hand in ("1+Ac B+6h 1+Kd 1.main>+150@p1", "1+7c B+6h 1+7d 1.hit 1+7s 1.main>+300@p1"):
        assert codes(f"{OPEN} #1 1.main=100@p1 nomore {hand} 1.stand B+Td B+5d end {CLOSE}") == []


def test_a_wager_taken_back_before_the_cards_is_not_settled_before_its_result() -> None:
    back = "#1 1.main=100@p1 2.main=100@p2 1.main>0@p1 nomore 2+6c B+6h 2+Kd 2.stand B+Td B+5s 2.main>-100@p2 end"
    assert "PAID_BEFORE_RESULT" not in codes(f"{OPEN} {back} {CLOSE}")


def test_art15_both_stakes_of_a_doubled_hand_are_paid_at_once() -> None:
    doubled = f"{OPEN} #1 1.main=100 2.main=100 nomore 1+6c 2+Kd B+6h 1+7c 2+9s 1.double 1.double=100 1+8c"
    late = f"{doubled} 1.main>+300 2.stand B+Td B+5s 1.double>+300 2.main>-100 end {CLOSE}"
    found = replayed(late, DAY).findings
    assert found.select("code", "seat", "seq").rows() == [("PRIZE_LATE", 1, 27)]


def fortune(settled: str, decided: str = "1.raise@p1 1.raise=100@p1", paid_first: str = "") -> str:
    cards = "1-Kc 1-9d 1-4h B-Qc B-8d B-3s"
    bets = "1.ante=100@p1 1.pair_plus=50@p1 nomore"
    return f"{FORTUNE} #1 {bets} {cards} {paid_first} {decided} B^Qc B^8d B^3s {settled} end {CLOSE}"


def test_78_2008_art9_n1_pair_plus_is_settled_first() -> None:
    assert codes(fortune("1.pair_plus>-50@p1 1.ante>+100@p1 1.raise>+100@p1"), DAY_2008) == []
    assert codes(fortune("1.ante>+100@p1 1.raise>+100@p1", paid_first="1.pair_plus>-50@p1"), DAY_2008) == []
    for settled in (
        "1.ante>+100@p1 1.pair_plus>-50@p1 1.raise>+100@p1",
        "1.raise>+100@p1 1.pair_plus>-50@p1 1.ante>+100@p1",
    ):
        assert codes(fortune(settled), DAY_2008) == ["F3_PAIR_PLUS_LATE"]


def test_97_2008_does_not_say_when_pair_plus_is_settled() -> None:
    assert codes(fortune("1.ante>+100@p1 1.pair_plus>-50@p1 1.raise>+100@p1"), dt.date(2009, 1, 5)) == []


def bust(after: str, end: str) -> str:
    dealt = "1-Kc 2-Kd B+6h 1-6c 2-9s 1.hit 1+8c"
    settled = "1.main>-100@p1 2.main>-100@p2"
    return f"{OPEN_P1} #1 1.main=100@p1 2.main=100@p2 nomore {dealt} {after} B+Td B+5s {end} {settled} end {CLOSE}"


def test_art6_n2_a_bust_is_shown_before_the_next_seat_acts() -> None:
    assert codes(bust("1^Kc 1^6c 2.stand", "2^Kd 2^9s")) == []
    assert codes(bust("2.stand 1^Kc 1^6c", "2^Kd 2^9s")) == ["BUST_NOT_SHOWN"]
    assert codes(bust("2.stand", "1^Kc 1^6c 2^Kd 2^9s")) == ["BUST_NOT_SHOWN"]
    assert codes(bust("2.stand", "2^Kd 2^9s")) == ["BUST_NOT_SHOWN"]


def test_art6_n2_is_not_checked_on_a_log_without_any_card_turned() -> None:
    judged = replayed(bust("2.stand", ""), DAY)
    assert judged.findings.is_empty()
    assert '"turns": 1' in judged.table_days["not_checked"][0]
