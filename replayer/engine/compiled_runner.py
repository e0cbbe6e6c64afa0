"""Judges many histories at once through tables of transitions: those of seats, banks and rounds under each set of rules, the
automata behind them, which tables of a regulation share, and their alphabets.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, Generic, NamedTuple

import numpy as np

from replayer.contract.game import Game
from replayer.contract.machine import AnyBankState, AnyMachine, AnyRoundState
from replayer.contract.outcomes import Awaited, BankOutcome, Outcome, RoundOutcome, SeatOutcome
from replayer.contract.readings import may_differ
from replayer.contract.rules import AnyRules
from replayer.contract.symbols import BankSymbol, Begin, Of, RoundStart, RoundSymbol, SeatSymbol
from replayer.engine.automaton import SYMBOLS, Automaton, Verdict
from replayer.engine.distinct_values import ColumnOf, Numbered, Numbers
from replayer.engine.transitions import Symbols
from replayer.law.authorisation import Contested

TABULATED: Final = 150_000
"""Transitions and verdicts that all automata keep together: some 50 MB."""


class TransitionTable(NamedTuple, Generic[Begin, Of, Outcome]):
    """An automaton, and the member under whose rules it is used.

    ``first`` is a table of the same rules under other readings, whose verdicts are taken where they rest on none of the
    ``differing`` rulings, which the two read differently: these are the same. Where it gives none, a history is judged singly
    under any readings.
    """

    automaton: Automaton[Begin, Of, object, Outcome]
    member: int
    first: TransitionTable[Begin, Of, Outcome] | None = None
    differing: frozenset[str] = frozenset()

    @property
    def leading(self) -> TransitionTable[Begin, Of, Outcome]:
        """The table whose verdict is looked up first."""
        return self.first or self

    def must_judge(self, verdict: Verdict[Outcome]) -> bool:
        """Whether the verdict of the leading one may differ under these readings."""
        uncounted = self.leading.automaton.uncounted
        return verdict is not None and may_differ(self.differing, verdict.rulings, uncounted)


def make_ready(tables: Sequence[TransitionTable[Begin, Of, Outcome]], alphabet: Numbered[Of]) -> None:
    """Prepare their automata for histories whose symbols are numbered by ``alphabet``."""
    for table in tables:
        table.automaton.prepare(alphabet)
        if table.first is not None:
            table.first.automaton.prepare(alphabet)


def judge_many(
    tables: Sequence[TransitionTable[Begin, Of, Outcome]],
    of_history: Numbers,
    begins: ColumnOf[Begin],
    histories: Symbols,
) -> ColumnOf[Verdict[Outcome]]:
    """The verdicts on histories; ``of_history`` has the number of each one's table."""
    found = _judge([table.leading for table in tables], of_history, begins, histories)
    if any(table.first is not None for table in tables):
        must_judge = np.array([[table.must_judge(verdict) for verdict in found.values] for table in tables], bool)
        again = np.flatnonzero(must_judge[of_history, found.numbers])
        found = found.with_others(again, _judge(tables, of_history[again], begins.of(again), histories.of(again)))
    return found


def _judge(
    tables: Sequence[TransitionTable[Begin, Of, Outcome]],
    of_history: Numbers,
    begins: ColumnOf[Begin],
    histories: Symbols,
) -> ColumnOf[Verdict[Outcome]]:
    members = np.array([table.member for table in tables], np.int64)[of_history]
    found: ColumnOf[Verdict[Outcome]] = ColumnOf([], np.zeros(len(of_history), np.int64))
    automata = [table.automaton for table in tables]
    for automaton in dict.fromkeys(automata):
        rows = np.flatnonzero(np.array([each is automaton for each in automata], bool)[of_history])
        found = found.with_others(rows, automaton.judge(members[rows], begins.of(rows), histories.of(rows)))
    return found


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


_AUTOMATA: dict[Hashable, Automata] = {}


def automata_of(game: Game, rules: AnyRules) -> Automata:
    """The automata of a game that all tables under one regulation and the same readings share."""
    contested = rules if isinstance(rules.options, Contested) else None
    shared = (game.name, rules.regulation, rules.readings, contested)
    return _AUTOMATA.get(shared) or _AUTOMATA.setdefault(shared, Automata.of(game))


def forget_automata() -> None:
    """Keep no automata for evaluators to come: each keeps the rules of all evaluators that joined it."""
    _AUTOMATA.clear()


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
