"""One soak from beginning to end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from producers.simulator import pit
from tests.soak.account import Account, Held
from tests.soak.figures import figures
from tests.soak.ground import ground
from tests.soak.run import Run, reports
from tests.soak.week import FIRST, Week, long_week, short_week

_RECORDERS = 3


@dataclass(frozen=True)
class Soaked:
    """What came out: everything that must hold, and the figures."""

    held: list[Held]
    figures: dict[str, str]


def table_ids(count: int) -> list[str]:
    """The tables of a simulated pit."""
    return [plan.table_id for plan in pit(count, [FIRST])]


def the_week(
    seed: int, *, short: bool = False, days: int = 7, minutes: float = 20.0, tables: int = 12, rounds: int = 120
) -> Week:
    """The week that was asked for."""
    ids = table_ids(tables)
    return short_week(seed, ids) if short else long_week(seed, days, minutes, ids, rounds)


def soak(week: Week, folder: Path, say: Callable[[str], None], key: Path | None = None) -> Soaked:
    """Let a week pass and account for it; ``key`` is a folder with a broker's key, made unless given.

    Raises:
        NoBroker: no broker can be started here.
        TimeoutError: something that should come did not.
    """
    undisturbed = folder / "undisturbed"
    played = week.simulate(undisturbed)
    say(f"{len(played)} table-days, {sum(map(len, played.values())):,} events; {week.script}")
    with ground(week, folder, played, key) as there:
        say("the broker is there")
        tables = sorted({table for table, _ in played})
        late = {week.script.late[0]} if week.script.late else set()
        rest = [table for table in tables if table not in late]
        groups = {f"recorder-{number + 1}": rest[number::_RECORDERS] for number in range(_RECORDERS)}
        groups = {name: of for name, of in groups.items() if of} | ({"late": sorted(late)} if late else {})
        there.prepare(groups)
        record = Run(there, say).pass_by(groups)
        held = Account(there, undisturbed, record, reports(there, folder)).all()
        return Soaked(held, figures(there, record))
