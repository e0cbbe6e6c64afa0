"""Verdicts of one table-day never depend on another: not on what it says, not on the batch, not on the workers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.comparisons import ledger_of, what_if_of
from producers.simulator import simulate
from replayer.engine.packed_events import pack
from replayer.engine.replay_settings import ReplaySettings
from replayer.engine.ruled import numbered_rulings
from replayer.law.choice import NoSuchChoice, amount
from replayer.log.columns import TableDay, columns_of, events_of
from replayer.sources.archive import read_table_day
from replayer.sources.table_days import table_days
from replayer.verdicts import compare, replay, run
from replayer.verdicts.payment import EXACT, exact_dues
from replayer.verdicts.replay import replay_table_days
from replayer.verdicts.run import replay_all
from schemas.codec import encode
from schemas.encoder import varint
from schemas.event import CardAt, Chips, Event, Table, Wager
from schemas.kinds import KINDS
from schemas.money import NotAnAmount, parse_amount
from schemas.notation import parse_events
from tests.archives import record
from tests.disturbed import disturbed
from tests.odd import odd_table_day, write_foreign
from tests.texts import CLOSED, ONE_BURNED, opened

DAY = dt.date(2009, 6, 1)
OPENED = opened(f"option:decks=6 {ONE_BURNED}")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Healthy table-days of both games, with faults of the kinds that dealers make."""
    folder = tmp_path_factory.mktemp("healthy")
    simulate(archive=folder, tables=4, days=1, rounds=12, seed=5, faults=0.2)
    return folder


@pytest.fixture(scope="module")
def healthy(archive: Path) -> list[TableDay]:
    return [read_table_day(ref) for ref in table_days(archive)]


def digests(days: Sequence[TableDay], chosen: ReplaySettings | None = None) -> Mapping[str, str]:
    """What is said of each table-day when all are replayed together."""
    return {replayed.table_id: replayed.digest for replayed in replay_table_days(days, chosen)}


def alone(days: Sequence[TableDay], chosen: ReplaySettings | None = None) -> Mapping[str, str]:
    return {day.table_id: digests([day], chosen)[day.table_id] for day in days}


def table_day(table_id: str, events: Sequence[Event]) -> TableDay:
    return TableDay(table_id, events[0].gaming_day, columns_of([replace(e, table_id=table_id) for e in events]))


def parsed_day(table_id: str, text: str) -> TableDay:
    return table_day(table_id, list(parse_events(f"{OPENED}\n{text}\n{CLOSED}")))


@pytest.fixture(scope="module")
def said(healthy: list[TableDay]) -> Mapping[str, str]:
    return alone(healthy)


@given(seeds=st.lists(st.integers(0, 10**6), min_size=1, max_size=3), order=st.randoms(use_true_random=False))
@settings(max_examples=6, deadline=None)
def test_nothing_that_the_contract_accepts_changes_what_is_said_of_another_table(
    healthy: list[TableDay], said: Mapping[str, str], seeds: list[int], order: Random
) -> None:
    odd = [table_day(f"ODD-{number}", odd_table_day(seed - seed % 8)) for number, seed in enumerate(seeds)]
    both = [*healthy, *odd]
    order.shuffle(both)
    together = digests(both)
    assert {table: together[table] for table in said} == said
    assert {day.table_id: together[day.table_id] for day in odd} == alone(odd)


def test_a_correction_alone_makes_no_round_where_nobody_knows_the_game() -> None:
    """The seats of each round were those of the round before, or of another table's, behind a round that only it names."""
    corrected = "#1 1.main=100 2.main=100 end #3 correct:2:typo: #5 1.main=100 2.main=100 3.main=100 end"
    opened = "open:roulette:MOP:7=50000"
    days = [table_day(name, list(parse_events(f"{opened} {corrected} #- close=50000"))) for name in ("A-1", "A-2")]
    for made in (*replay_table_days(days), *replay_table_days(days[1:])):
        assert made.rounds.select("round", "seats").rows() == [(1, 2), (5, 3)]


