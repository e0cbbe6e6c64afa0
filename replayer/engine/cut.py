"""Cuts table-days into situations: seat, bank and round histories, as ``replayer.game`` describes them.

Everything here is columns; no rule of any game is applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, reduce
from itertools import accumulate, pairwise
from operator import add
from typing import Final

import polars as pl

from replayer.columns import CARDS, FACE, KIND_NUMBER, is_kind, may_repeat, of_kind, within
from replayer.engine.event_symbols import (
    BANK_KINDS,
    CARD_KINDS,
    COUNTED,
    DONE_TO_CARDS,
    ROUND_KINDS,
    SEAT_KINDS,
    SHOE_KINDS,
    TAKEN,
    sanitized,
)
from replayer.engine.histories import SEAT_KEY, SEATS, Histories
from replayer.engine.packing import kind_of, pack, seat_of
from replayer.engine.removed_from_bank import of_bank
from replayer.engine.rounds import begins_of, by_round, ends_of, events_of, some_at_a_time
from replayer.engine.stack import SPAN, gaps_between_rounds
from replayer.engine.unnamed_wagers import with_players
from replayer.game import Game
from replayer.symbols import ADDITIONAL_CARD, BANK_OPEN, BETS_CLOSED, CARD_DEALT, HOLE_CHECKED, RoundStart
from schemas.cards import DECK, UNKNOWN

_KIND: Final = pl.col("kind").to_physical()
_SEAT: Final = ("card_seat", "decision_seat", "wager_seat")
_HAND: Final = ("card_hand", "decision_hand", "wager_hand")
_TEXT: Final = ("decision_action", "wager_kind", "shoe_method", "shoe_cut_by", "remark_cause")
"""The columns of which an event has one at the most, whatever its kind."""
EVERY_ROUND: Final = (0, 2**63 - 1)
"""The numbers of the first and the last round that can be, stacked."""


def cut(frame: pl.DataFrame, game: Game, scope: tuple[int, int] = EVERY_ROUND) -> Histories:
    """Cut the events of stacked table-days (schema ``FLAT``, ordered by ``seq``) into situations.

    ``scope`` are the numbers of the first and the last round of which anything is asked. The others are there, with how they
    found the shoe, and have no histories and no wagers.
    """
    inside = _inside_rounds(frame)
    rounds, taken = _rounds(inside), of_kind(inside, TAKEN, "seq", "ri").sort("seq")
    dealt = of_kind(inside, ("CardDealt",), "ri", "seq")
    first_card = by_round(rounds.height, dealt["ri"], dealt["seq"])
    ready = _made_ready(inside, first_card)
    used = taken if ready.is_empty() else taken.filter(~pl.col("seq").is_in(ready.implode()))
    rounds = _with_shoes(rounds, frame, inside, first_card, taken["seq"], used["seq"])
    inside = _handed_on(inside, rounds["first_seq"], used, ready)
    if scope != EVERY_ROUND:
        wanted = rounds.filter(pl.col("round").is_between(*scope))["ri"]
        inside = inside.filter(pl.col("ri").is_between(wanted.min(), wanted.max()))
    inside = inside[["row", "ri"]]
    texts: dict[int, str] = {}
    parts = [
        _histories(
            events_of(frame, own, first), rounds.slice(first, count).with_columns(pl.col("ri") - first), texts, game
        )
        for own, first, count in some_at_a_time(inside, rounds.height)
    ]
    return parts[0] if len(parts) == 1 else _joined(parts)


def _histories(rows: pl.DataFrame, rounds: pl.DataFrame, texts: dict[int, str], game: Game) -> Histories:
    """The situations of some rounds, whose indices count from zero here; ``texts`` gets those that are new."""
    firsts = _Firsts(rows, rounds.height, game)
    wagers = with_players(_wagers(rows, firsts), game.wagers)
    packed = _packed(rows, firsts, texts, game)
    seat_rows, round_rows = _seat_rows(packed, firsts, _added(wagers, game)), _round_rows(packed, firsts, game)
    keys = seat_rows["key"].filter(begins_of(seat_rows["key"]))
    bet = _bet_at_the_deal(wagers, seat_rows, firsts, game)
    played = round_rows.select(seat=seat_of("code"), key=pl.col("key") * SEATS + seat_of("code")).filter(
        pl.col("seat") > 0
    )
    places = pl.concat([bet, played["key"]]).unique().sort()
    left = _seats_from_the_left(places, game.round.interchangeable_seats)
    numbered = left[places.search_sorted(bet)].select("ri", seat="number")
    found = rounds["found"].to_list()
    return Histories(
        rounds.drop("found"),
        pl.DataFrame({"ri": keys // SEATS, "seat": (keys % SEATS).cast(pl.Int32)}),
        wagers,
        {"seat": seat_rows, "bank": _bank_rows(packed, firsts), "round": round_rows},
        _upcards(firsts, rounds.height, game),
        _round_starts(found, pl.DataFrame({"ri": bet // SEATS, "seat": bet % SEATS})),
        left,
        _round_starts(found, numbered),
        texts,
    )


def _joined(parts: Sequence[Histories]) -> Histories:
    """The situations of rounds that follow on one another."""
    before = [0, *accumulate(part.rounds.height for part in parts)]

    def below(frames: Iterable[pl.DataFrame], name: str, each: int = 1) -> pl.DataFrame:
        return pl.concat(
            frame.with_columns(pl.col(name) + first * each) for frame, first in zip(frames, before, strict=False)
        )

    def rows(of: str, each: int = 1) -> pl.DataFrame:
        return below((part.rows[of] for part in parts), "key", each)

    return Histories(
        below((part.rounds for part in parts), "ri").rechunk(),
        below((part.seats for part in parts), "ri").rechunk(),
        below((part.wagers for part in parts), "ri").rechunk(),
        {"seat": rows("seat", SEATS), "bank": rows("bank"), "round": rows("round")},
        pl.concat([part.upcards for part in parts]),
        [round_start for part in parts for round_start in part.round_starts],
        below((part.left for part in parts), "ri"),
        [round_start for part in parts for round_start in part.starts_from_left],
        parts[-1].texts,
    )


def _inside_rounds(frame: pl.DataFrame) -> pl.DataFrame:
    """The events of rounds, round by round: ``row`` in the frame, the index of the round, ``seq``, ``at``, ``kind``, ``round``;
    what happens to the shoe between rounds belongs to the next."""
    known = pl.when(~is_kind("CorrectionMade")).then("round").backward_fill()
    belongs = pl.when(pl.col("round").is_null()).then(is_kind(*SHOE_KINDS)).otherwise(~is_kind("CorrectionMade"))
    numbered = frame.select(
        "seq", "at", "kind", "round", belongs=belongs, known=known, row=pl.int_range(pl.len(), dtype=pl.UInt32)
    )
    inside = numbered.filter(pl.col("belongs") & (pl.col("known") // SPAN == pl.col("seq") // SPAN))
    known_round = inside["known"]
    in_order = known_round.is_sorted()
    ri = begins_of(known_round).cast(pl.Int64).cum_sum() if in_order else known_round.rank("dense").cast(pl.Int64)
    inside = inside[["row", "seq", "at", "kind", "round"]].hstack([(ri - 1).alias("ri")])
    return inside if in_order else inside.sort("ri", "seq")


def _rounds(inside: pl.DataFrame) -> pl.DataFrame:
    """``ri``, ``round``, and where each round begins and ends: with events of its own, not with what befell the shoe before."""
    own = inside.filter(pl.col("round").is_not_null())
    first, last = begins_of(own["ri"]), ends_of(own["ri"])
    moments = {
        "first_seq": ("seq", first),
        "last_seq": ("seq", last),
        "started_at": ("at", first),
        "ended_at": ("at", last),
    }
    return pl.DataFrame(
        {name: own[name].filter(first) for name in ("ri", "round")}
        | {name: own[column].filter(which) for name, (column, which) in moments.items()}
    )


_UP: Final = FACE.categories.to_list().index("up")
_NEVER: Final = 2**63 - 1
"""The ``seq`` of what never came."""
_NEW_AND_DEALT: Final = ("ShoeShuffled", "CardDealt")
"""How a shoe comes to the table, and how it is dealt from."""


def _made_ready(inside: pl.DataFrame, first_card: pl.Series) -> pl.Series:
    """The ``seq`` of the cards burned of a shoe that was shuffled in the middle of their round, before one of it was dealt: done
    to the cards of whichever round is dealt from it. ``first_card`` has the ``seq`` of each round's first one."""
    shuffled = of_kind(inside, ("ShoeShuffled",), "ri", "seq")
    again = shuffled["ri"].filter(shuffled["seq"] > first_card.gather(shuffled["ri"]))
    if again.is_empty():  # as nearly always
        return again.cast(pl.Int64)
    of_again = pl.col("ri").is_in(again.implode()) & is_kind("CardBurned", *_NEW_AND_DEALT)
    rows = inside.select("ri", "seq", "kind").filter(of_again)
    last = pl.when(is_kind(*_NEW_AND_DEALT)).then("kind").forward_fill().over("ri")
    rows = rows.with_columns(burned=is_kind("CardBurned"), kind=last)
    return rows["seq"].filter(
        rows.select(pl.col("burned") & is_kind("ShoeShuffled")).to_series()
        & (rows["seq"] > first_card.gather(rows["ri"]))
    )


