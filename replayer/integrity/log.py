"""Checks a table-day's log, before any rule of a game: sequence, clock, contract, rounds, books and corrections.

Each check takes the events and gives findings; none repairs anything. Rounds with missing events are marked, so that they are not
judged.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from replayer.columns import FLAT, KIND_NUMBER, events_of, is_kind, of_kind, within
from replayer.compaction import only
from replayer.integrity.books import Books, Entry, below_earlier_parts, books_of, come_late, may_be_late, up_to
from replayer.integrity.contract import ContractCheck, breaks_contract, check_contract, rounds_affected
from replayer.integrity.corrections import LateCorrection, corrected
from replayer.integrity.denominations import DENOMINATIONS_DIFFER, denominations_differ, differing
from replayer.wording import say, without_player
from schemas.event import moment
from schemas.finding import Finding, Severity, declare
from schemas.kinds import CUSTODY_KINDS, OF_THE_TABLE
from schemas.money import format_amount

SEQUENCE_GAP: Final = declare("SEQUENCE_GAP", Severity.INTEGRITY, "Events are missing")
SEQUENCE_CONFLICT: Final = declare("SEQUENCE_CONFLICT", Severity.INTEGRITY, "Two different events have one number")
EVENT_REPEATED: Final = declare("EVENT_REPEATED", Severity.INTEGRITY, "The same event stands in the log more than once")
CLOCK_BACKWARDS: Final = declare("CLOCK_BACKWARDS", Severity.INTEGRITY, "The table's clock went backwards")
CLOCK_ANOTHER_DAY: Final = declare(
    "CLOCK_ANOTHER_DAY", Severity.INTEGRITY, "Play at a time that is of another gaming day"
)
ROUND_INTERLEAVED: Final = declare("ROUND_INTERLEAVED", Severity.INTEGRITY, "An event of a round that was over")
EVENT_AFTER_ROUND: Final = declare("EVENT_AFTER_ROUND", Severity.INTEGRITY, "An event of a round that was closed")
ROUND_NOT_CLOSED: Final = declare("ROUND_NOT_CLOSED", Severity.INTEGRITY, "A round without its end")
ROUND_MISSING: Final = declare("ROUND_MISSING", Severity.INTEGRITY, "Numbers of rounds are left out")
TABLE_NOT_OPENED: Final = declare(
    "TABLE_NOT_OPENED", Severity.INTEGRITY, "No opening of the table on the log, or not before play and chips"
)
TABLE_NOT_CLOSED: Final = declare("TABLE_NOT_CLOSED", Severity.INTEGRITY, "No closing of the table on the log")
SLIP_VOID_DANGLING: Final = declare(
    "SLIP_VOID_DANGLING", Severity.INTEGRITY, "A voided slip that the books do not have"
)
SLIP_VOID_DIFFERS: Final = declare(
    "SLIP_VOID_DIFFERS", Severity.INTEGRITY, "A slip voided at another amount than it was made out for"
)

_AN_HOUR: Final = 3_600_000_000
_MOVING_CHIPS: Final = ("WagerPlaced", "WagerSettled", *CUSTODY_KINDS)
NOT_RECORDED: Final = "not_recorded"
ROUND_NUMBERS: Final = "round_numbers"
"""Named in ``not_recorded`` by a source that does not number the rounds of a table-day consecutively."""
CUSTODY: Final = "custody"
"""Named in ``not_recorded`` by a source that does not record openings, closings, fills, credits and drops."""


class TableOpening(NamedTuple):
    """The data of a table's opening; None where it omits them."""

    seq: int
    game: str | None
    currency: str | None
    seats: int | None


@dataclass(frozen=True)
class Log:
    """A table-day's events ready to be judged, and the findings on its log.

    Attributes:
        events: ordered by ``seq``, each number once, with corrections in time applied and without late entries.
        incomplete_rounds: the rounds that lack events.
        gaps: the numbers of the events right before which events are missing.
        not_checked: the checks that the log's source does not allow.
        unsound: the rounds that depend on events that break the contract.
        disputed: the rounds that depend on a number used by two different events.
        late: the numbers of the late entries.
        late_custody: those of chips and cash among them.
        closed: the ``seq`` at which the books were closed, None where the whole log may count as the books.
        stretches: the stretches of custody events outside the books.
        corrected: the corrections that came too late.
    """

    table_id: str
    gaming_day: dt.date
    events: pl.DataFrame
    findings: tuple[Finding, ...]
    incomplete_rounds: frozenset[int]
    not_checked: tuple[str, ...] = ()
    unsound: frozenset[int] = frozenset()
    disputed: frozenset[int] = frozenset()
    late: frozenset[int] = frozenset()
    late_custody: pl.DataFrame = field(default_factory=FLAT.to_frame)
    closed: int | None = None
    stretches: Mapping[int, int] = field(default_factory=dict)
    corrected: tuple[LateCorrection, ...] = ()
    gaps: frozenset[int] = frozenset()

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


