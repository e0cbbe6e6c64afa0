"""Winning streaks: wagers carried from round to round, and the button that shows the progress of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from producers.simulator.facts import cached_wager, decision
from producers.simulator.people import Seat
from producers.simulator.round import Round
from producers.simulator.settlement import net_of
from replayer.contract.machine import AnyCarriedState
from replayer.contract.wagers import PlayedRound, UnplayedRound
from replayer.engine.evaluator import Evaluator
from schemas.event import Wager

if TYPE_CHECKING:
    from producers.simulator.table import SimulatedTable


@dataclass(slots=True)
class _Running:
    """A streak wager, the rules that it was placed under, its state, and the rounds since."""

    wager: Wager
    evaluator: Evaluator
    state: AnyCarriedState
    rounds: int = 0


class Streaks:
    """The running streak wagers of a table."""

    def __init__(self) -> None:
        self._running: list[_Running] = []

    @property
    def players(self) -> frozenset[str]:
        """The players with a running one, who must keep betting."""
        return frozenset(running.wager.player or "" for running in self._running)

    def bet(self, table: SimulatedTable, round_: Round, seat: Seat) -> None:
        """Let the seated player bet on streaks of several lengths, if none runs on the seat."""
        random, player, evaluator = table.random, seat.seated, table.croupier_rules.evaluator
        if any(running.wager.seat == seat.number for running in self._running):
            return
        if random.random() >= player.skill.side_wager:
            return
        kinds = sorted(table.croupier_rules.game.wagers.carried)
        for kind in kinds[: 1 + int(random.random() * len(kinds))]:
            wager = cached_wager(kind, seat.number, table.plan.minimum_minor, player.name)
            table.bet(player, wager, round_, carried=True)
            self._running.append(_Running(wager, evaluator, evaluator.carried.new(kind).value))

    def advance(self, table: SimulatedTable, round_: Round, *, last: bool) -> None:
        """After a round, settle the streaks that have ended, all of them in the ``last`` round, and move the buttons."""
        bank, lasting = round_.bank().outcome, []
        moved: dict[int, int] = {}
        for running in self._running:
            wager = running.wager
            result = round_.croupier_rules.evaluator.carried.result(round_.seat(wager.seat).outcome, bank).value
            carried, before = running.evaluator.carried, running.state
            running.rounds += 1
            running.state, violations = carried.step(before, PlayedRound(result)).value
            if last:
                running.state, _ = carried.step(running.state, UnplayedRound.CLOSING).value
            if not running.state.over:
                lasting.append(running)
                if running.state != before:
                    moved[wager.seat] = running.state.marker
                continue
            net = net_of(wager, carried.due(running.state, running.rounds, violations).value)
            table.pay(wager, net)
        self._running = lasting
        for seat, position in moved.items():
            if not table.faults.plant("button_not_moved", "BUTTON_NOT_MOVED", seat=seat):
                too_far = table.faults.plant("button_misplaced", "BUTTON_MISPLACED", seat=seat)
                table.writer.write(decision("MarkerMoved", seat, points=position + too_far), 500, 1500)
