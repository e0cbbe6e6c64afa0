"""What every command shares: exit codes, the one JSON object, tables, progress, and saying that it could not run."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import Parameter
from cyclopts.validators import Number

from analytics.amounts import amount
from analytics.texts import label, visible
from flows.bounds import MOST_WORKERS

if TYPE_CHECKING:
    from analytics.lake import Change, LeftOut
    from analytics.reconcile import Grid
    from flows.settings import Settings
    from replayer.sources.lost import Lost

Workers = Annotated[int, Parameter(validator=Number(gte=1, lte=MOST_WORKERS))]
"""A number of processes."""
Seconds = Annotated[float, Parameter(validator=Number(gte=0, lte=366 * 86_400))]
"""A time to wait, from none to a year."""

CLEAN: Final = 0
FOUND: Final = 1
"""There are findings, discrepancies or wagers that nobody could judge."""
_WHYS: Final = 3
_WHY: Final = 120
"""So many reasons, and characters of each, fit a sentence."""
_LINE: Final = 4_000
"""Characters of an error's line at most."""
_PIPE_WIDTH: Final = 200
"""A pipe has no width; rows that were folded could not be searched."""


class CouldNotRun(Exception):
    """The command could not run; the message is one line that says why and what to do."""


def require_folder(given: Path | None, set_: Path | None, name: str) -> Path:
    """The folder that an option or the settings name.

    Raises:
        CouldNotRun: neither does.
    """
    folder = given or set_
    if folder is None:
        raise CouldNotRun(f"no {name} is named: give --{name} DIR, or set {name} in pitaudit.toml")
    return folder


def require_kafka(given: str | None, settings: Settings) -> str:
    """The brokers that an option or the settings name.

    Raises:
        CouldNotRun: neither does.
    """
    brokers = given or settings.kafka_bootstrap_servers
    if brokers is None:
        raise CouldNotRun(
            "no broker is named: give --kafka HOST:PORT, or set bootstrap_servers in [kafka] of pitaudit.toml"
        )
    return brokers


def require_lake(given: Path | None, settings: Settings, day: dt.date | None = None) -> Path:
    """A lake that has something to read.

    Raises:
        CouldNotRun: none is named, or it holds no table-day (of ``day``).
    """
    from analytics.lake import days_of, require_usable

    lake = require_folder(given, settings.lake, "lake")
    require_usable(lake)
    if not days_of(lake, day, day):
        of_day = f" of {day}" if day else ""
        raise CouldNotRun(f"lake {lake} holds no table-day{of_day}: fill it with `pitaudit nightly`")
    return lake


def warn_of_left_out(left_out: Iterable[LeftOut]) -> None:
    """Say which table-days of a lake have no verdicts that hold, and why."""
    for left in left_out:
        warn(f"left out: {left.gaming_day} {left.table_id or 'its note'}: {left.why}")


def read_together(lake: Path, wait: float | None, settings: Settings) -> AbstractContextManager[None]:
    """Around all that is read of a lake: a run that is under way is waited for, and said."""
    from analytics.lake import reading

    return reading(lake, settings.wait_seconds if wait is None else wait, warn)


def write_alone(lake: Path, work: str, wait: float | None, settings: Settings) -> AbstractContextManager[None]:
    """Around all that is written into a lake: others that use it are waited for, and said."""
    from analytics.lake import writing

    return writing(lake, work, settings.wait_seconds if wait is None else wait, warn)


def warn_of_changes(changes: Iterable[Change]) -> None:
    """Say which logs are not the ones that were judged before, and what to do about it."""
    for change in changes:
        how = f"`pitaudit acknowledge --table {change.table_id} --day {change.gaming_day}` once it is understood"
        warn(f"{change.code} {change.gaming_day} {change.table_id}: {change.message}; {how}")


def warn_of_lost(lost: Iterable[Lost]) -> None:
    """Say which messages a topic no longer has and the archive never took."""
    for each in lost:
        warn(f"lost: {each}")


