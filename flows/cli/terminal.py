"""What every command shares: exit codes, the one JSON object, tables, progress, and saying that it could not run."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import Parameter
from cyclopts.validators import Number

from analytics.amounts import amount

if TYPE_CHECKING:
    from analytics.lake import Change
    from analytics.reconcile import Grid
    from flows.settings import Settings

AtLeastOne = Annotated[int, Parameter(validator=Number(gte=1))]
"""A count of something that there must be one of."""

CLEAN: Final = 0
FOUND: Final = 1
"""There are findings or discrepancies."""
_PIPE_WIDTH: Final = 200
"""A pipe has no width; rows that were folded could not be searched."""


_UNSEEN: Final = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"} | dict.fromkeys(
    (*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd"
)
"""Characters that command a terminal or turn the order of others: a log may hold any text."""


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


def warn_of_changes(changes: Iterable[Change]) -> None:
    """Say which logs are not the ones that were judged before, and what to do about it."""
    for change in changes:
        how = f"`pitaudit acknowledge --table {change.table_id} --day {change.gaming_day}` once it is understood"
        warn(f"{change.code} {change.gaming_day} {change.table_id}: {change.message}; {how}")


def one_line(error: object) -> str:
    """A message without line breaks."""
    return " ".join(str(error).split())


def visible(text: str) -> str:
    """A text out of a log, as it may go to a terminal."""
    return text.translate(_UNSEEN)


def warn(text: str) -> None:
    """A line on standard error that somebody should look at."""
    print(visible(f"pitaudit: {text}"), file=sys.stderr)


def say(text: str) -> None:
    """A line about what was done, on standard error."""
    print(text, file=sys.stderr)


def print_json(value: dict[str, Any]) -> None:
    """The command's one JSON object."""
    print(json.dumps(value, ensure_ascii=False, default=str))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], figures: Sequence[int]) -> None:
    """A table on standard output; ``figures`` are the columns that stand to the right.

    Markup in cells is not interpreted, for much of it comes out of logs.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", title_style="bold")
    for index, name in enumerate(columns):
        table.add_column(name, justify="right" if index in figures else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if cell is None else visible(str(cell))) for cell in row))
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
