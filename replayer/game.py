"""What a game must answer. The engine knows nothing else of any game; adding one means answering these questions.

A round is cut into *situations*: what happened, without amounts and names (``replayer.symbols``). Situations repeat, so most are
judged by tables of transitions (``replayer.engine.automaton``), the others once each; the answer is joined back to every place
where it occurred.

==============  ==================================================================================================
seat story      everything that happened at one seat in one round
bank story      everything that happened to the bank's hand
round story     who got cards and who acted in which order, the burns, the shuffle: all but what the cards were
stake           one wager as it was placed: its kind, moment, stake and the stake it rests on
wager           one wager as it ends: its kind, what became of its seat and of the bank
==============  ==================================================================================================

A card at a seat has its suit, in tables only where ``Game.suited`` says so. A bank's story begins with what waits
for it (:data:`HAND_AWAITED` and others); it tells of a burned card, and of the first decision that is none of
``Game.side_actions``. A round's story tells of each card before the first decision; from then on of who acted, by a card or a
decision, repetitions left out.

A moment is the sum of: 1 bets were closed, 2 a card was dealt, 4 a card was dealt after the
first decision, 8 the hole card was checked, 16 a bank's card beyond its first lay open, or the look at it found Black Jack.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, Generic, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from replayer.law.rulings import Readings
from replayer.symbols import BankStory, Opening, RoundStory, SeatStory, SeatSymbol

BETS_CLOSED: Final = 1
CARD_DEALT: Final = 2
ADDITIONAL_CARD: Final = 4
HOLE_CHECKED: Final = 8
BANK_OPEN: Final = 16

HAND_AWAITED: Final = "live"
"""A seat waits for the bank's hand."""
NATURAL_AWAITED: Final = "open"
"""None does, but money hangs on whether the bank has Black Jack."""
NOT_AWAITED: Final = "dead"
"""Nothing hangs on the bank's cards."""


Law_co = TypeVar("Law_co", covariant=True)
"""A game's own record of a regulation, its articles."""
Options_co = TypeVar("Options_co", covariant=True)
"""A game's own record of what its house elected."""
Outcome_co = TypeVar("Outcome_co", covariant=True)
"""What became of a seat, of the bank or of a round; None of what has no outcome."""


@dataclass(frozen=True, slots=True)
class Rules(Generic[Law_co, Options_co]):
    """What a round is judged by: the version in force, the house's options, the readings of doubtful texts.

    ``regulation`` and ``options`` are the game's own frozen records; ``unauthorised`` names the elected options that may not
    be in use for want of an authorisation; ``told`` the facts of which the log tells at all (``totals`` called, ``markers``
    moved, cards turned: ``turns``): that one of these was left out shows on no other log.
    """

    regulation: Law_co
    options: Options_co
    readings: Readings
    unauthorised: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()


AnyRules: TypeAlias = Rules[Any, Any]
"""The rules of a round of any game, as the engine hands them on."""


@dataclass(frozen=True, slots=True)
class Step:
    """One rule applied, for the explanation: the article and what it says of this situation."""

    article: str
    text: str


@dataclass(frozen=True, slots=True)
class Breach:
    """Something in a situation that the rules forbid. ``word`` is the number of the symbol of the story at which it points, from
    one; 0 is its beginning."""

    code: str
    article: str
    message: str
    word: int = 0


@dataclass(frozen=True, slots=True)
class Judgement(Generic[Outcome_co]):
    """The answer to a story. ``outcome`` is what became of it, all that settling needs to know; None where that cannot be told.

    ``if_play_went_on`` holds what is a breach only if its word came when play had gone on to another place. ``awaits_bank`` is
    whether the seat still waits for the bank's hand, ``awaits_natural`` whether it waits for no more than the bank's first two
    cards. ``unjudged`` says why no outcome can be given (an unknown card, say). ``not_checked`` names checks that the log could
    not show.
    """

    outcome: Outcome_co | None = None
    breaches: tuple[Breach, ...] = ()
    steps: tuple[Step, ...] = ()
    awaits_bank: bool = True
    unjudged: str = ""
    not_checked: tuple[str, ...] = ()
    if_play_went_on: tuple[Breach, ...] = ()
    awaits_natural: bool = False


