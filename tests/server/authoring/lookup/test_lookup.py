"""Searching and checking a site as it is now, over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from builder.plan.options import Options
from builder.produce.check_site import check_site
from tests.server.authoring.client import BASE, Client, authoring
from tests.server.authoring.many_sites import many_sites
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\nnonsense: 1\nheader:\n  links:\n    - {label: Gone, href: /docs/gone}\n"
    "    - {label: Place, href: '/docs/fruit#nowhere'}\n",
    "docs/index.md": "# Start\n\nWelcome: [fruit](fruit.md#pears), [nothing](fruit.md#no), [none](no.md).\n",
    "docs/fruit.md": "# Apples\n\nRed.\n\n## Pears\n\nGreen pears. Set `TWINPRESS_DATA` or `--strict`.\n",
    "docs/later.mdx": "---\ndraft: true\ntitle: Quinces\n---\n\n<Stepz>\n\nQuinces, see [a](fruit.md#x).\n",
    "docs/a/_category_.yml": "label: [A]\n",
    "docs/a/b.mdx": "<Card>\n\nSee [later](../later.mdx).\n",
    "docs/a/b.llms.md": "Twin with a [bad link](nowhere.md) and a [place](/docs/fruit#twinless).\n",
    "static/x.txt": "x",
    "pages/about.md": "# About\n\n[Fruit](/docs/fruit#pears)\n",
}
HOSTILE = (
    "\x00\x1b[31m", "(a+)+$", "[", "\\", "🍐" * 250, "../../site.yml", "' OR 1=1 --", "__proto__", "a " * 499,
    "-" * 1000, "́" * 999, "%s %d {0}", "<script>", "{{ 7*7 }}",
)  # fmt: skip
FORGED = ("x", "!!!!", "é", "AAAA", "gaFh", "k" * 1_999, "xwgB", "kf8", "kc7_____", "3f____8", "2gAA")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("site"), SITE)


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Client]:
    with authoring(folder, "--requests", "0") as client:
        yield client


def get(client: Client, endpoint: str, **query: object) -> Any:
    reply = client.ask("GET", f"{BASE}/ai/{endpoint}?{urlencode(query)}")
    assert reply.status == 200, reply.body
    return reply.data


def refused(client: Client, endpoint: str, **query: object) -> str:
    reply = client.ask("GET", f"{BASE}/ai/{endpoint}?{urlencode(query)}")
    assert (reply.status, reply.json["code"]) == (400, "INVALID_QUERY")
    return str(reply.json["error"])


@pytest.mark.parametrize(
    ("words", "path", "anchor"),
    [
        ("green pear", "docs/fruit", "pears"),
        ("TWINPRESS_DATA", "docs/fruit", "pears"),
        ("--strict", "docs/fruit", "pears"),
        ("aplpes", "docs/fruit", ""),
        ("quinces", "docs/later", ""),
    ],
)
def test_a_search_leads_to_a_section(client: Client, words: str, path: str, anchor: str) -> None:
    found = get(client, "search", q=words)
    hit = found["hits"][0]
    assert (hit["path"], hit["anchor"], hit["draft"]) == (path, anchor, path == "docs/later")
    assert hit["url"] == f"/{path}" + (f"#{anchor}" if anchor else "")
    assert found["indexed_pages"] == found["page_count"] == 5


def test_a_search_sees_what_was_just_written(client: Client) -> None:
    assert get(client, "search", q="persimmon")["hits"] == []
    client.write("docs/new", "# New\n\nA persimmon.\n")
    assert [hit["path"] for hit in get(client, "search", q="persimmon")["hits"]] == ["docs/new"]
    client.delete("docs/new")
    assert get(client, "search", q="persimmon")["hits"] == []


def test_cursors_lead_through_all_hits(client: Client) -> None:
    every = get(client, "search", q="fruit apples welcome quinces about")["hits"]
    assert len(every) > 3
    found, cursor = [], ""
    while cursor is not None:
        data = get(client, "search", q="fruit apples welcome quinces about", limit=2, cursor=cursor)
        assert len(data["hits"]) <= 2
        found += data["hits"]
        cursor = data["next_cursor"]
    assert found == every


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_any_words_are_answered(client: Client, words: str) -> None:
    assert get(client, "search", q=words)["page_count"] == 5


@pytest.mark.parametrize("endpoint", ["search", "diagnostics"])
@pytest.mark.parametrize("cursor", FORGED, ids=range(len(FORGED)))
def test_a_forged_cursor_opens_nothing(client: Client, endpoint: str, cursor: str) -> None:
    words = {"q": "fruit"} if endpoint == "search" else {}
    reply = client.ask("GET", f"{BASE}/ai/{endpoint}?{urlencode({**words, 'cursor': cursor})}")
    assert reply.status in {200, 400}
    assert reply.status == 200 or reply.json["error"].startswith("cursor: ")


@pytest.mark.parametrize(
    ("endpoint", "query", "says"),
    [
        ("search", {}, "q: is missing"),
        ("search", {"q": ""}, "q: "),
        ("search", {"q": "x" * 1_001}, "q: "),
        ("search", {"q": "a", "limit": 51}, "limit: "),
        ("search", {"q": "a", "limit": "x"}, "limit: "),
        ("search", {"q": "a", "cursor": "c" * 2_001}, "cursor: "),
        ("search", {"q": "a", "page": 2}, "page: there is no such parameter"),
        ("diagnostics", {"level": "fatal"}, "level: "),
        ("diagnostics", {"limit": 0}, "limit: "),
    ],
)
def test_a_query_is_read_strictly(client: Client, endpoint: str, query: dict[str, Any], says: str) -> None:
    assert refused(client, endpoint, **query).startswith(says)


def test_the_diagnostics_are_those_of_a_check(client: Client, folder: Path) -> None:
    found = get(client, "diagnostics")
    told = [
        (one["file"], one["line"], one["column"], one["code"], one["message"], one["hint"])
        for one in found["diagnostics"]
    ]
    checked = check_site(folder, Options()).diagnostics
    assert told == [(one.file, one.line, one.column, one.code, one.message, one.hint) for one in checked]
    assert {"site.yml", "docs/a/_category_.yml", "docs/a/b.llms.md", "docs/later.mdx"} <= {
        one[0] for one in told
    }
    assert found["counts"] == {
        level: sum(one.level == level for one in checked) for level in ("error", "warning", "info")
    }
    assert (found["checked_pages"], found["page_count"], found["next_cursor"]) == (5, 5, None)


def test_diagnostics_come_page_by_page(client: Client) -> None:
    every = get(client, "diagnostics")["diagnostics"]
    found, cursor = [], ""
    while cursor is not None:
        data = get(client, "diagnostics", limit=2, cursor=cursor)
        found += data["diagnostics"]
        cursor = data["next_cursor"]
    assert found == every


def test_diagnostics_are_filtered(client: Client) -> None:
    every = get(client, "diagnostics")["diagnostics"]
    filters = ("level", "error"), ("code", "broken-anchor"), ("path", "docs/a"), ("path", "site.yml")
    for field, value in filters:
        name = "file" if field == "path" else field
        kept = [one for one in every if one[name].startswith(value)]
        data = get(client, "diagnostics", **{field: value})
        assert kept
        assert data["diagnostics"] == kept
        assert sum(data["counts"].values()) == len(kept)


def test_a_site_of_a_service_is_searched_and_checked(tmp_path: Path) -> None:
    with many_sites(tmp_path) as service:
        (_, mine), (_, other) = service.site(service.ann, "one"), service.site(service.bob, "two")
        body = {"path": "docs/secret", "body": "# Persimmon\n\n[none](./none)\n"}
        assert service.ask("PUT", "/ai/page", mine, body)[0] == 201
        for key, count in ((mine, 1), (other, 0)):
            status, answer = service.ask("GET", f"/ai/search?q={quote('persimmon')}", key)
            assert (status, len(answer["data"]["hits"])) == (200, count)
            status, answer = service.ask("GET", "/ai/diagnostics?code=broken-link", key)
            assert (status, len(answer["data"]["diagnostics"])) == (200, count)
