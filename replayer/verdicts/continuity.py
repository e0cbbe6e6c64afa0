"""Checks a table's sequence numbers across table-days."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from replayer.integrity.checks import SEQUENCE_CONFLICT, SEQUENCE_GAP
from replayer.log.numbers import NONE, joined, shared
from replayer.verdicts.replay_totals import Outcome
from schemas.finding import Code, Finding


def continuity(outcomes: Sequence[Outcome]) -> list[Finding]:
    """The findings on a table's numbers across table-days: some are missing, or used on two days.

    The sequence orders, not the date: a day may have been recorded after a later one. Table-days whose numbers overlap, because
    some events came late, form one stretch; the replay of its days finds what is missing inside it. Numbers that were missing
    before a day when it was sealed stay missing, whatever earlier days are added later.
    """
    found: list[Finding] = []
    in_order = sorted(
        (each for each in outcomes if each.numbers), key=lambda each: (each.table_id, _first(each), each.gaming_day)
    )
    for _, days in groupby(in_order, key=attrgetter("table_id")):
        reached: Outcome | None = None  # of the stretch so far, the day with the highest number
        numbers = NONE  # of the stretch, those that a later day could share
        for here in days:
            missing, since = 0, ""
            if reached is not None and _first(here) > _last(reached):
                missing = _first(here) - _last(reached) - 1
                since = f"since {reached.gaming_day}, which ended with seq {_last(reached)}"
                reached = None
            if here.since is not None and _first(here) - here.since - 1 > missing:
                missing = _first(here) - here.since - 1
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
            reached = max(reached, here, key=_last)
            numbers = joined((*(run for run in numbers if run[1] >= _first(here)), *here.numbers))
    return found


def _first(outcome: Outcome) -> int:
    return outcome.numbers[0][0]


def _last(outcome: Outcome) -> int:
    return outcome.numbers[-1][1]


def _between(code: Code, here: Outcome, message: str) -> Finding:
    return Finding(code, here.table_id, here.gaming_day, _first(here), message=message)
