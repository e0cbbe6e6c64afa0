"""Verdicts: the tables that a replay gives, each column with its type, unit and meaning. Everything after the replay reads only
these; ``pitaudit lake --describe`` prints them.

Amounts are minor units; ``due`` and ``paid`` are nets from the player's side; ``delta`` is paid less due, so it is
positive where the house overpaid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

TIME: Final = pl.Datetime("us", "UTC")
"""The type of moments; the engine's UTC microseconds."""

MINOR: Final = "minor units"
UTC: Final = "UTC, microseconds"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. ``digested``: it is part of the digest of a table-day's verdicts."""

    name: str
    type: pl.DataType | type[pl.DataType]
    meaning: str
    unit: str = ""
    digested: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A table: what a row is (``grain``), and its columns in order."""

    name: str
    grain: str
    columns: tuple[Column, ...]

    @property
    def schema(self) -> pl.Schema:
        """Names and types of the columns."""
        return pl.Schema({column.name: column.type for column in self.columns})


def _extra(name: str, type_: pl.DataType | type[pl.DataType], meaning: str, unit: str = "") -> Column:
    """A column that repeats, or puts more plainly, what the log or another column says; it is not digested."""
    return Column(name, type_, meaning, unit, digested=False)


_TABLE_DAY: Final = (
    Column("table_id", pl.String, "The gaming table."),
    Column("gaming_day", pl.Date, "The gaming day, 06:00 to 06:00 local time unless the property set it otherwise."),
)
_ROUND: Final = Column("round", pl.Int64, "Number of the round within the table-day.")
_SEAT: Final = Column("seat", pl.Int32, "The seat, from 1 at the dealer's left.")
_HAND: Final = Column("hand", pl.Int32, "0 is the seat's first hand; each split opens the next.")
_GAME: Final = _extra("game", pl.String, "The game: black_jack or fortune_3_card_poker.")
_CURRENCY: Final = _extra(
    "currency", pl.String, "ISO 4217 code of all amounts of the row; one major unit is 100 minor units."
)
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
        _extra(
            "position",
            pl.Int32,
            "The bettor's place at the seat: 0 sits there, 1 and up stand behind, nearest to the bank first; null where the "
            "log does not tell.",
        ),
        Column(
            "wager",
            pl.String,
            "Kind of wager (main, double, split, insurance, ante, raise, pair_plus, ...); all or hand where the log settles a "
            "seat, or a hand, in one amount.",
        ),
        Column("player", pl.String, "Pseudonym of the bettor; null where the log does not name him."),
        Column("dealer", pl.String, f"{_DEALER} when it was settled, or placed where it was not settled."),
        Column("placed_seq", pl.Int64, "Number of the event that placed it."),
        Column("settled_seq", pl.Int64, "Number of the event that settled it; null while not settled."),
        Column("placed_at", TIME, "When it was placed.", UTC),
        _extra("settled_at", TIME, "When it was settled; null while not settled.", UTC),
        Column("stake_minor", pl.Int64, "Its stake.", MINOR),
        _extra("limit_min_minor", pl.Int64, "Least stake posted for this kind of wager; null where none is.", MINOR),
        _extra("limit_max_minor", pl.Int64, "Largest stake posted for it; null where none is.", MINOR),
        Column(
            "paid_minor", pl.Int64, "What its settlement changed in the player's chips; null while not settled.", MINOR
        ),
        Column(
            "due_minor",
            pl.Int64,
            "What it must change in the player's chips; null where not judged; whole units, toward zero.",
            MINOR,
        ),
        Column(
            "due_exact", pl.String, "The exact due as a fraction, only where it is no whole minor unit (X-2).", MINOR
        ),
        Column(
            "delta_minor",
            pl.Int64,
            "Paid less the exact due: positive where the house overpaid; whole units, toward zero (X-2).",
            MINOR,
        ),
        Column("status", pl.String, "judged, unsettled, unjudged or void."),
        Column("reason", pl.String, "Why it was not judged; null where it was."),
        Column("article", pl.String, "The article by which it is due that."),
        Column("rulings", pl.String, "Ids of the rulings that the due hangs on, separated by blanks."),
    ),
)

ROUNDS: Final = Table(
    "rounds",
    "a round",
    (
        *_TABLE_DAY,
        _ROUND,
        Column("game", pl.String, _GAME.meaning),
        _CURRENCY,
        Column("regulation", pl.String, "Id of the version of the regulation by which it was judged."),
        Column("dealer", pl.String, f"{_DEALER} when it began."),
        Column("shoe", pl.Int32, "How many times the cards had been shuffled by its end."),
        Column("first_seq", pl.Int64, "Number of its first event."),
        Column("last_seq", pl.Int64, "Number of its last event, corrections aside."),
        Column("started_at", TIME, "Time of its first event.", UTC),
        Column("ended_at", TIME, "Time of its last event, corrections aside.", UTC),
        Column("closed_at", TIME, "When the bets were closed; null where the log does not tell.", UTC),
        Column("seats", pl.Int32, "Seats with wagers.", "seats"),
        Column(
            "bank",
            pl.String,
            "The bank's hand in the game's word: bj, bust, points, or no bj where no more is known; the cards of a croupier, "
            "or void; empty where not known.",
        ),
        Column("status", pl.String, "played, void, incomplete (events are missing) or unjudged."),
    ),
)

HANDS: Final = Table(
    "hands",
    "a hand that got a card in a round and kept one: each hand of a seat, and the bank's, whose seat is null",
    (
        *_TABLE_DAY,
        _ROUND,
        _GAME,
        _extra("seat", pl.Int32, "The seat, from 1 at the dealer's left; null is the bank."),
        _extra("hand", pl.Int32, _HAND.meaning),
        _extra("player", pl.String, "Pseudonym of who placed the first stake on the hand; null for the bank."),
        _extra("bettors", pl.Int32, "How many bettors the seat has; null where none.", "bettors"),
        _extra("dealer", pl.String, f"{_DEALER} when the hand began."),
        _extra(
            "cards",
            pl.String,
            "Its cards in the order dealt, as 9c 3d Th: unnamed ones as they were turned, a split pair in its hands; suit x "
            "where it is not told, ?? a card that the log does not name.",
        ),
        _extra("cards_count", pl.Int32, "How many they are.", "cards"),
        _extra(
            "total",
            pl.Int32,
            "Black Jack: points of the cards, one ace as 11 where that does not exceed 21, all as 1 where it does; null "
            "where a card is not known, and in other games.",
            "points",
        ),
        _extra("soft", pl.Boolean, "Whether an ace counts 11 in the total."),
        _extra(
            "combination",
            pl.String,
            "Fortune 3 Card Poker: straight flush, trio, straight, flush, pair or three odd cards; null where not known.",
        ),
        _extra(
            "decisions",
            pl.String,
            "What was decided on the hand, in order, separated by blanks (hit, stand, double, split, surrender, raise, fold, "
            "...); insurance and even money are none of them.",
        ),
        _extra("upcard", pl.String, "The bank's first card that was dealt open, and kept; null where it had none."),
        _extra("upcard_value", pl.Int32, "Black Jack: its points, 10 for tens and figures, 11 for an ace.", "points"),
        _extra("bank_cards", pl.String, "The bank's cards, as in cards; null where it got none."),
        _extra("bank_total", pl.Int32, "The bank's points, as in total.", "points"),
        _extra(
            "outcome",
            pl.String,
            "What became of it: Black Jack natural, bust, surrender, even_money, five_card_half, prize or played; Fortune "
            "raised, folded, alone (Pair Plus only), null or void; the bank natural, bust, played or void; null where not "
            "judged.",
        ),
        _extra(
            "result",
            pl.String,
            "won, lost or tied, by what the first stake on the hand is due; void where the round was; null where nothing was "
            "staked, or not judged.",
        ),
        _extra(
            "stake_minor",
            pl.Int64,
            "The first stake on the hand: main, ante or split; pair_plus or another where none of them is.",
            MINOR,
        ),
        _extra(
            "first_seq",
            pl.Int64,
            "Number of the first card's or decision's event at it; at its seat where there is none.",
        ),
        _extra("last_seq", pl.Int64, "Number of the last one."),
        _extra("started_at", TIME, "Time of the first one.", UTC),
        _extra("ended_at", TIME, "Time of the last one.", UTC),
    ),
)

FINDINGS: Final = Table(
    "findings",
    "a finding: something in the log that is not as the contract, the law or the accounts require",
    (
        *_TABLE_DAY,
        Column("round", pl.Int64, "Number of the round; null where it concerns none."),
        Column("seq", pl.Int64, "Number of the event where it shows; null where it shows at none."),
        _extra("at", TIME, "Time of that event.", UTC),
        Column("seat", pl.Int32, "The seat; null where it concerns none."),
        _extra("dealer", pl.String, f"{_DEALER} at that event."),
        _extra("player", pl.String, "Pseudonym of whom that event names; null where it names nobody."),
        _extra(
            "amount_minor",
            pl.Int64,
            "The stake of the wager, or the amount of chips or cash, that the event is about; null where it is about none.",
            MINOR,
        ),
        Column("code", pl.String, "Kind of finding, such as OVERPAID."),
        Column("severity", pl.String, "advisory, procedure, money or integrity."),
        Column("article", pl.String, "The article that says so; empty where no law speaks."),
        Column("message", pl.String, "What was found, in words."),
        Column("delta_minor", pl.Int64, "Paid less due, where money was found; null elsewhere.", MINOR),
        Column("before", pl.String, "What stood in the books, of what was corrected or entered later."),
        Column("after", pl.String, "What was to stand there."),
        Column(
            "corrected_by", pl.Int64, "Number of a correction of the same fact that came when the books were closed."
        ),
        Column("times", pl.Int64, "How many advisories of the table-day the row stands for; 1 of every other finding."),
        Column(
            "stake_minor",
            pl.Int64,
            "Stakes of the wagers that an advisory is about; null where it is about none.",
            MINOR,
        ),
    ),
)

ADVISORIES: Final = Table(
    "advisories", "an advisory where it was found; findings have one row for all of a code", FINDINGS.columns
)

CUSTODY: Final = Table(
    "custody",
    "a movement or count of chips or cash",
    (
        *_TABLE_DAY,
        Column("seq", pl.Int64, "Number of the event."),
        Column("at", TIME, "Time of the event.", UTC),
        Column(
            "kind",
            pl.String,
            "TableOpened, ChipsFilled, ChipsCredited, CashBoughtIn, DropCounted, SlipVoided or TableClosed.",
        ),
        Column("slip", pl.String, "Number of the slip; null where there is none."),
        Column("amount_minor", pl.Int64, "The amount counted or moved; null where not counted.", MINOR),
        _CURRENCY,
        Column("player", pl.String, "Pseudonym of who bought in; null where nobody is named."),
        Column("dealer", pl.String, f"{_DEALER} then."),
        Column("denominations", pl.String, "JSON object of value in minor units to count; null where not counted."),
        Column(
            "stretch",
            pl.Int32,
            "Null in the first books; 2, 3, ... after the table was opened again, 0 while it was closed, or where a later part"
            " fills in a missing number.",
        ),
    ),
)

DECISIONS: Final = Table(
    "decisions",
    "a decision of a player",
    (
        *_TABLE_DAY,
        _ROUND,
        Column("seq", pl.Int64, "Number of the event."),
        Column("at", TIME, "Time of the event.", UTC),
        _GAME,
        _SEAT,
        _HAND,
        Column("action", pl.String, "hit, stand, double, split, surrender, insurance, raise, fold, ..."),
        Column("player", pl.String, "Pseudonym of who decided; null where the log does not name him."),
        Column("dealer", pl.String, f"{_DEALER} then."),
    ),
)

TABLE_DAYS: Final = Table(
    "table_days",
    "a table-day",
    (
        *_TABLE_DAY,
        Column("game", pl.String, "The game that the table opened with; null where the log does not tell."),
        Column("currency", pl.String, _CURRENCY.meaning),
        Column("seats", pl.Int32, "Player places on the layout.", "seats"),
        Column("first_seq", pl.Int64, "Number of its first event."),
        Column("last_seq", pl.Int64, "Number of its last event."),
        Column("events", pl.Int64, "Events on the log.", "events"),
        Column("rounds", pl.Int64, "Rows of rounds.", "rounds"),
        Column("wagers", pl.Int64, "Rows of wagers.", "wagers"),
        Column("unsettled", pl.Int64, "Wagers with a known due, be it nothing, that were never settled.", "wagers"),
        Column("container_sha256", pl.String, "SHA-256 of the log's last sealed part, which follows all before it."),
        Column("digest", pl.String, "SHA-256 of the verdicts: wagers, rounds, findings and custody."),
        Column("not_checked", pl.String, "JSON object of check to how often the log could not show it."),
    ),
)

USUAL_VALUES: Final[Mapping[str, int | None]] = {
    "before": None,
    "after": None,
    "corrected_by": None,
    "stretch": None,
    "times": 1,
    "stake_minor": None,
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
