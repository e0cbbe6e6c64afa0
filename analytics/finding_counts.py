"""Counts the findings of gaming days by code and currency."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from schemas.finding import Severity


@dataclass(frozen=True, slots=True)
class FindingCount:
    """The number of findings of a code, with one count per currency where they have amounts.

    Attributes:
        delta_minor: the sum of the findings' amounts, None where they have none.
        times: the number of occurrences: all advisories of a code in a table-day are one finding.
        stake_minor: the sum of the advisories' stakes, None where they concern none.
        currency: that of the amounts, None where there are none.
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
        """The sum of this count and another of the same code and currency."""
        return dataclasses.replace(
            self,
            count=self.count + other.count,
            delta_minor=_sum_known(self.delta_minor, other.delta_minor),
            times=self.times + other.times,
            stake_minor=_sum_known(self.stake_minor, other.stake_minor),
        )


def merged(counts: Iterable[FindingCount]) -> tuple[FindingCount, ...]:
    """The counts summed by code and currency, the gravest severity first."""
    found: dict[tuple[str, str | None], FindingCount] = {}
    for each in counts:
        key = each.code, each.currency
        found[key] = each.added(found[key]) if key in found else each
    weight = [str(severity) for severity in reversed(Severity)]
    return tuple(sorted(found.values(), key=lambda each: (weight.index(each.severity), each.code, each.currency or "")))


def _sum_known(*amounts: int | None) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None
