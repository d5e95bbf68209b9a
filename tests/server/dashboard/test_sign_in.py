"""An owner signs in and out, as pages have it."""

from __future__ import annotations

import pytest

from tests.server.dashboard.conftest import PASSWORD, Dashboard

ANN = "ann@example.com"


def test_the_first_address_creates_the_operators_account_once(dashboard: Dashboard) -> None:
    browser, path = dashboard.browser(), f"/first/{dashboard.desk.links.create('first')}"
    assert "Create the first account" in browser.get(path).words
    page = browser.post(path, {"email": ANN, "password": PASSWORD})
    assert (page.status, page.path) == (200, "/sites")
    (account,) = dashboard.desk.accounts.list()
    assert (account.email, account.operator) == (ANN, True)
    assert dashboard.browser().get(path).status == 410
    assert dashboard.browser().post(path, {"email": "b@example.com", "password": PASSWORD}).status == 410
    assert len(dashboard.desk.accounts.list()) == 1


def test_the_first_address_ends_with_an_account_that_is_created_in_a_terminal(dashboard: Dashboard) -> None:
    browser, path = dashboard.browser(), f"/first/{dashboard.desk.links.create('first')}"
    assert browser.get(path).status == 200
    dashboard.account(ANN, operator=True)
    assert browser.get(path).status == 410
    assert browser.post(path, {"email": "b@example.com", "password": PASSWORD}).status == 410
    assert [account.email for account in dashboard.desk.accounts.list()] == [ANN]


def test_what_is_wrong_stands_beside_its_field_and_what_was_typed_stays(dashboard: Dashboard) -> None:
    path = f"/first/{dashboard.desk.links.create('first')}"
    page = dashboard.browser().post(path, {"email": ANN, "password": "short"})
    assert page.status == 422
    assert f'value="{ANN}"' in page.text
    assert 'id="password-error"' in page.text
    assert "short" not in page.text.replace("Shortcut", "")
    assert dashboard.desk.accounts.list() == ()


def test_who_is_not_signed_in_comes_to_the_form_and_from_there_to_the_page(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.browser()
    page = browser.get("/databases/keys")
    assert page.path == "/sign-in?next=/databases/keys"
    page = browser.post("/sign-in", {"email": ANN, "password": PASSWORD, "next": "/databases/keys"})
    assert (page.status, page.path) == (200, "/databases/keys")
    assert ANN in page.words


@pytest.mark.parametrize(
    ("email", "password"), [(ANN, "another one here"), ("nobody@example.com", PASSWORD), ("", "")]
)
def test_no_answer_says_whether_there_is_such_an_account(
    dashboard: Dashboard, email: str, password: str
) -> None:
    dashboard.account(ANN)
    browser = dashboard.browser()
    page = browser.post("/sign-in", {"email": email, "password": password})
    assert page.status == 422
    assert "The e-mail address or the password is wrong." in page.words
    assert browser.cookies == {}


@pytest.mark.parametrize(
    "next", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:x", "http://["]
)
def test_nobody_is_led_elsewhere(dashboard: Dashboard, next: str) -> None:
    dashboard.account(ANN)
    page = dashboard.browser().post("/sign-in", {"email": ANN, "password": PASSWORD, "next": next})
    assert page.path == "/sites"


def test_a_session_ends_with_its_cookie_when_it_is_left(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    cookies = dict(browser.cookies)
    page = browser.post("/sign-out")
    assert (page.path, browser.cookies) == ("/sign-in", {})
    browser.cookies = cookies
    assert browser.get("/databases/keys").path.startswith("/sign-in")


def test_a_session_that_was_there_before_is_another_one_afterwards(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    before = dict(browser.cookies)
    browser.cookies = dict.fromkeys(before, "A" * 43)  # fixed by somebody else
    browser.post("/sign-in", {"email": ANN, "password": PASSWORD})
    assert browser.cookies.keys() == before.keys()
    assert not set(browser.cookies.values()) & {*before.values(), "A" * 43}


def test_who_signs_in_again_leaves_no_session_behind(dashboard: Dashboard) -> None:
    ann, bob = dashboard.account(ANN), dashboard.account("bob@example.com")
    browser = dashboard.signed_in(ANN)
    browser.post("/sign-in", {"email": ANN, "password": PASSWORD})
    assert len(dashboard.desk.sessions.of(ann.id)) == 1
    browser.post("/sign-in", {"email": bob.email, "password": PASSWORD})
    assert (len(dashboard.desk.sessions.of(ann.id)), len(dashboard.desk.sessions.of(bob.id))) == (0, 1)
    assert bob.email in browser.post("/step-up", {"password": PASSWORD, "next": "/account"}).words


def test_every_page_is_kept_by_nobody_and_runs_nothing_from_elsewhere(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    for browser, path in ((dashboard.browser(), "/sign-in"), (dashboard.signed_in(ANN), "/databases/keys")):
        headers = browser.get(path).headers
        assert headers["cache-control"] == "no-store"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["cross-origin-opener-policy"] == "same-origin"


def test_under_another_name_the_service_sends_readers_to_its_own(dashboard: Dashboard) -> None:
    browser = dashboard.browser()
    answer = browser.once("GET", "/sign-in?next=/a", None, {"Host": f"127.0.0.1:{dashboard.port}"})
    assert (answer.status, answer.headers["location"]) == (307, f"{browser.origin}/sign-in?next=/a")
    form = {"email": ANN, "password": PASSWORD}
    assert browser.post("/sign-in", form, Host="evil.example").status == 403
