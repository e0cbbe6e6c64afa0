"""Explains one round, card by card: the rules by which it was settled, what was due, what was paid, what was found; the data, and
a page of plain text.

An explanation is made by the same replay that settles the round; it has no rules of its own and names no game.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final

import polars as pl

from replayer.contract.outcomes import Judgement
from replayer.contract.wagers import WHOLE_SEAT
from replayer.engine.histories import Subject
from replayer.engine.reconstruct import Reconstruction
from replayer.engine.replay_settings import ReplaySettings
from replayer.integrity.inspection import Log
from replayer.law.rulings import register
from replayer.log.columns import TableDay, events_of
from replayer.log.wording import say, with_player
from replayer.processes.judging import within_a_query
from replayer.sources.safe_texts import json_object
from replayer.verdicts.findings import counts
from replayer.verdicts.payment import SETTLED_NOTHING, WAGER_UNSETTLED
from replayer.verdicts.replay import replay_round
from schemas.bounds import NUMBERS
from schemas.event import moment
from schemas.identity import Pseudonyms
from schemas.money import format_amount, format_due
from schemas.notation import hand_letter, place, print_events
from schemas.plural import spoken

_WITHOUT_KEY: Final = Pseudonyms()
_BREAK: Final = "\ufffd"
"""What stands for a line break inside a line of a page."""


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An event of the round: its number, its time of day, and what happened."""

    seq: int
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class AppliedRule:
    """A rule applied to what it is ``about``: the round, the bank, a seat or a wager."""

    about: str
    article: str
    text: str


@dataclass(frozen=True, slots=True)
class ExplainedWager:
    """A wager as it was placed, what it was due, and what was paid."""

    round: int
    place: str
    seat: int
    hand: int
    wager: str
    player: str | None
    stake_minor: int | None
    due_minor: int | None
    due_exact: str | None
    paid_minor: int | None
    delta_minor: int | None
    status: str
    reason: str | None
    article: str
    rulings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExplainedRuling:
    """A doubtful text on which a wager depends, and how it is read."""

    id: str
    option: str
    reading: str
    question: str


@dataclass(frozen=True, slots=True)
class ExplainedFinding:
    """A finding of the round."""

    code: str
    severity: str
    seq: int | None
    seat: int | None
    article: str
    message: str
    delta_minor: int | None
    before: str | None
    after: str | None
    corrected_by: int | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """A round explained. Amounts are minor units of ``currency``, None where no opening names it; ``delta_minor`` is paid less
    due. Among its ``wagers`` are those of earlier rounds that ended or were settled in it; ``round`` of each is where it was
    placed. ``not_checked`` are the checks for which the log lacks what they need, by the names that ``replay`` gives."""

    table_id: str
    gaming_day: dt.date
    round: int
    game: str
    currency: str | None
    regulation: str
    instruments: tuple[str, ...]
    options: Mapping[str, str]
    notation: str
    zone: str
    events: tuple[RecordedEvent, ...]
    rules: tuple[AppliedRule, ...]
    wagers: tuple[ExplainedWager, ...]
    rulings: tuple[ExplainedRuling, ...]
    findings: tuple[ExplainedFinding, ...]
    not_checked: tuple[str, ...]

    @property
    def delta_minor(self) -> int:
        """The amount that the house overpaid in the round, payments for wagers never placed included; negative if underpaid."""
        deltas = [wager.delta_minor for wager in self.wagers]
        deltas += [finding.delta_minor for finding in self.findings if _is_for_nothing(finding)]
        return sum(filter(None, deltas))

    def to_dict(self) -> dict[str, object]:
        """A JSON object of the whole explanation."""
        return {**json_object(self), "delta_minor": self.delta_minor}

    def text(self) -> str:
        """The explanation as a page of plain text; a line break inside a text of the log begins no line of the page."""
        amounts = f", amounts in {self.currency}" if self.currency else ""
        head = [
            f"Table {self.table_id}, gaming day {self.gaming_day}, round {self.round}: {self.game}{amounts}",
            f"Judged by {self.regulation} ({'; '.join(self.instruments)})",
            "",
            self.notation,
            "",
            f"What happened (times: {self.zone})",
        ]
        body = [f"  {event.seq:>6}  {event.at}  {event.text}" for event in self.events]
        rules = ["", "Rules applied"]
        rules += [f"  {rule.about:<10} {rule.article:<24} {rule.text}" for rule in self.rules]
        money = ["", "Due and paid"]
        several = several_bettors((wager.place, wager.wager, wager.player) for wager in self.wagers)
        for wager in self.wagers:
            bettor = f"  ({wager.player})" if (wager.place, wager.wager) in several and wager.player else ""
            placed = "" if wager.round == self.round else f"  placed in round {wager.round}"
            money.append(f"  {_money_line(wager)}{bettor}{placed}")
        money += [f"  {f.seat:<4}{f.message}{_off_by(f.delta_minor)}" for f in self.findings if _is_for_nothing(f)]
        rulings = ["", "Depends on these readings of doubtful texts"] if self.rulings else []
        rulings += [f"  {r.id} {r.option} = {r.reading}: {r.question}" for r in self.rulings]
        found = ["", "Findings"] if self.findings else ["", "No findings"]
        found += [f"  {f.code} (seq {f.seq}) {f.article} {_seat(f)}{f.message}{_corrected(f)}" for f in self.findings]
        unchecked = ", ".join(map(spoken, self.not_checked))
        found += ["", f"Not checked, as the log does not tell it: {unchecked}"] if self.not_checked else []
        lines = [*head, *body, *rules, *money, *rulings, *found]
        return "\n".join(_BREAK.join(line.splitlines()) for line in lines)


