"""Fortune 3 Card Poker as 78/2008 made it, clause by clause. Expected values are read off the articles."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from fractions import Fraction
from itertools import combinations, permutations

import polars as pl
import pytest

from replayer.cards import Card, card_of
from replayer.law.fortune_3_card_poker import GAME
from replayer.law.fortune_3_card_poker.cards import HANDS, hand_of
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from replayer.law.rulings import Readings
from replayer.outcomes import Judgement, RoundOutcome
from replayer.rules import Rules
from replayer.symbols import BANK_OPEN, BETS_CLOSED, CARD_DEALT
from replayer.wagers import StakeSituation, Void, WagerSituation
from schemas.cards import DECK
from tests.law.notation import cards, judge_bank, judge_round, judge_seat
from tests.law.one_round import replay
from tests.law.outcomes import croupier as croupier_of
from tests.law.outcomes import hand as player_of
from tests.law.outcomes import three
from tests.law.rules import rules
from tests.law.states import open_to

WHOLE_DECK = [card_of(name) for name in DECK]

DEAL_TWO = "w:1,3 fresh shuffle:machine:1 nomore 1- 1- 1- 3- 3- 3- B- B- B- 1. 3. B^ pay end"


def due(kind: str, seat: str, bank: str, under: Rules | None = None) -> Fraction | None:
    return GAME.settlement.due(
        WagerSituation(kind, 0, player_of(seat), croupier_of(bank)), under or rules(DSEF_78_2008)
    ).odds


def asked(kind: str, seat: str, bank: str, under: Rules | None = None) -> set[str]:
    held = under or rules(DSEF_78_2008)
    with held.readings.consulted() as ids:
        due(kind, seat, bank, held)
        return set(ids)


def codes(judgement: Judgement) -> list[str]:
    return [breach.code for breach in judgement.breaches]


def round_codes(history: str, readings: dict[str, str] | None = None, **elected: str) -> list[str]:
    return codes(judge_round(GAME, history, rules(DSEF_78_2008, readings, **elected)))


def stake_codes(elected: dict[str, str] | None = None, **situation: object) -> list[str]:
    values: dict[str, object] = {"kind": "ante", "hand": 0, "moment": 0, "stake_minor": 10000, "base_minor": 10000}
    made = StakeSituation(**{**values, "position": 0, **situation})  # type: ignore[arg-type]
    return codes(GAME.placing.judge(made, rules(DSEF_78_2008, **(elected or {}))))


def verdicts(text: str, reading: str = "") -> pl.DataFrame:
    """The wagers of a round of a table-day, under a reading as ``id=reading``."""
    readings = dict([reading.split("=")]) if reading else {}
    return replay(text, "fortune_3_card_poker", "2008-09-01", readings).wagers


def test_every_article_has_its_place_in_the_order_of_the_law() -> None:
    names = [field.name for field in fields(DSEF_78_2008)]
    assert names == [f"art{number}" for number in range(1, 12)]
    for number, name in enumerate(names, 1):
        assert getattr(DSEF_78_2008, name).cite() == f"78/2008 art. {number}"


def test_art1_one_deck() -> None:
    assert round_codes(DEAL_TWO) == []
    assert round_codes(DEAL_TWO.replace("machine:1", "machine:2")) == ["F3_DECKS"]


def test_art2_seven_places_for_players() -> None:
    history = DEAL_TWO.replace("3", "7")
    assert round_codes(history) == []
    assert round_codes(DEAL_TWO.replace("3", "8")) == ["F3_PLACE"]


def test_art3_shuffled_before_every_round() -> None:
    assert round_codes(DEAL_TWO.replace(" fresh", "")) == ["F3_NOT_SHUFFLED"]
    assert round_codes(DEAL_TWO.replace("fresh", "unshuffled")) == ["F3_NOT_SHUFFLED"]
    held = judge_round(GAME, DEAL_TWO.replace(" fresh", ""), rules(DSEF_78_2008, not_recorded="shuffle"))
    assert codes(held) == []
    assert held.not_checked == ("shuffle",)


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("shuffle:hand:1 cut:player white:0", []),
        ("cut:bank shuffle:hand:1", []),  # F3-15: either order
        ("shuffle:hand:1", ["F3_CUT_MISSING"]),
        ("shuffle:hand:1 cut:player white:20", ["F3_CUT_CARD"]),
    ],
)
def test_art3_n1_shuffled_by_hand_and_cut(before: str, found: list[str]) -> None:
    history = f"w:1,3 fresh {before} 1- 3- B- 1- 3- B- 1- 3- B- 1. 3. B^ pay end"
    assert round_codes(history) == found


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


def test_art7_order_by_the_device() -> None:
    one_at_a_time = "w:1,3 fresh 1- 3- B- 1- 3- B- 1- 3- B- 1. 3. B^ pay end"
    assert round_codes(one_at_a_time, deal="shoe") == []
    assert round_codes(one_at_a_time, deal="machine") == ["F3_DEAL_ORDER"]
    assert round_codes(DEAL_TWO, deal="shoe") == ["F3_DEAL_ORDER"]
    from_the_right = DEAL_TWO.replace("1- 1- 1- 3- 3- 3-", "3- 3- 3- 1- 1- 1-")
    assert round_codes(from_the_right) == ["F3_DEAL_ORDER"]
    assert round_codes(from_the_right, not_recorded="deal_order") == []


IN_TURN = "1- 3- B- 1- 3- B- 1- 3- B- 1. 3. B^ pay end"
AT_ONCE = "1- 1- 1- 3- 3- 3- B- B- B- 1. 3. B^ pay end"


def test_art7_either_order_is_lawful_where_nothing_tells_what_is_dealt_from() -> None:
    """Neither house nor shuffle tells the shoe (7(1)) from the shuffler (7(2)): the bets are void only out of both orders."""
    assert round_codes(f"w:1,3 {IN_TURN}") == round_codes(f"w:1,3 {AT_ONCE}") == ["F3_NOT_SHUFFLED"]
    assert round_codes(f"w:1,3 {IN_TURN}", not_recorded="shuffle") == []
    for neither in ("1- 1- 3- 3- 3- 1- B- B- B-", "1- 3- 1- 3- 1- 3- B- B- B-", "3- 3- 3- 1- 1- 1- B- B- B-"):
        assert round_codes(f"w:1,3 {neither} 1. 3. B^ pay end") == ["F3_NOT_SHUFFLED", "F3_DEAL_ORDER"]
    assert round_codes(f"w:1,3 {IN_TURN}", shuffle="machine") == ["F3_NOT_SHUFFLED", "F3_DEAL_ORDER"]
    assert round_codes(f"w:1,3 {AT_ONCE}", shuffle="hand") == ["F3_NOT_SHUFFLED", "F3_DEAL_ORDER"]


def test_art7_cards_of_a_shoe_that_was_not_shuffled_again_are_paid_on() -> None:
    """K-K-4 against Q-8-3: even money on ante and raise (9(8)(4)), however the second round's cards lay in the shoe."""
    deal = "1.ante=100 nomore 1-Kd B-Qs 1-Kh B-8d 1-4c B-3c 1.raise 1.raise=100 B^Qs B^8d B^3c 1.ante>+100 1.raise>+100 end"
    two = replay(f"shuffle:1:hand:1 cut:1:player {deal} #2 {deal}", "fortune_3_card_poker", "2008-09-01")
    assert two.wagers.select("due_minor", "status").rows() == [(100_00, "judged")] * 4


