"""Stores events in little memory: most columns of most rows are null.

A frame of events is a sequence of pieces. An all-null column of a piece is a slice of one run of nulls shared by its type;
columns of one type of which no row has two values, such as the seats of cards, of wagers and of decisions, share one buffer;
rows are removed by slicing around them, without a copy of the rest. Three million events thus take the memory of their values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import polars as pl

from replayer.log.columns import TEXT

PIECE: Final = 16_384
"""Events per piece: enough to share the fixed costs, few enough that columns are empty in most pieces."""
_FEW: Final = 200
"""Up to so many rows are removed by slicing; for more, the pieces are made anew."""
_SHARED: Final = (TEXT, pl.Int32, pl.Int64)
"""Types with several columns, of which an event fills one or two."""

_runs: dict[str, pl.Series] = {}


def share_nulls(piece: pl.DataFrame) -> pl.DataFrame:
    """The piece with its columns of nulls alone in shared memory."""
    return piece.with_columns(_nulls(name, piece.schema[name], piece.height) for name in _empty(piece))


def in_own_memory(piece: pl.DataFrame) -> pl.DataFrame:
    """The piece in memory of its own: another library keeps a whole allocation alive as long as any part of it is in use."""
    held = piece.drop(_empty(piece))
    own = [pl.col(name).gather(pl.int_range(pl.len())) for name, kind in held.schema.items() if not kind.is_nested()]
    nested = [pl.Series(name, held[name].to_list(), kind) for name, kind in held.schema.items() if kind.is_nested()]
    return share_nulls(piece.with_columns(held.select(own).get_columns() + nested))


def _empty(piece: pl.DataFrame) -> list[str]:
    return [name for name, nulls in zip(piece.columns, piece.null_count().row(0), strict=True) if nulls == piece.height]


def _nulls(name: str, kind: pl.DataType, height: int) -> pl.Series:
    """A column of nulls. Texts are kept as numbers: even an empty text column keeps all texts alive."""
    held = pl.UInt32() if kind == TEXT else kind
    if str(held) not in _runs or len(_runs[str(held)]) < height:
        _runs[str(held)] = pl.Series([None], dtype=held).new_from_index(0, max(height, 2 * PIECE))
    run = _runs[str(held)].head(height).alias(name)
    return run.cat.to(TEXT) if kind == TEXT else run


def compacted(piece: pl.DataFrame) -> pl.DataFrame:
    """The piece with columns of one type in one buffer where no row has a value in two of them.

    Where a column is null, the shared buffer holds another column's value of the same type, which is valid data to any reader.
    Polars masks numbers without copying them; texts are masked as numbers.
    """
    there = {name: piece[name].is_not_null() for name in piece.columns if piece.schema[name] in _SHARED}
    buffers: list[_Shared] = []
    for name, rows in there.items():
        if rows.any() and not rows.all():
            kind = piece.schema[name]
            buffer = next(
                (buffer for buffer in buffers if buffer.kind == kind and not (buffer.taken & rows).any()), None
            )
            if buffer is None:
                buffers.append(_Shared(kind, [name], rows))
            else:
                buffer.names.append(name)
                buffer.taken = buffer.taken | rows
    for buffer in buffers:
        if len(buffer.names) > 1:
            own = piece.select(pl.col(name).to_physical() for name in buffer.names)
            values = own.select(pl.coalesce(buffer.names)).to_series()
            masked = own.select(pl.when(there[name]).then(values).alias(name) for name in buffer.names)
            piece = piece.with_columns(
                column.cat.to(TEXT) if buffer.kind == TEXT else column for column in masked.get_columns()
            )
    return piece


@dataclass(slots=True)
class _Shared:
    """Columns of one type that share a buffer, and the rows in which one of them has a value."""

    kind: pl.DataType
    names: list[str]
    taken: pl.Series


def only(events: pl.DataFrame, kept: pl.Series) -> pl.DataFrame:
    """The events whose rows are ``kept``, in order."""
    gone = (~kept).arg_true()
    if gone.is_empty():
        return events
    if len(gone) <= _FEW:
        between = pairwise((-1, *gone, events.height))
        return _joined([events.slice(end + 1, next_ - end - 1) for end, next_ in between if next_ > end + 1], events)
    chosen = events.with_columns(kept.alias("kept"))
    return by_pieces(chosen, lambda piece: compacted(piece.filter("kept").drop("kept")))


def by_pieces(events: pl.DataFrame, work: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
    """Apply ``work``, which treats each row independently, piece by piece."""
    pieces = [share_nulls(work(piece)) for piece in events.iter_slices(PIECE)]
    return _joined(pieces, work(events.clear()))


def _joined(pieces: Sequence[pl.DataFrame], empty: pl.DataFrame) -> pl.DataFrame:
    return pl.concat(pieces, rechunk=False) if pieces else empty.clear()
