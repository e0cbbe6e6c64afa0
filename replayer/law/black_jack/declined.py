"""Doubles and splits that the rules refuse (arts. 16(1), 17(1)) and that the table did not carry out.

What is asked for and refused leaves the hand as it was. Whether it was carried out all the same is told by what follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from replayer.law.black_jack.actions import PLAYS, Action
from replayer.law.black_jack.doubling import DOUBLE_REFUSED
from replayer.law.black_jack.play import DECISION_AFTER_FINAL
from replayer.law.black_jack.settlement import DOUBLE
from replayer.law.black_jack.splitting import SPLIT_NO_PAIR, SPLIT_TOO_OFTEN
from replayer.symbols import ANOTHERS, Dealt, Decided, Removed, SeatSymbol, Staked

REFUSALS: Final = frozenset({DOUBLE_REFUSED.code, SPLIT_NO_PAIR.code, SPLIT_TOO_OFTEN.code, DECISION_AFTER_FINAL.code})


def nothing_came_of(symbols: Sequence[SeatSymbol], position: int, hands: int, *, staked: bool = False) -> bool:
    """Whether the double or split at a position, from 1, was not carried out; ``hands`` is how many hands the seat had,
    ``staked`` whether the stake for the double was placed before.

    A split was where anything happens at a further hand before the next split is asked for; a double where its stake, or a card
    that stays, comes before the next play of the hand; either where the stake of another bettor on the seat shows it.
    """
    match symbols[position - 1 : position + 1]:
        case [_, Staked(kind)] if kind == ANOTHERS:
            return False
        case [Decided(Action.SPLIT.value), *_]:
            return not _at_further_hand(symbols, position, hands)
        case [Decided(Action.DOUBLE.value, _, hand), *_]:
            return not (staked or _staked_or_dealt(symbols, position, hand))
    return False


def _at_further_hand(symbols: Sequence[SeatSymbol], position: int, hands: int) -> bool:
    for at in range(position, len(symbols)):
        symbol = symbols[at]
        if symbol.hand >= hands:
            return True
        if isinstance(symbol, Decided) and symbol.action == Action.SPLIT:
            return False
    return False


def _staked_or_dealt(symbols: Sequence[SeatSymbol], position: int, hand: int) -> bool:
    dealt = 0
    for at in range(position, len(symbols)):
        symbol = symbols[at]
        if symbol.hand != hand:
            continue
        match symbol:
            case Decided(action) if action in PLAYS:
                break
            case Staked(kind) if kind == DOUBLE:
                return True
            case Dealt():
                dealt += 1
            case Removed():
                dealt -= 1
    return dealt > 0


def any_declined(symbols: Sequence[SeatSymbol]) -> bool:
    """Whether a double or split, refused or not, was not carried out."""
    hands = 1
    for position, symbol in enumerate(symbols, 1):
        if nothing_came_of(symbols, position, hands):
            return True
        parted = isinstance(symbol, Decided) and symbol.action == Action.SPLIT
        hands = max(hands + parted, symbol.hand + 1)
    return False
