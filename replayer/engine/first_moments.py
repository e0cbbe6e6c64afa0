"""The first of several moments of each round: when bets were closed, when the first card was dealt, when the bank's hand opened.

Everything here is columns; no rule of any game is applied.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Final

import polars as pl

from replayer.contract.game import Game
from replayer.contract.symbols import ADDITIONAL_CARD, BANK_OPEN, BETS_CLOSED, CARD_DEALT, FOUND_NATURAL, HOLE_CHECKED
from replayer.engine.removed_in_columns import taken_away_in_rounds, taken_back_in_rounds
from replayer.engine.rounds import by_round
from replayer.log.columns import FACE, of_kind

_UP: Final = FACE.categories.to_list().index("up")
_NEVER: Final = 2**63 - 1
"""The ``seq`` of a moment that never came."""


class FirstMoments:
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
        self.open = self.dealt.filter(bank & (self.dealt["card_face"].to_physical() == _UP))
        opened = [self._first(checked, checked["decision_action"].is_in([FOUND_NATURAL]))]
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

    def moment(self, rows: pl.DataFrame) -> pl.Series:
        """The moment of each row (``replayer.contract.symbols``)."""
        parts = {
            "closed": BETS_CLOSED,
            "dealt": CARD_DEALT,
            "additional": ADDITIONAL_CARD,
            "checked": HOLE_CHECKED,
            "opened": BANK_OPEN,
        }
        passed = [self._passed(name, rows).cast(pl.Int32) * weight for name, weight in parts.items()]
        return reduce(add, passed)
