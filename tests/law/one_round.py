"""One round of a game on a day, through the whole engine: what its wagers are due, and what is found."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

import polars as pl

from replayer.engine.replay_settings import ReplaySettings
from replayer.log.columns import TableDay
from replayer.verdicts.replay import Replayed, replay_table_days
from tests.texts import CLOSED, opened, table_day_of

AUTHORISED = ":A:2000-01-05:2000-01-02:2000-03-02"
DAYS = {"57/2009": "2009-06-01", "56/2004": "2005-06-01", "42/2007": "2008-06-01", "141/2000": "2000-10-02"}
FORTUNE_DAYS = {"78/2008": "2008-09-01", "97/2008": "2009-09-01"}


BURNED = {"black_jack": 6, "fortune_3_card_poker": 0}


def authorised(elected: Iterable[tuple[str, str]]) -> str:
    """Options as they are elected with an authorisation."""
    return " ".join(f"option:{name}={value}{AUTHORISED}" for name, value in elected)


def table(text: str, game: str, day: str, **elected: str) -> TableDay:
    """The table-day of a round, which begins with its bets, and of the options elected."""
    head = opened(authorised(elected.items()), game, burned=BURNED[game])
    return table_day_of(f"{head} #1 {text} {CLOSED}", dt.date.fromisoformat(day))


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
