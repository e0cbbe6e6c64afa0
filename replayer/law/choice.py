"""What a regulation leaves to the house: each choice with its default, and the reading of an elected text."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from replayer.contract.rules import OptionFault
from replayer.law.codes import OPTION_UNKNOWN
from schemas.money import MOST_MINOR, format_amount, parse_amount

_DIGITS: Final = 6
"""The most digits of an elected number: no house has more decks, seats or minutes, and no column would hold them."""
MOST_ODDS: Final = 1000
"""The largest part of elected odds, so that the largest stake times the odds is a valid amount."""
MAY_BE_MISSING: Final = (
    "authorisations",
    "burn",
    "close",
    "custody",
    "cut",
    "deal_order",
    "decisions",
    "faces",
    "hole_check",
    "round_numbers",
    "shuffle",
    "suits",
    "times",
    "totals",
)
"""What the source of a log may say that it does not record."""
_FRACTION: Final = re.compile(r"-?[0-9]{1,9}([/.][0-9]{1,9})?")


class NoSuchChoice(ValueError):
    """The text is not one of the allowed values; the message lists these."""


@dataclass(frozen=True)
class Choice(ABC):
    """One option by its name."""

    name: str

    @property
    def default(self) -> object:
        """The value where nothing was elected; None where there is none."""
        return None

    @abstractmethod
    def read(self, text: str) -> object:
        """The value of an elected text.

        Raises:
            NoSuchChoice: it is none.
        """

    def passed_over(self, text: str) -> str:
        """The part of an elected text that names no value and does not void the rest; empty where there is none."""
        return ""

    def is_usual(self, text: str) -> bool:
        """Whether a text elects what holds where nothing is elected.

        Raises:
            NoSuchChoice: it is no value of this option.
        """
        return bool(self.read(text) == self.default)


def _read_one(text: str, values: tuple[str, ...]) -> str:
    if text not in values:
        raise NoSuchChoice(f"one of {', '.join(values)}")
    return text


@dataclass(frozen=True)
class OneOf(Choice):
    """One of several words; the first is what the text itself says, and the default."""

    values: tuple[str, ...]

    @property
    def default(self) -> str | None:
        """The first value."""
        return self.values[0]

    def read(self, text: str) -> str:
        """The word itself."""
        return _read_one(text, self.values)

    def is_usual(self, text: str) -> bool:
        """Whether it is what the text says without any election."""
        return self.read(text) == self.values[0]


@dataclass(frozen=True)
class Unset(OneOf):
    """One of several words, or nothing elected, which is None."""

    @property
    def default(self) -> None:
        """Nothing."""


@dataclass(frozen=True)
class YesNo(Choice):
    """Something that is on or off."""

    on: bool

    @property
    def default(self) -> bool:
        """Whether it is on."""
        return self.on

    def read(self, text: str) -> bool:
        """``yes`` and ``on``, ``no`` and ``off``."""
        return {"yes": True, "on": True, "no": False, "off": False}[_read_one(text, ("yes", "on", "no", "off"))]


@dataclass(frozen=True)
class Count(Choice):
    """A whole number, not below ``low`` and not above ``high``, if any: the law's limit, or the largest that an event holds."""

    usual: int | None
    low: int
    high: int | None = None

    @property
    def default(self) -> int | None:
        """The usual number; None where there is no limit."""
        return self.usual

    def read(self, text: str) -> int | None:
        """The number; ``none`` only where none is usual."""
        if text == "none" and self.usual is None:
            return None
        if not text.isascii() or not text.isdigit():
            raise NoSuchChoice("a whole number" + (" or none" if self.usual is None else ""))
        if len(text.lstrip("0")) > _DIGITS:
            raise NoSuchChoice(f"a number of {_DIGITS} digits at most")
        number = int(text)
        if number < self.low or (self.high is not None and number > self.high):
            raise NoSuchChoice(f"{self.low} at least" if self.high is None else f"{self.low} to {self.high}")
        return number


@dataclass(frozen=True)
class Amount(Choice):
    """An amount in major units, read as minor units, or none."""

    def read(self, text: str) -> int | None:
        """Minor units."""
        if text == "none":
            return None
        try:
            amount = parse_amount(text)
        except ValueError:
            raise NoSuchChoice("an amount such as 5000 or 12.50, or none") from None
        if not 0 <= amount <= MOST_MINOR:
            raise NoSuchChoice(f"an amount from 0 to {format_amount(MOST_MINOR)}")
        return amount


