"""Attacks on a table's log by whoever may append to it: events that want a finding gone.

:func:`attack` gives, from a table-day and a seed, events that could be appended to it once its table was closed. None of
them may take a finding away. ``holes`` are numbers that the log leaves out and that a late event may claim. :func:`attacked`
is the table-day with such an attack, sealed in parts.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import polars as pl

from replayer.log.columns import TableDay, columns_of, events_of
from replayer.verdicts.replay import Replayed
from schemas.event import CardAt, Chips, Decision, Event, Option, Remark, Shoe, Table
from schemas.finding import Severity

_HOUR: Final = 3_600_000_000
_CARDS: Final = [rank + suit for rank in "A23456789TJQK" for suit in "cdhs"]


class _Log:
    """A table-day as its attacker sees it."""

    def __init__(self, events: Sequence[Event], dice: random.Random) -> None:
        self.events = list(events)
        self.dice = dice
        self.blank = Event(events[0].table_id, 0, events[-1].at, events[0].gaming_day, "Unknown")

    def some(self, *kinds: str) -> Event | None:
        """Some event of these kinds."""
        found = [event for event in self.events if event.kind in kinds]
        return self.dice.choice(found) if found else None

    def event(self, kind: str, **more: object) -> Event:
        """An event to be numbered."""
        return replace(self.blank, kind=kind, **more)  # type: ignore[arg-type]

    def amount(self) -> int:
        """Chips of some worth, now and then less than zero."""
        return self.dice.choice([1, 100_00, 5_000_00, 50_000_00]) * self.dice.choice([1, 1, 1, -1])


def _correction(log: _Log) -> list[Event]:
    target = log.some(*{event.kind for event in log.events})
    if target is None:
        return []
    bodies: dict[str, object] = {}
    if target.wager is not None:
        stake = target.wager.stake_minor
        nets = [-stake, 0, stake, stake * 3 // 2, (target.wager.net_minor or 0) - log.amount()]
        net = None if target.wager.net_minor is None else log.dice.choice(nets)
        bodies["wager"] = replace(target.wager, net_minor=net, stake_minor=log.dice.choice([stake, 2 * stake]))
    elif target.card is not None:
        bodies["card"] = replace(target.card, card=log.dice.choice(_CARDS))
    elif target.decision is not None:
        bodies["decision"] = replace(target.decision, action=log.dice.choice(["hit", "stand", "double", "fold"]))
    elif target.chips is not None:
        bodies["chips"] = Chips(target.chips.amount_minor + log.amount())
    round_ = log.dice.choice([target.round, None])
    return [log.event("CorrectionMade", round=round_, remark=Remark("miskeyed", target.seq), **bodies)]


def _settled_anew(log: _Log) -> list[Event]:
    """A second settlement with the difference, or of a wager that a late placing makes owed."""
    paid = log.some("WagerSettled")
    if paid is None or paid.wager is None:
        return []
    stake, net = paid.wager.stake_minor, paid.wager.net_minor or 0
    other = log.dice.choice([-net, -net - stake, stake, 0])
    placed = replace(paid, kind="WagerPlaced", wager=replace(paid.wager, net_minor=None, stake_minor=abs(net) or stake))
    again = replace(paid, wager=replace(paid.wager, net_minor=other))
    return log.dice.choice([[again], [placed], [placed, again]])


def _round_changed(log: _Log) -> list[Event]:
    """A round that was played is voided, torn by a failure, ended again, or has more cards and words."""
    other = log.some("RoundClosed", "WagerPlaced", "CardDealt")
    if other is None:
        return []
    seat = log.dice.choice([None, 1, 2, 3])
    card = CardAt(seat, 0, log.dice.choice(_CARDS), "up")
    kinds = {
        "RoundVoided": {"remark": Remark("cards cancelled")},
        "EquipmentFailed": {"remark": Remark("the shuffler failed")},
        "RoundClosed": {},
        "WagersClosed": {},
        "HoleCardChecked": {},
        "CardDealt": {"card": card},
        "CardTurned": {"card": card},
        "CardRemoved": {"card": card},
        "TotalAnnounced": {"decision": Decision(seat, points=log.dice.randint(4, 26))},
        "DecisionTaken": {"decision": Decision(seat or 1, action="surrender")},
        "MarkerMoved": {"decision": Decision(seat or 1, points=log.dice.randint(1, 4))},
    }
    kind = log.dice.choice(list(kinds))
    return [log.event(kind, round=other.round, **kinds[kind])]


def _custody(log: _Log) -> list[Event]:
    amount = log.amount()
    slip = log.some("ChipsFilled", "ChipsCredited")
    name = slip.chips.slip if slip and slip.chips and log.dice.random() < 0.5 else "F-999"
    opened = log.some("TableOpened")
    table = opened.table if opened else Table("black_jack", "MOP", 7)
    opening = log.event("TableOpened", table=table, chips=Chips(abs(amount)))
    closing = log.event("TableClosed", chips=Chips(log.dice.choice([0, 2 * abs(amount)])))
    steps = [
        [opening],
        [closing],
        [opening, closing],
        [closing, opening],
        [log.event("ChipsFilled", chips=Chips(amount, name))],
        [log.event("ChipsCredited", chips=Chips(amount, name))],
        [log.event("CashBoughtIn", chips=Chips(amount))],
        [log.event("DropCounted", chips=Chips(amount))],
        [log.event("SlipVoided", chips=Chips(amount, name), remark=Remark("wrong table"))],
    ]
    return log.dice.choice(steps)


def _elected(log: _Log) -> list[Event]:
    unseen = log.dice.choice(["custody", "shuffle,cut", "deal_order,faces", "authorisations", "decisions,close,times"])
    options = [
        Option("not_recorded", unseen),
        Option("bank_soft17", "stand"),
        Option("decks", log.dice.choice(["1", "8"])),
        Option("regulation", "bj.house"),
    ]
    return [log.event("OptionElected", option=log.dice.choice(options))]


def _between_rounds(log: _Log) -> list[Event]:
    """What belongs to no round: shuffles, dealers, streak buttons, failures."""
    return [
        log.dice.choice(
            [
                log.event("ShoeShuffled", shoe=Shoe(99, "hand", 8)),
                log.event("DealerEntered", table=Table(staff="D-X")),
                log.event("DealerLeft", table=Table(staff="D-X")),
                log.event("MarkerMoved", decision=Decision(log.dice.randint(1, 7), points=log.dice.randint(1, 4))),
                log.event("EquipmentFailed", remark=Remark("the shoe failed")),
                log.event("CutCardDrawn", shoe=Shoe(1)),
            ]
        )
    ]


def _round_anew(log: _Log) -> list[Event]:
    """A round copied: under its own number, under one in between, or as a new one behind all others."""
    other = log.some("RoundClosed")
    if other is None or other.round is None:
        return []
    last = max(event.round or 0 for event in log.events)
    number = log.dice.choice([other.round, last + 1, last + 2, 0])
    played = [replace(event, round=number) for event in log.events if event.round == other.round]
    return played[: log.dice.choice([3, len(played)])]


def _told_again(log: _Log) -> list[Event]:
    """An event of the log once more, under its own number, with other words."""
    event = log.some("WagerSettled", "TableClosed", "DropCounted", "CardDealt")
    if event is None:
        return []
    if event.wager is not None:
        return [replace(event, wager=replace(event.wager, net_minor=0))]
    if event.chips is not None:
        return [replace(event, chips=Chips(event.chips.amount_minor + log.amount()))]
    return [replace(event, card=replace(event.card or CardAt(), card=log.dice.choice(_CARDS)))]


def _unsound(log: _Log) -> list[Event]:
    """An event that breaks the contract, in a round of the log or in none: the recorder refuses it, an archive may hold it."""
    other = log.some("RoundClosed", "WagerSettled")
    round_ = other.round if other else None
    broken = [
        log.event("WagerSettled", round=round_),
        log.event("WagerSettled"),
        log.event("TotalAnnounced", round=round_, decision=Decision(1, points=-1)),
        log.event("CardDealt", round=round_, card=CardAt(9999, 0, "As", "up")),
        log.event("OptionElected", option=Option("x" * 5000, "y")),
        log.event("TableClosed"),
        log.event("TableOpened", chips=Chips(10**17)),
        log.event("MarkerMoved", decision=Decision(1, points=10**6)),
        log.event("CorrectionMade", remark=Remark("z" * 50_000, other.seq if other else 1), chips=Chips(10**17)),
        log.event("ShoeShuffled", shoe=Shoe(1, "hand", 10**6)),
    ]
    return [log.dice.choice(broken)]


STEPS: Final[tuple[Callable[[_Log], list[Event]], ...]] = (
    _correction, _correction, _correction, _settled_anew, _round_changed, _round_changed, _custody, _custody, _elected,
    _between_rounds, _round_anew, _told_again, _unsound,
)  # fmt: skip
"""The single steps of an attack, some more often than others."""


def attack(events: Sequence[Event], seed: int, *, steps: int = 4, holes: Sequence[int] = ()) -> list[Event]:
    """Events to append to a table-day that was closed, in the order in which they come.

    They are numbered behind the last one, now and then with a number left out; one in four claims a hole where there is
    one. Their clock may stand before that of the last event. An event of :func:`_told_again` has the number it has.
    """
    dice = random.Random(seed)
    log = _Log(events, dice)
    seq = max(event.seq for event in events)
    free = list(holes)
    made: list[Event] = []
    for _ in range(dice.randint(1, steps)):
        step = dice.choice(STEPS)
        for event in step(log):
            if step is _told_again:
                made.append(event)
                continue
            if free and dice.random() < 0.25:
                number = free.pop(dice.randrange(len(free)))
            else:
                seq += dice.choice([1, 1, 1, 1, 1, 3])
                number = seq
            at = log.blank.at + dice.choice([1, 1, -_HOUR]) * (1 + seq)
            made.append(replace(event, seq=number, at=at))
            log.events.append(made[-1])
    return made


def attacked(day: TableDay, seed: int) -> tuple[TableDay, list[Event]]:
    """A closed table-day with an attack appended to it, in the parts in which an archive would have sealed it: with what
    stood there before, or later. What claims a number that was passed over, or one that is taken, came later."""
    dice = random.Random(seed)
    seqs = set(day.events["seq"].to_list())
    holes = sorted(set(range(min(seqs), max(seqs))) - seqs)
    made = attack(list(events_of(day.events)), seed, holes=holes)
    cuts = sorted(dice.sample(range(len(made) + 1), k=min(len(made) + 1, dice.randint(1, 2))))
    parts = [made[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(made)], strict=True)]
    if any(event.seq <= max(seqs) for event in parts[0]):
        parts = [[], *parts]
    frames = [day.events, *(columns_of(part) for part in parts)]
    counts = (frames[0].height + frames[1].height, *(frame.height for frame in frames[2:]))
    return replace(day, events=pl.concat(frames), parts=counts), made


def grave(replayed: Replayed) -> Counter[tuple[object, ...]]:
    """The findings that are more than advice, by all that must stay as it was."""
    found = replayed.findings.filter(pl.col("severity") != Severity.ADVISORY)
    return Counter(found.select("code", "seq", "round", "seat", "article", "delta_minor").rows())
