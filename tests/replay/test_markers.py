"""The streak button as a log tells of it, round after round (57/2009 art. 13(5)(2)(iii))."""

from __future__ import annotations

import datetime as dt
import json

from replayer.verdicts.replay import Replayed
from tests.texts import replay_text

DAY = dt.date(2009, 6, 1)
OPEN = (
    "open:black_jack:MOP:7=0 option:side_streak=on:DICJ-1:2009-05-04:2009-05-20:2009-06-01 dealer+D1"
    " shuffle:1:hand:6 cut:1:player white:1:60 !-?? !-?? !-?? !-?? !-?? !-??"
)
WON = "1+Kc B+6h 1+Qd 1.stand B+Tc B+8d 1.main>+100@p1"
TIED = "1+Kd B+Th 1+Qc 1.stand B+Td 1.main>0@p1"
LOST = "1+9c B+8h 1+7d 1.stand B+Ts 1.main>-100@p1"


def replayed(*rounds: str, end: str = "#- close=0") -> Replayed:
    text = " ".join(
        f"#{number} 1.main=100@p1 {'1.streak_3=10@p1' if number == 1 else ''} nomore {round_}"
        for number, round_ in enumerate(rounds, 1)
    )
    return replay_text(f"{OPEN} {text} {end}", DAY)


def codes(*rounds: str) -> list[tuple[str, int]]:
    return replayed(*rounds).findings.select("code", "round").rows()


def test_a_button_moved_with_each_round_won_and_no_other() -> None:
    end = f"{LOST} 1.streak_3=10>-10@p1 end"
    assert codes(f"{WON} 1*2 end", f"{TIED} end", f"{WON} 1*3 end", end) == []
    assert codes(f"{WON} end", f"{TIED} end", f"{WON} 1*3 end", end) == [("BUTTON_NOT_MOVED", 1)]
    assert codes(f"{WON} 1*2 end", f"{TIED} 1*3 end", f"{WON} 1*3 end", end) == [("BUTTON_MISPLACED", 2)]


def test_bj54_a_void_round_moves_the_button_as_little_as_a_tie() -> None:
    void, end = "1+Kc B+6h B+8d void:misdeal 1.main>0@p1 {} end", f"{LOST} 1.streak_3=10>-10@p1 end"
    assert codes(f"{WON} 1*2 end", void.format(""), f"{WON} 1*3 end", end) == []
    assert codes(f"{WON} 1*2 end", void.format("1*2"), f"{WON} 1*3 end", end) == []
    assert codes(f"{WON} 1*2 end", void.format("1*3"), f"{WON} 1*3 end", end) == [("BUTTON_MISPLACED", 2)]


def test_nothing_is_asked_of_the_button_when_no_streak_runs_on() -> None:
    assert codes(f"{LOST} 1.streak_3=10>-10@p1 1*1 end", f"{WON} end", f"{WON} 1*3 end") == []


def test_a_move_recorded_between_two_rounds_belongs_to_the_first() -> None:
    assert codes(f"{WON} end #- 1*2", f"{LOST} 1.streak_3=10>-10@p1 end") == []


def test_a_streak_that_still_runs_when_the_log_ends_asks_for_its_last_move() -> None:
    findings = replayed(f"{WON} 1*2 end", f"{WON} end", end="").findings
    assert ("BUTTON_NOT_MOVED", 2) in findings.select("code", "round").rows()


def test_a_log_that_never_tells_of_a_move_is_not_checked() -> None:
    judged = replayed(f"{WON} end", f"{WON} end", f"{LOST} 1.streak_3=10>-10@p1 end")
    assert judged.findings.is_empty()
    assert json.loads(judged.table_days["not_checked"][0])["markers"] == 2
