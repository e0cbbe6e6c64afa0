"""Reading sealed table-days: the same values as independent readers, and what is said of every kind of damage."""

import datetime as dt
import hashlib
import io
import json
import pickle
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import fastavro
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from producers.recorder import Recorder
from producers.sinks.archive import ArchiveSink
from replayer.log.columns import FLAT, columns_of
from replayer.sources.archive import read_table_day, read_table_days
from replayer.sources.layout import Manifest
from replayer.sources.manifests import TableDayDamaged, read_manifests
from replayer.sources.table_days import TableDayRef, table_days, unsealed
from schemas.codec import MARKER, Schema, current, encode_datum
from schemas.container import read_header, write_container
from schemas.event import CardAt, Chips, Denomination, Event, Option, Remark, Shoe, Table, Wager
from schemas.notation import parse_events
from tests.archives import read_events
from tests.bits import flipped

DAY = dt.date(2026, 1, 5)
NEXT_DAY = dt.date(2026, 1, 6)
NOON = 1_767_585_600_000_000
ROUND = """open:black_jack:MOP:7=50000 #1 1.main=100@p7/0 nomore 1+9c B-Td 1+8d B-?? 1b.stand B^9h 1.main=100>-100@p7 end
#- correct:9:{mis read}:1+Td drop=700"""


def write(archive: Path, table_id: str = "T1", day: dt.date = DAY, cards: int = 9000) -> TableDayRef:
    """A table-day of three blocks."""
    sink = ArchiveSink(archive)
    recorder = Recorder(sink, table_id)
    for number in range(cards):
        card = CardAt(1, 0, f"{'A23456789TJQK'[number % 13]}{'cdhs'[number % 4]}", "up")
        recorder.record("CardDealt", round=1 + number // 5, at=NOON + number, gaming_day=day, card=card)
    recorder.seal(day)
    sink.close()
    return TableDayRef(day, table_id, archive)


def damage_of(ref: TableDayRef) -> TableDayDamaged:
    with pytest.raises(TableDayDamaged) as raised:
        read_table_day(ref)
    assert str(raised.value).startswith(str(raised.value.file))
    return raised.value


# Values


def test_columns_and_events_hold_what_was_recorded_field_by_field(tmp_path: Path) -> None:
    sink = ArchiveSink(tmp_path)
    recorder = Recorder(sink, "T1")
    recorded = [
        recorder.record(
            event.kind,
            round=event.round,
            at=NOON + event.seq,
            table=event.table,
            card=event.card,
            wager=event.wager,
            decision=event.decision,
            chips=event.chips,
            remark=event.remark,
        )
        for event in parse_events(ROUND)
    ]
    days = dt.date(2026, 1, 2), dt.date(2026, 1, 3), dt.date(1969, 12, 31)
    inventory = Chips(5, "F1", "p7", (Denomination(10_000, 3), Denomination(0, 10**15)))
    recorded += [
        recorder.record("OptionElected", at=-1, gaming_day=DAY, option=Option("Nïcò", "葡京", "REF", *days)),
        recorder.record("ShoeShuffled", at=NOON, shoe=Shoe(1_000_000, "hand", 6, "player", 60)),
        recorder.record("TableClosed", at=NOON, chips=inventory, table=Table(staff="D1")),
        recorder.record("RoundVoided", at=NOON, round=10**12, remark=Remark("", 7)),
        recorder.record("WagerPlaced", at=NOON, round=1, wager=Wager("main", 1, 10**15, 2, "p", 3, -(10**15))),
        recorder.record("TableClosed", at=NOON, chips=Chips(0, denominations=())),
    ]
    recorder.seal(DAY)
    ref = TableDayRef(DAY, "T1", tmp_path)
    assert list(read_events(ref)) == recorded
    frame = read_table_day(ref).events
    assert frame.schema == FLAT
    assert_frame_equal(frame, columns_of(recorded))


def test_columns_are_those_that_fastavro_reads(tmp_path: Path) -> None:
    ref = write(tmp_path, cards=5000)
    with (tmp_path / "2026-01-05" / "T1.avro").open("rb") as file:
        records = list(fastavro.reader(file))
    frame = read_table_day(ref).events
    assert frame["seq"].to_list() == [record["seq"] for record in records]
    assert frame["card_card"].to_list() == [record["card"]["card"] for record in records]
    assert frame["kind"].cast(pl.String).to_list() == [record["kind"] for record in records]


def test_a_container_that_fastavro_wrote_is_read_as_one_of_this_program(tmp_path: Path) -> None:
    """By the schema of ``schemas``, compressed by zstandard, alone and beside another table-day's."""
    ref, other = write(tmp_path, cards=5), write(tmp_path, "T2", cards=3)
    file, manifest, before = (
        tmp_path / "2026-01-05" / "T1.avro",
        tmp_path / "2026-01-05" / "T1.json",
        read_table_day(ref).events,
    )
    with file.open("rb") as own:
        records = list(fastavro.reader(own))
    schema = json.loads(current().text)
    with file.open("wb") as written:
        fastavro.writer(written, schema, records, codec="zstandard")
    data, said = file.read_bytes(), read_manifests(ref)[0]
    manifest.write_text(
        replace(said, bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), columns_sha256=None).to_json()
    )
    assert read_header(data).schema_text != current().text
    assert_frame_equal(read_table_day(ref).events, before)
    assert [one.events.height for one in read_table_days([ref, other])] == [5, 3]