def test_thousands_of_distinct_texts_change_nothing_beside_them(
    healthy: list[TableDay], said: Mapping[str, str]
) -> None:
    """4,090 voided rounds with causes of their own once invented 22 overpayments and 576 findings at another table."""
    odd = table_day("ODD", odd_table_day(7))
    assert len({cause for cause in odd.events["remark_cause"].to_list() if cause}) > 4_095
    for days in ([odd, *healthy], [*healthy, odd]):
        together = digests(days)
        assert {table: together[table] for table in said} == said
        assert together["ODD"] == alone([odd])["ODD"]


def test_odd_table_days_are_accepted_and_the_same_for_the_same_seed() -> None:
    for seed in range(16):
        events = odd_table_day(seed)
        assert events == odd_table_day(seed)
        assert [encode(event) for event in events]


def test_neither_workers_nor_batches_change_a_verdict_beside_odd_table_days(archive: Path, tmp_path: Path) -> None:
    refs = [*table_days(archive), *(record(tmp_path, odd_table_day(seed, f"ODD-{seed}")) for seed in range(6))]
    one = {o.table_id: o.digest for o in replay_all(refs).outcomes}
    two = {o.table_id: o.digest for o in replay_all(Random(3).sample(refs, len(refs)), workers=2).outcomes}
    assert one == two
    assert all(one.values())
    healthy = {o.table_id: o.digest for o in replay_all(table_days(archive)).outcomes}
    assert {table: one[table] for table in healthy} == healthy


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, list[Event]]]:
    """Table-days of both games long enough that what is put wrong in them leaves rounds in order."""
    folder = tmp_path_factory.mktemp("faulty")
    simulate(archive=folder, tables=6, days=1, rounds=20, seed=11, faults=0.1)
    return [(ref.table_id, list(events_of(read_table_day(ref).events))) for ref in table_days(folder)]


@given(seed=st.integers(0, 10**6))
@settings(max_examples=5, deadline=None)
def test_what_is_put_wrong_at_a_table_changes_nothing_at_another(
    faulty: list[tuple[str, list[Event]]], seed: int
) -> None:
    random = Random(seed)
    days = [table_day(table, disturbed(events, random)) for table, events in faulty]
    assert digests(days) == alone(days)


def test_a_stake_laid_in_parts_puts_no_wager_of_another_table_in_another_order() -> None:
    """Round 2 of BJ-1 stands before its round 1; its wagers are told round by round, whatever is settled at BJ-2."""
    dealt = "1.main=100@p1 nomore !-?? 1+9c B+6h 1+8d 1.stand B+Tc B+2s 1.main>-100@p1 end"
    interleaved = parsed_day("BJ-1", f"#2 {dealt}\n#1 {dealt}")
    in_parts = parsed_day(
        "BJ-2", "#1 1.main=50@p1 1.main=50@p1 nomore !-?? 1+9c B+6h 1+8d 1.stand B+Tc B+2s 1.main=100>-100@p1 end"
    )
    days = [interleaved, in_parts]
    assert digests(days) == alone(days)
    rounds = {made.table_id: made.wagers["round"].to_list() for made in replay_table_days(days)}
    assert rounds == {"BJ-1": [1, 2], "BJ-2": [1]}


# One table's own affairs


def test_a_table_that_rounds_otherwise_changes_nothing_at_the_tables_beside_it() -> None:
    """A natural of 1.25 is due 1.875; half a unit up or down is ruling X-2, which the settings chose for one table."""
    text = "#1 1.main=1.25@p1 nomore !-?? 1+Ac B+6h 1+Qd B+Tc B+8d 1.main>+1.87@p1 end"
    days = [parsed_day("BJ-1", text), parsed_day("BJ-2", text)]
    chosen = ReplaySettings(table_readings={"BJ-1": {"X-2": "up"}})
    assert digests(days, chosen) == digests(days[::-1], chosen) == alone(days, chosen)
    assert len(set(alone(days, chosen).values())) == 2
    dues = {made.table_id: made.wagers["due_minor"].to_list() for made in replay_table_days(days, chosen)}
    assert dues == {"BJ-1": [188], "BJ-2": [187]}


