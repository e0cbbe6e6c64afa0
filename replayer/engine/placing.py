"""Judges how wagers were placed (``replayer.contract.game.Placing``): when, at what stake, beside which others, and whether
beyond the limit or the last seat of the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from replayer.contract.game import Game
from replayer.contract.outcomes import Judgement
from replayer.contract.symbols import CARD_DEALT
from replayer.contract.wagers import StakeSituation
from replayer.engine.distinct_values import Numbered
from replayer.engine.first_cards import FirstCards
from replayer.engine.histories import Subject
from replayer.engine.judgements import NotedBreach, moves_money
from replayer.engine.round_context import JudgedDays
from replayer.engine.ruled import NO_RULINGS, Rulings
from replayer.log.columns import SUM, TEXT, is_wager, may_repeat, widened


def with_lateness(
    wagers: pl.DataFrame, first_cards: FirstCards, judged: JudgedDays, rulings: Numbered[Rulings]
) -> pl.DataFrame:
    """Add to the wagers of ``Histories`` ``splits``; ``late``, the article by which a wager or its base wager came too late,
    empty where in time; ``late_by``, the number in ``rulings`` of those on which it hangs whether it did; and ``late_minor``,
    what was added too late to a base wager that was in time."""
    game, context = judged.game, judged.context
    wagers = _with_first_cards(wagers, first_cards, game)
    parts = ["kind", "hand", "moment", "begun", "splits"]
    moved = wagers.select("ri", *parts, row=pl.int_range(pl.len())).filter(pl.col("moment") & CARD_DEALT > 0)
    placed = moved.with_columns(evaluator=pl.lit(context.evaluator_numbers).gather("ri")).drop_nulls("evaluator")
    late = pl.Series([""], dtype=TEXT).new_from_index(0, wagers.height)
    late_by = pl.Series([NO_RULINGS], dtype=pl.Int64).new_from_index(0, wagers.height)
    for evaluator, kind, hand, moment, begun, splits, rows in (
        placed.group_by("evaluator", *parts).agg("row").select("evaluator", *parts, "row").iter_rows()
    ):
        stake = StakeSituation(kind, hand, moment, 0, None, None, begun=begun, splits=splits)
        untimely = context.evaluators[evaluator].in_time(stake)
        if untimely.value is not None:
            late = late.scatter(rows, untimely.value.article)
        if doubts := tuple(filter(moves_money, untimely.rulings)):
            late_by = late_by.scatter(rows, rulings.number(doubts))
    wagers = wagers.with_columns(late=late, late_by=late_by, late_minor=pl.lit(0, dtype=SUM))
    if not wagers.select((pl.col("late") != "").any()).item():
        return wagers
    in_time = pl.lit("", dtype=TEXT)  # made here: a text column kept alive keeps the texts of all logs alive
    bettor = ["ri", "seat", "bettor"]
    bases = wagers.filter(is_wager(game.wagers.base)).group_by(bettor)
    came_late = pl.col("late") != ""
    added = pl.col("stake_minor").filter(came_late).cast(SUM).sum()
    base = bases.agg(
        base_late=pl.when(came_late.all()).then(pl.col("late").first()).otherwise(in_time),
        added=pl.when(came_late.all()).then(0).otherwise(added),
    )
    rests = is_wager(game.wagers.play - game.wagers.seat) & (pl.col("late") == "")
    return (
        wagers.join(base, on=bettor, how="left", nulls_equal=True, maintain_order="left")
        .with_columns(
            late=pl.when(rests).then(pl.col("base_late").fill_null(in_time)).otherwise("late"),
            late_minor=pl.col("added").fill_null(0),
        )
        .drop("base_late", "added")
    )


def _with_first_cards(wagers: pl.DataFrame, first_cards: FirstCards, game: Game) -> pl.DataFrame:
    """Add ``splits`` and set ``begun`` (``StakeSituation``) for wagers on first cards that were placed after the deal began."""
    late = (wagers["kind"].is_in(sorted(game.wagers.first_cards)) & (wagers["moment"] & CARD_DEALT > 0)).arg_true()
    splits = pl.Series([0], dtype=pl.Int64).new_from_index(0, wagers.height)
    if late.is_empty():
        return wagers.with_columns(splits=splits)
    places = wagers[late].select("ri", "seat", "seq", "hand").rows()
    lay = [(first_cards.of(ri, seat, until=seq), hand) for ri, seat, seq, hand in places]
    return wagers.with_columns(
        splits=splits.scatter(late, [cards.splits(hand) for cards, hand in lay]),
        begun=wagers["begun"].scatter(late, [cards.begun(hand) for cards, hand in lay]),
    )


def rows_of_kinds(wagers: pl.DataFrame, kinds: frozenset[str]) -> pl.Series:
    """The rows of wagers of some kinds."""
    of_kinds = wagers["kind"].is_in(sorted(kinds)) if kinds else pl.Series([False])
    return of_kinds.arg_true()


def judge_stakes(wagers: pl.DataFrame, judged: JudgedDays) -> None:
    """Note the breaches of every wager by its time and stake, each in the place of what its seat's history says of the same."""
    context, judgements = judged.context, judged.judgements
    parts = StakeSituation._fields
    evaluator = pl.lit(context.evaluator_numbers).gather(pl.col("ri")).alias("evaluator")
    placed = wagers.select(evaluator, *parts)
    refused: dict[int, Judgement[None]] = {}
    distinct = placed.filter(pl.col("evaluator").is_not_null()).unique(maintain_order=True)
    for row, (number, *situation) in enumerate(distinct.iter_rows()):
        named = dict(zip(parts, situation, strict=True))
        others = {name: _kinds_in(named[name], judged.game) for name in ("beside", "running")}
        judgement = context.evaluators[number].stake(StakeSituation(**named | others)).value
        if judgement.breaches or judgement.not_checked:
            refused[row] = judgement
    if not refused:
        return
    known = distinct[[*refused]].with_columns(judgement=pl.Series([*refused]))
    refusals = placed.join(known, on=["evaluator", *parts], how="left", nulls_equal=True, maintain_order="left")[
        "judgement"
    ]
    rows = refusals.is_not_null().arg_true()
    places = wagers.select("ri", "seat", "seq")[rows].rows()
    found = {
        (seq, breach.code)
        for number, (_, _, seq) in zip(refusals[rows], places, strict=True)
        for breach in refused[number].breaches
    }
    judgements.noted[:] = [note for note in judgements.noted if (note.seq, note.breach.code) not in found]
    for number, (ri, seat, seq) in zip(refusals[rows], places, strict=True):
        if not context.unjudged_reasons[ri]:
            judgements.note_at(refused[number], ri, seat, Subject.WAGER, seq)


