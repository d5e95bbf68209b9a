"""Comparing our parser's output with the specifications': what differs by design is put back first."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from builder.markdown.commonmark.parser import Parser, base
from builder.paths import Format

EXCEPTIONS: dict[str, list[tuple[int, str]]] = json.loads(
    (Path(__file__).parent / "conformance.json").read_text("utf-8")
)
"""By corpus: the number of each example that we render otherwise, and the reason."""

GATES = ("raw_html", "refused_links")
"""Rules that take out what pages may not have; the specifications know no such thing."""

EXTENSIONS = (
    "table",
    "strikethrough",
    "mail_addresses",
    "footnote_def",
    "footnote_ref",
    "heading_ids",
    "media",
)
"""Rules that CommonMark has not."""

_BOX = re.compile(r'<input class="tp-task-box" type="checkbox" disabled="" aria-label="[^"]*"( checked="")?>')


def parser(form: Format, *, gates: bool, extensions: bool) -> Parser:
    """The product's parser with `<br />` for `<br>`, without some of its rules."""
    md = base(form)
    md.options["xhtmlOut"] = True
    if not gates:
        md.disable(GATES)
    if not extensions:
        md.disable(EXTENSIONS)
        md.inline.web_addresses = False
        md.options["tasklists"] = md.options["alerts"] = False
    return md


def plain(html: str) -> str:
    """HTML as the specifications write it: attributes in their order, without what is the theme's.

    A line end between `<blockquote>` and `</blockquote>` means nothing; cmark writes one.
    """
    html = re.sub(r'(<t[hd]) class="tp-(\w+)"', r'\1 align="\2"', html)
    html = re.sub(r' class="tp-tasks?"', "", html)
    html = _BOX.sub(lambda box: f'<input{box[1] or ""} disabled="" type="checkbox">', html)
    html = html.replace(
        '<input type="checkbox" checked="" disabled="" />', '<input checked="" disabled="" type="checkbox">'
    )
    html = html.replace('<input type="checkbox" disabled="" />', '<input disabled="" type="checkbox">')
    return html.replace("<blockquote>\n</blockquote>", "<blockquote></blockquote>")


def different(examples: list[dict[str, Any]], md: Parser) -> set[int]:
    """The numbers of the examples that are rendered otherwise."""
    return {one["example"] for one in examples if plain(md.render(one["markdown"])) != plain(one["html"])}


def listed(corpus: str) -> set[int]:
    """The examples of a corpus that may be rendered otherwise."""
    return {number for number, _ in EXCEPTIONS[corpus]}
