"""The books of a table-day are closed once: what is entered later is found with before and after, and changes nothing."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import polars as pl
import pytest

from replayer.integrity.inspection import Log, inspect
from replayer.log.columns import TableDay, columns_of
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.event import Event, Remark, Table
from schemas.notation import parse_events
from tests.texts import frame_of, opened, replay_frame

DAY = dt.date(2009, 6, 1)
HEAD = f"{opened(burned=6)}\n#1 1.main=100@p1 nomore 1+Kc B+6h 1+Qd 1.stand B+Tc B+5d 1.main>{{paid}}@p1 end\n"
"""Round 1: 20 against the bank's 21 loses its 100 (57/2009 art. 9); settled at seq 20, closed at 21."""
WON = "#2 1.main=100@p1 nomore 1+Kc B+6h 1+Qd 1.stand B+Tc B+8d 1.main>+100@p1 end\n"
CLOSED = "#- close=49900 dealer-D1 drop=0 "
"""Seq 22 to 24 behind round 1."""


def text(paid: str = "+100", more: str = CLOSED) -> str:
    return HEAD.format(paid=paid) + more


def day(*parts: str) -> TableDay:
    """A table-day whose text goes on from part to part, each of them sealed for itself."""
    ends = [len(list(parse_events(" ".join(parts[: number + 1])))) for number in range(len(parts))]
    counts = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
    return TableDay("T1", DAY, frame_of(" ".join(parts), DAY), parts=tuple(counts))


def replay(*parts: str) -> Replayed:
    return replay_table_days([day(*parts)])[0]


def found(replayed: Replayed) -> list[tuple[str, int]]:
    return replayed.findings.select("code", "seq").rows()


def seen(*parts: str) -> Log:
    return inspect(day(*parts))


OVERPAID = ("OVERPAID", 20)


@pytest.mark.parametrize(
    "more",
    [
        "correct:20:miskeyed:1.main=100>-100@p1",
        "correct:18:misread:B+6c",
        "correct:17:misheard:1.hit",
        "correct:16:misread:1+Ac",
    ],
)
def test_a_discrepancy_names_the_correction_that_came_after_the_closing(more: str) -> None:
    replayed = replay(text() + more)
    assert found(replayed) == [OVERPAID, ("CORRECTION_LATE", 25)]
    assert replayed.findings["corrected_by"].to_list() == [25, None]


def test_a_correction_that_comes_too_late_says_what_was_closed_by_then() -> None:
    """The day goes on in a second part; the books are closed at seq 23, the first part is sealed at 21."""
    log = seen(
        text("-100", ""), "correct:20:miskeyed:1.main=100>+50@p1 #- close=49900 correct:20:miskeyed:1.main=100>+80@p1"
    )
    late = [found.message.rpartition("; ")[2] for found in log.findings if found.code == "CORRECTION_LATE"]
    assert late == ["not applied, as that event was sealed", "not applied, as the books were closed"]


def test_a_correction_in_round_0_is_named_in_its_findings_and_not_in_those_of_no_round() -> None:
    replayed = replay(text().replace("#1 ", "option:unheard_of=yes #0 ") + "correct:17:misread:1+Ac")
    assert replayed.findings.select("code", "round", "corrected_by").rows() == [
        ("OPTION_UNKNOWN", None, None),
        ("OVERPAID", 0, 26),
        ("CORRECTION_LATE", 0, None),
    ]


@pytest.mark.parametrize(
    ("corrected", "more", "code", "before"),
    [
        (
            "correct:20:miskeyed:1.main=100>-100@p1",
            "#1 1.main=100>+50@p1 #-",
            "ENTERED_LATE",
            "Seat 1: main settled at -100",
        ),
        ("correct:1:miscounted:chips=400", "open:black_jack:MOP:7=500", "OPENED_AGAIN", "400"),
        ("#- drop=300 correct:22:miscounted:chips=400", "drop=500", "DROP_COUNTED_AGAIN", "400"),
        (
            "#- fill:F1=300 correct:22:misread:chips=400",
            "slipvoid:F1=300:x",
            "ENTERED_LATE",
            "Chips from the cage: 400 on slip F1",
        ),
    ],
)
def test_the_books_say_what_a_correction_in_time_made_them_say(
    corrected: str, more: str, code: str, before: str
) -> None:
    log = seen(text(more=f"{corrected} #- close=49900 {more}"))
    entry = next(found for found in log.findings if found.code == code)
    assert entry.before == before and before in entry.message


