"""``law``, ``rulings``, ``whatif``, ``odds`` on the command line: what they say, and how they refuse."""

from __future__ import annotations

import datetime as dt
import json
import re
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from flows.cli import main, whatif
from flows.comparisons import summed
from flows.known_errors import CouldNotRun
from flows.sheet import write_sheet
from flows.sheet.official import PT, ZH, merged, split
from replayer.law.articles import articles, find_version
from replayer.law.odds.black_jack import rules_of, side_wager
from replayer.law.rulings import readings_by
from replayer.verdicts.compare import CHANGES, LedgerLine
from tests import house
from tests.commands import Run

PAIR_OF_TWOS = (
    "shuffle:1:machine:1 #1 1.ante=100@p1 nomore 1-Kd 1-Kh 1-4c B-2s B-2d B-3c 1.raise@p1 1.raise=100@p1 "
    "1^Kd 1^Kh 1^4c B^2s B^2d B^3c 1.ante>+100@p1 1.raise>+100@p1 end #-"
)
"""The croupier's pair of twos ranks above a queen, and has none: it plays by ``hand_rank`` only."""


def said(done: subprocess.CompletedProcess[str], code: int = 0) -> dict[str, Any]:
    assert (done.returncode, done.stderr) == (code, "")
    value = json.loads(done.stdout)
    assert isinstance(value, dict)
    return value


@pytest.fixture
def doubtful(tmp_path: Path) -> Path:
    """T1: the croupier has Q-8-3; T2: a pair of twos."""
    folder = tmp_path / "doubtful"
    house.write(folder, "T1", house.SOUND)
    house.write(folder, "T2", house.closing(PAIR_OF_TWOS, 200))
    return folder


def test_law_lists_every_version_with_its_articles(inside: Run) -> None:
    versions = {each["id"]: each for each in said(inside("law", "--json"))["versions"]}
    assert len(versions["bj.57-2009"]["articles"]) == 21
    assert (versions["f3.78-2008"]["in_force"], versions["f3.78-2008"]["certainty"]) == ("2008-08-12", "confirmed")
    assert versions["f3.78-2008"]["settled"]
    assert not versions["f3.89-2025"]["settled"]
    assert "at hand" in versions["f3.89-2025"]["not_settled"]
    ninth = versions["f3.78-2008+97-2008"]["articles"][8]
    assert (ninth["number"], ninth["amended_by"], ninth["zh"]) == (9, "97/2008", "牌局程序及彩金")
    insurance = versions["bj.57-2009"]["articles"][11]
    assert insurance["options"] == ["insurance_accepts"]
    of_the_house = versions["bj.house"]["articles"]
    assert {each["number"] for each in of_the_house} == {None}
    assert "natural_odds" in next(each for each in of_the_house if each["gloss"] == "a natural")["options"]


def test_law_of_one_version_is_readable(inside: Run) -> None:
    done = inside("law", "141/2000")
    assert (done.returncode, done.stderr) == (0, "")
    assert "同門搭注" in done.stdout
    assert "bj.57-2009" not in done.stdout


def test_law_diff_by_short_names(inside: Run) -> None:
    reported = said(inside("law", "diff", "78/2008", "97/2008", "--json"))
    assert (reported["before"], reported["after"]) == ("f3.78-2008", "f3.78-2008+97-2008")
    assert [each["after"] for each in reported["articles"] if each["kind"] == "changed"] == [9]
    people = inside("law", "diff", "141/2000", "56/2004").stdout
    assert "8, now 12" in people
    assert "Unchanged" in people


def test_law_diff_says_of_a_text_only_what_it_has(inside: Run) -> None:
    """97/2008 art. 9(3) has who laid both bets raise; by 78/2008 art. 9(4) who plays raises, whatever else he laid."""
    articles = said(inside("law", "diff", "78/2008", "97/2008", "--json"))["articles"]
    changes = [change for each in articles for change in each["changes"]]
    [raised] = (change for change in changes if "must raise" in change["before"])
    assert "both bets" not in raised["before"]
    assert "both bets" in raised["after"]


