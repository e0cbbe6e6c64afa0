"""``pitaudit simulate``."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from flows.cli.options import Brokers, Days, Processes, SettingsFile, Whole, require_place_for_archive, settings_of
from flows.cli.terminal import CLEAN, print_json, progress, say
from flows.known_errors import CouldNotRun
from schemas.plural import plural

if TYPE_CHECKING:
    from producers.sinks import Sink
    from producers.sinks.kafka import KafkaSink

_DRAIN_SECONDS = 120.0
_MOST_ROUNDS = 1_000_000
"""Rounds of a table-day: a hundred times what a shuffling machine lets a table play."""
_MOST_SIMULATED = 1_000_000_000
"""Rounds of one simulation, over all its tables and days: more is a typing error, and would fill the disk unnoticed."""


def simulate(
    *,
    folder: Annotated[Path, Parameter(name="--archive")],
    kafka: Brokers | None = None,
    day: dt.date = dt.date(2009, 6, 1),
    days: Days = 1,
    tables: Annotated[Whole, Parameter(validator=Number(gte=1, lte=100_000))] = 6,
    rounds: Annotated[Whole, Parameter(validator=Number(gte=1, lte=_MOST_ROUNDS))] = 200,
    seed: Annotated[Whole, Parameter(validator=Number(gte=-(2**63), lt=2**63))] = 1,
    faults: Annotated[float, Parameter(validator=Number(gte=0, lte=1))] = 0.01,
    labels: Path | None = None,
    workers: Processes = None,
    topic: str | None = None,
    json: bool = False,
    settings: SettingsFile = None,
) -> int:
    """Simulate gaming days of Black Jack and Fortune 3 Card Poker, with faults planted and labelled.

    The same arguments give the same bytes, with any number of workers; the same again completes what was interrupted, but for
    a log's copy in columns that a full disk had no room for: that log is then read more slowly, to the same verdicts.

    Example: `pitaudit simulate --archive archive --tables 6 --rounds 300 --seed 7 --labels labels.jsonl`

    Parameters
    ----------
    folder
        The archive's folder, made where it is missing.
    kafka
        Write the same events to Kafka at this HOST:PORT as well. What is interrupted is then not completed by the same again:
        it wants another archive and another topic.
    day
        The first gaming day.
    days
        How many gaming days.
    tables
        How many tables.
    rounds
        Rounds per table-day.
    seed
        Seed of all chance.
    faults
        Planted faults per round, 0 to 1; 0 plants none.
    labels
        Where to write what was planted, nowhere in an archive or a lake, as JSON lines: table_id, gaming_day, round, fault,
        finding, delta_minor. Replay finds all of it but missing chips and cash (INVENTORY_VARIANCE, DROP_VARIANCE), which
        nightly does.
    topic
        The topic; pitaudit.events unless set. It is made where it is missing.
    json
        One JSON object on standard output: table_days, events, rounds, labels, faults.
    """
    from producers.simulator import simulate as simulate_pit

    if math.isnan(faults):
        raise CouldNotRun("--faults nan is no rate: give a number from 0 to 1")
    if (asked := days * tables * rounds) > _MOST_SIMULATED:
        raise CouldNotRun(
            f"{asked:,} rounds are more than the {_MOST_SIMULATED:,} of one simulation: lower --days, --tables or --rounds"
        )
    if topic is not None and kafka is None:
        raise CouldNotRun("--topic names a topic of --kafka: give --kafka HOST:PORT as well, or leave out --topic")
    require_place_for_archive(folder)
    chosen = settings_of(settings, workers=workers, kafka_topic=topic)
    copy_into: Callable[[], Sink] | None = None
    if kafka is not None:
        from producers.kafka_client import settings_from
        from producers.topic import Shape, create

        create(kafka, chosen.kafka_topic, Shape(replication=1, min_in_sync=1), settings_from())
        copy_into = partial(_into_topic, folder, kafka, chosen.kafka_topic)
    with progress("Simulating", tables * days) as step:
        done = simulate_pit(
            folder,
            copy_into=copy_into,
            day=day,
            days=days,
            tables=tables,
            rounds=rounds,
            seed=seed,
            faults=faults,
            labels_path=labels,
            file_mode=chosen.file_mode,
            workers=chosen.workers,
            on_progress=lambda table, gaming_day: step(f"{gaming_day} {table}"),
        )
    if kafka is not None:
        with closing(_into_topic(folder, kafka, chosen.kafka_topic)) as sink:
            sink.resume()
            sink.drain(_DRAIN_SECONDS)
    if json:
        counts = {"table_days": done.table_days, "events": done.events, "rounds": done.rounds}
        print_json({**counts, "labels": done.labels, "faults": sorted(done.faults)})
    else:
        planted = f", {done.labels} planted faults of {len(done.faults)} kinds" if done.labels else ""
        of = f"{plural(done.rounds, 'round')}, {plural(done.events, 'event')}"
        say(f"{plural(done.table_days, 'table-day')}, {of}{planted}: {folder}")
    return CLEAN


def _into_topic(folder: Path, kafka: str, topic: str) -> KafkaSink:
    from producers.kafka_client import settings_from
    from producers.sinks.kafka import KafkaSink

    return KafkaSink(kafka, topic, folder / ".spool" / topic, settings=settings_from())
