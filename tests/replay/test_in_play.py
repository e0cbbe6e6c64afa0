"""A table judged as its events arrive, beside the same events judged as a whole table-day: the same of every round."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from producers.simulator import simulate
from replayer.contract.game import Game
from replayer.contract.rules import STANDS, TURNS
from replayer.engine import evaluator
from replayer.engine.evaluator import Evaluator
from replayer.engine.histories import Histories, Subject
from replayer.engine.history_rows import histories_of
from replayer.engine.judgements import Judgements, judge_all
from replayer.engine.reconstruct import Reconstruction, reconstruct
from replayer.engine.removed_in_columns import ignoring_collected
from replayer.engine.replay_settings import ReplaySettings
from replayer.engine.round_in_play import FoundBreach, Judged
from replayer.engine.stacked_days import SPAN, stack
from replayer.engine.table_in_play import TableInPlay
from replayer.integrity.inspection import Log, inspect_all
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.law.rulings import readings_by
from replayer.log.columns import TableDay, columns_of, events_of
from replayer.verdicts.deadlines import PlaceOfPlay, shown_late
from schemas.event import Event
from schemas.notation import parse_events, print_events
from tests.archives import logs_in
from tests.law.rules import rules
from tests.odd import odd_table_day
from tests.oracle import black_jack, fortune_3_card_poker
from tests.oracle.compare import DAY, DEFAULTS, UNLAWFUL, evaluator_of, judge_under, some_round
from tests.oracle.rounds import deal_notation, notation, some_deal
from tests.shares import few


def of_columns(histories: Histories, found: Judgements, ri: int) -> Judged:
    """What whole table-days say of a round."""
    seats = histories.seats.with_row_index("row").filter(pl.col("ri") == ri)
    return Judged(
        {seat: found.seats.at(row) for row, seat in seats.select("row", "seat").iter_rows()},
        found.banks.at(ri),
        found.rounds.at(ri),
    )


def at_once(logs: Iterable[Sequence[Event]], judge: Evaluator, game: Game) -> list[dict[int, Judged]]:
    """The rounds of each of some logs, judged as whole table-days: together, as those of a pit are, in the time of one."""
    events = [columns_of(log) for log in logs]
    histories = histories_of(ignoring_collected(stack(events), game), game)
    evaluator_of_round = pl.Series([0], dtype=pl.Int64).new_from_index(0, histories.rounds.height)
    found = judge_all(histories, [judge], evaluator_of_round, game)
    rounds = [dict[int, Judged]() for _ in events]
    for ri, number in enumerate(histories.rounds["round"].to_list()):
        rounds[number // SPAN][number % SPAN] = of_columns(histories, found, ri)
    return rounds


def one_by_one(events: Iterable[Event], game: Game) -> TableInPlay:
    table = TableInPlay(game)
    for event in events:
        table.take(event)
    return table


def judged(table: TableInPlay, judge: Evaluator) -> dict[int, Judged]:
    return {number: round_.judged(judge) for number, round_ in sorted(table.rounds.items())}


@pytest.mark.parametrize(
    "text",
    [
        "1.main=100@p1 nomore 1+8c B+Td 1+8d 1.split 1b.split=100@p1 1+Tc 1.hit 1+9h 1.main>-100@p1 1~8c 1~Tc 1~9h 1b+3d "
        "1b.stand B+7s 1b.split>-100@p1 1b~8d 1b~3d end",
        "1.main=100@p1 2.main=100@p2 nomore 1+5d 2+4s B+9d 1+2d 2+9d 2.main>-100@p2 1.main>-100@p1 2~4s 2~9d 1~2d 1~5d "
        "1+2d end",
        "1.main=100@p1 nomore 1+Tc B+9h 1+9d 1.stand 1+5h 1.main>-100@p1 1~5h 1+5h 1~5h B+9c 1.main>+100@p1 1~Tc end 1~9d",
        "1.main=100@p1 nomore 1+Ac B+9h 1+Kd 1.all=100>+150@p1 1~Ac 1~Kd 2+Ac B+9c end #2 1.main=100@p1 nomore 1+Kd B+9c "
        "1+Kd end",
        "1.main=100@p1 nomore 1+Tc B+9h 1+9d 1.stand B+9c 1.main>+100@p1 B~9c B~9h 1~Tc 1~9d B+2c B~2c end",
        "1.main=100@p1 nomore 1+Tc B+9h 1+Ad 1.even_money B~9h B+Kh 1.all=100>+100@p1 B~Kh B+2c B+9c 1~Ad 1+5d end",
    ],
)
def test_cards_collected_or_put_right_after_a_settlement_are_judged_the_same_after_any_event(text: str) -> None:
    judge = judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS)
    events, watched, found = list(parse_events(f"#1 {text}", gaming_day=DAY)), TableInPlay(BLACK_JACK), {}
    for number, event in enumerate(events, 1):
        watched.take(event)
        found[number] = judged(watched, judge)
    assert_judged_as_whole_days(found, events, judge, BLACK_JACK)


def assert_judged_as_whole_days(
    found: Mapping[int, Mapping[int, Judged]], events: Sequence[Event], judge: Evaluator, game: Game
) -> None:
    """What was judged after so many events is what is judged of a table-day that ended there."""
    days = at_once([events[:number] for number in found], judge, game)
    for (number, rounds), day in zip(found.items(), days, strict=True):
        assert rounds == day, f"{number} events of {print_events(events)}"


def assert_same_anywhere(text: str, judge: Evaluator, game: Game, dice: random.Random) -> None:
    """Stopped, stored and taken up again at any event, a table is judged as if its day had ended there; so is one that was
    judged after each event before."""
    events = list(parse_events(text, gaming_day=DAY))
    table, watched = TableInPlay(game), TableInPlay(game)
    stops = {len(events), *(dice.randint(1, len(events)) for _ in range(3))}
    found = {}
    for number, event in enumerate(events, 1):
        table.take(event)
        watched.take(event)
        now = judged(watched, judge)
        if number in stops:
            table = pickle.loads(pickle.dumps(table))  # noqa: S301 - our own
            found[number] = judged(table, judge)
            assert found[number] == now, f"{number} events of {text}"
    assert_judged_as_whole_days(found, events, judge, game)


@pytest.mark.parametrize("seed", few(range(300), 4))
def test_black_jack_is_judged_at_any_event_as_if_its_day_had_ended_there(seed: int) -> None:
    dice = random.Random(seed)
    made = some_round(dice, unlawful=seed % 2 * UNLAWFUL)
    shoe = dice.choice(("", "#- shuffle:1:hand:6 cut:1:p1 white:1:20\n", "#- white!1\n"))
    text = f"{shoe}{notation(made, 1)}\n{dice.choice(('', '#- shuffle:2:machine:6'))}\n{notation(made, 2)}"
    assert_same_anywhere(text, evaluator_of(made.house), BLACK_JACK, dice)


def test_a_first_open_card_of_the_bank_that_is_not_named_does_not_make_the_next_one_its_first() -> None:
    """Art. 12: what insurance, even money and a surrender turn on is the card that lay there when they were asked for."""
    text = "#1 1.main=100@p1 nomore 1+9c B+?? 1+7d 1.insurance=50@p1 1.surrender B+Ac B+5s end"
    assert_same_anywhere(text, judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS), BLACK_JACK, random.Random(1))


@pytest.mark.parametrize("then", ["1.hit 1+2c 2.surrender", "1.stand B+Kc 2.surrender"])
def test_a_surrender_after_an_additional_card_or_the_banks_second_one_is_late(then: str) -> None:
    text = f"#1 1.main=100@p1 2.main=100@p2 nomore 1+9c 2+8c B+9h 1+2d 2+7d {then}"
    judge = judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS)
    assert_same_anywhere(text, judge, BLACK_JACK, random.Random(1))
    [found] = judged(one_by_one(parse_events(text, gaming_day=DAY), BLACK_JACK), judge).values()
    assert "SURRENDER_LATE" in {breach.code for breach in found.seats[2].value.breaches}


@pytest.mark.parametrize(
    "bets",
    [
        "1.main=100@p1",
        "1.main=100@p1 1.main=50@p1",
        "1.main=100@p1 1.main=50",
        "1.main=100",
        "1.main=100 1.streak_2=10@p1",
        "1.main=100@p1 1.main=50@p2",
        "1.main=100@p1/0 1.main=50@p3/1",
        "1.main=100@p1/1 1.main=50@p3/2",
    ],
)
@pytest.mark.parametrize(
    "claim",
    [
        "1.even_money@p2 1.main=50@p2 1.even_money@p2",
        "1.even_money@p2 1.insurance=50@p1",
        "1.even_money@p1",
        "1.even_money",
        "1.decline_special_prize@p2",
        "1.surrender@p2",
        "1.surrender@p4",
        "3.even_money@p2",
    ],
)
def test_a_claim_of_who_does_not_bet_on_the_seat_is_none_of_it(bets: str, claim: str) -> None:
    """Art. 10(3): only what was bet by then is known when he claims."""
    text = f"#1 {bets} 2.main=100@p2 nomore 1+Ac 2+8c B+Th 1+Kd 2+9c {claim} 1.stand B+7c end"
    assert_same_anywhere(text, judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS), BLACK_JACK, random.Random(1))


def test_a_card_said_to_be_taken_from_a_seat_without_cards_is_none_of_the_banks() -> None:
    text = "#1 1.main=100@p1 nomore B-7d B+?? 1~7c B~7c 1.stand B+Tc end"
    assert_same_anywhere(text, judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS), BLACK_JACK, random.Random(1))


@pytest.mark.parametrize("seed", few(range(200), 4))
def test_cards_are_turned_and_taken_away_alike_whatever_the_log_tells_of_their_suits(seed: int) -> None:
    dice = random.Random(seed)
    names = ("7c", "7d", "7x", "8c", "8x", "??")
    acts = [dice.choice("1B") + dice.choice("+-^~~") + dice.choice(names) for _ in range(dice.randint(2, 8))]
    text = f"#1 1.main=100@p1 2.main=100@p2 nomore 1-7x 2+9c B+6h 1+8x 2+7s 1.hit {' '.join(acts)} 2.surrender 1.stand"
    assert_same_anywhere(f"{text} B+Kd", judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS), BLACK_JACK, dice)


def test_art5_n1_2_a_card_that_goes_to_its_rightful_hand_left_the_shoe_once() -> None:
    """10 cards lie before the white one, and are dealt in two rounds: the third one comes to it."""
    text = "#- shuffle:1:hand:1 white:1:42 #1 {} 1+Kd 2+7c 2~7c 1+7c {} #2 {} 1+8d 1+Kd {} #3 {} 1+9d {}".format(
        *["1.main=100@p1 nomore 1+9c B+6h", "1.stand B+Kc end"] * 3
    )
    judge = judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS)
    assert_same_anywhere(text, judge, BLACK_JACK, random.Random(1))


@pytest.mark.parametrize("before", [10, 11, 12, 13])
def test_art5_n1_2_which_of_several_equal_cards_goes_on_makes_no_difference(before: int) -> None:
    """Three sevens are taken away, two of one hand and one of another, and go on, the last of them to the first hand."""
    wrong = "1+7c 2+7c 1+7c 1~7c 2~7c 1~7c 3+7c 4+7c 1+7c"
    bets = " ".join(f"{seat}.main=100@p{seat}" for seat in range(1, 5))
    rounds = " ".join(f"#{number} 1.main=100@p1 nomore 1+9c B+6h 1+8d 1.stand B+Kc end" for number in range(2, 5))
    text = f"#- shuffle:1:hand:1 white:1:{52 - before} #1 {bets} nomore {wrong} B+6h 1.stand end {rounds}"
    (log,) = inspect_all(
        [TableDay("T1", DAY, columns_of(parse_events(f"open:black_jack:MOP:7=0 {text}", gaming_day=DAY)))]
    )
    assert assert_same(log) == 4


@pytest.mark.parametrize(
    "done",
    [
        "#- shuffle:1:hand:6 cut:1:p1 !-?? !-?? #1 nomore end #- !-?? #2 {}",
        "#- shuffle:1:hand:6 #1 {} #- white!1 #2 nomore end #3 1.main=100@p1 void:left end #4 {} #5 {}",
        "#1 {} #2 !-?? white!1 1.main=100@p1 void:left end #3 {} #4 nomore white!1 shuffle:1:hand:6 white!1 !-?? end #5 {}",
    ],
)
def test_what_was_done_to_the_shoe_before_a_round_without_a_card_is_of_the_next_one(done: str) -> None:
    """Arts. 2(2)(1) and 4(1): burns and the white card between rounds."""
    text = done.format(*["1.main=100@p1 nomore 1+9c B+6h 1+Kd 1.stand B+Kc B+5s end"] * 4)
    judge = judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS)
    assert_same_anywhere(text, judge, BLACK_JACK, random.Random(1))


def test_a_total_called_for_the_bank_when_the_next_shoe_was_made_ready_is_of_its_own_round() -> None:
    deal = "1.main=100@p1 nomore 1+9c B+6h 1+Kd 1.stand B+Kc B+5s"
    text = f"#1 {deal} shuffle:2:hand:6 !-?? B=20 end #2 {deal} end"
    judge = judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS)
    assert_same_anywhere(text, judge, BLACK_JACK, random.Random(1))


def test_a_bet_laid_in_parts_is_one_bettors_and_those_that_name_nobody_may_be_of_several() -> None:
    judge = judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS)
    for player in ("@p1", ""):
        text = f"#1 1.main=50{player} 1.main=50{player} nomore 1+Ac B+Ah 1+Kd 1.even_money 1.stand B+Kc end"
        assert_same_anywhere(text, judge, BLACK_JACK, random.Random(1))


@pytest.mark.parametrize("game", [BLACK_JACK, FORTUNE])
def test_a_stored_table_is_small_and_of_the_very_game(game: Game) -> None:
    table = one_by_one(parse_events("#1 1.main=100@p1 nomore 1+9c B+6h 1+8d", gaming_day=DAY), game)
    stored = pickle.dumps(table)
    assert pickle.loads(stored).rounds[1].game is game  # noqa: S301 - our own


def test_a_program_of_its_own_can_store_a_table_of_a_game() -> None:
    script = "from replayer.law.black_jack import GAME; from replayer.engine.table_in_play import TableInPlay"
    stored = f"{script}; import pickle; assert pickle.loads(pickle.dumps(TableInPlay(GAME)))"
    assert subprocess.run([sys.executable, "-c", stored], check=False).returncode == 0
    assert len(stored) < 2000


def test_what_happens_to_the_table_is_of_no_round_whatever_number_it_bears() -> None:
    table = one_by_one(parse_events("#7 fill:F1=500 dealer+D2 #8 1.main=100@p1", gaming_day=DAY), BLACK_JACK)
    assert set(table.rounds) == {8}


@pytest.mark.parametrize("version", [fortune_3_card_poker.V78, fortune_3_card_poker.V97])
def test_fortune_is_judged_at_any_event_as_if_its_day_had_ended_there(version: str) -> None:
    dice, judge = random.Random(version), judge_under(FORTUNE, version, (), DEFAULTS)
    for number in range(1, 7):
        deal = deal_notation(some_deal(dice, undecided=0.05, miscounted=0.05), number)
        assert_same_anywhere(deal, judge, FORTUNE, dice)


@pytest.mark.parametrize("seed", few(range(300), 4))
def test_the_croupiers_cards_are_shown_or_not_however_the_log_names_them(seed: int) -> None:
    """Face up and down, turned as they are named, otherwise, again, or before they are dealt; also where no log tells of it."""
    dice = random.Random(seed)
    dealt = [
        f"B{dice.choice('---+')}{card}" for card in dice.choices(("Qc", "8d", "3s", "??"), k=dice.choice((3, 3, 4)))
    ]
    turned = [f"B^{card}" for card in dice.choices(("Qc", "8d", "3s", "??"), k=dice.randint(0, 4))]
    bank = [*dealt, *turned] if dice.random() < 0.7 else dice.sample([*dealt, *turned], k=len(dealt) + len(turned))
    text = f"#1 1.ante=100 nomore 1-Kc 1-9d 1-4h {' '.join(bank)} 1.raise 1.raise=100 end"
    law = judge_under(FORTUNE, fortune_3_card_poker.V78, (), DEFAULTS).rules
    for recorded in (frozenset[str](), frozenset({TURNS})):
        assert_same_anywhere(text, Evaluator(FORTUNE, replace(law, recorded=recorded)), FORTUNE, dice)


@pytest.mark.parametrize("reading", ["keep", "replace", "void"])
def test_a_card_of_the_croupier_that_is_turned_in_the_deal_is_judged_as_exposed(reading: str) -> None:
    """Art. 11(2), F3-11: replaced by none, it leaves him two cards, and two are no hand (11(1))."""
    judge = judge_under(FORTUNE, fortune_3_card_poker.V78, (), readings_by({"exposed_dealer_card": reading}))
    text = "#1 1.ante=100 nomore 1-Kc 1-9d 1-4h B-9h B-Qs B^Qs B-2h 1.raise 1.raise=100 B^9h B^2h end"
    assert_same_anywhere(text, judge, FORTUNE, random.Random(reading))
    [found] = judged(one_by_one(parse_events(text, gaming_day=DAY), FORTUNE), judge).values()
    assert found.bank.value.outcome is not None
    assert found.bank.value.outcome.void == (reading == "replace")


def test_two_causes_of_a_void_round_are_two_though_a_message_spells_them_the_same() -> None:
    text = "#1 1.ante=100 nomore 1-Kc 1.raise void:{a%25b} void:{a b} 2-Jc end"
    assert_same_anywhere(text, judge_under(FORTUNE, fortune_3_card_poker.V78, (), DEFAULTS), FORTUNE, random.Random(0))


@pytest.mark.parametrize("cards", ["", "2-Jc 2-7d 2-2h"])
@pytest.mark.parametrize("bet", ["ante=0", "raise=100"])
def test_what_is_no_bet_is_none_however_its_round_is_judged(bet: str, cards: str) -> None:
    text = f"#1 1.ante=100 2.{bet} nomore 1-Kc 1-9d 1-4h {cards} B-Qc B-8d B-3s 1.raise 1.raise=100 B^Qc B^8d B^3s end"
    assert_same_anywhere(
        text, judge_under(FORTUNE, fortune_3_card_poker.V78, (), DEFAULTS), FORTUNE, random.Random(cards)
    )


@pytest.mark.parametrize(
    "idle", ["nomore end", "1.ante=100 void:{player left} end", "nomore end #9 nomore end", "2-Ac end", "!-2c end"]
)
@pytest.mark.parametrize(
    "shuffled", ["#- shuffle:1:hand:1 {}", "{} shuffle:1:hand:1 cut:1:p1", "#- shuffle:1:machine:1 {} shuffle:2:hand:2"]
)
def test_cards_shuffled_before_a_round_that_took_none_are_those_of_the_next(idle: str, shuffled: str) -> None:
    before = shuffled.format("#1") + f" {idle}"
    dealt = "1.ante=100 nomore 1-Kc B-Qc 1-9d B-8d 1-4h B-3s 1.raise 1.raise=100 B^Qc B^8d B^3s end"
    text = f"{before} #10 {dealt} #11 nomore end #- cut:1:p1 #12 nomore 1-Kc end"
    assert_same_anywhere(
        text, judge_under(FORTUNE, fortune_3_card_poker.V78, (), DEFAULTS), FORTUNE, random.Random(text)
    )


@pytest.mark.parametrize(
    "white", ["#- white:1:305 #1", "#1 white:1:305", "#- white:1:312 white:1:30 #1", "#- white:1:400 #1"]
)
def test_a_white_card_that_the_cards_dealt_had_before_them_is_out(white: str) -> None:
    deal = "1.main=100@p1 nomore 1+Kc B+6h 1+Qd 1.stand B+Tc B+5d 1.main>-100@p1 end"
    text = (
        f"#- shuffle:1:hand:6 cut:1:p1 !-?? {white} {deal} #2 {deal} #3 {deal} #- shuffle:2:hand:6 #4 {deal} #5 {deal}"
    )
    judge = judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS)
    assert_same_anywhere(text, judge, BLACK_JACK, random.Random(white))
    found = judged(one_by_one(parse_events(text, gaming_day=DAY), BLACK_JACK), judge)
    late = {at for at, of in found.items() if "ROUND_AFTER_WHITE_CARD" in {one.code for one in of.round.value.breaches}}
    assert late == ({3} if "305" in white else {2, 3})


@pytest.mark.parametrize(
    "then",
    [
        "1.stand B+Tc B+5d end",  # in its middle
        "1.hit 1+2s 1.stand end",
        "1.stand B+Tc B+5d end #- !-?? !-??",  # or for the next one
        "end",
        "#2 1.main=100@p1 #1 !-?? 1.hit 1+2s",
    ],
)
@pytest.mark.parametrize("shuffle", ["shuffle:2:hand:6 {} cut:2:p1 white:2:60", "{} shuffle:2:hand:6"])
@pytest.mark.parametrize("played", few(["1.hit 1+3h", "", "1.stand B+Tc"], 2))
def test_a_shoe_that_is_shuffled_when_cards_of_the_round_were_dealt(played: str, shuffle: str, then: str) -> None:
    judge, burned = judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS), "!-?? " * 6
    shoe = f"{shuffle.format('shuffle:2:hand:6')} {burned}"
    deal = "1.main=100@p1 nomore 1+4c B+6h 1+5d"
    text = f"#- shuffle:1:hand:6 cut:1:p1 white:1:60 {burned} #1 {deal} {played} {shoe} {then} #2 {deal} 1.stand B+Tc #3 {deal}"
    assert_same_anywhere(text, judge, BLACK_JACK, random.Random(text))


def found_in_columns(made: Reconstruction) -> set[FoundBreach]:
    """The breaches of seats, banks and rounds that can be judged, at their positions in the log; of void rounds those of their
    procedure."""
    assert made.judged is not None
    shown = shown_late(made.judged, PlaceOfPlay(made.events, made.judged), made.rounds)
    noted, judgeable = (*made.judged.judgements.noted, *shown), made.judged.context.evaluator_of
    whole = [
        note for note in noted if judgeable[note.ri] and (note.ri not in made.voids or note.subject is Subject.ROUND)
    ]
    return {
        FoundBreach(note.seq, note.seat, note.breach)
        for note in whole
        if note.subject in (Subject.SEAT, Subject.BANK, Subject.ROUND)
    }


def test_what_a_round_that_was_broken_off_lacks_is_no_breach() -> None:
    """Art. 5(1)(2): all its cards are cancelled, the bank need not draw any more."""
    judge = judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS)
    dealt = "#1 1.main=100@p1 nomore 1+9c B+6h 1+8d 1.stand B+Tc {}"
    codes = {}
    for end in ("end", "void:misdeal"):
        round_ = one_by_one(parse_events(dealt.format(end), gaming_day=DAY), BLACK_JACK).rounds[1]
        codes[end] = {found.breach.code for found in round_.breaches(round_.judged(judge))}
    assert "BANK_DID_NOT_DRAW" in codes["end"]
    assert codes["void:misdeal"] == codes["end"] - {"BANK_DID_NOT_DRAW"}


@pytest.mark.parametrize(
    ("hole", "procedure", "left_open"),
    [("Tc", "1", {"1+7d"}), ("Kd", "3", {"1+7d"}), ("Ac", "1", {"1+7d"}), ("Ac", "3", set())],
)
def test_art6_n3_a_hand_left_open_is_found_at_its_last_card_once_the_bank_has_played(
    hole: str, procedure: str, left_open: set[str]
) -> None:
    """Once it has its second card, which comes when all were heard (art. 5(2)(1)(1)), and not before; with a hidden card it looks
    at, once that makes no Black Jack (art. 5(2)(3)(4))."""
    dealt = "#1 1.main=100@p1 2.main=100@p2 nomore 1+5c 2+Kc B+Th 1+7d 2+Qd 2.stand"
    judge = Evaluator(BLACK_JACK, rules(recorded=[STANDS], deal_procedure=procedure))
    assert_same_anywhere(f"{dealt} B+{hole} end", judge, BLACK_JACK, random.Random(hole))
    words = f"{dealt} B+{hole} end".split()
    table, found = TableInPlay(BLACK_JACK), list[set[str]]()
    for event in parse_events(" ".join(words), gaming_day=DAY):
        table.take(event)
        round_ = table.rounds[1]
        missing = [each for each in round_.breaches(round_.judged(judge)) if each.breach.code == "DECISION_MISSING"]
        found.append({words[each.seq] for each in missing})
    assert found == [set()] * (len(found) - 2) + [left_open] * 2


@pytest.mark.parametrize(
    ("then", "at"),
    [
        ("1^Kc 1^6c 2.stand", None),
        ("2.stand 1^Kc 1^6c", "1^6c"),
        ("2+3d 2~3d:misdeal 1^Kc 1^6c 2.stand", None),  # a card that came by error is no play
        ("2.insurance 1^Kc 1^6c 2.stand", None),  # nor is insurance
        ("2.stand B+Td 1^Kc 1^6c", "1^6c"),
        ("1^Kc 2.stand void:misdeal 1^6c", None),
    ],
)
def test_art6_n2_a_hand_shown_after_play_had_gone_on_at_another_place_is_found_as_it_happens(
    then: str, at: str | None
) -> None:
    text = f"#1 1.main=100@p1 2.main=100@p2 nomore 1-Kc 2-Kd B+6h 1-6c 2-9s 1.hit 1+8c {then} B+5s 2^Kd 2^9s end"
    opened = "open:black_jack:MOP:7=0 option:deal_procedure=1"
    (log,) = inspect_all([TableDay("T1", DAY, columns_of(parse_events(f"{opened} {text}", gaming_day=DAY)))])
    assert assert_same(log) == 1
    round_ = one_by_one(events_of(log.events), BLACK_JACK).rounds[1]
    law = rules(recorded=[TURNS], deal_procedure="1")
    found = round_.breaches(round_.judged(Evaluator(BLACK_JACK, law)))
    shown = [each.seq for each in found if each.breach.code == "BUST_NOT_SHOWN"]
    seq = len(opened.split()) + len(text.split()[1 : text.split().index(at) + 1]) if at else 0
    assert shown == ([seq] if at else [])


def assert_same(log: Log, settings: ReplaySettings | None = None) -> int:
    """How many rounds were judged, each the same, and found to break the same rules at the same events."""
    made = reconstruct([log], log.opened.game, settings or ReplaySettings())
    if made.judged is None:
        return 0
    context = made.judged.context
    table = one_by_one(events_of(log.events), made.judged.game)
    count, found = 0, set[FoundBreach]()
    for ri, number in enumerate(made.rounds.to_list()):
        if context.evaluator_numbers[ri] is not None:
            round_, judge = table.rounds[number], context.evaluators[context.evaluator_numbers[ri]]
            judged = round_.judged(judge)
            assert judged == of_columns(made.judged.histories, made.judged.judgements, ri), f"round {number}"
            found.update(round_.breaches(judged) if context.evaluator_of[ri] else ())
            count += 1
    assert found == found_in_columns(made)
    return count


@pytest.mark.parametrize("seed", few(range(200), 5))
def test_whatever_the_contract_accepts_is_judged_the_same(seed: int) -> None:
    events = [event for event in odd_table_day(seed) if event.table_id == "ODD"]
    (log,) = inspect_all([TableDay("ODD", events[0].gaming_day, columns_of(events))])
    assert_same(log)


@pytest.mark.usefixtures("forget")  # else, behind others, seats are judged singly, which words an open hand otherwise
def test_whole_days_of_a_pit_with_faults_are_judged_the_same(tmp_path: Path) -> None:
    simulate(archive=tmp_path, tables=4, rounds=40, seed=3, faults=0.1)
    days = logs_in(tmp_path)
    assert sum(map(assert_same, inspect_all(days))) == 4 * 40


def assert_judged_after_each_as_once(events: Iterable[Event], judge: Evaluator, game: Game) -> None:
    """A table judged after each event has the judgements and breaches of one that was judged at this event only."""
    watched = TableInPlay(game)
    for number, event in enumerate(events, 1):
        round_ = watched.take(event)
        if round_ is None:
            continue
        once = pickle.loads(pickle.dumps(round_))  # noqa: S301 - our own; what was judged before is not stored
        now = round_.judged(judge)
        assert now == once.judged(judge), f"{number}: {event}"
        assert round_.breaches(now) == once.breaches(now)


@pytest.mark.parametrize("seed", few(range(200), 10))
def test_a_round_judged_after_each_event_is_judged_as_once(seed: int) -> None:
    dice = random.Random(seed)
    made = some_round(dice, unlawful=seed % 3 * UNLAWFUL)
    shuffle = dice.choice(("", "#- shuffle:1:hand:6", "#1 shuffle:2:hand:6 #- cut:1:p1"))
    text = f"{notation(made, 1)} {shuffle} {notation(made, 2)}"
    assert_judged_after_each_as_once(parse_events(text, gaming_day=DAY), evaluator_of(made.house), BLACK_JACK)
    deal = deal_notation(some_deal(dice, undecided=0.05, miscounted=0.05), 1)
    version = dice.choice((fortune_3_card_poker.V78, fortune_3_card_poker.V97))
    judge = judge_under(FORTUNE, version, (), DEFAULTS)
    assert_judged_after_each_as_once(parse_events(deal, gaming_day=DAY), judge, FORTUNE)


@pytest.mark.parametrize("seed", few(range(200), 5))
def test_whatever_the_contract_accepts_is_judged_after_each_event_as_once(seed: int) -> None:
    events = [event for event in odd_table_day(seed) if event.table_id == "ODD"]
    assert_judged_after_each_as_once(events, judge_under(BLACK_JACK, black_jack.V2009, (), DEFAULTS), BLACK_JACK)


def test_a_round_is_judged_anew_by_other_rules_and_from_an_alphabet_that_was_begun_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events = list(parse_events("#1 1.main=100@p1 nomore 1+9c B+6h 1+Kd 1.stand B+Kc B+5s end", gaming_day=DAY))
    judges = [judge_under(BLACK_JACK, version, (), DEFAULTS) for version in (black_jack.V2000, black_jack.V2009)]
    table = TableInPlay(BLACK_JACK)
    for number, event in enumerate(events, 1):
        table.take(event)
        monkeypatch.setattr(evaluator, "_ALPHABETS", {} if number % 3 else evaluator._ALPHABETS)
        for judge in judges:
            assert [judged(table, judge)] == at_once([events[:number]], judge, BLACK_JACK)
