"""The first cards of a seat and of the hands split from it, read from a seat story with suits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from schemas.cards import UNKNOWN

_CARD: Final = re.compile(r"(?P<hand>[b-z]?)(?P<sign>[-+^~])(?P<card>\S\S?)")
_SPLIT: Final = re.compile(r"(?P<hand>[b-z]?)\.split(?:/.)?")
_FURTHER_HAND: Final = re.compile(r" [b-z][-+^]")
"""A card of a hand that no split made: whatever its wager is due, it is due on that hand."""
_STAKED: Final = re.compile(r"(?P<hand>[b-z]?)\$split")


class Pairing(NamedTuple):
    """Two cards with which a hand began: the seat's own, or those after a split."""

    hand: int
    cards: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Opening:
    """What a seat's story tells of first cards.

    Attributes:
        pairings: the first two cards of every hand in the order in which they were complete; the seat's own come first.
        third: the third card of a seat that was not split.
        after_split: the first card dealt to each hand after the first split, as (hand, card) in the order of the log.
        divided: the hand that each split parted in two, in the order of the log.
    """

    pairings: tuple[Pairing, ...]
    third: str | None
    after_split: tuple[tuple[int, str], ...]
    divided: tuple[int, ...]

    @property
    def split(self) -> bool:
        """Whether the seat was split."""
        return bool(self.divided)

    @property
    def first(self) -> tuple[str, str] | None:
        """The seat's first two cards, before any split; None where it had no two."""
        return self.pairings[0].cards if self.pairings else None

    def of_hand(self, hand: int, divisions: int) -> tuple[str, str] | None:
        """The two cards with which a hand began, or began anew when it had been parted ``divisions`` times; None where it had
        no two."""
        own = [pairing.cards for pairing in self.pairings if pairing.hand == hand]
        return own[divisions] if divisions < len(own) else None


@dataclass(slots=True)
class _Reader:
    """Follows the cards of a seat. A card is a number into ``names``, so that turning one up names it everywhere."""

    names: list[str] = field(default_factory=list)
    hands: list[list[int]] = field(default_factory=lambda: [[]])
    pairings: list[tuple[int, int, int]] = field(default_factory=list)
    after_split: list[tuple[int, int]] = field(default_factory=list)
    divided: list[int] = field(default_factory=list)

    def deal(self, hand: int, name: str) -> None:
        while hand >= len(self.hands):
            self.hands.append([])
        card = len(self.names)
        self.names.append(name)
        cards = self.hands[hand]
        cards.append(card)
        if len(cards) == 2:
            self.pairings.append((hand, cards[0], cards[1]))
        if self.divided and hand not in (known for known, _ in self.after_split):
            self.after_split.append((hand, card))

    def turn(self, hand: int, name: str) -> None:
        hidden = [card for card in self.hands[hand] if self.names[card] == UNKNOWN] if hand < len(self.hands) else []
        if hidden:
            self.names[hidden[0]] = name

    def remove(self, hand: int, name: str) -> None:
        """Take a card away that is void: it never was one of the hand's first two."""
        cards = self.hands[hand] if hand < len(self.hands) else []
        gone = next((card for card in reversed(cards) if name in (self.names[card], UNKNOWN)), None)
        if gone is None:
            return
        cards.remove(gone)
        self.pairings = [pairing for pairing in self.pairings if gone not in pairing[1:]]
        self.after_split = [after for after in self.after_split if after[1] != gone]

    def divide(self, hand: int) -> None:
        if hand < len(self.hands) and len(self.hands[hand]) == 2:
            self.hands.append([self.hands[hand].pop()])
            self.divided.append(hand)

    def stake(self, hand: int) -> None:
        """A stake on a hand that is not there yet tells of a split whose decision the log does not show."""
        if hand < len(self.hands):
            return
        pairs = (number for number, cards in enumerate(self.hands) if len(cards) == 2 and self._alike(cards))
        self.divide(next(pairs, len(self.hands)))

    def _alike(self, cards: list[int]) -> bool:
        return self.names[cards[0]][0] == self.names[cards[1]][0]


def read_opening(story: str) -> Opening:
    """Follow a seat's cards through its splits: the second card goes to the new hand, numbered after the others.

    >>> read_opening("6 +7h +7d .split b$split +7c b+2s").pairings[2]
    Pairing(hand=1, cards=('7d', '2s'))
    """
    reader = _Reader()
    for word in story.split()[1:]:
        if found := _SPLIT.fullmatch(word):
            reader.divide(_number(found["hand"]))
        elif found := _STAKED.fullmatch(word):
            reader.stake(_number(found["hand"]))
        elif found := _CARD.fullmatch(word):
            hand, card = _number(found["hand"]), found["card"]
            if found["sign"] == "^":
                reader.turn(hand, card)
            elif found["sign"] == "~":
                reader.remove(hand, card)
            else:
                reader.deal(hand, card)
    names = reader.names
    third = None if reader.divided or len(reader.hands[0]) < 3 else names[reader.hands[0][2]]
    return Opening(
        tuple(Pairing(hand, (names[first], names[second])) for hand, first, second in reader.pairings),
        third,
        tuple((hand, names[card]) for hand, card in reader.after_split),
        tuple(reader.divided),
    )


def read_opening_until(story: str, told: int) -> Opening:
    """What the first ``told`` words of a seat's story, after the word of the bank's open card, tell of first cards."""
    return read_opening(" ".join(story.split()[: told + 1]))


def first_cards(story: str) -> str:
    """A story without what came after its third card, where it holds no split, no surrender (BJ-68), and no card that was
    taken back or not named.

    >>> first_cards("x $main +6s +As .hit +9c .hit +2d"), first_cards("x $main +7c +7d .split b$split +2h b+Ts")
    ('? +6s +As +9c', 'x $main +7c +7d .split b$split +2h b+Ts')
    """
    if any(mark in story for mark in ("split", "surrender", "~", UNKNOWN)) or _FURTHER_HAND.search(story):
        return story
    return " ".join(("?", *[word for word in story.split()[1:] if word[0] in "+-"][:3]))


def _number(letter: str) -> int:
    return ord(letter) - ord("a") if letter else 0
