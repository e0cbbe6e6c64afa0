"""Cuts table-days into situations: seat, bank and round histories, as ``replayer.game`` describes them.

Everything here is columns; no rule of any game is applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate
from typing import Final

import polars as pl

from replayer.columns import CARDS, KIND_NUMBER, TEXT, is_kind
from replayer.engine.happened import BANK_KINDS, CARD_KINDS, ROUND_KINDS, SEAT_KINDS, SHOE_KINDS, sanitized
from replayer.engine.histories import SEAT_KEY, SEATS, Histories
from replayer.engine.packing import pack, seat_of
from replayer.engine.rounds import READ, events_of, some_at_a_time
from replayer.engine.stack import SPAN
from replayer.engine.taken_away import of_bank
from replayer.engine.unnamed import with_players
from replayer.game import Game
from replayer.symbols import ADDITIONAL_CARD, BANK_OPEN, BETS_CLOSED, CARD_DEALT, HOLE_CHECKED, RoundStart
from schemas.cards import UNKNOWN

EVERY_ROUND: Final = (0, 2**63 - 1)
"""The numbers of the first and the last round that can be, stacked."""


def cut(frame: pl.DataFrame, game: Game, scope: tuple[int, int] = EVERY_ROUND) -> Histories:
    """Cut the events of stacked table-days (schema ``FLAT``, ordered by ``seq``) into situations.

    ``scope`` are the numbers of the first and the last round of which anything is asked. The others are there, with how they
    found the shoe, and have no histories and no wagers.
    """
    inside = _inside_rounds(frame)
    rounds = _with_shoes(_rounds(inside), frame, inside)
    wanted = rounds.filter(pl.col("round").is_between(*scope))["ri"]
    if wanted.len() < rounds.height:
        inside = inside.filter(pl.col("ri").is_between(wanted.min(), wanted.max()))
    inside = inside.select("row", "ri")
    texts: list[str] = []
    parts = [
        _histories(
            events_of(frame, own, first), rounds.slice(first, count).with_columns(pl.col("ri") - first), texts, game
        )
        for own, first, count in some_at_a_time(inside, rounds.height)
    ]
    return parts[0] if len(parts) == 1 else _joined(parts)


def _histories(rows: pl.DataFrame, rounds: pl.DataFrame, texts: list[str], game: Game) -> Histories:
    """The situations of some rounds, whose indices count from zero here; ``texts`` gets those that are new."""
    firsts = _Firsts(rows, rounds.height, game)
    rows = _with_texts(rows, texts)
    wagers = with_players(_wagers(rows, firsts), game.wagers)
    upcards = _upcards(rows, firsts, rounds.height, game)

    play = is_kind(*SEAT_KINDS) | (is_kind("WagerPlaced") & pl.col("text").is_in(sorted(game.wagers.play)))
    seat_rows = _packed(rows.filter(play & pl.col("seat").is_not_null()), firsts, game, key="seat")
    seats = seat_rows.select(pl.col("key").unique(maintain_order=True)).select(
        ri=pl.col("key") // SEATS, seat=(pl.col("key") % SEATS).cast(pl.Int32)
    )

    bank = is_kind(*BANK_KINDS) & pl.col("seat").is_null()
    first_play = is_kind("DecisionTaken") & (pl.col("seq") == firsts.at_row("play"))
    burned_late = ~is_kind("CardBurned") | (pl.col("seq") > firsts.at_row("bank"))
    bank_rows = _packed(rows.filter((bank & burned_late) | first_play), firsts, game, key="bank")

    round_rows = _round_rows(rows, firsts, game)
    bet = _bet_at_the_deal(wagers, firsts).sort("ri", "seat").set_sorted("ri")
    played = round_rows.select(ri="key", seat=seat_of("code")).filter(pl.col("seat") > 0)
    left = _seats_from_the_left(pl.concat([bet, played]), game.round.interchangeable_seats)
    numbered = bet.join(left, on=["ri", "seat"], how="left", maintain_order="left").select("ri", seat="number")
    return Histories(
        rounds.drop("found"),
        seats,
        wagers,
        {"seat": seat_rows, "bank": bank_rows, "round": round_rows},
        upcards,
        _round_starts(rounds, bet),
        left,
        _round_starts(rounds, numbered),
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
    own = pl.when(~is_kind("CorrectionMade")).then(pl.col("round"))
    between = pl.col("round").is_null() & is_kind(*SHOE_KINDS)
    numbered = (
        frame.lazy()
        .select("seq", "at", "kind", "round", row=pl.int_range(pl.len(), dtype=pl.UInt32), known=own.backward_fill())
        .filter((own.is_not_null() | between) & (pl.col("known") // SPAN == pl.col("seq") // SPAN))
        .select("row", "seq", "at", "kind", "round", ri=_round_index(frame["round"]))
        .collect()
    )
    return numbered if numbered["ri"].is_sorted() else numbered.sort("ri", "seq")


def _round_index(rounds: pl.Series) -> pl.Expr:
    """0, 1, ... in the order of the rounds' numbers (``known``, where rows between rounds have that of the next one)."""
    known = pl.col("known")
    if rounds.drop_nulls().is_sorted():
        return (known != known.shift()).fill_null(value=False).cum_sum().cast(pl.Int64)
    return known.rank("dense").cast(pl.Int64) - 1


