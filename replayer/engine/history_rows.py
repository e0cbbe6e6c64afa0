"""Makes the histories of seats, banks and rounds (:mod:`replayer.engine.histories`) from the events of table-days, by columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Final

import polars as pl

from replayer.contract import symbols
from replayer.contract.cards import card_of
from replayer.contract.game import Game, WagerKinds
from replayer.engine.division import divide
from replayer.engine.event_symbols import BANK_KINDS, CARD_KINDS, COUNTED, ROUND_KINDS, SEAT_KINDS, sanitized
from replayer.engine.histories import SEAT_KEY, SEATS, Histories, Subject
from replayer.engine.packed_events import pack, part_of
from replayer.engine.removed_in_columns import taken_away_in_rounds, taken_back_in_rounds
from replayer.engine.rounds import begins_of, by_round, events_of, some_at_a_time
from replayer.engine.shared_seats import claims_of_others
from replayer.log.columns import (
    CARDS,
    KIND_NUMBER,
    by_number,
    is_kind,
    is_wager,
    may_repeat,
    of_kind,
    widened,
    within,
    without,
)
from schemas.cards import UNKNOWN

_KIND: Final = pl.col("kind").to_physical()
_SEAT: Final = ("card_seat", "decision_seat", "wager_seat")
_HAND: Final = ("card_hand", "decision_hand", "wager_hand")
_TEXT: Final = ("decision_action", "wager_kind", "shoe_method", "shoe_cut_by")
"""The text columns, of which any event has at most one."""
_NEVER: Final = 2**63 - 1
"""The ``seq`` of a moment that never came."""
EVERY_ROUND: Final = (0, 2**63 - 1)
"""The lowest and the highest number that a round can have, stacked."""


def histories_of(frame: pl.DataFrame, game: Game, scope: tuple[int, int] = EVERY_ROUND) -> Histories:
    """The histories in stacked table-days (schema ``FLAT``, ordered by ``seq``).

    ``scope`` gives the numbers of the first and the last round wanted. The others appear with the state in which they found the
    shoe, but without histories and wagers.
    """
    rounds, inside = divide(frame)
    if scope != EVERY_ROUND:
        wanted = rounds.filter(pl.col("round").is_between(*scope))["ri"]
        inside = inside.filter(pl.col("ri").is_between(wanted.min(), wanted.max()))
    nobodys = claims_of_others(frame, game)
    texts: dict[int, str] = {}
    parts = [
        _histories(
            without(events_of(frame, own, first), nobodys),
            rounds.slice(first, count).with_columns(pl.col("ri") - first),
            nobodys,
            texts,
            game,
        )
        for own, first, count in some_at_a_time(inside, rounds.height)
    ]
    return parts[0] if len(parts) == 1 else _concatenated(parts)


def _histories(
    rows: pl.DataFrame, rounds: pl.DataFrame, nobodys: pl.Series, texts: dict[int, str], game: Game
) -> Histories:
    """The situations of some rounds, whose indices count from zero here; new texts are added to ``texts``."""
    firsts = _FirstMoments(rows, rounds.height, game)
    wagers = _with_bettors(_with_players(_wagers(rows, firsts), game.wagers))
    packed = _packed(rows, firsts, texts, game)
    seat_rows, round_rows = _seat_rows(packed, firsts, _added_to_own(wagers, game)), _round_rows(packed, firsts, game)
    keys = seat_rows["key"].filter(begins_of(seat_rows["key"]))
    bet = _bet_at_the_deal(wagers, seat_rows, firsts, game)
    played = round_rows.select(seat=part_of("seat"), key=pl.col("key") * SEATS + part_of("seat")).filter(
        pl.col("seat") > 0
    )
    places = pl.concat([bet, played["key"]]).unique().sort()
    left = _seats_from_the_left(places, game.round.interchangeable_seats)
    return Histories(
        rounds,
        pl.DataFrame({"ri": keys // SEATS, "seat": (keys % SEATS).cast(pl.Int32)}),
        wagers,
        {Subject.SEAT: seat_rows, Subject.BANK: _bank_rows(packed, firsts), Subject.ROUND: round_rows},
        _upcards(firsts, rounds.height, game),
        left.with_columns(bet=places.is_in(bet.implode())),
        texts,
        nobodys,
    )


def _concatenated(parts: Sequence[Histories]) -> Histories:
    """The situations of consecutive slices of rounds, put together."""
    before = [0, *accumulate(part.rounds.height for part in parts)]

    def below(frames: Iterable[pl.DataFrame], name: str, each: int = 1) -> pl.DataFrame:
        return pl.concat(
            frame.with_columns(pl.col(name) + first * each) for frame, first in zip(frames, before, strict=False)
        )

    def rows(subject: Subject, each: int = 1) -> pl.DataFrame:
        return below((part.rows[subject] for part in parts), "key", each)

    return Histories(
        below((part.rounds for part in parts), "ri").rechunk(),
        below((part.seats for part in parts), "ri").rechunk(),
        below((part.wagers for part in parts), "ri").rechunk(),
        {each: rows(each, SEATS if each is Subject.SEAT else 1) for each in parts[0].rows},
        pl.concat([part.upcards for part in parts]),
        below((part.left for part in parts), "ri"),
        parts[-1].texts,
        parts[-1].nobodys,
    )


class _FirstMoments:
    """For each round the ``seq`` of the first of several moments; :data:`_NEVER` where it never came."""

    def __init__(self, rows: pl.DataFrame, count: int, game: Game) -> None:
        self._count = count
        self.dealt = of_kind(rows, ("CardDealt",), "ri", "seq", "card_seat", "card_face", "card_card")
        decided = of_kind(rows, ("DecisionTaken",), "ri", "seq", "decision_action")
        turned = of_kind(rows, ("CardTurned",), "ri", "seq", "card_seat")
        checked = of_kind(rows, ("HoleCardChecked",), "ri", "seq", "decision_action")
        aside = decided["decision_action"].is_in(sorted(game.actions.aside)).fill_null(value=False)
        self.series: dict[str, pl.Series] = {
            "closed": self._first(of_kind(rows, ("WagersClosed",), "ri", "seq")),
            "dealt": self._first(self.dealt),
            "decided": self._first(decided),
            "play": self._first(decided, ~aside),
            "paid": self._first(of_kind(rows, ("WagerSettled",), "ri", "seq")),
            "checked": self._first(checked),
        }
        played, bank = self._passed("play", self.dealt), self.dealt["card_seat"].is_null()
        turned_over = turned["card_seat"].is_null()
        self.series["bank"] = self._first(self.dealt, bank)
        gone = taken_away_in_rounds(rows)
        if gone:
            bank &= ~self.dealt["seq"].is_in(list(gone))
            turned_over &= ~turned["seq"].is_in(list(gone))
            played &= ~self.dealt["seq"].is_in(taken_back_in_rounds(rows, gone))
        self.series["additional"] = self._first(self.dealt, played)
        self.series["kept"] = self._first(self.dealt, bank) if gone else self.series["bank"]
        self.open = self.dealt.filter(bank & (self.dealt["card_face"] == "up"))
        opened = [self._first(checked, checked["decision_action"].is_in([symbols.FOUND_NATURAL]))]
        if game.seat.upcards:
            opened.append(self._first(self.open, self._passed("kept", self.open)))
        else:  # a card of the bank exposed during the deal does not open its hand
            own = self.dealt.filter(bank).reverse()
            last = by_round(count, own["ri"], own["seq"], -1)
            turned_over &= turned["seq"] > last.gather(turned["ri"])
        opened.append(self._first(turned, turned_over))
        self.series["opened"] = reduce(lambda one, other: one.zip_with(one < other, other), opened)

    def _first(self, rows: pl.DataFrame, chosen: pl.Series | None = None) -> pl.Series:
        """The first ``seq`` of each round, of the rows marked in ``chosen`` or of all."""
        ri, seq = (rows[name] if chosen is None else rows[name].filter(chosen) for name in ("ri", "seq"))
        return by_round(self._count, ri, seq, _NEVER)

    def _passed(self, name: str, rows: pl.DataFrame) -> pl.Series:
        """For each row whether a moment of its round had passed."""
        return rows["seq"] > self.series[name].gather(rows["ri"])

    def at_row(self, name: str) -> pl.Expr:
        """The moment's ``seq`` of each row's round."""
        return pl.lit(self.series[name]).gather(pl.col("ri"))

    def with_bank(self, rows: pl.DataFrame) -> pl.Series:
        """``BANK_DEALT`` for each row before which the bank had a card."""
        return self._passed("bank", rows).cast(pl.Int32) * symbols.BANK_DEALT

    def moment(self, rows: pl.DataFrame) -> pl.Series:
        """The moment of each row (``replayer.contract.symbols``)."""
        parts = {
            "closed": symbols.BETS_CLOSED,
            "dealt": symbols.CARD_DEALT,
            "additional": symbols.ADDITIONAL_CARD,
            "checked": symbols.HOLE_CHECKED,
            "opened": symbols.BANK_OPEN,
        }
        passed = [self._passed(name, rows).cast(pl.Int32) * weight for name, weight in parts.items()]
        return reduce(add, passed)


def _packed(rows: pl.DataFrame, firsts: _FirstMoments, texts: dict[int, str], game: Game) -> pl.DataFrame:
    """The rows of histories: ``ri``, ``seq``, ``kind``, ``seat``, ``decks``; ``face`` and ``value`` as they are packed (a value
    is a card, points, or the number of a text, which is added to ``texts``); for decisions whether their moment matters
    (``timed``) and whether they are no play of the hand (``aside``, see ``GameOf.no_play``); and the packed ``code`` of all but
    seat and moment.

    Texts are spelled by :func:`replayer.engine.event_symbols.sanitized`; a wager with no stake gets an empty kind.
    """
    play = is_kind("WagerPlaced") & pl.col("wager_kind").is_in(sorted(game.wagers.play))
    first_pay = is_kind("WagerSettled") & (pl.col("seq") == firsts.at_row("paid"))
    rows = rows.drop("at", "wager_player", "wager_position")
    rows = rows.filter(is_kind(*SEAT_KINDS, *BANK_KINDS, *ROUND_KINDS) | play | first_pay)
    text = pl.coalesce(_TEXT)
    said = rows.select(text).to_series().drop_nulls().unique()
    texts |= {0: ""} | dict(zip(said.to_physical() + 1, map(sanitized, said.cast(pl.String)), strict=True))
    action = pl.col("decision_action")
    packed = rows.select(
        "ri",
        "seq",
        "kind",
        seat=pl.coalesce(_SEAT),
        hand=pl.coalesce(_HAND).fill_null(0),
        face=(pl.col("card_face").to_physical().cast(pl.Int64) + 1).fill_null(0),
        value=pl.when(is_kind(*CARD_KINDS, "CardBurned"))
        .then(pl.col("card_card").cast(CARDS, strict=False).fill_null(UNKNOWN).to_physical().cast(pl.Int64))
        .when(is_kind("TotalAnnounced"))
        .then(pl.col("decision_points").cast(pl.Int64))
        .when(is_kind("CutCardPlaced"))
        .then(pl.col("shoe_behind").cast(pl.Int64))
        .when(is_kind("WagerPlaced") & (pl.col("wager_stake_minor") <= 0))
        .then(0)
        .otherwise(text.to_physical().cast(pl.Int64) + 1)
        .fill_null(0),
        decks=pl.col("shoe_decks").fill_null(0),
        timed=action.is_in(sorted(game.actions.timed)).fill_null(value=False),
        aside=action.is_in(sorted(game.no_play)).fill_null(value=False),
    )
    code = pack(packed, kind=_KIND, hand=pl.col("hand"), face=pl.col("face"), value=pl.col("value"))
    return packed.drop("hand").hstack([code])


def _added_to_own(wagers: pl.DataFrame, game: Game) -> pl.Series:
    """The ``seq`` of base wagers by which a player adds to his own: a seat's history has one base wager of each bettor."""
    kinds = game.wagers.base if game.shared_seats else frozenset[str]()
    laid = pl.col("player").is_not_null() & (pl.col("stake_minor") > 0)
    base = wagers.filter(is_wager(kinds) & laid)
    bettor = ("ri", "seat", "hand", "player")
    if not may_repeat(base, bettor):
        return base["seq"].head(0)
    return base.filter(~pl.struct(bettor).is_first_distinct())["seq"]


