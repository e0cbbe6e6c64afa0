"""``make bench``: measures, interleaved, prints a table and writes the same as JSON to ``.bench/bench.json``.

Every figure is the median of several rounds of measuring; every ratio is taken round by round, between two things that
were measured right after each other, and is then the median of those.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import before
import opponents
import polars as pl
from commands import PITAUDIT, nightly, ran
from opponents import Timing
from replays import follow_events, replay_columns
from rich.console import Console
from rich.table import Table

from producers.mapping import import_log
from producers.simulator import simulate
from replayer.sources.archive import read_table_day
from replayer.sources.layout import PartName
from replayer.sources.table_days import TableDayRef, table_days

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / ".bench"
MAPPING = ROOT / "tests" / "mapping"
MAPS = ROOT / "producers" / "mapping" / "maps"
SEED = 20261121


def corpus(tables: int, rounds: int) -> Path:
    """An archive of ``tables`` table-days, made once and kept for the next run."""
    archive = BENCH / f"archive-{tables}-{rounds}-{SEED}"
    if not (archive / "complete").exists():
        print(f"Simulating {tables} table-days of {rounds} rounds into {archive} ...", file=sys.stderr)
        simulate(archive=archive, tables=tables, rounds=rounds, seed=SEED, workers=2)
        (archive / "complete").touch()
    return archive


def replay_in(processes: int, refs: list[TableDayRef]) -> tuple[int, int, float]:
    """The same in fresh processes, which remember no situation, with an equal part of the table-days each; the slowest one
    decides."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        parts = pool.map(replay_columns, [refs[at::processes] for at in range(processes)], chunksize=1)
    return sum(p[0] for p in parts), sum(p[1] for p in parts), max(p[2] for p in parts)


def in_fresh_process(
    follow: Callable[[list[TableDayRef]], tuple[int, float]], refs: list[TableDayRef]
) -> tuple[int, float]:
    """The events and seconds of what is timed in a process that remembers no situation."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(follow, (refs,))


def end_to_end(archive: Path, workers: int, pitaudit: Sequence[str] = (PITAUDIT,)) -> tuple[int, float, int]:
    """``pitaudit replay ARCHIVE`` as a user runs it. Gives events, seconds, peak KiB."""
    done = ran("replay", archive, "--json", "--workers", str(workers), pitaudit=pitaudit)
    return json.loads(done.out)["events"], done.seconds, done.peak_kib


def third_party() -> Path:
    """An archive of hands that the package ``jackblack`` played and paid, imported once."""
    archive = BENCH / "third-party"
    if not archive.exists():
        import_log(MAPPING / "jackblack_rounds.csv", MAPS / "jackblack.toml", archive)
    return archive


def simulated(workers: int, tables: int, rounds: int) -> tuple[int, float]:
    """``pitaudit simulate`` of a pit, as a user runs it. Gives events and seconds."""
    sizes = ("--tables", str(tables), "--rounds", str(rounds), "--seed", str(SEED), "--workers", str(workers))
    with tempfile.TemporaryDirectory(dir=BENCH) as folder:
        done = ran("simulate", "--archive", folder, *sizes, "--json")
        return json.loads(done.out)["events"], done.seconds


def part_of(archive: Path, refs: list[TableDayRef]) -> Path:
    """An archive of some of another's table-days, by links."""
    part = BENCH / f"{archive.name}-{len(refs)}-of-them"
    for ref in refs:
        name = PartName(ref.gaming_day, ref.table_id)
        for source, target in (
            (name.container(archive), name.container(part)),
            (name.manifest(archive), name.manifest(part)),
        ):
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                target.hardlink_to(source)
    return part


class Bench:
    """Measurements by name, a value for each round of measuring."""

    def __init__(self) -> None:
        self.values: dict[str, list[float]] = {}

    def note(self, name: str, value: float) -> None:
        """Add a value."""
        self.values.setdefault(name, []).append(value)

    def median(self, name: str) -> float:
        """The median of a measurement."""
        return statistics.median(self.values[name])

    def ratio(self, name: str, other: str) -> float:
        """How many times ``other`` goes into ``name``, measured next to each other: the median of the ratios."""
        return statistics.median(a / b for a, b in zip(self.values[name], self.values[other], strict=True))


