"""``make bench-day``: a casino's day and one table-day of millions of events, each command as a user runs it, once.

Prints seconds and peak memory, and writes the same as JSON to ``.bench/day.json``. It takes ten minutes, most of it to simulate.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from commands import Ran, nightly, ran
from rich.console import Console
from rich.table import Table

from producers.simulator import simulate
from replayer.sources.manifests import read_manifests
from replayer.sources.table_days import table_days
from schemas.plural import plural

BENCH = Path(__file__).resolve().parents[2] / ".bench"
SEED = 20261122


def made(tables: int, rounds: int, faults: float) -> Path:
    """An archive of so many table-days, made once and kept for the next run."""
    archive = BENCH / f"day-{tables}-{rounds}-{SEED}"
    if not (archive / "complete").exists():
        print(f"Simulating {plural(tables, 'table-day')} of {rounds} rounds into {archive} ...", file=sys.stderr)
        simulate(archive=archive, tables=tables, rounds=rounds, seed=SEED, faults=faults, workers=2)
        (archive / "complete").touch()
    return archive


def events_of(archive: Path) -> int:
    """How many events an archive has."""
    return sum(part.count for ref in table_days(archive) for part in read_manifests(ref))


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python tests/bench/day.py", description=__doc__)
    parser.add_argument("--tables", type=int, default=500, help="table-days of the casino's day (default 500)")
    parser.add_argument("--rounds", type=int, default=1000, help="rounds of each (default 1000: 25 million events)")
    parser.add_argument(
        "--long", type=int, default=75_000, help="rounds of the long table-day (default 75,000: 3 million events)"
    )
    chosen = parser.parse_args()
    BENCH.mkdir(exist_ok=True)
    house, long = made(chosen.tables, chosen.rounds, 0.005), made(1, chosen.long, 0)
    day = table_days(house)[0].gaming_day.isoformat()
    done: list[tuple[str, int, Ran]] = [
        ("nightly, two processes", events_of(house), nightly(house, day, 2)),
        ("rulings ledger, two processes", events_of(house), ran("rulings", "ledger", house, "--workers", "2")),
        ("replay of one long table-day, one process", events_of(long), ran("replay", long)),
    ]
    table = Table("measured", "events", "seconds", "events/s", "peak MiB")
    for name, events, one in done:
        table.add_row(
            name, f"{events:,}", f"{one.seconds:.1f}", f"{events / one.seconds:,.0f}", f"{one.peak_kib / 1024:,.0f}"
        )
    Console(width=120).print(table)
    told = [
        {"name": name, "events": events, "seconds": one.seconds, "peak_kib": one.peak_kib} for name, events, one in done
    ]
    (BENCH / "day.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
