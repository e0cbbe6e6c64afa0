"""How long is waited for whoever writes a lake: settings say it, and they need nothing else of a lake."""

from __future__ import annotations

from typing import Final

WAIT_SECONDS: Final = 600.0
"""How long another run is waited for, unless set."""
