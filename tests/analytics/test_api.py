"""What Python gets is what the program writes: the lake's rows, replay's digest, explain's JSON; and clear errors."""

from __future__ import annotations

import datetime as dt
import json
import random
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analytics.api import (
    Incomplete,
    NoSuchRound,
    NothingToJudge,
    ReplaySettings,
    TableDayDamaged,
    Verdicts,
    explain,
    judge,
)
from flows.cli import main
from flows.settings import Settings
from producers.recorder import Recorder
from producers.simulator import simulate
from producers.sinks.archive import ArchiveSink
from producers.sinks.memory import MemorySink
from replayer.law.calendar import UnknownVersion
from replayer.law.rulings import UnknownRuling
from replayer.sources.quarantine import Quarantined
from replayer.sources.table_days import table_days
from replayer.verdicts.tables import TABLES
from schemas.event import CardAt, Event, EventRejected, Wager, moment
from schemas.notation import parse_events
from tests.archives import append, read_events, record
from tests.lakes import connect
from tests.odd import write_foreign
from tests.shares import few
from tests.texts import CLOSED, opened

DAY = dt.date(2009, 6, 1)
TEXT = f"""{opened()}
#1 1.main=100@P104233 nomore !-?? 1+Kc B+6h 1+Qd 1.stand@P104233 B+Tc B+5d 1.main>+100@P104233 end
{CLOSED}"""


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PITAUDIT_PSEUDONYM_KEY", "a key of this test")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # whatever is quiet here must be so of itself
        yield


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two gaming days of three tables of both games, with faults."""
    folder = tmp_path_factory.mktemp("archive")
    simulate(archive=folder, tables=3, days=2, rounds=25, seed=11, faults=0.1)
    return folder


def recorded(path: Path, *texts: str) -> Path:
    """An archive with a sealed table-day of each text, of tables T1, T2, ..."""
    for number, text in enumerate(texts, 1):
        record(path, parse_events(text, table_id=f"T{number}"))
    return path


def same(left: Verdicts, right: Verdicts) -> None:
    for name in TABLES:
        but = ["container_sha256"] if name == "table_days" else []
        assert_frame_equal(getattr(left, name).drop(but), getattr(right, name).drop(but))
    assert left.digest == right.digest


def test_the_frames_are_the_lake_s_rows_columns_types_and_order(archive: Path, tmp_path: Path) -> None:
    assert main(["replay", str(archive), "--lake", str(tmp_path / "lake")]) == 1
    verdicts = judge(archive)
    assert verdicts.missing == ()
    assert verdicts.findings.height > 5 and verdicts.wagers["delta_minor"].fill_null(0).ne(0).any()
    with connect(tmp_path / "lake") as lake:
        for name, schema in TABLES.items():
            own, held = getattr(verdicts, name), lake.sql(f"SELECT * FROM {name}").pl()
            assert own.schema == schema == held.schema, name
            assert own.height == held.height > 0, name
            assert_frame_equal(own, held, check_row_order=False)
            days = own.select("gaming_day", "table_id")
            assert days.equals(days.sort("gaming_day", "table_id", maintain_order=True))


def test_the_digest_is_the_one_that_replay_prints(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["replay", str(archive), "--json"])
    assert judge(archive).digest == json.loads(capsys.readouterr().out)["digest"]


def test_an_explanation_is_the_one_that_explain_prints(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ref = table_days(archive)[0]
    named = ("--table", ref.table_id, "--day", str(ref.gaming_day), "--round", "3")
    main(["explain", str(archive), *named, "--json"])
    explained = explain(archive, table=ref.table_id, day=ref.gaming_day, round=3, zone=Settings().time_zone)
    assert explained.to_dict() == json.loads(capsys.readouterr().out)
    assert [line.seq for line in explained.events] == sorted(line.seq for line in explained.events)


def test_events_in_memory_are_judged_as_those_of_an_archive(archive: Path) -> None:
    events = [event for ref in table_days(archive) for event in read_events(ref)]
    same(judge(events[::-1]), judge(archive))


def test_a_log_out_of_its_place_is_missing_whether_its_place_tells_a_gaming_day_or_not(tmp_path: Path) -> None:
    archive = recorded(tmp_path / "archive", TEXT)
    for place in ("2009-06-02 (copy)", "from tape"):
        (archive / place).mkdir()
        (archive / place / "T9.avro").touch()
    with pytest.warns(Incomplete, match="an archive keeps no log"):
        dated, undated = judge(archive).missing
    assert (dated.table_id, dated.gaming_day) == ("T9 (not read)", dt.date(2009, 6, 2))
    assert (undated.table_id, undated.gaming_day) == (None, None)
    assert undated.why.startswith(f"{archive}/from tape/T9.avro: not read, ")


def test_what_is_not_read_of_a_table_is_missing_where_the_table_is_asked_for_and_its_own_log_is_explained(
    tmp_path: Path,
) -> None:
    archive = recorded(tmp_path / "archive", TEXT)
    [ref] = table_days(archive)
    copied = archive / f"{ref.gaming_day} (copy)"
    copied.mkdir()
    (copied / f"{ref.table_id}.avro").touch()
    with pytest.warns(Incomplete):
        [missing] = judge(archive, table=ref.table_id).missing
    assert (missing.table_id, missing.gaming_day) == (f"{ref.table_id} (not read)", ref.gaming_day)
    assert explain(archive, round=1, table=ref.table_id, day=ref.gaming_day, identities=True).rules


def test_of_two_events_with_one_number_neither_is_believed_whichever_comes_first() -> None:
    """The house loses 10,000 avos by one, wins as much by the other: nobody can tell which of them is true."""
    events = list(parse_events(TEXT))
    paid = next(event for event in events if event.kind == "WagerSettled")
    assert paid.wager is not None
    other = replace(paid, wager=replace(paid.wager, net_minor=-100_00))
    one, two = judge([*events, other]), judge([other, *events, other])
    assert one.wagers.select("status", "reason").rows() == two.wagers.select("status", "reason").rows()
    assert one.wagers.select("status", "due_minor", "delta_minor", "reason").rows() == [
        ("unjudged", None, None, "two different events that this round hangs on have one number")
    ]
    assert one.rounds["status"].to_list() == ["incomplete"]
    assert {"SEQUENCE_CONFLICT", "UNDERPAID", "OVERPAID"}.intersection(one.findings["code"]) == {"SEQUENCE_CONFLICT"}


def test_a_number_of_two_events_names_nobody_and_is_reported_in_memory_as_by_an_archive(tmp_path: Path) -> None:
    """Neither event is believed: only what both of them say stands at the finding."""
    events = list(parse_events(TEXT))
    at = next(at for at, event in enumerate(events) if event.kind == "WagerSettled")
    paid = events[at]
    assert paid.wager is not None
    for player in ("p1", "p9"):  # before and after it in the order of bytes
        other = replace(paid, wager=replace(paid.wager, player=player))
        here = tmp_path / player
        write_foreign(here, [*events[:at], other, *events[at:]])
        in_memory, archived = judge([*events, other]), judge(here)
        (found,) = archived.findings.filter(code="SEQUENCE_CONFLICT").select("player", "amount_minor", "at").rows()
        assert found == (None, paid.wager.stake_minor, moment(paid.at))
        assert archived.findings.equals(in_memory.findings)


@pytest.mark.parametrize("seed", few(range(60), 4))
def test_verdicts_do_not_depend_on_the_order_in_which_events_are_given(archive: Path, seed: int) -> None:
    """Any number may be of two events, of which one may even break the contract."""
    dice = random.Random(seed)
    events = list(read_events(dice.choice(table_days(archive))))
    twice = [replace(dice.choice(events), seq=dice.choice(events).seq) for _ in range(3)]
    given = [*events, *twice, *dice.sample(twice, 1)]
    one = judge(given)
    dice.shuffle(given)
    same(one, judge(given))


def test_what_a_recorder_recorded_in_memory_is_judged(tmp_path: Path) -> None:
    sink = MemorySink()
    recorder = Recorder(sink, "T1")
    for event in parse_events(TEXT):
        bodies = {
            name: getattr(event, name) for name in ("table", "option", "shoe", "card", "wager", "decision", "chips")
        }
        recorder.record(event.kind, round=event.round, at=event.at, **bodies)
    with pytest.raises(NothingToJudge, match="once it was flushed"):
        judge(sink.events())
    recorder.flush()
    same(judge(sink.events()), judge(recorded(tmp_path / "archive", TEXT)))
    assert explain(sink.events(), round=1).delta_minor == 200_00  # a 20 against 21 lost, and was paid as won


def test_one_table_day_is_its_part_of_the_whole(archive: Path) -> None:
    whole, ref = judge(archive), table_days(archive)[-1]
    one = judge(str(archive), table=ref.table_id, day=ref.gaming_day)
    own = (pl.col("table_id") == ref.table_id) & (pl.col("gaming_day") == ref.gaming_day)
    for name in TABLES:
        assert_frame_equal(getattr(one, name), getattr(whole, name).filter(own))
    assert judge(archive, table=ref.table_id).table_days["gaming_day"].n_unique() == 2
    assert judge(archive, day=ref.gaming_day).table_days["table_id"].n_unique() == 3


def test_the_settings_given_decide_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """3 to 2 on 25.01 is 37.515: by default less than an avo is no difference, where it is rounded up 37.52 are due (X-2)."""
    text = TEXT.replace("1.main=100", "1.main=25.01").replace("1+Qd 1.stand@P104233", "1+Ad").replace("+100", "+37.51")
    monkeypatch.chdir(tmp_path)
    Path("pitaudit.toml").write_text('[rulings.property]\nrounding = "up"\n', encoding="utf-8")
    assert judge(parse_events(text)).wagers["delta_minor"].to_list() == [0]
    up = judge(parse_events(text), settings=ReplaySettings(readings={"rounding": "up"}))
    assert up.wagers["delta_minor"].to_list() == [-1]


@pytest.mark.parametrize("package", ["schemas", "replayer", "producers", "analytics", "flows"])
def test_a_program_that_imports_a_package_sees_its_types(package: str) -> None:
    """`mypy --strict` of a table system failed at its first import: "missing library stubs or py.typed marker"."""
    assert files(package).joinpath("py.typed").is_file()


def test_a_round_s_number_may_be_numpy_s() -> None:
    [number] = judge(parse_events(TEXT)).rounds["round"].to_numpy()
    assert explain(parse_events(TEXT), round=number).to_dict() == explain(parse_events(TEXT), round=1).to_dict()


def test_players_stand_under_pseudonyms_unless_asked_for() -> None:
    verdicts = judge(parse_events(TEXT))
    shown = "".join(getattr(verdicts, name).write_csv() for name in TABLES)
    assert "P104233" not in shown + explain(parse_events(TEXT), round=1).text()
    assert verdicts.wagers["player"].str.contains("^p[0-9a-f]{16}$").all()
    assert judge(parse_events(TEXT), identities=True).wagers["player"].to_list() == ["P104233"]
    assert "P104233" in explain(parse_events(TEXT), round=1, identities=True).text()


def test_pseudonyms_without_a_key_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PITAUDIT_PSEUDONYM_KEY")
    with pytest.warns(UserWarning, match="PITAUDIT_PSEUDONYM_KEY"):
        judge(parse_events(TEXT))
    with pytest.warns(UserWarning, match="PITAUDIT_PSEUDONYM_KEY"):
        explain(parse_events(TEXT), round=1)
    judge(parse_events(TEXT), identities=True)
    judge(parse_events(TEXT.replace("@P104233", "")))


def test_a_table_day_that_cannot_be_read_is_reported_and_the_others_are_judged(tmp_path: Path) -> None:
    log = recorded(tmp_path, TEXT, TEXT)
    container = log / str(DAY) / "T2.avro"
    container.write_bytes(container.read_bytes()[:-100])
    with pytest.warns(Incomplete, match=r"T2\.avro"):
        verdicts = judge(log)
    assert verdicts.table_days["table_id"].to_list() == ["T1"]
    [missing] = verdicts.missing
    assert (missing.table_id, missing.gaming_day) == ("T2", DAY) and str(container) in missing.why
    assert "missing 1" in repr(verdicts)
    with pytest.raises(NothingToJudge, match=r"T2\.avro"):
        judge(log, table="T2")
    with pytest.raises(TableDayDamaged, match=r"T2\.avro"):
        explain(log, table="T2", round=1)


def test_events_that_are_not_sealed_are_reported(tmp_path: Path) -> None:
    log = recorded(tmp_path, TEXT)
    sink = ArchiveSink(log)
    table = Recorder(sink, "T9")
    table.record("WagersClosed", round=1, at=dt.datetime(2009, 6, 1, 12, tzinfo=dt.UTC))
    table.flush()
    with pytest.warns(Incomplete, match="T9 of 2009-06-01 is not all sealed"):
        assert judge(log).table_days.height == 1
    with pytest.raises(NothingToJudge, match="T9 of 2009-06-01, under way and not sealed: seal it"):
        judge(log, table="T9")
    sink.close()


def test_messages_in_quarantine_are_reported(tmp_path: Path) -> None:
    log = recorded(tmp_path, TEXT)
    (log / "quarantine").mkdir()
    line = Quarantined("pitaudit.events", 0, 7, "no event", b"?").to_json()
    (log / "quarantine" / "pitaudit.events-0.jsonl").write_text(line, encoding="utf-8")
    with pytest.warns(Incomplete, match=r"1 message is in quarantine"):
        judge(log)


def test_numbers_are_missing_between_two_days_only_where_nobody_has_them() -> None:
    first = list(parse_events(TEXT))
    later = list(parse_events(TEXT, gaming_day=DAY + dt.timedelta(days=1), first_seq=len(first) + 1))
    assert judge(first + later).missing == ()
    with pytest.warns(Incomplete, match=r"SEQUENCE_GAP: 1 event\(s\) missing since 2009-06-01"):
        judge([*first[:-1], *later])
    late = parse_events("drop=0", first_seq=later[-1].seq + 1)  # the first day's drop, counted when the next had begun
    assert "SEQUENCE_GAP" not in judge([*first, *later, *late]).findings["code"].to_list()


def archived(path: Path, events: list[Event]) -> Path:
    """An archive of a table's events, whose days are sealed one after the other when all of them are there."""
    with closing(ArchiveSink(path)) as sink:
        append(sink, *events)
        for day in sorted({event.gaming_day for event in events}):
            sink.seal("T1", day)
    return path