def test_a_correction_names_no_player() -> None:
    replayed = replay(text() + "correct:20:{other player}:1.main=100>-100@p9")
    late = replayed.findings.row(1, named=True)
    assert (late["before"], late["after"]) == ("the player, net +100", "another player, net -100")
    assert not {word for word in ("p1", "p9") for text in replayed.findings["message"] if word in text}


def test_a_drop_counted_after_the_closing_is_not_corrected_there() -> None:
    replayed = replay(text("-100") + "correct:24:miscounted:chips=700")
    assert found(replayed) == [("CORRECTION_LATE", 25)]
    assert replayed.custody.filter(kind="DropCounted")["amount_minor"].to_list() == [0]


@pytest.mark.parametrize(
    "more", ["close=50000", "open:black_jack:MOP:7=500", "fill:F9=500", "credit:C9=500", "buyin=500@p1", "drop=500"]
)
def test_custody_after_the_closing_is_in_no_books_or_in_those_of_another_opening(more: str) -> None:
    custody = replay(text("-100") + more).custody
    assert custody["stretch"].to_list() == [None] * 3 + [2 if "open" in more else 0]


def test_cash_that_fills_in_a_missing_number_of_a_sealed_part_is_cash_that_came() -> None:
    """600,000 are bought in at seq 22, which the first part lacks; the books, closed at 24, count none of them."""
    whole = day(text("-100", "#- buyin=600000@p9 buyin=5@p1 close=49900 drop=5"))
    gap, filled = whole.events.filter(pl.col("seq") != 22), whole.events.filter(pl.col("seq") == 22)
    parted = replace(whole, events=pl.concat([gap, filled]), parts=(gap.height, filled.height))
    alone, other = replay_table_days([parted, day(text("-100"))])
    rows = alone.custody.filter(kind="CashBoughtIn").select("seq", "amount_minor", "player", "stretch").rows()
    assert rows == [(22, 600_000_00, "p9", 0), (23, 5_00, "p1", None)]
    assert [*alone.custody["seq"]] == [1, 22, 23, 24, 25] and [*other.custody["seq"]] == [1, 22, 24]


def test_an_option_elected_after_the_closing_excuses_nothing() -> None:
    unopened = text("-100").replace("open:black_jack:MOP:7=50000", "option:regulation=bj.57-2009")
    for more in ("", "option:not_recorded=custody"):
        assert ("TABLE_NOT_OPENED", 1) in found(replay(unopened + more))


def test_what_a_log_says_it_does_not_record_excuses_nothing_that_was_recorded_before() -> None:
    unclosed = text("-100", "#- option:not_recorded=custody dealer-D1")
    assert "TABLE_NOT_CLOSED" in [finding.code for finding in seen(unclosed).findings]


def test_a_late_opening_opens_no_table_that_was_not_opened() -> None:
    unopened = text("-100").replace("open:black_jack:MOP:7=50000", "dealer+D0")
    late = seen(unopened + "open:black_jack:MOP:7=1")
    assert [(finding.code, finding.after) for finding in late.findings] == [
        ("TABLE_NOT_OPENED", None), ("OPENED_AGAIN", "1")
    ]  # fmt: skip
    assert late.stretches == {25: 2}


def test_a_table_opened_again_has_its_rounds_judged_and_its_books_apart() -> None:
    again = opened(chips=49900, burned=6).replace(":1:", ":2:") + "\n"
    replayed = replay(text("-100") + again + WON + "#- fill:F1=10 close=49810 drop=0 drop=5")
    assert found(replayed) == [("OPENED_AGAIN", 25), ("CLOSED_AGAIN", 47), ("DROP_COUNTED_AGAIN", 49)]
    assert replayed.wagers["due_minor"].to_list() == [-100_00, 100_00]
    assert replayed.custody.select("seq", "stretch").rows() == [
        (1, None), (22, None), (24, None), (25, 2), (46, 2), (47, 2), (48, 2), (49, 0)
    ]  # fmt: skip


