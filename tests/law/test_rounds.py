"""Rounds through the whole engine: what their wagers are due and what is found, as text.

``tests/golden/CODE.txt`` has for each code that can be found a table-day in which nothing is, and one that trips it, both in the
notation of rounds; ``tests/law/rounds/*.txt`` the clauses and rulings of which payments depend. Each case
(:mod:`tests.law.case_files`) is a table-day::

    ; X-7: a late wager counts or is void
    [X-7=void] 1.main=100 nomore 1+Kc 1.main=50 <WAGER_AFTER_CLOSE:5(1)> B+6h 1+Qd 1.stand B+Th B+5d end
        => main -100; main 0 [5(1)] {X-7}

Implied are a table on a day of the version (``day=`` names another one), its options, authorised, its cards, prepared, where the
case tells of no first shuffle, and its closing, where it tells of none. A text that begins with the opening or with a dealer has
nothing before it. A finding stands behind the event at which it must show; in the files of clauses those of what is left out
(:data:`LEFT_OUT`) are passed over where a case names none. Behind ``=>`` stands what else is asked:

- ``main@p1 -100 of 100 paid 0 judged [9] {X-7} "why"`` all wagers of a kind, in the order placed: whose, what each is due (``?``
  not known), of what stake, how much was paid (``-`` nothing), its status, the place of its article, the rulings that it rests
  on, why it is not judged; of all this as much as is asked. ``main nothing``: there is no such wager
- ``OVERPAID 100`` all findings of a code: how much too much was paid; ``CLOSED_AGAIN 0 -> 500`` what stood in the books and what
  was to stand there
- ``says`` what stands in a finding's message, ``unchecked`` what the log does not let be checked, and how often

What no word can tell is said at the end of an event's word: ``<lost>`` it is not on the log, ``<twice>`` it stands there twice,
``<or:WORD>`` another event has its number too, ``<set:COLUMN=VALUE>`` its column has that value, none where none is given,
``<sealed>`` a part ends with it.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path

import polars as pl
import pytest

from replayer.engine.replay_settings import ReplaySettings
from replayer.log.columns import FLAT, TableDay
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.finding import CODES
from schemas.notation import split_words
from tests.law.case_files import Case, Law, blocks, place_in
from tests.law.one_round import BURNED, DAYS, FORTUNE_DAYS, authorised
from tests.texts import CLOSED, frame_of, opened

BLOCKS = blocks(Path(__file__).parents[1] / "golden") | blocks(Path(__file__).parent / "rounds")
UNVERIFIED = "LAW_TEXT_UNVERIFIED"
"""A mark of how sure a payment is, found wherever a text is not at hand: passed over where no case names it."""
LEFT_OUT = {UNVERIFIED, "WAGER_UNSETTLED", "CLOSE_MISSING"}
"""What is found of a round for what is left out of its text on purpose."""
STATUS = "judged|unsettled|void|unjudged"


def is_event(word: str) -> bool:
    """Whether a word of the notation is an event."""
    return not word.startswith(("#", "@"))


def begun(case: Case, law: Law) -> str:
    """The text of a table up to the round of a case."""
    if case.history.startswith(("open:", "dealer+")):
        return ""
    game = "fortune_3_card_poker" if law.version in FORTUNE_DAYS else "black_jack"
    options = (each for each in law.options if each[0] != "day")
    prepared = "shuffle:1:" not in case.history
    return f"{opened(authorised(options), game, prepared=prepared, burned=BURNED[game])} #1"


def whole(case: Case, law: Law, text: str) -> list[str]:
    """The words of a case's table-day, in which its history is as a text has it."""
    return split_words(f"{begun(case, law)} {text} {'' if 'drop=' in text else CLOSED}")


