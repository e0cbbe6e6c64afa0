"""An article of a regulation as a record that can cite itself, a game's regulation, and a version of it with its dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from replayer.law.choice import Choice

if TYPE_CHECKING:
    from replayer.law.authorisation import Authorisation

Paragraph: TypeAlias = tuple[int | str, ...]
"""Where in its article something stands: paragraph, item, sub-item."""


@dataclass(frozen=True)
class Provision:
    """One article: the instrument (``57/2009``), its number, what it says in one line, its name in PT and ZH. Its rules are the
    methods of its subclass.

    Attributes:
        choices: what the article leaves to the house.
        amended_by: the instrument that made the article's present text.
        assumed: what is assumed of an article that is modelled without all of its text; empty where that is at hand.
        numbered: whether its paragraphs have numbers; without, a citation names the article only.
    """

    instrument: str
    number: int
    gloss: str
    pt: str
    zh: str
    choices: tuple[Choice, ...] = field(default=(), kw_only=True)
    amended_by: str = field(default="", kw_only=True)
    assumed: str = field(default="", kw_only=True)
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


@dataclass(frozen=True, eq=False)
class Regulation:
    """A regulation (PT regulamento oficial, ZH 法定規章), one field a provision. An article on several subjects is several
    provisions, each with its number.

    Records are compared by identity, so that looking up equal rules compares no provision.

    Attributes:
        authorisation: the article that requires permission for the house's options; None where none does.
    """

    authorisation: Authorisation | None = field(default=None, kw_only=True)

    @cached_property
    def provisions(self) -> Mapping[str, Provision]:
        """The provisions by subject, in the order of the law."""
        held = {each.name: getattr(self, each.name) for each in fields(self)}
        there = {subject: provision for subject, provision in held.items() if provision is not None}
        return dict(sorted(there.items(), key=lambda each: each[1].number))

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """What the provisions leave to the house."""
        return tuple(chain.from_iterable(provision.choices for provision in self.provisions.values()))

    @cached_property
    def needing_permission(self) -> Mapping[str, tuple[Choice, Paragraph]]:
        """The choices that need permission, by name, with the paragraph of :attr:`authorisation` that requires it."""
        permission = self.authorisation
        if permission is None:
            return {}
        return {
            choice.name: (choice, paragraph)
            for provision in self.provisions.values()
            for choice in provision.choices
            if (paragraph := permission.paragraph(provision.number, choice.name)) is not None
        }


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a game's regulation and its dates. ``certainty`` says how sure these are.

    ``in_force`` is the first day; each date is empty where there is none. ``regulation`` is None where the text is not at hand:
    then ``not_settled`` says why rounds are replayed and not settled. ``rulings`` are those on the instrument itself, apart from
    its articles.
    """

    id: str
    game: str
    instruments: tuple[str, ...]
    certainty: str
    signed: str = ""
    published: str = ""
    in_force: str = ""
    rulings: tuple[str, ...] = ()
    not_settled: str = ""
    regulation: Regulation | None = field(default=None, compare=False)
