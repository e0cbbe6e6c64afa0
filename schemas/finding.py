"""What a finding is: something in the log that is not as the contract, the law or the accounts require.

A finding is data. It never stops a replay, never repairs anything, and never says "cheat".
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Self


class Severity(StrEnum):
    """How much a finding weighs for the reader of a report."""

    ADVISORY = "advisory"  # worth knowing; nothing that the law or the contract forbids
    PROCEDURE = "procedure"  # a duty of procedure was not kept; no payment depends on it
    MONEY = "money"  # a payment differs from what was due, or could not be judged
    INTEGRITY = "integrity"  # the log itself is damaged, incomplete or contradicts itself


class Code(str):
    """A kind of finding, by its name in every report. Every code is declared once, next to the check that raises it."""

    __slots__ = ("meaning", "severity")
    severity: Severity
    meaning: str

    def __new__(cls, name: str, severity: Severity, meaning: str) -> Self:
        """A code of that name."""
        code = super().__new__(cls, name)
        code.severity, code.meaning = severity, meaning
        return code

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Other processes and files get the name."""
        return str, (str(self),)


CODES: dict[str, Code] = {}


def _declare(severity: Severity, name: str, meaning: str) -> Code:
    """Declare a code; ValueError where it is declared already."""
    if name in CODES:
        raise ValueError(f"finding code {name} is declared twice")
    code = CODES[name] = Code(name, severity, meaning)
    return code


# Each declares a code of its severity, by name and meaning.
advisory = partial(_declare, Severity.ADVISORY)
of_procedure = partial(_declare, Severity.PROCEDURE)
of_money = partial(_declare, Severity.MONEY)
of_integrity = partial(_declare, Severity.INTEGRITY)


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding with its position."""

    code: str
    table_id: str
    gaming_day: dt.date
    seq: int | None = None
    round: int | None = None
    seat: int | None = None
    article: str = ""  # empty where no law speaks
    message: str = ""
    delta_minor: int | None = None  # paid less due
    before: str | None = None  # what stood in the books, where that is what was found
    after: str | None = None  # what was to stand there
    corrected_by: int | None = None  # the seq of a correction of the same fact that came when the books were closed
    stake_minor: int | None = None  # of the wager that an advisory is about

    @property
    def severity(self) -> Severity:
        """The weight of the finding's code."""
        return CODES[self.code].severity
