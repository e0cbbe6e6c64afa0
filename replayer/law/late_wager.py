"""Wagers placed too late: the texts of both games refuse them, and name no remedy for one that was accepted."""

from __future__ import annotations

from replayer.contract.readings import Readings
from replayer.contract.wagers import RETURNED, Due, StakeSituation


def as_late(due: Due, article: str, readings: Readings) -> Due:
    """What a late wager is due: ``due`` is its due by the cards, ``article`` the one whose deadline it missed.

    X-7: it counts, or it is void and its stake goes back. A wager whose stake goes back anyway depends on neither.
    """
    if due.odds == 0 or readings("X-7") != "void":
        return due
    return Due.of(RETURNED, article, "placed after its moment: void, the stake goes back")


def base_of(stake: StakeSituation, readings: Readings) -> int | None:
    """The stake that a wager rests on; None where there is none. X-7: what was added to it too late counts, or is void."""
    if stake.base_minor is None or not stake.late_minor or readings("X-7") != "void":
        return stake.base_minor
    return stake.base_minor - stake.late_minor
