"""Each sentence of the guide holds: what it says is done over HTTP, and must come out.

`guide_statements.json` has the sentences with steps: `do` asks the API, `write` puts a page, `try` rehearses
one, `see` opens the preview, `call` calls a tool, `file` reads the site's folder. `finds` are the codes
of all diagnostics.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, get_args

import pytest

from server.authoring import guide as text_of
from server.authoring.changes.change_structs import AnyChange
from server.authoring.group import ENDPOINTS
from server.authoring.guide import EXTRAS, INSTEAD, PREMIUM, blocks, of_what_there_is
from server.authoring.guide_forms import GuideForm, chosen
from tests.server.api.exchange import exchange
from tests.server.authoring.client import BASE, Client, authoring
from tests.server.mcp.clients import call, mirrored, post
from tests.sites import write_site

STATEMENTS = json.loads(Path(__file__).with_name("guide_statements.json").read_text("utf-8"))
SAID = [sentence for one in STATEMENTS for sentence in one["says"]]
TEXT = Path(text_of.__file__).with_name("guide.md").read_text("utf-8")
SITE = {
    "site.yml": "title: Harbour\ndescription: The harbour master's own words.\nurl: https://harbour.example\n"
    "nav:\n  - label: To the tides\n    href: /docs/guide/tides\nfooter:\n  text: At the foot\n"
    "redirects:\n  /docs/once: /docs/guide/tides\n",
    "docs/index.mdx": "---\ntitle: Start\ndescription: D\n---\nHello.\n",
    "docs/start/install.mdx": "---\ntitle: Install\ndescription: D\n---\n## First steps\n\nText.\n",
    "docs/guide/tides.mdx": "---\ntitle: Tides\ndescription: D\n---\n## High water\n\nTwice a day.\n\n"
    "## Low water\n\nThe sea goes out.\n",
    "static/tide.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>',
}
EXTRA = {
    "site.yml": f"title: Harbour\nplan: premium\nextras: [{', '.join(EXTRAS)}]\n",
    "docs/guide/_parts/install.mdx": "Version %{version} it is.\n",
    "examples/app.py": "hidden_line = 1\n# region main\nsail()\n# endregion\n",
}


class Sites:
    """The previews of sites, each started when a statement needs it."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._started: dict[str, Client] = {}

    def client(self, name: str) -> Client:
        if name not in self._started:
            files = SITE if name == "free" else {**SITE, **EXTRA}
            root = write_site(self._folder / name, files)
            self._started[name] = self._stack.enter_context(authoring(root))
        return self._started[name]

    def file(self, name: str, path: str) -> str:
        return (self._folder / name / path).read_text("utf-8")


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sites]:
    with ExitStack() as stack:
        yield Sites(tmp_path_factory.mktemp("guide"), stack)


def sentences(text: str) -> Iterator[str]:
    """The sentences of paragraphs and points; headings, fences and what is generated have none."""
    for block in blocks(text):
        if not block.startswith(("#", "```")):
            lines = [line for line in block.splitlines() if not re.fullmatch(r"\$\w+", line)]
            joined = " ".join(" ".join(lines).removeprefix("- ").split())
            yield from filter(None, re.split(r"(?<=\.)\s+(?=[A-Z`*\[])", joined))


def test_each_sentence_of_the_guide_is_a_statement_that_is_held() -> None:
    texts = [TEXT, PREMIUM, *EXTRAS.values(), *INSTEAD.values()]
    forms = [chosen(text, form) for text in texts for form in get_args(GuideForm)]
    said = [sentence for text in forms for sentence in sentences(text)]
    assert sorted(set(said) ^ set(SAID)) == []
    assert len(SAID) == len(set(SAID))


def told_here(statement: dict[str, Any]) -> bool:
    """Say whether the API has the requests that a statement names: the guide leaves it out otherwise."""
    return all(of_what_there_is(sentence, ENDPOINTS) for sentence in statement["says"])


HELD = [one for one in STATEMENTS if "steps" in one]