def _handed_on(inside: pl.DataFrame, first_seqs: pl.Series, taken: pl.DataFrame, ready: pl.Series) -> pl.DataFrame:
    """The same events, but what was done to cards of which a round took none with the next round.

    That is the last one of the day that had begun when a card was ``taken`` (``seq``, ``ri``); one taken to make a shoe ``ready``
    is none of these.
    """
    makes_ready = pl.lit(value=False) if ready.is_empty() else pl.col("seq").is_in(ready.implode())
    done = inside.select(pl.arg_where(is_kind(*DONE_TO_CARDS) | makes_ready)).to_series()
    seq = inside["seq"].gather(done)
    card = taken["seq"].search_sorted(seq)
    comes = (card < taken.height).arg_true()
    taken = taken[card.gather(comes)]
    begun = first_seqs.gather(taken["ri"])  # a card that is burned between rounds is taken in the next one
    end_of_day = (seq // SPAN + 1) * SPAN - 1
    until = end_of_day.clone().scatter(comes, taken["seq"].zip_with(taken["seq"] > begun, begun))
    in_order, none = first_seqs.arg_sort().cast(pl.Int64), pl.Series([-1])
    begins = pl.concat([none, first_seqs.gather(in_order)])
    last = begins.search_sorted(until.zip_with(until < end_of_day, end_of_day), side="right") - 1
    later = begins.gather(last) > seq
    ri = pl.concat([none, in_order]).gather(last).filter(later)
    handed, own = done.filter(later), inside["ri"]
    if (own.gather(handed) == ri).all():
        return inside
    return inside.with_columns(ri=own.scatter(handed, ri)).sort("ri", "seq")


class _Firsts:
    """For each round the ``seq`` of the first of several moments; :data:`_NEVER` where it never came."""

    def __init__(self, rows: pl.DataFrame, count: int, game: Game) -> None:
        self._count = count
        self.dealt = of_kind(rows, ("CardDealt",), "ri", "seq", "card_seat", "card_face", "card_card")
        decided = of_kind(rows, ("DecisionTaken",), "ri", "seq", "decision_action")
        turned = of_kind(rows, ("CardTurned",), "ri", "seq", "card_seat")
        checked = of_kind(rows, ("HoleCardChecked",), "ri", "seq", "decision_action")
        aside = decided["decision_action"].is_in(sorted(game.seat.side_actions)).fill_null(value=False)
        self.series: dict[str, pl.Series] = {
            "closed": self._first(of_kind(rows, ("WagersClosed",), "ri", "seq")),
            "dealt": self._first(self.dealt),
            "decided": self._first(decided),
            "play": self._first(decided, ~aside),
            "paid": self._first(of_kind(rows, ("WagerSettled",), "ri", "seq")),
            "checked": self._first(checked),
        }
        self.series["additional"] = self._first(self.dealt, self._passed("play", self.dealt))
        bank, turned_over = self.dealt["card_seat"].is_null(), turned["card_seat"].is_null()
        self.series["bank"] = self._first(self.dealt, bank)
        gone = of_bank(rows, "card_card", "card_face", pl.col("card_seat").is_null())
        if gone:
            bank &= ~self.dealt["seq"].is_in(gone)
            turned_over &= ~turned["seq"].is_in(gone)
        self.series["kept"] = self._first(self.dealt, bank) if gone else self.series["bank"]
        self.open = self.dealt.filter(bank & (self.dealt["card_face"].to_physical() == _UP))
        opened = [self._first(checked, checked["decision_action"].is_in(["natural"]))]
        if game.seat.upcards:
            opened.append(self._first(self.open, self._passed("kept", self.open)))
        else:  # a card of the bank that lay open while it was dealt to was exposed, and opens nothing
            own = self.dealt.filter(bank).reverse()
            last = by_round(count, own["ri"], own["seq"], -1)
            turned_over &= turned["seq"] > last.gather(turned["ri"])
        opened.append(self._first(turned, turned_over))
        self.series["opened"] = reduce(lambda one, other: one.zip_with(one < other, other), opened)

    def _first(self, rows: pl.DataFrame, of: pl.Series | None = None) -> pl.Series:
        """The first of some rows, or of those that are marked in ``of``."""
        ri, seq = (rows[name] if of is None else rows[name].filter(of) for name in ("ri", "seq"))
        return by_round(self._count, ri, seq, _NEVER)

    def _passed(self, name: str, rows: pl.DataFrame) -> pl.Series:
        """Of which rows the moment of their round had passed."""
        return rows["seq"] > self.series[name].gather(rows["ri"])

    def at_row(self, name: str) -> pl.Expr:
        """The moment's ``seq`` of each row's round."""
        return pl.lit(self.series[name]).gather(pl.col("ri"))

    def moment(self, rows: pl.DataFrame) -> pl.Series:
        """The moment of each row (``replayer.symbols``)."""
        parts = {
            "closed": BETS_CLOSED,
            "dealt": CARD_DEALT,
            "additional": ADDITIONAL_CARD,
            "checked": HOLE_CHECKED,
            "opened": BANK_OPEN,
        }
        passed = [self._passed(name, rows).cast(pl.Int32) * weight for name, weight in parts.items()]
        return reduce(add, passed)


def _packed(rows: pl.DataFrame, firsts: _Firsts, texts: dict[int, str], game: Game) -> pl.DataFrame:
    """The rows of histories: ``ri``, ``seq``, ``kind``, ``seat``, ``decks``; as they are packed ``face`` and ``value`` (a card,
    points, or the number of a text among ``texts``, which gets it); of decisions whether their moment matters (``timed``) and
    whether the seat's own symbol tells of them (``aside``); and the ``code`` of all but seat and moment.

    A text is spelled as :func:`replayer.engine.event_symbols.sanitized` says; a wager of nothing is of no kind.
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
        timed=action.is_in(sorted(game.seat.timed)).fill_null(value=False),
        aside=action.is_in(sorted(game.seat.timed | game.seat.side_actions)).fill_null(value=False),
    )
    nothing = pl.lit(0)
    code = pack(
        packed,
        kind=_KIND,
        seat=nothing,
        hand=pl.col("hand"),
        face=pl.col("face"),
        value=pl.col("value"),
        moment=nothing,
    )
    return packed.drop("hand").hstack([code])


def _added(wagers: pl.DataFrame, game: Game) -> pl.Series:
    """The ``seq`` of the base wagers that a player added to his own: a seat's history has one of each of several bettors."""
    kinds = game.wagers.base if game.shared_seats else frozenset[str]()
    laid = pl.col("player").is_not_null() & (pl.col("stake_minor") > 0)
    base = wagers.filter(pl.col("kind").is_in(sorted(kinds)) & laid)
    bettor = ("ri", "seat", "hand", "player")
    if not may_repeat(base, bettor):
        return base["seq"].head(0)
    return base.filter(~pl.struct(bettor).is_first_distinct())["seq"]


def _seat_rows(packed: pl.DataFrame, firsts: _Firsts, left_out: pl.Series) -> pl.DataFrame:
    """The rows of seats' histories, packed, each history's together: ``key``, ``seq``, ``code``."""
    rows = packed.filter(is_kind(*SEAT_KINDS, "WagerPlaced") & pl.col("seat").is_not_null())
    if left_out.len():
        rows = rows.filter(~pl.col("seq").is_in(left_out.implode()))
    code, timed = rows["code"], rows["timed"].arg_true()
    if timed.len():
        code = code.scatter(timed, code.gather(timed) + firsts.moment(rows[timed]))
    return rows.select(SEAT_KEY, "seq", code=code).sort("key", maintain_order=True)


def _bank_rows(packed: pl.DataFrame, firsts: _Firsts) -> pl.DataFrame:
    """The same of banks."""
    burned_late = ~is_kind("CardBurned") | (pl.col("seq") > firsts.at_row("bank"))
    bank = is_kind(*BANK_KINDS) & pl.col("seat").is_null() & burned_late
    first_play = is_kind("DecisionTaken") & (pl.col("seq") == firsts.at_row("play"))
    return (
        packed[["ri", "seq", "code"]]
        .filter(packed.select(bank | first_play).to_series())
        .rename({"ri": "key"})
        .set_sorted("key")
    )


def _round_rows(packed: pl.DataFrame, firsts: _Firsts, game: Game) -> pl.DataFrame:
    """The rows of round histories, packed so that the same word is the same code; repetitions are left out
    (``RoundLaw.drawn_to``)."""
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
        moment=pl.lit(0),
    )
    again = chosen["playing"] & ~begins_of(code) & ~begins_of(chosen["ri"])
    again &= ~chosen.select(is_kind(*COUNTED)).to_series()
    if not game.round.drawn_to:
        again &= ~chosen.select(is_kind("CardDealt")).to_series()
    return pl.DataFrame([chosen["ri"].alias("key"), chosen["seq"], code]).filter(~again)


