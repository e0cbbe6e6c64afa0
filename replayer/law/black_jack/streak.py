"""Winning streak (PT Winning Streak, ZH 連勝): two to five rounds won in a row.

Arts. 13(5) and 14(5), and what arts. 11(2), 16(7) and 18(3) say of ties, splits and surrender.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from replayer.game import Breach, Due, Judgement, StakeSituation, Step
from replayer.law.black_jack.hand import by_reading
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.shuffling import Path
from replayer.law.black_jack.side_wagers import AdditionalWagers
from schemas.finding import Severity, declare

STREAK_ABANDONED: Final = declare(
    "STREAK_ABANDONED", Severity.PROCEDURE, "A player with a running streak wager did not bet in the next round"
)
BUTTON_NOT_MOVED: Final = declare(
    "BUTTON_NOT_MOVED", Severity.PROCEDURE, "The streak button was not moved after a round won"
)
BUTTON_MISPLACED: Final = declare(
    "BUTTON_MISPLACED", Severity.PROCEDURE, "The streak button was moved to another number than the rounds won"
)

MARKERS: Final = "markers"
"""What a log tells of that has the button moved."""

STREAKS: Final[Mapping[str, int]] = MappingProxyType({f"streak_{rounds}": rounds for rounds in range(2, 6)})

WON: Final = "W"
LOST: Final = "L"
LOST_ON_HANDS: Final = "H"
"""More hands of a separated pair lost than won (art. 16(7)(3))."""
NEITHER: Final = "T"
SURRENDERED: Final = "S"
ABSENT: Final = "A"
ELSEWHERE: Final = "E"
VOID: Final = "V"
UNKNOWN: Final = "?"
CLOSED: Final = "C"


@dataclass(frozen=True)
class AdditionalWagersAndStreaks(AdditionalWagers):
    """Art. 13 with its item 5: a streak wins after its number of rounds won in a row and loses with the first lost."""

    wins: Path = (5, 2, "i")
    loses: Path = (5, 2, "ii")
    button: Path = (5, 2, "iii")
    unchanged: Path = (5, 2, "v")
    must_bet: Path = (5, 2, "vi")

    def carried(self, kind: str, results: str, rules: Rules) -> Due | None:
        """What a streak wager is due after ``results``, a letter a round since it was placed; None while it lives on.

        A tie leaves it as it was, and so does a void round (BJ-54).
        """
        refused = self.refused(kind, rules)
        if refused is not None:
            return refused
        wanted, won = STREAKS[kind], 0
        if VOID in results:
            rules.readings("BJ-54")
        for number, told in enumerate(results, 1):
            letter = self._counted(told, rules)
            if letter == WON:
                won += 1
                if won == wanted:
                    return self._won(wanted)
            elif letter in (LOST, LOST_ON_HANDS, SURRENDERED):
                return self._lost(letter, f"round {number} {{}} after {won} won, {wanted} needed", rules)
            elif letter == UNKNOWN:
                why = f"how the player did in round {number} of the streak, away from the seat, is not told"
                return Due(None, self.cite(*self.wins), unjudged=why)
            elif letter == ABSENT:
                return self._abandoned(number, rules)
            elif letter == CLOSED:
                article = self.cite(*self.must_bet)
                return Due(Fraction(0), article, (Step(article, "the house ended play: the stake goes back (BJ-51)"),))
        return None

    def _counted(self, told: str, rules: Rules) -> str:
        """What a round counts as. BJ-46: the wins are those on the seat, or those of the player wherever he bets."""
        if told.isupper() and told != ELSEWHERE:
            return told
        if rules.readings("BJ-46") != "player":
            return ABSENT
        return UNKNOWN if told == ELSEWHERE else told.upper()

    def alters_a_streak(self, stake: StakeSituation, rules: Rules) -> str:
        """BJ-52: whether a streak may be begun beside one that runs."""
        beside = stake.kind in STREAKS and stake.running and rules.readings("BJ-52") == "no"
        return self.cite(*self.unchanged) if beside else ""

    def judge_button(self, results: Sequence[str], moved: Sequence[int], rules: Rules) -> Judgement[None]:
        """Whether the button of a seat shows the next round to be won, ``moved`` after a round that left ``results`` running.

        It goes on with each round won and stays where it was with any other; where streaks began in different rounds, the
        text does not say which one it shows.
        """
        if MARKERS not in rules.told:
            return Judgement(not_checked=(MARKERS,))
        article = self.cite(*self.button)
        shows = sorted({streak.count(WON) + 1 for streak in results})
        due = " or ".join(str(position) for position in shows)
        if not moved:
            message = f"a round was won, and the button was not moved to {due}"
            left = Breach(BUTTON_NOT_MOVED.code, article, message)
            return Judgement(breaches=(left,) if results[0].endswith(WON) else ())
        message = f"the button was moved to {moved[-1]}, {due} is the next round to be won"
        wrong = Breach(BUTTON_MISPLACED.code, article, message)
        return Judgement(breaches=() if moved[-1] in shows else (wrong,))

    def _lost(self, letter: str, told: str, rules: Rules) -> Due:
        surrender, splitting = rules.regulation.surrender, rules.regulation.splitting
        article, why = {
            LOST: (self.cite(*self.loses), "lost"),
            LOST_ON_HANDS: (splitting.cite(*splitting.streaks_lost), "lost on most of its hands"),
            SURRENDERED: (surrender.cite(*surrender.streaks), "surrendered"),
        }[letter]
        return Due(Fraction(-1), article, (Step(article, told.format(why)),))

    def _won(self, rounds: int) -> Due:
        article = self.prizes.cite(5, rounds - 1)
        odds = Fraction(self.prizes.streaks[rounds])
        return Due(
            odds, article, (Step(self.cite(*self.wins), f"{rounds} rounds won in a row"), Step(article, f"{odds} to 1"))
        )

    def _abandoned(self, number: int, rules: Rules) -> Due:
        """BJ-51: the player must bet in the following rounds."""
        article = self.cite(*self.must_bet)
        odds = by_reading(rules.readings, "BJ-51", lost=Fraction(-1), returned=Fraction(0))
        message = f"no bet in round {number} of the streak"
        return Due(
            odds, article, (Step(article, message),), breaches=(Breach(STREAK_ABANDONED.code, article, message),)
        )
