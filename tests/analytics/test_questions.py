"""The ten questions of an investigator, answered beside the lake: from the labels of planted faults, by folding the events of the
log one by one (a second body of nothing but counting), and by hand from rounds in the notation."""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any

import duckdb
import fastavro
import pytest

from analytics.lake import contents_of
from analytics.marts import tables_read_by
from analytics.queries import queries
from analytics.sql import Limits, answer_to, questions
from flows.runs import run_nightly
from producers.simulator import simulate
from schemas.identity import Pseudonyms
from schemas.notation import parse_events
from tests.analytics.made import run
from tests.analytics.page_of_questions import FILE, asked, page, ten
from tests.archives import record
from tests.shares import few
from tests.texts import CLOSED, opened

DAY = dt.date(2009, 6, 1)
HEAD = opened("option:decks=6 option:limit_min=50 option:limit_max=5000", burned=6)

Event = dict[str, Any]


def hidden(player: str | None) -> str | None:
    return None if player is None else Pseudonyms.from_environment().of(player)


@dataclass
class Pit:
    """A simulated gaming day: its lake, and its log as it was written."""

    lake: Path
    archive: Path
    labels: list[Any] = field(default_factory=list)

    def tables(self) -> Iterator[tuple[str, list[Event]]]:
        for file in sorted((self.archive / str(DAY)).glob("*.avro")):
            with file.open("rb") as opened:
                yield file.stem, [event for event in fastavro.reader(opened) if isinstance(event, dict)]

    def rounds(self) -> Iterator[tuple[str, int, str | None, list[Event]]]:
        """Table, number, dealer at its beginning, events."""
        for table, events in self.tables():
            dealer, found, order = None, defaultdict(list), {}
            for event in events:
                if event["kind"] == "DealerEntered":
                    dealer = event["table"]["staff"]
                if event["round"] is not None:
                    order.setdefault(event["round"], dealer)
                    found[event["round"]].append(event)
            for number in sorted(found):
                yield table, number, order[number], found[number]

    def came(self) -> dict[tuple[str, int], dt.datetime]:
        """When the dealer of each round had come: the first movement of chips or cash, or event of a round, under him."""
        found: dict[tuple[str, int], dt.datetime] = {}
        for table, events in self.tables():
            since = None
            for event in events:
                if event["kind"] == "DealerEntered":
                    since = None
                elif event["round"] is not None or event["chips"]:
                    since = since or event["at"]
                if event["round"] is not None:
                    found.setdefault((table, event["round"]), since)
        return found

    def labelled(self, finding: str) -> list[Any]:
        return [label for label in self.labels if label.finding == finding]


