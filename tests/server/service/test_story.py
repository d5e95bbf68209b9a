"""The whole service in one story: an owner in Chromium, an agent over HTTP, and a real PostgreSQL.

The owner has a mouse, or a keyboard alone, or a browser that runs no script: then all is there but passkeys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.chromium import launched
from tests.ports import free_port
from tests.server.api.exchange import Reply, exchange
from tests.server.service.hosting import admin
from tests.server.service.process import Host
from tests.server.service.test_published import read
from tests.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.postgres]
ANN, PASSWORD = "ann@example.com", "four unrelated words here"
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
MOST_STEPS = 120
"""Times that Tab is pressed for one thing."""
RING = """element => {
    const style = getComputedStyle(element);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
}"""
"""A test of whether it is seen where the focus is."""


@pytest.fixture
def host(data: Path) -> Iterator[Host]:
    """A service that was never started before."""
    found = Host(data, arguments=("--db-port", str(free_port())))
    found.start()
    yield found
    assert found.stop() == 0


class Hands:
    """An owner at a tab: with a mouse."""

    script = True

    def __init__(self, tab: Page) -> None:
        self.tab = tab

    def press(self, target: Locator) -> None:
        """Press a button, or follow a link."""
        target.click()

    def fill(self, target: Locator, text: str) -> None:
        """Type over what stands in a field."""
        target.fill(text)


class NoScript(Hands):
    """The same in a browser that runs no script."""

    script = False


class Keyboard(Hands):
    """With a keyboard alone: everything is reached by Tab, and seen to be."""

    def press(self, target: Locator) -> None:
        self._reach(target)
        self.tab.keyboard.press("Enter")

    def fill(self, target: Locator, text: str) -> None:
        self._reach(target)
        self.tab.keyboard.press("Control+A")
        self.tab.keyboard.insert_text(text)

    def _reach(self, target: Locator) -> None:
        expect(target).to_be_visible()
        for _ in range(MOST_STEPS):
            if target.evaluate("element => element === document.activeElement"):
                assert target.evaluate(RING), target
                return
            self.tab.keyboard.press("Tab")
        raise AssertionError(f"Tab does not come to {target}")


# A keyboard comes to all that a mouse does, by the same script; each without the other is for nights.
@pytest.fixture(params=[pytest.param(Hands, marks=pytest.mark.slow), Keyboard, NoScript])
def hands(host: Host, request: pytest.FixtureRequest) -> Iterator[Hands]:
    """An owner at a computer that has a device for passkeys."""
    with launched() as browser:
        context = browser.new_context(
            base_url=f"http://localhost:{host.port}", java_script_enabled=request.param.script
        )
        tab = context.new_page()
        session = context.new_cdp_session(tab)
        session.send("WebAuthn.enable")
        session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
        yield request.param(tab)
        context.close()


class Agent:
    """Writes pages with a key."""

    def __init__(self, host: Host, key: str) -> None:
        self._host = host
        self.key = key

    def ask(self, method: str, path: str, body: object = None) -> Reply:
        return exchange(self._host.port, method, f"/api/v1/pages/ai/{path}", self.key, body)

    def write(self, name: str, text: str) -> None:
        body = {"path": f"docs/{name}", "body": text, "frontmatter": {"title": name.capitalize()}}
        assert self.ask("PUT", "page", body).status in {200, 201}


def test_an_owner_and_an_agent(host: Host, hands: Hands) -> None:
    first_account(host, hands)
    if hands.script:
        add_a_passkey_and_sign_in_with_it(hands)
    else:
        sign_out_and_in(hands)
    agent = a_site_and_a_key(host, hands)
    for number in range(5):
        agent.write(f"berth-{number}", f"Berth {number} is free.\n")
    mend_while_the_agent_writes(hands, agent)
    undo_the_agent(hands)
    publish_for_the_first_time(host, hands)
    publish_a_change(host, hands)
    roll_back_and_return(host, hands)
    unpublish_and_publish(host, hands)
    uri = a_database(hands)
    keys_to_the_limit(hands)
    suspended_and_cleared(host, hands, agent, uri)
    sign_out(hands)


def first_account(host: Host, hands: Hands) -> None:
    tab = hands.tab
    assert host.preview
    (line,) = [line for line in host.preview.lines if "/first/" in line]
    tab.goto(line.split()[-1])
    hands.fill(tab.get_by_label("E-mail address"), ANN)
    hands.fill(tab.get_by_label("Password", exact=True), PASSWORD)
    hands.press(tab.get_by_role("button", name="Create"))
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sites")


def add_a_passkey_and_sign_in_with_it(hands: Hands) -> None:
    tab = hands.tab
    tab.goto("/account")
    hands.press(tab.get_by_role("link", name="Add a passkey…"))
    hands.fill(tab.get_by_label("Label"), "laptop")
    hands.press(tab.get_by_role("button", name="Add it"))
    expect(tab.get_by_text("The passkey is added")).to_be_visible()
    hands.press(tab.get_by_role("button", name="Sign out"))
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sign in")
    hands.press(tab.get_by_role("button", name="Sign in with a passkey"))
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sites")


def sign_out_and_in(hands: Hands) -> None:
    tab = hands.tab
    hands.press(tab.get_by_role("button", name="Sign out"))
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sign in")
    hands.fill(tab.get_by_label("E-mail address"), ANN)
    hands.fill(tab.get_by_label("Password", exact=True), PASSWORD)
    hands.press(tab.get_by_role("button", name="Sign in", exact=True))
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sites")


def a_site_and_a_key(host: Host, hands: Hands) -> Agent:
    tab = hands.tab
    hands.fill(tab.get_by_label("Name"), "harbour")
    hands.press(tab.get_by_role("button", name="Create the site"))
    expect(tab.get_by_role("status")).to_contain_text("harbour is created")
    hands.press(tab.get_by_role("button", name="Create a one-off key"))
    prompt = tab.locator("#prompt").inner_text()
    (key,) = set(re.findall(r"dpk_\w+", prompt))
    assert f"http://localhost:{host.port}/api/v1/pages" in prompt
    tab.reload()
    expect(tab.locator("#prompt")).to_have_count(0)
    return Agent(host, key)


def mend_while_the_agent_writes(hands: Hands, agent: Agent) -> None:
    tab = hands.tab
    hands.press(tab.get_by_role("link", name="Pages").first)
    hands.press(tab.get_by_role("link", name="Berth-2"))
    source, preview = tab.get_by_label("Source"), tab.frame_locator("#preview")
    expect(preview.get_by_text("Berth 2 is free.")).to_be_visible()
    text = source.input_value()
    hands.fill(source, text.replace("is free", "is closed"))
    if hands.script:
        expect(preview.get_by_text("Berth 2 is closed.")).to_be_visible()
    agent.write("berth-2", "Berth 2 is free on Sundays.\n")
    hands.press(tab.get_by_role("button", name="Save this page"))
    expect(tab.get_by_role("alert")).to_contain_text("the page changed while you wrote")
    together = tab.get_by_label("Together")
    assert "is closed." in together.input_value()
    assert "on Sundays." in together.input_value()
    hands.fill(together, text.replace("is free", "is closed, but free on Sundays"))
    hands.press(tab.get_by_role("button", name="Save the page as above"))
    expect(tab.get_by_role("status")).to_have_text("Saved.")
    assert "closed, but free on Sundays" in agent.ask("GET", "page?path=docs/berth-2").data["body"]


def undo_the_agent(hands: Hands) -> None:
    tab = hands.tab
    hands.press(tab.get_by_role("link", name="Keys", exact=True).first)
    hands.press(tab.get_by_role("link", name=re.compile("See what it wrote")))
    expect(tab.get_by_text("docs/berth-2 changed since")).to_be_visible()
    hands.press(tab.get_by_role("button", name="Undo all but what changed since"))
    expect(tab.get_by_role("status").first).to_contain_text("4 files are as before")
    hands.press(tab.get_by_role("link", name="Pages").first)
    expect(tab.get_by_role("link", name="Berth-2")).to_be_visible()
    expect(tab.get_by_role("link", name="Berth-1")).to_have_count(0)


def publish_for_the_first_time(host: Host, hands: Hands) -> None:
    tab = hands.tab
    assert reads(host, "/docs/berth-2") == (404, "")
    hands.press(tab.get_by_role("link", name="Publish", exact=True).first)
    expect(tab.get_by_role("heading", name="The first release")).to_be_visible()
    hands.press(tab.get_by_role("button", name="Publish"))
    published(tab, 1)
    with tab.context.expect_page() as opened:
        hands.press(tab.get_by_role("link", name="Read the site"))
    site = opened.value
    expect(site).to_have_url(f"http://harbour.localhost:{sites_port(host)}/")
    site.goto(f"http://harbour.localhost:{sites_port(host)}/docs/berth-2")
    expect(site.get_by_text("closed, but free on Sundays")).to_be_visible()
    assert site.context.cookies(site.url) == []
    site.close()


def publish_a_change(host: Host, hands: Hands) -> None:
    tab = hands.tab
    hands.press(tab.get_by_role("link", name="Pages", exact=True).first)
    hands.press(tab.get_by_role("link", name="Berth-2"))
    source = tab.get_by_label("Source")
    hands.fill(source, source.input_value().replace("on Sundays", "on Mondays"))
    hands.press(tab.get_by_role("button", name="Save this page"))
    expect(tab.get_by_role("status")).to_have_text("Saved.")
    assert "on Sundays" in reads(host, "/docs/berth-2")[1]
    hands.press(tab.get_by_role("link", name="Publish", exact=True).first)
    expect(tab.get_by_role("heading", name="1 change since release #1")).to_be_visible()
    hands.press(tab.locator("summary", has_text="Berth-2"))
    expect(tab.get_by_label("Changes of docs/berth-2.md")).to_contain_text("on Mondays")
    hands.press(tab.get_by_role("button", name="Publish 1 change"))
    published(tab, 2)
    until(lambda: "on Mondays" in reads(host, "/docs/berth-2")[1])


def roll_back_and_return(host: Host, hands: Hands) -> None:
    tab = hands.tab
    hands.press(tab.get_by_role("link", name="Releases", exact=True).first)
    hands.press(tab.get_by_role("button", name="Roll back to release 1"))
    hands.press(tab.get_by_role("button", name="Roll back to #1"))
    expect(tab.get_by_role("status").first).to_contain_text("Readers have release #1 until you return")
    until(lambda: "on Sundays" in reads(host, "/docs/berth-2")[1])
    hands.press(tab.get_by_role("button", name="Return to latest, #2"))
    expect(tab.get_by_role("status").first).to_contain_text("Readers have release #2, and each that comes.")
    until(lambda: "on Mondays" in reads(host, "/docs/berth-2")[1])


def unpublish_and_publish(host: Host, hands: Hands) -> None:
    tab = hands.tab
    hands.press(tab.get_by_role("link", name="Take the site offline…"))
    hands.fill(tab.get_by_label("Type harbour"), "harbour")
    hands.press(tab.get_by_role("button", name="Take the site offline"))
    expect(tab.get_by_role("status").first).to_contain_text("harbour is offline. Its releases are kept.")
    until(lambda: reads(host, "/docs/berth-2")[0] == 404)
    hands.press(tab.get_by_role("link", name="Publish", exact=True).first)
    hands.press(tab.get_by_role("button", name="Publish", exact=True))
    published(tab, 3)
    until(lambda: "on Mondays" in reads(host, "/docs/berth-2")[1])


def published(tab: Page, number: int) -> None:
    heading = tab.get_by_role("heading", level=1)
    expect(heading).to_have_text(f"Readers have release #{number}")


def sites_port(host: Host) -> int:
    assert host.preview
    return int(re.findall(r":(\d+)$", host.preview.says("Sites are at "))[0])


def reads(host: Host, path: str) -> tuple[int, str]:
    """Return what a reader gets of the site: the status and the page, which counts where there is one."""
    status, text = read(sites_port(host), path, "harbour.localhost")
    return status, text if status == 200 else ""


def a_database(hands: Hands) -> str:
    tab = hands.tab
    hands.press(tab.get_by_role("link", name="Databases", exact=True))
    hands.fill(tab.get_by_label("Name, if you like"), "orders")
    hands.press(tab.get_by_role("button", name="Create the database"))
    first = shown_uri(tab)
    with psycopg.connect(first) as connection:
        connection.execute("CREATE TABLE boats (name text)")
    hands.press(tab.get_by_role("link", name="Rotate the password"))
    hands.press(tab.get_by_role("button", name="Rotate"))
    second = shown_uri(tab)
    assert first != second
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(first)
    with psycopg.connect(second) as connection:
        assert connection.execute("SELECT count(*) FROM boats").fetchone() == (0,)
        tab.reload()
        expect(tab.get_by_label("Connections")).to_be_visible()
        expect(tab.get_by_label("Use")).to_contain_text("1 of 10")
    hands.press(tab.get_by_role("link", name="Operator", exact=True))
    hands.press(tab.get_by_role("link", name="Health"))
    expect(tab.get_by_role("row", name="PostgreSQL")).to_contain_text("This process looks after it")
    expect(tab.get_by_role("row", name="Databases")).to_contain_text("1 active")
    return second


def shown_uri(tab: Page) -> str:
    found = re.search(r"'(postgresql://.*?)'", tab.get_by_text("psql 'postgresql://").inner_text())
    assert found
    return found[1]


def keys_to_the_limit(hands: Hands) -> None:
    tab = hands.tab
    hands.press(tab.get_by_role("link", name="API Keys", exact=True).first)
    for label in ("one", "two"):
        hands.fill(tab.get_by_label("Label, if you like"), label)
        hands.press(tab.get_by_role("button", name="Create the key"))
        expect(tab.get_by_text(f"The value of {label}")).to_be_visible()
    hands.press(tab.get_by_role("button", name="Disable one"))
    hands.fill(tab.get_by_label("Label, if you like"), "three")
    hands.press(tab.get_by_role("button", name="Create the key"))
    hands.press(tab.get_by_role("button", name="Enable one"))
    expect(tab.get_by_role("alert")).to_contain_text("one was not enabled")
    expect(tab.get_by_role("alert")).to_contain_text("Disable two or three first")


def suspended_and_cleared(host: Host, hands: Hands, agent: Agent, uri: str) -> None:
    tab = hands.tab
    tab.goto("/sites/harbour/pages/edit?path=docs/index")
    done = admin(host.data, "account", "suspend", ANN, "--reason", "The invoice of May is open.")
    assert done.returncode == 0, done.stderr
    status, answer = refused(agent)
    assert (status, answer["code"]) == (401, "KEY_DISABLED")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(uri)
    hands.press(tab.get_by_role("button", name="Save this page"))
    expect(tab.get_by_text("this account is suspended")).to_be_visible()
    tab.goto("/sites/harbour/pages/edit?path=docs/index")
    expect(tab.get_by_role("status")).to_contain_text("The invoice of May is open.")
    expect(tab.get_by_role("button", name="Save this page")).to_be_disabled()
    done = admin(host.data, "account", "clear", ANN)
    assert done.returncode == 0, done.stderr
    assert agent.ask("GET", "site").status == 200
    with psycopg.connect(uri) as connection:
        connection.execute("INSERT INTO boats VALUES ('Anna')")
    tab.goto("/sites/harbour")
    expect(tab.get_by_text("is suspended")).to_have_count(0)


def refused(agent: Agent) -> tuple[int, dict[str, Any]]:
    reply = agent.ask("GET", "site")
    return reply.status, reply.json


def sign_out(hands: Hands) -> None:
    tab = hands.tab
    hands.press(tab.get_by_role("button", name="Sign out"))
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sign in")
    tab.go_back()
    expect(tab).to_have_url(re.compile(r"/sign-in\?next=/sites/harbour$"))
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sign in")
