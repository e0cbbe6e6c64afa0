"""Imports other systems' round logs into the archive, by a small mapping file that tells what each column means.

``map_file`` reads the map, ``source`` the rows, ``row`` what one says. ``seats`` makes seats of hands, ``rounds`` rounds
of rows, ``events`` turns these into events, which ``importer`` writes. Ready maps are in ``maps/``.
"""

from producers.mapping.importer import ImportRefused, ImportSummary, import_log
from producers.mapping.map_section import MapFaulty
from producers.mapping.source import SourceUnreadable

__all__ = ["ImportRefused", "ImportSummary", "MapFaulty", "SourceUnreadable", "import_log"]
