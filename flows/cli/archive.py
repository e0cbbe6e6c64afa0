"""``pitaudit archive``."""

from __future__ import annotations

import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from flows.cli.options import (
    Brokers,
    Seconds,
    SettingsFile,
    Topic,
    require_folder,
    require_kafka,
    require_place_for_archive,
    settings_of,
)
from flows.cli.terminal import CLEAN, FOUND, print_json, say, warn
from schemas.plural import first_few, plural

_NAMED: Final = 10


def archive(
    *,
    kafka: Brokers | None = None,
    folder: Annotated[Path | None, Parameter(name="--archive")] = None,
    until_end: bool = False,
    topic: Topic = None,
    group: str | None = None,
    quiet: Seconds | None = None,
    json: bool = False,
    settings: SettingsFile = None,
) -> int:
    """Take the events of a Kafka topic over into the archive, each exactly once, and seal finished table-days.

    It stays up: while the broker is gone it keeps what it has and tries again; a table that cannot be written stops alone,
    and its events wait in the topic. Killed at any point and started again it goes on where it was. Several of them, on one
    host, share the partitions of a topic. SIGTERM and SIGINT end it in order. A table-day is sealed a minute after its
    closing, or when its gaming day is over and nothing came of it for --quiet seconds.

    It prints a line a minute, one a sealing, and one when something is wrong or well again. Messages that cannot be taken are
    kept in the archive's quarantine with their coordinates; messages that the topic lost before the archive had them are
    written down in the archive. Every report names both, and with --until-end they, tables that could not be
    written, and table-days left open, since another archiver reads their partitions, make the exit code 1.

    TLS and SASL options come from the variables KAFKA_SECURITY_PROTOCOL, KAFKA_SSL_CAFILE, KAFKA_SASL_MECHANISM,
    KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD.

    Example: `pitaudit archive --kafka 127.0.0.1:9092 --archive archive --until-end`

    Parameters
    ----------
    kafka
        HOST:PORT of a broker, several with commas between, unless the settings name them.
    folder
        The archive's folder, made where it is missing, unless the settings name it.
    until_end
        Stop at the topic's present end and seal its table-days. Without it, run until interrupted.
    group
        The consumer group under which Kafka keeps how far this is; pitaudit-archiver unless set.
    quiet
        Seconds without an event after which a table-day that was not closed is sealed, its gaming day being over; 900 unless
        set.
    json
        One JSON object a line on standard output: the lines above with "line" (progress, sealed, trouble, told), and last
        one without it: events, duplicates, quarantined, sealed, offsets, behind, stuck, lost, left_open. With --until-end only
        the last.
    """
    from producers.archiver import Line, Notice, Options, archive_topic
    from producers.kafka_client import settings_from
    from replayer.sources.layout import quarantine_folder

    chosen = settings_of(
        settings, archive=folder, kafka_bootstrap_servers=kafka, kafka_topic=topic, kafka_group=group,
        kafka_quiet_seconds=quiet,
    )  # fmt: skip
    target = require_place_for_archive(require_folder(chosen.archive, "archive"))
    broker = require_kafka(chosen)
    signals: list[int] = []

    def print_one(line: Line) -> None:
        if json and not until_end:
            print_json(line.to_dict())
            sys.stdout.flush()  # for whoever reads them as they come
        elif isinstance(line, Notice) and line.bad:
            warn(str(line))
        else:
            say(str(line))

    # A service manager's stop ends at a safe point, with offsets committed.
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda number, _: signals.append(number))
    done = archive_topic(
        Options(
            broker,
            chosen.kafka_topic,
            target,
            until_end=until_end,
            quiet_seconds=chosen.kafka_quiet_seconds,
            group=chosen.kafka_group,
            settings=settings_from(),
            gaming_days=chosen.gaming_days,
            file_mode=chosen.file_mode,
            on_line=print_one,
            stop=lambda: bool(signals),
        )
    )
    if json:
        named = {
            name: [{"table_id": table, "gaming_day": str(day)} for table, day in table_days]
            for name, table_days in (("sealed", done.sealed), ("left_open", done.left_open))
        }
        print_json({**asdict(done), **named, "lost": [lost.to_dict() for lost in done.lost]})
    else:
        say(
            f"{plural(done.events, 'event')} archived, {plural(len(done.sealed), 'table-day')} sealed, "
            f"{done.duplicates} came twice"
        )
    if done.quarantined:
        warn(f"{plural(done.quarantined, 'message')} could not be taken: {quarantine_folder(target)}")
    for table_id, why in done.stuck.items():
        warn(f"table {table_id} could not be written, its events wait in the topic: {why}")
    if done.left_open:
        few = first_few([f"{day} {table_id}" for table_id, day in done.left_open], _NAMED)
        warn(
            f"not sealed, since another archiver reads {few}: it seals what is closed, or over and quiet; end it "
            "and run this again to seal all now"
        )
    return FOUND if until_end and (done.quarantined or done.stuck or done.lost or done.left_open) else CLEAN
