"""Claims to money, one by one: made with the right to it, without it, late, twice, on another's hand, by who was out already.

Each round was worked out by hand from the text of its version (digest X-3, X-5, X-6 where a text names no remedy): what each
wager is due, in units of money, and what is found. A claim counts only where the law gives it; a play that was accepted counts.
"""

from __future__ import annotations

from functools import cache

import pytest

from replayer.verdicts.replay import Replayed, replay_table_days
from tests.law.one_round import DAYS, FORTUNE_DAYS, codes, dues, table

Case = tuple[str, str, dict[str, list[float | None]], set[str]]
"""Version, round, what each wager of a kind is due in the order placed (None: the text has no such wager), what is found."""

AFTER = "DECISION_AFTER_FINAL"
BLACK_JACK: dict[str, Case] = {
    # Surrender, 18 (141/2000 art. 12)
    "surrender": ("57/2009", "1.main=100 nomore 1+Tc B+Th 1+6d 1.surrender B+7c end", {"main": [-50]}, set()),
    "surrender, 141/2000": ("141/2000", "1.main=100 nomore 1-Tc B+Th 1-6d 1.surrender B+7c end", {"main": [-50]}, set()),
    "surrender twice": (
        "57/2009", "1.main=100 nomore 1+Tc B+Th 1+6d 1.surrender 1.surrender B+7c end", {"main": [-50]}, {AFTER}),
    "surrender against an ace, lost on points": (
        "57/2009", "1.main=100 nomore 1+Tc B+Ah 1+6d 1.surrender B+7c end", {"main": [-100]}, {"SURRENDER_REFUSED"}),
    "surrender against an ace, won on points": (
        "57/2009", "1.main=100 nomore 1+Tc B+Ah 1+Td 1.surrender B+7c end", {"main": [100]}, {"SURRENDER_REFUSED"}),
    "surrender against an ace, tie": (
        "56/2004", "1.main=100 nomore 1+Tc B+Ah 1+8d 1.surrender B+7c end", {"main": [0]}, {"SURRENDER_REFUSED"}),
    "surrender against an ace, Black Jack": (
        "57/2009", "1.main=100 nomore 1+Tc B+Ah 1+6d 1.surrender B+Kc end", {"main": [-100]}, {"SURRENDER_REFUSED"}),
    "surrender of a natural against Black Jack under an ace": (
        "57/2009", "1.main=100 nomore 1+Ac B+Ah 1+Kd 1.surrender B+Kc end", {"main": [0]}, {"SURRENDER_REFUSED"}),
    "surrender of a natural against a ten": (
        "57/2009", "1.main=100 nomore 1+Ac B+Th 1+Kd 1.surrender B+7c end", {"main": [-50]}, set()),
    "surrender in time, then Black Jack under a ten": (
        "57/2009", "1.main=100 nomore 1+Tc B+Th 1+6d 1.surrender B+Ac end", {"main": [-50]}, set()),
    "surrender after a card": (
        "57/2009", "1.main=100 nomore 1+5c B+Th 1+4d 1.hit 1+7s 1.surrender B+7c end", {"main": [-100]},
        {"SURRENDER_LATE"}),
    "surrender after standing": (
        "57/2009", "1.main=100 nomore 1+Tc B+Th 1+9d 1.stand 1.surrender B+7c end", {"main": [100]}, {AFTER}),
    "surrender of a hand over 21": (
        "57/2009", "1.main=100 nomore 1+Tc B+Th 1+6d 1.hit 1+9s 1.surrender B+7c end", {"main": [-100]}, {AFTER}),
    "surrender of a doubled hand": (
        "57/2009", "1.main=100 nomore 1+6c B+Th 1+5d 1.double 1.double=100 1+2s 1.surrender B+7c end",
        {"main": [-100], "double": [-100]}, {AFTER}),
    "surrender of a split hand": (
        "57/2009", "1.main=100 nomore 1+8c B+Th 1+8d 1.split 1b.split=100 1+Tc 1b+9d 1.stand 1b.surrender B+7c end",
        {"main": [100], "split": [0]}, {"SURRENDER_REFUSED"}),
    "surrender for the others on the seat": (
        "57/2009", "1.main=100@p1/0 1.main=50@p2/1 nomore 1+Tc B+Th 1+6d 1.surrender@p2 B+7c end",
        {"main": [-50, -25]}, {"DECISION_OF_ANOTHER"}),
    # Even money, 10(3): as long as the bank's second card is not known (BJ-14), whether or not he stood
    "even money after standing": (
        "57/2009", "1.main=100 nomore 1+Ac B+Ah 1+Kd 1.stand 1.even_money B+Kc end", {"main": [100]}, set()),
    "even money after standing, 141/2000": (
        "141/2000", "1.main=100 nomore 1-Ac B+Ah 1-Kd 1.stand 1.even_money B+Kc end", {"main": [100]}, set()),
    "even money after standing against a nine": (
        "56/2004", "1.main=100 nomore 1+Ac B+9h 1+Kd 1.stand 1.even_money B+9c end", {"main": [150]},
        {"EVEN_MONEY_REFUSED"}),
    "even money after standing when Black Jack is known": (
        "57/2009", "1.main=100 nomore 1+Ac B+Ah 1+Kd 1.stand B+Kc 1.even_money end", {"main": [0]}, {"EVEN_MONEY_LATE"}),
    "even money against an ace": (
        "57/2009", "1.main=100 nomore 1+Ac B+Ah 1+Kd 1.even_money B+7c end", {"main": [100]}, set()),
    "even money against a ten that is Black Jack": (
        "57/2009", "1.main=100 nomore 1+Ac B+Th 1+Kd 1.even_money B+Ac end", {"main": [100]}, set()),
    "even money, 141/2000": (
        "141/2000", "1.main=100 nomore 1-Ac B+Kh 1-Kd 1.even_money B+Ac end", {"main": [100]}, set()),
    "even money against a nine": (
        "57/2009", "1.main=100 nomore 1+Ac B+9h 1+Kd 1.even_money B+9c end", {"main": [150]}, {"EVEN_MONEY_REFUSED"}),
    "even money without Black Jack": (
        "57/2009", "1.main=100 nomore 1+Tc B+Ah 1+7d 1.even_money 1.stand B+7c end", {"main": [-100]}, {"EVEN_MONEY_REFUSED"}),
    "even money on 21 in three cards": (
        "56/2004", "1.main=100 nomore 1+5c B+Ah 1+6d 1.hit 1+Ts 1.even_money B+Kc end", {"main": [-100]},
        {"EVEN_MONEY_REFUSED"}),
    "even money when Black Jack is known": (
        "57/2009", "1.main=100 nomore 1+Ac B+Ah 1+Kd B+Kc 1.even_money end", {"main": [0]}, {"EVEN_MONEY_LATE"}),
    "even money on a split ace with a ten": (
        "57/2009", "1.main=100 nomore 1+Ac B+Th 1+Ad 1.split 1b.split=100 1+Kc 1b+9d 1.even_money B+7c end",
        {"main": [100], "split": [100]}, {"EVEN_MONEY_REFUSED"}),
    "even money twice": (
        "57/2009", "1.main=100 nomore 1+Ac B+Ah 1+Kd 1.even_money 1.even_money B+Kc end", {"main": [100]}, {AFTER}),
    "even money beside insurance": (
        "57/2009", "1.main=100 nomore 1+Ac B+Ah 1+Kd 1.insurance=50 1.even_money B+Kc end",
        {"main": [100], "insurance": [100]}, set()),
    # Insurance, 12
    "insurance won": (
        "57/2009", "1.main=100 nomore 1+Tc B+Ah 1+9d 1.insurance=50 1.stand B+Kc end",
        {"main": [-100], "insurance": [100]}, set()),
    "insurance lost": (
        "57/2009", "1.main=100 nomore 1+Tc B+Ah 1+9d 1.insurance=100 1.stand B+7c end",
        {"main": [100], "insurance": [-100]}, set()),
    "insurance of a hand over 21": (
        "57/2009", "1.main=100 nomore 1+Tc B+Ah 1+6d 1.insurance=50 1.hit 1+9s B+Kc end",
        {"main": [-100], "insurance": [100]}, set()),
    "insurance above the whole": (
        "57/2009", "1.main=100 nomore 1+Tc B+Ah 1+9d 1.insurance=150 1.stand B+7c end",
        {"main": [100], "insurance": [-150]}, {"INSURANCE_BOUNDS"}),
    "insurance below the half": (
        "57/2009", "1.main=100 nomore 1+Tc B+Ah 1+9d 1.insurance=20 1.stand B+Kc end",
        {"main": [-100], "insurance": [40]}, {"INSURANCE_BOUNDS"}),
    "insurance above the half, 141/2000": (
        "141/2000", "1.main=100 nomore 1-Tc B+Ah 1-9d 1.insurance=60 1.stand B+7c end",
        {"main": [100], "insurance": [-60]}, {"INSURANCE_BOUNDS"}),
    "insurance below the half, 141/2000": (
        "141/2000", "1.main=100 nomore 1-Tc B+Ah 1-9d 1.insurance=20 1.stand B+7c end",
        {"main": [100], "insurance": [-20]}, set()),
    "insurance without a bet on the seat": (
        "57/2009", "1.main=100@p1 nomore 1+Tc B+Ah 1+9d 1.insurance=50@p2 1.stand@p1 B+7c end",
        {"main": [100], "insurance": [-50]}, {"WAGER_WITHOUT_BASE"}),
    "insurance of two on a seat, in parts": (
        "57/2009",
        "1.main=100@p1/0 1.main=40@p2/1 nomore 1+Tc B+Ah 1+9d 1.insurance=30@p1 1.insurance=10@p2 1.insurance=20@p1"
        " 1.insurance=10@p2 1.stand@p1 B+Kc end",
        {"main": [-100, -40], "insurance": [60, 20, 40, 20]}, set()),
    # Double, 17
    "double on three cards": (
        "57/2009", "1.main=100 nomore 1+5c B+Th 1+4d 1.hit 1+2s 1.double 1.double=100 1+9s B+7c end",
        {"main": [100], "double": [100]}, {"DOUBLE_REFUSED"}),
    "double on three cards against Black Jack": (
        "57/2009", "1.main=100 nomore 1+5c B+Th 1+4d 1.hit 1+2s 1.double 1.double=100 1+9s B+Ac end",
        {"main": [-100], "double": [-100]}, {"DOUBLE_REFUSED"}),
    "double against Black Jack": (
        "57/2009", "1.main=100 nomore 1+6c B+Th 1+5d 1.double 1.double=100 1+9s B+Ac end",
        {"main": [-100], "double": [0]}, set()),
    "double against Black Jack, 56/2004": (
        "56/2004", "1.main=100 nomore 1+6c B+Th 1+5d 1.double 1.double=100 1+9s B+Ac end",
        {"main": [-100], "double": [-100]}, set()),
    "double against Black Jack, 141/2000": (
        "141/2000", "1.main=100 nomore 1-6c B+Th 1-5d 1.double 1.double=100 1+9s B+Ac end",
        {"main": [-100], "double": [-100]}, set()),
    "double that is over 21 against Black Jack": (
        "57/2009", "1.main=100 nomore 1+6c B+Th 1+6d 1.double 1.double=100 1+Ts B+Ac end",
        {"main": [-100], "double": [-100]}, set()),
    "double for less": (
        "57/2009", "1.main=100 nomore 1+6c B+Th 1+5d 1.double 1.double=50 1+9s B+7c end",
        {"main": [100], "double": [50]}, {"STAKE_UNEQUAL"}),
    "double on nine, 141/2000": (
        "141/2000", "1.main=100 nomore 1-5c B+Th 1-4d 1.double 1.double=100 1+Ts B+7c end",
        {"main": [100], "double": [100]}, {"DOUBLE_REFUSED"}),
    "double of a natural": (
        "57/2009", "1.main=100 nomore 1+Ac B+9h 1+Kd 1.double 1.double=100 1+5s B+9c end",
        {"main": [-100], "double": [-100]}, {"DOUBLE_REFUSED"}),
    "double of a hand that was given up": (
        "57/2009", "1.main=100 nomore 1+6c B+Th 1+5d 1.surrender 1.double 1.double=100 1+9s B+7c end",
        {"main": [-50], "double": [0]}, {AFTER}),
    "double of a hand that was paid even money": (
        "57/2009", "1.main=100 nomore 1+Ac B+Ah 1+Kd 1.even_money 1.double 1.double=100 1+5c B+Kc end",
        {"main": [100], "double": [0]}, {AFTER}),
    "double of a hand that was paid even money, 141/2000": (
        "141/2000", "1.main=100 nomore 1-Ac B+Ah 1-Kd 1.even_money 1.double 1.double=100 1+5c B+Kc end",
        {"main": [100], "double": [0]}, {AFTER}),
    "double of a hand that was paid half for five cards": (
        "56/2004",
        "1.main=100 nomore 1+2c B+Th 1+3c 1.hit 1+2d 1.hit 1+3d 1.hit 1+4s 1.five_card_half 1.double 1.double=100 1+5c B+7c end",
        {"main": [50], "double": [0]}, {AFTER}),
    "insurance on another player's seat": (
        "57/2009", "1.main=100@p1 nomore 1+Tc B+Ah 1+9d 2.insurance=50@p1 1.stand B+7c end",
        {"main": [100], "insurance": [-50]}, {"WAGER_WITHOUT_BASE"}),
    "insurance after a card": (
        "57/2009", "1.main=100 nomore 1+5c B+Ah 1+4d 1.hit 1+7s 1.insurance=50 1.stand B+Kc end",
        {"main": [-100], "insurance": [100]}, {"WAGER_TOO_LATE"}),
    # Split, 16
    "split against Black Jack": (
        "57/2009", "1.main=100 nomore 1+8c B+Th 1+8d 1.split 1b.split=100 1+Tc 1b+9d 1.stand 1b.stand B+Ac end",
        {"main": [-100], "split": [0]}, set()),
    "split against Black Jack, 56/2004": (
        "56/2004", "1.main=100 nomore 1+8c B+Th 1+8d 1.split 1b.split=100 1+Tc 1b+9d 1.stand 1b.stand B+Ac end",
        {"main": [-100], "split": [-100]}, set()),
    "split of what is no pair": (
        "57/2009", "1.main=100 nomore 1+Tc B+Th 1+9d 1.split 1b.split=100 1+8c 1b+7d 1.stand 1b.stand B+7c end",
        {"main": [100], "split": [-100]}, {"SPLIT_NO_PAIR"}),
    "split of king and queen, 57/2009": (
        "57/2009", "1.main=100 nomore 1+Kc B+Th 1+Qd 1.split 1b.split=100 1+8c 1b+7d 1.stand 1b.stand B+7c end",
        {"main": [100], "split": [0]}, {"SPLIT_NO_PAIR"}),
    "split of king and queen, 141/2000": (
        "141/2000", "1.main=100 nomore 1-Kc B+Th 1-Qd 1.split 1b.split=100 1+8c 1b+7d 1.stand 1b.stand B+7c end",
        {"main": [100], "split": [0]}, set()),
    "split for less": (
        "57/2009", "1.main=100 nomore 1+8c B+Th 1+8d 1.split 1b.split=50 1+Tc 1b+Td 1.stand 1b.stand B+7c end",
        {"main": [100], "split": [50]}, {"STAKE_UNEQUAL"}),
    "a second card on a split ace": (
        "57/2009", "1.main=100 nomore 1+Ac B+Th 1+Ad 1.split 1b.split=100 1+5c 1b+9d 1.hit 1+5s B+7c end",
        {"main": [100], "split": [100]}, {"HIT_ON_SPLIT_ACE"}),
    "a split ace with a ten is no Black Jack": (
        "57/2009", "1.main=100 nomore 1+Ac B+Th 1+Ad 1.split 1b.split=100 1+Kc 1b+9d B+5c B+6c end",
        {"main": [0], "split": [-100]}, set()),
    "split by both on a seat against Black Jack": (
        "57/2009",
        "1.main=100@p1/0 1.main=40@p2/1 nomore 1+8c B+Th 1+8d 1.split@p1 1b.split=100@p1 1b.split=40@p2 1+Td 1.stand@p1 1b+9c"
        " 1b.stand@p1 B+Ac end",
        {"main": [-100, -40], "split": [0, 0]}, set()),
    "split, the bank given the second hand's card, which was put right, 5(1)(2)": (
        "57/2009",
        "1.main=100 nomore 1+8c B+Th 1+8d 1.split 1b.split=100 1+Td 1.stand 1b+2c 1b.hit B+5d B~5d 1b+5d 1b.stand B+7c end",
        {"main": [100], "split": [-100]}, set()),
    # Special prize and five cards, 15 and 19
    "three sevens against Black Jack": (
        "57/2009", "1.main=100 nomore 1+7c B+Ah 1+7d 1.hit 1+7s B+Kc end", {"main": [300]}, set()),
    "three sevens on a double": (
        "57/2009", "1.main=100 nomore 1+7c B+9h 1+7d 1.double 1.double=100 1+7s B+9c end",
        {"main": [300], "double": [300]}, set()),
    "six, seven, eight of two suits": (
        "57/2009", "1.main=100 nomore 1+6c B+9h 1+7c 1.hit 1+8d 1.special_prize B+9c end", {"main": [100]},
        {"PRIZE_REFUSED"}),
    "half for five cards": (
        "57/2009", "1.main=100 nomore 1+2c B+Th 1+3c 1.hit 1+2d 1.hit 1+3d 1.hit 1+4s 1.five_card_half B+7c end",
        {"main": [50]}, set()),
    "half for four cards": (
        "57/2009", "1.main=100 nomore 1+2c B+Th 1+3c 1.hit 1+2d 1.hit 1+3d 1.five_card_half 1.stand B+7c end",
        {"main": [-100]}, {"FIVE_CARDS_REFUSED"}),
    "half for five cards against an ace": (
        "57/2009", "1.main=100 nomore 1+2c B+Ah 1+3c 1.hit 1+2d 1.hit 1+3d 1.hit 1+4s 1.five_card_half 1.stand B+7c end",
        {"main": [-100]}, {"FIVE_CARDS_REFUSED"}),
    "half for five cards when the bank is known": (
        "141/2000", "1.main=100 nomore 1-2c B+Th 1-3c 1.hit 1+2d 1.hit 1+3d 1.hit 1+4s B+7c 1.five_card_half end",
        {"main": [-100]}, {"FIVE_CARDS_LATE"}),
    "half for five cards after standing, the next seat having played": (
        "57/2009",
        "1.main=100 2.main=100 nomore 1+2c 2+Tc B+Th 1+3c 2+9d 1.hit 1+2d 1.hit 1+3d 1.hit 1+4s 1.stand 2.stand"
        " 1.five_card_half B+7c end",
        {"main": [50, 100]}, set()),
    "half for five cards after standing when the bank is known": (
        "42/2007", "1.main=100 nomore 1+2c B+Th 1+3c 1.hit 1+2d 1.hit 1+3d 1.hit 1+4s 1.stand B+7c 1.five_card_half end",
        {"main": [-100]}, {"FIVE_CARDS_LATE"}),
    "half for four cards after standing": (
        "57/2009", "1.main=100 nomore 1+2c B+Th 1+3c 1.hit 1+2d 1.hit 1+3d 1.stand 1.five_card_half B+7c end",
        {"main": [-100]}, {"FIVE_CARDS_REFUSED"}),
    "half for five cards twice": (
        "56/2004",
        "1.main=100 nomore 1+2c B+Th 1+3c 1.hit 1+2d 1.hit 1+3d 1.hit 1+4s 1.five_card_half 1.five_card_half B+7c end",
        {"main": [50]}, {AFTER}),
    "half for five cards that are over 21": (
        "57/2009", "1.main=100 nomore 1+2c B+Th 1+3c 1.hit 1+2d 1.hit 1+5d 1.hit 1+Ks 1.five_card_half B+7c end",
        {"main": [-100]}, {AFTER}),
    "three sevens that were let alone against Black Jack": (
        "57/2009", "1.main=100 nomore 1+7c B+Th 1+7d 1.hit 1+7s 1.decline_special_prize B+Ac end", {"main": [-100]}, set()),
    "half for five cards, then Black Jack": (
        "57/2009", "1.main=100 nomore 1+2c B+Th 1+3c 1.hit 1+2d 1.hit 1+3d 1.hit 1+4s 1.five_card_half B+Ac end",
        {"main": [50]}, set()),
    # Additional wagers, 13 and 14
    "any pair on another player's hand": (
        "57/2009", "1.main=100@p1 2.main=100@p2 1.any_pair=10@p2 nomore 1+8c 2+Tc B+Th 1+8d 2+9c 1.stand@p1 2.stand@p2 B+7c end",
        {"main": [-100, 100], "any_pair": [110]}, set()),
    "any pair on a hand that is given up": (
        "57/2009", "1.main=100 1.any_pair=10 nomore 1+8c B+Th 1+8d 1.surrender B+7c end",
        {"main": [-50], "any_pair": [110]}, set()),
    "any pair on a hand that is over 21": (
        "57/2009", "1.main=100 1.any_pair=10 nomore 1+8c B+Th 1+8d 1.hit 1+8s B+7c end",
        {"main": [-100], "any_pair": [110]}, set()),
    "any pair of jack and queen": (
        "57/2009", "1.main=100 1.any_pair=10 nomore 1+Jc B+Th 1+Qd 1.stand B+7c end",
        {"main": [100], "any_pair": [-10]}, set()),
    "any pair, 141/2000": (
        "141/2000", "1.main=100 1.any_pair=10 nomore 1-8c B+Th 1-8d 1.stand B+7c end",
        {"main": [-100], "any_pair": [None]}, {"WAGER_UNKNOWN"}),
    "perfect pair, 56/2004": (
        "56/2004", "1.main=100 1.perfect_pair=10 nomore 1+8c B+Th 1+8c 1.stand B+7c end",
        {"main": [-100], "perfect_pair": [None]}, {"WAGER_UNKNOWN"}),
    "every wager of a round whose cards were cancelled": (
        "57/2009", "1.main=100 1.any_pair=10 nomore 1+8c B+Ah 1+8d 1.insurance=50 void:{cards cancelled} end",
        {"main": [0], "any_pair": [0], "insurance": [0]}, set()),
}  # fmt: skip
LOW, QUEEN = "B-Jc B-8d B-3s", "B-Qc B-8d B-3s"
FORTUNE: dict[str, Case] = {  # a raise is for who plays (9(4)): laid on a hand that was folded it is none, and goes back
    "a pair against a queen": (
        "78/2008", f"1.ante=100 nomore 1-Kc 1-Kd 1-4h {QUEEN} 1.raise 1.raise=100 {QUEEN.replace('-', '^')} end",
        {"ante": [100], "raise": [100]}, set()),
    "folded": ("78/2008", f"1.ante=100 nomore 1-9c 1-8h 1-4h {QUEEN} 1.fold end", {"ante": [-100]}, set()),
    "folded though the croupier does not play": (
        "97/2008", f"1.ante=100 nomore 1-9c 1-8h 1-4h {LOW} 1.fold {LOW.replace('-', '^')} end", {"ante": [-100]}, set()),
    "the croupier does not play": (
        "97/2008", f"1.ante=100 nomore 1-9c 1-8h 1-4h {LOW} 1.raise 1.raise=100 {LOW.replace('-', '^')} end",
        {"ante": [100], "raise": [0]}, set()),
    "a raise of half the ante": (
        "78/2008", f"1.ante=100 nomore 1-Kc 1-Kd 1-4h {QUEEN} 1.raise 1.raise=50 {QUEEN.replace('-', '^')} end",
        {"ante": [100], "raise": [50]}, {"F3_RAISE_AMOUNT"}),
    "a raise staked and not said": (
        "78/2008", f"1.ante=100 nomore 1-Kc 1-Kd 1-4h {QUEEN} 1.raise=100 {QUEEN.replace('-', '^')} end",
        {"ante": [100], "raise": [100]}, {"F3_RAISE_UNDECIDED"}),
    "a raise said and not staked": (
        "97/2008", f"1.ante=100 nomore 1-Kc 1-Kd 1-4h {QUEEN} 1.raise {QUEEN.replace('-', '^')} end",
        {"ante": [100]}, {"F3_RAISE_MISSING"}),
    "a raise when the croupier's hand lay open": (
        "78/2008", f"1.ante=100 nomore 1-Kc 1-Kd 1-4h {QUEEN} 1.raise {QUEEN.replace('-', '^')} 1.raise=100 end",
        {"ante": [100], "raise": [100]}, {"F3_RAISE_LATE"}),
    "a raise on a hand that was folded": (
        "78/2008", f"1.ante=100 nomore 1-Kc 1-Kd 1-4h {QUEEN} 1.fold 1.raise=100 {QUEEN.replace('-', '^')} end",
        {"ante": [-100], "raise": [0]}, {"F3_RAISE_UNDECIDED"}),
    "folded, then played": (
        "78/2008", f"1.ante=100 nomore 1-Kc 1-Kd 1-4h {QUEEN} 1.fold 1.raise 1.raise=100 {QUEEN.replace('-', '^')} end",
        {"ante": [-100], "raise": [0]}, {"F3_DECISION_FORBIDDEN"}),
    "Pair Plus of who folds": (
        "78/2008", f"1.ante=100 1.pair_plus=50 nomore 1-Kc 1-Kd 1-4h {QUEEN} 1.fold end",
        {"ante": [-100], "pair_plus": [50]}, set()),
    "Pair Plus of who folds, 97/2008": (
        "97/2008", f"1.ante=100 1.pair_plus=50 nomore 1-Kc 1-Kd 1-4h {QUEEN} 1.fold end",
        {"ante": [-100], "pair_plus": [-50]}, {"F3_FOLD_FORBIDDEN"}),
    "Pair Plus alone": (
        "97/2008", f"1.pair_plus=50 nomore 1-Kc 1-Kd 1-4h {QUEEN} end", {"pair_plus": [50]}, set()),
    "Pair Plus against a better croupier": (
        "78/2008",
        "1.ante=100 1.pair_plus=50 nomore 1-9c 1-9d 1-4h B-Ac B-Ad B-3s 1.raise 1.raise=100 B^Ac B^Ad B^3s end",
        {"ante": [-100], "raise": [-100], "pair_plus": [50]}, set()),
    "Pair Plus of three odd cards": (
        "78/2008", f"1.pair_plus=50 nomore 1-Kc 1-9d 1-4h {QUEEN} end", {"pair_plus": [-50]}, set()),
    "Pair Plus of king, queen, jack of one suit": (
        "78/2008", f"1.pair_plus=10 nomore 1-Kh 1-Qh 1-Jh {LOW} end", {"pair_plus": [400]}, set()),
    "three of a kind against a queen": (
        "78/2008", f"1.ante=100 nomore 1-4c 1-4d 1-4h {QUEEN} 1.raise 1.raise=100 {QUEEN.replace('-', '^')} end",
        {"ante": [400], "raise": [400]}, set()),
    "a tie": (
        "78/2008", "1.ante=100 nomore 1-Kc 1-9d 1-4h B-Kd B-9c B-4s 1.raise 1.raise=100 B^Kd B^9c B^4s end",
        {"ante": [0], "raise": [0]}, set()),
    "a bet that the game does not have": (
        "97/2008", f"1.ante=100 1.bonus=10 nomore 1-9c 1-8h 1-4h {QUEEN} 1.fold end",
        {"ante": [-100], "bonus": [None]}, {"F3_WAGER_UNKNOWN"}),
}  # fmt: skip
SIDES = ("any_pair", "sevens", "over_under", "perfect_pair", "streak")


