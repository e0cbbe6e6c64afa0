"""What a regulation leaves to the house: each choice with its default, and the reading of an elected text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
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


@dataclass(frozen=True, slots=True)
class Choice:
    """An option.

    Attributes:
        name: as it is elected.
        usual: the value that holds where nothing is elected, or that the text of the law has first; None where it has none.
        described: its values in a line, the usual one first, or its bounds.
        read: the value of an elected text; raises :class:`NoSuchChoice` where that is none.
        passed_over: the part of an elected text that names no value and does not void the rest; empty where there is none.
        elected_by_nobody: whether it has no value, None, where nothing is elected.
        assumed: whether the usual value is none of the text's, which is said where something rests on it and nobody elected it.

    >>> one_of("device", "shoe", "box").described, count("decks", 6, 1).described
    ('shoe, box', '1 at least, usually 6')
    """

    name: str
    usual: object
    described: str
    read: Callable[[str], object]
    passed_over: Callable[[str], str] = lambda text: ""
    elected_by_nobody: bool = False
    assumed: bool = False

    @property
    def default(self) -> object:
        """The value where nothing was elected; None where there is none."""
        return None if self.elected_by_nobody else self.usual

    def changes(self, text: str) -> bool:
        """Whether a text elects another value than the usual one; one that is no value of this option does not."""
        try:
            return bool(self.read(text) != self.usual)
        except NoSuchChoice:
            return False


def _read_one(text: str, values: Sequence[str]) -> str:
    if text not in values:
        raise NoSuchChoice(f"one of {', '.join(values)}")
    return text


def one_of(name: str, *values: str) -> Choice:
    """One of several words; the first is what the text itself says, and the default."""
    return Choice(name, values[0], ", ".join(values), partial(_read_one, values=values))


def unset(name: str, *values: str) -> Choice:
    """One of several words, or nothing elected, which is None."""
    return replace(one_of(name, *values), described=f"{', '.join(values)}; elected by nobody", elected_by_nobody=True)


def assumed(choice: Choice) -> Choice:
    """The same, of which the text has no value of its own."""
    return replace(choice, assumed=True)


def yes_no(name: str, *, on: bool) -> Choice:
    """Something that is on or off: ``yes`` and ``on``, ``no`` and ``off``."""
    values = {"yes": True, "on": True, "no": False, "off": False}
    return Choice(name, on, "on, off" if on else "off, on", lambda text: values[_read_one(text, (*values,))])


def count(name: str, usual: int | None, low: int, high: int | None = None) -> Choice:
    """A whole number, not below ``low`` and not above ``high``, if any: the law's limit, or the largest that an event holds;
    ``none`` only where none is usual."""
    bounds = f"{low} at least" if high is None else f"{low} to {high}"

    def read(text: str) -> int | None:
        if text == "none" and usual is None:
            return None
        if not text.isascii() or not text.isdigit():
            raise NoSuchChoice("a whole number" + (" or none" if usual is None else ""))
        if len(text.lstrip("0")) > _DIGITS:
            raise NoSuchChoice(f"a number of {_DIGITS} digits at most")
        number = int(text[-_DIGITS:])  # all before them is zeros, of which int reads no thousands
        if number < low or (high is not None and number > high):
            raise NoSuchChoice(bounds)
        return number

    return Choice(name, usual, f"{bounds}, usually {'none' if usual is None else usual}", read)


def amount(name: str) -> Choice:
    """An amount in major units, read as minor units, or none."""
    return Choice(name, None, "an amount", _read_amount)


def _read_amount(text: str) -> int | None:
    if text == "none":
        return None
    try:
        read = parse_amount(text)
    except ValueError:
        raise NoSuchChoice("an amount such as 5000 or 12.50, or none") from None
    if not 0 <= read <= MOST_MINOR:
        raise NoSuchChoice(f"an amount from 0 to {format_amount(MOST_MINOR)}")
    return read


def some_of(name: str, values: Sequence[str], usual: Sequence[str], *, empty: bool = True) -> Choice:
    """A set of words, separated by commas; ``empty`` is whether it may have none, ``none``."""

    def read(text: str) -> frozenset[str]:
        words = [] if empty and text in ("", "none") else [part.strip() for part in text.split(",")]
        return frozenset(_read_one(word, values) for word in words)

    described = f"any of {', '.join(values)}; usually {', '.join(usual) or 'none'}"
    return Choice(name, frozenset(usual), described, read)


def odds(name: str, usual: Fraction) -> Choice:
    """Odds to one, as ``3/2`` or ``3:2``."""
    return Choice(name, usual, f"to one, usually {usual}", _read_fraction)


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


def span(name: str, low: Fraction, high: Fraction, *, may_be_narrowed: bool = True) -> Choice:
    """A part of a stake or a span of parts, as ``1/2`` or ``1/2..1``, within bounds that are the default; one value is both ends.
    ``may_be_narrowed`` is whether the house may choose less than the whole span, or than the most."""

    def read(text: str) -> tuple[Fraction, Fraction]:
        words = {"half": "1/2", "whole": "1"}
        ends = [_read_fraction(words.get(part, part)) for part in text.split("..")]
        if len(ends) > 2 or not low <= ends[0] <= ends[-1] <= high:
            raise NoSuchChoice(f"a part from {low} to {high}, or a span of parts such as {low}..{high}")
        if not may_be_narrowed and ends not in ([low, high], [high]):
            raise NoSuchChoice(f"one of {low}..{high}, {high}")
        return ends[0], ends[-1]

    return Choice(name, (low, high), f"{low} to {high} of the stake", read)


def _facts(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(",") if part.strip() not in ("", "none"))


NOT_RECORDED: Final = Choice(
    "not_recorded",
    frozenset(),
    "words",
    read=lambda text: _facts(text).intersection(MAY_BE_MISSING),
    passed_over=lambda text: ",".join(sorted(_facts(text).difference(MAY_BE_MISSING))),
)
"""What the log does not record, of :data:`MAY_BE_MISSING`, separated by commas; it records all by default."""


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
