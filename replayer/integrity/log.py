"""Checks of a table-day's log, before any rule of a game: sequence, clock, contract, corrections.

Each check takes the events and gives findings; none repairs anything. What the log cannot show is marked, so that nothing
is judged on events that are missing.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import polars as pl

from replayer.columns import FLAT, is_kind
from replayer.integrity.contract import breaks_contract, hold_to_contract
from schemas.finding import Finding, Severity, declare

SEQUENCE_GAP: Final = declare("SEQUENCE_GAP", Severity.INTEGRITY, "Events are missing")
SEQUENCE_CONFLICT: Final = declare("SEQUENCE_CONFLICT", Severity.INTEGRITY, "Two different events have one number")
EVENT_REPEATED: Final = declare("EVENT_REPEATED", Severity.INTEGRITY, "The same event stands in the log more than once")
CLOCK_BACKWARDS: Final = declare("CLOCK_BACKWARDS", Severity.INTEGRITY, "The table's clock went backwards")
ROUND_INTERLEAVED: Final = declare("ROUND_INTERLEAVED", Severity.INTEGRITY, "An event of a round that was over")
ROUND_NOT_CLOSED: Final = declare("ROUND_NOT_CLOSED", Severity.INTEGRITY, "A round without its end")
ROUND_MISSING: Final = declare("ROUND_MISSING", Severity.INTEGRITY, "Numbers of rounds are left out")
CORRECTION_DANGLING: Final = declare("CORRECTION_DANGLING", Severity.INTEGRITY, "A correction that corrects nothing")
TABLE_NOT_OPENED: Final = declare("TABLE_NOT_OPENED", Severity.INTEGRITY, "No opening of the table on the log")
TABLE_NOT_CLOSED: Final = declare("TABLE_NOT_CLOSED", Severity.INTEGRITY, "No closing of the table on the log")

NOT_RECORDED: Final = "not_recorded"
ROUND_NUMBERS: Final = "round_numbers"
"""The name under which a log says that its source does not number the rounds of a table-day one after the other."""
CUSTODY: Final = "custody"
"""The name under which a log says that it does not record openings, closings, fills, credits and drops."""

_CORRECTABLE: Final = {
    "CardDealt": "card",
    "CardTurned": "card",
    "CardRemoved": "card",
    "CardBurned": "card",
    "WagerPlaced": "wager",
    "WagerSettled": "wager",
    "DecisionTaken": "decision",
    "TotalAnnounced": "decision",
    "ChipsFilled": "chips",
    "ChipsCredited": "chips",
    "CashBoughtIn": "chips",
    "DropCounted": "chips",
    "TableOpened": "chips",
    "TableClosed": "chips",
}


@dataclass(frozen=True, slots=True)
class Log:
    """A table-day's events fit to be judged, with what was found on the way.

    ``events`` is ordered by ``seq``, each number once, corrections applied. ``torn`` holds the rounds that lack events,
    ``not_checked`` the checks that the log's source cannot show, ``unsound`` the rounds with events that break the contract.
    """

    table_id: str
    gaming_day: dt.date
    events: pl.DataFrame
    findings: tuple[Finding, ...]
    torn: frozenset[int]
    not_checked: tuple[str, ...] = ()
    unsound: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class TableDay:
    """A table-day's events as they were read (schema ``FLAT``, in any order).

    ``elsewhere`` are numbers between its first and its last that other gaming days of the table hold: it had events
    recorded late, when the next day had begun.
    """

    table_id: str
    gaming_day: dt.date
    events: pl.DataFrame
    container_sha256: str = ""
    elsewhere: frozenset[int] = frozenset()


def inspect_all(days: Sequence[TableDay]) -> list[Log]:
    """Check several table-days: all of them at a glance, and those that look wrong one by one."""
    if len(days) <= 1:
        return [inspect(day.events, day.table_id, day.gaming_day, day.elsewhere) for day in days]
    wrong = _look_wrong([day.events for day in days])
    return [
        inspect(day.events, day.table_id, day.gaming_day, day.elsewhere)
        if number in wrong
        else Log(day.table_id, day.gaming_day, day.events, (), frozenset())
        for number, day in enumerate(days)
    ]


def _look_wrong(frames: Sequence[pl.DataFrame]) -> set[int]:
    """The numbers of the frames in which any check would find something or have something to do."""
    broken = breaks_contract(pl.concat(frames))
    return {
        number
        for number, frame in enumerate(frames)
        if frame.is_empty() or frame.select(_WRONG).item() or (broken and breaks_contract(frame))
    }


def inspect(frame: pl.DataFrame, table_id: str, gaming_day: dt.date, elsewhere: frozenset[int] = frozenset()) -> Log:
    """Check a table-day's events (schema ``FLAT``, in any order); ``elsewhere`` as in :class:`TableDay`."""
    checks = _Checks(table_id, gaming_day, elsewhere)
    events, findings = checks.numbers(frame if frame["seq"].is_sorted() else frame.sort("seq", maintain_order=True))
    held = hold_to_contract(events, table_id, gaming_day)
    events = held.events
    checks = _Checks(table_id, gaming_day, elsewhere | held.left_out)
    torn = checks.torn(events)
    findings += [*held.findings, *checks.gaps(events), *checks.clock(events), *checks.rounds(events)]
    findings += _Checks(table_id, gaming_day, elsewhere).left_out(
        events
    )  # what was set aside may be the round's only event
    events, dangling = checks.corrected(events)
    unseen = tuple(sorted({CUSTODY, ROUND_NUMBERS} & not_recorded(events)))
    return Log(table_id, gaming_day, events, tuple(findings + dangling), torn, unseen, held.rounds)


