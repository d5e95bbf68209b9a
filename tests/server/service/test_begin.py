"""A newcomer at a browser, who does what the README and the guide's first page say, in their order.

What is written between asterisks is a field, a link or a button: the newcomer takes the next one of the page
that is read, and nothing else, so that a step which is not written cannot be done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.chromium import launched
from tests.server.service.process import Host

ROOT = Path(__file__).parents[3]
README = (
    (ROOT / "README.md").read_text("utf-8").split("## Run it as a service")[1].split("The site's *Keys*")[0]
)
BEGIN = (ROOT / "sample-site/docs/hosting/begin.mdx").read_text("utf-8").split("## A database")[0]
NAMED = re.compile(r"(?<!\*)\*([^*\n]+)\*(?!\*)")
"""Something on the screen, as the pages name it."""
GIVEN = {"E-mail address": "me@example.com", "Password": "four unrelated words here"}
BUTTONS = {"Publish"}
"""Called like an entry of the menu, which the text names in other words."""
TYPED = {"Name": "acme-docs", "Path": "docs/hello"}

pytestmark = pytest.mark.browser


@pytest.fixture
def host(data: Path) -> Iterator[Host]:
    """A service that was never started before."""
    found = Host(data, arguments=("--no-databases",))
    found.start()
    yield found
    assert found.stop() == 0


@pytest.fixture
def tab() -> Iterator[Page]:
    """A browser that was never there."""
    with launched() as browser:
        yield browser.new_page()


class Newcomer:
    """Does what a text names, from its beginning."""

    def __init__(self, tab: Page, text: str) -> None:
        self.tab, self.source = tab, "---\ntitle: Hello\n---\n\nThis is **my first page**.\n"
        self.names = NAMED.findall(re.sub(r"^ *```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE))
        for key, value in TYPED.items():
            assert re.search(rf"\*{key}\* (with|to) `{value}`", text), (
                f"the page does not say what to write into {key}"
            )
        if found := re.search(r"^ *```mdx\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE):
            self.source = re.sub("^    ", "", found[1], flags=re.MULTILINE)

    def follow(self, last: str) -> Page:
        """Do all up to the thing that is called so, which opens a page of its own."""
        for name in self.names:
            if name == last:
                with self.tab.expect_popup() as opened:
                    self._thing(name).click()
                return opened.value
            self.do(name)
        raise AssertionError(f"the page does not name {last}")

    def do(self, name: str) -> None:
        """Fill in the field, or press what has this name."""
        if text := {**GIVEN, **TYPED, "Source": self.source}.get(name):
            self.tab.get_by_label(name, exact=True).fill(text)
        else:
            self._thing(name).click()

    def _thing(self, name: str) -> Locator:
        button, link = (self.tab.get_by_role(role, name=name, exact=True) for role in ("button", "link"))
        return button.first if name in BUTTONS else button.or_(link).first


@pytest.mark.parametrize("text", [README, BEGIN], ids=["readme", "guide"])
def test_the_steps_lead_to_a_page_of_ones_own(host: Host, tab: Page, text: str) -> None:
    newcomer = Newcomer(tab, text)
    open_printed(host, tab, "/first/")
    alone = newcomer.follow("Open alone")
    _holds(tab.frame_locator("#preview"))
    _holds(alone)
    newcomer.names = newcomer.names[newcomer.names.index("Open alone") + 1 :]
    published = newcomer.follow("Read the site")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Readers have release #1")
    assert re.fullmatch(r"http://acme-docs\.localhost:\d+/.*", published.url)
    published.goto(urljoin(published.url, "/docs/hello"))
    _holds(published)


def test_the_guide_goes_on_to_a_key_for_an_agent(host: Host, tab: Page) -> None:
    steps = Newcomer(tab, BEGIN)
    open_printed(host, tab, "/first/")
    steps.follow("Open alone")
    steps.names = steps.names[steps.names.index("Read the site") + 1 :]
    assert steps.names == ["Keys", "Create a one-off key", "Copy the prompt", "See what it writes"]
    for name in steps.names:
        steps.do(name)
    expect(tab.get_by_role("heading", level=1)).to_contain_text("wrote")


def test_who_has_an_account_reads_where_to_sign_in(host: Host, tab: Page) -> None:
    open_printed(host, tab, "/first/")
    for name in ("E-mail address", "Password", "Create the account"):
        Newcomer(tab, README).do(name)
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sites")
    assert host.stop() == 0
    host.start()
    open_printed(host, tab, "To sign in")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Sites")


def open_printed(host: Host, tab: Page, words: str) -> None:
    """Open the address in the line of the start that has these words."""
    assert host.preview
    (line,) = [line for line in host.preview.lines if words in line]
    tab.goto(line.split()[-1])


def _holds(page: Page | FrameLocator) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Hello")
    expect(page.get_by_text("This is my first page.")).to_be_visible()
