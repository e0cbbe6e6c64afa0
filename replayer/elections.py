"""Which rules each round is judged by: the version in force when it began, the options elected by then, the readings."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import polars as pl

from replayer.game import Game, Rules, Version
from replayer.law.calendar import NOT_SETTLED, version_at, version_named
from replayer.law.rulings import Readings
from schemas.finding import Finding, Severity, declare

OPTION_UNKNOWN: Final = declare("OPTION_UNKNOWN", Severity.PROCEDURE, "An option that the regulation does not know")
LAW_NOT_AT_HAND: Final = declare("LAW_NOT_AT_HAND", Severity.ADVISORY, "Rounds under a text that is not at hand")

REGULATION_OPTION: Final = "regulation"
"""Elected by imported tables that were not played under Macau's law: names the version to judge by."""


@dataclass(frozen=True)
class ReplaySettings:
    """What an operator may choose for a replay; it goes into the run's manifest.

    Attributes:
        preset: readings preset: ``default``, ``pt`` or ``zh``.
        readings: overrides for the property, id or option name to reading.
        table_readings: further overrides by table.
        in_force: overrides of first days of versions, by version id.
        regulation: judge every round by this version (``whatif``).
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
        """The same settings but for one reading."""
        return replace(self, readings={**self.readings, ruling: reading})


@dataclass(frozen=True, slots=True)
class Epoch:
    """A stretch of rounds judged by the same rules. ``rules`` is None where the version's text is not at hand.

    ``rulings`` are those that the choice of the version hangs on.
    """

    version: Version | None
    rules: Rules | None
    elected: Mapping[str, str]
    rulings: tuple[str, ...] = ()


def epochs(
    events: pl.DataFrame, rounds: pl.DataFrame, game: Game, table_id: str, gaming_day: dt.date, settings: ReplaySettings
) -> tuple[list[Epoch], list[int], list[Finding]]:
    """The epochs of a table-day, the epoch of each round, and what was found about the options."""
    elections = events.filter(pl.col("kind") == "OptionElected").select("seq", "option_name", "option_value").rows()
    readings = settings.readings_for(table_id)
    findings: list[Finding] = []
    made: list[Epoch] = []
    numbers: dict[Hashable, int] = {}
    of_round: list[int] = []
    elected: dict[str, str] = {}
    state = 0
    steady = _steady_version(rounds, game, settings)
    for first_seq, began, ended in rounds.select("first_seq", "started_at", "ended_at").iter_rows():
        while state < len(elections) and elections[state][0] < first_seq:
            elected[elections[state][1]] = elections[state][2]
            state += 1
        named = settings.regulation or elected.get(REGULATION_OPTION)
        rulings: tuple[str, ...] = ()
        if named:
            version: Version | None = version_named(named)
        elif isinstance(steady, _Unsteady):
            version, rulings = _version_of_round(game, began, ended, settings, readings)
        else:
            version = steady
        key = (state, version.id if version else None, rulings)
        if key not in numbers:
            numbers[key] = len(made)
            epoch, faults = _epoch(game, version, {**elected, **settings.options}, readings)
            made.append(replace(epoch, rulings=rulings))
            findings += [
                Finding(OPTION_UNKNOWN.code, table_id, gaming_day, seq=first_seq, message=fault) for fault in faults
            ]
            if epoch.rules is None:
                why = NOT_SETTLED.get(version.id, f"{version.id} has no text") if version else "no version was in force"
                findings.append(Finding(LAW_NOT_AT_HAND.code, table_id, gaming_day, seq=first_seq, message=why))
        of_round.append(numbers[key])
    return made, of_round, findings


class _Unsteady:
    """The version changes within the table-day: each round must be looked at."""


def _steady_version(rounds: pl.DataFrame, game: Game, settings: ReplaySettings) -> Version | _Unsteady | None:
    """The version that governs every moment of the rounds, where one does."""
    if rounds.is_empty():
        return None
    first, last = rounds.select(pl.col("started_at").min(), pl.col("ended_at").max()).row(0)
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


def _epoch(
    game: Game, version: Version | None, elected: Mapping[str, str], readings: Readings
) -> tuple[Epoch, list[str]]:
    if version is None or version.regulation is None:
        return Epoch(version, None, elected), []
    wanted = {name: value for name, value in elected.items() if name != REGULATION_OPTION}
    options, faults = game.options(wanted, version.regulation)
    rules = Rules(version.regulation, options, readings)
    return Epoch(version, rules, elected), [f"{fault.name}={fault.value}: {fault.reason}" for fault in faults]
