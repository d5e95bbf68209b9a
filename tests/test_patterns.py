"""Rules for every regular expression of the product."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from re import _constants, _parser  # type: ignore[attr-defined]

import pytest

import builder
import components
import server
from builder.lazy_regex import _Lazy

NAMES = sorted(
    module.name
    for package in (builder, components, server)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__")
)


def patterns(value: object) -> Iterator[re.Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, _Lazy):
        yield re.compile(*value._given)
    elif isinstance(value, dict):
        yield from patterns(list(value.values()))
    elif isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from patterns(part)


def possessive_groups(tree: object) -> Iterator[object]:
    """The parts of a parsed pattern that are `(...)*+`, `(?>...)`, or the like of more than one character."""
    for operation, argument in tree if isinstance(tree, _parser.SubPattern) else ():
        parts = argument if isinstance(argument, tuple | list) else (argument,)
        if operation is _constants.ATOMIC_GROUP:
            yield operation
        if operation is _constants.POSSESSIVE_REPEAT:
            one = len(argument[2]) == 1 and argument[2][0][0] in {
                _constants.IN,
                _constants.LITERAL,
                _constants.NOT_LITERAL,
                _constants.ANY,
            }
            yield from () if one else (operation,)
        for part in parts:
            for inner in part if isinstance(part, list) else (part,):
                yield from possessive_groups(inner)


@pytest.mark.parametrize(
    "pattern", [r"(?:a|bc)*+", r"(x)(?:ab)++", r"(?>a*)", r"a|(?:b(?:c.)?+)", r"(?!(?:a|bc)*+)"]
)
def test_such_a_part_is_found_wherever_it_stands(pattern):
    assert list(possessive_groups(_parser.parse(pattern)))


@pytest.mark.parametrize("name", NAMES)
def test_only_single_characters_are_repeated_possessively(name):
    """Python 3.11.2, which Debian 12 brings, is wrong on groups (CPython issue 106052, mended in 3.11.5)."""
    for pattern in patterns(vars(import_module(name))):
        found = list(possessive_groups(_parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)))
        assert not found, pattern.pattern
