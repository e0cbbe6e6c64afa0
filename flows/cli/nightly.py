"""``pitaudit nightly``."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from flows.cli.options import NamedArchive, Processes, Seconds, SettingsFile, Wait, require_folder, settings_of
from flows.cli.results import last_line, print_night, print_why
from flows.cli.terminal import print_grid, print_json, progress, warn
from flows.cli.through_prefect import asked_for, nights_of_flow
from flows.cli.warnings import warn_of_imports, warn_of_misplaced, warn_of_pseudonyms


def nightly(
    *,
    folder: NamedArchive = None,
    lake: Path | None = None,
    day: dt.date | None = None,
    workers: Processes = None,
    prefect: bool = False,
    json: bool = False,
    wait: Wait = None,
    wait_for_sealing: Seconds | None = None,
    settings: SettingsFile = None,
) -> int:
    """Replay what changed of a gaming day, reconcile every table of it, and account for each that it should have had.

    A day on which a table was not judged, for it is damaged, not sealed or absent, is not clean. Which tables there should be
    is known from the settings' register, or else from the seven days before.

    With --prefect, or where PREFECT_API_URL is set, it runs as a flow whose history and artifacts the Prefect server
    keeps; otherwise it needs no server at all.

    Example: `pitaudit nightly --archive archive --lake lake --day 2026-01-05`

    Parameters
    ----------
    lake
        The lake's folder, unless the settings name it; made where it is missing.
    day
        The gaming day, and no other, one dated beyond today as well where the archive has anything of it. Unless set it is the
        last one that ended, and every earlier one without verdicts, or of which something is not sealed or was sealed since or a
        damaged log can be read again, is judged before it.
    prefect
        Run as a Prefect flow.
    json
        One JSON object on standard output: gaming_day, clean, replayed, unchanged, unsealed, failed, made_anew (tables whose
        verdicts were damaged in the lake, and how), restored (tables whose logs the run before could not read, and why, and
        that were judged now), misplaced (logs where an archive keeps none, in a place that tells no gaming day), ahead
        (table-days dated beyond today), left_behind (in the run of the last gaming day: earlier ones with logs and no verdicts,
        too far back to be caught up with), damaged, log_changes (logs that were replaced after they were judged), quarantined,
        lost (messages that a topic lost before the archive had them, each with its name and who acknowledged it), accounted and
        basis (from what it is known which tables there should be), tables (each with its status, which is judged, damaged,
        failed, not_sealed or absent, why, and figures where it is judged), house, settlement_causes, custody_leads,
        custody_findings, stretches, book_changes (corrections and late entries), findings, unjudged, not_checked, seconds,
        sentence (the last line without --json, which names earlier days that are not clean), caught_up (earlier gaming days that
        waited for verdicts, each as this one); clean speaks of all of them. Where the day itself has nothing to run, gaming_day,
        sentence, caught_up and clean alone.
    wait_for_sealing
        How many seconds to wait for tables of the day that are not sealed, unless the settings say; half an hour where nothing
        does and the day was over within the last day, else no time.
    """
    from flows.pending_days import require_over
    from flows.plan import NothingToRun
    from flows.runs import run_nightly, run_with_catching_up
    from flows.summary import Night, one_sentence, with_earlier

    chosen = settings_of(
        settings, archive=folder, lake=lake, workers=workers, wait_seconds=wait, wait_for_sealing_seconds=wait_for_sealing,
    )  # fmt: skip
    source, target = require_folder(chosen.archive, "archive"), require_folder(chosen.lake, "lake")
    warn_of_misplaced(source)
    now = dt.datetime.now(dt.UTC)
    wanted = day or chosen.last_gaming_day(now)
    require_over(source, target, wanted, chosen, now, warn, named=day is not None)
    nothing, by_flow = "", asked_for(prefect)
    try:
        if by_flow:
            nights = nights_of_flow(
                "nightly", archive=source, lake=target, day=day, workers=chosen.workers, settings=settings,
                wait=chosen.wait_seconds, wait_for_sealing=chosen.wait_for_sealing(wanted, now),
            )  # fmt: skip
        else:
            with progress(f"Gaming day {wanted}", None) as step:

                def run(each: dt.date) -> Night:
                    night = run_nightly(source, target, each, chosen, on_table_day=step, on_wait=warn)
                    print_night(night)
                    return night

                nights = run_with_catching_up(run, source, target, wanted, chosen, alone=day is not None, on_wait=warn)
    except NothingToRun as error:
        if not error.nights:
            raise
        nights, nothing = error.nights, f"{wanted}: nothing to run: {error}"
    for night in nights if by_flow else ():  # which logs on the server as it goes
        print_night(night)
    warn_of_pseudonyms()
    warn_of_imports(source)
    clean = not nothing and all(night.clean for night in nights)
    said = [*map(one_sentence, nights), *([nothing] if nothing else [])]
    said[-1] = with_earlier(said[-1], nights if nothing else nights[:-1])
    if json:
        days = [*(night.to_dict() for night in nights), *([{"gaming_day": str(wanted)}] if nothing else [])]
        *earlier, last = [own | {"sentence": sentence} for own, sentence in zip(days, said, strict=True)]
        print_json(last | {"caught_up": earlier, "clean": clean})
    else:
        for night in nights:
            print_grid(night.reconciliation.grid())
        print_why(nights)
        for sentence in said[:-1]:
            print(sentence)
    return last_line(said[-1], clean=clean, json=json)
