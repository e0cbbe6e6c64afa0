"""Divides table-days into rounds, by columns: the events of each round, and the state in which it found the shoe."""

from __future__ import annotations

from typing import Literal

import polars as pl

from replayer.contract.symbols import FoundShoe
from replayer.engine.event_symbols import CARD_KINDS, DONE_TO_CARDS, TAKEN
from replayer.engine.removed_in_columns import dealt_to_rightful_hand
from replayer.engine.rounds import begins_of, by_round, ends_of
from replayer.engine.stacked_days import SPAN, gaps_between_rounds
from replayer.log.columns import cards_of, is_kind, of_kind
from schemas.cards import DECK
from schemas.kinds import SHOE_KINDS


def divide(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rounds of stacked table-days (schema ``FLAT``, ordered by ``seq``), and the events of each.

    Rounds have their index ``ri``, ``round``, ``first_seq``, ``last_seq``, ``started_at``, ``ended_at``, ``shoe`` (the number of
    shuffles so far), ``found`` (the number of a ``FoundShoe``), ``closed_at``.
    Events have their ``row`` in the frame and the ``ri`` of their round.
    """
    inside = _inside_rounds(frame)
    rounds, taken = _rounds(inside), of_kind(inside, TAKEN, "seq", "ri")
    dealt = of_kind(inside, ("CardDealt",), "ri", "seq")
    first_card = by_round(rounds.height, dealt["ri"], dealt["seq"])
    ready = _made_ready(frame, dealt["seq"].sort())
    used = taken if ready.is_empty() else taken.filter(~pl.col("seq").is_in(ready.implode()))
    between = _white_cards_before_a_card(inside, by_round(rounds.height, used["ri"], used["seq"]))
    taken, used = taken.sort("seq"), used.sort("seq")
    rounds = _with_shoes(rounds, frame, inside, first_card, taken["seq"], used["seq"], between)
    return rounds, _handed_on(inside, rounds["first_seq"], used, pl.concat([ready, between]))[["row", "ri"]]


def _inside_rounds(frame: pl.DataFrame) -> pl.DataFrame:
    """The events of rounds, round by round: ``row`` in the frame, ``seq``, ``at``, ``kind``, ``round``, the index ``ri``;
    events of the shoe between two rounds belong to the later one."""
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
    """``ri``, ``round``, and where each round begins and ends, by its own events, without those of the shoe before it."""
    own = inside[["ri", "round", "seq", "at"]].filter(pl.col("round").is_not_null())
    begun = own.filter(begins_of(own["ri"])).rename({"seq": "first_seq", "at": "started_at"})
    return begun.hstack(own.filter(ends_of(own["ri"])).select(last_seq="seq", ended_at="at"))


def _made_ready(frame: pl.DataFrame, dealt: pl.Series) -> pl.Series:
    """The ``seq`` of the cards burned after a shuffle before a card of the new shoe was ``dealt``: such a burn belongs to the
    round dealt from that shoe."""
    burned, shuffles = (of_kind(frame, (kind,), "seq")["seq"] for kind in ("CardBurned", "ShoeShuffled"))
    last_shuffle = _last(shuffles, burned)
    return burned.filter((last_shuffle > _last(dealt, burned)) & (last_shuffle // SPAN == burned // SPAN))


def _last(numbers: pl.Series, before: pl.Series, side: Literal["left", "right"] = "left") -> pl.Series:
    """The last of some numbers, in order, ``before`` each of others, or at it with the side ``right``; -1 where there is none."""
    none = pl.Series([-1], dtype=pl.Int64)
    return pl.concat([none, numbers]).gather(numbers.search_sorted(before, side=side))


def _white_cards_before_a_card(inside: pl.DataFrame, first_taken: pl.Series) -> pl.Series:
    """The ``seq`` of the white cards that came out before any card of their round: such a one belongs to the round that takes the
    next card. ``first_taken`` has the ``seq`` of each round's first card, burns that make a shoe ready apart."""
    whites = of_kind(inside, ("CutCardDrawn",), "seq", "ri")
    return whites["seq"].filter((whites["seq"] < first_taken.gather(whites["ri"])).fill_null(value=True))


def _handed_on(inside: pl.DataFrame, first_seqs: pl.Series, taken: pl.DataFrame, others: pl.Series) -> pl.DataFrame:
    """The same events, with what was done to a shoe from which a round then took no card moved to a later round.

    That is the last round of the day that had begun when the next card was ``taken`` (``seq``, ``ri``). ``others`` are moved like
    it: burns that make a shoe ready, which do not count as taken, and white cards between rounds.
    """
    done = inside.select(pl.arg_where(is_kind(*DONE_TO_CARDS, "CardBurned", "CutCardDrawn"))).to_series()
    moves = is_kind(*DONE_TO_CARDS) | pl.col("seq").is_in(others.implode())
    done = done.filter(inside[["seq", "kind"]][done].select(moves).to_series())
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


def _with_shoes(
    rounds: pl.DataFrame,
    frame: pl.DataFrame,
    inside: pl.DataFrame,
    first_card: pl.Series,
    taken: pl.Series,
    used: pl.Series,
    between: pl.Series,
) -> pl.DataFrame:
    """Add ``shoe``, ``found`` and ``closed_at``.

    ``first_card`` has the ``seq`` of each round's first card, ``taken`` of all cards that left the shoe, ``used`` of those
    except the burns that make a shoe ready, ``between`` of the white cards that came out between rounds.
    """
    last_seq = rounds["last_seq"]
    shuffles, gaps = of_kind(frame, ("ShoeShuffled",), "seq")["seq"], gaps_between_rounds(frame)
    drawn = of_kind(frame, ("CutCardDrawn",), "seq")["seq"]
    in_rounds = drawn.filter(~drawn.is_in(between.implode()))
    behind = _of_their_shoes(used.gather(used.search_sorted(between), null_on_oob=True), between, shuffles, gaps)
    whites = pl.concat([in_rounds, behind, _behind_white_cards(frame, taken, gaps)]).sort()
    closed = of_kind(inside, ("WagersClosed",), "ri", "at")
    begin = inside["seq"].filter(begins_of(inside["ri"]))
    day = begin // SPAN * SPAN  # where the round's table-day begins: what was before is another table's
    # Cards are made ready before a round: a shuffle after its first card does not count. What that shuffle requires is checked
    # within the round; the next round goes on with those cards.
    first_card = first_card.fill_null(last_seq)
    last_shuffle, last_gap = _last(shuffles, first_card, "right"), _last(gaps, begin, "right")
    last_white, last_taken = _last(whites, begin), _last(used, begin)
    found = (
        pl.when((last_shuffle < day) & (last_gap < day))
        .then(pl.lit(FoundShoe.UNSHUFFLED))
        .when((last_white > last_shuffle) & (last_white > last_gap) & (last_white > day))
        .then(pl.lit(FoundShoe.WHITE_CARD_OUT))
        .when((last_shuffle > last_taken) & (last_shuffle > day))  # and if rounds without a card lie between
        .then(pl.lit(FoundShoe.FRESH))
        .otherwise(pl.lit(FoundShoe.USED))
    )
    shuffled = shuffles.search_sorted(last_seq, side="right").cast(pl.Int32)
    shuffled -= shuffles.search_sorted(day, side="left").cast(pl.Int32)
    return rounds.with_columns(
        shoe=shuffled, found=found, closed_at=by_round(rounds.height, closed["ri"], closed["at"])
    )


def _behind_white_cards(frame: pl.DataFrame, taken: pl.Series, gaps: pl.Series) -> pl.Series:
    """The ``seq`` of each card taken that lay right behind a white card: that one was out by then, whether or not the log says
    so."""
    shuffled = of_kind(frame, ("ShoeShuffled",), "seq", "shoe_decks").with_columns(shuffled="seq")
    put = of_kind(frame, ("CutCardPlaced",), "seq", "shoe_behind").join_asof(shuffled, on="seq").drop_nulls()
    put = put.filter(pl.col("shuffled") // SPAN == pl.col("seq") // SPAN)
    if put.height and frame.select(is_kind("CardRemoved").any()).item():
        # A card that goes on to its rightful hand left the shoe once.
        taken = taken.filter(~taken.is_in(dealt_to_rightful_hand(cards_of(frame, *CARD_KINDS))))
    first, later = (taken.search_sorted(put[column]).cast(pl.Int64) for column in ("shuffled", "seq"))
    number = pl.max_horizontal(first + len(DECK) * put["shoe_decks"] - put["shoe_behind"], later)
    put = put.with_columns(card=taken.gather(pl.select(number).to_series(), null_on_oob=True)).drop_nulls()
    return _of_their_shoes(put["card"], put["shuffled"], shuffled["seq"], gaps)


def _of_their_shoes(cards: pl.Series, since: pl.Series, shuffles: pl.Series, gaps: pl.Series) -> pl.Series:
    """Those of the ``seq`` of ``cards``, null for none, that are of the day, the shoe and the stretch of the log of the ``seq``
    beside them."""
    known, since = cards.drop_nulls(), since.filter(cards.is_not_null())
    of_a_shoe = shuffles.search_sorted(known, side="right") == shuffles.search_sorted(since, side="right")
    unbroken = gaps.search_sorted(known, side="right") == gaps.search_sorted(since, side="right")
    return known.filter((known // SPAN == since // SPAN) & of_a_shoe & unbroken)
