"""Leaves out turned cards that change nothing (``Game.turns_nothing``): of a hand that has its whole number of cards by then, all
of them named when dealt, a card that this hand got before, and once.

The bank's card that was turned so lies as :data:`replayer.contract.symbols.SHOWN`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from replayer.contract.cards import UNNAMED, Card
from replayer.contract.symbols import DOWN, SHOWN
from replayer.engine.event_symbols import Happened


def without_redundant_turns(events: Sequence[Happened], whole: int, *, mark_shown: bool) -> list[Happened]:
    """The events of a seat or of the bank, in order, without those that turn such a card, for hands of ``whole`` cards; with
    ``mark_shown`` a card that lay face down is marked as turned later."""
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
