"""Reads untrusted files safely: no pipe, device or folder, nothing of unlimited size, no text that breaks a parser.

A file that cannot be opened or is no ordinary file raises ``OSError``, as any disk error does; an unacceptable text raises
:class:`TextRefused`. Callers say what that means: a damaged table-day, or a refused setting.
"""

from __future__ import annotations

import errno
import fnmatch
import hashlib
import json
import math
import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

MOST_SMALL: Final = 1 << 20
"""The most bytes of a manifest, a map, a settings file: a hundred times the usual size."""
MOST_NOTE: Final = 16 << 20
"""The most bytes of a note that grows with the number of tables."""
MOST_LOG: Final = 512 << 20
"""The most bytes of a container, a journal, another system's log or a message in quarantine."""
NO_RIGHT: Final = "give this user the right to it, or run this as one who has it"
"""What to do where something may not be read or written."""
_MOST_DEPTH: Final = 32
_MOST_DOTS: Final = 128
_MOST_DIGITS: Final = 20
_PIECE: Final = 1 << 20


Text = str | bytes
"""A text, or the bytes of one in UTF-8."""


class TextRefused(ValueError):
    """A text is not of its format, or holds unacceptable values; the message says what and where."""


def read_file(path: Path, most: int) -> bytes:
    """All bytes of an ordinary file, or of a link to one.

    Raises:
        OSError: it cannot be opened, is no ordinary file (a pipe, a device, a folder), or has more than ``most`` bytes.
    """
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
    """The lines of an ordinary file, each with its end, one after the other: the file may be larger than memory.

    Raises:
        OSError: it cannot be opened, is no ordinary file, or a line has more than ``most`` bytes.
    """
    with _opened(path) as (file, _):
        while line := file.readline(most + 1):
            if len(line) > most:
                raise OSError(errno.EFBIG, f"it has a line of more than the {most} bytes that one may have", str(path))
            yield line


def read_start(path: Path, most: int) -> bytes:
    """The first ``most`` bytes of an ordinary file, or all that it has.

    Raises:
        OSError: it cannot be opened, or is no ordinary file.
    """
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
    """The paths in a folder with names of a pattern, sorted; none where there is no folder.

    ``Path.glob`` would treat an unreadable folder as an empty one.

    Raises:
        OSError: it cannot be read.
    """
    try:
        return sorted(path for path in folder.iterdir() if fnmatch.fnmatchcase(path.name, pattern))
    except (FileNotFoundError, NotADirectoryError):
        return []


def closed(folder: Path, error: OSError) -> str:
    """The message for a gaming day's folder that cannot be read."""
    right = "; give this user the right to read and enter it" if isinstance(error, PermissionError) else ""
    return f"the tables of {folder.name} cannot be read: {error.strerror}{right}"


def files_below(folder: Path) -> list[Path]:
    """All files below a folder, sorted; none where there is no folder.

    Raises:
        OSError: it, or a folder below it, cannot be read.
    """
    found: list[Path] = []
    for path in listed(folder):
        found += files_below(path) if path.is_dir() and not path.is_symlink() else [path]
    return found


def require_ordinary(path: Path, found: os.stat_result) -> None:
    """Require that a path is an ordinary file.

    Raises:
        OSError: it is a folder, a device or a pipe.
    """
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
        kind = kinds.get(stat.S_IFMT(found.st_mode), "a device")
        raise OSError(errno.EINVAL, f"it is {kind}, not a file", str(path))


def decoded(data: Text) -> str:
    """Decode a text in UTF-8.

    Raises:
        TextRefused: it is not UTF-8.
    """
    if isinstance(data, str):
        return data
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TextRefused(f"line {line}: byte {error.start} is no UTF-8") from None


