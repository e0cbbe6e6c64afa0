"""Journals: what was acknowledged is there or its loss is an error; what never was is dropped; no number is used twice."""

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from flows.unsealed import under_way, unsealed_of
from producers.recorder import Recorder
from producers.sinks import NotDurable
from producers.sinks.archive import ArchiveSink
from producers.sinks.journal import JournalDamaged, contents, read_journal, write_journal
from producers.sinks.repair import repair, used_before
from producers.spool import TableSpool, spool_id
from producers.spool_recovery import repair_spool
from replayer.sources.layout import quarantine_file
from replayer.sources.quarantine import quarantined
from replayer.sources.table_days import TableDayRef, table_days, unsealed
from replayer.verdicts.run import replay_all
from schemas.codec import MARKER
from schemas.event import CardAt
from tests.archives import append
from tests.bits import flipped
from tests.producers.dealing import DAY, NOON, card_dealt, journal, seqs
from tests.producers.test_archive_sink import killed_at_each_step

FLUSHES = ((1, 2), (3,), (4, 5, 6))
MASKS = (*(1 << bit for bit in range(8)), 0xFF, 0x03)


def take(sink: ArchiveSink, *numbers: int) -> None:
    append(sink, *map(card_dealt, numbers))


def states(archive: Path, flushes: tuple[tuple[int, ...], ...] = FLUSHES) -> list[bytes]:
    """The journal's bytes after each flush, all acknowledged."""
    sink = ArchiveSink(archive)
    made = []
    for numbers in flushes:
        take(sink, *numbers)
        assert sink.flush() == {"T1": numbers[-1]}
        made.append(journal(archive).read_bytes())
    sink.close()
    return made


def altered(data: bytes) -> Iterator[tuple[str, bytes]]:
    for at in range(len(data)):
        for mask in MASKS:
            yield f"byte {at} ^ {mask:#x}", data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]
    for size in range(len(data)):
        yield f"cut to {size}", data[:size]
    for size in (1, 16, 512):
        for at in range(0, len(data), 7):
            yield f"{size} zeros from {at}", data[:at] + bytes(min(size, len(data) - at)) + data[at + size :]


def held(path: Path, data: bytes) -> list[int] | None:
    """The numbers of the events that a journal of these bytes holds; None where it is an error that names file and byte."""
    try:
        return [entry.seq for entry in contents(path, data).entries]
    except JournalDamaged as damage:
        assert str(damage).startswith(f"{path}, byte {damage.at}: ")
        assert 0 <= damage.at <= len(data)
        return None


# No acknowledged event is lost without an error


def test_no_flip_no_cut_and_no_zeroed_sector_loses_an_acknowledged_event_without_an_error(tmp_path: Path) -> None:
    whole = states(tmp_path / "archive")[-1]
    errors = 0
    for what, data in altered(whole):
        found = held(tmp_path / "T1.journal", data)
        assert found in (None, [1, 2, 3, 4, 5, 6]), what
        errors += found is None
        if what.startswith("cut"):
            assert found is None, what
    assert errors > 0.8 * len(whole) * len(MASKS), "only the older mark may be altered unseen"


def test_whole_batches_that_changed_places_are_damage(tmp_path: Path) -> None:
    first, second, third = states(tmp_path / "archive", ((1,), (2,), (3,)))
    a, b = second[len(first) :], third[len(second) :]
    assert len(a) == len(b)
    assert held(tmp_path / "T1.journal", first + b + a) is None
    assert held(tmp_path / "T1.journal", first + a + a) is None


def test_marks_that_acknowledge_an_event_of_another_journal_are_damage(tmp_path: Path) -> None:
    (one,), (two,) = (states(tmp_path / str(number), ((number,),)) for number in (1, 2))
    marks = one.index(b"PB3\n")
    assert len(one) == len(two)
    assert held(tmp_path / "T1.journal", two[:marks] + one[marks:]) is None