def waited_for(seats: Iterable[Judgement[Any]]) -> str:
    """The first word of a bank story, from what became of the round's seats."""
    judged = list(seats)
    if any(seat.awaits_bank for seat in judged):
        return HAND_AWAITED
    return NATURAL_AWAITED if any(seat.awaits_natural for seat in judged) else NOT_AWAITED


class SeatOutcome(Protocol):
    """What became of a seat: a game's own frozen value, by which equal ones are settled alike."""

    @property
    def fates(self) -> Sequence[str]:
        """What became of each of its hands, in a word."""


class SeatState(Hashable, Protocol):
    """A seat in the middle of its round: a game's own frozen value, which holds what may still be asked. A card of which the log
    has always told what it is changes nothing when it is turned.

    ``hand`` is the number of the seat's hand, 0 the first one.
    """

    def faces(self, upcard: str) -> Self:
        """With the class of the bank's open card (``Game.upcards``)."""

    def follows(self, symbol: SeatSymbol, rules: AnyRules) -> Self:
        """After what happened at the seat, whether or not a rule was kept."""

    def open(self, hand: int, rules: AnyRules) -> frozenset[str]:
        """The decisions open to a hand, by the rules that ``judge_seat`` holds them against; none where it is over."""

    def judged(self, rules: AnyRules) -> Judgement[SeatOutcome] | None:
        """What became of it in the end, as ``judge_seat`` says, without steps. None where a rule was not kept, and where a state
        alone does not tell: its story is judged by itself then."""

    def became(self, rules: AnyRules) -> Judgement[SeatOutcome]:
        """What became of the seat if nothing more happens at it, as ``judge_seat`` says, without breaches and steps."""

    def missing(self, rules: AnyRules) -> frozenset[str]:
        """The codes of what would be wrong if the round ended now, every card of the seat shown."""


class Machine(Hashable, Protocol):
    """A state of a machine: a game's own frozen value."""

    def after(self, symbol: Any, rules: Any) -> Self | None:
        """After what happened (``replayer.symbols``); None as in :meth:`SeatState.judged`."""


class BankState(Machine, Protocol):
    """The bank in the middle of a round."""

    def judged(self, awaited: str, rules: AnyRules) -> Judgement[BankOutcome] | None:
        """What became of it in the end, as ``judge_bank`` says of a story that begins with ``awaited``, without steps."""


class RoundState(Machine, Protocol):
    """A round in its middle, but for what the cards are."""

    def judged(self, rules: AnyRules) -> Judgement[RoundOutcome] | None:
        """What became of it in the end, as ``judge_round`` says, without steps."""


class FirstCardsOutcome(Hashable, Protocol):
    """What became of a seat's first cards and of those of the hands split from it: a game's own frozen value."""

    def parted(self, hand: int) -> int:
        """How often a hand was split."""

    def begun(self, hand: int) -> bool:
        """Whether a hand, since it was last split, had its first cards."""


class FirstCardsState(Hashable, Protocol):
    """A seat's first cards in the middle of its round, where none is taken back, or named only when it is turned: a game's own
    frozen value. Each event at the seat gives the next one."""

    def after(self, symbol: SeatSymbol) -> Self:
        """After what happened at the seat, its cards named suit and all."""

    def became(self) -> FirstCardsOutcome:
        """What became of them if nothing more happens at the seat."""


class FirstCardsFold(Protocol):
    """A seat's first cards, whatever becomes of them: they are followed from event to event."""

    def follow(self, symbol: SeatSymbol) -> None:
        """What happened next at the seat, its cards named suit and all."""

    def became(self) -> FirstCardsOutcome:
        """What became of them if nothing more happens at the seat."""


