"""House rules: Black Jack by the ordinary odds, for rounds that other programs and other houses recorded.

No law of Macau: a natural pays 3 to 2, a win 1 to 1, insurance 2 to 1 on at most half the bet, equal hands push; no
special prize, nothing for five cards. What houses do differently is a choice, so an imported log names its own rules.
The provisions have the places of 57/2009's articles; what is doubtful there is settled here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from replayer.contract.machine import Violation
from replayer.law.black_jack.bank import BankHand
from replayer.law.black_jack.claims import FiveCards, SpecialPrize, Surrender
from replayer.law.black_jack.dealing import Deal
from replayer.law.black_jack.doubling import DOUBLE_REFUSED, FIRST_TWO, SPLIT_FIRST_TWO, Doubling
from replayer.law.black_jack.drawing import Drawing, Scoring, StandsOn17
from replayer.law.black_jack.hand import Hand, Seat
from replayer.law.black_jack.insurance import Insurance
from replayer.law.black_jack.outcome import HandOutcome
from replayer.law.black_jack.regulation import BlackJackRegulation
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.sharing import SEATED_DECIDES, Sharing
from replayer.law.black_jack.shuffling import Burns, Material, Shuffling
from replayer.law.black_jack.side_wagers import AdditionalWagers, Prizes
from replayer.law.black_jack.splitting import Splitting
from replayer.law.black_jack.stakes import Seats
from replayer.law.black_jack.winning import BlackJack, CardValues, HigherWins, Ties
from replayer.law.choice import assumed, count, odds, one_of, some_of, span, yes_no
from schemas.bounds import LAST_SEAT, MOST_DECKS

_HOUSE: Final = "house rules"
_ANY_TOTAL: Final = "any"


@dataclass(frozen=True)
class SoftAsChosen(StandsOn17):
    """The house says whether the bank draws on a soft 17: any 17 with an ace at eleven, or ace and six only."""

    def draws(self, hand: BankHand, rules: Rules) -> bool:
        """Whether the bank must draw on a hand of 17."""
        counts = rules.options.soft17_scope == "any_soft" or hand.cards == 2
        return counts and hand.soft and rules.options.bank_soft17 == "hit"


@dataclass(frozen=True)
class UsualValues(CardValues):
    """An ace is eleven unless that busts the hand."""

    def of_player(self, hand: Hand, rules: Rules) -> int:
        """A player's points."""
        return hand.cards.best

    def of_bank(self, hand: BankHand, rules: Rules) -> int:
        """The bank's points."""
        return hand.best


@dataclass(frozen=True)
class NaturalAsChosen(BlackJack):
    """The odds of a natural and whether even money is paid on it are the house's."""

    def odds(self, rules: Rules) -> Fraction:
        """What it wins, to one."""
        return rules.options.natural_odds

    def may_ask_even_money(self, rules: Rules) -> bool:
        """Whether a player with Black Jack may ask for even money at all."""
        return rules.options.even_money


@dataclass(frozen=True)
class InsuranceAsChosen(Insurance):
    """The odds of insurance are the house's."""

    def odds(self, rules: Rules) -> Fraction:
        """What it wins, to one."""
        return rules.options.insurance_odds


@dataclass(frozen=True)
class SplittingAsChosen(Splitting):
    """How often a pair is split, and whether ten-value cards are one, is the house's."""

    def ten_values_pair(self, rules: Rules) -> bool:
        """Whether a king and a queen may be separated."""
        return rules.options.split_ten_values

    def most_hands(self, rules: Rules) -> int:
        """One more than the splits that are allowed."""
        return rules.options.max_splits + 1

    def may_split_again(self, seat: Seat, hand: Hand, rules: Rules) -> bool:
        """Whether a split hand may be separated again."""
        return rules.options.resplit_aces if hand.aces else rules.options.resplit

    def relieves(self, hand: HandOutcome, rules: Rules) -> bool:
        """Whether the stake of a split hand comes back against the bank's natural."""
        return rules.options.original_bet_only


@dataclass(frozen=True)
class DoublingAsChosen(Doubling):
    """On which totals a bet is doubled, and whether after a split, is the house's. A split ace that may be drawn to is doubled as
    any split hand is."""

    def mode(self, hand: Hand, rules: Rules) -> str:
        """The authorised mode under which a hand can be doubled; empty where there is none."""
        as_any = hand._replace(aces=False) if rules.options.split_aces_draw else hand
        return super().mode(as_any, rules)

    def refusal(self, hand: Hand, rules: Rules) -> Violation | None:
        """Why a hand may not be doubled; None where it may."""
        totals = rules.options.double_totals
        if hand.split and not rules.options.double_after_split:
            return Violation(DOUBLE_REFUSED, self.cite(), "no doubling after a split")
        named = hand.cards.size == 2 and hand.known
        if named and _ANY_TOTAL not in totals and str(hand.cards.best) not in totals:
            shown = ", ".join(sorted(totals, key=int))
            return Violation(DOUBLE_REFUSED, self.cite(), f"doubling is allowed on {shown or 'nothing'}")
        return super().refusal(hand, rules)

    def relieves(self, mode: str, rules: Rules) -> bool:
        """Whether a double comes back against the bank's natural."""
        return rules.options.original_bet_only


