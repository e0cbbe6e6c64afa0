"""Cases of the law as text, read from files: a block a clause, a line a case.

A line goes on in the indented ones below it. ``[law] history  => facts  # remark`` has in brackets what is not usual in its file:
the version, options elected and readings by their names, ``+totals`` what the log tells at all. It holds for each ``this|that``,
in brackets or in the history, and for what stands on either side of ``or`` in brackets; ``every`` is each version of Black Jack.
Findings stand in angle brackets behind the word that they point at. A file's head may name its law (``; under``) and
abbreviations (``NAME = words``). In the file of a finding's code, ``CODE.txt``, the first block needs no title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000_AS_MADE
from replayer.law.black_jack.house_rules import HOUSE_RULES
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from replayer.law.fortune_3_card_poker.despacho_97_2008 import DSEF_97_2008
from tests.law.rules import VERSIONS

LAWS = {
    **VERSIONS,
    "141/2000-as-made": DCE_141_2000_AS_MADE,
    "house": HOUSE_RULES,
    "78/2008": DSEF_78_2008,
    "97/2008": DSEF_97_2008,
}
_EVERY = "|".join(VERSIONS)
_AMENDED = {"141/2000-as-made": "141/2000", "42/2007": "56/2004", "97/2008": "78/2008"}
"""Versions by the act that they are of, where that has another name."""


@dataclass(frozen=True)
class Law:
    """A version, the readings and the options that are not the usual ones, and what the log tells."""

    version: str
    readings: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...]
    recorded: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """A line of a file: the laws that it is about, a history with its findings, what else is asked, each with its answer."""

    laws: tuple[Law, ...]
    marked: str
    facts: tuple[str, ...]
    of_a_code: bool
    """Whether it stands in the file of a code: nothing may be found that is not marked, and each mark has its article."""

    @property
    def history(self) -> str:
        """The history without the findings."""
        return re.sub(r" <[^>]*>", "", self.marked)

    @property
    def codes(self) -> set[str]:
        """The codes of the findings."""
        return set(re.findall(" <([A-Z0-9_]+)", self.marked))

    def found(self, code: str, article: str, law: Law, *, perhaps: bool = False) -> str:
        """A finding as the line marks them, with its article where it has one with them."""
        asked = self.of_a_code or re.search(" <[^>]*:", self.marked)
        place = f":{place_in(article, law)}" if asked and article else ""
        return f" <{code}{place}{'?' * perhaps}>"


def place_in(article: str, law: Law) -> str:
    """The place that an article cites in the act of a version: ``57/2009 art. 16(6)`` is ``16(6)`` under 57/2009."""
    return article.removeprefix(f"{_AMENDED.get(law.version, law.version)} art. ")


def blocks(folder: Path) -> dict[str, list[Case]]:
    """Every clause of every file with its cases."""
    read: dict[str, list[Case]] = {}
    for path in sorted(folder.glob("*")):
        base, short, of_a_code = "57/2009", {}, path.stem.isupper()
        for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
            title, cases = "", []
            for line in re.sub(r"\n +", " ", block).splitlines():
                if line.startswith("; under "):
                    base = line.removeprefix("; under ")
                elif line.startswith("; "):
                    title = title or line.removeprefix("; ")
                elif named := re.fullmatch("([A-Z]+) = (.*)", line):
                    short[named[1]] = named[2]
                else:
                    cases += _cases(line, base, short, of_a_code)
            title = f"{path.stem}: {title}" if title else path.stem
            assert title not in read, title
            assert cases or title == path.stem, title
            read |= {title: cases} if cases else {}
    return read


def _cases(line: str, base: str, short: dict[str, str], of_a_code: bool) -> Iterator[Case]:
    parts = re.fullmatch(r"(?:\[(.*?)\] )?(.*?)(?:\s+=> (.*?))?(?:\s+# .*)?", line)
    assert parts is not None
    law, marked, facts = (_in_full(part or "", short) for part in parts.groups())
    laws = tuple(each for choice in law.split(" or ") for each in _laws(f"{base} {choice}"))
    either = [[word] if word == "|" else word.split("|") for word in marked.split(" ")]
    for words in product(*either):
        yield Case(laws, " ".join(words), tuple(facts.split("; ")) if facts else (), of_a_code)


def _in_full(text: str, short: dict[str, str]) -> str:
    return " ".join(short.get(word, word) for word in text.split())


def _laws(text: str) -> Iterator[Law]:
    words = text.replace("every", _EVERY).split()
    versions = [word for word in words if word.split("|")[0] in LAWS][-1].split("|")
    choices = [_choices(word) for word in words if word.split("|")[0] not in LAWS]
    for version, *chosen in product(versions, *choices):
        named = [(name, value) for name, value in (word.split("=") for word in chosen if "=" in word)]
        readings = tuple(each for each in named if each[0][0].isupper())
        options = tuple(each for each in named if each not in readings)
        yield Law(version, readings, options, tuple(word[1:] for word in chosen if word[0] == "+"))


def _choices(word: str) -> Iterable[str]:
    name, chosen, values = word.partition("=")
    return [f"{name}{chosen}{value}" for value in values.split("|")]
