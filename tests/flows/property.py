"""A property in a folder of its own, with all that a test does to it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from flows.cli import main
from flows.runs import run_backfill, run_nightly, run_with_catching_up
from flows.settings import Settings
from flows.status import Status, look
from flows.summary import Night
from tests import house
from tests.folders import Folders


@dataclass(frozen=True)
class Property(Folders):
    """Its archive, its lake, and the nights that judge the one into the other."""

    folder: Path

    @property
    def both(self) -> tuple[str, ...]:
        """Its archive and its lake as the options of a command."""
        return "--archive", str(self.archive), "--lake", str(self.lake)

    def night(self, day: dt.date = house.DAY, chosen: Settings | None = None, **more: Any) -> Night:
        """The night of one gaming day."""
        return run_nightly(self.archive, self.lake, day, chosen, **more)

    def backfill(self, first: dt.date, last: dt.date, **more: Any) -> list[Night]:
        """The nights of some days."""
        night = partial(run_nightly, self.archive, self.lake)
        return run_backfill(night, self.archive, self.lake, first, last, Settings(), **more)

    def nights(self, day: dt.date, chosen: Settings | None = None, **more: Any) -> list[Night]:
        """The night of a day behind those of the days before that wait for one."""
        night = partial(run_nightly, self.archive, self.lake)
        return run_with_catching_up(night, self.archive, self.lake, day, chosen or Settings(), **more)

    def look(self, now: dt.datetime | None = None) -> Status:
        """How it stands."""
        return look(self.archive, self.lake, now)


def ends(*words: object) -> int:
    """The exit code of a command that is run in this process."""
    return main([str(word) for word in words])
