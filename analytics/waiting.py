"""How long to wait for a run that writes a lake; apart, because settings need nothing else of a lake."""

from __future__ import annotations

from typing import Final

WAIT_SECONDS: Final = 600.0
"""How long another run is waited for, unless set."""
