"""How long commands wait for the run that writes a lake; in a module of its own, which settings import without the lake."""

from __future__ import annotations

from typing import Final

WAIT_SECONDS: Final = 600.0
"""The default time to wait for another run."""
