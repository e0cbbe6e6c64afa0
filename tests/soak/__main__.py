"""``make soak``: a week in minutes, with a real broker and a real Prefect server, and everything that can go wrong in one.

Broker, archiver and recorders are killed, a table never comes and one comes late, the topic is cut, a disk is full, a
worker is dead for a day, two operators work at once. At the end every table of every day is accounted for, the verdicts are
those of an undisturbed week, and every fault is told. All chance is of the seed that is printed.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
import types
from pathlib import Path

from rich.console import Console
from rich.table import Table

_TESTS = types.ModuleType("tests")  # by its path, since another distribution has a package of that name
_TESTS.__path__ = [str(Path(__file__).resolve().parents[1])]
sys.modules["tests"] = _TESTS

from tests.soak.soak import soak, the_week  # noqa: E402


def main() -> int:
    """Run a soak; 1 when anything did not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20, help="how long the week takes")
    parser.add_argument("--days", type=int, default=7, help="gaming days, from 3 up")
    parser.add_argument("--tables", type=int, default=12, help="tables, from 4 up")
    parser.add_argument("--rounds", type=int, default=120, help="rounds of a table-day")
    parser.add_argument("--seed", type=int, default=20261122, help="seed of all chance")
    parser.add_argument("--short", action="store_true", help="two days of four tables in a minute, as the tests run it")
    parser.add_argument("--keep", type=Path, help="an empty folder in which everything is left, to look at")
    chosen = parser.parse_args()
    if not chosen.short and (chosen.days < 3 or chosen.tables < 4):
        parser.error("a week in which every fault has its day takes 3 days and 4 tables at least")
    console = Console(width=160)
    tables = 4 if chosen.short else chosen.tables
    week = the_week(
        chosen.seed, short=chosen.short, days=chosen.days, minutes=chosen.minutes, tables=tables, rounds=chosen.rounds
    )
    console.print(f"seed {chosen.seed}: {week.days} days of {week.day_seconds:.0f} s, {week.tables} tables")
    folder = chosen.keep or Path(tempfile.mkdtemp(prefix="soak-"))
    folder.mkdir(exist_ok=True)
    try:
        began = time.monotonic()
        done = soak(
            week,
            folder.resolve(),
            lambda what: console.out(f"{time.monotonic() - began:6.1f} s  {what}", highlight=False),
        )
    finally:
        if chosen.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    table = Table("what", "reported", "holds", title=f"Soak, seed {chosen.seed}")
    for each in done.held:
        table.add_row(each.what, each.reported, "yes" if each.holds else "NO")
    console.print(table)
    figures = Table("figure", "measured")
    for name, figure in done.figures.items():
        figures.add_row(name, figure)
    console.print(figures)
    wrong = [each for each in done.held if not each.holds]
    for each in wrong:
        sys.stderr.write(f"seed {chosen.seed}: {each.what}: {each.wrong}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
