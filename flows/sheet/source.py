"""The source code that implements an article: the lines of its record, the functions of the law tied to its paragraphs, and the
classes that hold its rules.

A function is tied to a paragraph where its source cites it, or refers to the field that holds it: a paragraph is a field of an
article's record (``right: Paragraph = (1,)``), or stands in numbers in a citation (``cite(1)``). What a function refers to is
read from its source, in which names stand for the records of one version.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from itertools import chain
from pathlib import PurePosixPath
from types import ModuleType
from typing import Any, TypeAlias

import replayer.law
from replayer.law.articles import Article, articles
from replayer.law.choice import Choice
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


# What the sheet shows of it


@dataclass(frozen=True, slots=True)
class Snippet:
    """Some lines of a file, from ``line`` on; ``name`` is that of a function, with its class."""

    file: str
    line: int
    code: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """The functions tied to a paragraph, empty for the article as a whole; ``above`` are those that an earlier one showed."""

    paragraph: Paragraph
    functions: Sequence[Snippet]
    above: Sequence[str]


def record_lines(version: Version, article: Article) -> list[Snippet]:
    """Where the records of the article's provisions are written down in the instrument's own file."""
    named = [snippet for part in article.parts for snippet in _named(version, part)]
    return [*named, *(snippet for each in article.provisions.items() for snippet in _keyword(version, *each))]


def rules_by_paragraph(article: Article, tied: Collection[Tie]) -> Iterator[Rules]:
    """The functions tied to an article, by paragraph, its own methods first; last what cites the article as a whole."""
    own = {kind for part in article.parts for kind in type(part).__mro__}
    tied = sorted(tied, key=lambda tie: tie.function.kind not in own)
    paragraphs = {tie.paragraph for tie in tied}
    named = {tie.function for tie in tied if tie.paragraph}
    shown: set[Function] = set()
    for paragraph in sorted(paragraphs, key=lambda each: (not each, in_order(each))):
        here = [tie.function for tie in tied if tie.paragraph == paragraph and (paragraph or tie.function not in named)]
        if here:
            new = [function for function in here if function not in shown]
            yield Rules(paragraph, [_function(each) for each in new], [each.name for each in here if each in shown])
            shown.update(new)


def rule_classes(article: Article, tied: Collection[Tie]) -> list[Snippet]:
    """The classes that hold the article's rules, with those that they build on, without the functions tied to the article."""
    functions = {tie.function for tie in tied}
    kinds = dict.fromkeys(
        kind for part in article.parts for value in (part, *_helpers(part)) for kind in _own(type(value))
    )
    return [_class(kind, [each for each in functions if each.kind is kind]) for kind in kinds]


def _own(kind: type) -> Iterator[type]:
    for each in kind.__mro__:
        if each.__module__.startswith("replayer.law.") and each is not Provision:
            yield each


def _helpers(record: Provision) -> list[Any]:
    """Records within a record that are no articles and no options: how the bank acts on seventeen, say."""
    values = [getattr(record, each.name) for each in fields(record)]
    return [value for value in values if is_dataclass(value) and not isinstance(value, Provision | Choice)]


def _function(function: Function) -> Snippet:
    first, last = function.lines
    lines = inspect.getsource(function.module).splitlines()[first - 1 : last]
    return Snippet(_path(function.module), first, textwrap.dedent("\n".join(lines)), function.name)


def _class(kind: type, without: Collection[Function]) -> Snippet:
    """The source of a class without some of its functions and the empty lines before them."""
    lines, first = inspect.getsourcelines(kind)
    for start, end in sorted((function.lines for function in without), reverse=True):
        del lines[start - first - 1 : end - first + 1]
    return Snippet(_path(inspect.getmodule(kind)), first, "".join(lines).rstrip())


def _named(version: Version, record: Provision) -> Iterator[Snippet]:
    """Assignments at the top of a module whose value is the record."""
    for module, name, node, source in _assignments(package_of(version)):
        if getattr(module, name) is record:
            yield Snippet(_path(module), node.lineno, ast.get_source_segment(source, node) or "")


def _keyword(version: Version, subject: str, record: Provision) -> Iterator[Snippet]:
    """The argument of a regulation that has this very record, where it is more than a name."""
    for module, name, node, source in _assignments(package_of(version)):
        regulation = getattr(module, name)
        if getattr(regulation, subject, None) is not record:
            continue
        for each in ast.walk(node):
            if isinstance(each, ast.keyword) and each.arg == subject and not isinstance(each.value, ast.Name):
                lines = source.splitlines()[each.lineno - 1 : each.end_lineno]
                yield Snippet(_path(module), each.lineno, inspect.cleandoc("\n" + "\n".join(lines)))


@cache
def _assignments(package: str) -> list[tuple[ModuleType, str, ast.stmt, str]]:
    """Every named value at the top of a package's modules, with its statement and the module's source."""
    found: list[tuple[ModuleType, str, ast.stmt, str]] = []
    for module, tree in modules(package):
        source = inspect.getsource(module)
        for node in tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            found += [(module, each.id, node, source) for each in targets if isinstance(each, ast.Name)]
    return found


def _path(module: ModuleType | None) -> str:
    return str(PurePosixPath(*module.__name__.split(".")).with_suffix(".py")) if module is not None else ""
