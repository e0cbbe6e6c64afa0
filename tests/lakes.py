"""Reads a lake as the commands do."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from analytics.lake import contents_of, views


@contextmanager
def connect(
    lake: Path, first: dt.date | None = None, last: dt.date | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that sees the table-days of a lake that hold, all or those of some gaming days."""
    with views(lake, contents_of(lake, first, last)) as connection:
        yield connection
