"""Checks each partition read here against the topic: whether reading can continue, and which messages are missing.

A topic that was cut by its retention lacks messages that the archive never took. A topic made anew under the same name has
other messages under the same offsets, so it is read from its beginning, and duplicates are dropped by table and number. So is a
partition that ends before its offset here. Each of these is recorded as a loss, never skipped silently.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from producers.archiver.ingestion import Ingestion, Partition
from producers.archiver.interface import Options
from producers.archiver.view import TopicSnapshot
from producers.sinks import TableDayName, disk_explained
from producers.sinks.durable import write_durably
from replayer.sources.layout import FILE_MODE
from replayer.sources.lost import Lost, Why, lost_file
from replayer.sources.safe_files import MOST_SMALL, read_file
from replayer.sources.safe_texts import TextRefused
from replayer.sources.table_days import table_days_in_place

_SURE_SECONDS: Final = 3.0
"""How long a topic must appear to be made anew, or too short: a broker or leader that has just started may not be up to date."""
_A_DAY: Final = dt.timedelta(days=1)
_BEHIND: Final = dt.timedelta(days=7)
"""A table without events for longer counts as closed, not as late."""


def check_topic(options: Options, ingestion: Ingestion, snapshot: TopicSnapshot) -> Iterator[Lost]:
    """Check every partition read here against the topic; yields the losses found, each recorded before a message is skipped."""
    for partition, read in sorted(ingestion.partitions.items()):
        place, read.readable = read.place, False
        other = "" not in (place.topic_id, snapshot.topic_id) and place.topic_id != snapshot.topic_id
        if partition not in snapshot.ends and not (other and partition not in snapshot.partitions):
            continue  # without a leader, or unknown to the broker yet
        if not _is_sure(read, other, snapshot):
            continue
        for topic_id, first, end, why in _missing(ingestion, partition, snapshot, other):
            today, oldest = options.today(), read.oldest_day
            if oldest is not None:
                oldest = first_day_lost(options.archive, oldest, ingestion.under_way())
            lost = Lost(
                topic=options.topic,
                topic_id=topic_id,
                partition=partition,
                first=first,
                end=end,
                why=why,
                found_at=options.moment(),
                first_day=oldest,
                last_day=max(today, read.newest or today),
            )
            if write_lost(options.archive, lost, options.file_mode):
                yield lost
        place.topic_id, place.end = snapshot.topic_id or place.topic_id, snapshot.ends.get(partition, 0)
        place.seen_at = dt.datetime.fromtimestamp(options.now(), dt.UTC)
        read.readable = partition in snapshot.ends


def _is_sure(read: Partition, other: bool, snapshot: TopicSnapshot) -> bool:
    if other or read.at > snapshot.ends[read.place.partition]:
        if read.unsure_since is None:
            read.unsure_since = snapshot.at
        if snapshot.at - read.unsure_since < _SURE_SECONDS:
            return False
    read.unsure_since = None
    return True


def _missing(
    ingestion: Ingestion, partition: int, snapshot: TopicSnapshot, other: bool
) -> Iterator[tuple[str, int, int | None, Why]]:
    """What a partition lacks: the topic's id, the first offset and the one after the last, and why; then it is read on."""
    begin, end = snapshot.begins.get(partition, 0), snapshot.ends.get(partition, 0)
    read, missing = ingestion.partitions[partition], ingestion.needed_from(partition)
    at = read.at
    if other:
        read.diverged_at = None  # of the topic before
        yield read.place.topic_id, missing, None, Why.REPLACED
        if begin:
            yield snapshot.topic_id, 0, begin, Why.DELETED
        ingestion.seek(partition, begin)
    elif at > end or read.diverged_at is not None:
        cut, read.diverged_at = read.diverged_at or min(missing, end), None
        yield snapshot.topic_id, cut, None, Why.CUT_BACK
        ingestion.seek(partition, begin)
    elif missing < begin:
        yield snapshot.topic_id, missing, begin, Why.DELETED
        ingestion.raise_offsets_to(partition, begin)
        if at < begin:
            ingestion.seek(partition, begin)


def first_day_lost(archive: Path, oldest: dt.date, under_way: Iterable[TableDayName]) -> dt.date:
    """The oldest gaming day of which events may be lost now, where ``oldest`` is under way: a table that is further behind,
    because its recorder had no network, sends its later days late.
    """
    come: dict[str, dt.date] = {}
    for back in range(_BEHIND.days, 0, -1):
        come |= {ref.table_id: ref.gaming_day for ref in table_days_in_place(archive, oldest - back * _A_DAY)}
    for table_id, day in sorted(under_way):
        come[table_id] = max(day, come.get(table_id, day))
    sealed_since = {ref.table_id for ref in table_days_in_place(archive, oldest)}
    return min([oldest, *(day + _A_DAY for table_id, day in come.items() if table_id not in sealed_since)])


def write_lost(archive: Path, lost: Lost, mode: int = FILE_MODE) -> bool:
    """Record a range permanently; False where it is recorded already, by an archiver that was then killed, say.

    A longer range with the same beginning replaces a shorter one: the topic was cut again before an archiver continued.
    """
    file = lost_file(archive, lost)
    with disk_explained(file):
        if file.exists() and not _shorter(file, lost):
            return False
        write_durably(file, lost.to_json().encode(), mode)
    return True


def _shorter(file: Path, than: Lost) -> bool:
    try:
        earlier = Lost.from_json(read_file(file, MOST_SMALL))
    except TextRefused:  # reported as unreadable; the file stays
        return False
    return earlier.end is not None and (than.end is None or than.end > earlier.end)
