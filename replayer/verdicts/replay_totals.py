"""The totals of a table-day's replay, their sum over many, and whether the numbers of a table's days follow each other."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any

import polars as pl

from replayer.integrity.checks import SEQUENCE_CONFLICT, SEQUENCE_GAP
from replayer.log.columns import SUM
from replayer.log.numbers import NONE, Runs, joined, shared
from replayer.verdicts.replay import Replayed
from schemas.finding import CODES, Code, Finding, Severity, of_integrity

CONTAINER_DAMAGED = of_integrity("CONTAINER_DAMAGED", "A table-day's file is damaged or not whole")
TABLE_DAY_UNJUDGED = of_integrity("TABLE_DAY_UNJUDGED", "A table-day on which judging itself failed")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The totals of one table-day, small enough to pass between processes."""

    table_id: str
    gaming_day: dt.date
    events: int = 0
    rounds: int = 0
    wagers: int = 0
    unsettled: int = 0
    currency: str | None = None
    numbers: Runs = ()  # of all events read, including those set aside
    overpaid: tuple[int, int] = (0, 0)
    underpaid: tuple[int, int] = (0, 0)  # number and amount, both positive
    findings: Counter[str] = field(default_factory=Counter)  # by code, all advisories of a code as one
    advisories: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # their numbers and stakes
    not_checked: Counter[str] = field(default_factory=Counter)
    unjudged: Counter[str] = field(default_factory=Counter)  # wagers without a due, by reason
    digest: str = ""  # empty where it is damaged
    damage: str = ""  # why there are no verdicts: it cannot be read, or judging it failed (TABLE_DAY_UNJUDGED)
    since: int | None = None  # as in TableDay

    @property
    def first_seq(self) -> int:
        """The lowest of its numbers, of which there are some."""
        return self.numbers[0][0]

    @property
    def last_seq(self) -> int:
        """The highest of its numbers."""
        return self.numbers[-1][1]


@dataclass(slots=True)
class Summary:
    """The sum over table-days; ``to_dict`` is what ``replay --json`` prints. Amounts are minor units."""

    outcomes: list[Outcome] = field(default_factory=list)
    between: list[Finding] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def damaged(self) -> list[Outcome]:
        """Table-days that could not be read or not be judged."""
        return [outcome for outcome in self.outcomes if outcome.damage]

    @property
    def findings(self) -> Counter[str]:
        """The number of findings by code."""
        return sum((outcome.findings for outcome in self.outcomes), Counter(finding.code for finding in self.between))

    def advisories(self) -> dict[str, dict[str, object]]:
        """The number of advisories by code, and their stakes; ``findings`` counts those of a table-day as one."""
        parts: dict[str, list[tuple[str | None, int, int]]] = {}
        for outcome in self.outcomes:
            for code, sums in outcome.advisories.items():
                parts.setdefault(code, []).append((outcome.currency, *sums))
        return {code: _money("stake_minor", own) for code, own in sorted(parts.items())}

    @property
    def unjudged(self) -> Counter[str]:
        """The number of unjudged wagers by reason."""
        return sum((outcome.unjudged for outcome in self.outcomes), Counter())

    @property
    def clean(self) -> bool:
        """Whether every wager was judged and there are no findings but advisories."""
        return not self.unjudged and all(CODES[code].severity is Severity.ADVISORY for code in self.findings)

    def digest(self) -> str:
        """SHA-256 over the digests of all table-days in the order of day and table."""
        lines = [
            f"{o.gaming_day} {o.table_id} {o.digest or 'damaged'}\n"
            for o in sorted(self.outcomes, key=lambda o: (o.gaming_day, o.table_id))
        ]
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """A JSON object with sums, findings by code and the digest of all verdicts."""
        not_checked = sum((outcome.not_checked for outcome in self.outcomes), Counter[str]())
        return {
            "table_days": len(self.outcomes),
            "damaged": [
                {"table_id": o.table_id, "gaming_day": str(o.gaming_day), "what": o.damage} for o in self.damaged
            ],
            "events": sum(o.events for o in self.outcomes),
            "rounds": sum(o.rounds for o in self.outcomes),
            "wagers": sum(o.wagers for o in self.outcomes),
            "unsettled": sum(o.unsettled for o in self.outcomes),
            "discrepancies": {
                "overpaid": _money("amount_minor", ((o.currency, *o.overpaid) for o in self.outcomes)),
                "underpaid": _money("amount_minor", ((o.currency, *o.underpaid) for o in self.outcomes)),
            },
            "findings": dict(sorted(self.findings.items())),
            "advisories": self.advisories(),
            "not_checked": dict(sorted(not_checked.items())),
            "unjudged": dict(sorted(self.unjudged.items())),
            "digest": self.digest(),
            "seconds": round(self.seconds, 3),
        }


