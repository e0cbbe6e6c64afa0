"""A file is put in place whole or not at all, whoever else writes it, whatever lies there, and however full the disk is."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from analytics.lake.acknowledged import Acknowledgement
from analytics.lake.acknowledged_messages import acknowledge_quarantine, acknowledged_messages
from producers.quarantine import QuarantineFile
from producers.sinks import NotDurable, disk_explained
from producers.sinks.durable import write_durably
from replayer.sources.layout import quarantine_file
from replayer.sources.quarantine import Quarantined, Unreadable, counts, quarantined
from tests.full_disk import no_file_beyond


def test_a_file_that_finds_no_room_is_named_and_what_was_there_stays(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_durably(file, b"whole")
    with no_file_beyond(1000), pytest.raises(OSError) as caught:
        write_durably(file, b"x" * 5000)
    assert caught.value.filename == str(file)
    assert [*tmp_path.iterdir()] == [file] and file.read_bytes() == b"whole"


@pytest.mark.parametrize(
    ("promised", "order"),
    [
        ({}, ["sync .file.tmp", "name file", "sync folder"]),
        ({"named": False}, ["sync .file.tmp", "name file"]),
        ({"synced": False}, ["name file"]),
    ],
)
def test_a_file_is_synced_before_it_gets_its_name_and_the_folder_after_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, promised: dict[str, bool], order: list[str]
) -> None:
    folder, done, replace = tmp_path / "folder", [], Path.replace
    folder.mkdir()

    def name(draft: Path, file: Path) -> Path:
        done.append(f"name {file.name}")
        return replace(draft, file)

    monkeypatch.setattr(
        os, "fsync", lambda opened: done.append(f"sync {Path(f'/proc/self/fd/{opened}').readlink().name}")
    )
    monkeypatch.setattr(Path, "replace", name)
    write_durably(folder / "file", b"whole", **promised)
    assert done == order


@pytest.mark.parametrize("left", ["file", "longer file", "read-only file", "link", "pipe"])
def test_a_draft_that_a_kill_left_is_taken_over_and_nothing_is_written_through_it(tmp_path: Path, left: str) -> None:
    draft, elsewhere = tmp_path / ".file.tmp", tmp_path / "elsewhere"
    elsewhere.write_bytes(b"not ours")
    if left == "link":
        draft.symlink_to(elsewhere)
    elif left == "pipe":
        os.mkfifo(draft)
    else:
        draft.write_bytes(b"y" * (10_000 if left == "longer file" else 2))
        draft.chmod(0o400 if left == "read-only file" else 0o666)
    write_durably(tmp_path / "file", b"whole")
    assert (tmp_path / "file").read_bytes() == b"whole" and elsewhere.read_bytes() == b"not ours"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
    assert {path.name for path in tmp_path.iterdir()} == {"file", "elsewhere"}


def test_processes_that_write_one_file_at_once_never_mix_their_bytes(tmp_path: Path) -> None:
    file = tmp_path / "file"
    code = (
        "import sys; from pathlib import Path; from producers.sinks.durable import write_durably\n"
        "for _ in range(20): write_durably(Path(sys.argv[1]), sys.argv[2].encode() * int(sys.argv[3]))"
    )
    sizes = {"a": 50_000, "b": 20_000, "c": 1}
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(file), letter, str(size)], stderr=subprocess.PIPE)
        for letter, size in sizes.items()
    ]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if file.exists():
            data = file.read_bytes().decode()
            assert len(set(data)) == 1 and len(data) == sizes[data[0]]
            seen.add(data[0])
    assert [writer.communicate(timeout=180)[1] for writer in writers] == [b""] * len(writers)
    assert seen and [*tmp_path.iterdir()] == [file]


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "make room and run again"),
        (errno.EDQUOT, "make room and run again"),
        (errno.EROFS, "mount it so that it can be written, or name another folder"),
    ],
)
def test_a_full_disk_or_a_read_only_one_is_told_with_what_to_do_where_nothing_better_is_known(
    number: int, advice: str
) -> None:
    said = rf"spool/T1: {os.strerror(number)}; {advice}"
    with pytest.raises(NotDurable, match=said), disk_explained(Path("spool/T1")):
        raise OSError(number, os.strerror(number))


# Quarantine


def message(offset: int) -> Quarantined:
    return Quarantined("events", 0, offset, "no event", b"x" * 500)


def bytes_read() -> int:
    """What this process has read from files so far, as the system counts it."""
    return int(Path("/proc/self/io").read_text().split()[1])


def test_flushing_one_message_does_not_read_all_that_were_there(tmp_path: Path) -> None:
    file = quarantine_file(tmp_path, "events")
    kept = QuarantineFile(file)
    for offset in range(1_000):
        kept.add(message(offset))
    kept.flush()
    begun = bytes_read()
    for offset in range(1_000, 1_030):
        kept.add(message(offset))
        kept.flush()
    assert bytes_read() - begun < file.stat().st_size / 10, "thirty flushes read the file thirty times"
    assert [each.offset for each in quarantined(tmp_path)] == list(range(1_030))


def test_a_quarantine_may_be_larger_than_any_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of 512 MiB kept the archiver from starting, and every report counted all that it had as one message."""
    monkeypatch.setattr("replayer.sources.quarantine.MOST_LOG", len(message(9).to_json()))
    file, who = quarantine_file(tmp_path, "events"), Acknowledgement("M. Wong", "2009-06-02", "a test sender")
    kept = QuarantineFile(file)
    for offset in range(8):
        kept.add(message(offset))
    kept.flush()
    again = QuarantineFile(file)
    assert again.count == 8 and not again.add(message(7)) and again.add(message(8))
    again.flush()
    assert [*quarantined(tmp_path)] == [message(offset) for offset in range(9)]
    assert counts(tmp_path) == {"events.jsonl": 9}
    [acknowledged] = acknowledge_quarantine(tmp_path / "lake", tmp_path, who)
    assert acknowledged.messages == 9
    assert [each.messages for each in acknowledged_messages(tmp_path / "lake", tmp_path)] == [9]


