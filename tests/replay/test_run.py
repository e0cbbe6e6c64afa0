"""Many table-days: the sum depends neither on the order, nor on the workers, nor on how they are put together."""

from __future__ import annotations

import datetime as dt
import gc
import os
import random
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from producers.simulator import simulate
from producers.sinks.archive import ArchiveSink
from replayer.engine import impossible_cards, reconstruct, rounds
from replayer.engine.histories import Histories
from replayer.engine.reconstruct import Reconstruction
from replayer.engine.replay_settings import ReplaySettings
from replayer.log import columns
from replayer.log.columns import TableDay, columns_of, widened
from replayer.sources.archive import read_table_day
from replayer.sources.left_out import KEY, NumbersLeftOut, OtherDay
from replayer.sources.manifests import read_manifests
from replayer.sources.table_days import TableDayRef, table_days
from replayer.verdicts import hands, replay, run
from replayer.verdicts.replay import Replayed, replay_table_days
from replayer.verdicts.replay_totals import Outcome, Summary, continuity
from replayer.verdicts.run import batches, judged_one_by_one, replay_all, replay_read
from schemas.codec import encode
from schemas.notation import parse_events


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    simulate(archive=folder, tables=5, days=2, rounds=25, seed=11, faults=0.1)
    return folder


def test_the_digest_does_not_depend_on_order_or_workers(archive: Path) -> None:
    refs = table_days(archive)
    alone = replay_all(refs)
    shuffled = random.Random(5).sample(refs, len(refs))
    assert replay_all(shuffled).digest() == alone.digest()
    assert replay_all(refs, workers=2).digest() == alone.digest()
    assert len(alone.outcomes) == 10


