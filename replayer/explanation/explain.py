"""Explains one round, card by card, with every rule applied: its article, what was due, what was paid.

An explanation is made by the same replay that settles the round; it has no rules of its own.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import polars as pl

from replayer.contract.outcomes import Judgement
from replayer.engine.reconstruct import Reconstruction
from replayer.engine.rules_in_force import ReplaySettings
from replayer.integrity.log import TableDay
from replayer.law.rulings import register
from replayer.log.columns import events_of
from replayer.log.wording import say, with_player
from replayer.processes.judging import within_a_query
from replayer.verdicts.payment import SETTLED_NOTHING, WAGER_UNSETTLED, WHOLE_SEAT
from replayer.verdicts.replay import replay_round
from schemas.bounds import NUMBERS
from schemas.event import moment
from schemas.identity import Pseudonyms
from schemas.money import format_amount, format_due
from schemas.notation import place, print_events


class NoSuchRound(LookupError):
    """The table-day has no such round; the message says which rounds it has."""


@dataclass(frozen=True, slots=True)
class Line:
    """One event of the round, or one rule applied. ``article`` is empty for events."""

    seq: int | None
    at: str
    text: str
    article: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A round explained. Amounts are minor units; ``delta_minor`` is paid less due.

    Among its ``wagers`` are those of earlier rounds that ended or were settled in it; ``round`` of each is where it was placed.
    """

    table_id: str
    gaming_day: dt.date
    round: int
    game: str
    regulation: str
    instruments: tuple[str, ...]
    options: Mapping[str, str]
    notation: str
    zone: str
    events: tuple[Line, ...]
    rules: tuple[Line, ...]
    wagers: tuple[Mapping[str, Any], ...]
    rulings: tuple[Mapping[str, Any], ...]
    findings: tuple[Mapping[str, Any], ...]

    @property
    def delta_minor(self) -> int:
        """The amount that the house overpaid in the round, payments for wagers never placed included; negative if underpaid."""
        for_nothing = [found for found in self.findings if found["code"] == SETTLED_NOTHING.code]
        return sum(each["delta_minor"] or 0 for each in (*self.wagers, *for_nothing))

    def to_dict(self) -> dict[str, Any]:
        """A JSON object of the whole explanation."""
        return {
            "table_id": self.table_id,
            "gaming_day": self.gaming_day.isoformat(),
            "round": self.round,
            "game": self.game,
            "regulation": self.regulation,
            "instruments": list(self.instruments),
            "options": dict(self.options),
            "notation": self.notation,
            "zone": self.zone,
            "events": [{"seq": line.seq, "at": line.at, "text": line.text} for line in self.events],
            "rules": [{"about": line.at, "article": line.article, "text": line.text} for line in self.rules],
            "wagers": [dict(wager) for wager in self.wagers],
            "rulings": [dict(ruling) for ruling in self.rulings],
            "findings": [dict(finding) for finding in self.findings],
            "delta_minor": self.delta_minor,
        }

    def text(self) -> str:
        """The explanation as a page of plain text; a line break inside a text of the log begins no line of the page."""
        head = [
            f"Table {self.table_id}, gaming day {self.gaming_day}, round {self.round}: {self.game}",
            f"Judged by {self.regulation} ({'; '.join(self.instruments)})",
            "",
            self.notation,
            "",
            f"What happened (times: {self.zone})",
        ]
        body = [f"  {line.seq:>6}  {line.at}  {line.text}" for line in self.events]
        rules = ["", "Rules applied"]
        rules += [f"  {line.at:<10} {line.article:<24} {line.text}" for line in self.rules]
        money = ["", "Due and paid"]
        several = _several_bettors((wager["place"], wager["wager"], wager["player"]) for wager in self.wagers)
        for wager in self.wagers:
            bettor = f"  ({wager['player']})" if (wager["place"], wager["wager"]) in several and wager["player"] else ""
            placed = "" if wager["round"] == self.round else f"  placed in round {wager['round']}"
            money.append(f"  {_money_line(wager)}{bettor}{placed}")
        rulings = ["", "Depends on these readings of doubtful texts"] if self.rulings else []
        rulings += [f"  {r['id']} {r['option']} = {r['reading']}: {r['question']}" for r in self.rulings]
        found = ["", "Findings"] if self.findings else ["", "No findings"]
        found += [f"  {f['code']} (seq {f['seq']}) {f['article']} {f['message']}{_corrected(f)}" for f in self.findings]
        lines = [*head, *body, *rules, *money, *rulings, *found]
        return "\n".join(_BREAK.join(line.splitlines()) for line in lines)


