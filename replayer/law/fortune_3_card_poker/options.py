"""What 78/2008 leaves to the house, and what a source of rounds does not record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from replayer.game import OptionFault
from replayer.law.choice import Amount, Choice, OneOf, Unset, Words, elect

HAND: Final = "hand"
MACHINE: Final = "machine"
SHOE: Final = "shoe"

CHOICES: Final[tuple[Choice, ...]] = (
    OneOf("shuffle", (MACHINE, HAND)),  # art. 3
    Amount("ante_min"),  # art. 6(1): the limits posted at the table
    Amount("ante_max"),
    Amount("pair_plus_min"),
    Amount("pair_plus_max"),
    Unset("deal", (MACHINE, SHOE)),  # art. 7
    Words("not_recorded"),  # shuffle, cut, faces, deal_order, decisions, close, times
)


@dataclass(frozen=True, slots=True)
class Options:
    """The house's choices; limits are minor units, None where none is posted; ``deal`` None follows the shuffle.

    ``not_recorded`` names what the log lacks; a check that needs it is reported as not made, never as passed.
    """

    shuffle: str = MACHINE
    ante_min: int | None = None
    ante_max: int | None = None
    pair_plus_min: int | None = None
    pair_plus_max: int | None = None
    deal: str | None = None
    not_recorded: frozenset[str] = frozenset()

    @property
    def device(self) -> str:
        """What cards are dealt from: ``shoe``, one card at a time, or ``machine``, three."""
        return self.deal or (SHOE if self.shuffle == HAND else MACHINE)

    def limits(self, kind: str) -> tuple[int | None, int | None]:
        """The posted limits of a wager; the raise has none of its own."""
        return {
            "ante": (self.ante_min, self.ante_max),
            "pair_plus": (self.pair_plus_min, self.pair_plus_max),
        }.get(kind, (None, None))


def parse_options(elected: Mapping[str, str]) -> tuple[Options, list[OptionFault]]:
    """The options of elected names and values, limits in major units; what is faulty keeps its default.

    >>> parse_options({"deal": "shoe", "ante_min": "300", "seats": "9"})[1]
    [OptionFault(name='seats', value='9', reason='the regulation in force offers no such option')]
    """
    values, faults = elect(elected, CHOICES)
    if values["shuffle"] == HAND and values["deal"] == MACHINE:
        faults.append(OptionFault("deal", MACHINE, "cards shuffled by hand go into the shoe (art. 3(1))"))
        values["deal"] = SHOE
    return Options(**values), faults
