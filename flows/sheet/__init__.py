"""The lawyer's sheet: a regulation's official text beside the code that implements it, article by article, in one file.

The project holds citations and its own glosses, not the texts; these come from a folder of whoever makes the sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from flows.known_errors import CouldNotRun
from flows.sheet.official import Official, merged, split, texts_of
from flows.sheet.reasons import REASONS
from flows.sheet.source import record_lines, rule_classes, rules_by_paragraph, ties
from producers.outputs import write_output
from replayer.law.articles import articles, find_version, rulings_of
from replayer.law.regulation import Version
from replayer.law.ruling_sites import ruling_sites


def write_sheet(version: Version, texts: Path, output: Path) -> list[str]:
    """Write the sheet of a version; the instruments of which the folder has no text. Raises CouldNotRun where the version's text
    is not modelled, or the folder has none of its instruments."""
    if version.not_settled:
        raise CouldNotRun(f"{version.id} has no articles to show: {version.not_settled}")
    if not texts.is_dir():
        raise CouldNotRun(f"{texts} is no folder: give --texts DIR, with files such as 57-2009.txt")
    missing = [instrument for instrument in version.instruments if not texts_of(texts, instrument)]
    if len(missing) == len(version.instruments):
        wanted = " or ".join(f"{instrument.replace('/', '-')}*.txt" for instrument in missing)
        raise CouldNotRun(f"{texts} holds no {wanted}: put the official text there, Portuguese, Chinese or both")
    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("flows.sheet", ""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = templates.get_template("sheet.html.j2").render(
        version=version,
        rows=_rows(version, texts),
        general=[ruling for ruling, numbers in rulings_of(version) if not numbers],
        missing=missing,
        ruling_sites=ruling_sites(),
    )
    write_output(output, page.encode())
    return missing


def _rows(version: Version, texts: Path) -> list[dict[str, Any]]:
    """What the sheet shows of each article. Its text, in the words of ``instrument``, is empty where no file has it; ``reasons``
    has the paragraphs without a function, and why."""
    law = articles(version)
    base, *amending = version.instruments
    numbers = {base: [article.number for article in law]}
    numbers |= {each: [a.number for a in law if a.amended_by == each] for each in amending}
    official = {instrument: _read(texts, instrument, wanted) for instrument, wanted in numbers.items()}
    rulings, tied = list(rulings_of(version)), ties(version)
    first, reasons = find_version(base), REASONS.get(version.instruments[-1], {})
    rows = []
    for article in law:
        own = [tie for tie in tied if tie.article == article.number]
        by = article.amended_by
        instrument = by if article.number in official.get(by, {}) else base
        earlier = [(first, each) for each in articles(first) if by and each.number == article.number]
        rows.append(
            {
                "article": article,
                "text": official[instrument].get(article.number, Official()),
                "instrument": instrument,
                "records": [
                    snippet for of, each in ((version, article), *earlier) for snippet in record_lines(of, each)
                ],
                "paragraphs": list(rules_by_paragraph(article, own)),
                "reasons": [
                    (place, *why) for place, why in reasons.items() if place.split("(")[0] == str(article.number)
                ],
                "classes": rule_classes(article, own),
                "rulings": [ruling for ruling, places in rulings if article.number in places],
                "options": [(choice.name, choice.described) for choice in article.choices],
            }
        )
    return rows


def _read(texts: Path, instrument: str, numbers: Sequence[int]) -> dict[int, Official]:
    parts = []
    for path in texts_of(texts, instrument):
        try:
            text = path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise CouldNotRun(f"{path} is not UTF-8: convert it first") from None
        parts.append(split(text, instrument, numbers))
    return merged(parts)
