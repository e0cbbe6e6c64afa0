"""Cards turned or taken away under another suit than they were dealt under, in games whose histories carry no suits: the machines
know there only that a card of the rank lies there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from replayer.columns import is_kind, of_kind
from replayer.engine.event_symbols import CARD_KINDS
from replayer.engine.judgements import NotedBreach
from replayer.law.codes import BANK_CARD_ABSENT, CARD_ABSENT
from replayer.outcomes import Breach
from schemas.cards import UNKNOWN, UNKNOWN_SUIT

_PLACE: Final = ["round", "card_seat"]
_CARD: Final = pl.col("card_card").cast(pl.String).fill_null(UNKNOWN)


def cards_of_other_suits(events: pl.DataFrame, rounds: pl.Series) -> Iterator[NotedBreach]:
    """The events that turn or take away a card of a suit of which the seat or the bank was dealt none of its rank, where the log
    told the suits of all these. ``rounds`` has the numbers of the rounds by index.

    Hands of a seat are not told apart, as a card may go from one to another.
    """
    acts = of_kind(events, CARD_KINDS, "seq", "kind", *_PLACE, "card_card")
    shown = acts.filter(~is_kind("CardDealt") & pl.col("round").is_not_null() & ~_CARD.str.ends_with(UNKNOWN_SUIT))
    if shown.is_empty():
        return
    dealt = acts.filter(is_kind("CardDealt"))
    same = dealt.join(shown, on=[*_PLACE, "card_card"], how="semi", nulls_equal=True)
    others = shown.filter(_CARD != UNKNOWN).join(
        same, on=[*_PLACE, "card_card"], how="anti", nulls_equal=True, maintain_order="left"
    )
    if others.is_empty():
        return
    lay = dealt.join(others, on=_PLACE, how="semi", nulls_equal=True).group_by(_PLACE).agg(lay=_CARD.unique().sort())
    found = others.select("seq", "kind", *_PLACE, card=_CARD).join(
        lay, on=_PLACE, nulls_equal=True, maintain_order="left"
    )
    index = {number: ri for ri, number in enumerate(rounds.to_list())}
    for seq, kind, round_, seat, card, names in found.iter_rows():
        of_rank = [name for name in names if name[0] == card[0]]
        ri = index.get(round_)
        if ri is None or not of_rank or UNKNOWN in names or any(name[1] == UNKNOWN_SUIT for name in of_rank):
            continue
        code = BANK_CARD_ABSENT if seat is None else CARD_ABSENT
        done = "turned" if kind == "CardTurned" else "removed"
        message = f"{card} was {done}, dealt was {' '.join(of_rank)}"
        yield NotedBreach(Breach(code.code, "", message), ri, seat, "card", seq)
