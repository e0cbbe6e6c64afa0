"""What the commands that settle an archive again share: the table-days meant, and progress by shares of the work."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from flows.cli.terminal import CouldNotRun, progress, warn
from schemas.plural import plural

if TYPE_CHECKING:
    from replayer.processes.spread import Progress
    from replayer.sources.archive import TableDayRef


def chosen_table_days(archive: Path, day: dt.date | None, table: str | None) -> tuple[list[TableDayRef], bool]:
    """The sealed table-days of an archive, all or those of a day or table, and whether they are all that it has of them: this
    warns of what is not sealed and of logs that lie where none is kept.

    Raises:
        CouldNotRun: there is none.
    """
    from flows.accounting import unsealed_of
    from replayer.sources.archive import table_days, unsealed

    refs = table_days(archive, day=day, table=table)
    misplaced = warn_of_misplaced(archive)
    if not refs:
        raise nothing_sealed(archive, day, table)
    left = unsealed_of(archive, unsealed(archive, day=day, table=table))
    for ref, why in left.items():
        warn(f"{ref.gaming_day} {ref.table_id}: not sealed: {why}")
    warn_of_imports(archive)
    return refs, not (misplaced or left)


def nothing_sealed(archive: Path, day: dt.date | None, table: str | None, instead: str = "") -> CouldNotRun:
    """That an archive has no sealed table-day, or none of a day or table; ``instead`` says what it has."""
    from replayer.sources.layout import why_no_archive

    if what := why_no_archive(archive):
        return CouldNotRun(f"archive {archive} {what}: check the path")
    wanted = "".join(f" of {each}" for each in (table, day) if each is not None)
    return CouldNotRun(
        f"archive {archive} holds no sealed table-day{wanted}{instead}: check the path, --day and --table"
    )


def warn_of_imports(archive: Path) -> None:
    """Warn where an import is not all in the archive, so that none of its table-days is read."""
    from replayer.sources.archive import under_import

    if not_read := len(under_import(archive)):
        warn(
            f"an import of {plural(not_read, 'table-day')} into {archive} is under way or was killed, so none of them is read; "
            "run a killed import again to complete it"
        )


def warn_of_misplaced(archive: Path) -> int:
    """Warn of each place where logs lie and an archive keeps none, and that tells no gaming day which could miss them; how many
    logs they are."""
    from replayer.sources.misplaced import REMEDY, misplaced

    undated = [each.file for each in misplaced(archive) if each.gaming_day is None]
    places = Counter(file if file.is_dir() else file.parent for file in undated)  # a folder where it cannot be read
    for place, logs in places.items():
        warn(
            f"{place}: {plural(logs, 'log')} of a gaming day that the place does not tell, where an archive keeps none: not "
            f"read; put each {REMEDY}"
        )
    return places.total()


@contextmanager
def shares(what: str) -> Iterator[Progress]:
    """A progress bar for work that comes in shares."""
    with progress(what, None) as step:
        yield lambda done, total: step(f"{done} of {total}")