def _rounds(rows: pl.DataFrame) -> pl.DataFrame:
    inside = rows.select("ri", "round", "seq", "at").filter(pl.col("round").is_not_null())
    return inside.group_by("ri", maintain_order=True).agg(
        pl.col("round").first(),
        first_seq=pl.col("seq").first(),
        last_seq=pl.col("seq").last(),
        started_at=pl.col("at").first(),
        ended_at=pl.col("at").last(),
    )


def _only(rows: pl.DataFrame, kind: str, *columns: str) -> pl.DataFrame:
    """The rows of one kind: ``ri``, ``seq`` and ``columns``."""
    return rows.lazy().filter(is_kind(kind)).select("ri", "seq", *columns).collect()


class _Firsts:
    """For each round the ``seq`` of the first of several moments; null where it never came."""

    def __init__(self, rows: pl.DataFrame, count: int, game: Game) -> None:
        self._count = count
        dealt = _only(rows, "CardDealt", "seat", "card_face", "card_card")
        decided = _only(rows, "DecisionTaken", "text")
        self.dealt = dealt
        self.series: dict[str, pl.Series] = {
            "closed": self._first(_only(rows, "WagersClosed")),
            "dealt": self._first(dealt),
            "decided": self._first(decided),
            "play": self._first(decided.filter(~pl.col("text").is_in(sorted(game.seat.side_actions)))),
            "paid": self._first(_only(rows, "WagerSettled")),
            "checked": self._first(_only(rows, "HoleCardChecked")),
        }
        self.series["additional"] = self._first(dealt.filter(pl.col("seq") > self.at_row("play")))
        bank = dealt.filter(pl.col("seat").is_null())
        self.series["bank"] = self._first(bank)
        turned = _only(rows, "CardTurned", "seat").filter(pl.col("seat").is_null()).select("ri", "seq")
        gone = of_bank(rows, "card_card", pl.col("seat").is_null())
        if gone:
            bank, turned = (cards.filter(~pl.col("seq").is_in(gone)) for cards in (bank, turned))
        self.series["kept"] = self._first(bank) if gone else self.series["bank"]
        self.open = bank.filter(pl.col("card_face") == "up")
        opened = self.open.filter(pl.col("seq") > self.at_row("kept")).select("ri", "seq")
        # Where no card of the bank is dealt open, one that came out so was exposed, and opens nothing.
        opened = opened if game.seat.upcards else opened.clear()
        found = _only(rows, "HoleCardChecked", "text").filter(pl.col("text") == "natural").select("ri", "seq")
        self.series["opened"] = self._first(pl.concat([turned, opened, found]))

    def _first(self, rows: pl.DataFrame) -> pl.Series:
        found = rows.group_by("ri", maintain_order=True).agg(pl.col("seq").min())
        return pl.Series([None] * self._count, dtype=pl.Int64).scatter(found["ri"], found["seq"])

    def at_row(self, name: str) -> pl.Expr:
        """The moment's ``seq`` of each row's round."""
        return pl.lit(self.series[name]).gather(pl.col("ri"))

    def moment(self) -> pl.Expr:
        """The moment of each row (``replayer.symbols``)."""
        parts = {
            "closed": BETS_CLOSED,
            "dealt": CARD_DEALT,
            "additional": ADDITIONAL_CARD,
            "checked": HOLE_CHECKED,
            "opened": BANK_OPEN,
        }
        total = pl.lit(0, dtype=pl.Int32)
        for name, weight in parts.items():
            total = total + (pl.col("seq") > self.at_row(name)).fill_null(value=False).cast(pl.Int32) * weight
        return total


