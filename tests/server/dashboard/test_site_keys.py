"""Keys of a site in the dashboard: shown once, ended, and what they wrote undone."""

from __future__ import annotations

import html
import re

import pytest

from builder.store import ChangeNote
from server.control.errors import BadKey, DisabledKey
from server.control.hosted_sites import HostedSite
from server.dashboard import revision_views, site_key_pages
from tests.server.dashboard.browser import Browser, Page
from tests.server.dashboard.conftest import Dashboard

ANN = "ann@example.com"
KEYS = "/sites/quay-docs/keys"


@pytest.fixture
def browser(dashboard: Dashboard) -> Browser:
    """A browser of an account with a site."""
    dashboard.account(ANN)
    found = dashboard.signed_in(ANN)
    found.post("/sites", {"name": "quay-docs"})
    return found


def site(dashboard: Dashboard) -> HostedSite:
    (found,) = dashboard.desk.sites.sites.list(dashboard.desk.accounts.list()[0].id)
    return found


def key_in(page: Page) -> str:
    """The key that a page shows."""
    (found,) = re.findall(r'<code id="key">(.*?)</code>', page.text)
    return str(found)


def wrote(dashboard: Dashboard, key: str, path: str, text: str) -> None:
    """A write with a key, as the API makes it."""
    with dashboard.desk.sites.opened.using(site(dashboard)) as opened:
        opened.store.write(path, "mdx", text, note=ChangeNote(key=key))


def text(dashboard: Dashboard, path: str) -> str:
    with dashboard.desk.sites.opened.using(site(dashboard)) as opened:
        return opened.store.read(path).text


def test_a_one_off_key_is_shown_once_with_a_prompt(dashboard: Dashboard, browser: Browser) -> None:
    page = browser.post(KEYS, {"kind": "one-off"})
    key = key_in(page)
    assert f"Authorization: Bearer {key}" in page.text.replace("&#39;", "'")
    assert "add what it should write" in page.words
    assert "expires in 60 minutes" in page.words or "expires in 59 minutes" in page.words
    assert page.headers["cache-control"] == "no-store"
    assert dashboard.desk.sites.keys.check(key).site == site(dashboard).id
    again = browser.get(page.path)
    assert key not in again.text
    assert "minutes left" in again.words


def test_the_prompt_ends_with_the_task_of_its_form(browser: Browser) -> None:
    task = "\r\nWrite <b>about</b> {backups}.\r\n\r\n- With \x1b steps."
    page = browser.post(KEYS, {"kind": "one-off", "task": task})
    said = html.unescape(page.text.partition('aria-label="Prompt">')[2].partition("</pre>")[0])
    assert said.endswith("\nMy task for you:\n\nWrite <b>about</b> {backups}.\n\n- With ␛ steps.\n")
    assert f"\nKey: {key_in(page)}\n" in said
    assert "<b>about" not in page.text
    assert "add what it should write" not in page.words


@pytest.mark.parametrize("kind", ["one-off", "long-lived"])
def test_a_key_may_change_the_navigation_only_where_its_owner_ticks_that(
    dashboard: Dashboard, browser: Browser, kind: str
) -> None:
    plain, ticked = browser.post(KEYS, {"kind": kind}), browser.post(KEYS, {"kind": kind, "navigation": "on"})
    allowed = [dashboard.desk.sites.keys.check(key_in(page)).navigation for page in (plain, ticked)]
    assert allowed == [False, True]
    said = "It can change the header, the footer and the sidebar too."
    assert [said in page.words for page in (plain, ticked)] == [False, True]
    assert browser.get(KEYS).words.count("Pages and navigation") == 1
    refused = browser.post(KEYS, {"kind": kind, "label": "x" * 99, "navigation": "on"})
    assert 'name="navigation" value="on" checked' in refused.text


