"""Replays table-days: log, situations, judgement, settlement, verdicts. The same log gives the same bytes everywhere."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final, NamedTuple

import polars as pl

from replayer.columns import TEXT, of_kind
from replayer.engine import payment
from replayer.engine.deadlines import missed_deadlines
from replayer.engine.elections import ReplaySettings
from replayer.engine.judgements import Noted
from replayer.engine.payment import hold_against
from replayer.engine.reconstruct import EVENTS_MISSING, EVENTS_UNSOUND, Reconstruction, by_game, game_of, reconstruct
from replayer.engine.settle import STILL_RUNNING
from replayer.engine.stack import SPAN
from replayer.engine.stories import seat_key
from replayer.engine.uncollected import uncollected
from replayer.game import Game
from replayer.integrity.books import CUSTODY_KINDS
from replayer.integrity.log import Log, TableDay, inspect_all
from replayer.verdicts.found import findings_frame, in_order, one_by_one, told_once
from replayer.verdicts.hands import hands_of
from replayer.verdicts.stood import answered, as_sealed_before
from replayer.verdicts.tables import DEFINITIONS, PLAYED, SELDOM_SAID, TABLES, TIME
from schemas.bounds import NUMBERS
from schemas.finding import CODES, Finding, Severity
from schemas.money import format_amount


@dataclass(frozen=True, slots=True)
class Replayed:
    """The verdicts of a table-day: frames as ``replayer.verdicts.tables`` describes them, and their digest.

    ``played`` has hands and decisions, where they were asked for: no verdict hangs on them. ``elsewhere`` counts the numbers that
    it leaves out and other gaming days hold; ``sealed`` are the SHA-256 of the parts of its log, ``since`` is as in ``TableDay``.
    """

    table_id: str
    gaming_day: dt.date
    wagers: pl.DataFrame
    rounds: pl.DataFrame
    findings: pl.DataFrame
    advisories: pl.DataFrame
    custody: pl.DataFrame
    table_days: pl.DataFrame
    digest: str
    played: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    elsewhere: int = 0
    sealed: tuple[str, ...] = ()
    since: int | None = None

    def tables(self) -> dict[str, pl.DataFrame]:
        """The frames by the names of ``replayer.verdicts.tables.TABLES``."""
        return {name: getattr(self, name) for name in TABLES if name not in PLAYED} | dict(self.played)


def replay_table_day(
    frame: pl.DataFrame,
    table_id: str,
    gaming_day: dt.date,
    settings: ReplaySettings | None = None,
    container_sha256: str = "",
) -> Replayed:
    """Replay one table-day from its events (schema ``FLAT``, any order)."""
    return replay_table_days([TableDay(table_id, gaming_day, frame, container_sha256)], settings)[0]


def replay_table_days(
    days: Sequence[TableDay], settings: ReplaySettings | None = None, *, play: bool = False
) -> list[Replayed]:
    """Replay several table-days together; each one's verdicts are the same as if it were replayed alone.

    ``play`` asks for what was played as well, see :class:`Replayed`.
    """
    chosen = settings or ReplaySettings()
    with uncollected():
        judged = zip(days, _replay_table_days(days, chosen, play=play), strict=True)
        return [_beside_what_stood(day, replayed, chosen) for day, replayed in judged]


def replay_round(
    day: TableDay, round_: int, settings: ReplaySettings
) -> tuple[pl.DataFrame, pl.DataFrame, Reconstruction]:
    """What :func:`replay_table_days` finds of one round: its wagers, its findings one by one, and what they were made from.

    No other round is judged, but those on which this one hangs (:func:`replayer.engine.reconstruct.rounds_behind`).
    """
    with uncollected():
        (log,) = inspect_all([day])
        made = reconstruct([log], game_of(log), settings, shown=round_)
        money = _money(made, settings)
        heads = [_head(log)]
        (wagers,) = _by_day([log], made.game, money.wagers, TABLES["wagers"], heads)
        found = findings_frame(finding for finding in money.findings[0] if finding.round == round_)
        if as_sealed_before(day):  # what stood of the round shows only beside all that was found each time
            found = one_by_one(replay_table_days([day], settings)[0])
    own = pl.col("round") == round_
    return wagers.filter(own), found.filter(own), made


def _beside_what_stood(day: TableDay, replayed: Replayed, settings: ReplaySettings) -> Replayed:
    """The verdicts of a table-day with what had been found of it when it was sealed with its books open."""
    earlier = as_sealed_before(day)
    if not earlier:
        return replayed
    each = [_replay_table_days([one], settings)[0] for one in earlier]  # one table-day has one place among many
    stood = answered([*(one.findings for one in each), replayed.findings])
    if stood.is_empty():
        return replayed
    found = in_order(replayed.findings.vstack(stood))
    digest = _digest({**replayed.tables(), "findings": found})
    head = replayed.table_days.with_columns(digest=pl.lit(digest))
    return replace(replayed, findings=found, table_days=head, digest=digest)


def _replay_table_days(days: Sequence[TableDay], settings: ReplaySettings, *, play: bool = False) -> list[Replayed]:
    logs = inspect_all(days)
    replayed: list[Replayed | None] = [None] * len(days)
    for name, numbers in _of_one_game(logs, settings):
        hashes = [days[number].container_sha256 for number in numbers]
        read = [days[number].events for number in numbers]
        own = [logs[number] for number in numbers]
        made = _verdicts_of(reconstruct(own, name, settings), settings, hashes, read, play=play)
        for number, one in zip(numbers, made, strict=True):
            day = days[number]
            replayed[number] = replace(one, elsewhere=len(day.elsewhere), sealed=day.sealed, since=day.since)
    return [one for one in replayed if one is not None]


def _of_one_game(logs: Sequence[Log], settings: ReplaySettings) -> Iterator[tuple[str | None, list[int]]]:
    """The numbers of the table-days of one game under the same readings: what a table reads otherwise is its own affair."""
    for name, numbers in by_game(logs):
        groups: dict[frozenset[tuple[str, str]], list[int]] = {}
        for number in numbers:
            own = settings.table_readings.get(logs[number].table_id, {})
            groups.setdefault(frozenset(own.items()), []).append(number)
        yield from ((name, group) for group in groups.values())


def _verdicts_of(
    made: Reconstruction, settings: ReplaySettings, hashes: Sequence[str], read: Sequence[pl.DataFrame], *, play: bool
) -> Iterator[Replayed]:
    """The verdicts of each stacked table-day; ``read`` are its events as they were read, set aside ones as well."""
    money = _money(made, settings)
    dealers = money.dealers
    heads = [_head(log) for log in made.logs]
    if made.stories is not None:  # from here on the seats' alone are read, and the others take as much room
        made = replace(made, stories=replace(made.stories, rows={"seat": made.stories.rows["seat"]}))
    tables = {"wagers": money.wagers, "rounds": _rounds(made, dealers), "custody": _custody(made, dealers)}
    if play:
        tables |= {"hands": _hands(made, dealers), "decisions": _decisions(made, dealers)}
    not_checked, found, logs, game = _not_checked(made), money.findings, made.logs, made.game
    del made, money  # what verdicts are made from takes more room than they
    parts = {name: _by_day(logs, game, tables.pop(name), TABLES[name], heads) for name in list(tables)}
    for day, log in enumerate(logs):
        own: dict[str, Any] = {name: part[day] for name, part in parts.items()}
        told = (_with_events(each, read[day], dealers, day) for each in told_once(findings_frame(found[day])))
        own["findings"], own["advisories"] = told
        digest = _digest(own)
        head = _table_day(log, heads[day], own["wagers"], own["rounds"], hashes[day], digest, not_checked[day])
        played = {name: own.pop(name) for name in PLAYED if name in own}
        yield Replayed(log.table_id, log.gaming_day, table_days=head, digest=digest, played=played, **own)


class _Money(NamedTuple):
    """The wagers held against their settlements, all that was found of each table-day, and who dealt."""

    wagers: pl.DataFrame
    findings: list[list[Finding]]
    dealers: _Dealers


def _money(made: Reconstruction, settings: ReplaySettings) -> _Money:
    dealers = _Dealers(made)
    matched, nothing = hold_against(made.wagers, _settled(made), settings.readings_for(made.logs[0].table_id))
    wagers = _wagers(matched, made, dealers)
    return _Money(wagers, _findings(made, wagers, matched, nothing), dealers)


_Head = tuple[str | None, str | None, int | None]
"""The game, the currency and the seats that a table opened with."""


def _head(log: Log) -> _Head:
    opened = of_kind(log.events, ("TableOpened",), "table_game", "table_currency", "table_seats")
    head: _Head = opened.row(0) if opened.height else (None, None, None)
    return head


def _by_day(
    logs: Sequence[Log], game: Game | None, frame: pl.DataFrame, schema: pl.Schema, heads: Sequence[_Head]
) -> list[pl.DataFrame]:
    """A stacked frame (first column ``day``) cut into table-days."""
    day = frame["day"]

    def of_day(values: Sequence[object], kind: type[pl.DataType]) -> pl.Series | pl.Expr:
        return pl.lit(values[0], kind) if len(logs) == 1 else pl.Series(values, dtype=kind).gather(day)

    said = (
        frame.lazy()
        .with_columns(
            table_id=of_day([log.table_id for log in logs], pl.String),
            gaming_day=of_day([log.gaming_day for log in logs], pl.Date),
            currency=of_day([currency for _, currency, _ in heads], pl.String),
            game=pl.lit(game.name if game else None, dtype=pl.String),
        )
        .select("day", *schema)
        .cast(schema)
        .collect()
    )
    if len(logs) == 1:
        return [said.drop("day")]
    parts = said.partition_by("day", as_dict=True, maintain_order=True)
    empty = schema.to_frame()
    return [parts[(day,)].drop("day") if (day,) in parts else empty for day in range(len(logs))]


class _Dealers:
    """Who stood at each table at any moment of its log."""

    def __init__(self, made: Reconstruction) -> None:
        moves = of_kind(made.events, ("DealerEntered", "DealerLeft"), "seq", "kind", "table_staff").rows()
        changes = [(day * SPAN, None) for day in range(len(made.logs))]
        changes += [(seq, staff if kind == "DealerEntered" else None) for seq, kind, staff in moves]
        changes.sort(key=lambda change: change[0])
        self._seqs = pl.Series([seq for seq, _ in changes], dtype=pl.Int64)
        self._staff = pl.Series([staff for _, staff in changes], dtype=TEXT)  # of four bytes until it is laid out

    def at(self, seqs: pl.Series) -> pl.Series:
        """The dealer at each stacked ``seq``; null where nobody was."""
        return self._staff.gather(self._seqs.search_sorted(seqs, side="right").cast(pl.Int64) - 1).alias("dealer")


def _settled(made: Reconstruction) -> pl.DataFrame:
    asked = pl.col("round").is_between(*made.asked).fill_null(value=True)
    rows = made.events.lazy().filter((pl.col("kind") == "WagerSettled") & asked)
    index = pl.LazyFrame({"round": made.rounds, "ri": pl.int_range(made.rounds.len(), eager=True)})
    return (
        rows.select(
            "seq",
            "round",
            settled_at=pl.col("at"),
            seat=pl.col("wager_seat"),
            hand=pl.col("wager_hand").fill_null(0),
            kind=pl.col("wager_kind").cast(pl.String),
            player=pl.col("wager_player").cast(pl.String),
            stake_minor=pl.col("wager_stake_minor"),
            net_minor=pl.col("wager_net_minor"),
        )
        .join(index, on="round", how="left", maintain_order="left")
        .drop("round")
        .collect()
    )


def _wagers(matched: pl.DataFrame, made: Reconstruction, dealers: _Dealers) -> pl.DataFrame:
    status = (
        pl.when(pl.col("due_minor").is_null())
        .then(pl.lit("unjudged"))
        .when(pl.col("ended_ri").is_in(list(made.context.voids if made.context else ())))
        .then(pl.lit("void"))
        .when(pl.col("net_minor").is_null())
        .then(pl.lit("unsettled"))
        .otherwise(pl.lit("judged"))
    )
    delta = (matched["net_minor"] - matched["due_minor"]).alias("delta_minor")
    if matched["due_exact"].is_not_null().any():
        amounts = zip(delta, matched["net_minor"], matched["due_exact"], strict=True)
        delta = pl.Series("delta_minor", [_exact_delta(*amount) for amount in amounts], dtype=pl.Int64)
    least, most = _limits(matched, made)
    return matched.select(
        delta,
        least,
        most,
        pl.col("position", "settled_at"),
        made.rounds.gather(matched["ri"]).alias("round") % SPAN,
        dealers.at(matched["settled_seq"].fill_null(matched["seq"])),
        day=pl.col("seq") // SPAN,
        seat=pl.col("seat").cast(pl.Int32),
        hand=pl.col("hand").cast(pl.Int32),
        wager=pl.col("kind"),
        player=pl.col("player"),
        placed_seq=pl.col("seq") % SPAN,
        settled_seq=pl.col("settled_seq") % SPAN,
        placed_at=pl.col("at"),
        stake_minor=pl.col("stake_minor"),
        paid_minor=pl.col("net_minor"),
        due_minor=pl.col("due_minor"),
        due_exact=pl.col("due_exact"),
        status=status,
        reason=pl.col("reason"),
        article=pl.col("article"),
        rulings=pl.col("rulings"),
    )


def _limits(matched: pl.DataFrame, made: Reconstruction) -> tuple[pl.Series, pl.Series]:
    """The least and the largest stake posted for each wager; null where none is, or where nobody knows the rules."""
    of_round = pl.Series("period", made.period_of if made.game else [None] * made.rounds.len(), dtype=pl.Int64)
    asked = pl.DataFrame([of_round.gather(matched["ri"]), matched["kind"]])
    posted = []
    for period, kind in asked.drop_nulls("period").unique().rows():
        rules = made.periods[period].rules
        least, most = made.game.limits(kind, rules) if made.game and rules else (None, None)
        posted.append((period, kind, least, most))
    schema = {"period": pl.Int64, "kind": pl.String, "limit_min_minor": pl.Int64, "limit_max_minor": pl.Int64}
    known = pl.DataFrame(posted, schema, orient="row")
    told = asked.join(known, on=["period", "kind"], how="left", maintain_order="left")
    return told["limit_min_minor"], told["limit_max_minor"]


def _exact_delta(delta: int | None, paid: int | None, exact: str | None) -> int | None:
    """Paid less due in whole minor units; less than one either way is none (ruling X-2)."""
    return delta if exact is None or paid is None else (paid - Fraction(exact)).__trunc__()


def _rounds(made: Reconstruction, dealers: _Dealers) -> pl.DataFrame:
    if made.stories is None or made.judgements is None or made.game is None or made.context is None:
        return pl.DataFrame(schema={"day": pl.Int64, **TABLES["rounds"]})
    rounds = made.stories.rounds
    bettors = made.stories.wagers.group_by("ri").agg(seats=pl.col("seat").n_unique().cast(pl.Int32))
    status = [
        "void" if ri in made.context.voids else "incomplete" if made.torn(ri) else "unjudged" if why else "played"
        for ri, why in enumerate(made.context.why_not)
    ]
    versions = [period.version for period in made.periods]
    regulation = pl.Series([version.id if version else None for version in versions], dtype=pl.String)
    outcomes = [judged.value.outcome for judged in made.judgements.banks.values]
    banks = pl.Series("bank", ["" if outcome is None else str(outcome) for outcome in outcomes], dtype=pl.String)
    return rounds.join(bettors, on="ri", how="left", maintain_order="left").select(
        dealers.at(rounds["first_seq"]),
        regulation.gather(pl.Series(made.period_of, dtype=pl.Int64)).alias("regulation"),
        banks.gather(made.judgements.banks.of_row),
        pl.Series("status", status, dtype=pl.String),
        pl.col("shoe", "started_at", "ended_at", "closed_at"),
        pl.col("round", "first_seq", "last_seq") % SPAN,
        day=pl.col("round") // SPAN,
        seats=pl.col("seats").fill_null(0),
    )


def _hands(made: Reconstruction, dealers: _Dealers) -> pl.DataFrame:
    hands = hands_of(made)
    return hands.with_columns(
        dealers.at(hands["first_seq"]), pl.col("round", "first_seq", "last_seq") % SPAN, day=pl.col("round") // SPAN
    )


def _custody(made: Reconstruction, dealers: _Dealers) -> pl.DataFrame:
    wanted = ("seq", "at", "kind", "chips_amount_minor", "chips_slip", "chips_player", "chips_denominations")
    rows = of_kind(made.events, CUSTODY_KINDS, *wanted)
    counted = [
        None if chips is None else json.dumps({str(c["value_minor"]): c["count"] for c in chips}, sort_keys=True)
        for chips in rows["chips_denominations"].to_list()
    ]
    return rows.select(
        dealers.at(rows["seq"]),
        pl.Series("denominations", counted, dtype=pl.String),
        pl.col("at"),
        pl.col("kind").cast(pl.String),
        pl.col("seq") % SPAN,
        day=pl.col("seq") // SPAN,
        slip=pl.col("chips_slip"),
        amount_minor=pl.col("chips_amount_minor"),
        player=pl.col("chips_player"),
        stretch=_stretches(made, rows["seq"]),
    )


def _stretches(made: Reconstruction, seqs: pl.Series) -> pl.Series:
    """The stretch that counts each custody event, null in the first books; see :mod:`replayer.integrity.books`."""
    outside = {seq + day * SPAN: number for day, log in enumerate(made.logs) for seq, number in log.stretches.items()}
    return pl.Series("stretch", [outside.get(seq) for seq in seqs] if outside else [None] * len(seqs), dtype=pl.Int32)


def _decisions(made: Reconstruction, dealers: _Dealers) -> pl.DataFrame:
    wanted = ("seq", "at", "round", "decision_seat", "decision_hand", "decision_action", "decision_player")
    rows = of_kind(made.events, ("DecisionTaken",), *wanted)
    return rows.select(
        dealers.at(rows["seq"]),
        pl.col("at"),
        pl.col("seq", "round") % SPAN,
        day=pl.col("seq") // SPAN,
        seat=pl.col("decision_seat"),
        hand=pl.col("decision_hand").fill_null(0),
        action=pl.col("decision_action"),
        player=pl.col("decision_player"),
    )


def _findings(
    made: Reconstruction, wagers: pl.DataFrame, matched: pl.DataFrame, nothing: pl.DataFrame
) -> list[list[Finding]]:
    """The findings of each stacked table-day."""
    places = {(log.table_id, log.gaming_day): day for day, log in enumerate(made.logs)}
    found: list[list[Finding]] = [[] for _ in made.logs]
    money = (*_discrepancies(made, wagers), *_unmatched(made, wagers, matched, nothing))
    for finding in (*made.findings, *_breaches(made, matched), *money):
        found[places[(finding.table_id, finding.gaming_day)]].append(finding)
    return [_beside_corrections(own, log) for own, log in zip(found, made.logs, strict=True)]


def _beside_corrections(found: list[Finding], log: Log) -> list[Finding]:
    """What was found of a fact, or in the round of one, that a correction wanted otherwise too late names that correction."""
    of_event, of_round = (
        {key: c.seq for c in reversed(log.corrected) if (key := getattr(c, name)) is not None}
        for name in ("corrects", "round")
    )
    late = {correction.seq for correction in log.corrected}
    return [
        finding
        if finding.seq in late
        else replace(finding, corrected_by=of_event.get(finding.seq or 0) or of_round.get(finding.round or 0))
        for finding in found
    ]


def _discrepancies(made: Reconstruction, wagers: pl.DataFrame) -> Iterator[Finding]:
    for row in wagers.filter(pl.col("delta_minor") != 0).iter_rows(named=True):
        due, paid = (format_amount(row[name], sign=True) for name in ("due_minor", "paid_minor"))
        yield made.finding(
            (payment.OVERPAID if row["delta_minor"] > 0 else payment.UNDERPAID).code,
            row["settled_seq"] + row["day"] * SPAN,
            round=row["round"],
            seat=row["seat"],
            article=row["article"],
            message=f"{row['wager']}: paid {paid}, due {due}",
            delta_minor=row["delta_minor"],
        )


def _unmatched(
    made: Reconstruction, wagers: pl.DataFrame, matched: pl.DataFrame, nothing: pl.DataFrame
) -> Iterator[Finding]:
    """Wagers without settlement, settlements without wager, stakes that changed in between."""
    reasons = (EVENTS_MISSING, EVENTS_UNSOUND, STILL_RUNNING, payment.BEYOND_AMOUNTS)
    excused = pl.col("reason").is_in(reasons).fill_null(value=False)
    void = matched["ended_ri"].is_in(list(made.context.voids) if made.context else [])
    open_ = pl.col("paid_minor").is_null() & ~void & ~excused
    for row in wagers.filter(open_).iter_rows(named=True):
        yield made.finding(
            payment.WAGER_UNSETTLED.code,
            row["placed_seq"] + row["day"] * SPAN,
            round=row["round"],
            seat=row["seat"],
            article=row["article"],
            message=f"{row['wager']} of {format_amount(row['stake_minor'])} placed, never settled",
        )
    lost = _lost_track(made)
    for row in nothing.iter_rows(named=True):
        ri = row["ended_ri"]
        placed = lost.get((row["settled_seq"] // SPAN, row["seat"], row["kind"]))
        followed = placed is None or placed > row["settled_seq"]
        whole = followed and (ri is None or not made.torn(ri))
        net = format_amount(row["net_minor"] or 0, sign=True)
        yield made.finding(
            (payment.SETTLED_NOTHING if whole else payment.SETTLEMENT_UNMATCHED).code,
            row["settled_seq"],
            round=None if ri is None else made.rounds[ri],
            seat=row["seat"],
            message=f"{row['kind']} settled at {net}, "
            + ("no such wager was placed" if whole else "its wager cannot be told"),
            delta_minor=row["net_minor"],
        )
    alone = pl.col("reason").ne_missing(payment.BEYOND_AMOUNTS)
    for row in matched.filter(alone & (pl.col("settled_stake") != pl.col("stake_minor"))).iter_rows(named=True):
        laid, settled = format_amount(row["stake_minor"]), format_amount(row["settled_stake"])
        yield made.finding(
            payment.STAKE_CHANGED.code,
            row["settled_seq"],
            round=made.rounds[row["ri"]],
            seat=row["seat"],
            message=f"{row['kind']} placed at {laid}, settled at {settled}",
        )


def _lost_track(made: Reconstruction) -> dict[tuple[int, int, str], int]:
    """Day, seat and kind of wagers that live on into later rounds and could not be followed, as events were missing: and
    the ``seq`` of the first one."""
    carried = made.game.carried_wagers if made.game else frozenset()
    wagers = made.wagers.filter(pl.col("kind").is_in(sorted(carried)) & pl.col("num").is_null())
    places = wagers.select(pl.col("seq") // SPAN, "seat", "kind", first="seq").sort("first", descending=True)
    return {(day, seat, kind): first for day, seat, kind, first in places.rows()}


def _breaches(made: Reconstruction, matched: pl.DataFrame) -> Iterator[Finding]:
    """The breaches of judged situations at their positions in the log; rounds that lack events are left out,
    and of void rounds all but their procedure."""
    if made.judgements is None or made.stories is None or made.context is None:
        return
    noted = [
        note
        for note in (*made.judgements.noted, *missed_deadlines(made, matched))
        # A void round was broken off: what its hands lack by then is no breach.
        if not made.context.why_not[note.ri] and (note.of == "round" or note.ri not in made.context.voids)
    ]
    seqs: dict[str, dict[int, list[int]]] = {}
    for of in ("seat", "bank", "round"):
        keys = {_key(note) for note in noted if note.of == of}
        seqs[of] = made.stories.seqs(of, pl.Series(sorted(keys), dtype=pl.Int64)) if keys else {}
    stakes = _stakes_of_advisories(made, noted)
    for note in noted:
        seq = note.seq
        if seq is None:
            words = seqs[note.of].get(_key(note), [])
            at = note.breach.word - 1
            seq = words[at] if 0 <= at < len(words) else made.stories.rounds["first_seq"][note.ri]
        breach, round_ = note.breach, made.rounds[note.ri]
        yield made.finding(
            breach.code,
            seq,
            round=round_,
            seat=note.seat,
            article=breach.article,
            message=breach.message,
            stake_minor=stakes.get(note.seq) if _is_advisory(note) else None,
        )


def _is_advisory(note: Noted) -> bool:
    return CODES[note.breach.code].severity is Severity.ADVISORY


def _stakes_of_advisories(made: Reconstruction, noted: Iterable[Noted]) -> dict[int | None, int]:
    """The stakes of the wagers that advisories are about, by the stacked ``seq`` at which they were placed."""
    seqs = [note.seq for note in noted if note.of == "wager" and _is_advisory(note)]
    return dict(made.wagers.filter(pl.col("seq").is_in(seqs)).select("seq", "stake_minor").iter_rows()) if seqs else {}


def _key(note: Noted) -> int:
    return seat_key(note.ri, note.seat or 0) if note.of == "seat" else note.ri


def _with_events(found: pl.DataFrame, read: pl.DataFrame, dealers: _Dealers, day: int) -> pl.DataFrame:
    """Findings of a table-day with the time, dealer, player and amount of the events at which they show."""
    schema = TABLES["findings"]
    if found.is_empty():
        return schema.to_frame()
    numbered = pl.col("seq").is_between(0, SPAN - 1)
    seqs = found.select("seq").filter(numbered).unique()
    events = (
        read.lazy()
        .join(seqs.lazy(), on="seq", how="semi")
        .unique("seq", keep="first", maintain_order=True)
        .select(
            "seq",
            at=pl.when(pl.col("at").is_between(*NUMBERS["at"])).then(pl.col("at")),
            player=pl.coalesce("wager_player", "decision_player", "chips_player"),
            amount_minor=pl.coalesce("wager_stake_minor", "chips_amount_minor"),
        )
        .collect()
    )
    events = events.with_columns(dealers.at(events["seq"] + day * SPAN))
    told = found.join(events, on="seq", how="left", maintain_order="left")
    return told.select(*schema).cast(schema)


def _not_checked(made: Reconstruction) -> list[Counter[str]]:
    """How often each check could not be made, for each stacked table-day."""
    counts = [Counter(log.not_checked) for log in made.logs]
    if made.judgements is not None:
        for ri, checks in made.judgements.not_checked:
            counts[made.rounds[ri] // SPAN].update(checks)
    return counts


def _table_day(
    log: Log,
    head: _Head,
    wagers: pl.DataFrame,
    rounds: pl.DataFrame,
    container_sha256: str,
    digest: str,
    not_checked: Counter[str],
) -> pl.DataFrame:
    events = log.events
    game, currency, seats = head
    numbers = [*(events["seq"][0], events["seq"][-1]), *log.late] if events.height else [*log.late]
    row = {
        "table_id": log.table_id,
        "gaming_day": log.gaming_day,
        "game": game,
        "currency": currency,
        "seats": seats,
        "first_seq": min(numbers, default=None),
        "last_seq": max(numbers, default=None),
        "events": events.height + len(log.late),
        "rounds": rounds.height,
        "wagers": wagers.height,
        "unsettled": int((wagers["status"] == "unsettled").sum()),
        "container_sha256": container_sha256,
        "digest": digest,
        "not_checked": json.dumps(dict(sorted(not_checked.items()))),
    }
    return pl.DataFrame([row], schema=TABLES["table_days"])


_LINES: Final = 1 << 14
"""Rows that are written as text at a time."""


def _digest(frames: Mapping[str, pl.DataFrame]) -> str:
    """SHA-256 over the canonical text (CSV) of wagers, rounds, findings, custody and, where there are any, advisories, in
    their one order."""
    digest = hashlib.sha256()
    for name in ("wagers", "rounds", "findings", "custody", "advisories"):
        frame = frames[name]
        if name == "advisories" and frame.is_empty():
            continue
        columns = [each.name for each in DEFINITIONS[name].columns if each.digested]
        silent = [one for one in columns if one in SELDOM_SAID and frame[one].eq_missing(SELDOM_SAID[one]).all()]
        told = frame.select(one for one in columns if one not in silent).with_columns(pl.col(TIME).cast(pl.Int64))
        digest.update(told.clear().write_csv().encode())
        for some in told.iter_slices(_LINES):
            digest.update(some.write_csv(include_header=False, null_value="\\N").encode())
        digest.update(b"\0")
    return digest.hexdigest()
