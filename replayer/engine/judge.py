"""Asks a game about situations, each distinct one once, and remembers the answers with the rulings they hang on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, Final, Generic, TypeVar

from replayer.engine.automaton import SYMBOLS, Table
from replayer.engine.numbered import Numbered
from replayer.engine.ruled import Ruled
from replayer.game import CarriedLaw, Game
from replayer.law.authorisation import Contested
from replayer.outcomes import BankOutcome, Judgement, Outcome_co, RoundOutcome, SeatOutcome
from replayer.rules import AnyRules
from replayer.symbols import BankStory, RoundStory, SeatStory
from replayer.wagers import AnyWager, Due, StakeSituation

REMEMBERED: Final = 30_000
"""How many answers to one question are kept."""
TABULATED: Final = 300_000
"""How many transitions and answers the tables of all judges keep together: some 100 MB."""

Situation = TypeVar("Situation")
Answer = TypeVar("Answer")


class Memory(Generic[Situation, Answer]):
    """A question with its answers so far. Holds because rules are pure: same situation, same answer.

    Equal answers are kept once: there are far fewer of them than of situations.
    """

    def __init__(self, question: Callable[[Situation], Answer], rules: AnyRules) -> None:
        self._question = question
        self._readings = rules.readings
        self._answers: dict[Situation, Ruled[Answer]] = {}
        self._distinct: dict[Ruled[Answer], Ruled[Answer]] = {}

    def __call__(self, situation: Situation) -> Ruled[Answer]:
        """The answer, asked for once."""
        known = self._answers.get(situation)
        if known is None:
            with self._readings.asked() as rulings:
                known = Ruled(self._question(situation), tuple(sorted(rulings)))
            if len(self._answers) >= REMEMBERED:  # so that memory does not grow with the archive
                self._answers.clear()
                self._distinct.clear()
            known = self._answers[situation] = self._distinct.setdefault(known, known)
        return known


class CarriedAnswers:
    """What a game says of wagers that live on into later rounds: a round's result, what is due, whether a marker was moved."""

    def __init__(self, law: CarriedLaw[Any, Any], rules: AnyRules) -> None:
        self.result: Memory[tuple[SeatOutcome | None, BankOutcome | None], str] = Memory(
            lambda parts: law.result(*parts, rules), rules
        )
        self.due: Memory[tuple[str, str], Due | None] = Memory(lambda parts: law.due(*parts, rules), rules)
        self.marker: Memory[tuple[tuple[str, ...], tuple[int, ...]], Judgement[None]] = Memory(
            lambda parts: law.judge_marker(*parts, rules), rules
        )


class Judge:
    """One game under one set of rules, with its memory of situations.

    Stories are answered without the steps that led there; the game itself tells those to who explains a round.

    Args:
        tables: those of seats, banks and rounds, where it shares them with other judges (:func:`judge_of`).
    """

    def __init__(self, game: Game, rules: AnyRules, tables: Mapping[str, Table] | None = None) -> None:
        self.game = game
        self.rules = rules
        self.seat: Memory[SeatStory, Judgement[SeatOutcome]] = Memory(
            lambda story: _result(game.seat.judge(story, rules)), rules
        )
        self.bank: Memory[BankStory, Judgement[BankOutcome]] = Memory(
            lambda story: _result(game.bank.judge(story, rules)), rules
        )
        self.round: Memory[RoundStory, Judgement[RoundOutcome]] = Memory(
            lambda story: _result(game.round.judge(story, rules)), rules
        )
        self.stories: dict[str, Memory[Any, Judgement[Any]]] = {
            "seat": self.seat,
            "bank": self.bank,
            "round": self.round,
        }
        self.tables = tables or {of: _table(game, rules, of) for of in self.stories}
        self.stake: Memory[StakeSituation, Judgement[None]] = Memory(
            lambda stake: game.placing.judge(stake, rules), rules
        )
        self.too_late: Memory[StakeSituation, str] = Memory(lambda stake: game.placing.too_late(stake, rules), rules)
        self.due: Memory[AnyWager, Due] = Memory(lambda wager: game.settlement.due(wager, rules), rules)
        self.void: Memory[tuple[str, str], Due] = Memory(lambda parts: game.settlement.void(*parts, rules), rules)
        self._carried = None if game.carried is None else CarriedAnswers(game.carried, rules)

    @property
    def carried(self) -> CarriedAnswers:
        """What is said of wagers that live on into later rounds.

        Raises:
            LookupError: the game has none.
        """
        if self._carried is None:
            raise LookupError(f"{self.game.name} has no wagers that live on")
        return self._carried

    def wager(self, wager: AnyWager, late: str = "") -> Ruled[Due]:
        """What a wager is due; ``due`` is asked in its narrowest terms, of which there are few where seats meet banks in any way.
        ``late`` is the article by which it came too late, if it did."""
        rulings: tuple[str, ...] = ()
        if wager.kind in self.game.wagers.hand and self.game.settlement.meets(wager.seat, wager.hand, wager.bank):
            met = self.met(wager.seat, wager.bank)
            wager, rulings = wager._replace(bank=met.value), met.rulings
        due = self.due(self.game.settlement.reduced(wager, self.rules)).resting_on(rulings)
        return self.late(due, late) if late else due

    def met(self, seat: SeatOutcome | None, bank: BankOutcome | None) -> Ruled[BankOutcome]:
        """What of the bank's hand the dues of a seat's wagers that meet it turn on."""
        with self.rules.readings.asked() as rulings:
            met = self.game.settlement.met(seat, bank, self.rules)
        return Ruled(met, tuple(sorted(rulings)))

    def late(self, due: Ruled[Due], article: str) -> Ruled[Due]:
        """What a wager is due that came too late by ``article``; ``due`` is what it is due on the cards."""
        with self.rules.readings.asked() as rulings:
            late = self.game.settlement.late(due.value, article, self.rules)
        return Ruled(late, due.rulings).resting_on(rulings)


