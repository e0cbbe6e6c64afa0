"""Black Jack: who decides on a shared seat (57/2009 art. 20, 141/2000 art. 14), and the limit of a whole table (5(2)(3)(8))."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence

import pytest

from replayer.columns import columns_of
from replayer.engine.rules_in_force import ReplaySettings
from replayer.integrity.log import TableDay
from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.verdicts.replay import Replayed, replay_table_days
from replayer.wagers import Bet
from schemas.notation import parse_events
from tests.law.rules import rules
from tests.texts import frame_of, replay_frame, replay_text, table_day_of

DAY = dt.date(2009, 6, 1)
SEATED = Bet("sits", 0, 100)
NEAR = Bet("near", 1, 300)
FAR = Bet("far", 2, 300)


def refused(
    mode: str,
    *bets: Bet,
    action: str = "hit",
    regulation: object = DSEF_57_2009,
    readings: dict[str, str] | None = None,
) -> set[str]:
    """The bettors whose decision is a finding."""
    under = rules(regulation, readings, shared_seat=mode)
    deciders = GAME.shared_seats.deciders(bets, under)
    return {bet.player for bet in bets if GAME.shared_seats.judge(action, bet.player, deciders, under)}


@pytest.mark.parametrize(
    ("mode", "bets", "others"),
    [
        ("seated_decides", (SEATED, NEAR), {"near"}),
        ("seated_decides", (NEAR, FAR), set()),  # nobody is seated: the text does not say who decides
        ("max3_seated_or_nearest", (SEATED, NEAR, FAR), {"near", "far"}),
        ("max3_seated_or_nearest", (NEAR, FAR), {"far"}),
        ("highest_bet_decides", (SEATED, NEAR), {"sits"}),
        ("highest_bet_decides", (SEATED, NEAR, FAR), {"sits"}),  # two equal highest of three: not regulated
        ("highest_bet_decides", (SEATED, Bet("near", 1, 100)), {"near"}),  # equal: the occupant
    ],
)
def test_art20_n1_who_decides(mode: str, bets: tuple[Bet, ...], others: set[str]) -> None:
    assert refused(mode, *bets) == others


def test_art20_nothing_is_said_where_the_log_does_not_tell_who_sits() -> None:
    assert refused("seated_decides", Bet("a", None, 100), Bet("b", None, 200)) == set()


def test_bj71_each_bettor_claims_insurance_and_even_money_for_himself() -> None:
    for claim in ("insurance", "even_money", "special_prize"):
        assert refused("seated_decides", SEATED, NEAR, action=claim) == set()


@pytest.mark.parametrize(("reading", "others"), [("decider", {"near"}), ("each", set())])
def test_bj70b_who_asks_for_half_on_five_cards(reading: str, others: set[str]) -> None:
    assert refused("seated_decides", SEATED, NEAR, action="five_card_half", readings={"BJ-70b": reading}) == others


SHARED = "1.main=100@sits/0 1.main=100@near/1 nomore {} end"
BLACK_JACK = "1+Ac B+Ah 1+Kd {} B+{}"
FIVE_CARDS = "1+2c B+9h 1+2d 1.hit@sits 1+3c 1.hit@sits 1+4c 1.hit@sits 1+5c 1.five_card_half@{} B+8h"


def dues(text: str, readings: dict[str, str] | None = None) -> dict[str, tuple[float | None, set[str]]]:
    """What the main wager of each bettor on a shared seat is due, and on which rulings it hangs."""
    words = f"open:black_jack:MOP:7=0 shuffle:1:machine:6 #1 {text} #- close=0"
    day = replay_text(words, DAY, ReplaySettings(readings=readings or {}))
    assert "DECISION_AFTER_FINAL" not in day.findings["code"].to_list()
    rows = day.wagers.select("player", "due_minor", "rulings").rows()
    return {player: (due and due / 100, set(rulings.split())) for player, due, rulings in rows}


@pytest.mark.parametrize(
    ("asked", "bank", "expected"),
    [
        ("1.even_money@sits", "9h", {"sits": 100, "near": 150}),  # art. 10(3) for one, 10(2) for the other
        ("1.even_money@sits", "Kh", {"sits": 100, "near": 0}),  # both have Black Jack: art. 11(1)(1)
        ("1.even_money@near", "Kh", {"sits": 0, "near": 100}),
        ("1.even_money@sits 1.even_money@near", "Kh", {"sits": 100, "near": 100}),
        ("1.even_money@near 1.stand@sits", "9h", {"sits": 150, "near": 100}),
        ("1.even_money", "Kh", {"sits": None, "near": None}),  # whose it was is not told
        ("1.{no, thank you}@near 1.even_money@sits", "9h", {"sits": 100, "near": 150}),
    ],
)
def test_bj71_even_money_is_paid_to_the_one_who_asked(asked: str, bank: str, expected: dict[str, float | None]) -> None:
    told = dues(SHARED.format(BLACK_JACK.format(asked, bank)))
    assert told == {player: (due, set()) for player, due in expected.items()}


def test_bj49_the_even_money_of_one_is_a_win_in_his_streak_and_not_in_that_of_another_on_the_seat() -> None:
    """Black Jack against Black Jack, which the others tie (art. 11(2)); then a round that all win."""
    streaks = "1.streak_2=10@sits/0 1.streak_2=10@near/1"
    text = f"#1 {SHARED.replace('nomore', f'{streaks} nomore').format(BLACK_JACK.format('1.even_money@sits', 'Kh'))} #2 {WON}"
    option = "option:side_streak=on:DICJ-1:2009-05-04:2009-05-20:2009-06-01"
    words = f"open:black_jack:MOP:7=0 {option} shuffle:1:machine:6 {text} #- close=0"
    wagers = replay_text(words, DAY).wagers
    of_streaks = wagers.filter(wagers["wager"] == "streak_2").select("player", "due_minor")
    assert of_streaks.rows() == [("sits", 30_00), ("near", 0)]


WON = SHARED.format("1+Tc B+9h 1+Td 1.stand@sits B+8h")


def test_art20_who_decided_in_a_round_that_lacks_an_event_is_not_judged() -> None:
    text = SHARED.format("1+Tc B+9h 1+2d 1.hit@near 1+5d 1.stand@sits B+8h")
    words = f"open:black_jack:MOP:7=0 shuffle:1:machine:6 #1 {text} #- close=0"
    events = list(parse_events(words, gaming_day=DAY))
    lacking = [event for event in events if event.card is None or event.card.card != "5d"]
    for log, judged in ((events, True), (lacking, False)):
        found = replay_frame(columns_of(log), DAY).findings["code"].to_list()
        assert ("DECISION_OF_ANOTHER" in found) is judged


@pytest.mark.parametrize(
    "cards", ["1+Ac B+{up} 1+Kd", "1-Ac B+{up} 1-Kd", "1+Ac B+{up} 1+5d", "1-7c B+{up} 1-7d 1^7c 1-7h 1^7h"]
)
@pytest.mark.parametrize("up", ["Ah", "9h"])
def test_bj71_who_claims_for_himself_is_due_what_he_would_be_due_alone(cards: str, up: str) -> None:
    """Whatever the others claim before him and behind him, and whatever rule they break."""
    dice, bettors = random.Random(cards + up), ("a", "b", "c", "d")
    common = ["1.hit", "1+2c", "1+3c", "1.insurance", "1.stand", "1-4s", "1.{no, thank you}"]
    rounds: list[list[tuple[str, str]]] = []
    for _ in range(4):
        played: list[tuple[str, str]] = []
        for _ in range(dice.randint(4, 9)):
            claim = f"1.{dice.choice(['even_money', 'special_prize', 'decline_special_prize'])}"
            played.append((dice.choice(bettors), claim) if dice.random() < 0.6 else ("", dice.choice(common)))
        rounds.append(played)

    def told(of: Sequence[str], played: Sequence[tuple[str, str]]) -> TableDay:
        """The round with some of the bettors, where no other one is there."""
        bets = " ".join(f"1.main=100@{one}/{number}" for number, one in enumerate(of))
        acts = " ".join(f"{act}@{by}" if by else act for by, act in played if not by or by in of)
        text = f"{bets} nomore {cards.format(up=up)} {acts} B+Th end"
        words = f"open:black_jack:MOP:7=0 {CHOSEN} shuffle:1:machine:6 #1 {text} #- close=0"
        return table_day_of(words, DAY)

    there = [[bettors, *((one,) for one in sorted({by for by, _ in played if by}))] for played in rounds]
    judged = iter(
        replay_table_days([told(of, played) for of_all, played in zip(there, rounds, strict=True) for of in of_all])
    )
    for (_, *claimed), played in zip(there, rounds, strict=True):
        of_hands = due_of(next(judged))
        for (one,) in claimed:
            assert due_of(next(judged))[one] == of_hands[one], (played, one)


def due_of(day: Replayed) -> dict[str, tuple[int | None, str | None]]:
    """What each bettor is due, or why it is not told."""
    return {player: (due, why) for player, due, why in day.wagers.select("player", "due_minor", "reason").rows()}


CHOSEN = "option:even_money=yes option:special_prizes=yes"
SPLIT = "1+8c B+Th 1+8d 1.split 1b.split=100@sits {}1+2d 1.stand 1b+Td 1b.hit 1b+9d B+Ad"


@pytest.mark.parametrize(
    ("follows", "near"),
    [
        ("", (-100,)),  # one bet and no hand over 21 beside it: the initial bet is lost
        ("1b.split=100@near ", (0, -100)),  # of two bets one is lost, by the hand over 21
    ],
)
def test_bj71_a_bettor_who_did_not_split_is_spared_nothing(follows: str, near: tuple[int, ...]) -> None:
    """57/2009 art. 16(6) spares the player who has split; what has bust counts towards his loss alone (BJ-12)."""
    words = f"open:black_jack:MOP:7=0 shuffle:1:machine:6 #1 {SHARED.format(SPLIT.format(follows))} #- close=0"
    wagers = replay_text(words, DAY).wagers
    due = {player: tuple(wagers.filter(wagers["player"] == player)["due_minor"] // 100) for player in ("sits", "near")}
    assert due == {"sits": (0, -100), "near": near}


@pytest.mark.parametrize(
    "play",
    [
        "1+5c B+6h 1+6d 1.split 1b.split=100@sits 1.hit 1+9s 1.stand",  # 5 and 9 against 19, not 5, 6 and 9
        "1+5c B+6h 1+6d 1b.split=100@sits 1.split 1.hit 1+9s 1.stand",
        "1+5c B+6h 1+6d 1.split 1b.split=100@sits 1.hit 1+4s 1~4s 1+9s 1.stand",
        "1+9c B+6h 1+7d 1.even_money@near 1.double 1.double=100@sits 1.surrender",  # a doubled hand is not given up
    ],
)
def test_art16_n1_and_17_n1_the_stake_of_one_shows_that_what_was_refused_was_carried_out_for_all(play: str) -> None:
    option = "option:double_modes=eleven:DICJ-1:2009-05-04:2009-05-20:2009-06-01"
    words = f"open:black_jack:MOP:7=0 {option} shuffle:1:machine:6 #1 {SHARED.format(f'{play} B+Td B+3d')} #- close=0"
    wagers = replay_text(words, DAY).wagers.filter(wager="main")
    assert wagers.select("player", "due_minor").rows() == [("sits", -100_00), ("near", -100_00)]


@pytest.mark.parametrize(
    ("reading", "by", "expected"),
    [
        ("decider", "sits", {"sits": 50, "near": 50}),
        ("each", "sits", {"sits": 50, "near": -100}),  # 16 against 17
        ("each", "near", {"sits": -100, "near": 50}),
    ],
)
def test_bj70b_half_for_five_cards_for_all_or_for_who_asked(reading: str, by: str, expected: dict[str, float]) -> None:
    told = dues(SHARED.format(FIVE_CARDS.format(by)), {"BJ-70b": reading})
    assert {player: due for player, (due, _) in told.items()} == expected
    assert all("BJ-70b" in rulings for _, rulings in told.values())


@pytest.mark.parametrize("reading", ["decider", "each"])
@pytest.mark.parametrize("claim", ["even_money", "five_card_half", "insurance"])
def test_bj71_a_claim_that_names_nobody_and_that_nobody_has_leaves_the_dues_known(claim: str, reading: str) -> None:
    """17 in two cards against 18: art. 9 for both, whoever asked."""
    told = dues(SHARED.format(f"1+9c B+Ah 1+8d 1.{claim} 1.stand B+7h"), {"BJ-70b": reading})
    assert {player: due for player, (due, _) in told.items()} == {"sits": -100, "near": -100}


def test_bj70b_half_for_five_cards_that_names_nobody_hangs_on_the_ruling_under_either_reading() -> None:
    asked = SHARED.format(FIVE_CARDS.replace("@{}", ""))
    for reading, due in (("decider", 50), ("each", None)):
        told = dues(asked, {"BJ-70b": reading})
        assert {player: due for player, (due, _) in told.items()} == {"sits": due, "near": due}
        assert all("BJ-70b" in rulings for _, rulings in told.values())


@pytest.mark.parametrize(
    ("by", "expected"),
    [("@sits", {"decider": 30, "each": -10}), ("", {"decider": 30, "each": None})],  # 16 against 17, if he did not ask
)
def test_bj70b_and_bj48_a_streak_hangs_on_whose_half_for_five_cards_is(
    by: str, expected: dict[str, float | None]
) -> None:
    """Two rounds for him who did not ask: one that is won, then half for five cards, a win of all bettors or of one."""
    won = SHARED.format("1+Tc B+6h 1+Td 1.stand@sits B+Ts B+2c").replace("nomore", "1.streak_2=10@near nomore")
    half = SHARED.format(FIVE_CARDS.replace("@{}", by))
    option = "option:side_streak=on:DICJ-1:2009-05-04:2009-05-20:2009-06-01"
    words = f"open:black_jack:MOP:7=0 {option} shuffle:1:machine:6 #1 {won} #2 {half} #- close=0"
    frame = frame_of(words, DAY)
    for reading, due in expected.items():
        wagers = replay_frame(frame, DAY, ReplaySettings(readings={"BJ-70b": reading})).wagers
        [(minor, rulings)] = wagers.filter(wager="streak_2").select("due_minor", "rulings").rows()
        assert (minor and minor / 100, "BJ-70b" in rulings.split()) == (due, True)


def test_art20_n1_citations() -> None:
    for mode, article in (("seated_decides", "20(1)(1)"), ("max3_seated_or_nearest", "20(1)(2)")):
        law = rules(shared_seat=mode)
        breach = GAME.shared_seats.judge("hit", "near", GAME.shared_seats.deciders((SEATED, NEAR), law), law)
        assert breach is not None
        assert breach.article == f"57/2009 art. {article}"


def test_141_2000_art14_the_highest_bettor_decides() -> None:
    assert refused("highest_bet_decides", SEATED, NEAR, regulation=DCE_141_2000) == {"sits"}
    law = rules(DCE_141_2000, shared_seat="highest_bet_decides")
    breach = GAME.shared_seats.judge("hit", "sits", GAME.shared_seats.deciders((SEATED, NEAR), law), law)
    assert breach is not None
    assert breach.article == "141/2000 art. 14"


ROUND = """open:black_jack:MOP:7=0 option:deal_procedure={procedure}:DICJ-1:2009-05-04:2009-05-20:2009-06-01
    option:p3_table_limit=500:DICJ-1:2009-05-04:2009-05-20:2009-06-01