PRIZE_PAID_LATE = (
    "#1 1.main=100@p1 2.main=100@p2 nomore !-?? 1+6c 2+Kd B+6h 1+7c 2+9s 1.hit 1+8c 2.stand B+Td B+5s "
    "2.main>-100@p2 1.main>+300@p1 end"
)


def test_a_seat_settled_in_one_amount_hides_no_late_payment_at_another_table() -> None:
    whole = parsed_day(
        "BJ-1", "#1 1.main=100@p1 nomore !-?? 1+8c 1.stand B+6h 1+8d 1.split 1b.split=100@p1 1.all=200>+200@p1 end"
    )
    late = parsed_day("BJ-2", PRIZE_PAID_LATE)
    codes = {made.table_id: made.findings["code"].to_list() for made in replay_table_days([whole, late])}
    (own,) = replay_table_days([late])
    assert codes["BJ-2"] == own.findings["code"].to_list() == ["PRIZE_LATE"]
    assert digests([whole, late]) == alone([whole, late])


def test_a_shoe_of_a_day_without_a_law_is_held_against_nothing_whatever_table_is_beside_it() -> None:
    """No version was in force in 1999: nobody knows of how many decks the shoe was."""
    text = (
        "open:black_jack:MOP:7=0 #1 1.main=100@p1 nomore 1+Kc B+6h 1+Kc 1.stand B+Tc B+8d 1.main>+100@p1 end #- close=0"
    )
    early = table_day("BJ-1", list(parse_events(text, gaming_day=dt.date(1999, 6, 1))))
    days = [early, parsed_day("BJ-2", PRIZE_PAID_LATE)]
    assert digests(days) == alone(days)


# What does not fit


@pytest.mark.parametrize(
    ("part", "value"), [("seat", 256), ("hand", 32), ("value", 1 << 28), ("value", -1), ("moment", 64), ("seat", None)]
)
def test_no_value_that_does_not_fit_its_place_is_packed(part: str, value: int | None) -> None:
    parts: dict[str, Any] = dict.fromkeys(("kind", "seat", "hand", "face", "value", "moment"), pl.lit(1))
    rows = pl.DataFrame({"there": [1]})
    assert pack(rows, **parts).len() == 1
    with pytest.raises(AssertionError, match=f"{part} of a packed event would not fit"):
        pack(rows, **parts | {part: pl.lit(value, dtype=pl.Int64)})


FIRST = "1.main=100@p1 nomore !-?? 1+Kc B+6h 1+Qd 1.stand B+Tc B+8d 1.main>+100@p1 end"
WON = "1.main=100@p1 nomore 1+Kc B+6h 1+Qd 1.stand B+Tc B+8d 1.main>+100@p1 end"


def spoiled(**changes: Any) -> list[Event]:
    """Three rounds; event 21 (the bank's card of the second) is changed."""
    events = list(parse_events(f"{OPENED}\n#1 {FIRST} #2 {WON} #3 {WON}\n{CLOSED}", table_id="ODD"))
    place = next(index for index, event in enumerate(events) if event.round == 2 and event.kind == "CardDealt")
    return [*events[:place], replace(events[place], **changes), *events[place + 1 :]]


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"card": CardAt(256, 0, "Kc", "up")}, "VALUE_OUT_OF_BOUNDS", "card.seat is 256; it is 1 to 255"),
        ({"card": CardAt(-(2**31), 0, "Kc", "up")}, "VALUE_OUT_OF_BOUNDS", "card.seat is -2147483648; it is 1 to 255"),
        ({"card": CardAt(0, 0, "Kc", "up")}, "VALUE_OUT_OF_BOUNDS", "card.seat is 0; it is 1 to 255"),
        ({"card": CardAt(1, 26, "Kc", "up")}, "VALUE_OUT_OF_BOUNDS", "card.hand is 26; it is 0 to 25"),
        ({"at": 2**62}, "VALUE_OUT_OF_BOUNDS", "at is 4611686018427387904; it is"),
        ({"card": CardAt(1, 0, "Kc")}, "EVENT_MALFORMED", "CardDealt lacks card.face"),
        ({"wager": Wager("main", 300, 1)}, "EVENT_MALFORMED", "CardDealt must not carry wager"),
    ],
)
def test_an_event_that_breaks_the_contract_is_found_and_only_its_round_not_judged(
    changes: dict[str, Any], code: str, message: str, tmp_path: Path, healthy: list[TableDay], said: Mapping[str, str]
) -> None:
    events = spoiled(**changes)
    day = read_table_day(write_foreign(tmp_path, events))
    found = {made.table_id: made for made in replay_table_days([day, *healthy])}
    odd = found.pop("ODD")
    assert {table: made.digest for table, made in found.items()} == said
    broken = odd.findings.filter(pl.col("code") == code)
    (seq,) = {event.seq for event, sound in zip(events, spoiled(), strict=True) if event != sound}
    assert set(broken.select("seq", "round").rows()) == {(seq, 2)}
    assert any(row["message"].startswith(message) for row in broken.iter_rows(named=True))
    assert odd.wagers.select("round", "status", "reason").rows() == [
        (1, "judged", None),
        (2, "unjudged", "events that this round hangs on break the contract"),
        (3, "judged", None),
    ]
    assert set(odd.findings["code"]) <= {code, "VALUE_OUT_OF_BOUNDS"}, "a foreign body may be beyond its bounds as well"


