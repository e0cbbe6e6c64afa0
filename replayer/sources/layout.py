"""The layout of an archive, and the manifests of its containers.

=================================================  ===============================================================
``ARCHIVE/2026-01-05/T1.avro``                     the table-day, sealed once: an Avro container, events by ``seq``
``ARCHIVE/2026-01-05/T1.json``                     its manifest
``ARCHIVE/2026-01-05/T1.late-1.avro`` ``.json``    events that came after the seal; ``follows`` names the previous part
``ARCHIVE/.columns/2026-01-05/T1.arrow``           the events of ``T1.avro`` as columns; it may be deleted at any time
``ARCHIVE/.journal/2026-01-05/T1.journal``         a table-day under way (``T1.late-1.journal`` after its seal)
``ARCHIVE/.journal/DAY/T1.journal.damaged-9``      a damaged one, set aside; it may have had numbers up to 9
``ARCHIVE/.journal/lock/T1``                       held by the process that writes the table
``ARCHIVE/.journal/batch/draft/``                  table-days of a batch being written, laid out as here
``ARCHIVE/.journal/batch/whole/``                  a complete batch being moved into its places; not read until done
``ARCHIVE/.journal/batch/imported/LOG.DAYS.txt``   which table-days the log with this digest was imported as
``ARCHIVE/.journal/batch/lock``                    held by the process that writes a batch
``ARCHIVE/.journal/offsets/TOPIC/0.json``          the offset up to which partition 0 of a Kafka topic was taken over
``ARCHIVE/.journal/offsets/TOPIC/0.lock``          held by the archiver that reads that partition
``ARCHIVE/lost/TOPIC/0-100-deleted-ID.json``       messages that a topic no longer has and the archive never took
``ARCHIVE/quarantine/SOURCE.jsonl``                messages that could not be taken, one JSON object per line
=================================================  ===============================================================

A sealed file is never written again. A table id is part of a path, so it must match :data:`TABLE_ID`.
"""

from __future__ import annotations

import datetime as dt
import errno
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from replayer.sources.safe_files import closed, listed
from replayer.sources.safe_texts import Text, TextRefused, json_object, read_json

