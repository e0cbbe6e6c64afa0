"""The two ways to judge are one: a table's steps, where they tell, say what the whole history says, on the same rulings.

Histories are made at random, of everything that may stand in one, lawful or not, under every version and reading.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, reduce
from typing import Any

import pytest

from replayer.contract.game import Game
from replayer.contract.outcomes import Judgement
from replayer.contract.rules import TURNS, AnyRules
from replayer.contract.symbols import History
from replayer.engine.evaluator import Automata
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.black_jack.outcome import Untold
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from replayer.law.fortune_3_card_poker.despacho_97_2008 import DSEF_97_2008
from replayer.law.rulings import register
from tests.law.notation import bank_history, round_history, seat_history
from tests.law.rules import VERSIONS, rules
from tests.oracle.rounds import elected, some_house
from tests.shares import few

AWAITED = ("hand", "natural", "nothing")
NOT_RECORDED = ("", "", "", "faces", "decisions", "deal_order", "times", "hole_check", "close shuffle cut burn")
TOLD = ((), (), ("totals",), ("turns", "stands"), ("totals", "turns"))
OTHER_READINGS = [(ruling.id, reading) for ruling in register().values() for reading in ruling.readings[1:]]


def some_readings(dice: random.Random) -> dict[str, str]:
    """The default ones for the most part, one other, or many."""
    return dict(dice.sample(OTHER_READINGS, dice.choice((0, 0, 1, len(OTHER_READINGS) // 2))))


def by_steps(game: Game, of: str, history: History[Any, Any], law: AnyRules) -> Judgement[Any] | None:
    """A history through its machines, step by step; None where these do not tell."""
    begin, symbols = history
    machines: Any = getattr(_automata_of(game), of)
    ends = tuple(_end(machine, symbols, law) for machine in machines.begins(begin, law))
    return None if None in ends else machines.judged(ends, begin, law)


_automata_of = cache(Automata.of)


def _end(machine: Any, symbols: Sequence[Any], law: AnyRules) -> Any:
    return reduce(lambda state, symbol: None if state is None else state.after(symbol, law), symbols, machine)


def at_once(game: Game, of: str, history: History[Any, Any], law: AnyRules) -> Judgement[Any]:
    """The history judged as a whole."""
    judgement: Judgement[Any] = getattr(game, of).judge(history, law)
    return judgement


def asked(
    law: AnyRules, question: Callable[..., Any], game: Game, of: str, history: History[Any, Any]
) -> tuple[Judgement[Any] | None, set[str]]:
    with law.readings.consulted() as rulings:
        return question(game, of, history, law), set(rulings)


def without_places(judged: Judgement[Any]) -> Judgement[Any]:
    """A judgement as states give it, which hold no places."""
    return replace(judged, if_bank_played=(), unplaced=judged.unplaced or bool(judged.if_bank_played))


def compare(game: Game, of: str, histories: Iterator[tuple[str, AnyRules]]) -> tuple[int, int]:
    """How many histories the steps told, and how many of those in which the whole history finds nothing they did not tell."""
    recorded = missed = 0
    read = {"seat": seat_history, "bank": bank_history, "round": round_history}[of]
    for text, law in histories:
        history = read(text)
        steps, theirs = asked(law, by_steps, game, of, history)
        whole, ours = asked(law, at_once, game, of, history)
        if steps is not None:
            assert (steps, theirs) == (without_places(whole), ours), text
            assert not whole.breaches
            recorded += 1
        else:
            missed += not whole.breaches and whole.unjudged != Untold.SUIT
    return recorded, missed


# Histories of Black Jack


def black_jack_rules(dice: random.Random) -> AnyRules:
    if dice.random() < 0.5:
        house = some_house(dice)
        law, options = _version(house.version), elected(house)
    else:
        law, options = dice.choice(list(VERSIONS.values())), {}
    more = dice.choice(NOT_RECORDED)
    if more:
        options = {**options, "not_recorded": more.replace(" ", ",")}
    return rules(law, some_readings(dice), recorded=dice.choice(TOLD), **options)


def _version(name: str) -> Any:
    return next(law for key, law in VERSIONS.items() if key in name or name in key)


def ranks(dice: random.Random) -> str:
    return dice.choice("AATTJQK56788")


def black_jack_seat(dice: random.Random) -> str:
    """Cards up or down, or the log does not say which, stakes and decisions on up to four hands; totals, cards turned or taken
    away now and then."""
    down, words, hands = dice.random() < 0.2, ["$main"] * dice.choice((1, 1, 1, 2)), 1

    def card() -> str:
        shown = "??" if dice.random() < 0.01 else ranks(dice)
        return f"{'' if dice.random() < 0.02 else '-' if down != (dice.random() < 0.03) else '+'}{shown}"

    words += [card(), card()]
    if dice.random() < 0.3:  # a pair
        words[-1] = words[-2]
    for _ in range(dice.randrange(9)):
        letter = "abcd"[dice.randrange(hands)].replace("a", "")
        draw = dice.random()
        if draw < 0.35:
            words += [f"{letter}.hit", letter + card()]
        elif draw < 0.5:
            words += [f"{letter}.stand"]
        elif draw < 0.6:
            words += [f"{letter}.double", f"{letter}$double", letter + card()]
        elif draw < 0.75 and hands < 4:
            new = "abcd"[hands]
            pair = [f"{letter}.split", f"{new}$split"]
            words += [*(pair if dice.random() < 0.8 else reversed(pair)), letter + card(), new + card()]
            hands += 1
        elif draw < 0.9:
            actions = ("surrender/3", "surrender/7", "even_money/3", "five_card_half/7", "special_prize", "insurance/3")
            words.append(f"{letter}.{dice.choice(actions)}")
        else:
            odd = ("$insurance", "$double", f"={dice.randrange(2, 30)}", f"^{ranks(dice)}", f"~{ranks(dice)}", ".dance")
            words.append(letter + dice.choice((*odd, card())))
    if dice.random() < 0.5:  # what lies face down is shown, in the end or before
        shown = [f"{word[:-2].replace('-', '')}^{word[-1]}" for word in words if word[-2:-1] == "-"]
        at = dice.choice((len(words), len(words), dice.randrange(len(words))))
        words[at:at] = dice.sample(shown, len(shown))
    return " ".join((dice.choice("ATx?"), *words))


def black_jack_bank(dice: random.Random) -> str:
    words = [f"+{ranks(dice)}"]
    hidden = dice.random() < 0.5
    if hidden:
        words.append(f"-{dice.choice(('??', ranks(dice)))}")
    words += ["?" + dice.choice(("", "natural"))] * (dice.random() < 0.3) + ["|"] * (dice.random() < 0.9)
    if hidden and dice.random() < 0.9:
        words.append(f"^{words[1][1:] if words[1] != '-??' and dice.random() < 0.9 else ranks(dice)}")
    for _ in range(dice.randrange(4)):
        words.append(f"+{ranks(dice)}" if dice.random() < 0.85 else dice.choice(("~5", "=17", "=20", "!", "-T", "^8")))
    return " ".join((dice.choice(AWAITED), *words))


def some_round_history(dice: random.Random, *, cards: int, bank: str) -> str:
    """A regular round for the most part, with a word left out, doubled, moved or put in now and then."""
    seats = sorted(dice.sample(range(1, 8), dice.choice((1, 1, 2, 3))))
    fortune = bank[1] == "-"
    words = ["shuffle:hand:6", "cut:player", "white:30", *["!-"] * 6] if dice.random() < 0.4 else []
    if fortune:
        words = dice.choice((["shuffle:machine:1"], ["shuffle:machine:1"], ["shuffle:hand:1", "cut:player"], []))
    begins = dice.choice(("", "white", "unshuffled")) if not words or dice.random() < 0.1 else "fresh"
    words += ["nomore"]
    deal = [(seat, bank[0]) for _ in range(cards) for seat in seats]
    if not fortune:  # the bank has one card, after the first or the second pass
        deal.insert(len(seats) * dice.choice((1, 1, 2)), ("B", bank[1]))
    else:  # three cards, one by one, or three at once
        deal = [(place, "-") for _ in range(cards) for place in (*seats, "B")]
        deal = deal if dice.random() < 0.3 else sorted(deal, key=lambda to: (to[0] == "B", str(to[0])))
    words += [f"{place}{dice.choice('+-') if dice.random() < 0.01 else face}" for place, face in deal]
    words += [f"{seat}{'/' if dice.random() < 0.2 else '.'}" for seat in seats]
    words += ["B^"] if fortune else ["B+", *["B+"] * dice.randrange(2)]
    words += ["pay", "end"]
    odd = ("!-", "!+", "B?", "B^", "B+", "2+", "3.", "1~", "failed", "void", "white!", "white:20", "cut:dealer")
    while dice.random() < 0.35:
        at = dice.randrange(len(words))
        what = dice.random()
        if what < 0.3:
            words.insert(at, dice.choice((*odd, "shuffle:machine:1", "shuffle:hand:8", "nomore", "pay", "end")))
        elif what < 0.35:
            words[at:at] = ["shuffle:hand:6", "cut:dealer", "white:30", *["!-"] * dice.choice((6, 6, 5, 7))]
        elif what < 0.6:
            del words[at]
        else:
            words.insert(dice.randrange(len(words)), words.pop(at))
    placed = [seat for seat in seats if dice.random() < 0.97]
    return " ".join(filter(None, (f"w:{','.join(map(str, placed))}", begins, *words)))


# Histories of Fortune 3 Card Poker


def fortune_rules(dice: random.Random) -> AnyRules:
    more, method = dice.choice(NOT_RECORDED), dice.choice(({}, {"shuffle": "hand"}, {"shuffle": "machine"}))
    options = {**method, "not_recorded": more.replace(" ", ",")} if more else {}
    return rules(dice.choice((DSEF_78_2008, DSEF_97_2008)), some_readings(dice), **options)


def card_of(dice: random.Random) -> str:
    return dice.choice(("??", "9x")) if dice.random() < 0.01 else dice.choice("AKQJT2379") + dice.choice("cdhs")


def fortune_seat(dice: random.Random) -> str:
    words = dice.sample(("$ante", "$pair_plus", "$ante"), dice.choice((1, 1, 2)))
    words += [f"-{card_of(dice)}" for _ in range(dice.choice((3, 3, 3, 3, 2, 4, 0)))]
    words += dice.choice(([".raise", "$raise"], [".fold"], [], [".raise"], ["$raise", ".raise"], [".fold", ".raise"]))
    while dice.random() < 0.15:
        odd = ("b-2c", "^5c", f"+{card_of(dice)}", "$ante", "$pair_plus", "=7", "~2c", ".dance", "$other")
        words.insert(dice.randrange(len(words) + 1), dice.choice(odd))
    return " ".join(("?", *words))


def fortune_bank(dice: random.Random) -> str:
    words = [f"-{card_of(dice)}" for _ in range(dice.choice((3, 3, 3, 3, 2, 4)))] + ["|"]
    while dice.random() < 0.15:
        words.insert(dice.randrange(len(words) + 1), dice.choice(("^5c", f"+{card_of(dice)}", "!", "~2c", "-??")))
    return " ".join((dice.choice(AWAITED), *words))


MACHINES: dict[tuple[str, str], tuple[Game, Callable[[random.Random], AnyRules], Callable[[random.Random], str]]] = {
    ("black_jack", "seat"): (BLACK_JACK, black_jack_rules, black_jack_seat),
    ("black_jack", "bank"): (BLACK_JACK, black_jack_rules, black_jack_bank),
    ("black_jack", "round"): (BLACK_JACK, black_jack_rules, lambda dice: some_round_history(dice, cards=2, bank="++")),
    ("fortune", "seat"): (FORTUNE, fortune_rules, fortune_seat),
    ("fortune", "bank"): (FORTUNE, fortune_rules, fortune_bank),
    ("fortune", "round"): (FORTUNE, fortune_rules, lambda dice: some_round_history(dice, cards=3, bank="--")),
}
TOLD_AND_MISSED = {
    ("black_jack", "seat"): (110, 45),
    ("black_jack", "bank"): (118, 35),
    ("black_jack", "round"): (148, 20),
    ("fortune", "seat"): (380, 110),
    ("fortune", "bank"): (530, 410),
    ("fortune", "round"): (240, 5),
}
"""How many histories of 1,000 are told by steps at least, and how many at most are not in which nothing is found: cards that
are taken away, turned otherwise or lie down when totals are called; failures of equipment; hands of Fortune that do not have
three cards. It depends on the laws drawn: of 170 seeds the lowest came to 124, 124, 153, 396, 549 and 256."""


@pytest.mark.parametrize("seed", few(range(170), 1))
@pytest.mark.parametrize("machine", MACHINES, ids=" ".join)
def test_steps_and_whole_histories_say_the_same(machine: tuple[str, str], seed: int) -> None:
    game, law_of, history_of = MACHINES[machine]
    dice = random.Random(f"{machine} {seed}")
    laws = [law_of(dice) for _ in range(20)]
    of_turns = [law for law in laws if TURNS in law.recorded]
    histories = (history_of(dice) for _ in range(1000))
    # A log with a turned card records turns.
    fitting = ((text, dice.choice(of_turns if "^" in text and of_turns else laws)) for text in histories)
    recorded, missed = compare(game, machine[1], fitting)
    least, most = TOLD_AND_MISSED[machine]
    assert recorded >= least
    assert missed <= most


@pytest.mark.parametrize(
    "history", ["6 -K -6 .hit +8 ^K ^6", "6 -K -6 .hit +8 ^6 ^K", "6 -K -6 ^K ^6 .hit +8", "6 -K -6 .hit +2"]
)
def test_art6_n2_steps_tell_whether_a_bust_was_shown_at_once(history: str) -> None:
    law = rules(VERSIONS["57/2009"], recorded=["turns"])
    assert by_steps(BLACK_JACK, "seat", seat_history(history), law) is not None
