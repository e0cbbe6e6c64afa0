"""Cards that were taken away again (:mod:`replayer.engine.removed_cards`), for many rounds at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import polars as pl

from replayer.cards import card_of
from replayer.columns import is_kind, lies_open
from replayer.engine.event_symbols import CARD_KINDS
from replayer.engine.removed_cards import ACTED, Acts, is_taken_back, taken_away, taken_unnamed
from schemas.cards import UNKNOWN

Item = TypeVar("Item")


def of_all_places(rows: pl.DataFrame) -> dict[int, int]:
    """The sequence numbers of the events that dealt or turned them, at seats and at the bank, each with that of the event that
    took the card away. ``rows`` are events."""
    return dict(
        _found(lambda acts: taken_away(acts).items(), rows, "card_card", "card_face", pl.lit(value=True), "card_seat")
    )


def cards_taken_back(rows: pl.DataFrame, removed: Mapping[int, int]) -> list[int]:
    """Those of :func:`of_all_places` that were taken away before any wager, decision or settlement of their round."""
    if not removed:
        return []
    dealt = rows.filter(pl.col("seq").is_in(list(removed))).select("seq", "ri")
    acted = rows.filter(is_kind(*ACTED)).join(dealt, on="ri", how="semi").group_by("ri").agg(pl.col("seq").sort())
    of_round: dict[int, list[int]] = dict(acted.select("ri", "seq").iter_rows())
    return [seq for seq, ri in dealt.iter_rows() if is_taken_back(seq, removed[seq], of_round.get(ri, ()))]


def of_bank(rows: pl.DataFrame, card: str, face: str, bank: pl.Expr) -> list[int]:
    """The sequence numbers of the events that dealt or turned those of the bank. ``card`` and ``face`` name the columns of a card
    and how it lies, ``bank`` marks the bank's rows."""
    return sorted(_found(taken_away, rows, card, face, bank))


def unnamed_of_bank(rows: pl.DataFrame) -> list[int]:
    """The numbers of the events that took an unnamed card (:func:`replayer.engine.removed_cards.taken_unnamed`)."""
    return sorted(_found(taken_unnamed, rows, "card_card", "card_face", pl.col("card_seat").is_null()))


def _found(
    numbers: Callable[[Acts], Iterable[Item]], rows: pl.DataFrame, card: str, face: str, chosen: pl.Expr, *within: str
) -> list[Item]:
    """The ``numbers`` of the ``chosen`` cards of each round, and each place ``within`` it, from which one was removed."""
    place = ("ri", *within)
    removed = rows.filter(is_kind("CardRemoved") & chosen).select(place).unique()
    if removed.is_empty():
        return []
    acts = rows.filter(is_kind(*CARD_KINDS) & chosen)
    acts = acts.join(removed, on=place, how="semi", nulls_equal=True).sort("ri", "seq")
    named = pl.col(card).cast(pl.String).fill_null(UNKNOWN)
    done = acts.select(*place, "seq", pl.col("kind").cast(pl.String), card=named, seen=lies_open(face))
    hands = done.group_by(place, maintain_order=True).agg("seq", "kind", "card", "seen")
    found: list[Item] = []
    for seqs, kinds, cards, open_ in hands.drop(place).iter_rows():
        found += numbers(zip(seqs, kinds, map(card_of, cards), open_, strict=True))
    return found
