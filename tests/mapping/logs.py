"""The plainest map and log of other systems, and the importing of one that must be refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from producers.mapping import ImportRefused, SourceUnreadable

Import = Callable[..., Any]

TABLE = """
[table]
id = "X1"
gaming_day = 2026-01-05
"""
MAP = (
    TABLE
    + """[source]
row = "hand"
[columns]
round = "game"
seat = "spot"
cards = "cards"
bank = "dealer"
stake = "bet"
result = "net"
"""
)
OBJECTS = (
    TABLE + '[source]\nformat = "jsonl"\nrow = "round"\n[columns]\ncards = "p"\nbank = "d"\nstake = "b"\nresult = "n"\n'
)
"""The map of a log of one JSON object a round, of one hand each."""
HEADER = "game,spot,cards,dealer,bet,net\n"


def refusal(imported: Import, log: str | bytes, plan: str = MAP, name: str = "log.csv") -> str:
    with pytest.raises((ImportRefused, SourceUnreadable)) as caught:
        imported(log, plan, name)
    return str(caught.value)