def test_a_line_that_no_message_has_is_refused_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replayer.sources.quarantine.MOST_LOG", 1_000)
    file = quarantine_file(tmp_path, "events")
    file.parent.mkdir()
    file.write_bytes(message(1).to_json().encode() + b"x" * 1_001)
    with pytest.raises(NotDurable, match=r"events\.jsonl: it has a line of more than the 1000 bytes.*; move it away"):
        QuarantineFile(file)
    assert [type(each) for each in quarantined(tmp_path)] == [Quarantined, Unreadable]
    assert counts(tmp_path) == {"events.jsonl": 2}


@pytest.mark.parametrize("cut", [1, 2, 300, 699])
def test_a_line_that_a_kill_cut_off_is_written_anew_wherever_it_was_cut(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "events.jsonl"
    line = message(2).to_json().encode()
    whole = message(1).to_json().encode()
    file.write_bytes(whole + line[: min(cut, len(line) - 2)])
    kept = QuarantineFile(file)
    kept.add(message(2))
    kept.flush()
    assert file.read_bytes() == whole + line


@pytest.mark.parametrize("rest", [b"{", b"x" * 5000, b"\n\n"])
def test_what_is_no_beginning_of_a_line_stays(tmp_path: Path, rest: bytes) -> None:
    file = tmp_path / "events.jsonl"
    before = message(1).to_json().encode() + rest
    file.write_bytes(before)
    kept = QuarantineFile(file)
    kept.add(message(2))
    kept.flush()
    said = file.read_bytes()
    assert said.endswith(b"\n" + message(2).to_json().encode())
    assert said.startswith(before) or rest == b"{", "one brace is what every line begins with"
