"""The lake's memory of the logs that it judged, so that no sealed log is replaced unnoticed (``README.md`` says how it is kept).

It is a file of chained lines (:mod:`analytics.lake.acknowledged`) a table-day, to which each run only adds, with a copy in the
run's manifest. Removing both and the verdicts too leaves no trace in the lake.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from analytics.lake.acknowledged import Acknowledgement, ChainedLines, NothingToAcknowledge
from analytics.lake.files import NotIntact, is_there, write_guard
from analytics.lake.run import Run, intact_run
from replayer.sources.layout import require_table_id
from replayer.sources.safe_texts import digested_json, json_object
from schemas.finding import of_integrity

CONTAINER_REPLACED: Final = of_integrity(
    "CONTAINER_REPLACED", "A sealed part of the log is not the one that was judged before"
)
MEMORY_LOST: Final = of_integrity("MEMORY_LOST", "The lake's memory of the logs it judged was damaged, cut or removed")


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a log after it was judged, or the loss of the memory of what was judged.

    Attributes:
        part: the part of the table-day, from 0; None where the memory was lost.
        was: SHA-256 of the part's container when it was judged; after a loss, that of the line that records it, or empty.
        now: SHA-256 of the part's container when it was judged last; None where the part is gone.
    """

    table_id: str
    gaming_day: dt.date
    part: int | None
    was: str
    now: str | None
    message: str
    acknowledged: Acknowledgement | None = None

    @property
    def code(self) -> str:
        """The code of its finding, as long as it is not acknowledged."""
        return MEMORY_LOST if self.part is None else CONTAINER_REPLACED

    @property
    def open(self) -> bool:
        """Whether it is not acknowledged."""
        return self.acknowledged is None

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {"code": self.code, **json_object(self)}


@dataclass(frozen=True, slots=True)
class Memory(ChainedLines):
    """A table-day's memory; ``lost`` where its file is damaged and the copy cannot restore it."""

    lost: bool = False

    @property
    def judged(self) -> tuple[str, ...]:
        """The digests of the parts that were judged last; none where none was."""
        return next((tuple(line["judged"]) for line in reversed(self.lines) if "judged" in line), ())


def memory_file(lake: Path, gaming_day: dt.date, table_id: str) -> Path:
    """The file of a table-day's memory."""
    return lake / "judged" / gaming_day.isoformat() / f"{table_id}.jsonl"


def recall(lake: Path, gaming_day: dt.date, table_id: str, run: Run | None) -> Memory:
    """The memory of a table-day: by its file, and by the copy in the manifest of its run where that is intact."""
    own = Memory.read(memory_file(lake, gaming_day, table_id))
    if run is None:
        return replace(own, lost=bool(own.damage))
    copy = Memory.parsed([digested_json(line, line=True).encode() for line in run.memory])
    common = min(len(own.lines), len(copy.lines))
    if own.digests[:common] != copy.digests[:common]:
        return replace(copy, damage="is another than the copy in the manifest of the run", lost=True)
    if len(own.lines) >= len(copy.lines):
        return own
    missing = "lacks a line that the manifest of the run has a copy of" if own.lines else "is missing"
    return replace(copy, damage=own.damage or missing)


def changes(lake: Path, gaming_day: dt.date, table_id: str, run: Run | None) -> list[Change]:
    """Every change of a table-day's log by its memory, acknowledged or not, and the loss of that memory."""
    memory = recall(lake, gaming_day, table_id, run)
    acknowledged = {
        (part, was, now): Acknowledgement(line["by"], line["at"], line["reason"])
        for line in memory.lines
        for part, was, now in line.get("acknowledged", ())
    }
    current = dict(_changed(memory))
    if memory.lost:
        lost = f"{memory_file(lake, gaming_day, table_id)} {memory.damage}"
        current[None, "", None] = f"what was judged before may not be known: {lost}"
    past = {key: _in_words(*key) for key in acknowledged if key not in current}
    return [
        Change(table_id, gaming_day, part, was, now, message, acknowledged.get((part, was, now)))
        for (part, was, now), message in (past | current).items()
    ]


def _changed(memory: Memory) -> Iterator[tuple[tuple[int | None, str, str | None], str]]:
    judged: Sequence[Sequence[str]] = [line["judged"] for line in memory.lines if "judged" in line]
    for part in range(max(map(len, judged), default=0)):
        now = judged[-1][part] if part < len(judged[-1]) else None
        for was in dict.fromkeys(parts[part] for parts in judged if part < len(parts)):
            if was != now:
                yield (part, was, now), _in_words(part, was, now)
    for line, digest in zip(memory.lines, memory.digests, strict=True):
        if "lost" in line:
            yield (None, digest, None), f"what was judged before may not be known: {line['lost']}"


def _in_words(part: int | None, was: str, now: str | None) -> str:
    if part is None:
        return "what was judged before may not be known"
    if now is None:
        return f"part {part} was judged with SHA-256 {was}; it is no longer in the archive"
    return f"part {part} was judged with SHA-256 {was}; the archive now holds {now} in its place"


def remember(
    lake: Path, gaming_day: dt.date, table_id: str, parts: Sequence[str], earlier: Run | None, *, judged: bool
) -> tuple[Mapping[str, Any], ...]:
    """Add a log that is about to be judged to the memory. It is durable once the caller has synced the memory's folder.

    Args:
        parts: the digests of its parts; a log without parts is of no archive and is not added.
        earlier: the manifest of the run before, where it is intact.
        judged: whether the lake has verdicts of the table-day, so that there must be a memory.

    Returns:
        The lines of the memory, for the copy in the run's manifest.
    """
    if not parts:
        return ()
    file = memory_file(lake, gaming_day, table_id)
    memory = recall(lake, gaming_day, table_id, earlier)
    added: list[dict[str, Any]] = []
    if memory.lost or (judged and not memory.lines):
        added.append({"lost": f"{file} {memory.damage or 'is missing'}"})
    if memory.judged != tuple(parts):
        added.append({"judged": list(parts)})
    if memory.damage and is_there(file):  # kept for an auditor
        file.rename(file.with_name(f"{table_id}.damaged-{uuid.uuid4().hex}"))
    return memory.write(file, added, named=False) if added or memory.damage else memory.lines


def acknowledge(lake: Path, gaming_day: dt.date, table_id: str, who: Acknowledgement) -> list[Change]:
    """Acknowledge every open change of a table-day's log.

    Raises:
        TableIdRefused: it is no table id.
        NothingToAcknowledge: there is none.
        NotIntact: the memory is damaged; the next run of the gaming day reports and repairs it, then it can be acknowledged.
    """
    require_table_id(table_id)
    file = memory_file(lake, gaming_day, table_id)
    run = intact_run(lake, gaming_day, table_id)
    with write_guard(lake):
        memory = recall(lake, gaming_day, table_id, run)
        if memory.damage:
            raise NotIntact(file, f"{memory.damage}; run its gaming day with `pitaudit nightly` first")
        waiting = [change for change in changes(lake, gaming_day, table_id, run) if change.open]
        if not waiting:
            raise NothingToAcknowledge(f"nothing about the log of {table_id} on {gaming_day} waits to be acknowledged")
        named = [[change.part, change.was, change.now] for change in waiting]
        memory.write(file, [{"acknowledged": named, **asdict(who)}])
    return waiting
