"""The port through which events leave a table, and the errors that its adapters have in common.

An adapter takes events in the order of their ``seq`` and acknowledges those that are durable; only these are recorded.
"""

from __future__ import annotations

import datetime as dt
import errno
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol, TypeAlias, TypeVar

from replayer.sources.safe_files import MOST_NOTE, NO_RIGHT, read_file

T = TypeVar("T")
R = TypeVar("R")

TableDayName: TypeAlias = tuple[str, dt.date]
"""The id of a table, and a gaming day."""


class NotDurable(RuntimeError):
    """Events could not be made durable. Those acknowledged before are safe; the others count as not recorded."""


_ADVICE: Final = {
    errno.ENOSPC: "make room and run again",
    errno.EDQUOT: "make room and run again",
    errno.EROFS: "mount it so that it can be written, or name another folder",
}


@contextmanager
def disk_explained(path: Path, advice: str = "") -> Iterator[None]:
    """Raise an error of the disk as :class:`NotDurable`, with the path that it is about and what to do."""
    try:
        yield
    except OSError as error:
        advice = advice or _ADVICE.get(error.errno or 0, "")
        right = NO_RIGHT if isinstance(error, PermissionError) else ""
        raise NotDurable("; ".join(filter(None, (f"{path}: {error.strerror}", right, advice)))) from error


def read_kept(path: Path, meaning: Callable[[bytes], T], advice: str = "") -> T | None:
    """What a small file of this program's own says; None where there is none. NotDurable where it cannot be read or, with what to
    do, where it is not as it was written: ``meaning`` raises a ValueError, say."""
    with disk_explained(path):
        try:
            data = read_file(path, MOST_NOTE)
        except FileNotFoundError:
            return None
    try:
        return meaning(data)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise NotDurable("; ".join(filter(None, (f"{path}: {error}", advice)))) from error


def each_of(flush: Callable[[T], R], tables: Iterable[T]) -> list[R]:
    """What ``flush`` gives for each of ``tables``; the first NotDurable is raised once every one had its turn."""
    done, failed = [], []
    for table in tables:
        try:
            done.append(flush(table))
        except NotDurable as error:
            failed.append(error)
    if failed:
        raise failed[0]
    return done


class SinkBusy(RuntimeError):
    """Another writer has the table open."""


class NothingToSeal(LookupError):
    """The sink has no event of the table-day, sealed or not."""


class SequenceConflict(ValueError):
    """The sink has another event with the same table and ``seq``, and keeps that one."""


class Sink(Protocol):
    """The destination of a recorder's events. Several tables may share one sink, each in a thread of its own."""

    def last_seq(self, table_id: str) -> int:
        """The table's highest ``seq`` in the sink, 0 where it has none; raises as :meth:`append` where it cannot be opened."""

    def append(self, table_id: str, gaming_day: dt.date, seq: int, message: bytes) -> None:
        """Add an event as an Avro single-object message. It is durable after the next :meth:`flush`.

        Raises:
            TableIdRefused, SinkBusy, NotDurable: it could not be added.
            SequenceConflict: the sink has another event under this ``seq`` (not every sink can tell).
        """

    def flush(self) -> Mapping[str, int]:
        """Make all events durable, else NotDurable; returns the highest durable ``seq`` of each table open in this sink."""

    def seal(self, table_id: str, gaming_day: dt.date) -> None:
        """Flush, and complete a table-day: no more of its events are expected. A sink without table-days only flushes.

        Raises:
            NothingToSeal: it has no event of the table-day. A sealed one stays as it is.
            NotDurable: it could not be sealed; sealing again completes it.
        """

    def close(self) -> None:
        """Release every table. Events that were not flushed are not recorded. A sink that others may then write to accepts no
        more events (NotDurable)."""
