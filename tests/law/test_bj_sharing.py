"""Black Jack: what who claims for himself on a shared seat is due (57/2009 art. 20), beside ``rounds/sharing.txt``."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence

import pytest

from replayer.log.columns import TableDay
from replayer.verdicts.replay import Replayed, replay_table_days
from tests.texts import table_day_of

DAY = dt.date(2009, 6, 1)


@pytest.mark.parametrize(
    "cards", ["1+Ac B+{up} 1+Kd", "1-Ac B+{up} 1-Kd", "1+Ac B+{up} 1+5d", "1-7c B+{up} 1-7d 1^7c 1-7h 1^7h"]
)
@pytest.mark.parametrize("up", ["Ah", "9h"])
def test_bj71_who_claims_for_himself_is_due_what_he_would_be_due_alone(cards: str, up: str) -> None:
    """Whatever the others claim before him and behind him, and whatever rule they break."""
    dice, bettors = random.Random(cards + up), ("a", "b", "c", "d")
    common = ["1.hit", "1+2c", "1+3c", "1.insurance", "1.stand", "1-4s", "1.{no, thank you}"]
    rounds: list[list[tuple[str, str]]] = []
    for _ in range(4):
        played: list[tuple[str, str]] = []
        for _ in range(dice.randint(4, 9)):
            claim = f"1.{dice.choice(['even_money', 'special_prize', 'decline_special_prize'])}"
            played.append((dice.choice(bettors), claim) if dice.random() < 0.6 else ("", dice.choice(common)))
        rounds.append(played)

    def told(of: Sequence[str], played: Sequence[tuple[str, str]]) -> TableDay:
        """The round with some of the bettors, where no other one is there."""
        bets = " ".join(f"1.main=100@{one}/{number}" for number, one in enumerate(of))
        acts = " ".join(f"{act}@{by}" if by else act for by, act in played if not by or by in of)
        text = f"{bets} nomore {cards.format(up=up)} {acts} B+Th end"
        words = f"open:black_jack:MOP:7=0 {CHOSEN} shuffle:1:machine:6 #1 {text} #- close=0"
        return table_day_of(words, DAY)

    there = [[bettors, *((one,) for one in sorted({by for by, _ in played if by}))] for played in rounds]
    judged = iter(
        replay_table_days([told(of, played) for of_all, played in zip(there, rounds, strict=True) for of in of_all])
    )
    for (_, *claimed), played in zip(there, rounds, strict=True):
        of_hands = due_of(next(judged))
        for (one,) in claimed:
            assert due_of(next(judged))[one] == of_hands[one], (played, one)


def due_of(day: Replayed) -> dict[str, tuple[int | None, str | None]]:
    """What each bettor is due, or why it is not told."""
    return {player: (due, why) for player, due, why in day.wagers.select("player", "due_minor", "reason").rows()}


CHOSEN = "option:even_money=yes option:special_prizes=yes"