def simulated(folder: Path, **more: Any) -> Pit:
    simulate(folder / "archive", day=DAY, labels_path=folder / "labels.jsonl", **more)
    run_nightly(folder / "archive", folder / "lake", DAY, show=True)
    labels = (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    return Pit(folder / "lake", folder / "archive", [SimpleNamespace(**json.loads(label)) for label in labels])


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Pit:
    return simulated(tmp_path_factory.mktemp("honest"), tables=5, rounds=60, seed="questions")


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Pit:
    return simulated(tmp_path_factory.mktemp("faulty"), tables=6, rounds=60, seed="questions 3", faults=0.15)


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    """The lake of one table-day in the notation."""

    def _written(rounds: str) -> Path:
        text = f"{HEAD} {rounds} {CLOSED}"
        record(tmp_path / "archive", parse_events(text, gaming_day=DAY))
        run_nightly(tmp_path / "archive", tmp_path / "lake", DAY)
        return tmp_path / "lake"

    return _written


@dataclass
class Fold:
    """A round of Black Jack, counted card by card."""

    cards: dict[tuple[int, int], list[str]] = field(default_factory=lambda: defaultdict(list))
    decided: dict[tuple[int, int], list[str]] = field(default_factory=lambda: defaultdict(list))
    sitting: dict[int, str | None] = field(default_factory=dict)
    net: dict[tuple[str, int, int], int] = field(default_factory=dict)
    stake: dict[tuple[str, int, int], int] = field(default_factory=dict)
    upcard: str | None = None

    @classmethod
    def of(cls, events: list[Event]) -> Fold:
        fold = cls()
        for event in events:
            fold.take(event)
        return fold

    def take(self, event: Event) -> None:
        kind, card, wager, decision = event["kind"], event["card"], event["wager"], event["decision"]
        if kind == "CardDealt":
            place = (card["seat"] or 0, card["hand"])
            self.cards[place].append(card["card"] or "??")
            if place == (0, 0) and card["face"] == "up" and self.upcard is None:
                self.upcard = card["card"]
        elif kind == "CardTurned":
            held = self.cards[card["seat"] or 0, card["hand"]]
            if "??" in held:
                held[held.index("??")] = card["card"]
        elif kind == "WagerPlaced":
            if wager["kind"] == "main":
                self.sitting.setdefault(wager["seat"], wager["player"])
            self.stake.setdefault((wager["kind"], wager["seat"], wager["hand"]), wager["stake_minor"])
        elif kind == "WagerSettled":
            self.net.setdefault((wager["kind"], wager["seat"], wager["hand"]), wager["net_minor"])
        elif kind == "DecisionTaken":
            seat, hand, action = decision["seat"], decision["hand"], decision["action"]
            if action == "split":
                opened = 1 + max(each for other, each in self.cards if other == seat)
                self.cards[seat, opened].append(self.cards[seat, hand].pop())
            if action != "insurance":
                self.decided[seat, hand].append(action)


def points(cards: list[str]) -> tuple[int, bool]:
    """Black Jack points and whether an ace counts 11."""
    ranks = [card[0] for card in cards]
    low = sum(1 if rank == "A" else 10 if rank in "TJQK" else int(rank) for rank in ranks)
    soft = "A" in ranks and low <= 11
    return low + 10 * soft, soft


def test_who_stood_on_12_against_a_ten(honest: Pit) -> None:
    expected: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for table, _, dealer, events in honest.rounds():
        fold = Fold.of(events)
        if not table.startswith("BJ") or fold.upcard is None or fold.upcard[0] not in "TJQK":
            continue
        bank, _ = points(fold.cards[0, 0])
        for (seat, hand), cards in fold.cards.items():
            if seat and points(cards) == (12, False) and fold.decided[seat, hand][-1:] == ["stand"]:
                first = ("split" if hand else "main", seat, hand)
                row = expected[hidden(fold.sitting[seat]), dealer]
                row[0] += 1
                row[1] += bank > 21
                row[2] += fold.net[first] > 0
                row[3] += fold.stake[first]
    assert expected, "somebody did"
    columns = ("player", "dealer", "stood", "bank_bust", "won", "stake_minor")
    found = run("stood_on_low_totals", honest.lake).select(columns).rows()
    assert sorted(found) == sorted((*who, *counts) for who, counts in expected.items())
    assert run("stood_on_low_totals", honest.lake, {"min_count": "1000"}).height == 0


def test_the_bank_has_its_chance_to_bust_only_in_rounds_played_to_their_end(written: Callable[[str], Path]) -> None:
    """p1 stands twice on 12 and the bank busts once, as the other round is void; an unknown player is nobody to be named."""
    stood = "nomore 1+Tc B+Th 1+2d 1.stand{who}"
    lake = written(
        f"#1 1.main=100@p1 {stood.format(who='@p1')} B+6c B+Ts 1.main>+100@p1 end "
        f"#2 1.main=100@p1 {stood.format(who='@p1')} void:misdeal 1.main>0@p1 end "
        f"#3 1.main=100 {stood.format(who='')} B+6d B+Td 1.main=100>+100 end"
    )
    columns = ("player", "stood", "bank_bust", "bank_bust_share", "stake_minor")
    assert run("stood_on_low_totals", lake).select(columns).rows() == [(hidden("p1"), 1, 1, 1.0, 100_00)]


def test_a_bank_that_takes_a_card_too_many_does_not_bust(written: Callable[[str], Path]) -> None:
    """The bank has 18 and takes a nine: the card is void (57/2009 art. 6(1)), and 12 loses to 18."""
    lake = written("#1 1.main=100@p1 nomore 1+Tc B+Th 1+2d 1.stand@p1 B+8c B+9s 1.main>+100@p1 end")
    columns = ("player", "stood", "bank_bust", "bank_bust_share", "won")
    assert run("stood_on_low_totals", lake).select(columns).rows() == [(hidden("p1"), 1, 0, 0.0, 0)]


def test_who_takes_insurance_only_when_the_bank_has_black_jack(honest: Pit) -> None:
    expected: dict[str | None, list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0, 0])
    for table, _, _, events in honest.rounds():
        fold = Fold.of(events)
        if not table.startswith("BJ") or fold.upcard is None or fold.upcard[0] != "A":
            continue
        natural = len(fold.cards[0, 0]) == 2 and points(fold.cards[0, 0]) == (21, True)
        of = [(e["wager"], e["kind"]) for e in events if e["wager"]]
        placed = {w["player"] for w, kind in of if kind == "WagerPlaced" and w["kind"] == "main"}
        insured = {w["player"] for w, kind in of if kind == "WagerPlaced" and w["kind"] == "insurance"}
        for who in placed:
            row = expected[hidden(who)]
            row[0] += 1
            row[1] += who in insured
            row[2] += who in insured and natural
            row[3] += who in insured and not natural
            row[5] += who not in insured and natural
        for wager, kind in of:
            if kind == "WagerSettled" and wager["kind"] == "insurance":
                expected[hidden(wager["player"])][4] += wager["net_minor"]
    wanted = sorted((who, *counts) for who, counts in expected.items() if counts[1])
    assert wanted, "somebody did"
    columns = (
        "player", "chances", "insured", "insured_right", "insured_wrong", "insurance_net_minor", "not_insured_though_black_jack",
    )  # fmt: skip
    frame = run("insurance_with_foresight", honest.lake)
    assert sorted(frame.select(columns).rows()) == wanted
    beyond = [
        (right - insured * 4 / 13) / insured**0.5 for insured, right in frame.select("insured", "insured_right").rows()
    ]
    assert beyond == sorted(beyond, reverse=True)


