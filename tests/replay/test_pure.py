"""Nothing in the judging path can see a clock, dice, the network or a float: held on the source, file by file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / "replayer").rglob("*.py"), *(ROOT / "schemas").rglob("*.py")])
FORBIDDEN_MODULES = {
    "random",
    "secrets",
    "socket",
    "urllib",
    "http",
    "requests",
    "uuid",
    "time",
    "asyncio",
    "threading",
}
FORBIDDEN_CALLS = {"now", "today", "utcnow", "perf_counter", "monotonic", "urandom", "float"}
# run.py reports how long a replay took; spread.py ends processes whose parent was killed; listing.py asks how lately a folder
# changed before it remembers what lies there. They hand the judge nothing of that.
MAY_USE = {
    "replayer/verdicts/run.py": {"time", "perf_counter"},
    "replayer/processes/spread.py": {"threading"},
    "replayer/sources/listing.py": {"time"},
}


def uses(tree: ast.AST) -> set[str]:
    """The forbidden modules imported and the forbidden functions called."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names} & FORBIDDEN_MODULES
        elif isinstance(node, ast.ImportFrom):
            found |= {(node.module or "").split(".")[0]} & FORBIDDEN_MODULES
        elif isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name in FORBIDDEN_CALLS:
                found.add(name)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_judging_path_sees_no_clock_dice_network_or_float(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    assert uses(ast.parse(path.read_text(encoding="utf-8"))) <= MAY_USE.get(name, set())


def test_the_check_itself_can_fail() -> None:
    assert uses(ast.parse("import random\nx = float('1')\ny = datetime.now()")) == {"random", "float", "now"}
    assert len(FILES) > 40
