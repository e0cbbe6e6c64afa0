"""Finds the places in the source code where each ruling takes effect.

A rule consults ``readings("BJ-3")``, or passes the id to something that does (``Readings.answer``, ``Doubt``, a field of an
article's record). Either way its source names the id, and this finds it; docstrings do not count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import replayer
from replayer.law.rulings import register

_PACKAGE: Final = Path(replayer.__file__).parent


@dataclass(frozen=True, slots=True)
class Scope:
    """A function, the rest of a class, a named value at the top of a module, or the rest of a module.

    Attributes:
        file, name: where it stands, and what it is called there, with its class.
        texts: its texts, the names of constants and of arguments, which may stand for a text.
        calls: the names of the functions that it calls.
    """

    file: str
    name: str
    texts: frozenset[str]
    calls: frozenset[str]


@cache
def ruling_sites() -> Mapping[str, tuple[str, ...]]:
    """Every ruling of the register with the places that name it, as ``file:name``; none where nothing does."""
    return {
        ruling: tuple(dict.fromkeys(f"{each.file}:{each.name}" for each in scopes() if ruling in each.texts))
        for ruling in register()
    }


@cache
def scopes() -> tuple[Scope, ...]:
    """Every scope of the package."""
    files = {path.relative_to(_PACKAGE.parent).as_posix(): path for path in _PACKAGE.rglob("*.py")}
    trees = ((name, ast.parse(files[name].read_text(encoding="utf-8"))) for name in sorted(files))
    return tuple(scope for name, tree in trees for scope in _scopes(name, tree.body))


def _scopes(file: str, body: Sequence[ast.stmt], within: str = "") -> Iterator[Scope]:
    for node in body:
        match node:
            case ast.ClassDef(name):
                yield from _scopes(file, node.body, name)
            case ast.FunctionDef(name):
                yield _scope(file, f"{within}.{name}".lstrip("."), node)
            case ast.AnnAssign(ast.Name(name), _, ast.expr() as value) | ast.Assign([ast.Name(name)], value):
                yield _scope(file, within or name, value)
            case _:
                yield _scope(file, within or "module", node)


def _scope(file: str, name: str, source: ast.AST) -> Scope:
    texts, calls, nodes = set[str](), set[str](), [*ast.walk(source)]
    prose = {node.value for node in nodes if isinstance(node, ast.Expr)}  # a text that stands alone is a docstring
    for node in nodes:
        match node:
            case ast.Constant(str() as text) if node not in prose:
                texts.add(text)
            case ast.Name(constant) if constant.isupper():
                texts.add(constant)
            case ast.keyword(str() as argument):
                texts.add(argument)
            case ast.Call(ast.Name(called) | ast.Attribute(attr=called)):
                calls.add(called)
    return Scope(file, name, frozenset(texts), frozenset(calls))
