"""Asks a game about situations, each distinct one once, and remembers the answers with the rulings they hang on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from replayer.game import Due, Game, Judgement, Rules, StakeSituation, WagerSituation

REMEMBERED: Final = 30_000
"""How many answers to one question are kept."""

Situation = TypeVar("Situation")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Asked(Generic[Answer]):
    """An answer and the ids of the rulings that were asked for on the way, sorted."""

    answer: Answer
    rulings: tuple[str, ...]


class Memory(Generic[Situation, Answer]):
    """A question with its answers so far. Holds because rules are pure: same situation, same answer."""

    def __init__(self, question: Callable[[Situation], Answer], rules: Rules) -> None:
        self._question = question
        self._readings = rules.readings
        self._answers: dict[Situation, Asked[Answer]] = {}

    def __call__(self, situation: Situation) -> Asked[Answer]:
        """The answer, asked for once."""
        known = self._answers.get(situation)
        if known is None:
            with self._readings.asked() as asked:
                answer = self._question(situation)
                known = Asked(answer, tuple(sorted(asked)))
            if len(self._answers) >= REMEMBERED:
                self._answers.clear()  # so that memory does not grow with the archive
            self._answers[situation] = known
        return known


class Judge:
    """One game under one set of rules, with its memory of situations."""

    def __init__(self, game: Game, rules: Rules) -> None:
        self.game = game
        self.rules = rules
        self.seat: Memory[str, Judgement] = Memory(lambda story: game.judge_seat(story, rules), rules)
        self.bank: Memory[str, Judgement] = Memory(lambda story: game.judge_bank(story, rules), rules)
        self._round: Memory[str, Judgement] = Memory(lambda story: game.judge_round(story, rules), rules)
        self.stake: Memory[tuple[str, int, int, int, int | None, int | None, int, str, str], Judgement] = Memory(
            lambda parts: game.judge_stake(StakeSituation(*parts), rules), rules
        )
        self.wager: Memory[tuple[str, int, str, str, str], Due] = Memory(
            lambda parts: game.settle(WagerSituation(*parts), rules), rules
        )
        self.void: Memory[tuple[str, str], Due] = Memory(lambda parts: game.settle_void(*parts, rules), rules)
        self.result: Memory[tuple[str, str], str] = Memory(lambda parts: game.result(*parts, rules), rules)
        self.carried: Memory[tuple[str, str], Due | None] = Memory(
            lambda parts: game.settle_carried(*parts, rules), rules
        )

    def round(self, story: str) -> Asked[Judgement]:
        """The answer to a round story, asked for with the seats numbered from the left: only their order matters, and there
        are far fewer such stories. Where something is found it is asked again as it was, so that seats are named rightly."""
        alike = numbered_from_the_left(story, self.game.alike_seats)
        told = self._round(alike)
        return self._round(story) if told.answer.breaches and alike != story else told


def numbered_from_the_left(story: str, alike: int) -> str:
    """A round story with its seats renumbered 1, 2, ... in their order; as it is where a seat is above ``alike``.

    >>> numbered_from_the_left("w:3,5 fresh nomore 3+ 5+ B+ 3. 5. end", 7)
    'w:1,2 fresh nomore 1+ 2+ B+ 1. 2. end'
    """
    words = story.split(" ")
    seats = {number for number in words[0][2:].split(",") if number} | {w[:-1] for w in words[1:] if w[:1].isdigit()}
    order = sorted(seats, key=int)
    if order and int(order[-1]) > alike:
        return story
    number = {seat: str(place) for place, seat in enumerate(order, 1)}
    words[0] = "w:" + ",".join(number[seat] for seat in words[0][2:].split(",") if seat)
    words[1:] = [number[w[:-1]] + w[-1] if w[:1].isdigit() else w for w in words[1:]]
    return " ".join(words)


_JUDGES: dict[tuple[str, Rules], Judge] = {}


def judge_of(game: Game, rules: Rules) -> Judge:
    """The judge of a game under ``rules``; the same one for equal rules, so that it remembers across table-days."""
    key = (game.name, rules)
    if key not in _JUDGES:
        _JUDGES[key] = Judge(game, rules)
    return _JUDGES[key]
