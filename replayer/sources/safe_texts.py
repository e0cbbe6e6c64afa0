"""Parses untrusted texts: JSON, also with its own digest or as records, and TOML.

An unacceptable text raises :class:`TextRefused`. Callers say what that means: a damaged table-day, or a refused setting.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
import tomllib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import asdict, is_dataclass
from enum import Enum
from functools import cache, partial
from types import UnionType
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, cast, get_args, get_origin, get_type_hints

from schemas.printable import printable

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Value = TypeVar("Value")

_MOST_DEPTH: Final = 32
_MOST_DOTS: Final = 128
_MOST_DIGITS: Final = 20

Text = str | bytes
"""A text, or the bytes of one in UTF-8."""


class TextRefused(ValueError):
    """A text is not of its format, or holds unacceptable values; the message says what and where."""


def decoded(data: Text) -> str:
    """Decode a text; TextRefused where it is not UTF-8."""
    if isinstance(data, str):
        return data
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TextRefused(f"line {line}: byte {error.start} is no UTF-8") from None


def read_json(data: Text) -> Any:
    """Parse a JSON text without duplicate keys, and with finite numbers of at most 64 bits only; TextRefused where it is none."""
    try:
        value = json.loads(
            decoded(data), object_pairs_hook=each_once, parse_int=_whole_number, parse_constant=no_number
        )
    except json.JSONDecodeError as error:
        raise TextRefused(f"no JSON at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise TextRefused(f"no JSON that is nested {_MOST_DEPTH} deep at most") from None
    _require_sound(value)
    return value


def digested_json(values: Mapping[str, Any], *, line: bool = False) -> str:
    """A JSON object as a text, or as one ``line``, that ends with its own digest: the SHA-256 of all before it. Half a character,
    which a path may have, is written as a question mark."""
    text = json.dumps(values, ensure_ascii=False, indent=None if line else 2, sort_keys=True)
    said = text.removesuffix("}").removesuffix("\n").encode(errors="replace")
    return (said + _digest(said, line=line)).decode()


def read_digested_json(data: bytes, *, line: bool = False) -> dict[str, Any]:
    """The object of a text of :func:`digested_json`; TextRefused where it is none, or was altered."""
    values = read_json(data.removesuffix(b"\n"))  # else what ends too soon is a fault of a next line
    said, digest = data[: -_DIGEST_BYTES[line]], data[-_DIGEST_BYTES[line] :]
    if not isinstance(values, dict) or digest != _digest(said, line=line):
        raise TextRefused("it is not as this version wrote it, with its SHA-256 last: altered, or of another version")
    del values["sha256"]
    return values


def _digest(said: bytes, *, line: bool) -> bytes:
    form = b', "sha256": "%s"}\n' if line else b',\n  "sha256": "%s"\n}\n'
    return form % hashlib.sha256(said).hexdigest().encode()


_DIGEST_BYTES: Final = {line: len(_digest(b"", line=line)) for line in (False, True)}


def json_object(record: DataclassInstance) -> dict[str, Any]:
    """A dataclass as a JSON object of its fields, days and times by ISO 8601."""
    return asdict(record, dict_factory=lambda fields: {name: _plain(value) for name, value in fields})


def _plain(value: object) -> object:
    if isinstance(value, dt.date):
        return value.isoformat()
    return [*map(_plain, value)] if isinstance(value, tuple) else value


def parsed(kind: type[Value], value: object) -> Value:
    """The value of a type that a JSON value stands for: a dataclass of a :func:`json_object`, a day or time by ISO 8601, a member
    of an enumeration, a list, a tuple, a mapping, a plain value. ValueError, TypeError or KeyError where it stands for none."""
    return cast("Value", _parser_of(cast("Hashable", kind))(value))


@cache
def _parser_of(kind: Any) -> Callable[[object], object]:
    outer, inner = get_origin(kind) or kind, get_args(kind)
    parse: Callable[[Any], object] = _parser_of(inner[-1 if outer is Mapping else 0]) if inner else partial(_of, outer)
    if outer is UnionType:  # with None
        return lambda value: None if value is None else parse(value)
    if outer in (list, tuple):
        return lambda value: outer(map(parse, _of(list, value)))
    if outer is Mapping:
        return lambda value: {name: parse(each) for name, each in _of(dict, value).items()}
    if is_dataclass(outer):
        parsers = {name: _parser_of(own) for name, own in get_type_hints(outer).items()}
        return lambda value: kind(**{name: parsers[name](each) for name, each in _of(dict, value).items()})
    if outer is Any:
        return lambda value: value
    if issubclass(outer, dt.date):
        parse = outer.fromisoformat
    return outer if issubclass(outer, Enum) else parse


def _of(kind: type[Value], value: object) -> Value:
    if type(value) is not kind:
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value


def read_toml(data: Text) -> tuple[str, dict[str, Any]]:
    """A TOML text and its tables, with numbers as in :func:`read_json`; TextRefused where it is no such TOML."""
    text = decoded(data).removeprefix("\ufeff")  # the byte order mark of some editors
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > _MOST_DOTS:  # parsing a dotted key takes quadratic time
            raise TextRefused(f"line {number}: it has more than {_MOST_DOTS} dots; break it")
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise TextRefused(f"no TOML that is nested {_MOST_DEPTH} deep at most") from None
    except ValueError as error:  # tomllib's own, or that of a number with thousands of digits
        raise TextRefused(f"no TOML: {error}") from None
    _require_sound(values)
    return text, values


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, for the standard reader's ``object_pairs_hook``; TextRefused where a key stands twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise TextRefused(f"{printable(twice)!r} stands twice in one object, and which of the two holds is not told")
    return made


def _whole_number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise TextRefused(f"a number of {len(digits)} digits")
    return int(digits)


def no_number(name: str) -> NoReturn:
    """Refuse ``NaN`` and ``Infinity``, for the standard reader's ``parse_constant``; TextRefused."""
    raise TextRefused(f"{name} is no number")


def _require_sound(value: object) -> None:
    """Refuse values that would only fail later, when shown or written."""
    level, depth = [value], 0
    while level:
        if depth > _MOST_DEPTH:
            raise TextRefused(f"it is nested more than {_MOST_DEPTH} deep")
        below: list[object] = []
        for item in level:
            if isinstance(item, str):
                if not item.isascii() and any("\ud800" <= char <= "\udfff" for char in item):
                    raise TextRefused("a text holds half a character")
            elif isinstance(item, dict):
                below += item
                below += item.values()
            elif isinstance(item, list):
                below += item
            elif isinstance(item, int) and not -(1 << 63) <= item < 1 << 63:
                raise TextRefused("a number has more than 64 bits")
            elif isinstance(item, float) and not math.isfinite(item):
                raise TextRefused("a number is not finite")
        level, depth = below, depth + 1
