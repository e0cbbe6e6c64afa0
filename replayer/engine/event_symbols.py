"""Events without amounts and names, and their symbols, both for events of a log and for packed events."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from replayer.contract.cards import UNNAMED, Card, card_of
from replayer.contract.symbols import (
    BANK,
    DOWN,
    FOUND_NATURAL,
    UP,
    BankLooked,
    BankSymbol,
    BetsClosed,
    Burned,
    Called,
    CardTo,
    Cut,
    Dealt,
    Decided,
    Ended,
    Failed,
    Looked,
    Paid,
    PlayAt,
    PlayBegan,
    Removed,
    RemovedAt,
    RoundSymbol,
    SeatSymbol,
    Shuffled,
    Staked,
    Turned,
    TurnedAt,
    Voided,
    WhiteCardOut,
    WhiteCardPut,
)
from schemas.event import Event
from schemas.kinds import SHOE_KINDS

FACES: Final = {None: "", "up": UP, "down": DOWN}
"""How a card lies, by the log's word for it."""
CARD_KINDS: Final = ("CardDealt", "CardTurned", "CardRemoved")
DONE_TO_CARDS: Final = ("ShoeShuffled", "ShoeCut", "CutCardPlaced")
TAKEN: Final = ("CardDealt", "CardBurned")
"""The kinds of events that prepare a shoe, and those that take a card from it."""
COUNTED: Final = ("ShoeShuffled", "CutCardPlaced", "CardBurned")
"""The kinds of events of which repetitions are kept."""
SEAT_KINDS: Final = (*CARD_KINDS, "DecisionTaken", "TotalAnnounced")
BANK_KINDS: Final = (*CARD_KINDS, "HoleCardChecked", "CardBurned", "TotalAnnounced")
ROUND_KINDS: Final = (
    *CARD_KINDS,
    *SHOE_KINDS,
    "DecisionTaken",
    "HoleCardChecked",
    "WagersClosed",
    "RoundVoided",
    "RoundClosed",
)
"""The kinds of events in the histories of seats, banks and rounds; seats' histories also have wagers, those of rounds the first
settlement."""
_SIGNS: Final = re.compile(r"\W")


class Happened(NamedTuple):
    """An event without amounts and names. ``seat`` is 0 for the bank and for the table; ``hand`` is the number of decks in the
    case of a shuffle; ``card`` has its suit; ``said`` is the decision, the kind of wager or the method that the log names;
    ``number`` is the points, or the number of cards behind a white one."""

    kind: str
    seat: int = BANK
    hand: int = 0
    face: str = ""
    card: Card = UNNAMED
    said: str = ""
    number: int = 0
    moment: int = 0


@lru_cache(maxsize=1024)
def sanitized(text: str) -> str:
    """A text of a log with signs and blanks replaced, so that it is one word in a message."""
    return _SIGNS.sub("_", text)


def happened(event: Event) -> Happened:
    """An event of the log without amounts and names; its moment is not set."""
    kind = event.kind
    if (card := event.card) is not None:
        return Happened(kind, card.seat or BANK, card.hand, FACES.get(card.face, ""), card=card_of(card.card))
    if (decision := event.decision) is not None:
        seat, hand = decision.seat or BANK, decision.hand
        if kind == "TotalAnnounced":
            return Happened(kind, seat, hand, number=decision.points or 0)
        return Happened(kind, seat, hand, said=sanitized(decision.action or ""))
    if (wager := event.wager) is not None:
        return Happened(kind, wager.seat, wager.hand, said=sanitized(wager.kind))
    if (shoe := event.shoe) is not None:
        if kind == "CutCardPlaced":
            return Happened(kind, number=shoe.behind or 0)
        decks = shoe.decks or 0 if kind == "ShoeShuffled" else 0
        return Happened(kind, hand=decks, said=sanitized(shoe.method or shoe.cut_by or ""))
    return Happened(kind)


def seat_symbol(event: Happened, timed: frozenset[str], *, suited: bool) -> SeatSymbol:
    """The symbol of an event at a seat."""
    card, said, hand = event.card, event.said, event.hand
    shown = card if suited or not card.named else card.of_its_rank
    match event.kind:
        case "CardDealt":
            return Dealt(shown, event.face, hand)
        case "CardTurned":
            return Turned(shown, hand)
        case "CardRemoved":
            return Removed(shown, hand)
        case "DecisionTaken":
            return Decided(said, event.moment if said in timed else None, hand)
        case "WagerPlaced":
            return Staked(said, hand)
        case _:
            return Called(event.number, hand)


def bank_symbol(event: Happened, *, suited: bool) -> BankSymbol:
    """The symbol of an event of the bank, which has one hand."""
    card = event.card
    shown = card if suited or not card.named else card.of_its_rank
    match event.kind:
        case "CardDealt":
            return Dealt(shown, event.face)
        case "CardTurned":
            return Turned(shown)
        case "CardRemoved":
            return Removed(shown)
        case "HoleCardChecked":
            return Looked(event.said)
        case "CardBurned":
            return Burned()
        case "DecisionTaken":
            return PlayBegan()
        case _:
            return Called(event.number)


_OF_THE_ROUND: Final[dict[str, RoundSymbol]] = {
    "WagersClosed": BetsClosed(),
    "WagerSettled": Paid(),
    "RoundClosed": Ended(),
    "RoundVoided": Voided(),
    "EquipmentFailed": Failed(),
    "CutCardDrawn": WhiteCardOut(),
}


def round_symbol(event: Happened) -> RoundSymbol:
    """The symbol of an event in a round. A card at a seat in play stands as a decision there; a decision with a ``number``
    becomes one that is ``aside`` (:class:`replayer.contract.symbols.PlayAt`)."""
    match event.kind:
        case "CardDealt":
            return CardTo(event.seat, event.face)
        case "CardTurned":
            return TurnedAt(event.seat)
        case "CardRemoved":
            return RemovedAt(event.seat)
        case "DecisionTaken":
            return PlayAt(event.seat, aside=bool(event.number))
        case "HoleCardChecked":
            return BankLooked(event.said == FOUND_NATURAL)
        case "CardBurned":
            return Burned(event.face)
        case "CutCardPlaced":
            return WhiteCardPut(event.number)
        case "ShoeCut":
            return Cut(event.said)
        case "ShoeShuffled":
            return Shuffled(event.said, event.hand)
        case _:
            return _OF_THE_ROUND[event.kind]
