"""A large site over real HTTP: its first page is there before all are read, and made right then."""

from __future__ import annotations

import pytest

from builder.preview.site_outline import LARGE
from tests.server.commands import serving
from tests.sites import write_site

SITE = {
    "site.yml": "title: Large\n",
    "docs/guide/alpha.md": "---\ntitle: Zulu\n---\n\nText of alpha, [see](beta.md#part).\n",
    "docs/guide/beta.md": "---\ntitle: Yankee\n---\n\n## Part\n",
    **{f"docs/more/f{n % 100}/p{n}.md": f"# Page {n}\n" for n in range(LARGE)},
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return write_site(tmp_path_factory.mktemp("large"), SITE)


def test_a_page_is_told_to_be_another_when_all_are_read(site):
    with serving(site) as preview:
        with preview.states("/docs/guide/alpha") as states:
            first = next(states)
            page = preview.get("/docs/guide/alpha").text
            assert "<title>Zulu" in page
            assert "Text of alpha" in page
            while (state := next(states))["reading"]:
                assert state["page"] == first["page"]
        assert first["reading"]
        assert ">Beta</a>" in page
        assert state["page"] != first["page"]
        assert ">Yankee</a>" in preview.get("/docs/guide/alpha").text
        preview.says("All pages are checked")


def test_what_is_not_known_yet_is_waited_for(site):
    with serving(site) as preview:
        assert preview.get("/docs/nowhere").status == 404
        assert preview.get("/docs/guide/beta").status == 200
    with serving(site) as preview:
        twin = preview.get("/docs/guide/alpha.md")
        assert (twin.status, "# Zulu" in twin.text) == (200, True)
    with serving(site) as preview:
        assert "Yankee" in preview.get("/docs/guide/").text


def test_a_save_is_shown_while_the_site_is_read(site):
    with serving(site) as preview, preview.states("/docs/guide/beta") as states:
        first = next(states)
        write_site(site, {"docs/guide/beta.md": "---\ntitle: Yankee\n---\n\n## Part\n\nSaved now.\n"})
        while next(states)["page"] == first["page"]:
            pass
        while "Saved now." not in preview.get("/docs/guide/beta").text:
            next(states)
