"""Messages that could not be taken into the archive, kept unchanged with their origin and the reason."""

from __future__ import annotations

import base64
import datetime as dt
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from replayer.sources.layout import TABLE_ID, quarantine_folder
from replayer.sources.safe_files import MOST_LOG, read_lines
from replayer.sources.safe_texts import TextRefused, digested_json, read_digested_json
from schemas.codec import MessageUnreadable, decode
from schemas.plural import plural
from schemas.printable import printable

_FIELDS = {"topic": str, "partition": int, "offset": int, "reason": str, "message": str}


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One message. (``topic``, ``partition``, ``offset``) are its coordinates in Kafka."""

    topic: str
    partition: int
    offset: int
    reason: str
    message: bytes

    def to_json(self) -> str:
        """The message as a line of a quarantine file, with its end."""
        return digested_json(asdict(self) | {"message": base64.b64encode(self.message).decode()}, line=True)

    @classmethod
    def from_json(cls, line: bytes) -> Quarantined:
        """Parse a line; TextRefused where it is no line of a quarantine file, or was altered."""
        said = read_digested_json(line, line=True)
        if said.keys() != _FIELDS.keys():
            raise TextRefused("its fields are others")
        if any(type(said[name]) is not kind for name, kind in _FIELDS.items()):
            raise TextRefused("its fields are of other types")
        try:
            return cls(**said | {"message": base64.b64decode(said["message"], validate=True)})
        except ValueError as error:  # other letters than base64 has, or too few
            raise TextRefused(str(error)) from None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line of a quarantine file, or a whole file, that cannot be read, so that its messages are unknown; ``why`` names it."""

    file: str
    why: str


def quarantine_lines(file: Path) -> Iterator[bytes]:
    """The lines of a quarantine file, each with its end; none where the file is missing; OSError where it cannot be read. It only
    grows, without limit: a sender that is wrong fills it until somebody mends it."""
    if os.path.lexists(file):  # a link to a disk that is not mounted, too
        yield from read_lines(file, MOST_LOG)


def quarantined(archive: Path) -> Iterator[Quarantined | Unreadable]:
    """Every message in quarantine, by file and order of arrival. Every report counts them, including what cannot be read."""
    for path, line, number in _lines(archive):
        try:
            if isinstance(line, OSError):
                raise line
            yield Quarantined.from_json(line.removesuffix(b"\n") + b"\n")
        except (OSError, TextRefused) as error:
            why = error.strerror if isinstance(error, OSError) else error
            place = f", line {number}" if number else ""
            yield Unreadable(printable(path.name), printable(f"{path}{place}: it cannot be read: {why}"))


@dataclass(slots=True)
class Refused:
    """What a report says of messages in quarantine: how many there are, why some cannot be read, and how many can be and
    name a table, by table and gaming day."""

    messages: int = 0  # those that cannot be read too
    unreadable: list[str] = field(default_factory=list)
    tables: Counter[tuple[str, dt.date]] = field(default_factory=Counter)

    @classmethod
    def of(cls, messages: Iterable[Quarantined | Unreadable]) -> Refused:
        """What is to be said of these."""
        made = cls()
        for message in messages:
            made.messages += 1
            if isinstance(message, Unreadable):
                made.unreadable.append(message.why)
                continue
            with suppress(MessageUnreadable):
                event = decode(message.message)
                if TABLE_ID.fullmatch(event.table_id):
                    made.tables[event.table_id, event.gaming_day] += 1
        return made


def in_quarantine(messages: int, archive: Path) -> str:
    """The warning about so many messages in quarantine."""
    return f"{plural(messages, 'message is', 'messages are')} in quarantine: {quarantine_folder(archive)}"


def counts(archive: Path) -> dict[str, int]:
    """The number of messages in quarantine by file, as many as :func:`quarantined` gives, counted by lines without parsing them.
    ``quarantine`` itself stands for a folder that cannot be read."""
    return {printable(path.name): count for path, count in Counter(path for path, *_ in _lines(archive)).items()}


def _lines(archive: Path) -> Iterator[tuple[Path, bytes | OSError, int]]:
    """The lines of all quarantine files, each with its file and number; in place of a folder, or of the rest of a file, that
    cannot be read the error, without a number."""
    folder = quarantine_folder(archive)
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".jsonl")
    except OSError as error:
        if os.path.lexists(folder):
            yield folder, error, 0
        return
    for path in files:
        try:
            for number, line in enumerate(quarantine_lines(path), 1):
                yield path, line, number
        except OSError as error:
            yield path, error, 0