def test_insurance_that_is_right_every_time_is_distinguished_from_guesses(written: Callable[[str], Path]) -> None:
    """p1 insures twice, each time against Black Jack, and once does not, when there is none; p2 insures always."""
    black_jack = "1+9c 2+Td B+Ah 1+8d 2+9h 1.insurance=50@p1 2.insurance=50@p2 1.stand@p1 2.stand@p2 B+Kc"
    none = "1+9c 2+Td B+Ah 1+8d 2+9h 2.insurance=50@p2 1.stand@p1 2.stand@p2 B+7c"
    lake = written(
        f"#1 1.main=100@p1 2.main=100@p2 nomore {black_jack} 1.insurance>+100@p1 2.insurance>+100@p2 1.main>-100@p1 "
        f"2.main>-100@p2 end #2 1.main=100@p1 2.main=100@p2 nomore {none} 2.insurance>-50@p2 1.main>-100@p1 "
        f"2.main>+100@p2 end #3 1.main=100@p1 2.main=100@p2 nomore {black_jack.replace('9c', '8c')} 1.insurance>+100@p1 "
        "2.insurance>+100@p2 1.main>-100@p1 2.main>-100@p2 end"
    )
    columns = ("player", "chances", "insured", "insured_right", "insured_wrong", "right_share", "insurance_net_minor")
    assert run("insurance_with_foresight", lake).select(columns).rows() == [
        (hidden("p1"), 3, 2, 2, 0, 1.0, 200_00),
        (hidden("p2"), 3, 3, 2, 1, 2 / 3, 150_00),
    ]


