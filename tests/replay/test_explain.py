"""An explanation shows the whole round, names the article of every payment, and hides who played."""

from __future__ import annotations

import datetime as dt
import re
from zoneinfo import ZoneInfo

import pytest

from replayer.explanation import Explanation, NoSuchRound, explain_round
from replayer.log.columns import TableDay, columns_of
from schemas.identity import Pseudonyms
from schemas.notation import parse_events
from tests.texts import CLOSED, ONE_BURNED, opened, table_day_of

DAY = dt.date(2009, 6, 1)
OPENED = opened(ONE_BURNED)
TEXT = f"""{OPENED}
#1 1.main=100@P104233 nomore !-?? 1+Kc B+6h 1+Qd 1.stand@P104233 B+Tc B+5d 1.main>+100@P104233 end
{CLOSED}"""


def explained(number: int | str = 1, *, identities: bool = False, text: str = TEXT) -> Explanation:
    named = str if identities else Pseudonyms().of
    return explain_round(table_day_of(text, DAY), number, named=named, zone=ZoneInfo("Asia/Macau"))


def test_every_event_of_the_round_is_shown_in_the_table_s_local_time() -> None:
    lines = explained().events
    assert [line.seq for line in lines] == list(range(7, 18))
    assert lines[0].at == "20:00:06"  # 12:00:06 UTC, eight hours ahead in Macau
    assert lines[2].text == "a card not named burned, face down"


def test_the_payment_names_its_article_and_what_it_was_off_by() -> None:
    (wager,) = explained().wagers
    assert wager.article == "57/2009 art. 9"
    assert (wager.due_minor, wager.paid_minor, wager.delta_minor) == (-10000, 10000, 20000)
    assert explained().delta_minor == 20000
    assert "overpaid by 200" in explained().text()


def test_a_payment_by_the_hand_names_the_hand_of_a_split_pair() -> None:
    """Both hands of seat 1 were paid as "1 hand", and nobody could tell which of them was short."""
    split = (
        "#1 1.main=100@P104233 nomore !-?? 1+8c B+6h 1+8d 1.split 1b.split=100@P104233 1+Tc 1.stand 1b+Th 1b.stand "
        "B+Tc B+Kd 1.hand=100>+100@P104233 1b.hand=100>+50@P104233 end"
    )
    explanation = explained(text=f"{OPENED}\n{split}")
    assert [(paid.place, paid.delta_minor) for paid in explanation.wagers] == [("1", 0), ("1b", -5000)]
    assert "1b  hand          stake       100  due       +100  paid        +50  underpaid by 50" in explanation.text()


def test_x2_what_is_due_is_shown_to_the_half_avo() -> None:
    """A natural on 0.05 read "due +0.07 paid +0.08" and nothing was found: as if an avo too much were no matter."""
    natural = "#1 1.main=0.05@P104233 nomore !-?? 1+Ac B+6h 1+Qd B+Tc B+8d 1.main=0.05>+0.08@P104233 end"
    explanation = explained(text=f"{OPENED}\n{natural}")
    assert "stake      0.05  due     +0.075  paid      +0.08  [57/2009" in explanation.text()


def test_of_several_bettors_on_a_seat_each_line_names_its_own() -> None:
    """Two stakes of 100 on seat 1 tied; one was paid as won, and nobody could tell whose."""
    shared = (
        "#1 1.main=100@Q104233/0 1.main=100@Q777777/1 2.main=50@Q5/0 nomore !-?? 1+Kc 2+9c B+6h 1+Qd 2+9d 1.stand@Q104233 "
        "2.stand@Q5 B+Tc B+4d 1.main>0@Q104233/0 1.main>+100@Q777777/1 2.main>-50@Q5/0 end"
    )
    text = f"{OPENED}\n{shared}"
    named, hidden = explained(identities=True, text=text), explained(text=text)
    assert [line.about for line in named.rules if "main" in line.about] == [
        "1.main@Q104233",
        "1.main@Q777777",
        "2.main",
    ]
    _, money = named.text().split("Due and paid\n")
    seated, behind, other, *_ = money.splitlines()
    assert "overpaid" not in seated and seated.endswith("(Q104233)")
    assert "overpaid by 100" in behind and behind.endswith("(Q777777)")
    assert other.endswith("[57/2009 art. 9]")
    assert not re.search("Q104233|Q777777", hidden.text() + str(hidden.to_dict()))


