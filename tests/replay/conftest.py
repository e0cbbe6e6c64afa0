"""Table-days that several tests replay."""

from __future__ import annotations

from pathlib import Path

import pytest

from producers.simulator import simulate
from replayer.integrity.log import TableDay
from replayer.sources.archive import read_columns, table_days


@pytest.fixture(scope="session")
def pit(tmp_path_factory: pytest.TempPathFactory) -> list[TableDay]:
    """Two tables of either game, with faults."""
    archive: Path = tmp_path_factory.mktemp("pit")
    simulate(archive=archive, tables=4, rounds=60, seed=5, faults=0.05)
    return [TableDay(ref.table_id, ref.gaming_day, read_columns(ref)) for ref in table_days(archive)]
