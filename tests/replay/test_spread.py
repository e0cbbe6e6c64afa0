"""Processes that stay from one spread to the next, and end with the work that needs them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from replayer.processes.spread import keeping_workers, spread

PROCESS = "__import__('os').getpid()"


def other_process() -> int:
    """The other process of a spread over two; it is given the first share."""
    other, _ = spread(eval, [PROCESS, PROCESS], 2, taking_part=True)
    assert other != os.getpid()
    return other


def is_alive(process: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_processes_are_kept_within_the_block_and_end_with_it() -> None:
    with keeping_workers():
        with keeping_workers():
            first = other_process()
        assert other_process() == first
        assert is_alive(first)
    assert not is_alive(first)
    assert not is_alive(other_process())


def test_more_processes_than_were_kept_take_their_place() -> None:
    with keeping_workers():
        first = other_process()
        assert {*spread(eval, [PROCESS] * 6, 3)} != {first}
        assert not is_alive(first)


def test_a_spread_that_fails_leaves_no_process_at_work(tmp_path: Path) -> None:
    slow = f"__import__('time').sleep(1) or open({str(tmp_path / 'done')!r}, 'x').close()"
    with keeping_workers():
        first = other_process()
        with pytest.raises(ZeroDivisionError):
            list(spread(eval, [slow, "1 / 0"], 2, taking_part=True))
        assert (tmp_path / "done").exists()
        assert not is_alive(first)
        assert is_alive(other_process())


def test_a_spread_left_early_leaves_no_process_at_work(tmp_path: Path) -> None:
    slow = f"__import__('time').sleep(1) or open({str(tmp_path / 'done')!r}, 'x').close()"
    with keeping_workers():
        results = spread(eval, [PROCESS, slow, slow], 2)
        first = next(results)
        results.close()
        assert (tmp_path / "done").exists()
        assert not is_alive(first)


def test_a_process_that_was_killed_is_replaced() -> None:
    with keeping_workers():
        first = other_process()
        os.kill(first, signal.SIGKILL)
        assert other_process() != first
        with pytest.raises(RuntimeError):
            list(spread(os._exit, [9, 9], 3))
        assert is_alive(other_process())
