"""``pitaudit acknowledge``."""

from __future__ import annotations

import datetime as dt
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from flows.cli.options import NamedLake, SettingsFile, Wait, require_folder, require_lake, settings_of
from flows.cli.terminal import CLEAN, print_json, say, warn
from flows.known_errors import CouldNotRun
from schemas.plural import plural


def acknowledge(
    *,
    lake: NamedLake = None,
    table: str | None = None,
    day: dt.date | None = None,
    lost: tuple[str, ...] = (),
    quarantined: bool = False,
    folder: Annotated[Path | None, Parameter(name="--archive")] = None,
    by: str,
    reason: str,
    json: bool = False,
    wait: Wait = None,
    settings: SettingsFile = None,
) -> int:
    """Acknowledge that a table rightly did not open, that its sealed log was replaced, that messages are lost or refused, or
    that somebody looked into what a night found.

    Somebody knows why. Without it the finding stands in every nightly, report and query. The acknowledgement is kept in the
    lake for ever, with the digests of what was replaced and by what, and is shown in the report; it holds for these digests
    only. It holds as well for a memory of the lake that was lost. That a table may be absent, or may have played though the
    register does not name it, holds for that table and that gaming day alone. What a topic lost before the archive had it
    (--lost) stays in every report with name and reason, and no longer keeps a gaming day from being clean; likewise, from the
    next run of a day on, the messages that are in the archive's quarantine by now (--quarantined). What was found on a gaming
    day (--day alone) stays found and the day not clean; `pitaudit status` no longer lists it, until a run finds something else.

    Example: `pitaudit acknowledge --lake lake --table BJ-01 --day 2026-01-05 --by "M. Wong" --reason "restored from tape"`

    Parameters
    ----------
    table
        The table.
    day
        The gaming day; without a table, somebody looked into what was found on it.
    lost
        The name of a loss, as nightly, report and status show it, instead of a table and day; several where it is repeated.
    quarantined
        Every message that is in quarantine by now, instead of a table and day; one that comes later is none of them.
    folder
        The archive's folder, for --quarantined, unless the settings name it.
    by
        Who looked into it, in 256 characters at most.
    reason
        What was found and why it may stand, in 4,096 characters at most.
    json
        One JSON object on standard output: table_id, gaming_day, by, at, reason, acknowledged (each change with part, was,
        now and message), statuses (TABLE_ABSENT or TABLE_UNEXPECTED, where that was acknowledged), lost (names of losses),
        quarantined (source and number of messages), found (what was found on the day, in a few words; null where it was not
        meant).
    """
    from analytics.lake import writing
    from analytics.lake.acknowledged import Acknowledgement, NothingToAcknowledge
    from analytics.lake.acknowledged_messages import acknowledge_quarantine
    from analytics.lake.losses import acknowledge_losses
    from analytics.lake.memory import Change
    from analytics.lake.memory import acknowledge as acknowledge_changes
    from analytics.lake.note import acknowledge_found
    from analytics.lake.statuses import TableStatus, acknowledge_status

    meant = [bool(lost), quarantined, table is not None or day is not None]
    if sum(meant) != 1 or (table is not None and day is None):
        raise CouldNotRun("what is acknowledged? name --day, with --table or alone, or --lost, or --quarantined")
    for option, text, most in (("--by", by, 256), ("--reason", reason, 4096)):  # as a name and a remark in the log
        if len(text) > most:
            raise CouldNotRun(f"{option} has {len(text):,} characters; {most:,} are the most")
        if not text.strip() or not text.isprintable():
            raise CouldNotRun(f"{option} needs one line of text: who looked into it, and why it may stand")
    chosen = settings_of(settings, archive=folder, lake=lake, wait_seconds=wait)
    named = require_lake(chosen, day)
    who = Acknowledgement(by.strip(), dt.datetime.now(dt.UTC).isoformat(timespec="seconds"), reason.strip())
    done: list[Change] = []
    stands: list[TableStatus] = []
    found: str | None = None
    archive = require_folder(chosen.archive, "archive") if quarantined else None
    with writing(named, f"an acknowledgement by {who.by}", chosen.wait_seconds, warn):
        losses = acknowledge_losses(named, lost, who)
        refused = acknowledge_quarantine(named, archive, who) if archive else []
        if table is not None and day is not None:
            from analytics.reconciliation.reconcile import reconcile

            known = reconcile(named, day).statuses or ()
            stands = [each for each in known if each.table_id == table and acknowledge_status(named, day, each, who)]
            with suppress(NothingToAcknowledge) if stands else nullcontext():
                done = acknowledge_changes(named, day, table, who)
        elif day is not None:
            found = acknowledge_found(named, day, who)
    for what in (
        *(f"{table} on {day}: {each.status}: {each.why}" for each in stands),
        *(change.message for change in done),
        *(loss.lost for loss in losses),
        *(f"{plural(answer.messages, 'message')} in quarantine, of {answer.source}" for answer in refused),
        *([f"{day}: {found}"] if found is not None else []),
    ):
        say(f"acknowledged: {what}")
    if json:
        print_json(
            {
                "table_id": table,
                "gaming_day": day,
                "by": who.by,
                "at": who.at,
                "reason": who.reason,
                "acknowledged": [change.to_dict() for change in done],
                "statuses": [each.code for each in stands],
                "lost": [loss.name for loss in losses],
                "quarantined": [{"source": answer.source, "messages": answer.messages} for answer in refused],
                "found": found,
            }
        )
    return CLEAN
