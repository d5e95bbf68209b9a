"""Readers of a site in the dashboard: what is shown, what is exported, and what nobody may put there."""

from __future__ import annotations

import csv
import io
import json
import time

import pytest
from markupsafe import escape

from server.control import audit
from server.control.audit import By
from server.control.site_choices import MOST_HIDDEN
from server.dashboard.readers_pages import HIGH, WIDE, chart
from server.readers.audience import OTHERS
from server.readers.reader_counts import FILE, FOLDER, ReaderCounts
from server.readers.reader_report import DayViews
from server.readers.tally import DAY, Counts, Subject, TallyEntry
from server.site_serving.counted_readers import SEARCHES
from tests.server.dashboard.browser import Browser
from tests.server.dashboard.conftest import Dashboard
from tests.server.dashboard.publishing import ended, site_of
from tests.sites import write_site

ANN, BOB = "ann@example.com", "bob@example.com"
SITE = "/sites/quay-docs"
READERS = f"{SITE}/readers"
TODAY = int(time.time()) // DAY


@pytest.fixture
def ann(dashboard: Dashboard) -> Browser:
    """A browser of an owner with a site."""
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"})
    return browser


def counts(dashboard: Dashboard) -> ReaderCounts:
    return dashboard.desk.publishing.counts


def count(dashboard: Dashboard, *found: tuple[Subject, str, int], day: int = TODAY) -> None:
    """Add counts of Ann's site, as the process for readers does."""
    site = site_of(dashboard).id
    added: Counts = {TallyEntry(site, day, subject, name): times for subject, name, times in found}
    counts(dashboard).add(added)


def test_before_anybody_has_read_it_there_is_a_word_about_that(ann: Browser) -> None:
    words = ann.get(READERS).words
    assert "No views in the last 30 days" in words
    assert "tells nobody what was typed" in words


def test_views_are_told_by_day_page_and_agent(dashboard: Dashboard, ann: Browser) -> None:
    count(dashboard, ("people", "/docs/", 1_234), ("agents", "/docs/", 66), ("agent", "Claude", 66))
    count(dashboard, ("people", "/gone", 10), ("bots", OTHERS, 7), day=TODAY - 20)
    words = ann.get(READERS).words
    for said in (
        "Views 1,310",
        "People 1,244",
        "Agents 66 5 %",
        "Most on a day 1,300",
        "Claude 66",
        "7 requests",
    ):
        assert said in words
    assert "/gone 10 0" in words
    assert f'href="{SITE}/pages/edit?path=docs/index"' in ann.get(READERS).text
    week = ann.get(f"{READERS}?days=7").words
    assert "Views, 7 days" in week
    assert "/gone" not in week
    assert "1,310 views in 30 days" in ann.get(SITE).words


@pytest.mark.parametrize("asked", ["", "0", "8", "-7", "07", "x", "9" * 5000, "%EF%BC%97"])
def test_another_time_than_those_is_the_usual_one(ann: Browser, asked: str) -> None:
    assert "No views in the last 30 days" in ann.get(f"{READERS}?days={asked}").words


ODD = {
    "%3Cscript%3Ealert(1)%3C/script%3E": "<script>alert(1)</script>",
    '/"onfocus="x': '/"onfocus="x',
    "/%0D%0ASet-Cookie:x": "/%0D%0ASet-Cookie:x",
    "/%1B%5B31m": "/%1B%5B31m",
    "/%E2%80%AEtxt": "/%E2%80%AEtxt",
    "/%FF": "/%FF",
    "/docs/%C3%BCn%C3%AF": "/docs/ünï",
}


@pytest.mark.parametrize(("kept", "shown"), ODD.items())
def test_an_address_is_text_and_nothing_else(
    dashboard: Dashboard, ann: Browser, kept: str, shown: str
) -> None:
    count(dashboard, ("vain_people", kept, 2), ("people", kept, 2), ("agent", kept, 1), ("search", kept, 2))
    page = ann.get(READERS)
    assert page.status == 200
    assert "<script>alert" not in page.text
    assert '"onfocus="' not in page.text
    assert f"<code>{escape(shown)}</code>" in page.text


def test_an_address_in_vain_becomes_a_redirect(dashboard: Dashboard, ann: Browser) -> None:
    count(dashboard, ("vain_people", "/docs/quick-strat", 9), ("vain_agents", "/docs/quick-strat", 1))
    write_site(
        dashboard.desk.sites.opened.root(site_of(dashboard).id), {"docs/quick-start.md": "# Quick start\n"}
    )
    page = ann.get(READERS)
    assert "/docs/quick-strat 10 people and agents" in page.words
    assert 'name="new" value="/docs/quick-start"' in page.text
    done = ann.post(f"{READERS}/redirect", {"old": "/docs/quick-strat", "new": "/docs/quick-start"})
    assert "The redirect is created" in done.words
    assert "There is something now" in done.words
    text = (dashboard.desk.sites.opened.root(site_of(dashboard).id) / "site.yml").read_text()
    assert "/docs/quick-strat: /docs/quick-start" in text


def test_an_address_in_vain_is_hidden_and_shown_again(dashboard: Dashboard, ann: Browser) -> None:
    count(dashboard, ("vain_people", "/docs/old-print", 9), ("vain_people", "/docs/b", 1))
    hidden = ann.post(f"{READERS}/hide", {"address": "/docs/old-print"})
    assert "/docs/old-print is hidden." in hidden.words
    assert "1 address is hidden" in hidden.words
    words = ann.get(READERS).words
    assert "/docs/old-print 9" not in words
    assert "/docs/b 1" in words
    assert ann.post(f"{READERS}/hide", {"address": "/docs/old-print"}).words.count("/docs/old-print") == 2
    events = [each.action for each in audit.events(dashboard.desk.database, site_of(dashboard).account, 9)]
    assert events.count("site.vain.hide") == 1
    shown = ann.post(f"{READERS}/show", {"address": "/docs/old-print"})
    assert "/docs/old-print 9" in shown.words
    assert "is hidden" not in shown.words
    assert "Address hidden" in ann.get("/activity").words


