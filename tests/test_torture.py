"""A case of every attack of ``make torture``, in ``make test`` of one of each kind; thousands run there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shares import few
from tests.torture.attacks import ATTACKS, run

ONE_OF_EACH_KIND = {attack.case.__module__: name for name, attack in ATTACKS.items()}.values()


@pytest.mark.parametrize("cases", few([range(1), range(1, 20)], 1), ids=["one", "more"])
@pytest.mark.parametrize(
    "name", few(sorted(ATTACKS, key=lambda name: name not in ONE_OF_EACH_KIND), len(ONE_OF_EACH_KIND))
)
def test_torture(name: str, cases: range, tmp_path: Path) -> None:
    assert run(name, tmp_path, cases) == []
