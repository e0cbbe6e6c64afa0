"""A Black Jack regulation: its provisions, by subject; and the house's choices of what they leave open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from replayer.contract.rules import OptionFault
from replayer.law.black_jack.claims import FiveCards, SpecialPrize, Surrender
from replayer.law.black_jack.dealing import Deal
from replayer.law.black_jack.doubling import Doubling
from replayer.law.black_jack.drawing import Drawing, Scoring
from replayer.law.black_jack.hand import Action
from replayer.law.black_jack.insurance import Insurance
from replayer.law.black_jack.settlement import MAIN
from replayer.law.black_jack.sharing import Sharing
from replayer.law.black_jack.shuffling import Burns, Material, Shuffling
from replayer.law.black_jack.side_wagers import AdditionalWagers, Prizes
from replayer.law.black_jack.splitting import HOLE_CARD_HANDS, Splitting
from replayer.law.black_jack.stakes import Seats
from replayer.law.black_jack.winning import BlackJack, CardValues, HigherWins, Ties
from replayer.law.choice import NOT_RECORDED, amount, elect
from replayer.law.regulation import Provision, Regulation


@dataclass(frozen=True, eq=False)
class BlackJackRegulation(Regulation):
    """The provisions of a version, in the order of 57/2009; each has its number in the version."""

    material: Material
    shuffling: Shuffling
    seats: Seats
    burns: Burns
    deal: Deal
    drawing: Drawing
    scoring: Scoring
    values: CardValues
    higher_wins: HigherWins
    natural: BlackJack
    ties: Ties
    insurance: Insurance
    additional_wagers: AdditionalWagers
    prizes: Prizes
    special_prize: SpecialPrize
    splitting: Splitting
    doubling: Doubling
    surrender: Surrender
    five_cards: FiveCards
    shared_seat: Sharing

    def waived(self, article: Provision) -> str:
        """The citation of the rule that lets the house leave an article out; empty where none does."""
        permission = self.authorisation
        if permission is None or article.number not in permission.waivable:
            return ""
        return permission.cite(*permission.waiving)

    def closed_by(self, ended: str) -> str:
        """The citation of the rule by which a hand is over: a surrender is final by an article of its own."""
        if ended == Action.SURRENDER:
            return self.surrender.cite(*self.surrender.time)
        return self.drawing.cite(*self.drawing.turns)


OF_THE_TABLE: Final = (NOT_RECORDED, amount("limit_min"), amount("limit_max"))
"""Choices that no article names: the facts that the table's log does not hold and that are therefore not checked, and the limits
posted at the table."""


@dataclass(frozen=True, slots=True)
class BlackJackOptions:
    """The house's choices. A field that the regulation in force does not offer keeps the value given here. Amounts are minor
    units; ``insurance_accepts`` is the least and the greatest part of the original stake."""

    not_recorded: frozenset[str] = frozenset()
    unelected: frozenset[str] = frozenset()
    """Choices that the text leaves open and nobody elected: their values are assumed."""

    limit_min: int | None = None
    limit_max: int | None = None

    # arts. 1-5
    decks: int = 6
    device: str = "shoe"
    seats: int = 7
    max_seats_per_player: int | None = None
    burn_initial: str | None = "per_deck"
    burn_later: str = "none"
    exposed_first_card_valid: bool = False
    deal_procedure: int = 2
    p3_player_faces: str = "up"
    p3_player_opens: bool = False  # needs permission, and no more: a log does not tell who opens a card
    p3_table_limit: int | None = None

    # arts. 6-12
    bank_soft17: str | None = None
    bank_unseen_extra_valid: bool = False
    bj_double_relief: bool = False
    insurance_accepts: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1, 2))

    # arts. 13-20
    side_any_pair: bool = False
    side_sevens: bool = False
    side_over_under: bool = False
    side_perfect_pair: bool = False
    side_streak: bool = False
    special_prizes: bool = True
    split_max_hands: int = 2
    resplit: bool = False
    resplit_aces: bool = False
    double_modes: frozenset[str] = frozenset()
    surrender: bool = True
    shared_seat: str | None = "highest_bet_decides"

    # house rules outside Macau
    natural_odds: Fraction = Fraction(3, 2)
    insurance_odds: Fraction = Fraction(2)
    hole_card: str = "unchecked"
    soft17_scope: str = "any_soft"
    max_splits: int = 3
    split_ten_values: bool = False
    split_aces_draw: bool = False
    double_totals: frozenset[str] = frozenset({"any"})
    double_after_split: bool = True
    original_bet_only: bool = False
    even_money: bool = False
    surrender_against_ace: bool = True
    five_card_half: bool = False

    def limits(self, kind: str) -> tuple[int | None, int | None]:
        """The posted limits of a wager; only the main one has any, the others rest on it."""
        return (self.limit_min, self.limit_max) if kind == MAIN else (None, None)

    def assumed(self, name: str) -> str:
        """Words for what rests on a choice that the text leaves open, where nobody elected it; empty where somebody did."""
        return "assumed, as the house elected none" if name in self.unelected else ""

    @property
    def refilled(self) -> bool:
        """Whether a machine shuffles used cards in again."""
        return self.device == "auto"

    @property
    def hides_second(self) -> bool:
        """Whether the bank's second card is dealt face down before the players act: from the box, or as a hole card."""
        return self.deal_procedure == 3 or (self.deal_procedure == 1 and self.device == "box")

    @property
    def checks_hole(self) -> bool:
        """Whether the bank looks at a hidden card that could make its Black Jack before the players act."""
        return self.deal_procedure == 3 or self.hole_card == "checked"


def read_options(
    elected: Mapping[str, str], regulation: BlackJackRegulation
) -> tuple[BlackJackOptions, Sequence[OptionFault]]:
    """The options record of what was elected under ``regulation``, and the elections that its articles do not admit."""
    values, faults = elect(elected, [*OF_THE_TABLE, *regulation.choices])
    values["decks"], wrong = regulation.material.decks_held(elected, values["device"], values["decks"])
    if "deal_procedure" in values:
        values["deal_procedure"] = int(values["deal_procedure"])
        if values["deal_procedure"] == 3 and "split_max_hands" not in elected:
            values["split_max_hands"] = HOLE_CARD_HANDS
    chosen = {*elected, "decks"} if values["device"] == "box" else {*elected}
    chosen -= {fault.name for fault in faults if not fault.holds}
    unelected = frozenset(choice.name for choice in regulation.choices if choice.assumed) - chosen
    options = BlackJackOptions(**values, unelected=unelected)
    doubts = *regulation.splitting.doubts(options.split_max_hands), *regulation.doubling.doubts(options.double_modes)
    return options, [*faults, *wrong, *doubts]
