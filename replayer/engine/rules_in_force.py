"""Finds the rules that judge each round: the version in force when it began, the options elected by then, the readings."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Final, cast

import polars as pl

from replayer.contract.game import Game
from replayer.contract.readings import Readings
from replayer.contract.rules import MARKERS, STANDS, TOTALS, TURNS, AnyRules, ElectedOptions, OptionFault, Rules
from replayer.integrity.checks import NOT_RECORDED, not_recorded
from replayer.integrity.inspection import Log, TableOpening
from replayer.law import authorisation
from replayer.law.authorisation import Contested, ElectedOption
from replayer.law.calendar import (
    NONE_AT_HAND,
    NOT_SETTLED,
    VERSIONS,
    UnknownVersion,
    local_day,
    midnight,
    version_at,
    version_named,
)
from replayer.law.codes import OPTION_UNKNOWN
from replayer.law.regulation import Regulation, Version
from replayer.law.rulings import find, readings_by, register
from replayer.log.columns import is_kind, of_kind
from schemas.finding import Finding, Severity, declare

LAW_NOT_AT_HAND: Final = declare("LAW_NOT_AT_HAND", Severity.ADVISORY, "Rounds under a text that is not at hand")

REGULATION_OPTION: Final = "regulation"
"""Elected by imported tables that did not play under Macau's law: names the version to judge by."""

SEATS_OPTION: Final = "seats"
"""The option for the number of seats, in games whose law leaves it to the house."""

_ELECTED_OPTION: Final = [
    "seq",
    *(f"option_{name}" for name in ("name", "value", "authorisation", "requested_on", "authorised_on", "effective_on")),
]


@dataclass(frozen=True)
class ReplaySettings:
    """The settings that an operator may choose for a replay; they go into the run's manifest.

    Attributes:
        preset: readings preset: ``default``, ``pt`` or ``zh``.
        readings: overrides for the property, id or option name to reading.
        table_readings: further overrides by table.
        in_force: overrides of first days of versions, by version id.
        regulation: judge every round of its game by this version, rounds of another game as ever (``whatif``).
        options: options that replace the elected ones (``whatif``).

    Raises:
        UnknownRuling: there is no such preset, ruling or reading.
        UnknownVersion: there is no such version.
        TypeError: an option's value is no text, or a version's first day no date.
    """

    preset: str = "default"
    readings: Mapping[str, str] = field(default_factory=dict)
    table_readings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    in_force: Mapping[str, dt.date] = field(default_factory=dict)
    regulation: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for table_id in ("", *self.table_readings):
            self.readings_for(table_id)
        for version in (*self.in_force, *filter(None, [self.regulation])):
            version_named(version)
        for version, day in self.in_force.items():
            if type(day) is not dt.date:  # a datetime is compared with none
                raise TypeError(f"the first day of {version} is {day!r}; give a datetime.date")
        for name, value in self.options.items():
            if not isinstance(value, str):
                raise TypeError(f"option {name} is {value!r}; give its value as the log would, as a text such as '6'")

    def readings_for(self, table_id: str) -> Readings:
        """The readings in force at a table."""
        return readings_by({**self.readings, **self.table_readings.get(table_id, {})}, self.preset)

    def with_readings(self, wanted: Mapping[str, str]) -> ReplaySettings:
        """The same settings with other readings of some rulings (by id), everywhere."""
        tables = {name: _overridden(own, wanted) for name, own in self.table_readings.items()}
        return replace(self, readings=_overridden(self.readings, wanted), table_readings=tables)


