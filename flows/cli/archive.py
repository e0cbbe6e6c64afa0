"""``pitaudit archive``."""

from __future__ import annotations

import signal
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from flows.cli.terminal import CLEAN, FOUND, print_json, progress, say, warn

if TYPE_CHECKING:
    from producers.archiver import Archived


def archive(
    *,
    kafka: str,
    folder: Annotated[Path, Parameter(name="--archive")],
    until_end: bool = False,
    topic: str | None = None,
    json: bool = False,
    settings: Path | None = None,
) -> int:
    """Take the events of a Kafka topic over into the archive, each exactly once.

    Killed at any point and started again it goes on where it was. Messages that cannot be decoded are kept in the
    archive's quarantine with their coordinates, and make the exit code 1. TLS and SASL options come from the variables
    KAFKA_SECURITY_PROTOCOL, KAFKA_SSL_CAFILE, KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD.

    Example: `pitaudit archive --kafka 127.0.0.1:9092 --archive archive --until-end`

    Parameters
    ----------
    kafka
        HOST:PORT of a broker.
    folder
        The archive's folder, made where it is missing.
    until_end
        Stop at the topic's present end and seal its table-days. Without it, run until interrupted.
    topic
        The topic; pitaudit.events unless set.
    json
        One JSON object on standard output: events, duplicates, quarantined, sealed, offsets, behind.
    settings
        A settings file other than pitaudit.toml.
    """
    from flows.settings import load
    from producers.archiver import archive_topic
    from producers.kafka_client import settings_from

    chosen = load(settings)
    stopping = False

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True

    signal.signal(signal.SIGTERM, stop)  # a service manager's stop ends at a safe point, with offsets committed
    signal.signal(signal.SIGINT, stop)
    with progress("Archiving", None) as step:

        def tell(done: Archived) -> None:
            step(f"{done.events} events, {done.behind} behind, {len(done.sealed)} table-days sealed")

        done = archive_topic(
            kafka,
            topic or chosen.kafka_topic,
            folder,
            until_end=until_end,
            settings=settings_from(),
            file_mode=chosen.file_mode,
            on_progress=tell,
            stop=lambda: stopping,
        )
    if json:
        sealed = [{"table_id": table, "gaming_day": str(day)} for table, day in done.sealed]
        print_json({**asdict(done), "sealed": sealed})
    else:
        say(f"{done.events} events archived, {len(done.sealed)} table-days sealed, {done.duplicates} came twice")
    if done.quarantined:
        warn(f"{done.quarantined} message(s) could not be taken: {folder / 'quarantine'}")
    return FOUND if done.quarantined else CLEAN
