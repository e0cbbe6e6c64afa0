"""The marks that the machines name: the events at which a violation can point, other than the current one.

The folds of the events keep their positions; a state never does.
"""

from __future__ import annotations

from typing import Final

# Of a place, and of the croupier

ANTED: Final = "ante"
STAKED: Final = "raise"
DECIDED: Final = "decision"
"""The last ante placed, the last raise placed, the first decision."""
HIDDEN: Final = "hidden card"
"""The croupier's last card that was never seen."""

# Of a round

ROUND: Final = "round"
SHUFFLED_AGAIN: Final = "shuffle"
"""The round's beginning, the first shuffle after a card was dealt that was followed by another card."""
OUT_OF_ORDER: Final = "out of order"
"""The first card that came out of its turn."""
LAST_CARD: Final = "last card of"
LAST_CARD_LEFT: Final = "last card left of"
"""Followed by a blank and a place, the last card that its hand got, or got if exposed ones are replaced."""
BURNED: Final = "burned card"
FAILED: Final = "failure"
OPENED: Final = "opening"
DECLARED_VOID: Final = "void"
"""The first card burned, the failure of the shuffler during the deal, the first time that a card of the croupier was turned when
all were dealt, the first time that the round was declared void."""
