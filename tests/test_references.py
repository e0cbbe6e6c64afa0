"""What docstrings and pages refer to exists: a name that was changed is changed there too."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[1]
ROOMS = ("schemas", "replayer", "producers", "analytics", "flows")
NAMED = re.compile(r":(?:mod|class|func|data|exc|meth|attr):`~?([\w.]+)`")
SPELLED = re.compile(rf"``((?:{'|'.join(ROOMS)})(?:\.\w+)+)``")
FILE = re.compile(rf"[`( ]((?:{'|'.join((*ROOMS, 'tests'))})/[\w/.-]+\.(?:py|sql|toml|md))")


def exists(name: str) -> bool:
    """Whether a module has such a name, or one of its classes such a field."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            if not hasattr(found, part):
                return part in getattr(found, "__annotations__", {})
            found = getattr(found, part)
        return True
    return False


def missing(path: Path) -> set[str]:
    """What a file refers to that there is not."""
    text, module = path.read_text(), ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)
    named = {*NAMED.findall(text), *SPELLED.findall(text)}
    local = {name for name in named if name.partition(".")[0] not in ROOMS}
    gone = {name for name in named - local if not exists(name)}
    gone |= {name for name in FILE.findall(text) if not (REPOSITORY / name).exists()}
    if path.suffix == ".py":  # a name of the module itself, or one of a class in it
        gone |= {
            name
            for name in local
            if not exists(f"{module.removesuffix('.__init__')}.{name.lstrip('.')}")
            and not re.search(rf"\b(?:def |class )?{name.rpartition('.')[2]}\b *[(:=]", text)
        }
    return gone


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_that_a_room_refers_to_exists(room: str) -> None:
    files = [path for ending in ("py", "md", "sql") for path in (REPOSITORY / room).rglob(f"*.{ending}")]
    assert len(files) > 10
    assert {str(path.relative_to(REPOSITORY)): names for path in files if (names := missing(path))} == {}


def test_every_name_that_the_readme_refers_to_exists() -> None:
    assert missing(REPOSITORY / "README.md") == set()


@pytest.mark.parametrize("name", ["replayer.gone", "replayer.contract.game.Gone", "schemas.event.Event.gone"])
def test_a_name_that_there_is_not_is_found(name: str) -> None:
    assert not exists(name)
    assert exists("replayer.contract.game.GameOf") and exists("schemas.event.Event.table_id")
