"""Who acknowledged what, by name and reason: a file of chained lines (:mod:`analytics.lake.chained_lines`) for each thing.

There are four kinds: of a table's status (:mod:`analytics.lake.statuses`), of a topic's losses (:mod:`analytics.lake.losses`), of
messages in quarantine (:mod:`analytics.lake.acknowledged_messages`) and of a night's findings (:mod:`analytics.lake.note`). Those
of changed logs stand in the lake's memory (:mod:`analytics.lake.memory`). Whatever acknowledges raises ``NotIntact`` where
earlier acknowledgements cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from analytics.lake.chained_lines import ChainedLines
from analytics.lake.files import NotIntact, write_guard
from producers.sinks.durable import make_folder


class NothingToAcknowledge(LookupError):
    """There is nothing left to acknowledge; the message says what."""


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """Who acknowledged something, when (ISO 8601), and why it is acceptable."""

    by: str
    at: str
    reason: str

    def __str__(self) -> str:
        return f"by {self.by} at {self.at}: {self.reason}"


def keep_acknowledgement(lake: Path, file: Path, subject: Sequence[str], who: Acknowledgement) -> None:
    """Add an acknowledgement to its file; ``subject`` names what is acknowledged, each kind in its own way."""
    with write_guard(lake):
        make_folder(file.parent)
        earlier = ChainedLines.read(file)
        if earlier.damage:
            raise NotIntact(file, f"{earlier.damage}; put it aside and acknowledge again")
        earlier.write(file, [{"stands": list(subject), **asdict(who)}])


def acknowledgements(file: Path) -> list[tuple[Sequence[str], Acknowledgement]]:
    """The acknowledgements in a file, each after its subject, oldest first; none where the file is damaged."""
    known = ChainedLines.read(file)
    if known.damage:
        return []
    lines = (line for line in known.lines if "stands" in line)
    return [(line["stands"], Acknowledgement(line["by"], line["at"], line["reason"])) for line in lines]