def test_art7_n2_cards_shuffled_by_machine_come_from_it_at_a_table_that_shuffles_by_hand() -> None:
    by_machine = f"w:1,3 fresh shuffle:machine:1 {AT_ONCE}"
    assert round_codes(by_machine, shuffle="hand") == []
    assert round_codes(by_machine, shuffle="hand", deal="shoe") == ["F3_DEAL_ORDER"]


def test_art7_croupier_last_and_before_any_decision() -> None:
    late = "w:1 fresh 1- 1- 1- 1. B- B- B- B^ pay end"
    assert round_codes(late) == ["F3_DEAL_ORDER"]
    first = "w:1 fresh B- B- B- 1- 1- 1- 1. B^ pay end"
    assert round_codes(first) == ["F3_DEAL_ORDER"]


def test_art7_no_card_is_burned() -> None:
    assert round_codes(DEAL_TWO.replace("nomore", "!- nomore")) == ["F3_BURNED"]


# Art. 8: what a hand is and which is higher


def test_art8_counts_of_all_hands() -> None:
    found = Counter(
        DSEF_78_2008.art8.combination(hand_of(each), {"F3-1": "top_sf", "F3-2": "lowest", "F3-3": "not_all_same"})
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
    readings = Readings()
    assert DSEF_78_2008.art8.compare(three(higher), three(lower), readings) > 0
    assert DSEF_78_2008.art8.compare(three(lower), three(higher), readings) < 0
    assert DSEF_78_2008.art8.compare(three(higher), three(higher), readings) == 0


def test_f3_1_akq_suited() -> None:
    assert due("pair_plus", "alone AKQs", "") == 40
    assert due("pair_plus", "alone AKQs", "", rules(DSEF_78_2008, {"F3-1": "flush"})) == 4
    assert due("ante", "raised AKQs", "KQJs", rules(DSEF_78_2008, {"F3-1": "flush"})) == -1
    assert asked("pair_plus", "alone AKQs", "") == {"F3-1"}
    assert asked("pair_plus", "alone KQJs", "") == set()


def test_f3_2_wheel() -> None:
    ace_high = rules(DSEF_78_2008, {"F3-2": "ace_high_card"})
    assert due("ante", "raised 32A", "KQJ") == -1
    assert due("ante", "raised 32A", "KQJ", ace_high) == 1
    assert due("ante", "raised 32A", "AKQ", ace_high) == 0
    assert asked("ante", "raised 32A", "KQJ") == {"F3-2"}
    assert "F3-2" not in asked("ante", "raised 32A", "QQ2")  # a straight beats a pair under either reading


def test_f3_3_straight_of_two_suits() -> None:
    assert due("pair_plus", "alone 876t", "") == 5
    assert due("pair_plus", "alone 876t", "", rules(DSEF_78_2008, {"F3-3": "all_different"})) == -1
    assert due("pair_plus", "alone 876", "", rules(DSEF_78_2008, {"F3-3": "all_different"})) == 5
    assert due("ante", "raised 99K", "876t", rules(DSEF_78_2008, {"F3-3": "all_different"})) == 1
    assert asked("pair_plus", "alone 876t", "") == {"F3-3"}
    assert asked("pair_plus", "alone 876", "") == set()


def test_f3_4_equal_hands() -> None:
    for hand in ("KQJs", "AKQ", "T75s", "TT6", "AK9"):
        for kind in ("ante", "raise"):
            assert due(kind, f"raised {hand}", hand) == 0
            assert due(kind, f"raised {hand}", hand, rules(DSEF_78_2008, {"F3-4": "dealer"})) == -1
            assert "F3-4" in asked(kind, f"raised {hand}", hand)
    assert due("ante", "raised AK9", "AK9", rules(DSEF_78_2008, {"F3-4": "player"})) == 1


# Art. 9: the course of play


def seat(history: str, elected: dict[str, str] | None = None) -> Judgement:
    return judge_seat(GAME, history, rules(DSEF_78_2008, **(elected or {})))


def test_art9_n1_three_odd_cards_lose_pair_plus() -> None:
    assert due("pair_plus", "alone KT4", "") == -1


def test_art9_n2_the_player_decides_once() -> None:
    cards = "? $ante -9c -Td -2h"
    assert open_to(GAME, cards, 0, rules(DSEF_78_2008)) == {"raise", "fold"}
    assert open_to(GAME, "? $ante -9c -Td", 0, rules(DSEF_78_2008)) == frozenset()
    assert open_to(GAME, f"{cards} .raise", 0, rules(DSEF_78_2008)) == frozenset()
    assert open_to(GAME, "? $pair_plus -9c -Td -2h", 0, rules(DSEF_78_2008)) == frozenset()
    assert codes(seat(f"{cards} .raise $raise")) == []
    assert codes(seat(f"{cards} $raise .raise")) == []
    assert codes(seat(cards)) == ["F3_DECISION_MISSING"]
    assert codes(seat(cards, {"not_recorded": "decisions"})) == []
    assert codes(seat(f"{cards} .fold .raise $raise")) == ["F3_DECISION_FORBIDDEN"]
    assert codes(seat("? $ante -9c .fold -Td -2h")) == ["F3_DECISION_FORBIDDEN"]
    assert codes(seat(f"{cards} .hit .fold")) == ["F3_DECISION_FORBIDDEN"]
    assert codes(seat("? $pair_plus -9c -Td -2h .fold")) == ["F3_DECISION_FORBIDDEN"]
    decided = open_to(GAME, f"{cards} .hit", 0, rules(DSEF_78_2008))
    assert decided == {"raise", "fold"}  # what is no decision here, decides nothing


def test_art9_n2_a_decision_is_judged_by_what_lay_there_when_it_was_made() -> None:
    late = seat("? $pair_plus -9c -Td -2h .hit .raise .fold $ante $raise")
    assert {breach.message for breach in late.breaches} == {"hit without an ante", "fold without an ante"}
    assert codes(seat("? $ante .hit")) == ["F3_DECISION_FORBIDDEN"]  # no cards came to decide on: nothing is missing


def test_art9_n3_not_playing_loses_the_ante() -> None:
    judged = seat("? $ante -9c -Td -2h .fold")
    assert judged.outcome == player_of("folded T92")
    assert not judged.awaits_bank
    assert due("ante", "folded T92", "") == -1


def test_art9_n3_cards_of_a_folded_hand_need_not_be_known() -> None:
    judged = seat("? $ante -?? -?? -?? .fold")
    assert judged.unjudged == ""
    assert judged.outcome == player_of("folded ???")
    assert due("ante", "folded ???", "AKQ") == -1


def test_f3_8a_pair_plus_survives_a_fold() -> None:
    assert due("pair_plus", "folded 99K", "") == 1
    assert due("pair_plus", "folded 99K", "", rules(DSEF_78_2008, {"F3-8a": "all_bets"})) == -1
    assert asked("pair_plus", "folded 99K", "") == {"F3-8a"}
    assert asked("pair_plus", "folded KT4", "") == set()


def test_f3_16_pair_plus_alone_rests_on_no_decision_being_asked() -> None:
    """A pair of nines pays 1 to 1, with or without an ante beside it."""
    text = "2.pair_plus=100 {}nomore 2-9c 2-9d 2-4h B-Ts B-4d B-3h {}B^Ts B^4d B^3h end"
    for ante, play, ids in (("", "", "F3-16"), ("2.ante=100 ", "2.raise 2.raise=100 ", "")):
        wagers = verdicts(text.format(ante, play))
        told = wagers.filter(wagers["wager"] == "pair_plus").select("due_minor", "rulings").rows()
        assert told == [(100_00, ids)]


def test_art9_n4_raise_exactly_the_ante() -> None:
    dealt = {"kind": "raise", "moment": BETS_CLOSED + CARD_DEALT}
    assert stake_codes(**dealt, stake_minor=10000, base_minor=10000) == []
    assert stake_codes(**dealt, stake_minor=10001, base_minor=10000) == ["F3_RAISE_AMOUNT"]
    assert stake_codes(**dealt, base_minor=None) == ["F3_RAISE_AMOUNT"]
    assert stake_codes(kind="raise", moment=0) == ["F3_RAISE_EARLY"]
    assert stake_codes(kind="raise", moment=CARD_DEALT + BANK_OPEN) == ["F3_RAISE_LATE"]


def test_art9_n4_who_plays_must_raise() -> None:
    judged = seat("? $ante -9c -Td -2h .raise")
    assert judged.outcome == player_of("raised T92")
    assert codes(judged) == ["F3_RAISE_MISSING"]
    undecided = seat("? $ante -9c -Td -2h $raise")
    assert undecided.outcome == player_of("raised T92")
    assert codes(undecided) == ["F3_RAISE_UNDECIDED"]


@pytest.mark.parametrize(("croupier", "plays"), [("Q32", True), ("JT8", False), ("22J", True), ("JT9", True)])
def test_art9_n5_queen_or_better(croupier: str, plays: bool) -> None:
    assert due("raise", "raised 444", croupier) == (4 if plays else 0)


def test_f3_5_queen_as_a_card() -> None:
    card_only = rules(DSEF_78_2008, {"F3-5": "card_only"})
    for croupier, plays in (
        ("995", False),
        ("876", False),
        ("T75s", False),
        ("99Q", True),
        ("32A", True),
        ("Q32", True),
    ):
        assert due("raise", "raised 444", croupier, card_only) == (4 if plays else 0)
    assert "F3-5" in asked("ante", "raised AAA", "995")
    assert "F3-5" not in asked("ante", "raised AAA", "Q32")
    assert "F3-5" not in asked("ante", "raised AAA", "JT8")


def test_art9_n6_below_a_queen_ante_even_raise_returned() -> None:
    assert due("ante", "raised 532", "JT8") == 1
    assert due("raise", "raised 532", "JT8") == 0


def test_f3_10_no_table_when_the_croupier_does_not_play() -> None:
    assert due("ante", "raised KQJs", "JT8") == 1
    assert asked("ante", "raised KQJs", "JT8") == {"F3-10"}
    assert asked("ante", "raised AK9", "JT8") == set()


def test_art9_n7_higher_croupier_collects() -> None:
    assert due("ante", "raised KT4", "AT4") == -1
    assert due("raise", "raised KT4", "AT4") == -1


@pytest.mark.parametrize(("hand", "odds"), [("KQJs", 5), ("444", 4), ("KQJ", 1), ("AK9s", 1), ("99K", 1), ("AK9", 1)])
def test_art9_n8_table(hand: str, odds: int) -> None:
    for kind in ("ante", "raise"):
        assert due(kind, f"raised {hand}", "Q32") == odds


@pytest.mark.parametrize(
    ("reading", "ante", "raised"),
    [("both", 4, 4), ("ante_table_raise_even", 4, 1), ("even_plus_bonus", 5, 1), ("ante_table_raise_push", 4, 0)],
)
def test_f3_6_which_bets_the_table_pays(reading: str, ante: int, raised: int) -> None:
    # With 100 on each and a trio: +800, +500, +600, +400.
    held = rules(DSEF_78_2008, {"F3-6": reading})
    assert (due("ante", "raised 444", "Q32", held), due("raise", "raised 444", "Q32", held)) == (ante, raised)
    assert asked("ante", "raised AK9", "Q32", held) == set()  # one to one under every reading


# Art. 10


@pytest.mark.parametrize(
    ("hand", "odds"), [("KQJs", 40), ("444", 25), ("KQJ", 5), ("AK9s", 4), ("99K", 1), ("AK9", -1)]
)
def test_art10_pair_plus_prizes(hand: str, odds: int) -> None:
    assert due("pair_plus", f"raised {hand}", "AAA") == odds
    assert due("pair_plus", f"alone {hand}", "") == odds


def test_f3_16_pair_plus_alone() -> None:
    judged = seat("? $pair_plus -9c -9d -2h")
    assert judged.outcome == player_of("alone 992")
    assert codes(judged) == []
    assert not judged.awaits_bank


def test_art9_n3_a_raise_on_a_hand_that_folded() -> None:
    for history in ("? $ante -9c -9d -Jc .fold $raise", "? $ante -9c -9d -Jc $raise .fold"):
        judged = seat(history)
        assert (judged.outcome, codes(judged)) == (player_of("folded 99J"), ["F3_RAISE_UNDECIDED"])
    assert due("raise", "folded 99J", "KQ4") == 0
    assert codes(seat("? $ante -9c -9d -Jc .fold")) == []


# Art. 11


def test_art11_n1_wrong_number_voids_the_round() -> None:
    four = DEAL_TWO.replace("1- 1- 1-", "1- 1- 1- 1-")
    assert round_codes(four) == ["F3_CARD_NUMBER"]
    assert judge_round(GAME, four, rules(DSEF_78_2008)).outcome == RoundOutcome("78/2008 art. 11(1)")
    judged = seat("? $ante $pair_plus -9c -9d -2h -3c .raise $raise")
    assert judged.outcome == player_of("void")
    for kind in ("ante", "raise", "pair_plus"):
        assert due(kind, "void", "Q32") == 0
        assert due(kind, "raised 444", "void") == 0
    assert judge_bank(GAME, "hand -Qc -4d -3h -2h | ^Qc", rules(DSEF_78_2008)).outcome == croupier_of("void")


def test_art11_n1_a_round_declared_void_was_remedied() -> None:
    assert round_codes("w:1 fresh 1- 1- 1- 1- void:misdeal end") == []
    assert GAME.settlement.void("ante", Void(), rules(DSEF_78_2008)).odds == 0
    assert GAME.settlement.void("ante", Void(), rules(DSEF_78_2008)).article == "78/2008 art. 11(1)"
    assert round_codes("w:1 fresh 1- 1- 1- B- B- B- void:misdeal end") == ["F3_VOID_UNFOUNDED"]


def test_art11_n1_a_card_dealt_after_a_decision_is_ground_enough_to_declare_the_round_void() -> None:
    assert round_codes("w:1 fresh 1- 1- 1- B- B- 1. B- void:misdeal end") == []
    assert round_codes("w:1 fresh 1- 1- 1- B- B- 1. B- pay end") == ["F3_DEAL_ORDER"]


def test_art7_the_order_is_that_of_what_was_shuffled_before_the_deal_not_after_it() -> None:
    by_machine = "w:1 fresh shuffle:machine:1 1- 1- 1- B- B- B- 1. B^ pay"
    assert round_codes(f"{by_machine} shuffle:hand:1 cut:bank end") == []
    assert round_codes("w:1 fresh shuffle:machine:1 shuffle:hand:1 cut:bank 1- 1- 1- B- B- B- 1. B^ pay end") == [
        "F3_DEAL_ORDER"
    ]


def test_art11_n1_nothing_is_said_of_a_round_that_the_log_breaks_off() -> None:
    assert round_codes("w:1 fresh 1- 1-") == []


def test_art11_n2_exposed_card_of_a_player() -> None:
    exposed = DEAL_TWO.replace("3- 3- 3-", "3- 3+ 3-")
    assert round_codes(exposed) == ["F3_CARD_EXPOSED"]
    assert judge_round(GAME, exposed, rules(DSEF_78_2008)).outcome == RoundOutcome()
    assert seat("? $ante -9c +Td -2h .raise $raise").outcome == player_of("raised T92")
    assert round_codes(exposed, not_recorded="faces") == []


def test_f3_11_exposed_card_of_the_croupier() -> None:
    three, four = "hand +Qc -4d -3h | ^4d ^3h", "hand +Qc -4d -3h -2s | ^4d ^3h ^2s"
    assert judge_bank(GAME, three, rules(DSEF_78_2008)).outcome == croupier_of("Q43")
    assert judge_bank(GAME, four, rules(DSEF_78_2008, {"F3-11": "replace"})).outcome == croupier_of("432")
    assert judge_bank(GAME, three, rules(DSEF_78_2008, {"F3-11": "void"})).outcome == croupier_of("void")
    unnamed = "hand +?? -?? -?? -?? | ^4d"  # three are left, of which one was turned
    assert judge_bank(GAME, unnamed, rules(DSEF_78_2008, {"F3-11": "replace"})).outcome == croupier_of("???")
    history = "w:1 fresh 1- 1- 1- B+ B- B- B- 1. B^ pay end"
    assert round_codes(history) == ["F3_CARD_EXPOSED", "F3_CARD_NUMBER"]
    assert round_codes(history, {"F3-11": "replace"}) == ["F3_CARD_EXPOSED"]
    shoe = {"shuffle": "hand"}
    at_once = "w:1 fresh shuffle:hand:1 cut:bank 1- B+ B- 1- B- 1- B- 1. B^ pay end"
    at_the_end = "w:1 fresh shuffle:hand:1 cut:bank 1- B+ 1- B- 1- B- B- 1. B^ pay end"
    for replaced in (at_once, at_the_end):
        assert round_codes(replaced, {"F3-11": "replace"}, **shoe) == ["F3_CARD_EXPOSED"]
    out_of_turn = "w:1 fresh shuffle:hand:1 cut:bank 1- 1- B+ B- 1- B- B- 1. B^ pay end"
    assert round_codes(out_of_turn, {"F3-11": "replace"}, **shoe) == ["F3_CARD_EXPOSED", "F3_DEAL_ORDER"]


REPLACE = {"F3-11": "replace"}


@pytest.mark.parametrize(
    ("hand", "kept", "replaced"),
    [
        ("hand -Qc ^Qc -4d -3h -2s | ^4d ^3h ^2s", "void", "432"),
        ("hand -4d -Qc ^Qc -3h -2s | ^4d ^3h ^2s", "void", "432"),
        ("hand -4d -?? ^Qc -3h -2s | ^3h ^4d ^2s", "void", "432"),  # what the log did not name when it was dealt
        ("hand -Qc ^Qc -4d ^4d -3h -2s -Ks | ^3h ^2s ^Ks", "void", "K32"),  # one after the other
        ("hand -Qc ^Qc -4d -3h | ^4d ^3h", "Q43", "void"),  # two are left, and nobody replaced the third
        ("hand -Qc -4d -3h ^Qc | ^4d ^3h", "Q43", "Q43"),  # all were dealt: his hand was opened
    ],
)
def test_f3_11_a_card_of_the_croupier_that_is_turned_in_the_deal_is_one_that_lies_open(
    hand: str, kept: str, replaced: str
) -> None:
    assert judge_bank(GAME, hand, rules(DSEF_78_2008)).outcome == croupier_of(kept)
    assert judge_bank(GAME, hand, rules(DSEF_78_2008, REPLACE)).outcome == croupier_of(replaced)


@pytest.mark.parametrize(
    ("bank", "kept", "replaced"),
    [
        ("B- B^ B- B- B-", ["F3_CARD_EXPOSED", "F3_CARD_NUMBER"], ["F3_CARD_EXPOSED"]),
        ("B- B- B^ B- B-", ["F3_CARD_EXPOSED", "F3_CARD_NUMBER"], ["F3_CARD_EXPOSED"]),
        ("B- B^ B- B-", ["F3_CARD_EXPOSED"], ["F3_CARD_EXPOSED", "F3_CARD_NUMBER"]),
        ("B- B^ B- B^ B- B- B-", ["F3_CARD_EXPOSED", "F3_CARD_EXPOSED", "F3_CARD_NUMBER"], ["F3_CARD_EXPOSED"] * 2),
    ],
)
def test_f3_11_a_turned_card_is_one_that_another_replaces(bank: str, kept: list[str], replaced: list[str]) -> None:
    history = f"w:1 fresh 1- 1- 1- {bank} 1. B^ pay end"
    assert round_codes(history) == kept
    assert round_codes(history, REPLACE) == replaced


@pytest.mark.parametrize("first", ["B-Qc B^Qc", "B-?? B^Qc", "B+Qc"])
def test_f3_11_a_replaced_card_is_so_on_the_whole_way_to_the_money(first: str) -> None:
    """The croupier is left with 10-4-3 and does not play: the ante is paid, the raise comes back."""
    text = f"1.ante=100 nomore 1-9c 1-9d 1-4h {first} B-4d B-3h B-Ts 1.raise 1.raise=100 B^4d B^3h B^Ts end"
    shown = ("wager", "due_minor", "status")
    due = verdicts(text, "F3-11=replace").select(shown).rows()
    assert due == [("ante", 100_00, "unsettled"), ("raise", 0, "unsettled")]
    assert {status for _, _, status in verdicts(text).select(shown).rows()} == {"void"}


@pytest.mark.parametrize(
    ("reading", "word", "article"), [("F3-11=void", "B+2c", "11(2)"), ("", "failed:jam B-2c", "11(4)")]
)
def test_art11_an_invalid_round_cites_the_item_that_makes_it_so(reading: str, word: str, article: str) -> None:
    text = f"1.ante=100 nomore 1-9c 1-9d 1-4h {word} B-9h B-Ks 1.raise 1.raise=100 B^9h B^Ks end"
    (wagers,) = {tuple(row) for row in verdicts(text, reading).select("due_minor", "status", "article").rows()}
    assert wagers == (0, "void", f"78/2008 art. {article}")


@pytest.mark.parametrize(("reading", "due"), [("", 10000), ("F3-12=any", 0)])
def test_f3_12_is_named_by_the_dues_of_a_round_that_would_be_invalid(reading: str, due: int) -> None:
    text = "1.ante=100 1.pair_plus=100 nomore 1-9c 1+9d 1-4h B-2c B-9h B-9s 1.raise 1.raise=100 B^2c B^9h B^9s end"
    wagers = verdicts(text.replace("9h", "5h"), reading)
    assert all("F3-12" in rulings.split() for rulings in wagers["rulings"])
    assert wagers.filter(wagers["wager"] == "pair_plus")["due_minor"].to_list() == [due]


def test_f3_12_any_irregularity() -> None:
    exposed = DEAL_TWO.replace("3- 3- 3-", "3- 3+ 3-")
    assert judge_round(GAME, exposed, rules(DSEF_78_2008, {"F3-12": "any"})).outcome == RoundOutcome(
        "78/2008 art. 11(1)"
    )


def test_art11_n3_cards_to_a_place_without_a_bet() -> None:
    history = DEAL_TWO.replace("w:1,3", "w:1")
    judged = judge_round(GAME, history, rules(DSEF_78_2008))
    assert codes(judged) == ["F3_HAND_NULL"]
    assert judged.outcome == RoundOutcome()
    assert seat("? -9c -9d -2h").outcome == player_of("null")


@pytest.mark.parametrize("null", ["", "3- 3- 3- "])
def test_art11_n3_what_is_decided_on_a_null_hand_changes_nothing_for_the_others(null: str) -> None:
    """Neither is a card dealt after it out of order (11(1)), nor the croupier's hand opened before it too early (9(2))."""
    found = ["F3_HAND_NULL"] if null else []
    for rest in ("3. 1- B- B- B- 1. B^ pay end", "1- B- B- B- 1. B^ 3. pay end"):
        assert round_codes(f"w:1 fresh {null}1- 1- {rest}") == found


def test_art11_n4_shuffler_fails_during_the_deal() -> None:
    failed = DEAL_TWO.replace("3- 3- 3-", "3- failed 3- 3-")
    assert round_codes(failed) == ["F3_SHUFFLER_FAILED"]
    assert judge_round(GAME, failed, rules(DSEF_78_2008)).outcome == RoundOutcome("78/2008 art. 11(4)")
    assert round_codes("w:1,3 fresh 1- 1- 1- 3- failed void:shuffler end") == []
    assert GAME.settlement.void("ante", Void(equipment=True), rules(DSEF_78_2008)).article == "78/2008 art. 11(4)"
    before = DEAL_TWO.replace("w:1,3 fresh", "w:1,3 fresh failed shuffle:machine:1")
    assert round_codes(before) == []
    assert round_codes(before.replace("3- 3- 3-", "3- failed 3- 3-")) == ["F3_SHUFFLER_FAILED"]
    right = before.replace("1. 3. B^ pay", "void:shuffler")  # it failed before the deal, which was right
    assert round_codes(right) == ["F3_VOID_UNFOUNDED"]
    astray = "w:3 fresh 1- 1- 1- failed 3- 3- 3- B- B- B- 3. B^ pay end"  # a null hand's cards are dealt as well
    assert sorted(round_codes(astray)) == ["F3_HAND_NULL", "F3_SHUFFLER_FAILED"]
    assert judge_round(GAME, astray, rules(DSEF_78_2008)).outcome == RoundOutcome("78/2008 art. 11(4)")


@pytest.mark.parametrize(
    ("rest", "kept", "replaced"),
    [
        ("void:shuffler end", ["F3_CARD_EXPOSED", "F3_VOID_UNFOUNDED"], ["F3_CARD_EXPOSED"]),
        ("B- 1. B^ pay end", ["F3_CARD_EXPOSED", "F3_CARD_NUMBER"], ["F3_CARD_EXPOSED", "F3_SHUFFLER_FAILED"]),
    ],
)
def test_art11_n4_an_exposed_card_of_the_croupier_ends_the_deal_unless_it_is_replaced(
    rest: str, kept: list[str], replaced: list[str]
) -> None:
    """F3-11: kept, it is his third card, and the shuffler failed when all were dealt."""
    for his in ("B+ B- B-", "B- B^ B- B-"):
        history = f"w:1 fresh 1- 1- 1- {his} failed {rest}"
        assert sorted(round_codes(history)) == kept
        assert sorted(round_codes(history, REPLACE)) == replaced


@pytest.mark.parametrize(
    ("dealt", "item"),
    [
        (
            "1-9c 1-9d failed:encravou void:encravou",
            4,
        ),  # what the log records counts, in whatever words its cause is written
        ("1-9c 1-9d failed:jam 1-4h B-2c void:misdeal", 4),
        ("1-9c B-9d 1-4h 1-2c B-5h B-9s void:{machine dealt out of turn}", 1),
        ("1-9c 1-9d void:{shuffler jammed}", 4),
        ("1-9c 1-9d void:misdeal", 1),
    ],
)
def test_art11_a_wager_of_a_void_round_names_the_item_that_made_it_void(dealt: str, item: int) -> None:
    wagers = verdicts(f"1.ante=100 nomore {dealt} 1.ante>0 end")
    assert wagers.select("status", "due_minor", "article").rows() == [("void", 0, f"78/2008 art. 11({item})")]


# What the log does not show


def test_unknown_cards_are_not_judged() -> None:
    assert seat("? $ante -?? -?? -?? .raise $raise ^9c ^Td ^2h").outcome == player_of("raised T92")
    unknown = seat("? $ante -9c -?? -2h .raise $raise")
    assert unknown.unjudged
    assert judge_bank(GAME, "hand -?? -?? -?? | ^Qc", rules(DSEF_78_2008)).unjudged
    assert not judge_bank(GAME, "nothing -?? -?? -??", rules(DSEF_78_2008)).unjudged
    assert due("ante", "raised T92", "???") is None
    assert due("pair_plus", "raised T92", "???") == -1


@pytest.mark.parametrize(
    ("cards", "hand"), [("-9x -9x -2x", "992"), ("-9c -Kd -2x", "K92"), ("-9c -Kx -2x", "???"), ("-9c -8d -7x", "???")]
)
def test_suits_matter_only_where_they_can(cards: str, hand: str) -> None:
    judged = seat(f"? $ante {cards} .raise $raise")
    assert judged.outcome == player_of(f"raised {hand}")
    assert bool(judged.unjudged) == (hand == "???")


def test_croupier_opened_before_any_decision() -> None:
    assert round_codes("w:1 fresh 1- 1- 1- B- B- B- B^ 1. pay end") == ["F3_OPENED_EARLY"]
    assert round_codes("w:1 fresh 1- 1- 1- B- B- B- 1^ pay B^ end") == []  # Pair Plus alone, nobody decides


def test_f3_9_either_order_of_opening() -> None:
    held = rules(DSEF_78_2008)
    with held.readings.consulted() as ids:
        assert codes(judge_round(GAME, DEAL_TWO, held)) == []
        assert "F3-9" in ids


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