def opponents_of(archive: Path, refs: list[TableDayRef]) -> Iterator[tuple[str, Callable[[], Timing]]]:
    """The other programs, each ready to be timed."""
    black_jack = [ref for ref in refs if ref.table_id.startswith("BJ")][:4]
    frames = [read_table_day(ref).events for ref in black_jack]
    stored = [events for frame in frames for events in opponents.aggregate_events(frame)]
    hands = [round_ for frame in frames for round_ in opponents.jackblack_hands(frame)]
    containers = [PartName(ref.gaming_day, ref.table_id).container(archive) for ref in black_jack]
    parquet = BENCH / "rows.parquet"
    pl.concat([read_table_day(ref).events for ref in refs[:40]]).drop("chips_denominations").write_parquet(parquet)
    yield "eventsourcing: fold in memory, events/s", lambda: opponents.fold_aggregates(stored)
    yield "jackblack: settle alone, rounds/s", lambda: opponents.settle_jackblack(hands)
    yield "fastavro: decode alone, events/s", lambda: opponents.decode_fastavro(containers)
    yield "DuckDB: scan the same rows, 1 thread, events/s", lambda: opponents.scan_duckdb(parquet)


EVENTS_1 = "pitaudit: replay + settle from columns, 1 process, events/s"
EVENTS_2 = "pitaudit: replay + settle from columns, 2 processes, events/s"
ROUNDS_1 = "pitaudit: replay + settle from columns, 1 process, rounds/s"
ROUNDS_2 = "pitaudit: replay + settle from columns, 2 processes, rounds/s"
ONE_BY_ONE = "pitaudit: one event at a time, each round judged as it closes, 1 process, events/s"
AFTER_EACH = "pitaudit: one event at a time, its round judged after every event, 1 process, events/s"
WHOLE_1 = "pitaudit replay: files to verdicts, 1 process, events/s"
WHOLE_2 = "pitaudit replay: files to verdicts, 2 processes, events/s"
NIGHTLY = "pitaudit nightly: lake and reconciliation, 2 processes, events/s"
THIRD_PARTY = "pitaudit replay: 12,000 hands of another program, most paid wrong in one way, events/s"
EXPLAIN = "pitaudit explain: one round of a table-day of that size, ms"
HELP = "pitaudit --help, ms"
SIMULATE_1 = "pitaudit simulate, 1 process, events/s"
SIMULATE_2 = "pitaudit simulate, 2 processes, events/s"
BEFORE = "pitaudit replay at {}: files to verdicts, 1 process, events/s"


