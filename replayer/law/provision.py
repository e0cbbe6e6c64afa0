"""An article of a regulation as a record that can cite itself. The rule stands in the subclass, as methods."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Provision:
    """One article: the instrument (``57/2009``), its number, what it says in one line, its name in PT and ZH.

    ``amended_by`` names the instrument whose words stand in this article now. Number 0 is for rules that no law numbers.
    """

    instrument: str
    number: int
    gloss: str
    pt: str
    zh: str
    amended_by: str = field(default="", kw_only=True)

    def cite(self, *path: int) -> str:
        """The citation of the article, or of a paragraph, item, sub-item in it.

        >>> Provision("57/2009", 10, "Black Jack", "«Black Jack»", "《Black Jack》").cite(2)
        '57/2009 art. 10(2)'
        >>> Provision("56/2004", 6, "", "", "", amended_by="42/2007").cite()
        '56/2004 art. 6 (42/2007)'
        """
        if not self.number:
            return self.instrument
        amended = f" ({self.amended_by})" if self.amended_by else ""
        return f"{self.instrument} art. {self.number}{''.join(f'({step})' for step in path)}{amended}"


@dataclass(frozen=True)
class NotModelled(Provision):
    """An article without consequence for money or for the log; ``reason`` says why nothing follows from it here."""

    reason: str
