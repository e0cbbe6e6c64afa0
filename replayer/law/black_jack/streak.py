"""Winning streak (PT Winning Streak, ZH 連勝): two to five rounds won in a row.

Arts. 13(5) and 14(5), and what arts. 11(2), 16(7) and 18(3) say of ties, splits and surrender.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from replayer.contract.machine import Violation, Violations
from replayer.contract.outcomes import Breach, Judgement, Step
from replayer.contract.rules import MARKERS
from replayer.contract.wagers import LOST, RETURNED, CarriedRound, Due, PlayedRound, StakeSituation, UnplayedRound
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.side_wagers import AdditionalWagers
from replayer.law.provision import Paragraph
from schemas.finding import Severity, declare
from schemas.plural import plural

STREAK_ABANDONED: Final = declare(
    "STREAK_ABANDONED", Severity.PROCEDURE, "A player with a running streak wager did not bet in the next round"
)
STREAK_ADDED: Final = declare("STREAK_ADDED", Severity.PROCEDURE, "A streak wager added while another one runs")
BUTTON_NOT_MOVED: Final = declare(
    "BUTTON_NOT_MOVED", Severity.PROCEDURE, "The streak button was not moved after a round won"
)
BUTTON_MISPLACED: Final = declare(
    "BUTTON_MISPLACED", Severity.PROCEDURE, "The streak button was moved to another number than the rounds won"
)

STREAKS: Final[Mapping[str, int]] = MappingProxyType({f"streak_{rounds}": rounds for rounds in range(2, 6)})


class Result(StrEnum):
    """The result of a seat in a round, as streaks count it."""

    WON = "won"
    LOST = "lost"
    LOST_ON_HANDS = "more of its hands lost than won"
    """Of a separated pair (art. 16(7)(3))."""
    NEITHER = "neither won nor lost"
    SURRENDERED = "surrendered"


class End(Enum):
    """How a streak wager ended."""

    WON = "won"
    LOST = "lost"
    LOST_ON_HANDS = "lost on most of its hands"
    SURRENDERED = "surrendered"
    ABANDONED = "its player did not bet"
    NOT_RECORDED = "how the player did is not told"
    NOT_FOLLOWED = "where the player bet is not told"
    PLAY_ENDED = "the house ended play"


LOSES: Final[Mapping[str, End]] = {
    Result.LOST: End.LOST,
    Result.LOST_ON_HANDS: End.LOST_ON_HANDS,
    Result.SURRENDERED: End.SURRENDERED,
}


@dataclass(frozen=True, slots=True)
class Streak:
    """The machine of a streak wager, which takes one round at a time: arts. 13(5), 11(2) and 18(3).

    Attributes:
        needed: the rounds that it must win in a row.
        won: the rounds won so far; 0 once it ended, unless with a round lost.
        end: how it ended; None while it runs.
    """

    needed: int
    won: int = 0
    end: End | None = None

    def step(self, round_: CarriedRound, rules: Rules, law: AdditionalWagersAndStreaks) -> tuple[Streak, Violations]:
        """With one more round. A tie leaves it as it was, and so does a void one (BJ-54). BJ-46: the wins are those on the seat,
        or those of the player wherever he bets. ``{round}`` in a message is the round's number.
        """
        if self.end is not None:
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
                return self._ended(End.ABANDONED), (law.abandoned(),)
            case PlayedRound(None, other_seat):
                return self._ended(End.NOT_FOLLOWED if other_seat else End.NOT_RECORDED), ()
            case PlayedRound(Result.WON):
                won = self.won + 1
                return (self._ended(End.WON) if won == self.needed else replace(self, won=won)), ()
            case PlayedRound(str(result)) if result in LOSES:
                return replace(self, end=LOSES[result]), ()
        return self, ()

    def _ended(self, end: End) -> Streak:
        """The streak at its end, without its wins, on which nothing depends any more."""
        return Streak(self.needed, 0, end)


WON: Final = PlayedRound(Result.WON)


@dataclass(frozen=True)
class AdditionalWagersAndStreaks(AdditionalWagers):
    """Art. 13 with its item 5: a streak wins after its number of rounds won in a row and loses with the first lost."""

    wins: Paragraph = (5, 2, "i")
    loses: Paragraph = (5, 2, "ii")
    button_moved: Paragraph = (5, 2, "iii")
    unchanged: Paragraph = (5, 2, "v")
    must_bet: Paragraph = (5, 2, "vi")

    # How it ends

    def carried(self, kind: str, rounds: Sequence[CarriedRound], rules: Rules) -> Due | None:
        """What a streak wager is due after the rounds since it was placed; None while it runs."""
        refused = self.refused(kind, rules)
        if refused is not None:
            return refused
        streak = Streak(STREAKS[kind])
        for number, round_ in enumerate(rounds, 1):
            streak, violations = streak.step(round_, rules, self)
            if streak.end is not None:
                breaches = tuple(each.at(0, {"round": number}) for each in violations)
                return self._due(streak, streak.end, number, breaches, rules)
        return None

    def _due(self, streak: Streak, end: End, number: int, breaches: tuple[Breach, ...], rules: Rules) -> Due:
        """What a streak is due that ended in its round ``number``."""
        article = self.cite(*self.must_bet)
        match end:
            case End.WON:
                return self._won(streak.needed, number)
            case End.NOT_RECORDED | End.NOT_FOLLOWED:
                away = ", away from the seat," if end is End.NOT_FOLLOWED else ""
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
                return self._lost(streak, end, number, rules)

    def _won(self, rounds: int, number: int) -> Due:
        article = self.prizes.cite(5, rounds - 1)
        odds = Fraction(self.prizes.streaks[rounds])
        run = f"{plural(rounds, 'round')} won in a row{_neither(number - rounds)}"
        return Due(odds, article, (Step(self.cite(*self.wins), run), Step(article, f"{odds} to 1")))

    def _lost(self, streak: Streak, end: End, number: int, rules: Rules) -> Due:
        surrender, splitting = rules.regulation.surrender, rules.regulation.splitting
        article = self.cite(*self.loses)
        if end is End.LOST_ON_HANDS:
            article = splitting.cite(*splitting.streaks_lost)
        elif end is End.SURRENDERED:
            article = surrender.cite(*surrender.streaks)
        before = f"{streak.won} won{_neither(number - 1 - streak.won)}, {streak.needed} needed"
        return Due.of(LOST, article, f"round {number} of the streak {end.value} after {before}")

    # The button

    def judge_button(
        self, running: Collection[Sequence[CarriedRound]], moved: Sequence[int], rules: Rules
    ) -> Judgement[None]:
        """Whether the button of a seat shows the next round to be won.

        ``running`` are the rounds of the running streaks, ``moved`` the numbers that the button was moved to after the last one.
        """
        if MARKERS not in rules.recorded:
            return Judgement(not_checked=(MARKERS,))
        won = {rounds.count(WON) for rounds in running}
        just_won = any(rounds[-1] == WON for rounds in running)
        violations = self.button(won, just_won=just_won, shows=moved[-1] if moved else None)
        return Judgement(breaches=tuple(each.at(0) for each in violations))

    def button(self, won: Collection[int], *, just_won: bool, shows: int | None) -> Violations:
        """What is wrong with the button after a round.

        ``won`` are the numbers of rounds won by the running streaks, ``just_won`` is whether the last round was won, ``shows``
        the number that the button was moved to, None where it was not moved. It moves on with each round won and stays with any
        other; where streaks began in different rounds, the text does not say which one it shows.
        """
        article = self.cite(*self.button_moved)
        next_won = sorted({rounds + 1 for rounds in won})
        due = " or ".join(map(str, next_won))
        if shows is None:
            message = f"a round was won, and the button was not moved to {due}"
            return (Violation(BUTTON_NOT_MOVED.code, article, message),) if just_won else ()
        message = f"the button was moved to {shows}, {due} is the next round to be won"
        return () if shows in next_won else (Violation(BUTTON_MISPLACED.code, article, message),)

    # What its player may and must bet

    def beside_others(self, stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
        """The breaches of a wager beside another kind of additional ones (BJ-37), or beside a running streak (BJ-52)."""
        yield from super().beside_others(stake, rules)
        if stake.kind in STREAKS and stake.running and rules.readings("BJ-52") == "no":
            message = f"{' '.join(stake.running)} of an earlier round runs on, no streak may be altered"
            yield Breach(STREAK_ADDED.code, self.cite(*self.unchanged), message)

    def abandoned(self) -> Violation:
        """13(5)(2)(vi): the violation of not betting in a round while a streak runs."""
        return Violation(STREAK_ABANDONED.code, self.cite(*self.must_bet), "no bet in round {round} of the streak")


def _neither(rounds: int) -> str:
    """The words for rounds that a run passes over: tied, void, or with as many hands won as lost."""
    return f" and {rounds} neither won nor lost" if rounds else ""
