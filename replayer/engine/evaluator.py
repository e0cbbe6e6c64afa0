"""Evaluates situations by the rules of a game, each distinct one once, and keeps the results with the rulings consulted."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any, Final, Generic, TypeVar

from replayer.engine.automaton import SYMBOLS, Automaton, Table
from replayer.engine.numbered import Numbered
from replayer.engine.reread import Reread
from replayer.engine.ruled import Ruled
from replayer.game import CarriedLaw, Game
from replayer.law.authorisation import Contested
from replayer.law.rulings import Readings
from replayer.law.settled_early import not_before
from replayer.outcomes import BankOutcome, Counted, Judgement, Outcome_co, RoundOutcome, SeatOutcome
from replayer.rules import AnyRules, ElectedOptions
from replayer.symbols import BankHistory, RoundHistory, SeatHistory, Symbol
from replayer.wagers import AnyWager, CarriedRound, Due, StakeSituation, Void

SUBJECTS: Final = ("seat", "bank", "round")
"""The subjects of histories."""
REMEMBERED: Final = 30_000
"""Results that one function keeps."""
TABULATED: Final = 150_000
"""Transitions and verdicts that all automata keep together: some 50 MB."""

Situation = TypeVar("Situation")
Result = TypeVar("Result")


class Memoised(Generic[Situation, Result]):
    """A pure function of situations with its results so far and the rulings that they rest on.

    Equal results are kept once, as they are far fewer than situations. Where there is the same function under other readings
    (``other``), its result is taken unless it rests on a ruling that is read differently here (``differing``).
    """

    def __init__(
        self,
        function: Callable[[Situation], Result],
        rules: AnyRules,
        other: Memoised[Situation, Result] | None = None,
        differing: frozenset[str] = frozenset(),
    ) -> None:
        self._function = function
        self._other = other
        self._differing = differing
        self._readings = rules.readings
        self._results: dict[Situation, Ruled[Result]] = {}
        self._distinct: dict[Ruled[Result], Ruled[Result]] = {}

    def __call__(self, situation: Situation) -> Ruled[Result]:
        """The result for a situation."""
        known = self._results.get(situation)
        if known is None:
            known = self._other(situation) if self._other else None
            if known is None or Readings.may_differ(self._differing, known.rulings):
                with self._readings.consulted() as rulings:
                    known = Ruled(self._function(situation), tuple(sorted(rulings)))
            if len(self._results) >= REMEMBERED:  # so that memory does not grow with the archive
                self._results.clear()
                self._distinct.clear()
            known = self._results[situation] = self._distinct.setdefault(known, known)
        return known


class CarriedEvaluator:
    """A game's rules for carried wagers: the result of a round, what is due and when, the marker."""

    def __init__(self, law: CarriedLaw[object, ElectedOptions, SeatOutcome, BankOutcome], rules: AnyRules) -> None:
        self.result: Memoised[tuple[SeatOutcome | None, BankOutcome | None], str | None] = Memoised(
            lambda parts: law.result(*parts, rules), rules
        )
        self.due: Memoised[tuple[str, tuple[CarriedRound, ...]], Due | None] = Memoised(
            lambda parts: law.due(*parts, rules), rules
        )
        self.awaits: Memoised[SeatOutcome, str] = Memoised(lambda seat: law.awaits(seat, rules), rules)
        self.not_before: Memoised[tuple[Due, str], Due] = Memoised(lambda parts: not_before(*parts), rules)
        self.marker: Memoised[tuple[frozenset[tuple[CarriedRound, ...]], tuple[int, ...]], Judgement[None]] = Memoised(
            lambda parts: law.judge_marker(*parts, rules), rules
        )


