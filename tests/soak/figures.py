"""How fast it was: recording, the way to the archive, verdicts."""

from __future__ import annotations

import datetime as dt
import statistics
from bisect import bisect_left

from tests.soak.ground import Ground
from tests.soak.run import Record


def figures(ground: Ground, record: Record) -> dict[str, str]:
    """What is measured of a week, in words."""
    acks = [line for line in ground.acks() if "acked" in line]
    events = sum(len(line["acked"]) for line in acks)
    spent = sum(line["seconds"] for line in acks)
    latencies, closed = [], {}
    seen = {table: ([seq for _, seq in said], [at for at, _ in said]) for table, said in record.archived.items()}
    late = ground.week.script.late
    for line in acks:
        for table, day, seq in line["acked"]:
            numbers, moments = seen.get(table, ([], []))
            if (at := bisect_left(numbers, seq)) < len(numbers) and not (late and table == late[0]):
                latencies.append(max(0.0, moments[at] - line["at"]))
            closed[table, dt.date.fromisoformat(day)] = line["at"]
    measured = {
        "events recorded": f"{events:,}",
        "recorded into the spool, while recording": f"{events / spent:,.0f} a second" if spent else "-",
        "an event's flush to the spool": _percentiles([1000 * line["seconds"] for line in acks], "ms"),
        "from the spool's acknowledgement to the archive's disk, faults included": _percentiles(latencies, "s"),
    }
    sealing = [
        record.sealed[key] - at
        for key, at in closed.items()
        if key in record.sealed and not (late and (key[0], key[1]) == (late[0], ground.week.dates[late[1]]))
    ]
    measured[f"from a table's closing to its sealing (quiet time {ground.week.quiet_seconds:g} s)"] = _percentiles(
        sealing, "s"
    )
    verdicts = []
    for day, night in record.nights.items():
        ended = dt.datetime.fromisoformat(night["end_time"]).timestamp()
        began = dt.datetime.fromisoformat(night["start_time"]).timestamp()
        last = max((at for (_, own), at in closed.items() if own == day and at < ended), default=ended)
        verdicts.append(f"{ended - last:.0f} ({ended - began:.0f} of them the run)")
    measured["from a day's last closing to its verdicts, s"] = ", ".join(verdicts)
    return measured


def _percentiles(values: list[float], unit: str) -> str:
    if len(values) < 2:
        return "-"
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return f"p50 {cuts[49]:.3g} {unit}, p99 {cuts[98]:.3g} {unit}, most {max(values):.3g} {unit}"
