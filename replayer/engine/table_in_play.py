"""Judges a table as its events arrive, round by round: the hands of its seats and of the bank, the deal and the play, and which
rules were broken in them.

It tells no dues and no payments, and judges a seat, not each of its bettors. Stakes, limits, deciders, the order in which totals
are called, carried wagers and their markers, and the integrity of the log (:mod:`replayer.integrity.inspection`) are checked on
whole table-days only: events must come in order, each number once. Corrections are not followed, because they change earlier
records. No command uses it yet: it is for a watch over tables in play.
"""

from __future__ import annotations

from typing import Final

from replayer.contract.game import Game
from replayer.engine.event_symbols import TAKEN
from replayer.engine.round_in_play import RoundInPlay
from replayer.engine.shoe_in_play import NO_SHOE, Shoe
from schemas.event import Event
from schemas.kinds import OF_THE_TABLE, SHOE_KINDS

_SHOE: Final = frozenset(SHOE_KINDS)
_OF_NO_ROUND: Final = frozenset({*OF_THE_TABLE, "CorrectionMade"})


class TableInPlay:
    """A table's gaming day so far: its rounds and its shoe.

    Attributes:
        rounds: the rounds begun, by their numbers; one that is over may be taken out.
    """

    def __init__(self, game: Game) -> None:
        self.rounds: dict[int, RoundInPlay] = {}
        self._game = game
        self._shoe = NO_SHOE
        self._last: tuple[int, int | None] | None = None
        self._between: list[tuple[Event, Shoe]] = []
        self._preparing: list[RoundInPlay] = []  # the rounds of what was done to the shoe since the last card

    def take(self, event: Event) -> RoundInPlay | None:
        """Take in an event, and give the round that it belongs to. Events of the shoe between rounds belong to the next round and
        are passed on when that begins; so do those that prepared a shoe from which the earlier round takes no card."""
        if self._last and event.seq > self._last[0] + 1 and (event.round is None or event.round != self._last[1]):
            self._shoe = self._shoe.after_gap(event.seq)
        self._last = event.seq, event.round
        known = self._shoe
        if event.kind == "ShoeShuffled":
            known = self._shoe = known.after_shuffle(event.seq, event.shoe.decks if event.shoe else None)
        elif event.kind == "CutCardPlaced" and event.shoe:
            self._shoe = known.with_white(event.shoe.behind)
        elif event.kind in TAKEN and not self._goes_on(event):
            self._shoe = known.gives(event.seq)
        if event.round is None or event.kind in _OF_NO_ROUND:
            if event.kind in _SHOE:
                self._between.append((event, known))
            return None
        round_ = self.rounds.get(event.round)
        if round_ is None:
            round_ = self.rounds[event.round] = RoundInPlay(self._game)
            for earlier in self._preparing:
                round_.take_over(earlier)
            self._preparing = [round_] if self._preparing else []
        for belongs in (*self._between, (event, known)):
            self._give(round_, *belongs)
        self._between.clear()
        return round_

    def _goes_on(self, event: Event) -> bool:
        """Whether a card is dealt that was taken away from another hand of its round: it left the shoe once."""
        round_ = self.rounds.get(event.round) if event.round is not None and event.kind == "CardDealt" else None
        return round_ is not None and round_.goes_on(event)

    def _give(self, round_: RoundInPlay, event: Event, shoe: Shoe) -> None:
        prepares = round_.take(event, shoe)
        if event.kind == "CutCardDrawn":
            self._shoe = self._shoe.shows_white(event.seq, between=prepares)
        if prepares:
            if all(round_ is not each for each in self._preparing):
                self._preparing.append(round_)
        elif event.kind in TAKEN:
            for preparing in self._preparing:
                preparing.keep_prepared()
            self._preparing.clear()
            self._shoe = self._shoe.taken_from(event.seq)
