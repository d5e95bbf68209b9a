"""Quotes of a source in a diagnostic are short, however long the name there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.diagnostics import Diagnostic
from tests.sites import build_site

LONG = "a" * 200_000
READABLE = 450
"""Characters; a message is read on a terminal, and the preview sends all of them to the browser."""

LONG_NAMES = {
    "a component": f"<C{LONG}/>",
    "an element": f"<{LONG}>x",
    "an admonition": f":::{LONG}",
    "an attribute": f'<Card {LONG}="b"/>',
    "an icon in text": f":icon-{LONG}:",
    "an icon": f'<Card title="a" icon="{LONG}"/>',
    "a colour": f'<Callout color="{LONG}">a</Callout>',
    "a host": f'<Embed src="https://{"a." * 50_000}example/x"/>',
    "a place": f"[a](#{LONG})",
    "a page": f"[a]({LONG})",
    "a heading": f"## a {{#{LONG}}}\n\n## b {{#{LONG}}}\n",
    "a name with ticks": f"[a](#{'`a' * 50_000})",
    "a frontmatter field": f"---\n{LONG[:60_000]}: 1\n---\n",
    "a frontmatter value": f"---\ndraft: {LONG[:60_000]}\n---\n",
}


@pytest.mark.parametrize("source", LONG_NAMES.values(), ids=LONG_NAMES)
def test_a_name_of_any_length_is_quoted_shortly(tmp_path: Path, source: str) -> None:
    built = build_site(tmp_path, {"site.yml": "title: T\nplan: premium\n", "docs/a.mdx": source})
    assert built.diagnostics
    assert max(len(found.message) for found in built.diagnostics) < READABLE
    assert max(len(found.hint) for found in built.diagnostics) < READABLE


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"there is no `{'x' * 80}` here", f"there is no `{'x' * 80}` here"),
        (f"there is no `{'x' * 100}y` here", f"there is no `{'x' * 49}…{'x' * 29}y` here"),
        (f"`a` and `{'x' * 99}`, not `b`", f"`a` and `{'x' * 49}…{'x' * 30}`, not `b`"),
        (f"`a` {'x' * 90} `b`", f"`a` {'x' * 90} `b`"),
        (f"it {'x' * 500}!", f"it {'x' * 246}…{'x' * 149}!"),
    ],
)
def test_what_is_cut_keeps_its_beginning_and_its_end(said: str, shown: str) -> None:
    found = Diagnostic("docs/a.md", 1, 1, "component-unknown", said)
    assert found.message == shown


def test_site_yml_is_quoted_shortly_too(tmp_path: Path) -> None:
    name = LONG[:1000]
    config = f"{name}: 1\nlanguage: {LONG}\nredirects:\n  {name}: /x\nnav:\n  - {name}: 2\n"
    built = build_site(tmp_path, {"site.yml": config, "docs/a.md": "# A\n"})
    assert len(built.diagnostics) >= 4
    assert max(len(text) for found in built.diagnostics for text in (found.message, found.hint)) < READABLE
