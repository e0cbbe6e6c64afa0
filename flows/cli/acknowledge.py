"""``pitaudit acknowledge``."""

from __future__ import annotations

import datetime as dt
from contextlib import nullcontext, suppress
from pathlib import Path

from flows.bounds import LONGEST_NAME, LONGEST_REASON
from flows.cli.terminal import CLEAN, CouldNotRun, Seconds, print_json, require_lake, say, write_alone


def acknowledge(
    *,
    lake: Path | None = None,
    table: str,
    day: dt.date,
    by: str,
    reason: str,
    json: bool = False,
    wait: Seconds | None = None,
    settings: Path | None = None,
) -> int:
    """Acknowledge that a table rightly did not open, or that its sealed log was replaced: somebody knows why.

    Without it the finding stands in every nightly, report and query. The acknowledgement is kept in the lake for ever, with
    the digests of what was replaced and by what, and is shown in the report; it holds for these digests only. It holds as
    well for a memory of the lake that was lost. That a table may be absent, or may have played though the register does not
    name it, holds for that table and that gaming day alone.

    Example: `pitaudit acknowledge --lake lake --table BJ-01 --day 2026-01-05 --by "M. Wong" --reason "restored from tape"`

    Parameters
    ----------
    lake
        The lake's folder, unless the settings name it.
    table
        The table.
    day
        The gaming day.
    by
        Who looked into it, in 256 characters at most.
    reason
        What was found and why it may stand, in 4,096 characters at most.
    json
        One JSON object on standard output: table_id, gaming_day, by, at, reason, acknowledged (each change with part, was,
        now and message), statuses
        (TABLE_ABSENT or TABLE_UNEXPECTED, where that was acknowledged).
    wait
        How many seconds to wait for another run on the same lake, unless the settings say; ten minutes where nothing does.
    settings
        A settings file other than pitaudit.toml.
    """
    from analytics.lake.memory import Acknowledgement, NothingToAcknowledge
    from analytics.lake.memory import acknowledge as put
    from analytics.lake.statuses import acknowledge_status
    from analytics.reconcile import reconcile
    from flows.settings import load

    for option, text, most in (("--by", by, LONGEST_NAME), ("--reason", reason, LONGEST_REASON)):
        if len(text) > most:
            raise CouldNotRun(f"{option} has {len(text):,} characters; {most:,} are the most")
        if not text.strip() or not text.isprintable():
            raise CouldNotRun(f"{option} needs one line of text: who looked into it, and why it may stand")
    chosen = load(settings)
    named = require_lake(lake, chosen, day)
    who = Acknowledgement(by.strip(), dt.datetime.now(dt.UTC).isoformat(timespec="seconds"), reason.strip())
    with write_alone(named, f"an acknowledgement of {day}", wait, chosen):
        known = reconcile(named, day).statuses or ()
        stands = [each for each in known if each.table_id == table and acknowledge_status(named, day, each, who)]
        done = []
        with suppress(NothingToAcknowledge) if stands else nullcontext():
            done = put(named, day, table, who)
    for each in stands:
        say(f"acknowledged: {table} on {day}: {each.status}: {each.why}")
    for change in done:
        say(f"acknowledged: {change.message}")
    if json:
        told = {"table_id": table, "gaming_day": day, "by": who.by, "at": who.at, "reason": who.reason}
        print_json(told | {"acknowledged": [change.to_dict() for change in done], "statuses": [e.code for e in stands]})
    return CLEAN
