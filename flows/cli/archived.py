"""What the commands that settle an archive again share: the table-days meant, and progress by shares of the work."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from flows.cli.terminal import progress, warn
from flows.cli.warnings import warn_of_imports, warn_of_misplaced
from flows.known_errors import CouldNotRun

if TYPE_CHECKING:
    from replayer.processes.spread import Progress
    from replayer.sources.table_days import TableDayRef


def chosen_table_days(archive: Path, day: dt.date | None, table: str | None) -> tuple[list[TableDayRef], bool]:
    """The sealed table-days of an archive, all or those of a day or table, and whether they are all that it has of them: this
    warns of what is not sealed and of logs that lie where none is kept. Raises CouldNotRun where there is none."""
    from flows.unsealed import unsealed_of
    from replayer.sources.table_days import table_days, unsealed

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


@contextmanager
def shares(what: str) -> Iterator[Progress]:
    """A progress bar for work that comes in shares."""
    with progress(what, None) as step:
        yield lambda done, total: step(f"{done} of {total}")
