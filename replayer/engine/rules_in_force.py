"""Which rules each round is judged by: the version in force when it began, the options elected by then, the readings."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Final

import polars as pl

from replayer.columns import is_kind, of_kind
from replayer.game import Game
from replayer.integrity.log import NOT_RECORDED, Log, Opening, not_recorded
from replayer.law import authorisation
from replayer.law.authorisation import Contested, ElectedOption
from replayer.law.calendar import NOT_SETTLED, VERSIONS, UnknownVersion, local_day, midnight, version_at, version_named
from replayer.law.codes import OPTION_UNKNOWN
from replayer.law.regulation import Regulation, Version
from replayer.law.rulings import Readings, find, register
from replayer.rules import MARKERS, STANDS, TOTALS, TURNS, AnyRules, OptionFault, Rules
from schemas.finding import Finding, Severity, declare

LAW_NOT_AT_HAND: Final = declare("LAW_NOT_AT_HAND", Severity.ADVISORY, "Rounds under a text that is not at hand")

REGULATION_OPTION: Final = "regulation"
"""Elected by imported tables that were not played under Macau's law: names the version to judge by."""

SEATS_OPTION: Final = "seats"
"""The option of how many seats a table has, in games whose law leaves that to the house."""

SOMETIMES_RECORDED: Final = {
    MARKERS: is_kind("MarkerMoved"),
    TOTALS: is_kind("TotalAnnounced"),
    TURNS: is_kind("CardTurned"),
    STANDS: pl.col("decision_action") == "stand",
}
"""Facts of which a log may tell or not (``AnyRules.recorded``), and the events by which it does."""

_ELECTED_OPTION: Final = [
    "seq",
    *(f"option_{name}" for name in ("name", "value", "authorisation", "requested_on", "authorised_on", "effective_on")),
]


@dataclass(frozen=True)
class ReplaySettings:
    """What an operator may choose for a replay; it goes into the run's manifest.

    Attributes:
        preset: readings preset: ``default``, ``pt`` or ``zh``.
        readings: overrides for the property, id or option name to reading.
        table_readings: further overrides by table.
        in_force: overrides of first days of versions, by version id.
        regulation: judge every round of its game by this version (``whatif``).
        options: options that replace the elected ones (``whatif``).
    """

    preset: str = "default"
    readings: Mapping[str, str] = field(default_factory=dict)
    table_readings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    in_force: Mapping[str, dt.date] = field(default_factory=dict)
    regulation: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def readings_for(self, table_id: str) -> Readings:
        """The readings in force at a table."""
        return Readings({**self.readings, **self.table_readings.get(table_id, {})}, self.preset)

    def with_reading(self, ruling: str, reading: str) -> ReplaySettings:
        """The same settings but for one reading, at tables with readings of their own as well."""
        return self.with_readings({ruling: reading})

    def with_readings(self, wanted: Mapping[str, str]) -> ReplaySettings:
        """The same settings with other readings of some rulings (by id), everywhere."""
        tables = {name: _overridden(own, wanted) for name, own in self.table_readings.items()}
        return replace(self, readings=_overridden(self.readings, wanted), table_readings=tables)


