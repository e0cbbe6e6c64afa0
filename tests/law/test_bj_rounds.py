"""Black Jack rounds in the notation, cut into histories by the engine and judged: procedure and placing, card by card."""

from __future__ import annotations

import pytest

from replayer.engine.histories import OF_ROUNDS
from replayer.engine.history_rows import histories_of
from replayer.engine.rules_in_force import ReplaySettings
from replayer.law.black_jack import GAME
from replayer.wagers import StakeSituation
from tests.law.rules import rules
from tests.texts import frame_of, replay_text

SHOE = "#- shuffle:1:hand:6 cut:1:player white:1:60 !-?? !-?? !-?? !-?? !-?? !-??"

OPEN = """
#1 1.main=100@p1 3.main=50@p2 1.any_pair=10@p1 nomore
1+Ah 3+9c B+Ad 1+Kd 3+2c 3.insurance 3.insurance=25@p2 1.even_money 1.main>+100
3.double 3.double=50@p2 3+Tc B+5d B+6d 3.main>-50 3.double>-50 3.insurance>-25 1.any_pair>-10 end
"""
"""Procedure 2: insurance at seat 3 before even money at seat 1, then play from the left."""

SECOND = """
#2 !-?? 1.main=100@p1 3.main=50@p2 nomore
1+8h 3+9c B+6d 1+8d 3+2c 3.surrender 3.main>-25
1.split 1b.split=100@p1 1+3c 1.hit 1+9d 1.stand 1b+Tc 1b.stand !-?? B+Td B+2d 1.main>+100 1b.split>0 end
"""
"""A following round with both later burns; seat 3 surrenders before seat 1 plays."""

HOLE = """
#3 1.main=100@p1 2.main=100@p2 nomore
1+Th 2+9c B+Kd 1+8d 2+2c B-?? B? 1.stand 2.hit 2+5c 2.hit 2+5d B^7c 1.main>+100 2.main>+100 end
"""
"""Procedure 3."""

HIDDEN = """
#4 1.main=100@p1 2.main=100@p2 nomore
1-?? 2-?? B+9d 1-?? 2-?? 1.stand 2.hit 2-?? 2.stand B+Td 1^Th 1^9c 2^5h 2^6h 2^7h 1.main>0 2.main>-100 end
"""
"""Procedure 1: the players' cards are opened when the bank has played."""


def found(text: str, **elected: str) -> list[str]:
    """Codes of what the rounds' procedure and the placing of their wagers break, round by round."""
    histories = histories_of(frame_of(text), GAME)
    under = rules(**{"side_any_pair": "on"} | elected)
    told = histories.build(OF_ROUNDS, histories.rounds["ri"], GAME)
    codes = [b.code for history in told for b in GAME.round.judge(history, under).breaches]
    mains = {(w["ri"], w["seat"]): w["stake_minor"] for w in histories.wagers.rows(named=True) if w["kind"] == "main"}
    for wager in histories.wagers.rows(named=True):
        base = mains.get((wager["ri"], wager["seat"]))
        placed = StakeSituation(
            wager["kind"], wager["hand"], wager["moment"], wager["stake_minor"], base, wager["position"]
        )
        codes += [b.code for b in GAME.placing.judge(placed, under).breaches]
    return codes


def test_regular_rounds_of_each_procedure():
    assert found(SHOE + OPEN) == []
    assert found(SHOE + OPEN + SECOND, burn_later="round_start_and_bank_second") == []
    assert found(SHOE + HOLE, deal_procedure="3") == []
    assert found(SHOE + HIDDEN, deal_procedure="1") == []


def test_a_wager_after_the_first_card():
    late = OPEN.replace("1+Ah", "1+Ah 1.any_pair=10@p1")
    assert found(SHOE + late) == ["WAGER_AFTER_CLOSE"]


def test_seat_3_plays_before_seat_1():
    turned = HOLE.replace("1.stand 2.hit 2+5c 2.hit 2+5d", "2.hit 2+5c 2.hit 2+5d 1.stand")
    assert found(SHOE + turned, deal_procedure="3") == ["DECISION_ORDER"]


