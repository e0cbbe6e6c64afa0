"""What became of each bettor on a shared seat where one of them spoke for himself alone, as with even money.

A seat's story names nobody, so it says of all bettors what one of them asked for. Here the story is told once for each of
them, as if nobody else had bet there.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from replayer.game import Game, Judgement
from replayer.judge import Asked
from replayer.settle import Bench
from replayer.stories import Stories, seat_key

Bettor = tuple[int, int, str | None]
"""A round's index, a seat, a player."""
NOT_TOLD = Asked(Judgement(unjudged="which of the bettors on the seat asked for it is not told"), ())


def bettors_apart(
    events: pl.DataFrame, stories: Stories, bench: Bench, game: Game
) -> Mapping[Bettor, Asked[Judgement]]:
    """What became of the bettors for whom it differs from what became of their seat."""
    claims = _claims(events, stories, game)
    found: dict[Bettor, Asked[Judgement]] = {}
    for (ri, seat), own in claims.items():
        judge = bench.of(ri)
        if judge is None:
            continue
        with judge.rules.readings.asked() as doubts:
            apart = {seq: player for seq, claim, player in own if game.for_himself(claim, judge.rules)}
        if not apart:
            continue
        key = pl.Series([seat_key(ri, seat)], dtype=pl.Int64)
        (begin, *words), (seqs,) = stories.truly("seat", key, game)[0].split(" "), stories.seqs("seat", key).values()
        placed = stories.wagers.filter((pl.col("ri") == ri) & (pl.col("seat") == seat)).select("seq", "kind", "player")
        whose = dict(placed.select("seq", "player").iter_rows()) | apart
        for player in placed.filter(pl.col("kind").is_in(sorted(game.base_wagers)))["player"].unique():
            if None in apart.values():
                found[ri, seat, player] = NOT_TOLD
                continue
            told = [word for word, seq in zip(words, seqs, strict=True) if whose.get(seq, player) == player]
            asked = judge.seat(" ".join((begin, *told)))
            found[ri, seat, player] = Asked(asked.answer, tuple(sorted({*asked.rulings, *doubts})))
    return found


def _claims(
    events: pl.DataFrame, stories: Stories, game: Game
) -> Mapping[tuple[int, int], list[tuple[int, str, str | None]]]:
    """The decisions at seats on which several players bet that may be each one's own: ``seq``, claim, player."""
    if not game.claims:
        return {}
    columns = ("seq", "round", "decision_seat", "decision_action", "decision_player")
    taken = events.lazy().filter(pl.col("decision_action").is_in(sorted(game.claims))).select(columns).collect()
    if taken.is_empty():
        return {}
    bases = stories.wagers.filter(pl.col("kind").is_in(sorted(game.base_wagers)))
    shared = bases.group_by("ri", "seat").agg(players=pl.col("player").n_unique()).filter(pl.col("players") > 1)
    rows = (
        taken.join(stories.rounds.select("round", "ri"), on="round")
        .with_columns(seat=pl.col("decision_seat").cast(pl.Int64))
        .join(shared.with_columns(pl.col("seat").cast(pl.Int64)), on=["ri", "seat"], how="semi")
    )
    found: dict[tuple[int, int], list[tuple[int, str, str | None]]] = {}
    for ri, seat, seq, action, player in rows.select(
        "ri", "seat", "seq", "decision_action", "decision_player"
    ).iter_rows():
        found.setdefault((ri, seat), []).append((seq, action, player))
    return found
