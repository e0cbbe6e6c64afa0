"""Settles the wagers of table-days again: what each one is due, by which article, and on which rulings that hangs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import polars as pl

from replayer.carried import UNKNOWN_DUE, CarriedResults
from replayer.game import BankOutcome, Due, Game, Judgement, SeatOutcome, StakeSituation, WagerSituation
from replayer.judgements import NOBODY, Judgements, Noted
from replayer.late import with_lateness
from replayer.round_context import RoundContext
from replayer.ruled import Ruled, RuledColumn
from replayer.stories import SEATS, Stories, seat_key
from replayer.verdict import SUM
from replayer.words import written

STILL_RUNNING: Final = "still running when the log ends"


class _Dues:
    """The distinct dues, numbered."""

    def __init__(self) -> None:
        self.all: list[Ruled[Due]] = []
        self._numbers: dict[tuple[int, tuple[str, ...], str], int] = {}
        self._known: list[Due] = []  # so that their ids stay theirs

    def number(self, due: Due | None, rulings: tuple[str, ...] = (), reason: str = "") -> int:
        """The number of a due. ``reason`` is why it cannot be said, should it not say so itself."""
        due = due or UNKNOWN_DUE
        key = (id(due), rulings, reason)  # judges remember their dues, so that the same one has one id
        if key not in self._numbers:
            self._known.append(due)
            self._numbers[key] = len(self.all)
            if due.odds is None and not due.unjudged:
                due = replace(due, unjudged=reason or "not judged")
            self.all.append(Ruled(due).resting_on(rulings))
        return self._numbers[key]


def wagers_due(
    stories: Stories, context: RoundContext, judgements: Judgements, carried_results: CarriedResults, game: Game
) -> tuple[pl.DataFrame, RuledColumn[Due]]:
    """The placed wagers with what they are due: ``num`` / ``den`` of the stake, article, rulings, reason, ``ended_ri``.

    The second part has the whole dues, of which ``answer`` is the number.
    """
    wagers = with_lateness(_with_base(stories.wagers, game), stories, context.judges, context.of_round, game)
    outcomes = _Outcomes(judgements)
    situations = _situations(wagers, stories, context, outcomes, game)
    answers = _Dues()
    numbers: list[int] = []
    judges = [context.of(ri) for ri in range(stories.rounds.height)]
    parts = ("ri", "case", "kind", "hand", "own", "bank", "opening", "told", "late")
    for ri, case, kind, hand, own, bank, opening, words, late in situations.select(parts).iter_rows():
        judge = judges[ri]
        if judge is None:
            numbers.append(answers.number(None, reason=context.why_not[ri]))
        elif case == _VOID:
            void = judge.void((kind, context.voids[ri]))
            numbers.append(answers.number(void.value, void.rulings))
        elif kind in game.opening_wagers:
            told = judge.wager(WagerSituation(kind, hand, None, None, opening, words), late)
            numbers.append(answers.number(told.value, told.rulings))
        else:
            of_seat, of_bank = outcomes.of[own], outcomes.of[bank]
            (seat, unjudged), (croupier, bank_unjudged) = of_seat.value, of_bank.value
            told = judge.wager(WagerSituation(kind, hand, seat, croupier), late=late)
            rulings = told.rulings + of_seat.rulings + of_bank.rulings
            numbers.append(answers.number(told.value, rulings, unjudged or bank_unjudged))
    spread = situations.select("row", number=pl.Series(numbers, dtype=pl.Int64)).explode("row")
    of_wager = pl.Series([0], dtype=pl.Int64).new_from_index(0, wagers.height).scatter(spread["row"], spread["number"])
    ended = wagers["ri"]
    of_wager, ended = _carry(wagers, of_wager, ended, answers, context, carried_results, game)
    dues = RuledColumn(answers.all, of_wager)
    _judge_stakes(_with_company(wagers, ended, game), context, judgements)
    _note_breaches(wagers, dues, judgements)
    judged = wagers.with_columns(**_columns(dues), ended_ri=ended, answer=of_wager)
    if context.round_rulings:
        more = [" ".join(context.round_rulings.get(ri, ())) for ri in wagers["ri"].to_list()]
        extra = pl.concat_str("rulings", pl.Series(more, dtype=pl.String), separator=" ").str.strip_chars()
        judged = judged.with_columns(rulings=extra)
    return judged, dues


_PLAYED: Final = 0
_VOID: Final = 1
_NOT_JUDGED: Final = 2
_CARRIED: Final = 3


_Outcome = Ruled[tuple[SeatOutcome | BankOutcome | None, str]]
"""All of a judgement that a wager's due can hang on: its outcome, and why there is none."""


