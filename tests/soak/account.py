"""What must hold when the week is over: nothing missing, nothing twice, the same verdicts, and every fault told."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replayer.integrity.checks import SEQUENCE_GAP
from replayer.sources.lost import lost_messages
from replayer.sources.quarantine import counts
from replayer.sources.table_days import table_days
from replayer.verdicts.replay_totals import Summary
from replayer.verdicts.run import replay_all
from schemas.codec import encode
from tests.archives import read_events
from tests.soak.ground import TOPIC, Ground
from tests.soak.run import Record
from tests.soak.week import TableDay


@dataclass(frozen=True)
class Held:
    """One thing that must hold: what was done, where it was told, and what is wrong (empty where nothing is)."""

    what: str
    reported: str
    wrong: str

    @property
    def holds(self) -> bool:
        """Whether it does."""
        return not self.wrong


class Account:
    """The whole week, held to what was played and to the script."""

    def __init__(
        self, ground: Ground, undisturbed: Path, record: Record, reports: dict[dt.date, tuple[int, str]]
    ) -> None:
        self._ground = ground
        self._record = record
        self._reports = reports
        self._script = ground.week.script
        self._dates = ground.week.dates
        self._days: dict[str, Any] = {day["gaming_day"]: day for day in record.last.get("days", ())}
        self._right = replay_all(table_days(undisturbed))
        self._found = replay_all(table_days(ground.archive))
        self._missing: dict[TableDay, set[int]] = {}

    def all(self) -> list[Held]:
        """Everything that must hold."""
        return [Held(*each) for each in self._all()]

    def _all(self) -> Iterator[tuple[str, str, str]]:
        yield "every event once, in the archive or told as lost", "archive", self._events()
        yield "the digest is that of an undisturbed week", self._digest_reported(), self._digest()
        yield "every table of every day is accounted for", "nightly, backfill --json", self._accounted()
        yield "a day is clean where nothing was wrong, and only there", "nightly, backfill --json", self._clean()
        yield "nothing is left to catch up after the last night", "lake", ", ".join(map(str, self._record.catching_up))
        yield "services never end by themselves", "service manager", self._deaths()
        yield self._absent()
        yield from self._late()
        yield from self._cut()
        yield from self._disk()
        yield from self._broker()
        yield from self._worker()
        yield self._operators()

    def _events(self) -> str:
        """All that was played is archived, byte for byte, but what never came and what the topic lost."""
        held = {
            (ref.table_id, ref.gaming_day): [(event.seq, encode(event)) for event in read_events(ref)]
            for ref in table_days(self._ground.archive)
        }
        lost = self._record.cut.events if self._record.cut else set()
        for table_day, events in self._ground.played.items():
            there = held.pop(table_day, [])
            if len({seq for seq, _ in there}) != len(there) or not set(there) <= set(events):
                return f"{table_day}: an event is there twice, or one that was not played"
            missing = {seq for seq, _ in events} - {seq for seq, _ in there}
            if not missing:
                continue
            self._missing[table_day] = missing
            if table_day != self._ground.absent and not {(table_day[0], seq) for seq in missing} <= lost:
                return f"{table_day}: {len(missing)} events are missing, and nobody says so"
        if self._script.cut is not None and not self._missing.keys() - {self._ground.absent}:
            return "the cut hit nothing: the week shows nothing of it"
        refused = sum(counts(self._ground.archive).values())
        return f"{sorted(held)} were never played" if held else f"{refused} in quarantine" if refused else ""

    def _kept(self, summary: Summary) -> Summary:
        kept = [o for o in summary.outcomes if (o.table_id, o.gaming_day) not in self._missing]
        return Summary(outcomes=kept)

    def _digest(self) -> str:
        right, found = self._kept(self._right), self._kept(self._found)
        if right.digest() == found.digest():
            return ""
        own = {(o.table_id, o.gaming_day): o.digest for o in found.outcomes}
        other = [
            (o.table_id, str(o.gaming_day)) for o in right.outcomes if own.get((o.table_id, o.gaming_day)) != o.digest
        ]
        return f"other verdicts: {other}"

    def _digest_reported(self) -> str:
        return f"{self._kept(self._found).digest()[:16]} of {len(self._kept(self._found).outcomes)} table-days"

    def _accounted(self) -> str:
        tables = {table for table, _ in self._ground.played}
        for day in self._dates:
            said = {row["table_id"]: row["status"] for row in self._days.get(str(day), {}).get("tables", ())}
            right = {table: "absent" if self._is_gone(table, day) else "judged" for table in tables}
            if said != right:
                return f"{day}: {said or self._record.last}"
        return ""

    def _is_gone(self, table: str, day: dt.date) -> bool:
        """Whether nothing of a table-day came: it was never recorded, or all of it was in the part that was cut."""
        return len(self._missing.get((table, day), ())) == len(self._ground.played[table, day])

    def _unclean(self) -> set[dt.date]:
        """The days on which something was wrong: a table absent, numbers missing, or messages lost that may concern it."""
        days = {day for _, day in self._missing}
        for table, day in self._missing:
            later = [other for other in self._dates if other > day]
            tail = self._ground.last_at_day(day, table) in self._missing[table, day]
            days |= set(later[:1]) if tail else set()
        return days | {day for day in self._dates if lost_messages(self._ground.archive, day)}

    def _clean(self) -> str:
        wrong = self._unclean()
        said = {day: self._days.get(str(day), {}).get("clean") for day in self._dates}
        other = {str(day): clean for day, clean in said.items() if clean is not (day not in wrong)}
        codes = {
            day: [
                found["code"]
                for found in self._days.get(day, {}).get("findings", ())
                if found["severity"] != "advisory"
            ]
            for day in other
        }
        return f"{other}: {codes}" if other else ""

    def _deaths(self) -> str:
        return ", ".join(f"{each.name} {each.deaths}" for each in self._ground.services() if each.deaths)

    def _absent(self) -> tuple[str, str, str]:
        """Told by the night, its state in Prefect, the artifact, the report; and its numbers as missing the day after."""
        table, day = self._ground.absent
        untold = []
        night = self._record.nights.get(day, {})
        state = f"{night.get('state_type')} {night.get('state', {}).get('message')}"
        if not re.search(rf"FAILED .*{table}", state):
            untold.append(f"state {state}")
        for where, text in (("artifact", self._record.pages.get(day, "")), ("report", self._reports[day][1])):
            if "absent" not in text or table.replace("-", "") not in text.replace("-", "").replace("\\", ""):
                untold.append(where)
        if self._reports[day][0] != 1:
            untold.append(f"the report's exit code {self._reports[day][0]}")
        after = [date for date in self._dates if date > day][:1]
        gaps = [found for found in self._found.between if found.table_id == table and found.code == SEQUENCE_GAP]
        count = len(self._ground.played[table, day])
        if [found.gaming_day for found in gaps] != after or any(f"{count} event(s)" not in f.message for f in gaps):
            untold.append(f"gap: {gaps}")
        reported = "nightly, state, artifact, report" + (", SEQUENCE_GAP the day after" if after else "")
        return f"{table} never comes on {day}", reported, "; ".join(untold)

    def _late(self) -> Iterator[tuple[str, str, str]]:
        if self._script.late is None:
            return
        table, number = self._script.late
        day = self._dates[number]
        first = self._record.pages.get(day, "").replace("\\", "")
        untold = (
            "" if table in first and "absent" in first else f"the first night's artifact does not tell: {first[:500]}"
        )
        yield f"{table} of {day} comes a day later", "artifact: absent; judged by a later night", untold

    def _cut(self) -> Iterator[tuple[str, str, str]]:
        cut = self._record.cut
        if self._script.cut is None or cut is None:
            return
        named = [
            (lost.topic, lost.partition, lost.first, lost.end, str(lost.why))
            for lost in lost_messages(self._ground.archive)
        ]
        untold = (
            [] if named == [(TOPIC, cut.partition, cut.first, cut.end, "deleted")] else [f"told {named}, was {cut}"]
        )
        sentence = f"messages {cut.first} to {cut.end - 1} were deleted before the archive had taken them"
        lines = "\n".join(line.get("what", "") for line in self._ground.archiver_lines())
        days = {day for table_day, day in self._missing if (table_day, day) != self._ground.absent}
        texts = {f"report of {day}": self._reports[day][1] for day in days} | {"archiver": lines}
        untold += [where for where, text in texts.items() if sentence not in text]
        gaps = {(found.table_id, found.gaming_day) for found in self._found.between if found.code == SEQUENCE_GAP} | {
            (o.table_id, o.gaming_day) for o in self._found.outcomes if o.findings[SEQUENCE_GAP]
        }
        hit = self._missing.keys() - {self._ground.absent}
        found = {(table, day) for table, day in hit if any(gap[0] == table and gap[1] >= day for gap in gaps)}
        untold += [f"{table} of {day} has no gap" for table, day in sorted(hit - found) if self._has_more(table, day)]
        concerned = ", ".join(f"{table} of {day}" for table, day in sorted(hit))
        yield (
            f"the topic is cut: offsets {cut.first} to {cut.end - 1} of partition {cut.partition}, {concerned}",
            "archiver's line, report, SEQUENCE_GAP",
            "; ".join(untold),
        )

    def _has_more(self, table: str, day: dt.date) -> bool:
        """Whether the archive has anything of a table behind what is missing of it on a day."""
        last = max((seq for other, seq in self._held_numbers() if other == table), default=0)
        return last > min(self._missing[table, day])

    def _held_numbers(self) -> Iterator[tuple[str, int]]:
        for outcome in self._found.outcomes:
            if outcome.numbers:
                yield outcome.table_id, outcome.numbers[-1][1]

    def _disk(self) -> Iterator[tuple[str, str, str]]:
        if self._script.full_disk is None:
            return
        if not self._ground.disk:
            yield "the archive's disk is full", "not tried: this user cannot mount a small disk", ""
            return
        lines = [line.get("what", "") for line in self._ground.archiver_lines()]
        untold = [] if any("No space left" in line for line in lines) else ["no line says that the disk is full"]
        stuck, freed = (
            {line.split()[1] for line in lines if said in line} for said in ("is not written", "is written again")
        )
        untold += [f"{table} was told as stuck, and never as written again" for table in sorted(stuck - freed)]
        yield f"the archive's disk is full for {self._record.disk_seconds:.0f} s", "archiver's line", "; ".join(untold)

    def _broker(self) -> Iterator[tuple[str, str, str]]:
        lines = [line.get("what", "") for line in self._ground.archiver_lines()]
        again = sum("answers again" in line for line in lines)
        seconds = ", ".join(f"{each:.0f}" for each in self._record.outages)
        kills = sum(service.kills for service in self._ground.recorders.values())
        what = f"broker killed {len(self._record.outages)} times ({seconds} s away)"
        # An archiver that was killed in the same seconds comes back to a broker that is there again, or not yet.
        wrong = "" if again or self._ground.archiver.kills else "the archiver never said that it was gone and is back"
        yield what, f"archiver's line, {again} times", wrong
        yield (
            f"archiver killed {self._ground.archiver.kills} times, recorders {kills}",
            "nothing to tell: nothing lost",
            "",
        )

    def _worker(self) -> Iterator[tuple[str, str, str]]:
        """Both nights are there: the one that found no worker, and the one after, and the first came when there was one."""
        if self._script.dead_worker is None:
            return
        day = self._dates[self._script.dead_worker]
        night = self._record.nights.get(day, {})
        back = self._record.began + (self._script.dead_worker + 2) * self._ground.week.day_seconds
        begun = dt.datetime.fromisoformat(night["start_time"]).timestamp() if night.get("start_time") else 0.0
        wrong = "" if begun >= back else f"it ran at {begun - back:.0f} s, when there was no worker"
        if night.get("name") != f"nightly {day}":
            wrong = f"the late run is named {night.get('name')}"
        yield f"no worker for the night of {day}", f"its run came late: {night.get('name')}", wrong

    def _operators(self) -> tuple[str, str, str]:
        """Each accounted for all tables of the night, and was clean only where each of them was judged."""
        day = str(self._dates[self._script.operators])
        tables = sorted({table for table, _ in self._ground.played})
        wrong, accounts = [], []
        for name, code, said in self._record.operators:
            nights = said.get("days") or [said]
            own = next((night for night in nights if night.get("gaming_day") == day), {})
            accounts.append({row["table_id"]: row["status"] for row in own.get("tables", ())})
            judged = all(status == "judged" for status in accounts[-1].values())
            if code not in (0, 1) or sorted(accounts[-1]) != tables or (own["clean"] and not judged):
                wrong.append(f"{name}: exit {code}, {accounts[-1] or said}")
        if len(accounts) != 3:
            wrong.append(f"{len(accounts)} of 3 ended")
        return f"two operators and a backfill at once on {day}", f"each: {len(tables)} tables", "; ".join(wrong)
