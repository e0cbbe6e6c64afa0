"""Messages in quarantine (:mod:`replayer.sources.quarantine`), and who answered for them.

What could not be taken is counted in every report, for ever. It keeps gaming days from being clean until somebody puts a name
and a reason to it: ``LAKE/acknowledged/quarantine/FILE`` keeps that for a quarantine file, written and held as the lake's memory
is (:mod:`analytics.lake.memory`). Such a file only grows; what is acknowledged is its beginning, as it is then, by its digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from analytics.lake.memory import Acknowledgement, NothingToAcknowledge, acknowledgements, keep_acknowledgement
from replayer.sources.quarantine import counts
from replayer.sources.safe_files import MOST_LOG, printable, read_file


@dataclass(frozen=True, slots=True)
class Answered:
    """A number of messages of a quarantine file that somebody acknowledged."""

    source: str
    messages: int
    acknowledged: Acknowledgement

    def __str__(self) -> str:
        who = self.acknowledged
        return f"{self.source}: {self.messages} message(s), acknowledged by {who.by} at {who.at}: {who.reason}"

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return asdict(self)

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Answered:
        """What :meth:`to_dict` gave.

        Raises:
            TypeError, KeyError: it gave something else.
        """
        who = Acknowledgement(**said["acknowledged"])
        texts = (said["source"], who.by, who.at, who.reason)
        if type(said["messages"]) is not int or not all(isinstance(text, str) for text in texts):
            raise TypeError
        return cls(said["source"], said["messages"], who)


def answered_file(lake: Path, source: str) -> Path:
    """Where the lake keeps who answered for messages of a quarantine file."""
    return lake / "acknowledged" / "quarantine" / source


def answered(lake: Path | None, archive: Path) -> tuple[Answered, ...]:
    """The messages of an archive's quarantine that somebody answered for, as the lake has it now.

    No lake, or a damaged file in it, answers for none; nor does an answer for a beginning that the quarantine file no longer has.
    """
    if lake is None:
        return ()
    return tuple(each for source in sorted(counts(archive)) for each in _answered(lake, archive, source))


def _answered(lake: Path, archive: Path, source: str) -> Iterator[Answered]:
    known = acknowledgements(answered_file(lake, source))
    ends = _ends(archive, source) if known else []
    before = 0
    for stands, who in known:
        with suppress(ValueError):
            number, digest = stands
            if before < int(number) <= len(ends) and ends[int(number) - 1] == digest:
                yield Answered(source, int(number) - before, who)
                before = int(number)


def _ends(archive: Path, source: str) -> list[str]:
    """The digest of a quarantine file up to the end of each of its lines; none where it cannot be read."""
    found, digest = [], hashlib.sha256()
    with suppress(OSError):
        for line in read_file(archive / "quarantine" / source, MOST_LOG).splitlines(keepends=True):
            if line.endswith(b"\n"):
                digest.update(line)
                found.append(digest.hexdigest())
    return found


def acknowledge_quarantine(lake: Path, archive: Path, who: Acknowledgement) -> list[Answered]:
    """Answer for every message that is in quarantine by now.

    Raises:
        NothingToAcknowledge: there is none that nobody answered for.
        NotHeld: what was acknowledged before cannot be read.
        LakeNotWritable: the disk is full, say.
    """
    done = []
    for source in sorted(counts(archive)):
        ends = _ends(archive, source)
        already = sum(each.messages for each in _answered(lake, archive, source))
        if len(ends) == already:
            continue
        keep_acknowledgement(lake, answered_file(lake, source), [str(len(ends)), ends[-1]], who)
        done.append(Answered(printable(source), len(ends) - already, who))
    if not done:
        raise NothingToAcknowledge(f"no message in {archive / 'quarantine'} waits to be acknowledged")
    return done
