"""Every page of the dashboard in each view: axe finds nothing, and nothing is beside the screen."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect

from builder.store import ChangeNote
from server.authoring.open_site import OpenSite
from server.control.keys.key_text import KeyKind
from server.readers.tally import DAY, Counts, TallyEntry
from tests.server.dashboard.browser import Browser
from tests.server.dashboard.conftest import Dashboard
from tests.server.dashboard.publishing import ended, held, site_of
from tests.sites import write_site
from tests.waiting import until

pytestmark = pytest.mark.browser
ANN = "ann@example.com"
BERTHS = "---\ntitle: Berths\n---\n\nTwo berths are **free**.\n\n<Nope />\n"
VIEWS = {"desktop": (1280, 900), "phone": (390, 844)}
PAGES = {
    "sites": "/sites",
    "import": "/sites/import",
    "site": "/sites/quay-docs",
    "rename": "/sites/quay-docs/rename",
    "site-delete": "/sites/quay-docs/delete",
    "pages": "/sites/quay-docs/pages",
    "found": "/sites/quay-docs/pages?q=docs",
    "files": "/sites/quay-docs/pages/files",
    "file-history": "/sites/quay-docs/pages/files/history?path=static/img/boat.png",
    "file-text-history": "/sites/quay-docs/pages/files/history?path=static/berths.csv",
    "files-deleted": "/sites/quay-docs/pages/files/deleted",
    "category": "/sites/quay-docs/pages/category?path=docs/guide",
    "editor": "/sites/quay-docs/pages/edit?path=docs/berths",
    "history": "/sites/quay-docs/pages/history?path=docs/berths",
    "move": "/sites/quay-docs/pages/move?path=docs/berths",
    "page-delete": "/sites/quay-docs/pages/delete?path=docs/berths",
    "keys": "/sites/quay-docs/keys",
    "writes": "/sites/quay-docs/keys/{key}/writes",
    "key-delete": "/sites/quay-docs/keys/{key}/delete",
    "settings": "/sites/quay-docs/settings",
    "readers": "/sites/quay-docs/readers",
    "readers-none": "/sites/quay-docs/readers?days=7",
    "notices": "/account/notices",
    "history-delete": "/sites/quay-docs/settings/history/delete",
    "settings-history": "/sites/quay-docs/settings/history",
    "problems": "/sites/quay-docs/problems",
    "databases": "/databases",
    "api-keys": "/databases/keys",
    "activity": "/activity",
    "account": "/account",
    "operator": "/operator",
    "jobs": "/operator/jobs",
    "health": "/operator/health",
    "refused": "/sites/none",
}


@pytest.fixture
def ann(dashboard: Dashboard) -> Browser:
    """An operator with a site in which a key and she herself have written, and one that is to be deleted."""
    account = dashboard.account(ANN, operator=True)
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"})
    browser.post("/sites", {"name": "old-docs"})
    browser.post("/sites/old-docs/delete", {"name": "old-docs"})
    browser.post("/databases/keys", {"label": "nightly"})
    work = dashboard.desk.sites
    site = work.sites.named(account.id, "quay-docs")
    key = work.keys.create(KeyKind.LONG_LIVED, site.id, "ci").record
    work.keys.create(KeyKind.ONE_OFF, site.id)
    with work.opened.using(site) as opened:
        opened.store.write("docs/berths", "mdx", BERTHS, note=ChangeNote(key=key.id, label="ci"))
        opened.store.write("docs/berths", "mdx", BERTHS.replace("Two", "Three"), note=ChangeNote(key=key.id))
        _change_files(opened)
    browser.post("/sites/quay-docs/pages", {"path": "docs/plans", "format": "md"})
    browser.post("/account/webhooks", {"url": f"https://hooks.example.com/{'a-long-name/' * 8}"})
    dashboard.desk.publishing.counts.add(_counted(site.id))
    return browser


def _counted(site: str) -> Counts:
    """Counts of a month before the last week, so that there is a time with readers and one without."""
    last = int(time.time()) // DAY - 8
    found: Counts = {}
    for ago in range(20):
        found[TallyEntry(site, last - ago, "people", "/docs/berths")] = 40 + 7 * (ago * 5 % 13)
        found[TallyEntry(site, last - ago, "agents", "/docs/")] = 10 + 3 * (ago % 7)
    found[TallyEntry(site, last, "agent", "Claude")] = 300
    found[TallyEntry(site, last, "bots", "")] = 1_234
    found[TallyEntry(site, last, "vain_people", f"/docs/{'a-very-long-address-' * 8}")] = 44
    found[TallyEntry(site, last, "vain_agents", "/docs/berth")] = 17
    found[TallyEntry(site, last, "search", "slack water " * 6)] = 19
    return found


def _change_files(opened: OpenSite) -> None:
    """Replace and delete files, and change the settings, as their owner does."""
    note, settings = ChangeNote(label="dashboard"), opened.store.read_file("site.yml")
    later = settings + b"redirects:\n  /docs/harbour: /docs/quay\n"
    long = f"static/img/{'a-picture-with-a-long-name-' * 3}.png"
    opened.store.replace_file("site.yml", later, expected=settings, note=note)
    for file in ("static/img/boat.png", "static/berths.csv", long):
        opened.store.replace_file(file, b"berth,free\n1,yes\n", expected=None, note=note)
        opened.store.replace_file(file, b"berth,free\n1,no\n", expected=b"berth,free\n1,yes\n", note=note)
    opened.store.replace_file(long, None, expected=b"berth,free\n1,no\n", note=note)


@pytest.fixture
def tab(browser: Chromium, ann: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A tab of a view, in which any complaint of the browser fails the test."""
    view, scheme = request.param
    width, height = VIEWS[view]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, base_url=ann.origin
    )
    context.add_cookies(
        [{"name": name, "value": value, "url": ann.origin} for name, value in ann.cookies.items()]
    )
    page, complaints = context.new_page(), list[str]()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert [each for each in complaints if "404 (Not Found)" not in each] == []


