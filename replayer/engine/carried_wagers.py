"""Wagers carried from round to round: the results of their players, what the wagers are due in the end, and whether their markers
(streak buttons) were moved correctly after each round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, TypeAlias

import polars as pl

from replayer.contract.game import Game
from replayer.contract.outcomes import Awaited, Judgement, SeatOutcome
from replayer.contract.wagers import CarriedRound, Due, PlayedRound, UnplayedRound
from replayer.engine.distinct_values import Numbered
from replayer.engine.due_lookup import UNKNOWN, explained
from replayer.engine.evaluator import Evaluator
from replayer.engine.histories import SEATS, Histories, Subject, seat_key
from replayer.engine.packed_events import part_of
from replayer.engine.placing import rows_of_kinds
from replayer.engine.round_context import JudgedDays
from replayer.engine.ruled import Ruled
from replayer.engine.stacked_days import SPAN
from replayer.log.columns import KIND_NUMBER, is_wager

STILL_RUNNING: Final = "still running when the log ends"
RUN_UNJUDGED: Final = "a later round, in which it was still running, cannot be judged"
"""The reasons why a carried wager has no due."""
_UNKNOWN: Final[Ruled[CarriedRound]] = Ruled(PlayedRound(None))
Place: TypeAlias = tuple[int, int]
"""A round's index and a seat."""
_Marker: TypeAlias = tuple[int, int, bool]
"""The index of a round, the position that a marker must show after it, and whether that is a new one."""


