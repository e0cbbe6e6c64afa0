"""Finds malformed events, by columns: without the fields that their kind requires, or beyond the bounds of a field.

An event that breaks this contract (``schemas.kinds``, ``schemas.bounds``) gives a finding and is set aside, as if it were
missing: nothing that depends on it is judged, and none of its values reaches the packing of situations. Different events with one
number are set aside too, as none is certain.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import polars as pl

from replayer.integrity.books import Found
from replayer.log.columns import BODY_COLUMNS, CARDS, is_kind
from replayer.log.compaction import by_pieces, only
from schemas.bounds import DAYS, FIRST_DAY, LAST_DAY, LISTS, NUMBERS, TEXTS
from schemas.finding import Code, of_integrity
from schemas.kinds import BODIES, CUSTODY_KINDS, SHAPES, SHOE_KINDS
from schemas.money import format_amount

EVENT_MALFORMED: Final = of_integrity(
    "EVENT_MALFORMED", "An event lacks what its kind requires, or carries what it must not"
)
VALUE_OUT_OF_BOUNDS: Final = of_integrity("VALUE_OUT_OF_BOUNDS", "A number or a text beyond what the contract allows")
CARD_UNKNOWN: Final = of_integrity("CARD_UNKNOWN", "A text that should name a card names none")
STAKE_NEGATIVE: Final = of_integrity("STAKE_NEGATIVE", "A stake below zero")
KIND_UNKNOWN: Final = of_integrity("KIND_UNKNOWN", "A kind of event that this program does not know")

_KEPT: Final = (*CUSTODY_KINDS, "ShoeShuffled", "DealerEntered", "DealerLeft")
"""Kinds that begin something, or that the books count: these events stay, without the values that break the contract."""
_SHOWN: Final = 20
"""Letters shown in a finding of a text that names no card."""


@dataclass(frozen=True, slots=True)
class ContractCheck:
    """Events that keep the contract, and the others."""

    events: pl.DataFrame
    broken: pl.DataFrame  # all that break it, including those kept without values
    found: tuple[Found, ...] = ()
    left_out: frozenset[int] = frozenset()  # the numbers of those set aside


def _column(path: str) -> str:
    return "_".join(path.split(".")[:2])


class _Beyond(NamedTuple):
    """Whether a row's value is beyond the bounds of a field, whether the smallest or the largest value is, and the message."""

    fault: pl.Expr
    farthest: pl.Expr
    message: pl.Expr


def _beyond(path: str) -> _Beyond:
    column = pl.col(_column(path))
    if path in TEXTS:
        most, length = TEXTS[path], column.cat.len_chars()
        farthest = column.drop_nulls().cat.len_bytes().max() > most  # no more characters than bytes
        return _Beyond(length > most, farthest, pl.format(f"{path} has {{}} characters; {most} are the most", length))
    if path in LISTS:
        most, length = LISTS[path], column.list.len()
        return _Beyond(
            length > most, length.max() > most, pl.format(f"{path} has {{}} entries; {most} are the most", length)
        )
    if path in DAYS:
        fault = _outside(column, column, FIRST_DAY, LAST_DAY)
        farthest = _outside(column.min(), column.max(), FIRST_DAY, LAST_DAY)
        return _Beyond(fault, farthest, pl.lit(f"{path} is no day from {FIRST_DAY} to {LAST_DAY}"))
    least, most = NUMBERS[path]
    _, _, inner = path.partition("denominations.")
    if inner:
        each, numbers = pl.element().struct.field(inner), column.drop_nulls().explode().struct.field(inner)
        fault = column.list.eval(_outside(each, each, least, most)).list.any()
        message = pl.lit(f"{path} is not {least} to {most} in each of its entries")
    else:
        numbers, fault = column, _outside(column, column, least, most)
        message = pl.format(f"{path} is {{}}; it is {least} to {most}", column)
    return _Beyond(fault, _outside(numbers.min(), numbers.max(), least, most), message)


def _outside(smallest: pl.Expr, largest: pl.Expr, least: int | dt.date, most: int | dt.date) -> pl.Expr:
    return (smallest < least) | (largest > most)


