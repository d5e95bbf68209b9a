"""The versions that CI tests with are plain pins of everything that the package names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "requirements-dev.txt").read_text("utf-8").splitlines()
PINS = [line for line in LINES if not line.startswith("#")]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def _named() -> list[Requirement]:
    lists = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    named = [Requirement(each) for part in lists for each in part]
    return [each for each in named if each.name != PROJECT["name"]]


def test_a_pin_is_a_name_and_a_version_and_nothing_else() -> None:
    assert sorted(set(PINS)) == PINS
    assert [pin for pin in PINS if not re.fullmatch(r"[a-z0-9._-]+==[0-9][0-9A-Za-z.+]*", pin)] == []


def test_every_dependency_is_pinned_to_a_version_that_the_package_allows() -> None:
    pairs = [pin.split("==") for pin in PINS]
    versions = {canonicalize_name(name): version for name, version in pairs}
    wrong = [
        str(each)
        for each in _named()
        if not each.specifier.contains(versions.get(canonicalize_name(each.name), "0"))
    ]
    assert wrong == []
