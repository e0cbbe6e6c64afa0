"""The source code that implements an article: the lines of its record, and the classes that hold its rules."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import PurePosixPath
from types import ModuleType
from typing import Any

from replayer.law.choice import Choice
from replayer.law.provision import NotModelled, Provision
from replayer.law.reading import Article
from replayer.law.regulation import Version


@dataclass(frozen=True, slots=True)
class Snippet:
    """Some lines of a file, from ``line`` on."""

    file: str
    line: int
    code: str


def record_lines(version: Version, article: Article) -> list[Snippet]:
    """Where the article's record, and those of its parts, are written down in the instrument's own file."""
    found = [snippet for part in article.parts for snippet in _named(version, part)]
    return [*found, *_keyword(version, article)]


def rule_classes(article: Article) -> list[Snippet]:
    """The classes whose methods are the article's rules, with those that they build on."""
    kinds = dict.fromkeys(
        kind for part in article.parts for value in (part, *_helpers(part)) for kind in _own(type(value))
    )
    return [_class(kind) for kind in kinds]


def _own(kind: type) -> Iterator[type]:
    for each in kind.__mro__:
        if each.__module__.startswith("replayer.law.") and each not in (Provision, NotModelled):
            yield each


def _helpers(record: Provision) -> list[Any]:
    """Records within a record that are no articles and no options: how the bank acts on seventeen, say."""
    values = [getattr(record, each.name) for each in fields(record)]
    return [value for value in values if is_dataclass(value) and not isinstance(value, Provision | Choice)]


def _class(kind: type) -> Snippet:
    lines, first = inspect.getsourcelines(kind)
    return Snippet(_path(inspect.getmodule(kind)), first, "".join(lines).rstrip())


def _named(version: Version, record: Provision) -> Iterator[Snippet]:
    """Assignments at the top of a module whose value is the record."""
    for module, name, node, source in _assignments(_package(version)):
        if getattr(module, name) is record:
            yield Snippet(_path(module), node.lineno, ast.get_source_segment(source, node) or "")


def _keyword(version: Version, article: Article) -> Iterator[Snippet]:
    """The argument ``artN=`` of a regulation that has this very record, where it is more than a name."""
    for module, name, node, source in _assignments(_package(version)):
        regulation = getattr(module, name)
        if getattr(regulation, article.field, None) is not article.record:
            continue
        for each in ast.walk(node):
            if isinstance(each, ast.keyword) and each.arg == article.field and not isinstance(each.value, ast.Name):
                lines = source.splitlines()[each.lineno - 1 : each.end_lineno]
                yield Snippet(_path(module), each.lineno, inspect.cleandoc("\n" + "\n".join(lines)))


def _package(version: Version) -> str:
    return str(type(version.regulation).__module__).rpartition(".")[0]


@cache
def _assignments(package: str) -> list[tuple[ModuleType, str, ast.stmt, str]]:
    """Every named value at the top of a package's modules, with its statement and the module's source."""
    found: list[tuple[ModuleType, str, ast.stmt, str]] = []
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        module = importlib.import_module(info.name)
        source = inspect.getsource(module)
        for node in ast.parse(source).body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            found += [(module, each.id, node, source) for each in targets if isinstance(each, ast.Name)]
    return found


def _path(module: ModuleType | None) -> str:
    return str(PurePosixPath(*module.__name__.split(".")).with_suffix(".py")) if module is not None else ""
