"""A few cases of every attack of ``make torture``; thousands run there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.torture.attacks import ATTACKS, run


@pytest.mark.parametrize("name", ATTACKS)
def test_torture(name: str, tmp_path: Path) -> None:
    assert run(name, tmp_path, range(4)) == []