class _Outcomes:
    """Numbers the distinct outcomes of seats and banks, so that wagers can be grouped by them."""

    def __init__(self, judgements: Judgements) -> None:
        self._numbers: dict[_Outcome, int] = {}
        self.seats = self._of(judgements.seats)
        self.banks = self._of(judgements.banks)
        self.nobody = self._number(NOBODY)
        self.of_bettors = {place: self._number(asked) for place, asked in judgements.of_bettors.items()}
        self.of = list(self._numbers)

    def _number(self, judged: Ruled[Judgement[Any]]) -> int:
        outcome = Ruled((judged.value.outcome, judged.value.unjudged), judged.rulings)
        return self._numbers.setdefault(outcome, len(self._numbers))

    def _of(self, judged: RuledColumn[Judgement[Any]]) -> pl.Series:
        numbers = [self._number(each) for each in judged.values]
        return pl.Series(numbers, dtype=pl.Int64).gather(judged.of_row)


def _situations(
    wagers: pl.DataFrame, stories: Stories, context: RoundContext, outcomes: _Outcomes, game: Game
) -> pl.DataFrame:
    """Wagers that must come to the same, together: their ``row`` numbers, the round of one of them, what they share."""
    whys = {why: -1 - number for number, why in enumerate(dict.fromkeys(context.why_not))}
    not_judged = [bool(why) or number is None for why, number in zip(context.why_not, context.of_round, strict=True)]
    case = pl.Series([_NOT_JUDGED if no else _PLAYED for no in not_judged], dtype=pl.Int64)
    cause = pl.Series([whys[why] for why in context.why_not], dtype=pl.Int64)
    causes = {text: number for number, text in enumerate(dict.fromkeys(context.voids.values()))}
    for ri, text in context.voids.items():
        if not not_judged[ri]:
            case[ri], cause[ri] = _VOID, causes[text]
    opening = pl.col("kind").is_in(sorted(game.opening_wagers))
    own = pl.DataFrame({"key": stories.seats["ri"] * SEATS + stories.seats["seat"], "own": outcomes.seats})
    bettors = [(seat_key(ri, seat), player, number) for (ri, seat, player), number in outcomes.of_bettors.items()]
    one = pl.DataFrame(bettors, {"key": pl.Int64, "player": pl.String, "one": pl.Int64}, orient="row")
    placed = wagers.select(
        "ri",
        "hand",
        "kind",
        "seat",
        "player",
        key=pl.col("ri") * SEATS + pl.col("seat"),
        row=pl.int_range(pl.len()),
        case=pl.when(pl.col("kind").is_in(sorted(game.carried_wagers)))
        .then(pl.max_horizontal(pl.lit(case).gather(pl.col("ri")), _CARRIED))
        .otherwise(pl.lit(case).gather(pl.col("ri"))),
        judge=pl.lit(context.of_round).gather(pl.col("ri")),
        cause=pl.lit(cause).gather(pl.col("ri")),
        bank=pl.lit(outcomes.banks).gather(pl.col("ri")),
        told="told",
        late="late",
    ).filter(pl.col("case") != _CARRIED)
    told = _openings(stories, placed.filter(opening), game)
    played = pl.col("case") == _PLAYED
    return (
        placed.join(own, on="key", how="left", maintain_order="left")
        .join(one, on=["key", "player"], how="left", nulls_equal=True, maintain_order="left")
        .join(told, on="key", how="left", maintain_order="left")
        .with_columns(
            own=pl.when(played & ~opening).then(pl.coalesce("one", "own", pl.lit(outcomes.nobody))).otherwise(-1),
            bank=pl.when(played & ~opening).then(pl.col("bank")).otherwise(pl.when(played).then(-1).otherwise("cause")),
            opening=pl.when(played & opening).then("opening").otherwise(pl.lit("")).fill_null(""),
        )
        .group_by("case", "judge", "kind", "hand", "own", "bank", "opening", "told", "late")
        .agg("row", pl.col("ri").first())
    )


