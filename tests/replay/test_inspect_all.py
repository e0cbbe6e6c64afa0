"""The quick look at table-days misses nothing of what the whole inspection finds, whatever is wrong with one of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from random import Random
from typing import Final

import polars as pl
import pytest

from producers.simulator import simulate
from producers.simulator.plan import pit
from replayer.integrity import books, inspection, malformed_events
from replayer.integrity.checks import anywhere
from replayer.integrity.inspection import Log, inspect, inspect_all
from replayer.integrity.malformed_events import check_contract
from replayer.log.columns import FLAT, TableDay, columns_of, events_of
from schemas.bounds import DAYS, FIRST_DAY, LAST_DAY, LISTS, NUMBERS, TEXTS
from schemas.event import Denomination, Event, Option, Remark
from schemas.kinds import KINDS, SHAPES, UNKNOWN_KIND
from tests.archives import logs_in
from tests.odd import odd_table_day
from tests.shares import few

_Events = list[Event]
_Edit = Callable[[_Events, int, int, Random], _Events]
_SECOND: Final = 1_000_000


def _renumbered(events: _Events) -> _Events:
    return [replace(event, seq=seq) for seq, event in enumerate(events, 1)]


def _a_second_each(events: _Events) -> _Events:
    """The events as they stand, with numbers and times in order: only their order tells that anything is wrong."""
    first = min((event.at for event in events), default=0)
    return [replace(event, at=first + event.seq * _SECOND) for event in _renumbered(events)]


def _in_place_of(event: Event, dice: Random) -> Event:
    """An event that the contract accepts, of any kind, in the place of another."""
    kind = dice.choice(sorted(_ACCEPTED))
    number = dice.choice((event.round, event.round, None))
    own = {"table_id": event.table_id, "gaming_day": event.gaming_day, "at": event.at, "seq": event.seq}
    return replace(dice.choice(_ACCEPTED[kind]), round=number, **own)


_ODD: Final = [event for seed in (0, 8, 16) for event in odd_table_day(seed)]
_ACCEPTED: Final = {kind: [event for event in _ODD if event.kind == kind] for kind in {event.kind for event in _ODD}}


def _retimed(events: _Events, row: int, to: int, dice: Random) -> _Events:
    first, last = anywhere(events[0].gaming_day)
    steps = (-1, 1, -_SECOND, 3_600 * _SECOND)
    at = dice.choice((first - 1, first, last, last + 1, events[to].at, *(events[row].at + step for step in steps)))
    return [*events[:row], replace(events[row], at=at), *events[row + 1 :]]


def _all_retimed(events: _Events, row: int, to: int, dice: Random) -> _Events:
    played = [event.at for event in events if event.round is not None] or [events[0].at]
    first, last = anywhere(events[0].gaming_day)
    step = dice.choice((first - played[0], last - played[-1])) + dice.choice((-1, 0, 1))
    return [replace(event, at=event.at + step) for event in events]


def _of_another_round(events: _Events, row: int, to: int, dice: Random) -> _Events:
    number = dice.choice((None, events[to].round, (events[row].round or 0) + 1, (events[row].round or 1) - 1))
    return [*events[:row], replace(events[row], round=number), *events[row + 1 :]]


def _rounds_numbered_otherwise(events: _Events, row: int, to: int, dice: Random) -> _Events:
    first, most = events[row].round or 0, max((event.round for event in events if event.round is not None), default=0)
    backwards, step = dice.random() < 0.3, dice.choice((-1, 1, 10**9))
    return [
        event
        if event.round is None or event.round < first
        else replace(event, round=first + most - event.round if backwards else event.round + step)
        for event in events
    ]


def _not_recorded(events: _Events, row: int, to: int, dice: Random) -> _Events:
    said = Option("not_recorded", dice.choice(("custody", "round_numbers", "custody,round_numbers", "times")))
    here = events[row]
    told = Event(here.table_id, here.seq, here.at, here.gaming_day, "OptionElected", option=said)
    return [*events[:row], told, *events[row:]]


def _voided(events: _Events, row: int, to: int, dice: Random) -> _Events:
    here = events[row]
    void = Event(here.table_id, here.seq, here.at, here.gaming_day, "RoundVoided", here.round, remark=Remark("mistake"))
    return [*events[:row], void, *events[row + dice.choice((0, 1)) :]]


def _counted(events: _Events, row: int, to: int, dice: Random) -> _Events:
    chips = [(at, event.chips) for at, event in enumerate(events) if event.chips is not None]
    if not chips:
        return events
    at, counted = dice.choice(chips)
    amount = counted.amount_minor or 0
    parts = dice.choice(((), (Denomination(amount, 1),), (Denomination(amount + 1, 1),), (Denomination(1, amount),)))
    return [*events[:at], replace(events[at], chips=replace(counted, denominations=parts)), *events[at + 1 :]]


EDITS: Final[Mapping[str, _Edit]] = {
    "lost": lambda events, row, to, dice: events[:row] + events[row + 1 :],
    "kind lost": lambda events, row, to, dice: [event for event in events if event.kind != events[row].kind],
    "round lost": lambda events, row, to, dice: [event for event in events if event.round != events[row].round],
    "cut off": lambda events, row, to, dice: dice.choice((events[:row], events[row:], events[:row] + events[to:])),
    "repeated": lambda events, row, to, dice: [*events[:to], events[row], *events[to:]],
    "contradicted": lambda events, row, to, dice: [*events, replace(events[row], at=events[to].at)],
    "moved": lambda events, row, to, dice: [*(rest := events[:row] + events[row + 1 :])[:to], events[row], *rest[to:]],
    "added": lambda events, row, to, dice: [*events[:row], _in_place_of(events[row], dice), *events[row:]],
    "another kind": lambda events, row, to, dice: [*events[:row], _in_place_of(events[row], dice), *events[row + 1 :]],
    "malformed": lambda events, row, to, dice: [
        *events[:row],
        replace(events[row], kind=dice.choice(KINDS)),
        *events[row + 1 :],
    ],
    "voided": _voided,
    "retimed": _retimed,
    "all retimed": _all_retimed,
    "of another round": _of_another_round,
    "rounds numbered otherwise": _rounds_numbered_otherwise,
    "not recorded": _not_recorded,
    "counted": _counted,
}


def _somewhere(events: _Events, dice: Random) -> int:
    """A place of an event of some kind: most kinds stand seldom in a log."""
    kind = dice.choice(sorted({event.kind for event in events}))
    return dice.choice([row for row, event in enumerate(events) if event.kind == kind])


def edited(day: TableDay, dice: Random) -> TableDay:
    """A table-day of which an event or two are lost, moved, changed or made up."""
    events = list(events_of(day.events))
    for _ in range(dice.choice((1, 1, 2))):
        if events:
            edit = EDITS[dice.choice(sorted(EDITS))]
            events = edit(events, _somewhere(events, dice), _somewhere(events, dice), dice)
            events = dice.choice((list, _renumbered, _a_second_each, _a_second_each))(events)
    return replace(day, events=columns_of(events))


def same(quick: Log, whole: Log, seed: int | None = None) -> None:
    for field in fields(Log):
        one, other = getattr(quick, field.name), getattr(whole, field.name)
        assert one.equals(other) if isinstance(one, pl.DataFrame) else one == other, (seed, field.name)


def inspected_whole(day: TableDay) -> Log:
    """The inspection without any quick look."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(malformed_events, "breaks_contract", lambda _: True)
        patch.setattr(books, "may_be_late", lambda _: True)
        return inspect(day)


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> list[TableDay]:
    days = []
    for rounds in (1, 5):
        archive = tmp_path_factory.mktemp("healthy")
        tables = [*pit(6)[:3], *(plan for plan in pit(12) if "side_streak" in plan.options)][:4]
        simulate(archive, tables=tables, rounds=rounds, seed=3, faults=0)
        days += logs_in(archive)
    return days


