"""Why no function of the law is tied to a paragraph: for each that has none, by the instrument with its text."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeAlias


class Kind(StrEnum):
    """A kind of reason, and what its other half names."""

    ELECTED = "the house elects it"  # an option of the article
    COUNTED = "the number is counted, not named"  # a function that takes the items of a list in their order
    ELSEWHERE = "kept where it is needed, without a citation"  # a function that keeps it
    FOUND = "what breaks it is found, with another citation"  # the code of a finding
    NOT_ON_A_LOG = "not on a log"  # what the log does not tell
    NOTHING = "nothing to keep or to break"  # why


Reason: TypeAlias = tuple[Kind, str]

_BLACK_JACK: Final[Mapping[str, Reason]] = {
    "1(1)": (Kind.ELECTED, "seats"),
    "1(4)": (Kind.ELECTED, "device"),
    "2(1)(2)": (Kind.ELECTED, "device"),
    "2(2)(4)": (Kind.FOUND, "CARD_IMPOSSIBLE"),
    "3(3)": (Kind.NOTHING, "a player may bet on several seats"),
    "3(4)": (Kind.NOT_ON_A_LOG, "who touches cards"),
    **{f"4(1)({item})": (Kind.ELECTED, "burn_initial") for item in (1, 2)},
    **{f"13({no})({item})": (Kind.COUNTED, "AdditionalWagers._item") for no in (1, 2) for item in (1, 2)},
    "14(1)": (Kind.COUNTED, "AdditionalWagers._decided"),
    **{f"14(2)({item})": (Kind.COUNTED, "AdditionalWagers._two_sevens") for item in (1, 2)},
    **{f"14(2)({item})": (Kind.COUNTED, "AdditionalWagers._sevens") for item in (3, 4)},
    "14(3)": (Kind.COUNTED, "AdditionalWagers._decided"),
    "16(4)": (Kind.NOTHING, "a hand draws as any other"),
    "19(2)": (Kind.NOTHING, "the round goes on"),
}
_FORTUNE: Final[Mapping[str, Reason]] = {
    **{f"1({no})": (Kind.NOTHING, "the equipment; how it is used stands in arts. 3 and 7") for no in (2, 3)},
    "2(2)": (Kind.NOTHING, "a log names the wager, not its space on the layout"),
    "3(2)": (Kind.ELECTED, "shuffle"),
    "4(1)": (Kind.ELSEWHERE, "CardValues.of_cards"),
    "4(2)": (Kind.ELSEWHERE, "CardValues.of_sequence"),
    "6(4)": (Kind.NOT_ON_A_LOG, "who holds cards is not told"),
    "6(5)": (Kind.NOTHING, "the round begins"),
    **{f"8({item})": (Kind.COUNTED, "Combinations.item") for item in range(1, 7)},
    **{f"10({item})": (Kind.COUNTED, "PairPlusPrizes.prize") for item in range(1, 6)},
}
REASONS: Final[Mapping[str, Mapping[str, Reason]]] = {
    "57/2009": {
        **_BLACK_JACK,
        "1(5)": (Kind.NOTHING, "the equipment; the button is moved by art. 13(5)(2)(iii)"),
        "5(2)(3)(6)": (Kind.ELECTED, "p3_player_opens"),
        "6(6)": (Kind.ELSEWHERE, "Soft17._is_soft_17"),
        "11(2)": (Kind.FOUND, "BUTTON_MISPLACED"),
        **{f"13(4)({item})": (Kind.COUNTED, "AdditionalWagers._item") for item in range(1, 4)},
        **{f"13(5)(1)({item})": (Kind.COUNTED, "AdditionalWagersAndStreaks.due_of_streak") for item in ("i", "ii", "iii", "iv")},
        "13(5)(2)(iv)": (Kind.NOTHING, "several streaks may run; the button moves as by (iii)"),
        **{f"14(4)({item})": (Kind.COUNTED, "AdditionalWagers._perfect_pair") for item in range(1, 4)},
        **{f"14(5)({item})": (Kind.COUNTED, "AdditionalWagersAndStreaks._won") for item in range(1, 5)},
        "16(7)(1)": (Kind.ELSEWHERE, "Splitting.result"),
        "16(7)(2)": (Kind.FOUND, "BUTTON_MISPLACED"),
    },
    "56/2004": _BLACK_JACK,
    "42/2007": {each: why for each, why in _BLACK_JACK.items() if not each.startswith(("13", "16"))}
    | {"6(6)": (Kind.ELSEWHERE, "Soft17._is_soft_17")},
    "141/2000": {"1(c)": (Kind.ELECTED, "device"), "2(1)(b)": (Kind.NOTHING, "a machine's cards are not cut")},
    "78/2008": {**_FORTUNE, **{f"9(8)({item})": (Kind.COUNTED, "CourseOfPlay.odds") for item in range(1, 5)}},
    "97/2008": _FORTUNE,
}  # fmt: skip
