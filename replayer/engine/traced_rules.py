"""Rules that note which facts of a table are read: what is found by them holds for all tables that have the same ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias, cast

from replayer.law.authorisation import Contested
from replayer.rules import AnyRules, ElectedOptions

Fact: TypeAlias = tuple[str, str]
"""A fact of a table that rules may read: a field of :class:`replayer.rules.Rules`, and a name in it."""
Facts: TypeAlias = tuple[tuple[Fact, object], ...]
"""The facts that something turns on, as they are where it does."""


class _TracedOptions:
    """A table's options, which note which of them are read."""

    def __init__(self, options: object, read: set[Fact]) -> None:
        self._options = options
        self._read = read

    def __getattr__(self, name: str) -> object:
        """An option by its name."""
        self._read.add(("options", name))
        return getattr(self._options, name)


class _TracedNames(frozenset[str]):
    """Names of a field of rules, which note which of them are read."""

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
    """Rules of a table, and the same ones for its machines (``rules``), which note the facts that are read."""

    def __init__(self, rules: AnyRules) -> None:
        self._plain = rules
        self._read: set[Fact] = set()
        # What contested options say rests on rulings, which are noted as such: nobody shares an automaton with them.
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

    def turned_on(self) -> Facts:
        """The facts that were read since this was last called."""
        if not self._read:
            return ()
        facts = tuple((fact, self[fact]) for fact in sorted(self._read))
        self._read.clear()
        return facts

    def has(self, facts: Facts) -> bool:
        """Whether they are the same here."""
        return all(self[fact] == value for fact, value in facts)
