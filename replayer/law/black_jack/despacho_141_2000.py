"""Despacho do Chefe do Executivo n.º 141/2000, 行政長官批示第141/2000號: republishes the regulation of 57/83/M.

Regulamento Oficial do «Black Jack» ou «Vinte e Um», 二十一點法定規章, article by article. It has 14 articles with numbers
of its own, most of them without numbered paragraphs, leaves little to the house and knows no additional wagers.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

from replayer.law.black_jack.claims import FiveCards, SpecialPrize, Surrender
from replayer.law.black_jack.dealing import Deal
from replayer.law.black_jack.doubling import ELEVEN, Doubling
from replayer.law.black_jack.drawing import Drawing, Scoring, StandsOn17
from replayer.law.black_jack.insurance import Insurance
from replayer.law.black_jack.regulation import BlackJackRegulation
from replayer.law.black_jack.sharing import HIGHEST_DECIDES, Sharing
from replayer.law.black_jack.shuffling import Burns, Material, Shuffling
from replayer.law.black_jack.side_wagers import AdditionalWagers, Prizes
from replayer.law.black_jack.splitting import Splitting
from replayer.law.black_jack.stakes import Seats
from replayer.law.black_jack.winning import BlackJack, CardValues, HigherWins, Ties
from replayer.law.choice import assumed, count, one_of, some_of, span
from schemas.bounds import LAST_SEAT, MOST_DECKS

_ACT: Final = "141/2000"

_SHUFFLING: Final = Shuffling(
    _ACT, 2, "shuffle, cut, white cards; when the cards are shuffled again",
    "Procedimento inicial, Final de cada partida", "開始程序, 一局的完結",
    by_hand=(1, "a"), last_round=(2,), any_round=(2,), one_round=(2,),
)  # fmt: skip
DCE_141_2000: Final = BlackJackRegulation(
    material=Material(
        _ACT, 1, "one deck or more, box, shoe or machine", "Material", "用具",
        choices=(assumed(count("decks", 6, 1, MOST_DECKS)), assumed(one_of("device", "shoe", "box", "auto"))),
        decks=("a",), box=("b",), shoe_of_one=False,
    ),
    shuffling=_SHUFFLING,
    seats=Seats(
        _ACT, 2, "who may bet where", "Lugares na mesa", "門數",
        layout=(3,), limit=(3,), by_who_sits=True, most_on_layout=7, replaced=True,
        choices=(count("seats", 7, 1, LAST_SEAT),),
    ),
    burns=Burns(
        _ACT, 2, "as many cards as decks, then one a round and one before the bank's second", "Cartas retiradas", "銷牌",
        initial=(1, "c"), later=(4,),
        choices=(one_of("burn_initial", "per_deck"), one_of("burn_later", "round_start_and_bank_second")),
    ),
    deal=Deal(
        _ACT, 3, "players' cards face down; the bank's second card open later, or hidden in the box",
        "Distribuição das cartas", "派牌",
        procedure_article=_SHUFFLING, order=(1, "c"), exposed=(1, "c"), error=(1, "c"), shoe=(1, "a"), box=(1, "b"),
        open_cards=(), open_second=(), hole_first=(), hole_second=(), hole_check=(), hole_collects=(), hole_down=(),
        hole_splits=(), hole_limit=(),
        from_the_left=False,
        choices=(one_of("deal_procedure", "1"),),
    ),
    drawing=Drawing(
        _ACT, 3, "the bank draws to 16 and stands on 17", "Cartas adicionais", "博牌",
        on17=StandsOn17(),
        bank=(2, "a"), player=(2, "b"), turns=(2, "c"), at_21=(), doubled=(), split_ace=(), announced=(),
        totals_called=False,
    ),
    scoring=Scoring(
        _ACT, 3, "a player over 21 loses even if the bank busts too", "", "", bust=(2, "b"), called=(2, "b"), second=()
    ),
    values=CardValues(_ACT, 4, "ace 1 or 11, figures 10, others their pips", "Valor das cartas", "紙牌點數"),
    higher_wins=HigherWins(_ACT, 5, "more points than the bank win, fewer lose", "Ganho ou perda", "勝負"),
    natural=BlackJack(
        _ACT, 6, "Black Jack pays one and a half, or one at once if asked for", "«Black Jack»", "《Black Jack》",
        pays=Fraction(3, 2),
        numbered=False,
    ),
    ties=Ties(
        _ACT, 7, "both Black Jack, or equal points: the stake goes back", "Empates", "和牌",
        both_natural=("a",), equal_points=("b",),
    ),
    insurance=Insurance(
        _ACT, 8, "against an ace; at most half of the bet; two to one", "Aposta de seguro", "保險投注",
        pays=Fraction(2),
        has_floor=False,
        choices=(span("insurance_accepts", Fraction(0), Fraction(1, 2), may_be_narrowed=False),),
        numbered=False,
    ),
    additional_wagers=AdditionalWagers(_ACT, 0, "no additional wagers", "", ""),
    prizes=Prizes(_ACT, 0, "no prizes for additional wagers", "", ""),
    special_prize=SpecialPrize(
        _ACT, 9, "suited 6-7-8 or three sevens: three times the bet at once", "Prémios especiais", "特獎",
        times=3,
        numbered=False,
    ),
    splitting=Splitting(
        _ACT, 10, "two cards with the same pips become two bets", "Separação de pares", "分門",
        pair_ruling="BJ-59b",
        names_four=False,
        relief=(),
        choices=(count("split_max_hands", 2, 2, 2),),
        numbered=False,
    ),
    doubling=Doubling(
        _ACT, 11, "on eleven in the first two cards, for one card", "Aposta dobrada", "加注",
        choices=(some_of("double_modes", (ELEVEN,), (ELEVEN,), empty=False),),
        relief=(),
        numbered=False,
    ),
    surrender=Surrender(
        _ACT, 12, "half is lost, not against an ace, before any additional card", "Desistência", "放棄牌局",
        loses=Fraction(1, 2),
        numbered=False,
    ),
    five_cards=FiveCards(
        _ACT, 13, "five cards not over 21, no ace open: half of the bet on request", "Cinco cartas", "五張紙牌",
        numbered=False,
    ),
    shared_seat=Sharing(
        _ACT, 14, "who bets most decides where several bet on one seat",
        "Jogadores apostando no mesmo lugar", "同門搭注",
        paragraphs=((HIGHEST_DECIDES, ()),),
        others=(),
        choices=(one_of("shared_seat", HIGHEST_DECIDES),),
        numbered=False,
    ),
)  # fmt: skip
"""As it stands since Executive Order 69/2000, of January 2001, of which it is known only that it replaced art. 2(3)."""

DCE_141_2000_AS_MADE: Final = replace(
    DCE_141_2000, seats=replace(DCE_141_2000.seats, replaced=False, choices=(count("seats", 7, 6, 7),))
)
"""As it was made, before 69/2000: six or seven seats."""
