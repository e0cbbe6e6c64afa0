"""The books of a table-day, from the log to the figures: every one of them by what lies in the tray and in the box."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.lake import DayNote, note_day, write
from analytics.reconciliation.reconcile import reconcile
from analytics.reconciliation.result import Reconciliation
from analytics.sentence import sentence, totals_of
from replayer.log.columns import TableDay, columns_of
from replayer.verdicts.replay import replay_table_days
from schemas.event import Event
from schemas.notation import parse_events
from tests.analytics import made

OPEN = "open:black_jack:MOP:7="
AGAIN = "open:black_jack:HKD:7="
Edit = Callable[[Event], Event | None]


def lost(number: int, paid: int = -100) -> str:
    """A round in which 100 is lost: 20 against the bank's 21."""
    dealt = f"#{number} 1.main=100@p1 nomore 1+Kc B+6h 1+Qd 1.stand B+Tc B+5d"
    return f"{dealt} 1.main=100>{paid:+}@p1 end #- "


@pytest.fixture
def day(lake: Path) -> Callable[..., Reconciliation]:
    """The reconciliation of a gaming day with one more table, recorded in parts of its log."""

    def _day(*parts: str, table: str = "T1", edit: Edit = lambda event: event) -> Reconciliation:
        return reconciled(lake, recorded(*parts, table=table, edit=edit))

    return _day


def recorded(*parts: str, table: str, edit: Edit) -> TableDay:
    """A table-day in parts of its log, each event of which a test edits."""
    counts = [len(list(parse_events(" ".join(parts[:number])))) for number in range(len(parts) + 1)]
    events = list(parse_events(" ".join(parts), gaming_day=made.DAY, table_id=table))
    reported = [[kept for each in events[a:b] if (kept := edit(each))] for a, b in pairwise(counts)]
    return TableDay(
        table, made.DAY, pl.concat([columns_of(part) for part in reported]), parts=tuple(map(len, reported))
    )


def reconciled(lake: Path, *more: TableDay) -> Reconciliation:
    """The reconciliation of a gaming day with these tables more."""
    write(lake, replay_table_days(more, play=True), made.PINS)
    note_day(lake, made.DAY, DayNote(tables=()))
    return reconcile(lake, made.DAY)


def without(*places: tuple[str, int | None]) -> Edit:
    return lambda event: None if (event.kind, event.round) in places else event


def broken(kind: str, number: int = 1) -> Edit:
    """The first event of a kind, or a later one, with an amount below zero."""
    seen: list[Event] = []

    def _edit(event: Event) -> Event:
        if event.kind != kind or event.chips is None:
            return event
        seen.append(event)
        return replace(event, chips=replace(event.chips, amount_minor=-1)) if len(seen) == number else event

    return _edit


def test_chips_missing_from_the_books_of_a_table_opened_again_are_said_everywhere(day: Any, lake: Path) -> None:
    said = day(f"{OPEN}50000 close=50000 drop=0 {AGAIN}20000 fill:A1=30 close=20000 drop=0")
    assert "chips are missing: 30.00 HKD at 1 table" in sentence("the day", totals_of(said))
    page = made.render(lake, made.DAY)
    assert "agrees: payments due" not in page and "1 of 1 table<" in page
    assert "Chips and cash of T1, opened again at event 4, HKD" in page
    assert "a fill of just what is missing: did its chips arrive?" in page
    assert [(lead.stretch, lead.slip) for lead in said.custody_leads] == [(2, "A1"), (2, None)]
    (dealer,) = day(
        f"{OPEN}50000 dealer+D1 close=50000 drop=0 {AGAIN}50000 {lost(1)} close=50000 drop=0", table="T2"
    ).tables[1:]
    assert dealer.inventory_variance_minor == 0
    shown = ("dealer", "currency", "inventory_variance_minor")
    assert made.run("variances_by_dealer", lake).select(shown).rows() == [("D1", "HKD", -100_00)]


