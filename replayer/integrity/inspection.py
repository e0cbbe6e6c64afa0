"""Inspects a table-day's log, before any rule of a game: malformed events, books, corrections and the other checks
(:mod:`replayer.integrity.checks`). Rounds with missing events are marked, so that they are not judged."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

import polars as pl

from replayer.integrity import checks
from replayer.integrity.books import below_earlier_parts, books_of, come_late, may_be_late, up_to
from replayer.integrity.corrections import LateCorrection, corrected
from replayer.integrity.malformed_events import ContractCheck, breaks_contract, check_contract, rounds_affected
from replayer.log.columns import FLAT, KIND_NUMBER, TableDay, is_kind, of_kind, within
from replayer.log.compaction import only
from schemas.finding import Finding
from schemas.kinds import CUSTODY_KINDS, OF_THE_TABLE

_NUMBERED: Final = is_kind(*OF_THE_TABLE) & pl.col("round").is_not_null()
_SELDOM: Final = ((pl.col("option_name") == checks.NOT_RECORDED) | _NUMBERED).any()


class EventsLacking(StrEnum):
    """Why a round that lacks some of its events cannot be judged."""

    MISSING = "events of this round are missing"
    UNSOUND = "events that this round hangs on break the contract"
    DISPUTED = "two different events that this round hangs on have one number"


class TableOpening(NamedTuple):
    """The data of a table's opening; None where it omits them."""

    seq: int
    game: str | None
    currency: str | None
    seats: int | None


@dataclass(frozen=True)
class Log:
    """A table-day's events ready to be judged, and the findings on its log."""

    table_id: str
    gaming_day: dt.date
    events: pl.DataFrame  # by seq, each number once, with corrections in time applied and without late entries
    findings: tuple[Finding, ...] = ()
    lacking: Mapping[int, EventsLacking] = field(default_factory=dict)  # why rounds lack events: the last reason
    not_checked: tuple[str, ...] = ()  # the checks that the log's source does not allow
    left_out: frozenset[int] = frozenset()  # the numbers of late entries, and of wagers that a correction removed
    late_custody: pl.DataFrame = field(default_factory=FLAT.to_frame)  # the late entries of chips and cash
    closed: int | None = None  # the seq at which the books were closed, None where the whole log may count as the books
    stretches: Mapping[int, int] = field(default_factory=dict)  # of custody events outside the books
    corrected: tuple[LateCorrection, ...] = ()  # the corrections that came too late
    unfinished: int | None = None  # the round in the middle of which the log ends
    gaps: frozenset[int] = frozenset()  # the numbers of the events right before which events are missing

    @cached_property
    def openings(self) -> list[TableOpening]:
        """The openings of the table, in order."""
        columns = ("seq", "table_game", "table_currency", "table_seats")
        return [TableOpening(*row) for row in of_kind(self.events, ("TableOpened",), *columns).rows()]

    @property
    def opened(self) -> TableOpening:
        """The first opening; one without any data where there is none."""
        return self.openings[0] if self.openings else TableOpening(0, None, None, None)

    @property
    def books(self) -> pl.DataFrame:
        """The events of the first books, up to their closing."""
        return self.events if self.closed is None else up_to(self.events, self.closed)


def inspect_all(days: Sequence[TableDay]) -> list[Log]:
    """Check table-days: all of them quickly together, and those that look wrong one by one."""
    if not days:
        return []
    frames = [day.events for day in days]
    whole = pl.concat(frames)
    broken = _numbers(frames, whole, breaks_contract)
    miscounted = _numbers(frames, whole, lambda some: checks.with_other_totals(some).height > 0)
    return [
        inspect(day, broken=number in broken)
        if number in broken | miscounted or len(day.parts) > 1 or _looks_wrong(day.events, day.gaming_day)
        else Log(day.table_id, day.gaming_day, day.events, closed=of_kind(day.events, ("TableClosed",), "seq").item())
        for number, day in enumerate(days)
    ]


def _numbers(frames: Sequence[pl.DataFrame], whole: pl.DataFrame, wrong: Callable[[pl.DataFrame], bool]) -> set[int]:
    """The numbers of the frames that are ``wrong``, which is rare, so the ``whole`` of them is checked first."""
    if not wrong(whole):
        return set()
    return {number for number, frame in enumerate(frames) if len(frames) == 1 or wrong(frame)}


def _looks_wrong(events: pl.DataFrame, gaming_day: dt.date) -> bool:
    """Whether any further check may give a finding on the events of one part, or change them.

    Works on one table-day at a time, column by column: grouping all by table-day takes five times as long.
    """
    kinds = events["kind"].to_physical()
    opened = (kinds == KIND_NUMBER["TableOpened"]).arg_true()
    if opened.is_empty() or not (kinds == KIND_NUMBER["TableClosed"]).any():
        return True
    if not {KIND_NUMBER[kind] for kind in checks.MOVING_CHIPS}.isdisjoint(kinds.head(opened[0]).unique()):
        return True
    if any((kinds == KIND_NUMBER[kind]).any() for kind in ("CorrectionMade", "SlipVoided")) or may_be_late(kinds):
        return True
    if (_steps(events["seq"]) != 1).any() or (_steps(events["at"]) < 0).any():
        return True
    if events.select(_SELDOM).item():
        return True
    played = events["round"].is_not_null()
    if not within(events["at"].filter(played), *checks.anywhere(gaming_day)):
        return True
    rounds, kinds = events["round"].drop_nulls(), kinds.filter(played)
    steps, closed = _steps(rounds), kinds == KIND_NUMBER["RoundClosed"]
    if not within(steps, 0, 1) or ((steps == 0) & closed.head(steps.len())).any():
        return True
    voided = kinds == KIND_NUMBER["RoundVoided"]
    if voided.any():
        last = pl.select(pl.when(voided).then(rounds).forward_fill()).to_series()
        if ((last == rounds) & (kinds == KIND_NUMBER["WagerPlaced"])).any():
            return True
    ended = rounds.filter(closed | voided)
    return ended.is_empty() != rounds.is_empty() or (_steps(ended) != 0).sum() != (steps != 0).sum()