FORMAT: Final = 1
MANIFEST: Final = ".json"
"""The suffix of a manifest."""
FILE_MODE: Final = 0o640
"""The default mode of the files of an archive or a lake: readable by owner and group."""
TABLE_ID: Final = re.compile(r"(?![0-9]{4}-[0-9]{2}-[0-9]{2}(?![\w-]))[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""A name, and no date: what cannot be read of a whole gaming day is noted under the day's name."""
PART: Final = re.compile(rf"(?P<table>{TABLE_ID.pattern})(?:\.late-(?P<part>[1-9][0-9]{{0,8}}))?")
"""The file name of a part without its suffix."""
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class TableIdRefused(ValueError):
    """The table id cannot be part of a path."""


def require_table_id(table_id: str) -> None:
    """Raise TableIdRefused unless a table id has up to 64 letters, digits, ``_`` and ``-``, a letter or digit first, and is no
    date."""
    if not TABLE_ID.fullmatch(table_id):
        raise TableIdRefused(
            f"table id {table_id!r}: up to 64 letters, digits, _ and -, a letter or digit first, no date"
        )


def why_no_archive(path: Path) -> str:
    """Why there is no archive at a path, as "does not exist"; empty where there may be one."""
    if path.is_dir():
        return ""
    return "is no folder" if path.exists() else "does not exist"


@dataclass(frozen=True, slots=True, order=True)
class PartName:
    """A part of a table-day: 0 the one sealed first, from 1 on those with late events."""

    gaming_day: dt.date
    table_id: str
    part: int = 0

    @property
    def stem(self) -> str:
        """The file name without its suffix."""
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
    """The part named by the path of a container, manifest or journal; None where the path is no such path of an archive."""
    found = PART.fullmatch(path.stem)
    day = named_day(path.parent.name)
    return PartName(day, found["table"], int(found["part"] or 0)) if found and day else None


def named_day(name: str) -> dt.date | None:
    """The gaming day of a folder's name, in the one spelling that an archive uses; None for other names."""
    try:
        day = dt.date.fromisoformat(name)
    except ValueError:
        return None
    return day if day.isoformat() == name else None


def copies(archive: Path) -> Path:
    """The folder of columnar copies (:mod:`replayer.sources.copies`), all made from containers."""
    return archive / ".columns"


def journals(archive: Path) -> Path:
    """The folder of everything not yet sealed."""
    return archive / ".journal"


def lock_file(archive: Path, table_id: str) -> Path:
    """The lock file that a table's writer holds."""
    return journals(archive) / "lock" / table_id


def batch_folder(archive: Path) -> Path:
    """The folder of batches; it exists after the first one."""
    return journals(archive) / "batch"


def on_their_way(archive: Path) -> Path:
    """The folder of a batch whose table-days are being moved into their places."""
    return batch_folder(archive) / "whole"


def receipt_file(archive: Path, log: str, table_days: str) -> Path:
    """The receipt of a log's import as some table-days; both are given by their digests."""
    return batch_folder(archive) / "imported" / f"{log}.{table_days}.txt"


def offsets_folder(archive: Path, topic: str) -> Path:
    """The folder of the offsets and locks of a topic's partitions."""
    return journals(archive) / "offsets" / topic


def lost_folder(archive: Path) -> Path:
    """The folder of lost messages, a file for each range."""
    return archive / "lost"


def claim_file(archive: Path, topic: str, table_id: str) -> Path:
    """The file of the newest claim to a table of a topic under which an event came."""
    return journals(archive) / "claims" / topic / f"{table_id}.txt"


def quarantine_folder(archive: Path) -> Path:
    """The folder of messages that could not be taken, a file per source."""
    return archive / "quarantine"


def quarantine_file(archive: Path, source: str) -> Path:
    """The quarantine file of a source."""
    return quarantine_folder(archive) / f"{source}.jsonl"


def folders_of_others(archive: Path) -> frozenset[Path]:
    """The folders of an archive that hold no table-days."""
    under_way = (journals(archive) / name for name in ("lock", "batch", "offsets", "claims"))
    return frozenset((lost_folder(archive), quarantine_folder(archive), *under_way))


def gaming_days(archive: Path) -> list[dt.date]:
    """The gaming days that have a folder of sealed table-days, in order; OSError where the archive cannot be read."""
    return sorted(filter(None, (named_day(path.name) for path in listed(archive))))


def journal_files(archive: Path, day: dt.date | None = None, names: str = "*.journal") -> list[Path]:
    """Journals, with names of a pattern, of a gaming day or of all, by day and name; OSError where a folder cannot be read."""
    days = _days_with_journals(archive, day)
    return [file for each in days for file in listed(journals(archive) / each.isoformat(), names)]


def journals_of(archive: Path, table_id: str) -> list[PartName]:
    """The parts of a table that have a journal; raises as :func:`journal_files`."""
    names = map(part_name, journal_files(archive, names=f"{table_id}*.journal"))
    return [name for name in names if name is not None and name.table_id == table_id]


def _days_with_journals(archive: Path, day: dt.date | None) -> list[dt.date]:
    """A gaming day, or all that have a folder of journals; OSError where something else stands in the place of their folder."""
    folder = journals(archive)
    if os.path.lexists(folder) and not folder.is_dir():
        why = "no folder, so no open table-day is seen: put it aside, and the folder of journals back"
        raise NotADirectoryError(errno.ENOTDIR, why, str(folder))
    return [day] if day else gaming_days(folder)


def journals_by_day(archive: Path, day: dt.date | None = None) -> Iterator[tuple[dt.date, list[Path], str]]:
    """The journals of a gaming day or of all, day by day; where a day's folder cannot be read, none, and why. OSError where the
    folder of all journals cannot be read."""
    for each in _days_with_journals(archive, day):
        files, why = list[Path](), ""
        try:
            files = journal_files(archive, each)
        except OSError as error:
            folder = journals(archive) / each.isoformat()
            why = f"{folder}: {closed(folder, error)}"
        yield each, files, why


def parts_on_their_way(archive: Path, names: str = "*") -> list[Path]:
    """The files, with names of a pattern, of a batch being moved into its places."""
    return [file for folder in listed(on_their_way(archive)) for file in listed(folder, names)]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content and the digests of a sealed part."""

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
    follows: str | None = None  # the SHA-256 of the previous part's container, None for part 0
    columns_sha256: str | None = None  # that of the container's columnar copy, None where there is none

    @property
    def name(self) -> PartName:
        """The part that the manifest describes."""
        return PartName(self.gaming_day, self.table_id, self.part)

    def to_json(self) -> str:
        """The manifest's text."""
        values = json_object(self)
        if self.columns_sha256 is None:
            del values["columns_sha256"]
        return json.dumps({"format": FORMAT, **values}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: Text) -> Manifest:
        """Parse a manifest; TextRefused where it is of another format, or a field is missing, unknown or out of range."""
        values = read_json(text)
        if not isinstance(values, dict) or values.pop("format", None) != FORMAT:
            raise TextRefused(f"no manifest of format {FORMAT}, which this version has")
        names = {field.name for field in fields(cls)}
        if wrong := (values.keys() | {"columns_sha256"}) ^ names:
            raise TextRefused(f"fields missing or unknown: {', '.join(sorted(wrong))}")
        for name in ("part", "count", "first_seq", "last_seq", "bytes"):
            if type(values[name]) is not int or values[name] < (0 if name == "part" else 1):
                raise TextRefused(f"{name} is {values[name]!r}")
        for name in {"sha256", "schema_sha256", "columns_sha256"} & values.keys():
            if not _is_sha256(values[name]):
                raise TextRefused(f"{name} is {values[name]!r}")
        if not (_is_sha256(values["follows"]) if values["part"] else values["follows"] is None):
            raise TextRefused(f"part {values['part']} follows {values['follows']!r}")
        if not isinstance(values["table_id"], str) or not isinstance(values["schema_fingerprint"], str):
            raise TextRefused("table_id and schema_fingerprint are texts")
        try:
            values["gaming_day"] = dt.date.fromisoformat(values["gaming_day"])
        except (TypeError, ValueError):
            raise TextRefused(f"gaming_day is {values['gaming_day']!r}") from None
        return cls(**values)


def _is_sha256(value: object) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None