def not_recorded(events: pl.DataFrame) -> frozenset[str]:
    """What the source of a log does not record, as the table elected it (option ``not_recorded``)."""
    said = events.filter(pl.col("option_name") == NOT_RECORDED)["option_value"].drop_nulls().to_list()
    return frozenset(name.strip() for value in said for name in value.split(","))


@dataclass(frozen=True, slots=True)
class _Checks:
    table_id: str
    gaming_day: dt.date
    elsewhere: frozenset[int]
    """Numbers that are not missing: other gaming days have them, or they break the contract and were found for it."""

    def _found(self, code: str, seq: int | None, message: str, round_: int | None = None) -> Finding:
        return Finding(code, self.table_id, self.gaming_day, seq=seq, round=round_, message=message)

    def numbers(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Finding]]:
        """Each number once: repetitions are dropped and found, conflicts keep the first and are found."""
        if not (frame["seq"].diff() == 0).any():
            return frame, []
        same = frame.filter(frame["seq"].is_duplicated())
        findings = []
        for (seq,), group in same.group_by(["seq"], maintain_order=True):
            distinct = group.unique(maintain_order=True).height
            code = EVENT_REPEATED if distinct == 1 else SEQUENCE_CONFLICT
            number = int(str(seq))
            findings.append(self._found(code.code, number, f"seq {number} stands {group.height} times"))
        return frame.unique("seq", keep="first", maintain_order=True), findings

    def gaps(self, events: pl.DataFrame) -> Iterator[Finding]:
        """Numbers that are missing between the first and the last."""
        for index, missing in self._missing(events):
            after = events["seq"][index]
            message = f"{missing} event(s) missing before seq {after}"
            yield self._found(SEQUENCE_GAP.code, after, message, events["round"][index])

    def _missing(self, events: pl.DataFrame) -> Iterator[tuple[int, int]]:
        """Where numbers are missing that no other gaming day holds: the row behind, and how many."""
        seqs, elsewhere = events["seq"], sorted(self.elsewhere)
        for index in (seqs.diff() > 1).arg_true().to_list():
            before, after = seqs[index - 1], seqs[index]
            missing = after - before - 1 - (bisect_left(elsewhere, after) - bisect_right(elsewhere, before))
            if missing:
                yield index, missing

    def torn(self, events: pl.DataFrame) -> frozenset[int]:
        """Rounds that may lack events because a gap lies in them or right before them."""
        rounds: set[int] = set()
        for index, _ in self._missing(events):
            before, after = events["round"][index - 1], events["round"][index]
            if before is not None and events["kind"][index - 1] != "RoundClosed":
                rounds.add(before)
            following = events["round"].slice(index).drop_nulls()
            if after is not None:
                rounds.add(after)
            elif following.len():
                rounds.add(following[0])
        return frozenset(rounds)

    def clock(self, events: pl.DataFrame) -> Iterator[Finding]:
        """Times that lie before the time of the event before."""
        step = events["at"].diff()
        for index in (step < 0).arg_true().to_list():
            message = f"{-step[index] / 1_000_000:.6f} s before the event before it"
            yield self._found(CLOCK_BACKWARDS.code, events["seq"][index], message, events["round"][index])

    def rounds(self, events: pl.DataFrame) -> Iterator[Finding]:
        """Rounds in order, each with an end; the table opened and closed."""
        inside = events.filter(pl.col("round").is_not_null()).select("seq", "round", "kind")
        late = inside["round"].diff() < 0
        for index in late.arg_true().to_list():
            number, seq = inside["round"][index], inside["seq"][index]
            yield self._found(ROUND_INTERLEAVED.code, seq, f"round {number} had given way to a later one", number)
        closed = inside.filter(pl.col("kind").is_in(("RoundClosed", "RoundVoided")))["round"].unique()
        open_ = inside.filter(~pl.col("round").is_in(closed.implode()))
        for number, seq in open_.group_by("round", maintain_order=True).agg(pl.col("seq").last()).iter_rows():
            yield self._found(ROUND_NOT_CLOSED.code, seq, f"round {number} never ends", number)
        if CUSTODY in not_recorded(events):
            return
        kinds = set(events["kind"].unique().to_list())
        first, last = (events["seq"][0], events["seq"][-1]) if events.height else (None, None)
        if "TableOpened" not in kinds:
            yield self._found(TABLE_NOT_OPENED.code, first, "no opening inventory: custody cannot be reconciled")
        if "TableClosed" not in kinds:
            yield self._found(TABLE_NOT_CLOSED.code, last, "no closing inventory: custody cannot be reconciled")

    def left_out(self, events: pl.DataFrame) -> Iterator[Finding]:
        """Rounds whose numbers stand nowhere between the first and the last, although no event is missing there."""
        if ROUND_NUMBERS in not_recorded(events):
            return
        inside = events.drop_nulls("round").select("seq", "round", before=pl.col("seq").shift())
        begins = (
            inside.unique("round", keep="first", maintain_order=True).sort("round").select("round", "seq", "before")
        )
        torn = [events["seq"][index] for index, _ in self._missing(events)]
        for (earlier, _, _), (number, seq, before) in pairwise(begins.rows()):
            excused = before is not None and bisect_right(torn, seq) > bisect_right(torn, before)
            if number - earlier > 1 and not excused:
                missing = f"rounds {earlier + 1} to {number - 1}" if number - earlier > 2 else f"round {earlier + 1}"
                message = f"{missing} left out: round {number} follows round {earlier}, and no event is missing"
                yield self._found(ROUND_MISSING.code, seq, message, number)

    def corrected(self, events: pl.DataFrame) -> tuple[pl.DataFrame, list[Finding]]:
        """The events with every correction applied to what it refers to; the originals stay in the archive."""
        corrections = events.filter(pl.col("kind") == "CorrectionMade")
        if corrections.is_empty():
            return events, []
        findings: list[Finding] = []
        kinds = dict(
            events.filter(pl.col("seq").is_in(corrections["remark_refers_to"].drop_nulls().implode()))
            .select("seq", "kind")
            .iter_rows()
        )
        updates = []
        for row in corrections.iter_rows(named=True):
            target = row["remark_refers_to"]
            body = _CORRECTABLE.get(kinds.get(target, ""))
            columns = [name for name in FLAT if body is not None and name.startswith(f"{body}_")]
            if target is None or target >= row["seq"] or all(row[name] is None for name in columns):
                message = f"seq {target} is not an earlier event of this table-day that it could correct"
                findings.append(self._found(CORRECTION_DANGLING.code, row["seq"], message, row["round"]))
                continue
            updates.append({"seq": target, **{name: row[name] for name in columns if row[name] is not None}})
        for update in updates:
            values = {name: value for name, value in update.items() if name != "seq"}
            here = pl.col("seq") == update["seq"]
            events = events.with_columns(
                **{
                    name: pl.when(here).then(pl.lit(value, dtype=FLAT[name])).otherwise(pl.col(name))
                    for name, value in values.items()
                }
            )
        return events, findings


_KNOWN_ROUNDS: Final = pl.col("round").drop_nulls()
_ENDED_ROUNDS: Final = pl.col("round").filter(is_kind("RoundClosed", "RoundVoided"))
_WRONG: Final = (
    (pl.col("seq").diff() != 1).any()
    | (pl.col("at").diff() < 0).any()
    | is_kind("CorrectionMade").any()
    | (~_KNOWN_ROUNDS.diff().is_between(0, 1)).any()
    | (_ENDED_ROUNDS.n_unique() != _KNOWN_ROUNDS.n_unique())
    | ~is_kind("TableOpened").any()
    | ~is_kind("TableClosed").any()
)
"""Whether a table-day's events look wrong at a glance, apart from the contract."""
