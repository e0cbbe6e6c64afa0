"""Kinds of facts, and the one declaration of the fields that each must and may carry: the recorder checks it on writing, the
archive reader column by column on reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

BODIES: Final = ("table", "option", "shoe", "card", "wager", "decision", "chips", "remark")
UNKNOWN_KIND: Final = "Unknown"
"""What a reader makes of a kind that it does not know; never written."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Fields of a kind as dotted paths (``wager.stake_minor``); ``allowed`` names bodies that may come in addition."""

    gloss: str
    required: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()

    @property
    def bodies(self) -> frozenset[str]:
        """Every body that the kind may carry."""
        return frozenset(path.split(".")[0] for path in self.required if "." in path) | frozenset(self.allowed)


_IN_ROUND = ("round",)

SHAPES: Final[Mapping[str, Shape]] = {
    "TableOpened": Shape(
        "table opened, inventory counted", ("table.game", "table.currency", "table.seats", "chips.amount_minor")
    ),
    "TableClosed": Shape("table closed, inventory counted", ("chips.amount_minor",), ("table",)),
    "OptionElected": Shape("house option elected, with its authorisation", ("option.name", "option.value")),
    "DealerEntered": Shape("dealer came to the table", ("table.staff",)),
    "DealerLeft": Shape("dealer left the table", ("table.staff",)),
    "ShoeShuffled": Shape("cards shuffled", ("shoe.shoe", "shoe.method", "shoe.decks")),
    "ShoeCut": Shape("cards cut", ("shoe.shoe", "shoe.cut_by")),
    "CutCardPlaced": Shape("second white card put in", ("shoe.shoe", "shoe.behind")),
    "CutCardDrawn": Shape("white card came out", ("shoe.shoe",)),
    "CardBurned": Shape("card burned", ("card.face",)),
    "WagerPlaced": Shape("wager placed", (*_IN_ROUND, "wager.kind", "wager.seat", "wager.stake_minor")),
    "WagersClosed": Shape("no more bets", _IN_ROUND),
    "CardDealt": Shape("card dealt to a hand or to the bank", (*_IN_ROUND, "card.face")),
    "CardTurned": Shape("hidden card turned up", (*_IN_ROUND, "card.card")),
    "HoleCardChecked": Shape("bank looked at its hidden card", _IN_ROUND, ("decision",)),
    "CardRemoved": Shape("card taken out of a hand", (*_IN_ROUND, "card.card"), ("remark",)),
    "TotalAnnounced": Shape("total called out", (*_IN_ROUND, "decision.points")),
    "DecisionTaken": Shape("player's decision", (*_IN_ROUND, "decision.seat", "decision.action")),
    "WagerSettled": Shape(
        "wager paid, collected or pushed",
        (*_IN_ROUND, "wager.kind", "wager.seat", "wager.stake_minor", "wager.net_minor"),
    ),
    "MarkerMoved": Shape("streak button moved", ("decision.seat", "decision.points")),
    "EquipmentFailed": Shape("shuffler or shoe failed", ("remark.cause",)),
    "RoundVoided": Shape("round declared void", (*_IN_ROUND, "remark.cause")),
    "RoundClosed": Shape("round over", _IN_ROUND, ("remark",)),
    "ChipsFilled": Shape("chips brought from the cage", ("chips.amount_minor", "chips.slip")),
    "ChipsCredited": Shape("chips returned to the cage", ("chips.amount_minor", "chips.slip")),
    "CashBoughtIn": Shape("cash into the box, chips to the player", ("chips.amount_minor",)),
    "DropCounted": Shape("drop box counted", ("chips.amount_minor",)),
    "SlipVoided": Shape("fill or credit slip voided", ("chips.slip", "chips.amount_minor", "remark.cause")),
    "CorrectionMade": Shape(
        "an earlier event corrected", ("remark.refers_to", "remark.cause"), ("card", "wager", "decision", "chips")
    ),
    UNKNOWN_KIND: Shape("a kind of a later schema", (), BODIES),
}

KINDS: Final[tuple[str, ...]] = tuple(SHAPES)
CUSTODY_KINDS: Final = (
    "TableOpened",
    "ChipsFilled",
    "ChipsCredited",
    "CashBoughtIn",
    "DropCounted",
    "SlipVoided",
    "TableClosed",
)
"""Kinds that tell of the chips and the cash of a table."""
SHOE_KINDS: Final = ("ShoeShuffled", "ShoeCut", "CutCardPlaced", "CutCardDrawn", "CardBurned", "EquipmentFailed")
"""Kinds that tell of the cards before they are dealt, and of what shuffles them."""
OF_THE_TABLE: Final = (*CUSTODY_KINDS, "DealerEntered", "DealerLeft", "OptionElected")
"""Kinds that are of no round, whatever round's number they bear: none of them alone makes one."""
