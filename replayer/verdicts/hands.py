"""The hands that were played, of seats and bank: their cards, totals and decisions.

Cards and decisions are put together by columns. Where that does not determine a hand's cards (after a split, a removed card, or
hidden cards turned in an unclear order), the game reads the seat's history, as it did to judge it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import polars as pl

from replayer.cards import Card, card_of
from replayer.columns import CARDS, TEXT, is_kind, lies_open
from replayer.engine.histories import HANDS, OF_SEATS, SEAT_KEY, Histories
from replayer.engine.judgements import Judgements
from replayer.engine.reconstruct import Reconstruction
from replayer.engine.removed_from_bank import of_bank
from replayer.engine.round_context import RoundContext
from replayer.engine.rounds import events_at, rows_of, some_at_a_time
from replayer.engine.ruled_column import RuledColumn
from replayer.game import Game
from replayer.laid_cards import LaidCards
from replayer.outcomes import BankOutcome, Counted, Judgement, Outcome, SeatOutcome
from replayer.rules import AnyRules
from replayer.symbols import BANK
from schemas.cards import RANKS, UNKNOWN, UNKNOWN_SUIT

_PLACE: Final = ("ri", "seat", "hand")
_SPAN: Final = ("first_seq", "last_seq", "started_at", "ended_at")
_SUITLESS: Final = [rank + UNKNOWN_SUIT for rank in RANKS]
_ACTS: Final = 1 << 17
"""Cards and decisions processed at a time: more than most batches of table-days have."""
_FEW_TEXTS: Final = pl.Schema(dict.fromkeys(("decisions", "combination", "upcard", "outcome", "result"), TEXT))
"""Columns with few distinct texts: four bytes each until output."""
OF_WAGERS: Final = (*_PLACE, "seq", "kind", "player", "stake_minor", "num")
"""The columns of wagers that are read."""
_MOST_OF_A_RANK: Final = 15
_BY_RANK: Final = {rank: (_MOST_OF_A_RANK + 1) ** place for place, rank in enumerate((*RANKS, UNKNOWN[0]))}
"""The digit of each rank in a number that counts a hand's cards by rank, up to :data:`_MOST_OF_A_RANK` of each."""
_MOST_HIDDEN: Final = 4
"""The most hidden cards in a hand of any game; hands with more are read singly."""


def hands_of(rebuilt: Reconstruction) -> pl.DataFrame:
    """A row for each hand with a card, in the order of rounds, the bank's after the seats': the columns of ``HANDS`` without
    those of the table-day, with ``round`` and sequence numbers stacked."""
    if rebuilt.judged is None:
        return _EMPTY
    game, histories, context = rebuilt.judged.game, rebuilt.judged.histories, rebuilt.judged.context
    fates = _Fates(histories, rebuilt.judged.judgements, context)
    parts = []
    for rows, first, count in some_at_a_time(_acts(rebuilt.events, rebuilt.rounds), rebuilt.rounds.len(), _ACTS):
        acts = _cards_and_decisions(rebuilt.events, rows)
        hands = _with_cards(*_hand_by_hand(acts, game.seat.side_actions), acts, histories, context, game)
        hands = _counted(hands.filter(pl.col("cards") != ""), context, game)
        wagers = rows_of(rebuilt.wagers, first, count)
        hands = _with_stakes(hands, acts, fates.of(first, count), wagers, context, game)
        seated = pl.when(pl.col("seat") != BANK).then(pl.col("seat"))
        round_ = rebuilt.rounds.gather(hands["ri"]).alias("round")
        parts.append(
            hands.with_columns(round_, pl.col("decisions").fill_null(""), seat=seated).drop("ri").cast(_FEW_TEXTS)
        )
    return pl.concat(parts)


def _with_stakes(
    hands: pl.DataFrame,
    acts: pl.DataFrame,
    fates: pl.DataFrame,
    wagers: pl.DataFrame,
    context: RoundContext,
    game: Game,
) -> pl.DataFrame:
    """The hands of some rounds, in order, with the bank's cards, their outcomes and their stakes."""
    bank = hands.filter(pl.col("seat") == BANK).select("ri", bank_cards="cards", bank_total="total")
    return (
        hands.join(bank, on="ri", how="left", maintain_order="left")
        .join(_upcards(acts, game), on="ri", how="left", maintain_order="left")
        .join(fates, on=_PLACE, how="left", maintain_order="left")
        .join(_first_stakes(wagers, context, game), on=_PLACE, how="left", maintain_order="left")
        .join(_bettors(wagers, game), on=["ri", "seat"], how="left", maintain_order="left")
        .sort("ri", pl.col("seat") == BANK, "seat", "hand")
    )


