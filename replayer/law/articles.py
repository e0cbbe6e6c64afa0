"""A version of a regulation read article by article: its provisions, its choices and the rulings on each article."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from replayer.law.calendar import VERSIONS, version_named
from replayer.law.choice import Choice
from replayer.law.regulation import Provision, Version
from replayer.law.rulings import Ruling, UnknownRuling, register

ANY: Final = "*"
"""Every game, or every version, in the register of rulings."""


@dataclass(frozen=True, slots=True)
class Article:
    """An article of a version; ``provisions`` are what it says, by subject."""

    provisions: Mapping[str, Provision]

    @property
    def number(self) -> int:
        """Its number; 0 for a house rule, which has none."""
        return self.parts[0].number

    @property
    def parts(self) -> tuple[Provision, ...]:
        """Its provisions."""
        return tuple(self.provisions.values())

    @property
    def gloss(self) -> str:
        """What it says, in a line."""
        return "; ".join(part.gloss for part in self.parts)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What it leaves to the house."""
        return tuple(choice for part in self.parts for choice in part.choices)

    @property
    def amended_by(self) -> str:
        """The instrument that made its present text; empty where it was not amended."""
        return next((part.amended_by for part in self.parts if part.amended_by), "")

    @property
    def assumption(self) -> str:
        """What is assumed of an article that is modelled without all of its text; empty where that is at hand."""
        return next((part.assumed for part in self.parts if part.assumed), "")


def find_version(name: str) -> Version:
    """The version of an id (``bj.57-2009``) or of the instruments that made it (``57/2009``, ``56/2004+42/2007``).

    One instrument names the version that it brought about: ``42/2007`` is 56/2004 as amended by it.

    Raises:
        UnknownVersion: there is none; the message lists what there is.
    """
    for version in VERSIONS:
        if name in ("+".join(version.instruments), version.instruments[-1]):
            return version
    return version_named(name)


def articles(version: Version) -> tuple[Article, ...]:
    """Every article of a version in the order of the law; none where its text is not at hand."""
    by_article = groupby(subjects(version).items(), lambda each: each[1].number or each[0])
    return tuple(Article(dict(provisions)) for _, provisions in by_article)


def subjects(version: Version) -> Mapping[str, Provision]:
    """The provisions of a version's articles by subject. House rules have no articles: each is listed."""
    if version.regulation is None:
        return {}
    law = version.regulation.provisions.items()
    return {name: provision for name, provision in law if provision.number or not version.in_force}


def rulings_of(version: Version) -> Iterator[tuple[Ruling, tuple[int, ...]]]:
    """The rulings that touch a version, each with the articles in question, by the numbers of this version.

    The register cites the latest text that has the doubt; where this version has other numbers, the cited article's subject
    leads to its own. A ruling about no article in particular has none.
    """
    for ruling in register().values():
        if ruling.game in (ANY, version.game) and {ANY, version.id} & {*ruling.versions}:
            yield ruling, _numbers(ruling, version)


def require_question(ruling: Ruling, version: Version) -> None:
    """Refuse a ruling on a text that a version does not have; house rules, which have no date, may take any of their game's.

    Raises:
        UnknownRuling: nothing under that version depends on it; the message names the versions that have the text.
    """
    of_game = ruling.game in (ANY, version.game)
    if of_game and (not version.in_force or {ANY, version.id} & {*ruling.versions}):
        return
    versions = ", ".join(ruling.versions)
    raise UnknownRuling(f"{ruling.id} is no doubt of {version.id}: its text is one of {versions}")


def _numbers(ruling: Ruling, version: Version) -> tuple[int, ...]:
    own = {provision.number for provision in subjects(version).values() if provision.number}
    numbers: list[int] = []
    for instrument, cited in _citations(ruling.article):
        if instrument in version.instruments:
            numbers += cited
        elif any(instrument in other.instruments and other.game == version.game for other in VERSIONS):
            numbers += [there for number in cited for there in _counterparts(instrument, number, version)]
    return tuple(number for number in dict.fromkeys(numbers) if number in own)


def _counterparts(instrument: str, number: int, version: Version) -> list[int]:
    theirs = subjects(next(other for other in VERSIONS if instrument in other.instruments))
    ours = subjects(version)
    return [ours[name].number for name, provision in theirs.items() if provision.number == number and name in ours]


def _citations(text: str) -> Iterator[tuple[str, list[int]]]:
    """Instruments and article numbers of a citation.

    >>> list(_citations("57/2009 arts. 10(6), 11(1)(2), 12(2)"))
    [('57/2009', [10, 11, 12])]
    >>> list(_citations("78/2008 art. 9(5); 97/2008 art. 9(4)"))
    [('78/2008', [9]), ('97/2008', [9])]
    """
    for part in text.split(";"):
        found = re.match(r"\s*(\d+/\d{4}) arts?\. ([\d, ()]+)", part)
        if found is not None:
            plain = re.sub(r"\([^)]*\)", "", found[2])
            yield found[1], [int(number) for number in dict.fromkeys(re.findall(r"\d+", plain))]
