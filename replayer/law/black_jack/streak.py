"""Winning streak (PT Winning Streak, ZH 連勝): two to five rounds won in a row.

Arts. 13(5) and 14(5), and what arts. 11(2), 16(7) and 18(3) say of ties, splits and surrender: which rounds are won.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Final, cast

from replayer.contract.machine import Violation, Violations
from replayer.contract.outcomes import Awaited, Breach, Judgement, Step
from replayer.contract.rules import MARKERS
from replayer.contract.wagers import (
    LOST,
    RETURNED,
    CarriedRound,
    Due,
    PlayedRound,
    StakeSituation,
    UnplayedRound,
    WagerSituation,
)
from replayer.law.black_jack.drawing import BANK_STANDS
from replayer.law.black_jack.hand import Action
from replayer.law.black_jack.outcome import (
    BANK_NATURAL,
    BANK_NATURAL_POSSIBLE,
    OVER,
    BankOutcome,
    HandOutcome,
    SeatOutcome,
)
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import MAIN, right_untold, settle
from replayer.law.black_jack.side_wagers import AdditionalWagers, Prizes
from replayer.law.regulation import Paragraph
from schemas.finding import of_procedure
from schemas.plural import plural, spoken

STREAK_ABANDONED: Final = of_procedure(
    "STREAK_ABANDONED", "A player with a running streak wager did not bet in the next round"
)
STREAK_ADDED: Final = of_procedure("STREAK_ADDED", "A streak wager added while another one runs")
BUTTON_NOT_MOVED: Final = of_procedure("BUTTON_NOT_MOVED", "The streak button was not moved after a round won")
BUTTON_MISPLACED: Final = of_procedure(
    "BUTTON_MISPLACED", "The streak button was moved to another number than the rounds won"
)

STREAKS: Final[Mapping[str, int]] = MappingProxyType({f"streak_{rounds}": rounds for rounds in range(2, 6)})


class Result(StrEnum):
    """The result of a seat in a round, as streaks count it."""

    WON = "won"
    LOST = "lost"
    LOST_ON_HANDS = "lost with more hands lost than won"
    """Of a separated pair (art. 16(7)(3))."""
    NEITHER = "neither won nor lost"
    SURRENDERED = "surrendered"


LOSES: Final = frozenset({Result.LOST, Result.LOST_ON_HANDS, Result.SURRENDERED})


class End(Enum):
    """How a streak wager ended without a result."""

    NOT_YET = "it runs"
    ABANDONED = "its player did not bet"
    NOT_RECORDED = "how the player did is not told"
    NOT_FOLLOWED = "where the player bet is not told"
    PLAY_ENDED = "the house ended play"
    REFUSED = "the house may not offer it"


@dataclass(frozen=True, slots=True)
class Streak:
    """The machine of a streak wager, which takes one round at a time: arts. 13(5), 11(2) and 18(3).

    Attributes:
        needed: the rounds that it must win in a row.
        won: the rounds won so far; 0 once it ended, unless with a round lost.
        end: how it ended.
    """

    needed: int
    won: int = 0
    end: Result | End = End.NOT_YET

    @classmethod
    def placed(cls, kind: str, rules: Rules) -> Streak:
        """A wager of a kind as it is placed."""
        refused = rules.regulation.additional_wagers.refused(kind, rules)
        return cls(STREAKS[kind], end=End.NOT_YET if refused is None else End.REFUSED)

    @property
    def over(self) -> bool:
        """Whether it ended."""
        return self.end is not End.NOT_YET

    @property
    def marker(self) -> int:
        """The next round to be won, which its button shows while it runs."""
        return self.won + 1

    def step(self, round_: CarriedRound, rules: Rules) -> tuple[Streak, Violations]:
        """With one more round. A tie leaves it as it was, and so does a void one (BJ-54). BJ-46: the wins are those on the seat,
        or those of the player wherever he bets. ``{round}`` in a message is the round's number."""
        if self.over:
            return self, ()
        if isinstance(round_, PlayedRound) and round_.other_seat and rules.readings("BJ-46") != "player":
            round_ = UnplayedRound.NO_BET
        match round_:
            case UnplayedRound.VOID:
                rules.readings("BJ-54")
                return self, ()
            case UnplayedRound.CLOSING:
                return self._ended(End.PLAY_ENDED), ()
            case UnplayedRound.NO_BET:
                return self._ended(End.ABANDONED), (article_of(rules).abandoned(),)
            case PlayedRound(None, other_seat):
                return self._ended(End.NOT_FOLLOWED if other_seat else End.NOT_RECORDED), ()
            case PlayedRound(Result.WON):
                won = self.won + 1
                return (self._ended(Result.WON) if won == self.needed else replace(self, won=won)), ()
            case PlayedRound(str(result)) if result in LOSES:
                return replace(self, end=Result(result)), ()
        return self, ()

    def _ended(self, end: Result | End) -> Streak:
        """The streak at its end, without its wins, on which nothing depends any more."""
        return Streak(self.needed, 0, end)

    def due(self, number: int, violations: Violations, rules: Rules) -> Due:
        """What it is due, which ended in its round ``number``."""
        refused = rules.regulation.additional_wagers.refused(f"streak_{self.needed}", rules)
        return refused or article_of(rules).due_of_streak(self, number, violations, rules)


