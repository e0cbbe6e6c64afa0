"""A disk without room is one line that names the file, exit 2, and nothing half-written, whatever the command writes."""

from __future__ import annotations

import resource
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from flows.cli.terminal import COULD_NOT_RUN
from tests import house
from tests.commands import PITAUDIT
from tests.servers import environment

LEAST = 1000
"""Bytes that a file may have before the disk is full."""
TEXT = "Artigo 1.o\nObjecto\n1. O presente regulamento aplica-se.\n"


def run(where: Path, *arguments: object, least: int = LEAST) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PITAUDIT, *map(str, arguments)],
        capture_output=True, text=True, check=False, cwd=where, env=environment(), timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (least, least)),
    )  # fmt: skip


@pytest.mark.parametrize("command", ["report", "sheet", "labels"])
@pytest.mark.parametrize("earlier", [None, "what was there"])
def test_no_output_is_written_by_half(
    command: str, earlier: str | None, lake: Path, tmp_path: Path, pitaudit: Any
) -> None:
    output, texts = tmp_path / "out" / "output", tmp_path / "texts"
    output.parent.mkdir()
    if earlier is not None:
        output.write_text(earlier)
    if command == "report":
        arguments = ["report", "--lake", lake, "--day", house.DAY, "-o", output]
    elif command == "sheet":
        texts.mkdir()
        (texts / "57-2009-pt.txt").write_text(TEXT)
        arguments = ["sheet", "--regulation", "57/2009", "--texts", texts, "-o", output]
    else:
        pit = ["simulate", "--archive", tmp_path / "pit", "--tables", 2, "--rounds", 40, "--faults", 0.9]
        assert pitaudit(*map(str, pit)).returncode == 0
        arguments = [*pit, "--labels", output]  # the archive is there: the labels alone find no room
    said = run(tmp_path, *arguments)
    assert said.returncode == COULD_NOT_RUN and said.stdout == ""
    line = said.stderr.splitlines()[-1]
    assert str(output) in line and "internal error" not in said.stderr and "Traceback" not in said.stderr
    assert [path.name for path in output.parent.iterdir()] == ([] if earlier is None else ["output"])
    assert earlier is None or output.read_text() == earlier


@pytest.mark.parametrize("least", [64 << 10, 300 << 10], ids=["its log", "its file"])
def test_no_room_for_the_draft_of_the_database_is_no_fault_of_the_program(
    least: int, archive: Path, tmp_path: Path
) -> None:
    night = ["nightly", "--archive", archive, "--lake", tmp_path / "lake", "--day", house.DAY]
    said = run(tmp_path, *night, least=least)
    assert said.returncode == COULD_NOT_RUN
    line = said.stderr.splitlines()[-1]
    assert "draft.duckdb" in line and "File too large" in line and "make room" in line and "internal error" not in line
    assert not [*(tmp_path / "lake").glob("lake.duckdb*")]


def test_labels_are_for_their_owner_and_group_only(tmp_path: Path, pitaudit: Any) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.touch()
    labels.chmod(0o644)
    pit = ["simulate", "--archive", tmp_path / "pit", "--tables", 1, "--rounds", 5, "--labels", labels]
    assert pitaudit(*map(str, pit)).returncode == 0
    assert stat.S_IMODE(labels.stat().st_mode) == 0o640
