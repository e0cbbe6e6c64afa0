"""``pitaudit query``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from flows.cli.options import NamedLake, SettingsFile, Wait, pairs, require_lake, settings_of
from flows.cli.terminal import CLEAN, money, print_json, print_table, warn
from flows.cli.warnings import LakeWarnings, warn_of_players
from flows.known_errors import CouldNotRun
from schemas.plural import plural, spoken

if TYPE_CHECKING:
    import polars as pl


_SHOWN: Final = 200
"""Rows that fit a reader; --json gives them all."""


def query(
    name: str | None = None,
    /,
    *,
    listed: Annotated[bool, Parameter(name="--list")] = False,
    lake: NamedLake = None,
    param: tuple[str, ...] = (),
    sql: bool = False,
    json: bool = False,
    wait: Wait = None,
    settings: SettingsFile = None,
) -> int:
    """Run a named query over the lake; --list says which there are.

    A row is a place to look, not an accusation, so that rows do not change the exit code. Exit 1 where table-days had to be
    left out, since the lake has no verdicts of them that hold (a table that is absent or not sealed, too), or where no run
    accounted for the tables of a gaming day or its last run did not finish, or where a log was replaced after it was judged and
    nobody acknowledged it.

    Example: `pitaudit query overpayment_by_dealer_and_player --lake lake --param min_count=3`

    Parameters
    ----------
    name
        The query's name.
    listed
        List the queries, what each shows and its parameters.
    param
        Parameters of the query, as name=value.
    sql
        Print the query as SQL with its parameters in it, for `pitaudit sql` or any tool that opens lake.duckdb, and run nothing.
    json
        One JSON object on standard output: query, purpose, innocent, params, columns, rows (amounts in minor units, times in
        UTC as `pitaudit sql` writes them), left_out (table-days without verdicts), log_changes (logs replaced after they were
        judged); with --list, queries; with --sql, query, params, sql.
    """
    from analytics.lake import reading
    from analytics.queries import query_named, run

    if listed:
        _print_queries(json=json)
        return CLEAN
    if name is None:
        raise CouldNotRun("which query? `pitaudit query --list` says which there are")
    asked = query_named(name)
    params = pairs(param, "--param")
    if sql:
        statement = asked.with_values(params)
        if json:
            print_json({"query": name, "params": params, "sql": statement})
        else:
            print(statement, end="")
        return CLEAN
    chosen = settings_of(settings, lake=lake, wait_seconds=wait)
    source = require_lake(chosen)
    with reading(source, chosen.wait_seconds, warn):
        frame, contents, omitted = run(name, source, params)
    warnings = LakeWarnings(source, *asked.days(params))
    warnings.give(contents)
    for what, (number, every) in omitted.items():
        warn(f"{what} are left out: {number:,} of {every:,}")
    texts = [
        f"{each.name}={params[each.name]}" for each in asked.parameters if each.kind == "text" and each.name in params
    ]
    if texts and frame.is_empty():
        warn(f"there is no row with {' and '.join(texts)}: is it written as the lake has it?")
    if "player" in frame.columns:
        warn_of_players(source)
    if json:
        print_json(
            {
                "query": name,
                "purpose": asked.purpose,
                "innocent": asked.innocent,
                "params": params,
                "columns": frame.columns,
                "rows": frame.to_dicts(),
                "left_out": [dataclasses.asdict(left) for left in contents.left_out],
                "log_changes": [change.to_dict() for change in contents.changes],
            }
        )
    else:
        _print(frame, name)
        print(f"What it shows: {asked.purpose}")
        print(f"What else would explain a row: {asked.innocent}")
    return warnings.exit_code


def _print_queries(*, json: bool) -> None:
    from analytics.queries import queries

    if json:
        known = [
            {
                "name": each.name,
                "purpose": each.purpose,
                "innocent": each.innocent,
                "params": [
                    {"name": p.name, "type": p.kind, "default": p.default, "is": p.meaning} for p in each.parameters
                ],
            }
            for each in queries().values()
        ]
        print_json({"queries": known})
    else:
        lines = [
            (each.name, each.purpose, [f"{p.name}={p.default}" for p in each.parameters]) for each in queries().values()
        ]
        print_table("Queries", ("name", "shows", "parameters"), lines, figures=())


def _print(frame: pl.DataFrame, name: str) -> None:
    """Amounts in major units, ratios with four digits."""
    figures = [index for index, kind in enumerate(frame.dtypes) if kind.is_numeric()]
    rows = [[_cell(column, value) for column, value in row.items()] for row in frame.head(_SHOWN).iter_rows(named=True)]
    columns = [spoken(column.removesuffix("_minor")) for column in frame.columns]
    print_table(f"{name}: {plural(frame.height, 'row')}", columns, rows, figures)
    if frame.height > _SHOWN:
        print(f"The first {_SHOWN} rows are shown; --json gives them all.")


def _cell(column: str, value: object) -> object:
    if column.endswith("_minor") and isinstance(value, int):
        return money(value)
    return f"{value:.4f}" if isinstance(value, float) else value
