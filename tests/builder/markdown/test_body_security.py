"""Script injection by way of a body: payloads in every place of a page, in both formats, and in components.

What comes out is parsed as a browser does, and compared with lists of what is harmless.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from builder.math import mathml
from builder.paths import Format
from components.attributes import attributes
from components.registry import EXTRAS, components_of
from tests.builder.bodies import rendered
from tests.corpora import payloads
from tests.security import COMPONENTS, MARKDOWN, Allowed, dangers

EVERY = frozenset({*EXTRAS, "keys", "definition-lists"})
REGISTRY = components_of(EVERY)

ALLOWED = Allowed(MARKDOWN.elements | COMPONENTS.elements, MARKDOWN.attributes | COMPONENTS.attributes)

PLACES: dict[str, Callable[[str], str]] = {
    "body": lambda text: text,
    "link": lambda text: f"[a]({text}) [b](<{text}>) <{text}>",
    "image": lambda text: f'![{text}]({text} "{text}")',
    "definition": lambda text: f"[a] [b]\n\n[a]: {text}\n[b]: <{text}> '{text}'",
    "code": lambda text: f"```{text}\n{text}\n```\n\n`{text}`",
    "heading": lambda text: f"# {text}\n\n## a {{#{text}}}",
    "cell": lambda text: f"| {text} |\n| - |\n| {text} |",
    "note": lambda text: f"a[^1]\n\n[^1]: {text}",
    "admonition": lambda text: f":::note {text}\n{text}\n:::\n\n:::tip[{text}]\n:::",
    "element": lambda text: (
        f'<a href="{quoted(text)}" id="{quoted(text)}">{text}</a> <img src="{quoted(text)}">'
    ),
}


def quoted(text: str) -> str:
    return text.replace('"', "&quot;")


@pytest.mark.parametrize("form", ["md", "mdx"])
@pytest.mark.parametrize("place", PLACES)
def test_no_payload_is_dangerous(place: str, form: Format) -> None:
    for payload in payloads():
        assert not dangers(rendered(PLACES[place](payload), form).html, ALLOWED), payload


@pytest.mark.parametrize("name", REGISTRY)
def test_no_payload_is_dangerous_in_a_component(name: str) -> None:
    for payload in payloads():
        given = "".join(f' {attribute}="{quoted(payload)}"' for attribute in attributes(REGISTRY[name]))
        found = rendered(
            f"<{name}{given}>\n{payload}\n</{name}>\n\na <{name}{given}>{payload}</{name}> b", extras=EVERY
        )
        assert not dangers(found.html, ALLOWED), payload


MATHML = "{http://www.w3.org/1998/Math/MathML}"
FORMULAS = Allowed(
    ALLOWED.elements
    | {f"{MATHML}{name}" for name in mathml.ELEMENTS}
    | mathml.HTML
    | {"details", "summary", "img", "figure", "div"},
    ALLOWED.attributes | set(mathml.ATTRIBUTES) | {"alttext", "mathcolor", "tabindex", "decoding"},
)
"""The lists with what formulas and diagrams add: `tests/builder/math` has their elements once more."""


def test_no_payload_is_dangerous_in_a_formula_or_a_diagram() -> None:
    for payload in payloads():
        text = (
            f"a ${payload}$ b $\\text{{{payload}}}$ $${payload}$$\n\n$$\n{payload}\n$$\n\n"
            f"```math\n{payload}\n```\n\n"
            f"## ${payload}$\n\n![${payload}$](/img/a.png) [${payload}$](/docs/x)\n\n"
            f'```mermaid title="{quoted(payload)}"\nflowchart LR\n a --> b\n```\n'
        )
        found = rendered(text, extras={"math", "diagrams"}).html
        assert not dangers(found, FORMULAS), payload


EXTRA_PLACES: dict[str, Callable[[str], str]] = {
    "dark image": lambda text: f'<Frame dark="{quoted(text)}">\n![a](/img/a.png)\n</Frame>',
    "framed": lambda text: f"<Frame width={{30}}>\n![{text}]({text})\n</Frame>",
    "tree": lambda text: f"<FileTree>\n- {text}\n- **{text}** _{text}_\n  - {text} {text}/\n</FileTree>",
    "keys": lambda text: f'++"{text}"+{text}++ ++{text}++',
    "term": lambda text: f"{text}\n: {text}\n\nTerm\n: <Badge>{text}</Badge>",
    "within": lambda text: f'<Tooltip tip="{quoted(text)}">a <Badge>{text}</Badge></Tooltip>',
}


@pytest.mark.parametrize("place", EXTRA_PLACES)
def test_no_payload_is_dangerous_in_an_extra(place: str) -> None:
    for payload in payloads():
        assert not dangers(rendered(EXTRA_PLACES[place](payload), extras=EVERY).html, ALLOWED), payload


def test_the_payloads_are_dangerous_where_nothing_is_done() -> None:
    flagged = [payload for payload in payloads() if dangers(payload, ALLOWED)]
    assert len(flagged) > len(payloads()) / 2
