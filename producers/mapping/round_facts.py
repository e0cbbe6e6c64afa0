"""What a row tells of its round: its table, gaming day, time and name."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

from producers.mapping.cell_reader import CellReader
from producers.mapping.cells import (
    COMPLETE_DATE,
    NotReadable,
    read_day,
    read_fraction,
    read_number,
    require_year,
    shown,
)
from producers.mapping.map_file import COUNTED
from producers.mapping.source import Row
from replayer.sources.layout import require_table_id
from schemas.event import micros, moment

_COMPLETE_TIME: Final = re.compile(COMPLETE_DATE + r".\d\d:?\d\d")
"""The beginning of a complete time of ISO 8601; for a missing part the parser would assume the first."""
_FIRST_COUNTED: Final = 1971
"""The first year of a count from 1970: seconds taken for milliseconds end up in its first weeks."""
_EXAMPLES: Final = {"iso": "2026-01-05T21:14:00", "unix": "seconds since 1970", "unix_ms": "milliseconds since 1970"}


class RoundFacts:
    """Reads the facts of a round in its rows."""

    def __init__(self, reader: CellReader) -> None:
        self._reader = reader
        self._table = reader.plan.table

    def round_name(self, row: Row) -> str:
        """The source's name or number of the round; the line where it has none."""
        cell = self._reader.cell(row, "round")
        if cell is None:
            return str(row.line)
        if self._table.named_rounds:
            name = cell.strip() if isinstance(cell, str) else ""
            if not name:
                raise self._reader.cell_fault(row, "round", f"{shown(cell)} is no name of a round")
            return name
        try:
            return str(read_number(cell))
        except NotReadable as error:
            message = f"{error}; where rounds have names, set [table] named_rounds = true"
            raise self._reader.cell_fault(row, "round", message) from None

    def table_id(self, row: Row) -> str:
        """The table that the row belongs to."""
        table_id = self._table.id or self._reader.text(row, "table")
        with self._reader.readable(row, "table"):
            require_table_id(table_id)
        return table_id

    def time(self, row: Row) -> int | None:
        """The beginning of the round in UTC microseconds; None where the source has no times."""
        if "time" not in self._reader.plan.columns:
            return None
        facts = [fact for fact in ("date", "time") if fact in self._reader.plan.columns]
        text = " ".join(self._reader.text(row, fact) for fact in facts)
        form, zone = self._table.time_format, self._table.gaming_days.zone
        try:
            if form in COUNTED:
                began = moment(int(read_fraction(text) * COUNTED[form]))
                if began.year < _FIRST_COUNTED:
                    raise ValueError("seconds, taken for milliseconds")
            elif form == "iso" and not _COMPLETE_TIME.match(text):
                raise ValueError("a day or an hour alone")
            else:
                began = dt.datetime.fromisoformat(text) if form == "iso" else dt.datetime.strptime(text, form)  # noqa: DTZ007
            require_year(began)
        except (ValueError, OverflowError):
            message = (
                f"{shown(text)} is no time like {_EXAMPLES.get(form, form)}; see [table] time_format, [columns] date"
            )
            raise self._reader.cell_fault(row, "time", message) from None
        if began.tzinfo is None:
            began = began.replace(tzinfo=zone)
            before, after = began.utcoffset(), began.replace(fold=1).utcoffset()
            if before != after:
                what = "came twice" if before > after else "never came"  # type: ignore[operator]
                message = (
                    f"{shown(text)} {what} in {zone}, whose clocks were set then; write it with its offset from UTC"
                )
                raise self._reader.cell_fault(row, "time", message)
        return micros(began)

    def gaming_day(self, row: Row, at: int | None) -> dt.date:
        """The gaming day that the row belongs to; ``at`` decides where no column names it."""
        if self._table.gaming_day is not None:
            return self._table.gaming_day
        cell = self._reader.cell(row, "day")
        if cell is None and at is not None:
            return self._table.gaming_days.of(at)
        try:
            return read_day(str(cell).strip())
        except ValueError:
            raise self._reader.cell_fault(row, "day", f"{shown(cell)} is no gaming day; write 2026-01-05") from None