_EMPTY: Final = pl.DataFrame(
    schema={
        "round": pl.Int64,
        **dict.fromkeys(("seat", "hand", "bettors", "cards_count", "total", "upcard_value", "bank_total"), pl.Int32),
        **dict.fromkeys(("player", "cards", "combination", "decisions", "upcard", "bank_cards"), pl.String),
        **dict.fromkeys(("outcome", "result"), pl.String),
        "soft": pl.Boolean,
        **dict.fromkeys(("stake_minor", "first_seq", "last_seq", "started_at", "ended_at"), pl.Int64),
    }
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
    """Cards and decisions of some rounds, with round index, seat (0 for the bank) and hand."""
    bank = pl.coalesce("card_seat", "decision_seat").is_null()
    return events_at(events, acts["row"], _OF_ACTS).select(
        acts["ri"],
        "seq",
        "at",
        "kind",
        seat=pl.coalesce("card_seat", "decision_seat").fill_null(BANK),
        hand=pl.when(~bank).then(pl.coalesce("card_hand", "decision_hand")).fill_null(0),  # the bank has one
        card=pl.col("card_card").cast(CARDS, strict=False).fill_null(UNKNOWN),
        face="card_face",
        action=pl.col("decision_action").cast(pl.String),
    )


def _hand_by_hand(acts: pl.DataFrame, side_actions: frozenset[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The hands by place, with cards as dealt and turned, and decisions; and the seats whose cards this does not determine."""
    card, dealt = pl.col("card"), is_kind("CardDealt")
    half = dealt & card.is_in(_SUITLESS)
    marked = acts.with_columns(
        place=SEAT_KEY * HANDS + pl.col("hand"),
        dealt=dealt,
        turned=is_kind("CardTurned"),
        hidden=dealt & (card == UNKNOWN),
        half=half,
        vague=half | (dealt & (card != UNKNOWN) & (pl.col("face") == "down")),
        removed=is_kind("CardRemoved"),
        plays=is_kind("DecisionTaken") & ~pl.col("action").is_in(sorted(side_actions)),
    )
    hands = (
        marked.sort("place", maintain_order=True)
        .group_by("place", maintain_order=True)
        .agg(
            pl.col(_PLACE).first(),
            pl.col("half", "vague", "removed").any(),
            pl.col("hidden").sum(),
            cards=card.filter("dealt"),
            turned=card.filter("turned"),
            decisions=pl.col("action").filter("plays"),
            first_seq=pl.col("seq").first(),
            last_seq=pl.col("seq").last(),
            started_at=pl.col("at").first(),
            ended_at=pl.col("at").last(),
        )
        .with_columns(
            pl.col("cards").cast(pl.List(pl.String)).list.join(" "),
            pl.col("decisions").list.join(" "),
            shown=pl.col("turned").list.len(),
        )
    )
    shown, hidden = pl.col("shown") > 0, pl.col("hidden") > 0
    doubtful = hidden & shown & (pl.col("vague") | (pl.col("shown") > pl.col("hidden")))
    many = shown & (pl.col("hidden") > _MOST_HIDDEN)
    split = (pl.col("hand") > 0) | pl.col("decisions").str.contains(r"\bsplit\b")
    odd = hands.filter(pl.col("removed") | doubtful | (shown & pl.col("half")) | split | many).select("ri", "seat")
    with_cards = hands.join(
        _opened(hands.filter(shown & hidden)), on="place", how="left", maintain_order="left"
    ).select(*_PLACE, pl.coalesce("opened", "cards").alias("cards"), "decisions", *_SPAN)
    return with_cards, odd.unique().sort("ri", "seat")


def _opened(hands: pl.DataFrame) -> pl.DataFrame:
    """By place the cards of hands in which hidden cards were turned: the first card turned is the first one dealt hidden."""
    cards = pl.col("cards")
    for number in range(_MOST_HIDDEN):
        turned = pl.col("turned").list.get(number, null_on_oob=True).cast(pl.String)
        cards = (
            pl.when(turned.is_not_null() & (pl.col("hidden") > number))
            .then(cards.str.replace(UNKNOWN, turned, literal=True))
            .otherwise(cards)
        )
    return hands.select("place", opened=cards)


def _with_cards(
    hands: pl.DataFrame,
    odd: pl.DataFrame,
    acts: pl.DataFrame,
    histories: Histories,
    context: RoundContext,
    game: Game,
) -> pl.DataFrame:
    """The hands with the cards of ``odd`` seats read singly: those of seats by the game, those of the bank as they were laid."""
    if odd.is_empty():
        return hands
    rows: list[tuple[int, int, int, str]] = []
    seats = odd.filter(pl.col("seat") != BANK)
    keys = seats.select(SEAT_KEY).to_series()
    of_seats = histories.build(OF_SEATS, keys, game) if seats.height else []
    for (ri, seat), history in zip(seats.rows(), of_seats, strict=True):
        number = context.evaluator_numbers[ri]
        if number is not None:
            rules = context.evaluators[number].rules
            rows += [(ri, seat, hand, cards) for hand, cards in enumerate(game.seat.hands(history, rules))]
    banks = acts.join(odd.filter(pl.col("seat") == BANK), on=["ri", "seat"], how="semi", maintain_order="left")
    card = pl.col("card").cast(pl.String)
    laid = banks.group_by("ri", maintain_order=True).agg("kind", card, seen=lies_open("face"))
    rows += [
        (ri, BANK, 0, _laid(zip(kinds, map(card_of, cards), open_, strict=True)))
        for ri, kinds, cards, open_ in laid.iter_rows()
    ]
    read = pl.DataFrame(rows, {"ri": pl.Int64, "seat": pl.Int32, "hand": pl.Int32, "read": pl.String}, orient="row")
    found = hands.join(read, on=_PLACE, how="full", coalesce=True)
    # A hand without a card of its own has the events of its seat.
    without = found.filter(pl.col("first_seq").is_null()).select("ri", "seat").unique()
    own = found.join(without, on=["ri", "seat"], how="semi").group_by("ri", "seat").agg(pl.col(_SPAN).min())
    return found.join(own, on=["ri", "seat"], how="left", suffix="_of_seat").select(
        *_PLACE,
        pl.coalesce("read", "cards").alias("cards"),
        "decisions",
        *(pl.coalesce(name, f"{name}_of_seat") for name in _SPAN),
    )


def _laid(acts: Iterable[tuple[str, Card, bool]]) -> str:
    """The cards left at the end, after dealing, turning and removing cards; each act has a kind, a card and whether it lay
    open."""
    cards: list[Card | None] = []
    places = LaidCards[int]()
    for kind, card, seen in acts:
        if kind == "CardDealt":
            places.lay(card, len(cards), seen=seen)
            cards.append(card)
        elif kind == "CardTurned":
            turned = places.turn(card)
            if turned is not None:
                cards[turned] = card
        elif kind == "CardRemoved":
            taken = places.take(card)
            if taken is not None:
                cards[taken] = None
    return " ".join(str(card) for card in cards if card)


def _counted(hands: pl.DataFrame, context: RoundContext, game: Game) -> pl.DataFrame:
    """The hands with their totals, computed once for hands with equal totals by rule (``SeatLaw.counted``)."""
    cards = pl.col("cards").str.split(" ")
    rank = pl.element().str.slice(0, 1)
    ranks = cards.list.eval(rank.replace_strict(_BY_RANK, return_dtype=pl.Int64)).list.sum().cast(pl.String)
    suits = cards.list.eval(pl.element().str.slice(1, 1)).list.n_unique().cast(pl.String) if game.suited else pl.lit("")
    by_rank = cards.list.len() <= _MOST_OF_A_RANK
    if game.suited:
        by_rank &= ~pl.col("cards").str.contains_any([UNKNOWN_SUIT, UNKNOWN[0]])
    hands = hands.with_columns(
        cards_count=cards.list.len().cast(pl.Int32),
        same=pl.when(by_rank).then(ranks + suits).otherwise("cards"),
        evaluator=pl.lit(context.evaluator_numbers).gather(pl.col("ri")),
    )
    on = ["evaluator", "same"]
    rows = []
    for evaluator, same, some in hands.select(*on, "cards").unique(on, keep="any").rows():
        if evaluator is None:
            total = _total(some, None, game)
        else:
            counted, rules = context.evaluators[evaluator].counted, context.evaluators[evaluator].rules
            total = counted.get(same) or counted.setdefault(same, _total(some, rules, game))
        rows.append((evaluator, same, total.total, total.soft, total.combination))
    schema = {"evaluator": pl.Int64, "same": pl.String, "total": pl.Int32, "soft": pl.Boolean, "combination": pl.String}
    known = pl.DataFrame(rows, schema, orient="row")
    return hands.join(known, on=on, how="left", nulls_equal=True, maintain_order="left").drop(on)


def _total(cards: str, rules: AnyRules | None, game: Game) -> Counted:
    return game.seat.counted([card_of(name) for name in cards.split(" ")], rules)


def _upcards(acts: pl.DataFrame, game: Game) -> pl.DataFrame:
    """By round the bank's first open card, removed cards apart, and its points."""
    at_bank = pl.col("seat") == BANK
    gone = of_bank(acts, "card", "face", at_bank)
    open_ = acts.filter(at_bank & is_kind("CardDealt") & lies_open("face") & ~pl.col("seq").is_in(gone))
    up = open_.group_by("ri", maintain_order=True).agg(upcard=pl.col("card").first().cast(pl.String))
    cards = up["upcard"].unique().to_list()
    values = [game.seat.counted([card_of(card)], None).total for card in cards]
    known = pl.DataFrame({"upcard": cards, "upcard_value": values}, {"upcard": pl.String, "upcard_value": pl.Int32})
    return up.join(known, on="upcard", how="left", maintain_order="left")


class _Fates:
    """The fates of hands, in rounds that can be judged."""

    def __init__(self, histories: Histories, judgements: Judgements, context: RoundContext) -> None:
        def of_seat(outcome: SeatOutcome) -> Sequence[str]:
            return outcome.fates

        def of_bank(outcome: BankOutcome) -> Sequence[str]:
            return [outcome.fate] if outcome.fate else []

        banks = histories.rounds.select("ri", seat=pl.lit(BANK, dtype=pl.Int32))
        self._places = [
            (histories.seats.with_columns(answer=judgements.seats.of_row), _fates(judgements.seats, of_seat)),
            (banks.with_columns(answer=judgements.banks.of_row), _fates(judgements.banks, of_bank)),
        ]
        if any(context.unjudged_reasons):
            judged = pl.lit(pl.Series([not why for why in context.unjudged_reasons])).gather("ri")
            self._places = [(places.filter(judged), fates) for places, fates in self._places]

    def of(self, first: int, count: int) -> pl.DataFrame:
        """By place the fates in ``count`` rounds from ``first`` on."""
        parts = [rows_of(places, first, count).join(fates, on="answer") for places, fates in self._places]
        return pl.concat(parts).drop("answer")


def _fates(judgements: RuledColumn[Judgement[Outcome]], fates: Callable[[Outcome], Sequence[str]]) -> pl.DataFrame:
    """The fate by the number of a judgement and the hand."""
    rows = [
        (number, hand, fate)
        for number, judged in enumerate(judgements.values)
        if judged.value.outcome is not None and not judged.value.unjudged
        for hand, fate in enumerate(fates(judged.value.outcome))
    ]
    return pl.DataFrame(rows, {"answer": pl.Int64, "hand": pl.Int32, "outcome": pl.String}, orient="row")


def _first_stakes(wagers: pl.DataFrame, context: RoundContext, game: Game) -> pl.DataFrame:
    """By place the player, amount and result of the first stake on the hand."""
    kinds = (game.wagers.seat | game.wagers.play) - game.seat.side_actions
    won = (
        pl.when(pl.col("num").is_null())
        .then(None)
        .when(pl.col("ri").is_in(sorted(context.voids)))
        .then(pl.lit("void"))
        .otherwise(pl.col("num").sign().replace_strict([1, 0, -1], ["won", "tied", "lost"], return_dtype=pl.String))
    )
    stakes = wagers.filter(pl.col("kind").is_in(sorted(kinds))).sort("seq")
    return (
        stakes.unique(_PLACE, keep="first", maintain_order=True)
        .select(*_PLACE, "player", "stake_minor", result=won)
        .cast({"seat": pl.Int32, "hand": pl.Int32})
    )


def _bettors(wagers: pl.DataFrame, game: Game) -> pl.DataFrame:
    """By seat the number of players who bet on it."""
    taking = wagers.filter(pl.col("kind").is_in(sorted(game.wagers.seat)))
    bettors = taking.group_by("ri", "seat").agg(bettors=pl.col("player").n_unique())
    return bettors.cast({"seat": pl.Int32, "bettors": pl.Int32})
