"""What the replay is held against: other people's programs on the very same rounds.

Each opponent is given its rounds in the form it likes best, outside the clock; only its own work is timed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import fastavro
import jackblack
import polars as pl
from eventsourcing.domain import Aggregate, event

from schemas.cards import RANKS
from schemas.notation import place


@dataclass(frozen=True, slots=True)
class Timing:
    """So many things done in so many seconds."""

    count: int
    seconds: float

    @property
    def rate(self) -> float:
        """Things a second."""
        return self.count / self.seconds


class Round(Aggregate):
    """A round as an aggregate of the ``eventsourcing`` package: it folds the facts and settles nothing."""

    @event("Opened")
    def __init__(self, table_id: str, number: int) -> None:
        self.table_id = table_id
        self.number = number
        self.stakes: dict[str, int] = {}
        self.hands: dict[str, list[str]] = {}
        self.nets: dict[str, int] = {}
        self.decisions: list[str] = []
        self.closed = False

    @event("WagerPlaced")
    def place_wager(self, wager: str, stake: int) -> None:
        """A wager placed."""
        self.stakes[wager] = stake

    @event("CardDealt")
    def deal(self, hand: str, card: str) -> None:
        """A card dealt."""
        self.hands.setdefault(hand, []).append(card)

    @event("DecisionTaken")
    def decide(self, action: str) -> None:
        """A decision taken."""
        self.decisions.append(action)

    @event("WagerSettled")
    def settle(self, wager: str, net: int) -> None:
        """A wager settled."""
        self.nets[wager] = net

    @event("Closed")
    def close(self) -> None:
        """The round is over."""
        self.closed = True


def aggregate_events(frame: pl.DataFrame) -> list[Sequence[Any]]:
    """The events of each round as ``eventsourcing`` would store them."""
    rounds: list[Sequence[Any]] = []
    inside = frame.filter(pl.col("round").is_not_null())
    for (table_id, number), rows in inside.group_by(["table_id", "round"], maintain_order=True):
        made = Round(table_id=str(table_id), number=int(str(number)))
        for row in rows.iter_rows(named=True):
            match row["kind"]:
                case "WagerPlaced":
                    made.place_wager(f"{row['wager_seat']}.{row['wager_kind']}", row["wager_stake_minor"])
                case "CardDealt":
                    made.deal(place(row["card_seat"], row["card_hand"]), row["card_card"] or "??")
                case "DecisionTaken":
                    made.decide(f"{row['decision_seat']}.{row['decision_action']}")
                case "WagerSettled":
                    made.settle(f"{row['wager_seat']}.{row['wager_kind']}", row["wager_net_minor"])
                case "RoundClosed":
                    made.close()
                case _:
                    pass
        rounds.append(made.collect_events())
    return rounds


def fold_aggregates(rounds: Sequence[Sequence[Any]]) -> Timing:
    """Fold every round's events into an aggregate, in memory."""
    count = 0
    began = time.perf_counter()
    for events in rounds:
        made = None
        for stored in events:
            made = stored.mutate(made)
        count += len(events)
    return Timing(count, time.perf_counter() - began)


_RANKS = dict(zip(RANKS, ("Ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King"), strict=True))
_SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}

Hands = tuple[list["jackblack.Hand"], "jackblack.Hand"]


def jackblack_hands(frame: pl.DataFrame) -> list[Hands]:
    """Of each Black Jack round the players' first hands and the bank's, as the ``jackblack`` package holds hands."""
    rounds: list[Hands] = []
    dealt = frame.filter(
        (pl.col("kind") == "CardDealt") & (pl.col("card_hand") == 0) & pl.col("card_card").is_not_null()
    )
    for _, rows in dealt.group_by("round", maintain_order=True):
        hands: dict[int | None, list[str]] = {}
        for seat, card in rows.select("card_seat", "card_card").iter_rows():
            hands.setdefault(seat, []).append(card)
        bank = hands.pop(None, [])
        made = [_hand(cards) for cards in hands.values()]
        rounds.append((made, _hand(bank)))
    return rounds


def _hand(cards: list[str]) -> jackblack.Hand:
    return jackblack.Hand(*(jackblack.Card(_RANKS[card[0]], _SUITS[card[1]]) for card in cards), bet=100)


def settle_jackblack(rounds: Sequence[Hands]) -> Timing:
    """Settle every hand by the package's own questions, in the order in which its game asks them; counts rounds."""
    nets = 0.0
    began = time.perf_counter()
    for hands, bank in rounds:
        for hand in hands:
            if hand.is_bust():
                nets -= hand.bet
            elif hand.is_blackjack() and not bank.is_blackjack():
                nets += hand.bet * 1.5
            elif bank.is_bust() or hand.value() > bank.value():
                nets += hand.bet
            elif hand.value() < bank.value():
                nets -= hand.bet
    return Timing(len(rounds), time.perf_counter() - began)


def decode_fastavro(containers: Sequence[Path]) -> Timing:
    """Read containers with ``fastavro`` alone."""
    count = 0
    began = time.perf_counter()
    for path in containers:
        with path.open("rb") as stream:
            for _ in fastavro.reader(stream):
                count += 1
    return Timing(count, time.perf_counter() - began)


def scan_duckdb(parquet: Path) -> Timing:
    """Scan the same rows in DuckDB on one thread: count, sum the nets, group by kind."""
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    began = time.perf_counter()
    rows = connection.execute(
        'SELECT kind, count(*), sum(wager_net_minor), max("at"), count(card_card) FROM read_parquet(?) GROUP BY kind',
        [str(parquet)],
    ).fetchall()
    return Timing(sum(row[1] for row in rows), time.perf_counter() - began)