def article_of(rules: Rules) -> AdditionalWagersAndStreaks:
    """The article of a version that has streaks; the others refuse them."""
    return cast("AdditionalWagersAndStreaks", rules.regulation.additional_wagers)


@dataclass(frozen=True)
class AdditionalWagersAndStreaks(AdditionalWagers):
    """Art. 13 with its item 5: a streak wins after its number of rounds won in a row and loses with the first lost."""

    wins: Paragraph = (5, 2, "i")
    loses: Paragraph = (5, 2, "ii")
    button_moved: Paragraph = (5, 2, "iii")
    unchanged: Paragraph = (5, 2, "v")
    must_bet: Paragraph = (5, 2, "vi")

    # How it ends

    def due_of_streak(self, streak: Streak, number: int, violations: Violations, rules: Rules) -> Due:
        """What a streak is due that has ended, by the number of its last round."""
        article = self.cite(*self.must_bet)
        breaches = tuple(each.at(0, {"round": number}) for each in violations)
        match streak.end:
            case Result.WON:
                return self._won(streak.needed, number, rules.regulation.prizes)
            case End.NOT_RECORDED | End.NOT_FOLLOWED:
                away = ", away from the seat," if streak.end is End.NOT_FOLLOWED else ""
                why = f"how the player did in round {number} of the streak{away} is not told"
                return Due(None, self.cite(*self.wins), unjudged=why)
            case End.ABANDONED:  # BJ-51
                odds = rules.readings.answer("BJ-51", lost=LOST, returned=RETURNED)
                return Due(
                    odds, article, tuple(Step(each.article, each.message) for each in breaches), breaches=breaches
                )
            case End.PLAY_ENDED:
                return Due.of(RETURNED, article, "the house ended play: the stake goes back (BJ-51)")
            case _:
                return self._lost(streak, number, rules)

    def _won(self, rounds: int, number: int, prizes: Prizes) -> Due:
        article = prizes.cite(5, rounds - 1)
        odds = Fraction(prizes.streaks[rounds])
        run = f"{plural(rounds, 'round')} won in a row{_neither(number - rounds)}"
        return Due(odds, article, (Step(self.cite(*self.wins), run), Step(article, f"{odds} to 1")))

    def _lost(self, streak: Streak, number: int, rules: Rules) -> Due:
        surrender, splitting = rules.regulation.surrender, rules.regulation.splitting
        article = self.cite(*self.loses)
        if streak.end is Result.LOST_ON_HANDS:
            article = splitting.cite(*splitting.streaks_lost)
        elif streak.end is Result.SURRENDERED:
            article = surrender.cite(*surrender.streaks)
        before = f"{streak.won} won{_neither(number - 1 - streak.won)}, {streak.needed} needed"
        return Due.of(LOST, article, f"round {number} of the streak {streak.end.value} after {before}")

    # The button

    def judge_button(
        self, next_wins: Collection[int], moved: Sequence[int], rules: Rules, *, just_won: bool
    ) -> Judgement[None]:
        """Whether the button of a seat shows the next round to be won.

        ``next_wins`` are the next rounds to be won of the running streaks, ``just_won`` is whether the last round was won,
        ``moved`` has the numbers that the button was moved to after it. It moves on with each round won and stays with any other;
        where streaks began in different rounds, the text does not say which one it shows.
        """
        if MARKERS not in rules.recorded:
            return Judgement(not_checked=(MARKERS,))
        article, due = self.cite(*self.button_moved), " or ".join(map(str, sorted(next_wins)))
        if not moved and just_won:
            message = f"a round was won, and the button was not moved to {due}"
            return Judgement(breaches=(Breach(BUTTON_NOT_MOVED, article, message),))
        if moved and moved[-1] not in next_wins:
            message = f"the button was moved to {moved[-1]}, {due} is the next round to be won"
            return Judgement(breaches=(Breach(BUTTON_MISPLACED, article, message),))
        return Judgement()

    # What its player may and must bet

    def beside_others(self, stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
        """The breaches of a wager beside another kind of additional ones (BJ-37), or beside a running streak (BJ-52)."""
        yield from super().beside_others(stake, rules)
        if stake.kind in STREAKS and stake.running and rules.readings("BJ-52") == "no":
            message = f"no streak may be altered before the end of {' and '.join(map(spoken, stake.running))} of an earlier round"
            yield Breach(STREAK_ADDED, self.cite(*self.unchanged), message)

    def abandoned(self) -> Violation:
        """13(5)(2)(vi): the violation of not betting in a round while a streak runs."""
        return Violation(STREAK_ABANDONED, self.cite(*self.must_bet), "no bet in round {round} of the streak")


def _neither(rounds: int) -> str:
    """The words for rounds that a run passes over: tied, void, or with as many hands won as lost."""
    return f" and {rounds} neither won nor lost" if rounds else ""


# Whether a seat's round was won

_BANKS: Final = tuple(map(BankOutcome, range(BANK_STANDS, OVER + 1)))
"""Every outcome of the bank's hand except Black Jack."""


def result_of(seat: SeatOutcome | None, bank: BankOutcome | None, rules: Rules) -> Result | None:
    """The result of a seat; None where the log does not tell. Insurance never matters (BJ-50). BJ-53: it is the seat's result,
    for every player who bets on it."""
    of_hands = [_of_hand(seat.upcard, hand, bank, rules) for hand in seat.hands] if seat else []
    results = [each for each in of_hands if each is not None]
    if not results or len(results) < len(of_hands):
        return None
    if bank == BANK_NATURAL:
        rules.readings("BJ-50")
    if Result.SURRENDERED in results:
        rules.readings("BJ-53")
        return Result.SURRENDERED
    return results[0] if len(results) == 1 else rules.regulation.splitting.result(results, rules)


def awaited_by(seat: SeatOutcome, rules: Rules) -> Awaited:
    """What the bank must show to decide a seat; no streak that ends with the seat may be settled before."""
    if not rules.records("deal_order"):
        return Awaited.NOTHING
    with rules.readings.uncounted():  # the due rests on the same rulings
        ends = {_end(seat, bank, rules) for bank in _BANKS}
        if len(ends) > 1:
            return Awaited.HAND
        turns_on_natural = seat.upcard in BANK_NATURAL_POSSIBLE and _end(seat, BANK_NATURAL, rules) not in ends
        return Awaited.NATURAL if turns_on_natural else Awaited.NOTHING


def _end(seat: SeatOutcome, bank: BankOutcome, rules: Rules) -> Result | None:
    """The result of a seat, with one result for all ways of losing."""
    ended = result_of(seat, bank, rules)
    return Result.LOST if ended in LOSES else ended


def _of_hand(upcard: str, hand: HandOutcome, bank: BankOutcome | None, rules: Rules) -> Result | None:
    """The result of one hand: as a wager on it would be settled if it were the seat's only one.

    Where a stake comes back against Black Jack (arts. 16(6), 17(3)), the hand is lost nevertheless (art. 9). X-6: a surrender
    without the right to it may count as one, which ends the streaks (art. 18(3)).
    """
    surrender = rules.regulation.surrender
    if right_untold(upcard, hand, rules):
        return None
    if hand.ending == Action.SURRENDER:
        if not (hand.early and bank == BANK_NATURAL):
            return Result.SURRENDERED
        none = Result.NEITHER if hand.natural else Result.LOST
        return rules.readings.answer("BJ-67", after_peek=none, before_peek=Result.SURRENDERED)
    if hand.half_agreed and not hand.bust and bank != BANK_NATURAL and surrender.is_half_without_right(rules):
        return Result.SURRENDERED
    if hand.ending == Action.FIVE_CARD_HALF:
        if rules.regulation.five_cards.untold(hand, rules):
            return None
        return rules.readings.answer("BJ-48", win=Result.WON, neutral=Result.NEITHER, loss=Result.LOST)
    if hand.ending == Action.EVEN_MONEY:
        return rules.readings.answer("BJ-49a", win=Result.WON, neutral=Result.NEITHER)
    played = _settled(upcard, hand, bank, rules)
    if hand.prize:
        without = _settled(upcard, hand._replace(prize=False), bank, rules)
        if played != without and rules.readings("BJ-55") == "in_lieu":
            return rules.readings.answer("BJ-49b", win=Result.WON, neutral=Result.NEITHER)
        played = without
    if played is None:
        return None
    return Result.WON if played > 0 else Result.LOST if played < 0 else Result.NEITHER


def _settled(upcard: str, hand: HandOutcome, bank: BankOutcome | None, rules: Rules) -> Fraction | None:
    """The odds at which a first stake on a hand is settled as the seat's only one. BJ-53: a hand counts without a stake too."""
    staked = hand._replace(bare=False)
    return settle(WagerSituation(MAIN, 0, SeatOutcome(upcard, (staked,)), bank), rules).odds
