"""Rules that record which facts of a table are read: a result holds for every table with the same values of these facts."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias, cast

from replayer.law.authorisation import Contested
from replayer.rules import AnyRules, ElectedOptions

Fact: TypeAlias = tuple[str, str]
"""A fact of a table: a field of :class:`replayer.rules.Rules` and a name in it."""
Facts: TypeAlias = tuple[tuple[Fact, object], ...]
"""Facts that were read, with their values."""


class _TracedOptions:
    """A table's options, which record the names read."""

    def __init__(self, options: object, read: set[Fact]) -> None:
        self._options = options
        self._read = read

    def __getattr__(self, name: str) -> object:
        """An option by its name."""
        self._read.add(("options", name))
        return getattr(self._options, name)


class _TracedNames(frozenset[str]):
    """A set of names in a field of rules, which records the names looked up."""

    field: str
    read: set[Fact]

    def __contains__(self, name: object) -> bool:
        self.read.add((self.field, str(name)))
        return super().__contains__(name)

    @classmethod
    def of(cls, names: frozenset[str], field: str, read: set[Fact]) -> _TracedNames:
        made = cls(names)
        made.field, made.read = field, read
        return made


class TracedRules:
    """Rules of a table; ``rules`` are the same ones for its machines, which record the facts read."""

    def __init__(self, rules: AnyRules) -> None:
        self._plain = rules
        self._read: set[Fact] = set()
        # What contested options say rests on rulings, which are recorded as such; tables with them share no automaton.
        contested = isinstance(rules.options, Contested)
        self.rules = (
            rules
            if contested
            else replace(
                rules,
                options=cast("ElectedOptions", _TracedOptions(rules.options, self._read)),
                unauthorised=_TracedNames.of(rules.unauthorised, "unauthorised", self._read),
                recorded=_TracedNames.of(rules.recorded, "recorded", self._read),
            )
        )

    def __getitem__(self, fact: Fact) -> object:
        field, name = fact
        return getattr(self._plain.options, name) if field == "options" else name in getattr(self._plain, field)

    def take_read(self) -> Facts:
        """The facts read since the last call."""
        if not self._read:
            return ()
        facts = tuple((fact, self[fact]) for fact in sorted(self._read))
        self._read.clear()
        return facts

    def agrees(self, facts: Facts) -> bool:
        """Whether the facts have the same values here."""
        return all(self[fact] == value for fact, value in facts)