EVERY_VIEW = pytest.mark.parametrize(
    "tab",
    [
        ("phone", "dark"),
        # `service/test_every_page.py` sees each page on a wide and light screen: these are for nights.
        pytest.param(("desktop", "light"), marks=pytest.mark.slow),
        pytest.param(("desktop", "dark"), marks=pytest.mark.slow),
        pytest.param(("phone", "light"), marks=pytest.mark.slow),
    ],
    ids="-".join,
    indirect=True,
)


@EVERY_VIEW
def test_every_page_is_for_everybody(tab: Page, ann: Browser, request: pytest.FixtureRequest) -> None:
    (key,) = set(re.findall(r"/keys/(\w+)/delete", ann.get("/sites/quay-docs/keys").text))
    for name, path in PAGES.items():
        _is_for_everybody(tab, name, path.format(key=key), request)


@EVERY_VIEW
def test_what_is_wrong_is_for_everybody(
    tab: Page, ann: Browser, dashboard: Dashboard, request: pytest.FixtureRequest
) -> None:
    site, problems = "/sites/quay-docs", "/sites/quay-docs/problems"
    text = f"{BERTHS}\n[no](no.md)\n"
    fields = {"path": "docs/wrong", "format": "mdx", "text": text, "original": "", "revision": ""}
    ann.post(f"{site}/pages/edit", fields)
    dashboard.desk.looker.start(pytest.fail)
    until(lambda: "data-renew" not in ann.get(problems).text)
    for name, path in {
        "problems-found": problems,
        "site-wrong": site,
        "pages-wrong": f"{site}/pages",
    }.items():
        _is_for_everybody(tab, name, path, request)
    tab.goto(problems)
    tab.get_by_role("link", name="docs/berths.mdx, line").first.click()
    expect(tab.locator("#source")).to_be_focused()
    chosen = "const a = document.getElementById('source'); a.value.slice(a.selectionStart, a.selectionEnd)"
    until(lambda: tab.evaluate(chosen) == "<Nope />")


@EVERY_VIEW
def test_a_list_of_findings_renews_itself(tab: Page, dashboard: Dashboard) -> None:
    tab.goto("/sites/quay-docs/problems?level=error")
    expect(tab.get_by_text("Being looked at")).to_be_visible()
    dashboard.desk.looker.start(pytest.fail)
    expect(tab.get_by_text("As of now")).to_be_visible()
    assert tab.get_by_label("Show").input_value() == "error"


