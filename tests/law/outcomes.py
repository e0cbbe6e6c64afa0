"""What becomes of hands, seats and banks, as law tests write it.

A seat is the class of the bank's open card and its hands: ``T 18:doubled=split_first_two:split 21:split:split_21`` is a pair that
was separated against a ten, one hand doubled to 18, the other with 21 in two cards. A bank is ``19``, ``bust``, ``bj``, ``no
bj``, or nothing where it is not known. At Fortune a seat is ``raised KT4``, and a croupier ``QJ2`` or ``void``.
"""

from __future__ import annotations

from typing import Any

from replayer.law.black_jack import outcome as black_jack
from replayer.law.fortune_3_card_poker import outcome as fortune
from replayer.law.fortune_3_card_poker.cards import Hand, Suited

POINTS = {"bust": 22, "bj": 21}


def seat(text: str) -> black_jack.SeatOutcome | None:
    """What became of a seat of Black Jack."""
    upcard, *hands = text.split() or ["?"]
    return black_jack.SeatOutcome(upcard, tuple(_hand(hand) for hand in hands)) if hands else None


def _hand(text: str) -> black_jack.HandOutcome:
    points, *marks = text.split(":")
    fields = {name: value or True for name, _, value in (mark.partition("=") for mark in marks)}
    return black_jack.HandOutcome(POINTS.get(points) or int(points), natural=points == "bj", **fields)


def bank(text: str) -> black_jack.BankOutcome | None:
    """What became of the bank of Black Jack."""
    if text in ("", "no bj"):
        return black_jack.BankOutcome(None) if text else None
    return black_jack.BankOutcome(POINTS.get(text) or int(text), natural=text == "bj")


def hand(text: str) -> fortune.SeatOutcome | None:
    """What became of a player's hand at Fortune."""
    if not text:
        return None
    fate, *held = text.split()
    return fortune.SeatOutcome(fate, *map(three, held))


def croupier(text: str) -> fortune.BankOutcome | None:
    """What became of the croupier's hand."""
    if text in ("", "void"):
        return fortune.BankOutcome(void=True) if text else None
    return fortune.BankOutcome(three(text))


def three(text: str) -> Hand:
    """Three cards at Fortune: ``KT4``, ``AKQs`` of one suit, ``543t`` with two of one; ``???`` not known."""
    return Hand(tuple(text[:3]), Suited(text[3:]))


# As text again


def shown_seat(outcome: Any) -> str:
    """The text of what became of a seat of Black Jack or of a player's hand at Fortune."""
    if outcome is None:
        return "unknown"
    if isinstance(outcome, fortune.SeatOutcome):
        return outcome.fate if outcome.fate in (fortune.NULL, fortune.VOID) else f"{outcome.fate} {outcome.hand}"
    return " ".join((outcome.upcard, *map(_shown_hand, outcome.hands)))


def _shown_hand(hand: black_jack.HandOutcome) -> str:
    named = [name if value is True else f"{name}={value}" for name, value in hand._asdict().items() if value]
    marks = [mark for mark in named if not mark.startswith(("points", "natural"))]
    return ":".join(("bj" if hand.natural else _shown_points(hand.points), *marks))


def shown_bank(outcome: Any) -> str:
    """The text of what became of the bank or of the croupier."""
    if not isinstance(outcome, black_jack.BankOutcome):
        return "unknown" if outcome is None else str(outcome)
    if outcome.natural:
        return "bj"
    return "no bj" if outcome.points is None else _shown_points(outcome.points)


def _shown_points(points: int) -> str:
    return "bust" if points == POINTS["bust"] else str(points)
