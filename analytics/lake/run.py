"""The manifest of a table-day's run: the log, rules and settings that its verdicts were made from.

The table and day in it must be those of its path. :mod:`analytics.lake.parts` tells in which files its rows are, and names a run
by its manifest's digest.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from analytics.lake.files import NotIntact, read_note_file, sha256_of
from replayer.sources.layout import TABLE_ID
from replayer.sources.safe_files import listed
from replayer.sources.safe_texts import digested_json, json_object, parsed
from schemas.identity import Pseudonyms

FORMAT: Final = 5


@dataclass(frozen=True, slots=True)
class Pins:
    """Everything besides the log that verdicts depend on.

    Attributes:
        program: version of the program.
        rules_digest: digest of the rules' source.
        rulings: the chosen readings and other settings, by name.
        pseudonyms: the pseudonyms that replace player ids.
    """

    program: str
    rules_digest: str
    rulings: Mapping[str, str] = field(default_factory=dict)
    pseudonyms: Pseudonyms = field(default_factory=Pseudonyms.from_environment)

    def to_dict(self) -> dict[str, Any]:
        """The pins as a run's manifest has them: with only a fingerprint of the pseudonyms' key."""
        return {
            "program": self.program,
            "rules_digest": self.rules_digest,
            "rulings": dict(sorted(self.rulings.items())),
            "players": f"pseudonyms:{self.pseudonyms.print}",
        }


@dataclass(frozen=True, slots=True)
class Run:
    """A run's manifest: the log, the pins and the digest of the verdicts.

    Attributes:
        parts: SHA-256 of the containers of the table-day, in order; each names the one before, so the last identifies the log.
        events: the number of its events, by which a day is divided into parts.
        memory: a copy of the lake's memory of the table-day (:mod:`analytics.lake.memory`).
        on_other_days: how many numbers the log leaves out that other gaming days had at the time of the run.
        identity: the SHA-256 of its manifest, by which other files name it; if it was read, that of the file's bytes.
    """

    table_id: str
    gaming_day: dt.date
    parts: tuple[str, ...]
    pins: Mapping[str, Any]
    digest: str
    memory: tuple[Mapping[str, Any], ...]
    events: int
    on_other_days: int = 0
    identity: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.identity:
            object.__setattr__(self, "identity", sha256_of(self.to_json().encode()))

    @property
    def rulings(self) -> Mapping[str, str]:
        """The readings of doubtful texts and other settings under which it was made."""
        rulings: Mapping[str, str] = self.pins["rulings"]
        return rulings

    @property
    def players(self) -> str:
        """How its files name players: by ``pseudonyms`` with a key, or by ``pseudonyms without a key``."""
        key = str(self.pins.get("players", "")).partition(":")[2]
        return "pseudonyms" if key else "pseudonyms without a key"

    def to_json(self) -> str:
        """The manifest's text."""
        said = json_object(self) | {"format": FORMAT}
        del said["identity"]
        return digested_json(said)


def run_file(lake: Path, gaming_day: dt.date, table_id: str) -> Path:
    """The file of the manifest of a table-day's run."""
    return lake / "runs" / gaming_day.isoformat() / f"{table_id}.json"


def tables_with_runs(lake: Path, gaming_day: dt.date) -> set[str]:
    """The tables that have a manifest, intact or not, of a gaming day."""
    return tables_named_in(run_file(lake, gaming_day, "").parent, ".json")


def tables_named_in(folder: Path, ending: str) -> set[str]:
    """The tables that files in a folder are named after."""
    return {path.stem for path in listed(folder, f"*{ending}") if TABLE_ID.fullmatch(path.stem)}


def intact_run(lake: Path, gaming_day: dt.date, table_id: str) -> Run | None:
    """The manifest of a table-day's run; None where it is not intact."""
    with suppress(NotIntact):
        return read_run(lake, gaming_day, table_id)
    return None


def read_run(lake: Path, gaming_day: dt.date, table_id: str) -> Run:
    """The manifest of a table-day's run; raises NotIntact where it is missing, damaged, or another table-day's."""
    file = run_file(lake, gaming_day, table_id)
    values, identity = read_note_file(file)
    if values.pop("format", None) != FORMAT:
        raise NotIntact(file, f"is no manifest of format {FORMAT}: another version of this program wrote it")
    try:
        run = parsed(Run, {**values, "identity": identity})
    except (ValueError, KeyError, TypeError):
        raise NotIntact(file, "is no manifest of a run") from None
    if (run.table_id, run.gaming_day) != (table_id, gaming_day):
        raise NotIntact(file, f"is the manifest of table {run.table_id} of {run.gaming_day}")
    return run


def mixed_names(runs: Iterable[Run]) -> str:
    """That players have several names in these runs, as they were made under different keys; empty where they were not."""
    names = len({run.pins.get("players") for run in runs})
    said = f"a player may have {names} names here, since days were written under other keys: run them again under one"
    return said if names > 1 else ""