def _seat(finding: ExplainedFinding) -> str:
    return "" if finding.seat is None else f"seat {finding.seat}: "


def _corrected(finding: ExplainedFinding) -> str:
    return f" (corrected too late by seq {finding.corrected_by})" if finding.corrected_by else ""


def several_bettors(placed: Iterable[tuple[str, str, str | None]]) -> set[tuple[str, str]]:
    """The places and kinds of wagers that are not all of one bettor: there a line that names none could be of each of them."""
    bets = Counter((where, kind) for where, kind, _ in set(placed))
    return {bet for bet, bettors in bets.items() if bettors > 1}


def _is_for_nothing(finding: ExplainedFinding) -> bool:
    """Whether a finding is of a payment that settled no wager, so that no line of one has it."""
    return finding.code == SETTLED_NOTHING


def _off_by(delta: int | None) -> str:
    if not delta:
        return ""
    return f"  {'overpaid' if delta > 0 else 'underpaid'} by {format_amount(abs(delta))}"


def _amount(minor: int | None, *, sign: bool = True) -> str:
    return "-" if minor is None else format_amount(minor, sign=sign)


def _money_line(wager: ExplainedWager) -> str:
    due = "-" if wager.due_minor is None else format_due(wager.due_minor, wager.due_exact)
    line = (
        f"{wager.place:<4}{wager.wager:<13} stake {_amount(wager.stake_minor, sign=False):>9}  due {due:>10}  "
        f"paid {_amount(wager.paid_minor):>10}"
    )
    if wager.delta_minor:
        line += _off_by(wager.delta_minor)
    elif wager.status != "judged":
        why = wager.reason or ("no settlement on the log" if wager.paid_minor is None else "")
        line += f"  {wager.status}{why and ': '}{why}"
    return f"{line}  [{wager.article}]" if wager.article else line


class NoSuchRound(LookupError):
    """The table-day has no such round; the message says which rounds it has."""