@pytest.mark.parametrize(
    ("dealt", "expected"),
    [
        ("1+Qd 1.stand", ("K Q counts 20", "57/2009 art. 8")),
        ("1+6d 1.hit 1+9d", ("K 6 9 is 25: over 21", "57/2009 art. 7(2)")),
    ],
)
def test_a_hand_is_shown_with_what_it_counts(dealt: str, expected: tuple[str, str]) -> None:
    assert "1+Qd 1.stand@P104233" in TEXT
    text = TEXT.replace("1+Qd 1.stand@P104233", dealt)
    assert [(line.text, line.article) for line in explained(text=text).rules if line.about == "seat 1"] == [expected]


def test_the_bank_s_black_jack_is_called_that() -> None:
    text = TEXT.replace("B+6h 1+Qd 1.stand@P104233 B+Tc B+5d", "B+Ah 1+Qd 1.stand@P104233 B+Tc")
    assert [line.text for line in explained(text=text).rules if line.about == "bank"] == [
        "the bank has Black Jack with A T"
    ]


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("Kc Qd Jd", "KQJ (two of one suit)"),
        ("Ac Kc Qc", "AKQ (all of one suit)"),
        ("Kc 9d 4h", "K94 (three odd cards)"),
    ],
)
def test_a_hand_whose_name_depends_on_a_reading_is_described_in_words(cards: str, expected: str) -> None:
    """F3-1, F3-3: the page said "KQJt: plays against the croupier", which only its writer could read."""
    own = " ".join(f"1-{card}" for card in cards.split())
    bank = " ".join(f"B-{card}" for card in cards.replace("c", "s").split())
    text = f"""open:fortune_3_card_poker:MOP:7=50000
        #1 1.ante=100 nomore {own} {bank} 1.raise 1.raise=100 1.ante>0 1.raise>0 end"""
    said = {line.about: line.text for line in explained(text=text).rules if line.about in {"seat 1", "bank"}}
    assert said["seat 1"] == f"{expected}: plays against the croupier"
    assert said["bank"] == f"the croupier holds {expected.replace(' (three odd cards)', '')}"


def test_a_stake_that_came_back_after_it_was_lost_is_part_of_what_the_house_overpaid() -> None:
    """The wager itself was collected as due, and the round was shown with a delta of nothing."""
    text = TEXT.replace("1.main>+100@P104233 end", "1.main>-100@P104233 1.main=100>+100@P104233 end")
    refunded = explained(text=text)
    assert [wager.delta_minor for wager in refunded.wagers] == [0]
    assert refunded.delta_minor == refunded.to_dict()["delta_minor"] == 10000


@pytest.mark.parametrize(
    ("settled", "expected", "finding"),
    [
        (" 1.streak_2=10>+20@P1", "due        +30  paid        +20  underpaid by 10", "UNDERPAID"),
        ("", "due        +30  paid          -  unsettled: no settlement on the log", "WAGER_UNSETTLED"),
    ],
)
def test_art13_n5_a_run_that_ends_in_a_round_is_shown_there(settled: str, expected: str, finding: str) -> None:
    """It was shown in the round of its placing only: where it was paid 3 to 1 short, there were no findings."""
    won = "nomore !-?? 1+Kc B+6h 1+Qd 1.stand@P1 B+Tc B+Kd 1.main=100>+100@P1"
    rounds = (
        "option:side_streak=on:DICJ-2:2009-05-04:2009-05-20:2009-06-01",
        f"#1 1.main=100@P1 1.streak_2=10@P1 {won} 1*2 end",
        f"#2 1.main=100@P1 {won}{settled} 1*3 end",
        f"#3 1.main=100@P1 {won} end",
    )
    text = "\n".join([OPENED, *rounds])
    last = explained(2, text=text)
    assert [(bet.round, bet.wager, bet.due_minor) for bet in last.wagers] == [(1, "streak_2", 3000), (2, "main", 10000)]
    assert f"{expected}  [57/2009 art. 14(5)(1)]  placed in round 1" in last.text()
    assert [line.article for line in last.rules if line.about == "1.streak_2"][-1] == "57/2009 art. 14(5)(1)"
    assert finding in [found.code for found in last.findings]
    assert "placed in round" not in explained(1, text=text).text() + explained(3, text=text).text()


