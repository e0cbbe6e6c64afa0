"""A game as the engine sees it: adding a game means making one :class:`GameOf`.

A round is cut into *situations*: the histories of its seats, of its bank and of the round, in which names and amounts do not
occur (``replayer.contract.symbols``), and its wagers as they were placed and as they end (``replayer.contract.wagers``). These
repeat, so most histories are judged by tables of transitions (``replayer.engine.automaton``), the others once each; a judgement
is joined back to every place where its situation occurred. All functions are pure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Never, Protocol, TypeAlias, TypeVar

from replayer.contract import machine
from replayer.contract.cards import Card
from replayer.contract.machine import Law_contra, Options_contra
from replayer.contract.outcomes import (
    Awaited,
    Bank,
    BankOutcome,
    Breach,
    Counted,
    First,
    FirstCardsOutcome,
    Judgement,
    Outcome_co,
    RoundOutcome,
    Seat,
    SeatOutcome,
)
from replayer.contract.rules import ElectedOptions, OptionFault, Rules
from replayer.contract.symbols import BankHistory, RoundHistory, RoundStart, SeatHistory, SeatSymbol
from replayer.contract.wagers import WHOLE_HAND, WHOLE_SEAT, Bet, Due, StakeSituation, WagerSituation
from schemas.finding import Code

Law = TypeVar("Law")
"""A game's own record of a regulation and its articles."""
Options = TypeVar("Options", bound=ElectedOptions)
History_contra = TypeVar("History_contra", contravariant=True)
SeatStates = TypeVar("SeatStates", bound=tuple[machine.Machine[SeatSymbol, Never, Never], ...])
"""States of the machines of a game's seats."""
Bound: TypeAlias = tuple[int, Breach] | None
"""A bound, and the breach of what goes beyond it; None where there is none."""


@dataclass(frozen=True, slots=True)
class WagerKinds:
    """The kinds of wagers that a game has.

    Attributes:
        base: the wagers on which others depend (main, ante).
        seat: the wagers by which a player takes a seat: the base wagers, and those allowed on a seat without one.
        opening: the wagers that open a further hand, on which what is added there rests (split).
        play: all wagers that the outcomes of hand and bank decide; they appear in the seat history. Those of ``first_cards`` and
            ``carried`` do not.
        hand: the wagers in ``play`` whose due may depend on more of the bank's hand than its fate (``Settlement.meets``).
        first_cards: the wagers decided by the seat's cards with their suits (``Game.first_cards``).
        carried: the wagers carried into later rounds (``Game.carried``).
        settled_alone: the wagers on a hand that have a settlement of their own where a log settles the hand in one amount
            (insurance).
    """

    base: frozenset[str] = frozenset()
    seat: frozenset[str] = frozenset()
    opening: frozenset[str] = frozenset()
    play: frozenset[str] = frozenset()
    hand: frozenset[str] = frozenset()
    first_cards: frozenset[str] = frozenset()
    carried: frozenset[str] = frozenset()
    settled_alone: frozenset[str] = frozenset()

    @property
    def dealt(self) -> frozenset[str]:
        """The wagers for which a seat is dealt cards: all but those placed on dealt hands."""
        return self.seat | self.first_cards | self.carried

    @property
    def settling(self) -> frozenset[str]:
        """The kinds of settlements that settle a hand."""
        return self.hand | {WHOLE_HAND, WHOLE_SEAT}


@dataclass(frozen=True, slots=True)
class Actions:
    """The words for what players decide.

    Attributes:
        closing: the decisions that fix what a hand is due, whatever the bank gets (surrender, fold).
        timed: those whose moment matters.
        aside: those that are no play of the hand (insurance, even money).
        standing: those to take no more cards; some logs record none of them (``replayer.contract.rules.STANDS``).
        separating: those that make two hands of one.
    """

    closing: frozenset[str]
    timed: frozenset[str] = frozenset()
    aside: frozenset[str] = frozenset()
    standing: frozenset[str] = frozenset()
    separating: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Placing(Generic[Law, Options]):
    """How wagers may be placed.

    Attributes:
        judge: the breaches of a wager by its time and stake.
        in_time: the one by its time; None where it was in time, or the log does not show it. Depends on kind, hand, moment,
            ``begun`` and ``splits`` only. From the first card on, which is the deadline of the texts, such a wager is too late.
        most: the largest sum of a round's wagers, in minor units.
        last_seat: the last seat on which one may lie.
        without_occupant: the breach of a base wager on a further seat at which nobody sits who bets; None where it may lie there.
    """

    judge: Callable[[StakeSituation, Rules[Law, Options]], Judgement[None]]
    in_time: Callable[[StakeSituation, Rules[Law, Options]], Breach | None]
    most: Callable[[Rules[Law, Options]], Bound] = lambda _: None
    last_seat: Callable[[Rules[Law, Options]], Bound] = lambda _: None
    without_occupant: Callable[[Rules[Law, Options]], Breach | None] = lambda _: None


