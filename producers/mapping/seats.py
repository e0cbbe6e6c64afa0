"""Builds a seat from its rows: the stake of each hand before doubling, and the log's payments, by hand or in one sum."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile, zip_longest
from typing import Any, Final, TypeAlias

from producers.mapping.cells import JsonNumber, NotReadable, shown
from producers.mapping.map_file import BLACK_JACK, FACTS, Map
from producers.mapping.row import Cards, HandEntry, Row
from replayer.contract.wagers import WHOLE_HAND, WHOLE_SEAT
from replayer.law.black_jack.points import MOST, hard_points
from schemas.money import format_amount

MOST_HANDS: Final = 16
_NUMBERED: Final = re.compile(r"[0-9]{1,3}|[A-Za-z]")
"""The number of a hand of a seat: digits or a letter."""


Paid: TypeAlias = tuple[str, int, int, int]
"""What a log pays on a wager: its kind, hand, stake and net."""


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand: ``stake_minor`` is before doubling."""

    cards: Cards
    stake_minor: int
    doubled: bool
    surrendered: bool
    actions: tuple[str, ...]

    @property
    def at_risk_minor(self) -> int:
        """The stake with its double."""
        return self.stake_minor * (2 if self.doubled else 1)


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat with its hands, as one bettor plays it: ``sides`` has the stakes of his side wagers by kind, ``paid`` what the log
    pays, by wager, by hand or for the whole seat."""

    number: int
    player: str | None
    hands: tuple[Hand, ...]
    sides: Mapping[str, int]
    paid: tuple[Paid, ...]


class NumberedFrom0(Exception):
    """The hands of a seat are numbered from 0, and had been taken to be from 1."""


CLAIMS: Final = frozenset({"even_money", "no_insurance"})
"""Decisions that each bettor on a seat takes for himself."""


def shared_hands(bettors: Sequence[Seat]) -> Seat:
    """The seat that bettors share: its hands with what was decided on them. Raises NotReadable where the bettors' rows have
    different hands."""
    if len(bettors) == 1:
        return bettors[0]
    hands = []
    for shared in zip_longest(*(seat.hands for seat in bettors)):  # a bettor need not follow a split
        same = [hand for hand in shared if hand is not None]
        decided = {tuple(action for action in hand.actions if action not in CLAIMS) for hand in same} - {()}
        if len({(hand.cards, hand.surrendered) for hand in same}) > 1 or len(decided) > 1:
            raise NotReadable(
                f"the bettors on seat {bettors[0].number} share its hands, and their rows have different cards or decisions"
            )
        doubled = any(hand.doubled for hand in same)
        hands.append(replace(same[0], doubled=doubled, actions=next(iter(decided), ())))
    return Seat(bettors[0].number, None, tuple(hands), {}, ())


class SeatBuilder:
    """Builds a bettor's seat from its hands' entries. ``first_hand`` is the log's number for the first of several hands. Every
    method raises RowFaulty where the rows contradict each other, or lack something."""

    def __init__(self, number: int, entries: Sequence[HandEntry], plan: Map, first_hand: int) -> None:
        self._number = number
        self._entries = _in_order(entries, plan, first_hand)
        self._plan = plan

    def build(self) -> Seat:
        """The seat."""
        entries = self._entries
        if len(entries) > MOST_HANDS:
            message = f"{len(entries)} hands at seat {self._number}; {MOST_HANDS} are the most"
            raise entries[-1].row.fault("cards", message)
        self._require_whole_hands()
        hands = self._hands()
        sides, apart = self._sides()
        self._require_actions_agree(sides)
        player = next((one.player for one in entries if one.player is not None), None)
        return Seat(self._number, player, hands, sides, tuple(self._paid(hands, sides, apart)))

    def _sides(self) -> tuple[dict[str, int], dict[str, int]]:
        """The stakes of the side wagers that were placed, and their nets where the log tells them apart."""
        stakes, apart = dict[str, int](), dict[str, int]()
        for kind in self._plan.side_wagers:
            stake = self._one_for_all(kind, (one.side_minor[kind] for one in self._entries))
            if not stake:
                for one in self._entries:
                    self._require_no_net(one.row, f"{kind}_result", one.side_results[kind])
                continue
            stakes[kind] = stake
            if f"{kind}_result" in self._plan.columns:
                apart[kind] = self._side_net(kind, stake)
        return stakes, apart

    def _paid(self, hands: Sequence[Hand], sides: Mapping[str, int], apart: Mapping[str, int]) -> Iterator[Paid]:
        """What the log pays. One amount is of the seat where several hands share it, or a hand with side wagers that have no net
        of their own."""
        included = sum(stake for kind, stake in sides.items() if kind not in apart)
        net, nets = None, list[int | None]()
        if self._plan.results.covers == "seat":
            net = self._seat_net(hands, included)
        else:
            for one, hand in zip(self._entries, hands, strict=True):
                more = 0 if nets else included  # in the result of the first hand
                if hand.stake_minor + more or not sides:
                    risk = hand.at_risk_minor
                    nets.append(self._net(one.row, "result", one.result, risk, risk + more))
                else:
                    self._require_no_net(one.row, "result", one.result)
                    nets.append(None)
            if included:
                net = sum(paid for paid in nets if paid is not None)
        if net is not None and apart:
            if len(hands) > 1:
                net, included, apart = net + sum(apart.values()), sum(sides.values()), {}
            elif not included:  # the seat's amount is its only hand's
                net, nets = None, [net]
        if net is not None:
            yield WHOLE_SEAT, 0, sum(hand.at_risk_minor for hand in hands) + included, net
        for kind, paid in apart.items():
            yield kind, 0, sides[kind], paid
        if net is None:
            for number, (hand, paid_for_hand) in enumerate(zip(hands, nets, strict=True)):
                if paid_for_hand is not None:
                    yield WHOLE_HAND, number, hand.at_risk_minor, paid_for_hand

    # Hands

    def _require_whole_hands(self) -> None:
        """Refuse a hand that was dealt cards after it had more than 21, even where the map has columns for the hands of a split
        pair: the log may still have merged hands."""
        plan = self._plan
        if plan.table.game != BLACK_JACK or plan.rules.get("max_splits") == "0":
            return
        advice = (
            "Tell each hand apart as the map says"
            if plan.hands_separator or {"hand", "hands"} & plan.columns.keys()
            else "Give hands_separator under [cards] of the map, or map a column hand"
        )
        for one in self._entries:
            ranks = "".join(card[0] for card in takewhile(lambda card: card is not None, one.cards) if card)
            over = next((count for count in range(1, len(ranks)) if hard_points(ranks[:count]) > MOST), None)
            if over is not None:
                message = (
                    f"the hand had {hard_points(ranks[:over])} points with card {over} and went on: are these several "
                    f"hands? {advice}; where no pair is ever split, set max_splits = 0 under [rules]"
                )
                raise one.row.fault("cards", message)

    def _require_actions_agree(self, sides: Collection[str]) -> None:
        """Require that decisions agree with the hands and stakes of other columns."""
        for one in self._entries:
            if "split" in one.actions and len(self._entries) == 1:
                message = (
                    "a split is decided and the seat has one hand: map its other hands, see hand and hands_separator"
                )
                raise one.row.fault("decisions", message)
            if "insurance" in one.actions and "insurance" not in sides:
                message = "insurance is decided and no stake of it is given: map the column insurance"
                raise one.row.fault("decisions", message)
            if "double" in one.actions and one.doubled is False:
                raise one.row.fault("doubled", "it says no, and the decisions say that the hand was doubled")

    # Stakes

    def _hands(self) -> tuple[Hand, ...]:
        stakes = map(self._own_stake, self._entries) if self._plan.stakes.covers == "hand" else self._shared_stakes()
        hands = []
        for one, (stake, doubled) in zip(self._entries, stakes, strict=True):
            if doubled and len(one.cards) < 3 and "decisions" not in self._plan.columns:  # else a replay finds it
                fact = "stake" if one.doubled is None else "doubled"
                brings = f"a double of {format_amount(stake)} brings a third card, and the hand has {len(one.cards)}"
                raise one.row.fault(fact, brings)
            hands.append(Hand(one.cards, stake, doubled, one.surrendered, one.actions))
        return tuple(hands)

    def _one_for_all(self, fact: str, amounts: Iterable[int]) -> int:
        """An amount of the whole seat, from one of its rows, or the same in several."""
        given = {amount for amount in amounts if amount}
        if len(given) > 1:
            message = "the seat's rows have different amounts where one is for the whole seat"
            raise self._entries[-1].row.fault(fact, message)
        return given.pop() if given else 0

    def _shared_stakes(self) -> list[tuple[int, bool]]:
        """The stakes of hands with only their sum or the first given: they are equal, as a split stakes the same amount."""
        total = self._one_for_all("stake", (one.stake_minor for one in self._entries))
        if not total:
            raise self._entries[0].row.fault("stake", f"no amount: {FACTS['stake']}")
        stakes = self._plan.stakes
        doubles = sum(1 for one in self._entries if one.doubled and stakes.double_inside)
        parts = 1 if stakes.covers == "first" else len(self._entries) + doubles
        if total % parts:
            raise self._entries[0].row.fault("stake", f"{format_amount(total)} is no sum of {parts} equal stakes")
        return [(total // parts, bool(one.doubled)) for one in self._entries]

    def _own_stake(self, one: HandEntry) -> tuple[int, bool]:
        """The stake of a hand before doubling, and whether it was doubled."""
        stake, base, doubled = one.stake_minor, one.base_minor, one.doubled
        if not self._plan.stakes.double_inside:
            return stake, bool(doubled)
        if base is not None:
            amount, before = format_amount(stake), format_amount(base)
            if stake not in (base, 2 * base):
                raise one.row.fault("stake", f"{amount} is neither the stake {before} before doubling nor its double")
            if doubled not in (None, stake != base):
                message = f"{amount} on a base of {before} contradicts what the log says of doubling"
                raise one.row.fault("stake", message)
            return base, stake != base
        if not doubled:
            return stake, False
        if stake % 2:
            raise one.row.fault("stake", f"{format_amount(stake)} is no doubled stake")
        return stake // 2, True

    # Results

    def _seat_net(self, hands: Sequence[Hand], included: int) -> int:
        entries = self._entries
        given = {str(one.result).strip(): one for one in entries if one.result is not None and str(one.result).strip()}
        if len(given) != 1:
            raise entries[-1].row.fault("result", "one result for the whole seat is wanted")
        if self._plan.results.given == "words" and len(hands) > 1:
            raise entries[-1].row.fault("result", "one word cannot say what several hands came to")
        ((result, one),) = given.items()
        risk = sum(hand.at_risk_minor for hand in hands)
        return self._net(one.row, "result", result, risk, risk + included)

    def _side_net(self, kind: str, stake: int) -> int:
        given = ((one.row, one.side_results[kind]) for one in self._entries)
        filled = next(((row, cell) for row, cell in given if cell is not None and str(cell).strip()), None)
        row, cell = filled or (self._entries[0].row, None)
        return self._net(row, f"{kind}_result", cell, stake, stake)

    def _require_no_net(self, row: Row, fact: str, cell: Any) -> None:
        """Refuse an amount of a wager that was not placed; a word may say so of it."""
        amount = cell is not None and bool(str(cell).strip()) and self._plan.results.given != "words"
        if amount and self._net(row, fact, cell, 0, 0):
            raise row.fault(fact, f"{shown(cell)}, and no stake that this came of")

    def _net(self, row: Row, fact: str, cell: Any, stake: int, given_up: int) -> int:
        """The net of a result: words are multiples of ``stake``; returned chips are compared with ``given_up``."""
        text = "" if cell is None else str(cell).strip()
        if not text:
            raise row.fault(fact, f"nothing there: {FACTS[fact]}")
        results = self._plan.results
        if results.given == "words":
            return self._net_of_word(row, fact, text, stake)
        amount = row.minor_units(fact, cell if isinstance(cell, JsonNumber) else text)
        if results.given == "net":
            return amount
        if amount < 0:
            raise row.fault(fact, f"{shown(text)} chips returned, and none come back below zero; a net may be")
        return amount - given_up

    def _net_of_word(self, row: Row, fact: str, word: str, stake: int) -> int:
        results = self._plan.results
        words = results.words[fact]
        if word not in words:
            message = f"{shown(word)} is none of the words {', '.join(words)}; add it to [result] with what it pays"
            raise row.fault(fact, message)
        net = words[word] * stake
        if net.denominator != 1:
            raise row.fault(fact, f"{shown(word)} comes to {net} minor units, which is no whole number")
        return net.numerator


def _in_order(entries: Sequence[HandEntry], plan: Map, first_hand: int) -> list[HandEntry]:
    """The hands of a seat by their numbers, where the log numbers them."""
    if "hand" not in plan.columns or (len(entries) == 1 and not entries[0].name):
        return list(entries)
    written = "1, 2, 3 or a, b, c is wanted, for each seat anew"
    for one in entries:
        if not _NUMBERED.fullmatch(one.name) or one.name.isdigit() != entries[0].name.isdigit():
            raise one.row.fault("hand", f"{shown(one.name)} does not number the hands of a seat: {written}")
    numbered = sorted(((_number(one.name), one) for one in entries), key=lambda pair: pair[0])
    if first_hand and len(entries) > 1 and entries[0].name.isdigit() and numbered[0][0] == 0:
        raise NumberedFrom0
    first = first_hand if entries[0].name.isdigit() else 1
    if len(entries) == 1 and numbered[0][0] == 0:  # some logs number an unsplit hand 0
        first = 0
    for wanted, (number, one) in enumerate(numbered, first):
        if number != wanted:
            wrong = " stands there twice" if number < wanted else ", and one before it is missing"
            raise one.row.fault("hand", f"hand {shown(one.name)} of the seat{wrong}: {written}")
    return [one for _, one in numbered]


def _number(name: str) -> int:
    return int(name) if name.isdigit() else ord(name.lower()) - ord("a") + 1
