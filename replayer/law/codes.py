"""Findings that rules of more than one game raise."""

from __future__ import annotations

from typing import Final

from schemas.finding import Severity, declare

WAGER_AFTER_CLOSE: Final = declare(
    "WAGER_AFTER_CLOSE", Severity.MONEY, "wager placed after bets were closed or the first card was dealt"
).code
LAW_TEXT_UNVERIFIED: Final = declare(
    "LAW_TEXT_UNVERIFIED", Severity.ADVISORY, "what is due rests on a text of the law that is not at hand"
).code
