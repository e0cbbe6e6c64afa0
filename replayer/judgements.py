"""What every seat, bank and round is judged to be: each distinct story is asked about once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import polars as pl

from replayer.game import (
    HAND_AWAITED,
    NATURAL_AWAITED,
    NOT_AWAITED,
    BankOutcome,
    Breach,
    Game,
    Judgement,
    RoundOutcome,
    SeatOutcome,
)
from replayer.judge import Judge
from replayer.law.rulings import register
from replayer.ruled import Ruled, RuledColumn
from replayer.stories import SEATS, Stories

Outcome = TypeVar("Outcome")
NOBODY: Final[Ruled[Judgement[Any]]] = Ruled(Judgement(unjudged="no cards on the log", awaits_bank=False))
"""The answer where nobody can judge, or where a seat has no story."""


@dataclass(slots=True)
class Noted:
    """A breach and where it was found: the round's index, the seat, and which words to look behind for the position."""

    breach: Breach
    ri: int
    seat: int | None
    of: str
    prefix: int = 1
    seq: int | None = None


@dataclass(slots=True)
class Judgements:
    """What was told of the seats (rows of ``Stories.seats``), banks and rounds (rows of ``Stories.rounds``).

    ``of_bettors`` has what became of single bettors on shared seats (see ``replayer.bettors``), by round index, seat and player;
    ``not_checked``, by round index, the checks that the log could not show.
    """

    seats: RuledColumn[Judgement[SeatOutcome]]
    banks: RuledColumn[Judgement[BankOutcome]]
    rounds: RuledColumn[Judgement[RoundOutcome]]
    of_bettors: Mapping[tuple[int, int, str | None], Ruled[Judgement[SeatOutcome]]] = field(default_factory=dict)
    noted: list[Noted] = field(default_factory=list)
    not_checked: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)

    def invalid_rounds(self) -> Iterator[tuple[int, str]]:
        """The rounds that an article makes invalid, declared so or not, by index, with the article."""
        for ri, judged in self.rounds.rows(lambda judged: bool(judged.outcome and judged.outcome.invalid_by)):
            yield ri, judged.outcome.invalid_by if judged.outcome else ""

    def rulings_of_rounds(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The rounds with doubts about the deal on which money hangs, by index: whether they are invalid turns on these."""
        told = [tuple(filter(_moves_money, each.rulings)) for each in self.rounds.values]
        doubtful = [number for number, rulings in enumerate(told) if rulings]
        for ri in self.rounds.of_row.is_in(doubtful).arg_true().to_list() if doubtful else ():
            yield ri, told[self.rounds.of_row[ri]]

    def note(
        self, told: RuledColumn[Judgement[Any]], of: str, ris: pl.Series, seats: pl.Series | None, stories: Stories
    ) -> None:
        """Keep the breaches, and what was not checked, of the rows that have any."""
        for row, answer in told.rows(lambda answer: bool(answer.breaches or answer.not_checked)):
            ri = ris[row]
            seat = None if seats is None else seats[row]
            prefix = len(stories.openings[ri].split(" ")) if of == "round" else 1
            self.noted += [Noted(breach, ri, seat, of, prefix) for breach in answer.breaches]
            if answer.not_checked:
                self.not_checked.append((ri, answer.not_checked))


def _moves_money(ruling: str) -> bool:
    entry = register()[ruling]
    return entry.money and len(entry.readings) > 1


def judge_all(stories: Stories, judges: Sequence[Judge], judge_of_round: pl.Series, game: Game) -> Judgements:
    """Judge all stories. ``judge_of_round`` has the number of each round's judge, null where nothing can be judged."""
    seats, rounds = stories.seats, stories.rounds
    keys = seats["ri"] * SEATS + seats["seat"]

    def true_seats(rows: pl.Series) -> list[str]:
        return stories.truly("seat", keys.gather(rows), game)

    of_seat = judge_of_round.gather(seats["ri"])
    told_seats = _ask(seats["story"], of_seat, [judge.seat for judge in judges], true_seats)
    pending = told_seats.where(lambda answer: answer.awaits_natural)
    waiting = told_seats.where(lambda answer: answer.awaits_bank)
    awaited = pl.Series([f"{NOT_AWAITED} "]).new_from_index(0, rounds.height)
    awaited = awaited.scatter(seats["ri"].filter(pending), f"{NATURAL_AWAITED} ")
    awaited = awaited.scatter(seats["ri"].filter(waiting), f"{HAND_AWAITED} ")

    def true_banks(rows: pl.Series) -> list[str]:
        told = zip(awaited.gather(rows), stories.truly("bank", rows, game), strict=True)
        return [state + story for state, story in told]

    def true_rounds(rows: pl.Series) -> list[str]:
        return stories.truly("round", rows, game)

    banks = (awaited + rounds["bank_story"]).alias("story")
    told_banks = _ask(banks, judge_of_round, [judge.bank for judge in judges], true_banks)
    told_rounds = _ask(rounds["round_story"], judge_of_round, [judge.round for judge in judges], true_rounds)
    judgements = Judgements(told_seats, told_banks, told_rounds)
    judgements.note(told_seats, "seat", seats["ri"], seats["seat"], stories)
    judgements.note(told_banks, "bank", rounds["ri"], None, stories)
    judgements.note(told_rounds, "round", rounds["ri"], None, stories)
    return judgements


def _ask(
    stories: pl.Series,
    judge: pl.Series,
    ask: Sequence[Callable[[str], Ruled[Judgement[Outcome]]]],
    truly: Callable[[pl.Series], list[str]],
) -> RuledColumn[Judgement[Outcome]]:
    """Ask about each distinct story of each judge once, and where anything is found, or suits are needed, about the true
    stories, which ``truly`` tells for given rows."""
    frame = pl.DataFrame({"story": stories, "judge": judge, "row": pl.int_range(stories.len(), eager=True)})
    grouped = frame.group_by("judge", "story").agg("row")
    answers: list[Ruled[Judgement[Outcome]]] = [NOBODY]
    places: dict[int, int] = {}

    def place(number: int, story: str) -> int:
        asked = ask[number](story)
        if id(asked) not in places:  # judges keep equal answers once
            places[id(asked)] = len(answers)
            answers.append(asked)
        return places[id(asked)]

    numbers = [
        0 if number is None else place(number, story) for number, story in grouped.select("judge", "story").rows()
    ]
    spread = grouped.select("row", number=pl.Series(numbers, dtype=pl.Int64)).explode("row")
    of_row = pl.Series([0], dtype=pl.Int64).new_from_index(0, stories.len())
    of_row = of_row.scatter(spread["row"], spread["number"])
    wanting = RuledColumn(answers, of_row).where(lambda answer: answer.needs_suits or bool(answer.breaches)).arg_true()
    if wanting.len():
        numbers = [place(*asked) for asked in zip(judge.gather(wanting), truly(wanting), strict=True)]
        of_row = of_row.scatter(wanting, pl.Series(numbers, dtype=pl.Int64))
    return RuledColumn(answers, of_row)