_LACKING: Final = {
    path: is_kind(*kinds) & pl.col(_column(path)).is_null()
    for path in ("round", *(f"{body}.{field}" for _, body, field in BODY_COLUMNS))
    if (kinds := [kind for kind, shape in SHAPES.items() if path in shape.required])
}
"""For each field that some kind requires, whether a row of such a kind lacks it."""
_FOREIGN: Final = {
    body: ~is_kind(*(kind for kind, shape in SHAPES.items() if body in shape.bodies))
    & pl.any_horizontal(pl.col(column).is_not_null() for column, owner, _ in BODY_COLUMNS if owner == body)
    for body in BODIES
}
"""For each body, whether a row has it although its kind must not carry it."""
# A gaming day is the table-day's, as its path says.
_BOUNDED: Final = {path: _beyond(path) for path in (*NUMBERS, *TEXTS, *DAYS, *LISTS) if path != "gaming_day"}
_BEYOND: Final = {path: beyond.fault.fill_null(value=False) for path, beyond in _BOUNDED.items()}
_UNSOUND: Final = pl.any_horizontal(*_LACKING.values(), *_FOREIGN.values(), *_BEYOND.values())


_GLANCES: Final = [
    [glance.fill_null(value=False).alias(str(number)) for number, glance in enumerate(glances)]
    for glances in (
        [fault.any() for fault in (*_LACKING.values(), *_FOREIGN.values())],
        [
            *(beyond.farthest for beyond in _BOUNDED.values()),
            pl.col("card_card").drop_nulls().unique().cast(CARDS, strict=False).is_null().any(),
            is_kind("Unknown").any(),
        ],
    )
]
"""Two queries: planning a single one takes half as long again."""


_AT_ONCE: Final = 1 << 18
"""Events checked together: each check needs a temporary column."""


def breaks_contract(events: pl.DataFrame) -> bool:
    """Whether some event (schema ``FLAT``) may break the contract; a quick test before :func:`check_contract`."""
    looked = (some.select(glances) for some in events.iter_slices(_AT_ONCE) for glances in _GLANCES)
    return any(any(look.row(0)) for look in looked)  # one expression of them all takes ten times as long


def check_contract(events: pl.DataFrame, claims: pl.DataFrame) -> ContractCheck:
    """Check a table-day's events (schema ``FLAT``, by ``seq``, each number once) against the contract.

    ``claims`` are the different events with one number. Of these, too, kinds that begin something stay, with the values on which
    all of them agree. They are not among the ``broken`` ones.
    """
    if claims.is_empty() and not breaks_contract(events):
        return ContractCheck(events, events.clear())
    disputed = events["seq"].is_in(claims["seq"].unique().implode())
    found = tuple(_found(events.filter(~disputed)))
    events = _agreed(events, claims)
    unsound = events.select(_UNSOUND).to_series() & ~disputed
    if not (unsound | disputed).any():
        return ContractCheck(events, events.clear(), found)
    kept = events.select(is_kind(*_KEPT) & pl.col("seq").is_between(*NUMBERS["seq"])).to_series().fill_null(value=False)
    sound = by_pieces(only(events, ~(unsound | disputed) | kept), _without_values)
    aside = events["seq"].filter((unsound | disputed) & ~kept).to_list()
    return ContractCheck(sound, events.filter(unsound), found, frozenset(aside))


def _agreed(events: pl.DataFrame, claims: pl.DataFrame) -> pl.DataFrame:
    """The events without the values in which the claims to their number differ."""
    differ = claims.group_by("seq").agg(pl.all().n_unique() > 1)
    numbers = {name: differ.filter(name)["seq"] for name in differ.columns[1:]}
    agreed = {name: ~pl.col("seq").is_in(seqs.implode()) for name, seqs in numbers.items() if len(seqs)}
    values = [pl.when(agree).then(name).alias(name) for name, agree in agreed.items()]
    return by_pieces(events, lambda piece: piece.with_columns(values)) if values else events


