"""Wagers that live on from round to round: the results of their players, and what they come to in the end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import polars as pl

from replayer.engine.evaluator import Evaluator
from replayer.engine.histories import Histories, seat_key
from replayer.engine.judgements import Judgements
from replayer.engine.round_context import RoundContext
from replayer.engine.ruled import Ruled
from replayer.game import Game
from replayer.wagers import Due

UNKNOWN_DUE: Final = Due(None, "")
_OF_NO_SEAT: Final = "AEV"
"""Letters of rounds that say nothing of a seat's result."""
_ELSEWHERE: Final = Ruled("E")
_NOT_TOLD: Final = "?"
"""Letters of a round spent at several other seats, or at none that the log tells, and of one of which it does not tell."""


class CarriedResults:
    """The results of a player, round after round: of his seat, or of another one to which he moved.

    ``late`` has the bettors whose bets on a seat came too late in a round, with the article: where such a bet is void (X-7),
    the round counts as void for its bettor.
    """

    def __init__(self, histories: Histories, context: RoundContext, judgements: Judgements, game: Game) -> None:
        self._histories = histories
        self._context = context
        self._judgements = judgements
        self._game = game
        self.late: Mapping[tuple[int, int, str | None], str] = {}
        self._letters: dict[tuple[int, int | None, str | None], Ruled[str] | None] = {}

    @cached_property
    def _seat_rows(self) -> Mapping[int, int]:
        return {key: row for row, key in enumerate(self._histories.seat_keys.to_list())}

    @cached_property
    def _bet(self) -> Mapping[tuple[int, str | None], set[int]]:
        """The seats on which a player bet in a round."""
        kinds = sorted(self._game.wagers.base)
        bases = self._histories.wagers.select("ri", "seat", "player", base=pl.col("kind").is_in(kinds)).filter("base")
        bet: defaultdict[tuple[int, str | None], set[int]] = defaultdict(set)
        for ri, seat, player in zip(*(bases[name].to_list() for name in ("ri", "seat", "player")), strict=True):
            bet[ri, player].add(seat)
        return bet

    @cached_property
    def _bet_seats(self) -> Mapping[int, set[int]]:
        """The seats on which anybody bet in a round."""
        taken: defaultdict[int, set[int]] = defaultdict(set)
        for (ri, _), seats in self._bet.items():
            taken[ri] |= seats
        return taken

    def due(
        self, evaluator: Evaluator, ri: int, seat: int, player: str | None, kind: str
    ) -> tuple[Ruled[Due | None] | None, int]:
        """What a wager placed in round ``ri`` comes to and in which round; None while it lives on or cannot be told."""
        results = ""
        rulings: set[str] = set()
        stretches = self._context.stretches
        stretch, last = stretches[ri], ri
        place: int | None = seat
        for later in range(ri, len(stretches)):
            if stretches[later] != stretch:
                break
            last = later
            place = self._place(later, place, player)
            letter = self.letter(later, place, player)
            if letter is None or letter.value == _NOT_TOLD:
                letter = Ruled(_NOT_TOLD) if place == seat else _ELSEWHERE
            results += letter.value if place == seat or letter.value in _OF_NO_SEAT else letter.value.lower()
            rulings.update(letter.rulings)
            carried_due = evaluator.carried.due((kind, results))
            if carried_due.value is not None:
                return carried_due.resting_on(rulings), later
        if stretch not in self._context.closing:
            return None, last
        return evaluator.carried.due((kind, results + "C")).resting_on(rulings), last

    def _place(self, ri: int, place: int | None, player: str | None) -> int | None:
        """The seat on which a player is to be followed who was at ``place``; None where the log does not tell."""
        seats = self._bet[ri, player]
        if place in seats or (player is not None and not seats):
            return place
        return next(iter(seats)) if player is not None and len(seats) == 1 else None

    def _may_have_bet(self, ri: int, seat: int, player: str | None) -> bool:
        """Whether a bet of somebody lies on the seat who may be the player: the log names one of the two only."""
        return seat in (self._bet_seats[ri] if player is None else self._bet[ri, None])

    def letter(self, ri: int, seat: int | None, player: str | None) -> Ruled[str] | None:
        """What a round counts as, with all rulings on the way to it; None where that cannot be told."""
        asked = (ri, seat, player)
        if asked not in self._letters:
            self._letters[asked] = self._letter(*asked)
        return self._letters[asked]

    def _letter(self, ri: int, seat: int | None, player: str | None) -> Ruled[str] | None:
        if ri in self._context.voids:
            return Ruled("V")
        if seat is None:
            return _ELSEWHERE
        if seat not in self._bet[ri, player]:
            return Ruled(_NOT_TOLD if self._may_have_bet(ri, seat, player) else "A")
        evaluator, row = self._context.of[ri], self._seat_rows.get(seat_key(ri, seat))
        if evaluator is None or row is None:
            return None
        of_seat = self._judgements.of_bettors.get((ri, seat, player)) or self._judgements.seats.at(row)
        of_bank = self._judgements.banks.at(ri)
        own, bank = of_seat.value, of_bank.value
        if own.unjudged or (own.awaits_bank and bank.unjudged):
            return None
        counted = evaluator.carried.result((own.outcome, bank.outcome))
        rulings = {*of_seat.rulings, *of_bank.rulings}
        if late := self.late.get((ri, seat, player)):
            void: Ruled[Any] = evaluator.late(Ruled(UNKNOWN_DUE), late)
            if void.value.odds is not None:
                return Ruled("V", void.rulings)
            rulings.update(void.rulings)
        return counted.resting_on(rulings)
