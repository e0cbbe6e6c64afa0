"""A Black Jack regulation: its provisions by subject, whatever their numbers, and the record of 21 articles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from replayer.contract.rules import OptionFault
from replayer.law.authorisation import Authorisation
from replayer.law.black_jack.dealing import Deal
from replayer.law.black_jack.doubling import Doubling
from replayer.law.black_jack.drawing import Drawing, Scoring
from replayer.law.black_jack.insurance import Insurance
from replayer.law.black_jack.outcome import SURRENDER
from replayer.law.black_jack.sharing import Sharing
from replayer.law.black_jack.shuffling import Burns, Material, Shuffling
from replayer.law.black_jack.side_wagers import AdditionalWagers, Prizes
from replayer.law.black_jack.special import FiveCards, SpecialPrize
from replayer.law.black_jack.splitting import Splitting
from replayer.law.black_jack.stakes import Seats
from replayer.law.black_jack.surrender import Surrender
from replayer.law.black_jack.winning import BlackJack, CardValues, HigherWins, Ties
from replayer.law.provision import NotModelled, Provision
from replayer.law.regulation import Regulation

if TYPE_CHECKING:
    from replayer.law.black_jack.options import BlackJackOptions


class Subjects:
    """The subjects on which every regulation has a provision, whatever its numbers."""

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
    special_prize: SpecialPrize
    splitting: Splitting
    doubling: Doubling
    surrender: Surrender
    five_cards: FiveCards
    shared_seat: Sharing


@dataclass(frozen=True, eq=False)
class BlackJackRegulation(Subjects, Regulation):
    """The articles by number, and the provisions by subject. Records are compared by identity.

    Attributes:
        places: for each of :class:`Subjects` its article, or part of an article.
    """

    places: ClassVar[Mapping[str, str]]

    def __post_init__(self) -> None:
        for subject in Subjects.__annotations__:
            object.__setattr__(self, subject, attrgetter(self.places[subject])(self))

    @property
    def subjects(self) -> Mapping[str, Provision]:
        """The provisions by subject."""
        return {subject: getattr(self, subject) for subject in Subjects.__annotations__}

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

    def doubtful_options(self, options: BlackJackOptions) -> Iterator[OptionFault]:
        """Elections that hold though the text speaks against them."""
        yield from self.splitting.doubts(options.split_max_hands)
        yield from self.doubling.doubts(options.double_modes)


@dataclass(frozen=True, eq=False)
class TwentyOneArticles(BlackJackRegulation):
    """The articles of 56/2004, 42/2007 and 57/2009, which have the same numbers."""

    art1: Material
    art2: Shuffling
    art3: Seats
    art4: Burns
    art5: Deal
    art6: Drawing
    art7: Scoring
    art8: CardValues
    art9: HigherWins
    art10: BlackJack
    art11: Ties
    art12: Insurance
    art13: AdditionalWagers
    art14: Prizes
    art15: SpecialPrize
    art16: Splitting
    art17: Doubling
    art18: Surrender
    art19: FiveCards
    art20: Sharing
    art21: Authorisation | NotModelled

    places = MappingProxyType({
        "material": "art1",
        "shuffling": "art2",
        "seats": "art3",
        "burns": "art4",
        "deal": "art5",
        "drawing": "art6",
        "scoring": "art7",
        "values": "art8",
        "higher_wins": "art9",
        "natural": "art10",
        "ties": "art11",
        "insurance": "art12",
        "additional_wagers": "art13",
        "special_prize": "art15",
        "splitting": "art16",
        "doubling": "art17",
        "surrender": "art18",
        "five_cards": "art19",
        "shared_seat": "art20",
    })  # fmt: skip

    @property
    def authorisation(self) -> Authorisation | None:
        """Art. 21."""
        return self.art21 if isinstance(self.art21, Authorisation) else None
