"""The judgements of all seats, banks and rounds: many histories at once by the automata of their judges (the compiled runner),
the others singly, each distinct one once, from its events (the plain runner, :class:`replayer.engine.evaluator.HistoryJudge`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Generic, Never

import numpy as np
import polars as pl
from numpy.typing import NDArray

from replayer.contract.game import Game
from replayer.contract.outcomes import Awaited, BankOutcome, Breach, Judgement, Outcome, RoundOutcome, SeatOutcome
from replayer.contract.symbols import Begin, Of
from replayer.engine.automaton import Automaton, Verdict
from replayer.engine.distinct_values import ColumnOf, Numbered, Numbers
from replayer.engine.evaluator import Evaluator, HistoryJudge, alphabets_of, limit_memory
from replayer.engine.histories import OF_BANKS, OF_ROUNDS, OF_SEATS, Histories, HistoryKind, Subject
from replayer.engine.ruled import Ruled
from replayer.engine.transitions import Symbols
from replayer.law.rulings import register

NOT_JUDGED: Final[Ruled[Judgement[Never]]] = Ruled(Judgement(unjudged="no cards on the log"))
"""The verdict on a round without an evaluator, and on a seat without a history."""
WOULD_DRAW: Final = "the bank would have had to take a card that the log does not have"


_AT_A_TIME: Final = 1 << 16
"""Seats, banks or rounds whose symbols are made at a time: making them takes several times the memory of their rows."""
_NOBODY: Final = -1


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

    def undrawn(self, game: Game) -> Mapping[int, BankOutcome]:
        """By round index, what is known of a bank with an outcome that must take another card (``BankLaw.undrawn``)."""
        rows = self.banks.rows(lambda judged: bool(judged.value.outcome and judged.value.breaches))
        found = ((ri, breach.code) for ri, judged in rows for breach in judged.value.breaches)
        return {ri: game.bank.undrawn[code] for ri, code in found if code in game.bank.undrawn}

    def leave_open(self, banks: Mapping[int, BankOutcome]) -> None:
        """Take some outcomes of banks, by round index, as all that is known of them."""
        judged = zip(map(self.banks.at, banks), banks.values(), strict=True)
        others = [
            replace(each, value=replace(each.value, outcome=outcome, unjudged=WOULD_DRAW)) for each, outcome in judged
        ]
        self.banks = self.banks.with_others(np.array(list(banks), np.int64), ColumnOf(others, np.arange(len(others))))

    def note(self, judged: ColumnOf[Ruled[Judgement[object]]], subject: Subject, histories: Histories) -> None:
        """Note the breaches, each at its event, and the checks left out. Seats and banks are noted before rounds.

        A breach without an event is noted at the first event of its round.
        """
        ris, keys = histories.rounds["ri"], histories.rounds["ri"]
        if subject is Subject.SEAT:
            ris, keys = histories.seats["ri"], histories.seat_keys
        breached = list(judged.rows(lambda each: each.value.may_be_breached))
        of_hands: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
        for noted in self.noted if subject is Subject.ROUND else ():
            of_hands[noted.ri].append((noted.breach.code, noted.seq))
        seqs = histories.seqs(subject, keys.gather([row for row, _ in breached])) if breached else {}
        for row, judged_so in breached:
            judgement = judged_so.value
            ri, events = ris[row], seqs.get(keys[row], ())
            seat = histories.seats["seat"][row] if subject is Subject.SEAT else None
            breaches = judgement.breaches_beside(self.banks.at(ri).value)
            seq_of = partial(_seq_of, events, histories.rounds["first_seq"][ri])
            breaches += tuple(each.breach for each in judgement.conditional if each.stands(of_hands[ri], seq_of))
            self.noted += [NotedBreach(each, ri, seat, subject, seq_of(each.position)) for each in breaches]
        self.not_checked += [
            (ris[row], each.value.not_checked) for row, each in judged.rows(lambda each: bool(each.value.not_checked))
        ]

    def note_at(self, judgement: Judgement[None], ri: int, seat: int, subject: Subject, seq: int) -> None:
        """Note the breaches in a thing at a seat, all at one event, and the checks left out."""
        self.noted += [NotedBreach(breach, ri, seat, subject, seq) for breach in judgement.breaches]
        if judgement.not_checked:
            self.not_checked.append((ri, judgement.not_checked))


def _seq_of(events: Sequence[int], first: int, position: int) -> int:
    """The ``seq`` of a position in a history; the ``first`` one of the round where the position is none of its events."""
    return events[position - 1] if 0 < position <= len(events) else first


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
    judgements of the round with the number ``explained`` have their explanatory steps."""
    limit_memory()
    alphabets, ris = alphabets_of(game), histories.seats["ri"].to_numpy()
    judge_of = evaluator_of_round.fill_null(_NOBODY).to_numpy()
    with_steps = histories.rounds["round"].to_numpy() == explained
    upcards = _begins(histories.upcards.to_list()).of(ris)
    judges_of_seats = [each.seat for each in evaluators]
    of_seats = _ToJudge(histories, OF_SEATS, game, judges_of_seats, judge_of[ris], upcards, with_steps[ris])
    seats = of_seats.judged(alphabets.seat)
    # A bank's history begins with the strongest claim of its round's seats on the bank's hand.
    awaited = np.zeros(histories.rounds.height, np.int64)
    np.maximum.at(awaited, ris, np.array([each.value.awaited for each in seats.values], np.int64)[seats.numbers])
    claims, judges_of_banks = ColumnOf(tuple(Awaited), awaited), [each.bank for each in evaluators]
    banks = _ToJudge(histories, OF_BANKS, game, judges_of_banks, judge_of, claims, with_steps).judged(alphabets.bank)
    played = banks.where(lambda judged: judged.value.played)[ris]
    unplaced = np.flatnonzero(seats.where(lambda judged: judged.value.unplaced) & played)
    seats = seats.with_others(unplaced, of_seats.judged_singly(unplaced))
    begun = _begins(histories.round_starts("number"), id)  # most that are equal are one
    judges_of_rounds = [each.round for each in evaluators]
    of_rounds = _ToJudge(histories, OF_ROUNDS, game, judges_of_rounds, judge_of, begun, with_steps)
    rounds = of_rounds.judged(alphabets.round)
    judgements = Judgements(seats, banks, rounds)
    judgements.note(seats, Subject.SEAT, histories)
    judgements.note(banks, Subject.BANK, histories)
    judgements.note(rounds, Subject.ROUND, histories)
    return judgements


