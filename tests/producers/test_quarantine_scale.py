"""A message more in quarantine costs what it costs to write it, however many are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from producers.quarantine import QuarantineFile
from replayer.sources.quarantine import Quarantined, read_quarantine


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
