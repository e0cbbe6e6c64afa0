"""Black Jack as the engine sees it: connects each function of the game to its module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from replayer.contract import game
from replayer.contract.cards import NOT_KNOWN, Card
from replayer.contract.outcomes import Counted
from replayer.law.black_jack import seat_fold, settlement, sharing, side_wagers, stakes
from replayer.law.black_jack.bank import NEW_BANK, judge_bank
from replayer.law.black_jack.drawing import BANK_DID_NOT_DRAW
from replayer.law.black_jack.first_cards import FIRST_CARDS, FirstCardsFold
from replayer.law.black_jack.hand import CLOSED, NOTHING_TO_SHOW, Showing
from replayer.law.black_jack.outcome import NO_NATURAL, BankOutcome, FirstCardsOutcome, SeatOutcome
from replayer.law.black_jack.points import SUITED, best_points, is_soft
from replayer.law.black_jack.regulation import BlackJackOptions, BlackJackRegulation, read_options
from replayer.law.black_jack.round_state import RoundState, judge_round
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.seat_state import NEW_SEAT, SeatState
from replayer.law.black_jack.shuffling import BURN_MISSING, CUT_MISSING, WHITE_CARD_MISSING
from replayer.law.black_jack.streak import STREAKS, Streak, article_of, awaited_by, result_of
from schemas.cards import RANKS

_Seat: TypeAlias = tuple[SeatState, Showing]
"""A seat and its hands, and what is to be shown of its cards that lie face down."""


def _counted(cards: Sequence[Card], rules: Rules | None) -> Counted:
    """Art. 8, by the best points: whatever total was called."""
    ranks = tuple(card.rank for card in cards)
    return Counted() if NOT_KNOWN in ranks else Counted(best_points(ranks), is_soft(ranks))


_Game: TypeAlias = game.GameOf[
    BlackJackRegulation, BlackJackOptions, _Seat, SeatOutcome, BankOutcome, FirstCardsOutcome
]

GAME: Final[_Game] = game.GameOf(
    name="black_jack",
    options=read_options,
    turns_nothing=None,
    actions=game.Actions(
        closing=CLOSED,
        timed=frozenset({"surrender", "insurance", "even_money", "five_card_half"}),
        aside=frozenset({"insurance", "even_money"}),
        standing=frozenset({"stand"}),
        separating=frozenset({"split"}),
    ),
    wagers=game.WagerKinds(
        base=frozenset({settlement.MAIN}),
        seat=frozenset({settlement.MAIN}),
        opening=frozenset({settlement.SPLIT}),
        play=settlement.PLAY_WAGERS,
        hand=settlement.HAND_WAGERS,
        first_cards=side_wagers.FIRST_CARD_WAGERS,
        carried=frozenset(STREAKS),
        settled_alone=frozenset({settlement.INSURANCE}),
    ),
    placing=game.Placing(
        judge=stakes.judge_stake,
        in_time=stakes.in_time,
        most=lambda rules: rules.regulation.deal.table_limit(rules),
        last_seat=lambda rules: rules.regulation.seats.on_layout(rules),
        without_occupant=lambda rules: rules.regulation.seats.without_occupant(rules),
    ),
    seat=game.SeatLaw(
        begin=lambda upcard, _: (NEW_SEAT.faces(upcard), NOTHING_TO_SHOW),
        judgement=lambda ends, rules: ends[0].judgement(rules, ends[1]),
        judge=seat_fold.judge_seat,
        new=NEW_SEAT,
        suited=SUITED,
        upcards={rank: "A" if rank == "A" else "T" if rank in "TJQK" else "x" for rank in RANKS},
        hands=seat_fold.hands,
        counted=_counted,
        judge_other=lambda action, rules: rules.regulation.shared_seat.judge_other(action),
        called_behind=lambda rules: rules.regulation.drawing.called_behind(rules),
    ),
    bank=game.BankLaw(judge=judge_bank, new=NEW_BANK, suited=frozenset(), undrawn={BANK_DID_NOT_DRAW: NO_NATURAL}),
    round=game.RoundLaw(
        judge=judge_round,
        new=RoundState.new,
        interchangeable_seats=255,
        drawn_to=True,
        unprepared=frozenset({CUT_MISSING, WHITE_CARD_MISSING, BURN_MISSING}),
    ),
    settlement=game.Settlement(
        due=settlement.settle,
        late=settlement.settle_late,
        void=lambda _, rules: rules.regulation.deal.cancelled_due(rules),
        meets=settlement.meets,
        reduced=settlement.reduced,
    ),
    first_cards=game.FirstCardsLaw(new=FIRST_CARDS, fold=FirstCardsFold),
    carried=game.CarriedLaw(
        result=result_of,
        new=Streak.placed,
        awaits=awaited_by,
        judge_marker=lambda shows, won, moved, rules: article_of(rules).judge_button(shows, moved, rules, just_won=won),
    ),
    shared_seats=game.SharedSeatLaw(
        deciders=lambda bets, rules: rules.regulation.shared_seat.deciders(bets, rules),
        judge=lambda action, player, deciders, rules: rules.regulation.shared_seat.judge(
            action, player, deciders, rules
        ),
        claims=sharing.CLAIMS,
        for_himself=lambda claim, rules: rules.regulation.shared_seat.for_himself(claim, rules),
        followed=sharing.FOLLOWED,
        not_followed=lambda rules: rules.regulation.shared_seat.not_followed(rules),
        declined=seat_fold.any_declined,
        carried_out=seat_fold.carried_out,
    ),
)