def _overridden(own: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Readings with the wanted ones replaced; the own ones may be named by id or option."""
    return {**{find(name).id: reading for name, reading in own.items()}, **wanted}


@dataclass(frozen=True, slots=True)
class RulesPeriod:
    """A stretch of rounds judged by the same rules. ``rules`` is None where the version's text is not at hand.

    ``rulings`` are those on which the choice of the version depends, or money under it whatever happens in the round.
    """

    version: Version | None
    rules: AnyRules | None
    elected: Mapping[str, str]
    rulings: tuple[str, ...] = ()


ANOTHER_TABLE: Final = RulesPeriod(None, None, {})
"""Rounds after the table was opened again for another game or in another currency: these are not judged."""


def periods(
    log: Log, rounds: pl.DataFrame, game: Game, settings: ReplaySettings
) -> tuple[list[RulesPeriod], list[int], list[Finding]]:
    """The periods of a table-day, the number of each round's period, and the findings on the options.

    ``rounds`` has each round's ``first_seq``, and when it ``began`` and ``ended``: a round begins when its first bet is accepted
    (X-1); a burn before that belongs to the round, but does not begin it.
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
    next_option = next_layout = 0
    earliest, latest = (cast("int", moment) for moment in (rounds["began"].min(), rounds["ended"].max()))
    first_version, last_version = (version_at(game.name, at, settings.in_force) for at in (earliest, latest))
    recorded = _recorded_facts(log.books, game)
    of_another_table = _opened_for_another(log)

    def note(code: str, seq: int, message: str, article: str = "") -> None:
        found.setdefault(Finding(code, log.table_id, log.gaming_day, seq=seq, article=article, message=message))

    for first_seq, began, ended in rounds.iter_rows():
        if any(begin < first_seq < end for begin, end in of_another_table):
            of_round.append(len(made))
            made.append(ANOTHER_TABLE)
            continue
        while next_option < len(elected_options) and elected_options[next_option].seq < first_seq:
            elected.take(elected_options[next_option])
            permits.note_permit_day(elected_options[next_option])
            next_option += 1
        while next_layout < len(layouts) and layouts[next_layout].seq < first_seq:
            elected.layout = layouts[next_layout]
            next_layout += 1
        named = _regulation_for(game, settings) or elected.regulation
        rulings: tuple[str, ...] = ()
        version: Version | None
        if named is not None:
            version = _version_of(named, game)
        elif first_version is last_version:
            version = first_version
        else:
            version, rulings = _version_of_round(game, began, ended, settings, readings)
        key = (next_option, elected.layout, id(version), rulings, permits.day_while_pending(began))
        if key not in numbers:
            numbers[key] = len(made)
            unknown_options = list(elected.under(version.regulation)) if version and version.regulation else []
            day = local_day(began)
            unauthorised, permit_faults = permits.check(elected.held.values(), version, day)
            earlier = {name: permits.last_permitted(elected.earlier[name], version, day) for name in unauthorised}
            options = {**elected.values, **settings.options}
            period, faults = _period(game, version, options, recorded, readings, earlier)
            made.append(replace(period, rulings=(*rulings, *_rulings_on_money(version))))
            for each in permit_faults:
                note(each.code, each.elected_option.seq, each.message, each.article)
            own = elected.held.keys() - settings.options.keys()
            chosen_by = {name: elected.held[name].seq for name in own}
            for seq, fault in (*unknown_options, *((chosen_by.get(fault.name, first_seq), fault) for fault in faults)):
                note(fault.code, seq, f"{fault.name}={fault.value}: {fault.reason}", fault.article)
            if named is not None and version is None:
                message = f"{REGULATION_OPTION}={named}: there is no such version of {game.name}"
                note(OPTION_UNKNOWN.code, elected.held[REGULATION_OPTION].seq, message)
            elif period.rules is None:
                why = NOT_SETTLED.get(version.id, f"{version.id} has no text") if version else NONE_AT_HAND
                note(LAW_NOT_AT_HAND.code, first_seq, why)
        of_round.append(numbers[key])
        # When nothing more is elected, no version changes and no permit is awaited, the other rounds are like this one.
        all_taken = (next_option, next_layout) == (len(elected_options), len(layouts))
        all_elected = all_taken and (named is not None or first_version is last_version)
        if all_elected and not of_another_table and permits.day_while_pending(earliest) is None:
            of_round += [numbers[key]] * (rounds.height - len(of_round))
            break
    return made, of_round, [*found]


def _version_of(named: str, game: Game) -> Version | None:
    """The version of a game elected by its id; None where the game has no such version."""
    try:
        version = version_named(named)
    except UnknownVersion:
        return None
    return version if version.game == game.name else None


def _names_of_options(game: Game) -> frozenset[str]:
    """The names of all options that some regulation of the game offers."""
    text = next((version.regulation for version in VERSIONS if version.game == game.name and version.regulation), None)
    offered = fields(game.options({}, text)[0]) if text is not None else ()
    return frozenset({REGULATION_OPTION, *(option.name for option in offered)})


def _recorded_facts(events: pl.DataFrame, game: Game) -> frozenset[str]:
    """Those facts that a table-day's log records of which some logs record none (``Rules.recorded``)."""
    sometimes_recorded = {
        MARKERS: is_kind("MarkerMoved"),
        TOTALS: is_kind("TotalAnnounced"),
        TURNS: is_kind("CardTurned"),
        STANDS: pl.col("decision_action").is_in(sorted(game.actions.standing)),
    }
    recorded = events.select(tells.any().alias(fact) for fact, tells in sometimes_recorded.items()).row(0, named=True)
    return frozenset(fact for fact, tells in recorded.items() if tells)


def _opened_for_another(log: Log) -> list[tuple[int, float]]:
    """The ranges of ``seq`` in which the table was open for another game, or in another currency, than at first."""
    ends = [opening.seq for opening in log.openings[1:]]
    _, *first, _ = log.opened
    return [
        (begin, end)
        for (begin, *opened, _), end in zip(log.openings, [*ends, inf], strict=False)
        if any(said not in (None, stood) for said, stood in zip(opened, first, strict=True))
    ]


class _ElectedOptions:
    """The options elected by now, and the number of seats with which the table was opened.

    An election of something that a regulation does not offer has no effect under it: the earlier election stands. ``earlier`` are
    those that a later one replaced, by name.
    """

    def __init__(self, game: Game, layout: TableOpening | None) -> None:
        self.held: dict[str, ElectedOption] = {}
        self.earlier: defaultdict[str, list[ElectedOption]] = defaultdict(list)
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
        """Add an election."""
        if elected_option.name == REGULATION_OPTION:
            self.held[REGULATION_OPTION] = elected_option
        else:
            self._untried.append(elected_option)

    def under(self, regulation: Regulation) -> Iterator[tuple[int, OptionFault]]:
        """Apply the elections that a regulation offers; keep the others for another regulation of the game. Gives the elections
        that it does not know, with their ``seq``."""
        waiting: dict[str, ElectedOption] = {}
        for elected_option in self._untried:
            name = elected_option.name
            unknown = self._unknown(name, elected_option.value, regulation)
            if unknown is not None:
                yield elected_option.seq, unknown
            if unknown is None or unknown.holds:
                self._hold(elected_option)
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

    def _hold(self, elected_option: ElectedOption) -> None:
        """Let an election hold, unless it says again what holds and tells of no authorisation of its own."""
        name, before = elected_option.name, self.held.get(elected_option.name)
        if before is None or replace(elected_option, seq=before.seq) != ElectedOption(before.seq, name, before.value):
            self.earlier[name] += filter(None, [before])
            self.held[name] = elected_option

    def _unknown(self, name: str, value: str, regulation: Regulation) -> OptionFault | None:
        """The fault of an option or a value that a regulation does not know."""
        _, faults = self._game.options({name: value}, regulation)
        return next((fault for fault in faults if fault.code == OPTION_UNKNOWN.code), None)


class _Permits:
    """Checks the elected options of a table-day against the article that requires permission for them.

    It leaves out options that the replay settings replace, and logs that do not record authorisations.
    """

    def __init__(self, unrecorded: frozenset[str], settings: ReplaySettings) -> None:
        self._applies = settings.regulation is None and authorisation.NOT_RECORDED not in unrecorded
        self._replaced = settings.options.keys()
        self._found: set[tuple[str, int]] = set()
        self._days_begin_by = 0

    def note_permit_day(self, elected_option: ElectedOption) -> None:
        """Note the day from which an election may be in use."""
        if elected_option.settled_on is not None:
            self._days_begin_by = max(self._days_begin_by, midnight(elected_option.settled_on))

    def day_while_pending(self, began: int) -> dt.date | None:
        """The day of a round that began before all elections noted could be in use; None for later rounds, whose day makes no
        difference."""
        return local_day(began) if began < self._days_begin_by else None

    def check(
        self, held: Iterable[ElectedOption], version: Version | None, day: dt.date
    ) -> tuple[frozenset[str], list[authorisation.Fault]]:
        """The options that may not be in use on a day, and the faults of elections that were not reported before."""
        if not self._applies or version is None or version.regulation is None:
            return frozenset(), []
        own = [elected_option for elected_option in held if elected_option.name not in self._replaced]
        permit_faults = list(authorisation.faults(own, version.regulation, day))
        new = [fault for fault in permit_faults if (fault.code, fault.elected_option.seq) not in self._found]
        self._found |= {(fault.code, fault.elected_option.seq) for fault in new}
        return frozenset(fault.elected_option.name for fault in permit_faults if fault.forbidden), new

    @staticmethod
    def last_permitted(earlier: Sequence[ElectedOption], version: Version | None, day: dt.date) -> str | None:
        """The value of the last of these elections that may be in use on a day; None where none may."""
        if version is None or version.regulation is None:
            return None
        return next(
            (
                election.value
                for election in reversed(earlier)
                if not any(fault.forbidden for fault in authorisation.faults([election], version.regulation, day))
            ),
            None,
        )


def _regulation_for(game: Game, settings: ReplaySettings) -> str | None:
    """The version that the settings name, if it is one of this game."""
    named = settings.regulation
    return named if named is not None and version_named(named).game == game.name else None


def _version_of_round(
    game: Game, began: int, ended: int, settings: ReplaySettings, readings: Readings
) -> tuple[Version | None, tuple[str, ...]]:
    """The version that governs a round; ruling X-1 decides where its start and its settlement fall under different ones."""
    at_start, at_end = (version_at(game.name, moment, settings.in_force) for moment in (began, ended))
    if at_start is at_end:
        return at_start, ()
    return (at_end if readings("X-1") == "settlement" else at_start), ("X-1",)


def _rulings_on_money(version: Version | None) -> tuple[str, ...]:
    """The rulings on a version's instrument that move money."""
    return tuple(ruling for ruling in version.rulings if register()[ruling].money) if version else ()


def _period(
    game: Game,
    version: Version | None,
    elected: Mapping[str, str],
    recorded: frozenset[str],
    readings: Readings,
    unauthorised: Mapping[str, str | None],
) -> tuple[RulesPeriod, Sequence[OptionFault]]:
    """The rules of a version as elected, and the faults of that. ``unauthorised`` has the options that lack permission,
    each with its value by an earlier election that had one."""
    if version is None or version.regulation is None:
        return RulesPeriod(version, None, elected), []
    wanted = {name: value for name, value in elected.items() if name != REGULATION_OPTION}
    options, faults = game.options(wanted, version.regulation)
    lacking = frozenset(name for name, value in unauthorised.items() if value != wanted.get(name))
    void = authorisation.contestable(lacking, version.regulation) if lacking else ()
    if void:
        lawful = {name: unauthorised[name] if name in void else value for name, value in wanted.items()}
        permitted = {name: value for name, value in lawful.items() if value is not None}
        contested = Contested(options, game.options(permitted, version.regulation)[0], readings)
        options = cast("ElectedOptions", contested)  # it answers to every name of theirs
    rules = Rules(version.regulation, options, readings, lacking, recorded)
    return RulesPeriod(version, rules, elected), faults
