"""Matches settlements with wagers, and computes due amounts in whole minor units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

import polars as pl

from replayer.contract.wagers import WHOLE_HAND, WHOLE_SEAT
from replayer.engine.carried_wagers import STILL_RUNNING
from replayer.engine.distinct_values import Numbered
from replayer.engine.reconstruct import Reconstruction
from replayer.engine.ruled import Rulings
from replayer.log.columns import FLAT, SUM, TEXT, WAGER, is_wager, may_repeat, of_kind, widened, without
from schemas.finding import advisory, of_integrity, of_money

OVERPAID: Final = of_money("OVERPAID", "The house paid more than was due")
UNDERPAID: Final = of_money("UNDERPAID", "The house paid less than was due")
WAGER_UNSETTLED: Final = of_money("WAGER_UNSETTLED", "A wager that was never settled")
SETTLED_NOTHING: Final = of_money("SETTLED_NOTHING", "A settlement of a wager that was never placed")
SETTLEMENT_UNMATCHED: Final = advisory(
    "SETTLEMENT_UNMATCHED", "A settlement whose wager cannot be told, as events are missing"
)
STAKE_CHANGED: Final = of_money("STAKE_CHANGED", "Settled at another stake than was placed")
SETTLED_EARLY: Final = of_integrity("SETTLED_EARLY", "A settlement that stands before its wager")

LARGEST_SUM: Final = 10**18
"""The largest sum of wagers settled in one amount that is judged; it fits a column of 64 bits."""
BEYOND_AMOUNTS: Final = "wagers settled in one amount that come to more than any amount"

EXACT: Final = "exact"
"""The reading of ruling X-2 under which a due that is no whole minor unit is kept as a fraction."""
_PAID: Final = ("settled_seq", "settled_ri", "settled_stake", "settled_at", "net_minor")
"""What the row of a wager has of its settlement."""
SETTLED_AS_IT_RAN: Final = pl.col("settled_ri") < pl.col("ended_ri") + pl.col("reason").eq_missing(STILL_RUNNING)
"""Whether a carried wager was settled in a round after which it ran on, be it to the end of the log."""
PLACE: Final = ("ended_ri", "seat", "hand", "kind", "player")
"""Where and for whom a wager is settled."""


def match_settlements(rebuilt: Reconstruction, rounding: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Match each wager with its settlement; gives the verdict rows and the settlements without a wager. ``rounding`` is the
    reading of ruling X-2."""
    settled, rulings = _settlements(rebuilt), rebuilt.rulings
    whole = settled["kind"].is_in([WHOLE_SEAT, WHOLE_HAND])
    wagers, settled = _with_unnamed_bettors(exact_dues(rebuilt.wagers, rounding, rulings), settled)
    if whole.any():
        wagers = _settled_in_one(wagers, settled, whole, rounding, rulings, rebuilt.kinds.settled_alone)
    paid = {"ri": "ended_ri", "seq": "settled_seq", "stake_minor": "settled_stake"}
    right = _with_payees(settled, wagers).rename(paid)
    matched, nothing = _matched(wagers, right, rebuilt, rounding)
    if nothing.is_empty():
        return matched, nothing
    stretches = rebuilt.judged.context.stretches if rebuilt.judged else ()
    moved = _settled_in_another_round(matched, nothing, rebuilt.kinds.carried, stretches)
    if moved.is_empty():
        return matched, nothing
    moved = right.update(moved, on="settled_seq", include_nulls=True, maintain_order="left")
    return _matched(wagers, moved, rebuilt, rounding)


