"""The status in the text format of Prometheus, version 0.0.4.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from analytics.lake.statuses import Status as Became
from flows.status import Status
from flows.status.alarms import Alarm
from flows.status.spools import SpoolStatus
from flows.status.topic import Partition

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
Labels = Mapping[str, str | int]


def _gauge(name: str, meaning: str, samples: Iterable[tuple[Labels, float]]) -> str:
    """A gauge with its samples by their labels; nothing where there are none."""
    lines = [f"{name}{_labels(labels)} {value:.17g}\n" for labels, value in samples]
    return "".join([f"# HELP {name} {meaning}\n# TYPE {name} gauge\n", *lines]) if lines else ""


def _labels(labels: Labels) -> str:
    pairs = ",".join(f'{name}="{_escaped(str(value))}"' for name, value in labels.items())
    return f"{{{pairs}}}" if pairs else ""


def _escaped(text: str) -> str:
    """A label's value; what is no Unicode is shown, for the page is UTF-8."""
    whole = text.encode(errors="backslashreplace").decode()
    return whole.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def exposition(status: Status) -> str:
    """The page of all metrics."""
    return "".join(_of(status))


def _of(status: Status) -> Iterator[str]:
    meaning = "Whether the last look failed, so that all else is older."
    yield _one("pitaudit_status_failed", meaning, bool(status.trouble))
    yield _one("pitaudit_status_timestamp_seconds", "When these figures were made.", _time(status.at))
    yield _one("pitaudit_status_duration_seconds", "How long it took to make them.", status.seconds)
    raised = Counter[Alarm]()
    for each in status.alarms:
        raised[each.alarm] += each.count
    meaning = "What somebody should look at, 0 where there is nothing of it: " + "; ".join(
        f"{alarm} counts {alarm.meaning}" for alarm in Alarm
    )
    yield _gauge("pitaudit_alarm", meaning, [({"alarm": alarm.value}, raised[alarm]) for alarm in Alarm])
    yield from _topics(status)
    yield from _archive(status)
    yield from _lake(status)
    yield from _spools(status)


def _topics(status: Status) -> Iterator[str]:
    partitions: list[tuple[Labels, Partition]] = [
        ({"topic": topic.topic, "partition": each.partition}, each)
        for topic in status.topics
        for each in topic.partitions
    ]
    meaning = "Messages of a partition that are not safe in the archive."
    yield _gauge("pitaudit_topic_lag", meaning, [(labels, each.lag) for labels, each in partitions])
    seen = [(labels, _time(each.seen_at)) for labels, each in partitions if each.seen_at]
    yield _gauge("pitaudit_topic_seen_timestamp_seconds", "When an archiver looked at a partition last.", seen)
    since = [(labels, _time(each.waiting_since)) for labels, each in partitions if each.waiting_since]
    meaning = "When the first message that is not in the archive was recorded."
    yield _gauge("pitaudit_topic_waiting_since_timestamp_seconds", meaning, since)
    answers = [({"topic": each.topic}, each.asked) for each in status.topics if each.asked or each.trouble]
    meaning = "Whether the brokers answered with the topic's ends; missing where nobody asked."
    yield _gauge("pitaudit_topic_answers", meaning, answers)


def _archive(status: Status) -> Iterator[str]:
    if (said := status.archive) is None:
        return
    damaged = sum(bool(each.damage) for each in said.open)
    refused = [({"source": file.removesuffix(".jsonl")}, float(count)) for file, count in said.quarantined.items()]
    yield _one("pitaudit_archive_open_table_days", "Table-days that are not sealed.", len(said.open))
    yield _one("pitaudit_archive_open_events", "Events of them.", sum(each.events for each in said.open))
    meaning = "Those of them whose gaming day is over and that should be sealed."
    yield _one("pitaudit_archive_late_table_days", meaning, len(said.late))
    yield _one("pitaudit_archive_damaged_journals", "Those of them whose journal cannot be read.", damaged)
    yield _one("pitaudit_archive_quarantined", "Messages that could not be taken.", sum(said.quarantined.values()))
    yield _gauge("pitaudit_archive_quarantined_by_source", "The same by where they came from.", [*refused])
    yield _one("pitaudit_archive_lost_ranges", "Ranges that topics lost before the archive had them.", len(said.lost))
    yield _one("pitaudit_archive_import_table_days", "Table-days of an import not in their places.", len(said.coming))


def _lake(status: Status) -> Iterator[str]:
    if (said := status.lake) is None:
        return
    kinds = Counter(each.status for _, each in said.tables)
    if said.last_judged:
        midnight = dt.datetime.combine(said.last_judged, dt.time(), dt.UTC)
        yield _one("pitaudit_lake_last_judged_timestamp_seconds", "The last judged gaming day's date.", _time(midnight))
    yield _one("pitaudit_lake_waiting_days", "Gaming days that wait for verdicts.", len(said.waiting))
    yield _one("pitaudit_lake_overdue_days", "Those of them that should have them by now.", len(said.overdue))
    yield _one(
        "pitaudit_lake_left_behind_days", "Gaming days too far back for a night to catch up.", len(said.left_behind)
    )
    help_text = "Tables of the last gaming days that keep them from being clean, by what became of them."
    yield _gauge("pitaudit_lake_open_tables", help_text, [({"status": each.value}, kinds[each]) for each in Became])
    yield _one(
        "pitaudit_lake_unjudged_wagers", "Wagers of the last gaming days that nobody could judge.", said.unjudged_wagers
    )
    yield _one("pitaudit_lake_damaged", "Table-days of them whose verdicts are missing or changed.", len(said.damaged))
    yield _one(
        "pitaudit_lake_log_changes",
        "Logs of them replaced after they were judged, not acknowledged.",
        len(said.log_changes),
    )
    help_text = "The last gaming days with findings that nobody said to have looked into."
    yield _one("pitaudit_lake_days_with_findings", help_text, len(said.found))
    yield _one("pitaudit_lake_held", "Whether a run writes the lake at present.", said.held_by is not None)


def _spools(status: Status) -> Iterator[str]:
    spools: list[tuple[Labels, SpoolStatus]] = [({"spool": str(each.folder)}, each) for each in status.spools]
    events = [(labels, each.events) for labels, each in spools]
    yield _gauge("pitaudit_spool_events", "Events of a spool that the topic is not known to have.", events)
    oldest = [(labels, _time(each.oldest_at)) for labels, each in spools if each.oldest_at]
    yield _gauge("pitaudit_spool_oldest_timestamp_seconds", "When the oldest of them happened.", oldest)
    damaged = [(labels, sum(bool(table.damage) for table in each.tables)) for labels, each in spools]
    yield _gauge("pitaudit_spool_damaged_tables", "Tables of a spool that cannot be read.", damaged)


def _one(name: str, meaning: str, value: float) -> str:
    return _gauge(name, meaning, [({}, value)])


def _time(at: dt.datetime) -> float:
    return round(at.timestamp(), 3)
