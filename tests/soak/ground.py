"""The property of a soak: a broker, a Prefect server with the deployments of this repository, and what runs on them."""

from __future__ import annotations

import base64
import datetime as dt
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from producers.topic import Shape, create
from tests.conftest import Broker, jars_of_kafka, key_in
from tests.flows.deployed import Prefect
from tests.folders import Folders
from tests.servers import BIN, environment, prefect_server
from tests.soak import recorder
from tests.soak.services import Service
from tests.soak.week import PLAYED, TableDay, Week

REPOSITORY: Final = Path(__file__).parents[2]
TOPIC: Final = "pit"
NOWHERE: Final = "127.0.0.1:9"
PARTITIONS: Final = 3
_DISK_BYTES: Final = 1 << 28


@dataclass
class Ground(Folders):
    """What a soak runs on. ``disk`` says whether the archive has a small disk of its own, which can be filled; ``prefect`` is
    the server and its worker, when the flows are deployed."""

    week: Week
    folder: Path
    broker: Broker
    disk: bool
    played: dict[TableDay, list[tuple[int, bytes]]]
    prefect: Future[tuple[Prefect, Service]] = field(init=False)
    archiver: Service = field(init=False)
    recorders: dict[str, Service] = field(default_factory=dict)

    @property
    def settings(self) -> Path:
        """The property's settings."""
        return self.folder / "pitaudit.toml"

    def environment(self, **variables: str) -> dict[str, str]:
        """Of every process here."""
        return environment(PITAUDIT_SETTINGS=str(self.settings), **variables)

    def pitaudit(self, *arguments: str | Path, seconds: float = 300) -> subprocess.CompletedProcess[str]:
        """A command, as an operator runs it."""
        return subprocess.run(
            [BIN / "pitaudit", *map(str, arguments)],
            cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=seconds, check=False,
        )  # fmt: skip

    @property
    def api(self) -> Prefect:
        """The Prefect server."""
        return self.prefect.result()[0]

    @property
    def worker(self) -> Service:
        """Prefect's worker."""
        return self.prefect.result()[1]

    def deploy(self, stack: ExitStack) -> tuple[Prefect, Service]:
        """Start a Prefect server and deploy this repository's flows, as README says."""
        (self.folder / "server").mkdir()
        variables = {
            "PREFECT_SERVER_SERVICES_SCHEDULER_ENABLED": "false",  # runs are scheduled here, in the week's time
            "PREFECT_DEPLOYMENT_CONCURRENCY_SLOT_WAIT_SECONDS": "3",
        }
        url = stack.enter_context(prefect_server(self.folder / "server", **variables))
        settled = self.environment(
            PREFECT_API_URL=url,
            PREFECT_HOME=str(self.folder / "prefect"),
            PREFECT_WORKER_QUERY_SECONDS="2",
            PWD=str(REPOSITORY),
        )
        for words in (("work-pool", "create", "pitaudit", "--type", "process"), ("--no-prompt", "deploy", "--all")):
            subprocess.run(
                [BIN / "prefect", *words], cwd=REPOSITORY, env=settled, check=True, capture_output=True, timeout=240
            )
        command = [BIN / "prefect", "worker", "start", "--pool", "pitaudit", "--type", "process"]
        return Prefect(url, self.folder / "prefect"), Service("worker", command, settled, self.folder)

    def services(self) -> list[Service]:
        """All that is kept running."""
        there = self.prefect.done() and self.prefect.exception() is None
        return [self.archiver, *self.recorders.values(), *([self.worker] if there else [])]

    def prepare(self, groups: Mapping[str, list[str]]) -> None:
        """Make the topic and the settings, and order the services; ``groups`` are the tables of each recorder."""
        create(self.broker.bootstrap, TOPIC, Shape(partitions=PARTITIONS, replication=1, min_in_sync=1))
        tables = sorted({table for table, _ in self.played})
        dates = self.week.dates
        register = "".join(f'[[tables]]\nid = "{each}"\nfrom = {dates[0]}\nuntil = {dates[-1]}\n' for each in tables)
        self.settings.write_text(
            f'archive = "archive"\nlake = "lake"\nwait_for_sealing_seconds = {4 * self.week.quiet_seconds + 20}\n{register}'
            f'[kafka]\nbootstrap_servers = "{self.broker.bootstrap}"\ntopic = "{TOPIC}"\n'
            f"quiet_seconds = {self.week.quiet_seconds}\n"
        )
        ordered = [BIN / "pitaudit", "archive", "--json"]
        self.archiver = Service("archiver", ordered, self.environment(), self.folder)
        for name, of in groups.items():
            self.order(name, of, self.broker.bootstrap)
            command = [sys.executable, recorder.__file__, self.folder / f"{name}.json"]
            self.recorders[name] = Service(name, command, self.environment(), self.folder)

    def order(self, name: str, tables: list[str], bootstrap: str) -> None:
        """Say which broker a recorder connects to when it is started."""
        said = {
            "kafka": bootstrap,
            "topic": TOPIC,
            "spool": str(self.folder / f"spool-{name}"),
            "tables": tables,
            "events": str(self.folder / f"{name}.events"),
            "acks": str(self.folder / f"{name}.acks"),
        }
        (self.folder / f"{name}.json").write_text(json.dumps(said))

    def set_times(self, groups: Mapping[str, list[str]], began: float) -> None:
        """Write down when each event of the week is due; nothing is of the table-day that never comes."""
        for name, tables in groups.items():
            lines = []
            for (table, day), events in self.played.items():
                if table in tables and (table, day) != self.absent:
                    first = began + self.week.dates.index(day) * self.week.day_seconds
                    pace = PLAYED * self.week.day_seconds / len(events)
                    for number, (seq, message) in enumerate(events):
                        due, text = first + number * pace, base64.b64encode(message).decode()
                        lines.append({"due": due, "table": table, "day": str(day), "seq": seq, "message": text})
            lines.sort(key=lambda line: (line["due"], line["seq"]))
            (self.folder / f"{name}.events").write_text("".join(json.dumps(line) + "\n" for line in lines))

    @property
    def absent(self) -> TableDay:
        """The table-day of which nothing is ever recorded."""
        table, day = self.week.script.absent
        return table, self.week.dates[day]

    def last_at_day(self, day: dt.date, table: str) -> int:
        """The last number of a table-day as it was played."""
        return self.played[table, day][-1][0]

    def acks(self) -> list[dict[str, Any]]:
        """What the recorders noted; a line that a kill cut off is none."""
        said = []
        for name in self.recorders:
            file = self.folder / f"{name}.acks"
            for line in file.read_text().splitlines() if file.exists() else ():
                try:
                    said.append({**json.loads(line), "name": name})
                except ValueError:
                    continue
        return said

    def archiver_lines(self) -> list[dict[str, Any]]:
        """What the archiver said."""
        said = []
        for line in self.archiver.output.read_text(errors="replace").splitlines():
            try:
                said.append(json.loads(line))
            except ValueError:
                continue
        return [line for line in said if "line" in line]

    def fill_disk(self) -> Path:
        """Leave no room on the archive's disk; the file to remove."""
        ballast = self.archive / ".ballast"
        with suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))
        with suppress(OSError), ballast.open("ab", buffering=0) as file:
            while True:
                file.write(bytes(1 << 10))
        return ballast