def _result(told: Judgement[Outcome_co]) -> Judgement[Outcome_co]:
    """What is remembered of it: all but its steps, which only an explanation shows."""
    return Judgement(
        told.outcome,
        told.breaches,
        (),
        told.awaits_bank,
        told.unjudged,
        told.not_checked,
        told.if_play_went_on,
        told.awaits_natural,
    )


def _table(game: Game, rules: AnyRules, of: str) -> Table:
    match of:
        case "seat":
            return Table(rules, game.seat.begins, lambda seat, _: game.seat.of(seat).judged(rules))
        case "bank":
            return Table(rules, lambda _: (game.bank.new,), lambda bank, awaited: bank[0].judged(awaited, rules))
        case _:
            return Table(
                rules, lambda opening: (game.round.begun(opening, rules),), lambda round_, _: round_[0].judged(rules)
            )


_JUDGES: dict[tuple[str, AnyRules], Judge] = {}
_TABLES: dict[tuple[str, str, AnyRules], Table] = {}


def judge_of(game: Game, rules: AnyRules) -> Judge:
    """The judge of a game under ``rules``; the same one for equal rules, so that it remembers across table-days. It shares tables
    with those of rules that differ in nothing that the tables ask (``Game.not_asked``)."""
    key = (game.name, rules)
    if key not in _JUDGES:
        _JUDGES[key] = Judge(game, rules, {of: _shared_table(game, rules, of) for of in game.not_asked})
    return _JUDGES[key]


def _shared_table(game: Game, rules: AnyRules, of: str) -> Table:
    asked = replace(rules, options=_usual(rules.options, game.not_asked[of]))
    key = (game.name, of, asked)
    if key not in _TABLES:
        _TABLES[key] = _table(game, asked, of)
    return _TABLES[key]


def _usual(options: Any, names: Collection[str]) -> Any:
    """The options with the usual values of some of them."""
    if isinstance(options, Contested):
        elected, permitted = (_usual(each, names) for each in (options.elected, options.permitted))
        return Contested(elected, permitted, options.readings)
    usual = type(options)()
    return replace(options, **{name: getattr(usual, name) for name in names})


_ALPHABETS: dict[tuple[str, str], Numbered[Any]] = {}


def keep_in_memory() -> None:
    """Have all tables start anew where they hold more than :data:`TABULATED` together: where every table elects other options."""
    if sum(table.size for table in _TABLES.values()) > TABULATED:
        for table in _TABLES.values():
            table.forget()


def alphabet_of(game: Game, of: str) -> Numbered[Any]:
    """The alphabet of a game's seats, banks or rounds, a new one when it has grown too large."""
    alphabet = _ALPHABETS.get((game.name, of))
    if alphabet is None or len(alphabet.all) > SYMBOLS:
        alphabet = _ALPHABETS[game.name, of] = Numbered()
    return alphabet
