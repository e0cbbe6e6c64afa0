"""Cards of the bank that were taken away again. Such a card was void (57/2009 art. 5(1)(1)) or another's (5(1)(2)), so it does
not count among the cards that the bank showed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from replayer.cards import Card
from replayer.laid_cards import LaidCards
from schemas.cards import SUITS, UNKNOWN_SUIT

Acts: TypeAlias = Iterable[tuple[int, str, Card, bool]]
"""A hand's events in order: sequence number, kind, card, whether it lay open."""


def taken_away(acts: Acts) -> set[int]:
    """The sequence numbers of the events that dealt or turned cards taken away later."""
    laid = LaidCards[list[int]]()
    gone: set[int] = set()
    for seq, kind, card, seen in acts:
        if kind == "CardDealt":
            laid.lay(card, [seq], seen=seen)
        elif kind == "CardTurned":
            turned = laid.turn(card)
            if turned is not None:
                turned.append(seq)
        elif kind == "CardRemoved":
            gone.update(laid.take(card) or ())
    return gone


def taken_unnamed(acts: Acts) -> set[int]:
    """The sequence numbers of the events that took away an unnamed card while one of the rank that they name, of another
    suit, lay
    there: without suits, the two cannot be told apart."""
    laid = LaidCards[list[Card]]()
    lying = Counter[Card]()
    found: set[int] = set()
    for seq, kind, card, seen in acts:
        if kind == "CardDealt":
            laid.lay(card, [card], seen=seen)
            lying[card] += 1
        elif kind == "CardTurned" and (turned := laid.turn(card)) is not None:
            lying.subtract(turned)
            turned[0] = card
            lying[card] += 1
        elif kind == "CardRemoved" and (taken := laid.take(card)) is not None:
            lying.subtract(taken)
            all_suits_told = card.suit != UNKNOWN_SUIT and not lying[card.of_no_suit]
            if not taken[0].named and all_suits_told and any(lying[Card(card.rank, suit)] for suit in SUITS):
                found.add(seq)
    return found
