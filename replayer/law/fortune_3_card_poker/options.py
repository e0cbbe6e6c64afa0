"""What 78/2008 leaves to the house, and what a source of rounds does not record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from replayer.game import OptionFault
from schemas.money import NotAnAmount, parse_amount

HAND: Final = "hand"
MACHINE: Final = "machine"
SHOE: Final = "shoe"

NOT_RECORDED: Final = frozenset(
    ("shuffle", "cut", "burn", "faces", "times", "decisions", "deal_order", "close", "suits")
)
"""What a log may lack; a check that needs it is then reported as not made, never as passed."""


@dataclass(frozen=True, slots=True)
class Options:
    """The house's choices. Limits are minor units, None where none is posted on the log.

    Attributes:
        shuffle: ``hand`` or ``machine`` (art. 3).
        deal: ``shoe``, one card at a time, or ``machine``, three (art. 7).
        ante_min, ante_max, pair_plus_min, pair_plus_max: the posted limits (art. 6(1)).
        not_recorded: names of ``NOT_RECORDED``.
    """

    shuffle: str = MACHINE
    deal: str = MACHINE
    ante_min: int | None = None
    ante_max: int | None = None
    pair_plus_min: int | None = None
    pair_plus_max: int | None = None
    not_recorded: frozenset[str] = frozenset()

    def limits(self, kind: str) -> tuple[int | None, int | None]:
        """The posted limits of a wager; the raise has none of its own."""
        return {
            "ante": (self.ante_min, self.ante_max),
            "pair_plus": (self.pair_plus_min, self.pair_plus_max),
        }.get(kind, (None, None))


_CHOICES: Final = {"shuffle": (HAND, MACHINE), "deal": (SHOE, MACHINE)}
_LIMITS: Final = ("ante_min", "ante_max", "pair_plus_min", "pair_plus_max")


def parse_options(elected: Mapping[str, str]) -> tuple[Options, list[OptionFault]]:
    """The options of elected names and values, limits in major units; what is faulty keeps its default.

    >>> parse_options({"deal": "shoe", "ante_min": "300", "seats": "9"})[1]
    [OptionFault(name='seats', value='9', reason='the game has no such option')]
    """
    chosen: dict[str, object] = {}
    faults: list[OptionFault] = []
    for name, value in elected.items():
        if name in _CHOICES and value in _CHOICES[name]:
            chosen[name] = value
        elif name in _CHOICES:
            faults.append(OptionFault(name, value, f"it is one of {', '.join(_CHOICES[name])}"))
        elif name in _LIMITS:
            try:
                chosen[name] = parse_amount(value)
            except NotAnAmount as error:
                faults.append(OptionFault(name, value, str(error)))
        elif name == "not_recorded":
            named = frozenset(value.replace(",", " ").split())
            chosen[name] = named & NOT_RECORDED
            faults += [
                OptionFault(name, each, "nothing of that name is checked") for each in sorted(named - NOT_RECORDED)
            ]
        else:
            faults.append(OptionFault(name, value, "the game has no such option"))
    if chosen.get("shuffle") == HAND and "deal" not in chosen:
        chosen["deal"] = SHOE
    if chosen.get("shuffle") == HAND and chosen["deal"] == MACHINE:
        faults.append(OptionFault("deal", MACHINE, "cards shuffled by hand go into the shoe (art. 3(1))"))
        chosen["deal"] = SHOE
    return Options(**chosen), faults  # type: ignore[arg-type]
