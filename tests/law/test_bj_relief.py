"""Black Jack: what split and doubled bets lose against the bank's Black Jack (57/2009 arts. 10(7), 12(2), 16(6), 17(3))."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from replayer.contract.rules import Rules
from replayer.contract.wagers import Due
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from tests.law.rules import rules
from tests.law.seats import due

SPLIT = "T +8 +8 .split b$split +T .stand b+K b.stand"
TWO_OF_THREE_BUST = "T +8 +8 .split b$split +T .hit +9 b+8 b.split c$split b+2 b.hit b+K b.hit b+5 c+T c.stand"
DOUBLED = "T +6 +5 .double $double +9"
DOUBLED_BUST = "T +6 +6 .double $double +T"
SPLIT_AND_DOUBLED = "T +8 +8 .split b$split +3 .double $double +9 b+K b.stand"


def wagers(history: str) -> list[tuple[str, int]]:
    """The wagers that a seat history places, beside the main one."""
    placed = [("main", 0)]
    for word in history.split():
        letter, dollar, kind = word.partition("$")
        if dollar:
            placed.append((kind, ord(letter) - ord("a") if letter else 0))
    return placed


def dues(history: str, law: Rules | None = None, bank: str = "bj") -> list[Due]:
    return [due(history, bank, law, kind, hand) for kind, hand in wagers(history)]


def nets(history: str, law: Rules | None = None, bank: str = "bj") -> list[Fraction | None]:
    return [each.odds for each in dues(history, law, bank)]


def test_bj9_split_21_in_two_cards_against_black_jack() -> None:
    history = "T +A +A .split b$split +K b+5"
    law = rules()
    with law.readings.consulted() as asked:
        assert nets(history, law) == [-1, 0]
    assert "BJ-9" in asked
    assert [due.steps[-1].text for due in dues(history, rules(readings={"BJ-9": "tie"}))] == [
        "21 against 21: a tie, the stake goes back",
        "the bank has Black Jack: lost",
    ]
    assert nets(history, rules(readings={"BJ-9": "tie"})) == [0, -1]
    both = "T +A +A .split b$split +K b+K"
    assert nets(both, rules(readings={"BJ-9": "lose"})) == [-1, 0]
    assert nets(both, rules(readings={"BJ-9": "tie"})) == [0, 0]
    stays = dues(both, rules(readings={"BJ-9": "lose"}))[1]
    assert (stays.article, stays.steps[-1].text) == (
        "57/2009 art. 16(6)",
        "the bank has Black Jack: this stake goes back",
    )
    bust = dues("T +8 +8 .split b$split +T .stand b+K b.hit b+K")[1]
    assert (bust.odds, bust.article, bust.steps[-1].text) == (-1, "57/2009 art. 7(2)", "over 21: lost")
    old = rules(DSEF_56_2004, readings={"BJ-9": "tie"})
    assert nets(history, old) == [0, -1]


def test_under_every_reading_the_loss_lies_between_the_initial_bet_and_all_of_it() -> None:
    choices = {
        "BJ-10": ("special_first", "all_optional", "always"),
        "BJ-11": ("yes", "no"),
        "BJ-12": ("max", "total_initial", "keep_busted_plus_initial"),
        "BJ-13": ("yes", "para1_only"),
    }
    for chosen in product(*choices.values()):
        law = rules(readings=dict(zip(choices, chosen, strict=True)))
        for history in (SPLIT, DOUBLED, DOUBLED_BUST, SPLIT_AND_DOUBLED, TWO_OF_THREE_BUST):
            settled = nets(history, law)
            assert set(settled) <= {-1, 0}
            assert 1 <= -sum(odds or 0 for odds in settled) <= len(settled)
