"""The report of a day that somebody meant to break it with: hostile texts, and more of everything than a page holds."""

from __future__ import annotations

import datetime as dt
import re
import shutil
import time
import zoneinfo
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from analytics import report
from analytics.lake import DayNote, note_day
from analytics.reconcile import reconcile
from analytics.reconciliation import SettlementCause
from analytics.report import MOST_PAYMENTS, drawing, plots, write_report
from analytics.texts import label, visible
from tests.analytics import made

HOSTILE = [
    "D1\x00",
    "D1\x01\x1b[2J\x7f\x9b",
    "\u202edaed\u2066",
    "\ufffe\uffff\U0001ffff\ufdd0",
    "</script><script>alert(1)</script>",
    "<svg onload=alert(1)>]]>&#0;",
    "{{ 7*7 }}{% raw %}",
    "__proto__",
    "constructor",
    "null",
    "",
    " ",
    "\u2028\u2029\x85\r\n\t",
    "\u200b\ufeff\u00ad",
    "x" * 100_000,
    "Z\u0300" * 500,
    "'\"`\\",
    "javascript:alert(1)",
    "陳大文",
]
AT = int(dt.datetime(2026, 1, 5, 13, 30, tzinfo=dt.UTC).timestamp()) * 1_000_000
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufdd0\ufffe\uffff\ud800-\udfff]"
)


def hostile_day(put: Any) -> None:
    put(
        wagers=[
            made.wager(
                number, 100, 200, 100, dealer=name, player=name, wager=name, reason=name, article=name, rulings=name,
                placed_at=AT + number * 600_000_000,
            )
            for number, name in enumerate(HOSTILE, 1)
        ]
        + [made.wager(900 + number, 100, 5, None, reason=name) for number, name in enumerate(HOSTILE, 1)],
        custody=made.custody(
            ("TableOpened", 1), *(("ChipsFilled", 7, name) for name in HOSTILE), ("TableClosed", 3), ("DropCounted", 0)
        ),
        findings=[{"seq": 1, "code": "SEQUENCE_GAP", "severity": "integrity", "message": name} for name in HOSTILE],
        game=HOSTILE[0],
        currency=HOSTILE[-2],
    )  # fmt: skip


def test_no_text_of_a_log_reaches_the_page_unescaped_or_unseen(lake: Path, put: Any, tmp_path: Path) -> None:
    hostile_day(put)
    note_day(lake, made.DAY, DayNote(0, {"T9": "\ud800 \x1b[2J" + HOSTILE[4]}))
    page = made.render(lake, made.DAY)
    assert not UNSEEN.search(page)
    assert not re.search(r"<script|<svg onload|onload=\"|xxxxx{1000}", page)
    assert page.count("<svg") == 2 and "A drawing is missing" not in page
    assert "D1\ufffd" in page and "{{ 7*7 }}" in page and "陳大文" in page
    write_report(lake, reconcile(lake, made.DAY), tmp_path / "page.html")  # and there is nothing that no file takes
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page


