"""Black Jack: every hand of the bank (57/2009 art. 6(1)); single ones are in ``cases/bank.txt``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from replayer.contract.rules import Rules
from replayer.law.black_jack import GAME
from tests.law.notation import bank_draws, judge_bank
from tests.law.rules import VERSIONS, rules
from tests.shares import few


def played_out(law: Rules, cards: str = "") -> Iterator[str]:
    """Every hand that a bank comes to, ranks in the order drawn."""
    history = " ".join(["hand", *(f"+{rank}" for rank in cards)])
    if not bank_draws(GAME, history, law):
        yield cards
        return
    for rank in "A23456789T":
        yield from played_out(law, cards + rank)


@pytest.mark.parametrize("version", few(["57/2009", "141/2000", "56/2004", "42/2007"], 2))
def test_art6_n1_every_hand_of_the_bank_ends_and_is_judged_as_it_was_played(version: str) -> None:
    law = rules(VERSIONS[version])
    longest = 0
    for cards in played_out(law, "A"):
        judged = judge_bank(GAME, " ".join(["hand", *(f"+{rank}" for rank in cards)]), law)
        assert not judged.breaches
        assert str(judged.outcome) in ("17", "18", "19", "20", "21", "bust", "bj")
        longest = max(longest, len(cards))
    assert longest > 8
