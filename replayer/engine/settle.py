"""Settles the wagers of table-days again: what each is due, by which article, and on which rulings that depends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from replayer.contract.game import Game
from replayer.contract.wagers import Due
from replayer.engine.carried_wagers import CarriedResults
from replayer.engine.distinct_values import ColumnOf, Numbered
from replayer.engine.due_lookup import DueTable, due_numbers
from replayer.engine.first_cards import FirstCards
from replayer.engine.histories import SEAT_KEY, Histories, Subject
from replayer.engine.judgements import Judgements, NotedBreach
from replayer.engine.placing import judge_stakes, rows_of_kinds, with_base, with_lateness, with_other_side_wagers
from replayer.engine.round_context import RoundContext
from replayer.engine.rounds import some_at_a_time
from replayer.engine.ruled import Ruled, Rulings
from replayer.log.columns import TEXT

_WAGERS_AT_A_TIME: Final = 1 << 16
"""More wagers than most batches of table-days have."""


def wagers_due(
    histories: Histories,
    context: RoundContext,
    judgements: Judgements,
    carried_results: CarriedResults,
    rulings: Numbered[Rulings],
    game: Game,
) -> tuple[pl.DataFrame, ColumnOf[Ruled[Due]]]:
    """The placed wagers with their dues: ``num`` / ``den`` of the stake, article, reason, the number in ``rulings`` of those
    that it rests on, ``ended_ri``.

    The second part has the complete dues; ``due`` is a due's number in it.
    """
    on_first_cards = rows_of_kinds(histories.wagers, game.wagers.first_cards)
    first_cards = FirstCards(histories, histories.wagers.select(SEAT_KEY)["key"].gather(on_first_cards), game)
    based = [with_base(some, game) for some in _some_wagers(histories.wagers, histories)]
    wagers = with_lateness(pl.concat(based), first_cards, context, rulings, game)
    dues = DueTable()
    of_wager = due_numbers(wagers, histories, context, judgements, first_cards, rulings, game, dues)
    of_wager, ended = carried_results.follow(wagers, of_wager, dues)
    due_column = ColumnOf(dues.all, of_wager.to_numpy())
    for some in _some_wagers(with_other_side_wagers(wagers, ended, game), histories):
        judge_stakes(some, context, judgements, game)
    places = wagers.select("ri", "seat", "seq")
    for row, due in due_column.rows(lambda due: bool(due.value.breaches)):
        ri, seat, seq = places.row(row)
        judgements.noted += [NotedBreach(breach, ri, seat, Subject.WAGER, seq=seq) for breach in due.value.breaches]
    rests_on = _rulings_of(histories.wagers["ri"], due_column, context, rulings)
    columns = _columns(due_column)
    judged = histories.wagers.with_columns(wagers["begun"], **columns, rulings=rests_on, ended_ri=ended, due=of_wager)
    return judged, due_column


def _rulings_of(
    ris: pl.Series, dues: ColumnOf[Ruled[Due]], context: RoundContext, rulings: Numbered[Rulings]
) -> pl.Series:
    """The number of the rulings of each wager and of its round, each once."""
    own = pl.Series([rulings.number(due.rulings) for due in dues.values], dtype=pl.Int64).gather(dues.of_row)
    if not context.round_rulings:
        return own
    numbers = [rulings.number(context.round_rulings.get(ri, ())) for ri in range(len(context.stretches))]
    pairs = pl.DataFrame({"own": own, "of_round": pl.Series(numbers, dtype=pl.Int64).gather(ris)})
    distinct = pairs.unique()
    both = [tuple(dict.fromkeys((*rulings.all[one], *rulings.all[other]))) for one, other in distinct.iter_rows()]
    known = distinct.with_columns(both=pl.Series(map(rulings.number, both), dtype=pl.Int64))
    return pairs.join(known, on=pairs.columns, how="left", maintain_order="left")["both"]


def _some_wagers(wagers: pl.DataFrame, histories: Histories) -> Iterator[pl.DataFrame]:
    """The wagers of some rounds at a time: grouping them takes several times their memory."""
    return (some for some, _, _ in some_at_a_time(wagers, histories.rounds.height, _WAGERS_AT_A_TIME))


def _columns(dues: ColumnOf[Ruled[Due]]) -> dict[str, pl.Series]:
    odds = [due.value.odds for due in dues.values]
    reasons = [due.value.unjudged if due.value.odds is None else None for due in dues.values]
    distinct = {
        "num": pl.Series([None if o is None else o.numerator for o in odds], dtype=pl.Int64),
        "den": pl.Series([None if o is None else o.denominator for o in odds], dtype=pl.Int64),
        "article": pl.Series([due.value.article for due in dues.values], dtype=TEXT),
        "reason": pl.Series(reasons, dtype=TEXT),
    }
    return {name: values.gather(dues.of_row) for name, values in distinct.items()}
