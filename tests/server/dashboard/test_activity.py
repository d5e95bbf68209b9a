"""Activity in the dashboard: every event has its words, and is its account's alone."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from server.control.audit import Action
from server.dashboard.activity_pages import SAID
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


def test_the_export_has_all_of_the_account_and_nothing_of_others(dashboard: Dashboard) -> None:
    account, other = dashboard.account(ANN), dashboard.account("bob@example.com")
    browser = dashboard.signed_in(ANN)
    events = json.loads(browser.get("/activity.json").text)
    assert {event["account"] for event in events} == {account.id}
    assert "account.create" in {event["action"] for event in events}
    assert other.id not in json.dumps(events)
