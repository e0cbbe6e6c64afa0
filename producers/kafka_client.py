"""Connects to Kafka, and words its errors."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from kafka import errors
from kafka.cluster import collect_hosts
from kafka.partitioner.default import murmur2
from kafka.record.default_records import DefaultRecordBatch

from producers.sinks import NotDurable

Settings = Mapping[str, Any]
"""Options of kafka-python by its own names: ``security_protocol``, ``ssl_cafile``, ``sasl_mechanism`` and so on."""

_ENVIRONMENT: Final = {
    "KAFKA_SECURITY_PROTOCOL": "security_protocol",
    "KAFKA_SSL_CAFILE": "ssl_cafile",
    "KAFKA_SSL_CERTFILE": "ssl_certfile",
    "KAFKA_SSL_KEYFILE": "ssl_keyfile",
    "KAFKA_SASL_MECHANISM": "sasl_mechanism",
    "KAFKA_SASL_USERNAME": "sasl_plain_username",
    "KAFKA_SASL_PASSWORD": "sasl_plain_password",
}

_PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_ONLY_IN: Final = {
    "SASL": ("a user's name, password or mechanism", "SASL_SSL"),
    "SSL": ("an option of TLS", "SSL, or SASL_SSL where a user signs in"),
}
"""Options with this prefix apply only to protocols with this in their name: their meaning, and such a protocol."""

BOOTSTRAP_MS: Final = 10_000
"""How long to wait for any broker of a cluster; kafka-python would try for thirty seconds."""

_RECONNECT_MS: Final = 1_000
"""A broker that comes back is noticed within a second; kafka-python would wait up to thirty."""


class KafkaFailed(NotDurable):
    """Kafka failed; one sentence says how and what to look at."""


class KafkaRefused(KafkaFailed):
    """A permanent failure: no right, no such topic, options that do not fit, messages that a topic does not take, or
    that nothing here can read."""


_REFUSED: Final = (
    errors.SaslAuthenticationFailedError,
    errors.TopicAuthorizationFailedError,
    errors.ClusterAuthorizationFailedError,
    errors.UnknownTopicOrPartitionError,
    errors.InvalidTopicError,
    errors.UnsupportedVersionError,
    errors.IncompatibleBrokerVersion,
    errors.InvalidTimestampError,
    errors.MessageSizeTooLargeError,
    errors.RecordListTooLargeError,
    errors.UnsupportedCodecError,
)


def partition_of(table_id: str, partitions: int) -> int:
    """The partition of a table's events: the hash of its id, as Kafka's own clients compute it."""
    return (int(murmur2(table_id.encode())) & 0x7FFFFFFF) % partitions


def settings_from(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """TLS and SASL options from variables such as ``KAFKA_SECURITY_PROTOCOL`` and ``KAFKA_SASL_USERNAME``."""
    return {option: environment[name] for name, option in _ENVIRONMENT.items() if environment.get(name)}


def sentence(error: BaseException, bootstrap: str, topic: str) -> str:
    """An error of kafka-python in words for the operator."""
    match error:
        case errors.SaslAuthenticationFailedError():
            return f"Kafka at {bootstrap} refused the user name or password"
        case errors.TopicAuthorizationFailedError():
            return (
                f"this user has no right to topic {topic} at {bootstrap}: grant it Read and Describe on the topic, "
                "and Write where it records"
            )
        case errors.GroupAuthorizationFailedError():
            return f"this user has no right to the consumer group at {bootstrap}: grant it Read on the group"
        case errors.UnknownTopicOrPartitionError():
            return no_topic(bootstrap, topic, topic)
        case errors.InvalidTopicError():
            return no_topics_name(topic)
        case errors.InvalidTimestampError():
            return (
                f"topic {topic} at {bootstrap} takes no event whose own time is so far from the broker's clock: "
                f"`pitaudit topic check --topic {topic}` says which of its settings to change, and the recorder then goes on"
            )
        case errors.KafkaTimeoutError() if "bootstrap" in str(error).lower():
            return (
                f"no connection to Kafka at {bootstrap}: look at host, port, security protocol, user name and password "
                "(a wrong password shows only like this)"
            )
        case errors.KafkaTimeoutError() | errors.RequestTimedOutError():
            return f"Kafka at {bootstrap} did not answer in time" + "".join(f": {what}" for what in error.args if what)
        case errors.NodeNotReadyError() | errors.KafkaConnectionError():
            return f"Kafka at {bootstrap} does not answer"
        case errors.KafkaError():
            return f"Kafka at {bootstrap}, topic {topic}: {reason(error)}"
        case _:
            return f"Kafka at {bootstrap}, topic {topic}: {type(error).__name__}: {error}"


def no_topic(bootstrap: str, missing: str, topic: str) -> str:
    """The message that a topic, or one that belongs to it, does not exist, and what to do."""
    return f"topic {missing} does not exist at {bootstrap}: create it with `{creating(topic)}`"


def no_topics_name(topic: str) -> str:
    """The message that Kafka allows no topic of this name, and which it does."""
    return f"{topic!r} is no topic's name: letters, digits, '.', '_' and '-', 249 at most"


def creating(topic: str) -> str:
    """The command that creates a topic."""
    return f"pitaudit topic create --topic {topic}"


def reason(error: Exception) -> str:
    """What an error of kafka-python says, without the exchange that it puts around a broker's message for some requests, and what
    to do where messages cannot be read."""
    if isinstance(error, errors.UnsupportedCodecError):
        return (
            f"{error}: another program compressed its messages so; install what reads them (python-snappy for snappy) and start "
            "again; `pitaudit topic check` says which setting of the topic keeps such messages out"
        )
    if isinstance(error, errors.CorruptRecordError):
        return f"{error}: look at the disk of the broker that leads the partition"
    said = re.search(r"error_message=(['\"])(.+?)\1, ", str(error))
    return f"{type(error).__name__}: {said[2]}" if said else str(error)


@contextmanager
def explained(bootstrap: str, topic: str) -> Iterator[None]:
    """A context that turns errors of kafka-python into :class:`KafkaFailed` with one clear sentence."""
    try:
        yield
    except errors.KafkaError as error:
        raise failed(error, bootstrap, topic) from error


def failed(error: BaseException, bootstrap: str, topic: str) -> KafkaFailed:
    """An error of kafka-python as one of ours."""
    kind = KafkaRefused if isinstance(error, _REFUSED) else KafkaFailed
    return kind(sentence(error, bootstrap, topic))


class _Name(bytearray):
    def decode(self, *_: Any, **__: Any) -> str:
        return super().decode(errors="backslashreplace")


class _Records(bytearray):
    """The bytes of records, where a header's name may be anything: kafka-python decodes nothing else."""

    def __getitem__(self, at: Any) -> Any:
        part = super().__getitem__(at)
        return _Name(part) if isinstance(at, slice) else part