@dataclass(frozen=True, slots=True)
class TableDay:
    """A table-day's events as read (schema ``FLAT``, in any order).

    Attributes:
        on_other_days: the numbers between its first and its last that other gaming days of the table hold, because some
            events were recorded late, after the next day had begun.
        sealed: the SHA-256 of the parts read; ``parts`` has the number of rows of each, where ``events`` holds several in order.
        since: the table's last number before the day, where events were missing between the two when the day was sealed.
    """

    table_id: str
    gaming_day: dt.date
    events: pl.DataFrame
    container_sha256: str = ""
    on_other_days: frozenset[int] = frozenset()
    sealed: tuple[str, ...] = ()
    parts: tuple[int, ...] = ()
    since: int | None = None


def inspect_all(days: Sequence[TableDay]) -> list[Log]:
    """Check table-days: all of them quickly together, and those that look wrong one by one."""
    if not days:
        return []
    frames = [day.events for day in days]
    whole = pl.concat(frames)
    broken, miscounted = (_numbers(frames, whole, wrong) for wrong in (breaks_contract, denominations_differ))
    return [
        inspect(day, broken=number in broken)
        if number in broken | miscounted or len(day.parts) > 1 or _looks_wrong(day.events, day.gaming_day)
        else Log(day.table_id, day.gaming_day, day.events, (), frozenset())
        for number, day in enumerate(days)
    ]


def _numbers(frames: Sequence[pl.DataFrame], whole: pl.DataFrame, wrong: Callable[[pl.DataFrame], bool]) -> set[int]:
    """The numbers of the frames that are ``wrong``, which is rare, so the ``whole`` of them is checked first."""
    if not wrong(whole):
        return set()
    return {number for number, frame in enumerate(frames) if len(frames) == 1 or wrong(frame)}


def _anywhere(gaming_day: dt.date) -> tuple[int, int]:
    """The first and the last UTC microsecond that may belong to a gaming day, for any time zone and first hour."""
    midnight = (gaming_day - dt.date(1970, 1, 1)).days * 24
    return (midnight - 14) * _AN_HOUR, (midnight + 12 + 24 + 24) * _AN_HOUR - 1


def _looks_wrong(events: pl.DataFrame, gaming_day: dt.date) -> bool:
    """Whether any further check may give a finding on the events of one part, or change them.

    Works on one table-day at a time, column by column: grouping all by table-day takes five times as long.
    """
    kinds = events["kind"].to_physical()
    opened = (kinds == KIND_NUMBER["TableOpened"]).arg_true()
    if opened.is_empty() or not (kinds == KIND_NUMBER["TableClosed"]).any():
        return True
    if not {KIND_NUMBER[kind] for kind in _MOVING_CHIPS}.isdisjoint(kinds.head(opened[0]).unique()):
        return True
    if any((kinds == KIND_NUMBER[kind]).any() for kind in ("CorrectionMade", "SlipVoided")) or may_be_late(kinds):
        return True
    if (_steps(events["seq"]) != 1).any() or (_steps(events["at"]) < 0).any():
        return True
    if events.select(_SELDOM).item():
        return True
    played = events["round"].is_not_null()
    if not within(events["at"].filter(played), *_anywhere(gaming_day)):
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


def part_of_each(counts: Sequence[int]) -> pl.Series:
    """The number of the part that each event is in, by how many events each part has."""
    return pl.Series(np.repeat(np.arange(len(counts)), counts))


