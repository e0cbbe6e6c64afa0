"""The same days under other rules: the ledger of rulings against settling everything again."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from flows.comparisons import summed
from producers.simulator import simulate
from replayer.contract.symbols import FoundShoe
from replayer.engine.reconstruct import Reconstruction, reconstruct
from replayer.engine.replay_settings import ReplaySettings
from replayer.integrity.inspection import Log
from replayer.law.rulings import register
from replayer.log.columns import TableDay, columns_of
from replayer.verdicts import compare
from replayer.verdicts.compare import added, ledger, what_if
from schemas.notation import parse_events
from tests.archives import logs_in
from tests.oracle.compare import DAY, IDS, some_round
from tests.oracle.fortune_3_card_poker import V78, V97
from tests.oracle.rounds import deal_notation, elected, notation, some_deal, some_house
from tests.shares import few
from tests.texts import table_day_of

ROUNDS = 8


def black_jack_day(dice: random.Random) -> tuple[str, str]:
    """The text of a table-day of one house, and its version."""
    house = some_house(dice)
    options = " ".join(f"option:{name}={value}" for name, value in elected(house).items())
    rounds = [notation(some_round(dice, house, unlawful=number % 2 * 0.1), number) for number in range(1, ROUNDS)]
    return "\n".join([f"open:black_jack:MOP:7=0 {options} shuffle:1:hand:6", *rounds, "#- close=0"]), house.version


def fortune_day(dice: random.Random) -> tuple[str, str]:
    """The same of the other game; in every second round a card of a player or of the croupier is exposed."""
    rounds = []
    for number in range(1, ROUNDS):
        words = deal_notation(some_deal(dice, undecided=0.05, miscounted=0.05), number).split()
        if number % 2:
            dealt = [at for at, word in enumerate(words) if word[1:2] == "-"]
            at = dice.choice(dealt)
            words[at] = words[at].replace("-", "+", 1)
        rounds.append(" ".join(words))
    text = "\n".join(["open:fortune_3_card_poker:MOP:7=0 option:shuffle=machine", *rounds, "#- close=0"])
    return text, dice.choice((V78, V97))


@pytest.mark.parametrize("seed", few(range(2), 1))
def test_the_ledger_says_of_each_reading_what_settling_all_rounds_under_it_says(seed: int) -> None:
    dice = random.Random(seed)
    text, version = (fortune_day, black_jack_day)[seed % 2](dice)
    days = [table_day_of(text, DAY)]
    held = ReplaySettings(in_force=_only(IDS[version]))
    lines = {(line.ruling, line.reading): line for line in ledger([days], held)}
    game = "fortune_3_card_poker" if version in (V78, V97) else "black_jack"
    for ruling in register().values():
        if ruling.game != game or not ruling.money:
            continue
        for reading in ruling.readings[1:]:
            changed = what_if(days, held, held.with_readings({ruling.id: reading}))
            line = lines.get((ruling.id, reading))
            said = (line.wagers_changed, line.change_in_win) if line else (0, 0)
            assert said == (changed.height, changed["change_in_win"].drop_nulls().sum()), f"{ruling.id}={reading}"


def test_the_ledger_keeps_what_was_elected_while_another_round_was_on() -> None:
    """The second round is of 56/2004, whose copy has any pair as one of sevens (BJ-36); 57/2009 art. 13(1) leaves no doubt."""
    text = (
        "open:black_jack:MOP:7=0 #1 1.main=100 nomore 1+Kc option:regulation=bj.56-2004 B+6h 1+Qd 1.stand B+Tc B+8d "
        "1.main>+100 end #2 1.main=100 1.any_pair=10 nomore 1+Kc B+6h 1+Kd 1.stand B+Tc B+8d 1.main>+100 1.any_pair>+110 end "
        "#- close=0"
    )
    day = table_day_of(text, dt.date(2009, 6, 1))
    (line,) = [line for line in ledger([[day]], ReplaySettings()) if line.ruling == "BJ-36"]
    assert (line.wagers_changed, line.change_in_win) == (1, 120_00)
    assert what_if([day], ReplaySettings(), ReplaySettings().with_readings({"BJ-36": line.reading})).height == 1


SIX_ACE = "#1 1.main=100 nomore 1+Kc B+6h 1+8d 1.stand B+Ad{more} 1.main>+100 end"
SURRENDERED = "#1 1.main=100 nomore 1+Kc B+5h 1+4d 1.surrender B+9d 1.main>-50 end"
PRIZE = (
    "#1 1.main=100 2.main=100 nomore 1+6c 2+Kd B+5h 1+7c 2+7d 1.hit 1+8c 2.hit 2+5s B+9d 1.main>+300 2.main>-100 end"
)


@pytest.mark.parametrize(
    ("elected", "round_", "other", "change"),
    [
        ("bank_soft17=stand", SIX_ACE.format(more=""), "bank_soft17=hit", [None]),
        ("bank_soft17=hit", SIX_ACE.format(more=""), "bank_soft17=stand", []),  # its dealer erred: settled as it is
        ("bank_soft17=hit", SIX_ACE.format(more=" B+3c"), "bank_soft17=stand", [-200_00]),  # void: 18 beats 17
        ("surrender=on", SURRENDERED, "surrender=off", [None]),
        ("surrender=on", SURRENDERED.replace("B+9d", "B+9d B+Kh"), "surrender=off", [-150_00]),  # it is over 21
        ("special_prizes=on", PRIZE, "special_prizes=off", [None]),  # seat 2 is over 21 whatever the bank has
    ],
)
def test_what_hangs_on_a_card_that_the_bank_would_have_had_to_take_is_not_known(
    elected: str, round_: str, other: str, change: list[int | None]
) -> None:
    """57/2009 art. 6(1): the bank draws at sixteen or less where a hand waits for it, and on 6-A where the house elects it."""
    day = table_day_of(f"open:black_jack:MOP:7=0 option:{elected} {round_} #- close=0", dt.date(2009, 6, 1))
    own = ReplaySettings()
    assert what_if([day], own, replace(own, options=dict([other.split("=")])))["change_in_win"].to_list() == change


def test_the_ledger_does_not_know_what_hangs_on_such_a_card() -> None:
    """BJ-55: beside its prize of 300 the hand would be due what its 21 brings against a bank that lies at 14."""
    day = table_day_of(f"open:black_jack:MOP:7=0 {PRIZE} #- close=0", dt.date(2009, 6, 1))
    (line,) = [line for line in ledger([[day]], ReplaySettings()) if line.ruling == "BJ-55"]
    assert (line.reading, line.wagers_changed, line.unsettled, line.known_change) == ("additional", 1, 1, None)


def test_fractions_of_a_minor_unit_are_compared_and_added_exactly() -> None:
    """57/2009 art. 10(1): Black Jack wins 3 to 2. On stakes of 1, 1 and 3 avos that is 1.5, 1.5 and 4.5; rounded down (X-2) it
    is half an avo less on each, rounded up half an avo more."""
    rounds = [
        f"#{number} 1.main={stake} nomore 1+Kc B+9h 1+Ad B+8d 1.main>+{stake} end"
        for number, stake in enumerate(("0.01", "0.01", "0.03"), 1)
    ]
    day = table_day_of(f"open:black_jack:MOP:7=0 {' '.join(rounds)} #- close=0", dt.date(2009, 6, 1))
    lines = {line.reading: line for line in ledger([[day]], ReplaySettings()) if line.ruling == "X-2"}
    for reading, change in (("down", Fraction(3, 2)), ("up", Fraction(-3, 2))):
        line, changed = lines[reading], what_if([day], ReplaySettings(), ReplaySettings(readings={"X-2": reading}))
        assert (line.wagers_changed, line.change_in_win, line.known_change) == (3, change, int(change))
        said = summed(changed)
        assert (said["wagers_changed"], said["change_in_win_minor"]) == (3, int(change))
        assert [each["change_in_win_minor"] for each in said["rounds"]] == [0, 0, 0]


def some_days(dice: random.Random) -> tuple[list[TableDay], ReplaySettings]:
    """A table-day of each game and one of Black Jack that was never closed, where streaks are left open."""
    day, version = black_jack_day(dice)
    texts = (day, fortune_day(dice)[0], day.replace("close=0", "drop=0"))
    days = [
        TableDay(f"T{number}", DAY, columns_of(parse_events(text, table_id=f"T{number}", gaming_day=DAY)))
        for number, text in enumerate(texts)
    ]
    return days, ReplaySettings(in_force=_only(IDS[version]))


def test_the_ledger_does_not_depend_on_which_table_days_share_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor on how many rounds beyond its end a carried wager is followed at first."""
    days, held = some_days(random.Random(5))
    together = ledger([days], held)
    assert together
    monkeypatch.setattr(compare, "_FURTHER_ROUNDS", 0)
    monkeypatch.setattr(compare, "_EVENTS_AT_A_TIME", 1)
    assert added([ledger([[day] for day in days], held)]) == added([together])


