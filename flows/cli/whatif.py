"""``pitaudit whatif``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from analytics.texts import amount
from flows.cli.options import Archive, OnlyDay, OnlyTable, Processes, SettingsFile, pairs, settings_of
from flows.cli.terminal import CLEAN, FOUND, print_json, print_table, shares, warn
from flows.cli.warnings import chosen_table_days
from flows.known_errors import CouldNotRun
from schemas.plural import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    import polars as pl

    from replayer.engine.replay_settings import ReplaySettings
    from replayer.law.regulation import Version

_SHOWN: Final = 20
"""Rounds that fit a reader; --json gives them all."""


def whatif(
    archive: Archive,
    /,
    *,
    option: tuple[str, ...] = (),
    regulation: str | None = None,
    ruling: tuple[str, ...] = (),
    day: OnlyDay = None,
    table: OnlyTable = None,
    workers: Processes = None,
    json: bool = False,
    settings: SettingsFile = None,
) -> int:
    """Settle the same days under other options, another version or another reading: what the house would have won.

    The cards and decisions stay as they were logged; where the bank would have had to take a card that the log does not have,
    what hangs on its hand is not known. Changes of less than a minor unit count as well: sums are of the exact ones, cut to whole
    units. Exit 1 where anything would be due otherwise.

    Example: `pitaudit whatif archive --ruling BJ-3=any_soft --workers 2`

    Parameters
    ----------
    option
        House options that hold instead of the elected ones, as name=value.
    regulation
        The version by which every round of its game is judged: an id, or an instrument such as 57/2009.
    ruling
        Readings that hold instead of those in force, as ruling=reading; a ruling by its id or its option name.
    json
        One JSON object on standard output: table_days, damaged, wagers_changed, change_in_win_minor (the house's; null with
        by_currency where there are several), unsettled (changed wagers whose difference cannot be said), by_wager and
        by_table (each name, currency, wagers, unsettled and change_in_win_minor), rounds (table_id, gaming_day, currency,
        round, change_in_win_minor, wagers: each seat, hand, wager, stake_minor, due_before_minor, due_after_minor,
        change_in_win_minor). A change of which nothing can be said is null.
    """
    from flows.comparisons import summed, what_if_of

    chosen = settings_of(settings, workers=workers)
    before = chosen.replay
    options, readings = pairs(option, "--option"), pairs(ruling, "--ruling")
    after = _other(before, options, regulation, readings)
    refs, whole = chosen_table_days(archive, day, table)
    with shares("Settling again") as step:
        changes, games, elected, damage = what_if_of(refs, before, after, chosen.workers, step)
    for each in damage:
        warn(each)
    for each in _changing_nothing(games, elected, options, regulation, readings):
        warn(each)
    if json:
        print_json({"table_days": len(refs), "damaged": damage, **summed(changes)})
    else:
        _print(changes, archive, damaged=bool(damage))
    return FOUND if changes.height or damage or not whole else CLEAN


def _other(
    before: ReplaySettings, options: dict[str, str], regulation: str | None, readings: dict[str, str]
) -> ReplaySettings:
    """The settings to compare with; at a table with readings of its own the given ones hold as well."""
    from replayer.law.articles import find_version, require_question
    from replayer.law.calendar import version_named
    from replayer.law.rulings import find

    if not (options or regulation or readings):
        raise CouldNotRun("what if what? Give --option NAME=VALUE, --regulation VERSION or --ruling ID=READING")
    version = find_version(regulation).id if regulation else before.regulation
    _check_options(options, version)
    wanted: dict[str, str] = {}
    for name, reading in readings.items():
        known = find(name).id
        if wanted.setdefault(known, reading) != reading:
            raise CouldNotRun(f"--ruling {name}={reading}: it is {wanted[known]} as well; give {known} once")
    judged_by = version_named(version) if version else None
    for ruling in map(find, wanted):
        if judged_by and ruling.game == judged_by.game:  # tables of another game have their own version
            require_question(ruling, judged_by)
    after = replace(before, regulation=version, options={**before.options, **options}).with_readings(wanted)
    after.readings_for("")  # refuses a reading that there is not
    return after


def _check_options(options: dict[str, str], regulation: str | None) -> None:
    """Refuse an option that no version knows in which a round could be settled, or whose value none admits; say which versions
    have it where not all of its game do."""
    from replayer.law.calendar import VERSIONS, games, version_named

    versions = [version_named(regulation)] if regulation else sorted(VERSIONS, key=lambda each: each.in_force)
    texts = {each: each.regulation for each in versions if each.regulation is not None}
    for name, value in options.items():
        known = [each for each in versions if _offers(each, name)]
        if not known:
            there = sorted({choice.name for text in texts.values() for choice in text.choices})
            raise CouldNotRun(f"--option {name}: there is no such option; there are {', '.join(there)}")
        faults = {each: games()[each.game].options({name: value}, texts[each])[1] for each in known}
        refused = {each: fault.reason for each in known for fault in faults[each] if not fault.holds}
        admit = [each for each in known if each not in refused]
        if not admit:
            raise CouldNotRun(f"--option {name}={value}: {refused[known[-1]]}")
        dated = {each for each in texts if each.in_force and each.game == admit[0].game}
        if dated - set(known) or (dated and not dated & set(admit)):
            only = ", ".join(each.id for each in admit)
            warn(f"--option {name}={value}: only under {only}; under another version it counts as not elected")


def _offers(version: Version, option: str) -> bool:
    """Whether the text of a version lets the house choose an option."""
    return version.regulation is not None and option in {choice.name for choice in version.regulation.choices}


def _changing_nothing(
    games: Set[str], elected: Set[str], options: dict[str, str], regulation: str | None, readings: dict[str, str]
) -> Iterator[str]:
    """What was given for other games than those that were compared, or for doubts that an elected option settles."""
    from replayer.law.articles import ANY, find_version
    from replayer.law.calendar import VERSIONS
    from replayer.law.rulings import find

    asked = [
        (f"--option {name}={value}", {each.game for each in VERSIONS if _offers(each, name)})
        for name, value in options.items()
    ]
    asked += [(f"--regulation {regulation}", {find_version(regulation).game})] if regulation else []
    asked += [(f"--ruling {name}={reading}", {find(name).game}) for name, reading in readings.items()]
    for what, own in asked:
        if own.isdisjoint({ANY, *games}):
            yield f"{what} changes nothing: no table-day here is of {' or '.join(sorted(own))}"
    for name, reading in readings.items():
        if (chosen := find(name).option) in elected:
            given = f"--ruling {name}={reading} changes nothing where {chosen} was elected"
            yield f"{given}, as at a table here: there it takes --option {chosen}={reading}"


def _print(changes: pl.DataFrame, archive: Path, *, damaged: bool) -> None:
    from flows.comparisons import NOT_KNOWN, by_currency, rounds_of, sums_by

    if changes.is_empty():
        print(f"Nothing would be due otherwise{' at the table-days that could be read' if damaged else ''}.")
        return
    for title, name in (("wager", "wager"), ("table", "table_id")):
        rows = [
            (
                each["name"],
                each["wagers"],
                amount(each["change_in_win_minor"], sign=True),
                each["currency"],
                each["unsettled"] or None,
            )
            for each in sums_by(changes, name)
        ]
        columns = (title, "wagers changed", "change in win", "currency", "not known")
        print_table(f"Change in win, by {title}", columns, rows, figures=(1, 2, 4))
    unsettled = changes["change_in_win"].null_count()
    sums = [f"{amount(each, sign=True)} {currency}" for currency, each in by_currency(changes).items()]
    print(
        f"In all {' and '.join(sums) or 'no known sum'} on {plural(changes.height, 'wager')}; positive is more for the house."
    )
    if unsettled:
        print(f"Of {plural(unsettled, 'wager')} the difference cannot be said: {NOT_KNOWN}.")
    rounds = rounds_of(changes)
    listed = [
        (
            each["gaming_day"],
            each["table_id"],
            each["round"],
            ", ".join(dict.fromkeys(wager["wager"] for wager in each["wagers"])),
            amount(each["change_in_win_minor"], sign=True),
            each["currency"],
        )
        for each in rounds.head(_SHOWN).iter_rows(named=True)
    ]
    print_table(
        "Rounds that change", ("day", "table", "round", "wagers", "change in win", "currency"), listed, figures=(2, 4)
    )
    if rounds.height > _SHOWN:
        print(f"The first {_SHOWN} of {rounds.height} rounds are shown; --json gives them all.")
    day, table, number = listed[0][:3]
    print(f"Look at one: pitaudit explain {archive} --table {table} --round {number} --day {day}")
