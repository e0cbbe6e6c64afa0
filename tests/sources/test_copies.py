"""The columnar copy of a container: it holds what decoding gives, it is read in place of decoding, and nothing rests on it."""

import datetime as dt
import hashlib
import io
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from producers.recorder import Recorder
from producers.simulator import simulate
from producers.sinks import part
from producers.sinks.archive import ArchiveSink
from producers.sinks.batch import Batch
from replayer.log.columns import FLAT, TableDay
from replayer.log.compaction import PIECE
from replayer.processes.failure import is_failure
from replayer.sources import archive as reading
from replayer.sources import copies, decoding
from replayer.sources.archive import read_table_day, read_table_days
from replayer.sources.arrow_stream import END, StreamRefused, schema_of_stream
from replayer.sources.copies import CopyRefused, make_copy, read_copy
from replayer.sources.layout import Manifest, PartName, batch_folder, on_their_way
from replayer.sources.layout import copies as copies_of
from replayer.sources.manifests import read_manifests
from replayer.sources.safe_texts import TextRefused
from replayer.sources.table_days import TableDayRef, table_days
from replayer.verdicts.run import replay_all
from schemas.codec import Schema, current, encode, encode_datum
from schemas.container import write_container
from schemas.event import CardAt, Event, Remark
from schemas.table_day import EncodedDay
from tests.archives import read_events
from tests.bits import flip
from tests.odd import foreign_datum, odd_table_day

DAY = dt.date(2009, 6, 1)
NOON = 1_243_828_800_000_000
SHA = "0" * 64


def container(datums: Sequence[bytes]) -> bytes:
    out = io.BytesIO()
    write_container(out, current(), datums, {})
    return out.getvalue()


def dealt(seq: int, table_id: str = "T1", **changed: object) -> Event:
    card = CardAt(1 + seq % 7, 0, f"{'A23456789TJQK'[seq % 13]}{'cdhs'[seq % 4]}", "up")
    return replace(Event(table_id, seq, NOON + seq, DAY, "CardDealt", 1, card=card), **changed)  # type: ignore[arg-type]


def encoded(table_id: str) -> EncodedDay:
    """A table-day of as many events as get a copy, for a batch."""
    seqs = range(1, part.LEAST + 1)
    return EncodedDay(table_id, DAY, seqs, [encode(dealt(seq, table_id)) for seq in seqs])


def assert_copied(data: bytes) -> None:
    """The copy of a container is what decoding it gives: values, nulls, order, types, and the numbers of texts."""
    copy = make_copy(data, SHA)
    whole, read = decoding.flat(data, current()), read_copy(copy, SHA)
    assert read.schema == FLAT
    assert_frame_equal(read, whole)
    assert_frame_equal(read.select(pl.all().to_physical()), whole.select(pl.all().to_physical()))
    assert make_copy(data, SHA) == copy, "equal bytes"


# What it holds


@pytest.mark.parametrize("seed", range(24))
def test_the_copy_of_an_odd_log_is_what_decoding_gives(seed: int) -> None:
    assert_copied(container([encode_datum(event) for event in odd_table_day(seed)]))


@pytest.mark.parametrize("seed", range(7))
def test_the_copy_of_a_log_past_the_contract_is_what_decoding_gives(seed: int) -> None:
    """Days and numbers that no recorder takes, texts of any length, no text at all."""
    random = Random(seed)
    days = [dt.date.min, dt.date.max, dt.date(1969, 12, 31), DAY]
    events = []
    for event in odd_table_day(seed):
        ends = random.choice((-(2**63), 2**63 - 1, 0, event.seq))
        changed = {
            "seq": ends,
            "at": ends,
            "gaming_day": random.choice(days),
            "table_id": random.choice(("", "T1", "\0x" * 999)),
        }
        events.append(replace(event, **changed))  # type: ignore[arg-type]
    assert_copied(container([foreign_datum(event) for event in events]))


