"""Checks whether the cards that the log names can be: whether the shoe can have held all of them, and whether a card turned or
taken away was dealt there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import polars as pl

from replayer.contract.cards import UNNAMED, card_of
from replayer.contract.outcomes import Breach
from replayer.engine.event_symbols import CARD_KINDS
from replayer.engine.histories import Subject
from replayer.engine.judgements import NotedBreach
from replayer.engine.removed_in_columns import dealt_to_rightful_hand
from replayer.engine.round_context import JudgedDays
from replayer.engine.stacked_days import SPAN, FindingOfDay, finding_at, gaps_between_rounds
from replayer.integrity.inspection import Log
from replayer.law.codes import BANK_CARD_ABSENT, CARD_ABSENT
from replayer.log.columns import CARD_NUMBER, HAS_SUIT, NAMED_CARDS, RANK_NUMBER, cards_of, is_kind, lies, of_kind
from schemas.cards import DECK, RANKS, SUITS
from schemas.finding import of_integrity, of_procedure
from schemas.plural import plural

SHOE_EMPTIED: Final = of_procedure("SHOE_EMPTIED", "A shoe dealt to its last card, shuffled off the log")
CARD_IMPOSSIBLE: Final = of_integrity("CARD_IMPOSSIBLE", "More copies of a card than the shoe holds")


class ShoeInUse(NamedTuple):
    """The options for cards shuffled from ``begin`` on: the number of decks, None where no law judges the table-day, and whether
    used cards go back after each round."""

    begin: int
    decks: int | None
    refilled: bool = False


def findings_on_shoes(logs: Sequence[Log], events: pl.DataFrame, judged: JudgedDays) -> Iterator[FindingOfDay]:
    """The findings on the shoes, by the options elected at each table."""
    shoes = _shoes_in_use(len(logs), judged)
    if all(shoe.decks is None for shoe in shoes):
        return
    for seq, round_, message in too_many_cards(events, shoes):
        yield finding_at(logs, CARD_IMPOSSIBLE, seq, message, round_=round_)
    for begin, decks, refilled in shoes:
        day, within = divmod(begin, SPAN)
        if within or refilled or decks is None:
            continue
        own, shuffles = logs[day].events, (logs[day].events["kind"] == "ShoeShuffled").arg_true()
        before_any_shuffle = own if shuffles.is_empty() else own.head(shuffles[0])
        for seq, round_, message in emptied_shoes(before_any_shuffle, decks):
            at = None if round_ is None else round_ + day * SPAN
            yield finding_at(logs, SHOE_EMPTIED, seq + day * SPAN, message, round_=at)


def _shoes_in_use(days: int, judged: JudgedDays) -> list[ShoeInUse]:
    """The shoes that rounds were dealt from, each with its options; a shuffle after a round has begun serves the next round. Each
    table-day has periods of its own."""
    shoes = {day * SPAN: ShoeInUse(day * SPAN, None) for day in range(days)}
    periods = judged.context.periods
    with_rules = [number for number, period in enumerate(periods.values) if period.rules is not None]
    rounds = judged.histories.rounds.select(seq="first_seq", period=periods.of_row).sort("seq")
    rounds = rounds.filter(pl.col("period").is_in(with_rules)).with_columns(begun=pl.col("seq").shift())
    options = None
    for seq, period, begun in rounds.filter(pl.col("period").diff().fill_null(1) != 0).iter_rows():
        begin = max(seq // SPAN * SPAN, 0 if begun is None else begun + 1)
        own = periods.values[period].rules
        if own is not None and (begin in shoes or own.options is not options):
            options = own.options
            shoes[begin] = ShoeInUse(begin, options.decks, options.refilled)
    return sorted(shoes.values())


def too_many_cards(events: pl.DataFrame, shoes: Sequence[ShoeInUse]) -> Iterator[tuple[int, int | None, str]]:
    """Cards of which more came out than the decks hold since the last shuffle (per round where used cards go back at once), or
    since a gap between two rounds, which may hide a shuffle.

    ``events`` are stacked table-days; ``shoes`` are in order, and each table-day begins with one. Where the log has no shuffle,
    the elected decks apply, and only to single rounds; a card burned between two counts in the one dealt next. These count
    once: a card dealt hidden and turned later, one taken back and given to its rightful hand, and one of the bank that stays the
    shoe's next card. A card of unknown suit counts for its rank, four times the decks. Gives the stacked ``seq`` and ``round``,
    and the message.
    """
    cards = _known_cards(events)
    if cards.is_empty():
        return
    piles = _piles(events, shoes)
    pile = piles["begin"].search_sorted(cards["seq"], side="right").cast(pl.Int64) - 1
    within = pl.when(piles["alone"].gather(pile)).then("round").otherwise(-1)
    cards = cards.with_columns(pile=pile, within=within)
    if (cards["within"] == _BETWEEN).any():
        next_round = pl.when(pl.col("within") != _BETWEEN).then("within").backward_fill().over("pile")
        cards = cards.sort("seq").with_columns(within=next_round.fill_null(_BETWEEN))
    parts = [too_many for some in _some_ranks(cards) if (too_many := _too_many(some, piles["decks"]))]
    if not parts:
        return
    for of_one, (number, names) in zip(map(pl.concat, zip(*parts, strict=True)), _NAMES, strict=True):
        some = cards.join(of_one.select(_PILE).unique(), on=_PILE, how="semi")
        same = some.with_columns(name=number).join(of_one, on=_PILE_AND_NAME).sort(*_PILE_AND_NAME, "seq")
        beyond = same.filter(pl.int_range(pl.len()).over(_PILE_AND_NAME) >= pl.col("allowed"))
        for row in beyond.iter_rows(named=True):
            since = "in this round" if row["within"] >= 0 else _since(*piles.row(row["pile"])[:2])
            decks = plural(row["decks"], "deck has", "decks have")
            message = f"{row['count']} of {names[row['name']]} {since}: {decks} {row['allowed']}"
            yield row["seq"], None if row["round"] < 0 else row["round"], message


def _piles(events: pl.DataFrame, shoes: Sequence[ShoeInUse]) -> pl.DataFrame:
    """The piles of cards, from each of which no more can come out than its ``decks`` hold: where it begins (``begin``,
    ``why``), and whether it renews with each round (``alone``). After a gap another pile begins, with the decks of the one
    before."""
    begins, elected, refilled = map(pl.Series, zip(*shoes, strict=True))
    days = (begins % SPAN == 0).arg_true()
    shuffles = of_kind(events, ("ShoeShuffled",), "seq", "shoe_decks")
    shoe = begins.search_sorted(shuffles["seq"], side="right").cast(pl.Int64) - 1
    decks = elected.cast(pl.Int64).gather(shoe)
    held = shuffles["shoe_decks"].cast(pl.Int64).zip_with(decks.is_not_null(), decks).fill_null(decks)
    piles = pl.concat(
        pl.DataFrame(dict(zip(_PILES, begun, strict=True)), _PILES)
        for begun in (
            (gaps_between_rounds(events), _GAP, None, None),
            (begins.gather(days), _BEGUN, elected.gather(days), True),
            (shuffles["seq"], _SHUFFLED, held, refilled.gather(shoe)),
        )
    )
    piles = piles.unique("begin", keep="last", maintain_order=True).sort("begin")
    own = pl.when(pl.col("why") != _GAP).then(pl.int_range(pl.len())).forward_fill()
    return piles.with_columns(pl.col("decks", "alone").gather(own))


_PILES: Final = pl.Schema({"begin": pl.Int64, "why": pl.Int32, "decks": pl.Int64, "alone": pl.Boolean})
_GAP, _BEGUN, _SHUFFLED = range(3)


def _since(begin: int, why: int) -> str:
    if why == _GAP:
        return f"since seq {begin % SPAN}, before which events are missing"
    return f"since the shuffle at seq {begin % SPAN}" if why == _SHUFFLED else ""


def _some_ranks(cards: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The cards, a few ranks at a time where they are many: counting them takes several times their memory."""
    parts = 1 + cards.height // _CARDS_AT_A_TIME
    if parts == 1:
        yield cards
        return
    for part in range(min(parts, len(RANKS))):
        yield cards.filter(RANK_NUMBER % parts == part)


