"""Makes texts from logs safe to show: invisible characters, terminal escapes and direction overrides are replaced by a mark."""

from __future__ import annotations

import unicodedata
from typing import Final

MARK: Final = "\ufffd"
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of control and format characters, surrogates, line and paragraph separators."""


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
