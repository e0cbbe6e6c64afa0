"""``pitaudit topic create`` and ``pitaudit topic check``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from flows.cli.options import Brokers, SettingsFile, Topic, Whole, require_kafka, settings_of
from flows.cli.terminal import CLEAN, FOUND, print_json, print_table, say
from schemas.plural import plural

Partitions = Annotated[Whole, Parameter(validator=Number(gte=1, lte=100_000))]
Name = Annotated[Topic, Parameter(name=("--topic", "--name"))]
"""``--topic`` as everywhere; its first name stays for scripts."""
Broker = Annotated[Brokers | None, Parameter(help="HOST:PORT of a broker, unless the settings name it.")]
Replicas = Annotated[Whole, Parameter(validator=Number(gte=1, lte=32_767))]  # as many as Kafka's protocol can say

topic = App(
    name="topic",
    help="Create the Kafka topic that tables record into, or say what is wrong with one.\n\n"
    "Example: `pitaudit topic create --kafka broker:9092`",
)


@topic.command
def create(
    *,
    kafka: Broker = None,
    name: Name = None,
    partitions: Partitions = 6,
    replication: Replicas = 3,
    min_in_sync: Replicas = 2,
    settings: SettingsFile = None,
) -> int:
    """Create the topic: unlimited retention, no compaction, events on several brokers before they are acknowledged.

    Beside it TOPIC.recorders is made, of one partition, where recorders claim their tables. A topic that is there already is
    left as it is and checked. On a single broker give --replication 1 --min-in-sync 1.

    Example: `pitaudit topic create --kafka broker:9092`

    Parameters
    ----------
    partitions
        As many archivers can share the work.
    replication
        On how many brokers an event stands.
    min_in_sync
        On how many of them it must stand before it is acknowledged.
    """
    from producers.kafka_client import settings_from
    from producers.topic import Shape
    from producers.topic import create as create_topic

    broker, called = _named(kafka, name, settings)
    if create_topic(broker, called, Shape(partitions, replication, min_in_sync), settings_from()):
        say(
            f"topic {called} is there: {plural(partitions, 'partition')}, {plural(replication, 'replica')}, kept for ever"
        )
        return CLEAN
    say(f"topic {called} was there already")
    return check(
        kafka=broker, name=called, partitions=partitions, replication=replication, min_in_sync=min_in_sync, settings=settings
    )  # fmt: skip


@topic.command
def check(
    *,
    kafka: Broker = None,
    name: Name = None,
    partitions: Partitions = 1,
    replication: Replicas = 3,
    min_in_sync: Replicas = 2,
    json: bool = False,
    settings: SettingsFile = None,
) -> int:
    """Say what is wrong with the topic, and with TOPIC.recorders, and what to do about it: exit 1 where anything is.

    Example: `pitaudit topic check --kafka broker:9092`

    Parameters
    ----------
    partitions
        How many there must be at least.
    replication
        On how many brokers an event must stand at least.
    min_in_sync
        On how many of them it must stand before it is acknowledged.
    json
        One JSON object on standard output: topic, faults (what, do).
    """
    from producers.kafka_client import settings_from
    from producers.topic import Shape
    from producers.topic import check as check_topic

    broker, called = _named(kafka, name, settings)
    faults = check_topic(broker, called, Shape(partitions, replication, min_in_sync), settings_from())
    if json:
        print_json({"topic": called, "faults": [asdict(fault) for fault in faults]})
    elif faults:
        print_table(f"Topic {called}", ("what is wrong", "what to do"), [(f.what, f.do) for f in faults], ())
    else:
        say(f"topic {called} is as it must be")
    return FOUND if faults else CLEAN


def _named(kafka: str | None, name: str | None, settings: Path | None) -> tuple[str, str]:
    """Broker and topic, from the options or the settings."""
    chosen = settings_of(settings, kafka_bootstrap_servers=kafka, kafka_topic=name)
    return require_kafka(chosen), chosen.kafka_topic
