"""Histories as text, for tests: the words in which they speak of a seat, of the bank and of a round.

The first word of a seat's history is the class of the bank's open card, ``?`` where it has none; of the bank's what waits for it
(``hand``, ``natural``, ``nothing``); of a round's the seats with wagers (``w:1,2``), and behind it ``white``, ``fresh`` or
``unshuffled`` where it found the shoe so. Then, each with the hand's letter in front where it is not the first hand:

- ``+9c`` ``-9c`` a card dealt up, down; ``^9c`` ``~9c`` turned, removed; ``=17`` a total announced
- ``.hit`` a decision, ``.surrender/6`` with its moment; ``$double`` a wager
- of the bank ``?`` ``?natural`` (it looks at its hidden card), ``!`` (burned just then), ``|`` (play begins)
- of a round ``shuffle:hand:6`` ``cut:player`` ``white:60`` ``white!`` ``!+`` ``!-`` ``nomore`` ``1+`` ``2-`` ``B+`` ``1^`` ``1~``
  ``B?`` ``1.`` ``1/`` ``failed`` ``void`` ``pay`` ``end``
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final

from replayer.contract.cards import Card
from replayer.contract.game import Game
from replayer.contract.outcomes import Awaited, Judgement
from replayer.contract.rules import AnyRules
from replayer.contract.symbols import (
    BANK,
    BankHistory,
    BankLooked,
    BankSymbol,
    Burned,
    Called,
    CardTo,
    Cut,
    Dealt,
    Decided,
    FoundShoe,
    History,
    Looked,
    PlayAt,
    PlayBegan,
    Removed,
    RemovedAt,
    RoundEvent,
    RoundHistory,
    RoundStart,
    RoundSymbol,
    SeatHistory,
    SeatSymbol,
    Shuffled,
    Staked,
    Symbol,
    Turned,
    TurnedAt,
    WhiteCardPut,
)
from replayer.contract.wagers import CarriedRound, Due, PlayedRound, UnplayedRound
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.streak import Result, Streak
from schemas.cards import RANKS, UNKNOWN
from schemas.notation import place

MOMENTS: Final = "0123456789abcdefghijklmnopqrstuv"
"""The letters of moments (``replayer.contract.symbols``)."""
FOUND: Final = {"white": FoundShoe.WHITE_CARD_OUT, "fresh": FoundShoe.FRESH, "unshuffled": FoundShoe.UNSHUFFLED}


def cards(text: str) -> tuple[Card, ...]:
    """Some cards: ``9h 9x``; the rank alone is one whose suit nobody asks."""
    return tuple(Card(*name) for name in text.split())


RESULTS: Final = {
    "W": Result.WON,
    "L": Result.LOST,
    "H": Result.LOST_ON_HANDS,
    "T": Result.NEITHER,
    "S": Result.SURRENDERED,
}


def letter_of(result: str | None) -> str:
    """The letter of what a round counts as."""
    return next((letter for letter, each in RESULTS.items() if each == result), "?")


def carried(letters: str) -> tuple[CarriedRound, ...]:
    """The rounds of a wager that lives on, a letter each: won, lost, lost on most hands, tied, surrendered; ``?`` not told; small
    ones at another seat, ``E`` not told at which; ``A`` no bet, ``V`` void, ``C`` the table closed."""
    unplayed = {"A": UnplayedRound.NO_BET, "V": UnplayedRound.VOID, "C": UnplayedRound.CLOSING}
    return tuple(
        unplayed.get(letter) or PlayedRound(RESULTS.get(letter.upper()), other_seat=letter == "E" or letter.islower())
        for letter in letters
    )


def run(streak: Streak, rounds: Iterable[CarriedRound], rules: Rules) -> tuple[Streak, Due | None]:
    """A streak after some rounds, and what it is due; None while it runs."""
    for number, round_ in enumerate(rounds, 1):
        streak, violations = streak.step(round_, rules)
        if streak.over:
            return streak, streak.due(number, violations, rules)
    return streak, None


def streak_due(kind: str, rounds: Iterable[CarriedRound], rules: Rules) -> Due | None:
    """What a streak of a kind is due after some rounds; None while it runs."""
    return run(Streak.placed(kind, rules), rounds, rules)[1]


def seat_history(text: str) -> SeatHistory:
    """A seat's history."""
    upcard, *words = text.split()
    return History(upcard, tuple(map(read_seat, words)))


