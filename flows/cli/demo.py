"""``pitaudit demo``."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from flows.cli.options import SettingsFile, settings_of
from flows.cli.terminal import CLEAN, FOUND, money, print_grid, print_json, print_table, progress, warn
from flows.cli.warnings import warn_of_pseudonyms
from schemas.plural import plural


def demo(
    *,
    folder: Annotated[Path, Parameter(name="--dir")] = Path(".demo"),
    json: bool = False,
    settings: SettingsFile = None,
) -> int:
    """Simulate a small casino day, replay and reconcile it, and check that exactly the planted faults were found.

    Needs no broker, no server and no network, and takes well under a minute. Exit 0 only if every planted fault was
    found with its exact amount, and nothing that was not planted.

    Example: `pitaudit demo`

    Parameters
    ----------
    folder
        Where to leave the archive, the lake, the labels and the report; an earlier demo there is replaced.
    json
        One JSON object on standard output: proved, planted (fault and count), missed, unplanted, report, seconds and
        the night as nightly --json gives it.
    """
    from flows.demo import TABLES, run_demo

    chosen = settings_of(settings)
    with progress("A small casino day", 2 * TABLES) as step:
        done = run_demo(folder, step, settings=chosen, workers=min(4, os.cpu_count() or 1))
    warn_of_pseudonyms()
    for found, what in ((done.missed, "was planted and not found"), (done.unplanted, "was found and not planted")):
        for each, count in sorted(found.items()):
            amount = f" {money(each.delta_minor, sign=True)}" if each.delta_minor else ""
            times = f" ({count} times)" if count > 1 else ""
            warn(f"{each.table_id} round {each.round}: {each.finding}{amount} {what}{times}")
    if json:
        print_json(
            {
                "proved": done.proved,
                "planted": dict(sorted(done.planted.items())),
                "missed": [asdict(each) | {"count": count} for each, count in sorted(done.missed.items())],
                "unplanted": [asdict(each) | {"count": count} for each, count in sorted(done.unplanted.items())],
                "report": str(done.paths["report"]),
                "seconds": round(done.seconds, 3),
                "night": done.night.to_dict(),
            }
        )
        return CLEAN if done.proved else FOUND
    said = done.night.reconciliation
    print_grid(said.grid())
    rows = [(f.code, f.title, f.count, money(f.delta_minor, sign=True)) for f in said.findings]
    print_table("Findings", ("code", "what", "count", "amount"), rows, figures=(2, 3))
    verdict = "all found, with their exact amounts, and nothing else" if done.proved else "see above for what differs"
    planted, kinds = sum(done.planted.values()), len(done.planted)
    print(f"{plural(done.events, 'event')} replayed; {planted} faults of {kinds} kinds were planted: {verdict}.")
    for name, path in done.paths.items():
        print(f"{name:<8} {path.resolve()}")
    if example := next(iter(said.settlement_causes), None):
        print(f"next     pitaudit explain {done.paths['archive']} --table {example.table_id} --round {example.round}")
    return CLEAN if done.proved else FOUND
