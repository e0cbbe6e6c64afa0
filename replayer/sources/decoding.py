"""Decodes containers into flat columns: large ones in pieces, small ones together, and those of older programs."""

from __future__ import annotations

import io
import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Final

import polars as pl

from replayer.log.columns import FACE, FLAT, KIND, TEXT
from replayer.log.compaction import PIECE, compacted, in_own_memory
from schemas.codec import Schema, current, transcode
from schemas.container import in_pieces, read_datums, write_container
from schemas.kinds import BODIES


@contextmanager
def _without(module: str) -> Iterator[None]:
    """Replace a module that was not imported yet by an empty one while the block runs."""
    empty = ModuleType(module)
    there = sys.modules.setdefault(module, empty)
    try:
        yield
    finally:
        if there is empty:
            del sys.modules[module]


# polars_avro uses fsspec for web addresses only, and importing that lists all installed packages: a fifth of a process's start.
with _without("fsspec"):
    import polars_avro

_LONG: Final = 8 * PIECE
"""From so many events on, the memory of a log matters."""


def flat(data: bytes, schema: Schema) -> pl.DataFrame:
    """The events of a container as flat columns (schema ``replayer.log.columns.FLAT``); raises the decoder's own errors."""
    return joined(frames(data if schema is current() else _resolved(data, schema)))


def frames(data: bytes) -> Iterator[pl.DataFrame]:
    """The events of a container of the current schema as flat columns, in pieces where the log is long."""
    # Decoded records take several times the memory of columns.
    small = len(list(itertools.islice(in_pieces(data, _LONG), 2))) < 2
    return map(_flat_piece, [data] if small else in_pieces(data, PIECE))


def joined(pieces: Iterator[pl.DataFrame]) -> pl.DataFrame:
    """The pieces of a log, at least one, as one frame; several pieces are compacted."""
    first = list(itertools.islice(pieces, 2))
    if len(first) < 2:  # compaction would take a tenth of a replay's time
        return first[0]
    return pl.concat([compacted(in_own_memory(piece)) for piece in itertools.chain(first, pieces)], rechunk=False)


def _flat_piece(data: bytes) -> pl.DataFrame:
    frame = polars_avro.read_avro(io.BytesIO(data)).unnest(*BODIES, separator="_")
    return frame.select(
        pl.col(name).cast(dtype)
        if dtype in (KIND, FACE, TEXT)
        else pl.col(name).to_physical()
        if name == "at"
        else name
        for name, dtype in FLAT.items()
    )


def _resolved(data: bytes, schema: Schema) -> bytes:
    """The container in the current schema: slow, one event at a time, for files of older programs."""
    out = io.BytesIO()
    datums = [transcode(datum, schema, current()) for datum, _ in read_datums(data)]
    write_container(out, current(), datums, {})
    return out.getvalue()