def test_x4_an_ordinary_win_cites_the_ruling_that_makes_it_one_to_one() -> None:
    text = TEXT.replace("B+5d", "B+Kd")
    won = explain_round(table_day_of(text, DAY), 1)
    assert "20 against a bank over 21: 1 to 1 (X-4)" in won.text()
    assert won.rulings == ()  # it is so whatever is read


@pytest.mark.parametrize("bank", ["B+Tc", "B+Tc B+5d B+2s"])
def test_what_the_bank_drew_wrongly_stands_once_among_the_rules(bank: str) -> None:
    text = TEXT.replace("B+Tc B+5d", bank)
    rules = explain_round(table_day_of(text, DAY), 1).rules
    lines = [line.text for line in rules if line.about == "bank"]
    assert len(lines) == len(set(lines)) == 2


@pytest.mark.parametrize(
    ("played", "about"), [("1.stand B+Tc B+5d void:{a mistake}", "round"), ("B+Tc B+5d 1.main>-100@P104233", "seat 1")]
)
def test_what_depends_on_other_hands_stands_among_the_rules_where_it_is_a_breach(played: str, about: str) -> None:
    """A declaration without an error, and a hand left open when the bank had no Black Jack."""
    _, behind = TEXT.split("1.stand@P104233")
    text = TEXT.replace(
        f"1.stand@P104233{behind}", f"{played} end #2 1.main=50@P1 nomore 1+2c B+7h 1+9d 1.stand@P1 end"
    )
    explanation = explain_round(table_day_of(text, DAY), 1)
    (message,) = (
        found.message for found in explanation.findings if found.code in ("VOID_UNFOUNDED", "DECISION_MISSING")
    )
    assert [line.text for line in explanation.rules if line.about == about].count(message) == 1


@pytest.mark.parametrize(
    ("bank", "missing"),
    [
        ("B+Tc void:{a mistake}", None),
        ("B+Tc B+5d", 15),  # the bank's third card
        ("B+Tc B+5d", 5),  # the cut
    ],
)
def test_what_is_no_finding_is_no_breach_among_the_rules(bank: str, missing: int | None) -> None:
    """Neither that the bank did not draw in a round that was broken off, nor what may be among the events that are missing."""
    events = parse_events(TEXT.replace("B+Tc B+5d", bank), gaming_day=DAY)
    explanation = explain_round(TableDay("T1", DAY, columns_of(e for e in events if e.seq != missing)), 1)
    found = {finding.message for finding in explanation.findings}
    (line,) = (line.text for line in explanation.rules if line.about in {"round", "bank"} and line.text not in found)
    assert line.startswith("the bank has ")


def test_a_wager_of_a_void_round_that_went_back_is_not_said_to_be_unsettled() -> None:
    text = TEXT.replace("1.main>+100@P104233 end", "void:{cards cancelled} 1.main>0@P104233 end")
    void = explain_round(table_day_of(text, DAY), 1)
    assert "paid          0  void  [" in void.text()


def test_players_stand_under_pseudonyms_unless_asked_for() -> None:
    hidden, shown = explained(), explained(identities=True)
    assert "P104233" not in hidden.text() + str(hidden.to_dict())
    assert "P104233" in shown.notation


def test_no_finding_names_a_player() -> None:
    """Whose decision it was the log says; a finding's message goes into lake, report and explanation as it is."""
    shared = (
        "#1 1.main=100@Q104233/0 1.main=50@Q777777/1 nomore !-?? 1+Kc B+6h 1+Qd 1.stand@Q777777 B+Tc B+5d "
        "1.main>-100@Q104233 1.main>-50@Q777777 end"
    )
    explanation = explained(text=f"{OPENED}\n{shared}")
    assert [finding.code for finding in explanation.findings] == ["DECISION_OF_ANOTHER"]
    assert not re.search("Q104233|Q777777", explanation.text() + str(explanation.to_dict()))


def test_the_notation_of_an_explanation_can_be_parsed_again() -> None:
    kinds = [event.kind for event in parse_events(explained(identities=True).notation)]
    assert kinds == [event.kind for event in parse_events(TEXT.splitlines()[1])]


