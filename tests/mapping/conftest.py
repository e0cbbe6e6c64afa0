from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from producers.mapping import ImportSummary, import_log
from replayer.sources.archive import read_table_day
from replayer.sources.table_days import table_days
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.notation import print_events
from tests.archives import read_events


@dataclass(frozen=True)
class Imported:
    """An archive with what was imported into it."""

    archive: Path
    summary: ImportSummary

    def in_notation(self) -> str:
        """All rounds in the notation, without the table's own words before them."""
        texts = []
        for ref in table_days(self.archive):
            events = [event for event in read_events(ref) if event.round is not None]
            texts.append(print_events(events, times=False))
        return "\n".join(texts)

    def opening(self) -> str:
        """The table's own words before the first round."""
        (ref,) = table_days(self.archive)
        return print_events([event for event in read_events(ref) if event.round is None], times=False)

    def replayed(self) -> Replayed:
        """The one table-day as the replayer judges it."""
        (ref,) = table_days(self.archive)
        return replay_table_days([read_table_day(ref)])[0]

    def payments_found(self) -> list[tuple[int, int, str, int]]:
        """Every payment that the replayer holds to be wrong: round, seat, code, delta in minor units."""
        found = self.replayed().findings.drop_nulls("delta_minor")
        return [tuple(row) for row in found.select("round", "seat", "code", "delta_minor").rows()]

    def codes_found(self) -> set[str]:
        """What else is found; that nobody counted the chips of an imported table is no news."""
        return set(self.replayed().findings["code"].to_list()) - {"TABLE_NOT_CLOSED"}


Import = Callable[..., Imported]


@pytest.fixture
def imported(tmp_path: Path) -> Import:
    """Writes a log and a map to files and imports them."""

    def run(log: str | bytes, map_text: str, name: str = "log.csv") -> Imported:
        (tmp_path / name).write_bytes(log if isinstance(log, bytes) else log.encode())
        (tmp_path / "map.toml").write_text(map_text, encoding="utf-8")
        archive = tmp_path / "archive"
        return Imported(archive, import_log(tmp_path / name, tmp_path / "map.toml", archive))

    return run
