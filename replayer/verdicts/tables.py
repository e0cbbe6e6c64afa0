"""Verdicts: the tables that a replay gives, each column with its type, unit and meaning. Everything after the replay reads only
these; ``pitaudit lake --describe`` prints them.

Amounts are minor units; ``due`` and ``paid`` are nets from the player's side; ``delta`` is paid less due, so it is
positive where the house overpaid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import polars as pl

TIME: Final = pl.Datetime("us", "UTC")
"""The type of moments; the engine's UTC microseconds."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    type: pl.DataType | type[pl.DataType]
    name: str
    meaning: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: what a row is (``grain``), and its columns in order.

    The columns ``beside`` repeat, or put more plainly, what the log or others say: they are no part of a
    table-day's digest, nor is any column of a table that the digest does not cover.
    """

    name: str
    grain: str
    columns: tuple[Column, ...]
    beside: tuple[str, ...] = ()

    @property
    def schema(self) -> pl.Schema:
        """Names and types of the columns."""
        return pl.Schema({column.name: column.type for column in self.columns})

    @property
    def digested(self) -> pl.Schema:
        """The schema without the columns ``beside``."""
        return pl.Schema({name: kind for name, kind in self.schema.items() if name not in self.beside})


_text = partial(Column, pl.String)
_number = partial(Column, pl.Int64)
_small = partial(Column, pl.Int32)
_amount = partial(Column, pl.Int64, unit="minor units")
_time = partial(Column, TIME, unit="UTC, microseconds")

_TABLE_DAY: Final = (
    _text("table_id", "The gaming table."),
    Column(pl.Date, "gaming_day", "The gaming day, 06:00 to 06:00 local time unless the property set it otherwise."),
)
_ROUND: Final = _number("round", "Number of the round within the table-day.")
_SEAT: Final = _small("seat", "The seat, from 1 at the dealer's left.")
_HAND: Final = _small("hand", "0 is the seat's first hand; each split opens the next.")
_GAME: Final = _text("game", "The game: black_jack or fortune_3_card_poker.")
_CURRENCY: Final = _text("currency", "ISO 4217 code of all amounts of the row; one major unit is 100 minor units.")
_DEALER: Final = "Staff number of who dealt"

WAGERS: Final = Table(
    "wagers",
    "a wager that was placed; where the log settles a hand, a seat or a stake laid in parts in one amount, what is so settled "
    "together",
    (
        *_TABLE_DAY,
        _ROUND,
        _GAME,
        _CURRENCY,
        _SEAT,
        _HAND,
        _small(
            "position",
            "The bettor's place at the seat: 0 sits there, 1 and up stand behind, nearest to the bank first; null where the "
            "log does not tell.",
        ),
        _text(
            "wager",
            "Kind of wager (main, double, split, insurance, ante, raise, pair_plus, ...); all or hand where the log settles a "
            "seat, or a hand, in one amount.",
        ),
        _text("player", "Pseudonym of the bettor; null where the log does not name him."),
        _text("dealer", f"{_DEALER} when it was settled, or placed where it was not settled."),
        _number("placed_seq", "Number of the event that placed it."),
        _number("settled_seq", "Number of the event that settled it; null while not settled."),
        _time("placed_at", "When it was placed."),
        _time("settled_at", "When it was settled; null while not settled."),
        _amount("stake_minor", "Its stake."),
        _amount("limit_min_minor", "Least stake posted for this kind of wager; null where none is."),
        _amount("limit_max_minor", "Largest stake posted for it; null where none is."),
        _amount("paid_minor", "What its settlement changed in the player's chips; null while not settled."),
        _amount(
            "due_minor", "What it must change in the player's chips; null where not judged; whole units, toward zero."
        ),
        _text("due_exact", "The exact due as a fraction, only where it is no whole minor unit (X-2).", "minor units"),
        _amount(
            "delta_minor", "Paid less the exact due: positive where the house overpaid; whole units, toward zero (X-2)."
        ),
        _text("status", "judged, unsettled, unjudged or void."),
        _text("reason", "Why it was not judged; null where it was."),
        _text("article", "The article by which it is due that."),
        _text("rulings", "Ids of the rulings that the due hangs on, separated by blanks."),
    ),
    beside=("game", "currency", "position", "settled_at", "limit_min_minor", "limit_max_minor"),
)

ROUNDS: Final = Table(
    "rounds",
    "a round",
    (
        *_TABLE_DAY,
        _ROUND,
        _GAME,
        _CURRENCY,
        _text("regulation", "Id of the version of the regulation by which it was judged."),
        _text("dealer", f"{_DEALER} when it began."),
        _small("shoe", "How many times the cards had been shuffled by its end."),
        _number("first_seq", "Number of its first event."),
        _number("last_seq", "Number of its last event, corrections aside."),
        _time("started_at", "Time of its first event."),
        _time("ended_at", "Time of its last event, corrections aside."),
        _time("closed_at", "When the bets were closed; null where the log does not tell."),
        _small("seats", "Seats with wagers.", "seats"),
        _text(
            "bank",
            "The bank's hand in the game's word: bj, bust, points, or no bj where no more is known; the cards of a croupier, "
            "??? where these are not known, or void; empty where nothing is known of it, or it got no card.",
        ),
        _text("status", "played, void, incomplete (events are missing) or unjudged."),
    ),
    beside=("currency",),
)

HANDS: Final = Table(
    "hands",
    "a hand that got a card in a round and kept one: each hand of a seat, and the bank's, whose seat is null",
    (
        *_TABLE_DAY,
        _ROUND,
        _GAME,
        _small("seat", "The seat, from 1 at the dealer's left; null is the bank."),
        _HAND,
        _text("player", "Pseudonym of who placed the first stake on the hand; null for the bank."),
        _small("bettors", "How many bettors the seat has; null where none.", "bettors"),
        _text("dealer", f"{_DEALER} when the hand began."),
        _text(
            "cards",
            "Its cards in the order dealt, as 9c 3d Th: unnamed ones as they were turned, a split pair in its hands; suit x "
            "where it is not told, ?? a card that the log does not name.",
        ),
        _small("cards_count", "How many they are.", "cards"),
        _small(
            "total",
            "Black Jack: points of the cards, one ace as 11 where that does not exceed 21, all as 1 where it does; null "
            "where a card is not known, and in other games.",
            "points",
        ),
        Column(pl.Boolean, "soft", "Whether an ace counts 11 in the total."),
        _text(
            "combination",
            "Fortune 3 Card Poker: straight flush, trio, straight, flush, pair or three odd cards; null where not known.",
        ),
        _text(
            "decisions",
            "What was decided on the hand, in order, separated by blanks (hit, stand, double, split, surrender, raise, fold, "
            "...); insurance and even money are none of them.",
        ),
        _text("upcard", "The bank's first card that was dealt open, and kept; null where it had none."),
        _small("upcard_value", "Black Jack: its points, 10 for tens and figures, 11 for an ace.", "points"),
        _text("bank_cards", "The bank's cards, as in cards; null where it got none."),
        _small(
            "bank_total",
            "The points of these cards, a void one among them too; rounds.bank has what the bank is settled with.",
            "points",
        ),
        _text(
            "outcome",
            "What became of it: Black Jack natural, bust, surrender, even_money, five_card_half, prize or played; Fortune "
            "raised, folded, alone (Pair Plus only), null or void; the bank natural, bust, played or void; null where not "
            "judged.",
        ),
        _text(
            "result",
            "won, lost or tied, by what the first stake on the hand is due (tied is nothing, also where a bonus makes up for a "
            "lost ante); void where the round was; null where nothing was staked, or not judged.",
        ),
        _amount(
            "stake_minor",
            "The first stake on the hand: main, ante or split; pair_plus or another where none of them is.",
        ),
        _number("first_seq", "Number of the first card's or decision's event at it; at its seat where there is none."),
        _number("last_seq", "Number of the last one."),
        _time("started_at", "Time of the first one."),
        _time("ended_at", "Time of the last one."),
    ),
)

FINDINGS: Final = Table(
    "findings",
    "a finding: something in the log that is not as the contract, the law or the accounts require",
    (
        *_TABLE_DAY,
        _number("round", "Number of the round; null where it concerns none."),
        _number("seq", "Number of the event where it shows; null where it shows at none."),
        _time("at", "Time of that event."),
        _small("seat", "The seat; null where it concerns none."),
        _text("dealer", f"{_DEALER} at that event."),
        _text("player", "Pseudonym of whom that event names; null where it names nobody."),
        _amount(
            "amount_minor",
            "The stake of the wager, or the amount of chips or cash, that the event is about; null where it is about none.",
        ),
        _text("code", "Kind of finding, such as OVERPAID."),
        _text("severity", "advisory, procedure, money or integrity."),
        _text("article", "The article that says so; empty where no law speaks."),
        _text("message", "What was found, in words."),
        _amount("delta_minor", "Paid less due, where money was found; null elsewhere."),
        _text("before", "What stood in the books, of what was corrected or entered later."),
        _text("after", "What was to stand there."),
        _number("corrected_by", "Number of a correction of the same fact that came when the books were closed."),
        _number("times", "How many advisories of the table-day the row stands for; 1 of every other finding."),
        _amount("stake_minor", "Stakes of the wagers that an advisory is about; null where it is about none."),
    ),
    beside=("at", "dealer", "player", "amount_minor"),
)

ADVISORIES: Final = replace(
    FINDINGS, name="advisories", grain="an advisory where it was found; findings have one row for all of a code"
)

CUSTODY: Final = Table(
    "custody",
    "a movement or count of chips or cash",
    (
        *_TABLE_DAY,
        _number("seq", "Number of the event."),
        _time("at", "Time of the event."),
        _text("kind", "TableOpened, ChipsFilled, ChipsCredited, CashBoughtIn, DropCounted, SlipVoided or TableClosed."),
        _text("slip", "Number of the slip; null where there is none."),
        _amount("amount_minor", "The amount counted or moved; null where not counted."),
        _CURRENCY,
        _text("player", "Pseudonym of who bought in; null where nobody is named."),
        _text("dealer", f"{_DEALER} then."),
        _text("denominations", "JSON object of value in minor units to count; null where not counted."),
        _small(
            "stretch",
            "Null in the first books; 2, 3, ... after the table was opened again, 0 while it was closed, or where a later part"
            " fills in a missing number.",
        ),
    ),
    beside=("currency",),
)

DECISIONS: Final = Table(
    "decisions",
    "a decision of a player",
    (
        *_TABLE_DAY,
        _ROUND,
        _number("seq", "Number of the event."),
        _time("at", "Time of the event."),
        _GAME,
        _SEAT,
        _HAND,
        _text("action", "hit, stand, double, split, surrender, insurance, raise, fold, ..."),
        _text("player", "Pseudonym of who decided; null where the log does not name him."),
        _text("dealer", f"{_DEALER} then."),
    ),
)

TABLE_DAYS: Final = Table(
    "table_days",
    "a table-day",
    (
        *_TABLE_DAY,
        _text("game", "The game that the table opened with; null where the log does not tell."),
        _CURRENCY,
        _small("seats", "Player places on the layout.", "seats"),
        _number("first_seq", "Number of its first event."),
        _number("last_seq", "Number of its last event."),
        _number("events", "Events on the log.", "events"),
        _number("rounds", "Rows of rounds.", "rounds"),
        _number("wagers", "Rows of wagers.", "wagers"),
        _number("unsettled", "Wagers with a known due, be it nothing, that were never settled.", "wagers"),
        _text("container_sha256", "SHA-256 of the log's last sealed part, which follows all before it."),
        _text("digest", "SHA-256 of the verdicts: wagers, rounds, findings and custody."),
        _text("not_checked", "JSON object of check to how often the log could not show it."),
    ),
)

USUAL_VALUES: Final[Mapping[str, int | None]] = {
    **dict.fromkeys(("before", "after", "corrected_by", "stretch", "stake_minor")),
    "times": 1,
}
"""Columns of findings and custody that have this value unless books were corrected or entered into after they closed, or an
advisory was found. Only a column with another value is part of a table-day's digest."""

PLAYED: Final[Sequence[str]] = ("hands", "decisions")
"""Tables of what was played: no verdict depends on them, so they are made on demand."""

DEFINITIONS: Final[Mapping[str, Table]] = {
    table.name: table for table in (WAGERS, ROUNDS, HANDS, FINDINGS, ADVISORIES, CUSTODY, DECISIONS, TABLE_DAYS)
}
"""Every table by name."""

TABLES: Final[Mapping[str, pl.Schema]] = {name: table.schema for name, table in DEFINITIONS.items()}
"""The schema of every table."""
