"""The log's own faults: each is found at its position, none is repaired, none stops the replay."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from replayer.integrity.inspection import EventsLacking, Log, TableOpening, inspect, inspect_all
from replayer.log.columns import FLAT, TableDay, columns_of, events_of
from schemas.notation import parse_events
from tests.texts import frame_of

DAY = dt.date(2009, 6, 1)
TEXT = """open:black_jack:MOP:7=500 dealer+D1
#1 1.main=100 nomore 1+9c B+6h end
#2 1.main=100 nomore 1+9c B+6h 1.main>+100 end
#- close=500"""


def frame(text: str = TEXT) -> pl.DataFrame:
    return frame_of(text)


def codes(log: Log) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.seq) for finding in log.findings]


def without(events: pl.DataFrame, *seqs: int) -> pl.DataFrame:
    return events.filter(~pl.col("seq").is_in(seqs))


def test_a_whole_log_has_no_finding() -> None:
    assert codes(inspect(TableDay("T1", DAY, frame()))) == []


def test_what_a_whole_log_does_not_record_is_stated_alone_and_beside_another() -> None:
    said = frame(TEXT.replace("dealer+D1", "dealer+D1 option:not_recorded=round_numbers"))
    days = [TableDay("T1", DAY, said), TableDay("T2", DAY, frame())]
    (alone,) = inspect_all(days[:1])
    assert [log.not_checked for log in inspect_all(days)] == [alone.not_checked, ()] == [("round_numbers",), ()]


def test_columns_give_back_the_events_they_were_made_of() -> None:
    events = list(parse_events(TEXT))
    assert list(events_of(columns_of(events))) == events


def test_the_order_of_rows_does_not_matter() -> None:
    shuffled = frame().sample(fraction=1.0, shuffle=True, seed=7)
    assert inspect(TableDay("T1", DAY, shuffled)).events.equals(frame())


def test_a_gap_is_found_after_the_hole_and_tears_the_rounds_it_touches() -> None:
    log = inspect(TableDay("T1", DAY, without(frame(), 5)))  # inside round 1
    assert codes(log) == [("SEQUENCE_GAP", 6)]
    assert log.lacking == dict.fromkeys({1}, EventsLacking.MISSING)


def test_a_gap_between_rounds_tears_only_the_round_after_it() -> None:
    log = inspect(TableDay("T1", DAY, without(frame(), 8)))  # the first event of round 2; round 1 had ended
    assert log.lacking == dict.fromkeys({2}, EventsLacking.MISSING)


def test_a_gap_after_an_open_round_tears_both() -> None:
    log = inspect(TableDay("T1", DAY, without(frame(), 7, 8)))
    assert log.lacking == dict.fromkeys({1, 2}, EventsLacking.MISSING)
    assert ("ROUND_NOT_CLOSED", 6) in codes(log)


@pytest.mark.parametrize("between", ["fill:F1=500", "dealer-D1 dealer+D2", "correct:4:misread:1+9h", "failed:stuck"])
def test_a_gap_tears_the_round_that_is_open_whatever_happens_at_the_table_before_it(between: str) -> None:
    text = TEXT.replace("B+6h end\n#2", f"B+6h #- {between} #1 1.stand end\n#2", 1)
    stand = next(event.seq for event in parse_events(text) if event.kind == "DecisionTaken")
    both = inspect(TableDay("T1", DAY, without(frame(text), stand, stand + 1)))
    second = inspect(TableDay("T1", DAY, without(frame(text), stand + 2)))  # the first had ended
    assert both.lacking == dict.fromkeys({1, 2}, EventsLacking.MISSING)
    assert second.lacking == {2: EventsLacking.MISSING}


def test_a_repeated_event_is_dropped_and_found() -> None:
    log = inspect(TableDay("T1", DAY, pl.concat([frame(), frame().filter(pl.col("seq") == 6)])))
    assert codes(log) == [("EVENT_REPEATED", 6)]
    assert log.findings[0].round == 1
    assert log.events.equals(frame())


def test_two_different_events_with_one_number_are_a_conflict() -> None:
    other = frame().filter(pl.col("seq") == 5).with_columns(card_card=pl.lit("Ks", dtype=FLAT["card_card"]))
    log = inspect(TableDay("T1", DAY, pl.concat([frame(), other])))
    assert codes(log) == [("SEQUENCE_CONFLICT", 5)]
    assert log.findings[0].round == 1
    assert log.lacking == {1: EventsLacking.DISPUTED}


