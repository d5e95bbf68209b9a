"""The reach of a test: the functions that it calls, by way of its fixtures and of the helpers of the tests.

Only names are followed, through the code of functions and classes of the tests: a helper that is handed on as
a value, or found by its name in a text, is not seen.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType
from typing import Any

import pytest

OWN = "tests."


def reached(item: pytest.Item) -> frozenset[str]:
    """The full names of all functions and classes that the code of a test names."""
    return frozenset().union(*(_reached(each) for each in _starts(item)))


@cache
def _reached(start: FunctionType | type) -> frozenset[str]:
    seen: dict[FunctionType | type, str] = {}
    ahead: list[Any] = [start]
    while ahead:
        value = inspect.unwrap(ahead.pop())
        if isinstance(value, FunctionType | type) and value not in seen:
            seen[value] = f"{value.__module__}.{value.__qualname__}"
            ahead.extend(_named(value) if value.__module__.startswith(OWN) else ())
    return frozenset(seen.values())


def _starts(item: pytest.Item) -> Iterator[FunctionType | type]:
    """The test, its fixtures, and what both are parametrized with."""
    fixtures = getattr(item, "_fixtureinfo", None)  # pytest has no public name for it
    parameters = getattr(item, "callspec", None)
    found = (
        getattr(item, "function", None),
        *(each[-1].func for each in (fixtures.name2fixturedefs.values() if fixtures else ())),
        *(parameters.params.values() if parameters else ()),
    )
    return (each for each in found if isinstance(each, FunctionType | type))


def _named(value: FunctionType | type) -> Iterator[Any]:
    """Yield what a function's code names of its module, and what a class consists of."""
    if isinstance(value, type):
        yield from vars(value).values()
        return
    for name in _names(value.__code__):
        if name in value.__globals__:
            yield value.__globals__[name]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)