def test_the_variance_of_each_books_is_of_the_dealers_who_dealt_in_them(day: Any, lake: Path) -> None:
    """100 too many where D1 dealt, 50 too few where D1 and D2 did, who relieved him before the second round there."""
    first = f"{OPEN}500 dealer+D1 {lost(1)} close=700 drop=0"
    day(f"{first} {OPEN}700 {lost(2)} dealer-D1 dealer+D2 {lost(3)} close=850 drop=0")
    shown = ("dealer", "books_count", "varied_count", "inventory_variance_minor", "books_varied")
    assert made.run("variances_by_dealer", lake).select(shown).rows() == [
        ("D1", 2, 2, 50_00, f"T1 {made.DAY}, T1 {made.DAY} (books 2)"),
        ("D2", 1, 1, -50_00, f"T1 {made.DAY} (books 2)"),
    ]


def test_books_not_counted_in_full_are_no_books_that_agreed(day: Any, lake: Path) -> None:
    """D1 dealt in books 50 short and in others whose cash nobody counted; D2 in these and in books that agreed."""
    short = f"{OPEN}500 dealer+D1 {lost(1)} close=550 drop=0"
    not_counted = f"{OPEN}550 {lost(2)} dealer-D1 dealer+D2 {lost(3)} close=750"
    day(f"{short} {not_counted} {OPEN}750 {lost(4)} close=850 drop=0 {OPEN}850 {lost(5)} close=900 drop=0")
    shown = ("dealer", "books_count", "varied_count", "not_counted_count")
    assert made.run("variances_by_dealer", lake).select(shown).rows() == [("D1", 2, 1, 1), ("D2", 3, 1, 1)]


def test_a_wager_that_was_never_settled_stands_in_the_books_in_which_it_was_placed(day: Any, lake: Path) -> None:
    """50 too few in the first books; those opened again agree but for a lost 100 that nobody booked: 100 too many."""
    never = lost(2).replace("1.main=100>-100@p1 ", "")
    said = day(f"{OPEN}500 {lost(1)} close=550 drop=0 {OPEN}550 {never} close=650 drop=0")
    leads = [lead for lead in said.custody_leads if "no settlement" in lead.lead]
    assert [(lead.stretch, lead.amount_minor) for lead in leads] == [(2, 100_00)]
    (row,) = made.run("unsettled_wagers", lake).rows(named=True)
    assert (row["round"], row["inventory_variance_minor"]) == (2, 100_00)


def test_chips_missing_from_two_books_of_a_table_are_missing_at_one_table(day: Any) -> None:
    said = day(f"{OPEN}500 close=490 drop=0 {OPEN}490 close=470 drop=0")
    assert "chips are missing: 30.00 MOP at 1 table" in sentence("the day", totals_of(said))
    gaps = {row[0]: row[said.grid().names.index("custody gap")] for row in said.grid().rows}
    assert gaps == {"T1": "-10.00", "T1 (books 2)": "-20.00", "house": "-10.00"}


def test_books_of_a_table_opened_again_that_were_not_counted_are_said(day: Any) -> None:
    said = day(f"{OPEN}500 close=500 drop=0 {OPEN}500 close=500")
    assert said.incomplete == ("T1",) and said.stretches[0].not_counted == "drop"
    assert "1 table not counted in full: T1" in sentence("the day", totals_of(said))
    first, again, _ = said.grid().without_empty_columns().rows
    assert (first[0], first[-1]) == ("T1", "") and (again[:2], again[-1]) == (("T1 (books 2)", "MOP"), "drop")


def test_the_figures_of_a_table_opened_again_add_up(day: Any, lake: Path) -> None:
    said = day(f"{OPEN}50000 {lost(1)} close=50050 drop=0 {OPEN}50050 {lost(2)} close=50150 drop=0")
    (row,), (house,) = said.tables, said.house
    assert (row.win_recorded_minor, row.win_booked_minor) == (200_00, 100_00)
    assert row.opening_minor + row.win_booked_minor == row.expected_closing_minor == 50_100_00
    assert house.win_accounted_minor - house.win_booked_minor == house.custody_gap_minor == -50_00
    page = made.render(lake, made.DAY)
    shown = page[page.index("Chips and cash of T1") :]
    assert 'win recorded until the closing</th><td class="n">100.00</td>' in shown


