"""The attacks by name, and how a case of one is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.torture import appends, crosstalk, flips, forgeries, kills
from tests.torture.ground import Ground, prepare


@dataclass(frozen=True)
class Attack:
    """One kind of attack: ``case`` gives what went wrong, or None; ``weight`` is its share of the cases."""

    case: Callable[[Ground, Random], str | None]
    weight: int
    forbids: str


ATTACKS = {
    "flip-archive": Attack(flips.archive_file, 30, "a changed container or manifest judged without a word"),
    "flip-copy": Attack(flips.columnar_copy, 15, "a columnar copy believed that is not the container's"),
    "flip-lake": Attack(flips.lake_file, 30, "changed verdicts read, or left as they are by the next night"),
    "flip-journal": Attack(flips.journal, 30, "an acknowledged event dropped, its number used again"),
    "missing": Attack(flips.missing_file, 10, "a table that vanishes without a word"),
    "forge-payment": Attack(forgeries.payment, 10, "a replaced container replayed without a word"),
    "forge-end": Attack(forgeries.event_left_out, 5, "a shortened container replayed without a word"),
    "swap-lake": Attack(forgeries.swapped_in_the_lake, 10, "one table's verdicts under another's name"),
    "swap-archive": Attack(forgeries.swapped_in_the_archive, 5, "one table's log under another's name"),
    "append": Attack(appends.late_part, 30, "a finding gone, or a clean night, after an append"),
    "append-elsewhere": Attack(appends.other_day, 10, "a finding gone after an append to another gaming day"),
    "crosstalk": Attack(crosstalk.neighbours, 20, "one table's events changing another's verdicts"),
    "kill-recorder": Attack(kills.recorder, 10, "an acknowledged event lost or doubled"),
    "kill-nightly": Attack(kills.nightly, 5, "a lake that is not what an undisturbed night leaves"),
    "kill-simulation": Attack(kills.simulation, 2, "other bytes after a kill"),
}


def run(name: str, folder: Path, seeds: Iterable[int]) -> list[str]:
    """Run a case for each seed on grounds in ``folder``; what did not hold, with its seed."""
    broken = []
    ground = prepare(folder / name, Random(name))
    for seed in seeds:
        with ground.copy() as disturbed:
            try:
                wrong = ATTACKS[name].case(disturbed, Random(f"{name} {seed}"))
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"
        if wrong is not None:
            broken.append(f"{name} --seed {seed}: {wrong}")
    return broken
