"""The frames of judged table-days as the lake stores them: each made for all stacked days, then cut into table-days."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

import polars as pl

from replayer.contract.game import Game
from replayer.engine.division import divide
from replayer.engine.histories import Subject
from replayer.engine.reconstruct import Reconstruction
from replayer.engine.round_context import JudgedDays
from replayer.engine.stacked_days import SPAN, stack
from replayer.integrity.inspection import EventsLacking, Log
from replayer.log.columns import TEXT, in_slices, of_kind
from replayer.verdicts.hands import hands_of
from schemas.kinds import CUSTODY_KINDS


def by_day(logs: Sequence[Log], game: Game | None, frame: pl.DataFrame, schema: pl.Schema) -> list[pl.DataFrame]:
    """A stacked frame cut into table-days by its sorted column ``day``."""
    alone = len(logs) == 1

    def of_day(values: Sequence[object], kind: type[pl.DataType]) -> pl.Expr:
        return pl.lit(values[0], kind) if alone else pl.lit(pl.Series(values, dtype=kind)).gather(pl.col("day"))

    of_table = {
        "table_id": of_day([log.table_id for log in logs], pl.String),
        "gaming_day": of_day([log.gaming_day for log in logs], pl.Date),
        "currency": of_day([log.opened.currency for log in logs], pl.String),
        "game": pl.lit(game.name if game else None, dtype=pl.String),
    }
    if any(len({(opening.game, opening.currency) for opening in log.openings}) > 1 for log in logs):
        moment = next(name for name in ("first_seq", "seq") if name in frame.columns)
        of_table |= _as_opened(logs, game, pl.col("day") * SPAN + pl.col(moment))
    wanted = {name: of_table.get(name, pl.col(name)).cast(kind) for name, kind in schema.items()}
    said = in_slices(frame, lambda some: some.select(**wanted))
    begins = frame["day"].search_sorted(pl.Series(range(len(logs) + 1))).to_list()
    return [said.slice(begin, end - begin) for begin, end in pairwise(begins)]


def _as_opened(logs: Sequence[Log], game: Game | None, moment: pl.Expr) -> dict[str, pl.Expr]:
    """Game and currency of the table at each stacked ``moment``; where a later opening omits one, the first one's holds."""
    begins, games, currencies = list[int](), list[str | None](), list[str | None]()
    for day, log in enumerate(logs):
        played, currency = game.name if game else None, log.opened.currency
        for begin, opening in ((0, None), *((opening.seq, opening) for opening in log.openings[1:])):
            begins.append(day * SPAN + begin)
            games.append((opening and opening.game) or played)
            currencies.append((opening and opening.currency) or currency)
    at = pl.lit(pl.Series(begins)).search_sorted(moment, side="right") - 1
    heads = {"game": games, "currency": currencies}
    return {name: pl.lit(pl.Series(said, dtype=pl.String)).gather(at) for name, said in heads.items()}


