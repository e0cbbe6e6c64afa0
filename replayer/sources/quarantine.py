"""Messages that could not be taken into the archive, kept unchanged with their origin and the reason."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass
from pathlib import Path

from replayer.sources.layout import quarantine_folder
from replayer.sources.safe_files import MOST_LOG, Text, TextRefused, printable, read_file, read_json
from schemas.plural import plural

_FIELDS = {"topic": str, "partition": int, "offset": int, "reason": str, "message": str}


class NoSuchLine(ValueError):
    """A line is no line of a quarantine file, or was altered; the message says why."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One message. (``topic``, ``partition``, ``offset``) are its coordinates in Kafka.

    ``unreadable`` marks a line of a quarantine file, or a whole file, that cannot be read: the coordinates are then the file's
    name, 0 and the line number, ``message`` is the line itself.
    """

    topic: str
    partition: int
    offset: int
    reason: str
    message: bytes
    unreadable: bool = False

    def to_json(self) -> str:
        """The message as a line of a quarantine file; ``crc32`` covers its other fields."""
        said = {
            "topic": self.topic,
            "partition": self.partition,
            "offset": self.offset,
            "reason": self.reason,
            "message": base64.b64encode(self.message).decode(),
        }
        return json.dumps({**said, "crc32": _checksum(said)})

    @classmethod
    def from_json(cls, line: Text) -> Quarantined:
        """Parse a line; lines of earlier programs have no ``crc32``.

        Raises:
            NoSuchLine: it is no line of a quarantine file.
        """
        try:
            said = read_json(line)
            if not isinstance(said, dict) or said.keys() - {"crc32"} != _FIELDS.keys():
                raise NoSuchLine("its fields are others")
            if any(type(said[name]) is not kind for name, kind in _FIELDS.items()):
                raise NoSuchLine("its fields are of other types")
            checksum = said.pop("crc32", None)
            if checksum is not None and checksum != _checksum(said):
                raise NoSuchLine("it is not as it was written")
            message = base64.b64decode(said["message"], validate=True)
        except (TextRefused, binascii.Error) as error:
            raise NoSuchLine(str(error)) from None
        return cls(said["topic"], said["partition"], said["offset"], said["reason"], message)


def _checksum(said: dict[str, object]) -> int:
    return zlib.crc32(json.dumps(said, sort_keys=True).encode())


def read_quarantine(file: Path) -> list[Quarantined]:
    """The messages of one quarantine file, with lines that cannot be read as ``unreadable``; none where the file is missing.

    Raises:
        OSError: it cannot be read.
    """
    try:
        data = read_file(file, MOST_LOG)
    except FileNotFoundError:
        return []
    messages: list[Quarantined] = []
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n") if data else (), 1):
        try:
            messages.append(Quarantined.from_json(line))
        except NoSuchLine as error:
            why = printable(f"{file}, line {number}: it cannot be read: {error}")
            messages.append(Quarantined(printable(file.name), 0, number, why, line, unreadable=True))
    return messages


def quarantined(archive: Path) -> list[Quarantined]:
    """Every message in quarantine, by file and order of arrival. Every report counts them, including unreadable ones."""
    folder = quarantine_folder(archive)
    messages: list[Quarantined] = []
    try:
        for file in sorted(path for path in folder.iterdir() if path.suffix == ".jsonl"):
            messages += _listed(file)
    except FileNotFoundError:
        pass
    except OSError as error:
        messages.append(_unreadable(folder, error))
    return messages


def in_quarantine(messages: int, archive: Path) -> str:
    """The warning about so many messages in quarantine."""
    return f"{plural(messages, 'message is', 'messages are')} in quarantine: {quarantine_folder(archive)}"


def counts(archive: Path) -> dict[str, int]:
    """The number of messages in quarantine by file, as many as :func:`quarantined` gives, counted by lines without parsing them.
    ``quarantine`` itself stands for a folder that cannot be read."""
    folder = quarantine_folder(archive)
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".jsonl")
    except FileNotFoundError:
        return {}
    except OSError:
        return {printable(folder.name): 1}
    return {printable(file.name): lines for file in files if (lines := _count_lines(file))}


def _count_lines(file: Path) -> int:
    try:
        data = read_file(file, MOST_LOG)
    except FileNotFoundError:
        return 0
    except OSError:
        return 1
    return data.count(b"\n") + (not data.endswith(b"\n")) if data else 0


def _listed(file: Path) -> list[Quarantined]:
    try:
        return read_quarantine(file)
    except OSError as error:
        return [_unreadable(file, error)]


def _unreadable(path: Path, error: OSError) -> Quarantined:
    why = printable(f"{path}: it cannot be read: {error.strerror}")
    return Quarantined(printable(path.name), 0, 0, why, b"", unreadable=True)
