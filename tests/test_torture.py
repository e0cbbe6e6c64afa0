"""A case of every attack of ``make torture``; thousands run there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shares import few
from tests.torture.attacks import ATTACKS, run


@pytest.mark.parametrize("cases", few([range(1), range(1, 20)], 1), ids=["one", "more"])
@pytest.mark.parametrize("name", ATTACKS)
def test_torture(name: str, cases: range, tmp_path: Path) -> None:
    assert run(name, tmp_path, cases) == []