def _seat_rows(packed: pl.DataFrame, firsts: _FirstMoments, left_out: pl.Series) -> pl.DataFrame:
    """The packed rows of seats' histories, grouped by history: ``key``, ``seq``, ``code``."""
    rows = packed.filter(is_kind(*SEAT_KINDS, "WagerPlaced") & pl.col("seat").is_not_null())
    rows = without(rows, left_out)
    code, timed = rows["code"], rows["timed"].arg_true()
    if timed.len():
        code = code.scatter(timed, code.gather(timed) + firsts.moment(rows[timed]))
    return by_number(rows.select(SEAT_KEY, "seq", code=code), "key")


def _bank_rows(packed: pl.DataFrame, firsts: _FirstMoments) -> pl.DataFrame:
    """The packed rows of banks' histories."""
    burned_late = ~is_kind("CardBurned") | (pl.col("seq") > firsts.at_row("bank"))
    bank = is_kind(*BANK_KINDS) & pl.col("seat").is_null() & burned_late
    first_play = is_kind("DecisionTaken") & (pl.col("seq") == firsts.at_row("play"))
    return (
        packed[["ri", "seq", "code"]]
        .filter(packed.select(bank | first_play).to_series())
        .rename({"ri": "key"})
        .set_sorted("key")
    )


