"""The columnar copy of a container: its events as columns, made once when it is sealed, and read instead of decoding it.

A copy is a line of JSON followed by pieces, each an Arrow stream compressed by Zstandard. The line gives the length of each
piece, the digest of the container, and the layout of the columns, because a manifest could pin the copy of an earlier
container, or another program's. The container is the evidence; a copy is a cache of its decoded events.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from functools import cache
from typing import Final

import polars as pl

from replayer.log.columns import FLAT
from replayer.sources.arrow_stream import END, schema_of_stream
from replayer.sources.decoding import frames, joined
from replayer.sources.safe_texts import read_json
from schemas.codec import current

_FORMAT: Final = 1
"""Incremented whenever decoding gives other values in columns of the same names and types."""
_MOST_HEAD: Final = 1 << 16
_MOST_PIECE: Final = 128 << 20
"""The most bytes of a piece, unpacked: four times what the longest piece takes without its texts."""
_MOST_TIMES: Final = 4
_MOST_SMALL: Final = 1 << 16


class CopyRefused(ValueError):
    """The bytes are no copy of the container in this program's layout, or none can be made; the message says why."""


def make_copy(data: bytes, sha256: str) -> bytes:
    """The copy of a container of the current schema whose digest is ``sha256``. Equal containers give equal copies.

    Raises:
        CopyRefused: it is larger than a copy may be.
        Exception: the container's events cannot be decoded; the decoder's own error.
    """
    pieces = [_packed(frame) for frame in frames(data)]
    said = {"container": sha256, "layout": layout(), "pieces": [len(piece) for piece in pieces]}
    copy = b"".join([json.dumps(said).encode(), b"\n", *pieces])
    if len(copy) > most_bytes(len(data)):
        raise CopyRefused(f"the copy has {len(copy)} bytes, its container {len(data)}")
    return copy


def read_copy(copy: bytes, sha256: str) -> pl.DataFrame:
    """The columns (schema ``replayer.log.columns.FLAT``) of a copy of the container whose digest is ``sha256``.

    Raises:
        CopyRefused, TextRefused: it is no such copy, or another program's.
        Exception: its bytes are no Arrow stream; the reader's own error.
    """
    line, _, _ = copy[:_MOST_HEAD].partition(b"\n")
    said = read_json(line)
    sizes = said.get("pieces") if isinstance(said, dict) else None
    if not sizes or said != {"container": sha256, "layout": layout(), "pieces": sizes}:
        raise CopyRefused("it is the copy of another container, or another program's")
    if not isinstance(sizes, list) or any(type(size) is not int or size < 1 for size in sizes):
        raise CopyRefused("the lengths of its pieces are none")
    if len(line) + 1 + sum(sizes) != len(copy):
        raise CopyRefused("its pieces have other lengths")
    return joined(_unpacked(copy, len(line) + 1, sizes))


def most_bytes(container: int) -> int:
    """The most bytes of the copy of a container of so many bytes."""
    return _MOST_TIMES * container + _MOST_SMALL


@cache
def layout() -> str:
    """The digest of the columns' names and types, and of the schema by which they were decoded."""
    columns = [
        (name, str(kind), kind.categories.to_list() if isinstance(kind, pl.Enum) else None)
        for name, kind in FLAT.items()
    ]
    return hashlib.sha256(json.dumps([_FORMAT, current().sha256, columns]).encode()).hexdigest()


def _packed(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.rechunk().write_ipc_stream(out, compression="zstd")
    schema_of_stream(out.getvalue(), _MOST_PIECE)
    return out.getvalue()


def _unpacked(copy: bytes, at: int, sizes: list[int]) -> Iterator[pl.DataFrame]:
    for size in sizes:
        stream = copy[at : at + size]
        if pl.read_ipc_stream(schema_of_stream(stream, _MOST_PIECE) + END).schema != FLAT:
            raise CopyRefused("its columns are others")
        yield pl.read_ipc_stream(stream)
        at += size