def table_of(case: Case, law: Law) -> TableDay:
    """A case as a log has it."""
    day = dt.date.fromisoformat(dict(law.options).get("day") or (DAYS | FORTUNE_DAYS)[law.version])
    words = whole(case, law, case.history)
    plain = [word.partition("<")[0] for word in words]
    events = frame_of(" ".join(plain), day)
    if plain == words:
        return TableDay("T1", day, events)
    rows, logged, ends = iter(events.to_dicts()), list[dict[str, object]](), [0]
    for number, word in enumerate(words):
        same = [next(rows)] if is_event(word) else []
        match word.removesuffix(">").removeprefix(plain[number]).partition(":"):
            case ("", _, _):
                pass
            case ("<lost", _, _):
                same = []
            case ("<twice", _, _):
                same *= 2
            case ("<or", _, other):
                same += frame_of(" ".join([*plain[:number], other]), day)[-1].to_dicts()
            case ("<set", _, change):
                column, _, value = change.partition("=")
                same = [same[0] | {column: value or None}]
            case ("<sealed", _, _):
                ends.append(len(logged) + 1)
            case _:
                raise ValueError(f"{word!r} says nothing of an event")
        logged += same
    parts = tuple(end - begin for begin, end in pairwise((*ends, len(logged)))) if len(ends) > 1 else ()
    return TableDay("T1", day, pl.DataFrame(logged, schema=FLAT), parts=parts)


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
    """The text of a case's table-day with what was found in it."""
    words = whole(case, law, case.history)
    events = [number for number, word in enumerate(words) if is_event(word)]
    left_out = {UNVERIFIED} if case.of_a_code else LEFT_OUT
    for code, article, seq in findings.sort("code", "article").select("code", "article", "seq").rows():
        if code not in left_out - case.codes:
            words[events[seq - 1]] += case.found(code, article, law)
    return " ".join(words)


def answer(fact: str, verdicts: Replayed, law: Law) -> str:
    """What a fact asks for, by the program; of a kind of wagers or findings all of them."""
    name, _, rest = fact.partition(" ")
    kind = name.partition("@")[0]
    if kind == "says":
        return fact if any(rest in message for message in verdicts.findings["message"]) else "says nothing of it"
    if kind == "unchecked":
        checks = json.loads(verdicts.table_days["not_checked"].item())
        return f"unchecked {', '.join(f'{check} {count}' for check, count in checks.items()) or 'nothing'}"
    if kind in CODES:
        rows = verdicts.findings.filter(code=kind).rows(named=True)
        return "; ".join(f"{kind} {change(row) if '->' in rest else money(row['delta_minor'], '-')}" for row in rows)
    wagers = verdicts.wagers.filter(wager=kind).sort("placed_seq").rows(named=True)
    return "; ".join(due(fact, row, law) for row in wagers) or f"{kind} nothing"


def change(row: dict[str, object]) -> str:
    """What stood in the books before and what was to stand there."""
    return f"{row['before'] or '-'} -> {row['after']}"


def due(fact: str, row: dict[str, object], law: Law) -> str:
    """``main@p1 550 of 500 paid 500 judged [14(1)] {BJ-38}``: one wager as far as it is asked for."""
    whose = f"@{row['player'] or '-'}" * ("@" in fact)
    known = [f"{row['wager']}{whose}", money(row["due_minor"], "?")]
    known += [f"of {money(row['stake_minor'], '-')}"] * bool(re.search(r" of [\d-]", fact))
    known += [f"paid {money(row['paid_minor'], '-')}"] * (" paid " in fact)
    known += [row["status"]] * bool(re.search(rf" ({STATUS})\b", fact))
    known += [f"[{place_in(str(row['article']), law)}]"] * ("[" in fact)
    known += ["{" + str(row["rulings"]) + "}"] * ("{" in fact)
    known += [f'"{row["reason"]}"'] * ('"' in fact)
    return " ".join(map(str, known))


def money(minor: object, none: str) -> str:
    """An amount in units; ``none`` where there is none."""
    return none if minor is None else f"{int(str(minor)) / 100:g}"


@pytest.mark.parametrize("clause", BLOCKS, ids=str)
def test_rounds(clause: str) -> None:
    for case in BLOCKS[clause]:
        for law in case.laws:
            verdicts = replayed()[case, law]
            assert marked(case, law, verdicts.findings) == " ".join(whole(case, law, case.marked)), law
            for _, facts in groupby(case.facts, key=lambda fact: re.match(r"\w+", fact)[0]):
                first, *others = facts
                assert answer(first, verdicts, law) == "; ".join((first, *others)), law


def test_no_sentence_names_a_wager_or_a_decision_as_the_log_does() -> None:
    for (case, law), verdicts in replayed().items():
        raw = set(re.findall(r"\.([a-z]+_\w+)", case.history))
        quoted = re.compile("'[^']*'")
        said = {
            word for message in verdicts.findings["message"] for word in re.findall(r"\w+", quoted.sub("", message))
        }
        assert not raw & said, (case.history, law)