def _round_rows(packed: pl.DataFrame, firsts: _FirstMoments, game: Game) -> pl.DataFrame:
    """The packed rows of round histories, equal symbols as equal codes; repetitions are left out (``RoundLaw.drawn_to``)."""
    playing = (pl.col("seq") >= firsts.at_row("decided")).alias("playing")
    chosen = packed.filter(is_kind(*ROUND_KINDS, "WagerSettled")).with_columns(playing)
    new = pl.lit(_first_since_a_shuffle(chosen))
    at_seat = pl.col("playing") & pl.col("seat").is_not_null() & is_kind("CardDealt") & game.round.drawn_to & ~new
    code = pack(
        chosen,
        kind=pl.when(at_seat).then(KIND_NUMBER["DecisionTaken"]).otherwise(_KIND),
        seat=pl.when(is_kind("WagerSettled")).then(0).otherwise(pl.col("seat")).fill_null(0),
        hand=pl.when(is_kind("ShoeShuffled")).then(pl.col("decks")).otherwise(0),
        face=pl.when(is_kind("CardDealt", "CardBurned") & ~at_seat).then(pl.col("face")).otherwise(0),
        value=pl.when(is_kind("DecisionTaken"))
        .then(pl.col("aside").cast(pl.Int64))
        .when(is_kind(*CARD_KINDS, "CardBurned", "WagerSettled"))
        .then(0)
        .otherwise(pl.col("value")),
    )
    again = chosen["playing"] & ~begins_of(code) & ~begins_of(chosen["ri"])
    again &= ~chosen.select(is_kind(*COUNTED)).to_series()
    if not game.round.drawn_to:
        again &= ~chosen.select(is_kind("CardDealt")).to_series()
    return pl.DataFrame([chosen["ri"].alias("key"), chosen["seq"], code]).filter(~again)


