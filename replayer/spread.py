"""Work in shares, on several processes or in this one; the shares' results come back in their order."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.connection import wait
from typing import Final, Generic, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Share = TypeVar("Share")
Result = TypeVar("Result")

Progress = Callable[[int, int], None]
"""Called with the shares that are done and their number."""
_THREADS: Final = "POLARS_MAX_THREADS"


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


def spread(
    work: Callable[[Share], Result],
    shares: Sequence[Share],
    workers: int | None = None,
    progress: Progress | None = None,
    *,
    taking_part: bool = False,
    order: Sequence[int] | None = None,
    begin: Callable[[], object] = begin_worker,
) -> Iterator[Result]:
    """``work`` on every share; ``workers`` is the number of processes, by default one a core, 1 for none but this one.

    Processes are started afresh, not forked: a fork of a process with threads may never come back. A script that asks for
    several must be a file and guard its own start by ``if __name__ == "__main__"``.

    Args:
        taking_part: whether this process is one of them: the others take a second to start. It takes shares from one end and they
            from the other, each the next one when it is free.
        order: the numbers of the shares in the order in which they are to be taken; neighbours mostly go to one process.
        begin: what each of the others does first; it calls :func:`begin_worker`.
    """
    count = min(workers or os.cpu_count() or 1, len(shares))
    if count <= 1:
        yield from _with_progress(map(work, shares), len(shares), progress)
        return
    # Each process has a core of its own, so the column engine inside it must not start threads for all of them.
    threads = os.environ.get(_THREADS)
    os.environ[_THREADS] = str(max(1, (os.cpu_count() or 1) // count))
    try:
        with Workers(count - taking_part, begin) as pool:
            dealt = _Dealt(work, shares, order or range(len(shares)), pool)
            yield from _with_progress(dealt.results(taking_part=taking_part), len(shares), progress)
    finally:
        if threads is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = threads


class _Dealt(Generic[Share, Result]):
    """Shares that processes take one after the other, and what each came to."""

    def __init__(
        self, work: Callable[[Share], Result], shares: Sequence[Share], order: Iterable[int], pool: Workers
    ) -> None:
        self._work = work
        self._shares = shares
        self._pool = pool
        self._waiting = deque(order)
        self._made: list[Future[Result]] = [Future() for _ in shares]

    def results(self, *, taking_part: bool) -> Iterator[Result]:
        """The results in the order of the shares."""
        given = 0
        try:
            for _ in range(self._pool.count):
                self._hand_out()
            while taking_part and (mine := self._next(own=True)) is not None:
                self._made[mine].set_result(self._work(self._shares[mine]))
                while given < len(self._made) and self._made[given].done():
                    yield self._made[given].result()
                    given += 1
            yield from (future.result() for future in self._made[given:])
        finally:
            self._waiting.clear()

    def _next(self, *, own: bool) -> int | None:
        try:
            return self._waiting.pop() if own else self._waiting.popleft()
        except IndexError:
            return None

    def _hand_out(self) -> None:
        """Give another process the next share that waits."""
        number = self._next(own=False)
        if number is None:
            return
        try:
            self._pool.submit(self._work, self._shares[number]).add_done_callback(partial(self._take, number))
        except BrokenProcessPool as error:
            self._made[number].set_exception(error)

    def _take(self, number: int, done: Future[Result]) -> None:
        error = done.exception()
        if error is None:
            self._made[number].set_result(done.result())
        else:
            self._made[number].set_exception(error)
        self._hand_out()


class Workers(ProcessPoolExecutor):
    """Processes that are started afresh, and do not outlive the one that starts them. ``begin`` calls ``begin_worker``."""

    def __init__(self, count: int, begin: Callable[[], object] = begin_worker) -> None:
        self.count = count
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
