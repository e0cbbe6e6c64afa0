"""The checks of a table-day's log: numbers, clock, rounds, opening and closing, slips and their denominations.

Each takes the events and gives what it finds; none repairs anything. The numbers ``held`` are not missing: other gaming days have
them, or it is found that they break the contract.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Final

import polars as pl

from replayer.integrity.books import EVENT_AFTER_ROUND, Books, Found
from replayer.log.columns import events_of, is_kind, of_kind
from replayer.log.wording import say, without_player
from schemas.event import moment
from schemas.finding import of_integrity
from schemas.kinds import CUSTODY_KINDS, OF_THE_TABLE
from schemas.money import format_amount

SEQUENCE_GAP: Final = of_integrity("SEQUENCE_GAP", "Events are missing")
SEQUENCE_CONFLICT: Final = of_integrity("SEQUENCE_CONFLICT", "Two different events have one number")
EVENT_REPEATED: Final = of_integrity("EVENT_REPEATED", "The same event stands in the log more than once")
CLOCK_BACKWARDS: Final = of_integrity("CLOCK_BACKWARDS", "The table's clock went backwards")
CLOCK_ANOTHER_DAY: Final = of_integrity("CLOCK_ANOTHER_DAY", "Play at a time that is of another gaming day")
ROUND_INTERLEAVED: Final = of_integrity("ROUND_INTERLEAVED", "An event of a round that was over")
ROUND_NOT_CLOSED: Final = of_integrity("ROUND_NOT_CLOSED", "A round without its end")
ROUND_MISSING: Final = of_integrity("ROUND_MISSING", "Numbers of rounds are left out")
TABLE_NOT_OPENED: Final = of_integrity(
    "TABLE_NOT_OPENED", "No opening of the table on the log, or not before play and chips"
)
TABLE_NOT_CLOSED: Final = of_integrity("TABLE_NOT_CLOSED", "No closing of the table on the log")
SLIP_VOID_DANGLING: Final = of_integrity("SLIP_VOID_DANGLING", "A voided slip that the books do not have")
SLIP_VOID_DIFFERS: Final = of_integrity("SLIP_VOID_DIFFERS", "A slip voided at another amount than it was made out for")
DENOMINATIONS_DIFFER: Final = of_integrity(
    "DENOMINATIONS_DIFFER", "An amount of chips to which its denominations do not come"
)

_AN_HOUR: Final = 3_600_000_000
MOVING_CHIPS: Final = ("WagerPlaced", "WagerSettled", *CUSTODY_KINDS)
NOT_RECORDED: Final = "not_recorded"
ROUND_NUMBERS: Final = "round_numbers"
"""Named in ``not_recorded`` by a source that does not number the rounds of a table-day consecutively."""
CUSTODY: Final = "custody"
"""Named in ``not_recorded`` by a source that does not record openings, closings, fills, credits and drops."""
OWN_ROUND: Final = pl.when(~is_kind(*OF_THE_TABLE)).then("round").alias("round")
"""The round of an event; null for events of the table."""
SAID: Final = ("seq", "round", "option_name", "option_value")
_OF_ONE: Final = pl.element().struct.field("value_minor").cast(pl.Int128) * pl.element().struct.field("count")
_CHIPS: Final = pl.col("chips_denominations")
_TOTAL: Final = _CHIPS.list.eval(_OF_ONE).list.sum()


def not_recorded(events: pl.DataFrame) -> frozenset[str]:
    """The facts that the source of a log does not record, as elected by the table (option ``not_recorded``) before the first
    round; a later election does not count."""
    elected = events.select(SAID).filter(pl.col("option_name").is_not_null())
    said = elected.filter(pl.col("option_name") == NOT_RECORDED)
    if said.is_empty():
        return frozenset()
    first = events.filter(pl.col("round").is_not_null())["seq"].min()
    ahead = pl.lit(value=True) if first is None else pl.col("seq") < first
    values = said.filter(ahead)["option_value"].drop_nulls().to_list()
    return frozenset(name.strip() for value in values for name in value.split(","))


def anywhere(gaming_day: dt.date) -> tuple[int, int]:
    """The first and the last UTC microsecond that may belong to a gaming day, for any time zone and first hour."""
    midnight = (gaming_day - dt.date(1970, 1, 1)).days * 24
    return (midnight - 14) * _AN_HOUR, (midnight + 12 + 24 + 24) * _AN_HOUR - 1


def with_other_totals(events: pl.DataFrame) -> pl.DataFrame:
    """The ``seq``, amount and total of each event whose denominations, if any, do not add up to its amount."""
    counts = events.select("seq", "chips_amount_minor", _CHIPS).filter(_CHIPS.list.len() > 0)
    rows = counts.select("seq", "chips_amount_minor", total=_TOTAL)
    return rows.filter(pl.col("chips_amount_minor") != pl.col("total"))


def denominations(events: pl.DataFrame) -> Iterator[Found]:
    """The findings on denominations that do not add up to the amount beside them: a slip states both."""
    for seq, amount, total in with_other_totals(events).iter_rows():
        message = f"{format_amount(amount)} by denominations that come to {format_amount(total)}"
        yield Found(DENOMINATIONS_DIFFER, seq, message)


def numbers(frame: pl.DataFrame, part: pl.Series) -> tuple[pl.Series, pl.DataFrame, list[Found]]:
    """The rows of sorted events that are the first of their number; the events in dispute, which are different events of one
    number in the part that had it first; and the findings on repetitions and conflicts."""
    once = (frame["seq"].diff() != 0).fill_null(value=True)
    if once.all():
        return once, frame.clear(), []
    same = frame.with_columns(part=part).filter(pl.col("seq").is_duplicated())
    first = same.filter(pl.col("part") == pl.col("part").min().over("seq")).drop("part").unique()
    claims = first.filter(pl.col("seq").is_duplicated())
    same = same.drop("part")
    by_number = same.with_columns(OWN_ROUND).group_by("seq", maintain_order=True)
    one_round = pl.when(pl.col("round").n_unique() == 1).then(pl.col("round").first())
    distinct = dict(same.unique().group_by("seq").len().iter_rows())
    findings = []
    for seq, times, round_ in by_number.agg(pl.len(), one_round).iter_rows():
        code = EVENT_REPEATED if distinct[seq] == 1 else SEQUENCE_CONFLICT
        findings.append(Found(code, seq, f"seq {seq} stands {times} times", round_))
    return once, claims, findings


def gaps(events: pl.DataFrame, held: Collection[int]) -> Iterator[Found]:
    """The findings on numbers missing between the first and the last."""
    seqs, in_order = events["seq"], sorted(held)
    for index in (seqs.diff() > 1).arg_true().to_list():
        before, after = seqs[index - 1], seqs[index]
        missing = after - before - 1 - (bisect_left(in_order, after) - bisect_right(in_order, before))
        if missing:
            message = f"{missing} event(s) missing before seq {after}"
            yield Found(SEQUENCE_GAP, after, message, events["round"][index])


def gaps_before(events: pl.DataFrame, held: Collection[int]) -> list[int]:
    """The numbers of the events right before which others are missing."""
    return [found.seq for found in gaps(events, held) if found.seq is not None]


def clock(events: pl.DataFrame) -> Iterator[Found]:
    """The findings on times before that of the previous event."""
    step = events["at"].diff()
    for index in (step < 0).arg_true().to_list():
        message = f"{-step[index] / 1_000_000:.6f} s before the event before it"
        yield Found(CLOCK_BACKWARDS, events["seq"][index], message, events["round"][index])


def another_day(events: pl.DataFrame, gaming_day: dt.date) -> Iterator[Found]:
    """The finding on rounds at times outside of the gaming day, because a round's time decides the version of the law. Late
    entries are no play."""
    played = pl.col("round").is_not_null() & ~is_kind("CorrectionMade")
    off = events.filter(played & ~pl.col("at").is_between(*anywhere(gaming_day)))
    if off.height:
        seq, number, at = off.select("seq", "round", "at").row(0)
        message = f"{off.height} event(s) of rounds, the first at {moment(at):%Y-%m-%d %H:%M:%S} UTC"
        yield Found(CLOCK_ANOTHER_DAY, seq, message, number)


def unfinished(books: Books) -> tuple[int | None, str]:
    """The round in the middle of which the log ends, at a table that was not closed, None where there is none; and in words the
    seats whose wagers wait to be settled."""
    own = pl.col("round").is_not_null() & ~is_kind("CorrectionMade")
    events = books.kept.select("seq", "round", "kind", "wager_seat").filter(own)
    if events.is_empty() or (of_kind(books.kept, ("TableClosed",), "seq")["seq"] > events["seq"][-1]).any():
        return None, ""
    last = events.filter(pl.col("round") == events["round"][-1])
    if last.select(is_kind("RoundClosed", "RoundVoided").any()).item():
        return None, ""
    placed, settled = (of_kind(last, (kind,), "wager_seat")["wager_seat"] for kind in ("WagerPlaced", "WagerSettled"))
    waiting = sorted(set(placed).difference(settled))
    return events["round"][-1] if waiting else None, ", ".join(f"seat {seat}" for seat in waiting)


def rounds(books: Books, ends_in: int | None, waiting: str) -> Iterator[Found]:
    """The findings on rounds out of order, without an end or with events after it, and on a table not opened or closed; the log
    ends in a round as :func:`unfinished` says."""
    events = books.kept
    # A correction is no event of the round that it speaks of.
    columns = events.select("seq", "round", "kind")
    inside = columns.filter(pl.col("round").is_not_null() & ~is_kind("CorrectionMade"))
    late = inside["round"].diff() < 0
    for index in late.arg_true().to_list():
        number, seq = inside["round"][index], inside["seq"][index]
        yield Found(ROUND_INTERLEAVED, seq, f"round {number} had given way to a later one", number)
    end, void = (pl.col("seq").filter(is_kind(kind)).first() for kind in ("RoundClosed", "RoundVoided"))
    ends = inside.filter(is_kind("RoundClosed", "RoundVoided")).group_by("round").agg(end=end, void=void)
    open_ = inside.filter(~pl.col("round").is_in(ends["round"].implode()))
    for number, seq in open_.group_by("round", maintain_order=True).agg(pl.col("seq").last()).iter_rows():
        what = f"the log ends in round {number}, before the wagers at {waiting} were settled"
        yield Found(ROUND_NOT_CLOSED, seq, what if number == ends_in else f"round {number} never ends", number)
    ended = inside.with_columns(late=late.fill_null(value=False)).join(ends, on="round", maintain_order="left")
    # What a void round returns is settled after it, and new bets are for a new round.
    over = (pl.col("seq") > pl.col("end")) | (is_kind("WagerPlaced") & (pl.col("seq") > pl.col("void")))
    after = ended.filter(over & ~pl.col("late"))["seq"]
    if not after.is_empty():
        for event in events_of(events.filter(pl.col("seq").is_in(after.implode()))):
            # It still counts, as nothing shows it to be untrue.
            what = say(without_player(event))
            yield Found(EVENT_AFTER_ROUND, event.seq, f"{what}; round {event.round} was over", event.round, after=what)
    if CUSTODY in not_recorded(books.first):
        return
    kinds = set(books.first["kind"].unique().to_list())
    first, last = (events["seq"][0], books.sealed) if events.height else (None, None)
    if "TableOpened" not in kinds:
        yield Found(TABLE_NOT_OPENED, first, "no opening inventory: custody cannot be reconciled")
    else:
        yield from _before_opening(books.first)
    if "TableClosed" not in kinds:
        yield Found(TABLE_NOT_CLOSED, last, "no closing inventory: custody cannot be reconciled")


def _before_opening(events: pl.DataFrame) -> Iterator[Found]:
    """The finding on chips moved before the opening count, which may have them in it, so that the books count them twice."""
    opened = events.filter(is_kind("TableOpened"))["seq"][0]
    before = events.filter(pl.col("seq") < opened)
    moved = before.filter(is_kind(*MOVING_CHIPS))["seq"]
    if not moved.is_empty():
        said = f"before the table was opened, at seq {opened}: the opening inventory may have in it what this moved"
        yield Found(TABLE_NOT_OPENED, moved[0], said)


def voids(events: pl.DataFrame, stretches: Mapping[int, int]) -> Iterator[Found]:
    """The findings on voids of slips that the same books, while open, do not have before, or have at another amount. A slip
    without a number may be any slip."""
    standing: defaultdict[tuple[int, str | None], list[int | None]] = defaultdict(list)
    moves = ("ChipsFilled", "ChipsCredited", "SlipVoided")
    rows = of_kind(events, moves, "seq", "kind", "chips_slip", "chips_amount_minor")
    for seq, kind, slip, amount in rows.iter_rows():
        pile = stretches.get(seq, 1), slip
        certain = pile[0] and slip is not None and not standing[pile[0], None]
        if kind != "SlipVoided":
            standing[pile].append(amount)
        elif standing[pile]:
            stood = standing[pile].pop()
            if certain and stood is not None and amount is not None and stood != amount:
                said = f"slip {slip} of {format_amount(stood)} is voided as one of {format_amount(amount)}"
                yield Found(SLIP_VOID_DIFFERS, seq, said)
        elif certain:
            yield Found(SLIP_VOID_DANGLING, seq, f"no slip {slip} stands before it: nothing is voided")


def missing_rounds(events: pl.DataFrame, held: Collection[int]) -> Iterator[Found]:
    """The findings on round numbers left out between the first and the last where no event is missing."""
    if ROUND_NUMBERS in not_recorded(events):
        return
    events = events.select("seq", "round", "kind").filter(~is_kind("CorrectionMade"))
    inside = events.drop_nulls("round").select("seq", "round", before=pl.col("seq").shift())
    taken_up = inside.filter((pl.col("round") != pl.col("round").shift()).fill_null(value=True))
    begins = taken_up.unique("round", keep="first", maintain_order=True).sort("round")
    behind_gaps = gaps_before(events, held)
    for (earlier, _, _), (number, seq, before) in pairwise(begins.select("round", "seq", "before").rows()):
        excused = before is not None and bisect_right(behind_gaps, seq) > bisect_right(behind_gaps, before)
        if number - earlier > 1 and not excused:
            missing = f"rounds {earlier + 1} to {number - 1}" if number - earlier > 2 else f"round {earlier + 1}"
            message = f"{missing} left out: round {number} follows round {earlier}, and no event is missing"
            yield Found(ROUND_MISSING, seq, message, number)
