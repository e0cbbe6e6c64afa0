"""Work in shares, on several processes or in this one; the shares' results come back in their order."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.connection import wait
from typing import Final, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Share = TypeVar("Share")
Result = TypeVar("Result")

Progress = Callable[[int, int], None]
"""Called with the shares that are done and their number."""
_THREADS: Final = "POLARS_MAX_THREADS"


def spread(
    work: Callable[[Share], Result],
    shares: Sequence[Share],
    workers: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """``work`` on every share; ``workers`` is the number of processes, by default one a core, 1 for none but this one.

    Processes are started afresh, not forked: a fork of a process with threads may never come back. A script that asks for
    several must be a file and guard its own start by ``if __name__ == "__main__"``.
    """
    count = min(workers or os.cpu_count() or 1, len(shares))
    if count <= 1:
        yield from _with_progress(map(work, shares), len(shares), progress)
        return
    # Each process has a core of its own, so the column engine inside it must not start threads for all of them.
    threads = os.environ.get(_THREADS)
    os.environ[_THREADS] = str(max(1, (os.cpu_count() or 1) // count))
    try:
        with Workers(count) as pool:
            yield from _with_progress(pool.map(work, shares), len(shares), progress)
    finally:
        if threads is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = threads


def begin_worker() -> None:
    """What a worker does first. It ends when Ctrl-C asks for it, or when the process that started it was killed: it would go on
    writing where the next run writes. Without more to do it ends as a forked one: who started it waits, and to clear away all
    that it holds takes a second."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    atexit.register(os._exit, 0)
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch(sentinel: int) -> None:
        wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()


class Workers(ProcessPoolExecutor):
    """Processes that are started afresh, and do not outlive the one that starts them. ``begin`` calls ``begin_worker``."""

    def __init__(self, count: int, begin: Callable[[], object] = begin_worker) -> None:
        super().__init__(count, multiprocessing.get_context("spawn"), begin)

    def submit(
        self, work: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Future[Result]:
        """As any executor's. A process that this starts inherits that Ctrl-C waits: while it imports it would answer it with a
        traceback."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(work, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _with_progress(results: Iterator[Result], total: int, progress: Progress | None) -> Iterator[Result]:
    for done, result in enumerate(results, 1):
        if progress is not None:
            progress(done, total)
        yield result