@EVERY_VIEW
def test_publishing_is_for_everybody_at_each_step(
    tab: Page, ann: Browser, dashboard: Dashboard, request: pytest.FixtureRequest
) -> None:
    site, publish, releases = "/sites/quay-docs", "/sites/quay-docs/publish", "/sites/quay-docs/releases"

    def look(**pages: str) -> None:
        for name, path in pages.items():
            _is_for_everybody(tab, name, path, request)

    look(publish=publish, releases_none=releases)
    with held(dashboard):
        job = ann.post(publish)
        look(job_waits=job.path, publish_meanwhile=publish)
    failed = ended(ann, job)
    with put_off(dashboard, int(failed.path.rpartition("/")[2])):
        look(job_put_off=failed.path, publish_put_off=publish, sites_put_off="/sites")
        assert "The disk is full. The next try is at" in ann.get(failed.path).words
        assert "The disk is full. It is tried again at" in ann.get(publish).words
    look(job_failed=failed.path, publish_failed=publish, site_failed=site, sites_failed="/sites")
    done = [ended(ann, ann.post(publish, {"despite_errors": "on"})) for _ in range(2)]
    look(job_done=done[-1].path, releases=releases, site_live=site)
    ann.post(f"{site}/pages/delete", {"path": "docs/guide/writing"})
    root = dashboard.desk.sites.opened.root(site_of(dashboard).id)
    write_site(root, {"docs/guide/organising.mdx": "---\ntitle: Put pages in order\n---\n\n## By folder\n"})
    ann.get(publish)
    rehearsal = f"{publish}/rehearsal"
    until(lambda: "data-renew" not in ann.get(rehearsal).text)
    look(rehearsed=rehearsal, publish_rehearsed=publish)
    ann.post(f"{releases}/1/roll-back")
    look(releases_pinned=releases, offline=f"{releases}/offline")
    ann.post(f"{releases}/offline", {"name": "quay-docs"})
    look(releases_offline=releases, sites_offline="/sites")


@pytest.mark.parametrize("tab", [("phone", "light")], ids="-".join, indirect=True)
def test_a_roll_back_asks_first(tab: Page, ann: Browser, dashboard: Dashboard) -> None:
    for _ in range(2):
        ended(ann, ann.post("/sites/quay-docs/publish", {"despite_errors": "on"}))
    tab.goto("/sites/quay-docs/releases")
    tab.get_by_role("button", name="Roll back to release 1").click()
    asks = tab.get_by_role("dialog", name="Roll back to release #1?")
    assert Axe().run(tab).violations_count == 0
    asks.get_by_role("button", name="Cancel").click()
    expect(asks).to_be_hidden()
    tab.get_by_role("button", name="Roll back to release 1").click()
    asks.get_by_role("button", name="Roll back to #1").click()
    expect(tab.get_by_text("Readers have release #1 until you say otherwise")).to_be_visible()


@contextmanager
def put_off(dashboard: Dashboard, number: int) -> Iterator[None]:
    """Have a job that has failed wait to be tried again."""
    change = (
        "UPDATE publish_jobs SET state = ?, by_itself = 1, tries = 1, said = ?, due_at = ? WHERE number = ?"
    )
    dashboard.desk.database.write(change, ("waiting", "the disk is full", int(time.time()) + 600, number))
    yield
    dashboard.desk.database.write(change, ("failed", "it was given up", 0, number))


def _is_for_everybody(tab: Page, name: str, path: str, request: pytest.FixtureRequest) -> None:
    tab.goto(path)
    found = Axe().run(tab)
    assert found.violations_count == 0, f"{name}: {found.generate_report()}"
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not tab.evaluate(wide), f"{name} is wider than the screen"
    _keep(tab, f"{name.replace('_', '-')}-{request.node.callspec.id}")


def _keep(tab: Page, name: str) -> None:
    """Keep a picture for people, where a folder for them is named."""
    if folder := os.environ.get("TWINPRESS_PICTURES"):
        tab.screenshot(path=Path(folder) / "dashboard" / f"{name}.png", full_page=True)


LONG = "a-name-as-long-as-one-may-be-in-a-name-2"
CUT = """() => [...document.querySelectorAll("main *")].filter(one => {
    if (one.closest("textarea, pre, .choice, .hidden, select")) return false;
    const box = one.getBoundingClientRect();
    const cut = one.matches(".card") && one.scrollWidth > one.clientWidth;
    return cut || box.width > 1 && box.right > innerWidth;
}).map(one => one.outerHTML.slice(0, 90))"""


