"""Why no function of the law is tied to a paragraph: for each that has none, by the instrument with its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ELECTED: Final = "the house elects it: "
"""An option of the article."""
COUNTED: Final = "the number is counted, not named: "
"""A function that takes the items of a list in their order."""
ELSEWHERE: Final = "kept where it is needed, without a citation: "
"""A function that keeps it."""
FOUND: Final = "what breaks it is found, with another citation: "
"""The code of a finding."""
NOT_ON_A_LOG: Final = "not on a log: "
"""What the log does not tell."""
NOTHING: Final = "nothing to keep or to break: "

_BLACK_JACK: Final = {
    "1(1)": ELECTED + "seats",
    "1(4)": ELECTED + "device",
    "2(1)(2)": ELECTED + "device",
    "2(2)(4)": FOUND + "CARD_IMPOSSIBLE",
    "3(3)": NOTHING + "a player may bet on several seats",
    "3(4)": NOT_ON_A_LOG + "who touches cards",
    "4(1)(1)": ELECTED + "burn_initial",
    "4(1)(2)": ELECTED + "burn_initial",
    "13(1)(1)": COUNTED + "AdditionalWagers._item",
    "13(1)(2)": COUNTED + "AdditionalWagers._item",
    "13(2)(1)": COUNTED + "AdditionalWagers._item",
    "13(2)(2)": COUNTED + "AdditionalWagers._item",
    "14(1)": COUNTED + "AdditionalWagers._decided",
    "14(2)(1)": COUNTED + "AdditionalWagers._two_sevens",
    "14(2)(2)": COUNTED + "AdditionalWagers._two_sevens",
    "14(2)(3)": COUNTED + "AdditionalWagers._sevens",
    "14(2)(4)": COUNTED + "AdditionalWagers._sevens",
    "14(3)": COUNTED + "AdditionalWagers._decided",
    "16(4)": NOTHING + "a hand draws as any other",
    "19(2)": NOTHING + "the round goes on",
}
_FORTUNE: Final = {
    "1(2)": NOTHING + "the equipment; how it is used stands in arts. 3 and 7",
    "1(3)": NOTHING + "the equipment; how it is used stands in arts. 3 and 7",
    "2(2)": NOTHING + "a log names the wager, not its space on the layout",
    "3(2)": ELECTED + "shuffle",
    "4(1)": ELSEWHERE + "CardValues.of_cards",
    "4(2)": ELSEWHERE + "CardValues.of_sequence",
    "6(4)": NOT_ON_A_LOG + "who holds cards is not told",
    "6(5)": NOTHING + "the round begins",
    **{f"8({item})": COUNTED + "Combinations.item" for item in range(1, 7)},
    **{f"10({item})": COUNTED + "PairPlusPrizes.prize" for item in range(1, 6)},
}
REASONS: Final[Mapping[str, Mapping[str, str]]] = {
    "57/2009": _BLACK_JACK | {
        "1(5)": NOTHING + "the equipment; the button is moved by art. 13(5)(2)(iii)",
        "5(2)(3)(6)": NOT_ON_A_LOG + "what hands do to cards",
        "6(6)": ELSEWHERE + "Soft17._is_soft_17",
        "11(2)": FOUND + "BUTTON_MISPLACED",
        "13(4)(1)": COUNTED + "AdditionalWagers._item",
        "13(4)(2)": COUNTED + "AdditionalWagers._item",
        "13(4)(3)": COUNTED + "AdditionalWagers._item",
        **{f"13(5)(1)({item})": COUNTED + "AdditionalWagersAndStreaks.carried" for item in ("i", "ii", "iii", "iv")},
        "13(5)(2)(iv)": NOTHING + "several streaks may run; the button moves as by (iii)",
        "14(4)(1)": COUNTED + "AdditionalWagers._perfect_pair",
        "14(4)(2)": COUNTED + "AdditionalWagers._perfect_pair",
        "14(4)(3)": COUNTED + "AdditionalWagers._perfect_pair",
        **{f"14(5)({item})": COUNTED + "AdditionalWagersAndStreaks._won" for item in range(1, 5)},
        "16(7)(1)": ELSEWHERE + "Splitting.result",
        "16(7)(2)": FOUND + "BUTTON_MISPLACED",
    },
    "56/2004": _BLACK_JACK,
    "42/2007": {each: why for each, why in _BLACK_JACK.items() if not each.startswith(("13", "16"))}
    | {"6(6)": ELSEWHERE + "Soft17._is_soft_17"},
    "141/2000": {"1(c)": ELECTED + "device", "2(1)(b)": NOTHING + "a machine's cards are not cut"},
    "78/2008": _FORTUNE | {f"9(8)({item})": COUNTED + "PlayOf2008.odds" for item in range(1, 5)},
    "97/2008": _FORTUNE,
}  # fmt: skip
