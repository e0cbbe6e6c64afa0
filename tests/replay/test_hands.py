"""The hands that were played. Expected values are counted by hand from the cards as the notation names them (57/2009 art. 8)."""

from __future__ import annotations

import datetime as dt
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from producers.simulator import simulate
from replayer.contract.cards import UNNAMED, Card
from replayer.contract.outcomes import Awaited
from replayer.contract.symbols import Dealt
from replayer.engine.histories import OF_BANKS, SEATS
from replayer.engine.history_rows import histories_of
from replayer.engine.packed_events import HANDS
from replayer.engine.removed_cards import cards_left
from replayer.engine.table_in_play import TableInPlay
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.log.columns import TableDay, columns_of
from replayer.sources.archive import read_table_day
from replayer.sources.table_days import table_days
from replayer.verdicts.hands import separated
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.notation import parse_events
from tests.archives import read_events
from tests.texts import CLOSED, ONE_BURNED, frame_of, opened, table_day_of

DAY = dt.date(2009, 6, 1)
HEAD = opened(
    f"option:decks=6 option:limit_min=50 option:limit_max=5000 option:split_max_hands=4 option:resplit=yes {ONE_BURNED}"
)
FORTUNE = opened("option:ante_min=100", "fortune_3_card_poker")


def replay(rounds: str, head: str = HEAD) -> Replayed:
    return replay_table_days([table_day_of(f"{head}\n{rounds}\n{CLOSED}", DAY)], play=True)[0]


def hands_of(*days: TableDay) -> list[pl.DataFrame]:
    return [replayed.played["hands"] for replayed in replay_table_days(days, play=True)]


def hands(rounds: str, *columns: str, head: str = HEAD) -> list[tuple[Any, ...]]:
    return replay(rounds, head).played["hands"].select(columns).rows()


TWELVE = (
    "#1 1.main=100@p1 2.main=50@p2 nomore !-?? 1+Kc 2+9h B+Jh 1+2d 2+7s 1.stand 2.hit 2+8c B+7c "
    "1.main>-100@p1 2.main>-50@p2 end"
)


def test_who_stood_on_12_against_a_ten_can_be_asked() -> None:
    hands = replay(TWELVE).played["hands"]
    stood = hands.filter(
        (pl.col("total") == 12) & (pl.col("upcard_value") == 10) & pl.col("decisions").str.ends_with("stand")
    )
    assert stood.select("round", "seat", "player", "cards", "dealer").rows() == [(1, 1, "p1", "Kc 2d", "D1")]


def test_a_split_of_the_last_hand_gives_no_card_to_the_next_seat() -> None:
    """Hand z is the last one that has a letter; the table is opened again in another currency, so that every row is dated."""
    split = "#1 1.main=100@p1 nomore 1z+8h 1z+8d 1z.split B+9c end #- close=1 open:black_jack:HKD:7=1"
    head = HEAD.replace("split_max_hands=4", "split_max_hands=40")
    assert hands(split, "seat", "hand", "cards", head=head) == [(1, 25, "8h"), (None, 0, "9c")]


def test_sixteen_cards_of_a_rank_count_as_no_card_of_the_next() -> None:
    aces = " ".join(f"1+A{'cdhs'[number % 4]}" for number in range(16))
    assert hands(f"#1 1.main=100 2.main=100 nomore !-?? {aces} 2+2c B+Jh end", "seat", "cards_count", "total") == [
        (1, 16, 16),
        (2, 1, 2),
        (None, 1, 10),
    ]


def test_the_banks_open_card_is_the_first_that_it_kept() -> None:
    """57/2009 art. 5(1)(2): the nine was another's, the queen that came out face up was void (5(1)(1))."""
    taken = "#1 1.main=100 nomore !-?? 1+Kc B+9d B~9d B+Ad 1+9s B+Qs B~Qs 1.stand B+8c 1.main>0 end"
    assert hands(taken, "seat", "upcard", "upcard_value", "bank_cards") == [
        (1, "Ad", 11, "Ad 8c"),
        (None, "Ad", 11, "Ad 8c"),
    ]


def test_every_seat_and_the_bank_has_its_cards_total_and_what_became_of_it() -> None:
    columns = (
        "seat",
        "cards",
        "cards_count",
        "total",
        "soft",
        "decisions",
        "outcome",
        "result",
        "stake_minor",
        "bettors",
    )
    assert hands(TWELVE, *columns) == [
        (1, "Kc 2d", 2, 12, False, "stand", "played", "lost", 10000, 1),
        (2, "9h 7s 8c", 3, 24, False, "hit", "bust", "lost", 5000, 1),
        (None, "Jh 7c", 2, 17, False, "", "played", None, None, None),
    ]
    banks = ("seat", "upcard", "upcard_value", "bank_cards", "bank_total")
    assert {row[1:] for row in hands(TWELVE, *banks)} == {("Jh", 10, "Jh 7c", 17)}


