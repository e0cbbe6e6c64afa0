"""Reads untrusted files safely: no pipe, device or folder, nothing of unlimited size.

A file that cannot be opened or is no ordinary file raises ``OSError``, as any disk error does. Callers say what that means: a
damaged table-day, or a refused setting.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

MOST_SMALL: Final = 1 << 20
"""The most bytes of a manifest, a map, a settings file: a hundred times the usual size."""
MOST_NOTE: Final = 16 << 20
"""The most bytes of a note that grows with the number of tables."""
MOST_LOG: Final = 512 << 20
"""The most bytes of a container, a journal, another system's log or a message in quarantine."""
NO_RIGHT: Final = "give this user the right to it, or run this as one who has it"
"""What to do where something may not be read or written."""
_PIECE: Final = 1 << 20


def read_file(path: Path, most: int) -> bytes:
    """All bytes of an ordinary file, or of a link to one; OSError where it cannot be opened, is none (a pipe, a device, a
    folder), or has more than ``most`` bytes."""
    with _opened(path) as (file, size):
        if size > most:
            raise OSError(errno.EFBIG, f"it has {size} bytes, more than the {most} that it may have", str(path))
        data = file.read(size + 1)
        while data and len(data) <= most and (more := file.read(_PIECE)):  # somebody is still writing it
            data += more
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than the {most} bytes that it may have", str(path))
    return data


def read_lines(path: Path, most: int) -> Iterator[bytes]:
    """The lines of an ordinary file, each with its end, one after the other: the file may be larger than memory. OSError where it
    cannot be opened, is none, or a line has more than ``most`` bytes."""
    with _opened(path) as (file, _):
        while line := file.readline(most + 1):
            if len(line) > most:
                raise OSError(errno.EFBIG, f"it has a line of more than the {most} bytes that one may have", str(path))
            yield line


def read_start(path: Path, most: int) -> bytes:
    """The first ``most`` bytes of an ordinary file, or all that it has; OSError where it cannot be opened, or is none."""
    with _opened(path) as (file, _):
        return file.read(most)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    """An ordinary file, open for reading, and its size in bytes."""
    # Opening a device may trigger it, so the path is checked first, and the open file once more.
    require_ordinary(path, path.stat())
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        require_ordinary(path, found)
        yield file, found.st_size


def listed(folder: Path, pattern: str = "*") -> list[Path]:
    """The paths in a folder with names of a pattern, sorted; none where there is no folder; OSError where it cannot be read,
    which ``Path.glob`` would treat as an empty one."""
    try:
        return sorted(path for path in folder.iterdir() if fnmatch.fnmatchcase(path.name, pattern))
    except (FileNotFoundError, NotADirectoryError):
        return []


def closed(folder: Path, error: OSError) -> str:
    """The message for a gaming day's folder that cannot be read."""
    right = "; give this user the right to read and enter it" if isinstance(error, PermissionError) else ""
    return f"the tables of {folder.name} cannot be read: {error.strerror}{right}"


def files_below(folder: Path) -> list[Path]:
    """All files below a folder, sorted; none where there is no folder; OSError where it, or one below it, cannot be read."""
    found: list[Path] = []
    for path in listed(folder):
        found += files_below(path) if path.is_dir() and not path.is_symlink() else [path]
    return found


def require_ordinary(path: Path, found: os.stat_result) -> None:
    """Raise OSError where a path is a folder, a device or a pipe: no ordinary file."""
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
        kind = kinds.get(stat.S_IFMT(found.st_mode), "a device")
        raise OSError(errno.EINVAL, f"it is {kind}, not a file", str(path))
