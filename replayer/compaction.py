"""Events in no more room than they need: most columns of most rows hold nothing at all.

A frame of events is a row of pieces. A column of nulls in a piece is a part of one run of nulls that all of its type share;
columns of one type of which no row has two, as the seats of cards, of wagers and of decisions, lie in one room; rows are left
out by cutting around them, so that what stays is where it was. Three million events so take as much room as the values in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import polars as pl

from replayer.columns import TEXT

PIECE: Final = 16_384
"""Events of a piece: enough to share the fixed costs, few enough that columns are empty in most pieces."""
_FEW: Final = 200
"""So many rows are cut around; where more go, the pieces are made anew."""
_OF_ALL: Final = ("table_id", "gaming_day")
"""Columns in which all events of a table-day have one value."""
_SHARED: Final = (TEXT, pl.Int32, pl.Int64)
"""Types of which an event has several columns for one value or two."""

_runs: dict[str, pl.Series] = {}


def thin(piece: pl.DataFrame) -> pl.DataFrame:
    """The piece with every column of nulls in shared room, and its table and day."""
    of_all = {name: _one(piece[name]) for name in _OF_ALL if name in piece.columns}
    same = dict.fromkeys(_empty(piece)) | {name: value for name, value in of_all.items() if value is not None}
    return piece.with_columns(_run(name, piece.schema[name], value, piece.height) for name, value in same.items())


def in_own_memory(piece: pl.DataFrame) -> pl.DataFrame:
    """The piece in room of its own: what another library made keeps all that was made with it for as long as any part lasts."""
    held = piece.drop(_empty(piece))
    own = [pl.col(name).gather(pl.int_range(pl.len())) for name, kind in held.schema.items() if not kind.is_nested()]
    nested = [pl.Series(name, held[name].to_list(), kind) for name, kind in held.schema.items() if kind.is_nested()]
    return thin(piece.with_columns(held.select(own).get_columns() + nested))


def _empty(piece: pl.DataFrame) -> list[str]:
    return [name for name, nulls in zip(piece.columns, piece.null_count().row(0), strict=True) if nulls == piece.height]


def _one(column: pl.Series) -> int | None:
    """The number of the one value that a column of texts or days has; None where it has several."""
    numbers = column.to_physical()
    first: int | None = numbers.first()  # type: ignore[assignment]
    return first if first is not None and (numbers == first).all() else None


def _run(name: str, kind: pl.DataType, value: int | None, height: int) -> pl.Series:
    """So many times one value, or nothing. Texts are kept as numbers: a column of them, even of none, keeps all texts alive."""
    held = {TEXT: pl.UInt32(), pl.Date(): pl.Int32()}.get(kind, kind)
    key = str(held) if value is None else name  # one at a time of each column: the next table-day has another
    if key not in _runs or len(_runs[key]) < height or _runs[key][0] != value:
        _runs[key] = pl.Series([value], dtype=held).new_from_index(0, max(height, 2 * PIECE))
    run = _runs[key].head(height).alias(name)
    return run.cat.to(TEXT) if kind == TEXT else run.cast(kind)


def compacted(piece: pl.DataFrame) -> pl.DataFrame:
    """The piece with columns of one type in one room where no row has a value in two of them.

    What lies in a room where a column has null is another column's value of the same type, so that whoever looks finds
    nothing strange. Polars masks numbers without copying them; numbers of texts are masked as such.
    """
    there = {name: piece[name].is_not_null() for name in piece.columns if piece.schema[name] in _SHARED}
    rooms: list[_Room] = []
    for name, rows in there.items():
        if rows.any() and not rows.all():
            kind = piece.schema[name]
            room = next((room for room in rooms if room.kind == kind and not (room.taken & rows).any()), None)
            if room is None:
                rooms.append(_Room(kind, [name], rows))
            else:
                room.names.append(name)
                room.taken = room.taken | rows
    for room in rooms:
        if len(room.names) > 1:
            own = piece.select(pl.col(name).to_physical() for name in room.names)
            values = own.select(pl.coalesce(room.names)).to_series()
            masked = own.select(pl.when(there[name]).then(values).alias(name) for name in room.names)
            piece = piece.with_columns(
                column.cat.to(TEXT) if room.kind == TEXT else column for column in masked.get_columns()
            )
    return piece


@dataclass(slots=True)
class _Room:
    """Columns of one ``kind``, and the rows in which one of them has a value."""

    kind: pl.DataType
    names: list[str]
    taken: pl.Series


def only(events: pl.DataFrame, kept: pl.Series) -> pl.DataFrame:
    """The events whose rows are ``kept``, in their order."""
    gone = (~kept).arg_true()
    if gone.is_empty():
        return events
    if len(gone) <= _FEW:
        return _joined([events.slice(*stretch) for stretch in _around(gone.to_list(), events.height)], events)
    chosen = events.with_columns(kept.alias("kept"))
    return by_pieces(chosen, lambda piece: compacted(piece.filter("kept").drop("kept")))


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
