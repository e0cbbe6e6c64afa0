"""Which bets there are and how they are placed: arts. 5 and 6."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from replayer.contract.outcomes import Breach, Judgement, Step
from replayer.contract.readings import Readings
from replayer.contract.symbols import BETS_CLOSED, CARD_DEALT
from replayer.contract.wagers import StakeSituation
from replayer.law.codes import STAKE_NOT_POSITIVE, WAGER_AFTER_CLOSE
from replayer.law.fortune_3_card_poker.bets import ANTE, PAIR_PLUS, RAISE, Placed
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.law.regulation import Provision
from schemas.finding import of_money, of_procedure
from schemas.money import format_amount

F3_WAGER_UNKNOWN: Final = of_money("F3_WAGER_UNKNOWN", "A bet that the game does not have")
F3_LIMIT: Final = of_procedure("F3_LIMIT", "A bet beyond the posted limits")
F3_JOINT_BET: Final = of_procedure("F3_JOINT_BET", "A bet on another player's hand")
F3_TWO_PLACES: Final = of_procedure("F3_TWO_PLACES", "A player who bets on more than one place")


@dataclass(frozen=True)
class KindsOfBet(Provision):
    """Art. 5: the ante and Pair Plus, either alone or both; the raise of art. 9 comes on top of an ante."""

    kinds: frozenset[str] = frozenset((ANTE, PAIR_PLUS))

    def breaches(self, stake: StakeSituation) -> list[Breach]:
        """The breach of a bet that the game does not have."""
        if stake.kind in self.kinds or stake.kind == RAISE:
            return []
        return [Breach(F3_WAGER_UNKNOWN, self.cite(1), f"{stake.kind!r} is no bet of this game")]

    def pair_plus_alone(self, held: str) -> Step:
        """5(2): that a player with Pair Plus alone has nothing to decide, for the explanation."""
        return Step(self.cite(2), f"{held}: Pair Plus alone, no decision is asked")


@dataclass(frozen=True)
class PlacingBets(Provision):
    """Art. 6: within the posted limits, on one's own hand only, before the first card."""

    def judge(self, stake: StakeSituation, rules: Rules) -> Judgement[None]:
        """The breaches of a bet by its kind, amount, bettor and moment (arts. 5, 6 and 9), and the checks that the log does not
        allow; a bet that the game does not have, and one of nothing, is checked no further."""
        found = rules.regulation.kinds_of_bet.breaches(stake)
        if not found and stake.stake_minor <= 0:
            found = [Breach(STAKE_NOT_POSITIVE, "", f"a stake of {format_amount(stake.stake_minor)}")]
        if found:
            return Judgement(breaches=tuple(found))
        found = [*self._amount(stake, rules), *self._bettor(stake, rules.readings)]
        untimely = self.in_time(stake, rules)
        unseen = tuple(sorted(rules.options.not_recorded & {"close", "times"}))
        return Judgement(breaches=(*found, untimely) if untimely else tuple(found), not_checked=unseen)

    def _amount(self, stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
        """6(1): within the posted limits; a raise is as high as the ante."""
        if stake.kind == RAISE:
            yield from rules.regulation.play.of_raise(stake, rules.readings)
            return
        if message := stake.outside(*rules.options.limits(stake.kind)):
            yield Breach(F3_LIMIT, self.cite(1), message)

    def _bettor(self, stake: StakeSituation, readings: Readings) -> Iterator[Breach]:
        """6(2): on one's own hand, not together with others, and so at one place (F3-14), which an ante or Pair Plus alone takes.
        A raise belongs to its ante, and 9(4) requires it."""
        comes_with_ante = stake.kind == RAISE and stake.base_minor is not None
        if (stake.position or stake.bettors > 1) and not comes_with_ante:
            yield Breach(F3_JOINT_BET, self.cite(2), "only the seated player bets on a hand")
        takes_place = stake.kind == ANTE or (stake.kind == PAIR_PLUS and stake.base_minor is None)
        if stake.seats > 1 and takes_place:
            readings("F3-14")
            message = f"the player bets on {stake.seats} places in this round"
            yield Breach(F3_TWO_PLACES, self.cite(2), message)

    def in_time(self, stake: StakeSituation, rules: Rules) -> Breach | None:
        """6(3): the breach of a new bet after the first card, or after no more bets were called; the raise is none (F3-13). None
        where the log does not show it."""
        if not rules.records("close", "times") or rules.regulation.kinds_of_bet.breaches(stake):
            return None
        if stake.kind == RAISE:
            return rules.regulation.play.moment_of_raise(stake.moment, rules.readings)
        if not stake.moment & (BETS_CLOSED | CARD_DEALT):
            return None
        when = "the first card was dealt" if stake.moment & CARD_DEALT else "no more bets were called"
        return Breach(WAGER_AFTER_CLOSE, self.cite(3), f"placed after {when}")

    def makes_void(self, bet: Placed, rules: Rules) -> bool:
        """6(3), X-7: whether a bet that came after the cards is void."""
        late = bet is Placed.LATE and rules.records("close", "deal_order", "times")
        return late and rules.readings("X-7") == "void"
