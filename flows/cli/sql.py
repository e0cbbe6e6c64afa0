"""``pitaudit sql``."""

from __future__ import annotations

import csv
import dataclasses
import datetime as dt
import json as json_
import math
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import Parameter
from cyclopts.validators import Number

from analytics.texts import visible
from flows.cli.options import NamedLake, Seconds, SettingsFile, Whole, require_lake, require_order, settings_of
from flows.cli.terminal import COULD_NOT_RUN, print_table, warn, written
from flows.cli.warnings import LakeWarnings, warn_of_players
from flows.known_errors import CouldNotRun
from schemas.plural import plural

if TYPE_CHECKING:
    from analytics.sql import Answer, Cell, Limits

UpToADay = Annotated[Whole, Parameter(validator=Number(gte=1, lte=86_400))]
UpToATerabyte = Annotated[Whole, Parameter(validator=Number(gte=1, lte=1 << 20))]
_SHOWN: Final = 200
"""Rows that fit a reader; --json and --csv give them all."""
_GRACE: Final = 5
"""Seconds that the database has to stop by itself."""
_FORMULA: Final = re.compile(r"(?:^|(?<=[;\t\r\n]))(?= *[=+\-@＝＋－＠\t\r\n])")
"""Where a spreadsheet would take what follows for a formula, a Chinese one in full width as well, or lose what stands before one:
it may begin a cell behind a semicolon or a tab."""


def sql(
    question: str | None = None,
    /,
    *,
    lake: NamedLake = None,
    first: Annotated[dt.date | None, Parameter(name="--from")] = None,
    last: Annotated[dt.date | None, Parameter(name="--to")] = None,
    json: bool = False,
    csv: bool = False,
    seconds: UpToADay = 600,
    memory: UpToATerabyte = 1024,
    wait: Seconds | None = None,
    settings: SettingsFile = None,
) -> int:
    """Ask the lake in SQL; only the rows that hold are seen, and nothing can be written.

    There are the lake's tables (`pitaudit lake --describe`), the measures of the reconciliation (`SHOW TABLES` names them all)
    and `left_out`: the table-days without verdicts that hold, and why. Amounts are minor units, times are UTC by ISO 8601
    (2026-01-05T13:30:00.000000+00:00). A question is a SELECT, `SHOW TABLES`, `DESCRIBE` or `SUMMARIZE`, in the dialect of
    DuckDB; it reads no file, no network and no variable of the environment. Without one, a terminal prompts for them, and
    otherwise they are read from standard input, separated by `;`.

    Rows do not change the exit code. Exit 1 where table-days had to be left out (a table that is absent or not sealed,
    too), where no run accounted for the tables of a gaming day or its last run did not finish, or where a log was replaced after
    it was judged and nobody acknowledged it. Exit 2 where a question cannot be answered; one line says why.

    Example: `pitaudit sql --lake lake "SELECT dealer, sum(delta_minor) FROM wagers GROUP BY dealer"`

    Parameters
    ----------
    question
        The question.
    first
        The first gaming day that is read; all unless set. Fewer days are sooner held to their digests.
    last
        The last gaming day that is read.
    json
        One JSON object on standard output for one question: question, columns, rows, left_out (table-days without verdicts),
        log_changes (logs replaced after they were judged).
    csv
        Comma-separated values on standard output for one question. A text that a spreadsheet would take for a formula gets an
        apostrophe before it, and characters that cannot be seen are marked; numbers stay as they are.
    seconds
        A question that takes longer is stopped.
    memory
        MiB of memory that a question may use; it may spill eight times as many onto the disk.
    wait
        How many seconds to wait for a run that writes the lake, unless the settings say; ten minutes where nothing does.
    """
    from analytics.sql import Limits

    if json and csv:
        raise CouldNotRun("--json or --csv: choose one")
    require_order(first, last)
    chosen = settings_of(settings, lake=lake, wait_seconds=wait)
    source = require_lake(chosen)
    asker = _Asker(LakeWarnings(source, first, last), Limits(memory, 8 * memory, seconds), chosen.wait_seconds)
    if question is None and sys.stdin.isatty():
        if json or csv:
            raise CouldNotRun("--json and --csv answer one question: give it on the command line or on standard input")
        warn_of_players(source)
        return _prompt(asker)
    warn_of_players(source)
    asked = asker.parse(_read() if question is None else question)
    if len(asked) > 1 and (json or csv):
        raise CouldNotRun(f"--json and --csv answer one question, and these are {len(asked)}: ask one at a time")
    for each in asked:
        with asker.ask(each) as answer:
            if json:
                _print_json(each, answer, asker)
            elif csv:
                _print_csv(answer)
            else:
                _print(answer)
    return asker.warnings.exit_code


