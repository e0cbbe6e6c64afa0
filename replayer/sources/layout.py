"""Where an archive keeps what, and what the manifest beside each container says.

=================================================  ===============================================================
``ARCHIVE/2026-01-05/T1.avro``                     the table-day, sealed once: an Avro container, events by ``seq``
``ARCHIVE/2026-01-05/T1.json``                     its manifest
``ARCHIVE/2026-01-05/T1.late-1.avro`` ``.json``    events that came after the seal; ``follows`` names the part before
``ARCHIVE/.columns/2026-01-05/T1.arrow``           the events of ``T1.avro`` as columns; it may be deleted at any time
``ARCHIVE/.journal/2026-01-05/T1.journal``         a table-day under way (``T1.late-1.journal`` after its seal)
``ARCHIVE/.journal/DAY/T1.journal.damaged-9``       a damaged one that was set aside; it may have had numbers up to 9
``ARCHIVE/.journal/lock/T1``                       held by the process that writes the table
``ARCHIVE/.journal/batch/draft/``                  table-days that are to come together, laid out as here: not there yet
``ARCHIVE/.journal/batch/whole/``                  all of them, on their way into their places: not read before it is gone
``ARCHIVE/.journal/batch/imported/LOG.DAYS.txt``   which table-days the log with this digest was imported as
``ARCHIVE/.journal/batch/lock``                    held by the process that brings a batch
``ARCHIVE/.journal/offsets/TOPIC/0.json``          how far partition 0 of a Kafka topic was taken over
``ARCHIVE/.journal/offsets/TOPIC/0.lock``          held by the archiver that reads that partition
``ARCHIVE/.journal/offsets/TOPIC.json``            how far an earlier program took a topic over
``ARCHIVE/lost/TOPIC/0-100-deleted-ID.json``       messages that a topic no longer has and the archive never took
``ARCHIVE/quarantine/SOURCE.jsonl``                messages that could not be taken, one JSON object a line
=================================================  ===============================================================

A sealed file is never written again. A table id is part of a path, so it is held to :data:`TABLE_ID`.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from replayer.sources.safe_files import Text, TextRefused, closed, listed, read_json

FORMAT: Final = 1
MANIFEST: Final = ".json"
"""How the name of a manifest ends."""
FILE_MODE: Final = 0o640
"""Who may read what an archive or a lake holds, unless another mode is set: its owner and the owner's group."""
TABLE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
PART: Final = re.compile(rf"(?P<table>{TABLE_ID.pattern})(?:\.late-(?P<part>[1-9][0-9]{{0,8}}))?")
"""The file name of a part without its ending."""
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class TableIdRefused(ValueError):
    """The table id could not stand in a path."""


class ManifestUnreadable(ValueError):
    """The text is no manifest; the message says why."""


def require_table_id(table_id: str) -> None:
    """Hold a table id to letters, digits, ``_`` and ``-``, 64 at most, the first a letter or digit.

    Raises:
        TableIdRefused: it has anything else.
    """
    if not TABLE_ID.fullmatch(table_id):
        raise TableIdRefused(f"table id {table_id!r}: up to 64 letters, digits, _ and -, a letter or digit first")


@dataclass(frozen=True, slots=True, order=True)
class PartName:
    """A part of a table-day: 0 the one sealed first, 1 and up those with late events."""

    gaming_day: dt.date
    table_id: str
    part: int = 0

    @property
    def stem(self) -> str:
        """The file name without its ending."""
        return f"{self.table_id}.late-{self.part}" if self.part else self.table_id

    def container(self, archive: Path) -> Path:
        """The sealed Avro container."""
        return archive / self.gaming_day.isoformat() / f"{self.stem}.avro"

    def manifest(self, archive: Path) -> Path:
        """The manifest, written last: a part without one is not sealed."""
        return archive / self.gaming_day.isoformat() / f"{self.stem}.json"

    def columns(self, archive: Path) -> Path:
        """The columnar copy of the container, where one was made."""
        return copies(archive) / self.gaming_day.isoformat() / f"{self.stem}.arrow"

    def journal(self, archive: Path) -> Path:
        """The journal, as long as the part is not sealed."""
        return journals(archive) / self.gaming_day.isoformat() / f"{self.stem}.journal"


def part_name(path: Path) -> PartName | None:
    """The part that a container, manifest or journal is by its path, or None when the path is none of an archive."""
    found = PART.fullmatch(path.stem)
    day = named_day(path.parent.name)
    return PartName(day, found["table"], int(found["part"] or 0)) if found and day else None


def named_day(name: str) -> dt.date | None:
    """The gaming day whose folder has a name, in the one spelling that an archive uses."""
    try:
        day = dt.date.fromisoformat(name)
    except ValueError:
        return None
    return day if day.isoformat() == name else None


def copies(archive: Path) -> Path:
    """The folder of columnar copies (:mod:`replayer.sources.copies`): all of it is made from containers."""
    return archive / ".columns"


def journals(archive: Path) -> Path:
    """The folder of everything that is under way."""
    return archive / ".journal"


def lock_file(archive: Path, table_id: str) -> Path:
    """The file whose lock its writer holds."""
    return journals(archive) / "lock" / table_id


def batch_folder(archive: Path) -> Path:
    """What comes into the archive together; it is there once any batch has come."""
    return journals(archive) / "batch"


def on_their_way(archive: Path) -> Path:
    """The table-days of a batch that are not all in their places."""
    return batch_folder(archive) / "whole"


def receipt_file(archive: Path, log: str, table_days: str) -> Path:
    """What remembers that a log came in as some table-days; both are given by their digests."""
    return batch_folder(archive) / "imported" / f"{log}.{table_days}.txt"


