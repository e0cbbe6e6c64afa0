"""Files that no archive wrote: pipes, devices, bombs, absurd claims, odd names. Each is damage of its own table-day or one
line with exit 2; no command hangs, runs out of memory or fails by itself, and the healthy table-days are judged as ever."""

import datetime as dt
import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from backports import zstd

from flows.cli import main
from flows.runs import run_nightly, run_with_catching_up
from flows.settings import Settings
from flows.status import look
from flows.summary import Night, one_sentence, short
from flows.unsealed import under_way, unsealed_of
from producers.sinks import NotDurable
from producers.sinks.archive import ArchiveSink
from producers.sinks.repair import used_before
from producers.sinks.stored import stored_days
from replayer.sources.archive import read_table_day
from replayer.sources.layout import Manifest, gaming_days
from replayer.sources.lost import Why, lost_messages
from replayer.sources.manifests import TableDayDamaged
from replayer.sources.misplaced import Misplaced, misplaced
from replayer.sources.quarantine import Quarantined
from replayer.sources.table_days import TableDayRef, table_days, under_import, unsealed
from replayer.verdicts.run import replay_all
from schemas.codec import current
from schemas.container import read_header, write_container
from schemas.encoder import varint
from tests import house
from tests.commands import PITAUDIT
from tests.flows.no_files import NESTED, device, loop, sparse

PEAK = Path(__file__).parents[1] / "peak.py"
SECONDS = 180
MEBIBYTES = 900
HEALTHY = ("AA", "ZZ")


def folder(archive: Path) -> Path:
    return archive / house.DAY.isoformat()


def manifest_of(table: str, data: bytes, count: int = 1, **said: object) -> Manifest:
    values = {"part": 0, "first_seq": 1, "last_seq": count, "bytes": len(data), "follows": None, **said}
    schema = current()
    return Manifest(  # type: ignore[arg-type]
        table, house.DAY, count=count, sha256=hashlib.sha256(data).hexdigest(),
        schema_fingerprint=schema.fingerprint.hex(), schema_sha256=schema.sha256, **values,
    )  # fmt: skip


def forged(data: bytes, count: int = 1) -> Callable[[Path, str], None]:
    """A container with a manifest that pins its very bytes."""

    def put(archive: Path, table: str) -> None:
        (folder(archive) / f"{table}.avro").write_bytes(data)
        (folder(archive) / f"{table}.json").write_text(manifest_of(table, data, count).to_json())

    return put


def manifest(text: bytes | Callable[[str], str]) -> Callable[[Path, str], None]:
    """A whole table-day whose manifest has another text."""

    def put(archive: Path, table: str) -> None:
        house.write(archive, table, house.SOUND)
        path = folder(archive) / f"{table}.json"
        path.write_bytes(text(path.read_text()).encode() if callable(text) else text)

    return put


def instead(ending: str, make: Callable[[Path], object]) -> Callable[[Path, str], None]:
    """A whole table-day of which one file is something else."""

    def put(archive: Path, table: str) -> None:
        house.write(archive, table, house.SOUND)
        path = folder(archive) / f"{table}.{ending}"
        path.unlink()
        make(path)

    return put


def beside(name: str) -> Callable[[Path, str], None]:
    """A whole table-day with one empty file more."""

    def put(archive: Path, table: str) -> None:
        house.write(archive, table, house.SOUND)
        (folder(archive) / f"{table}{name}").touch()

    return put


def blocks(*packed: tuple[int, bytes], schema_text: str | None = None) -> bytes:
    """A container of our schema with blocks of the given counts and bytes."""
    out = io.BytesIO()
    write_container(out, current(), [], {"table_id": "X"})
    head = out.getvalue()
    return head + b"".join(varint(count) + varint(len(data)) + data + head[-16:] for count, data in packed)


def header(entries: int, pairs: bytes) -> bytes:
    return b"Obj\x01" + varint(entries) + pairs


def schema_header(text: bytes) -> bytes:
    pairs = b"".join(varint(len(part)) + part for part in (b"avro.schema", text, b"avro.codec", b"zstandard"))
    return header(2, pairs) + varint(0) + bytes(16)


def frame(size: int, *, sized: bool = True) -> bytes:
    """A Zstandard frame of zeros; ``sized`` says so in its header."""
    if sized:
        return zstd.compress(bytes(size))
    packer = zstd.ZstdCompressor()
    return packer.compress(bytes(size)) + packer.flush()