_BREAK: Final = "\ufffd"
"""What stands for a line break inside a line."""
_FINDING: Final = (
    "code", "severity", "seq", "seat", "article", "message", "delta_minor", "before", "after", "corrected_by"
)  # fmt: skip


def _corrected(finding: Mapping[str, Any]) -> str:
    return f" (corrected too late by seq {finding['corrected_by']})" if finding["corrected_by"] else ""


def _several_bettors(placed: Iterable[tuple[str, str, str | None]]) -> set[tuple[str, str]]:
    """The places and kinds of wagers that are not all of one bettor: there a line that names none could be of each of them."""
    bets = Counter((where, kind) for where, kind, _ in set(placed))
    return {bet for bet, bettors in bets.items() if bettors > 1}


def _money_line(wager: Mapping[str, Any]) -> str:
    def formatted(name: str) -> str:
        value = wager[name]
        return "-" if value is None else format_amount(value, sign=name != "stake_minor")

    due = "-" if wager["due_minor"] is None else format_due(wager["due_minor"], wager["due_exact"])
    line = (
        f"{wager['place']:<4}{wager['wager']:<13} stake {formatted('stake_minor'):>9}  due {due:>10}  "
        f"paid {formatted('paid_minor'):>10}"
    )
    if wager["delta_minor"]:
        side = "overpaid" if wager["delta_minor"] > 0 else "underpaid"
        line += f"  {side} by {format_amount(abs(wager['delta_minor']))}"
    elif wager["status"] != "judged":
        why = wager["reason"] or ("no settlement on the log" if wager["paid_minor"] is None else "")
        line += f"  {wager['status']}{why and ': '}{why}"
    return f"{line}  [{wager['article']}]"


@within_a_query
def explain_round(
    day: TableDay,
    round_: int,
    settings: ReplaySettings | None = None,
    *,
    identities: bool = False,
    zone: dt.tzinfo = dt.UTC,
) -> Explanation:
    """Explain one round of a table-day.

    Players stand under pseudonyms unless ``identities`` is asked for; times are those of ``zone``.

    Raises:
        NoSuchRound: the table-day has no such round.
    """
    settings = settings or ReplaySettings()
    least, most = NUMBERS["round"]
    wagers, found, rebuilt = replay_round(day, max(least, min(round_, most)), settings)  # no column holds every number
    (log,) = rebuilt.logs
    table_id, gaming_day = day.table_id, day.gaming_day
    numbers = rebuilt.rounds.to_list()
    if round_ not in numbers:
        has = f"rounds {numbers[0]} to {numbers[-1]}" if numbers else "no rounds"
        raise NoSuchRound(f"table {table_id} on {gaming_day} has no round {round_}; it has {has}")
    ri = numbers.index(round_)
    counted = log.events.filter(pl.col("round") == round_)
    recorded = day.events.filter(pl.col("seq").is_in(counted["seq"].implode())).sort("seq", maintain_order=True)
    once = recorded.unique("seq", keep="first", maintain_order=True)
    own, ended = pl.col("round") == round_, rebuilt.wagers.filter(pl.col("ended_ri") == ri, pl.col("num").is_not_null())
    here = pl.col("settled_seq").is_in(counted["seq"].implode()) | pl.col("placed_seq").is_in(ended["seq"].implode())
    wagers = wagers.filter(own | here)
    earlier = wagers.filter(~own)
    unsettled = (pl.col("code") == WAGER_UNSETTLED.code) & pl.col("seq").is_in(earlier["placed_seq"].implode())
    found = found.filter(own | pl.col("seq").is_in(earlier["settled_seq"].implode()) | unsettled)
    events, recorded_once = (
        [with_player(event, partial(_name, identities=identities)) for event in events_of(some)]
        for some in (counted, once)
    )
    shown = tuple(_wager(row, identities=identities) for row in wagers.iter_rows(named=True))
    readings = settings.readings_for(table_id)
    entries = register()
    period = rebuilt.periods[rebuilt.period_of[ri]] if rebuilt.periods else None
    version = period.version if period else None
    return Explanation(
        table_id=table_id,
        gaming_day=gaming_day,
        round=round_,
        game=rebuilt.game.name if rebuilt.game else "unknown game",
        regulation=version.id if version else "no version in force",
        instruments=version.instruments if version else (),
        options=dict(period.elected) if period else {},
        notation=print_events(events, times=False),
        zone=str(zone),
        events=tuple(Line(e.seq, _clock(e.at, zone), say(e)) for e in recorded_once),
        rules=tuple(_rules(rebuilt, ri, wagers["placed_seq"], identities=identities)),
        wagers=shown,
        rulings=tuple(
            {"id": r, "option": entries[r].option, "reading": readings(r), "question": entries[r].question}
            for r in sorted({ruling for wager in shown for ruling in wager["rulings"]})
        ),
        findings=tuple({key: row[key] for key in _FINDING} for row in found.iter_rows(named=True)),
    )


