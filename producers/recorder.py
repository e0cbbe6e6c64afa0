"""The API that a table system embeds: it reports facts, which the recorder checks, numbers, dates and writes. README has an
example."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from producers.sinks import NotDurable, Sink
from schemas.bounds import NUMBERS
from schemas.codec import encode
from schemas.encoder import value_text
from schemas.event import (
    CardAt,
    Chips,
    Decision,
    Event,
    EventRejected,
    Option,
    Remark,
    Shoe,
    Table,
    Wager,
    micros,
    moment,
)

_MACAU: Final = ZoneInfo("Asia/Macau")
_SIX: Final = dt.time(6)


def now() -> int:
    """The machine's clock as UTC microseconds since 1970."""
    return micros(dt.datetime.now(dt.UTC))


@dataclass(frozen=True, slots=True)
class GamingDays:
    """When a gaming day begins: at ``cut_off`` local time of ``zone``; it has the name of the date it begins on. In an hour that
    comes twice it begins the first time; in one that is skipped, when the clock would have shown it if nobody had set it.

    >>> GamingDays().of(micros(dt.datetime(2026, 1, 5, 21, 59, tzinfo=dt.UTC)))  # 05:59 of 6 January in Macau
    datetime.date(2026, 1, 5)

    Raises:
        TypeError: an argument is of another type, or ``cut_off`` has a zone of its own.
    """

    zone: ZoneInfo = _MACAU
    cut_off: dt.time = _SIX

    def __post_init__(self) -> None:
        if not isinstance(self.zone, dt.tzinfo):
            raise TypeError(f"zone is {self.zone!r}; give a zone, such as zoneinfo.ZoneInfo('Asia/Macau')")
        if not isinstance(self.cut_off, dt.time) or self.cut_off.tzinfo:
            raise TypeError(f"cut_off is {self.cut_off!r}; give the time in that zone, such as datetime.time(6)")

    def of(self, at: int) -> dt.date:
        """The gaming day of a moment given in UTC microseconds since 1970; EventRejected where it is outside the calendar."""
        try:
            day = moment(at).astimezone(self.zone).date()
            return day - dt.timedelta(days=moment(at) < self._beginning(day))
        except OverflowError:
            raise EventRejected(f"at is {at}; no gaming day of the calendar has that moment") from None

    def begin(self, gaming_day: dt.date) -> int:
        """The first UTC microsecond of a gaming day."""
        return micros(self._beginning(gaming_day).astimezone(dt.UTC))

    def _beginning(self, gaming_day: dt.date) -> dt.datetime:
        return dt.datetime.combine(gaming_day, self.cut_off, self.zone)


class Recorder:
    """Records one table. It continues the gapless ``seq`` that it finds in the sink. Several threads may use it.

    Raises:
        TableIdRefused, SinkBusy, NotDurable: the sink cannot open the table.
        TypeError: an argument is of another type.
    """

    def __init__(
        self,
        sink: Sink,
        table_id: str,
        *,
        clock: Callable[[], int | dt.datetime] = now,
        gaming_days: GamingDays | None = None,
    ) -> None:
        _require_types(sink, table_id, clock, gaming_days)
        self.table_id = table_id
        self._sink = sink
        self._clock = clock
        self._gaming_days = gaming_days or GamingDays()
        self._seq = sink.last_seq(table_id)
        self._lock = threading.RLock()
        self._day = dt.date.min
        self._day_span = range(0)

    @property
    def last_seq(self) -> int:
        """The ``seq`` of the last event recorded, durable or not; 0 before the first."""
        return self._seq

    def record(
        self,
        kind: str,
        *,
        round: int | None = None,
        at: int | dt.datetime | None = None,
        gaming_day: dt.date | None = None,
        table: Table | None = None,
        option: Option | None = None,
        shoe: Shoe | None = None,
        card: CardAt | None = None,
        wager: Wager | None = None,
        decision: Decision | None = None,
        chips: Chips | None = None,
        remark: Remark | None = None,
    ) -> Event:
        """Record a fact. ``at`` (UTC microseconds or an aware datetime) is the clock's unless given.

        ``gaming_day`` is that of ``at`` unless given. Give it to the events of a round that is played past the end of its gaming
        day, and to a closing or a count of the drop after that end: only the table system knows their gaming day.

        The event is durable after the next :meth:`flush`. A rejected one uses no ``seq``.

        Raises:
            EventRejected: it breaks the contract.
            NotDurable: the sink cannot take it.
            SinkBusy: another recorder took the table over.
            SequenceConflict: another recorder wrote the table through the same sink; record it with that one, or make a new one.
        """
        bodies = (table, option, shoe, card, wager, decision, chips, remark)
        with self._lock:
            if at is None:
                at = self._clock()
            if isinstance(at, dt.datetime):
                at = micros(at)
            if gaming_day is None:
                gaming_day = self._gaming_day(at)
            seq = self._seq + 1
            event = Event(self.table_id, seq, at, gaming_day, kind, round, *bodies)
            self._sink.append(self.table_id, gaming_day, seq, encode(event))
            self._seq = seq
        return event

    def flush(self) -> int:
        """Make all recorded events durable; returns the ``seq`` up to which they are. NotDurable where some are not: those that
        an earlier flush acknowledged still are."""
        recorded = self._seq
        durable = self._sink.flush().get(self.table_id, 0)
        if durable < recorded:
            raise NotDurable(
                f"table {self.table_id}: the sink was closed; what it had acknowledged is safe, what came after is not recorded"
            )
        return durable

    def seal(self, gaming_day: dt.date) -> None:
        """Complete a gaming day: flush, and expect no more events of it.

        Raises:
            NothingToSeal: an archive has no event of that day.
            NotDurable: it could not be sealed; seal again.
            TypeError: it is no date.
        """
        if type(gaming_day) is not dt.date:
            raise TypeError(f"gaming_day is {gaming_day!r}; give a datetime.date, such as datetime.date(2009, 6, 1)")
        self._sink.seal(self.table_id, gaming_day)

    def _gaming_day(self, at: int) -> dt.date:
        if type(at) is not int:
            raise EventRejected(f"at is {at!r}; it is UTC microseconds, or a datetime with a zone")
        first, last = NUMBERS["at"]
        if not first <= at <= last:  # outside the calendar
            raise EventRejected(f"at is {value_text(at)}; it is {first} to {last}")
        if at not in self._day_span:
            self._day = self._gaming_days.of(at)
            next_day = self._day + dt.timedelta(days=1)
            self._day_span = range(self._gaming_days.begin(self._day), self._gaming_days.begin(next_day))
        return self._day


def _require_types(sink: object, table_id: object, clock: object, gaming_days: object) -> None:
    if not hasattr(sink, "last_seq"):
        raise TypeError(f"sink is a {type(sink).__name__}; give a sink, such as ArchiveSink(Path('archive'))")
    if not isinstance(table_id, str):
        raise TypeError(f"table_id is {table_id!r}; give the table's id as a text, such as 'T1'")
    if not callable(clock):
        raise TypeError(f"clock is {clock!r}; give a function that tells UTC microseconds since 1970")
    if not isinstance(gaming_days, GamingDays | None):
        raise TypeError(f"gaming_days is {gaming_days!r}; give GamingDays(zone, cut_off)")
