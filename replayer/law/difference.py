"""What changed between two versions of a game's regulation, article by article, by comparing their records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from inspect import getdoc
from typing import Final

from replayer.law.articles import subjects
from replayer.law.regulation import Provision, Version
from schemas.plural import spoken

_OF_THE_ARTICLE: Final = frozenset({"instrument", "number", "numbered", "choices", "assumed"})
"""Fields not compared: those of an article's place, its options, which are compared by their own names, and what is assumed of
it, which no law changed."""
_GLOSSES: Final[Mapping[str, str]] = {
    "gloss": "in one line",
    "pt": "term in Portuguese",
    "zh": "term in Chinese",
    "amended_by": "amended by",
}
_ENTRY: Final = re.compile(r"^ {4}(\w+): ((?:.+)(?:\n {8}.+)*)", re.MULTILINE)


class NotComparable(ValueError):
    """The two versions are not texts of one game that can be compared; the message says why."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that changed. ``before`` is empty where it is new, ``after`` where it is gone."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ArticleDifference:
    """An article before and after; a number is None where there is none. ``changes`` is empty where nothing changed."""

    before: int | None
    after: int | None
    gloss: str
    changes: tuple[Change, ...] = ()

    @property
    def kind(self) -> str:
        """``added``, ``removed``, ``changed`` or ``unchanged``."""
        if self.before is None or self.after is None:
            return "added" if self.before is None else "removed"
        return "changed" if self.changes else "unchanged"


def differences(before: Version, after: Version) -> tuple[ArticleDifference, ...]:
    """Every subject of both versions with its articles, in the order of the later one, those that are gone at the end.

    Raises:
        NotComparable: the versions are of two games, or the text of one is not at hand.
    """
    for version in (before, after):
        if version.not_settled:
            raise NotComparable(f"{version.id} cannot be compared: {version.not_settled}")
    if before.game != after.game:
        raise NotComparable(f"{before.id} and {after.id} are of two games, {before.game} and {after.game}")
    old, new = subjects(before), subjects(after)
    options = list(_options(old, new))
    made = []
    for subject in {**new, **old}:
        left, right = old.get(subject), new.get(subject)
        changes = list(_compared(left, right)) if left and right else []
        changes += [change for of, change in options if of == subject]
        was, now = (each.number if each else None for each in (left, right))
        made.append(ArticleDifference(was, now, (new.get(subject) or old[subject]).gloss, tuple(changes)))
    return tuple(sorted(made, key=lambda each: (each.after is None, each.after or each.before or 0)))


def _options(before: Mapping[str, Provision], after: Mapping[str, Provision]) -> Iterator[tuple[str, Change]]:
    """Options that came, went or changed, each with the subject under which it stands, or stood last."""
    old, new = (
        {choice.name: (subject, choice) for subject, provision in law.items() for choice in provision.choices}
        for law in (before, after)
    )
    for name, (subject, _) in (new | old | new).items():
        said = [law[name][1].described if name in law else "" for law in (old, new)]
        if said[0] != said[1]:
            yield subject, Change(f"option {name}", *said)


def _compared(before: Provision, after: Provision) -> Iterator[Change]:
    """The fields in which two records differ, and the rules in which their classes do."""
    glosses = {**_field_glosses(type(before)), **_field_glosses(type(after)), **_GLOSSES}
    both = [*fields(after), *fields(before)]
    places_in_it = {each.name for each in both if "Paragraph" in str(each.type)}
    for name in dict.fromkeys(each.name for each in both):
        if name in _OF_THE_ARTICLE:
            continue
        was, now = (getattr(record, name, None) for record in (before, after))
        what = glosses.get(name, spoken(name))
        if isinstance(was, Provision) or isinstance(now, Provision):
            continue  # another article, compared in its own place
        if name in places_in_it:
            if was != now:
                places = (_place(each) if record.numbered else "" for each, record in ((was, before), (now, after)))
                yield Change(f"{what}: paragraph", *places)
        elif is_dataclass(was) and is_dataclass(now) and was != now:
            yield Change(what, _first_line(type(was)), _first_line(type(now)))
        elif isinstance(was, Mapping) and isinstance(now, Mapping):
            for key in {**now, **was}:
                if was.get(key) != now.get(key):
                    yield Change(f"{what}: {key}", _value_text(was.get(key)), _value_text(now.get(key)))
        elif was != now:
            yield Change(what, _value_text(was), _value_text(now))
    yield from _rules(type(before), type(after))


def _rules(before: type, after: type) -> Iterator[Change]:
    """The public rules of two classes that are not the same function, by the first lines of their docstrings."""
    if before is after:
        return
    for name in dict.fromkeys((*dir(after), *dir(before))):
        was, now = (getattr(each, name, None) for each in (before, after))
        if name.startswith("_") or was is now or not (callable(was) or callable(now)):
            continue
        said = _first_line(was), _first_line(now)
        same = "as before, by another rule" if said[0] == said[1] else said[1]
        yield Change("rule", said[0], same)


def _place(paragraph: object) -> str:
    """A place in an article as it is cited; several places one by one."""
    if not isinstance(paragraph, tuple) or not paragraph:
        return ""
    if isinstance(paragraph[0], tuple):
        return ", ".join(_place(step[-1] if step and isinstance(step[-1], tuple) else step) for step in paragraph)
    return "".join(f"({step})" for step in paragraph)


def _value_text(value: object) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, frozenset):
        return ", ".join(sorted(map(str, value))) or "none"
    if isinstance(value, tuple) and hasattr(value, "option"):
        return f"where the house elected {value.option}"
    if isinstance(value, tuple):
        return ", ".join(map(_value_text, value)) or "none"
    return str(value)


def _first_line(thing: object) -> str:
    return (getdoc(thing) or "").partition("\n")[0] if thing is not None else ""


def _field_glosses(record: type) -> Mapping[str, str]:
    """What the docstrings of a record's classes say of its fields."""
    found: dict[str, str] = {}
    for each in reversed(record.__mro__):
        attributes = (getdoc(each) or "").partition("Attributes:\n")[2]
        entries = ((name, " ".join(text.split())) for name, text in _ENTRY.findall(attributes))
        found |= {name: text.partition(";")[0].rstrip(".") for name, text in entries}
    return found