def test_a_day_outside_the_calendar_is_copied() -> None:
    datum = encode_datum(dealt(1))
    day = bytes.fromhex("d2e001")  # 14,377 days behind 1970 as Avro writes them
    far = bytes.fromhex("feffffff0f")
    number = (DAY - dt.date(1970, 1, 1)).days * 2
    own = bytes([number & 0x7F | 0x80, number >> 7 & 0x7F | 0x80, number >> 14]) if number >> 14 else day
    assert datum.count(own) == 1
    data = container([datum.replace(own, far)] * 3)
    assert decoding.flat(data, current())["gaming_day"].to_physical().to_list() == [2**31 - 1] * 3
    assert_copied(data)


def test_a_log_of_one_kind_of_event_is_nearly_all_nulls() -> None:
    assert_copied(container([encode_datum(Event("T1", seq, NOON, DAY, "RoundClosed", seq)) for seq in range(1, 5_000)]))


@pytest.mark.parametrize("most", [1, 2, 8])
def test_the_copy_of_a_long_log_has_pieces_and_takes_no_more_room(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    events = [dealt(seq) for seq in range(1, 2 * PIECE)] + [
        Event("T1", 2 * PIECE + seq, NOON, DAY, "RoundVoided", seq, remark=Remark(f"cause {seq}", 1))
        for seq in range(1, 300)
    ]
    data = container([encode_datum(event) for event in events])
    monkeypatch.setattr(decoding, "_LONG", most * PIECE)
    assert_copied(data)
    read, whole = read_copy(make_copy(data, SHA), SHA), decoding.flat(data, current())
    assert read.n_chunks() == whole.n_chunks() == (3 if most <= 2 else 1)
    assert read.estimated_size() == whole.estimated_size()


def test_a_copy_holds_no_text_of_other_table_days() -> None:
    others = read_copy(make_copy(container([encode_datum(dealt(1, f"OTHER{n}")) for n in range(100)]), SHA), SHA)
    data = container([encode_datum(dealt(1))])
    assert others.height and b"OTHER" not in make_copy(data, SHA)


def test_texts_of_copies_last_no_longer_than_their_columns(tmp_path: Path) -> None:
    """In a process of its own: numbers are given again once no column is left, and other tests of this one keep some."""
    logs = []
    for number in range(20):
        causes = (f"{number} {seq} {'x' * 80}" for seq in range(1_500))
        data = [encode_datum(dealt(1, kind="RoundVoided", card=None, remark=Remark(cause, 1))) for cause in causes]
        logs.append(tmp_path / f"{number}.avro")
        logs[-1].write_bytes(container(data))
    found = subprocess.check_output([sys.executable, "-c", _HIGHEST_NUMBERS, *logs], text=True)
    numbers = [int(last) for last in found.split()]
    assert len(numbers) == 20 and max(numbers) < 5_000, "numbers of texts that are gone are given again"


_HIGHEST_NUMBERS = f"""
import sys
from pathlib import Path
from replayer.sources.copies import make_copy, read_copy
for log in sys.argv[1:]:
    print(read_copy(make_copy(Path(log).read_bytes(), "{SHA}"), "{SHA}")["remark_cause"].to_physical().max())
"""


# Reading it

ROUNDS = 36
"""Rounds of a table-day that is long enough for a copy."""


@pytest.fixture(scope="session")
def _pit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copies") / "pit"
    simulate(folder, day=DAY, tables=3, rounds=ROUNDS, seed=1, faults=0.2)
    return folder


@pytest.fixture
def pit(_pit: Path, tmp_path: Path) -> Path:
    """An archive of three table-days that have copies."""
    shutil.copytree(_pit, tmp_path / "pit")
    assert len(list(copies_of(tmp_path / "pit").rglob("*.arrow"))) == 3
    return tmp_path / "pit"


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many containers were decoded, each time that any were."""
    calls: list[int] = []
    together: list[bytes] = []
    flat, in_one = reading.flat, reading.in_one

    def counted(data: bytes, schema: Schema) -> pl.DataFrame:
        if data not in together:
            calls.append(1)
        return flat(data, schema)

    def joined(containers: Sequence[bytes]) -> bytes:
        calls.append(len(containers))
        together.append(in_one(containers))
        return together[-1]

    monkeypatch.setattr(reading, "flat", counted)
    monkeypatch.setattr(reading, "in_one", joined)
    return calls


def digests(archive: Path) -> list[str]:
    outcomes = replay_all(table_days(archive)).outcomes
    assert not any(outcome.damage for outcome in outcomes)
    return [outcome.digest for outcome in outcomes]


def names(archive: Path) -> list[PartName]:
    return [manifest.name for ref in table_days(archive) for manifest in read_manifests(ref)]


def pin(archive: Path, name: PartName, **said: object) -> None:
    """Let a manifest say something else."""
    manifest = Manifest.from_json(name.manifest(archive).read_bytes())
    name.manifest(archive).write_text(replace(manifest, **said).to_json())  # type: ignore[arg-type]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_table_day_with_a_copy_is_not_decoded(pit: Path, decoded: list[int]) -> None:
    copied = [one.events for one in read_table_days(table_days(pit)) if isinstance(one, TableDay)]
    assert decoded == []
    shutil.rmtree(copies_of(pit))
    for frame, one in zip(copied, read_table_days(table_days(pit)), strict=True):
        assert isinstance(one, TableDay)
        assert_frame_equal(frame, one.events)
    assert decoded == [3]


def test_table_days_with_and_without_copies_keep_their_order(pit: Path, decoded: list[int]) -> None:
    """Small ones have none and are decoded together; so is one whose copy is gone; one of them goes on in a late part."""
    sink = ArchiveSink(pit)
    for table in ("BJ-00", "BJ-01", "ZZ"):
        recorder = Recorder(sink, table)
        for _ in range(2):
            recorder.record("WagersClosed", round=10**9, at=NOON, gaming_day=DAY)
        recorder.seal(DAY)
    sink.close()
    first, second, third = (name for name in names(pit) if name.columns(pit).exists())
    second.columns(pit).unlink()
    read = [one for one in read_table_days(table_days(pit)) if isinstance(one, TableDay)]
    assert decoded == [4]
    assert [one.table_id for one in read] == sorted({"BJ-00", "ZZ", first.table_id, second.table_id, third.table_id})
    for one in read:
        assert set(one.events["table_id"].cast(pl.String)) == {one.table_id}
        assert one.events["seq"].is_sorted()
    shutil.rmtree(copies_of(pit))
    for before, after in zip(read, read_table_days(table_days(pit)), strict=True):
        assert isinstance(after, TableDay)
        assert_frame_equal(before.events, after.events)


def _flipped(archive: Path, name: PartName) -> None:
    flip(name.columns(archive), name.columns(archive).stat().st_size // 2)


def _cut(archive: Path, name: PartName) -> None:
    os.truncate(name.columns(archive), 2_000)


def _cut_and_pinned(archive: Path, name: PartName) -> None:
    _cut(archive, name)
    pin(archive, name, columns_sha256=sha256(name.columns(archive).read_bytes()))


def _other(archive: Path, name: PartName) -> PartName:
    return next(other for other in names(archive) if other != name)


def _of_another_table(archive: Path, name: PartName) -> None:
    shutil.copy(_other(archive, name).columns(archive), name.columns(archive))


def _of_another_table_and_pinned(archive: Path, name: PartName) -> None:
    _of_another_table(archive, name)
    pin(archive, name, columns_sha256=sha256(name.columns(archive).read_bytes()))


def _claimed(archive: Path, name: PartName, **said: object) -> None:
    """The copy with another first line, pinned."""
    line, _, rest = name.columns(archive).read_bytes().partition(b"\n")
    data = json.dumps(json.loads(line) | said).encode() + b"\n" + rest
    name.columns(archive).write_bytes(data)
    pin(archive, name, columns_sha256=sha256(data))


def _of_another_table_that_claims_to_be_of_this(archive: Path, name: PartName) -> None:
    _of_another_table(archive, name)
    _claimed(archive, name, container=sha256(name.container(archive).read_bytes()))


def _of_another_layout(archive: Path, name: PartName) -> None:
    _claimed(archive, name, layout="0" * 64)


def _in_pieces_of_no_length(archive: Path, name: PartName) -> None:
    _claimed(archive, name, pieces=[2**62, -(2**62)])


def _with_fewer_rows(archive: Path, name: PartName) -> None:
    """A whole copy of a shorter container that claims to be of this one."""
    data = name.container(archive).read_bytes()
    frame = decoding.flat(data, current()).head(100)
    made = copies._packed(frame)
    line = {"container": sha256(data), "layout": copies.layout(), "pieces": [len(made)]}
    name.columns(archive).write_bytes(json.dumps(line).encode() + b"\n" + made)
    pin(archive, name, columns_sha256=sha256(name.columns(archive).read_bytes()))


def _instead(make: Callable[[Path], object]) -> Callable[[Path, PartName], None]:
    def attack(archive: Path, name: PartName) -> None:
        name.columns(archive).unlink()
        make(name.columns(archive))

    return attack


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _line_without_end(path: Path) -> None:
    path.write_bytes(b'{"container": ' * 100_000)


def _linked_folder(archive: Path, name: PartName) -> None:
    folder = name.columns(archive).parent
    shutil.rmtree(folder)
    folder.symlink_to("/etc")


def _no_folder(archive: Path, name: PartName) -> None:
    shutil.rmtree(copies_of(archive))
    copies_of(archive).write_bytes(b"")


ATTACKS: dict[str, Callable[[Path, PartName], None]] = {
    "flipped": _flipped,
    "cut": _cut,
    "cut and pinned": _cut_and_pinned,
    "another table's": _of_another_table,
    "another table's, pinned": _of_another_table_and_pinned,
    "another table's, pinned, with this one's name": _of_another_table_that_claims_to_be_of_this,
    "another layout": _of_another_layout,
    "absurd lengths": _in_pieces_of_no_length,
    "fewer rows": _with_fewer_rows,
    "gone": _instead(lambda _: None),
    "a link to another file": _instead(lambda path: path.symlink_to("/etc/passwd")),
    "a link to nothing": _instead(lambda path: path.symlink_to("/nowhere")),
    "a link to itself": _instead(lambda path: path.symlink_to(path)),
    "a device": _instead(lambda path: path.symlink_to("/dev/zero")),
    "a pipe": _instead(os.mkfifo),
    "a folder": _instead(Path.mkdir),
    "empty": _instead(Path.touch),
    "huge": _instead(_huge),
    "a line without end": _instead(_line_without_end),
    "its folder a link": _linked_folder,
    "its folder a file": _no_folder,
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_copy_that_is_not_in_order_is_passed_over(pit: Path, attack: str, decoded: list[int]) -> None:
    whole = [one.events for one in read_table_days(table_days(pit)) if isinstance(one, TableDay)]
    for name in names(pit)[::2]:
        if os.path.lexists(name.columns(pit)) and copies_of(pit).is_dir() and not name.columns(pit).parent.is_symlink():
            ATTACKS[attack](pit, name)
    for frame, one in zip(whole, read_table_days(table_days(pit)), strict=True):
        assert isinstance(one, TableDay), "nothing about a copy is damage of a table-day"
        assert_frame_equal(one.events, frame)
    assert sum(decoded) in (2, 3)


def test_verdicts_are_the_same_with_copies_without_and_with_damaged_ones(pit: Path) -> None:
    whole = digests(pit)
    for number, name in enumerate(names(pit)[:2]):
        (_flipped, _cut_and_pinned)[number](pit, name)
    assert digests(pit) == whole
    shutil.rmtree(copies_of(pit))
    assert digests(pit) == whole
    for name in names(pit):
        pin(pit, name, columns_sha256=None)
    assert digests(pit) == whole


def test_the_copy_of_an_earlier_container_is_not_taken(pit: Path, decoded: list[int]) -> None:
    """Somebody puts another container into the place and pins it, and leaves the copy and its pin as they were."""
    name, ref = names(pit)[0], table_days(pit)[0]
    before = read_table_day(ref).events
    events = list(read_events(ref))
    forged = container([encode_datum(replace(event, at=event.at + 1)) for event in events])
    name.container(pit).write_bytes(forged)
    pin(pit, name, sha256=sha256(forged), bytes=len(forged))
    assert read_table_day(ref).events["at"].to_list() == [at + 1 for at in before["at"]]
    assert decoded == [1]


def test_a_damaged_container_is_damage_whatever_its_copy_holds(pit: Path) -> None:
    name = names(pit)[0]
    flip(name.container(pit), -100)
    with pytest.raises(reading.TableDayDamaged, match=r"its SHA-256 is not the manifest's"):
        read_table_day(table_days(pit)[0])


def test_a_manifest_without_a_pin_is_as_it_was_ever(pit: Path) -> None:
    manifest = read_manifests(table_days(pit)[0])[0]
    plain = replace(manifest, columns_sha256=None)
    assert "columns" not in plain.to_json()
    assert Manifest.from_json(plain.to_json()) == plain
    assert Manifest.from_json(manifest.to_json()) == manifest != plain
    for said in (None, 7, "0" * 63):
        with pytest.raises(TextRefused, match="columns_sha256"):
            Manifest.from_json(manifest.to_json().replace(json.dumps(manifest.columns_sha256), json.dumps(said)))


def in_a_process_of_its_own(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script that imports these tests by their path, since another distribution has a package of that name."""
    root = Path(__file__).resolve().parents[2]
    begin = f"import sys, types; sys.modules['tests'] = tests = types.ModuleType('tests'); tests.__path__ = ['{root / 'tests'}']"
    return subprocess.run(
        [sys.executable, "-c", f"{begin}\n{script}", *map(str, arguments)], check=False, capture_output=True, text=True,
        cwd=root, env=os.environ | {"RUST_BACKTRACE": "0"},
    )  # fmt: skip


# Streams that claim too much


def streams() -> tuple[bytes, bytes]:
    """A small log as an Arrow stream, packed and not."""
    frame = decoding.flat(container([encode_datum(event) for event in odd_table_day(3)[:60]]), current())
    packed, plain = io.BytesIO(), io.BytesIO()
    frame.write_ipc_stream(packed, compression="zstd")
    frame.write_ipc_stream(plain)
    return packed.getvalue(), plain.getvalue()


def altered(stream: bytes, random: Random) -> bytes:
    """The stream with a few bits flipped, or numbers in it that are absurd ones."""
    data = bytearray(stream)
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.randrange(0, len(data) - 8, 4)
        if random.random() < 0.5:
            data[at + random.randrange(4)] ^= 1 << random.randrange(8)
        else:
            data[at : at + 8] = random.choice((-1, 0, 10**6, 2**31, 2**40, 2**62)).to_bytes(8, "little", signed=True)
    return bytes(data[: random.randrange(len(data))] if random.random() < 0.05 else data)


def read_altered(seed: int, cases: int) -> None:
    """Read altered streams: each fails as a failure of Python does, or gives a frame. The process may have 4 GiB."""
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    random, refused = Random(seed), 0
    for stream in streams():
        for _ in range(cases):
            made = altered(stream, random)
            try:
                list(copies._unpacked(made, 0, [len(made)]))
            except BaseException as error:
                assert is_failure(error)
                refused += isinstance(error, StreamRefused)
    assert refused > cases / 4


def test_no_stream_makes_the_process_end() -> None:
    done = in_a_process_of_its_own("from tests.sources.test_copies import read_altered; read_altered(5, 400)")
    assert done.returncode == 0, done.stderr[-3_000:]


@pytest.mark.parametrize("number", [0, 1], ids=["packed", "plain"])
def test_a_stream_is_held_to_its_own_bytes(number: int) -> None:
    stream = streams()[number]
    schema = schema_of_stream(stream, 1 << 20)
    assert stream.startswith(schema) and pl.read_ipc_stream(schema + END).schema == FLAT
    for wrong in (b"", stream[:-8], stream + b"\0", stream[: len(schema)] + END + END, END, stream[len(schema) :]):
        with pytest.raises(StreamRefused):
            schema_of_stream(wrong, 1 << 20)
    with pytest.raises(StreamRefused, match=r"unpack to more than they may|more rows than there can be"):
        schema_of_stream(stream, 1_000)


def test_columns_of_other_types_are_refused() -> None:
    out = io.BytesIO()
    pl.DataFrame({"seq": [1]}).write_ipc_stream(out)
    with pytest.raises(CopyRefused, match="its columns are others"):
        list(copies._unpacked(out.getvalue(), 0, [out.tell()]))


# Sealing


def seal(archive: Path, first: int = 1, last: int = part.LEAST, day: dt.date = DAY) -> PartName:
    sink = ArchiveSink(archive)
    recorder = Recorder(sink, "T1")
    for number in range(max(first, recorder.last_seq + 1), last + 1):  # after a kill some are there
        recorder.record("CardDealt", round=1, at=NOON + number, gaming_day=day, card=CardAt(1, 0, "Th", "up"))
    recorder.seal(day)
    [*_, last_part] = sink.day("T1", day).parts
    assert last_part == read_manifests(TableDayRef(day, "T1", archive))[-1]
    sink.close()
    return last_part.name


def is_copied(archive: Path, name: PartName) -> bool:
    manifest = Manifest.from_json(name.manifest(archive).read_bytes())
    if manifest.columns_sha256 is None:
        assert not name.columns(archive).exists()
        return False
    assert sha256(name.columns(archive).read_bytes()) == manifest.columns_sha256
    return True


def test_a_part_gets_a_copy_where_it_is_long_enough_and_a_late_one_its_own(tmp_path: Path) -> None:
    least = part.LEAST
    assert not is_copied(tmp_path, seal(tmp_path, 1, least - 1))
    assert is_copied(tmp_path, seal(tmp_path, least, 2 * least))
    third = seal(tmp_path, 2 * least + 1, 4 * least)
    assert is_copied(tmp_path, third)
    assert third.columns(tmp_path) == tmp_path / ".columns/2009-06-01/T1.late-2.arrow"
    ref = TableDayRef(DAY, "T1", tmp_path)
    assert read_table_day(ref).events["seq"].to_list() == list(range(1, 4 * least + 1))
    assert table_days(tmp_path) == [ref]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MemoryError(), CopyRefused("too large")])
