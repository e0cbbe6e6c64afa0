"""A real Apache Kafka for the tests that need one.

``KAFKA_BOOTSTRAP_SERVERS`` names a cluster that is there already; otherwise a broker is started from jars that Maven
fetches once into ``.kafka/``. Without a JDK or Maven those tests are skipped, or fail where ``CI`` is ``true``.
"""

from __future__ import annotations

import atexit
import base64
import fcntl
import gc
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import fastavro
import pytest
from hypothesis import Phase, settings

from schemas.codec import Schema, current, fingerprint_of, registry
from tests.commands import Commands
from tests.servers import free_ports
from tests.shares import collect, dealt

REPOSITORY = Path(__file__).parents[1]
POM = Path(__file__).parent / "kafka_broker" / "pom.xml"
VERSION = "4.3.1"
CLASSES = "classes.jsa"
USER, PASSWORD = "auditor", "correct horse"
START_SECONDS = 180
GARBAGE = 50_000
"""How many objects more than before have Python look for garbage."""
SERVED_SECONDS = 900  # servers are programs of their own, for which a busy machine has little time

if os.environ.get("CI") == "true":  # a test that fails does so at once, with the example as it was found
    settings.register_profile("unshrunk", settings(), phases=(Phase.explicit, Phase.reuse, Phase.generate))
    settings.load_profile("unshrunk")