def test_a_table_opened_again_has_the_seats_of_that_opening() -> None:
    """57/2009 art. 3(1): the places are those of the layout."""
    seventh = WON.replace("1.", "7.").replace("1+", "7+")
    again = "open:black_jack:MOP:6=49900 " + seventh + "#- open:black_jack:MOP:7=49900 " + seventh.replace("#2", "#3")
    assert [seq for code, seq in found(replay(text("-100") + again)) if code == "SEAT_NOT_ON_LAYOUT"] == [26]


@pytest.mark.parametrize("opened", ["open:fortune_3_card_poker:MOP:7=49900", "open:black_jack:HKD:7=49900"])
def test_a_table_opened_again_for_another_game_or_currency_is_not_judged_by_the_first(opened: str) -> None:
    again = f"{opened} {WON} #- close=49900 open:black_jack:MOP:7=49900 {WON.replace('#2', '#3')}"
    replayed = replay(text("-100") + again)
    assert replayed.wagers["due_minor"].to_list() == [-100_00, None, 100_00]
    assert replayed.wagers["status"].to_list() == ["judged", "unjudged", "judged"]
    assert replayed.rounds["status"].to_list() == ["played", "unjudged", "played"]
    _, game, currency, _ = opened.split(":")
    first, other = ("black_jack", "MOP"), (game, currency)
    assert replayed.wagers.select("game", "currency").rows() == [first, other, first]
    assert replayed.rounds.select("game", "currency").rows() == [first, other, first]
    assert replayed.custody["currency"].to_list() == ["MOP"] * 3 + [currency] * 2 + ["MOP"]


def test_a_day_that_goes_on_in_a_part_before_it_was_closed_is_judged_as_if_in_one() -> None:
    whole = day(text("-100", WON + CLOSED))
    height = whole.events.height
    parted = [replace(whole, parts=(cut, height - cut)) for cut in range(1, height - 3)]
    alone, *all_replayed = replay_table_days([whole, *parted], play=True)
    for (cut, _), replayed in zip((each.parts for each in parted), all_replayed, strict=True):
        for name in ("wagers", "rounds", "custody", "decisions"):
            assert replayed.tables()[name].equals(alone.tables()[name]), (cut, name)
        left = replayed.findings.filter(~pl.col("message").str.ends_with("; answered by part 1, which came later"))
        assert left.select("code", "seq").rows() == [("PART_LATE", cut + 1)], cut


def test_what_was_found_of_a_day_sealed_before_its_closing_stands_beside_what_answers_it() -> None:
    """Sealed in the middle of round 1: no end, no settlement, no closing by then; a later part brings all of them."""
    whole = day(text("-100"))
    (sealed,) = replay_table_days([replace(whole, events=whole.events[:19], parts=(19,))])
    assert set(found(sealed)) == {("WAGER_UNSETTLED", 12), ("ROUND_NOT_CLOSED", 19), ("TABLE_NOT_CLOSED", 19)}
    (replayed,) = replay_table_days([replace(whole, parts=(19, whole.events.height - 19))])
    assert set(found(replayed)) == {*found(sealed), ("PART_LATE", 20)}
    closed = replayed.findings.filter(code="TABLE_NOT_CLOSED")["message"].item()
    assert closed == "no closing inventory: custody cannot be reconciled; answered by part 1, which came later"
    assert replayed.wagers["due_minor"].to_list() == replayed.wagers["paid_minor"].to_list() == [-100_00]


def test_each_sealing_of_an_open_day_keeps_what_was_found_by_then() -> None:
    whole = day(text("-100"))
    parts = (12, 8, 1, whole.events.height - 21)
    (replayed,) = replay_table_days([replace(whole, parts=parts)])
    shorter = [
        replace(whole, events=whole.events[: sum(parts[:number])], parts=parts[:number]) for number in range(1, 4)
    ]
    for sealed in replay_table_days(shorter):
        assert set(found(sealed)) <= set(found(replayed))
    assert len(found(replayed)) == len(set(found(replayed)))


