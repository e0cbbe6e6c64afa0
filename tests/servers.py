"""A real Prefect server for the tests that need one, servers that answer badly, and the environment that programs of this project
are started in."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from random import SystemRandom
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

BIN = Path(sys.executable).parent
SERVER_SECONDS = 240
NOWHERE = "http://me:hunter2@127.0.0.1:1/api"
"""The address of a Prefect server that does not answer; the commands of tests with another one would import Prefect anew."""
_CHANCE = SystemRandom()  # other processes draw ports as well, and tests set seeds


def environment(**variables: str) -> dict[str, str]:
    """The machine's environment without anything that would settle this program or Prefect."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PITAUDIT_", "PREFECT_", "KAFKA_"))
    }
    return kept | {"DO_NOT_TRACK": "1"} | variables


def free_ports(count: int) -> list[int]:
    """Ports below those that the system gives to clients: one of them could take a server's port
    before it starts, or while it is stopped."""
    held: list[socket.socket] = []
    while len(held) < count:
        with suppress(OSError):
            held.append(socket.create_server(("127.0.0.1", _CHANCE.randrange(20_000, 32_000))))
    ports: list[int] = [server.getsockname()[1] for server in held]
    for server in held:
        server.close()
    return ports


@contextmanager
def answered_by(answer: Callable[[StreamRequestHandler], None]) -> Iterator[str]:
    """The address of a server on a loopback port that answers each connection so, until the client hangs up."""

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                answer(self)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


@contextmanager
def prefect_server(home: Path, **variables: str) -> Iterator[str]:
    """The API's address of a Prefect server on a free loopback port, with a home of its own.

    Raises:
        RuntimeError: it did not start.
    """
    [port] = free_ports(1)
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
            cwd=Path(__file__).parents[1], env=environment(**settled | variables), stdout=log, stderr=subprocess.STDOUT,
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


def ask(api: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
    """What a Prefect server answers; it asks for patience (503) while another one writes its database."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{api}{path}", data, {"content-type": "application/json"})  # noqa: S310
    deadline = time.monotonic() + SERVER_SECONDS
    while True:
        try:
            with urllib.request.urlopen(request, timeout=SERVER_SECONDS) as answer:  # noqa: S310 - our own server
                return json.load(answer)
        except (urllib.error.HTTPError, TimeoutError) as error:
            busy = isinstance(error, TimeoutError) or error.code == HTTPStatus.SERVICE_UNAVAILABLE
            if not busy or time.monotonic() > deadline:
                raise
        time.sleep(0.5)


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=2) as answer:  # noqa: S310 - our own server
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