def _too_many(cards: pl.DataFrame, held: pl.Series) -> list[pl.DataFrame]:
    """The cards, and the ranks, of which a pile has too many, or nothing; ``held`` are the decks of each pile."""
    counts = cards.group_by(*_PILE, "card").len("count").with_columns(decks=pl.lit(held).gather("pile"))
    # If no card of a rank is there too often, neither is the rank.
    if not (counts["count"] > counts["decks"]).any() and counts.select(HAS_SUIT.all()).item():
        return []
    by_card = counts.lazy()
    by_rank = by_card.group_by(*_PILE, name=RANK_NUMBER).agg(pl.col("count").sum(), pl.col("decks").first())
    return pl.collect_all(
        counts.with_columns(allowed=pl.col("decks") * copies)
        .filter(pl.col("count") > pl.col("allowed"))
        .select(*_PILE_AND_NAME, "count", "decks", "allowed")
        for counts, copies in ((by_card.filter(HAS_SUIT).with_columns(name=CARD_NUMBER), 1), (by_rank, len(SUITS)))
    )


def emptied_shoes(events: pl.DataFrame, decks: int) -> Iterator[tuple[int, int | None, str]]:
    """The places where a log without shuffles shows that the shoe was dealt to its last card; ``events`` are of one table-day.

    A stretch of cards ends before the one that would be a copy too many. If it then holds every card of the shoe, the cards were
    shuffled right there: independent cards come out so with a probability of 52!/52^52, below 10^-21, for one deck, and less for
    more. Gives ``seq`` and ``round`` of the first card of the next stretch, and the message.
    """
    if events.height <= len(DECK) * decks:  # most logs begin with a shuffle
        return
    cards = _known_cards(events).filter(HAS_SUIT).sort("seq")
    counts: Counter[int] = Counter()
    begin, last_round = None, None
    for seq, round_, card in cards.select("seq", "round", CARD_NUMBER).iter_rows():
        if counts[card] == decks:
            if counts.total() == len(DECK) * decks:
                where = "within the round" if round_ == last_round else "between two rounds"
                whole = f"the {counts.total()} cards since seq {begin} are the whole shoe of {decks} decks"
                message = f"{whole}: it was dealt to its last card and shuffled {where}"
                yield seq, None if round_ < 0 else round_, message
            counts.clear()
            begin = None
        begin = seq if begin is None else begin
        counts[card] += 1
        last_round = round_


