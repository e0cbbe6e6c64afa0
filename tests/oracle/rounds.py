"""Random rounds for the comparison, lawful and not: each as the oracle takes it and as the words that a log has of it.

A word is given with its place (0 for the bank): ``(3, "b+9c")`` a card to the second hand of seat 3, ``(0, "~5d")`` a card
taken from the bank, ``(1, "$double")`` a stake. ``notation`` makes a round's text of them, ``histories`` what
``replayer.contract.game`` says that a judge is asked, without the engine that cuts logs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from replayer.contract.symbols import ADDITIONAL_CARD, BANK_OPEN, BETS_CLOSED, CARD_DEALT, HOLE_CHECKED
from tests.law.notation import MOMENTS
from tests.oracle.black_jack import (
    V2000,
    V2004,
    V2007,
    V2009,
    Hand,
    House,
    Request,
    Seat,
    bank_must_draw,
    is_black_jack,
    natural,
    points,
)
from tests.oracle.fortune_3_card_poker import Place

Word = tuple[int, str]

RANKS: Final = "AAAA23456667777788899TTTJQQKK"
"""Aces, sevens, sixes and eights come more often than from a shoe: rare rules are met sooner."""
SIDE_ACTIONS: Final = ("insurance", "even_money")
TIMED: Final = ("surrender", "insurance", "even_money", "five_card_half")
SIDES: Final = ("any_pair", "sevens", "over_13", "under_13", "perfect_pair")
PLAY_STAKES: Final = ("main", "split", "double", "insurance")
MOST_HANDS: Final = 5
LETTERS: Final = ("", *"bcdefgh")


def some_house(dice: random.Random) -> House:
    """A version with options that it offers."""
    version = dice.choice((V2000, V2004, V2007, V2009, V2009))
    if version == V2000:
        return House(version, modes=frozenset({"eleven"}))
    modes = [frozenset({"first_two", "split_first_two"}), frozenset({"eleven"}), frozenset({"first_two"})]
    modes += [frozenset({"split_first_two"}), frozenset({"first_two", "split_first_two", "eleven"})]
    return House(
        version,
        soft17=dice.choice(("", "", "hit", "stand")) if version in (V2007, V2009) else "",
        modes=dice.choice(modes[:3] if version == V2004 else modes),
        offers_double_relief=dice.random() < 0.3,
        special_prizes=version != V2009 or dice.random() < 0.8,
        hidden_card_checked=version == V2009 and dice.random() < 0.4,
        unseen_card_may_be_valid=dice.random() < 0.5,
    )


def elected(house: House) -> dict[str, str]:
    """The options of a house as a log names them."""
    options = {"double_modes": ",".join(sorted(house.modes))}
    if house.version != V2000:
        options["bj_double_relief"] = "yes" if house.offers_double_relief else "no"
        options |= {"side_any_pair": "on", "side_sevens": "on", "side_over_under": "on", "resplit_aces": "yes"}
        options["bank_unseen_extra_valid"] = "yes" if house.unseen_card_may_be_valid else "no"
        options["deal_procedure"] = "3" if house.hidden_card_checked else "2"
    if house.version == V2009:
        options |= {"special_prizes": "on" if house.special_prizes else "off", "side_perfect_pair": "on"}
        options["side_streak"] = "on"
    if house.soft17:
        options["bank_soft17"] = house.soft17
    return options


@dataclass
class Round:
    """A round of Black Jack as it went."""

    house: House
    seats: dict[int, Seat] = field(default_factory=dict)
    bank: list[str] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)


class BlackJackTable:
    """Deals and plays one round. ``unlawful`` is how likely each step is to break the rules."""

    def __init__(self, dice: random.Random, house: House, *, seats: int, unlawful: float) -> None:
        self.dice = dice
        self.unlawful = unlawful
        self.round = Round(house)
        self.face = dice.choice("+-") if not house.hidden_card_checked else "+"
        self.bank_open = self.bank_checked = False
        self.lucky = dice.randint(1, 70)
        """The number of a seat, more often of none, that gets sevens until it has separated two."""
        self.final: set[tuple[int, int]] = set()
        """Hands that stood or were doubled."""
        self._play(sorted(dice.sample(range(1, 8), seats)))

    def _card(self) -> str:
        return self.dice.choice(RANKS) + self.dice.choice("cdhs")

    def _say(self, place: int, word: str) -> None:
        self.round.words.append((place, word))

    def _wrongly(self) -> bool:
        return self.dice.random() < self.unlawful

    def _to_bank(self, face: str = "+") -> None:
        self.round.bank.append(self._card())
        self._say(0, face + self.round.bank[-1])

    def _to_hand(self, number: int, index: int) -> None:
        seat = self.round.seats[number]
        hand = seat.hands[index]
        card = self._card()
        self._say(number, LETTERS[index] + self.face + card)
        # It came out face up: taken away, and the next one given.
        if (number, index) not in self.final and self._wrongly() and self.dice.random() < 0.2:
            self._say(number, f"{LETTERS[index]}~{card}")
            card = self._card()
            self._say(number, LETTERS[index] + self.face + card)
        hand.cards.append(card)
        if len(hand.opening) < 2:
            hand.opening.append(card)
        if len(seat.first) < 2:
            seat.first.append(card)
        if len(seat.hands) > 1 and not seat.after_split:
            seat.after_split = card

    def _play(self, seats: list[int]) -> None:
        made, house = self.round, self.round.house
        for number in seats:
            made.seats[number] = Seat([], [Hand([])])
            self._say(number, "$main")
            for kind in SIDES:
                if self.dice.random() < 0.25:
                    made.seats[number].sides.append(kind)
                    self._say(number, f"${kind}")
        self._say(0, "nomore")
        for face in "+-":
            for number in seats:
                self._to_hand(number, 0)
            if face == "+" or house.hidden_card_checked:
                self._to_bank(face)
        up = made.bank[0][0]
        self._early_requests(seats, up)
        if house.hidden_card_checked and up in "ATJQK" and not self._wrongly():
            self.bank_checked = True
            found = is_black_jack(made.bank)
            self._say(0, "?natural" if found else "?")
            if found:
                self._open()
                if not self._wrongly():
                    return
        for number in seats:
            self._play_seat(number)
        self._bank_plays(seats)

    def _early_requests(self, seats: list[int], up: str) -> None:
        """Insurance and even money, from the left, before anything else; a surrender before the check is too early."""
        for number in seats:
            seat = self.round.seats[number]
            if up == "A" and self.dice.random() < 0.4:
                self._decide(number, 0, "insurance")
                self._say(number, "$insurance")
                seat.insured = True
            if (natural(seat.hands[0]) and up in "ATJQK" and self.dice.random() < 0.3) or self._wrongly():
                self._ask(number, 0, "even_money")
            if self._wrongly() and self.dice.random() < 0.3:
                self._ask(number, 0, "surrender")

    def _decide(self, number: int, index: int, action: str) -> None:
        self._say(number, f"{LETTERS[index]}.{action}")

    def _ask(self, number: int, index: int, action: str) -> None:
        self._decide(number, index, action)
        hand = self.round.seats[number].hands[index]
        stood = (number, index) in self.final
        hand.requests.append(
            Request(action, list(hand.cards), stood, hand.doubled_with > 0, self.bank_open, self.bank_checked)
        )

    def _play_seat(self, number: int) -> None:
        seat = self.round.seats[number]
        index = 0
        while index < len(seat.hands):
            if len(seat.hands[index].cards) == 1:
                self._second_card(number, index)
            self._play_hand(number, index)
            index += 1

    def _play_hand(self, number: int, index: int) -> None:
        seat = self.round.seats[number]
        hand = seat.hands[index]
        while True:
            action = self._choice(seat, hand)
            if action == "":
                return
            if action in TIMED:
                self._ask(number, index, action)
                if not self._wrongly():
                    return
                continue
            if action == "double":
                self._double(number, index)
                self._to_hand(number, index)
                continue
            self._decide(number, index, action)
            if action == "hit":
                self._to_hand(number, index)
            elif action == "split":
                self._separate(number, index)
            else:
                self.final.add((number, index))
                if not self._wrongly():
                    return

    def _separate(self, number: int, index: int) -> None:
        seat = self.round.seats[number]
        hand = seat.hands[index]
        new = len(seat.hands)
        separated = hand.cards.pop(1)
        two_aces = hand.cards[0][0] == separated[0] == "A"
        seat.hands.append(Hand([separated], [separated], split=True, of_aces=two_aces))
        hand.split = True
        hand.of_aces |= two_aces
        self._say(number, f"{LETTERS[new]}$split")
        hand.opening = list(hand.cards)
        staked = {on for on, _ in seat.pairs_on} | ({0} if "any_pair" in seat.sides else set())
        for on in (index, new):  # a stake placed anew, on the hand that was separated or on the one that it made
            if on not in staked and self.dice.random() < 0.1:
                seat.pairs_on.append((on, seat.hands[on].opening))
                self._say(number, f"{LETTERS[on]}$any_pair")
        self._second_card(number, index)

    def _second_card(self, number: int, index: int) -> None:
        """The second card of a separated hand; until 2009 a split ace could be doubled before it came (BJ-65)."""
        house, hand = self.round.house, self.round.seats[number].hands[index]
        doubles = house.version in (V2004, V2007) and "split_first_two" in house.modes and hand.cards[0][0] == "A"
        if doubles and self.dice.random() < 0.3:
            self._double(number, index)
        self._to_hand(number, index)

    def _double(self, number: int, index: int) -> None:
        self._decide(number, index, "double")
        hand = self.round.seats[number].hands[index]
        hand.doubled_with = len(hand.cards)
        self.final.add((number, index))
        self._say(number, f"{LETTERS[index]}$double")

    def _choice(self, seat: Seat, hand: Hand) -> str:
        """What a hand does next; empty when it is over."""
        dice, house = self.dice, self.round.house
        total, count = points(hand.cards), len(hand.cards)
        up = self.round.bank[0][0]
        can_split = count == 2 and hand.cards[0][0] == hand.cards[1][0] and not hand.doubled_with
        if can_split:
            can_split = len(seat.hands) < (2 if house.version == V2000 else 4)
        if self._wrongly():
            wrong = ["hit", "stand", "even_money", "five_card_half", "hit", "stand", "surrender"]
            if not hand.doubled_with and not hand.requests:
                wrong.append("double")
                if count == 2 and len(seat.hands) < MOST_HANDS and not hand.requests:
                    wrong.append("split")
            return dice.choice(wrong) if total <= 21 or dice.random() < 0.2 else ""
        if hand.requests or hand.doubled_with or total >= 21:
            asks = count == 5 and total == 21 and up != "A" and not hand.requests and not hand.doubled_with
            return "five_card_half" if asks and dice.random() < 0.5 else ""
        if can_split and dice.random() < 0.7:
            return "split"
        if hand.split and hand.cards[0][0] == "A":
            return ""
        if count == 5 and up != "A" and dice.random() < 0.6:
            return "five_card_half"
        if count == 2:
            mode = ("split_first_two" if hand.split else "first_two") in house.modes
            if (mode or (not hand.split and "eleven" in house.modes and total == 11)) and dice.random() < 0.25:
                return "double"
            if not hand.split and up != "A" and dice.random() < 0.06:
                return "surrender"
        eager = 0.9 if total < 13 else 0.75 if count > 2 else 0.4  # many draw on to five cards
        return "hit" if dice.random() < eager else "stand"

    def _open(self) -> None:
        self._say(0, f"^{self.round.bank[1]}")
        self.bank_open = True

    def _bank_plays(self, seats: list[int]) -> None:
        bank = self.round.bank
        over = all(points(hand.cards) > 21 for number in seats for hand in self.round.seats[number].hands)
        if over and self.dice.random() < 0.5:
            return
        if len(bank) > 1:
            if not self.bank_open:
                self._open()
        elif not self._wrongly():
            self._to_bank()
            self.bank_open = True
        for number in seats:
            if self.bank_open and self._wrongly() and self.dice.random() < 0.3:
                late = self.dice.choice(("even_money", "five_card_half", "surrender"))
                self._ask(number, 0, late)
        while len(bank) > 1 and bank_must_draw(bank, self.round.house) and not self._wrongly():
            self._to_bank()
        if self._wrongly():
            self._to_bank(self.dice.choice("+-"))
            if self.dice.random() < 0.5:
                self._say(0, f"~{bank.pop()}")


# What a judge is asked


@dataclass
class Histories:
    """The histories of a round: by seat, and the bank's without its first word."""

    seats: dict[int, str]
    bank: str


