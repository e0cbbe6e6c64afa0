"""Archives as a recorder writes them, event by event, and what lies in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from producers.sinks import Sink
from producers.sinks.archive import ArchiveSink
from replayer.log.columns import TableDay
from replayer.sources.archive import read_sealed, read_table_day
from replayer.sources.manifests import read_manifests
from replayer.sources.table_days import TableDayRef, table_days
from schemas.codec import decode_datum, encode, schema_of
from schemas.container import read_datums, read_header
from schemas.event import Event


def append(sink: Sink, *events: Event) -> None:
    """Give events to a sink."""
    for event in events:
        sink.append(event.table_id, event.gaming_day, event.seq, encode(event))


def record(archive: Path, events: Iterable[Event], *, sealed: bool = True) -> TableDayRef:
    """Record the events of one table-day and, unless told otherwise, seal it."""
    written = list(events)
    ref = TableDayRef(written[0].gaming_day, written[0].table_id, archive)
    with closing(ArchiveSink(archive)) as sink:
        append(sink, *written)
        if sealed:
            sink.seal(ref.table_id, ref.gaming_day)
        else:
            sink.flush()
    return ref


def logs_in(archive: Path) -> list[TableDay]:
    """The table-days of an archive, each with its events alone."""
    return [TableDay(ref.table_id, ref.gaming_day, read_table_day(ref).events) for ref in table_days(archive)]


def files_in(folder: Path, *but: str) -> dict[str, bytes]:
    """Every file below a folder with its bytes, but those that have one of these names or are in a folder that has."""
    files = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {str(name): path.read_bytes() for name, path in files.items() if not {*but} & {*name.parts}}


def read_events(ref: TableDayRef) -> Iterator[Event]:
    """The events of a table-day, each decoded by itself: another way than the columns, which are held against it."""
    for part in read_manifests(ref):
        data = read_sealed(part, ref.archive)
        writer = schema_of(read_header(data).schema_text)
        yield from (decode_datum(datum, writer) for datum, _ in read_datums(data))