_CARDS_AT_A_TIME: Final = 1 << 17
"""About so many cards are counted at a time: more than most batches of table-days have."""
_PILE: Final = ("pile", "within")
_PILE_AND_NAME: Final = (*_PILE, "name")
_NAMES: Final = ((CARD_NUMBER, NAMED_CARDS.categories.to_list()), (RANK_NUMBER, RANKS))
"""The number of a card and that of its rank, and the names for these."""


def _known_cards(events: pl.DataFrame) -> pl.DataFrame:
    """The cards that left the shoe and that the log names: ``seq``, ``round`` (``_BETWEEN`` two rounds too), ``card``."""
    cards = cards_of(events, *CARD_KINDS, "CardBurned")
    removed = cards.select(is_kind("CardRemoved")).to_series()
    if removed.any():
        cards = cards.filter(~removed & ~cards["seq"].is_in([*dealt_to_rightful_hand(cards), *_left_shoe_again(cards)]))
    left = ~is_kind("CardTurned")
    named = pl.col("card").is_not_null()
    hidden = cards.filter(is_kind("CardDealt") & ~named).select(_PLACE)
    turned = cards.filter(~left)
    turned = turned.join(hidden, on=_PLACE, how="semi", nulls_equal=True) if hidden.height else turned.clear()
    if turned.height:
        lay_down = cards.filter(is_kind("CardDealt") & named & ~lies("up"))
        turned = _not_named_before(turned, lay_down, hidden)
    known = pl.concat([cards.filter(left & named), turned])
    return known.select("seq", pl.col("round").fill_null(_BETWEEN), "card")