def test_each_payment_whose_wager_is_lost_counts_where_it_was_made(day: Any) -> None:
    text = f"{OPEN}50000 {lost(1)} close=50100 drop=0 {OPEN}50100 {lost(2)} close=50200 drop=0"
    said = day(text, edit=without(("WagerPlaced", 1), ("WagerPlaced", 2)))
    assert [each.inventory_variance_minor for each in said.books] == [0, 0]
    assert [(cause.cause, cause.round, cause.paid_minor) for cause in said.settlement_causes] == [
        ("unmatched", 1, -100_00),
        ("unmatched", 2, -100_00),
    ]


def test_payments_whose_wagers_are_lost_do_not_cancel_each_other(day: Any) -> None:
    text = f"{OPEN}50000 {lost(1)} {lost(2, +100)} close=50000 drop=0"
    said = day(text, edit=without(("WagerPlaced", 1), ("WagerPlaced", 2)))
    assert sorted(cause.effect_minor for cause in said.settlement_causes) == [-100_00, 100_00]


def test_what_advisories_are_about_is_summed_in_the_currency_of_their_rounds(day: Any) -> None:
    edit = without(("WagerPlaced", 1))
    day(f"{OPEN}50000 close=50000 drop=0 {AGAIN}50000 {lost(1)} close=50100 drop=0", edit=edit)
    said = day(f"{OPEN}50000 {lost(1)} close=50100 drop=0", table="T2", edit=edit)
    found = [each for each in said.findings if each.code == "SETTLEMENT_UNMATCHED"]
    assert sorted((each.currency, each.delta_minor, each.times) for each in found) == [
        ("HKD", -100_00, 1),
        ("MOP", -100_00, 1),
    ]


def test_a_payment_for_which_a_later_part_has_the_wager_is_one_payment(day: Any) -> None:
    parts = f"{OPEN}50000 #1 1.main=100>-100@p1 ", f"1.main=100@p1 {lost(1).split(' ', 2)[2]} close=50100 drop=0"
    parts = parts[0], parts[1].replace("1.main=100>-100@p1 end", "end")
    (row,) = day(*parts).tables
    assert (row.win_recorded_minor, row.inventory_variance_minor, row.settlement_gap_minor) == (100_00, 0, 0)
    assert "SETTLED_NOTHING" in {
        found.code for found in day(*parts).findings
    }  # it was found when the first part was judged


def test_each_void_takes_back_the_last_slip_of_its_number_that_stands(day: Any) -> None:
    voids = "slipvoid:A1=300:x slipvoid:A1=500:x"
    (row,) = day(f"{OPEN}50000 fill:A1=500 fill:A1=300 {voids} close=50000 drop=0").tables
    assert (row.fills_minor, row.inventory_variance_minor) == (0, 0)
    (row,) = day(f"{OPEN}50000 slipvoid:A1=500:x fill:A1=500 {voids} fill:A1=20 close=50020 drop=0").tables
    assert (row.fills_minor, row.inventory_variance_minor) == (20_00, 0)


@pytest.mark.parametrize(("voided", "fills", "dangling"), [("F2", 0, 0), ("F1", 500_00, 1)])
def test_a_void_is_of_the_number_to_which_its_slip_was_corrected_in_time(
    day: Any, voided: str, fills: int, dangling: int
) -> None:
    def numbered(event: Event) -> Event:
        of_it = event.kind == "CorrectionMade" and event.chips is not None
        return replace(event, chips=replace(event.chips, slip="F2")) if of_it else event

    moved = f"fill:F1=500 correct:2:{{number misread}}:chips=500 slipvoid:{voided}=500:x"
    said = day(f"{OPEN}50000 {moved} close={50000 + fills // 100} drop=0", edit=numbered)
    assert [(row.fills_minor, row.inventory_variance_minor) for row in said.tables] == [(fills, 0)]
    assert sum(found.count for found in said.findings if found.code == "SLIP_VOID_DANGLING") == dangling


LACKS = {
    "TableOpened": "opening",
    "ChipsFilled": "amount of a fill",
    "ChipsCredited": "amount of a credit",
    "CashBoughtIn": "amount of a buy-in",
    "TableClosed": "closing",
    "DropCounted": "drop",
}
"""What books lack in which the amount of an event of a kind cannot be read."""


