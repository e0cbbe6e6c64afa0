"""Stories told alike: the same for rounds that no rule can tell apart, and judged as the true ones are."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from replayer.columns import columns_of
from replayer.engine.cut import cut
from replayer.engine.stories import Stories
from replayer.game import HAND_AWAITED, NOT_AWAITED, Game, Judgement, Rules
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.symbols import Story
from replayer.verdicts.replay import replay_table_day
from schemas.notation import parse_events
from tests.law.words import written
from tests.oracle import fortune_3_card_poker
from tests.oracle.compare import DAY, DEFAULTS, UNLAWFUL, judge_of, judge_under, some_round
from tests.oracle.rounds import deal_notation, notation, some_deal
from tests.shares import few


def stories_of(game: Game, *rounds: str) -> Stories:
    return cut(columns_of(parse_events("\n".join(rounds), gaming_day=DAY)), game)


def told(stories: Stories, game: Game) -> tuple[list[str], ...]:
    """All that a judge is asked."""
    return tuple(list(map(written, stories.canonically(of, keys, game))) for of, keys in keys_of(stories).items())


def truly(stories: Stories, game: Game) -> tuple[list[str], ...]:
    return tuple(list(map(written, stories.truly(of, keys, game))) for of, keys in keys_of(stories).items())


def keys_of(stories: Stories) -> dict[str, pl.Series]:
    ris = stories.rounds["ri"]
    return {"seat": stories.seat_keys, "bank": ris, "round": ris}


def test_ten_values_suits_order_and_seats_of_black_jack_are_told_alike() -> None:
    one = "#1 1.main=100@p1 4.main=100@p2 nomore 1+Kc 4+9d B+6h 1+5c 4+Jd 1.hit 1+Kd 1.stand 4.stand B+Qs B+2s end"
    other = "#1 2.main=100@p1 3.main=100@p2 nomore 2+5s 3+Qs B+6c 2+Th 3+9h 2.hit 2+Tc 2.stand 3.stand B+Td B+2d end"
    assert told(stories_of(BLACK_JACK, one), BLACK_JACK) == told(stories_of(BLACK_JACK, other), BLACK_JACK)
    assert truly(stories_of(BLACK_JACK, one), BLACK_JACK) == (
        ["x $main +Kc +5c .hit +Kd .stand", "x $main +9d +Jd .stand"],
        ["live +6 | +Q +2"],
        ["w:1,4 unshuffled nomore 1+ 4+ B+ 1+ 4+ 1. 4. B+ end"],
    )


def test_a_king_and_a_queen_are_not_told_as_a_pair() -> None:
    kings, mixed = (f"#1 1.main=100@p1 nomore 1+Kc B+6h 1+{card} 1.stand B+Ts B+2s end" for card in ("Kd", "Qd"))
    assert told(stories_of(BLACK_JACK, kings), BLACK_JACK) != told(stories_of(BLACK_JACK, mixed), BLACK_JACK)


def test_the_bank_of_black_jack_keeps_the_order_of_its_draws() -> None:
    one, other = (f"#1 1.main=100@p1 nomore 1+9c B+6h 1+8c 1.stand B+{a}c B+{b}c end" for a, b in ("5T", "T5"))
    assert told(stories_of(BLACK_JACK, one), BLACK_JACK) != told(stories_of(BLACK_JACK, other), BLACK_JACK)


def test_suits_and_order_of_fortune_poker_are_told_alike_but_not_whether_they_match() -> None:
    def deal(player: str, croupier: str) -> str:
        def cards(place: str, sign: str, held: str) -> str:
            return " ".join(f"{place}{sign}{card}" for card in held.split())

        dealt = f"{cards('1', '-', player)} {cards('B', '-', croupier)}"
        played = f"1.raise 1.raise=100@p1 {cards('B', '^', croupier)}"
        return f"#1 shuffle:1:machine:1 1.ante=100@p1 nomore {dealt} {played} end"

    flush = told(stories_of(FORTUNE, deal("Kc 7c 2c", "Ad 9h 3s")), FORTUNE)
    assert flush == told(stories_of(FORTUNE, deal("2h Kh 7h", "3c As 9d")), FORTUNE)
    assert flush != told(stories_of(FORTUNE, deal("2h Kh 7s", "3c As 9d")), FORTUNE)


def test_a_seat_above_those_of_the_table_keeps_its_number() -> None:
    deal = "#1 shuffle:1:machine:1 {0}.ante=100@p1 nomore {0}-Kc {0}-7c {0}-2c B-?? B-?? B-?? end"
    assert (
        told(stories_of(FORTUNE, deal.format(3)), FORTUNE)[2] == told(stories_of(FORTUNE, deal.format(5)), FORTUNE)[2]
    )
    assert "w:8" in told(stories_of(FORTUNE, deal.format(8)), FORTUNE)[2][0]


def test_a_king_turned_where_a_queen_lay_is_found_at_its_own_name() -> None:
    text = "open:black_jack:MOP:7=0\n#1 1.main=100@p1 nomore 1-Kc B+6h 1-9c 1.stand B+Ts B+2s 1^Qc 1^9c end\n#- close=0"
    found = replay_table_day(columns_of(parse_events(text, gaming_day=DAY)), "T1", DAY).findings
    assert found.filter(pl.col("code") == "CARD_ABSENT")["message"].to_list() == ["Qc was turned, the hand has none"]


# Judged alike


def asked(question: Callable[[Any, Rules], Judgement], story: Story, rules: Rules) -> tuple[Judgement, set[str]]:
    """The answer without its steps, which may name other cards, and the rulings asked for."""
    with rules.readings.asked() as rulings:
        return replace(question(story, rules), steps=()), set(rulings)


def assert_judged_alike(stories: Stories, game: Game, rules: Rules) -> int:
    """Where nothing is found in a story told alike, the true one is judged the same; gives how many were."""
    same = 0
    for of, keys in keys_of(stories).items():
        question = {"seat": game.judge_seat, "bank": game.judge_bank, "round": game.judge_round}[of]
        for alike, true in zip(stories.canonically(of, keys, game), stories.truly(of, keys, game), strict=True):
            for state in (HAND_AWAITED, NOT_AWAITED) if of == "bank" else (None,):
                ours, theirs = (story._replace(begin=state or story.begin) for story in (alike, true))
                answer, rulings = asked(question, ours, rules)
                if not answer.needs_suits and not answer.breaches:
                    assert (answer, rulings) == asked(question, theirs, rules), f"{ours} | {theirs}"
                    same += 1
    return same


@pytest.mark.parametrize("seed", few(range(40), 10))
def test_black_jack_is_judged_as_it_truly_was(seed: int) -> None:
    dice = random.Random(seed)
    rounds = [some_round(dice, unlawful=number % 2 * UNLAWFUL) for number in range(25)]
    same = 0
    for number, made in enumerate(rounds, 1):
        judge = judge_of(made.house)
        same += assert_judged_alike(stories_of(BLACK_JACK, notation(made, number)), BLACK_JACK, judge.rules)
    assert same > len(rounds)


@pytest.mark.parametrize("version", [fortune_3_card_poker.V78, fortune_3_card_poker.V97])
def test_fortune_poker_is_judged_as_it_truly_was(version: str) -> None:
    dice, rules = random.Random(9), judge_under(FORTUNE, version, (), DEFAULTS).rules
    deals = [some_deal(dice, undecided=0.05, miscounted=0.02) for _ in range(300)]
    texts = [deal_notation(made, number) for number, made in enumerate(deals, 1)]
    assert assert_judged_alike(stories_of(FORTUNE, *texts), FORTUNE, rules) > len(deals)