def test_late_parts_are_read_behind_the_first(tmp_path: Path) -> None:
    ref = write(tmp_path, cards=3)
    sink = ArchiveSink(tmp_path)
    Recorder(sink, "T1").record("WagersClosed", round=1, at=NOON)
    sink.seal("T1", DAY)
    assert read_table_day(ref).events["seq"].to_list() == [1, 2, 3, 4]
    assert [event.seq for event in read_events(ref)] == [1, 2, 3, 4]
    assert table_days(tmp_path) == [ref]


def test_table_days_are_listed_in_order_and_filtered(tmp_path: Path) -> None:
    refs = [write(tmp_path, table, day, 1) for day in (DAY, NEXT_DAY) for table in ("T10", "T2")]
    assert table_days(tmp_path) == refs
    assert table_days(tmp_path, DAY) == refs[:2]
    assert table_days(tmp_path, table="T2") == [refs[1], refs[3]]
    assert table_days(tmp_path, NEXT_DAY, "T10") == [refs[2]]
    assert table_days(tmp_path, dt.date(2020, 1, 1)) == []
    assert table_days(tmp_path / "nowhere") == []


def test_a_table_day_under_way_is_not_sealed_and_not_silent(tmp_path: Path) -> None:
    sink = ArchiveSink(tmp_path)
    Recorder(sink, "T1").record("WagersClosed", round=1, at=NOON)
    sink.flush()
    assert table_days(tmp_path) == []
    assert unsealed(tmp_path) == [TableDayRef(DAY, "T1", tmp_path)]
    assert unsealed(tmp_path, NEXT_DAY) == []
    sink.seal("T1", DAY)
    assert unsealed(tmp_path) == []


def test_a_table_day_of_an_older_schema_is_resolved_to_the_current_one(tmp_path: Path, older_schema: Schema) -> None:
    day = dt.date(2009, 6, 1)
    events = list(parse_events("#1 1.main=100@p7 1+Ac 1.hit 1+9c end"))
    for name, older in (("old", events), ("mixed", events[:3])):
        sink = ArchiveSink(tmp_path / name)
        for event in events:
            writer = older_schema if event in older else current()
            datum = fastavro_datum(event, writer)
            sink.append("T1", day, event.seq, MARKER + writer.fingerprint + datum)
        sink.seal("T1", day)
        ref = TableDayRef(day, "T1", tmp_path / name)
        written_with = older_schema if name == "old" else current()
        assert read_manifests(ref)[0].schema_fingerprint == written_with.fingerprint.hex(), "the newest that occurs"
        assert list(read_events(ref)) == events
        assert_frame_equal(read_table_day(ref).events, columns_of(events))


