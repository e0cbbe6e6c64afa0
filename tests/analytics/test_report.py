"""The report: one file that loads nothing, escapes what the log says, and tells what was not checked."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import subprocess
import time
import zoneinfo
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from analytics import report
from analytics.lake import DayNote, note_day, write
from analytics.reconciliation.reconcile import reconcile
from analytics.reconciliation.result import SettlementCause
from analytics.report import MOST_PAYMENTS, plots, write_report
from analytics.texts import label, visible
from tests.analytics import made
from tests.commands import PITAUDIT
from tests.shares import few

EVIL = "<script>alert(1)</script>"


class Structure(HTMLParser):
    """Headings, table captions, ids and the texts of cells."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "path", "rect", "line", "br"):
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[self.open[-1]][-1] += data


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake: a table with an overpayment of 1,234.50 to an ill-named player, chips missing; one without closing; a clean one."""
    lake = tmp_path_factory.mktemp("troubled") / "lake"

    def put(table: str, **rows: Any) -> None:
        write(lake, [made.replayed(table, **rows)], made.PINS)

    put(
        "T1",
        wagers=[
            made.wager(1, 100_000, 223_450, 100_000, player=EVIL, dealer=EVIL, placed_at=made.AT, rulings="BJ-8 X-2"),
            made.wager(2, 100_000, 0, None, reason=EVIL),
        ],
        custody=made.custody(
            ("TableOpened", 900_000), ("ChipsFilled", 50_000, EVIL), ("TableClosed", 676_550), ("DropCounted", 0)
        ),
        findings=[
            {"seq": 1, "code": "OVERPAID", "severity": "money", "message": EVIL, "delta_minor": 123_450},
            {"seq": 5, "code": "SEQUENCE_GAP", "severity": "integrity", "message": EVIL},
        ],
        not_checked='{"burned_cards": 7}',
        game=EVIL,
    )
    put("T2", wagers=[made.wager(1, 100, -100, -100)], custody=made.custody(("TableOpened", 100)))
    put(
        "T3",
        wagers=[made.wager(1, 100, -100, -100, wager="pair_plus")],
        rounds=[{"round": 1, "regulation": "f3.78-2008"}],
        custody=made.custody(("TableOpened", 100), ("TableClosed", 200), ("DropCounted", 0)),
    )
    note_day(lake, made.DAY, DayNote(3, {"T9": EVIL}))
    return lake


@pytest.fixture(scope="module")
def html(troubled: Path) -> str:
    return made.render(troubled, made.DAY, zoneinfo.ZoneInfo("Asia/Macau"))


def test_everything_from_the_log_is_escaped(html: str) -> None:
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 8


def test_nothing_is_loaded_from_anywhere(html: str) -> None:
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", html)
    tags = {tag for tag, _ in Structure(html).tags}
    assert not tags & {"script", "link", "img", "iframe", "object", "image", "use"}


def test_structure_can_be_read_aloud(html: str) -> None:
    page = Structure(html)
    assert ("html", {"lang": "en"}) in page.tags
    names = [tag for tag, _ in page.tags]
    assert names.count("h1") == 1
    assert names.count("caption") == names.count("table")
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {attributes["href"] for tag, attributes in page.tags if tag == "a"}
    assert {f"#{id_}" for id_ in ids} >= links
    drawings = [attributes for tag, attributes in page.tags if attributes.get("class") == "plot"]
    assert len(drawings) == 3 and all(drawing["role"] == "img" and drawing["aria-label"] for drawing in drawings)
    headers = [attributes for tag, attributes in page.tags if tag == "th"]
    assert all("scope" in header for header in headers)


def test_gaps_and_their_causes_are_reported(html: str) -> None:
    cells = Structure(html).texts["td"]
    # Win due -1,000.00, recorded -2,234.50; 676,550 - 900,000 - 50,000 = accounted -2,734.50: 500.00 of chips are missing.
    for figure in ("-1,000.00", "-1,234.50", "-2,234.50", "-500.00", "-2,734.50", "+2,234.50", "+1,234.50"):
        assert figure in cells, figure
    assert "BJ-8 X-2" in cells and "57/2009 art. 10(2)" in cells
    assert "a fill of just what is missing: did its chips arrive?" in cells
    assert "no closing, drop" in cells
    assert "stays unexplained until somebody has looked" in html


def test_what_was_not_checked_is_reported(html: str) -> None:
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
    assert "1 of 3 tables does not agree" in text
    assert "1 table could not be reconciled with its chips" in text
    assert "Wagers settled again: 3 of 4" in text
    assert "Wagers that nobody could judge: 1" in text
    assert "in none of the figures: 3" in text and "could not be read, in none of the figures: 1" in text
    assert "burned cards 7" in text
    assert "by pitaudit 1.0, rules rules , players as pseudonyms without a key" in text


def test_clean_day_says_so_and_an_empty_lake_says_that_nothing_was_checked(lake: Path, put: Any) -> None:
    assert "Nothing was checked." in made.render(lake, made.DAY)
    wager, counts = (
        made.wager(1, 100, -100, -100),
        made.custody(("TableOpened", 100), ("TableClosed", 200), ("DropCounted", 0)),
    )
    put(wagers=[wager, made.wager(2, 100, 0, None, reason="a card is not named")], custody=counts)
    assert "the same to the last unit, but for the wagers that nobody could judge." in made.render(lake, made.DAY)
    put(wagers=[wager], custody=counts)
    page = made.render(lake, made.DAY)
    assert "The only table agrees" in page
    assert "No findings." in page
    assert "not noted in the lake" in page
    assert "players as pseudonyms" in page


def test_one_is_reported_in_the_singular(lake: Path, put: Any) -> None:
    put(
        wagers=[made.wager(1, 10_000, 15_000, 10_000)],
        custody=made.custody(
            ("TableOpened", 100_000),
            *(("ChipsFilled", 1, slip) for slip in ("F1", "F3")),
            ("TableClosed", 84_000),
            ("DropCounted", 0),
        ),
    )
    page = made.render(lake, made.DAY)
    assert "1 of 1 table</strong> does not agree" in page and "Wagers settled again: 1 of 1, in 1 round." in page
    assert "<small>1 wager</small>" in page and "1 table-day by pitaudit" in page
    assert "1 slip number missing between F1" in page
    assert not re.search(r"\b1 (wagers|rounds|tables|table-days)\b|\(s\)", page)


def test_the_gap_between_what_was_recorded_and_what_was_due_adds_up(lake: Path, put: Any) -> None:
    put(
        wagers=[
            made.wager(1, 10_000, 15_000, 10_000),  # 50.00 too much
            made.wager(2, 10_000, 8_000, 10_000),  # 20.00 too little
            made.wager(3, 10_000, -7_000, None, reason="a card is not named"),  # 70.00 that nobody could judge
        ],
        custody=made.custody(("TableOpened", 100_000), ("TableClosed", 84_000), ("DropCounted", 0)),
    )
    assert (
        "Win recorded less win due: +40.00. Of this -50.00 was paid too much, +20.00 too little, and +70.00 moved on wagers"
        in made.render(lake, made.DAY)
    )


def test_wagers_never_settled_are_those_that_were_judged(lake: Path, put: Any) -> None:
    """Of two wagers without a settlement one has no due: nobody judged it, and it is not among those never settled."""
    put(
        wagers=[
            made.wager(1, 100, None, -100),
            made.wager(2, 100, None, None, reason="a card of the hand is not named"),
        ]
    )
    assert '<dt>Never settled</dt><dd class="off">1<small>of the wagers judged, -1.00 due</small>' in made.render(
        lake, made.DAY
    )


def test_rounding_of_less_than_a_minor_unit_is_reported_as_rounding(lake: Path, put: Any) -> None:
    """Half an avo more than each of two dues of 37.5, and 2.5 more than a third, of which 2 are too much."""
    put(
        wagers=[
            *(made.wager(n, 25, 38, 37, due_exact="75/2", delta_minor=0) for n in (1, 2)),
            made.wager(3, 25, 40, 37, due_exact="75/2", delta_minor=2),
        ],
        custody=made.custody(("TableOpened", 100_000), ("TableClosed", 99_884), ("DropCounted", 0)),
    )
    assert (
        "Win recorded less win due: -0.05. Of this -0.02 was paid too much, 0.00 too little, -0.03 is rounding where a due is no "
        "whole unit, and 0.00 moved on wagers that nobody could judge"
    ) in made.render(lake, made.DAY)


def test_same_lake_gives_the_same_report(troubled: Path, tmp_path: Path) -> None:
    write_report(troubled, reconcile(troubled, made.DAY), tmp_path / "a.html")
    write_report(troubled, reconcile(troubled, made.DAY), tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "b.html"]


def test_hour_of_a_wrong_payment_is_that_of_the_wall(html: str, troubled: Path) -> None:
    assert "Times in Asia/Macau" in html
    assert "hour: 21:30" in html
    assert "hour: 13:30" in made.render(troubled, made.DAY)


@pytest.mark.parametrize("zone", few(["America/New_York", "Asia/Macau"], 1))
def test_zone_of_the_machine_that_draws_moves_no_hour(troubled: Path, tmp_path: Path, zone: str) -> None:
    write_report(troubled, reconcile(troubled, made.DAY), tmp_path / "here.html", zone=zoneinfo.ZoneInfo("Asia/Macau"))
    there = (PITAUDIT, "report", "--lake", troubled, "--day", made.DAY, "-o", tmp_path / "there.html")
    subprocess.run([str(part) for part in there], env={**os.environ, "TZ": zone}, check=False, capture_output=True)
    drawn = [re.findall(r">(\d\d:\d\d)<", (tmp_path / name).read_text()) for name in ("here.html", "there.html")]
    assert drawn[0] == drawn[1] != []


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium on this machine")
def test_page_fits_a_desk_screen_and_a_hand(troubled: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(troubled, reconcile(troubled, made.DAY), path)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        requests: list[str] = []
        troubles: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: troubles.append(message.text))
        page.goto(path.as_uri())
        assert requests == [path.as_uri()]
        assert troubles == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        hidden = "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).length"
        assert page.evaluate(hidden) == 0
        assert page.locator("svg").count() == 3
        page.set_viewport_size(
            {"width": 380, "height": 800}
        )  # in a hand: tables scroll by themselves, the page does not
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        browser.close()


# A day that somebody meant to break it with: hostile texts, and more of everything than a page holds


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
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufdd0\ufffe\uffff\ud800-\udfff]"
)


def hostile_day(put: Any) -> None:
    put(
        wagers=[
            made.wager(
                number, 100, 200, 100, dealer=name, player=name, wager=name, reason=name, article=name, rulings=name,
                placed_at=made.AT + number * 600_000_000,
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


@pytest.fixture
def many(lake: Path, put: Any) -> Path:
    """50,000 wrong payments by 2,000 dealers at one of 1,000 tables, in two currencies; some at no time of the day."""
    wagers = [
        made.wager(
            number, 10**13, 10**13 + number, 10**13 - (-1) ** number, dealer=f"D{number % 2000}",
            placed_at=made.AT + (number % 600) * 60_000_000 if number > 10 else 2**62 * (-1) ** number,
        )
        for number in range(1, 50_001)
    ]  # fmt: skip
    put("T1", wagers=wagers)
    put("T2", wagers=[made.wager(1, 100, 200, 100, dealer="D1", placed_at=made.AT)], currency="HKD")
    return lake


def test_no_plot_gets_more_rows_than_it_draws(many: Path) -> None:
    day = reconcile(many, made.DAY)
    began = time.process_time()
    plot = plots.deltas_by_dealer(day, zoneinfo.ZoneInfo("Asia/Macau"))
    rows = plot.specification["data"]["values"]
    assert len(rows) < 5000
    assert len({row["dealer"] for row in rows}) <= plots.MOST_DEALERS + 2
    others = 2000 - (plots.MOST_DEALERS - 1)  # the only dealer in HKD has a line
    assert {f"{others:,} other dealers, MOP", "D1, HKD"} < {row["dealer"] for row in rows}
    drawn = sum(round(100 * row["amount"]) for row in rows)
    wrong = [c for c in day.settlement_causes if c.round > 10 or c.table_id == "T2"]
    assert drawn == pytest.approx(sum(abs(cause.effect_minor) for cause in wrong), abs=len(rows))
    assert plot.note == "9 payments at no time of this gaming day, or in a further currency, are not drawn."
    assert time.process_time() - began < 20


@pytest.mark.parametrize("hours", [(0, 5), (3,)])
def test_marks_of_wrong_payments_cover_no_dealer(lake: Path, put: Any, hours: tuple[int, ...]) -> None:
    """The largest mark is 20 wide: its middle is at least 10 from the names."""
    put(wagers=[made.wager(n + 1, 100, 500, 100, placed_at=made.AT + n * 3_600_000_000) for n in hours])
    marks = re.findall(
        r'aria-label="[^"]*dealer: [^"]*"[^>]* transform="translate\(([\d.]+),', made.render(lake, made.DAY)
    )
    assert len(marks) == len(hours) and min(map(float, marks)) > 10


def test_fifty_thousand_wrong_payments_make_a_report(many: Path) -> None:
    page = made.render(many, made.DAY)
    assert page.count("<svg") >= 2 and "A drawing is missing" not in page
    assert page.count("overpaid</td>") + page.count("underpaid</td>") == MOST_PAYMENTS
    assert "48,000 with smaller amounts are not listed here" in page


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
    cause = SettlementCause("T", *[None] * 7, made.AT, None, 5, None, None, None, -5, "error", None, None, None, None)  # type: ignore[arg-type]
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
        "T1",
        day,
        wagers=[made.wager(1, 100, 200, 100, placed_at=made.AT), made.wager(2, 100, 200, 100, placed_at=-(2**62))],
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
    put(name.strip("_"), wagers=[made.wager(1, 100, 200, 100, dealer=name, placed_at=made.AT)])
    page = made.render(lake, made.DAY)
    assert page.count("<svg") >= 2 and "A drawing is missing" not in page
