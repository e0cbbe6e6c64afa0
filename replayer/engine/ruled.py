"""Values with the rulings that they rest on."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

from replayer.contract.readings import Readings
from replayer.engine.distinct_values import Numbered

Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)
Rulings: TypeAlias = tuple[str, ...]
"""The ids of rulings on which something rests."""
NO_RULINGS: Final = 0
"""The number of none (:func:`numbered_rulings`)."""


def numbered_rulings() -> Numbered[Rulings]:
    """Distinct rulings by number, :data:`NO_RULINGS` first, so that columns say by a number on which ones a row rests."""
    numbered = Numbered[Rulings]()
    numbered.number(())
    return numbered


@dataclass(frozen=True, slots=True)
class Ruled(Generic[Value_co]):
    """A value and the ids of the rulings that it rests on, sorted."""

    value: Value_co
    rulings: Rulings = ()

    def resting_on(self, more: Collection[str]) -> Ruled[Value_co]:
        """The same value with more rulings."""
        return Ruled(self.value, tuple(sorted({*self.rulings, *more}))) if more else self


def ruled(answer: Callable[[], Value], readings: Readings, uncounted: set[str] | None = None) -> Ruled[Value]:
    """An answer with the rulings consulted for it; those not counted are added to ``uncounted``."""
    with readings.consulted(uncounted) as rulings:
        value = answer()
    return Ruled(value, tuple(sorted(rulings)))