def test_a_number_in_the_middle_of_play_is_missing_whatever_later_day_claims_it(tmp_path: Path) -> None:
    """In memory any day could have it: a round without one of its cards was settled on those that were left."""
    next_day = DAY + dt.timedelta(days=1)
    first = list(parse_events(TEXT))
    later = list(parse_events(TEXT, gaming_day=next_day, first_seq=len(first) + 1))
    (card,) = (number for number, event in enumerate(first) if event.card == CardAt(None, 0, "5d", "up"))
    events = [*first[:card], replace(first[card], gaming_day=next_day), *first[card + 1 :], *later]
    verdicts = judge(events)
    same(verdicts, judge(archived(tmp_path, events)))
    assert verdicts.findings.filter(code="SEQUENCE_GAP").select("gaming_day", "seq").rows() == [(DAY, card + 2)]
    assert verdicts.wagers.filter(gaming_day=DAY).select("due_minor", "reason").rows() == [
        (None, "events of this round are missing")
    ]


def test_what_is_missing_before_a_day_is_reported_in_memory_as_by_an_archive(tmp_path: Path) -> None:
    """The first day's drop, counted late, reaches over the hole behind its closing."""
    first = list(parse_events(TEXT))
    later = list(parse_events(TEXT, gaming_day=DAY + dt.timedelta(days=1), first_seq=len(first) + 2))
    events = [*first, *later, *parse_events("drop=0", first_seq=later[-1].seq + 1)]
    with pytest.warns(Incomplete, match=rf"SEQUENCE_GAP: 1 event\(s\) missing since seq {len(first)}"):
        verdicts, held = judge(events), judge(archived(tmp_path, events))
    same(verdicts, held)
    assert verdicts.missing == held.missing != ()


