"""The judgements of all seats, banks and rounds: each distinct history is judged once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, Never

import numpy as np
import polars as pl
from numpy.typing import NDArray

from replayer.contract.game import Game
from replayer.contract.outcomes import Awaited, BankOutcome, Breach, Judgement, Outcome, RoundOutcome, SeatOutcome
from replayer.contract.symbols import Begin, History, Of
from replayer.engine.compiled_runner import alphabets_of, judge_many, limit_memory, make_ready, worth_following
from replayer.engine.distinct_values import ColumnOf, Numbered, Numbers
from replayer.engine.evaluator import Evaluator, HistoryJudge
from replayer.engine.histories import OF_BANKS, OF_ROUNDS, OF_SEATS, Histories, HistoryKind, Subject
from replayer.engine.ruled import Ruled
from replayer.law.rulings import register

NOT_JUDGED: Final[Ruled[Judgement[Never]]] = Ruled(Judgement(unjudged="no cards on the log", awaits_bank=False))
"""The verdict on a round without an evaluator, and on a seat without a history."""


_AT_A_TIME: Final = 1 << 16
"""Seats, banks or rounds whose symbols are made at a time: making them takes several times the memory of their rows."""


@dataclass(slots=True)
class NotedBreach:
    """A breach and its place: the round's index, the seat, what it is about, and the stacked ``seq``."""

    breach: Breach
    ri: int
    seat: int | None
    subject: Subject
    seq: int


