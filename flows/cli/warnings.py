"""Warns on standard error, in the same words in every command, of what an archive or a lake lacks, or says that it lacks all."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from flows.cli.terminal import CLEAN, FOUND, warn
from flows.known_errors import CouldNotRun
from schemas.plural import plural

if TYPE_CHECKING:
    from analytics.lake import Change, LakeContents, LeftOut
    from analytics.lake.losses import Loss
    from flows.unsealed import Unsealed
    from replayer.sources.table_days import TableDayRef

_NAMED: Final = 10


@dataclass(slots=True)
class LakeWarnings:
    """Warns of what answers from a lake lack, of each once, for the gaming days from ``first`` to ``last``."""

    lake: Path
    first: dt.date | None
    last: dt.date | None
    left_out: list[LeftOut] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    _unaccounted: bool | None = None

    def give(self, contents: LakeContents) -> None:
        """Warn of what these contents lack."""
        first_time = self._unaccounted is None
        if first_time:
            _warn_of_absent_days(self.lake, self.first, self.last)
        new = [left for left in contents.left_out if left not in self.left_out]
        for left in new:
            warn(f"left out: {left.gaming_day} {left.table_id or 'its note'}: {left.why}")
        self.left_out += new
        if first_time:
            for left in contents.incomplete:
                warn(f"not all of it is judged: {left.gaming_day} {left.table_id}: {left.why}")
            for day in contents.unaccounted:
                warn_of_no_account(day)
            for day in contents.unfinished:
                warn_of_unfinished(day)
            self._unaccounted = bool(contents.incomplete or contents.unaccounted or contents.unfinished)
        changed = [change for change in contents.changes if change not in self.changes]
        warn_of_changes(change for change in changed if change.open)
        self.changes += changed

    @property
    def exit_code(self) -> int:
        """The exit code of a command that gave these answers."""
        return FOUND if self.left_out or self._unaccounted or any(change.open for change in self.changes) else CLEAN


def _warn_of_absent_days(lake: Path, first: dt.date | None, last: dt.date | None) -> None:
    """Say of which gaming days asked for a lake has nothing at all: no row of them is no answer."""
    from analytics.lake import days_of

    has = days_of(lake, first, last)
    ends = [day for day in (first, last, *has[:1], *has[-1:]) if day]
    span = range(min(ends).toordinal(), max(ends).toordinal() + 1) if first or last else ()
    absent = sorted(set(map(dt.date.fromordinal, span)).difference(has))
    if absent:
        several = f"{len(absent)} gaming days from {absent[0]} to {absent[-1]}: no run judged them"
        days = several if len(absent) > 1 else f"{absent[0]}: no run judged it"
        warn(f"the lake has nothing of {days}; `pitaudit backfill` does")


def warn_of_changes(changes: Iterable[Change]) -> None:
    """Say which logs are not the ones that were judged before, and what to do about it."""
    for change in changes:
        how = f"`pitaudit acknowledge --table {change.table_id} --day {change.gaming_day}` once it is understood"
        warn(f"{change.code} {change.gaming_day} {change.table_id}: {change.message}; {how}")


def warn_of_lost(lost: Iterable[Loss]) -> None:
    """Say which messages a topic no longer has and the archive never took, and what to do about it."""
    for each in lost:
        how = f"; `pitaudit acknowledge --lost {each.name}` once it is understood" if each.open and each.name else ""
        warn(f"lost: {each}{how}")


def warn_of_no_account(day: dt.date) -> None:
    """Say that no run held the tables of a gaming day against those that it should have had."""
    warn(f"{day}: no run accounted for the tables that it should have had; `pitaudit nightly --day {day}` does")


def warn_of_unfinished(day: dt.date) -> None:
    """Say that the last run of a gaming day did not finish."""
    warn(
        f"{day}: its last run did not finish, what the lake has may rest on the one before; run `pitaudit nightly --day {day}`"
    )


def warn_of_pseudonyms() -> None:
    """Say on standard error that pseudonyms are made without a key, or with one that can be guessed, where they are."""
    from schemas.identity import Pseudonyms

    if weakness := Pseudonyms.from_environment().weakness:
        warn(weakness)


def warn_of_players(lake: Path, day: dt.date | None = None) -> None:
    """Say on standard error how players stand in a lake (on ``day``), where anybody could find out who they are."""
    from analytics.lake import runs
    from analytics.lake.run import mixed_names
    from schemas.identity import WITHOUT_KEY

    of_days = runs(lake, day, day)
    if any(run.players == "pseudonyms without a key" for run in of_days):
        warn(f"{WITHOUT_KEY}, and run the days again")
    if mixed := mixed_names(of_days):
        warn(mixed)


def warn_of_imports(archive: Path) -> None:
    """Warn where an import is not all in the archive, so that none of its table-days is read."""
    from replayer.sources.table_days import under_import

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


def chosen_table_days(archive: Path, day: dt.date | None, table: str | None) -> tuple[list[TableDayRef], bool]:
    """The table-days of :func:`sealed_table_days`, and whether they are all that the archive has of them: this warns of what is
    not sealed and of imports, too."""
    refs, left, misplaced = sealed_table_days(archive, day, table)
    for ref, why in left.items():
        warn(f"{ref.gaming_day} {ref.table_id}: not sealed: {why}")
    warn_of_imports(archive)
    return refs, not (misplaced or left)


def sealed_table_days(
    archive: Path, day: dt.date | None, table: str | None
) -> tuple[list[TableDayRef], dict[TableDayRef, Unsealed], int]:
    """The sealed table-days of an archive, all or those of a day or table; what else of them is not sealed; and how many logs lie
    where none is kept, of which this warns. Raises CouldNotRun where none is sealed."""
    from flows.unsealed import unsealed_of
    from replayer.sources.layout import why_no_archive
    from replayer.sources.table_days import sealed_and_unsealed

    misplaced = warn_of_misplaced(archive)
    refs, not_sealed = sealed_and_unsealed(archive, day, table)
    if refs:
        return refs, unsealed_of(archive, not_sealed), misplaced
    if what := why_no_archive(archive):
        raise CouldNotRun(f"archive {archive} {what}: check the path")
    wanted = "".join(f" of {each}" for each in (table, day) if each is not None)
    named = ", ".join(f"{each.table_id} of {each.gaming_day}" for each in not_sealed[:_NAMED])
    are = plural(len(not_sealed), "is", "are")
    there = f"; {are} under way and not sealed, or of an import to be run again ({named})" if not_sealed else ""
    raise CouldNotRun(f"archive {archive} holds no sealed table-day{wanted}{there}: check the path, --day and --table")