def histories(made: Round) -> Histories:
    """The round's histories, in the words that ``replayer.contract.game`` describes."""
    up = made.bank[0][0]
    upcard = "A" if up == "A" else "T" if up in "TJQK" else "x"
    written: dict[int, list[str]] = {number: [upcard] for number in made.seats}
    bank: list[str] = []
    moment = decided = bank_cards = 0
    for place, word in made.words:
        sign = word.lstrip("bcdefgh")[0] if place else word[0]
        if word == "nomore":
            moment |= BETS_CLOSED
            continue
        if sign == ".":
            action = word.partition(".")[2]
            if action in TIMED:
                word += f"/{MOMENTS[moment]}"  # noqa: PLW2901 - the word as it stands in the history
            if action not in SIDE_ACTIONS and not decided:
                decided = True
                bank.append("|")
        if place == 0:
            bank.append(word if sign == "?" else word[:2])
            if sign == "?":
                moment |= HOLE_CHECKED
            elif sign in "+-":
                bank_cards += 1
                moment |= BANK_OPEN if sign == "+" and bank_cards > 1 else 0
            elif sign == "^":
                moment |= BANK_OPEN
        elif sign != "$" or word.partition("$")[2] in PLAY_STAKES:
            written[place].append(word)
        if sign in "+-":
            moment |= CARD_DEALT | (ADDITIONAL_CARD if decided else 0)
    return Histories({number: " ".join(words) for number, words in written.items()}, " ".join(bank))