@pytest.mark.parametrize("tab", [("desktop", "light")], ids="-".join, indirect=True)
def test_long_names_are_cut_at_no_width(tab: Page, ann: Browser, dashboard: Dashboard) -> None:
    dashboard.account(f"{'long.name.of.somebody.' * 2}@department.of.a.company.example.com")
    ann.post("/sites", {"name": LONG})
    ann.post("/databases/keys", {"label": "a_label_" * 8})
    site = f"/sites/{LONG}"
    ann.post(f"{site}/keys", {"kind": "long-lived", "label": "the-label-of-a-key-" * 3})
    ann.post(f"{site}/pages", {"path": f"docs/{'donaudampfschifffahrt' * 4}", "format": "mdx"})
    ended(ann, ann.post(f"{site}/publish"))
    own = [site, f"{site}/pages", f"{site}/keys", f"{site}/publish", f"{site}/releases"]
    here = ["/sites", *own, "/databases/keys", "/activity", "/operator"]
    for width in (360, 768, 1024, 1100):
        tab.set_viewport_size({"width": width, "height": 900})
        for path in here:
            tab.goto(path)
            assert tab.evaluate(CUT) == [], f"{path} at {width}"


@pytest.mark.parametrize("tab", [("phone", "dark")], ids="-".join, indirect=True)
def test_a_suspended_owner_reads_all_and_can_press_nothing(
    tab: Page, ann: Browser, dashboard: Dashboard
) -> None:
    dashboard.desk.accounts.suspend(dashboard.desk.accounts.find(ANN).id, reason="The invoice is open.")
    site = "/sites/quay-docs"
    for path in ("/sites", f"{site}/keys", f"{site}/pages", f"{site}/pages/edit?path=docs/berths"):
        tab.goto(path)
        expect(tab.locator("main button:disabled").first).to_be_visible()
        assert tab.locator("main form[method=post] button:enabled").count() == 0
        assert tab.locator("main a.risk[href], main a[href='#new'], main a[href*='/delete']").count() == 0
        assert tab.locator("main [disabled], main [aria-disabled]").first.get_attribute("title")
        assert tab.locator("main input, main textarea").filter(visible=True).first.is_enabled()
        assert Axe().run(tab).violations_count == 0
        assert tab.locator("main h1").is_visible()


@pytest.mark.parametrize("tab", [("desktop", "dark")], ids="-".join, indirect=True)
def test_times_are_those_of_the_reader(tab: Page, ann: Browser, browser: Chromium) -> None:
    tab.goto("/sites/quay-docs")
    here = tab.locator("time[datetime*=T]").first
    written = str(here.get_attribute("datetime"))
    at = datetime.fromisoformat(written)
    elsewhere = browser.new_context(base_url=ann.origin, timezone_id="Asia/Kathmandu")
    elsewhere.add_cookies(tab.context.cookies())
    other = elsewhere.new_page()
    other.goto("/sites/quay-docs")
    there = at + timedelta(hours=5, minutes=45)
    expect(other.locator(f"time[datetime='{written}']").first).to_contain_text(f", {there:%H:%M}")
    elsewhere.close()


@pytest.mark.parametrize("tab", [("desktop", "dark")], ids="-".join, indirect=True)
def test_paper_is_light_and_has_neither_menu_nor_buttons(tab: Page) -> None:
    for path in ("/sites", "/sites/quay-docs/pages", "/account"):
        tab.goto(path)
        tab.emulate_media(media="screen")
        assert tab.locator("#menu").is_visible()
        assert tab.locator("main .button").filter(visible=True).count() > 0
        dark = tab.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        tab.emulate_media(media="print")
        assert not tab.locator("#menu").is_visible()
        assert tab.locator("h1").is_visible()
        assert tab.locator("main .button").filter(visible=True).count() == 0
        light = tab.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert (dark, light) == ("rgb(15, 17, 23)", "rgb(255, 255, 255)")


@pytest.mark.parametrize("tab", [("desktop", "light")], ids="-".join, indirect=True)
def test_the_mark_of_an_open_folder_points_down(tab: Page) -> None:
    tab.emulate_media(reduced_motion="reduce")
    tab.goto("/sites/quay-docs/pages")
    folder = tab.locator(".tree details").first
    mark = folder.locator("summary .icon").first
    expect(mark).to_have_css("rotate", "90deg")
    folder.locator("summary").click()
    expect(mark).to_have_css("rotate", "none")
