"""Shares the partitions of a topic between the archivers on one host that fill one archive.

File locks decide, not Kafka's consumer group: they lie next to what they protect, and are free the moment their holder dies, so
that another archiver continues within a second and two never write one place. Each archiver holds a lock that shows its presence.
The archivers, sorted by name, take partitions in turn; one with too many gives some up, in order, and the archiver entitled to
them takes them once they are free.
"""

from __future__ import annotations

import fcntl
import os
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from producers.sinks import NotDurable, SinkBusy, disk_explained
from producers.sinks.lock import Lock
from replayer.sources.layout import FILE_MODE, offsets_folder
from replayer.sources.safe_files import listed

_PRESENT: Final = "archiver-"
_TRIES: Final = 10


class Sharing:
    """This archiver among those of one topic and one archive. It and its methods raise NotDurable where no lock can be taken in
    the archive, or its folder cannot be read."""

    def __init__(self, archive: Path, topic: str, mode: int = FILE_MODE) -> None:
        self._folder = offsets_folder(archive, topic)
        self._what = f"topic {topic} of {archive}"
        self._mode = mode
        self._held: dict[int, Lock] = {}
        self._presence = self._enter()

    def fair(self, partitions: Iterable[int]) -> frozenset[int]:
        """This archiver's share of the partitions."""
        if not self._presence.in_place:  # somebody cleared the folder
            former = self._presence
            self._presence = self._enter()
            former.close()
        own = self._presence.path
        with disk_explained(self._folder):
            others = {path for path in listed(self._folder, f"{_PRESENT}*") if path != own and _is_held(path)}
        there = sorted(path.name for path in others | {own})
        return frozenset(p for p in partitions if p % len(there) == there.index(own.name))

    def take(self, partition: int) -> bool:
        """Take a partition; False while another archiver has it."""
        what = f"partition {partition} of {self._what}"
        try:
            self._held[partition] = Lock(self._folder / f"{partition}.lock", what, self._mode)
        except SinkBusy:
            return False
        return True

    def without_lock(self) -> list[int]:
        """The partitions whose lock files somebody removed, so that another archiver may read them too."""
        return sorted(partition for partition, lock in self._held.items() if not lock.in_place)

    def give_up(self, partition: int) -> None:
        """Release a partition for another archiver."""
        self._held.pop(partition).close()

    def leave(self) -> None:
        """Release everything."""
        for partition in list(self._held):
            self.give_up(partition)
        self._presence.path.unlink(missing_ok=True)
        self._presence.close()

    def _enter(self) -> Lock:
        """Show this archiver's presence by a lock, whose file has its name."""
        for _ in range(_TRIES):
            name = f"{_PRESENT}{os.getpid()}-{uuid.uuid4().hex[:8]}"
            try:
                return Lock(self._folder / name, f"an archiver of {self._what}", self._mode)
            except SinkBusy:  # another archiver tested the file before its lock was taken
                continue
        raise NotDurable(f"{self._folder}: no lock can be taken in it; look who else writes there")


def _is_held(path: Path) -> bool:
    """Whether a process holds a lock; a lock without a holder is removed."""
    try:
        lock = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        path.unlink(missing_ok=True)
        return False
    finally:
        os.close(lock)
