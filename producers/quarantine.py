"""Writes messages that could not be taken to a quarantine file, each once however often it is delivered."""

from __future__ import annotations

import os
from pathlib import Path

from producers.sinks import NotDurable
from producers.sinks.journal import sync_folder
from replayer.sources.quarantine import Quarantined, read_quarantine


class QuarantineFile:
    """A quarantine file open for appending.

    Raises:
        ValueError: a line of the file cannot be read.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._held = set(read_quarantine(file))
        self._pending: list[Quarantined] = []

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
        lines = "".join(message.to_json() + "\n" for message in self._pending).encode()
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a+b") as file:
                file.seek(0)
                whole = file.read().rfind(b"\n") + 1  # a torn last line was never acknowledged
                file.truncate(whole)
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
            sync_folder(self._file.parent)
        except OSError as error:
            raise NotDurable(f"{self._file}: {error.strerror}; make room and run again") from error
        self._pending.clear()
