"""Who acknowledged what, by name and reason, in files of chained lines, as which the lake's memory of judged logs is kept too.

Acknowledged is a table's status (:mod:`analytics.lake.statuses`), a topic's losses (:mod:`analytics.lake.losses`), messages in
quarantine (:mod:`analytics.lake.acknowledged_messages`), a night's findings (:mod:`analytics.lake.note`), each thing in a file of
its own, and a changed log in its memory (:mod:`analytics.lake.memory`). Whatever acknowledges raises ``NotIntact`` where earlier
acknowledgements cannot be read.

Each line is a JSON object with its own digest and, in ``before``, that of the whole line before it. There are four kinds:

* ``judged``: the SHA-256 of every part of the table-day's log, in order, when it was judged; of a quarantine file, the number of
  its lines and their digest;
* ``acknowledged``: changes of the log that somebody (``by``) examined, when (``at``) and with what result (``reason``);
* ``lost``: the memory before this line was damaged, cut or removed;
* ``stands``: the subject of another acknowledgement, with ``by``, ``at`` and ``reason``; never in the memory of a log.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

from analytics.lake.files import NotIntact, is_there, read_whole, sha256_of, write_guard
from producers.sinks.durable import write_durably
from replayer.sources.safe_files import MOST_NOTE
from replayer.sources.safe_texts import digested_json, read_digested_json

_LOG: Final = logging.getLogger(__name__)


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
        earlier = ChainedLines.read(file)
        if earlier.damage:
            raise NotIntact(file, f"{earlier.damage}; put it aside and acknowledge again")
        earlier.write(file, [{"stands": list(subject), **asdict(who)}])


def acknowledgements(file: Path) -> list[tuple[Sequence[str], Acknowledgement]]:
    """The acknowledgements in a file, each after its subject, oldest first; none where the file is damaged, which is logged."""
    known = ChainedLines.read(file)
    if known.damage:
        _log_damage(file, known.damage)
        return []
    lines = (line for line in known.lines if "stands" in line)
    return [(line["stands"], Acknowledgement(line["by"], line["at"], line["reason"])) for line in lines]


def acknowledgement_of(file: Path, subject: Sequence[str]) -> Acknowledgement | None:
    """The last acknowledgement of a subject in a file; None where there is none."""
    return next((who for known, who in reversed(acknowledgements(file)) if known == subject), None)


@cache
def _log_damage(file: Path, damage: str) -> None:
    """Log once that a file of acknowledgements is damaged."""
    _LOG.warning("%s %s: what was acknowledged there is open again; put it aside and acknowledge again", file, damage)


@dataclass(frozen=True, slots=True)
class ChainedLines:
    """The valid lines of a file and their digests. ``damage`` says what is wrong with it, empty where nothing is."""

    lines: tuple[Mapping[str, Any], ...] = ()
    digests: tuple[str, ...] = ()
    damage: str = ""

    @classmethod
    def read(cls, file: Path) -> Self:
        """The lines in a file; none where there is no file."""
        try:
            if not is_there(file):
                return cls()
            found = cls.parsed(read_whole(file, MOST_NOTE).splitlines(keepends=True))
        except NotIntact as error:
            return cls(damage=error.what)
        return found if found.lines or found.damage else cls(damage="is empty")

    @classmethod
    def parsed(cls, texts: Sequence[bytes]) -> Self:
        """The lines of a text."""
        lines: list[Mapping[str, Any]] = []
        digests: list[str] = []
        try:
            for text in texts:
                line = _line(text)
                if line["before"] != (digests[-1] if digests else ""):
                    raise ValueError("it does not follow the line before it")
                lines.append(line)
                digests.append(sha256_of(text))
        except (ValueError, TypeError) as error:
            return cls(tuple(lines), tuple(digests), f"is damaged: line {len(lines) + 1}: {error}")
        return cls(tuple(lines), tuple(digests))

    def write(
        self, file: Path, added: Sequence[Mapping[str, Any]], *, named: bool = True
    ) -> tuple[Mapping[str, Any], ...]:
        """Write a file of these lines and further ones; returns all its lines."""
        before = self.digests[-1] if self.digests else ""
        lines = list(self.lines)
        for each in added:
            lines.append({**each, "before": before})
            before = sha256_of(digested_json(lines[-1], line=True).encode())
        write_durably(file, "".join(digested_json(line, line=True) for line in lines).encode(), named=named)
        return tuple(lines)


def _line(text: bytes) -> dict[str, Any]:
    """Parse a line; raises ValueError where it is no such line."""
    line = read_digested_json(text, line=True)
    keys = line.keys() - {"before"}
    if keys == {"judged"}:
        whole = _texts(line["judged"])
    elif keys == {"stands", "by", "at", "reason"}:
        whole = _texts([line["by"], line["at"], line["reason"]]) and _texts(line["stands"])
    elif keys == {"acknowledged", "by", "at", "reason"}:
        whole = _texts([line["by"], line["at"], line["reason"]]) and all(map(_is_key, line["acknowledged"]))
    else:
        whole = keys == {"lost"} and _texts([line["lost"]])
    if not whole or "before" not in line:
        raise ValueError("it is no line of a memory")
    return line


def _texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _is_key(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != len(("part", "was", "now")):
        return False
    part, was, now = value
    return isinstance(part, int | None) and isinstance(was, str) and isinstance(now, str | None)
