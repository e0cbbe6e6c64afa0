"""The log and the map that README shows give what README says."""

from __future__ import annotations

import re
from pathlib import Path

from producers.mapping import import_log
from replayer.replay import replay_table_day
from replayer.sources.archive import read_columns, table_days

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return text


def test_the_example_of_the_readme_gives_the_underpayment_it_names(tmp_path: Path) -> None:
    (tmp_path / "rounds.csv").write_text(block("csv"), encoding="utf-8")
    (tmp_path / "rounds.toml").write_text(block("map"), encoding="utf-8")
    import_log(tmp_path / "rounds.csv", tmp_path / "rounds.toml", tmp_path / "archive")
    (ref,) = table_days(tmp_path / "archive")
    replayed = replay_table_day(read_columns(ref), ref.table_id, ref.gaming_day)
    wrong = replayed.findings.filter(replayed.findings["delta_minor"].is_not_null())
    assert wrong.select("seat", "code", "delta_minor").rows() == [(2, "UNDERPAID", -5_00)]
    assert "paid +5, due +10" in wrong["message"][0]
