"""What verdicts depend on besides the log: the program's version, its rules and the settings chosen."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

import replayer
import schemas
from analytics.lake import Pins
from replayer.engine.replay_settings import ReplaySettings


@cache
def rules_digest() -> str:
    """SHA-256 over every file that can change a verdict: the rooms that judge, and the schemas that they read."""
    digest = hashlib.sha256()
    for room in (schemas, replayer):
        root = Path(room.__path__[0])
        rules = (file for file in root.rglob("*") if file.suffix in (".py", ".toml", ".avsc", ".json"))
        files = {file.relative_to(root.parent).as_posix(): file for file in rules}
        for name in sorted(files):
            digest.update(name.encode() + b"\0" + hashlib.sha256(files[name].read_bytes()).digest())
    return digest.hexdigest()


def pins_of(settings: ReplaySettings) -> Pins:
    """The pins of a run with these settings; table-days made under other pins are made anew."""
    chosen = {"preset": settings.preset, **settings.readings}
    chosen |= {
        f"{table}/{name}": reading
        for table, readings in settings.table_readings.items()
        for name, reading in readings.items()
    }
    chosen |= {f"in_force/{name}": day.isoformat() for name, day in settings.in_force.items()}
    chosen |= {f"option/{name}": value for name, value in settings.options.items()}
    if settings.regulation:
        chosen["regulation"] = settings.regulation
    return Pins(version("pitaudit"), rules_digest(), chosen)
