"""An output that somebody asked for takes no place of evidence, wherever it lies and whatever its name."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from threading import Thread

import pytest

from producers.outputs import write_output
from producers.simulator import simulate


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
