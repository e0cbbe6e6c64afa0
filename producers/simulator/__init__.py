"""The seeded pit: tables that deal, pay and err as in a real pit, with labels of the findings that an audit should give.

The croupiers ask the replayer's rules which decisions are open, when the bank draws and what is due; this package contains no
rules of a game, only the procedures at a table.
"""

from __future__ import annotations

from producers.simulator.pit import Summary, simulate
from producers.simulator.plan import TablePlan, pit
from producers.simulator.table import simulate_table_day

__all__ = ["Summary", "TablePlan", "pit", "simulate", "simulate_table_day"]