def _matched(
    left: pl.DataFrame, right: pl.DataFrame, rebuilt: Reconstruction, rounding: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The wagers with the settlements of the same place, and the settlements without a wager."""
    keys = [*PLACE]
    if may_repeat(left, keys) or may_repeat(right, keys):  # else each is the only one of its kind there
        keys.append("place")
        left = _as_one_stake(left, right, keys, rounding, rebuilt.rulings)
        left = left.with_columns(turn=_turn(keys))
        right = _in_turn(left, right, keys, rebuilt.kinds.carried)
        keys.append("turn")
    matched = widened(left, right.select(*keys, *_PAID), keys)
    if matched["settled_seq"].count() == right.height:
        return matched, right.clear()
    return matched, right.filter(~pl.col("settled_seq").is_in(matched["settled_seq"].implode()))


def _settlements(rebuilt: Reconstruction) -> pl.DataFrame:
    """The settlements of the rounds wanted."""
    columns = ("seq", "at", "round", *(name for name in FLAT if name.startswith("wager_")))
    settled = of_kind(rebuilt.events, ("WagerSettled",), *columns)
    settled = settled.filter(pl.col("round").is_between(*rebuilt.scope).fill_null(value=True))
    index = pl.DataFrame({"round": rebuilt.rounds, "ri": pl.int_range(rebuilt.rounds.len(), eager=True)})
    return settled.join(index, on="round", how="left", maintain_order="left").select(
        "seq",
        "ri",
        **WAGER,
        position=pl.col("wager_position"),
        settled_ri=pl.col("ri"),
        settled_at=pl.col("at"),
        net_minor=pl.col("wager_net_minor"),
    )


def _as_one_stake(
    wagers: pl.DataFrame, settled: pl.DataFrame, keys: list[str], rounding: str, rulings: Numbered[Rulings]
) -> pl.DataFrame:
    """Join the parts of a stake that the log settles once, at their sum: chips added to a stake form one stake with it."""
    in_parts = wagers.group_by(keys).agg(parts=pl.len(), total=pl.col("stake_minor").cast(SUM).sum())
    once = settled.group_by(keys).agg(times=pl.len(), settled_stake=pl.col("settled_stake").first())
    several = in_parts.filter((pl.col("parts") > 1) & (pl.col("total") <= LARGEST_SUM))
    whole = several.join(once.filter(times=1), on=keys, nulls_equal=True)
    whole = whole.filter(pl.col("total") == pl.col("settled_stake")).select(keys)
    if whole.is_empty():
        return wagers
    in_parts = wagers.join(whole, on=keys, how="semi", nulls_equal=True, maintain_order="left")
    groups: dict[tuple[object, ...], list[_Part]] = {}
    for place, part in zip(in_parts.select(keys).iter_rows(), _parts(in_parts), strict=True):
        groups.setdefault(place, []).append(part)
    sums = [_summed(parts[0], parts, rounding, rulings)._replace(due=_common_due(parts)) for parts in groups.values()]
    added = pl.Series([part.seq for parts in groups.values() for part in parts[1:]])
    return _with(without(wagers, added), sums).sort("ri", "seq")


def _common_due(parts: Sequence[_Part]) -> int | None:
    numbers = {part.due for part in parts}
    return numbers.pop() if len(numbers) == 1 else None


def _settled_in_another_round(
    matched: pl.DataFrame, nothing: pl.DataFrame, carried: frozenset[str], stretches: Sequence[int]
) -> pl.DataFrame:
    """The settlements (``settled_seq``) of carried wagers in another round of their stretch than the one in which these ended,
    with that round and the bettor.

    A dealer who miscounts a run pays or collects too soon, or too late. Of several wagers of a bettor the settlement is that of
    one with its stake and its amount, else of the first.
    """
    carries = is_wager(carried)
    unsettled = matched.filter(carries & pl.col("settled_seq").is_null()).sort(pl.col("due_minor").is_null(), "seq")
    waiting: dict[tuple[object, ...], dict[str | None, list[_Carried]]] = {}
    rows = unsettled.select("seat", "hand", "kind", *_Carried._fields).iter_rows()
    for seat, hand, kind, *fields in rows:
        wager = _Carried(*fields)
        of_place = waiting.setdefault((stretches[wager.ended_ri], seat, hand, kind), {})
        of_place.setdefault(wager.player, []).append(wager)
    moved: list[tuple[object, ...]] = []
    settled = nothing.filter(carries).sort("settled_seq")
    rows = settled.select(*PLACE, "settled_seq", "settled_stake", "net_minor").iter_rows()
    for ri, *place, player, seq, stake, net in rows:
        own = _of_player(waiting.get((stretches[ri], *place), {}), player)
        laid = [wager for wager in own if wager.seq < seq]
        if laid:
            found = min(laid, key=lambda wager: (wager.stake_minor != stake, wager.due_minor != net))
            own.remove(found)
            moved.append((seq, *found[3:]))
    moved_to = ("settled_seq", *_Carried._fields[3:])
    return pl.DataFrame(moved, {name: nothing.schema[name] for name in moved_to}, orient="row")


class _Carried(NamedTuple):
    """A carried wager that waits for its settlement, and where and for whom that is due."""

    seq: int
    stake_minor: int
    due_minor: int | None
    ended_ri: int
    player: str | None
    place: int | None


def _of_player(waiting: dict[str | None, list[_Carried]], player: str | None) -> list[_Carried]:
    """The wagers of a player: those of the only bettor where the player is not named, the unnamed ones where he has none."""
    if player is None and len(waiting) == 1:
        return next(iter(waiting.values()))
    return waiting.get(player) or waiting.get(None, [])


def _with_unnamed_bettors(wagers: pl.DataFrame, settled: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Add to both the ``place`` of a bettor whom the log does not name, which tells him from the others of his seat. It is null
    where only one place has such wagers, and where one of them or a payment to one of them lacks it. A payment at such a place to
    somebody without a wager on the seat is that bettor's, and loses its player."""
    unnamed, seat = pl.col("player").is_null(), ["ri", "seat"]
    if not wagers.select((unnamed & (pl.col("position") > 0)).any()).item():
        none = pl.lit(None, dtype=pl.Int32).alias("place")
        return wagers.with_columns(none), settled.with_columns(none)
    placed = wagers.select("player", "position", "seat", "seq", ri="ended_ri")
    bets, paid = placed.filter(unnamed), settled.join(placed, on=[*seat, "player"], how="anti")
    lacking = pl.concat(some.filter(pl.col("position").is_null()).select(seat) for some in (bets, paid))
    several = bets.group_by(seat).agg(pl.col("position").n_unique()).filter(pl.col("position") > 1)
    of_seats = several.join(lacking, on=seat, how="anti")
    places = bets.join(of_seats, on=seat, how="semi").select(*seat, "position", place="position").unique()

    def with_place(rows: pl.DataFrame, whose: pl.DataFrame) -> pl.DataFrame:
        found = whose.join(places, on=[*seat, "position"]).select("seq", "place")
        placed_rows = rows.join(found, on="seq", how="left", maintain_order="left")
        return placed_rows.with_columns(player=pl.when(pl.col("place").is_null()).then("player"))

    return with_place(wagers, bets), with_place(settled, paid)


def _with_payees(settled: pl.DataFrame, wagers: pl.DataFrame) -> pl.DataFrame:
    """Give settlements without a player the only player with a wager of their kind there, or at their place at the seat, or with
    a wager of that stake. A settlement for a player without a wager there loses its player where an unnamed wager lies there."""
    place = ["ri", "seat", "hand", "kind"]
    placed = wagers.with_columns(ri=pl.col("ended_ri"))
    filled = _for_unnamed(settled, placed, place)
    if not settled["player"].is_null().any():
        return filled
    for bet in (place, ["ri", "seat", "position"], [*place, "stake_minor"]):
        only = placed.group_by(bet).agg(count=pl.col("player").n_unique(), bettor=pl.col("player").first())
        row = only.filter(pl.col("count") == 1).drop("count")
        filled = filled.join(row, on=bet, how="left", maintain_order="left")
        open_ = pl.when(pl.col("place").is_null()).then("bettor")
        filled = filled.with_columns(player=pl.coalesce("player", open_)).drop("bettor")
    return filled


def _for_unnamed(settled: pl.DataFrame, placed: pl.DataFrame, place: list[str]) -> pl.DataFrame:
    unnamed = placed.filter(pl.col("player").is_null())
    if unnamed.is_empty() or settled["player"].is_null().all():
        return settled
    lies = settled.filter(pl.col("player").is_not_null()).join(unnamed.select(place), on=place, how="semi")
    strangers = lies.join(placed, on=[*place, "player"], how="anti")["seq"]
    none = pl.col("seq").is_in(strangers.implode())
    return settled.with_columns(player=pl.when(~none).then("player"))


def _turn(place: list[str]) -> pl.Expr:
    """The number of each row among those with the same key, in the order of the log."""
    return pl.int_range(pl.len()).over(place)


def _in_turn(wagers: pl.DataFrame, settled: pl.DataFrame, keys: list[str], carried: frozenset[str]) -> pl.DataFrame:
    """The settlements with the turn of their wagers: among wagers with the same key the first of that stake, else the first left
    over; null where there is none. Of ``carried`` wagers the last laid are those that are left over: an earlier one may have been
    settled in an earlier round."""

    def numbered_turns(some: pl.DataFrame, free: pl.DataFrame, name: list[str]) -> pl.DataFrame:
        times = some.group_by(name).agg(times=pl.len().cast(pl.Int64))
        left = free.join(times, on=name, how="left", nulls_equal=True, maintain_order="left")
        more = pl.when(is_wager(carried)).then((pl.len().over(name) - pl.col("times")).clip(0)).otherwise(0)
        numbered = left.with_columns(number=_turn(name) - more).select(*name, "number", "turn")
        own = some.with_columns(number=_turn(name))
        found = own.join(numbered, on=[*name, "number"], how="left", nulls_equal=True, maintain_order="left")
        return found.drop("number")

    by_stake = numbered_turns(settled, wagers.with_columns(settled_stake="stake_minor"), [*keys, "settled_stake"])
    rest = by_stake["turn"].is_null()
    if not rest.any():
        return by_stake
    found = by_stake.filter(~rest)
    free = wagers.join(found, on=[*keys, "turn"], how="anti", nulls_equal=True, maintain_order="left")
    return pl.concat([found, numbered_turns(settled.filter(rest), free, keys)]).sort("settled_seq")


def exact_dues(wagers: pl.DataFrame, rounding: str, rulings: Numbered[Rulings]) -> pl.DataFrame:
    """The due amounts in minor units; a fraction of a unit is rounded by ruling X-2, and kept as ``due_exact``."""
    product = pl.col("stake_minor").cast(pl.Int128) * pl.col("num")  # the largest stake times odds of any size
    whole = wagers.with_columns(
        due_minor=((product.abs() // pl.col("den")) * product.sign()).cast(pl.Int64),
        due_exact=pl.lit(None, dtype=TEXT),
        uneven=(product % pl.col("den") != 0).fill_null(value=False),
    )
    rows = whole["uneven"].arg_true()
    if rows.is_empty():
        return whole
    uneven = whole[rows]
    exact = [Fraction(stake * num, den) for stake, num, den in uneven.select("stake_minor", "num", "den").iter_rows()]
    rest_on = [tuple(sorted({*rulings.all[number], "X-2"})) for number in uneven["rulings"]]
    of_uneven = {
        "due_minor": pl.Series([rounded(due, rounding) for due in exact], dtype=pl.Int64),
        "due_exact": pl.Series([str(due) if rounding == EXACT else None for due in exact], dtype=TEXT),
        "rulings": pl.Series(map(rulings.number, rest_on), dtype=pl.Int64),
    }
    return whole.with_columns(whole[name].scatter(rows, values) for name, values in of_uneven.items())


def rounded(exact: Fraction, rounding: str) -> int:
    """``exact`` minor units as whole ones under a reading of ruling X-2, by its size whatever its sign.

    Under ``exact`` no whole amount is right: the result is rounded toward zero, and a payment less than a unit away from the
    exact amount is no discrepancy, as no chip could come closer.
    """
    size = abs(exact)
    whole = {"up": size.__ceil__(), "half_up": (size + Fraction(1, 2)).__floor__()}.get(rounding, size.__floor__())
    return whole if exact >= 0 else -whole


class _Part(NamedTuple):
    """A wager that may be settled in one amount with others, or what they come to. ``rulings`` and ``due`` are numbers."""

    seq: int
    stake_minor: int
    num: int | None
    den: int | None
    article: str
    rulings: int
    reason: str | None
    due: int | None
    due_minor: int | None
    due_exact: str | None


class _Place(NamedTuple):
    """Where a wager is settled, and for whom; ``place`` is that of a bettor whom the log does not name, if it tells him apart."""

    ended_ri: int
    seat: int
    hand: int
    kind: str
    player: str | None
    place: int | None


def _parts(wagers: pl.DataFrame) -> list[_Part]:
    return [_Part(*row) for row in wagers.select(_Part._fields).iter_rows()]


def _with(
    wagers: pl.DataFrame, rows: Sequence[tuple[object, ...]], names: Sequence[str] = _Part._fields
) -> pl.DataFrame:
    """The wagers with other values of the columns ``names``; the first is ``seq``, which says whose they are."""
    others = pl.DataFrame(rows, {name: wagers.schema[name] for name in names}, orient="row")
    return wagers.update(others, on="seq", include_nulls=True, maintain_order="left")


def _settled_in_one(
    wagers: pl.DataFrame,
    settled: pl.DataFrame,
    whole: pl.Series,
    rounding: str,
    rulings: Numbered[Rulings],
    alone: frozenset[str],
) -> pl.DataFrame:
    """Join wagers that the log settles in one amount; their dues and stakes are summed exactly. A wager with a settlement of its
    own is left out, and one of a kind that is settled ``alone``; a payment that names a player is for that player's wagers."""
    paid: dict[tuple[int, ...], set[_Payee]] = {}
    settled = _with_payees(settled, wagers)
    for ri, seat, hand, kind, player, place in settled.filter(whole).select(_WAGER_KEY).iter_rows():
        paid.setdefault((ri, seat) if kind == WHOLE_SEAT else (ri, seat, hand), set()).add((player, place))
    own = set(settled.filter(~whole).select(_WAGER_KEY).iter_rows())
    groups: dict[int | _Place, list[int]] = {}  # rows by the place of their settlement, or by their own number
    places = [_Place(*place) for place in wagers.select(_Place._fields).iter_rows()]
    for row, at in enumerate(places):
        shared = None if at in own else _settled_with_others(at, paid, alone)
        groups.setdefault(row if shared is None else shared, []).append(row)
    parts, ris = _parts(wagers), wagers["ri"].to_list()
    kept: list[int] = []
    sums: list[_Part] = []
    for settlement, rows in groups.items():
        first = next((row for row in rows if ris[row] == places[row].ended_ri), rows[0])
        if isinstance(settlement, int):
            kept.append(first)
            continue
        own_parts = [parts[row] for row in rows]
        total = _summed(parts[first], own_parts, rounding, rulings)
        if max(abs(total.stake_minor), abs(total.due_minor or 0)) > LARGEST_SUM:
            kept += rows
            sums += [part._replace(reason=BEYOND_AMOUNTS, due_minor=None, due_exact=None) for part in own_parts]
        else:
            kept.append(first)
            sums.append(total)
    moved = [(parts[row].seq, *at) for at, rows in groups.items() if isinstance(at, _Place) for row in rows]
    return _with(_with(wagers, moved, ("seq", *_Place._fields)), sums)[kept]


_WAGER_KEY: Final = ("ri", *_Place._fields[1:])
_Payee: TypeAlias = tuple[str | None, int | None]
"""A player, or the place of one whom the log does not name."""


def _settled_with_others(
    own: _Place, paid: Mapping[tuple[int, ...], set[_Payee]], alone: frozenset[str]
) -> _Place | None:
    """The place of the one settlement for a wager and others; None where it is not settled with others."""
    ri, seat, hand, kind, *_ = own
    for at, whole in (((ri, seat), WHOLE_SEAT), ((ri, seat, hand), WHOLE_HAND)):
        payee = _payee((own.player, own.place), paid.get(at, set()))
        if payee and (whole == WHOLE_SEAT or kind not in alone):
            return _Place(ri, seat, 0 if whole == WHOLE_SEAT else hand, whole, *payee)
    return None


def _payee(bettor: _Payee, payees: set[_Payee]) -> _Payee | None:
    """The payee, among those paid there, whose payment covers a bettor's wagers; None where none does."""
    nobody = (None, None)
    if bettor in payees or nobody in payees:
        return bettor if bettor in payees else nobody
    return next(iter(payees)) if bettor == nobody and len(payees) == 1 else None


def _summed(first: _Part, parts: Sequence[_Part], rounding: str, rulings: Numbered[Rulings]) -> _Part:
    """What wagers come to, in place of the ``first``, without a due of its own."""
    reason = next((part.reason for part in parts if part.reason), None)
    dues = [Fraction(part.stake_minor * part.num, part.den) for part in parts if part.num is not None]
    exact = Fraction() if reason else sum(dues, Fraction())
    uneven = exact.denominator > 1
    rest_on = {ruling for part in parts for ruling in rulings.all[part.rulings]} - {"X-2"}
    return first._replace(
        stake_minor=sum(part.stake_minor for part in parts),
        article="; ".join(dict.fromkeys(part.article for part in parts if part.article)),
        rulings=rulings.number(tuple(sorted(rest_on | {"X-2"} if uneven else rest_on))),
        reason=reason,
        due=None,
        due_minor=None if reason else rounded(exact, rounding),
        due_exact=str(exact) if uneven and rounding == EXACT else None,
    )
