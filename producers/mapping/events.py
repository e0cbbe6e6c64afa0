"""Turns imported rounds into events, in the order in which they must have been played as far as the log tells.

Nothing is invented: no shuffle, no count of chips, and where decisions are not recorded no hit and no stand. Decisions that the
log shows indirectly are recorded: a second stake is a double, a further hand is a split.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from producers.mapping.map_file import BLACK_JACK, Map
from producers.mapping.row import Cards
from producers.mapping.seats import CLAIMS, Hand, Seat
from producers.sinks import TableDayName
from replayer.engine.rules_in_force import REGULATION_OPTION
from replayer.law.fortune_3_card_poker.bets import ANTE, PAIR_PLUS, RAISE, TO_FOLD, TO_RAISE
from schemas.cards import UNKNOWN_SUIT, CardName
from schemas.codec import encode
from schemas.event import BODY_TYPES, Chips, Event, Option, Table
from schemas.table_day import Row, Tail, tailed

_USUAL_SEATS: Final = 7
_REMEMBERED: Final = 1 << 16
_NEEDS_CARD: Final = frozenset({"hit", "double"})
_ON_ALL_CARDS: Final = "five_card_half"
_IMPLIED: Final = frozenset({"split", "insurance"})
"""Decisions that follow from the seat's hands and stakes."""


@dataclass(frozen=True, slots=True)
class RecordedRound:
    """A round as its events, of which a long log has millions: they are encoded.

    Attributes:
        at: UTC microseconds; without times in the log, the beginning of the gaming day.
        hands: their number; ``last_seat``: the highest number of a seat, 0 where nobody bets.
        not_recorded: facts that its cards leave out: suits, and faces if an open card is not named.
    """

    table_day: TableDayName
    number: int
    at: int
    events: tuple[Tail, ...]
    hands: int
    last_seat: int
    not_recorded: frozenset[str]


def _not_recorded(hands: Sequence[Cards], bank: Cards, plan: Map) -> frozenset[str]:
    cards = [card for dealt in (*hands, bank) for card in dealt]
    suits = {"suits"} if any(card is not None and card[1] == UNKNOWN_SUIT for card in cards) else set()
    holes = bank[1 : 2 if plan.hole_card else 1]  # dealt face down by the rules
    return frozenset(suits | {"faces"} if cards.count(None) > holes.count(None) else suits)


def not_recorded(rounds: Sequence[RecordedRound], plan: Map) -> frozenset[str]:
    """The facts that the map declares as not recorded, and those that the cards leave out."""
    return plan.not_recorded.union(*{round_.not_recorded for round_ in rounds})


def opening(rounds: Sequence[RecordedRound], plan: Map) -> list[Tail]:
    """The table's opening, its rules, and the option that tells what its log does not record; EventRejected where one breaks the
    contract."""
    seats = plan.table.seats or max(_USUAL_SEATS, *(round_.last_seat for round_ in rounds))
    elected = {REGULATION_OPTION: plan.table.regulation, **plan.rules}
    elected["not_recorded"] = ",".join(sorted(not_recorded(rounds, plan)))
    table = Table(plan.table.game, plan.table.currency, seats)
    options = (tailed("OptionElected", option=Option(*option))[1] for option in elected.items())
    return [tailed("TableOpened", table=table, chips=Chips(0))[1], *options]


def numbered(opened: Sequence[Tail], rounds: Sequence[RecordedRound], first_seq: int) -> list[Row]:
    """The opening and the rounds of a table-day, its events numbered from one on."""
    at_once = ((rounds[0].at, None, tail) for tail in opened)
    played = ((round_.at, round_.number, tail) for round_ in rounds for tail in round_.events)
    return [(seq, *row) for seq, row in enumerate((*at_once, *played), first_seq)]


@lru_cache(_REMEMBERED)
def _tail(kind: str, body: str = "", *values: Any) -> Tail:
    """An event of a kind with a body, which is checked and encoded once: most bodies of a log are repeated."""
    return tailed(kind, **({body: BODY_TYPES[body](*values)} if body else {}))[1]


