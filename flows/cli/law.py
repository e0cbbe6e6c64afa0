"""``pitaudit law`` and ``pitaudit law diff``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from cyclopts import App

from flows.cli.terminal import CLEAN, print_json, print_table

if TYPE_CHECKING:
    from replayer.law.articles import Article
    from replayer.law.difference import ArticleDifference
    from replayer.law.regulation import Version

law: Final = App()


@law.default
def list_law(version: str | None = None, /, *, json: bool = False) -> int:
    """List every version of every regulation with its dates and, for each, every article in the order of the law.

    What is assumed of an article whose text is not at hand stands beside it.

    Example: `pitaudit law 57/2009`

    Parameters
    ----------
    version
        Only this version: an id, or the number of the instrument that brought it about.
    json
        One JSON object on standard output: versions, each with id, game, instruments, signed, published, in_force,
        certainty, settled, not_settled (why) and articles (number, gloss, pt, zh, amended_by, taken (where the
        text is not at hand), options).
    """
    from replayer.law.articles import find_version
    from replayer.law.calendar import VERSIONS

    chosen = VERSIONS if version is None else (find_version(version),)
    if json:
        print_json({"versions": [_version(each) for each in chosen]})
        return CLEAN
    for each in chosen:
        said = _version(each)
        since = f"in force {each.in_force}" if each.in_force else "in force by no date"
        dated = ", ".join(f"{name} {said[name]}" for name in ("signed", "published") if said[name])
        title = f"{each.id}  {' + '.join(each.instruments)}  {each.game}  {since}{f' ({dated})' if dated else ''}"
        if not said["settled"]:
            print(f"{title}\nNot settled: {said['not_settled']}.")
        else:
            names = ("number", "gloss", "pt", "zh", "amended_by", "taken")
            rows = [[article[name] or "" for name in names] for article in said["articles"]]
            columns = ("article", "what it says", "PT", "ZH", "amended by", "assumed")
            print_table(title, columns, rows, figures=(0,))
        print(f"Dates: {each.certainty}.\n")
    return CLEAN


@law.command(name="diff")
def diff(before: str, after: str, /, *, json: bool = False) -> int:
    """Show what changed between two versions of a game's regulation, article by article, in our own words.

    They are compared by what their articles are about, whatever the numbers.

    Example: `pitaudit law diff 56/2004 57/2009`

    Parameters
    ----------
    before
        The earlier version: an id, or the number of the instrument that brought it about.
    after
        The later one.
    json
        One JSON object on standard output: before, after (ids) and articles: each with kind (added, removed, changed,
        unchanged), before and after (its numbers), gloss and changes (what, before, after).
    """
    from replayer.law.articles import find_version
    from replayer.law.difference import differences

    old, new = find_version(before), find_version(after)
    found = differences(old, new)
    if json:
        print_json(
            {"before": old.id, "after": new.id, "articles": [{"kind": each.kind, **asdict(each)} for each in found]}
        )
        return CLEAN
    rows: list[tuple[object, ...]] = []
    for each in found:
        if each.kind == "unchanged":
            continue
        rows.append((_numbers(each), each.kind, each.gloss, "", ""))
        rows += [("", "", f"  {change.what}", change.before, change.after) for change in each.changes]
    print_table(f"{old.id} to {new.id}", ("article", "", "what", "before", "after"), rows, figures=())
    same = [_numbers(each) for each in found if each.kind == "unchanged"]
    print(f"Unchanged: {', '.join(f'art. {number}' for number in same) or 'nothing'}.")
    return CLEAN


def _numbers(each: ArticleDifference) -> str:
    if each.before == each.after or not each.before or not each.after:
        return str(each.after or each.before or "")
    return f"{each.before}, now {each.after}"


def _version(version: Version) -> dict[str, Any]:
    from replayer.law.articles import articles

    said: dict[str, Any] = {
        name: getattr(version, name)
        for name in ("id", "game", "instruments", "signed", "published", "in_force", "certainty")
    }
    said |= {"settled": not version.not_settled, "not_settled": version.not_settled}
    return {**said, "articles": [_article(each) for each in articles(version)]}


def _article(article: Article) -> dict[str, Any]:
    return {
        "number": article.number or None,
        "gloss": article.gloss,
        "pt": _terms(article, "pt"),
        "zh": _terms(article, "zh"),
        "amended_by": article.amended_by,
        "taken": article.assumption,
        "options": [choice.name for choice in article.choices],
    }


def _terms(article: Article, language: str) -> str:
    """The article's term, or those of its parts."""
    return ", ".join(term for part in article.parts if (term := getattr(part, language)))
