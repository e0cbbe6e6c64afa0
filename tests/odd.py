"""Odd table-days: whatever the contract accepts, however little sense it makes, and what breaks it, as other programs write.

``odd_table_day(seed)`` gives the events of one table-day that a recorder accepts; the same seed gives the same events.
``write_foreign`` puts any events into an archive as a program without our contract would, manifest and digests in order.
The property tests and ``make torture`` use them.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

import fastavro

from replayer.law.calendar import VERSIONS
from replayer.sources.layout import Manifest, PartName
from replayer.sources.table_days import TableDayRef
from schemas.bounds import NUMBERS, TEXTS
from schemas.cards import DECK, RANKS
from schemas.codec import Schema, current
from schemas.container import write_container
from schemas.event import CardAt, Chips, Decision, Denomination, Event, Option, Remark, Shoe, Table, Wager, micros
from schemas.kinds import KINDS, SHAPES, UNKNOWN_KIND

DAY = dt.date(2009, 6, 1)
_NOON = micros(dt.datetime.combine(DAY, dt.time(12), dt.UTC))
_SECOND = 1_000_000
_WRITTEN = [kind for kind in KINDS if kind != UNKNOWN_KIND]
_OF_ROUNDS = [kind for kind in _WRITTEN if "round" in SHAPES[kind].required]
_CHOICES = sorted({choice.name for version in VERSIONS if version.regulation for choice in version.regulation.choices})
_OPTIONS = [*_CHOICES, "regulation", "not_recorded", "no such option", ""]
_VALUES = [
    *("6", "1", "0", "-1", "9" * 40, "1/0", "1/3", "none", "yes", "no", "auto", "shoe", "1", "1,2,3", "nan", "1e999"),
    *("hit", "stand", "custody", "times,faces,suits", *(version.id for version in VERSIONS), "bj.9-9999"),
]
_WAGERS = [
    *("main", "double", "split", "insurance", "perfect_pair", "any_pair", "sevens", "over_13", "under_13", "streak_2"),
    *("streak_5", "ante", "raise", "pair_plus", "all", "hand", "no such wager"),
]
_ACTIONS = [
    *("hit", "stand", "double", "split", "surrender", "insurance", "even_money", "special_prize", "five_card_half"),
    *("decline_special_prize", "fold", "natural", "raise", "hit it hard"),
]
_TEXTS = [
    "",
    " ",
    "\x00",
    "a\x00b",
    "\n\t\r",
    "\x1b[2J",
    "\u202e",
    "\ufffe",
    "葡京",
    "𝕏",
    "%{}:;=",
    "-1",
    "None",
    "a" * 200,
]
_FULL = 4_200
"""Distinct texts of a table-day that has many: more than the 4,095 that overflowed once."""


def odd_table_day(seed: int, table_id: str = "ODD", day: dt.date = DAY) -> list[Event]:
    """The events of a random table-day that the contract accepts: numbered from 1, sound one by one and odd together.

    One in eight has thousands of distinct texts; the others have a few hundred events of any kind in any order.
    """
    random = Random(seed)
    told = _Teller(random, table_id, day)
    return list(told.many_texts() if seed % 8 == 7 else told.anything())


class _Teller:
    """Tells one odd table-day."""

    def __init__(self, random: Random, table_id: str, day: dt.date) -> None:
        self._random = random
        self._blank = Event(table_id, 0, _NOON + (day - DAY).days * 86_400 * _SECOND, day, UNKNOWN_KIND)
        self._seq = random.choice((0, 0, 0, 10**12 - 10_000))
        self._round: int | None = None

    def anything(self) -> Iterator[Event]:
        """A table that is perhaps opened, whatever happens at it, perhaps a closing."""
        random = self._random
        if random.random() < 0.9:
            game = random.choice(("black_jack", "black_jack", "fortune_3_card_poker", "roulette", self._text()))
            seats = random.choice((7, 9, self._number("table.seats")))
            yield self._event(
                "TableOpened", table=Table(game, random.choice(("MOP", self._text())), seats), chips=Chips(0)
            )
        for _ in range(random.randrange(3)):
            yield self._event("OptionElected")
        self._round = random.choice((0, 1, 10**12 - 300))
        for _ in range(random.randrange(5, 30)):
            yield from self._some_round()
            self._round = self._next_round(self._round)
        self._round = None
        if random.random() < 0.7:
            yield self._event("TableClosed", chips=Chips(self._number("chips.amount_minor")))

    def many_texts(self) -> Iterator[Event]:
        """A day of voided rounds, each with a cause of its own."""
        opened = Table("black_jack", "MOP", 7)
        yield self._event("TableOpened", table=opened, chips=Chips(0))
        for number in range(1, _FULL):
            self._round = number
            yield self._event("WagerPlaced", wager=Wager("main", 1, 10_000, player=f"p{number}"))
            yield self._event("RoundVoided", remark=Remark(f"cause {number} {self._random.choice(_TEXTS)}"))
        self._round = None
        yield self._event("TableClosed", chips=Chips(0))

    def _some_round(self) -> Iterator[Event]:
        random = self._random
        kinds: Sequence[str] = _OF_ROUNDS
        if random.random() < 0.2:
            kinds = [*_WRITTEN, *_WRITTEN, "CorrectionMade", "MarkerMoved"]
        elif random.random() < 0.3:
            kinds = ("WagerPlaced", "CardDealt", "DecisionTaken", "WagerSettled", "TotalAnnounced")
        for _ in range(random.randrange(1, 25)):
            yield self._event(random.choice(kinds))
        if random.random() < 0.7:
            yield self._event("RoundClosed")

    def _next_round(self, number: int | None) -> int | None:
        if number is None:
            return self._number("round")
        step = self._random.choice((1, 1, 1, 1, 1, 2, 7, 0, -1, None, 10**9))
        return None if step is None else min(max(number + step, 0), NUMBERS["round"][1])

    def _event(self, kind: str, **bodies: Any) -> Event:
        """The next event: of a kind, with what it must and, now and then, with what it may carry."""
        random, shape = self._random, SHAPES[kind]
        self._seq += random.choice((1, 1, 1, 1, 1, 1, 1, 1, 1, 2)) if self._seq % 50 == 49 else 1
        needed = {path.split(".")[0] for path in shape.required if "." in path}
        for name in sorted(shape.bodies):
            if name not in bodies and (name in needed or random.random() < 0.3):
                bodies[name] = self._body(name)
        number = self._round
        if number is None and "round" in shape.required:
            number = self._number("round")
        step = random.choice((_SECOND, _SECOND, _SECOND, 0, -_SECOND, 3_600 * _SECOND))
        self._blank = replace(self._blank, at=self._blank.at + step)
        return replace(self._blank, seq=self._seq, kind=kind, round=number, **bodies)

    def _body(self, name: str) -> Any:
        random, number, text = self._random, self._number, self._text
        player = random.choice(("p1", "p2", None, text()))
        match name:
            case "table":
                return Table(text(), text(), number("table.seats"), text())
            case "option":
                days = random.choice(
                    ((None, None, None), (DAY, DAY, DAY), (dt.date(3, 1, 1), None, dt.date(9990, 1, 1)))
                )
                return Option(random.choice((*_OPTIONS, text())), random.choice((*_VALUES, text())), text(), *days)
            case "shoe":
                by = random.choice(("player", "bank", text()))
                return Shoe(number("shoe.shoe"), text(), number("shoe.decks"), by, number("shoe.behind"))
            case "card":
                card = random.choice((*DECK, *DECK, *(f"{rank}x" for rank in RANKS)))
                seat = random.choice((None, 1, 1, number("card.seat")))
                return CardAt(seat, random.choice((0, 0, 0, number("card.hand"))), card, random.choice(("up", "down")))
            case "wager":
                seat, hand = random.choice((1, 1, number("wager.seat"))), random.choice((0, 0, number("wager.hand")))
                kind = random.choice((*_WAGERS, *_WAGERS, text()))
                stake = random.choice((10_000, 10_000, number("wager.stake_minor")))
                net = random.choice((10_000, -10_000, number("wager.net_minor")))
                return Wager(kind, seat, stake, hand, player, random.choice((None, 0, number("wager.position"))), net)
            case "decision":
                seat = random.choice((1, 1, number("decision.seat")))
                action = random.choice((*_ACTIONS, *_ACTIONS, text()))
                return Decision(
                    seat, random.choice((0, 0, number("decision.hand"))), action, player, number("decision.points")
                )
            case "chips":
                counted = random.choice((None, (), (Denomination(10_000, 3), Denomination(10_000, 4))))
                return Chips(number("chips.amount_minor"), random.choice(("F1", text())), player, counted)
            case _:
                return Remark(text(), random.choice((1, self._seq, number("remark.refers_to"))))

    def _number(self, path: str) -> int:
        """A number that a field may hold: mostly a small one, often an end of its bounds."""
        least, most = NUMBERS[path]
        return self._random.choice(
            (least, most, min(most, least + 16), self._random.randint(least, min(most, 300)), most // 2)
        )

    def _text(self) -> str:
        """A text that any field may hold."""
        random = self._random
        return random.choice((*_TEXTS, f"text {random.randrange(10**9)}", "x" * min(TEXTS.values()), "main", "hit"))


# Other programs


def as_record(event: Event) -> dict[str, Any]:
    """The event as fastavro takes it, made by the standard library alone."""
    made = asdict(event)
    if made["chips"] is not None and made["chips"]["denominations"] is not None:
        made["chips"]["denominations"] = list(made["chips"]["denominations"])  # fastavro reads a tuple as a type hint
    return made


def foreign_datum(event: Event, schema: Schema | None = None) -> bytes:
    """The bytes that a program without our contract writes for an event."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, (schema or current()).parsed, as_record(event))
    return out.getvalue()


def write_foreign(
    archive: Path, events: Sequence[Event], alter: Callable[[list[bytes]], list[bytes]] = lambda datums: datums
) -> TableDayRef:
    """Put the events of one table-day into an archive past the contract; ``alter`` may change the bytes of its datums.

    The manifest pins what is there, so that only what the events say is wrong.
    """
    name = PartName(events[0].gaming_day, events[0].table_id)
    out = io.BytesIO()
    write_container(out, current(), alter([foreign_datum(event) for event in events]), {"by": "another program"})
    data = out.getvalue()
    seqs = [event.seq for event in events]
    manifest = Manifest(
        table_id=name.table_id,
        gaming_day=name.gaming_day,
        part=0,
        count=len(events),
        first_seq=min(seqs),
        last_seq=max(seqs),
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        schema_fingerprint=current().fingerprint.hex(),
        schema_sha256=current().sha256,
    )
    name.container(archive).parent.mkdir(parents=True, exist_ok=True)
    name.container(archive).write_bytes(data)
    name.manifest(archive).write_text(manifest.to_json())
    return TableDayRef(name.gaming_day, name.table_id, archive)