def test_who_raises_his_stake_just_before_he_wins(honest: Pit) -> None:
    before: dict[tuple[str, str], tuple[int, int]] = {}
    counted: dict[str, list[list[Any]]] = defaultdict(list)
    for table, _, _, events in honest.rounds():
        stakes: dict[str, int] = defaultdict(int)
        nets: dict[str, int] = defaultdict(int)
        for event in events:
            wager = event["wager"]
            if event["kind"] == "WagerPlaced" and wager["kind"] in ("main", "ante"):
                stakes[wager["player"]] += wager["stake_minor"]
            if event["kind"] == "WagerSettled" and wager["kind"] in ("main", "double", "split", "ante", "raise"):
                nets[wager["player"]] += wager["net_minor"]
        for player, stake in stakes.items():
            if (table, player) in before:
                earlier, result = before[table, player]
                counted[player].append([stake >= 2 * earlier, result, nets[player]])
            before[table, player] = (stake, nets[player])
    expected = []
    for player, found in counted.items():
        raised = [(result, net) for up, result, net in found if up]
        others = [net for up, _, net in found if not up]
        if len(raised) >= 2:
            expected.append(
                (
                    hidden(player), len(found), len(raised), sum(result > 0 for result, _ in raised),
                    sum(result < 0 for result, _ in raised), sum(net > 0 for _, net in raised) / len(raised),
                    sum(net > 0 for net in others) / len(others) if others else None, sum(net for _, net in raised), sum(others),
                )
            )  # fmt: skip
    assert expected, "somebody did"
    columns = (
        "player", "rounds", "raised_count", "raised_after_win", "raised_after_loss", "raised_won_share", "others_won_share",
        "raised_net_minor", "others_net_minor",
    )  # fmt: skip
    assert sorted(run("stakes_raised_before_wins", honest.lake).select(columns).rows()) == sorted(expected)


def test_how_fast_each_dealer_plays(honest: Pit) -> None:
    taken: dict[tuple[str | None, str, int], list[int]] = defaultdict(list)
    for table, _, dealer, events in honest.rounds():
        seats = {event["wager"]["seat"] for event in events if event["kind"] == "WagerPlaced"}
        game = "black_jack" if table.startswith("BJ") else "fortune_3_card_poker"
        taken[dealer, game, len(seats)].append((events[-1]["at"] - events[0]["at"]) // dt.timedelta(microseconds=1))
    of_size: dict[tuple[str, int], list[int]] = defaultdict(list)
    for (_, game, seats), micros in taken.items():
        of_size[game, seats] += micros
    expected = {
        (dealer, game, seats): (
            len(micros),
            median(micros) / 1e6,
            median(of_size[game, seats]) / 1e6,
            max(micros) / 1e6,
        )
        for (dealer, game, seats), micros in taken.items()
    }
    columns = ("rounds", "median_seconds", "everyones_median_seconds", "longest_seconds")
    found = run("pace_by_dealer", honest.lake)
    assert len(expected) == found.height > 10
    for row in found.rows(named=True):
        wanted = expected[row["dealer"], row["game"], row["seats"]]
        assert tuple(row[name] for name in columns) == pytest.approx(wanted)
        micros = taken[row["dealer"], row["game"], row["seats"]]
        assert row["rounds_an_hour"] == pytest.approx(3600 * len(micros) / (sum(micros) / 1e6))


def test_which_dealer_and_which_player_meet_when_the_house_pays_too_much(faulty: Pit) -> None:
    expected: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])
    for label in faulty.labelled("OVERPAID"):
        expected[label.dealer, hidden(label.player)][0] += 1
        expected[label.dealer, hidden(label.player)][1] += label.delta_minor
    found = run("overpayment_by_dealer_and_player", faulty.lake, {"min_count": "1"})
    rows = found.select("dealer", "player", "overpaid_count", "overpaid_minor").rows()
    assert sorted(rows) == sorted((*who, *sums) for who, sums in expected.items())
    assert rows, "somebody was"


def test_who_bets_after_the_bets_were_closed(faulty: Pit) -> None:
    expected = {(one.table_id, one.round, one.seq, one.seat) for one in faulty.labelled("WAGER_AFTER_CLOSE")}
    assert expected, "somebody did"
    found = run("wagers_after_close", faulty.lake)
    assert set(found.select("table_id", "round", "seq", "seat").rows()) == expected


