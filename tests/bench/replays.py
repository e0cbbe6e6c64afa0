"""What is timed of our own: replay and settlement from columns, and one event at a time.

Apart from the rest, so that worker processes can import it.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence

from replayer.engine.evaluator import Automata, Evaluator, automata_of
from replayer.engine.reconstruct import reconstruct
from replayer.engine.replay_settings import ReplaySettings
from replayer.engine.table_in_play import TableInPlay
from replayer.integrity.inspection import inspect_all
from replayer.log.columns import TableDay, events_of
from replayer.sources.archive import read_table_day
from replayer.sources.table_days import TableDayRef
from replayer.verdicts.replay import replay_table_days
from replayer.verdicts.run import batches


def replay_columns(refs: Sequence[TableDayRef]) -> tuple[int, int, float]:
    """Replay and settle table-days from columns; reading them is not timed. Gives events, rounds, seconds."""
    events = rounds = 0
    seconds = 0.0
    for batch in batches(refs):
        days = [TableDay(ref.table_id, ref.gaming_day, read_table_day(ref).events) for ref in batch]
        began = time.perf_counter()
        replayed = replay_table_days(days)
        seconds += time.perf_counter() - began
        events += sum(day.events.height for day in days)
        rounds += sum(day.rounds.height for day in replayed)
    return events, rounds, seconds


def follow_events(refs: Sequence[TableDayRef], *, closed_only: bool = True) -> tuple[int, float]:
    """Follow the events of table-days one at a time, and judge each round when it is closed, or after each of its events. Gives
    events and seconds.

    The judges remember nothing yet; those of tables under one regulation share what they learn, as in a watch over a whole pit.
    Making the events is not timed, nor does the garbage collector look at those that still wait to be taken.
    """
    count, seconds = 0, 0.0
    learnt: dict[int, Automata] = {}
    judges: dict[int, Evaluator] = {}
    for ref in refs:
        (log,) = inspect_all([TableDay(ref.table_id, ref.gaming_day, read_table_day(ref).events)])
        made = reconstruct([log], log.opened.game, ReplaySettings())
        assert made.judged is not None
        game, context = made.judged.game, made.judged.context
        of_round: dict[int, Evaluator] = {}
        for ri, number in enumerate(made.rounds.to_list()):
            known = context.evaluator_of[ri]
            if known is not None and id(known) not in judges:
                automata = learnt.setdefault(id(automata_of(game, known.rules)), Automata.of(game))
                judges[id(known)] = Evaluator(game, known.rules, automata)
            if known is not None:
                of_round[number] = judges[id(known)]
        table, events = TableInPlay(game), list(events_of(log.events))
        gc.collect()
        gc.freeze()
        began = time.perf_counter()
        for event in events:
            round_ = table.take(event)
            due = event.kind == "RoundClosed" or not closed_only
            if round_ is not None and due and event.round in of_round:
                round_.judged(of_round[event.round])
        seconds += time.perf_counter() - began
        count += len(events)
    return count, seconds
