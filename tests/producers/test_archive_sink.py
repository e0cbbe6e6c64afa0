"""The archive as a sink: what survives a kill at any step, a full disk, a torn journal, repetitions and latecomers."""

import datetime as dt
import errno
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from flows.unsealed import under_way
from producers.recorder import Recorder
from producers.sinks import NotDurable, NothingToSeal, SequenceConflict, SinkBusy
from producers.sinks.archive import ArchiveSink
from producers.sinks.durable import write_durably
from producers.sinks.kafka import KafkaSink
from producers.sinks.repair import repair
from replayer.sources.layout import Manifest, PartName, lock_file
from replayer.sources.manifests import read_manifests
from replayer.sources.table_days import TableDayRef
from schemas.codec import MARKER, MessageUnreadable, current, encode
from schemas.event import CardAt, Event, EventRejected
from schemas.table_day import encoded_day, tailed
from tests import archives
from tests.archives import append, files_in, read_events
from tests.bits import flip, flipped
from tests.full_disk import no_file_beyond, small_disk
from tests.odd import foreign_datum
from tests.producers.dealing import DAY, NEXT_DAY, NOON, card_dealt, journal, seqs


def tree(archive: Path) -> dict[str, bytes]:
    """Every file of the archive but locks, with its bytes."""
    return files_in(archive, "lock")


def read(archive: Path) -> list[Event]:
    return list(read_events(TableDayRef(DAY, "T1", archive)))


# Kills


