"""Events are lost, and the numbers of the others show it: nothing is said that what is missing could refute.

What is due in the rounds that are whole was due before; of the others nothing is judged. That the table was opened and its
options elected stands on the log here: of what it does not show nobody can know that it was there.
"""

from __future__ import annotations

import datetime as dt
import random
from dataclasses import replace

import pytest

from producers.simulator import simulate
from producers.simulator.plan import pit
from replayer.log.columns import TableDay, columns_of
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.kinds import SHOE_KINDS
from schemas.notation import parse_events
from tests.archives import logs_in
from tests.shares import few
from tests.texts import replay_frame

DAYS = (dt.date(2009, 6, 1), dt.date(2008, 9, 1), dt.date(2001, 3, 1))
MISSING = {"SEQUENCE_GAP", "ROUND_NOT_CLOSED", "SETTLEMENT_UNMATCHED"}
"""What is found of a log that lacks events: that it does, and what it can no longer tell."""
UNVERIFIED = "LAW_TEXT_UNVERIFIED"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[TableDay]:
    days = []
    for day in DAYS:
        archive = tmp_path_factory.mktemp(f"of-{day}") / "archive"
        simulate(archive, tables=pit(12, [day]), rounds=30, seed=11, day=day)
        days += logs_in(archive)
    return days


@pytest.fixture(scope="module")
def of_the_whole(whole: list[TableDay]) -> list[Replayed]:
    return list(replay_table_days(whole))


def dues(replayed: Replayed) -> dict[int, int | None]:
    """What each wager is due, by the number of its event."""
    return dict(replayed.wagers.select("placed_seq", "due_minor").iter_rows())


@pytest.mark.parametrize("seed", few(range(3), 1))
def test_an_event_that_is_lost_accuses_nobody(seed: int, whole: list[TableDay], of_the_whole: list[Replayed]) -> None:
    incomplete = []
    for day in whole:
        dice = random.Random(f"{seed} {day.table_id} {day.gaming_day}")
        of_the_play = day.events["round"].is_not_null() | day.events["kind"].cast(str).is_in(SHOE_KINDS)
        kept = [not lost or dice.random() > 0.01 for lost in of_the_play]
        incomplete.append(TableDay(day.table_id, day.gaming_day, day.events.filter(kept)))
    judged = 0
    for before, day, after in zip(of_the_whole, incomplete, replay_table_days(incomplete), strict=True):
        due = dues(before)
        still_due = {seq: amount for seq, amount in dues(after).items() if amount is not None}
        assert still_due.items() <= due.items(), day.table_id
        assert set(after.findings["code"]) - {UNVERIFIED} <= MISSING, day.table_id
        judged += len(still_due)
    assert judged > 1000


SHOE = "option:decks=6 shuffle:1:hand:6 cut:1:player white:1:60 !-?? !-?? !-?? !-?? !-?? !-??"
PLAYED = "#{} 1.main=100@p1 nomore 1+5c B+6h 1+8d 1.hit 1+9s B+Tc B+3d 1.main>-100@p1 end"


def test_a_shoe_that_was_begun_to_be_made_ready_may_have_been_made_so_in_events_that_are_lost() -> None:
    """Any stretch of the events from the shuffle to the end of the first round is lost; the second one is whole."""
    text = f"open:black_jack:MOP:7=0 {SHOE} {PLAYED.format(1)} {PLAYED.format(2)} #- close=100"
    events = list(parse_events(text, gaming_day=DAYS[0]))
    first = next(at for at, event in enumerate(events) if event.kind == "ShoeShuffled")
    last = max(at for at, event in enumerate(events) if event.round == 1)
    stretches = [(begin, end) for begin in range(first, last + 1) for end in range(begin + 1, last + 2)]
    incomplete = [TableDay("T1", DAYS[0], columns_of(events[:begin] + events[end:])) for begin, end in stretches]
    for stretch, after in zip(stretches, replay_table_days(incomplete), strict=True):
        assert set(after.findings["code"]) <= {*MISSING, "SHUFFLE_NOT_SEEN"}, stretch
    assert len(stretches) > 150


@pytest.mark.parametrize(
    ("shoe", "code"),
    [
        (SHOE.replace("cut:1:player ", ""), "CUT_MISSING"),
        (SHOE.replace("white:1:60 ", ""), "WHITE_CARD_MISSING"),
        (SHOE.replace(" !-??", "", 1), "BURN_MISSING"),
    ],
)
def test_art2_n2_art4_n1_a_shoe_not_made_ready_is_found_though_an_earlier_round_lacks_events(
    shoe: str, code: str
) -> None:
    """The events lost are those before the shuffle."""
    text = f"open:black_jack:MOP:7=0 {SHOE} {PLAYED.format(1)} {shoe.replace('1:', '2:', 3)} {PLAYED.format(2)} #- close=100"
    events = list(parse_events(text, gaming_day=DAYS[0]))
    after = replay_frame(
        columns_of([event for event in events if event.kind != "WagersClosed" or event.round != 1]), DAYS[0]
    )
    assert code in set(after.findings["code"])


