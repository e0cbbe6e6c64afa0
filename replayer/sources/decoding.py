"""Decodes containers into flat columns, a piece at a time, several small ones at once, and those of older programs."""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from typing import Final

import polars as pl
import polars_avro

from replayer.columns import FACE, FLAT, KIND, TEXT
from replayer.compaction import PIECE, compacted, owned
from schemas.codec import Schema, current, transcode
from schemas.container import in_one, in_pieces, read_datums, write_container
from schemas.kinds import BODIES

_MANY: Final = 8
"""A log of so many pieces is one whose room matters."""


def flat(data: bytes, schema: Schema) -> pl.DataFrame:
    """The events of a container as flat columns (schema ``replayer.columns.FLAT``), a piece at a time: its records take several
    times the room of these. What its bytes cannot be read as is the decoder's own error."""
    pieces = in_pieces(data if schema is current() else _resolved(data, schema), PIECE)
    firsts = list(itertools.islice(pieces, _MANY))
    if len(firsts) < _MANY:  # small, and soon done with
        return pl.concat([_flat_piece(piece) for piece in firsts], rechunk=False)
    # To look for columns that can share a room takes a tenth of a replay's time.
    own = (compacted(owned(_flat_piece(piece))) for piece in itertools.chain(firsts, pieces))
    return pl.concat(own, rechunk=False)


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