def _left_shoe_again(cards: pl.DataFrame) -> list[int]:
    """The sequence numbers of events by which a card leaves the shoe a second time: a card that the bank took wrongly, face down,
    and gave back unseen may stay the next card (57/2009 art. 6(1), BJ-7). ``cards`` are in order."""
    bank = cards.filter(pl.col("card_seat").is_null() & pl.col("card").is_not_null())
    hidden = bank.filter(is_kind("CardDealt") & ~lies("up")).join(
        bank.filter(is_kind("CardTurned")), on=_CARD_OF_BANK, how="anti", nulls_equal=True
    )
    back = bank.filter(is_kind("CardRemoved")).join(
        hidden, on=_CARD_OF_BANK, how="semi", nulls_equal=True, maintain_order="left"
    )
    left = cards.filter(is_kind("CardDealt", "CardBurned"))
    at = left["seq"].search_sorted(back["seq"])
    following = left[at.filter(at < left.height)]
    came_back = back.head(following.height)
    same_day = following["seq"] // SPAN == came_back["seq"] // SPAN
    return following["seq"].filter(same_day & (following["card"] == came_back["card"])).to_list()


def _not_named_before(turned: pl.DataFrame, dealt: pl.DataFrame, hidden: pl.DataFrame) -> pl.DataFrame:
    """The cards turned that were not ``dealt`` face down by name in the same hand, with or without suit; as many as the hand has
    ``hidden`` (unnamed) ones."""
    for own, (name, _) in zip((dealt.filter(HAS_SUIT), dealt.filter(~HAS_SUIT)), _NAMES, strict=True):
        turned = _beyond(turned.with_columns(name=name), own.with_columns(name=name), [*_PLACE, "name"]).drop("name")
    return _beyond(turned, hidden, _PLACE, beyond=False)


def _beyond(rows: pl.DataFrame, others: pl.DataFrame, by: list[str], *, beyond: bool = True) -> pl.DataFrame:
    """The rows of each group beyond the number of ``others`` in it, or those within that number."""
    counted = others.group_by(by).len("most")
    joined = rows.join(counted, on=by, how="left", nulls_equal=True, maintain_order="left")
    is_beyond = pl.int_range(pl.len()).over(by) >= pl.col("most").fill_null(0)
    return joined.filter(is_beyond if beyond else ~is_beyond).drop("most")


_BETWEEN: Final = -2
_PLACE: Final = ["round", "card_seat", "card_hand"]
_CARD_OF_BANK: Final = ["round", "card"]
_SEAT_OF_ROUND: Final = ["round", "card_seat"]
_CARD_OF_SEAT: Final = [*_SEAT_OF_ROUND, "card"]


def cards_of_other_suits(events: pl.DataFrame, rounds: pl.Series) -> Iterator[NotedBreach]:
    """The events that turn or take away a card of a suit of which the seat or the bank had been dealt none of its rank, where the
    log told the suits of all these: where histories carry no suits, the machines know only that a card of the rank lies there.
    ``rounds`` has the numbers of the rounds by index.

    Hands of a seat are not told apart, as a card may go from one to another.
    """
    acts = cards_of(events, *CARD_KINDS)
    shown = acts.filter(~is_kind("CardDealt") & pl.col("round").is_not_null() & HAS_SUIT)
    if shown.is_empty():
        return
    dealt = acts.filter(is_kind("CardDealt")).group_by(_CARD_OF_SEAT).agg(first=pl.col("seq").min())
    others = shown.join(dealt, on=_CARD_OF_SEAT, how="left", nulls_equal=True, maintain_order="left")
    others = others.filter((pl.col("first") > pl.col("seq")).fill_null(value=True)).drop("first")
    if others.is_empty():
        return
    before = dealt.rename({"card": "lay"}).join(others, on=_SEAT_OF_ROUND, nulls_equal=True)
    lay = before.filter(pl.col("first") < pl.col("seq")).group_by("seq").agg(pl.col("lay").sort())
    found = others.join(lay, on="seq", maintain_order="left")
    ris = rounds.search_sorted(found["round"])
    for ri, seq, kind, seat, name, names in found.select(ris, "seq", "kind", "card_seat", "card", "lay").iter_rows():
        card, there = card_of(name), [*map(card_of, names)]
        of_rank = [each for each in there if each.rank == card.rank]
        if not of_rank or UNNAMED in there or card.of_no_suit in there:
            continue
        code = BANK_CARD_ABSENT if seat is None else CARD_ABSENT
        done = "turned" if kind == "CardTurned" else "removed"
        message = f"{card} was {done}, dealt was {' '.join(map(str, of_rank))}"
        yield NotedBreach(Breach(code, "", message), ri, seat, Subject.CARD, seq)
