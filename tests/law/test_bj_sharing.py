"""Black Jack: who decides on a shared seat (57/2009 art. 20, 141/2000 art. 14), and the limit of a whole table (5(2)(3)(8))."""

from __future__ import annotations

import datetime as dt

import pytest

from replayer.columns import columns_of
from replayer.game import Bet, Rules
from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.rulings import Readings
from replayer.replay import replay_table_day
from schemas.notation import parse_events

SEATED = Bet("sits", 0, 100)
NEAR = Bet("near", 1, 300)
FAR = Bet("far", 2, 300)


def rules(mode: str, regulation: object = DSEF_57_2009) -> Rules:
    options, faults = GAME.options({"shared_seat": mode}, regulation)
    assert not faults
    return Rules(regulation, options, Readings())


def refused(mode: str, *bets: Bet, action: str = "hit", regulation: object = DSEF_57_2009) -> set[str]:
    """The bettors whose decision is a finding."""
    under = rules(mode, regulation)
    return {bet.player for bet in bets if GAME.judge_decider(action, bet.player, bets, under)}


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


def test_art20_each_bettor_claims_his_own_money() -> None:
    for claim in ("insurance", "even_money", "five_card_half"):
        assert refused("seated_decides", SEATED, NEAR, action=claim) == set()


def test_art20_n1_citations() -> None:
    for mode, article in (("seated_decides", "20(1)(1)"), ("max3_seated_or_nearest", "20(1)(2)")):
        breach = GAME.judge_decider("hit", "near", (SEATED, NEAR), rules(mode))
        assert breach is not None
        assert breach.article == f"57/2009 art. {article}"


def test_141_2000_art14_the_highest_bettor_decides() -> None:
    assert refused("highest_bet_decides", SEATED, NEAR, regulation=DCE_141_2000) == {"sits"}
    breach = GAME.judge_decider("hit", "sits", (SEATED, NEAR), rules("highest_bet_decides", DCE_141_2000))
    assert breach is not None
    assert breach.article == "141/2000 art. 14"


DAY = dt.date(2009, 6, 1)
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
    found = replay_table_day(columns_of(events), "T1", DAY).findings
    kinds = {event.seq: event.wager.kind for event in events if event.wager}
    assert [kinds[seq] for seq in found.filter(found["code"] == "TABLE_LIMIT_EXCEEDED")["seq"]] == beyond


def test_art5_n2_3_8_the_limit_is_one_of_procedure_3() -> None:
    events = parse_events(ROUND.format(procedure=1, second=250, double=300), gaming_day=DAY)
    found = replay_table_day(columns_of(events), "T1", DAY).findings
    assert "TABLE_LIMIT_EXCEEDED" not in found["code"].to_list()
