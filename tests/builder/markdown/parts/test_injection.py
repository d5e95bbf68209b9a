"""Script injection by way of variables, attributes, slots, parts and code from files."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.builder.included import expanded
from tests.builder.markdown.test_body_security import ALLOWED, quoted
from tests.corpora import payloads
from tests.security import dangers

TEXT = (
    '%{v} [a](%{v}) ![%{v}](%{v} "%{v}") <https://%{v}/> `%{v}` **%{v}**\n\n# %{v} {#%{v}}\n\n'
    "| %{v} |\n| - |\n| %{v} |\n"
)
CARD = (
    '<Card title="%{v}" href="%{v}" icon="%{v}">%{v}</Card>\n\n'
    '<a href="%{v}" id=\'%{v}\'>x</a> <img src="%{v}" alt="%{v}">\n'
)
FENCE = "```sh %{v} vars\n%{v}\n```\n"
OWN = "---\nattributes: {v: string, u: url, i: icon}\n---\n[a](%{u}) :icon-%{i}: " + TEXT + CARD + "<Slot/>\n"

OWN_USES = '<Own v="{0}" u="{0}" i="{0}">{1}</Own>\n\na <Own u="{0}">{1}</Own> b'

PLACES: dict[str, Callable[[str], tuple[str, dict[str, str], dict[str, str]]]] = {
    "variable": lambda text: (TEXT + CARD + FENCE, {}, {"v": text}),
    "attribute of a part": lambda text: (
        f'<Include src="_p.mdx" v="{quoted(text)}" />',
        {"docs/_p.mdx": TEXT + CARD + FENCE},
        {},
    ),
    "attribute of a component": lambda text: (
        OWN_USES.format(quoted(text), text),
        {"_components/Own.mdx": OWN},
        {},
    ),
    "part": lambda text: ('<Include src="_p.mdx" /> a <Include src="_p.mdx" /> b', {"docs/_p.mdx": text}, {}),
    "code": lambda text: (f'```{text} file="/x.txt"\n```\n', {"x.txt": text}, {}),
}


@pytest.mark.parametrize("place", PLACES)
def test_no_payload_is_dangerous(place: str) -> None:
    for payload in payloads():
        page, files, variables = PLACES[place](payload)
        assert not dangers(expanded(page, files, variables).html, ALLOWED), payload
