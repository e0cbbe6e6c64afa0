"""Rulings: every doubtful text as a named question with its readings, never a silent choice.

The register is in ``rulings/*.toml``, by the names of the files, one entry per ambiguity: id, option name, question,
versions, article, readings (the first is the default), whether it moves money. A rule consults ``readings("BJ-3")`` exactly
where the readings differ, so that a verdict rests on the rulings consulted while its situation was judged.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import ClassVar, Final, TypeVar

Answer = TypeVar("Answer")

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
        ruling = Ruling(
            id=entry["id"],
            option=entry["option"],
            question=entry["question"],
            game=entry["game"],
            versions=tuple(entry["versions"]),
            article=entry["article"],
            readings=readings,
            money=entry["money"],
            pt=entry.get("pt", readings[0]),
            zh=entry.get("zh", readings[0]),
        )
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


class Readings:
    """The readings in force, with a record of those consulted.

    Equal when the readings are equal; consulting one changes only the record.
    """

    _uncounted_ids: ClassVar[set[str]] = set()
    """The ids consulted within :meth:`uncounted`."""

    def __init__(self, chosen: Mapping[str, str] | None = None, preset: str = "default") -> None:
        """Take ``preset`` and override it by ``chosen`` (id or option name to reading).

        Raises:
            UnknownRuling: unknown ruling, reading or preset.
        """
        if preset not in PRESETS:
            raise UnknownRuling(f"{preset!r} is no preset; there are {', '.join(PRESETS)}")
        self._readings = {ruling.id: ruling.under(preset) for ruling in register().values()}
        for name, reading in (chosen or {}).items():
            ruling = find(name)
            if reading not in ruling.readings:
                raise UnknownRuling(f"{reading!r} is no reading of {ruling.id}; there are {', '.join(ruling.readings)}")
            self._readings[ruling.id] = reading
        self._consulted: set[str] = set()

    def __call__(self, ruling_id: str) -> str:
        """The reading of ``ruling_id`` in force; records that it was consulted."""
        self._consulted.add(ruling_id)
        return self._readings[ruling_id]

    def answer(self, ruling_id: str, **answers: Answer) -> Answer:
        """The answer by the reading in force. The ruling is consulted only where the answers differ.

        >>> Readings().answer("BJ-9", lose="nothing asked", tie="nothing asked")
        'nothing asked'
        """
        different = {repr(answer) for answer in answers.values()}
        if len(different) == 1:
            return next(iter(answers.values()))
        return answers[self(ruling_id)]

    def consulted(self) -> Consultation:
        """Record the ids consulted inside a ``with`` block."""
        return Consultation(self)

    def uncounted(self) -> Consultation:
        """Do not count the rulings consulted inside a ``with`` block, for an answer on which no money depends."""
        return Consultation(self, counts=False)

    def chosen(self) -> dict[str, str]:
        """Only the readings that are not the default, for a run's manifest."""
        entries = register()
        return {key: reading for key, reading in self._readings.items() if reading != entries[key].default}

    def differing(self, other: Readings) -> frozenset[str]:
        """The ids of the rulings that the two read otherwise."""
        return frozenset(key for key, reading in self._readings.items() if reading != other._readings[key])

    @classmethod
    def may_differ(cls, differing: frozenset[str], consulted: Collection[str]) -> bool:
        """Whether an answer that rests on the rulings ``consulted`` may differ where the rulings ``differing`` are read
        differently. Uncounted rulings count here, because they change an answer's other parts."""
        return not (differing.isdisjoint(consulted) and differing.isdisjoint(cls._uncounted_ids))

    def replaced(self, ruling_id: str, reading: str) -> Readings:
        """The same readings with one replaced."""
        return Readings({**self._readings, ruling_id: reading})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Readings) and self._readings == other._readings

    def __hash__(self) -> int:
        return hash(tuple(self._readings.items()))


class Consultation:
    """The ids of the rulings consulted inside a ``with`` block; blocks may be nested."""

    __slots__ = ("_counts", "_outer", "_readings")

    def __init__(self, readings: Readings, *, counts: bool = True) -> None:
        self._readings = readings
        self._counts = counts

    def __enter__(self) -> set[str]:
        self._outer, self._readings._consulted = self._readings._consulted, set()
        return self._readings._consulted

    def __exit__(self, *_: object) -> None:
        if self._counts:
            self._outer |= self._readings._consulted
        else:
            self._readings._uncounted_ids.update(self._readings._consulted)
        self._readings._consulted = self._outer
