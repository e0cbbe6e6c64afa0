"""The explanation of a round: the data, and a page of plain text."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from replayer.sources.safe_texts import json_object
from replayer.verdicts.payment import SETTLED_NOTHING
from schemas.money import format_amount, format_due


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An event of the round: its number, its time of day, and what happened."""

    seq: int
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class AppliedRule:
    """A rule applied to what it is ``about``: the round, the bank, a seat or a wager."""

    about: str
    article: str
    text: str


@dataclass(frozen=True, slots=True)
class ExplainedWager:
    """A wager as it was placed, what it was due, and what was paid."""

    round: int
    place: str
    seat: int
    hand: int
    wager: str
    player: str | None
    stake_minor: int | None
    due_minor: int | None
    due_exact: str | None
    paid_minor: int | None
    delta_minor: int | None
    status: str
    reason: str | None
    article: str
    rulings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExplainedRuling:
    """A doubtful text on which a wager depends, and how it is read."""

    id: str
    option: str
    reading: str
    question: str


@dataclass(frozen=True, slots=True)
class ExplainedFinding:
    """A finding of the round."""

    code: str
    severity: str
    seq: int | None
    seat: int | None
    article: str
    message: str
    delta_minor: int | None
    before: str | None
    after: str | None
    corrected_by: int | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A round explained. Amounts are minor units of ``currency``, None where no opening names it; ``delta_minor`` is paid less
    due. Among its ``wagers`` are those of earlier rounds that ended or were settled in it; ``round`` of each is where it was
    placed. ``not_checked`` are the checks for which the log lacks what they need, by the names that ``replay`` gives."""

    table_id: str
    gaming_day: dt.date
    round: int
    game: str
    currency: str | None
    regulation: str
    instruments: tuple[str, ...]
    options: Mapping[str, str]
    notation: str
    zone: str
    events: tuple[RecordedEvent, ...]
    rules: tuple[AppliedRule, ...]
    wagers: tuple[ExplainedWager, ...]
    rulings: tuple[ExplainedRuling, ...]
    findings: tuple[ExplainedFinding, ...]
    not_checked: tuple[str, ...]

    @property
    def delta_minor(self) -> int:
        """The amount that the house overpaid in the round, payments for wagers never placed included; negative if underpaid."""
        deltas = [wager.delta_minor for wager in self.wagers]
        deltas += [finding.delta_minor for finding in self.findings if _is_for_nothing(finding)]
        return sum(filter(None, deltas))

    def to_dict(self) -> dict[str, object]:
        """A JSON object of the whole explanation."""
        return {**json_object(self), "delta_minor": self.delta_minor}

    def text(self) -> str:
        """The explanation as a page of plain text; a line break inside a text of the log begins no line of the page."""
        amounts = f", amounts in {self.currency}" if self.currency else ""
        head = [
            f"Table {self.table_id}, gaming day {self.gaming_day}, round {self.round}: {self.game}{amounts}",
            f"Judged by {self.regulation} ({'; '.join(self.instruments)})",
            "",
            self.notation,
            "",
            f"What happened (times: {self.zone})",
        ]
        body = [f"  {event.seq:>6}  {event.at}  {event.text}" for event in self.events]
        rules = ["", "Rules applied"]
        rules += [f"  {rule.about:<10} {rule.article:<24} {rule.text}" for rule in self.rules]
        money = ["", "Due and paid"]
        several = several_bettors((wager.place, wager.wager, wager.player) for wager in self.wagers)
        for wager in self.wagers:
            bettor = f"  ({wager.player})" if (wager.place, wager.wager) in several and wager.player else ""
            placed = "" if wager.round == self.round else f"  placed in round {wager.round}"
            money.append(f"  {_money_line(wager)}{bettor}{placed}")
        money += [f"  {f.seat:<4}{f.message}{_off_by(f.delta_minor)}" for f in self.findings if _is_for_nothing(f)]
        rulings = ["", "Depends on these readings of doubtful texts"] if self.rulings else []
        rulings += [f"  {r.id} {r.option} = {r.reading}: {r.question}" for r in self.rulings]
        found = ["", "Findings"] if self.findings else ["", "No findings"]
        found += [f"  {f.code} (seq {f.seq}) {f.article} {_seat(f)}{f.message}{_corrected(f)}" for f in self.findings]
        unchecked = ", ".join(self.not_checked).replace("_", " ")
        found += ["", f"Not checked, as the log does not tell it: {unchecked}"] if self.not_checked else []
        lines = [*head, *body, *rules, *money, *rulings, *found]
        return "\n".join(_BREAK.join(line.splitlines()) for line in lines)


_BREAK: Final = "\ufffd"
"""What stands for a line break inside a line."""


def _seat(finding: ExplainedFinding) -> str:
    return "" if finding.seat is None else f"seat {finding.seat}: "


def _corrected(finding: ExplainedFinding) -> str:
    return f" (corrected too late by seq {finding.corrected_by})" if finding.corrected_by else ""


def several_bettors(placed: Iterable[tuple[str, str, str | None]]) -> set[tuple[str, str]]:
    """The places and kinds of wagers that are not all of one bettor: there a line that names none could be of each of them."""
    bets = Counter((where, kind) for where, kind, _ in set(placed))
    return {bet for bet, bettors in bets.items() if bettors > 1}


def _is_for_nothing(finding: ExplainedFinding) -> bool:
    """Whether a finding is of a payment that settled no wager, so that no line of one has it."""
    return finding.code == SETTLED_NOTHING


def _off_by(delta: int | None) -> str:
    if not delta:
        return ""
    return f"  {'overpaid' if delta > 0 else 'underpaid'} by {format_amount(abs(delta))}"


def _amount(minor: int | None, *, sign: bool = True) -> str:
    return "-" if minor is None else format_amount(minor, sign=sign)


def _money_line(wager: ExplainedWager) -> str:
    due = "-" if wager.due_minor is None else format_due(wager.due_minor, wager.due_exact)
    line = (
        f"{wager.place:<4}{wager.wager:<13} stake {_amount(wager.stake_minor, sign=False):>9}  due {due:>10}  "
        f"paid {_amount(wager.paid_minor):>10}"
    )
    if wager.delta_minor:
        line += _off_by(wager.delta_minor)
    elif wager.status != "judged":
        why = wager.reason or ("no settlement on the log" if wager.paid_minor is None else "")
        line += f"  {wager.status}{why and ': '}{why}"
    return f"{line}  [{wager.article}]" if wager.article else line