@within_a_query
def explain_round(
    day: TableDay,
    round_: int | str,
    settings: ReplaySettings | None = None,
    *,
    named: Callable[[str], str] = _WITHOUT_KEY.of,
    zone: dt.tzinfo = dt.UTC,
) -> Explanation:
    """Explain one round of a table-day.

    Args:
        round_: its number, or as a text its name in an imported log; ``12`` is both, and ``#12`` the number.
        named: gives the name under which a player stands, by the id in the log; by default a pseudonym without a key.
        zone: the time zone of its times.

    Raises:
        NoSuchRound: the table-day has no such round, or a text may be either of two.
    """
    settings = settings or ReplaySettings()
    round_ = _numbered(day, round_) if isinstance(round_, str) else round_
    least, most = NUMBERS["round"]
    wagers, found, rebuilt = replay_round(day, max(least, min(round_, most)), settings)  # no column holds every number
    (log,) = rebuilt.logs
    table_id, gaming_day = day.table_id, day.gaming_day
    numbers = rebuilt.rounds.to_list()
    if round_ not in numbers:
        has = f"rounds {numbers[0]} to {numbers[-1]}" if numbers else "no rounds"
        raise NoSuchRound(f"table {table_id} on {gaming_day} has no round {round_}; it has {has}")
    ri = numbers.index(round_)
    recorded, rounds_corrected = _recorded(day, log, round_)
    own, ended = pl.col("round") == round_, rebuilt.wagers.filter(pl.col("ended_ri") == ri, pl.col("num").is_not_null())
    here = pl.col("settled_seq").is_in(recorded["seq"].implode()) | pl.col("placed_seq").is_in(ended["seq"].implode())
    wagers = wagers.filter(own | here)
    earlier = wagers.filter(~own)
    unsettled = (pl.col("code") == WAGER_UNSETTLED) & pl.col("seq").is_in(earlier["placed_seq"].implode())
    found = found.filter(own | pl.col("seq").is_in(wagers["settled_seq"].implode()) | unsettled)
    events = [with_player(event, named) for event in events_of(recorded)]
    shown = tuple(_wagers(wagers, named))
    readings = settings.readings_for(table_id)
    entries = register()
    period = rebuilt.judged.context.periods.at(ri) if rebuilt.judged else None
    version = period.version if period else None
    return Explanation(
        table_id=table_id,
        gaming_day=gaming_day,
        round=round_,
        game=rebuilt.game.name if rebuilt.game else "unknown game",
        currency=log.opened.currency,
        regulation=version.id if version else "no version at hand",
        instruments=version.instruments if version else (),
        options=dict(period.elected) if period else {},
        notation=print_events((e for e in events if e.seq not in rounds_corrected), times=False),
        zone=str(zone),
        events=tuple(RecordedEvent(e.seq, _clock(e.at, zone), say(e, rounds_corrected.get(e.seq))) for e in events),
        rules=tuple(_rules(rebuilt, ri, wagers["placed_seq"], named)),
        wagers=shown,
        rulings=tuple(
            ExplainedRuling(ruling, entries[ruling].option, readings(ruling), entries[ruling].question)
            for ruling in sorted({ruling for wager in shown for ruling in wager.rulings})
        ),
        findings=tuple(ExplainedFinding(**row) for row in found.select(_names(ExplainedFinding)).rows(named=True)),
        not_checked=tuple(sorted(_not_checked(rebuilt, ri))),
    )


def _numbered(day: TableDay, text: str) -> int:
    """The number of the round that a text names."""
    name = pl.col("remark_cause") == text
    found: set[int] = {*day.events.filter(name, pl.col("kind") == "RoundClosed")["round"].drop_nulls()}
    if re.fullmatch("#?-?[0-9]{1,40}", text):
        number = int(text.removeprefix("#"))
        if not found or (text[0] != "#" and number in {*day.events["round"]}):
            found.add(number)
    if len(found) == 1:
        return found.pop()
    where = f"table {day.table_id} on {day.gaming_day} has"
    if not found:
        raise NoSuchRound(f"{where} no round of the name or number {text!r}")
    numbers = ", ".join(f"'#{each}'" for each in sorted(found))
    raise NoSuchRound(f"{where} {len(found)} rounds of the name or number {text!r}; say which by one of {numbers}")


