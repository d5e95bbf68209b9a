"""The screens of the dashboard in the guide's order, as one owner comes to them on a real service.

What differs from run to run (days, ports, keys, passwords, names of databases) is overwritten on the screen.
"""

from __future__ import annotations

import calendar
import re
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from playwright.sync_api import Page, expect

from server.readers.reader_counts import ReaderCounts
from server.readers.tally import DAY, Counts, Subject, TallyEntry
from server.releases.hosts import Hosts
from tests.server.api.exchange import exchange
from tests.server.service.process import Host

EMAIL, PASSWORD = "me@example.com", "four unrelated words here"
HELLO = """---
title: Hello
---

This is **my first page**.

:::tip
Look at the preview while you type.
:::
"""
INSTALL = "Download the tool, and start it:\n\n```sh\nacme serve\n```\n"
MASKS = [
    (rf"\b\d{{1,2}} ({'|'.join(calendar.month_name[1:])})\b( 20\d\d)?", "24 November"),
    (r"\b\d\d:\d\d(:\d\d)? UTC", "09:30 UTC"),
    (r"\btoday, \d\d:\d\d", "today, 09:30"),
    (r"twinpress=[a-z2-7]{32}", "twinpress=k3ywq6hz2mnx4tvaz2mnx4tvak3ywq6h"),
    (r"^localhost$", "sites.example.net", "code"),
    (r"(127\.0\.0\.11):\d+", "ns1.example.com", "code"),
    (r"\b\d\d minutes( left)?\b", "59 minutes$1"),
    (r"localhost:\d+", "localhost:8080"),
    (r"acme-docs\.localhost:8080", "acme-docs.localhost:8081"),
    (r"\b\d\d:\d\d:\d\d$", "09:30:12"),
    (r"(in \d+ seconds?|within a second)\.", "in 1 second."),
    (r"(127\.0\.0\.1|localhost):\d+/db_", "127.0.0.1:41873/db_"),
    (r"whsec_\w{8,}", "whsec_8kPq3ZtN4vYb1RkX6mWc"),
    (r"dpk_\w{8,}", "dpk_3mPq8sZt6vWx9yBc2dFg"),
    (r"dpk_…\w+", "dpk_…2dFg"),
    (r"svc_db_\w{8,}", "svc_db_5rTk7nXw4jHs"),
    (r"…\w{4}\b", "…4jHs"),
    (r"db_[a-z2-7]{16}", "db_k3ywq6hz2mnx4tva"),
    (r":[A-Za-z0-9_-]{20,}@", ":q8ZtN4vYb1RkX6mWc3PdS7hJ@"),
    (r"^[A-Za-z0-9_-]{28,}$", "q8ZtN4vYb1RkX6mWc3PdS7hJ"),
    (r"^(?=.*[A-Z])[A-Za-z0-9_-]{10,16}$", "Kx3Pq8sZt6v", "code, .mono"),
    (r"127\.0\.0\.1, \d+", "127.0.0.1, 41873"),
    (r"^\d\d:\d\d$", "59:59"),
    (r"^\d{4,5}$", "41873", "code, .mono"),
    (r"[\d.]+ of [\d.]+ [GT]i?B", "64 of 100 GiB"),
    (r"\b\d+ MiB at most", "107 MiB at most"),
    (r"^(0 bytes|\d+\.\d MB)$", "7.3 MB"),
    (r"Python 3\.\d+\.\d+", "Python 3.13.1"),
    (r"PostgreSQL (\d+)\.\d+", "PostgreSQL $1"),
]
"""Patterns of JavaScript, what is shown in place of what they match, and in which elements alone."""
OVERWRITE = """masks => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const node = walk.currentNode;
        for (const [pattern, text, within] of masks)
            if (!within || node.parentElement.closest(within))
                node.data = node.data.replace(new RegExp(pattern, "g"), text);
    }
    document.activeElement?.blur();
}"""


class Screen(Struct, frozen=True):
    """A screen: the file name of its picture, and the way from the one before."""

    name: str
    go: Callable[[Page, Host], None]


def shown(tab: Page, host: Host) -> Iterator[str]:
    """Come to each screen in turn; its name is given while the tab shows it."""
    for screen in SCREENS:
        screen.go(tab, host)
        tab.wait_for_load_state("networkidle")
        tab.evaluate(OVERWRITE, MASKS)
        yield screen.name


def words(tab: Page) -> list[str]:
    """Return the headings, labels, buttons and links of the page's own part, in their order."""
    found = tab.locator("main").locator("h1, h2, h3, label, button, summary, a.button, th[scope=col]")
    texts = (" ".join(text.split()) for text in found.all_inner_texts())
    return [text for text in texts if text]


def _first(tab: Page, host: Host) -> None:
    assert host.preview
    (line,) = [line for line in host.preview.lines if "/first/" in line]
    tab.goto(line.split()[-1])
    tab.get_by_label("E-mail address").fill(EMAIL)


def _sites(tab: Page, _: Host) -> None:
    tab.get_by_label("Password", exact=True).fill(PASSWORD)
    tab.get_by_role("button", name="Create the account").click()
    tab.get_by_label("Name").fill("acme-docs")


def _site(tab: Page, _: Host) -> None:
    tab.get_by_role("button", name="Create the site").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("acme-docs")


def _editor(tab: Page, _: Host) -> None:
    tab.get_by_role("link", name="Create a page").click()
    tab.get_by_label("Path", exact=True).fill("docs/hello")
    tab.get_by_role("button", name="Create the page").click()
    tab.get_by_label("Source", exact=True).fill(HELLO)
    expect(tab.frame_locator("#preview").get_by_text("Look at the preview while")).to_be_visible()
    tab.get_by_role("button", name="Save this page").click()
    expect(tab.get_by_role("status")).to_have_text("Saved.")
    expect(tab.frame_locator("#preview").get_by_text("Look at the preview while")).to_be_visible()