def test_a_round_number_beyond_the_contract_is_found_and_the_rounds_around_it_not_judged(tmp_path: Path) -> None:
    day = read_table_day(write_foreign(tmp_path, spoiled(round=2**40 + 2)))
    (odd,) = replay_table_days([day])
    assert [(code, round_) for code, round_ in odd.findings.select("code", "round").rows()] == [
        ("VALUE_OUT_OF_BOUNDS", None)
    ]
    assert odd.wagers["status"].to_list() == ["judged", "unjudged", "judged"]


@pytest.mark.parametrize("points", [-1, 4115])
def test_a_total_that_nobody_can_call_is_found_and_not_read_as_another(points: int, tmp_path: Path) -> None:
    text = FIRST.replace("1.stand", f"1={points} 1.stand")
    events = list(parse_events(f"{OPENED}\n#1 {text}\n{CLOSED}", table_id="ODD"))
    (odd,) = replay_table_days([read_table_day(write_foreign(tmp_path, events))])
    (row,) = odd.findings.filter(pl.col("code") == "VALUE_OUT_OF_BOUNDS").iter_rows(named=True)
    assert row["message"] == f"decision.points is {points}; it is 0 to 999"
    assert odd.wagers["status"].to_list() == ["unjudged"]


@pytest.mark.parametrize("kind", ["ChipsFilled", "ChipsCredited", "CashBoughtIn", "DropCounted", "TableClosed"])
def test_a_slip_or_a_count_below_zero_is_found_and_moves_no_chips(kind: str, tmp_path: Path) -> None:
    events = list(parse_events(f"{OPENED}\n#1 {FIRST}\n#- drop=0", table_id="ODD"))
    last = events[-1]
    events.append(replace(last, seq=last.seq + 1, kind=kind, chips=Chips(-50_000_00, "F1")))
    (odd,) = replay_table_days([read_table_day(write_foreign(tmp_path, events))])
    assert ("VALUE_OUT_OF_BOUNDS", last.seq + 1) in odd.findings.select("code", "seq").rows()
    assert odd.custody.filter(pl.col("seq") == last.seq + 1)["amount_minor"].to_list() == [None]
    assert odd.wagers["status"].to_list() == ["judged"]


def test_an_opening_count_below_zero_is_found_and_the_game_is_still_known(tmp_path: Path) -> None:
    events = list(parse_events(f"{OPENED}\n#1 {FIRST}\n{CLOSED}", table_id="ODD"))
    events[0] = replace(events[0], chips=Chips(-1), table=Table("black_jack", "MOP", 300))
    (odd,) = replay_table_days([read_table_day(write_foreign(tmp_path, events))])
    assert odd.findings.select("code", "seq").rows() == [("VALUE_OUT_OF_BOUNDS", 1)] * 2
    assert odd.custody.filter(pl.col("kind") == "TableOpened")["amount_minor"].to_list() == [None]
    assert odd.wagers["status"].to_list() == ["judged"]


