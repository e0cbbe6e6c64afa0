"""What single cells of a foreign log say: cards in many spellings, exact amounts, yes and no."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeVar

from schemas.bounds import MOST_NUMBERED
from schemas.cards import RANKS, UNKNOWN_SUIT, CardName
from schemas.money import DECIMALS, MOST_MINOR

DEFAULT_RANKS: Final[Mapping[str, str]] = {rank: rank for rank in RANKS} | {
    "10": "T", "ACE": "A", "TWO": "2", "THREE": "3", "FOUR": "4", "FIVE": "5", "SIX": "6", "SEVEN": "7", "EIGHT": "8",
    "NINE": "9", "TEN": "T", "JACK": "J", "QUEEN": "Q", "KING": "K",
}  # fmt: skip
DEFAULT_SUITS: Final[Mapping[str, str]] = {
    "C": "c", "D": "d", "H": "h", "S": "s", "♣": "c", "♦": "d", "♥": "h", "♠": "s", "♧": "c", "♢": "d", "♡": "h",
    "♤": "s", "❤": "h", "CLUBS": "c", "DIAMONDS": "d", "HEARTS": "h", "SPADES": "s", "CLUB": "c", "DIAMOND": "d",
    "HEART": "h", "SPADE": "s",
}  # fmt: skip
_SHADES: Final = str.maketrans("", "", "\ufe0e\ufe0f")
"""The marks that choose between a symbol's colours."""
_OPENING: Final = "[({ "
_CLOSING: Final = "])} "
_QUOTES: Final = "'\""
"""What may stand around the cards of a cell that is a list written as text."""
_COVERING: Final = frozenset("?*#_")
"""Marks that logs write for a card they do not name."""
_BLANKS: Final = re.compile(r" {2,}|[^\S ]+")
"""Blanks that a line of output would not show as they are: several, or one that is no plain blank."""
_AMOUNT: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?", re.IGNORECASE)
"""An amount as decimals. ``20/10`` is none: it may be two stakes."""
_GROUPED: Final = {mark: re.compile(rf"[+-]?\d{{1,3}}(\{mark}\d{{3}})+") for mark in ",."}
"""A whole number whose thousands are set apart."""
_EITHER: Final = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
"""What is a whole number where a point sets thousands apart, and another one where it stands before decimals."""
_FAR: Final = re.compile(r"e[+-]?\d{3}", re.IGNORECASE)
"""An exponent that no amount has and that takes for ever to work out."""
DAY_TOLD: Final = r"\d{4}-?(\d\d-?\d\d|W\d\d-?\d)"
"""The pattern of a date of ISO 8601 that leaves no part open, for which the first one would be taken."""
_YEARS: Final = range(1900, 2200)
_TRUE: Final = frozenset({"1", "true", "yes", "y", "t", "x"})
_FALSE: Final = frozenset({"", "0", "false", "no", "n", "f", "none", "null"})


_Day = TypeVar("_Day", bound=dt.date)


class NotReadable(ValueError):
    """A cell does not say what its column should; the message says why and what would."""