def bank_history(text: str) -> BankHistory:
    """A bank's history."""
    awaited, *words = text.split()
    return History(Awaited[awaited.upper()], tuple(map(read_bank, words)))


def round_history(text: str) -> RoundHistory:
    """A round's history."""
    wagers, *words = text.split()
    found = FOUND[words.pop(0)] if words and words[0] in FOUND else FoundShoe.USED
    bets = tuple(int(seat) for seat in wagers.removeprefix("w:").split(",") if seat)
    return History(RoundStart(bets, found), tuple(map(read_round, words)))


def judge_seat(game: Game, text: str, rules: AnyRules) -> Judgement[Any]:
    """What a game says of a seat's history."""
    return game.seat.judge(seat_history(text), rules)


def judge_bank(game: Game, text: str, rules: AnyRules) -> Judgement[Any]:
    """What a game says of a bank's history."""
    return game.bank.judge(bank_history(text), rules)


def judge_round(game: Game, text: str, rules: AnyRules) -> Judgement[Any]:
    """What a game says of a round's history."""
    return game.round.judge(round_history(text), rules)


def bank_draws(game: Game, text: str, rules: AnyRules) -> bool:
    """Whether the bank must take another card."""
    awaited, symbols = bank_history(text)
    state: Any = game.bank.new
    for symbol in symbols:
        state, _ = state.step(symbol, rules)
    drawn: bool = state.draws(awaited, rules)
    return drawn


def written(history: History[Any, Any]) -> str:
    """The text of a history."""
    begin = history.begin
    if isinstance(begin, RoundStart):
        found = (word for word, each in FOUND.items() if each is begin.found)
        begin = " ".join((f"w:{','.join(map(str, begin.bets))}", *found))
    return " ".join((begin, *map(word, history.symbols)))


# Symbols as words


def hand_letter(hand: int) -> str:
    """Nothing for a seat's first hand, ``b`` for the second."""
    return place(0, hand)[1:]


def word(symbol: Symbol) -> str:
    """The word of a symbol in the history of its seat, of the bank or of its round."""
    return _SPELLED[type(symbol)](symbol)


def _in_hand(sign: str) -> Callable[[Dealt | Turned | Removed], str]:
    return lambda card: f"{hand_letter(card.hand)}{sign}{card.card}"


def _decided(decided: Decided) -> str:
    moment = "" if decided.moment is None else f"/{MOMENTS[decided.moment]}"
    return f"{hand_letter(decided.hand)}.{decided.action}{moment}"


def _at(place: int) -> str:
    return "B" if place == BANK else str(place)


_SPELLED: Final[dict[type, Callable[..., str]]] = {
    Dealt: lambda card: f"{hand_letter(card.hand)}{card.face}{card.card}",
    Turned: _in_hand("^"),
    Removed: _in_hand("~"),
    Called: lambda called: f"{hand_letter(called.hand)}={called.points}",
    Staked: lambda staked: f"{hand_letter(staked.hand)}${staked.kind}",
    Decided: _decided,
    Looked: lambda looked: f"?{looked.found}",
    PlayBegan: lambda _: "|",
    CardTo: lambda card: _at(card.place) + card.face,
    TurnedAt: lambda card: f"{_at(card.place)}^",
    RemovedAt: lambda card: f"{_at(card.place)}~",
    PlayAt: lambda play: f"{_at(play.place)}{'/' if play.aside else '.'}",
    BankLooked: lambda look: f"B?{'natural' * look.natural}",
    Burned: lambda card: f"!{card.face}",
    Shuffled: lambda shuffled: f"shuffle:{shuffled.method}:{shuffled.decks}",
    Cut: lambda cut: f"cut:{cut.by}",
    WhiteCardPut: lambda card: f"white:{card.behind}",
    RoundEvent: {
        RoundEvent.WHITE_CARD_OUT: "white!",
        RoundEvent.BETS_CLOSED: "nomore",
        RoundEvent.PAID: "pay",
        RoundEvent.FAILED: "failed",
        RoundEvent.VOIDED: "void",
        RoundEvent.ENDED: "end",
    }.__getitem__,
}


