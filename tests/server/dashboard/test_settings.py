"""Settings in the dashboard: fields of a form, and the whole file as text."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from tests.server.dashboard.browser import Browser, Page
from tests.server.dashboard.conftest import Dashboard

SITE = "/sites/quay-docs/settings"


@pytest.fixture
def ann(dashboard: Dashboard) -> Browser:
    """A browser of an account with a site."""
    dashboard.account("ann@example.com")
    browser = dashboard.signed_in("ann@example.com")
    browser.post("/sites", {"name": "quay-docs"})
    settings(dashboard).write_text("# Ours\ntitle: Quay docs # the name\nlanguage: en\n")
    return browser


def settings(dashboard: Dashboard) -> Path:
    """The file."""
    (site,) = dashboard.desk.sites.sites.list(dashboard.desk.accounts.list()[0].id)
    return dashboard.desk.sites.opened.root(site.id) / "site.yml"


def revision(page: Page) -> str:
    """The revision that a page was made of."""
    return re.findall(r'name="revision" value="(\w*)"', page.text)[0]


def typed(page: Page) -> str:
    """The text of the file's form."""
    (found,) = re.findall(r'<textarea id="source"[^>]*>\n(.*?)</textarea>', page.text, re.DOTALL)
    return unescape(found)


def test_fields_are_changed_and_all_other_lines_stay(dashboard: Dashboard, ann: Browser) -> None:
    page = ann.get(SITE)
    assert ('value="Quay docs"' in page.text, 'value="en"' in page.text) == (True, True)
    given = {"title": "Quay: all of it", "accent": "#3451d1", "language": ""}
    assert "Saved." in ann.post(f"{SITE}/common", {"revision": revision(page), **given}).words
    assert (
        settings(dashboard).read_text() == "# Ours\ntitle: 'Quay: all of it' # the name\naccent: '#3451d1'\n"
    )


LINKS = """\
nav:
  - label: Products # ours
    items:
      - {label: Quay, href: /docs/quay/}
  - {label: Sign up, href: https://app.example.com, primary: true}
footer:
  columns:
    - {label: Company, items: [{label: About, href: /about}]}
  social: {github: https://github.com/example, email: hello@example.com}
"""


def test_links_of_header_and_footer_stay_when_fields_are_changed(dashboard: Dashboard, ann: Browser) -> None:
    settings(dashboard).write_text(f"title: Quays\n{LINKS}")
    given = {"revision": revision(ann.get(SITE)), "title": "Quay", "accent": "#3451d1", "language": "de"}
    assert "Saved." in ann.post(f"{SITE}/common", given).words
    assert settings(dashboard).read_text() == f"title: Quay\n{LINKS}language: de\naccent: '#3451d1'\n"


def test_a_field_that_cannot_be_stays_with_the_reason(dashboard: Dashboard, ann: Browser) -> None:
    before = settings(dashboard).read_text()
    given = {"revision": revision(ann.get(SITE)), "title": "Quays", "url": "nowhere", "accent": "bluish"}
    page = ann.post(f"{SITE}/common", given)
    assert page.status == 422
    assert "Expected an address such as" in page.words
    assert "Expected a colour such as" in page.words
    assert ('value="nowhere"' in page.text, 'value="bluish"' in page.text) == (True, True)
    assert "quotes" not in page.words
    assert settings(dashboard).read_text() == before


def test_the_file_is_saved_as_text_and_the_earlier_one_is_kept(dashboard: Dashboard, ann: Browser) -> None:
    page, before = ann.get(SITE), settings(dashboard).read_text()
    assert typed(page) == before
    text = "title: Piers\r\nredirects:\r\n  /old/: /docs/\r\n"
    assert "Saved." in ann.post(f"{SITE}/file", {"revision": revision(page), "text": text}).words
    assert settings(dashboard).read_bytes().decode() == text.replace("\r\n", "\n")
    assert "Piers" in ann.get("/sites/quay-docs").words


def test_a_file_that_cannot_be_read_is_not_saved(dashboard: Dashboard, ann: Browser) -> None:
    before = settings(dashboard).read_text()
    page = ann.post(f"{SITE}/file", {"revision": revision(ann.get(SITE)), "text": "title: [\n"})
    assert (page.status, typed(page)) == (422, "title: [\n")
    assert "Error" in page.words
    assert settings(dashboard).read_text() == before