def _money(name: str, parts: Iterable[tuple[str | None, int, int]]) -> dict[str, object]:
    """A count and an amount under its name with its currency, null where there is none; those of several are not added up."""
    amounts: Counter[str | None] = Counter()
    number = 0
    for currency, count, amount in parts:
        number += count
        if count:
            amounts[currency] += amount
    if len(amounts) < 2:
        return {"count": number, name: amounts.total(), "currency": next(iter(amounts), None)}
    by_currency = dict(sorted((currency or "unknown", amount) for currency, amount in amounts.items()))
    return {"count": number, name: None, "currency": None, "by_currency": by_currency}


def outcome_of(replayed: Replayed) -> Outcome:
    """The sums of a replayed table-day."""
    day = replayed.table_days.row(0, named=True)
    deltas = replayed.wagers["delta_minor"].drop_nulls().cast(SUM)
    over, under = deltas.filter(deltas > 0), deltas.filter(deltas < 0)
    counts = replayed.findings.group_by("code").agg(pl.len()).rows()
    stakes = pl.col("stake_minor").cast(SUM).sum()
    advised = replayed.advisories.group_by("code").agg(pl.len(), stakes).rows()
    left = replayed.wagers.filter(pl.col("status") == "unjudged").group_by("reason").agg(pl.len()).rows()
    return Outcome(
        replayed.table_id,
        replayed.gaming_day,
        day["events"],
        day["rounds"],
        day["wagers"],
        day["unsettled"],
        day["currency"],
        replayed.numbers,
        (over.len(), int(over.sum())),
        (under.len(), -int(under.sum())),
        Counter(dict(counts)),
        {code: (times, int(stakes)) for code, times, stakes in advised},
        Counter(json.loads(day["not_checked"])),
        Counter(dict(left)),
        replayed.digest,
        since=replayed.since,
    )


def without_verdicts(table_id: str, gaming_day: dt.date, code: Code, why: str) -> Outcome:
    """The outcome of a table-day that could not be read or judged."""
    return Outcome(table_id, gaming_day, findings=Counter({code: 1}), damage=why)


def continuity(outcomes: Sequence[Outcome]) -> list[Finding]:
    """The findings on a table's numbers across table-days: some are missing, or used on two days.

    The sequence orders, not the date: a day may have been recorded after a later one. Table-days whose numbers overlap, because
    some events came late, form one stretch; the replay of its days finds what is missing inside it. Numbers that were missing
    before a day when it was sealed stay missing, whatever earlier days are added later.
    """
    found: list[Finding] = []
    in_order = sorted(
        (each for each in outcomes if each.numbers), key=lambda each: (each.table_id, each.first_seq, each.gaming_day)
    )
    for _, days in groupby(in_order, key=attrgetter("table_id")):
        reached: Outcome | None = None  # of the stretch so far, the day with the highest number
        numbers = NONE  # of the stretch, those that a later day could share
        for here in days:
            missing, since = 0, ""
            if reached is not None and here.first_seq > reached.last_seq:
                missing = here.first_seq - reached.last_seq - 1
                since = f"since {reached.gaming_day}, which ended with seq {reached.last_seq}"
                reached = None
            if here.since is not None and here.first_seq - here.since - 1 > missing:
                missing = here.first_seq - here.since - 1
                since = f"since seq {here.since}, which was the table's last when this day was sealed"
            if missing:
                found.append(_between(SEQUENCE_GAP, here, f"{missing} event(s) missing {since}"))
            if reached is None:
                reached, numbers = here, here.numbers
                continue
            if twice := shared(numbers, here.numbers):
                found.append(
                    _between(SEQUENCE_CONFLICT, here, f"{twice} of its numbers stand on another gaming day too")
                )
            reached = max(reached, here, key=attrgetter("last_seq"))
            numbers = joined((*(run for run in numbers if run[1] >= here.first_seq), *here.numbers))
    return found


def _between(code: Code, here: Outcome, message: str) -> Finding:
    return Finding(code, here.table_id, here.gaming_day, here.first_seq, message=message)
