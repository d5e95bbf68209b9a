from __future__ import annotations

import pytest

from tests.server.commands import serving
from tests.server.http.test_accept import CASES
from tests.server.preview.asking import BROWSER, MARKDOWN, TYPES, ask, links
from tests.sites import write_site


@pytest.mark.parametrize(("who", "accept", "expected"), CASES, ids=[case[0] for case in CASES])
def test_a_page_is_answered_in_the_form_that_is_preferred_and_never_refused(preview, who, accept, expected):
    page = ask(preview, "/docs/x", *accept)
    assert (page.status, page.headers["content-type"]) == (200, TYPES[expected])
    assert page.headers["vary"] == "Accept"
    assert page.text.startswith({"html": "<!doctype html>", "markdown": "> For AI agents: ["}[expected])


@pytest.mark.parametrize(
    ("path", "twin"),
    [
        ("/docs/x", "/docs/x.md"),
        ("/docs/x.html", "/docs/x.md"),
        ("/docs/x?any=thing", "/docs/x.md"),
        ("/docs/", "/docs/index.md"),
        ("/docs/guide/", "/docs/guide/index.md"),
        ("/docs/guide/index", "/docs/guide/index.md"),
        ("/docs/draft", "/docs/draft.md"),
        ("/about", "/about.md"),
        ("/", "/index.md"),
    ],
)
def test_the_twin_is_at_the_address_of_its_page(preview, path, twin):
    page = ask(preview, path, MARKDOWN)
    assert (page.status, page.headers["content-type"]) == (200, TYPES["markdown"])
    assert page.headers["content-location"] == twin
    assert page.body == ask(preview, twin).body == ask(preview, f"/llms{twin}").body


def test_a_folder_without_its_slash_leads_to_its_twin(preview):
    moved = ask(preview, "/docs/guide", MARKDOWN)
    assert (moved.status, moved.headers["location"]) == (308, "/docs/guide/")


@pytest.mark.parametrize(
    "path",
    ["/hello.txt", "/docs/guide/clip.mp4", "/llms.txt", "/_tp/reload.js", "/docs/x.md", "/llms/docs/x"],
)
@pytest.mark.parametrize("accept", [MARKDOWN, "text/html"])
def test_what_has_one_form_is_answered_in_it_whatever_is_preferred(preview, path, accept):
    plain, wished = ask(preview, path), ask(preview, path, accept)
    assert (wished.status, wished.body) == (200, plain.body)
    assert wished.headers["content-type"] == plain.headers["content-type"]
    assert "vary" not in plain.headers


def test_each_form_has_its_own_etag(preview):
    page, twin = (ask(preview, "/docs/x", accept).headers["etag"] for accept in (BROWSER, MARKDOWN))
    assert page != twin
    for accept, own, other in [(BROWSER, page, twin), (MARKDOWN, twin, page)]:
        again = preview.get("/docs/x", Accept=accept, If_None_Match=own)
        assert (again.status, again.body, again.headers["vary"]) == (304, b"", "Accept")
        changed = preview.get("/docs/x", Accept=accept, If_None_Match=other)
        assert (changed.status, changed.headers["etag"]) == (200, own)


def test_a_part_of_one_form_is_not_completed_with_the_other(preview):
    page = ask(preview, "/docs/x", BROWSER)
    part = preview.get("/docs/x", Accept=MARKDOWN, Range="bytes=0-2")
    assert (part.status, part.text, part.headers["vary"]) == (206, "> F", "Accept")
    whole = preview.get("/docs/x", Accept=MARKDOWN, Range="bytes=0-2", If_Range=page.headers["etag"])
    assert (whole.status, whole.headers["content-type"]) == (200, TYPES["markdown"])


@pytest.mark.parametrize("accept", [BROWSER, MARKDOWN])
@pytest.mark.parametrize("path", ["/docs/x", "/nowhere"])
def test_head_tells_what_get_would_answer(preview, path, accept):
    get, head = ask(preview, path, accept), ask(preview, path, accept, method="HEAD")
    assert (head.status, head.body) == (get.status, b"")
    assert head.headers | {"date": ""} == get.headers | {"date": ""}


def test_a_page_names_its_twin_and_the_list_of_all_pages(preview):
    for path, twin in [
        ("/docs/x", "/docs/x.md"),
        ("/docs/guide/", "/docs/guide/index.md"),
        ("/", "/index.md"),
    ]:
        found = links(ask(preview, path, BROWSER))
        assert found == {"alternate": (twin, MARKDOWN), "describedby": ("/llms.txt", "text/plain")}
        for target, kind in found.values():
            assert ask(preview, target).headers["content-type"] == f"{kind}; charset=utf-8"


def test_a_twin_at_the_address_of_its_page_names_the_list_of_all_pages(preview):
    assert links(ask(preview, "/docs/x", MARKDOWN)) == {"describedby": ("/llms.txt", "text/plain")}


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/docs/nothing",
        "/docs/nothing.md",
        "/llms/docs/nothing",
        "/llms/nothing.md",
        "/404",
        "/%ff",
    ],
)
def test_what_is_not_there_is_not_found_in_either_form(preview, path):
    page, twin = ask(preview, path, BROWSER), ask(preview, path, MARKDOWN)
    assert (page.status, page.headers["content-type"]) == (404, TYPES["html"])
    assert (twin.status, twin.headers["content-type"]) == (404, TYPES["markdown"])
    assert page.headers["vary"] == twin.headers["vary"] == "Accept"
    assert links(page) == links(twin) == {"describedby": ("/llms.txt", "text/plain")}
    assert twin.text.startswith("# Page not found\n")
    assert "](/llms.txt)" in twin.text
    assert "nothing" not in twin.text, "nobody puts words into the mouth of the site"


def test_a_file_that_has_gone_is_not_found_in_the_form_that_is_preferred(tmp_path):
    site = write_site(tmp_path, {"docs/index.md": "# Start\n", "static/a.txt": "a"})
    with serving(site) as preview:
        (site / "static/a.txt").unlink()
        for accept, kind in [(BROWSER, "text/"), (MARKDOWN, TYPES["markdown"])]:
            gone = ask(preview, "/a.txt", accept)
            assert (gone.status, gone.headers["vary"]) == (404, "Accept")
            assert gone.headers["content-type"].startswith(kind)


def test_an_edit_changes_both_forms(tmp_path):
    site = write_site(tmp_path, {"docs/index.md": "# Start\n"})
    with serving(site) as preview, preview.states("/docs/") as states:
        next(states)
        before = {accept: ask(preview, "/docs/", accept).headers["etag"] for accept in (BROWSER, MARKDOWN)}
        write_site(site, {"docs/index.md": "# Changed\n"})
        next(states)
        for accept, etag in before.items():
            page = preview.get("/docs/", Accept=accept, If_None_Match=etag)
            assert (page.status, "Changed" in page.text) == (200, True)