def test_at_whose_tables_chips_or_cash_are_missing(faulty: Pit) -> None:
    chips: dict[str, int] = defaultdict(int)
    cash: dict[str, int] = defaultdict(int)
    for label in faulty.labels:
        if label.finding in ("INVENTORY_VARIANCE", "DROP_VARIANCE"):
            (chips if label.finding == "INVENTORY_VARIANCE" else cash)[label.table_id] += label.delta_minor
    dealt: dict[str | None, set[str]] = defaultdict(set)
    for table, _, dealer, _ in faulty.rounds():
        dealt[dealer].add(table)
    expected = []
    for dealer, tables in dealt.items():
        varied = sorted(table for table in tables if chips[table] or cash[table])
        if varied:
            sums = (sum(chips[table] for table in varied), sum(cash[table] for table in varied))
            expected.append((dealer, len(tables), len(varied), *sums, ", ".join(f"{table} {DAY}" for table in varied)))
    assert expected, "somewhere they are"
    found = run("variances_by_dealer", faulty.lake).drop("currency", "not_counted_count")
    assert sorted(found.rows()) == sorted(expected)


def test_how_soon_after_a_dealer_came_somebody_was_overpaid(faulty: Pit) -> None:
    paid: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for label in faulty.labelled("OVERPAID"):
        paid[label.table_id, label.round].append(label)
    expected = []
    came_at = faulty.came()
    at: str | None = None
    dealer: str | None = None
    for table, number, here, events in faulty.rounds():
        if table != at or here != dealer:
            relieved = dealer if table == at else None
            at, dealer, since, reported, came = table, here, 0, False, came_at[table, number]
        since += 1
        if paid[table, number] and not reported:
            first = min(paid[table, number], key=lambda label: label.seq)
            (event,) = [event for event in events if event["seq"] == first.seq]
            reported = True
            if since <= 20:
                who, seconds = hidden(first.player), (event["at"] - came) / dt.timedelta(seconds=1)
                expected.append(
                    (table, here, relieved, number, since, pytest.approx(seconds), who, first.delta_minor, first.seq)
                )
    columns = (
        "table_id",
        "dealer",
        "relieved",
        "round",
        "rounds_since",
        "seconds_since",
        "player",
        "delta_minor",
        "seq",
    )
    found = run("overpayments_after_dealer_change", faulty.lake).select(columns).rows()
    assert len(found) > 1
    assert sorted(found, key=lambda row: (row[0], row[3])) == expected
    early = run("overpayments_after_dealer_change", faulty.lake, {"within_rounds": "5"})
    assert early["rounds_since"].to_list() == sorted(row[4] for row in expected if row[4] <= 5)


def test_an_overpayment_is_of_the_dealer_who_settled_it_though_another_began_the_round(
    written: Callable[[str], Path],
) -> None:
    """D2 relieves D1 before the bank's second card and pays 200 where 100 was due: it was his first round."""
    dealt = "1.main=100@p1 nomore 1+Tc B+6h 1+9d 1.stand@p1 dealer-D1 dealer+D2 B+Tc B+2s"
    lake = written(f"#1 {dealt} @12:30:00 1.main>+200@p1 end")
    shown = ("dealer", "relieved", "round", "rounds_since", "player", "delta_minor")
    found = run("overpayments_after_dealer_change", lake).select(shown).rows()
    assert found == [("D2", "D1", 1, 1, hidden("p1"), 100_00)]


def test_a_dealer_who_comes_back_to_a_table_at_which_nobody_dealt_begins_a_new_turn(
    written: Callable[[str], Path],
) -> None:
    """D1 pays 200 for 100 in round 1, leaves, a fill comes, he is back, and pays 300 in round 2: the first of his turn."""
    paid = "1.main=100@p1 nomore 1+Tc B+6h 1+9d 1.stand@p1 B+Tc B+2s 1.main>+{}@p1 end"
    lake = written(f"#1 {paid.format(200)} #- dealer-D1 fill:F1=100 dealer+D1 #2 {paid.format(300)}")
    shown = ("dealer", "relieved", "round", "rounds_since", "delta_minor")
    found = run("overpayments_after_dealer_change", lake).select(shown).sort("round").rows()
    assert found == [("D1", None, 1, 1, 100_00), ("D1", "D1", 2, 1, 200_00)]


