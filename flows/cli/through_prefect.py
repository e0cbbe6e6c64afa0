"""Runs a flow from the command line."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from flows.known_errors import CouldNotRun, one_line

if TYPE_CHECKING:
    from flows.summary import Night

URL_VARIABLE: Final = "PREFECT_API_URL"
QUIET: Final = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",  # the server's heartbeat to its makers
    "DO_NOT_TRACK": "1",  # the client's events to its makers
    "PREFECT_SERVER_EPHEMERAL_ENABLED": "false",  # a server that hides in the run loses task runs when it ends
    "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "60",  # seconds, as deployed runs have it: automations.yaml waits for five
}
"""Prefect's settings unless the environment has others."""
PATIENCE: Final = 60.0
"""Seconds in which a server must say that it is well: Prefect waits as long as something comes, and asks again and again."""


def asked_for(flag: bool) -> bool:
    """Whether a run is to go through Prefect."""
    return flag or bool(os.environ.get(URL_VARIABLE))


def nights_of_flow(name: str, **parameters: Any) -> list[Night]:
    """Run the flow ``nightly`` or ``backfill``; the nights that are returned name what it could not do."""
    prepare()
    from flows import nightly
    from flows.run_states import nights_of

    with answering():
        nights = nights_of(getattr(nightly, name)(**parameters, return_state=True))
    if why := next((night.report_not_kept for night in nights if night.report_not_kept), ""):
        raise CouldNotRun(why)
    return nights


def prepare() -> None:
    """Settle what Prefect reads when it is imported."""
    if not os.environ.get(URL_VARIABLE):
        raise CouldNotRun(f"no Prefect server is named: start one with `prefect server start` and set {URL_VARIABLE}")
    from flows.parsed import url

    try:
        url(os.environ[URL_VARIABLE])
    except ValueError:  # which Prefect would tell in four lines when it is imported; it may hold a password
        raise CouldNotRun(f"{URL_VARIABLE} is no address: write it as http://127.0.0.1:4200/api, or unset it") from None
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)


@contextmanager
def answering() -> Iterator[None]:
    """Say in one line that the server does not answer, at first or later."""
    from httpx import HTTPError

    try:
        asyncio.run(_reach())
        yield
    except (HTTPError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "reach" not in str(error):
            raise
        raise CouldNotRun(
            f"the Prefect server at {_without_user(os.environ[URL_VARIABLE])} does not answer ({one_line(error)}): "
            f"start it, or unset {URL_VARIABLE}"
        ) from error


async def _reach() -> None:
    from httpx import ReadTimeout
    from prefect.client.orchestration import get_client

    try:
        async with asyncio.timeout(PATIENCE), get_client() as client:
            if (error := await client.api_healthcheck()) is not None:
                raise error
    except TimeoutError:
        raise ReadTimeout(f"in {PATIENCE:.0f} seconds it did not say that it is well") from None


def _without_user(address: str) -> str:
    """An address without the user name and password that it may hold."""
    before, slashes, rest = address.rpartition("//")
    return f"{before}{slashes}{rest.rpartition('@')[2]}"
