"""Settings: what an operator may choose, from ``pitaudit.toml`` and the environment. Secrets only from the latter.

``flows/deployment/pitaudit.toml`` has every setting with its meaning.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

from flows import MOST_WORKERS, parsed
from flows.expected import Expecting, RegisteredTable
from producers import ARCHIVER_GROUP, QUIET_SECONDS
from producers.recorder import GamingDays
from replayer.engine.replay_settings import ReplaySettings
from replayer.law.calendar import VERSIONS, UnknownVersion, games, version_named
from replayer.law.rulings import PRESETS, UnknownRuling, find
from replayer.sources.layout import FILE_MODE, TABLE_ID
from replayer.sources.safe_files import MOST_SMALL, read_file
from replayer.sources.safe_texts import TextRefused, read_toml
from schemas.event import micros
from schemas.identity import KEY_VARIABLE

FILE_NAME: Final = "pitaudit.toml"
FILE_VARIABLE: Final = "PITAUDIT_SETTINGS"
TOPIC: Final = "pitaudit.events"

_T = TypeVar("_T")
_D = TypeVar("_D")

WAIT_FOR_SEALING_SECONDS: Final = 1800.0
_A_DAY: Final = dt.timedelta(days=1)
_DAYS: Final = (parsed.days, "a number of days from 0 up")
_SECONDS: Final = (parsed.seconds, "seconds from 0 up to a year")
_FOLDER: Final = (parsed.folder, "a folder, written in full where it begins with ~")
_TABLE: Final = "a table's name: letters, digits, _ and -, at most 64, and no date"
KEYS: Final[Mapping[str, tuple[Callable[[Any], Any], str]]] = {
    "archive": _FOLDER,
    "lake": _FOLDER,
    "reports": _FOLDER,
    "reports_url": (parsed.url, "an address, as https://reports.example"),
    "time_zone": (parsed.zone, "a zone like Asia/Macau"),
    "gaming_day_begins": (parsed.time, "a local time like 06:00"),
    "workers": (parsed.count, f"a number of processes from 1 to {MOST_WORKERS}"),
    "wait_seconds": _SECONDS,
    "look_back_days": _DAYS,
    "catch_up_days": _DAYS,
    "wait_for_sealing_seconds": _SECONDS,
    "file_mode": (parsed.mode, "a file mode in quotes, as 0640"),
}
"""The settings at the top of the file: what reads a value, and what a value is. ``PITAUDIT_KEY`` overrides each."""
KAFKA_KEYS: Final[Mapping[str, tuple[Callable[[Any], Any], str]]] = {
    "bootstrap_servers": (
        parsed.brokers,
        "HOST:PORT of a broker, several with commas between; no user name or password, those are variables KAFKA_*",
    ),
    "topic": (parsed.text, "a topic's name"),
    "group": (parsed.text, "a consumer group's name"),
    "quiet_seconds": (parsed.seconds, "a number of seconds"),
}
"""Those in its table ``kafka``, likewise; ``PITAUDIT_KAFKA_KEY`` overrides each."""
TABLES: Final = ("tables", "kafka", "rulings", "calendar")


def _variable(setting: str) -> str:
    """The variable that overrides a setting, which is named as in ``kafka.topic``."""
    return f"PITAUDIT_{setting.replace('.', '_').upper()}"


_VARIABLES: Final = (
    KEY_VARIABLE, FILE_VARIABLE, *map(_variable, KEYS), *(_variable(f"kafka.{key}") for key in KAFKA_KEYS),
)  # fmt: skip
_MISSPELT: Final = 0.93
"""How like one of them a variable's name is that was meant to be it; other programs' variables may begin with ours as well."""


class SettingsRefused(ValueError):
    """A setting that cannot be used; the message names the file or variable, the key, and what would do."""


@dataclass(frozen=True)
class Settings:
    """All settings of a run."""

    archive: Path | None = None
    lake: Path | None = None
    reports: Path | None = None
    reports_url: str | None = None
    time_zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("Asia/Macau"))
    gaming_day_begins: dt.time = dt.time(6)
    workers: int = 1
    wait_seconds: float = 600.0
    expecting: Expecting = field(default_factory=Expecting)
    catch_up_days: int | None = None
    wait_for_sealing_seconds: float | None = None
    file_mode: int = FILE_MODE
    kafka_bootstrap_servers: str | None = None
    kafka_topic: str = TOPIC
    kafka_group: str = ARCHIVER_GROUP
    kafka_quiet_seconds: float = QUIET_SECONDS
    replay: ReplaySettings = field(default_factory=ReplaySettings)

    @property
    def gaming_days(self) -> GamingDays:
        """When gaming days begin at this property."""
        return GamingDays(self.time_zone, self.gaming_day_begins)

    def given(self, **options: Any) -> Settings:
        """These settings, but for those that a command's options override: the ones that are not None."""
        return replace(self, **{name: value for name, value in options.items() if value is not None})

    def last_gaming_day(self, now: dt.datetime) -> dt.date:
        """The gaming day that ended last before ``now`` (aware): the one that a morning's run is about."""
        return self.gaming_days.of(micros(now)) - _A_DAY

    def end_of(self, day: dt.date) -> dt.datetime:
        """When a gaming day is over."""
        last = day == dt.date.max
        return dt.datetime.combine(day if last else day + _A_DAY, self.gaming_day_begins, self.time_zone)

    def wait_for_sealing(self, day: dt.date, now: dt.datetime) -> float:
        """How many seconds a night waits for tables of ``day`` that are not sealed.

        Unless set it is half an hour for a gaming day that was over within the last day: what is still open of an earlier
        one will not be sealed while somebody waits.
        """
        if self.wait_for_sealing_seconds is not None:
            return self.wait_for_sealing_seconds
        fresh = dt.timedelta(0) <= now - self.end_of(day) < _A_DAY
        return WAIT_FOR_SEALING_SECONDS if fresh else 0.0


