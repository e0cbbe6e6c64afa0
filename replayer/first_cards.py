"""The first cards of seats with wagers on them, followed event by event through a table of transitions.

The game's own steps fill it as they are asked for: equal beginnings are followed once, whatever table and day they are of.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce
from operator import getitem
from typing import Final, NamedTuple

import polars as pl

from replayer.game import FirstCardsOutcome, FirstCardsState, Game
from replayer.stories import Stories, seat_key
from replayer.words import card_name, unpack
from schemas.cards import UNKNOWN

STATES: Final = 100_000
"""How many a table holds before it starts anew."""


class _Event(NamedTuple):
    """What happened at a hand: ``what`` is a card, a decision or a kind of wager."""

    kind: str
    hand: int
    what: str


class _State(dict[int, "_State"]):
    """A state of a seat's first cards and, by the number of an event, the one that follows."""

    def __init__(self, table: _Table, cards: FirstCardsState) -> None:
        super().__init__()
        self._table = table
        self._cards = cards

    def __missing__(self, event: int) -> _State:
        after = self[event] = self._table.state(_after(self._cards, self._table.events[event]))
        return after

    @cached_property
    def outcome(self) -> FirstCardsOutcome:
        """What became of the cards if nothing more happens at the seat."""
        return self._cards.became()


class _Table:
    """The states of one game's first cards, and its events by their numbers."""

    def __init__(self) -> None:
        self.events: list[_Event] = []
        self._numbers: dict[_Event, int] = {}
        self._states: dict[FirstCardsState, _State] = {}

    def number(self, event: _Event) -> int:
        """The number of an event."""
        if event not in self._numbers:
            self._numbers[event] = len(self.events)
            self.events.append(event)
        return self._numbers[event]

    def state(self, cards: FirstCardsState) -> _State:
        """A state, each one once."""
        known = self._states.get(cards)
        if known is None:
            known = self._states[cards] = _State(self, cards)
        return known

    @property
    def full(self) -> bool:
        """Whether it has more states than are to be remembered."""
        return len(self._states) > STATES


_TABLES: Final[dict[str, _Table]] = {}


class FirstCards:
    """What becomes of the first cards of seats, given by their keys (:func:`replayer.stories.seat_key`)."""

    def __init__(self, stories: Stories, keys: pl.Series, game: Game) -> None:
        self._new: FirstCardsState = game.new_first_cards
        self._told: dict[int, tuple[list[int], list[int]]] = {}
        table = _TABLES.get(game.name)
        if table is None or table.full:
            table = _TABLES[game.name] = _Table()
        self._table = table
        rows = stories.rows["seat"].filter(pl.col("key").is_in(keys.unique().implode()))
        codes = rows["code"].unique().to_list()
        numbers = [table.number(_event(code, stories.texts)) for code in codes]
        of_seats = rows.select("key", "seq", event=pl.col("code").replace_strict(codes, numbers, return_dtype=pl.Int64))
        for key, seqs, events in of_seats.group_by("key", maintain_order=True).agg("seq", "event").iter_rows():
            self._told[key] = (seqs, events)
        named = [table.events[number] for number in numbers]
        self._removals = {table.number(event) for event in named if event.kind == "CardRemoved"}
        self._turns = {table.number(event) for event in named if event.kind == "CardTurned"}
        self._unnamed = {table.number(event) for event in named if event.what == UNKNOWN}

    def of(self, ri: int, seat: int, until: int | None = None) -> FirstCardsOutcome:
        """What became of a seat's first cards; of those before the sequence number ``until``, where it is given."""
        seqs, events = self._told.get(seat_key(ri, seat), ([], []))
        begin = self._new.certain() if self._is_certain(events) else self._new
        if until is not None:
            events = [event for seq, event in zip(seqs, events, strict=True) if seq < until]
        return reduce(getitem, events, self._table.state(begin)).outcome

    def _is_certain(self, events: Sequence[int]) -> bool:
        if not self._removals.isdisjoint(events):
            return False
        return self._turns.isdisjoint(events) or self._unnamed.isdisjoint(events)


def _event(code: int, texts: Sequence[str]) -> _Event:
    event = unpack(code)
    match event.kind:
        case "CardDealt" | "CardTurned" | "CardRemoved":
            return _Event(event.kind, event.hand, card_name(event.value, suited=True))
        case "DecisionTaken" | "WagerPlaced":
            return _Event(event.kind, event.hand, texts[event.value])
        case _:
            return _Event(event.kind, event.hand, "")


def _after(cards: FirstCardsState, event: _Event) -> FirstCardsState:
    kind, hand, what = event
    match kind:
        case "CardDealt":
            return cards.dealt(what, hand)
        case "CardTurned":
            return cards.turned(what, hand)
        case "CardRemoved":
            return cards.removed(what, hand)
        case "DecisionTaken":
            return cards.decided(what, hand)
        case "WagerPlaced":
            return cards.placed(what, hand)
        case _:
            return cards
