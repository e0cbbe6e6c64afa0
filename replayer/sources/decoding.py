"""Decodes containers into flat columns, a piece at a time, several small ones at once, and those of older programs."""

from __future__ import annotations

import io
import itertools
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Final

import polars as pl

from replayer.columns import FACE, FLAT, KIND, TEXT
from replayer.compaction import PIECE, compacted, in_own_memory
from schemas.codec import Schema, current, transcode
from schemas.container import in_one, in_pieces, read_datums, write_container
from schemas.kinds import BODIES


@contextmanager
def _without(module: str) -> Iterator[None]:
    """As long as the block runs, a module that nobody has imported yet is an empty one."""
    empty = ModuleType(module)
    there = sys.modules.setdefault(module, empty)
    try:
        yield
    finally:
        if there is empty:
            del sys.modules[module]


# It opens addresses of the web by fsspec, which reads the names of all installed packages when it is imported: a fifth of the
# time in which a process starts.
with _without("fsspec"):
    import polars_avro

_MANY: Final = 8 * PIECE
"""A log of so many events is one whose room matters."""


def flat(data: bytes, schema: Schema) -> pl.DataFrame:
    """The events of a container as flat columns (schema ``replayer.columns.FLAT``). What its bytes cannot be read as is the
    decoder's own error."""
    return joined(frames(data if schema is current() else _resolved(data, schema)))


def frames(data: bytes) -> Iterator[pl.DataFrame]:
    """The events of a container of the current schema as flat columns: in pieces where the log is a long one."""
    # Records take several times the room of columns; a small log is soon done with.
    small = len(list(itertools.islice(in_pieces(data, _MANY), 2))) < 2
    return map(_flat_piece, [data] if small else in_pieces(data, PIECE))


def joined(pieces: Iterator[pl.DataFrame]) -> pl.DataFrame:
    """The pieces of a log, one at least, as one frame: several in no more room than they need."""
    first = list(itertools.islice(pieces, 2))
    if len(first) < 2:  # to look for columns that can share a room takes a tenth of a replay's time
        return first[0]
    return pl.concat([compacted(in_own_memory(piece)) for piece in itertools.chain(first, pieces)], rechunk=False)


def flat_in_one(containers: Sequence[bytes]) -> pl.DataFrame:
    """The events of several small containers of the current schema, one behind the other."""
    return flat(in_one(containers), current())


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
    """The container as the current schema would have it: slow, one event at a time, for files of older programs."""
    out = io.BytesIO()
    datums = [transcode(datum, schema, current()) for datum, _ in read_datums(data)]
    write_container(out, current(), datums, {})
    return out.getvalue()