def _read_any_name(batch: Any, _read: Callable[[Any], Any] = DefaultRecordBatch._read_msg) -> Any:
    """Read a message whose header has a name that is no UTF-8. A broker takes it and Kafka's own client reads it; kafka-python
    does not, so that one such message would keep its partition from archiver and recorders for ever."""
    try:
        return _read(batch)
    except UnicodeDecodeError:
        batch._buffer = _Records(batch._buffer)
        return _read(batch)


DefaultRecordBatch._read_msg = _read_any_name
for _name in ("kafka.protocol.parser", "kafka.net.connection"):  # which log each request whole, with a password in it
    logging.getLogger(_name).addFilter(lambda record: record.levelno > logging.DEBUG)


def _have_ports(bootstrap: str) -> bool:
    """Whether each address of a broker has a port that there is, or none."""
    try:
        return all(0 < port < 1 << 16 for _, port, _ in collect_hosts(bootstrap))
    except ValueError:
        return False


def connect(client: Callable[..., Any], bootstrap: str, topic: str, **options: Any) -> Any:
    """A client of kafka-python, connected.

    Raises:
        KafkaFailed: no connection.
        KafkaRefused: no right, or options that kafka-python refuses.
    """
    if "@" in str(bootstrap):  # not repeated in the message
        raise KafkaRefused(
            "an address of a broker holds a user's name or password: set the variables KAFKA_SASL_* instead"
        )
    if not _have_ports(bootstrap):
        raise KafkaRefused(f"{bootstrap} is no address of a broker: write HOST:PORT, several with commas between them")
    protocol = options.get("security_protocol", _PROTOCOLS[0])
    if protocol not in _PROTOCOLS:  # kafka-python would send everything in plain text
        raise KafkaRefused(
            f"no connection to Kafka at {bootstrap}: look at host, port, security protocol; {protocol!r} is none, it is "
            f"one of {', '.join(_PROTOCOLS)}"
        )
    for part, (meaning, fitting) in _ONLY_IN.items():  # likewise
        if part not in protocol and any(options.get(option) for option in options if option.startswith(part.lower())):
            raise KafkaRefused(
                f"no connection to Kafka at {bootstrap}: {meaning} is set, and the security protocol {protocol} uses none; "
                f"set KAFKA_SECURITY_PROTOCOL={fitting}"
            )
    # It would take a file that is not there for a broker that does not answer.
    for variable, option in _ENVIRONMENT.items():
        if option.endswith("file") and (file := options.get(option)):
            try:
                Path(file).open("rb").close()
            except OSError as error:
                raise KafkaRefused(
                    f"no connection to Kafka at {bootstrap}: {variable} names {file}: {error.strerror}"
                ) from error
    waiting = {"reconnect_backoff_max_ms": _RECONNECT_MS, "bootstrap_timeout_ms": BOOTSTRAP_MS}
    try:
        return client(bootstrap_servers=bootstrap, **(waiting | options))
    except errors.KafkaError as error:
        raise failed(error, bootstrap, topic) from error
    except (OSError, ValueError, AssertionError) as error:  # it asserts that options fit together
        raise KafkaRefused(sentence(error, bootstrap, topic)) from error
