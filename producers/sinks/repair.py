"""Sets damaged journals of a table aside: their intact events are kept in use, the damaged file stays, no number is used again.

The damaged file stays beside its journal as ``T1.journal.damaged-120``, where 120 is the highest number that it may have
acknowledged; as long as it is there, the table continues after that number. Lost events are reported as missing numbers, and a
line in quarantine tells in every report what happened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from producers.quarantine import QuarantineFile
from producers.sinks import NotDurable, disk_explained
from producers.sinks.durable import sync_folder, write_durably
from producers.sinks.journal import JournalDamaged, most_used, read_journal, salvage, write_journal
from producers.sinks.lock import Lock
from replayer.sources.layout import FILE_MODE, journal_files, journals_of, lock_file, quarantine_file, require_table_id
from replayer.sources.quarantine import Quarantined
from replayer.sources.safe_files import MOST_LOG, read_file
from schemas.bounds import MOST_NUMBERED
from schemas.plural import plural

_ASIDE: Final = re.compile(r".+\.damaged-(?P<used>[0-9]{1,19})(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class SetAside:
    """A journal that was set aside, with the byte and the kind of its damage."""

    journal: Path
    aside: Path
    at: int
    what: str
    kept: int  # how many events were intact, and kept
    used: int  # the highest number that may have been acknowledged

    def __str__(self) -> str:
        return (
            f"{self.journal}, byte {self.at}: {self.what}; {plural(self.kept, 'whole event was', 'whole events were')} kept, "
            f"numbers up to {self.used} are not used again, the damaged file is {self.aside.name} beside it"
        )


def set_aside(
    journal: Path,
    used: int | None = None,
    *,
    sealed: bool = False,
    note: Callable[[SetAside], None] = lambda _: None,
    mode: int = FILE_MODE,
) -> Iterator[SetAside]:
    """Set a journal aside where it is damaged, under a name that is not in use, and write it anew with its whole events.

    ``used`` is the highest number that it may have acknowledged, where that is known otherwise. Of a ``sealed`` one nothing is
    kept: its events are in the container, and only its removal was left. ``note`` is called before anything is written.
    NotDurable where the disk fails.
    """
    with disk_explained(journal, "nothing is lost, run it again when that is mended"):
        try:
            read_journal(journal)
            return
        except JournalDamaged as error:
            damage = error
        data = read_file(journal, MOST_LOG)
        kept = [] if sealed else salvage(data)
        used = most_used(data) if used is None else used
        for number in count(1):
            aside = journal.with_name(f"{journal.name}.damaged-{used}{f'.{number}' if number > 1 else ''}")
            if not aside.exists() or read_file(aside, MOST_LOG) == data:
                break
        done = SetAside(journal, aside, damage.at, damage.what, len(kept), used)
        note(done)
        write_durably(aside, data, mode)
        if kept:
            write_journal(journal, kept, mode)
        else:
            journal.unlink()
            sync_folder(journal.parent)
    yield done


def used_before(archive: Path, table_id: str) -> int:
    """The highest number that journals set aside may have acknowledged; 0 where there is none."""
    return most_used_of(journal_files(archive, names=f"{table_id}.*journal.damaged-*"))


def most_used_of(asides: Iterable[Path]) -> int:
    """The highest number that files set aside may have acknowledged, by their names; 0 where there is none; NotDurable where a
    name has a number that no event can have, so that nothing could be recorded after it."""
    most = 0
    for path in asides:
        if name := _ASIDE.fullmatch(path.name):
            if int(name["used"]) > MOST_NUMBERED:
                what = "no event has a number so high, so this is no file that was set aside; move it away"
                raise NotDurable(f"{path}: {what}")
            most = max(most, int(name["used"]))
    return most


def repair(archive: Path, table_id: str, file_mode: int = FILE_MODE) -> list[SetAside]:
    """Set every damaged journal of a table aside. If it is killed, another run completes it.

    Raises:
        TableIdRefused, SinkBusy: no such table, or a process writes it.
        NotDurable: a journal cannot be read or written; nothing is lost, run it again.
        OSError: the folder of journals cannot be read.
    """
    require_table_id(table_id)

    def note(done: SetAside) -> None:
        refused = QuarantineFile(quarantine_file(archive, f"{table_id}.journal"), file_mode)
        refused.add(Quarantined(done.journal.name, 0, done.at, f"{done.journal.parent.name}: {done}", b""))
        refused.flush()

    done: list[SetAside] = []
    with closing(Lock(lock_file(archive, table_id), f"table {table_id} of {archive}", file_mode)):
        for name in journals_of(archive, table_id):
            sealed = name.manifest(archive).exists()
            done += set_aside(name.journal(archive), sealed=sealed, note=note, mode=file_mode)
    return done