def test_a_dealer_who_came_during_a_round_and_began_none_dealt_on_the_table_day(written: Callable[[str], Path]) -> None:
    """100 lost and a tray of the same 50,000: 100 are missing where D1 and D2 dealt."""
    lake = written("#1 1.main=100@p1 nomore 1+Tc B+6h 1+9d 1.stand@p1 dealer-D1 dealer+D2 B+Tc B+4s 1.main>-100@p1 end")
    found = run("variances_by_dealer", lake).select("dealer", "inventory_variance_minor").rows()
    assert found == [("D1", -100_00), ("D2", -100_00)]


LOST = "1.main={stake}@p1 nomore 1+9c B+Td 1+7d 1.stand@p1 B+9h 1.main>-{stake}@p1 end"
WON = "nomore 1+Tc B+Td 1+Ts 1.stand@p1 B+9h 1.main>+100@p1"


def test_voided_rounds_beside_the_usual_round_and_what_was_won_before(written: Callable[[str], Path]) -> None:
    """The house wins 100 and 300, then a round with 1,000 on it is voided: five times the median of 100 and 300."""
    lake = written(
        f"#1 {LOST.format(stake=100)} #2 {LOST.format(stake=300)} "
        "#3 1.main=600@p1 2.main=400@p2 nomore 1+9d 2+3c B+Ts 1+8d 2+2c void:misdeal 1.main>0@p1 2.main>0@p2 end"
    )
    columns = ("round", "dealer", "seats", "stake_minor", "times_usual", "house_win_before_minor", "voided_by_dealer")
    assert run("voided_rounds", lake).select(columns).rows() == [(3, "D1", 2, 1_000_00, 5.0, 400_00, 1)]
    assert run("voided_rounds", lake, {"before": "1"})["house_win_before_minor"].to_list() == [300_00]
    assert run("voided_rounds", lake, {"times": "5"}).height == 1
    assert run("voided_rounds", lake, {"times": "5.1"}).height == 0


def test_what_was_paid_for_nothing_is_part_of_what_the_house_won_before(written: Callable[[str], Path]) -> None:
    """The house wins 100 of p1 and pays p9, who had bet nothing, 300 in round 1: it has lost 200 when round 2 is voided."""
    paid = LOST.format(stake=100).replace(" end", " 2.main=300>+300@p9 end")
    lake = written(f"#1 {paid} #2 1.main=600@p1 nomore 1+9d B+Ts void:misdeal 1.main>0@p1 end")
    assert run("voided_rounds", lake)["house_win_before_minor"].to_list() == [-200_00]


def test_a_round_is_voided_by_the_dealer_who_stood_there_and_not_by_who_began_it(
    written: Callable[[str], Path],
) -> None:
    """D2 relieves D1 after the first card, deals the bank's, and declares the round void; D1's own rounds are one."""
    lake = written(
        f"#1 {LOST.format(stake=100)} #2 1.main=600@p1 nomore 1+9d dealer-D1 dealer+D2 B+Ts void:misdeal end"
    )
    columns = ("round", "dealer", "voided_by_dealer", "rounds_of_dealer")
    assert run("voided_rounds", lake).select(columns).rows() == [(2, "D2", 1, 1)]


STREAKS = (
    f"option:side_streak=yes:REF #1 1.main=100@p1 1.streak_2=100@p1 1.streak_3=100@p1 {WON} 1*1 end #- dealer-D1 dealer+D2 "
    f"#2 1.main=100@p1 {WON} 1.streak_2=100>+300@p1 1*2 end #3 1.main=600@p1 nomore 1+9d B+Ts void:misdeal 1.main>0@p1 end "
    f"#4 1.main=100@p1 {WON.replace('+100', '+200')} 1.streak_3=100>+800@p1 end"
)
"""Two bets of round 1 on a streak run until rounds 2 and 4, which D2 deals; he pays the main bet of round 4 100 too much."""


def test_a_bet_on_several_rounds_counts_in_the_round_in_which_it_is_settled(written: Callable[[str], Path]) -> None:
    """D2's rounds are 2, 3 and 4; until the void of round 3 the house had paid 100, 100 and 300 (57/2009 art. 13(5)(2))."""
    lake = written(STREAKS)
    columns = ("round", "dealer", "house_win_before_minor", "rounds_of_dealer")
    assert run("voided_rounds", lake).select(columns).rows() == [(3, "D2", -500_00, 3)]
    assert run("voided_rounds", lake, {"before": "1"})["house_win_before_minor"].to_list() == [-400_00]
    columns = ("dealer", "round", "rounds_since", "delta_minor")
    assert run("overpayments_after_dealer_change", lake).select(columns).rows() == [("D2", 4, 3, 100_00)]