def test_a_late_event_with_a_number_that_was_missing_fills_no_gap() -> None:
    whole = frame_of(text("-100"), DAY)
    gap, filled = whole.filter(pl.col("seq") != 19), whole.filter(pl.col("seq") == 19)
    before = replay_frame(gap, DAY)
    (after,) = replay_table_days([TableDay("T1", DAY, pl.concat([gap, filled]), parts=(gap.height, 1))])
    assert found(before) == [("SEQUENCE_GAP", 20)]
    assert found(after) == [("ENTERED_LATE", 19), ("PART_LATE", 19), ("SEQUENCE_GAP", 20)]
    assert after.wagers.equals(before.wagers)


def test_of_two_events_with_one_number_the_one_sealed_first_holds() -> None:
    first = frame_of(text(), DAY)
    forged = first.filter(pl.col("seq") == 20).with_columns(wager_net_minor=pl.lit(-100_00, dtype=pl.Int64))
    (replayed,) = replay_table_days([TableDay("T1", DAY, pl.concat([first, forged]), parts=(first.height, 1))])
    assert found(replayed) == [OVERPAID, ("SEQUENCE_CONFLICT", 20)]


def test_a_log_that_records_no_custody_is_closed_by_its_first_part() -> None:
    head = "open:black_jack:MOP:7=0 option:not_recorded={custody,shuffle,cut}"
    imported = f"{head} #1 1.main=100 nomore 1+Kc B+6h 1+Qd 1.stand B+Tc B+5d 1.main=100>+100 end"
    before, after = (found(replay(*parts)) for parts in ((imported,), (imported, "#1 void:{cards cancelled}")))
    assert set(before) < set(after)
    assert {code for code, _ in set(after) - set(before)} == {"ENTERED_LATE", "PART_LATE"}


# What breaks the contract


def with_broken(event: Event, begun: str, rest: str = "", *, apart: bool = True) -> Replayed:
    """A table-day that was sealed when it had begun, and a later part: an event which lacks what its kind requires, and the rest.
    All in one part where they are not ``apart``."""
    whole = day(begun, rest)
    count = whole.parts[0]
    first, after = whole.events[:count], whole.events[count:].with_columns(pl.col("seq") + 1)
    broken = columns_of([replace(event, table_id="T1", gaming_day=DAY, at=first["at"].item(-1), seq=count + 1)])
    events = pl.concat([first, broken, after])
    return replay_table_days(
        [replace(whole, events=events, parts=(count, 1 + after.height) if apart else (events.height,))]
    )[0]


BROKEN = {
    "a settlement of nothing": Event("", 0, 0, DAY, "WagerSettled", round=1),
    "a settlement without a round": Event("", 0, 0, DAY, "WagerSettled"),
    "a card that is none": Event("", 0, 0, DAY, "CardDealt", round=1),
    "a marker that is none": Event("", 0, 0, DAY, "MarkerMoved"),
    "a correction with a foreign body": Event("", 0, 0, DAY, "CorrectionMade", remark=Remark("", 20), table=Table("x")),
}


@pytest.mark.parametrize("closing", ["", CLOSED])
@pytest.mark.parametrize("event", BROKEN.values(), ids=BROKEN)
def test_a_broken_event_of_a_later_part_takes_no_verdict_from_a_round_that_had_ended(
    event: Event, closing: str
) -> None:
    assert OVERPAID not in found(with_broken(event, text(more=""), closing, apart=False))
    assert OVERPAID in found(with_broken(event, text(more=""), closing))


def test_a_broken_event_breaks_a_round_that_goes_on_in_its_part() -> None:
    begun, rest = text(more="").rsplit(" B+5d", 1)
    replayed = with_broken(BROKEN["a card that is none"], begun, f"B+5d{rest}")
    assert replayed.rounds["status"].to_list() == ["incomplete"]
