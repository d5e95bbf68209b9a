"""The search under strain: slow answers, hasty readers, a host that hides addresses, long names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect

from builder.build import build
from builder.output import FolderOutput
from tests.sites import write_site
from tests.themes import site
from tests.themes.conftest import PHONE
from tests.themes.visits import Visitor, asked, held, until

pytestmark = pytest.mark.browser

LONG = "com.example.project.components.AdmonitionBuilderFactory"
FILES = {
    "site.yml": "title: T\n",
    "docs/index.md": "# Start\n\nWelcome.\n",
    "docs/install.md": "# Install\n\nQuickly.\n",
    "docs/delete.md": "# Delete\n\nGone.\n",
    "docs/webhook.md": "# Webhook\n\nCalled.\n",
    "docs/restore.md": "# Restore\n\nBack.\n",
    "docs/long.md": f"# {LONG}\n\n## Quokka heading\n\nText.\n",
    # More words with the same beginning than the files have that a query asks for.
    "docs/words.md": "# Words\n\n" + " ".join(f"resa{number:04}" for number in range(3000)) + "\n",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site at the root of its host."""
    folder = tmp_path_factory.mktemp("waiting")
    build(write_site(folder / "site", FILES), FolderOutput(folder / "built"))
    with site.served(folder / "built") as address:
        yield address


@pytest.fixture
def reader(browser: Browser, served: str) -> Iterator[Visitor]:
    visitor = Visitor(browser, served, viewport=PHONE)
    yield visitor
    visitor.close()
    assert visitor.complaints == []


def test_a_title_is_found_among_thousands_of_words_that_begin_alike(reader: Visitor) -> None:
    page = asked(reader, "res")
    expect(page.get_by_role("option").first).to_have_attribute("href", "/docs/restore")


def test_enter_before_the_search_is_there_opens_what_was_typed(reader: Visitor) -> None:
    page = reader.intercepted().go("/docs/")
    with held(page, "**/_tp/search.*.js"):
        page.keyboard.press("/")
        page.keyboard.type("install")
        page.keyboard.press("Enter")
    page.wait_for_url("**/docs/install")


def test_who_types_on_after_enter_is_not_led_to_what_was_found_before(reader: Visitor) -> None:
    page = asked(reader.intercepted(), "delete")
    with held(page, "**/_tp/search/*"):
        page.get_by_role("combobox").fill("")
        page.keyboard.type("webhook")
        page.keyboard.press("Enter")
        page.keyboard.type(" quota")
    expect(page.get_by_role("option").first).to_have_attribute("href", "/docs/webhook")
    page.wait_for_timeout(200)
    assert page.url.endswith("/docs/")


def test_a_host_may_hide_addresses_from_the_browsers_history(reader: Visitor) -> None:
    def hidden(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, "referrer-policy": "no-referrer"})

    reader.page.route("**/docs/*", hidden)
    asked(reader, "install")
    reader.page.keyboard.press("Enter")
    reader.page.wait_for_url("**/docs/install")
    page = reader.go("/docs/delete")
    page.keyboard.press("/")
    expect(page.get_by_role("option").first).to_have_attribute("href", "/docs/install")


def test_a_long_name_of_a_page_is_broken_on_a_phone(reader: Visitor) -> None:
    page = asked(reader, "quokka")
    expect(page.get_by_text(LONG).first).to_be_visible()
    until(page, "() => { const { scrollWidth, clientWidth } = document.getElementById('tp-found'); "
                "return scrollWidth <= clientWidth; }")  # fmt: skip