@dataclass(frozen=True)
class SurrenderAsChosen(Surrender):
    """Whether a surrender is open against an ace is the house's."""

    def against_ace(self, rules: Rules) -> bool:
        """Whether it is open against an ace."""
        return rules.options.surrender_against_ace


@dataclass(frozen=True)
class FiveCardsAsChosen(FiveCards):
    """Half for five cards is paid only where the house chose it."""

    def offered(self, rules: Rules) -> bool:
        """Whether a player may ask for half at all."""
        return rules.options.five_card_half


HOUSE_RULES: Final = BlackJackRegulation(
    material=Material(
        _HOUSE, 0, "the equipment", "", "", box=(),
        choices=(
            count("decks", 6, 1, MOST_DECKS),
            assumed(one_of("device", "shoe", "box", "auto")),
            count("seats", 7, 1, LAST_SEAT),
        ),
    ),
    shuffling=Shuffling(_HOUSE, 0, "shuffle and cut", "", ""),
    seats=Seats(_HOUSE, 0, "seats", "", "", layout=(), choices=(count("max_seats_per_player", None, 1),)),
    burns=Burns(
        _HOUSE, 0, "burned cards", "", "",
        choices=(
            one_of("burn_initial", "one", "per_deck"),
            one_of("burn_later", "none", "round_start", "round_start_and_bank_second"),
        ),
    ),
    deal=Deal(
        _HOUSE, 0, "the deal; whether the bank looks at a hidden card under an ace or a ten", "", "",
        late_in_doubt=False,
        choices=(one_of("deal_procedure", "2", "1", "3"), one_of("hole_card", "unchecked", "checked")),
    ),
    drawing=Drawing(
        _HOUSE, 0, "the bank draws to 16, on a soft 17 as chosen", "", "",
        on17=SoftAsChosen(),
        plays_out_in_doubt=False,
        totals_called=False,
        choices=(one_of("bank_soft17", "stand", "hit"), one_of("soft17_scope", "any_soft", "a6_two_cards")),
    ),
    scoring=Scoring(_HOUSE, 0, "over 21 loses", "", ""),
    values=UsualValues(_HOUSE, 0, "ace 1 or 11", "", ""),
    higher_wins=HigherWins(_HOUSE, 0, "more points win 1 to 1", "", "", unwritten=""),
    natural=NaturalAsChosen(
        _HOUSE, 0, "a natural", "", "",
        split_21_in_doubt=False,
        choices=(odds("natural_odds", Fraction(3, 2)), yes_no("even_money", on=False)),
    ),
    ties=Ties(_HOUSE, 0, "equal hands push", "", ""),
    insurance=InsuranceAsChosen(
        _HOUSE, 0, "against an ace", "", "",
        has_floor=False,
        odds_in_doubt=False,
        choices=(odds("insurance_odds", Fraction(2)), span("insurance_accepts", Fraction(0), Fraction(1, 2))),
    ),
    additional_wagers=AdditionalWagers(_HOUSE, 0, "no additional wagers", "", ""),
    prizes=Prizes(_HOUSE, 0, "no prizes for additional wagers", "", ""),
    special_prize=SpecialPrize(_HOUSE, 0, "no special prize", "", "", choices=(yes_no("special_prizes", on=False),)),
    splitting=SplittingAsChosen(
        _HOUSE, 0, "pairs are split", "", "",
        names_four=False,
        choices=(
            count("max_splits", 3, 0),
            yes_no("resplit", on=True),
            yes_no("resplit_aces", on=False),
            yes_no("split_aces_draw", on=False),
            yes_no("split_ten_values", on=False),
            yes_no("original_bet_only", on=False),
        ),
    ),
    doubling=DoublingAsChosen(
        _HOUSE, 0, "bets are doubled", "", "",
        choices=(
            some_of("double_modes", (FIRST_TWO, SPLIT_FIRST_TWO), (FIRST_TWO, SPLIT_FIRST_TWO)),
            some_of("double_totals", (_ANY_TOTAL, *map(str, range(4, 21))), (_ANY_TOTAL,)),
            yes_no("double_after_split", on=True),
        ),
    ),
    surrender=SurrenderAsChosen(
        _HOUSE, 0, "half is lost", "", "",
        has_deadline=False,
        half_in_doubt=False,
        choices=(yes_no("surrender", on=False), yes_no("surrender_against_ace", on=True)),
    ),
    five_cards=FiveCardsAsChosen(_HOUSE, 0, "half for five cards", "", "", choices=(yes_no("five_card_half", on=False),)),
    shared_seat=Sharing(_HOUSE, 0, "several on a seat", "", "", choices=(one_of("shared_seat", SEATED_DECIDES),)),
)  # fmt: skip
