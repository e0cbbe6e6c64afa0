"""Verdicts: the tables that a replay gives, column by column. Everything after the judge reads only these.

Amounts are minor units; ``due`` and ``paid`` are nets from the player's side; ``delta`` is paid less due, so it is
positive where the house overpaid.
"""

from __future__ import annotations

from typing import Final

import polars as pl

SUM: Final = pl.Int128
"""What sums of amounts are made in: 64 bits hold one amount, and a sum of them goes round zero without a word."""

_KEY: Final = {"table_id": pl.String, "gaming_day": pl.Date}

WAGERS: Final = pl.Schema(
    {
        **_KEY,
        "round": pl.Int64,
        "seat": pl.Int32,
        "hand": pl.Int32,
        "wager": pl.String,  # kind of wager; "all" where the log settles a seat in one amount
        "player": pl.String,
        "dealer": pl.String,
        "placed_seq": pl.Int64,
        "settled_seq": pl.Int64,
        "placed_at": pl.Int64,  # UTC microseconds
        "stake_minor": pl.Int64,
        "paid_minor": pl.Int64,  # null while not settled
        "due_minor": pl.Int64,  # null where not judged; whole minor units, toward zero
        "due_exact": pl.String,  # the exact amount as a fraction, only where it is no whole minor unit
        "delta_minor": pl.Int64,
        "status": pl.String,  # judged, unsettled, unjudged, void
        "reason": pl.String,  # why it was not judged
        "article": pl.String,
        "rulings": pl.String,  # ids that the due hangs on, separated by blanks
    }
)

ROUNDS: Final = pl.Schema(
    {
        **_KEY,
        "round": pl.Int64,
        "game": pl.String,
        "regulation": pl.String,
        "dealer": pl.String,
        "shoe": pl.Int32,
        "first_seq": pl.Int64,
        "last_seq": pl.Int64,
        "started_at": pl.Int64,
        "ended_at": pl.Int64,
        "closed_at": pl.Int64,  # bets closed
        "seats": pl.Int32,  # seats with wagers
        "bank": pl.String,  # the game's word for the bank's hand
        "status": pl.String,  # played, void, incomplete, unjudged
    }
)

FINDINGS: Final = pl.Schema(
    {
        **_KEY,
        "round": pl.Int64,
        "seq": pl.Int64,
        "seat": pl.Int32,
        "code": pl.String,
        "severity": pl.String,
        "article": pl.String,
        "message": pl.String,
        "delta_minor": pl.Int64,
        "before": pl.String,  # what stood in the books, of what was corrected or entered later
        "after": pl.String,  # what was to stand there
        "corrected_by": pl.Int64,  # seq of a correction of the same fact that came when the books were closed
        "times": pl.Int64,  # how many advisories of the table-day the row stands for; 1 of every other finding
        "stake_minor": pl.Int64,  # stakes of the wagers that an advisory is about, null where it is about none
    }
)

CUSTODY: Final = pl.Schema(
    {
        **_KEY,
        "seq": pl.Int64,
        "at": pl.Int64,
        "kind": pl.String,  # TableOpened, ChipsFilled, ChipsCredited, CashBoughtIn, DropCounted, SlipVoided, TableClosed
        "slip": pl.String,
        "amount_minor": pl.Int64,
        "player": pl.String,
        "dealer": pl.String,
        "denominations": pl.String,  # JSON object value to count, null where not counted
        "stretch": pl.Int32,  # null in the first books; 2, 3, ... after the table was opened again, 0 while it was closed
    }
)

SELDOM_SAID: Final = {
    "before": None,
    "after": None,
    "corrected_by": None,
    "stretch": None,
    "times": 1,
    "stake_minor": None,
}
"""Columns of findings and custody that have this value unless books were corrected or entered into after they closed, or an
advisory was found. They are part of a table-day's digest where one of them says something."""

DECISIONS: Final = pl.Schema(
    {
        **_KEY,
        "round": pl.Int64,
        "seq": pl.Int64,
        "at": pl.Int64,
        "seat": pl.Int32,
        "hand": pl.Int32,
        "action": pl.String,
        "player": pl.String,
        "dealer": pl.String,
    }
)

TABLE_DAYS: Final = pl.Schema(
    {
        **_KEY,
        "game": pl.String,
        "currency": pl.String,
        "seats": pl.Int32,
        "first_seq": pl.Int64,
        "last_seq": pl.Int64,
        "events": pl.Int64,
        "rounds": pl.Int64,
        "wagers": pl.Int64,
        "unsettled": pl.Int64,
        "container_sha256": pl.String,
        "digest": pl.String,
        "not_checked": pl.String,  # JSON object of check to count
    }
)

TABLES: Final = {
    "wagers": WAGERS,
    "rounds": ROUNDS,
    "findings": FINDINGS,  # the advisories of one code are one row a table-day
    "advisories": FINDINGS,  # each of them where it was found
    "custody": CUSTODY,
    "decisions": DECISIONS,
    "table_days": TABLE_DAYS,
}