def test_an_ace_counts_eleven_until_that_is_over_21() -> None:
    text = (
        "#1 1.main=100@p1 2.main=100@p2 nomore !-?? 1+Ac 2+Ad B+6h 1+6d 2+Kd 1.hit 1+9s 1.stand B+Tc B+2d "
        "1.main>-100@p1 2.main>+150@p2 end"
    )
    assert hands(text, "cards", "total", "soft", "outcome", "result") == [
        ("Ac 6d 9s", 16, False, "played", "lost"),
        ("Ad Kd", 21, True, "natural", "won"),
        ("6h Tc 2d", 18, False, "played", None),
    ]


def test_a_separated_pair_is_split_and_each_hand_has_its_own_cards_and_stake() -> None:
    text = (
        "#1 1.main=100@p1 nomore !-?? 1+8c B+Td 1+8d 1.split 1b.split=100@p1 1+4h 1.stand 1b+8s 1b.split 1c.split=100@p1 "
        "1b+9s 1b.stand 1c+Ah 1c.stand B+Tc 1.main>-100@p1 1b.split>-100@p1 1c.split>-100@p1 end"
    )
    assert hands(text, "seat", "hand", "cards", "total", "soft", "decisions", "stake_minor") == [
        (1, 0, "8c 4h", 12, False, "split stand", 10000),
        (1, 1, "8d 9s", 17, False, "split stand", 10000),
        (1, 2, "8s Ah", 19, True, "stand", 10000),
        (None, 0, "Td Tc", 20, False, "", None),
    ]


def test_a_separated_hand_at_which_nothing_happened_has_the_first_and_the_last_event_of_its_seat() -> None:
    text = (
        "#1 1.main=100@p1 nomore !-?? 1+8c B+Td 1+8d 1.split 1b.split=100@p1 1+8h 1.split 1c.split=100@p1 1+4h 1.stand 1b+8s "
        "1b.stand B+Tc 1.main>-100@p1 1b.split>-100@p1 1c.split>-100@p1 end"
    )
    assert hands(text, "hand", "cards", "first_seq", "last_seq")[:3] == [
        (0, "8c 4h", 15, 24),
        (1, "8d 8s", 25, 26),
        (2, "8h", 15, 26),
    ]


def test_a_separated_hand_has_its_outcome_beside_one_that_nobody_can_judge() -> None:
    """Eighteen loses to nineteen, whatever card the other hand drew."""
    text = (
        "#1 1.main=100@p1 nomore !-?? 1+8c B+6h 1+8d 1.split 1b.split=100@p1 1+Tc 1.stand 1b-?? 1b.stand B+Tc B+3d "
        "1.main>-100@p1 1b.split>-100@p1 end"
    )
    assert hands(text, "hand", "cards", "outcome", "result")[:2] == [
        (0, "8c Tc", "played", "lost"),
        (1, "8d ??", None, None),
    ]


_AT_A_SPLIT = ("{}+8c", "{}+Kx", "{}.split", "{}.split=100@p1", "{}~8d", "{}^8c", "{}-??", "{}.stand", "{}={}")


def _separating(dice: random.Random, faults: float) -> Iterator[str]:
    """Splits at a seat, each on two cards and followed by stake and card of the hand that it makes. By faults anything else comes
    between, or cards are missing or come later."""
    hands, kept = ["1"], list[str]()
    yield (
        dice.choice(("1+8c 1+8d", "1+8c 1+Kd"))
        if dice.random() > faults
        else dice.choice(("1-?? 1-?? 1^8c 1^8d", "1+8x 1+8d"))
    )
    for further in ("1b", "1c", "1d")[: dice.randint(1, 3)]:
        hand = dice.choice(hands)
        stake, card = f"{further}.split=100@p1", f"{further}+{dice.choice('89')}s"
        happens = [f"{hand}.split", stake, card, f"{hand}+8h"]
        while dice.random() < faults:
            happens.insert(
                dice.randint(0, 4), dice.choice(_AT_A_SPLIT).format(dice.choice((*hands, further, "1e")), 18)
            )
        if dice.random() < faults:
            late = slice(at := dice.randrange(len(happens)), at + 2)
            kept += happens[late]
            del happens[late]
        hands.append(further)
        yield from happens
    yield from kept[: dice.randint(0, len(kept))]


