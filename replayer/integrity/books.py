"""What stood in a table-day's books when they were closed, and what was entered later.

The books are closed by the first ``TableClosed``: of the first part of the archive that has one, the first by ``seq``.
A log that says it records no custody is closed by the end of its first part. Until then they are open, part after part.
An event is entered late, and changes no verdict, where

- it comes behind the closing, or in a later part, and the table was not opened again; or
- its round had begun in books that were closed, or had ended in an earlier part; or
- an earlier part holds a higher number than its own.

Parts are sealed once and their order is pinned, so this is read off the archive alone, however the events came there.
Ordinary behind a closing are the dealers' coming and going and one count of the drop. Where the table is opened again its
books of that stretch stand beside the first ones, and neither lessens what the other lacks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from replayer.columns import KIND_NUMBER, events_of, is_kind
from replayer.compaction import only
from replayer.wording import say, without_player
from schemas.event import Chips, Event, Option, Wager
from schemas.finding import Code, Severity, declare
from schemas.kinds import CUSTODY_KINDS
from schemas.money import format_amount

ENTERED_LATE: Final = declare("ENTERED_LATE", Severity.INTEGRITY, "An event entered when the books were closed")
PART_LATE: Final = declare("PART_LATE", Severity.INTEGRITY, "Events that came after the table-day was sealed")
OPENED_AGAIN: Final = declare("OPENED_AGAIN", Severity.INTEGRITY, "The table opened again on the same gaming day")
CLOSED_AGAIN: Final = declare("CLOSED_AGAIN", Severity.INTEGRITY, "The table closed again on the same gaming day")
DROP_COUNTED_AGAIN: Final = declare("DROP_COUNTED_AGAIN", Severity.INTEGRITY, "A drop counted a second time")

Fact = tuple[object, ...]
"""What an event speaks of: two of one fact say the same, or one gainsays the other."""
_COUNTS: Final = ("TableOpened", "TableClosed")
_DEALERS: Final = ("DealerEntered", "DealerLeft")
_SHUT: Final = 0
"""The stretch of what came while the table was closed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something entered that the books do not count, or count beside what stood before: a finding yet to be made."""

    code: Code
    seq: int
    message: str
    after: str | None
    before: str | None = None
    round: int | None = None


@dataclass(frozen=True, slots=True)
class Books:
    """A table-day's events as its books have them.

    Attributes:
        kept: the events to be judged, without those entered late.
        late: the numbers of the events left out.
        closed: the last ``seq`` of the first books; None where they were never closed.
        stretches: of custody events outside the first books, the stretch that counts them: 2, 3, ... after the table was
            opened again, 0 where it was closed and none does.
        periods: where each period of open or closed books begins, by ``seq``, and which part holds what.
    """

    kept: pl.DataFrame
    late: frozenset[int] = frozenset()
    closed: int | None = None
    stretches: Mapping[int, int] = field(default_factory=dict)
    entries: Sequence[Entry] = ()
    periods: _Periods | None = None

    @property
    def first(self) -> pl.DataFrame:
        """The events of the first books."""
        return self.kept if self.closed is None else up_to(self.kept, self.closed)

    @property
    def sealed(self) -> int | None:
        """The last ``seq`` of the first part, which no later one moves."""
        later = self.periods.parts if self.periods else {}
        return next((seq for seq in reversed(self.kept["seq"].to_list()) if seq not in later), None)

    def open_between(self, earlier: int, later: int) -> bool:
        """Whether the books were open from one event to another, so that the later one can still correct the earlier."""
        return self.periods is None or self.periods.open_between(earlier, later)


@dataclass(frozen=True, slots=True)
class _Periods:
    """Open and closed books by turns: ``begins`` has the first ``seq`` of each, ``stretch`` its number, 0 where closed."""

    begins: Sequence[int]
    stretch: Sequence[int]
    parts: Mapping[int, int]  # of events in later parts than the first
    closed: int | None

    def of(self, seq: int) -> int:
        """The number of the period in which an event lies."""
        return bisect_right(self.begins, seq) - 1

    def numbers(self, seqs: pl.Series) -> pl.Series:
        """The number of the period in which each event lies."""
        return pl.Series(self.begins, dtype=pl.Int64).search_sorted(seqs, side="right").cast(pl.Int64) - 1

    def open_between(self, earlier: int, later: int) -> bool:
        """As :meth:`Books.open_between`."""
        same_part = self.parts.get(earlier, 0) == self.parts.get(later, 0)
        period = self.of(earlier)
        return same_part and period == self.of(later) and self.stretch[period] != _SHUT


def look_late(kinds: pl.Series) -> bool:
    """Whether events of one part, by the numbers of their kinds, look as if anything had been entered late, or counted again."""
    closings = (kinds == KIND_NUMBER["TableClosed"]).arg_true()
    behind = kinds.slice(closings[0] + 1).unique() if closings.len() else ()
    again = any((kinds == KIND_NUMBER[kind]).sum() > 1 for kind in ("TableOpened", "DropCounted"))
    return again or not {KIND_NUMBER[kind] for kind in (*_DEALERS, "DropCounted")}.issuperset(behind)


def books_of(events: pl.DataFrame, part: pl.Series, *, custody: bool) -> Books:
    """The books of numbered events (schema ``FLAT``, each ``seq`` once, in order); ``part`` holds the part of each.

    ``custody`` says whether the log records openings and closings.
    """
    if part.max() in (None, 0) and not look_late(events["kind"].to_physical()):
        return Books(events, closed=events.filter(is_kind("TableClosed"))["seq"].min())  # type: ignore[arg-type]
    rows, come, periods = _in_periods(events, part, custody=custody)
    own = _of_rounds(come)
    stale = {*own.filter(_come_late(own, own))["seq"], *_markers_of_closed_rounds(come, own)}
    late = frozenset(stale.union(rows.filter("fills")["seq"].to_list()))
    drops = _drops(come)
    stretches = {
        seq: drops.get(seq, stretch)
        for seq, stretch in come.filter(pl.col("kind").is_in(CUSTODY_KINDS)).select("seq", "stretch").iter_rows()
    }
    closed = periods.closed
    entries = [*_counted_again(come, closed, events), *_drops_again(come, drops, events), *_late(come, late, events)]
    entries += _parts(rows, come, drops, closed)
    return Books(
        kept=only(events, ~events["seq"].is_in(sorted(late))),
        late=late,
        closed=closed,
        stretches={seq: stretch for seq, stretch in stretches.items() if stretch != 1 and seq not in late},
        entries=entries,
        periods=periods,
    )


def come_late(events: pl.DataFrame, part: pl.Series, concerned: pl.DataFrame, *, custody: bool) -> pl.Series:
    """Whether each of some events (``seq``, ``part``) comes too late to change anything of the ``round`` that it concerns, by
    numbered events as in :func:`books_of`: the rule for an event that the round would have for its own."""
    _, come, periods = _in_periods(events, part, custody=custody)
    return _come_late(concerned.with_columns(period=periods.numbers(concerned["seq"])), _of_rounds(come))


def _in_periods(events: pl.DataFrame, part: pl.Series, *, custody: bool) -> tuple[pl.DataFrame, pl.DataFrame, _Periods]:
    """All events, those of them that fill nothing (``fills``) with their ``period`` and ``stretch``, and the periods."""
    rows = events.select("seq", "round", pl.col("kind").cast(pl.String), row=pl.int_range(pl.len())).with_columns(
        part=part
    )
    rows = rows.with_columns(fills=below_earlier_parts(events["seq"], part))
    come = rows.filter(~pl.col("fills"))  # from here on the order of numbers is the order in which events came
    periods = _periods(rows, custody=custody)
    period = periods.numbers(come["seq"])
    return (
        rows,
        come.with_columns(period=period, stretch=pl.Series(periods.stretch, dtype=pl.Int64).gather(period)),
        periods,
    )


def _of_rounds(come: pl.DataFrame) -> pl.DataFrame:
    """The events that are of a round themselves."""
    return come.filter(pl.col("round").is_not_null() & (pl.col("kind") != "CorrectionMade"))


def up_to(events: pl.DataFrame, seq: int) -> pl.DataFrame:
    """The events, ordered by ``seq``, to the one of a number."""
    return events.head(events["seq"].search_sorted(seq, side="right"))


def below_earlier_parts(seqs: pl.Series, part: pl.Series) -> pl.Series:
    """Whether each number is below one that an earlier part holds."""
    rows = pl.DataFrame({"seq": seqs, "part": part})
    tops = rows.group_by("part").agg(top=pl.col("seq").max()).sort("part")
    reached = tops.select("part", before=pl.col("top").cum_max().shift())
    before = rows.join(reached, on="part", how="left", maintain_order="left")["before"]
    return (seqs < before).fill_null(value=False)


def _periods(rows: pl.DataFrame, *, custody: bool) -> _Periods:
    come = rows.filter(~pl.col("fills"))
    counts = come.filter(pl.col("kind").is_in(_COUNTS)).select("seq", "kind", "part").rows()
    closed = next(((seq, part) for seq, kind, part in counts if kind == "TableClosed"), None)
    later = rows.filter(pl.col("part") > 0)
    if not custody and later.height and (closed is None or closed[1] > 0):
        closed = (come.filter(pl.col("part") == 0)["seq"].max(), 0)
    begins, stretch = [0], [1]
    opened = 1
    if closed is not None:
        begins.append(closed[0] + 1)
        stretch.append(_SHUT)
        for seq, kind, _ in counts:
            opens = kind == "TableOpened"
            if seq > closed[0] and opens == (stretch[-1] == _SHUT):
                opened += opens
                begins.append(seq if opens else seq + 1)
                stretch.append(opened if opens else _SHUT)
    parts = dict(later.select("seq", "part").iter_rows())
    return _Periods(begins, stretch, parts, None if closed is None else closed[0])


def _come_late(events: pl.DataFrame, own: pl.DataFrame) -> pl.Series:
    """Whether events (``seq``, ``round``, ``period``, ``part``) came late to their rounds, by the ``own`` events of all rounds:
    these had begun, or given way to a later one, before the period, or had ended, or given way, in an earlier part."""
    ended = own.filter(pl.col("kind") == "RoundClosed").group_by("round").agg(ended=pl.col("part").min())
    known = events.select("round", "part").join(ended, on="round", how="left", maintain_order="left")
    late = (
        (events["round"] <= _highest_before(own, "period", events["period"])).fill_null(value=False),
        (events["round"] < _highest_before(own, "part", events["part"])).fill_null(value=False),
        (known["ended"] < known["part"]).fill_null(value=False),
    )
    return late[0] | late[1] | late[2]


def _highest_before(own: pl.DataFrame, name: str, at: pl.Series) -> pl.Series:
    """The highest round before each of some periods or parts; null where there was none."""
    tops = own.group_by(name).agg(top=pl.col("round").max()).sort(name)
    reached = pl.concat([pl.Series([None], dtype=tops["top"].dtype), tops["top"].cum_max()])
    return reached.gather(tops[name].search_sorted(at, side="left"))


def _markers_of_closed_rounds(come: pl.DataFrame, own: pl.DataFrame) -> list[int]:
    """Streak buttons moved behind a closing before any new round: they would count for a round of the closed books."""
    firsts = own.group_by("period").agg(first=pl.col("seq").min())
    moves = come.filter((pl.col("kind") == "MarkerMoved") & pl.col("round").is_null() & (pl.col("period") > 0))
    known = moves.join(firsts, on="period", how="left")
    return known.filter(pl.col("first").is_null() | (pl.col("seq") < pl.col("first")))["seq"].to_list()


def _drops(come: pl.DataFrame) -> dict[int, int]:
    """The stretch of each count of the drop: while the table is closed, the first belongs to the stretch before, whose last box
    it is: others may have been changed and counted while it was open."""
    found: dict[int, int] = {}
    counted: set[int] = set()
    last = 1
    for seq, kind, stretch in (
        come.filter(pl.col("kind").is_in((*_COUNTS, "DropCounted"))).select("seq", "kind", "stretch").iter_rows()
    ):
        last = stretch or last
        if kind == "DropCounted":
            found[seq] = stretch or (_SHUT if last in counted else last)
            if not stretch:
                counted.add(last)
    return found


def _counted_again(come: pl.DataFrame, closed: int | None, events: pl.DataFrame) -> Iterator[Entry]:
    """Every opening and closing but the first one of its kind in the first books."""
    for kind, code, word in (("TableOpened", OPENED_AGAIN, "opened"), ("TableClosed", CLOSED_AGAIN, "closed")):
        seqs = come.filter(pl.col("kind") == kind)["seq"].to_list()
        first = seqs[0] if seqs and (closed is None or seqs[0] <= closed) else None
        others = [seq for seq in seqs if seq != first]
        amounts = _amounts(events, seqs) if others else {}
        for seq in others:
            stood = f"with {amounts[first]} at seq {first}" if first else "never before"
            message = f"the table is {word} with {amounts[seq]}; it was {word} {stood}"
            yield Entry(code, seq, message, amounts[seq], amounts.get(first))


def _drops_again(come: pl.DataFrame, drops: Mapping[int, int], events: pl.DataFrame) -> Iterator[Entry]:
    """Every count of a drop that had been counted: of another box, or of one that had been counted, which counts nowhere."""
    amounts = _amounts(events, list(drops)) if len(drops) > 1 else {}
    earlier: dict[int, int] = {}
    last = 1
    for seq, stretch in drops.items():
        last = stretch or last
        if last in earlier:
            before = earlier[last]
            counts = "which the books do not count" if stretch == _SHUT else "counted as another box"
            message = f"drop counted with {amounts[seq]}, {counts}; it was {amounts[before]} at seq {before}"
            yield Entry(DROP_COUNTED_AGAIN, seq, message, amounts[seq], amounts[before])
        earlier.setdefault(last, seq)


def _amounts(events: pl.DataFrame, seqs: Sequence[int | None]) -> dict[int | None, str]:
    chosen = events.filter(pl.col("seq").is_in([seq for seq in seqs if seq is not None]))
    rows = chosen.select("seq", "chips_amount_minor").iter_rows()
    return {seq: "no amount" if amount is None else format_amount(amount) for seq, amount in rows}


def _late(come: pl.DataFrame, late: frozenset[int], events: pl.DataFrame) -> Iterator[Entry]:
    """Every event entered late; a new round, which is judged as any other, once."""
    ordinary = (*_DEALERS, *_COUNTS, "DropCounted", "CorrectionMade")
    shut = come.filter(pl.col("stretch") == _SHUT, ~pl.col("seq").is_in(sorted(late)))
    loose = shut.filter(pl.col("round").is_null() & ~pl.col("kind").is_in(ordinary))["seq"].to_list()
    corrections = events.filter(pl.col("kind") == "CorrectionMade")["seq"]
    seqs = sorted({*late, *loose}.difference(corrections.to_list()))
    entered = list(events_of(events.filter(pl.col("seq").is_in(seqs)))) if seqs else []
    stood = _entries(events.lazy().filter(~pl.col("seq").is_in(seqs)), entered)
    for event in entered:
        what, before = say(without_player(event)), stood.get(_fact(event))
        message = f"{what}; the books were closed" + (f", they say: {before}" if before else "")
        yield Entry(ENTERED_LATE, event.seq, message, what, before, event.round)
    new = shut.filter(pl.col("round").is_not_null() & (pl.col("kind") != "CorrectionMade"))
    for number, seq, count in (
        new.group_by("round", maintain_order=True).agg(pl.col("seq").first(), pl.len()).iter_rows()
    ):
        what = f"round {number} of {count} events"
        yield Entry(ENTERED_LATE, seq, f"{what} begins while the table is closed", what, round=number)


def _entries(events: pl.LazyFrame, entered: Sequence[Event]) -> dict[Fact | None, str]:
    """What the books say of the facts of which late events speak, in words."""
    wanted = {_fact(event) for event in entered} - {None}
    if not wanted:
        return {}
    rounds = {event.round for event in entered}
    kinds = ("WagerPlaced", "WagerSettled", "RoundClosed", "OptionElected", "ChipsFilled", "ChipsCredited")
    own = pl.col("round").is_null() | pl.col("round").is_in([number for number in rounds if number is not None])
    own_events = events_of(events.filter(pl.col("kind").is_in(kinds) & own).collect())
    return {fact: say(without_player(event)) for event in own_events if (fact := _fact(event)) in wanted}


def _fact(event: Event) -> Fact | None:
    match event:
        case Event(kind="WagerPlaced" | "WagerSettled", wager=Wager() as wager):
            return event.kind, event.round, wager.seat, wager.hand, wager.kind
        case Event(kind="RoundVoided" | "RoundClosed"):
            return "end", event.round
        case Event(kind="OptionElected", option=Option() as option):
            return "option", option.name
        case Event(kind="ChipsFilled" | "ChipsCredited" | "SlipVoided", chips=Chips() as chips):
            return "slip", chips.slip
        case _:
            return None


def _parts(rows: pl.DataFrame, come: pl.DataFrame, drops: Mapping[int, int], closed: int | None) -> Iterator[Entry]:
    """Every part that came after the table-day was sealed, unless it was closed by then and all in the part is ordinary."""
    closing = None if closed is None else int(come.filter(pl.col("seq") == closed)["part"][0])
    counted = [seq for seq, stretch in drops.items() if stretch != _SHUT]
    ordinary = (pl.col("kind").is_in(_DEALERS) | pl.col("seq").is_in(counted)) & ~pl.col("fills")
    behind = pl.lit(value=False) if closing is None else pl.col("part") > closing
    suspect = rows.filter((pl.col("part") > 0) & ~(behind & ordinary))["part"].unique()
    own_events = rows.group_by("part").agg(pl.len(), first=pl.col("seq").min(), last=pl.col("seq").max()).sort("part")
    for part, count, first, last in own_events.filter(pl.col("part").is_in(suspect.implode())).iter_rows():
        what = f"{count} event(s), seq {first} to {last}"
        if closing is None or part <= closing:
            message = f"part {part} came after the table-day was sealed, whose books were open: {what}"
        else:
            message = f"part {part} came after part {closing}, in which the books were closed at seq {closed}: {what}"
        yield Entry(PART_LATE, first, message, what)