shuffle:1:hand:6 cut:1:player white:1:60 !-?? !-?? !-?? !-?? !-?? !-??
#1 1.main=300@p1 2.main={second}@p2 nomore 1+5c 2+9h B+6h 1+6d 2+8s B-?? 1.double 1.double={double}@p1 1+2s 2.stand
B^Tc B+5d 1.main>-300@p1 1.double>-{double}@p1 2.main>-{second}@p2 end #- close=0"""


@pytest.mark.parametrize(
    ("second", "double", "beyond"),
    [
        (200, 300, ["double"]),  # 500 is the limit, and the double is beyond it
        (250, 300, ["main"]),  # found once, at the wager that goes beyond
    ],
)
def test_art5_n2_3_8_the_first_wager_beyond_the_tables_limit(second: int, double: int, beyond: list[str]) -> None:
    events = list(parse_events(ROUND.format(procedure=3, second=second, double=double), gaming_day=DAY))
    found = replay_frame(columns_of(events), DAY).findings
    kinds = {event.seq: event.wager.kind for event in events if event.wager}
    assert [kinds[seq] for seq in found.filter(found["code"] == "TABLE_LIMIT_EXCEEDED")["seq"]] == beyond


def test_art5_n2_3_8_the_limit_is_one_of_procedure_3() -> None:
    found = replay_text(ROUND.format(procedure=1, second=250, double=300), DAY).findings
    assert "TABLE_LIMIT_EXCEEDED" not in found["code"].to_list()
