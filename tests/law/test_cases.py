"""The law clause by clause: histories of seats, banks, deals and hands as text, with what is found in them and what is due.

``tests/law/cases/*.txt`` (:mod:`tests.law.case_files`) has them in the words of :mod:`tests.law.notation`::

    ; art. 16(2): a stake on each hand
    6 +8 +8 .split <SPLIT_NOT_STAKED> +T .stand b+T b.stand
    [56/2004|57/2009 BJ-9=tie] T +8 +8 .split b$split +T .stand b+K b.stand  => vs bj 21: main -1, b.split 0 [16(6)]

A finding is ``<CODE>``, ``<CODE:6(5)>`` with its article, ``<CODE?>`` if it depends on what other places do; nothing else may be
found. The moment of a decision is ``/dealt``, ``/later`` (another card came), ``/checked`` (the hidden card was looked at) or
``/opened``. Behind ``=>`` stands what else is asked:

- ``is`` the outcome (:mod:`tests.law.outcomes`); ``waits``, ``waits for Black Jack``, ``waits for nothing``
- ``unjudged`` why: must stand there where it is so
- ``open`` the decisions that are open, ``draws`` or ``stands`` (the bank): of a history that goes on
- ``due`` what each wager on a seat's ``first`` cards is due
- ``unchecked`` what the log does not let be checked
- ``vs`` the bank's outcomes: what each wager is due, with its article; ``b.split`` that on the second hand, ``?`` not known
- ``asks`` the rulings that all this depends on; ``says``, ``does not say`` what stands in each finding's message
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from replayer.game import Game
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.outcomes import Judgement
from replayer.wagers import WagerSituation
from tests.law import outcomes
from tests.law.case_files import LAWS, Case, Law, blocks, place_in
from tests.law.notation import FOUND, bank_draws, judge_bank, judge_round, judge_seat
from tests.law.rules import rules
from tests.law.seats import CHECKED, DEALT, LATER, OPENED
from tests.law.states import first_cards_of, open_to

MOMENTS = {"/dealt": f"/{DEALT}", "/later": f"/{LATER}", "/checked": f"/{CHECKED}", "/opened": f"/{OPENED}"}
BANKS = ("hand", "natural", "nothing")
"""What a bank's history begins with; a round's with its bets, a seat's with the bank's open card."""
FATES = ("raised", "folded", "alone", "null", "void")
"""What the outcome of a hand at Fortune begins with, in place of a history."""
BLOCKS = blocks(Path(__file__).parent / "cases")


class Asked:
    """What the program says of a case under a law, as the file says it."""

    def __init__(self, case: Case, law: Law) -> None:
        self._case = case
        self._text = re.sub("|".join(MOMENTS), lambda moment: MOMENTS[moment[0]], case.history)
        self._under = rules(LAWS[law.version], dict(law.readings), law.recorded, **dict(law.options))
        self._game: Game = FORTUNE if law.version in ("78/2008", "97/2008") else BLACK_JACK
        begin = self._text.split()[0]
        self._of = "bank" if begin in BANKS else "round" if begin.startswith("w:") else "seat"
        self._on_first_cards = begin == "first"

    def told(self) -> tuple[str, ...]:
        """The history with what is found in it, and the answers."""
        goes_on = any(fact.startswith(("open", "draws", "stands", "due")) for fact in self._case.facts)
        with self._under.readings.consulted() as asked:
            history = self._case.marked if goes_on else self._marked()
            facts = [fact if fact.startswith("asks") else self._answer(fact) for fact in self._case.facts]
            if not goes_on and self._judged.unjudged and not any(fact.startswith("unjudged") for fact in facts):
                facts.append(self._answer("unjudged"))
        hangs = f"asks {' '.join(sorted(asked)) or 'nothing'}"
        return (history, *(hangs if fact.startswith("asks") else fact for fact in facts))

    @cached_property
    def _judged(self) -> Judgement[Any]:
        if self._text.split()[0] in FATES:
            return Judgement(outcomes.hand(self._text))
        judge = {"bank": judge_bank, "round": judge_round, "seat": judge_seat}[self._of]
        return judge(self._game, self._text, self._under)

    def _marked(self) -> str:
        judged, (head, *words) = self._judged, self._case.history.split()
        found = f" {words.pop(0)}" if self._of == "round" and words and words[0] in FOUND else ""
        told = [head + found, *words]
        dealt_right = (judged.if_dealt_right.breach,) if judged.if_dealt_right else ()
        perhaps = (*judged.if_play_went_on, *judged.if_bank_played, *dealt_right)
        for breach in sorted((*judged.breaches, *perhaps), key=lambda each: each.code):
            told[breach.position] += self._case.found(breach.code, breach.article, perhaps=breach in perhaps)
        return " ".join(told)

    def _answer(self, fact: str) -> str:
        judged, (kind, *_) = self._judged, fact.split()
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
            case "due":
                return f"due {', '.join(self._due('', wager) for wager in fact.removeprefix('due ').split(', '))}"
            case "says":
                return fact if all(fact[5:] in breach.message for breach in judged.breaches) else "says nothing of it"
            case "does":
                return fact if not any(fact[13:] in breach.message for breach in judged.breaches) else "says it"
            case _:
                raise ValueError(f"{fact!r} asks for nothing")

    def _outcome(self) -> str:
        outcome = self._judged.outcome
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
        told = {bank: ", ".join(self._due(bank, wager) for wager in wagers.split(", ")) for bank in banks.split()}
        return next((f"vs {bank}: {dues}" for bank, dues in told.items() if dues != wagers), fact)

    def _due(self, bank: str, wager: str) -> str:
        name, _, expected = wager.partition(" ")
        letter, _, kind = name.rpartition(".")
        against = bank if bank == "???" else bank.replace("_", " ").replace("?", "")
        bank_of = outcomes.croupier if self._game is FORTUNE else outcomes.bank
        hand = "abcdefghi".index(letter or "a")
        if self._on_first_cards:
            situation = WagerSituation(
                kind, hand, first_cards=first_cards_of(self._game, self._text.removeprefix("first"))
            )
        else:
            situation = WagerSituation(kind, hand, self._judged.outcome, bank_of(against))
        due = self._game.settlement.due(situation, self._under)
        place = f" [{place_in(due.article)}]" if "[" in expected else ""
        doubt = "".join(f" <{breach.code}>" for breach in due.breaches)
        return f"{name} {'?' if due.odds is None else due.odds}{place}{doubt}"


@pytest.mark.parametrize("clause", BLOCKS)
def test_case(clause: str) -> None:
    for case in BLOCKS[clause]:
        for law in case.laws:
            assert Asked(case, law).told() == (case.marked, *case.facts), law
