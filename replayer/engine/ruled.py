"""Values with the rulings that they rest on."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

from replayer.law.rulings import Readings

Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Ruled(Generic[Value_co]):
    """A value and the ids of the rulings that it rests on, sorted."""

    value: Value_co
    rulings: tuple[str, ...] = ()

    def resting_on(self, more: Collection[str]) -> Ruled[Value_co]:
        """The same value with more rulings."""
        return Ruled(self.value, tuple(sorted({*self.rulings, *more}))) if more else self


def ruled(answer: Callable[[], Value], readings: Readings) -> Ruled[Value]:
    """An answer with the rulings consulted for it."""
    with readings.consulted() as rulings:
        value = answer()
    return Ruled(value, tuple(sorted(rulings)))