@dataclass(slots=True)
class Judgements:
    """The judgements of the seats (rows of ``Histories.seats``), banks and rounds (rows of ``Histories.rounds``).

    ``of_bettors`` has the judgements of single bettors (:mod:`replayer.engine.shared_seats`), by round index, seat and player;
    ``not_checked``, by round index, the checks that the log does not allow.
    """

    seats: ColumnOf[Ruled[Judgement[SeatOutcome]]]
    banks: ColumnOf[Ruled[Judgement[BankOutcome]]]
    rounds: ColumnOf[Ruled[Judgement[RoundOutcome]]]
    of_bettors: Mapping[tuple[int, int, str | None], Ruled[Judgement[SeatOutcome]]] = field(default_factory=dict)
    noted: list[NotedBreach] = field(default_factory=list)
    not_checked: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)

    def invalid_rounds(self) -> Iterator[tuple[int, str]]:
        """The rounds that an article makes invalid, declared void or not, by index, with the article."""
        for ri, judged in self.rounds.rows(lambda judged: bool(_invalid_by(judged))):
            yield ri, _invalid_by(judged)

    def rulings_of_rounds(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The rounds whose validity depends on rulings that move money, by index, with these rulings."""
        for ri, judged in self.rounds.rows(lambda judged: any(map(moves_money, judged.rulings))):
            yield ri, tuple(filter(moves_money, judged.rulings))

    def note(self, judged: ColumnOf[Ruled[Judgement[object]]], subject: Subject, histories: Histories) -> None:
        """Note the breaches, each at its event, and the checks left out. Seats and banks are noted before rounds.

        A breach without an event is noted at the first event of its round.
        """
        ris, keys = histories.rounds["ri"], histories.rounds["ri"]
        if subject is Subject.SEAT:
            ris, keys = histories.seats["ri"], histories.seat_keys
        breached = list(judged.rows(_may_be_breached))
        of_hands: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
        for noted in self.noted if subject is Subject.ROUND else ():
            of_hands[noted.ri].append((noted.breach.code, noted.seq))
        seqs = histories.seqs(subject, keys.gather([row for row, _ in breached])) if breached else {}
        for row, judged_so in breached:
            judgement = judged_so.value
            ri, events = ris[row], seqs.get(keys[row], ())
            seat = histories.seats["seat"][row] if subject is Subject.SEAT else None
            breaches, unless = judgement.breaches_beside(self.banks.at(ri).value.outcome), judgement.if_dealt_right
            if unless and unless.stands(of_hands[ri], events[unless.went_on - 1]):
                breaches += (unless.breach,)
            for breach in breaches:
                known = 0 < breach.position <= len(events)
                seq = events[breach.position - 1] if known else histories.rounds["first_seq"][ri]
                self.noted.append(NotedBreach(breach, ri, seat, subject, seq))
        self.not_checked += [
            (ris[row], each.value.not_checked) for row, each in judged.rows(lambda each: bool(each.value.not_checked))
        ]


def _may_be_breached(judged: Ruled[Judgement[object]]) -> bool:
    judgement = judged.value
    return bool(judgement.breaches or judgement.if_bank_played or judgement.if_dealt_right)


def _invalid_by(judged: Ruled[Judgement[RoundOutcome]]) -> str:
    return judged.value.outcome.invalid_by if judged.value.outcome else ""


def moves_money(ruling: str) -> bool:
    """Whether a ruling has readings between which money may lie."""
    entry = register()[ruling]
    return entry.money and len(entry.readings) > 1


def judge_all(
    histories: Histories,
    evaluators: Sequence[Evaluator],
    evaluator_of_round: pl.Series,
    game: Game,
    explained: int | None = None,
) -> Judgements:
    """Judge all histories. ``evaluator_of_round`` has the number of each round's evaluator, null where nothing can be judged; the
    judgements of the round with the index ``explained`` have their explanatory steps."""
    limit_memory()
    seats, rounds, alphabets = histories.seats, histories.rounds, alphabets_of(game)
    of_round, ris = rounds["ri"], seats["ri"].to_numpy()
    of_seat, steps_of_seat = evaluator_of_round.gather(seats["ri"]), ris == explained
    steps_of_round = of_round.to_numpy() == explained
    upcards = _begins(histories.upcards.to_list()).of(ris)
    judged_seats = _Histories(histories, OF_SEATS, histories.seat_keys, of_seat, upcards, steps_of_seat, game).judged(
        alphabets.seat, [each.seat for each in evaluators]
    )
    # A bank's history begins with the strongest claim of its round's seats on the bank's hand.
    awaited = np.zeros(rounds.height, np.int64)
    by_verdict = np.array([each.value.awaited for each in judged_seats.values], np.int64)
    np.maximum.at(awaited, ris, by_verdict[judged_seats.numbers])
    banks = ColumnOf(tuple(Awaited), awaited)
    judged_banks = _Histories(histories, OF_BANKS, of_round, evaluator_of_round, banks, steps_of_round, game).judged(
        alphabets.bank, [each.bank for each in evaluators]
    )
    begun = _begins(histories.starts_from_left, id)  # most that are equal are one
    judged_rounds = _Histories(histories, OF_ROUNDS, of_round, evaluator_of_round, begun, steps_of_round, game).judged(
        alphabets.round, [each.round for each in evaluators]
    )
    judgements = Judgements(judged_seats, judged_banks, judged_rounds)
    judgements.note(judged_seats, Subject.SEAT, histories)
    judgements.note(judged_banks, Subject.BANK, histories)
    judgements.note(judged_rounds, Subject.ROUND, histories)
    return judgements


def _begins(values: Sequence[Begin], same: Callable[[Begin], int] | None = None) -> ColumnOf[Begin]:
    numbered = Numbered[Begin](same)
    return ColumnOf(numbered.all, np.fromiter(map(numbered.number, values), np.int64, len(values)))


@dataclass(frozen=True, slots=True)
class _Histories(Generic[Begin, Of]):
    """The histories of all seats, banks or rounds (``kind``): their ``keys``, the number of the ``evaluator`` of each, null
    where it has none, what each begins with, and whether its judgement is to have explanatory steps."""

    histories: Histories
    kind: HistoryKind[Begin, Of]
    keys: pl.Series
    evaluator: pl.Series
    begins: ColumnOf[Begin]
    with_steps: NDArray[np.bool_]
    game: Game

    def judged(
        self, alphabet: Numbered[Of], judges: Sequence[HistoryJudge[Begin, Of, Outcome]]
    ) -> ColumnOf[Ruled[Judgement[Outcome]]]:
        """The judgement of each: by the table of its evaluator or, where that gives none or has no steps to give, singly."""
        # Evaluators and their automata keep equal verdicts once.
        distinct = Numbered[Ruled[Judgement[Outcome]] | None](id)
        nobody, no_verdict = distinct.number(NOT_JUDGED), distinct.number(None)
        tables, table = [each.table for each in judges], self.evaluator.fill_null(-1).to_numpy()
        column = np.where(table < 0, nobody, no_verdict)
        for done in range(0, len(table), _AT_A_TIME):
            some = slice(done, done + _AT_A_TIME)
            rows = np.flatnonzero((table[some] >= 0) & ~self.with_steps[some])
            rows = rows[worth_following(tables, table[some][rows])]
            if not len(rows):
                continue
            symbols = self.histories.symbols(self.kind, self.keys[some], alphabet, self.game)
            make_ready(tables, alphabet)
            found = judge_many(tables, table[some][rows], self.begins.of(rows + done), symbols.of(rows))
            numbers = np.array([distinct.number(each) for each in found.values], np.int64)
            column[rows + done] = numbers[found.numbers]
        alone = np.flatnonzero(column == no_verdict)
        if len(alone):
            singly = [judges[number] for number in self.evaluator.gather(alone)]
            cases = zip(singly, self.with_steps[alone], self._built(alone), strict=True)
            judged = [judge.with_steps(history) if steps else judge(history) for judge, steps, history in cases]
            column[alone] = [distinct.number(each) for each in judged]
        return ColumnOf([each or NOT_JUDGED for each in distinct.all], column)

    def _built(self, rows: Numbers) -> list[History[Begin, Of]]:
        """The histories of ``rows`` from their events."""
        whole = self.histories.build(self.kind, self.keys.gather(rows), self.game)
        if self.kind.subject is not Subject.BANK:
            return whole
        begins = map(self.begins.at, rows.tolist())
        return [History(begin, history.symbols) for begin, history in zip(begins, whole, strict=True)]
