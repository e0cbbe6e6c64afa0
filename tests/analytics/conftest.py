"""A lake into which table-days are written that were made by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import Pins, write
from replayer.verdicts.replay import Replayed
from tests.analytics.made import PINS, replayed
from tests.renderer import one_renderer, waiting_renderer  # noqa: F401 (fixtures)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return tmp_path / "lake"


@pytest.fixture
def put(lake: Path) -> Callable[..., Replayed]:
    """Writes a table-day made by :func:`replayed` into the lake."""

    def _put(*args: Any, pins: Pins = PINS, **more: Any) -> Replayed:
        made = replayed(*args, **more)
        write(lake, [made], pins)
        return made

    return _put
