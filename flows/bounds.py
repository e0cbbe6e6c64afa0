"""Upper bounds for command arguments: more is a typing error, and would fill memory or disk unnoticed."""

from __future__ import annotations

from typing import Final

MOST_WORKERS: Final = 256
"""Processes of one run."""
MOST_TABLES: Final = 100_000
MOST_DAYS: Final = 10_000
MOST_ROUNDS: Final = 1_000_000
"""Rounds of a simulated table-day: a hundred times what a shuffling machine lets a table play."""
MOST_SIMULATED: Final = 1_000_000_000
"""Rounds of one simulation, over all its tables and days."""
MOST_PARTITIONS: Final = 100_000
MOST_REPLICAS: Final = 32_767
"""What Kafka's protocol can say."""
LONGEST_NAME: Final = 256
LONGEST_REASON: Final = 4_096
"""Characters of what somebody says who acknowledges a change; a name and a remark in the log have as many."""
