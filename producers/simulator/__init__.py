"""The seeded pit: tables that deal, pay and err as a real pit does, so that what an auditor should find is known.

The croupiers here ask the replayer's rules what may be decided, when the bank draws and what is due; there is no rule of
any game in this package, only how the work at a table is done.
"""

from __future__ import annotations

from producers.simulator.pit import Summary, simulate
from producers.simulator.plan import TablePlan, pit
from producers.simulator.table import simulate_table_day

__all__ = ["Summary", "TablePlan", "pit", "simulate", "simulate_table_day"]
