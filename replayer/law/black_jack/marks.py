"""The marks that the machines of a round name: the events at which a violation can point, other than the current one.

The fold of the events keeps their positions; a state never does.
"""

from __future__ import annotations

from typing import Final

START: Final = "start"
"""Where the round began."""
FIRST_CARD: Final = "first card"
"""The round's first card, even if it was taken back."""
DEAL_ENDS: Final = "end of the deal"
"""The first decision; the round's last event where there was none."""
FIRST_PLAY: Final = "first play"
"""The first decision or card at a seat in play, which an insurance, even money or a surrender is not."""
SECOND_CARD: Final = "bank's second card"
BANK_OPENED: Final = "bank's card opened"
PAID: Final = "first settlement"
DECLARED_VOID: Final = "declaration that the round is void"
"""The first one."""

LAST_CARD: Final = "last card"
"""The last card of a hand, or of the bank."""

SHUFFLED: Final = "shuffled"
"""The last shuffle."""
SHUFFLED_AGAIN: Final = "shuffled in the round"
"""Every shuffle after which the round went on."""
WHITE_CARD_OUT: Final = "white card out"
"""The event at which the white card came out, after the shuffle and before the first card."""


def white_card(number: int) -> str:
    """The white cards put in since the shuffle, from 1."""
    return f"white card {number}"


def burn(number: int) -> str:
    """The cards burned since the shuffle and before a card was dealt, from 1."""
    return f"burn {number}"


def later_burn(number: int) -> str:
    """The cards burned unseen since the first card, from 1."""
    return f"later burn {number}"


def card(place: int, number: int) -> str:
    """The cards dealt to a seat or to the bank before the first decision, from 1; a card that was taken back does not count."""
    return f"card {number} of {place or 'the bank'}"