def test_books_with_an_amount_that_cannot_be_read_are_not_counted_and_no_chips_are_missing(lake: Path) -> None:
    moved = "fill:F{0}=500 credit:C{0}=20 buyin=100@p1 close=50380 drop=100"
    text = f"{OPEN}50000 {moved.format(1)} {OPEN}50000 {moved.format(2)}"
    unread = {f"{kind}-{number}": (kind, number) for kind in LACKS for number in (1, 2)}
    said = reconciled(lake, *(recorded(text, table=table, edit=broken(*each)) for table, each in unread.items()))
    for table, (kind, number) in unread.items():
        books = [each for each in said.books if each.table_id == table]
        assert [each.not_counted for each in books] == ([LACKS[kind], ""] if number == 1 else ["", LACKS[kind]]), table
        assert None in (books[number - 1].inventory_variance_minor, books[number - 1].drop_variance_minor), table
        assert [each.custody_gap_minor for each in books if each.complete] == [0], table
        assert table in said.incomplete
    assert not said.clean
    assert {found.code: found.count for found in said.findings}["VALUE_OUT_OF_BOUNDS"] == len(unread)


UNREAD_SLIPS = [
    ("fill:A1=500 slipvoid:?=500:x", None, 0),
    ("fill:A1=500 credit:A2=300 slipvoid:?=500:x", None, None),
    ("slipvoid:?=500:x fill:A1=500", 500, 0),  # there was nothing yet to take back
    ("fill:A1=500 slipvoid:A1=500:x slipvoid:?=500:x", 0, 0),  # nothing is left to take back
    ("fill:A1=500 slipvoid:?=500:x slipvoid:A1=500:x", 0, 0),
    ("fill:A1=500 slipvoid:?=500:x credit:A1=20 slipvoid:A1=20:x", None, 0),
    ("credit:A1=20 fill:A1=500 slipvoid:?=500:x", None, 20),  # one void takes back one slip
    ("fill:?=500", 500, 0),
    ("fill:?=500 slipvoid:A1=500:x", None, 0),
    ("slipvoid:A1=500:x fill:?=500", 500, 0),
    ("fill:?=500 credit:A1=20 slipvoid:A1=20:x", 500, 0),
    ("credit:A1=20 fill:?=500 slipvoid:A1=20:x", None, None),
    ("credit:A1=20 fill:?=500 slipvoid:A1=20:x slipvoid:A1=20:x", None, 0),
    ("fill:?=500 slipvoid:?=500:x fill:A1=70", None, 0),
    ("fill:?=500 slipvoid:?=500:x close=50000 drop=0 open:black_jack:MOP:7=50000 fill:A1=70", None, 0),
]
"""What was moved; the fills and credits that are counted, none where that is not known."""


def test_what_an_unreadable_slip_number_may_mean_is_not_counted_and_everything_else_is(lake: Path) -> None:
    def no_number(event: Event) -> Event:
        unread = event.chips is not None and event.chips.slip == "?"
        return replace(event, chips=replace(event.chips, slip="A" * 5_000)) if unread else event

    texts = {f"T{number}": f"{OPEN}50000 {moved} close=50000 drop=0" for number, (moved, *_) in enumerate(UNREAD_SLIPS)}
    said = reconciled(lake, *(recorded(text, table=table, edit=no_number) for table, text in texts.items()))
    for table, (moved, fills, credits) in zip(texts, UNREAD_SLIPS, strict=True):
        first, *again = [each for each in said.books if each.table_id == table]
        in_minor = tuple(None if amount is None else amount * 100 for amount in (fills, credits))
        assert (first.fills_minor, first.credits_minor) == in_minor, moved
        assert (first.inventory_variance_minor is None) == (None in in_minor) == (not first.complete), moved
        assert [each.fills_minor for each in again] == [70_00] * len(again), moved


def test_an_amount_that_cannot_be_read_is_put_right_by_a_correction_in_time(day: Any) -> None:
    text = f"{OPEN}50000 fill:A1=500 correct:2:misread:chips=500 close=50500 drop=0"
    (row,) = day(text, edit=broken("ChipsFilled")).tables
    assert (row.fills_minor, row.inventory_variance_minor, row.complete) == (500_00, 0, True)


