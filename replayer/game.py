"""What a game is to the engine, which knows nothing else of any game: adding one means making one :class:`GameOf`.

A round is cut into *situations*: what happened, without amounts and names (``replayer.symbols``). Situations repeat, so most are
judged by tables of transitions (``replayer.engine.automaton``), the others once each; the answer is joined back to every place
where it occurred.

==============  ==================================================================================================
seat history      everything that happened at one seat in one round
bank history      everything that happened to the bank's hand
round history     who got cards and who acted in which order, the burns, the shuffle: all but what the cards were
stake           one wager as it was placed: its kind, moment, stake and the stake it rests on
wager           one wager as it ends: its kind, what became of its seat and of the bank
==============  ==================================================================================================

A card at a seat has its suit, to machines only where ``SeatLaw.suited`` says so. A bank's history begins with what waits
for it (:data:`HAND_AWAITED` and others); it tells of a burned card, and of the first decision that is none of
``SeatLaw.side_actions``. A round's history tells of each card before the first decision; from then on of who acted, by a card or
a decision, repetitions left out.

All functions are pure: same arguments, same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from replayer.cards import Card
from replayer.outcomes import (
    Bank,
    BankOutcome,
    Breach,
    Counted,
    First,
    FirstCardsOutcome,
    Judgement,
    RoundOutcome,
    Seat,
    SeatOutcome,
)
from replayer.rules import ElectedOptions, OptionFault, Rules
from replayer.states import AnyMachine, BankState, FirstCardsFold, FirstCardsState, RoundState, SeatState
from replayer.symbols import BankHistory, RoundHistory, RoundStart, SeatHistory
from replayer.wagers import Bet, CarriedRound, Due, StakeSituation, Void, WagerSituation

Law = TypeVar("Law")
"""A game's own record of a regulation, its articles."""
Options = TypeVar("Options", bound=ElectedOptions)
Machines = TypeVar("Machines", bound=tuple[AnyMachine, ...])
"""The machines of a game's seats."""


@dataclass(frozen=True, slots=True)
class WagerKinds:
    """The kinds of wagers that a game has.

    Attributes:
        base: those on which others rest (main, ante).
        seat: those by which a player takes a seat: the base ones, and what may stand on a seat without one.
        play: those that stand in the seat history; side wagers placed before the deal do not.
        hand: those of them whose due may turn on how a hand meets the bank's.
        first_cards: those decided by the seat's cards with their suits (``Game.first_cards``).
        carried: those that live on into later rounds (``Game.carried``).
    """

    base: frozenset[str]
    seat: frozenset[str]
    play: frozenset[str]
    hand: frozenset[str]
    first_cards: frozenset[str] = frozenset()
    carried: frozenset[str] = frozenset()

    @property
    def dealt(self) -> frozenset[str]:
        """Those for which a seat is dealt cards: all that are not laid on cards."""
        return self.seat | self.first_cards | self.carried


def _unbounded(rules: object) -> None:
    """No bound of the kind."""


@dataclass(frozen=True, slots=True)
class Placing(Generic[Law, Options]):
    """How wagers may be placed.

    Attributes:
        judge: whether a wager could be placed then and so high.
        too_late: the article after whose moment a wager was placed, as ``judge`` finds it; empty where it came in time. Asked
            of its kind, hand, moment and what had been recorded by then alone.
        table_limit: what all wagers of a round may come to together, in minor units, and what it is if they come to more.
        places: the last seat of the table on which a wager may stand, and what one beyond it is; None where that is no matter
            or is asked with the deal.
    """

    judge: Callable[[StakeSituation, Rules[Law, Options]], Judgement[None]]
    too_late: Callable[[StakeSituation, Rules[Law, Options]], str]
    table_limit: Callable[[Rules[Law, Options]], tuple[int, Breach] | None] = _unbounded
    places: Callable[[Rules[Law, Options]], tuple[int, Breach] | None] = _unbounded


