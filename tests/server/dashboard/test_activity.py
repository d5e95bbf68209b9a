"""Activity in the dashboard: every event has its words, and is its account's alone."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import get_args

import pytest

from server.control import audit
from server.control.audit import Action, Event
from server.dashboard.activity_pages import SAID
from tests.server.dashboard.browser import Browser
from tests.server.dashboard.conftest import Dashboard

ANN = "ann@example.com"


def test_every_action_has_its_words() -> None:
    assert set(SAID) == set(get_args(Action))


def test_what_was_done_is_shown_with_who_did_it(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/databases/keys", {"label": "nightly"})
    words = browser.get("/activity").words
    assert "API key created" in words
    assert "The operator" in words
    assert "API key created nightly You today, " in words


def test_what_it_was_done_with_has_its_name_as_long_as_it_is_there(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"}, User_Agent="Firefox/150 Linux")
    browser.post("/sites/quay-docs/keys", {"kind": "long-lived", "label": "ci"})
    words = browser.get("/activity").words
    assert "Site created quay-docs You" in words
    assert "Site key created ci of quay-docs You" in words
    assert f"Account created {ANN} The operator" in words


@pytest.mark.parametrize(
    ("kind", "shown", "hidden"),
    [("key", "API key created", "Signed in"), ("session", "Signed in", "API key created")],
)
def test_events_of_one_kind(dashboard: Dashboard, kind: str, shown: str, hidden: str) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/databases/keys", {"label": "nightly"})
    words = browser.get(f"/activity?kind={kind}").words
    assert shown in words
    assert hidden not in words


@pytest.fixture
def busy(dashboard: Dashboard) -> Browser:
    """A browser of an account that a key has kept busy since its first day: then it had a site."""
    account = dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"})
    browser.post("/sites/quay-docs/keys", {"kind": "long-lived", "label": "ci"})
    browser.post("/databases/keys", {"label": "nightly"})
    (key,) = dashboard.desk.keys.list(account.id)
    with dashboard.desk.database.change() as change:
        for number in range(1200):
            event = Event(2_000_000_000 + number, account.id, key.id, "database.rotate", f"db_{number}")
            audit.note(change, event)
    return browser


CHOICES = [
    ("kind=site", {"Site created"}),
    ("kind=site_key", {"Site key created"}),
    ("about={site}", {"Site created", "Site key created"}),
    ("about={site}&kind=site", {"Site created"}),
    ("by=operator", {"Account created"}),
    ("by={key}", {"Password rotated"}),
    ("by=you&kind=key", {"API key created"}),
    ("since=2033-05-18", {"Password rotated"}),
    ("since=2033-05-20", set[str]()),
    ("kind=nonsense&by=nobody&about=nothing&since=soon", {"Password rotated"}),
]


@pytest.mark.parametrize(("query", "shown"), CHOICES)
def test_events_are_chosen_among_all_that_there_are(
    dashboard: Dashboard, busy: Browser, query: str, shown: set[str]
) -> None:
    (account,) = dashboard.desk.accounts.list()
    (site,), (key,) = (each.list(account.id) for each in (dashboard.desk.sites.sites, dashboard.desk.keys))
    query = query.format(site=site.id, key=key.id)
    page = busy.get(f"/activity?{query}")
    body = page.text.partition("<table")[2]
    assert {said for said in SAID.values() if f">{said}<" in body or f">{said} " in body} == shown
    assert ("Nothing of that kind" in page.words) is not shown
    (link,) = re.findall(r'href="(/activity\.json[^"]*)"', page.text)
    exported = json.loads(busy.get(unescape(link)).text)
    assert {SAID[event["action"]] for event in exported} >= shown


def test_what_an_event_is_about_is_named_as_its_owner_knows_it(busy: Browser) -> None:
    words = busy.get("/activity?kind=site_key").words
    assert "Site key created ci of quay-docs" in words
    assert "Site created quay-docs" in busy.get("/activity?kind=site").words
    assert "Key nightly" in busy.get("/activity?kind=database").words


def test_the_export_has_all_of_the_account_and_nothing_of_others(dashboard: Dashboard) -> None:
    account, other = dashboard.account(ANN), dashboard.account("bob@example.com")
    browser = dashboard.signed_in(ANN)
    events = json.loads(browser.get("/activity.json").text)
    assert {event["account"] for event in events} == {account.id}
    assert "account.create" in {event["action"] for event in events}
    assert other.id not in json.dumps(events)


def test_what_a_key_wrote_is_shown_with_a_link_and_chosen_by_its_key(dashboard: Dashboard) -> None:
    account = dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"})
    browser.post("/sites/quay-docs/keys", {"kind": "long-lived", "label": "ci"})
    (site,) = dashboard.desk.sites.sites.list(account.id)
    (key,) = dashboard.desk.sites.keys.list(site.id)
    for _ in range(12):
        dashboard.desk.sites.key_writes.note(key.id, site.id, "page.write")
    dashboard.desk.sites.key_writes.note("deleted", site.id, "page.delete")
    dashboard.desk.sites.key_writes.flush()
    page = browser.get("/activity")
    assert "Page written 12 times quay-docs Key ci of quay-docs" in page.words
    assert f'href="/sites/quay-docs/keys/{key.id}/writes"' in page.text
    words = browser.get(f"/activity?by={key.id}&kind=page&about={site.id}").words
    assert ("Page written 12 times" in words, "Page deleted" in words) == (True, False)
    exported = json.loads(browser.get(f"/activity.json?by={key.id}").text)
    assert [(each["action"], each["count"]) for each in exported] == [("page.write", 12)]
