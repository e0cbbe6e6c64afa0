"""Writes refused messages to a quarantine file, each once however often it is delivered."""

from __future__ import annotations

import fcntl
import hashlib
import os
from pathlib import Path

from producers.sinks import disk_explained
from producers.sinks.durable import make_folder, sync_folder, write_all
from replayer.sources.layout import FILE_MODE
from replayer.sources.quarantine import Quarantined, quarantine_lines
from replayer.sources.safe_files import require_ordinary


class QuarantineFile:
    """A quarantine file open for appending; NotDurable where it cannot be read. Its unreadable lines stay as they are."""

    def __init__(self, file: Path, file_mode: int = FILE_MODE) -> None:
        self._file = file
        self._mode = file_mode
        self._known: set[bytes] = set()  # digests of lines: all of them may be more than memory holds
        with disk_explained(file, "move it away"):
            self._known.update(map(_digest, quarantine_lines(file)))
        self._pending: list[bytes] = []

    @property
    def count(self) -> int:
        """The number of its messages, including pending ones and unreadable lines."""
        return len(self._known)

    def add(self, message: Quarantined) -> bool:
        """Take a message for the next :meth:`flush`; False when the file has it already."""
        line = message.to_json().encode()
        if (digest := _digest(line)) in self._known:
            return False
        self._known.add(digest)
        self._pending.append(line)
        return True

    def flush(self) -> None:
        """Append the pending messages and wait until they are durable; where that fails (NotDurable) they are still pending."""
        if not self._pending:
            return
        with disk_explained(self._file):
            self._append(self._pending)
        self._pending.clear()

    def _append(self, lines: list[bytes]) -> None:
        make_folder(self._file.parent, self._mode)
        new = not self._file.exists()
        descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, self._mode)
        try:
            require_ordinary(self._file, os.fstat(descriptor))  # not a device or a pipe in its place
            fcntl.flock(descriptor, fcntl.LOCK_EX)  # several archivers share one file, each for a moment
            if new:
                os.fchmod(descriptor, self._mode)  # regardless of the umask
            size = os.fstat(descriptor).st_size
            tail = _tail(descriptor, size)
            is_cut_off = bool(tail) and any(line.startswith(tail) for line in lines)  # by an interrupted write
            at = size - len(tail) if is_cut_off else size
            ended = b"\n" if tail and at == size else b""
            os.ftruncate(descriptor, at)
            write_all(descriptor, ended + b"".join(lines), at)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if new:
            sync_folder(self._file.parent)


def _digest(line: bytes) -> bytes:
    return hashlib.sha256(line).digest()


def _tail(descriptor: int, size: int) -> bytes:
    """The bytes after the last line break of a file, which is read backwards only as far as needed."""
    tail = b""
    while size > len(tail) and b"\n" not in tail:
        begin = max(0, size - max(1, 2 * len(tail)))
        tail = os.pread(descriptor, size - begin, begin)
    return tail[tail.rfind(b"\n") + 1 :]
