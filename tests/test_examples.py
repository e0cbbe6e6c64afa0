"""The examples in the rooms' docstrings do what they say.

A module without one is not imported to look for it: every process of ``make test`` would import all of Prefect.
"""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
ROOMS = ("schemas", "replayer", "producers", "analytics", "flows")


def with_examples() -> list[str]:
    """The modules that have some, by name."""
    files = (file for room in ROOMS for file in sorted((REPOSITORY / room).rglob("*.py")))
    texts = ((file.relative_to(REPOSITORY).with_suffix(""), file.read_text(encoding="utf-8")) for file in files)
    return [".".join(name.parts) for name, text in texts if ">>>" in text]


@pytest.mark.parametrize("module", with_examples())
def test_the_examples_of_a_module_do_what_they_say(module: str) -> None:
    results = doctest.testmod(import_module(module))
    assert results.attempted
    assert not results.failed
