"""Numbers distinct values, so that columns hold small integers in their place."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Numbered(Generic[Value]):
    """Distinct values, numbered as they come.

    Args:
        same: gives a key by which values are equal, by default the value itself. It may be ``id`` where equal values are known to
            be identical.

    Attributes:
        all: the values by their numbers.

    >>> cards = Numbered[str]()
    >>> [cards.number(card) for card in ("9c", "Kd", "9c")], cards.all
    ([0, 1, 0], ['9c', 'Kd'])
    """

    def __init__(self, same: Callable[[Value], Hashable] | None = None) -> None:
        self.all: list[Value] = []
        self._same = same
        self._numbers: dict[Hashable, int] = {}

    def number(self, value: Value) -> int:
        """The number of a value."""
        key = value if self._same is None else self._same(value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.all)
            self.all.append(value)  # kept alive, so that its id stays unique
        return number