def _recorded(day: TableDay, log: Log, round_: int) -> tuple[pl.DataFrame, Mapping[int, int]]:
    """The events of a round as they were recorded, with the corrections of them, also those made in other rounds; and the rounds
    of which there are corrections in it, by the numbers of these."""
    is_own = pl.col("round") == round_
    corrections = log.events.filter(pl.col("kind") == "CorrectionMade")
    withdrawn = corrections.filter(pl.col("wager_stake_minor") == 0)["remark_refers_to"]
    placed = day.events.filter(is_own, pl.col("kind") == "WagerPlaced", pl.col("seq").is_in(withdrawn.implode()))
    own = pl.concat([log.events.filter(is_own)["seq"], placed["seq"]])
    of_own = corrections.filter(pl.col("remark_refers_to").is_in(own.implode()))["seq"]
    shown = day.events.filter(pl.col("seq").is_in(pl.concat([own, of_own]).implode()))
    rounds = day.events.filter(~is_own).select("round", remark_refers_to="seq")
    of_others = shown.join(rounds, on="remark_refers_to", suffix="_corrected")
    once = shown.sort("seq", maintain_order=True).unique("seq", keep="first", maintain_order=True)
    return once, dict(of_others.select("seq", "round_corrected").iter_rows())


def _rules(rebuilt: Reconstruction, ri: int, shown: pl.Series, named: Callable[[str], str]) -> list[AppliedRule]:
    """The rules applied in a round, and to the wagers ``shown`` with it, by where they were placed."""
    if rebuilt.judged is None:
        return []
    lines: list[AppliedRule] = []
    seats, judgements = rebuilt.judged.histories.seats, rebuilt.judged.judgements
    noted = [note for note in judgements.noted if note.ri == ri and counts(note, rebuilt.judged)]

    def add(about: str, judgement: Judgement[object], subject: Subject, seat: int | None = None) -> None:
        for step in judgement.steps:
            hand = f"hand {hand_letter(step.hand)}: " if step.hand else ""
            lines.append(AppliedRule(about, step.article, hand + step.text))
        breaches = [note.breach for note in noted if (note.subject, note.seat) == (subject, seat)]
        lines.extend(AppliedRule(about, breach.article, breach.message) for breach in breaches)

    add("round", judgements.rounds.at(ri).value, Subject.ROUND)
    for row, seat in seats.with_row_index("row").filter(pl.col("ri") == ri).select("row", "seat").iter_rows():
        add(f"seat {seat}", judgements.seats.at(row).value, Subject.SEAT, seat)
    add("bank", judgements.banks.at(ri).value, Subject.BANK)
    placed = rebuilt.wagers.with_row_index("index").filter((pl.col("ri") == ri) | pl.col("seq").is_in(shown.implode()))
    bets = [
        (index, place(seat, hand), kind, None if player is None else named(player))
        for index, seat, hand, kind, player in placed.select("index", "seat", "hand", "kind", "player").iter_rows()
    ]
    several = several_bettors((where, kind, player) for _, where, kind, player in bets)
    to_wagers: dict[AppliedRule, None] = {}  # each once, also where a stake was laid in parts
    for index, where, kind, player in bets:
        about = f"{where}.{kind}" + (f"@{player}" if (where, kind) in several and player else "")
        to_wagers |= {AppliedRule(about, step.article, step.text): None for step in rebuilt.dues.at(index).value.steps}
    return [*lines, *to_wagers]


def _not_checked(rebuilt: Reconstruction, ri: int) -> set[str]:
    checks = rebuilt.judged.judgements.not_checked if rebuilt.judged else []
    return {check for of, some in checks if of == ri for check in some}


def _clock(at: int, zone: dt.tzinfo) -> str:
    """The time of day, or the bare number where it lies beyond the calendar."""
    try:
        return moment(at).astimezone(zone).strftime("%H:%M:%S")
    except OverflowError:
        return str(at)


def _wagers(wagers: pl.DataFrame, named: Callable[[str], str]) -> Iterator[ExplainedWager]:
    for row in wagers.with_columns(place=pl.lit("")).select(_names(ExplainedWager)).rows(named=True):
        row["place"] = place(row["seat"], 0 if row["wager"] == WHOLE_SEAT else row["hand"])
        row["player"] = None if row["player"] is None else named(row["player"])
        row["rulings"] = tuple(row["rulings"].split())
        yield ExplainedWager(**row)


def _names(record: type[ExplainedWager | ExplainedFinding]) -> list[str]:
    return [field.name for field in fields(record)]