def test_what_nothing_is_wrong_with_is_not_looked_into(
    healthy: list[TableDay], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [inspected_whole(day) for day in healthy]
    monkeypatch.delattr(inspection, "inspect")
    for log, expected in zip(inspect_all(healthy), whole, strict=True):
        same(log, expected)


@pytest.mark.parametrize("share", few(range(120), 1))
def test_a_quick_look_finds_whatever_the_inspection_finds(healthy: list[TableDay], share: int) -> None:
    for seed in range(25 * share, 25 * (share + 1)):
        dice = Random(seed)
        days = [edited(dice.choice(healthy), dice) for _ in range(dice.choice((1, 1, 3)))]
        for log, day in zip(inspect_all(days), days, strict=True):
            same(log, inspected_whole(day), seed)


def _values(path: str) -> list[object]:
    """The ends of what a field may hold, what is beyond them, and nothing."""
    if path in NUMBERS:
        least, most = NUMBERS[path]
        return [None, least - 1, least, most, most + 1]
    if path in TEXTS:
        return [None, *(letter * (TEXTS[path] + more) for letter in "aé" for more in (-1, 0, 1))]
    if path in LISTS:
        return [None, *([{"value_minor": 100, "count": 1}] * (LISTS[path] + more) for more in (0, 1))]
    if path in DAYS:
        return [None, FIRST_DAY - dt.timedelta(days=1), FIRST_DAY, LAST_DAY, LAST_DAY + dt.timedelta(days=1)]
    if path == "kind":
        return [UNKNOWN_KIND]
    return [None, "up"] if path == "card.face" else [None, "9c", "9x", "??", "Zz", ""]


PATHS: Final = sorted({"kind", *NUMBERS, *TEXTS, *LISTS, *DAYS, "card.card", "card.face"} - {"gaming_day"})


@pytest.mark.parametrize("path", PATHS)
def test_a_quick_look_at_a_field_sees_what_breaks_the_contract(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an event of each kind that must have it, may have it, or must not."""
    (body, *_), (column, _, inner) = path.split("."), path.replace(".", "_", 1).partition(".")
    kinds = {(path in SHAPES[kind].required, body in SHAPES[kind].bodies): kind for kind in _ACCEPTED}
    changed = []
    for kind in kinds.values():
        for value in _values(path)[column in ("seq", "at") :]:
            events = columns_of([replace(_ACCEPTED[kind][0], seq=len(changed) + 1)])
            put = [{"value_minor": 100, "count": 1, inner: value or 0}] if inner else value
            changed.append(events.with_columns(pl.Series(column, [put], strict=False).cast(FLAT[column])))
    seen = {seq for events in changed for seq in events["seq"] if malformed_events.breaks_contract(events)}
    monkeypatch.setattr(malformed_events, "breaks_contract", lambda _: True)
    checked = check_contract(pl.concat(changed), changed[0].clear())
    assert seen >= {finding.seq for finding in checked.found} > set()
