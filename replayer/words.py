"""Temporary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

MOMENTS = "0123456789abcdefghijklmnopqrstuv"
from replayer.symbols import (
    BANK,
    BankLooked,
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
    Shuffled,
    Staked,
    Symbol,
    Turned,
    TurnedAt,
    Unknown,
    Voided,
    WhiteCardOut,
    WhiteCardPut,
)
from schemas.notation import place

# Symbols as words


def hand_letter(hand: int) -> str:
    """Nothing for a seat's first hand, ``b`` for the second."""
    return place(0, hand)[1:]


def word(symbol: Symbol) -> str:
    """The word of a symbol in the story of its seat, of the bank or of its round."""
    return _SPELLED[type(symbol)](symbol)


def _in_hand(sign: str) -> Callable[[Dealt | Turned | Removed], str]:
    return lambda card: f"{hand_letter(card.hand)}{sign}{card.card}"


def _decided(decided: Decided) -> str:
    moment = "" if decided.moment is None else f"/{MOMENTS[decided.moment]}"
    return f"{hand_letter(decided.hand)}.{decided.action}{moment}"


def _at(place: int) -> str:
    return "B" if place == BANK else str(place)


_SPELLED: Final[dict[type, Callable[..., str]]] = {
    Dealt: lambda card: f"{hand_letter(card.hand)}{card.face}{card.card}",
    Turned: _in_hand("^"),
    Removed: _in_hand("~"),
    Called: lambda called: f"{hand_letter(called.hand)}={called.points}",
    Staked: lambda staked: f"{hand_letter(staked.hand)}${staked.kind}",
    Decided: _decided,
    Looked: lambda looked: f"?{looked.found}",
    PlayBegan: lambda _: "|",
    CardTo: lambda card: _at(card.place) + card.face,
    TurnedAt: lambda card: f"{_at(card.place)}^",
    RemovedAt: lambda card: f"{_at(card.place)}~",
    PlayAt: lambda play: f"{_at(play.place)}{'/' if play.aside else '.'}",
    BankLooked: lambda _: "B?",
    Burned: lambda card: f"!{card.face}",
    Shuffled: lambda shuffled: f"shuffle:{shuffled.method}:{shuffled.decks}",
    Cut: lambda cut: f"cut:{cut.by}",
    WhiteCardPut: lambda card: f"white:{card.behind}",
    WhiteCardOut: lambda _: "white!",
    BetsClosed: lambda _: "nomore",
    Paid: lambda _: "pay",
    Failed: lambda _: "failed",
    Voided: lambda voided: f"void:{voided.cause}",
    Ended: lambda _: "end",
    Unknown: lambda unknown: f"{hand_letter(unknown.hand)}{unknown.text}",
}


def written(story):
    return " ".join((story.begin, *map(word, story.symbols)))
