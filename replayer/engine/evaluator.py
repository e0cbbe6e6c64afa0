"""Evaluates situations by the rules of a game, each distinct one once, and keeps the results with the rulings consulted."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Final, Generic, TypeVar

from replayer.contract.game import AnyWager, CarriedLaw, Game, Judge
from replayer.contract.machine import AnyCarriedState, Violations
from replayer.contract.outcomes import Awaited, BankOutcome, Counted, Judgement, Outcome, RoundOutcome, SeatOutcome
from replayer.contract.readings import Readings, may_differ
from replayer.contract.rules import AnyRules, ElectedOptions
from replayer.contract.symbols import BankSymbol, Begin, History, Of, RoundStart, RoundSymbol, SeatSymbol
from replayer.contract.wagers import CarriedRound, Due, StakeSituation
from replayer.engine.automaton import Automaton
from replayer.engine.compiled_runner import Automata, TransitionTable, automata_of, forget_automata
from replayer.engine.ruled import Ruled, ruled
from replayer.law.untimely import not_before

REMEMBERED: Final = 30_000
"""Results that one function keeps."""

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
        self._uncounted: set[str] = other._uncounted if other else set()
        """The rulings consulted for some result and not counted."""
        self._results: dict[Situation, Ruled[Result]] = {}
        self._distinct: dict[Ruled[Result], Ruled[Result]] = {}

    def __call__(self, situation: Situation) -> Ruled[Result]:
        """The result for a situation."""
        known = self._results.get(situation)
        if known is None:
            known = self._other(situation) if self._other else None
            if known is None or may_differ(self._differing, known.rulings, self._uncounted):
                known = ruled(lambda: self._function(situation), self._readings, self._uncounted)
            if len(self._results) >= REMEMBERED:  # so that memory does not grow with the archive
                self._results.clear()
                self._distinct.clear()
            known = self._results[situation] = self._distinct.setdefault(known, known)
        return known


class HistoryJudge(Memoised[History[Begin, Of], Judgement[Outcome]]):
    """Judges histories singly: the game's function follows each from its beginning. Its ``table`` judges many at once."""

    def __init__(
        self,
        judge: Judge[History[Begin, Of], Outcome, object, ElectedOptions],
        automaton: Automaton[Begin, Of, object, Outcome],
        rules: AnyRules,
        other: HistoryJudge[Begin, Of, Outcome] | None,
        differing: frozenset[str],
    ) -> None:
        super().__init__(lambda history: judge(history, rules), rules, other, differing)
        first = other.table if other else None
        self.table: TransitionTable[Begin, Of, Outcome] = TransitionTable(
            automaton, automaton.join(rules), first, differing
        )
        self._judge = judge
        self._rules = rules

    def with_steps(self, history: History[Begin, Of]) -> Ruled[Judgement[Outcome]]:
        """The judgement of a history with its explanatory steps."""
        return ruled(lambda: self._judge(history, self._rules, steps=True), self._readings)


class CarriedEvaluator:
    """A game's rules for carried wagers: the result of a round, what is due and when, the marker."""

    def __init__(self, law: CarriedLaw[object, ElectedOptions, SeatOutcome, BankOutcome], rules: AnyRules) -> None:
        self.result: Memoised[tuple[SeatOutcome | None, BankOutcome | None], str | None] = Memoised(
            lambda parts: law.result(*parts, rules), rules
        )
        self.new: Memoised[str, AnyCarriedState] = Memoised(lambda kind: law.new(kind, rules), rules)
        self.step: Memoised[tuple[AnyCarriedState, CarriedRound], tuple[AnyCarriedState, Violations]] = Memoised(
            lambda parts: parts[0].step(parts[1], rules), rules
        )
        self.due: Memoised[tuple[AnyCarriedState, int, Violations], Due] = Memoised(
            lambda ended: ended[0].due(ended[1], ended[2], rules), rules
        )
        self.awaits: Memoised[SeatOutcome, Awaited] = Memoised(lambda seat: law.awaits(seat, rules), rules)
        self.not_before: Memoised[tuple[Due, Awaited], Due] = Memoised(lambda parts: not_before(*parts), rules)
        self.marker: Memoised[tuple[frozenset[int], bool, tuple[int, ...]], Judgement[None]] = Memoised(
            lambda parts: law.judge_marker(*parts, rules), rules
        )


