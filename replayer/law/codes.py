"""Findings that rules of more than one game raise."""

from __future__ import annotations

from typing import Final

from schemas.finding import advisory, of_integrity, of_money, of_procedure

WAGER_AFTER_CLOSE: Final = of_money("WAGER_AFTER_CLOSE", "A wager placed after the bets were closed")
STAKE_NOT_POSITIVE: Final = of_money("STAKE_NOT_POSITIVE", "A wager of nothing")
DECISION_OF_ANOTHER: Final = of_procedure(
    "DECISION_OF_ANOTHER", "A decision at a seat by a player who has none to take there"
)
CARD_ABSENT: Final = of_integrity("CARD_ABSENT", "A card turned or removed that the hand did not have")
BANK_CARD_ABSENT: Final = of_integrity("BANK_CARD_ABSENT", "A card turned or removed that the bank did not have")
CARD_TAKEN_AWAY: Final = of_procedure(
    "CARD_TAKEN_AWAY", "A card rightly dealt and taken away when it had ended the hand, or something had followed on it"
)
SHUFFLE_OTHERWISE: Final = of_procedure(
    "SHUFFLE_OTHERWISE", "Cards shuffled in another way than by hand, or by the machine that deals them"
)
SHUFFLE_DURING_ROUND: Final = of_procedure("SHUFFLE_DURING_ROUND", "Cards shuffled while a round ran")
OPTION_UNKNOWN: Final = of_procedure("OPTION_UNKNOWN", "An option that the regulation does not know")
LAW_TEXT_UNVERIFIED: Final = advisory(
    "LAW_TEXT_UNVERIFIED", "An amount that rests on a text of the law that is not at hand"
)
