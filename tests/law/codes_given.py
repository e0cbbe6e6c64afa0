"""The codes that a machine can give, read from its code: those named in its steps and its end, and in the articles they ask."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import FunctionType, ModuleType
from typing import Any, Final

from replayer.law.regulation import Provision
from schemas.finding import Code

Function = Callable[..., Any]
LAW: Final = "replayer.law."


def codes_given(regulations: Iterable[object], *roots: type | Function) -> set[str]:
    """The codes that functions (all those of a class) can give under some of the regulations.

    A call of a method is followed to the article that it names (``regulation.deal.without_bet``), or, where it names none, to
    every article that has such a method: rather a code too many than one too few.
    """
    codes: set[str] = set()
    for regulation in regulations:
        articles = {name: value for name, value in _values(regulation) if isinstance(value, Provision)}
        pending = [function for root in roots for function in _functions(root)]
        done = set(pending)
        while pending:
            for named in _named(pending.pop(), articles):
                if isinstance(named, Code):
                    codes.add(named)
                elif named not in done:
                    done.add(named)
                    pending.append(named)
    return codes


def violations() -> set[str]:
    """The codes named in any function of the law that makes a violation, or that hands a code to a method of its own class."""
    named: set[str] = set()
    for module in [name for name in sys.modules if name.startswith(LAW)]:
        for value in vars(sys.modules[module]).values():
            for function in _functions(value) if isinstance(value, FunctionType | type) else ():
                if any(_makes_a_violation(node, function) for node in _nodes(function)):
                    named |= {each for each in _named(function, {}) if isinstance(each, Code)}
    return named


def _makes_a_violation(node: ast.AST, function: Function) -> bool:
    match node:
        case ast.Name("Violation"):
            return True
        case ast.Call(ast.Attribute(ast.Name("self")), [ast.Name(code), *_]):
            return isinstance(function.__globals__.get(code), Code)
    return False


def _values(regulation: object) -> Iterator[tuple[str, object]]:
    for name in dir(regulation):
        if not name.startswith("_"):
            yield name, getattr(regulation, name)


def _functions(root: type | Function) -> Iterator[Function]:
    for each in vars(root).values() if isinstance(root, type) else (root,):
        function = inspect.unwrap(getattr(each, "fget", each))
        if isinstance(function, FunctionType) and function.__module__.startswith(LAW) and function.__name__[:2] != "__":
            yield function


def _named(function: Function, articles: dict[str, Provision]) -> Iterator[Code | Function]:
    """The codes and the functions of the law that a function names."""
    for node in _nodes(function):
        match node:
            case ast.Name(name):
                yield from _of_the_law(function.__globals__.get(name))
            case ast.Call(ast.Attribute(ast.Name(module), name)) if isinstance(
                function.__globals__.get(module), ModuleType
            ):
                yield from _of_the_law(getattr(function.__globals__[module], name, None))
            case ast.Call(ast.Attribute(ast.Name("self"), name)):
                yield from _methods(name, (each for each in articles.values() if _has(each, function)))
            case ast.Call(ast.Attribute(ast.Name(of) | ast.Attribute(_, of), name)) if of in articles:
                yield from _methods(name, [articles[of]])
            case ast.Call(ast.Attribute(_, name)):
                yield from _methods(name, articles.values())


def _of_the_law(value: object) -> Iterator[Code | Function]:
    function = inspect.unwrap(value) if callable(value) else None
    if isinstance(value, Code):
        yield value
    elif isinstance(function, FunctionType) and function.__module__.startswith(LAW):
        yield function


def _has(article: Provision, method: Function) -> bool:
    return any(method in _functions(cls) for cls in type(article).__mro__)


def _methods(name: str, articles: Iterable[Provision]) -> Iterator[Function]:
    for article in articles:
        yield from _functions(inspect.getattr_static(type(article), name, None))


@cache
def _nodes(function: Function) -> list[ast.AST]:
    return list(ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))))
