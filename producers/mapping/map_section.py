"""One table of a mapping file, read key by key, so that every error names the file and the line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from producers.mapping.cells import read_fraction


class MapFaulty(ValueError):
    """The mapping file cannot be used; the message gives file, line and what to do."""


class Section:
    """One section (TOML table) of the file, read key by key; keys that are not read are unknown."""

    def __init__(self, path: Path, text: str, name: str, values: Any) -> None:
        self._path = path
        self._text = text
        self.name = name
        self._known: list[str] = []
        if not isinstance(values, dict):
            raise MapFaulty(f"{path}: [{name}] must be a table of keys")
        self._values: dict[str, Any] = values

    def fault(self, key: str, reason: str) -> MapFaulty:
        """The error about a key, with its line (the section's where the key is missing)."""
        line = _line_of(self._text, self.name, key)
        return MapFaulty(f"{self._path}{f', line {line}' if line else ''}: [{self.name}] {key}: {reason}")

    @contextmanager
    def explained(self, key: str, reason: str = "") -> Iterator[None]:
        """A context that makes the error about a value the fault of its key, for a reason or the error's own."""
        try:
            yield
        except (LookupError, ValueError, OSError) as error:
            raise self.fault(key, reason or str(error)) from None

    def get(self, key: str, kind: type | tuple[type, ...], wanted: str, default: Any = None) -> Any:
        """A value of a type; ``default`` where the key is missing."""
        self._known.append(key)
        value = self._values.get(key)
        if value is None:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.fault(key, f"{value!r} is not {wanted}")
        return value

    def has(self, key: str) -> bool:
        """Whether the section has a key."""
        return key in self._values

    def text(self, key: str, default: str = "") -> str:
        """A text."""
        return str(self.get(key, str, "a text in quotes", default))

    def choice(self, key: str) -> bool | None:
        """True, false, or None where the key is missing."""
        value: bool | None = self.get(key, bool, "true or false", None)
        return value

    def one_of(self, key: str, values: Sequence[str], default: str) -> str:
        """One of several words."""
        value = self.text(key, default)
        if value not in values:
            raise self.fault(key, f"{value!r} is none of {', '.join(values)}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        return self._list(key, str, "texts in quotes")

    def numbers(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers."""
        return self._list(key, int, "whole numbers")

    def _list(self, key: str, kind: type, wanted: str) -> tuple[Any, ...]:
        values = self.get(key, list, "a list", [])
        if not all(type(value) is kind for value in values):
            raise self.fault(key, f"a list of {wanted} is wanted")
        return tuple(values)

    def fraction(self, key: str, default: Fraction | None = None) -> Fraction | None:
        """An exact number."""
        value = self.get(key, (str, int), 'a number in quotes, as "7.50" or "3/2"')
        return default if value is None else self._fraction(key, value)

    def _fraction(self, key: str, value: object) -> Fraction:
        with self.explained(key):
            return read_fraction(str(value))

    def fractions(self, key: str) -> dict[str, Fraction]:
        """A table of words and exact numbers."""
        values = self.get(key, dict, "a table of words", {})
        return {str(word): self._fraction(key, value) for word, value in values.items()}

    def labels(self, key: str) -> dict[str, str]:
        """A table of texts."""
        values = self.get(key, dict, "a table of texts", {})
        if not all(isinstance(value, str) for value in values.values()):
            raise self.fault(key, "a table of texts in quotes is wanted")
        return dict(values)

    def others(self) -> dict[str, Any]:
        """The keys that were not read, with their values."""
        return {key: value for key, value in self._values.items() if key not in self._known}

    def done(self) -> None:
        """Refuse unknown keys."""
        for key in self.others():
            raise self.fault(key, f"no such key; [{self.name}] has {', '.join(self._known)}")


def _line_of(text: str, section: str, key: str) -> int | None:
    """The line of a key, else of its section's heading; the TOML parser keeps no positions."""
    current, heading = "", None
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"\s*\[([\w.\- ]+)\]", line):
            current = found[1].strip()
            if current == section:
                heading = number
            elif current == f"{section}.{key}":
                return number
        elif current == section and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return heading