@pytest.mark.parametrize("statement", HELD, ids=[one["says"][0][:50] for one in HELD])
def test_what_the_guide_says_is_so(sites: Sites, statement: dict[str, Any]) -> None:
    if not told_here(statement):
        pytest.skip("the API has no such request, and the guide does not name it")
    name, tag = statement.get("site", "free"), ""
    client = sites.client(name)
    for step in statement["steps"]:
        if "file" in step:
            shown = sites.file(name, step["file"])
        elif "call" in step:
            shown = called(client, step)
        elif "see" in step:
            shown = client.preview.get(step["see"]).text
        else:
            shown, tag = asked(client, step, tag)
        checked(shown, step)


def asked(client: Client, step: dict[str, Any], tag: str) -> tuple[str, str]:
    """Ask the API; return the body of the answer, and its `ETag` or the former one."""
    request, body, status = sent(step)
    method, _, path = request.partition(" ")
    named = {
        key.replace("-", "_"): value.replace("$ETAG", tag) for key, value in step.get("with", {}).items()
    }
    reply = exchange(client.preview.port, method, BASE + path, client.key, body, **named)
    assert reply.status in status, reply.body
    found = {key.lower(): value for key, value in reply.headers.items()}
    if "finds" in step:
        assert codes(reply.data) == sorted(step["finds"]), reply.body
    assert step.get("links", "") in found.get("link", "")
    return reply.body.decode(errors="replace"), found.get("etag", tag)


def called(client: Client, step: dict[str, Any]) -> str:
    """Call a tool; return the answer."""
    asked_for = call(step["call"], **step["send"])
    headers = {"Authorization": f"Bearer {client.key}", **mirrored(asked_for)}
    told = json.loads(post(client.preview.port, f"{BASE}/mcp", asked_for, headers).body)["result"]
    return str(told["content"][0]["text"])


def sent(step: dict[str, Any]) -> tuple[str, object, set[int]]:
    """The request of a step, its body, and the statuses that are right."""
    fields = {"title": "T", "description": "D", **step.get("fields", {})}
    if "try" in step:
        page = {"path": "docs/guide/tried", "frontmatter": fields, "body": step["try"]}
        return "PUT /ai/page?dry_run=true", page, {200}
    if "write" in step:
        page = {"path": step["write"], "frontmatter": fields, "body": step["body"]}
        return "PUT /ai/page", page, {200, 201}
    status = step.get("status", 200)
    return step["do"], step.get("send"), set(status) if isinstance(status, list) else {status}


def codes(data: dict[str, Any]) -> list[str]:
    """The codes of the diagnostics of a page, or of all pages of a change."""
    pages = data.get("pages", [data])
    return sorted({found["code"] for page in pages for found in page["diagnostics"]})


def checked(shown: str, step: dict[str, Any]) -> None:
    assert [words for words in step.get("has", []) if words not in shown] == [], shown
    assert [words for words in step.get("lacks", []) if words in shown] == []
    rest = shown.partition(step.get("behind", ""))[2] if "behind" in step else shown
    places = [rest.find(words) for words in step.get("in_order", [])]
    assert -1 not in places, shown
    assert places == sorted(places)


def fences(language: str) -> list[str]:
    """The code blocks of the guide in a language."""
    return [
        found[2]
        for found in re.finditer(rf"^(`{{3,}}){language}[^\n]*\n(.*?)^\1$", TEXT, re.DOTALL | re.MULTILINE)
    ]


def test_the_change_that_the_guide_shows_is_made_without_findings(sites: Sites) -> None:
    (body,) = fences("json")
    client = sites.client("free")
    reply = exchange(
        client.preview.port,
        "POST",
        f"{BASE}/ai/changes?dry_run=true",
        client.key,
        json.loads(body),
    )
    assert codes(reply.data) == []
    assert [page["path"] for page in reply.data["pages"]] == ["docs/guide/backup", "docs/index"]


def test_the_components_that_the_guide_shows_have_no_findings(sites: Sites) -> None:
    (body,) = fences("mdx")
    asked(sites.client("free"), {"try": body, "finds": []}, "")


def test_the_guide_names_every_operation_of_a_change() -> None:
    operations = {str(kind.__struct_config__.tag) for kind in get_args(AnyChange)}
    shown = {change["op"] for change in json.loads(fences("json")[0])["changes"]}
    said = next(block for block in blocks(TEXT) if "`op` may also be" in block)
    assert operations - shown == {name for name in operations if f"`{name}`" in said}
