"""Reads the rows of a foreign log, CSV or JSON lines, each with its line number and text."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

from producers.mapping.cells import JsonNumber
from producers.mapping.map_file import Map
from producers.mapping.row import Fault, Row
from replayer.sources.safe_files import MOST_LOG, read_file
from replayer.sources.safe_texts import TextRefused, each_once, no_number

_MOST_LETTERS: Final = 1 << 20
"""Characters of a line of JSON, as many as eight cells of CSV may have: one of a hundred million is read for minutes."""
_LINE: Final = re.compile(r"[^\r\n]*+(?:\r\n?|\n)|[^\r\n]++")
"""A line with its end, as CSV has lines: ``str.splitlines`` would break cells at other characters, too."""
_PACKED: Final = (b"\x1f\x8b", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"PAR1", b"ARROW1")
"""How files of gzip and zip begin, and so those of spreadsheets; older spreadsheets, Parquet and Arrow."""


class SourceUnreadable(ValueError):
    """The file as a whole cannot be read with this map; the message names file and place and says what to do."""


class Log:
    """A foreign log, read once: its system may go on writing it. A row can be read again, so that those of a long log need not
    stand in memory, cell by cell, until their rounds are complete.

    Raises SourceUnreadable where there is no such file, it is of another encoding, empty, or lacks a mapped column.

    Attributes:
        sha256: of its bytes; ``open_end``: whether its last line has no end.
        found: the facts that its rows have, which these add as they are read.
    """

    def __init__(self, file: Path, plan: Map) -> None:
        try:
            data = read_file(file, MOST_LOG)
        except OSError as error:
            raise SourceUnreadable(f"{file}: {error.strerror}") from None
        if data.startswith(_PACKED):
            raise SourceUnreadable(f"{file}: it is packed, a spreadsheet or Parquet; unpack it, or save it as CSV")
        self.plan = plan
        self.sha256 = hashlib.sha256(data).hexdigest()
        self.found: set[str] = set()
        self._lines: list[str] = _LINE.findall(_decoded(file, data, plan.source.encoding))
        if not any(map(str.strip, self._lines)):
            raise SourceUnreadable(f"{file}, line 1: the file is empty; nothing was imported")
        self.open_end = not self._lines[-1].endswith(("\n", "\r"))
        self._header, self._behind_header = self._read_header(file) if plan.source.format == "csv" else ([], 0)
        self._lists = {plan.column(fact, seat) for fact in _LISTS for seat in plan.source.seats or (None,)}

    def rows(self) -> Iterator[Row | Fault]:
        """Its rows in order, and faults for bad ones."""
        line = self._behind_header
        while line < len(self._lines):
            row, behind = self._read(line + 1)
            if row is not None:
                yield row
            line = behind

    def row(self, line: int) -> Row:
        """A good row again, which begins in a line."""
        return cast("Row", self._read(line)[0])

    def _read(self, line: int) -> tuple[Row | Fault | None, int]:
        """What stands in a line, and the last line that it takes; None where the line is blank."""
        return self._read_cells(line) if self._header else (self._read_object(line), line)

    def _reader(self, line: int) -> Any:
        lines = map(self._lines.__getitem__, range(line - 1, len(self._lines)))
        return csv.reader(lines, delimiter=self.plan.source.delimiter, strict=True)

    def _read_header(self, file: Path) -> tuple[list[str], int]:
        """The names of the columns, and the line that they end in."""
        reader = self._reader(1)
        try:
            header = list(self.plan.source.header) or [name.strip() for name in next(filter(None, reader))]
        except csv.Error as error:
            raise SourceUnreadable(f"{file}, line {reader.line_num}: no CSV: {error}; {_QUOTE}") from None
        _require_columns(f"{file}, line {reader.line_num or 1}", header, self.plan)
        return header, reader.line_num

    def _read_cells(self, line: int) -> tuple[Row | Fault | None, int]:
        reader, header = self._reader(line), self._header
        try:
            cells, wrong = next(reader), ""
        except csv.Error as error:
            cells, wrong = [], f"no CSV: {error}; {_QUOTE}"
        last = line - 1 + reader.line_num
        text = self._lines[line - 1] if last == line else "".join(self._lines[line - 1 : last])
        if wrong:
            return Fault(line, "", wrong, text), last
        text = text.rstrip("\r\n")
        if not cells:
            return None, last
        if len(cells) != len(header):
            column = header[len(cells)] if len(cells) < len(header) else ""
            reason = f"{len(cells)} cells where the header has {len(header)}; look for a missing or surplus delimiter"
            return Fault(line, column, reason, text), last
        if last > line and (broken := _multiline_column(header, cells, self._lists)) is not None:
            # Legal CSV, but also the result of a surplus quote, by which the following rows would be lost unnoticed.
            return Fault(line, broken, f"a cell runs on to line {last}, over the rows between; {_QUOTE}", text), last
        return Row(self.plan, self.found, line, text, (dict(zip(header, cells, strict=True)),)), last

    def _read_object(self, line: int) -> Row | Fault | None:
        text = self._lines[line - 1].strip()
        if not text:
            return None
        if len(text) > _MOST_LETTERS:
            return Fault(line, "", f"it has {len(text)} characters; a round's object has {_MOST_LETTERS} at most", text)
        try:
            row = json.loads(
                text,
                parse_float=JsonNumber,
                parse_int=JsonNumber,
                parse_constant=no_number,
                object_pairs_hook=each_once,
            )
        except (json.JSONDecodeError, TextRefused, RecursionError) as error:
            return Fault(line, "", f"no JSON: {error}; each line must be one whole object", text)
        if not isinstance(row, dict):
            return Fault(line, "", "a line must be one JSON object, not a list of them or a part of one", text)
        return Row(self.plan, self.found, line, text, (row,))


_QUOTE: Final = "look for a missing or surplus quote"
_LISTS: Final = ("cards", "bank", "decisions", "seats", "hands")
"""Facts whose cells may have line breaks between their parts; a cell that has swallowed rows cannot be read."""


def _multiline_column(header: Iterable[str], cells: Iterable[str], lists: Collection[str | None]) -> str | None:
    """The first column, except lists, whose cell has a line break; None where there is none."""
    columns = zip(header, cells, strict=True)
    return next((name for name, cell in columns if name not in lists and ("\n" in cell or "\r" in cell)), None)


def _decoded(file: Path, data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        message = (
            f"the bytes {data[error.start : error.end].hex()} are not {encoding}; name the right [source] encoding"
        )
        raise SourceUnreadable(f"{file}, line {line}, byte {column}: {message}") from None
    except UnicodeError as error:
        raise SourceUnreadable(f"{file}, line 1: {error}; name the right [source] encoding") from None
    if not data.isascii():
        with suppress(UnicodeDecodeError):  # by chance no text of another encoding is UTF-8
            if data.decode().removeprefix("\ufeff") != text:
                raise SourceUnreadable(f"{file}: it is UTF-8, not {encoding}; name that as [source] encoding")
    return text


def _require_columns(place: str, header: list[str], plan: Map) -> None:
    twice = next((name for name, columns in Counter(header).items() if columns > 1), None)
    if twice is not None:
        raise SourceUnreadable(f"{place}: two columns are named {twice!r}; rename one")
    for fact in plan.columns:
        for seat in plan.source.seats or (None,):
            name = plan.column(fact, seat)
            if name is not None and name not in header:
                message = f"no column {name!r}, which {plan.path} maps to {fact}; there are {', '.join(header)}"
                if not plan.source.header:
                    message += "; take out lines above the header"
                of_file = header[0] if len(header) == 1 and not plan.source.header else ""
                if others := [each for each in ";\t|," if each != plan.source.delimiter and each in of_file]:
                    apart = max(others, key=of_file.count)
                    message = (
                        f"its cells stand apart by {apart!r}; write delimiter = {json.dumps(apart)} under [source]"
                    )
                raise SourceUnreadable(f"{place}: {message}")
