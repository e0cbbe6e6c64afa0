"""Every ruling of the register acts somewhere in the engine, and every reading of it can."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

import pytest

from replayer.law.ruling_sites import ruling_sites, scopes
from replayer.law.rulings import register

RULINGS = register()
IN_DOUBT = {name: ruling for name, ruling in RULINGS.items() if len(ruling.readings) > 1}


def words_about(ruling: str) -> frozenset[str]:
    """The texts and keywords in the functions that name a ruling, in those that call one of these and that these call.

    A reading that changes anything is among them, but for one that holds where no other does.
    """
    naming = [scope for scope in scopes() if ruling in scope.texts]
    names = {scope.name.rpartition(".")[2] for scope in naming}
    called = {name for scope in naming for name in scope.calls} | names
    near = [scope for scope in scopes() if names & scope.calls or called & {*scope.name.split(".")}]
    held = frozenset(text for scope in (*naming, *near) for text in scope.texts)
    return held | {_constants().get(text, text) for text in held}


@cache
def _constants() -> Mapping[str, str]:
    """Texts that have a name at the top of some module."""
    named: defaultdict[str, list[str]] = defaultdict(list)
    for scope in scopes():
        if scope.name.isupper() and len(scope.texts) == 1:
            named[scope.name].extend(scope.texts)
    return {name: texts[0] for name, texts in named.items() if len(set(texts)) == 1}


@pytest.mark.parametrize("ruling", RULINGS)
def test_every_ruling_is_asked_somewhere(ruling: str) -> None:
    assert ruling_sites()[ruling]


@pytest.mark.parametrize("ruling", IN_DOUBT)
def test_no_two_readings_go_unnamed_where_the_ruling_is_asked(ruling: str) -> None:
    """One reading may be what holds otherwise; a second one that no code names could change nothing."""
    unnamed = {*IN_DOUBT[ruling].readings} - words_about(ruling)
    assert len(unnamed) <= 1


def test_a_docstring_is_no_place_where_a_ruling_acts() -> None:
    """``rulings.py`` speaks of BJ-3 in its docstring; the rule itself stands with the bank's drawing."""
    assert [*ruling_sites()["BJ-3"]] == ["replayer/law/black_jack/drawing.py:Soft17._is_soft_17"]


def test_a_reading_that_nothing_consults_would_be_missed() -> None:
    assert "no_such_reading" not in words_about("BJ-3")
    assert {"any_soft", "literal_contains"} <= words_about("BJ-3")