def test_the_banks_second_card_before_seat_3_has_doubled():
    early = OPEN.replace(" B+5d", "").replace("3.double ", "B+5d 3.double ")
    assert sorted(found(SHOE + early)) == ["BANK_SECOND_CARD_EARLY", "WAGER_TOO_LATE"]


def test_a_forgotten_burn_and_a_shoe_that_goes_on_after_the_white_card():
    forgotten = SHOE.removesuffix(" !-??") + OPEN
    assert found(forgotten) == ["BURN_MISSING"]
    white = SHOE + OPEN.replace("B+5d", "white!1 B+5d") + SECOND
    assert found(white, burn_later="round_start_and_bank_second") == ["ROUND_AFTER_WHITE_CARD"]
    between = SHOE + OPEN + "#- white!1" + SECOND
    assert found(between, burn_later="round_start_and_bank_second") == []


def test_a_new_shuffle_after_the_white_card():
    text = SHOE + OPEN.replace("B+5d", "white!1 B+5d") + SHOE.replace(":1:", ":2:") + HOLE.replace("B-??", "")
    assert "ROUND_AFTER_WHITE_CARD" not in found(text)


# Whole table-days

GRANTED = "2009-05-04:2009-05-20:2009-06-01"
TABLE = (
    f"open:black_jack:MOP:7=0 option:side_streak=on:R1:{GRANTED} option:side_any_pair=on:R2:{GRANTED} "
    f"option:side_sevens=on:R3:{GRANTED}"
)


def _round(number: int, player: str, bank: str, wagers: str = "", settled: str = "", net: int = 0) -> str:
    """Seat 1 stands on two cards against two cards of the bank."""
    (first, second), (up, other) = player.split(), bank.split()
    return (
        f"#{number} 1.main=100@p1 {wagers} nomore 1+{first} B+{up} 1+{second} 1.stand B+{other}"
        f" 1.main>{net:+}@p1 {settled} end "
    )


WON = {"player": "Th 9d", "bank": "Tc 7d", "net": 100}
LOST = {"player": "Th 7d", "bank": "Tc 9d", "net": -100}
TIED = {"player": "Th 9d", "bank": "Tc 9s", "net": 0}


def _replay(text: str, **readings: str):
    settings = ReplaySettings(readings={name.replace("_", "-"): reading for name, reading in readings.items()})
    made = replay_text(f"{TABLE} {SHOE} {text} #- close=0", settings=settings)
    wagers = {(w["round"], w["wager"]): w for w in made.wagers.rows(named=True)}
    return wagers, made.findings["code"].to_list()


def test_a_streak_is_followed_from_round_to_round():
    text = (
        _round(1, **WON, wagers="1.streak_3=10@p1 1.streak_2=10@p1")
        + _round(2, **TIED)
        + _round(3, **WON, settled="1.streak_2=10>+30@p1")
        + _round(4, **LOST, settled="1.streak_3=10>-10@p1")
    )
    wagers, codes = _replay(text)
    assert wagers[1, "streak_2"]["due_minor"] == 3000
    assert wagers[1, "streak_3"]["due_minor"] == -1000
    assert {wagers[1, kind]["delta_minor"] for kind in ("streak_2", "streak_3")} == {0}
    assert codes == []


def test_a_streak_left_alone_is_lost_and_one_added_is_found():
    text = _round(1, **WON, wagers="1.streak_3=10@p1") + _round(
        2, **WON, wagers="1.streak_2=10@p1", settled="1.streak_3=10>+0@p1"
    )
    wagers, codes = _replay(text)
    assert "STREAK_ADDED" in codes
    assert "STREAK_ADDED" not in _replay(text, BJ_52="yes")[1]
    assert wagers[1, "streak_3"]["due_minor"] == 0  # the table closed


def test_bj37_two_kinds_of_additional_wagers():
    text = _round(1, **WON, wagers="1.any_pair=10@p1 1.sevens=10@p1", settled="1.any_pair=10>-10@p1 1.sevens=10>-10@p1")
    assert _replay(text)[1] == ["SIDE_WAGERS_TOGETHER"]
    assert _replay(text, BJ_37="free")[1] == []