def with_base(wagers: pl.DataFrame, game: Game) -> pl.DataFrame:
    """Add the stake of the base wager and what the player staked on the same before and after, the seat's number among those that
    the player took in the round, the player's among those who took the seat (who sits there is the first, whoever placed before
    him), and whether it is ``unnamed`` (``StakeSituation``). A wager with no stake takes no seat."""
    base = is_wager(game.wagers.base)
    taking = wagers.filter(is_wager(game.wagers.seat) & (pl.col("stake_minor") > 0))
    stakes = taking.group_by("ri", "seat", "bettor", maintain_order=True).agg(
        pl.col("position", "seq").min(),
        base_minor=pl.when(base.any()).then(pl.col("stake_minor").filter(base).cast(SUM).sum()),
    )
    nearest_first = pl.col("position").fill_null(0), pl.col("position").is_null(), pl.col("seq")
    stakes = stakes.select(
        "ri",
        "seat",
        "bettor",
        "base_minor",
        seats=pl.when(pl.col("bettor") >= 0).then(_number_in_group(stakes, "ri", "bettor")),
        bettors=_number_in_group(stakes, "ri", "seat", order=nearest_first),
    )
    same = ("ri", "seat", "hand", "kind", "bettor")
    in_parts = may_repeat(wagers, same)
    before = (
        pl.col("stake_minor").cast(SUM).cum_sum().over(same, order_by="seq") - pl.col("stake_minor")
        if in_parts
        else pl.lit(0)
    )
    after = pl.col("stake_minor").cast(SUM).sum().over(same) - pl.col("stake_minor") - before if in_parts else pl.lit(0)
    counted = widened(wagers, stakes, ["ri", "seat", "bettor"])
    unnamed = _rests_on_one_of_several(counted, stakes)
    return _resting_on_own_hands(counted, game).with_columns(
        pl.col("seats", "bettors").fill_null(1),
        before_minor=before.cast(SUM),
        after_minor=after.cast(SUM),
        unnamed=unnamed,
    )