def notation(made: Round, number: int, stake: int = 100) -> str:
    """The round as text; every wager is of ``stake``, and nothing is paid."""
    return f"#{number} {' '.join(_notation_words(made.words, stake))} end"


def _notation_words(words: list[Word], stake: int) -> Iterator[str]:
    for place, word in words:
        if word == "nomore":
            yield word
        elif "$" in word:
            letter, _, kind = word.partition("$")
            yield f"{place}{letter}.{kind}={stake}@p{place}"
        else:
            yield f"{place or 'B'}{word}"


# Fortune 3 Card Poker


@dataclass
class Deal:
    """A round of Fortune 3 Card Poker as it went."""

    places: dict[int, Place]
    croupier: list[str]
    words: list[Word]


def some_deal(dice: random.Random, *, undecided: float = 0, miscounted: float = 0) -> Deal:
    """A deal from one deck; ``undecided`` and ``miscounted`` are how likely a player takes no decision and a hand has a
    wrong number of cards."""
    deck = [rank + suit for rank in "A23456789TJQK" for suit in "cdhs"]
    dice.shuffle(deck)
    if dice.random() < 0.5:  # neighbours of few suits are dealt first, so that high hands meet
        low, width, suits = dice.randint(0, 9), dice.randint(3, 6), dice.sample("cdhs", dice.choice((1, 2, 4, 4)))
        near = [card for card in deck if card[0] in "A23456789TJQKA"[low : low + width] and card[1] in suits]
        deck = [card for card in deck if card not in near] + near
    places = {}
    for number in dice.sample(range(1, 8), dice.randint(1, 4)):
        count = dice.choice((2, 4)) if dice.random() < miscounted else 3
        ante = dice.random() < 0.85
        place = places[number] = Place([deck.pop() for _ in range(count)], ante, not ante or dice.random() < 0.5)
        if ante and dice.random() >= undecided:
            place.decision = "raise" if dice.random() < 0.8 else "fold"
    return deal_of(places, [deck.pop() for _ in range(3)])