def long_frame(size: int) -> bytes:
    """A Zstandard frame of very many zeros, made by hand: blocks of one byte and how often it stands (RFC 8878, 3.1.1.2)."""
    zeros, last = (((end | 1 << 1 | 1 << 20).to_bytes(3, "little") + b"\0") for end in (0, 1))
    return b"\x28\xb5\x2f\xfd\0\x58" + zeros * ((size >> 17) - 1) + last


def lying(packed: bytes) -> bytes:
    """The frame with another size in its header (RFC 8878, 3.1.1.1: four bytes behind the descriptor)."""
    assert packed[4] & 0xE0 == 0xA0
    return packed[:5] + (2**32 - 1).to_bytes(4, "little") + packed[9:]


BOMB = frame(32 << 20)
NULLS = json.dumps({"type": "array", "items": "null"}).encode()

TABLE_DAYS: dict[str, tuple[Callable[[Path, str], None], str]] = {
    "pipe-container": (instead("avro", os.mkfifo), "it is a pipe, not a file"),
    "pipe-manifest": (instead("json", os.mkfifo), "it is a pipe, not a file"),
    "device-container": (instead("avro", device), "it is a device, not a file"),
    "device-manifest": (instead("json", device), "it is a device, not a file"),
    "loop-container": (instead("avro", loop), "Too many levels of symbolic links"),
    "loop-manifest": (instead("json", loop), "Too many levels of symbolic links"),
    "folder-container": (instead("avro", Path.mkdir), "Is a directory"),
    "folder-manifest": (instead("json", Path.mkdir), "Is a directory"),
    "dead-link-container": (instead("avro", lambda path: path.symlink_to("nowhere")), "No such file"),
    "sparse-container": (instead("avro", sparse), "more than the"),
    "sparse-manifest": (instead("json", sparse), "more than the"),
    "manifest-nested": (manifest(NESTED), "nested"),
    "manifest-brackets": (manifest(b"[" * 500_000), "nested"),
    "manifest-deep": (manifest(b'{"a":' * 50 + b"1" + b"}" * 50), "nested more than 32 deep"),
    "manifest-digits": (manifest(lambda text: text.replace('"part": 0', f'"part": {"9" * 5000}')), "5000 digits"),
    "manifest-wide": (manifest(lambda text: text.replace('"part": 0', f'"part": {2**64}')), "64 bits"),
    "manifest-nan": (manifest(lambda text: text.replace('"part": 0', '"part": NaN')), "NaN is no number"),
    "manifest-infinite": (manifest(lambda text: text.replace('"part": 0', '"part": 1e999')), "not finite"),
    "manifest-twice": (manifest(lambda text: text.replace('"part": 0', '"part": 0, "part": 0')), "stands twice"),
    "manifest-half": (manifest(lambda text: text.replace('"part": 0', r'"part": "\ud800"')), "half a character"),
    "manifest-bytes": (manifest(b"\xff\xfe{\0}\0"), "no UTF-8"),
    "manifest-list": (manifest(b"[1]"), "no manifest of format 1"),
    "manifest-long": (manifest(json.dumps({"format": 1, "x\n" * 200_000: 1}).encode()), "fields missing or unknown"),
    "manifest-number": (manifest(b"5"), "no manifest of format 1"),
    "part-far": (beside(".late-99999999.avro"), "a part of the table-day is missing"),
    "part-one-off": (beside(".late-2.json"), "a part of the table-day is missing"),
    "bomb-frames": (forged(blocks((4096, BOMB * 800)), 4096), "the block unpacks to more than"),
    "bomb-one-frame": (forged(blocks((4096, long_frame(2 << 30))), 4096), "the block unpacks to more than"),
    "bomb-blocks": (forged(blocks(*[(4096, frame(15 << 20) * 4)] * 40), 40 * 4096), "what is left of 536870912 bytes"),
    "bomb-unsized": (forged(blocks((4096, frame(24 << 20, sized=False) * 360)), 4096), "the block unpacks to more than"),
    "bomb-lying": (forged(blocks((1, lying(frame(1 << 20)))), 1), "the block"),
    "bomb-unpinned": (instead("avro", lambda path: path.write_bytes(blocks((4096, BOMB * 200)))), "SHA-256 is not"),
    "block-count": (forged(blocks((2**62, frame(100))), 2**62), f"says that it has {2**62} events"),
    "block-negative": (forged(blocks((-5, frame(100))), 5), "says that it has -5 events"),
    "block-empty": (forged(blocks((4096, zstd.compress(b""))), 4096), "has 4096 events, and has 0 bytes"),
    "block-size": (forged(blocks() + varint(1) + varint(2**60), 1), "cut off"),
    "count-claimed": (forged(blocks((3, frame(100))), 2**62), "it holds 3 events, its manifest says"),
    "header-entries": (forged(header(2**62, (varint(1) + b"k" + varint(0)) * 300_000), 1), "more than 64 entries"),
    "header-blocks": (forged(header(1, (varint(0) + varint(0) + varint(1)) * 300_000), 1), "more than 64 entries"),
    "schema-long": (forged(schema_header(b'"' + b"x" * 3_000_000 + b'"'), 1), "more than 262144"),
    "schema-nested": (forged(schema_header(b"[" * 200_000), 1), "header cannot be read"),
    "schema-deep": (forged(schema_header(b'{"type":"array","items":' * 900 + b'"int"' + b"}" * 900), 1), "schema"),
    "schema-nulls": (forged(schema_header(NULLS), 1), "schema"),
    "not-avro": (forged(b"\0" * 5000, 1), "no Avro container"),
}  # fmt: skip