def measure(tables: int, rounds: int, times: int, against: str | None) -> dict[str, object]:
    """Measure everything; gives what is printed and written. ``against`` is an earlier commit to measure beside this one."""
    archive = corpus(tables, rounds)
    refs, foreign = table_days(archive), third_party()
    parts = [
        part_of(archive, refs[::step]) for step in (10, 2)
    ]  # every tenth, every second: each as mixed as the whole
    bench = Bench()
    others = list(opponents_of(archive, refs))
    total = 0
    for number in range(times):
        print(f"Measuring, {number + 1} of {times} ...", file=sys.stderr)
        total, played, seconds = replay_in(1, refs)
        bench.note(EVENTS_1, total / seconds)
        bench.note(ROUNDS_1, played / seconds)
        for name, opponent in others:
            bench.note(name, opponent().rate)
        events, played, seconds = replay_in(2, refs)
        bench.note(EVENTS_2, events / seconds)
        bench.note(ROUNDS_2, played / seconds)
        events, seconds = in_fresh_process(follow_events, refs[::25])
        bench.note(ONE_BY_ONE, events / seconds)
        events, seconds = in_fresh_process(partial(follow_events, closed_only=False), refs[::25])
        bench.note(AFTER_EACH, events / seconds)
        for name, workers in ((WHOLE_1, 1), (WHOLE_2, 2)):
            events, seconds, peak = end_to_end(archive, workers)
            bench.note(name, events / seconds)
            bench.note(f"peak MiB, {len(refs)} table-days, {workers} process(es)", peak / 1024)
        bench.note(NIGHTLY, total / nightly(archive, refs[0].gaming_day.isoformat(), 2).seconds)
        events, seconds, _ = end_to_end(foreign, 1)
        bench.note(THIRD_PARTY, events / seconds)
        one = ("--table", refs[0].table_id, "--day", refs[0].gaming_day.isoformat(), "--round", str(rounds // 2))
        bench.note(EXPLAIN, 1000 * ran("explain", archive, *one).seconds)
        bench.note(HELP, 1000 * ran("--help").seconds)
        for name, workers in ((SIMULATE_1, 1), (SIMULATE_2, 2)):
            events, seconds = simulated(workers, tables, rounds)
            bench.note(name, events / seconds)
        if against is not None:
            events, seconds, _ = end_to_end(archive, 1, before.command(against, BENCH))
            bench.note(BEFORE.format(against), events / seconds)
        for part in parts:
            _, _, peak = end_to_end(part, 1)
            bench.note(f"peak MiB, {len(table_days(part))} table-days, 1 process(es)", peak / 1024)
    ratios = {name: bench.ratio(EVENTS_1, name) for name, _ in others if name.endswith("events/s")}
    ratios |= {name: bench.ratio(ROUNDS_1, name) for name, _ in others if name.endswith("rounds/s")}
    ratios[EVENTS_2] = bench.ratio(EVENTS_2, EVENTS_1)
    ratios[WHOLE_1] = bench.ratio(WHOLE_1, EVENTS_1)
    ratios[SIMULATE_2] = bench.ratio(SIMULATE_2, SIMULATE_1)
    if against is not None:
        ratios[BEFORE.format(against)] = bench.ratio(WHOLE_1, BEFORE.format(against))
    return {
        "machine": {"cpus": os.cpu_count(), "python": platform.python_version(), "system": platform.platform()},
        "corpus": {"table_days": len(refs), "events": total, "seed": SEED},
        "times": times,
        "medians": {name: bench.median(name) for name in bench.values},
        "ratios": ratios,
    }


def show(result: dict[str, object]) -> None:
    """Print the result as a table."""
    medians, ratios = result["medians"], result["ratios"]
    assert isinstance(medians, dict)
    assert isinstance(ratios, dict)
    table = Table("measured", "median", "ratio", title=f"{result['corpus']} on {result['machine']}")
    for name, value in medians.items():
        ratio = ratios.get(name)
        meaning = ""
        if ratio is not None:
            meaning = (
                f"{ratio:.2f} x one process"
                if name in (EVENTS_2, WHOLE_1, SIMULATE_2)
                else f"pitaudit is {ratio:.2f} x this"
            )
        table.add_row(name, f"{value:,.0f}", meaning)
    Console(width=140).print(table)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python tests/bench", description=__doc__)
    parser.add_argument("--tables", type=int, default=100, help="table-days (default 100)")
    parser.add_argument("--rounds", type=int, default=500, help="rounds a table-day (default 500)")
    parser.add_argument("--times", type=int, default=3, help="rounds of measuring (default 3)")
    parser.add_argument("--against", metavar="COMMIT", help="also measure this commit of the project on the same files")
    chosen = parser.parse_args()
    # One process is one core: the column engine must not use the others behind our back.
    if os.environ.get("POLARS_MAX_THREADS") != "1":
        os.execve(
            sys.executable,
            [sys.executable, str(Path(__file__).parent), *sys.argv[1:]],
            {**os.environ, "POLARS_MAX_THREADS": "1"},
        )
    BENCH.mkdir(exist_ok=True)
    result = measure(chosen.tables, chosen.rounds, chosen.times, chosen.against)
    show(result)
    (BENCH / "bench.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"\nWritten to {BENCH / 'bench.json'}")


if __name__ == "__main__":
    main()
