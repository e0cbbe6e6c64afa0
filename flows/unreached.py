"""Finds what no nightly run reaches in an archive, so that every night and every status names it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

from analytics.lake import DatedAhead
from replayer.sources.layout import gaming_days, journals
from replayer.sources.misplaced import misplaced
from replayer.sources.table_days import table_days, unsealed


@dataclass(frozen=True, slots=True)
class Unreached:
    """What no nightly run reaches by itself.

    Attributes:
        undated: the misplaced logs whose path names no gaming day.
        ahead: the table-days dated beyond today, sealed or not: a table's clock was wrong, or an import's year.
    """

    undated: tuple[Path, ...] = ()
    ahead: tuple[DatedAhead, ...] = ()


def unreached(archive: Path, over: dt.date) -> Unreached:
    """What no nightly run reaches; ``over`` is the gaming day that ended last, so the one after it is today's.

    Raises:
        OSError: a folder cannot be read.
    """
    out_of_place = misplaced(archive)
    of_misplaced = {each.gaming_day for each in out_of_place if each.gaming_day}
    days = {*gaming_days(archive), *gaming_days(journals(archive)), *of_misplaced}
    beyond = sorted(day for day in days if (day - over).days > 1)
    return Unreached(
        tuple(each.file for each in out_of_place if each.gaming_day is None),
        tuple(
            DatedAhead(ref.table_id, day)
            for day in beyond
            for ref in sorted({*table_days(archive, day), *unsealed(archive, day)})
        ),
    )