@pytest.mark.parametrize("lost", ["RoundClosed", "ShoeCut"])
def test_art2_n2_1_a_white_card_is_out_if_no_events_are_lost_since_its_shoe_was_shuffled(lost: str) -> None:
    """Twelve cards lie before it: six are burned, six dealt in round 2. What is lost right before the shuffle took none of
    them; behind it cards may have been taken."""
    deals = " ".join(PLAYED.format(number) for number in (2, 3, 4))
    shoe = SHOE.replace("option:decks=6 ", "").replace("1:", "2:").replace("2:60", "2:300")
    text = f"open:black_jack:MOP:7=0 {SHOE} {PLAYED.format(1)} #- {shoe} {deals} #- close=100"
    events = list(parse_events(text, gaming_day=DAYS[0]))
    at = [event.seq for event in events if event.kind == lost][lost == "ShoeCut"]
    after = replay_frame(columns_of([event for event in events if event.seq != at]), DAYS[0])
    late = after.findings.filter(after.findings["code"] == "ROUND_AFTER_WHITE_CARD")["round"].to_list()
    assert late == ([4] if lost == "RoundClosed" else [])


FORTUNE = (
    "open:fortune_3_card_poker:MOP:7=0 shuffle:1:machine:1 #1 1.ante=100@p1 nomore 1-9c 1-8c 1-Td B-2c B-4d B-Ac 1.raise "
    "1.raise=100@p1 B^2c B^4d B^Ac 1^9c 1^8c 1^Td 1.ante>+100@p1 1.raise>+100@p1 end #- close=0"
)


def test_78_art11_n1_a_round_of_which_a_card_is_lost_is_not_void_for_a_card_too_few() -> None:
    events = list(parse_events(FORTUNE, gaming_day=DAYS[1]))
    dealt = [event.seq for event in events if event.kind == "CardDealt"]
    for seq in dealt:
        after = replay_frame(columns_of([event for event in events if event.seq != seq]), DAYS[1])
        assert after.rounds["status"].to_list() == ["incomplete"]
        assert after.wagers["status"].to_list() == ["unjudged", "unjudged"]


STREAK = "open:black_jack:MOP:7=0 option:side_streak=on shuffle:1:hand:6 {} #- close=0"
ROUND = "#{} 1.main=100@p1 {} nomore 1+Tc B+6h 1+9d 1.stand B+Tc B+Ks 1.main=100>100@p1 {} end"


@pytest.mark.parametrize(("played", "due"), [(("streak_2=50", ""), None), (("streak_2=50", "", ""), 150_00)])
@pytest.mark.parametrize("lost", [True, False])
def test_art13_n5_2_a_streak_may_have_gone_on_and_been_settled_in_a_last_round_that_is_lost(
    played: tuple[str, ...], due: int | None, lost: bool
) -> None:
    """Two rounds are won, and the streak is settled in the last one: the deciding one, or one after it. Without it the streak is
    not open at the table's closing, which would return it (BJ-51), nor is it said that it was never settled."""
    last = len(played)
    rounds = [
        ROUND.format(number, f"1.{placed}@p1" if placed else "", "1.streak_2=50>150@p1" if number == last else "")
        for number, placed in enumerate(played, 1)
    ]
    events = list(parse_events(STREAK.format(" ".join(rounds)), gaming_day=DAYS[0]))
    left = [event for event in events if not lost or event.round != last]
    after = replay_frame(columns_of(left), DAYS[0])
    streak = after.wagers.filter(after.wagers["wager"] == "streak_2")
    assert streak["due_minor"].to_list() == [due if lost else 150_00]
    assert "WAGER_UNSETTLED" not in set(after.findings["code"])


def test_numbers_left_out_behind_the_closing_excuse_no_streak_that_was_never_settled() -> None:
    text = STREAK.format(ROUND.format(1, "1.streak_2=50@p1", "") + " " + ROUND.format(2, "", ""))
    *events, closed = parse_events(text, gaming_day=DAYS[0])
    counted = replace(closed, seq=closed.seq + 5, kind="DropCounted")
    after = replay_frame(columns_of([*events, closed, counted]), DAYS[0])
    assert {"SEQUENCE_GAP", "WAGER_UNSETTLED"} <= set(after.findings["code"])