def _steps(numbers: pl.Series) -> pl.Series:
    """The differences between consecutive numbers."""
    return numbers.slice(1) - numbers.head(max(0, numbers.len() - 1))


def inspect(day: TableDay, *, broken: bool = True) -> Log:
    """Check a table-day's events; against the contract unless known not to be ``broken``."""
    table_id, gaming_day, frame, on_other_days = day.table_id, day.gaming_day, day.events, day.on_other_days
    part = day.part_of_each
    if not frame["seq"].is_sorted():
        order = frame.select("seq", row=pl.int_range(pl.len())).sort("seq", "row")["row"]
        frame, part = frame[order], part.gather(order)
    once, claims, found = checks.numbers(frame, part)
    events, part = only(frame, once), part.filter(once)
    held = check_contract(events, claims) if broken or claims.height else ContractCheck(events, events.clear())
    sound = held.events
    if sound.select(_NUMBERED.any()).item():
        sound = sound.with_columns(checks.OWN_ROUND)
    part_of_sound = part.filter(events["seq"].is_in(sound["seq"].implode())) if held.left_out else part
    said_first = checks.not_recorded(sound.select(checks.SAID).filter(part_of_sound == 0))
    custody = checks.CUSTODY not in said_first
    books = books_of(sound, part_of_sound, custody=custody)
    fills = events.filter(below_earlier_parts(events["seq"], part))["seq"].to_list() if day.parts else []
    in_order = only(sound, ~sound["seq"].is_in(fills)) if fills else sound
    late = books.late.difference(fills)
    present = on_other_days | held.left_out.difference(fills)
    gaps = checks.gaps_before(books.kept, present | late)
    applied, (ends_in, waiting) = corrected(sound, books), checks.unfinished(books)
    found += [
        *held.found,
        *checks.gaps(in_order, present),
        *checks.clock(in_order),
        *checks.another_day(books.kept, gaming_day),
        *checks.rounds(books, ends_in, waiting),
        # An event set aside may have been the round's only one.
        *checks.missing_rounds(books.kept, on_other_days | late),
        *books.entries(applied.events),
        *applied.entries,
        *checks.denominations(applied.events),
        *checks.voids(applied.events, books.stretches),
    ]
    part_of, in_time = events.select("seq", part=part), ~pl.col("seq").is_in(fills)
    lacking = dict.fromkeys(_incomplete_rounds(books.kept, gaps), EventsLacking.MISSING)
    for broken_events, why in ((held.broken, EventsLacking.UNSOUND), (claims, EventsLacking.DISPUTED)):
        rounds = _rounds_broken(broken_events.filter(in_time), part_of, sound, part_of_sound, custody=custody)
        lacking |= dict.fromkeys(rounds, why)
    findings = (
        Finding(f.code, table_id, gaming_day, f.seq, f.round, message=f.message, before=f.before, after=f.after)
        for f in found
    )
    return Log(
        table_id,
        gaming_day,
        applied.events,
        tuple(findings),
        lacking,
        tuple(sorted({checks.CUSTODY, checks.ROUND_NUMBERS} & checks.not_recorded(books.first))),
        books.late.union(applied.left_out),
        sound.filter(pl.col("seq").is_in(sorted(books.late)), is_kind(*CUSTODY_KINDS)),
        books.periods.closed,
        books.stretches,
        tuple(applied.late),
        ends_in,
        frozenset(gaps),
    )


def _rounds_broken(
    broken: pl.DataFrame, part_of: pl.DataFrame, sound: pl.DataFrame, part_of_sound: pl.Series, *, custody: bool
) -> frozenset[int]:
    """The rounds that cannot be judged because of ``broken`` events that come in time to change them; ``part_of`` has the
    ``part`` of each ``seq``."""
    if broken.is_empty():
        return frozenset()
    rows = sorted(rounds_affected(broken, sound))
    concerned = pl.DataFrame(rows, {"round": pl.Int64, "seq": pl.Int64}, orient="row")
    concerned = concerned.join(part_of, on="seq", how="left")
    late = come_late(sound, part_of_sound, concerned, custody=custody)
    return frozenset(concerned.filter(~late)["round"])


def _incomplete_rounds(events: pl.DataFrame, gaps: Sequence[int]) -> frozenset[int]:
    """The rounds with a gap in them or right before them, and those still open where one begins: they may lack events; and one in
    the middle of which the log begins. ``gaps`` as in :class:`Log`."""
    own = pl.col("round").is_not_null() & ~is_kind("CorrectionMade")  # a correction is no part of its round
    inside = events.select("seq", "round", "kind").filter(own)
    begun_before = (
        not inside.is_empty() and inside["kind"][0] != "WagerPlaced" and 1 < inside["seq"][0] == events["seq"][0]
    )
    rounds = {inside["round"][0]} if begun_before else set[int]()
    for gap in gaps:
        behind = int(inside["seq"].search_sorted(gap, side="left"))
        rounds.update(inside["round"][behind : behind + 1])
        if behind and inside["kind"][behind - 1] != "RoundClosed":
            rounds.add(inside["round"][behind - 1])
    return frozenset(rounds)