def test_what_was_laid_on_a_stake_after_the_close_is_reported_with_who_laid_it(written: Callable[[str], Path]) -> None:
    """p1 lays 100 in time and 400 one second late; both are settled in one amount, and make one row of the wagers."""
    lake = written("#1 1.main=100@p1 nomore 1.main=400@p1 1+9c B+Td 1+7d 1.stand@p1 B+9h 1.main=500>-500@p1 end")
    columns = ("player", "dealer", "wager", "currency", "stake_minor", "seconds_late", "whole_minor", "paid_minor")
    assert run("wagers_after_close", lake).select(columns).rows() == [
        (hidden("p1"), "D1", "main", "MOP", 400_00, 1.0, 500_00, -500_00)
    ]


def test_a_stake_corrected_once_cards_were_out_was_changed(written: Callable[[str], Path]) -> None:
    """Before the first card p1's stake of 100 is corrected to 200; when he has 19 against 10 it is 500, and
    he wins; with 18 against 19 his next one is taken back."""
    lake = written(
        "#1 1.main=100@p1 nomore correct:15:miscounted:1.main=200@p1 1+Tc B+Td 1+9s 1.stand@p1 "
        "correct:15:saw_more:1.main=500@p1 B+8h 1.main=500>+500@p1 end "
        "#2 1.main=100@p1 nomore 1+Tc B+Td 1+8s 1.stand@p1 B+9h correct:26:not_his:1.main=0@p1 end"
    )
    columns = ("round", "seat", "player", "dealer", "stake_minor", "paid_minor", "result")
    assert run("stakes_changed", lake).select(columns).rows() == [
        (1, 1, hidden("p1"), "D1", 500_00, 500_00, "won"),
        (2, None, hidden("p1"), "D1", None, None, None),
    ]


def test_a_payment_for_nothing_is_of_the_dealer_who_made_it_and_names_whom_he_paid(
    written: Callable[[str], Path],
) -> None:
    """D1 begins the round; D2 relieves him before p9, who had bet nothing, is paid 100."""
    lake = written(f"#1 {LOST.format(stake=100).removesuffix('end')} dealer-D1 dealer+D2 2.main=100>+100@p9 end")
    found = run("payments_for_nothing", lake).select("player", "dealer", "paid_minor").rows()
    assert found == [(hidden("p9"), "D2", 100_00)]


def test_who_surrendered_without_the_right_to_it(written: Callable[[str], Path]) -> None:
    """Against an ace there is no right to surrender (57/2009 art. 18(1)); against a six there is."""
    ace = "1.main=100@p1 nomore 1+Kc B+Ad 1+6d 1.surrender@p1 B+Qc 1.main>-50@p1 end"
    six = "1.main=100@p2 nomore 1+Kd B+6d 1+6c 1.surrender@p2 B+Qd B+2c 1.main>-50@p2 end"
    lake = written(f"#1 {ace} #2 {six}")
    query = queries()["decisions_against_the_rules"]
    assert asked(query) == {"action": "surrender"}
    columns = ("round", "seat", "player", "dealer", "code", "seat_net_minor")
    found = run(query.name, lake, asked(query)).select(columns).rows()
    assert found == [(1, 1, hidden("p1"), "D1", "SURRENDER_REFUSED", -50_00)]
    assert run(query.name, lake, {"action": "hit"}).height == 0


def test_a_double_that_was_paid_and_never_staked_is_among_the_result_of_the_seat(
    written: Callable[[str], Path],
) -> None:
    """p1 doubles, lays nothing down, and is paid as if he had: 200 for a stake of 100."""
    paid = "1.main>+100@p1 1.double=100>+100@p1"
    lake = written(f"#1 1.main=100@p1 nomore 1+6c B+6h 1+5d 1.double@p1 1+9s B+Tc B+3d {paid} end")
    found = run("decisions_against_the_rules", lake).select("code", "currency", "seat_net_minor").rows()
    assert found == [("DOUBLE_NOT_STAKED", "MOP", 200_00)]


