"""The renderer of drawings, started once for the tests of a process: to start it takes half a second, to draw a hundredth."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any

import pytest

from analytics.report import drawing


class Renderer:
    """Draws as :func:`analytics.report.drawing._rendered` does, with a process that waits for the next page."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._one_page = Lock()

    def rendered(self, specifications: Mapping[str, Mapping[str, Any]], _seconds: float) -> dict[str, str]:
        """The SVGs that the process made before it ended, if it did."""
        drawn: dict[str, str] = {}
        with self._one_page:
            if self._process is None:
                command = [sys.executable, "-I", "-P", str(drawing._RENDERER)]
                pipe = subprocess.PIPE
                self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8")
            assert self._process.stdin and self._process.stdout
            for specification in specifications.items():
                self._process.stdin.write(f"{json.dumps(specification)}\n")
                self._process.stdin.flush()
                line = self._process.stdout.readline()
                if not line.endswith("\n"):
                    self.end()
                    break
                drawn |= [json.loads(line)]
        return drawn

    def end(self) -> None:
        """End the process; the next page has another one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._process = None


@pytest.fixture(scope="session")
def waiting_renderer() -> Iterator[Renderer]:
    """A renderer that ends with the tests."""
    renderer = Renderer()
    yield renderer
    renderer.end()


@pytest.fixture(autouse=True)
def one_renderer(waiting_renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is drawn in this process is drawn by one renderer. A test of how it is started and ends has one of its own."""
    monkeypatch.setattr(drawing, "_rendered", waiting_renderer.rendered)
