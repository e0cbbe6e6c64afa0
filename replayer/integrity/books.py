"""A table-day's books: the entries made before they were closed, and the late ones.

The books are closed by the first ``TableClosed``: in the first part of the archive that has one, the first by ``seq``. The
books of a log that does not record custody are closed by the end of its first part. Until then they are open, part after part.
An event is entered late, and changes no verdict, where

- it comes after the closing, or in a later part, and the table was not opened again; or
- its round had begun in books that were closed, or had ended in an earlier part; or
- its round was over, and another deal was begun under the number; or
- an earlier part holds a higher number than its own.

Parts are sealed once and their order is pinned, so the archive alone determines this, however the events came there. After a
closing, dealers' coming and going and one count of the drop are ordinary. Where the table is opened again, that stretch has
books of its own, and neither books make up for what the other ones lack.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from replayer.log.columns import KIND_NUMBER, events_of, is_kind, of_kind
from replayer.log.compaction import only
from replayer.log.wording import say, without_player
from schemas.event import Chips, Event, Option, Wager
from schemas.finding import Code, of_integrity
from schemas.kinds import CUSTODY_KINDS
from schemas.money import format_amount

ENTERED_LATE: Final = of_integrity("ENTERED_LATE", "An event entered when the books were closed")
EVENT_AFTER_ROUND: Final = of_integrity("EVENT_AFTER_ROUND", "An event of a round that was closed")
PART_LATE: Final = of_integrity("PART_LATE", "Events that came after the table-day was sealed")
OPENED_AGAIN: Final = of_integrity("OPENED_AGAIN", "The table opened again on the same gaming day")
CLOSED_AGAIN: Final = of_integrity("CLOSED_AGAIN", "The table closed again on the same gaming day")
DROP_COUNTED_AGAIN: Final = of_integrity("DROP_COUNTED_AGAIN", "A drop counted a second time")

Fact = tuple[object, ...]
"""What an event states: two events on one fact either agree or contradict each other."""
_COUNTS: Final = ("TableOpened", "TableClosed")
_DEALERS: Final = ("DealerEntered", "DealerLeft")
_SHUT: Final = 0
"""The stretch of events while the table was closed."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is found in a table-day's log; the fields are those of :class:`schemas.finding.Finding`."""

    code: Code
    seq: int | None
    message: str
    round: int | None = None
    after: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Periods:
    """Periods of open and closed books in turn: ``begins`` has the first ``seq`` of each, ``stretch`` its number, 0 if closed."""

    begins: Sequence[int] = (0,)
    stretch: Sequence[int] = (1,)
    parts: Mapping[int, int] = field(default_factory=dict)  # of events in later parts than the first
    closed: int | None = None  # the last seq of the first books; None where they were never closed

    def numbers(self, seqs: pl.Series) -> pl.Series:
        """The number of each event's period."""
        return pl.Series(self.begins, dtype=pl.Int64).search_sorted(seqs, side="right").cast(pl.Int64) - 1

    def too_late(self, earlier: int, later: int) -> str:
        """Why the later of two events cannot correct the earlier one; empty where it can."""
        first, last = (bisect_right(self.begins, seq) - 1 for seq in (earlier, later))
        if first != last or self.stretch[first] == _SHUT:
            return "the books were closed"
        return "" if self.parts.get(earlier, 0) == self.parts.get(later, 0) else "that event was sealed"


@dataclass(frozen=True, slots=True)
class Books:
    """A table-day's events by its books.

    ``stretches`` has for custody events outside the first books the stretch that counts them: 2, 3, ... after the table was
    opened again, 0 where the table was closed, or they fill a number below an earlier part, and none does. ``entries`` takes the
    kept events as they stand once corrections in time are applied: that is what the books say.
    """

    kept: pl.DataFrame  # the events to be judged, without those entered late
    periods: Periods
    late: frozenset[int] = frozenset()  # the numbers of the events left out
    stretches: Mapping[int, int] = field(default_factory=dict)
    entries: Callable[[pl.DataFrame], Sequence[Found]] = lambda _: ()

    @property
    def first(self) -> pl.DataFrame:
        """The events of the first books."""
        return self.kept if self.periods.closed is None else up_to(self.kept, self.periods.closed)

    @property
    def sealed(self) -> int | None:
        """The last ``seq`` of the first part."""
        return next((seq for seq in reversed(self.kept["seq"].to_list()) if seq not in self.periods.parts), None)


