"""Publishing in the dashboard with a real publisher: every state of a site, a job and its releases."""

from __future__ import annotations

import gzip
import http.client
import io
import re
import time
import zipfile
from contextlib import suppress

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import expect

from server.control.audit import By
from server.control.errors import DatabaseFull
from server.dashboard.pages import STATIC
from server.releases.release_store import POINTER
from tests.server.dashboard.browser import Browser, Page
from tests.server.dashboard.conftest import Dashboard
from tests.server.dashboard.publishing import ended, held, site_of
from tests.sites import write_site
from tests.waiting import PATIENCE, until

ANN, BOB = "ann@example.com", "bob@example.com"
SITE = "/sites/quay-docs"
BROKEN = "---\ntitle: Berths\n---\n\n[Nowhere](/docs/nowhere)\n"
MENDED = "---\ntitle: Berths\n---\n\nTwo berths are free.\n"


@pytest.fixture
def ann(dashboard: Dashboard) -> Browser:
    """A browser of an owner with a site that was never published."""
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"})
    return browser


def write(dashboard: Dashboard, files: dict[str, str]) -> None:
    """Write files of Ann's site."""
    write_site(dashboard.desk.sites.opened.root(site_of(dashboard).id), files)


def publish(browser: Browser, form: dict[str, str] | None = None) -> Page:
    """Publish, and wait for the end."""
    return ended(browser, browser.post(f"{SITE}/publish", form))


def downloaded(browser: Browser, path: str) -> tuple[http.client.HTTPResponse, bytes]:
    """An answer and its body, which need not be text."""
    connection = http.client.HTTPConnection("127.0.0.1", browser.port, timeout=PATIENCE)
    cookies = "; ".join(f"{name}={text}" for name, text in browser.cookies.items())
    connection.request("GET", path, headers={"Host": f"localhost:{browser.port}", "Cookie": cookies})
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer, data


def test_a_site_is_published_from_its_overview_on(ann: Browser) -> None:
    words = ann.get(SITE).words
    assert "Never published" in words
    assert "Readers get the site at http://quay-docs.localhost:8081" in words
    assert "Never published" in ann.get("/sites").words
    assert "Never published" in ann.get(f"{SITE}/releases").words
    page = ann.get(f"{SITE}/publish")
    assert "None: never published" in page.words
    assert "despite_errors" not in page.text
    done = publish(ann)
    assert re.fullmatch(rf"{SITE}/publish/[0-9]+", done.path)
    assert "Readers have release #1" in done.words
    assert 'href="http://quay-docs.localhost:8081/"' in done.text
    assert re.search(r"Snapshot of \d+ files \d\d:", done.words)
    assert "0 seconds" not in done.words
    for path in (SITE, "/sites", f"{SITE}/publish", f"{SITE}/releases"):
        words = ann.get(path).words
        assert "Live" in words or path.endswith("publish")
        assert "#1" in words
    words = ann.get(f"{SITE}/publish").words
    assert "No changes since release #1 Nothing. Readers have the site as it is." in words
    assert "Publishing started" in ann.get("/activity").words


def test_a_release_leads_to_the_pages_that_were_written_last(ann: Browser) -> None:
    ann.post(f"{SITE}/pages", {"path": "docs/plans", "format": "md"})
    ann.post(f"{SITE}/pages", {"path": "docs/secret", "format": "md"})
    draft = {"path": "docs/secret", "format": "md", "text": "---\ndraft: true\n---\n", "original": ""}
    revision = re.findall(
        r'name="revision" value="(\w+)"', ann.get(f"{SITE}/pages/edit?path=docs/secret").text
    )
    ann.post(f"{SITE}/pages/edit", {**draft, "revision": revision[0]})
    done = publish(ann)
    (there,) = re.findall('href="http://quay-docs.localhost:8081(/docs/.*?)"', done.text)
    assert there.rstrip("/") == "/docs/plans"


def test_writes_since_the_live_release_are_listed(dashboard: Dashboard, ann: Browser) -> None:
    publish(ann)
    records = dashboard.desk.publishing.releases.list(site_of(dashboard))
    until(lambda: time.time() > records[0].created_at + 1)
    ann.post(f"{SITE}/pages", {"path": "docs/plans", "format": "md"})
    page = ann.get(f"{SITE}/publish")
    assert "1 change since release #1" in page.words
    assert "Publish 1 change" in page.words
    assert "Plans docs/plans" in page.words
    assert "Changes of docs/plans.md" in page.text


