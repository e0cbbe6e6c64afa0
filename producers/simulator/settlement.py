"""Settles wagers: by the due of the rules, except where a fault of payment happens."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from producers.simulator.faults import PATTERN
from producers.simulator.round import Round
from replayer.contract.outcomes import BankOutcome, Judgement
from replayer.contract.wagers import Due
from schemas.event import Wager

if TYPE_CHECKING:
    from producers.simulator.table import SimulatedTable

_NATURAL: Final = Fraction(3, 2)
_CHIP: Final = 5_000
"""The smallest chip, in minor units: payments err by multiples of it."""


@dataclass(frozen=True, slots=True)
class Error:
    """A wrong payment: the net paid and the stake recorded; ``net`` None: no settlement."""

    net: int | None
    stake: int


def settle(table: SimulatedTable, round_: Round, assumed: Judgement[BankOutcome] | None = None) -> None:
    """Settle every wager of a round. ``assumed`` is the bank's outcome by the croupier's mistake, if any."""
    bank = round_.bank()
    unpaid = [(seq, wager) for seq, wager in round_.wagers.items() if seq not in round_.paid]
    played = [round_.due(wager, bank) for _, wager in unpaid]
    dues = [round_.due_of_void()] * len(unpaid) if round_.invalid else played
    nets = [net_of(wager, due) for (_, wager), due in zip(unpaid, dues, strict=True)]
    start = int(table.random.random() * len(dues))
    order = [*range(start, len(dues)), *range(start)]
    errors = {i: error for i in order if (error := _error(table, unpaid[i][1], dues[i], nets[i])) is not None}
    goes_ahead = [due.timing is not None and not due.timing.awaits for due in dues]
    for index in sorted(range(len(unpaid)), key=lambda i: not goes_ahead[i]):
        placed, wager = unpaid[index]
        due = nets[index]
        if index in errors:
            _settle_wrongly(table, placed, wager, due, errors[index])
            continue
        assumed_due = played[index] if assumed is None else round_.due(wager, assumed)
        paid = due if assumed_due is dues[index] else net_of(wager, assumed_due)
        seq = table.pay(wager, paid)
        if paid != due:
            _expect_wrong_payment(table, wager, seq, paid - due)
    _settle_nothing(table, round_)


def settle_immediately(table: SimulatedTable, round_: Round, seat: int) -> None:
    """Settle the wagers on a seat that are due immediately."""
    for seq, wager in round_.wagers.items():
        due = round_.due_immediately(wager) if wager.seat == seat else None
        if due is not None:
            table.pay(wager, net_of(wager, due))
            round_.paid.add(seq)


def refund(table: SimulatedTable, round_: Round) -> None:
    """Settle every wager of a round that was declared void."""
    for wager in round_.wagers.values():
        table.pay(wager, net_of(wager, round_.due_of_void()))


def net_of(wager: Wager, due: Due) -> int:
    """The change of the player's chips by a wager, in minor units; the stakes here always give a whole number."""
    if due.odds is None:
        return 0
    net, rest = divmod(wager.stake_minor * due.odds.numerator, due.odds.denominator)
    if rest:
        raise ArithmeticError(f"{wager.kind} of {wager.stake_minor} at {due.odds} is no whole amount")
    return net


def _expect_wrong_payment(table: SimulatedTable, wager: Wager, seq: int, delta: int) -> None:
    code = "OVERPAID" if delta > 0 else "UNDERPAID"
    table.faults.expect(code, seq=seq, seat=wager.seat, player=wager.player, delta_minor=delta)


def _settle_wrongly(table: SimulatedTable, placed: int, wager: Wager, due: int, error: Error) -> None:
    """Settle a wager, ``placed`` with that ``seq``, by an error."""
    faults = table.faults
    if error.net is None:
        faults.expect("WAGER_UNSETTLED", seq=placed, seat=wager.seat, player=wager.player)
        return
    seq = table.pay(wager, error.net, error.stake)
    if error.stake != wager.stake_minor:
        faults.expect("STAKE_CHANGED", seq=seq, seat=wager.seat, player=wager.player)
    _expect_wrong_payment(table, wager, seq, error.net - due)


def _error(table: SimulatedTable, wager: Wager, due: Due, net: int) -> Error | None:
    """The fault of this wager's payment; None where it is paid correctly."""
    base, stake = wager.kind in table.croupier_rules.game.wagers.base, wager.stake_minor
    if base and net > 0 and (favour := table.faults.repeat_favour(wager.player or "")):
        return Error(net + favour, stake)
    if net > 0:
        error = _error_of_winner(table, wager, due, net, base=base)
    elif net < 0:
        error = _error_of_loser(table, wager, net, base=base)
    elif table.faults.take("push_collected"):
        error = Error(-stake, stake)
    else:
        error = Error(stake, stake) if table.faults.take("push_paid") else None
    if error is None and table.faults.take("settlement_missing"):
        error = Error(None, stake)
    return error


def _error_of_winner(table: SimulatedTable, wager: Wager, due: Due, net: int, *, base: bool) -> Error | None:
    faults, stake = table.faults, wager.stake_minor
    chips = _CHIP * (1 + int(table.random.random() * 20))
    if not base:
        return Error(2 * net, stake) if faults.take("side_wager_overpaid") else None
    if faults.wants("natural_paid_even") and due.odds == _NATURAL and faults.take("natural_paid_even"):
        return Error(stake, stake)
    if faults.take(PATTERN):
        amount = table.plan.minimum_minor
        faults.begin_favour(wager.player or "", amount)
        return Error(net + amount, stake)
    if faults.take("overpaid_winner"):
        return Error(net + chips, stake)
    if faults.take("underpaid_winner"):
        return Error(net - min(chips, net), stake)
    if faults.take("stake_capped"):
        return Error(2 * net, 2 * stake)
    return None


def _error_of_loser(table: SimulatedTable, wager: Wager, net: int, *, base: bool) -> Error | None:
    faults, stake = table.faults, wager.stake_minor
    if wager.kind == "insurance":
        return Error(2 * stake, stake) if faults.take("insurance_paid_without_natural") else None
    if not base:
        return None
    if faults.take("loser_not_collected"):
        return Error(0, stake)
    if net == -stake and faults.take("stake_pinched"):
        return Error(-stake // 2, stake // 2)
    return None


def _settle_nothing(table: SimulatedTable, round_: Round) -> None:
    """A fault: a payment to somebody without a wager at a seat of the round."""
    if not table.faults.take("settlement_of_nothing"):
        return
    first = next(iter(round_.wagers.values()))
    amount = table.plan.minimum_minor
    invented = Wager(first.kind, first.seat, amount, player=table.crowd.newcomer().name, position=first.position)
    seq = table.pay(invented, amount)
    table.faults.expect("SETTLED_NOTHING", seq=seq, seat=invented.seat, player=invented.player, delta_minor=amount)
