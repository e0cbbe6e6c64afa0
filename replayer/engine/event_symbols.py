"""An event without amounts and names, and the symbol that it is: events of a log and packed events both pass through here."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from replayer.symbols import (
    BANK,
    DOWN,
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
from schemas.cards import UNKNOWN, is_card
from schemas.event import Event

FACES: Final = {None: "", "up": UP, "down": DOWN}
"""How a card lies, by what the log says of it."""
CARD_KINDS: Final = ("CardDealt", "CardTurned", "CardRemoved")
SHOE_KINDS: Final = ("ShoeShuffled", "ShoeCut", "CutCardPlaced", "CutCardDrawn", "CardBurned", "EquipmentFailed")
DONE_TO_CARDS: Final = ("ShoeShuffled", "ShoeCut", "CutCardPlaced")
TAKEN: Final = ("CardDealt", "CardBurned")
"""What is done to the cards of a shoe until one of them is taken, and how one is."""
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
"""The kinds of events that the histories of seats, banks and rounds tell of; those of seats also of wagers, those of rounds also
of the first settlement."""
_SIGNS: Final = re.compile(r"\W")


class Happened(NamedTuple):
    """An event without amounts and names. ``seat`` is 0 for the bank and for the table; ``hand`` is how many decks are shuffled
    at a shuffle; ``what`` is a card with its suit, points, or a text."""

    kind: str
    seat: int = BANK
    hand: int = 0
    face: str = ""
    what: str | int = ""
    moment: int = 0


@lru_cache(maxsize=1024)
def sanitized(text: str) -> str:
    """A text of a log without signs and blanks, so that it stands in a message as one word whatever it says."""
    return _SIGNS.sub("_", text)


def happened(event: Event) -> Happened:
    """What happened by an event of the log, but for its moment."""
    kind = event.kind
    if (card := event.card) is not None:
        named = card.card if card.card is not None and is_card(card.card) else UNKNOWN
        return Happened(kind, card.seat or BANK, card.hand, FACES.get(card.face, ""), named)
    if (decision := event.decision) is not None:
        said = decision.points or 0 if kind == "TotalAnnounced" else sanitized(decision.action or "")
        return Happened(kind, decision.seat or BANK, decision.hand, "", said)
    if (wager := event.wager) is not None:
        return Happened(kind, wager.seat, wager.hand, "", sanitized(wager.kind))
    if (shoe := event.shoe) is not None:
        what = shoe.behind or 0 if kind == "CutCardPlaced" else sanitized(shoe.method or shoe.cut_by or "")
        return Happened(kind, BANK, shoe.decks or 0 if kind == "ShoeShuffled" else 0, "", what)
    if (remark := event.remark) is not None:
        return Happened(kind, what=sanitized(remark.cause))
    return Happened(kind)


def card_name(card: str, *, suited: bool) -> str:
    """A card as it stands in a history: rank and suit, or the rank alone."""
    return card if suited or card == UNKNOWN else card[0]


def seat_symbol(event: Happened, timed: frozenset[str], *, suited: bool) -> SeatSymbol:
    """What happened at a seat."""
    what, hand = str(event.what), event.hand
    match event.kind:
        case "CardDealt":
            return Dealt(card_name(what, suited=suited), event.face, hand)
        case "CardTurned":
            return Turned(card_name(what, suited=suited), hand)
        case "CardRemoved":
            return Removed(card_name(what, suited=suited), hand)
        case "DecisionTaken":
            return Decided(what, event.moment if what in timed else None, hand)
        case "WagerPlaced":
            return Staked(what, hand)
        case _:
            return Called(int(event.what), hand)


def bank_symbol(event: Happened, *, suited: bool) -> BankSymbol:
    """What happened to the bank's hand."""
    what = str(event.what)
    match event.kind:
        case "CardDealt":
            return Dealt(card_name(what, suited=suited), event.face)
        case "CardTurned":
            return Turned(card_name(what, suited=suited))
        case "CardRemoved":
            return Removed(card_name(what, suited=suited))
        case "HoleCardChecked":
            return Looked(what)
        case "CardBurned":
            return Burned()
        case "DecisionTaken":
            return PlayBegan()
        case _:
            return Called(int(event.what))


_OF_THE_ROUND: Final[dict[str, RoundSymbol]] = {
    "HoleCardChecked": BankLooked(),
    "WagersClosed": BetsClosed(),
    "WagerSettled": Paid(),
    "RoundClosed": Ended(),
    "EquipmentFailed": Failed(),
    "CutCardDrawn": WhiteCardOut(),
}


def round_symbol(event: Happened) -> RoundSymbol:
    """What happened in a round. A card at a seat in play stands as a decision there; ``what`` of a decision is whether it is one
    whose moment the seat's own symbol tells."""
    match event.kind:
        case "CardDealt":
            return CardTo(event.seat, event.face)
        case "CardTurned":
            return TurnedAt(event.seat)
        case "CardRemoved":
            return RemovedAt(event.seat)
        case "DecisionTaken":
            return PlayAt(event.seat, aside=bool(event.what))
        case "CardBurned":
            return Burned(event.face)
        case "RoundVoided":
            return Voided(str(event.what))
        case "CutCardPlaced":
            return WhiteCardPut(int(event.what))
        case "ShoeCut":
            return Cut(str(event.what))
        case "ShoeShuffled":
            return Shuffled(str(event.what), event.hand)
        case _:
            return _OF_THE_ROUND[event.kind]