def _rehearsed(browser: Browser) -> Page:
    """The page of the rehearsal, when it has ended."""
    return ended(browser, browser.get(f"{SITE}/publish/rehearsal"))


def test_anchors_that_would_be_gone_are_told_before_publishing(dashboard: Dashboard, ann: Browser) -> None:
    write(dashboard, {"docs/tides.md": "# Tides\n\n## High water\n\n## Low water\n"})
    publish(ann)
    assert "Nothing is compared now." in ann.get(f"{SITE}/publish/rehearsal").words
    assert "Links to headings" not in ann.get(f"{SITE}/publish").words  # nothing has changed
    write(dashboard, {"docs/tides.md": "# Tides\n\n## High waters\n\n## Low water\n\n[x](nowhere.md)\n"})
    assert "Building the site as readers would have it" in ann.get(f"{SITE}/publish").words
    words = _rehearsed(ann).words
    assert "1 anchor would be gone" in words
    assert "/docs/tides#high-water Now #high-waters?" in words
    assert "1 error" in words
    assert "1 anchor would be gone" in ann.get(f"{SITE}/publish").words
    write(dashboard, {"docs/tides.md": "# Tides\n\n## High waters {#high-water}\n\n## Low water\n"})
    ann.get(f"{SITE}/publish")
    assert "All of them lead where they did" in _rehearsed(ann).words
    publish(ann)
    assert "Links to headings" not in ann.get(f"{SITE}/publish").words


def test_what_keeps_a_rehearsal_from_its_end_is_told(dashboard: Dashboard, ann: Browser) -> None:
    publish(ann)
    write(dashboard, {"docs/tides.md": "# Tides\n"})
    with held(dashboard):
        ann.get(f"{SITE}/publish")
        assert "They could not be compared: the site is being published" in _rehearsed(ann).words
    ann.get(f"{SITE}/publish")
    assert "All of them lead where they did" in _rehearsed(ann).words


def test_a_site_of_another_name_or_plan_is_to_be_published_again(dashboard: Dashboard, ann: Browser) -> None:
    publish(ann)
    assert "Publish again" not in ann.get("/sites").words
    assert re.search(r"#1 .*\b[0-9]+ KB\b", ann.get(f"{SITE}/releases").words)
    ann.post(f"{SITE}/rename", {"name": "pier-docs"})
    for path in ("/sites", "/sites/pier-docs/publish"):
        assert "Publish again" in ann.get(path).words
    words = ann.get("/sites/pier-docs/publish").words
    assert "name http://quay-docs.localhost:8081 as the address of the site." in words
    assert "http://pier-docs.localhost:8081 now." in words
    assert "name http://quay-docs.localhost:8081 as the address" in ann.get("/sites/pier-docs").words
    ended(ann, ann.post("/sites/pier-docs/publish"))
    assert "Publish again" not in ann.get("/sites").words
    dashboard.desk.accounts.set_plan(dashboard.desk.accounts.find(ANN).id, "premium")
    assert "Publish again" in ann.get("/sites").words
    words = ann.get("/sites/pier-docs/publish").words
    assert "Readers have the site as the free plan renders it. Yours is premium now." in words
    ended(ann, ann.post("/sites/pier-docs/publish"))
    assert "Publish again" not in ann.get("/sites").words


def test_while_a_release_is_pinned_what_is_to_be_done_is_said_in_order(
    dashboard: Dashboard, ann: Browser
) -> None:
    publish(ann)
    write(dashboard, {"docs/tides.md": "# Tides\n"})
    publish(ann)
    ann.post(f"{SITE}/releases/1/roll-back")
    words = ann.get(SITE).words
    assert "Readers keep release #1, to which you rolled back." in words
    assert "Publish again" not in words
    ann.post(f"{SITE}/rename", {"name": "pier-docs"})
    for path in ("/sites", "/sites/pier-docs", "/sites/pier-docs/publish", "/sites/pier-docs/domains"):
        assert "Publish again" not in ann.get(path).words, path
    assert "Live, pinned" in ann.get("/sites").words
    for path in ("publish", "domains"):
        assert "Publish, then return to the latest" in ann.get(f"/sites/pier-docs/{path}").words
    words = ann.get("/sites/pier-docs/publish").words
    assert "Publishing makes a release, which readers get when you return to the latest." in words
    ended(ann, ann.post("/sites/pier-docs/publish"))
    for path in ("publish", "domains"):
        words = ann.get(f"/sites/pier-docs/{path}").words
        assert "Return to the latest" in words
        assert "Publish, then" not in words
    ann.post("/sites/pier-docs/releases/return-to-latest")
    assert "eturn to the latest" not in ann.get("/sites/pier-docs/publish").words


