"""Messages in quarantine (:mod:`replayer.sources.quarantine`), and who answered for them.

What could not be taken is counted in every report, for ever. It keeps gaming days from being clean until somebody puts a name
and a reason to it: ``LAKE/acknowledged/quarantine/FILE`` keeps that for a quarantine file, written and held as the lake's memory
is (:mod:`analytics.lake.memory`). Such a file only grows; what is acknowledged is its beginning, as it is then, by its digest.
Where that is gone since, it is reported as a message of which nothing is known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from analytics.lake.memory import Acknowledgement, NothingToAcknowledge, acknowledgements, keep_acknowledgement
from replayer.sources.layout import quarantine_folder
from replayer.sources.quarantine import Quarantined, counts
from replayer.sources.safe_files import MOST_LOG, listed, printable, read_file
from replayer.wording import plural


@dataclass(frozen=True, slots=True)
class Answered:
    """A number of messages of a quarantine file that somebody acknowledged."""

    source: str
    messages: int
    acknowledged: Acknowledgement

    def __str__(self) -> str:
        return f"{self.source}: {plural(self.messages, 'message')}, acknowledged {self.acknowledged}"

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
    ends = (_ends(archive, source) if known else None) or [""]
    before = 0
    for stands, who in known:
        number = _number(stands, ends)
        if number is not None and before < number:
            yield Answered(source, number - before, who)
            before = number


def _number(stands: Sequence[str], ends: Sequence[str]) -> int | None:
    """How many lines of a quarantine file somebody answered for; None where they are no longer its first ones."""
    with suppress(ValueError, IndexError):
        number, digest = stands
        if ends[int(number)] == digest:
            return int(number)
    return None


def removed_messages(lake: Path | None, archive: Path) -> list[Quarantined]:
    """One unknown message for each quarantine file that somebody answered for and that was removed or altered since: the
    part answered for last must still be there."""
    removed = []
    for file in listed(answered_file(lake, "")) if lake else ():
        known, ends = acknowledgements(file), _ends(archive, file.name)
        if known and ends and _number(known[-1][0], ends) is None:
            (number, _), who = known[-1]
            said = f"it lacks {plural(int(number), 'message')} that {who.by} acknowledged at {who.at}"
            what_to_do = "restore it, or `pitaudit acknowledge --quarantined` once it is understood"
            why = f"{archive / 'quarantine' / file.name}: {said}: {what_to_do}"
            removed.append(Quarantined(printable(file.name), 0, 0, printable(why), b"", unreadable=True))
    return removed


def _ends(archive: Path, source: str) -> list[str] | None:
    """The digest of a quarantine file up to the end of each of its lines, behind the empty one of no line; None where it cannot
    be read, which is reported."""
    found, digest = [""], hashlib.sha256()
    try:
        for line in read_file(quarantine_folder(archive) / source, MOST_LOG).splitlines(keepends=True):
            if line.endswith(b"\n"):
                digest.update(line)
                found.append(digest.hexdigest())
    except FileNotFoundError:
        return found
    except OSError:
        return None
    return found


def acknowledge_quarantine(lake: Path, archive: Path, who: Acknowledgement) -> list[Answered]:
    """Answer for every message that is in quarantine by now, and for those that are no longer in it.

    Raises:
        NothingToAcknowledge: there is none that nobody answered for.
        NotHeld: what was acknowledged before cannot be read.
        LakeNotWritable: the disk is full, say.
    """
    done = []
    removed = {each.topic for each in removed_messages(lake, archive)}
    for source in sorted({*counts(archive), *removed}):
        ends = _ends(archive, source) or [""]
        last = len(ends) - 1
        already = sum(each.messages for each in _answered(lake, archive, source))
        if last == already and source not in removed:
            continue
        keep_acknowledgement(lake, answered_file(lake, source), [str(last), ends[last]], who)
        done.append(Answered(printable(source), last - already, who))
    if not done:
        raise NothingToAcknowledge(f"no message in {archive / 'quarantine'} waits to be acknowledged")
    return done