@pytest.mark.parametrize("before", ["141/2000", "56/2004", "42/2007"])
def test_law_diff_says_in_words_what_a_rule_does_and_in_no_names_of_code(inside: Run, before: str) -> None:
    """Rules were named as the functions are, rule due of streak say."""
    printed = inside("law", "diff", before, "57/2009").stdout
    assert "``" not in printed and not re.search(r"\brule \w", printed)


def test_rulings_says_where_each_acts(inside: Run) -> None:
    listed = {each["id"]: each for each in said(inside("rulings", "--json"))["rulings"]}
    assert listed["BJ-3"]["readings"][0] == listed["BJ-3"]["default"] == "a6_two_cards"
    assert listed["F3-5"]["zh"] == "card_only"
    assert all(each["acts"] for each in listed.values())
    assert any("drawing.py:Soft17" in place for place in listed["BJ-3"]["acts"])
    assert inside("rulings").returncode == 0


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_ledger_weighs_a_croupier_that_would_not_play(inside: Run, doubtful: Path, workers: str) -> None:
    """A croupier below a queen pays the ante only: the raise of 100 comes back, which the house then keeps not to pay."""
    lines = said(inside("rulings", "ledger", doubtful, "--workers", workers, "--json"))["lines"]
    line = next(each for each in lines if each["ruling"] == "F3-5")
    assert (line["reading"], line["in_force"]) == ("card_only", "hand_rank")
    assert (line["rounds_touched"], line["wagers_changed"], line["unsettled"]) == (1, 1, 0)
    assert line["change_in_win_minor"] == 100_00


def test_what_if_shows_the_round_and_exits_1(inside: Run, doubtful: Path) -> None:
    done = inside("whatif", doubtful, "--ruling", "F3-5=card_only", "--json")
    reported = said(done, code=1)
    assert (reported["change_in_win_minor"], reported["wagers_changed"], reported["unsettled"]) == (100_00, 1, 0)
    assert reported["by_table"] == [
        {"name": "T2", "currency": "MOP", "wagers": 1, "unsettled": 0, "change_in_win_minor": 100_00}
    ]
    assert reported["by_wager"] == [
        {"name": "raise", "currency": "MOP", "wagers": 1, "unsettled": 0, "change_in_win_minor": 100_00}
    ]
    (changed,) = reported["rounds"]
    assert (changed["table_id"], changed["gaming_day"], changed["round"]) == ("T2", "2009-06-01", 1)
    (wager,) = changed["wagers"]
    assert (wager["due_before_minor"], wager["due_after_minor"]) == (100_00, 0)
    people = inside("whatif", doubtful, "--ruling", "qualify=card_only")
    assert people.returncode == 1
    assert f"pitaudit explain {doubtful} --table T2 --round 1 --day 2009-06-01" in people.stdout


def test_money_of_two_currencies_is_never_one_sum(inside: Run, doubtful: Path) -> None:
    """T3 plays T2's round in HKD at ten times the amounts."""
    dollars = house.closing(PAIR_OF_TWOS.replace("100@", "1000@"), 2000)
    house.write(doubtful, "T3", dollars.replace(":MOP:", ":HKD:"))
    weighed = said(inside("rulings", "ledger", doubtful, "--workers", "2", "--json"))["lines"]
    lines = [each for each in weighed if each["ruling"] == "F3-5"]
    assert [(each["currency"], each["wagers_changed"], each["change_in_win_minor"]) for each in lines] == [
        ("HKD", 1, 1_000_00),
        ("MOP", 1, 100_00),
    ]
    reported = said(inside("whatif", doubtful, "--ruling", "F3-5=card_only", "--json"), code=1)
    assert (reported["change_in_win_minor"], reported["by_currency"]) == (None, {"HKD": 1_000_00, "MOP": 100_00})
    assert reported["by_wager"] == [
        {"name": "raise", "currency": "HKD", "wagers": 1, "unsettled": 0, "change_in_win_minor": 1_000_00},
        {"name": "raise", "currency": "MOP", "wagers": 1, "unsettled": 0, "change_in_win_minor": 100_00},
    ]
    assert [each["currency"] for each in reported["rounds"]] == ["MOP", "HKD"]
    people = inside("whatif", doubtful, "--ruling", "F3-5=card_only").stdout
    assert "In all +1,000.00 HKD and +100.00 MOP on 2 wagers" in people


