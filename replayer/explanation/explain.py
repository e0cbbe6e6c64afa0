"""Explains one round, card by card: the rules by which it was settled, what was due, what was paid, what was found.

An explanation is made by the same replay that settles the round; it has no rules of its own.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Final

import polars as pl

from replayer.contract.outcomes import Judgement
from replayer.engine.histories import Subject
from replayer.engine.reconstruct import Reconstruction
from replayer.engine.replay_settings import ReplaySettings
from replayer.explanation.page import (
    AppliedRule,
    ExplainedFinding,
    ExplainedRuling,
    ExplainedWager,
    Explanation,
    RecordedEvent,
    several_bettors,
)
from replayer.law.rulings import register
from replayer.log.columns import TableDay, events_of
from replayer.log.wording import say, with_player
from replayer.processes.judging import within_a_query
from replayer.verdicts.findings import counts
from replayer.verdicts.payment import WAGER_UNSETTLED, WHOLE_SEAT
from replayer.verdicts.replay import replay_round
from schemas.bounds import NUMBERS
from schemas.event import moment
from schemas.identity import Pseudonyms
from schemas.notation import hand_letter, place, print_events

_WITHOUT_KEY: Final = Pseudonyms()


class NoSuchRound(LookupError):
    """The table-day has no such round; the message says which rounds it has."""


@within_a_query
def explain_round(
    day: TableDay,
    round_: int,
    settings: ReplaySettings | None = None,
    *,
    named: Callable[[str], str] = _WITHOUT_KEY.of,
    zone: dt.tzinfo = dt.UTC,
) -> Explanation:
    """Explain one round of a table-day.

    Args:
        named: gives the name under which a player stands, by the id in the log; by default a pseudonym without a key.
        zone: the time zone of its times.

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
    # Wagers that corrections in the round took away count no more, and were recorded.
    withdrawn = counted.filter(pl.col("kind") == "CorrectionMade", pl.col("wager_stake_minor") == 0)["remark_refers_to"]
    shown_seqs = pl.concat([counted["seq"], withdrawn])
    recorded = day.events.filter(pl.col("seq").is_in(shown_seqs.implode())).sort("seq", maintain_order=True)
    once = recorded.unique("seq", keep="first", maintain_order=True)
    own, ended = pl.col("round") == round_, rebuilt.wagers.filter(pl.col("ended_ri") == ri, pl.col("num").is_not_null())
    here = pl.col("settled_seq").is_in(counted["seq"].implode()) | pl.col("placed_seq").is_in(ended["seq"].implode())
    wagers = wagers.filter(own | here)
    earlier = wagers.filter(~own)
    unsettled = (pl.col("code") == WAGER_UNSETTLED) & pl.col("seq").is_in(earlier["placed_seq"].implode())
    found = found.filter(own | pl.col("seq").is_in(earlier["settled_seq"].implode()) | unsettled)
    events, recorded_once = ([with_player(event, named) for event in events_of(some)] for some in (counted, once))
    shown = tuple(_wagers(wagers, named))
    readings = settings.readings_for(table_id)
    entries = register()
    period = rebuilt.periods[rebuilt.period_of[ri]] if rebuilt.periods else None
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
        notation=print_events(events, times=False),
        zone=str(zone),
        events=tuple(RecordedEvent(e.seq, _clock(e.at, zone), say(e)) for e in recorded_once),
        rules=tuple(_rules(rebuilt, ri, wagers["placed_seq"], named)),
        wagers=shown,
        rulings=tuple(
            ExplainedRuling(ruling, entries[ruling].option, readings(ruling), entries[ruling].question)
            for ruling in sorted({ruling for wager in shown for ruling in wager.rulings})
        ),
        findings=tuple(ExplainedFinding(**row) for row in found.select(_names(ExplainedFinding)).rows(named=True)),
        not_checked=tuple(sorted(_not_checked(rebuilt, ri))),
    )


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
    for index, where, kind, player in bets:
        about = f"{where}.{kind}" + (f"@{player}" if (where, kind) in several and player else "")
        lines.extend(AppliedRule(about, step.article, step.text) for step in rebuilt.dues.at(index).value.steps)
    return lines


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
