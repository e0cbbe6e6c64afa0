"""The events of a table-day as flat columns, which the replay reads, however the events arrived.

``wager.stake_minor`` becomes ``wager_stake_minor`` and so on; ``at`` is UTC microseconds. Nothing here interprets.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import reduce
from operator import or_
from typing import Any, Final, Literal, TypeVar

import numpy as np
import polars as pl

from schemas.cards import RANKS, SUITS, UNKNOWN, UNKNOWN_SUIT
from schemas.event import BODY_TYPES, Denomination, Event
from schemas.kinds import KINDS, SHAPES

KIND: Final = pl.Enum(KINDS)
KIND_NUMBER: Final = {kind: number for number, kind in enumerate(KINDS)}
FACE: Final = pl.Enum(["up", "down"])
TEXT: Final = pl.Categorical(pl.Categories("texts", "pitaudit.events", pl.UInt32))
"""The texts of events, stored as numbers; a text stays in memory as long as any row that has it."""
_SUITS: Final = SUITS + UNKNOWN_SUIT
NAMED_CARDS: Final = pl.Enum([rank + suit for rank in RANKS for suit in _SUITS])
CARD_NUMBER: Final = pl.col("card").to_physical()
RANK_NUMBER: Final = CARD_NUMBER // len(_SUITS)
HAS_SUIT: Final = CARD_NUMBER % len(_SUITS) != _SUITS.index(UNKNOWN_SUIT)
"""Of the column ``card`` of :func:`cards_of`: the number of a card, that of its rank in ``RANKS``, whether its suit is known."""
CARDS: Final = pl.Enum([*NAMED_CARDS.categories, UNKNOWN])

SUM: Final = pl.Int128
"""The type for sums of amounts: 64 bits hold one amount, and a sum of amounts in 64 bits would overflow silently."""
_Type = pl.DataType | type[pl.DataType]
_ENVELOPE: Final[Mapping[str, _Type]] = {
    "table_id": TEXT, "seq": pl.Int64, "at": pl.Int64, "gaming_day": pl.Date, "round": pl.Int64, "kind": KIND,
}  # fmt: skip
_OF_BODIES: Final[Mapping[str, Mapping[str, _Type]]] = {
    "table": {"game": TEXT, "currency": TEXT, "seats": pl.Int32, "staff": TEXT},
    "option": {
        "name": TEXT, "value": TEXT, "authorisation": TEXT,
        "requested_on": pl.Date, "authorised_on": pl.Date, "effective_on": pl.Date,
    },
    "shoe": {"shoe": pl.Int32, "method": TEXT, "decks": pl.Int32, "cut_by": TEXT, "behind": pl.Int32},
    "card": {"seat": pl.Int32, "hand": pl.Int32, "card": TEXT, "face": FACE},
    "wager": {
        "kind": TEXT, "seat": pl.Int32, "hand": pl.Int32, "player": TEXT, "position": pl.Int32,
        "stake_minor": pl.Int64, "net_minor": pl.Int64,
    },
    "decision": {"seat": pl.Int32, "hand": pl.Int32, "action": TEXT, "player": TEXT, "points": pl.Int32},
    "chips": {
        "amount_minor": pl.Int64, "slip": TEXT, "player": TEXT,
        "denominations": pl.List(pl.Struct({"value_minor": pl.Int64, "count": pl.Int64})),
    },
    "remark": {"cause": TEXT, "refers_to": pl.Int64},
}  # fmt: skip
BODY_COLUMNS: Final = [(f"{body}_{field}", body, field) for body, own in _OF_BODIES.items() for field in own]
"""The columns of the fields of events' bodies: column, body, field."""
FLAT: Final = pl.Schema({**_ENVELOPE, **{column: _OF_BODIES[body][field] for column, body, field in BODY_COLUMNS}})

Bound = TypeVar("Bound", int, dt.date)

_ROWS_AT_A_TIME: Final = 1 << 16
"""Rows processed at a time: more wagers than most batches of table-days have."""

WAGER: Final[Mapping[str, pl.Expr]] = {
    "seat": pl.col("wager_seat"),
    "hand": pl.col("wager_hand").fill_null(0),
    "kind": pl.col("wager_kind"),
    "player": pl.col("wager_player"),
    "stake_minor": pl.col("wager_stake_minor"),
}
"""The columns that identify wagers and their settlements; a wager without a hand lies on the first one. Texts stay numbers of
four bytes until output: a text takes sixteen."""


@dataclass(frozen=True, slots=True)
class TableDay:
    """A table-day's events as read (schema ``FLAT``, in any order).

    ``on_other_days`` are the numbers between its first and its last that other gaming days of the table hold, because some events
    were recorded late, after the next day had begun; ``since`` is the table's last number before the day, where events were
    missing between the two when the day was sealed.
    """

    table_id: str
    gaming_day: dt.date
    events: pl.DataFrame
    on_other_days: frozenset[int] = frozenset()
    sealed: tuple[str, ...] = ()  # the SHA-256 of the parts read, the last of which follows all before it
    parts: tuple[int, ...] = ()  # the number of rows of each, where ``events`` holds several in order
    since: int | None = None

    @property
    def part_of_each(self) -> pl.Series:
        """The number of the part that each event is in."""
        counts = self.parts or (self.events.height,)
        return pl.Series(np.repeat(np.arange(len(counts)), counts))


def lies(how: Literal["up", "down"]) -> pl.Expr:
    """Whether a card lies so when dealt or turned; False where the log does not tell."""
    return (pl.col("card_face").cast(pl.String) == how).fill_null(value=False)