def test_an_election_that_breaks_the_contract_leaves_the_rounds_after_it_not_judged(tmp_path: Path) -> None:
    text = f"{OPENED}\n#1 {FIRST} #- option:decks=6 #2 {WON} #3 {WON}\n{CLOSED}"
    events = list(parse_events(text, table_id="ODD"))
    place = max(index for index, event in enumerate(events) if event.kind == "OptionElected")
    option = events[place].option
    assert option is not None
    events[place] = replace(events[place], option=replace(option, value="6" * 5_000))
    (odd,) = replay_table_days([read_table_day(write_foreign(tmp_path, events))])
    assert ("VALUE_OUT_OF_BOUNDS", place + 1) in odd.findings.select("code", "seq").rows()
    assert odd.wagers["status"].to_list() == ["judged", "unjudged", "unjudged"]


def test_a_correction_beyond_the_contract_corrects_nothing_and_its_round_is_not_judged(tmp_path: Path) -> None:
    events = list(
        parse_events(f"{OPENED}\n#1 {FIRST} #2 {WON}\n#- correct:13:typo:1.main=100>+100 close=50000", table_id="ODD")
    )
    place = next(index for index, event in enumerate(events) if event.kind == "CorrectionMade")
    wager = events[place].wager
    assert wager is not None
    events[place] = replace(events[place], wager=replace(wager, net_minor=2**62))
    (odd,) = replay_table_days([read_table_day(write_foreign(tmp_path, events))])
    assert ("VALUE_OUT_OF_BOUNDS", place + 1) in odd.findings.select("code", "seq").rows()
    assert dict(odd.wagers.select("round", "status").rows())[2] == "judged"
    assert odd.wagers["paid_minor"].to_list() == [100_00, 100_00]
    assert dict(odd.wagers.select("round", "status").rows())[1] == "unjudged"


# What cannot be judged


def negative_kind(datums: list[bytes]) -> list[bytes]:
    """The datums, the third with a kind of -1 (WagersClosed, which has no body: eight absent ones follow it)."""
    code = varint(KINDS.index("WagersClosed"))
    assert datums[2].endswith(code + bytes(8))
    return [*datums[:2], datums[2][: -len(code) - 8] + varint(-1) + bytes(8), *datums[3:]]


def test_a_table_day_that_no_reader_takes_is_damaged_with_its_place_and_the_others_are_judged(
    archive: Path, tmp_path: Path
) -> None:
    events = list(parse_events("open:black_jack:MOP:7=500 #1 1.main=100 nomore end #- close=500", table_id="ODD"))
    odd = write_foreign(tmp_path, events, negative_kind)
    summary = replay_all([odd, *table_days(archive)])
    (damaged,) = summary.damaged
    assert damaged.findings == {"CONTAINER_DAMAGED": 1}
    assert "ODD.avro" in damaged.damage
    assert "an event is not of its schema: kind: index -1" in damaged.damage
    assert "2 events stand before it" in damaged.damage
    assert sum(1 for outcome in summary.outcomes if outcome.digest) == len(table_days(archive))


def test_a_day_beyond_the_calendar_is_damage(tmp_path: Path, archive: Path) -> None:
    events = [Event("ODD", 1, 0, DAY, "WagersClosed", 1)]
    days = varint((DAY - dt.date(1970, 1, 1)).days)
    odd = write_foreign(tmp_path, events, lambda datums: [datums[0].replace(days, varint(2**31 - 1))])
    summary = replay_all([odd, *table_days(archive)])
    assert [outcome.table_id for outcome in summary.damaged] == ["ODD"]
    assert "a day beyond the calendar" in summary.damaged[0].damage


class _Panic(BaseException):
    """As a library in Rust raises it: no ``Exception``, known by its name alone."""


_Panic.__name__ = "PanicException"


