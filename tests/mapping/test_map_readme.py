"""The log and the map that README shows give what README says, and help names every key of a map."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flows.cli import main
from producers.mapping.map_file import ALWAYS_MISSING, SECTIONS, read_map
from producers.mapping.map_section import MapFaulty
from replayer.law.choice import MAY_BE_MISSING
from tests.mapping.logs import Import

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return text


def test_the_example_of_the_readme_gives_the_underpayment_it_names(imported: Import) -> None:
    replayed = imported(block("csv"), block("map")).replayed()
    wrong = replayed.findings.filter(replayed.findings["delta_minor"].is_not_null())
    assert wrong.select("seat", "code", "delta_minor").rows() == [(2, "UNDERPAID", -5_00)]
    assert "paid +5, due +10" in wrong["message"][0]


def test_help_names_every_key_that_a_map_may_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The reader itself says which keys a part has, when it is asked for one that there is not."""
    assert main(["import", "--help"]) == 0
    said = re.sub(r"\s+", " ", capsys.readouterr().out.partition("Its parts:")[2])
    parts = dict(re.findall(r"• \[(\w+)\]: (.*?)(?= •|Numbers decide)", said))
    assert tuple(parts) == SECTIONS
    path = tmp_path / "map.toml"
    for section in SECTIONS[:-1]:
        path.write_text(
            re.sub(rf"^\[{section}\].*\n|\Z", f"[{section}]\nno_such = 1\n", block("map"), count=1, flags=re.M)
        )
        with pytest.raises(MapFaulty) as faulty:
            read_map(path)
        _, _, known = str(faulty.value).partition(f"[{section}] has ")
        assert known, str(faulty.value)
        assert [key for key in known.split(", ") if not re.search(rf"\b{key}\b", parts[section])] == []
    named = {*(set(MAY_BE_MISSING) - ALWAYS_MISSING), "bank_second_card", "not_recorded"}
    assert [key for key in named if key not in parts["rules"]] == []