def test_a_copy_that_cannot_be_made_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> bytes:
        raise error

    monkeypatch.setattr(copies, "make_copy", fail)
    name = seal(tmp_path)
    assert not is_copied(tmp_path, name)
    assert read_table_day(table_days(tmp_path)[0]).events.height == part.LEAST


def test_a_folder_of_copies_that_is_none_is_no_hindrance(tmp_path: Path) -> None:
    copies_of(tmp_path).write_bytes(b"")
    assert not is_copied(tmp_path, seal(tmp_path))


def test_a_disk_that_has_room_for_the_copy_or_the_manifest_gets_the_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = part.write_durably

    def full(path: Path, data: bytes, mode: int) -> None:
        if path.suffix == ".json" and PartName(DAY, "T1").columns(tmp_path).exists():
            raise OSError(28, "No space left on device", str(path))
        write(path, data, mode)

    monkeypatch.setattr(part, "write_durably", full)
    assert not is_copied(tmp_path, seal(tmp_path))


def test_a_process_that_was_forked_from_one_with_an_engine_at_work_seals_without_a_copy(tmp_path: Path) -> None:
    """The threads that the engine would wait for are the parent's."""
    pl.DataFrame({"a": [1, 2]}).select(pl.col("a") + 1)
    child = os.fork()
    if child == 0:
        try:
            os._exit(is_copied(tmp_path, seal(tmp_path)))
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert is_copied(tmp_path / "own", seal(tmp_path / "own")), "the parent goes on with copies"


