"""The place of a partition: the offset up to which it was taken over, in one small file written by the archiver that reads it.

The file also holds the topic's id (Kafka's own: a topic made anew has another), and the table-days that came by this partition
and are not sealed yet. The consumer group's committed offsets are never used. What cannot be read or written is NotDurable.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from pathlib import Path

from producers.sinks import NotDurable, TableDayName, disk_explained, read_kept
from producers.sinks.durable import write_durably
from replayer.sources.layout import FILE_MODE, offsets_folder
from replayer.sources.safe_files import listed
from replayer.sources.safe_texts import TextRefused, digested_json, json_object, parsed, read_digested_json


@dataclass(slots=True)
class Place:
    """The place of one partition.

    Attributes:
        topic_id: Kafka's own id of the topic; empty where unknown.
        next: the offset of the first message not safe in the archive.
        end: the partition's end offset when last read, at ``seen_at`` (UTC, None before the first time).
        since: the oldest gaming day with events still under way; None before the first event.
        under_way: the table-days that came by this partition and are not sealed.
    """

    partition: int
    topic_id: str = ""
    next: int = 0
    end: int = 0
    seen_at: dt.datetime | None = None
    since: dt.date | None = None
    under_way: set[TableDayName] = field(default_factory=set)

    @property
    def lag(self) -> int:
        """The offsets from the first message that is not safe to the end."""
        return max(0, self.end - self.next)

    def to_json(self) -> str:
        """The text of its file, with a digest."""
        under_way = [[table_id, day.isoformat()] for table_id, day in sorted(self.under_way)]
        return digested_json(json_object(self) | {"under_way": under_way})


def place_file(archive: Path, topic: str, partition: int) -> Path:
    """The file of a partition's place."""
    return offsets_folder(archive, topic) / f"{partition}.json"


def read_place(archive: Path, topic: str, partition: int) -> Place | None:
    """The place of a partition; None where it has never been read; NotDurable where the file is damaged, or cannot be read."""

    def meaning(data: bytes) -> Place:
        values = read_digested_json(data)
        under_way = {(str(table_id), dt.date.fromisoformat(day)) for table_id, day in values.pop("under_way")}
        place = parsed(Place, values)
        if place.partition != partition:
            raise TextRefused("it is not as it was written")
        place.under_way = under_way
        return place

    return read_kept(place_file(archive, topic, partition), meaning)


def write_place(archive: Path, topic: str, place: Place, mode: int = FILE_MODE) -> None:
    """Write the place of a partition. Only the holder of the partition's lock may do so."""
    file = place_file(archive, topic, place.partition)
    with disk_explained(file):
        write_durably(file, place.to_json().encode(), mode)


def set_aside(archive: Path, topic: str, partition: int) -> Path:
    """Rename a damaged file, which is kept; returns its new path."""
    file = place_file(archive, topic, partition)
    aside = file.with_suffix(".json.damaged")
    with disk_explained(file, "it is damaged, and cannot be moved; move it away"):
        file.replace(aside)
    return aside


def places(archive: Path, topic: str) -> list[Place]:
    """The places of a topic's partitions, in order, without damaged ones."""
    return [place for place in places_and_damage(archive, topic) if isinstance(place, Place)]


def places_and_damage(archive: Path, topic: str) -> list[Place | NotDurable]:
    """The places of a topic's partitions, in order; for a damaged one its error."""
    found: dict[int, Place | NotDurable | None] = {}
    for file in listed(offsets_folder(archive, topic), "*.json"):
        if file.stem.isdecimal():
            try:
                found[int(file.stem)] = read_place(archive, topic, int(file.stem))
            except NotDurable as damaged:
                found[int(file.stem)] = damaged
    return [place for _, place in sorted(found.items()) if place is not None]


def topics(archive: Path) -> list[str]:
    """The topics from which messages were taken over."""
    return [path.name for path in listed(offsets_folder(archive, "")) if path.is_dir()]
