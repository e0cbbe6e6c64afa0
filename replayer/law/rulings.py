"""Rulings: every doubtful text as a named question with its readings, never a silent choice.

The register is in ``rulings/*.toml``, by the names of the files, one entry per ambiguity: id, option name, question,
versions, article, readings (the first is the default), whether it moves money. A rule consults ``readings("BJ-3")`` exactly
where the readings differ, so that a verdict rests on the rulings consulted while its situation was judged.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, Generic, TypeAlias, TypeVar

from replayer.contract.readings import Readings

PRESETS: Final = ("default", "pt", "zh")


class UnknownRuling(ValueError):
    """No ruling of that id or option name, or no such reading; the message lists what there is."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """One question that the text leaves open. ``readings[0]`` is the default; ``pt`` and ``zh`` where they differ."""

    id: str
    option: str
    question: str
    game: str
    versions: tuple[str, ...]
    article: str
    readings: tuple[str, ...]
    money: bool
    pt: str
    zh: str

    @property
    def default(self) -> str:
        """The reading where none is chosen."""
        return self.readings[0]

    def under(self, preset: str) -> str:
        """The reading of a preset."""
        return {"default": self.default, "pt": self.pt, "zh": self.zh}[preset]


@cache
def register() -> Mapping[str, Ruling]:
    """Every ruling by id, in the order of the register.

    Raises:
        UnknownRuling: an entry whose ``pt`` or ``zh`` reading is not among its readings.
    """
    folder = resources.files("replayer.law") / "rulings"
    files = sorted((each for each in folder.iterdir() if each.name.endswith(".toml")), key=lambda each: each.name)
    texts = [each.read_text(encoding="utf-8") for each in files]
    entries: dict[str, Ruling] = {}
    for entry in (entry for text in texts for entry in tomllib.loads(text)["ruling"]):
        readings = tuple(entry["readings"])
        of_text = {"pt": readings[0], "zh": readings[0]}
        ruling = Ruling(**of_text | entry | {"versions": tuple(entry["versions"]), "readings": readings})
        if not {ruling.pt, ruling.zh} <= set(readings):
            raise UnknownRuling(f"{ruling.id}: pt and zh must be among {', '.join(readings)}")
        entries[ruling.id] = ruling
    return entries


def find(name: str) -> Ruling:
    """The ruling of an id (``BJ-3``) or an option name (``soft17_scope``).

    Raises:
        UnknownRuling: there is none.
    """
    for ruling in register().values():
        if name in (ruling.id, ruling.option):
            return ruling
    parts = [ruling for ruling in register() if ruling[:-1] == name]
    if parts:
        raise UnknownRuling(f"{name} is more than one question: {', '.join(parts)}")
    raise UnknownRuling(f"{name!r} is no ruling; `pitaudit rulings` lists them")


def readings_by(chosen: Mapping[str, str] | None = None, preset: str = "default") -> Readings:
    """The readings of ``preset``, with those ``chosen`` (id or option name to reading) in their place.

    Raises:
        UnknownRuling: unknown ruling, reading or preset.
    """
    if preset not in PRESETS:
        raise UnknownRuling(f"{preset!r} is no preset; there are {', '.join(PRESETS)}")
    by_ruling = {ruling.id: ruling.under(preset) for ruling in register().values()}
    for name, reading in (chosen or {}).items():
        ruling = find(name)
        if reading not in ruling.readings:
            raise UnknownRuling(f"{reading!r} is no reading of {ruling.id}; there are {', '.join(ruling.readings)}")
        by_ruling[ruling.id] = reading
    return Readings(by_ruling)


def not_default(readings: Readings) -> dict[str, str]:
    """Only the readings that are not the default, for a run's manifest."""
    entries = register()
    return {key: reading for key, reading in readings.by_ruling.items() if reading != entries[key].default}


Answer = TypeVar("Answer")
Under: TypeAlias = Callable[[str], str]
"""Gives the reading of a ruling by its id."""


@dataclass(frozen=True, slots=True)
class _Asked(Generic[Answer]):
    """What an answer is by the reading of a ruling: known, or by that of a further one."""

    ruling: str
    by_reading: Mapping[str, Answer | _Asked[Answer]]


class Doubt(Generic[Answer]):
    """A question evaluated once under every combination of the readings that it asks for. A ruling is consulted when its readings
    lead to different answers, so that a verdict names only rulings that can change it, or when it has one reading only and so
    states how a doubt was settled. They are consulted in the order in which the question asks."""

    def __init__(self, question: Callable[[Under], Answer]) -> None:
        self._known = _evaluated(question, {})

    @property
    def settled(self) -> Answer | None:
        """The answer, if it depends on no ruling."""
        return None if isinstance(self._known, _Asked) else self._known

    def answer(self, readings: Readings) -> Answer:
        """The answer under the readings in force."""
        known = self._known
        while isinstance(known, _Asked):
            known = known.by_reading[readings(known.ruling)]
        return known


def _evaluated(question: Callable[[Under], Answer], given: Mapping[str, str]) -> Answer | _Asked[Answer]:
    """The answer under the readings ``given``, or what it is by those of the first other ruling that the question asks for."""
    try:
        return question(given.__getitem__)
    except KeyError as not_given:
        ruling = register()[not_given.args[0]]
    by_reading = {reading: _evaluated(question, {**given, ruling.id: reading}) for reading in ruling.readings}
    first, *others = by_reading.values()
    return first if others and all(other == first for other in others) else _Asked(ruling.id, by_reading)
