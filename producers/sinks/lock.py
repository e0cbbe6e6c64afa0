"""Locks, so that one process at a time writes a table or adds a batch."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path

from producers.sinks import NotDurable, SinkBusy, disk_explained
from producers.sinks.durable import make_folder
from replayer.sources.layout import FILE_MODE


def take_lock(path: Path, what: str, mode: int = FILE_MODE) -> int:
    """Take a lock that the system frees when the process ends; returns its descriptor, to be closed.

    Raises:
        SinkBusy: another process holds it; ``what`` names what it writes.
        NotDurable: the file cannot be opened or is no ordinary file.
    """
    with disk_explained(path):
        make_folder(path.parent, mode)
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        if not stat.S_ISREG(os.fstat(lock).st_mode):
            raise NotDurable(f"{path} is no ordinary file; remove it")
        _lock_now(lock, what)
    except BaseException:
        os.close(lock)
        raise
    return lock


def require_still_locked(lock: int, path: Path, what: str) -> None:
    """Require that a lock's file is still the one at its path.

    Raises:
        NotDurable: its file was removed, so another process may write ``what`` too.
    """
    try:
        held = os.path.samestat(path.stat(follow_symlinks=False), os.fstat(lock))
    except OSError:
        held = False
    if not held:
        raise NotDurable(
            f"{path} was taken away while {what} was being written, so another process may write it too: start this "
            "one again; what was acknowledged is safe, what came after the last flush is not recorded"
        )


def _lock_now(lock: int, what: str) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.pread(lock, 20, 0).decode("ascii", "replace").strip() or "unknown"
        raise SinkBusy(f"{what} is being written by process {holder}") from None
    try:
        os.pwrite(lock, f"{os.getpid():<20}".encode(), 0)  # only for the message above
    except OSError:
        os.ftruncate(lock, 0)
