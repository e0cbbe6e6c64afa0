"""Makes texts from logs safe to show: invisible characters, terminal escapes and direction overrides are replaced by a mark."""

from __future__ import annotations

import unicodedata
from typing import Final

MARK: Final = "\ufffd"
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of control and format characters, of halves of characters, of separators of lines and paragraphs."""


def visible(text: str, keep: str = "") -> str:
    r"""The text with a mark for every character that cannot be seen or stand in XML, but for those in ``keep``.

    Whoever writes a log may write any text into it: escapes that command a terminal, overrides that turn the order of the
    letters after them, halves of characters that no file takes, characters on which a renderer of drawings gives up.

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
    no_character = point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF  # by Unicode's definition, and not in XML
    return not no_character and unicodedata.category(letter) not in _UNSEEN