def offered(version: str) -> dict[str, str]:
    names = {"57/2009": SIDES, "56/2004": SIDES[:3]}.get(version, ())
    return {f"side_{name}": "on" for name in names}


def due(replayed: object, kinds: dict[str, list[float | None]]) -> dict[str, list[float | None]]:
    return {kind: [None if due is None else due / 100 for due, _ in dues(replayed, kind)] for kind in kinds}  # type: ignore[arg-type]


@cache
def all_replayed(game: str) -> dict[str, Replayed]:
    """The rounds of a game by their names, each a table-day of its own, replayed together."""
    cases, days = (BLACK_JACK, DAYS) if game == "black_jack" else (FORTUNE, FORTUNE_DAYS)
    tables = [table(text, game, days[version], **offered(version)) for version, text, *_ in cases.values()]
    replayed = replay_table_days(tables)
    return dict(zip(cases, replayed, strict=True))


@pytest.mark.parametrize("name", BLACK_JACK)
def test_black_jack_a_claim_is_due_what_the_text_gives(name: str) -> None:
    _, _, expected, found = BLACK_JACK[name]
    replayed = all_replayed("black_jack")[name]
    assert (due(replayed, expected), codes(replayed)) == (expected, found)


@pytest.mark.parametrize("name", FORTUNE)
def test_fortune_a_claim_is_due_what_the_text_gives(name: str) -> None:
    _, _, expected, found = FORTUNE[name]
    replayed = all_replayed("fortune_3_card_poker")[name]
    assert (due(replayed, expected), codes(replayed)) == (expected, found)
