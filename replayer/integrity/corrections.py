"""Corrections: each gives a finding with the old and the new content; only one made in time is applied.

A correction is in time while the books of its event are open, and before that event was sealed
(:mod:`replayer.integrity.books`): it is applied, so that the corrected fact counts. A later one is not applied: the findings on
the fact stay, and name the correction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

from replayer.integrity.books import Books, Found
from replayer.log.columns import FLAT
from replayer.log.compaction import by_pieces, only
from schemas.finding import of_integrity
from schemas.kinds import SHAPES, UNKNOWN_KIND
from schemas.money import format_amount
from schemas.notation import hand_letter

CORRECTION_DANGLING: Final = of_integrity("CORRECTION_DANGLING", "A correction that corrects nothing")
EVENT_CORRECTED: Final = of_integrity("EVENT_CORRECTED", "An event corrected while the books were open")
CORRECTION_LATE: Final = of_integrity("CORRECTION_LATE", "A correction made when the books were closed")

_CORRECTABLE: Final = {
    kind: body
    for body in SHAPES["CorrectionMade"].allowed
    for kind, shape in SHAPES.items()
    if body in shape.bodies and kind not in ("CorrectionMade", UNKNOWN_KIND)
}
"""The body of each kind that a correction may replace: every one that it can carry."""
_SEATS: Final = ("card_seat", "decision_seat")
_CARD_LAID: Final = {"card_card", "card_face"}
_UNNAMED_LAID: Final = {"card_face"}
_WHOLE: Final = {"CardRemoved": {"card_card"}, "TotalAnnounced": {"decision_points"}}
"""What a correction of these kinds must give to give the place too; of other kinds a card and how it lies."""
_TO_BANK: Final = "to the bank"


@dataclass(frozen=True, slots=True)
class LateCorrection:
    """The number of a correction that was not applied, and the event and round that it corrects."""

    seq: int
    corrects: int
    round: int | None


@dataclass(slots=True)
class Corrected:
    """Events with corrections in time applied, the entries of all corrections, and the late ones. The numbers ``left_out`` are
    those of late corrections, and of wagers that a correction removed."""

    events: pl.DataFrame
    entries: list[Found] = field(default_factory=list)
    late: list[LateCorrection] = field(default_factory=list)
    left_out: list[int] = field(default_factory=list)


def corrected(events: pl.DataFrame, books: Books) -> Corrected:
    """Apply the corrections among a table-day's numbered ``events`` by its books; the originals stay in the archive.

    A correction replaces the fields that it gives, and leaves the rest. One that gives a card and how it lies (of a card not
    named, how it lies), a card taken away, or a total also gives its place: no seat means the bank. A wager corrected to no
    stake is removed.
    """
    corrections = events.filter(pl.col("kind") == "CorrectionMade")
    made = Corrected(books.kept)
    if corrections.is_empty():
        return made
    targets = corrections["remark_refers_to"].drop_nulls()
    stood = {row["seq"]: row for row in events.filter(pl.col("seq").is_in(targets.implode())).iter_rows(named=True)}
    updates: dict[int, dict[str, Any]] = {}
    for row in corrections.iter_rows(named=True):
        target = stood.get(row["remark_refers_to"])
        now = {**target, **updates.get(target["seq"], {})} if target else None
        given = _corrected_fields(row, now)
        if now is None or (why := _corrects_nothing(row, now, given)):
            said = why if now else f"this table-day has no sound event with seq {row['remark_refers_to']}"
            made.entries.append(Found(CORRECTION_DANGLING, row["seq"], said, row["round"], "not applied", "nothing"))
            continue
        seq = now["seq"]
        too_late = "the books were closed" if seq in books.late else books.periods.too_late(seq, row["seq"])
        made.entries.append(_entry(row, now, given, too_late))
        if not too_late:
            updates.setdefault(seq, {}).update(given)
        else:
            made.late.append(LateCorrection(row["seq"], seq, now["round"]))
    made.events = _applied(books.kept, updates)
    removed = (seq for seq, now in updates.items() if now.get("wager_stake_minor") == 0)
    made.left_out += [correction.seq for correction in made.late]
    made.left_out += [seq for seq in removed if stood[seq]["kind"] == "WagerPlaced"]
    if made.left_out:
        made.events = only(made.events, ~made.events["seq"].is_in(made.left_out))
    return made


def _corrected_fields(correction: Mapping[str, Any], target: Mapping[str, Any] | None) -> dict[str, Any]:
    """The fields that a correction gives for its event."""
    body = _CORRECTABLE.get(target["kind"]) if target else None
    columns = [name for name in FLAT if body is not None and name.startswith(f"{body}_")]
    given = {name: correction[name] for name in columns if correction[name] is not None}
    laid = _CARD_LAID if target is not None and target["card_card"] else _UNNAMED_LAID
    whole = target is not None and given.keys() >= _WHOLE.get(target["kind"], laid)
    return {**given, f"{body}_seat": correction[f"{body}_seat"]} if whole else given


def _corrects_nothing(correction: Mapping[str, Any], now: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """Why a correction corrects nothing of an event as it stands ``now``; empty where it does."""
    what = f"{now['kind']} at seq {now['seq']}"
    if now["seq"] >= correction["seq"]:
        return f"{what} is not earlier than the correction"
    if now["kind"] == "CorrectionMade":
        return f"seq {now['seq']} is a correction itself: correct seq {now['remark_refers_to']} again"
    if not given:
        return f"it gives nothing that {what} has"
    same = all(value == now[name] for name, value in given.items())
    return f"{what} says so already: nothing changes, and nothing is taken away" if same else ""


def _applied(events: pl.DataFrame, updates: Mapping[int, Mapping[str, Any]]) -> pl.DataFrame:
    """The events with their corrected values, by sequence number."""
    names = [name for name in FLAT if any(name in values for values in updates.values())]
    rows = [{"seq": seq, _TO_BANK: None in values.values(), **values} for seq, values in updates.items()]
    given = pl.DataFrame(rows, {"seq": FLAT["seq"], _TO_BANK: pl.Boolean, **{name: FLAT[name] for name in names}})

    def applied(piece: pl.DataFrame) -> pl.DataFrame:
        own = given.join(piece.select("seq"), on="seq", how="semi")
        if own.is_empty():  # as nearly everywhere; an unchanged piece is not copied
            return piece
        corrected = piece.select("seq").join(own, on="seq", how="left", maintain_order="left")
        put = piece.with_columns(pl.coalesce(corrected[name], piece[name]).alias(name) for name in names)
        to_bank = corrected[_TO_BANK].fill_null(value=False)
        if not to_bank.any():
            return put
        return put.with_columns(pl.when(~to_bank).then(name).alias(name) for name in _SEATS)

    return by_pieces(events, applied) if updates else events


def _entry(row: Mapping[str, Any], now: Mapping[str, Any], given: Mapping[str, Any], too_late: str) -> Found:
    differs = [name for name, value in given.items() if value != now[name]]
    before = ", ".join(_spelled_out(name, now[name], "the") for name in differs)
    after = ", ".join(_spelled_out(name, given[name], "another") for name in differs)
    what = f"{now['kind']} at seq {now['seq']}: {before} -> {after} ({row['remark_cause'] or 'no cause given'})"
    if too_late:
        what += f"; not applied, as {too_late}"
    code = CORRECTION_LATE if too_late else EVENT_CORRECTED
    return Found(code, row["seq"], what, now["round"], after, before)


def _spelled_out(name: str, value: object, article: str) -> str:
    """A field in words: amounts formatted, players without their ids, which are not pseudonyms here."""
    said = name.split("_", 1)[1].removesuffix("_minor")
    if said in ("player", "denominations"):
        return f"{article} {said.removesuffix('s')}"
    if value is None:
        return "the bank" if name in _SEATS else f"no {said}"
    if said == "hand" and isinstance(value, int):
        return f"hand {hand_letter(value)}"
    if name.endswith("_minor") and isinstance(value, int):
        return f"{said} {format_amount(value, sign=said == 'net')}"
    return str(value) if said == "card" else f"{said} {value}"