NAMES = {
    b"T\xff1.avro": "T\\udcff1",
    b"T\n1.json": "T\\n1",
    b"\x1b[31mT1.avro": "\\x1b[31mT1",
    "T\u202e1.avro".encode(): "T\\u202e1",
    b"L" * 250 + b".avro": "L" * 80,
    b"' OR 1=1 --.avro": "' OR 1=1 --",
    b"<script>.json": "<script>",
    b"T1.late-" + b"9" * 200 + b".avro": "T1.late-" + "9" * 72,
}


def horrors(archive: Path) -> None:
    """An archive of two healthy table-days among all of the above."""
    for table in HEALTHY:
        house.write(archive, table, house.SOUND)
    for table, (put, _) in TABLE_DAYS.items():
        put(archive, table)
    for name in NAMES:
        (Path(os.fsdecode(bytes(folder(archive)) + b"/" + name))).write_bytes(b"Obj\x01")
    (archive / ".journal" / house.DAY.isoformat()).mkdir(exist_ok=True)
    os.mkfifo(archive / ".journal" / house.DAY.isoformat() / "J1.journal")
    Path(os.fsdecode(bytes(archive / ".journal" / house.DAY.isoformat()) + b"/J\xff.journal")).touch()
    quarantine = archive / "quarantine"
    quarantine.mkdir()
    os.mkfifo(quarantine / "pipe.jsonl")
    loop(quarantine / "loop.jsonl")
    whole = Quarantined("events", 0, 7, "no Avro", b"\0").to_json()
    (quarantine / "events.jsonl").write_bytes(
        whole.encode() + b"not JSON\n\xff\xfe\n" + NESTED + b"\n" + whole.replace('"offset": 7', '"offset": 8').encode()
    )
    for odd in ("20090601", "2009-06-31", "9999-99-99"):
        (archive / odd).mkdir()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = tmp_path_factory.mktemp("hostile") / "archive"
    horrors(archive)
    return archive