class CarriedResults:
    """The results of players, round after round, on their seat or on another one to which they moved."""

    def __init__(self, judged: JudgedDays) -> None:
        self._game, self._histories = judged.game, judged.histories
        self._context, self._judgements = judged.context, judged.judgements
        self._late: Mapping[tuple[int, int, str | None], str] = {}
        """The bettors whose bets on a seat came too late in a round, with the article: where such a bet is void (X-7), the round
        counts as void for its bettor."""
        self._markers: Final[defaultdict[Place, set[tuple[int, bool]]]] = defaultdict(set)
        """For each round and seat what the markers of the wagers that go on after it must show, and whether that is new."""
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
        rows = self._histories.rows[Subject.SEAT].filter(part_of("kind") == KIND_NUMBER["CardDealt"])
        return frozenset(rows.select(pl.col("key") // SEATS).to_series().unique())

    def follow(
        self, wagers: pl.DataFrame, of_wager: pl.Series, dues: Numbered[Ruled[Due]]
    ) -> tuple[pl.Series, pl.Series]:
        """The number in ``dues`` of each wager's due, ``of_wager`` for all but carried ones, and the round in which it ends:
        carried ones are followed there, by player and seat."""
        rows = rows_of_kinds(wagers, self._game.wagers.carried)
        if rows.is_empty():
            return of_wager, wagers["ri"]
        self._late = _late_bases(wagers, self._game)
        numbers, ends = [], []
        for ri, seat, player, kind, late in wagers[rows].select("ri", "seat", "player", "kind", "late").iter_rows():
            evaluator = self._context.evaluator_of[ri]
            carried_due, end, markers = self._followed(evaluator, ri, seat, player, kind)
            if evaluator is not None and late and ri not in self._context.voids:
                void = evaluator.late(UNKNOWN, late)
                if void.value.odds is not None:
                    carried_due, end = void, ri
                elif carried_due is not None:
                    carried_due = carried_due.resting_on(void.rulings)
            ends.append(end)
            for later, position, is_new in markers:
                if later < end or carried_due is None:
                    self._markers[later, seat].add((position, is_new))
            why = self._context.unjudged_reasons[ri] or STILL_RUNNING
            if carried_due and carried_due.value.odds is None and any(self._context.unjudged_reasons[ri + 1 : end + 1]):
                carried_due, why = UNKNOWN, RUN_UNJUDGED
            numbers.append(dues.number(explained(carried_due or UNKNOWN, why)))
        return of_wager.scatter(rows, pl.Series(numbers, dtype=pl.Int64)), wagers["ri"].scatter(
            rows, pl.Series(ends, dtype=pl.Int64)
        )

    def _followed(
        self, evaluator: Evaluator | None, ri: int, seat: int, player: str | None, kind: str
    ) -> tuple[Ruled[Due] | None, int, Sequence[_Marker]]:
        """What a wager placed in round ``ri`` is due, None while it runs or where that is unknown, the round in which it ends,
        and its marker after each round before, until its player leaves the seat."""
        if evaluator is None:
            return None, ri, ()
        carried, stretches = evaluator.carried, self._context.stretches
        state, rulings, markers = carried.new(kind).value, set[str](), list[_Marker]()
        place: int | None = seat
        stays, last = True, ri
        for later in range(ri, len(stretches)):
            if stretches[later] != stretches[ri]:
                break
            last, before = later, state
            played, place = self._round_of_player(later, seat, place, player)
            stepped = carried.step(state, played.value)
            state, violations = stepped.value
            rulings.update(played.rulings, stepped.rulings)
            if state.over:
                due = carried.due(state, later - ri + 1, violations)
                if isinstance(played.value, PlayedRound) and not played.value.other_seat:
                    due = self._timed(evaluator, due, later, seat, player)
                return due.resting_on(rulings), later, markers
            stays = stays and place == seat
            if stays:
                markers.append((later, state.marker, state != before))
        if stretches[ri] not in self._context.closing:
            return None, last, markers
        state, violations = carried.step(state, UnplayedRound.CLOSING).value
        return carried.due(state, last - ri + 1, violations).resting_on(rulings), last, markers

    def _timed(self, evaluator: Evaluator, due: Ruled[Due], ri: int, seat: int, player: str | None) -> Ruled[Due]:
        """What a wager is due that ended with a round of its seat, and what it awaits."""
        judged = self._judged(ri, seat, player)
        if judged is None or judged.value.outcome is None or due.value.odds is None:
            return due
        awaits = evaluator.carried.awaits(judged.value.outcome).value
        return Ruled(evaluator.carried.not_before(due.value, awaits).value, due.rulings) if awaits else due

    def _round_of_player(
        self, ri: int, seat: int, place: int | None, player: str | None
    ) -> tuple[Ruled[CarriedRound], int | None]:
        """What a round counts as for a wager on a ``seat`` whose player was at ``place`` before, and his place in it."""
        now = place if self._context.unjudged_reasons[ri] else self._followed_seat(ri, place, player)
        played = self.round(ri, now, player)
        if played.value is UnplayedRound.VOID:  # it moves nobody to another seat
            return played, place
        if now != seat and isinstance(played.value, PlayedRound):
            played = Ruled(PlayedRound(played.value.result, other_seat=True), played.rulings)
        return played, now

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
        if own.unjudged or (own.awaited is Awaited.HAND and bank.unjudged):
            return _UNKNOWN.resting_on(rulings)
        counted = evaluator.carried.result(own.outcome, bank.outcome)
        if late := self._late.get((ri, seat, player)):
            void = evaluator.late(UNKNOWN, late)
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

    def note_markers(self, events: pl.DataFrame) -> None:
        """Note markers that were moved wrongly, or not at all where a carried wager goes on after a round."""
        if not self._markers:
            return
        context, judgements, moves = self._context, self._judgements, _moves(events, self._histories)
        for (ri, seat), running in self._markers.items():
            evaluator, moved = context.evaluator_of[ri], moves[(ri, seat)]
            if evaluator is None or (ri in context.voids and not moved):  # a void round asks for no move
                continue
            shows, any_new = frozenset(position for position, _ in running), any(is_new for _, is_new in running)
            judgement = evaluator.carried.marker(shows, any_new, tuple(position for _, position in moved)).value
            seq = moved[-1][0] if moved else self._histories.rounds["last_seq"][ri]
            judgements.note_at(judgement, ri, seat, Subject.MARKER, seq)


def _late_bases(wagers: pl.DataFrame, game: Game) -> dict[tuple[int, int, str | None], str]:
    """The bettors all of whose base wagers on a seat came too late in a round, with the article after whose moment."""
    if not wagers.select((pl.col("late") != "").any()).item():
        return {}
    bases = wagers.filter(is_wager(game.wagers.base))
    late = bases.group_by("ri", "seat", "player").agg(late=pl.col("late").first(), every=(pl.col("late") != "").all())
    return {(ri, seat, player): article for ri, seat, player, article, every in late.iter_rows() if every}


def _moves(events: pl.DataFrame, histories: Histories) -> Mapping[Place, list[tuple[int, int]]]:
    """The marker moves by round and seat, as ``seq`` and position; a move between two rounds belongs to the earlier one."""
    played = pl.when(pl.col("kind") != "CorrectionMade").then("round")  # a correction alone makes no round
    by_round = events.select("seq", "kind", "decision_seat", "decision_points", round=played.forward_fill())
    same_day = pl.col("round") // SPAN == pl.col("seq") // SPAN
    moves: dict[Place, list[tuple[int, int]]] = defaultdict(list)
    rows = by_round.filter((pl.col("kind") == "MarkerMoved") & same_day)
    ris = histories.rounds["round"].search_sorted(rows["round"])
    for ri, seq, seat, position in rows.select(ris, "seq", "decision_seat", "decision_points").iter_rows():
        moves[(ri, seat)].append((seq, position))
    return moves