def one_line(error: object) -> str:
    """A message without line breaks, cut where it repeats an argument of any length."""
    text = " ".join(str(error).split())
    return text if len(text) <= _LINE else f"{text[: _LINE // 2]} ... {text[-_LINE // 2 :]}"


def warn(text: str) -> None:
    """A line on standard error that somebody should look at."""
    print(visible(f"pitaudit: {text}", "\t"), file=sys.stderr)


def warn_of_pseudonyms() -> None:
    """Say on standard error that pseudonyms are made without a key, where they are."""
    from schemas.identity import WITHOUT_KEY, Pseudonyms

    if not Pseudonyms.from_environment().has_key:
        warn(WITHOUT_KEY)


def warn_of_players(lake: Path, day: dt.date | None = None) -> None:
    """Say on standard error how players stand in a lake (on ``day``), where anybody could tell who they are."""
    from analytics.lake import runs
    from schemas.identity import WITHOUT_KEY

    kinds = {run.players for run in runs(lake, day, day)}
    if "identities" in kinds:
        warn("players stand in the lake as the log names them")
    if "pseudonyms without a key" in kinds:
        warn(f"{WITHOUT_KEY}, and run the days again")


def say(text: str) -> None:
    """A line about what was done, on standard error."""
    print(visible(text), file=sys.stderr)


def print_json(value: dict[str, Any]) -> None:
    """The command's one JSON object."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        text = json.dumps(value, default=str)  # halves of characters, from a file's name say, stand as escapes
    print(text)


def print_json_line(value: dict[str, Any]) -> None:
    """One of several JSON objects, at once, for whoever reads them as they come."""
    print_json(value)
    sys.stdout.flush()


def tell_unjudged(reasons: Iterable[tuple[str | None, int]], *, json: bool) -> None:
    """The last line: how many wagers nobody could judge, and why; on standard error beside a JSON object."""
    counts: Counter[str] = Counter()
    for reason, number in reasons:
        counts[reason or "no reason is on record"] += number
    if not counts:
        return
    whys = [f"{label(reason, _WHY)} ({number:,})" for reason, number in counts.most_common(_WHYS)]
    whys += [f"{len(counts) - _WHYS:,} more reasons"] if len(counts) > _WHYS else []
    text = f"wagers that nobody could judge: {counts.total():,}, so that this is not clean; why: {'; '.join(whys)}"
    if json:
        warn(text)
    else:
        print(text[0].upper() + text[1:])


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], figures: Sequence[int]) -> None:
    """A table on standard output; ``figures`` are the columns that stand to the right.

    Markup in cells is not interpreted, for much of it comes out of logs.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", title_style="bold")
    for index, name in enumerate(columns):
        table.add_column(Text(visible(name)), justify="right" if index in figures else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if cell is None else visible(str(cell), "\n\t")) for cell in row))
    console = Console()
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    with console.capture() as drawn:  # rich would end the program by itself where nobody reads on
        console.print(table)
    print(drawn.get(), end="")


def print_grid(grid: Grid) -> None:
    """A table that the analytics laid out."""
    figures = [index for index, column in enumerate(grid.columns) if column.figure]
    print_table(grid.title, [column.title for column in grid.columns], grid.rows, figures)


def money(minor: int | None, *, sign: bool = False) -> str:
    """An amount in major units as a table shows it; empty where there is none."""
    return "" if minor is None else amount(minor, sign=sign)


Advance = Callable[[str], None]
"""One step done; the text says which."""


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Advance]:
    """A progress bar on standard error while the block runs; nothing where that is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    counted = (MofNCompleteColumn(),) if total is not None else ()
    note = TextColumn("{task.fields[note]}", markup=False)
    columns = (TextColumn("{task.description}"), BarColumn(), *counted, TimeElapsedColumn(), note)
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total, note="")
        yield lambda note: bar.update(task, advance=1, note=note)
