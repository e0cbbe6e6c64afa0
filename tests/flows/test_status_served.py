"""``pitaudit status --serve``: metrics that an independent parser reads, a health probe, a page; read-only and bounded."""

from __future__ import annotations

import dataclasses
import datetime as dt
import http.client
import json
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright
from prometheus_client.parser import text_string_to_metric_families

from flows.cli import main
from flows.known_errors import CouldNotRun
from flows.status import Status, look
from flows.status import serving as pages
from flows.status.alarms import Alarm, Raised
from flows.status.metrics import exposition
from flows.status.serving import Figures, StatusServer, address
from flows.status.topic import Partition, TopicStatus
from tests import house
from tests.commands import PITAUDIT
from tests.servers import environment
from tests.waiting import wait_for

NOW = dt.datetime(2026, 1, 6, 4, tzinfo=dt.UTC)
HOSTILE = 'a"b\\c\n<script>alert(1)</script>\x1b[2J\ud800'
FINE = Status(NOW, (), None, None, ())
TROUBLED = Status(
    NOW,
    (TopicStatus(HOSTILE, (Partition(0, 5, 9, 4, NOW), Partition(1, None, 2, 2, None)), asked=True),),
    None,
    None,
    (Raised(Alarm.BEHIND, 6, f"topic {HOSTILE}: 6 messages are not in the archive"),),
)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Serves statuses that are set by the test; how often they were made stands beside."""
    monkeypatch.setattr(pages, "_MISSED", 300)  # on a busy machine a look of every 0.2 s may be late by more than 0.6 s

    class Served:
        status: Status | Exception = FINE
        made = 0

        def make(self) -> Status:
            self.made += 1
            if isinstance(self.status, Exception):
                raise self.status
            return self.status

        def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
            with closing(http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)) as connection:
                connection.request(method, path, headers=headers)
                answer = connection.getresponse()
                return answer.status, dict(answer.getheaders()), answer.read().decode()

        def answers(self, path: str) -> bool:
            with suppress(OSError, http.client.HTTPException):
                return bool(self.ask(path))
            return False

    made = Served()
    with Figures(made.make, 0.2) as figures:
        made.figures = figures  # type: ignore[attr-defined]
        server = StatusServer(("127.0.0.1", 0), figures)
        made.port = server.server_port  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield made
        server.shutdown()
        server.server_close()


def shown(served: Any, status: Status | Exception) -> None:
    """Let another status be shown, and wait until it is."""
    served.status = status
    made = served.made
    wait_for(lambda: served.made >= made + 2, every=0.02)


def parsed(text: str) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
    return {
        family.name: {tuple(sorted(sample.labels.items())): sample.value for sample in family.samples}
        for family in text_string_to_metric_families(text)
    }


def test_the_metrics_are_those_of_the_status_by_an_independent_parser(tmp_path: Path) -> None:
    house.write(tmp_path / "a", "T1", house.SOUND)
    text = exposition(look(tmp_path / "a", tmp_path / "l", dt.datetime(2009, 6, 2, 4, tzinfo=dt.UTC)))
    found = parsed(text)
    assert found["pitaudit_lake_overdue_days"] == {(): 1.0}
    assert found["pitaudit_archive_open_table_days"] == {(): 0.0}
    assert found["pitaudit_status_timestamp_seconds"] == {(): 1_243_915_200.0}
    assert found["pitaudit_alarm"] == {(("alarm", each.value),): float(each is Alarm.DAY_WAITING) for each in Alarm}
    names = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(names) == len(set(names)) == text.count("# HELP")
    assert all(name.startswith("pitaudit_") for name in names)


def test_no_topic_breaks_out_of_its_label() -> None:
    found = parsed(exposition(TROUBLED))
    shown_as = HOSTILE.replace("\ud800", "\\ud800")
    assert found["pitaudit_topic_lag"] == {
        (("partition", "0"), ("topic", shown_as)): 4.0,
        (("partition", "1"), ("topic", shown_as)): 2.0,
    }
    assert found["pitaudit_topic_seen_timestamp_seconds"] == {
        (("partition", "0"), ("topic", shown_as)): NOW.timestamp()
    }


def test_health_is_200_while_nobody_needs_to_look_and_503_else(served: Any) -> None:
    code, headers, text = served.ask("/health")
    assert (code, headers["Content-Type"], json.loads(text)["fine"]) == (200, "application/json", True)
    assert text.endswith("}\n")
    shown(served, TROUBLED)
    code, _, text = served.ask("/health")
    assert (code, json.loads(text)["alarms"]) == (503, {"behind": 6})
    shown(served, OSError(5, "Input/output error", "/archive"))
    code, _, text = served.ask("/health")
    assert (code, json.loads(text)["fine"]) == (503, False)
    assert "Input/output error" in json.loads(text)["sentence"]
    assert parsed(served.ask("/metrics")[2])["pitaudit_status_failed"] == {(): 1.0}
    shown(served, FINE)
    assert served.ask("/health")[0] == 200


def test_a_look_that_never_ends_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = Figures(lambda: FINE, 10)
    assert figures.shown.fine
    later = time.monotonic() + 31
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert not figures.shown.fine
    assert "the last look ended 31 s ago" in figures.shown.sentence


def test_figures_are_made_no_more_often_however_many_ask() -> None:
    made = []

    def make() -> Status:
        made.append(0)
        return dataclasses.replace(FINE, seconds=0.1)

    began = time.monotonic()
    with Figures(make, 0.05) as figures:
        while len(made) < 3 and time.monotonic() < began + 60:
            assert figures.shown.fine
    seconds = time.monotonic() - began
    assert 3 <= len(made) <= 2 + seconds / 0.4  # each took a tenth of a second, so that four tenths lie between


def test_only_get_and_head_are_answered_and_nothing_is_kept_or_fetched(served: Any) -> None:
    for path in ("/", "/metrics", "/health"):
        code, headers, text = served.ask(path)
        assert (code, served.ask(path, "HEAD")[2]) == (200, "")
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert int(headers["Content-Length"]) == len(text.encode())
        assert "Python" not in headers["Server"] and "Allow" not in headers
    with closing(socket.create_connection(("127.0.0.1", served.port), timeout=60)) as plain:
        plain.sendall(b"HEAD / HTTP/1.0\r\n\r\n")
        answer = b"".join(iter(lambda: plain.recv(4096), b""))
    assert answer.split()[1] == b"200" and answer.endswith(b"\r\n\r\n"), "no host is named, and no page is sent"
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        code, headers, _ = served.ask("/metrics", method)
        assert (code, headers["Allow"]) == (405, "GET, HEAD")
    assert served.ask("/../etc/passwd")[0] == 404
    for other in ("evil.example", "localhost:x@evil.example", "[::1]evil.example", "127.0.0.1.evil.example:80"):
        assert served.ask("/metrics", Host=other)[0] == 421
    assert served.ask("/metrics", Host="localhost:9464")[0] == 200


@pytest.mark.parametrize(
    ("target", "host", "code"),
    [
        ("http://localhost:9464", "localhost", 200),
        ("HTTP://[::1]:9464/metrics?a=b", "evil.example", 200),
        ("http://127.0.0.1/none", "localhost", 404),
        ("http://evil.example/", "localhost", 421),
        ("http://localhost:1@evil.example/", "localhost", 404),
    ],
)
def test_a_target_in_absolute_form_is_taken_and_its_host_counts(served: Any, target: str, host: str, code: int) -> None:
    """RFC 9112 section 3.2.2: a server must accept it, and ignore the header Host."""
    assert served.ask(target, Host=host)[0] == code


def test_a_slow_client_is_left_and_keeps_nobody_waiting(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_REQUEST_SECONDS", 0.5)
    with closing(socket.create_connection(("127.0.0.1", served.port), timeout=60)) as slow:
        began = time.monotonic()
        slow.sendall(b"GET / HTTP/1.0\r\nX-A: ")
        assert served.ask("/health")[0] == 200
        with pytest.raises(OSError):
            while time.monotonic() - began < 60:
                slow.sendall(b"a")  # never silent, never done
                time.sleep(0.1)
        assert time.monotonic() - began < 60
    with closing(socket.create_connection(("127.0.0.1", served.port), timeout=60)) as long:
        long.sendall(b"GET /" + b"a" * 70_000)
        assert long.recv(100).split()[1] == b"414"
    many = [socket.create_connection(("127.0.0.1", served.port), timeout=60) for _ in range(40)]
    for each in many:
        each.close()
    assert served.ask("/health")[0] == 200


def test_clients_who_say_nothing_make_room_for_who_asks_the_oldest_first(served: Any) -> None:
    """They kept everybody else out, and a probe took the program for dead."""
    with ExitStack() as open_:

        def client() -> socket.socket:
            return open_.enter_context(closing(socket.create_connection(("127.0.0.1", served.port), timeout=60)))

        silent = [client() for _ in range(pages._MOST_CLIENTS)]
        for each in silent:
            each.sendall(b"GET / ")
        assert served.ask("/health")[0] == 200
        assert silent[0].recv(1) == b""
        silent[-1].settimeout(0.2)
        with pytest.raises(TimeoutError):
            silent[-1].recv(1)


def test_whoever_reaches_a_named_address_is_served_whatever_name_he_used(served: Any) -> None:
    server = StatusServer(("0.0.0.0", 0), served.figures)  # noqa: S104
    threading.Thread(target=server.handle_request, daemon=True).start()
    with (
        closing(server.socket),
        closing(http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)) as client,
    ):
        client.request("GET", "/health", headers={"Host": "pit.example"})
        assert client.getresponse().status == 200


@pytest.mark.parametrize(("host", "url"), [("127.0.0.1", "http://127.0.0.1:80/"), ("::1", "http://[::1]:80/")])
def test_the_address_of_the_page_has_brackets_around_a_host_with_colons(host: str, url: str) -> None:
    server = StatusServer.__new__(StatusServer)
    server.server_name, server.server_port = host, 80
    assert server.url == url


def test_it_serves_this_machine_alone_unless_a_host_is_named() -> None:
    assert (address("9464"), address("65535")) == (("127.0.0.1", 9464), ("127.0.0.1", 65535))
    assert address("0.0.0.0:80") == ("0.0.0.0", 80)  # noqa: S104
    assert address("[::1]:80") == ("::1", 80)
    for wrong in (
        "",
        "x",
        ":80",
        "::1:80",
        "[::1:80",
        "::1]:80",
        "host:",
        "host:65536",
        "host:-1",
        "²",
        "٨٠",
        "9" * 5000,
    ):
        with pytest.raises(CouldNotRun, match="PORT or HOST:PORT"):
            address(wrong)


def test_the_command_serves_until_it_is_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    house.write(tmp_path / "a", "T1", house.SOUND)
    command = [PITAUDIT, "status", "--archive", tmp_path / "a", "--serve", "0"]
    running = subprocess.Popen(command, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    line = running.stderr.readline()
    port = int(line.partition("127.0.0.1:")[2].partition("/")[0])
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("GET", "/health")
        assert connection.getresponse().status == 200
    assert main(["status", "--archive", str(tmp_path / "a"), "--serve", str(port)]) == 2
    assert "Address already in use" in capsys.readouterr().err
    running.send_signal(signal.SIGTERM)
    assert running.wait(timeout=60) == 0
    running.stderr.close()


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium on this machine")
def test_the_page_runs_no_script_of_a_log_and_fits_a_hand(served: Any) -> None:
    shown(served, TROUBLED)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 380, "height": 800})
        requests: list[str] = []
        troubles: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: troubles.append(message.text))
        page.on("dialog", lambda dialog: troubles.append(dialog.message))
        page.goto(f"http://127.0.0.1:{served.port}/")
        assert page.locator("script").count() == 0
        assert "<script>alert(1)</script>" in page.inner_text("body")
        assert "Somebody should look: behind (6)." in page.inner_text(".state")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        browser.close()
    assert {url.removesuffix("favicon.ico") for url in requests} == {f"http://127.0.0.1:{served.port}/"}
    assert [said for said in troubles if "favicon" not in said] == []