def _history(tab: Page, _: Host) -> None:
    tab.get_by_role("link", name="History").click()


def _one_off(tab: Page, host: Host) -> None:
    tab.get_by_role("link", name="Keys", exact=True).first.click()
    tab.get_by_role("button", name="Create a one-off key").click()
    prompt = tab.locator("#prompt").inner_text()
    (key,) = set(re.findall(r"dpk_\w+", prompt))
    for path, title, body in (
        ("install", "Install", INSTALL),
        ("hello", "Hello", "This is **our** first page.\n"),
    ):
        page = {"path": f"docs/{path}", "body": body, "frontmatter": {"title": title}}
        reply = exchange(host.port, "PUT", "/api/v1/pages/ai/page", key, page)
        assert reply.status in {200, 201}, reply.json


def _wrote(tab: Page, _: Host) -> None:
    tab.get_by_role("link", name=re.compile("See what it wr")).first.click()


def _published(tab: Page, host: Host) -> None:
    _address("/sites/acme-docs/publish")(tab, host)
    tab.get_by_role("button", name="Publish", exact=True).click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Readers have release #1")
    assert re.fullmatch(r"/sites/acme-docs/publish/\d+", urlsplit(tab.url).path)


def _releases(tab: Page, host: Host) -> None:
    _address("/sites/acme-docs/publish")(tab, host)
    tab.get_by_role("button", name="Publish", exact=True).click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Readers have release #2")
    tab.get_by_role("link", name="Releases", exact=True).first.click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Releases")


def _domains(tab: Page, host: Host) -> None:
    _address("/sites/acme-docs/domains")(tab, host)
    tab.get_by_label("Domain", exact=True).fill("docs.example.com")
    tab.get_by_role("button", name="Add this domain").click()
    expect(tab.get_by_text("Something else found").first).to_be_visible()
    _address("/sites/acme-docs/domains")(tab, host)
    # Sites of this service are at this machine alone, which the page says to its owner.
    tab.locator(".notice").evaluate("notice => notice.remove()")


def _readers(tab: Page, host: Host) -> None:
    hosts = msgspec.json.decode((host.data / "releases/hosts.json").read_bytes(), type=Hosts)
    ReaderCounts(host.data).add(_counted(hosts.hosts["acme-docs.localhost"].site))
    _address("/sites/acme-docs/readers")(tab, host)


def _counted(site: str) -> Counts:
    """Counts of a month, with fewer readers at its weekends."""
    today, found = int(time.time()) // DAY, Counts()
    for ago in range(30):
        busy = 1 if ago % 7 in {2, 3} else 3
        found[TallyEntry(site, today - ago, "people", "/docs/")] = busy * (9 + ago * 5 % 11)
        found[TallyEntry(site, today - ago, "agents", "/docs/hello")] = busy * (3 + ago % 4)
    last: dict[tuple[Subject, str], int] = {
        ("people", "/docs/guide/install"): 143,
        ("agent", "Claude"): 204,
        ("agent", "markdown"): 61,
        ("bots", ""): 1_216,
        ("vain_people", "/docs/instal"): 44,
        ("vain_agents", "/docs/api"): 17,
    }
    return found | {TallyEntry(site, today - 1, *each): count for each, count in last.items()}


def _notices(tab: Page, host: Host) -> None:
    _address("/account/notices")(tab, host)
    tab.get_by_label("Address").fill("https://example.com/hooks/docs")
    tab.get_by_role("button", name="Create a webhook").click()
    expect(tab.get_by_text("The webhook is created")).to_be_visible()


def _pages(tab: Page, host: Host) -> None:
    """Open the pages when the site was looked at as it is."""
    _address("/sites/acme-docs/problems")(tab, host)
    expect(tab.get_by_text("As of now")).to_be_visible()
    _address("/sites/acme-docs/pages")(tab, host)


def _address(path: str) -> Callable[[Page, Host], None]:
    def go(tab: Page, host: Host) -> None:
        tab.goto(f"http://localhost:{host.port}{path}")

    return go


def _database(tab: Page, host: Host) -> None:
    _address("/databases")(tab, host)
    tab.get_by_label("Name, if you like").fill("orders")
    tab.get_by_role("button", name="Create the database").click()
    expect(tab.get_by_text("psql 'postgresql://")).to_be_visible()


def _keys(tab: Page, host: Host) -> None:
    _address("/databases/keys")(tab, host)
    tab.get_by_label("Label, if you like").fill("nightly job")
    tab.get_by_role("button", name="Create the key").click()


SCREENS = [
    Screen("screen-first-account", _first),
    Screen("screen-first-site", _sites),
    Screen("screen-site", _site),
    Screen("screen-editor", _editor),
    Screen("screen-history", _history),
    Screen("screen-one-off-key", _one_off),
    Screen("screen-key-writes", _wrote),
    Screen("screen-pages", _pages),
    Screen("screen-settings", _address("/sites/acme-docs/settings")),
    Screen("screen-published", _published),
    Screen("screen-releases", _releases),
    Screen("screen-domains", _domains),
    Screen("screen-readers", _readers),
    Screen("screen-database", _database),
    Screen("screen-api-key", _keys),
    Screen("screen-activity", _address("/activity")),
    Screen("screen-notices", _notices),
    Screen("screen-account", _address("/account")),
    Screen("screen-operator", _address("/operator")),
    Screen("screen-health", _address("/operator/health")),
]
