"""The same table-days recorded in another way: what happened is the same, and so is everything that is found and due.

What is expected is the verdict on the day as it was recorded first; each way of recording is one that the law and the contract
leave to whoever keeps the log.
"""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import polars as pl
import pytest

from producers.simulator import simulate
from producers.simulator.plan import pit
from replayer.log.columns import TableDay
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.cards import UNKNOWN_SUIT
from tests.archives import logs_in

Row = dict[str, Any]
Way = Callable[[list[Row], random.Random], list[Row]]
DAYS = (dt.date(2009, 6, 1), dt.date(2008, 9, 1), dt.date(2001, 3, 1))
"""Of each text of Black Jack, and of both of Fortune 3 Card Poker."""
TABLES, ROUNDS = 12, 6
WHERE = ("round", "seat", "hand", "wager")
SUMS = ("stake_minor", "paid_minor", "due_minor", "delta_minor")


def _rounds(rows: Sequence[Row]) -> Iterator[list[Row]]:
    by_round: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row["round"] is not None:
            by_round[row["round"]].append(row)
    yield from by_round.values()


def _lay_down_and_are_shown(rows: Sequence[Row]) -> Iterator[Row]:
    """The events that deal cards face down which are turned later."""
    for own in _rounds(rows):
        shown = Counter(_card(row) for row in own if row["kind"] == "CardTurned")
        for row in own:
            if row["kind"] == "CardDealt" and row["card_face"] == "down" and shown[_card(row)]:
                shown[_card(row)] -= 1
                yield row


def _card(row: Row) -> tuple[object, ...]:
    return row["card_seat"], row["card_hand"], row["card_card"]


def hidden_cards_are_named_when_they_are_shown(rows: list[Row], dice: random.Random) -> list[Row]:
    for row in [*_lay_down_and_are_shown(rows)]:
        row["card_card"] = None
    return rows


def some_hidden_cards_are_named_when_they_are_shown(rows: list[Row], dice: random.Random) -> list[Row]:
    for row in [*_lay_down_and_are_shown(rows)]:
        row["card_card"] = row["card_card"] if dice.random() < 0.5 else None
    return rows


def suits_of_hidden_cards_are_named_when_they_are_shown(rows: list[Row], dice: random.Random) -> list[Row]:
    for row in [*_lay_down_and_are_shown(rows)]:
        row["card_card"] = row["card_card"] if dice.random() < 0.4 else row["card_card"][0] + UNKNOWN_SUIT
    return rows


def suits_are_others(rows: list[Row], dice: random.Random) -> list[Row]:
    """Each suit is the other one of its colour: no rule names one."""
    for row in rows:
        if row["card_card"]:
            rank, suit = row["card_card"]
            row["card_card"] = rank + {"c": "s", "s": "c", "d": "h", "h": "d"}[suit]
    return rows


def recorded_twice(kind: str) -> Way:
    """Some events of a kind that changes nothing the second time."""

    def written(rows: list[Row], dice: random.Random) -> list[Row]:
        return [
            each for row in rows for each in ((row, {**row}) if row["kind"] == kind and dice.random() < 0.3 else (row,))
        ]

    written.__name__ = f"{kind}_recorded_twice"
    return written


