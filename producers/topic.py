"""The required settings of a topic: nothing in it is ever deleted, and an acknowledged event survives the loss of a broker.

``TOPIC.recorders``, which holds the claims to tables, has the same settings. ``create`` makes both topics, ``check`` says what is
wrong with existing ones, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Final

from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import InvalidConfigurationError, TopicAlreadyExistsError, UnknownTopicOrPartitionError, for_code

from producers.claims import recorders_topic
from producers.kafka_client import KafkaFailed, KafkaRefused, Settings, connect, creating, explained, no_topic
from schemas.plural import plural

_FOR_EVER: Final = "-1"
_ANY_TIME: Final = str(2**63 - 1)
"""Accept events however far their time is from the broker's clock; by default Kafka refuses those an hour ahead."""
_BATCH: Final = 262_144
"""A recorder sends events in batches of half so many bytes at most, before they are compressed."""
_KAFKA_DEFAULT: Final = 1_048_588


@dataclass(frozen=True, slots=True)
class _Setting:
    """A required setting of a topic.

    Attributes:
        value: the required value; ``least``: the smallest number that will do as well.
        harm: what happens without it.
        since_3_6: whether older brokers neither know nor need it.
    """

    value: str
    harm: str
    least: int | None = None
    since_3_6: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """How a topic is laid out. With three replicas, two of them in sync, one broker may fail without loss or pause. KafkaRefused
    where there cannot be such a topic."""

    partitions: int = 6
    replication: int = 3
    min_in_sync: int = 2

    def __post_init__(self) -> None:
        if not 1 <= self.min_in_sync <= self.replication or self.partitions < 1:
            raise KafkaRefused(
                f"{self.min_in_sync} of {self.replication} replicas in sync, {self.partitions} partitions: there is at least one "
                "partition and one replica, and no more are in sync than there are"
            )

    def settings(self) -> dict[str, _Setting]:
        """The required settings of such a topic, by Kafka's names."""
        behind = "every table of its spool waits behind it"
        return {
            "retention.ms": _Setting(_FOR_EVER, "events that are older are deleted"),
            "retention.bytes": _Setting(_FOR_EVER, "events beyond that size are deleted"),
            "cleanup.policy": _Setting("delete", "compaction keeps one event a table and deletes all others"),
            "min.insync.replicas": _Setting(
                str(self.min_in_sync), "an acknowledged event may stand on a single broker", least=self.min_in_sync
            ),
            "message.timestamp.type": _Setting("CreateTime", "the event's own time is replaced by the broker's"),
            "unclean.leader.election.enable": _Setting(
                "false", "a replica that lacks acknowledged events may become the leader"
            ),
            "message.timestamp.after.max.ms": _Setting(
                _ANY_TIME, f"an event of a clock that is ahead is refused, and {behind}", since_3_6=True
            ),
            "message.timestamp.before.max.ms": _Setting(
                _ANY_TIME, f"an event of an earlier time is refused, and {behind}", since_3_6=True
            ),
            "compression.type": _Setting(
                "zstd",
                "another program's messages in a compression that is not at hand, such as snappy, cannot be read",
            ),
            "max.message.bytes": _Setting(
                str(_KAFKA_DEFAULT), "larger batches of events are refused, and wait in the spools", least=_BATCH
            ),
        }


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a topic, and what to do."""

    what: str
    do: str


def create(bootstrap: str, topic: str, shape: Shape, settings: Settings | None = None) -> bool:
    """Create a topic for events, and the one of its recorders where that is missing; False when there is a topic for events
    of this name, whatever its shape; KafkaFailed where it cannot be created: fewer brokers than replicas, say."""
    with closing(connect(KafkaAdminClient, bootstrap, topic, **(settings or {}))) as admin, explained(bootstrap, topic):
        created = _create(admin, topic, shape)
        _create(admin, recorders_topic(topic), replace(shape, partitions=1))
    return created


def _create(admin: Any, topic: str, shape: Shape, *, since_3_6: bool = True) -> bool:
    settings = shape.settings().items()
    configs = {name: setting.value for name, setting in settings if since_3_6 or not setting.since_3_6}
    wanted = {"num_partitions": shape.partitions, "replication_factor": shape.replication, "configs": configs}
    try:
        admin.create_topics({topic: wanted}, wait_for_metadata=True)
    except TopicAlreadyExistsError:
        return False
    except InvalidConfigurationError:
        if not since_3_6:
            raise
        return _create(admin, topic, shape, since_3_6=False)
    return True


def check(bootstrap: str, topic: str, shape: Shape, settings: Settings | None = None) -> list[Fault]:
    """What is wrong with a topic, worst first; empty where it matches ``shape`` or is better. KafkaFailed without an answer, such
    a topic, or the right to ask."""
    claims = recorders_topic(topic)
    with closing(connect(KafkaAdminClient, bootstrap, topic, **(settings or {}))) as admin, explained(bootstrap, topic):
        faults = _check(admin, bootstrap, topic, shape)
        if faults is None:
            raise KafkaFailed(no_topic(bootstrap, topic, topic))
        of_claims = _check(admin, bootstrap, claims, replace(shape, partitions=1))
    if of_claims is None:
        missing = Fault(f"topic {claims} does not exist: no table can be recorded", f"`{creating(topic)}`")
        return [missing, *faults]
    return faults + [replace(fault, what=f"{claims}: {fault.what}") for fault in of_claims]


def _check(admin: Any, bootstrap: str, topic: str, shape: Shape) -> list[Fault] | None:
    """What is wrong with one topic; None where there is no such topic."""
    (described,) = admin.describe_topics([topic])
    if described.get("error_code") == UnknownTopicOrPartitionError.errno:
        return None
    if described.get("error_code"):
        raise for_code(described["error_code"])(topic)
    answer = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)], config_filter="all")
    configs = {name: str(entry["value"]) for name, entry in answer["topic"][topic].items()}
    return list(_faults(bootstrap, topic, described["partitions"], configs, shape))


def _faults(
    bootstrap: str, topic: str, partitions: list[Any], configs: Mapping[str, str], shape: Shape
) -> Iterator[Fault]:
    alter = f"kafka-configs.sh --bootstrap-server {bootstrap} --alter --entity-type topics --entity-name {topic} --add-config"
    for name, setting in shape.settings().items():
        actual = configs.get(name, "")
        more = setting.least is not None and actual.isdigit() and int(actual) >= setting.least
        if not (more or actual == setting.value) and (actual or not setting.since_3_6):
            yield Fault(f"{name} is {actual or 'not set'}: {setting.harm}", f"{alter} {name}={setting.value}")
    replicas = min(len(partition["replica_nodes"]) for partition in partitions)
    if replicas < shape.replication:
        yield Fault(
            f"replication is {replicas}, wanted {shape.replication}: a broker that is lost takes events with it",
            f"kafka-reassign-partitions.sh --bootstrap-server {bootstrap} with a plan that adds replicas",
        )
    behind = [each["partition_index"] for each in partitions if len(each["isr_nodes"]) < len(each["replica_nodes"])]
    if behind:
        yield Fault(
            f"replicas are not in sync: partition {', '.join(map(str, behind))}",
            "look at the brokers that are down or slow",
        )
    if len(partitions) < shape.partitions:
        yield Fault(
            f"{plural(len(partitions), 'partition')}, wanted {shape.partitions}: fewer archivers can share the work",
            f"kafka-topics.sh --bootstrap-server {bootstrap} --alter --topic {topic} --partitions {shape.partitions}, "
            "while no table is recorded",
        )
