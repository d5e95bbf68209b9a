"""An alert is an admonition, in every format and beside an author's HTML."""

from __future__ import annotations

import re

import pytest
from markupsafe import Markup

from builder.links.table import LinkTable
from builder.markdown.body import render
from builder.markdown.context import Context
from builder.markdown.page import BodySource
from builder.paths import Format
from components.admonition import Admonition
from components.words import ENGLISH

KINDS = ("note", "tip", "important", "warning", "caution")
CONTEXT = Context(premium=True, embed_hosts=(), links=LinkTable({}, frozenset()))


def body(text: str, form: Format) -> str:
    return render(BodySource(text, form, f"docs/a.{form}", 1, "docs/a"), CONTEXT).html


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("form", "before"), [("mdx", ""), ("md", ""), ("md", "<b>raw</b>\n\n")], ids=["mdx", "md", "beside HTML"]
)
def test_an_alert_has_the_markup_of_an_admonition(kind: str, form: Format, before: str) -> None:
    html = body(f"{before}> [!{kind.upper()}]\n> Text.\n", form)
    frame = Admonition(kind)
    wanted = frame.opening(ENGLISH) + frame.head(ENGLISH) + Markup("<p>Text.</p></aside>")
    found = re.search(r"<aside.*</aside>", html, re.DOTALL)
    assert found is not None
    assert found[0].replace("\n", "") == wanted