@pytest.mark.parametrize(
    ("seq", "changed", "disputed"),
    [
        (2, {"table_staff": "D2"}, set()),  # a dealer comes in
        (5, {"round": 2}, {1, 2}),
        (5, {"kind": "CardBurned"}, {1}),
        (5, {"card_seat": 9999}, {1}),  # which breaks the contract
        (14, {"chips_amount_minor": 1}, set()),  # the closing
    ],
)
def test_rounds_that_depend_on_a_number_of_two_events_are_disputed_whichever_comes_first(
    seq: int, changed: dict[str, object], disputed: set[int]
) -> None:
    values = [pl.lit(value).cast(FLAT[name]).alias(name) for name, value in changed.items()]
    other = frame().filter(pl.col("seq") == seq).with_columns(values)
    one, two = (
        inspect(TableDay("T1", DAY, pl.concat(frames))) for frames in ([frame(), other], [other, frame(), other])
    )
    assert one.lacking == two.lacking == dict.fromkeys(disputed, EventsLacking.DISPUTED)
    assert one.events.equals(two.events)
    assert codes(one) == codes(two) == [("SEQUENCE_CONFLICT", seq)]
    assert {log.findings[0].round for log in (one, two)} == {min(disputed) if len(disputed) == 1 else None}


@pytest.mark.parametrize(
    "recorded",
    [
        "#1 1.main=100 end #- option:bank_soft17=hit #2 1.main=100 end #1 correct:2:miskeyed:1.main=50",
        "#1 1.main=100 end #2 1.main=100 end #1 correct:2:miskeyed:1.main=50 #- 1*2",
    ],
)
def test_what_is_disputed_after_a_round_does_not_concern_it_though_it_is_corrected_later(recorded: str) -> None:
    """A correction bears the number of the round that it corrects, and is no part of it."""
    events = frame(f"open:black_jack:MOP:7=500 {recorded} #- close=500")
    twice = events.filter(pl.col("kind").is_in(("OptionElected", "MarkerMoved"))).with_columns(at=pl.col("at") + 1)
    assert inspect(TableDay("T1", DAY, pl.concat([events, twice]))).lacking == {2: EventsLacking.DISPUTED}


def test_of_two_openings_with_one_number_what_both_say_holds() -> None:
    other = frame().head(1).with_columns(chips_amount_minor=pl.lit(1, pl.Int64))
    log = inspect(TableDay("T1", DAY, pl.concat([frame(), other])))
    assert log.openings == [TableOpening(1, "black_jack", "MOP", 7)]
    assert log.events["chips_amount_minor"].to_list()[0] is None


def test_a_clock_that_goes_back_is_found_and_orders_nothing() -> None:
    text = TEXT.replace("#2", "@11:00:00 #2")
    log = inspect(TableDay("T1", DAY, frame(text)))
    assert codes(log) == [("CLOCK_BACKWARDS", 8)]
    assert log.events["seq"].is_sorted()


@pytest.mark.parametrize(
    ("column", "seq", "path"),
    [
        ("wager_stake_minor", 3, "wager.stake_minor"),
        ("card_face", 5, "card.face"),
        ("round", 4, "round"),
        ("wager_net_minor", 12, "wager.net_minor"),
        ("table_game", 1, "table.game"),
    ],
)
def test_an_event_without_a_field_of_its_kind_is_malformed(column: str, seq: int, path: str) -> None:
    broken = frame().with_columns(pl.when(pl.col("seq") == seq).then(None).otherwise(pl.col(column)).alias(column))
    log = inspect(TableDay("T1", DAY, broken))
    assert [(f.seq, f.message.split(" lacks ")[1]) for f in log.findings if f.code == "EVENT_MALFORMED"] == [
        (seq, path)
    ]


def test_a_text_that_names_no_card_is_found() -> None:
    broken = frame().with_columns(card_card=pl.col("card_card").replace({"9c": "1z"}))
    assert [code for code, _ in codes(inspect(TableDay("T1", DAY, broken)))] == ["CARD_UNKNOWN", "CARD_UNKNOWN"]


def test_a_kind_of_a_later_schema_is_found() -> None:
    events = frame().with_columns(
        kind=pl.when(pl.col("seq") == 6).then(pl.lit("Unknown")).otherwise(pl.col("kind")).cast(frame()["kind"].dtype)
    )
    assert ("KIND_UNKNOWN", 6) in codes(inspect(TableDay("T1", DAY, events)))


def test_a_negative_stake_is_found() -> None:
    broken = frame().with_columns(wager_stake_minor=-pl.col("wager_stake_minor"))
    assert ("STAKE_NEGATIVE", 3) in codes(inspect(TableDay("T1", DAY, broken)))


def test_a_round_that_comes_back_after_a_later_one_is_found() -> None:
    log = inspect(TableDay("T1", DAY, frame(TEXT.replace("#- close", "#1 1.main=100>+100 #- close"))))
    assert codes(log) == [("ROUND_INTERLEAVED", 14)]


def test_a_table_without_opening_or_closing_is_found() -> None:
    log = inspect(TableDay("T1", DAY, without(frame(), 1, 14)))
    assert [code for code, _ in codes(log)] == ["TABLE_NOT_OPENED", "TABLE_NOT_CLOSED"]