def test_changes_of_settings_and_files_are_listed_with_who_made_them(
    dashboard: Dashboard, ann: Browser
) -> None:
    publish(ann)
    write(dashboard, {"site.yml": "title: Other\n", "static/tides.csv": "a,b\n"})
    words = ann.get(f"{SITE}/publish").words
    who = "(not known by whom|outside of Twinpress)"
    assert re.search(rf"site\.yml changed, \+\d+ −\d+, {who}, today", words), words
    assert re.search(rf"static/tides\.csv added, \+1 −0, {who}, today", words), words


def test_an_address_that_would_vanish_gets_a_redirect_by_one_click(
    dashboard: Dashboard, ann: Browser
) -> None:
    write(dashboard, {"docs/tides.md": "# Tides\n\nHigh at noon, low at six, and high again at midnight.\n"})
    publish(ann)
    ann.post(f"{SITE}/pages/move", {"path": "docs/tides", "to": "docs/tide-tables"})
    page = ann.get(f"{SITE}/publish")
    assert "1 address would vanish" in page.words
    assert 'value="/docs/tide-tables"' in page.text
    said = ann.post(f"{SITE}/publish/redirect", {"old": "/docs/tides", "new": "/docs/tide-tables"})
    assert "Readers of /docs/tides are led to /docs/tide-tables from the next release on." in said.words
    assert "1 address would vanish" not in said.words
    assert "Readers have release #2" in publish(ann).words


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("/docs/tides", "/docs/tides", "It would lead in a circle"),
        ("/docs/tides", "/docs/nowhere", "There is no page or file /docs/nowhere"),
        ("/docs/tides", "javascript:alert(1)", "javascript:alert(1) is no address that may be linked"),
        ("//quay.example/", "/docs/", "write one slash between two names"),
        ("/docs/", "/about", "There is a page or file at this address, docs/index.html"),
    ],
)
def test_a_redirect_that_a_build_would_refuse_is_not_added(
    dashboard: Dashboard, ann: Browser, old: str, new: str, fault: str
) -> None:
    before = dashboard.desk.sites.opened.root(site_of(dashboard).id) / "site.yml"
    text = before.read_text()
    for path, verb in ((f"{SITE}/publish/redirect", "added"), (f"{SITE}/readers/redirect", "created")):
        said = ann.post(path, {"old": old, "new": new})
        assert f"The redirect was not {verb}. " in said.words
        assert fault in said.words
        assert '<p class="notice warn" role="status">' in said.text
    assert before.read_text() == text


def test_a_job_that_waits_is_followed_and_stopped(dashboard: Dashboard, ann: Browser) -> None:
    with held(dashboard):
        page = ann.post(f"{SITE}/publish")
        assert "Publishing begins in a moment" in page.words
        assert "Readers have nothing until the last file is there. You can leave this page." in page.words
        assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in page.text
        assert "Publishing" in ann.get("/sites").words
        assert "The site is being published" in ann.get(f"{SITE}/publish").words
        again = ann.post(f"{SITE}/publish")
        assert again.path == page.path
        stopped = ann.post(f"{page.path}/stop")
        assert "Publishing was stopped" in stopped.words
        assert "http-equiv" not in stopped.text
        assert "Publishing failed" not in ann.get("/sites").words
        assert "Never published" in ann.get(SITE).words
        assert "Publishing was stopped" in ann.post(f"{page.path}/stop").words
    assert "Readers have release #1" in publish(ann).words


def test_a_job_that_runs_says_how_far_it_is(dashboard: Dashboard, ann: Browser) -> None:
    with held(dashboard):
        page = ann.post(f"{SITE}/publish")
        site, number = site_of(dashboard), int(page.path.rpartition("/")[2])
        publishing = dashboard.desk.publishing
        publishing.jobs.begin(number)
        reports = publishing.releases.folders.work(site.id) / "reports"
        reports.mkdir(parents=True, exist_ok=True)
        report = '{"step":"pages","done":52,"pages":60,"lines":[[1700000000,"Begun"]]}'
        (reports / f"{number}.json").write_text(report)
        words = ann.get(page.path).words
        assert "Building pages" in words
        assert "52 of 60 pages" in words
        assert "Snapshot , done Pages , under way Files , to come Switch , to come" in words
        assert "22:13:20 Begun" in words
        ann.post(f"{page.path}/stop")
        stopping = ann.get(page.path)
        assert "Stopping" in stopping.words
        assert '<button class="button" type="submit" disabled>Stop publishing' in stopping.text
        publishing.jobs.failed(number, "it was stopped")  # else it is begun again, which is told