def test_a_batch_brings_its_copies_and_one_that_was_killed_on_its_way_leaves_them_to_the_next(tmp_path: Path) -> None:
    def batch(table_id: str, *, killed: bool = False) -> None:
        sink = ArchiveSink(tmp_path)
        with Batch(sink) as made:
            made.add(encoded(table_id))
            if killed:
                (batch_folder(tmp_path) / "draft").rename(on_their_way(tmp_path))
            else:
                made.commit()
        sink.close()

    batch("T1")
    assert is_copied(tmp_path, PartName(DAY, "T1"))
    batch("T2", killed=True)
    assert [ref.table_id for ref in table_days(tmp_path)] == ["T1"]
    batch("T3")
    assert is_copied(tmp_path, PartName(DAY, "T2")) and is_copied(tmp_path, PartName(DAY, "T3"))
    assert [one.events.height for one in read_table_days(table_days(tmp_path)) if isinstance(one, TableDay)] == [
        1_000
    ] * 3
    assert not on_their_way(tmp_path).exists()


def test_what_stands_in_the_place_of_copies_holds_up_no_batch(tmp_path: Path) -> None:
    copies_of(tmp_path).write_bytes(b"")
    sink = ArchiveSink(tmp_path)
    with Batch(sink) as made:
        made.add(encoded("T1"))
        made.commit()
    sink.close()
    assert read_table_day(table_days(tmp_path)[0]).events.height == part.LEAST
    assert not on_their_way(tmp_path).exists()


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.sources.test_copies import seal
left = 0

