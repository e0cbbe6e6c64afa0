"""``pitaudit repair``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING

from flows.cli.options import Archive, SettingsFile, settings_of
from flows.cli.terminal import CLEAN, FOUND, print_json, say, warn
from flows.known_errors import CouldNotRun

if TYPE_CHECKING:
    from producers.sinks.repair import SetAside


def repair(archive: Archive, /, *, table: str, json: bool = False, settings: SettingsFile = None) -> int:
    """Set a table's damaged journals aside, so that it can be recorded again.

    Recorder and archiver refuse a journal of which acknowledged events cannot be read. This keeps every event of it that
    is whole, and the damaged file beside it; nothing is deleted. The table goes on behind the last number that may have
    been used: events that are gone show in every replay as missing numbers, and in quarantine with the reason. Events
    that came through Kafka can be had again: stop `pitaudit archive`, remove the folder .journal/offsets/TOPIC from the
    archive, and it reads the topic from its beginning. Exit 1: something was set aside.

    Example: `pitaudit repair archive --table BJ-07`

    Parameters
    ----------
    table
        The table; nothing may be recording it.
    json
        One JSON object on standard output: set_aside, a list of journal, aside, at (the byte), what, kept, used.
    """
    from producers.sinks.repair import repair as set_aside
    from replayer.sources.layout import TABLE_ID, journals, why_no_archive
    from replayer.sources.safe_files import files_below

    if what := why_no_archive(archive):
        raise CouldNotRun(f"archive {archive} {what}: check the path")
    # The folder of journals may be a link to another disk, and nothing below an archive follows links.
    files = chain.from_iterable(map(files_below, (archive, journals(archive))))
    if not TABLE_ID.fullmatch(table) or all(file.name.split(".")[0] != table for file in files):
        raise CouldNotRun(f"{archive} has nothing of a table {table}; check --table")
    done = set_aside(archive, table, settings_of(settings).file_mode)
    return print_set_aside(done, json, f"no journal of table {table} is damaged")


def print_set_aside(done: Sequence[SetAside], json: bool, sound: str) -> int:
    """Say which files were set aside, or that all are ``sound``. Gives the exit code."""
    for each in done:
        warn(str(each))
    if json:
        print_json({"set_aside": [asdict(each) for each in done]})
    elif not done:
        say(sound)
    return FOUND if done else CLEAN