@dataclass(slots=True)
class Round:
    """A round of a table-day, which becomes its events. ``at`` is UTC microseconds, None where the log has no times.

    ``seats`` are as they were played, ``bettors`` as each bettor played them; ``name`` is the log's own, empty where it numbers
    rounds.
    """

    plan: Map
    table_day: TableDayName
    number: int
    at: int | None
    name: str
    bank: Cards
    seats: tuple[Seat, ...]
    bettors: tuple[Seat, ...]
    _events: list[Tail] = field(default_factory=list)

    def recorded(self) -> RecordedRound:
        """The round as its events; EventRejected where one breaks the contract."""
        (table_id, gaming_day), at = self.table_day, self.at
        if at is None:
            at = self.plan.table.gaming_days.begin(gaming_day)
        (self._black_jack if self.plan.table.game == BLACK_JACK else self._fortune)()
        self._settle()
        encode(Event(table_id, 1, at, gaming_day, "RoundClosed", self.number))  # what is not in their tails
        hands = [hand.cards for seat in self.seats for hand in seat.hands]
        last_seat = max((seat.number for seat in self.seats), default=0)
        not_recorded = _not_recorded(hands, self.bank, self.plan)
        return RecordedRound(self.table_day, self.number, at, tuple(self._events), len(hands), last_seat, not_recorded)

    def _fortune(self) -> None:
        """A round of Fortune 3 Card Poker: who did not raise folded; a hand without an ante had nothing to decide. One on which
        several bet decides once, and plays if one of them raised."""
        for bettor in self.bettors:
            if ante := bettor.hands[0].stake_minor:
                self._stake(ANTE, bettor, 0, ante)
            self._stake_beside(bettor, PAIR_PLUS)
        hands = [*((seat.number, seat.hands[0].cards) for seat in self.seats), (None, self.bank)]
        for place, cards in hands:
            for card in cards:
                self._deal(place, 0, card, face="down")
        anted = [bettor for bettor in self.bettors if bettor.hands[0].stake_minor]
        deciding = {bettor.number: bettor for bettor in sorted(anted, key=lambda bettor: RAISE in bettor.sides)}
        for bettor in self.bettors:
            if bettor is deciding.get(bettor.number):
                self._decide(bettor, 0, TO_RAISE if RAISE in bettor.sides else TO_FOLD)
            self._stake_beside(bettor, RAISE)

    def _stake_beside(self, bettor: Seat, kind: str) -> None:
        if stake := bettor.sides.get(kind):
            self._stake(kind, bettor, 0, stake)

    def _black_jack(self) -> None:
        seats, bettors, bank = self.seats, self.bettors, self.bank
        second = 2 if self.plan.hole_card else 1
        for bettor in bettors:
            self._stake("main", bettor, 0, bettor.hands[0].stake_minor)
        for turn in range(2):
            for seat in seats:
                first_two = _first_two(seat)
                if turn < len(first_two):
                    self._deal(seat.number, 0, first_two[turn])
            if turn < min(second, len(bank)):
                self._deal(None, 0, bank[turn], face="up" if turn == 0 else "down")
        for bettor in bettors:
            self._stake_beside(bettor, "insurance")
        for seat in sorted(seats, key=_plays_on):  # who gives up does so before any additional card
            self._play(seat)
        if second == 2 and len(bank) > 1 and bank[1] is not None:
            self._add("CardTurned", "card", None, 0, bank[1], "up")
        for card in bank[second:]:
            self._deal(None, 0, card)

    def _settle(self) -> None:
        for bettor in self.bettors:
            for kind, hand, stake, net in bettor.paid:
                self._add("WagerSettled", "wager", kind, bettor.number, stake, hand, bettor.player, None, net)
        self._add("RoundClosed", *(("remark", self.name) if self.name else ()))

    def _add(self, kind: str, *body: Any) -> None:
        self._events.append(_tail(kind, *body))

    def _deal(self, seat: int | None, hand: int, card: CardName | None, face: str = "up") -> None:
        self._add("CardDealt", "card", seat, hand, card, face if card is not None else "down")

    def _stake(self, kind: str, bettor: Seat, hand: int, stake: int) -> None:
        self._add("WagerPlaced", "wager", kind, bettor.number, stake, hand, bettor.player)

    def _bets(self, seat: Seat, hand: int) -> Iterator[tuple[Seat, Hand]]:
        """The bettors who have a stake on a hand of a seat, with their hand."""
        for bettor in self.bettors:
            if bettor.number == seat.number and hand < len(bettor.hands):
                yield bettor, bettor.hands[hand]

    def _decide(self, seat: Seat, hand: int, action: str) -> None:
        self._add("DecisionTaken", "decision", seat.number, hand, action, seat.player)

    def _play(self, seat: Seat) -> None:
        """Play each hand in turn; a hand splits when its second card is the first card of the next hand."""
        last = len(seat.hands) - 1
        for number, hand in enumerate(seat.hands):
            if number < last:
                following = seat.hands[number + 1]
                if number and following.cards:
                    self._deal(seat.number, number, following.cards[0])
                self._decide(seat, number, "split")
                for bettor, own in self._bets(seat, number + 1):
                    self._stake("split", bettor, number + 1, own.stake_minor)
            rest = list(hand.cards[1 if last else 2 :])
            if last and rest:
                self._deal(seat.number, number, rest.pop(0))
            self._draw(seat, number, hand, rest)

    def _draw(self, seat: Seat, number: int, hand: Hand, rest: list[CardName | None]) -> None:
        for bettor, own in self._bets(seat, number):
            for action in own.actions if bettor is not seat else ():
                if action in CLAIMS:
                    self._decide(bettor, number, action)
        doubled = hand.doubled
        for action in hand.actions:
            if action in _IMPLIED:
                continue
            while action == _ON_ALL_CARDS and rest:
                self._deal(seat.number, number, rest.pop(0))
            self._decide(seat, number, action)
            if action == "double" and doubled:
                self._double(seat, number)
                doubled = False
            if action in _NEEDS_CARD and rest:
                self._deal(seat.number, number, rest.pop(0))
        while doubled and len(rest) > 1:  # the double brought the last card
            self._deal(seat.number, number, rest.pop(0))
        if doubled:
            self._decide(seat, number, "double")
            self._double(seat, number)
        for card in rest:
            self._deal(seat.number, number, card)
        if hand.surrendered and "surrender" not in hand.actions:
            self._decide(seat, number, "surrender")

    def _double(self, seat: Seat, number: int) -> None:
        for bettor, own in self._bets(seat, number):
            if own.doubled:
                self._stake("double", bettor, number, own.stake_minor)


def _plays_on(seat: Seat) -> bool:
    """Whether a seat is not surrendered with its first two cards."""
    return not (seat.hands[0].surrendered and len(seat.hands) == 1 and len(seat.hands[0].cards) == 2)


def _first_two(seat: Seat) -> tuple[CardName | None, ...]:
    """The first two cards of a seat: of a split pair, the first cards of its first two hands."""
    if len(seat.hands) > 1:
        return (*seat.hands[0].cards[:1], *seat.hands[1].cards[:1])
    return seat.hands[0].cards[:2]
