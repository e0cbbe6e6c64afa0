"""Spreads work over several processes; the results come back in order."""

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
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from multiprocessing.connection import wait
from typing import Final, Generic, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Share = TypeVar("Share")
Result = TypeVar("Result")

Progress = Callable[[int, int], None]
"""Called with the number of shares done and of all shares."""
_THREADS: Final = "POLARS_MAX_THREADS"


def _begin_worker() -> None:
    """Initialise a worker process. It ends on Ctrl-C, or when its parent was killed, because it would go on writing where the
    next run writes. At exit it skips clean-up, which would keep the parent waiting for a second."""
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
) -> Iterator[Result]:
    """Apply ``work`` to every share; ``workers`` is the number of processes, by default one per core, 1 for this one only.

    Processes are spawned, not forked: a fork of a process with threads may deadlock. A script that uses several must be a file
    and guard its start by ``if __name__ == "__main__"``.

    Args:
        taking_part: whether this process is one of them, as the others take a second to start. It takes shares from one end, the
            others from the other end, each the next one when it is free.
        order: the numbers of the shares in the order in which to take them; neighbours mostly go to one process.
    """
    count = min(workers or os.cpu_count() or 1, len(shares))
    if count <= 1:
        yield from _with_progress(map(work, shares), len(shares), progress)
        return
    # Each process has a core of its own, so the column engine inside it must not start threads for all of them.
    threads = os.environ.get(_THREADS)
    os.environ[_THREADS] = str(max(1, (os.cpu_count() or 1) // count))
    try:
        with _workers(count - taking_part) as pool:
            dispatch = _Dispatch(work, shares, order or range(len(shares)), pool, count - taking_part)
            yield from _with_progress(dispatch.results(taking_part=taking_part), len(shares), progress)
    finally:
        if threads is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = threads


def some_of_size(items: Iterable[Share], sizes: Iterable[int], most: int) -> Iterator[list[Share]]:
    """The items in order, as many at a time as come to at most ``most`` by their sizes, but at least one."""
    some: list[Share] = []
    room = most
    for item, size in zip(items, sizes, strict=True):
        if some and size > room:
            yield some
            some, room = [], most
        some.append(item)
        room -= size
    if some:
        yield some


class _Dispatch(Generic[Share, Result]):
    """Shares that processes take one after the other, and their results."""

    def __init__(
        self, work: Callable[[Share], Result], shares: Sequence[Share], order: Iterable[int], pool: Workers, count: int
    ) -> None:
        self._work = work
        self._shares = shares
        self._pool = pool
        self._count = count
        self._waiting = deque(order)
        self._results: list[Future[Result]] = [Future() for _ in shares]

    def results(self, *, taking_part: bool) -> Iterator[Result]:
        """The results in the order of the shares."""
        yielded = 0
        try:
            for _ in range(self._count):
                self._hand_out()
            while taking_part and (mine := self._next(own=True)) is not None:
                self._results[mine].set_result(self._work(self._shares[mine]))
                while yielded < len(self._results) and self._results[yielded].done():
                    yield self._results[yielded].result()
                    yielded += 1
            yield from (future.result() for future in self._results[yielded:])
        finally:
            self._waiting.clear()

    def _next(self, *, own: bool) -> int | None:
        try:
            return self._waiting.pop() if own else self._waiting.popleft()
        except IndexError:
            return None

    def _hand_out(self) -> None:
        """Give another process the next waiting share."""
        number = self._next(own=False)
        if number is None:
            return
        try:
            self._pool.submit(self._work, self._shares[number]).add_done_callback(partial(self._take, number))
        except BrokenProcessPool as error:
            self._results[number].set_exception(error)

    def _take(self, number: int, done: Future[Result]) -> None:
        if (error := done.exception()) is None:
            self._results[number].set_result(done.result())
        else:
            self._results[number].set_exception(error)
        self._hand_out()


@contextmanager
def _interrupted_later() -> Iterator[None]:
    """Ctrl-C waits until the block has run: a process that is left half started prints a traceback. A signal mask alone does not
    do it, as another thread that takes the signal interrupts the main one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


class Workers(ProcessPoolExecutor):
    """Spawned processes that do not outlive their parent."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(count, multiprocessing.get_context("spawn"), _begin_worker)

    def submit(
        self, work: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Future[Result]:
        """Submit as any executor does. A process started here inherits a blocked Ctrl-C, which would print a traceback while it
        imports."""
        with _interrupted_later():
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                return super().submit(work, *args, **kwargs)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @property
    def are_alive(self) -> bool:
        """Whether none was killed since it began, for want of memory, say."""
        try:
            self.submit(int).result()
        except BrokenProcessPool:
            return False
        return True


_KEPT: Final[ContextVar[list[Workers] | None]] = ContextVar("kept", default=None)
"""The processes, if any, that one spread leaves to the next."""


@contextmanager
def keeping_workers() -> Iterator[None]:
    """While the block runs, the processes of a spread stay for the next one, with all that they have learnt.

    They end where a spread fails or is left early, so that none is still at work on what nobody waits for.
    """
    if _KEPT.get() is not None:
        yield
        return
    kept: list[Workers] = []
    before = _KEPT.set(kept)
    try:
        yield
    finally:
        _KEPT.reset(before)
        _end(kept)


@contextmanager
def _workers(count: int) -> Iterator[Workers]:
    """At least so many processes."""
    kept = _KEPT.get()
    if kept is None:
        with Workers(count) as workers:
            yield workers
        return
    try:
        if not kept or kept[0].count < count or not kept[0].are_alive:
            _end(kept)
            kept.append(Workers(count))
        yield kept[0]
    except BaseException:
        _end(kept)
        raise


def _end(kept: list[Workers]) -> None:
    """End processes, once they have done what they are at."""
    while kept:
        kept[0].shutdown()
        kept.pop()


def _with_progress(results: Iterator[Result], total: int, progress: Progress | None) -> Iterator[Result]:
    for done, result in enumerate(results, 1):
        if progress is not None:
            progress(done, total)
        yield result
