"""What a round costs grows with its events, not with their square, whatever nonsense they are: steps are counted, not seconds."""

from __future__ import annotations

import datetime as dt
import gc
import sys
from collections.abc import Callable
from functools import reduce
from types import FrameType
from typing import Any

import pytest

from replayer.contract.cards import Card
from replayer.contract.laid_cards import LaidCard, LaidCards
from replayer.engine import evaluator, first_cards
from replayer.engine.table_in_play import TableInPlay
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.black_jack.outcome import FirstCardsOutcome
from replayer.law.black_jack.seat_state import NEW_SEAT
from schemas.bounds import LAST_HAND
from schemas.cards import DECK
from schemas.notation import parse_events
from tests.law.notation import bank_history, read_seat, round_history, seat_history
from tests.law.rules import rules
from tests.law.states import first_cards_of
from tests.texts import frame_of, replay_frame

MOST = 4.5
"""Four times as much may cost so many times as much; the square would cost sixteen times."""
MEASURED = (
    "replayer.law.",
    *(
        "replayer.engine.shared_seats",
        "replayer.engine.first_cards",
        "replayer.engine.removed_cards",
        "replayer.engine.round_in_play",
        "replayer.engine.shoe_in_play",
        "replayer.engine.table_in_play",
    ),
)
DAY = dt.date(2009, 6, 1)
OPEN = "open:black_jack:MOP:7=0 shuffle:1:hand:6"
CLAIMS = "1.even_money@p{0} 1.insurance@p{0}"
SIDES = "option:even_money=on option:side_any_pair=on option:side_sevens=on option:resplit=yes option:split_max_hands=999999"


def steps(work: Callable[[], object]) -> int:
    """How many instructions of Python a piece of work takes in the modules :data:`MEASURED`."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal count
        if not frame.f_globals["__name__"].startswith(MEASURED):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def cards(word: str, n: int) -> str:
    """A word so many times, each with the next card of a deck in place of ``XX``, or its rank in place of ``X``."""
    return " ".join(word.replace("XX", DECK[7 * i % 52]).replace("X", DECK[7 * i % 52][0]) for i in range(n))


def of_each(word: str, n: int) -> str:
    """A word of each of so many players."""
    return " ".join(word.format(player) for player in range(n))


LAW = rules()


@pytest.mark.parametrize(
    ("of", "history"),
    [
        ("seat", lambda n: f"6 $main +9 +2 {cards('+X', n)} {cards('~X', n)}"),
        ("bank", lambda n: f"hand +6 | {cards('+X', n)} {cards('~X', n)}"),
        ("round", lambda n: f"w:1 nomore {cards('2+', n)} {cards('1+', n)} {cards('2~', n)} end"),
    ],
)
def test_four_times_the_events_of_a_history_take_four_times_the_steps(of: str, history: Callable[[int], str]) -> None:
    read: Any = {"seat": seat_history, "bank": bank_history, "round": round_history}[of]
    ask: Any = {"seat": BLACK_JACK.seat.judge, "bank": BLACK_JACK.bank.judge, "round": BLACK_JACK.round.judge}[of]
    few, many = read(history(50)), read(history(200))
    ask(many, LAW)  # what is learned once is paid here
    assert steps(lambda: ask(many, LAW)) <= MOST * steps(lambda: ask(few, LAW))


class Compared(Card):
    """A card that counts how often such a one is compared."""

    __slots__ = ()
    times = 0

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return Card.__eq__(self, other)

    __hash__ = Card.__hash__


def test_a_card_that_is_turned_is_found_without_a_look_at_the_others() -> None:
    laid = LaidCards()
    for number in range(1, 1_001):
        laid.lay(LaidCard(Compared(*("9x" if number == 1_000 else DECK[number % 52])), number, hidden=True))
    laid.turn(Card(*"9c"), 1_001)  # where each lies is learned once
    Compared.times = 0
    for again in (1_002, 1_003):
        lies = laid.turn(Compared(*"9c"), again)
        assert lies is not None
        assert lies.card == Card(*"9c")
    assert Compared.times < 20


@pytest.mark.parametrize(
    "words",
    [
        # Wagers on first cards that were placed when cards lay, each behind more of these; one is taken back, or named late.
        lambda n: f"#1 1.main=100@p1 nomore 1+7c B+6h 1+7d {cards('1+2c 1.any_pair=5@p1', n)} 1~2c:x end",
        lambda n: f"#1 1.main=100@p1 nomore 1-?? B+6h 1+7d {cards('1-?? 1^XX 1.sevens=5@p2', n)} end",
        # Decisions on a seat on which as many bet.
        lambda n: f"#1 {of_each('1.main=100@p{}/1', n)} nomore 1+2c B+6h 1+3d {of_each('1.hit@p{}', n)} end",
        # Claims of as many bettors, each behind more of what is everybody's: an insurance asked for, a card dealt.
        lambda n: f"#1 {of_each('1.main=9@p{}/1', n)} nomore 1+Ac B+Ah 1+Kd {of_each(CLAIMS, n)} B+Kh end",
        lambda n: f"#1 {of_each('1.main=9@p{}/1', n)} nomore 1-Ac B+Ah 1-Kd {of_each(CLAIMS, n)} 1^Ac 1^Kd B+Kh end",
        lambda n: f"#1 {of_each('1.main=9@p{}/1', n)} nomore 1+Ac B+Ah 1+Kd {of_each('1.even_money@p{} 1+2c', n)} end",
    ],
)
def test_four_times_the_events_of_a_round_take_four_times_the_steps(words: Callable[[int], str]) -> None:
    few, many = (frame_of(f"{OPEN} {SIDES} {words(n)} #- close=0", DAY) for n in (30, 120))
    gc.collect()

    def replay(frame: Any) -> int:
        evaluator._EVALUATORS.clear()  # what was judged before must be judged again, or nothing is measured
        return steps(lambda: replay_frame(frame, DAY))

    replay(few)
    assert replay(many) <= MOST * replay(few)


def taken_in_play(text: str) -> int:
    """The steps of taking in a table's events as they arrive."""
    events, table = list(parse_events(text, gaming_day=DAY)), TableInPlay(BLACK_JACK)
    return steps(lambda: [table.take(event) for event in events])