def test_a_box_that_was_changed_while_the_table_was_open_adds_to_the_one_behind_the_closing(day: Any) -> None:
    """Boxes are changed with the shift; the count behind the closing is that of the last one, and a further count is of none."""
    said = day(f"{OPEN}50000 buyin=6@p1 drop=6 buyin=4@p1 close=49990 drop=4 drop=9")
    (row,) = said.tables
    assert (row.drop_minor, row.drop_variance_minor, row.inventory_variance_minor) == (10_00, 0, 0)
    assert {found.code: found.count for found in said.findings} == {"DROP_COUNTED_AGAIN": 2}


_CHIPS = st.integers(0, 10**6)
_NUMBER = st.sampled_from(["7", "8"])
_MOVE = st.one_of(
    st.tuples(st.sampled_from(["fill", "credit", "slipvoid"]), _NUMBER, _CHIPS),
    st.tuples(st.sampled_from(["buyin", "drop"]), st.none(), _CHIPS),
    st.tuples(st.just("round"), st.none(), st.sampled_from([-100, -90, 100, 250])),
)
_BOOKS = st.lists(st.tuples(_CHIPS, st.lists(_MOVE, max_size=6), _CHIPS, st.none() | _CHIPS), min_size=1, max_size=3)


@dataclass
class Tray:
    """What must be in the tray and in the box of a table by what was moved, moved by hand."""

    chips: int
    cash: int = 0
    boxes: int | None = None

    def move(self, what: str, amount: int) -> None:
        if what == "drop":
            self.boxes = (self.boxes or 0) + amount
            return
        self.cash += amount if what == "buyin" else 0
        self.chips += amount if what == "fill" else -amount


def tray_by_hand(books: list[Any]) -> tuple[str, list[tuple[int | None, int]]]:
    """The text of a table-day of such books, and the variances of box and tray that its counts have."""
    words, variances, rounds = [], [], 0
    for opening, moves, closing, box in books:
        words.append(f"{OPEN}{opening}")
        tray, piles = Tray(opening), {"7": [], "8": []}  # type: dict[str, list[tuple[str, int]]]
        for what, slip, amount in moves:
            if what == "round":
                rounds += 1
                words.append(lost(rounds, amount))
                tray.move("payment", amount)
            elif what == "slipvoid":
                words.append(f"slipvoid:{slip}={amount}:x")
                if piles[slip]:
                    piles[slip].pop()
            else:
                words.append(f"{what}:{slip}={amount}" if slip else f"{what}={amount}")
                if slip:
                    piles[slip].append((what, amount))
                else:
                    tray.move(what, amount)
        for slip in [slip for pile in piles.values() for slip in pile]:
            tray.move(*slip)
        words.append(f"close={closing}")
        if box is not None:
            words.append(f"drop={box}")
            tray.move("drop", box)
        in_box = None if tray.boxes is None else (tray.boxes - tray.cash) * 100
        variances.append((in_box, (closing - tray.chips) * 100))
    return " ".join(words), variances


@settings(max_examples=4, deadline=None)
@given(st.lists(_BOOKS, min_size=15, max_size=15))
def test_each_books_are_held_against_what_was_moved_in_them_alone(
    tmp_path_factory: pytest.TempPathFactory, tables: list[list[Any]]
) -> None:
    """Fifteen tables of a day are judged and reconciled together."""
    wanted, table_days = {}, []
    for number, books in enumerate(tables):
        table = f"T{number}"
        text, wanted[table] = tray_by_hand(books)
        events = parse_events(text, table_id=table, gaming_day=made.DAY)
        table_days.append(TableDay(table, made.DAY, columns_of(events)))
    lake = tmp_path_factory.mktemp("lake")
    write(lake, replay_table_days(table_days, play=True), made.PINS)
    said = reconcile(lake, made.DAY)
    for table, variances in wanted.items():
        own = [each for each in said.books if each.table_id == table]
        assert [(each.drop_variance_minor, each.inventory_variance_minor) for each in own] == variances
    gaps = {row.table_id for row in said.tables if row.settlement_gap_minor}
    assert said.disagreeing == gaps | {
        table for table, variances in wanted.items() if any(filter(None, sum(variances, ())))
    }
    at_all = [variance for variances in wanted.values() for _, variance in variances if variance]
    reported = sentence("the day", totals_of(said))
    assert all(
        (words in reported) == any(signs)
        for words, signs in (
            ("chips are missing", [variance < 0 for variance in at_all]),
            ("there are too many chips", [variance > 0 for variance in at_all]),
        )
    )
