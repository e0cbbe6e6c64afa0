"""Messages that could not be taken into the archive: kept as they came, with where they came from and why."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One message. (``topic``, ``partition``, ``offset``) are its coordinates in Kafka."""

    topic: str
    partition: int
    offset: int
    reason: str
    message: bytes

    def to_json(self) -> str:
        """The message's line of a quarantine file."""
        return json.dumps(
            {
                "topic": self.topic,
                "partition": self.partition,
                "offset": self.offset,
                "reason": self.reason,
                "message": base64.b64encode(self.message).decode(),
            }
        )

    @classmethod
    def from_json(cls, line: str) -> Quarantined:
        """The message of a line.

        Raises:
            ValueError: the line is none of a quarantine file.
        """
        try:
            said = json.loads(line)
            message = base64.b64decode(said["message"], validate=True)
            return cls(said["topic"], said["partition"], said["offset"], said["reason"], message)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"no line of a quarantine file: {error}") from None


def read_quarantine(file: Path) -> list[Quarantined]:
    """The messages of one quarantine file; a torn last line was never acknowledged and is left out.

    Raises:
        ValueError: a whole line cannot be read; the message names file and line.
    """
    if not file.exists():
        return []
    whole, _, _ = file.read_text(encoding="utf-8").rpartition("\n")
    messages: list[Quarantined] = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            messages.append(Quarantined.from_json(line))
        except ValueError as error:
            raise ValueError(f"{file}, line {number}: {error}") from None
    return messages


def quarantined(archive: Path) -> list[Quarantined]:
    """Every message in quarantine, by file and order of arrival. Each report counts them.

    Raises:
        ValueError: as :func:`read_quarantine`.
    """
    return [message for file in sorted((archive / "quarantine").glob("*.jsonl")) for message in read_quarantine(file)]