def counted(name):
    real = getattr(os, name)
    def call(*arguments, **options):
        global left
        left -= 1
        if left == 0:
            if name == "pwrite":
                real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2], arguments[2])
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)
    setattr(os, name, call)

for name in ("pwrite", "fsync", "rename", "unlink", "ftruncate"):
    counted(name)
for step in range(1, 100):
    for left in (step, -1):  # killed there, and done again to its end
        child = os.fork()
        if not child:
            seal(Path(sys.argv[1]) / str(step))
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if left == step and code == 0:
            sys.exit(0)
        assert code == (-signal.SIGKILL if left == step else 0), code
"""


def test_killed_before_every_step_of_sealing_it_ends_with_the_same_bytes_and_the_copy(tmp_path: Path) -> None:
    def content(archive: Path) -> dict[str, bytes]:
        files = (path for path in archive.rglob("*") if path.is_file() and path.parent.name != "lock")
        return {str(path.relative_to(archive)): path.read_bytes() for path in files if path.suffix != ".tmp"}

    seal(tmp_path / "whole")
    whole = content(tmp_path / "whole")
    assert set(whole) == {"2009-06-01/T1.avro", "2009-06-01/T1.json", ".columns/2009-06-01/T1.arrow"}
    (tmp_path / "killed").mkdir()
    done = in_a_process_of_its_own(KILLED, tmp_path / "killed")
    assert done.returncode == 0, done.stderr
    archives = list((tmp_path / "killed").iterdir())
    assert len(archives) > 12
    for archive in archives:
        assert content(archive) == whole, f"killed before step {archive.name}"


def test_a_recorder_imports_no_column_engine_before_it_seals(tmp_path: Path) -> None:
    script = """
import sys, datetime as dt
from pathlib import Path
from producers.recorder import Recorder
from producers.sinks.archive import ArchiveSink
from schemas.event import CardAt
sink = ArchiveSink(Path(sys.argv[1]))
table = Recorder(sink, "T1")
event = table.record("CardDealt", round=1, card=CardAt(1, 0, "Th", "up"))
table.flush()
table.seal(event.gaming_day)
assert not {"polars", "polars_avro", "pyarrow", "numpy"} & sys.modules.keys()
"""
    done = in_a_process_of_its_own(script, tmp_path)
    assert done.returncode == 0, done.stderr
