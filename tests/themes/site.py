"""A small site of real templates, components and code, written to a folder and served."""

from __future__ import annotations

import functools
import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

from markupsafe import Markup
from msgspec.structs import replace

from builder.code import highlight
from builder.markdown.commonmark.toc import TocEntry
from components.callout import COLORS
from tests.components import tree
from tests.components.cases import cases
from tests.components.recorder import Recorder
from tests.themes.views import DOC, EMPTY, FILES, KINDS, PAGES, WHOLE, render

HOSTILE = "<img src=x onerror=alert(1)>"

SEARCH = (FILES.search_css, FILES.search_js)

PAGE_LIST = [
    ["/docs/guide/", "Guide", ""],
    ["/docs/guide/install", "Install", "How to install it."],
    ["/docs/big/", "Big", ""],
    ["/docs/big/one", "The first", HOSTILE],
    ["/docs/big/deep/", "Deep", ""],
    ["/docs/big/deep/two", "The second", ""],
    ["/docs/elsewhere", HOSTILE, ""],
]

PARTIAL = """<ul class="tp-tree"><li><a href="/docs/here" aria-current="page">Here</a></li>
<li class="tp-more"><a href="/docs/big/">Big</a></li>
<li class="tp-all"><a href="/docs/">All of Documentation</a></li></ul>"""

PROSE = """<p>Text with <code>code</code>, <a href="/">a link</a> and <kbd>Ctrl</kbd>.</p>
<h2 id="wide">Wide things</h2>
<table><thead><tr>{heads}</tr></thead><tbody><tr>{cells}</tr></tbody></table>
<table><thead><tr><th>A</th></tr></thead><tbody><tr><td>narrow</td></tr></tbody></table>
<p>{word}</p>
{wide}{console}{diff}
<h3 id="wörter &amp; mehr">Wörter &amp; mehr</h3>
<ul class="tp-tasks"><li class="tp-task">
<input class="tp-task-box" type="checkbox" disabled="" aria-label="To do"> do it</li></ul>
<details><summary>More</summary><p id="hidden-words">Hidden words.</p></details>
<h2 id="last">The last</h2><p>End.</p>"""


def tabs(page: Recorder, *more: object) -> str:
    """A group of tabs; `more` is in the second, which is higher than the others."""
    items = ["With npm."], ["With pnpm.", "On two lines.", *more], ["With yarn."]
    children = [{"component": "TabItem", "children": children} for children in items]
    return tree.html({"component": "Tabs", "labels": "npm,pnpm,yarn", "children": children}, page)


HEX = ("ffffff", "000000", "ffff00", "0000ff", "fefae0", "101014")


def callouts() -> str:
    """One of each named colour, and of colours that are hard to see, each with a box at its end."""
    page, box = Recorder(), {"component": "WhereItLives", "host": "a.example"}
    names = (*COLORS, *(f"#{value}" for value in HEX))
    nodes = ({"component": "Callout", "color": name, "children": ["Text.", box]} for name in names)
    return "".join(tree.html(node, page) for node in nodes)


def prose() -> str:
    """Everything that markdown can be, too wide where it can be."""
    return PROSE.format(
        heads="".join(f"<th>Column {n}</th>" for n in range(12)),
        cells="".join(f"<td>https://example.com/{n}</td>" for n in range(12)),
        word="word" * 60,
        wide=highlight.fence("echo " + "word " * 60 + "\n", "sh").html,
        console=highlight.fence("$ make demo\nServing\n$ ls\n", "console").html,
        diff=highlight.fence("old()  # [!code --]\nnew()  # [!code ++]\n", 'python title="a.py"').html,
    )


def _pages() -> dict[str, str]:
    page = Recorder()
    parts = "\n".join(tree.html(case.node, page) for case in cases())
    toc = (TocEntry(2, "wide", "Wide things"), TocEntry(3, "wörter & mehr", "Wörter & mehr"))
    doc = replace(DOC, toc=(*toc, TocEntry(2, "last", "The last")))
    spaced = f"<p>{'Words. ' * 900}</p>"
    endpoint = {"component": "Endpoint", "id": "inside", "method": "GET", "path": "/x"}
    groups = Recorder()
    views = {
        "index": replace(doc, body=Markup(prose())),
        "components": replace(doc, body=Markup(parts), toc=()),
        "tabs": replace(EMPTY, body=Markup(tabs(groups) + spaced + tabs(groups, endpoint) + spaced)),
        "changes": replace(
            EMPTY, body=Markup(highlight.fence("old()  # [!code --]\nnew()  # [!code ++]\n", "python").html)
        ),
        "callouts": replace(EMPTY, body=Markup(callouts())),
        "large": replace(KINDS["a page of a large site"], sidebar=Markup(PARTIAL)),
        "category": replace(KINDS["a category's index"]),
        "standalone": KINDS["a standalone page"],
        "draft": replace(KINDS["a draft"], reload=""),
        "404": KINDS["the not-found page"],
    }
    return {name: render(view) for name, view in views.items()}


def write(folder: Path) -> None:
    """Write the pages and the theme's files."""
    (folder / "_tp").mkdir()
    for asset in (WHOLE, FILES.js, *SEARCH, *FILES.ondemand.values()):
        (folder / asset.path).write_bytes(asset.data)
    (folder / PAGES.removeprefix("/")).write_text(json.dumps(PAGE_LIST), encoding="utf-8")
    (folder / "brand.css").write_text("")
    for name in ("logo.svg", "favicon.svg"):
        (folder / name).write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    for name, html in _pages().items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8")


class _Handler(http.server.SimpleHTTPRequestHandler):
    """A static host with clean URLs and a page for what is not there."""

    def translate_path(self, path: str) -> str:
        found = Path(super().translate_path(path))
        page = found.with_name(found.name + ".html")
        here = found if found.exists() else page if page.exists() else self._not_found
        return str(here)

    def send_response(self, code: int, message: str | None = None) -> None:
        missing = code == HTTPStatus.OK and self.translate_path(self.path) == str(self._not_found)
        super().send_response(HTTPStatus.NOT_FOUND if missing else code, message)

    def end_headers(self) -> None:
        # Their names change with what is in them.
        self.send_header("Cache-Control", "max-age=600" if self.path.startswith("/_tp/") else "no-cache")
        super().end_headers()

    @property
    def _not_found(self) -> Path:
        return Path(self.directory) / "404.html"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of `folder` on the loopback interface."""
    handler = functools.partial(_Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
