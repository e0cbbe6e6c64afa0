"""``make torture``: kills, flips, forgeries, appends and crosstalk, some thousands of cases, and a table of what held.

Every case has a seed of its own, which is printed where it did not hold: ``python tests/torture --only NAME --seed SEED``.
"""

from __future__ import annotations

import argparse
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

from tests.torture.attacks import ATTACKS, run  # noqa: E402


def main() -> int:
    """Run the attacks; 1 when anything did not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2_400, help="how many cases in all")
    parser.add_argument("--seed", type=int, default=20261121, help="seed of the first case")
    parser.add_argument("--only", choices=sorted(ATTACKS), help="one kind of attack")
    chosen = parser.parse_args()
    wanted = [chosen.only] if chosen.only else list(ATTACKS)
    weights = sum(ATTACKS[name].weight for name in wanted)
    table = Table("attack", "what must not happen", "cases", "held", "seconds", title="Torture")
    failed: list[str] = []
    total = 0
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        for name in wanted:
            attack = ATTACKS[name]
            count = max(1, round(chosen.cases * attack.weight / weights))
            began = time.perf_counter()
            broken = run(name, Path(folder), range(chosen.seed, chosen.seed + count))
            failed += broken
            total += count
            table.add_row(
                name, attack.forbids, f"{count:,}", f"{count - len(broken):,}", f"{time.perf_counter() - began:.0f}"
            )
    table.add_section()
    table.add_row("all", "", f"{total:,}", f"{total - len(failed):,}", "")
    Console(width=120).print(table)
    for line in failed:
        print(line, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