def is_kind(*kinds: str) -> pl.Expr:
    """Whether a row's kind is one of ``kinds``; compares the enum's numbers."""
    number = pl.col("kind").to_physical()
    return number == KIND_NUMBER[kinds[0]] if len(kinds) == 1 else number.is_in([KIND_NUMBER[kind] for kind in kinds])


def is_wager(kinds: Collection[str]) -> pl.Expr:
    """Whether a wager's kind is one of ``kinds``."""
    return pl.col("kind").is_in(sorted(kinds))


def of_kind(events: pl.DataFrame, kinds: Sequence[str], *columns: str) -> pl.DataFrame:
    """Some columns of the events of some kinds; copies no other columns."""
    number = events["kind"].to_physical()
    of_them = reduce(or_, (number == KIND_NUMBER[kind] for kind in kinds))
    return pl.DataFrame([events[column].filter(of_them) for column in columns])


def without(events: pl.DataFrame, seqs: pl.Series) -> pl.DataFrame:
    """The events but those of ``seqs``, which are few."""
    return events if seqs.is_empty() else events.filter(~pl.col("seq").is_in(seqs.implode()))


def cards_of(events: pl.DataFrame, *kinds: str) -> pl.DataFrame:
    """Those columns of the events of some kinds that tell of cards; ``card`` is null where none is named."""
    cards = of_kind(events, kinds, "seq", "kind", "round", "card_seat", "card_hand", "card_card", "card_face")
    return cards.with_columns(pl.col("card_card").cast(NAMED_CARDS, strict=False)).rename({"card_card": "card"})


def within(values: pl.Series, least: Bound, most: Bound) -> bool:
    """Whether all values of a column, numbers or days, lie between two bounds; nulls are ignored."""
    lowest, highest = values.min(), values.max()
    return lowest is None or bool(least <= lowest and highest <= most)  # type: ignore[operator]


def widened(rows: pl.DataFrame, facts: pl.DataFrame, on: Sequence[str]) -> pl.DataFrame:
    """The rows with the columns of their row in ``facts``, of which each has at most one; their own columns are not copied.

    A join takes several times the memory of the keys: long frames are joined in slices, each with the facts in its range of the
    first key, an integer.
    """
    first = pl.col(on[0])

    def beside(some: pl.DataFrame) -> pl.DataFrame:
        least, most = some[on[0]].min(), some[on[0]].max()
        near = facts if some.height == rows.height else facts.filter(first.is_between(least, most) | first.is_null())
        return some.join(near, on=on, how="left", nulls_equal=True, maintain_order="left").drop(on)

    return rows.with_columns(in_slices(rows.select(on), beside).get_columns())


def by_number(rows: pl.DataFrame, column: str) -> pl.DataFrame:
    """The rows by a column of integers, equal ones in the order in which they stand; in half the time of a sorted frame."""
    return rows[np.argsort(rows[column].to_numpy(), kind="stable")].with_columns(pl.col(column).set_sorted())


def in_slices(rows: pl.DataFrame, work: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
    """Apply ``work``, which treats each row independently, to rows; to many rows in slices, to save memory."""
    return work(rows) if rows.height <= _ROWS_AT_A_TIME else pl.concat(map(work, rows.iter_slices(_ROWS_AT_A_TIME)))


def may_repeat(rows: pl.DataFrame, on: Sequence[str]) -> bool:
    """Whether two rows may have the same keys. Compares hashes, in a tenth of the memory of the keys; hashes may collide."""
    return rows.select(on).hash_rows().n_unique() < rows.height


def columns_of(events: Iterable[Event]) -> pl.DataFrame:
    """The events as one frame of schema ``FLAT``; for tests and single rounds (archives are decoded directly)."""
    listed = list(events)
    data: dict[str, list[object]] = {name: [getattr(event, name) for event in listed] for name in _ENVELOPE}
    for column, body, field in BODY_COLUMNS:
        data[column] = [_value(getattr(event, body), field) for event in listed]
    return pl.DataFrame(data, schema=FLAT)


def _value(body: object, field: str) -> object:
    if body is None:
        return None
    value = getattr(body, field)
    if field == "denominations" and value is not None:
        return [{"value_minor": d.value_minor, "count": d.count} for d in value]
    return value


_REQUIRED: Final = {
    body: frozenset(field.name for field in fields(kind) if field.default is MISSING)
    for body, kind in BODY_TYPES.items()
}


def events_of(frame: pl.DataFrame) -> Iterator[Event]:
    """The events of a frame of schema ``FLAT``, the inverse of :func:`columns_of`. A body is None where it has no value, or
    lacks a required one because that broke the contract."""
    for row in frame.iter_rows(named=True):
        bodies: dict[str, Any] = {}  # each of its own type, by BODY_TYPES
        for body, kind in BODY_TYPES.items():
            values: dict[str, Any] = {field: row[f"{body}_{field}"] for field in _OF_BODIES[body]}
            if values.get("denominations") is not None:
                values["denominations"] = tuple(Denomination(**d) for d in values["denominations"])
            present = {field: value for field, value in values.items() if value is not None}
            own = set(present) - {"hand"} or (present and body in SHAPES[row["kind"]].bodies)
            if own and _REQUIRED[body] <= present.keys():
                bodies[body] = kind(**present)
        yield Event(row["table_id"], row["seq"], row["at"], row["gaming_day"], row["kind"], row["round"], **bodies)