@contextmanager
def ground(
    week: Week, folder: Path, played: dict[TableDay, list[tuple[int, bytes]]], key: Path | None = None
) -> Iterator[Ground]:
    """Start broker and Prefect server; all that was started is killed at the end. ``key`` is a folder with the broker's key,
    made unless given.

    Raises:
        NoBroker: no broker can be started here.
    """
    for name in ("broker", "key", "archive"):
        (folder / name).mkdir()
    with ExitStack() as stack, ThreadPoolExecutor(1) as beside, ExitStack() as server:
        made = Ground(
            week,
            folder,
            Broker(jars_of_kafka(), key or key_in(folder / "key"), folder / "broker"),
            _small_disk(folder / "archive", week, stack),
            played,
        )
        made.prefect = beside.submit(made.deploy, server)
        server.callback(made.prefect.exception)  # what is being started is there to be ended
        stack.callback(made.broker.stop)
        made.broker.start()
        try:
            yield made
        finally:
            for service in made.services():
                service.kill(for_good=True)


def _small_disk(folder: Path, week: Week, stack: ExitStack) -> bool:
    """Give the archive a disk of its own where one is to be filled and this user may mount one."""
    if week.script.full_disk is None:
        return False
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_DISK_BYTES}", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        return False
    stack.callback(lambda: subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True))
    return True


def wait_for(what: str, holds: Callable[[], bool], seconds: float, stands: Callable[[], str] = lambda: "") -> None:
    """Wait until something holds; ``stands`` is asked how far it is when it does not.

    Raises:
        TimeoutError: it did not for so long.
    """
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds:g} s; {stands()}".rstrip("; "))
        time.sleep(0.2)