def at(**more: object) -> Event:
    return Event(
        **({"table_id": "T1", "seq": 1, "at": 0, "gaming_day": DAY, "kind": "WagersClosed", "round": 1} | more)
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: judge([]), NothingToJudge, "there are no events"),
        (lambda: judge("nowhere"), NothingToJudge, "archive nowhere does not exist: check the path"),
        (lambda: judge(__file__), NothingToJudge, "is no folder: check the path"),
        (lambda: ReplaySettings(readings={"X-2": "middle"}), UnknownRuling, "'middle' is no reading of X-2; there are"),
        (lambda: ReplaySettings(table_readings={"T1": {"X-99": "no"}}), UnknownRuling, "'X-99' is no ruling"),
        (lambda: ReplaySettings(preset="en"), UnknownRuling, "'en' is no preset"),
        (lambda: ReplaySettings(regulation="57/2009"), UnknownVersion, "'57/2009' is no version; there are"),
        (lambda: ReplaySettings(in_force={"bj": DAY}), UnknownVersion, "'bj' is no version; there are"),
        (lambda: ReplaySettings(in_force={"bj.57-2009": "2009-05-01"}), TypeError, "is '2009-05-01'; give a datetime.date"),
        (lambda: ReplaySettings(options={"decks": 6}), TypeError, "option decks is 6; give its value as .* a text"),
        (lambda: judge(parse_events(TEXT), table="T7"), NothingToJudge, "nothing of T7: it has T1 of 2009-06-01"),
        (lambda: judge(parse_events(TEXT), day=dt.date(2010, 1, 1)), NothingToJudge, "nothing of 2010-01-01: it has T1"),
        (lambda: judge(MemorySink()), TypeError, r"give an archive's folder, or events: sink.events\(\)"),
        (lambda: judge(None), TypeError, "the log is a NoneType"),
        (lambda: judge([at(), b"C3 01"]), TypeError, "item 2 of the log is a bytes; give events"),
        (lambda: judge(pl.DataFrame({"seq": [1]})), TypeError, "item 1 of the log is a Series"),
        (lambda: judge([at(kind="Dealt")]), EventRejected, "Dealt"),
        (lambda: judge([at(kind="WagerPlaced")]), EventRejected, "WagerPlaced needs wager"),
        (lambda: judge([at(kind="WagerPlaced", wager=Wager("main", 1, 1.5))]), EventRejected, "wager.stake_minor"),
        (lambda: judge([at(seq="1")]), EventRejected, "seq"),
        (lambda: judge([at(table_id=None)]), EventRejected, "table_id"),
        (lambda: judge([at(gaming_day="2009-06-01")]), EventRejected, "gaming_day"),
        (lambda: judge(parse_events(TEXT), day="2009-06-01"), TypeError, "give a datetime.date"),
        (lambda: judge(parse_events(TEXT), table=5), TypeError, "table is 5; give the table's id as a text"),
        (lambda: judge(parse_events(TEXT), identities="no"), TypeError, "identities is 'no'; give True or False"),
        (lambda: judge(parse_events(TEXT), day=dt.datetime(2009, 6, 1)), TypeError, "give a datetime.date"),  # noqa: DTZ001
        (lambda: judge(parse_events(TEXT), settings=Settings()), TypeError, r"flows.settings.load\(\).replay"),
        (lambda: explain(parse_events(TEXT), round=7), NoSuchRound, "no round 7; it has rounds 1 to 1"),
        (lambda: explain(parse_events(TEXT), round="R-9"), NoSuchRound, "no round of the name or number 'R-9'"),
        (lambda: explain(parse_events(TEXT), round=True), TypeError, "round is True; give the round's number"),
        (lambda: explain(parse_events(TEXT), round=1, zone=None), TypeError, "zone is None; give a datetime.tzinfo"),
        (lambda: explain(parse_events(TEXT), round=1, table="T7"), NothingToJudge, "it has T1 of 2009-06-01"),
        (
            lambda: explain([*parse_events(TEXT), *parse_events(TEXT, table_id="T2")], round=1),
            NothingToJudge,
            "T1 of 2009-06-01, T2 of 2009-06-01: choose with table and day",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_refused_with_what_to_do(
    call: Callable[[], object], error: type[Exception], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=says) as refused:
        call()
    assert not re.search(r"\n|0x[0-9a-f]{6}", str(refused.value))


def test_a_regulation_holds_for_the_tables_of_its_own_game_only(tmp_path: Path) -> None:
    """As with ``whatif --regulation``: the others in a mixed archive are judged by the law of their day."""
    simulate(archive=tmp_path, day=DAY, tables=3, rounds=5, faults=0)
    every = judge(tmp_path)
    assert set(every.table_days["game"]) == {"black_jack", "fortune_3_card_poker"}
    of_fortune = every.table_days.filter(game="fortune_3_card_poker")["table_id"].item()
    by_another = ReplaySettings(regulation="bj.56-2004")
    same(judge(tmp_path, table=of_fortune, settings=by_another), judge(tmp_path, table=of_fortune))
    assert set(judge(tmp_path, settings=by_another).rounds["regulation"]) == {"bj.56-2004", "f3.78-2008+97-2008"}


@pytest.mark.parametrize("call", [judge, partial(explain, round=1)])
def test_an_archive_that_the_system_does_not_let_us_read_is_an_error_of_the_system(
    call: Callable[[str], object],
) -> None:
    """As it is for an analyst without the right to the folder; the docstrings did not say so."""
    with pytest.raises(OSError, match="File name too long"):
        call("a" * 5000)
    assert "OSError" in (judge.__doc__ or "") and "OSError" in (explain.__doc__ or "")


def test_an_archive_says_what_it_has(tmp_path: Path) -> None:
    log = recorded(tmp_path / "archive", TEXT)
    with pytest.raises(NothingToJudge, match="has nothing of T7 2009-06-01: it has T1 of 2009-06-01"):
        judge(log, table="T7", day=DAY)
    (tmp_path / "empty").mkdir()
    with pytest.raises(NothingToJudge, match="holds no sealed table-day"):
        judge(tmp_path / "empty")