def test_a_reading_of_whose_change_nothing_is_known_has_no_figure() -> None:
    line = LedgerLine("X-7", "", "no", "yes", "MOP", rounds_touched=2, wagers_changed=2, change_in_win=0, unsettled=2)
    assert line.known_change is None
    assert replace(line, unsettled=1, change_in_win=-5_00).known_change == -5_00
    assert replace(line, unsettled=0, wagers_changed=0).known_change == 0


def test_change_of_which_nothing_can_be_said_is_no_zero(capsys: pytest.CaptureFixture[str]) -> None:
    """Two main wagers, of one of which the change is 5.00 and of the other unknown; two of insurance, both unknown."""
    one: dict[str, Any] = dict.fromkeys(CHANGES) | {
        "table_id": "T1",
        "gaming_day": dt.date(2009, 6, 1),
        "currency": "MOP",
        "parts": 1,
    }
    rows = [("main", 1, 5_00), ("main", 2, None), ("insurance", 2, None), ("insurance", 3, None)]
    changed = [one | {"wager": name, "round": number, "change_in_win": change} for name, number, change in rows]
    frame = CHANGES.to_frame()
    reported = summed(frame.vstack(type(frame)(changed, schema=CHANGES)))
    assert [(each["name"], each["unsettled"], each["change_in_win_minor"]) for each in reported["by_wager"]] == [
        ("insurance", 2, None),
        ("main", 1, 5_00),
    ]
    assert [(each["unsettled"], each["change_in_win_minor"]) for each in reported["by_table"]] == [(3, 5_00)]
    assert [each["change_in_win_minor"] for each in reported["rounds"]] == [5_00, None, None]
    assert (reported["change_in_win_minor"], reported["unsettled"]) == (5_00, 3)
    unknown = frame.vstack(type(frame)(changed[1:], schema=CHANGES))
    assert summed(unknown)["change_in_win_minor"] is None
    assert summed(frame)["change_in_win_minor"] == 0
    whatif._print(unknown, Path("archive"), damaged=False)
    printed = capsys.readouterr().out
    assert "│ insurance │              2 │             – │ MOP      │         2 │" in printed and "0.00" not in printed


@pytest.mark.parametrize(
    "command",
    [
        ("whatif", "archive", "--ruling", "F3-5=card_only", "--ruling", "F3-5=hand_rank"),
        ("whatif", "archive", "--ruling", "F3-5=card_only", "--ruling", "qualify=hand_rank"),
        ("query", "large_buy_ins", "--lake", "lake", "--param", "threshold_minor=1", "--param", "threshold_minor=2"),
    ],
)
def test_a_name_that_is_given_two_values_is_refused(inside: Run, command: tuple[str, ...]) -> None:
    done = inside(*command)
    assert done.returncode == 2
    assert re.search(r"it is \w+ as well; give \S+ once", done.stderr)


def test_what_changes_nothing_exits_0(inside: Run, doubtful: Path) -> None:
    assert said(inside("whatif", doubtful, "--ruling", "F3-2=ace_high_card", "--json"))["rounds"] == []