def killed_before_step(step: int, work: Callable[[], object]) -> bool:
    """Run ``work`` in a child that kills itself before its ``step``-th change of the disk; whether it was killed.

    A write is killed half-way: its first half reaches the file.
    """
    child = os.fork()
    if child == 0:
        done = 0
        write = os.pwrite

        def counted(name: str) -> Callable[..., object]:
            real = getattr(os, name)

            def call(*arguments: object, **options: object) -> object:
                nonlocal done
                done += 1
                if done == step:
                    if name == "pwrite":
                        descriptor, data, at = arguments
                        write(descriptor, bytes(data)[: len(data) // 2], at)  # type: ignore[arg-type]
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*arguments, **options)

            return call

        try:
            for name in ("pwrite", "fsync", "rename", "unlink", "ftruncate"):
                setattr(os, name, counted(name))
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the child failed by itself"
    return os.WIFSIGNALED(status)


def killed_at_each_step(
    folder: Path, work: Callable[[Path], object], prepare: Callable[[Path], object] = lambda _: None
) -> Iterator[Path]:
    """Archives whose work was killed before its first step, before its second and so on, and then done again; the last one's
    was not killed."""
    for step in count(1):
        archive = folder / f"killed-{step}"
        prepare(archive)
        killed = killed_before_step(step, lambda archive=archive: work(archive))  # type: ignore[misc]
        work(archive)
        yield archive
        if not killed:
            return


def whole_files(archive: Path) -> dict[str, bytes]:
    """Every file of the archive but locks and drafts, with its bytes."""
    return {name: data for name, data in tree(archive).items() if not name.endswith(".tmp")}


def record_and_seal(archive: Path) -> None:
    """What a table system does after any restart: continue behind what the sink has, flush now and then, seal."""
    sink = ArchiveSink(archive)
    recorder = Recorder(sink, "T1")
    for number in range(recorder.last_seq + 1, 31):
        recorder.record("CardDealt", round=1, at=NOON + number, card=CardAt(1, 0, "Th", "up"))
        if number % 10 == 0:
            recorder.flush()
    recorder.seal(DAY)
    sink.close()


def take_whole(archive: Path) -> None:
    """What a simulation does after any restart: the same table-day again."""
    rows = [
        (number, NOON + number, 1, tailed("CardDealt", card=CardAt(1, 0, "Th", "up"))[1]) for number in range(1, 31)
    ]
    day, sink = encoded_day("T1", DAY, rows), ArchiveSink(archive)
    sink.take_day(day)
    sink.close()


@pytest.mark.parametrize(
    ("work", "least"), [(record_and_seal, 20), (take_whole, 10)], ids=["recorded", "taken at once"]
)
def test_killed_before_every_single_step_it_ends_with_the_same_bytes(
    work: Callable[[Path], None], least: int, tmp_path: Path
) -> None:
    record_and_seal(tmp_path / "whole")
    whole = tree(tmp_path / "whole")
    assert set(whole) == {"2026-01-05/T1.avro", "2026-01-05/T1.json"}
    killed = list(killed_at_each_step(tmp_path, work))
    assert [archive.name for archive in killed if whole_files(archive) != whole] == []
    assert len(killed) > least, "the steps of its flushes and of a seal"


def test_killed_again_and_again_at_growing_steps_it_ends_with_the_same_bytes(tmp_path: Path) -> None:
    record_and_seal(tmp_path / "whole")
    archive = tmp_path / "killed"
    step = 1
    while killed_before_step(step, lambda: record_and_seal(archive)):
        step += 1
    assert step > 5
    assert tree(archive) == tree(tmp_path / "whole")


def test_a_folder_may_be_named_as_text(tmp_path: Path) -> None:
    with closing(ArchiveSink(str(tmp_path / "archive"))) as sink:
        recorder = Recorder(sink, "T1")
        recorder.record("WagersClosed", round=1, at=NOON)
        assert recorder.flush() == 1
    with closing(KafkaSink("127.0.0.1:1", "events", str(tmp_path / "spool"))):
        assert (tmp_path / "spool").is_dir()


def test_a_whole_table_day_of_which_the_archive_has_something_else_is_a_conflict(tmp_path: Path) -> None:
    record_and_seal(tmp_path)
    tail = tailed("CardDealt", card=CardAt(1, 0, "Th", "up"))[1]
    sink = ArchiveSink(tmp_path)
    for day, first in ((DAY, 31), (NEXT_DAY, 30)):
        with pytest.raises(SequenceConflict):
            sink.take_day(encoded_day("T1", day, [(first, NOON + first, 1, tail)]))
    assert seqs(tmp_path) == list(range(1, 31))


def test_a_whole_table_day_of_which_the_archive_has_the_beginning_is_completed(tmp_path: Path) -> None:
    record(tmp_path, 1, 2, 3, seal=False)
    take_whole(tmp_path)
    assert seqs(tmp_path) == list(range(1, 31))


def test_what_a_flush_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    def work() -> None:
        sink = ArchiveSink(tmp_path)
        append(sink, *(card_dealt(seq) for seq in range(1, 8)))
        assert sink.flush() == {"T1": 7}
        append(sink, card_dealt(8), card_dealt(9))
        os.kill(os.getpid(), signal.SIGKILL)

    assert killed_before_step(10**6, work)
    sink = ArchiveSink(tmp_path)
    assert sink.last_seq("T1") == 7


# Full disks


def test_a_journal_that_cannot_grow_keeps_what_was_acknowledged_and_the_flush_can_be_repeated(tmp_path: Path) -> None:
    sink = ArchiveSink(tmp_path)
    append(sink, *(card_dealt(seq) for seq in range(1, 101)))
    sink.flush()
    acknowledged = journal(tmp_path).read_bytes()
    append(sink, *(card_dealt(seq) for seq in range(101, 201)))
    with no_file_beyond(len(acknowledged) + 1000), pytest.raises(NotDurable, match="100 events are not recorded yet"):
        sink.flush()
    assert journal(tmp_path).read_bytes()[: len(acknowledged)] == acknowledged
    assert sink.flush() == {"T1": 200}
    sink.seal("T1", DAY)
    assert seqs(tmp_path) == list(range(1, 201))


def test_a_container_that_cannot_be_written_leaves_the_journal_and_can_be_sealed_again(tmp_path: Path) -> None:
    sink = ArchiveSink(tmp_path)
    append(sink, *(card_dealt(seq) for seq in range(1, 101)))
    sink.flush()
    with no_file_beyond(4000), pytest.raises(NotDurable, match=r"T1\.avro: File too large; its journal is safe"):
        sink.seal("T1", DAY)
    assert list((tmp_path / "2026-01-05").iterdir()) == []
    sink.seal("T1", DAY)
    assert len(read(tmp_path)) == 100


@pytest.mark.parametrize("opened_again", [False, True])
def test_a_table_whose_manifest_found_no_room_is_recorded_on_and_sealed_with_what_came_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened_again: bool
) -> None:
    """No seal and no recorder took it any more: its container differed from its journal."""
    sink = ArchiveSink(tmp_path)
    append(sink, *(card_dealt(seq) for seq in range(1, 11)))
    sink.flush()

    def without_room(path: Path, *arguments: Any, **options: Any) -> None:
        if path.suffix == ".json":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write_durably(path, *arguments, **options)

    with monkeypatch.context() as full, pytest.raises(NotDurable, match="its journal is safe"):
        full.setattr("producers.sinks.part.write_durably", without_room)
        sink.seal("T1", DAY)
    assert [file.name for file in (tmp_path / "2026-01-05").iterdir()] == ["T1.avro"]
    append(sink, *(card_dealt(seq) for seq in range(11, 16)))
    sink.flush()
    if opened_again:
        sink.close()
        sink = ArchiveSink(tmp_path)
    assert sink.last_seq("T1") == 15
    sink.seal("T1", DAY)
    assert [event.seq for event in read(tmp_path)] == list(range(1, 16))


