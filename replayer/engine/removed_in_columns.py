"""Cards that were taken away again (:mod:`replayer.engine.removed_cards`), of many rounds at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import polars as pl

from replayer.contract.cards import card_of
from replayer.contract.game import Game
from replayer.contract.symbols import BANK
from replayer.contract.wagers import WHOLE_SEAT
from replayer.engine.event_symbols import CARD_KINDS
from replayer.engine.removed_cards import ACTED, AtHand, Misdealt, collected, is_taken_back, taken_away
from replayer.log.columns import KIND, is_kind, lies, of_kind
from schemas.cards import UNKNOWN
from schemas.kinds import UNKNOWN_KIND


def ignoring_collected(events: pl.DataFrame, game: Game) -> pl.DataFrame:
    """The events, those that :func:`collected` cards as of a kind that judging does not know, because their hand was paid as it
    lay. Their numbers stay: a missing one between two rounds may have been a shuffle."""
    removed = of_kind(events, ("CardRemoved",), "round")
    if removed.is_empty():
        return events
    settles = is_kind("WagerSettled") & pl.col("wager_kind").is_in(sorted(game.wagers.settling))
    separates = is_kind("DecisionTaken") & pl.col("decision_action").is_in(sorted(game.actions.separating))
    of_rounds = events.filter(
        pl.col("round").is_in(removed["round"].unique().implode()),
        is_kind("CardDealt", "CardRemoved") | settles | separates,
    )
    hand = pl.coalesce("card_hand", "wager_hand", "decision_hand").fill_null(0)
    at_hands = of_rounds.select(
        "round",
        "seq",
        pl.col("kind").cast(pl.String),
        seat=pl.coalesce("card_seat", "wager_seat", "decision_seat").fill_null(BANK),
        hand=pl.when(pl.col("wager_kind").ne_missing(WHOLE_SEAT)).then(hand),
    )
    settled = at_hands.filter(kind="WagerSettled").with_columns(seat=pl.lit(BANK), hand=pl.lit(None))
    of_places = pl.concat([at_hands, settled], how="vertical_relaxed").group_by("round", "seat")
    rows = of_places.agg(pl.col("seq", "kind", "hand").sort_by("seq")).select("seq", "kind", "hand").iter_rows()
    seqs = [seq for each in rows for seq in collected(map(AtHand, *each))]
    ignored = pl.when(pl.col("seq").is_in(seqs)).then(pl.lit(UNKNOWN_KIND, KIND))
    return events.with_columns(kind=ignored.otherwise("kind")) if seqs else events


def taken_away_in_rounds(rows: pl.DataFrame) -> dict[int, int]:
    """:func:`taken_away` at all places of the rounds to which the events ``rows`` belong."""
    place = ("ri", "card_seat")
    removed = rows.filter(is_kind("CardRemoved")).select(place).unique()
    if removed.is_empty():
        return {}
    acts = rows.filter(is_kind(*CARD_KINDS))
    acts = acts.join(removed, on=place, how="semi", nulls_equal=True).sort("ri", "seq")
    named = pl.col("card_card").cast(pl.String).fill_null(UNKNOWN)
    done = acts.select(*place, "seq", pl.col("kind").cast(pl.String), card=named, hidden=lies("down"))
    hands = done.group_by(place, maintain_order=True).agg("seq", "kind", "card", "hidden")
    found: dict[int, int] = {}
    for seqs, kinds, cards, hidden in hands.drop(place).iter_rows():
        found |= taken_away(zip(seqs, kinds, map(card_of, cards), hidden, strict=True))
    return found


def taken_back_in_rounds(rows: pl.DataFrame, removed: Mapping[int, int]) -> list[int]:
    """Those of :func:`taken_away_in_rounds` that were taken away before any wager, decision or settlement of their round."""
    if not removed:
        return []
    dealt = rows.filter(pl.col("seq").is_in(list(removed))).select("seq", "ri")
    acted = rows.filter(is_kind(*ACTED)).join(dealt, on="ri", how="semi").group_by("ri").agg(pl.col("seq").sort())
    of_round: dict[int, list[int]] = dict(acted.select("ri", "seq").iter_rows())
    return [seq for seq, ri in dealt.iter_rows() if is_taken_back(seq, removed[seq], of_round.get(ri, ()))]


def dealt_to_rightful_hand(cards: pl.DataFrame) -> list[int]:
    """The sequence numbers of events that deal a card which was earlier removed from another hand of the round: an error in the
    deal is put right by giving the card to its rightful hand (57/2009 art. 5(1)(2)). ``cards`` are in
    order, each by its number in ``NAMED_CARDS``."""
    rounds = cards.filter(is_kind("CardRemoved")).select("round").unique()
    named = cards.filter(pl.col("card").is_not_null()).join(rounds, on="round", how="semi", maintain_order="left")
    misdealt: defaultdict[int, Misdealt] = defaultdict(Misdealt)
    again: list[int] = []
    columns = ("seq", "kind", "card", "round", "card_seat", "card_hand")
    for seq, kind, name, round_, seat, hand in named.select(columns).iter_rows():
        if misdealt[round_].follow(kind, card_of(name), (seat, hand)):
            again.append(seq)
    return again
