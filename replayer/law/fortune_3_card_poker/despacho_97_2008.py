"""Despacho do Secretário para a Economia e Finanças n.º 97/2008: a new art. 9 of 78/2008, nothing else.

Source: Boletim Oficial 50/2008 of 15 December 2008, first series. Items 1 to 6 of the article are at hand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from replayer.law.fortune_3_card_poker.despacho_78_2008 import DESPACHO, DSEF_78_2008
from replayer.law.fortune_3_card_poker.play import PlayOf97

DSEF_97_2008: Final = replace(
    DSEF_78_2008,
    play=PlayOf97(
        DESPACHO, 9, "The player folds or raises, and must raise with both bets; ante and raise are paid even money.",
        "Procedimentos de jogo e prémios", "牌局程序及彩金",
        combinations=DSEF_78_2008.combinations,
        amended_by="97/2008",
        assumed="items 7 and on are not at hand: a higher croupier is taken to collect, a tie to return the stakes, and a "
        "straight or better to have a bonus on the ante (F3-7)",
    ),
)  # fmt: skip
