"""Despacho do Secretário para a Economia e Finanças n.º 78/2008: Fortune 3 Card Poker, article by article.

Source: Boletim Oficial 32/2008 of 11 August 2008, first series. Glosses are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from replayer.law.choice import amount, unset
from replayer.law.fortune_3_card_poker.betting import KindsOfBet, PlacingBets
from replayer.law.fortune_3_card_poker.dealing import Distribution, Irregularities, Material, Places, Shuffle
from replayer.law.fortune_3_card_poker.hand import CardValues, Combinations, PairPlusPrizes
from replayer.law.fortune_3_card_poker.options import HAND, MACHINE, SHOE
from replayer.law.fortune_3_card_poker.play import CourseOfPlay
from replayer.law.regulation import Regulation

DESPACHO: Final = "78/2008"


@dataclass(frozen=True, eq=False)
class FortuneRegulation(Regulation):
    """The provisions of a version, in the order of the law. None asks permission for what the house chooses."""

    material: Material
    places: Places
    shuffle: Shuffle
    values: CardValues
    kinds_of_bet: KindsOfBet
    placing: PlacingBets
    distribution: Distribution
    combinations: Combinations
    play: CourseOfPlay
    pair_plus: PairPlusPrizes
    irregularities: Irregularities


_VALUES: Final = CardValues(
    DESPACHO, 4, "The ace is the highest card; sequences run from A-K-Q to 3-2-A.", "Valor das cartas", "紙牌點數"
)
_COMBINATIONS: Final = Combinations(
    DESPACHO, 8, "Straight flush, trio, straight, flush, pair, three odd cards; how equal ones compare.",
    "Combinações de cartas", "紙牌組合之大小",
    values=_VALUES,
)  # fmt: skip

DSEF_78_2008: Final = FortuneRegulation(
    material=Material(DESPACHO, 1, "One deck; a shoe with a cut card; an automatic shuffler.", "Material", "用具"),
    places=Places(
        DESPACHO, 2, "Eight places with the croupier's; three spaces for bets at each.", "Número de lugares", "門數"
    ),
    shuffle=Shuffle(
        DESPACHO, 3, "Shuffled by hand, cut and put into the shoe, or by machine.", "Procedimentos iniciais", "開始程序",
        choices=(unset("shuffle", MACHINE, HAND),),
    ),
    values=_VALUES,
    kinds_of_bet=KindsOfBet(DESPACHO, 5, "An ante, Pair Plus, or both.", "Apostas", "投注瓣數"),
    placing=PlacingBets(
        DESPACHO, 6, "Within the posted limits, on one's own hand, before the first card; only seated players hold cards.",
        "Regras aplicáveis às apostas", "適用規則",
        choices=(amount("ante_min"), amount("ante_max"), amount("pair_plus_min"), amount("pair_plus_max")),
    ),
    distribution=Distribution(
        DESPACHO, 7,
        "Three cards face down from the left, one at a time from the shoe or three from the shuffler, the croupier last.",
        "Distribuição de cartas", "派牌",
        choices=(unset("deal", MACHINE, SHOE),),
    ),
    combinations=_COMBINATIONS,
    play=CourseOfPlay(
        DESPACHO, 9,
        "Pair Plus is settled; the player folds or raises; the croupier plays with a queen or better; what is paid.",
        "Procedimentos de jogo e prémios", "牌局程序及彩金",
        combinations=_COMBINATIONS,
    ),
    pair_plus=PairPlusPrizes(
        DESPACHO, 10, "Pair Plus pays 40, 25, 5, 4 and 1 to one.",
        "Prémios das apostas no Par Superior", "Pair Plus bet彩金賠率",
        combinations=_COMBINATIONS,
    ),
    irregularities=Irregularities(
        DESPACHO, 11, "What follows from a wrong deal, an exposed card, a hand without a bet, a failing shuffler.",
        "Irregularidades", "不當情事",
    ),
)  # fmt: skip
