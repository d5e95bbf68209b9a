"""The specification's pages and categories, field by field, against a running server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.authoring.client import Client, authoring
from tests.sites import write_site

SITE = {
    "site.yml": "title: T\n",
    "docs/a.mdx": "---\ntitle: A\n---\n\nText.\n",
    "docs/guide/b.md": "# B\n",
    "docs/guide/b.llms.md": "B for machines\n",
    "pages/about.md": "# About us\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site; each test writes pages of its own."""
    return write_site(tmp_path_factory.mktemp("site"), SITE)


@pytest.fixture(scope="module")
def client(root: Path) -> Iterator[Client]:
    """A client of its server."""
    with authoring(root, "--requests", "0") as client:
        yield client


# path: Must start with docs/ or pages/. No file extension.
@pytest.mark.parametrize(
    "path", ["other/a", "docs", "pages", "/docs/a", "docs/a.md", "docs/a.mdx", "", "docs/"]
)
def test_a_path_must_start_with_docs_or_pages_and_has_no_file_extension(client: Client, path: str) -> None:
    reply = client.put({"path": path, "body": ""})
    assert (reply.status, reply.code) == (400, "INVALID_PATH")
    assert client.page(path).status == client.delete(path).status == 400


# format: mdx (default) or md.
def test_the_format_is_mdx_by_default_or_md(client: Client) -> None:
    assert client.write("docs/formats/x").data["format"] == "mdx"
    assert client.write("docs/formats/y", format="md").data["format"] == "md"
    assert client.put({"path": "docs/formats/z", "format": "html"}).code == "INVALID_BODY"


# md is plain CommonMark and GFM with no components.
def test_md_is_plain_commonmark_and_gfm_with_no_components(client: Client) -> None:
    html = client.shown("docs/plain", "| a |\n|---|\n| ~~b~~ |\n\n:::note\nX\n:::\n", format="md")
    assert "<del>b</del>" in html
    assert ":::note" in html


# body: Markdown. May begin with YAML frontmatter.
def test_the_body_may_begin_with_yaml_frontmatter(client: Client) -> None:
    client.write("docs/front", "---\ntitle: From the body\n---\n\nText.\n")
    assert client.page("docs/front").data["frontmatter"] == {"title": "From the body"}


# llmBody: Optional plain markdown for the page's machine-readable twin, served under /llms.
def test_the_llm_body_is_the_twin_of_the_page_served_under_llms(client: Client) -> None:
    client.write("docs/twin", llmBody="For *machines*.\n")
    assert client.page("docs/twin").data["llmBody"] == "For *machines*.\n"
    pointer, _, twin = client.preview.get("/llms/docs/twin.md").text.partition("\n\n")
    assert (pointer[:2], twin) == ("> ", "For *machines*.\n")
    client.write("docs/no-twin")
    assert client.page("docs/no-twin").data["llmBody"] is None


# Documentation page: docs/<folder>/<name>. The public URL is / followed by the path.
def test_the_public_url_of_a_documentation_page_is_its_path(client: Client) -> None:
    assert "Hello there" in client.shown("docs/folder/name", "Hello there.\n")
    assert client.preview.get("/docs/folder/name").status == 200


# Folders become sidebar categories.
def test_folders_become_sidebar_categories(client: Client) -> None:
    client.write("docs/kitchen/stove")
    client.category({"path": "docs/kitchen", "label": "In the kitchen"})
    assert "In the kitchen" in client.preview.get("/docs/a").text


# Standalone page: pages/<name>. It is served at /<name> and is not in the documentation sidebar.
def test_a_standalone_page_is_served_at_its_name_and_is_not_in_the_sidebar(client: Client) -> None:
    client.write("pages/imprint", "# Imprint of ours\n")
    assert "Imprint of ours" in client.preview.get("/imprint").text
    assert client.preview.get("/pages/imprint").status == 404
    assert 'href="/imprint"' not in client.preview.get("/docs/a").text


FRONTMATTER = [
    ("title", "A title", "<title>A title"),
    ("description", "What it is about", "What it is about"),
    ("sidebar_label", "In the bar", "In the bar"),
    ("hide_title", True, ""),
    ("sidebar_position", 1.5, ""),
    ("draft", True, ""),
]


@pytest.mark.parametrize(("name", "value", "html"), FRONTMATTER)
def test_each_frontmatter_field_is_kept_and_does_what_it_says(
    client: Client, name: str, value: Any, html: str
) -> None:
    path = f"docs/fields/{name.replace('_', '-')}"
    assert html in client.shown(path, "Text.\n", frontmatter={name: value})
    assert client.page(path).data["frontmatter"] == {name: value}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", 3),
        ("description", []),
        ("sidebar_label", False),
        ("sidebar_position", "1"),
        ("hide_title", "no"),
        ("draft", 1),
    ],
)
def test_each_frontmatter_field_has_its_type(client: Client, name: str, value: Any) -> None:
    reply = client.put({"path": "docs/types", "frontmatter": {name: value}})
    assert reply.code == "INVALID_BODY"
    assert f"frontmatter.{name}: expected" in reply.json["error"]


# sidebar_position: Sidebar order; lower means higher.
def test_a_lower_sidebar_position_is_higher(client: Client) -> None:
    for name, position in (("late", 9), ("early", -1.5), ("middle", 2)):
        client.write(f"docs/order/{name}", frontmatter={"sidebar_position": position})
    html = client.preview.get("/docs/order/late").text.partition('id="tp-menu"')[2]
    places = [html.index(f'/docs/order/{name}"') for name in ("early", "middle", "late")]
    assert places == sorted(places)


# hide_title: Hide the title.
def test_the_title_can_be_hidden(client: Client) -> None:
    for hide, count in ((False, 1), (True, 0)):
        html = client.shown(
            f"docs/hide-{hide}".lower(), "x\n", frontmatter={"title": "Big", "hide_title": hide}
        )
        visible = [tag for tag in re.findall(r"<h1[^>]*>\s*Big", html) if "hidden" not in tag]
        assert len(visible) == count


# Category record: path, label, position, collapsed.
def test_a_category_record_has_path_label_position_and_collapsed(client: Client) -> None:
    client.write("docs/record/x")
    record = {"path": "docs/record", "label": "R", "position": 2.5, "collapsed": False}
    assert client.category(record).data == record
    assert record in client.site().data["site"]["categories"]
    for wrong in ({"label": 3}, {"position": "1"}, {"collapsed": "yes"}, {"colour": "red"}):
        assert client.category({"path": "docs/record", **wrong}).code == "INVALID_BODY"
    for path in ("docs", "pages", "pages/x", "record", "docs/record/"):
        assert client.category({"path": path, "label": "x"}).code == "INVALID_PATH"
