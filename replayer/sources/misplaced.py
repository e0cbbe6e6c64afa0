"""Misplaced logs: logs outside of the places where an archive keeps them. Nothing reads them, so each is reported by name.

Somebody copied a gaming day as ``2009-06-01 (copy)``, unpacked a tape into ``20090601``, dragged one folder into another or
packed a container as ``T9.avro.gz``. Only a person can tell whether a table is missing because of it. Where the name of a folder
gives the gaming day, the log is reported as a damaged table-day of that day, ``T9 (not read)``; otherwise every run counts it. A
log is recognised by the name of a container or a journal, whatever was appended to it.

Hidden files and folders, the archive's folders for other purposes, and the one that a file system keeps for itself hold no logs.
Links to folders are followed in the place of a gaming day's folder only, as everywhere; any other link that leads out of the
archive, or nowhere, counts as a log, because nothing looks behind it.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from replayer.sources.layout import PART, folders_of_others, journals, named_day, on_their_way
from replayer.sources.listing import SEALED, cached_by_folder
from schemas.printable import printable

REMEDY: Final = "into its place, or take it out of the archive"
"""What to do with such a log: put it so."""
NOT_READ: Final = " (not read)"
"""The suffix of such a table-day's name: no table id can have it, so it never collides with the table's own."""
_LOG: Final = re.compile(r"(?P<stem>.+?)\.(avro|journal)(?![a-z0-9])", re.IGNORECASE)
_DAY: Final = re.compile(
    r"(?<![0-9])(?P<year>[0-9]{4})"
    r"(?:(?P<between>[-_. ])(?P<month>[0-9]{1,2})(?P=between)(?P<day>[0-9]{1,2})|(?P<mm>[0-9]{2})(?P<dd>[0-9]{2}))"
    r"(?![0-9])"
)
_OF_THE_FILE_SYSTEM: Final = "lost+found"
_MOST_NAMED: Final = 48
_FOLDERS: Final = 8192


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A misplaced log, with the gaming day that its folders' names give, if any, and the name under which it is reported."""

    file: Path
    gaming_day: dt.date | None
    table_id: str

    def may_be_of(self, table: str) -> bool:
        """Whether it is a log of a table, or something that nothing looks into: a folder or a link, in which one may be."""
        return self.table_id in (table, table + NOT_READ) or not _LOG.match(self.file.name)


def misplaced(archive: Path) -> list[Misplaced]:
    """The misplaced logs, by path; a folder that cannot be read counts as one, and so does a link that is not followed. OSError
    where the folder of the archive, or that of all its journals or of a batch on its way, cannot be read."""
    found: list[Misplaced] = []
    not_entered = folders_of_others(archive)
    top = (archive, journals(archive), on_their_way(archive))
    folders = list(top)
    while folders:
        folder = folders.pop()
        try:
            there = _look(archive, folder)
        except OSError:
            if folder in top:
                raise
            if not _is_of_a_day(archive, folder):  # what is in its place is told by its day
                found.append(Misplaced(folder, _day_named(folder.relative_to(archive)), _reported_as(folder.name)))
            continue
        folders += [path for path in map(folder.joinpath, there.folders) if path not in not_entered]
        for link in map(folder.joinpath, there.links):
            if folder in top and named_day(link.name) and (link.is_dir() or folder == archive):
                folders.append(link)
            elif link not in not_entered and _leads_away(archive, link):
                found.append(Misplaced(link, _day_named(link.relative_to(archive)), _reported_as(link.name)))
        day = _day_named(folder.relative_to(archive)) if there.logs else None
        found += [Misplaced(folder / name, day, _reported_as(stem)) for name, stem in there.logs]
    return sorted(found, key=lambda each: each.file)


class _Folder(NamedTuple):
    """The names in a folder; a link with the name of a log counts as a log."""

    folders: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    logs: tuple[tuple[str, str], ...] = ()  # each with its stem


def _looked_into(folder: Path, in_place: Callable[[str], bool]) -> _Folder:
    folders, links, logs = [], [], []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name.startswith(".") or name == _OF_THE_FILE_SYSTEM:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                elif in_place(name):
                    continue
                elif log := _LOG.match(name):
                    logs.append((name, log["stem"]))
                elif entry.is_symlink():
                    links.append(name)
    except (FileNotFoundError, NotADirectoryError):
        return _Folder()
    return _Folder(tuple(folders), tuple(links), tuple(logs))


def _leads_away(archive: Path, link: Path) -> bool:
    """Whether a link leads neither to a file nor to a folder within the archive."""
    to = Path(os.path.realpath(link))
    in_archive = os.path.isdir(to) and to.is_relative_to(os.path.realpath(archive))  # noqa: PTH112 - Path's would raise
    return not (in_archive or os.path.isfile(to))  # noqa: PTH113


def _is_journal(name: str) -> bool:
    return name.endswith(".journal") or ".journal.damaged-" in name


_sealed_day = cached_by_folder(partial(_looked_into, in_place=lambda name: name.endswith(SEALED)), _FOLDERS)
_day_under_way = cached_by_folder(partial(_looked_into, in_place=_is_journal), _FOLDERS)
_out_of_place = cached_by_folder(partial(_looked_into, in_place=lambda _: False), _FOLDERS)


def _look(archive: Path, folder: Path) -> _Folder:
    if not _is_of_a_day(archive, folder):
        return _out_of_place(folder)
    return _day_under_way(folder) if folder.parent == journals(archive) else _sealed_day(folder)


def _is_of_a_day(archive: Path, folder: Path) -> bool:
    """Whether a folder is a gaming day's: of its sealed logs, in place or on their way, or of its journals."""
    places = (archive, journals(archive), on_their_way(archive))
    return named_day(folder.name) is not None and folder.parent in places


def _reported_as(stem: str) -> str:
    part = PART.fullmatch(stem)
    return (part["table"] if part else printable(stem)[:_MOST_NAMED]) + NOT_READ


def _day_named(place: Path) -> dt.date | None:
    """The gaming day in the names of nested folders; the innermost one that names a day decides."""
    for name in reversed(place.parts):
        days = set(_days_in(name))
        if len(days) == 1:
            return days.pop()
    return None


def _days_in(name: str) -> Iterator[dt.date]:
    for found in _DAY.finditer(name):
        month, day = found["month"] or found["mm"], found["day"] or found["dd"]
        with suppress(ValueError):  # no calendar has it
            yield dt.date(int(found["year"]), int(month), int(day))