@pytest.fixture(scope="module")
def healthy_digest(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    archive = tmp_path_factory.mktemp("healthy")
    for table in HEALTHY:
        house.write(archive, table, house.SOUND)
    return {outcome.table_id: outcome.digest for outcome in replay_all(table_days(archive)).outcomes}


def run(*arguments: object) -> tuple[int, str, str]:
    """A command as a user runs it: exit code, output, errors. It is killed after SECONDS, and may not grow."""
    with (
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
        tempfile.NamedTemporaryFile("r") as noted,
    ):
        command = [sys.executable, "-S", str(PEAK), noted.name, str(PITAUDIT), *map(str, arguments)]
        process = subprocess.Popen(command, stdout=out, stderr=err, start_new_session=True)
        timer = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        try:
            process.wait()
        finally:
            timer.cancel()
        out.seek(0)
        err.seek(0)
        said, reported = out.read(), err.read()
        used = json.loads(noted.read() or '{"code": -1}')
    assert used["code"] >= 0, f"killed: it hung\n{reported}"
    assert used["peak_kib"] < MEBIBYTES * 1024, f"{used['peak_kib'] // 1024} MiB"
    assert "internal error" not in reported and "Traceback" not in reported
    return used["code"], said, reported


# Archives


@pytest.mark.parametrize("table", TABLE_DAYS)
@pytest.mark.timeout(120)
def test_a_hostile_file_is_damage_of_its_table_day_and_named(hostile: Path, table: str) -> None:
    with pytest.raises(TableDayDamaged, match=TABLE_DAYS[table][1]) as raised:
        read_table_day(TableDayRef(house.DAY, table, hostile))
    assert str(raised.value).startswith(str(folder(hostile) / table))
    assert len(str(raised.value)) < 1000 and str(raised.value).isprintable()


def test_odd_names_are_listed_so_that_they_can_be_shown_and_are_damage(hostile: Path) -> None:
    listed = {ref.table_id for ref in table_days(hostile, house.DAY)}
    assert listed == {*HEALTHY, *TABLE_DAYS, *NAMES.values()}
    for name in NAMES.values():
        with pytest.raises(TableDayDamaged, match="no table-day of an archive has such a name") as raised:
            read_table_day(TableDayRef(house.DAY, name, hostile))
        str(raised.value).encode()
    assert gaming_days(hostile) == [house.DAY], "one spelling of a day, and no other"


@pytest.mark.parametrize("make", [os.mkfifo, loop, Path.touch])
def test_what_stands_in_the_place_of_a_day_is_reported_and_stops_the_recorder(
    tmp_path: Path, make: Callable[[Path], object]
) -> None:
    """Which numbers the day holds nobody can tell, so none may be given out."""
    house.write(tmp_path, "T1", house.SOUND)
    make(tmp_path / "2009-06-02")
    [damaged] = replay_all(table_days(tmp_path)).damaged
    assert damaged.damage == f"{tmp_path / '2009-06-02'}: it is no folder of a gaming day"
    with pytest.raises(NotDurable, match="2009-06-02"):
        ArchiveSink(tmp_path).last_seq("T1")


def test_replay_reports_each_hostile_file_and_judges_the_others_as_ever(
    hostile: Path, healthy_digest: dict[str, str]
) -> None:
    code, out, err = run("replay", hostile, "--json")
    said = json.loads(out)
    assert code == 1
    assert {each["table_id"] for each in said["damaged"]} == {*TABLE_DAYS, *NAMES.values()}
    assert said["table_days"] == len(TABLE_DAYS) + len(NAMES) + len(HEALTHY)
    assert said["quarantined"] == 7, "one whole line, four bad ones, two files that cannot be read"
    for line in (
        "events.jsonl, line 2: ",
        "events.jsonl, line 3: ",
        "events.jsonl, line 4: ",
        "events.jsonl, line 5: ",
    ):
        assert line in err
    assert "pipe.jsonl: it cannot be read: it is a pipe" in err
    assert "line 5: it cannot be read: it is not as this version wrote it" in err
    outcomes = {each.table_id: each.digest for each in replay_all(table_days(hostile)).outcomes if not each.damage}
    assert outcomes == healthy_digest


def test_nightly_backfill_query_and_report_name_hostile_files_and_go_on(hostile: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    for command in (("nightly", "--day", house.DAY), ("backfill", "--from", house.DAY, "--to", house.DAY)):
        code, out, err = run(command[0], "--archive", hostile, "--lake", lake, *command[1:], "--json")
        said = json.loads(out)
        said = said if command[0] == "nightly" else said["days"][0]
        assert code == 1
        assert set(said["damaged"]) == {*TABLE_DAYS, *NAMES.values(), "J1", "J\\udcff"}  # journals that are none
        assert not said["failed"]
        assert {table["table_id"] for table in said["tables"]} >= set(HEALTHY)
        assert "events.jsonl, line 2: " in err
    assert run("report", "--lake", lake, "--day", house.DAY, "-o", tmp_path / "report.html")[0] == 1
    assert run("query", "overpayment_by_dealer_and_player", "--lake", lake)[0] in (0, 1)
    for path in lake.rglob("*"):
        assert not path.stat().st_mode & 0o007, path
    assert not (tmp_path / "report.html").stat().st_mode & 0o007


@pytest.mark.parametrize("command", [("rulings", "ledger"), ("whatif", "--ruling", "rounding=exact")])
def test_what_settles_an_archive_again_leaves_hostile_files_out_and_says_so(hostile: Path, command: list[str]) -> None:
    arguments = [*command[:2], hostile] if command[0] == "rulings" else [command[0], hostile, *command[1:]]
    code, _, err = run(*arguments)
    assert code in (0, 1), err
    assert "pipe-container" in err


def test_explain_says_in_one_line_why_it_cannot(hostile: Path) -> None:
    for table in ("pipe-container", NAMES[b"T\xff1.avro"]):
        code, _, err = run("explain", hostile, "--table", table, "--round", 1, "--day", house.DAY)
        assert code == 2
        assert len(err.strip().splitlines()) == 1, err
    assert run("explain", hostile, "--table", "AA", "--round", 1, "--day", house.DAY)[0] == 0


@pytest.mark.parametrize("table", TABLE_DAYS)
@pytest.mark.timeout(120)
def test_the_recorder_opens_a_hostile_table_or_refuses_it_with_a_reason(hostile: Path, table: str) -> None:
    sink = ArchiveSink(hostile)
    try:
        assert sink.last_seq(table) >= 0
    except NotDurable as error:
        assert str(folder(hostile)) in str(error)
    finally:
        sink.close()


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may reach; pytest's own are for their owner only."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


def test_what_may_not_be_read_is_damage_of_its_table_day(public: Path) -> None:
    archive = public / "archive"
    for table in ("A1", "A2"):
        house.write(archive, table, house.SOUND)
    (folder(archive) / "A1.avro").chmod(0)
    (folder(archive) / "A2.json").chmod(0)
    for path in (archive, folder(archive)):
        path.chmod(0o755)
    with as_nobody():
        for table, ending in (("A1", "avro"), ("A2", "json")):
            with pytest.raises(TableDayDamaged, match=rf"{table}\.{ending}: it cannot be read: Permission denied"):
                read_table_day(TableDayRef(house.DAY, table, archive))


@contextmanager
def as_nobody() -> Iterator[None]:
    """As a user who owns nothing: root may read everything."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


BATCH = (table_days, unsealed, under_import)
READ_BY: dict[str, tuple[Callable[[Path], object], ...]] = {
    ".journal": (*BATCH, under_way),
    ".journal/batch": BATCH,
    ".journal/batch/whole": BATCH,
    ".journal/batch/whole/2009-06-01": BATCH,
}


@pytest.mark.parametrize("closed", READ_BY)
def test_a_folder_that_may_not_be_read_is_not_an_empty_one(public: Path, closed: str) -> None:
    """A table in it would be passed over, and the night would be all judged."""
    archive = public / "archive"
    house.write(archive, "A1", house.SOUND)
    (archive / closed).mkdir(parents=True, exist_ok=True)
    for path in (archive, *archive.rglob("*")):
        path.chmod(0o755)
    (archive / closed).chmod(0)
    with as_nobody():
        for asked in READ_BY[closed]:
            with pytest.raises(PermissionError) as refused:
                asked(archive)
            assert Path(refused.value.filename).is_relative_to(archive / closed)
    (archive / closed).chmod(0o755)
    assert unsealed(archive) == [], "the same archive, when it may be read"


def opened(folder: Path) -> Path:
    """Everybody may read what is in a folder."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    return folder


def test_a_day_whose_folder_may_not_be_read_is_damaged_and_the_others_are_judged(
    public: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One old folder stopped replay, the night of any day and status, with "Permission denied" and no advice."""
    archive, lake, next_day = public / "archive", public / "lake", house.DAY + dt.timedelta(days=1)
    last = house.write(archive, "A1", house.SOUND)
    house.write(archive, "A1", house.SOUND, next_day, last + 1)
    day_after = next_day + dt.timedelta(days=1)

    def ran() -> list[Night]:
        return run_with_catching_up(lambda each: run_nightly(archive, lake, each), archive, lake, next_day, Settings())

    opened(archive)
    lake.mkdir()
    lake.chmod(0o777)
    with as_nobody():
        assert [night.clean for night in ran()] == [True, True]
    refused = "Permission denied; give this user the right to read and enter it"
    why = f"{archive}/{house.DAY}: the tables of {house.DAY} cannot be read: {refused}"
    noon = dt.datetime.combine(day_after, dt.time(12), dt.UTC)
    for mode in (0o000, 0o444, 0o111):
        (archive / str(house.DAY)).chmod(mode)
        with as_nobody():
            assert main(["replay", str(archive), "--json"]) == 1
            out, err = capsys.readouterr()
            said = json.loads(out)
            assert [(each["table_id"], each["what"], each["why"]) for each in said["not_judged"]] == [
                (str(house.DAY), "damaged", why)
            ]
            assert (said["table_days"], f"{house.DAY} {house.DAY}: damaged: {why}" in err) == (2, True)
            assert "2 gaming days, 1 table-day, judged; " in said["sentence"]
            assert f"1 gaming day could not be read: {house.DAY}." in said["sentence"]
            assert house.DAY in look(archive, lake, noon).lake.overdue  # type: ignore[union-attr]
            old, new = ran()
            assert (old.undone, new.clean) == ({"A1": why, str(house.DAY): why}, True)
            reported = f"1 table, 1 not judged; 1 gaming day could not be read: {house.DAY}; 1 table damaged: A1."
            assert one_sentence(old) == f"{house.DAY}: {reported}"
            assert short([old]) == "1 gaming day could not be read, 1 table damaged"
            assert [night.reconciliation.gaming_day for night in ran()] == [next_day], (
                "it was reported, and nothing changed"
            )
            open_ = look(archive, lake, noon).lake.tables  # type: ignore[union-attr]
            assert {(day, each.table_id, each.in_words) for day, each in open_} == {
                (house.DAY, "A1", "damaged"),
                (house.DAY, str(house.DAY), "damaged"),
            }
            with pytest.raises(TableDayDamaged, match="Permission denied"):
                read_table_day(TableDayRef(house.DAY, "A1", archive))
        (archive / str(house.DAY)).chmod(0o755)
        assert [night.clean for night in ran()] == [True, True]


@pytest.mark.parametrize(
    ("folder", "day", "name"),
    [
        ("20090601", house.DAY, "20090601 (not read)"),
        ("2009-06-01/old", house.DAY, "old (not read)"),
        ("tape", None, "tape (not read)"),
    ],
)
def test_a_folder_out_of_place_that_may_not_be_read_counts_as_a_log_that_is_not_read(
    public: Path, folder: str, day: dt.date | None, name: str
) -> None:
    archive = public / "archive"
    house.write(archive, "A1", house.SOUND)
    (archive / folder).mkdir()
    opened(archive)
    (archive / folder).chmod(0)
    with as_nobody():
        assert misplaced(archive) == [Misplaced(archive / folder, day, name)]
        assert {ref.table_id for ref in table_days(archive)} == ({name, "A1"} if day else {"A1"})


def test_journals_of_a_day_that_may_not_be_read_are_damage_of_it(public: Path) -> None:
    archive, folder = public / "archive", public / "archive" / ".journal" / str(house.DAY)
    house.write(archive, "A1", house.SOUND)
    folder.mkdir(exist_ok=True)
    opened(archive)
    folder.chmod(0)
    with as_nobody():
        [ref] = unsealed(archive)
        [under] = under_way(archive)
        assert (ref.table_id, under.table_id, under.damage) == (
            str(house.DAY),
            str(house.DAY),
            str(unsealed_of(archive, [ref])[ref]),
        )
        assert under.damage.startswith(
            f"{folder}: the tables of {house.DAY} cannot be read: Permission denied; give this user"
        )
    with as_nobody(), tempfile.TemporaryDirectory() as lake:
        assert list(run_nightly(archive, Path(lake), house.DAY).undone) == [str(house.DAY)]


@pytest.mark.parametrize("closed", [str(house.DAY), f".journal/{house.DAY}"])
def test_a_day_that_may_not_be_read_is_not_passed_over_where_one_table_is_asked_for(public: Path, closed: str) -> None:
    """The table may be in it. Its other days were replayed and told as all there are."""
    archive, after = public / "archive", house.DAY + dt.timedelta(days=1)
    last = house.write(archive, "A1", house.SOUND)
    house.write(archive, "A1", house.closing("", 0), day=after, first_seq=last + 1)
    (archive / closed).mkdir(exist_ok=True)
    opened(archive)
    (archive / closed).chmod(0)
    with as_nobody():
        refs = {*table_days(archive, table="A1"), *unsealed(archive, table="A1")}
    closed_to_us, judged = TableDayRef(house.DAY, str(house.DAY), archive), TableDayRef(after, "A1", archive)
    assert {closed_to_us, judged} <= refs <= {closed_to_us, judged, TableDayRef(house.DAY, "A1", archive)}


@pytest.mark.parametrize("closed", [".", ".journal"])
def test_an_archive_that_may_not_be_read_says_what_to_do(
    public: Path, closed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = public / "archive"
    house.write(archive, "A1", house.SOUND)
    opened(archive)
    (archive / closed).chmod(0)
    with as_nobody():
        assert main(["replay", str(archive)]) == 2
    assert "Permission denied; give this user the right to it, or run this as one who has it" in capsys.readouterr().err


@pytest.mark.parametrize("put", [Path.touch, lambda place: place.symlink_to("gone")])
@pytest.mark.parametrize("command", ["replay {archive}", "status --archive {archive} --no-kafka"])
def test_what_stands_in_the_place_of_the_journals_is_not_read_as_no_open_table_day(
    tmp_path: Path, put: Callable[[Path], None], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    house.write(tmp_path, "A1", house.SOUND)
    shutil.rmtree(tmp_path / ".journal")
    put(tmp_path / ".journal")
    assert main(command.format(archive=tmp_path).split()) == 2
    assert f"{tmp_path / '.journal'}: no folder, so no open table-day is seen" in capsys.readouterr().err


@pytest.mark.parametrize("asked", [used_before, lambda archive, table: stored_days(archive, table, 0o640)])
def test_no_number_is_given_where_a_journal_may_not_be_seen(public: Path, asked: Callable[[Path, str], object]) -> None:
    """Behind a folder that may not be read the table may have had its numbers up to any."""
    folder = public / ".journal" / house.DAY.isoformat()
    folder.mkdir(parents=True)
    folder.chmod(0)
    with as_nobody(), pytest.raises(PermissionError, match=house.DAY.isoformat()):
        asked(public, "A1")


@pytest.mark.parametrize("locked", ["lost", "lost/pit"])
def test_losses_that_may_not_be_read_may_concern_every_day(public: Path, locked: str) -> None:
    (public / locked).mkdir(parents=True)
    (public / locked).chmod(0)
    with as_nobody():
        [lost] = lost_messages(public, house.DAY)
    assert lost.why is Why.UNREADABLE
    assert str(public / locked) in str(lost)


@pytest.mark.parametrize("put", [Path.touch, lambda place: place.symlink_to("gone")])
def test_what_stands_in_place_of_the_folder_of_losses_may_hide_some_of_every_day(
    tmp_path: Path, put: Callable[[Path], None]
) -> None:
    put(tmp_path / "lost")
    [lost] = lost_messages(tmp_path, house.DAY)
    assert lost.why is Why.UNREADABLE
    assert f"{tmp_path / 'lost'} (it is no folder)" in str(lost)


def test_a_journal_whose_name_is_none_of_an_archive_is_a_table_that_is_not_judged(tmp_path: Path) -> None:
    house.write(tmp_path, "A1", house.SOUND)
    names = ("BJ 99", "BJ-99.late-0", "A1.late-x")
    for name in names:
        (tmp_path / ".journal" / house.DAY.isoformat() / f"{name}.journal").touch()
    assert [ref.table_id for ref in unsealed(tmp_path)] == sorted(names)
    assert [each.table_id for each in under_way(tmp_path)] == sorted(names)
    code, _, err = run("replay", tmp_path, "--json")
    assert code == 1
    for name in names:
        assert f"{name}.journal: no table-day of an archive has such a name" in err


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    yield


def test_the_frames_of_the_bombs_are_what_they_say() -> None:
    """Else the cases above would be no bombs: 800 frames of 32 MiB in less than 4 MiB, one of them lies about its size."""
    assert len(BOMB) * 800 < 4 << 20
    assert zstd.get_frame_info(BOMB).decompressed_size == 32 << 20
    assert zstd.decompress(long_frame(1 << 20)) == bytes(1 << 20)
    assert zstd.get_frame_info(frame(1 << 20, sized=False)).decompressed_size is None
    assert zstd.get_frame_info(lying(frame(1 << 20))).decompressed_size == 2**32 - 1
    assert read_header(blocks()).codec == "zstandard"