class BankOutcome(Protocol):
    """What became of the bank's hand: a game's own frozen value. Its text is what the lake and the odds show of it."""

    @property
    def fate(self) -> str | None:
        """What became of the hand, in a word; None where that cannot be told."""


@dataclass(frozen=True, slots=True)
class RoundOutcome:
    """What became of a deal. ``invalid_by`` is the article that makes the whole round invalid, empty where it stands."""

    invalid_by: str = ""


Seat = TypeVar("Seat", bound=SeatOutcome)
"""What a game makes of a seat."""
Bank = TypeVar("Bank", bound=BankOutcome)
"""What a game makes of the bank's hand."""
First = TypeVar("First", bound=FirstCardsOutcome)
"""What a game makes of a seat's first cards."""


class StakeSituation(NamedTuple):
    """A wager as it was placed. ``base_minor`` is the stake of the wager it rests on, None where there is none.

    ``seats`` is the number of its seat among those on which the player placed ``Game.seat_wagers`` in the round: 1 on the
    first of them; ``bettors`` likewise that of its player among those who placed such wagers on the seat. ``before_minor`` is
    what the player had staked on the very same before, and ``begun`` whether its hand, if it was split off, had been dealt a
    card by then; of ``Game.opening_wagers`` placed when cards lay, whether it had its first ones, and ``parted`` how often it had
    been split. For ``Game.opening_wagers`` and ``Game.carried_wagers`` only, ``beside`` has all kinds of these that the player
    placed on the seat in the round, and ``running`` the carried ones that he placed there in earlier rounds and that live on;
    kinds sorted, separated by blanks.
    """

    kind: str
    hand: int
    moment: int
    stake_minor: int
    base_minor: int | None
    position: int | None
    seats: int = 1
    beside: str = ""
    running: str = ""
    bettors: int = 1
    before_minor: int = 0
    begun: bool = False
    parted: int = 0

    @property
    def total_minor(self) -> int:
        """What the player has staked on it in all by then."""
        return self.before_minor + self.stake_minor


class WagerSituation(NamedTuple, Generic[Seat, Bank, First]):
    """A wager as it ends. ``seat`` and ``bank`` are what became of them, None where that cannot be told or does not matter.

    Where ``Game.opening_wagers`` names the kind, ``opening`` is what became of the seat's first cards, and ``parted`` how often
    its hand had been split when the wager was placed.
    """

    kind: str
    hand: int
    seat: Seat | None = None
    bank: Bank | None = None
    opening: First | None = None
    parted: int = 0


AnyWager: TypeAlias = WagerSituation[Any, Any, Any]
"""A wager of any game, as the engine hands it on."""


@dataclass(frozen=True, slots=True)
class Bet:
    """A base wager among several on one seat; ``position`` 0 is the seated player's, None where it is not told."""

    player: str
    position: int | None
    stake_minor: int


@dataclass(frozen=True, slots=True)
class Timing:
    """When a wager must be settled: before play goes on to another place or, where ``ahead_of`` names kinds, before its
    bettor's wagers of these kinds on the seat. ``breach`` is what it is if it was not."""

    breach: Breach
    ahead_of: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Due:
    """What a wager must change in the player's chips, as a multiple of its own stake; None where it cannot be said.

    ``timing`` is when, where the law says so.
    """

    odds: Fraction | None
    article: str
    steps: tuple[Step, ...] = ()
    unjudged: str = ""
    breaches: tuple[Breach, ...] = ()
    timing: Timing | None = None


@dataclass(frozen=True, slots=True)
class OptionFault:
    """What is wrong with an elected option: the game does not know it, its value does not parse, or the text speaks against
    it and it ``holds`` all the same. ``code`` is that of the finding."""

    code: str
    name: str
    value: str
    reason: str
    article: str = ""
    holds: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """What a hand's cards come to: points and whether an ace counts eleven in them, or the name of a combination. None where a
    card is not known, or where the game has no such thing."""

    total: int | None = None
    soft: bool | None = None
    combination: str | None = None


