"""Every duty of the regulations that a table could break, and the finding that shows it, or why no log can.

The duties are those of the articles, instrument by instrument; where a later instrument says the same, it stands with the
number that it has there. A duty that a log could show and that is not checked yet says so.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

import analytics.reconciliation.reconcile
import replayer.law.calendar
import replayer.verdicts.run
from schemas.finding import CODES
from tests.oracle.black_jack import V2000
from tests.oracle.compare import evaluator_of, judged, some_round

DECLARING = (analytics.reconciliation.reconcile, replayer.law.calendar, replayer.verdicts.run)
"""What must be imported for every code to be declared."""

NOT_ON_A_LOG = "not on a log"
NOT_CHECKED = "not checked"


@dataclass(frozen=True)
class Duty:
    """What must be done, where it stands, and the codes of its findings; without codes, ``reason`` says why."""

    article: str
    what: str
    codes: tuple[str, ...] = ()
    reason: str = ""


def _duty(article: str, what: str, *codes: str, reason: str = "") -> Duty:
    return Duty(article, what, codes, reason)


BLACK_JACK_57_2009 = (
    _duty("1(1)", "a table of six seats or more", "OPTION_UNKNOWN"),
    _duty("1(2)", "as many decks as the house elected", "DECKS_NOT_ELECTED"),
    _duty("1(3)", "one white card with one deck, two with more", "WHITE_CARD_MISSING", "WHITE_CARD_SURPLUS"),
    _duty("2(1)(1)", "shuffled by the bank", "SHUFFLE_NOT_SEEN", "SHUFFLE_OTHERWISE", "SHOE_EMPTIED", "CARD_IMPOSSIBLE"),
    _duty("2(1)(1)", "cut with a white card, by a player or by the bank", "CUT_MISSING"),
    _duty("2(1)(1)", "the cut offered to the players first", reason=f"{NOT_ON_A_LOG}: only who cut is told"),
    _duty("2(1)(1)", "thirty cards or more behind the second white card", "WHITE_CARD_TOO_DEEP", "WHITE_CARD_TOO_SHALLOW"),
    _duty("2(2)(1)", "no further round after the second white card", "ROUND_AFTER_WHITE_CARD"),
    _duty("2(2)(2)", "shuffled at the end of a round, not in it", "SHUFFLE_DURING_ROUND"),
    _duty("2(2)(3)", "one round a shuffle from the box", "SHUFFLE_MISSING"),
    _duty("2(2)(4)", "used cards back into the machine after every round", "CARD_IMPOSSIBLE"),
    _duty("3(1)", "as many seats as the layout shows", "SEAT_NOT_ON_LAYOUT"),
    _duty("3(2)", "no more seats a player than the house allows", "SEATS_PER_PLAYER"),
    _duty("3(4)", "only the bank touches the cards where only standing players bet", reason=f"{NOT_ON_A_LOG}: who touches cards"),
    _duty("4(1)", "burned before the deal: as many cards as decks, or one", "BURN_MISSING", "BURN_SURPLUS"),
    _duty("4(2)", "burned later, as authorised", "BURN_MISSING", "BURN_SURPLUS"),
    _duty("5(1)", "cards to seats with bets only, and to all of them", "CARD_WITHOUT_BET", "SEAT_NOT_DEALT"),
    _duty("5(1)", "one card at a time, from the left", "DEAL_ORDER"),
    _duty("5(1)", "bets before cards, cards before payment, nothing after the end", "WAGER_AFTER_CLOSE", "PAID_DURING_DEAL",
          "CARD_AFTER_END", "CLOSE_LATE", "CLOSE_MISSING"),
    _duty("5(1)(1)", "a card that came out face up is void", "EXPOSED_CARD_KEPT"),
    _duty("5(1)(2)", "an error corrected as soon as noticed, or all cards of the round cancelled", "DEAL_ORDER",
          "CARD_TAKEN_AWAY", "CARD_TAKEN_BACK", "VOID_UNFOUNDED", "OVERPAID", "UNDERPAID"),
    _duty("5(2)", "faces as the procedure has them", "CARD_FACE", "EXPOSED_CARD_KEPT"),
    _duty("5(2)", "the bank's second card at its moment", "BANK_SECOND_CARD_EARLY", "BANK_SECOND_CARD_LATE"),
    _duty("5(2)(2)", "procedure 2 from shoe or machine", "DEAL_PROCEDURE_CLOSED"),
    _duty("5(2)(3)(3)", "the hidden card checked under an ace or a ten", "HOLE_NOT_CHECKED", "HOLE_CHECK_WRONG"),
    _duty("5(2)(3)(4)", "after Black Jack was found nobody plays on", "HOLE_CHECK_WRONG"),
    _duty("5(2)(3)", "the hidden card opened when the players have acted", "HOLE_CARD_OPENED_EARLY"),
    _duty("5(2)(3)(6)", "cards not bent, marked or carried off", reason=f"{NOT_ON_A_LOG}: what hands do to cards"),
    _duty("5(2)(3)(7)", "five hands at most with a hidden card", "SPLIT_TOO_OFTEN"),
    _duty("5(2)(3)(8)", "all bets of a round within the table's limit", "TABLE_LIMIT_EXCEEDED"),
    _duty("6(1)", "the bank draws while it must and no longer", "BANK_DID_NOT_DRAW", "BANK_SURPLUS_CARD"),
    _duty("6(2)", "a card to who asks for one, and to nobody else", "CARD_NOT_ASKED", "CARD_NOT_GIVEN"),
    _duty("6(2)", "a bust shown at once", "BUST_NOT_SHOWN"),
    _duty("6(3)", "seat by seat from the left, each decision final", "DECISION_ORDER", "DECISION_AFTER_FINAL",
          "DECISION_UNKNOWN"),
    _duty("6(3)", "a final decision on each hand before the bank plays", "DECISION_MISSING"),
    _duty("6(4)(1)", "no draw at 21 or with Black Jack", "HIT_AT_21"),
    _duty("6(4)(2)", "one card on a doubled hand", "HIT_AFTER_DOUBLE"),
    _duty("6(4)(3)", "one card on a split ace", "HIT_ON_SPLIT_ACE"),
    _duty("6(5)", "the right total announced", "TOTAL_WRONG"),
    _duty("6(5)", "every total announced where cards lie open", "TOTAL_NOT_CALLED"),
    _duty("6(5)", "totals announced from the left", "TOTAL_ORDER"),
    _duty("7(1)", "the bank's second card dealt, also where only the insurance waits for it", "BANK_DID_NOT_DRAW"),
    _duty("7(1)", "the bank's hidden card shown where hands or insurance wait for it", "HOLE_CARD_NOT_OPENED"),
    _duty("7(1)", "settled when the bank's cards can tell the result", "PAID_BEFORE_RESULT"),
    _duty("7(1)", "the bank's right total announced", "BANK_TOTAL_WRONG"),
    _duty("7(1)", "totals announced when cards were drawn", "TOTAL_NOT_CALLED", "BANK_TOTAL_NOT_CALLED"),
    _duty("7(2)", "a bust loses, when the card that makes it one lies there", "OVERPAID", "PAID_BEFORE_RESULT"),
    _duty("10(3)", "even money against an ace, a ten or a figure, in time", "EVEN_MONEY_REFUSED", "EVEN_MONEY_LATE"),
    _duty("10, 11", "Black Jack and ties paid as they stand", "OVERPAID", "UNDERPAID"),
    _duty("12(1)", "insurance against an ace, in time, within its bounds, on a main wager", "INSURANCE_REFUSED",
          "INSURANCE_BOUNDS", "WAGER_TOO_EARLY", "WAGER_TOO_LATE", "WAGER_WITHOUT_BASE"),
    _duty("13", "only wagers that there are and that were elected", "WAGER_UNKNOWN", "WAGER_NOT_OFFERED"),
    _duty("13", "one of the additional wagers", "SIDE_WAGERS_TOGETHER", "SIDE_WAGER_SURPLUS"),
    _duty("13(2), (3)", "before the first card", "WAGER_AFTER_CLOSE"),
    _duty("13(5)(2)(iii)", "the button moved with each round won", "BUTTON_NOT_MOVED", "BUTTON_MISPLACED"),
    _duty("11(2), 16(7)(2)", "the button left where it is by a tie", "BUTTON_MISPLACED"),
    _duty("13(5)(2)(v)", "running streaks left as they are", "STREAK_ADDED"),
    _duty("13(5)(2)(vi)", "a bet in each round while a streak runs", "STREAK_ABANDONED"),
    _duty("15", "the special prize paid", "UNDERPAID", "PRIZE_REFUSED"),
    _duty("15", "the special prize paid at once", "PRIZE_LATE"),
    _duty("16(1)", "pairs separated, as often as authorised", "SPLIT_NO_PAIR", "SPLIT_TOO_OFTEN", "HAND_WITHOUT_SPLIT"),
    _duty("16(1)", "four hands or more", "SPLIT_CAP_LOW"),
    _duty("16(2)", "a stake like the first on each hand", "SPLIT_NOT_STAKED", "STAKE_UNEQUAL", "STAKE_NOT_DECIDED"),
    _duty("17(1)", "doubled in an authorised mode, by as much again", "DOUBLE_REFUSED", "DOUBLE_NOT_STAKED", "STAKE_UNEQUAL",
          "STAKE_NOT_DECIDED"),
    _duty("17(2)", "the card of a doubled hand face up", "DOUBLE_CARD_DOWN"),
    _duty("17(2)", "the card of a doubled hand laid sideways", reason=f"{NOT_ON_A_LOG}: a log knows up and down"),
    _duty("18", "surrender not against an ace, in time, not reversed", "SURRENDER_REFUSED", "SURRENDER_LATE",
          "SURRENDER_EARLY", "DECISION_AFTER_FINAL"),
    _duty("19", "half for exactly five cards, not against an ace, in time", "FIVE_CARDS_REFUSED", "FIVE_CARDS_LATE"),
    _duty("20(1)", "who decides on a shared seat", "DECISION_OF_ANOTHER"),
    _duty("20(1)(2)", "three bettors at most on a seat", "SEAT_SHARED_BY_TOO_MANY"),
    _duty("20(1)", "the others follow a split or a double", "STAKE_NOT_FOLLOWED"),
    _duty("20(1)(3)", "only the occupant holds the cards", reason=f"{NOT_ON_A_LOG}: who holds cards is not told"),
    _duty("20(2)", "players at other seats do not decide", "DECISION_OF_ANOTHER"),
    _duty("21(1)", "options authorised, asked for three working days ahead", "OPTION_UNAUTHORISED", "OPTION_REQUESTED_LATE",
          "OPTION_USED_EARLY", "AUTHORISATION_UNDATED"),
    _duty("21(3)", "perfect pair and streaks with their own permission", "WAGER_UNAUTHORISED"),
)  # fmt: skip

BLACK_JACK_56_2004 = (
    _duty("6(3)", "decided by voice", reason=f"{NOT_ON_A_LOG}: how a decision was given is not told"),
    _duty(
        "17(1)", "the card of a hand doubled on first cards face up; on eleven the text is silent", "DOUBLE_CARD_DOWN"
    ),
    _duty(
        "17", "doubling on eleven in place of the other modes, not beside them", "DOUBLE_MODES_MIXED", "DOUBLE_REFUSED"
    ),
    _duty("21", "options authorised; text missing, assumed as 57/2009 art. 21(1)", "OPTION_UNAUTHORISED"),
)
"""Where it asks for something else than 57/2009; the numbers are the same."""

BLACK_JACK_141_2000 = (
    _duty("2(1)(a)", "shuffled, cut, white cards", "CUT_MISSING", "WHITE_CARD_MISSING", "WHITE_CARD_TOO_DEEP"),
    _duty("2(1)(c)", "as many cards burned as decks", "BURN_MISSING", "BURN_SURPLUS"),
    _duty("2(1)(c)", "one card at a time, from no side in particular, face-up cards void", "DEAL_ORDER", "EXPOSED_CARD_KEPT"),
    _duty("2(1)(c)", "an error corrected as soon as noticed, or all cards of the round cancelled", "CARD_TAKEN_AWAY",
          "CARD_TAKEN_BACK", "VOID_UNFOUNDED"),
    _duty("2(2)", "the end of a shoe", "ROUND_AFTER_WHITE_CARD", "SHUFFLE_DURING_ROUND", "SHUFFLE_MISSING"),
    _duty("2(3)", "six or seven seats, as the layout shows", "OPTION_UNKNOWN", "SEAT_NOT_ON_LAYOUT"),
    _duty("2(3)", "one seat a player where one deck is used", "SEATS_PER_PLAYER"),
    _duty("2(3)", "several seats from behind only beside their occupants", "SEATS_PER_PLAYER"),
    _duty("2(3)", "on other seats only seated players",
          reason=f"{NOT_ON_A_LOG}: a player's position is told by wager, not where he sits"),
    _duty("2(3) (69/2000)", "who may bet where from January 2001",
          reason=f"{NOT_CHECKED}: the text of 69/2000 is not at hand; BJ-35 can hold the text of 2000 against it"),
    _duty("2(3)", "no change of seats in a round, cards on the table", reason=f"{NOT_ON_A_LOG}: where people sit is not told"),
    _duty("2(4)", "one card burned each round, another before the bank's second", "BURN_MISSING", "BURN_SURPLUS"),
    _duty("3(1)", "faces, and the moment of the bank's second card", "CARD_FACE", "EXPOSED_CARD_KEPT",
          "BANK_SECOND_CARD_EARLY", "BANK_SECOND_CARD_LATE"),
    _duty("3(1)", "the bank's second card dealt, also where only the insurance waits for it", "BANK_DID_NOT_DRAW"),
    _duty("3(1)", "the bank's hidden card shown where hands or insurance wait for it", "HOLE_CARD_NOT_OPENED"),
    _duty("3(2)(a)", "the bank draws to 16 and stands on 17", "BANK_DID_NOT_DRAW", "BANK_SURPLUS_CARD"),
    _duty("3(2)(b)", "a bust shown at once", "BUST_NOT_SHOWN"),
    _duty("3(2)(b)", "a bust loses", "OVERPAID"),
    _duty("3(2)(b)", "a card to who asks for one, and to nobody else, also at 21", "CARD_NOT_ASKED", "CARD_NOT_GIVEN"),
    _duty("3(2)(c)", "seats decide from the left, each decision final", "DECISION_ORDER", "DECISION_AFTER_FINAL"),
    _duty("3(2)(c)", "a final decision on each hand before the bank plays", "DECISION_MISSING"),
    _duty("6", "even money against an ace, a ten or a figure, in time", "EVEN_MONEY_REFUSED", "EVEN_MONEY_LATE"),
    _duty("8", "insurance of half at most", "INSURANCE_BOUNDS", "INSURANCE_REFUSED"),
    _duty("9", "three times the bet for special hands, at once", "UNDERPAID", "PRIZE_REFUSED", "PRIZE_LATE"),
    _duty("10", "two bets from a pair, equal, aces one card each", "SPLIT_NO_PAIR", "SPLIT_TOO_OFTEN", "STAKE_UNEQUAL",
          "HIT_ON_SPLIT_ACE"),
    _duty("11", "doubled on eleven only, for one card", "DOUBLE_REFUSED", "HIT_AFTER_DOUBLE"),
    _duty("12", "surrender not against an ace, in time", "SURRENDER_REFUSED", "SURRENDER_LATE"),
    _duty("13", "half for five cards, not against an ace, in time", "FIVE_CARDS_REFUSED", "FIVE_CARDS_LATE"),
    _duty("14", "the highest bettor decides", "DECISION_OF_ANOTHER"),
    _duty("14", "the occupant holds the cards; others do not influence", reason=f"{NOT_ON_A_LOG}: who holds cards is not told"),
)  # fmt: skip

FORTUNE_78_2008 = (
    _duty("1(1)", "one deck", "F3_DECKS", "CARD_IMPOSSIBLE"),
    _duty("2(1)", "seven places for players", "F3_PLACE"),
    _duty("3", "shuffled before every deal, by hand or by machine", "F3_NOT_SHUFFLED", "SHUFFLE_OTHERWISE"),
    _duty("3", "not shuffled while it is dealt", "SHUFFLE_DURING_ROUND"),
    _duty("3(1)", "by hand: cut, the cut card at the bottom", "F3_CUT_MISSING", "F3_CUT_CARD"),
    _duty("5", "ante and Pair Plus, no other bets", "F3_WAGER_UNKNOWN"),
    _duty("6(1)", "within the posted limits", "F3_LIMIT"),
    _duty("6(2)", "on one's own hand only, one place a player", "F3_JOINT_BET", "F3_TWO_PLACES"),
    _duty("6(3)", "no bets after the first card", "WAGER_AFTER_CLOSE"),
    _duty("6(4)", "only seated players hold cards, on the table", reason=f"{NOT_ON_A_LOG}: who holds cards is not told"),
    _duty("7", "from the left, the croupier last, one or three at a time", "F3_DEAL_ORDER", "F3_CARD_NUMBER"),
    _duty("7", "face down, nothing burned", "F3_CARD_EXPOSED", "F3_BURNED"),
    _duty("9(1)", "Pair Plus settled first, when its cards lie there", "F3_PAIR_PLUS_LATE", "PAID_BEFORE_RESULT"),
    _duty("9 (97/2008)", "when Pair Plus is settled", reason=f"{NOT_CHECKED}: items 7 and on, where it would stand, are missing"),
    _duty("9(2)", "each player decides, once", "F3_DECISION_MISSING", "F3_DECISION_FORBIDDEN", "F3_OPENED_EARLY"),
    _duty("9(2)", "on his own hand alone", "DECISION_OF_ANOTHER"),
    _duty("9(4)", "a raise exactly as high as the ante, in time", "F3_RAISE_MISSING", "F3_RAISE_AMOUNT", "F3_RAISE_EARLY",
          "F3_RAISE_LATE", "F3_RAISE_UNDECIDED"),
    _duty("9(5)", "the croupier's hand shown to who plays against it", "F3_HAND_NOT_OPENED"),
    _duty("9(5)-(8)", "settled when the croupier's hand lies open", "PAID_BEFORE_RESULT"),
    _duty("9(5)-(8), 10", "paid by the hands", "OVERPAID", "UNDERPAID"),
    _duty("7", "one hand to a place", "F3_SECOND_HAND"),
    _duty("11(1)", "a wrong deal makes the round invalid, and nothing else does", "F3_DEAL_ORDER", "F3_CARD_NUMBER",
          "F3_VOID_UNFOUNDED", "CARD_TAKEN_AWAY"),
    _duty("11(2)", "an exposed card of the croupier put aside", "F3_CARD_EXPOSED"),
    _duty("11(3)", "a hand without a bet is null", "F3_HAND_NULL", "SETTLED_NOTHING"),
    _duty("11(4)", "a failed shuffler makes the round void", "F3_SHUFFLER_FAILED"),
    _duty("9(3) (97/2008)", "with both bets the player must raise", "F3_FOLD_FORBIDDEN"),
)  # fmt: skip

DUTIES = {
    "57/2009": BLACK_JACK_57_2009,
    "56/2004": BLACK_JACK_56_2004,
    "141/2000": BLACK_JACK_141_2000,
    "78/2008": FORTUNE_78_2008,
}
ALL = [(instrument, duty) for instrument, duties in DUTIES.items() for duty in duties]

LAW_ONLY = {"LAW_TEXT_UNVERIFIED", "LAW_NOT_AT_HAND", "STAKE_NOT_POSITIVE", "STAKE_OUTSIDE_LIMITS"}
"""Findings of the law's rooms that stand for no duty of an article: doubt about texts, limits posted, stakes of nothing."""


