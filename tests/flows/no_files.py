"""What may stand in a file's place and is none: for tests of everything that opens a file."""

import os
from collections.abc import Callable
from pathlib import Path

NESTED = b'{"a":' * 100_000


def loop(path: Path) -> None:
    path.symlink_to(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 20 << 30)


NO_FILES: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "device": device,
    "loop": loop,
    "folder": Path.mkdir,
    "sparse": sparse,
}
