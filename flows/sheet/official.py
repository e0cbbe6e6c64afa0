"""The official text of a regulation, as an operator's folder has it, split into articles in Portuguese and Chinese.

The Boletim Oficial prints both languages side by side, and texts taken from it interleave them: by lines, by articles, by several
articles; headings even run together with the line before them. So each line goes to its language by its letters, and each
language keeps count of its own articles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

PT: Final = "pt"
ZH: Final = "zh"

_CJK: Final = "\u3400-\u9fff\uf900-\ufaff"
_CHINESE: Final = re.compile(f"[{_CJK}\u3000-\u303f\uff00-\uffef]")
"""Ideographs and the punctuation that goes with them: a line may be nothing but 《Black Jack》."""
_LETTER: Final = re.compile(r"[^\W\d_]")
_DIGITS: Final = "〇一二三四五六七八九"
_HEADINGS: Final[Mapping[str, re.Pattern[str]]] = {
    PT: re.compile(rf"(?P<before>|.*[{_CJK}])\s*Artigo\s+(?P<number>\d+)\s*\.?\s*º\.?(?P<rest>\s.{{0,70}})?$"),
    ZH: re.compile(
        rf"(?P<before>|.*[^{_CJK}，、；。：])\s*第\s*(?P<number>[一二三四五六七八九十]+)\s*條(?P<rest>\s[^，。；、：]{{0,24}})?$"
    ),
}
_OTHER_ACT: Final[Mapping[str, re.Pattern[str]]] = {
    PT: re.compile(r"(?:Despacho|Ordem Executiva|Portaria|Lei|Regulamento Administrativo)\b.*?n\.º\s*(\d+/\d{4})\s*$"),
    ZH: re.compile(r"第\s*(\d+/\d{4})\s*號.{0,20}$"),
}
_IMPRINT: Final = re.compile(r"Imprensa Oficial|Impressora Oficial|PREÇO DESTE NÚMERO|印務局")
_MARKER: Final = re.compile(
    r"\d+\s*[.)—–-]|[a-z]\s*[)）]|[(（]\s*\w{1,4}\s*[)）]|[ivx]+\)|[一二三四五六七八九十]+、|[-–—•]\s"
)
_END: Final = re.compile(r"[.;:。；：]$")
_TITLE: Final[Mapping[str, int]] = {PT: 60, ZH: 20}
"""How long the title of an article may be."""


@dataclass(slots=True)
class Official:
    """An article's paragraphs by language; ``titled`` are the languages whose first paragraph is its title."""

    paragraphs: dict[str, list[str]] = field(default_factory=lambda: {PT: [], ZH: []})
    titled: set[str] = field(default_factory=set)


def texts_of(folder: Path, instrument: str) -> list[Path]:
    """The text files of an instrument in a folder: ``57-2009*.txt`` for 57/2009."""
    return sorted(path for path in folder.glob(f"{instrument.replace('/', '-')}*.txt") if path.is_file())


def split(text: str, instrument: str, numbers: Sequence[int]) -> dict[int, Official]:
    """The articles of a text that are among ``numbers``, which are in its order; one that is not found is left out.

    A heading counts only where it comes next or nearly so, for sentences name articles as well. What precedes the first
    article, and what follows once another act or the imprint begins, is no part of the regulation.
    """
    found: dict[int, Official] = {}
    at: dict[str, int] = {PT: -1, ZH: -1}
    over: set[str] = set()
    for language, line, number in _lines(text, numbers, at):
        if number is not None:
            at[language] = numbers.index(number)
            found.setdefault(number, Official())
        elif at[language] >= 0 and language not in over:
            if at[language] == len(numbers) - 1 and _ends(language, line, instrument):
                over.add(language)
            else:
                _add(found[numbers[at[language]]], language, line)
    return found


def merged(parts: Sequence[Mapping[int, Official]]) -> dict[int, Official]:
    """Articles of several files; of one that two files have in the same language, the first."""
    whole: dict[int, Official] = {}
    for part in parts:
        for number, official in part.items():
            into = whole.setdefault(number, Official())
            for language, paragraphs in official.paragraphs.items():
                if not into.paragraphs[language]:
                    into.paragraphs[language] = paragraphs
                    into.titled |= official.titled & {language}
    return whole


def _lines(text: str, numbers: Sequence[int], at: Mapping[str, int]) -> Iterator[tuple[str, str, int | None]]:
    """Lines with their language; a heading with its number, what stands before and behind it as lines of their own."""
    language = PT
    for raw in text.splitlines():
        line = " ".join(raw.replace("*", "").lstrip("# ").split())
        if not _LETTER.search(line):
            continue
        heading = _heading(line, numbers, at)
        if heading is None:
            language = ZH if _CHINESE.search(line) else PT
            yield language, line, None
            continue
        language, number, match = heading
        if match["before"]:
            yield (PT if language == ZH else ZH), match["before"].strip(), None
        yield language, line, number
        if (match["rest"] or "").strip():
            yield language, match["rest"].strip(), None


def _ends(language: str, line: str, instrument: str) -> bool:
    """Whether a line after the last article's heading begins another act, or is the printer's."""
    other = _OTHER_ACT[language].match(line)
    return bool(_IMPRINT.match(line)) or (other is not None and other[1] != instrument)


def _heading(line: str, numbers: Sequence[int], at: Mapping[str, int]) -> tuple[str, int, re.Match[str]] | None:
    for language, pattern in _HEADINGS.items():
        match = pattern.match(line)
        if match is not None:
            number = int(match["number"]) if language == PT else _from_chinese(match["number"])
            coming = numbers[at[language] + 1 : at[language] + 4]
            if number in coming:
                return language, number, match
    return None


def _from_chinese(text: str) -> int:
    """A number below a hundred.

    >>> _from_chinese("九"), _from_chinese("十"), _from_chinese("十四"), _from_chinese("二十一")
    (9, 10, 14, 21)
    """
    tens, ten, ones = text.partition("十")
    value = _DIGITS.find(tens) if tens else 1
    return value * 10 + (_DIGITS.find(ones) if ones else 0) if ten else value


def _add(official: Official, language: str, line: str) -> None:
    """Join a line to the paragraph before it where it goes on with it."""
    paragraphs = official.paragraphs[language]
    if not paragraphs:
        paragraphs.append(line)
        if len(line) <= _TITLE[language] and not _END.search(line) and not _MARKER.match(line):
            official.titled.add(language)
    elif _begins(official, language, line):
        paragraphs.append(line)
    else:
        if len(paragraphs) == 1:
            official.titled.discard(language)  # it was the first line of a sentence
        paragraphs[-1] = _joined(paragraphs[-1], line, language)


def _begins(official: Official, language: str, line: str) -> bool:
    paragraphs = official.paragraphs[language]
    if _MARKER.match(line) or _END.search(paragraphs[-1]):
        return True
    return len(paragraphs) == 1 and language in official.titled and not line[0].islower()


def _joined(before: str, line: str, language: str) -> str:
    if language == ZH:
        return before + line
    if before.endswith("-") and line[0].islower():
        return before[:-1] + line  # a word that was divided at the end of the line
    return f"{before} {line}"