def _rules(rebuilt: Reconstruction, ri: int, shown: pl.Series, *, identities: bool) -> list[Line]:
    """The rules applied in a round, and to the wagers ``shown`` with it, by where they were placed."""
    if rebuilt.judged is None:
        return []
    lines: list[Line] = []
    seats, judgements = rebuilt.judged.histories.seats, rebuilt.judged.judgements
    noted = [note for note in judgements.noted if note.ri == ri]

    def add(about: str, judgement: Judgement[object], subject: str, seat: int | None = None) -> None:
        lines.extend(Line(None, about, step.text, step.article) for step in judgement.steps)
        breaches = [note.breach for note in noted if (note.subject, note.seat) == (subject, seat)]
        lines.extend(Line(None, about, breach.message, breach.article) for breach in breaches)

    add("round", judgements.rounds.at(ri).value, "round")
    for row, seat in seats.with_row_index("row").filter(pl.col("ri") == ri).select("row", "seat").iter_rows():
        add(f"seat {seat}", judgements.seats.at(row).value, "seat", seat)
    add("bank", judgements.banks.at(ri).value, "bank")
    placed = rebuilt.wagers.with_row_index("index").filter((pl.col("ri") == ri) | pl.col("seq").is_in(shown.implode()))
    bets = [
        (index, place(seat, hand), kind, _name(player, identities=identities))
        for index, seat, hand, kind, player in placed.select("index", "seat", "hand", "kind", "player").iter_rows()
    ]
    several = _several_bettors((where, kind, player) for _, where, kind, player in bets)
    for index, where, kind, player in bets:
        about = f"{where}.{kind}" + (f"@{player}" if (where, kind) in several and player else "")
        lines.extend(Line(None, about, step.text, step.article) for step in rebuilt.dues.at(index).value.steps)
    return lines


def _clock(at: int, zone: dt.tzinfo) -> str:
    """The time of day, or the bare number where it lies beyond the calendar."""
    try:
        return moment(at).astimezone(zone).strftime("%H:%M:%S")
    except OverflowError:
        return str(at)


def _name(player: str | None, *, identities: bool) -> str | None:
    return player if identities or player is None else Pseudonyms.from_environment().of(player)


def _wager(row: dict[str, Any], *, identities: bool) -> dict[str, Any]:
    kept = ("stake_minor", "due_minor", "due_exact", "paid_minor", "delta_minor", "status", "reason", "article")
    return {
        "round": row["round"],
        "place": place(row["seat"], 0 if row["wager"] == WHOLE_SEAT else row["hand"]),
        "seat": row["seat"],
        "hand": row["hand"],
        "wager": row["wager"],
        "player": _name(row["player"], identities=identities),
        **{name: row[name] for name in kept},
        "rulings": row["rulings"].split(),
    }
