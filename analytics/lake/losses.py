"""Messages that a topic lost before the archive had them (:mod:`replayer.sources.lost`), and who acknowledged the losses.

A loss is reported with every gaming day that it may concern, permanently, and keeps them from being clean until it is
acknowledged (``LAKE/acknowledged/lost/DIGEST.jsonl``). An acknowledgement is valid for one range only: a range that grew is
another loss.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from analytics.lake.acknowledged import Acknowledgement, NothingToAcknowledge, acknowledgement_of, keep_acknowledgement
from analytics.lake.contents import days_of
from analytics.lake.note import note_or_empty
from replayer.sources.lost import Lost, Why, lost_file, lost_messages


@dataclass(frozen=True, slots=True)
class Loss:
    """A range of messages that a topic lost, and who acknowledged it."""

    lost: Lost
    acknowledged: Acknowledgement | None = None

    @property
    def open(self) -> bool:
        """Whether it keeps its gaming days from being clean."""
        return self.acknowledged is None

    @property
    def name(self) -> str:
        """The name by which it is acknowledged; empty where the lost range is unknown."""
        return self.lost.name

    def __str__(self) -> str:
        return f"{self.lost}" + (f"; acknowledged {self.acknowledged}" if self.acknowledged else "")

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "name": self.name,
            **self.lost.to_dict(),
            "acknowledged": asdict(self.acknowledged) if self.acknowledged else None,
        }


def losses_of(archive: Path, lake: Path, gaming_day: dt.date) -> tuple[Lost, ...]:
    """The losses by an archive that may concern a gaming day, and those that a run noted before (:func:`with_removed`)."""
    return with_removed(archive, lost_messages(archive, gaming_day), note_or_empty(lake, gaming_day).lost)


def with_removed(archive: Path, lost: Sequence[Lost], before: Iterable[Lost]) -> tuple[Lost, ...]:
    """The losses by an archive, and those noted before of which it no longer has the file: these stay lost, and each removed
    file is a further loss, whether or not the first was acknowledged."""
    names = {each.name for each in lost}
    kept = [each for each in before if each.why not in (Why.REMOVED, Why.UNREADABLE) and each.name not in names]
    removed = [replace(each, why=Why.REMOVED) for each in kept if not os.path.lexists(lost_file(archive, each))]
    return (*lost, *kept, *removed)


def removed_losses(lake: Path, first: dt.date) -> set[Lost]:
    """The losses whose files were removed from the archive, as noted by nights from gaming day ``first`` on."""
    return {each for each in _reported(lake, first) if each.why is Why.REMOVED}


def acknowledged_loss_file(lake: Path, lost: Lost) -> Path:
    """The file of those who acknowledged a loss."""
    return lake / "acknowledged" / "lost" / f"{hashlib.sha256(lost.to_json().encode()).hexdigest()}.jsonl"


def losses(lake: Path | None, lost: Iterable[Lost]) -> tuple[Loss, ...]:
    """Losses with their acknowledgements in the lake at present; without a lake, or with a damaged file, none."""
    return tuple(Loss(each, _acknowledgement_of(lake, each) if lake else None) for each in lost)


def _acknowledgement_of(lake: Path, lost: Lost) -> Acknowledgement | None:
    return acknowledgement_of(acknowledged_loss_file(lake, lost), [lost.name])


def _reported(lake: Path, first: dt.date | None = None) -> Iterator[Lost]:
    for day in days_of(lake, first, None):
        yield from note_or_empty(lake, day).lost


def acknowledge_losses(lake: Path, names: Iterable[str], who: Acknowledgement) -> list[Loss]:
    """Acknowledge the named losses, all of them or none. Raises NothingToAcknowledge where no night reported one, or it is
    acknowledged already."""
    wanted = list(dict.fromkeys(names))
    known = {lost.name: lost for lost in _reported(lake) if lost.name} if wanted else {}
    for name in wanted:
        if name not in known:
            there = f"there are {', '.join(sorted(known))}" if known else "there is none at all"
            raise NothingToAcknowledge(f"no night reported a loss {name}: {there}")
        if who_did := _acknowledgement_of(lake, known[name]):
            raise NothingToAcknowledge(f"the loss {name} is acknowledged already, by {who_did.by} at {who_did.at}")
    for name in wanted:
        keep_acknowledgement(lake, acknowledged_loss_file(lake, known[name]), [name], who)
    return [Loss(known[name], who) for name in wanted]