def inspect(day: TableDay, *, broken: bool = True) -> Log:
    """Check a table-day's events; against the contract unless known not to be ``broken``."""
    table_id, gaming_day, frame, on_other_days = day.table_id, day.gaming_day, day.events, day.on_other_days
    checks = _Checks(table_id, gaming_day, on_other_days)
    part = part_of_each(day.parts or (frame.height,))
    if not frame["seq"].is_sorted():
        order = frame.select("seq", row=pl.int_range(pl.len())).sort("seq", "row")["row"]
        frame, part = frame[order], part.gather(order)
    once, claims, findings = checks.numbers(frame, part)
    events, part = only(frame, once), part.filter(once)
    held = (
        check_contract(events, table_id, gaming_day, claims)
        if broken or claims.height
        else ContractCheck(events, events.clear())
    )
    sound = held.events
    if sound.select(_NUMBERED.any()).item():
        sound = sound.with_columns(OWN_ROUND)
    part_of_sound = part.filter(events["seq"].is_in(sound["seq"].implode())) if held.left_out else part
    said_first = not_recorded(sound.select(_SAID).filter(part_of_sound == 0))
    custody = CUSTODY not in said_first
    books = books_of(sound, part_of_sound, custody=custody)
    fills = events.filter(below_earlier_parts(events["seq"], part))["seq"].to_list() if day.parts else []
    in_order = only(sound, ~sound["seq"].is_in(fills)) if fills else sound
    late = books.late.difference(fills)
    present = replace(checks, on_other_days=on_other_days | held.left_out.difference(fills))
    gaps = replace(present, on_other_days=present.on_other_days | late).gaps_before(books.kept)
    findings += [
        *held.findings,
        *present.gaps(in_order),
        *checks.clock(in_order),
        *checks.another_day(books.kept),
        *checks.rounds(books),
    ]
    # An event set aside may have been the round's only one.
    findings += replace(checks, on_other_days=on_other_days | late).missing_rounds(books.kept)
    part_of, in_time = events.select("seq", part=part), ~pl.col("seq").is_in(fills)
    unsound, disputed = (
        _rounds_broken(broken.filter(in_time), part_of, sound, part_of_sound, custody=custody)
        for broken in (held.broken, claims)
    )
    applied = corrected(sound, books)
    findings += [checks.entered(entry) for entry in (*books.entries, *applied.entries)]
    findings += [checks.differs(seq, message) for seq, message in differing(applied.events)]
    findings += checks.voids(applied.events, books.stretches)
    return Log(
        table_id,
        gaming_day,
        applied.events,
        tuple(findings),
        _incomplete_rounds(books.kept, gaps),
        tuple(sorted({CUSTODY, ROUND_NUMBERS} & not_recorded(books.first))),
        unsound,
        disputed,
        books.late | {correction.seq for correction in applied.late},
        sound.filter(pl.col("seq").is_in(sorted(books.late)), is_kind(*CUSTODY_KINDS)),
        books.closed,
        books.stretches,
        tuple(applied.late),
        frozenset(gaps),
    )


def _rounds_broken(
    broken: pl.DataFrame, part_of: pl.DataFrame, sound: pl.DataFrame, part_of_sound: pl.Series, *, custody: bool
) -> frozenset[int]:
    """The rounds that cannot be judged because of ``broken`` events; ``part_of`` has the ``part`` of each ``seq``. An event too
    late to change a round does not break it either."""
    if broken.is_empty():
        return frozenset()
    rows = sorted(rounds_affected(broken, sound))
    concerned = pl.DataFrame(rows, {"round": pl.Int64, "seq": pl.Int64}, orient="row")
    concerned = concerned.join(part_of, on="seq", how="left", maintain_order="left")
    late = come_late(sound, part_of_sound, concerned, custody=custody)
    return frozenset(concerned.filter(~late)["round"])


def _incomplete_rounds(events: pl.DataFrame, gaps: Sequence[int]) -> frozenset[int]:
    """The rounds with a gap in them or right before them, and those still open where one begins: they may lack events. ``gaps``
    as in :class:`Log`."""
    if not gaps:
        return frozenset()
    own = pl.col("round").is_not_null() & ~is_kind("CorrectionMade")  # a correction is no part of its round
    inside = events.select("seq", "round", "kind").filter(own)
    rounds: set[int] = set()
    for gap in gaps:
        behind = int(inside["seq"].search_sorted(gap, side="left"))
        rounds.update(inside["round"][behind : behind + 1])
        if behind and inside["kind"][behind - 1] != "RoundClosed":
            rounds.add(inside["round"][behind - 1])
    return frozenset(rounds)


OWN_ROUND: Final = pl.when(~is_kind(*OF_THE_TABLE)).then("round").alias("round")
"""The round of an event; null for events of the table."""
_NUMBERED: Final = is_kind(*OF_THE_TABLE) & pl.col("round").is_not_null()
_SELDOM: Final = ((pl.col("option_name") == NOT_RECORDED) | _NUMBERED).any()
_SAID: Final = ("seq", "round", "option_name", "option_value")


def not_recorded(events: pl.DataFrame) -> frozenset[str]:
    """The facts that the source of a log does not record, as elected by the table (option ``not_recorded``) before the first
    round; a later election does not count."""
    elected = events.select(_SAID).filter(pl.col("option_name").is_not_null())
    said = elected.filter(pl.col("option_name") == NOT_RECORDED)
    if said.is_empty():
        return frozenset()
    first = events.filter(pl.col("round").is_not_null())["seq"].min()
    ahead = pl.lit(value=True) if first is None else pl.col("seq") < first
    values = said.filter(ahead)["option_value"].drop_nulls().to_list()
    return frozenset(name.strip() for value in values for name in value.split(","))


