"""Winning streak (57/2009 arts. 13(5), 14(5)): every run of six rounds; single ones are in ``cases/streaks.txt``."""

from __future__ import annotations

from itertools import product

from tests.law.notation import carried, streak_due
from tests.law.rules import rules

PAYS = {2: 3, 3: 8, 4: 18, 5: 38}


def test_every_sequence_of_wins_losses_and_ties_against_a_plain_count() -> None:
    """Ties fall out; then what matters is whether the first ``n`` are all wins. 3^6 sequences for each wager."""
    under = rules(side_streak="on")
    for rounds, letters in product(PAYS, product("WLT", repeat=6)):
        recorded = [letter for letter in letters if letter != "T"]
        first = recorded[:rounds]
        expected = -1 if "L" in first else PAYS[rounds] if len(first) == rounds else None
        due = streak_due(f"streak_{rounds}", carried("".join(letters)), under)
        assert (None if due is None else due.odds) == expected
