"""Cards of the bank that were taken away again. Such a card was void (57/2009 art. 5(1)(1)) or another's (5(1)(2)): nothing that
is asked of what the bank showed counts it, as if it had never had it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from replayer.cards import UNNAMED, Card


def taken_away(acts: Iterable[tuple[int, str, Card]]) -> set[int]:
    """The numbers of the events by which cards were dealt and turned that were taken away later, of a hand's events in order:
    the number, the kind, the card."""
    lie: defaultdict[Card, list[list[int]]] = defaultdict(list)  # by card the numbers of each that lies
    gone: set[int] = set()
    for seq, kind, card in acts:
        if kind == "CardDealt":
            lie[card].append([seq])
        elif kind == "CardTurned":
            hidden = next((name for name in (card, card.of_no_suit, UNNAMED) if lie[name]), None)
            if hidden is not None:
                numbers = lie[hidden].pop(0)
                lie[card].append([*numbers, seq])
        elif kind == "CardRemoved" and (lie[card] or lie[UNNAMED]):
            gone.update((lie[card] or lie[UNNAMED]).pop())
    return gone
