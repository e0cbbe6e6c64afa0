"""Small table-days are decoded together: each gives what it gives alone, whatever lies beside it, and costs less."""

import datetime as dt
import hashlib
import io
from collections.abc import Callable
from pathlib import Path

import polars_avro
import pytest
from polars.testing import assert_frame_equal

from producers.recorder import Recorder
from producers.sinks.archive import ArchiveSink
from replayer.log.columns import TableDay
from replayer.log.compaction import PIECE
from replayer.sources import archive, decoding
from replayer.sources.archive import read_table_day, read_table_days
from replayer.sources.layout import Manifest
from replayer.sources.manifests import TableDayDamaged
from replayer.sources.table_days import TableDayRef, table_days
from schemas.codec import Schema, current, encode_datum, schema_of, transcode
from schemas.container import in_one, read_blocks, read_datums, read_header, write_container
from schemas.event import Event
from schemas.notation import parse_events
from tests.bits import flip

DAY = dt.date(2026, 1, 5)
NOON = 1_767_585_600_000_000
ROUND = "open:black_jack:MOP:7=50000 #1 1.main=100@p7/0 nomore 1+9c B-Td 1+8d B-?? 1b.stand B^9h 1.main=100>-100@p7 end"


def write(folder: Path, tables: int) -> list[TableDayRef]:
    """So many table-days of one round; one of them has a late part."""
    sink = ArchiveSink(folder)
    for number in range(tables):
        recorder = Recorder(sink, f"T{number:02d}")
        for event in parse_events(ROUND):
            recorder.record(
                event.kind, round=event.round, at=NOON + event.seq, table=event.table, card=event.card,
                wager=event.wager, decision=event.decision, chips=event.chips, gaming_day=DAY,
            )  # fmt: skip
        recorder.seal(DAY)
    late = Recorder(sink, "T01")
    late.record("WagersClosed", round=2, at=NOON, gaming_day=DAY)
    late.seal(DAY)
    sink.close()
    return table_days(folder)


def put(ref: TableDayRef, data: bytes, change: Callable[[str], str] = str) -> None:
    """Other bytes in the place of a container, under a manifest that names their digest."""
    container = ref.archive / str(DAY) / f"{ref.table_id}.avro"
    file = container.with_suffix(".json")
    manifest = Manifest.from_json(file.read_bytes())
    said = manifest.to_json().replace(manifest.sha256, hashlib.sha256(data).hexdigest())
    file.write_text(change(said.replace(f'"bytes": {manifest.bytes}', f'"bytes": {len(data)}')))
    container.write_bytes(data)


def bytes_of(ref: TableDayRef) -> bytes:
    return (ref.archive / str(DAY) / f"{ref.table_id}.avro").read_bytes()


def container(datums: list[bytes], schema: Schema, table_id: str) -> bytes:
    out = io.BytesIO()
    write_container(out, schema, datums, {"table_id": table_id, "gaming_day": str(DAY)})
    return out.getvalue()


def _flipped(ref: TableDayRef) -> None:
    flip(ref.archive / str(DAY) / f"{ref.table_id}.avro", -30)


def _of_another_table(ref: TableDayRef) -> None:
    other = TableDayRef(DAY, "T00", ref.archive)
    put(ref, container([datum for datum, _ in read_datums(bytes_of(other))], current(), ref.table_id))


def _of_two_tables(ref: TableDayRef) -> None:
    own, other = (
        [datum for datum, _ in read_datums(bytes_of(TableDayRef(DAY, t, ref.archive)))] for t in (ref.table_id, "T00")
    )
    put(ref, container([*own[:-1], other[-1]], current(), ref.table_id))


def _numbered_otherwise(ref: TableDayRef) -> None:
    put(ref, bytes_of(ref), lambda text: text.replace('"first_seq": 1', '"first_seq": 0'))


def _without_an_end(ref: TableDayRef) -> None:
    """An event that no reader of the schema takes: the digest and the counts are in order."""
    datums = [datum for datum, _ in read_datums(bytes_of(ref))]
    put(ref, container([*datums[:-1], datums[-1][:-1] + b"\x7f"], current(), ref.table_id))


DAMAGES = [_flipped, _of_another_table, _of_two_tables, _numbered_otherwise, _without_an_end]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_table_day_is_reported_as_when_it_is_read_alone_whatever_is_wrong_beside_it(
    tmp_path: Path, damage: Callable[[TableDayRef], None]
) -> None:
    refs = write(tmp_path, 4)
    whole = [read_table_day(ref).events for ref in refs]
    damage(refs[2])
    with pytest.raises(TableDayDamaged) as alone:
        read_table_day(refs[2])
    read = list(read_table_days(refs))
    assert isinstance(read[2], TableDayDamaged)
    assert str(read[2]) == str(alone.value)
    for number in (0, 1, 3):
        one = read[number]
        assert isinstance(one, TableDay) and (one.gaming_day, one.table_id) == (DAY, refs[number].table_id)
        assert_frame_equal(one.events, whole[number])
    assert read[1].events["seq"].to_list() == list(range(1, whole[1].height + 1))  # type: ignore[union-attr]


def test_a_table_day_of_an_older_schema_is_read_beside_others(tmp_path: Path, older_schema: Schema) -> None:
    refs = write(tmp_path, 3)
    datums = [transcode(datum, current(), older_schema) for datum, _ in read_datums(bytes_of(refs[2]))]
    schema = schema_of(older_schema.text)
    put(
        refs[2], container(datums, older_schema, "T02"),
        lambda text: text.replace(current().sha256, schema.sha256).replace(current().fingerprint.hex(), schema.fingerprint.hex()),
    )  # fmt: skip
    for ref, one in zip(refs, read_table_days(refs), strict=True):
        assert isinstance(one, TableDay)
        assert_frame_equal(one.events, read_table_day(ref).events)


@pytest.mark.parametrize("tables", [4, 24])
def test_many_small_table_days_are_decoded_as_often_as_a_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tables: int
) -> None:
    calls = []
    decode = polars_avro.read_avro
    monkeypatch.setattr(decoding.polars_avro, "read_avro", lambda data: calls.append(1) or decode(data))
    refs = write(tmp_path, tables)
    assert sum(isinstance(one, TableDay) for one in read_table_days(refs)) == tables
    assert len(calls) == 1


def test_no_more_events_are_decoded_together_than_fit_a_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refs = write(tmp_path, 6)
    events = sum(1 for _ in parse_events(ROUND))
    assert PIECE > 1000
    monkeypatch.setattr(archive, "PIECE", 2 * events)
    sizes = []
    decode = polars_avro.read_avro

    def read(data: io.BytesIO) -> object:
        frame = decode(data)
        sizes.append(frame.height)
        return frame

    monkeypatch.setattr(decoding.polars_avro, "read_avro", read)
    assert sum(isinstance(one, TableDay) for one in read_table_days(refs)) == 6
    assert sum(sizes) == 6 * events + 1 and max(sizes) <= 2 * events


def test_containers_of_one_schema_become_one_with_all_their_events() -> None:
    def of(events: list[Event], table_id: str) -> bytes:
        return container([encode_datum(event) for event in events], current(), table_id)

    events = list(parse_events(ROUND))
    parts = [events[:3], [], events[3:]]
    made = in_one([of(part, f"T{number}") for number, part in enumerate(parts)])
    assert [record["seq"] for _, record in read_datums(made)] == [event.seq for event in events]
    assert [block.count for block in read_blocks(made)] == [3, len(events) - 3]
    assert read_header(made).metadata["table_id"] == "T0"
