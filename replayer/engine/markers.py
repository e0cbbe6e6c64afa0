"""Checks after each round whether the markers of carried wagers (streak buttons) were moved correctly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TypeAlias

import polars as pl

from replayer.columns import is_wager
from replayer.engine.carried import CarriedResults
from replayer.engine.histories import Histories
from replayer.engine.judgements import Judgements, NotedBreach
from replayer.engine.round_context import RoundContext
from replayer.engine.settle import STILL_RUNNING
from replayer.engine.stack import SPAN
from replayer.game import Game
from replayer.wagers import CarriedRound, UnplayedRound

Place = tuple[int, int]
"""A round's index and a seat."""
_Rounds: TypeAlias = tuple[CarriedRound, ...]


def note_markers(
    events: pl.DataFrame,
    histories: Histories,
    wagers: pl.DataFrame,
    context: RoundContext,
    judgements: Judgements,
    carried_results: CarriedResults,
    game: Game,
) -> None:
    """Note markers that were moved wrongly, or not at all where a carried wager goes on after a round."""
    carried = wagers.filter(is_wager(game.wagers.carried))
    if carried.is_empty():
        return
    moves = _moves(events, histories)
    for (ri, seat), running in _going_on(carried, carried_results).items():
        evaluator, moved = context.evaluator_of[ri], moves[(ri, seat)]
        if evaluator is None or (ri in context.voids and not moved):  # a void round asks for no move
            continue
        judgement = evaluator.carried.marker((frozenset(running), tuple(position for _, position in moved))).value
        seq = moved[-1][0] if moved else histories.rounds["last_seq"][ri]
        judgements.noted += [NotedBreach(breach, ri, seat, "marker", seq=seq) for breach in judgement.breaches]
        if judgement.not_checked:
            judgements.not_checked.append((ri, judgement.not_checked))


def _going_on(carried: pl.DataFrame, carried_results: CarriedResults) -> Mapping[Place, set[_Rounds]]:
    """For each round and seat the rounds so far of the wagers that go on after it."""
    found: dict[Place, set[_Rounds]] = defaultdict(set)
    running = pl.col("reason") == STILL_RUNNING
    columns = ("ri", "seat", "player", pl.col("ended_ri") + running.fill_null(value=False).cast(pl.Int64))
    for ri, seat, player, end in carried.select(*columns).iter_rows():
        rounds: _Rounds = ()
        for later in range(ri, end):
            played = carried_results.round(later, seat, player)
            if played.value is UnplayedRound.NO_BET:  # the bet on the seat is another's
                break
            rounds += (played.value,)
            found[(later, seat)].add(rounds)
    return found


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
