"""What README shows is run: its commands are parsed, its code is executed, its round is settled as it says."""

from __future__ import annotations

import doctest
import re
import shlex
import tomllib
from pathlib import Path

import duckdb
import pytest

from flows.cli import main
from flows.cli.command_line import command_line
from flows.runs import run_nightly
from flows.settings import load
from replayer.sources.table_days import table_days
from tests import house
from tests.archives import read_events
from tests.texts import replay_text

REPOSITORY = Path(__file__).parents[2]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


COMMANDS = [
    shlex.split(line)[2:]
    for block in blocks("console")
    for line in block.splitlines()
    if re.match(r"\$ (\.venv/bin/)?pitaudit ", line)
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_command_of_the_readme_is_one_that_the_program_takes(arguments: list[str]) -> None:
    command_line().parse_args(arguments, print_error=False, exit_on_error=False)


def test_what_a_page_links_to_is_there() -> None:
    for page in (
        "README.md",
        "analytics/lake/README.md",
        "producers/README.md",
        "producers/mapping/README.md",
        "flows/deployment/RUNBOOK.md",
    ):
        text = (REPOSITORY / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert ((REPOSITORY / page).parent / target).exists(), (page, target)


def test_every_command_is_in_the_readme() -> None:
    assert {arguments[0] for arguments in COMMANDS} | {"demo"} == set(command_line()) - {"--help", "-h", "--version"}


def test_the_code_of_the_readme_records_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [code] = blocks("python")
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own text
    [ref] = table_days(Path("archive"))
    assert [event.kind for event in read_events(ref)] == ["TableOpened", "WagerPlaced", "CardDealt"]


def test_the_settings_of_the_readme_are_taken(tmp_path: Path) -> None:
    [text] = blocks("toml")
    assert tomllib.loads(text)
    path = tmp_path / "pitaudit.toml"
    path.write_text(text, encoding="utf-8")
    assert load(path, environment={}).replay.readings_for("BJ-07")("X-2") == "exact"


def test_what_the_readme_begins_with_is_what_explain_says_of_its_round(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [text], [shown] = blocks("round"), blocks("explained")
    house.write(tmp_path, "T1", f"open:black_jack:MOP:7=5000 {text}")
    assert main(["explain", str(tmp_path), "--table", "T1", "--round", "12"]) == 1
    said = capsys.readouterr().out.splitlines()
    places = [said.index(line) for line in shown.splitlines() if line != "..."]
    assert places == sorted(places) and README.index(shown) < README.index("## ")
    assert any("underpaid by 100" in said[place] for place in places)


def test_the_notebook_of_the_readme_says_what_it_shows() -> None:
    [text] = blocks("pycon")
    examples = doctest.DocTestParser().get_doctest(text, {}, "README.md", None, 0)
    assert doctest.DocTestRunner().run(examples) == (0, len(examples.examples))


def test_the_readme_can_be_read_at_one_sitting() -> None:
    assert len(README.splitlines()) < 400


def test_the_round_of_the_readme_is_settled_as_it_says() -> None:
    [text] = blocks("round")
    wagers = replay_text(f"open:black_jack:MOP:7=5000 {text}").wagers
    assert wagers.select("player", "due_minor", "delta_minor").rows() == [("p7", 0, -100_00), ("p8", 75_00, 0)]
    assert ["art. 11" in article for article in wagers["article"]] == [True, False]
    assert "art. 10" in wagers["article"][1]


def test_the_question_of_the_readme_finds_who_stood_on_12_against_a_ten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (
        "open:black_jack:MOP:7=50000 dealer+D1 shuffle:1:hand:6 cut:1:player white:1:60 #1 1.main=100@p1 2.main=50@p2 nomore "
        "!-?? 1+Kc 2+9h B+Jh 1+2d 2+7s 1.stand 2.stand B+7c 1.main>-100@p1 2.main>-50@p2 end #- dealer-D1 drop=0 close=50150"
    )
    house.write(Path("archive"), "T1", text)
    run_nightly(Path("archive"), Path("lake"), house.DAY)
    [question] = [block for block in blocks("sql") if "hands" in block]
    (row,) = duckdb.sql(question).fetchall()
    assert (row[:4], row[5:]) == (("T1", house.DAY, 1, 1), ("D1", "Kc 2d"))