@dataclass(frozen=True)
class CardText:
    """How cards are spelled.

    Attributes:
        separator: what stands between the cards of a cell; empty where nothing does.
        suit_first: whether the suit stands before the rank.
        ranks, suits: spellings in capitals to the letters of events.
        hidden: texts that stand for a card which the log does not name.
    """

    separator: str
    suit_first: bool
    ranks: Mapping[str, str]
    suits: Mapping[str, str]
    hidden: frozenset[str]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        rank = f"(?P<rank>{_any_of(self.ranks)})"
        suit = f"(?P<suit>{_any_of(self.suits)})"
        between = "(?: OF |[ _-]?)"
        spelled = f"(?:{suit}{between})?{rank}" if self.suit_first else f"{rank}(?:{between}{suit})?"
        return re.compile(spelled)

    @cached_property
    def _any_card(self) -> re.Pattern[str]:
        hidden = _any_of({text.upper(): "" for text in self.hidden})
        return re.compile(f"(?P<hidden>{hidden})|{self._pattern.pattern}" if hidden else self._pattern.pattern)

    def read(self, cell: object) -> tuple[CardName | None, ...]:
        """The cards of a cell, in order; None is a card not named.

        Between two cards stands the separator and nothing else: whatever else stands there may part two hands.

        Raises:
            NotReadable: the cell has something that is no card, or something else between its cards.
        """
        if cell is None:
            return ()
        if isinstance(cell, list):
            return tuple(self._one(item) for item in cell)
        text = str(cell).translate(_SHADES).strip()
        if text not in self.hidden:
            text = _outermost(text)
        if not text:
            return ()
        try:
            return tuple(self._one(piece) for piece in self._pieces(text))
        except NotReadable as error:
            raise self._wrong_separator(text) or error from None

    def _pieces(self, text: str) -> list[str]:
        """The texts of single cards."""
        if not self.separator:
            found = [one[0] for one in self._any_card.finditer(text.upper())]
            if "".join(found) != text.upper():
                raise NotReadable(f"{text!r} is not cards that stand directly behind each other")
            return found
        pieces = text.split(self.separator)
        # One blank before or behind it is how lists are written, in all of the cell or nowhere.
        if self.separator.strip():
            blanks = {
                (before[len(before.rstrip()) :], after[: len(after) - len(after.lstrip())])
                for before, after in pairwise(pieces)
            }
            if len(blanks) > 1 or not all(blank in ("", " ") for both in blanks for blank in both):
                raise NotReadable(f"{text!r} has more than the separator {self.separator!r} between cards")
            pieces = [piece.strip() for piece in pieces]
        if not all(pieces):
            raise NotReadable(f"{text!r} has a separator {self.separator!r} with no card beside it")
        return pieces

    def _wrong_separator(self, text: str) -> NotReadable | None:
        """What the map has to say where something else than the separator stands between two cards of a text."""
        spelled = text.upper()
        between = [spelled[one.end() : other.start()] for one, other in pairwise(self._any_card.finditer(spelled))]
        usual = next((gap for gap in between if gap.strip() == self.separator.strip() != ""), self.separator)
        strange = next((gap for gap in between if gap != usual and not any(map(str.isalnum, gap))), None)
        if strange is None:
            return None
        declared = f"the separator is {self.separator!r}" if self.separator else "no separator is declared"
        written = _BLANKS.sub(_escaped, json.dumps(strange, ensure_ascii=False))
        covered = json.dumps([strange.strip()]) if set(strange) & _COVERING else ""
        return NotReadable(
            f"{text!r} has {written} between cards, and {declared}; if it parts the hands of a split pair, write "
            f"hands_separator = {written} under [cards] of the map, if it parts cards, separator = {written}"
            f"{covered and f', if it stands for a card, hidden = {covered}'}"
        )

    def _one(self, item: object) -> CardName | None:
        if isinstance(item, list):
            raise NotReadable(f"{item!r} is a list among cards; a list of hands is mapped with [columns] hands")
        if isinstance(item, dict):
            lower = {str(key).lower(): str(value) for key, value in item.items()}
            rank, suit = lower.get("rank", lower.get("value", "")), lower.get("suit", "")
            item = f"{suit} {rank}" if self.suit_first else f"{rank} {suit}"
        text = str(item).translate(_SHADES).strip()
        if text in self.hidden or (text := _unquoted(text)) in self.hidden:
            return None
        found = self._pattern.fullmatch(text.upper())
        if found is None:
            example = "suit, then rank, as in c9" if self.suit_first else "rank, then suit, as in 9c"
            raise NotReadable(f"{text!r} is no card: {example}; other spellings go into [cards] ranks and suits")
        suit = self.suits[found["suit"]] if found["suit"] else UNKNOWN_SUIT
        return CardName(self.ranks[found["rank"]] + suit)


def _escaped(blanks: re.Match[str]) -> str:
    return "".join(f"\\u{ord(blank):04x}" for blank in blanks[0])


def _unquoted(text: str) -> str:
    """A text without the pair of quotes around it."""
    whole = len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES and text[0] not in text[1:-1]
    return text[1:-1].strip() if whole else text


