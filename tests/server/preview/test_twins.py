from __future__ import annotations

import pytest

from tests.server.commands import serving
from tests.server.preview.asking import BROWSER, MARKDOWN, TYPES, ask, links
from tests.sites import write_site

SITE = {
    "site.yml": "title: Repo\nurl: https://o.github.io/repo/\n",
    "docs/index.md": "# Start\n",
    "docs/guide/install.mdx": "# Install\n",
    "docs/guide/é.md": "# Accent\n",
    "docs/draft.md": "---\ndraft: true\n---\n# Hidden\n",
    "docs/own.llms.md": "Written by hand.\n",
    "docs/own.mdx": "# Own\n\n<Method method='GET' />\n",
    "static/plain.html": "<p>By the author</p>",
    "static/plain.md": "By the author",
}


@pytest.fixture(scope="module")
def based_preview(tmp_path_factory):
    """A preview of a site with a base path."""
    with serving(write_site(tmp_path_factory.mktemp("based"), SITE)) as running:
        yield running


@pytest.mark.parametrize(
    ("path", "twin"),
    [
        ("/llms/docs/guide/install", "/docs/guide/install.md"),
        ("/llms/docs/guide/install.md", "/docs/guide/install.md"),
        ("/llms/docs/", "/docs/index.md"),
        ("/llms/docs/index", "/docs/index.md"),
        ("/llms/docs/index.md", "/docs/index.md"),
        ("/llms/docs/guide/", "/docs/guide/index.md"),
        ("/llms/docs/guide/%C3%A9", "/docs/guide/%C3%A9.md"),
        ("/llms/docs/draft", "/docs/draft.md"),
        ("/llms/docs/own", "/docs/own.md"),
        ("/llms/", "/index.md"),
    ],
)
def test_a_twin_is_below_llms_with_and_without_its_ending_also_below_a_base_path(based_preview, path, twin):
    answer = ask(based_preview, f"/repo{path}")
    assert (answer.status, answer.headers["content-type"]) == (200, TYPES["markdown"])
    assert answer.body == ask(based_preview, f"/repo{twin}").body
    assert ask(based_preview, path).status == 404


@pytest.mark.parametrize(
    ("path", "location"),
    [("/llms", "/llms/"), ("/llms/docs/guide", "/llms/docs/guide/"), ("/llms/docs/own/", "/llms/docs/own")],
)
def test_the_other_form_of_an_address_below_llms_leads_to_the_right_one(based_preview, path, location):
    moved = ask(based_preview, f"/repo{path}")
    assert (moved.status, moved.headers["location"]) == (308, f"/repo{location}")


@pytest.mark.parametrize(
    ("path", "twin"),
    [
        ("/docs/guide/install", "/docs/guide/install.md"),
        ("/docs/guide/", "/docs/guide/index.md"),
        ("/docs/guide/%C3%A9", "/docs/guide/%C3%A9.md"),
        ("/docs/own", "/docs/own.md"),
    ],
)
def test_links_and_places_are_below_the_base_path_and_percent_encoded(based_preview, path, twin):
    page = ask(based_preview, f"/repo{path}", BROWSER)
    alternate, index = (f"/repo{twin}", MARKDOWN), ("/repo/llms.txt", "text/plain")
    assert links(page) == {"alternate": alternate, "describedby": index}
    answer = ask(based_preview, f"/repo{path}", MARKDOWN)
    assert answer.headers["content-location"] == f"/repo{twin}"
    assert answer.body == ask(based_preview, f"/repo{twin}").body


def test_a_twin_written_by_hand_is_answered_in_place_of_the_derived_one(based_preview):
    assert ask(based_preview, "/repo/docs/own", MARKDOWN).text.endswith("Markdown.\n\nWritten by hand.\n")


def test_a_file_of_the_author_is_no_page_and_has_no_twin(based_preview):
    file = ask(based_preview, "/repo/plain.html", MARKDOWN)
    assert file.text == "<p>By the author</p>"
    assert "vary" not in file.headers
    assert "link" not in file.headers
