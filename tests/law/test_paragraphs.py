"""For every paragraph and numbered item of the texts a function of the law that is tied to it, or a reason why there is none.

The numbers are those of the texts in the Boletim Oficial, article by article; a place with a full stop is an item of a paragraph
(``5.2`` for art. 13(5)(2)), an empty one an article without numbers. What an instrument amends takes the place of the article.
Of 42/2007 art. 6 is at hand, of 97/2008 items 1 to 6 of art. 9, of 56/2004 all but art. 21.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from flows.sheet.reasons import REASONS, Kind
from flows.sheet.source import functions, in_order, package_of, ties
from replayer.law.articles import articles, find_version
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.regulation import Paragraph, Provision, Version
from tests.law.test_duties import DUTIES

_ARTS_1_TO_20 = {
    2: "1 1.1 1.2 2.1 2.2 2.3 2.4",
    3: "1 2 3 4",
    4: "1 1.1 1.2 2",
    7: "1 2",
    8: "",
    9: "",
    10: "1 2 3 4 5 6 7",
    12: "1 2 3",
    15: "",
    19: "1 2",
    20: "1 1.1 1.2 1.3 2",
}
"""What 57/2009 took over from 56/2004 with its numbers."""

BLACK_JACK_2009 = _ARTS_1_TO_20 | {
    1: "1 2 3 4 5",
    5: "1 1.1 1.2 2.1.1 2.1.2 2.2.1 2.2.2 2.3.1 2.3.2 2.3.3 2.3.4 2.3.5 2.3.6 2.3.7 2.3.8",
    6: "1 2 3 4 4.1 4.2 4.3 5 6",
    11: "1 1.1 1.2 2",
    13: "1 1.1 1.2 2 2.1 2.2 3 4 4.1 4.2 4.3 5 5.1 5.1.i 5.1.ii 5.1.iii 5.1.iv 5.2.i 5.2.ii 5.2.iii 5.2.iv 5.2.v 5.2.vi",
    14: "1 2.1 2.2 2.3 2.4 3 4.1 4.2 4.3 5.1 5.2 5.3 5.4",
    16: "1 2 3 4 5 6 7.1 7.2 7.3",
    17: "1 1.1 1.2 1.3 2 3",
    18: "1 2 3",
    21: "1 2 3",
}
BLACK_JACK_2004 = _ARTS_1_TO_20 | {
    1: "1 2 3 4",
    5: "1 1.1 1.2 2.1.1 2.1.2 2.2.1 2.2.2",
    6: "1 2 3 4 4.1 4.2 4.3 5",
    11: "1 2",
    13: "1 1.1 1.2 2 2.1 2.2 3",
    14: "1 2.1 2.2 2.3 2.4 3",
    16: "1 2 3 4 5",
    17: "1 2",
    18: "1 2",
}
BLACK_JACK_2007 = {number: places for number, places in BLACK_JACK_2004.items() if number not in (13, 16, 17)} | {
    6: BLACK_JACK_2009[6]
}
BLACK_JACK_2000 = {
    1: "a b c",
    2: "1.a 1.b 1.c 2 3 4",
    3: "1.a 1.b 2.a 2.b 2.c",
    4: "", 5: "", 6: "",
    7: "a b",
    8: "", 9: "", 10: "", 11: "", 12: "", 13: "", 14: "",
}  # fmt: skip
FORTUNE_2008 = {
    1: "1 2 3",
    2: "1 2",
    3: "1 2",
    4: "1 2",
    5: "1 2",
    6: "1 2 3 4 5",
    7: "1 2",
    8: "1 2 3 4 5 6",
    9: "1 2 3 4 5 6 7 8 8.1 8.2 8.3 8.4",
    10: "1 2 3 4 5",
    11: "1 2 3 4",
}
FORTUNE_2008_DECEMBER = FORTUNE_2008 | {9: "1 2 3 4 5 6"}

TEXTS: Mapping[str, Mapping[int, str]] = {
    "57/2009": BLACK_JACK_2009,
    "56/2004": BLACK_JACK_2004,
    "42/2007": BLACK_JACK_2007,
    "141/2000": BLACK_JACK_2000,
    "78/2008": FORTUNE_2008,
    "97/2008": FORTUNE_2008_DECEMBER,
}

DUTIES_OF = {
    "57/2009": ["57/2009"],
    "56/2004": ["57/2009", "56/2004"],
    "42/2007": ["57/2009", "56/2004"],
    "141/2000": ["141/2000"],
    "78/2008": ["78/2008"],
    "97/2008": ["78/2008"],
}
"""The lists of test_duties that hold for an instrument."""

Place = tuple[int, Paragraph]
"""An article and a paragraph in it."""


def places_of(text: Mapping[int, str]) -> list[Place]:
    return [(number, _paragraph(place)) for number, line in text.items() for place in line.split() or [""]]


def _paragraph(place: str) -> Paragraph:
    return tuple(int(step) if step.isdecimal() else step for step in re.findall(r"\w+", place))


def shown(place: Place) -> str:
    return f"{place[0]}{''.join([f'({step})' for step in place[1]])}"


def is_within(place: Place, whole: Place) -> bool:
    """Whether a place is another, or one of its items."""
    return place[0] == whole[0] and place[1][: len(whole[1])] == whole[1]


def places_of_duty(article: str) -> Iterator[Place]:
    """The places in the citation of a duty."""
    number = 0
    for part in re.sub(r" \(\d+/\d{4}\)", "", article).split(", "):
        first, _, last = part.partition("-")
        number = int(re.match(r"\d*", first)[0] or number)
        place = _paragraph(re.sub(r"^\d+", "", first))
        yield number, place
        if last:
            yield from ((number, (*place[:-1], item)) for item in range(int(place[-1]) + 1, int(last.strip("()")) + 1))


def untied(version: Version, instrument: str) -> set[str]:
    """The places of the text to which no function of the law is tied."""
    tied = {(tie.article, tie.paragraph) for tie in ties(version)}
    return {shown(place) for place in places_of(TEXTS[instrument]) if not any(is_within(tie, place) for tie in tied)}


@pytest.mark.parametrize("instrument", TEXTS)
def test_every_paragraph_has_a_function_of_the_law_or_a_reason(instrument: str) -> None:
    assert untied(find_version(instrument), instrument) == REASONS[instrument].keys()


@pytest.mark.parametrize("instrument", TEXTS)
def test_no_paragraph_is_left_to_functions_outside_the_articles(instrument: str) -> None:
    in_an_article: dict[Place, bool] = dict.fromkeys(places_of(TEXTS[instrument]), False)
    tied = {(tie.article, tie.paragraph) for tie in ties(find_version(instrument))}
    for tie in ties(find_version(instrument)):
        if tie.function.kind is not None and issubclass(tie.function.kind, Provision):
            in_an_article[tie.article, tie.paragraph] = True
    assert {shown(place) for place, there in in_an_article.items() if place in tied and not there} == set()


@pytest.mark.parametrize("instrument", TEXTS)
def test_every_paragraph_that_the_law_names_is_in_the_text(instrument: str) -> None:
    text = places_of(TEXTS[instrument])
    at_hand = TEXTS[instrument].keys()
    tied = {(tie.article, tie.paragraph) for tie in ties(find_version(instrument)) if tie.paragraph}
    assert {shown(tie) for tie in tied if tie[0] in at_hand and not any(is_within(each, tie) for each in text)} == set()


REORDERED_BY_TEXTS = {("97/2008", "CourseOfPlay"): "art. 9 as 78/2008 made it; 97/2008 has the raise before the fold"}


def rules_in_line(version: Version) -> Mapping[tuple[type, int], list[tuple[Paragraph, str]]]:
    """By class and article its methods in the order of the code, each with the first paragraph of the article tied to it."""
    own = {(kind, law.number) for law in articles(version) for part in law.parts for kind in type(part).__mro__}
    rules: dict[tuple[type, int], dict[tuple[int, int], tuple[Paragraph, str]]] = defaultdict(dict)
    for tie in ties(version):  # in the order of the law
        function = tie.function
        if function.kind is not None and (function.kind, tie.article) in own and tie.paragraph:
            rules[function.kind, tie.article].setdefault(function.lines, (tie.paragraph, function.name))
    return {each: [found[line] for line in sorted(found)] for each, found in rules.items()}


@pytest.mark.parametrize("instrument", TEXTS)
def test_the_rules_of_an_article_stand_in_the_order_of_its_paragraphs(instrument: str) -> None:
    for (kind, _), rules in rules_in_line(find_version(instrument)).items():
        in_the_law = sorted(rules, key=lambda rule: in_order(rule[0]))
        assert (rules == in_the_law) != ((instrument, kind.__name__) in REORDERED_BY_TEXTS), rules


@pytest.mark.parametrize("instrument", TEXTS)
def test_a_reason_names_what_there_is(instrument: str) -> None:
    version = find_version(instrument)
    options = {article.number: [each.name for each in article.choices] for article in articles(version)}
    duties = {
        (shown(place), each)
        for text in DUTIES_OF[instrument]
        for duty in DUTIES[text]
        for place in places_of_duty(duty.article)
        for each in (*duty.codes, duty.reason)
    }
    known = {function.name for function in functions(package_of(version))}
    elected_elsewhere = {"2(1)(2)": 1}  # the device of art. 1 says how cards are shuffled
    for place, (kind, what) in REASONS[instrument].items():
        number = elected_elsewhere.get(place, int(re.split(r"\D", place)[0]))
        match kind:
            case Kind.ELECTED:
                assert what in options[number], place
            case Kind.FOUND:
                assert (place, what) in duties
            case Kind.NOT_ON_A_LOG:
                assert (place, f"{kind}: {what}") in duties
            case Kind.COUNTED | Kind.ELSEWHERE:
                assert what in known, place
            case Kind.NOTHING:
                assert what, place


@pytest.mark.parametrize("instrument", DUTIES)
def test_every_duty_stands_where_the_text_has_something(instrument: str) -> None:
    text = places_of(TEXTS[instrument])
    of_missing_text = {"21"} if instrument == "56/2004" else set()
    outside = {
        shown(place)
        for duty in DUTIES[instrument]
        for place in places_of_duty(duty.article)
        if not any(is_within(each, place) for each in text)
    }
    assert outside == of_missing_text


def test_a_paragraph_that_the_code_loses_is_missed() -> None:
    version, law = find_version("57/2009"), DSEF_57_2009
    without = replace(
        law,
        natural=replace(law.natural, relief=()),
        shared_seat=replace(law.shared_seat, paragraphs=law.shared_seat.paragraphs[:2]),
    )
    lost = untied(replace(version, regulation=without), "57/2009") - REASONS["57/2009"].keys()
    assert lost == {"10(7)", "20(1)(3)"}


def test_a_method_that_a_text_replaces_stands_for_nothing_in_it() -> None:
    """78/2008 art. 9(4) says who raises; 97/2008 says it in (1), and in (3) that with both bets one must."""
    must = {
        instrument: {
            shown((tie.article, tie.paragraph))
            for tie in ties(find_version(instrument))
            if "must_raise" in tie.function.name
        }
        for instrument in ("78/2008", "97/2008")
    }
    assert must == {"78/2008": {"9(4)"}, "97/2008": {"9(3)"}}


def test_the_citation_of_a_duty_names_its_places() -> None:
    cited = {
        article: [shown(place) for place in places_of_duty(article)]
        for article in ("9(5)-(7), 10", "13(2), (3)", "9 (97/2008)")
    }
    assert [*cited.values()] == [["9(5)", "9(6)", "9(7)", "10"], ["13(2)", "13(3)"], ["9"]]
