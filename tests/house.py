"""Table-days of a house, written down in the notation and put into archives."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from schemas.notation import parse_events
from tests.archives import record
from tests.bits import flip
from tests.texts import opened

DAY = dt.date(2009, 6, 1)

OPEN = opened(game="fortune_3_card_poker", chips=500000, prepared=False)
DEAL = (
    "shuffle:{n}:machine:1 #{n} 1.ante=100@p1 nomore 1-Kd 1-Kh 1-4c B-Qs B-8d B-3c 1.raise@p1 1.raise=100@p1 "
    "1^Kd 1^Kh 1^4c B^Qs B^8d B^3c 1.ante>{ante}@p1 1.raise>{raise_}@p1 end #-"
)
RIGHT = DEAL.format(n=1, ante="+100", raise_="+100")
OVERPAID = DEAL.format(n=1, ante="+100", raise_="+150")
UNDER_WAY = f"{OPEN} {RIGHT}"


def closing(text: str, won_by_players: int) -> str:
    """A whole table-day around rounds: the tray closes with what the players left in it."""
    return f"{OPEN} {text} dealer-D1 close={500000 - won_by_players} drop=0"


SOUND = closing(RIGHT, 200)
"""A table-day whose payments and chips agree with the law."""
WRONG = closing(OVERPAID, 250)
"""One on which the house overpaid a raise by 50."""


def write(
    archive: Path, table_id: str, text: str, day: dt.date = DAY, first_seq: int = 1, *, sealed: bool = True
) -> int:
    """Record a table-day and, unless told otherwise, seal it; its last ``seq``."""
    events = list(parse_events(text, table_id=table_id, gaming_day=day, first_seq=first_seq))
    record(archive, events, sealed=sealed)
    return events[-1].seq


def damage(file: Path, position: int = 700) -> None:
    """Flip one bit of a file."""
    flip(file, position)