def _first_since_a_shuffle(rows: pl.DataFrame) -> pl.Series:
    """Which rows (sorted by ``ri``, ``seq``) are the first card dealt in a round after a shuffle that belongs to it."""
    shuffled, dealt = (rows.select(pl.arg_where(is_kind(kind))).to_series() for kind in ("ShoeShuffled", "CardDealt"))
    following = dealt.search_sorted(shuffled)
    comes = following < dealt.len()
    card = dealt.gather(following.filter(comes))
    own = rows["ri"].gather(card) == rows["ri"].gather(shuffled.filter(comes))
    return pl.Series([False]).new_from_index(0, rows.height).scatter(card.filter(own), values=True)


def _upcards(firsts: _FirstMoments, count: int, game: Game) -> pl.Series:
    """For each round the class of the bank's first open card, cards taken away apart."""
    classes = pl.Series("upcard", [game.seat.upcards.get(card_of(name).rank, "?") for name in CARDS.categories])
    card = firsts.open["card_card"].cast(CARDS, strict=False).fill_null(UNKNOWN)
    return by_round(count, firsts.open["ri"], classes.gather(card.to_physical())).fill_null("?")


def _seats_from_the_left(keys: pl.Series, most: int) -> pl.DataFrame:
    """For each ``ri`` and ``seat`` its ``number`` among the seats of its round, from the left; the seat's own number in rounds
    with a seat above ``most``, which must stay visible. ``keys`` are the seats' keys, in order."""
    ri, seat = (keys // SEATS).alias("ri"), (keys % SEATS).alias("seat")
    place, begins = pl.int_range(keys.len(), eager=True), begins_of(ri)
    first = place.filter(begins).gather(begins.cum_sum() - 1)  # of the round's
    left = pl.DataFrame([ri, seat, (place - first + 1).alias("number")])
    if within(seat, 0, most):
        return left
    above = pl.col("seat").max().over("ri") > most
    return left.with_columns(number=pl.when(above).then("seat").otherwise("number"))


def _wagers(rows: pl.DataFrame, firsts: _FirstMoments) -> pl.DataFrame:
    columns = {"wager_seat": "seat", "wager_hand": "hand", "wager_kind": "kind"}
    columns |= {name: name.removeprefix("wager_") for name in ("wager_player", "wager_position", "wager_stake_minor")}
    placed = of_kind(rows, ("WagerPlaced",), "ri", "seq", "at", *columns).rename(columns)
    moment = (firsts.moment(placed) + firsts.with_bank(placed)).alias("moment")
    placed = placed.with_columns(pl.col("hand").fill_null(0))
    hand = ["ri", "seat", "hand"]
    further = placed.filter(pl.col("hand") > 0).select(*hand, "seq")
    begun = further["seq"]
    if further.height:
        dealt = of_kind(rows, ("CardDealt",), "ri", "seq", "card_seat", "card_hand").rename(
            {"card_seat": "seat", "card_hand": "hand"}
        )
        dealt = dealt.filter(pl.col("hand") > 0).group_by(hand).agg(dealt=pl.col("seq").min())
        begun = further.join(dealt, on=hand).filter(pl.col("seq") > pl.col("dealt"))["seq"]
    return placed.hstack([moment, placed["seq"].is_in(begun.implode()).alias("begun")])


def _with_players(wagers: pl.DataFrame, kinds: WagerKinds) -> pl.DataFrame:
    """Fill in the players of wagers (``ri``, ``seat``, ``kind``, ``player``) that name none.

    A further wager is placed by whoever placed the base wager: where all base wagers of a seat name one player, it is his; a
    single unnamed base wager belongs to the only player with a wager on its hands. Where a seat has base wagers of several
    players, or of a named and an unnamed one, the player stays unknown.
    """
    place = ("ri", "seat")
    missing = wagers["player"].null_count()
    if missing in (0, wagers.height):
        return wagers
    base = is_wager(kinds.base)
    own = is_wager(kinds.base | kinds.seat | kinds.play | kinds.carried)
    bets, named = pl.col("player").filter(base), pl.col("player").filter(own).drop_nulls()
    known = (named.n_unique() == 1) & ((bets.len() == 1) | ((bets.len() > 1) & (bets.null_count() == 0)))
    unnamed = wagers.filter(pl.col("player").is_null()).select(place).unique()
    there = wagers.join(unnamed, on=place, how="semi")
    owner = there.group_by(place).agg(owner=pl.when(known).then(named.first()))
    return widened(wagers, owner, place).with_columns(player=pl.coalesce("player", "owner")).drop("owner")


def _with_bettors(wagers: pl.DataFrame) -> pl.DataFrame:
    """Add ``bettor``, which tells the bettors of a seat apart: a number of the player, from zero on; where none is named and the
    log has the places of all unnamed wagers on the seat, the place, below zero; else null."""
    unnamed, player = pl.col("player").is_null(), pl.col("player").to_physical().cast(pl.Int64)
    if not wagers.select((unnamed & (pl.col("position") > 0)).any()).item():
        return wagers.with_columns(bettor=player)
    placed = (pl.col("position").is_not_null() | ~unnamed).all().over("ri", "seat")
    return wagers.with_columns(bettor=pl.coalesce(player, pl.when(placed).then(-1 - pl.col("position").cast(pl.Int64))))


def _bet_at_the_deal(wagers: pl.DataFrame, seat_rows: pl.DataFrame, firsts: _FirstMoments, game: Game) -> pl.Series:
    """The keys of the seats to be dealt to: a wager of ``WagerKinds.dealt`` lay there before the seat's first card, or before the
    round's first card where the seat got none. A wager with no stake does not count."""
    dealt = seat_rows.filter(part_of("kind") == KIND_NUMBER["CardDealt"])
    dealt = dealt.filter(begins_of(dealt["key"])).select("key", dealt="seq")
    until = pl.coalesce("dealt", firsts.at_row("dealt"))
    laid = wagers.filter(is_wager(game.wagers.dealt) & (pl.col("stake_minor") > 0))
    bets = laid.select("ri", "seq", SEAT_KEY).join(dealt, on="key", how="left", maintain_order="left")
    return bets.filter(pl.col("seq") < until)["key"].unique().sort()