def test_a_journal_on_a_disk_that_is_not_mounted_is_no_journal_without_an_event(tmp_path: Path) -> None:
    """The recorder put a new one in the place of the link, and used its numbers again."""
    states(tmp_path)
    journal(tmp_path).rename(tmp_path / "aside")
    journal(tmp_path).symlink_to(tmp_path / "gone" / "T1.journal")
    ((_, left),) = unsealed_of(tmp_path, unsealed(tmp_path)).items()
    assert left.damage == f"{journal(tmp_path)}: No such file or directory"
    assert [each.damage for each in under_way(tmp_path)] == [left.damage]
    with pytest.raises(NotDurable, match=r"T1\.journal: No such file or directory"):
        Recorder(ArchiveSink(tmp_path), "T1")
    assert journal(tmp_path).is_symlink()


def test_the_recorder_refuses_a_damaged_journal_says_what_to_do_and_leaves_it_as_it_is(tmp_path: Path) -> None:
    data = flipped(states(tmp_path)[-1], -5, 4)  # the last batch, which looked torn before there were marks
    journal(tmp_path).write_bytes(data)
    with pytest.raises(
        NotDurable, match=r"T1\.journal, byte \d+: a batch was altered.*`pitaudit repair .* --table T1`"
    ):
        Recorder(ArchiveSink(tmp_path), "T1")
    assert journal(tmp_path).read_bytes() == data


def test_a_journal_that_is_cut_or_taken_away_under_its_writer_is_an_error(tmp_path: Path) -> None:
    def cut(path: Path) -> None:
        os.truncate(path, path.stat().st_size - 1)

    def longer(path: Path) -> None:
        path.write_bytes(path.read_bytes() + b"another writer's")

    for number, change in enumerate((cut, Path.unlink, longer)):
        archive = tmp_path / str(number)
        sink = ArchiveSink(archive)
        take(sink, 1)
        sink.flush()
        change(journal(archive))
        left = journal(archive).read_bytes() if journal(archive).exists() else None
        take(sink, 2)
        for act in (sink.flush, lambda sink=sink: sink.seal("T1", DAY)):
            with pytest.raises(NotDurable, match=r"T1\.journal, byte"):
                act()
        assert (journal(archive).read_bytes() if journal(archive).exists() else None) == left
        sink.close()


# What was never acknowledged is dropped, and the journal goes on


def test_an_honest_torn_write_is_recovered_at_every_byte(tmp_path: Path) -> None:
    made = states(tmp_path / "made")
    archive = tmp_path / "archive"
    states(archive)
    for before, after, known in zip(made, made[1:], (2, 3), strict=False):
        for size in range(len(before), len(after)):
            cut_short = before + after[len(before) : size]
            assert held(journal(archive), cut_short) == list(range(1, known + 1)), size
            if size % 5:
                continue
            journal(archive).write_bytes(cut_short)
            sink = ArchiveSink(archive)
            assert sink.last_seq("T1") == known, size
            take(sink, *range(known + 1, 7))
            sink.flush()
            sink.close()
            assert held(journal(archive), journal(archive).read_bytes()) == [1, 2, 3, 4, 5, 6]


def test_a_torn_mark_loses_nothing_and_is_written_anew(tmp_path: Path) -> None:
    *_, before, after = states(tmp_path)
    changed = [at for at in range(len(before)) if before[at] != after[at]]
    for size in range(changed[0], changed[-1] + 2, 3):
        journal(tmp_path).write_bytes(after[:size] + before[size:] + after[len(before) :])
        sink = ArchiveSink(tmp_path)
        assert sink.last_seq("T1") == 6
        sink.close()
        for at in range(48):  # both marks hold again, so one flip more is no loss
            data = flipped(journal(tmp_path).read_bytes(), at)
            assert held(tmp_path / "T1.journal", data) in (None, [1, 2, 3, 4, 5, 6])


def test_a_batch_that_a_power_cut_left_without_its_mark_is_kept(tmp_path: Path) -> None:
    *_, before, after = states(tmp_path)
    assert held(tmp_path / "T1.journal", before[:48] + after[48:]) == [1, 2, 3, 4, 5, 6]
    hole = before[:48] + after[48 : len(before)] + bytes(len(after) - len(before))
    assert held(tmp_path / "T1.journal", hole) == [1, 2, 3], "a file that grew and was never filled"


