"""Three pages over HTTP to monitor a property: ``/`` for people, ``/metrics`` for Prometheus, ``/health`` for a probe.

They are read-only and name no player and no secret. Anyone who can reach the address can read them, so one other than loopback
must be named explicitly.
"""

from __future__ import annotations

import ipaddress
import json
import re
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, ClassVar, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from analytics.texts import visible
from flows.known_errors import CouldNotRun
from flows.status import Status
from flows.status.metrics import CONTENT_TYPE, exposition
from flows.status.text import sections
from replayer.processes.failure import in_one_line, is_failure

LOOPBACK: Final = "127.0.0.1"
_REQUEST_SECONDS: Final = 10.0
"""A client is served for so long at most, whether it is slow or silent."""
_MOST_CLIENTS: Final = 32
_REFRESH_SECONDS: Final = 30
_SHARE: Final = 4
"""Between two looks lie at least so many times what a look takes: it takes a fifth of one core at most."""
_MISSED: Final = 3
"""So many times the pause without a new look, and the figures are too old to go by."""
_STOP_SECONDS: Final = 5.0
_ABSOLUTE: Final = re.compile(r"(?i:http)://([^/?#@]+)(.*)")
"""A request's target with its host (RFC 9112 section 3.2.2), which a server must take."""
_HOST: Final = re.compile(r"(\[[^\]]*\]|[^:]*)(?::\d*)?")
"""A host, and perhaps its port (RFC 9110 section 7.2)."""
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def address(text: str) -> tuple[str, int]:
    """Host and port of ``[HOST:]PORT``; loopback where no host is named. Raises CouldNotRun where it is written otherwise.

    >>> address("9464"), address("[::1]:9464")
    (('127.0.0.1', 9464), ('::1', 9464))
    """
    host, colon, port = text.rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    strange = (colon and not bare) or (":" in bare and bare == host)
    if strange or not (port.isascii() and port.isdecimal()) or len(port) > 5 or int(port) > 65_535:
        raise CouldNotRun(f"--serve {text}: write it as PORT or HOST:PORT, an IPv6 address in brackets")
    return bare or LOOPBACK, int(port)


class Figures:
    """Makes figures every ``seconds``, or less often where a look takes long. Used as a context: on leaving it stops. The first
    look raises as :func:`flows.status.look`; later failures are shown as trouble."""

    def __init__(self, make: Callable[[], Status], seconds: float) -> None:
        self._make = make
        self._seconds = seconds
        self._status = make()
        self._trouble = ""
        self._made = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="status", daemon=True)

    def __enter__(self) -> Figures:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(_STOP_SECONDS)

    @property
    def shown(self) -> Status:
        """What is to be shown now."""
        age = time.monotonic() - self._made
        trouble = self._trouble
        if not trouble and age > self._pause() * _MISSED + self._status.seconds:
            trouble = f"the last look ended {age:.0f} s ago, and the next one has not"
        return replace(self._status, trouble=trouble)

    def _pause(self) -> float:
        return max(self._seconds, _SHARE * self._status.seconds)

    def _run(self) -> None:
        while not self._stop.wait(self._pause()):
            try:
                self._status = self._make()
            except BaseException as error:  # the archive's disk is gone, say: then the page shows that
                if not is_failure(error):
                    raise
                self._trouble = f"the last look failed: {in_one_line(error)}"
            else:
                self._trouble = ""
                self._made = time.monotonic()


class StatusServer(ThreadingHTTPServer):
    """Serves figures. No request triggers a new look; raises OSError where the address is in use, or none of this machine's."""

    request_queue_size = _MOST_CLIENTS  # of five, the others of a burst wait for seconds until they try again

    def __init__(self, at: tuple[str, int], figures: Figures) -> None:
        self.address_family = socket.getaddrinfo(*at, type=socket.SOCK_STREAM)[0][0]
        self.figures = figures
        self._clients: dict[socket.socket, None] = {}  # those being served, the oldest first
        self._lock = threading.Lock()
        super().__init__(at, _Handler)

    def server_bind(self) -> None:
        """Take the address, without asking a name server what this machine is called."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a client in a thread of its own; one too many takes the place of the oldest, who is silent or slow."""
        with self._lock:
            self._clients[request] = None
            oldest = next(iter(self._clients))
            if len(self._clients) > _MOST_CLIENTS:
                del self._clients[oldest]
                _hang_up(oldest)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a client for a bounded time."""
        end = threading.Timer(_REQUEST_SECONDS, _hang_up, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            with self._lock:
                self._clients.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that went away."""

    @property
    def url(self) -> str:
        """Where it is."""
        host = f"[{self.server_name}]" if ":" in self.server_name else self.server_name
        return f"http://{host}:{self.server_port}/"

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        return ipaddress.ip_address(self.server_name).is_loopback


def _hang_up(request: socket.socket) -> None:
    with suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: StatusServer
    server_version = "pitaudit"
    sys_version = ""
    _ALLOWED: ClassVar = "GET, HEAD"

    def do_GET(self) -> None:
        host, path = self.headers.get("Host"), self.path
        if absolute := _ABSOLUTE.fullmatch(path):  # as to a proxy; it names the host, whatever the header says
            host, path = absolute[1], f"/{absolute[2].removeprefix('/')}"
        if self.server.on_loopback and not _is_here(host):
            self._respond(HTTPStatus.MISDIRECTED_REQUEST, "text/plain; charset=utf-8", "Ask for this machine.\n")
            return
        shown = self.server.figures.shown
        match path.partition("?")[0]:
            case "/metrics":
                self._respond(HTTPStatus.OK, CONTENT_TYPE, exposition(shown))
            case "/health":
                said = {
                    "fine": shown.fine,
                    "at": shown.at.isoformat(timespec="seconds"),
                    "sentence": shown.sentence,
                    "alarms": {each.alarm.value: each.count for each in shown.alarms},
                }
                code = HTTPStatus.OK if shown.fine else HTTPStatus.SERVICE_UNAVAILABLE
                self._respond(code, "application/json", json.dumps(said) + "\n")
            case "/":
                text = _PAGE.render(
                    fine=shown.fine,
                    sentence=shown.sentence,
                    sections=sections(shown),
                    when=f"Figures of {shown.at:%Y-%m-%d %H:%M:%S} UTC",
                    refresh=_REFRESH_SECONDS,
                )
                self._respond(HTTPStatus.OK, "text/html; charset=utf-8", text)
            case _:
                self._respond(HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", "There are /, /health and /metrics.\n")

    do_HEAD = do_GET  # noqa: N815 - the names that http.server looks for

    def _refuse(self) -> None:
        self._respond(HTTPStatus.METHOD_NOT_ALLOWED, "text/plain; charset=utf-8", "This is only read: GET or HEAD.\n")

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = do_CONNECT = _refuse  # noqa: N815

    def _respond(self, code: HTTPStatus, kind: str, text: str) -> None:
        body = text.encode(errors="backslashreplace")
        self.send_response(code)
        allowed = {"Allow": self._ALLOWED} if code is HTTPStatus.METHOD_NOT_ALLOWED else {}
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **_HEADERS, **allowed}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _is_here(host: str | None) -> bool:
    """Whether a request was meant for this machine: a page of another site may not read ours under that site's name."""
    named = _HOST.fullmatch((host or "localhost").strip().lower())
    bare = named[1].strip("[]") if named else ""
    try:
        return bare == "localhost" or ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return False


_TEMPLATES: Final = Environment(
    loader=PackageLoader("flows.status", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)
_TEMPLATES.filters["shown"] = visible
_PAGE: Final = _TEMPLATES.get_template("page.html.j2")
