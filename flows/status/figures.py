"""The figures that a server shows, refreshed by one thread, independently of the number of requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from flows.status import Status
from replayer.processes.failure import in_one_line, is_failure

_SHARE: Final = 4
"""Between two looks lie at least so many times what a look takes: it takes a fifth of one core at most."""
_MISSED: Final = 3
"""So many times the pause without a new look, and the figures are too old to go by."""
_STOP_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Shown:
    """The last figures that could be made, and what is wrong with the looking itself; empty where nothing is."""

    status: Status
    trouble: str

    @property
    def fine(self) -> bool:
        """Whether the status is known and nothing needs attention."""
        return self.status.fine and not self.trouble

    @property
    def sentence(self) -> str:
        """How it stands, in one sentence."""
        return f"The status is not known: {self.trouble}." if self.trouble else self.status.sentence


class Figures:
    """Makes figures every ``seconds``, or less often where a look takes long. Used as a context: on leaving it stops.

    Raises:
        Exception: the first look failed, as :func:`flows.status.look` does; later failures are shown as trouble.
    """

    def __init__(self, make: Callable[[], Status], seconds: float) -> None:
        self._make = make
        self._seconds = seconds
        self._status = make()
        self._trouble = ""
        self._made = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="status", daemon=True)

    def __enter__(self) -> Figures:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(_STOP_SECONDS)

    @property
    def shown(self) -> Shown:
        """What is to be shown now."""
        age = time.monotonic() - self._made
        trouble = self._trouble
        if not trouble and age > self._pause() * _MISSED + self._status.seconds:
            trouble = f"the last look ended {age:.0f} s ago, and the next one has not"
        return Shown(self._status, trouble)

    def _pause(self) -> float:
        return max(self._seconds, _SHARE * self._status.seconds)

    def _run(self) -> None:
        while not self._stop.wait(self._pause()):
            try:
                self._status = self._make()
            except BaseException as error:  # the archive's disk is gone, say: then the page shows that
                if not is_failure(error):
                    raise
                self._trouble = f"the last look failed: {in_one_line(error)}"
            else:
                self._trouble = ""
                self._made = time.monotonic()
