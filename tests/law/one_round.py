"""One round of a game on a day, through the whole engine: what its wagers are due, and what is found."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

import polars as pl

from replayer.engine.replay_settings import ReplaySettings
from replayer.integrity.inspection import TableDay
from replayer.verdicts.replay import Replayed, replay_table_days
from tests.texts import table_day_of

AUTHORISED = ":A:2001-01-05:2001-01-02:2001-03-02"
DAYS = {"57/2009": "2009-06-01", "56/2004": "2005-06-01", "42/2007": "2008-06-01", "141/2000": "2000-10-02"}
FORTUNE_DAYS = {"78/2008": "2008-09-01", "97/2008": "2009-09-01"}


PREPARED = {
    "black_jack": f"shuffle:1:hand:6 cut:1:player white:1:60{' !-??' * 6}",
    "fortune_3_card_poker": "shuffle:1:machine:1",
}
"""What is done to a game's cards before its first round."""

CLOSED = "#- dealer-D1 drop=0 close=50000"


def opened(game: str, elected: Iterable[tuple[str, str]], *, prepared: bool = True) -> str:
    """How a table of a game is opened that elected some options, and whose cards are prepared, up to its first round."""
    options = " ".join(f"option:{name}={value}{AUTHORISED}" for name, value in elected)
    return f"open:{game}:MOP:7=50000 {options} dealer+D1 {PREPARED[game] * prepared} #1"


def table(text: str, game: str, day: str, **elected: str) -> TableDay:
    """The table-day of a round, which begins with its bets, and of the options elected."""
    return table_day_of(f"{opened(game, elected.items())} {text} {CLOSED}", dt.date.fromisoformat(day))


def replay(text: str, game: str, day: str, readings: dict[str, str] | None = None, **elected: str) -> Replayed:
    """The verdicts on it."""
    return replay_table_days([table(text, game, day, **elected)], ReplaySettings(readings=readings or {}))[0]


def dues(replayed: Replayed, kind: str) -> list[tuple[int | None, str]]:
    """Due and article of the wagers of a kind, in the order placed."""
    rows = replayed.wagers.filter(pl.col("wager") == kind).sort("placed_seq")
    return rows.select("due_minor", "article").rows()


def codes(replayed: Replayed) -> set[str]:
    """What is found, but for what is left out of these rounds on purpose."""
    return set(replayed.findings["code"]) - {
        "BURN_MISSING", "CUT_MISSING", "WHITE_CARD_MISSING", "WAGER_UNSETTLED", "CLOSE_MISSING", "LAW_TEXT_UNVERIFIED",
    }  # fmt: skip
