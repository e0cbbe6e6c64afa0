"""Hostile locks, journals, offsets, quarantine, notes, maps, logs and settings: pipes, devices, nesting, flipped bits. Each is
told in one line that names it; nothing hangs, nothing vanishes, nothing fails by itself."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from analytics.lake import LakeUnusable, NotIntact, read_note, read_run, run_file
from flows.cli import main
from flows.settings import SettingsRefused, load
from producers.archiver.place import Place, read_earlier, read_place, write_place
from producers.mapping.importer import import_log
from producers.mapping.map_file import read_map
from producers.mapping.map_section import MapFaulty
from producers.mapping.source import SourceUnreadable
from producers.quarantine import QuarantineFile
from producers.sinks import NotDurable, SinkBusy
from producers.sinks.archive import ArchiveSink
from replayer.sources.layout import PartName, lock_file, offsets_file, offsets_folder
from replayer.sources.quarantine import Quarantined, quarantined
from tests import house
from tests.bits import flipped_bit
from tests.flows.no_files import NESTED, NO_FILES

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
def test_a_hostile_offsets_file_of_an_earlier_program_is_an_error_that_says_what_to_do(
    tmp_path: Path, kind: str
) -> None:
    file = offsets_file(tmp_path, "events")
    file.parent.mkdir(parents=True)
    NO_JSON[kind](file)
    with pytest.raises(NotDurable, match=r"events\.json: .*remove it and the topic is read again"):
        read_earlier(tmp_path, "events")


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
        found = quarantined(tmp_path)
        bad = [message for message in found if message.unreadable]
        assert len(found) >= 3 or (len(found) == 2 and bad), "a newline that is gone joins two lines, which is told"
        assert all(message in written or message.unreadable for message in found)
        if not bit % 97:
            again = QuarantineFile(file)
            added = [again.add(message) for message in written]
            again.flush()
            assert set(written) <= set(quarantined(tmp_path)), "what is delivered again is kept"
            assert sum(added) <= 2
    last = whole[: whole.rstrip(b"\n").rfind(b"\n") + 1]
    for size in range(len(last) + 1, len(whole)):
        file.write_bytes(whole[:size])
        assert len(quarantined(tmp_path)) == 3, "the cut line is counted and told"
        again = QuarantineFile(file)
        again.add(written[2])
        again.flush()
        assert file.read_bytes() == whole or size == len(whole) - 1, "a write that never ended is completed"
        assert quarantined(tmp_path) == written


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.timeout(120)
def test_a_hostile_quarantine_file_is_counted_and_never_written_to(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "quarantine" / "events.jsonl"
    file.parent.mkdir()
    NO_FILES[kind](file)
    [told] = quarantined(tmp_path)
    assert told.unreadable and "events.jsonl: it cannot be read: " in told.reason
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
    assert load(environment={}).source is None
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