def _with_texts(rows: pl.DataFrame, texts: list[str]) -> pl.DataFrame:
    """Number every text that stands in a word, and give each row its ``value`` (a card, points, a text's number among ``texts``).

    A text is spelled as :func:`replayer.engine.happened.sanitized` says.
    """
    number = {value: index for index, value in enumerate(sorted(rows["text"].unique().to_list()), len(texts))}
    texts += [sanitized(text) for text in number]
    card = pl.col("card_card").fill_null(UNKNOWN).cast(CARDS, strict=False).fill_null(UNKNOWN).to_physical()
    return rows.with_columns(
        value=pl.when(is_kind(*CARD_KINDS, "CardBurned"))
        .then(card.cast(pl.Int64))
        .when(is_kind("TotalAnnounced", "MarkerMoved"))
        .then(pl.col("decision_points").cast(pl.Int64))
        .when(is_kind("CutCardPlaced"))
        .then(pl.col("shoe_behind").cast(pl.Int64))
        .otherwise(pl.col("text").replace_strict(list(number), list(number.values()), return_dtype=pl.Int64))
        .fill_null(0)
    )


def _packed(rows: pl.DataFrame, firsts: _Firsts, game: Game, *, key: str) -> pl.DataFrame:
    """The rows of seat or bank histories, packed, each history's together: ``key``, ``seq``, ``code``."""
    timed = is_kind("DecisionTaken") & pl.col("text").is_in(sorted(game.seat.timed))
    packed = rows.select(
        key=pl.col("ri") if key == "bank" else SEAT_KEY,
        seq=pl.col("seq"),
        code=pack(
            rows,
            kind=pl.col("kind").to_physical(),
            seat=pl.lit(0),
            hand=pl.col("hand"),
            face=_face(),
            value=pl.col("value"),
            moment=pl.when(timed).then(firsts.moment()).otherwise(0),
        ),
    )
    return packed.set_sorted("key") if key == "bank" else packed.sort("key", maintain_order=True)


def _face() -> pl.Expr:
    return (pl.col("card_face").to_physical().cast(pl.Int64) + 1).fill_null(0)


def _by_round(count: int, ri: pl.Series, values: pl.Series) -> pl.Series:
    """Values by round index; null where a round has none."""
    return pl.Series([None], dtype=values.dtype).new_from_index(0, count).scatter(ri, values)


def _upcards(rows: pl.DataFrame, firsts: _Firsts, count: int, game: Game) -> pl.Series:
    """For each round the class of the bank's first open card of those that it kept."""
    first = firsts.open.group_by("ri", maintain_order=True).agg(pl.col("card_card").cast(pl.String).first())
    cards = pl.Series([None] * count, dtype=pl.String).scatter(first["ri"], first["card_card"]).str.slice(0, 1)
    return cards.replace_strict(game.seat.upcards, default="?", return_dtype=pl.String).fill_null("?").alias("upcard")


def _round_rows(rows: pl.DataFrame, firsts: _Firsts, game: Game) -> pl.DataFrame:
    """The rows of round histories, packed so that the same word is the same code, repetitions left out."""
    first_pay = is_kind("WagerSettled") & (pl.col("seq") == firsts.at_row("paid"))
    columns = ["seq", "ri", "kind", "seat", "text", "value", "card_face", "shoe_decks"]
    chosen = rows.select(columns).filter(is_kind(*ROUND_KINDS) | first_pay)
    chosen = chosen.with_columns(playing=(pl.col("seq") >= firsts.at_row("decided")).fill_null(value=False))
    decided = is_kind("DecisionTaken")
    kept_with_moment = decided & pl.col("text").is_in(sorted(game.seat.timed | game.seat.side_actions))
    at_seat = pl.col("playing") & pl.col("seat").is_not_null() & is_kind("CardDealt")
    cards = is_kind(*CARD_KINDS, "CardBurned")
    coded = chosen.select(
        "seq",
        "playing",
        key=pl.col("ri"),
        code=pack(
            chosen,
            kind=pl.when(at_seat).then(KIND_NUMBER["DecisionTaken"]).otherwise(pl.col("kind").to_physical()),
            seat=pl.when(is_kind("WagerSettled")).then(0).otherwise(pl.col("seat")).fill_null(0),
            hand=pl.when(is_kind("ShoeShuffled")).then(pl.col("shoe_decks").fill_null(0)).otherwise(0),
            face=pl.when(is_kind("CardDealt", "CardBurned") & ~at_seat).then(_face()).otherwise(0),
            value=pl.when(decided)
            .then(kept_with_moment.cast(pl.Int64))
            .when(cards | is_kind("WagerSettled"))
            .then(0)
            .otherwise(pl.col("value")),
            moment=pl.lit(0),
        ),
    )
    again = pl.col("playing") & (pl.col("code") == pl.col("code").shift()) & (pl.col("key") == pl.col("key").shift())
    return coded.filter(~again.fill_null(value=False)).select("key", "seq", "code")


