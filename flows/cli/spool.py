"""``pitaudit spool status``, ``drain`` and ``repair``."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from flows.cli.options import Brokers, SettingsFile, Topic, settings_of
from flows.cli.repair import print_set_aside
from flows.cli.terminal import CLEAN, FOUND, print_json, print_table, say, warn
from schemas.plural import plural

Folder = Annotated[Path, Parameter(help="The spool's folder.")]

spool = App(
    name="spool",
    help="Say what waits in the spool of a table's recorder, or send it for a recorder that does not come back.\n\n"
    "Example: `pitaudit spool status /var/spool/pitaudit`",
)


@spool.command
def status(folder: Folder, /, *, json: bool = False) -> int:
    """Say what waits in a spool, table by table; recorders may go on meanwhile. Exit 1 where anything does.

    Example: `pitaudit spool status /var/spool/pitaudit`

    Parameters
    ----------
    json
        One JSON object on standard output: tables, a list of table_id, events (at most), last_seq, bytes, oldest_at (UTC
        microseconds since 1970), damage.
    """
    from producers.spool_recovery import leftovers
    from schemas.event import moment

    found = leftovers(folder)
    if json:
        print_json({"tables": [asdict(each) for each in found]})
    else:
        rows = [
            (each.table_id, each.events, each.last_seq, each.bytes, moment(each.oldest_at) if each.oldest_at else None)
            for each in found
        ]
        print_table(f"Spool {folder}", ("table", "events waiting", "last number", "bytes", "oldest"), rows, (1, 2, 3))
        for each in found:
            if each.damage:
                warn(f"table {each.table_id}: {each.damage}")
    return FOUND if any(each.events or each.damage for each in found) else CLEAN


@spool.command
def drain(
    folder: Folder,
    /,
    *,
    kafka: Brokers,
    topic: Topic = None,
    seconds: Annotated[float, Parameter(validator=Number(gt=0))] = 120.0,
    stranded: bool = False,
    settings: SettingsFile = None,
) -> int:
    """Send what a recorder left in its spool, in order, each event once. No recorder may be using the spool. Exit 1 where the
    topic lacks what it had acknowledged before: another cluster's has not what this spool sent, say.

    Tables stay this spool's own. Where another recorder took one over, its numbers are others' by now: --stranded sends
    what was accepted here all the same, for the archiver to keep in quarantine, where every report counts it.

    Example: `pitaudit spool drain /var/spool/pitaudit --kafka broker:9092`

    Parameters
    ----------
    kafka
        HOST:PORT of a broker.
    seconds
        How long to try.
    stranded
        Send what tables that were taken over left here.
    """
    from producers.kafka_client import settings_from
    from producers.link import DELIVERY_MS, Target
    from producers.sinks.kafka import KafkaSink
    from producers.spool import spool_id
    from producers.spool_recovery import hand_to_quarantine, leftovers

    called = topic or settings_of(settings).kafka_topic
    waiting = sum(each.events for each in leftovers(folder))
    if stranded:
        handed = hand_to_quarantine(Target(kafka, called, folder, spool_id(folder), settings_from(), DELIVERY_MS))
        for table_id, events in handed.items():
            warn(f"table {table_id}: {plural(events, 'event')} handed to the archiver's quarantine")
        return FOUND if handed else CLEAN
    troubles: list[str] = []
    with closing(KafkaSink(kafka, called, folder, settings=settings_from(), on_trouble=troubles.append)) as sink:
        tables = sink.resume()
        sink.drain(seconds)
    for trouble in troubles:
        warn(trouble)
    waited = f"{plural(waiting, 'event')} of {plural(len(tables), 'table')} at most were waiting"
    say(f"{waited}, topic {called} has them all" if waiting else f"nothing waits in {folder}")
    return FOUND if troubles else CLEAN


@spool.command
def repair(folder: Path, /, *, json: bool = False) -> int:
    """Set damaged segments of a spool aside, so that its tables can be recorded again. Exit 1: something was set aside.

    Every event that is whole is kept and sent, and the damaged file stays beside it; nothing is deleted. The table goes on
    behind the last number that may have been used: events that are gone, unless the topic has them, show in every replay
    as missing numbers.

    Example: `pitaudit spool repair /var/spool/pitaudit`

    Parameters
    ----------
    folder
        The spool's folder; no recorder may be using it.
    json
        One JSON object on standard output: set_aside, a list of journal, aside, at (the byte), what, kept, used.
    """
    from producers.spool_recovery import repair_spool

    return print_set_aside(repair_spool(folder), json, f"no segment of {folder} is damaged")
