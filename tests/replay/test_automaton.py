"""Tables of transitions beside histories judged one by one: the same of the same events, whatever a table may hold."""

from __future__ import annotations

import dataclasses
import random
import weakref
from collections import Counter
from collections.abc import Callable, Hashable
from types import ModuleType
from typing import Any

import polars as pl
import pytest

from replayer.contract.game import Game
from replayer.contract.symbols import Begin, Of
from replayer.engine import automaton, due_lookup, evaluator, transitions
from replayer.engine.automaton import Automaton
from replayer.engine.distinct_values import Numbered
from replayer.engine.evaluator import Evaluator
from replayer.engine.histories import OF_ROUNDS, Histories, HistoryKind, Subject
from replayer.engine.history_rows import histories_of
from replayer.engine.judgements import judge_all
from replayer.engine.reconstruct import Reconstruction, reconstruct
from replayer.engine.replay_settings import ReplaySettings
from replayer.engine.transitions import Transitions
from replayer.integrity.inspection import inspect_all
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.log.columns import TableDay
from replayer.verdicts.replay import replay_table_days
from tests.oracle.compare import DAY, UNLAWFUL, evaluator_of, some_round
from tests.oracle.rounds import notation
from tests.shares import few
from tests.texts import frame_of


def judged(game: Game, rounds: list[str], asked: Evaluator) -> list[object]:
    """What became of every seat, bank and round, and on which rulings that rests."""
    histories = histories_of(frame_of("\n".join(rounds), DAY), game)
    numbers = pl.Series([0], dtype=pl.Int64).new_from_index(0, histories.rounds.height)
    found = judge_all(histories, [asked], numbers, game)
    return [column.at(row) for column in (found.seats, found.banks, found.rounds) for row in range(len(column.of_row))]


TURNED = (
    "1+?? 1+9d 1^9d 1^Kc",  # a card not named, and one turned that lay open: it is the first that gets the name
    "1-Kc 1-9d 1^Kc 1^9d",
    "1-Kc 1-Kc 1^Kc 1^Kc",
    "1-?? 1-9d 1^9d 1^Kc",
    "1-Kc 1-9d 1^Qc",
    "1-Kc 1-9d 1~9d 1-5d 1^9d",
    "1-8c 1-8d 1.split 1b.split=100@p1 1+Tc 1b+Td 1^8c 1b^8d",
    "1-8c 1-8d 1.hit 1-9d 1^8c 1^8d 1^9d",
)


