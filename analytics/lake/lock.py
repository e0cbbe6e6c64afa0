"""Locks a lake: one run at a time writes it, in whatever process, thread or command; others read it between runs.

``LAKE/.lock`` is a file lock: exclusive for the run that writes, shared by readers. The system frees it when its holder ends,
even if it is killed. Its text names the run that writes, for the message of a command that waits. ``LAKE/.turn`` is held by
the first in line, so that a long backfill takes turns with other runs between two of its days.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import json
import os
import socket
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from analytics.lake.files import LakeUnusable, write_guard
from replayer.sources.layout import FILE_MODE
from schemas.printable import printable

LOCK: Final = ".lock"
TURN: Final = ".turn"
_POLL_SECONDS: Final = 0.05
_MOST_NOTE: Final = 4096


class LakeBusy(RuntimeError):
    """Another run holds the lake after the time to wait; the message says who holds it and what to do."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The run that writes a lake: its work, process, host and start (ISO 8601). The last three are None for a program that
    writes nothing about itself, such as ``flock``."""

    work: str = "a program that wrote nothing about itself"
    pid: int | None = None
    host: str | None = None
    since: str | None = None

    def __str__(self) -> str:
        known = f" (process {self.pid} on {self.host}, since {self.since})" if self.since else ""
        return printable(f"{self.work}{known}")

    def seconds(self, now: dt.datetime) -> float | None:
        """How long it has written the lake; None where unknown."""
        return (now - dt.datetime.fromisoformat(self.since)).total_seconds() if self.since else None


OnWait = Callable[[str], None]
"""Called once, before the first wait, with a text that tells what is waited for."""


@contextmanager
def writing(lake: Path, work: str, wait: float = 0.0, on_wait: OnWait = lambda _: None) -> Iterator[None]:
    """A context that locks a lake for writing; ``work`` says what the run does. A missing folder is created.

    Raises:
        LakeBusy: others held it for ``wait`` seconds.
        LakeUnusable: its file system has no locks, or a lock file is no ordinary file.
        LakeNotWritable: the disk is full, say.
    """
    with ExitStack() as stack:
        with write_guard(lake):
            turn, lock = (_opened(stack, lake / name, os.O_RDWR | os.O_CREAT) for name in (TURN, LOCK))
        _wait_for(lake, turn, lock, fcntl.LOCK_EX, wait, on_wait)
        since = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        _write_holder(lock, json.dumps(asdict(Holder(work, os.getpid(), socket.gethostname(), since))))
        stack.callback(_write_holder, lock, "")
        yield


@contextmanager
def reading(lake: Path, wait: float = 0.0, on_wait: OnWait = lambda _: None) -> Iterator[None]:
    """A context that locks a lake for reading: no run changes it meanwhile. No file is created in the lake; one without lock
    files is read as it is. Raises LakeBusy and LakeUnusable as :func:`writing`."""
    with ExitStack() as stack:
        try:
            turn, lock = (_opened(stack, lake / name, os.O_RDONLY) for name in (TURN, LOCK))
        except FileNotFoundError:
            yield
            return
        _wait_for(lake, turn, lock, fcntl.LOCK_SH, wait, on_wait)
        yield


def holder(lake: Path) -> Holder | None:
    """The run that writes a lake at present; None where none does. Does not wait. Raises LakeUnusable where its file system has
    no locks, or a lock file is no ordinary file."""
    with ExitStack() as stack:
        try:
            lock = _opened(stack, lake / LOCK, os.O_RDONLY)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if _try_lock(lake, lock, fcntl.LOCK_SH):
            return None
        return _read_holder(lock)


def _opened(stack: ExitStack, file: Path, how: int) -> int:
    handle = os.open(file, how | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
    stack.callback(os.close, handle)
    if how & os.O_CREAT:
        with suppress(OSError):  # another user created it
            os.fchmod(handle, FILE_MODE)  # regardless of the umask
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        raise LakeUnusable(f"{file} is no ordinary file; remove it")
    return handle


def _wait_for(lake: Path, turn: int, lock: int, how: int, wait: float, on_wait: OnWait) -> None:
    """Wait for the place of the first in line, then for the lock; then leave that place to another."""
    deadline = time.monotonic() + wait
    reported = False
    for handle in (turn, lock):
        while not _try_lock(lake, handle, how):
            who = _in_words(lock)
            if time.monotonic() >= deadline:
                waited = f"waited {wait:g} s" if wait else "did not wait"
                raise LakeBusy(
                    f"{lake} is in use by {who}; {waited}: run this again when that has ended, or --wait longer"
                )
            if not reported:
                on_wait(f"{lake} is in use by {who}; waiting up to {wait:g} s")
                reported = True
            time.sleep(_POLL_SECONDS)
    fcntl.flock(turn, fcntl.LOCK_UN)


def _try_lock(lake: Path, handle: int, how: int) -> bool:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise LakeUnusable(
            f"{lake}: its file system has no locks ({error.strerror}), so two runs could tear it"
        ) from None
    return True


def _in_words(lock: int) -> str:
    """Who holds the lock, as far as known: readers, or a run that writes, by the text that it, or a killed one, left."""
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(lock, fcntl.LOCK_UN)
        return "a report or query"
    return str(_read_holder(lock))


def _read_holder(lock: int) -> Holder:
    try:
        said = json.loads(os.pread(lock, _MOST_NOTE, 0))
        since = dt.datetime.fromisoformat(said["since"]).astimezone(dt.UTC).isoformat(timespec="seconds")
        return Holder(said["work"], said["pid"], said["host"], since)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return Holder()


def _write_holder(lock: int, text: str) -> None:
    """Write who holds the lock. It only informs those who wait, so an error is ignored."""
    with suppress(OSError):
        os.ftruncate(lock, 0)
        os.pwrite(lock, text.encode(), 0)