def test_errors_come_first_and_one_may_publish_all_the_same(dashboard: Dashboard, ann: Browser) -> None:
    publish(ann)
    write(dashboard, {"docs/berths.md": BROKEN})
    failed = publish(ann)
    words = failed.words
    assert "Nothing was published" in words
    assert "Readers have release #1, whole." in words
    assert "The site has 1 error, so it was not published." in words
    assert words.index("1 error to mend") < words.index("Log") < words.index("Snapshot of")
    assert f'href="{SITE}/pages/edit?path=docs/berths#line-5"' in failed.text
    assert "docs/berths.md , line 5 " in words or "docs/berths.md, line 5" in words
    assert "Try again" in words
    assert "Publishing failed" in ann.get("/sites").words
    assert "The last time it failed" in ann.get(SITE).words
    asks = ann.get(f"{SITE}/publish")
    assert "Publish although 1 error was found" in asks.words
    log = ann.get(f"{failed.path}/log")
    assert log.headers["content-type"] == "text/plain; charset=utf-8"
    assert log.headers["content-disposition"].startswith('attachment; filename="quay-docs-publish-')
    assert "error: docs/berths.md:5: " in log.text
    assert "Nothing was published" in publish(ann).words
    done = publish(ann, {"despite_errors": "on"})
    assert "Readers have release #2" in done.words
    assert "1 error to mend" not in done.words
    write(dashboard, {"docs/berths.md": MENDED})
    assert "Readers have release #3" in publish(ann).words
    assert "despite_errors" not in ann.get(f"{SITE}/publish").text


def test_a_failure_does_not_hide_what_readers_have(dashboard: Dashboard, ann: Browser) -> None:
    for number in range(2):
        write(dashboard, {"docs/berths.md": f"Berth {number}\n"})
        publish(ann)
    write(dashboard, {"docs/berths.md": BROKEN})
    ann.post(f"{SITE}/releases/1/roll-back")
    assert "Nothing was published" in publish(ann).words
    assert "Readers have Release #1, pinned since today" in ann.get(SITE).words
    ann.post(f"{SITE}/releases/offline", {"name": "quay-docs"})
    words = ann.get(SITE).words
    assert "State Publishing failed Readers have Nothing: the site is offline" in words


def test_an_owner_rolls_back_and_returns(dashboard: Dashboard, ann: Browser) -> None:
    for number in range(3):
        write(dashboard, {"docs/berths.md": f"Berth {number}\n"})
        publish(ann)
    page = ann.get(f"{SITE}/releases")
    assert "3 releases are kept" in page.words
    assert page.text.count("Roll back to release #") == 2
    assert "by you" in page.words
    page = ann.post(f"{SITE}/releases/1/roll-back")
    assert "Readers have release #1 until you say otherwise" in page.words
    assert "Live, pinned" in page.words
    assert "Live, pinned" in ann.get("/sites").words
    assert "Readers keep release #1" in ann.get(f"{SITE}/publish").words
    kept = publish(ann)
    assert "Release #4 was made" in kept.words
    assert "readers have release #1, which is pinned" in kept.words
    assert "Return to latest, #4" in ann.get(f"{SITE}/releases").words
    page = ann.post(f"{SITE}/releases/return-to-latest")
    assert "Readers have release #4, and each that comes." in page.words
    assert "Return to latest" not in page.words
    words = ann.get("/activity").words
    assert "Site rolled back" in words
    assert "Returned to the latest release" in words
    assert ann.post(f"{SITE}/releases/99/roll-back").status == 404


