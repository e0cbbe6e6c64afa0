"""The histories of a round in play, made of its events so far: those that :mod:`replayer.engine.history_rows` makes of whole
table-days."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from replayer.contract import symbols
from replayer.contract.game import Game
from replayer.contract.outcomes import Awaited
from replayer.contract.symbols import BANK, DOWN, UP, BankSymbol, History, RoundStart, RoundSymbol, SeatSymbol
from replayer.engine import event_symbols
from replayer.engine.event_symbols import CARD_KINDS, Happened, without_redundant_turns
from replayer.engine.removed_cards import ACTED, Acts, is_taken_back, taken_away

_SEAT: Final = frozenset((*event_symbols.SEAT_KINDS, "WagerPlaced"))
_BANK: Final = frozenset(event_symbols.BANK_KINDS)
_ROUND: Final = frozenset(event_symbols.ROUND_KINDS)
_DISTINCT: Final = 1 << 16
"""How many distinct events keep their symbols."""


class Sequenced(NamedTuple):
    """An event without amounts and names, with its sequence number."""

    seq: int
    event: Happened


class HistoriesInPlay:
    """The histories of a round's seats, its bank and the round itself, by its events so far.

    Attributes:
        bank: the events at the bank, with the first play.
        round: those of the round's own history; from the first decision on, repetitions are left out.
    """

    def __init__(self, game: Game) -> None:
        self.bank = list[Sequenced]()
        self.round = list[Sequenced]()
        self._game = game
        self._events: Sequence[Sequenced] = ()
        self._followed = 0
        self._seats = dict[int, list[Sequenced]]()
        self._timed = set[int]()  # the seats with timed decisions
        self._came = dict[str, int]()  # the first event of each kind
        self._bank_dealt = self._plays = False
        self._shuffled = False  # since the last card
        self._last_of_round: Happened | None = None

    def follow(self, events: Sequence[Sequenced]) -> HistoriesInPlay:
        """Take those of the round's events, in order, that came since the last time."""
        self._events = events
        for each in events[self._followed :]:
            first = self._came.setdefault(each.event.kind, each.seq)
            self._at_its_place(each)
            if each.event.kind in _ROUND or (each.event.kind == "WagerSettled" and first == each.seq):
                self._in_round(each)
        self._followed = len(events)
        return self

    def _at_its_place(self, each: Sequenced) -> None:
        event, actions = each.event, self._game.actions
        kind, seat, said = event.kind, event.seat, event.said
        if seat == BANK:
            self._bank_dealt = self._bank_dealt or kind == "CardDealt"
            if kind in _BANK and (self._bank_dealt or kind != "CardBurned"):
                self.bank.append(each)
        elif kind in _SEAT and (kind != "WagerPlaced" or not said or said in self._game.wagers.play):
            self._seats.setdefault(seat, []).append(each)
        if kind == "DecisionTaken":
            if said in actions.timed:
                self._timed.add(seat)
            if not self._plays and said not in actions.aside:
                self._plays = True
                self.bank.append(each)

    def _in_round(self, each: Sequenced) -> None:
        kind, law = each.event.kind, self._game.round
        decided = "DecisionTaken" in self._came
        drawn = law.drawn_to and decided and not self._shuffled and kind == "CardDealt" and each.event.seat != BANK
        self._shuffled = kind == "ShoeShuffled" or (self._shuffled and kind != "CardDealt")
        event = _of_round(each.event, each.event.said in self._game.no_play, drawn)
        counted = event.kind in event_symbols.COUNTED or (event.kind == "CardDealt" and not law.drawn_to)
        if counted or not decided or event != self._last_of_round:
            self.round.append(Sequenced(each.seq, event))
        self._last_of_round = event

    @property
    def seats(self) -> Mapping[int, list[Sequenced]]:
        """The events at each seat; a timed decision has its moment (``replayer.contract.symbols``)."""
        seats, timed = dict(sorted(self._seats.items())), self._game.actions.timed
        moments = self._moments if self._timed else ()
        for seat in self._timed & seats.keys():
            seats[seat] = [_with_moment(each, moments) if each.event.said in timed else each for each in seats[seat]]
        return seats

    @property
    def _moments(self) -> Sequence[tuple[int, int]]:
        """The moments that have come, each behind its sequence number."""
        plays = next((seq for seq, event in self.bank if event.kind == "DecisionTaken"), None)
        gone, came = self._taken_back, self._came.get
        drawn = (seq for seq, event in self._events if event.kind == "CardDealt" and seq not in gone)
        moments = {
            symbols.BETS_CLOSED: came("WagersClosed"),
            symbols.CARD_DEALT: came("CardDealt"),
            symbols.ADDITIONAL_CARD: None if plays is None else next((seq for seq in drawn if seq > plays), None),
            symbols.HOLE_CHECKED: came("HoleCardChecked"),
            symbols.BANK_OPEN: self._opened,
        }
        return [(seq, moment) for moment, seq in moments.items() if seq is not None]

    @property
    def _kept_by_bank(self) -> Sequence[Sequenced]:
        """The events at the bank without those that dealt or turned a card taken away."""
        if "CardRemoved" not in self._came:
            return self.bank
        gone = taken_away(_acts(self.bank))
        return [each for each in self.bank if each.seq not in gone]

    @property
    def upcard(self) -> str:
        """The class of the bank's first open card of those that it kept (``SeatLaw.upcards``)."""
        up = (event.card.rank for _, event in self._kept_by_bank if event.kind == "CardDealt" and event.face == UP)
        return self._game.seat.upcards.get(next(up, ""), "?")

    @property
    def _opened(self) -> int | None:
        """The sequence number from which on a second card of the bank lay open, or was known to make its best hand."""
        kept = self._kept_by_bank
        dealt = [each for each in kept if each.event.kind == "CardDealt"]
        natural = "HoleCardChecked", symbols.FOUND_NATURAL
        opened = [seq for seq, event in kept if event.kind == "CardTurned" or (event.kind, event.said) == natural]
        if self._game.seat.upcards:
            opened += [seq for seq, event in dealt[1:] if event.face == UP]
        elif dealt:  # a card that lay open while the bank was dealt to was exposed, and opens nothing
            opened = [seq for seq in opened if seq > dealt[-1].seq]
        return min(opened, default=None)

    @property
    def _taken_back(self) -> set[int]:
        """The sequence numbers of the events that dealt or turned cards taken away at once."""
        places = (self.bank, *self._seats.values()) if "CardRemoved" in self._came else ()
        removed = [pair for place in places for pair in taken_away(_acts(place)).items()]
        acted = [seq for seq, event in self._events if event.kind in ACTED] if removed else []
        return {seq for seq, by in removed if is_taken_back(seq, by, acted)}

    def moved_on(self, seq: int, seat: int) -> bool:
        """Whether play had left a seat by ``seq`` (:meth:`replayer.verdicts.deadlines.PlaceOfPlay.moved_on`)."""
        gone = self._taken_back
        acts = (each for each in self._events if each.seq < seq and each.seq not in gone)
        return [event.seat for _, event in acts if self._is_play(event)][-1] != seat

    def _is_play(self, event: Happened) -> bool:
        """Whether an event is a card or a decision of the place of play; a card turned is only at the bank."""
        if event.kind == "DecisionTaken":
            return event.said not in self._game.actions.aside
        return event.kind == "CardDealt" or (event.kind == "CardTurned" and event.seat == BANK)

    # As symbols

    def seat_history(self, seat: int) -> symbols.SeatHistory:
        """A seat's history, with suits."""
        timed, own = self._game.actions.timed, self.seats.get(seat, ())
        return History(self.upcard, tuple(_seat_symbol(event, timed, suited=True) for _, event in own))

    def seat_symbols(self, at_seat: Iterable[Sequenced]) -> list[SeatSymbol]:
        """The symbols of a seat that the automata take."""
        timed, suited = self._game.actions.timed, self._game.seat.suited
        own = [event for _, event in at_seat]
        events = without_redundant_turns(own, self._game.turns_nothing, mark_shown=False)
        return [_seat_symbol(each, timed, suited=each.card.rank in suited) for each in events]

    def bank_history(self, awaited: Awaited) -> symbols.BankHistory:
        """The bank's history, with suits."""
        return History(awaited, tuple(_bank_symbol(event, suited=True) for _, event in self.bank))

    def bank_symbols(self) -> list[BankSymbol]:
        """The symbols of the bank that the automata take."""
        suited, own = self._game.bank.suited, [event for _, event in self.bank]
        events = without_redundant_turns(own, self._game.turns_nothing, mark_shown=True)
        return [_bank_symbol(each, suited=each.card.rank in suited) for each in events]

    def round_history(self, start: RoundStart) -> symbols.RoundHistory:
        """The round's history, which begins so."""
        return History(start, tuple(self.round_symbols()))

    def round_symbols(self) -> list[RoundSymbol]:
        """The symbols of the round."""
        return [_round_symbol(event) for _, event in self.round]


