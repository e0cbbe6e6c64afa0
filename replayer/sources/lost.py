"""Messages that a Kafka topic no longer has and the archive never took; the archiver that notices records them for good.

Their content is unknown, so every gaming day that they may concern is reported as incomplete for ever, as with quarantined
messages. A range concerns the days from the oldest one still open when it was lost, or not yet reached by the table furthest
behind, to the one on which the loss was found.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from replayer.sources.layout import lost_folder
from replayer.sources.safe_files import MOST_SMALL, files_below, read_file
from replayer.sources.safe_texts import TextRefused, digested_json, json_object, parsed, read_digested_json
from schemas.printable import printable


class Why(StrEnum):
    """Why messages are lost."""

    DELETED = "deleted"  # by the topic's retention, or by hand
    REPLACED = "replaced"  # the topic was deleted, and another one has its name
    CUT_BACK = "cut back"  # the topic ends before what was taken: a replica that lacked events became the leader
    REMOVED = "removed"  # a nightly run reported the loss, and its file is no longer in this folder
    UNREADABLE = "unreadable"  # a file of this folder cannot be read, so its content is unknown


_SAID: Final = {
    Why.DELETED: "were deleted before the archive had taken them",
    Why.REPLACED: "went with the topic when another one of the same name was made",
    Why.CUT_BACK: "were taken back by the topic: it ends before what the archive took of it",
    Why.REMOVED: "were told of as lost, and the file that says so was taken out of the archive since",
    Why.UNREADABLE: "cannot be told: the file that says which they are cannot be read",
}
_KEYS: Final = {"first": "from", "end": "to"}
"""The keys of a range's JSON object where they are not the names of its fields."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A range of offsets of one partition, and the gaming days that it may concern."""

    topic: str
    topic_id: str  # Kafka's own id of the topic that had them; empty where unknown
    partition: int
    first: int
    end: int | None  # the offset after the last one, None where unknown
    why: Why
    found_at: dt.datetime  # when an archiver noticed, UTC
    first_day: dt.date | None  # None where it may be any
    last_day: dt.date

    @property
    def name(self) -> str:
        """Its topic and, without the suffix, its file; empty where that cannot be read."""
        if self.why is Why.UNREADABLE:
            return ""
        return (
            f"{self.topic}/{self.partition}-{self.first}-{self.why.replace(' ', '-')}-{self.topic_id[:8] or 'unknown'}"
        )

    def concerns(self, gaming_day: dt.date | None) -> bool:
        """Whether events of a gaming day, or of any for None, may be among them."""
        if gaming_day is None:
            return True
        return (self.first_day or dt.date.min) <= gaming_day <= self.last_day

    def __str__(self) -> str:
        which = f"{self.first} and on" if self.end is None else f"{self.first} to {self.end - 1}"
        days = f"{self.first_day or 'the first'} to {self.last_day}"
        return (
            f"topic {self.topic}, partition {self.partition}: messages {which} {_SAID[self.why]}; "
            f"it may concern the gaming days {days}"
        )

    def to_dict(self) -> dict[str, Any]:
        """A JSON object; ``from`` is inclusive, ``to`` exclusive, and null where unknown."""
        return {_KEYS.get(name, name): value for name, value in json_object(self).items()}

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Lost:
        """The inverse of :meth:`to_dict`; TextRefused where there is none."""
        fields = {key: name for name, key in _KEYS.items()}
        try:
            lost = parsed(Lost, {fields.get(key, key): value for key, value in dict(said).items()})
            if min(lost.partition, lost.first, lost.end or 0) < 0:
                raise TextRefused("no partition has such numbers")
        except (KeyError, TypeError, ValueError) as error:
            raise TextRefused(f"it names no lost messages: {error}") from None
        return lost

    def to_json(self) -> str:
        """The text of its file, with a digest of its own."""
        return digested_json(self.to_dict())

    @classmethod
    def from_json(cls, text: bytes) -> Lost:
        """Parse a file's text; TextRefused where it describes no range, or was altered."""
        return cls.from_dict(read_digested_json(text))


def lost_file(archive: Path, lost: Lost) -> Path:
    """The file of a range; always the same one for the same range."""
    return lost_folder(archive) / f"{lost.name}.json"


def lost_messages(archive: Path, day: dt.date | None = None) -> list[Lost]:
    """All lost ranges, or those that may concern a gaming day, by topic, partition and offset.

    A file that cannot be read, or stands in place of their folder, counts as a range that may concern every day.
    """
    found: list[Lost] = []
    folder = lost_folder(archive)
    try:
        if os.path.lexists(folder) and not folder.is_dir():  # a link to a disk that is not mounted, too
            return [_unreadable(folder, "it is no folder")]
        files = [path for path in files_below(folder) if not path.name.startswith(".")]
    except OSError as error:
        return [_unreadable(Path(error.filename or folder), f"{error.strerror}")]
    for file in files:
        try:
            found.append(Lost.from_json(read_file(file, MOST_SMALL)))
        except OSError as error:
            found.append(_unreadable(file, f"{error.strerror}"))
        except TextRefused as error:
            found.append(_unreadable(file, str(error)))
    return sorted(
        (lost for lost in found if lost.concerns(day)), key=lambda lost: (lost.topic, lost.partition, lost.first)
    )


def _unreadable(file: Path, why: str) -> Lost:
    at = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    named = printable(f"{file} ({why})")
    return Lost(named, "", 0, 0, None, Why.UNREADABLE, at, None, dt.date.max)