def fastavro_datum(event: Event, writer: Schema) -> bytes:
    """The event as fastavro writes it under a schema that may lack some of its fields."""
    record = fastavro.schemaless_reader(io.BytesIO(encode_datum(event)), current().parsed, None)
    out = io.BytesIO()
    fastavro.schemaless_writer(out, writer.parsed, record)
    return out.getvalue()


# Damage


def test_every_cut_is_found_with_the_block_and_the_events_before_it(tmp_path: Path) -> None:
    ref = write(tmp_path)
    file = tmp_path / "2026-01-05" / "T1.avro"
    whole = file.read_bytes()
    blocks = [i for i in range(len(whole)) if whole.startswith(whole[-16:], i)]
    assert len(blocks) == 4, "the header and three blocks end with the sync marker"
    starts = [position + 16 for position in blocks]
    for cut, position, readable in [
        (len(whole) - 1, starts[2], 8192),
        (starts[2] + 1, starts[2], 8192),
        (starts[1] + 100, starts[1], 4096),
        (starts[0] + 5, starts[0], 0),
    ]:
        file.write_bytes(whole[:cut])
        found = damage_of(ref)
        assert (found.file, found.position) == (file, position)
        assert f"{cut} bytes instead of {len(whole)}" in found.what
        assert f"{readable} of 9000 events stand before it" in found.what
    file.write_bytes(whole[: starts[2]])  # a cut between blocks looks like a clean end to every Avro reader
    found = damage_of(ref)
    assert f"{starts[2]} bytes instead of {len(whole)}" in found.what
    file.write_bytes(b"")
    assert "0 bytes instead of" in damage_of(ref).what
    file.write_bytes(whole)
    assert read_table_day(ref).events.height == 9000


def test_every_flipped_bit_is_found(tmp_path: Path) -> None:
    ref = write(tmp_path, cards=50)
    file = tmp_path / "2026-01-05" / "T1.avro"
    whole = file.read_bytes()
    for position in [*range(0, len(whole), 97), len(whole) - 20, len(whole) - 1]:
        file.write_bytes(flipped(whole, position, 1 << position % 8))
        assert "its SHA-256 is not the manifest's" in damage_of(ref).what


def test_a_bit_flipped_in_a_block_is_reported_with_the_block(tmp_path: Path) -> None:
    ref = write(tmp_path)
    file = tmp_path / "2026-01-05" / "T1.avro"
    data = bytearray(file.read_bytes())
    marker = bytes(data[-16:])
    second = data.index(marker, data.index(marker) + 16) + 16
    data[second + 200] ^= 4
    file.write_bytes(data)
    found = damage_of(ref)
    assert found.position == second
    assert "4096 of 9000 events stand before it" in found.what


def test_trailing_bytes_are_found(tmp_path: Path) -> None:
    ref = write(tmp_path, cards=5)
    file = tmp_path / "2026-01-05" / "T1.avro"
    size = file.stat().st_size
    file.write_bytes(file.read_bytes() + b"\0")
    found = damage_of(ref)
    assert found.position == size
    assert "5 of 5 events stand before it" in found.what