def may_be_late(kinds: pl.Series) -> bool:
    """Whether a part, by the numbers of its events' kinds, may have late entries or repeated counts."""
    closings = (kinds == KIND_NUMBER["TableClosed"]).arg_true()
    behind = kinds.slice(closings[0] + 1).unique() if closings.len() else ()
    again = any((kinds == KIND_NUMBER[kind]).sum() > 1 for kind in ("TableOpened", "DropCounted"))
    return again or not {KIND_NUMBER[kind] for kind in (*_DEALERS, "DropCounted")}.issuperset(behind)


def books_of(events: pl.DataFrame, part: pl.Series, *, custody: bool) -> Books:
    """The books of numbered events (schema ``FLAT``, each ``seq`` once, in order); ``part`` holds the part of each, ``custody``
    says whether the log records openings and closings."""
    again = _deals_again(events)
    if again.is_empty() and part.max() in (None, 0) and not may_be_late(events["kind"].to_physical()):
        return Books(events, Periods(closed=events.filter(is_kind("TableClosed"))["seq"].min()))  # type: ignore[arg-type]
    rows, arrived, periods = _in_periods(events, part, custody=custody)
    own = _of_rounds(arrived)
    stale = {*own.filter(_come_late(own, own))["seq"], *_markers_of_closed_rounds(arrived, own)}
    stale.update(rows.filter("fills")["seq"].to_list())
    again = again.filter(~pl.col("seq").is_in(sorted(stale)))
    late = frozenset(stale.union(again["seq"]))
    drops = _drops(arrived)
    stretches = {
        seq: drops.get(seq, stretch)
        for seq, stretch in arrived.filter(pl.col("kind").is_in(CUSTODY_KINDS)).select("seq", "stretch").iter_rows()
    }
    stretches |= dict.fromkeys(rows.filter(pl.col("kind").is_in(CUSTODY_KINDS), "fills")["seq"], _SHUT)
    closed = periods.closed

    def entries(stood: pl.DataFrame) -> list[Found]:
        counted = [*_counted_again(arrived, closed, stood), *_drops_again(drops, stood), *_dealt_again(again)]
        return [*counted, *_late(arrived, frozenset(stale), events, stood), *_parts(rows, arrived, drops, closed)]

    return Books(
        only(events, ~events["seq"].is_in(sorted(late))),
        periods,
        late=late,
        stretches={seq: stretch for seq, stretch in stretches.items() if stretch != 1},
        entries=entries,
    )


def come_late(events: pl.DataFrame, part: pl.Series, concerned: pl.DataFrame, *, custody: bool) -> pl.Series:
    """Whether each of some events (``seq``, ``part``) comes too late to change the ``round`` that it concerns, by the rule for
    the round's own events; ``events`` as in :func:`books_of`."""
    _, arrived, periods = _in_periods(events, part, custody=custody)
    return _come_late(concerned.with_columns(period=periods.numbers(concerned["seq"])), _of_rounds(arrived))


def _in_periods(events: pl.DataFrame, part: pl.Series, *, custody: bool) -> tuple[pl.DataFrame, pl.DataFrame, Periods]:
    """All events; those with no number below an earlier part (not ``fills``), with ``period`` and ``stretch``; the periods."""
    rows = events.select("seq", "round", pl.col("kind").cast(pl.String))
    rows = rows.with_columns(part=part, fills=below_earlier_parts(events["seq"], part))
    arrived = rows.filter(~pl.col("fills"))  # from here on the order of numbers is the order in which events came
    periods = _periods(rows, custody=custody)
    period = periods.numbers(arrived["seq"])
    stretch = pl.Series(periods.stretch, dtype=pl.Int64).gather(period)
    return rows, arrived.with_columns(period=period, stretch=stretch), periods


def _of_rounds(arrived: pl.DataFrame) -> pl.DataFrame:
    """The events of rounds, without corrections."""
    return arrived.filter(pl.col("round").is_not_null() & (pl.col("kind") != "CorrectionMade"))


def up_to(events: pl.DataFrame, seq: int) -> pl.DataFrame:
    """The events, ordered by ``seq``, up to and including a number."""
    return events.head(events["seq"].search_sorted(seq, side="right"))


def below_earlier_parts(seqs: pl.Series, part: pl.Series) -> pl.Series:
    """Whether each number is below the highest one of an earlier part."""
    rows = pl.DataFrame({"seq": seqs, "part": part})
    tops = rows.group_by("part").agg(top=pl.col("seq").max()).sort("part")
    reached = tops.select("part", before=pl.col("top").cum_max().shift())
    before = rows.join(reached, on="part", how="left", maintain_order="left")["before"]
    return (seqs < before).fill_null(value=False)


