"""The status in words: the same lines on a terminal and on the health page."""

from __future__ import annotations

import datetime as dt
import textwrap
from collections import Counter
from collections.abc import Iterator

from analytics.texts import visible
from flows.status import Status
from flows.status.alarms import named
from flows.status.archive import ArchiveStatus
from flows.status.lake import LakeStatus
from flows.status.spools import SpoolStatus
from flows.status.topic import TopicStatus
from schemas.plural import plural, spoken

_WIDTH = 80
_LABEL = 18


def sections(status: Status) -> list[tuple[str, list[tuple[str, str]]]]:
    """What there is to read, alarms first: lines under a heading each, what each is about, and what it says."""
    made = []
    if status.alarms:
        made.append(("Somebody should look", [(spoken(each.alarm), each.message) for each in status.alarms]))
    made += [(f"Topic {topic.topic}", list(_topic(topic, status.at))) for topic in status.topics]
    if status.archive:
        made.append((f"Archive {status.archive.folder}", list(_archive(status.archive, status.at))))
    if status.lake:
        made.append((f"Lake {status.lake.folder}", list(_lake(status.lake))))
    made += [(f"Spool {spool.folder}", list(_spool(spool, status.at))) for spool in status.spools]
    return made


def status_text(status: Status) -> str:
    """The status as a terminal shows it, 80 columns wide; the last line is one sentence."""
    text = [f"Status at {status.at:%Y-%m-%d %H:%M:%S} UTC"]
    for heading, lines in sections(status):
        text += ["", *_wrapped(heading, "")]
        for label, said in lines:
            text += _wrapped(f"{label:<{_LABEL}}{said}" if label else said, " " * (_LABEL + 2))
    text += ["", *_wrapped(status.sentence, "")]
    return "\n".join(text)


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        visible(text), _WIDTH, initial_indent=indent[:2], subsequent_indent=indent, break_on_hyphens=False
    )


def _topic(topic: TopicStatus, now: dt.datetime) -> Iterator[tuple[str, str]]:
    source = "asked of the broker" if topic.asked else "as the archiver saw it"
    yield "behind", f"{plural(topic.lag, 'message')}, {source}"
    seen = topic.seen_at
    yield "looked at", "never, or not all of its partitions" if seen is None else _ago(now, seen)
    yield "partitions", f"{len(topic.partitions)}"


def _archive(archive: ArchiveStatus, now: dt.datetime) -> Iterator[tuple[str, str]]:
    late = len(archive.late)
    yield "open", plural(len(archive.open), "table-day") + (f", {late} of them late" if late else "")
    for said in archive.open[:_SHOWN]:
        if said.damage:
            yield f"  {said.table_id}", f"{said.gaming_day}, cannot be read"
            continue
        last = f", the last {_ago(now, said.changed_at)}" if said.changed_at else ""
        since = f" since {said.first_at:%m-%d %H:%M}" if said.first_at else ""
        part = f", late part {said.part}" if said.part else ""
        yield f"  {said.table_id}", f"{said.gaming_day}, {plural(said.events, 'event')}{since}{last}{part}"
    if len(archive.open) > _SHOWN:
        yield "", f"and {len(archive.open) - _SHOWN} more"
    if unread := sum(not each.read_through for each in archive.open):
        yield "journals", f"{plural(unread, 'long one')} looked at by their ends only"
    answered = sum(archive.answered.values())
    also = f", {answered:,} acknowledged" if answered else ""
    yield "quarantine", f"{plural(sum(archive.quarantined.values()), 'message')}{also}"
    agreed = sum(not each.open for each in archive.lost)
    yield "lost", f"{plural(len(archive.lost), 'range')} of a topic" + (f", {agreed} acknowledged" if agreed else "")
    if archive.coming:
        yield "import", f"{plural(len(archive.coming), 'table-day')} not in their places"


_SHOWN = 8
"""Table-days that are shown one by one; JSON has all of them."""


def _lake(lake: LakeStatus) -> Iterator[tuple[str, str]]:
    if lake.held_by:
        yield "held by", str(lake.held_by)
    yield "last judged", str(lake.last_judged or "no gaming day")
    days = named([str(day) for day in lake.waiting])
    yield "waiting", plural(len(lake.waiting), "gaming day") + (f": {days}" if days else "")
    kinds = Counter(each.in_words for _, each in lake.tables)
    yield "not judged", ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "no table"
    for day, table in lake.tables[:_SHOWN]:
        yield f"  {table.table_id}", f"{day}, {table.in_words}: {table.why}"
    if len(lake.tables) > _SHOWN:
        yield "", f"and {len(lake.tables) - _SHOWN} more"
    yield "unjudged", plural(lake.unjudged_wagers, "wager")
    yield "findings", f"{plural(len(lake.found), 'gaming day')} that nobody looked into"
    for day, what in lake.found.items():
        yield f"  {day}", what


def _spool(spool: SpoolStatus, now: dt.datetime) -> Iterator[tuple[str, str]]:
    oldest = f", the oldest {_ago(now, spool.oldest_at)}" if spool.oldest_at else ""
    yield "waiting", f"{plural(spool.events, 'event')} of {plural(len(spool.tables), 'table')}{oldest}"


def _ago(now: dt.datetime, at: dt.datetime) -> str:
    seconds = max(0, int((now - at).total_seconds()))
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"
