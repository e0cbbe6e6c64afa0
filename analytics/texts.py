"""How figures and texts are shown to people: amounts, counts and ratios, texts out of logs, and tables of them.

A log may hold any text, so invisible characters, terminal escapes and direction overrides are replaced by a mark.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import Final

from schemas.money import DECIMALS

NOTHING: Final = "–"
"""Shown where there is no figure, as opposed to zero."""
MARK: Final = "\ufffd"
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of control and format characters, surrogates, line and paragraph separators."""


def amount(minor: int | None, *, sign: bool = False) -> str:
    """Minor units as major ones with thousands separators and always the same decimals.

    >>> amount(123456789), amount(-5), amount(250000, sign=True), amount(None)
    ('1,234,567.89', '-0.05', '+2,500.00', '–')
    """
    if minor is None:
        return NOTHING
    mark = "-" if minor < 0 else "+" if sign and minor > 0 else ""
    major, rest = divmod(abs(minor), 10**DECIMALS)
    return f"{mark}{major:,}.{rest:0{DECIMALS}d}"


def count(number: int | None) -> str:
    """A count with thousands separators.

    >>> count(1234567)
    '1,234,567'
    """
    return NOTHING if number is None else f"{number:,}"


def percent(ratio: float | None) -> str:
    """A ratio in per cent with thousands separators; 0.0 has no sign.

    >>> percent(0.1834), percent(6123.835), percent(-0.0001), percent(None)
    ('18.3 %', '612,383.5 %', '0.0 %', '–')
    """
    return NOTHING if ratio is None else f"{100 * ratio:z,.1f} %"


def visible(text: str, keep: str = "") -> str:
    r"""The text with a mark for every character that is invisible or not allowed in XML, except those in ``keep``.

    A log may contain any text: terminal escapes, direction overrides that reorder the letters after them, surrogates that no file
    encodes, characters that the renderer of drawings rejects.

    >>> visible("D1\x1b[2J\u202e\ud800\ufffe 陳")
    'D1�[2J��� 陳'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if letter in keep or _is_seen(letter) else MARK for letter in text)


def label(text: str, most: int) -> str:
    r"""A visible text on one line and at most ``most`` characters long, an ellipsis at the end of one that is cut.

    >>> label("a long\nname", 20), label("a long\nname", 7)
    ('a long name', 'a long…')
    """
    line = " ".join(visible(text[: 4 * most], "\n\t\r").split())
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1] + "…"


def _is_seen(letter: str) -> bool:
    point = ord(letter)
    no_character = point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF  # Unicode's noncharacters, not allowed in XML
    return not no_character and unicodedata.category(letter) not in _UNSEEN


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts. Columns whose names begin with ``#`` are of figures, to be aligned to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.removeprefix("#") for column in self.columns]

    @property
    def figures(self) -> list[int]:
        """The places of the columns of figures."""
        return [place for place, column in enumerate(self.columns) if column.startswith("#")]

    def without_empty_columns(self) -> Grid:
        """The grid without its empty columns; the first is kept."""
        if not self.rows:
            return self
        columns = zip(self.columns, *self.rows, strict=True)
        shown = [column for place, column in enumerate(columns) if not place or any(column[1:])]
        names, *rows = zip(*shown, strict=True)
        return replace(self, columns=names, rows=tuple(rows))