def test_a_site_is_taken_offline_by_its_typed_name(dashboard: Dashboard, ann: Browser) -> None:
    assert ann.post(f"{SITE}/releases/return-to-latest").status == 404
    publish(ann)
    wrong = ann.post(f"{SITE}/releases/offline", {"name": "quay"})
    assert (wrong.status, "Type quay-docs to take this site offline" in wrong.words) == (422, True)
    assert dashboard.desk.publishing.releases.pointer(site_of(dashboard)).live == 1
    page = ann.post(f"{SITE}/releases/offline", {"name": "quay-docs"})
    assert "The site is offline" in page.words
    assert "Offline" in ann.get("/sites").words
    words = ann.get(f"{SITE}/publish").words
    assert ("None: the site is offline" in words, "The first release" in words) == (True, False)
    assert "The site is offline. Readers will get all of it" in words
    assert "Site taken offline" in ann.get("/activity").words
    assert "Readers have release #1" in ann.post(f"{SITE}/releases/return-to-latest").words
    ann.post(f"{SITE}/releases/offline", {"name": "quay-docs"})
    assert "Readers have release #2" in publish(ann).words


def test_a_full_disk_is_told_as_such(dashboard: Dashboard, ann: Browser) -> None:
    publish(ann)
    publish(ann)
    assert ann.post(f"{SITE}/releases/1/roll-back").status == 200
    database = dashboard.desk.publishing.releases.database
    database.write("PRAGMA max_page_count = 1")  # SQLite takes what it has
    fields = "at, account, actor, action, subject, request"
    last = f"INSERT INTO audit ({fields}) SELECT {fields} FROM audit ORDER BY number DESC LIMIT 1"
    with suppress(DatabaseFull):
        while True:
            database.write(last)
    full = ann.post(f"{SITE}/releases/1/roll-back")
    assert full.status == 507
    assert "Nothing was changed" in full.words
    assert "The disk of the service is full" in full.words


def test_taking_a_site_offline_needs_a_step_up(dashboard: Dashboard, ann: Browser) -> None:
    publish(ann)
    dashboard.desk.database.write("UPDATE browser_sessions SET stepped_up_until = 0")
    assert ann.get(f"{SITE}/releases/offline").path.startswith("/step-up")
    assert ann.post(f"{SITE}/releases/offline", {"name": "quay-docs"}).path.startswith("/step-up")
    assert dashboard.desk.publishing.releases.pointer(site_of(dashboard)).live == 1


def test_a_release_is_exported_as_the_same_zip_each_time(dashboard: Dashboard, ann: Browser) -> None:
    write(dashboard, {"static/tide.bin": "tide " * 300_000, "docs/berths.md": MENDED})
    publish(ann)
    answer, data = downloaded(ann, f"{SITE}/releases/1/export")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/zip")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="quay-docs-release-1.zip"'
    publishing = dashboard.desk.publishing
    store = publishing.releases.folders.releases(site_of(dashboard).id)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == sorted(store.files(1))
        assert b"Two berths are free." in archive.read("docs/berths.html")
        assert len(archive.read("tide.bin")) == 5 * 300_000
    assert downloaded(ann, f"{SITE}/releases/1/export")[1] == data
    assert downloaded(ann, f"{SITE}/releases/9/export")[0].status == 404
    assert ann.once("HEAD", f"{SITE}/releases/1/export", None, {}).status == 200


def test_another_plan_asks_to_publish_again(dashboard: Dashboard, ann: Browser) -> None:
    publish(ann)
    account = dashboard.desk.accounts.find(ANN)
    dashboard.desk.accounts.set_plan(account.id, "premium")
    assert "Publish again" in ann.get("/sites").words
    assert "as the free plan renders it" in ann.get(SITE).words
    assert "Yours is premium now" in ann.get(f"{SITE}/publish").words
    publish(ann)
    assert "as the free plan" not in ann.get(SITE).words


def test_a_pointer_that_cannot_be_read_hides_no_list_of_sites(dashboard: Dashboard, ann: Browser) -> None:
    publish(ann)
    folders = dashboard.desk.publishing.releases.folders
    (folders.data / "releases" / site_of(dashboard).id / POINTER).write_text("{")
    assert "Cannot be told" in ann.get("/sites").words
    assert "cannot be read" in ann.get(f"{SITE}/publish").words
    assert "cannot be read" in ann.get(f"{SITE}/releases").words


