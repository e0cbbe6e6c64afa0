"""Permission for what the house chooses: 57/2009 art. 21 (PT autorização, ZH 許可), and how working days are counted.

An option is elected by an event with the reference and the dates of its authorisation. The log is held
against the article; a date that the article asks about and the log does not give is a finding of its own.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from replayer.contract.outcomes import Breach
from replayer.contract.readings import Readings
from replayer.contract.rules import ElectedOptions
from replayer.law.regulation import Paragraph, Provision, Regulation
from schemas.finding import Code, of_procedure

if TYPE_CHECKING:
    from holidays import HolidayBase

Value = TypeVar("Value")
OPTION_UNAUTHORISED: Final = of_procedure("OPTION_UNAUTHORISED", "An option in use without an authorisation on file")
AUTHORISATION_UNDATED: Final = of_procedure(
    "AUTHORISATION_UNDATED", "An authorisation without a date that the law goes by"
)
OPTION_REQUESTED_LATE: Final = of_procedure(
    "OPTION_REQUESTED_LATE", "An authorisation asked for less than three working days ahead"
)
OPTION_USED_EARLY: Final = of_procedure("OPTION_USED_EARLY", "An option in use before its authorisation or its day")
WAGER_UNAUTHORISED: Final = of_procedure("WAGER_UNAUTHORISED", "A wager that needs its own authorisation and has none")

LONG_AHEAD: Final = 7
"""Every week in Macau has a working day. A request made a week ahead for each working day required is therefore in time, without
the calendar of holidays, which takes a tenth of a second to load."""
NOT_RECORDED: Final = "authorisations"
"""The name under which a log says that it does not record authorisations."""


@dataclass(frozen=True, slots=True)
class ElectedOption:
    """What an ``OptionElected`` event says: option, value, and the authorisation with its dates, None where it has none; and the
    day on which it says so."""

    seq: int
    name: str
    value: str
    reference: str | None = None
    requested_on: dt.date | None = None
    authorised_on: dt.date | None = None
    effective_on: dt.date | None = None
    said_on: dt.date = dt.date.min

    @property
    def settled_on(self) -> dt.date | None:
        """The first day on which it may be in use, by its dates; None without dates."""
        return max((day for day in (self.authorised_on, self.effective_on) if day), default=None)


class Fault(NamedTuple):
    """What is wrong with an election. ``forbidden`` is whether the option may not be in use at all on that day."""

    code: Code
    article: str
    message: str
    elected_option: ElectedOption
    forbidden: bool


@dataclass(frozen=True)
class Authorisation(Provision):
    """Art. 21: which options need the inspectorate's prior permission, asked for ``days`` working days ahead.

    Attributes:
        articles: articles whose options need permission.
        waivable: articles that may be left out with permission; the text sets no time for asking.
        own: options that open wagers, each of which needs a permission of its own.
        facts: articles on the table, the shoe and the deal; no payment depends on a permission there.
        days: working days between the request and the first use.
        choosing: paragraph on options.
        waiving: paragraph on leaving articles out.
        additional: paragraph on wagers.
    """

    articles: tuple[int, ...] = ()
    waivable: tuple[int, ...] = ()
    own: frozenset[str] = frozenset()
    facts: tuple[int, ...] = (1, 2, 3, 4, 5)
    days: int = 3
    choosing: Paragraph = (1,)
    waiving: Paragraph = (2,)
    additional: Paragraph = (3,)

    def paragraph(self, article: int, option: str) -> Paragraph | None:
        """The paragraph that requires permission for an option of an article; None where none does."""
        if option in self.own:
            return self.additional
        if article in self.articles:
            return self.choosing
        return self.waiving if article in self.waivable else None

    def faults(self, elected_option: ElectedOption, paragraph: Paragraph, used_on: dt.date) -> Iterator[Fault]:
        """What is wrong with an election that needs permission and is in use on a day (of Macau)."""
        article, elected = self.cite(*paragraph), f"{elected_option.name}={elected_option.value}"
        assumed = f" ({self.assumed})" if self.assumed else ""

        def fault(code: Code, what: str, *, forbidden: bool) -> Fault:
            return Fault(code, article, f"{elected}{what}{assumed}", elected_option, forbidden)

        if elected_option.reference is None:
            dated = any((elected_option.requested_on, elected_option.authorised_on, elected_option.effective_on))
            why = "dates of an authorisation, and no reference to one" if dated else "no authorisation is on file"
            yield fault(OPTION_UNAUTHORISED, f": {why}", forbidden=True)
            return
        by = f"by {elected_option.reference}"
        if undated := self._undated(elected_option, paragraph):
            why = f" {by}: not told when it was {' and '.join(undated)}"
            yield fault(AUTHORISATION_UNDATED, why, forbidden=False)
        if (settled_on := elected_option.settled_on) is not None and used_on < settled_on:
            why = f" in use on {used_on}, {by} from {settled_on}"
            yield fault(OPTION_USED_EARLY, why, forbidden=True)
        adopted = elected_option.effective_on or used_on
        requested = elected_option.requested_on
        if requested is None or paragraph == self.waiving or (adopted - requested).days >= self.days * LONG_AHEAD:
            return
        latest = working_days_before(adopted, self.days)
        if requested > latest:
            why = f": asked for on {requested}, {latest} at the latest for {adopted}"
            yield fault(OPTION_REQUESTED_LATE, why, forbidden=False)

    def _undated(self, elected_option: ElectedOption, paragraph: Paragraph) -> list[str]:
        """Which dates are missing: that of the grant and, except for an article left out, of the request and of the adoption."""
        days = {"granted": elected_option.authorised_on}
        if paragraph != self.waiving:
            days = {"asked for": elected_option.requested_on, **days, "to be adopted": elected_option.effective_on}
        return [what for what, day in days.items() if day is None]

    def wager_unauthorised(self, option: str) -> Iterator[Breach]:
        """The breach of a wager that was opened by an unauthorised option, if it needs a permission of its own."""
        if option in self.own:
            message = f"no authorisation for {option} was in effect"
            yield Breach(WAGER_UNAUTHORISED, self.cite(*self.additional), message)


@dataclass(frozen=True)
class Contested:
    """Options of which some lack permission: when one of these is read, ruling X-3 decides whether its election holds.
    ``elected`` are the options as the house elected them, ``permitted`` the same without the elections that lack permission."""

    elected: ElectedOptions
    permitted: ElectedOptions
    readings: Readings

    def __getattr__(self, name: str) -> object:
        """An option by its name."""
        return self._held(getattr(self.elected, name), getattr(self.permitted, name))

    def limits(self, kind: str) -> tuple[int | None, int | None]:
        """The posted limits of a wager: those that differ are contested, not the method."""
        return self._held(self.elected.limits(kind), self.permitted.limits(kind))

    def _held(self, elected: Value, permitted: Value) -> Value:
        return permitted if elected != permitted and self.readings("X-3") == "void" else elected


def contestable(names: Iterable[str], law: Regulation) -> frozenset[str]:
    """The names of elected options that could be void: all that are not facts of the table and the deal."""
    if law.authorisation is None:
        return frozenset()
    numbers = law.authorisation.facts
    facts = {choice.name for each in law.provisions.values() if each.number in numbers for choice in each.choices}
    return frozenset(names) - facts


def faults(elected_options: Iterable[ElectedOption], law: Regulation, used_on: dt.date) -> Iterator[Fault]:
    """What is wrong with elections in use on a day under a regulation; one that changes nothing needs no permission."""
    if law.authorisation is None:
        return
    for elected_option in elected_options:
        choice, paragraph = law.needing_permission.get(elected_option.name, (None, ()))
        if choice is not None and choice.changes(elected_option.value):
            yield from law.authorisation.faults(elected_option, paragraph, used_on)


@cache
def _macau() -> HolidayBase:
    """Public holidays of Macau: those of the labour law and the others of Executive Order 60/2000, by which public
    offices are closed too."""
    import holidays  # noqa: PLC0415 - a fifth of a second that only a log with dated elections needs

    return holidays.country_holidays("MO", categories=("public", "optional"))


def working_days_before(day: dt.date, days: int) -> dt.date:
    """The last day on which a request comes so many working days ahead of ``day``.

    A working day is one from Monday to Friday that is no public holiday in Macau; ``day`` itself does not count. It is the
    calendar's first day where that does not go back so far.

    >>> working_days_before(dt.date(2009, 6, 4), 3), working_days_before(dt.date(2009, 6, 1), 3)
    (datetime.date(2009, 6, 1), datetime.date(2009, 5, 26))
    """
    try:
        return _macau().get_nth_working_day(day, -days)
    except (ValueError, OverflowError):  # raised at the beginning of the calendar
        return dt.date.min