def test_a_streaks_due_names_the_rulings_of_its_rounds():
    split = (
        "#1 1.main=100@p1 1.streak_2=10@p1 nomore 1+8h B+Tc 1+8d 1.split 1b.split=100@p1 1+Ah 1.stand 1b+Th 1b.stand "
        "B+8c 1.main>+100@p1 1b.split>0@p1 end "
    )
    text = split + _round(2, **WON, settled="1.streak_2=10>+30@p1")
    wagers, codes = _replay(text)
    assert codes == []
    assert "BJ-47" in wagers[1, "streak_2"]["rulings"].split()
    assert _replay(text, BJ_47="strict_majority")[0][1, "streak_2"]["due_minor"] == 0


def _on(number: int, seats: dict[int, str], player: str = "p1", wagers: str = "", settled: str = "") -> str:
    """A player stands on 19 on the seats where he is to win, on 17 where he is to lose; the bank has 18."""
    hands = {seat: ("Th", "9d" if result == "W" else "7d") for seat, result in seats.items()}
    return " ".join(
        [
            f"#{number}",
            *(f"{seat}.main=100@{player}" for seat in seats),
            wagers,
            "nomore",
            *(f"{seat}+{first}" for seat, (first, _) in hands.items()),
            "B+8c",
            *(f"{seat}+{second}" for seat, (_, second) in hands.items()),
            *(f"{seat}.stand" for seat in seats),
            "B+Tc",
            *(f"{seat}.main>{'+' if result == 'W' else '-'}100@{player}" for seat, result in seats.items()),
            settled,
            "end ",
        ]
    )


STREAK = {"wagers": "1.streak_3=10@p1"}
MOVED = _on(1, {1: "W"}, **STREAK) + _on(2, {4: "W"}) + _on(3, {2: "W"}, settled="1.streak_3=10>+80@p1")


def test_bj46_a_player_is_followed_to_his_new_seats():
    wagers, codes = _replay(MOVED, BJ_46="player")
    assert (wagers[1, "streak_3"]["due_minor"], wagers[1, "streak_3"]["delta_minor"], codes) == (8000, 0, [])
    assert "BJ-46" in wagers[1, "streak_3"]["rulings"].split()
    wagers, codes = _replay(MOVED)
    assert wagers[1, "streak_3"]["due_minor"] == -1000
    assert "STREAK_ABANDONED" in codes
    assert "BJ-46" in wagers[1, "streak_3"]["rulings"].split()


@pytest.mark.parametrize(
    ("third", "due"),
    [
        ({1: "W"}, 8000),  # back at the first seat
        ({1: "L"}, -1000),
        ({1: "L", 4: "W"}, 8000),  # still at the fourth seat, with a bet on the first one beside
        ({1: "W", 4: "L"}, -1000),
    ],
)
def test_bj46_he_is_followed_back_and_while_he_stays_his_seat_counts(third, due):
    wagers, _ = _replay(_on(1, {1: "W"}, **STREAK) + _on(2, {4: "W"}) + _on(3, third), BJ_46="player")
    assert wagers[1, "streak_3"]["due_minor"] == due


@pytest.mark.parametrize("player", ["p1", ""])
def test_bj46_where_the_log_does_not_tell_his_seat_nothing_is_due_nor_guessed(player):
    start = _on(1, {1: "W"}, player=player, wagers=f"1.streak_3=10@{player}").replace("@ ", " ")
    second = _on(2, {4: "W", 5: "W"} if player else {4: "W"}, player=player).replace("@ ", " ")
    wagers, _ = _replay(start + second, BJ_46="player")
    assert (wagers[1, "streak_3"]["due_minor"], wagers[1, "streak_3"]["status"]) == (None, "unjudged")
    assert "away from the seat" in wagers[1, "streak_3"]["reason"]
    assert _replay(start + second)[0][1, "streak_3"]["due_minor"] == -1000