@dataclass(frozen=True, slots=True)
class SeatLaw(Generic[Law, Options, Machines, Seat]):
    """A seat in its round.

    Attributes:
        new: one before the round, of which nobody knows yet what the bank shows.
        suited: ranks of cards whose suits make a difference to it.
        begins: its machines before the round, each of which takes every event at it, by the class of the bank's open card.
        judged: what became of it by where its machines ended, as ``judge`` says, without steps. None where a rule was not kept,
            and where these do not tell: its history is judged by itself then.
        judge: what became of it.
        hands: the cards of each of its hands, after a history with suits: ``9c 3d`` for each, in the order dealt.
        counted: what a hand's cards come to, in whatever order; without rules where nobody knows by which they are played. Cards
            of the same ranks come to the same, in a game with suits (``GameOf.suited``) those of as many ones.
        judge_other: what is wrong with a decision, by its name, of a player who does not bet at the seat.
        upcards: rank of the bank's first open card to the class that a seat's rights depend on.
        timed: decisions whose moment matters.
        side_actions: decisions that are no play of the hand (insurance, even money).
        closed_by: decisions by which a hand is due what it is, whatever the bank gets (surrender, fold).
    """

    new: SeatState[Law, Options]
    suited: frozenset[str]
    begins: Callable[[str], Machines]
    judged: Callable[[Machines, Rules[Law, Options]], Judgement[Seat] | None]
    judge: Callable[[SeatHistory, Rules[Law, Options]], Judgement[Seat]]
    hands: Callable[[SeatHistory, Rules[Law, Options]], Sequence[str]]
    counted: Callable[[Sequence[Card], Rules[Law, Options] | None], Counted]
    judge_other: Callable[[str, Rules[Law, Options]], Breach | None]
    upcards: Mapping[str, str] = field(default_factory=dict)
    timed: frozenset[str] = frozenset()
    side_actions: frozenset[str] = frozenset()
    closed_by: frozenset[str] = frozenset()


def _stands(history: BankHistory, rules: object) -> bool:
    """It plays the cards of the deal."""
    return False


@dataclass(frozen=True, slots=True)
class BankLaw(Generic[Law, Options, Bank]):
    """The bank in a round.

    Attributes:
        new: one before its first card.
        judge: what became of its hand.
        draws: whether it must take another card after a history so far.
    """

    new: BankState[Law, Options]
    judge: Callable[[BankHistory, Rules[Law, Options]], Judgement[Bank]]
    draws: Callable[[BankHistory, Rules[Law, Options]], bool] = _stands


@dataclass(frozen=True, slots=True)
class RoundLaw(Generic[Law, Options]):
    """The deal of a round and the turns in it.

    Attributes:
        begun: one before its first event, by how it begins.
        judge: whether its procedure was kept. Where an article makes the whole round invalid, wagers are due what
            ``Settlement.void`` says, whether or not the log declares the round void.
        interchangeable_seats: seats up to this number differ only by their order from the left.
        drawn_to: whether hands are drawn to. From the first decision on, a card to a seat is then told as a decision there, but
            the first one since a shuffle is not, and what repeats itself is left out where it does not count each time; else
            every card of the deal is told, whenever it comes.
        misdealt, not_given: what is found at a hand that got a card that it was not to get, or none that it was.
    """

    begun: Callable[[RoundStart, Rules[Law, Options]], RoundState[Law, Options]]
    judge: Callable[[RoundHistory, Rules[Law, Options]], Judgement[RoundOutcome]]
    interchangeable_seats: int
    drawn_to: bool
    misdealt: frozenset[str] = frozenset()
    not_given: frozenset[str] = frozenset()

    def dealt_right(self, found: Iterable[tuple[str, int]], went_on: int) -> bool:
        """Whether a round's hands were (``IfDealtRight``), by the codes of what was ``found`` at them and the ``seq`` of each;
        ``went_on`` is a ``seq`` too."""
        return not any(code in self.misdealt or (code in self.not_given and seq < went_on) for code, seq in found)


def _of_no_strength(outcome: object, rules: object) -> None:
    """Hands have none."""


@dataclass(frozen=True, slots=True)
class Settlement(Generic[Law, Options, Seat, Bank, First]):
    """What wagers are due.

    Attributes:
        due: what a wager is due.
        late: what a wager is due that is due so much on the cards, and that came too late by an article.
        early: what it is if a wager that is due so much was settled before its hand had its last card, or was closed
            (``SeatLaw.closed_by``); None where it is nothing.
        void: what a wager of a kind is due when its round was void.
        meets: whether a hand is held against the bank's hand itself, so that what its wagers (``WagerKinds.hand``) are due turns
            on more than what became of that in a word (``BankOutcome.fate``).
        met: what of the bank's hand the dues of a seat turn on whose hand is held against it; None where that is the hand itself.
        reduced: a wager without what its due does not turn on under any rules: ``due`` says of both the same, and takes either.
            From wagers on a hand that ``met`` the bank's it takes away the same, whatever their kind and however they met.
        strength: how strong a hand is, a player's or the bank's: two hands that have one meet as these compare, whatever else the
            player's is. None where that is not so.
    """

    due: Callable[[WagerSituation[Seat, Bank, First], Rules[Law, Options]], Due]
    late: Callable[[Due, str, Rules[Law, Options]], Due]
    early: Callable[[Due, Rules[Law, Options]], Breach | None]
    void: Callable[[str, Void, Rules[Law, Options]], Due]
    meets: Callable[[Seat | None, int, Bank | None], bool]
    met: Callable[[Seat, Bank, Rules[Law, Options]], Bank] | None
    reduced: Callable[[WagerSituation[Seat, Bank, First]], WagerSituation[Seat, Bank, First]]
    strength: Callable[[Seat | Bank, Rules[Law, Options]], int | None] = _of_no_strength


