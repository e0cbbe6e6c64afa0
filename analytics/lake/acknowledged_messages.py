"""Messages in quarantine (:mod:`replayer.sources.quarantine`), and who acknowledged them.

Every report counts them, permanently. They keep gaming days from being clean until they are acknowledged
(``LAKE/acknowledged/quarantine/FILE``). A quarantine file only grows; an acknowledgement names the number and digest of its lines
at that time, and so does every run of a gaming day. Where the file no longer begins with these lines, that is reported as one
message of unknown content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from analytics.lake.acknowledged import (
    Acknowledgement,
    ChainedLines,
    NothingToAcknowledge,
    acknowledgements,
    keep_acknowledgement,
)
from analytics.lake.files import write_guard
from replayer.sources.layout import quarantine_folder
from replayer.sources.quarantine import Refused, Unreadable, counts, quarantine_lines, quarantined
from replayer.sources.safe_files import listed
from schemas.plural import plural
from schemas.printable import printable


@dataclass(frozen=True, slots=True)
class AcknowledgedMessages:
    """Some messages of a quarantine file, by number, and who acknowledged them."""

    source: str
    messages: int
    acknowledged: Acknowledgement

    def __str__(self) -> str:
        return f"{self.source}: {plural(self.messages, 'message')}, acknowledged {self.acknowledged}"


def acknowledged_messages_file(lake: Path, source: str) -> Path:
    """The file of those who acknowledged messages of a quarantine file."""
    return lake / "acknowledged" / "quarantine" / source


def acknowledged_messages(lake: Path | None, archive: Path) -> tuple[AcknowledgedMessages, ...]:
    """The acknowledged messages of an archive's quarantine, by the lake at present.

    There are none without a lake, by a damaged file in it, or by one that names lines that the quarantine file no longer has.
    """
    if lake is None:
        return ()
    return tuple(each for source in sorted(counts(archive)) for each in _acknowledged_messages(lake, archive, source))


def _acknowledged_messages(lake: Path, archive: Path, source: str) -> Iterator[AcknowledgedMessages]:
    known = acknowledgements(acknowledged_messages_file(lake, source))
    digests = (_digests_by_line(archive, source) if known else None) or [""]
    before = 0
    for subject, who in known:
        number = _acknowledged_lines(subject, digests)
        if number is not None and before < number:
            yield AcknowledgedMessages(source, number - before, who)
            before = number


def _acknowledged_lines(subject: Sequence[str], digests: Sequence[str]) -> int | None:
    """How many lines of a quarantine file an acknowledgement names; None where they are no longer its first lines."""
    with suppress(ValueError, IndexError):
        number, digest = subject
        if digests[int(number)] == digest:
            return int(number)
    return None


def removed_messages(lake: Path | None, archive: Path) -> list[Unreadable]:
    """One unreadable message for each quarantine file that no longer begins with the lines acknowledged or counted last, or
    that was removed."""
    removed = []
    for file in listed(acknowledged_messages_file(lake, "")) if lake else ():
        known, digests = ChainedLines.read(file), _digests_by_line(archive, file.name)
        last = known.lines[-1] if known.lines and not known.damage else {}
        if last and digests and _acknowledged_lines(_lines_of(last), digests) is None:
            number, _ = _lines_of(last)
            who = f"{last['by']} acknowledged at {last['at']}" if "by" in last else "a run counted"
            values = f"it no longer begins with the {plural(int(number), 'message')} that {who}"
            what_to_do = "restore it, or `pitaudit acknowledge --quarantined` once it is understood"
            why = f"{archive / 'quarantine' / file.name}: {values}: {what_to_do}"
            removed.append(Unreadable(printable(file.name), printable(why)))
    return removed


def remember_messages(lake: Path, archive: Path) -> None:
    """Note which messages are in quarantine, file by file, so that they are missed if somebody removes them; nothing where some
    are missed already, or a file cannot be read."""
    for source in counts(archive):
        file, digests = acknowledged_messages_file(lake, source), _digests_by_line(archive, source) or [""]
        known, there = ChainedLines.read(file), [str(len(digests) - 1), digests[-1]]
        last = _lines_of(known.lines[-1]) if known.lines else ["0", ""]
        if not known.damage and there != last and _acknowledged_lines(last, digests) is not None:
            with write_guard(lake):
                known.write(file, [{"judged": there}])


def _lines_of(known: Mapping[str, Any]) -> Sequence[str]:
    """How many lines of a quarantine file were acknowledged or counted, and their digest."""
    lines: Sequence[str] = known["stands"] if "stands" in known else known["judged"]
    return lines


def refused_messages(lake: Path | None, archive: Path) -> Refused:
    """What a report says of every message in quarantine, and of those that are no longer in it."""
    return Refused.of(chain(quarantined(archive), removed_messages(lake, archive)))


def _digests_by_line(archive: Path, source: str) -> list[str] | None:
    """The digests of a quarantine file up to the end of each line, after an empty one for no line; None where it cannot be read,
    which is reported elsewhere."""
    found, digest = [""], hashlib.sha256()
    try:
        for line in quarantine_lines(quarantine_folder(archive) / source):
            if line.endswith(b"\n"):
                digest.update(line)
                found.append(digest.hexdigest())
    except OSError:
        return None
    return found


def acknowledge_quarantine(lake: Path, archive: Path, who: Acknowledgement) -> list[AcknowledgedMessages]:
    """Acknowledge every message in quarantine at present, and the removal of those that are no longer in it. Raises
    NothingToAcknowledge where all are acknowledged."""
    done = []
    removed = {each.file for each in removed_messages(lake, archive)}
    for source in sorted({*counts(archive), *removed}):
        digests = _digests_by_line(archive, source) or [""]
        last = len(digests) - 1
        already = sum(each.messages for each in _acknowledged_messages(lake, archive, source))
        if last == already and source not in removed:
            continue
        keep_acknowledgement(lake, acknowledged_messages_file(lake, source), [str(last), digests[last]], who)
        done.append(AcknowledgedMessages(printable(source), last - already, who))
    if not done:
        raise NothingToAcknowledge(f"no message in {archive / 'quarantine'} waits to be acknowledged")
    return done