class Judge(Protocol[History_contra, Outcome_co, Law_contra, Options_contra]):
    """Judges a history."""

    def __call__(
        self, history: History_contra, rules: Rules[Law_contra, Options_contra], /, *, steps: bool = False
    ) -> Judgement[Outcome_co]:
        """The judgement, with its explanatory ``steps`` where they are wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLaw(Generic[Law, Options, SeatStates, Seat]):
    """A seat in its round, which several machines may follow.

    Attributes:
        begin: their states before the first event, by the class of the bank's open card; each takes every event.
        judgement: the judgement by their final states, equal to ``judge`` without steps, and ``unplaced`` where that has
            breaches ``if_bank_played``. None where a rule was broken or the states do not determine the outcome: the history is
            then judged singly.
        judge: the judgement of a history.
        new: its state before the round as a croupier follows it, with the bank's open card unknown.
        suited: the ranks of cards whose suits matter to machines; a history judged singly has all suits.
        upcards: from the rank of the bank's first card dealt open to the class on which a seat's rights depend; empty where none
            does, and where the bank's cards are dealt face down.
        hands: the cards of each of its hands, from a history with suits, in the order dealt.
        counted: the total of a hand's cards, in any order; without rules where the rules are unknown. Hands with the same ranks
            and, in a game with suits (``BankLaw.suited``), the same number of suits have the same total.
        judge_other: the breach where a player who does not bet at the seat takes a decision, by its name.
        called_behind: the breach of calling the total of its first cards behind that of a seat farther to the right; None where
            they need not be called in that order.
    """

    begin: Callable[[str, Rules[Law, Options]], SeatStates]
    judgement: Callable[[SeatStates, Rules[Law, Options]], Judgement[Seat] | None]
    judge: Judge[SeatHistory, Seat, Law, Options]
    new: machine.SeatState[Law, Options]
    suited: frozenset[str]
    upcards: Mapping[str, str]
    hands: Callable[[SeatHistory, Rules[Law, Options]], Sequence[Sequence[Card]]]
    counted: Callable[[Sequence[Card], Rules[Law, Options] | None], Counted]
    judge_other: Callable[[str, Rules[Law, Options]], Breach | None]
    called_behind: Callable[[Rules[Law, Options]], Breach | None] = lambda _: None


@dataclass(frozen=True, slots=True, kw_only=True)
class BankLaw(Generic[Law, Options, Bank]):
    """The bank in a round: one hand, to which all cards belong that a log gives to a further one.

    Attributes:
        judge: the judgement of a history.
        new: its machine before its first card.
        suited: as in :class:`SeatLaw`.
        undrawn: by the code of a finding that it did not take a card which it must take, all that is known of its outcome with
            that card.
    """

    judge: Judge[BankHistory, Bank, Law, Options]
    new: machine.BankState[Law, Options, Bank]
    suited: frozenset[str]
    undrawn: Mapping[Code, Bank] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundLaw(Generic[Law, Options]):
    """The deal of a round and the turns in it. Where an article makes the whole round invalid, wagers are due what
    ``Settlement.void`` says, whether or not the log declares the round void.

    Attributes:
        judge: the judgement of a history.
        new: its machine before the first event.
        interchangeable_seats: seats up to this number differ only by their order from the left.
        drawn_to: whether hands draw cards. If so, from the first decision on a card to a seat stands in the history as a decision
            there, except the first card after a shuffle, and repetitions are left out; else every card stands as a card.
        unprepared: the codes of findings that something was not done to make the cards ready.
    """

    judge: Judge[RoundHistory, RoundOutcome, Law, Options]
    new: Callable[[RoundStart, Rules[Law, Options]], machine.RoundState[Law, Options]]
    interchangeable_seats: int
    drawn_to: bool
    unprepared: frozenset[Code]


@dataclass(frozen=True, slots=True)
class Comparison(Generic[Law, Options, Seat, Bank]):
    """How a hand compares with the bank's.

    Attributes:
        met: the part of the bank's hand that decides the dues of a seat compared with it.
        strength: how strong a hand is, a player's or the bank's: the strengths of two hands alone decide how they compare. None
            where they do not.
    """

    met: Callable[[Seat, Bank, Rules[Law, Options]], Bank]
    strength: Callable[[Seat | Bank, Rules[Law, Options]], int | None]


@dataclass(frozen=True, slots=True)
class Settlement(Generic[Law, Options, Seat, Bank, First]):
    """What wagers are due.

    Attributes:
        due: what a wager is due.
        late: what a wager is due that came too late by an article, from its due by the cards.
        void: what any wager is due in a void round, by the article that makes it invalid; empty where none does, and it was
            declared void.
        meets: whether a hand is compared with the bank's hand itself, so that the dues of its wagers (``WagerKinds.hand``) depend
            on more than the bank's fate (``BankOutcome.fate``). It depends itself on no more of the bank: one hand of the bank
            stands for all of its fate.
        reduced: a wager without what its due does not depend on under any rules; ``due`` gives the same for both. What it takes
            away from wagers on a hand compared with the bank's is the same for all kinds and all results.
        comparison: None where such wagers depend on the whole hand of the bank.
    """

    due: Callable[[WagerSituation[Seat, Bank, First], Rules[Law, Options]], Due]
    late: Callable[[Due, str, Rules[Law, Options]], Due]
    void: Callable[[str, Rules[Law, Options]], Due]
    meets: Callable[[Seat | None, int, Bank | None], bool]
    reduced: Callable[[WagerSituation[Seat, Bank, First]], WagerSituation[Seat, Bank, First]]
    comparison: Comparison[Law, Options, Seat, Bank] | None = None


@dataclass(frozen=True, slots=True)
class FirstCardsLaw:
    """A seat's first cards, on which wagers lie: the state before the first one, and a fold that takes them singly."""

    new: machine.FirstCardsState
    fold: Callable[[], machine.FirstCardsFold]


