"""A version of a regulation read article by article: its provisions, its choices and the rulings on each article."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final

from replayer.law.calendar import NOT_SETTLED, VERSIONS, version_named
from replayer.law.choice import Choice
from replayer.law.provision import NotModelled, Provision
from replayer.law.regulation import Version
from replayer.law.rulings import Ruling, UnknownRuling, register

_FIELD: Final = re.compile(r"art(\d+)")
ANY: Final = "*"
"""Every game, or every version, in the register of rulings."""


@dataclass(frozen=True, slots=True)
class Article:
    """An article of a version. ``field`` is its name in the regulation's record, ``record`` the provision itself."""

    number: int
    field: str
    record: Provision

    @property
    def not_modelled(self) -> str:
        """Why the article is not modelled; empty where it is."""
        return self.record.reason if isinstance(self.record, NotModelled) else ""

    @property
    def assumption(self) -> str:
        """What is assumed of an article that is modelled without its text; empty where the text is at hand."""
        unverified = getattr(self.record, "unverified", "")
        return getattr(self.record, "assumed", "") or (unverified and f"the text of {unverified} is not at hand")

    @property
    def parts(self) -> tuple[Provision, ...]:
        """The article's record and those of its parts, where one article holds several subjects."""
        return (self.record, *_nested(self.record))


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


def why_not_settled(version: Version) -> str:
    """Why rounds under a version are not settled; empty where they are."""
    return NOT_SETTLED[version.id] if version.regulation is None else ""


def articles(version: Version) -> tuple[Article, ...]:
    """Every article of a version in the order of the law; none where its text is not at hand."""
    if version.regulation is None:
        return ()
    found = [(_FIELD.fullmatch(each.name), each.name) for each in fields(version.regulation)]
    return tuple(
        Article(int(match[1]), name, getattr(version.regulation, name)) for match, name in found if match is not None
    )


def subjects(version: Version) -> Mapping[str, tuple[int, Provision]]:
    """The provisions of a version by subject, each with the number of the article that holds it.

    In a game whose versions share one numbering each article is a subject.
    """
    law = articles(version)
    by_subject = version.regulation.subjects if version.regulation else {}
    if not by_subject:
        return {article.field: (article.number, article.record) for article in law}
    found: dict[str, tuple[int, Provision]] = {}
    for name, provision in by_subject.items():
        for article in law:
            if any(part is provision for part in article.parts):
                found[name] = (article.number, provision)
    held = {number for number, _ in found.values()}
    return found | {
        article.record.pt: (article.number, article.record) for article in law if article.number not in held
    }


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
    own = {article.number for article in articles(version)}
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
    return [ours[name][0] for name, (place, _) in theirs.items() if place == number and name in ours]


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


def choices_of(version: Version) -> Mapping[str, tuple[int, Choice]]:
    """The choices that a version leaves to the house, by name, each with the number of its article."""
    return {choice.name: (article.number, choice) for article in articles(version) for choice in article.record.choices}


def described(choice: Choice) -> str:
    """A choice in a line: its values, the default first, or its bounds.

    >>> from replayer.law.choice import Count, OneOf
    >>> described(OneOf("device", ("shoe", "box"))), described(Count("decks", 6, 1))
    ('shoe, box', '1 at least, usually 6')
    """
    match {each.name: getattr(choice, each.name) for each in fields(choice)}:
        case {"values": values, "usual": usual}:
            return f"any of {', '.join(values)}; usually {', '.join(usual) or 'none'}"
        case {"values": values}:
            return ", ".join(values) + ("" if choice.default is not None else "; elected by nobody")
        case {"on": on}:
            return "on, off" if on else "off, on"
        case {"usual": usual, "low": low, "high": high}:
            bounds = f"{low} at least" if high is None else f"{low} to {high}"
            return f"{bounds}, usually {'none' if usual is None else usual}"
        case {"low": low, "high": high}:
            return f"{low} to {high} of the stake"
        case {"usual": usual}:
            return f"to one, usually {usual}"
    return "an amount" if type(choice).__name__ == "Amount" else "words"


def _nested(record: Provision) -> tuple[Provision, ...]:
    """The provisions in the fields of a composite article."""
    if record.pt or record.zh:  # an article with a subject of its own; a provision in its fields is another article
        return ()
    inside = (getattr(record, each.name) for each in fields(record))
    return tuple(value for value in inside if isinstance(value, Provision))
