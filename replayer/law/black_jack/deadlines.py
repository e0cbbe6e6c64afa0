"""When wagers are placed, as far as articles 5, 12, 13, 16 and 17 agree: main and additional wagers before the first card, those
on a hand in play after it."""

from __future__ import annotations

from typing import Final

from replayer.contract.outcomes import Breach
from replayer.contract.symbols import BANK_OPEN, BETS_CLOSED, CARD_DEALT
from replayer.contract.wagers import StakeSituation
from replayer.law.codes import WAGER_AFTER_CLOSE
from schemas.finding import of_money, of_procedure

WAGER_TOO_EARLY: Final = of_procedure("WAGER_TOO_EARLY", "A wager on a hand placed before the cards that allow it")
WAGER_TOO_LATE: Final = of_money("WAGER_TOO_LATE", "A wager on a hand placed when it was too late")


def after_close(stake: StakeSituation, article: str) -> Breach | None:
    """The breach of a wager that is placed before the first card, and came after it or after the bets were closed."""
    if not stake.moment & (BETS_CLOSED | CARD_DEALT):
        return None
    when = "the first card was dealt" if stake.moment & CARD_DEALT else "no more bets was said"
    return Breach(WAGER_AFTER_CLOSE, article, f"placed after {when}")


def before_cards(stake: StakeSituation, article: str) -> Breach | None:
    """The breach of a wager on a hand that came before any card."""
    if stake.moment & CARD_DEALT:
        return None
    return Breach(WAGER_TOO_EARLY, article, "placed before any card was dealt")


def hand_begun(stake: StakeSituation, article: str) -> Breach | None:
    """The breach of a wager on a hand of a separated pair that came after its second card."""
    return Breach(WAGER_TOO_LATE, article, "placed when the hand had its second card") if stake.begun else None


def bank_known(stake: StakeSituation, article: str) -> Breach | None:
    """The breach of a wager on a hand that came when nothing of the bank was hidden any more."""
    if not stake.moment & BANK_OPEN:
        return None
    return Breach(WAGER_TOO_LATE, article, "placed when the bank's second card was known")
