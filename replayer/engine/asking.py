"""Rules that note what they are asked about a table: an answer holds for all tables that are the same in what was asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

from replayer.law.authorisation import Contested
from replayer.rules import AnyRules

Fact: TypeAlias = tuple[str, str]
"""What rules may be asked about a table: a field of :class:`replayer.rules.Rules`, and a name in it."""
Facts: TypeAlias = tuple[tuple[Fact, Any], ...]
"""The facts that something turns on, as they are where it does."""


class _AskedOptions:
    """A table's options, which note which of them are asked for."""

    def __init__(self, options: Any, asked: set[Fact]) -> None:
        self._options = options
        self._asked = asked

    def __getattr__(self, name: str) -> Any:
        """An option by its name."""
        self._asked.add(("options", name))
        return getattr(self._options, name)


class _AskedNames(frozenset[str]):
    """Names of a field of rules, which note which of them are asked for."""

    field: str
    asked: set[Fact]

    def __contains__(self, name: object) -> bool:
        self.asked.add((self.field, str(name)))
        return super().__contains__(name)

    @classmethod
    def of(cls, names: frozenset[str], field: str, asked: set[Fact]) -> _AskedNames:
        made = cls(names)
        made.field, made.asked = field, asked
        return made


class AskedRules:
    """Rules, and the same ones for whoever asks, ``asking``, which note what they are asked for."""

    def __init__(self, rules: AnyRules) -> None:
        self._rules = rules
        self._asked: set[Fact] = set()
        # What contested options say rests on rulings, which are noted as such: nobody shares an automaton with them.
        contested = isinstance(rules.options, Contested)
        self.asking = (
            rules
            if contested
            else replace(
                rules,
                options=_AskedOptions(rules.options, self._asked),
                unauthorised=_AskedNames.of(rules.unauthorised, "unauthorised", self._asked),
                recorded=_AskedNames.of(rules.recorded, "recorded", self._asked),
            )
        )

    def __getitem__(self, fact: Fact) -> Any:
        field, name = fact
        return getattr(self._rules.options, name) if field == "options" else name in getattr(self._rules, field)

    def turned_on(self) -> Facts:
        """What was asked for since this was last called."""
        if not self._asked:
            return ()
        facts = tuple((fact, self[fact]) for fact in sorted(self._asked))
        self._asked.clear()
        return facts

    def has(self, facts: Facts) -> bool:
        """Whether they are the same here."""
        return all(self[fact] == value for fact, value in facts)
