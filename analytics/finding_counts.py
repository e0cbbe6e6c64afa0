"""Counts the findings of a gaming day by code, with their amounts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from schemas.finding import Severity


@dataclass(frozen=True, slots=True)
class FindingCount:
    """How many findings a code has. ``delta_minor`` is the sum of the findings' amounts, None where they have none.

    Amounts of several currencies do not add up: a code with amounts has one count a ``currency``, which is None where it has
    none. The advisories of a table-day are one finding: ``times`` says how many they are, ``stake_minor`` is the sum of the
    stakes that they are about, None where they are about none.
    """

    code: str
    severity: str
    title: str
    count: int
    delta_minor: int | None
    times: int
    stake_minor: int | None = None
    currency: str | None = None

    def added(self, other: FindingCount) -> FindingCount:
        """This and another day's count of the same code."""
        return dataclasses.replace(
            self,
            count=self.count + other.count,
            delta_minor=_sum_known(self.delta_minor, other.delta_minor),
            times=self.times + other.times,
            stake_minor=_sum_known(self.stake_minor, other.stake_minor),
        )


def merged(counts: Iterable[FindingCount]) -> tuple[FindingCount, ...]:
    """Counts of several tables or days, one a code and currency, the gravest first."""
    found: dict[tuple[str, str | None], FindingCount] = {}
    for each in counts:
        key = each.code, each.currency
        found[key] = each.added(found[key]) if key in found else each
    weight = [str(severity) for severity in reversed(Severity)]
    return tuple(sorted(found.values(), key=lambda each: (weight.index(each.severity), each.code, each.currency or "")))


def _sum_known(*amounts: int | None) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None
