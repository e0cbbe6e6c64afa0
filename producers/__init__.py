"""How a fact gets into the log: the recorder, sinks, the archiver of a topic, imports, the simulated pit. Nothing here judges."""

from typing import Final

ARCHIVER_GROUP: Final = "pitaudit-archiver"
"""The consumer group whose offsets an archiver commits, unless told otherwise."""
QUIET_SECONDS: Final = 900.0
"""How long nothing came of a table-day that was not closed when an archiver seals it, unless told otherwise."""
