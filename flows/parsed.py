"""Parses the values of settings.

Raises:
    ValueError, TypeError, KeyError: the text is no such value; the caller says where it is written and what is allowed.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection
from typing import Any, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from flows import MOST_SECONDS, MOST_WORKERS
from replayer.sources.layout import require_table_id

_WEEK: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAYS: Final = tuple(name[:3] for name in _WEEK)
_BROKER: Final = re.compile(r"[A-Za-z0-9._-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?")
_MOST_DAYS: Final = 36_600


def text(value: Any) -> str:
    """A text that is not empty, can be part of a path, and has no blank at its ends, where nobody sees it."""
    if not isinstance(value, str) or not value or value != value.strip() or "\0" in value:
        raise TypeError
    return value


def folder(value: Any) -> str:
    """A path, in which nothing but a shell would know ~ as somebody's home: it would be a folder of that name."""
    if text(value).startswith("~"):
        raise ValueError
    return str(value)


def brokers(value: Any) -> str:
    """Brokers as kafka-python takes them. What could hold a password is refused."""
    named = text(",".join(map(text, value)) if isinstance(value, list) else value)
    if not all(_BROKER.fullmatch(broker.strip()) for broker in named.split(",")):
        raise ValueError
    return named


def zone(value: Any) -> ZoneInfo:
    """A time zone by its name."""
    return ZoneInfo(text(value))


def url(value: Any) -> str:
    """An address of the web, with a host and, if any, a port that there can be; blanks are no part of one."""
    address = urlsplit(text(value))
    written = value.split() == [value] and not set("<>") & set(value)
    if address.scheme not in ("http", "https") or not address.hostname or address.port == 0 or not written:
        raise ValueError
    return str(value)


def time(value: Any) -> dt.time:
    """A local time, which has no zone of its own."""
    time = value if isinstance(value, dt.time) else dt.time.fromisoformat(value)
    if time.tzinfo is not None:
        raise ValueError
    return time


def day(value: Any) -> dt.date:
    """A date."""
    if type(value) is not dt.date:
        raise TypeError
    return value


def one_of(names: Collection[str]) -> Callable[[Any], str]:
    """What reads one of some names."""

    def read(value: Any) -> str:
        if value not in names:
            raise ValueError
        return str(value)

    return read


def mode(value: Any) -> int:
    """A file mode in octal, as for chmod; the owner must be able to read and write, and nothing is executable."""
    mode = int(text(value), 8)
    if mode & ~0o666 or mode & 0o600 != 0o600:
        raise ValueError
    return mode


def table_id(value: Any) -> str:
    """A name that a table can have."""
    require_table_id(text(value))
    return str(value)


def weekdays(value: Any) -> frozenset[int]:
    """Days of the week by three letters of their names or more; Monday is 0."""
    if not isinstance(value, list) or not value:
        raise TypeError
    return frozenset(_weekday(text(name).lower()) for name in value)


def _weekday(name: str) -> int:
    (day,) = [day for day, whole in enumerate(_WEEK) if len(name) >= 3 and whole.startswith(name)]
    return day


def number(kind: type[int] | type[float], least: float, most: float) -> Callable[[Any], float]:
    """What reads a number between two others."""
    refused = bool | float if kind is int else bool

    def read(value: Any) -> float:
        if isinstance(value, refused) or not least <= (found := kind(value)) <= most:
            raise ValueError
        return found

    return read


days: Final = number(int, 0, _MOST_DAYS)
seconds: Final = number(float, 0, MOST_SECONDS)
count: Final = number(int, 1, MOST_WORKERS)
NUMBERS: Final = (days, seconds, count)
"""What reads a number, which only a variable has as a text."""
