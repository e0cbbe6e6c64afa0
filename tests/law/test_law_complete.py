"""Every article of every regulation has its place; a version is found by its instruments; what changed is listed."""

from __future__ import annotations

from itertools import permutations

import pytest

from replayer.law.articles import articles, find_version, rulings_of
from replayer.law.calendar import VERSIONS, UnknownVersion
from replayer.law.difference import ArticleDifference, Change, NotComparable, differences

ARTICLES = {
    "bj.141-2000": ("141/2000", 14),
    "bj.56-2004": ("56/2004", 21),
    "bj.56-2004+42-2007": ("56/2004", 21),
    "bj.57-2009": ("57/2009", 21),
    "f3.78-2008": ("78/2008", 11),
    "f3.78-2008+97-2008": ("78/2008", 11),
}
"""How many articles the Boletim Oficial prints, without gaps; an amended article keeps its number."""


@pytest.mark.parametrize("version_id", ARTICLES)
def test_every_article_of_the_law_is_there_in_its_order(version_id: str) -> None:
    instrument, last = ARTICLES[version_id]
    law = articles(find_version(version_id))
    assert [article.number for article in law] == list(range(1, last + 1))
    assert {(part.number, part.instrument) for article in law for part in article.parts} == {
        (article.number, instrument) for article in law
    }
    assert all(part.gloss for article in law for part in article.parts)
    assert all(any(part.pt and part.zh for part in article.parts) for article in law)


def test_a_version_is_settled_or_says_why_not() -> None:
    settled = {version.id for version in VERSIONS if version.regulation is not None}
    assert settled == {*ARTICLES, "bj.house"}
    assert {version.id for version in VERSIONS if version.not_settled} == {version.id for version in VERSIONS} - settled


def test_97_2008_amends_article_9_and_42_2007_articles_6_13_16_17_21() -> None:
    amended = {
        name: [article.number for article in articles(find_version(name)) if article.amended_by == name]
        for name in ("97/2008", "42/2007")
    }
    assert amended == {"97/2008": [9], "42/2007": [6, 13, 16, 17, 21]}


@pytest.mark.parametrize(
    ("name", "version_id"),
    [
        ("57/2009", "bj.57-2009"),
        ("bj.57-2009", "bj.57-2009"),
        ("56/2004", "bj.56-2004"),
        ("42/2007", "bj.56-2004+42-2007"),
        ("56/2004+42/2007", "bj.56-2004+42-2007"),
        ("78/2008", "f3.78-2008"),
        ("97/2008", "f3.78-2008+97-2008"),
    ],
)
def test_a_version_is_found_by_the_instrument_that_made_it(name: str, version_id: str) -> None:
    assert find_version(name).id == version_id


def test_an_unknown_version_lists_what_there_is() -> None:
    with pytest.raises(UnknownVersion, match=r"bj\.57-2009"):
        find_version("58/2009")


def changed(before: str, after: str) -> dict[tuple[int | None, int | None], ArticleDifference]:
    return {(each.before, each.after): each for each in differences(find_version(before), find_version(after))}


def test_97_2008_changed_article_9_and_nothing_else() -> None:
    found = changed("78/2008", "97/2008")
    assert [each.kind for each in found.values()] == ["unchanged"] * 8 + ["changed"] + ["unchanged"] * 2
    assert any("every player decides freely" in change.before for change in found[9, 9].changes)


def test_57_2009_brought_procedure_3_perfect_pair_and_streaks() -> None:
    found = changed("56/2004", "57/2009")
    changes = {number: {change.what: change for change in each.changes} for (_, number), each in found.items()}
    assert (changes[5]["option deal_procedure"].before, changes[5]["option deal_procedure"].after) == (
        "2, 1",
        "2, 1, 3",
    )
    assert {"option side_perfect_pair", "option side_streak"} <= changes[13].keys()
    assert (changes[14]["streaks: 5"].before, changes[14]["streaks: 5"].after) == ("", "38")
    assert found[9, 9].kind == "unchanged"