def test_separated_hands_have_the_cards_that_the_game_s_own_reading_of_the_seat_gives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dice, columns = random.Random(11), ("round", "seat", "hand", "cards", "decisions", "first_seq", "last_seq")
    rounds = " ".join(
        f"#{number} 1.main=100@p1 nomore B+6h {' '.join(_separating(dice, (number % 4) / 10))} B+Td B+9h end"
        for number in range(1, 2001)
    )
    by_columns, unclear = hands(rounds, *columns), set[int]()

    def none_is_clear(acts: pl.DataFrame, *given: Any) -> tuple[pl.Series, pl.Series]:
        place, not_told = separated(acts, *given)
        unclear.update(1 + not_told // SEATS)
        moved = place.filter(place != acts["place"])
        return acts["place"], pl.concat([not_told, moved // HANDS])

    monkeypatch.setattr("replayer.verdicts.hands.separated", none_is_clear)
    assert by_columns == hands(rounds, *columns)
    assert not any(number % 4 == 0 for number in unclear), "a round without faults is clear"
    assert 300 < len(unclear) < 1200


def test_a_hidden_card_stands_where_it_lay_once_it_is_turned() -> None:
    text = "#1 1.main=100@p1 nomore !-?? 1+Kc B+6h 1+Qd B-?? 1.stand B^Tc B+5d 1.main>-100@p1 end"
    assert hands(text, "cards", "total", "upcard")[-1] == ("6h Tc 5d", 21, "6h")


def test_a_card_that_lies_face_down_is_turned_and_not_one_that_lies_open_without_a_name() -> None:
    text = "#1 1.main=100@p1 nomore 1+Kc B+?? 1+Qd B-?? 1.stand {} end"
    for turned, cards in (("B^Tc", "?? Tc"), ("B^Tc B^7d", "7d Tc")):
        assert hands(text.format(turned), "cards") == [("Kc Qd",), (cards,)]


def test_a_card_dealt_down_by_its_name_is_not_another_one_once_it_is_turned() -> None:
    text = "#1 1.main=100@p1 nomore 1-Kc B+6h 1-?? 1^Kc 1^7d 1.stand B+Tc B+5d end"
    assert hands(text, "cards")[0] == ("Kc 7d",)


def test_a_card_that_is_never_named_leaves_no_total() -> None:
    text = "#1 1.main=100@p1 nomore !-?? 1+Kc B+6h 1-?? 1.stand B+Tc B+5d 1.main>-100@p1 end"
    assert hands(text, "cards", "total", "soft", "outcome", "result")[0] == ("Kc ??", None, None, None, None)


def test_a_card_taken_away_is_none_of_the_hand() -> None:
    text = "#1 1.main=100@p1 nomore !-?? 1+Kc B+6h 1+Qd 1.stand B+Tc B+9d B~9d B+5d 1.main>-100@p1 end"
    assert hands(text, "cards", "total")[-1] == ("6h Tc 5d", 21)
    text = "#1 1.main=100@p1 nomore !-?? 1+Kc B+6h 1+Qd 1+9d 1~9d 1.stand B+Tc B+5d 1.main>-100@p1 end"
    assert hands(text, "cards", "total") == [("Kc Qd", 20), ("6h Tc 5d", 21)]


def test_insurance_is_no_decision_on_the_hand() -> None:
    text = "#1 1.main=100@p1 nomore !-?? 1+Kc B+Ah 1+Qd 1.insurance 1.insurance=50@p1 1.stand B+9c 1.main>0@p1 end"
    assert hands(text, "decisions", "upcard_value")[0] == ("stand", 11)


def test_several_bettors_on_a_seat_are_counted_and_the_first_is_named() -> None:
    text = "#1 1.main=100@p1/0 1.main=300@p2/1 nomore !-?? 1+Kc B+6h 1+Qd 1.stand B+Tc B+5d 1.main>-100@p1 1.main>-300@p2 end"
    made = replay(text)
    assert made.played["hands"].select("player", "bettors", "stake_minor").rows()[0] == ("p1", 2, 10000)
    assert made.wagers.select("player", "position").rows() == [("p1", 0), ("p2", 1)]


def test_wagers_say_when_they_were_settled_and_what_limits_were_posted() -> None:
    wagers = replay(TWELVE).wagers
    columns = ("game", "currency", "position", "limit_min_minor", "limit_max_minor")
    assert wagers.select(columns).rows() == [("black_jack", "MOP", None, 5000, 500_000)] * 2
    assert (wagers["settled_at"] - wagers["placed_at"]).dt.total_seconds().min() > 0
    assert str(wagers["settled_at"].dtype) == "Datetime(time_unit='us', time_zone='UTC')"


def test_a_finding_has_the_time_dealer_player_and_amount_of_its_event() -> None:
    made = replay(TWELVE.replace("2.main>-50", "2.main>+50"))
    wager = made.wagers.filter(seat=2).row(0, named=True)
    (found,) = made.findings.iter_rows(named=True)
    assert (found["code"], found["player"], found["dealer"], found["amount_minor"]) == ("OVERPAID", "p2", "D1", 5000)
    assert (found["seq"], found["at"]) == (wager["settled_seq"], wager["settled_at"])


def test_a_finding_has_the_player_and_amount_to_which_its_event_was_corrected_in_time() -> None:
    """Wager and finding are of one event, and named two players and two stakes."""
    unsettled = TWELVE.replace(" 2.main>-50@p2", "")
    seq = replay(unsettled).wagers.filter(seat=2)["placed_seq"][0]
    made = replay(f"{unsettled} #- correct:{seq}:misread:2.main=60@p9")
    wager = made.wagers.filter(seat=2).row(0, named=True)
    (found,) = made.findings.filter(code="WAGER_UNSETTLED").iter_rows(named=True)
    assert (found["player"], found["amount_minor"]) == (wager["player"], wager["stake_minor"]) == ("p9", 6000)


def test_a_dealer_who_is_relieved_leaves_when_the_next_one_has_come() -> None:
    first, second = TWELVE.split(" 2.hit ")
    relieved = f"{first} dealer+D2 2.hit {second} #- dealer-D1 dealer-D9 {TWELVE.replace('#1', '#2')} #- dealer-D2"
    assert replay(relieved).wagers["dealer"].to_list() == ["D2", "D2", "D2", "D2"]
    returned = (
        f"#- dealer+D2 {TWELVE} #- dealer-D2 {TWELVE.replace('#1', '#2')} #- dealer-D1 {TWELVE.replace('#1', '#3')}"
    )
    assert replay(returned).wagers["dealer"].to_list() == ["D2", "D2", "D1", "D1", None, None]


def test_fortune_hands_have_a_combination_and_no_total() -> None:
    text = (
        "#1 1.ante=100@p1 2.ante=100@p2 nomore 1-9c 1-9d 1-Kh 2-2s 2-7d 2-Jh B-Qs B-5s B-3s 1.raise 1.raise=100@p1 2.fold "
        "1^9c 1^9d 1^Kh B^Qs B^5s B^3s 2.ante>-100@p2 1.ante>-100@p1 1.raise>-100@p1 end"
    )
    made = hands(text, "seat", "cards", "total", "combination", "decisions", "outcome", head=FORTUNE)
    assert made == [
        (1, "9c 9d Kh", None, "pair", "raise", "raised"),
        (2, "2s 7d Jh", None, "three odd cards", "fold", "folded"),
        (None, "Qs 5s 3s", None, "flush", "", "played"),
    ]


def test_rounds_of_several_table_days_replayed_together_keep_their_own_hands() -> None:
    alone = replay(TWELVE).played["hands"]
    events = frame_of(f"{HEAD}\n{TWELVE}\n{CLOSED}", DAY)
    first, second = hands_of(TableDay("T1", DAY, events), TableDay("T2", DAY, events))
    assert first.equals(alone)
    assert second.drop("table_id").equals(alone.drop("table_id"))


def _best(cards: list[str]) -> int:
    """Points counted anew: 57/2009 art. 8."""
    points = sum({"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(card[0]) or int(card[0]) for card in cards)
    return points + 10 if points <= 11 and any(card[0] == "A" for card in cards) else points


def test_hands_of_simulated_days_are_what_a_plain_reading_of_the_log_gives(tmp_path: Path) -> None:
    simulate(archive=tmp_path, day=DAY, tables=3, rounds=60, seed=11, faults=0)
    splits = 0
    for ref in table_days(tmp_path):
        laid: dict[tuple[int | None, int | None], list[list[str]]] = {}
        for event in read_events(ref):
            card, decision = event.card, event.decision
            if event.kind == "CardDealt" and card is not None:
                hands = laid.setdefault((event.round, card.seat), [[]])
                hands[card.hand].append(card.card or "??")
            elif event.kind == "CardTurned" and card is not None and card.card is not None:
                lay = laid[event.round, card.seat][card.hand]
                if card.card not in lay:
                    lay[lay.index("??")] = card.card
            elif event.kind == "DecisionTaken" and decision is not None and decision.action == "split":
                hands = laid[event.round, decision.seat]
                hands.append([hands[decision.hand].pop()])
                splits += 1
        expected = {
            (round_, seat, number, " ".join(cards))
            for (round_, seat), hands in laid.items()
            for number, cards in enumerate(hands)
        }
        (played,) = hands_of(TableDay(ref.table_id, DAY, read_table_day(ref).events))
        assert set(played.select("round", "seat", "hand", "cards").rows()) == expected
        for row in played.filter(game="black_jack").iter_rows(named=True):
            assert row["total"] == _best(row["cards"].split()), row
            assert row["cards_count"] == len(row["cards"].split())
    assert splits > 0


def test_very_many_hidden_cards_cost_no_more_a_card() -> None:
    acts = [("CardDealt", UNNAMED)] * 60_000
    acts += [("CardTurned", Card(*"9d")), ("CardTurned", Card(*"8d")), ("CardRemoved", Card(*"8d"))]
    events = ((seq, kind, card, kind != "CardDealt") for seq, (kind, card) in enumerate(acts, 1))
    began = time.process_time()
    assert [str(card) for card in cards_left(events)] == ["9d"] + ["??"] * 59_998
    assert time.process_time() - began < 5


def test_78_art5_a_hand_wins_or_loses_with_its_ante_whether_pair_plus_was_laid_before_or_after_it() -> None:
    """Art. 5 gives the two bets no order: ace high beats queen high, and three odd cards lose Pair Plus."""
    dealt = (
        "nomore 1-Ac 1-7d 1-2h 2-Jd 2-8c 2-3d B-Qd B-8s B-4h 1.raise 1.raise=100@p1 1^Ac 1^7d 1^2h 2^Jd 2^8c 2^3d "
        "B^Qd B^8s B^4h 1.pair_plus=50>-50@p1 2.pair_plus=70>-70@p2 1.ante=100>+100@p1 1.raise>+100@p1 end"
    )
    for laid in ("1.ante=100@p1 1.pair_plus=50@p1", "1.pair_plus=50@p1 1.ante=100@p1"):
        shown = hands(f"#1 {laid} 2.pair_plus=70@p2 {dealt}", "seat", "outcome", "result", "stake_minor", head=FORTUNE)
        assert shown[:2] == [(1, "raised", "won", 10_000), (2, "alone", "lost", 7_000)]


def test_rounds_that_nobody_can_judge_have_their_cards_all_the_same() -> None:
    before_any_law = dt.date(1990, 6, 1)
    (made,) = hands_of(table_day_of(f"{HEAD}\n{TWELVE}\n{CLOSED}", before_any_law))
    assert made.select("cards", "total", "outcome", "result").rows() == [
        ("Kc 2d", 12, None, None),
        ("9h 7s 8c", 24, None, None),
        ("Jh 7c", 17, None, None),
    ]


def test_of_a_round_that_lacks_events_nothing_is_said_but_its_cards() -> None:
    """Seven and ten were split from each other's pair; whether the ten of the bank became Black Jack, nobody can tell."""
    text = (
        "#1 1.main=100@p1 nomore !-?? 1+8c B+Td 1+8d 1.split@p1 1b.split=100@p1 1+7s 1.stand 1b+Ts 1b.stand B+Ac "
        "1.main>-100@p1 1b.split>-100@p1 end"
    )
    events = frame_of(f"{HEAD}\n{text}\n{CLOSED}", DAY)
    (made,) = hands_of(TableDay("T1", DAY, events.filter(~pl.col("card_card").eq_missing("Ac"))))
    assert made.select("cards", "total", "outcome", "result").rows() == [
        ("8c 7s", 15, None, None),
        ("8d Ts", 18, None, None),
        ("Td", 10, None, None),
    ]


SECOND = TWELVE.replace("B+7c", "Bb+7c")
"""The bank's second card lies at a second hand."""


def test_the_bank_has_one_hand_whatever_hands_a_log_gives_it() -> None:
    assert hands(SECOND, "seat", "hand", "cards", "bank_cards") == [
        (1, 0, "Kc 2d", "Jh 7c"),
        (2, 0, "9h 7s 8c", "Jh 7c"),
        (None, 0, "Jh 7c", "Jh 7c"),
    ]


def test_the_bank_s_history_has_one_hand_in_play_and_in_columns() -> None:
    events, table = list(parse_events(SECOND)), TableInPlay(BLACK_JACK)
    in_play = [round_ for event in events if (round_ := table.take(event))][-1].histories().bank_history(Awaited.HAND)
    (cut_out,) = histories_of(columns_of(events), BLACK_JACK).build(OF_BANKS, pl.Series([0]), BLACK_JACK)
    assert in_play == cut_out
    assert [symbol.hand for symbol in in_play.symbols if isinstance(symbol, Dealt)] == [0, 0]