def test_a_correction_replaces_what_it_refers_to_and_leaves_the_rest() -> None:
    text = TEXT.replace("#- close", "correct:12:{miskeyed}:1.main=100>+150 #- close")
    log = inspect(TableDay("T1", DAY, frame(text)))
    assert codes(log) == [("EVENT_CORRECTED", 14)]
    assert (log.findings[0].before, log.findings[0].after) == ("net +100", "net +150")
    nets = log.events.filter(pl.col("kind") == "WagerSettled")["wager_net_minor"].to_list()
    assert nets == [15000]


def test_a_correction_of_a_card_replaces_the_card() -> None:
    log = inspect(TableDay("T1", DAY, frame(TEXT.replace("#- close", "correct:5:misread:1+8d #- close"))))
    assert (log.findings[0].before, log.findings[0].after) == ("9c", "8d")
    assert log.events.filter(pl.col("seq") == 5)["card_card"].to_list() == ["8d"]


@pytest.mark.parametrize(
    ("wrong", "right", "column", "value"),
    [
        ("B?", "B?natural", "decision_action", "natural"),  # nothing was found, and then Black Jack
        ("1*3", "1=2", "decision_points", 2),  # the button
        ("slipvoid:F1=50:torn", "chips=500", "chips_amount_minor", 500_00),
    ],
)
def test_every_kind_of_which_a_correction_can_carry_the_body_is_corrected(
    wrong: str, right: str, column: str, value: object
) -> None:
    events = frame(TEXT.replace("end\n#2", f"{wrong} end\n#- correct:7:miskeyed:{right} #2", 1))
    log = inspect(TableDay("T1", DAY, events))
    assert [found for found in codes(log) if found[1] == 9] == [("EVENT_CORRECTED", 9)]
    assert log.events.filter(pl.col("seq") == 7)[column].to_list() == [value]


@pytest.mark.parametrize("target", [99, 4])
def test_a_correction_that_corrects_nothing_is_found(target: int) -> None:
    log = inspect(
        TableDay("T1", DAY, frame(TEXT.replace("#- close", f"correct:{target}:typo:1.main=100>+150 #- close")))
    )
    assert ("CORRECTION_DANGLING", 14) in codes(log)


def test_a_log_that_records_no_custody_is_not_blamed_for_it() -> None:
    text = "open:black_jack:MOP:7=0 option:not_recorded={shuffle,custody} #1 1.main=100 1.main>+100 end"
    log = inspect(TableDay("T1", DAY, frame(text)))
    assert codes(log) == []
    assert log.not_checked == ("custody",)


def rounds(*numbers: int, words: str = "") -> pl.DataFrame:
    """A log of rounds with these numbers, two events each from seq 3 on (4 where the log has words of its own)."""
    played = "\n".join(f"#{number} 1.main=100 end" for number in numbers)
    return frame(f"open:black_jack:MOP:7=500 dealer+D1 {words}\n{played}\n#- close=500")


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((1, 2, 4), [(7, 4, "round 3 left out: round 4 follows round 2, and no event is missing")]),
        ((1, 5, 7), [(5, 5, "rounds 2 to 4 left out"), (7, 7, "round 6 left out")]),
        ((0, 2), [(5, 2, "round 1 left out")]),
        ((300, 301, 303), [(7, 303, "round 302 left out")]),
    ],
)
def test_rounds_that_are_left_out_are_found(numbers: tuple[int, ...], said: list[tuple[int, int, str]]) -> None:
    """Who hides a round does not number the events anew: nothing but its own number is missing."""
    found = inspect(TableDay("T1", DAY, rounds(*numbers))).findings
    assert [(one.code, one.seq, one.round) for one in found] == [
        ("ROUND_MISSING", seq, number) for seq, number, _ in said
    ]
    assert all(one.message.startswith(text) for one, (_, _, text) in zip(found, said, strict=True))


def test_rounds_may_begin_with_any_number() -> None:
    """A table may number its rounds on from one gaming day to the next."""
    assert codes(inspect(TableDay("T1", DAY, rounds(300, 301, 302)))) == []


def test_a_round_whose_events_are_missing_is_found_once() -> None:
    log = inspect(TableDay("T1", DAY, without(rounds(1, 2, 3), 5, 6)))
    assert codes(log) == [("SEQUENCE_GAP", 7)]


def test_events_missing_in_other_rounds_do_not_excuse_a_round_that_is_left_out() -> None:
    log = inspect(TableDay("T1", DAY, without(rounds(1, 2, 4, 5), 8)))  # the end of round 4
    assert ("ROUND_MISSING", 7) in codes(log)


def test_a_round_that_comes_late_is_not_missing() -> None:
    assert codes(inspect(TableDay("T1", DAY, rounds(1, 3, 2)))) == [("ROUND_INTERLEAVED", 7)]


def test_a_source_that_does_not_number_rounds_is_not_checked_for_them() -> None:
    log = inspect(TableDay("T1", DAY, rounds(1, 5, words="option:not_recorded=round_numbers")))
    assert (codes(log), log.not_checked) == ([], ("round_numbers",))