def offsets_file(archive: Path, topic: str) -> Path:
    """How far an earlier program took a topic over: all partitions in one file."""
    return journals(archive) / "offsets" / f"{topic}.json"


def offsets_folder(archive: Path, topic: str) -> Path:
    """How far each partition of a topic was taken over, and which archiver reads it."""
    return journals(archive) / "offsets" / topic


def lost_folder(archive: Path) -> Path:
    """What topics no longer have and the archive never took, a file each."""
    return archive / "lost"


def claim_file(archive: Path, topic: str, table_id: str) -> Path:
    """The newest claim to a table of a topic under which an event came."""
    return journals(archive) / "claims" / topic / f"{table_id}.txt"


def quarantine_folder(archive: Path) -> Path:
    """Messages that could not be taken, a file a source."""
    return archive / "quarantine"


def quarantine_file(archive: Path, source: str) -> Path:
    """Those of a source."""
    return quarantine_folder(archive) / f"{source}.jsonl"


def folders_of_others(archive: Path) -> frozenset[Path]:
    """The folders of an archive that are for other things than table-days in their places."""
    under_way = (journals(archive) / name for name in ("lock", "batch", "offsets", "claims"))
    return frozenset((lost_folder(archive), quarantine_folder(archive), *under_way))


def gaming_days(archive: Path) -> list[dt.date]:
    """The gaming days that have a folder of sealed table-days, in order.

    Raises:
        OSError: the archive cannot be read.
    """
    return sorted(filter(None, (named_day(path.name) for path in listed(archive))))


def journal_files(archive: Path, day: dt.date | None = None, names: str = "*.journal") -> list[Path]:
    """What is under way, of a gaming day or of all: the files with names of a pattern, by day and name.

    Raises:
        OSError: a folder cannot be read; a table in it would be passed over.
    """
    days = [day] if day else gaming_days(journals(archive))
    return [file for each in days for file in listed(journals(archive) / each.isoformat(), names)]


def journals_by_day(archive: Path, day: dt.date | None = None) -> Iterator[tuple[dt.date, list[Path], str]]:
    """The journals of a gaming day or of each, by name; none where the day's folder cannot be read, and why.

    Raises:
        OSError: the folder of all journals cannot be read.
    """
    for each in [day] if day else gaming_days(journals(archive)):
        files, why = list[Path](), ""
        try:
            files = journal_files(archive, each)
        except OSError as error:
            folder = journals(archive) / each.isoformat()
            why = f"{folder}: {closed(folder, error)}"
        yield each, files, why


def parts_on_their_way(archive: Path, names: str = "*") -> list[Path]:
    """The files, with names of a pattern, of a batch that are not all in their places, likewise."""
    return [file for folder in listed(on_their_way(archive)) for file in listed(folder, names)]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a sealed part holds and by which digest it is known.

    ``follows`` is the SHA-256 of the container of the part before, None for part 0; ``columns_sha256`` that of the container's
    columnar copy, None where none was made: manifests of earlier programs know nothing of copies.
    """

    table_id: str
    gaming_day: dt.date
    part: int
    count: int
    first_seq: int
    last_seq: int
    bytes: int
    sha256: str
    schema_fingerprint: str
    schema_sha256: str
    follows: str | None = None
    columns_sha256: str | None = None

    @property
    def name(self) -> PartName:
        """The part that the manifest speaks of."""
        return PartName(self.gaming_day, self.table_id, self.part)

    def to_json(self) -> str:
        """The manifest's text."""
        values = asdict(self) | {"gaming_day": self.gaming_day.isoformat()}
        if self.columns_sha256 is None:
            del values["columns_sha256"]
        return json.dumps({"format": FORMAT, **values}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: Text) -> Manifest:
        """The manifest of a text.

        Raises:
            ManifestUnreadable: no JSON object, another format, a field that is missing, unknown or out of its range.
        """
        try:
            values: Any = read_json(text)
        except TextRefused as error:
            raise ManifestUnreadable(str(error)) from None
        if not isinstance(values, dict) or values.pop("format", None) != FORMAT:
            raise ManifestUnreadable(f"no manifest of format {FORMAT}")
        names = {field.name for field in fields(cls)}
        if values.keys() | {"columns_sha256"} != names:
            wrong = values.keys() ^ (names - {"columns_sha256"})
            raise ManifestUnreadable(f"fields missing or unknown: {', '.join(sorted(wrong))}")
        for name in ("part", "count", "first_seq", "last_seq", "bytes"):
            if type(values[name]) is not int or values[name] < (0 if name == "part" else 1):
                raise ManifestUnreadable(f"{name} is {values[name]!r}")
        for name in {"sha256", "schema_sha256", "columns_sha256"} & values.keys():
            if not _is_sha256(values[name]):
                raise ManifestUnreadable(f"{name} is {values[name]!r}")
        if (values["follows"] is None) != (values["part"] == 0) or not (
            values["follows"] is None or _is_sha256(values["follows"])
        ):
            raise ManifestUnreadable(f"part {values['part']} follows {values['follows']!r}")
        if not isinstance(values["table_id"], str) or not isinstance(values["schema_fingerprint"], str):
            raise ManifestUnreadable("table_id and schema_fingerprint are texts")
        try:
            values["gaming_day"] = dt.date.fromisoformat(values["gaming_day"])
        except (TypeError, ValueError):
            raise ManifestUnreadable(f"gaming_day is {values['gaming_day']!r}") from None
        return cls(**values)


def _is_sha256(value: Any) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None
