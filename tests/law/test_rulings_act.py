"""Every ruling of the register acts somewhere in the engine, and every reading of it can."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

import pytest

from replayer.law.ruling_sites import Scope, ruling_sites, scopes
from replayer.law.rulings import register

RULINGS = register()
IN_DOUBT = {name: ruling for name, ruling in RULINGS.items() if len(ruling.readings) > 1}


@cache
def words_in(scope: Scope) -> frozenset[str]:
    """Its texts, the names of constants and of arguments, which may stand for a text."""
    words = set(scope.texts())
    for node in ast.walk(scope.source):
        match node:
            case ast.Name(constant) if constant.isupper():
                words.add(constant)
            case ast.keyword(str() as argument):
                words.add(argument)
    return frozenset(words)


@cache
def calls_in(scope: Scope) -> frozenset[str]:
    """The names of the functions that it calls."""
    calls = (node.func for node in ast.walk(scope.source) if isinstance(node, ast.Call))
    return frozenset(call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls)


def words_about(ruling: str) -> frozenset[str]:
    """The texts and keywords in the functions that name a ruling, in those that call one of these and that these call.

    A reading that changes anything is among them, but for one that holds where no other does.
    """
    naming = [scope for scope in scopes() if ruling in words_in(scope)]
    names = {scope.name.rpartition(".")[2] for scope in naming}
    called = {name for scope in naming for name in calls_in(scope)} | names
    near = [scope for scope in scopes() if names & calls_in(scope) or called & {*scope.name.split(".")}]
    held = frozenset(text for scope in (*naming, *near) for text in words_in(scope))
    return held | {_constants().get(text, text) for text in held}


@cache
def _constants() -> Mapping[str, str]:
    """Texts that have a name at the top of some module."""
    named: defaultdict[str, list[str]] = defaultdict(list)
    for scope in scopes():
        if scope.name.isupper() and len(words_in(scope)) == 1:
            named[scope.name].extend(words_in(scope))
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
