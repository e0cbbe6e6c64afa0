"""``pitaudit rulings`` and ``pitaudit rulings ledger``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from cyclopts import App

from flows.cli.options import Archive, OnlyDay, OnlyTable, Processes, SettingsFile, settings_of
from flows.cli.terminal import CLEAN, FOUND, money, print_json, print_table, shares, warn
from flows.cli.warnings import chosen_table_days

rulings: Final = App()


@rulings.default
def list_rulings(*, json: bool = False) -> int:
    """List every doubtful text: what is asked, how it can be read, and where in the code the answer acts.

    Settings choose other readings for the property or a table; `pitaudit whatif` tries one.

    Example: `pitaudit rulings --json`

    Parameters
    ----------
    json
        One JSON object on standard output: rulings, each with id, option, question, game, versions, article, readings
        (the default first), default, pt, zh (the readings of these presets), money, acts (file and function).
    """
    from replayer.law.ruling_sites import ruling_sites
    from replayer.law.rulings import register

    sites = ruling_sites()
    listed: list[dict[str, Any]] = [
        {**asdict(ruling), "default": ruling.default, "acts": list(sites[ruling.id])} for ruling in register().values()
    ]
    if json:
        print_json({"rulings": listed})
        return CLEAN
    rows = [
        (
            [each["id"], each["option"]],
            each["question"],
            [_reading(reading, each) for reading in each["readings"]],
            each["article"],
            "money" if each["money"] else "",
            [place.removeprefix("replayer/law/") for place in each["acts"]],
        )
        for each in listed
    ]
    print_table("Rulings", ("id, option", "question", "readings", "article", "moves", "acts in"), rows, figures=())
    return CLEAN


@rulings.command(name="ledger")
def ledger(
    archive: Archive,
    /,
    *,
    day: OnlyDay = None,
    table: OnlyTable = None,
    workers: Processes = None,
    json: bool = False,
    settings: SettingsFile = None,
) -> int:
    """Settle an archive under each other reading of every ruling that its rounds touch: what the doubt is worth.

    Only touched rounds are settled again. A change in win is the house's: what the players would be due less. The cards and
    decisions stay as they were logged; where the bank would have had to take a card that the log does not have, what hangs on
    its hand is not known.

    Example: `pitaudit rulings ledger archive --workers 2`

    Parameters
    ----------
    json
        One JSON object on standard output: table_days, damaged, lines, each with ruling, option, reading, in_force (the
        reading that was held), currency (a line each where the tables have several), rounds_touched, wagers_changed,
        change_in_win_minor (null where nothing of it is known), unsettled (changed wagers whose difference cannot be said).
    """
    from flows.comparisons import NOT_KNOWN, ledger_of

    chosen = settings_of(settings, workers=workers)
    refs, whole = chosen_table_days(archive, day, table)
    with shares("Settling again") as step:
        found, damage = ledger_of(refs, chosen.replay, chosen.workers, step)
    for each in damage:
        warn(each)
    if json:
        lines = [asdict(line) | {"change_in_win_minor": line.known_change} for line in found]
        for line in lines:
            del line["change_in_win"]
        print_json({"table_days": len(refs), "damaged": damage, "lines": lines})
    else:
        columns = (
            "ruling",
            "option",
            "reading",
            "instead of",
            "rounds touched",
            "wagers changed",
            "change in win",
            "currency",
            "not known",
        )
        rows = [
            (
                line.ruling,
                line.option,
                line.reading,
                line.in_force,
                line.rounds_touched,
                line.wagers_changed,
                money(line.known_change, sign=True),
                line.currency,
                line.unsettled or None,
            )
            for line in found
        ]
        print_table("What each other reading would change", columns, rows, figures=(4, 5, 6, 8))
        print(
            "A ruling that is not listed touched no round. Change in win: the house's, positive where it would pay less."
        )
        if any(line.unsettled for line in found):
            print(f"Not known: {NOT_KNOWN}.")
    return FOUND if damage or not whole else CLEAN


def _reading(reading: str, each: dict[str, Any]) -> str:
    """A reading with the presets that take it, where they do not agree."""
    takers = [name for name in ("default", "pt", "zh") if each[name] == reading]
    agree = each["default"] == each["pt"] == each["zh"]
    return reading if agree or not takers else f"{reading} ({', '.join(takers)})"
