"""Account in the dashboard: address, password, codes, sessions, and its end."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

import pyotp
import pytest

from server.control.accounts.own_account import RESTORABLE
from server.control.errors import WrongPassword
from server.dashboard.account_pages import ADDRESSES
from tests.server.dashboard.conftest import PASSWORD, Dashboard

ANN, BOB, OTHER = "ann@example.com", "bob@example.com", "another four words here"


def test_the_address_changes_and_the_former_one_signs_in_no_more(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    assert "the old one is not told" in browser.get("/account/email").words
    page = browser.post("/account/email", {"email": "new@example.com"})
    assert "You sign in with new@example.com from now on." in page.words
    assert dashboard.browser().post("/sign-in", {"email": ANN, "password": PASSWORD}).status == 422
    dashboard.signed_in("new@example.com")


@pytest.mark.parametrize("email", ["bob@example.com", "no address", ""])
def test_an_address_that_cannot_be_taken_stays_typed(dashboard: Dashboard, email: str) -> None:
    dashboard.account(ANN)
    dashboard.account("bob@example.com")
    page = dashboard.signed_in(ANN).post("/account/email", {"email": email})
    assert page.status == 422
    assert f'value="{email}"' in page.text
    assert 'id="email-error"' in page.text


def test_nobody_tries_one_address_after_the_other(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    dashboard.account("bob@example.com")
    browser = dashboard.signed_in(ANN)
    for _ in range(ADDRESSES):
        assert (
            "another account has" in browser.post("/account/email", {"email": "bob@example.com"}).text.lower()
        )
    page = browser.post("/account/email", {"email": "carl@example.com"})
    assert page.status == 422
    assert "too many attempts" in page.words
    assert 'value="carl@example.com"' in page.text


def test_a_new_password_ends_all_other_sessions(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser, other = dashboard.signed_in(ANN), dashboard.signed_in(ANN)
    assert "short" not in browser.post("/account/password", {"password": "short"}).text.split("<form")[-1]
    assert browser.post("/account/password", {"password": OTHER}).status == 200
    assert browser.get("/account").path == "/account"
    assert other.get("/account").path.startswith("/sign-in")
    with pytest.raises(WrongPassword):
        dashboard.desk.accounts.verify(ANN, PASSWORD)


def test_codes_are_asked_for_once_the_first_has_come(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    page = browser.post("/account/codes")
    (secret,) = re.findall(r"<code>([A-Z2-7]{32})</code>", page.text)
    assert "<svg" in page.text
    assert dashboard.signed_in(ANN).cookies, "nothing is asked for yet"
    assert browser.post("/account/codes/confirm", {"code": "000000"}).status == 422
    shown = browser.post("/account/codes/confirm", {"code": pyotp.TOTP(secret).now()})
    (codes,) = re.findall(r'<code id="codes">(.*?)</code>', shown.text, re.DOTALL)
    assert len(set(codes.split())) == 10
    assert "These codes were shown before." in browser.get(shown.path).words
    visitor = dashboard.browser()
    asked = visitor.post("/sign-in", {"email": ANN, "password": PASSWORD})
    assert asked.path == "/sign-in/code"
    assert visitor.get("/account").path.startswith("/sign-in")
    later = pyotp.TOTP(secret).at(int(time.time()) + 30)  # the one before was used
    assert visitor.post("/sign-in/code", {"code": later}).path == "/sites"
    assert "10 of 10 recovery codes left" in browser.get("/account").words
    assert "Codes are off" in browser.post("/account/codes/off").words


def test_sessions_are_listed_and_ended(dashboard: Dashboard) -> None:
    account = dashboard.account(ANN)
    browser, other = dashboard.signed_in(ANN), dashboard.signed_in(ANN)
    third = dashboard.signed_in(ANN)
    assert browser.get("/account").words.count("End it") == 2
    ids = {one.id for one in dashboard.desk.sessions.of(account.id)}
    end = re.findall(r'action="/account/sessions/(\w+)/end"', browser.get("/account").text)
    page = browser.post(f"/account/sessions/{next(id for id in end if id in ids)}/end")
    assert "The session has ended." in page.words
    assert "1 other session has ended." in browser.post("/account/sessions/others/end").words
    assert all(one.get("/account").path.startswith("/sign-in") for one in (other, third))
    assert browser.get("/account").path == "/account"


def test_nobody_ends_a_session_of_another_account(dashboard: Dashboard) -> None:
    account = dashboard.account(ANN)
    dashboard.account("bob@example.com")
    dashboard.signed_in(ANN)
    (session,) = dashboard.desk.sessions.of(account.id)
    dashboard.signed_in("bob@example.com").post(f"/account/sessions/{session.id}/end")
    assert dashboard.desk.sessions.of(account.id) == (session,)


def test_an_account_is_to_be_deleted_when_its_address_is_typed_and_can_be_restored(
    dashboard: Dashboard,
) -> None:
    account = dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    assert browser.post("/account/delete", {"email": "ann"}).status == 422
    assert dashboard.desk.accounts.get(account.id).delete_at is None
    assert "This account will be deleted on" in browser.post("/account/delete", {"email": ANN}).words
    ends = dashboard.desk.accounts.get(account.id).delete_at
    assert ends
    assert abs(ends - time.time() - RESTORABLE) < 600
    assert "The account stays." in browser.post("/account/restore").words
    assert dashboard.desk.accounts.get(account.id).delete_at is None


def test_what_is_dangerous_asks_for_the_password_again(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    dashboard.desk.database.write("UPDATE browser_sessions SET stepped_up_until = 0", ())
    assert browser.get("/account/email").path == "/step-up?next=/account/email"
    assert browser.post("/account/email", {"email": "new@example.com"}).path == "/step-up"
    assert browser.post("/step-up", {"password": "wrong", "next": "/account/email"}).status == 422
    page = browser.post("/step-up", {"password": PASSWORD, "next": "/account/email"})
    assert page.path == "/account/email"
    assert browser.post("/account/email", {"email": "new@example.com"}).path.startswith("/account?done=")


def test_who_sends_a_form_too_late_comes_back_to_it_and_can_leave_it(dashboard: Dashboard) -> None:
    account = dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    dashboard.desk.database.write("UPDATE browser_sessions SET stepped_up_until = 0")
    page = browser.post("/account/email", {"email": "x"}, Referer=f"{browser.origin}/account/email")
    assert page.path == "/step-up?next=/account/email"
    assert '<a href="/account">Cancel</a>' in page.text
    page = browser.post("/step-up", {"password": PASSWORD, "next": "/account/email"})
    assert page.path == "/account/email"
    browser.cookies.clear()
    page = browser.post("/account/restore", Referer="https://evil.example/account")
    assert page.path == "/sign-in"
    assert dashboard.desk.accounts.get(account.id).email == ANN


def test_who_turns_codes_on_twice_or_too_late_learns_how_it_stands(dashboard: Dashboard) -> None:
    account = dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    page = browser.post("/account/codes/recovery")
    assert (page.status, dashboard.desk.codes.recovery_left(account.id)) == (404, 0)
    (secret,) = re.findall(r"<code>([A-Z2-7]{32})</code>", browser.post("/account/codes").text)
    form = {"code": pyotp.TOTP(secret).now()}
    browser.once("POST", "/account/codes/confirm", form, {"Sec-Fetch-Site": "same-origin"})
    page = browser.post("/account/codes/confirm", form)
    assert page.path.startswith("/account?done=")
    assert "Codes are on. If you have not kept your recovery codes, create new ones." in page.words
    browser.post("/account/codes/off")
    assert browser.post("/account/codes/confirm", form).path == "/account/codes"


def test_what_was_to_be_deleted_by_now_is_not_restored(dashboard: Dashboard) -> None:
    account = dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/account/delete", {"email": ANN})
    dashboard.desk.database.write("UPDATE accounts SET delete_at = 1")
    page = browser.post("/account/restore")
    assert page.status == 404
    assert "what the account had is being deleted" in page.words
    assert dashboard.desk.accounts.get(account.id).delete_at == 1


def _add_passkeys(dashboard: Dashboard, account: str, labels: Sequence[str]) -> None:
    for label in labels:
        dashboard.desk.database.write(
            "INSERT INTO passkeys (id, account, public_key, sign_count, label, created_at)"
            " VALUES (?, ?, 'x', 0, ?, 1790000000)",
            (f"{account}-{label}", account, label),
        )


def _labels(dashboard: Dashboard, account: str) -> list[str]:
    return [one.label for one in dashboard.desk.passkeys.of(account)]


@pytest.mark.parametrize(("form", "left"), [({}, ["", "laptop"]), ({"remove_passkeys": "on"}, [])])
def test_who_chooses_a_new_password_by_a_link_decides_on_passkeys(
    dashboard: Dashboard, form: dict[str, str], left: list[str]
) -> None:
    ann, bob = dashboard.account(ANN), dashboard.account(BOB)
    _add_passkeys(dashboard, ann.id, ["", "laptop"])
    _add_passkeys(dashboard, bob.id, ["phone"])
    other, browser = dashboard.signed_in(ANN), dashboard.browser()
    link = f"/reset/{dashboard.desk.links.create('reset', ann.id)}"
    words = browser.get(link).words
    assert "Also remove all 2 passkeys" in words
    assert "laptop, added" in words
    assert "phone" not in words
    page = browser.post(link, {"password": "short", **form})
    assert page.status == 422
    assert ('name="remove_passkeys" checked' in page.text) is bool(form)
    assert _labels(dashboard, ann.id) == ["", "laptop"]
    assert browser.post(link, {"password": "three other unrelated words", **form}).status == 200
    assert _labels(dashboard, ann.id) == left
    assert _labels(dashboard, bob.id) == ["phone"]
    assert "/sign-in" in other.get("/account").path
    assert browser.post(link, {"password": "again other words here", "remove_passkeys": "on"}).status == 410
    assert _labels(dashboard, ann.id) == left


def test_a_new_password_removes_passkeys_when_it_is_asked_to(dashboard: Dashboard) -> None:
    ann = dashboard.account(ANN)
    _add_passkeys(dashboard, ann.id, ["laptop"])
    browser = dashboard.signed_in(ANN)
    assert "Also remove the passkey" in browser.get("/account/password").words
    browser.post("/account/password", {"password": "three other unrelated words"})
    assert _labels(dashboard, ann.id) == ["laptop"]
    page = browser.post("/account/password", {"password": PASSWORD, "remove_passkeys": "on"})
    assert "The passkeys are removed." in page.words
    assert _labels(dashboard, ann.id) == []
    assert "Also remove" not in browser.get("/account/password").words
    assert "Passkey deleted" in browser.get("/activity").words


def test_a_password_manager_finds_whose_password_a_form_is_about(dashboard: Dashboard) -> None:
    account = dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    reset = f"/reset/{dashboard.desk.links.create('reset', account.id)}"
    name = f'<input type="email" autocomplete="username" value="{ANN}" hidden>'
    for path in ("/step-up", "/account/password", reset):
        page = browser.get(path)
        assert (path, page.text.count(name)) == (path, 1)
