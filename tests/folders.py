"""Where the property that a long test sets up has its archive and its lake."""

from __future__ import annotations

from pathlib import Path


class Folders:
    """A property with all that it keeps in one folder."""

    folder: Path

    @property
    def archive(self) -> Path:
        """Where its tables' logs are sealed."""
        return self.folder / "archive"

    @property
    def lake(self) -> Path:
        """Where its nights write verdicts."""
        return self.folder / "lake"
