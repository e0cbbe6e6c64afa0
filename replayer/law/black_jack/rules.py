"""The type of the rules of a Black Jack round."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from replayer.contract import rules

if TYPE_CHECKING:
    from replayer.law.black_jack.regulation import BlackJackOptions, BlackJackRegulation

Rules: TypeAlias = "rules.Rules[BlackJackRegulation, BlackJackOptions]"
"""The version in force, what the house elected, and how doubtful texts are read."""
