"""Inspects spools without disturbing their recorders, repairs them, and quarantines the events of tables that were taken over."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from producers.link import Link, Target
from producers.sender import up_to_date
from producers.sinks import NotDurable
from producers.sinks.journal import Entry, JournalDamaged, out_of_place, read_journal
from producers.sinks.repair import SetAside, set_aside
from producers.spool import TableSpool, lock_table, noted_sent, segments, spooled_tables
from schemas.codec import MessageUnreadable, decode


@dataclass(frozen=True, slots=True)
class LeftOver:
    """The waiting events of one table in a spool.

    Attributes:
        events: their number at most: a killed recorder may not have noted the last ones that it sent.
        last_seq: the last number used.
        bytes: the size of the segments on disk.
        oldest_at: the time of the oldest waiting event, in UTC microseconds since 1970; None where none waits.
        damage: what cannot be read; empty where everything can.
    """

    table_id: str
    events: int
    last_seq: int
    bytes: int
    oldest_at: int | None
    damage: str = ""


def leftovers(spool: Path) -> list[LeftOver]:
    """The waiting events of a spool by table; recorders may be writing it meanwhile. NotDurable where the folder is no spool."""
    _require_spool(spool)
    return [_leftover(spool, table_id) for table_id in spooled_tables(spool)]


def _require_spool(spool: Path) -> None:
    if not (spool / "id").is_file():
        raise NotDurable(f"{spool} is no spool: it has no id; name the folder that a recorder was given")


def _leftover(spool: Path, table_id: str) -> LeftOver:
    entries: list[Entry] = []
    damage, size, sent = "", 0, 0
    try:
        sent = noted_sent(spool / table_id)
        for path in segments(spool / table_id):
            held = read_journal(path)
            entries += held.entries
            size += held.size
            damage = damage or out_of_place(path, held.ends, table_id)
    except JournalDamaged as error:
        damage = f"{error}; `pitaudit spool repair {spool}` keeps what is whole"
    except NotDurable as error:
        damage = str(error)
    except OSError as error:
        damage = f"{error.filename}: {error.strerror}"
    unsent = [entry for entry in entries if entry.seq > sent]
    oldest_at = None
    try:
        oldest_at = decode(unsent[0].message).at if unsent else None
    except MessageUnreadable as error:  # a newer program recorded it
        damage = damage or str(error)
    return LeftOver(table_id, len(unsent), max([sent, *(entry.seq for entry in entries)]), size, oldest_at, damage)


def repair_spool(spool: Path) -> list[SetAside]:
    """Set every damaged segment of a spool aside: intact events are kept, and no number that may have been used is used again.

    Lost events that the topic does not have are reported by every replay as missing numbers.

    Raises:
        SinkBusy: a table is being recorded through this spool.
        NotDurable: a segment cannot be read or written (nothing is lost, do it again), or there is no spool in this folder.
        OSError: the folder of a table cannot be read.
    """
    done: list[SetAside] = []
    _require_spool(spool)
    for table_id in spooled_tables(spool):
        with closing(lock_table(spool, table_id)):
            in_order = segments(spool / table_id)
            for path, after in zip_longest(in_order, in_order[1:]):
                done += set_aside(path, int(after.name) - 1 if after else None)
    return done


def hand_to_quarantine(where: Target) -> dict[str, int]:
    """Send the events that tables which were taken over left in a spool, under the claims they were recorded under; returns the
    number of events by table.

    The archiver does not add them to the table's log where the new recorder has other events under the numbers, or has gone on:
    it quarantines them with the reason, so that every report counts them.

    Raises:
        NotDurable: Kafka or the disk failed, or a table's new recorder has recorded nothing yet: an archiver needs an event under
            the new claim to tell the two apart.
        SinkBusy: a table is being recorded through this spool.
    """
    sent: dict[str, int] = {}
    with closing(Link(where)) as link:
        link.read_claims()
        for table_id in spooled_tables(where.spool):
            with closing(TableSpool(where.spool, table_id)) as spool:
                owner = link.owners.get(table_id)
                if owner is None or owner.session in spool.claim.sessions:
                    continue  # still this spool's table: its recorder, or `drain`, sends it
                last = up_to_date(link, table_id, spool)
                if spool.waiting and last.claim <= spool.claim.number:
                    raise NotDurable(
                        f"table {table_id} was taken over by {owner}, who has recorded nothing yet: hand it over when it has"
                    )
                claim = max(1, spool.claim.number)
                while entries := spool.unsent():
                    link.send((table_id, claim, entry.message) for entry in entries)
                    spool.mark_sent(entries[-1].seq)
                    sent[table_id] = sent.get(table_id, 0) + len(entries)
    return sent