def test_the_one_line_of_an_article_names_what_57_2009_added_to_it() -> None:
    """Arts. 1(5), 6(3), 11(2), 16(7) and 18(3) are new in 57/2009, art. 6(3) in 42/2007; art. 19 was not changed."""
    glosses = {number: change.after for number, change in _one_lines("56/2004", "57/2009").items()}
    assert "buttons" in glosses[1]
    assert "gesture" in glosses[6]
    assert all("streak" in glosses[number] for number in (11, 16, 18))
    assert 6 not in _one_lines("42/2007", "57/2009"), "the gesture of 42/2007 stayed"
    assert changed("56/2004", "57/2009")[19, 19].kind == "unchanged"


def _one_lines(before: str, after: str) -> dict[int | None, Change]:
    found = changed(before, after).items()
    return {number: change for (_, number), each in found for change in each.changes if change.what == "in one line"}


def test_every_heading_of_141_2000_article_2_is_named() -> None:
    """Art. 2 has four: procedure at the start, end of a game, seats, cards taken away."""
    article = next(each for each in articles(find_version("141/2000")) if each.number == 2)
    assert [part.pt for part in article.parts if part.pt] == [
        "Procedimento inicial, Final de cada partida",
        "Lugares na mesa",
        "Cartas retiradas",
    ]
    assert [part.zh for part in article.parts if part.zh] == ["開始程序, 一局的完結", "門數", "銷牌"]


def test_141_2000_and_56_2004_are_matched_by_subject() -> None:
    found = changed("141/2000", "56/2004")
    pairs = {  # the same subject under two numbers: cards, points, Black Jack, insurance, separation, five cards
        (2, 4), (4, 8), (6, 10), (8, 12), (10, 16), (13, 19),
    }  # fmt: skip
    assert pairs <= found.keys()
    insurance = {change.what: (change.before, change.after) for change in found[8, 12].changes}
    assert insurance["option insurance_accepts"] == ("0 to 1/2 of the stake", "1/2 to 1 of the stake")
    assert {number for (old, number) in found if old is None} == {13, 14, 21}
    assert all(number is not None for _, number in found), "56/2004 dropped no subject"


def test_an_article_without_numbered_paragraphs_is_compared_as_having_none() -> None:
    """141/2000 art. 11 is one sentence; it was said to have (1)(1), (1)(2), (1)(3) and (2)."""
    doubling = {change.what: (change.before, change.after) for change in changed("141/2000", "56/2004")[11, 17].changes}
    assert doubling["the modes: paragraph"] == ("", "(1), (1), (2)")
    assert doubling["one card: paragraph"] == ("", "(1)")


def test_no_rule_is_described_in_half_a_sentence() -> None:
    versions = [version for version in VERSIONS if version.regulation is not None]
    descriptions = [
        description
        for before, after in permutations(versions, 2)
        if before.game == after.game
        for article in differences(before, after)
        for change in article.changes
        if change.what == "rule"
        for description in (change.before, change.after)
    ]
    assert descriptions
    whole = ("", "as before, by another rule")
    assert [
        description for description in descriptions if description not in whole and not description.endswith(".")
    ] == []


def test_what_was_added_one_way_is_removed_the_other() -> None:
    there, back = changed("141/2000", "56/2004"), changed("56/2004", "141/2000")
    assert {(new, old) for old, new in there} == set(back)
    assert {each.kind for pair, each in back.items() if pair[1] is None} == {"removed"}


@pytest.mark.parametrize(("before", "after"), [("57/2009", "78/2008"), ("97/2008", "89/2025")])
def test_two_games_or_a_missing_text_cannot_be_compared(before: str, after: str) -> None:
    with pytest.raises(NotComparable):
        differences(find_version(before), find_version(after))


def test_a_ruling_is_listed_under_the_number_that_its_subject_has() -> None:
    of_2000 = {ruling.id: numbers for ruling, numbers in rulings_of(find_version("141/2000"))}
    of_2009 = {ruling.id: numbers for ruling, numbers in rulings_of(find_version("57/2009"))}
    assert (of_2000["BJ-9"], of_2009["BJ-9"]) == ((6, 7, 8), (10, 11, 12))
    assert "BJ-44" not in of_2000
    assert of_2009["BJ-44"] == (13, 14)