def test_a_file_that_cannot_be_read_already_is_mended_as_text(dashboard: Dashboard, ann: Browser) -> None:
    settings(dashboard).write_text("title: [\n")
    page = ann.get(SITE)
    assert "site.yml cannot be read" in page.words
    assert ann.post(f"{SITE}/common", {"revision": revision(page), "title": "x"}).status == 400
    assert "Saved." in ann.post(f"{SITE}/file", {"revision": revision(page), "text": "title: x\n"}).words


def test_what_was_changed_meanwhile_is_not_overwritten(dashboard: Dashboard, ann: Browser) -> None:
    page = ann.get(SITE)
    settings(dashboard).write_text("title: Theirs\n")
    refused = ann.post(f"{SITE}/file", {"revision": revision(page), "text": "title: Mine\n"})
    assert refused.status == 409
    assert (typed(refused), "title: Theirs" in refused.words) == ("title: Mine\n", True)
    assert settings(dashboard).read_text() == "title: Theirs\n"
    assert (
        "Saved." in ann.post(f"{SITE}/file", {"revision": revision(refused), "text": "title: Mine\n"}).words
    )


def test_a_page_that_moves_leads_its_readers_on(dashboard: Dashboard, ann: Browser) -> None:
    move = {"path": "docs/reference/api", "to": "docs/api", "redirect": "on"}
    ann.post("/sites/quay-docs/pages/move", move)
    assert settings(dashboard).read_text().endswith("redirects:\n  /docs/reference/api: /docs/api\n")
    ann.post(
        "/sites/quay-docs/pages/move", {"path": "docs/api", "to": "docs/reference/api", "redirect": "on"}
    )
    assert "/docs/reference/api: " not in settings(dashboard).read_text()
    assert "/docs/api: /docs/reference/api" in settings(dashboard).read_text()


def test_old_versions_are_deleted_by_the_typed_name(dashboard: Dashboard, ann: Browser) -> None:
    for text in ("title: Piers\n", "title: Quays\n"):
        ann.post(f"{SITE}/file", {"revision": revision(ann.get(SITE)), "text": text})
    page = ann.get(f"{SITE}/history/delete")
    assert "it may have 2.0 GB" in page.words
    refused = ann.post(f"{SITE}/history/delete", {"name": "quay", "days": "0"})
    assert (refused.status, "Type quay-docs to delete" in refused.words) == (422, True)
    assert "0 old versions are deleted" in ann.post(f"{SITE}/history/delete", {"name": "quay-docs"}).words
    done = ann.post(f"{SITE}/history/delete", {"name": "quay-docs", "days": "0"})
    assert re.search(r"[1-9] old versions? (is|are) deleted", done.words)
    assert settings(dashboard).read_text() == "title: Quays\n"
    assert re.findall(r"revision=(\w{40})", ann.get(HISTORY).text) == []
    assert "Old versions deleted quay-docs You" in ann.get("/activity").words


MANY = "title: Quays\nredirects:\n" + "".join(f"  /a{number}: /docs/\n" for number in range(6_000))
HUGE = MANY + "".join(f"  /b{number}: /docs/\n" for number in range(20_000))


def test_settings_with_many_redirects_are_changed_by_the_form(dashboard: Dashboard, ann: Browser) -> None:
    settings(dashboard).write_text(MANY)
    page = ann.post(f"{SITE}/common", {"revision": revision(ann.get(SITE)), "title": "Piers"})
    assert "Saved." in page.words
    assert settings(dashboard).read_text() == MANY.replace("Quays", "Piers")


def test_settings_that_are_too_long_are_not_saved(dashboard: Dashboard, ann: Browser) -> None:
    page = ann.post(f"{SITE}/file", {"revision": revision(ann.get(SITE)), "text": HUGE})
    assert (page.status, "more than 256 KB" in page.words) == (422, True)
    assert "Quay docs" in settings(dashboard).read_text()


def test_settings_that_are_too_long_already_are_shown(dashboard: Dashboard, ann: Browser) -> None:
    settings(dashboard).write_text(HUGE)
    page = ann.get(SITE)
    assert (page.status, "more than 256 KB" in page.words) == (200, True)
    given = {"revision": revision(page), "title": "Piers"}
    assert ann.post(f"{SITE}/common", given).status == 400
    move = {"path": "docs/reference/api", "to": "docs/api", "redirect": "on"}
    moved = ann.post("/sites/quay-docs/pages/move", move)
    assert "The page is at docs/api now. But there is no redirect to it" in moved.words
    assert "Saved." in ann.post(f"{SITE}/file", {"revision": revision(page), "text": "title: Piers\n"}).words


