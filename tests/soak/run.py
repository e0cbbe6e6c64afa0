"""The week as it passes: what is due is recorded, the script's faults happen, and each morning has its night."""

from __future__ import annotations

import datetime as dt
import json
import struct
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition

from flows.artifact import key
from flows.pending_days import to_catch_up
from flows.settings import load
from producers.archiver.place import read_place
from replayer.sources.table_days import unsealed
from schemas.codec import decode
from tests.soak.ground import NOWHERE, PARTITIONS, TOPIC, Ground, wait_for
from tests.soak.week import PLAYED, TableDay

Night = dict[str, Any]

_NIGHT_SECONDS: Final = 480  # half a minute on two cores of its own
_WRITTEN_A_SECOND: Final = 40_000
_SLOT: Final = struct.Struct("<4sQQI")
_POLL_SECONDS: Final = 0.1


@dataclass
class Cut:
    """What a topic lost: a partition's offsets from the first that the archive did not say it had to the cut, and the
    events among them."""

    partition: int
    first: int
    end: int
    events: set[tuple[str, int]]


@dataclass
class Record:
    """What happened in a week.

    Attributes:
        nights: the flow run of each gaming day that a worker ran: its state, message, begin and end.
        pages: the artifact of each gaming day as its first night left it.
        operators: what each of those said who ran one night at once, and its exit code.
        archived: when the archive was first seen to have a number of a table.
        catching_up: gaming days that wait for verdicts after the last night.
        outages: seconds for which the broker was away.
    """

    nights: dict[dt.date, Night] = field(default_factory=dict)
    pages: dict[dt.date, str] = field(default_factory=dict)
    operators: list[tuple[str, int, dict[str, Any]]] = field(default_factory=list)
    archived: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    sealed: dict[TableDay, float] = field(default_factory=dict)
    cut: Cut | None = None
    outages: list[float] = field(default_factory=list)
    disk_seconds: float = 0.0
    catching_up: list[dt.date] = field(default_factory=list)
    last: dict[str, Any] = field(default_factory=dict)
    began: float = 0.0


