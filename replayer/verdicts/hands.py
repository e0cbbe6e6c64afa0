"""The hands that were played, of seats and bank: their cards, totals and decisions.

Cards and decisions are put together by columns. Where that does not determine a hand's cards (after one was made of another, a
card removed, or hidden cards turned in an unclear order), the game reads the seat's history, as it did to judge it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import polars as pl

from replayer.contract.cards import NOT_KNOWN, Card, card_of
from replayer.contract.game import Game
from replayer.contract.symbols import BANK
from replayer.engine.distinct_values import Numbered
from replayer.engine.histories import OF_SEATS, SEAT_KEY, SEATS, Subject
from replayer.engine.packed_events import HANDS, part_of
from replayer.engine.reconstruct import Reconstruction
from replayer.engine.removed_cards import cards_left
from replayer.engine.removed_in_columns import taken_away_in_rounds
from replayer.engine.round_context import JudgedDays
from replayer.engine.rounds import begins_of, ends_of, events_at, rows_of, some_at_a_time
from replayer.log.columns import CARDS, TEXT, by_number, is_kind, is_wager, lies
from replayer.verdicts.tables import TABLES
from schemas.cards import RANKS, SUITS, UNKNOWN, UNKNOWN_SUIT

_PLACE: Final = (SEAT_KEY * HANDS + pl.col("hand")).alias("place")
"""A hand's round, seat and number in one integer."""
_PLACED: Final = pl.col("place")
_KEY: Final = (_PLACED // HANDS).alias("key")
_RI: Final = _KEY // SEATS
_SEAT: Final = (_KEY % SEATS).cast(pl.Int32)
_HAND: Final = (_PLACED % HANDS).cast(pl.Int32)
"""What that integer tells: the seat's key (:data:`SEAT_KEY`), the round, the seat and the number of the hand."""
_FIRST: Final = pl.col("first_seq").arg_min()
_LAST: Final = pl.col("last_seq").arg_max()
_SPAN: Final = {"first_seq": _FIRST, "last_seq": _LAST, "started_at": _FIRST, "ended_at": _LAST}
"""A hand's first and last event, and which of those of a seat's hands is the seat's."""
_SUITLESS: Final = [rank + UNKNOWN_SUIT for rank in RANKS]
_ACTS: Final = 1 << 17
"""Cards and decisions processed at a time: more than most batches of table-days have."""
_FEW_TEXTS: Final = pl.Schema(dict.fromkeys(("decisions", "combination", "upcard", "outcome", "result"), TEXT))
"""Columns with few distinct texts: four bytes each until output."""
OF_WAGERS: Final = ("ri", "seat", "hand", "seq", "kind", "player", "bettor", "stake_minor", "num")
"""The columns of wagers that are read."""
_MOST_HIDDEN: Final = 4
"""The most hidden cards in a hand of any game; hands with more are read singly."""


def hands_of(rebuilt: Reconstruction) -> pl.DataFrame:
    """A row for each hand with a card, in the order of rounds, the bank's after the seats': the columns of ``HANDS`` without
    those of the table-day, with ``round`` and sequence numbers stacked."""
    if rebuilt.judged is None:
        return TABLES["hands"].to_frame()
    judged, game = rebuilt.judged, rebuilt.judged.game
    fates = _fates(judged)
    parts = []
    for rows, first, count in some_at_a_time(_acts(rebuilt.events, rebuilt.rounds), rebuilt.rounds.len(), _ACTS):
        acts = _cards_and_decisions(rebuilt.events, rows)
        banks = acts.filter(_SEAT == BANK).with_columns(ri=_RI, card_seat=pl.lit(None, dtype=pl.Int32))
        happened = judged.histories.between(Subject.SEAT, first * SEATS, (first + count) * SEATS)
        hands = _with_cards(*_hand_by_hand(acts, happened, game), banks, judged)
        bank_last = _PLACED + pl.when(_SEAT == BANK).then(SEATS * HANDS).otherwise(0)
        with_cards = hands.filter(pl.col("cards").list.len() > 0).sort(bank_last)
        placed = with_cards.with_columns(ri=_RI, seat=_SEAT, hand=_HAND)
        wagers = rows_of(rebuilt.wagers, first, count)
        counted = _counted(placed, judged).with_columns(_as_text("cards"))
        outcomes = [rows_of(places, first, count).join(known, on="judgement") for places, known in fates]
        hands = _with_stakes(counted, banks, pl.concat(outcomes).select("outcome", _PLACE), wagers, judged)
        seated = pl.when(pl.col("seat") != BANK).then(pl.col("seat"))
        round_ = rebuilt.rounds.gather(hands["ri"]).alias("round")
        of_hands = hands.with_columns(round_, pl.col("decisions").fill_null(""), seat=seated)
        parts.append(of_hands.drop("ri", "place", "key").cast(_FEW_TEXTS))
    return pl.concat(parts)


def _with_stakes(
    hands: pl.DataFrame, banks: pl.DataFrame, outcomes: pl.DataFrame, wagers: pl.DataFrame, judged: JudgedDays
) -> pl.DataFrame:
    """The hands of some rounds, in order, with the bank's cards, their outcomes and their stakes."""
    first = hands.filter(pl.col("seat") == BANK, pl.col("hand") == 0)
    bank = first.select("ri", bank_cards="cards", bank_total="total")
    return (
        hands.with_columns(_KEY)
        .join(bank, on="ri", how="left", maintain_order="left")
        .join(_upcards(banks, judged.game), on="ri", how="left", maintain_order="left")
        .join(outcomes, on="place", how="left", maintain_order="left")
        .join(_first_stakes(wagers, judged), on="place", how="left", maintain_order="left")
        .join(_bettors(wagers, judged.game), on="key", how="left", maintain_order="left")
    )


def _acts(events: pl.DataFrame, rounds: pl.Series) -> pl.DataFrame:
    """The rows of every card and decision of a round, round by round, with the index of the round."""
    kinds = is_kind("CardDealt", "CardTurned", "CardRemoved", "DecisionTaken")
    numbered = events.select("kind", "round", row=pl.int_range(pl.len(), dtype=pl.UInt32))
    found = numbered.filter(kinds & pl.col("round").is_not_null())
    acts = found.select("row", ri=rounds.search_sorted(found["round"]).cast(pl.Int64))
    return acts if acts["ri"].is_sorted() else acts.sort("ri", "row")


_OF_ACTS: Final = (
    *("seq", "at", "kind", "card_seat", "card_hand", "card_card", "card_face"),
    *("decision_seat", "decision_hand", "decision_action"),
)


def _cards_and_decisions(events: pl.DataFrame, acts: pl.DataFrame) -> pl.DataFrame:
    """Cards and decisions of some rounds, by place."""
    seat = pl.coalesce("card_seat", "decision_seat")
    hand = pl.coalesce("card_hand", "decision_hand")
    hand = pl.when(seat.is_not_null()).then(hand).fill_null(0)
    read = events_at(events, acts["row"], _OF_ACTS).with_columns(acts["ri"], seat=seat.fill_null(BANK), hand=hand)
    named = pl.col("card_card").cast(CARDS, strict=False).fill_null(UNKNOWN)
    placed = read.select("seq", "at", "kind", "card_face", _PLACE, card_card=named, action="decision_action")
    return by_number(placed, "place")


def _hand_by_hand(acts: pl.DataFrame, happened: pl.DataFrame, game: Game) -> tuple[pl.DataFrame, pl.Series]:
    """The hands by place, with cards as dealt, separated and turned, and decisions; and the keys of seats whose cards this leaves
    open. ``happened`` is all that happened at the seats."""
    begins, ends = begins_of(acts["place"]), ends_of(acts["place"])
    first = acts.select("place", first_seq="seq", started_at="at").filter(begins)
    last = acts.select(last_seq="seq", ended_at="at").filter(ends)
    plays = acts.filter(is_kind("DecisionTaken") & ~pl.col("action").is_in(sorted(game.actions.aside)))
    decisions = _by_place(plays, "action").select("place", _as_text("action").alias("decisions"))
    unusual = _unusual(acts)
    shown, hidden = pl.col("turned"), pl.col("hidden")
    doubtful = (hidden > 0) & (pl.col("vague") | (shown > hidden))
    unclear = unusual.filter(pl.col("removed") | ((shown > 0) & (doubtful | pl.col("half") | (hidden > _MOST_HIDDEN))))
    separating = acts.select(pl.arg_where(pl.col("action").is_in(sorted(game.actions.separating)))).to_series()
    unnamed = unusual.filter(pl.col("half") | (hidden > 0))["place"]
    place, not_told = separated(acts, separating, unnamed, happened)
    lying = pl.DataFrame([place, acts["card_card"].alias("cards")]).filter(
        acts.select(is_kind("CardDealt")).to_series()
    )
    cards = _by_place(by_number(lying, "place"), "cards")
    opened = _opened(acts, unusual["place"].filter(unusual.select((shown > 0) & (hidden > 0)).to_series()))
    hands = (
        first.hstack(last)
        .join(cards, on="place", how="left", maintain_order="left")
        .join(opened, on="place", how="left", maintain_order="left")
        .join(decisions, on="place", how="left", maintain_order="left")
    )
    odd = pl.concat([unclear["place"] // HANDS, not_told])
    cards_known = hands.select("place", pl.coalesce("opened", "cards").alias("cards"), "decisions", *_SPAN)
    return cards_known, odd.unique().sort()


def separated(
    acts: pl.DataFrame, separating: pl.Series, unnamed: pl.Series, happened: pl.DataFrame
) -> tuple[pl.Series, pl.Series]:
    """The place of each act, at which the last of two cards goes to the seat's next hand where hands were separated; and the keys
    of the seats of which columns do not tell whose the cards are.

    ``separating`` are the rows of decisions to make two hands of one (``Actions.separating``), ``unnamed`` the places with a card
    that was not fully named when dealt, ``happened`` is all that happened at the seats. A seat is clear where its cards are
    named, each decision is on two cards, and its further hands are those that decisions make: each has a card or a decision,
    and the first that happens at it comes after its decision and before the next one.
    """
    further = happened.filter(part_of("hand") > 0).select("seq", further=pl.col("key") * HANDS + part_of("hand"))
    if separating.is_empty():
        return acts["place"], further["further"] // HANDS
    begun = further.group_by("further").agg(begun=pl.col("seq").min())
    place, rows = acts["place"].to_numpy(), separating.to_numpy()
    dealt = acts.select(pl.arg_where(is_kind("CardDealt"))).to_series().to_numpy()
    before = np.searchsorted(dealt, rows)
    own = before - np.searchsorted(dealt, np.searchsorted(place, place[rows]))
    given = np.arange(len(rows)) - np.searchsorted(place[rows], place[rows])  # to further hands before
    made = (
        acts[["seq", "place"]][rows]
        .with_columns(_KEY, card=pl.Series(np.insert(dealt, 0, 0)[before]), held=pl.Series(own - given) + (_HAND > 0))
        .sort("key", "seq")
        .with_columns(number=pl.int_range(1, pl.len() + 1).over("key"), next=pl.col("seq").shift(-1).over("key"))
        .with_columns(further=pl.col("key") * HANDS + pl.col("number"))
        .join(begun, on="further", how="left", maintain_order="left")
    )
    acted = made["further"].is_in(acts["place"].filter(acts["place"] % HANDS > 0).implode())
    clear = acted & (made["held"] == 2) & ~made["key"].is_in((unnamed // HANDS).implode())
    in_time = (pl.col("begun") > pl.col("seq")) & (pl.col("begun") < pl.col("next")).fill_null(value=True)
    clear &= made.select(in_time.fill_null(value=False)).to_series()
    not_made = begun.join(made, on="further", how="anti")["further"] // HANDS
    unclear = pl.concat([not_made, made["key"].filter(~clear)])
    known = made.filter(~pl.col("key").is_in(unclear.implode()))
    return acts["place"].scatter(known["card"], known["further"]), unclear


def _by_place(acts: pl.DataFrame, column: str) -> pl.DataFrame:
    """The values of a column of each place, in order."""
    return acts.group_by("place", maintain_order=True).agg(column)


def _as_text(column: str) -> pl.Expr:
    """The names in a column of lists, with blanks between them."""
    return pl.col(column).cast(pl.List(pl.String)).list.join(" ")


def _unusual(acts: pl.DataFrame) -> pl.DataFrame:
    """By place what was dealt hidden, turned, removed, or not fully named."""
    card, dealt = pl.col("card_card"), is_kind("CardDealt")
    of_hand = acts.with_columns(
        turned=is_kind("CardTurned"),
        hidden=dealt & (card == UNKNOWN),
        open=dealt & (card == UNKNOWN) & ~lies("down"),
        half=dealt & card.is_in(_SUITLESS),
        covered=dealt & (card != UNKNOWN) & (pl.col("card_face") == "down"),
        removed=is_kind("CardRemoved"),
    ).filter(pl.any_horizontal("turned", "hidden", "half", "covered", "removed"))
    return of_hand.group_by("place", maintain_order=True).agg(
        pl.col("half", "removed").any(),
        pl.col("hidden", "turned").sum(),
        vague=pl.any_horizontal(
            pl.col("half", "covered").any(), pl.col("open").any() & (pl.col("hidden") & ~pl.col("open")).any()
        ),
    )


def _opened(acts: pl.DataFrame, places: pl.Series) -> pl.DataFrame:
    """By place the cards of hands in which hidden cards were turned: the first card turned is the first one dealt hidden."""
    of_hands, unnamed = acts.filter(_PLACED.is_in(places.implode())), pl.col("card_card") == UNKNOWN
    nth = pl.int_range(pl.len()).over("place")
    dealt = of_hands.filter(is_kind("CardDealt"))
    hidden = dealt.filter(unnamed).select("seq", "place", nth=nth)
    turned = of_hands.filter(is_kind("CardTurned") & ~unnamed).select("place", nth=nth, turned="card_card")
    shown = hidden.join(turned, on=["place", "nth"]).select("seq", "turned")
    cards = dealt.join(shown, on="seq", how="left", maintain_order="left")
    return _by_place(cards.select("place", opened=pl.coalesce("turned", "card_card")), "opened")


def _with_cards(hands: pl.DataFrame, odd: pl.Series, banks: pl.DataFrame, judged: JudgedDays) -> pl.DataFrame:
    """The hands with the cards of ``odd`` seats read singly: those of seats by the game, those of the bank as they were laid."""
    if odd.is_empty():
        return hands
    rows: list[tuple[int, Sequence[Card]]] = []
    seats = odd.filter(odd % SEATS != BANK)
    of_seats = judged.histories.build(OF_SEATS, seats, judged.game) if seats.len() else []
    for key, history in zip(seats, of_seats, strict=True):
        number = judged.context.evaluator_numbers[key // SEATS]
        if number is not None:
            own = judged.game.seat.hands(history, judged.context.evaluators[number].rules)
            rows += enumerate(own[:HANDS], key * HANDS)  # what follows has no letter
    of_banks = banks.filter(_KEY.is_in(odd.implode()))
    laid = of_banks.group_by("place", maintain_order=True).agg("seq", "kind", "card_card", hidden=lies("down"))
    rows += [
        (place, cards_left(zip(seqs, kinds, map(card_of, cards), hidden, strict=True)))
        for place, seqs, kinds, cards, hidden in laid.rows()
    ]
    # A frame of lists takes many times as long to make as one of cards.
    named = [(place, card and str(card)) for place, cards in rows for card in cards or (None,)]
    read = pl.DataFrame(named, {"place": pl.Int64, "read": CARDS}, orient="row")
    read = read.group_by("place", maintain_order=True).agg(pl.col("read").drop_nulls())
    is_odd = hands.select(_KEY.is_in(odd.implode())).to_series()
    found = hands.filter(is_odd).join(read, on="place", how="full", coalesce=True)
    # A hand without a card or decision of its own has the events of its seat, from the first to the last.
    of_seat = (pl.col(name).fill_null(pl.col(name).get(row).over(_KEY)) for name, row in _SPAN.items())
    found = found.select("place", pl.coalesce("read", "cards").alias("cards"), "decisions", *of_seat)
    return pl.concat([hands.filter(~is_odd), found])


_NAMED: Final = [card_of(name) for name in CARDS.categories.to_list()]
"""The cards by their numbers in a column of cards."""
_MOST_OF_A_RANK: Final = 15
_RANKS: Final = (*RANKS, NOT_KNOWN)
_BY_RANK: Final = np.array([(_MOST_OF_A_RANK + 1) ** _RANKS.index(card.rank) for card in _NAMED], np.int64)
"""By card the digit of its rank in a number that counts a hand's cards by rank, up to :data:`_MOST_OF_A_RANK` of each."""
_SUITS_AT: Final = np.int64((_MOST_OF_A_RANK + 1) ** len(_RANKS))
"""The digit of the number of suits, beside those of the ranks."""
_NOT_KNOWN: Final = 1 << len(SUITS)
_BY_SUIT: Final = np.array([1 << SUITS.index(c.suit) if c.suit in SUITS else _NOT_KNOWN for c in _NAMED], np.int64)
"""By card the bit of its suit; the highest says that the suit is not known."""


def _counted(hands: pl.DataFrame, judged: JudgedDays) -> pl.DataFrame:
    """The hands with their totals, computed once for hands with equal totals by rule (``SeatLaw.counted``)."""
    game, context = judged.game, judged.context
    same, count = _same_totals(hands["cards"], suited=bool(game.bank.suited))
    hands = hands.with_columns(
        cards_count=count.cast(pl.Int32), same=same, evaluator=pl.lit(context.evaluator_numbers).gather(pl.col("ri"))
    )
    on = ["evaluator", "same"]
    totals = []
    known = hands.select(*on, row=pl.int_range(pl.len())).unique(on, keep="any")
    for of_evaluator, number, row in known.iter_rows():
        evaluator = None if of_evaluator is None else context.evaluators[of_evaluator]
        total = None if evaluator is None else evaluator.counted.get(number)
        if total is None:
            cards = [card_of(name) for name in hands["cards"][row]]
            total = game.seat.counted(cards, evaluator and evaluator.rules)
            if evaluator is not None and number >= 0:
                evaluator.counted[number] = total
        totals.append(total)
    known = known.select(
        *on,
        total=pl.Series([one.total for one in totals], dtype=pl.Int32),
        soft=pl.Series([one.soft for one in totals], dtype=pl.Boolean),
        combination=pl.Series([one.combination for one in totals], dtype=pl.String),
    )
    return hands.join(known, on=on, how="left", nulls_equal=True, maintain_order="left").drop(on)


def _same_totals(hands: pl.Series, *, suited: bool) -> tuple[pl.Series, pl.Series]:
    """For each hand, a list of cards, a number that is equal where totals are by rule (below zero where only equal cards are sure
    to have the same) and the number of its cards."""
    count = hands.list.len().cast(pl.Int64)
    if hands.is_empty():
        return count, count
    cards = hands.explode().to_physical().to_numpy()
    begins = (count.cum_sum() - count).to_numpy()
    same = np.add.reduceat(_BY_RANK[cards], begins)
    singly = (count > _MOST_OF_A_RANK).to_numpy()
    if suited:
        suits = np.bitwise_or.reduceat(_BY_SUIT[cards], begins)
        same += _SUITS_AT * np.bitwise_count(suits)
        singly = singly | (suits >= _NOT_KNOWN)
    numbers = pl.Series(same)
    if singly.any():
        rows, equal = pl.Series(singly).arg_true(), Numbered[tuple[str, ...]]()
        numbers = numbers.scatter(rows, [-1 - equal.number(tuple(each)) for each in hands.gather(rows).to_list()])
    return numbers, count


def _upcards(banks: pl.DataFrame, game: Game) -> pl.DataFrame:
    """By round the bank's first open card, removed cards apart, and its points."""
    gone = list(taken_away_in_rounds(banks))
    open_ = banks.filter(is_kind("CardDealt") & lies("up") & ~pl.col("seq").is_in(gone))
    up = open_.select("ri", upcard="card_card").filter(begins_of(open_["ri"]))
    cards = up["upcard"].unique()
    values = [game.seat.counted([card_of(card)], None).total for card in cards]
    known = pl.DataFrame([cards, pl.Series("upcard_value", values, pl.Int32)])
    return up.join(known, on="upcard", how="left", maintain_order="left").cast({"upcard": pl.String})


def _fates(judged: JudgedDays) -> list[tuple[pl.DataFrame, pl.DataFrame]]:
    """The seats, and the banks, of rounds that can be judged, each with its judgement; and the fates of their hands."""
    judgements, unjudged = judged.judgements, judged.context.unjudged_reasons
    seats = (each.value.outcome for each in judgements.seats.values)
    banks = (each.value.outcome for each in judgements.banks.values)
    of_rounds = judged.histories.rounds.select("ri", seat=pl.lit(BANK, dtype=pl.Int32))
    places = [
        (
            judged.histories.seats.with_columns(judgement=judgements.seats.of_row),
            _by_hand(outcome.fates if outcome else () for outcome in seats),
        ),
        (
            of_rounds.with_columns(judgement=judgements.banks.of_row),
            _by_hand((outcome.fate,) if outcome else () for outcome in banks),
        ),
    ]
    whole = pl.lit(pl.Series([not why for why in unjudged], dtype=pl.Boolean)).gather("ri")
    return [(rows.filter(whole), fates) for rows, fates in places] if any(unjudged) else places


def _by_hand(fates: Iterable[Sequence[str | None]]) -> pl.DataFrame:
    """The fate, where known, by the number of a judgement and the hand."""
    rows = [
        (number, hand, fate) for number, own in enumerate(fates) for hand, fate in enumerate(own) if fate is not None
    ]
    return pl.DataFrame(rows, {"judgement": pl.Int64, "hand": pl.Int32, "outcome": pl.String}, orient="row")


def _first_stakes(wagers: pl.DataFrame, judged: JudgedDays) -> pl.DataFrame:
    """By place the player, amount and result of the first stake on the hand: of the first base wager, where there is one."""
    game = judged.game
    kinds = (game.wagers.seat | game.wagers.play) - game.actions.aside
    won = (
        pl.when(pl.col("num").is_null())
        .then(None)
        .when(pl.col("ri").is_in(sorted(judged.context.voids)))
        .then(pl.lit("void"))
        .otherwise(pl.col("num").sign().replace_strict([1, 0, -1], ["won", "tied", "lost"], return_dtype=pl.String))
    )
    stakes = wagers.filter(is_wager(kinds)).sort("seq").with_columns(_PLACE)
    base = stakes.select(is_wager(game.wagers.base)).to_series()
    first = pl.concat([stakes.filter(base), stakes.filter(~base)]).filter(_PLACED.is_first_distinct())
    return first.select("player", "stake_minor", "place", result=won)


def _bettors(wagers: pl.DataFrame, game: Game) -> pl.DataFrame:
    taking = wagers.filter(is_wager(game.wagers.seat))
    return taking.group_by(SEAT_KEY).agg(bettors=pl.col("bettor").n_unique().cast(pl.Int32))