CORRECTED = (
    ("1.main>+100@P104233 end", "1.main>+100@P104233 correct:16:{not paid}:1.main=100>-100@P104233 end"),
    ("nomore", "2.main=50@P5 nomore correct:8:{not placed}:2.main=0@P5"),
    ("B+5d", "B+7d correct:15:{not read}:B+5d"),
    ("1.main>+100@P104233 end", "1.main>+100@P104233 correct:16:again:1.main=100>+100@P104233 end"),  # changes nothing
    (f"end\n{CLOSED}", "end #2 correct:16:{not paid}:1.main=100>-100@P104233 1.main=50@P1 1.main>0@P1 end"),
)


@pytest.mark.parametrize(("recorded", "corrected"), CORRECTED)
def test_the_notation_of_a_corrected_round_gives_its_findings_again(recorded: str, corrected: str) -> None:
    """It had each fact as corrected beside the correction, which was then said to change nothing."""
    page = explained(identities=True, text=TEXT.replace(recorded, corrected))
    again = explained(identities=True, text=f"{OPENED}\n{page.notation}\n{CLOSED}")
    assert any("CORRECT" in finding.code for finding in page.findings)
    assert (page.findings, page.wagers, page.events) == (again.findings, again.wagers, again.events)


def test_a_correction_made_in_another_round_names_the_round_that_it_corrects() -> None:
    page = explained(2, identities=True, text=TEXT.replace(*CORRECTED[-1]))
    said = "Correction of seq 16 in round 1 (not paid): Seat 1: main settled at -100 (P104233)"
    assert page.events[0].text == said
    assert page.notation == "#2 1.main=50@P1 1.main=50>0@P1 end"


def test_a_round_that_is_not_there_is_said_with_those_that_are() -> None:
    with pytest.raises(NoSuchRound, match="has no round 7; it has rounds 1 to 1"):
        explained(7)


def test_a_round_is_found_by_its_name_in_an_imported_log_and_never_taken_for_another() -> None:
    rounds = TEXT.replace(" end", " end:R-7") + "\n#2 1.main=50@P1 end:3\n#3 1.main=50@P1 end:#9\n#4 1.main=50@P1 end:9"
    page = {text: explained(text, text=rounds).round for text in ("R-7", "1", "#2", "#3", "#9", "9", "4")}
    assert page == {"R-7": 1, "1": 1, "#2": 2, "#3": 3, "#9": 3, "9": 4, "4": 4}
    with pytest.raises(NoSuchRound, match="2 rounds of the name or number '3'; say which by one of '#2', '#3'"):
        explained("3", text=rounds)
    with pytest.raises(NoSuchRound, match="no round of the name or number 'R_7'"):
        explained("R_7", text=rounds)
    with pytest.raises(NoSuchRound, match="has no round 7; it has rounds 1 to 4"):
        explained("7", text=rounds)


def test_a_stake_that_was_laid_in_parts_has_each_sentence_of_its_rules_once() -> None:
    text = (
        TEXT.replace("1.main=100@", "1.main=60@P104233 1.main=40@")
        .replace("1.stand", "1.surrender")
        .replace("+100@", "-50@")
    )
    page = explained(text=text)
    assert [(line.article, line.text) for line in page.rules if line.about == "1.main"] == [
        ("57/2009 art. 18(1)", "surrendered: 1/2 of the stake is lost")
    ]


def test_f3_8_pair_plus_that_a_fold_forfeits_is_named_as_it_is_spoken() -> None:
    text = """open:fortune_3_card_poker:MOP:7=50000
        #1 1.ante=100 1.pair_plus=50 nomore 1-Kc 1-Kd 1-4h B-Qc B-8d B-3s 1.fold 1.ante>-100 1.pair_plus>-50 end"""
    page = explained(text=text)
    assert "Seat 1 places 50 on pair plus" in page.text()
    assert "not playing: the pair plus is collected" in [line.text for line in page.rules]


def test_what_was_recorded_and_what_was_put_in_its_place_are_both_shown() -> None:
    """The one at its own number and moment, the other as a correction."""
    text = (
        "open:black_jack:MOP:7=50000 #1 1.main=100 nomore 1+9c B+6h 1+8d 1.stand B+Tc B+7s 1.main>+100 end "
        "correct:9:{not read}:B+5s correct:10:miskeyed:1.main=100>-100"
    )
    round_ = explained(text=text)
    lines = {line.seq: line.text for line in round_.events}
    assert lines[9] == "7s to the bank, face up"
    assert lines[10] == "Seat 1: main settled at +100"
    assert lines[12] == "Correction of seq 9 (not read): 5s at the bank"
    assert lines[13] == "Correction of seq 10 (miskeyed): Seat 1: main settled at -100"
    (wager,) = round_.wagers
    assert (wager.due_minor, wager.paid_minor) == (-100_00, -100_00)