def deal_of(places: dict[int, Place], croupier: list[str]) -> Deal:
    """A deal in the words of a log: bets, cards three at a time from the left, decisions from the left, the croupier's hand."""
    words: list[Word] = []
    in_order = sorted(places.items())
    for number, place in in_order:
        words += [(number, "$ante")] * place.ante + [(number, "$pair_plus")] * place.pair_plus
    words.append((0, "nomore"))
    words += [(number, f"-{card}") for number, place in [*in_order, (0, Place(croupier))] for card in place.cards]
    for number, place in in_order:
        words += [(number, f".{place.decision}")] * bool(place.decision)
        words += [(number, "$raise")] * (place.decision == "raise")
    words += [(0, f"^{card}") for card in croupier]
    return Deal(dict(in_order), croupier, words)


def deal_notation(made: Deal, number: int, stake: int = 100) -> str:
    """The deal as text, after a shuffle by machine; every wager is of ``stake``, and nothing is paid."""
    return f"#{number} shuffle:1:machine:1 {' '.join(_notation_words(made.words, stake))} end"


def deal_histories(made: Deal) -> tuple[dict[int, str], str]:
    """Seat histories and bank history of a deal."""
    written = {number: ["?"] for number in made.places}
    bank: list[str] = []
    decided = False
    for place, word in made.words:
        if word[0] == "." and not decided:
            decided = True
            bank.append("|")
        if place:
            written[place].append(word)
        elif word != "nomore":
            bank.append(word)
    return {number: " ".join(words) for number, words in written.items()}, " ".join(bank)
