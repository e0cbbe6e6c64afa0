"""The type of the rules of a Fortune 3 Card Poker round."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from replayer.contract import rules

if TYPE_CHECKING:
    from replayer.law.fortune_3_card_poker.despacho_78_2008 import FortuneRegulation
    from replayer.law.fortune_3_card_poker.options import Options

Rules: TypeAlias = "rules.Rules[FortuneRegulation, Options]"
"""The version in force, what the house elected, and how doubtful texts are read."""
