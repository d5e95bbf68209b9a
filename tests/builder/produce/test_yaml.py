"""YAML that is made to break readers, in each of the three places where a site has YAML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sites import Built, build_site
from tests.time_bounds import processor_seconds

LAUGHS = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
MERGES = "b0: &b0 {k0: 0}\n" + "".join(
    f"b{n}: &b{n} {{<<: [{','.join([f'*b{n - 1}'] * 9)}], k{n}: 1}}\n" for n in range(1, 12)
)
DEEP = 10_000

WHOLE: dict[str, str] = {
    "a billion laughs": LAUGHS,
    "a billion merged laughs": MERGES,
    "a cycle": "title: &a [*a]\n",
    "a cycle of mappings": "title: &a {b: *a}\n",
    "a merged cycle": "a: &a\n  <<: *a\n",
    "lists in lists": f"title: {'[' * DEEP}{']' * DEEP}\n",
    "lists without an end": f"title: {'[' * DEEP}\n",
    "mappings in mappings": f"title: {'{a: ' * DEEP}1{'}' * DEEP}\n",
    "dashes": f"title:\n  {'- ' * DEEP}x\n",
    "deeper and deeper": "".join(f"{' ' * n}a:\n" for n in range(500)),
    "an alias of nothing": "title: *nothing\n",
    "two documents": "title: a\n...\n---\ntitle: b\n",
    "a list": "- a\n- b\n",
    "a text": "just text, and no mapping\n",
    "a tab": "title:\n\t- a\n",
    "an open quote": 'title: "a\n',
    "an unknown version": "%YAML 9.9\n---\ntitle: a\n",
    "the character NUL": "title: a\0b\n",
    "an escape that is none": 'title: "\\q"\n',
    "half of a pair": 'title: "\\ud800"\n',
    "many anchors": "".join(f"k{n}: &a{n} *a{n - 1}\n" for n in range(1, 3000)),
    "more keys than there may be": "".join(f"k{n}: 1\n" for n in range(300_000)),
    "a long key": f"? {'k' * 5_000_000}\n: 1\n",
}
"""Mistakes that make a file useless as a whole."""

VALUES: dict[str, str] = {
    "an object": "!!python/object:os.system [ls]",
    "a call": "!!python/object/apply:os.system ['touch pwned']",
    "a name": "!!python/name:os.system",
    "a module": "!!python/module:os",
    "a tuple": "!!python/tuple [1, 2]",
    "a tag of one's own": "!mine x",
    "binary": "!!binary aGVsbG8=",
    "a set": "!!set {a, b}",
    "an ordered mapping": "!!omap [a: 1]",
    "no number": ".nan",
    "no end": ".inf",
    "a number that overflows": "1.0e+9999",
    "a huge number": "9" * 5_000,
    "a huge hexadecimal number": "0x" + "f" * 5_000,
    "a huge number in sixties": "1" + ":59" * 2_000,
    "a number of 65 bit": "18446744073709551616",
    "an impossible date": "2024-99-99",
    "an impossible time": "2024-01-01T99:99:99Z",
    "a date": "2024-01-01",
    "a list": "[a, b]",
    "a mapping": "{a: b}",
    "a number": "12",
    "a flag": "true",
}
"""Values that no field can have."""

FIELDS = (
    "title",
    "label",
    "description",
    "sidebar_position",
    "position",
    "collapsed",
    "nav",
    "redirects",
)


def frontmatter(yaml: str) -> dict[str, str]:
    return {"docs/x.md": f"---\n{yaml}---\n# Good words\n"}


def category(yaml: str) -> dict[str, str]:
    return {"docs/in/_category_.yml": yaml, "docs/in/x.md": "# Good words\n"}


def configuration(yaml: str) -> dict[str, str]:
    return {"site.yml": yaml, "docs/x.md": "# Good words\n"}


Place = Callable[[str], dict[str, str]]
PLACES: list[Place] = [frontmatter, category, configuration]


def built(folder: Path, place: Place, yaml: str) -> Built:
    """Build a site with the text in one of the places, and a page beside it."""
    files = {"site.yml": "title: T\n", "docs/fine.mdx": "Fine words\n", **place(yaml)}
    with processor_seconds(5):  # each takes a small part of one
        found = build_site(folder, files)
    assert "Fine words" in found.text("docs/fine.html")
    assert not any("pwned" in path.name for path in Path().iterdir())
    return found


NO_FRONTMATTER = {"two documents", "a list", "a text"}
"""Between lines `---` these are a mapping that ends early, and text of the page between two rules."""


@pytest.mark.parametrize(
    ("name", "place"),
    [
        (name, place)
        for place in PLACES
        for name in WHOLE
        if place is not frontmatter or name not in NO_FRONTMATTER
    ],
)
def test_yaml_that_breaks_readers_is_an_error_at_a_line(tmp_path: Path, name: str, place: Place) -> None:
    found = built(tmp_path, place, WHOLE[name])
    file = next(iter(place("")))
    told = [each for each in found.diagnostics if each.file == file]
    assert told
    assert any(each.line for each in told if each.code != "page-too-large") or len(WHOLE[name]) > 60_000
    if place is not frontmatter:
        assert any(b"Good words" in data for data in found.output.written.values())


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", VALUES)
def test_values_that_no_field_can_have_are_named(tmp_path: Path, name: str, place: Place) -> None:
    value = VALUES[name]
    found = built(tmp_path, place, "".join(f"{field}: {value}\n" for field in FIELDS))
    file = next(iter(place("")))
    told = [each for each in found.diagnostics if each.file == file]
    assert told
    assert all(1 <= each.line <= len(FIELDS) + 2 and each.message for each in told)
    assert not any(b"9999999999" in data for data in found.output.written.values())
