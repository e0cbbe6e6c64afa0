"""A damaged journal at three in the morning: what the operator is told, what one command does, what the reports say after it."""

from __future__ import annotations

import json
import shlex
from contextlib import closing
from pathlib import Path

import pytest

from flows.cli import main
from producers.sinks import NotDurable
from producers.sinks.archive import ArchiveSink
from replayer.sources.layout import PartName
from schemas.notation import parse_events
from tests import house
from tests.archives import append
from tests.bits import flip


def take(archive: Path, first: int, last: int) -> int:
    """Record some events of a table-day and flush them, if the sink takes them."""
    with closing(ArchiveSink(archive)) as sink:
        before = sink.last_seq("T1")
        events = parse_events(house.SOUND, gaming_day=house.DAY)
        append(sink, *(event for event in events if first <= event.seq <= last))
        sink.flush()
        return before


def test_the_error_names_the_command_that_lets_the_table_go_on_and_every_report_has_what_is_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = tmp_path / "archive"
    take(archive, 1, 10)
    take(archive, 11, 12)
    journal = PartName(house.DAY, "T1").journal(archive)
    flip(journal, -1, 0x80)
    data = journal.read_bytes()
    with pytest.raises(NotDurable) as refused:
        take(archive, 13, 99)
    command = str(refused.value).split("`")[1]
    assert main([*shlex.split(command)[1:], "--json"]) == 1
    [done] = json.loads(capsys.readouterr().out)["set_aside"]
    assert (done["kept"], done["used"], Path(done["journal"])) == (10, 12, journal)
    assert Path(done["aside"]).read_bytes() == data
    assert main(shlex.split(command)[1:]) == 0
    assert "no journal of table T1 is damaged" in capsys.readouterr().err
    assert take(archive, 13, 99) == 12
    sink = ArchiveSink(archive)
    sink.seal("T1", house.DAY)
    sink.close()
    assert main(["replay", str(archive), "--json"]) == 1
    captured = capsys.readouterr()
    said = json.loads(captured.out)
    assert said["findings"]["SEQUENCE_GAP"] == 1
    assert said["quarantined"] == 1
    assert (
        main(
            ["nightly", "--archive", str(archive), "--lake", str(tmp_path / "lake"), "--day", str(house.DAY), "--json"]
        )
        == 1
    )
    assert json.loads(capsys.readouterr().out)["quarantined"] == 1


def test_repair_of_a_table_that_is_recorded_just_now_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sink = ArchiveSink(tmp_path)
    sink.last_seq("T1")
    assert main(["repair", str(tmp_path), "--table", "T1"]) == 2
    assert "is being written by process" in capsys.readouterr().err
    sink.close()
