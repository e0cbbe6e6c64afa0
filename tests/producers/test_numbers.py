"""The numbers of events that were recorded once are never given out again, whatever became of their files."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from producers.recorder import Recorder
from producers.sinks import NotDurable
from producers.sinks.archive import ArchiveSink
from producers.sinks.repair import repair
from replayer.sources.archive import TableDayRef, read_events
from replayer.sources.layout import Manifest, PartName, lock_file
from schemas.event import CardAt
from tests.archives import append
from tests.bits import flip, flipped
from tests.producers.dealing import DAY, NEXT_DAY, NOON, card_dealt, journal


def record(archive: Path, *seqs: int, day: dt.date = DAY, seal: bool = True) -> None:
    sink = ArchiveSink(archive)
    append(sink, *(card_dealt(seq, day=day) for seq in seqs))
    sink.flush()
    if seal:
        sink.seal("T1", day)
    sink.close()


def last_seq(archive: Path) -> int:
    sink = ArchiveSink(archive)
    try:
        return sink.last_seq("T1")
    finally:
        sink.close()


def manifest(archive: Path, part: int = 0, day: dt.date = DAY) -> Path:
    return PartName(day, "T1", part).manifest(archive)


def container(archive: Path, part: int = 0) -> Path:
    return PartName(DAY, "T1", part).container(archive)


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
    assert [event.card for event in read_events(TableDayRef(DAY, "T1", tmp_path))] == [CardAt(1, 0, "9c", "up")]


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
    assert [event.seq for event in read_events(TableDayRef(DAY, "T1", tmp_path))] == [1, 2, 3, 4]
