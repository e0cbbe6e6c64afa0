"""Commands as a user runs them: start of Python, files, lake and reconciliation included."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PITAUDIT = str(Path(sys.executable).parent / "pitaudit")
_PEAK = Path(__file__).parents[1] / "peak.py"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed, its seconds on the wall, and the peak memory of its largest process in KiB."""

    out: str
    seconds: float
    peak_kib: int


def ran(*arguments: str | Path, pitaudit: Sequence[str] = (PITAUDIT,)) -> Ran:
    """Run ``pitaudit`` with some arguments.

    Raises:
        SystemExit: it ended with another code than 0 or 1.
    """
    command = [*pitaudit, *map(str, arguments)]
    with tempfile.NamedTemporaryFile("r") as noted:
        measured = [sys.executable, "-S", str(_PEAK), noted.name, *command]
        done = subprocess.run(measured, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        told = json.loads(noted.read())
    if told["code"] not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {told['code']}")
    return Ran(done.stdout, told["seconds"], told["peak_kib"])


def nightly(archive: Path, day: str, workers: int) -> Ran:
    """A night over an archive into a lake of its own."""
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        return ran(
            "nightly", "--archive", archive, "--lake", Path(folder) / "lake", "--day", day, "--workers", str(workers)
        )
