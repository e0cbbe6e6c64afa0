"""Reads single cells of a foreign log: cards in many spellings, exact amounts, flags, dates. Another cell is NotReadable."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

from schemas.bounds import MOST_NUMBERED
from schemas.cards import RANKS, UNKNOWN_SUIT, CardName
from schemas.money import MOST_MINOR

DEFAULT_RANKS: Final[Mapping[str, str]] = {rank: rank for rank in RANKS} | {
    "10": "T", "ACE": "A", "TWO": "2", "THREE": "3", "FOUR": "4", "FIVE": "5", "SIX": "6", "SEVEN": "7", "EIGHT": "8",
    "NINE": "9", "TEN": "T", "JACK": "J", "QUEEN": "Q", "KING": "K",
}  # fmt: skip
DEFAULT_SUITS: Final[Mapping[str, str]] = {
    "C": "c", "D": "d", "H": "h", "S": "s", "♣": "c", "♦": "d", "♥": "h", "♠": "s", "♧": "c", "♢": "d", "♡": "h",
    "♤": "s", "❤": "h", "CLUBS": "c", "DIAMONDS": "d", "HEARTS": "h", "SPADES": "s", "CLUB": "c", "DIAMOND": "d",
    "HEART": "h", "SPADE": "s",
}  # fmt: skip
_VARIATION_SELECTORS: Final = str.maketrans("", "", "\ufe0e\ufe0f")
"""Unicode marks that select the text or emoji form of a symbol."""
_OPENING: Final = "[({ "
_CLOSING: Final = "])} "
_QUOTES: Final = "'\""
"""Brackets and quotes around the cards of a cell that is a list written as text."""
_HIDDEN_CARD_MARKS: Final = frozenset("?*#_")
"""Marks that logs write for a hidden card."""
_OTHER_SPELLINGS: Final = "other spellings go into [cards] ranks, suits and names"
_BLANKS: Final = re.compile(r" {2,}|[^\S ]+")
"""Blanks that output would not show exactly: several, or one other than a space."""
_AMOUNT: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?", re.IGNORECASE | re.ASCII)
"""A decimal amount. ``20/10`` is none: it may be two stakes."""
_GROUPED: Final = {mark: re.compile(rf"[+-]?[1-9]\d{{0,2}}(\{mark}\d{{3}})+", re.ASCII) for mark in ",."}
"""A whole number with thousands separators."""
_AMBIGUOUS: Final = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
"""A number that has two readings: with the point as thousands separator or as decimal point."""
_HUGE_EXPONENT: Final = re.compile(r"e[+-]?\d{3}", re.IGNORECASE)
"""An exponent that no amount has, and that would take very long to compute."""
COMPLETE_DATE: Final = r"\d{4}-?(\d\d-?\d\d|W\d\d-?\d)"
"""The pattern of a complete date of ISO 8601; for a missing part the parser would assume the first."""
REMEMBERED: Final = 1 << 16
"""Texts of cells of which it is remembered what they say."""
_SHOWN: Final = 160
"""Characters of a cell that a message quotes: the whole message has room for its advice."""
_YEARS: Final = range(1900, 2200)
_TRUE: Final = frozenset({"1", "true", "yes", "y", "t", "x"})
NO: Final = frozenset({"", "0", "false", "no", "n", "f", "none", "null"})


class NotReadable(ValueError):
    """A cell does not have its column's kind of value; the message says why, and what would do."""


