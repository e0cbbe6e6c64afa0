"""What every seat, bank and round is judged to be: each distinct story is asked about once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, TypeVar

import polars as pl

from replayer.engine.judge import Judge, alphabet_of, keep_in_memory
from replayer.engine.numbered import Numbered
from replayer.engine.ruled import Ruled, RuledColumn
from replayer.engine.stories import Stories
from replayer.game import Game
from replayer.law.rulings import register
from replayer.outcomes import (
    HAND_AWAITED,
    NATURAL_AWAITED,
    NOT_AWAITED,
    BankOutcome,
    Breach,
    Judgement,
    RoundOutcome,
    SeatOutcome,
)

Outcome = TypeVar("Outcome")
_TOGETHER: Final = 1 << 14
"""Stories that are followed before a table that is full may start anew."""
NOBODY: Final[Ruled[Judgement[Any]]] = Ruled(Judgement(unjudged="no cards on the log", awaits_bank=False))
"""The answer where nobody can judge, or where a seat has no story."""


@dataclass(slots=True)
class Noted:
    """A breach and where it was found: the round's index, the seat, what was judged (``seat``, ``bank``, ``round``, ``wager``),
    and the stacked ``seq``."""

    breach: Breach
    ri: int
    seat: int | None
    of: str
    seq: int


@dataclass(slots=True)
class Judgements:
    """What was told of the seats (rows of ``Stories.seats``), banks and rounds (rows of ``Stories.rounds``).

    ``of_bettors`` has what became of single bettors on shared seats (``bettors``), by round index, seat and player;
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

    def note(self, told: RuledColumn[Judgement[Any]], of: str, stories: Stories) -> None:
        """Keep the breaches, at the events that they stand on, and what was not checked, of the rows that have any.

        A breach that stands on no event of its story is one of the round as it began.
        """
        ris, keys = stories.rounds["ri"], stories.rounds["ri"]
        if of == "seat":
            ris, keys = stories.seats["ri"], stories.seat_keys
        breached = told.where(lambda answer: bool(answer.breaches)).arg_true()
        seqs = stories.seqs(of, keys.gather(breached)) if breached.len() else {}
        for row, answer in told.rows(lambda answer: bool(answer.breaches or answer.not_checked)):
            ri, events = ris[row], seqs.get(keys[row], ())
            seat = stories.seats["seat"][row] if of == "seat" else None
            for breach in answer.breaches:
                known = 0 < breach.word <= len(events)
                seq = events[breach.word - 1] if known else stories.rounds["first_seq"][ri]
                self.noted.append(Noted(breach, ri, seat, of, seq))
            if answer.not_checked:
                self.not_checked.append((ri, answer.not_checked))


def _moves_money(ruling: str) -> bool:
    entry = register()[ruling]
    return entry.money and len(entry.readings) > 1


def judge_all(stories: Stories, judges: Sequence[Judge], judge_of_round: pl.Series, game: Game) -> Judgements:
    """Judge all stories. ``judge_of_round`` has the number of each round's judge, null where nothing can be judged."""
    keep_in_memory()
    seats, rounds = stories.seats, stories.rounds
    upcards, ris = stories.upcards.gather(seats["ri"]), rounds["ri"]
    of_seat = judge_of_round.gather(seats["ri"])
    told_seats = _Stories(stories, "seat", stories.seat_keys, of_seat, upcards.to_list()).judged(judges, game)
    pending = told_seats.where(lambda answer: answer.awaits_natural)
    waiting = told_seats.where(lambda answer: answer.awaits_bank)
    awaited = pl.Series([NOT_AWAITED]).new_from_index(0, rounds.height)
    awaited = awaited.scatter(seats["ri"].filter(pending), NATURAL_AWAITED)
    awaited = awaited.scatter(seats["ri"].filter(waiting), HAND_AWAITED)
    told_banks = _Stories(stories, "bank", ris, judge_of_round, awaited.to_list()).judged(judges, game)
    told_rounds = _Stories(stories, "round", ris, judge_of_round, stories.openings_left).judged(judges, game)
    judgements = Judgements(told_seats, told_banks, told_rounds)
    judgements.note(told_seats, "seat", stories)
    judgements.note(told_banks, "bank", stories)
    judgements.note(told_rounds, "round", stories)
    return judgements


@dataclass(frozen=True, slots=True)
class _Stories:
    """The stories ``of`` all seats, banks or rounds: their ``keys``, the number of the ``judge`` of each, null where it has none,
    and what each begins with."""

    stories: Stories
    of: str
    keys: pl.Series
    judge: pl.Series
    begins: Sequence[Any]

    def judged(self, judges: Sequence[Judge], game: Game) -> RuledColumn[Judgement[Any]]:
        """What became of each: by the tables of its judge, and where these do not tell, by itself."""
        alphabet = alphabet_of(game, self.of)
        tables = [judge.tables[self.of] for judge in judges]
        answers = Numbered[Ruled[Judgement[Any]]](id)  # judges and their tables keep equal answers once
        symbols = self.stories.symbols(self.of, self.keys, alphabet, game)
        stories = zip(self.judge.to_list(), self.begins, symbols, strict=True)
        numbers: list[int | None] = []
        while some := list(islice(stories, _TOGETHER)):
            for table in tables:
                table.reads(alphabet)
            for number, begin, story in some:  # once for every seat, bank and round
                answer = NOBODY if number is None else tables[number].start(begin).judge(story)
                numbers.append(None if answer is None else answers.number(answer))
        alone = [row for row, number in enumerate(numbers) if number is None]
        of_row = pl.Series(numbers, dtype=pl.Int64)
        if alone:
            of_row = self._alone(pl.Series(alone, dtype=pl.Int64), of_row, answers, judges, game)
        return RuledColumn(answers.all, of_row)

    def _alone(
        self,
        rows: pl.Series,
        of_row: pl.Series,
        answers: Numbered[Ruled[Judgement[Any]]],
        judges: Sequence[Judge],
        game: Game,
    ) -> pl.Series:
        """Ask about each distinct story of ``rows`` once."""
        told = self.stories.whole(self.of, self.keys.gather(rows), game)
        if self.of == "bank":
            told = [story._replace(begin=self.begins[row]) for row, story in zip(rows, told, strict=True)]
        asked = zip(self.judge.gather(rows), told, strict=True)
        numbers = [answers.number(judges[number].stories[self.of](story)) for number, story in asked]
        return of_row.scatter(rows, pl.Series(numbers, dtype=pl.Int64))
