"""Despacho Regulamentar Externo do Secretário para a Economia e Finanças n.º 56/2004, 經濟財政司司長對外規範性批示第56/2004號.

Regulamento Oficial do «Black Jack» ou «Vinte e Um», article by article. The copy at hand is Portuguese and lacks art. 21,
which is taken to ask permission for the options as 57/2009 art. 21(1) does.
"""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType
from typing import Final

from replayer.law.authorisation import Authorisation
from replayer.law.black_jack.claims import FiveCards, SpecialPrize, Surrender
from replayer.law.black_jack.dealing import Deal
from replayer.law.black_jack.doubling import FIRST_TWO, MODES, SPLIT_FIRST_TWO, Doubling
from replayer.law.black_jack.drawing import Drawing, Scoring, StandsOn17
from replayer.law.black_jack.insurance import Insurance
from replayer.law.black_jack.regulation import BlackJackRegulation
from replayer.law.black_jack.sharing import HIGHEST_DECIDES, MAX_THREE, SEATED_DECIDES, Sharing
from replayer.law.black_jack.shuffling import Burns, Material, Shuffling
from replayer.law.black_jack.side_wagers import ANY_PAIR, OVER_13, SEVENS, UNDER_13, AdditionalWagers, Offer, Prizes
from replayer.law.black_jack.splitting import Splitting
from replayer.law.black_jack.stakes import Seats
from replayer.law.black_jack.winning import BlackJack, CardValues, HigherWins, Ties
from replayer.law.choice import assumed, count, one_of, some_of, span, unset, yes_no
from schemas.bounds import LAST_SEAT, MOST_DECKS

_ACT: Final = "56/2004"

AUTHORISATION: Final = Authorisation(
    _ACT, 21, "permission for the house's options", "Autorização", "許可",
    articles=(1, 2, 3, 4, 5, 6, 10, 12, 13, 14, 16, 17, 20),
    assumed="the text of this article is not at hand; it is taken to be as 57/2009 art. 21(1)",
    choosing=(),
)  # fmt: skip

DSEF_56_2004: Final = BlackJackRegulation(
    material=Material(
        _ACT, 1, "a table of six seats or more, one deck or more, box, shoe or machine", "Material", "用具",
        choices=(
            assumed(count("decks", 6, 1, MOST_DECKS)),
            assumed(one_of("device", "shoe", "box", "auto")),
            count("seats", 7, 6, LAST_SEAT),
        ),
    ),
    shuffling=Shuffling(_ACT, 2, "shuffle, cut, white cards; when the cards are shuffled again", "Procedimentos", "程序"),
    seats=Seats(
        _ACT, 3, "seats; a player may bet on several, the house may limit how many",
        "Lugares na mesa de jogo", "博彩桌上之門數",
        choices=(count("max_seats_per_player", None, 1),),
    ),
    burns=Burns(
        _ACT, 4, "cards taken away unseen before the deal and, if so chosen, later", "Cartas retiradas", "銷牌",
        choices=(
            unset("burn_initial", "per_deck", "one"),
            one_of("burn_later", "none", "round_start", "round_start_and_bank_second"),
        ),
    ),
    deal=Deal(
        _ACT, 5, "one card at a time from the left, by one of two procedures", "Distribuição das cartas", "派牌",
        choices=(yes_no("exposed_first_card_valid", on=False), assumed(one_of("deal_procedure", "2", "1"))),
        hole_first=(), hole_second=(), hole_check=(), hole_collects=(), hole_down=(), hole_splits=(), hole_limit=(),
    ),
    drawing=Drawing(
        _ACT, 6, "the bank draws to 16 and stands on 17; players draw below 21", "Cartas adicionais", "博牌",
        on17=StandsOn17(),
        choices=(yes_no("bank_unseen_extra_valid", on=False),),
    ),
    scoring=Scoring(_ACT, 7, "totals are called; a player over 21 loses even if the bank busts too", "Pontuação", "計分"),
    values=CardValues(_ACT, 8, "ace 1 or 11, figures 10, others their pips", "Valor das cartas", "紙牌點數"),
    higher_wins=HigherWins(_ACT, 9, "more points than the bank win, fewer lose", "Ganho ou perda", "勝負"),
    natural=BlackJack(
        _ACT, 10, "Black Jack pays one and a half, or one at once if asked for", "«Black jack»", "《Black Jack》",
        pays=Fraction(3, 2),
        choices=(yes_no("bj_double_relief", on=False),),
    ),
    ties=Ties(
        _ACT, 11, "both Black Jack, or equal points: the stake goes back", "Empate", "和局",
        both_natural=(1,),
        equal_points=(2,),
    ),
    insurance=Insurance(
        _ACT, 12, "against an ace; half to the whole of the bet; two to one", "Aposta de seguro", "保險投注",
        pays=Fraction(2),
        has_floor=True,
        choices=(span("insurance_accepts", Fraction(1, 2), Fraction(1)),),
    ),
    additional_wagers=AdditionalWagers(
        _ACT, 13, "pairs, sevens, over and under 13", "Apostas adicionais", "額外投注",
        offered=MappingProxyType({
            ANY_PAIR: Offer("side_any_pair", (1,)),
            SEVENS: Offer("side_sevens", (2,)),
            OVER_13: Offer("side_over_under", (3,)),
            UNDER_13: Offer("side_over_under", (3,)),
        }),
        any_pair_of_sevens=True,
        choices=(
            yes_no("side_any_pair", on=False),
            yes_no("side_sevens", on=False),
            yes_no("side_over_under", on=False),
        ),
    ),
    prizes=Prizes(
        _ACT, 14, "what the additional wagers pay, to one", "Prémios das apostas adicionais", "額外投注的彩金",
        any_pair=11,
        sevens_two=50, sevens_two_suited=150, sevens_three=500, sevens_three_suited=5000,
        over_under=1,
    ),
    special_prize=SpecialPrize(
        _ACT, 15, "suited 6-7-8 or three sevens: three times the bet at once", "Prémios especiais", "特別彩金",
        times=3,
    ),
    splitting=Splitting(
        _ACT, 16, "a pair becomes up to four bets or more", "Separação de pares", "分門",
        choices=(count("split_max_hands", 4, 2), yes_no("resplit", on=True), yes_no("resplit_aces", on=False)),
        relief=(),
    ),
    doubling=Doubling(
        _ACT, 17, "a second stake for one card: on first cards and those of any split pair, or on eleven only",
        "Apostas dobradas", "加注",
        paragraphs=((1,), (1,), (2,)),
        aces=True,
        exclusive=True,
        face_up=frozenset({FIRST_TWO, SPLIT_FIRST_TWO}),
        one_card=(1,),
        relief=(),
        choices=(some_of("double_modes", MODES, (FIRST_TWO, SPLIT_FIRST_TWO)),),
    ),
    surrender=Surrender(
        _ACT, 18, "half is lost, not against an ace, before any additional card", "Desistência", "放棄牌局",
        loses=Fraction(1, 2),
    ),
    five_cards=FiveCards(_ACT, 19, "five cards not over 21, no ace open: half of the bet on request", "Cinco cartas", "五張紙牌"),
    shared_seat=Sharing(
        _ACT, 20, "who decides where several bet on one seat", "Várias apostas no mesmo lugar", "同門搭注",
        choices=(unset("shared_seat", SEATED_DECIDES, MAX_THREE, HIGHEST_DECIDES),),
    ),
    authorisation=AUTHORISATION,
)  # fmt: skip