def test_jobs_and_releases_of_others_are_not_there(dashboard: Dashboard, ann: Browser) -> None:
    done = publish(ann)
    dashboard.account(BOB)
    other = dashboard.signed_in(BOB)
    other.post("/sites", {"name": "pier-docs"})
    number = done.path.rpartition("/")[2]
    for path in ("publish", f"publish/{number}", f"publish/{number}/log", "releases", "releases/1/export"):
        assert other.get(f"{SITE}/{path}").status == 404
        if path[-1].isdigit() or path.endswith(("log", "export")):
            assert other.get(f"/sites/pier-docs/{path}").status == 404, path
    for path in (f"publish/{number}/stop", "releases/1/roll-back"):
        assert other.post(f"/sites/pier-docs/{path}").status == 404
    for path in ("publish/0", "publish/99999", "publish/x", "publish/9999999999", "releases/0/export"):
        assert ann.get(f"{SITE}/{path}").status == 404


def test_the_suspended_read_all_and_change_nothing(dashboard: Dashboard, ann: Browser) -> None:
    done = publish(ann)
    publish(ann)
    dashboard.desk.accounts.suspend(dashboard.desk.accounts.find(ANN).id, reason="The invoice is open.")
    for path in (f"{SITE}/publish", done.path, f"{SITE}/releases"):
        page = ann.get(path)
        assert page.status == 200
        main = page.text.partition("<main")[2]
        assert not re.search(r'<form[^>]*method="post"[^>]*>(?:(?!</form>).)*<button class', main, re.DOTALL)
    assert downloaded(ann, f"{SITE}/releases/1/export")[0].status == 200
    assert ann.post(f"{SITE}/publish").status == 403


@pytest.mark.browser
@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_the_page_of_a_job_renews_itself(
    dashboard: Dashboard, ann: Browser, browser: Chromium, script: bool
) -> None:
    context = browser.new_context(base_url=ann.origin, java_script_enabled=script)
    context.add_cookies(
        [{"name": name, "value": text, "url": ann.origin} for name, text in ann.cookies.items()]
    )
    tab, complaints, loads = context.new_page(), list[str](), list[str]()
    tab.on("console", lambda said: complaints.append(said.text))
    tab.on("framenavigated", lambda frame: loads.append(frame.url))
    with held(dashboard):
        tab.goto(f"{SITE}/publish")
        tab.get_by_role("button", name="Publish").click()
        expect(tab.get_by_role("heading", level=1)).to_have_text("Publishing quay-docs")
        stop = tab.get_by_role("button", name="Stop publishing")
        if script:
            stop.focus()
            expect(tab.get_by_text(re.compile("[2-9] seconds so far"))).to_be_visible()
            expect(stop).to_be_focused()
        before = len(loads)
    expect(tab.get_by_role("heading", level=1)).to_have_text("Readers have release #1")
    expect(tab.get_by_role("status").first).to_contain_text("Readers have release #1")
    assert (len(loads) == before) is script
    if script:
        assert tab.title().startswith("Published")
        expect(tab.locator("#main")).to_be_focused()
    assert complaints == []
    context.close()


@pytest.mark.browser
def test_what_the_build_before_publishing_finds_appears_on_the_page(
    dashboard: Dashboard, ann: Browser, browser: Chromium
) -> None:
    publish(ann)
    write(dashboard, {f"docs/p{number}.md": "# Page\n\n" + "Text. " * 1_000 for number in range(200)})
    context = browser.new_context(base_url=ann.origin)
    context.add_cookies(
        [{"name": name, "value": text, "url": ann.origin} for name, text in ann.cookies.items()]
    )
    tab, loads = context.new_page(), list[str]()
    tab.on("framenavigated", lambda frame: loads.append(frame.url))
    tab.goto(f"{SITE}/publish")
    title = tab.title()
    expect(tab.get_by_text("Building the site as readers would have it")).to_be_visible()
    expect(tab.get_by_role("status")).to_contain_text("All of them lead where they did")
    assert (len(loads), tab.title()) == (1, title)
    context.close()


def test_scripts_of_a_page_are_small() -> None:
    together = sum(len(gzip.compress(path.read_bytes(), 9)) for path in STATIC.glob("*.js"))
    assert together < 6 * 1024


def test_who_publishes_is_named(dashboard: Dashboard, ann: Browser) -> None:
    site = site_of(dashboard)
    for actor in ("operator", "key that is gone"):
        job = dashboard.desk.publishing.jobs.ask(site.id, By(actor))
        dashboard.desk.publishing.nudge()
        until(lambda job=job: not dashboard.desk.publishing.jobs.get(site.id, job.number).is_under_way)
    words = ann.get(f"{SITE}/releases").words
    assert "by the operator" in words
    assert "by a deleted key" in words
