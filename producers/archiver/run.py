"""Runs the archiver: reads the topic, writes and seals table-days, reports progress, and reconnects after failures."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Final

from kafka import errors

from producers.archiver.ingestion import Ingestion
from producers.archiver.interface import Archived, Options, Sealed
from producers.archiver.place import Place, places, read_place, set_aside
from producers.archiver.progress import Ending, ProgressLines
from producers.archiver.sealing import Sealing
from producers.archiver.sharing import Sharing
from producers.archiver.topic_check import check_topic
from producers.archiver.trouble import GroupOffsets, Trouble, UnreadablePartitions
from producers.archiver.view import TopicSnapshot, TopicView
from producers.kafka_client import BOOTSTRAP_MS, KafkaRefused, failed
from producers.sinks import NotDurable, SinkBusy, TableDayName
from producers.sinks.archive import ArchiveSink
from replayer.processes.failure import is_failure

_FLUSH_EVENTS: Final = 50_000
_FLUSH_SECONDS: Final = 1.0
_POLL_MS: Final = 250
_ALONE_MS: Final = 5_000
_CHECK_SECONDS: Final = 2.0
_CONNECT_MS: Final = 5_000
_NAP_SECONDS: Final = 0.1
_BUSY_SECONDS: Final = 5.0
"""How long a run to the end waits for a table that another process has open."""
_STRIKES: Final = 3
_UNREADABLE: Final = (errors.CorruptRecordError, errors.UnsupportedCodecError)
"""Errors of a batch of messages, not of the connection."""
_SOUND_SECONDS: Final = 3.0
"""A connection is sound when messages came over it, or after this time of reading without an error: a broker may describe a topic
and then refuse to let it be read."""


class Run:
    """One run. At its end all events are flushed, their offsets written and committed to Kafka."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._clock = options.monotonic
        self._sink = ArchiveSink(options.archive, options.file_mode)
        self._sealing = Sealing(self._sink, options)
        self._ingestion = Ingestion(self._sink, options, self._sealing.note_event)
        self._done = self._ingestion.done
        self._ending = Ending(options) if options.until_end else None
        self._group = GroupOffsets(options)
        self._progress = ProgressLines(options, self._ingestion, self._sealing)
        self._trouble = Trouble(options)
        self._unreadable = UnreadablePartitions(options)
        self._connect_ms = min(_CONNECT_MS, int(options.timeout_seconds * 1000))
        self._snapshot: TopicSnapshot | None = None
        self._has_read = False
        self._unflushed = 0
        self._flushed = self._clock()
        self._reached: float | None = None
        self._note_written = False
        self._sharing = Sharing(options.archive, options.topic, options.file_mode)

    def read(self) -> Archived:
        """Read until ``stop`` returns true, or with ``until_end`` to the end; returns what was done."""
        try:
            while not self._note_written and not self._options.stop():
                try:
                    with closing(TopicView(self._options, bootstrap_ms=self._connect_ms)) as view:
                        self._read(view)
                except BaseException as error:
                    if not is_failure(error):
                        raise
                    self._handle_failure(error)
        finally:
            try:
                self._flush()
            finally:
                self._sink.close()
                self._sharing.leave()
        return self._done

    def _read(self, view: TopicView) -> None:
        """Read over one connection until it fails, or a message cannot be read."""
        every = min(_CHECK_SECONDS, max(_NAP_SECONDS, self._options.quiet_seconds))
        checked, strikes, connected = float("-inf"), 0, self._clock()
        while not self._options.stop():
            if self._clock() - checked >= every:
                self._check_topic(view)
                checked = self._clock()
            if self._is_at_the_end():
                self._note_written = True
                break
            self._update_assignment(view)
            try:
                records = view.poll(_POLL_MS)
            except _UNREADABLE:
                if not self._leave_out_unreadable(view):
                    raise
                break
            except errors.OffsetOutOfRangeError:  # the topic was cut, or made anew, since the last snapshot
                strikes += 1
                if strikes > _STRIKES:
                    raise
                checked = float("-inf")
                view.read_from({})
                continue
            except errors.LogTruncationError as error:
                for each, at in error.divergent_offsets.items():
                    read, offset = self._ingestion.partitions.get(each.partition), at.offset if at else 0
                    if read is not None and offset < read.at:  # else it speaks of a topic that was made anew since
                        read.diverged_at = offset
                raise
            strikes = 0
            if records or self._clock() - connected >= _SOUND_SECONDS:
                self._has_read = True
                self._trouble.was_read()
            if not view.reading:
                time.sleep(_NAP_SECONDS)
            for record in records:
                self._ingestion.take(record)
            for partition in view.reading:
                self._ingestion.partitions[partition].at = view.position(partition)
            self._unreadable.note_offsets(self._at())
            self._unflushed += len(records)
            self._work(view)
        self._flush()
        if self._note_written:
            self._seal([day for day in self._ingestion.under_way() if day[0] not in self._ingestion.stuck])
            self._done.left_open = self._open_elsewhere()
        self._group.commit(view, self._safe(), now=True)

    def _work(self, view: TopicView) -> None:
        self._ingestion.try_again()
        is_due = self._clock() - self._flushed >= _FLUSH_SECONDS and self._ingestion.has_moved
        if is_due or self._unflushed >= _FLUSH_EVENTS:
            self._flush()
            self._group.commit(view, self._safe())
        if self._ending is None:
            self._seal(self._ready())
        elif self._ending.is_over_time(self._remaining()):
            raise self._ending.no_answer(self._at(), self._unreadable.now)
        if self._progress.is_due:
            self._flush(all_places=True)  # places tell the time of the last snapshot
            self._options.on_line(self._progress.line(self._snapshot, self._trouble.now or self._unreadable.now))

    def _check_topic(self, view: TopicView) -> None:
        """Take a snapshot of the topic, take this archiver's share of the partitions, and check them against the topic."""
        snapshot = view.snapshot()
        kept = {place.partition: place for place in places(self._options.archive, self._options.topic)}
        fair, read_here = self._sharing.fair(snapshot.partitions | kept.keys()), self._ingestion.partitions.keys()
        if read_here - fair:
            self._flush()
            self._group.commit(view, self._safe())
            for partition in sorted(read_here - fair):
                self._give_up(partition)
        for partition in sorted(fair - read_here):
            if self._sharing.take(partition):
                self._begin(partition)
        for partition in self._sharing.without_lock():
            self._give_up(partition)
        if any(each.place.topic_id not in ("", snapshot.topic_id) for each in self._ingestion.partitions.values()):
            self._flush()  # with the offsets of the old topic
        for lost in check_topic(self._options, self._ingestion, snapshot):
            self._done.lost.append(lost)
            self._options.notify(str(lost))
        if self._ending is not None:
            self._ending.note_snapshot(snapshot, {partition: place.next for partition, place in kept.items()})
        self._snapshot = snapshot
        if self._trouble.now and not self._trouble.is_disk:
            self._sealing.note_reconnect()
        self._trouble.report_leaders(snapshot)
        self._group.commit(view, self._safe())
        self._ingestion.release_idle()

    def _begin(self, partition: int) -> None:
        try:
            self._ingestion.begin(self._place(partition))
        except BaseException:
            self._sharing.give_up(partition)
            raise

    def _place(self, partition: int) -> Place:
        archive, topic = self._options.archive, self._options.topic
        try:
            return read_place(archive, topic, partition) or Place(partition)
        except NotDurable as error:
            aside = set_aside(archive, topic, partition)
            self._options.notify(
                f"{error}; it is {aside.name} now, and partition {partition} is read again from its beginning"
            )
            return Place(partition)

    def _give_up(self, partition: int) -> None:
        for table_day in self._ingestion.partitions[partition].place.under_way:
            self._sealing.forget(table_day)
        self._ingestion.end(partition)
        self._sharing.give_up(partition)

    def _update_assignment(self, view: TopicView) -> None:
        """Read the readable partitions, unless the connection does so already from their next offsets."""
        there, left_out = self._ingestion.partitions.items(), self._unreadable.left_out
        readable = {number: each.at for number, each in there if each.readable and number not in left_out}
        if readable != view.reading:
            view.read_from(readable)

    def _leave_out_unreadable(self, unusable: TopicView) -> bool:
        """Leave out the partitions of which the next message cannot be read; returns whether any was found.

        The client's error does not say which these are, and after it the client is of no use: each partition with messages left
        is read alone, over a connection of its own.
        """
        found = False
        for number in sorted(unusable.reading):
            partition = self._ingestion.partitions[number]
            if partition.at < partition.place.end:
                with closing(TopicView(self._options, bootstrap_ms=self._connect_ms)) as view:
                    view.read_from({number: partition.at})
                    try:
                        view.poll(_ALONE_MS)
                    except _UNREADABLE as error:
                        self._unreadable.leave_out(number, partition.at, error)
                        found = True
        return found

    def _at(self) -> dict[int, int]:
        """The next offset to read, by partition read here."""
        return {number: partition.at for number, partition in self._ingestion.partitions.items()}

    def _remaining(self) -> int | None:
        """The offsets left to a run to the end; all of a partition that seems shorter than before, or another topic's."""
        at = self._at() | dict.fromkeys(self._unsure(), 0)
        return self._ending.remaining(at) if self._ending else None

    def _unsure(self) -> list[int]:
        """The partitions that seem to be shorter than before, or another topic's."""
        return [number for number, each in self._ingestion.partitions.items() if each.unsure_since is not None]

    def _is_at_the_end(self) -> bool:
        """Whether a run to the end is over: everything is read, and stuck tables were tried again."""
        if self._remaining() != 0 or self._unsure():
            return False
        self._flush()
        first = self._reached is None
        self._reached = self._clock() if self._reached is None else self._reached
        busy = any(table.busy for table in self._ingestion.stuck.values())
        if self._ingestion.stuck and (first or (busy and self._clock() - self._reached < _BUSY_SECONDS)):
            self._ingestion.try_again(all_of_them=True)
            return False
        return True

    def _flush(self, *, all_places: bool = False) -> None:
        try:
            self._ingestion.flush(all_places=all_places)
            self._trouble.was_written()
        finally:
            ingestion, done = self._ingestion, self._done
            done.stuck, safe = ingestion.stuck.why, self._safe()
            done.offsets |= safe
            done.behind = sum(max(0, ingestion.partitions[number].place.end - at) for number, at in safe.items())
            self._unflushed, self._flushed = 0, self._clock()
        self._options.on_progress(done)

    def _safe(self) -> dict[int, int]:
        """The offset of the first message that is not safe, by partition read here."""
        return {number: partition.safe_to for number, partition in self._ingestion.partitions.items()}

    def _ready(self) -> list[TableDayName]:
        """The table-days to seal now, of partitions that are read up to their ends at the last snapshot."""
        ready: set[TableDayName] = set()
        snapshot = self._snapshot
        if snapshot is None:
            return []
        for number, partition in self._ingestion.partitions.items():
            unknown = number in snapshot.partitions and number not in snapshot.ends
            if unknown or partition.unsure_since is not None or partition.at < partition.place.end:
                continue
            for table_day in partition.place.under_way:
                if table_day[0] in self._ingestion.stuck:
                    continue
                try:
                    if self._sealing.is_ready(table_day, snapshot.at):
                        ready.add(table_day)
                except (NotDurable, SinkBusy) as error:
                    self._ingestion.mark_stuck(table_day[0], error)
        return sorted(ready)

    def _seal(self, table_days: list[TableDayName]) -> None:
        for table_day in table_days:
            manifest = self._ingestion.seal(table_day)
            if table_day[0] in self._ingestion.stuck:
                continue
            self._sealing.forget(table_day)
            if manifest is not None:
                self._done.sealed.append(table_day)
                self._options.on_line(Sealed(self._options.moment(), manifest))
        if table_days:
            self._flush()

    def _open_elsewhere(self) -> list[TableDayName]:
        """The open table-days of the partitions that other archivers read."""
        kept = places(self._options.archive, self._options.topic)
        others = (place.under_way for place in kept if place.partition not in self._ingestion.partitions)
        return sorted(set().union(*others) - set(self._done.sealed))

    # Trouble

    def _handle_failure(self, error: BaseException) -> None:
        """Flush, and wait before the next try; a permanent failure is raised, and any when the run's time limit is over."""
        try:
            self._flush()
        except NotDurable as worse:
            error = worse
        if isinstance(error, errors.KafkaError):
            error = failed(error, self._options.bootstrap, self._options.topic)
        new = self._snapshot is None
        if isinstance(error, KafkaRefused) and not self._has_read:
            raise error
        if self._ending is not None:
            enough = self._clock() - self._progress.began >= BOOTSTRAP_MS / 1000
            if self._ending.is_over_time(self._remaining()) or (new and enough):
                raise error
        until = self._trouble.begins(error, quiet=bool(self._ending and new))
        while self._clock() < until and not self._options.stop():
            if self._progress.is_due:
                self._options.on_line(self._progress.line(self._snapshot, self._trouble.now))
            time.sleep(_NAP_SECONDS)
