"""The lawyer's sheet: texts that interleave two languages are split, and stand beside the code."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.sheet import NoSheet, write_sheet
from flows.sheet.official import PT, ZH, merged, split
from replayer.law.reading import articles, find_version

Run = Callable[..., subprocess.CompletedProcess[str]]

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


def test_the_sheet_has_text_code_and_rulings_of_every_article(pitaudit: Run, tmp_path: Path) -> None:
    (tmp_path / "57-2009_sample.txt").write_text(sample("57/2009"), encoding="utf-8")
    page = tmp_path / "sheet.html"
    done = pitaudit("sheet", "--regulation", "57/2009", "--texts", tmp_path, "-o", page)
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
    assert "def part_accepted(" in rest
    assert not re.search(r"def (refusal|due|collects)\(", rest)
    assert "def _bust_against_unknown(" in shown(html, 7)["Art. 7(2)"], (
        "a rule that is no method of the article's class"
    )
    assert [place for place in shown(html, 13) if "(5)(2)" in place] == [
        f"Art. 13(5)(2)({item})" for item in ("i", "ii", "iii", "v", "vi")
    ]


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
    with pytest.raises(NoSheet, match=re.escape(word)):
        write_sheet(find_version(version), tmp_path, tmp_path / "sheet.html")
