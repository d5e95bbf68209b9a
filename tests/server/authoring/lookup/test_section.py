"""One section of a page over real HTTP, with the lines that it has in the body."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from builder.markdown.page import SourceSection
from builder.store import Source
from server.authoring.lookup.page_section import section_of
from server.http.failure import Failure
from tests.server.api.exchange import Reply
from tests.server.authoring.client import BASE, Client, authoring
from tests.sites import write_site
from tests.time_bounds import processor_seconds

BODY = (
    "# Boats\n\nAll.\n\n## Low {#water}\n\n```sh\n## no heading\n```\n\n### Deep\n\nx\n\n"
    "## High & dry\n\ny\n\n## Deep\n"
)
SITE = {
    "site.yml": "title: T\nextras: [includes]\n",
    "docs/a.mdx": f"---\ntitle: A\n---\n{BODY}",
    "docs/b.md": "---\nkept: 1\n---\n---\nnot: ours\n---\n\n## One\n\ntext\n\n## Two\n",
    "docs/c.md": "## One\r\n\r\ntext\r\n\r\n## Two\r\n",
    "docs/d.mdx": '## One\n\n<Include src="./_part.mdx" />\n\nmore\n\n## Two\n',
    "docs/_part.mdx": "## Within\n\nthe part\n",
    "docs/none.md": "Text.\n",
}
CASES = [
    ("docs/a", "water", BODY[BODY.index("## Low") : BODY.index("## High")], (5, 14)),
    ("docs/a", "#water", BODY[BODY.index("## Low") : BODY.index("## High")], (5, 14)),
    ("docs/a", "high  & DRY", "## High & dry\n\ny\n\n", (15, 18)),
    ("docs/a", "deep", "### Deep\n\nx\n\n", (11, 14)),
    ("docs/a", "deep-1", "## Deep\n", (19, 19)),
    ("docs/a", "boats", BODY, (1, 19)),
    ("docs/b", "one", "## One\n\ntext\n\n", (7, 10)),
    ("docs/c", "One", "## One\r\n\r\ntext\r\n\r\n", (1, 4)),
    ("docs/d", "one", '## One\n\n<Include src="./_part.mdx" />\n\nmore\n\n', (1, 6)),
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with authoring(write_site(tmp_path_factory.mktemp("site"), SITE), "--requests", "0") as client:
        yield client


def section(client: Client, path: str, name: str, **headers: str) -> Reply:
    return client.ask("GET", f"{BASE}/ai/page?{urlencode({'path': path, 'section': name})}", **headers)


@pytest.mark.parametrize(("path", "name", "text", "lines"), CASES)
def test_a_section_comes_alone(
    client: Client, path: str, name: str, text: str, lines: tuple[int, int]
) -> None:
    reply, whole = section(client, path, name), client.page(path)
    assert reply.status == 200, reply.body
    place = reply.data["section"]
    assert (reply.data["body"], (place["first_line"], place["last_line"])) == (text, lines)
    assert {**reply.data, "body": "", "section": None} == {**whole.data, "body": "", "section": None}
    assert "".join(whole.data["body"].splitlines(keepends=True)[lines[0] - 1 : lines[1]]) == text
    assert reply.headers["etag"] == whole.headers["etag"]


def test_a_page_without_section_is_as_before(client: Client) -> None:
    assert "section" not in client.page("docs/a").data


@pytest.mark.parametrize("name", ["nothing", "\x00", "(a+)+$", "tp-x", "#", "x" * 5_000])
def test_an_unknown_section_is_refused_with_those_that_there_are(client: Client, name: str) -> None:
    reply = section(client, "docs/a", name)
    assert (reply.status, reply.json["code"]) == (404, "SECTION_NOT_FOUND")
    assert "`water` (line 5), `deep` (line 11)" in reply.json["error"]


def test_a_heading_that_stands_twice_is_asked_for_by_its_id(client: Client) -> None:
    assert section(client, "docs/a", "DEEP ").json["error"].startswith("2 sections are called so; ")


def test_a_page_without_headings_says_so(client: Client) -> None:
    assert "leave `section` out" in section(client, "docs/none", "x").json["error"]


def test_a_section_that_is_known_is_not_sent_again(client: Client) -> None:
    tag = section(client, "docs/a", "water").headers["etag"]
    assert section(client, "docs/a", "water", **{"If-None-Match": tag}).status == 304


def test_a_section_is_no_page_to_put_back(client: Client) -> None:
    reply = client.put(section(client, "docs/a", "water").data)
    assert (reply.status, reply.json["code"]) == (400, "INVALID_BODY")
    assert reply.json["error"].startswith("section: there is no such field")


def test_a_section_of_no_page_is_a_missing_page(client: Client) -> None:
    assert section(client, "docs/zzz", "water").json["code"] == "PAGE_NOT_FOUND"


def test_a_long_name_is_compared_with_many_sections_at_once() -> None:
    source = Source("docs/a", "md", "# A\n", None, "r", "docs/a.md")
    many = [SourceSection(f"s{number}", 2, "A part", number, number) for number in range(50_000)]
    with processor_seconds(1), pytest.raises(Failure, match="no such section"):
        section_of(source, "a " * 4_000, many)
