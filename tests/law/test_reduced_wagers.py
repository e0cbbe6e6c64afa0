"""What a due does not turn on is taken from a wager before it is asked: nothing that it is due changes by that."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import pytest

from replayer.contract.game import AnyWager, Game
from replayer.contract.rules import AnyRules
from replayer.contract.wagers import WagerSituation
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.black_jack.hand import CLOSED
from replayer.law.black_jack.outcome import BANK_NATURAL, BankOutcome, HandOutcome, SeatOutcome
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.law.fortune_3_card_poker.cards import HANDS, NOT_KNOWN
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from replayer.law.fortune_3_card_poker.despacho_97_2008 import DSEF_97_2008
from replayer.law.fortune_3_card_poker.outcome import BankOutcome as Croupier
from replayer.law.fortune_3_card_poker.outcome import SeatOutcome as Player
from tests.law.outcomes import three
from tests.law.rules import VERSIONS, rules

FLAGS = ("split", "resplit", "early", "shared", "half_agreed", "staked_late", "bare")
BANKS = (None, BANK_NATURAL, *(BankOutcome(points) for points in (None, 17, 21, 22)))


Sequenced = tuple[object, frozenset[str]]


def settled(game: Game, wager: AnyWager, law: AnyRules) -> Sequenced:
    """What a wager is due, and the rulings that this rests on."""
    with law.readings.consulted() as rulings:
        due = game.settlement.due(wager, law)
    return due, frozenset(rulings)


def looked_up(game: Game, wager: AnyWager, law: AnyRules) -> Sequenced:
    """The same, in its narrowest terms."""
    with law.readings.consulted() as rulings:
        if wager.kind in game.wagers.hand and game.settlement.meets(wager.seat, wager.hand, wager.bank):
            compared = game.settlement.comparison
            wager = wager if compared is None else wager._replace(bank=compared.met(wager.seat, wager.bank, law))
        due = game.settlement.due(game.settlement.reduced(wager), law)
    return due, frozenset(rulings)


def hands() -> Iterator[HandOutcome]:
    """Hands of every ending, with any two things that may be told of how they came about."""
    flags = [chosen for count in (0, 1, 2) for chosen in combinations(FLAGS, count)]
    for points, ending, doubled, chosen in product((17, 21, 22), ("", *sorted(CLOSED)), ("", "first_two"), flags):
        yield HandOutcome(points, False, ending, doubled, **dict.fromkeys(chosen, True))
        if points == 21 and not ending:
            yield HandOutcome(points, True, "", doubled, **dict.fromkeys(chosen, True))
            yield HandOutcome(points, False, "", doubled, prize=True, **dict.fromkeys(chosen, True))
            if "split" in chosen:
                yield HandOutcome(points, False, "", doubled, split_21=True, **dict.fromkeys(chosen, True))


@pytest.mark.parametrize("version", ["141/2000", "57/2009"])
def test_a_hand_at_black_jack_is_due_the_same_without_what_matters_against_black_jack_only(version: str) -> None:
    """And where it does not meet the bank's points, whatever these are."""
    law = rules(VERSIONS[version])
    other = HandOutcome(20, split=True)
    for own, bank, kind in product(hands(), BANKS, sorted(BLACK_JACK.wagers.play)):
        seat = SeatOutcome("T", (other, own) if own.split else (own,))
        wager = WagerSituation(kind, len(seat.hands) - 1, seat, bank)
        due = settled(BLACK_JACK, wager, law)
        assert looked_up(BLACK_JACK, wager, law) == due, wager
        if bank == BankOutcome(17) and not BLACK_JACK.settlement.meets(seat, wager.hand, bank):
            assert settled(BLACK_JACK, wager._replace(bank=BankOutcome(21)), law) == due, wager


@pytest.mark.parametrize("regulation", [DSEF_78_2008, DSEF_97_2008], ids=["78/2008", "97/2008"])
def test_a_hand_at_fortune_is_due_the_same_as_another_one_of_its_combination_that_met_the_croupiers_alike(
    regulation: object,
) -> None:
    law = rules(regulation)
    for hand, croupier in product(HANDS, (*map(three, ("KQJ", "J92", "AKQs")), NOT_KNOWN)):
        for fate, kind in product(("raised", "folded", "alone"), sorted(FORTUNE.wagers.play)):
            wager = WagerSituation(kind, 0, Player(fate, hand), Croupier(croupier))
            assert looked_up(FORTUNE, wager, law) == settled(FORTUNE, wager, law), wager


def test_whether_a_hand_is_compared_turns_on_nothing_of_the_bank_but_its_fate() -> None:
    """One hand of the bank stands for all of its fate when the dues of a hand are looked up."""
    black_jack = (
        [SeatOutcome("T", (own,)) for own in hands()],
        [BankOutcome(points) for points in (None, *range(17, 23))],
    )
    fortune = [Player(fate, hand) for fate in ("raised", "folded") for hand in HANDS], [*map(Croupier, HANDS)]
    for game, (seats, banks) in ((BLACK_JACK, black_jack), (FORTUNE, fortune)):
        first = {bank.fate: bank for bank in reversed(banks)}
        for seat, bank in product(seats, banks):
            compared = game.settlement.meets(seat, 0, bank)
            assert compared == game.settlement.meets(seat, 0, first[bank.fate]), (seat, bank)