def test_a_key_page_says_what_becomes_of_its_writes(browser: Browser) -> None:
    long_lived = {"kind": "long-lived", "label": "ci"}
    new = browser.post(KEYS, long_lived).words
    assert "It cannot publish: readers get what it writes when you publish the site." in new
    assert "A script needs only the key" in new
    browser.post("/sites/quay-docs/publish/by-itself", {"keys": "long_lived"})
    assert "It cannot publish" in browser.post(KEYS, {"kind": "one-off"}).words
    assert "What it writes is published by itself" in browser.post(KEYS, long_lived).words
    browser.post("/sites/quay-docs/publish/by-itself", {"keys": "all"})
    assert "What it writes is published by itself" in browser.post(KEYS, {"kind": "one-off"}).words


def test_a_one_off_key_can_be_ended(dashboard: Dashboard, browser: Browser) -> None:
    key = key_in(browser.post(KEYS, {"kind": "one-off"}))
    id = dashboard.desk.sites.keys.check(key).id
    assert browser.post(f"{KEYS}/{id}/rotate").status == 404
    assert "has ended" in browser.post(f"{KEYS}/{id}/end").words
    with pytest.raises(BadKey):
        dashboard.desk.sites.keys.check(key)


def test_a_long_lived_key_is_rotated_disabled_enabled_and_deleted(
    dashboard: Dashboard, browser: Browser
) -> None:
    keys = dashboard.desk.sites.keys
    first = key_in(browser.post(KEYS, {"kind": "long-lived", "label": "ci"}))
    id = keys.check(first).id
    assert browser.post(f"{KEYS}/{id}/end").status == 404
    second = key_in(browser.post(f"{KEYS}/{id}/rotate"))
    with pytest.raises(BadKey):
        keys.check(first)
    assert keys.check(second).label == "ci"
    assert "Disabled by you" in browser.post(f"{KEYS}/{id}/disable").words
    with pytest.raises(DisabledKey):
        keys.check(second)
    browser.post(f"{KEYS}/{id}/enable")
    assert keys.check(second).id == id
    assert browser.post(f"{KEYS}/{id}/delete", {"name": "other"}).status == 422
    assert "What it wrote stays" in browser.post(f"{KEYS}/{id}/delete", {"name": "ci"}).words
    with pytest.raises(BadKey):
        keys.check(second)


def test_a_key_without_a_label_is_deleted_by_signs_that_keyboards_have(
    dashboard: Dashboard, browser: Browser
) -> None:
    key = dashboard.desk.sites.keys.check(key_in(browser.post(KEYS, {"kind": "long-lived"})))
    where = f"{KEYS}/{key.id}/delete"
    assert f"Type {key.last_four} " in browser.get(where).words
    assert f"Type {key.last_four} to delete this key." in browser.post(where, {"name": "else"}).words
    assert "is deleted." in browser.post(where, {"name": key.last_four}).words


def test_a_label_that_cannot_be_is_said_beside_its_field(browser: Browser) -> None:
    page = browser.post(KEYS, {"kind": "long-lived", "label": "x" * 81})
    assert (page.status, "80 characters or fewer" in page.words) == (422, True)


def test_what_a_key_wrote_is_one_difference_and_can_be_undone(dashboard: Dashboard, browser: Browser) -> None:
    before = text(dashboard, "docs/index")
    key = dashboard.desk.sites.keys.check(key_in(browser.post(KEYS, {"kind": "one-off"}))).id
    assert "written nothing" in browser.get(f"{KEYS}/{key}/writes").words
    wrote(dashboard, key, "docs/berths", "One.\n")
    wrote(dashboard, key, "docs/berths", "Two.\n")
    wrote(dashboard, key, "docs/index", before + "More.\n")
    page = browser.get(f"{KEYS}/{key}/writes")
    assert "docs/berths.mdx" in page.words
    assert "Two." in page.words
    assert "One." not in page.words
    assert "Files 2" in page.words
    assert "is as before" in browser.post(f"{KEYS}/{key}/undo", {"page": "docs/berths"}).words
    assert "docs/berths.mdx" not in browser.get(f"{KEYS}/{key}/writes").words
    done = browser.post(f"{KEYS}/{key}/undo")
    assert "All that it wrote is undone" in done.words
    assert text(dashboard, "docs/index") == before


