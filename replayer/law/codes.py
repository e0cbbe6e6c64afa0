"""Findings that rules of more than one game raise."""

from __future__ import annotations

from typing import Final

from schemas.finding import Severity, declare

WAGER_AFTER_CLOSE: Final = declare("WAGER_AFTER_CLOSE", Severity.MONEY, "A wager placed after the bets were closed")
STAKE_NOT_POSITIVE: Final = declare("STAKE_NOT_POSITIVE", Severity.MONEY, "A wager of nothing")
DECISION_OF_ANOTHER: Final = declare(
    "DECISION_OF_ANOTHER", Severity.PROCEDURE, "A decision at a seat by a player who has none to take there"
)
CARD_ABSENT: Final = declare("CARD_ABSENT", Severity.INTEGRITY, "A card turned or removed that the hand did not have")
BANK_CARD_ABSENT: Final = declare(
    "BANK_CARD_ABSENT", Severity.INTEGRITY, "A card turned or removed that the bank did not have"
)
CARD_TAKEN_AWAY: Final = declare(
    "CARD_TAKEN_AWAY",
    Severity.PROCEDURE,
    "A card rightly dealt and taken away when it had ended the hand, or something had followed on it",
)
SHUFFLE_DURING_ROUND: Final = declare("SHUFFLE_DURING_ROUND", Severity.PROCEDURE, "Cards shuffled while a round ran")
OPTION_UNKNOWN: Final = declare("OPTION_UNKNOWN", Severity.PROCEDURE, "An option that the regulation does not know")
LAW_TEXT_UNVERIFIED: Final = declare(
    "LAW_TEXT_UNVERIFIED", Severity.ADVISORY, "An amount that rests on a text of the law that is not at hand"
)