HISTORY = "/sites/quay-docs/settings/history"
RESTORE = "/sites/quay-docs/pages/files/restore"


def test_each_version_is_shown_and_comes_back_after_a_check(dashboard: Dashboard, ann: Browser) -> None:
    ann.get("/sites/quay-docs")
    before = settings(dashboard).read_text()
    for text in ("title: Piers\n", "title: Piers\naccent: '#3451d1'\n"):
        ann.post(f"{SITE}/file", {"revision": revision(ann.get(SITE)), "text": text})
    ann.post(
        "/sites/quay-docs/pages/move", {"path": "docs/reference/api", "to": "docs/api", "redirect": "on"}
    )
    page = ann.get(HISTORY)
    assert ("changed by you" in page.words, "redirects:" in page.words) == (True, True)
    revisions = re.findall(r"revision=(\w{40})", page.text)
    older = ann.get(f"{HISTORY}?revision={revisions[0]}")
    assert "accent:" in older.words
    done = ann.post(RESTORE, {"file": "site.yml", "revision": revisions[1]})
    assert "site.yml is as it was" in done.words
    assert settings(dashboard).read_text() == "title: Piers\n"
    done = ann.post(RESTORE, {"file": "site.yml", "revision": f"{revisions[1]}^"})
    assert settings(dashboard).read_text() == before


def test_a_version_that_cannot_be_read_is_not_restored(dashboard: Dashboard, ann: Browser) -> None:
    settings(dashboard).write_text("title: [\n")
    ann.get(HISTORY)
    ann.post(f"{SITE}/file", {"revision": revision(ann.get(SITE)), "text": "title: x\n"})
    last = re.findall(r'name="revision" value="(\w{40})\^"', ann.get(HISTORY).text)[0]
    page = ann.post(RESTORE, {"file": "site.yml", "revision": f"{last}^"})
    assert (page.status, "has errors, so it is not restored" in page.words) == (422, True)
    assert settings(dashboard).read_text() == "title: x\n"


ORDER = "- docs/index\n- label: Guide\n  items: [docs/guide/writing]\n"


def order_revision(page: Page) -> str:
    """The revision of the sidebar's file that a page was made of."""
    return re.findall(r'name="revision" value="(\w*)"', page.text.partition('id="sidebar"')[2])[0]


def test_the_sidebar_is_saved_as_text_and_decides(dashboard: Dashboard, ann: Browser) -> None:
    assert 'id="sidebar"' not in ann.get(SITE).text
    file = settings(dashboard).with_name("sidebar.yml")
    settings(dashboard).write_text("title: Quay\nsidebar: sidebar.yml\n")
    page = ann.get(SITE)
    assert (order_revision(page), "The order of pages" in page.words) == ("", True)
    given = {"revision": "", "text": ORDER.replace("\n", "\r\n")}
    assert "Saved." in ann.post(f"{SITE}/sidebar", given).words
    assert file.read_text() == ORDER
    pages = ann.get("/sites/quay-docs/pages")
    assert "The order of the sidebar comes from sidebar.yml" in pages.words
    assert "Unlisted" in pages.words
    written = ann.get("/sites/quay-docs/pages/edit?path=docs/reference/api").words
    assert (
        "`sidebar.yml` does not name this page" in written or "sidebar.yml does not name this page" in written
    )
    history = ann.get("/sites/quay-docs/pages/files/history?path=sidebar.yml")
    assert history.status == 200


def test_a_sidebar_that_cannot_be_read_or_was_changed_is_not_saved(
    dashboard: Dashboard, ann: Browser
) -> None:
    file = settings(dashboard).with_name("sidebar.yml")
    file.write_text(ORDER)
    page = ann.get(SITE)
    assert "Not used" in page.words
    revision = order_revision(page)
    wrong = ann.post(f"{SITE}/sidebar", {"revision": revision, "text": "- [docs/index\n"})
    assert (wrong.status, "- [docs/index" in wrong.text, "Error" in wrong.words) == (422, True, True)
    unknown = ann.post(f"{SITE}/sidebar", {"revision": revision, "text": "title: x\n"})
    assert unknown.status == 422
    file.write_text(f"{ORDER}- docs/theirs\n")
    late = ann.post(f"{SITE}/sidebar", {"revision": revision, "text": "- docs/mine\n"})
    assert (late.status, "docs/mine" in late.text, "docs/theirs" in late.text) == (409, True, True)
    assert file.read_text().endswith("docs/theirs\n")