def test_all_readings_are_tried_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done once for a stack of table-days was done once for each reading."""
    days, held = some_days(random.Random(5))
    stacks: list[int] = []

    def counted(logs: Sequence[Log], *arguments: Any, **more: Any) -> Reconstruction:
        stacks.append(len(logs))
        return reconstruct(logs, *arguments, **more)

    monkeypatch.setattr(compare, "reconstruct", counted)
    lines = ledger([days[:1]], held)
    assert len(lines) > 5
    assert stacks == [1, len(lines)]  # as it stands, and under each other reading


def test_the_rounds_of_the_ledger_find_their_shoe_as_they_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They found it unshuffled, so that no table showed what became of any of them."""
    simulate(archive=tmp_path, tables=4, rounds=60, seed=5)
    days = logs_in(tmp_path)
    found: Counter[FoundShoe] = Counter()

    def counted(logs: Sequence[Log], *arguments: Any, **more: Any) -> Reconstruction:
        made = reconstruct(logs, *arguments, **more)
        if made.judged:
            found.update(map(FoundShoe, made.judged.histories.rounds["found"]))
        return made

    monkeypatch.setattr(compare, "reconstruct", counted)
    assert ledger([days], ReplaySettings())
    assert found[FoundShoe.USED] > 0
    assert not found[FoundShoe.UNSHUFFLED]


def test_the_ledger_tries_other_readings_at_a_table_with_readings_of_its_own() -> None:
    """It said that none of them would change anything there."""
    days, held = some_days(random.Random(5))
    there = next(line for line in ledger([days[:1]], held) if line.change_in_win)
    own = replace(held, table_readings={"T0": {there.option: there.reading}})
    back = {(line.ruling, line.reading): line for line in ledger([days[:1]], own)}[there.ruling, there.in_force]
    assert (back.wagers_changed, back.change_in_win) == (there.wagers_changed, -there.change_in_win)


def _only(version: str) -> dict[str, dt.date]:
    """First days by which one version is in force on the day of the tests."""
    ids = dict.fromkeys(IDS.values(), dt.date(2029, 1, 1))
    return {**ids, version: dt.date(2000, 1, 1)}