def test_what_changed_since_is_not_undone(dashboard: Dashboard, browser: Browser) -> None:
    key = dashboard.desk.sites.keys.check(key_in(browser.post(KEYS, {"kind": "one-off"}))).id
    wrote(dashboard, key, "docs/berths", "One.\n")
    wrote(dashboard, key, "docs/quays", "Quays.\n")
    wrote(dashboard, "", "docs/berths", "Mine.\n")
    page = browser.get(f"{KEYS}/{key}/writes")
    assert "docs/berths changed since" in page.words
    assert 'href="/sites/quay-docs/pages/history?path=docs/berths"' in page.text
    for undo in ({}, {"page": "docs/berths"}):
        refused = browser.post(f"{KEYS}/{key}/undo", undo)
        assert 'class="notice warn" role="status"' in refused.text
        assert "Nothing was undone: somebody else has changed" in refused.words
    assert "Nothing was undone" in browser.post(f"{KEYS}/{key}/undo", {"page": "docs/none"}).words
    browser.post(f"{KEYS}/{key}/undo", {"leave_conflicts": "on"})
    assert text(dashboard, "docs/berths") == "Mine.\n"
    assert browser.get("/sites/quay-docs/pages/edit?path=docs/quays").status == 404


def test_of_a_key_that_wrote_very_much_a_part_is_shown(dashboard: Dashboard, browser: Browser) -> None:
    key = dashboard.desk.sites.keys.check(key_in(browser.post(KEYS, {"kind": "one-off"}))).id
    for number in range(6):
        wrote(dashboard, key, f"docs/large-{number}", "x\n" * 90_000)
    page = browser.get(f"{KEYS}/{key}/writes")
    assert "Files 6" in page.words
    assert page.words.count("too long to be compared here") >= 3
    assert page.text.count("<li") < 2 * revision_views.MOST_ROWS


def test_of_very_many_files_the_first_are_shown(
    dashboard: Dashboard, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revision_views, "MOST_FILES", 2)
    key = dashboard.desk.sites.keys.check(key_in(browser.post(KEYS, {"kind": "one-off"}))).id
    for number in range(3):
        wrote(dashboard, key, f"docs/new-{number}", "x\n")
    page = browser.get(f"{KEYS}/{key}/writes")
    assert "Files 3" in page.words
    assert "the first 2 files" in page.words
    assert "docs/new-2" not in page.words


def test_what_does_not_fit_into_memory_is_undone_page_by_page(
    dashboard: Dashboard, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_key_pages, "PUT_BACK", 2 * 1024 * 1024)
    key = dashboard.desk.sites.keys.check(key_in(browser.post(KEYS, {"kind": "one-off"}))).id
    for number in range(3):
        wrote(dashboard, key, f"docs/large-{number}", str(number) * 1_000_000)
    said = browser.post(f"{KEYS}/{key}/undo").words
    assert "Nothing was undone. These changes have more than 2 MB of text: take fewer pages" in said
    assert text(dashboard, "docs/large-0").startswith("000")
    assert "1 file is as before" in browser.post(f"{KEYS}/{key}/undo", {"page": "docs/large-0"}).words


def test_keys_of_another_site_are_not_here(dashboard: Dashboard, browser: Browser) -> None:
    browser.post("/sites", {"name": "pier-docs"})
    key = dashboard.desk.sites.keys.check(key_in(browser.post(KEYS, {"kind": "long-lived", "label": "a"}))).id
    for act in ("rotate", "disable", "enable", "end", "delete"):
        assert browser.post(f"/sites/pier-docs/keys/{key}/{act}").status == 404
    assert browser.get(f"/sites/pier-docs/keys/{key}/writes").status == 404