@dataclass(frozen=True, slots=True)
class _Checks:
    table_id: str
    gaming_day: dt.date
    on_other_days: frozenset[int]
    """Numbers that are not missing: other gaming days have them, or a finding says that they break the contract."""

    def _finding(self, code: str, seq: int | None, message: str, round_: int | None = None) -> Finding:
        return Finding(code, self.table_id, self.gaming_day, seq=seq, round=round_, message=message)

    def entered(self, entry: Entry) -> Finding:
        """The finding for an entry into the books."""
        found = self._finding(entry.code.code, entry.seq, entry.message, entry.round)
        return replace(found, before=entry.before, after=entry.after)

    def differs(self, seq: int, message: str) -> Finding:
        """The finding for denominations that do not add up to the amount."""
        return self._finding(DENOMINATIONS_DIFFER.code, seq, message)

    def numbers(self, frame: pl.DataFrame, part: pl.Series) -> tuple[pl.Series, pl.DataFrame, list[Finding]]:
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
            findings.append(self._finding(code.code, seq, f"seq {seq} stands {times} times", round_))
        return once, claims, findings

    def gaps(self, events: pl.DataFrame) -> Iterator[Finding]:
        """The findings on numbers missing between the first and the last."""
        for index, missing in self._missing(events):
            after = events["seq"][index]
            message = f"{missing} event(s) missing before seq {after}"
            yield self._finding(SEQUENCE_GAP.code, after, message, events["round"][index])

    def gaps_before(self, events: pl.DataFrame) -> list[int]:
        """The numbers of the events right before which others are missing."""
        return [events["seq"][index] for index, _ in self._missing(events)]

    def _missing(self, events: pl.DataFrame) -> Iterator[tuple[int, int]]:
        """The gaps of numbers that no other gaming day holds: the row after each gap, and how many numbers are missing."""
        seqs, on_other_days = events["seq"], sorted(self.on_other_days)
        for index in (seqs.diff() > 1).arg_true().to_list():
            before, after = seqs[index - 1], seqs[index]
            missing = after - before - 1 - (bisect_left(on_other_days, after) - bisect_right(on_other_days, before))
            if missing:
                yield index, missing

    def clock(self, events: pl.DataFrame) -> Iterator[Finding]:
        """The findings on times before that of the previous event."""
        step = events["at"].diff()
        for index in (step < 0).arg_true().to_list():
            message = f"{-step[index] / 1_000_000:.6f} s before the event before it"
            yield self._finding(CLOCK_BACKWARDS.code, events["seq"][index], message, events["round"][index])

    def another_day(self, events: pl.DataFrame) -> Iterator[Finding]:
        """The finding on rounds at times outside of the gaming day, because a round's time decides the version of the law. Late
        entries are no play."""
        played = pl.col("round").is_not_null() & ~is_kind("CorrectionMade")
        off = events.filter(played & ~pl.col("at").is_between(*_anywhere(self.gaming_day)))
        if off.height:
            seq, number, at = off.select("seq", "round", "at").row(0)
            message = f"{off.height} event(s) of rounds, the first at {moment(at):%Y-%m-%d %H:%M:%S} UTC"
            yield self._finding(CLOCK_ANOTHER_DAY.code, seq, message, number)

    def rounds(self, books: Books) -> Iterator[Finding]:
        """The findings on rounds out of order, without an end or with events after it, and on a table not opened or closed."""
        events = books.kept
        # A correction is no event of the round that it speaks of.
        columns = events.select("seq", "round", "kind")
        inside = columns.filter(pl.col("round").is_not_null() & ~is_kind("CorrectionMade"))
        late = inside["round"].diff() < 0
        for index in late.arg_true().to_list():
            number, seq = inside["round"][index], inside["seq"][index]
            yield self._finding(ROUND_INTERLEAVED.code, seq, f"round {number} had given way to a later one", number)
        closed = inside.filter(pl.col("kind").is_in(("RoundClosed", "RoundVoided")))["round"].unique()
        open_ = inside.filter(~pl.col("round").is_in(closed.implode()))
        for number, seq in open_.group_by("round", maintain_order=True).agg(pl.col("seq").last()).iter_rows():
            yield self._finding(ROUND_NOT_CLOSED.code, seq, f"round {number} never ends", number)
        end, void = (pl.col("seq").filter(is_kind(kind)).first() for kind in ("RoundClosed", "RoundVoided"))
        ends = inside.filter(is_kind("RoundClosed", "RoundVoided")).group_by("round").agg(end=end, void=void)
        ended = inside.with_columns(late=late.fill_null(value=False)).join(ends, on="round", maintain_order="left")
        # What a void round returns is settled after it, and new bets are for a new round.
        over = (pl.col("seq") > pl.col("end")) | (is_kind("WagerPlaced") & (pl.col("seq") > pl.col("void")))
        after = ended.filter(over & ~pl.col("late"))["seq"]
        if not after.is_empty():
            yield from self._after_rounds(events.filter(pl.col("seq").is_in(after.implode())))
        if CUSTODY in not_recorded(books.first):
            return
        kinds = set(books.first["kind"].unique().to_list())
        first, last = (events["seq"][0], books.sealed) if events.height else (None, None)
        if "TableOpened" not in kinds:
            yield self._finding(TABLE_NOT_OPENED.code, first, "no opening inventory: custody cannot be reconciled")
        else:
            yield from self._before_opening(books.first)
        if "TableClosed" not in kinds:
            yield self._finding(TABLE_NOT_CLOSED.code, last, "no closing inventory: custody cannot be reconciled")

    def _before_opening(self, events: pl.DataFrame) -> Iterator[Finding]:
        """The finding on chips moved before the opening count, which may include the movement, so that the books count it
        twice."""
        opened = events.filter(is_kind("TableOpened"))["seq"][0]
        before = events.filter(pl.col("seq") < opened)
        moved = before.filter(is_kind(*_MOVING_CHIPS))["seq"]
        if not moved.is_empty():
            said = f"before the table was opened, at seq {opened}: the opening inventory may have in it what this moved"
            yield self._finding(TABLE_NOT_OPENED.code, moved[0], said)

    def voids(self, events: pl.DataFrame, stretches: Mapping[int, int]) -> Iterator[Finding]:
        """The findings on voids of slips that the same books, while open, do not have before, or have at another amount. A slip
        without a number may be any slip."""
        standing: defaultdict[tuple[int, str | None], list[int | None]] = defaultdict(list)
        moves = ("ChipsFilled", "ChipsCredited", "SlipVoided")
        for seq, kind, slip, amount in of_kind(
            events, moves, "seq", "kind", "chips_slip", "chips_amount_minor"
        ).iter_rows():
            pile = stretches.get(seq, 1), slip
            certain = pile[0] and slip is not None and not standing[pile[0], None]
            if kind != "SlipVoided":
                standing[pile].append(amount)
            elif standing[pile]:
                stood = standing[pile].pop()
                if certain and stood is not None and amount is not None and stood != amount:
                    said = f"slip {slip} of {format_amount(stood)} is voided as one of {format_amount(amount)}"
                    yield self._finding(SLIP_VOID_DIFFERS.code, seq, said)
            elif certain:
                yield self._finding(SLIP_VOID_DANGLING.code, seq, f"no slip {slip} stands before it: nothing is voided")

    def missing_rounds(self, events: pl.DataFrame) -> Iterator[Finding]:
        """The findings on round numbers left out between the first and the last where no event is missing."""
        if ROUND_NUMBERS in not_recorded(events):
            return
        events = events.select("seq", "round", "kind").filter(~is_kind("CorrectionMade"))
        inside = events.drop_nulls("round").select("seq", "round", before=pl.col("seq").shift())
        taken_up = inside.filter((pl.col("round") != pl.col("round").shift()).fill_null(value=True))
        begins = (
            taken_up.unique("round", keep="first", maintain_order=True).sort("round").select("round", "seq", "before")
        )
        gaps = self.gaps_before(events)
        for (earlier, _, _), (number, seq, before) in pairwise(begins.rows()):
            excused = before is not None and bisect_right(gaps, seq) > bisect_right(gaps, before)
            if number - earlier > 1 and not excused:
                missing = f"rounds {earlier + 1} to {number - 1}" if number - earlier > 2 else f"round {earlier + 1}"
                message = f"{missing} left out: round {number} follows round {earlier}, and no event is missing"
                yield self._finding(ROUND_MISSING.code, seq, message, number)

    def _after_rounds(self, behind: pl.DataFrame) -> Iterator[Finding]:
        """The findings on events after the end of their round. These events still count, as nothing shows them to be untrue."""
        for event in events_of(behind):
            what = say(without_player(event))
            found = self._finding(
                EVENT_AFTER_ROUND.code, event.seq, f"{what}; round {event.round} was over", event.round
            )
            yield replace(found, after=what)