def test_a_wager_that_a_correction_took_away_is_shown_as_it_was_recorded() -> None:
    """Its number was missing from what happened, and nobody could tell what the correction spoke of."""
    text = TEXT.replace("nomore", "2.main=50@P5 nomore").replace("end\n", "correct:8:{not placed}:2.main=0@P5 end\n")
    round_ = explained(text=text, identities=True)
    assert [line.seq for line in round_.events] == list(range(7, 20))
    assert round_.events[1].text == "Seat 2 places 50 on main (P5)"
    assert [wager.seat for wager in round_.wagers] == [1]


def test_who_decided_and_who_was_paid_is_said() -> None:
    """A payment to the wrong one of two bettors looked like one to the right one."""
    said = [line.text for line in explained(identities=True).events]
    assert "Seat 1: stand (P104233)" in said
    assert "Seat 1: main settled at +100 (P104233)" in said


def test_a_finding_names_its_seat() -> None:
    assert "OVERPAID (seq 16) 57/2009 art. 9 seat 1: main: paid +100, due -100" in explained().text()


def test_a_payment_that_settles_no_wager_stands_among_the_payments() -> None:
    """A win of 100 paid as 60 and 40 was shown as 40 short, and the 40 nowhere among the payments."""
    paid = "B+Kd 1.main=100>+60@P104233 1.main=100>+40@P104233 end"
    money = explained(text=TEXT.replace("B+5d 1.main>+100@P104233 end", paid))
    assert money.delta_minor == 0
    first, second = money.text().split("Due and paid\n")[1].splitlines()[:2]
    assert "paid        +60  underpaid by 40" in first
    assert (
        second == "  1   main settled at +40, such a wager was settled already: together what was due  overpaid by 40"
    )


def test_a_wager_that_no_article_judges_shows_none() -> None:
    unnamed = explained(text=TEXT.replace("1+Kc", "1-??").replace("6h 1+Qd", "6h 1-??"))
    assert (
        unnamed.text().split("Due and paid\n")[1].splitlines()[0].endswith("unjudged: a card of the hand is not named")
    )


def test_each_hand_of_a_split_pair_is_told_by_its_letter() -> None:
    split = "1+8c B+6h 1+8d 1.split 1b.split=100@P104233 1+Tc 1.stand 1b+9h 1b.stand B+Tc B+Kd 1.main>+100@P104233 end"
    lines = explained(text=f"{TEXT.partition('1+Kc')[0]}{split}").rules
    assert [line.text for line in lines if line.about == "seat 1"] == ["8 T counts 18", "hand b: 8 9 counts 17"]


def test_art10_n6_an_ace_and_a_ten_of_a_split_are_told_to_be_no_black_jack() -> None:
    split = "1+Ac B+6h 1+Ad 1.split 1b.split=100@P104233 1+Tc 1b+9h B+Tc B+Kd 1.main>+100@P104233 end"
    lines = explained(text=f"{TEXT.partition('1+Kc')[0]}{split}").rules
    seat = [(line.article, line.text) for line in lines if line.about == "seat 1"]
    assert seat[0] == ("57/2009 art. 10(6)", "A T of a split counts 21 and is no Black Jack")


def test_amounts_have_their_currency_and_what_the_log_does_not_tell_is_said_to_be_not_checked() -> None:
    made = explained()
    assert (made.currency, made.not_checked) == ("MOP", ("totals",))
    assert "round 1: black_jack, amounts in MOP\n" in made.text()
    assert made.text().endswith("\n\nNot checked, as the log does not tell it: totals")


def test_bj29_what_is_due_of_a_void_round_does_not_say_that_the_void_was_right() -> None:
    """It said that the round was cancelled, beside a finding that nothing cancels it."""
    void = explained(text=TEXT.replace("1.main>+100", "void:{a mistake} 1.main>-100"))
    assert [found.code for found in void.findings] == ["VOID_UNFOUNDED", "UNDERPAID"]
    (due,) = (line.text for line in void.rules if line.about == "1.main")
    assert due == "the round was declared void, rightly or not: its cards do not count, the stake goes back"


