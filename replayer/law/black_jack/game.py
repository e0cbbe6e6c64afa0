"""Black Jack as the engine asks it: each question goes to the file that answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from replayer.law.black_jack import (
    bank_story,
    round_story,
    round_won,
    seat_story,
    settlement,
    sharing,
    side_wagers,
    stakes,
)
from replayer.law.black_jack.bank_state import NEW_BANK, BankState
from replayer.law.black_jack.opening import FIRST_CARDS, FirstCards
from replayer.law.black_jack.opening_story import FirstCardsFold
from replayer.law.black_jack.options import NOT_ASKED, BlackJackOptions, read_options
from replayer.law.black_jack.outcome import BankOutcome, SeatOutcome
from replayer.law.black_jack.points import NOT_KNOWN, best_points, is_soft
from replayer.law.black_jack.round_state import RoundState
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.seat_state import NEW_SEAT, SeatState
from replayer.law.black_jack.seat_story import follow
from replayer.law.black_jack.side_wagers import OPENING_WAGERS
from replayer.law.black_jack.streak import STREAKS
from replayer.outcomes import Breach, Counted, Judgement, RoundOutcome
from replayer.rules import OptionFault
from replayer.symbols import BankStory, Opening, RoundStory, SeatStory
from replayer.wagers import Bet, Due, StakeSituation
from schemas.cards import RANKS


class BlackJack:
    """The game; it keeps nothing between questions."""

    name = "black_jack"
    base_wagers: frozenset[str] = frozenset({settlement.MAIN})
    seat_wagers: frozenset[str] = base_wagers
    play_wagers: frozenset[str] = settlement.PLAY_WAGERS
    hand_wagers: frozenset[str] = settlement.HAND_WAGERS
    opening_wagers: frozenset[str] = OPENING_WAGERS
    carried_wagers: frozenset[str] = frozenset(STREAKS)
    suited = False
    turns_nothing: frozenset[str] = frozenset({"seat"})
    upcards: Mapping[str, str] = {rank: "A" if rank == "A" else "T" if rank in "TJQK" else "x" for rank in RANKS}
    timed: frozenset[str] = frozenset({"surrender", "insurance", "even_money", "five_card_half"})
    interchangeable_seats = 255
    side_actions: frozenset[str] = frozenset({"insurance", "even_money"})
    claims: frozenset[str] = sharing.CLAIMS
    not_asked: Mapping[str, frozenset[str]] = NOT_ASKED
    new_seat: SeatState = NEW_SEAT
    new_first_cards: FirstCards = FIRST_CARDS
    first_cards_fold: type[FirstCardsFold] = FirstCardsFold
    new_bank: BankState = NEW_BANK

    def seat_begins(self, upcard: str) -> tuple[SeatState]:
        """A seat before the round; see ``seat_state``."""
        return (NEW_SEAT.faces(upcard),)

    def seat_of(self, machines: Sequence[SeatState]) -> SeatState:
        """The seat, which is one machine."""
        (seat,) = machines
        return seat

    def new_round(self, opening: Opening, rules: Rules) -> RoundState:
        """A round before its first event; see ``round_state``."""
        return RoundState.begun(opening)

    def options(self, elected: Mapping[str, str], regulation: Any) -> tuple[BlackJackOptions, Sequence[OptionFault]]:
        """The options record; see ``options``."""
        return read_options(elected, regulation)

    def judge_seat(self, story: SeatStory, rules: Rules) -> Judgement[SeatOutcome]:
        """What became of a seat; see ``seat_story``."""
        return seat_story.judge_seat(story, rules)

    def judge_bank(self, story: BankStory, rules: Rules) -> Judgement[BankOutcome]:
        """What became of the bank's hand; see ``bank_story``."""
        return bank_story.judge_bank(story, rules)

    def judge_round(self, story: RoundStory, rules: Rules) -> Judgement[RoundOutcome]:
        """Whether the round's procedure was kept; see ``round_story``."""
        return round_story.judge_round(story, rules)

    def judge_stake(self, stake: StakeSituation, rules: Rules) -> Judgement[None]:
        """Whether a wager could be placed then and so high; see ``stakes``."""
        return stakes.judge_stake(stake, rules)

    def too_late(self, stake: StakeSituation, rules: Rules) -> str:
        """Where the moment stands after which a wager was placed; see ``stakes``."""
        return stakes.too_late(stake, rules)

    def settle_late(self, due: Due, article: str, rules: Rules) -> Due:
        """What a late wager is due; see ``settlement``."""
        return settlement.settle_late(due, article, rules)

    def deciders(self, bets: Sequence[Bet], rules: Rules) -> frozenset[str]:
        """Who decides on a shared seat; see ``sharing``."""
        return rules.regulation.shared_seat.deciders(bets, rules)

    def judge_decider(self, action: str, player: str, deciders: frozenset[str], rules: Rules) -> Breach | None:
        """Whether a player had a decision to take on a shared seat; see ``sharing``."""
        return rules.regulation.shared_seat.judge(action, player, deciders, rules)

    def for_himself(self, claim: str, rules: Rules) -> bool:
        """Whether each bettor on a shared seat asks for himself; see ``sharing``."""
        return sharing.for_himself(claim, rules)

    def table_limit(self, rules: Rules) -> tuple[int, Breach] | None:
        """The limit for the whole table; see ``dealing``."""
        return rules.regulation.deal.table_limit(rules)

    def limits(self, kind: str, rules: Rules) -> tuple[int | None, int | None]:
        """The limits of the main wager; the others rest on it."""
        return rules.options.limits(kind)

    def hands(self, story: SeatStory, rules: Rules) -> Sequence[str]:
        """The cards of a seat's hands; see ``seat_story``."""
        return [" ".join(card.text for card in laid.cards.values()) for laid in follow(story, rules).laid]

    def counted(self, cards: Sequence[str], rules: Rules | None) -> Counted:
        """Art. 8, by the best points: whatever total was called."""
        ranks = "".join(card[0] for card in cards)
        return Counted() if NOT_KNOWN in ranks else Counted(best_points(ranks), is_soft(ranks))

    def places(self, rules: Rules) -> tuple[int, Breach] | None:
        """The seats of the layout; see ``stakes``."""
        return rules.regulation.seats.on_layout(rules)

    def bank_draws(self, story: BankStory, rules: Rules) -> bool:
        """Whether the bank must take another card; see ``bank_story``."""
        return bank_story.bank_draws(story, rules)

    def meets(self, seat: SeatOutcome | None, hand: int, bank: BankOutcome | None) -> bool:
        """Whether a hand is held against the bank's points; see ``settlement``."""
        return settlement.meets(seat, hand, bank)

    def met(self, seat: SeatOutcome, bank: BankOutcome, rules: Rules) -> BankOutcome:
        """The bank's points."""
        return bank

    def narrowed(self, wager: settlement.Wager, rules: Rules) -> settlement.Wager:
        """A wager without the hands that it does not lie on, and without the cards that it does not turn on."""
        if wager.kind in settlement.PLAY_WAGERS:
            return settlement.narrowed(wager)
        return side_wagers.narrowed(wager)

    def settle(self, wager: settlement.Wager, rules: Rules) -> Due:
        """What a wager is due: those on first cards by art. 13, the others by ``settlement``."""
        if wager.kind in settlement.PLAY_WAGERS:
            return settlement.settle(wager, rules)
        return rules.regulation.additional_wagers.due(wager, rules)

    def settle_void(self, kind: str, cause: str, rules: Rules) -> Due:
        """What a wager of a cancelled round is due, whatever its kind and the cause; see ``settlement``."""
        return settlement.settle_void(rules)

    def result(self, seat: SeatOutcome | None, bank: BankOutcome | None, rules: Rules) -> str:
        """One letter for the seat's round; see ``round_won``."""
        return round_won.result(seat, bank, rules)

    def settle_carried(self, kind: str, results: str, rules: Rules) -> Due | None:
        """What a streak is due; see ``streak``."""
        return rules.regulation.additional_wagers.carried(kind, results, rules)

    def judge_marker(self, results: Sequence[str], moved: Sequence[int], rules: Rules) -> Judgement[None]:
        """Whether the streak button was moved; see ``streak``."""
        return rules.regulation.additional_wagers.judge_button(results, moved, rules)


GAME: Final = BlackJack()