def _periods(rows: pl.DataFrame, *, custody: bool) -> Periods:
    arrived = rows.filter(~pl.col("fills"))
    counts = arrived.filter(pl.col("kind").is_in(_COUNTS)).select("seq", "kind", "part").rows()
    closed = next(((seq, part) for seq, kind, part in counts if kind == "TableClosed"), None)
    later = rows.filter(pl.col("part") > 0)
    if not custody and later.height and (closed is None or closed[1] > 0):
        closed = (arrived.filter(pl.col("part") == 0)["seq"].max(), 0)
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
    return Periods(begins, stretch, parts, None if closed is None else closed[0])


def _come_late(events: pl.DataFrame, own: pl.DataFrame) -> pl.Series:
    """Whether events (``seq``, ``round``, ``period``, ``part``) came late to their rounds, by the ``own`` events of all rounds:
    the round, or a later one, had begun before the period, or had ended, or a later one begun, in an earlier part."""
    ended = own.filter(pl.col("kind") == "RoundClosed").group_by("round").agg(ended=pl.col("part").min())
    known = events.select("round", "part").join(ended, on="round", how="left", maintain_order="left")
    late = (
        (events["round"] <= _highest_before(own, "period", events["period"])).fill_null(value=False),
        (events["round"] < _highest_before(own, "part", events["part"])).fill_null(value=False),
        (known["ended"] < known["part"]).fill_null(value=False),
    )
    return late[0] | late[1] | late[2]


def _highest_before(own: pl.DataFrame, name: str, at: pl.Series) -> pl.Series:
    """The highest round before each of some periods or parts; null where there is none."""
    tops = own.group_by(name).agg(top=pl.col("round").max()).sort(name)
    reached = pl.concat([pl.Series([None], dtype=tops["top"].dtype), tops["top"].cum_max()])
    return reached.gather(tops[name].search_sorted(at, side="left"))


def _markers_of_closed_rounds(arrived: pl.DataFrame, own: pl.DataFrame) -> list[int]:
    """The ``seq`` of streak buttons moved after a closing and before a new round, which would be of a round of closed books."""
    firsts = own.group_by("period").agg(first=pl.col("seq").min())
    moves = arrived.filter((pl.col("kind") == "MarkerMoved") & pl.col("round").is_null() & (pl.col("period") > 0))
    known = moves.join(firsts, on="period", how="left")
    return known.filter(pl.col("first").is_null() | (pl.col("seq") < pl.col("first")))["seq"].to_list()


def _deals_again(events: pl.DataFrame) -> pl.DataFrame:
    """The events (``seq``, ``round``) of deals under the numbers of rounds that were over: from a wager on, where a card follows.
    Nothing else tells a card or a payment of such a deal from one of the round that was written down late."""
    bets, cards, ends = (
        of_kind(events, (kind,), "round", "seq") for kind in ("WagerPlaced", "CardDealt", "RoundClosed")
    )
    seq, begun = pl.col("seq"), pl.col("begun")
    after = bets.join(ends.group_by("round").agg(end=seq.min()), on="round").filter(seq > pl.col("end"))
    begins = after.group_by("round").agg(begun=seq.min())
    dealt = begins.join(cards.join(begins, on="round").filter(seq > begun), on="round", how="semi")
    if dealt.is_empty():
        return dealt.rename({"begun": "seq"})
    own = events.filter(~is_kind("CorrectionMade")).select("seq", "round")
    return own.join(dealt, on="round", maintain_order="left").filter(seq >= begun).drop("begun")


def _dealt_again(again: pl.DataFrame) -> Iterator[Found]:
    """Every number of a round that was over and under which more was dealt, once."""
    for number, seq, count in again.group_by("round", maintain_order=True).agg(pl.col("seq").first(), pl.len()).rows():
        what = f"more was dealt under the number of round {number}, which was over"
        yield Found(EVENT_AFTER_ROUND, seq, f"{what}: {count} events are not judged", number, what)


def _drops(arrived: pl.DataFrame) -> dict[int, int]:
    """The stretch of each count of the drop: the first count while the table is closed is that of the preceding stretch's last
    box; earlier boxes may have been changed and counted while it was open."""
    found: dict[int, int] = {}
    counted: set[int] = set()
    last = 1
    for seq, kind, stretch in (
        arrived.filter(pl.col("kind").is_in((*_COUNTS, "DropCounted"))).select("seq", "kind", "stretch").iter_rows()
    ):
        last = stretch or last
        if kind == "DropCounted":
            found[seq] = stretch or (_SHUT if last in counted else last)
            if not stretch:
                counted.add(last)
    return found


