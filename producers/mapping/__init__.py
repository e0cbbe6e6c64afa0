"""Other systems' round logs: a small mapping file says what each column means, and the rounds come into the archive.

``map_file`` reads the map, ``source`` the rows, ``hand_entries`` and ``seats`` what they say of hands and seats, ``rounds`` puts
them together, ``events`` tells them as the replayer can judge them, ``importer`` writes them. Ready maps are in ``maps/``.
"""

from producers.mapping.importer import ImportRefused, ImportSummary, import_log
from producers.mapping.map_section import MapFaulty
from producers.mapping.source import SourceUnreadable

__all__ = ["ImportRefused", "ImportSummary", "MapFaulty", "SourceUnreadable", "import_log"]