def test_only_so_many_addresses_are_hidden(dashboard: Dashboard, ann: Browser) -> None:
    site, choices = site_of(dashboard), dashboard.desk.sites.choices
    for number in range(MOST_HIDDEN):
        choices.hide_address(site.id, By("the test"), f"/{number}")
    assert "500 addresses are hidden" in ann.get(READERS).words
    assert "show some of them again" in ann.post(f"{READERS}/hide", {"address": "/x"}).words
    assert "500 addresses are hidden" in ann.get(READERS).words


def test_a_site_whose_settings_cannot_be_read_has_readers_too(dashboard: Dashboard, ann: Browser) -> None:
    count(dashboard, ("vain_people", "/docs/a", 9))
    write_site(dashboard.desk.sites.opened.root(site_of(dashboard).id), {"site.yml": "a: [\n"})
    assert "/docs/a 9" in ann.get(READERS).words


def test_searches_are_counted_when_the_owner_wants_it(dashboard: Dashboard, ann: Browser) -> None:
    site = site_of(dashboard)
    assert "Not counted" in ann.get(READERS).words
    ended(ann, ann.post(f"{SITE}/publish"))
    assert "from the next release on" in ann.post(f"{READERS}/searches", {"on": "on"}).words
    assert "Searched for in vain Counted when you publish" in ann.get(READERS).words
    assert "Publish again The search of the site tells nothing yet" in ann.get(f"{SITE}/publish").words
    ended(ann, ann.post(f"{SITE}/publish"))
    assert "Searched for in vain Counted None" in ann.get(READERS).words
    assert "Publish again" not in ann.get(f"{SITE}/publish").words
    store = dashboard.desk.publishing.releases.folders.releases(site.id)
    assert SEARCHES in store.files(2)
    count(dashboard, ("search", "slack water", 3), ("search", "my illness", 1))
    words = ann.get(READERS).words
    assert "slack water 3" in words
    assert "my illness" not in words
    assert "1 text that was searched for once" in words
    assert "is deleted" in ann.post(f"{READERS}/searches").words
    assert counts(dashboard).read("SELECT * FROM counts WHERE subject = 'search'", ()) == []
    assert "Searched for in vain Counted until you publish" in ann.get(READERS).words
    assert "Publish again The search of the site still tells" in ann.get(f"{SITE}/publish").words
    ended(ann, ann.post(f"{SITE}/publish"))
    assert SEARCHES not in store.files(3)
    assert "Not counted" in ann.get(READERS).words
    assert "Publish again" not in ann.get(f"{SITE}/publish").words
    said = ann.get("/activity").words
    assert "Searches counted" in said
    assert "Searches not counted any more" in said


def test_the_counts_are_exported(dashboard: Dashboard, ann: Browser) -> None:
    count(dashboard, ("people", "/docs/", 3), ("search", "=cmd|x!a1", 2), ("vain_people", '/a,b"c', 1))
    table = ann.get(f"{READERS}.csv?days=7")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert table.headers["content-disposition"] == 'attachment; filename="quay-docs-readers-7-days.csv"'
    today = time.strftime("%Y-%m-%d", time.gmtime(TODAY * DAY))
    assert list(csv.reader(io.StringIO(table.text, newline=""))) == [
        ["day", "counted", "name", "count"],
        [today, "people", "/docs/", "3"],
        [today, "search", "'=cmd|x!a1", "2"],
        [today, "vain_people", '/a,b"c', "1"],
    ]
    found = json.loads(ann.get(f"{READERS}.json").text)
    assert found[1] == {"day": today, "counted": "search", "name": "=cmd|x!a1", "count": 2}


def test_a_long_export_comes_whole(dashboard: Dashboard, ann: Browser) -> None:
    for day in range(3):
        count(dashboard, *[("people", f"/{n}", 1) for n in range(4_000)], day=TODAY - day)
    assert len(json.loads(ann.get(f"{READERS}.json").text)) == 12_000


def test_an_export_of_nothing_is_empty(ann: Browser) -> None:
    assert ann.get(f"{READERS}.csv").text == "day,counted,name,count\r\n"
    assert json.loads(ann.get(f"{READERS}.json").text) == []


@pytest.mark.parametrize("path", [READERS, f"{READERS}.csv", f"{READERS}.json"])
def test_counts_are_their_owners_alone(dashboard: Dashboard, ann: Browser, path: str) -> None:
    count(dashboard, ("people", "/docs/", 3))
    dashboard.account(BOB)
    assert dashboard.signed_in(BOB).get(path).status == 404
    assert ann.get(path).status == 200


def test_counts_that_cannot_be_read_are_told(dashboard: Dashboard, ann: Browser) -> None:
    (dashboard.desk.publishing.releases.folders.data / FOLDER / FILE).mkdir(parents=True)
    assert ann.get(READERS).status == 500
    assert "Cannot be told" not in ann.get(SITE).words
    ended(ann, ann.post(f"{SITE}/publish"))
    assert "Cannot be told in 30 days" in ann.get(SITE).words


def test_the_bars_fill_the_chart() -> None:
    days = [DayViews(1, 30, 10), DayViews(2), DayViews(3, 20)]
    bars = chart(days)
    assert [(bar.people, bar.agents) for bar in bars] == [(90, 30), (0, 0), (60, 0)]
    assert bars[0].people + bars[0].agents == HIGH
    assert bars[-1].x + bars[-1].width < WIDE