def test_a_container_without_manifest_that_has_other_events_than_the_journal_is_left_alone(tmp_path: Path) -> None:
    other = ArchiveSink(tmp_path / "other")
    append(other, *(card_dealt(seq, "Kh") for seq in range(1, 4)))
    other.seal("T1", DAY)
    sink = ArchiveSink(tmp_path / "archive")
    append(sink, *(card_dealt(seq) for seq in range(1, 11)))
    sink.flush()
    place = tmp_path / "archive" / "2026-01-05" / "T1.avro"
    place.parent.mkdir(exist_ok=True)
    found = (tmp_path / "other" / "2026-01-05" / "T1.avro").read_bytes()
    place.write_bytes(found)
    with pytest.raises(NotDurable, match="differs from the journal; move it away"):
        sink.seal("T1", DAY)
    assert place.read_bytes() == found


def test_a_full_disk_is_a_clear_error_and_a_rerun_completes(tmp_path: Path) -> None:
    with small_disk(tmp_path, "192k"):
        ballast = tmp_path / "ballast"
        ballast.write_bytes(bytes(32_768))
        sink = ArchiveSink(tmp_path / "archive")
        recorder = Recorder(sink, "T1")
        acknowledged = 0
        with pytest.raises(NotDurable, match=os.strerror(errno.ENOSPC)):
            while True:
                recorder.record("CardDealt", round=1, at=NOON + recorder.last_seq + 1, card=CardAt(1, 0, "Th", "up"))
                if recorder.last_seq % 500 == 0:
                    acknowledged = recorder.flush()
        sink.close()
        assert acknowledged >= 500
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)), ballast.open("ab", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        sink = ArchiveSink(tmp_path / "archive")
        assert sink.last_seq("T1") >= acknowledged
        with pytest.raises(NotDurable, match=f"{os.strerror(errno.ENOSPC)}; its journal is safe"):
            sink.seal("T1", DAY)
        ballast.unlink()
        sink.seal("T1", DAY)
        sink.close()
        assert len(read(tmp_path / "archive")) >= acknowledged


# Repetitions, conflicts, latecomers


def test_the_same_event_again_is_counted_and_dropped_wherever_it_is_held(tmp_path: Path) -> None:
    sink = ArchiveSink(tmp_path)
    append(sink, card_dealt(1), card_dealt(2), card_dealt(2))
    sink.flush()
    append(sink, card_dealt(1))
    sink.seal("T1", DAY)
    sink.close()
    sealed = tree(tmp_path)
    sink = ArchiveSink(tmp_path)
    append(sink, card_dealt(1), card_dealt(2))
    sink.flush()
    sink.seal("T1", DAY)
    assert sink.duplicates == 2
    assert tree(tmp_path) == sealed


def test_another_event_under_a_known_number_is_a_conflict_and_the_first_stays(tmp_path: Path) -> None:
    sink = ArchiveSink(tmp_path)
    append(sink, card_dealt(1), card_dealt(2))
    with pytest.raises(SequenceConflict, match="table T1 has another event 2"):
        append(sink, card_dealt(2, "9c"))
    sink.seal("T1", DAY)
    with pytest.raises(SequenceConflict, match="gaming day 2026-01-05"):
        append(sink, card_dealt(1, day=NEXT_DAY))
    assert [event.card for event in read(tmp_path)] == [CardAt(1, 0, "Th", "up")] * 2


def test_events_out_of_order_are_sealed_in_order(tmp_path: Path) -> None:
    for name, order in (("a", [1, 2, 3, 4, 5]), ("b", [4, 1, 5, 3, 2])):
        sink = ArchiveSink(tmp_path / name)
        for seq in order:
            append(sink, card_dealt(seq))
            sink.flush()
        append(sink, *map(card_dealt, order))
        assert sink.duplicates == 5
        sink.seal("T1", DAY)
    assert tree(tmp_path / "a") == tree(tmp_path / "b")
    assert seqs(tmp_path / "b") == [1, 2, 3, 4, 5]


def test_late_events_go_to_linked_parts_and_the_sealed_one_is_untouched(tmp_path: Path) -> None:
    sink = ArchiveSink(tmp_path)
    append(sink, card_dealt(1), card_dealt(2))
    sink.seal("T1", DAY)
    sealed = tree(tmp_path)
    for seq in (4, 3):
        append(sink, card_dealt(seq))
        sink.seal("T1", DAY)
    assert sealed.items() <= tree(tmp_path).items()
    manifests = read_manifests(TableDayRef(DAY, "T1", tmp_path))
    assert [manifest.part for manifest in manifests] == [0, 1, 2]
    assert [manifest.follows for manifest in manifests] == [None, manifests[0].sha256, manifests[1].sha256]
    assert seqs(tmp_path) == [1, 2, 4, 3]


def test_killed_while_sealing_late_events_it_ends_with_the_same_bytes(tmp_path: Path) -> None:
    def late(archive: Path) -> None:
        sink = ArchiveSink(archive)
        append(sink, card_dealt(1), card_dealt(2))
        if not PartName(DAY, "T1").manifest(archive).exists():
            sink.seal("T1", DAY)
        append(sink, card_dealt(3))
        sink.seal("T1", DAY)
        sink.close()

    late(tmp_path / "whole")
    whole = tree(tmp_path / "whole")
    assert [archive.name for archive in killed_at_each_step(tmp_path, late) if whole_files(archive) != whole] == []


def test_a_container_of_unknown_origin_is_never_written_over(tmp_path: Path) -> None:
    sink = ArchiveSink(tmp_path)
    append(sink, card_dealt(1))
    sink.flush()
    foreign = PartName(DAY, "T1").container(tmp_path)
    foreign.parent.mkdir()
    foreign.write_bytes(b"not ours")
    with pytest.raises(NotDurable, match="differs from the journal; move it away"):
        sink.seal("T1", DAY)
    assert foreign.read_bytes() == b"not ours"


def test_nothing_is_written_to_a_table_whose_manifest_is_damaged(tmp_path: Path) -> None:
    record_and_seal(tmp_path)
    manifest = PartName(DAY, "T1").manifest(tmp_path)
    manifest.write_text(manifest.read_text()[:100])
    with pytest.raises(NotDurable, match=r"T1\.json: no JSON"):
        ArchiveSink(tmp_path).last_seq("T1")


def test_nothing_is_written_to_a_table_whose_manifest_may_not_be_read_and_it_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_and_seal(tmp_path)

    def denied(path: Path, _: int) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    monkeypatch.setattr("producers.sinks.stored.read_file", denied)
    what_to_do = r"T1\.json: Permission denied; give this user the right to it, or run this as one who has it; nothing"
    with pytest.raises(NotDurable, match=what_to_do) as refused:
        ArchiveSink(tmp_path).last_seq("T1")
    assert "damaged" not in str(refused.value)


# Two writers


def test_a_second_writer_of_a_table_is_told_who_has_it(tmp_path: Path) -> None:
    first, second = ArchiveSink(tmp_path), ArchiveSink(tmp_path)
    append(first, card_dealt(1))
    with pytest.raises(SinkBusy, match=f"table T1 of .* is being written by process {os.getpid()}"):
        append(second, card_dealt(1))
    assert second.last_seq("T2") == 0
    first.close()
    append(second, card_dealt(1))
    assert second.flush() == {"T1": 1}


def test_the_lock_of_a_killed_writer_is_free(tmp_path: Path) -> None:
    def work() -> None:
        append(ArchiveSink(tmp_path), card_dealt(1))
        os.kill(os.getpid(), signal.SIGKILL)

    assert killed_before_step(10**6, work)
    append(ArchiveSink(tmp_path), card_dealt(1))


def test_no_message_that_breaks_the_contract_gets_into_the_archive(tmp_path: Path) -> None:
    """A sink takes the messages of any program, not only a recorder's."""
    sink = ArchiveSink(tmp_path)
    broken = MARKER + current().fingerprint + foreign_datum(replace(card_dealt(1), card=CardAt(300, 0, "Th", "up")))
    with pytest.raises(EventRejected, match=r"card\.seat is 300; it is 1 to 255"):
        sink.append("T1", DAY, 1, broken)
    with pytest.raises(MessageUnreadable):
        sink.append("T1", DAY, 1, encode(card_dealt(1))[:-1])
    append(sink, card_dealt(1))
    assert sink.flush() == {"T1": 1}
    sink.close()


def test_a_day_of_which_the_archive_has_no_event_is_not_sealed_in_silence(tmp_path: Path) -> None:
    """Who seals yesterday, or a text, in place of the gaming day learns that its books are still open."""
    sink = ArchiveSink(tmp_path)
    recorder = Recorder(sink, "T1")
    with pytest.raises(NothingToSeal, match=f"{DAY}; it has none at all"):
        recorder.seal(DAY)
    recorder.record("CardDealt", round=1, at=NOON, card=CardAt(1, 0, "Th", "up"))
    with pytest.raises(NothingToSeal, match=f"not sealed are {DAY}"):
        recorder.seal(DAY - dt.timedelta(days=1))
    for wrong in (str(DAY), dt.datetime.combine(DAY, dt.time())):
        with pytest.raises(TypeError, match=r"give a datetime\.date"):
            recorder.seal(wrong)  # type: ignore[arg-type]
    recorder.seal(DAY)
    recorder.seal(DAY)  # as after a restart
    assert len(sink.day("T1", DAY).parts) == 1
    with pytest.raises(NothingToSeal, match="all of its gaming days are sealed"):
        recorder.seal(DAY + dt.timedelta(days=1))
    sink.close()


# The numbers of events that were recorded once are never given out again, whatever became of their files


def record(archive: Path, *numbers: int, day: dt.date = DAY, seal: bool = True) -> None:
    archives.record(archive, [card_dealt(seq, day=day) for seq in numbers], sealed=seal)


def last_seq(archive: Path) -> int:
    with closing(ArchiveSink(archive)) as sink:
        return sink.last_seq("T1")


def manifest(archive: Path, part: int = 0, day: dt.date = DAY) -> Path:
    return PartName(day, "T1", part).manifest(archive)


def container(archive: Path, part: int = 0) -> Path:
    return PartName(DAY, "T1", part).container(archive)


@pytest.mark.usefixtures("no_waiting_for_the_disk")
def test_no_flipped_bit_of_a_manifest_makes_the_recorder_go_back(tmp_path: Path) -> None:
    record(tmp_path, *range(1, 8))
    record(tmp_path, *range(8, 13), day=NEXT_DAY)
    path = manifest(tmp_path, day=NEXT_DAY)
    whole = path.read_bytes()
    refused = 0
    for bit in range(len(whole) * 8):
        at, mask = bit // 8, 1 << bit % 8
        if not whole[at : at + 1].isdigit() and bit % 7:
            continue
        path.write_bytes(flipped(whole, at, mask))
        try:
            assert last_seq(tmp_path) >= 12, path.read_bytes().decode(errors="replace")
        except NotDurable as error:
            assert str(path) in str(error)
            refused += 1
    assert refused > 100


def test_a_table_whose_manifest_is_gone_is_refused(tmp_path: Path) -> None:
    gone: list[tuple[str, Callable[[Path], object]]] = [
        ("T1.json is missing, T1.avro is there", lambda archive: manifest(archive).unlink()),
        ("T1.json is missing, T1.late-1", lambda archive: [manifest(archive).unlink(), container(archive).unlink()]),
        ("late-1.json is missing, T1.late-1.avro is there", lambda archive: manifest(archive, 1).unlink()),
    ]
    for number, (what, change) in enumerate(gone):
        archive = tmp_path / str(number)
        record(archive, 1, 2)
        record(archive, 3)
        change(archive)
        with pytest.raises(NotDurable, match=f"{what}.*numbers must not be used again"):
            last_seq(archive)


def test_a_damaged_container_is_no_reason_to_stop_its_table(tmp_path: Path) -> None:
    """Its manifest says where the numbers end; replay tells of the damage."""
    record(tmp_path, 1, 2, 3)
    flip(container(tmp_path), -20)
    assert last_seq(tmp_path) == 3
    container(tmp_path).unlink()
    assert last_seq(tmp_path) == 3


def test_a_journal_whose_part_before_is_missing_is_never_taken_for_sealed(tmp_path: Path) -> None:
    record(tmp_path, 1, 2)
    record(tmp_path, 3, seal=False)
    for path in (manifest(tmp_path), container(tmp_path)):
        path.unlink()
    sink = ArchiveSink(tmp_path)
    assert sink.last_seq("T1") == 3
    with pytest.raises(NotDurable, match="the part before it is missing"):
        sink.seal("T1", DAY)
    assert journal(tmp_path, 1).exists()


def test_a_journal_with_other_events_than_were_sealed_is_kept(tmp_path: Path) -> None:
    """Killed between manifest and removal it has the very same ones; a copy from elsewhere need not."""
    record(tmp_path / "other", 1, 2, 3, seal=False)
    record(tmp_path / "archive", 1, 2)
    journal(tmp_path / "archive").write_bytes(journal(tmp_path / "other").read_bytes())
    with pytest.raises(NotDurable, match="was sealed with other events than"):
        last_seq(tmp_path / "archive")
    assert journal(tmp_path / "archive").exists()


def test_a_container_damaged_before_its_journal_was_removed_is_made_from_it_again(tmp_path: Path) -> None:
    """The journal of a seal that was killed is the last whole copy of the events; it was removed at the next opening."""
    record(tmp_path, 1, 2, seal=False)
    kept = journal(tmp_path).read_bytes()
    sink = ArchiveSink(tmp_path)
    sink.seal("T1", DAY)
    sink.close()
    whole = container(tmp_path).read_bytes()
    journal(tmp_path).write_bytes(kept)
    flip(container(tmp_path), -20)
    assert last_seq(tmp_path) == 2
    assert container(tmp_path).read_bytes() == whole and not journal(tmp_path).exists()


def test_two_writers_whose_lock_was_taken_away_never_both_record(tmp_path: Path) -> None:
    first = ArchiveSink(tmp_path)
    append(first, card_dealt(1))
    lock_file(tmp_path, "T1").unlink()
    second = ArchiveSink(tmp_path)
    append(second, card_dealt(1, card="9c"))
    assert second.flush() == {"T1": 1}
    for act in (first.flush, lambda: first.seal("T1", DAY)):
        with pytest.raises(NotDurable, match=r"was taken away while table T1 of .* was being written"):
            act()
    second.seal("T1", DAY)
    assert [event.card for event in read(tmp_path)] == [CardAt(1, 0, "9c", "up")]


def test_a_journal_that_came_from_elsewhere_is_not_written_over(tmp_path: Path) -> None:
    record(tmp_path / "other", 1, 2, 3, seal=False)
    sink = ArchiveSink(tmp_path / "archive")
    append(sink, card_dealt(1))
    journal(tmp_path / "archive").parent.mkdir(parents=True)
    data = journal(tmp_path / "other").read_bytes()
    journal(tmp_path / "archive").write_bytes(data)
    with pytest.raises(NotDurable, match="another one wrote it"):
        sink.flush()
    assert journal(tmp_path / "archive").read_bytes() == data


@pytest.mark.parametrize("own", [card_dealt(1, table_id="T2"), card_dealt(1, day=NEXT_DAY)])
def test_a_journal_in_the_place_of_another_is_refused_and_named(tmp_path: Path, own: Event) -> None:
    """A recorder went on in it, acknowledged what it wrote there, and no table could read what was sealed of both."""
    with closing(ArchiveSink(tmp_path)) as sink:
        append(sink, own)
        sink.flush()
    journal(tmp_path).parent.mkdir(exist_ok=True)
    PartName(own.gaming_day, own.table_id).journal(tmp_path).rename(journal(tmp_path))
    where = rf"{journal(tmp_path)}: it is a journal of table {own.table_id} of {own.gaming_day}; put it back"
    with pytest.raises(NotDurable, match=where):
        last_seq(tmp_path)
    for most_bytes in (None, 0):
        [open_] = under_way(tmp_path, most_bytes)
        assert re.match(where, open_.damage)


def test_a_table_day_with_two_journals_is_refused(tmp_path: Path) -> None:
    record(tmp_path, 1, seal=False)
    journal(tmp_path, 1).write_bytes(journal(tmp_path).read_bytes())
    with pytest.raises(NotDurable, match="a table-day has one journal"):
        last_seq(tmp_path)


def test_a_manifest_that_says_more_than_its_container_holds_is_refused(tmp_path: Path) -> None:
    record(tmp_path, 1, 2, 3)
    said = manifest(tmp_path).read_text()
    for field, value in (("last_seq", 2), ("last_seq", 9), ("first_seq", 2), ("count", 2)):
        true = getattr(Manifest.from_json(said), field)
        manifest(tmp_path).write_text(said.replace(f'"{field}": {true}', f'"{field}": {value}'))
        with pytest.raises(NotDurable, match="its container holds 3, 1 to 3; restore it"):
            last_seq(tmp_path)


def test_no_number_is_used_again_where_the_last_days_manifest_says_that_it_lies_before_others(tmp_path: Path) -> None:
    record(tmp_path, 1, 2, 3)
    record(tmp_path, 4, day=NEXT_DAY)
    last = manifest(tmp_path, day=NEXT_DAY)
    last.write_text(re.sub(r'"(first|last)_seq": 4', r'"\1_seq": 2', last.read_text()))
    with pytest.raises(NotDurable, match="its container holds 1, 4 to 4; restore it"):
        last_seq(tmp_path)


def test_what_kafka_has_still_can_be_taken_after_a_repair(tmp_path: Path) -> None:
    record(tmp_path, 1, 2, seal=False)
    record(tmp_path, 3, seal=False)
    flip(journal(tmp_path), -3)
    assert [done.used for done in repair(tmp_path, "T1")] == [3]
    sink = ArchiveSink(tmp_path)
    recorder = Recorder(sink, "T1")
    assert recorder.record("WagersClosed", round=1, at=NOON).seq == 4
    append(sink, *map(card_dealt, (1, 2, 3)))
    sink.seal("T1", DAY)
    sink.close()
    assert sink.duplicates == 2
    assert seqs(tmp_path) == [1, 2, 3, 4]
