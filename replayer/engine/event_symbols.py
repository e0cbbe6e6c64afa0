"""Events without amounts and names, and their symbols, both for events of a log and for packed events."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Final, NamedTuple

from replayer.contract import symbols
from replayer.contract.cards import UNNAMED, Card, card_of
from replayer.contract.symbols import BANK, DOWN, FOUND_NATURAL, SHOWN, UP, BankSymbol, RoundSymbol, SeatSymbol
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
    match event.kind:
        case "DecisionTaken":
            return symbols.Decided(event.said, event.moment if event.said in timed else None, event.hand)
        case "WagerPlaced":
            return symbols.Staked(event.said, event.hand)
        case _:
            return _at_hand(event, event.hand, suited=suited)


def bank_symbol(event: Happened, *, suited: bool) -> BankSymbol:
    """The symbol of an event of the bank, which has one hand."""
    match event.kind:
        case "HoleCardChecked":
            return symbols.Looked(event.said)
        case "CardBurned":
            return symbols.Burned()
        case "DecisionTaken":
            return symbols.PlayBegan()
        case _:
            return _at_hand(event, 0, suited=suited)


def _at_hand(
    event: Happened, hand: int, *, suited: bool
) -> symbols.Dealt | symbols.Turned | symbols.Removed | symbols.Called:
    card = event.card if suited or not event.card.named else event.card.of_its_rank
    match event.kind:
        case "CardDealt":
            return symbols.Dealt(card, event.face, hand)
        case "CardTurned":
            return symbols.Turned(card, hand)
        case "CardRemoved":
            return symbols.Removed(card, hand)
        case _:
            return symbols.Called(event.number, hand)


def round_symbol(event: Happened) -> RoundSymbol:
    """The symbol of an event in a round. A card at a seat in play stands as a decision there; a decision with a ``number``
    becomes one that is ``aside`` (:class:`replayer.contract.symbols.PlayAt`)."""
    match event.kind:
        case "CardDealt":
            return symbols.CardTo(event.seat, event.face)
        case "CardTurned":
            return symbols.TurnedAt(event.seat)
        case "CardRemoved":
            return symbols.RemovedAt(event.seat)
        case "DecisionTaken":
            return symbols.PlayAt(event.seat, aside=bool(event.number))
        case "HoleCardChecked":
            return symbols.BankLooked(event.said == FOUND_NATURAL)
        case "CardBurned":
            return symbols.Burned(event.face)
        case "CutCardPlaced":
            return symbols.WhiteCardPut(event.number)
        case "ShoeCut":
            return symbols.Cut(event.said)
        case "ShoeShuffled":
            return symbols.Shuffled(event.said, event.hand)
        case _:
            return symbols.RoundEvent(event.kind)


def without_redundant_turns(events: list[Happened], whole: int | None, *, mark_shown: bool) -> list[Happened]:
    """The events of a seat or of the bank, in order, without turned cards that change nothing (``Game.turns_nothing``): of a hand
    that has its ``whole`` number of cards by then, all of them named when dealt, a card that this hand got before, and once.
    Where ``whole`` is None, any may change something.

    With ``mark_shown`` a card that lay face down and is turned so lies as :data:`replayer.contract.symbols.SHOWN`.
    """
    if not whole:
        return events
    dealt: dict[int, list[Card]] = {}
    for event in events:
        if event.kind == "CardDealt":
            dealt.setdefault(event.hand, []).append(event.card)
    known = {
        (hand, card)
        for hand, cards in dealt.items()
        if UNNAMED not in cards
        for card in cards
        if cards.count(card) == 1
    }
    kept: list[Happened] = []
    laid: dict[tuple[int, Card], int] = {}
    held: Counter[int] = Counter()
    for event in events:
        place = event.hand, event.card
        if event.kind == "CardDealt":
            laid[place] = len(kept)
            held[event.hand] += 1
        elif event.kind == "CardTurned" and place in known and place in laid and held[event.hand] >= whole:
            if mark_shown and kept[laid[place]].face == DOWN:
                kept[laid[place]] = kept[laid[place]]._replace(face=SHOWN)
            continue
        kept.append(event)
    return kept
