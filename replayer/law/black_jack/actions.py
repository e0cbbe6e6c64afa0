"""What a player may decide, as the log names it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Action(StrEnum):
    """A decision. ``UNKNOWN`` is one that the law does not have; a message about it quotes the log's name for it."""

    HIT = "hit"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT = "split"
    SURRENDER = "surrender"
    EVEN_MONEY = "even_money"
    FIVE_CARD_HALF = "five_card_half"
    TAKE_PRIZE = "special_prize"
    LEAVE_PRIZE = "decline_special_prize"
    INSURANCE = "insurance"
    UNKNOWN = "{action}"


ACTIONS: Final = {str(action): action for action in Action}
PLAYS: Final = (Action.HIT, Action.STAND, Action.DOUBLE, Action.SPLIT)
"""Plays of a hand; the others are claims to money."""
PLAYED_ON: Final = (Action.HIT, Action.STAND, Action.DOUBLE)
"""Plays by which a pair is not separated."""
FOR_CARDS: Final = (Action.HIT, Action.DOUBLE, Action.SPLIT)
"""Plays that bring a card, and count even where the rules forbid them."""
BY_UPCARD: Final = (Action.SURRENDER, Action.EVEN_MONEY, Action.FIVE_CARD_HALF)
"""Claims that turn on the bank's open card."""
AFTER_STANDING: Final = (Action.EVEN_MONEY, Action.FIVE_CARD_HALF)
"""Claims that a player may still make when he has stood: art. 6(3) makes him decide whether to do without cards; arts. 10(3) and
19(1) give these rights until the bank's second card is known (BJ-14, BJ-70a)."""