@pytest.mark.parametrize(("instrument", "duty"), ALL, ids=[f"{i} {duty.article} {duty.what}" for i, duty in ALL])
def test_a_duty_has_a_declared_finding_or_a_reason(instrument: str, duty: Duty) -> None:
    assert bool(duty.codes) is not bool(duty.reason)
    assert set(duty.codes) <= CODES.keys()
    assert not duty.reason or duty.reason.split(":")[0] in (NOT_ON_A_LOG, NOT_CHECKED)


def test_every_finding_of_the_law_stands_for_a_duty() -> None:
    named = {code for _, duty in ALL for code in duty.codes}
    integrity = {code for code, declared in CODES.items() if declared.severity == "integrity"}
    of_the_books = {"WAGER_UNSETTLED", "SETTLEMENT_UNMATCHED", "STAKE_CHANGED", "INVENTORY_VARIANCE", "DROP_VARIANCE"}
    assert set(CODES) - named == LAW_ONLY | of_the_books | (integrity - named)


def test_nothing_is_found_under_141_2000_that_is_no_duty_of_its_text() -> None:
    """Random rounds, half of them lawless: what seats and banks are found to break must stand among the duties of 2000."""
    dice, found = random.Random(7), set[str]()
    for _ in range(4000):
        made = some_round(dice, unlawful=0.3)
        if made.house.version == V2000:
            seats, bank = judged(made, evaluator_of(made.house))
            found |= {breach.code for judgement in (*seats.values(), bank) for breach in judgement.breaches}
    assert found <= {code for duty in BLACK_JACK_141_2000 for code in duty.codes}
    assert len(found) > 8
    assert not found & {"HIT_AT_21", "TOTAL_WRONG", "DOUBLE_CARD_DOWN", "HOLE_NOT_CHECKED"}