@pytest.mark.parametrize("words", [lambda n: "1+9c 1~9c " * n, lambda n: "1+9c " * n + "1~9c " * n + "1+9c " * n])
def test_four_times_the_cards_taken_away_in_play_take_four_times_the_steps(words: Callable[[int], str]) -> None:
    few, many = (taken_in_play(f"#1 1.main=100@p1 nomore {words(n)}") for n in (40, 160))
    assert many <= MOST * few


@pytest.mark.parametrize("done", ["!-??", "white!1", "shuffle:2:hand:6"])
def test_what_was_done_to_the_shoe_in_rounds_without_a_card_is_handed_on_at_once(done: str) -> None:
    few, many = (
        taken_in_play("shuffle:1:hand:6 " + " ".join(f"#{number} {done}" for number in range(n))) for n in (40, 160)
    )
    assert many <= MOST * few


def test_a_seat_separated_without_end_keeps_no_more_hands_than_an_event_can_name() -> None:
    """Else each of its states, which tables keep, is as long as its history."""
    law = rules(split_max_hands="999999", resplit="yes")
    state = NEW_SEAT.faces("6")
    for word in ["$main", "+8", "+8"] + [".split", "+8"] * 300:
        after = state.after(read_seat(word), law)
        assert after is not None, "57/2009 art. 16(1): the text sets no bound"
        state = after
    assert (len(state.hands), state.size) == (LAST_HAND + 1, 301)
    judged = BLACK_JACK.seat.judge(seat_history("6 $main +8 +8" + " .split +8" * 300), law)
    assert [breach.code for breach in judged.breaches] == ["SPLIT_NOT_STAKED"] * 300
    assert [breach.position for breach in judged.breaches] == [4 + 2 * number for number in range(300)]
    assert judged.unjudged == "the hand has fewer than two cards on the log"


def test_first_cards_of_a_long_history_leave_no_state_in_the_tables() -> None:
    words = f"#1 1.main=100@p1 1.any_pair=5@p1 nomore 1+8c B+6h 1+8d {cards('1.split 1+8h', 300)} end"
    frame = frame_of(f"{OPEN} {SIDES} {words} #- close=0", DAY)
    first_cards._TABLES.clear()
    replay_frame(frame, DAY)
    assert first_cards._TABLES["black_jack"].transitions.size == 0


def test_first_cards_of_a_seat_say_the_same_by_table_and_by_steps() -> None:
    """Of any pair, whatever the order of hands: where a history is long the one is taken, where it is short the other."""
    for words in ("+8c +8d .split +8h b+9c .split +7c", "+7c +7d .split b+7h +2c", "+2c", "+2c +2d b$split +3c b+3d"):
        machine = reduce(lambda state, word: state.after(read_seat(word)), words.split(), BLACK_JACK.first_cards.new)
        outcome, whole = machine.outcome(), first_cards_of(BLACK_JACK, words)
        assert isinstance(whole, FirstCardsOutcome)
        assert sorted(outcome.pairings) == sorted(whole.pairings), words
        assert (outcome.divided, outcome.surrendered) == (whole.divided, whole.surrendered)
