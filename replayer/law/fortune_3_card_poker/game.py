"""Fortune 3 Card Poker (PT Fortune Poker de 3 Cartas, ZH 富貴三寶), as the engine asks about it (``replayer.game``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from replayer.law.fortune_3_card_poker.bets import NO_BETS, Bets
from replayer.law.fortune_3_card_poker.cards import CARDS, NOT_KNOWN, Cards, Ranks, Suits, write_hand
from replayer.law.fortune_3_card_poker.croupier import Croupier
from replayer.law.fortune_3_card_poker.croupier_story import judge_bank
from replayer.law.fortune_3_card_poker.options import NOT_ASKED, Options, read_options
from replayer.law.fortune_3_card_poker.outcome import ALONE, FOLDED, NULL, RAISED, VOID, BankOutcome, SeatOutcome
from replayer.law.fortune_3_card_poker.play import ANTE, BELOW, EQUAL, HIGHER, LOWER, PAIR_PLUS, RAISE
from replayer.law.fortune_3_card_poker.round_state import RoundState
from replayer.law.fortune_3_card_poker.round_story import judge_round
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.law.fortune_3_card_poker.seat import cards_of, judge_seat
from replayer.law.fortune_3_card_poker.seat_state import NEW_SEAT, SeatState
from replayer.law.late_wager import as_late
from replayer.outcomes import Breach, Counted, Judgement, RoundOutcome, Step
from replayer.rules import OptionFault
from replayer.symbols import BankStory, Opening, RoundStory, SeatStory
from replayer.wagers import Bet, Due, StakeSituation, WagerSituation

Wager: TypeAlias = WagerSituation[SeatOutcome, BankOutcome, Any]


class FortunePoker:
    """The game's answers; every rule stands in the article that says it, this only asks them in turn.

    ``rules.regulation`` is a ``despacho_78_2008.Regulation``, ``rules.options`` an ``options.Options``.
    """

    name: str = "fortune_3_card_poker"
    base_wagers: frozenset[str] = frozenset((ANTE,))
    seat_wagers: frozenset[str] = frozenset((ANTE, PAIR_PLUS))
    play_wagers: frozenset[str] = frozenset((ANTE, PAIR_PLUS, RAISE))
    hand_wagers: frozenset[str] = frozenset((ANTE, RAISE))
    opening_wagers: frozenset[str] = frozenset()
    carried_wagers: frozenset[str] = frozenset()
    suited: bool = True
    turns_nothing: frozenset[str] = frozenset({"seat", "bank"})
    upcards: Mapping[str, str] = {}
    timed: frozenset[str] = frozenset()
    interchangeable_seats = 7
    side_actions: frozenset[str] = frozenset()
    claims: frozenset[str] = frozenset()
    not_asked: Mapping[str, frozenset[str]] = NOT_ASKED
    new_seat: SeatState = NEW_SEAT
    new_first_cards: None = None
    first_cards_fold: None = None
    new_bank: Croupier = Croupier()

    def seat_begins(self, upcard: str) -> tuple[Bets, Ranks, Suits]:
        """A place before the round: its bets, and the ranks and the suits of its cards."""
        return NO_BETS, Ranks(), Suits()

    def seat_of(self, machines: Sequence[Any]) -> SeatState:
        """The place that these make."""
        bets, ranks, suits = machines
        return SeatState(bets, Cards(ranks, suits))

    def new_round(self, opening: Opening, rules: Rules) -> RoundState:
        """A round before its first event."""
        return RoundState.begun(opening, rules)

    def options(self, elected: Mapping[str, str], regulation: Any) -> tuple[Options, Sequence[OptionFault]]:
        """The options of elected names and values; what there is to choose stands in the articles."""
        return read_options(elected, regulation.choices)

    def judge_seat(self, story: SeatStory, rules: Rules) -> Judgement[SeatOutcome]:
        """Arts. 5, 8, 9: which bets, which hand, played or not."""
        return judge_seat(story, rules)

    def judge_bank(self, story: BankStory, rules: Rules) -> Judgement[BankOutcome]:
        """Arts. 7, 8, 11: the croupier's hand, void where it has a wrong number of cards."""
        return judge_bank(story, rules)

    def judge_round(self, story: RoundStory, rules: Rules) -> Judgement[RoundOutcome]:
        """Arts. 1, 2, 3, 7, 9, 11: the shuffle and the deal."""
        return judge_round(story, rules)

    def judge_stake(self, stake: StakeSituation, rules: Rules) -> Judgement[None]:
        """Arts. 5, 6 and 9: whether there is such a bet, how high, whose and when."""
        law = rules.regulation
        unknown = law.art5.breaches(stake)
        if unknown:
            return Judgement(breaches=tuple(unknown), awaits_bank=False)
        found, unseen = law.art6.breaches(stake, law.art9, rules.options, rules.readings)
        return Judgement(breaches=tuple(found), awaits_bank=False, not_checked=tuple(unseen))

    def too_late(self, stake: StakeSituation, rules: Rules) -> str:
        """Arts. 6(3) and 9: where the moment stands after which a bet was placed."""
        law = rules.regulation
        if law.art5.breaches(stake):
            return ""
        return law.art6.too_late(stake, law.art9, rules.options, rules.readings)

    def settle_late(self, due: Due, article: str, rules: Rules) -> Due:
        """X-7."""
        return as_late(due, article, rules.readings)

    def deciders(self, bets: Sequence[Bet], rules: Rules) -> frozenset[str]:
        """Nobody but its player bets on a hand (art. 6(2))."""
        return frozenset()

    def judge_decider(self, action: str, player: str, deciders: frozenset[str], rules: Rules) -> Breach | None:
        """Bets on another's hand are not allowed at all (art. 6(2)), and are found as they are placed."""
        return None

    def for_himself(self, claim: str, rules: Rules) -> bool:
        """Nobody but its player bets on a hand (art. 6(2))."""
        return False

    def table_limit(self, rules: Rules) -> tuple[int, Breach] | None:
        """The posted limits are those of single bets (art. 6(1))."""
        return None

    def limits(self, kind: str, rules: Rules) -> tuple[int | None, int | None]:
        """The limits posted for ante and Pair Plus."""
        return rules.options.limits(kind)

    def hands(self, story: SeatStory, rules: Rules) -> Sequence[str]:
        """The seat's one hand."""
        return [" ".join(cards_of(story, rules))]

    def counted(self, cards: Sequence[str], rules: Rules | None) -> Counted:
        """Art. 8: the combination; none without the law, or where there are not three cards."""
        hand = write_hand(cards) if len(cards) == CARDS else NOT_KNOWN
        return (
            Counted()
            if hand == NOT_KNOWN or rules is None
            else Counted(combination=rules.regulation.art8.named(hand, rules.readings))
        )

    def places(self, rules: Rules) -> tuple[int, Breach] | None:
        """The layout's places are asked for with the deal (art. 2(1))."""
        return None

    def bank_draws(self, story: BankStory, rules: Rules) -> bool:
        """The croupier plays the three cards of the deal."""
        return False

    def meets(self, seat: SeatOutcome | None, hand: int, bank: BankOutcome | None) -> bool:
        """Whether a player who raised holds his hand against the croupier's."""
        if seat is None or seat.fate != RAISED or bank is None or bank.void:
            return False
        return NOT_KNOWN not in (seat.hand, bank.hand)

    def met(self, seat: SeatOutcome, bank: BankOutcome, rules: Rules) -> BankOutcome:
        """How the croupier's hand met the player's, in place of that hand."""
        return _MET[bank.met or rules.regulation.art9.meet(seat.hand, bank.hand, rules.readings)]

    def narrowed(self, wager: Wager, rules: Rules) -> Wager:
        """A wager without the croupier's hand where they did not meet. Once that is known, or how they met is, it may lie on any
        hand of the same combination if no ruling touches it."""
        seat, bank = wager.seat, wager.bank
        if bank is not None and bank.void:
            return WagerSituation(wager.kind, 0, None, bank)
        meets = wager.kind in self.hand_wagers and self.meets(seat, wager.hand, bank)
        if seat is not None and (bank is None or bank.met or not meets):
            seat = SeatOutcome(seat.fate, rules.regulation.art8.same_combination.get(seat.hand, seat.hand))
        return WagerSituation(wager.kind, 0, seat, bank if meets else None)

    def settle(self, wager: Wager, rules: Rules) -> Due:
        """What a wager is due: arts. 9, 10 and 11(1)."""
        law, kind, seat, bank = rules.regulation, wager.kind, wager.seat, wager.bank
        fate, hand = (seat.fate, seat.hand) if seat else ("", NOT_KNOWN)
        due: Due
        if fate == VOID or (bank is not None and bank.void):
            due = law.art11.nothing_due()
        elif fate == NULL:
            due = law.art11.null_hand()
        elif kind == PAIR_PLUS:
            due = self._pair_plus(fate, hand, rules)
        elif kind not in (ANTE, RAISE):
            due = Due(None, law.art5.cite(1), unjudged=f"{kind!r} is no bet of this game")
        elif fate == FOLDED:
            due = law.art9.folded(kind)
        elif fate == ALONE and kind == RAISE:
            due = law.art9.raise_alone()
        elif fate == ALONE:  # an ante that X-7 makes void, and that a player who does not play would lose otherwise
            due = law.art9.folded(kind)
        elif fate != RAISED or bank is None or NOT_KNOWN in (hand, bank.hand):
            due = Due(None, law.art9.cite(), unjudged="the hands are not known")
        else:
            met = bank.met or law.art9.meet(hand, bank.hand, rules.readings)
            due = law.art9.due(kind, hand, met, rules.readings)
        return due

    def _pair_plus(self, fate: str, hand: str, rules: Rules) -> Due:
        law = rules.regulation
        if fate not in (RAISED, FOLDED, ALONE):
            return Due(None, law.art10.cite(), unjudged="the hand is not known")
        due: Due = law.art10.due(hand, rules.readings)
        lost = due.odds is not None and due.odds < 0
        if lost and law.art9.pair_plus_lost():
            article = law.art9.pair_plus_lost()
            due = replace(due, article=article, steps=(Step(article, due.steps[0].text),))
        if fate == FOLDED and not lost and law.art9.fold_collects_pair_plus(rules.readings):
            due = law.art9.folded(PAIR_PLUS)
        elif "deal_order" not in rules.options.not_recorded:
            due = replace(due, timing=law.art9.pair_plus_timing())
        return due

    def settle_void(self, kind: str, cause: str, rules: Rules) -> Due:
        """Art. 11(1), (4): nothing is won or lost in an invalid round."""
        return rules.regulation.art11.nothing_due(cause)

    def result(self, seat: SeatOutcome | None, bank: BankOutcome | None, rules: Rules) -> str:
        """No wager of this game counts rounds."""
        return "T"

    def settle_carried(self, kind: str, results: str, rules: Rules) -> Due | None:
        """No wager of this game lives on."""
        return None

    def judge_marker(self, results: Sequence[str], moved: Sequence[int], rules: Rules) -> Judgement[None]:
        """There are no markers."""
        return Judgement()


_MET: Final = {met: BankOutcome(met=met) for met in (HIGHER, LOWER, EQUAL, BELOW)}
GAME: Final = FortunePoker()
