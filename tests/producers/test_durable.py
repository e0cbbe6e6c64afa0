"""A file is put in place whole or not at all, whoever else writes it, whatever lies there, and however full the disk is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from producers.quarantine import QuarantineFile
from producers.simulator import simulate
from producers.sinks.durable import write_durably, write_output
from replayer.sources.quarantine import Quarantined, read_quarantine
from tests.full_disk import no_file_beyond


def test_a_file_that_finds_no_room_is_named_and_what_was_there_stays(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write_durably(file, b"whole")
    with no_file_beyond(1000), pytest.raises(OSError) as caught:
        write_durably(file, b"x" * 5000)
    assert caught.value.filename == str(file)
    assert [*tmp_path.iterdir()] == [file] and file.read_bytes() == b"whole"


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


def test_an_output_into_a_pipe_or_through_a_link_replaces_neither(tmp_path: Path) -> None:
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "target"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_output(pipe, b"page")
    reader.join(timeout=120)
    assert got == [b"page"] and stat.S_ISFIFO(pipe.lstat().st_mode)
    link.symlink_to(target)
    write_output(link, b"page")
    assert link.is_symlink() and target.read_bytes() == b"page"
    with pytest.raises(IsADirectoryError):
        write_output(tmp_path, b"page")
    with pytest.raises(OSError, match="No space left"):
        write_output(Path("/dev/full"), b"page")


@pytest.mark.parametrize("name", ["BJ-01.avro", "BJ-01.json", "1.parquet", "copy.duckdb"])
def test_an_output_takes_no_place_of_a_sealed_log_its_manifest_or_verdicts_wherever_they_lie(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "BJ-01.avro").write_bytes(b"log")
    (tmp_path / name).write_bytes(b"kept")
    link = tmp_path / "link.html"
    link.symlink_to(tmp_path / name)
    for path in (tmp_path / name, link):
        with pytest.raises(FileExistsError, match="of an archive or a lake"):
            write_output(path, b"page")
    assert (tmp_path / name).read_bytes() == b"kept"


EVIDENCE = {
    "archive": (
        ".journal/2009-06-01/T1.journal", ".journal/2009-06-01/T1.journal.damaged-9", ".journal/lock/T1", ".new.html",
        "2009-06-01/T1.avro", "2009-06-01/new.html", ".columns/2009-06-01/T1.arrow", "quarantine/events.jsonl",
        "lost/events/0-1-deleted-x.json", "new.html", "a folder/new.html", "reports/new.html",
    ),
    "lake": (
        "acknowledged/2009-06-01/T1.json", "days/2009-06-01.json", "runs/2009-06-01/T1.json", "judged/2009-06-01/T1.jsonl",
        "parts/2009-06-01.json", ".lock", "data/wagers/gaming_day=2009-06-01/part-0.parquet", "data/new.html",
        "lake.duckdb", "new.html", "reports",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in EVIDENCE.items() for name in names])
def test_an_output_lies_in_no_archive_and_no_lake_whatever_its_name(tmp_path: Path, kind: str, name: str) -> None:
    """Journals, quarantine, acknowledgements and notes were overwritten: only some endings were refused. A page among them looks
    like a part of them."""
    root = tmp_path / kind
    for each in EVIDENCE[kind]:
        if not each.endswith((".html", "reports")):
            (root / each).parent.mkdir(parents=True, exist_ok=True)
            (root / each).write_bytes(b"kept")
    file = root / name
    (tmp_path / "link").symlink_to(file)
    for path in (file, tmp_path / "link", root / "no" / ".." / name):
        with pytest.raises(OSError, match=f"lies in an? {kind}"):
            write_output(path, b"page")
    assert not file.exists() or file.read_bytes() == b"kept"


@pytest.mark.parametrize(
    ("left", "name"),
    [
        (".journal/2009-06-01/T1.journal", "2010-01-01/new.html"),
        ("2009-06-01/T1.avro", "quarantine/new.html"),
        ("judged/2009-06-01/T1.jsonl", "acknowledged/new.html"),
    ],
)
def test_an_archive_or_lake_is_known_by_any_part_of_it(tmp_path: Path, left: str, name: str) -> None:
    (tmp_path / left).parent.mkdir(parents=True)
    (tmp_path / left).write_bytes(b"kept")
    for inside in (name, "new.html", "new.json"):
        with pytest.raises(OSError, match="lies in a"):
            write_output(tmp_path / inside, b"page")


def test_labels_lie_in_no_archive_that_is_yet_to_be_made(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="lies in an archive"):
        simulate(tmp_path / "new", tables=1, rounds=1, labels_path=tmp_path / "new" / "labels.jsonl")
    assert not (tmp_path / "new").exists()


def test_an_output_beside_an_archive_and_among_the_reports_of_a_lake_is_written(tmp_path: Path) -> None:
    for kind, names in EVIDENCE.items():
        for name in names:
            (tmp_path / kind / name).parent.mkdir(parents=True, exist_ok=True)
            if name != "reports":
                (tmp_path / kind / name).touch()
    for folder in (tmp_path, tmp_path / "2009-06-01", tmp_path / "runs", tmp_path / "lake" / "reports"):
        folder.mkdir(exist_ok=True)
        write_output(folder / "new.html", b"page")
        assert (folder / "new.html").read_bytes() == b"page"


# Quarantine


def message(offset: int) -> Quarantined:
    return Quarantined("events", 0, offset, "no event", b"x" * 500)


def bytes_read() -> int:
    """What this process has read from files so far, as the system counts it."""
    return int(Path("/proc/self/io").read_text().split()[1])


def test_flushing_one_message_does_not_read_all_that_were_there(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    kept = QuarantineFile(file)
    for offset in range(1_000):
        kept.add(message(offset))
    kept.flush()
    begun = bytes_read()
    for offset in range(1_000, 1_030):
        kept.add(message(offset))
        kept.flush()
    assert bytes_read() - begun < file.stat().st_size / 10, "thirty flushes read the file thirty times"
    assert [each.offset for each in read_quarantine(file)] == list(range(1_030))


@pytest.mark.parametrize("cut", [1, 2, 300, 699])
def test_a_line_that_a_kill_cut_off_is_written_anew_wherever_it_was_cut(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "events.jsonl"
    line = message(2).to_json().encode() + b"\n"
    whole = message(1).to_json().encode() + b"\n"
    file.write_bytes(whole + line[: min(cut, len(line) - 2)])
    kept = QuarantineFile(file)
    kept.add(message(2))
    kept.flush()
    assert file.read_bytes() == whole + line


@pytest.mark.parametrize("torn", [b"{", b"x" * 5000, b"\n\n"])
def test_what_is_no_beginning_of_a_line_stays(tmp_path: Path, torn: bytes) -> None:
    file = tmp_path / "events.jsonl"
    before = message(1).to_json().encode() + b"\n" + torn
    file.write_bytes(before)
    kept = QuarantineFile(file)
    kept.add(message(2))
    kept.flush()
    said = file.read_bytes()
    assert said.endswith(b"\n" + message(2).to_json().encode() + b"\n")
    assert said.startswith(before) or torn == b"{", "one brace is what every line begins with"
