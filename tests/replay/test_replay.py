"""Table-days replayed: every expected due is written down from the articles, never taken from the program."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from replayer.engine.replay_settings import ReplaySettings
from replayer.law.calendar import VERSIONS, version_named
from replayer.log.columns import TableDay
from replayer.verdicts.replay import Replayed, replay_table_days
from replayer.verdicts.replay_totals import Summary, outcome_of
from schemas.notation import parse_events
from tests.texts import CLOSED, ONE_BURNED, frame_of, opened, replay_frame, replay_text

DAY = dt.date(2009, 6, 1)
HEAD = opened(f"option:decks=6 {ONE_BURNED}")
BURN = "!-??"


def replay(rounds: str, head: str = HEAD, day: dt.date = DAY, settings: ReplaySettings | None = None) -> Replayed:
    return replay_text(f"{head}\n{rounds}\n{CLOSED}", day, settings)


def dues(replayed: Replayed) -> list[tuple[str, int | None]]:
    return list(replayed.wagers.select("wager", "due_minor").iter_rows())


def codes(replayed: Replayed) -> dict[str, int]:
    return dict(replayed.findings.group_by("code").len().iter_rows())


# One seat stands on 20, the bank ends with 21: 57/2009 art. 9, the seat loses its stake.
LOST = f"#1 1.main=100@p1 nomore {BURN} 1+Kc B+6h 1+Qd 1.stand B+Tc B+5d 1.main>-100@p1 end"
# The bank busts with 6-T-8: the seat wins 1:1.
WON = "#2 1.main=100@p1 nomore 1+Kc B+6h 1+Qd 1.stand B+Tc B+8d 1.main>+100@p1 end"


def test_a_lawful_day_has_no_finding() -> None:
    replayed = replay(f"{LOST}\n{WON}")
    assert codes(replayed) == {}
    assert dues(replayed) == [("main", -10000), ("main", 10000)]
    assert replayed.wagers["status"].unique().to_list() == ["judged"]


def test_an_overpayment_is_found_with_its_amount_and_article() -> None:
    replayed = replay(LOST.replace(">-100", ">+100"))
    (row,) = replayed.findings.iter_rows(named=True)
    assert (row["code"], row["delta_minor"], row["article"]) == ("OVERPAID", 20000, "57/2009 art. 9")
    assert (row["round"], row["seat"]) == (1, 1)


def test_a_wager_without_settlement_is_found() -> None:
    replayed = replay(LOST.replace(" 1.main>-100@p1", ""))
    assert codes(replayed) == {"WAGER_UNSETTLED": 1}
    assert replayed.table_days["unsettled"].to_list() == [1]


def test_a_void_round_moves_no_money() -> None:
    voided = LOST.replace("1.main>-100@p1", "void:{cards cancelled}")
    replayed = replay(voided)
    assert replayed.wagers.select("status", "due_minor", "delta_minor").rows() == [("void", 0, None)]
    assert replayed.rounds["status"].to_list() == ["void"]
    assert "WAGER_UNSETTLED" not in codes(replayed)


def test_a_round_that_lacks_events_is_counted_and_not_judged() -> None:
    frame = frame_of(f"{HEAD}\n{LOST}\n{WON}\n{CLOSED}", DAY)
    incomplete = frame.filter(pl.col("seq") != frame.filter(pl.col("card_card") == "5d")["seq"][0])
    replayed = replay_frame(incomplete, DAY)
    assert replayed.wagers["status"].to_list() == ["unjudged", "judged"]
    assert codes(replayed) == {"SEQUENCE_GAP": 1}
    assert replayed.rounds["status"].to_list() == ["incomplete", "played"]


def test_wagers_that_nobody_could_judge_are_summed_by_reason() -> None:
    unseen = WON.replace("B+6h", "B+??")  # the bank's open card is not on the log
    outcome = outcome_of(replay(f"{LOST}\n{unseen}"))
    assert outcome.unjudged == {"what the bank has is not known": 1}
    said = Summary([outcome, outcome]).to_dict()
    assert (said["wagers"], said["unsettled"], said["unjudged"]) == (4, 0, {"what the bank has is not known": 2})


def test_a_correction_of_a_settlement_in_time_is_what_counts_and_is_found() -> None:
    seq = next(e.seq for e in parse_events(f"{HEAD}\n{LOST}") if e.kind == "WagerSettled")
    replayed = replay(LOST.replace(">-100", ">+100") + f" #- correct:{seq}:miskeyed:1.main=100>-100@p1")
    assert codes(replayed) == {"EVENT_CORRECTED": 1}
    (row,) = replayed.findings.iter_rows(named=True)
    assert (row["round"], row["severity"], row["before"], row["after"]) == (1, "integrity", "net +100", "net -100")
    assert row["message"] == f"WagerSettled at seq {seq}: net +100 -> net -100 (miskeyed)"
    assert not Summary([outcome_of(replayed)]).clean


def test_a_wager_that_a_correction_took_away_is_an_event_on_the_log() -> None:
    twice = LOST.replace("nomore", "2.main=50@p2 nomore")
    seq = next(e.seq for e in parse_events(f"{HEAD}\n{twice}") if e.wager and e.wager.seat == 2)
    replayed = replay(f"{twice} #- correct:{seq}:{{not placed}}:2.main=0@p2")
    assert codes(replayed) == {"EVENT_CORRECTED": 1}
    day = replayed.table_days.row(0, named=True)
    assert (day["wagers"], day["events"]) == (1, 1 + day["last_seq"] - day["first_seq"])


def test_x2_half_an_avo_is_no_discrepancy_and_is_named() -> None:
    # A natural on 0.05 is due 0.075: nothing in whole avos is exact, 0.07 and 0.08 are equally near.
    text = f"#1 1.main=0.05@p1 nomore {BURN} 1+Ac B+6h 1+Qd B+Tc B+8d 1.main=0.05>+{{paid}}@p1 end"
    for paid in ("0.07", "0.08"):
        for paid_as in ("main", "hand"):
            one = text.replace("1.main=0.05>+{paid}", f"1.{paid_as}=0.05>+{paid}")
            (row,) = replay(one).wagers.iter_rows(named=True)
            assert (row["due_exact"], row["delta_minor"], row["rulings"]) == ("15/2", 0, "X-2")
    one_more = replay(text.replace("{paid}", "0.09"))
    (found,) = one_more.findings.iter_rows(named=True)
    assert (found["delta_minor"], found["message"]) == (1, "main: paid +0.09, due +0.075")
    assert outcome_of(one_more).overpaid == (1, 1)
    down = ReplaySettings(readings={"rounding": "down"})
    assert replay(text.replace("{paid}", "0.08"), settings=down).wagers["delta_minor"].to_list() == [1]
    up = ReplaySettings(readings={"rounding": "up"})
    assert replay(text.replace("{paid}", "0.07"), settings=up).wagers["delta_minor"].to_list() == [-1]


def test_x2_beside_a_due_of_half_an_avo_are_whole_ones_and_wagers_that_were_never_settled() -> None:
    dealt = "nomore 1+Ac 2+Kc 3+Ad B+6h 1+Qd 2+Qs 3+Kh 2.stand B+Tc B+8d 1.main=0.05>+0.07@p1 2.main=100>+90@p2 end"
    rows = replay(f"#1 1.main=0.05@p1 2.main=100@p2 3.main=0.05@p3 {dealt}").wagers
    assert rows["due_exact"].to_list() == ["15/2", None, "15/2"]
    assert rows["delta_minor"].to_list() == [0, -10_00, None]


def test_x1_the_version_in_force_when_the_round_began_governs_it() -> None:
    # 57/2009 is taken to be in force from 7 April 2009 00:00 in Macau, 6 April 16:00 UTC.
    head = HEAD.replace("open", "@15:59:30 open")
    text = LOST.replace("B+Tc", "@16:00:30 B+Tc")
    replayed = replay(text, head=head, day=dt.date(2009, 4, 6))
    assert replayed.rounds["regulation"].to_list() == ["bj.56-2004+42-2007"]
    assert replayed.wagers["rulings"].to_list() == ["X-1"]
    settled = ReplaySettings(readings={"X-1": "settlement"})
    assert replay(text, head=head, day=dt.date(2009, 4, 6), settings=settled).rounds["regulation"].to_list() == [
        "bj.57-2009"
    ]


def test_x1_a_round_begins_with_the_first_bet_not_with_the_card_burned_before_it() -> None:
    text = LOST.replace("#1 ", "#1 @15:59:58 !-?? @16:00:01 ")
    replayed = replay(text, head=HEAD.replace("open", "@15:59:30 open"), day=dt.date(2009, 4, 6))
    assert replayed.rounds["regulation"].to_list() == ["bj.57-2009"]
    assert replayed.wagers["rulings"].to_list() == [""]


def test_a_day_before_141_2000_was_under_a_text_that_is_not_at_hand_and_not_without_one() -> None:
    """It republishes 57/83/M, whose text as it stood before nobody has."""
    replayed = replay(LOST, day=dt.date(2000, 8, 5))
    (why,) = replayed.findings.filter(pl.col("code") == "LAW_NOT_AT_HAND")["message"]
    assert why == "no version that is at hand was in force"
    assert replayed.wagers.select("status", "reason").rows() == [("unjudged", why)]


def test_a_game_none_of_whose_texts_is_at_hand_is_replayed_and_not_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    fortune_only = [version for version in VERSIONS if version.game != "black_jack"]
    monkeypatch.setattr("replayer.law.calendar.VERSIONS", fortune_only)
    replayed = replay(LOST, day=dt.date(2000, 8, 5))
    assert codes(replayed) == {"LAW_NOT_AT_HAND": 1}
    assert replayed.wagers["status"].to_list() == ["unjudged"]


def test_an_unknown_game_is_counted_and_not_judged() -> None:
    replayed, known = replay(LOST, head=HEAD.replace("black_jack", "pai_gow")), replay(LOST)
    assert codes(replayed) == {"GAME_UNKNOWN": 1}
    assert replayed.wagers["status"].to_list() == ["unjudged"]
    verdicts = ("game", "regulation", "bank", "status")
    assert replayed.rounds.select(verdicts).rows() == [(None, None, "", "unjudged")]
    assert replayed.rounds.drop(verdicts).equals(known.rounds.drop(verdicts))
    assert replayed.table_days["rounds"].to_list() == [1]


@pytest.mark.parametrize(("play", "rounds"), [("", []), (f"{LOST} #2 {LOST[3:]} #3 {LOST[3:]}", [1, 2, 3])])
def test_an_unknown_game_has_as_many_rounds_as_were_played(play: str, rounds: list[int]) -> None:
    replayed = replay(play, head=HEAD.replace("black_jack", "pai_gow"))
    assert replayed.rounds.select("round", "status").rows() == [(number, "unjudged") for number in rounds]


def test_a_correction_is_no_round_of_an_unknown_game_and_takes_no_seats_from_the_next_one() -> None:
    replayed = replay(f"#1 correct:1:mistyped:B+6c #2 {LOST[3:]}", head=HEAD.replace("black_jack", "pai_gow"))
    assert replayed.rounds.select("round", "seats").rows() == [(2, 1)]


def test_bj72_no_money_depends_on_the_repeal_of_42_2007() -> None:
    assert "BJ-72" in version_named("bj.57-2009").rulings
    assert replay(LOST).wagers["rulings"].to_list() == [""]


MIXED = f"{LOST}\n{WON}\n" + "\n".join(
    f"#{n} 1.main=100@p{n} 3.main=50@p9 nomore 1+9c 3+8d B+6h 1+2c 3+8s 1.hit 1+5c 1.stand 3.stand B+Tc B+5d "
    f"1.main>-100@p{n} 3.main>-50@p9 end"
    for n in range(3, 9)
)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_digest_does_not_depend_on_the_order_of_events(seed: int) -> None:
    frame = frame_of(f"{HEAD}\n{MIXED}\n{CLOSED}", DAY)
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=seed)
    assert replay_frame(shuffled, DAY).digest == replay_frame(frame, DAY).digest


def test_table_days_replayed_together_are_as_if_replayed_alone() -> None:
    clean = frame_of(f"{HEAD}\n{MIXED}\n{CLOSED}", DAY)
    faulty = frame_of(f"{HEAD}\n{LOST.replace('>-100', '>+100')}\n{CLOSED}", DAY)
    incomplete = clean.filter(pl.col("seq") != 30)
    days = [TableDay(f"T{number}", DAY, frame) for number, frame in enumerate((clean, faulty, incomplete, clean))]
    together = [replayed.digest for replayed in replay_table_days(days)]
    alone = [replay_table_days([day])[0].digest for day in days]
    assert together == alone
    assert len(set(together)) == 4  # the table's name is part of its verdicts