class Dealers:
    """The dealer of each table at any moment of its log: of those who came and did not leave, the last to come."""

    def __init__(self, rebuilt: Reconstruction) -> None:
        moves = of_kind(rebuilt.events, ("DealerEntered", "DealerLeft"), "seq", "kind", "table_staff").rows()
        changes: list[tuple[int, str | None]] = [(day * SPAN, None) for day in range(len(rebuilt.logs))]
        there: dict[int, dict[str, None]] = defaultdict(dict)  # on each day, in the order in which they came
        for seq, kind, staff in moves:
            dealers = there[seq // SPAN]
            dealers.pop(staff, None)
            if kind == "DealerEntered":
                dealers[staff] = None
            changes.append((seq, next(reversed(dealers), None)))
        changes.sort(key=lambda change: change[0])
        self._seqs = pl.Series([seq for seq, _ in changes], dtype=pl.Int64)
        self._staff = pl.Series([staff for _, staff in changes], dtype=TEXT)  # four bytes each until output

    def at(self, seqs: pl.Series) -> pl.Series:
        """The dealer at each stacked ``seq``; null where there was none."""
        return self._staff.gather(self._seqs.search_sorted(seqs, side="right").cast(pl.Int64) - 1).alias("dealer")


def returned_by_a_void(rebuilt: Reconstruction) -> pl.Expr:
    """Whether a wager is of a void round alone: one that runs on over it goes back at the table's closing (BJ-51, BJ-54)."""
    return pl.col("ri").is_in(list(rebuilt.voids)) & (pl.col("ended_ri") == pl.col("ri"))


def wagers_frame(matched: pl.DataFrame, rebuilt: Reconstruction, dealers: Dealers) -> pl.DataFrame:
    """Every wager with what it was due, what was paid, and who dealt; ``first_seq`` is that of its round, which is judged by the
    game and the currency of the table when it began."""
    matched = _without_dues_to_come(matched, rebuilt)
    status = (
        pl.when(pl.col("due_minor").is_null())
        .then(pl.lit("unjudged"))
        .when(returned_by_a_void(rebuilt))
        .then(pl.lit("void"))
        .when(pl.col("net_minor").is_null())
        .then(pl.lit("unsettled"))
        .otherwise(pl.lit("judged"))
    )
    delta = (matched["net_minor"] - matched["due_minor"]).alias("delta_minor")
    if matched["due_exact"].is_not_null().any():
        amounts = zip(delta, matched["net_minor"], matched["due_exact"], strict=True)
        delta = pl.Series("delta_minor", [_exact_delta(*amount) for amount in amounts], dtype=pl.Int64)
    least, most = _limits(matched, rebuilt)
    rulings = pl.Series("rulings", [" ".join(each) for each in rebuilt.rulings.all], dtype=TEXT)
    return matched.select(
        delta,
        least,
        most,
        rulings.gather(matched["rulings"]),
        pl.col("position", "player", "settled_at", "stake_minor", "due_minor", "due_exact", "reason", "article"),
        rebuilt.rounds.gather(matched["ri"]).alias("round") % SPAN,
        _rounds(rebuilt)["first_seq"].gather(matched["ri"]) % SPAN,
        dealers.at(matched["settled_seq"].fill_null(matched["seq"])),
        day=pl.col("seq") // SPAN,
        seat=pl.col("seat").cast(pl.Int32),
        hand=pl.col("hand").cast(pl.Int32),
        wager=pl.col("kind"),
        placed_seq=pl.col("seq") % SPAN,
        settled_seq=pl.col("settled_seq") % SPAN,
        placed_at=pl.col("at"),
        paid_minor=pl.col("net_minor"),
        status=status.cast(TEXT),
    )


def _without_dues_to_come(matched: pl.DataFrame, rebuilt: Reconstruction) -> pl.DataFrame:
    """The wagers, of which those that were not settled wait where the log ends in their round, and their seat or the bank lacks
    what may still come."""
    if rebuilt.judged is None or not (unfinished := rebuilt.judged.context.unfinished):
        return matched
    lacks = [note for note in rebuilt.judged.judgements.noted if note.breach.at_end and note.ri in unfinished]
    seats = {(note.ri, note.seat) for note in lacks if note.subject is Subject.SEAT}
    rounds = {note.ri for note in lacks if note.subject is Subject.BANK}
    of_banks = ((ri, rebuilt.judged.judgements.banks.at(ri).value.outcome) for ri in unfinished)
    rounds |= {ri for ri, bank in of_banks if bank is None or bank.fate is None}
    unsettled = matched.select("ri", "seat", "net_minor", "due_minor").iter_rows()
    waits = [
        net is None and due is not None and (ri in rounds or (ri, seat) in seats) for ri, seat, net, due in unsettled
    ]
    unknown = {"due_minor": None, "due_exact": None, "article": "", "reason": "the log ends before its round does"}
    return matched.with_columns(
        pl.when(pl.Series(waits, dtype=pl.Boolean)).then(pl.lit(value)).otherwise(name).alias(name)
        for name, value in unknown.items()
    )


def _limits(matched: pl.DataFrame, rebuilt: Reconstruction) -> tuple[pl.Series, pl.Series]:
    """The smallest and the largest stake posted for each wager; null where there is none, or where the rules are unknown."""
    if rebuilt.judged is None:
        none = pl.Series([None], dtype=pl.Int64).new_from_index(0, matched.height)
        return none.alias("limit_min_minor"), none.alias("limit_max_minor")
    periods = rebuilt.judged.context.periods
    pairs = pl.DataFrame([periods.of_row.gather(matched["ri"]).alias("period"), matched["kind"]])
    posted = []
    for period, kind in pairs.drop_nulls("period").unique().rows():
        rules = periods.values[period].rules
        least, most = rules.options.limits(kind) if rules else (None, None)
        posted.append((period, least, most, kind))
    columns = {"period": pl.Int64, "limit_min_minor": pl.Int64, "limit_max_minor": pl.Int64}
    known = pl.DataFrame(posted, {**columns, "kind": TEXT}, orient="row")
    limits = pairs.join(known, on=["period", "kind"], how="left", maintain_order="left")
    return limits["limit_min_minor"], limits["limit_max_minor"]


def _exact_delta(delta: int | None, paid: int | None, exact: str | None) -> int | None:
    """Paid less due in whole minor units; a difference of less than one is none (ruling X-2)."""
    return delta if exact is None or paid is None else (paid - Fraction(exact)).__trunc__()


_STATUS: Final = {"": "played"} | dict.fromkeys(EventsLacking, "incomplete")


def _rounds(rebuilt: Reconstruction) -> pl.DataFrame:
    """Every round, as :func:`replayer.engine.division.divide` gives it."""
    return divide(rebuilt.events)[0] if rebuilt.judged is None else rebuilt.judged.histories.rounds


def rounds_frame(rebuilt: Reconstruction, dealers: Dealers) -> pl.DataFrame:
    """Every round: how it ended, under which regulation, and the bank's outcome."""
    rounds = _rounds(rebuilt)
    if rebuilt.judged is None:
        wagers = rebuilt.wagers
        unknown = {"regulation": pl.lit(None), "bank": pl.lit(""), "status": pl.lit("unjudged")}
        verdicts = rounds.with_columns(**unknown).select([*unknown])
    else:
        wagers = rebuilt.judged.histories.wagers
        verdicts = _round_verdicts(rebuilt, rebuilt.judged)
    bettors = wagers.group_by("ri").agg(seats=pl.col("seat").n_unique().cast(pl.Int32))
    return rounds.join(bettors, on="ri", how="left", maintain_order="left").select(
        dealers.at(rounds["first_seq"]),
        *verdicts,
        pl.col("shoe", "started_at", "ended_at", "closed_at"),
        pl.col("round", "first_seq", "last_seq") % SPAN,
        day=pl.col("round") // SPAN,
        seats=pl.col("seats").fill_null(0),
    )


def _round_verdicts(rebuilt: Reconstruction, judged: JudgedDays) -> pl.DataFrame:
    """For each round ``regulation``, ``bank`` and ``status``."""
    status = [_STATUS.get(why, "unjudged") for why in judged.context.unjudged_reasons]
    for ri in rebuilt.voids:
        status[ri] = "void"
    periods = judged.context.periods
    versions = [period.version for period in periods.values]
    regulation = pl.Series([version.id if version else None for version in versions], dtype=pl.String)
    outcomes = [bank.value.outcome for bank in judged.judgements.banks.values]
    banks = pl.Series(["" if outcome is None else str(outcome) for outcome in outcomes], dtype=pl.String)
    return pl.DataFrame(
        {
            "regulation": regulation.gather(periods.of_row),
            "bank": banks.gather(judged.judgements.banks.of_row),
            "status": pl.Series(status, dtype=pl.String),
        }
    )


def hands_frame(rebuilt: Reconstruction, dealers: Dealers) -> pl.DataFrame:
    """Every hand that was played (:mod:`replayer.verdicts.hands`)."""

    def with_dealer(hands: pl.DataFrame) -> pl.DataFrame:
        return hands.with_columns(
            dealers.at(hands["first_seq"]), pl.col("round", "first_seq", "last_seq") % SPAN, day=pl.col("round") // SPAN
        )

    return in_slices(hands_of(rebuilt), with_dealer)


def custody_frame(rebuilt: Reconstruction, dealers: Dealers) -> pl.DataFrame:
    """Every event of custody, those entered late as well, its chips counted by value."""
    wanted = ("seq", "at", "kind", "chips_amount_minor", "chips_slip", "chips_player", "chips_denominations")
    rows = of_kind(rebuilt.events, CUSTODY_KINDS, *wanted)
    if any(log.late_custody.height for log in rebuilt.logs):
        late = stack([log.late_custody for log in rebuilt.logs])
        rows = pl.concat([rows, late.select(wanted)]).sort("seq")
    # Many buy-ins have the same chips.
    distinct = rows.select("chips_denominations").with_row_index("row").group_by("chips_denominations").agg("row")
    counted = [_counted(chips) for chips in distinct["chips_denominations"].to_list()]
    of_row = distinct.select("row", pl.Series("denominations", counted, dtype=pl.String)).explode("row").sort("row")
    return rows.select(
        dealers.at(rows["seq"]),
        of_row["denominations"],
        pl.col("at"),
        pl.col("kind").cast(pl.String),
        pl.col("seq") % SPAN,
        day=pl.col("seq") // SPAN,
        slip=pl.col("chips_slip"),
        amount_minor=pl.col("chips_amount_minor"),
        player=pl.col("chips_player"),
        stretch=_stretches(rebuilt, rows["seq"]),
    )


def _counted(chips: Iterable[Mapping[str, int]] | None) -> str | None:
    """The number of chips of each value in a count, whose entries may repeat a value; None where it has no entry."""
    counts: Counter[str] = Counter()
    for entry in chips or ():
        counts[str(entry["value_minor"])] += entry["count"]
    return json.dumps(counts, sort_keys=True) if counts else None


def _stretches(rebuilt: Reconstruction, seqs: pl.Series) -> pl.Series:
    """The stretch that counts each custody event, null in the first books; see :mod:`replayer.integrity.books`."""
    outside = {
        seq + day * SPAN: number for day, log in enumerate(rebuilt.logs) for seq, number in log.stretches.items()
    }
    return pl.Series("stretch", [outside.get(seq) for seq in seqs] if outside else [None] * len(seqs), dtype=pl.Int32)


def decisions_frame(rebuilt: Reconstruction, dealers: Dealers) -> pl.DataFrame:
    """Every decision that was taken."""
    wanted = ("seq", "at", "round", "decision_seat", "decision_hand", "decision_action", "decision_player")
    rows = of_kind(rebuilt.events, ("DecisionTaken",), *wanted)
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
