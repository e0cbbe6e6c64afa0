"""What judges runs within a query of the column engine, and is to whoever asks as if it did not."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import polars as pl
import pytest

from replayer.processes.judging import within_a_query


@within_a_query
def added(numbers: list[int], *, more: int = 0) -> int:
    """Ask the column engine as judging does."""
    return (
        int(pl.DataFrame({"number": numbers}).filter(pl.col("number") > 0).select(pl.col("number").sum()).item()) + more
    )


def test_it_gives_what_the_work_gives_and_does_it_once() -> None:
    times = []
    assert added([1, -2, 3], more=10) == 14
    within_a_query(lambda: times.append(1))()
    assert times == [1]


def test_one_within_another_is_the_same() -> None:
    assert within_a_query(lambda: added([1, 2]) + added([3]))() == 6


@pytest.mark.parametrize("error", [KeyError("round"), KeyboardInterrupt(), pl.exceptions.PanicException("index")])
def test_what_it_raises_is_raised_as_it_is(error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(type(error)) as raised:
        within_a_query(fail)()
    assert raised.value is error
    assert added([5]) == 5, "the column engine goes on"


@pytest.mark.parametrize("threads", ["1", "4"])
def test_it_runs_on_the_thread_of_who_asks_where_ctrl_c_reaches_it(threads: str) -> None:
    asked = (
        "import threading; from replayer.processes.judging import within_a_query;"
        "print(all(within_a_query(threading.get_ident)() == threading.get_ident() for _ in range(50)))"
    )
    threaded = os.environ | {"POLARS_MAX_THREADS": threads}
    done = subprocess.run([sys.executable, "-c", asked], env=threaded, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_several_threads_may_ask_at_once() -> None:
    sums: list[int] = []
    asking = [threading.Thread(target=lambda: sums.append(added([*range(1000)]))) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert sums == [499_500] * 8
