"""``pitaudit backfill``."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from flows.cli.options import NamedArchive, Processes, SettingsFile, Wait, require_folder, require_order, settings_of
from flows.cli.results import last_line, print_night, print_why
from flows.cli.terminal import money, print_json, print_table, progress, warn
from flows.cli.through_prefect import asked_for, nights_of_flow
from flows.cli.warnings import warn_of_imports, warn_of_misplaced, warn_of_pseudonyms


def backfill(
    *,
    folder: NamedArchive = None,
    lake: Path | None = None,
    first: Annotated[dt.date, Parameter(name="--from")],
    last: Annotated[dt.date, Parameter(name="--to")],
    workers: Processes = None,
    prefect: bool = False,
    json: bool = False,
    wait: Wait = None,
    settings: SettingsFile = None,
) -> int:
    """Replay what changed of a range of gaming days and reconcile every table of each.

    Example: `pitaudit backfill --archive archive --lake lake --from 2026-01-01 --to 2026-01-31 --workers 2`

    Parameters
    ----------
    lake
        The lake's folder, unless the settings name it; made where it is missing.
    first
        The first gaming day.
    last
        The last gaming day, included.
    prefect
        Run as a Prefect flow; so it does where PREFECT_API_URL is set.
    json
        One JSON object on standard output: days (each as nightly --json gives it), clean, sentence.
    """
    from analytics.sentence import sentence
    from flows.runs import run_backfill, run_nightly
    from flows.summary import Night, in_all, one_sentence

    require_order(first, last)
    chosen = settings_of(settings, archive=folder, lake=lake, workers=workers, wait_seconds=wait)
    source, target = require_folder(chosen.archive, "archive"), require_folder(chosen.lake, "lake")
    warn_of_misplaced(source)
    if asked_for(prefect):
        nights = nights_of_flow(
            "backfill", archive=source, lake=target, first=first, last=last, workers=chosen.workers, settings=settings, wait=wait
        )  # fmt: skip
        for night in nights:
            print_night(night)
    else:
        with progress("Backfill", None) as step:

            def run(day: dt.date) -> Night:
                night = run_nightly(source, target, day, chosen, on_wait=warn)
                step(str(day))
                print_night(night)
                return night

            nights = run_backfill(run, source, target, first, last, chosen, on_wait=warn)
    warn_of_pseudonyms()
    warn_of_imports(source)
    clean = all(night.clean for night in nights)
    in_sum = sentence(f"{first} to {last}", in_all(nights))
    if json:
        days = [night.to_dict() | {"sentence": one_sentence(night)} for night in nights]
        print_json({"days": days, "clean": clean, "sentence": in_sum})
    else:
        gaps = ("settlement gap", "custody gap")
        columns = ("gaming day", "currency", "tables", "win due", gaps[0], "win recorded", gaps[1], "win accounted")
        rows = [
            (
                str(house.gaming_day),
                house.currency,
                house.tables,
                money(house.win_due_minor),
                money(house.settlement_gap_minor, sign=True),
                money(house.win_recorded_minor),
                money(house.custody_gap_minor, sign=True),
                money(house.win_accounted_minor),
            )
            for night in nights
            for house in night.reconciliation.house
        ]
        print_table(f"Gaming days {first} to {last}", columns, rows, figures=range(2, len(columns)))
        print_why(nights)
        for night in nights:
            print(one_sentence(night))
    return last_line(in_sum, clean=clean, json=json)
