"""The simulated pit: the same bytes from the same seed, every chip accounted for, lawful days, one dealer in one place."""

from __future__ import annotations

import datetime as dt
import hashlib
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from producers.recorder import Recorder
from producers.simulator import TablePlan, pit, simulate, simulate_table_day
from producers.simulator.facts import counted
from producers.simulator.pit import AlreadyThere
from producers.simulator.plan import BLACK_JACK, FORTUNE, authorised
from producers.simulator.skills import SKILLS, View
from producers.simulator.table import NotPlayed, SimulatedTable
from producers.sinks import NotDurable
from producers.sinks.archive import ArchiveSink
from producers.sinks.memory import MemorySink
from replayer.contract.outcomes import Awaited
from replayer.engine.histories import OF_BANKS, OF_SEATS
from replayer.engine.history_rows import histories_of
from replayer.log.columns import FLAT
from replayer.sources.archive import read_table_day
from replayer.sources.table_days import TableDayRef, table_days
from schemas.cards import RANKS
from schemas.codec import decode
from schemas.event import Event, Wager
from tests.archives import append, read_events
from tests.simulator.judging import judged

DAY = dt.date(2009, 6, 1)
UNVERIFIED = "LAW_TEXT_UNVERIFIED"


def table_day(plan: TablePlan, day: dt.date = DAY, **wishes: object) -> list[Event]:
    written, _ = simulate_table_day(plan, day, **{"rounds": 25, **wishes})
    return [decode(message) for message in written.messages]