def _overridden(own: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Readings with the wanted ones in their place; the own ones may be named by id or option."""
    return {**{find(name).id: reading for name, reading in own.items()}, **wanted}


@dataclass(frozen=True, slots=True)
class RulesPeriod:
    """A stretch of rounds judged by the same rules. ``rules`` is None where the version's text is not at hand.

    ``rulings`` are those that the choice of the version hangs on, or money under it whatever happens in the round.
    """

    version: Version | None
    rules: AnyRules | None
    elected: Mapping[str, str]
    rulings: tuple[str, ...] = ()


ANOTHER_TABLE: Final = RulesPeriod(None, None, {})
"""Rounds after the table was opened again for another game or in another currency than the books say: nobody judges these."""


def periods(
    log: Log, rounds: pl.DataFrame, game: Game, settings: ReplaySettings
) -> tuple[list[RulesPeriod], list[int], list[Finding]]:
    """The periods of a table-day, the period of each round, and what was found about the options.

    ``rounds`` says of each its ``first_seq`` and when it was: it ``began`` when its first bet was accepted (X-1), what is burned
    before belongs to the round and does not begin it; ``ended``.
    """
    elected_options = [ElectedOption(*row) for row in of_kind(log.events, ("OptionElected",), *_ELECTED_OPTION).rows()]
    tells_what_is_missing = any(elected_option.name == NOT_RECORDED for elected_option in elected_options)
    layouts = [opening for opening in log.openings if opening.seats is not None]
    permits = _Permits(not_recorded(log.books) if tells_what_is_missing else frozenset(), settings)
    readings = settings.readings_for(log.table_id)
    found: dict[Finding, None] = {}  # each once, in the order in which they were found
    made: list[RulesPeriod] = []
    numbers: dict[Hashable, int] = {}
    of_round: list[int] = []
    elected = _ElectedOptions(game, layouts[0] if layouts else None)
    state = relaid = 0
    earliest, latest = (int(str(moment)) for moment in (rounds["began"].min(), rounds["ended"].max()))
    steady = _steady_version(earliest, latest, game, settings)
    recorded = _recorded_facts(log.books)
    of_another_table = _opened_for_another(log)

    def note(code: str, seq: int, message: str, article: str = "") -> None:
        found.setdefault(Finding(code, log.table_id, log.gaming_day, seq=seq, article=article, message=message))

    for first_seq, began, ended in rounds.iter_rows():
        if any(begin < first_seq < end for begin, end in of_another_table):
            of_round.append(len(made))
            made.append(ANOTHER_TABLE)
            continue
        while state < len(elected_options) and elected_options[state].seq < first_seq:
            elected.take(elected_options[state])
            permits.await_day_of(elected_options[state])
            state += 1
        while relaid < len(layouts) and layouts[relaid].seq < first_seq:
            elected.layout = layouts[relaid]
            relaid += 1
        named = _regulation_for(game, settings) or elected.regulation
        rulings: tuple[str, ...] = ()
        version: Version | None
        if named is not None:
            version = _version_of(named, game)
        elif isinstance(steady, _Unsteady):
            version, rulings = _version_of_round(game, began, ended, settings, readings)
        else:
            version = steady
        key = (state, elected.layout, id(version), rulings, permits.day_that_matters(began))
        if key not in numbers:
            numbers[key] = len(made)
            refused = list(elected.under(version.regulation)) if version and version.regulation else []
            unauthorised, wanting = permits.look(elected.held.values(), version, local_day(began))
            options = {**elected.values, **settings.options}
            period, faults = _period(game, version, options, recorded, readings, unauthorised)
            made.append(replace(period, rulings=(*rulings, *_on_which_money_hangs(version))))
            for each in wanting:
                note(each.code, each.elected_option.seq, each.message, each.article)
            own = elected.held.keys() - settings.options.keys()
            chosen_by = {name: elected.held[name].seq for name in own}
            for seq, fault in (*refused, *((chosen_by.get(fault.name, first_seq), fault) for fault in faults)):
                note(fault.code, seq, f"{fault.name}={fault.value}: {fault.reason}", fault.article)
            if named is not None and version is None:
                message = f"{REGULATION_OPTION}={named}: there is no such version of {game.name}"
                note(OPTION_UNKNOWN.code, elected.held[REGULATION_OPTION].seq, message)
            elif period.rules is None:
                why = NOT_SETTLED.get(version.id, f"{version.id} has no text") if version else "no version was in force"
                note(LAW_NOT_AT_HAND.code, first_seq, why)
        of_round.append(numbers[key])
        # When nothing more is elected, no version changes and no permit is awaited, the other rounds are like this one.
        all_taken = (state, relaid) == (len(elected_options), len(layouts))
        all_elected = all_taken and (named is not None or not isinstance(steady, _Unsteady))
        if all_elected and not of_another_table and permits.day_that_matters(earliest) is None:
            of_round += [numbers[key]] * (rounds.height - len(of_round))
            break
    return made, of_round, [*found]


def _version_of(named: str, game: Game) -> Version | None:
    """The version of a game that was elected by its id, None where it has none such."""
    try:
        version = version_named(named)
    except UnknownVersion:
        return None
    return version if version.game == game.name else None


def _names_of_options(game: Game) -> frozenset[str]:
    """Every name under which some regulation of the game lets something be chosen."""
    record, _ = game.options({}, next(v.regulation for v in VERSIONS if v.game == game.name and v.regulation))
    return frozenset({REGULATION_OPTION, *(option.name for option in fields(record))})


def _recorded_facts(events: pl.DataFrame) -> frozenset[str]:
    """The facts of :data:`SOMETIMES_RECORDED` of which a table-day's log tells."""
    recorded = events.select(tells.any().alias(fact) for fact, tells in SOMETIMES_RECORDED.items()).row(0, named=True)
    return frozenset(fact for fact, tells in recorded.items() if tells)


def _opened_for_another(log: Log) -> list[tuple[int, float]]:
    """From which ``seq`` on until which one the table was open for another game, or in another currency, than at first."""
    ends = [opening.seq for opening in log.openings[1:]]
    _, *first, _ = log.openings[0] if log.openings else (0, None, None, None)
    return [
        (begin, end)
        for (begin, *opened, _), end in zip(log.openings, [*ends, inf], strict=False)
        if any(said not in (None, stood) for said, stood in zip(opened, first, strict=True))
    ]


class _ElectedOptions:
    """What the house elected by now, and with how many seats it opened the table.

    An election of what a regulation does not let be chosen elects nothing under it: what was elected before stands.
    """

    def __init__(self, game: Game, layout: Opening | None) -> None:
        self.held: dict[str, ElectedOption] = {}
        self.layout = layout
        self.values: Mapping[str, str] = {}
        self._game, self._names = game, _names_of_options(game)
        self._untried: list[ElectedOption] = []

    @property
    def regulation(self) -> str | None:
        """The version that the house elected to be judged by."""
        named = self.held.get(REGULATION_OPTION)
        return named.value if named else None

    def take(self, elected_option: ElectedOption) -> None:
        """One more election."""
        if elected_option.name == REGULATION_OPTION:
            self.held[REGULATION_OPTION] = elected_option
        else:
            self._untried.append(elected_option)

    def under(self, regulation: Regulation) -> Iterator[tuple[int, OptionFault]]:
        """Hold what a regulation lets be chosen; what it does not waits for another one of the game. Gives with their ``seq`` the
        elections of what it does not know."""
        waiting: dict[str, ElectedOption] = {}
        for elected_option in self._untried:
            name = elected_option.name
            unknown = self._unknown(name, elected_option.value, regulation)
            if unknown is not None:
                yield elected_option.seq, unknown
            if unknown is None or unknown.holds:
                self.held[name] = elected_option
                waiting.pop(name, None)
            elif name in self._names:
                waiting[name] = elected_option
        self._untried = list(waiting.values())
        self.values = {name: each.value for name, each in self.held.items()}
        if self.layout is not None and any(choice.name == SEATS_OPTION for choice in regulation.choices):
            unknown = self._unknown(SEATS_OPTION, str(self.layout.seats), regulation)
            if unknown is None:
                self.values = {SEATS_OPTION: str(self.layout.seats), **self.values}
            else:
                yield self.layout.seq, unknown

    def _unknown(self, name: str, value: str, regulation: Regulation) -> OptionFault | None:
        """What a regulation does not know of an option or of its value."""
        _, faults = self._game.options({name: value}, regulation)
        return next((fault for fault in faults if fault.code == OPTION_UNKNOWN.code), None)


class _Permits:
    """Checks the elected options of a table-day against the article that requires permission for them.

    It does not check options that a replay puts in the place of the elected ones, nor a log that says that it does not record
    authorisations.
    """

    def __init__(self, unrecorded: frozenset[str], settings: ReplaySettings) -> None:
        self._applies = settings.regulation is None and authorisation.NOT_RECORDED not in unrecorded
        self._replaced = settings.options.keys()
        self._found: set[tuple[str, int]] = set()
        self._days_begin_by = 0

    def await_day_of(self, elected_option: ElectedOption) -> None:
        """Take note of the day on which an election may be in use."""
        if elected_option.settled_on is not None:
            self._days_begin_by = max(self._days_begin_by, midnight(elected_option.settled_on))

    def day_that_matters(self, began: int) -> dt.date | None:
        """The day of a round that began before each election's day had come; None for all later ones."""
        return local_day(began) if began < self._days_begin_by else None

    def look(
        self, held: Iterable[ElectedOption], version: Version | None, day: dt.date
    ) -> tuple[frozenset[str], list[authorisation.Fault]]:
        """The options that may not be in use on a day, and what is wrong with elections that was not found before."""
        if not self._applies or version is None or version.regulation is None:
            return frozenset(), []
        own = [elected_option for elected_option in held if elected_option.name not in self._replaced]
        wanting = list(authorisation.faults(own, version.regulation, day))
        new = [fault for fault in wanting if (fault.code, fault.elected_option.seq) not in self._found]
        self._found |= {(fault.code, fault.elected_option.seq) for fault in new}
        return frozenset(fault.elected_option.name for fault in wanting if fault.forbidden), new


def _regulation_for(game: Game, settings: ReplaySettings) -> str | None:
    """The version that the settings name, if it is one of this game."""
    named = settings.regulation
    return named if named is not None and version_named(named).game == game.name else None


class _Unsteady:
    """The version changes within the table-day: each round must be looked at."""


def _steady_version(first: int, last: int, game: Game, settings: ReplaySettings) -> Version | _Unsteady | None:
    """The version that governs every moment from the first to the last, where one does."""
    version = version_at(game.name, first, settings.in_force)
    return version if version is version_at(game.name, last, settings.in_force) else _Unsteady()


def _version_of_round(
    game: Game, began: int, ended: int, settings: ReplaySettings, readings: Readings
) -> tuple[Version | None, tuple[str, ...]]:
    """The version that governs a round; ruling X-1 is asked only where its start and its settlement differ."""
    at_start, at_end = (version_at(game.name, moment, settings.in_force) for moment in (began, ended))
    if at_start is at_end:
        return at_start, ()
    return (at_end if readings("X-1") == "settlement" else at_start), ("X-1",)


def _on_which_money_hangs(version: Version | None) -> tuple[str, ...]:
    """The rulings on what a version's instrument does that decide what is due, or why nothing can be said of it."""
    return tuple(ruling for ruling in version.rulings if register()[ruling].money) if version else ()


def _period(
    game: Game,
    version: Version | None,
    elected: Mapping[str, str],
    recorded: frozenset[str],
    readings: Readings,
    unauthorised: frozenset[str],
) -> tuple[RulesPeriod, Sequence[OptionFault]]:
    if version is None or version.regulation is None:
        return RulesPeriod(version, None, elected), []
    wanted = {name: value for name, value in elected.items() if name != REGULATION_OPTION}
    options, faults = game.options(wanted, version.regulation)
    void = authorisation.contestable(unauthorised, version.regulation) if unauthorised else ()
    if void:
        permitted = {name: value for name, value in wanted.items() if name not in void}
        options = Contested(options, game.options(permitted, version.regulation)[0], readings)
    rules = Rules(version.regulation, options, readings, unauthorised, recorded)
    return RulesPeriod(version, rules, elected), faults