def _begins(values: Sequence[Begin], same: Callable[[Begin], int] | None = None) -> ColumnOf[Begin]:
    numbered = Numbered[Begin](same)
    return ColumnOf(numbered.all, np.fromiter(map(numbered.number, values), np.int64, len(values)))


@dataclass(frozen=True, slots=True)
class _ToJudge(Generic[Begin, Of, Outcome]):
    """The seats, banks or rounds (``kind``) to judge; ``judge_of`` has the number of each one's judge, or :data:`_NOBODY`."""

    histories: Histories
    kind: HistoryKind[Begin, Of]
    game: Game
    judges: Sequence[HistoryJudge[Begin, Of, Outcome]]
    judge_of: Numbers
    begins: ColumnOf[Begin]
    with_steps: NDArray[np.bool_]

    @property
    def keys(self) -> pl.Series:
        """The keys of their histories."""
        return self.histories.seat_keys if self.kind.subject is Subject.SEAT else self.histories.rounds["ri"]

    def judged(self, alphabet: Numbered[Of]) -> ColumnOf[Ruled[Judgement[Outcome]]]:
        """The judgement of each: by a table or, where that gives none or no steps, singly."""
        # Evaluators and their automata keep equal verdicts once.
        distinct = Numbered[Ruled[Judgement[Outcome]] | None](id)
        nobody, no_verdict = distinct.number(NOT_JUDGED), distinct.number(None)
        keys = self.keys
        column = np.where(self.judge_of == _NOBODY, nobody, no_verdict)
        for done in range(0, len(column), _AT_A_TIME):
            some = slice(done, done + _AT_A_TIME)
            judgeable = (self.judge_of[some] != _NOBODY) & ~self.with_steps[some]
            rows = self._worth_following(done + np.flatnonzero(judgeable))
            if not len(rows):
                continue
            symbols = self.histories.symbols(self.kind, keys[some], alphabet, self.game)
            for judge in self.judges:
                judge.prepare(alphabet)
            found = self._followed(rows, symbols.of(rows - done))
            numbers = np.array([distinct.number(each) for each in found.values], np.int64)
            column[rows] = numbers[found.numbers]
        alone = np.flatnonzero(column == no_verdict)
        judged = ColumnOf([each or NOT_JUDGED for each in distinct.all], column)
        return judged.with_others(alone, self.judged_singly(alone))

    def judged_singly(self, rows: Numbers) -> ColumnOf[Ruled[Judgement[Outcome]]]:
        """The judgements of some, each from its events."""
        distinct = Numbered[Ruled[Judgement[Outcome]]](id)
        numbers = np.zeros(len(rows), np.int64)
        built = self.histories.build(self.kind, self.keys.gather(rows), self.game) if len(rows) else ()
        for at, (row, history) in enumerate(zip(rows.tolist(), built, strict=True)):
            judge = self.judges[self.judge_of[row]]
            whole = history._replace(begin=self.begins.at(row)) if self.kind.subject is Subject.BANK else history
            numbers[at] = distinct.number(judge.with_steps(whole) if self.with_steps[row] else judge(whole))
        return ColumnOf(distinct.all, numbers)

    def _worth_following(self, rows: Numbers) -> Numbers:
        """Those of some to follow through automata (:attr:`replayer.engine.automaton.Automaton.pays`); the others are judged
        singly at once."""
        follows = np.ones(len(rows), bool)
        for automaton, own in _by_automaton(self.judges, self.judge_of[rows]):
            if not automaton.pays:
                follows[own] = False
                automaton.leave(len(own))
        return rows[follows]

    def _followed(self, rows: Numbers, histories: Symbols) -> ColumnOf[Verdict[Outcome]]:
        """The verdicts of automata on some, given by their symbols."""
        judge_of, begins = self.judge_of[rows], self.begins.of(rows)
        found = _verdicts([judge.leading for judge in self.judges], judge_of, begins, histories)
        if any(judge.other for judge in self.judges):
            must_judge = np.array(
                [[judge.must_judge(verdict) for verdict in found.values] for judge in self.judges], bool
            )
            again = np.flatnonzero(must_judge[judge_of, found.numbers])
            others = _verdicts(self.judges, judge_of[again], begins.of(again), histories.of(again))
            found = found.with_others(again, others)
        unanswered = found.where(lambda verdict: verdict is None)
        for automaton, own in _by_automaton(self.judges, judge_of):
            automaton.note(len(own), int(np.count_nonzero(unanswered[own])))
        return found


def _verdicts(
    judges: Sequence[HistoryJudge[Begin, Of, Outcome]], of_history: Numbers, begins: ColumnOf[Begin], histories: Symbols
) -> ColumnOf[Verdict[Outcome]]:
    """The verdicts on histories; ``of_history`` has the number of each one's judge."""
    members = np.array([judge.member for judge in judges], np.int64)[of_history]
    found: ColumnOf[Verdict[Outcome]] = ColumnOf([], np.zeros(len(of_history), np.int64))
    for automaton, rows in _by_automaton(judges, of_history):
        found = found.with_others(rows, automaton.judge(members[rows], begins.of(rows), histories.of(rows)))
    return found


def _by_automaton(
    judges: Sequence[HistoryJudge[Begin, Of, Outcome]], of_history: Numbers
) -> Iterator[tuple[Automaton[Begin, Of, object, Outcome], Numbers]]:
    """The automata of judges that have histories, each with the rows of these."""
    automata = [judge.automaton for judge in judges]
    for automaton in dict.fromkeys(automata):
        rows = np.flatnonzero(np.array([each is automaton for each in automata], bool)[of_history])
        if len(rows):
            yield automaton, rows