def _found(events: pl.DataFrame) -> Iterator[Found]:
    def report(code: Code, fault: pl.Expr, said: pl.Expr) -> Iterator[Found]:
        number = pl.when(pl.col("round").is_between(*NUMBERS["round"])).then("round")
        for seq, round_, message in events.filter(fault).select("seq", number, said.alias("said")).iter_rows():
            yield Found(code, seq, message, round_)

    kind = pl.col("kind").cast(pl.String)
    for path in _hit(events, _LACKING):
        yield from report(EVENT_MALFORMED, _LACKING[path], kind + f" lacks {path}")
    for body in _hit(events, _FOREIGN):
        yield from report(EVENT_MALFORMED, _FOREIGN[body], kind + f" must not carry {body}")
    negative = pl.col("wager_stake_minor") < 0
    for path in _hit(events, _BEYOND):
        stake = negative if path == "wager.stake_minor" else pl.lit(value=False)
        yield from report(VALUE_OUT_OF_BOUNDS, _BEYOND[path] & ~stake, _BOUNDED[path].message)
    for seq, round_, minor in events.filter(negative).select("seq", "round", "wager_stake_minor").iter_rows():
        yield Found(STAKE_NEGATIVE, seq, f"stake {format_amount(minor)}", round_)
    no_card = pl.col("card_card").is_not_null() & pl.col("card_card").cast(CARDS, strict=False).is_null()
    for seq, round_, card in events.filter(no_card).select("seq", "round", "card_card").iter_rows():
        shown = card if len(card) <= _SHOWN else card[:_SHOWN] + "..."
        yield Found(CARD_UNKNOWN, seq, f"{shown!r} is no card", round_)
    yield from report(KIND_UNKNOWN, is_kind("Unknown"), pl.lit("written by a later version of the schema"))


def _hit(events: pl.DataFrame, faults: Mapping[str, pl.Expr]) -> list[str]:
    """The names of the faults that any row has."""
    wrong = events.select(**{path: fault.any() for path, fault in faults.items()}).row(0, named=True)
    return [path for path, is_wrong in wrong.items() if is_wrong]


def _without_values(events: pl.DataFrame) -> pl.DataFrame:
    """The events without the values that break the contract."""
    faults = {_column(path): fault for path, fault in _BEYOND.items() if path.count(".") < 2 and path != "seq"}
    for path in (path for path in _BEYOND if path.count(".") == 2):
        faults["chips_denominations"] = faults["chips_denominations"] | _BEYOND[path]
    for column, owner, _ in BODY_COLUMNS:
        faults[column] = faults.get(column, pl.lit(value=False)) | _FOREIGN[owner]
    faults["round"] = faults["round"] | _BEYOND["at"]  # an event without its moment begins no round
    return events.with_columns(pl.when(~fault).then(column).alias(column) for column, fault in faults.items())


def rounds_affected(broken: pl.DataFrame, sound: pl.DataFrame) -> set[tuple[int, int]]:
    """The rounds that cannot be judged because of ``broken`` events, each with the number of such an event.

    These are the events' own rounds; where a round is missing, the one before and the one after; the next one for an event of the
    shoe, the one before for a moved marker, all later ones for an elected option, and for a correction the round of its event.
    """
    own = pl.when(~is_kind("CorrectionMade")).then("round")  # a correction is no part of its round
    seqs, numbers = sound["seq"].rechunk(), sound.select(own)["round"].rechunk()
    last, following = numbers.fill_null(strategy="forward"), numbers.fill_null(strategy="backward")
    columns = ("seq", "kind", "round", "remark_refers_to")
    elected: tuple[int, int] | None = None
    referred: set[tuple[int | None, int]] = set()
    for seq, kind, number, target in broken.select(columns).iter_rows():
        here = int(seqs.search_sorted(seq, side="left"))
        before = last[here - 1] if here else None
        after = following[here] if here < len(seqs) else None
        fits = number is not None and NUMBERS["round"][0] <= number <= NUMBERS["round"][1]
        if fits:
            referred.add((number, seq))
        if kind == "OptionElected":
            elected = min(elected or (here, seq), (here, seq))
        elif kind == "CorrectionMade":
            at = int(seqs.search_sorted(target, side="left"))
            referred.add((numbers[at] if at < len(seqs) and seqs[at] == target else None, seq))
        elif kind in SHOE_KINDS:
            referred.add((None if fits and kind != "ShoeShuffled" else after, seq))
        elif kind == "MarkerMoved":
            referred.add((None if fits else before, seq))
        elif not fits and (number is not None or "round" in SHAPES[kind].required):
            referred |= {(before, seq), (after, seq)}
    if elected is not None:
        begin, seq = elected
        referred |= {(number, seq) for number in numbers[begin:].unique()}
    return {(number, seq) for number, seq in referred if number is not None}