def test_an_altered_mark_and_a_cut_tail_together_lose_no_acknowledged_event_in_silence(tmp_path: Path) -> None:
    """Either mark, any byte of it, and a cut anywhere in the last batch, also right before it."""
    *_, before, after = states(tmp_path)
    cuts = {len(before), len(before) + 1, len(before) + 20, len(before) + 21, len(after) - 1, len(after)}
    for at in range(48):
        data = flipped(after, at, 0x10)
        for cut in cuts:
            known = held(tmp_path / "T1.journal", data[:cut])
            assert known is None if cut < len(after) else known in (None, [1, 2, 3, 4, 5, 6]), (at, cut)


def test_what_is_acknowledged_is_marked_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the disk has for certain when a flush returns: the file as it was at the last sync."""
    sure: list[bytes] = []
    sync = os.fsync

    def synced(descriptor: int) -> None:
        sync(descriptor)
        if journal(tmp_path).exists():
            sure.append(journal(tmp_path).read_bytes())

    monkeypatch.setattr(os, "fsync", synced)
    sink = ArchiveSink(tmp_path)
    for numbers in FLUSHES:
        take(sink, *numbers)
        sink.flush()
        whole = sure[-1]
        assert held(tmp_path / "T1.journal", whole) == list(range(1, numbers[-1] + 1))
        assert held(tmp_path / "T1.journal", whole[:-1]) is None, "a cut is damage, for the mark is there"
    sink.close()


# Journals of another version


def test_a_journal_of_another_version_is_no_damage_and_stays_as_it_is_until_that_version_ends_it(
    tmp_path: Path,
) -> None:
    other = states(tmp_path)[-1].replace(b"PJ3\n", b"PJ2\n")
    journal(tmp_path).write_bytes(other)
    what = r"T1\.journal: another version of pitaudit wrote it: seal it, or send it, with that one"
    with closing(ArchiveSink(tmp_path)) as sink, pytest.raises(NotDurable, match=what):
        sink.last_seq("T1")
    with pytest.raises(NotDurable, match=rf"{what}; nothing is lost, run it again when that is mended"):
        repair(tmp_path, "T1")
    segment = tmp_path / "spool" / "T1" / f"{1:020d}"
    segment.parent.mkdir(parents=True)
    segment.write_bytes(other)
    spool_id(tmp_path / "spool")
    with pytest.raises(NotDurable, match="another version of pitaudit wrote it"):
        TableSpool(tmp_path / "spool", "T1")
    with pytest.raises(NotDurable, match="another version of pitaudit wrote it"):
        repair_spool(tmp_path / "spool")
    assert journal(tmp_path).read_bytes() == segment.read_bytes() == other
    [table_day] = under_way(tmp_path)
    assert re.fullmatch(rf".*{what}", table_day.damage), "without the number of an error and quotes"


def test_a_journal_whose_events_a_later_version_wrote_says_so_and_no_event_is_added(tmp_path: Path) -> None:
    """An archiver that could open it would fail at its sealing, and all other tables wait behind it."""
    states(tmp_path)
    *entries, last = read_journal(journal(tmp_path)).entries
    write_journal(journal(tmp_path), [*entries, last._replace(message=MARKER + b"later on" + last.message[10:])])
    what = r"T1\.journal: schema fingerprint [0-9a-f]{16} is not in .*: install the version of pitaudit that wrote it"
    with closing(ArchiveSink(tmp_path)) as sink, pytest.raises(NotDurable, match=what):
        sink.last_seq("T1")
    [table_day], [unsealed] = under_way(tmp_path), unsealed_of(tmp_path, [TableDayRef(DAY, "T1", tmp_path)]).values()
    assert re.search(what, table_day.damage)
    assert unsealed.damage == table_day.damage
    assert repair(tmp_path, "T1") == []


# Repair


def damaged_archive(archive: Path, change: Callable[[bytearray], None]) -> bytes:
    data = bytearray(states(archive)[-1])
    change(data)
    journal(archive).write_bytes(data)
    return bytes(data)


def flip(at: int) -> Callable[[bytearray], None]:
    def change(data: bytearray) -> None:
        data[at] ^= 1

    return change


def test_repair_keeps_what_is_whole_and_the_damaged_file_and_uses_no_number_again(tmp_path: Path) -> None:
    sizes = [len(data) for data in states(tmp_path / "sizes")]
    for number, (at, kept) in enumerate(
        [(sizes[1] + 30, [1, 2, 3]), (sizes[0] + 30, [1, 2, 4, 5, 6]), (80, [3, 4, 5, 6])]
    ):
        archive = tmp_path / str(number)
        data = damaged_archive(archive, flip(at))
        [done] = repair(archive, "T1")
        assert (done.kept, done.used) == (len(kept), 6)
        assert done.aside.read_bytes() == data
        assert done.aside.name == "T1.journal.damaged-6"
        assert repair(archive, "T1") == []
        sink = ArchiveSink(archive)
        recorder = Recorder(sink, "T1")
        assert recorder.last_seq == 6
        recorder.record("CardDealt", round=1, at=NOON + 7, card=CardAt(1, 0, "Th", "up"))
        recorder.seal(DAY)
        sink.close()
        assert seqs(archive) == [*kept, 7]
        [told] = quarantined(archive)
        assert "T1.journal, byte" in told.reason and "T1.journal.damaged-6" in told.reason
        found = replay_all(table_days(archive)).findings
        assert found["SEQUENCE_GAP"] == (1 if kept[0] == 1 else 0), (
            "the first events missing shows as a table never opened"
        )
        assert found["TABLE_NOT_OPENED"] == 1


def test_the_numbers_of_events_that_were_lost_last_are_not_used_again_after_the_seal(tmp_path: Path) -> None:
    data = damaged_archive(tmp_path, flip(-3))
    repair(tmp_path, "T1")
    sink = ArchiveSink(tmp_path)
    sink.last_seq("T1")
    sink.seal("T1", DAY)
    sink.close()
    assert not journal(tmp_path).exists()
    assert ArchiveSink(tmp_path).last_seq("T1") == used_before(tmp_path, "T1") == 6
    assert (journal(tmp_path).parent / "T1.journal.damaged-6").read_bytes() == data


@pytest.mark.parametrize("data", [b"", b"\0" * 300, b"PJ1", os.urandom(400)])
def test_repair_of_what_holds_nothing_leaves_room_for_all_that_may_have_been_there(tmp_path: Path, data: bytes) -> None:
    states(tmp_path)
    journal(tmp_path).write_bytes(data)
    [done] = repair(tmp_path, "T1")
    assert done.kept == 0 and done.used >= len(data) // 80, "no event of these took less than 80 bytes with its batch"
    assert ArchiveSink(tmp_path).last_seq("T1") == done.used
    assert not journal(tmp_path).exists()


@pytest.mark.parametrize("length", [0, 1, 23, 24, 47, 48, 55])
def test_no_number_is_used_again_of_a_journal_that_was_cut_off_before_its_first_event(
    tmp_path: Path, length: int
) -> None:
    """How long it was, nothing tells: its six events may have been as many as any journal has room for."""
    damaged_archive(tmp_path, lambda data: data.__delitem__(slice(length, None)))
    [done] = repair(tmp_path, "T1")
    assert (done.kept, done.used >= 6) == (0, True)
    assert ArchiveSink(tmp_path).last_seq("T1") == done.used


def test_both_marks_gone_the_numbers_go_on_behind_all_that_the_bytes_can_have_held(tmp_path: Path) -> None:
    def change(data: bytearray) -> None:
        data[0] ^= 1
        data[24] ^= 1

    damaged_archive(tmp_path, change)
    [done] = repair(tmp_path, "T1")
    assert done.kept == 6
    assert done.used >= 6


def test_repair_killed_before_every_step_and_run_again_ends_with_the_same_files(tmp_path: Path) -> None:
    def files(archive: Path) -> dict[str, bytes]:
        paths = (path for path in archive.rglob("*") if path.is_file() and path.parent.name != "lock")
        return {
            str(path.relative_to(archive)): path.read_bytes().replace(str(archive).encode(), b"")
            for path in paths
            if path.suffix not in (".tmp", ".jsonl")
        }

    def damage(archive: Path) -> None:
        states(archive)
        journal(archive).write_bytes(data)

    data = damaged_archive(tmp_path / "whole", flip(-3))
    repair(tmp_path / "whole", "T1")
    whole = files(tmp_path / "whole")
    archives = list(killed_at_each_step(tmp_path, lambda archive: repair(archive, "T1"), damage))
    for archive in archives:
        assert files(archive) == whole, archive.name
        assert len([*quarantined(archive)]) == 1
    assert len(archives) > 8


def test_a_damaged_journal_whose_events_are_sealed_is_set_aside_and_the_table_goes_on(tmp_path: Path) -> None:
    """A kill between seal and removal leaves it; what it holds is in the container."""
    data = states(tmp_path)[-1]
    with closing(ArchiveSink(tmp_path)) as sink:
        sink.seal("T1", DAY)
    journal(tmp_path).write_bytes(flipped(data, -3))
    assert [done.kept for done in repair(tmp_path, "T1")] == [0]
    with closing(ArchiveSink(tmp_path)) as sink:
        assert sink.last_seq("T1") == 6
    assert seqs(tmp_path) == [1, 2, 3, 4, 5, 6]


def test_repair_of_another_table_or_of_none_changes_nothing(tmp_path: Path) -> None:
    data = states(tmp_path)[-1]
    assert repair(tmp_path, "T1") == repair(tmp_path, "T2") == []
    assert journal(tmp_path).read_bytes() == data
    assert [*quarantined(tmp_path)] == []


# Who may read


def modes(archive: Path) -> dict[str, int]:
    return {str(path.relative_to(archive)): stat.S_IMODE(path.stat().st_mode) for path in archive.rglob("*")}


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_nobody_but_the_owner_and_the_group_reads_an_archive_unless_it_is_set(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        for archive, mode, folder_mode in (("default", None, 0o750), ("all", 0o644, 0o755), ("owner", 0o600, 0o700)):
            sink = ArchiveSink(tmp_path / archive) if mode is None else ArchiveSink(tmp_path / archive, mode)
            take(sink, 1)
            sink.seal("T1", DAY)
            take(sink, 2)
            sink.flush()
            sink.close()
            found = modes(tmp_path / archive)
            assert {"2026-01-05/T1.avro", "2026-01-05/T1.json", ".journal/2026-01-05/T1.late-1.journal"} <= found.keys()
            for name, had in found.items():
                folder = (tmp_path / archive / name).is_dir()
                if "lock/" not in name:
                    assert had == (folder_mode if folder else (mode or 0o640)), name
                assert not had & ~(folder_mode if folder else (mode or 0o640)), name
    finally:
        os.umask(before)


def test_quarantine_files_are_read_by_no_others(tmp_path: Path) -> None:
    damaged_archive(tmp_path, flip(-3))
    repair(tmp_path, "T1")
    assert stat.S_IMODE(quarantine_file(tmp_path, "T1.journal").stat().st_mode) == 0o640
    assert not any(mode & 0o007 for mode in modes(tmp_path).values())


def test_a_planted_aside_that_names_a_number_which_no_event_can_have_is_named(tmp_path: Path) -> None:
    """Behind it the table could record nothing, and the reason given was a number that nobody had chosen."""
    planted = journal(tmp_path).with_name("T1.journal.damaged-1000000000001")
    planted.parent.mkdir(parents=True)
    planted.touch()
    with closing(ArchiveSink(tmp_path)) as sink, pytest.raises(NotDurable, match=f"{planted}: .*; move it away"):
        sink.last_seq("T1")
    planted.unlink()
    with closing(ArchiveSink(tmp_path)) as sink:
        assert sink.last_seq("T1") == 0
    segment = tmp_path / "spool" / "T1" / f"{1:020d}.damaged-9999999999999999999"
    segment.parent.mkdir(parents=True)
    segment.touch()
    for _ in range(2):  # the lock is free again
        with pytest.raises(NotDurable, match=f"{segment}: .*; move it away"):
            TableSpool(tmp_path / "spool", "T1")
