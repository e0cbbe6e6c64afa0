"""Fortune 3 Card Poker (PT Fortune Poker de 3 Cartas, ZH 富貴三寶) as the engine sees it (``replayer.contract.game``).

Every rule is in its article. Only its player bets on a hand (art. 6(2)), no wager is carried into another round, the
croupier plays the three cards of the deal, and the layout's places are checked with the deal (art. 2(1)).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from replayer.contract import game
from replayer.contract.cards import Card
from replayer.contract.outcomes import Counted, FirstCardsOutcome
from replayer.law.fortune_3_card_poker import settlement
from replayer.law.fortune_3_card_poker.bets import ANTE, NO_BETS, PAIR_PLUS, TO_FOLD, Bets
from replayer.law.fortune_3_card_poker.cards import CARDS, NOT_KNOWN, Cards, Ranks, Suits, hand_of
from replayer.law.fortune_3_card_poker.croupier import Croupier, judge_bank
from replayer.law.fortune_3_card_poker.dealing import F3_CUT_MISSING
from replayer.law.fortune_3_card_poker.despacho_78_2008 import FortuneRegulation
from replayer.law.fortune_3_card_poker.options import Options, read_options
from replayer.law.fortune_3_card_poker.outcome import BankOutcome, SeatOutcome
from replayer.law.fortune_3_card_poker.round_state import RoundState, judge_round
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.law.fortune_3_card_poker.seat_state import NEW_SEAT, SeatState, cards_of, judge_seat
from replayer.law.untimely import as_late
from schemas.cards import RANKS

_Seat: TypeAlias = tuple[Bets, Ranks, Suits]
"""A place's bets, and the ranks and the suits of its cards."""


def _counted(cards: Sequence[Card], rules: Rules | None) -> Counted:
    """Art. 8: the combination; none without the law, or where there are not three cards."""
    hand = hand_of(cards) if len(cards) == CARDS else NOT_KNOWN
    if hand == NOT_KNOWN or rules is None:
        return Counted()
    return Counted(combination=rules.regulation.combinations.named(hand, rules.readings))


_Game: TypeAlias = game.GameOf[FortuneRegulation, Options, _Seat, SeatOutcome, BankOutcome, FirstCardsOutcome]

GAME: Final[_Game] = game.GameOf(
    name="fortune_3_card_poker",
    options=read_options,
    turns_nothing=CARDS,
    actions=game.Actions(closing=frozenset({TO_FOLD})),
    wagers=game.WagerKinds(
        base=frozenset({ANTE}),
        seat=frozenset({ANTE, PAIR_PLUS}),
        play=settlement.HAND_WAGERS | {PAIR_PLUS},
        hand=settlement.HAND_WAGERS,
    ),
    placing=game.Placing(
        judge=lambda stake, rules: rules.regulation.placing.judge(stake, rules),
        in_time=lambda stake, rules: rules.regulation.placing.in_time(stake, rules),
    ),
    seat=game.SeatLaw(
        begin=lambda _, __: (NO_BETS, Ranks(), Suits()),
        judgement=lambda ends, rules: SeatState(ends[0], Cards(*ends[1:])).judgement(rules),
        judge=judge_seat,
        new=NEW_SEAT,
        suited=frozenset(RANKS),
        upcards={},
        hands=lambda history, rules: [cards_of(history, rules)],
        counted=_counted,
        judge_other=lambda action, rules: rules.regulation.play.decided_by_another(action),
    ),
    bank=game.BankLaw(judge=judge_bank, new=Croupier(), suited=frozenset(RANKS)),
    round=game.RoundLaw(
        judge=judge_round,
        new=RoundState.new,
        interchangeable_seats=7,
        drawn_to=False,
        unprepared=frozenset({F3_CUT_MISSING}),
    ),
    settlement=game.Settlement(
        due=settlement.settle,
        late=lambda due, article, rules: as_late(due, article, rules.readings),
        void=lambda article, rules: rules.regulation.irregularities.nothing_due(article),
        meets=settlement.meets,
        reduced=settlement.reduced,
        comparison=game.Comparison(
            met=settlement.met, strength=lambda outcome, rules: rules.regulation.combinations.strength(outcome.hand)
        ),
    ),
)
