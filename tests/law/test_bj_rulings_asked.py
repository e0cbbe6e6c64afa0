"""Black Jack: a verdict names every ruling that could change it, and a ruling is asked for only where readings part."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from replayer.contract.outcomes import Awaited
from replayer.contract.rules import Rules
from replayer.contract.symbols import ADDITIONAL_CARD, BANK_OPEN, CARD_DEALT
from replayer.contract.wagers import WagerSituation
from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_42_2007 import DSEF_42_2007
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.house_rules import HOUSE_RULES
from replayer.law.rulings import register
from tests.law.notation import MOMENTS, judge_bank, judge_seat
from tests.law.rules import rules

DEALT, LATER = MOMENTS[CARD_DEALT], MOMENTS[CARD_DEALT | ADDITIONAL_CARD]
OPENED = MOMENTS[CARD_DEALT | ADDITIONAL_CARD | BANK_OPEN]
SEATS = (
    "$main +9 +8 .stand",
    "$main +9 +8 .hit +9",
    "$main +A +K",
    f"$main +A +K .even_money/{DEALT}",
    f"$main +A +K .even_money/{OPENED}",
    "$main +A +7 =8 .stand",
    "$main +T +9 $insurance .stand",
    f"$main +T +6 .surrender/{DEALT}",
    f"$main +T +6 .surrender/{LATER}",
    f"$main $main +2 +3 .hit +2 .hit +3 .hit +4 .five_card_half/{LATER}",
    "$main +7 +7 .hit +7",
    "$main +6c +7c .double $double +8c",
    "$main +7 +7 .split b$split +7 .hit +7 b+T b.stand",
    "$main +5 +6 .double $double +T",
    "$main +6 +6 .double $double +T",
    "$main +8 +8 .split b$split +T .stand b+6 b.hit b+K",
    "$main +A +A .split b$split +K b+5",
    "$main +A +A .split b$split +A .split c$split +K b+5 c+K",
    "$main +K +Q .split b$split +5 .stand b+5 b.stand",
    "$main +8 +8 .split b$split +T .hit +9 b+8 b.split c$split b+2 b.hit b+K b.hit b+5 c+T c.stand",
    "$main +8 +8 .split b$split +8 .split c$split +T .stand b+9 b.stand c+3 c.double $double c$double c+9",
)
BANKS = (
    "+T +A",
    "+T +9",
    "+A +6 +4",
    "+A +6 +2 +K",
    "+A +3 +3",
    "+T +6 +A",
    "+A +8 =9",
    "+T +7 -4",
    "+6 +T +9",
    "+A +K",
    "+T",
)

RULINGS = [ruling for ruling in register().values() if ruling.game == "black_jack" and len(ruling.readings) > 1]
VERSIONS = {"141": DCE_141_2000, "56": DSEF_56_2004, "42": DSEF_42_2007, "57": DSEF_57_2009, "57 hole": DSEF_57_2009}


class Court:
    """One law, that judges every seat and every bank once, however many they meet."""

    def __init__(self, law: Rules) -> None:
        self._law = law
        self._known: dict[tuple[Any, str], tuple[Any, set[str]]] = {}

    def _judged(self, judge: Callable[[Any, str, Rules], Any], text: str) -> tuple[Any, set[str]]:
        if (judge, text) not in self._known:
            with self._law.readings.consulted() as asked:
                judged = judge(GAME, text, self._law)
            self._known[judge, text] = judged, set(asked)
        return self._known[judge, text]

    def verdicts(self, seat: str, bank: str) -> tuple[object, set[str]]:
        """What all wagers of a seat are due and what breaks the rules, with the rulings asked for on the way."""
        judged, of_seat = self._judged(judge_seat, f"{GAME.seat.upcards[bank[1]]} {seat}")
        banks, of_bank = self._judged(judge_bank, f"{'hand' if judged.awaited is Awaited.HAND else 'nothing'} {bank}")
        placed = {("main", 0)}
        for word in seat.split():
            letter, dollar, kind = word.partition("$")
            if dollar:
                placed.add((kind, ord(letter) - ord("a") if letter else 0))
        with self._law.readings.consulted() as asked:
            dues = [
                GAME.settlement.due(WagerSituation(kind, hand, judged.outcome, banks.outcome), self._law).odds
                for kind, hand in sorted(placed)
            ]
        breaches = [breach.code for breach in (*judged.breaches, *banks.breaches)]
        return (dues, breaches), of_seat | of_bank | set(asked)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_ruling_that_changes_a_verdict_is_named(version: str) -> None:
    elected = {"bank_unseen_extra_valid": "yes"} if version != "141" else {}
    if version == "57 hole":
        elected["deal_procedure"] = "3"
    plain = Court(rules(VERSIONS[version], **elected))
    flipped = [
        (ruling.id, Court(rules(VERSIONS[version], {ruling.id: reading}, **elected)))
        for ruling in RULINGS
        for reading in ruling.readings[1:]
    ]
    mattered: set[str] = set()
    for seat, bank in product(SEATS, BANKS):
        settled, asked = plain.verdicts(seat, bank)
        for ruling, other in flipped:
            if other.verdicts(seat, bank)[0] != settled:
                assert ruling in asked, (ruling, seat, bank)
                mattered.add(ruling)
    assert len(mattered) > 9


def test_plain_rounds_depend_on_no_ruling() -> None:
    law = Court(rules())
    plain = ("$main +9 +8 .stand", "$main +9 +3 .hit +T", "$main +A +K", "$main +5 +6 .double $double +T")
    for seat, bank in product(plain, ("+6 +T +5", "+T +9", "+9 +8", "+T +7", "+6 +9 +K")):
        assert law.verdicts(seat, bank)[1] == set(), (seat, bank)


def test_house_rules_depend_on_no_ruling() -> None:
    law = Court(rules(HOUSE_RULES, surrender="yes", even_money="yes"))
    for seat, bank in product(SEATS, BANKS):
        if "five_card" not in seat and OPENED not in seat:
            assert law.verdicts(seat, bank)[1] == set(), (seat, bank)
