"""Replays a table-day: log, situations, judgement, settlement, verdicts. The same log gives the same bytes everywhere."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import polars as pl

from replayer import settle
from replayer.elections import Epoch, ReplaySettings, epochs
from replayer.game import Due, Game
from replayer.integrity.log import Log, inspect
from replayer.judge import Judge, judge_of
from replayer.law.calendar import games
from replayer.settle import Noted, Opinion, hold_against, opinion, wagers_due
from replayer.shoe import impossible_cards
from replayer.stories import Stories, cut, seat_key
from replayer.verdict import CUSTODY, DECISIONS, FINDINGS, ROUNDS, TABLE_DAYS, WAGERS
from schemas.finding import CODES, Finding, Severity, declare
from schemas.money import format_amount

GAME_UNKNOWN: Final = declare("GAME_UNKNOWN", Severity.INTEGRITY, "A game that this program does not know")

_CUSTODY_KINDS: Final = (
    "TableOpened",
    "ChipsFilled",
    "ChipsCredited",
    "CashBoughtIn",
    "DropCounted",
    "SlipVoided",
    "TableClosed",
)
EVENTS_MISSING: Final = "events of this round are missing"


@dataclass(frozen=True, slots=True)
class Replayed:
    """The verdicts of a table-day, frames as ``replayer.verdict`` describes them, and what explains them."""

    table_id: str
    gaming_day: dt.date
    wagers: pl.DataFrame
    rounds: pl.DataFrame
    findings: pl.DataFrame
    custody: pl.DataFrame
    decisions: pl.DataFrame
    table_days: pl.DataFrame
    digest: str

    def tables(self) -> dict[str, pl.DataFrame]:
        """The frames by the names of ``replayer.verdict.TABLES``."""
        return {
            "wagers": self.wagers,
            "rounds": self.rounds,
            "findings": self.findings,
            "custody": self.custody,
            "decisions": self.decisions,
            "table_days": self.table_days,
        }


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """A table-day cut and judged, before money: what an explanation walks through."""

    log: Log
    game: Game | None
    stories: Stories | None
    epochs: Sequence[Epoch]
    judges: Sequence[Judge | None]
    opinion: Opinion | None
    wagers: pl.DataFrame
    dues: Sequence[Due]
    why_not: Sequence[str]
    voids: dict[int, str]
    epoch_of_round: Sequence[int]
    findings: Sequence[Finding]


def reconstruct(frame: pl.DataFrame, table_id: str, gaming_day: dt.date, settings: ReplaySettings) -> Reconstruction:
    """Cut a table-day (schema ``FLAT``) into rounds and judge every situation in it."""
    log = inspect(frame, table_id, gaming_day)
    events = log.events
    opened = events.filter(pl.col("kind") == "TableOpened")
    name = opened["table_game"][0] if opened.height else None
    game = games().get(name) if name else None
    findings = list(log.findings)
    if game is None:
        if name is not None:
            findings.append(
                Finding(
                    GAME_UNKNOWN.code, table_id, gaming_day, seq=opened["seq"][0], message=f"{name!r} is no game known"
                )
            )
        return Reconstruction(log, None, None, (), (), None, _no_wagers(events), (), (), {}, (), tuple(findings))
    stories = cut(events, game)
    made, of_round, faults = epochs(events, stories.rounds, game, table_id, gaming_day, settings)
    findings += faults
    by_epoch = [judge_of(game, epoch.rules) if epoch.rules else None for epoch in made]
    judges = [by_epoch[number] for number in of_round]
    formed = opinion(stories, judges, game)
    numbers = stories.rounds["round"].to_list()
    index = {number: ri for ri, number in enumerate(numbers)}
    void_rows = events.filter(pl.col("kind") == "RoundVoided").select("round", "remark_cause").rows()
    voids = {index[number]: cause or "" for number, cause in void_rows}
    why_not = [_why_not(made[of_round[ri]], number in log.torn) for ri, number in enumerate(numbers)]
    closes = bool((events["kind"] == "TableClosed").any())
    wagers, dues = wagers_due(stories, judges, formed, game, why_not, voids, closes)
    findings += _shoe_findings(events, made, table_id, gaming_day)
    return Reconstruction(
        log, game, stories, made, judges, formed, wagers, dues, why_not, voids, of_round, tuple(findings)
    )


def _why_not(epoch: Epoch, torn: bool) -> str:
    if torn:
        return EVENTS_MISSING
    if epoch.version is None:
        return "no version of the regulation was in force"
    if epoch.rules is None:
        return f"the text of {epoch.version.id} is not at hand"
    return ""


def _shoe_findings(events: pl.DataFrame, made: Sequence[Epoch], table_id: str, gaming_day: dt.date) -> list[Finding]:
    options = next((epoch.rules.options for epoch in made if epoch.rules), None)
    if options is None:
        return []
    refilled = getattr(options, "device", "") == "auto"
    return list(
        impossible_cards(events, table_id, gaming_day, getattr(options, "decks", 1), refilled_each_round=refilled)
    )


def replay_table_day(
    frame: pl.DataFrame,
    table_id: str,
    gaming_day: dt.date,
    settings: ReplaySettings | None = None,
    container_sha256: str = "",
) -> Replayed:
    """Replay one table-day from its events (schema ``FLAT``, any order)."""
    settings = settings or ReplaySettings()
    made = reconstruct(frame, table_id, gaming_day, settings)
    events = made.log.events
    dealers = _Dealers(events)
    settled = _settled(events, made)
    wagers, nothing = hold_against(made.wagers, settled, settings.readings_for(table_id))
    verdicts = _verdicts(wagers, made, dealers, table_id, gaming_day)
    rounds = _rounds(made, dealers, table_id, gaming_day)
    findings = _findings(made, verdicts, wagers, nothing, table_id, gaming_day)
    custody = _custody(events, dealers, table_id, gaming_day)
    decisions = _decisions(events, dealers, table_id, gaming_day)
    digest = _digest(verdicts, rounds, findings, custody)
    not_checked = dict(sorted(made.opinion.not_checked.items())) if made.opinion else {}
    day = _table_day(events, rounds, verdicts, made, table_id, gaming_day, container_sha256, digest, not_checked)
    return Replayed(table_id, gaming_day, verdicts, rounds, findings, custody, decisions, day, digest)


class _Dealers:
    """Who stood at the table at any moment of the log."""

    def __init__(self, events: pl.DataFrame) -> None:
        moves = events.filter(pl.col("kind").is_in(("DealerEntered", "DealerLeft"))).select(
            "seq", "kind", "table_staff"
        )
        self._seqs = moves["seq"]
        staff = [None, *(s if kind == "DealerEntered" else None for _, kind, s in moves.iter_rows())]
        self._staff = pl.Series(staff, dtype=pl.String)

    def at(self, seqs: pl.Series) -> pl.Series:
        """The dealer at each ``seq``; null where nobody was."""
        return self._staff.gather(self._seqs.search_sorted(seqs, side="right")).alias("dealer")


def _settled(events: pl.DataFrame, made: Reconstruction) -> pl.DataFrame:
    rows = events.filter(pl.col("kind") == "WagerSettled").select(
        "seq",
        "round",
        seat=pl.col("wager_seat"),
        hand=pl.col("wager_hand").fill_null(0),
        kind=pl.col("wager_kind"),
        player=pl.col("wager_player"),
        stake_minor=pl.col("wager_stake_minor"),
        net_minor=pl.col("wager_net_minor"),
    )
    if made.stories is None:
        index = events.select(pl.col("round").drop_nulls().unique().sort()).with_row_index("ri")
    else:
        index = made.stories.rounds.select("round", "ri")
    index = index.select("round", pl.col("ri").cast(pl.Int64))
    return rows.join(index, on="round", how="left", maintain_order="left").drop("round")


def _no_wagers(events: pl.DataFrame) -> pl.DataFrame:
    """The placed wagers of a game that nobody can judge."""
    index = events.select(pl.col("round").drop_nulls().unique().sort()).with_row_index("ri")
    placed = events.filter(pl.col("kind") == "WagerPlaced").join(index, on="round", how="left", maintain_order="left")
    return placed.select(
        pl.col("ri").cast(pl.Int64),
        "seq",
        "at",
        seat=pl.col("wager_seat"),
        hand=pl.col("wager_hand").fill_null(0),
        kind=pl.col("wager_kind"),
        player=pl.col("wager_player"),
        position=pl.col("wager_position"),
        stake_minor=pl.col("wager_stake_minor"),
        moment=pl.lit(0, dtype=pl.Int32),
        num=pl.lit(None, dtype=pl.Int64),
        den=pl.lit(None, dtype=pl.Int64),
        article=pl.lit(""),
        rulings=pl.lit(""),
        reason=pl.lit("the game is not known"),
        ended_ri=pl.col("ri").cast(pl.Int64),
    )


def _verdicts(
    wagers: pl.DataFrame, made: Reconstruction, dealers: _Dealers, table_id: str, gaming_day: dt.date
) -> pl.DataFrame:
    numbers = _round_numbers(made)
    void = pl.col("ended_ri").is_in(list(made.voids))
    missing = pl.col("due_minor").is_null()
    status = (
        pl.when(missing)
        .then(pl.lit("unjudged"))
        .when(void)
        .then(pl.lit("void"))
        .when(pl.col("net_minor").is_null())
        .then(pl.lit("unsettled"))
        .otherwise(pl.lit("judged"))
    )
    delta = pl.col("net_minor") - pl.col("due_minor")
    full = wagers.with_columns(delta=delta)
    if full["due_exact"].is_not_null().any():
        full = full.with_columns(
            delta=pl.Series(
                [
                    d if exact is None or paid is None else _toward_nought(paid - Fraction(exact))
                    for d, exact, paid in full.select("delta", "due_exact", "net_minor").iter_rows()
                ],
                dtype=pl.Int64,
            )
        )
    return (
        full.with_columns(
            table_id=pl.lit(table_id),
            gaming_day=pl.lit(gaming_day),
            round=numbers.gather(full["ri"]),
            dealer=dealers.at(full["settled_seq"].fill_null(full["seq"])),
            status=status,
        )
        .select(
            "table_id",
            "gaming_day",
            "round",
            pl.col("seat").cast(pl.Int32),
            pl.col("hand").cast(pl.Int32),
            wager=pl.col("kind"),
            player=pl.col("player"),
            dealer=pl.col("dealer"),
            placed_seq=pl.col("seq"),
            settled_seq=pl.col("settled_seq"),
            placed_at=pl.col("at"),
            stake_minor=pl.col("stake_minor"),
            paid_minor=pl.col("net_minor"),
            due_minor=pl.col("due_minor"),
            due_exact=pl.col("due_exact"),
            delta_minor=pl.col("delta"),
            status=pl.col("status"),
            reason=pl.col("reason"),
            article=pl.col("article"),
            rulings=pl.col("rulings"),
        )
        .match_to_schema(WAGERS)
    )


def _toward_nought(amount: Fraction) -> int:
    return amount.__trunc__()


def _round_numbers(made: Reconstruction) -> pl.Series:
    if made.stories is not None:
        return made.stories.rounds["round"]
    return made.log.events["round"].drop_nulls().unique().sort()


def _rounds(made: Reconstruction, dealers: _Dealers, table_id: str, gaming_day: dt.date) -> pl.DataFrame:
    if made.stories is None or made.opinion is None or made.game is None:
        return ROUNDS.to_frame()
    rounds = made.stories.rounds
    seats = made.stories.wagers.group_by("ri").agg(seats=pl.col("seat").n_unique().cast(pl.Int32))
    status = [
        "void" if ri in made.voids else "incomplete" if why == EVENTS_MISSING else "unjudged" if why else "played"
        for ri, why in enumerate(made.why_not)
    ]
    versions = [made.epochs[number].version for number in made.epoch_of_round]
    return (
        rounds.join(seats, on="ri", how="left", maintain_order="left")
        .with_columns(
            table_id=pl.lit(table_id),
            gaming_day=pl.lit(gaming_day),
            game=pl.lit(made.game.name),
            regulation=pl.Series([version.id if version else None for version in versions], dtype=pl.String),
            dealer=dealers.at(rounds["first_seq"]),
            bank=pl.Series([asked.answer.outcome for asked in made.opinion.banks], dtype=pl.String),
            status=pl.Series(status, dtype=pl.String),
            seats=pl.col("seats").fill_null(0),
        )
        .select(list(ROUNDS))
        .match_to_schema(ROUNDS)
    )


def _findings(
    made: Reconstruction,
    verdicts: pl.DataFrame,
    wagers: pl.DataFrame,
    nothing: pl.DataFrame,
    table_id: str,
    gaming_day: dt.date,
) -> pl.DataFrame:
    numbers = _round_numbers(made)
    found = [*made.findings, *_noted(made, numbers, table_id, gaming_day)]
    for row in verdicts.filter(pl.col("delta_minor") != 0).iter_rows(named=True):
        code = settle.OVERPAID if row["delta_minor"] > 0 else settle.UNDERPAID
        due = format_amount(row["due_minor"], sign=True)
        message = f"{row['wager']}: paid {format_amount(row['paid_minor'], sign=True)}, due {due}"
        found.append(
            Finding(
                code.code, table_id, gaming_day, row["settled_seq"], row["round"], row["seat"], row["article"], message,
                row["delta_minor"],
            )
        )  # fmt: skip
    unsettled = verdicts.filter(pl.col("paid_minor").is_null() & pl.col("status").is_in(("unsettled", "unjudged")))
    for row in unsettled.iter_rows(named=True):
        if row["reason"] in (EVENTS_MISSING, settle.STILL_RUNNING):
            continue
        message = f"{row['wager']} of {format_amount(row['stake_minor'])} placed, never settled"
        found.append(
            Finding(
                settle.WAGER_UNSETTLED.code, table_id, gaming_day, row["placed_seq"], row["round"], row["seat"],
                row["article"], message,
            )
        )  # fmt: skip
    torn = {ri for ri, why in enumerate(made.why_not) if why == EVENTS_MISSING}
    for row in nothing.iter_rows(named=True):
        ri = row["ended_ri"]
        if ri in torn:
            continue
        net = format_amount(row["net_minor"] or 0, sign=True)
        found.append(
            Finding(
                settle.SETTLED_NOTHING.code, table_id, gaming_day, row["settled_seq"],
                None if ri is None else numbers[ri], row["seat"], "",
                f"{row['kind']} settled at {net}, no such wager was placed", row["net_minor"],
            )
        )  # fmt: skip
    changed = wagers.filter(pl.col("settled_stake") != pl.col("stake_minor"))
    for row in changed.iter_rows(named=True):
        message = (
            f"{row['kind']} placed at {format_amount(row['stake_minor'])}, "
            f"settled at {format_amount(row['settled_stake'])}"
        )
        found.append(
            Finding(
                settle.STAKE_CHANGED.code, table_id, gaming_day, row["settled_seq"], numbers[row["ri"]], row["seat"], "",
                message,
            )
        )  # fmt: skip
    return findings_frame(found)


def findings_frame(found: Iterable[Finding]) -> pl.DataFrame:
    """Findings as a frame of schema ``FINDINGS``, in one order whatever order they were found in."""
    rows = [
        {
            "table_id": f.table_id,
            "gaming_day": f.gaming_day,
            "round": f.round,
            "seq": f.seq,
            "seat": f.seat,
            "code": f.code,
            "severity": str(CODES[f.code].severity),
            "article": f.article,
            "message": f.message,
            "delta_minor": f.delta_minor,
        }
        for f in found
    ]
    order = ["seq", "code", "seat", "message"]
    return pl.DataFrame(rows, schema=FINDINGS).sort(order, nulls_last=True, maintain_order=True)


def _noted(made: Reconstruction, numbers: pl.Series, table_id: str, gaming_day: dt.date) -> list[Finding]:
    """The breaches of judged situations with their positions in the log; rounds that lack events are left out."""
    if made.opinion is None or made.stories is None:
        return []
    noted = [note for note in made.opinion.noted if not made.why_not[note.ri]]
    seqs: dict[str, dict[int, list[int]]] = {}
    for of in ("seat", "bank", "round"):
        keys = {_key(note) for note in noted if note.of == of}
        seqs[of] = made.stories.seqs(of, sorted(keys)) if keys else {}
    firsts = made.stories.rounds["first_seq"]
    found = []
    for note in noted:
        seq = note.seq
        if seq is None:
            words = seqs[note.of].get(_key(note), [])
            at = note.breach.word - note.prefix
            seq = words[at] if 0 <= at < len(words) else firsts[note.ri]
        found.append(
            Finding(
                note.breach.code, table_id, gaming_day, seq, numbers[note.ri], note.seat, note.breach.article,
                note.breach.message,
            )
        )  # fmt: skip
    return found


def _key(note: Noted) -> int:
    return seat_key(note.ri, note.seat or 0) if note.of == "seat" else note.ri


def _custody(events: pl.DataFrame, dealers: _Dealers, table_id: str, gaming_day: dt.date) -> pl.DataFrame:
    rows = events.filter(pl.col("kind").is_in(_CUSTODY_KINDS))
    counted = [
        None if chips is None else json.dumps({str(c["value_minor"]): c["count"] for c in chips}, sort_keys=True)
        for chips in rows["chips_denominations"].to_list()
    ]
    return rows.select(
        pl.lit(table_id).alias("table_id"),
        pl.lit(gaming_day).alias("gaming_day"),
        "seq",
        "at",
        pl.col("kind").cast(pl.String),
        slip=pl.col("chips_slip"),
        amount_minor=pl.col("chips_amount_minor"),
        player=pl.col("chips_player"),
        dealer=dealers.at(rows["seq"]),
        denominations=pl.Series(counted, dtype=pl.String),
    ).match_to_schema(CUSTODY)


def _decisions(events: pl.DataFrame, dealers: _Dealers, table_id: str, gaming_day: dt.date) -> pl.DataFrame:
    rows = events.filter(pl.col("kind") == "DecisionTaken")
    return rows.select(
        pl.lit(table_id).alias("table_id"),
        pl.lit(gaming_day).alias("gaming_day"),
        "round",
        "seq",
        "at",
        seat=pl.col("decision_seat"),
        hand=pl.col("decision_hand").fill_null(0),
        action=pl.col("decision_action"),
        player=pl.col("decision_player"),
        dealer=dealers.at(rows["seq"]),
    ).match_to_schema(DECISIONS)


def _table_day(
    events: pl.DataFrame,
    rounds: pl.DataFrame,
    verdicts: pl.DataFrame,
    made: Reconstruction,
    table_id: str,
    gaming_day: dt.date,
    container_sha256: str,
    digest: str,
    not_checked: dict[str, int],
) -> pl.DataFrame:
    opened = events.filter(pl.col("kind") == "TableOpened").select("table_game", "table_currency", "table_seats")
    game, currency, seats = opened.row(0) if opened.height else (None, None, None)
    row: dict[str, Any] = {
        "table_id": table_id,
        "gaming_day": gaming_day,
        "game": game,
        "currency": currency,
        "seats": seats,
        "first_seq": events["seq"][0] if events.height else None,
        "last_seq": events["seq"][-1] if events.height else None,
        "events": events.height,
        "rounds": rounds.height,
        "wagers": verdicts.height,
        "unsettled": int((verdicts["status"] == "unsettled").sum()),
        "container_sha256": container_sha256,
        "digest": digest,
        "not_checked": json.dumps(not_checked, sort_keys=True),
    }
    return pl.DataFrame([row], schema=TABLE_DAYS)


def _digest(*frames: pl.DataFrame) -> str:
    """SHA-256 over the canonical text (CSV) of the frames, in their one order."""
    digest = hashlib.sha256()
    for frame in frames:
        digest.update(frame.write_csv(null_value="\\N").encode())
        digest.update(b"\0")
    return digest.hexdigest()