# Words as symbols

_DISTINCT: Final = 1 << 14
"""How many words are remembered with their symbols: those of a casino's day are some hundreds."""


@lru_cache(maxsize=_DISTINCT)
def read_seat(text: str) -> SeatSymbol:
    """The symbol of a word in a seat history."""
    hand = 0
    if "b" <= text[0] <= "z":
        hand, text = ord(text[0]) - ord("a"), text[1:]
    sign, rest = text[:1], text[1:]
    match sign:
        case ".":
            action, timed, moment = rest.partition("/")
            return Decided(action, MOMENTS.index(moment) if timed else None, hand)
        case "$":
            return Staked(rest, hand)
        case _:
            return _card(sign, rest, hand) or _unsigned(text, hand)


@lru_cache(maxsize=_DISTINCT)
def read_bank(text: str) -> BankSymbol:
    """The symbol of a word in a bank history."""
    sign, rest = text[0], text[1:]
    if sign == "!":
        return Burned(rest)
    if sign == "|":
        return PlayBegan()
    if sign == "?" and text != UNKNOWN:
        return Looked(rest)
    return _card(sign, rest, 0) or _unsigned(text, 0)


def _card(sign: str, rest: str, hand: int) -> Dealt | Turned | Removed | Called | None:
    match sign:
        case "+" | "-":
            return Dealt(Card(*rest), sign, hand)
        case "^":
            return Turned(Card(*rest), hand)
        case "~":
            return Removed(Card(*rest), hand)
        case "=":
            return Called(int(rest), hand)
        case _:
            return None


def _unsigned(text: str, hand: int) -> Dealt:
    """A card of which the log does not say how it lay; anything else is no word of any game."""
    if text != UNKNOWN and (not text or text[0] not in RANKS):
        raise ValueError(f"{text!r} is no word")
    return Dealt(Card(*text), "", hand)


@lru_cache(maxsize=_DISTINCT)
def read_round(text: str) -> RoundSymbol:
    """The symbol of a word in a round history, behind those that tell how it began."""
    if text[:-1] == "B" or text[:-1].isdecimal() or text.isdecimal() or text == "B":
        return _read_at(text)
    kind, _, rest = text.partition(":")
    if kind in _FIXED:
        return _FIXED[kind]
    match kind:
        case "!" | "!+" | "!-":
            return Burned(text[1:])
        case "white":
            return WhiteCardPut(int(rest))
        case "cut":
            return Cut(rest)
        case "shuffle":
            method, _, decks = rest.rpartition(":")
            return Shuffled(method, int(decks))
        case _:
            raise ValueError(f"{text!r} is no word")


_FIXED: Final = {word(symbol): symbol for natural in (False, True) for symbol in (BankLooked(natural), *RoundEvent)}


def _read_at(text: str) -> RoundSymbol:
    sign = "" if text[-1].isalnum() else text[-1]
    place_ = text.removesuffix(sign)
    at = BANK if place_ == "B" else int(place_)
    match sign:
        case "^":
            return TurnedAt(at)
        case "~":
            return RemovedAt(at)
        case "." | "/":
            return PlayAt(at, aside=sign == "/")
        case "?" if at == BANK:
            return BankLooked()
        case "" | "+" | "-":
            return CardTo(at, sign)
        case _:
            raise ValueError(f"{text!r} is no word")