def edit(path: Path, change: Callable[[str], str]) -> None:
    path.write_text(change(path.read_text()))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda text: text[:150], "no JSON"),
        (lambda _: "", "no JSON"),
        (lambda _: "[]", "no manifest of format 1"),
        (lambda text: text.replace('"format": 1', '"format": 2'), "no manifest of format 1"),
        (lambda text: text.replace('"count"', '"number"'), "fields missing or unknown: count, number"),
        (lambda text: text.replace('"count": 5', '"count": "5"'), "count is '5'"),
        (lambda text: text.replace('"first_seq": 1', '"first_seq": 0'), "first_seq is 0"),
        (lambda text: text.replace('"follows": null', '"follows": "ab"'), "part 0 follows 'ab'"),
        (lambda text: text.replace("2026-01-05", "yesterday"), "gaming_day is 'yesterday'"),
        (lambda text: text.replace('"sha256": "', '"sha256": "x'), "sha256 is 'x"),
        (lambda text: text.replace('"table_id": "T1"', '"table_id": 1'), "table_id and schema_fingerprint are texts"),
        (lambda text: text.replace('"T1"', '"T2"'), "it says that it is table T2 of 2026-01-05"),
        (lambda text: text.replace("2026-01-05", "2026-01-06"), "it says that it is table T1 of 2026-01-06"),
        (lambda text: text.replace('"count": 5', '"count": 6'), "it holds 5 events, its manifest says 6"),
        (lambda text: text.replace('"last_seq": 5', '"last_seq": 6'), "its manifest says 5, 1 to 6"),
        (lambda text: text.replace('"schema_sha256": "', '"schema_sha256": "0')[:-1], "schema_sha256 is '0"),
    ],
)
def test_a_manifest_that_is_wrong_is_reported(tmp_path: Path, change: Callable[[str], str], what: str) -> None:
    ref = write(tmp_path, cards=5)
    manifest = tmp_path / "2026-01-05" / "T1.json"
    edit(manifest, change)
    with pytest.raises(TableDayDamaged) as raised:
        read_table_day(ref)
    assert what in raised.value.what
    assert raised.value.file.parent == manifest.parent


def test_a_container_without_its_manifest_and_a_manifest_without_its_container(tmp_path: Path) -> None:
    ref = write(tmp_path, cards=5)
    folder = tmp_path / "2026-01-05"
    shutil.move(folder / "T1.json", tmp_path / "kept")
    sealed_in_part = "a container without a manifest: it was not sealed to the end"
    assert damage_of(ref).args == (folder / "T1.avro", sealed_in_part, None)
    shutil.move(tmp_path / "kept", folder / "T1.json")
    (folder / "T1.avro").unlink()
    assert damage_of(ref).what == "the container is missing, its manifest is there"
    assert damage_of(TableDayRef(DAY, "T9", tmp_path)).what == "there is no such sealed table-day"
    (folder / "T8.avro").write_bytes(b"Obj\x02")
    assert (
        damage_of(TableDayRef(DAY, "T8", tmp_path)).what == "a container without a manifest, and not one of an archive"
    )


def test_two_table_days_with_one_name_are_reported_however_they_were_copied(tmp_path: Path) -> None:
    ref = write(tmp_path, cards=5)
    folder = tmp_path / "2026-01-05"
    copy = TableDayRef(DAY, "T1-copy", tmp_path)
    shutil.copy(folder / "T1.avro", folder / "T1-copy.avro")
    assert table_days(tmp_path) == [ref, copy]
    for prepare in (
        lambda: None,
        lambda: shutil.copy(folder / "T1.json", folder / "T1-copy.json"),
        lambda: edit(folder / "T1-copy.json", lambda text: text.replace('"T1"', '"T1-copy"')),
    ):
        prepare()
        what = damage_of_columns(copy).what
        assert "it says that it is table T1 of 2026-01-05, its path says T1-copy of 2026-01-05" in what
        assert f"{folder / 'T1.avro'} is that table-day: two table-days with one name" in what
    assert read_table_day(ref).events.height == 5
    for suffix in (".avro", ".json"):
        shutil.copy(folder / f"T1{suffix}", folder / f"T1.late-1{suffix}")
    assert damage_of_columns(ref).what == "it says that it is part 0, its path says part 1"
    shutil.copytree(folder, tmp_path / "2026-01-06")
    assert "two table-days with one name" in damage_of(TableDayRef(NEXT_DAY, "T1", tmp_path)).what


