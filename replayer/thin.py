"""Events in no more room than they need: most columns of most pieces of a log hold nothing at all.

A frame of events is a row of pieces. A column of nulls in a piece is a part of one run of nulls that all of its type share,
and rows are left out by cutting around them, so that what stays is where it was. Three million events so take as much room
as the values in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

import polars as pl

from replayer.columns import TEXT

PIECE: Final = 16_384
"""Events of a piece: enough to share the fixed costs, few enough that columns are empty in most pieces."""
_FEW: Final = 200
"""So many rows are cut around; where more go, the pieces are made anew."""

_nulls: dict[str, pl.Series] = {}


def thin(piece: pl.DataFrame) -> pl.DataFrame:
    """The piece with every column of nulls in shared room."""
    empty = _empty(piece)
    return piece.with_columns(_nothing(name, piece.schema[name], piece.height) for name in empty) if empty else piece


def owned(piece: pl.DataFrame) -> pl.DataFrame:
    """The piece in room of its own: what another library made keeps all that was made with it for as long as any part lasts."""
    held = piece.drop(_empty(piece))
    own = [pl.col(name).gather(pl.int_range(pl.len())) for name, kind in held.schema.items() if not kind.is_nested()]
    nested = [pl.Series(name, held[name].to_list(), kind) for name, kind in held.schema.items() if kind.is_nested()]
    return thin(piece.with_columns(held.select(own).get_columns() + nested))


def _empty(piece: pl.DataFrame) -> list[str]:
    return [name for name, nulls in zip(piece.columns, piece.null_count().row(0), strict=True) if nulls == piece.height]


def _nothing(name: str, kind: pl.DataType, height: int) -> pl.Series:
    """So many nulls. Those of texts are kept as numbers: a column of texts, even of none, keeps all texts alive."""
    held = pl.UInt32() if kind == TEXT else kind
    key = str(held)
    if key not in _nulls or len(_nulls[key]) < height:
        _nulls[key] = pl.Series([None], dtype=held).new_from_index(0, max(height, 2 * PIECE))
    nulls = _nulls[key].head(height).alias(name)
    return nulls.cat.to(TEXT) if kind == TEXT else nulls


def only(events: pl.DataFrame, kept: pl.Series) -> pl.DataFrame:
    """The events whose rows are ``kept``, in their order."""
    gone = (~kept).arg_true()
    if gone.is_empty():
        return events
    if len(gone) <= _FEW:
        return _joined([events.slice(*stretch) for stretch in _around(gone.to_list(), events.height)], events)
    chosen = events.with_columns(kept.alias("kept"))
    return by_pieces(chosen, lambda piece: piece.filter("kept").drop("kept"))


def _around(gone: Sequence[int], height: int) -> Iterator[tuple[int, int]]:
    """Where the stretches between some rows begin and how long they are."""
    for before, after in pairwise((-1, *gone, height)):
        if after - before > 1:
            yield before + 1, after - before - 1


def by_pieces(events: pl.DataFrame, work: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
    """What ``work`` makes of the events; it looks at nothing but each row by itself."""
    pieces = [thin(work(piece)) for piece in events.iter_slices(PIECE)]
    return _joined(pieces, work(events.clear()))


def _joined(pieces: Sequence[pl.DataFrame], empty: pl.DataFrame) -> pl.DataFrame:
    return pl.concat(pieces, rechunk=False) if pieces else empty.clear()
