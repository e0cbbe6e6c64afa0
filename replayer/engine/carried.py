"""Wagers carried from round to round: the results of their players, and what the wagers are due in the end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import Final

import polars as pl

from replayer.columns import KIND_NUMBER, is_wager
from replayer.engine.evaluator import Evaluator
from replayer.engine.histories import SEATS, Histories, seat_key
from replayer.engine.judgements import Judgements
from replayer.engine.packed_events import kind_of
from replayer.engine.round_context import RoundContext
from replayer.engine.ruled import Ruled
from replayer.game import Game
from replayer.outcomes import Judgement, SeatOutcome
from replayer.wagers import CarriedRound, Due, PlayedRound, UnplayedRound

UNKNOWN_DUE: Final = Due(None, "")
_UNKNOWN: Final[Ruled[CarriedRound]] = Ruled(PlayedRound(None))


class CarriedResults:
    """The results of players, round after round, on their seat or on another one to which they moved.

    ``late`` has the bettors whose bets on a seat came too late in a round, with the article: where such a bet is void (X-7),
    the round counts as void for its bettor.
    """

    def __init__(self, histories: Histories, context: RoundContext, judgements: Judgements, game: Game) -> None:
        self._histories = histories
        self._context = context
        self._judgements = judgements
        self._game = game
        self.late: Mapping[tuple[int, int, str | None], str] = {}
        self._rounds: dict[tuple[int, int | None, str | None], Ruled[CarriedRound]] = {}

    @cached_property
    def _seat_rows(self) -> Mapping[int, int]:
        return {key: row for row, key in enumerate(self._histories.seat_keys.to_list())}

    @property
    def _is_bet(self) -> pl.Expr:
        """Whether a wager is a bet in its round: one with no stake is none."""
        return is_wager(self._game.wagers.base) & (pl.col("stake_minor") > 0)

    @cached_property
    def _seats_of_player(self) -> Mapping[tuple[int, str | None], set[int]]:
        """The seats on which a player bet in a round: only players with carried wagers, and unnamed ones."""
        wagers, carried = self._histories.wagers, self._game.wagers.carried
        players = wagers["player"].filter(wagers["kind"].is_in(sorted(carried))).unique()
        own = pl.col("player").is_in(players.implode()) | pl.col("player").is_null()
        bases = wagers.select("ri", "seat", "player", base=self._is_bet & own).filter("base")
        bet: defaultdict[tuple[int, str | None], set[int]] = defaultdict(set)
        for ri, seat, player in zip(*(bases[name].to_list() for name in ("ri", "seat", "player")), strict=True):
            bet[ri, player].add(seat)
        return bet

    @cached_property
    def _seats_with_bets(self) -> Mapping[int, set[int]]:
        """The seats with a bet in a round."""
        wagers, taken = self._histories.wagers, defaultdict[int, set[int]](set)
        for ri, seat in wagers.filter(self._is_bet).select("ri", "seat").iter_rows():
            taken[ri].add(seat)
        return taken

    @cached_property
    def _dealt(self) -> frozenset[int]:
        """The rounds in which a seat was dealt a card."""
        rows = self._histories.rows["seat"].filter(kind_of("code") == KIND_NUMBER["CardDealt"])
        return frozenset(rows.select(pl.col("key") // SEATS).to_series().unique())

    def due(
        self, evaluator: Evaluator, ri: int, seat: int, player: str | None, kind: str
    ) -> tuple[Ruled[Due | None] | None, int]:
        """What a wager placed in round ``ri`` is due, and in which round it ends; None while it runs or where that is unknown."""
        rounds: tuple[CarriedRound, ...] = ()
        rulings: set[str] = set()
        stretches = self._context.stretches
        stretch, last = stretches[ri], ri
        place: int | None = seat
        for later in range(ri, len(stretches)):
            if stretches[later] != stretch:
                break
            last = later
            left = place
            if not self._context.unjudged_reasons[later]:
                place = self._followed_seat(later, place, player)
            played = self.round(later, place, player)
            counts = played.value
            if counts is UnplayedRound.VOID:  # it moves nobody to another seat
                place = left
            if place != seat and isinstance(counts, PlayedRound):
                counts = PlayedRound(counts.result, other_seat=True)
            rounds += (counts,)
            rulings.update(played.rulings)
            carried_due = evaluator.carried.due((kind, rounds))
            if carried_due.value is not None:
                judged = self._judged(later, seat, player)
                ended_here = isinstance(counts, PlayedRound) and not counts.other_seat
                if ended_here and judged is not None and judged.value.outcome is not None:
                    awaits = evaluator.carried.awaits(judged.value.outcome).value
                    if awaits and carried_due.value.odds is not None:
                        timed = evaluator.carried.not_before((carried_due.value, awaits))
                        carried_due = Ruled(timed.value, carried_due.rulings)
                return carried_due.resting_on(rulings), later
        if stretch not in self._context.closing:
            return None, last
        return evaluator.carried.due((kind, (*rounds, UnplayedRound.CLOSING))).resting_on(rulings), last

    def _followed_seat(self, ri: int, place: int | None, player: str | None) -> int | None:
        """The seat on which to follow a player who was at ``place``; None where the log does not tell."""
        seats = self._seats_of_player[ri, player]
        if place in seats or (player is not None and not seats):
            return place
        return next(iter(seats)) if player is not None and len(seats) == 1 else None

    def _may_have_bet(self, ri: int, seat: int, player: str | None) -> bool:
        """Whether the seat has a bet that may be the player's, because the log names only one of the two."""
        return seat in (self._seats_with_bets[ri] if player is None else self._seats_of_player[ri, None])

    def round(self, ri: int, seat: int | None, player: str | None) -> Ruled[CarriedRound]:
        """What a round counts as, with the rulings that it rests on, also where that is unknown."""
        place = (ri, seat, player)
        if place not in self._rounds:
            self._rounds[place] = self._round(*place)
        return self._rounds[place]

    def _round(self, ri: int, seat: int | None, player: str | None) -> Ruled[CarriedRound]:
        if ri in self._context.voids:
            return Ruled(UnplayedRound.VOID)
        if seat is None:
            return _UNKNOWN
        if seat not in self._seats_of_player[ri, player]:
            if self._context.unjudged_reasons[ri]:
                return _UNKNOWN
            if ri not in self._dealt:  # it was not played, or not yet
                return Ruled(UnplayedRound.VOID)
            return _UNKNOWN if self._may_have_bet(ri, seat, player) else Ruled(UnplayedRound.NO_BET)
        evaluator, of_seat = self._context.evaluator_of[ri], self._judged(ri, seat, player)
        if evaluator is None or of_seat is None:
            return _UNKNOWN
        of_bank = self._judgements.banks.at(ri)
        own, bank = of_seat.value, of_bank.value
        rulings = {*of_seat.rulings, *of_bank.rulings}
        if own.unjudged or (own.awaits_bank and bank.unjudged):
            return _UNKNOWN.resting_on(rulings)
        counted = evaluator.carried.result((own.outcome, bank.outcome))
        if late := self.late.get((ri, seat, player)):
            void = evaluator.late(Ruled(UNKNOWN_DUE), late)
            if void.value.odds is not None:
                return Ruled(UnplayedRound.VOID, void.rulings)
            rulings.update(void.rulings)
        played: CarriedRound = PlayedRound(counted.value)
        return Ruled(played, counted.rulings).resting_on(rulings)

    def _judged(self, ri: int, seat: int, player: str | None) -> Ruled[Judgement[SeatOutcome]] | None:
        """The judgement of a bettor on a seat; None where nothing happened there."""
        row = self._seat_rows.get(seat_key(ri, seat))
        if row is None:
            return None
        return self._judgements.of_bettors.get((ri, seat, player)) or self._judgements.seats.at(row)
