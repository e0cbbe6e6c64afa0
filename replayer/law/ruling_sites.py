"""Finds the places in the source code where each ruling takes effect.

A rule consults ``readings("BJ-3")``, or passes the id to something that does (``Readings.answer``, ``Doubt``, a field of an
article's record). Either way its source names the id, and this finds it; docstrings do not count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from replayer.law.rulings import register

_ROOM: Final = "replayer"


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """A place that names a ruling: file, the function or name that holds it, and the line."""

    file: str
    within: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.within}"


@dataclass(slots=True)
class Scope:
    """The texts and the names called in a function, or in a module outside its functions."""

    file: str
    name: str
    texts: list[tuple[str, int]] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)


@cache
def ruling_sites() -> Mapping[str, tuple[Site, ...]]:
    """Every ruling of the register with the places that name it; none where nothing does."""
    found: dict[str, list[Site]] = {ruling: [] for ruling in register()}
    for scope in scopes():
        for text, line in scope.texts:
            if text in found:
                found[text].append(Site(scope.file, scope.name, line))
    return {ruling: tuple(dict.fromkeys(sorted(sites))) for ruling, sites in found.items()}


@cache
def scopes() -> tuple[Scope, ...]:
    """Every function of the package, and the rest of every module."""
    room = resources.files(_ROOM)
    files = dict(_sources(room, ""))
    return tuple(scope for path in sorted(files) for scope in _read(path, files[path]))


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        where = f"{path}/{entry.name}" if path else entry.name
        if entry.is_dir():
            yield from _sources(entry, where)
        elif entry.name.endswith(".py"):
            yield f"{_ROOM}/{where}", entry


def _read(path: str, file: Traversable) -> Iterator[Scope]:
    reader = _Reader(path)
    reader.visit(ast.parse(file.read_text(encoding="utf-8")))
    yield from reader.scopes.values()


class _Reader(ast.NodeVisitor):
    """Walks a module and notes the function, class or top-level name of each place."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.within: list[str] = []
        self.scopes: dict[str, Scope] = {}

    def _scope(self) -> Scope:
        name = ".".join(self.within) or "module"
        return self.scopes.setdefault(name, Scope(self.path, name))

    def _inside(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        for outer in (*node.decorator_list, *(node.bases if isinstance(node, ast.ClassDef) else ())):
            self.visit(outer)
        self.within.append(node.name)
        if isinstance(node, ast.FunctionDef):
            self.visit(node.args)
        for statement in node.body:
            self.visit(statement)
        self.within.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._inside(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._inside(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._assigned(node.target, node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._assigned(node.targets[0], node.value)

    def _assigned(self, target: ast.expr, value: ast.expr | None) -> None:
        """At the top level of a module a value belongs to its name."""
        if value is None:
            return
        if not self.within and isinstance(target, ast.Name):
            self.within.append(target.id)
            self.visit(value)
            self.within.pop()
        else:
            self.visit(value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a text that stands alone is a docstring
            self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._scope().texts.append((node.value, node.lineno))

    def visit_Name(self, node: ast.Name) -> None:
        if node.id.isupper():  # a constant that may stand for a text
            self._scope().texts.append((node.id, node.lineno))

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        self._scope().calls.add(called)
        self._scope().texts.extend((each.arg, node.lineno) for each in node.keywords if each.arg)
        self.generic_visit(node)
