"""What takes as long as it takes, and fails where that is too long."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

SECONDS = 90.0


def wait_for(what: Callable[[], Any], seconds: float = SECONDS, every: float = 0.05) -> Any:
    """Wait until something is so, and ask for it every so many seconds; what it then is."""
    until = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < until, "it did not come to be so"
        time.sleep(every)
    return found
