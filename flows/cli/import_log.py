"""``pitaudit import``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from flows.cli.terminal import CLEAN, FOUND, print_json, progress, say, warn

_SHOWN: Final = 10


def import_log(
    file: Path,
    /,
    *,
    map_file: Annotated[Path, Parameter(name="--map")],
    folder: Annotated[Path, Parameter(name="--archive")],
    json: bool = False,
    settings: Path | None = None,
) -> int:
    """Bring another system's round log into the archive, as a mapping file says what each column means.

    All of the log is imported or nothing, also where the import is killed: run it again. The same log twice changes
    nothing. Where the map asks for it, bad rows go to quarantine with their reason; they, numbers of rounds that the
    log leaves out, and a log that was imported before under other names, make the exit code 1.

    Example: `pitaudit import rounds.csv --map rounds.toml --archive archive`

    Parameters
    ----------
    file
        The log, CSV or JSON lines.
    map_file
        The mapping file; README says how to write one.
    folder
        The archive's folder, made where it is missing.
    json
        One JSON object on standard output: file, imported, already, rounds, hands, events, rows, quarantined,
        quarantine, not_recorded, absent (columns that the map names and no row has), open_end (the last line may be cut
        off), twice (table-days as which this very log was imported before), missing (numbers of rounds that the log
        leaves out: table_id, gaming_day, first_round, last_round).
    settings
        A settings file other than pitaudit.toml.
    """
    from flows.settings import load
    from producers.mapping import import_log as bring_in

    file_mode = load(settings).file_mode
    with progress("Importing", None) as step:
        done = bring_in(file, map_file, folder, lambda rounds, of: step(f"{rounds} of {of} rounds"), file_mode)
    for fact in done.not_recorded:
        say(f"not recorded by this log, so not checked: {fact}")
    for column, fact in done.absent.items():
        warn(f"no row has {column!r}, which {map_file} maps to {fact}: is that its name?")
    for table_id, gaming_day in done.twice[:_SHOWN]:
        warn(
            f"{file} was imported before, as table {table_id} of {gaming_day}: what it holds counts twice in every sum"
        )
    if done.open_end:
        warn(f"the last line of {file} has no end: hold its last cell against the source, it may be cut off")
    for (table_id, gaming_day), first, last in done.missing[:_SHOWN]:
        rounds = f"round {first} stands" if first == last else f"rounds {first} to {last} stand"
        warn(
            f"{table_id} {gaming_day}: {rounds} nowhere in the log; was it left out, or does the log not number rounds so?"
        )
    if len(done.missing) > _SHOWN:
        warn(f"and {len(done.missing) - _SHOWN} more gaps between the numbers of rounds; --json has all of them")
    if done.quarantined:
        warn(f"{done.quarantined} of {done.rows} rows are in quarantine: {done.quarantine}")
    if json:
        print_json(done.to_dict())
    else:
        say(f"{done.rounds} rounds, {done.hands} hands, {done.events} events from {done.rows} rows: {folder}")
    return FOUND if done.quarantined or done.missing or done.twice else CLEAN
