"""What the judges think of every seat, bank and round: each distinct story is asked about once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from replayer.game import Breach, Game, Judgement
from replayer.judge import Asked, Judge
from replayer.stories import Stories

NOBODY: Final[Asked[Judgement]] = Asked(Judgement(unjudged="no cards on the log", waits=False), ())
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
class Told:
    """Distinct answers and, row by row, which one holds. The first answer is :data:`NOBODY`."""

    answers: list[Asked[Judgement]]
    of_row: pl.Series

    def at(self, row: int) -> Asked[Judgement]:
        """The answer of a row."""
        number: int = self.of_row[row]
        return self.answers[number]

    def where(self, test: Callable[[Judgement], bool]) -> pl.Series:
        """For each row whether its answer passes ``test``."""
        passes = pl.Series([test(asked.answer) for asked in self.answers], dtype=pl.Boolean)
        return passes.gather(self.of_row)


@dataclass(slots=True)
class Opinion:
    """What was told of the seats (rows of ``Stories.seats``), banks and rounds (rows of ``Stories.rounds``).

    ``not_checked`` has, by round index, the checks that the log could not show.
    """

    seats: Told
    banks: Told
    rounds: Told
    noted: list[Noted] = field(default_factory=list)
    not_checked: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)

    def invalid_rounds(self) -> Iterator[tuple[int, str]]:
        """The rounds that an article makes invalid, declared so or not, by index, with the article."""
        for ri in self.rounds.where(lambda answer: bool(answer.outcome)).arg_true().to_list():
            yield ri, self.rounds.at(ri).answer.outcome

    def note(self, told: Told, of: str, ris: pl.Series, seats: pl.Series | None, stories: pl.Series) -> None:
        """Keep the breaches, and what was not checked, of the rows that have any."""
        remarkable = told.where(lambda answer: bool(answer.breaches or answer.not_checked))
        for row in remarkable.arg_true().to_list():
            answer, ri = told.at(row).answer, ris[row]
            seat = None if seats is None else seats[row]
            prefix = _prefix_words(stories[row]) if of == "round" else 1
            self.noted += [Noted(breach, ri, seat, of, prefix) for breach in answer.breaches]
            if answer.not_checked:
                self.not_checked.append((ri, answer.not_checked))


def opinion(stories: Stories, judges: Sequence[Judge], judge_of_round: pl.Series, game: Game) -> Opinion:
    """Judge all stories. ``judge_of_round`` has the number of each round's judge, null where nothing can be judged."""
    seats = stories.seats
    of_seat = judge_of_round.gather(seats["ri"])
    told_seats = _ask(seats["story"], of_seat, [judge.seat for judge in judges])
    wanting = told_seats.where(lambda answer: answer.needs_suits).arg_true()
    if wanting.len():
        _ask_again(told_seats, wanting, stories, of_seat, judges, game)
    waiting = told_seats.where(lambda answer: answer.waits)
    live = pl.Series([False], dtype=pl.Boolean).new_from_index(0, stories.rounds.height)
    live = live.scatter(seats["ri"].filter(waiting), values=True)
    bank_stories = stories.rounds.select(
        pl.concat_str(pl.when(live).then(pl.lit("live ")).otherwise(pl.lit("dead ")), "bank_story")
    ).to_series()
    told_banks = _ask(bank_stories, judge_of_round, [judge.bank for judge in judges])
    told_rounds = _ask(stories.rounds["round_story"], judge_of_round, [judge.round for judge in judges])
    formed = Opinion(told_seats, told_banks, told_rounds)
    ris = stories.rounds["ri"]
    formed.note(told_seats, "seat", seats["ri"], seats["seat"], seats["story"])
    formed.note(told_banks, "bank", ris, None, bank_stories)
    formed.note(told_rounds, "round", ris, None, stories.rounds["round_story"])
    return formed


def _ask(stories: pl.Series, judge: pl.Series, ask: Sequence[Callable[[str], Asked[Judgement]]]) -> Told:
    """Ask about each distinct story of each judge once."""
    frame = pl.DataFrame({"story": stories, "judge": judge, "row": pl.int_range(stories.len(), eager=True)})
    grouped = frame.group_by("judge", "story").agg("row")
    answers = [NOBODY]
    numbers: list[int] = []
    for number, story in grouped.select("judge", "story").iter_rows():
        if number is None:
            numbers.append(0)
        else:
            numbers.append(len(answers))
            answers.append(ask[number](story))
    spread = grouped.select("row", number=pl.Series(numbers, dtype=pl.Int64)).explode("row")
    of_row = pl.Series([0], dtype=pl.Int64).new_from_index(0, stories.len())
    return Told(answers, of_row.scatter(spread["row"], spread["number"]))


def _ask_again(
    told: Told, rows: pl.Series, stories: Stories, of_seat: pl.Series, judges: Sequence[Judge], game: Game
) -> None:
    """Ask about the stories that need suits, with them."""
    places = stories.seats.select("ri", "seat")[rows].rows()
    suited = stories.suited(places, game)
    numbers = []
    for row, place in zip(rows.to_list(), places, strict=True):
        numbers.append(len(told.answers))
        told.answers.append(judges[of_seat[row]].seat(suited[place]))
    told.of_row = told.of_row.scatter(rows, pl.Series(numbers, dtype=pl.Int64))


def _prefix_words(round_story: str) -> int:
    return 2 if round_story.split(" ", 2)[1:2] in (["white"], ["fresh"], ["unshuffled"]) else 1
