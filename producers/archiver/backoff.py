"""Exponential backoff with jitter, so that archivers do not retry in step."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

_FIRST: Final = 0.5
_MOST: Final = 15.0


@dataclass(slots=True)
class Backoff:
    """The waits, in seconds, between tries of one thing."""

    most: float = _MOST
    tries: int = 0

    def next(self) -> float:
        """The seconds to wait before the next try."""
        whole = min(self.most, _FIRST * 2.0 ** min(self.tries, 16))
        self.tries += 1
        return whole * random.uniform(0.5, 1.0)  # noqa: S311 - no secret

    def reset(self) -> None:
        """After a success: start with short waits again."""
        self.tries = 0