@pytest.mark.parametrize("cards", TURNED)
def test_a_card_that_is_turned_is_told_alike(cards: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"#1 1.main=100@p1 nomore {cards} B+6h 1.stand B+Ts B+2s end"
    asked = evaluator_of(some_round(random.Random(1), unlawful=0).house)
    monkeypatch.setattr(Automaton, "pays", True)
    followed = judged(BLACK_JACK, [text], asked)
    monkeypatch.setattr(Automaton, "pays", False)
    assert judged(BLACK_JACK, [text], asked) == followed


# Whole table-days


@pytest.fixture
def usual(pit: list[TableDay], forget: Callable[[], None]) -> list[str]:
    """The digests of the pit's table-days, forgotten by those who judged them."""
    digests = [day.digest for day in replay_table_days(pit)]
    forget()
    return digests


def test_a_table_that_is_full_and_begins_anew_changes_no_verdict(
    pit: list[TableDay], usual: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(automaton, "TRANSITIONS", 40)
    monkeypatch.setattr(transitions, "CELLS", 1 << 14)
    monkeypatch.setattr(evaluator, "TABULATED", 100)
    monkeypatch.setattr(evaluator, "SYMBOLS", 5)
    monkeypatch.setattr(due_lookup, "_MOST_KEPT", 50)
    assert [day.digest for day in replay_table_days(pit)] == usual
    assert [day.digest for each in pit for day in replay_table_days([each])] == usual


def require_true(held: Automaton[Any, Any, Any, Any]) -> None:
    """Every transition and verdict that an automaton holds is the one that its machines give."""
    members, table = held._members, held._transitions
    symbols = range(min(len(held.alphabet.all), table._next.shape[1]))
    shared = [(0, at, on, table.known(at, on)) for at in range(1, len(table.states)) for on in symbols]
    by_facts = [
        (member, *at, after)
        for at, known in held._by_facts.items()
        for facts, after in known
        for member in range(len(members))
        if members[member].agrees(facts)
    ]
    for member, at, on, after in (*shared, *by_facts):
        assert after < 0 or held._stepped(at, on, members[member].rules) == after
    for (begin, ends), known in held._verdicts.items():
        for facts, verdict in known:
            member = next(each for each in members if each.agrees(facts))
            assert held._judgement(begin, ends, member.rules) == verdict
    for (number, begin), start in held._starts.items():
        began = [reached.state for at in start.states if (reached := table.states[at]) is not None]
        assert began == [*held.begins(begin, members[number].rules)]
    for member in members:
        member.take_read()


@pytest.mark.parametrize(
    ("module", "limit", "most"), [(automaton, "TRANSITIONS", 1_500), (transitions, "CELLS", 1 << 15)]
)
def test_an_automaton_that_is_full_keeps_what_it_holds_of_the_states_that_came_first(
    module: ModuleType, limit: str, most: int, pit: list[TableDay], usual: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    room = transitions.CELLS
    monkeypatch.setattr(module, limit, most)
    kept: list[Transitions[Hashable]] = []
    keep = Transitions.keep

    def noted(table: Transitions[Hashable], count: int) -> None:
        assert count == len(table.states) // 2
        first = table.states[:count]
        keep(table, count)
        assert table.states == first
        kept.append(table)

    monkeypatch.setattr(Transitions, "keep", noted)
    for _ in range(3):
        assert [replay_table_days([day])[0].digest for day in pit] == usual
        all_held = [held for automata in evaluator._AUTOMATA.values() for held in automata]
        for held in all_held:
            held.prepare(held.alphabet)  # while it was full, transitions led to the dead state for want of room
            with monkeypatch.context() as roomy:
                roomy.setattr(transitions, "CELLS", room)
                require_true(held)
    assert any(held._transitions in kept for held in all_held)


def test_a_history_with_a_symbol_beyond_the_alphabet_is_judged_by_itself(
    pit: list[TableDay], usual: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(automaton, "SYMBOLS", 20)
    assert [day.digest for day in replay_table_days(pit)] == usual


@pytest.mark.usefixtures("forget")
def test_of_tables_that_hold_too_much_those_read_longest_ago_begin_anew(
    pit: list[TableDay], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _, fortune, _ = pit
    replay_table_days([one])
    read_first = list(evaluator._AUTOMATA.values())
    replay_table_days([fortune])
    read_last = [each for each in evaluator._AUTOMATA.values() if each not in read_first]
    held = sum(each.size for each in evaluator._AUTOMATA.values())
    monkeypatch.setattr(evaluator, "TABULATED", held - 1)
    evaluator.limit_memory()
    longest_ago = min(read_first, key=lambda each: each.seat.last_read)
    assert [each for each in read_first + read_last if not each.size] == [longest_ago]
    monkeypatch.setattr(evaluator, "TABULATED", sum(each.size for each in read_last))
    evaluator.limit_memory()
    assert not any(each.size for each in read_first)
    assert all(each.size for each in read_last)


def test_memory_does_not_grow_with_the_limits_that_tables_elect(
    forget: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it wait for the collector of cycles, which judging holds back."""
    played = "1.main=100@p1 nomore 1+Kc B+6h 1+Qd 1.stand B+Tc B+5d 1.main>-100@p1 end"
    rounds = [f"#- option:limit_max={5000 + number} #{number} {played}" for number in range(1, 31)]
    limits = " ".join(["open:black_jack:MOP:7=0 option:limit_min=100", *rounds, "#- close=3000"])
    day = TableDay("T1", DAY, frame_of(limits, DAY))
    (usual,) = replay_table_days([day])
    assert len(evaluator._EVALUATORS) == 30
    forget()
    monkeypatch.setattr(evaluator, "MOST_RULES", 7)
    monkeypatch.setattr(due_lookup, "_MOST_EVALUATORS", 7)
    assert replay_table_days([day])[0].digest == usual.digest
    made = [weakref.ref(each) for kept in evaluator._EVALUATORS.values() for each in kept.values()]
    for _ in range(2):
        assert replay_table_days([day])[0].digest == usual.digest
    assert len(evaluator._EVALUATORS) <= 7
    assert made and not any(each() for each in made)
    (automata,) = evaluator._AUTOMATA.values()
    assert len(automata.seat._members) <= 7


@pytest.mark.parametrize("pays", [True, False])
def test_no_verdict_depends_on_whether_following_pays(
    pays: bool, pit: list[TableDay], forget: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    days = [*pit, *map(mostly_irregular, pit)]
    usual = [day.digest for day in replay_table_days(days)]
    forget()
    monkeypatch.setattr(Automaton, "pays", pays)
    assert [day.digest for day in replay_table_days(days)] == usual


@pytest.mark.usefixtures("forget")
def test_where_most_seats_break_rules_they_are_judged_singly_only_and_followed_again_now_and_then(
    pit: list[TableDay], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Banks and rounds, most of them regular, are followed always."""
    day, followed = mostly_irregular(pit[0]), Counter[Subject]()
    symbols = Histories.symbols

    def counted(histories: Histories, of: HistoryKind[Begin, Of], *more: Any) -> Any:
        followed[of.subject] += 1
        return symbols(histories, of, *more)

    monkeypatch.setattr(Histories, "symbols", counted)
    monkeypatch.setattr(automaton, "MANY", 50)
    (usual,) = replay_table_days([day])
    assert {replay_table_days([day])[0].digest for _ in range(automaton.AGAIN)} == {usual.digest}
    assert followed == {Subject.SEAT: 1, Subject.BANK: 1 + automaton.AGAIN, Subject.ROUND: 1 + automaton.AGAIN}
    replay_table_days([day])
    assert followed[Subject.SEAT] == 2


@pytest.mark.usefixtures("forget")
def test_seats_are_left_to_be_judged_singly_for_as_long_beside_those_of_another_regulation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened = "open:black_jack:MOP:7=0 option:regulation={}"
    lawful = "#{} 1.main=100@p1 nomore 1+Tc B+6h 1+8d 1.stand B+Ts B+9s 1.main>100@p1 end"
    texts = (
        "\n".join([opened.format(version), *(each.format(number) for number in range(1, 31))])
        for version, each in (("bj.57-2009", lawful.replace(".stand", ".dance")), ("bj.56-2004", lawful))
    )
    days = [TableDay(f"T{number}", DAY, frame_of(text)) for number, text in enumerate(texts)]
    followed, judge = Counter[int](), Automaton.judge

    def counted(self: Automaton[Any, Any, Any, Any], members: Any, *histories: Any) -> Any:
        followed[id(self)] += len(members)
        return judge(self, members, *histories)

    monkeypatch.setattr(automaton, "MANY", 20)
    replay_table_days(days)
    irregular, lawful_too = (evaluator._AUTOMATA[key].seat for key in evaluator._AUTOMATA)
    monkeypatch.setattr(Automaton, "judge", counted)
    for _ in range(automaton.AGAIN):
        replay_table_days(days)
    assert (followed[id(irregular)], followed[id(lawful_too)]) == (0, 30 * automaton.AGAIN)


def mostly_irregular(day: TableDay) -> TableDay:
    """The table-day with decisions that no law knows."""
    unknown = pl.lit("wave", dtype=day.events.schema["decision_action"])
    decisions = pl.when(pl.col("decision_action").is_not_null()).then(unknown).alias("decision_action")
    return dataclasses.replace(day, events=day.events.with_columns(decisions))


# Tables that elected other options


RECORDED = ((), ("turns", "stands"), ("totals", "turns"))


@pytest.mark.parametrize("seed", few(range(12), 2))
def test_tables_that_share_an_automaton_are_judged_as_if_each_had_its_own(
    seed: int, forget: Callable[[], None]
) -> None:
    dice = random.Random(seed)
    made = [some_round(dice, unlawful=UNLAWFUL) for _ in range(12)]
    texts = [notation(each, number) for number, each in enumerate(made, 1)]
    rules = [evaluator_of(each.house).rules for each in made]
    of_tables = [dataclasses.replace(each, recorded=frozenset(dice.choice(RECORDED))) for each in rules]
    forget()
    shared = [evaluator.evaluator_of(BLACK_JACK, each) for each in of_tables]
    of_seats = {each.seat.automaton for each in shared}
    assert len(of_seats) == len({each.regulation for each in rules}) < len(of_tables)
    for asked in shared:
        assert judged(BLACK_JACK, texts, asked) == judged(BLACK_JACK, texts, Evaluator(BLACK_JACK, asked.rules))


@pytest.mark.usefixtures("forget")
def test_nearly_all_of_a_lawful_day_is_told_by_tables(pit: list[TableDay], monkeypatch: pytest.MonkeyPatch) -> None:
    alone: Counter[Subject] = Counter()
    build = Histories.build

    def counted(histories: Histories, of: HistoryKind[Begin, Of], keys: pl.Series, game: Game) -> object:
        alone[of.subject] += keys.len()
        return build(histories, of, keys, game)

    monkeypatch.setattr(Histories, "build", counted)
    seats = sum(made.judged.histories.seats.height for made in map(reconstructed, pit) if made.judged)
    assert seats > 20 * alone.total() > 0


def reconstructed(day: TableDay) -> Reconstruction:
    (log,) = inspect_all([day])
    return reconstruct([log], log.opened.game, ReplaySettings())


# Seats from the left


def rounds_as_numbers(game: Game, *rounds: str) -> list[tuple[object, list[int]]]:
    """What an automaton is asked of each round: how it begins, and its symbols by their numbers."""
    histories = histories_of(frame_of("\n".join(rounds), DAY), game)
    symbols = histories.symbols(OF_ROUNDS, histories.rounds["ri"], Numbered(), game)
    of_round = [
        symbols.numbers[at : at + many].tolist() for at, many in zip(symbols.begins, symbols.lengths, strict=True)
    ]
    return list(zip(histories.round_starts("number"), of_round, strict=True))


def test_rounds_whose_seats_have_the_same_order_from_the_left_are_one_to_a_table() -> None:
    text = (
        "#{} {a}.main=100@p1 {b}.main=100@p2 nomore {a}+Kc {b}+9d B+6h {a}+5c {b}+Jd {a}.stand {b}.stand B+Qs B+2s end"
    )
    one, other, turned = rounds_as_numbers(
        BLACK_JACK, *(text.format(number, a=a, b=b) for number, (a, b) in enumerate([(1, 4), (2, 3), (4, 1)], 1))
    )
    assert one[1] == other[1] != turned[1]


def test_a_seat_above_those_of_the_layout_keeps_its_number() -> None:
    deal = "#{0} shuffle:1:machine:1 {0}.ante=100@p1 nomore {0}-Kc {0}-7c {0}-2c B-?? B-?? B-?? end"
    third, fifth, eighth = rounds_as_numbers(FORTUNE, *(deal.format(seat) for seat in (3, 5, 8)))
    assert third == fifth != eighth
