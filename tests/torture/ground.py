"""What every case starts from: a small archive with planted faults and its lake, and what an undisturbed night says of them."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

from analytics.lake import LakeUnusable
from flows.runs import run_nightly
from flows.summary import Night
from producers.simulator import simulate
from replayer.verdicts.tables import TABLES
from tests.folders import Folders
from tests.lakes import connect

DAY = dt.date(2009, 6, 1)
_PASSING = ("seconds", "replayed", "unchanged", "made_anew", "restored")
"""What a night says of itself and not of the tables."""

Rows = dict[str, list[tuple[Any, ...]]]
"""Every row of every table of a lake, sorted."""


@dataclass(frozen=True)
class Ground(Folders):
    """An archive and its lake as they were left by an undisturbed night, which said ``said`` and left ``rows``."""

    folder: Path
    said: dict[str, Any]
    rows: Rows

    @contextmanager
    def copy(self) -> Iterator[Ground]:
        """The same in a folder of its own, to be disturbed."""
        folder = self.folder.parent / uuid4().hex
        shutil.copytree(self.folder, folder)
        try:
            yield Ground(folder, self.said, self.rows)
        finally:
            shutil.rmtree(folder)

    def night(self) -> Night:
        """A night over archive and lake as they are now."""
        return run_nightly(self.archive, self.lake, DAY, show=True)

    def same(self, night: Night) -> bool:
        """Whether a night said the same as the undisturbed one and left the same rows."""
        return spoken(night) == self.said and rows_of(self.lake) == self.rows


def spoken(night: Night) -> dict[str, Any]:
    """What a night says of the tables."""
    return {name: value for name, value in night.to_dict().items() if name not in _PASSING}


def rows_of(lake: Path) -> Rows | None:
    """Every row that a reader of the lake sees; None where the lake refuses to be read."""
    try:
        with connect(lake, DAY, DAY) as connection:
            return {name: sorted(connection.sql(f"SELECT * FROM {name}").fetchall(), key=repr) for name in TABLES}
    except LakeUnusable:
        return None


def prepare(folder: Path, rng: Random) -> Ground:
    """Simulate and judge a small pit in ``folder``: four tables of both games."""
    ground = Ground(folder / "ground", {}, {})
    simulate(ground.archive, day=DAY, tables=4, rounds=8, seed=rng.random(), faults=0.15)
    night = ground.night()
    rows = rows_of(ground.lake)
    assert rows is not None
    return Ground(ground.folder, spoken(night), rows)