@dataclass(frozen=True)
class SomeOf(Choice):
    """A set of words, separated by commas; ``usual`` is the default, ``empty`` whether it may have none."""

    values: tuple[str, ...]
    usual: tuple[str, ...]
    empty: bool = True

    @property
    def default(self) -> frozenset[str]:
        """The usual words."""
        return frozenset(self.usual)

    def read(self, text: str) -> frozenset[str]:
        """The words; ``none`` is the empty set."""
        words = [] if self.empty and text in ("", "none") else [part.strip() for part in text.split(",")]
        return frozenset(_read_one(word, self.values) for word in words)


@dataclass(frozen=True)
class NotRecorded(Choice):
    """What the log does not record, of :data:`MAY_BE_MISSING`, separated by commas; it records all by default."""

    name: str = "not_recorded"

    @property
    def default(self) -> frozenset[str]:
        """Nothing."""
        return frozenset()

    def read(self, text: str) -> frozenset[str]:
        """The facts."""
        return self._names(text).intersection(MAY_BE_MISSING)

    def passed_over(self, text: str) -> str:
        """Words that name no fact."""
        return ",".join(sorted(self._names(text).difference(MAY_BE_MISSING)))

    @staticmethod
    def _names(text: str) -> frozenset[str]:
        return frozenset(part.strip() for part in text.split(",") if part.strip() not in ("", "none"))


def _read_fraction(text: str) -> Fraction:
    fraction = text.strip().replace(":", "/")
    try:
        value = Fraction(fraction) if _FRACTION.fullmatch(fraction) else None
    except ZeroDivisionError:
        value = None
    if value is None:
        raise NoSuchChoice("a fraction such as 3/2 or 1")
    if value < 0:
        raise NoSuchChoice("a fraction not below zero")
    if max(value.numerator, value.denominator) > MOST_ODDS:
        raise NoSuchChoice(f"a fraction of numbers up to {MOST_ODDS}")
    return value


@dataclass(frozen=True)
class Odds(Choice):
    """Odds to one, as ``3/2`` or ``3:2``."""

    usual: Fraction

    @property
    def default(self) -> Fraction:
        """The usual odds."""
        return self.usual

    def read(self, text: str) -> Fraction:
        """The odds."""
        return _read_fraction(text)


@dataclass(frozen=True)
class Span(Choice):
    """A part of a stake or a span of parts, as ``1/2`` or ``1/2..1``, within bounds that are the default. ``may_be_narrowed`` is
    whether the house may choose less than the whole span, or than the most."""

    low: Fraction
    high: Fraction
    may_be_narrowed: bool = True

    @property
    def default(self) -> tuple[Fraction, Fraction]:
        """The whole span."""
        return self.low, self.high

    def read(self, text: str) -> tuple[Fraction, Fraction]:
        """Both ends; one value is both."""
        words = {"half": "1/2", "whole": "1"}
        ends = [_read_fraction(words.get(part, part)) for part in text.split("..")]
        if len(ends) > 2 or not self.low <= ends[0] <= ends[-1] <= self.high:
            raise NoSuchChoice(
                f"a part from {self.low} to {self.high}, or a span of parts such as {self.low}..{self.high}"
            )
        if not self.may_be_narrowed and ends not in ([self.low, self.high], [self.high]):
            raise NoSuchChoice(f"one of {self.low}..{self.high}, {self.high}")
        return ends[0], ends[-1]


def elect(elected: Mapping[str, str], choices: Iterable[Choice]) -> tuple[dict[str, Any], list[OptionFault]]:
    """The value of every choice, and the elections that are not possible, which leave the default. Each value is of the type that
    the game's record of options has under its name."""
    offered = {choice.name: choice for choice in choices}
    values = {name: choice.default for name, choice in offered.items()}
    faults = []
    for name, text in elected.items():
        choice = offered.get(name)
        if choice is None:
            faults.append(OptionFault(OPTION_UNKNOWN, name, text, "the regulation in force offers no such option"))
            continue
        try:
            values[name] = choice.read(text)
        except NoSuchChoice as reason:
            faults.append(OptionFault(OPTION_UNKNOWN, name, text, f"not among its values: {reason}"))
        if passed_over := choice.passed_over(text):
            why = "not among its values"
            faults.append(OptionFault(OPTION_UNKNOWN, name, passed_over, why, holds=True))
    return values, faults
