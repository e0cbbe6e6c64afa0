"""The law clause by clause: histories of seats, banks, deals and hands as text, with what is found in them and what is due.

``tests/law/cases/*.txt`` (:mod:`tests.law.case_files`) has them in the words of :mod:`tests.law.notation`::

    ; art. 16(2): a stake on each hand
    6 +8 +8 .split <SPLIT_NOT_STAKED> +T .stand b+T b.stand
    [56/2004|57/2009 BJ-9=tie] T +8 +8 .split b$split +T .stand b+K b.stand  => vs bj 21: main -1, b.split 0 [16(6)]

A finding is ``<CODE>``, ``<CODE:6(5)>`` with its article, ``<CODE?>`` if it depends on what other places do; nothing else may be
found. The moment of a decision is ``/dealt``, ``/later`` (another card came), ``/checked`` (the hidden card was looked at) or
``/opened``. A wager as it is placed, a streak by the letters of its rounds (:func:`tests.law.notation.carried`), and the button
that was moved behind them are histories as well::

    stake double 50 of 100 /dealt hand:b <STAKE_UNEQUAL>
    streak_3 WTWA <STREAK_ABANDONED>  => due -1 [13(5)(2)(vi)]
    button WTW 4 <BUTTON_MISPLACED>

Behind ``=>`` stands what else is asked:

- ``is`` the outcome (:mod:`tests.law.outcomes`); ``waits``, ``waits for Black Jack``, ``waits for nothing``
- ``unjudged`` why: must stand there where it is so
- ``open`` the decisions that are open, ``draws`` or ``stands`` (the bank): of a history that goes on
- ``due`` what each wager on a seat's ``first`` cards is due, or the streak (``nothing yet``), ``tells`` why
- ``counts`` the letter of the round for a streak ``vs`` the bank's outcomes
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

from replayer.contract.game import Game
from replayer.contract.outcomes import Awaited, Judgement
from replayer.contract.symbols import BANK_DEALT, BETS_CLOSED, CARD_DEALT
from replayer.contract.wagers import Due, StakeSituation, WagerSituation
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.black_jack.streak import Streak
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from schemas.money import parse_amount
from tests.law import outcomes
from tests.law.case_files import LAWS, Case, Law, blocks, place_in
from tests.law.notation import (
    FOUND,
    bank_draws,
    carried,
    judge_bank,
    judge_round,
    judge_seat,
    letter_of,
    run,
    streak_due,
)
from tests.law.notation import MOMENTS as LETTERS
from tests.law.rules import rules
from tests.law.seats import CHECKED, DEALT, LATER, OPENED
from tests.law.states import first_cards_of, open_to

MOMENTS = {"/dealt": f"/{DEALT}", "/later": f"/{LATER}", "/checked": f"/{CHECKED}", "/opened": f"/{OPENED}"}
BANKS = ("hand", "natural", "nothing")
"""What a bank's history begins with; a round's with its bets, a seat's with the bank's open card."""
PLACED = {"/closed": BETS_CLOSED, "/card": CARD_DEALT} | {
    at: LETTERS.index(letter[1]) | BANK_DEALT for at, letter in MOMENTS.items()
}
"""The moments of a wager."""
FATES = ("raised", "folded", "alone", "null", "void")
"""What the outcome of a hand at Fortune begins with, in place of a history."""
OWN = ("stake", "streak", "button")
"""Histories of wagers begin with a word of their own."""
_WAITS = {Awaited.HAND: "waits", Awaited.NATURAL: "waits for Black Jack", Awaited.NOTHING: "waits for nothing"}
BLOCKS = blocks(Path(__file__).parent / "cases")


class Asked:
    """What the program says of a case under a law, as the file says it."""

    def __init__(self, case: Case, law: Law) -> None:
        self._case, self._law = case, law
        self._text = re.sub("|".join(MOMENTS), lambda moment: MOMENTS[moment[0]], case.history)
        self._under = rules(LAWS[law.version], dict(law.readings), law.recorded, **dict(law.options))
        self._game: Game = FORTUNE if law.version in ("78/2008", "97/2008") else BLACK_JACK
        begin = self._text.split()[0]
        kind = begin[: 2 if begin.startswith("w:") else None].partition("_")[0]
        self._of = "bank" if begin in BANKS else {"w:": "round"}.get(kind, kind if kind in OWN else "seat")
        self._on_first_cards = begin == "first"

    def answers(self) -> tuple[str, ...]:
        """The history with what is found in it, and the answers."""
        goes_on = self._of != "streak" and any(
            fact.startswith(("open", "draws", "stands", "due")) for fact in self._case.facts
        )
        with self._under.readings.consulted() as asked:
            history = self._case.marked if goes_on else self._marked()
            facts = [fact if fact.startswith("asks") else self._answer(fact) for fact in self._case.facts]
            if not goes_on and self._judged.unjudged and not any(fact.startswith("unjudged") for fact in facts):
                facts.append(self._answer("unjudged"))
        rulings = f"asks {' '.join(sorted(asked)) or 'nothing'}"
        return (history, *(rulings if fact.startswith("asks") else fact for fact in facts))

    @cached_property
    def _judged(self) -> Judgement[Any]:
        if self._text.split()[0] in FATES:
            return Judgement(outcomes.hand(self._text))
        if self._of == "stake":
            return self._game.placing.judge(stake(self._case.history), self._under)
        if self._of == "button":
            _, streaks, *moved = self._text.split()
            rounds = [carried(letters) for letters in streaks.split(",")]
            after = [run(Streak(6), each, self._under)[0] for each in rounds]
            before = [run(Streak(6), each[:-1], self._under)[0] for each in rounds]
            shows = {streak.marker for streak in after}
            return BLACK_JACK.carried.judge_marker(shows, after != before, [*map(int, moved)], self._under)
        if self._of == "streak":
            kind, letters = self._text.split()
            due = streak_due(kind, carried(letters), self._under)
            return Judgement(due, due.breaches if due else ())
        judge = {"bank": judge_bank, "round": judge_round, "seat": judge_seat}[self._of]
        return judge(self._game, self._text, self._under)

    def _marked(self) -> str:
        judged, (head, *words) = self._judged, self._case.history.split()
        found = f" {words.pop(0)}" if self._of == "round" and words and words[0] in FOUND else ""
        text = [head + found, *words]
        conditional = tuple(each.breach for each in judged.conditional)
        perhaps = (*judged.if_play_went_on, *judged.if_bank_played, *conditional)
        for breach in sorted((*judged.breaches, *perhaps), key=lambda each: each.code):
            text[-1 if self._of in OWN else breach.position] += self._case.found(
                breach.code, breach.article, self._law, perhaps=breach in perhaps
            )
        return " ".join(text)

    def _answer(self, fact: str) -> str:
        judged, (kind, *_) = self._judged, fact.split()
        match kind:
            case "is":
                return f"is {self._outcome()}"
            case "waits":
                return _WAITS[judged.awaited]
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
            case "due" if self._of == "streak":
                return f"due {_shown(judged.outcome, fact, self._law) if judged.outcome else 'nothing yet'}"
            case "tells":
                return f"tells {judged.outcome.steps[0].text}"
            case "counts":
                return self._counts(fact)
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
        dues = {bank: ", ".join(self._due(bank, wager) for wager in wagers.split(", ")) for bank in banks.split()}
        return next((f"vs {bank}: {due}" for bank, due in dues.items() if due != wagers), fact)

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
        return " ".join((name, _shown(due, expected, self._law), *(f"<{breach.code}>" for breach in due.breaches)))

    def _counts(self, fact: str) -> str:
        """``counts W vs 18 bust`` as it is against each of them; the first one that differs."""
        _, expected, _, *banks = fact.split()
        for bank in banks:
            counted = letter_of(BLACK_JACK.carried.result(self._judged.outcome, outcomes.bank(bank), self._under))
            if counted != expected:
                return f"counts {counted} vs {bank}"
        return fact


def _shown(due: Due, expected: str, law: Law) -> str:
    return f"{'?' if due.odds is None else due.odds}{f' [{place_in(due.article, law)}]' * ('[' in expected)}"


def stake(text: str) -> StakeSituation:
    """A wager as it is placed: 100 on a base wager of 100 where it says nothing else."""
    words = text.split()[1:]
    said = {name: value for name, colon, value in (word.partition(":") for word in words) if colon}
    kind, *amounts = (word for word in words if ":" not in word and word[0] != "/")
    base = amounts[amounts.index("of") + 1] if "of" in amounts else "100"
    return StakeSituation(
        kind,
        "abc".index(said.pop("hand", "a")),
        sum({1 << bit for bit in range(6) for word in words if word in PLACED and PLACED[word] >> bit & 1}),
        parse_amount(amounts[0]) if amounts and amounts[0] != "of" else 100_00,
        None if base == "nothing" else parse_amount(base),
        int(said.pop("position")) if "position" in said else None,
        **{name: int(value) if value.isdecimal() else tuple(value.split(",")) for name, value in said.items()},
    )


@pytest.mark.parametrize("clause", BLOCKS, ids=str)
def test_case(clause: str) -> None:
    for case in BLOCKS[clause]:
        for law in case.laws:
            assert Asked(case, law).answers() == (case.marked, *case.facts), law
