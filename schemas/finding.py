"""What a finding is: something in the log that is not as the contract, the law or the accounts require.

A finding is data. It never stops a replay, never repairs anything, and never says "cheat".
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding weighs for the reader of a report."""

    ADVISORY = "advisory"
    """Worth knowing; nothing that the law or the contract forbids."""
    PROCEDURE = "procedure"
    """A duty of procedure was not kept; no payment depends on it."""
    MONEY = "money"
    """A payment differs from what was due, or could not be judged."""
    INTEGRITY = "integrity"
    """The log itself is damaged, incomplete or contradicts itself."""


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding. Every code is declared once, next to the check that raises it."""

    code: str
    severity: Severity
    title: str


CODES: dict[str, Code] = {}


def declare(code: str, severity: Severity, title: str) -> Code:
    """Declare a code; ValueError where it is declared already."""
    if code in CODES:
        raise ValueError(f"finding code {code} is declared twice")
    CODES[code] = Code(code, severity, title)
    return CODES[code]


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding with its position. ``article`` is empty where no law speaks; ``delta_minor`` is paid less due.

    ``before`` and ``after`` say what stood in the books and what was to stand there, where that is what was found;
    ``corrected_by`` is the ``seq`` of a correction of the same fact that came when the books were closed; ``stake_minor``
    the stake of the wager that an advisory is about.
    """

    code: str
    table_id: str
    gaming_day: dt.date
    seq: int | None = None
    round: int | None = None
    seat: int | None = None
    article: str = ""
    message: str = ""
    delta_minor: int | None = None
    before: str | None = None
    after: str | None = None
    corrected_by: int | None = None
    stake_minor: int | None = None

    @property
    def severity(self) -> Severity:
        """The weight of the finding's code."""
        return CODES[self.code].severity
