"""The whole service in one story: an owner in Chromium, an agent over HTTP, and a real PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.chromium import launched
from tests.server.api.exchange import Reply, exchange
from tests.server.postgres.clusters import free_port
from tests.server.service.hosting import admin
from tests.server.service.process import Host

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


@pytest.fixture
def host(data: Path) -> Iterator[Host]:
    """A service that was never started before."""
    found = Host(data, arguments=("--db-port", str(free_port())))
    found.start()
    yield found
    assert found.stop() == 0


@pytest.fixture
def context(host: Host) -> Iterator[BrowserContext]:
    """A browser on a computer that has a device for passkeys."""
    with launched() as browser:
        made = browser.new_context(base_url=f"http://localhost:{host.port}")
        yield made
        made.close()


@pytest.fixture
def tab(context: BrowserContext) -> Page:
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    return page


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


def test_an_owner_and_an_agent(host: Host, tab: Page) -> None:
    first_account(host, tab)
    add_a_passkey_and_sign_in_with_it(tab)
    agent = a_site_and_a_key(host, tab)
    for number in range(5):
        agent.write(f"berth-{number}", f"Berth {number} is free.\n")
    mend_while_the_agent_writes(tab, agent)
    undo_the_agent(tab)
    uri = a_database(tab)
    keys_to_the_limit(tab)
    suspended_and_cleared(host, tab, agent, uri)
    sign_out(tab)


def first_account(host: Host, tab: Page) -> None:
    assert host.preview
    (line,) = [line for line in host.preview.lines if "/first/" in line]
    tab.goto(line.split()[-1])
    tab.get_by_label("E-mail address").fill(ANN)
    tab.get_by_label("Password", exact=True).fill(PASSWORD)
    tab.get_by_role("button", name="Create").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sites")


def add_a_passkey_and_sign_in_with_it(tab: Page) -> None:
    tab.goto("/account")
    tab.get_by_role("link", name="Add a passkey…").click()
    tab.get_by_label("Label").fill("laptop")
    tab.get_by_role("button", name="Add it").click()
    expect(tab.get_by_text("The passkey is added")).to_be_visible()
    tab.get_by_role("button", name="Sign out").click()
    tab.goto("/sign-in")
    tab.get_by_role("button", name="Sign in with a passkey").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sites")


def a_site_and_a_key(host: Host, tab: Page) -> Agent:
    tab.get_by_label("Name").fill("harbour")
    tab.get_by_role("button", name="Create the site").click()
    expect(tab.get_by_role("status")).to_contain_text("harbour is created")
    tab.get_by_role("button", name="Create a one-off key").click()
    prompt = tab.locator("#prompt").inner_text()
    (key,) = set(re.findall(r"dpk_\w+", prompt))
    assert f"http://localhost:{host.port}/api/v1/pages" in prompt
    tab.reload()
    expect(tab.locator("#prompt")).to_have_count(0)
    return Agent(host, key)


def mend_while_the_agent_writes(tab: Page, agent: Agent) -> None:
    tab.get_by_role("link", name="Pages").first.click()
    tab.get_by_role("link", name="Berth-2").click()
    source, preview = tab.get_by_label("Source"), tab.frame_locator("#preview")
    expect(preview.get_by_text("Berth 2 is free.")).to_be_visible()
    text = source.input_value()
    source.fill(text.replace("is free", "is closed"))
    expect(preview.get_by_text("Berth 2 is closed.")).to_be_visible()
    agent.write("berth-2", "Berth 2 is free on Sundays.\n")
    tab.get_by_role("button", name="Save this page").click()
    expect(tab.get_by_role("alert")).to_contain_text("the page changed while you wrote")
    together = tab.get_by_label("Together")
    assert "is closed." in together.input_value()
    assert "on Sundays." in together.input_value()
    together.fill(text.replace("is free", "is closed, but free on Sundays"))
    tab.get_by_role("button", name="Save the page as above").click()
    expect(tab.get_by_role("status")).to_have_text("Saved.")
    assert "closed, but free on Sundays" in agent.ask("GET", "page?path=docs/berth-2").data["body"]


def undo_the_agent(tab: Page) -> None:
    tab.get_by_role("link", name="Keys", exact=True).first.click()
    tab.get_by_role("link", name=re.compile("See what it wrote")).click()
    expect(tab.get_by_text("docs/berth-2 changed since")).to_be_visible()
    tab.get_by_role("button", name="Undo all but what changed since").click()
    expect(tab.get_by_role("status").first).to_contain_text("4 files are as before")
    tab.get_by_role("link", name="Pages").first.click()
    expect(tab.get_by_role("link", name="Berth-2")).to_be_visible()
    expect(tab.get_by_role("link", name="Berth-1")).to_have_count(0)


def a_database(tab: Page) -> str:
    tab.get_by_role("link", name="Databases", exact=True).click()
    tab.get_by_label("Name, if you like").fill("orders")
    tab.get_by_role("button", name="Create the database").click()
    first = shown_uri(tab)
    with psycopg.connect(first) as connection:
        connection.execute("CREATE TABLE boats (name text)")
    tab.get_by_role("link", name="Rotate the password").click()
    tab.get_by_role("button", name="Rotate").click()
    second = shown_uri(tab)
    assert first != second
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(first)
    with psycopg.connect(second) as connection:
        assert connection.execute("SELECT count(*) FROM boats").fetchone() == (0,)
        tab.reload()
        expect(tab.get_by_label("Connections")).to_be_visible()
        expect(tab.get_by_label("Use")).to_contain_text("1 of 10")
    tab.get_by_role("link", name="Operator", exact=True).click()
    tab.get_by_role("link", name="Health").click()
    expect(tab.get_by_role("row", name="PostgreSQL")).to_contain_text("runs; this process looks after it")
    expect(tab.get_by_role("row", name="Databases")).to_contain_text("1 active")
    return second


def shown_uri(tab: Page) -> str:
    found = re.search(r"'(postgresql://.*?)'", tab.get_by_text("psql 'postgresql://").inner_text())
    assert found
    return found[1]


def keys_to_the_limit(tab: Page) -> None:
    tab.get_by_role("link", name="API Keys", exact=True).first.click()
    for label in ("one", "two"):
        tab.get_by_label("Label, if you like").fill(label)
        tab.get_by_role("button", name="Create the key").click()
        expect(tab.get_by_text(f"The value of {label}")).to_be_visible()
    tab.get_by_role("button", name="Disable one").click()
    tab.get_by_label("Label, if you like").fill("three")
    tab.get_by_role("button", name="Create the key").click()
    tab.get_by_role("button", name="Enable one").click()
    expect(tab.get_by_role("alert")).to_contain_text("one was not enabled")
    expect(tab.get_by_role("alert")).to_contain_text("Disable two or three first")


def suspended_and_cleared(host: Host, tab: Page, agent: Agent, uri: str) -> None:
    done = admin(host.data, "account", "suspend", ANN, "--reason", "The invoice of May is open.")
    assert done.returncode == 0, done.stderr
    status, answer = refused(agent)
    assert (status, answer["code"]) == (401, "KEY_DISABLED")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(uri)
    tab.goto("/sites/harbour")
    expect(tab.get_by_role("status")).to_contain_text("The invoice of May is open.")
    tab.goto("/sites/harbour/pages/edit?path=docs/index")
    tab.get_by_role("button", name="Save this page").click()
    expect(tab.get_by_text("this account is suspended")).to_be_visible()
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


def sign_out(tab: Page) -> None:
    tab.get_by_role("button", name="Sign out").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sign in")
    tab.evaluate("history.back()")
    expect(tab).to_have_url(re.compile(r"/sign-in\?next=/sites/harbour$"))
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sign in")