def _resting_on_own_hands(wagers: pl.DataFrame, game: Game) -> pl.DataFrame:
    """The wagers with their bases: what is added to a hand made of another rests on the stake that its bettor laid on it."""
    opening, added = is_wager(game.wagers.opening), game.wagers.hand - game.wagers.base - game.wagers.opening
    rests = wagers.select((pl.col("hand") > 0) & is_wager(added)).to_series()
    if not game.wagers.opening or not rests.any():
        return wagers
    hand = ["ri", "seat", "hand", "bettor"]
    own = wagers.filter(opening).group_by(hand).agg(own=pl.col("stake_minor").cast(SUM).sum())
    beside = wagers.join(own, on=hand, how="left", nulls_equal=True, maintain_order="left")["own"]
    return wagers.with_columns(base_minor=pl.when(rests).then(beside).otherwise("base_minor"))


def _rests_on_one_of_several(wagers: pl.DataFrame, stakes: pl.DataFrame) -> pl.Series:
    """Whether each wager names nobody and has no base wager of its own where several players have one on the seat."""
    none = pl.Series([False]).new_from_index(0, wagers.height)
    rows = (wagers["player"].is_null() & wagers["base_minor"].is_null()).arg_true()
    if rows.is_empty():
        return none
    based = stakes.filter(pl.col("base_minor").is_not_null()).group_by("ri", "seat").len("players")
    players = wagers[rows].select("ri", "seat").join(based, on=["ri", "seat"], how="left", maintain_order="left")
    return none.scatter(rows, players.select((pl.col("players") > 1).fill_null(value=False)).to_series())


def _number_in_group(stakes: pl.DataFrame, *group: str, order: Sequence[pl.Expr] = (pl.col("seq"),)) -> pl.Series:
    """The number of each row within its ``group``, in ``order``; most groups have one row."""
    number = pl.Series([1], dtype=pl.Int64).new_from_index(0, stakes.height)
    several = stakes.select(group).is_duplicated().arg_true()
    if several.is_empty():
        return number
    own = pl.col("ri").cum_count().cast(pl.Int64).over(group, order_by=order)
    return number.scatter(several, stakes[several].select(own).to_series())


def with_other_side_wagers(wagers: pl.DataFrame, ended: pl.Series, game: Game) -> pl.DataFrame:
    """Add the other side wagers of the same bettor on the same seat, a bit for each kind (:func:`_kinds_in`): those of the round,
    up to the first one of the wager's own kind, and carried ones from earlier rounds."""
    place = ["seat", "bettor"]
    rows = rows_of_kinds(wagers, game.wagers.first_cards | game.wagers.carried)
    none = pl.Series([0], dtype=pl.Int64).new_from_index(0, wagers.height)
    if rows.is_empty():
        return wagers.with_columns(none.alias("beside"), none.alias("running"))
    side = wagers.select("ri", *place, "seq", "kind", ended_ri=ended)[rows]
    carried = side.filter(is_wager(game.wagers.carried))
    kinds = _side_kinds(game)
    bit = pl.col("kind").cast(pl.String).replace_strict(kinds, [1 << place for place in range(len(kinds))])
    of_kinds = bit.unique().sum()
    first = side.group_by("ri", *place, "kind").agg(pl.col("seq").min()).sort("seq")
    beside = first.select("ri", *place, "kind", beside=bit.cum_sum().over("ri", *place))
    running = (
        carried.select("ri", *place)
        .unique()
        .join(carried.select(*place, "kind", "ended_ri", began="ri"), on=place, nulls_equal=True)
        .filter((pl.col("began") < pl.col("ri")) & (pl.col("ri") <= pl.col("ended_ri")))
        .group_by("ri", *place)
        .agg(running=of_kinds)
    )
    others = side.select("ri", *place, "kind").join(
        beside, on=["ri", *place, "kind"], how="left", nulls_equal=True, maintain_order="left"
    )
    others = others.join(running, on=["ri", *place], how="left", nulls_equal=True, maintain_order="left")
    return wagers.with_columns(
        none.scatter(rows, others[name].fill_null(0)).alias(name) for name in ("beside", "running")
    )


