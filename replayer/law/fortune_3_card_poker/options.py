"""What 78/2008 leaves to the house, and what a source of rounds does not record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from replayer.contract.rules import OptionFault
from replayer.law.choice import NOT_RECORDED, elect
from replayer.law.codes import OPTION_UNKNOWN
from replayer.law.regulation import Regulation

HAND: Final = "hand"
MACHINE: Final = "machine"
SHOE: Final = "shoe"


@dataclass(frozen=True, slots=True)
class Options:
    """The house's choices; limits are minor units, None where none is posted; ``deal`` None follows the shuffle, ``shuffle`` None
    is either way. Facts in ``not_recorded`` are not checked, and never assumed to be right."""

    shuffle: str | None = None
    ante_min: int | None = None
    ante_max: int | None = None
    pair_plus_min: int | None = None
    pair_plus_max: int | None = None
    deal: str | None = None
    not_recorded: frozenset[str] = frozenset()

    decks: ClassVar[int] = 1  # art. 1
    refilled: ClassVar[bool] = False

    @property
    def records_turns_in_the_deal(self) -> bool:
        """Whether the log shows that a card was turned before all were dealt (art. 11(2))."""
        return not {"faces", "deal_order", "times"} & self.not_recorded

    def limits(self, kind: str) -> tuple[int | None, int | None]:
        """The posted limits of a wager (art. 6(1)); the raise has none of its own."""
        return {"ante": (self.ante_min, self.ante_max), "pair_plus": (self.pair_plus_min, self.pair_plus_max)}.get(
            kind, (None, None)
        )


def read_options(elected: Mapping[str, str], regulation: Regulation) -> tuple[Options, list[OptionFault]]:
    """The options of elected names and values, limits in major units; a faulty election leaves the default."""
    values, faults = elect(elected, [NOT_RECORDED, *regulation.choices])
    if values["shuffle"] == HAND and values["deal"] == MACHINE:
        reason = "cards shuffled by hand go into the shoe (art. 3(1))"
        faults.append(OptionFault(OPTION_UNKNOWN, "deal", MACHINE, reason))
        values["deal"] = SHOE
    return Options(**values), faults
