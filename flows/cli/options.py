"""The options that several commands have, each with its help, and what their values must be."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, Token
from cyclopts.validators import Number

from flows import MOST_SECONDS, MOST_WORKERS
from flows.known_errors import CouldNotRun

if TYPE_CHECKING:
    from flows.settings import Settings


def _whole(_: Any, tokens: Sequence[Token]) -> int:
    """A whole number as it is written: the parser would round 3.7, and a page about round 4 answers another question."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"{tokens[0].value[:20]!r} is no whole number") from None


def _brokers(_: Any, tokens: Sequence[Token]) -> str:
    """Brokers as they are written; a password among them is not repeated."""
    if "@" in tokens[0].value:
        raise CouldNotRun("--kafka holds a user's name or password: set the variables KAFKA_SASL_* instead")
    return tokens[0].value


Whole = Annotated[int, Parameter(converter=_whole)]
"""A whole number."""
Workers = Annotated[Whole, Parameter(validator=Number(gte=1, lte=MOST_WORKERS))]
"""A number of processes."""
Days = Annotated[Whole, Parameter(validator=Number(gte=1, lte=10_000))]
"""A number of gaming days."""
Seconds = Annotated[float, Parameter(validator=Number(gte=0, lte=MOST_SECONDS))]
"""A time to wait, from none to a year."""
Brokers = Annotated[str, Parameter(converter=_brokers)]
"""HOST:PORT of a broker, several with commas between."""

SettingsFile = Annotated[Path | None, Parameter(help="A settings file other than pitaudit.toml.")]
Archive = Annotated[Path, Parameter(help="The archive's folder.")]
NamedArchive = Annotated[
    Path | None, Parameter(name="--archive", help="The archive's folder, unless the settings name it.")
]
NamedLake = Annotated[Path | None, Parameter(help="The lake's folder, unless the settings name it.")]
OnlyDay = Annotated[dt.date | None, Parameter(help="Only this gaming day.")]
OnlyTable = Annotated[str | None, Parameter(help="Only this table.")]
Topic = Annotated[str | None, Parameter(help="The topic; pitaudit.events unless set.")]
Processes = Annotated[Workers | None, Parameter(help="Processes to use; 1 unless set.")]
Wait = Annotated[
    Seconds | None,
    Parameter(
        help="How many seconds to wait for another run on the same lake, unless the settings say; ten minutes where nothing does."
    ),
]


def settings_of(file: Path | None, **options: Any) -> Settings:
    """The settings of a file, but for those that a command's options override."""
    from flows.settings import load

    return load(file).given(**options)


def require_folder(folder: Path | None, name: str) -> Path:
    """The folder that an option or the settings name; raises CouldNotRun where neither does."""
    if folder is None:
        raise CouldNotRun(f"no {name} is named: give --{name} DIR, or set {name} in pitaudit.toml")
    return folder


def require_place_for_archive(folder: Path) -> Path:
    """A path at which an archive is, or may be made; raises CouldNotRun where a file is there, or a lake alone."""
    from producers.outputs import why_no_archive

    if folder.exists() and not folder.is_dir():
        raise CouldNotRun(f"{folder} is a file: name a folder for the archive")
    if why := why_no_archive(folder):
        raise CouldNotRun(why)
    return folder


def require_order(first: dt.date | None, last: dt.date | None) -> None:
    """Two gaming days in their order, where both are named; raises CouldNotRun where the first one is the later one."""
    if first is not None and last is not None and last < first:
        raise CouldNotRun(f"--from {first} is later than --to {last}: swap them")


def require_kafka(chosen: Settings) -> str:
    """The brokers that an option or the settings name; raises CouldNotRun where neither does."""
    if chosen.kafka_bootstrap_servers is None:
        raise CouldNotRun(
            "no broker is named: give --kafka HOST:PORT, or set bootstrap_servers in [kafka] of pitaudit.toml"
        )
    return chosen.kafka_bootstrap_servers


def require_lake(chosen: Settings, day: dt.date | None = None) -> Path:
    """A lake that has something to read; raises CouldNotRun where none is named, or it holds no table-day (of ``day``)."""
    from analytics.lake import days_of, require_usable

    lake = require_folder(chosen.lake, "lake")
    require_usable(lake)
    if not days_of(lake, day, day):
        of_day = f" of {day}" if day else ""
        raise CouldNotRun(f"lake {lake} holds no table-day{of_day}: fill it with `pitaudit nightly`")
    return lake


def pairs(given: tuple[str, ...], option: str) -> dict[str, str]:
    """Names and values of an option that is given as name=value. Raises CouldNotRun where one is written otherwise, or a name
    stands twice."""
    made: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise CouldNotRun(f"{option} {text}: write it as name=value")
        if made.setdefault(name, value) != value:
            raise CouldNotRun(f"{option} {text}: it is {made[name]} as well; give {name} once")
    return made
