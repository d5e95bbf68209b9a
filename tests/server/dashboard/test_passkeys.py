"""Passkeys in Chromium, with a virtual device that signs as a real one does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect

from tests.server.dashboard.conftest import PASSWORD, Dashboard

pytestmark = pytest.mark.browser
ANN = "ann@example.com"
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def tab(browser: Chromium, dashboard: Dashboard) -> Iterator[Page]:
    """A tab on a computer that has a device for passkeys; Ann has an account."""
    dashboard.account(ANN)
    context = browser.new_context(base_url=f"http://localhost:{dashboard.port}")
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    yield page
    context.close()


def sign_in(tab: Page) -> None:
    tab.goto("/sign-in")
    tab.get_by_label("E-mail address").fill(ANN)
    tab.get_by_label("Password", exact=True).fill(PASSWORD)
    tab.get_by_role("button", name="Sign in", exact=True).click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sites")


def add(tab: Page, label: str) -> None:
    tab.goto("/account")
    tab.get_by_role("link", name="Add a passkey…").click()
    tab.get_by_label("Label").fill(label)
    tab.get_by_role("button", name="Add it").click()


def test_a_passkey_is_added_and_signs_in_and_steps_up(tab: Page, dashboard: Dashboard) -> None:
    sign_in(tab)
    add(tab, "laptop")
    expect(tab.get_by_text("The passkey is added")).to_be_visible()
    expect(tab.get_by_role("row", name="Passkey laptop")).to_be_visible()
    tab.get_by_role("button", name="Sign out").click()
    tab.goto("/activity")
    tab.get_by_role("button", name="Sign in with a passkey").click()
    expect(tab).to_have_url(f"http://localhost:{dashboard.port}/activity")
    dashboard.desk.database.write("UPDATE browser_sessions SET stepped_up_until = 0")
    tab.goto("/account/password")
    tab.get_by_role("button", name="Use a passkey").click()
    expect(tab.get_by_label("New password")).to_be_visible()


def test_one_device_has_one_passkey_of_an_account(tab: Page) -> None:
    sign_in(tab)
    add(tab, "laptop")
    expect(tab.get_by_text("The passkey is added")).to_be_visible()
    add(tab, "again")
    expect(tab.get_by_role("alert")).to_have_text("This device has a passkey for this account already.")


def test_a_deleted_passkey_signs_nobody_in(tab: Page) -> None:
    sign_in(tab)
    add(tab, "laptop")
    tab.get_by_role("button", name="Delete the passkey laptop").click()
    expect(tab.get_by_text("The passkey is deleted")).to_be_visible()
    tab.get_by_role("button", name="Sign out").click()
    tab.get_by_role("button", name="Sign in with a passkey").click()
    expect(tab.get_by_role("alert")).to_have_text(
        "The passkey was not accepted. Try again, or use your password."
    )
