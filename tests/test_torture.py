"""A case of an attack of every module of ``make torture``; thousands of all run there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shares import few
from tests.torture.attacks import ATTACKS, run

OF_EACH_MODULE = ("flip-archive", "flip-lake", "forge-payment", "append", "crosstalk", "kill-recorder", "kill-nightly")
OTHERS = [name for name in ATTACKS if name not in OF_EACH_MODULE]


@pytest.mark.parametrize("cases", few([range(1), range(1, 20)], 1), ids=lambda cases: "more" if cases.start else "one")
@pytest.mark.parametrize("name", few([*OF_EACH_MODULE, *OTHERS], len(OF_EACH_MODULE)))
def test_torture(name: str, cases: range, tmp_path: Path) -> None:
    assert run(name, tmp_path, cases) == []
