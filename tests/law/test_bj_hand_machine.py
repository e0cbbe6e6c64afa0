"""A player's hand as a machine: all that it can come to is enumerated and counted, and reaches every code that it can give."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

import pytest

from replayer.contract.cards import UNNAMED, Card
from replayer.contract.machine import Violation, Violations
from replayer.contract.symbols import ADDITIONAL_CARD, BANK_OPEN, DOWN, Dealt, Decided, Staked, Turned
from replayer.law.black_jack import play
from replayer.law.black_jack.hand import NOTHING_TO_SHOW, Action, Cards, Hand, Seat, Showing, cards_of
from replayer.law.black_jack.points import CalledTotal
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.seat_state import SeatState
from replayer.law.black_jack.settlement import DOUBLE, SPLIT
from tests.law.notation import cards, read_seat
from tests.law.reachable import Reached, reached
from tests.law.rules import VERSIONS, rules

State = TypeVar("State", Hand, Showing)


class Counts(NamedTuple):
    """How many states there are, how many of their steps lead elsewhere, and every code on the way or at the end."""

    states: int
    steps: int
    codes: frozenset[str]


def explored(
    start: State,
    after: Callable[[State], Iterable[tuple[State, Violations]]],
    at_end: Callable[[State], Iterable[Violation]],
) -> Counts:
    """All that comes of any events without a violation, and of one violation more, after which nothing else happens."""
    seen, waiting, steps, codes = {start: True}, deque([start]), 0, set[str]()
    while waiting:
        state = waiting.popleft()
        following: dict[State, bool] = {}
        for each, violations in after(state):
            codes |= {found.code for found in violations}
            following[each] = following.get(each, False) or not violations
        steps += len(following)
        for each, kept in following.items():
            if kept and not seen.get(each):
                waiting.append(each)
            seen[each] = seen.get(each, False) or kept
    for state in seen:
        codes |= {found.code for found in at_end(state)}
    return Counts(len(seen), steps, frozenset(codes))


FIRST = Seat("T", bettors=1)
LATER = Seat("A", beyond=8, bettors=2, played=True)
MOMENTS = {
    Action.SURRENDER: (0, ADDITIONAL_CARD, BANK_OPEN),
    Action.EVEN_MONEY: (0, BANK_OPEN),
    Action.FIVE_CARD_HALF: (0, BANK_OPEN),
}


def played_lawfully(law: Rules, ranks: str) -> Counts:
    """What becomes of a hand that is dealt ``ranks``, of which only what is open to it is decided."""

    def after(hand: Hand) -> Iterator[tuple[Hand, Violations]]:
        if hand.asked or hand.cards.size < 2:
            for rank in ranks:
                yield play.deal(hand, Card(rank), law, played=hand.split)
        for action in play.open_to(hand, FIRST, law):
            yield from decided(hand, action, 0, FIRST, law)

    return explored(Hand(), after, lambda hand: ())


def after_anything(hand: Hand, law: Rules, ranks: str) -> Iterator[tuple[Hand, Violations]]:
    """What becomes of a hand by one event, whatever it is, of those that bring a card one of ``ranks``."""
    for rank in ranks:
        yield play.deal(hand, Card(rank), law, played=hand.acted or hand.split, down=hand.acted)
    for total in {hand.cards.hard, 99}:
        yield play.announce(hand, total, law)
    if not hand.double_staked:
        yield play.stake(hand, DOUBLE, law)
    if not hand.split_staked and hand.split:
        yield play.stake(hand, SPLIT, law)
    for action in Action:
        for seat in (FIRST, LATER):
            for moment in MOMENTS.get(action, (0,)):
                yield from decided(hand, action, moment, seat, law)


def missing(hand: Hand, law: Rules) -> Iterator[Violation]:
    """What is found where a hand ends."""
    finished, violations, if_bank_played = play.finish(hand, LATER, law, first=not hand.split, all_open=True)
    yield from violations
    yield from () if if_bank_played is None else (if_bank_played,)
    yield from law.regulation.special_prize.of_hand(finished, law)[1]


def played_as_may_be(law: Rules, ranks: str) -> Counts:
    """What becomes of a hand that is dealt ``ranks`` and to which anything happens, up to one violation."""
    return explored(Hand(), lambda hand: after_anything(hand, law, ranks), lambda hand: missing(hand, law))


def played_in_any_way(law: Rules, ranks: str) -> Reached:
    """What becomes of a hand that is dealt ``ranks`` and to which anything happens, whatever was violated before."""
    return reached([Hand()], lambda hand: after_anything(hand, law, ranks), lambda hand: missing(hand, law))


def decided(hand: Hand, action: Action, moment: int, seat: Seat, law: Rules) -> Iterator[tuple[Hand, Violations]]:
    """A hand after a decision; both hands that a split makes of it."""
    after, violations = play.decide(hand, action, moment, seat, law, all_open=True)
    for each in after.separated() if action is Action.SPLIT else (after,):
        yield each, violations


BY_EVERY_TEXT = {
    "CARD_NOT_ASKED", "CARD_NOT_GIVEN", "DECISION_AFTER_FINAL", "DECISION_MISSING", "DECISION_UNKNOWN", "DOUBLE_NOT_STAKED",
    "DOUBLE_REFUSED", "EVEN_MONEY_LATE", "EVEN_MONEY_REFUSED", "FIVE_CARDS_LATE", "FIVE_CARDS_REFUSED", "HIT_ON_SPLIT_ACE",
    "PRIZE_REFUSED", "SPLIT_NOT_STAKED", "SPLIT_NO_PAIR", "SPLIT_TOO_OFTEN", "STAKE_NOT_DECIDED", "SURRENDER_LATE",
    "SURRENDER_REFUSED", "WAGER_TOO_EARLY",
}  # fmt: skip
SINCE_2004 = {
    "DOUBLE_CARD_DOWN", "HIT_AFTER_DOUBLE", "HIT_AT_21", "TOTAL_NOT_CALLED", "TOTAL_WRONG", "WAGER_TOO_LATE"
}  # fmt: skip


@pytest.mark.parametrize(
    ("version", "states", "steps"),
    [("141/2000", 1370, 4734), ("56/2004", 2212, 9486), ("42/2007", 2212, 9486), ("57/2009", 2201, 9475)],
)
def test_all_that_lawful_play_makes_of_a_hand(version: str, states: int, steps: int) -> None:
    assert played_lawfully(rules(VERSIONS[version]), "A23456789T") == (states, steps, frozenset())


def test_aces_and_tens_with_whatever_is_done_to_them() -> None:
    recorded = ["totals", "stands"]
    found = {version: played_as_may_be(rules(law, recorded=recorded), "AT") for version, law in VERSIONS.items()}
    assert {version: (counts.states, counts.steps) for version, counts in found.items()} == {
        "141/2000": (14053, 56105),
        "56/2004": (10413, 33891),
        "42/2007": (10413, 33891),
        "57/2009": (9927, 32299),
    }
    assert found["141/2000"].codes == BY_EVERY_TEXT
    for version in ("56/2004", "42/2007", "57/2009"):
        assert found[version].codes == BY_EVERY_TEXT | SINCE_2004


prove = pytest.mark.prove


@pytest.mark.parametrize(
    ("version", "ranks", "states", "steps"),
    [
        ("57/2009", "T", 16098, 117466),
        *(pytest.param(version, "T", 16098, 117466, marks=prove) for version in ("141/2000", "56/2004", "42/2007")),
        pytest.param("57/2009", "AT", 354300, 3017254, marks=prove),
    ],
)
def test_whatever_is_done_to_a_hand_however_often_rules_are_broken(
    version: str, ranks: str, states: int, steps: int
) -> None:
    """Of tens alone as much under every version: a play that the rules forbid counts nevertheless."""
    counts = played_in_any_way(rules(VERSIONS[version], recorded=["totals", "stands"]), ranks)
    assert counts[:2] == (states, steps)
    assert counts.codes <= BY_EVERY_TEXT | SINCE_2004


@prove
@pytest.mark.parametrize(
    ("version", "states", "steps"),
    [
        ("141/2000", 122967, 918152),
        ("56/2004", 178845, 1290289),
        ("42/2007", 178845, 1290289),
        ("57/2009", 176823, 1280473),
    ],
)
def test_cards_of_every_rank_with_whatever_is_done_to_them(version: str, states: int, steps: int) -> None:
    """By 141/2000 aces and tens alone never make a hand that may be doubled (art. 11); cards of every rank do."""
    counts = played_as_may_be(rules(VERSIONS[version], recorded=["totals", "stands"]), "A23456789T")
    doubled = {"HIT_AFTER_DOUBLE", "WAGER_TOO_LATE"}
    assert counts == (states, steps, BY_EVERY_TEXT | (doubled if version == "141/2000" else SINCE_2004))


def test_all_that_the_cards_of_a_hand_can_come_to() -> None:
    """One card: of ten ranks, of 6, 7 and 8 with one of four suits, one not named, or none. Two: any in their order. Of more the
    points count, up to 32, from the smallest that so many cards have without an ace that may be eleven, which they have
    otherwise up to 11. They keep that they won: three sevens, or 6-7-8 of no suit, of one suit not named, or of one of four with
    or without another not named; with further cards 22 points or more. Of cards not all named the points count from one a card:
    with one of them, at least."""
    plain, won = [Card(rank) for rank in "A23456789T"], 1 + 1
    suited = [*plain, *(Card(rank, suit) for rank in "678" for suit in "cdhsx"), UNNAMED]
    won_by_suits = 1 + (1 + 1 + 4 * 2)
    not_named = [range(3, 21 + 1), range(4, 31 + 1), range(5, 32 + 1), range(6, 32 + 1)]

    def more(won: int) -> int:
        """The states of three cards, four, five, six."""
        without_ace = [range(6, 30 + 1), range(8, 32 + 1), range(10, 32 + 1), range(12, 32 + 1)]
        with_ace = [range(least, 11 + 1) for least in (3, 4, 5, 6)]
        return sum(map(len, without_ace + with_ace)) + won * (1 + 10 + 10 + 9)

    for dealt, expected in (
        (plain, 1 + 10 + 10 * 10 + more(won)),
        (suited, 1 + (7 + 18 + 1) + (7 + 18 + 1) ** 2 + more(won_by_suits) + sum(map(len, not_named))),
    ):
        assert (
            reached([Cards()], lambda cards, dealt=dealt: ((cards.dealt(card), ()) for card in dealt)).states
            == expected
        )


def of_the_showing(law: Rules) -> Counts:
    def after(showing: Showing) -> Iterator[tuple[Showing, Violations]]:
        for symbol in (
            *(each for rank in "6T" for each in (Dealt(Card(rank)), Dealt(Card(rank), DOWN), Turned(Card(rank)))),
            *(Dealt(UNNAMED), Dealt(Card("6"), hand=1), Turned(Card("6"), hand=1), Staked("main")),
            *(Decided("stand"), Decided("split")),
        ):
            followed = showing.after(symbol, law)
            if followed is not None:
                yield followed, ()

    return explored(NOTHING_TO_SHOW, after, lambda showing: filter(None, showing.finish(law)))


def test_all_that_the_showing_of_a_hand_can_come_to() -> None:
    """One hand has 150 states (72 up to 21, 36 of them as well behind a card turned, 41 over 21, and that which is not followed),
    45 of which can be separated. Of 2 to 26 separated ones the first has one of six sets of at most two cards face down, the
    second none or the card that it began with: 18 states, from which 69 steps lead, and three to a further hand but from the
    last."""
    counts = of_the_showing(rules(recorded=["totals"]))
    assert counts == (150 + 25 * 18, 912 + 45 + 25 * 69 + 24 * 3, {"BUST_NOT_SHOWN"})


def test_a_hand_over_21_is_shown_at_once_or_before_play_goes_on() -> None:
    law = rules(recorded=["totals"])

    def finish(history: str) -> tuple[Violation | None, Violation | None]:
        showing: Showing | None = NOTHING_TO_SHOW
        for symbol in map(read_seat, history.split()):
            assert showing is not None
            showing = showing.after(symbol, law)
        assert showing is not None
        return showing.finish(law)

    over = "-T -6 +T"
    for late in (over, f"{over} ^6", f"{over} .stand ^T ^6", f"{over} ^T .stand ^6"):
        violation, if_went_on = finish(late)
        assert violation is not None
        assert if_went_on is None
    shown = f"{over} ^T ^6"
    assert [found and found.mark for found in finish(shown)] == [None, "shown"]
    assert finish(f"{shown} .stand") == finish(shown)


def test_what_a_seat_adds_to_its_hands() -> None:
    law = rules(recorded=["totals"])
    for upcard, refused in (("A", []), ("?", []), ("T", ["INSURANCE_REFUSED"]), ("x", ["INSURANCE_REFUSED"])):
        seat, violations = SeatState(upcard).step(Staked("insurance"), law)
        assert [found.code for found in violations] == refused
        assert (seat.insured, seat.upcard_missed) == (True, upcard == "?")
    assert law.regulation.splitting.not_made().code == "HAND_WITHOUT_SPLIT"
    bettors = [SeatState("A")]
    for _ in range(3):
        bettors.append(bettors[-1].step(Staked("main"), law)[0])
    assert bettors[1] != bettors[2] == bettors[3]  # art. 20: whether several bet there


def test_a_split_parts_the_cards_and_their_suits() -> None:
    """Of a pair as the log tells it, each hand is what it would be had it been dealt its one card."""
    law = rules(recorded=["totals"])
    for first in cards("6h 7s 8x 8 Ah K"):
        for second in cards("6h 7c 6 Th A"):
            hand = Hand(cards_of((first, second)), called=CalledTotal.BEST, drawn=True, acted=True)
            kept, new = hand.separated()
            assert (kept.cards, new.cards) == (cards_of((first,)), cards_of((second,)))
            assert (kept.called, kept.drawn, kept.split, new.split, new.resplit) == (
                CalledTotal.NOTHING,
                False,
                True,
                True,
                False,
            )
            assert kept.aces == new.aces == (first.rank == second.rank == "A")
            assert kept.separated()[1].resplit
    assert law.regulation.splitting.refusal(Seat("T"), Hand(cards_of(cards("8h 8s"))), law) is None
