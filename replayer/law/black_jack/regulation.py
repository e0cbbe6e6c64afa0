"""A Black Jack regulation: its provisions by subject, whatever their numbers."""

from __future__ import annotations

from dataclasses import dataclass

from replayer.law.black_jack.claims import FiveCards, SpecialPrize, Surrender
from replayer.law.black_jack.dealing import Deal
from replayer.law.black_jack.doubling import Doubling
from replayer.law.black_jack.drawing import Drawing, Scoring
from replayer.law.black_jack.insurance import Insurance
from replayer.law.black_jack.outcome import SURRENDER
from replayer.law.black_jack.sharing import Sharing
from replayer.law.black_jack.shuffling import Burns, Material, Shuffling
from replayer.law.black_jack.side_wagers import AdditionalWagers, Prizes
from replayer.law.black_jack.splitting import Splitting
from replayer.law.black_jack.stakes import Seats
from replayer.law.black_jack.winning import BlackJack, CardValues, HigherWins, Ties
from replayer.law.provision import Provision
from replayer.law.regulation import Regulation


@dataclass(frozen=True, eq=False)
class BlackJackRegulation(Regulation):
    """The provisions of a version, in the order of the law."""

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
        if ended == SURRENDER:
            return self.surrender.cite(*self.surrender.time)
        return self.drawing.cite(*self.drawing.turns)