def _openings(stories: Stories, wagers: pl.DataFrame, game: Game) -> pl.DataFrame:
    """The stories with suits of the seats that have wagers on their opening cards, by ``key``."""
    keys = wagers["key"].unique()
    return pl.DataFrame(
        {"key": keys, "opening": [written(story) for story in stories.truly("seat", keys, game)]},
        schema={"key": pl.Int64, "opening": pl.String},
    )


def _columns(dues: RuledColumn[Due]) -> dict[str, pl.Series]:
    odds = [due.value.odds for due in dues.values]
    reasons = [due.value.unjudged if due.value.odds is None else None for due in dues.values]
    distinct = {
        "num": pl.Series([None if o is None else o.numerator for o in odds], dtype=pl.Int64),
        "den": pl.Series([None if o is None else o.denominator for o in odds], dtype=pl.Int64),
        "article": pl.Series([due.value.article for due in dues.values], dtype=pl.String),
        "rulings": pl.Series([" ".join(due.rulings) for due in dues.values], dtype=pl.String),
        "reason": pl.Series(reasons, dtype=pl.String),
    }
    return {name: values.gather(dues.of_row) for name, values in distinct.items()}


def _note_breaches(wagers: pl.DataFrame, dues: RuledColumn[Due], judgements: Judgements) -> None:
    places = wagers.select("ri", "seat", "seq")
    for row, due in dues.rows(lambda due: bool(due.breaches)):
        ri, seat, seq = places.row(row)
        judgements.noted += [Noted(breach, ri, seat, "wager", seq=seq) for breach in due.breaches]


def _judge_stakes(wagers: pl.DataFrame, context: RoundContext, judgements: Judgements) -> None:
    """Note every wager that could not be placed then or so high."""
    parts = StakeSituation._fields
    judge = pl.lit(context.of_round).gather(pl.col("ri")).alias("judge")
    grouped = wagers.group_by(judge, *parts).agg("ri", "seat", "seq")
    for number, *situation, ris, seats, seqs in grouped.iter_rows():
        if number is None:
            continue
        answer = context.judges[number].stake(StakeSituation(*situation)).value
        if answer.breaches or answer.not_checked:
            for ri, seat, seq in zip(ris, seats, seqs, strict=True):
                if not context.why_not[ri]:
                    judgements.noted += [Noted(breach, ri, seat, "wager", seq=seq) for breach in answer.breaches]
                    judgements.not_checked.append((ri, answer.not_checked))


def _with_base(wagers: pl.DataFrame, game: Game) -> pl.DataFrame:
    """Add the stake that each wager rests on and what the player had staked on the same before, its seat's number among those
    that the player took in the round, and its player's among those who took the seat."""
    base = pl.col("kind").is_in(sorted(game.base_wagers))
    taking = wagers.filter(pl.col("kind").is_in(sorted(game.seat_wagers)))
    stakes = taking.group_by("ri", "seat", "player").agg(
        base_minor=pl.when(base.any()).then(pl.col("stake_minor").filter(base).cast(SUM).sum()),
        first=pl.col("seq").min(),
    )
    number = pl.col("first").rank("dense").cast(pl.Int64)
    stakes = stakes.with_columns(
        seats=pl.when(pl.col("player").is_not_null()).then(number.over("ri", "player")),
        bettors=number.over("ri", "seat"),
    )
    same = ("ri", "seat", "hand", "kind", "player")
    in_parts = not wagers.is_empty() and wagers.select(pl.struct(same).n_unique()).item() < wagers.height
    before = (
        pl.col("stake_minor").cast(SUM).cum_sum().over(same, order_by="seq") - pl.col("stake_minor")
        if in_parts
        else pl.lit(0)
    )
    return (
        wagers.join(stakes, on=["ri", "seat", "player"], how="left", nulls_equal=True, maintain_order="left")
        .with_columns(pl.col("seats", "bettors").fill_null(1), before_minor=before.cast(SUM))
        .drop("first")
    )


