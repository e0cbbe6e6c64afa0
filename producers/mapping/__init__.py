"""Imports other systems' round logs into the archive, by a small mapping file that tells what each column means.

``map_file`` reads the map, ``source`` the rows, ``hand_entries`` and ``seats`` their hands and seats, ``rounds`` groups them into
rounds, ``events`` turns these into events, ``importer`` writes them. Ready maps are in ``maps/``.
"""

from producers.mapping.importer import ImportRefused, ImportSummary, import_log
from producers.mapping.map_section import MapFaulty
from producers.mapping.source import SourceUnreadable

__all__ = ["ImportRefused", "ImportSummary", "MapFaulty", "SourceUnreadable", "import_log"]