class Evaluator:
    """One game under one set of rules, with the results of the situations evaluated so far.

    Args:
        automata: those that it shares with other evaluators (:func:`evaluator_of`); its own where it shares none.
        other: an evaluator with the same rules under other readings, whose results are tried first.
    """

    def __init__(
        self, game: Game, rules: AnyRules, automata: Automata | None = None, other: Evaluator | None = None
    ) -> None:
        self.game = game
        self.rules = rules
        differing = rules.readings.differing(other.rules.readings) if other else frozenset[str]()
        of_seat, of_bank, of_round = automata or Automata.of(game)
        seat, bank, round_ = (other.seat, other.bank, other.round) if other else (None, None, None)
        self.seat: HistoryJudge[str, SeatSymbol, SeatOutcome] = HistoryJudge(
            game.seat.judge, of_seat, rules, seat, differing
        )
        self.bank: HistoryJudge[Awaited, BankSymbol, BankOutcome] = HistoryJudge(
            game.bank.judge, of_bank, rules, bank, differing
        )
        self.round: HistoryJudge[RoundStart, RoundSymbol, RoundOutcome] = HistoryJudge(
            game.round.judge, of_round, rules, round_, differing
        )
        self.stake: Memoised[StakeSituation, Judgement[None]] = Memoised(
            lambda stake: game.placing.judge(stake, rules), rules
        )
        self.too_late: Memoised[StakeSituation, str] = Memoised(
            lambda stake: game.placing.too_late(stake, rules), rules
        )
        self.due: Memoised[AnyWager, Due] = Memoised(lambda wager: game.settlement.due(wager, rules), rules)
        self.void: Memoised[str, Due] = Memoised(lambda article: game.settlement.void(article, rules), rules)
        self.counted: dict[int, Counted] = {}
        """Totals of cards, under the caller's keys (``replayer.verdicts.hands``)."""

    @cached_property
    def carried(self) -> CarriedEvaluator:
        """The rules for carried wagers.

        Raises:
            LookupError: the game has no such wagers.
        """
        if self.game.carried is None:
            raise LookupError(f"{self.game.name} has no wagers that live on")
        return CarriedEvaluator(self.game.carried, self.rules)

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
        comparison = self.game.settlement.comparison
        if comparison is None or seat is None or bank is None:
            return Ruled(bank)
        return ruled(lambda: comparison.met(seat, bank, self.rules), self.rules.readings)

    def depends_on_lateness(self, wager: AnyWager) -> bool:
        """Whether a wager is due something else if it came too late."""
        return self.wager(wager).value.odds != self.wager(wager, "any").value.odds

    def late(self, due: Ruled[Due], article: str) -> Ruled[Due]:
        """What a wager is due that came too late by ``article``; ``due`` is its due by the cards."""
        late = ruled(lambda: self.game.settlement.late(due.value, article, self.rules), self.rules.readings)
        return late.resting_on(due.rulings)


_EVALUATORS: dict[Hashable, dict[Readings, Evaluator]] = {}
MOST_RULES: Final = 1 << 10
"""Sets of rules of which evaluators are kept. A pit has some hundreds; a log may elect other limits for every round."""


def evaluator_of(game: Game, rules: AnyRules) -> Evaluator:
    """The evaluator of a game under ``rules``; equal rules get the same one, so that results last across table-days.

    It shares automata with all evaluators of the regulation under the same readings, and with the first evaluator of the same
    rules under other readings those results that rest on no ruling read differently."""
    key = (game.name, rules.regulation, rules.options, rules.unauthorised, rules.recorded)
    if key not in _EVALUATORS and len(_EVALUATORS) >= MOST_RULES:
        _EVALUATORS.clear()
        forget_automata()
    by_readings = _EVALUATORS.setdefault(key, {})
    if rules.readings not in by_readings:
        first = next(iter(by_readings.values()), None)
        by_readings[rules.readings] = Evaluator(game, rules, automata_of(game, rules), first)
    return by_readings[rules.readings]
