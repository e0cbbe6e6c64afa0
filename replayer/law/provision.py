"""An article of a regulation as a record that can cite itself. Its rules are the methods of its subclass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from replayer.law.choice import Choice

Paragraph: TypeAlias = tuple[int | str, ...]
"""Where in its article something stands: paragraph, item, sub-item."""


@dataclass(frozen=True)
class Provision:
    """One article: the instrument (``57/2009``), its number, what it says in one line, its name in PT and ZH.

    Attributes:
        choices: what the article leaves to the house.
        amended_by: the instrument that made the article's present text.
        numbered: whether its paragraphs have numbers; without, a citation names the article only.
    """

    instrument: str
    number: int
    gloss: str
    pt: str
    zh: str
    choices: tuple[Choice, ...] = field(default=(), kw_only=True)
    amended_by: str = field(default="", kw_only=True)
    numbered: bool = field(default=True, kw_only=True)

    def cite(self, *paragraph: int | str) -> str:
        """The citation of the article, or of a paragraph, item, sub-item in it.

        A rule that no law numbers has the number 0 and cites its instrument alone.

        >>> Provision("57/2009", 10, "Black Jack", "«Black Jack»", "《Black Jack》").cite(2)
        '57/2009 art. 10(2)'
        >>> Provision("56/2004", 6, "", "", "", amended_by="42/2007").cite()
        '56/2004 art. 6 (42/2007)'
        """
        if not self.number:
            return self.instrument
        steps = "".join([f"({step})" for step in paragraph]) if paragraph and self.numbered else ""
        amended = f" ({self.amended_by})" if self.amended_by else ""
        return f"{self.instrument} art. {self.number}{steps}{amended}"