def pytest_configure(config: pytest.Config) -> None:
    """Ctrl-C is heard: a shell that starts the tests in the background has them ignore it, and all that they start."""
    collect(config.option.markexpr)
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing of what is imported and collected is garbage: looking for some takes a third of the time.

    In the end it is walked over once and is old. It is not frozen: each replay asks how much is, and that is counted one by one.
    Tests leave little garbage: to walk over everything for it as often as Python does takes a fiftieth of their time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.set_threshold(GARBAGE)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure() -> None:
    """pytest looks for garbage once more, and again: what is left then is freed when the process ends."""
    gc.freeze()
    atexit.register(gc.unfreeze)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, None, None]:
    """Whatever uses a broker or a Prefect server is marked so, has time to wait for it, and is dealt to one process."""
    for item in items:
        used = set(getattr(item, "fixturenames", ()))
        if {"kafka_bootstrap", "kafka_topic", "lone_broker"} & used:
            item.add_marker("kafka")
        if "prefect_api" in used:
            item.add_marker("prefect")
        waits = item.get_closest_marker("kafka") or item.get_closest_marker("prefect")
        if waits and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SERVED_SECONDS))
    yield  # what is not asked for is left out
    items[:] = dealt(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


_SERVERS = {"kafka": ("kafka_bootstrap", "kafka_broker"), "prefect": ("prefect_api",)}
"""The fixtures of the servers that stay up from test to test, by the mark of the tests that use them."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """A server ends when the next test of its process needs none: an idle one takes time from the tests of all others.

    Where one process runs all tests, they stand in no such order, and the servers stay.
    """
    yield
    if nextitem is None or "PYTEST_XDIST_WORKER" not in os.environ:
        return
    for mark, names in _SERVERS.items():
        if item.get_closest_marker(mark) and not nextitem.get_closest_marker(mark):
            for name in names:
                for fixture in item.session._fixturemanager.getfixturedefs(name, item) or ():
                    fixture.finish(item._request)


class Broker:
    """One Kafka broker in KRaft mode on free loopback ports: a plain listener, and one with TLS that asks for a password.

    ``ca_file`` has the certificate that vouches for the latter. Who comes over the former may do everything; the user of the
    latter may do what nobody made a rule about, and where there is a rule only what it allows. One that ``joins``
    another is the second of its cluster, number 2, and has no controller. ``more`` are properties of its.
    """

    def __init__(self, jars: Path, key: Path, folder: Path, joins: Broker | None = None, **more: str) -> None:
        self._jars = jars
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.ca_file = key / "ca.pem"
        plain, sasl, controller = free_ports(3)
        self.bootstrap = f"127.0.0.1:{plain}"
        self.sasl_bootstrap = f"127.0.0.1:{sasl}"
        listeners = f"PLAINTEXT://127.0.0.1:{plain},SASL_SSL://127.0.0.1:{sasl}"
        self._properties = folder / "server.properties"
        properties = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "listeners": f"{listeners},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": listeners,
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": ("PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT"),
            "sasl.enabled.mechanisms": "SCRAM-SHA-512",
            "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": (
                "org.apache.kafka.common.security.scram.ScramLoginModule required;"
            ),
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.location": str(key / "key.p12"),
            "ssl.keystore.password": PASSWORD,
            "log.dirs": str(folder / "log"),
            "offsets.topic.replication.factor": "1",
            "offsets.topic.num.partitions": "1",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "transaction.state.log.num.partitions": "1",
            "share.coordinator.state.topic.replication.factor": "1",
            "share.coordinator.state.topic.min.isr": "1",
            "group.initial.rebalance.delay.ms": "0",
            "auto.create.topics.enable": "false",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            "allow.everyone.if.no.acl.found": "true",
        } | more
        drawn = base64.urlsafe_b64encode(bytes(1) + uuid.uuid4().bytes[1:]).decode().rstrip("=")  # no "-" at its head
        self._cluster: str = joins._cluster if joins else drawn
        self._voters: str = joins._voters if joins else properties["controller.quorum.voters"]
        user = ["--add-scram", f"SCRAM-SHA-512=[name={USER},password={PASSWORD}]"]
        if joins:
            properties |= {"process.roles": "broker", "node.id": "2", "listeners": listeners}
            properties["controller.quorum.voters"] = self._voters
            user = []  # the cluster knows it already
        self._properties.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        tool = ["kafka.tools.StorageTool", "format", "-t", self._cluster, "-c", str(self._properties), *user]
        _run([*self._java(), *tool])

    def start(self, *options: str) -> None:
        """Start the broker, or start it again with the data it had; returns when it answers. ``options`` are Java's."""
        out = (self._folder / "broker.out").open("ab")
        command = [*self._java("-Xmx512m", *options), "kafka.Kafka", str(self._properties)]
        self._process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        deadline = time.monotonic() + START_SECONDS
        while not _answers(self.bootstrap):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                said = (self._folder / "broker.out").read_text(errors="replace")[-2000:]
                raise RuntimeError(f"the Kafka broker did not start:\n{said}")
            time.sleep(0.1)

    def stop(self, how: signal.Signals = signal.SIGKILL) -> None:
        """Kill the broker at once, as a power cut would, unless it is told otherwise."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(how)
            self._process.wait()

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """While the block runs the broker keeps its connections and does nothing, as a machine that is stuck."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def _java(self, *options: str) -> list[str]:
        classes = [f"-XX:SharedArchiveFile={self._jars / CLASSES}"] if (self._jars / CLASSES).exists() else []
        return ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", *classes, *options, "-cp", f"{self._jars}/*"]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}:\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")


def _answers(bootstrap: str) -> bool:
    from kafka import KafkaAdminClient  # noqa: PLC0415 - only tests that need a broker pay for the import
    from kafka.errors import KafkaError  # noqa: PLC0415

    host, _, port = bootstrap.partition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
        client = KafkaAdminClient(bootstrap_servers=bootstrap, bootstrap_timeout_ms=5000)
        client.list_topics()
        client.close()
    except (OSError, KafkaError):
        return False
    return True


class NoBroker(RuntimeError):
    """No Kafka broker can be started on this machine; the message says why."""


def jars_of_kafka(version: str = VERSION) -> Path:
    """The folder of the jars of a version of Kafka, fetched by Maven when it is not there.

    Raises:
        NoBroker: there is no JDK or no Maven, or it could not fetch them.
    """
    jars = REPOSITORY / ".kafka" / version
    with only_one_process(jars):
        for tool in ("java",) if jars.is_dir() else ("java", "mvn"):
            if shutil.which(tool) is None:
                raise NoBroker(f"no {tool} on this machine: no Kafka broker can be started")
        if not jars.is_dir():
            partial = jars.with_name(f"{version}.part")
            fetch = ["mvn", "-q", "-B", "-f", str(POM), "dependency:copy-dependencies", "-DincludeScope=runtime"]
            fetch += [f"-Dkafka.version={version}", f"-DoutputDirectory={partial}"]
            done = subprocess.run(fetch, check=False, capture_output=True, text=True)
            if done.returncode != 0:
                raise NoBroker(f"Maven could not fetch Kafka: {done.stdout[-500:]}")
            partial.rename(jars)
    return jars


def archive_classes(jars: Path, folder: Path) -> None:
    """Keep Kafka's classes as Java has them when they are loaded, beside the jars: each broker then starts in half the time."""
    partial = jars / f"{CLASSES}.part"
    broker = Broker(jars, key_in(folder), folder)
    broker.start(f"-XX:ArchiveClassesAtExit={partial}")
    broker.stop(signal.SIGTERM)
    partial.rename(jars / CLASSES)


@contextmanager
def only_one_process(made: Path) -> Iterator[None]:
    """What several processes of the tests need is made by the first, while the others wait for it."""
    made.parent.mkdir(exist_ok=True)
    with made.with_name(f"{made.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def key_in(folder: Path) -> Path:
    """A key for 127.0.0.1 that vouches for itself, and its certificate, put into a folder; the folder."""
    java = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]
    tool = ["keytool", *java, "-keystore", str(folder / "key.p12"), "-storetype", "PKCS12", "-storepass", PASSWORD]
    key = ["-genkeypair", "-keyalg", "EC", "-dname", "CN=broker", "-ext", "SAN=ip:127.0.0.1", "-validity", "2"]
    _run([*tool, *key, "-alias", "broker"])
    _run([*tool, "-exportcert", "-rfc", "-file", str(folder / "ca.pem"), "-alias", "broker"])
    return folder


@pytest.fixture(scope="session")
def kafka_jars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of Kafka's jars."""
    try:
        jars = jars_of_kafka()
    except NoBroker as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{error}, and CI must not skip these tests")
        pytest.skip(str(error))
    with only_one_process(jars / CLASSES):
        if not (jars / CLASSES).exists():
            archive_classes(jars, tmp_path_factory.mktemp("classes"))
    return jars


@pytest.fixture(scope="session")
def kafka_key(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key for 127.0.0.1 that vouches for itself, and its certificate."""
    return key_in(tmp_path_factory.mktemp("key"))


@pytest.fixture(scope="session")
def kafka_broker(kafka_jars: Path, kafka_key: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """The session's own broker. Tests that stop a broker use :func:`lone_broker`."""
    broker = Broker(kafka_jars, kafka_key, tmp_path_factory.mktemp("kafka"))
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture(scope="session")
def kafka_bootstrap(request: pytest.FixtureRequest) -> str:
    """``host:port`` of a real cluster."""
    given = os.environ.get("KAFKA_BOOTSTRAP_SERVERS")
    if given:
        return given
    broker: Broker = request.getfixturevalue("kafka_broker")
    return broker.bootstrap


@pytest.fixture
def kafka_topic(kafka_bootstrap: str) -> str:
    """A fresh topic of three partitions."""
    from producers.topic import Shape, create  # noqa: PLC0415

    topic = f"events-{uuid.uuid4().hex[:12]}"
    create(kafka_bootstrap, topic, Shape(partitions=3, replication=1, min_in_sync=1))
    return topic


@pytest.fixture
def lone_broker(kafka_jars: Path, kafka_key: Path, tmp_path: Path) -> Iterator[Broker]:
    """A broker of its own for one test, which may stop and start it."""
    folder = tmp_path / "broker"
    folder.mkdir()
    broker = Broker(kafka_jars, kafka_key, folder)
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture(scope="session")
def commands() -> Iterator[Commands]:
    """What runs the installed command without importing everything anew."""
    running = Commands()
    yield running
    running.end()


@pytest.fixture
def older_schema() -> Iterator[Schema]:
    """A schema from before wagers had a position and equipment could fail, registered ahead of the current one."""
    schema = json.loads(current().text)
    fields = {field["name"]: field for field in schema["fields"]}
    fields["kind"]["type"]["symbols"].remove("EquipmentFailed")
    wager = fields["wager"]["type"][1]
    wager["fields"] = [field for field in wager["fields"] if field["name"] != "position"]
    text = json.dumps(schema)
    older = Schema(fingerprint_of(text), fastavro.parse_schema(schema), text)
    known = registry()
    held = dict(known)
    known.clear()
    known.update({older.fingerprint: older} | held)
    yield older
    known.clear()
    known.update(held)
