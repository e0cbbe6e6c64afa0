"""The symbols on which machines step: what can happen to a seat, to the bank and in a round, without amounts and names.

A ``hand`` is the number of a hand of the seat or of the bank, 0 the first one; a ``card`` has its suit only where that matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from replayer.contract.cards import Card
from replayer.contract.outcomes import Awaited

UP: Final = "+"
DOWN: Final = "-"
"""How a card lies; empty where the log does not say."""
SHOWN: Final = "="
"""Face down and turned later, for a card of the bank whose turning has no symbol of its own (``Game.turns_nothing``)."""
ANOTHERS: Final = "another's"
"""The kind of the stake of another bettor, which counts for him alone: it shows that the decision before it was carried out."""
BANK: Final = 0
"""The place of the bank among the seats."""
BETS_CLOSED: Final = 1
CARD_DEALT: Final = 2
ADDITIONAL_CARD: Final = 4
"""A card was dealt after the first decision."""
HOLE_CHECKED: Final = 8
BANK_OPEN: Final = 16
"""The bank's look at its hidden card found Black Jack, or a card of it was turned: one that it kept, or a second one dealt open;
in a game without ``SeatLaw.upcards`` only one turned after its last card was dealt. The moment of a wager or of a decision is
the sum of those of these five that had passed."""
BANK_DEALT: Final = 32
"""The bank had a card: in the moment of a wager only."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """A card is dealt."""

    card: Card
    face: str = UP
    hand: int = 0


@dataclass(frozen=True, slots=True)
class Turned:
    """A card that lay face down is shown."""

    card: Card
    hand: int = 0


@dataclass(frozen=True, slots=True)
class Removed:
    """A card is taken away."""

    card: Card
    hand: int = 0


@dataclass(frozen=True, slots=True)
class Called:
    """A total is announced."""

    points: int
    hand: int = 0


@dataclass(frozen=True, slots=True)
class Staked:
    """A wager of ``WagerKinds.play`` is placed. The ``kind`` is empty where it has no stake, and so does not count."""

    kind: str
    hand: int = 0


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision is taken; ``moment`` (a sum as above) is None unless ``Actions.timed`` names the ``action``."""

    action: str
    moment: int | None = None
    hand: int = 0


SeatSymbol: TypeAlias = Dealt | Turned | Removed | Called | Staked | Decided


FOUND_NATURAL: Final = "natural"
"""What the log says of the bank's look at its hidden card if it found Black Jack."""


@dataclass(frozen=True, slots=True)
class Looked:
    """The bank looked at its hidden card; ``found`` is what the log says of it."""

    found: str = ""


@dataclass(frozen=True, slots=True)
class PlayBegan:
    """The first decision outside of ``Actions.aside``."""


@dataclass(frozen=True, slots=True)
class Burned:
    """A card is burned."""

    face: str = ""


BankSymbol: TypeAlias = Dealt | Turned | Removed | Called | Looked | PlayBegan | Burned


@dataclass(frozen=True, slots=True)
class CardTo:
    """A card to a place, unless it stands as a decision there (``RoundLaw.drawn_to``)."""

    place: int
    face: str


@dataclass(frozen=True, slots=True)
class TurnedAt:
    """A card of a place is turned."""

    place: int


@dataclass(frozen=True, slots=True)
class RemovedAt:
    """A card of a place is taken away."""

    place: int


@dataclass(frozen=True, slots=True)
class PlayAt:
    """A decision, or a card to a seat in play (``RoundLaw.drawn_to``); ``aside`` marks a decision that is no play of the hand
    in its turn (``GameOf.no_play``)."""

    place: int
    aside: bool = False


@dataclass(frozen=True, slots=True)
class BankLooked:
    """The bank looked at its hidden card; ``natural``: whether it found Black Jack."""

    natural: bool = False


@dataclass(frozen=True, slots=True)
class Shuffled:
    """The cards are shuffled."""

    method: str
    decks: int


@dataclass(frozen=True, slots=True)
class Cut:
    """The cards are cut."""

    by: str


@dataclass(frozen=True, slots=True)
class WhiteCardPut:
    """A white card is put in before the last ``behind`` cards."""

    behind: int


class RoundEvent(Enum):
    """What happens to the round, or the shoe, with nothing more to say of it than the kind of its event."""

    WHITE_CARD_OUT = "CutCardDrawn"
    BETS_CLOSED = "WagersClosed"
    PAID = "WagerSettled"
    """The first settlement."""
    FAILED = "EquipmentFailed"
    VOIDED = "RoundVoided"
    ENDED = "RoundClosed"


RoundSymbol: TypeAlias = (
    CardTo | TurnedAt | RemovedAt | PlayAt | BankLooked | Burned | Shuffled | Cut | WhiteCardPut | RoundEvent
)
Symbol: TypeAlias = SeatSymbol | BankSymbol | RoundSymbol


class FoundShoe(IntEnum):
    """How a round finds the shoe; columns have the number."""

    USED = 0
    FRESH = 1
    """No round was played since the last shuffle."""
    WHITE_CARD_OUT = 2
    """An earlier round of the shoe reached the white card."""
    UNSHUFFLED = 3
    """The log has no shuffle."""


class RoundStart(NamedTuple):
    """How a round begins: the seats with wagers when their cards were dealt, and how it ``found`` the shoe."""

    bets: tuple[int, ...]
    found: FoundShoe = FoundShoe.USED


Begin = TypeVar("Begin")
Of = TypeVar("Of", bound=Symbol)


class History(NamedTuple, Generic[Begin, Of]):
    """Everything that happened to a seat, to the bank or in a round, in the order of the log.

    A seat's begins with the class of the bank's open card (``SeatLaw.upcards``, ``?`` where it has none), the bank's with what
    waits for its hand, a round's with its :class:`RoundStart`."""

    begin: Begin
    symbols: tuple[Of, ...] = ()


SeatHistory: TypeAlias = History[str, SeatSymbol]
BankHistory: TypeAlias = History[Awaited, BankSymbol]
RoundHistory: TypeAlias = History[RoundStart, RoundSymbol]