class GameOf(Protocol[Seat, Bank, First]):
    """A game, as the engine asks it. All functions are pure: same arguments, same answer."""

    name: str
    base_wagers: frozenset[str]
    """Wagers on which others rest (main, ante)."""
    seat_wagers: frozenset[str]
    """Wagers by which a player takes a seat: those of ``base_wagers``, and what may stand on a seat without one."""
    play_wagers: frozenset[str]
    """Wagers that stand in the seat story; side wagers placed before the deal do not."""
    hand_wagers: frozenset[str]
    """Wagers that stand in the seat story and whose due may turn on how a hand meets the bank's."""
    opening_wagers: frozenset[str]
    """Wagers decided by the seat's cards with their suits."""
    carried_wagers: frozenset[str]
    """Wagers that live on into later rounds (streaks)."""
    suited: bool
    """Whether seat and bank stories carry suits from the start."""
    turns_nothing: frozenset[str]
    """In which stories (``seat``, ``bank``) a card of which the log has told what it is changes nothing when it is turned."""
    upcards: Mapping[str, str]
    """Rank of the bank's first open card to the class that a seat's rights depend on."""
    timed: frozenset[str]
    """Decisions whose moment matters."""
    interchangeable_seats: int
    """Seats up to this number differ only by their order from the left."""
    side_actions: frozenset[str]
    """Decisions that are no play of the hand (insurance, even money)."""
    claims: frozenset[str]
    """Decisions that ask for money on a hand (even money); see ``for_himself``."""
    not_asked: Mapping[str, frozenset[str]]
    """Of ``seat``, ``bank`` and ``round`` the house's choices that none of its machines asks: one table of transitions does for
    rules that differ in these alone."""

    @property
    def new_seat(self) -> SeatState:
        """A seat before the round, of which nobody knows yet what the bank shows."""

    def seat_begins(self, upcard: str) -> tuple[Machine, ...]:
        """The machines of a seat before the round, each of which takes every event at it; ``upcard`` is one of ``upcards``."""

    def seat_of(self, machines: Sequence[Any]) -> SeatState:
        """The seat that its machines make."""

    @property
    def new_bank(self) -> BankState:
        """The bank before its first card."""

    def new_round(self, opening: Opening, rules: AnyRules) -> RoundState:
        """A round before its first event, by how it begins."""

    @property
    def new_first_cards(self) -> FirstCardsState | None:
        """A seat before its first card; None where there are no ``opening_wagers``."""

    @property
    def first_cards_fold(self) -> Callable[[], FirstCardsFold] | None:
        """A seat before its first card, to be followed; None where there are no ``opening_wagers``."""

    def options(self, elected: Mapping[str, str], regulation: Any) -> tuple[Any, Sequence[OptionFault]]:
        """The game's options record from elected names and values; what is not elected has its default."""

    def judge_seat(self, story: SeatStory, rules: AnyRules) -> Judgement[Seat]:
        """What became of a seat."""

    def judge_bank(self, story: BankStory, rules: AnyRules) -> Judgement[Bank]:
        """What became of the bank's hand."""

    def judge_round(self, story: RoundStory, rules: AnyRules) -> Judgement[RoundOutcome]:
        """Whether the round's procedure was kept. Where an article makes the whole round invalid, wagers are due what
        ``settle_void`` says, whether or not the log declares the round void."""

    def judge_stake(self, stake: StakeSituation, rules: AnyRules) -> Judgement[None]:
        """Whether a wager could be placed then and so high."""

    def too_late(self, stake: StakeSituation, rules: AnyRules) -> str:
        """The article after whose moment a wager was placed, as :meth:`judge_stake` finds it; empty where it came in time. Asked
        of its kind, hand, moment and what had been told by then alone."""

    def settle_late(self, due: Due, article: str, rules: AnyRules) -> Due:
        """What a wager is due that is due ``due`` on the cards, and that came too late by ``article``."""

    def deciders(self, bets: Sequence[Bet], rules: AnyRules) -> frozenset[str]:
        """Whose decisions count on a seat on which several players bet; empty where neither the law nor the log says whose."""

    def judge_decider(self, action: str, player: str, deciders: frozenset[str], rules: AnyRules) -> Breach | None:
        """What is wrong with a player's decision on a seat on which these ``deciders`` decide."""

    def for_himself(self, claim: str, rules: AnyRules) -> bool:
        """Whether each of several bettors on a seat makes a claim, one of ``claims``, for himself alone."""

    def table_limit(self, rules: AnyRules) -> tuple[int, Breach] | None:
        """What all wagers of a round may come to together, in minor units, and what it is if they come to more."""

    def limits(self, kind: str, rules: AnyRules) -> tuple[int | None, int | None]:
        """The least and the largest stake posted for a kind of wager, in minor units; None where none is."""

    def hands(self, story: SeatStory, rules: AnyRules) -> Sequence[str]:
        """The cards of each of a seat's hands, after a seat story with suits: ``9c 3d`` for each, in the order dealt."""

    def counted(self, cards: Sequence[str], rules: AnyRules | None) -> Counted:
        """What a hand's cards come to, in whatever order; without rules where nobody knows by which they are played."""

    def places(self, rules: AnyRules) -> tuple[int, Breach] | None:
        """The last seat of the table on which a wager may stand, and what one beyond it is; None where that is no matter or is
        asked with the deal."""

    def bank_draws(self, story: BankStory, rules: AnyRules) -> bool:
        """Whether the bank must take another card after a bank story so far."""

    def meets(self, seat: Seat | None, hand: int, bank: Bank | None) -> bool:
        """Whether a hand is held against the bank's hand itself, so that what its ``hand_wagers`` are due turns on more than what
        became of that in a word (``BankOutcome.fate``)."""

    def met(self, seat: Seat, bank: Bank, rules: AnyRules) -> Bank:
        """What of the bank's hand the dues of a seat turn on whose hand is held against it."""

    def narrowed(self, wager: WagerSituation[Seat, Bank, First], rules: AnyRules) -> WagerSituation[Seat, Bank, First]:
        """A wager without what its due does not turn on: :meth:`settle` says of both the same, and takes either. From wagers on a
        hand that :meth:`met` the bank's it takes away the same, whatever their kind and however they met."""

    def settle(self, wager: WagerSituation[Seat, Bank, First], rules: AnyRules) -> Due:
        """What a wager is due."""

    def settle_void(self, kind: str, cause: str, rules: AnyRules) -> Due:
        """What a wager is due when its round was void."""

    def result(self, seat: Seat | None, bank: Bank | None, rules: AnyRules) -> str:
        """One letter for the seat's round, as carried wagers count it: W won, L lost, T neither, S surrendered."""

    def settle_carried(self, kind: str, results: str, rules: AnyRules) -> Due | None:
        """What a carried wager is due after ``results`` (a letter a round since it was placed); None while it lives on.

        ``A`` in the results is a round in which its player did not bet, ``V`` a void round, ``C`` the table's closing. A
        small letter is the result of the one other seat on which the player bet instead; ``E`` stands where there were
        several such seats, or where the log does not name the player.
        """

    def judge_marker(self, results: Sequence[str], moved: Sequence[int], rules: AnyRules) -> Judgement[None]:
        """Whether a seat's marker was moved as it must be: ``results`` of the carried wagers that live on there after a round,
        each once and sorted; ``moved`` the positions that it was moved to in the round."""


Game: TypeAlias = GameOf[Any, Any, Any]
"""Any game, as the engine hands it on."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a game's regulation and when it held. ``certainty`` says how sure the dates are.

    ``in_force`` is the first day; ``regulation`` is None where the text is not at hand; ``rulings`` are those on what the
    instrument itself does, apart from its articles.
    """

    id: str
    game: str
    instruments: tuple[str, ...]
    signed: str
    published: str
    in_force: str
    certainty: str
    rulings: tuple[str, ...] = ()
    regulation: Any = field(default=None, compare=False)
