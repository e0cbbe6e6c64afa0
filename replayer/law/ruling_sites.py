"""Finds the places in the source code where each ruling takes effect.

A rule consults ``readings("BJ-3")``, or passes the id to something that does (``Readings.answer``, ``Doubt``, a field of an
article's record). Either way its source names the id, and this finds it; docstrings do not count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import replayer
from replayer.law.rulings import register

_PACKAGE: Final = Path(replayer.__file__).parent


class Scope(NamedTuple):
    """A function, the rest of a class, a named value at the top of a module, or the rest of a module: the file in which it
    stands, what it is called there, with its class, and its syntax."""

    file: str
    name: str
    source: ast.AST

    def texts(self) -> frozenset[str]:
        """Its texts; one that stands alone is a docstring."""
        nodes = [*ast.walk(self.source)]
        alone = {node.value for node in nodes if isinstance(node, ast.Expr)}
        constants = [node.value for node in nodes if isinstance(node, ast.Constant) and node not in alone]
        return frozenset(text for text in constants if isinstance(text, str))


@cache
def ruling_sites() -> Mapping[str, tuple[str, ...]]:
    """Every ruling of the register with the places that name it, as ``file:name``; none where nothing does."""
    texts_of = [(scope, scope.texts()) for scope in scopes()]
    return {
        ruling: tuple(dict.fromkeys(f"{each.file}:{each.name}" for each, texts in texts_of if ruling in texts))
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
                yield Scope(file, f"{within}.{name}".lstrip("."), node)
            case ast.AnnAssign(ast.Name(name), _, ast.expr() as value) | ast.Assign([ast.Name(name)], value):
                yield Scope(file, within or name, value)
            case _:
                yield Scope(file, within or "module", node)
