"""Reads the rows of a foreign log, CSV or JSON lines, each with its line number and text."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from producers.mapping.cells import JsonNumber
from producers.mapping.map_file import Map
from producers.mapping.row import Fault, Row
from replayer.sources.safe_files import MOST_LOG, read_file
from replayer.sources.safe_texts import TextRefused, each_once, no_number

_MOST_LETTERS: Final = 1 << 20
"""Characters of a line of JSON, as many as eight cells of CSV may have: one of a hundred million is read for minutes."""
_PACKED: Final = (b"\x1f\x8b", b"PK\x03\x04")
"""How files of gzip and zip begin, and so those of spreadsheets."""


class SourceUnreadable(ValueError):
    """The file as a whole cannot be read with this map; the message names file and place and says what to do."""


def read_log(file: Path, encoding: str) -> tuple[str, str]:
    """The text of a log and the SHA-256 of its bytes, read once: its system may go on writing it. Raises SourceUnreadable where
    there is no such file, or it is of another encoding."""
    try:
        data = read_file(file, MOST_LOG)
    except OSError as error:
        raise SourceUnreadable(f"{file}: {error.strerror}") from None
    if data.startswith(_PACKED):
        raise SourceUnreadable(f"{file}: it is packed, or a spreadsheet; unpack it, or save it as CSV")
    return _decoded(file, data, encoding), hashlib.sha256(data).hexdigest()


def read_rows(file: Path, text: str, plan: Map, found: set[str]) -> Iterator[Row | Fault]:
    """The rows of a log, which add to ``found`` the facts that they have, and faults for bad ones. Raises SourceUnreadable where
    it is empty, or lacks a mapped column."""
    if not text.strip():
        raise SourceUnreadable(f"{file}, line 1: the file is empty; nothing was imported")
    lines = io.StringIO(text, newline="").readlines()
    made = partial(Row, plan, found)
    yield from _csv_rows(file, lines, plan, made) if plan.source.format == "csv" else _json_rows(lines, made)


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


def _csv_rows(file: Path, lines: list[str], plan: Map, made: Callable[..., Row]) -> Iterator[Row | Fault]:
    reader = csv.reader(lines, delimiter=plan.source.delimiter, strict=True)
    try:
        header = list(plan.source.header) or [name.strip() for name in next(filter(None, reader))]
    except csv.Error as error:
        raise SourceUnreadable(f"{file}, line {reader.line_num}: no CSV: {error}; {_QUOTE}") from None
    _require_columns(f"{file}, line {reader.line_num or 1}", header, plan)
    lists = {plan.column(fact, seat) for fact in _LISTS for seat in plan.source.seats or (None,)}
    while True:
        first = reader.line_num
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield Fault(first + 1, "", f"no CSV: {error}; {_QUOTE}", "".join(lines[first : reader.line_num]))
            continue
        if cells is None:
            return
        text = "".join(lines[first : reader.line_num]).rstrip("\r\n")
        if not cells:
            continue
        if len(cells) != len(header):
            column = header[len(cells)] if len(cells) < len(header) else ""
            reason = f"{len(cells)} cells where the header has {len(header)}; look for a missing or surplus delimiter"
            yield Fault(first + 1, column, reason, text)
        elif reader.line_num > first + 1 and (broken := _multiline_column(header, cells, lists)) is not None:
            # Legal CSV, but also the result of a surplus quote, by which the following rows would be lost unnoticed.
            reason = f"a cell runs on to line {reader.line_num}, over the rows between; {_QUOTE}"
            yield Fault(first + 1, broken, reason, text)
        else:
            yield made(first + 1, text, (dict(zip(header, cells, strict=True)),))


_QUOTE: Final = "look for a missing or surplus quote"
_LISTS: Final = ("cards", "bank", "decisions", "seats", "hands")
"""Facts whose cells may have line breaks between their parts; a cell that has swallowed rows cannot be read."""


def _multiline_column(header: Iterable[str], cells: Iterable[str], lists: Collection[str | None]) -> str | None:
    """The first column, except lists, whose cell has a line break; None where there is none."""
    columns = zip(header, cells, strict=True)
    return next((name for name, cell in columns if name not in lists and ("\n" in cell or "\r" in cell)), None)


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


def _json_rows(lines: list[str], made: Callable[..., Row]) -> Iterator[Row | Fault]:
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text:
            continue
        if len(text) > _MOST_LETTERS:
            yield Fault(
                number, "", f"it has {len(text)} characters; a round's object has {_MOST_LETTERS} at most", text
            )
            continue
        try:
            row = json.loads(
                text,
                parse_float=JsonNumber,
                parse_int=JsonNumber,
                parse_constant=no_number,
                object_pairs_hook=each_once,
            )
        except (json.JSONDecodeError, TextRefused, RecursionError) as error:
            yield Fault(number, "", f"no JSON: {error}; each line must be one whole object", text)
            continue
        if isinstance(row, dict):
            yield made(number, text, (row,))
        else:
            yield Fault(number, "", "a line must be one JSON object", text)
