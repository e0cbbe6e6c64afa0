"""How long one run on a lake waits for another; apart, so that who reads settings need not load the lake."""

from __future__ import annotations

from typing import Final

WAIT_SECONDS: Final = 600.0
"""How long another run is waited for, unless set."""
