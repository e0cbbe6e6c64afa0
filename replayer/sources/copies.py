"""The columnar copy of a container: its events as columns, made once when it is sealed, and read in place of decoding it.

A copy is a line of JSON and behind it some pieces, each an Arrow stream packed by Zstandard. The line says how long each piece
is, of which container it is the copy, and how its columns are laid out: a manifest could still pin the copy of an earlier
container, or another program's. Nothing rests on a copy. The container is the evidence, and a copy holds what decoding it gives.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

import polars as pl

from replayer.columns import FLAT
from replayer.sources.arrow_stream import END, schema_of_stream
from replayer.sources.decoding import frames, joined
from replayer.sources.safe_files import TextRefused, read_json
from schemas.codec import current

_FORMAT: Final = 1
"""Counted up whenever decoding gives other values than before in columns of the same names and types."""
_MOST_HEAD: Final = 1 << 16
_MOST_PIECE: Final = 128 << 20
"""Bytes of the columns of a piece, unpacked: four times what the longest piece takes without its texts."""
_MOST_TIMES: Final = 4
_MOST_SMALL: Final = 1 << 16


class CopyRefused(ValueError):
    """The bytes are no copy of the container in this program's layout; or none can be made. The message says why."""


def make_copy(data: bytes, sha256: str) -> bytes:
    """The copy of a container of the current schema whose digest is ``sha256``. Equal containers give equal copies.

    Raises:
        CopyRefused: it takes more room than a copy may.
        Exception: the container's events cannot be decoded; the decoder's own error.
    """
    pieces = [_packed(frame) for frame in frames(data)]
    said = {"container": sha256, "layout": layout(), "pieces": [len(piece) for piece in pieces]}
    copy = b"".join([json.dumps(said).encode(), b"\n", *pieces])
    if len(copy) > most_bytes(len(data)):
        raise CopyRefused(f"the copy has {len(copy)} bytes, its container {len(data)}")
    return copy


def read_copy(copy: bytes, sha256: str) -> pl.DataFrame:
    """The columns (schema ``replayer.columns.FLAT``) of a copy of the container whose digest is ``sha256``.

    Raises:
        CopyRefused: it is none, or it is another program's.
        Exception: its bytes are no Arrow stream; the reader's own error.
    """
    line, _, _ = copy[:_MOST_HEAD].partition(b"\n")
    try:
        said = read_json(line)
    except TextRefused as error:
        raise CopyRefused(str(error)) from None
    sizes = said.get("pieces") if isinstance(said, dict) else None
    if not sizes or said != {"container": sha256, "layout": layout(), "pieces": sizes}:
        raise CopyRefused("it is the copy of another container, or another program's")
    if not isinstance(sizes, list) or any(type(size) is not int or size < 1 for size in sizes):
        raise CopyRefused("the lengths of its pieces are none")
    if len(line) + 1 + sum(sizes) != len(copy):
        raise CopyRefused("its pieces have other lengths")
    return joined(_unpacked(copy, len(line) + 1, sizes))


def most_bytes(container: int) -> int:
    """How long the copy of a container of so many bytes may be."""
    return _MOST_TIMES * container + _MOST_SMALL


@cache
def layout() -> str:
    """The digest of all that says what the columns of a copy are: their names and types, and the schema they were decoded by."""
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
        if _schema(schema_of_stream(stream, _MOST_PIECE)) != FLAT:
            raise CopyRefused("its columns are others")
        yield pl.read_ipc_stream(stream)
        at += size


@lru_cache(1)
def _schema(message: bytes) -> pl.Schema:
    """The schema that a message speaks of, with which a stream begins."""
    return pl.read_ipc_stream(message + END).schema