def test_what_is_of_no_game_here_is_said_to_change_nothing(inside: Run, doubtful: Path) -> None:
    without = ("--regulation 57/2009", "--option surrender=off", "--ruling BJ-3=any_soft")
    done = inside("whatif", doubtful, *" ".join(without).split(), "--ruling", "X-3=void")
    assert done.returncode == 0
    for what in without:
        assert f"{what} changes nothing: no table-day here is of black_jack\n" in done.stderr
    assert "X-3" not in done.stderr
    assert "changes nothing" not in inside("whatif", doubtful, "--regulation", "97/2008").stderr


def test_another_version_is_settled_by_its_own_table(inside: Run, doubtful: Path) -> None:
    """78/2008 art. 9(8) pays a pair one to one on ante and raise, as 97/2008 does: nothing changes but by the bonus."""
    assert said(inside("whatif", doubtful, "--regulation", "97/2008", "--json"))["wagers_changed"] == 0


def test_whatif_takes_an_option_that_the_text_only_speaks_against(inside: Run, doubtful: Path) -> None:
    done = inside("whatif", doubtful, "--option", "split_max_hands=3", "--json")
    assert (done.returncode, json.loads(done.stdout)["rounds"]) == (0, [])


def test_whatif_says_which_versions_have_an_option(inside: Run, doubtful: Path) -> None:
    """57/2009 art. 21(2) lets special prizes be left out, 141/2000 and 56/2004 do not: there nothing changes. Every version
    of Fortune 3 Card Poker has posted limits, art. 6(1)."""
    done = inside("whatif", doubtful, "--option", "special_prizes=off")
    assert "only under bj.house, bj.57-2009;" in done.stderr
    assert "only under" not in inside("whatif", doubtful, "--option", "ante_min=200").stderr
    assert (
        "only under"
        not in inside("whatif", doubtful, "--regulation", "57/2009", "--option", "special_prizes=off").stderr
    )


def test_whatif_takes_a_reading_of_the_game_that_keeps_its_own_version(inside: Run, doubtful: Path) -> None:
    reads = ("--ruling", "F3-2=ace_high_card", "--ruling", "X-6=half")
    assert inside("whatif", doubtful, "--regulation", "57/2009", *reads).returncode == 0
    assert inside("whatif", doubtful, "--regulation", "bj.house", "--ruling", "BJ-5=choice_logged").returncode == 0


def test_whatif_says_that_an_elected_option_settles_the_doubt_of_a_ruling(inside: Run, tmp_path: Path) -> None:
    """57/2009 art. 6(1): the house elects whether the bank draws on 6-A; only where it has not is its being silent in doubt."""
    round_ = "#1 1.main=100@p1 nomore 1+Kc B+6h 1+8d 1.stand B+Ad 1.main>+100@p1 end"
    for table, option in (("T1", "option:bank_soft17=stand"), ("T2", "")):
        house.write(tmp_path / table, table, f"open:black_jack:MOP:7=0 {option} {round_} #- close=0")
    elected, silent = (inside("whatif", tmp_path / table, "--ruling", "BJ-1=stand") for table in ("T1", "T2"))
    why = "changes nothing where bank_soft17 was elected, as at a table here: there it takes --option bank_soft17=stand"
    assert (elected.returncode, why in elected.stderr) == (0, True)
    assert "elected" not in silent.stderr