def test_renderer_that_ends_its_process_costs_its_own_drawing_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A control character makes the renderer abort, which no ``except`` could catch in the process that called it."""

    def bar(name: str) -> dict[str, Any]:
        encoding = {"y": {"field": "name", "type": "nominal"}, "x": {"field": "amount", "type": "quantitative"}}
        return {"data": {"values": [{"name": name, "amount": 1}]}, "mark": "bar", "encoding": encoding}

    drawings = drawing.draw({"good": bar("D1"), "bad": bar("D1\x01"), "after": bar("D2")})
    assert list(drawings) == ["good", "bad", "after"]
    assert drawings["bad"] is None
    assert "<svg" in str(drawings["good"]) and "<svg" in str(drawings["after"])


def test_missing_drawing_is_reported_in_its_place(lake: Path, put: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    put(wagers=[made.wager(1, 100, 200, 100, placed_at=AT)])
    monkeypatch.setattr(drawing, "_RENDERER", Path("/nonexistent/renderer.py"))
    page = made.render(lake, made.DAY)
    assert "<svg" not in page and page.count("A drawing is missing here") == 2
    assert "+1.00" in page


@pytest.fixture
def many(lake: Path, put: Any) -> Path:
    """50,000 wrong payments by 2,000 dealers at one of 1,000 tables, in two currencies; some at no time of the day."""
    wagers = [
        made.wager(
            number, 10**13, 10**13 + number, 10**13 - (-1) ** number, dealer=f"D{number % 2000}",
            placed_at=AT + (number % 600) * 60_000_000 if number > 10 else 2**62 * (-1) ** number,
        )
        for number in range(1, 50_001)
    ]  # fmt: skip
    put("T1", wagers=wagers)
    put("T2", wagers=[made.wager(1, 100, 200, 100, dealer="D1", placed_at=AT)], currency="HKD")
    return lake


def test_no_plot_gets_more_rows_than_it_draws(many: Path) -> None:
    day = reconcile(many, made.DAY)
    began = time.process_time()
    plot = plots.deltas_by_dealer(day, zoneinfo.ZoneInfo("Asia/Macau"))
    rows = next(iter(plot.specification["datasets"].values()))
    assert len(rows) < 5000  # what the library takes at most
    assert len({row["dealer"] for row in rows}) <= plots.MOST_DEALERS + 2
    others = 2000 - (plots.MOST_DEALERS - 1)  # the only dealer in HKD has a line
    assert {f"{others:,} other dealers, MOP", "D1, HKD"} < {row["dealer"] for row in rows}
    drawn = sum(round(100 * row["amount"]) for row in rows)
    wrong = [c for c in day.settlement_causes if c.round > 10 or c.table_id == "T2"]
    assert drawn == pytest.approx(sum(abs(cause.effect_minor) for cause in wrong), abs=len(rows))
    assert plot.note == "9 payments at no time of this gaming day, or in a further currency, are not drawn."
    assert time.process_time() - began < 20


def test_fifty_thousand_wrong_payments_make_a_report(many: Path) -> None:
    page = made.render(many, made.DAY)
    assert page.count("<svg") >= 2 and "A drawing is missing" not in page
    assert page.count("overpaid</td>") + page.count("underpaid</td>") == MOST_PAYMENTS
    assert "48,000 payments with smaller amounts are not listed here" in page


def test_thousand_tables_that_disagree_and_days_with_hardly_any(
    lake: Path, put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = dt.date(2026, 1, 7)
    put("T1", day)  # a table-day without a wager
    assert made.render(lake, day).count("<svg") == 1
    put("T1")
    few = reconcile(lake, made.DAY)
    tables = tuple(
        replace(few.tables[0], table_id=f"T{n}", settlement_gap_minor=n, currency=f"C{n}") for n in range(1000)
    )
    cause = SettlementCause("T", *[None] * 7, AT, None, 5, None, None, None, -5, "error", None, None, None, None)  # type: ignore[arg-type]
    causes = tuple(replace(cause, table_id=row.table_id, dealer=row.table_id) for row in tables)
    many = replace(few, tables=tables, settlement_causes=causes)
    began = time.process_time()
    page = report.render(lake, many)
    assert page.count("<svg") == 2 and page.count("<h3") == 1000
    assert "960 tables are not drawn: those that do not agree come first, then the largest handles." in page
    assert time.process_time() - began < 30


@pytest.mark.parametrize("day", [dt.date.min, dt.date.max])
def test_day_at_an_end_of_the_calendar_has_a_report(lake: Path, put: Any, day: dt.date) -> None:
    put(
        "T1", day, wagers=[made.wager(1, 100, 200, 100, placed_at=AT), made.wager(2, 100, 200, 100, placed_at=-(2**62))]
    )
    assert "Table reconciliation" in made.render(lake, day, zoneinfo.ZoneInfo("Asia/Macau"))


def test_label_is_one_line_of_what_can_be_seen() -> None:
    for text in HOSTILE:
        assert len(label(text, 40)) <= 40
        assert not UNSEEN.search(label(text, 40)) and not UNSEEN.search(visible(text))
    assert visible("a\tb\nc", "\n") == "a\ufffdb\nc"


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium on this machine")
def test_hostile_page_in_a_browser_runs_nothing_and_fits(lake: Path, put: Any, tmp_path: Path) -> None:
    hostile_day(put)
    path = tmp_path / "report.html"
    write_report(lake, reconcile(lake, made.DAY), path)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        troubles: list[str] = []
        page.on("console", lambda message: troubles.append(message.text))
        page.on("dialog", lambda dialog: troubles.append(dialog.message))
        page.goto(path.as_uri())
        assert troubles == []
        assert page.evaluate("document.scripts.length") == 0
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        browser.close()


@pytest.mark.parametrize("name", ["constructor", "__proto__", "null"])
def test_no_name_becomes_part_of_the_renderers_program(lake: Path, put: Any, name: str) -> None:
    put(name.strip("_"), wagers=[made.wager(1, 100, 200, 100, dealer=name, placed_at=AT)])
    page = made.render(lake, made.DAY)
    assert page.count("<svg") >= 2 and "A drawing is missing" not in page
