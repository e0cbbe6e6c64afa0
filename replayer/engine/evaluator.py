"""Judges situations by the rules of a game, each distinct one once, with the rulings consulted, and keeps what the table-days of
a process share for that: evaluators, the automata of a regulation, alphabets.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Final, Generic, NamedTuple, TypeVar, TypeVarTuple

from replayer.contract.game import AnyWager, CarriedLaw, Game, Judge
from replayer.contract.machine import AnyBankState, AnyCarriedState, AnyMachine, AnyRoundState, Violations
from replayer.contract.outcomes import Awaited, BankOutcome, Counted, Judgement, Outcome, RoundOutcome, SeatOutcome
from replayer.contract.readings import Readings, may_differ
from replayer.contract.rules import AnyRules, ElectedOptions
from replayer.contract.symbols import BankSymbol, Begin, History, Of, RoundStart, RoundSymbol, SeatSymbol
from replayer.contract.wagers import CarriedRound, Due
from replayer.engine.automaton import SYMBOLS, Automaton, Verdict
from replayer.engine.distinct_values import Numbered
from replayer.engine.ruled import Ruled, ruled
from replayer.law.authorisation import Contested
from replayer.law.untimely import not_before

REMEMBERED: Final = 30_000
"""Results that one function keeps."""

Situation = TypeVarTuple("Situation")
Result = TypeVar("Result")


class Memoised(Generic[*Situation, Result]):
    """A pure function of situations, each in one part or several, under some rules, with its results so far and the rulings that
    they rest on.

    Equal results are kept once, as they are far fewer than situations. Where there is the same function under other readings
    (``other``), its result is taken unless it rests on a ruling that is read differently here.
    """

    def __init__(
        self,
        function: Callable[[*Situation, AnyRules], Result],
        rules: AnyRules,
        other: Memoised[*Situation, Result] | None = None,
    ) -> None:
        self._function = function
        self._rules = rules
        self._other = other
        self._differing = rules.readings.differing(other._rules.readings) if other else frozenset[str]()
        self._uncounted: set[str] = other._uncounted if other else set()
        """The rulings consulted for some result and not counted."""
        self._results: dict[tuple[*Situation], Ruled[Result]] = {}
        self._distinct: dict[Ruled[Result], Ruled[Result]] = {}

    def __call__(self, *situation: *Situation) -> Ruled[Result]:
        """The result for a situation."""
        known = self._results.get(situation)
        if known is None:
            known = self._other(*situation) if self._other else None
            if known is None or may_differ(self._differing, known.rulings, self._uncounted):
                known = ruled(lambda: self._function(*situation, self._rules), self._rules.readings, self._uncounted)
            if len(self._results) >= REMEMBERED:  # so that memory does not grow with the archive
                self._results.clear()
                self._distinct.clear()
            known = self._results[situation] = self._distinct.setdefault(known, known)
        return known


class LastJudged(NamedTuple, Generic[Begin, Outcome]):
    """The last judgement of a history that grows, and of what it was made: its beginning and its events."""

    begin: Begin
    events: Sequence[object]
    judgement: Ruled[Judgement[Outcome]]


class HistoryJudge(Memoised[History[Begin, Of], Judgement[Outcome]]):
    """Judges histories singly: the game's function follows each from its beginning. By its ``automaton``, of which it is a
    ``member``, many are judged at once.

    Where there is an ``other`` under other readings, the verdicts of that one's automaton are taken unless they rest on a ruling
    that is read differently here. Where that one gives none, a history is judged singly under any readings.
    """

    def __init__(
        self,
        judge: Judge[History[Begin, Of], Outcome, object, ElectedOptions],
        automaton: Automaton[Begin, Of, object, Outcome],
        rules: AnyRules,
        other: HistoryJudge[Begin, Of, Outcome] | None,
    ) -> None:
        super().__init__(judge, rules, other)
        self.automaton = automaton
        self.member = automaton.join(rules)
        self.other = other
        self._judge = judge

    @property
    def leading(self) -> HistoryJudge[Begin, Of, Outcome]:
        """The judge whose verdict is looked up first."""
        return self.other or self

    def must_judge(self, verdict: Verdict[Outcome]) -> bool:
        """Whether the verdict of the leading one may differ under these readings."""
        uncounted = self.leading.automaton.uncounted
        return verdict is not None and may_differ(self._differing, verdict.rulings, uncounted)

    def prepare(self, alphabet: Numbered[Of]) -> None:
        """Prepare the automata for histories whose symbols are numbered by ``alphabet``."""
        self.automaton.prepare(alphabet)
        if self.other is not None:
            self.other.automaton.prepare(alphabet)

    def judge_again(
        self,
        begin: Begin,
        events: Sequence[object],
        last: LastJudged[Begin, Outcome] | None,
        alphabet: Numbered[Of],
        symbols: Callable[[], Iterable[Of]],
        whole: Callable[[], History[Begin, Of]],
    ) -> LastJudged[Begin, Outcome]:
        """Judge a history that grows, anew only where it is another than at the ``last`` judgement by this same judge.

        Args:
            events: of which it is made.
            alphabet: by which its symbols are numbered.
            symbols: gives these.
            whole: gives the history itself, which has suits.
        """
        if last is not None and last.begin == begin and last.events == events:
            return last
        numbers = [alphabet.number(symbol) for symbol in symbols()]
        self.prepare(alphabet)
        verdict = self.leading.automaton.judge_one(self.leading.member, begin, numbers)
        if self.must_judge(verdict):
            verdict = self.automaton.judge_one(self.member, begin, numbers)
        return LastJudged(begin, [*events], verdict or self(whole()))

    def with_steps(self, history: History[Begin, Of]) -> Ruled[Judgement[Outcome]]:
        """The judgement of a history with its explanatory steps."""
        return ruled(lambda: self._judge(history, self._rules, steps=True), self._rules.readings)


class Automata(NamedTuple):
    """The automata of a game's seats, banks and rounds."""

    seat: Automaton[str, SeatSymbol, AnyMachine[SeatSymbol], SeatOutcome]
    bank: Automaton[Awaited, BankSymbol, AnyBankState, BankOutcome]
    round: Automaton[RoundStart, RoundSymbol, AnyRoundState, RoundOutcome]

    @property
    def size(self) -> int:
        """The number of transitions and verdicts held."""
        return sum(each.size for each in self)

    def forget(self) -> None:
        """Start anew."""
        for each in self:
            each.forget()

    @classmethod
    def of(cls, game: Game) -> Automata:
        """New ones of a game."""
        return cls(
            Automaton(
                game.seat.begin,
                lambda seat, symbol, rules: seat.after(symbol, rules),
                lambda ends, _, rules: game.seat.judgement(ends, rules),
            ),
            Automaton(
                lambda awaited, rules: (game.bank.new,),
                lambda bank, symbol, rules: bank.after(symbol, rules),
                lambda ends, awaited, rules: ends[0].judgement(awaited, rules),
            ),
            Automaton(
                lambda start, rules: (game.round.new(start, rules),),
                lambda round_, symbol, rules: round_.after(symbol, rules),
                lambda ends, _, rules: ends[0].judgement(rules),
            ),
        )