def read_json(data: Text) -> Any:
    """Parse a JSON text without duplicate keys, and with finite numbers of at most 64 bits only.

    Raises:
        TextRefused: it is no such JSON.
    """
    try:
        value = json.loads(
            decoded(data), object_pairs_hook=each_once, parse_int=_whole_number, parse_constant=_no_number
        )
    except json.JSONDecodeError as error:
        raise TextRefused(f"no JSON at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise TextRefused(f"no JSON that is nested {_MOST_DEPTH} deep at most") from None
    _require_sound(value)
    return value


def digested_json(values: Mapping[str, Any], *, line: bool = False) -> str:
    """A JSON object as a text, or as one ``line``, that ends with its own digest: the SHA-256 of all before it."""
    said = json.dumps(values, indent=None if line else 2, sort_keys=True).removesuffix("}").removesuffix("\n")
    return said + _digest(said.encode(), line=line).decode()


def read_digested_json(data: bytes, *, line: bool = False) -> dict[str, Any]:
    """The object of a text of :func:`digested_json`.

    Raises:
        TextRefused: it is no JSON, or was altered.
    """
    values = read_json(data)
    said, digest = data[: -_DIGEST_BYTES[line]], data[-_DIGEST_BYTES[line] :]
    if not isinstance(values, dict) or digest != _digest(said, line=line):
        raise TextRefused("it is not as this version wrote it, with its SHA-256 last: altered, or of another version")
    del values["sha256"]
    return values


def _digest(said: bytes, *, line: bool) -> bytes:
    form = b', "sha256": "%s"}\n' if line else b',\n  "sha256": "%s"\n}\n'
    return form % hashlib.sha256(said).hexdigest().encode()


_DIGEST_BYTES: Final = {line: len(_digest(b"", line=line)) for line in (False, True)}


def read_toml(data: Text) -> tuple[str, dict[str, Any]]:
    """A TOML text and its tables; numbers as in :func:`read_json`.

    Raises:
        TextRefused: it is no such TOML.
    """
    text = decoded(data).removeprefix("\ufeff")  # the byte order mark of some editors
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > _MOST_DOTS:  # parsing a dotted key takes quadratic time
            raise TextRefused(f"line {number}: it has more than {_MOST_DOTS} dots; break it")
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise TextRefused(f"no TOML that is nested {_MOST_DEPTH} deep at most") from None
    except ValueError as error:  # tomllib's own, or that of a number with thousands of digits
        raise TextRefused(f"no TOML: {error}") from None
    _require_sound(values)
    return text, values


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object without duplicate keys, for the standard reader's ``object_pairs_hook``.

    Raises:
        TextRefused: a key stands twice.
    """
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise TextRefused(f"{printable(twice)!r} stands twice in one object, and which of the two holds is not told")
    return made


def _whole_number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise TextRefused(f"a number of {len(digits)} digits")
    return int(digits)


def _no_number(name: str) -> NoReturn:
    raise TextRefused(f"{name} is no number")


def _require_sound(value: object) -> None:
    """Refuse values that would only fail later, when shown or written."""
    level, depth = [value], 0
    while level:
        if depth > _MOST_DEPTH:
            raise TextRefused(f"it is nested more than {_MOST_DEPTH} deep")
        below: list[object] = []
        for item in level:
            if isinstance(item, str):
                if not item.isascii() and any("\ud800" <= char <= "\udfff" for char in item):
                    raise TextRefused("a text holds half a character")
            elif isinstance(item, dict):
                below += item
                below += item.values()
            elif isinstance(item, list):
                below += item
            elif isinstance(item, int) and not -(1 << 63) <= item < 1 << 63:
                raise TextRefused("a number has more than 64 bits")
            elif isinstance(item, float) and not math.isfinite(item):
                raise TextRefused("a number is not finite")
        level, depth = below, depth + 1


def printable(text: str) -> str:
    r"""A text, such as a file's name, with all non-printable characters escaped.

    >>> printable("T1\n\udcff (copy)")
    'T1\\n\\udcff (copy)'
    """
    return text if text.isprintable() else "".join(map(_printable, text))


def _printable(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