@pytest.mark.parametrize(
    ("named", "claimed"),
    [
        ({"table_id": "T2", "gaming_day": "2026-01-05"}, "table T2 of 2026-01-05"),
        ({"table_id": "T1", "gaming_day": "2026-01-06"}, "table T1 of 2026-01-06"),
        ({"table_id": "T1", "gaming_day": "2026-01-05", "part": "0"}, None),
        ({}, None),  # another program's
    ],
)
def test_a_container_whose_header_names_another_table_day_than_its_manifest_is_reported(
    tmp_path: Path, named: dict[str, str], claimed: str | None
) -> None:
    """Its events and its digest are those of the manifest: one of the two, header or manifest, is forged."""
    ref = write(tmp_path, cards=5)
    container = tmp_path / "2026-01-05" / "T1.avro"
    datums = [encode_datum(event) for event in read_events(ref)]
    with container.open("wb") as file:
        write_container(file, current(), datums, named)
    [was] = read_manifests(TableDayRef(DAY, "T1", tmp_path))
    data = container.read_bytes()
    sealed = replace(was, bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), columns_sha256=None)
    container.with_suffix(".json").write_text(sealed.to_json())
    if claimed is None:
        assert read_table_day(ref).events.height == len(list(read_events(ref))) == 5
    else:
        assert f"it says that it is {claimed}, its path says T1 of 2026-01-05" in damage_of(ref).what


def damage_of_columns(ref: TableDayRef) -> TableDayDamaged:
    with pytest.raises(TableDayDamaged) as raised:
        read_table_day(ref)
    return raised.value


def test_a_file_whose_name_is_none_of_an_archive_is_listed_and_reported(tmp_path: Path) -> None:
    write(tmp_path, cards=5)
    folder = tmp_path / "2026-01-05"
    shutil.copy(folder / "T1.avro", folder / "T1 (copy).avro")
    strange = table_days(tmp_path)[1]
    assert strange.table_id == "T1 (copy)"
    assert damage_of(strange).args == (folder / "T1 (copy).avro", "no table-day of an archive has such a name", None)


def test_an_unknown_fingerprint_is_reported_with_what_to_do(tmp_path: Path) -> None:
    """A container of another program's schema, under a manifest that fits it."""
    folder = tmp_path / "2026-01-05"
    folder.mkdir(parents=True)
    foreign = {"type": "record", "name": "Foreign", "fields": [{"name": "x", "type": "int"}]}
    with (folder / "T1.avro").open("wb") as file:
        fastavro.writer(file, foreign, [{"x": 1}], codec="zstandard")
    data = (folder / "T1.avro").read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    (folder / "T1.json").write_text(Manifest("T1", DAY, 0, 1, 1, 1, len(data), sha256, "00" * 8, "00" * 32).to_json())
    what = damage_of(TableDayRef(DAY, "T1", tmp_path)).what
    advice = "install the version of pitaudit that wrote it, or add the writer's schema"
    assert f"is not in schemas/index.json: {advice}" in what


def test_another_schema_than_the_manifest_says_is_reported(tmp_path: Path) -> None:
    ref = write(tmp_path, cards=5)
    said = read_manifests(ref)[0]
    edit(
        tmp_path / "2026-01-05" / "T1.json",
        lambda text: text.replace(said.schema_sha256, hashlib.sha256(b"another").hexdigest()),
    )
    assert damage_of(ref).what == "it was written with another schema than its manifest says"


def test_a_late_part_must_follow_the_part_before_it(tmp_path: Path) -> None:
    ref = write(tmp_path, cards=5)
    sink = ArchiveSink(tmp_path)
    Recorder(sink, "T1").record("WagersClosed", round=1, at=NOON)
    sink.seal("T1", DAY)
    folder = tmp_path / "2026-01-05"
    late = Manifest.from_json((folder / "T1.late-1.json").read_text())
    edit(folder / "T1.late-1.json", lambda text: text.replace(str(late.follows), hashlib.sha256(b"").hexdigest()))
    assert damage_of(ref).what == "it follows another container than the part before it"
    (folder / "T1.late-1.json").write_text(late.to_json())
    assert read_table_day(ref).events.height == 6
    for ending in ("avro", "json"):
        (folder / f"T1.{ending}").unlink()
    assert damage_of(ref).what == "a part of the table-day is missing, with its manifest"


def test_damage_comes_back_whole_from_a_worker_process(tmp_path: Path) -> None:
    damaged = TableDayDamaged(tmp_path / "T1.avro", "cut off", 7)
    back = pickle.loads(pickle.dumps(damaged))  # noqa: S301 - our own bytes
    assert back.args == damaged.args
    assert str(back) == f"{tmp_path / 'T1.avro'}, byte 7: cut off"