def _first_since_a_shuffle(rows: pl.DataFrame) -> pl.Series:
    """Which rows (sorted by ``ri``, ``seq``) are the first cards that a round was dealt since a shuffle in it, or before it."""
    shuffled, dealt = (rows.select(pl.arg_where(is_kind(kind))).to_series() for kind in _NEW_AND_DEALT)
    following = dealt.search_sorted(shuffled)
    comes = following < dealt.len()
    card = dealt.gather(following.filter(comes))
    own = rows["ri"].gather(card) == rows["ri"].gather(shuffled.filter(comes))
    return pl.Series([False]).new_from_index(0, rows.height).scatter(card.filter(own), values=True)


def _upcards(firsts: _Firsts, count: int, game: Game) -> pl.Series:
    """For each round the class of the bank's first open card of those that it kept."""
    card = firsts.open["card_card"].cast(pl.String).str.slice(0, 1)
    rank = by_round(count, firsts.open["ri"], card)
    return rank.replace_strict(game.seat.upcards, default="?", return_dtype=pl.String).fill_null("?").alias("upcard")


def _seats_from_the_left(keys: pl.Series, most: int) -> pl.DataFrame:
    """For each ``ri`` and ``seat`` its ``number`` among the seats of its round, from the left; its own one in rounds where a
    seat is above ``most``, which must be told. ``keys`` are those of the seats, in order."""
    ri, seat = (keys // SEATS).alias("ri"), (keys % SEATS).alias("seat")
    place, begins = pl.int_range(keys.len(), eager=True), begins_of(ri)
    first = place.filter(begins).gather(begins.cum_sum() - 1)  # of the round's
    left = pl.DataFrame([ri, seat, (place - first + 1).alias("number")])
    if within(seat, 0, most):
        return left
    above = pl.col("seat").max().over("ri") > most
    return left.with_columns(number=pl.when(above).then("seat").otherwise("number"))


def _round_starts(found: Sequence[str], seats: pl.DataFrame) -> list[RoundStart]:
    """How each round begins, with its seats with wagers (``ri``, ``seat``, from the left)."""
    begins = seats["ri"].search_sorted(pl.int_range(len(found) + 1, eager=True), side="left").to_list()
    bets = tuple(seats["seat"].to_list())
    round_start = cache(RoundStart)  # most are the same
    return [round_start(bets[begin:end], each) for (begin, end), each in zip(pairwise(begins), found, strict=True)]


def _wagers(rows: pl.DataFrame, firsts: _Firsts) -> pl.DataFrame:
    columns = {"wager_seat": "seat", "wager_hand": "hand", "wager_kind": "kind"}
    columns |= {name: name.removeprefix("wager_") for name in ("wager_player", "wager_position", "wager_stake_minor")}
    placed = of_kind(rows, ("WagerPlaced",), "ri", "seq", "at", *columns).rename(columns)
    moment = firsts.moment(placed).alias("moment")
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


def _bet_at_the_deal(wagers: pl.DataFrame, seat_rows: pl.DataFrame, firsts: _Firsts, game: Game) -> pl.Series:
    """The keys of the seats to be dealt to: one of ``WagerKinds.dealt`` lay there before their cards, or the round's first one
    where they got none. One of nothing was never laid."""
    dealt = seat_rows.filter(kind_of("code") == KIND_NUMBER["CardDealt"])
    dealt = dealt.filter(begins_of(dealt["key"])).select("key", dealt="seq")
    until = pl.coalesce("dealt", firsts.at_row("dealt"))
    laid = wagers.filter(pl.col("kind").is_in(sorted(game.wagers.dealt)) & (pl.col("stake_minor") > 0))
    bets = laid.select("ri", "seq", SEAT_KEY).join(dealt, on="key", how="left", maintain_order="left")
    return bets.filter(pl.col("seq") < until)["key"].unique().sort()


def _with_shoes(
    rounds: pl.DataFrame,
    frame: pl.DataFrame,
    inside: pl.DataFrame,
    first_card: pl.Series,
    taken: pl.Series,
    used: pl.Series,
) -> pl.DataFrame:
    """Add ``shoe``, the number of shuffles so far; ``found``, how the round found the shoe; ``closed_at``.

    ``first_card`` has the ``seq`` of each round's first one, ``taken`` those of all cards that left the shoe, ``used`` those
    of them by which no shoe was made ready.
    """
    last_seq = rounds["last_seq"]
    shuffles, gaps = of_kind(frame, ("ShoeShuffled",), "seq")["seq"], gaps_between_rounds(frame)
    whites = pl.concat(
        [of_kind(frame, ("CutCardDrawn",), "seq")["seq"], _behind_white_cards(frame, taken, gaps)]
    ).sort()
    closed = of_kind(inside, ("WagersClosed",), "ri", "at")
    begin = inside["seq"].filter(begins_of(inside["ri"]))
    day = begin // SPAN * SPAN  # where the round's table-day begins: what was before is another table's
    # Art. 2 of both games speaks of the cards that a round begins with: a shuffle after its first card is none of these. What
    # that asks for is found in the round; the next one goes on with those cards.
    first_card = first_card.fill_null(last_seq)
    before = pl.Series([-1], dtype=pl.Int64)
    last_shuffle = pl.concat([before, shuffles]).gather(shuffles.search_sorted(first_card, side="right"))
    last_white = pl.concat([before, whites]).gather(whites.search_sorted(begin, side="left"))
    last_taken = pl.concat([before, used]).gather(used.search_sorted(begin, side="left"))
    last_gap = pl.concat([before, gaps]).gather(gaps.search_sorted(begin, side="right"))
    found = (
        pl.when((last_shuffle < day) & (last_gap < day))
        .then(pl.lit("unshuffled"))
        .when((last_white > last_shuffle) & (last_white > last_gap) & (last_white > day))
        .then(pl.lit("white"))
        .when((last_shuffle > last_taken) & (last_shuffle > day))  # and if rounds without a card lie between
        .then(pl.lit("fresh"))
        .otherwise(pl.lit(""))
    )
    shuffled = shuffles.search_sorted(last_seq, side="right").cast(pl.Int32)
    shuffled -= shuffles.search_sorted(day, side="left").cast(pl.Int32)
    return rounds.with_columns(
        shoe=shuffled, found=found, closed_at=by_round(rounds.height, closed["ri"], closed["at"])
    )


def _behind_white_cards(frame: pl.DataFrame, taken: pl.Series, gaps: pl.Series) -> pl.Series:
    """The ``seq`` of each card taken that lay right behind a white one, which was out by then whether or not the log has it."""
    done = of_kind(frame, ("ShoeShuffled", "CutCardPlaced"), "kind", "seq", "shoe_decks", "shoe_behind")
    shuffle = pl.when(is_kind("ShoeShuffled"))
    decks = shuffle.then(pl.col("shoe_decks").fill_null(0)).forward_fill()
    put = done.select("seq", "shoe_behind", shuffled=shuffle.then("seq").forward_fill(), decks=decks).drop_nulls()
    put = put.filter((pl.col("decks") > 0) & (pl.col("shuffled") // SPAN == pl.col("seq") // SPAN))
    first, later = (taken.search_sorted(put[column]).cast(pl.Int64) for column in ("shuffled", "seq"))
    number = pl.max_horizontal(first + len(DECK) * put["decks"] - put["shoe_behind"], later)
    put = put.with_columns(card=taken.gather(pl.select(number).to_series(), null_on_oob=True)).drop_nulls()
    card, shuffles = put["card"], done.filter(is_kind("ShoeShuffled"))["seq"]
    of_a_day = card // SPAN == put["seq"] // SPAN
    of_a_shoe = shuffles.search_sorted(card) == shuffles.search_sorted(put["seq"])
    return card.filter(
        of_a_day & of_a_shoe & (gaps.search_sorted(card, "right") == gaps.search_sorted(put["shuffled"]))
    )