@dataclass(frozen=True, slots=True)
class CarriedLaw(Generic[Law, Options, Seat, Bank]):
    """Wagers carried into later rounds.

    Attributes:
        result: the result of the seat in a round, as these wagers count it; None where the log does not tell.
        new: a wager of a kind as it is placed; one that is refused is over.
        awaits: what the bank must show before a wager that ended with a round of the seat is settled.
        judge_marker: the judgement of the moves of a seat's marker after a round, by the positions that the wagers which go on
            there require, whether one of these is new, and the positions to which the marker was moved.
    """

    result: Callable[[Seat | None, Bank | None, Rules[Law, Options]], str | None]
    new: Callable[[str, Rules[Law, Options]], machine.CarriedState[Law, Options]]
    awaits: Callable[[Seat, Rules[Law, Options]], Awaited]
    judge_marker: Callable[[Collection[int], bool, Sequence[int], Rules[Law, Options]], Judgement[None]]


@dataclass(frozen=True, slots=True)
class SharedSeatLaw(Generic[Law, Options]):
    """Seats on which several players bet.

    Attributes:
        deciders: the players whose decisions count; empty where neither law nor log determines them.
        judge: the breach in a player's decision, by its name, where only the deciders may decide.
        claims: the decisions that ask for money on a hand (even money).
        for_himself: whether each of several bettors makes a claim for himself alone.
        followed: the wagers by which a bettor matches another.
        not_followed: the breach where not every bettor does; None where each may choose.
        declined: whether a decision of a history was not carried out, which the state at that moment does not tell.
        carried_out: the positions, from 1, of decisions that were refused and carried out, where their stakes alone may tell.
    """

    deciders: Callable[[Sequence[Bet], Rules[Law, Options]], frozenset[str]]
    judge: Callable[[str, str, frozenset[str], Rules[Law, Options]], Breach | None]
    claims: frozenset[str]
    for_himself: Callable[[str, Rules[Law, Options]], bool]
    followed: frozenset[str]
    not_followed: Callable[[Rules[Law, Options]], Breach | None]
    declined: Callable[[Sequence[SeatSymbol]], bool]
    carried_out: Callable[[SeatHistory, Rules[Law, Options]], Collection[int]]


@dataclass(frozen=True, slots=True, eq=False)  # there is one of each game
class GameOf(Generic[Law, Options, SeatStates, Seat, Bank, First]):
    """A game.

    Attributes:
        options: makes the options record from elected names and values; options not elected have their defaults.
        turns_nothing: the number of cards, from 1, from which on turning one that the log has named changes nothing, at seats and
            at the bank; None where it may with any number.
        first_cards, carried, shared_seats: None where the game has no such wagers or seats.
    """

    name: str
    options: Callable[[Mapping[str, str], Law], tuple[Options, Sequence[OptionFault]]]
    turns_nothing: int | None
    actions: Actions
    wagers: WagerKinds
    placing: Placing[Law, Options]
    seat: SeatLaw[Law, Options, SeatStates, Seat]
    bank: BankLaw[Law, Options, Bank]
    round: RoundLaw[Law, Options]
    settlement: Settlement[Law, Options, Seat, Bank, First]
    first_cards: FirstCardsLaw | None = None
    carried: CarriedLaw[Law, Options, Seat, Bank] | None = None
    shared_seats: SharedSeatLaw[Law, Options] | None = None

    @property
    def no_play(self) -> frozenset[str]:
        """The decisions that are no play of a hand in its turn: those aside, those timed, and claims to money."""
        claims = self.shared_seats.claims if self.shared_seats else frozenset[str]()
        return self.actions.timed | self.actions.aside | claims


Game: TypeAlias = GameOf[
    object, ElectedOptions, tuple[machine.AnyMachine[SeatSymbol], ...], SeatOutcome, BankOutcome, FirstCardsOutcome
]
"""Any game, as the engine sees it: the engine gives back to it only what came from it."""
AnyWager: TypeAlias = WagerSituation[SeatOutcome, BankOutcome, FirstCardsOutcome]
