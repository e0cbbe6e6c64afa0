"""The law clause by clause: histories of seats, banks, deals and hands as text, with what is found in them and what is due.

``tests/law/cases/*.txt`` has them in the words of :mod:`tests.law.notation`, a block a clause::

    ; art. 16(2): a stake on each hand
    6 +8 +8 .split <SPLIT_NOT_STAKED> +T .stand b+T b.stand
    [56/2004|57/2009 BJ-9=tie] T +8 +8 .split b$split +T .stand b+K b.stand  => vs bj 21: main -1, b.split 0 [16(6)]

Each finding stands behind the word that it points at, ``<CODE:6(5)>`` with its article, ``<CODE?>`` one that depends on what the
other places do; nothing else may be found. In brackets stands what is not usual in the file: the version, options elected and
readings by their names, ``+totals`` what the log tells at all. A case holds for each of ``this|that`` and for what stands on
either side of ``or``; ``every`` is each version of Black Jack. A file's head may name its law (``; under``) and abbreviations
(``NAME = words``). The moment of a decision is ``/dealt``, ``/later`` (another card came), ``/checked`` (the hidden card was
looked at) or ``/opened``. Behind ``=>`` stands what else is asked:

- ``is`` the outcome (:mod:`tests.law.outcomes`); ``waits``, ``waits for Black Jack``, ``waits for nothing``
- ``unjudged`` why: must stand there where it is so
- ``open`` the decisions that are open, ``draws`` or ``stands`` (the bank): of a history that goes on
- ``unchecked`` what the log does not let be checked
- ``vs`` the bank's outcomes: what each wager is due, with its article; ``b.split`` that on the second hand, ``?`` not known
- ``asks`` the rulings that all this depends on; ``says``, ``does not say`` what stands in each finding's message
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from replayer.game import Game
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.black_jack.house_rules import HOUSE_RULES
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from replayer.law.fortune_3_card_poker.despacho_97_2008 import DSEF_97_2008
from replayer.outcomes import Judgement
from replayer.rules import AnyRules
from replayer.wagers import WagerSituation
from tests.law import outcomes
from tests.law.notation import FOUND, bank_draws, judge_bank, judge_round, judge_seat
from tests.law.rules import VERSIONS, rules
from tests.law.seats import CHECKED, DEALT, LATER, OPENED
from tests.law.states import open_to

CASES = Path(__file__).parent / "cases"
LAWS = {**VERSIONS, "house": HOUSE_RULES, "78/2008": DSEF_78_2008, "97/2008": DSEF_97_2008}
MOMENTS = {"/dealt": f"/{DEALT}", "/later": f"/{LATER}", "/checked": f"/{CHECKED}", "/opened": f"/{OPENED}"}
EVERY = "|".join(VERSIONS)
BANKS = ("hand", "natural", "nothing")
"""What a bank's history begins with; a round's with its bets, a seat's with the bank's open card."""
FATES = ("raised", "folded", "alone", "null", "void")
"""What the outcome of a hand at Fortune begins with, in place of a history."""


@dataclass(frozen=True)
class Case:
    """A line of a file: the laws that it is about, a history with its findings, what else is asked, each with its answer."""

    laws: tuple[str, ...]
    marked: str
    facts: tuple[str, ...]

    def told(self, law: str) -> tuple[str, ...]:
        """The history with what is found in it, and the answers, by the program."""
        named, *chosen = law.split()
        readings = dict(word.split("=") for word in chosen if re.match(r"[A-Z]+\d?-", word))
        elected = dict(word.split("=") for word in chosen if word[0] != "+" and word.split("=")[0] not in readings)
        under = rules(LAWS[named], readings, (word[1:] for word in chosen if word[0] == "+"), **elected)
        with under.readings.consulted() as asked:
            asking = Asked(self.marked, under)
            history = self.marked if self._goes_on else asking.marked_as(self.marked)
            facts = [fact if fact.startswith("asks") else asking.answer(fact) for fact in self.facts]
            if not self._goes_on and asking.judged.unjudged and not any(fact.startswith("unjudged") for fact in facts):
                facts.append(asking.answer("unjudged"))
        hangs = f"asks {' '.join(sorted(asked)) or 'nothing'}"
        return (history, *(hangs if fact.startswith("asks") else fact for fact in facts))

    @property
    def _goes_on(self) -> bool:
        return any(fact.startswith(("open", "draws", "stands")) for fact in self.facts)


class Asked:
    """What the program says of a history, as a file says it."""

    def __init__(self, marked: str, under: AnyRules) -> None:
        self._text = re.sub("|".join(MOMENTS), lambda moment: MOMENTS[moment[0]], re.sub(r" <[^>]*>", "", marked))
        self._under = under
        self._game: Game = FORTUNE if under.regulation in (DSEF_78_2008, DSEF_97_2008) else BLACK_JACK
        begin = self._text.split()[0]
        self._of = "bank" if begin in BANKS else "round" if begin.startswith("w:") else "seat"

    @cached_property
    def judged(self) -> Judgement[Any]:
        """The judgement of the history as it is."""
        if self._text.split()[0] in FATES:
            return Judgement(outcomes.hand(self._text))
        judge = {"bank": judge_bank, "round": judge_round, "seat": judge_seat}[self._of]
        return judge(self._game, self._text, self._under)

    def marked_as(self, expected: str) -> str:
        """The history with its findings, which name their articles where those of the file do."""
        head, *words = re.sub(r" <[^>]*>", "", expected).split()
        found = f" {words.pop(0)}" if self._of == "round" and words and words[0] in FOUND else ""
        told = [head + found, *words]
        cites = ":" in "".join(re.findall("<[^>]*>", expected))
        dealt_right = self.judged.if_dealt_right
        perhaps = (
            *self.judged.if_play_went_on,
            *self.judged.if_bank_played,
            *([dealt_right.breach] if dealt_right else ()),
        )
        for breach in sorted((*self.judged.breaches, *perhaps), key=lambda each: each.code):
            place = f":{breach.article.split('art. ')[1]}" if cites else ""
            told[breach.position] += f" <{breach.code}{place}{'?' * (breach in perhaps)}>"
        return " ".join(told)

    def answer(self, fact: str) -> str:
        """A fact as the program has it."""
        judged, (kind, *_) = self.judged, fact.split()
        match kind:
            case "is":
                return f"is {self._outcome()}"
            case "waits":
                return f"waits{'' if judged.awaits_bank else ' for Black Jack' if judged.awaits_natural else ' for nothing'}"
            case "unjudged":
                return f"unjudged {judged.unjudged}".strip()
            case "unchecked":
                return f"unchecked {' '.join(judged.not_checked) or 'nothing'}"
            case "open":
                return f"open {' '.join(sorted(open_to(self._game, self._text, 0, self._under))) or 'nothing'}"
            case "draws" | "stands":
                return "draws" if bank_draws(self._game, self._text, self._under) else "stands"
            case "vs":
                return self._dues(fact)
            case "says":
                return fact if all(fact[5:] in breach.message for breach in judged.breaches) else "says nothing of it"
            case "does":
                return fact if not any(fact[13:] in breach.message for breach in judged.breaches) else "says it"
            case _:
                raise ValueError(f"{fact!r} asks for nothing")

    def _outcome(self) -> str:
        outcome = self.judged.outcome
        match self._of:
            case "round":
                return f"void by {outcome.invalid_by}" if outcome.invalid_by else "valid"
            case "bank":
                return outcomes.shown_bank(outcome)
            case _:
                return outcomes.shown_seat(outcome)

    def _dues(self, fact: str) -> str:
        """``vs bj no_bj: main -1, b.split 0 [16(6)]`` as it is against each of them; the first one that differs."""
        banks, _, wagers = fact.removeprefix("vs ").partition(": ")
        told = {}
        for bank in banks.split():
            dues = []
            for wager in wagers.split(", "):
                name, _, expected = wager.partition(" ")
                letter, _, kind = name.rpartition(".")
                against = bank.replace("_", " ").replace("?", "") if bank != "???" else bank
                bank_of = outcomes.croupier if self._game is FORTUNE else outcomes.bank
                hand = "abcdefghi".index(letter or "a")
                situation = WagerSituation(kind, hand, self.judged.outcome, bank_of(against))
                due = self._game.settlement.due(situation, self._under)
                place = f" [{due.article.split('art. ')[1]}]" if "[" in expected else ""
                doubt = "".join(f" <{breach.code}>" for breach in due.breaches)
                dues.append(f"{name} {'?' if due.odds is None else due.odds}{place}{doubt}")
            told[bank] = ", ".join(dues)
        differing = [f"vs {bank}: {dues}" for bank, dues in told.items() if dues != wagers]
        return differing[0] if differing else fact


def laws_of(text: str, base: str) -> tuple[str, ...]:
    """The laws that a line names beside what the whole file is under: of each word every choice."""
    laws = []
    for law in text.split(" or ") if text else [""]:
        words = f"{base} {law}".replace("every", EVERY).split()
        named = [word for word in words if word.split("|")[0] in LAWS]
        chosen = [word for word in words if word not in named]
        options = [
            [f"{word.partition('=')[0]}={value}" for value in word.partition("=")[2].split("|")]
            if "=" in word
            else [word]
            for word in chosen
        ]
        laws += [" ".join(each) for each in product(named[-1].split("|"), *options)]
    return tuple(laws)


def blocks() -> Iterator[tuple[str, list[Case]]]:
    """Every clause of every file with its cases."""
    for path in sorted(CASES.glob("*.txt")):
        base, short = "57/2009", {}
        for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
            title, cases = "", []
            for line in block.splitlines():
                if line.startswith("; under "):
                    base = line.removeprefix("; under ")
                elif line.startswith(";"):
                    title = title or line.removeprefix("; ")
                elif named := re.fullmatch(r"([A-Z]+) = (.*)", line):
                    short[named[1]] = named[2]
                else:
                    law, marked, facts = re.fullmatch(r"(?:\[(.*?)\] )?(.*?)(?:  => (.*?))?(?:  # .*)?", line).groups()
                    full = " ".join(short.get(word, word) for word in marked.split())
                    cases.append(Case(laws_of(law or "", base), full, tuple(facts.split("; ") if facts else ())))
            if cases:
                yield f"{path.stem}: {title}", cases


BLOCKS = dict(blocks())


@pytest.mark.parametrize("clause", BLOCKS)
def test_case(clause: str) -> None:
    for case in BLOCKS[clause]:
        for law in case.laws:
            assert case.told(law) == (case.marked, *case.facts), law


def test_nothing_in_a_file_is_passed_over() -> None:
    """Every block has a title of its own and cases, but for the head of a file."""
    texts = [block for path in CASES.glob("*") for block in path.read_text(encoding="utf-8").strip().split("\n\n")]
    assert len(BLOCKS) == sum(not re.match("; under|[A-Z]+ = ", block) for block in texts)
    assert all(title.partition(": ")[2] for title in BLOCKS)