class CarriedEvaluator:
    """A game's rules for carried wagers: the result of a round, what is due and when, the marker."""

    def __init__(self, law: CarriedLaw[object, ElectedOptions, SeatOutcome, BankOutcome], rules: AnyRules) -> None:
        self.result = Memoised(law.result, rules)
        self.new = Memoised(law.new, rules)
        self.step: Memoised[AnyCarriedState, CarriedRound, tuple[AnyCarriedState, Violations]] = Memoised(
            lambda state, played, rules: state.step(played, rules), rules
        )
        self.due: Memoised[AnyCarriedState, int, Violations, Due] = Memoised(
            lambda state, rounds, violations, rules: state.due(rounds, violations, rules), rules
        )
        self.awaits = Memoised(law.awaits, rules)
        self.not_before: Memoised[Due, Awaited, Due] = Memoised(lambda due, awaits, _: not_before(due, awaits), rules)
        self.marker = Memoised(law.judge_marker, rules)


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
        of_seat, of_bank, of_round = automata or Automata.of(game)
        seat, bank, round_ = (other.seat, other.bank, other.round) if other else (None, None, None)
        self.seat: HistoryJudge[str, SeatSymbol, SeatOutcome] = HistoryJudge(game.seat.judge, of_seat, rules, seat)
        self.bank: HistoryJudge[Awaited, BankSymbol, BankOutcome] = HistoryJudge(game.bank.judge, of_bank, rules, bank)
        self.round: HistoryJudge[RoundStart, RoundSymbol, RoundOutcome] = HistoryJudge(
            game.round.judge, of_round, rules, round_
        )
        self.stake = Memoised(game.placing.judge, rules)
        self.in_time = Memoised(game.placing.in_time, rules)
        self.due = Memoised(game.settlement.due, rules)
        self.void = Memoised(game.settlement.void, rules)
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
        _AUTOMATA.clear()  # each keeps the rules of all that joined it
    by_readings = _EVALUATORS.setdefault(key, {})
    if rules.readings not in by_readings:
        first = next(iter(by_readings.values()), None)
        by_readings[rules.readings] = Evaluator(game, rules, automata_of(game, rules), first)
    return by_readings[rules.readings]


_AUTOMATA: dict[Hashable, Automata] = {}


def automata_of(game: Game, rules: AnyRules) -> Automata:
    """The automata of a game that all tables under one regulation and the same readings share."""
    contested = rules if isinstance(rules.options, Contested) else None
    shared = (game.name, rules.regulation, rules.readings, contested)
    return _AUTOMATA.get(shared) or _AUTOMATA.setdefault(shared, Automata.of(game))


TABULATED: Final = 150_000
"""Transitions and verdicts that all automata keep together: some 50 MB."""


def limit_memory() -> None:
    """Empty the least recently used automata while all together hold more than :data:`TABULATED`, as happens where each table-day
    is settled under every reading."""
    over = sum(automata.size for automata in _AUTOMATA.values()) - TABULATED
    for automata in sorted(_AUTOMATA.values(), key=lambda automata: automata.seat.last_read):
        if over <= 0:
            return
        over -= automata.size
        automata.forget()


class Alphabets(NamedTuple):
    """The symbols of a game's seats, banks and rounds so far."""

    seat: Numbered[SeatSymbol]
    bank: Numbered[BankSymbol]
    round: Numbered[RoundSymbol]


_ALPHABETS: dict[str, Alphabets] = {}


def alphabets_of(game: Game) -> Alphabets:
    """The alphabets of a game, new ones when one has grown too large."""
    alphabets = _ALPHABETS.get(game.name)
    if alphabets is None or any(len(each.all) > SYMBOLS for each in alphabets):
        alphabets = _ALPHABETS[game.name] = Alphabets(Numbered(), Numbered(), Numbered())
    return alphabets
