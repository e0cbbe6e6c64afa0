"""The renderer of drawings is a process that may end or not be there: each test here starts its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analytics.report import drawing
from tests.analytics import made


@pytest.fixture
def one_renderer() -> None:
    """None that other tests drew with."""


def test_renderer_that_ends_its_process_costs_its_own_drawing_only() -> None:
    """A control character makes the renderer abort, which no ``except`` could catch in the process that called it."""

    def bar(name: str) -> dict[str, Any]:
        encoding = {"y": {"field": "name", "type": "nominal"}, "x": {"field": "amount", "type": "quantitative"}}
        return {"data": {"values": [{"name": name, "amount": 1}]}, "mark": "bar", "encoding": encoding}

    drawings = drawing.draw({"good": bar("D1"), "bad": bar("D1\x01"), "after": bar("D2")})
    assert list(drawings) == ["good", "bad", "after"]
    assert drawings["bad"] is None
    assert "<svg" in str(drawings["good"]) and "<svg" in str(drawings["after"])


def test_missing_drawing_is_reported_in_its_place(lake: Path, put: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    put(wagers=[made.wager(1, 100, 200, 100, placed_at=made.AT)])
    monkeypatch.setattr(drawing, "_RENDERER", Path("/nonexistent/renderer.py"))
    page = made.render(lake, made.DAY)
    assert "<svg" not in page and page.count("A drawing is missing here") == 2
    assert "+1.00" in page