def _outermost(text: str) -> str:
    """The cards of a cell without what stands around all of them; a piece of a cell may have one end of it only."""
    text = _unquoted(text).lstrip(_OPENING).rstrip(_CLOSING)
    for quote in _QUOTES:
        if text.count(quote) == 1:
            text = text.removeprefix(quote).removesuffix(quote)
    return text


def _any_of(spellings: Mapping[str, str]) -> str:
    return "|".join(re.escape(text) for text in sorted(spellings, key=len, reverse=True))


def read_fraction(text: str) -> Fraction:
    """An exact number, as ``1.5`` or ``3/2``.

    Raises:
        NotReadable: it is none.
    """
    try:
        if _FAR.search(text) is None:
            return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        pass
    raise NotReadable(f"{text!r} is no number")


class JsonNumber(str):
    """A number of JSON as it was written: its point stands before decimals, whatever a map says of texts."""

    __slots__ = ()


def read_amount(cell: object, unit: Fraction, *, decimal_comma: bool | None) -> int:
    """An amount as minor units; ``unit`` is what 1 in the cell means in major units. Numbers of JSON come as their text.

    ``decimal_comma`` is what the map says of texts, None where it says nothing: a point before decimals, unless it may as
    well set thousands apart.

    Raises:
        NotReadable: no number, one that could be read in two ways, finer than a minor unit, or larger than any stake.
    """
    if not isinstance(cell, str):
        raise NotReadable(f"{json.dumps(cell, default=str)} is no amount")
    if isinstance(cell, JsonNumber):
        decimal_comma = False
    group, point = ".," if decimal_comma else ",."
    whole, comma, part = cell.strip().partition(point)
    if group in part or (group in whole and not _GROUPED[group].fullmatch(whole)):
        mark, then = ("point", "leave out") if decimal_comma else ("comma", "set")
        does = f"where a {mark} stands before decimals, {then} [stakes] decimal_comma = true"
        raise NotReadable(f"{cell!r} has a {mark} that sets no thousands apart; {does}")
    number = whole.replace(group, "") + comma.replace(",", ".") + part
    if not _AMOUNT.fullmatch(number):
        raise NotReadable(f"{cell!r} is no number")
    minor = read_fraction(number) * unit * 10**DECIMALS
    if minor.denominator != 1:
        raise NotReadable(f"{cell!r} comes to {minor} minor units, which is no whole number")
    if decimal_comma is None and _EITHER.fullmatch(number):
        raise NotReadable(
            f"{cell!r} may be {number.replace('.', '')} or {number}: write decimal_comma = true under [stakes] of the map "
            "where a point sets thousands apart, false where it stands before decimals"
        )
    if abs(minor) > MOST_MINOR:
        raise NotReadable(f"{cell!r} is more than {MOST_MINOR} minor units; look for digits that run together")
    return minor.numerator


def require_year(day: _Day) -> _Day:
    """A date or a time, held to the years that a log can be of.

    Raises:
        NotReadable: its year is none of them.
    """
    if day.year not in _YEARS:
        raise NotReadable(f"year {day.year}")
    return day


def read_day(text: str) -> dt.date:
    """A day by ISO 8601. A week of which no day is told is none.

    Raises:
        ValueError: it is no such day, or of no year that a log can be of.
    """
    if not re.fullmatch(DAY_TOLD, text):
        raise NotReadable(f"{text!r} tells no day")
    return require_year(dt.date.fromisoformat(text))


def read_flag(cell: object) -> bool:
    """Whether a cell says yes; an empty one says no.

    Raises:
        NotReadable: it says neither.
    """
    text = "" if cell is None else str(cell).strip().lower()
    if text not in _TRUE | _FALSE:
        raise NotReadable(f"{cell!r} is neither yes nor no; write 1 or 0, true or false")
    return text in _TRUE


def read_number(cell: object) -> int:
    """A whole number from zero up.

    Raises:
        NotReadable: it is none.
    """
    text = "" if cell is None or isinstance(cell, bool) else str(cell).strip()
    if not (text.isascii() and text.isdigit()):
        raise NotReadable(f"{cell!r} is no whole number from 0 up")
    if len(text) > len(str(MOST_NUMBERED)) or int(text) > MOST_NUMBERED:
        raise NotReadable(f"{cell!r} is a larger number than {MOST_NUMBERED}")
    return int(text)
