from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, expect

from tests.server.commands import Preview, serving
from tests.sites import write_site
from tests.themes.visits import happens

pytestmark = pytest.mark.browser

SITE = {
    "site.yml": "title: Site\n",
    "docs/index.md": "# Start\n",
    "docs/a.mdx": "# A\n\nFirst text.\n",
    "docs/été.md": "# Summer\n\nWarm.\n",
}


HIDE = """(hidden) => {
  Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


@pytest.fixture
def site(tmp_path):
    return write_site(tmp_path / "site", SITE)


def visit(page: Page, preview: Preview, path: str) -> None:
    with page.expect_response(lambda response: "/_tp/events" in response.url):
        page.goto(f"http://127.0.0.1:{preview.port}{path}")


def count_loads(page: Page) -> list[str]:
    loads: list[str] = []
    page.on("load", lambda: loads.append(page.url))
    return loads


def test_an_edit_shows_in_the_open_page(site, page):
    with serving(site) as preview:
        visit(page, preview, "/docs/a")
        expect(page.locator("article")).to_contain_text("First text.")
        write_site(site, {"docs/a.mdx": "# A\n\nSecond text.\n"})
        expect(page.locator("article")).to_contain_text("Second text.")
        write_site(site, {"docs/a.mdx": "# A\n\nThird text.\n"})
        expect(page.locator("article")).to_contain_text("Third text.")


def test_a_page_whose_source_is_as_it_was_stays_as_it_is(site, page):
    with serving(site) as preview:
        visit(page, preview, "/docs/%C3%A9t%C3%A9")
        loads = count_loads(page)
        with preview.states("/docs/a") as states:
            next(states)
            write_site(site, {"docs/a.mdx": "# A\n\nChanged.\n"})
            next(states)
        page.wait_for_timeout(300)
        assert loads == []
        write_site(site, {"docs/été.md": "# Summer\n\nHot.\n"})
        expect(page.locator("article")).to_contain_text("Hot.")
        happens(page, lambda: bool(loads))
        page.wait_for_timeout(300)
        assert len(loads) == 1


def test_a_save_of_the_shown_page_waits_until_the_search_is_closed(site, page):
    with serving(site) as preview:
        visit(page, preview, "/docs/a")
        loads = count_loads(page)
        field, found = page.locator(".tp-search-box input"), page.get_by_role("option")
        for text in ("Text once.", "Text twice."):
            page.keyboard.press("/")
            field.fill("text")
            expect(found).to_have_count(1)
            with preview.states("/docs/a") as states:
                next(states)
                write_site(site, {"docs/a.mdx": f"# A\n\n{text}\n"})
                next(states)
            page.wait_for_timeout(300)
            expect(field).to_be_focused()
            assert loads == []
            with page.expect_event("load"):
                # A result in the shown page leads nowhere else.
                page.keyboard.press("Escape" if "once" in text else "Enter")
            expect(page.locator("article")).to_contain_text(text)
            loads.clear()


@pytest.mark.slow
def test_more_windows_than_a_browser_has_connections_show_an_edit(site, page):
    with serving(site) as preview:
        windows = [page, *(page.context.new_page() for _ in range(6))]
        for window in windows:
            window.goto(f"http://127.0.0.1:{preview.port}/docs/a")
        for text in ("Second text.", "Third text."):
            write_site(site, {"docs/a.mdx": f"# A\n\n{text}\n"})
            for window in windows:
                expect(window.locator("article")).to_contain_text(text)
        preview.stop()
        expect(page.locator("twinpress-preview section")).to_contain_text("The preview has stopped.")


def asked_by(window: Page) -> list[bool]:
    """Collect, for each question for the state from now on, whether it was for it alone."""
    asked: list[bool] = []

    def note(request: Request) -> None:
        if "/_tp/events" in request.url:
            asked.append(request.url.endswith("&now"))

    window.on("request", note)
    return asked


@pytest.mark.slow
def test_a_crowded_window_asks_only_while_it_is_seen_and_listens_again_when_there_is_room(site, page):
    with serving(site) as preview:
        windows = [page, *(page.context.new_page() for _ in range(5))]
        for window in windows:
            window.goto(f"http://127.0.0.1:{preview.port}/docs/a")
        hidden, seen, *streaming = windows
        by_hidden, by_seen = asked_by(hidden), asked_by(seen)
        happens(seen, lambda: bool(by_hidden and by_seen))
        hidden.evaluate(HIDE, True)
        by_hidden.clear()
        for window in streaming[:2]:
            window.close()
        happens(seen, lambda: by_seen[-1] is False)
        assert by_hidden == []
        by_seen.clear()
        hidden.evaluate(HIDE, False)
        happens(seen, lambda: bool(by_hidden))
        assert (by_hidden, by_seen) == ([False], [])
        write_site(site, {"docs/a.mdx": "# A\n\nSecond text.\n"})
        for window in (hidden, seen, *streaming[2:]):
            expect(window.locator("article")).to_contain_text("Second text.")


def test_an_open_page_follows_the_base_path(site, page):
    with serving(site) as preview:
        visit(page, preview, "/docs/a?b=c#d")
        for base in ("/repo", "/other/deep", ""):
            url = f"url: https://x.example{base}\n" if base else ""
            write_site(site, {"site.yml": f"title: Site\n{url}"})
            page.wait_for_url(f"**:{preview.port}{base}/docs/a?b=c#d")
            expect(page.locator("article")).to_contain_text("First text.")
        assert preview.get("/repo/docs/nowhere").status == 404
        assert preview.get("/repo/docs/a").headers["location"] == "/docs/a"


def test_an_edit_while_the_tab_was_in_the_background_is_not_missed(site, page):
    with serving(site) as preview:
        visit(page, preview, "/docs/a")
        page.evaluate(HIDE, True)
        write_site(site, {"docs/a.mdx": "# A\n\nMeanwhile.\n"})
        preview.says("rebuilt")
        expect(page.locator("article")).to_contain_text("First text.")
        # The page is loaded anew: a preview that stops amid that answers with 503.
        with page.expect_response(lambda response: "/_tp/events" in response.url):
            page.evaluate(HIDE, False)
        expect(page.locator("article")).to_contain_text("Meanwhile.")
        page.wait_for_load_state()


def test_a_problem_appears_in_the_page_and_goes_when_it_is_mended(site, page):
    with serving(site) as preview:
        visit(page, preview, "/docs/a")
        panel = page.locator("twinpress-preview section")
        expect(panel).to_be_hidden()
        write_site(site, {"docs/a.mdx": "# A\n\nSee [a<b & c](nowhere.md).\n"})
        expect(panel).to_be_visible()
        expect(panel.get_by_role("button")).to_have_text("1 error")
        expect(panel.locator(".place")).to_have_text("docs/a.mdx:3:15")
        expect(panel.locator("pre")).to_have_text("3 | See [a<b & c](nowhere.md).\n  |               ^")
        write_site(site, {"docs/a.mdx": "# A\n\nSee [x](./).\n"})
        expect(panel).to_be_hidden()


def test_the_panel_can_be_folded_and_stays_so_until_something_else_is_wrong(site, page):
    write_site(site, {"docs/a.mdx": "[x](nowhere.md)\n"})
    with serving(site) as preview:
        visit(page, preview, "/docs/a")
        button = page.locator("twinpress-preview").get_by_role("button")
        expect(button).to_have_attribute("aria-expanded", "true")
        button.click()
        expect(button).to_have_attribute("aria-expanded", "false")
        visit(page, preview, "/docs/a")
        expect(button).to_have_attribute("aria-expanded", "false")
        # The page is loaded anew: a preview that stops amid that answers with 503.
        with page.expect_response(lambda response: "/_tp/events" in response.url):
            write_site(site, {"docs/a.mdx": "[x](elsewhere.md)\n"})
        expect(button).to_have_attribute("aria-expanded", "true")


def test_a_broken_configuration_is_told_over_the_last_good_page(site, page):
    with serving(site) as preview:
        visit(page, preview, "/docs/a")
        write_site(site, {"site.yml": "title: [\n"})
        panel = page.locator("twinpress-preview section")
        expect(panel.get_by_role("status")).to_have_text("The site is shown as it was before this.")
        expect(panel.locator(".place")).to_contain_text("site.yml:")
        expect(page.locator("article")).to_contain_text("First text.")
        write_site(site, {"site.yml": "title: Other name\n"})
        expect(page).to_have_title("A | Other name")
        expect(panel).to_be_hidden()


def test_the_end_of_the_preview_is_told(site, page):
    with serving(site) as preview:
        visit(page, preview, "/docs/a")
        preview.stop()
        expect(page.locator("twinpress-preview section")).to_contain_text("The preview has stopped.")
        page.goto("about:blank")


def test_a_page_says_that_programs_of_its_site_are_not_run_and_what_to_do(site, page):
    write_site(
        site, {"theme/templates/footer.html": "Own footer.", "theme/boot.js": "document.title = 'Own';"}
    )
    with serving(site, "--port", "0", "--safe") as preview:
        visit(page, preview, "/docs/a")
        panel = page.locator("twinpress-preview")
        note = panel.locator(".notice")
        expect(note).to_contain_text("This site's own programs (1 template and 1 script in its folder theme)")
        expect(note).to_contain_text("--safe")
        expect(note).to_be_visible()
        assert page.title().startswith("A")
        panel.get_by_role("button", name="programs not run").click()
        expect(note).to_be_hidden()
        expect(page.locator("body")).not_to_contain_text("Own footer.")
    with serving(site) as preview:
        visit(page, preview, "/docs/a")
        expect(note).to_contain_text("or with --trust.")
        write_site(site, {"docs/a.mdx": "# A\n\n[Nowhere](nowhere.md)\n"})
        expect(page.locator("twinpress-preview button")).to_contain_text("1 error")
        expect(note).to_be_visible()
    with serving(site, "--port", "0", "--trust") as preview:
        visit(page, preview, "/docs/a")
        expect(page.locator("body")).to_contain_text("Own footer.")
        expect(note).to_be_hidden()
