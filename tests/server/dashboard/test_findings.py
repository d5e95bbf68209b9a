"""Faults of a site: in the overview, the tree and a list, with links that others have broken."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.dashboard.finding_pages import SHOWN
from tests.server.dashboard.browser import Browser, Page
from tests.server.dashboard.conftest import Dashboard, running
from tests.server.dashboard.publishing import site_of
from tests.waiting import until

SITE = "/sites/quay-docs"
LINKED = "---\ntitle: Berths\n---\n\nSee [the crane](crane.mdx#load).\n\n{stripped}\n"
CRANE = "---\ntitle: Crane\n---\n\n## Load\n\nTen tons.\n"


@pytest.fixture
def looking(tmp_path: Path) -> Iterator[Dashboard]:
    """The dashboard of Ann, who has a site, and its looks."""
    faults: list[str] = []
    with running(tmp_path / "data") as found:
        found.desk.looker.start(faults.append)
        found.account("ann@example.com")
        found.signed_in("ann@example.com").post("/sites", {"name": "quay-docs"})
        yield found
    assert faults == []


def saved(browser: Browser, path: str, text: str) -> None:
    """Save a page in the editor."""
    page = browser.get(f"{SITE}/pages/edit?path={path}")
    found = re.search(r'name="revision" value="([^"]*)"', page.text) if page.status == 200 else None
    revision = found[1] if found else ""
    form = {"path": path, "format": "mdx", "text": text, "original": "", "revision": revision}
    assert browser.post(f"{SITE}/pages/edit", form).status == 200


def looked(browser: Browser, query: str = "") -> Page:
    """The list of findings, when the site was looked at as it is."""
    return until(
        lambda: page if "data-renew" not in (page := browser.get(f"{SITE}/problems{query}")).text else None
    )


def test_a_site_without_a_fault_says_so(looking: Dashboard) -> None:
    browser = looking.signed_in("ann@example.com")
    page = looked(browser)
    assert "Nothing is wrong" in page.words
    assert "What is wrong Nothing" in browser.get(SITE).words
    assert "Nothing is wrong." in browser.get(f"{SITE}/pages").words


def test_each_finding_has_its_place_its_way_out_and_the_way_there(looking: Dashboard) -> None:
    browser = looking.signed_in("ann@example.com")
    saved(browser, "docs/berths", LINKED)
    page = looked(browser)
    assert "2 findings" in page.words
    assert f'href="{SITE}/pages/edit?path=docs/berths#line-5"' in page.text
    assert "docs/berths.mdx, line 5" in page.words
    assert 'id="line-5"' in browser.get(f"{SITE}/pages/edit?path=docs/berths").text
    assert "1 error and 1 remark" in browser.get(SITE).words
    assert "1 error" in browser.get(f"{SITE}/pages?show=wrong").words
    assert "1 page found" in browser.get(f"{SITE}/pages?show=wrong").words


def test_who_wants_to_publish_reads_of_the_errors_before(looking: Dashboard) -> None:
    browser = looking.signed_in("ann@example.com")
    assert "stops at errors" not in browser.get(f"{SITE}/publish").words
    saved(browser, "docs/berths", LINKED)
    looked(browser)
    page = browser.get(f"{SITE}/publish")
    assert "1 error is known Publishing stops at errors, but for those in drafts." in page.words
    assert f'href="{SITE}/problems?level=error"' in page.text


def test_a_file_that_can_be_no_page_leads_to_no_editor(looking: Dashboard) -> None:
    with looking.desk.sites.opened.using(site_of(looking)) as opened:
        (opened.root / "docs/two words.mdx").write_text("---\ntitle: Two\n---\n")
    page = looked(looking.signed_in("ann@example.com"))
    assert "docs/two words.mdx" in page.words
    assert "pages/edit?path=docs/two" not in page.text


def test_a_link_breaks_when_another_page_goes_and_is_mended_when_it_comes(looking: Dashboard) -> None:
    browser = looking.signed_in("ann@example.com")
    saved(browser, "docs/crane", CRANE)
    saved(browser, "docs/berths", LINKED)
    assert "1 finding" in looked(browser).words
    assert "1 remark" in browser.get(f"{SITE}/pages?show=wrong").words
    browser.post(f"{SITE}/pages/delete", {"path": "docs/crane"})
    with looking.desk.sites.opened.using(site_of(looking)) as opened:
        assert opened.bytes_of("docs/crane.mdx") is None
    assert "1 error" in browser.get(f"{SITE}/pages?show=wrong").words or "Being looked at again" in (
        browser.get(f"{SITE}/pages").words
    )
    assert "docs/berths.mdx, line 5" in looked(browser).words
    saved(browser, "docs/crane", CRANE.replace("Load", "Reach"))
    assert "nothing with the id load" in looked(browser).words


def test_of_a_page_that_was_mended_nothing_is_told_any_more(looking: Dashboard) -> None:
    browser = looking.signed_in("ann@example.com")
    saved(browser, "docs/berths", LINKED)
    looked(browser)
    saved(browser, "docs/berths", "---\ntitle: Berths\n---\n\nSee the crane.\n")
    assert "docs/berths" not in browser.get(f"{SITE}/problems").words
    assert "Nothing is wrong" in looked(browser).words


def test_findings_are_shown_by_level_and_by_words(looking: Dashboard) -> None:
    browser = looking.signed_in("ann@example.com")
    saved(browser, "docs/berths", LINKED)
    saved(browser, "docs/quays", "[no](no.md)\n")
    looked(browser)
    for query, files in (
        ("?level=error", ["docs/berths.mdx", "docs/quays.mdx"]),
        ("?level=warning", ["docs/berths.mdx"]),
        ("?q=QUAYS", ["docs/quays.mdx"]),
        ("?q=quays&level=info", []),
        ("?level=nonsense&page=77", ["docs/berths.mdx", "docs/quays.mdx", "docs/berths.mdx"]),
    ):
        found = re.findall(r"<code>(docs/[a-z.]+)</code>", browser.get(f"{SITE}/problems{query}").text)
        assert found == files, query


def test_a_long_list_has_pages(looking: Dashboard) -> None:
    browser = looking.signed_in("ann@example.com")
    saved(browser, "docs/berths", "[no](no.md)\n\n" * (SHOWN + 1))
    page = looked(browser)
    assert f"{SHOWN + 1} findings" in page.words
    assert "Page 1 of 2" in page.words
    assert page.words.count("docs/berths.mdx") == SHOWN
    assert browser.get(f"{SITE}/problems?page=2").words.count("docs/berths.mdx") == 1


def test_an_agents_write_is_looked_at_though_nobody_asks(looking: Dashboard) -> None:
    site = site_of(looking)
    with looking.desk.sites.opened.using(site) as opened:
        opened.store.write("docs/berths", "mdx", LINKED)

        def found() -> bool:
            kept = looking.desk.looker.files.get(site.id)
            return kept is not None and "docs/berths.mdx" in kept.files

        until(found)


def test_settings_and_folders_lead_to_their_forms(looking: Dashboard) -> None:
    browser, site = looking.signed_in("ann@example.com"), site_of(looking)
    root = looking.desk.sites.opened.root(site.id)
    saved(browser, "docs/more/a", "text\n")
    (root / "docs/more/_category_.yml").write_text("label: [\n")
    (root / "site.yml").write_text("title: T\ntitel: U\n")
    page = looked(browser)
    assert f'href="{SITE}/settings#file"' in page.text
    assert f'href="{SITE}/pages/category?path=docs/more"' in page.text


def test_a_service_that_does_not_look_says_what_reading_tells(dashboard: Dashboard) -> None:
    dashboard.account("ann@example.com")
    browser = dashboard.signed_in("ann@example.com")
    browser.post("/sites", {"name": "quay-docs"})
    saved(browser, "docs/berths", "---\nposition: x\n---\n[no](no.md)\n")
    page = browser.get(f"{SITE}/problems")
    assert "Being looked at" in page.words
    assert page.words.count("docs/berths.mdx") == 1


def test_an_empty_site_has_its_pages_in_the_dashboard(looking: Dashboard) -> None:
    browser, root = looking.signed_in("ann@example.com"), looking.desk.sites.opened.root(site_of(looking).id)
    for name in ("docs", "pages"):
        shutil.rmtree(root / name)
    (root / "site.yml").unlink()
    assert "Nothing is wrong" in looked(browser).words
    for page in ("", "/pages", "/pages/files", "/settings", "/publish"):
        assert browser.get(f"{SITE}{page}").status == 200, page
