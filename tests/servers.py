"""A real Prefect server for the tests that need one, and the environment that programs of this project are started in."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

BIN = Path(sys.executable).parent
SERVER_SECONDS = 240


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The machine's environment without anything that would settle this program or Prefect."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PITAUDIT_", "PREFECT_", "KAFKA_"))
    }
    return kept | {"DO_NOT_TRACK": "1"} | dict(variables)


@contextmanager
def prefect_server(home: Path, **variables: str) -> Iterator[str]:
    """The API's address of a Prefect server on a free loopback port, with a home of its own.

    Raises:
        RuntimeError: it did not start.
    """
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    settled = {
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_SERVICES_SCHEDULER_LOOP_SECONDS": "1",
        "PREFECT_SERVER_SERVICES_LATE_RUNS_LOOP_SECONDS": "1",
        "PREFECT_SERVER_SERVICES_LATE_RUNS_AFTER_SECONDS": "2",
    }
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [BIN / "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)],
            cwd=home, env=environment(settled | variables), stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
    url = f"http://127.0.0.1:{port}/api"
    deadline = time.monotonic() + SERVER_SECONDS
    try:
        while not _healthy(url):
            if server.poll() is not None or time.monotonic() > deadline:
                said = (home / "server.log").read_text(errors="replace")[-3000:]
                raise RuntimeError(f"the Prefect server did not start:\n{said}")
            time.sleep(0.3)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=120)


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=2) as answer:  # noqa: S310 - our own server
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
