"""How long to wait before something is tried again: longer each time up to a limit, and never two archivers in step."""

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
        """How long to wait now."""
        whole = min(self.most, _FIRST * 2.0 ** min(self.tries, 16))
        self.tries += 1
        return whole * random.uniform(0.5, 1.0)  # noqa: S311 - no secret

    def over(self) -> None:
        """It worked: begin with short waits the next time."""
        self.tries = 0
