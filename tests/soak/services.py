"""Processes as a service manager keeps them: started again when they die, killed when the script says so."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

RESTART_SECONDS = 0.5


@dataclass
class Service:
    """One process, and its output in a file.

    Attributes:
        deaths: how it ended by itself, which it never should: each exit code.
        kills: how often it was killed here.
        is_done: whether it ended by itself, in order.
    """

    name: str
    command: Sequence[str | Path]
    environment: Mapping[str, str]
    folder: Path
    deaths: list[int] = field(default_factory=list)
    kills: int = 0
    is_done: bool = False
    _process: subprocess.Popen[bytes] | None = None
    _wanted: bool = False
    _again_at: float = 0.0
    _guard: RLock = field(default_factory=RLock)

    @property
    def output(self) -> Path:
        """Where its standard output is kept."""
        return self.folder / f"{self.name}.out"

    @property
    def errors(self) -> Path:
        """Where its standard error is kept."""
        return self.folder / f"{self.name}.err"

    def start(self) -> None:
        """Start it; from now on it is started again when it dies."""
        with self._guard:
            self._wanted = True
            if not self.runs():
                with self.output.open("ab") as out, self.errors.open("ab") as err:
                    self._process = subprocess.Popen(
                        [str(word) for word in self.command],
                        cwd=self.folder, env=dict(self.environment), stdout=out, stderr=err, start_new_session=True,
                    )  # fmt: skip

    def kill(self, *, for_good: bool = False) -> None:
        """SIGKILL, to it and to what it started."""
        with self._guard:
            self._wanted = not for_good
            if self._process is not None and self.runs():
                self.kills += 1
                # Each of which leads a session of its own.
                for pid in (self._process.pid, *_children(self._process.pid)):
                    with suppress(ProcessLookupError):
                        os.killpg(pid, signal.SIGKILL)
                self._process.wait()
                self._process = None
            self._again_at = time.monotonic() + RESTART_SECONDS

    def end(self, seconds: float = 30.0) -> int:
        """SIGTERM, and its exit code; SIGKILL where that is of no use."""
        with self._guard:
            self._wanted = False
            if self._process is None:
                return 0
            self._process.terminate()
            try:
                return self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill(for_good=True)
                return -signal.SIGKILL

    def watch(self) -> None:
        """Start it again where it died."""
        with self._guard:
            if not self._wanted or self.runs():
                return
            if self._process is not None:
                code, self._process = self._process.returncode, None
                if code == 0:  # it had no more to do
                    self._wanted, self.is_done = False, True
                    return
                self.deaths.append(code)
                self._again_at = time.monotonic() + RESTART_SECONDS
            if time.monotonic() >= self._again_at:
                self.start()

    def runs(self) -> bool:
        """Whether it is there."""
        return self._process is not None and self._process.poll() is None


def _children(pid: int) -> list[int]:
    """The processes that a process has started and that are there: Prefect's worker gives each run a session of its own."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            _, parent, group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(parent) == pid and group == stat.parent.name:
                found.append(int(group))
    return found
