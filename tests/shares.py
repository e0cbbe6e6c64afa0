"""How the tests are shared out: between ``make test`` and ``make prove``, and among the processes of the former.

Each process begins with other tests, so that every server is started by one of them only.

xdist deals the list of tests in equal runs, one a process, and lets whoever has finished take from the end of the longest
queue. So the tests that need a server stand at the head of one run, the long ones with brokers of their own at another's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import pytest

SERVERS = {"lone_broker": 2, "prefect_api": 0, "kafka_key": 3, "kafka_bootstrap": 1, "kafka": 1}
"""Fixtures and marks that put a test at the head of a run, and of which; the first that it has."""


def dealt(items: Sequence[pytest.Item], processes: int) -> list[pytest.Item]:
    """The same tests, in runs for so many processes; in the order that they had where there is one."""
    if processes < 2:
        return list(items)
    heads: list[list[pytest.Item]] = [[] for _ in range(processes)]
    rest = []
    for item in items:
        needed = {*getattr(item, "fixturenames", ()), *(mark.name for mark in item.iter_markers())}
        head = next((run for name, run in SERVERS.items() if name in needed), None)
        (rest if head is None else heads[head % processes]).append(item)
    waiting, left, order = iter(rest), len(items), []
    for number, own in enumerate(heads):
        whole = left // (processes - number)
        order += [*own, *islice(waiting, max(0, whole - len(own)))]
        left -= whole
    return [*order, *waiting]


class _Asked:
    """What the run asks for, known before the tests are collected: thousands that nobody asks for need not be."""

    proofs = True


def collect(marks: str) -> None:
    """Have the tests collected that the expression of ``-m`` asks for."""
    _Asked.proofs = marks != "not prove"


def few(values: Iterable[Any], first: int) -> list[Any]:
    """Parameters of a test of which ``make test`` tries the first ones, ``make prove`` the others."""
    of_test, others = islice(each := iter(values), first), each
    return [*of_test, *(pytest.param(value, marks=pytest.mark.prove) for value in others if _Asked.proofs)]
