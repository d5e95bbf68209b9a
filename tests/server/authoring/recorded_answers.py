"""Ask a preview a fixed sequence of questions, and give its answers in a form that can be kept and compared.

`python -m tests.server.authoring.recorded_answers` writes them anew. The five endpoints of the specification
and the guide are not to change what they answer: look at each difference before you keep it.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from tests.server.authoring.client import BASE, Client, authoring
from tests.sites import write_site

FILE = Path(__file__).parent / "recorded" / "five_endpoints.json"
SITE = {
    "site.yml": "title: Harbour\ndescription: How to use it.\nurl: https://harbour.example/manual\n",
    "docs/index.mdx": "---\ntitle: Start\n---\n\nGo to [the quay](/docs/guide/quay).\n",
    "docs/guide/_category_.yml": "label: Guide\nposition: 2\n",
    "docs/guide/quay.md": "# The quay\n\nSee [berths](./berths.mdx#prices).\n",
    "docs/guide/berths.mdx": "---\ntitle: Berths\ndraft: false\n---\n\n## Prices\n\nFrom 5 on.\n",
    "docs/guide/berths.llms.md": "Berths for machines.\n",
    "docs/über.mdx": "---\ntitle: Über\ndraft: true\n---\n\nEin Entwurf.\n",
    "pages/about.md": "# About us\n",
}
_PAGE = {"path": "docs/guide/tide", "frontmatter": {"title": "Tide"}, "body": "It <Rises>.\n\n[No](./no)\n"}
_REPLACED = {"path": "docs/guide/quay", "format": "mdx", "body": "# Quay\n", "llmBody": "Quay.\n"}
_SECOND = {"path": "docs/guide/tide", "body": "---\ntitle: T\n---\nIt falls.\n"}
QUESTIONS: tuple[tuple[str, str, object, dict[str, str]], ...] = (
    ("GET", "/ai/site", None, {}),
    ("GET", "/ai/guide", None, {}),
    ("GET", "/ai/guide", None, {"Accept": "text/markdown"}),
    ("GET", "/ai/page?path=docs/index", None, {}),
    ("GET", "/ai/page?path=docs/guide/berths", None, {}),
    ("GET", "/ai/page?path=docs/%C3%BCber", None, {}),
    ("GET", "/ai/page?path=docs/guide/berths", None, {"If-None-Match": "*"}),
    ("GET", "/ai/page?path=docs/none", None, {}),
    ("GET", "/ai/page?path=../etc", None, {}),
    ("GET", "/ai/page", None, {}),
    ("PUT", "/ai/page?dry_run=true", _PAGE, {}),
    ("PUT", "/ai/page", _PAGE, {"If-None-Match": "*"}),
    ("PUT", "/ai/page", _PAGE, {"If-None-Match": "*"}),
    ("PUT", "/ai/page", _SECOND, {"If-Match": '"0"'}),
    ("PUT", "/ai/page", _SECOND, {}),
    ("PUT", "/ai/page", _REPLACED, {}),
    ("PUT", "/ai/page", {"path": "docs/x", "bodi": ""}, {}),
    ("PUT", "/ai/page", {"path": "docs/con", "body": ""}, {}),
    ("DELETE", "/ai/page?path=docs/guide/berths", None, {"If-Match": '"0"'}),
    ("DELETE", "/ai/page?path=docs/guide/quay", None, {}),
    ("DELETE", "/ai/page?path=docs/guide/quay", None, {}),
    ("POST", "/ai/category", {"path": "docs/guide", "label": "Handbook", "collapsed": True}, {}),
    ("POST", "/ai/category", {"path": "docs/guide", "position": None}, {}),
    ("POST", "/ai/category", {"path": "docs/empty", "label": "Empty"}, {}),
    ("POST", "/ai/category", {"path": "pages", "label": "No"}, {}),
    ("PATCH", "/ai/page", {}, {}),
    ("GET", "/ai/site", None, {}),
)
_VARIES = frozenset({"date", "x-request-id", "server", "link"})
"""Headers that are another with each request, and the one that was added for the sake of previews."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")


def answers(client: Client) -> list[dict[str, Any]]:
    """Return each question with what is answered; ids and times are left out, and the guide's text."""
    return [_asked(client, *question) for question in QUESTIONS]


def record() -> list[dict[str, Any]]:
    """Ask a preview of the site of this module, which has a folder of its own."""
    with tempfile.TemporaryDirectory() as name, authoring(write_site(Path(name) / "s", SITE)) as client:
        return answers(client)


def _asked(client: Client, method: str, target: str, body: object, headers: dict[str, str]) -> dict[str, Any]:
    named = {name.replace("-", "_"): value for name, value in headers.items()}
    reply = client.ask(method, f"{BASE}{target}", body, **named)
    told = {name: value for name, value in sorted(reply.headers.items()) if name not in _VARIES}
    if target == "/ai/guide":
        told["content-length"] = "..."
    return {
        "asked": {"method": method, "target": target, "body": body, "headers": headers},
        "status": reply.status,
        "headers": told,
        "body": _kept(target, reply.body),
    }


def _kept(target: str, body: bytes) -> str:
    text = body.decode()
    if target == "/ai/guide":
        return "{...}" if text.startswith("{") else "..."
    if target == "/ai/site":
        text = re.sub(r'"id":"\w+"', '"id":"..."', text)
    return _TIME.sub("...", text)


if __name__ == "__main__":
    FILE.write_text(json.dumps(record(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