def bets_are_laid_and_paid_in_parts(rows: list[Row], dice: random.Random) -> list[Row]:
    written, parted = [], set()
    for row in rows:
        if row["kind"] not in ("WagerPlaced", "WagerSettled") or row["wager_kind"] not in ("main", "ante", "pair_plus"):
            written.append(row)
            continue
        bet = tuple(row[name] for name in ("round", "wager_kind", "wager_seat", "wager_hand", "wager_player"))
        if row["kind"] == "WagerPlaced" and row["wager_stake_minor"] % 40_000 == 0 and dice.random() < 0.5:
            parted.add(bet)
        if bet not in parted:
            written.append(row)
            continue
        part = {name: (row[name] or 0) // 4 for name in ("wager_stake_minor", "wager_net_minor")}
        rest = {name: (row[name] or 0) - part[name] for name in part}
        for some in (part, rest):
            if row["kind"] == "WagerPlaced":
                some["wager_net_minor"] = row["wager_net_minor"]
            written.append({**row, **some})
    return written


def chips_come_before_the_decision_that_they_are_for(rows: list[Row], dice: random.Random) -> list[Row]:
    for row, after in pairwise(rows):
        staked = row["kind"] == "DecisionTaken" and after["kind"] == "WagerPlaced"
        if staked and row["decision_action"] == after["wager_kind"] and dice.random() < 0.5:
            at, then = row["at"], after["at"]
            decided, laid = {**row, "at": then}, {**after, "at": at}
            row.update(laid)
            after.update(decided)
    return rows


def bets_are_laid_in_another_order(rows: list[Row], dice: random.Random) -> list[Row]:
    return _shuffled("WagerPlaced", rows, dice)


def cards_are_shown_in_another_order(rows: list[Row], dice: random.Random) -> list[Row]:
    return _shuffled("CardTurned", rows, dice, of_one_hand=True)


def _shuffled(kind: str, rows: list[Row], dice: random.Random, *, of_one_hand: bool = False) -> list[Row]:
    """Events of a kind that follow one another in a round, or at a hand of it, each at the moment of the place that it takes."""
    written: list[Row] = []
    together: list[Row] = []

    def same(row: Row) -> bool:
        last = together[-1]
        return bool(row["round"] == last["round"]) and (not of_one_hand or _card(row)[:2] == _card(last)[:2])

    for row in [*rows, None]:
        if row is not None and row["kind"] == kind and (not together or same(row)):
            together.append(row)
            continue
        written += [
            {**one, "at": at["at"]} for one, at in zip(dice.sample(together, len(together)), together, strict=True)
        ]
        together = [row] if row is not None and row["kind"] == kind else []
        if row is not None and not together:
            written.append(row)
    return written


def dealers_change_in_the_middle_of_rounds(rows: list[Row], dice: random.Random) -> list[Row]:
    written, dealer = [], None
    for row in rows:
        written.append(row)
        if row["kind"] in ("DealerEntered", "DealerLeft"):
            dealer = row["table_staff"] if row["kind"] == "DealerEntered" else None
        if dealer and row["round"] is not None and dice.random() < 0.05:
            where = {name: row[name] for name in ("table_id", "gaming_day", "at")}
            blank = dict.fromkeys(row)
            written += [
                {**blank, **where, "kind": kind, "table_staff": dealer} for kind in ("DealerLeft", "DealerEntered")
            ]
    return written


def all_of_a_round_happens_at_one_moment(rows: list[Row], dice: random.Random) -> list[Row]:
    begun: dict[int, int] = {}
    last = rows[0]["at"]
    for row in rows:
        if row["round"] is not None:
            row["at"] = begun.setdefault(row["round"], row["at"])
        row["at"] = last = max(last, row["at"])
    return rows


def seats_are_others(rows: list[Row], dice: random.Random) -> list[Row]:
    """The same seats from the left, further apart; where no bet is carried from round to round."""
    if any(row["kind"] == "MarkerMoved" for row in rows):
        return rows
    columns = ("wager_seat", "card_seat", "decision_seat")
    for own in _rounds(rows):
        taken = sorted({row[name] for row in own for name in columns if row[name]})
        others = dict(zip(taken, sorted(dice.sample(range(1, 8), len(taken))), strict=True))
        for row in own:
            row.update({name: others[row[name]] for name in columns if row[name]})
    return rows


def players_have_other_names(rows: list[Row], dice: random.Random) -> list[Row]:
    names: dict[str, str] = {}
    for row in rows:
        for name in ("wager_player", "decision_player", "chips_player"):
            if row[name]:
                row[name] = names.setdefault(row[name], f"Z{len(names)}")
    return rows


def numbers_begin_at_another_one(rows: list[Row], dice: random.Random) -> list[Row]:
    return rows


def mistakes_are_corrected_in_time(rows: list[Row], dice: random.Random) -> list[Row]:
    """Cards and amounts that were keyed in wrongly, put right before the round or the day ends."""
    written: list[Row] = []
    put_right: list[tuple[Row, Row]] = []
    for row in rows:
        if row["kind"] == "RoundClosed":
            now = [pair for pair in put_right if dice.random() < 0.7]
            written += [{**right, "at": row["at"]} for _, right in now]
            put_right = [pair for pair in put_right if pair not in now]
        if row["kind"] == "TableClosed":
            written += [{**right, "at": row["at"]} for _, right in put_right]
        wrong = _mistaken(row, dice) if dice.random() < 0.03 else None
        written.append(wrong or row)
        if wrong is not None:
            body = "card_" if row["kind"] == "CardDealt" else "wager_"
            kept = {name: row[name] for name in row if name.startswith((body, "table_id", "gaming_day", "round"))}
            remark = {"kind": "CorrectionMade", "remark_cause": "miskeyed", "remark_refers_to": wrong}
            put_right.append((wrong, {**dict.fromkeys(row), **kept, **remark}))
    return written


def _mistaken(row: Row, dice: random.Random) -> Row | None:
    if row["kind"] == "CardDealt" and row["card_card"]:
        return {**row, "card_card": dice.choice("A23456789TJQK".replace(row["card_card"][0], "")) + row["card_card"][1]}
    if row["kind"] == "WagerSettled":
        return {**row, "wager_net_minor": row["wager_net_minor"] + 10_000}
    if row["kind"] == "WagerPlaced":
        return {**row, "wager_stake_minor": row["wager_stake_minor"] + 10_000}
    return None


WAYS: tuple[Way, ...] = (
    hidden_cards_are_named_when_they_are_shown,
    some_hidden_cards_are_named_when_they_are_shown,
    suits_of_hidden_cards_are_named_when_they_are_shown,
    suits_are_others,
    *map(recorded_twice, ("WagersClosed", "HoleCardChecked", "CardTurned")),
    bets_are_laid_and_paid_in_parts,
    chips_come_before_the_decision_that_they_are_for,
    bets_are_laid_in_another_order,
    cards_are_shown_in_another_order,
    dealers_change_in_the_middle_of_rounds,
    all_of_a_round_happens_at_one_moment,
    seats_are_others,
    players_have_other_names,
    numbers_begin_at_another_one,
    mistakes_are_corrected_in_time,
)


def _numbered(rows: list[Row], first: int) -> list[Row]:
    """The rows in their order; what refers to one has its number then."""
    for number, row in enumerate(rows, first):
        row["seq"] = number
    for row in rows:
        if isinstance(row["remark_refers_to"], dict):
            row["remark_refers_to"] = row["remark_refers_to"]["seq"]
    return rows


def recorded_so(day: TableDay, way: Way) -> TableDay:
    """A table-day recorded in another way."""
    dice = random.Random(f"{day.table_id}{day.gaming_day}")
    rows = way(list(day.events.iter_rows(named=True)), dice)
    first = 1_000_000 if way is numbers_begin_at_another_one else 1
    return TableDay(day.table_id, day.gaming_day, pl.DataFrame(_numbered(rows, first), schema=day.events.schema))


def verdicts(replayed: Replayed, *, by_seat: bool) -> tuple[list[tuple[Any, ...]], Counter[str]]:
    """What was staked, paid and due by round, place and kind of wager, and how often what was found but for corrections."""
    where = [name for name in WHERE if by_seat or name != "seat"]
    due = replayed.wagers.group_by(where).agg(pl.col(SUMS).sum(), pl.col("due_minor").null_count().alias("unjudged"))
    found = Counter(replayed.findings["code"].to_list())
    del found["EVENT_CORRECTED"]
    return due.sort(where).rows(), found


@pytest.fixture(scope="module")
def as_recorded_first(tmp_path_factory: pytest.TempPathFactory) -> list[TableDay]:
    days = []
    for day in DAYS:
        archive = tmp_path_factory.mktemp(f"of-{day}") / "archive"
        plans = [replace(plan, announce=number % 4 == 0) for number, plan in enumerate(pit(TABLES, [day]))]
        simulate(archive, tables=plans, rounds=ROUNDS, seed=11, day=day)
        days += logs_in(archive)
    return days


@pytest.fixture(scope="module")
def found_first(as_recorded_first: list[TableDay]) -> list[Replayed]:
    return list(replay_table_days(as_recorded_first))


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_same_is_found_and_due_however_it_is_recorded(
    way: Way, as_recorded_first: list[TableDay], found_first: list[Replayed]
) -> None:
    written = [recorded_so(day, way) for day in as_recorded_first]
    assert any(not one.events.equals(other.events) for one, other in zip(written, as_recorded_first, strict=True))
    by_seat = way is not seats_are_others
    for first, now in zip(found_first, replay_table_days(written), strict=True):
        assert verdicts(now, by_seat=by_seat) == verdicts(first, by_seat=by_seat), now.table_id
