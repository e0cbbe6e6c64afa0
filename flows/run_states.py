"""How a flow run ends: the state that Prefect shows, with what it came to in a few words.

=============  ==================================================================================================
``Completed``  every table was judged and nothing was found
``NotClean``   every table was judged, and there is something to look at (of type ``COMPLETED``: a retry changes nothing)
``Failed``     a table that the day should have had has no verdicts, a day no report, or the run could not do its work at all
=============  ==================================================================================================

Prefect ends the process of a ``Failed`` run by raising the error that the state holds, which it logs with a traceback. Where the
error is known, the run's log has our sentence in its place.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Sequence
from typing import Any, Final, ParamSpec, TypeVar

from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from flows.known_errors import message_of
from flows.summary import Night, short

NOT_CLEAN: Final = "NotClean"
"""The name of the state; Prefect's event of it is ``prefect.flow-run.NotClean``."""
_WHYS: Final = 3

P = ParamSpec("P")
T = TypeVar("T")


class WorkLeft(Exception):
    """Some table-days have no verdicts, or gaming days no report; all others of the ``nights`` have."""

    def __init__(self, why: str, nights: Sequence[Night]) -> None:
        super().__init__(why)
        self.nights = list(nights)


def _first(whys: Sequence[str]) -> list[str]:
    return [*whys[:_WHYS], *([f"{len(whys) - _WHYS} more"] if len(whys) > _WHYS else [])]


def failed(why: BaseException, message: str = "") -> State[Any]:
    """The state of a run that did all it could: no traceback, for nothing in the program went wrong."""
    return Failed(message=message or str(why), data=why)


def ended(nights: Sequence[Night]) -> State[Any]:
    """The last state of a run over some gaming days; its result is the nights."""
    undone = [
        f"{night.reconciliation.gaming_day} {table}: {why}" if len(nights) > 1 else f"{table}: {why}"
        for night in nights
        for table, why in night.undone.items()
    ]
    unreported = [night.report_not_kept for night in nights if night.report_not_kept]
    if undone or unreported:
        why = "; ".join((short(nights), *_first(undone), *_first(unreported)))
        return failed(WorkLeft(why, nights))
    clean = all(night.clean for night in nights)
    return Completed(name=None if clean else NOT_CLEAN, message=short(nights), data=list(nights))


def nights_of(state: State[Any]) -> list[Night]:
    """The nights of a run that ended so. Raises the error of one that could not do its work at all."""
    result: Any = state.result(raise_on_failure=False)
    if isinstance(result, WorkLeft):
        return result.nights
    if isinstance(result, BaseException):
        raise result
    return list(result)


def _explained(record: logging.LogRecord) -> bool:
    """Take the traceback of an error that is known out of what Prefect logs of it, and put its sentence there; every record is
    logged."""
    if record.exc_info:
        error = record.exc_info[1]
        why = None if error is None else message_of(error)
        if error is None or why is not None:
            record.exc_info = record.exc_text = None
        if why is not None:
            record.msg, record.args = why, None
    return True


def without_traceback(run: Callable[P, T | State[Any]]) -> Callable[P, T | State[Any]]:
    """A flow or task that fails without a traceback where the error is known."""

    @functools.wraps(run)
    def ended(*args: P.args, **kwargs: P.kwargs) -> T | State[Any]:
        for name in ("prefect.flow_runs", "prefect.task_runs", "prefect.engine"):
            logging.getLogger(name).addFilter(_explained)
        try:
            return run(*args, **kwargs)
        except Exception as error:
            if (why := message_of(error)) is None:
                raise
            return failed(error, why)

    ended.__signature__ = inspect.signature(run, eval_str=True)  # type: ignore[attr-defined]  # Prefect reads parameters of it
    return ended