FORTUNE = "open:fortune_3_card_poker:MOP:7=50000 shuffle:1:machine:1 #1 1.ante=100 nomore 1-Kc 1-9d 1-4h"


@pytest.mark.parametrize(
    ("then", "place", "bank"),
    [
        ("1.raise 1.raise=100 1.ante>+100 1.raise>0", "K94 (three odd cards): plays against the croupier", "has no card"),
        ("B-Qc failed:jam void:shuffler 1.ante>0", "K94 (three odd cards): no decision", "has 1 card"),
        ("1.fold 1.ante>-100", "K94 (three odd cards): does not play", "has no card"),
        ("B-?? B-8d B-3c 1.raise 1.raise=100 1.ante>+100 1.raise>0", "K94 (three odd cards): plays against the croupier",
         "holds cards that the log does not name"),
    ],
)  # fmt: skip
def test_hands_of_fortune_that_are_not_whole_are_told_in_words(then: str, place: str, bank: str) -> None:
    """A croupier who was dealt nothing held "???"; who was never asked was said not to play."""
    said = [(line.about, line.text) for line in explained(text=f"{FORTUNE} {then} end").rules]
    assert ("seat 1", place) in said
    assert ("bank", f"the croupier {bank}") in said


def test_f3_a_void_without_ground_is_not_called_an_invalid_round() -> None:
    dealt = "B-Qc B-8d B-3s 1.raise 1.raise=100 B^Qc B^8d B^3s void:{wrong order} 1.ante>+100 1.raise>+100 end"
    void = explained(text=f"{FORTUNE} {dealt}")
    assert "F3_VOID_UNFOUNDED" in {found.code for found in void.findings}
    said = "the round was declared void, rightly or not: its cards do not count, the bet is returned"
    assert {line.text for line in void.rules if line.about in {"1.ante", "1.raise"}} == {said}


@pytest.mark.parametrize(
    ("dealt", "ground", "article"),
    [
        ("1-Kc 1-9d B-Qc 1-4h B-8d B-3s void:misdeal", "the croupier got a card that was due to place 1: the round is invalid",
         "78/2008 art. 11(1)"),
        ("1-Kc 1-9d 1-4h B-Qc failed:jam void:shuffler", "the shuffler failed during the deal", "78/2008 art. 11(4)"),
    ],
)  # fmt: skip
def test_f3_a_void_with_ground_says_which(dealt: str, ground: str, article: str) -> None:
    """Nothing on the page told what had gone wrong in the deal."""
    void = explained(text=f"{FORTUNE.removesuffix('1-Kc 1-9d 1-4h')}{dealt} 1.ante>0 end")
    assert [(line.text, line.article) for line in void.rules if line.about == "round"] == [(ground, article)]
    assert void.findings == ()


def test_a_correction_that_gives_nothing_is_said_to() -> None:
    """It was told as "DecisionTaken", the name of a kind that it is not."""
    text = TEXT.replace(" end", " void:x correct:17:{not void}: end", 1)
    assert "Correction of seq 17 (not void): gives nothing" in [line.text for line in explained(text=text).events]


def test_what_was_done_to_the_shoe_is_said_in_words() -> None:
    text = TEXT.replace("B+Tc B+5d", "shuffle:2:hand:1 cut:2:player white:2:30 B+Tc B+5d")
    said = [line.text for line in explained(text=text).events]
    assert said[7:10] == [
        "Cards shuffled (hand, 1 deck)",
        "Cards cut by player",
        "White card put in, 30 cards behind it",
    ]


@pytest.mark.parametrize(("found", "said"), [("", ""), ("none", ": no Black Jack"), ("natural", ": Black Jack")])
def test_what_the_look_at_the_hidden_card_found_is_said(found: str, said: str) -> None:
    text = TEXT.replace("1.stand", f"B?{found} 1.stand")
    assert f"Bank looks at its hidden card{said}" in [line.text for line in explained(text=text).events]


def test_why_a_card_was_removed_is_said_as_it_was_recorded() -> None:
    text = TEXT.replace("1.stand", "1+2c 1~2c:{nobody asked} 1.stand")
    assert "2c removed from seat 1 (nobody asked)" in [line.text for line in explained(text=text).events]
