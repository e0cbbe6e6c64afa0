"""A Black Jack regulation: what the rules ask of it whatever its numbering, and the record of 21 articles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from replayer.law.authorisation import Authorisation
from replayer.law.black_jack.dealing import Deal, Turns
from replayer.law.black_jack.doubling import Doubling
from replayer.law.black_jack.drawing import Busting, Drawing
from replayer.law.black_jack.hand import CardValues, HigherWins, Ties
from replayer.law.black_jack.insurance import Insurance
from replayer.law.black_jack.natural import BlackJack
from replayer.law.black_jack.sharing import Sharing
from replayer.law.black_jack.shuffling import Burns, Shuffling
from replayer.law.black_jack.side_wagers import AdditionalWagers, Prizes
from replayer.law.black_jack.special import FiveCards, SpecialPrize
from replayer.law.black_jack.splitting import Splitting
from replayer.law.black_jack.stakes import Seats
from replayer.law.black_jack.surrender import Surrender
from replayer.law.choice import Choice
from replayer.law.provision import NotModelled, Provision
from replayer.rules import OptionFault

if TYPE_CHECKING:
    from replayer.law.black_jack.options import BlackJackOptions


@dataclass(frozen=True, eq=False)
class Regulation(ABC):
    """The provisions by what they are about. Records are compared by identity."""

    @property
    @abstractmethod
    def material(self) -> Provision:
        """What the game is played with."""

    @property
    @abstractmethod
    def shuffling(self) -> Shuffling:
        """How cards are shuffled and cut, and when a shoe ends."""

    @property
    @abstractmethod
    def seats(self) -> Seats:
        """Who may bet where."""

    @property
    @abstractmethod
    def burns(self) -> Burns:
        """Cards taken away unseen."""

    @property
    @abstractmethod
    def deal(self) -> Deal:
        """The deal."""

    @property
    @abstractmethod
    def drawing(self) -> Drawing:
        """Additional cards."""

    @property
    @abstractmethod
    def busting(self) -> Busting:
        """Over 21."""

    @property
    @abstractmethod
    def values(self) -> CardValues:
        """What cards are worth."""

    @property
    @abstractmethod
    def higher_wins(self) -> HigherWins:
        """More points win."""

    @property
    @abstractmethod
    def natural(self) -> BlackJack:
        """Black Jack."""

    @property
    @abstractmethod
    def ties(self) -> Ties:
        """Equal hands."""

    @property
    @abstractmethod
    def insurance(self) -> Insurance:
        """Insurance."""

    @property
    @abstractmethod
    def additional_wagers(self) -> AdditionalWagers:
        """Wagers beside the main one and the insurance."""

    @property
    @abstractmethod
    def special_prize(self) -> SpecialPrize | None:
        """The special prize; None where there is none."""

    @property
    @abstractmethod
    def splitting(self) -> Splitting:
        """Separating pairs."""

    @property
    @abstractmethod
    def doubling(self) -> Doubling:
        """Doubled bets."""

    @property
    @abstractmethod
    def surrender(self) -> Surrender:
        """Giving up for half."""

    @property
    @abstractmethod
    def five_cards(self) -> FiveCards:
        """Half for five cards."""

    @property
    @abstractmethod
    def shared_seat(self) -> Sharing:
        """Several bets on one seat."""

    @property
    def authorisation(self) -> Authorisation | None:
        """Permission for the house's options; None where none is asked for."""
        return None

    @property
    def late_in_doubt(self) -> bool:
        """Whether it is in doubt what a wager is due that was placed after its moment (X-7)."""
        return self.deal.late_in_doubt

    def waived(self, article: Provision) -> str:
        """Where it says that the house may leave an article out; empty where nothing does."""
        permission = self.authorisation
        waivable = permission is not None and article.number in permission.waivable
        return permission.cite(*permission.waiving) if permission is not None and waivable else ""

    @property
    def turns(self) -> Turns:
        """The order in which seats act."""
        return Turns(self.drawing.cite(*self.drawing.turns))

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """What the articles leave to the house, in their order."""
        return tuple(chain.from_iterable(getattr(self, name.name).choices for name in fields(self)))

    def doubtful_options(self, options: BlackJackOptions) -> Iterator[OptionFault]:
        """Elections that hold though the text speaks against them."""
        yield from self.splitting.doubts(options.split_max_hands)
        yield from self.doubling.doubts(options.double_modes)


@dataclass(frozen=True, eq=False)
class TwentyOneArticles(Regulation):
    """The articles of 56/2004, 42/2007 and 57/2009, which have the same numbers."""

    art1: Provision
    art2: Shuffling
    art3: Seats
    art4: Burns
    art5: Deal
    art6: Drawing
    art7: Busting
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

    @property
    def material(self) -> Provision:
        """Art. 1."""
        return self.art1

    @property
    def shuffling(self) -> Shuffling:
        """Art. 2."""
        return self.art2

    @property
    def seats(self) -> Seats:
        """Art. 3."""
        return self.art3

    @property
    def burns(self) -> Burns:
        """Art. 4."""
        return self.art4

    @property
    def deal(self) -> Deal:
        """Art. 5."""
        return self.art5

    @property
    def drawing(self) -> Drawing:
        """Art. 6."""
        return self.art6

    @property
    def busting(self) -> Busting:
        """Art. 7(2)."""
        return self.art7

    @property
    def values(self) -> CardValues:
        """Art. 8."""
        return self.art8

    @property
    def higher_wins(self) -> HigherWins:
        """Art. 9."""
        return self.art9

    @property
    def natural(self) -> BlackJack:
        """Art. 10."""
        return self.art10

    @property
    def ties(self) -> Ties:
        """Art. 11."""
        return self.art11

    @property
    def insurance(self) -> Insurance:
        """Art. 12."""
        return self.art12

    @property
    def additional_wagers(self) -> AdditionalWagers:
        """Art. 13."""
        return self.art13

    @property
    def special_prize(self) -> SpecialPrize:
        """Art. 15."""
        return self.art15

    @property
    def splitting(self) -> Splitting:
        """Art. 16."""
        return self.art16

    @property
    def doubling(self) -> Doubling:
        """Art. 17."""
        return self.art17

    @property
    def surrender(self) -> Surrender:
        """Art. 18."""
        return self.art18

    @property
    def five_cards(self) -> FiveCards:
        """Art. 19."""
        return self.art19

    @property
    def shared_seat(self) -> Sharing:
        """Art. 20."""
        return self.art20

    @property
    def authorisation(self) -> Authorisation | None:
        """Art. 21."""
        return self.art21 if isinstance(self.art21, Authorisation) else None