def test_whatif_takes_an_option_of_house_rules_that_a_log_elected(inside: Run, doubtful: Path) -> None:
    """An imported log names bj.house itself; its options were said not to exist."""
    assert inside("whatif", doubtful, "--option", "natural_odds=6/5").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("law", "58/2009"), ("58/2009", "bj.57-2009")),
        (("law", "diff", "57/2009", "78/2008"), ("two games",)),
        (("law", "diff", "78/2008", "89/2025"), ("at hand",)),
        (("rulings", "ledger", "nowhere"), ("nowhere",)),
        (("whatif", "{archive}"), ("--option", "--regulation", "--ruling")),
        (("whatif", "{archive}", "--option", "decks"), ("--option decks", "name=value")),
        (("whatif", "{archive}", "--option", "colour=red"), ("colour", "decks")),
        (("whatif", "{archive}", "--option", "decks=0"), ("decks=0", "1 to 15")),
        (("whatif", "{archive}", "--option", "decks=99"), ("decks=99", "1 to 15")),
        (("whatif", "{archive}", "--option", "seats=256"), ("seats=256", "6 to 255")),
        (("whatif", "{archive}", "--regulation", "1/2001"), ("1/2001", "bj.57-2009")),
        (("whatif", "{archive}", "--ruling", "BJ-999=x"), ("BJ-999", "pitaudit rulings")),
        (("whatif", "{archive}", "--ruling", "BJ-3=x"), ("any_soft",)),
        (("whatif", "{archive}", "--regulation", "57/2009", "--ruling", "BJ-36=sevens_only"), ("BJ-36", "bj.56-2004")),
        (("whatif", "{archive}", "--regulation", "97/2008", "--ruling", "f3_9_8=both"), ("F3-6", "f3.78-2008")),
        (("whatif", "{archive}", "--table", "T9", "--ruling", "BJ-3=any_soft"), ("T9",)),
        (("odds", "--regulation", "89/2025"), ("at hand",)),
        (("odds", "--regulation", "78/2008", "--decks", "2"), ("one deck",)),
        (("odds", "--regulation", "57/2009", "--ruling", "BJ-3=x"), ("any_soft",)),
        (("odds", "--regulation", "57/2009", "--ruling", "F3-1=flush"), ("F3-1", "f3.78-2008")),
        (("odds", "--regulation", "78/2008", "--ruling", "soft17_scope=any_soft"), ("BJ-3", "bj.57-2009")),
        (("odds", "--regulation", "56/2004", "--ruling", "BJ-3=any_soft"), ("BJ-3", "bj.57-2009")),
    ],
)
def test_what_cannot_be_answered_exits_2_with_one_line(
    archive: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([argument.replace("{archive}", str(archive)) for argument in arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1
    assert all(word in printed.err for word in words)


def test_odds_are_exact_and_follow_a_reading(inside: Run) -> None:
    """One perfect pair in 52 of an endless shoe; by ``cumulative_pt`` it is paid as a mixed and a coloured pair as well."""
    usual = side_wager(rules_of("bj.57-2009", readings_by()), "perfect_pair", None)
    assert usual is not None and usual["probability"]["25"] == "1/52"
    other = said(inside("odds", "--regulation", "57/2009", "--ruling", "BJ-44=cumulative_pt", "--json"))
    assert Fraction(other["wagers"]["insurance"]["ev"]) == Fraction(-1, 13)
    assert other["readings"] == {"BJ-44": "cumulative_pt"}
    assert Fraction(other["wagers"]["perfect_pair"]["ev"]) > Fraction(usual["ev"])
    assert set(other["bank"]) == set("A23456789T")


# The lawyer's sheet: texts that interleave two languages are split, and stand beside the code


# Invented sentences, laid out as the Boletim Oficial's pages come out of a scanner.
INTERLEAVED = """
1. É aprovado o regulamento, nos termos do artigo 64.º da lei.
根據法律第六十四條核准。
法定規章REGULAMENTO
DO «JOGO»第一條
用具Artigo 1.º
Material

用具包括：

O material inclui o que o artigo 2.º diz:

(一) 紙牌；

1) Cartas;

第二條

程序

一、按第一條洗牌。

第三條 派牌

派牌。

Artigo 2.º

Procedimentos

1. As cartas são bara-
lhadas pela banca

e partidas por qualquer jogador.

Artigo 3.º

《派牌》

Distribuição
As cartas são distribuídas.

Despacho do Secretário n.º 12/2001
Outra matéria.
第 12/2001 號批示
其他事項。
"""


def test_each_language_keeps_its_own_count_of_articles() -> None:
    found = split(INTERLEAVED, "11/2001", [1, 2, 3])
    assert sorted(found) == [1, 2, 3]
    assert found[1].paragraphs == {
        PT: ["Material", "O material inclui o que o artigo 2.º diz:", "1) Cartas;"],
        ZH: ["用具", "用具包括：", "(一) 紙牌；"],
    }
    assert found[2].paragraphs == {
        PT: ["Procedimentos", "1. As cartas são baralhadas pela banca e partidas por qualquer jogador."],
        ZH: ["程序", "一、按第一條洗牌。"],
    }
    assert found[2].titled == {PT, ZH}


def test_what_follows_once_another_act_begins_is_left_out() -> None:
    third = split(INTERLEAVED, "11/2001", [1, 2, 3])[3]
    assert third.paragraphs[PT] == ["Distribuição", "As cartas são distribuídas."]
    assert third.paragraphs[ZH][:2] == ["派牌", "派牌。"]
    assert not any("其他" in paragraph for paragraph in third.paragraphs[ZH])


def test_an_amending_text_has_only_the_articles_that_it_amends() -> None:
    text = "O artigo 6.º passa a ter a seguinte redacção:\nArtigo 6.º\nNovas palavras.\nArtigo 13.º\nOutras palavras.\n"
    found = split(text, "12/2001", [6, 13])
    assert {number: official.paragraphs[PT] for number, official in found.items()} == {
        6: ["Novas palavras."],
        13: ["Outras palavras."],
    }


def test_a_file_for_each_language_makes_one_text() -> None:
    pt = split("Artigo 1.º\nMaterial\nCartas.\n", "11/2001", [1])
    zh = split("第一條\n用具\n紙牌。\n", "11/2001", [1])
    (whole,) = merged([pt, zh]).values()
    assert whole.paragraphs == {PT: ["Material", "Cartas."], ZH: ["用具", "紙牌。"]}


def sample(version: str) -> str:
    """A sentence of our own for every article of a version."""
    return "".join(
        f"Artigo {article.number}.º\nSobre <isto> o número {article.number}.\n"
        for article in articles(find_version(version))
    )


def test_the_sheet_has_text_code_and_rulings_of_every_article(inside: Run, tmp_path: Path) -> None:
    (tmp_path / "57-2009_sample.txt").write_text(sample("57/2009"), encoding="utf-8")
    page = tmp_path / "sheet.html"
    done = inside("sheet", "--regulation", "57/2009", "--texts", tmp_path, "-o", page)
    assert (done.returncode, done.stdout) == (0, "")
    html = page.read_text(encoding="utf-8")
    sections = dict(re.findall(r'<section id="art(\d+)">(.*?)</section>', html, re.DOTALL))
    assert list(sections) == [str(number) for number in range(1, 22)]
    for number, section in sections.items():
        assert f"Sobre &lt;isto&gt; o número {number}." in section, "the text is escaped and in its place"
        assert "despacho_57_2009.py" in section, "the record's own lines"
    assert "class Insurance(Provision)" in sections["12"]
    assert "class Soft17" in sections["6"]
    assert "<b>BJ-44</b>" in sections["13"]
    assert "no text of this article in Chinese" in sections["1"]
    assert not re.search(r"(?:src|href)=\"(?!#)", html), "the page loads nothing"


WITHOUT_CODE = "Paragraphs without code of their own"


def shown(html: str, article: int) -> dict[str, str]:
    """What stands beside an article, by heading."""
    section = re.findall(rf'<section id="art{article}">(.*?)</section>', html, re.DOTALL)[0]
    code = section.partition('<div class="code">')[2]
    return dict(re.findall(r"<h3>(.*?)</h3>(.*?)(?=<h3>|$)", code, re.DOTALL))


def test_the_rules_of_an_article_stand_by_paragraph(tmp_path: Path) -> None:
    (tmp_path / "57-2009.txt").write_text(sample("57/2009"), encoding="utf-8")
    write_sheet(find_version("57/2009"), tmp_path, tmp_path / "sheet.html")
    html = (tmp_path / "sheet.html").read_text(encoding="utf-8")
    insurance = shown(html, 12)
    assert list(insurance) == ["Art. 12(1)", "Art. 12(2)", "Art. 12(3)", "What is tied to no paragraph"]
    assert "insurance.py, line " in insurance["Art. 12(1)"]
    assert ": Insurance.refusal</p>" in insurance["Art. 12(1)"]
    assert "def refusal(self, seat: Seat)" in insurance["Art. 12(1)"]
    assert "Why it may not be placed" in insurance["Art. 12(1)"]
    assert "def due(" in insurance["Art. 12(2)"]
    assert "Shown above: <code>Insurance.due</code>" in insurance["Art. 12(3)"], "its source stands there once"
    rest = insurance["What is tied to no paragraph"]
    assert "class Insurance(Provision)" in rest
    assert "def odds(" in rest
    assert not re.search(r"def (refusal|due|collects)\(", rest)
    assert "def _against_bank(" in shown(html, 7)["Art. 7(2)"], "a rule that is no method of the article's class"
    assert "<li>19(2): nothing to keep or to break: the round goes on</li>" in shown(html, 19)[WITHOUT_CODE]
    assert WITHOUT_CODE not in insurance, "each of its paragraphs has some"
    assert [place for place in shown(html, 13) if "(5)(2)" in place] == [
        f"Art. 13(5)(2)({item})" for item in ("i", "ii", "iii", "v", "vi")
    ]


def test_a_version_for_which_no_reasons_are_given_has_a_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flows.sheet.REASONS", {})
    (tmp_path / "57-2009.txt").write_text(sample("57/2009"), encoding="utf-8")
    write_sheet(find_version("57/2009"), tmp_path, tmp_path / "sheet.html")
    assert WITHOUT_CODE not in (tmp_path / "sheet.html").read_text(encoding="utf-8")


def test_an_article_without_numbered_paragraphs_shows_its_rules_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "141-2000.txt").write_text(sample("141/2000"), encoding="utf-8")
    write_sheet(find_version("141/2000"), tmp_path, tmp_path / "sheet.html")
    html = (tmp_path / "sheet.html").read_text(encoding="utf-8")
    assert list(shown(html, 12)) == ["Art. 12", "What is tied to no paragraph"]
    assert "def untimely(" in shown(html, 12)["Art. 12"]
    assert list(shown(html, 7)) == ["Art. 7(a)", "Art. 7(b)", "What is tied to no paragraph"]


def test_an_amended_version_shows_both_records_and_says_whose_words_stand_there(tmp_path: Path) -> None:
    (tmp_path / "78-2008.txt").write_text(sample("78/2008"), encoding="utf-8")
    page = tmp_path / "sheet.html"
    assert write_sheet(find_version("97/2008"), tmp_path, page) == ["97/2008"]
    ninth = re.findall(r'<section id="art9">(.*?)</section>', page.read_text(encoding="utf-8"), re.DOTALL)[0]
    assert "amended by 97/2008, shown in the words of 78/2008" in ninth
    assert "despacho_97_2008.py" in ninth
    assert "despacho_78_2008.py" in ninth
    (tmp_path / "97-2008.txt").write_text("Artigo 9.º\nPalavras novas.\n", encoding="utf-8")
    assert write_sheet(find_version("97/2008"), tmp_path, page) == []
    assert "Palavras novas." in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(("version", "word"), [("57/2009", "57-2009*.txt"), ("89/2025", "at hand")])
def test_without_a_text_there_is_no_sheet(tmp_path: Path, version: str, word: str) -> None:
    with pytest.raises(CouldNotRun, match=re.escape(word)):
        write_sheet(find_version(version), tmp_path, tmp_path / "sheet.html")
