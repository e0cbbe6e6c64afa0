"""Who runs what, when and with which settings: the command line, the nightly runs, the demo. No arithmetic.

``runs`` has the steps of a night: ``plan`` finds the table-days to judge, they are replayed, ``accounting`` gives every table its
status, and ``summary`` has the result. ``nightly`` and ``backfill`` are the same runs as Prefect's flows.
"""

from typing import Final

MOST_WORKERS: Final = 256
"""Processes of one run at most: more is a typing error."""
MOST_SECONDS: Final = 366 * 86_400
"""To wait at most."""
