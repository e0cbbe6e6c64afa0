"""Accounts for a gaming day's tables: the status of each table expected or found, noted in the lake."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from analytics.lake import DayNote, compact, forget
from analytics.lake.acknowledged_messages import acknowledged_messages
from analytics.lake.losses import losses_of
from analytics.lake.statuses import Status, TableStatus
from analytics.reconciliation.reconcile import note_and_reconcile
from analytics.reconciliation.result import Reconciliation
from flows.expected import Expectation
from flows.unreached import Unreached
from flows.unsealed import Unsealed, parts_of
from replayer.sources.quarantine import Refused
from schemas.finding import Finding
from schemas.plural import plural

GONE: Final = "its files are no longer in the archive"
_NOTHING_UNREACHED: Final = Unreached()


def account(
    archive: Path,
    lake: Path,
    day: dt.date,
    expected: Expectation,
    *,
    sealed: Collection[str],
    unsealed: Mapping[str, Unsealed],
    damaged: Mapping[str, str],
    failed: Mapping[str, str],
    refused: Refused,
    between: Iterable[Finding],
    unreached: Unreached = _NOTHING_UNREACHED,
    workers: int = 1,
) -> Reconciliation:
    """Note in the lake what concerns a gaming day as a whole, with the status of each table, and reconcile its tables.

    Tables without verdicts are taken out of the lake, so that no earlier verdicts pass for this run's.

    Args:
        sealed: the tables that have sealed files, read or not.
        damaged: the tables without verdicts, and why; ``failed`` those of them on which the program failed.
        refused: the archive's quarantine.
        between: findings between table-days.
        unreached: what no nightly run reaches, where it was looked for.

    Raises:
        LakeNotWritable: the lake's disk is full, say.
    """
    for table in damaged:
        forget(lake, day, table)
    compact(lake, day, workers)
    note = DayNote(
        refused.messages,
        damaged,
        tuple(between),
        tables=tuple(_statuses(archive, day, expected, sealed, unsealed, _on(day, refused), damaged, failed)),
        basis=expected.basis,
        lost=losses_of(archive, lake, day),
        answered=acknowledged_messages(lake, archive),
        misplaced=len(unreached.undated),
        ahead=unreached.ahead,
    )
    return note_and_reconcile(lake, day, note)


def _on(day: dt.date, refused: Refused) -> dict[str, int]:
    """How many messages in quarantine are of a gaming day, by table."""
    return {table: messages for (table, of), messages in refused.tables.items() if of == day}


def _statuses(
    archive: Path,
    day: dt.date,
    expected: Expectation,
    sealed: Collection[str],
    unsealed: Mapping[str, Unsealed],
    refused: Mapping[str, int],
    damaged: Mapping[str, str],
    failed: Mapping[str, str],
) -> Iterator[TableStatus]:
    """The status of each table that was expected or is known in any way, by table; ``refused`` counts messages in quarantine."""
    parts = parts_of(archive, day)
    for table in sorted({*expected.tables, *expected.found, *sealed, *unsealed, *refused, *damaged, *failed}):
        left = unsealed.get(table)
        why = ""
        if table in failed:
            status, why = Status.FAILED, failed[table]
        elif table in damaged:
            status, why = Status.DAMAGED, damaged[table]
        elif left:
            status, why = Status.NOT_SEALED, str(left)
        elif table in sealed:
            status = Status.JUDGED
            why = "the register does not name it on this day" if expected.of(table) is False else ""
        else:
            status, why = Status.ABSENT, "the archive has nothing of it"
            if str(day) in damaged:
                why = "the folder of the day cannot be read"
            elif table not in expected.tables:
                why += ", though an earlier run found something"
            if table in refused:
                why = f"the archive has nothing of it but {plural(refused[table], 'message')} in quarantine"
        yield TableStatus(
            table,
            status,
            expected.of(table),
            parts.get(table, 0),
            left.events if left else None,
            left.last_at if left else None,
            why,
            expected.games.get(table),
        )
