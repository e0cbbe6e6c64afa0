"""The source code that implements an article: the lines of its record, its rules by paragraph, and the classes that hold them."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import PurePosixPath
from types import ModuleType
from typing import Any

from flows.sheet.ties import Function, Tie, in_order, modules, package_of
from replayer.law.articles import Article
from replayer.law.choice import Choice
from replayer.law.regulation import Paragraph, Provision, Version


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
