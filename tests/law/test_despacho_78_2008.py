"""Fortune 3 Card Poker as 78/2008 made it, clause by clause, beside ``cases/fortune.txt``."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from itertools import combinations, permutations

import pytest

from replayer.contract.cards import Card, card_of
from replayer.contract.outcomes import Judgement
from replayer.contract.symbols import BANK_OPEN, BETS_CLOSED, CARD_DEALT
from replayer.contract.wagers import StakeSituation, WagerSituation
from replayer.law.fortune_3_card_poker import GAME
from replayer.law.fortune_3_card_poker.cards import HANDS, hand_of
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from replayer.law.rulings import readings_by
from schemas.cards import DECK
from tests.law.notation import cards, judge_round, judge_seat
from tests.law.outcomes import croupier as croupier_of
from tests.law.outcomes import hand as player_of
from tests.law.outcomes import three
from tests.law.rules import rules

WHOLE_DECK = [card_of(name) for name in DECK]


def codes(judgement: Judgement) -> list[str]:
    return [breach.code for breach in judgement.breaches]


def round_codes(history: str, readings: dict[str, str] | None = None, **elected: str) -> list[str]:
    return codes(judge_round(GAME, history, rules(DSEF_78_2008, readings, **elected)))


def stake_codes(elected: dict[str, str] | None = None, **situation: object) -> list[str]:
    values: dict[str, object] = {"kind": "ante", "hand": 0, "moment": 0, "stake_minor": 10000, "base_minor": 10000}
    made = StakeSituation(**{**values, "position": 0, **situation})  # type: ignore[arg-type]
    return codes(GAME.placing.judge(made, rules(DSEF_78_2008, **(elected or {}))))


def test_every_article_has_its_place_in_the_order_of_the_law() -> None:
    held = [provision for field in fields(DSEF_78_2008) if (provision := getattr(DSEF_78_2008, field.name))]
    assert held == [*DSEF_78_2008.provisions.values()]
    assert [provision.cite() for provision in held] == [f"78/2008 art. {number}" for number in range(1, 12)]


def test_art5_kinds_of_bets() -> None:
    assert stake_codes(kind="pair_plus") == []
    assert stake_codes(kind="any_pair") == ["F3_WAGER_UNKNOWN"]


def test_art6_n1_posted_limits() -> None:
    limits = {"ante_min": "100", "ante_max": "500", "pair_plus_min": "50"}
    assert stake_codes(limits, stake_minor=10000) == []
    assert stake_codes(limits, stake_minor=9999) == ["F3_LIMIT"]
    assert stake_codes(limits, stake_minor=50001) == ["F3_LIMIT"]
    assert stake_codes(limits, kind="pair_plus", stake_minor=5000) == []


def test_art6_n2_own_hand_only() -> None:
    assert stake_codes(position=1) == ["F3_JOINT_BET"]
    assert stake_codes(seats=2) == ["F3_TWO_PLACES"]
    assert stake_codes(kind="pair_plus", seats=2, base_minor=None) == ["F3_TWO_PLACES"]
    assert stake_codes(kind="pair_plus", seats=2) == []  # its ante was found


def test_art6_n3_no_bets_after_the_first_card() -> None:
    assert stake_codes(moment=0) == []
    assert stake_codes(moment=BETS_CLOSED) == ["WAGER_AFTER_CLOSE"]
    assert stake_codes(moment=CARD_DEALT) == ["WAGER_AFTER_CLOSE"]
    assert stake_codes(kind="raise", moment=BETS_CLOSED + CARD_DEALT) == []
    assert stake_codes({"not_recorded": "close"}, moment=CARD_DEALT) == []


@pytest.mark.parametrize("kind", ["ante", "pair_plus"])
def test_art9_a_payment_is_too_early_only_where_the_log_tells_the_order(kind: str) -> None:
    played = WagerSituation(kind, 0, player_of("raised KT4"), croupier_of("QJ2"))
    told, untold = rules(DSEF_78_2008), rules(DSEF_78_2008, not_recorded="deal_order")
    assert GAME.settlement.due(played, told).timing is not None
    assert GAME.settlement.due(played, untold).timing is None


def test_art8_counts_of_all_hands() -> None:
    found = Counter(
        DSEF_78_2008.combinations.combination(
            hand_of(each), {"F3-1": "top_sf", "F3-2": "lowest", "F3-3": "not_all_same"}.__getitem__
        )
        for each in combinations(WHOLE_DECK, 3)
    )
    # 12 sequences of 4 suits; 13 ranks of 4 choose 3; 12 of 4**3 less 4; (286 - 12) of 4; 13 pairs of 6 by 12 by 4.
    assert found == {
        "straight flush": 48,
        "trio": 52,
        "straight": 720,
        "flush": 1096,
        "pair": 3744,
        "three odd cards": 16440,
    }


def test_a_hand_is_written_alike_in_any_order_and_suits() -> None:
    for dealt in map(cards, ("9c Kd 9h", "2s Ks 7s", "Ah 2h 3c", "Qd Jc Th")):
        for suits in permutations("cdhs"):
            swap = dict(zip("cdhs", suits, strict=True))
            for order in permutations(dealt):
                assert hand_of(Card(rank, swap[suit]) for rank, suit in order) == hand_of(dealt)
    assert set(HANDS) == {hand_of(each) for each in combinations(WHOLE_DECK, 3)}


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("AKQs", "KQJs"),  # 4(2)
        ("KQJs", "32As"),  # 8(1)
        ("32As", "AAA"),
        ("KKK", "QQQ"),  # 8(2)
        ("222", "AKQ"),
        ("AKQ", "KQJ"),  # 8(3)
        ("432", "32A"),
        ("32A", "AKJs"),
        ("T75s", "T74s"),  # 8(4)
        ("532s", "AAK"),
        ("AA2", "KKA"),  # 8(5)
        ("TT6", "TT5"),
        ("22A", "AKJ"),
        ("AK9", "AQJ"),  # 8(6)
        ("985", "984"),
    ],
)
def test_art8_higher_hands(higher: str, lower: str) -> None:
    readings = readings_by()
    assert DSEF_78_2008.combinations.compare(three(higher), three(lower), readings) > 0
    assert DSEF_78_2008.combinations.compare(three(lower), three(higher), readings) < 0
    assert DSEF_78_2008.combinations.compare(three(higher), three(higher), readings) == 0


def seat(history: str, elected: dict[str, str] | None = None) -> Judgement:
    return judge_seat(GAME, history, rules(DSEF_78_2008, **(elected or {})))


def test_art9_n2_a_decision_is_judged_by_what_lay_there_when_it_was_made() -> None:
    late = seat("? $pair_plus -9c -Td -2h .hit .raise .fold $ante $raise")
    assert {breach.message for breach in late.breaches} == {"hit without an ante", "fold without an ante"}
    assert codes(seat("? $ante .hit")) == ["F3_DECISION_FORBIDDEN"]  # no cards came to decide on: nothing is missing


def test_art9_n4_raise_exactly_the_ante() -> None:
    dealt = {"kind": "raise", "moment": BETS_CLOSED + CARD_DEALT}
    assert stake_codes(**dealt, stake_minor=10000, base_minor=10000) == []
    assert stake_codes(**dealt, stake_minor=10001, base_minor=10000) == ["F3_RAISE_AMOUNT"]
    assert stake_codes(**dealt, base_minor=None) == ["F3_RAISE_AMOUNT"]
    assert stake_codes(kind="raise", moment=0) == ["F3_RAISE_EARLY"]
    assert stake_codes(kind="raise", moment=CARD_DEALT + BANK_OPEN) == ["F3_RAISE_LATE"]


def test_art11_n1_a_round_declared_void_was_remedied() -> None:
    assert round_codes("w:1 fresh 1- 1- 1- 1- void end") == []
    assert GAME.settlement.void("", rules(DSEF_78_2008)).odds == 0
    assert GAME.settlement.void("", rules(DSEF_78_2008)).article == "78/2008 art. 11(1)"
    assert round_codes("w:1 fresh 1- 1- 1- B- B- B- void end") == ["F3_VOID_UNFOUNDED"]


def test_options_that_contradict_the_law() -> None:
    options, faults = GAME.options({"shuffle": "hand", "deal": "machine"}, DSEF_78_2008)
    assert options.deal == "shoe"
    assert [fault.name for fault in faults] == ["deal"]


def test_settled_doubts_are_named_where_they_arise() -> None:
    held = rules(DSEF_78_2008)
    with held.readings.consulted() as ids:
        GAME.placing.judge(StakeSituation("raise", 0, CARD_DEALT, 100, 100, 0), held)
        assert ids == {"F3-13"}
    with held.readings.consulted() as ids:
        GAME.placing.judge(StakeSituation("ante", 0, 0, 100, None, 0, seats=2), held)
        assert ids == {"F3-14"}
    with held.readings.consulted() as ids:
        judge_round(GAME, "w:1 fresh shuffle:hand:1 cut:bank 1- B- 1- B- 1- B- 1. B^ end", held)
        assert ids == {"F3-15"}