def _with_company(wagers: pl.DataFrame, ended: pl.Series, game: Game) -> pl.DataFrame:
    """Add the other side wagers of the same player on the same seat: of the round, and carried ones from earlier rounds."""
    place = ["seat", "player"]
    side = pl.col("kind").is_in(sorted(game.opening_wagers | game.carried_wagers))
    beside = wagers.filter(side).group_by("ri", *place).agg(beside=pl.col("kind").unique().sort().str.join(" "))
    carried = wagers.with_columns(ended_ri=ended).filter(pl.col("kind").is_in(sorted(game.carried_wagers)))
    running = (
        carried.select("ri", *place)
        .unique()
        .join(carried.select(*place, "kind", "ended_ri", began="ri"), on=place, nulls_equal=True)
        .filter((pl.col("began") < pl.col("ri")) & (pl.col("ri") <= pl.col("ended_ri")))
        .group_by("ri", *place)
        .agg(running=pl.col("kind").unique().sort().str.join(" "))
    )
    return (
        wagers.join(beside, on=["ri", *place], how="left", nulls_equal=True, maintain_order="left")
        .join(running, on=["ri", *place], how="left", nulls_equal=True, maintain_order="left")
        .with_columns(pl.when(side).then(pl.col(name)).otherwise(None).fill_null("") for name in ("beside", "running"))
    )


def _carry(
    wagers: pl.DataFrame,
    of_wager: pl.Series,
    ended: pl.Series,
    answers: _Dues,
    context: RoundContext,
    carried_results: CarriedResults,
    game: Game,
) -> tuple[pl.Series, pl.Series]:
    """Follow the wagers that live on into later rounds, by player and seat, to the round in which each one ends."""
    rows = wagers["kind"].is_in(sorted(game.carried_wagers)).arg_true()
    if rows.is_empty():
        return of_wager, ended
    carried_results.late = _late_bases(wagers, game)
    numbers, ends = [], []
    for ri, seat, player, kind, late in wagers[rows].select("ri", "seat", "player", "kind", "late").iter_rows():
        judge = context.of(ri)
        asked, end = (None, ri) if judge is None else carried_results.due(judge, ri, seat, player, kind)
        if judge is not None and late and ri not in context.voids:
            void: Ruled[Any] = judge.late(Ruled(UNKNOWN_DUE), late)
            if void.value.odds is not None:
                asked, end = void, ri
            elif asked is not None:
                asked = asked.resting_on(void.rulings)
        ends.append(end)
        due, rulings = (asked.value, asked.rulings) if asked else (None, ())
        numbers.append(answers.number(due, rulings, context.why_not[ri] or STILL_RUNNING))
    return of_wager.scatter(rows, pl.Series(numbers, dtype=pl.Int64)), ended.scatter(
        rows, pl.Series(ends, dtype=pl.Int64)
    )


def _late_bases(wagers: pl.DataFrame, game: Game) -> dict[tuple[int, int, str | None], str]:
    """The bettors all of whose base wagers on a seat came too late in a round, with the article after whose moment."""
    bases = wagers.filter(pl.col("kind").is_in(sorted(game.base_wagers)))
    late = bases.group_by("ri", "seat", "player").agg(late=pl.col("late").first(), every=(pl.col("late") != "").all())
    return {(ri, seat, player): article for ri, seat, player, article, every in late.iter_rows() if every}