@dataclass(frozen=True, slots=True)
class FirstCardsLaw:
    """A seat's first cards, on which wagers lie: before the first one, and as they are followed one by one."""

    new: FirstCardsState
    fold: Callable[[], FirstCardsFold]


@dataclass(frozen=True, slots=True)
class CarriedLaw(Generic[Law, Options, Seat, Bank]):
    """Wagers that live on into later rounds.

    Attributes:
        result: what became of the seat in a round, as these wagers count it; None where the log does not tell.
        due: what one of a kind is due after the rounds since it was placed; None while it lives on.
        awaits: what of the bank must be known before one is settled that ended with a round of the seat (``replayer.outcomes``);
            empty where nothing.
        judge_marker: whether a seat's marker was moved as it must be: the rounds of each wager that lives on there after a round,
            and the positions that it was moved to in the round.
    """

    result: Callable[[Seat | None, Bank | None, Rules[Law, Options]], str | None]
    due: Callable[[str, Sequence[CarriedRound], Rules[Law, Options]], Due | None]
    awaits: Callable[[Seat, Rules[Law, Options]], str]
    judge_marker: Callable[[Collection[Sequence[CarriedRound]], Sequence[int], Rules[Law, Options]], Judgement[None]]


@dataclass(frozen=True, slots=True)
class SharedSeatLaw(Generic[Law, Options]):
    """Seats on which several players bet.

    Attributes:
        deciders: whose decisions count; empty where neither the law nor the log says whose.
        judge: what is wrong with a player's decision, by its name, on a seat on which these decide.
        claims: decisions that ask for money on a hand (even money).
        for_himself: whether each of several bettors makes such a claim for himself alone.
        followed: the wagers by which a bettor follows another; ``not_followed``: what it is if not all do, None where each may
            choose.
    """

    deciders: Callable[[Sequence[Bet], Rules[Law, Options]], frozenset[str]]
    judge: Callable[[str, str, frozenset[str], Rules[Law, Options]], Breach | None]
    claims: frozenset[str]
    for_himself: Callable[[str, Rules[Law, Options]], bool]
    followed: frozenset[str]
    not_followed: Callable[[Rules[Law, Options]], Breach | None]


@dataclass(frozen=True, slots=True, eq=False)  # there is one of each game
class GameOf(Generic[Law, Options, Machines, Seat, Bank, First]):
    """A game.

    Attributes:
        options: its options record from elected names and values; what is not elected has its default. Its ``limits`` are the
            least and the largest stake posted for a kind of wager, in minor units; None where none is.
        suited: whether the histories of the bank carry suits.
        turns_nothing: whether at seats and at the bank a card that the log has named changes nothing when it is turned.
        first_cards, carried, shared_seats: None where the game has nothing of the kind.
    """

    name: str
    options: Callable[[Mapping[str, str], Law], tuple[Options, Sequence[OptionFault]]]
    suited: bool
    turns_nothing: bool
    wagers: WagerKinds
    placing: Placing[Law, Options]
    seat: SeatLaw[Law, Options, Machines, Seat]
    bank: BankLaw[Law, Options, Bank]
    round: RoundLaw[Law, Options]
    settlement: Settlement[Law, Options, Seat, Bank, First]
    first_cards: FirstCardsLaw | None = None
    carried: CarriedLaw[Law, Options, Seat, Bank] | None = None
    shared_seats: SharedSeatLaw[Law, Options] | None = None


Game: TypeAlias = GameOf[object, ElectedOptions, tuple[AnyMachine, ...], SeatOutcome, BankOutcome, FirstCardsOutcome]
"""Any game, as the engine sees it: the engine gives back to it only what came from it."""