def shown(cell: object) -> str:
    """A cell as a message quotes it, a long one without its middle."""
    text = repr(cell)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]}...{text[-_SHOWN // 2 :]}"


@dataclass(frozen=True)
class CardText:
    """How cards are spelled.

    Attributes:
        separator: the text between the cards of a cell; may be empty.
        suit_first: whether the suit is before the rank.
        ranks, suits: the letters of events by spelling in capitals.
        hidden: texts for a card that the log does not name.
        names: cards by a text of their own in capitals, which goes before every spelling.
    """

    separator: str
    suit_first: bool
    ranks: Mapping[str, str]
    suits: Mapping[str, str]
    hidden: frozenset[str]
    names: Mapping[str, CardName]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        rank = f"(?P<rank>{_any_of(self.ranks)})"
        suit = f"(?P<suit>{_any_of(self.suits)})"
        between = "(?: OF |[ _-]?)"
        return re.compile(f"(?:{suit}{between})?{rank}" if self.suit_first else f"{rank}(?:{between}{suit})?")

    @cached_property
    def _any_card(self) -> re.Pattern[str]:
        whole = _any_of([*self.names, *map(str.upper, self.hidden)])
        return re.compile(f"(?P<whole>{whole})|{self._pattern.pattern}" if whole else self._pattern.pattern)

    def read(self, cell: object) -> tuple[CardName | None, ...]:
        """The cards of a cell, in order; None for a card that is not named.

        Only the separator may be between two cards: any other text may separate two hands.
        """
        if cell is None:
            return ()
        if isinstance(cell, list):
            return tuple(self._one(item) for item in cell)
        return self._remembered(str(cell))

    @cached_property
    def _remembered(self) -> Callable[[str], tuple[CardName | None, ...]]:
        return lru_cache(REMEMBERED)(self._in_text)

    def _in_text(self, cell: str) -> tuple[CardName | None, ...]:
        text = cell.translate(_VARIATION_SELECTORS).strip()
        if text not in self.hidden:
            text = _outermost(text)
        if not text:
            return ()
        try:
            return tuple(self._one(piece) for piece in self._pieces(text))
        except NotReadable as error:
            raise self._other_order(text) or self._wrong_separator(text) or error from None

    def _pieces(self, text: str) -> list[str]:
        """The texts of single cards."""
        if not self.separator:
            found = [*self._any_card.finditer(text.upper())]
            if "".join(one[0] for one in found) != text.upper():
                message = f"is no card, nor cards that stand directly behind each other; {_OTHER_SPELLINGS}"
                raise NotReadable(f"{shown(text)} {message}")
            if len({one["suit"] is None for one in found if one["rank"]}) > 1:  # a suit's letter may be read as a rank
                raise NotReadable(f"{shown(text)} has cards with a suit and cards without one; {_OTHER_SPELLINGS}")
            return [one[0] for one in found]
        pieces = text.split(self.separator)
        # A blank before or after the separator is usual in lists, if it is the same in the whole cell.
        if self.separator.strip():
            blanks = {
                (before[len(before.rstrip()) :], after[: len(after) - len(after.lstrip())])
                for before, after in pairwise(pieces)
            }
            if len(blanks) > 1 or not all(blank in ("", " ") for both in blanks for blank in both):
                raise NotReadable(f"{shown(text)} has more than the separator {self.separator!r} between cards")
            pieces = [piece.strip() for piece in pieces]
        if not all(pieces):
            raise NotReadable(f"{shown(text)} has a separator {self.separator!r} with no card beside it")
        return pieces

    def _other_order(self, text: str) -> NotReadable | None:
        """The error where the suits of all cards stand on the other side of the rank, with the line to add to the map."""
        turned = replace(self, suit_first=not self.suit_first)
        try:
            for piece in turned._pieces(text):
                turned._one(piece)
        except NotReadable:
            return None
        first, order = ("suit", "suit_rank") if turned.suit_first else ("rank", "rank_suit")
        return NotReadable(f'{shown(text)} has the {first} first: write order = "{order}" under [cards] of the map')

    def _wrong_separator(self, text: str) -> NotReadable | None:
        """The error where another text than the separator is between two cards, with the lines to add to the map."""
        spelled = text.upper()
        between = [spelled[one.end() : other.start()] for one, other in pairwise(self._any_card.finditer(spelled))]
        usual = next((gap for gap in between if gap.strip() == self.separator.strip() != ""), self.separator)
        strange = next((gap for gap in between if gap != usual and not any(map(str.isalnum, gap))), None)
        if strange is None:
            return None
        declared = f"the separator is {self.separator!r}" if self.separator else "no separator is declared"
        written = _BLANKS.sub(_escaped, json.dumps(strange, ensure_ascii=False))
        mended = f"separator = {written}" if set(between) == {strange} else f"{usual!r} into the log"
        covered = json.dumps([strange.strip()]) if set(strange) & _HIDDEN_CARD_MARKS else ""
        return NotReadable(
            f"{shown(text)} has {written} between cards, and {declared}; if it parts the hands of a split pair, write "
            f"hands_separator = {written} under [cards] of the map, if it parts cards, {mended}"
            f"{covered and f', if it stands for a card, hidden = {covered}'}"
        )

    def _one(self, item: object) -> CardName | None:
        if isinstance(item, list):
            raise NotReadable(f"{shown(item)} is a list among cards; a list of hands is mapped with [columns] hands")
        if isinstance(item, dict):
            lower = {str(key).lower(): str(value) for key, value in item.items()}
            rank, suit = lower.get("rank", lower.get("value", "")), lower.get("suit", "")
            item = f"{suit} {rank}" if self.suit_first else f"{rank} {suit}"
        text = str(item).translate(_VARIATION_SELECTORS).strip()
        if text in self.hidden or (text := _unquoted(text)) in self.hidden:
            return None
        if (named := self.names.get(text.upper())) is not None:
            return named
        found = self._pattern.fullmatch(text.upper())
        if found is None:
            example = "suit, then rank, as in c9" if self.suit_first else "rank, then suit, as in 9c"
            raise NotReadable(
                f"{shown(text)} is no card: {example}; {_OTHER_SPELLINGS}, and a line that is no hand out of the log"
            )
        suit = self.suits[found["suit"]] if found["suit"] else UNKNOWN_SUIT
        return CardName(self.ranks[found["rank"]] + suit)


def _escaped(blanks: re.Match[str]) -> str:
    return "".join(f"\\u{ord(blank):04x}" for blank in blanks[0])


def _unquoted(text: str) -> str:
    whole = len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES and text[0] not in text[1:-1]
    return text[1:-1].strip() if whole else text


def _outermost(text: str) -> str:
    """The cards of a cell without brackets and quotes around them; a piece of a cell may have them at one end only."""
    text = _unquoted(text).lstrip(_OPENING).rstrip(_CLOSING)
    for quote in _QUOTES:
        if text.count(quote) == 1:
            text = text.removeprefix(quote).removesuffix(quote)
    return text


def _any_of(spellings: Iterable[str]) -> str:
    return "|".join(re.escape(text) for text in sorted(spellings, key=len, reverse=True))


def read_fraction(text: str) -> Fraction:
    """An exact number, as ``1.5`` or ``3/2``."""
    try:
        if _HUGE_EXPONENT.search(text) is None:
            return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        pass
    raise NotReadable(f"{shown(text)} is no number")


class JsonNumber(str):
    """A JSON number as written: its point is a decimal point, regardless of the map."""

    __slots__ = ()


def _without_currency(text: str, currency: str) -> str:
    sign, number = (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)
    if not currency or currency not in number:
        return text
    if number.startswith(currency):
        return sign + number.removeprefix(currency).lstrip()
    return sign + number.removesuffix(currency).rstrip()


def read_amount(cell: str, unit_minor: Fraction, currency: str, *, decimal_comma: bool | None) -> int:
    """An amount in minor units, of which 1 in the cell is ``unit_minor``. JSON numbers come as their text.

    ``currency`` may stand beside it, where it is not empty.
    ``decimal_comma`` is the map's setting for texts. With None a point is a decimal point; a number that may also have it as
    thousands separator is refused, as is one that is finer than a minor unit, or larger than any stake.
    """
    if isinstance(cell, JsonNumber):
        decimal_comma = False
    group, point = ".," if decimal_comma else ",."
    text = _without_currency(cell.strip(), currency)
    whole, comma, part = text.partition(point)
    grouped = group not in part and (group not in whole or _GROUPED[group].fullmatch(whole))
    if not grouped and not text.strip("+-0123456789.,eE"):
        mark, then = ("point", "leave out") if decimal_comma else ("comma", "set")
        does = f"where a {mark} stands before decimals, {then} [stakes] decimal_comma = true"
        raise NotReadable(f"{shown(cell)} has a {mark} that sets no thousands apart; {does}")
    number = whole.replace(group, "") + comma.replace(",", ".") + part
    if not grouped or not _AMOUNT.fullmatch(number):
        like = f"-7{point}50"
        raise NotReadable(
            f"{shown(cell)} is no number; write it like {like}, without brackets, blanks and currency, or name that as "
            "[stakes] currency"
        )
    if decimal_comma is None and _AMBIGUOUS.fullmatch(number):
        raise NotReadable(
            f"{shown(cell)} may be {number.replace('.', '')} or {number}: write decimal_comma = true under [stakes] of the map "
            "where a point sets thousands apart, false where it stands before decimals"
        )
    minor = read_fraction(number) * unit_minor
    if minor.denominator != 1:
        whole = "which is no whole number; write it with two decimals, or see [stakes] unit"
        raise NotReadable(f"{shown(cell)} comes to {minor} minor units, {whole}")
    if abs(minor) > MOST_MINOR:
        raise NotReadable(f"{shown(cell)} is more than {MOST_MINOR} minor units; look for digits that run together")
    return minor.numerator


def require_year(day: dt.date) -> None:
    """Require that the year of a date or time is plausible for a log."""
    if day.year not in _YEARS:
        raise NotReadable(f"year {day.year}")


def read_day(text: str) -> dt.date:
    """A complete date of ISO 8601. Raises ValueError where it is none, or its year is not plausible for a log."""
    if not re.fullmatch(COMPLETE_DATE, text):
        raise NotReadable(f"{shown(text)} tells no day")
    day = dt.date.fromisoformat(text)
    require_year(day)
    return day


def read_flag(cell: object) -> bool:
    """Whether a cell means yes; an empty one means no."""
    text = "" if cell is None else str(cell).strip().lower()
    if text not in _TRUE | NO:
        raise NotReadable(f"{shown(cell)} is neither yes nor no; write 1 or 0, true or false")
    return text in _TRUE


def read_number(cell: object) -> int:
    """A whole number from 0 up."""
    text = "" if cell is None or isinstance(cell, bool) else str(cell).strip()
    if not (text.isascii() and text.isdigit()):
        raise NotReadable(f"{shown(cell)} is no whole number from 0 up")
    if len(text) > len(str(MOST_NUMBERED)) or int(text) > MOST_NUMBERED:
        raise NotReadable(f"{shown(cell)} is a larger number than {MOST_NUMBERED}")
    return int(text)