class Run:
    """One week on a ground."""

    def __init__(self, ground: Ground, say: Callable[[str], None]) -> None:
        self.record = Record()
        self._ground = ground
        self._week = ground.week
        self._say = say
        self._rng = Random(f"soak faults {ground.week.seed}")
        self._pool = ThreadPoolExecutor(12)
        self._mornings = ThreadPoolExecutor(
            1
        )  # one after the other: the worker of a day ends before the next day's begins
        self._under_way: list[Future[None]] = []
        self._due: list[tuple[float, str, Callable[[], None], ThreadPoolExecutor]] = []

    def pass_by(self, groups: dict[str, list[str]]) -> Record:
        """Let the week pass.

        Raises:
            TimeoutError: something that should come did not.
        """
        ground = self._ground
        ground.prefect.result()  # a night comes at its hour, to a server that is there
        lead = 3 + sum(map(len, ground.played.values())) / _WRITTEN_A_SECOND  # what is to be started is there by then
        self.record.began = began = time.time() + lead
        ground.set_times(groups, began)
        for service in (ground.archiver, *ground.recorders.values()):
            service.start()
        try:
            self._plan(began)
            while self._due or any(not done.done() for done in self._under_way):
                self._watch()
                while self._due and self._due[0][0] <= time.time():
                    _, what, do, pool = self._due.pop(0)
                    self._say(what)
                    self._under_way.append(pool.submit(do))
                for done in [done for done in self._under_way if done.done()]:
                    self._under_way.remove(done)
                    done.result()
                time.sleep(_POLL_SECONDS)
            self._end()
        finally:
            for pool in (self._mornings, self._pool):
                pool.shutdown(cancel_futures=True)
        return self.record

    def _plan(self, began: float) -> None:
        """When what happens."""
        script, week, ground, rng = self._week.script, self._week, self._ground, self._rng
        for day in range(week.days):
            first = began + day * week.day_seconds

            def at(
                share: float, what: str, do: Callable[[], None], pool: ThreadPoolExecutor = self._pool,
                day: int = day, first: float = first,
            ) -> None:  # fmt: skip
                self._due.append((first + share * week.day_seconds, f"day {day + 1}: {what}", do, pool))

            if day in script.brokers:
                at(rng.uniform(0.1, 0.4), "the broker is killed", self._kill_broker)
            if day in script.archivers:
                at(rng.uniform(0.1, 0.6), "the archiver is killed", ground.archiver.kill)
            if day in script.recorders:
                name = rng.choice([name for name in ground.recorders if name != "late"])
                at(rng.uniform(0.1, 0.6), f"recorder {name} is killed", ground.recorders[name].kill)
            if script.late and script.late[1] == day:
                at(-(1 - PLAYED) / 4, f"the link of {script.late[0]} is cut", self._relink_to(NOWHERE))
            if script.full_disk == day and ground.disk:
                at(rng.uniform(0.2, 0.4), "the archive's disk is full", self._full_disk)
            if script.cut == day:
                at(0.3, "the topic is cut", self._cut)
            at(1, f"the night of {week.dates[day]}", partial(self._night, day), self._mornings)
            if script.operators == day:
                at(1, "two operators and a backfill at once", partial(self._operate, day))
        self._due.sort(key=lambda each: each[0])

    def _watch(self) -> None:
        """Keep services running, and see what the archive has."""
        for service in self._ground.services():
            service.watch()
        now = time.time()
        for journal in (self._ground.archive / ".journal").glob("*/*.journal"):
            try:
                with journal.open("rb") as file:
                    head = file.read(2 * _SLOT.size)
            except OSError:  # it was sealed meanwhile
                continue
            if len(head) == 2 * _SLOT.size:
                last = max(slot[2] for slot in _SLOT.iter_unpack(head))
                seen = self.record.archived.setdefault(journal.stem.partition(".")[0], [(0.0, 0)])
                if last > seen[-1][1]:
                    seen.append((now, last))
        for day in self._week.dates:
            for manifest in (self._ground.archive / str(day)).glob("*.json"):
                self.record.sealed.setdefault((manifest.name.partition(".")[0], day), now)

    def _kill_broker(self) -> None:
        began = time.monotonic()
        self._ground.broker.stop()
        time.sleep(self._rng.uniform(1, 4))
        self._ground.broker.start()
        self.record.outages.append(time.monotonic() - began)

    def _relink_to(self, bootstrap: str) -> Callable[[], None]:
        script = self._week.script
        assert script.late is not None
        tables = [script.late[0]]

        def relink() -> None:
            self._ground.order("late", tables, bootstrap)
            self._ground.recorders["late"].kill()

        return relink

    def _full_disk(self) -> None:
        ballast = self._ground.fill_disk()
        began = time.monotonic()
        try:
            wait_for("the archiver says that the disk is full", lambda: "No space left" in self._trouble(), 60)
            time.sleep(0.1 * self._week.day_seconds)
        finally:
            ballast.unlink()
            self.record.disk_seconds = time.monotonic() - began

    def _trouble(self) -> str:
        return "\n".join(line.get("what", "") for line in self._ground.archiver_lines())

    def _cut(self) -> None:
        """Take from the topic what the archiver, which is not there, has not taken; from the partition with most of it."""
        ground = self._ground
        ground.archiver.kill(for_good=True)
        time.sleep(max(2.0, 0.08 * self._week.day_seconds))
        options: dict[str, Any] = {"bootstrap_servers": ground.broker.bootstrap}
        partitions = [TopicPartition(TOPIC, number) for number in range(PARTITIONS)]
        places = {tp: read_place(ground.archive, TOPIC, tp.partition) for tp in partitions}
        safe = {tp: place.next if place else 0 for tp, place in places.items()}
        with closing(KafkaConsumer(**options, enable_auto_commit=False)) as consumer:
            ends = consumer.end_offsets(partitions)
            chosen = max(partitions, key=lambda tp: ends[tp] - safe[tp])
            consumer.assign([chosen])
            consumer.seek(chosen, safe[chosen])
            events: set[tuple[str, int]] = set()
            deadline = time.monotonic() + 60
            while consumer.position(chosen) < ends[chosen] and time.monotonic() < deadline:
                for record in consumer.poll(timeout_ms=500).get(chosen, ()):
                    if record.offset < ends[chosen]:
                        said = decode(record.value)
                        events.add((said.table_id, said.seq))
        with closing(KafkaAdminClient(**options)) as admin:
            admin.delete_records({chosen: ends[chosen]})
        self.record.cut = Cut(chosen.partition, safe[chosen], ends[chosen], events)
        ground.archiver.start()

    def _night(self, day: int) -> None:
        """The run that Prefect has scheduled for the morning after a gaming day."""
        ground, script = self._ground, self._week.script
        if script.dead_worker == day:
            ground.worker.kill(for_good=True)
        else:
            ground.worker.start()
        self._under_way.append(self._pool.submit(self._wait_for_night, day, self._scheduled(day)))

    def _scheduled(self, day: int) -> str:
        """The flow run of the morning after a gaming day."""
        morning = f"{self._week.dates[day] + dt.timedelta(days=1)}T06:15:00+08:00"
        return self._ground.api.order("nightly/nightly", {"settings": str(self._ground.settings)}, morning)

    def _ended(self, run: str, seconds: float) -> Night:
        """A flow run when it is over."""
        said: Night = {}

        def ended() -> bool:
            said.update(self._ground.api.run(run))
            return said["state_type"] in {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}

        wait_for("the end of a night", ended, seconds, lambda: f"its run is {said.get('state')}")
        return said

    def _wait_for_night(self, day: int, run: str) -> None:
        ground, script, date = self._ground, self._week.script, self._week.dates[day]
        longer = self._week.day_seconds if script.dead_worker == day else 0
        self.record.nights[date] = self._ended(run, _NIGHT_SECONDS + longer)
        for each in self._week.dates[: day + 1]:
            pages = ground.api.artifacts(key(ground.lake, each))
            if pages:
                self.record.pages.setdefault(each, pages[-1])
        if script.late and script.late[1] == day:
            self._say(f"the link of {script.late[0]} is there again")
            self._relink_to(ground.broker.bootstrap)()

    def _operate(self, day: int) -> None:
        """Several people who run a night at the same time, by hand."""
        dates, ground = self._week.dates, self._ground
        night = ("nightly", "--day", str(dates[day]), "--json")
        backfill = ("backfill", "--from", str(dates[0]), "--to", str(dates[day]), "--json")
        with ThreadPoolExecutor(3) as several:
            for words, done in zip(
                (night, night, backfill),
                several.map(lambda words: ground.pitaudit(*words), (night, night, backfill)),
                strict=True,
            ):
                said: dict[str, Any] = {"error": done.stderr}
                with suppress(ValueError):
                    said = json.loads(done.stdout)
                self.record.operators.append((words[0], done.returncode, said))

    def _end(self) -> None:
        """Wait until all that was played is sealed, let the next morning's run come, and account for the whole week."""
        ground, dates = self._ground, self._week.dates
        lost = self.record.cut.events if self.record.cut else set()
        wanted = {
            (table, day)
            for (table, day), events in ground.played.items()
            if (table, day) != ground.absent and not {(table, seq) for seq, _ in events} <= lost
        }

        def sealed() -> bool:
            self._watch()
            done = all(recorder.is_done for recorder in ground.recorders.values())
            return done and wanted <= self.record.sealed.keys() and not unsealed(ground.archive)

        wait_for("all that was recorded is sealed", sealed, _NIGHT_SECONDS)
        if self._week.script.late or self._week.script.cut is not None:  # what was sealed after its night is taken up
            self._ended(self._scheduled(self._week.days - 1), _NIGHT_SECONDS)
        settings = load(ground.settings, {})
        self.record.catching_up = to_catch_up(
            ground.archive, ground.lake, dt.date.min, dates[-1] + dt.timedelta(days=1), settings.expecting
        )
        done = ground.pitaudit("backfill", "--from", dates[0], "--to", dates[-1], "--json")
        self.record.last = {"exit": done.returncode, "stderr": done.stderr}
        with suppress(ValueError):
            self.record.last |= json.loads(done.stdout)
        ground.worker.kill(for_good=True)
        ground.archiver.end()
        self._say("the week is over")


def reports(ground: Ground, folder: Path) -> dict[dt.date, tuple[int, str]]:
    """The report of each gaming day: its exit code, and its page with what the command said."""
    said = {}
    for day in ground.week.dates:
        page = folder / f"{day}.html"
        done = ground.pitaudit("report", "--day", day, "-o", page)
        said[day] = (done.returncode, (page.read_text() if page.exists() else "") + done.stderr)
    return said
