"""Finds the rules that judge each round: the version in force when it began, the options elected by then, the readings."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import inf
from typing import Final, cast

import polars as pl

from replayer.contract.game import Game
from replayer.contract.rules import MARKERS, STANDS, TOTALS, TURNS, AnyRules, ElectedOptions, OptionFault, Rules
from replayer.engine.replay_settings import ReplaySettings
from replayer.integrity.checks import NOT_RECORDED, not_recorded
from replayer.integrity.inspection import Log, TableOpening
from replayer.law import authorisation, calendar
from replayer.law.authorisation import Contested, ElectedOption
from replayer.law.codes import OPTION_UNKNOWN
from replayer.law.regulation import Regulation, Version
from replayer.law.rulings import register
from replayer.log.columns import is_kind, of_kind
from schemas.finding import Code, Finding, advisory

LAW_NOT_AT_HAND: Final = advisory("LAW_NOT_AT_HAND", "Rounds under a text that is not at hand")

REGULATION_OPTION: Final = "regulation"
"""Elected by imported tables that did not play under Macau's law: names the version to judge by. A table that records its
authorisations has none for this: no law leaves it to the house, so that it is found."""

SEATS_OPTION: Final = "seats"
"""The option for the number of seats, in games whose law leaves it to the house."""

_ELECTED_OPTION: Final = [
    "seq",
    *(f"option_{name}" for name in ("name", "value", "authorisation", "requested_on", "authorised_on", "effective_on")),
    "at",
]


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
    table, of_round = _Table(log, rounds, game, settings), list[int]()
    for first_seq, began, ended in rounds.iter_rows():
        of_round.append(table.period_of(first_seq, began, ended))
        if table.no_more_changes:
            of_round += of_round[-1:] * (rounds.height - len(of_round))
            break
    return table.periods, of_round, [*table.findings]


class _Table:
    """The rules of a table-day from round to round: its ``periods`` so far, and the ``findings`` on its options, each once, in
    the order in which they were found."""

    def __init__(self, log: Log, rounds: pl.DataFrame, game: Game, settings: ReplaySettings) -> None:
        self.periods: list[RulesPeriod] = []
        self.findings: dict[Finding, None] = {}
        self._log, self._game, self._settings = log, game, settings
        options = of_kind(log.events, ("OptionElected",), *_ELECTED_OPTION).rows()
        self._elections = deque(replace(ElectedOption(*told), said_on=calendar.local_day(at)) for *told, at in options)
        self._layouts = deque(opening for opening in log.openings if opening.seats is not None)
        tells_what_is_missing = any(elected_option.name == NOT_RECORDED for elected_option in self._elections)
        self._permits = _Permits(not_recorded(log.books) if tells_what_is_missing else frozenset(), settings)
        self._elected = _ElectedOptions(game, self._layouts[0] if self._layouts else None)
        self._readings = settings.readings_for(log.table_id)
        self._recorded = _recorded_facts(log.books, game)
        self._of_another = _opened_for_another(log)
        self._earliest, latest = (cast("int", moment) for moment in (rounds["began"].min(), rounds["ended"].max()))
        self._first_version, self._last_version = (
            calendar.version_at(game.name, at, settings.in_force) for at in (self._earliest, latest)
        )
        self._numbers: dict[Hashable, int] = {}

    @property
    def _named(self) -> str | None:
        """The version that the settings name, if it is one of this game, or else the house."""
        chosen = self._settings.regulation
        return chosen if chosen and _version_of(chosen, self._game) else self._elected.regulation

    @property
    def no_more_changes(self) -> bool:
        """Whether the later rounds are like this one: nothing more is elected, no version changes, no permit is awaited."""
        if self._elections or self._layouts or self._of_another:
            return False
        one_version = self._settings.regulation is not None or self._first_version is self._last_version
        return one_version and self._permits.day_while_pending(self._earliest) is None

    def period_of(self, first_seq: int, began: int, ended: int) -> int:
        """The number of the period of the next round."""
        if any(begin < first_seq < end for begin, end in self._of_another):
            self.periods.append(ANOTHER_TABLE)
            return len(self.periods) - 1
        while self._elections and self._elections[0].seq < first_seq:
            self._permits.note_permit_day(self._elections[0])
            self._elected.take(self._elections.popleft())
        while self._layouts and self._layouts[0].seq < first_seq:
            self._elected.layout = self._layouts.popleft()
        named, in_force, rulings = self._named, self._first_version, tuple[str, ...]()
        if self._first_version is not self._last_version:
            in_force, rulings = self._version_of_round(began, ended)
        version, rulings = (_version_of(named, self._game), ()) if named is not None else (in_force, rulings)
        pending = self._permits.day_while_pending(began)
        key = (len(self._elections), self._elected.layout, id(version), id(in_force), rulings, pending)
        if key not in self._numbers:
            self._numbers[key] = len(self.periods)
            if version is not None and version is not in_force:
                self._note_law_of_its_own(version, in_force)
            period = self._new_period(version, first_seq, calendar.local_day(began))
            on_version = [ruling for ruling in version.rulings if register()[ruling].money] if version else []
            self.periods.append(replace(period, rulings=(*rulings, *on_version)))
        return self._numbers[key]

    def _note_law_of_its_own(self, version: Version, in_force: Version | None) -> None:
        """Find that the log has its rounds judged by a version that was not in force."""
        if self._permits.applies:
            by_date = in_force.id if in_force is not None else "none that is at hand"
            message = f"{REGULATION_OPTION}={version.id}: the log names its law itself; in force was {by_date}"
            self._note(authorisation.OPTION_UNAUTHORISED, self._elected.held[REGULATION_OPTION].seq, message)

    def _new_period(self, version: Version | None, first_seq: int, day: dt.date) -> RulesPeriod:
        """The period of a version that begins with a round, and what is found on its options."""
        elected, replaced, named = self._elected, self._settings.options, self._named
        if version is None or version.regulation is None:
            if named is not None and version is None:
                message = f"{REGULATION_OPTION}={named}: there is no such version of {self._game.name}"
                self._note(OPTION_UNKNOWN, elected.held[REGULATION_OPTION].seq, message)
            else:
                why = calendar.NONE_AT_HAND if version is None else version.not_settled
                self._note(LAW_NOT_AT_HAND, first_seq, why)
            return RulesPeriod(version, None, {**elected.values, **replaced})
        unknown = list(elected.under(version.regulation, day))
        unauthorised, permit_faults = self._permits.check(elected.held.values(), version.regulation, day)
        earlier = {name: _last_permitted(elected.earlier[name], version.regulation, day) for name in unauthorised}
        options = {**elected.values, **replaced}
        rules, faults = self._rules(version.regulation, options, earlier)
        for each in permit_faults:
            self._note(each.code, each.elected_option.seq, each.message, each.article)
        chosen_by = {name: elected.held[name].seq for name in elected.held.keys() - replaced.keys()}
        for seq, fault in (*unknown, *((chosen_by.get(fault.name, first_seq), fault) for fault in faults)):
            self._note(fault.code, seq, f"{fault.name}={fault.value}: {fault.reason}", fault.article)
        return RulesPeriod(version, rules, options)

    def _version_of_round(self, began: int, ended: int) -> tuple[Version | None, tuple[str, ...]]:
        """The version that governs a round; ruling X-1 decides where its start and its settlement fall under different ones."""
        name, first_days = self._game.name, self._settings.in_force
        at_start, at_end = (calendar.version_at(name, moment, first_days) for moment in (began, ended))
        if at_start is at_end:
            return at_start, ()
        return (at_end if self._readings("X-1") == "settlement" else at_start), ("X-1",)

    def _rules(
        self, regulation: Regulation, elected: Mapping[str, str], unauthorised: Mapping[str, str | None]
    ) -> tuple[AnyRules, Sequence[OptionFault]]:
        """The rules of a regulation as elected, and the faults of that. ``unauthorised`` has the options that lack permission,
        each with its value by an earlier election that had one."""
        wanted = {name: value for name, value in elected.items() if name != REGULATION_OPTION}
        options, faults = self._game.options(wanted, regulation)
        lacking = frozenset(name for name, value in unauthorised.items() if value != wanted.get(name))
        void = authorisation.contestable(lacking, regulation) if lacking else ()
        if void:
            lawful = {name: unauthorised[name] if name in void else value for name, value in wanted.items()}
            permitted = {name: value for name, value in lawful.items() if value is not None}
            contested = Contested(options, self._game.options(permitted, regulation)[0], self._readings)
            options = cast("ElectedOptions", contested)  # it answers to every name of theirs
        return Rules(regulation, options, self._readings, lacking, self._recorded), faults

    def _note(self, code: Code, seq: int, message: str, article: str = "") -> None:
        table, day = self._log.table_id, self._log.gaming_day
        self.findings[Finding(code, table, day, seq=seq, article=article, message=message)] = None


def _version_of(named: str, game: Game) -> Version | None:
    """The version of a game elected by its id; None where the game has no such version."""
    return next((each for each in calendar.VERSIONS if each.id == named and each.game == game.name), None)


def _names_of_options(game: Game) -> frozenset[str]:
    """The names of all options that some regulation of the game offers."""
    text = next(
        (version.regulation for version in calendar.VERSIONS if version.game == game.name and version.regulation), None
    )
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
            if elected_option.value != self.regulation:  # said again it is the same election
                self.held[REGULATION_OPTION] = elected_option
        else:
            self._untried.append(elected_option)

    def under(self, regulation: Regulation, day: dt.date) -> Iterator[tuple[int, OptionFault]]:
        """Apply the elections that a regulation offers, as they are in use on a day; keep the others for another regulation of
        the game. Gives the elections that it does not know, with their ``seq``."""
        waiting: dict[str, ElectedOption] = {}
        for elected_option in self._untried:
            name = elected_option.name
            unknown = self._unknown(name, elected_option.value, regulation)
            if unknown is not None:
                yield elected_option.seq, unknown
            if unknown is None or unknown.holds:
                self._hold(elected_option, regulation)
                waiting.pop(name, None)
            elif name in self._names:
                waiting[name] = elected_option
        self._untried = list(waiting.values())
        in_use = ((name, self._in_use(name, regulation, day)) for name in self.held)
        self.values = {name: each.value for name, each in in_use if each is not None}
        if self.layout is not None and any(choice.name == SEATS_OPTION for choice in regulation.choices):
            unknown = self._unknown(SEATS_OPTION, str(self.layout.seats), regulation)
            if unknown is None:
                self.values = {SEATS_OPTION: str(self.layout.seats), **self.values}
            else:
                yield self.layout.seq, unknown

    def _hold(self, elected_option: ElectedOption, regulation: Regulation) -> None:
        """Let an election hold, unless it says again what holds and tells of no authorisation of its own."""
        name, day = elected_option.name, elected_option.said_on
        before = self._in_use(name, regulation, day) if name in self.held else None
        if before is None or elected_option != ElectedOption(elected_option.seq, name, before.value, said_on=day):
            self.earlier[name] += filter(None, [self.held.get(name)])
            self.held[name] = elected_option

    def _in_use(self, name: str, regulation: Regulation, day: dt.date) -> ElectedOption | None:
        """The election of an option that is in use on a day: the last one; but one that needs no permission, such as that of a
        limit, waits for its day, and then replaces those that were in use before."""
        elections = (self.held[name], *reversed(self.earlier.get(name, [])))
        if name in regulation.needing_permission:
            return elections[0]
        begun = (each for each in elections if each.effective_on is None or each.effective_on <= day)
        return max(begun, key=lambda each: max(each.said_on, each.effective_on or each.said_on), default=None)

    def _unknown(self, name: str, value: str, regulation: Regulation) -> OptionFault | None:
        """The fault of an option or a value that a regulation does not know."""
        _, faults = self._game.options({name: value}, regulation)
        return next((fault for fault in faults if fault.code == OPTION_UNKNOWN), None)


class _Permits:
    """Checks the elected options of a table-day against the article that requires permission for them.

    It leaves out options that the replay settings replace, and does not apply to logs that do not record authorisations.
    """

    def __init__(self, unrecorded: frozenset[str], settings: ReplaySettings) -> None:
        self.applies = settings.regulation is None and authorisation.NOT_RECORDED not in unrecorded
        self._replaced = settings.options.keys()
        self._found: set[tuple[str, int]] = set()
        self._days_begin_by = 0

    def note_permit_day(self, elected_option: ElectedOption) -> None:
        """Note the day from which an election may be in use."""
        if elected_option.settled_on is not None:
            self._days_begin_by = max(self._days_begin_by, calendar.midnight(elected_option.settled_on))

    def day_while_pending(self, began: int) -> dt.date | None:
        """The day of a round that began before all elections noted could be in use; None for later rounds, whose day makes no
        difference."""
        return calendar.local_day(began) if began < self._days_begin_by else None

    def check(
        self, held: Iterable[ElectedOption], regulation: Regulation, day: dt.date
    ) -> tuple[frozenset[str], list[authorisation.Fault]]:
        """The options that may not be in use on a day, and the faults of elections that were not reported before."""
        if not self.applies:
            return frozenset(), []
        own = [elected_option for elected_option in held if elected_option.name not in self._replaced]
        permit_faults = list(authorisation.faults(own, regulation, day))
        new = [fault for fault in permit_faults if (fault.code, fault.elected_option.seq) not in self._found]
        self._found |= {(fault.code, fault.elected_option.seq) for fault in new}
        return frozenset(fault.elected_option.name for fault in permit_faults if fault.forbidden), new


def _last_permitted(earlier: Sequence[ElectedOption], regulation: Regulation, day: dt.date) -> str | None:
    """The value of the last of these elections that may be in use on a day; None where none may."""
    for election in reversed(earlier):
        if not any(fault.forbidden for fault in authorisation.faults([election], regulation, day)):
            return election.value
    return None
