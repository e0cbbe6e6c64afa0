"""``pitaudit acknowledge``."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from flows.bounds import LONGEST_NAME, LONGEST_REASON
from flows.cli.terminal import CLEAN, CouldNotRun, print_json, require_lake, say


def acknowledge(
    *,
    lake: Path | None = None,
    table: str,
    day: dt.date,
    by: str,
    reason: str,
    json: bool = False,
    settings: Path | None = None,
) -> int:
    """Acknowledge that a sealed log was replaced after it was judged: somebody looked into it and knows why.

    Without it the finding stands in every nightly, report and query. The acknowledgement is kept in the lake for ever, with
    the digests of what was replaced and by what, and is shown in the report; it holds for these digests only. It holds as
    well for a memory of the lake that was lost.

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
        now and message).
    settings
        A settings file other than pitaudit.toml.
    """
    from analytics.lake.memory import Acknowledgement
    from analytics.lake.memory import acknowledge as put
    from flows.settings import load

    for option, text, most in (("--by", by, LONGEST_NAME), ("--reason", reason, LONGEST_REASON)):
        if len(text) > most:
            raise CouldNotRun(f"{option} has {len(text):,} characters; {most:,} are the most")
        if not text.strip() or not text.isprintable():
            raise CouldNotRun(f"{option} needs one line of text: who looked into it, and why it may stand")
    named = require_lake(lake, load(settings), day)
    who = Acknowledgement(by.strip(), dt.datetime.now(dt.UTC).isoformat(timespec="seconds"), reason.strip())
    done = put(named, day, table, who)
    for change in done:
        say(f"acknowledged: {change.message}")
    if json:
        told = {"table_id": table, "gaming_day": day, "by": who.by, "at": who.at, "reason": who.reason}
        print_json(told | {"acknowledged": [change.to_dict() for change in done]})
    return CLEAN
