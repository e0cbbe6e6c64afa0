"""Writes messages that could not be taken to a quarantine file, each once however often it is delivered."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from producers.sinks import NotDurable
from producers.sinks.durable import make_folder, sync_folder, write_all
from replayer.sources.careful import MOST_LOG, read_file
from replayer.sources.layout import FILE_MODE
from replayer.sources.quarantine import NoSuchLine, Quarantined, read_quarantine


class QuarantineFile:
    """A quarantine file open for appending. Lines of it that cannot be read stay as they are.

    Raises:
        NotDurable: the file cannot be read.
    """

    def __init__(self, file: Path, file_mode: int = FILE_MODE) -> None:
        self._file = file
        self._mode = file_mode
        try:
            self._held = set(read_quarantine(file))
        except OSError as error:
            raise NotDurable(f"{file}: {error.strerror}; move it away") from error
        self._pending: list[Quarantined] = []

    @property
    def count(self) -> int:
        """How many messages it holds, with those that are pending and lines that cannot be read."""
        return len(self._held)

    def add(self, message: Quarantined) -> bool:
        """Take a message for the next :meth:`flush`; False when the file has it already."""
        if message in self._held:
            return False
        self._held.add(message)
        self._pending.append(message)
        return True

    def flush(self) -> None:
        """Append what is pending and wait until the disk has it.

        Raises:
            NotDurable: it could not be written; it is still pending.
        """
        if not self._pending:
            return
        lines = [message.to_json().encode() + b"\n" for message in self._pending]
        try:
            self._append(lines)
        except OSError as error:
            raise NotDurable(f"{self._file}: {error.strerror}; make room and run again") from error
        self._pending.clear()

    def _append(self, lines: list[bytes]) -> None:
        make_folder(self._file.parent, self._mode)
        new = not self._file.exists()
        if not new:
            read_file(self._file, MOST_LOG)  # a device or a pipe in its place is not opened
        descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, self._mode)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)  # several archivers share one file, each for a moment
            held = read_file(self._file, MOST_LOG)
            if new:
                os.fchmod(descriptor, self._mode)  # whatever the process masks
            at = _end(held, lines)
            ended = b"" if at == 0 or held[at - 1 : at] == b"\n" else b"\n"
            os.ftruncate(descriptor, at)
            write_all(descriptor, ended + b"".join(lines), at)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if new:
            sync_folder(self._file.parent)


def _end(held: bytes, lines: list[bytes]) -> int:
    """Where to write on: behind the last line, unless a write that never ended began one of these there."""
    start = held.rfind(b"\n") + 1
    tail = held[start:]
    torn = tail and any(line.startswith(tail) for line in lines)
    return start if torn and not _is_line(tail) else len(held)


def _is_line(text: bytes) -> bool:
    try:
        Quarantined.from_json(text)
    except NoSuchLine:
        return False
    return True