def digests(archive: Path) -> dict[str, str]:
    files = sorted(path for path in archive.rglob("*") if path.suffix in (".avro", ".arrow", ".json"))
    return {str(path.relative_to(archive)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


# Determinism


def test_same_seed_gives_the_same_bytes_with_any_number_of_workers(tmp_path: Path) -> None:
    made = {}
    for name, workers in (("one", 1), ("two", 2)):
        labels = tmp_path / f"{name}.jsonl"
        simulate(tmp_path / name, tables=3, days=2, rounds=40, seed=7, faults=0.5, workers=workers, labels_path=labels)
        made[name] = (digests(tmp_path / name), labels.read_text())
    assert made["one"] == made["two"]
    assert len(made["one"][0]) == 3 * 2 * 3, "each table-day is long enough for a columnar copy"


def test_what_fails_in_another_process_ends_the_simulation(tmp_path: Path) -> None:
    simulate(tmp_path, tables=pit(4)[:1], rounds=2, seed=7)
    with pytest.raises(AlreadyThere, match="BJ-01"):  # the first plan is the other process's
        simulate(tmp_path, tables=4, rounds=2, seed=8, workers=2)


def test_a_table_comes_out_the_same_alone_as_in_the_pit(tmp_path: Path) -> None:
    simulate(tmp_path / "pit", tables=4, rounds=6, seed=7)
    simulate(tmp_path / "alone", tables=[pit(4)[3]], rounds=6, seed=7)
    alone = digests(tmp_path / "alone")
    assert alone.items() <= digests(tmp_path / "pit").items()
    assert alone


def test_a_table_day_is_not_simulated_on_top_of_itself(tmp_path: Path) -> None:
    simulate(tmp_path, tables=2, rounds=2)
    before = digests(tmp_path)
    simulate(tmp_path, tables=1, rounds=2)  # the very same
    assert digests(tmp_path) == before
    for other in ({"seed": 2}, {"rounds": 3}):
        with pytest.raises(
            AlreadyThere, match="another event 1 on gaming day 2009-06-01; simulate into another folder"
        ):
            simulate(tmp_path, tables=1, **{"rounds": 2, **other})
    with pytest.raises(AlreadyThere, match="already holds BJ-01 of 2009-06-01"):
        simulate(tmp_path, copy_into=MemorySink, tables=1, rounds=2)
    assert digests(tmp_path) == before
    simulate(tmp_path, tables=1, rounds=2, day=DAY + dt.timedelta(days=1))
    assert len(digests(tmp_path)) == len(before) + 2


def test_a_simulation_into_a_topic_is_not_advised_to_begin_anew_in_the_topic_that_has_some_of_it(
    tmp_path: Path,
) -> None:
    simulate(tmp_path, tables=1, rounds=2)
    with pytest.raises(AlreadyThere, match="simulate into another folder and another topic, or other days"):
        simulate(tmp_path, copy_into=MemorySink, tables=1, rounds=2)


def test_two_sinks_that_hold_different_logs_are_not_written_on(tmp_path: Path) -> None:
    ahead = MemorySink()
    Recorder(ahead, "BJ-01").record("WagersClosed", round=1, at=0)
    with pytest.raises(NotDurable, match="ends with seq 0, the other with 1"):
        simulate(tmp_path, copy_into=lambda: ahead, tables=1, rounds=2)
    assert [*tmp_path.glob("2*")] == []


def test_a_copy_has_the_events_of_the_archive(tmp_path: Path) -> None:
    copy = MemorySink()
    simulate(tmp_path, copy_into=lambda: copy, tables=1, rounds=3)
    assert copy.events() == list(read_events(TableDayRef(DAY, "BJ-01", tmp_path))) != []


@pytest.mark.parametrize("kept", [100_000, 40, 0])
def test_a_simulation_that_was_interrupted_is_completed_by_the_same_again(kept: int, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    simulate(whole, tables=3, days=2, rounds=4, seed=3, faults=0.3)
    sink = ArchiveSink(broken)
    for ref in table_days(whole):
        append(sink, *(event for event in read_events(ref) if ref.table_id != "BJ-01" or event.seq <= kept))
    sink.flush()
    sink.seal("F3-01", DAY)
    sink.close()
    simulate(broken, tables=3, days=2, rounds=4, seed=3, faults=0.3)
    assert digests(broken) == digests(whole)


def test_another_seed_gives_another_day() -> None:
    plan = pit(1)[0]
    assert table_day(plan, seed=1) != table_day(plan, seed=2)


# Chips


def minor(events: list[Event], kind: str) -> int:
    return sum(event.chips.amount_minor for event in events if event.kind == kind and event.chips)


@pytest.mark.parametrize("plan", pit(12), ids=lambda plan: plan.table_id)
def test_every_chip_of_a_clean_day_is_accounted_for(plan: TablePlan) -> None:
    events = table_day(plan)
    paid = sum(event.wager.net_minor or 0 for event in events if event.kind == "WagerSettled" and event.wager)
    came = minor(events, "TableOpened") + minor(events, "ChipsFilled")
    went = minor(events, "ChipsCredited") + minor(events, "CashBoughtIn") + paid
    assert minor(events, "TableClosed") == came - went
    assert minor(events, "DropCounted") == minor(events, "CashBoughtIn") > 0


def test_counts_by_denomination_are_the_amounts_they_stand_for() -> None:
    events = table_day(replace(pit(1)[0], float_minor=30_000_000), rounds=60)
    counts = [event.chips for event in events if event.chips and event.chips.denominations]
    assert {chips.amount_minor for chips in counts} != {30_000_000}
    for chips in counts:
        assert chips.amount_minor == sum(d.value_minor * d.count for d in chips.denominations or ())


def test_a_tray_that_cannot_pay_is_filled_before_it_does() -> None:
    plan = replace(pit(1)[0], float_minor=1_000_000)  # ten thousand: less than some bets
    events = table_day(plan, rounds=60)
    tray = 0
    for event in events:
        amount = event.chips.amount_minor if event.chips else 0
        net = (event.wager.net_minor or 0) if event.wager else 0
        tray += {"TableOpened": amount, "ChipsFilled": amount, "ChipsCredited": -amount, "CashBoughtIn": -amount}.get(
            event.kind, -net
        )
        assert tray >= 0
    assert tray == plan.float_minor


def test_an_amount_smaller_than_a_chip_cannot_be_laid_out() -> None:
    with pytest.raises(ValueError, match="7501"):
        counted(7501)


def test_a_table_opens_as_it_closed_and_its_numbering_goes_on(tmp_path: Path) -> None:
    plan, copy = pit(1)[0], MemorySink()
    simulate(tmp_path, copy_into=lambda: copy, tables=1, days=2, rounds=5, seed=3)
    events = [decode(message) for message in copy.messages(plan.table_id)]
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    opened = [event.chips for event in events if event.kind == "TableOpened"]
    closed = [event.chips for event in events if event.kind == "TableClosed"]
    assert opened[1] == closed[0]
    assert [event.round for event in events if event.kind == "RoundClosed"] == [1, 2, 3, 4, 5] * 2


# The law


def findings(archive: Path) -> set[str]:
    found: set[str] = set()
    for replayed in judged(archive).values():
        assert set(replayed.wagers["status"]) <= {"judged", "void"}
        found |= set(replayed.findings["code"])
    return found


def test_a_clean_day_has_no_finding(tmp_path: Path) -> None:
    simulate(tmp_path, tables=12, rounds=40)
    assert findings(tmp_path) <= {UNVERIFIED}  # the bonus of 97/2008, whose text is not at hand


def test_a_clean_day_of_a_text_that_is_at_hand_has_none_at_all(tmp_path: Path) -> None:
    blackjack = [plan for plan in pit(12) if plan.game == BLACK_JACK]
    fortune = [plan for plan in pit(12) if plan.game == FORTUNE]
    simulate(tmp_path, tables=blackjack, rounds=40, seed=1)
    simulate(tmp_path, tables=fortune, rounds=40, seed=1, day=dt.date(2008, 9, 1))
    assert findings(tmp_path) == set()


@pytest.mark.prove
def test_no_table_elects_what_the_text_of_its_day_admits_with_a_doubt_only(tmp_path: Path) -> None:
    blackjack = [plan for plan in pit(12) if plan.game == BLACK_JACK]
    for day in (dt.date(2001, 6, 4), dt.date(2005, 6, 6), dt.date(2008, 6, 2)):
        simulate(tmp_path / str(day), tables=blackjack, rounds=3, day=day)
        assert findings(tmp_path / str(day)) == set()


@pytest.mark.parametrize(
    ("number", "day", "seed"), [(2, dt.date(2008, 12, 15), 8), (0, dt.date(2009, 4, 6), 73)], ids=str
)
def test_a_day_on_which_another_text_comes_into_force_at_midnight_is_lawful(
    number: int, day: dt.date, seed: int, tmp_path: Path
) -> None:
    simulate(tmp_path, tables=[pit(3)[number]], rounds=60, day=day, seed=seed)  # open from half past eleven
    assert judged(tmp_path)[pit(3)[number].table_id].rounds["regulation"].n_unique() == 2
    assert findings(tmp_path) <= {UNVERIFIED}


def test_tables_where_totals_are_called_are_as_lawful(tmp_path: Path) -> None:
    simulate(tmp_path, tables=[replace(plan, announce=True) for plan in pit(12) if plan.game == BLACK_JACK], rounds=40)
    for ref in table_days(tmp_path):
        assert (read_table_day(ref).events["kind"] == "TotalAnnounced").any()
    assert findings(tmp_path) == set()


@pytest.mark.parametrize("plan", pit(3) + pit(12)[6:], ids=lambda plan: plan.table_id)
def test_the_croupier_asks_in_the_very_histories_that_the_replayer_cuts(plan: TablePlan, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    simulate(archive, tables=[plan], rounds=30, seed=4)
    table = SimulatedTable(plan, DAY, 30, 4, 0.0)
    table.open()
    recorded: list[tuple[str, ...]] = []
    for number in range(1, 31):
        table.play_round(number)
        assert table.round is not None
        in_play = table.round.in_play()
        recorded.append((in_play.bank_history(Awaited.HAND), *(in_play.seat_history(s.number) for s in table.crowd)))
    frame = read_table_day(table_days(archive)[0]).events.select(list(FLAT))
    game = table.croupier_rules.game
    histories = histories_of(frame, game)
    assert histories.build(OF_BANKS, histories.rounds["ri"], game) == [bank for bank, *_ in recorded]
    assert histories.build(OF_SEATS, histories.seat_keys, game) == [
        history for _, *seats in recorded for history in seats
    ]


@pytest.mark.parametrize("announce", [False, True], ids=["silent", "announced"])
@pytest.mark.parametrize("plan", pit(3) + pit(12)[6:], ids=lambda plan: plan.table_id)
def test_the_states_that_a_croupier_follows_are_those_to_which_the_histories_lead(
    plan: TablePlan, announce: bool
) -> None:
    table = SimulatedTable(replace(plan, announce=announce), DAY, 60, 5, 0.3)
    table.open()
    law, rules = table.croupier_rules.game.seat, table.croupier_rules.rules
    for number in range(1, 61):
        table.play_round(number)
        round_ = table.round
        assert round_ is not None
        for seat in table.crowd:
            history = round_.in_play().seat_history(seat.number)
            state = law.new.faces(history.begin)
            for symbol in history.symbols:
                state = state.step(symbol, rules)[0].lawful()
            assert round_.seat(seat.number) == state.so_far(rules)
            assert [round_.allowed(seat.number, hand) for hand in range(3)] == [state.open(n, rules) for n in range(3)]
        bank = table.croupier_rules.evaluator.bank(round_.in_play().bank_history(round_.awaited())).value
        assert round_.bank().outcome == bank.outcome


@pytest.mark.parametrize("skill", SKILLS)
def test_players_of_every_skill_do_only_what_is_allowed(skill: str) -> None:
    random = Random(5)
    decisions = ["hit", "stand", "double", "split", "five_card_half"]
    for _ in range(3000):
        allowed = frozenset(random.sample(decisions, random.randint(1, len(decisions))))
        ranks = "".join(random.choices(RANKS, k=random.randint(2, 5)))
        assert SKILLS[skill].choose(View(ranks, random.choice(RANKS), allowed), random) in allowed


def test_options_are_asked_for_weeks_before_they_come_into_effect() -> None:
    for offset in range(400):
        day = DAY + dt.timedelta(days=offset)
        asked, granted, effective = authorised(day)
        assert asked < granted < effective < day
        assert (effective - asked).days >= 28


def test_there_is_no_table_of_a_game_whose_text_is_not_at_hand() -> None:
    assert Counter(plan.game for plan in pit(9, [DAY])) == {BLACK_JACK: 6, FORTUNE: 3}
    assert {plan.game for plan in pit(9, [dt.date(2026, 2, 1)])} == {BLACK_JACK}
    with pytest.raises(NotPlayed, match="F3-01: no text"):
        simulate_table_day(pit(3)[2], dt.date(2026, 2, 1), rounds=1)
    with pytest.raises(NotPlayed, match="PB-01: punto_banco is not simulated; there are black_jack"):
        simulate_table_day(TablePlan("PB-01", "punto_banco"), DAY, rounds=1)


def test_wagers_go_back_when_the_shuffler_fails() -> None:
    events = table_day(pit(3)[2], rounds=150, seed=9)
    void = {event.round for event in events if event.kind == "RoundVoided"}
    returned = [event.wager for event in events if event.kind == "WagerSettled" and event.round in void and event.wager]
    placed = [event.wager for event in events if event.kind == "WagerPlaced" and event.round in void and event.wager]
    assert len(returned) == len(placed) > 0
    assert all(wager.net_minor == 0 for wager in returned)


def test_streaks_run_over_several_rounds_and_buttons_move_with_them() -> None:
    plan = next(plan for plan in pit(12) if "side_streak" in plan.options)
    events = table_day(plan, rounds=150)
    open_: dict[tuple[str, int, str | None], int] = {}
    lengths = Counter[int]()
    for event in events:
        wager = event.wager
        if wager is None or not wager.kind.startswith("streak_") or event.round is None:
            continue
        name = (wager.kind, wager.seat, wager.player)
        if event.kind == "WagerPlaced":
            assert name not in open_
            open_[name] = event.round
        elif (wager.net_minor or 0) > 0:
            lengths[event.round - open_.pop(name) + 1] += 1
            assert lengths[0] == lengths[1] == 0
        else:
            del open_[name]
    assert not open_
    assert sum(lengths.values()) > 3
    buttons = {event.decision.points for event in events if event.kind == "MarkerMoved" and event.decision}
    assert {2, 3} <= buttons


# Time and people


@pytest.mark.prove
def test_a_day_of_any_length_stays_within_its_gaming_day() -> None:
    for rounds in (1, 1100):
        events = table_day(pit(1)[0], rounds=rounds)
        begin = int(dt.datetime(2009, 5, 31, 22, tzinfo=dt.UTC).timestamp()) * 1_000_000  # 06:00 in Macau
        assert begin <= events[0].at
        assert events[-1].at < begin + 24 * 3600 * 1_000_000
        assert all(before.at < after.at for before, after in pairwise(events))


def test_no_dealer_stands_at_two_tables_at_once() -> None:
    watches: dict[str, list[tuple[int, int]]] = {}
    minute = 60 * 1_000_000
    for plan in pit(3):
        entered: dict[str | None, int] = {}
        for event in table_day(plan, rounds=200):
            if event.kind == "DealerEntered" and event.table:
                entered[event.table.staff] = event.at
            elif event.kind == "DealerLeft" and event.table and event.table.staff:
                watches.setdefault(event.table.staff, []).append((entered.pop(event.table.staff), event.at))
    assert any(len(spans) > 1 for spans in watches.values())
    for spans in watches.values():
        spans.sort()
        assert all(left < came + 8 * minute for (_, left), (came, _) in pairwise(spans))


def test_seats_are_shared_and_some_players_sit_twice() -> None:
    placed = [e.wager for e in table_day(pit(1)[0], rounds=300) if e.kind == "WagerPlaced" and e.wager]
    mains = [wager for wager in placed if wager.kind == "main"]
    assert any(wager.position for wager in mains)
    by_round = Counter((id_, w.player) for id_, w in _numbered(mains))
    assert max(by_round.values()) == 2
    assert {"double", "split", "insurance"} <= {wager.kind for wager in placed}


def _numbered(mains: list[Wager]) -> list[tuple[int, Wager]]:
    """Wagers with a number that goes up whenever seats begin anew from the left."""
    number, numbered = 0, []
    for before, wager in zip([None, *mains], mains, strict=False):
        number += before is not None and wager.seat < before.seat
        numbered.append((number, wager))
    return numbered


def test_a_worker_of_a_simulation_loads_no_column_engine() -> None:
    asked = "import sys, producers.simulator.pit; print(sys.modules.keys() & {'polars', 'fsspec', 'asyncio'})"
    assert subprocess.check_output([sys.executable, "-c", asked], text=True) == "set()\n"
