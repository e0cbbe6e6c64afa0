"""Several bets on one seat: art. 20."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from replayer.contract.outcomes import Breach
from replayer.contract.wagers import Bet, StakeSituation
from replayer.law.black_jack.hand import Action
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import DOUBLE, INSURANCE, SPLIT
from replayer.law.codes import DECISION_OF_ANOTHER
from replayer.law.regulation import Paragraph, Provision
from schemas.finding import of_procedure
from schemas.plural import spoken

SEAT_SHARED_BY_TOO_MANY: Final = of_procedure("SEAT_SHARED_BY_TOO_MANY", "A fourth player's wager on one seat")
STAKE_NOT_FOLLOWED: Final = of_procedure(
    "STAKE_NOT_FOLLOWED", "A bettor on a shared seat who did not follow a split or a double"
)

SEATED_DECIDES: Final = "seated_decides"
MAX_THREE: Final = "max3_seated_or_nearest"
HIGHEST_DECIDES: Final = "highest_bet_decides"
MOST_BETS: Final = 3

CLAIMS: Final = frozenset(
    {Action.EVEN_MONEY.value, Action.FIVE_CARD_HALF.value, Action.TAKE_PRIZE.value, Action.LEAVE_PRIZE.value}
)
"""Claims to money on a hand; insurance is a wager of its own."""
FOLLOWED: Final = frozenset({DOUBLE, SPLIT})
"""The wagers on a hand by which one bettor follows another."""


@dataclass(frozen=True)
class Sharing(Provision):
    """Art. 20: who decides where several players bet on one seat. Every bet is settled on the seat's cards.

    Attributes:
        paragraphs: the modes.
        others: no decision by others than the bettors of the seat.
    """

    others: Paragraph = (2,)
    paragraphs: tuple[tuple[str, Paragraph], ...] = (
        (SEATED_DECIDES, (1, 1)),
        (MAX_THREE, (1, 2)),
        (HIGHEST_DECIDES, (1, 3)),
    )

    def deciders(self, bets: Sequence[Bet], rules: Rules) -> frozenset[str]:
        """The players whose decisions count; empty where neither the text nor the log names them. BJ-71: the seated player
        decides if he bets, else the one nearest to the bank. Where the house elected no mode, whoever decides by one of them
        may."""
        if any(bet.position is None for bet in bets):
            return frozenset()
        elected = rules.options.shared_seat
        chosen = [self._chosen(bets, mode) for mode, _ in self.paragraphs if elected in (mode, None)]
        players = frozenset[str | None]().union(*chosen)
        named = frozenset(player for player in players if player is not None)
        return named if all(chosen) and len(named) == len(players) else frozenset()

    def _chosen(self, bets: Sequence[Bet], elected: str) -> frozenset[str | None]:
        seated = frozenset(bet.player for bet in bets if bet.position == 0)
        if elected == SEATED_DECIDES:
            return seated
        if elected == MAX_THREE:
            nearest = min(bet.position or 0 for bet in bets)
            return frozenset(bet.player for bet in bets if bet.position == nearest)
        most = max(bet.stake_minor for bet in bets)
        highest = frozenset(bet.player for bet in bets if bet.stake_minor == most)
        return (highest & seated) or highest

    def elected(self, rules: Rules) -> str:
        """The citation of the mode that the house elected, or of all."""
        return self.cite(*dict(self.paragraphs).get(rules.options.shared_seat or "", (1,)))

    def judge(self, action: str, player: str, deciders: frozenset[str], rules: Rules) -> Breach | None:
        """What is wrong with a player's decision on a seat on which these ``deciders`` decide."""
        if action == INSURANCE or (action in CLAIMS and self.for_himself(action, rules)):
            return None
        if not deciders or player in deciders:
            return None
        # A finding holds no player's id.
        message = f"{spoken(action)} by a bettor who does not decide on this seat"
        return Breach(DECISION_OF_ANOTHER, self.elected(rules), message)

    def for_himself(self, claim: str, rules: Rules) -> bool:
        """Whether each bettor makes a claim for himself (BJ-71), or the decider for all, as that to half may be (BJ-70b)."""
        return claim != Action.FIVE_CARD_HALF or rules.readings("BJ-70b") == "each"

    def not_followed(self, rules: Rules) -> Breach | None:
        """The breach where not every bettor follows a split or a double (BJ-71); None where a bet may stay as it is."""
        if rules.readings("BJ-71") != "forced":
            return None
        return Breach(STAKE_NOT_FOLLOWED, self.elected(rules), "not every bettor on the seat followed")

    def too_many(self, stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
        """20(1)(2): the breach of a main wager of a fourth player on the seat."""
        if rules.options.shared_seat == MAX_THREE and stake.bettors > MOST_BETS:
            message = f"player number {stake.bettors} on the seat: at most {MOST_BETS} bet on one"
            yield Breach(SEAT_SHARED_BY_TOO_MANY, self.cite(1, 2), message)

    def judge_other(self, action: str) -> Breach | None:
        """What is wrong with a decision by a player who does not bet at the seat."""
        if action == INSURANCE:  # its wager is judged instead
            return None
        message = f"{spoken(action)} by a player who does not bet at this seat"
        return Breach(DECISION_OF_ANOTHER, self.cite(*self.others), message)