class Evaluator:
    """One game under one set of rules, with the results of the situations evaluated so far.

    Judgements of histories have no explanatory steps here; an explanation takes them from the game itself.

    Args:
        tables: the tables of seats, banks and rounds, where it shares automata with other evaluators (:func:`evaluator_of`).
        other: an evaluator with the same rules under other readings, whose results are tried first.
    """

    def __init__(
        self,
        game: Game,
        rules: AnyRules,
        tables: Mapping[str, Table | Reread] | None = None,
        other: Evaluator | None = None,
    ) -> None:
        self.game = game
        self.rules = rules
        differing = rules.readings.differing(other.rules.readings) if other else frozenset[str]()
        self.seat: Memoised[SeatHistory, Judgement[SeatOutcome]] = Memoised(
            lambda history: _result(game.seat.judge(history, rules)), rules, other.seat if other else None, differing
        )
        self.bank: Memoised[BankHistory, Judgement[BankOutcome]] = Memoised(
            lambda history: _result(game.bank.judge(history, rules)), rules, other.bank if other else None, differing
        )
        self.round: Memoised[RoundHistory, Judgement[RoundOutcome]] = Memoised(
            lambda history: _result(game.round.judge(history, rules)), rules, other.round if other else None, differing
        )
        self.histories: dict[str, Memoised[Any, Judgement[Any]]] = {
            "seat": self.seat,
            "bank": self.bank,
            "round": self.round,
        }
        self.tables = tables or {subject: _joined(_automaton(game, subject), rules) for subject in SUBJECTS}
        self.stake: Memoised[StakeSituation, Judgement[None]] = Memoised(
            lambda stake: game.placing.judge(stake, rules), rules
        )
        self.too_late: Memoised[StakeSituation, str] = Memoised(
            lambda stake: game.placing.too_late(stake, rules), rules
        )
        self.due: Memoised[AnyWager, Due] = Memoised(lambda wager: game.settlement.due(wager, rules), rules)
        self.void: Memoised[tuple[str, Void], Due] = Memoised(lambda parts: game.settlement.void(*parts, rules), rules)
        self.counted: dict[str, Counted] = {}
        """Totals of cards, under the caller's keys (``replayer.verdicts.hands``)."""
        self._carried = None if game.carried is None else CarriedEvaluator(game.carried, rules)

    @property
    def carried(self) -> CarriedEvaluator:
        """The rules for carried wagers.

        Raises:
            LookupError: the game has no such wagers.
        """
        if self._carried is None:
            raise LookupError(f"{self.game.name} has no wagers that live on")
        return self._carried

    def wager(self, wager: AnyWager, late: str = "") -> Ruled[Due]:
        """What a wager is due. The wager is reduced first, because few distinct reduced wagers stand for all pairs of seat and
        bank. ``late`` is the article by which it came too late, if it did."""
        rulings: tuple[str, ...] = ()
        if wager.kind in self.game.wagers.hand and self.game.settlement.meets(wager.seat, wager.hand, wager.bank):
            met = self.met(wager.seat, wager.bank)
            wager, rulings = wager._replace(bank=met.value), met.rulings
        due = self.due(self.game.settlement.reduced(wager)).resting_on(rulings)
        return self.late(due, late) if late else due

    def met(self, seat: SeatOutcome | None, bank: BankOutcome | None) -> Ruled[BankOutcome | None]:
        """The part of the bank's hand that decides the dues of a seat held against it."""
        if self.game.settlement.met is None or seat is None or bank is None:
            return Ruled(bank)
        with self.rules.readings.consulted() as rulings:
            met = self.game.settlement.met(seat, bank, self.rules)
        return Ruled(met, tuple(sorted(rulings)))

    def late(self, due: Ruled[Due], article: str) -> Ruled[Due]:
        """What a wager is due that came too late by ``article``; ``due`` is its due by the cards."""
        with self.rules.readings.consulted() as rulings:
            late = self.game.settlement.late(due.value, article, self.rules)
        return Ruled(late, due.rulings).resting_on(rulings)


def _result(judgement: Judgement[Outcome_co]) -> Judgement[Outcome_co]:
    """The judgement without its steps, which only an explanation shows."""
    return replace(judgement, steps=())


def _automaton(game: Game, subject: str) -> Automaton:
    match subject:
        case "seat":
            return Automaton(
                lambda upcard, _: game.seat.machines(upcard),
                lambda seat, _, rules: game.seat.judge_machines(seat, rules),
            )
        case "bank":
            return Automaton(
                lambda _, __: (game.bank.new,), lambda bank, awaited, rules: bank[0].judgement(awaited, rules)
            )
        case _:
            return Automaton(
                lambda round_start, rules: (game.round.new(round_start, rules),),
                lambda round_, _, rules: round_[0].judgement(rules),
            )


def _joined(automaton: Automaton, rules: AnyRules) -> Table:
    return Table(automaton, automaton.join(rules))


_EVALUATORS: dict[Hashable, dict[Readings, Evaluator]] = {}
_AUTOMATA: dict[Hashable, Automaton] = {}


def evaluator_of(game: Game, rules: AnyRules) -> Evaluator:
    """The evaluator of a game under ``rules``; equal rules get the same one, so that results last across table-days.

    It shares automata with all evaluators of the regulation under the same readings, and with the first evaluator of the same
    rules under other readings those results that rest on no ruling read differently."""
    key = (game.name, rules.regulation, rules.options, rules.unauthorised, rules.recorded)
    by_readings = _EVALUATORS.setdefault(key, {})
    if rules.readings not in by_readings:
        first = next(iter(by_readings.values()), None)
        tables = {subject: _table(game, rules, subject, first) for subject in SUBJECTS}
        by_readings[rules.readings] = Evaluator(game, rules, tables, first)
    return by_readings[rules.readings]


def _table(game: Game, rules: AnyRules, subject: str, first: Evaluator | None) -> Table | Reread:
    contested = rules if isinstance(rules.options, Contested) else None
    key = (game.name, subject, rules.regulation, rules.readings, contested)
    if key not in _AUTOMATA:
        _AUTOMATA[key] = _automaton(game, subject)
    own = _joined(_AUTOMATA[key], rules)
    return (
        own if first is None else Reread(own, first.tables[subject].own, rules.readings.differing(first.rules.readings))
    )


_ALPHABETS: dict[tuple[str, str], Numbered[Symbol]] = {}


def limit_memory() -> None:
    """Empty the least recently used automata while all together hold more than :data:`TABULATED`, as happens where each table-day
    is settled under every reading."""
    over = sum(automaton.size for automaton in _AUTOMATA.values()) - TABULATED
    for automaton in sorted(_AUTOMATA.values(), key=lambda automaton: automaton.last_read):
        if over <= 0:
            return
        over -= automaton.size
        automaton.forget()


def alphabet_of(game: Game, subject: str) -> Numbered[Symbol]:
    """The alphabet of a game's seats, banks or rounds, a new one when it has grown too large."""
    alphabet = _ALPHABETS.get((game.name, subject))
    if alphabet is None or len(alphabet.all) > SYMBOLS:
        alphabet = _ALPHABETS[game.name, subject] = Numbered()
    return alphabet