def load(file: Path | None = None, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of ``file``, or of ``PITAUDIT_SETTINGS``, or of ``pitaudit.toml`` here; variables override the file. Raises
    SettingsRefused where the file cannot be read, or a key or value in it or in a variable cannot be used."""
    for name in sorted(environment.keys() - set(_VARIABLES)):
        if name.startswith("PITAUDIT_") and (meant := get_close_matches(name, _VARIABLES, 1, _MISSPELT)):
            raise SettingsRefused(f"the variable {name} is no setting; did you mean {meant[0]}?")
    named = file or (Path(environment[FILE_VARIABLE]) if environment.get(FILE_VARIABLE) else None)
    path, values = named or Path(FILE_NAME), dict[str, Any]()
    try:
        _, values = read_toml(read_file(path, MOST_SMALL))
    except FileNotFoundError:
        if named is not None:
            raise SettingsRefused(f"{named}: no such settings file; name one with --settings or leave it out") from None
    except OSError as error:
        raise SettingsRefused(f"{path}: {error.strerror}") from None
    except TextRefused as error:
        raise SettingsRefused(f"{path}: {error}; settings are TOML in UTF-8") from None
    top, kafka = (
        {key: said for key in keys if (said := environment.get(_variable(f"{table}{key}")))}
        for keys, table in ((KEYS, ""), (KAFKA_KEYS, "kafka."))
    )
    return _settings(_Reader(values, str(path), top), kafka, path.parent)


@dataclass(frozen=True, slots=True)
class _Reader:
    """One table of the file; takes values out by key, and names file and key where a value is invalid.

    ``variables`` has what variables of the environment say, which overrides the table, by key.
    """

    values: Mapping[str, Any]
    where: str
    variables: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""

    def refuse(self, key: str, why: str) -> SettingsRefused:
        name = f"{self.prefix}{key}"
        variable = f"the variable {_variable(name)}"
        return SettingsRefused(f"{variable if key in self.variables else f'{self.where}: {name}'} {why}")

    def only(self, known: Set[str]) -> None:
        for key in self.values:
            if any(word in key for word in ("password", "secret", "username", "sasl", "ssl")):
                raise self.refuse(key, "is refused: secrets are not kept in files, set the variables KAFKA_* instead")
            if key not in known:
                raise self.refuse(key, f"is no setting; there are {', '.join(sorted(known))}")

    def table(self, key: str, variables: Mapping[str, str] = MappingProxyType({})) -> _Reader:
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.refuse(key, f"is {value!r}; it is a table, [{self.prefix}{key}]")
        return _Reader(value, self.where, variables, f"{self.prefix}{key}.")

    def value(self, key: str, read: Callable[[Any], _T], default: _D, what: str) -> _T | _D:
        """The variable's value where it is set, else the file's, else ``default``; ``what`` says what would do."""
        said = self.variables.get(key) or self.values.get(key)
        if said is None:
            return default
        try:
            if read in parsed.NUMBERS and isinstance(said, str) and key not in self.variables:
                raise TypeError
            return read(said)
        except (ValueError, TypeError, KeyError, OSError):
            raise self.refuse(key, f"is {said!r}; it is {what}") from None


def _settings(top: _Reader, kafka_variables: Mapping[str, str], base: Path) -> Settings:
    """The settings of a file; a relative path in it starts at its folder, ``base``."""
    top.only({*KEYS, *TABLES})
    kafka = top.table("kafka", kafka_variables)
    kafka.only(KAFKA_KEYS.keys())
    # A password is not repeated, and no file holds one, not even where a variable overrides what it says.
    for reader in (replace(kafka, variables={}), kafka):
        said = reader.variables.get("bootstrap_servers") or reader.values.get("bootstrap_servers")
        if "@" in str(said):
            why = "is refused: it holds a user's name or password, set the variables KAFKA_*"
            raise reader.refuse("bootstrap_servers", why)
    host = str(top.variables.get("reports_url") or top.values.get("reports_url")).partition("//")[2].partition("/")[0]
    if "@" in host:
        raise top.refuse("reports_url", "is refused: it holds a user's name or password, which every report would show")
    register = _register(top)
    given = {key: top.value(key, read, None, what) for key, (read, what) in KEYS.items()}
    for key in ("archive", "lake", "reports"):
        if (folder := given[key]) is not None:
            given[key] = (Path() if key in top.variables else base) / folder
    look_back = given.pop("look_back_days")
    expecting = Expecting(register) if look_back is None else Expecting(register, look_back)
    given |= {f"kafka_{key}": kafka.value(key, read, None, what) for key, (read, what) in KAFKA_KEYS.items()}
    replay = _replay_settings(top, {each.table_id for each in register})
    return Settings(expecting=expecting, replay=replay).given(**given)


def _register(top: _Reader) -> tuple[RegisteredTable, ...]:
    lines = top.values.get("tables", [])
    if not isinstance(lines, list) or not all(isinstance(line, dict) for line in lines):
        raise top.refuse("tables", "is no register: write each table under [[tables]]")
    register: list[RegisteredTable] = []
    numbers: dict[str, list[int]] = {}
    for number, line in enumerate(lines, 1):
        reader = _Reader(line, top.where, prefix=f"[[tables]] {number}: ")
        register.append(table := _registered(reader))
        for other in numbers.setdefault(table.table_id, []):
            if register[other - 1].contradicts(table):
                game = register[other - 1].game
                raise reader.refuse("game", f"is {table.game}; [[tables]] {other} has it play {game} on the same days")
        numbers[table.table_id].append(number)
    return tuple(register)


def _registered(line: _Reader) -> RegisteredTable:
    line.only({"id", "game", "from", "until", "weekdays"})
    if "id" not in line.values:
        raise line.refuse("id", "is missing: which table is it?")
    day = "a date like 2026-01-05"
    registered = RegisteredTable(
        line.value("id", parsed.table_id, "", _TABLE),
        line.value("game", parsed.one_of(games()), None, f"one of {', '.join(games())}"),
        line.value("from", parsed.day, dt.date.min, day),
        line.value("until", parsed.day, dt.date.max, day),
        line.value("weekdays", parsed.weekdays, frozenset(range(7)), f"a list of {', '.join(parsed.WEEKDAYS)}"),
    )
    if registered.until < registered.first:
        raise line.refuse("until", f"is {registered.until}; that is before its from, {registered.first}")
    if not registered.plays_with(registered):
        raise line.refuse("weekdays", "are no days from its from to its until: the table would never play")
    return registered


def _replay_settings(top: _Reader, registered: Set[str]) -> ReplaySettings:
    """What a replay may choose. A table that the register does not have is a slip, and another goes without its readings."""
    rulings, calendar = top.table("rulings"), top.table("calendar")
    rulings.only({"preset", "property", "table"})
    preset = rulings.value("preset", parsed.one_of(PRESETS), "default", f"one of {', '.join(PRESETS)}")
    tables = rulings.table("table")
    for name in sorted(tables.values.keys() - registered):
        if registered:
            raise tables.refuse(name, "is no table of the register; name it under [[tables]], or correct it here")
        if TABLE_ID.fullmatch(name) is None:
            raise tables.refuse(name, f"is no table; it is {_TABLE}")
    for version in calendar.values:
        try:
            dated = version_named(version).in_force
        except UnknownVersion as error:
            raise calendar.refuse(version, f"cannot be used: {error}") from None
        if not dated:
            raise calendar.refuse(version, "is in force by no date; a table's option regulation names it")
    in_force = {key: calendar.value(key, parsed.day, dt.date.min, "a date like 2009-04-14") for key in calendar.values}
    for earlier, later in pairwise(each for each in VERSIONS if each.in_force):
        before, first = (in_force.get(each.id, dt.date.fromisoformat(each.in_force)) for each in (earlier, later))
        if earlier.game == later.game and first < before:
            moved = (later if later.id in in_force else earlier).id
            why = f"{later.id}, which follows {earlier.id}, would begin before it, on {first} before {before}"
            raise calendar.refuse(moved, f"is {in_force[moved]}; {why}")
    return ReplaySettings(
        preset=preset,
        readings=_readings(rulings.table("property"), preset),
        table_readings={name: _readings(tables.table(name), preset) for name in tables.values},
        in_force=in_force,
    )


def _readings(table: _Reader, preset: str) -> dict[str, str]:
    chosen = {name: table.value(name, parsed.text, "", "a reading's name") for name in table.values}
    names: dict[str, str] = {}
    for name, reading in chosen.items():
        try:
            ReplaySettings(preset, {name: reading})
        except UnknownRuling as error:
            raise table.refuse(name, f"cannot be used: {error}") from None
        first = names.setdefault(find(name).id, name)
        if chosen[first] != reading:
            raise table.refuse(name, f"is {reading!r}; it is {chosen[first]!r} as {first}, which is the same ruling")
    return chosen