def _with_moment(decision: Sequenced, moments: Iterable[tuple[int, int]]) -> Sequenced:
    passed = sum(moment for seq, moment in moments if seq < decision.seq)
    return decision._replace(event=decision.event._replace(moment=passed))


def _acts(events: Iterable[Sequenced]) -> Acts:
    return ((seq, event.kind, event.card, event.face == DOWN) for seq, event in events if event.kind in CARD_KINDS)


@lru_cache(_DISTINCT)
def _of_round(event: Happened, aside: bool, drawn: bool) -> Happened:
    """An event as a round's own history has it (``RoundLaw.drawn_to``); ``drawn`` is a card to a hand in play."""
    match event.kind:
        case "DecisionTaken":
            return Happened(event.kind, event.seat, number=int(aside))
        case "CardDealt" if drawn:
            return Happened("DecisionTaken", event.seat)
        case "CardDealt" | "CardBurned":
            return Happened(event.kind, event.seat, face=event.face)
        case "CardTurned" | "CardRemoved":
            return Happened(event.kind, event.seat)
        case "WagerSettled":
            return Happened(event.kind)
        case "HoleCardChecked":
            return event._replace(hand=0)
        case _:
            return event


_seat_symbol = lru_cache(_DISTINCT)(event_symbols.seat_symbol)
_bank_symbol = lru_cache(_DISTINCT)(event_symbols.bank_symbol)
_round_symbol = lru_cache(_DISTINCT)(event_symbols.round_symbol)