def _side_kinds(game: Game) -> list[str]:
    return sorted(game.wagers.first_cards | game.wagers.carried)


def _kinds_in(bits: int, game: Game) -> tuple[str, ...]:
    """The kinds of side wagers of which the bits are set."""
    return tuple(kind for place, kind in enumerate(_side_kinds(game)) if bits >> place & 1)


def beyond_limits(wagers: pl.DataFrame, judged: JudgedDays) -> Iterator[NotedBreach]:
    """The wager of each round whose stake takes the sum of all stakes above the table's limit, and the first one of each round on
    each seat beyond the table's last one; ``wagers`` are all placed."""
    context, placing = judged.context, judged.game.placing
    total = pl.col("stake_minor").cast(SUM).cum_sum().over("ri", order_by="seq")
    for value, bound, group in (
        (total, placing.most, ["ri"]),
        (pl.col("seat"), placing.last_seat, ["ri", "seat"]),
    ):
        bounds = [bound(evaluator.rules) for evaluator in context.evaluators]
        if not any(bounds):
            continue
        most = pl.Series([each[0] if each else None for each in bounds], dtype=pl.Int64)
        placed = wagers.select(
            "ri", "seat", "seq", value=value, most=pl.lit(most.gather(context.evaluator_numbers)).gather("ri")
        )
        beyond = (
            placed.filter(pl.col("value") > pl.col("most")).sort("seq").unique(group, keep="first", maintain_order=True)
        )
        for ri, seat, seq in beyond.select("ri", "seat", "seq").iter_rows():
            found = bounds[context.evaluator_numbers[ri]]
            if found is not None and not context.unjudged_reasons[ri]:
                yield NotedBreach(found[1], ri, seat, Subject.WAGER, seq=seq)


def without_occupants(wagers: pl.DataFrame, judged: JudgedDays) -> Iterator[NotedBreach]:
    """The first base wager on each further seat of a named player who bets there from behind, where all places at the seat are
    told and nobody who sits there bets; ``wagers`` are all placed."""
    context, game = judged.context, judged.game
    without_occupant = game.placing.without_occupant
    if not any(without_occupant(evaluator.rules) for evaluator in context.evaluators):
        return
    sits = pl.col("position").fill_null(0) == 0
    bets = wagers.filter(is_wager(game.wagers.base) & (pl.col("stake_minor") > 0))
    seats = bets.with_columns(alone=~sits.any().over("ri", "seat")).drop_nulls("player")
    seats = seats.group_by("ri", "seat", "player", "alone").agg(pl.col("seq").min())
    number = _number_in_group(seats, "ri", "player", order=(pl.col("alone"), pl.col("seq")))
    further = seats.filter(pl.col("alone") & (number > 1)).sort("seq")
    for ri, seat, seq in further.select("ri", "seat", "seq").iter_rows():
        evaluator = context.evaluator_of[ri]
        if evaluator is not None and (breach := without_occupant(evaluator.rules)) is not None:
            yield NotedBreach(breach, ri, seat, Subject.WAGER, seq=seq)
