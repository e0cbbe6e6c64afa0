"""Checks a table's sequence numbers across table-days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replayer.integrity.checks import SEQUENCE_CONFLICT, SEQUENCE_GAP
from replayer.log.numbers import Runs, joined, shared
from replayer.verdicts.replay_totals import Outcome
from schemas.finding import Code, Finding


def continuity(outcomes: Sequence[Outcome]) -> list[Finding]:
    """The findings on a table's numbers across table-days: some are missing, or used on two days.

    The sequence orders, not the date: a day may have been recorded after a later one. Table-days whose numbers overlap, because
    some events came late, form one stretch; the replay of its days finds what is missing inside it. Numbers that were missing
    before a day when it was sealed stay missing, whatever earlier days are added later.
    """
    found: list[Finding] = []
    stretches: dict[str, _Stretch] = {}
    for here in sorted(outcomes, key=lambda o: (o.table_id, o.first_seq or 0, o.gaming_day)):
        if here.first_seq is None:
            continue
        stretch = stretches.get(here.table_id)
        missing, since = 0, ""
        if stretch is not None and here.first_seq > _last(stretch.reached):
            reached = stretch.reached
            missing = here.first_seq - _last(reached) - 1
            since = f"since {reached.gaming_day}, which ended with seq {_last(reached)}"
            stretch = None
        if here.since is not None and here.first_seq - here.since - 1 > missing:
            missing = here.first_seq - here.since - 1
            since = f"since seq {here.since}, which was the table's last when this day was sealed"
        if missing:
            found.append(_between(SEQUENCE_GAP, here, f"{missing} event(s) missing {since}"))
        if stretch is None:
            stretches[here.table_id] = _Stretch(here, here.numbers)
            continue
        if twice := shared(stretch.numbers, here.numbers):
            found.append(_between(SEQUENCE_CONFLICT, here, f"{twice} of its numbers stand on another gaming day too"))
        stretch.reached = max(stretch.reached, here, key=_last)
        within_reach = (run for run in stretch.numbers if run[1] >= here.first_seq)
        stretch.numbers = joined((*within_reach, *here.numbers))
    return found


@dataclass(slots=True)
class _Stretch:
    """Table-days with overlapping numbers: the one with the highest number, and the numbers that a later one could share."""

    reached: Outcome
    numbers: Runs


def _last(outcome: Outcome) -> int:
    return outcome.last_seq or 0


def _between(code: Code, here: Outcome, message: str) -> Finding:
    return Finding(code, here.table_id, here.gaming_day, here.first_seq, message=message)
