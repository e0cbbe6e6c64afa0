"""Which functions of the law implement which paragraph: those whose source cites it, or refers to the field that holds it.

A paragraph is a field of an article's record (``right: Paragraph = (1,)``), or stands in numbers in a citation (``cite(1)``).
What a function refers to is read from its source, in which names stand for the records of one version.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from types import ModuleType
from typing import TypeAlias

import replayer.law
from replayer.law.articles import articles
from replayer.law.regulation import Paragraph, Provision, Regulation, Version


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the law, or a method of the class ``kind``."""

    module: ModuleType
    node: ast.FunctionDef
    kind: type | None

    @property
    def name(self) -> str:
        """Its name, with that of its class."""
        return f"{self.kind.__name__}.{self.node.name}" if self.kind else self.node.name

    @property
    def lines(self) -> tuple[int, int]:
        """Its first and its last line in the file, decorators included."""
        return min([self.node.lineno, *(each.lineno for each in self.node.decorator_list)]), self.node.end_lineno or 0


@dataclass(frozen=True, slots=True)
class Tie:
    """A function and a paragraph that it implements; the paragraph is empty for an article as a whole."""

    article: int
    paragraph: Paragraph
    function: Function


def ties(version: Version) -> list[Tie]:
    """Every tie of a version, in the order of the law."""
    if version.regulation is None:
        return []
    found = [
        Tie(article, paragraph, function)
        for function in functions(package_of(version))
        for scope in _scopes(function, version, version.regulation)
        for article, paragraph in dict.fromkeys(scope.places(function.node))
    ]
    return sorted(found, key=lambda tie: (tie.article, in_order(tie.paragraph)))


def package_of(version: Version) -> str:
    """The package that holds the law of a version's game."""
    return type(version.regulation).__module__.rpartition(".")[0]


def in_order(paragraph: Paragraph) -> tuple[tuple[bool, int | str], ...]:
    """What sorts paragraphs as the law has them; its letters and small Roman numbers stand in the order of the alphabet."""
    return tuple((isinstance(step, str), step) for step in paragraph)


_Record: TypeAlias = Provision | Regulation


@dataclass(frozen=True, slots=True)
class _Scope:
    """What the names in a function stand for in a version."""

    regulation: Regulation
    names: Mapping[str, _Record]

    def record(self, node: ast.expr) -> _Record | None:
        """The record that an expression stands for; None where it is none, or not told by names alone."""
        match node:
            case ast.Name(name):
                return self.names.get(name)
            case ast.Attribute(attr="regulation"):
                return self.regulation
            case ast.Attribute(owner, name):
                value = inspect.getattr_static(self.record(owner), name, None)
                return value if isinstance(value, _Record) else None
            case ast.BoolOp(ast.Or(), either):
                return next((record for record in map(self.record, either) if record is not None), None)
        return None

    def places(self, node: ast.AST) -> Iterator[tuple[int, Paragraph]]:
        """The articles and paragraphs to which some source refers."""
        match node:
            case ast.Call(ast.Attribute(owner, "cite"), steps):
                record = self.record(owner)
                if isinstance(record, Provision) and record.number:
                    yield from ((record.number, place if record.numbered else ()) for place in self._cited(steps))
                return
            case ast.Attribute(owner):
                record = self.record(owner)
                if isinstance(record, Provision):
                    yield from ((record.number, place if record.numbered else ()) for place in self._named(node))
        for child in ast.iter_child_nodes(node):
            yield from self.places(child)

    def _cited(self, steps: list[ast.expr]) -> list[Paragraph]:
        """The paragraphs that the arguments of a citation may be; up to the first step that is calculated or chosen."""
        places: list[Paragraph] = [()]
        for step in steps:
            further = list(self._steps(step))
            if not further:
                break
            places = [(*place, *more) for place in places for more in further]
        return places

    def _steps(self, node: ast.expr) -> Iterator[Paragraph]:
        match node:
            case ast.Constant(int() | str() as step):
                yield (step,)
            case ast.IfExp(_, first, second):
                yield from chain(self._steps(first), self._steps(second))
            case ast.Attribute(owner):
                yield from self._named(node) or self._steps(owner)
            case ast.Starred(value) | ast.Subscript(value) | ast.Call(_, [value]):
                yield from self._steps(value)

    def _named(self, node: ast.Attribute) -> list[Paragraph]:
        """The paragraphs in the field of a record."""
        record = self.record(node.value)
        declared = (inspect.get_annotations(kind).get(node.attr, "") for kind in type(record).__mro__)
        if any("Paragraph" in str(each) or "Offer" in str(each) for each in declared):
            return list(_paragraphs(getattr(record, node.attr)))
        return []


def _paragraphs(value: object) -> Iterator[Paragraph]:
    """The paragraphs in the value of a field: itself, or those that it holds."""
    if isinstance(value, tuple) and value and all(isinstance(step, int | str) for step in value):
        yield value
    elif isinstance(value, tuple | Mapping):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _paragraphs(each)


def _scopes(function: Function, version: Version, regulation: Regulation) -> Iterator[_Scope]:
    """For a method one scope for each record whose method it is; for any other function one without ``self``."""
    parts = [part for article in articles(version) for part in article.parts]
    named = {kind.__name__: part for part in parts for kind in type(part).__mro__ if kind is not Provision}
    arguments = function.node.args.args
    given: dict[str, _Record] = {
        each.arg: named[each.annotation.id]
        for each in arguments
        if isinstance(each.annotation, ast.Name) and each.annotation.id in named
    }
    for own in _selves(function, (*parts, regulation)):
        scope = _Scope(regulation, given if own is None else {**given, "self": own})
        for statement in ast.walk(function.node):
            if isinstance(statement, ast.Assign):
                scope = _Scope(regulation, {**scope.names, **dict(_assigned(scope, statement))})
        yield scope


def _selves(function: Function, records: Iterable[_Record]) -> list[_Record | None]:
    """The records whose method a function is, unless their class replaced it; one None for any other function."""
    if function.kind is None or not issubclass(function.kind, _Record):
        return [None]
    name = function.node.name
    return [
        record
        for record in records
        if next((kind for kind in type(record).__mro__ if name in vars(kind)), None) is function.kind
    ]


def _assigned(scope: _Scope, statement: ast.Assign) -> Iterator[tuple[str, _Record]]:
    for target in statement.targets:
        pairs = [(target, statement.value)]
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            pairs = list(zip(target.elts, statement.value.elts, strict=False))
        for name, value in pairs:
            record = scope.record(value)
            if isinstance(name, ast.Name) and record is not None:
                yield name.id, record


@cache
def functions(package: str) -> list[Function]:
    """The functions and methods of a game's law and of the law of every game."""
    found = []
    for module, tree in chain(modules(package), modules(replayer.law.__name__)):
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                found.append(Function(module, node, None))
            elif isinstance(node, ast.ClassDef):
                kind = getattr(module, node.name)
                found += [Function(module, each, kind) for each in node.body if isinstance(each, ast.FunctionDef)]
    return found


def modules(package: str) -> Iterator[tuple[ModuleType, ast.Module]]:
    """The modules of a package, but for packages in it, with their syntax."""
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        if not info.ispkg:
            module = importlib.import_module(info.name)
            yield module, ast.parse(inspect.getsource(module))
