"""Cards of the bank that were taken away again. Such a card was void (57/2009 art. 5(1)(1)) or another's (5(1)(2)): nothing that
is asked of what the bank showed counts it, as if it had never had it."""

from __future__ import annotations

from collections.abc import Iterable

from replayer.cards import Card
from replayer.laid_cards import LaidCards


def taken_away(acts: Iterable[tuple[int, str, Card, bool]]) -> set[int]:
    """The numbers of the events by which cards were dealt and turned that were taken away later, of a hand's events in order:
    the number, the kind, the card, whether it lay open."""
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
