"""One table-day that breaks the contract, or that no reader takes, stops no command and changes no other table-day."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import LakeUnusable, read_note, run_file, writing
from analytics.lake.files import NotIntact
from analytics.lake.run import read_run
from flows.cli import main
from flows.settings import Settings, SettingsRefused, load
from producers.archiver.place import Place, read_place, write_place
from producers.mapping.importer import import_log
from producers.mapping.map_file import read_map
from producers.mapping.map_section import MapFaulty
from producers.mapping.source import SourceUnreadable
from producers.quarantine import QuarantineFile
from producers.sinks import NotDurable, SinkBusy
from producers.sinks.archive import ArchiveSink
from replayer.sources.layout import PartName, journals, lock_file, offsets_folder
from replayer.sources.quarantine import Quarantined, Unreadable, quarantined
from replayer.sources.safe_texts import digested_json
from schemas.encoder import varint
from schemas.kinds import KINDS
from schemas.notation import parse_events
from tests import house
from tests.archives import append
from tests.bits import flip, flipped_bit
from tests.commands import Run
from tests.flows.no_files import NESTED, NO_FILES
from tests.flows.property import Property, ends
from tests.odd import write_foreign


def unreadable(datums: list[bytes]) -> list[bytes]:
    """The datums, that of "no more bets" with a kind of -1: fastavro takes it for the last kind, polars-avro refuses it."""
    end = varint(KINDS.index("WagersClosed")) + bytes(8)
    return [datum.removesuffix(end) + varint(-1) + bytes(8) if datum.endswith(end) else datum for datum in datums]


@pytest.fixture
def spoiled(pit: Property) -> Path:
    """The two tables of the archive, one at which a total of -1 was called, and one that cannot be read."""
    called = house.closing(house.RIGHT.replace("1.raise@p1", "1=-1 1.raise@p1"), 200)
    write_foreign(pit.archive, list(parse_events(called, table_id="CALLED", gaming_day=house.DAY)))
    whole = list(parse_events(house.SOUND, table_id="LOST", gaming_day=house.DAY))
    write_foreign(pit.archive, whole, unreadable)
    return pit.archive


def reported(done: subprocess.CompletedProcess[str], code: int) -> dict[str, Any]:
    assert done.returncode == code, done.stderr
    assert "internal error" not in done.stderr
    assert "Traceback" not in done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_replay_finds_both_and_says_of_the_others_what_it_says_without_them(inside: Run, spoiled: Path) -> None:
    said = reported(inside("replay", spoiled, "--json"), 1)
    assert [each["table_id"] for each in said["damaged"]] == ["LOST"]
    assert "LOST.avro" in said["damaged"][0]["what"]
    assert "kind: index -1" in said["damaged"][0]["what"]
    assert said["findings"] == {"CONTAINER_DAMAGED": 1, "OVERPAID": 1, "VALUE_OUT_OF_BOUNDS": 1}
    assert said["unjudged"] == {"events that this round hangs on break the contract": 2}
    assert said["discrepancies"]["overpaid"] == {"count": 1, "amount_minor": 50_00, "currency": "MOP"}


def test_ledger_and_whatif_say_what_is_damaged_and_settle_the_others(inside: Run, spoiled: Path) -> None:
    ledger = reported(inside("rulings", "ledger", spoiled, "--json"), 1)
    other = reported(inside("whatif", spoiled, "--option", "ante_min=200", "--json"), 1)
    for said in (ledger, other):
        assert said["table_days"] == 4
        (damage,) = said["damaged"]
        assert "LOST.avro" in damage


def test_nightly_and_backfill_do_the_other_tables(inside: Run, spoiled: Path, empty: Property) -> None:
    day = house.DAY.isoformat()
    night = reported(inside("nightly", "--archive", spoiled, "--lake", empty.lake, "--day", day, "--json"), 1)
    assert night["replayed"] == ["CALLED", "T1", "T2"]
    assert list(night["damaged"]) == ["LOST"]
    folders = ("--archive", spoiled, "--lake", empty.folder / "other")
    (again,) = reported(inside("backfill", *folders, "--from", day, "--to", day, "--json"), 1)["days"]
    assert (again["replayed"], list(again["damaged"])) == (["CALLED", "T1", "T2"], ["LOST"])
    paid = inside("query", "overpayment_by_dealer_and_player", "--lake", empty.lake, "--param", "min_count=1", "--json")
    said = reported(paid, 1)  # one table-day is left out, and reported
    assert said["rows"]
    assert [left["table_id"] for left in said["left_out"]] == ["LOST"]


def test_explain_shows_the_finding_and_names_what_it_cannot_read(inside: Run, spoiled: Path) -> None:
    said = reported(inside("explain", spoiled, "--table", "CALLED", "--round", "1", "--json"), 1)
    assert [(found["code"], found["seq"]) for found in said["findings"]] == [("VALUE_OUT_OF_BOUNDS", 12)]
    assert "decision.points is -1" in said["findings"][0]["message"]
    reported(inside("explain", spoiled, "--table", "T1", "--round", "1", "--json"), 0)
    lost = inside("explain", spoiled, "--table", "LOST", "--round", "1", "--json")
    assert (lost.returncode, lost.stdout) == (2, "")
    assert "LOST.avro" in lost.stderr
    assert len(lost.stderr.splitlines()) == 1


# A damaged journal at three in the morning


def take(archive: Path, first: int, last: int) -> int:
    """Record some events of a table-day and flush them, if the sink takes them."""
    with closing(ArchiveSink(archive)) as sink:
        before = sink.last_seq("T1")
        events = parse_events(house.SOUND, gaming_day=house.DAY)
        append(sink, *(event for event in events if first <= event.seq <= last))
        sink.flush()
        return before


def test_the_error_names_the_command_that_lets_the_table_go_on_and_every_report_has_what_is_gone(
    empty: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    take(empty.archive, 1, 10)
    take(empty.archive, 11, 12)
    journal = PartName(house.DAY, "T1").journal(empty.archive)
    flip(journal, -1, 0x80)
    data = journal.read_bytes()
    with pytest.raises(NotDurable) as refused:
        take(empty.archive, 13, 99)
    command = str(refused.value).split("`")[1]
    assert ends(*shlex.split(command)[1:], "--json") == 1
    [done] = json.loads(capsys.readouterr().out)["set_aside"]
    assert (done["kept"], done["used"], Path(done["journal"])) == (10, 12, journal)
    assert Path(done["aside"]).read_bytes() == data
    assert main(shlex.split(command)[1:]) == 0
    assert "no journal of table T1 is damaged" in capsys.readouterr().err
    assert take(empty.archive, 13, 99) == 12
    sink = ArchiveSink(empty.archive)
    sink.seal("T1", house.DAY)
    sink.close()
    assert ends("replay", empty.archive, "--json") == 1
    captured = capsys.readouterr()
    said = json.loads(captured.out)
    assert said["findings"]["SEQUENCE_GAP"] == 1
    assert said["quarantined"] == 1
    assert ends("nightly", *empty.both, "--day", house.DAY, "--json") == 1
    assert json.loads(capsys.readouterr().out)["quarantined"] == 1


def test_journals_that_lie_on_another_disk_are_repaired(empty: Property, tmp_path: Path) -> None:
    """Recorder and replay follow the link; repair said that the archive has nothing of the table."""
    take(empty.archive, 1, 10)
    flip(PartName(house.DAY, "T1").journal(empty.archive), -1, 0x80)
    elsewhere = journals(empty.archive).rename(tmp_path / "elsewhere")
    journals(empty.archive).symlink_to(elsewhere)
    assert ends("repair", empty.archive, "--table", "T1") == 1
    assert ends("repair", empty.archive, "--table", "T1") == 0
    assert ends("repair", empty.archive, "--table", "T2") == 2


def test_repair_of_a_table_that_is_recorded_just_now_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sink = ArchiveSink(tmp_path)
    sink.last_seq("T1")
    assert ends("repair", tmp_path, "--table", "T1") == 2
    assert "is being written by process" in capsys.readouterr().err
    sink.close()


# What stands beside the table-days


def holding(text: bytes) -> Callable[[Path], object]:
    """What makes a file with this text, as ``NO_FILES`` make what is none."""
    return lambda path: path.write_bytes(text)


LOCKS = {name: make for name, make in NO_FILES.items() if name != "sparse"} | {"bytes": holding(b"\xff" * 40)}


@pytest.mark.parametrize("kind", LOCKS)
@pytest.mark.timeout(120)
def test_a_hostile_lock_is_refused_or_taken(tmp_path: Path, kind: str) -> None:
    path = lock_file(tmp_path, "T1")
    path.parent.mkdir(parents=True)
    LOCKS[kind](path)
    first, second = ArchiveSink(tmp_path), ArchiveSink(tmp_path)
    if kind == "bytes":
        assert first.last_seq("T1") == 0
        with pytest.raises(SinkBusy, match=str(os.getpid())):
            second.last_seq("T1")
    else:
        with pytest.raises(NotDurable, match="lock/T1"):
            first.last_seq("T1")
    first.close()


def test_a_lock_that_is_a_link_is_refused_and_nothing_is_written_through_it(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_bytes(b"a sealed log")
    for path in (lock_file(tmp_path / "pit", "T1"), tmp_path / "lake" / ".lock"):
        path.parent.mkdir(parents=True)
        path.symlink_to(theirs)
    with pytest.raises(NotDurable, match="lock/T1"):
        ArchiveSink(tmp_path / "pit").last_seq("T1")
    with pytest.raises(OSError, match=r"lake/\.lock"), writing(tmp_path / "lake", "a run"):
        pass
    assert theirs.read_bytes() == b"a sealed log"


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.timeout(120)
def test_a_hostile_journal_is_refused_by_the_recorder_and_by_repair(tmp_path: Path, kind: str) -> None:
    path = PartName(house.DAY, "T1").journal(tmp_path)
    path.parent.mkdir(parents=True)
    NO_FILES[kind](path)
    with pytest.raises(NotDurable, match=r"T1\.journal: "):
        ArchiveSink(tmp_path).last_seq("T1")
    assert main(["repair", str(tmp_path), "--table", "T1"]) == 2
    assert os.path.lexists(path)


JSON_TEXTS = {
    "nested": NESTED,
    "brackets": b"[" * 500_000,
    "digits": b'{"offsets": {"0": ' + b"9" * 5000 + b'}, "under_way": []}',
    "text": b'{"offsets": {"0": "x"}, "under_way": []}',
    "list": b"[]",
    "null": b"null",
    "other keys": b'{"offsets": {}, "under_way": [], "crc": 1}',
    "checksum": b'{"offsets": {"0": 8}, "under_way": [], "crc32": 1}',
    "days": b'{"offsets": {}, "under_way": [["T1", 5]]}',
    "bytes": b"\xff\xff",
    "empty": b"",
}
NO_JSON = {kind: holding(text) for kind, text in JSON_TEXTS.items()} | NO_FILES


@pytest.mark.parametrize("kind", NO_JSON)
@pytest.mark.timeout(120)
def test_a_hostile_place_of_a_partition_is_an_error_that_names_it(tmp_path: Path, kind: str) -> None:
    file = offsets_folder(tmp_path, "events") / "0.json"
    file.parent.mkdir(parents=True)
    NO_JSON[kind](file)
    with pytest.raises(NotDurable, match=r"events/0\.json: "):
        read_place(tmp_path, "events", 0)


def test_no_flipped_bit_of_a_place_leaves_messages_out(tmp_path: Path) -> None:
    place = Place(0, "b096fda3", next=1234, end=1240, since=house.DAY, under_way={("T1", house.DAY)})
    write_place(tmp_path, "events", place)
    file = offsets_folder(tmp_path, "events") / "0.json"
    assert read_place(tmp_path, "events", 0) == place
    assert not file.stat().st_mode & 0o007
    whole = file.read_bytes()
    for bit in range(len(whole) * 8):
        file.write_bytes(flipped_bit(whole, bit))
        try:
            found = read_place(tmp_path, "events", 0)
        except NotDurable:
            continue
        assert found == place, f"bit {bit}"


# Quarantine


def test_no_flipped_bit_and_no_cut_of_a_quarantine_file_makes_a_message_vanish(tmp_path: Path) -> None:
    file = tmp_path / "quarantine" / "events.jsonl"
    written = [Quarantined("events", 0, number, "no Avro", bytes([number])) for number in range(3)]
    kept = QuarantineFile(file)
    for message in written:
        kept.add(message)
    kept.flush()
    whole = file.read_bytes()
    for bit in range(0, len(whole) * 8, 5):
        file.write_bytes(flipped_bit(whole, bit))
        found = [*quarantined(tmp_path)]
        bad = [message for message in found if isinstance(message, Unreadable)]
        assert len(found) >= 3 or (len(found) == 2 and bad), "a newline that is gone joins two lines, which is reported"
        assert all(message in written or message in bad for message in found)
        if not bit % 97:
            again = QuarantineFile(file)
            added = [again.add(message) for message in written]
            again.flush()
            assert set(written) <= set(quarantined(tmp_path)), "what is delivered again is kept"
            assert sum(added) <= 2
    last = whole[: whole.rstrip(b"\n").rfind(b"\n") + 1]
    for size in range(len(last) + 1, len(whole)):
        file.write_bytes(whole[:size])
        assert len([*quarantined(tmp_path)]) == 3, "the cut line is counted and reported"
        again = QuarantineFile(file)
        again.add(written[2])
        again.flush()
        assert file.read_bytes() == whole or size == len(whole) - 1, "a write that never ended is completed"
        assert [*quarantined(tmp_path)] == written


def test_a_quarantined_message_in_letters_that_base64_has_not_is_counted_and_reported(tmp_path: Path) -> None:
    file = tmp_path / "quarantine" / "events.jsonl"
    file.parent.mkdir()
    fields = {"topic": "events", "partition": 0, "offset": 1, "reason": "no event", "message": "\u00e9"}
    file.write_text(digested_json(fields, line=True))
    [reported] = quarantined(tmp_path)
    assert isinstance(reported, Unreadable) and "events.jsonl, line 1" in reported.why


@pytest.mark.parametrize("place", ["quarantine", "quarantine/pit.jsonl"])
def test_a_quarantine_on_a_disk_that_is_not_mounted_is_not_empty(tmp_path: Path, place: str) -> None:
    """A night of which hundreds of messages could not be taken was clean."""
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).symlink_to(tmp_path / "gone")
    [reported] = quarantined(tmp_path)
    assert isinstance(reported, Unreadable) and f"{place}: it cannot be read: No such file" in reported.why


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.timeout(120)
def test_a_hostile_quarantine_file_is_counted_and_never_written_to(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of a sparse file as much is read as a line may have.
    monkeypatch.setattr("replayer.sources.quarantine.MOST_LOG", 1 << 20)
    file = tmp_path / "quarantine" / "events.jsonl"
    file.parent.mkdir()
    NO_FILES[kind](file)
    [reported] = quarantined(tmp_path)
    assert isinstance(reported, Unreadable) and "events.jsonl: it cannot be read: " in reported.why
    with pytest.raises(NotDurable, match=r"events\.jsonl: .*move it away"):
        QuarantineFile(file)


# The lake


@pytest.mark.parametrize("kind", NO_JSON)
@pytest.mark.timeout(120)
def test_a_hostile_note_or_run_of_a_lake_is_reported_or_made_anew(tmp_path: Path, kind: str) -> None:
    for file in (run_file(tmp_path, house.DAY, "T1"), tmp_path / "days" / f"{house.DAY}.json"):
        file.parent.mkdir(parents=True)
        NO_JSON[kind](file)
    with pytest.raises(NotIntact, match=r"T1\.json "):
        read_run(tmp_path, house.DAY, "T1")
    with pytest.raises(LakeUnusable, match=rf"{house.DAY}\.json "):
        read_note(tmp_path, house.DAY)


# Maps, logs and settings


TOML_TEXTS = {
    "nested": b"x = " + b"[" * 8000,
    "nested-lines": b"x = " + b"[\n" * 200_000,
    "tables": b"x = " + b"{a = " * 1500,
    "dots": b".".join([b"a"] * 400_000) + b" = 1",
    "dots-often": b"".join(b"[x%d]\n" % n + b".".join([b"a"] * 129) + b" = 1\n" for n in range(200)),
    "digits": b"x = " + b"9" * 5000,
    "hexadecimal": b"workers = 0x" + b"f" * 6000,
    "nan": b"x = nan",
    "twice": b"x = 1\nx = 2",
    "bytes": b"x = '\xff'",
    "utf-16": "x = 1".encode("utf-16"),
}  # fmt: skip
NO_TOML = {kind: holding(text) for kind, text in TOML_TEXTS.items()} | NO_FILES


@pytest.mark.parametrize("kind", NO_TOML)
@pytest.mark.timeout(120)
def test_a_hostile_map_or_settings_file_is_one_line_that_names_it(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "hostile.toml"
    NO_TOML[kind](file)
    with pytest.raises(MapFaulty, match=r"hostile\.toml"):
        read_map(file)
    with pytest.raises(SettingsRefused, match=r"hostile\.toml"):
        load(file, environment={})
    (tmp_path / "log.csv").write_text("a,b\n1,2\n")
    code = main(["import", str(tmp_path / "log.csv"), "--map", str(file), "--archive", str(tmp_path / "archive")])
    assert code == 2
    [line] = capsys.readouterr().err.strip().splitlines()
    assert "hostile.toml" in line and "internal error" not in line and len(line) < 1000


def test_settings_in_their_usual_place_that_are_no_file_are_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load(environment={}) == Settings()
    Path("pitaudit.toml").mkdir()
    with pytest.raises(SettingsRefused, match=r"pitaudit\.toml: Is a directory"):
        load(environment={})


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.timeout(120)
def test_a_hostile_log_is_refused_before_anything_is_written(tmp_path: Path, kind: str) -> None:
    file, map_file = tmp_path / "log.csv", tmp_path / "map.toml"
    NO_FILES[kind](file)
    columns = '[columns]\nround = "r"\ncards = "c"\nbank = "b"\nstake = "s"\nresult = "p"\n'
    map_file.write_text(f'[table]\nid = "T1"\ngaming_day = 2026-01-05\n{columns}')
    with pytest.raises(SourceUnreadable, match=r"log\.csv: "):
        import_log(file, map_file, tmp_path / "archive")
    assert not (tmp_path / "archive").exists()


@pytest.mark.parametrize(
    ("log", "more", "what"),
    [
        (b'"a"b,c\n1,2\n', "", r"log\.csv, line 1: no CSV"),
        (b"\0\0\0\0", "", r"log\.csv, line 1: "),
        (b"r,c,b,s,p\n", '[source]\nencoding = "a\\u0000b"\n', r"map\.toml, line \d+: \[source\] encoding"),
        (b"r,c,b,s,p\n", '[source]\nencoding = "undefined"\n', r"map\.toml, line \d+: \[source\] encoding"),
        (b"r,c,b,s,p\n", '[source]\nencoding = "zlib"\n', r"map\.toml, line \d+: \[source\] encoding"),
        (b"r,c,b,s,p\n", "", r"map\.toml, line \d: \[table\] zone"),
    ],
)
def test_an_odd_log_or_map_is_one_line_with_its_place(
    tmp_path: Path, log: bytes, more: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log.csv").write_bytes(log)
    columns = '[columns]\nround = "r"\ncards = "c"\nbank = "b"\nstake = "s"\nresult = "p"\n'
    zone = 'zone = "America"\n' if "zone" in what else ""
    (tmp_path / "map.toml").write_text(f'[table]\nid = "T1"\n{zone}gaming_day = 2026-01-05\n{columns}{more}')
    arguments = ["import", tmp_path / "log.csv", "--map", tmp_path / "map.toml", "--archive", tmp_path / "archive"]
    assert main(list(map(str, arguments))) == 2
    [line] = capsys.readouterr().err.strip().splitlines()
    assert re.search(what, line), line