def test_the_digest_does_not_depend_on_the_threads_of_the_column_engine(archive: Path) -> None:
    """``make test`` gives it one, a night as many as the machine has."""
    other = "4" if pl.thread_pool_size() == 1 else "1"
    script = (
        "from replayer.sources.table_days import table_days; from replayer.verdicts.run import *; "
        f"print(replay_all(table_days(Path({str(archive)!r}))).digest(), pl.thread_pool_size())"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import polars as pl; from pathlib import Path; {script}"],
        env=os.environ | {"POLARS_MAX_THREADS": other}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == [replay_all(table_days(archive)).digest(), other]


def test_the_digest_does_not_depend_on_how_table_days_are_put_together(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = table_days(archive)
    together = replay_all(refs).digest()
    monkeypatch.setattr(run, "EVENTS_PER_BATCH", 1)
    assert [len(batch) for batch in batches(refs)] == [1] * 10
    assert replay_all(refs).digest() == together


def test_no_batch_has_as_many_table_days_as_it_may_have_events(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few events they have: each takes room of its own, and five thousand tiny ones took gigabytes."""
    refs = table_days(archive)
    monkeypatch.setattr(run, "EVENTS_AT_LEAST", 5_000)
    assert all(sum(part.count for part in read_manifests(ref)) < run.EVENTS_AT_LEAST for ref in refs)
    monkeypatch.setattr(run, "EVENTS_PER_BATCH", 4 * run.EVENTS_AT_LEAST)
    assert [len(batch) for batch in batches(refs)] == [4, 4, 2]


def test_a_long_run_keeps_the_verdicts_of_many_tables_of_a_day_together_and_its_last_ones_by_batches(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = table_days(archive)
    alone = replay_all(refs)
    monkeypatch.setattr(run, "EVENTS_AT_LEAST", 5_000)  # of which no table-day has more
    monkeypatch.setattr(run, "EVENTS_PER_BATCH", 10_000)
    for together, short, workers, expected in (
        (15_000, 4, 1, [3, 2, 3, 2]),
        (15_000, 4, 2, [3, 2, 2, 2, 1]),
        (15_000, 5, 1, [2, 2, 2, 2, 2]),
        (200_000, 4, 1, [2, 2, 2, 2, 2]),  # small days
    ):
        monkeypatch.setattr(run, "KEPT_TOGETHER", together)
        monkeypatch.setattr(run, "SHORT", short)
        kept: list[Sequence[Replayed]] = []
        assert [sum(map(len, share)) for share in run._shares(refs, workers, kept=True)] == expected
        if workers == 1:
            assert replay_all(refs, keep=kept.append).digest() == alone.digest()
            assert list(map(len, kept)) == expected


@pytest.mark.parametrize("interleaved", [False, True])
def test_no_verdict_depends_on_how_many_rounds_are_cut_together(
    archive: Path, monkeypatch: pytest.MonkeyPatch, *, interleaved: bool
) -> None:
    """The state of the shoe, carried wagers, texts and numbers of rounds go on from some rounds to the next ones."""
    days = [read_table_day(ref) for ref in table_days(archive)[1:6:2]]
    if interleaved:  # a round of the middle ends behind all others, so that the rows are not in the order of rounds
        days = [replace(day, events=_with_a_round_that_ends_last(day.events)) for day in days]
    together = [made.tables() for made in replay_table_days(days, play=True)]
    monkeypatch.setattr(rounds, "ROWS_AT_A_TIME", 300)
    monkeypatch.setattr(hands, "_ACTS", 100)
    monkeypatch.setattr(replay, "_LINES", 7)
    apart = [made.tables() for made in replay_table_days(days, play=True)]
    for one, other in zip(together, apart, strict=True):
        for name, frame in one.items():
            assert frame.equals(other[name]), name
    assert sum(tables["hands"].height for tables in together) > 250


def test_what_verdicts_are_made_from_is_gone_before_they_are_laid_out(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes as much room as the verdicts of a table-day of any size, and nobody asks for it any more."""
    held: list[int] = []
    lay_out = replay.by_day

    def there() -> int:
        kinds = Counter(map(type, gc.get_objects()))
        return kinds[Histories] + kinds[Reconstruction]

    def watched(*arguments: Any) -> list[pl.DataFrame]:
        held.append(there())
        return lay_out(*arguments)

    days = [read_table_day(ref) for ref in table_days(archive)[:2]]
    gc.collect()
    before = there()
    monkeypatch.setattr(replay, "by_day", watched)
    replay_table_days(days)
    assert held and set(held) == {before}


def test_what_stands_beside_wagers_does_not_copy_them() -> None:
    wagers = pl.DataFrame({"ri": [1, 1, 2], "seat": [1, 2, 1], "player": ["a", None, "b"]})
    settlements = pl.DataFrame(
        {"ri": [1, 2], "seat": [2, 1], "player": [None, "b"], "paid": [7, 8]}, wagers.schema | {"paid": pl.Int64}
    )
    beside = widened(wagers, settlements, ["ri", "seat", "player"])
    assert beside["paid"].to_list() == [None, 7, 8]
    for name in ("ri", "seat"):
        one, other = (frame[name].to_arrow().buffers()[1].address for frame in (wagers, beside))
        assert one == other


def test_what_stands_beside_wagers_is_found_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wager that lived on into a later round stands among those of its own; a settlement may stand in no round."""
    chance = random.Random(11)
    places = [(ri, seat, chance.choice(["a", "b", None])) for ri in range(40) for seat in (1, 2, 3)]
    chance.shuffle(places)
    schema = {"ri": pl.Int64, "seat": pl.Int32, "player": pl.String}
    settlements = pl.DataFrame([*places[:90], (None, 1, "a")], schema, orient="row").with_row_index("paid")
    wagers = pl.DataFrame([*places, (None, 1, "a")], schema, orient="row")
    paid = {place: number for number, place in enumerate(settlements.select("ri", "seat", "player").rows())}
    monkeypatch.setattr(columns, "_ROWS_AT_A_TIME", 7)
    beside = widened(wagers, settlements, ["ri", "seat", "player"])
    assert beside["paid"].to_list() == [paid.get(place) for place in wagers.rows()]


def test_a_long_table_day_is_settled_and_laid_out_some_at_a_time(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = replay_all(table_days(archive)).digest()
    for module, name in (
        (columns, "_ROWS_AT_A_TIME"),
        (reconstruct, "_WAGERS_AT_A_TIME"),
        (impossible_cards, "_CARDS_AT_A_TIME"),
    ):
        monkeypatch.setattr(module, name, 50)
    alone = [replay_all([ref]).outcomes[0] for ref in table_days(archive)]
    assert Summary(alone).digest() == whole


def _with_a_round_that_ends_last(events: pl.DataFrame) -> pl.DataFrame:
    last = events.filter(pl.col("kind") == "RoundClosed")["seq"].max()
    of_last = pl.when(pl.col("seq") == last).then(12).otherwise("round").cast(pl.Int64)
    return events.with_columns(round=of_last)


def test_a_damaged_table_day_is_reported_and_leaves_the_others_done(archive: Path) -> None:
    refs = table_days(archive)
    container = archive / refs[0].gaming_day.isoformat() / f"{refs[0].table_id}.avro"
    whole = container.read_bytes()
    container.write_bytes(whole[:-100])
    try:
        summary = replay_all(refs)
    finally:
        container.write_bytes(whole)
    assert [outcome.table_id for outcome in summary.damaged] == [refs[0].table_id]
    assert str(container) in summary.damaged[0].damage
    assert sum(1 for outcome in summary.outcomes if outcome.digest) == 9
    assert summary.findings["CONTAINER_DAMAGED"] == 1


def test_events_missing_between_two_days_of_a_table_are_found(archive: Path) -> None:
    outcomes = replay_all(table_days(archive)).outcomes
    assert continuity(outcomes) == []
    later = max(o.gaming_day for o in outcomes)
    moved = [
        replace(o, numbers=tuple((first + 3, last + 3) for first, last in o.numbers)) if o.gaming_day == later else o
        for o in outcomes
    ]
    assert {finding.code for finding in continuity(moved)} == {"SEQUENCE_GAP"}


def test_a_day_that_was_recorded_after_a_later_one_lacks_nothing() -> None:
    later = Outcome("T1", dt.date(2026, 1, 5), numbers=((1, 13),))
    earlier = Outcome("T1", dt.date(2026, 1, 4), numbers=((14, 34),))
    assert continuity([later, earlier]) == []
    (gap,) = continuity([later, replace(earlier, numbers=((16, 34),))])
    assert (gap.code, gap.gaming_day, gap.seq) == ("SEQUENCE_GAP", earlier.gaming_day, 16)
    assert gap.message == "2 event(s) missing since 2026-01-05, which ended with seq 13"


def test_numbers_that_stand_on_two_days_are_found_whatever_one_of_them_lacks() -> None:
    first = Outcome("T1", dt.date(2026, 1, 4), numbers=((1, 7), (10, 21)))
    second = Outcome("T1", dt.date(2026, 1, 5), numbers=((20, 32),))
    (twice,) = continuity([first, second])
    assert (twice.code, twice.gaming_day) == ("SEQUENCE_CONFLICT", second.gaming_day)
    assert twice.message == "2 of its numbers stand on another gaming day too"


def test_an_event_that_breaks_the_contract_has_its_number_all_the_same() -> None:
    """Set aside at the end of a day, it is not missing before the next one."""
    days = [dt.date(2009, 6, 1), dt.date(2009, 6, 2)]
    texts = (f"{OPENING} close=100 #1 1.main=1", f"{OPENING} close=100")
    first, second = (
        TableDay("T1", day, columns_of(parse_events(text, gaming_day=day, first_seq=1 + 3 * number)))
        for number, (day, text) in enumerate(zip(days, texts, strict=True))
    )
    negative = pl.when(pl.col("wager_kind").is_null()).then("wager_stake_minor").otherwise(-1)
    broken = replace(first, events=first.events.with_columns(wager_stake_minor=negative))
    outcomes = replay_read([broken, second], ReplaySettings())
    assert outcomes[0].findings["STAKE_NEGATIVE"] == 1
    assert [outcome.numbers[-1][1] for outcome in outcomes] == [3, 5]
    assert continuity(outcomes) == []


def record(archive: Path, *events: tuple[int, int, str]) -> None:
    """Record table T1 from (number, day of June 2009, event), sealing a day when the next event is another's."""
    sink = ArchiveSink(archive)
    for (seq, day, text), following in zip(events, [*events[1:], None], strict=True):
        gaming_day = dt.date(2009, 6, day)
        (event,) = parse_events(text, gaming_day=gaming_day, first_seq=seq)
        sink.append("T1", gaming_day, seq, encode(event))
        if following is None or following[1] != day:
            sink.seal("T1", gaming_day)
    sink.close()


def take(archive: Path, *events: tuple[int, int, str], seal: Sequence[int]) -> None:
    """Take the events of table T1, as :func:`record` does, and seal its days when all are there."""
    sink = ArchiveSink(archive)
    for seq, day, text in events:
        (event,) = parse_events(text, gaming_day=dt.date(2009, 6, day), first_seq=seq)
        sink.append("T1", event.gaming_day, seq, encode(event))
    sink.flush()
    for day in seal:
        sink.seal("T1", dt.date(2009, 6, day))
    sink.close()


OPENING = "open:black_jack:MOP:7=100"


def test_a_drop_that_is_counted_when_the_next_day_has_begun_leaves_no_gap(tmp_path: Path) -> None:
    first = [(1, 1, OPENING), (2, 1, "close=100")]
    second = [(3, 2, OPENING), (5, 2, "close=100"), (6, 2, "drop=0")]
    take(tmp_path / "late", *first, seal=[1])
    take(tmp_path / "late", second[0], (4, 1, "drop=0"), *second[1:], seal=[1, 2])
    late = replay_all(table_days(tmp_path / "late"))
    assert not late.findings
    for number, days in enumerate([(1, 2), (2, 1)]):
        take(tmp_path / f"{number}", *first, second[0], (4, 1, "drop=0"), *second[1:], seal=days)
        assert replay_all(table_days(tmp_path / f"{number}")).digest() == late.digest()
    record(tmp_path / "claimed", (1, 1, OPENING), (2, 1, "#1 1.main=1"), (4, 1, "#- close=100"), (3, 2, "dealer-D1"))
    claimed = replay_all(table_days(tmp_path / "claimed", dt.date(2009, 6, 1))).findings
    assert claimed["SEQUENCE_GAP"] == 1, "a number in the middle of play is missing though another day claims it"
    record(tmp_path / "incomplete", *first, (4, 1, "drop=0"), *second[1:])
    assert replay_all(table_days(tmp_path / "incomplete")).findings == {"SEQUENCE_GAP": 1, "TABLE_NOT_OPENED": 1}


def test_no_number_that_was_missing_when_a_day_was_sealed_is_made_up_for_on_another_day(tmp_path: Path) -> None:
    """Numbers 3 and 4 are missing behind the closing of 1 June; whoever may append to another day can claim them there."""
    first = [(1, 1, OPENING), (2, 1, "close=100"), (5, 1, "drop=0")]
    for number, text in enumerate(["dealer+D9", OPENING, "drop=0", "fill:F-1=5"]):
        archive = tmp_path / str(number)
        record(archive, *first)
        assert replay_all(table_days(archive)).findings == {"SEQUENCE_GAP": 1}
        record(archive, (3, 2, text), (4, 2, "dealer-D9"), (6, 2, "close=100"))
        (gap,) = findings_of(archive, dt.date(2009, 6, 1))
        assert gap == ("SEQUENCE_GAP", 5)


def test_no_number_in_the_middle_of_a_sealed_day_is_made_up_for_on_an_earlier_one(tmp_path: Path) -> None:
    record(tmp_path, (1, 1, OPENING), (2, 1, "close=100"), (3, 2, OPENING), (5, 2, "close=100"), (4, 1, "fill:F-1=5"))
    assert findings_of(tmp_path, dt.date(2009, 6, 2)) == [("SEQUENCE_GAP", 5)]


@pytest.mark.parametrize("appended", ["dealer+D9 dealer-D9 dealer+D9", "drop=0 dealer+D9 dealer-D9"])
def test_no_number_missing_between_two_days_is_made_up_for_on_the_earlier_one(tmp_path: Path, appended: str) -> None:
    record(tmp_path, (1, 1, OPENING), (2, 1, "close=100"), (6, 2, OPENING), (7, 2, "close=100"))
    days = table_days(tmp_path)
    (before,) = replay_all(days).between
    assert (before.code, before.gaming_day, before.seq) == ("SEQUENCE_GAP", dt.date(2009, 6, 2), 6)
    record(tmp_path, *((seq, 1, text) for seq, text in enumerate(appended.split(), 3)))
    (after,) = replay_all(days).between
    assert (after.code, after.gaming_day, after.seq) == ("SEQUENCE_GAP", before.gaming_day, 6)
    assert after.message == "3 event(s) missing since seq 2, which was the table's last when this day was sealed"


def test_a_seal_that_a_kill_interrupted_says_the_same_of_the_numbers_that_it_leaves_out(tmp_path: Path) -> None:
    """Killed between container and manifest: what other days held by then stands in the container already."""
    take(tmp_path, (1, 1, OPENING), (2, 1, "close=100"), (3, 2, OPENING), (4, 1, "drop=0"), seal=())
    journals = {path: path.read_bytes() for path in (tmp_path / ".journal").rglob("*.journal")}
    take(tmp_path, seal=(1,))
    container, manifest = (tmp_path / "2009-06-01" / f"T1.{kind}" for kind in ("avro", "json"))
    sealed = container.read_bytes(), manifest.read_bytes()
    manifest.unlink()
    for path, data in journals.items():
        path.write_bytes(data)
    take(tmp_path, (5, 2, "close=100"), seal=())
    assert (container.read_bytes(), manifest.read_bytes()) == sealed
    assert findings_of(tmp_path, dt.date(2009, 6, 1)) == []


def test_a_late_part_notes_what_a_year_of_other_days_holds_with_one_of_them_in_memory() -> None:
    days = [OtherDay(range(1 + 1_000 * day, 1_001 + 1_000 * day)) for day in range(1, 366)]
    tracemalloc.start()
    note = NumbersLeftOut.of([366_001], days, began=1, above=1_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert note == NumbersLeftOut(later=((1_001, 366_000),))
    assert peak < 1 << 20


def test_a_number_that_several_days_hold_is_noted_as_an_earlier_days_if_any_of_them_began_earlier() -> None:
    days = [OtherDay(numbers) for numbers in ((1, 13, 14, 15), (12, 13, 15, 16), (11, 12, 18))]
    note = NumbersLeftOut.of([10, 17, 20], days)
    assert note == NumbersLeftOut(earlier=((13, 15),), later=((11, 12), (16, 16), (18, 18)), since=1)
    assert note.held == [(11, 12, False), (13, 15, True), (16, 16, False), (18, 18, False)]
    assert NumbersLeftOut.from_metadata({KEY: note.to_text()}) == note


@pytest.mark.parametrize(
    "text", ["", "[]", "5", "{}", '{"held":5,"since":null}', '{"held":[[1,2,true]],"since":1e999}']
)
def test_a_foreign_note_of_numbers_left_out_is_none(text: str) -> None:
    assert NumbersLeftOut.from_metadata({KEY: text}) == NumbersLeftOut.from_metadata({}) == NumbersLeftOut()


def findings_of(archive: Path, day: dt.date) -> list[tuple[str, int]]:
    kept: list[Replayed] = []
    replay_all(table_days(archive, day), keep=kept.extend)
    return [found for replayed in kept for found in replayed.findings.select("code", "seq").rows()]


def test_nothing_of_the_day_before_fills_a_hole_of_a_later_day(tmp_path: Path) -> None:
    """Whatever is given the number that was passed over on 2 June, it came when that day was sealed."""
    first = [(1, 1, OPENING), (2, 1, "close=100 "), (3, 1, "drop=0")]
    second = [(4, 2, OPENING), (6, 2, "close=100"), (7, 2, "drop=0")]
    appended = {
        "dealer+D9": {},
        "dealer-D9": {},
        "correct:1:miscounted:chips=101": {"CORRECTION_LATE": 1, "PART_LATE": 1},
    }
    for number, (text, found) in enumerate(appended.items()):
        archive = tmp_path / str(number)
        record(archive, *first, *second)
        assert replay_all(table_days(archive)).findings == {"SEQUENCE_GAP": 1}
        record(archive, (5, 1, text))
        assert replay_all(table_days(archive)).findings == {**found, "SEQUENCE_GAP": 1}, text


def test_where_judging_fails_only_the_table_day_that_fails_is_left_out_and_few_are_judged_one_by_one() -> None:
    refs = [TableDayRef(dt.date(2009, 6, 1), f"T{number:02}", Path("archive")) for number in range(64)]
    asked: list[int] = []

    def judge(some: Sequence[TableDayRef]) -> list[str]:
        asked.append(len(some))
        if any(ref.table_id == "T37" for ref in some):
            raise LookupError
        return [ref.table_id for ref in some]

    judged, failed = judged_one_by_one(refs, judge)
    assert [name for part in judged for name in part] == [ref.table_id for ref in refs if ref.table_id != "T37"]
    assert [(ref.table_id, why) for ref, why in failed] == [
        ("T37", "table T37 of 2009-06-01 could not be judged: LookupError:")
    ]
    assert len(asked) == 13, "the whole, then two halves at each of six steps"
