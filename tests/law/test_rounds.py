"""Rounds through the whole engine: what their wagers are due and what is found, as text.

``tests/law/rounds/*.txt`` (:mod:`tests.law.case_files`) has them in the notation of rounds, a table-day a case::

    ; X-7: a late wager counts or is void
    [X-7=void] 1.main=100 nomore 1+Kc 1.main=50 <WAGER_AFTER_CLOSE> B+6h 1+Qd 1.stand B+Th B+5d end
        => main -100; main 0 [5(1)] {X-7}

Implied are a table on a day of the version (``day=`` names another one), its options, authorised, a shuffle before the
round where the case tells of none, and the closing behind it. A finding stands behind its event; those of what is implied
(:data:`LEFT_OUT`) are passed over where a case names none. Behind ``=>`` stand all wagers of the kinds that are named, in the
order placed: what each is due (``?`` not known), then, as far as it is asked, ``paid`` how much (``-`` nothing), its status, the
place of its article, in braces the rulings that it rests on, in quotes why it is not judged; and what a finding ``says``.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path

import polars as pl
import pytest

from replayer.engine.rules_in_force import ReplaySettings
from replayer.integrity.log import TableDay
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.notation import split_words
from tests.law.case_files import Case, Law, blocks, place_in
from tests.law.one_round import DAYS, FORTUNE_DAYS, opened
from tests.texts import table_day_of

BLOCKS = blocks(Path(__file__).parent / "rounds")
LEFT_OUT = ("WAGER_UNSETTLED", "CLOSE_MISSING", "LAW_TEXT_UNVERIFIED")
"""What is found of a round for what is left out of its text on purpose."""
UNPREPARED = ("BURN_MISSING", "CUT_MISSING", "WHITE_CARD_MISSING")
"""What is found where the shuffle is implied."""
STATUS = "judged|unsettled|void|unjudged"


def is_event(word: str) -> bool:
    """Whether a word of the notation is an event."""
    return not word.startswith(("#", "@"))


def begun(case: Case, law: Law) -> str:
    """The text of a table up to the round of a case."""
    game = "fortune_3_card_poker" if law.version in FORTUNE_DAYS else "black_jack"
    return opened(game, (each for each in law.options if each[0] != "day"), shuffled=not shuffles(case))


def shuffles(case: Case) -> bool:
    """Whether a case tells of a shuffle."""
    return "shuffle:" in case.history


def table_of(case: Case, law: Law) -> TableDay:
    """A case as a log has it."""
    day = dict(law.options).get("day") or (DAYS | FORTUNE_DAYS)[law.version]
    return table_day_of(f"{begun(case, law)} {case.history} #- close=0", dt.date.fromisoformat(day))


@cache
def replayed() -> Mapping[tuple[Case, Law], Replayed]:
    """Every case by every law; those under the same readings are judged together."""
    every = [(case, law) for cases in BLOCKS.values() for case in cases for law in case.laws]
    verdicts: dict[tuple[Case, Law], Replayed] = {}
    for readings, some in groupby(sorted(every, key=lambda each: each[1].readings), key=lambda each: each[1].readings):
        same = list(some)
        days = [table_of(case, law) for case, law in same]
        verdicts |= dict(zip(same, replay_table_days(days, ReplaySettings(readings=dict(readings))), strict=True))
    return verdicts


def marked(case: Case, law: Law, findings: pl.DataFrame) -> str:
    """The text of a case with what was found in it."""
    words = split_words(case.history)
    events = [number for number, word in enumerate(words) if is_event(word)]
    left_out = LEFT_OUT if shuffles(case) else (*LEFT_OUT, *UNPREPARED)
    before = sum(map(is_event, split_words(begun(case, law))))
    for code, article, seq in findings.sort("code").select("code", "article", "seq").rows():
        if code not in left_out or f"<{code}" in case.marked:
            assert seq > before, f"{code} of what is implied"
            words[events[seq - before - 1]] += case.found(code, article)
    return " ".join(words)


def dues(fact: str, wagers: pl.DataFrame) -> str:
    """``main -100; any_pair 550 paid 500 judged [14(1)] {BJ-38}`` of a kind of wagers, of which it says as much as is asked."""
    return "; ".join(
        due(fact, row) for row in wagers.filter(wager=fact.split(maxsplit=1)[0]).sort("placed_seq").rows(named=True)
    )


def due(fact: str, row: dict[str, object]) -> str:
    """One wager as far as it is asked for."""
    told = [row["wager"], money(row["due_minor"], "?")]
    told += [f"paid {money(row['paid_minor'], '-')}"] * (" paid " in fact)
    told += [row["status"]] * bool(re.search(rf" ({STATUS})\b", fact))
    told += [f"[{place_in(str(row['article']))}]"] * ("[" in fact)
    told += ["{" + str(row["rulings"]) + "}"] * ("{" in fact)
    told += [f'"{row["reason"]}"'] * ('"' in fact)
    return " ".join(map(str, told))


def money(minor: object, none: str) -> str:
    """An amount in units; ``none`` where there is none."""
    return none if minor is None else f"{int(str(minor)) / 100:g}"


def told(case: Case, law: Law) -> Iterator[str]:
    """The text of a case with its findings, then the dues that it asks for, by the program."""
    verdicts = replayed()[case, law]
    yield marked(case, law, verdicts.findings)
    for kind, facts in groupby(case.facts, key=lambda fact: fact.split()[0]):
        first = next(facts)
        yield said(first, verdicts.findings) if kind == "says" else dues(first, verdicts.wagers)


def said(fact: str, findings: pl.DataFrame) -> str:
    """A text that stands in a finding."""
    return (
        fact if any(fact.removeprefix("says ") in message for message in findings["message"]) else "says nothing of it"
    )


@pytest.mark.parametrize("clause", BLOCKS)
def test_rounds(clause: str) -> None:
    for case in BLOCKS[clause]:
        for law in case.laws:
            by_kind = groupby(case.facts, key=lambda fact: fact.split()[0])
            assert [*told(case, law)] == [case.marked, *("; ".join(facts) for _, facts in by_kind)], law
