"""What an operator may choose for a replay."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from replayer.contract.readings import Readings
from replayer.law.calendar import version_named
from replayer.law.rulings import find, readings_by


@dataclass(frozen=True)
class ReplaySettings:
    """The settings that an operator may choose for a replay; they go into the run's manifest.

    Attributes:
        preset: readings preset: ``default``, ``pt`` or ``zh``.
        readings: overrides for the property, id or option name to reading.
        table_readings: further overrides by table.
        in_force: overrides of first days of versions, by version id.
        regulation: judge every round of its game by this version, rounds of another game as ever (``whatif``).
        options: options that replace the elected ones (``whatif``).

    Raises:
        UnknownRuling: there is no such preset, ruling or reading.
        UnknownVersion: there is no such version.
        TypeError: an option's value is no text, or a version's first day no date.
    """

    preset: str = "default"
    readings: Mapping[str, str] = field(default_factory=dict)
    table_readings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    in_force: Mapping[str, dt.date] = field(default_factory=dict)
    regulation: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for table_id in ("", *self.table_readings):
            self.readings_for(table_id)
        for version in (*self.in_force, *filter(None, [self.regulation])):
            version_named(version)
        for version, day in self.in_force.items():
            if type(day) is not dt.date:  # a datetime is compared with none
                raise TypeError(f"the first day of {version} is {day!r}; give a datetime.date")
        for name, value in self.options.items():
            if not isinstance(value, str):
                raise TypeError(f"option {name} is {value!r}; give its value as the log would, as a text such as '6'")

    def readings_for(self, table_id: str) -> Readings:
        """The readings in force at a table."""
        return readings_by({**self.readings, **self.table_readings.get(table_id, {})}, self.preset)

    def with_readings(self, wanted: Mapping[str, str]) -> ReplaySettings:
        """The same settings with other readings of some rulings (by id), everywhere."""
        tables = {name: _overridden(own, wanted) for name, own in self.table_readings.items()}
        return replace(self, readings=_overridden(self.readings, wanted), table_readings=tables)


def _overridden(own: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Readings with the wanted ones replaced; the own ones may be named by id or option."""
    return {**{find(name).id: reading for name, reading in own.items()}, **wanted}
