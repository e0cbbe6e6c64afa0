"""Locks, so that one process at a time writes a table or adds a batch."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path

from producers.sinks import NotDurable, SinkBusy, disk_explained
from producers.sinks.durable import make_folder
from replayer.sources.layout import FILE_MODE


class Lock:
    """A lock on what a process writes, from its creation until it is closed or the process ends; ``what`` names that.

    Raises:
        SinkBusy: another process holds it.
        NotDurable: the file cannot be opened or is no ordinary file.
    """

    def __init__(self, path: Path, what: str, mode: int = FILE_MODE) -> None:
        self.path = path
        self._what = what
        with disk_explained(path):
            make_folder(path.parent, mode)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise NotDurable(f"{path} is no ordinary file; remove it")
            self._take()
        except BaseException:
            self.close()
            raise

    @property
    def in_place(self) -> bool:
        """Whether the lock's file is there; else another process may hold a lock of this name too."""
        try:
            return os.path.samestat(self.path.stat(follow_symlinks=False), os.fstat(self._file))
        except OSError:
            return False

    def require_in_place(self) -> None:
        """Raise NotDurable where the lock is not in place."""
        if not self.in_place:
            taken = f"{self.path} was taken away while {self._what} was being written"
            safe = "what was acknowledged is safe, what came after the last flush is not recorded"
            raise NotDurable(f"{taken}, so another process may write it too: start this one again; {safe}")

    def close(self) -> None:
        """Let others take the lock."""
        os.close(self._file)

    def _take(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(self._file, 20, 0).decode("ascii", "replace").strip() or "unknown"
            raise SinkBusy(f"{self._what} is being written by process {holder}") from None
        try:
            os.pwrite(self._file, f"{os.getpid():<20}".encode(), 0)  # only for the message above
        except OSError:
            os.ftruncate(self._file, 0)