@pytest.mark.parametrize("error", [ValueError, _Panic])
def test_a_table_day_that_cannot_be_judged_is_its_own_damage_everywhere(
    error: type[BaseException], archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever fails, and in whatever step: here the cutting of one table's day."""
    refs = table_days(archive)
    lost = refs[1].table_id

    def failing(module: Any) -> None:
        whole = module.reconstruct

        def judge(logs: Sequence[Any], *rest: Any, **named: Any) -> Any:
            if any(log.table_id == lost for log in logs):
                raise error("out of\nits depth")
            return whole(logs, *rest, **named)

        monkeypatch.setattr(module, "reconstruct", judge)

    sound = {o.table_id: o.digest for o in replay_all(refs).outcomes}
    others, *_ = what_if_of([ref for ref in refs if ref.table_id != lost], *_two())
    failing(replay)
    failing(compare)
    summary = replay_all(refs)
    (damaged,) = summary.damaged
    why = f"table {lost} of {refs[1].gaming_day} could not be judged: {error.__name__}: out of its depth"
    assert (damaged.table_id, damaged.damage, damaged.findings) == (lost, why, {"TABLE_DAY_UNJUDGED": 1})
    del sound[lost]
    assert {o.table_id: o.digest for o in summary.outcomes if not o.damage} == sound
    assert not summary.clean
    changes, *_, damage = what_if_of(refs, *_two())
    assert damage == [why] and changes.equals(others)
    assert ledger_of(refs, ReplaySettings())[-1] == [why]


def _two() -> tuple[ReplaySettings, ReplaySettings]:
    return ReplaySettings(), ReplaySettings(options={"decks": "8"})


def test_an_interruption_is_no_failure_of_a_table_day(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "replay_table_days", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replay_all(table_days(archive))


def test_an_elected_version_that_there_is_not_is_found_and_nothing_is_judged_by_another() -> None:
    for version in ("bj.9-9999", "f3.78-2008", ""):
        day = parsed_day("BJ-1", f"#- option:regulation={{{version}}} #1 {FIRST}")
        (made,) = replay_table_days([day])
        assert ("OPTION_UNKNOWN", 8) in made.findings.select("code", "seq").rows()
        assert made.wagers["status"].to_list() == ["unjudged"]


def test_an_elected_version_that_there_is_not_is_found_once_whatever_is_elected_later() -> None:
    day = parsed_day("BJ-1", f"#- option:regulation=bj.9-9999 #1 {FIRST} #- option:surrender=off #2 {FIRST}")
    (made,) = replay_table_days([day])
    assert made.findings["code"].to_list().count("OPTION_UNKNOWN") == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("decks", text) for text in ("9" * 40, "9" * 4_000)],
        *[("seats", "9" * 40), ("insurance_odds", "9" * 40), ("insurance_odds", "1/" + "9" * 30)],
        *[("insurance_odds", "1e9999999999"), ("natural_odds", "99999999999999999/7")],
    ],
)
def test_an_elected_number_that_no_column_holds_is_found_and_stops_nothing(name: str, value: str) -> None:
    """The longest of them would fill the memory when spelled out."""
    day = parsed_day("BJ-1", f"#- option:regulation=bj.house option:{name}={{{value}}} #1 {FIRST}")
    (made,) = replay_table_days([day])
    assert ("OPTION_UNKNOWN", 9) in made.findings.select("code", "seq").rows()
    assert made.wagers["status"].to_list() == ["judged"]


def test_an_amount_that_is_short_to_write_and_fills_the_memory_is_none() -> None:
    for text in ("1e999999999", "-1e40", "9" * 50):
        with pytest.raises(NotAnAmount):
            parse_amount(text)


@pytest.mark.parametrize("text", ["10000000000000.01", "1e30", "-1"])
def test_an_elected_amount_is_never_larger_than_any_amount_of_an_event(text: str) -> None:
    with pytest.raises(NoSuchChoice):
        amount("table_limit").read(text)
    assert amount("table_limit").read("10000000000000") == 10**15


def test_the_largest_stake_at_long_odds_is_due_to_the_last_unit() -> None:
    """Stake times numerator is beyond 64 bits on the way."""
    rows = pl.DataFrame(
        {"stake_minor": [10**15, 10**15], "num": [9_999, -9_999], "den": [2_000, 2_000], "rulings": [0, 0]}
    )
    dues = exact_dues(rows, EXACT, numbered_rulings())
    assert dues["due_minor"].to_list() == [10**15 * 9_999 // 2_000, -(10**15 * 9_999 // 2_000)]