def _seats_from_the_left(places: pl.DataFrame, most: int) -> pl.DataFrame:
    """For each ``ri`` and ``seat`` its ``number`` among the seats of its round, from the left; its own one in rounds where a
    seat is above ``most``, which must be told."""
    seats = places.unique().sort("ri", "seat")
    number = pl.int_range(pl.len())
    first = (pl.col("ri") != pl.col("ri").shift()).fill_null(value=True)
    return seats.with_columns(
        number=number - pl.when(first).then(number).forward_fill() + 1, last=pl.col("seat").max().over("ri")
    ).select("ri", "seat", number=pl.when(pl.col("last") > most).then("seat").otherwise("number").cast(pl.Int64))


def _round_starts(rounds: pl.DataFrame, seats: pl.DataFrame) -> list[RoundStart]:
    """How each round begins, with its seats with wagers (``ri``, ``seat``, from the left)."""
    bets = dict(seats.group_by("ri", maintain_order=True).agg("seat").iter_rows())
    round_start = cache(RoundStart)  # most are the same
    return [round_start(tuple(bets.get(ri, ())), found) for ri, found in enumerate(rounds["found"])]


def _wagers(rows: pl.DataFrame, firsts: _Firsts) -> pl.DataFrame:
    placed = _only(rows, "WagerPlaced", "at", "seat", "hand", "text", *(c for c in READ if c.startswith("wager_")))
    hand = ["ri", "seat", "hand"]
    dealt = (
        _only(rows, "CardDealt", "seat", "hand")
        .filter(pl.col("hand") > 0)
        .group_by(hand)
        .agg(dealt=pl.col("seq").min())
    )
    return placed.join(dealt, on=hand, how="left", maintain_order="left").select(
        "ri",
        "seq",
        "at",
        "seat",
        "hand",
        kind=pl.col("text").cast(TEXT),
        player=pl.col("wager_player"),
        position=pl.col("wager_position"),
        stake_minor=pl.col("wager_stake_minor"),
        moment=firsts.moment(),
        begun=(pl.col("seq") > pl.col("dealt")).fill_null(value=False),
    )


def _bet_at_the_deal(wagers: pl.DataFrame, firsts: _Firsts) -> pl.DataFrame:
    """The seats on which a wager lay when their cards were dealt, or the round's first one where they got none."""
    dealt = firsts.dealt.group_by("ri", "seat").agg(dealt=pl.col("seq").min())
    until = pl.coalesce("dealt", firsts.at_row("dealt"))
    return (
        wagers.select("ri", "seat", "seq")
        .join(dealt, on=["ri", "seat"], how="left", maintain_order="left")
        .filter((pl.col("seq") < until).fill_null(value=True))
        .select("ri", pl.col("seat").cast(pl.Int64))
        .unique()
    )


def _with_shoes(rounds: pl.DataFrame, frame: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Add ``shoe``, the number of shuffles so far; ``found``, how the round found the shoe; ``closed_at``."""
    numbers = frame.select("seq", "kind")
    shuffles = numbers.filter(is_kind("ShoeShuffled"))["seq"]
    whites = numbers.filter(is_kind("CutCardDrawn"))["seq"]
    first = (pl.col("ri") != pl.col("ri").shift()).fill_null(value=True)
    begin = rows.lazy().select("ri", "seq").filter(first).collect()["seq"]
    closed = _only(rows, "WagersClosed", "at").group_by("ri", maintain_order=True).agg(pl.col("at").first())
    day = begin // SPAN * SPAN  # where the round's table-day begins: what was before is another table's
    dealt = _only(rows, "CardDealt").group_by("ri", maintain_order=True).agg(pl.col("seq").first())
    # Art. 2 of both games speaks of the cards that a round is dealt from: a shuffle after its first card is none of these.
    first_card = _by_round(rounds.height, dealt["ri"], dealt["seq"]).fill_null(rounds["last_seq"])
    white = whites.search_sorted(begin, side="left")
    last_shuffle = pl.Series([-1, *shuffles.to_list()], dtype=pl.Int64).gather(
        shuffles.search_sorted(first_card, side="right")
    )
    last_white = pl.Series([-1, *whites.to_list()], dtype=pl.Int64).gather(white)
    found = (
        pl.when(last_shuffle < day)
        .then(pl.lit("unshuffled"))
        .when(last_white > last_shuffle)
        .then(pl.lit("white"))
        .when(last_shuffle >= begin)
        .then(pl.lit("fresh"))
        .otherwise(pl.lit(""))
    )
    shuffled = shuffles.search_sorted(rounds["last_seq"], side="right").cast(pl.Int64)
    shuffled -= shuffles.search_sorted(day, side="left").cast(pl.Int64)
    return rounds.with_columns(
        shoe=shuffled.cast(pl.Int32), found=found, closed_at=_by_round(rounds.height, closed["ri"], closed["at"])
    )
