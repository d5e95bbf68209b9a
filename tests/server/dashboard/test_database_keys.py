"""API Keys in the dashboard: created, shown once, rotated, disabled, enabled, deleted."""

from __future__ import annotations

import re

import pytest

from server.control.errors import BadKey, DisabledKey
from tests.server.dashboard.conftest import Dashboard

ANN, KEYS = "ann@example.com", "/databases/keys"
VALUE = re.compile(r"svc_db_[0-9A-Za-z]{46}")


def value(text: str) -> str:
    (found,) = VALUE.findall(text)
    return str(found)


def test_a_key_is_created_shown_once_and_works(dashboard: Dashboard) -> None:
    account = dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    assert "There is no key yet." in browser.get(KEYS).words
    page = browser.post(KEYS, {"label": "nightly"})
    assert dashboard.desk.keys.check(value(page.text)).account == account.id
    assert "The value of nightly" in page.words
    assert "1 of 2 active" in page.words
    again = browser.get(page.path)
    assert (again.status, VALUE.findall(again.text)) == (200, [])


def test_a_value_is_shown_in_its_own_session_alone(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser, other = dashboard.signed_in(ANN), dashboard.signed_in(ANN)
    headers = {"Sec-Fetch-Site": "same-origin"}
    where = browser.once("POST", KEYS, {"label": "nightly"}, headers).headers["location"]
    assert VALUE.findall(other.get(where).text) == []
    assert VALUE.findall(browser.get(where).text)


def test_a_rotated_key_has_a_new_value_at_once(dashboard: Dashboard) -> None:
    old = dashboard.desk.keys.create(dashboard.account(ANN).id, "nightly")
    page = dashboard.signed_in(ANN).post(f"{KEYS}/{old.record.id}/rotate")
    assert dashboard.desk.keys.check(value(page.text)).id == old.record.id
    with pytest.raises(BadKey):
        dashboard.desk.keys.check(old.text)


def test_a_disabled_key_frees_its_place_and_is_enabled_only_while_there_is_one(dashboard: Dashboard) -> None:
    account = dashboard.account(ANN)
    one, two = (dashboard.desk.keys.create(account.id, label) for label in ("one", ""))
    browser = dashboard.signed_in(ANN)
    refused = browser.post(KEYS, {"label": "three"})
    assert refused.status == 409
    assert f"Disable one or …{two.record.last_four} first" in refused.words
    page = browser.post(f"{KEYS}/{one.record.id}/disable")
    assert "one is disabled." in page.words
    assert "one is disabled." not in browser.get(page.path).words
    with pytest.raises(DisabledKey):
        dashboard.desk.keys.check(one.text)
    browser.post(KEYS, {"label": "three"})
    refused = browser.post(f"{KEYS}/{one.record.id}/enable")
    assert (refused.status, "one was not enabled" in refused.words) == (409, True)
    browser.post(f"{KEYS}/{two.record.id}/disable")
    assert "one is enabled." in browser.post(f"{KEYS}/{one.record.id}/enable").words
    assert dashboard.desk.keys.check(one.text).id == one.record.id


def test_a_key_is_deleted_when_its_name_is_typed(dashboard: Dashboard) -> None:
    made = dashboard.desk.keys.create(dashboard.account(ANN).id)
    browser, name = dashboard.signed_in(ANN), f"…{made.record.last_four}"
    where = f"{KEYS}/{made.record.id}/delete"
    assert f"Delete {name}?" in browser.get(where).words
    assert browser.post(where, {"name": "else"}).status == 422
    assert dashboard.desk.keys.get(made.record.id)
    assert f"{name} is deleted." in browser.post(where, {"name": name}).words
    assert dashboard.desk.keys.list(made.record.account) == ()


def test_a_key_without_a_label_is_deleted_by_signs_that_keyboards_have(dashboard: Dashboard) -> None:
    key = dashboard.desk.keys.create(dashboard.account(ANN).id).record
    browser, where = dashboard.signed_in(ANN), f"{KEYS}/{key.id}/delete"
    assert f"Type {key.last_four} " in browser.get(where).words
    assert f"Type {key.last_four} to delete this key." in browser.post(where, {"name": "else"}).words
    assert "is deleted." in browser.post(where, {"name": key.last_four}).words


def test_a_label_is_shown_as_the_text_that_it_is(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    page = dashboard.signed_in(ANN).post(KEYS, {"label": '<b>"x"</b>'})
    assert "<b>" not in page.text
    assert 'The value of <b>"x"</b>' in page.words
