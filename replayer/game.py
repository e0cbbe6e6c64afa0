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
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from replayer.outcomes import Bank, Breach, Counted, First, Judgement, RoundOutcome, Seat
from replayer.rules import AnyRules, OptionFault
from replayer.states import BankState, FirstCardsFold, FirstCardsState, Machine, RoundState, SeatState
from replayer.symbols import BankStory, Opening, RoundStory, SeatStory
from replayer.wagers import Bet, Due, StakeSituation, WagerSituation


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