def test_a_card_not_given_and_a_total_not_called_are_no_decisions_against_the_rules(
    written: Callable[[str], Path],
) -> None:
    """p1 asks for a card that the dealer does not give (57/2009 art. 7(1)), p2 for one that he gives before he calls the total
    (art. 6(5)), p3 for one on 21 (art. 6(4)(1)) and to split a nine and a two, which is refused (art. 16(1))."""
    option = "option:deal_procedure=2:R1:2009-01-02:2009-01-08:2009-02-01"
    totals = "1=17 1.hit@p1 2.hit@p2 2+3c 2.stand@p2"
    third = "3=11 3.split@p3 3.hit@p3 3+Ts 3=21 3.hit@p3 3+2h"
    lake = written(
        f"{option} #1 1.main=100@p1 2.main=100@p2 3.main=100@p3 nomore 1+9c 2+8c 3+9d B+6h 1+8d 2+8h 3+2d {totals} {third} "
        "B+Tc B+2s 1.main>-100@p1 2.main>+100@p2 3.main>-100@p3 end"
    )
    found = run("decisions_against_the_rules", lake)
    assert found.select("seat", "code").rows() == [(3, "SPLIT_NO_PAIR"), (3, "HIT_AT_21")]
    assert found["message"].str.ends_with("; not carried out").to_list() == [True, False]


def test_the_second_card_of_a_split_pair_was_dealt_after_all_first_ones(written: Callable[[str], Path]) -> None:
    """Eight cards of a round in which p1 splits come again to two seats, which draw to them."""
    split = "1.split@p1 1b.split=100@p1 1+9s 1b+Th 1.stand@p1 1b.stand@p1 2.stand@p2 3.stand@p3 B+9d B+8s"
    drawn = "1.hit@p1 1+5c 1.hit@p1 1+6c 2.hit@p2 2+9s 2.stand@p2 B+Tc B+Td"
    lake = written(
        f"#1 1.main=100@p1 2.main=100@p2 3.main=100@p3 nomore 1+8c 2+2c 3+3c B+4c 1+8d 2+5c 3+6c {split} end "
        f"#2 1.main=100@p1 2.main=100@p2 nomore 1+8c 2+2c B+3c 1+4c 2+8d {drawn} end"
    )
    (row,) = run("repeated_card_sequences", lake).rows(named=True)
    assert (row["round"], row["round_before"], row["first_cards"]) == (2, 1, "8c 2c 3c 4c 8d 5c 6c 9s")


def test_ten_questions_stand_on_the_page_as_the_queries_answer_them() -> None:
    assert len(ten()) == 10
    assert FILE.read_text(encoding="utf-8") == page(), "run tests/analytics/page_of_questions.py"


@pytest.mark.parametrize("name", sorted(queries()))
@pytest.mark.parametrize("days", few([{"first": "2009-06-01", "last": "2009-06-01"}, {}, {"last": "2009-05-31"}], 1))
def test_a_query_printed_as_sql_gives_the_same_rows(faulty: Pit, name: str, days: dict[str, str]) -> None:
    params = {**asked(queries()[name]), **days}
    text = queries()[name].with_values(params)
    assert "$" not in text
    rows = run(name, faulty.lake, params)
    with duckdb.connect(str(faulty.lake / "lake.duckdb"), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        statement = connection.sql(text)
        assert (statement.columns, statement.pl().rows()) == (rows.columns, rows.rows())
    (question,) = questions(text)
    with answer_to(
        faulty.lake, contents_of(faulty.lake, tables=tables_read_by(question)), question, Limits()
    ) as answer:
        assert (list(answer.columns), answer.height) == (rows.columns, rows.height)


def test_a_text_parameter_is_no_sql() -> None:
    text = queries()["decisions_against_the_rules"].with_values({"dealer": "D1' OR true --", "action": "$first"})
    assert "d.dealer = 'D1'' OR true --'" in text
    assert "d.action = '$first'" in text
