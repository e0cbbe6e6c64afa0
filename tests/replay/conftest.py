"""Table-days that several tests replay, and judges that remember nothing of other tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from producers.simulator import simulate
from replayer.engine import evaluator
from replayer.log.columns import TableDay
from replayer.sources.archive import read_table_day
from replayer.sources.table_days import TableDayRef, table_days


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> list[TableDayRef]:
    """Two tables of either game, with faults."""
    archive: Path = tmp_path_factory.mktemp("pit")
    simulate(archive=archive, tables=4, rounds=60, seed=5, faults=0.05)
    return table_days(archive)


@pytest.fixture
def pit(simulated: list[TableDayRef]) -> list[TableDay]:
    """Their table-days, read anew: events that a process keeps keep their texts, of which other tests hold that they go."""
    return [TableDay(ref.table_id, ref.gaming_day, read_table_day(ref).events) for ref in simulated]


@pytest.fixture
def forget(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Has judges remember nothing, each time that it is called and once before the test."""

    def forget() -> None:
        for remembered in ("_EVALUATORS", "_AUTOMATA", "_ALPHABETS"):
            monkeypatch.setattr(evaluator, remembered, {})

    forget()
    return forget