def _counted_again(arrived: pl.DataFrame, closed: int | None, events: pl.DataFrame) -> Iterator[Found]:
    """Every opening and closing except the first of each in the first books."""
    for kind, code, word in (("TableOpened", OPENED_AGAIN, "opened"), ("TableClosed", CLOSED_AGAIN, "closed")):
        seqs = arrived.filter(pl.col("kind") == kind)["seq"].to_list()
        first = seqs[0] if seqs and (closed is None or seqs[0] <= closed) else None
        others = [seq for seq in seqs if seq != first]
        amounts = _amounts(events, seqs) if others else {}
        for seq in others:
            stood = f"with {amounts[first]} at seq {first}" if first else "never before"
            message = f"the table is {word} with {amounts[seq]}; it was {word} {stood}"
            yield Found(code, seq, message, after=amounts[seq], before=amounts.get(first))


def _drops_again(drops: Mapping[int, int], events: pl.DataFrame) -> Iterator[Found]:
    """Every further count of a drop: of another box, or of a box already counted, which does not count."""
    amounts = _amounts(events, list(drops)) if len(drops) > 1 else {}
    earlier: dict[int, int] = {}
    last = 1
    for seq, stretch in drops.items():
        last = stretch or last
        if last in earlier:
            before = earlier[last]
            counts = "which the books do not count" if stretch == _SHUT else "counted as another box"
            message = f"drop counted with {amounts[seq]}, {counts}; it was {amounts[before]} at seq {before}"
            yield Found(DROP_COUNTED_AGAIN, seq, message, after=amounts[seq], before=amounts[before])
        earlier.setdefault(last, seq)


def _amounts(events: pl.DataFrame, seqs: Sequence[int | None]) -> dict[int | None, str]:
    chosen = events.filter(pl.col("seq").is_in([seq for seq in seqs if seq is not None]))
    rows = chosen.select("seq", "chips_amount_minor").iter_rows()
    return {seq: "no amount" if amount is None else format_amount(amount) for seq, amount in rows}


def _late(arrived: pl.DataFrame, late: frozenset[int], events: pl.DataFrame, stood: pl.DataFrame) -> Iterator[Found]:
    """Every event entered late; once a new round, which is judged as any other, or a whole one under a number of closed books."""
    ordinary = (*_DEALERS, *_COUNTS, "DropCounted", "CorrectionMade")
    shut = arrived.filter(pl.col("stretch") == _SHUT, ~pl.col("seq").is_in(sorted(late)))
    loose = shut.filter(pl.col("round").is_null() & ~pl.col("kind").is_in(ordinary))["seq"].to_list()
    corrections = events.filter(pl.col("kind") == "CorrectionMade")["seq"]
    again = _rounds_again(arrived.filter(pl.col("seq").is_in(sorted(late))))
    seqs = sorted({*late, *loose}.difference(corrections, again["seq"]))
    entered = list(events_of(events.filter(pl.col("seq").is_in(seqs)))) if seqs else []
    books = _entries(stood.lazy().filter(~pl.col("seq").is_in(seqs)), entered)
    for event in entered:
        what, before = say(without_player(event)), books.get(_fact(event))
        whose = "" if event.round is None else f" of round {event.round}"
        message = f"{what}; the books{whose} were closed" + (f", they say: {before}" if before else "")
        yield Found(ENTERED_LATE, event.seq, message, event.round, what, before)
    used = "is not judged: the table was opened again, and its number is of books that were closed"
    for some, said in ((_of_rounds(shut), "begins while the table is closed"), (again, used)):
        rounds = some.group_by("period", "round", maintain_order=True).agg(pl.col("seq").first(), pl.len())
        for number, seq, count in rounds.select("round", "seq", "len").iter_rows():
            what = f"round {number} of {count} events"
            yield Found(ENTERED_LATE, seq, f"{what} {said}", number, what)


def _rounds_again(late: pl.DataFrame) -> pl.DataFrame:
    """The late events of rounds that were played from the bets to the end when the table was opened again."""
    whole = pl.all_horizontal((pl.col("kind") == kind).any() for kind in ("WagerPlaced", "RoundClosed"))
    return late.filter(pl.col("stretch") > 1).filter(whole.over("period", "round"))


def _entries(events: pl.LazyFrame, entered: Sequence[Event]) -> dict[Fact | None, str]:
    """The books' entries on the facts of late events, in words."""
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


def _parts(rows: pl.DataFrame, arrived: pl.DataFrame, drops: Mapping[int, int], closed: int | None) -> Iterator[Found]:
    """Every later part, unless the books were closed before it and all its events are ordinary."""
    closing = None if closed is None else int(arrived.filter(pl.col("seq") == closed)["part"][0])
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
        yield Found(PART_LATE, first, message, after=what)
