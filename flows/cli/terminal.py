"""What every command prints: its exit code, lines on standard error, the one JSON object, tables and progress."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from analytics.texts import Grid, amount, visible

CLEAN: Final = 0
FOUND: Final = 1
COULD_NOT_RUN: Final = 2
INTERRUPTED: Final = 130
_BORDER: Final = 3
_FOLDED: Final = 24
"""Characters between two columns of a table; and how narrow a column of texts may become."""
_C1: Final = re.compile("[\x7f-\x9f]")
"""Control characters that are no ASCII, and the one that deletes."""
_PIPE_WIDTH: Final = 200
"""A pipe has no width; rows that were folded could not be searched."""


def warn(text: str) -> None:
    """A line on standard error that somebody should look at."""
    _tell(visible(f"pitaudit: {text}", "\t"))


def say(text: str) -> None:
    """A line about what was done, on standard error."""
    _tell(visible(text))


def _tell(line: str) -> None:
    """Write to standard error; the disk under it may be the full one, and the command goes on and ends as it would."""
    with suppress(OSError):
        print(line, file=sys.stderr)


def print_json(value: dict[str, Any]) -> None:
    """The command's one JSON object."""
    text = json.dumps(value, ensure_ascii=False, default=written)
    text = _C1.sub(lambda letter: f"\\u{ord(letter[0]):04x}", text)  # which JSON may hold, and a terminal obeys
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # halves of characters, from a file's name say, or a terminal that knows few
        text = json.dumps(value, default=written)
    print(text)


def written(value: object) -> str:
    """A value as every output writes it: a time by ISO 8601 to the microsecond, true and false as in JSON."""
    if isinstance(value, dt.datetime):
        return value.isoformat(timespec="microseconds")
    return str(value).lower() if isinstance(value, bool) else str(value)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], figures: Sequence[int]) -> None:
    """A table on standard output; ``figures`` are the columns that stand to the right.

    A cell that is a list has a line for each of its texts; all others stand on one line. Where the screen is too narrow for all
    columns, the table goes on below with the further ones, each part with the first column. Markup in titles and cells is not
    interpreted, for much of it comes out of logs and questions.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal and not os.environ.get("COLUMNS"):
        console.width = _PIPE_WIDTH
    names = [visible(name) for name in columns]
    cells = [["\n".join(visible(line, "\t") for line in _lines(cell)) for cell in row] for row in rows]
    with console.capture() as drawn:  # rich would end the program by itself where nobody reads on
        for number, part in enumerate(_fitting(names, cells, figures, console.width)):
            heading = visible(title if not number else f"{title} (further columns)")
            table = Table(title=Text(heading) if heading else None, title_justify="left", title_style="bold")
            for index in part:
                right = index in figures
                name = Text(names[index])
                table.add_column(name, justify="right" if right else "left", overflow="fold", no_wrap=right)
            for row in cells:
                table.add_row(*(Text(row[index]) for index in part))
            console.print(table)
    print(drawn.get(), end="")


def _lines(cell: object) -> list[str]:
    return [*map(written, cell)] if isinstance(cell, list) else ["" if cell is None else written(cell)]


def _fitting(
    columns: Sequence[str], rows: Sequence[Sequence[str]], figures: Sequence[int], width: int
) -> Iterator[list[int]]:
    """The columns in parts that fit a screen, the first column in each; figures are never folded, texts may be."""
    needs = [
        max((len(line) for cell in (name, *(row[index] for row in rows)) for line in cell.split("\n")), default=0)
        if index in figures
        else max(len(name), min(_FOLDED, max((len(row[index]) for row in rows), default=0)))
        for index, name in enumerate(columns)
    ]
    part, used = [0], 1 + needs[0] + _BORDER
    for index in range(1, len(columns)):
        if used + needs[index] + _BORDER > width and len(part) > 1:
            yield part
            part, used = [0], 1 + needs[0] + _BORDER
        part.append(index)
        used += needs[index] + _BORDER
    yield part


def print_grid(grid: Grid) -> None:
    """A table that the analytics laid out, without the columns in which no row says anything."""
    shown = grid.without_empty_columns()
    print_table(shown.title, shown.names, shown.rows, shown.figures)


def money(minor: int | None, *, sign: bool = False) -> str:
    """An amount in major units as a table shows it; empty where there is none."""
    return "" if minor is None else amount(minor, sign=sign)


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[[str], None]]:
    """A progress bar on standard error while the block runs; nothing where that is no terminal. It is told of each step done."""
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


@contextmanager
def shares(what: str, named: str = "") -> Iterator[Callable[[int, int], None]]:
    """A progress bar for work that comes in shares, which may be ``named``."""
    with progress(what, None) as step:
        yield lambda done, total: step(f"{done} of {total} {named}".rstrip())