@dataclasses.dataclass
class _Asker:
    """Asks one question after the other, each of the lake as it is by then, and says once what is left out of it.

    The lake is held to its digests between two runs, for which it waits. While the question itself is worked out a run may
    begin, for that may take a day: where it changes a file that the answer rests on, there is no answer.
    """

    warnings: LakeWarnings
    limits: Limits
    patience: float

    def parse(self, text: str) -> list[str]:
        from analytics.sql import questions

        with self._ended_in_time():
            return questions(text, self.limits)

    @contextmanager
    def ask(self, question: str) -> Iterator[Answer]:
        from analytics.lake import contents_of, reading
        from analytics.marts import tables_read_by
        from analytics.sql import answer_to

        lake, first, last = self.warnings.lake, self.warnings.first, self.warnings.last
        with reading(lake, self.patience, warn):
            contents = contents_of(lake, first, last, tables_read_by(question))
        self.warnings.give(contents)
        with self._ended_in_time(), answer_to(lake, contents, question, self.limits) as answer:
            yield answer

    @contextmanager
    def _ended_in_time(self) -> Iterator[None]:
        """The database looks at the clock between two steps only; one that never ends takes this program with it."""

        def end() -> None:
            warn(f"stopped after {self.limits.seconds} s: ask for less, or give it more --seconds")
            os._exit(COULD_NOT_RUN)

        timer = Timer(self.limits.seconds + _GRACE, end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _read() -> str:
    from analytics.sql import MOST_TEXT

    data = sys.stdin.buffer.read(4 * MOST_TEXT + 1)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise CouldNotRun(f"standard input is no UTF-8 at byte {error.start}") from None


def _prompt(asker: _Asker) -> int:
    """Questions from a terminal, each ended by ``;``; what is wrong with one does not end the others."""
    with suppress(ImportError):
        import readline  # noqa: F401 (input() then has a history, which nobody keeps)
    from analytics.sql import QuestionRefused

    print("Ask in SQL and end with ; (SHOW TABLES; says what there is, Ctrl-D ends).", file=sys.stderr)
    lines: list[str] = []
    while True:
        try:
            line = input("    ...> " if lines else "pitaudit> ")
        except EOFError:
            print(file=sys.stderr)
            return asker.warnings.exit_code
        except KeyboardInterrupt:
            print(file=sys.stderr)
            lines.clear()
            continue
        lines += [line] if line.strip() or lines else []
        if not line.rstrip().endswith(";"):
            continue
        text = "\n".join(lines)
        lines.clear()
        try:
            for each in asker.parse(text):
                with asker.ask(each) as answer:
                    _print(answer)
        except QuestionRefused as refused:
            warn(str(refused))
        except KeyboardInterrupt:
            warn("stopped")


def _print(answer: Answer) -> None:
    rows = [row for row, _ in zip(answer.rows(), range(_SHOWN), strict=False)]
    figures = [index for index, figure in enumerate(answer.figures) if figure]
    print_table("", answer.columns, rows, figures)
    shown = f", the first {_SHOWN} are shown; --json and --csv give them all" if answer.height > _SHOWN else ""
    print(f"{plural(answer.height, 'row')}{shown}")


def _print_json(question: str, answer: Answer, asker: _Asker) -> None:
    """Row by row, for there may be millions."""
    head: dict[str, Any] = {
        "question": question,
        "columns": list(answer.columns),
        "left_out": [dataclasses.asdict(left) for left in asker.warnings.left_out],
        "log_changes": [change.to_dict() for change in asker.warnings.changes],
    }
    out = sys.stdout
    out.write(json_.dumps(head, default=str)[:-1] + ', "rows": [')
    for number, row in enumerate(answer.rows()):
        values = (str(cell) if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in row)
        out.write((", " if number else "") + json_.dumps(dict(zip(answer.columns, values, strict=True))))
    out.write("]}\n")


def _print_csv(answer: Answer) -> None:
    out = csv.writer(sys.stdout, lineterminator="\r\n")  # as RFC 4180 has it
    out.writerow(map(_harmless, answer.columns))
    for row in answer.rows():
        out.writerow(map(_harmless, row))


def _harmless(cell: Cell) -> Cell:
    cell = written(cell) if isinstance(cell, bool) else cell
    return _FORMULA.sub("'", visible(cell, "\t\r\n")) if isinstance(cell, str) else cell
