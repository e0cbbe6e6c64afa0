"""The sealed files in a gaming day's folder, by table: listed once for all its table-days, and again when it has changed.

A run needs the parts of a table-day several times. With a new listing each time, a gaming day would cost the square of its
tables.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache, partial, wraps
from pathlib import Path
from typing import Final, TypeVar

from replayer.sources.layout import part_name
from replayer.sources.safe_files import listed
from schemas.printable import printable

SEALED: Final = (".avro", ".json")
_FOLDERS: Final = 1024
"""Listings of gaming days kept: three years of them."""
_SETTLED_NS: Final = 2_000_000_000
"""The listing of a folder that changed this recently is not kept: it could change again within one tick of its time stamp."""

_MOST_NAMED: Final = 80

Found = TypeVar("Found")


def cached_by_folder(look: Callable[[Path], Found], most: int) -> Callable[[Path], Found]:
    """Cache what ``look`` finds in up to ``most`` folders, until a folder or its mode changes."""

    @lru_cache(most)
    def found_before(folder: Path, _inode: int, _changed_ns: int, _mode: int) -> Found:
        return look(folder)

    @wraps(look)
    def found(folder: Path) -> Found:
        try:
            status = folder.stat()
        except (FileNotFoundError, NotADirectoryError):
            return look(folder)
        if time.time_ns() - status.st_mtime_ns < _SETTLED_NS:
            return look(folder)
        return found_before(folder, status.st_ino, status.st_mtime_ns, status.st_mode)

    return found


@partial(cached_by_folder, most=_FOLDERS)
def sealed_in(folder: Path) -> Mapping[str, tuple[str, ...]]:
    """The names of sealed files in a gaming day's folder by table id, sorted, foreign names by :func:`named_table`; nothing where
    there is no folder, OSError where it cannot be read or entered."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    paths = listed(folder)
    if paths:
        os.stat(f"{folder}/.")  # noqa: PTH116 - names may be told by a folder that may not be entered; Path leaves the dot out
    for path in paths:
        if path.suffix in SEALED and not path.name.startswith("."):
            found[named_table(path)].append(path.name)
    return {table: tuple(names) for table, names in found.items()}


def named_table(path: Path) -> str:
    """The table of a file; for a foreign name, that name made printable and cut."""
    part = part_name(path)
    return part.table_id if part else printable(path.stem)[:_MOST_NAMED]
