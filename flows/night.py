"""A gaming day after its run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from analytics.lake.statuses import Status
from analytics.reconciliation.result import Reconciliation


@dataclass(frozen=True, slots=True)
class Night:
    """A gaming day after its run. ``failed`` names table-days on which the program itself failed, and why.

    ``made_anew`` names table-days whose verdicts were damaged in the lake, and how; they were judged again. The empty name
    stands for the note of the day. ``restored`` names those that were judged although the run before could not read their logs,
    and why it could not. ``report_not_kept`` says why a flow could not write the day's report, where it could not.
    """

    reconciliation: Reconciliation
    replayed: tuple[str, ...]
    unchanged: tuple[str, ...]
    unsealed: tuple[str, ...]
    failed: Mapping[str, str]
    seconds: float
    made_anew: Mapping[str, str] = field(default_factory=dict)
    restored: Mapping[str, str] = field(default_factory=dict)
    report_not_kept: str = ""

    @property
    def clean(self) -> bool:
        """Whether everything ran and agrees."""
        return self.reconciliation.clean and not self.failed

    @property
    def undone(self) -> dict[str, str]:
        """Tables that were not judged, or not all of them, and why: damaged, failed, not sealed or absent."""
        missing = {
            each.table_id: f"{each.status.in_words}: {each.why}"
            for each in self.reconciliation.open_statuses
            if each.status in (Status.ABSENT, Status.NOT_SEALED)
        }
        return {**missing, **self.reconciliation.damaged, **self.failed}

    def to_dict(self) -> dict[str, Any]:
        """A JSON object: the run, then the reconciliation."""
        return {
            "replayed": list(self.replayed),
            "unchanged": list(self.unchanged),
            "unsealed": list(self.unsealed),
            "failed": dict(self.failed),
            "made_anew": dict(self.made_anew),
            "restored": dict(self.restored),
            "seconds": round(self.seconds, 3),
            **self.reconciliation.to_dict(),
            "clean": self.clean,
        }
